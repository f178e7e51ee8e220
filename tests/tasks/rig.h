/* tests/tasks/rig.h - a bus, a scripted device and one task on it.
 *
 * Life cycle: rig_open -> rig_channel ... -> [change .rates, .write, .outputs] -> rig_read |
 * rig_write -> rig_begin -> rig_step | rig_run ... -> rig_close.
 * Steps are made on the test's thread with the fake clock; tests of threads call tasks_task_start()
 * instead and open the rig with the machine's clock.
 */
#ifndef TESTS_TASKS_RIG_H
#define TESTS_TASKS_RIG_H

#include "tasks/status_text.h"
#include "tasks/task_priv.h"
#include "tests/support/scripted_hw.h"
#include "tests/support/test.h"

struct rig {
    struct fake_clock time;
    struct base_arena arena;
    struct config_errors errors;
    struct config_doc doc;
    struct telem_chans *chans;
    struct telem_bus *bus;
    struct scripted_hw hw;
    struct tasks_env env;
    struct config_task task_config;
    struct config_rates rates;
    struct config_write write;
    struct config_read_channel inputs[SCRIPTED_CHANNELS];
    struct config_write_channel outputs[SCRIPTED_CHANNELS];
    struct hw_channel_config elements[SCRIPTED_CHANNELS];
    struct hw_task_config hw_config;
    uint32_t n;
    struct telem_key time_key;
    struct telem_sub *sub;
    struct telem_pub *commands;
    struct tasks_task *task;
    struct arcd_errinfo why;
};

/* rate_hz: of the samples; the stream rate is the same until rig_rates(). Real: the machine's clock
 * and a device whose calls take no time of their own. */
struct rig *rig_open(enum hw_timing timing, double rate_hz);
struct rig *rig_open_real(enum hw_timing timing, double rate_hz);
void rig_close(struct rig *rig);

void rig_rates(struct rig *rig, double sample_rate_hz, double stream_rate_hz);

/* Declares a channel with the index "time". */
struct telem_key rig_declare(struct rig *rig, const char *name, enum telem_type type);

/* A channel of the task: the device's kind of value, the channel's type. Writes: `name` is the
 * command, and "<name>_state" the state. */
void rig_channel(struct rig *rig, const char *name, enum hw_value value, enum telem_type type);

/* Makes the task; the second returns the error instead of expecting none. */
void rig_read(struct rig *rig);
enum arcd_err rig_try_read(struct rig *rig);

void rig_write(struct rig *rig);
enum arcd_err rig_try_write(struct rig *rig);

/* Gives output i a state channel, "<name>_state". */
void rig_state(struct rig *rig, uint32_t i, enum telem_type type);

/* A writer of all commands of the rig, with authority 255. command: one sample of channel i;
 * commands: one batch with a sample for each of the first n channels. */
void rig_open_commands(struct rig *rig);
void rig_command(struct rig *rig, uint32_t i, double value);
void rig_commands(struct rig *rig, const double *values, uint32_t n);
void rig_command_text(struct rig *rig, uint32_t i, const char *text);

/* Subscribes to all channels that the task publishes ("time" last). */
void rig_listen(struct rig *rig);

/* A start without a thread, and steps: one, or all that are due until the clock has moved by s. */
void rig_begin(struct rig *rig);
int64_t rig_step(struct rig *rig);
int64_t rig_run(struct rig *rig, double s);
/* Ends the loop by a stop, in steps. */
void rig_finish(struct rig *rig);

double rig_now(const struct rig *rig); /* s since the rig was opened */

/* The next batch on the bus; fails the test when there is none. Release it. */
const struct telem_batch *rig_batch(struct rig *rig);
/* Column of a channel in a batch. */
uint32_t rig_col(const struct rig *rig, const struct telem_batch *batch, const char *name);
/* Samples of a channel in the next batch as "1 2 3", and their times in ms since the rig opened. */
const char *rig_samples(struct rig *rig, const char *name);
const char *rig_times(struct rig *rig, const char *name);

/* Messages of all statuses since the last call, joined by " | ". */
const char *rig_said(struct rig *rig);
/* The newest message. */
const char *rig_status(struct rig *rig);

/* The first message of the configuration's issues; "" without one. */
const char *rig_issue(struct rig *rig);

/* Waits until a condition holds, by looking again and again; fails the test after 60 s. */
void rig_wait(struct rig *rig, bool (*holds)(struct rig *rig));

#endif
