#include "tasks/ticks.h"
#include "tests/support/test.h"

static const int64_t MS = BASE_NS_PER_MS, S = BASE_NS_PER_S;

static void tick_0_is_due_at_once_and_the_others_stay_on_the_grid(void **state)
{
    (void)state;
    struct tasks_ticks ticks;
    tasks_ticks_start(&ticks, 5 * S, 10);
    assert_int_equal(tasks_ticks_due(&ticks), 5 * S);
    assert_int_equal(tasks_ticks_done(&ticks, 5 * S + 30 * MS, 30 * MS), 0);
    assert_int_equal(tasks_ticks_due(&ticks), 5 * S + 100 * MS);
}

static void a_rate_that_is_not_whole_keeps_its_rate_for_a_day(void **state)
{
    (void)state;
    struct tasks_ticks ticks;
    tasks_ticks_start(&ticks, 0, 3);
    ticks.next = INT64_C(3) * 86400;
    assert_int_equal(tasks_ticks_due(&ticks), 86400 * S);
    ticks.next++;
    assert_int_equal(tasks_ticks_due(&ticks), 86400 * S + 333333334); /* never early */
}

static void skipped_ticks_are_counted_and_the_next_is_in_the_future(void **state)
{
    (void)state;
    struct tasks_ticks ticks;
    tasks_ticks_start(&ticks, 0, 1000);
    assert_int_equal(tasks_ticks_done(&ticks, 50 * MS + 1, 50 * MS), 50);
    assert_int_equal(tasks_ticks_due(&ticks), 51 * MS);
}

static void a_tick_that_is_due_just_when_the_pass_ends_has_passed(void **state)
{
    (void)state;
    struct tasks_ticks ticks;
    tasks_ticks_start(&ticks, 0, 1000);
    assert_int_equal(tasks_ticks_done(&ticks, 1 * MS, 1 * MS), 1);
    assert_int_equal(tasks_ticks_due(&ticks), 2 * MS);
}

static void a_pause_that_was_meant_counts_nothing(void **state)
{
    (void)state;
    struct tasks_ticks ticks;
    int64_t pass;
    tasks_ticks_start(&ticks, 0, 10);
    tasks_ticks_done(&ticks, 1 * MS, 1 * MS);
    tasks_ticks_resume(&ticks, 60 * S);
    assert_int_equal(tasks_ticks_due(&ticks), 60 * S);
    assert_int_equal(tasks_ticks_done(&ticks, 60 * S + 1 * MS, 1 * MS), 0);
    assert_false(tasks_ticks_too_slow(&ticks, 60 * S + 1 * MS, &pass));
}

static bool slow_with_missed_in_20(int missed, int64_t *pass_ns)
{
    struct tasks_ticks ticks;
    int64_t now = 0;
    tasks_ticks_start(&ticks, 0, 100);
    for (int i = 0; now < 6 * S; i++) {
        now = tasks_ticks_due(&ticks);
        int64_t pass = i % (20 - missed) == 0 ? (10 * missed + 5) * MS : 5 * MS;
        now += pass;
        tasks_ticks_done(&ticks, now, pass);
    }
    return tasks_ticks_too_slow(&ticks, now, pass_ns);
}

static void more_than_a_tenth_missed_in_5_s_is_too_slow(void **state)
{
    (void)state;
    int64_t pass_ns;
    assert_false(slow_with_missed_in_20(0, &pass_ns));
    assert_int_equal(pass_ns, 5 * MS);
    assert_false(slow_with_missed_in_20(1, &pass_ns));
    assert_true(slow_with_missed_in_20(3, &pass_ns));
    assert_in_range(pass_ns, 6 * MS, 7 * MS);
}

static void nothing_is_said_in_the_first_5_s(void **state)
{
    (void)state;
    struct tasks_ticks ticks;
    int64_t pass;
    tasks_ticks_start(&ticks, 0, 100);
    tasks_ticks_done(&ticks, 4 * S, 4 * S);
    assert_false(tasks_ticks_too_slow(&ticks, 4 * S, &pass));
    tasks_ticks_done(&ticks, 8 * S, 4 * S);
    assert_true(tasks_ticks_too_slow(&ticks, 8 * S, &pass));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tick_0_is_due_at_once_and_the_others_stay_on_the_grid),
        cmocka_unit_test(a_rate_that_is_not_whole_keeps_its_rate_for_a_day),
        cmocka_unit_test(skipped_ticks_are_counted_and_the_next_is_in_the_future),
        cmocka_unit_test(a_tick_that_is_due_just_when_the_pass_ends_has_passed),
        cmocka_unit_test(a_pause_that_was_meant_counts_nothing),
        cmocka_unit_test(more_than_a_tenth_missed_in_5_s_is_too_slow),
        cmocka_unit_test(nothing_is_said_in_the_first_5_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
