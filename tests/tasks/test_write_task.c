/* Write tasks, step by step with a clock of our own. */
#include "tasks/write_priv.h"
#include "tests/tasks/rig.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A valve (safe value 1) and a heater, both f64, both with a state. */
static struct rig *outputs(void)
{
    struct rig *rig = rig_open(HW_SOFTWARE, 10);
    rig_channel(rig, "valve", HW_F64, TELEM_F64);
    rig_channel(rig, "heater", HW_F64, TELEM_F64);
    rig_state(rig, 0, TELEM_F64);
    rig_state(rig, 1, TELEM_F64);
    rig->outputs[0].has_safe_value = true;
    rig->outputs[0].safe_value = 1;
    rig->outputs[0].on_stop = rig->outputs[0].on_fault = CONFIG_OUTPUT_SAFE;
    return rig;
}

static void go(struct rig *rig)
{
    rig_write(rig);
    rig_begin(rig);
    rig_step(rig); /* starts */
    rig_run(rig, 0);
    rig_said(rig);
}

static void forget_batches(struct rig *rig)
{
    for (const struct telem_batch *batch; (batch = telem_sub_next(rig->sub)) != NULL;)
        telem_batch_release(batch);
}

/* What the device was told since the last call. */
static const char *told(struct rig *rig)
{
    static char text[SCRIPTED_LOG];
    strcpy(text, rig->hw.log);
    rig->hw.log[0] = '\0';
    return text;
}

static struct scripted_answer temporary(const char *text)
{
    return (struct scripted_answer){.cls = HW_TEMPORARY, .text = text};
}

static struct write_task *write_of(struct rig *rig)
{
    return (struct write_task *)(void *)rig->task;
}

/* ---- Commands */

static void nothing_is_written_at_start_with_keep(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    go(rig);
    rig_run(rig, 1);
    assert_string_equal(told(rig), "start readback ");
    rig_close(rig);
}

static void the_channels_of_a_command_batch_go_out_in_one_call(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    go(rig);
    told(rig);
    rig_commands(rig, (const double[]){0.25, 7}, 2);
    rig_step(rig);
    assert_string_equal(told(rig), "write(0=0.25,1=7) ");
    rig_command(rig, 1, 8);
    rig_step(rig);
    assert_string_equal(told(rig), "write(1=8) ");
    assert_int_equal(rig->task->board.counters.writes, 2);
    rig_close(rig);
}

static void only_the_last_sample_of_a_batch_is_written(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    go(rig);
    told(rig);
    struct telem_batch *batch = telem_pub_borrow(rig->commands);
    for (int i = 0; i < 3; i++)
        assert_true(telem_batch_append(batch, 1, (union telem_value){.f64 = i}, i));
    telem_pub_publish(rig->commands, batch);
    rig_step(rig);
    assert_string_equal(told(rig), "write(1=2) ");
    rig_close(rig);
}

static void of_queued_commands_the_newest_is_written_and_the_others_counted(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    go(rig);
    told(rig);
    rig_command(rig, 0, 0.1);
    rig_command(rig, 1, 5);
    rig_command(rig, 0, 0.2);
    rig_step(rig);
    assert_string_equal(told(rig), "write(0=0.2,1=5) ");
    assert_int_equal(rig->task->board.counters.superseded, 1);
    rig_close(rig);
}

static void commands_are_clamped_and_each_excursion_is_said_once(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    rig->outputs[1].has_max = rig->outputs[1].has_min = true;
    rig->outputs[1].min = 0;
    rig->outputs[1].max = 80;
    go(rig);
    told(rig);
    const double commands[] = {90, 100, 50};
    for (size_t i = 0; i < ARCD_COUNT_OF(commands); i++) {
        rig_command(rig, 1, commands[i]);
        rig_step(rig);
    }
    assert_string_equal(told(rig), "write(1=80) write(1=80) write(1=50) ");
    assert_string_equal(rig_said(rig), "heater: 90 clamped to 80 | Task running");
    rig_close(rig);
}

static void not_a_number_is_ignored_with_a_warning(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    go(rig);
    told(rig);
    rig_commands(rig, (const double[]){NAN, 3}, 2);
    rig_step(rig);
    assert_string_equal(told(rig), "write(1=3) ");
    assert_string_equal(rig_said(rig), "valve: a command that is not a number was ignored");
    rig_close(rig);
}

static void the_inverse_scale_makes_the_device_value(void **state)
{
    (void)state;
    struct rig *rig = rig_open(HW_SOFTWARE, 10);
    rig_channel(rig, "flow", HW_U64, TELEM_F32);
    rig_state(rig, 0, TELEM_F32);
    struct config_scale scale = {
        .kind = CONFIG_SCALE_MAP, .pre_min = 0, .pre_max = 100, .scaled_min = 0, .scaled_max = 8};
    rig->outputs[0].scale = (struct config_scales){&scale, 1};
    go(rig);
    told(rig);
    forget_batches(rig);
    rig_command(rig, 0, 1.03);
    rig_step(rig);
    assert_string_equal(told(rig), "write(0=13) ");              /* 12.875 counts */
    assert_string_equal(rig_samples(rig, "flow_state"), "1.04"); /* as it was put out */
    rig_close(rig);
}

static void integers_of_64_bits_reach_device_and_state_exactly(void **state)
{
    (void)state;
    struct rig *rig = rig_open(HW_SOFTWARE, 10);
    rig_channel(rig, "serial", HW_U64, TELEM_U64);
    rig_state(rig, 0, TELEM_U64);
    go(rig);
    forget_batches(rig);
    struct telem_batch *batch = telem_pub_borrow(rig->commands);
    assert_true(telem_batch_append(batch, 0, (union telem_value){.u64 = UINT64_MAX - 2}, 1));
    telem_pub_publish(rig->commands, batch);
    rig_step(rig);
    assert_true(rig->hw.outputs[0].u64 == UINT64_MAX - 2);
    const struct telem_batch *out = rig_batch(rig);
    assert_true(*(const uint64_t *)telem_batch_col_const(out, 0) == UINT64_MAX - 2);
    telem_batch_release(out);
    rig_close(rig);
}

static void texts_are_written_and_those_too_long_ignored(void **state)
{
    (void)state;
    struct rig *rig = rig_open(HW_SOFTWARE, 10);
    rig_channel(rig, "label", HW_STR, TELEM_STR);
    go(rig);
    told(rig);
    rig_command_text(rig, 0, "lot 42");
    rig_step(rig);
    rig_command_text(rig, 0, "more than sixteen bytes");
    rig_step(rig);
    assert_string_equal(told(rig), "write(0=lot 42) ");
    assert_string_equal(rig_said(rig), "label: a text of 23 bytes is too long, ignored");
    rig_close(rig);
}

static void an_output_with_a_slew_limit_moves_by_steps_at_the_state_rate(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    rig->outputs[1].rate_limit_per_s = 10; /* 1 a step at 10 Hz */
    go(rig);
    told(rig);
    rig_command(rig, 1, 2.5);
    rig_step(rig);
    assert_string_equal(told(rig), "");
    rig_run(rig, 0.55);
    assert_string_equal(told(rig), "write(1=1) write(1=2) write(1=2.5) ");
    rig_command(rig, 1, -10);
    rig_run(rig, 0.2);
    assert_string_equal(told(rig), "write(1=1.5) write(1=0.5) ");
    rig_close(rig);
}

/* ---- State */

static void states_are_published_at_the_state_rate_with_one_stamp(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    rig->outputs[0].on_start = CONFIG_OUTPUT_KEEP;
    rig_write(rig);
    rig_begin(rig);
    rig_run(rig, 0.25);
    for (int i = 0; i < 3; i++) {
        const struct telem_batch *batch = rig_batch(rig);
        int64_t stamp = FAKE_CLOCK_UTC + INT64_C(100) * i * BASE_NS_PER_MS;
        for (uint32_t c = 0; c < batch->group->n_cols; c++) {
            assert_int_equal(batch->cols[c].n, 1);
            assert_int_equal(telem_batch_times_const(batch, c)[0], stamp);
        }
        /* Before the first write: the safe value, else 0. */
        assert_true(
            *(const double *)telem_batch_col_const(batch, rig_col(rig, batch, "valve_state")) == 1);
        assert_true(*(const double *)telem_batch_col_const(
                        batch, rig_col(rig, batch, "heater_state")) == 0);
        assert_int_equal(
            *(const int64_t *)telem_batch_col_const(batch, rig_col(rig, batch, "time")), stamp);
        telem_batch_release(batch);
    }
    assert_null(telem_sub_next(rig->sub));
    rig_close(rig);
}

static void a_change_is_published_at_once_and_alone(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    go(rig);
    forget_batches(rig);
    fake_clock_advance(&rig->time, 20 * BASE_NS_PER_MS);
    rig_command(rig, 1, 4);
    rig_step(rig);
    const struct telem_batch *batch = rig_batch(rig);
    assert_int_equal(batch->cols[rig_col(rig, batch, "valve_state")].n, 0);
    assert_int_equal(batch->cols[rig_col(rig, batch, "time")].n, 1);
    uint32_t c = rig_col(rig, batch, "heater_state");
    assert_int_equal(batch->cols[c].n, 1);
    assert_true(*(const double *)telem_batch_col_const(batch, c) == 4);
    telem_batch_release(batch);
    rig_close(rig);
}

static void the_first_state_is_what_the_device_has(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    rig->hw.channels[1].has_readback = true;
    rig->hw.outputs[1].f64 = 33;
    go(rig);
    assert_string_equal(rig_samples(rig, "heater_state"), "33");
    rig_close(rig);
}

static void a_failed_write_does_not_change_the_state(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    scripted_answers(&rig->hw, SCRIPTED_WRITE, 3, temporary("no answer"));
    go(rig);
    forget_batches(rig);
    rig_command(rig, 1, 9);
    rig_run(rig, 0.15);
    assert_string_equal(rig_samples(rig, "heater_state"), "0");
    assert_string_equal(rig_said(rig), "no answer; retry 1/50 in 1 s");
    rig_close(rig);
}

static void stamps_increase_though_the_clock_goes_back(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    go(rig);
    forget_batches(rig);
    rig->time.utc_ns -= BASE_NS_PER_S;
    rig_command(rig, 1, 4);
    rig_step(rig);
    const struct telem_batch *batch = rig_batch(rig);
    assert_int_equal(telem_batch_times_const(batch, rig_col(rig, batch, "heater_state"))[0],
                     FAKE_CLOCK_UTC + 1);
    telem_batch_release(batch);
    rig_close(rig);
}

static void a_refused_value_is_said_and_not_written_again(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    scripted_answer(&rig->hw, SCRIPTED_WRITE, (struct scripted_answer){.invalid = 2});
    scripted_answer(&rig->hw, SCRIPTED_WRITE,
                    (struct scripted_answer){.invalid = 2, .warning = "heater: illegal value"});
    go(rig);
    told(rig);
    forget_batches(rig);
    rig_commands(rig, (const double[]){0.5, 1e9}, 2);
    rig_run(rig, 0.05);
    assert_string_equal(told(rig), "write(0=0.5,1=1e+09) ");
    assert_string_equal(rig_said(rig), "heater: the device did not take 1e+09");
    const struct telem_batch *batch = rig_batch(rig);
    assert_int_equal(batch->cols[rig_col(rig, batch, "heater_state")].n, 0);
    telem_batch_release(batch);
    rig_command(rig, 1, 1e8);
    rig_step(rig);
    assert_string_equal(rig_said(rig), "heater: illegal value");
    rig_close(rig);
}

/* ---- Errors */

static void after_a_temporary_error_only_the_newest_value_is_written(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    scripted_answers(&rig->hw, SCRIPTED_WRITE, 2, temporary("no answer"));
    go(rig);
    told(rig);
    for (int i = 0; i < 20; i++) {
        rig_command(rig, 1, i);
        rig_run(rig, 0.1);
    }
    rig_run(rig, 1);
    /* Failed at 0 with 0, at 1 s with 9; taken at 2.1 s with the newest. */
    assert_string_equal(told(rig), "write(1=0) write(1=9) write(1=19) ");
    assert_string_equal(rig_said(rig), "no answer; retry 1/50 in 1 s | "
                                       "no answer; retry 2/50 in 1.1 s | Task running");
    assert_int_equal(rig->task->board.counters.superseded, 19);
    rig_close(rig);
}

static void values_that_were_taken_before_an_error_are_not_written_twice(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    go(rig);
    told(rig);
    rig_commands(rig, (const double[]){0.5, 2}, 2);
    rig_step(rig);
    /* As if the device had taken channel 0 only, then failed. */
    write_of(rig)->channels[1].is_dirty = true;
    rig_step(rig);
    assert_string_equal(told(rig), "write(0=0.5,1=2) write(1=2) ");
    rig_close(rig);
}

static void a_restart_of_the_hardware_keeps_the_pending_value(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    scripted_answer(&rig->hw, SCRIPTED_WRITE,
                    (struct scripted_answer){.cls = HW_RESTART, .text = "underflow"});
    go(rig);
    told(rig);
    rig_command(rig, 1, 6);
    rig_run(rig, 0.05);
    assert_string_equal(told(rig), "write(1=6) stop start write(1=6) ");
    rig_close(rig);
}

static void a_critical_error_puts_out_the_fault_values_and_ends(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    scripted_answer(&rig->hw, SCRIPTED_WRITE,
                    (struct scripted_answer){.cls = HW_CRITICAL, .text = "illegal address"});
    go(rig);
    told(rig);
    rig_command(rig, 1, 6);
    assert_true(rig_step(rig) == TASKS_STEP_END);
    assert_string_equal(told(rig), "write(1=6) write(0=1) stop ");
    assert_string_equal(rig_said(rig), "illegal address");
    assert_int_equal(tasks_task_state(rig->task), TASKS_FAULTED);
    assert_false(rig->task->not_safe);
    rig_close(rig);
}

static void fault_values_that_cannot_be_written_are_said(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    struct scripted_answer dead = {.cls = HW_CRITICAL, .text = "dead"};
    scripted_answers(&rig->hw, SCRIPTED_WRITE, 2, dead);
    go(rig);
    told(rig);
    rig_command(rig, 1, 6);
    assert_true(rig_step(rig) == TASKS_STEP_END);
    assert_string_equal(told(rig), "write(1=6) write(0=1) stop ");
    assert_string_equal(rig_said(rig), "dead | dead; outputs may not have their safe values");
    assert_string_equal(rig_status(rig), "dead");
    rig_close(rig);
}

static void commands_of_a_device_that_is_absent_wait_for_it(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    scripted_answers(&rig->hw, SCRIPTED_START, 2, temporary("no device"));
    rig_write(rig);
    rig_begin(rig);
    rig_step(rig);
    rig_command(rig, 0, 0.5);
    rig_run(rig, 1.5);
    rig_command(rig, 0, 0.75);
    rig_run(rig, 1);
    assert_string_equal(told(rig), "start start start readback write(0=0.75) ");
    rig_close(rig);
}

static void a_slew_limited_command_before_the_start_is_still_the_target(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    rig->outputs[1].rate_limit_per_s = 10;
    scripted_answer(&rig->hw, SCRIPTED_START, temporary("no device"));
    rig_write(rig);
    rig_begin(rig);
    rig_step(rig);
    rig_command(rig, 1, 2);
    rig_run(rig, 1.5);
    assert_string_equal(told(rig), "start start readback write(1=1) write(1=2) ");
    rig_close(rig);
}

/* ---- Safe values */

static void without_commands_for_the_time_out_the_output_is_set_safe_once(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    rig->outputs[0].cmd_timeout_ns = 2 * BASE_NS_PER_S;
    go(rig);
    told(rig);
    rig_run(rig, 1.9);
    rig_command(rig, 0, 0);
    rig_run(rig, 1.95);
    assert_string_equal(told(rig), "write(0=0) ");
    rig_run(rig, 4);
    assert_string_equal(told(rig), "write(0=1) ");
    assert_string_equal(rig_said(rig), "no command for 2 s; valve set safe");
    rig_command(rig, 0, 0);
    rig_step(rig);
    assert_string_equal(told(rig), "write(0=0) ");
    assert_string_equal(rig_said(rig), "Task running");
    rig_close(rig);
}

static void the_time_out_is_kept_to_the_nanosecond(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    rig->outputs[0].cmd_timeout_ns = 250 * BASE_NS_PER_MS + 1;
    rig->write.state_rate_hz = 0.1;
    go(rig);
    told(rig);
    assert_int_equal(rig_step(rig), FAKE_CLOCK_MONO + 250 * BASE_NS_PER_MS + 1);
    rig_close(rig);
}

static void a_failed_holder_leaves_its_outputs_at_their_fault_values(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    go(rig);
    told(rig);
    rig_commands(rig, (const double[]){0, 5}, 2);
    rig_step(rig);
    struct telem_key keys[] = {telem_chans_find(rig->chans, "heater"),
                               telem_chans_find(rig->chans, "valve"), rig->time_key};
    tasks_task_holder_failed(rig->task, keys, 3);
    rig_step(rig);
    assert_string_equal(told(rig), "write(0=0,1=5) write(0=1) "); /* the heater keeps */
    assert_string_equal(rig_said(rig), "the writer of valve failed; valve set to its fault value");
    rig_close(rig);
}

static void a_safe_value_does_not_wait_for_the_back_off_or_the_slew_limit(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    rig->outputs[0].rate_limit_per_s = 0.1;
    go(rig);
    rig_command(rig, 1, 5);
    scripted_answer(&rig->hw, SCRIPTED_WRITE, temporary("busy"));
    rig_step(rig);
    told(rig);
    atomic_store(&write_of(rig)->channels[0].request, WRITE_SAFE);
    atomic_fetch_add(&write_of(rig)->safe_asked, 1);
    rig_step(rig);
    assert_string_equal(told(rig), "write(0=1,1=5) ");
    assert_int_equal(atomic_load(&write_of(rig)->safe_done), 1);
    rig_close(rig);
}

static void on_start_safe_writes_the_safe_values(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    rig->outputs[0].on_start = CONFIG_OUTPUT_SAFE;
    go(rig);
    assert_string_equal(told(rig), "start readback write(0=1) ");
    rig_close(rig);
}

/* ---- Stop */

static void a_stop_takes_no_more_commands_writes_publishes_and_releases_in_order(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    go(rig);
    rig_commands(rig, (const double[]){0, 5}, 2);
    rig_step(rig);
    told(rig);
    forget_batches(rig);
    rig_command(rig, 1, 6);
    rig_finish(rig);
    assert_string_equal(told(rig), "write(0=1) stop ");
    assert_string_equal(rig_samples(rig, "valve_state"), "1");
    assert_string_equal(rig_said(rig), "Task stopped");
    assert_int_equal(tasks_task_state(rig->task), TASKS_CONFIGURED);
    rig_close(rig);
}

static void a_stop_that_cannot_make_the_outputs_safe_says_so(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    go(rig);
    scripted_answer(&rig->hw, SCRIPTED_WRITE, temporary("link lost"));
    rig_finish(rig);
    assert_string_equal(rig_said(rig),
                        "link lost; outputs may not have their safe values | Task stopped");
    assert_int_equal(tasks_task_stop(rig->task, &rig->why), ARCD_ERR_DEVICE);
    assert_string_equal(rig->why.text,
                        "task 'rig' stopped, but its outputs may not have their safe values");
    assert_int_equal(tasks_task_stop(rig->task, &rig->why), ARCD_OK);
    rig_close(rig);
}

/* The device was interrupted in the middle: it is started anew for the last write. */
static void an_interrupted_device_is_started_again_for_the_safe_values(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    go(rig);
    told(rig);
    atomic_store(&rig->hw.interrupted, true);
    rig_finish(rig);
    assert_string_equal(told(rig), "write(0=1) stop start write(0=1) stop ");
    assert_true(rig->hw.outputs[0].f64 == 1);
    rig_close(rig);
}

static void a_device_that_wants_to_be_called_now_and_then_is(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    rig->hw.info.tick_ns = 300 * BASE_NS_PER_MS;
    go(rig);
    told(rig);
    rig_run(rig, 0.65);
    assert_string_equal(told(rig), "write() write() ");
    rig_close(rig);
}

/* ---- The last outputs */

static void remove_dir(const char *dir)
{
    char path[512];
    DIR *list = opendir(dir);
    for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
        unlink(path);
    }
    closedir(list);
    rmdir(dir);
}

static void on_start_last_writes_what_the_run_before_was_commanded(void **state)
{
    (void)state;
    char dir[] = "/tmp/arcd-last-XXXXXX";
    assert_non_null(mkdtemp(dir));
    struct rig *rig = outputs();
    rig->env.state_dir = dir;
    rig->outputs[0].on_start = CONFIG_OUTPUT_LAST;
    go(rig);
    rig_command(rig, 0, 0.625);
    rig_step(rig);
    rig_finish(rig); /* puts the safe value out, which is not a command */
    assert_true(tasks_task_poll(rig->task, &rig->why));
    rig_close(rig);

    rig = outputs();
    rig->env.state_dir = dir;
    rig->outputs[0].on_start = CONFIG_OUTPUT_LAST;
    go(rig);
    assert_string_equal(told(rig), "start readback write(0=0.625) ");
    rig_close(rig);
    remove_dir(dir);
}

static void a_damaged_file_of_last_outputs_is_a_warning_and_keeps_the_output(void **state)
{
    (void)state;
    char dir[] = "/tmp/arcd-last-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/rig.last", dir);
    FILE *file = fopen(path, "w");
    fputs("arcd-state 1\nvalve 0x1p+0\nsum 0000000000000000\n", file);
    fclose(file);
    struct rig *rig = outputs();
    rig->env.state_dir = dir;
    rig->outputs[0].on_start = CONFIG_OUTPUT_LAST;
    go(rig);
    assert_non_null(strstr(rig_issue(rig), "warning: no last output was restored"));
    assert_string_equal(told(rig), "start readback ");
    rig_close(rig);
    remove_dir(dir);
}

/* ---- Configuration */

static void wrong_state_channels_are_named(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    rig->outputs[1].state_channel = "valve_state";
    assert_int_equal(rig_try_write(rig), ARCD_ERR_CONFIG);
    assert_string_equal(
        rig_issue(rig),
        "tasks/rig.json: channels[1].state_channel: channel 'valve_state' is used twice");
    rig_close(rig);

    rig = outputs();
    struct telem_chan_decl decl = {.name = "bare",
                                   .type = TELEM_F64,
                                   .index = TELEM_NO_KEY,
                                   .min = -INFINITY,
                                   .max = INFINITY,
                                   .unit = "",
                                   .desc = ""};
    struct telem_key key;
    assert_int_equal(telem_chans_add(rig->chans, &decl, &key, NULL), ARCD_OK);
    rig->outputs[0].state_channel = "bare";
    assert_int_equal(rig_try_write(rig), ARCD_ERR_CONFIG);
    assert_string_equal(
        rig_issue(rig),
        "tasks/rig.json: channels[0].state_channel: state channel 'bare' needs an index");
    rig_close(rig);
}

static void a_scale_without_an_inverse_is_refused(void **state)
{
    (void)state;
    struct rig *rig = outputs();
    struct config_scale scale = {.kind = CONFIG_SCALE_POLYNOMIAL,
                                 .forward = {(const double[]){0, 0, 1}, 3},
                                 .has_range = true,
                                 .min_x = -1,
                                 .max_x = 1,
                                 .poly_order = -1,
                                 .n_points = 100};
    rig->outputs[0].scale = (struct config_scales){&scale, 1};
    assert_int_equal(rig_try_write(rig), ARCD_ERR_CONFIG);
    assert_non_null(strstr(rig_issue(rig), "channels[0].scale: the polynomial turns round"));
    rig_close(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_written_at_start_with_keep),
        cmocka_unit_test(the_channels_of_a_command_batch_go_out_in_one_call),
        cmocka_unit_test(only_the_last_sample_of_a_batch_is_written),
        cmocka_unit_test(of_queued_commands_the_newest_is_written_and_the_others_counted),
        cmocka_unit_test(commands_are_clamped_and_each_excursion_is_said_once),
        cmocka_unit_test(not_a_number_is_ignored_with_a_warning),
        cmocka_unit_test(the_inverse_scale_makes_the_device_value),
        cmocka_unit_test(integers_of_64_bits_reach_device_and_state_exactly),
        cmocka_unit_test(texts_are_written_and_those_too_long_ignored),
        cmocka_unit_test(an_output_with_a_slew_limit_moves_by_steps_at_the_state_rate),
        cmocka_unit_test(states_are_published_at_the_state_rate_with_one_stamp),
        cmocka_unit_test(a_change_is_published_at_once_and_alone),
        cmocka_unit_test(the_first_state_is_what_the_device_has),
        cmocka_unit_test(a_failed_write_does_not_change_the_state),
        cmocka_unit_test(stamps_increase_though_the_clock_goes_back),
        cmocka_unit_test(a_refused_value_is_said_and_not_written_again),
        cmocka_unit_test(after_a_temporary_error_only_the_newest_value_is_written),
        cmocka_unit_test(values_that_were_taken_before_an_error_are_not_written_twice),
        cmocka_unit_test(a_restart_of_the_hardware_keeps_the_pending_value),
        cmocka_unit_test(a_critical_error_puts_out_the_fault_values_and_ends),
        cmocka_unit_test(fault_values_that_cannot_be_written_are_said),
        cmocka_unit_test(commands_of_a_device_that_is_absent_wait_for_it),
        cmocka_unit_test(a_slew_limited_command_before_the_start_is_still_the_target),
        cmocka_unit_test(without_commands_for_the_time_out_the_output_is_set_safe_once),
        cmocka_unit_test(the_time_out_is_kept_to_the_nanosecond),
        cmocka_unit_test(a_failed_holder_leaves_its_outputs_at_their_fault_values),
        cmocka_unit_test(a_safe_value_does_not_wait_for_the_back_off_or_the_slew_limit),
        cmocka_unit_test(on_start_safe_writes_the_safe_values),
        cmocka_unit_test(a_stop_takes_no_more_commands_writes_publishes_and_releases_in_order),
        cmocka_unit_test(a_stop_that_cannot_make_the_outputs_safe_says_so),
        cmocka_unit_test(an_interrupted_device_is_started_again_for_the_safe_values),
        cmocka_unit_test(a_device_that_wants_to_be_called_now_and_then_is),
        cmocka_unit_test(on_start_last_writes_what_the_run_before_was_commanded),
        cmocka_unit_test(a_damaged_file_of_last_outputs_is_a_warning_and_keeps_the_output),
        cmocka_unit_test(wrong_state_channels_are_named),
        cmocka_unit_test(a_scale_without_an_inverse_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
