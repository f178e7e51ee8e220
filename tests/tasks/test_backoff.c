#include "tasks/backoff.h"

#include "base/clock.h"
#include "tests/support/test.h"

static struct tasks_backoff backoff_with(double jitter, int32_t max_retries)
{
    struct tasks_retry retry = tasks_retry_default();
    retry.jitter = jitter;
    retry.max_retries = max_retries;
    struct tasks_backoff backoff;
    tasks_backoff_init(&backoff, &retry, 42);
    return backoff;
}

/* 1.0, 1.1, 1.21 ... 60 s at n = 44; 50 retries last about 17 min. */
static void waits_grow_by_a_tenth_up_to_a_minute(void **state)
{
    (void)state;
    struct tasks_backoff backoff = backoff_with(0, 50);
    int64_t wait[51], total = 0;
    for (int n = 1; n <= 50; n++) {
        assert_true(tasks_backoff_next(&backoff, &wait[n]));
        total += wait[n];
    }
    assert_int_equal(wait[1], 1000000000);
    assert_int_equal(wait[2], 1100000000);
    assert_int_equal(wait[3], 1210000000);
    assert_true(wait[43] < 60 * BASE_NS_PER_S);
    assert_int_equal(wait[44], 60 * BASE_NS_PER_S);
    assert_int_equal(wait[50], 60 * BASE_NS_PER_S);
    assert_in_range(total / BASE_NS_PER_S / 60, 16, 17);
}

static void after_the_last_retry_it_gives_up(void **state)
{
    (void)state;
    struct tasks_backoff backoff = backoff_with(0, 2);
    int64_t wait;
    assert_true(tasks_backoff_next(&backoff, &wait));
    assert_true(tasks_backoff_next(&backoff, &wait));
    assert_false(tasks_backoff_next(&backoff, &wait));
    assert_int_equal(backoff.n, 2);
}

static void minus_1_retries_for_ever(void **state)
{
    (void)state;
    struct tasks_backoff backoff = backoff_with(0, -1);
    int64_t wait = 0;
    for (int n = 0; n < 100000; n++)
        assert_true(tasks_backoff_next(&backoff, &wait));
    assert_int_equal(wait, 60 * BASE_NS_PER_S);
}

static void none_at_all_gives_up_at_once(void **state)
{
    (void)state;
    struct tasks_backoff backoff = backoff_with(0, 0);
    int64_t wait;
    assert_false(tasks_backoff_next(&backoff, &wait));
}

static void a_success_starts_from_the_base_again(void **state)
{
    (void)state;
    struct tasks_backoff backoff = backoff_with(0, 3);
    int64_t wait;
    for (int i = 0; i < 3; i++)
        assert_true(tasks_backoff_next(&backoff, &wait));
    tasks_backoff_reset(&backoff);
    assert_true(tasks_backoff_next(&backoff, &wait));
    assert_int_equal(wait, BASE_NS_PER_S);
}

static void jitter_stays_within_5_percent_on_both_sides(void **state)
{
    (void)state;
    struct tasks_backoff backoff = backoff_with(0.05, -1);
    int64_t lowest = INT64_MAX, highest = 0;
    for (int i = 0; i < 10000; i++) {
        int64_t wait;
        tasks_backoff_reset(&backoff);
        assert_true(tasks_backoff_next(&backoff, &wait));
        lowest = wait < lowest ? wait : lowest;
        highest = wait > highest ? wait : highest;
    }
    assert_in_range(lowest, 950000000, 952000000);
    assert_in_range(highest, 1048000000, 1050000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_grow_by_a_tenth_up_to_a_minute),
        cmocka_unit_test(after_the_last_retry_it_gives_up),
        cmocka_unit_test(minus_1_retries_for_ever),
        cmocka_unit_test(none_at_all_gives_up_at_once),
        cmocka_unit_test(a_success_starts_from_the_base_again),
        cmocka_unit_test(jitter_stays_within_5_percent_on_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
