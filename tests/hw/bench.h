/* tests/hw/bench.h - a backend on a test bench: devices and tasks from JSON text, as the task layer
 * makes them, with a clock that the test moves.
 *
 *     struct bench b;
 *     bench_init(&b, &hw_sim_driver);
 *     struct hw_device *device = bench_device(&b, "tank", "{...}");
 *     struct bench_task task;
 *     bench_task(&b, device, &task, "{\"type\": \"sim_read\", ...}");
 *     bench_start, bench_read ... | bench_write ..., bench_stop
 *     bench_task_free(&task);
 *     bench_device_close(&b, device);
 *     bench_fini(&b);
 */
#ifndef TESTS_HW_BENCH_H
#define TESTS_HW_BENCH_H

#include "hw/hw.h"
#include "tests/support/test.h"

#include <stdatomic.h>

/* Goes on by itself with every look at it, so that code which waits for it gets there. */
struct bench_clock {
    _Atomic int64_t mono_ns;
    _Atomic int64_t utc_ns;
    _Atomic int64_t look_ns; /* how far one look at mono moves both */
};

enum { BENCH_SAMPLES_MAX = 4096, BENCH_COMPLAINT_MAX = 4096 };

struct bench {
    const struct hw_driver *driver;
    struct bench_clock clock;
    struct base_clock base_clock;
    struct hw_env env;
    struct hw_backend *backend;
    struct base_arena arena;
    struct config_errors *errors;
    char *complaint; /* lines of the last configuration that was refused */
};

struct bench_task {
    struct bench *bench;
    struct hw_task *task;
    const struct hw_task_info *info;
    struct hw_read read;
    struct hw_write write;
    struct hw_error error;
    union telem_value **rows; /* rows[channel][sample] */
    struct hw_str *strs;
    uint8_t *valid, *changed, *done;
    union telem_value *values;
};

/* The clock stands at 1000 s and moves only as `look_ns` says; `system_clock`: the machine's. */
void bench_init(struct bench *bench, const struct hw_driver *driver);
void bench_init_system_clock(struct bench *bench, const struct hw_driver *driver);
void bench_fini(struct bench *bench);
void bench_advance(struct bench *bench, int64_t by_ns);

/* NULL when the configuration was refused: bench->complaint says why. */
struct hw_device *bench_try_device(struct bench *bench, const char *name, const char *json);
struct hw_device *bench_device(struct bench *bench, const char *name, const char *json);
void bench_device_close(struct bench *bench, struct hw_device *device);

/* The fields that the task layer reads: type, device ("dev/unit"), sample_rate, n (samples a batch,
 * 1), timing, timeout, channels[].type, channel, cmd_channel, chan_type (f64). */
bool bench_try_task(struct bench *bench, struct hw_device *device, struct bench_task *task,
                    const char *json);
void bench_task(struct bench *bench, struct hw_device *device, struct bench_task *task,
                const char *json);
void bench_task_free(struct bench_task *task);

void bench_start(struct bench_task *task); /* asserts that it is nominal */
void bench_stop(struct bench_task *task);

/* One read of n samples with `timeout_ns` from now. Values are in rows[]. */
enum hw_class bench_read(struct bench_task *task, uint32_t n, int64_t timeout_ns);

/* Writes those of values[] that are changed[]; clears changed[]. */
enum hw_class bench_write(struct bench_task *task, int64_t timeout_ns);
void bench_set(struct bench_task *task, uint32_t channel, double value);

/* The counter of that name, -1 when there is none. */
int64_t bench_counter(struct bench *bench, struct hw_device *device, const char *name);

#endif
