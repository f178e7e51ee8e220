/* Read tasks, step by step with a clock of our own. */
#include "tasks/read_priv.h"
#include "tests/tasks/rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct read_task *read_of(struct rig *rig)
{
    return (struct read_task *)(void *)rig->task;
}

static struct rig *hardware(double sample_rate, double stream_rate)
{
    struct rig *rig = rig_open(HW_HARDWARE, sample_rate);
    rig_rates(rig, sample_rate, stream_rate);
    rig_channel(rig, "a", HW_F64, TELEM_F64);
    rig_channel(rig, "b", HW_F64, TELEM_F32);
    return rig;
}

static struct rig *software(double sample_rate, double stream_rate)
{
    struct rig *rig = rig_open(HW_SOFTWARE, sample_rate);
    rig_rates(rig, sample_rate, stream_rate);
    rig->hw.pass_ns = 2e6;
    rig_channel(rig, "a", HW_F64, TELEM_F64);
    rig_channel(rig, "b", HW_F64, TELEM_F64);
    return rig;
}

static void go(struct rig *rig)
{
    rig_read(rig);
    rig_begin(rig);
    rig_step(rig); /* starts */
}

static struct tasks_counters *counters(struct rig *rig)
{
    return &rig->task->board.counters;
}

static struct scripted_answer temporary(const char *text)
{
    return (struct scripted_answer){.cls = HW_TEMPORARY, .text = text, .code = -7};
}

/* ---- Hardware timing */

static void a_batch_has_rate_by_rate_samples_and_all_its_channels(void **state)
{
    (void)state;
    struct rig *rig = hardware(100, 10);
    go(rig);
    assert_string_equal(rig_said(rig), "Task starting | Task started");
    assert_int_equal(tasks_task_state(rig->task), TASKS_RUNNING);
    rig_step(rig);
    const struct telem_batch *batch = rig_batch(rig);
    uint32_t a = rig_col(rig, batch, "a"), b = rig_col(rig, batch, "b");
    uint32_t t = rig_col(rig, batch, "time");
    assert_int_equal(batch->cols[a].n, 10);
    assert_int_equal(batch->cols[b].n, 10);
    assert_int_equal(batch->cols[t].n, 10);
    const double *as = telem_batch_col_const(batch, a);
    const float *bs = telem_batch_col_const(batch, b);
    const int64_t *ts = telem_batch_col_const(batch, t);
    for (int i = 0; i < 10; i++) {
        assert_true(as[i] == i && bs[i] == (float)(100 + i));
        assert_int_equal(ts[i], FAKE_CLOCK_UTC + INT64_C(10) * i * BASE_NS_PER_MS);
        assert_int_equal(telem_batch_times_const(batch, a)[i], ts[i]);
    }
    telem_batch_release(batch);
    assert_int_equal(counters(rig)->batches, 1);
    assert_int_equal(counters(rig)->samples, 10);
    rig_close(rig);
}

static void the_granted_rate_is_used_for_stamps_and_said(void **state)
{
    (void)state;
    struct rig *rig = hardware(1000, 100);
    rig->hw.info.actual_rate_hz = 1250;
    go(rig);
    assert_string_equal(rig_said(rig), "Task starting | Task started | rate coerced to 1250 Hz");
    rig_step(rig);
    assert_string_equal(rig_times(rig, "a"), "0 0.8 1.6 2.4 3.2 4 4.8 5.6 6.4 7.2");
    struct tasks_figures figures;
    tasks_task_figures(rig->task, &figures);
    assert_true(figures.sample_rate_hz == 1250 && figures.stream_rate_hz == 125);
    rig_close(rig);
}

static void known_losses_leave_a_gap_and_are_counted(void **state)
{
    (void)state;
    struct rig *rig = hardware(100, 10);
    rig->env.skew.correct = false;
    scripted_answer(&rig->hw, SCRIPTED_READ, (struct scripted_answer){0});
    scripted_answer(&rig->hw, SCRIPTED_READ,
                    (struct scripted_answer){.lost = 20, .takes_ns = 200 * BASE_NS_PER_MS});
    go(rig);
    rig_step(rig);
    rig_step(rig);
    rig_said(rig);
    assert_string_equal(rig_times(rig, "a"), "0 10 20 30 40 50 60 70 80 90");
    assert_string_equal(rig_times(rig, "a"), "300 310 320 330 340 350 360 370 380 390");
    assert_string_equal(rig_status(rig), "20 samples per channel were lost; the index has a gap");
    assert_int_equal(counters(rig)->lost_samples, 20);
    rig_run(rig, 5);
    assert_string_equal(rig_status(rig), "Task running");
    rig_close(rig);
}

static void unknown_losses_anchor_the_index_anew(void **state)
{
    (void)state;
    struct rig *rig = hardware(100, 10);
    scripted_answer(&rig->hw, SCRIPTED_READ,
                    (struct scripted_answer){.lost = -1, .takes_ns = 700 * BASE_NS_PER_MS});
    go(rig);
    rig_step(rig);
    assert_string_equal(rig_times(rig, "a"), "700 710 720 730 740 750 760 770 780 790");
    rig_close(rig);
}

static void a_short_read_is_published_as_it_is(void **state)
{
    (void)state;
    struct rig *rig = hardware(100, 10);
    scripted_answer(&rig->hw, SCRIPTED_READ,
                    (struct scripted_answer){.is_short = true, .n_got = 4});
    go(rig);
    rig_step(rig);
    assert_string_equal(rig_samples(rig, "a"), "0 1 2 3");
    rig_close(rig);
}

/* Good samples are not lost with the bad ones, and the call that failed is not theirs. */
static void samples_that_came_before_an_error_are_published(void **state)
{
    (void)state;
    struct rig *rig = hardware(100, 10);
    struct scripted_answer answer = temporary("gone");
    answer.is_short = true;
    answer.n_got = 3;
    scripted_answer(&rig->hw, SCRIPTED_READ, answer);
    go(rig);
    rig_step(rig);
    assert_string_equal(rig_samples(rig, "a"), "0 1 2");
    assert_string_equal(rig_status(rig), "gone; retry 1/50 in 1 s");
    rig_close(rig);
}

static void a_device_that_disappears_is_started_again_after_the_back_off(void **state)
{
    (void)state;
    struct rig *rig = hardware(100, 10);
    scripted_answer(&rig->hw, SCRIPTED_READ, (struct scripted_answer){0});
    scripted_answer(&rig->hw, SCRIPTED_READ, temporary("no device"));
    scripted_answer(&rig->hw, SCRIPTED_START, (struct scripted_answer){0});
    scripted_answers(&rig->hw, SCRIPTED_START, 2, temporary("no device"));
    go(rig);
    rig_said(rig);
    rig_run(rig, 5);
    assert_string_equal(rig_said(rig), "no device; retry 1/50 in 1 s | "
                                       "no device; retry 2/50 in 1.1 s | "
                                       "no device; retry 3/50 in 1.2 s | Task running");
    assert_string_equal(rig_times(rig, "a"), "0 10 20 30 40 50 60 70 80 90");
    /* Failed at 0.1 s, started at 0.1 + 1 + 1.1 + 1.21; the first batch after it is discarded. */
    assert_string_equal(rig_times(rig, "a"), "3510 3520 3530 3540 3550 3560 3570 3580 3590 3600");
    assert_int_equal(counters(rig)->failures, 3);
    assert_int_equal(counters(rig)->restarts, 1);
    assert_int_equal(counters(rig)->lost_samples, 10);
    assert_int_equal(tasks_task_state(rig->task), TASKS_RUNNING);
    rig_close(rig);
}

static void a_restart_comes_at_once_and_counts_as_temporary_within_10_s(void **state)
{
    (void)state;
    struct rig *rig = hardware(100, 10);
    struct scripted_answer overrun = {.cls = HW_RESTART, .text = "overrun"};
    scripted_answer(&rig->hw, SCRIPTED_READ, overrun);
    scripted_answers(&rig->hw, SCRIPTED_READ, 3, (struct scripted_answer){0});
    scripted_answer(&rig->hw, SCRIPTED_READ, overrun);
    go(rig);
    rig_said(rig);
    rig_run(rig, 0.05);
    assert_string_equal(rig_said(rig), "overrun; restarted");
    assert_int_equal(rig->hw.n_stops, 1);
    assert_int_equal(rig->hw.n_calls[SCRIPTED_START], 2);
    rig_run(rig, 0.5);
    assert_string_equal(rig_said(rig), "overrun; retry 1/50 in 1 s");
    rig_run(rig, 11);
    scripted_answer(&rig->hw, SCRIPTED_READ, overrun);
    rig_said(rig);
    rig_run(rig, 0.5);
    assert_string_equal(rig_said(rig), "overrun; restarted");
    assert_int_equal(counters(rig)->restarts, 3);
    rig_close(rig);
}

static void after_the_last_retry_the_task_is_faulted_and_the_hardware_released(void **state)
{
    (void)state;
    struct rig *rig = hardware(100, 10);
    rig->task_config.retry.max_retries = 2;
    scripted_answers(&rig->hw, SCRIPTED_READ, 1, temporary("no data"));
    scripted_answer(&rig->hw, SCRIPTED_START, (struct scripted_answer){0});
    scripted_answers(&rig->hw, SCRIPTED_START, 9, temporary("no device"));
    go(rig);
    rig_said(rig);
    assert_true(rig_run(rig, 60) == TASKS_STEP_END);
    assert_string_equal(rig_said(rig),
                        "no data; retry 1/2 in 1 s | no device; retry 2/2 in 1.1 s | "
                        "no device; gave up after 2 retries");
    assert_int_equal(tasks_task_state(rig->task), TASKS_FAULTED);
    assert_string_equal(rig->hw.log, "start read stop start start ");
    rig_close(rig);
}

static void a_critical_error_ends_the_task(void **state)
{
    (void)state;
    struct rig *rig = hardware(100, 10);
    scripted_answer(
        &rig->hw, SCRIPTED_READ,
        (struct scripted_answer){.cls = HW_CRITICAL, .text = "bad channel", .code = -3});
    go(rig);
    rig_said(rig);
    assert_true(rig_step(rig) == TASKS_STEP_END);
    assert_string_equal(rig_said(rig), "bad channel");
    struct tasks_status error;
    assert_true(tasks_board_last_error(&rig->task->board, &error));
    assert_int_equal(error.code, -3);
    assert_int_equal(error.state, TASKS_FAULTED);
    assert_string_equal(rig->hw.log, "start read stop ");
    rig_close(rig);
}

static void a_critical_error_at_start_releases_everything(void **state)
{
    (void)state;
    struct rig *rig = hardware(100, 10);
    scripted_answer(&rig->hw, SCRIPTED_START,
                    (struct scripted_answer){.cls = HW_CONFIG, .text = "reserved by another"});
    rig_read(rig);
    rig_begin(rig);
    assert_true(rig_step(rig) == TASKS_STEP_END);
    assert_string_equal(rig_said(rig), "Task starting | reserved by another");
    assert_int_equal(tasks_task_state(rig->task), TASKS_FAULTED);
    assert_false(atomic_load(&rig->task->loop.reported));
    rig_close(rig);
}

/* The device is absent at boot: the task runs, says so, and comes up by itself. */
static void a_device_absent_at_start_is_retried(void **state)
{
    (void)state;
    struct rig *rig = hardware(100, 10);
    scripted_answer(&rig->hw, SCRIPTED_START, temporary("no device"));
    go(rig);
    assert_true(atomic_load(&rig->task->loop.reported));
    assert_int_equal(tasks_task_state(rig->task), TASKS_RUNNING);
    assert_string_equal(rig_said(rig), "Task starting | no device; retry 1/50 in 1 s");
    rig_run(rig, 1.15);
    assert_string_equal(rig_said(rig), "Task running");
    assert_string_equal(rig_times(rig, "a"), "1000 1010 1020 1030 1040 1050 1060 1070 1080 1090");
    assert_int_equal(counters(rig)->restarts, 0);
    rig_close(rig);
}

/* A link that is down all night paces its own retries: they never run out, and say so once a
 * minute.
 */
static void retries_that_the_device_paces_never_run_out(void **state)
{
    (void)state;
    struct rig *rig = software(10, 10);
    struct scripted_answer down = temporary("link lost");
    down.delay_ns = 5 * BASE_NS_PER_S;
    scripted_answers(&rig->hw, SCRIPTED_READ, 200, down);
    go(rig);
    rig_said(rig);
    rig_run(rig, 299);
    assert_int_equal(tasks_task_state(rig->task), TASKS_RUNNING);
    assert_in_range(rig->hw.n_calls[SCRIPTED_READ], 59, 61);
    assert_string_equal(rig_said(rig), "link lost; retry 1 in 5 s | link lost; retry 13 in 5 s | "
                                       "link lost; retry 25 in 5 s | link lost; retry 37 in 5 s | "
                                       "link lost; retry 49 in 5 s");
    rig_close(rig);
}

static void falling_behind_the_hardware_is_a_warning_until_it_is_over(void **state)
{
    (void)state;
    struct rig *rig = hardware(100, 10);
    scripted_answers(&rig->hw, SCRIPTED_READ, 2, (struct scripted_answer){.skew = 150});
    scripted_answer(&rig->hw, SCRIPTED_READ, (struct scripted_answer){.skew = 100});
    go(rig);
    rig_said(rig);
    rig_step(rig);
    rig_step(rig);
    assert_string_equal(rig_said(rig),
                        "150 samples behind the hardware; lower stream_rate or the channel count");
    assert_int_equal(counters(rig)->skew, 150);
    rig_step(rig);
    assert_string_equal(rig_said(rig), "Task running");
    rig_close(rig);
}

static void a_warning_of_the_device_is_said_once_per_start(void **state)
{
    (void)state;
    struct rig *rig = hardware(100, 10);
    for (int i = 0; i < 3; i++) {
        scripted_answer(&rig->hw, SCRIPTED_READ, (struct scripted_answer){.warning = "settling"});
        scripted_answer(&rig->hw, SCRIPTED_READ, (struct scripted_answer){.warning = "overload"});
    }
    go(rig);
    rig_said(rig);
    rig_run(rig, 0.7);
    assert_string_equal(rig_said(rig), "settling | overload");
    rig_finish(rig);
    rig->task->ops->close(rig->task);
    scripted_answer(&rig->hw, SCRIPTED_READ, (struct scripted_answer){.warning = "settling"});
    fake_clock_advance(&rig->time, 60 * BASE_NS_PER_S);
    atomic_store(&rig->task->loop.stop, false);
    rig_begin(rig);
    rig_step(rig);
    rig_said(rig);
    rig_step(rig);
    assert_string_equal(rig_said(rig), "settling");
    rig_close(rig);
}

static void a_step_of_the_wall_clock_is_said_with_its_size(void **state)
{
    (void)state;
    struct rig *rig = hardware(100, 10);
    scripted_answer(&rig->hw, SCRIPTED_READ,
                    (struct scripted_answer){.wall_step = 3600 * BASE_NS_PER_S});
    go(rig);
    rig_said(rig);
    rig_step(rig);
    assert_string_equal(rig_said(rig), "clock step of 3600 s; index re-anchored");
    rig_step(rig);
    assert_string_equal(rig_times(rig, "a"), "0 10 20 30 40 50 60 70 80 90");
    assert_string_equal(rig_times(rig, "a"),
                        "3600100 3600110 3600120 3600130 3600140 3600150 3600160 3600170 3600180 "
                        "3600190");
    rig_close(rig);
}

static void a_read_that_gives_nothing_is_not_asked_again_at_once(void **state)
{
    (void)state;
    struct rig *rig = hardware(100, 10);
    scripted_answer(&rig->hw, SCRIPTED_READ, (struct scripted_answer){.is_short = true});
    go(rig);
    rig_said(rig);
    int64_t next = rig_step(rig);
    assert_true(next > rig->time.mono_ns + BASE_NS_PER_MS);
    assert_string_equal(rig_said(rig), "the device gave no samples; retry 1/50 in 1 s");
    rig_close(rig);
}

/* ---- Software timing */

static void a_pass_is_made_at_each_tick_and_stamped_in_its_middle(void **state)
{
    (void)state;
    struct rig *rig = software(10, 10);
    go(rig);
    rig_run(rig, 0.25);
    assert_string_equal(rig_times(rig, "a"), "1");
    assert_string_equal(rig_times(rig, "b"), "101");
    assert_string_equal(rig_times(rig, "time"), "201");
    assert_int_equal(rig->hw.n_calls[SCRIPTED_READ], 3);
    assert_int_equal(counters(rig)->missed_ticks, 0);
    rig_close(rig);
}

static void several_passes_make_one_batch(void **state)
{
    (void)state;
    struct rig *rig = software(100, 25);
    go(rig);
    rig_run(rig, 0.039);
    assert_string_equal(rig_samples(rig, "b"), "100 101 102 103");
    assert_null(telem_sub_next(rig->sub));
    rig_run(rig, 0.04);
    assert_string_equal(rig_times(rig, "time"), "41 51 61 71");
    rig_close(rig);
}

static void a_late_pass_is_not_repeated_and_does_not_move_the_schedule(void **state)
{
    (void)state;
    struct rig *rig = software(10, 10);
    scripted_answer(&rig->hw, SCRIPTED_READ, (struct scripted_answer){0});
    scripted_answer(&rig->hw, SCRIPTED_READ,
                    (struct scripted_answer){.takes_ns = 250 * BASE_NS_PER_MS});
    go(rig);
    rig_run(rig, 0.55);
    assert_string_equal(rig_times(rig, "a"), "1");
    assert_string_equal(rig_times(rig, "a"), "226");
    assert_string_equal(rig_times(rig, "a"), "401");
    assert_string_equal(rig_times(rig, "a"), "501");
    assert_int_equal(counters(rig)->missed_ticks, 2);
    rig_close(rig);
}

static void a_rate_that_cannot_be_kept_is_a_warning(void **state)
{
    (void)state;
    struct rig *rig = software(100, 100);
    rig->hw.pass_ns = 15e6;
    go(rig);
    rig_said(rig);
    rig_run(rig, 4.9);
    assert_string_equal(rig_said(rig), "");
    rig_run(rig, 0.2);
    assert_string_equal(rig_said(rig), "cannot keep 100 Hz: a pass takes 15 ms; lower sample_rate");
    rig->hw.pass_ns = 1e6;
    rig_run(rig, 5.2);
    assert_string_equal(rig_said(rig), "Task running");
    rig_close(rig);
}

static void a_part_filled_batch_goes_out_after_one_stream_period(void **state)
{
    (void)state;
    struct rig *rig = software(10, 2);
    scripted_answers(&rig->hw, SCRIPTED_READ, 2, (struct scripted_answer){0});
    scripted_answer(&rig->hw, SCRIPTED_READ, temporary("busy"));
    go(rig);
    rig_run(rig, 0.25);
    assert_string_equal(rig_samples(rig, "a"), "0 1"); /* with the error that ends the wait */
    rig_close(rig);

    rig = software(10, 2);
    struct scripted_answer slow = {.takes_ns = 180 * BASE_NS_PER_MS};
    scripted_answers(&rig->hw, SCRIPTED_READ, 20, slow);
    go(rig);
    rig_run(rig, 2);
    /* Passes at 0, 0.2, 0.4 s: the third would end after 0.5 s, so two rows go out before it. */
    assert_string_equal(rig_samples(rig, "a"), "0 1");
    assert_string_equal(rig_samples(rig, "a"), "2 3");
    rig_close(rig);
}

static void rows_wait_no_longer_than_a_stream_period_for_the_next_tick(void **state)
{
    (void)state;
    struct rig *rig = software(10, 2);
    go(rig);
    rig_run(rig, 0.15);
    assert_int_equal(read_of(rig)->rows.n, 2);
    read_of(rig)->ticks.next = 100;
    rig_run(rig, 0.3);
    assert_null(telem_sub_next(rig->sub));
    rig_run(rig, 0.1);
    assert_string_equal(rig_samples(rig, "a"), "0 1");
    rig_close(rig);
}

static void after_a_back_off_the_schedule_goes_on_without_a_burst(void **state)
{
    (void)state;
    struct rig *rig = software(10, 10);
    scripted_answer(&rig->hw, SCRIPTED_READ, temporary("busy"));
    go(rig);
    rig_run(rig, 1.45);
    /* Failed at 0, asks again from 1 s on: 1.0, 1.1 ... 1.4. */
    assert_int_equal(rig->hw.n_calls[SCRIPTED_READ], 1 + 5);
    assert_string_equal(rig_times(rig, "a"), "1001");
    assert_int_equal(counters(rig)->missed_ticks, 0);
    assert_string_equal(rig->hw.log, "start read read read read read read ");
    rig_close(rig);
}

static void a_value_that_means_none_is_left_out(void **state)
{
    (void)state;
    struct rig *rig = software(100, 25);
    scripted_answer(&rig->hw, SCRIPTED_READ, (struct scripted_answer){0});
    scripted_answer(&rig->hw, SCRIPTED_READ, (struct scripted_answer){.invalid = 1});
    scripted_answer(&rig->hw, SCRIPTED_READ, (struct scripted_answer){.invalid = 3});
    go(rig);
    rig_run(rig, 0.039);
    const struct telem_batch *batch = rig_batch(rig);
    uint32_t a = rig_col(rig, batch, "a"), b = rig_col(rig, batch, "b");
    uint32_t t = rig_col(rig, batch, "time");
    assert_int_equal(batch->cols[a].n, 2);
    assert_int_equal(batch->cols[b].n, 3);
    assert_int_equal(batch->cols[t].n, 3); /* the row with no value at all is not in the index */
    const double *as = telem_batch_col_const(batch, a);
    assert_true(as[0] == 0 && as[1] == 3);
    assert_int_equal(telem_batch_times_const(batch, a)[1], FAKE_CLOCK_UTC + 31 * BASE_NS_PER_MS);
    assert_int_equal(telem_batch_times_const(batch, b)[1], FAKE_CLOCK_UTC + 11 * BASE_NS_PER_MS);
    telem_batch_release(batch);
    rig_close(rig);
}

static void texts_are_copied_and_those_too_long_are_left_out(void **state)
{
    (void)state;
    struct rig *rig = rig_open(HW_SOFTWARE, 10);
    rig_rates(rig, 10, 5);
    rig_channel(rig, "recipe", HW_STR, TELEM_STR);
    char buffer[32] = "first";
    rig->hw.strs[0] = (struct hw_str){buffer, 5};
    go(rig);
    rig_step(rig);
    strcpy(buffer, "seventeen bytes..");
    rig->hw.strs[0].len = 17;
    rig_run(rig, 0.15);
    const struct telem_batch *batch = rig_batch(rig);
    uint32_t c = rig_col(rig, batch, "recipe");
    assert_int_equal(batch->cols[c].n, 1);
    const struct telem_str *str = telem_batch_col_const(batch, c);
    assert_int_equal(str->len, 5);
    assert_memory_equal(telem_batch_text(batch, *str), "first", 5);
    telem_batch_release(batch);
    assert_string_equal(rig_status(rig), "recipe: a text of 17 bytes does not fit; not published");
    rig_close(rig);
}

/* ---- Conversion */

static void integers_of_64_bits_arrive_exactly(void **state)
{
    (void)state;
    struct rig *rig = rig_open(HW_HARDWARE, 100);
    rig_channel(rig, "total", HW_U64, TELEM_U64);
    rig_channel(rig, "signed", HW_I64, TELEM_I64);
    scripted_value(&rig->hw, 0, (union telem_value){.u64 = UINT64_MAX - 1});
    scripted_value(&rig->hw, 1, (union telem_value){.i64 = -INT64_C(9007199254740993)});
    go(rig);
    rig_step(rig);
    const struct telem_batch *batch = rig_batch(rig);
    assert_true(*(const uint64_t *)telem_batch_col_const(batch, rig_col(rig, batch, "total")) ==
                UINT64_MAX - 1);
    assert_true(*(const int64_t *)telem_batch_col_const(batch, rig_col(rig, batch, "signed")) ==
                -INT64_C(9007199254740993));
    telem_batch_release(batch);
    rig_close(rig);
}

static void a_scale_is_applied_before_the_cast(void **state)
{
    (void)state;
    struct rig *rig = rig_open(HW_SOFTWARE, 10);
    rig_channel(rig, "volts", HW_I64, TELEM_I16);
    struct config_scale scale = {.kind = CONFIG_SCALE_LINEAR, .slope = 0.5, .offset = -1};
    rig->inputs[0].scale = (struct config_scales){&scale, 1};
    scripted_value(&rig->hw, 0, (union telem_value){.i64 = 7});
    go(rig);
    rig_step(rig);
    assert_string_equal(rig_samples(rig, "volts"), "2"); /* 2.5, half to even */
    rig_close(rig);
}

static void a_value_outside_its_range_passes_and_is_said_once_per_excursion(void **state)
{
    (void)state;
    struct rig *rig = rig_open(HW_SOFTWARE, 10);
    struct telem_chan_decl decl = {.name = "temp",
                                   .type = TELEM_F64,
                                   .index = rig->time_key,
                                   .min = 0,
                                   .max = 350,
                                   .unit = "",
                                   .desc = ""};
    struct telem_key key;
    assert_int_equal(telem_chans_add(rig->chans, &decl, &key, NULL), ARCD_OK);
    rig_channel(rig, "temp", HW_F64, TELEM_F64);
    const double values[] = {20, 351.5, 400, NAN, 20};
    for (size_t i = 0; i < ARCD_COUNT_OF(values); i++)
        scripted_value(&rig->hw, 0, (union telem_value){.f64 = values[i]});
    go(rig);
    rig_said(rig);
    rig_run(rig, 0.45);
    assert_string_equal(rig_said(rig), "temp: 351.5 is outside 0 to 350 | Task running");
    assert_string_equal(rig_samples(rig, "temp"), "20");
    assert_string_equal(rig_samples(rig, "temp"), "351.5");
    rig_close(rig);
}

static void not_a_number_in_an_integer_channel_is_0_and_said_once(void **state)
{
    (void)state;
    struct rig *rig = rig_open(HW_SOFTWARE, 10);
    rig_channel(rig, "count", HW_F64, TELEM_I32);
    for (int i = 0; i < 3; i++)
        scripted_value(&rig->hw, 0, (union telem_value){.f64 = NAN});
    go(rig);
    rig_said(rig);
    rig_run(rig, 0.25);
    assert_string_equal(rig_said(rig), "count: not a number, published as 0 by its integer type");
    assert_string_equal(rig_samples(rig, "count"), "0");
    rig_close(rig);
}

static void a_tare_is_the_mean_of_the_next_batch_and_survives_a_restart(void **state)
{
    (void)state;
    struct rig *rig = hardware(40, 10);
    go(rig);
    tasks_tare_ask(&read_of(rig)->channels[1].tare, TASKS_TARE_SET);
    rig_step(rig);
    assert_string_equal(rig_samples(rig, "b"), "-1.5 -0.5 0.5 1.5");
    assert_true(tasks_task_tare_of(rig->task, 1) == 101.5);
    rig_finish(rig);
    rig->task->ops->close(rig->task);
    atomic_store(&rig->task->loop.stop, false);
    rig_begin(rig);
    rig_step(rig);
    rig_step(rig);
    assert_string_equal(rig_samples(rig, "b"), "2.5 3.5 4.5 5.5");
    rig_close(rig);
}

static void a_kept_tare_outlives_the_driver(void **state)
{
    (void)state;
    char dir[] = "/tmp/arcd-tare-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    for (int run = 0; run < 2; run++) {
        struct rig *rig = hardware(40, 10);
        rig->env.state_dir = dir;
        rig->rates.keep_tare = true;
        go(rig);
        if (run == 0)
            tasks_tare_ask(&read_of(rig)->channels[0].tare, TASKS_TARE_SET);
        rig_step(rig);
        assert_string_equal(rig_samples(rig, "a"), "-1.5 -0.5 0.5 1.5");
        assert_true(tasks_task_poll(rig->task, &rig->why));
        rig_close(rig);
    }
    snprintf(path, sizeof path, "%s/rig.tare", dir);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0);
}

/* ---- Consumers, stop */

static void a_consumer_that_holds_every_batch_costs_it_samples_but_not_the_task(void **state)
{
    (void)state;
    struct rig *rig = hardware(100, 10);
    go(rig);
    const struct telem_batch *held[256];
    uint32_t n = 0;
    while (counters(rig)->dropped_batches == 0 && n < ARCD_COUNT_OF(held)) {
        rig_step(rig);
        held[n] = telem_sub_next(rig->sub);
        n += held[n] != NULL;
    }
    assert_int_equal(counters(rig)->dropped_batches, 1);
    assert_string_equal(rig_status(rig),
                        "10 samples per channel not published: consumers hold every batch");
    for (uint32_t i = 0; i < n; i++)
        telem_batch_release(held[i]);
    int64_t before = counters(rig)->batches;
    rig_step(rig);
    assert_int_equal(counters(rig)->batches, before + 1);
    rig_close(rig);
}

static void a_stop_publishes_what_was_read_and_releases_the_hardware(void **state)
{
    (void)state;
    struct rig *rig = software(10, 2);
    go(rig);
    rig_run(rig, 0.25);
    rig_said(rig);
    rig_finish(rig);
    assert_string_equal(rig_samples(rig, "a"), "0 1 2");
    assert_string_equal(rig_said(rig), "Task stopped");
    assert_int_equal(tasks_task_state(rig->task), TASKS_CONFIGURED);
    assert_string_equal(rig->hw.log, "start read read read stop ");
    rig_close(rig);
}

static void a_second_task_on_a_channel_is_refused_with_both_names(void **state)
{
    (void)state;
    struct rig *rig = hardware(100, 10);
    go(rig);
    struct tasks_task *first = rig->task;
    rig->task_config.name = "second";
    assert_int_equal(rig_try_read(rig), ARCD_OK);
    assert_int_equal(tasks_task_begin(rig->task, &rig->why), ARCD_ERR_BUSY);
    assert_non_null(strstr(rig->why.text, "task 'rig'"));
    assert_int_equal(tasks_task_state(rig->task), TASKS_FAULTED);
    assert_string_equal(rig_status(rig), rig->why.text);
    tasks_task_free(rig->task);
    rig->task = first;
    rig_close(rig);
}

/* ---- Configuration */

static void wrong_channels_are_named_at_their_place(void **state)
{
    (void)state;
    struct rig *rig = rig_open(HW_SOFTWARE, 10);
    rig_channel(rig, "a", HW_F64, TELEM_F64);
    rig_channel(rig, "b", HW_F64, TELEM_F64);
    rig->elements[1].channel = "nothing";
    assert_int_equal(rig_try_read(rig), ARCD_ERR_CONFIG);
    assert_string_equal(rig_issue(rig),
                        "tasks/rig.json: channels[1].channel: channel 'nothing' is not declared");
    rig_close(rig);

    rig = rig_open(HW_SOFTWARE, 10);
    rig_channel(rig, "a", HW_F64, TELEM_F64);
    rig_channel(rig, "a", HW_F64, TELEM_F64);
    assert_int_equal(rig_try_read(rig), ARCD_ERR_CONFIG);
    assert_string_equal(rig_issue(rig),
                        "tasks/rig.json: channels[1].channel: channel 'a' is used twice");
    rig_close(rig);

    rig = rig_open(HW_SOFTWARE, 10);
    rig_channel(rig, "a", HW_F64, TELEM_STR);
    assert_int_equal(rig_try_read(rig), ARCD_ERR_CONFIG);
    assert_string_equal(
        rig_issue(rig),
        "tasks/rig.json: channels[0]: channel 'a' of type str cannot hold a number");
    rig_close(rig);
}

static void rates_beyond_the_device_are_refused(void **state)
{
    (void)state;
    struct rig *rig = hardware(100, 10);
    rig->hw.info.min_rate_hz = 1000;
    assert_int_equal(rig_try_read(rig), ARCD_ERR_CONFIG);
    assert_string_equal(
        rig_issue(rig),
        "tasks/rig.json: sample_rate: 100 Hz is below the minimum of 1000 Hz of dev");
    rig_close(rig);
    rig = hardware(100, 10);
    rig->hw_config.type = "scripted_slow";
    rig->hw_config.timing_given = true;
    assert_int_equal(rig_try_read(rig), ARCD_ERR_CONFIG);
    assert_string_equal(rig_issue(rig),
                        "tasks/rig.json: timing: scripted_slow has no hardware timing");
    rig_close(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_has_rate_by_rate_samples_and_all_its_channels),
        cmocka_unit_test(the_granted_rate_is_used_for_stamps_and_said),
        cmocka_unit_test(known_losses_leave_a_gap_and_are_counted),
        cmocka_unit_test(unknown_losses_anchor_the_index_anew),
        cmocka_unit_test(a_short_read_is_published_as_it_is),
        cmocka_unit_test(samples_that_came_before_an_error_are_published),
        cmocka_unit_test(a_device_that_disappears_is_started_again_after_the_back_off),
        cmocka_unit_test(a_restart_comes_at_once_and_counts_as_temporary_within_10_s),
        cmocka_unit_test(after_the_last_retry_the_task_is_faulted_and_the_hardware_released),
        cmocka_unit_test(a_critical_error_ends_the_task),
        cmocka_unit_test(a_critical_error_at_start_releases_everything),
        cmocka_unit_test(a_device_absent_at_start_is_retried),
        cmocka_unit_test(retries_that_the_device_paces_never_run_out),
        cmocka_unit_test(falling_behind_the_hardware_is_a_warning_until_it_is_over),
        cmocka_unit_test(a_warning_of_the_device_is_said_once_per_start),
        cmocka_unit_test(a_step_of_the_wall_clock_is_said_with_its_size),
        cmocka_unit_test(a_read_that_gives_nothing_is_not_asked_again_at_once),
        cmocka_unit_test(a_pass_is_made_at_each_tick_and_stamped_in_its_middle),
        cmocka_unit_test(several_passes_make_one_batch),
        cmocka_unit_test(a_late_pass_is_not_repeated_and_does_not_move_the_schedule),
        cmocka_unit_test(a_rate_that_cannot_be_kept_is_a_warning),
        cmocka_unit_test(a_part_filled_batch_goes_out_after_one_stream_period),
        cmocka_unit_test(rows_wait_no_longer_than_a_stream_period_for_the_next_tick),
        cmocka_unit_test(after_a_back_off_the_schedule_goes_on_without_a_burst),
        cmocka_unit_test(a_value_that_means_none_is_left_out),
        cmocka_unit_test(texts_are_copied_and_those_too_long_are_left_out),
        cmocka_unit_test(integers_of_64_bits_arrive_exactly),
        cmocka_unit_test(a_scale_is_applied_before_the_cast),
        cmocka_unit_test(a_value_outside_its_range_passes_and_is_said_once_per_excursion),
        cmocka_unit_test(not_a_number_in_an_integer_channel_is_0_and_said_once),
        cmocka_unit_test(a_tare_is_the_mean_of_the_next_batch_and_survives_a_restart),
        cmocka_unit_test(a_kept_tare_outlives_the_driver),
        cmocka_unit_test(a_consumer_that_holds_every_batch_costs_it_samples_but_not_the_task),
        cmocka_unit_test(a_stop_publishes_what_was_read_and_releases_the_hardware),
        cmocka_unit_test(a_second_task_on_a_channel_is_refused_with_both_names),
        cmocka_unit_test(wrong_channels_are_named_at_their_place),
        cmocka_unit_test(rates_beyond_the_device_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
