/* tasks/task.h - a task: what it is told, what it says, how it is built.
 *
 * Life cycle: read_new | write_new -> task_start -> [tare, safe, ...] -> task_stop -> (start again)
 * -> task_free. States: configured -> starting -> running -> stopping -> configured, and faulted
 * after an error, from where it can be started again.
 *
 * Threads: commands of one task come one at a time, from normal threads (a lock sees to it; stop is
 * heard while another command waits). Status, counters and figures: any thread, at any time between
 * new and free, without making the task wait. poll: one thread, about once a second.
 *
 * Ownership: the configuration that new reads is copied; bus, clock, device and the backend's
 * tables must outlive the task. Commands answer in `why` with the sentence that the user reads.
 */
#ifndef TASKS_TASK_H
#define TASKS_TASK_H

#include "base/rt.h"
#include "config/task.h"
#include "hw/hw.h"
#include "tasks/stamp.h"
#include "tasks/status.h"
#include "telem/bus.h"

struct tasks_task;

/* What all tasks of a Driver share. */
struct tasks_env {
    struct telem_bus *bus;
    const struct base_clock *clock;
    struct base_doorbell *status_bell; /* of the thread that takes statuses; may be NULL */
    const char *state_dir; /* kept tares and last outputs; "" or NULL: nothing is kept */
    struct tasks_skew skew;
    double retry_jitter; /* a fraction; 0.05 */
};

struct tasks_read_config {
    const struct config_task *task;
    const struct config_rates *rates;
    const struct config_read_channel *channels; /* enabled ones, as many as hw->n_channels */
    const struct hw_driver *driver;
    struct hw_device *device;
    const struct hw_task_config *hw; /* what the backend's task_new gets */
};

struct tasks_write_config {
    const struct config_task *task;
    const struct config_write *write;
    const struct config_write_channel *channels;
    const struct hw_driver *driver;
    struct hw_device *device;
    const struct hw_task_config *hw;
};

/* Checks what the tables of the configuration could not (channels, types, duplicates, inverses),
 * has the backend check the rest, and sizes everything. Problems are reported through
 * config_error(); CONFIG after any, or with the reason in `why`. */
ARCD_MUST_CHECK enum arcd_err tasks_read_new(const struct tasks_env *env,
                                             const struct tasks_read_config *config,
                                             struct tasks_task **task, struct arcd_errinfo *why);
ARCD_MUST_CHECK enum arcd_err tasks_write_new(const struct tasks_env *env,
                                              const struct tasks_write_config *config,
                                              struct tasks_task **task, struct arcd_errinfo *why);

/* Stops it first. NULL is allowed. */
void tasks_task_free(struct tasks_task *task);

/* ---- Commands */

/* Returns when the hardware runs, when the first attempt failed for a while (the task is then
 * running, retries, and says so), or when it failed for good. A running task is stopped first.
 * TIMEOUT: the backend has not returned; the task is still starting. */
ARCD_MUST_CHECK enum arcd_err tasks_task_start(struct tasks_task *task, struct arcd_errinfo *why);

/* Outputs get their on_stop values, the hardware is released, the thread is gone. Stopping a
 * stopped task succeeds. Within two batches, or about 1 s with a device that does not answer.
 * DEVICE: stopped, but some output may not have its on_stop value. TIMEOUT: the backend hangs; call
 * again. */
ARCD_MUST_CHECK enum arcd_err tasks_task_stop(struct tasks_task *task, struct arcd_errinfo *why);

/* Read tasks: the mean of the next batch becomes the zero of these channels (n 0: of all numeric
 * ones), or stops being it. Returns once it is in force. *n_done: how many channels. STATE: not
 * running; NOTFOUND: not a channel of the task; UNSUPPORTED: a write task. */
ARCD_MUST_CHECK enum arcd_err tasks_task_tare(struct tasks_task *task, const char *const *channels,
                                              uint32_t n, bool clear, uint32_t *n_done,
                                              struct arcd_errinfo *why);

/* Write tasks: every output that has a safe value gets it. Returns once they are out. */
ARCD_MUST_CHECK enum arcd_err tasks_task_safe(struct tasks_task *task, struct arcd_errinfo *why);

/* Write tasks: whoever commanded these channels (by cmd_channel) failed or was lost; those outputs
 * of the task get their on_fault value. Does not wait, any thread; other channels are ignored. */
void tasks_task_holder_failed(struct tasks_task *task, const struct telem_key *channels,
                              uint32_t n);

/* Writes what must outlive the Driver when it changed, and cleans up behind a task that ended by
 * itself. Never waits for the task. False with the reason in `why` when a file could not be
 * written.
 */
bool tasks_task_poll(struct tasks_task *task, struct arcd_errinfo *why);

/* ---- What it is */

struct tasks_figures {
    enum hw_direction direction;
    enum hw_timing timing;
    double sample_rate_hz; /* reads: what the device really gives */
    double stream_rate_hz; /* reads: batches a second; writes: state_rate */
    uint32_t n_channels;
    uint32_t n_samples; /* reads: per channel and batch */
    struct base_rt_request rt_asked;
    struct base_rt_got rt_got; /* of the last start */
};

const char *tasks_task_name(const struct tasks_task *task);
enum tasks_state tasks_task_state(const struct tasks_task *task);
struct tasks_board *tasks_task_board(struct tasks_task *task);
void tasks_task_figures(struct tasks_task *task, struct tasks_figures *figures);
const struct hw_channel *tasks_task_channels(const struct tasks_task *task, uint32_t *n);

/* The lines of the backend for `arcd check -v`. */
void tasks_task_describe(const struct tasks_task *task, FILE *out);

/* Read tasks: the tare of channel i in force, 0 without one. */
double tasks_task_tare_of(const struct tasks_task *task, uint32_t i);

#endif
