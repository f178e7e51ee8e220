/* Any bytes as a configuration file: as driver.json, as a task with its channels, as an automation.
 * Beyond not crashing: what is refused has a reason, what is accepted has none, values stay within
 * their limits, and the canonical text is one. */
#include "config/automation.h"
#include "config/driver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const backends[] = {"modbus", "sim"};
static const struct config_known known = {.backends = backends,
                                          .n_backends = ARCD_COUNT_OF(backends)};

static void print_issues(const struct config_errors *errors)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ARCD_ASSERT(out != NULL);
    config_errors_print(errors, out);
    fclose(out);
    /* One line for each, whatever the input holds. */
    size_t n_lines = 0;
    for (size_t i = 0; i < size; i++)
        n_lines += text[i] == '\n';
    ARCD_ASSERT(n_lines ==
                errors->n_kept + (errors->n_kept < errors->n_errors + errors->n_warnings));
    free(text);
}

static void read_channels(struct config_at root, struct base_arena *arena,
                          struct config_at defaults)
{
    struct config_at channels = config_member(root, "channels");
    for (uint32_t i = 0; i < config_count(channels); i++) {
        struct config_read_channel in;
        struct config_write_channel out;
        const struct config_part in_part = {.table = &config_read_channel_table, .out = &in};
        const struct config_part out_part = {
            .table = &config_write_channel_table, .out = &out, .defaults = defaults};
        struct config_at element = config_element(channels, i);
        if (config_read_parts(element, arena, &in_part, 1) && element.json != NULL)
            ARCD_ASSERT(in.channel != NULL && in.type != NULL);
        if (config_read_parts(element, arena, &out_part, 1) && element.json != NULL)
            ARCD_ASSERT(out.on_stop != CONFIG_OUTPUT_UNSAID && out.min < out.max);
    }
}

static void read_task(struct config_doc *doc, struct base_arena *arena, struct config_at defaults)
{
    struct config_task task;
    struct config_rates rates;
    const struct config_part part = {
        .table = &config_rates_table, .out = &rates, .defaults = defaults};
    uint32_t before = doc->n_errors;
    bool ok = config_task_read(config_root(doc), arena, defaults, &task, &part, 1);
    ARCD_ASSERT(ok == (doc->n_errors == before));
    ARCD_ASSERT(task.name != NULL && task.retry.scale >= 1 && task.retry.base_ns > 0);
    if (ok)
        ARCD_ASSERT(rates.n_samples >= 1 && isfinite(rates.batch_ns) &&
                    (double)rates.read_timeout_ns >= rates.batch_ns - 1);
    read_channels(config_root(doc), arena, defaults);
}

static void read_driver(struct config_doc *doc, struct base_arena *arena,
                        struct config_driver *driver)
{
    uint32_t before = doc->n_errors;
    bool ok = config_driver_read(doc, arena, &known, driver);
    ARCD_ASSERT(ok == (doc->n_errors == before));
    ARCD_ASSERT(driver->manager.worker_count >= 1 && driver->manager.worker_count <= 64);
    if (!ok)
        return;
    struct telem_chans *chans = telem_chans_new();
    struct arcd_errinfo why;
    ARCD_ASSERT(config_channels_declare(&driver->channels, chans, &why) == ARCD_OK);
    ARCD_ASSERT(telem_chans_count(chans) == driver->channels.n);
    telem_chans_free(chans);
}

static void read_canonical(struct config_doc *doc, struct config_errors *errors,
                           struct base_arena *arena)
{
    const char *canonical = config_canonical(config_root(doc), arena);
    struct config_doc again;
    ARCD_ASSERT(config_doc_parse(&again, errors, "again.json", canonical, strlen(canonical)) ==
                ARCD_OK);
    ARCD_ASSERT(strcmp(config_canonical(config_root(&again), arena), canonical) == 0);
    config_doc_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config_errors errors;
    struct config_doc doc;
    struct base_arena arena;
    config_errors_init(&errors);
    base_arena_init(&arena);
    if (config_doc_parse(&doc, &errors, "tasks/fuzz.json", (const char *)data, size) == ARCD_OK) {
        struct config_automation automation;
        struct config_driver driver;
        read_canonical(&doc, &errors, &arena);
        bool ok = config_automation_read(config_root(&doc), &arena, &automation);
        ARCD_ASSERT(ok || errors.n_errors > 0);
        read_driver(&doc, &arena, &driver);
        read_task(&doc, &arena, driver.defaults);
    } else {
        ARCD_ASSERT(errors.n_errors == 1 && errors.first->text[0] != '\0');
    }
    print_issues(&errors);
    config_doc_fini(&doc);
    config_errors_fini(&errors);
    base_arena_fini(&arena);
    return 0;
}
