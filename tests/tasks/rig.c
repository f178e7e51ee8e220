#include "tests/tasks/rig.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENT "{},"
static const char document[] =
    "{\"channels\": [" ELEMENT ELEMENT ELEMENT ELEMENT ELEMENT ELEMENT ELEMENT "{}]}";

static void default_configs(struct rig *rig, enum hw_timing timing)
{
    rig->task_config = (struct config_task){
        .name = "rig",
        .type = "scripted_read",
        .device = "dev",
        .enabled = true,
        .retry = {.base_ns = BASE_NS_PER_S,
                  .scale = 1.1,
                  .max_ns = 60 * BASE_NS_PER_S,
                  .max_retries = 50},
        .rt = {.has_priority = true, .priority = 0},
    };
    rig->write = (struct config_write){.state_rate_hz = 10, .write_timeout_ns = BASE_NS_PER_S};
    rig->hw_config = (struct hw_task_config){.name = "rig",
                                             .type = "scripted_read",
                                             .timing = timing,
                                             .io_timeout_ns = 2 * BASE_NS_PER_S,
                                             .at = config_root(&rig->doc),
                                             .channels = rig->elements};
    rig->env = (struct tasks_env){.bus = rig->bus, .skew = tasks_skew_default()};
}

static struct rig *open_rig(enum hw_timing timing, double rate_hz, bool real)
{
    struct rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    fake_clock_init(&rig->time);
    base_arena_init(&rig->arena);
    config_errors_init(&rig->errors);
    assert_int_equal(
        config_doc_parse(&rig->doc, &rig->errors, "tasks/rig.json", document, strlen(document)),
        ARCD_OK);
    rig->chans = telem_chans_new();
    rig->bus = telem_bus_new(rig->chans);
    scripted_init(&rig->hw, real ? NULL : &rig->time, timing, rate_hz);
    default_configs(rig, timing);
    rig->env.clock = real ? base_clock_system() : &rig->time.clock;
    struct telem_chan_decl decl = {.name = "time",
                                   .type = TELEM_TIMESTAMP,
                                   .index = TELEM_NO_KEY,
                                   .is_index = true,
                                   .min = -INFINITY,
                                   .max = INFINITY,
                                   .unit = "",
                                   .desc = ""};
    assert_int_equal(telem_chans_add(rig->chans, &decl, &rig->time_key, NULL), ARCD_OK);
    rig_rates(rig, rate_hz, rate_hz);
    return rig;
}

struct rig *rig_open(enum hw_timing timing, double rate_hz)
{
    return open_rig(timing, rate_hz, false);
}

struct rig *rig_open_real(enum hw_timing timing, double rate_hz)
{
    return open_rig(timing, rate_hz, true);
}

void rig_close(struct rig *rig)
{
    if (rig->task != NULL && rig->task->is_open && !rig->task->loop.joinable) {
        rig->task->ops->close(rig->task);
        rig->task->is_open = false;
    }
    tasks_task_free(rig->task);
    if (rig->sub != NULL)
        telem_sub_close(rig->sub);
    if (rig->commands != NULL)
        telem_pub_close(rig->commands);
    telem_bus_free(rig->bus);
    telem_chans_free(rig->chans);
    scripted_fini(&rig->hw);
    config_doc_fini(&rig->doc);
    config_errors_fini(&rig->errors);
    base_arena_fini(&rig->arena);
    free(rig);
}

void rig_rates(struct rig *rig, double sample_rate_hz, double stream_rate_hz)
{
    rig->rates.sample_rate_hz = sample_rate_hz;
    rig->rates.stream_rate_hz = stream_rate_hz;
    rig->rates.skew_warn_on_count = (int64_t)ceil(sample_rate_hz);
    rig->rates.backlog_warn_on_count = 2 * (int64_t)ceil(sample_rate_hz);
    config_rates_derive(&rig->rates);
    rig->hw_config.sample_rate_hz = sample_rate_hz;
    rig->hw_config.samples_per_batch = rig->rates.n_samples;
}

struct telem_key rig_declare(struct rig *rig, const char *name, enum telem_type type)
{
    struct telem_chan_decl decl = {.name = name,
                                   .type = type,
                                   .index = rig->time_key,
                                   .min = -INFINITY,
                                   .max = INFINITY,
                                   .unit = "",
                                   .desc = ""};
    struct telem_key key;
    assert_int_equal(telem_chans_add(rig->chans, &decl, &key, NULL), ARCD_OK);
    return key;
}

void rig_channel(struct rig *rig, const char *name, enum hw_value value, enum telem_type type)
{
    uint32_t i = rig->n++;
    if (!telem_key_valid(telem_chans_find(rig->chans, name)))
        rig_declare(rig, name, type);
    scripted_channel(&rig->hw, name, value);
    rig->elements[i] = (struct hw_channel_config){
        .type = "thing",
        .channel = name,
        .chan_type = type,
        .at = config_element(config_member(rig->hw_config.at, "channels"), i)};
    rig->inputs[i] =
        (struct config_read_channel){.type = "thing", .channel = name, .enabled = true};
    rig->outputs[i] = (struct config_write_channel){.type = "thing",
                                                    .cmd_channel = name,
                                                    .enabled = true,
                                                    .on_start = CONFIG_OUTPUT_KEEP,
                                                    .on_stop = CONFIG_OUTPUT_KEEP,
                                                    .on_fault = CONFIG_OUTPUT_KEEP,
                                                    .min = -INFINITY,
                                                    .max = INFINITY};
    rig->hw_config.n_channels = rig->n;
}

enum arcd_err rig_try_read(struct rig *rig)
{
    struct tasks_read_config config = {.task = &rig->task_config,
                                       .rates = &rig->rates,
                                       .channels = rig->inputs,
                                       .driver = &rig->hw.driver,
                                       .device = scripted_device(&rig->hw),
                                       .hw = &rig->hw_config};
    return tasks_read_new(&rig->env, &config, &rig->task, &rig->why);
}

void rig_read(struct rig *rig)
{
    assert_int_equal(rig_try_read(rig), ARCD_OK);
    assert_string_equal(rig_said(rig), "Task configured");
    rig_listen(rig);
}

enum arcd_err rig_try_write(struct rig *rig)
{
    rig->task_config.type = rig->hw_config.type = "scripted_write";
    rig->hw_config.direction = HW_WRITE;
    rig->hw_config.io_timeout_ns = rig->write.write_timeout_ns;
    struct tasks_write_config config = {.task = &rig->task_config,
                                        .write = &rig->write,
                                        .channels = rig->outputs,
                                        .driver = &rig->hw.driver,
                                        .device = scripted_device(&rig->hw),
                                        .hw = &rig->hw_config};
    return tasks_write_new(&rig->env, &config, &rig->task, &rig->why);
}

void rig_write(struct rig *rig)
{
    assert_int_equal(rig_try_write(rig), ARCD_OK);
    assert_string_equal(rig_said(rig), "Task configured");
    rig_listen(rig);
    rig_open_commands(rig);
}

void rig_state(struct rig *rig, uint32_t i, enum telem_type type)
{
    char *name = base_arena_printf(&rig->arena, "%s_state", rig->outputs[i].cmd_channel);
    rig->outputs[i].state_channel = name;
    rig_declare(rig, name, type);
}

void rig_open_commands(struct rig *rig)
{
    struct telem_key keys[SCRIPTED_CHANNELS];
    for (uint32_t i = 0; i < rig->n; i++)
        keys[i] = telem_chans_find(rig->chans, rig->elements[i].channel);
    struct telem_pub_opts opts = {.name = "automation",
                                  .keys = keys,
                                  .n_keys = rig->n,
                                  .max_rows = 8,
                                  .text_bytes = 256,
                                  .gated = true,
                                  .authority = 255};
    assert_int_equal(telem_pub_open(rig->bus, &opts, &rig->commands, NULL), ARCD_OK);
}

static void append_command(struct rig *rig, struct telem_batch *batch, uint32_t i, double value)
{
    enum telem_type type = rig->elements[i].chan_type;
    union telem_value sample = telem_from_f64(type, value);
    assert_true(telem_batch_append(batch, i, sample, 1));
}

void rig_command(struct rig *rig, uint32_t i, double value)
{
    struct telem_batch *batch = telem_pub_borrow(rig->commands);
    assert_non_null(batch);
    append_command(rig, batch, i, value);
    telem_pub_publish(rig->commands, batch);
}

void rig_commands(struct rig *rig, const double *values, uint32_t n)
{
    struct telem_batch *batch = telem_pub_borrow(rig->commands);
    assert_non_null(batch);
    for (uint32_t i = 0; i < n; i++)
        append_command(rig, batch, i, values[i]);
    telem_pub_publish(rig->commands, batch);
}

void rig_command_text(struct rig *rig, uint32_t i, const char *text)
{
    struct telem_batch *batch = telem_pub_borrow(rig->commands);
    assert_non_null(batch);
    assert_true(telem_batch_append_str(batch, i, text, (uint32_t)strlen(text), 1));
    telem_pub_publish(rig->commands, batch);
}

void rig_listen(struct rig *rig)
{
    struct telem_key keys[SCRIPTED_CHANNELS + 1];
    uint32_t n = 0;
    for (uint32_t i = 0; i < rig->n; i++) {
        const char *name = rig->hw_config.direction == HW_READ ? rig->elements[i].channel
                                                               : rig->outputs[i].state_channel;
        if (name != NULL)
            keys[n++] = telem_chans_find(rig->chans, name);
    }
    keys[n++] = rig->time_key;
    struct telem_sub_opts opts = {.name = "rig", .keys = keys, .n_keys = n, .queue = 64};
    assert_int_equal(telem_sub_open(rig->bus, &opts, &rig->sub, NULL), ARCD_OK);
}

void rig_begin(struct rig *rig)
{
    assert_int_equal(tasks_task_begin(rig->task, &rig->why), ARCD_OK);
}

int64_t rig_step(struct rig *rig)
{
    return rig->task->ops->loop.step(rig->task);
}

int64_t rig_run(struct rig *rig, double s)
{
    int64_t until = rig->time.mono_ns + llround(s * 1e9);
    for (;;) {
        int64_t next = rig_step(rig);
        if (next == TASKS_STEP_END || rig->time.mono_ns >= until)
            return next;
        if (next > until) {
            fake_clock_advance(&rig->time, until - rig->time.mono_ns);
            return next;
        }
        if (next > rig->time.mono_ns)
            fake_clock_advance(&rig->time, next - rig->time.mono_ns);
    }
}

void rig_finish(struct rig *rig)
{
    tasks_loop_ask_stop(&rig->task->loop);
    for (int i = 0; i < 100; i++)
        if (rig_step(rig) == TASKS_STEP_END)
            return;
    fail_msg("the loop did not end");
}

double rig_now(const struct rig *rig)
{
    return (double)(rig->time.mono_ns - FAKE_CLOCK_MONO) * 1e-9;
}

const struct telem_batch *rig_batch(struct rig *rig)
{
    const struct telem_batch *batch = telem_sub_next(rig->sub);
    assert_non_null(batch);
    return batch;
}

uint32_t rig_col(const struct rig *rig, const struct telem_batch *batch, const char *name)
{
    struct telem_key key = telem_chans_find(rig->chans, name);
    for (uint32_t c = 0; c < batch->group->n_cols; c++)
        if (telem_key_equal(batch->group->cols[c].key, key))
            return c;
    fail_msg("%s is not in the batch", name);
    return 0;
}

static void append(char *text, size_t size, double value)
{
    size_t len = strlen(text);
    snprintf(text + len, size - len, "%s%.8g", len > 0 ? " " : "", value);
}

const char *rig_samples(struct rig *rig, const char *name)
{
    static char text[2048];
    text[0] = '\0';
    const struct telem_batch *batch = rig_batch(rig);
    uint32_t c = rig_col(rig, batch, name);
    enum telem_type type = batch->group->cols[c].type;
    for (uint32_t i = 0; i < batch->cols[c].n; i++)
        append(text, sizeof text,
               telem_to_f64(type, telem_load(type, telem_batch_col_const(batch, c), i)));
    telem_batch_release(batch);
    return text;
}

const char *rig_times(struct rig *rig, const char *name)
{
    static char text[2048];
    text[0] = '\0';
    const struct telem_batch *batch = rig_batch(rig);
    uint32_t c = rig_col(rig, batch, name);
    for (uint32_t i = 0; i < batch->cols[c].n; i++)
        append(text, sizeof text,
               (double)(telem_batch_times_const(batch, c)[i] - FAKE_CLOCK_UTC) * 1e-6);
    telem_batch_release(batch);
    return text;
}

const char *rig_said(struct rig *rig)
{
    static char text[8192];
    text[0] = '\0';
    struct tasks_status status;
    while (tasks_board_next(tasks_task_board(rig->task), &status)) {
        char message[512];
        tasks_status_message(tasks_task_board(rig->task), &status, message, sizeof message);
        size_t len = strlen(text);
        snprintf(text + len, sizeof text - len, "%s%s", len > 0 ? " | " : "", message);
    }
    return text;
}

const char *rig_status(struct rig *rig)
{
    static char text[512];
    struct tasks_status status;
    tasks_board_latest(tasks_task_board(rig->task), &status);
    tasks_status_message(tasks_task_board(rig->task), &status, text, sizeof text);
    return text;
}

const char *rig_issue(struct rig *rig)
{
    static char text[512];
    text[0] = '\0';
    if (rig->errors.first != NULL)
        config_issue_format(rig->errors.first, text, sizeof text);
    return text;
}

void rig_wait(struct rig *rig, bool (*holds)(struct rig *rig))
{
    int64_t limit = base_mono_ns() + 60 * BASE_NS_PER_S;
    while (!holds(rig)) {
        if (base_mono_ns() > limit)
            fail_msg("what was waited for did not happen in 60 s");
        sched_yield();
    }
}
