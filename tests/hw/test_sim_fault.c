/* Planned faults, seen through the tasks that suffer them. */
#include "hw/sim/sim.h"

#include "hw/sim/sim_fault.h"
#include "tests/hw/bench.h"

#include <math.h>
#include <string.h>

#define MS BASE_NS_PER_MS
#define S BASE_NS_PER_S

struct fixture {
    struct bench bench;
    struct hw_device *device;
    struct bench_task in, out;
};

static const char ramp_in[] =
    "{\"type\": \"sim_read\", \"sample_rate\": 100, \"n\": 10, \"channels\": ["
    "{\"type\": \"ramp\", \"channel\": \"a\", \"rate\": 1}, "
    "{\"type\": \"ramp\", \"channel\": \"b\", \"rate\": 1}]}";

static const char latches_out[] =
    "{\"type\": \"sim_write\", \"channels\": ["
    "{\"type\": \"latch\", \"cmd_channel\": \"x\", \"input\": \"x\"}, "
    "{\"type\": \"latch\", \"cmd_channel\": \"y\", \"input\": \"y\"}]}";

static void set_up(struct fixture *f, const char *faults)
{
    char json[1024];
    snprintf(json, sizeof json, "{\"backend\": \"sim\", \"faults\": [%s]}", faults);
    bench_init(&f->bench, &hw_sim_driver);
    f->device = bench_device(&f->bench, "rig", json);
    bench_task(&f->bench, f->device, &f->in, ramp_in);
    bench_task(&f->bench, f->device, &f->out, latches_out);
    bench_start(&f->in);
    bench_start(&f->out);
}

static void tear_down(struct fixture *f)
{
    bench_stop(&f->in);
    bench_stop(&f->out);
    bench_task_free(&f->in);
    bench_task_free(&f->out);
    bench_device_close(&f->bench, f->device);
    bench_fini(&f->bench);
}

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9))
        fail_msg("%.17g is not %.17g", value, expected);
}

static void go_to(struct fixture *f, int64_t t_ns)
{
    bench_advance(&f->bench, t_ns - hw_sim_now_ns(f->device));
}

static void read_ok(struct fixture *f, uint32_t n_got, int64_t lost)
{
    if (bench_read(&f->in, 10, S) != HW_NOMINAL)
        fail_msg("%s", f->in.error.text);
    assert_int_equal(f->in.read.n_got, n_got);
    assert_int_equal(f->in.read.lost_samples, lost);
}

/* ---- Windows */

static void a_fault_is_active_in_its_windows_only(void **state)
{
    (void)state;
    struct sim_fault once = {.at_ns = 10, .for_ns = 5};
    assert_false(sim_fault_active(&once, 9));
    assert_true(sim_fault_active(&once, 10));
    assert_true(sim_fault_active(&once, 14));
    assert_false(sim_fault_active(&once, 15));
    assert_int_equal(sim_fault_end_ns(&once, 12), 15);
    struct sim_fault again = {.at_ns = 10, .for_ns = 5, .every_ns = 20};
    assert_true(sim_fault_active(&again, 34));
    assert_false(sim_fault_active(&again, 35));
    assert_int_equal(sim_fault_window(&again, 34), 1);
    assert_int_equal(sim_fault_end_ns(&again, 31), 35);
    struct sim_fault ever = {.at_ns = 10};
    assert_true(sim_fault_active(&ever, INT64_MAX));
    assert_true(sim_fault_end_ns(&ever, 11) == INT64_MAX);
}

/* ---- What is lost */

/* Lost from 0.05 s to 0.13 s: samples 5 to 12. */
static void a_dropout_gives_a_short_read_and_a_gap(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "{\"kind\": \"dropout\", \"at\": \"50ms\", \"for\": \"80ms\"}");
    go_to(&f, S);
    read_ok(&f, 5, 0);
    near(f.in.rows[0][4].f64, 0.04);
    read_ok(&f, 10, 8);
    near(f.in.rows[0][0].f64, 0.13);
    read_ok(&f, 10, 0);
    tear_down(&f);
}

/* What was there before the dropout is not held back until it ends. */
static void a_short_batch_comes_when_the_whole_one_was_due(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "{\"kind\": \"dropout\", \"at\": \"50ms\", \"for\": \"1h\"}");
    atomic_store(&f.bench.clock.look_ns, MS / 10);
    read_ok(&f, 5, 0);
    assert_true(hw_sim_now_ns(f.device) >= 100 * MS);
    assert_true(hw_sim_now_ns(f.device) < 110 * MS);
    assert_int_equal(bench_read(&f.in, 10, S), HW_TEMPORARY);
    assert_string_equal(f.in.error.text, "no data from rig in 1 s");
    tear_down(&f);
}

static void a_software_timed_pass_in_a_dropout_gives_nothing(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "{\"kind\": \"dropout\", \"at\": \"50ms\", \"for\": \"80ms\"}");
    struct bench_task soft;
    bench_task(&f.bench, f.device, &soft,
               "{\"type\": \"sim_read\", \"timing\": \"software\", \"channels\": "
               "[{\"type\": \"ramp\", \"channel\": \"a\", \"rate\": 1}]}");
    bench_start(&soft);
    assert_int_equal(bench_read(&soft, 1, S), HW_NOMINAL);
    assert_int_equal(soft.read.n_got, 1);
    go_to(&f, 60 * MS);
    assert_int_equal(bench_read(&soft, 1, S), HW_NOMINAL);
    assert_int_equal(soft.read.n_got, 0);
    bench_stop(&soft);
    bench_task_free(&soft);
    tear_down(&f);
}

static void an_overrun_shows_in_the_skew(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "{\"kind\": \"overrun\", \"at\": \"150ms\", \"for\": \"100ms\", \"count\": 5000}");
    go_to(&f, 100 * MS);
    read_ok(&f, 10, 0);
    assert_int_equal(f.in.read.skew_samples, 0);
    go_to(&f, 200 * MS);
    read_ok(&f, 10, 0);
    assert_int_equal(f.in.read.skew_samples, 5000);
    go_to(&f, 300 * MS);
    read_ok(&f, 10, 0);
    assert_int_equal(f.in.read.skew_samples, 0);
    tear_down(&f);
}

/* ---- What stops calls */

static void a_read_waits_through_a_stall_and_gets_its_samples(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "{\"kind\": \"stall\", \"at\": \"50ms\", \"for\": \"500ms\"}");
    go_to(&f, 60 * MS);
    atomic_store(&f.bench.clock.look_ns, MS / 10);
    assert_int_equal(bench_read(&f.in, 10, 100 * MS), HW_TEMPORARY);
    assert_string_equal(f.in.error.text, "no data from rig in 0.1 s");
    read_ok(&f, 10, 0);
    near(f.in.rows[0][0].f64, 0.0);
    assert_true(hw_sim_now_ns(f.device) >= 550 * MS);
    assert_true(f.in.read.skew_samples >= 44);
    tear_down(&f);
}

static void interrupt_ends_a_stall(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "{\"kind\": \"stall\", \"at\": \"50ms\"}");
    go_to(&f, 60 * MS);
    hw_sim_driver.loop->interrupt(f.in.task);
    assert_int_equal(bench_read(&f.in, 10, 3600 * S), HW_NOMINAL);
    assert_int_equal(f.in.read.n_got, 0);
    tear_down(&f);
}

static void an_error_has_its_class_code_and_text(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "{\"kind\": \"error\", \"at\": \"50ms\", \"for\": \"50ms\", \"class\": \"R\", "
               "\"code\": -200279, \"text\": \"buffer overwritten\"}, "
               "{\"kind\": \"error\", \"at\": \"200ms\", \"class\": \"C\"}");
    go_to(&f, 60 * MS);
    assert_int_equal(bench_read(&f.in, 10, S), HW_RESTART);
    assert_int_equal(f.in.error.cls, HW_RESTART);
    assert_int_equal(f.in.error.code, -200279);
    assert_string_equal(f.in.error.text, "rig: buffer overwritten [-200279]");
    bench_set(&f.out, 0, 1.0);
    assert_int_equal(bench_write(&f.out, S), HW_RESTART);
    go_to(&f, 200 * MS);
    assert_int_equal(bench_read(&f.in, 10, S), HW_CRITICAL);
    assert_string_equal(f.in.error.text, "rig: simulated error [0]");
    assert_int_equal(bench_counter(&f.bench, f.device, "errors"), 3);
    tear_down(&f);
}

static void a_disconnected_device_fails_everything_and_comes_back(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "{\"kind\": \"disconnect\", \"at\": \"60ms\", \"for\": \"3s\"}");
    assert_int_equal(hw_sim_driver.setup->probe(f.device, "", BASE_NEVER, &f.in.error), HW_NOMINAL);
    go_to(&f, 100 * MS);
    assert_int_equal(bench_read(&f.in, 10, S), HW_TEMPORARY);
    assert_string_equal(f.in.error.text, "rig is disconnected");
    bench_set(&f.out, 0, 1.0);
    assert_int_equal(bench_write(&f.out, S), HW_TEMPORARY);
    assert_int_equal(f.out.done[0], 0);
    assert_int_equal(hw_sim_driver.setup->probe(f.device, "", BASE_NEVER, &f.in.error),
                     HW_TEMPORARY);
    go_to(&f, 3500 * MS);
    assert_int_equal(hw_sim_driver.setup->probe(f.device, "", BASE_NEVER, &f.in.error), HW_NOMINAL);
    read_ok(&f, 6, 0);
    read_ok(&f, 10, 300);
    near(f.in.rows[0][0].f64, 3.06);
    assert_int_equal(bench_write(&f.out, S), HW_NOMINAL);
    tear_down(&f);
}

static void late_batches_come_later(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "{\"kind\": \"late\", \"at\": \"0s\", \"mean\": \"40ms\", \"jitter\": \"10ms\"}");
    atomic_store(&f.bench.clock.look_ns, MS / 10);
    for (int i = 1; i <= 5; i++) {
        read_ok(&f, 10, 0);
        assert_true(hw_sim_now_ns(f.device) >= i * (100 * MS) + 30 * MS);
        assert_true(hw_sim_now_ns(f.device) <= i * (100 * MS) + 51 * MS);
    }
    tear_down(&f);
}

/* ---- Values */

static void bias_and_stuck_and_nan_change_the_channels_they_name(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "{\"kind\": \"bias\", \"at\": \"20ms\", \"for\": \"20ms\", \"value\": 100, "
               "\"channels\": [\"a\"]}, "
               "{\"kind\": \"stuck\", \"at\": \"40ms\", \"for\": \"30ms\", \"channels\": [\"a\"]}, "
               "{\"kind\": \"nan\", \"at\": \"80ms\", \"for\": \"10ms\"}");
    go_to(&f, 200 * MS);
    read_ok(&f, 10, 0);
    const double a[] = {0, 0.01, 100.02, 100.03, 0.04, 0.04, 0.04, 0.07, NAN, 0.09};
    for (int i = 0; i < 10; i++) {
        if (i == 8) {
            assert_true(isnan(f.in.rows[0][i].f64));
            assert_true(isnan(f.in.rows[1][i].f64));
        } else {
            near(f.in.rows[0][i].f64, a[i]);
            near(f.in.rows[1][i].f64, 0.01 * i);
        }
    }
    tear_down(&f);
}

static void stuck_again_sticks_at_the_new_value(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "{\"kind\": \"stuck\", \"at\": \"10ms\", \"for\": \"20ms\", \"every\": \"50ms\"}");
    go_to(&f, 200 * MS);
    read_ok(&f, 10, 0);
    const double a[] = {0, 0.01, 0.01, 0.03, 0.04, 0.05, 0.06, 0.06, 0.08, 0.09};
    for (int i = 0; i < 10; i++)
        near(f.in.rows[0][i].f64, a[i]);
    tear_down(&f);
}

static void spikes_hit_their_share_of_the_samples(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "{\"kind\": \"spike\", \"at\": \"0s\", \"value\": -77, \"probability\": 0.2, "
               "\"channels\": [\"b\"]}");
    int hits = 0;
    for (int batch = 1; batch <= 200; batch++) {
        go_to(&f, batch * (100 * MS));
        read_ok(&f, 10, 0);
        for (int i = 0; i < 10; i++) {
            assert_true(f.in.rows[0][i].f64 >= 0.0);
            hits += f.in.rows[1][i].f64 == -77.0;
        }
    }
    assert_in_range(hits, 340, 460); /* 400 +- 3.3 sigma; the draws are always the same */
    tear_down(&f);
}

/* ---- Clocks */

static void a_clock_step_moves_the_wall_clock_of_the_task(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "{\"kind\": \"clock_step\", \"at\": \"1s\", \"for\": \"1s\", \"value\": -30}");
    const struct base_clock *clock = f.in.info->clock;
    assert_non_null(clock);
    int64_t utc_ns = base_clock_utc(f.bench.env.clock);
    int64_t mono_ns = base_clock_mono(f.bench.env.clock);
    assert_int_equal(base_clock_utc(clock), utc_ns);
    go_to(&f, S);
    assert_int_equal(base_clock_utc(clock), utc_ns + S - 30 * S);
    assert_int_equal(base_clock_mono(clock), mono_ns + S);
    go_to(&f, 2 * S);
    assert_int_equal(base_clock_utc(clock), utc_ns + 2 * S);
    tear_down(&f);
}

/* 10 % fast for half a second from 1 s on: 55 samples where 50 were expected. */
static void a_drift_bends_the_sample_clock_for_its_time(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "{\"kind\": \"drift\", \"at\": \"1s\", \"for\": \"500ms\", \"ppm\": 100000}");
    int n = 0;
    double last = -1.0;
    for (int batch = 1; batch <= 20; batch++) {
        go_to(&f, batch * (100 * MS));
        while (hw_sim_now_ns(f.device) >= batch * (100 * MS) &&
               bench_read(&f.in, 10, 0) == HW_NOMINAL) {
            for (int i = 0; i < 10; i++, n++) {
                double t = f.in.rows[0][i].f64;
                if (n > 0 && n <= 100)
                    near(t - last, 0.01);
                else if (n > 100 && n <= 150)
                    assert_true(fabs(t - last - 0.01 / 1.1) < 2e-9);
                else if (n > 156)
                    near(t - last, 0.01);
                last = t;
            }
        }
    }
    assert_in_range(n, 200, 205);
    tear_down(&f);
}

/* ---- Outputs */

static void a_rejected_write_fails_and_the_others_are_done(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "{\"kind\": \"write_reject\", \"at\": \"50ms\", \"channels\": [\"x\"], "
               "\"code\": 7, \"text\": \"interlock\"}");
    bench_set(&f.out, 0, 1.0);
    assert_int_equal(bench_write(&f.out, S), HW_NOMINAL);
    go_to(&f, 60 * MS);
    bench_set(&f.out, 0, 2.0);
    bench_set(&f.out, 1, 3.0);
    assert_int_equal(bench_write(&f.out, S), HW_TEMPORARY);
    assert_string_equal(f.out.error.text, "x (rig/x): write rejected: interlock [7]");
    assert_int_equal(f.out.error.channel, 0);
    assert_int_equal(f.out.done[0], 0);
    assert_int_equal(f.out.done[1], 1);
    union telem_value values[2];
    uint8_t valid[2];
    hw_sim_driver.loop->readback(f.out.task, values, valid, &f.out.error);
    near(values[0].f64, 1.0);
    near(values[1].f64, 3.0);
    tear_down(&f);
}

static void an_ignored_write_is_confirmed_and_does_nothing(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "{\"kind\": \"write_ignore\", \"at\": \"0s\", \"channels\": [\"y\"]}");
    bench_set(&f.out, 0, 1.0);
    bench_set(&f.out, 1, 1.0);
    assert_int_equal(bench_write(&f.out, S), HW_NOMINAL);
    assert_int_equal(f.out.done[1], 1);
    union telem_value values[2];
    uint8_t valid[2];
    hw_sim_driver.loop->readback(f.out.task, values, valid, &f.out.error);
    near(values[0].f64, 1.0);
    near(values[1].f64, 0.0);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_is_active_in_its_windows_only),
        cmocka_unit_test(a_dropout_gives_a_short_read_and_a_gap),
        cmocka_unit_test(a_short_batch_comes_when_the_whole_one_was_due),
        cmocka_unit_test(a_software_timed_pass_in_a_dropout_gives_nothing),
        cmocka_unit_test(an_overrun_shows_in_the_skew),
        cmocka_unit_test(a_read_waits_through_a_stall_and_gets_its_samples),
        cmocka_unit_test(interrupt_ends_a_stall),
        cmocka_unit_test(an_error_has_its_class_code_and_text),
        cmocka_unit_test(a_disconnected_device_fails_everything_and_comes_back),
        cmocka_unit_test(late_batches_come_later),
        cmocka_unit_test(bias_and_stuck_and_nan_change_the_channels_they_name),
        cmocka_unit_test(stuck_again_sticks_at_the_new_value),
        cmocka_unit_test(spikes_hit_their_share_of_the_samples),
        cmocka_unit_test(a_clock_step_moves_the_wall_clock_of_the_task),
        cmocka_unit_test(a_drift_bends_the_sample_clock_for_its_time),
        cmocka_unit_test(a_rejected_write_fails_and_the_others_are_done),
        cmocka_unit_test(an_ignored_write_is_confirmed_and_does_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
