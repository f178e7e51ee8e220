/* hw/sim/sim_priv.h - device and task of the simulated backend, for this folder.
 *
 * sim_driver.c: the tables, devices. sim_task.c: tasks are checked and built. sim_loop.c: tasks
 * run.
 */
#ifndef HW_SIM_SIM_PRIV_H
#define HW_SIM_SIM_PRIV_H

#include "base/doorbell.h"
#include "hw/sim/sim.h"
#include "hw/sim/sim_config.h"
#include "hw/sim/sim_world.h"

struct sim_counters {
    _Atomic int64_t reads, writes, samples, lost, errors;
};

struct hw_device {
    struct base_arena arena; /* also of latches, which tasks bring */
    const struct hw_env *env;
    const char *name;
    struct sim_device_config config;
    struct sim_faults faults;
    int64_t open_mono_ns;
    _Atomic int64_t virtual_ns;
    struct sim_world world;
    struct hw_task *running; /* tasks between start and stop, under the world's lock */
    struct sim_counters counters;
};

/* What one channel of a task is connected to. */
struct sim_channel {
    const struct sim_gen *gen; /* signals and inline generators; NULL: a variable of the world */
    const double *var;         /* read: the variable */
    uint32_t column;           /* read: its column in the sample buffer */
    double noise;              /* read: deviation of the sensor */
    int input;                 /* write: input of the plant, -1: a latch */
    double *latch;             /* write */
    uint64_t hash;             /* of the channel's name */
    uint64_t faults;           /* those that concern it */
    struct sim_read_channel config;
    struct sim_stuck stuck;
};

struct hw_task {
    struct base_arena arena;
    struct hw_device *device;
    struct hw_task *next_running;
    enum hw_timing timing;
    double sample_rate_hz;
    uint32_t n_batch;
    int64_t latency_ns, ack_delay_ns;
    struct hw_task_info info;
    struct hw_channel *channels;
    struct sim_channel *sim;
    struct base_clock clock; /* with the steps of clock_step faults */

    _Atomic bool interrupted;
    struct base_doorbell bell;

    /* The loop's own. */
    struct sim_acq acq;
    uint64_t next_i; /* sample number that the next read should start with */
    uint64_t n_reads;
    uint64_t *index; /* of one batch, copied out of the buffer */
    int64_t *t_ns;
};

enum arcd_err sim_task_new(struct hw_device *device, const struct hw_task_config *config,
                           struct hw_task **task, const struct hw_task_info **info,
                           struct arcd_errinfo *why);
void sim_task_free(struct hw_task *task);

extern const struct hw_loop_ops sim_loop_ops;

#endif
