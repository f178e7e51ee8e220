#include "config/task.h"

#include "config/doc_priv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- Every task */

static bool check_retry(struct config_at at, void *out)
{
    const struct config_retry *retry = out;
    if (retry->max_ns < retry->base_ns)
        return config_error(config_member(at, "max"), "must not be less than base");
    return true;
}

#define RETRY_IN(member) CONFIG_IN(struct config_retry, member)

static const struct config_field retry_fields[] = {
    {"base", CONFIG_DURATION, RETRY_IN(base_ns), .fallback = "1s", .limits = CONFIG_ABOVE(0),
     .doc = "Wait before the first retry."},
    {"scale", CONFIG_NUM, RETRY_IN(scale), .fallback = "1.1", .limits = CONFIG_FROM(1),
     .doc = "Each wait is longer than the one before by this factor."},
    {"max", CONFIG_DURATION, RETRY_IN(max_ns), .fallback = "60s", .limits = CONFIG_ABOVE(0),
     .doc = "Longest wait."},
    {"max_retries", CONFIG_INT, RETRY_IN(max_retries), .fallback = "50", .limits = CONFIG_FROM(-1),
     .doc = "Retries in a row before the task gives up; -1: never. One success sets the count "
            "back to 0."},
};

const struct config_table config_retry_table =
    CONFIG_TABLE("Retry", struct config_retry, retry_fields, .check = check_retry);

#define RT_IN(member) CONFIG_IN(struct config_rt, member)

static const struct config_field rt_fields[] = {
    {"priority", CONFIG_INT, RT_IN(priority), .given = CONFIG_GIVEN(struct config_rt, has_priority),
     .limits = CONFIG_FROM_TO(0, 49), .otherwise = "45 for reads, 46 for writes",
     .doc = "Real-time priority (SCHED_FIFO) of the task's thread; 0: a normal thread."},
    {"cpu", CONFIG_INTS, RT_IN(cpu), .limits = CONFIG_FROM_TO(0, 1023), .min_len = 1,
     .otherwise = "any", .doc = "Cores that the task's thread may run on."},
};

const struct config_table config_rt_table = CONFIG_TABLE("Threads", struct config_rt, rt_fields);

/* The elements are read by whoever knows the task's type; here they are only counted. */
static bool read_channels(struct config_at at, struct base_arena *arena,
                          const struct config_field *field, void *out)
{
    (void)arena;
    (void)field;
    struct config_task *task =
        (struct config_task *)(void *)((char *)out - offsetof(struct config_task, n_channels));
    if (config_type(at) != CONFIG_JSON_ARRAY)
        return config_error(at, "must be an array");
    bool ok = true;
    uint32_t n = config_count(at);
    for (uint32_t i = 0; i < n; i++) {
        struct config_at element = config_element(at, i);
        if (config_type(element) != CONFIG_JSON_OBJECT)
            ok = config_error(element, "must be an object");
        struct config_at enabled = config_member(element, "enabled");
        if (config_type(enabled) != CONFIG_JSON_BOOL || config_bool(enabled))
            task->n_enabled++;
    }
    task->n_channels = n;
    if (task->n_enabled == 0)
        return config_error(at, "task must have at least one enabled channel");
    return ok;
}

static bool check_task(struct config_at at, void *out)
{
    const struct config_task *task = out;
    return config_check_name(config_member(at, "name"), task->name);
}

#define TASK_IN(member) CONFIG_IN(struct config_task, member)

static const struct config_field task_fields[] = {
    {"name", CONFIG_STR, TASK_IN(name), .own = true, .otherwise = "the file's name, without .json",
     .min_len = 1, .max_len = 64, .doc = "Name of the task; no two tasks have the same."},
    {"type", CONFIG_STR, TASK_IN(type), .own = true, .required = true,
     .doc = "What the task does."},
    {"description", CONFIG_STR, TASK_IN(description), .own = true, .fallback = "",
     .doc = "For people."},
    {"enabled", CONFIG_BOOL, TASK_IN(enabled), .own = true, .fallback = "true",
     .doc = "false: the file is read and checked, the task never starts."},
    {"auto_start", CONFIG_BOOL, TASK_IN(auto_start), .fallback = "false",
     .doc = "Start as soon as the task is configured, also when the Driver starts."},
    {"data_saving", CONFIG_BOOL, TASK_IN(data_saving), .fallback = "true",
     .doc = "false: the task's samples are live only, nothing of them is stored."},
    {"device", CONFIG_STR, TASK_IN(device), .own = true, .min_len = 1,
     .otherwise = "needed by types that use a device",
     .doc = "Device that the task's channels are on, as declared in driver.json."},
    {"channels", CONFIG_CUSTOM, TASK_IN(n_channels), .own = true, .read = read_channels,
     .shape = "array of objects", .otherwise = "needed by types that have channels",
     .doc = "The task's channels, at least one of them enabled; their fields depend on the type."},
    {"retry", CONFIG_OBJECT, TASK_IN(retry), .table = &config_retry_table,
     .otherwise = "`retry` of driver.json",
     .doc = "What happens after a temporary error, such as a device that was unplugged."},
    {"rt", CONFIG_OBJECT, TASK_IN(rt), .table = &config_rt_table, .otherwise = "see below",
     .doc = "Where and with which priority the task's thread runs."},
};

const struct config_table config_task_table =
    CONFIG_TABLE("Every task", struct config_task, task_fields, .check = check_task);

enum { PARTS_MAX = 8 };

bool config_task_read(struct config_at at, struct base_arena *arena, struct config_at defaults,
                      struct config_task *task, const struct config_part *parts, uint32_t n)
{
    ARCD_ASSERT(n < PARTS_MAX);
    struct config_part all[PARTS_MAX] = {
        {.table = &config_task_table, .out = task, .defaults = defaults}};
    for (uint32_t i = 0; i < n; i++)
        all[i + 1] = parts[i];
    bool ok = config_read_parts(at, arena, all, n + 1);
    if (task->name == NULL)
        task->name = config_file_stem(arena, at.doc->file);
    return ok && at.json != NULL;
}

/* ---- Read tasks */

/* Rates beyond these have no hardware, and keep ns and counts far from overflow. */
#define RATE_MAX_HZ 1e9
#define BATCH_MAX_NS 1e18

void config_rates_derive(struct config_rates *rates)
{
    double n = floor(rates->sample_rate_hz / rates->stream_rate_hz + 1e-9);
    n = n < 1 ? 1 : (n > UINT32_MAX ? UINT32_MAX : n);
    rates->n_samples = (uint32_t)n;
    rates->batch_ns = n * (1e9 / rates->sample_rate_hz);
    rates->effective_stream_hz = rates->sample_rate_hz / n;
}

/* A stream rate that only driver.json's `defaults` ask for bends to a slower task. */
static bool settle_stream_rate(struct config_at at, struct config_rates *rates)
{
    if (rates->stream_rate_hz <= rates->sample_rate_hz && rates->stream_rate_hz > 0)
        return true;
    if (rates->stream_rate_hz == 0 || !config_has(at, "stream_rate")) {
        rates->stream_rate_hz = rates->sample_rate_hz;
        return true;
    }
    char sample[CONFIG_NUMBER_TEXT], stream[CONFIG_NUMBER_TEXT];
    return config_error(config_member(at, "stream_rate"),
                        "sample_rate must be at least stream_rate (%s Hz is less than %s Hz)",
                        config_number_text(rates->sample_rate_hz, sample),
                        config_number_text(rates->stream_rate_hz, stream));
}

static bool settle_timeout(struct config_at at, struct config_rates *rates)
{
    int64_t batch_ns = (int64_t)ceil(rates->batch_ns);
    if (rates->read_timeout_ns == 0)
        rates->read_timeout_ns =
            5 * batch_ns > INT64_C(2000000000) ? 5 * batch_ns : INT64_C(2000000000);
    if (rates->read_timeout_ns >= batch_ns)
        return true;
    if (!config_has(at, "read_timeout")) { /* only driver.json's defaults ask for it */
        rates->read_timeout_ns = batch_ns;
        return true;
    }
    char text[CONFIG_NUMBER_TEXT];
    return config_error(config_member(at, "read_timeout"), "must be at least one batch (%s ms)",
                        config_number_text(rates->batch_ns / 1e6, text));
}

static bool check_rates(struct config_at at, void *out)
{
    struct config_rates *rates = out;
    char text[CONFIG_NUMBER_TEXT];
    if (rates->sample_rate_hz > RATE_MAX_HZ)
        return config_error(config_member(at, "sample_rate"), "must be at most %s Hz",
                            config_number_text(RATE_MAX_HZ, text));
    if (!settle_stream_rate(at, rates))
        return false;
    config_rates_derive(rates);
    if (rates->batch_ns > BATCH_MAX_NS)
        return config_error(config_member(at, "sample_rate"),
                            "is too low: a batch would take more than 31 years");
    int64_t per_second = (int64_t)ceil(rates->sample_rate_hz);
    if (rates->skew_warn_on_count == 0)
        rates->skew_warn_on_count = per_second;
    if (rates->backlog_warn_on_count == 0)
        rates->backlog_warn_on_count = 2 * per_second;
    return config_rates_check_batch(at, rates, 1) && settle_timeout(at, rates);
}

bool config_rates_check_batch(struct config_at at, const struct config_rates *rates,
                              uint32_t n_channels)
{
    if ((double)rates->n_samples * n_channels * 8 <= CONFIG_BATCH_MAX)
        return true;
    return config_error(config_member(at, "stream_rate"),
                        "batch of %" PRIu32 " samples × %" PRIu32
                        " channels is too large; raise stream_rate",
                        rates->n_samples, n_channels);
}

static const struct config_choice timings[] = {
    {"hardware", CONFIG_TIMING_HARDWARE}, {"software", CONFIG_TIMING_SOFTWARE}, {0}};

#define RATES_IN(member) CONFIG_IN(struct config_rates, member)

static const struct config_field rates_fields[] = {
    {"sample_rate", CONFIG_NUM, RATES_IN(sample_rate_hz), .required = true,
     .limits = CONFIG_ABOVE(0), .unit = "Hz",
     .doc = "Samples a second of every channel; the device may set narrower limits."},
    {"stream_rate", CONFIG_NUM, RATES_IN(stream_rate_hz), .otherwise = "`sample_rate`",
     .limits = CONFIG_ABOVE(0), .unit = "Hz",
     .doc = "Batches a second; at most sample_rate (a larger one from `defaults` counts as "
            "sample_rate). A batch has floor(sample_rate / stream_rate) samples of each channel. "
            "An automation that reads the channel runs once a batch, so raise it for control "
            "loops; below 50 Hz leave it out."},
    {"skew_warn_on_count", CONFIG_INT, RATES_IN(skew_warn_on_count), .otherwise = "one second",
     .limits = CONFIG_FROM(1), .unit = "samples",
     .doc = "Warn when this many samples wait behind the hardware."},
    {"backlog_warn_on_count", CONFIG_INT, RATES_IN(backlog_warn_on_count),
     .otherwise = "two seconds", .limits = CONFIG_FROM(1), .unit = "samples",
     .doc = "Warn when this many samples wait in the device, where it says so."},
    {"queue", CONFIG_INT, RATES_IN(queue), .fallback = "8", .limits = CONFIG_FROM_TO(2, 1024),
     .unit = "batches", .doc = "Batches that may wait for a slow consumer before it loses some."},
    {"read_timeout", CONFIG_DURATION, RATES_IN(read_timeout_ns), .limits = CONFIG_ABOVE(0),
     .otherwise = "2 s, or 5 batches if longer",
     .doc = "Longest wait for a batch, at least one batch long; then it is a temporary error."},
    {"timing", CONFIG_ENUM, RATES_IN(timing),
     .given = CONFIG_GIVEN(struct config_rates, has_timing), .choices = timings,
     .otherwise = "the type's own",
     .doc = "Who keeps the sample clock: the device, or a thread of the Driver."},
    {"keep_tare", CONFIG_BOOL, RATES_IN(keep_tare), .fallback = "false",
     .doc = "Keep tare values over a reconfiguration and a restart of the Driver."},
};

const struct config_table config_rates_table =
    CONFIG_TABLE("Read tasks", struct config_rates, rates_fields, .check = check_rates);

#define READ_IN(member) CONFIG_IN(struct config_read_channel, member)

static const struct config_field read_channel_fields[] = {
    {"type", CONFIG_STR, READ_IN(type), .own = true, .required = true,
     .doc = "What is read; the other fields depend on it."},
    {"channel", CONFIG_STR, READ_IN(channel), .own = true, .required = true, .min_len = 1,
     .doc = "Channel of driver.json that gets the samples."},
    {"enabled", CONFIG_BOOL, READ_IN(enabled), .own = true, .fallback = "true",
     .doc = "false: checked, but not read."},
    {"device", CONFIG_STR, READ_IN(device), .own = true, .min_len = 1,
     .otherwise = "the task's `device`", .doc = "For types that read from several devices."},
    {"scale", CONFIG_CUSTOM, READ_IN(scale), .own = true, .read = config_read_scales,
     .shape = "object or array",
     .doc = "How the device's value becomes the channel's; several apply from left to right: "
            "[Scales](#scales)."},
};

const struct config_table config_read_channel_table =
    CONFIG_TABLE("Channels of read tasks", struct config_read_channel, read_channel_fields);

/* ---- Write tasks */

#define WRITE_IN(member) CONFIG_IN(struct config_write, member)

static const struct config_field write_fields[] = {
    {"state_rate", CONFIG_NUM, WRITE_IN(state_rate_hz), .fallback = "10",
     .limits = CONFIG_ABOVE_TO(0, 1e6), .unit = "Hz",
     .doc = "Lowest rate at which the state of the outputs is published; changes are published "
            "at once."},
    {"write_timeout", CONFIG_DURATION, WRITE_IN(write_timeout_ns), .fallback = "1s",
     .limits = CONFIG_FROM_TO(0.001, 3600), .doc = "Longest time that one write may take."},
};

const struct config_table config_write_table =
    CONFIG_TABLE("Write tasks", struct config_write, write_fields);

/* A value that only driver.json's `defaults` ask for bends where the channel has no safe value. */
static bool settle_action(struct config_at at, const char *name, bool has_safe_value,
                          enum config_output *action)
{
    if (*action != CONFIG_OUTPUT_SAFE || has_safe_value)
        return true;
    *action = CONFIG_OUTPUT_KEEP;
    return !config_has(at, name) ||
           config_error(config_member(at, name), "%s 'safe' needs safe_value", name);
}

static bool settle_cmd_timeout(struct config_at at, struct config_write_channel *channel)
{
    if (channel->cmd_timeout_ns == 0 || channel->has_safe_value)
        return true;
    channel->cmd_timeout_ns = 0;
    return !config_has(at, "cmd_timeout") ||
           config_error(config_member(at, "cmd_timeout"), "needs safe_value");
}

static bool check_range(struct config_at at, struct config_write_channel *channel)
{
    if (!channel->has_min)
        channel->min = -INFINITY;
    if (!channel->has_max)
        channel->max = INFINITY;
    if (!(channel->min < channel->max))
        return config_error(at, "min must be less than max");
    bool inside = channel->safe_value >= channel->min && channel->safe_value <= channel->max;
    if (!channel->has_safe_value || inside)
        return true;
    char min[CONFIG_NUMBER_TEXT], max[CONFIG_NUMBER_TEXT];
    return config_error(config_member(at, "safe_value"), "must be from %s to %s",
                        config_number_text(channel->min, min),
                        config_number_text(channel->max, max));
}

static bool check_write_channel(struct config_at at, void *out)
{
    struct config_write_channel *channel = out;
    bool safe = channel->has_safe_value;
    if (channel->on_stop == CONFIG_OUTPUT_UNSAID)
        channel->on_stop = safe ? CONFIG_OUTPUT_SAFE : CONFIG_OUTPUT_KEEP;
    bool ok = settle_action(at, "on_start", safe, &channel->on_start);
    ok = settle_action(at, "on_stop", safe, &channel->on_stop) && ok;
    if (channel->on_fault == CONFIG_OUTPUT_UNSAID)
        channel->on_fault = channel->on_stop;
    ok = settle_action(at, "on_fault", safe, &channel->on_fault) && ok;
    ok = settle_cmd_timeout(at, channel) && ok;
    if (channel->state_channel != NULL && strcmp(channel->state_channel, channel->cmd_channel) == 0)
        ok = config_error(config_member(at, "state_channel"),
                          "cmd_channel and state_channel must differ");
    return check_range(at, channel) && ok;
}

static const struct config_choice starts[] = {
    {"keep", CONFIG_OUTPUT_KEEP}, {"safe", CONFIG_OUTPUT_SAFE}, {"last", CONFIG_OUTPUT_LAST}, {0}};
static const struct config_choice stops[] = {
    {"keep", CONFIG_OUTPUT_KEEP}, {"safe", CONFIG_OUTPUT_SAFE}, {0}};

#define OUT_IN(member) CONFIG_IN(struct config_write_channel, member)
#define OUT_GIVEN(member) .given = CONFIG_GIVEN(struct config_write_channel, member)

static const struct config_field write_channel_fields[] = {
    {"type", CONFIG_STR, OUT_IN(type), .own = true, .required = true,
     .doc = "What is written; the other fields depend on it."},
    {"cmd_channel", CONFIG_STR, OUT_IN(cmd_channel), .own = true, .required = true, .min_len = 1,
     .alias = "channel", .doc = "Channel of driver.json whose newest sample is the command."},
    {"state_channel", CONFIG_STR, OUT_IN(state_channel), .own = true, .min_len = 1,
     .doc = "Channel that gets the value as it was put out; it needs an index, or is virtual."},
    {"enabled", CONFIG_BOOL, OUT_IN(enabled), .own = true, .fallback = "true",
     .doc = "false: checked, but not written."},
    {"device", CONFIG_STR, OUT_IN(device), .own = true, .min_len = 1,
     .otherwise = "the task's `device`", .doc = "For types that write to several devices."},
    {"safe_value", CONFIG_NUM, OUT_IN(safe_value), OUT_GIVEN(has_safe_value), .own = true,
     .doc = "Value that makes the output safe, in physical units, from min to max."},
    {"on_start", CONFIG_ENUM, OUT_IN(on_start), .fallback = "keep", .choices = starts,
     .doc = "What is written when the task starts: nothing, safe_value, or the last value of the "
            "run before."},
    {"on_stop", CONFIG_ENUM, OUT_IN(on_stop), .choices = stops,
     .otherwise = "`\"safe\"` with a safe_value, else `\"keep\"`",
     .doc = "What is written when the task stops."},
    {"on_fault", CONFIG_ENUM, OUT_IN(on_fault), .choices = stops, .otherwise = "as `on_stop`",
     .doc = "What is written after a critical error, when the automation that held the channel "
            "stops with an error, and when the link to its writer is lost."},
    {"cmd_timeout", CONFIG_DURATION, OUT_IN(cmd_timeout_ns), .limits = CONFIG_ABOVE(0),
     .doc = "Without a command for that long, safe_value is written once."},
    {"min", CONFIG_NUM, OUT_IN(min), OUT_GIVEN(has_min), .own = true,
     .doc = "Smaller commands are raised to it."},
    {"max", CONFIG_NUM, OUT_IN(max), OUT_GIVEN(has_max), .own = true,
     .doc = "Larger commands are lowered to it."},
    {"rate_limit", CONFIG_NUM, OUT_IN(rate_limit_per_s), .own = true, .limits = CONFIG_ABOVE(0),
     .unit = "1/s", .doc = "Fastest change of the output, stepped at state_rate."},
    {"scale", CONFIG_CUSTOM, OUT_IN(scale), .own = true, .read = config_read_inverse_scales,
     .shape = "object or array",
     .doc = "How the device's value becomes the physical one; applied backwards to commands: "
            "[Scales](#scales)."},
};

const struct config_table config_write_channel_table =
    CONFIG_TABLE("Channels of write tasks", struct config_write_channel, write_channel_fields,
                 .check = check_write_channel);
