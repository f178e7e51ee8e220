#include "driver/bench/rig.h"

#include "arc/compile.h"
#include "arc/image.h"

#include <math.h>
#include <string.h>

enum arcd_err bench_rig_open(struct bench_rig *rig, struct arcd_errinfo *why)
{
    memset(rig, 0, sizeof *rig);
    struct base_log_opts log = {.level = BASE_LOG_WARNING};
    enum arcd_err err = base_log_open(&log, &rig->log, why);
    if (err != ARCD_OK)
        return err;
    base_arena_init(&rig->arena);
    rig->chans = telem_chans_new();
    rig->bus = telem_bus_new(rig->chans);
    arc_host_cores_read(&rig->cores);
    arc_host_idle_init(&rig->idle, NULL);
    return ARCD_OK;
}

void bench_rig_close(struct bench_rig *rig)
{
    for (uint32_t i = 0; i < rig->n; i++) {
        arc_host_automation_free(rig->automations[i]);
        arc_image_free(rig->images[i]);
    }
    arc_host_idle_fini(&rig->idle);
    telem_bus_free(rig->bus);
    telem_chans_free(rig->chans);
    base_arena_fini(&rig->arena);
    base_log_close(rig->log);
}

struct telem_key bench_rig_channel(struct bench_rig *rig, const char *name, enum telem_type type)
{
    struct telem_chan_decl decl = {
        .name = name, .type = type, .index = TELEM_NO_KEY, .min = -INFINITY, .max = INFINITY};
    struct telem_key key = TELEM_NO_KEY;
    enum arcd_err err = telem_chans_add(rig->chans, &decl, &key, NULL);
    ARCD_ASSERT(err == ARCD_OK);
    return key;
}

static struct arc_image *compile(struct bench_rig *rig, const char *name, const char *text)
{
    uint32_t n = telem_chans_count(rig->chans);
    struct arc_chan_info *infos = base_arena_array(&rig->arena, struct arc_chan_info, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct telem_chan_decl *decl = telem_chans_decl(rig->chans, (struct telem_key){i});
        infos[i] = (struct arc_chan_info){.name = decl->name, .type = decl->type};
    }
    struct arc_source source = {.file = name, .text = text, .len = strlen(text)};
    struct arc_chan_table table = {.chans = infos, .n_chans = n};
    struct arc_diags diags;
    arc_diags_init(&diags, &rig->arena, &source);
    struct arc_image *image = arc_compile(&source, &table, &diags);
    ARCD_ASSERT(image != NULL);
    return image;
}

enum arcd_err bench_rig_add(struct bench_rig *rig, const char *name, const char *text,
                            enum arc_host_level level, bool realtime, struct arcd_errinfo *why)
{
    ARCD_ASSERT(rig->n < BENCH_RIG_AUTOMATIONS);
    struct arc_host_env env = {
        .bus = rig->bus, .cores = &rig->cores, .idle = &rig->idle, .log = rig->log};
    struct arc_host_automation_opts opts = {.name = name,
                                            .image = compile(rig, name, text),
                                            .level = level,
                                            .realtime = realtime,
                                            .authority = 255};
    rig->images[rig->n] = (struct arc_image *)(uintptr_t)opts.image;
    enum arcd_err err = arc_host_automation_new(&env, &opts, &rig->automations[rig->n], why);
    if (err == ARCD_OK)
        rig->n++;
    else
        arc_image_free(rig->images[rig->n]);
    return err;
}

enum arcd_err bench_rig_start(struct bench_rig *rig, struct arcd_errinfo *why)
{
    for (uint32_t i = 0; i < rig->n; i++) {
        enum arcd_err err = arc_host_automation_start(rig->automations[i], why);
        if (err != ARCD_OK) {
            bench_rig_stop(rig);
            return err;
        }
    }
    /* What is refused is refused every time, and deadlines that were missed are in the figures. */
    base_log_set_level(rig->log, NULL, BASE_LOG_ERROR);
    return ARCD_OK;
}

void bench_rig_serve(struct bench_rig *rig)
{
    int64_t now = base_mono_ns();
    for (uint32_t i = 0; i < rig->n; i++)
        arc_host_automation_service(rig->automations[i], now);
}

void bench_rig_stop(struct bench_rig *rig)
{
    for (uint32_t i = 0; i < rig->n; i++)
        arc_host_automation_stop(rig->automations[i]);
}
