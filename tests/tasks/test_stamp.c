#include "tasks/stamp.h"
#include "tests/support/test.h"

#include <math.h>

enum { ROWS = 256 };
static const int64_t MS = BASE_NS_PER_MS, S = BASE_NS_PER_S;

static struct tasks_stamper stamper(double rate_hz, bool correct)
{
    struct tasks_skew skew = tasks_skew_default();
    skew.correct = correct;
    struct tasks_stamper st;
    tasks_stamper_init(&st, &skew, 1e9 / rate_hz);
    return st;
}

/* Sample 100 Hz, stream 10 Hz, from 0, no correction. */
static void samples_are_one_period_apart_from_the_start_stamp(void **state)
{
    (void)state;
    struct tasks_stamper st = stamper(100, false);
    int64_t times[10];
    tasks_stamper_anchor(&st, 0);
    for (int k = 0; k < 3; k++) {
        tasks_stamper_batch(&st, 10, 100 * MS * (k + 1), 100 * MS * (k + 1), times);
        for (int i = 0; i < 10; i++)
            assert_int_equal(times[i], (k * 100 + i * 10) * MS);
    }
}

static void a_period_that_is_not_whole_does_not_accumulate(void **state)
{
    (void)state;
    struct tasks_stamper st = stamper(3, false);
    int64_t times[1], start = INT64_C(1767225600) * S;
    tasks_stamper_anchor(&st, start);
    for (int64_t k = 0; k < 3000; k++) {
        tasks_stamper_batch(&st, 1, start, start, times);
        if (k % 3 == 0)
            assert_in_range(times[0], start + k / 3 * S - 1, start + k / 3 * S);
    }
}

/* The numbers of the formulas: D = 40 ms; the read returned 1 ms after the end of the batch by
 * arithmetic, so e = -1 ms, u = 0.01 e = -10 us: the next batch begins 10 us later. */
static void the_next_batch_moves_by_kp_times_the_error(void **state)
{
    (void)state;
    struct tasks_stamper st = stamper(1000, true);
    int64_t times[40];
    tasks_stamper_anchor(&st, 0);
    struct tasks_stamp_report report = tasks_stamper_batch(&st, 40, 41 * MS, 41 * MS, times);
    assert_true(report.error_ns == -1e6);
    assert_int_equal(times[0], 0);
    assert_int_equal(times[1], 1000250); /* (40 ms + 10 us) / 40 */
    assert_int_equal(times[39], 39009750);
    tasks_stamper_batch(&st, 40, 81 * MS, 81 * MS, times);
    assert_int_equal(times[0], 40010000);
}

static void integral_and_derivative_follow_their_formulas(void **state)
{
    (void)state;
    struct tasks_skew skew = tasks_skew_default();
    skew.kp = 0;
    skew.ki = 0.5;
    skew.kd = 1e7;
    struct tasks_stamper st;
    int64_t times[40];
    tasks_stamper_init(&st, &skew, 1e6);
    tasks_stamper_anchor(&st, 0);
    tasks_stamper_batch(&st, 40, 40 * MS, 40 * MS, times); /* e = 0, first: nothing */
    /* e = -1 ms, dt = 41 ms: I = -4.1e13, held at -0.1 D = -4 ms; u = -2 ms - 1e7 * 1e6 / 41e6 */
    tasks_stamper_batch(&st, 40, 81 * MS, 81 * MS, times);
    double u = -2e6 - 1e13 / 41e6;
    tasks_stamper_batch(&st, 40, 121 * MS, 121 * MS, times);
    assert_int_equal(times[0], (int64_t)floor(80e6 - u));
}

static void a_batch_is_pulled_back_by_at_most_half_its_length(void **state)
{
    (void)state;
    struct tasks_skew skew = tasks_skew_default();
    skew.kp = 1;
    struct tasks_stamper st;
    int64_t times[10];
    tasks_stamper_init(&st, &skew, 10e6);
    tasks_stamper_anchor(&st, 900 * MS);
    tasks_stamper_batch(&st, 10, 100 * MS, 100 * MS, times); /* e = 900 ms */
    assert_int_equal(times[1] - times[0], 5 * MS);
    tasks_stamper_batch(&st, 10, 200 * MS, 200 * MS, times);
    assert_int_equal(times[0], 950 * MS);
}

/* Board 50 ppm slow against the wall clock, or fast, for one hour of 25 batches a second, with a
 * transport delay that jitters up to 0.4 ms: the stamps stay within 1 ms of the true times. */
static void drift_of_50_ppm_for_an_hour(double ppm)
{
    struct tasks_stamper st = stamper(1000, true);
    int64_t times[40], last = -1;
    uint32_t random = 1;
    double worst = 0, true_duration = 40e6 * (1 + ppm * 1e-6);
    tasks_stamper_anchor(&st, 0);
    for (int k = 0; k < 25 * 3600; k++) {
        random = random * 1664525 + 1013904223;
        int64_t returned = (int64_t)((k + 1) * true_duration) + random % (400 * 1000);
        tasks_stamper_batch(&st, 40, returned, returned, times);
        for (int i = 0; i < 40; i++) {
            assert_true(times[i] > last);
            last = times[i];
            worst = fmax(worst, fabs((double)times[i] - (k + i / 40.0) * true_duration));
        }
    }
    assert_true(worst < 1e6);
}

static void a_board_50_ppm_slow_stays_within_1_ms_for_an_hour(void **state)
{
    (void)state;
    drift_of_50_ppm_for_an_hour(50);
}

static void a_board_50_ppm_fast_stays_within_1_ms_for_an_hour(void **state)
{
    (void)state;
    drift_of_50_ppm_for_an_hour(-50);
}

/* Steady state: an error of drift * D / Kp, 200 us for 50 ppm at 40 ms. */
static void steady_drift_leaves_the_error_that_the_gain_allows(void **state)
{
    (void)state;
    struct tasks_stamper st = stamper(1000, true);
    int64_t times[40];
    struct tasks_stamp_report report = {0};
    tasks_stamper_anchor(&st, 0);
    for (int k = 0; k < 2000; k++) {
        int64_t now = (int64_t)((k + 1) * 40e6 * (1 + 50e-6));
        report = tasks_stamper_batch(&st, 40, now, now, times);
    }
    assert_true(fabs(report.error_ns + 200e3) < 2100); /* D * drift = 2 us within the batch */
}

static void without_correction_drift_is_kept_and_limits_hold(void **state)
{
    (void)state;
    struct tasks_stamper st = stamper(1000, false);
    int64_t times[40];
    tasks_stamper_anchor(&st, 0);
    for (int k = 0; k < 100; k++) {
        tasks_stamper_batch(&st, 40, INT64_C(41) * (k + 1) * MS, INT64_C(41) * (k + 1) * MS, times);
        assert_int_equal(times[0], INT64_C(40) * k * MS);
    }
}

static void a_step_forward_moves_the_index_to_the_new_time_at_once(void **state)
{
    (void)state;
    struct tasks_stamper st = stamper(100, true);
    int64_t times[10];
    tasks_stamper_anchor(&st, 0);
    struct tasks_stamp_report report = tasks_stamper_batch(&st, 10, 3600 * S, 100 * MS, times);
    assert_true(report.stepped_forward);
    assert_true(report.error_ns == -3600e9 + 100e6);
    assert_int_equal(times[9], 90 * MS); /* this batch was taken before */
    report = tasks_stamper_batch(&st, 10, 3600 * S + 100 * MS, 200 * MS, times);
    assert_false(report.stepped_forward);
    assert_int_equal(times[0], 3600 * S);
}

/* Ten batches of 2 s may be late by 20 s before that counts as a step. */
static void slow_batches_allow_ten_batch_lengths_before_a_step(void **state)
{
    (void)state;
    struct tasks_stamper st = stamper(1, true);
    int64_t times[2];
    tasks_stamper_anchor(&st, 0);
    assert_false(tasks_stamper_batch(&st, 2, 21 * S, 2 * S, times).stepped_forward);
    assert_true(tasks_stamper_batch(&st, 2, 60 * S, 4 * S, times).stepped_forward);
}

static void a_step_backward_warns_and_never_turns_the_index_round(void **state)
{
    (void)state;
    struct tasks_stamper st = stamper(100, true);
    int64_t times[10], last = -1, offset = 0;
    int warned = 0, k;
    tasks_stamper_anchor(&st, 100 * S);
    for (k = 0; k < 3000; k++) {
        if (k == 5)
            offset = -10 * S;
        int64_t now = 100 * S + INT64_C(100) * (k + 1) * MS + offset;
        struct tasks_stamp_report report = tasks_stamper_batch(&st, 10, now, now, times);
        warned += report.stepped_backward;
        for (int i = 0; i < 10; i++) {
            assert_true(times[i] > last);
            last = times[i];
        }
        if (k > 5 && !report.stepped_backward)
            break;
    }
    /* 10 s down to 1 s at one hundredth of the error, or half a batch, a batch. */
    assert_in_range(warned, 100, 300);
    assert_true(k < 3000);
}

static void known_losses_leave_a_gap_of_their_length(void **state)
{
    (void)state;
    struct tasks_stamper st = stamper(100, false);
    int64_t times[10];
    tasks_stamper_anchor(&st, 0);
    tasks_stamper_batch(&st, 10, 100 * MS, 100 * MS, times);
    tasks_stamper_lost(&st, 7);
    tasks_stamper_batch(&st, 10, 270 * MS, 270 * MS, times);
    assert_int_equal(times[0], 170 * MS);
}

static void a_short_read_takes_only_the_time_of_its_samples(void **state)
{
    (void)state;
    struct tasks_stamper st = stamper(100, false);
    int64_t times[10];
    tasks_stamper_anchor(&st, 0);
    tasks_stamper_batch(&st, 4, 40 * MS, 40 * MS, times);
    assert_int_equal(times[3], 30 * MS);
    tasks_stamper_batch(&st, 10, 140 * MS, 140 * MS, times);
    assert_int_equal(times[0], 40 * MS);
}

static void an_anchor_in_the_past_goes_on_just_after_the_last_stamp(void **state)
{
    (void)state;
    struct tasks_stamper st = stamper(100, true);
    int64_t times[10];
    tasks_stamper_anchor(&st, 5 * S);
    tasks_stamper_batch(&st, 10, 5 * S + 100 * MS, 100 * MS, times);
    int64_t last = times[9];
    tasks_stamper_anchor(&st, 1 * S);
    tasks_stamper_batch(&st, 10, 1 * S + 100 * MS, 200 * MS, times);
    assert_int_equal(times[0], last + 1);
}

/* At 10 GHz ten samples share a nanosecond; each still gets its own. */
static void stamps_strictly_increase_even_above_1_ghz(void **state)
{
    (void)state;
    struct tasks_stamper st = stamper(1e10, true);
    int64_t times[ROWS];
    tasks_stamper_anchor(&st, 0);
    tasks_stamper_batch(&st, ROWS, 51, 51, times);
    for (int i = 1; i < ROWS; i++)
        assert_true(times[i] > times[i - 1]);
}

static void a_pass_is_stamped_in_its_middle(void **state)
{
    (void)state;
    struct tasks_stamper st = stamper(10, true);
    assert_int_equal(tasks_stamper_pass(&st, 1000, 1400), 1200);
}

static void a_pass_after_the_clock_went_back_is_1_ns_later(void **state)
{
    (void)state;
    struct tasks_stamper st = stamper(10, true);
    tasks_stamper_pass(&st, 1000, 1000);
    assert_int_equal(tasks_stamper_pass(&st, 1000, 1000), 1001);
    assert_int_equal(tasks_stamper_pass(&st, 10, 20), 1002);
    assert_int_equal(tasks_stamper_pass(&st, 5000, 5000), 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_one_period_apart_from_the_start_stamp),
        cmocka_unit_test(a_period_that_is_not_whole_does_not_accumulate),
        cmocka_unit_test(the_next_batch_moves_by_kp_times_the_error),
        cmocka_unit_test(integral_and_derivative_follow_their_formulas),
        cmocka_unit_test(a_batch_is_pulled_back_by_at_most_half_its_length),
        cmocka_unit_test(a_board_50_ppm_slow_stays_within_1_ms_for_an_hour),
        cmocka_unit_test(a_board_50_ppm_fast_stays_within_1_ms_for_an_hour),
        cmocka_unit_test(steady_drift_leaves_the_error_that_the_gain_allows),
        cmocka_unit_test(without_correction_drift_is_kept_and_limits_hold),
        cmocka_unit_test(a_step_forward_moves_the_index_to_the_new_time_at_once),
        cmocka_unit_test(slow_batches_allow_ten_batch_lengths_before_a_step),
        cmocka_unit_test(a_step_backward_warns_and_never_turns_the_index_round),
        cmocka_unit_test(known_losses_leave_a_gap_of_their_length),
        cmocka_unit_test(a_short_read_takes_only_the_time_of_its_samples),
        cmocka_unit_test(an_anchor_in_the_past_goes_on_just_after_the_last_stamp),
        cmocka_unit_test(stamps_strictly_increase_even_above_1_ghz),
        cmocka_unit_test(a_pass_is_stamped_in_its_middle),
        cmocka_unit_test(a_pass_after_the_clock_went_back_is_1_ns_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
