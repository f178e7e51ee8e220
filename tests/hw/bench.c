#include "tests/hw/bench.h"

#include <string.h>

/* ---- Clock */

static int64_t look_mono(void *ctx)
{
    struct bench_clock *clock = ctx;
    int64_t step_ns = atomic_load(&clock->look_ns);
    atomic_fetch_add(&clock->utc_ns, step_ns);
    return atomic_fetch_add(&clock->mono_ns, step_ns) + step_ns;
}

static int64_t look_utc(void *ctx)
{
    return atomic_load(&((struct bench_clock *)ctx)->utc_ns);
}

void bench_advance(struct bench *bench, int64_t by_ns)
{
    atomic_fetch_add(&bench->clock.mono_ns, by_ns);
    atomic_fetch_add(&bench->clock.utc_ns, by_ns);
}

/* ---- Bench */

static void ignore_log(void *ctx, int level, const char *text)
{
    (void)ctx;
    (void)level;
    (void)text;
}

static void init(struct bench *bench, const struct hw_driver *driver)
{
    *bench = (struct bench){.driver = driver};
    atomic_store(&bench->clock.mono_ns, 1000 * BASE_NS_PER_S);
    atomic_store(&bench->clock.utc_ns, 1700000000 * BASE_NS_PER_S);
    bench->base_clock = (struct base_clock){look_mono, look_utc, &bench->clock};
    bench->env = (struct hw_env){
        .clock = &bench->base_clock, .state_dir = "", .config_dir = "", .log = ignore_log};
    base_arena_init(&bench->arena);
    bench->errors = base_arena_new(&bench->arena, struct config_errors);
    bench->complaint = base_arena_alloc(&bench->arena, BENCH_COMPLAINT_MAX, 1);
    config_errors_init(bench->errors);
}

static void open_backend(struct bench *bench)
{
    if (bench->driver->setup->backend_new != NULL)
        assert_int_equal(bench->driver->setup->backend_new(&bench->env, &bench->backend, NULL),
                         ARCD_OK);
}

void bench_init(struct bench *bench, const struct hw_driver *driver)
{
    init(bench, driver);
    open_backend(bench);
}

void bench_init_system_clock(struct bench *bench, const struct hw_driver *driver)
{
    init(bench, driver);
    bench->env.clock = base_clock_system();
    open_backend(bench);
}

void bench_fini(struct bench *bench)
{
    if (bench->driver->setup->backend_free != NULL)
        bench->driver->setup->backend_free(bench->backend);
    config_errors_fini(bench->errors);
    base_arena_fini(&bench->arena);
}

static void keep_complaint(struct bench *bench, const struct arcd_errinfo *why)
{
    FILE *out = fmemopen(bench->complaint, BENCH_COMPLAINT_MAX, "w");
    assert_non_null(out);
    config_errors_print(bench->errors, out);
    if (bench->errors->n_errors == 0)
        fprintf(out, "%s\n", why->text);
    fclose(out);
    config_errors_fini(bench->errors);
    config_errors_init(bench->errors);
}

static void parse(struct bench *bench, struct config_doc *doc, const char *file, const char *json)
{
    if (config_doc_parse(doc, bench->errors, file, json, strlen(json)) != ARCD_OK) {
        config_errors_print(bench->errors, stderr);
        fail_msg("the test's own JSON is wrong");
    }
}

/* ---- Devices */

struct device_fields {
    const char *backend;
};

static const struct config_field device_fields[] = {
    {"backend", CONFIG_STR, CONFIG_IN(struct device_fields, backend), .fallback = "", .doc = "-"},
};
static const struct config_table device_table =
    CONFIG_TABLE("device", struct device_fields, device_fields);

struct hw_device *bench_try_device(struct bench *bench, const char *name, const char *json)
{
    struct config_doc doc;
    parse(bench, &doc, "driver.json", json);
    struct device_fields common;
    const struct config_table *table = bench->driver->device_table;
    void *fields = base_arena_alloc(&bench->arena, table->size, 16);
    const struct config_part parts[] = {{.table = &device_table, .out = &common},
                                        {.table = table, .out = fields}};
    struct hw_device *device = NULL;
    struct arcd_errinfo why = {0};
    if (!config_read_parts(config_root(&doc), &bench->arena, parts, 2) ||
        bench->driver->setup->device_open(bench->backend, &bench->env, name, fields,
                                          config_root(&doc), &device, &why) != ARCD_OK) {
        keep_complaint(bench, &why);
        device = NULL;
    }
    config_doc_fini(&doc);
    memset(fields, 0xA5, table->size); /* what the device still needs it has copied */
    return device;
}

struct hw_device *bench_device(struct bench *bench, const char *name, const char *json)
{
    struct hw_device *device = bench_try_device(bench, name, json);
    if (device == NULL)
        fail_msg("%s", bench->complaint);
    return device;
}

void bench_device_close(struct bench *bench, struct hw_device *device)
{
    bench->driver->setup->device_close(device);
}

/* ---- Tasks */

struct task_fields {
    const char *type, *device;
    double sample_rate;
    int64_t n;
    int timing;
    bool timing_given;
    int64_t timeout_ns;
};

struct channel_fields {
    const char *type, *channel, *cmd_channel, *state_channel, *chan_type;
};

static const struct config_choice timing_choices[] = {
    {"software", HW_SOFTWARE}, {"hardware", HW_HARDWARE}, {0}};

#define TASK(member) CONFIG_IN(struct task_fields, member)
#define CHANNEL(member) CONFIG_IN(struct channel_fields, member)

static bool pass_channels(struct config_at at, struct base_arena *arena,
                          const struct config_field *field, void *out)
{
    (void)at;
    (void)arena;
    (void)field;
    (void)out;
    return true;
}

static const struct config_field task_fields[] = {
    {"type", CONFIG_STR, TASK(type), .required = true, .doc = "-"},
    {"device", CONFIG_STR, TASK(device), .fallback = "", .doc = "-"},
    {"sample_rate", CONFIG_NUM, TASK(sample_rate), .fallback = "10", .doc = "-"},
    {"n", CONFIG_INT, TASK(n), .fallback = "1", .doc = "-"},
    {"timing", CONFIG_ENUM, TASK(timing), .choices = timing_choices,
     .given = CONFIG_GIVEN(struct task_fields, timing_given), .otherwise = "-", .doc = "-"},
    {"timeout", CONFIG_DURATION, TASK(timeout_ns), .fallback = "2s", .doc = "-"},
    {"channels", CONFIG_CUSTOM, TASK(n), .read = pass_channels, .shape = "arr", .doc = "-"},
};
static const struct config_table task_table = CONFIG_TABLE("task", struct task_fields, task_fields);

static const struct config_field channel_fields[] = {
    {"type", CONFIG_STR, CHANNEL(type), .required = true, .doc = "-"},
    {"channel", CONFIG_STR, CHANNEL(channel), .otherwise = "-", .doc = "-"},
    {"cmd_channel", CONFIG_STR, CHANNEL(cmd_channel), .otherwise = "-", .doc = "-"},
    {"state_channel", CONFIG_STR, CHANNEL(state_channel), .otherwise = "-", .doc = "-"},
    {"chan_type", CONFIG_STR, CHANNEL(chan_type), .fallback = "f64", .doc = "-"},
};
static const struct config_table channel_table =
    CONFIG_TABLE("channel", struct channel_fields, channel_fields);

static const struct hw_task_type *type_of(const struct hw_driver *driver, const char *name)
{
    for (uint32_t i = 0; i < driver->n_task_types; i++)
        if (strcmp(driver->task_types[i].name, name) == 0)
            return &driver->task_types[i];
    fail_msg("no task type %s", name);
    return NULL;
}

static bool read_channel(struct bench *bench, const struct hw_task_type *type, struct config_at at,
                         struct hw_channel_config *out)
{
    const struct config_variant *variant = config_variant_of(at, type->channel_variants);
    if (variant == NULL)
        return false;
    struct channel_fields common;
    struct config_part parts[2] = {{.table = &channel_table, .out = &common}};
    if (variant->table != NULL) {
        out->fields = base_arena_alloc(&bench->arena, variant->table->size, 16);
        parts[1] = (struct config_part){.table = variant->table, .out = out->fields};
    }
    if (!config_read_parts(at, &bench->arena, parts, variant->table != NULL ? 2 : 1))
        return false;
    out->type = variant->type;
    out->channel = common.channel != NULL ? common.channel : common.cmd_channel;
    out->chan_type = telem_type_from_name(common.chan_type);
    out->at = at;
    return out->channel != NULL || config_error(at, "the test names no channel");
}

static bool read_task(struct bench *bench, struct config_at at, const struct hw_task_type **type,
                      struct hw_task_config *out)
{
    struct task_fields common;
    config_peek_parts(at, &bench->arena,
                      &(struct config_part){.table = &task_table, .out = &common}, 1);
    *type = type_of(bench->driver, common.type);
    struct config_part parts[2] = {{.table = &task_table, .out = &common}};
    if ((*type)->task_table != NULL) {
        out->fields = base_arena_alloc(&bench->arena, (*type)->task_table->size, 16);
        parts[1] = (struct config_part){.table = (*type)->task_table, .out = out->fields};
    }
    if (!config_read_parts(at, &bench->arena, parts, out->fields != NULL ? 2 : 1))
        return false;
    const char *slash = strchr(common.device, '/');
    out->name = "task";
    out->type = common.type;
    out->direction = (*type)->direction;
    out->sample_rate_hz = common.sample_rate;
    out->samples_per_batch = (uint32_t)common.n;
    out->timing = common.timing_given ? (enum hw_timing)common.timing : (*type)->default_timing;
    out->timing_given = common.timing_given;
    out->unit = slash != NULL ? slash + 1 : "";
    out->io_timeout_ns = common.timeout_ns;
    out->at = at;
    return true;
}

static bool build_config(struct bench *bench, struct config_at at, struct hw_task_config *config)
{
    const struct hw_task_type *type = NULL;
    if (!read_task(bench, at, &type, config))
        return false;
    struct config_at list = config_member(at, "channels");
    config->n_channels = config_count(list);
    struct hw_channel_config *channels =
        base_arena_array(&bench->arena, struct hw_channel_config, config->n_channels);
    config->channels = channels;
    bool ok = true;
    for (uint32_t i = 0; i < config->n_channels; i++)
        ok &= read_channel(bench, type, config_element(list, i), &channels[i]);
    return ok;
}

static void make_room(struct bench *bench, struct bench_task *task)
{
    struct base_arena *arena = &bench->arena;
    uint32_t n = task->info->n_channels;
    task->rows = base_arena_array(arena, union telem_value *, n);
    task->strs = base_arena_array(arena, struct hw_str, n);
    task->valid = base_arena_array(arena, uint8_t, n);
    task->changed = base_arena_array(arena, uint8_t, n);
    task->done = base_arena_array(arena, uint8_t, n);
    task->values = base_arena_array(arena, union telem_value, n);
    for (uint32_t i = 0; i < n; i++)
        task->rows[i] = base_arena_array(arena, union telem_value, BENCH_SAMPLES_MAX);
}

bool bench_try_task(struct bench *bench, struct hw_device *device, struct bench_task *task,
                    const char *json)
{
    *task = (struct bench_task){.bench = bench};
    struct config_doc doc;
    parse(bench, &doc, "tasks/t.json", json);
    struct hw_task_config config = {0};
    struct arcd_errinfo why = {0};
    bool ok =
        build_config(bench, config_root(&doc), &config) &&
        bench->driver->setup->task_new(device, &config, &task->task, &task->info, &why) == ARCD_OK;
    if (!ok)
        keep_complaint(bench, &why);
    config_doc_fini(&doc);
    if (ok)
        make_room(bench, task);
    return ok;
}

void bench_task(struct bench *bench, struct hw_device *device, struct bench_task *task,
                const char *json)
{
    if (!bench_try_task(bench, device, task, json))
        fail_msg("%s", bench->complaint);
}

void bench_task_free(struct bench_task *task)
{
    task->bench->driver->setup->task_free(task->task);
}

static int64_t deadline(const struct bench *bench, int64_t timeout_ns)
{
    return base_clock_mono(bench->env.clock) + timeout_ns;
}

void bench_start(struct bench_task *task)
{
    const struct bench *bench = task->bench;
    if (bench->driver->loop->start(task->task, deadline(bench, 5 * BASE_NS_PER_S), &task->error) !=
        HW_NOMINAL)
        fail_msg("%s", task->error.text);
}

void bench_stop(struct bench_task *task)
{
    task->bench->driver->loop->stop(task->task);
}

enum hw_class bench_read(struct bench_task *task, uint32_t n, int64_t timeout_ns)
{
    const struct bench *bench = task->bench;
    task->read = (struct hw_read){.n_want = n,
                                  .deadline_mono_ns = deadline(bench, timeout_ns),
                                  .values = task->rows,
                                  .strs = task->strs,
                                  .valid = task->valid};
    memset(&task->error, 0, sizeof task->error);
    return bench->driver->loop->read(task->task, &task->read, &task->error);
}

enum hw_class bench_write(struct bench_task *task, int64_t timeout_ns)
{
    const struct bench *bench = task->bench;
    task->write = (struct hw_write){.values = task->values,
                                    .strs = task->strs,
                                    .changed = task->changed,
                                    .done = task->done,
                                    .deadline_mono_ns = deadline(bench, timeout_ns)};
    memset(&task->error, 0, sizeof task->error);
    enum hw_class cls = bench->driver->loop->write(task->task, &task->write, &task->error);
    memset(task->changed, 0, task->info->n_channels);
    return cls;
}

void bench_set(struct bench_task *task, uint32_t channel, double value)
{
    task->values[channel].f64 = value;
    task->changed[channel] = 1;
}

int64_t bench_counter(struct bench *bench, struct hw_device *device, const char *name)
{
    struct hw_counter counters[64];
    uint32_t n = bench->driver->setup->counters(device, counters, 64);
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(counters[i].name, name) == 0)
            return counters[i].value;
    return -1;
}
