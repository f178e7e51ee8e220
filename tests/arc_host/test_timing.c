#include "arc_host/timing.h"

#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>

static const int64_t US = 1000, MS = 1000000;

static struct arc_host_timing timing;
static struct arc_host_timing_snapshot snap;

/* A timer cycle for `deadline`, late by `late` and busy for `busy`. */
static void timer_cycle(int64_t deadline, int64_t late, int64_t busy)
{
    arc_host_timing_cycle(&timing,
                          &(struct arc_host_timing_cycle){.began_mono_ns = deadline + late,
                                                          .ended_mono_ns = deadline + late + busy,
                                                          .deadline_mono_ns = deadline,
                                                          .timers_run = true});
}

static void input_cycle(int64_t began, int64_t busy, bool timers_run)
{
    arc_host_timing_cycle(&timing, &(struct arc_host_timing_cycle){.began_mono_ns = began,
                                                                   .ended_mono_ns = began + busy,
                                                                   .deadline_mono_ns = BASE_NEVER,
                                                                   .by_input = true,
                                                                   .timers_run = timers_run});
}

/* The cycle of the start: no deadline, no input, slow. */
static void start(int64_t now)
{
    arc_host_timing_init(&timing);
    arc_host_timing_begin(&timing, now);
    arc_host_timing_cycle(&timing, &(struct arc_host_timing_cycle){.began_mono_ns = now,
                                                                   .ended_mono_ns = now + 5 * MS,
                                                                   .deadline_mono_ns = BASE_NEVER,
                                                                   .timers_run = true});
}

static void the_first_cycle_is_not_counted(void **state)
{
    (void)state;
    start(100 * MS);
    arc_host_timing_get(&timing, &snap);
    assert_int_equal(snap.cycles, 0);
    assert_int_equal(snap.comp_time.count, 0);
    timer_cycle(101 * MS, 50, 10 * US);
    arc_host_timing_get(&timing, &snap);
    assert_int_equal(snap.cycles, 1);
    assert_int_equal(snap.comp_time.max, 10 * US);
    assert_int_equal(snap.period.count, 0); /* it takes two */
    assert_int_equal(snap.since_mono_ns, 100 * MS);
}

static void figures_are_those_of_the_cycles(void **state)
{
    (void)state;
    start(0);
    for (int64_t i = 1; i <= 1000; i++)
        timer_cycle(i * MS, i % 100 == 0 ? 200 : 100, i == 500 ? 90 * US : 20 * US);
    arc_host_timing_get(&timing, &snap);
    assert_int_equal(snap.cycles, 1000);
    assert_int_equal(snap.overruns, 0);
    struct arc_host_timing_figures late = arc_host_timing_figures(&snap.lateness);
    assert_int_equal(late.count, 1000);
    assert_int_equal(late.min_ns, 100);
    assert_int_equal(late.p50_ns, 100);
    assert_int_equal(late.p99_ns, 100);
    assert_int_equal(late.p999_ns, 200);
    assert_int_equal(late.max_ns, 200);
    assert_true(fabs(late.mean_ns - 101) < 1e-9);
    struct arc_host_timing_figures comp = arc_host_timing_figures(&snap.comp_time);
    assert_int_equal(comp.max_ns, 90 * US);
    assert_int_equal(comp.min_ns, 20 * US);
    struct arc_host_timing_figures period = arc_host_timing_figures(&snap.period);
    assert_int_equal(period.count, 999);
    assert_true(llabs(period.p50_ns - MS) <= MS / 100);
}

static void jitter_is_the_standard_deviation_of_the_period(void **state)
{
    (void)state;
    start(0);
    /* Wake-ups at deadlines + 0, + 3 us, + 0, + 3 us ...: periods of 1 ms +- 3 us. */
    for (int64_t i = 1; i <= 1001; i++)
        timer_cycle(i * MS, i % 2 * 3 * US, US);
    assert_true(fabs(arc_host_timing_counts(&timing).jitter_ns - 3000) < 0.1);
    assert_true(fabs(arc_host_timing_counts(&timing).period_sum_ns / 1000.0 - (double)MS) < 0.1);
    start(0);
    for (int64_t i = 1; i <= 1000; i++)
        timer_cycle(i * MS, 0, US);
    assert_true(arc_host_timing_counts(&timing).jitter_ns < 1e-6);
}

static void data_between_two_deadlines_does_not_disturb_the_period(void **state)
{
    (void)state;
    start(0);
    for (int64_t i = 1; i <= 100; i++) {
        timer_cycle(i * MS, 0, US);
        input_cycle(i * MS + 333 * US, US, true);
    }
    arc_host_timing_get(&timing, &snap);
    assert_int_equal(snap.cycles, 200);
    assert_int_equal(snap.lateness.count, 100);
    assert_int_equal(snap.period.count, 99);
    assert_int_equal(snap.period.min, MS);
    assert_int_equal(snap.period.max, MS);
}

static void a_program_without_timers_has_the_period_of_its_data(void **state)
{
    (void)state;
    start(0);
    for (int64_t i = 1; i <= 100; i++)
        input_cycle(i * 20 * MS, US, false);
    arc_host_timing_get(&timing, &snap);
    assert_int_equal(snap.lateness.count, 0);
    assert_int_equal(snap.period.count, 99);
    assert_int_equal(snap.period.min, 20 * MS);
    assert_int_equal(snap.period.max, 20 * MS);
}

static void the_gap_between_two_timers_is_not_a_period(void **state)
{
    (void)state;
    start(0);
    timer_cycle(MS, 0, US);
    arc_host_timing_cycle(&timing, &(struct arc_host_timing_cycle){.began_mono_ns = 2 * MS,
                                                                   .ended_mono_ns = 2 * MS + US,
                                                                   .deadline_mono_ns = 2 * MS,
                                                                   .timers_run = false});
    input_cycle(900 * MS, US, true); /* starts a new timer */
    timer_cycle(901 * MS, 0, US);
    arc_host_timing_get(&timing, &snap);
    assert_int_equal(snap.period.count, 1);
    assert_int_equal(snap.period.max, MS);
}

static void overruns_add_up(void **state)
{
    (void)state;
    start(0);
    for (int64_t i = 1; i <= 3; i++)
        arc_host_timing_cycle(&timing, &(struct arc_host_timing_cycle){.began_mono_ns = i * MS,
                                                                       .ended_mono_ns = i * MS,
                                                                       .deadline_mono_ns = i * MS,
                                                                       .overruns = 49,
                                                                       .timers_run = true});
    assert_int_equal(arc_host_timing_counts(&timing).overruns, 147);
}

static void a_reset_is_honoured_by_the_next_cycle(void **state)
{
    (void)state;
    start(0);
    for (int64_t i = 1; i <= 10; i++)
        timer_cycle(i * MS, 700, 30 * US);
    arc_host_timing_ask_reset(&timing);
    arc_host_timing_get(&timing, &snap);
    assert_int_equal(snap.cycles, 10);
    timer_cycle(11 * MS, 40, 2 * US);
    arc_host_timing_get(&timing, &snap);
    assert_int_equal(snap.cycles, 1);
    assert_int_equal(snap.lateness.count, 1);
    assert_int_equal(snap.lateness.max, 40);
    assert_int_equal(snap.comp_time.max, 2 * US);
    assert_int_equal(snap.period.count, 1); /* the beat goes on */
    assert_int_equal(snap.since_mono_ns, 11 * MS + 40);
}

static void a_thread_that_waits_honours_a_reset_when_rung(void **state)
{
    (void)state;
    start(0);
    timer_cycle(MS, 10, US);
    arc_host_timing_ask_reset(&timing);
    arc_host_timing_honour(&timing, 2 * MS);
    assert_int_equal(arc_host_timing_counts(&timing).cycles, 0);
}

static void the_worst_is_taken_once(void **state)
{
    (void)state;
    start(0);
    timer_cycle(MS, 10, US);
    timer_cycle(2 * MS, 500, 9 * US);
    timer_cycle(3 * MS, 20, 4 * US);
    struct arc_host_timing_worst worst = arc_host_timing_take_worst(&timing);
    assert_int_equal(worst.lateness_ns, 500);
    assert_int_equal(worst.comp_time_ns, 9 * US);
    timer_cycle(4 * MS, 30, 5 * US);
    worst = arc_host_timing_take_worst(&timing);
    assert_int_equal(worst.lateness_ns, 30);
    assert_int_equal(worst.comp_time_ns, 5 * US);
    worst = arc_host_timing_take_worst(&timing);
    assert_int_equal(worst.lateness_ns, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_cycle_is_not_counted),
        cmocka_unit_test(figures_are_those_of_the_cycles),
        cmocka_unit_test(jitter_is_the_standard_deviation_of_the_period),
        cmocka_unit_test(data_between_two_deadlines_does_not_disturb_the_period),
        cmocka_unit_test(a_program_without_timers_has_the_period_of_its_data),
        cmocka_unit_test(the_gap_between_two_timers_is_not_a_period),
        cmocka_unit_test(overruns_add_up),
        cmocka_unit_test(a_reset_is_honoured_by_the_next_cycle),
        cmocka_unit_test(a_thread_that_waits_honours_a_reset_when_rung),
        cmocka_unit_test(the_worst_is_taken_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
