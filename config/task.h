/* config/task.h - the fields that tasks of every kind share, as tables.
 *
 * A task file is one object that several tables read together: the envelope (config_task_table),
 * for reads config_rates_table, for writes config_write_table, and the fields of the type. The same
 * holds for an element of `channels`: config_read_channel_table or config_write_channel_table, and
 * the fields of the channel's type. Life cycle:
 *     at = config_root(doc) -> config_task_read(at, arena, defaults, &task, parts, n)
 *     -> for each element: config_read_parts(element, arena, parts, n)
 * Fields of the envelope, the rates and the outputs that a task leaves out come from driver.json's
 * `defaults`: pass config_driver's cursor as `.defaults` of every part.
 */
#ifndef CONFIG_TASK_H
#define CONFIG_TASK_H

#include "config/scale.h"

/* ---- Every task */

struct config_retry {
    int64_t base_ns;     /* wait before the first retry */
    double scale;        /* factor from wait to wait, >= 1 */
    int64_t max_ns;      /* longest wait */
    int64_t max_retries; /* -1: for ever */
};

struct config_rt {
    bool has_priority;
    int priority; /* SCHED_FIFO; 0: a normal thread; without one: 45 for reads, 46 for writes */
    struct config_ints cpu; /* allowed cores; n 0: any */
};

struct config_task {
    const char *name; /* never NULL after config_task_read() */
    const char *type;
    const char *description; /* "" without one */
    const char *device;      /* NULL: none at the task, or none at all */
    bool enabled, auto_start, data_saving;
    struct config_retry retry;
    struct config_rt rt;
    uint32_t n_channels, n_enabled; /* elements of `channels`, and those not disabled */
};

extern const struct config_table config_retry_table;
extern const struct config_table config_rt_table;
extern const struct config_table config_task_table;

/* Reads the envelope and `parts` from one object. Without a `name` the task is called as its file,
 * "ai" for tasks/ai.json. Unknown fields are judged over all of it. */
bool config_task_read(struct config_at at, struct base_arena *arena, struct config_at defaults,
                      struct config_task *task, const struct config_part *parts, uint32_t n);

/* ---- Read tasks */

enum config_timing_kind { CONFIG_TIMING_SOFTWARE, CONFIG_TIMING_HARDWARE };

struct config_rates {
    double sample_rate_hz;
    double stream_rate_hz;                             /* as asked for; at most sample_rate_hz */
    int64_t skew_warn_on_count, backlog_warn_on_count; /* samples per channel */
    uint32_t queue;                                    /* batches */
    int64_t read_timeout_ns;
    bool has_timing;
    enum config_timing_kind timing;
    bool keep_tare;
    /* Derived: */
    uint32_t n_samples;         /* N: samples per channel of a batch */
    double batch_ns;            /* D = N / sample_rate */
    double effective_stream_hz; /* sample_rate / N */
};

enum { CONFIG_BATCH_MAX = 64 * 1024 * 1024 }; /* bytes of one batch, 8 for each value */

extern const struct config_table config_rates_table;

/* The three derived numbers, for a rate that the hardware gives instead of the one asked for. */
void config_rates_derive(struct config_rates *rates);

/* False after an error when a batch of that many channels would be larger than CONFIG_BATCH_MAX. */
bool config_rates_check_batch(struct config_at at, const struct config_rates *rates,
                              uint32_t n_channels);

/* An element of a read task's `channels`. */
struct config_read_channel {
    const char *type;    /* the variant */
    const char *channel; /* where the samples go */
    const char *device;  /* NULL: the task's */
    bool enabled;
    struct config_scales scale;
};

extern const struct config_table config_read_channel_table;

/* ---- Write tasks */

struct config_write {
    double state_rate_hz;
    int64_t write_timeout_ns;
};

extern const struct config_table config_write_table;

enum config_output {
    CONFIG_OUTPUT_UNSAID, /* only while reading; never in a result without errors */
    CONFIG_OUTPUT_KEEP,   /* leave the output alone */
    CONFIG_OUTPUT_SAFE,   /* write safe_value */
    CONFIG_OUTPUT_LAST,   /* write the last value of the run before (on_start only) */
};

/* An element of a write task's `channels`. */
struct config_write_channel {
    const char *type;
    const char *cmd_channel;
    const char *state_channel; /* NULL: none */
    const char *device;        /* NULL: the task's */
    bool enabled;
    bool has_safe_value;
    double safe_value; /* physical units */
    enum config_output on_start, on_stop, on_fault;
    int64_t cmd_timeout_ns; /* 0: none */
    bool has_min, has_max;
    double min, max;         /* -inf, +inf when not given */
    double rate_limit_per_s; /* 0: none */
    struct config_scales scale;
};

extern const struct config_table config_write_channel_table;

#endif
