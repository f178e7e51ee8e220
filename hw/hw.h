/* hw/hw.h - what a backend offers: one table of functions for set-up, one for the loop.
 *
 * A backend talks to devices and nothing else. Threads, clocks, batching at the stream rate,
 * timestamps, scaling, tare, retry and back-off, status: all of that is in tasks/, once.
 *
 * Life cycle, backend, once a Driver: backend_new -> [device ...] -> backend_free.
 * Life cycle, device: device_open -> [task ...] -> device_close.
 * Life cycle, task:   task_new (checks the configuration, may ask the device) -> task_start -> read
 * ... | write ... -> task_stop -> (start again) -> task_free.
 *
 * Threads: the set-up table is called from normal threads, one call at a time for one device; only
 * probe(), counters(), trace() and trace_next() may run beside the others (one of them at a time
 * for one device), and beside the loops of the device's tasks. The loop table is called from the
 * one thread that runs the task, between task_start and task_stop; only interrupt() may come from
 * any thread. Loop functions may block in the device, at most until the deadline that they are
 * given; they do not allocate. Ownership: what task_new returns belongs to the backend until
 * task_free. Several tasks may use one device at once when the backend's devices are shareable; it
 * then serialises them itself.
 *
 * Values: a task has n channels in the order of its configuration, disabled ones left out. A read
 * fills a channel-major matrix of 8-byte values, one row a channel; each channel says what its
 * values are (hw_value), so that 64-bit integers stay exact. Values are what the device or its
 * library gives; the conversion chain comes after.
 */
#ifndef HW_HW_H
#define HW_HW_H

#include "base/clock.h"
#include "base/err.h"
#include "config/reader.h"
#include "telem/chan.h"

#include <stdio.h>

enum hw_direction { HW_READ, HW_WRITE };
enum hw_timing { HW_SOFTWARE, HW_HARDWARE };
enum hw_value { HW_F64, HW_I64, HW_U64, HW_STR };

/* What the pipeline does with a failed call. */
enum hw_class {
    HW_NOMINAL,   /* success, or ended because it was interrupted */
    HW_TEMPORARY, /* warn, back off, try the same again; the task stays running */
    HW_RESTART,   /* stop and start the hardware task at once; again within 10 s counts as temporary
                   */
    HW_CRITICAL,  /* stop the task, outputs to their fault values */
    HW_CONFIG,    /* the task cannot be configured like this */
};

struct hw_error {
    enum hw_class cls;
    int64_t code;     /* the library's own number, 0 without one */
    uint32_t channel; /* which channel of the task, UINT32_MAX when not one of them */
    /* More than 0: the device paces its retries itself (a lost link, a unit that is probed slowly):
     * the next try comes after this wait, for ever, without counting against the task's
     * max_retries. 0: the task's own back-off. */
    int64_t delay_ns;
    char text[320]; /* finished sentence; with a place: "tank_temp (plc unit 1, holding 100): ...
                       [-3]" */
};

/* One str value. `bytes` is the backend's own buffer, valid until the next read. */
struct hw_str {
    const char *bytes;
    uint32_t len;
};

/* What a read asks for and what it got. The task owns it and the memory behind `values`. */
struct hw_read {
    uint32_t n_want;            /* samples per channel; software timing: always 1 */
    int64_t deadline_mono_ns;   /* give up then (HW_TEMPORARY, "no data from ... in ... s") */
    union telem_value **values; /* values[channel][sample], room for n_want */
    struct hw_str *strs;        /* strs[channel], str channels, software timing only */
    /* out: samples per channel; fewer than wanted before a loss. Software timing: 0 when this pass
     * gave nothing, without being an error. */
    uint32_t n_got;
    int64_t skew_samples; /* out: acquired minus read, per channel; hardware timing */
    int64_t lost_samples; /* out: lost right before this read, -1 when unknown: the index jumps */
    uint8_t
        *valid; /* out: valid[channel] 0 = no sample published for it this time ("no value" code) */
    int64_t backlog_samples; /* out: unread in the device, 0 when it does not say */
    char warning[200];       /* out: "" or a sentence; the same one is published once per start */
};

/* What a write asks for. values[channel] only where changed[channel] is not 0. */
struct hw_write {
    const union telem_value *values; /* in each channel's hw_value */
    const struct hw_str *strs;
    const uint8_t *changed;
    int64_t deadline_mono_ns;
    uint8_t *done;     /* out: 1 where the device has taken the value */
    char warning[200]; /* out: "" or a sentence: a value that was refused and skipped, a read-back
                          that differs. The call itself may still be nominal. */
};

/* What task_new learned about one channel. */
struct hw_channel {
    const char *name;     /* Arc channel: `channel` of a read, `cmd_channel` of a write */
    const char *location; /* for messages: "cDAQ1Mod1/ai0", "plc unit 1 holding 100"; the backend's
                             memory */
    enum hw_value value;
    uint32_t str_bytes; /* HW_STR: longest value */
    bool has_readback;  /* write: the first state can be read from the device */
};

struct hw_task_info {
    enum hw_timing timing;
    uint32_t n_channels;
    const struct hw_channel *channels;
    double actual_rate_hz;           /* hardware timing: the rate that the device really gives */
    double min_rate_hz, max_rate_hz; /* 0: no limit known */
    /* Write tasks: write() wants to be called at least this often between start and stop, with
     * nothing changed when there is no command (values that are repeated for a watchdog, values
     * that are sent again after a reconnect). 0: no. */
    int64_t tick_ns;
    /* The clock that this task must use instead of env->clock; NULL: env's. Only a simulated device
     * has one: it steps the wall clock on purpose. */
    const struct base_clock *clock;
};

struct hw_backend; /* the backend's own */
struct hw_device;
struct hw_task;

/* Everything that a backend may need from its surroundings. Lives as long as the device. */
struct hw_env {
    const struct base_clock *clock;
    const char *state_dir;  /* "" when there is none */
    const char *config_dir; /* relative files of the configuration are below it */
    void (*log)(void *ctx, int level,
                const char *text); /* not from loop functions; levels of base/log.h */
    void *log_ctx;
};

/* One channel element of a task's configuration as the task layer hands it over: the common fields
 * are checked and read; `at` still gives access to the element for the backend's own fields
 * (config_read_parts has read both). */
struct hw_channel_config {
    const char *type;          /* the variant: "coil_input" */
    const char *channel;       /* `channel` or `cmd_channel` */
    enum telem_type chan_type; /* declared type of that channel */
    void *fields;              /* the struct that the variant's table describes, filled */
    struct config_at at;       /* for config_error(); valid during task_new only */
};

struct hw_task_config {
    const char *name;
    const char *type; /* "modbus_read" */
    enum hw_direction direction;
    double sample_rate_hz;      /* reads */
    uint32_t samples_per_batch; /* N, reads */
    enum hw_timing timing;      /* asked for; the backend's default when not given */
    bool timing_given;
    const char *unit;      /* "boiler" of `"device": "gateway/boiler"`; "" when there is no slash */
    int64_t io_timeout_ns; /* read_timeout or write_timeout */
    void *fields;          /* the struct that the task type's table describes; copied as needed */
    struct config_at at;   /* valid during task_new only */
    uint32_t n_channels;
    const struct hw_channel_config *channels;
};

/* A device found by a scan. All texts belong to the caller of `found` for the time of the call. */
struct hw_found {
    const char *key, *name, *make, *model, *serial, *location, *parent;
    bool simulated;
    const char *properties_json; /* an object, "" when there is nothing to say */
};

/* One figure that a device keeps about itself since it was opened. */
struct hw_counter {
    char name[32]; /* "requests", "exceptions_2", "reply_max_us" */
    int64_t value;
};

struct hw_setup_ops {
    /* What the devices of one Driver share: links that two devices use, a library that was loaded.
     * `env` lives until backend_free. May be NULL, both or neither. */
    enum arcd_err (*backend_new)(const struct hw_env *env, struct hw_backend **backend,
                                 struct arcd_errinfo *why);
    void (*backend_free)(struct hw_backend *backend);

    /* `fields`: the struct that driver->device_table describes, filled; copied as needed. Never
     * waits for a device that is not there: opening it for real may be left to task_start. */
    enum arcd_err (*device_open)(struct hw_backend *backend, const struct hw_env *env,
                                 const char *name, const void *fields, struct config_at at,
                                 struct hw_device **device, struct arcd_errinfo *why);
    void (*device_close)(struct hw_device *device);

    /* Checks the whole configuration, reporting every problem through config_error();
     * ARCD_ERR_CONFIG after any. Sizes every buffer. *info lives as long as the task. */
    enum arcd_err (*task_new)(struct hw_device *device, const struct hw_task_config *config,
                              struct hw_task **task, const struct hw_task_info **info,
                              struct arcd_errinfo *why);
    void (*task_free)(struct hw_task *task);

    /* Lines for `arcd check -v`: request plans and the like, each ended by a newline. May be NULL.
     */
    void (*describe)(const struct hw_task *task, FILE *out);

    /* One discovery; calls `found` for every device. `query`: where to look, in the backend's own
     * words ("plc.local:502 1-20"); "" for what can be found without being told. May be NULL. */
    enum arcd_err (*scan)(struct hw_backend *backend, const struct hw_env *env, const char *query,
                          void (*found)(void *ctx, const struct hw_found *device), void *ctx,
                          struct arcd_errinfo *why);

    /* Is the device there? Asks it, or judges from the traffic of its running tasks. HW_NOMINAL:
     * yes. `unit` as in hw_task_config. Returns by the deadline. May be NULL: devices that only a
     * scan sees. */
    enum hw_class (*probe)(struct hw_device *device, const char *unit, int64_t deadline_mono_ns,
                           struct hw_error *error);

    /* Up to `n` figures, returns how many. May be NULL. */
    uint32_t (*counters)(struct hw_device *device, struct hw_counter *counters, uint32_t n);

    /* Wire trace: while it is on the device keeps its last frames, without a system call or a wait
     * in the loops; trace_next() hands out one line after the other, oldest first, and returns
     * false when there is none. May be NULL, both or neither. */
    void (*trace)(struct hw_device *device, bool on);
    bool (*trace_next)(struct hw_device *device, char *line, size_t size_bytes);
};

/* All fill *error when they do not return HW_NOMINAL. HW_NOMINAL with n_got 0 or nothing done is
 * what an interrupted call gives. */
struct hw_loop_ops {
    /* Reserves and starts the hardware; called again after a stop. */
    enum hw_class (*start)(struct hw_task *task, int64_t deadline_mono_ns, struct hw_error *error);
    enum hw_class (*read)(struct hw_task *task, struct hw_read *read, struct hw_error *error);
    enum hw_class (*write)(struct hw_task *task, struct hw_write *write, struct hw_error *error);
    /* Write tasks with has_readback: the values that the outputs have now. May be NULL. */
    enum hw_class (*readback)(struct hw_task *task, union telem_value *values, uint8_t *valid,
                              struct hw_error *error);
    /* Releases the hardware; always succeeds as far as the task is concerned. */
    void (*stop)(struct hw_task *task);
    /* From any thread: a blocked loop call returns HW_NOMINAL within 100 ms, and so does every
     * later one until start. */
    void (*interrupt)(struct hw_task *task);
};

struct hw_task_type {
    const char *name; /* "modbus_read" */
    enum hw_direction direction;
    enum hw_timing default_timing;
    bool has_hardware_timing, has_software_timing;
    const struct config_table *task_table;          /* the type's own fields; may be NULL */
    const struct config_variants *channel_variants; /* by `type` of a channel element */
};

struct hw_driver {
    const char *name;  /* "modbus" */
    const char *title; /* for the generated reference */
    bool shareable;    /* several tasks may use one device at once */
    const struct config_table *device_table;
    const struct hw_task_type *task_types;
    uint32_t n_task_types;
    const struct hw_setup_ops *setup;
    const struct hw_loop_ops *loop;
    const char *(*version)(void); /* of the library behind it, or NULL */
};

#endif
