#include "base/histo.h"

#include "tests/support/test.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

static struct base_histo histo;
static struct base_histo_copy copy;

static void record_n(int64_t value_ns, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        base_histo_record(&histo, value_ns);
}

static void an_empty_histogram_has_no_values_and_gives_zeros(void **state)
{
    (void)state;
    base_histo_init(&histo);
    base_histo_copy(&histo, &copy);
    assert_int_equal(copy.count, 0);
    assert_int_equal(copy.min, 0);
    assert_int_equal(copy.max, 0);
    assert_int_equal(base_histo_quantile(&copy, 0.5), 0);
    assert_true(base_histo_mean(&copy) == 0.0);
}

static void buckets_join_without_a_gap_up_to_17_s(void **state)
{
    (void)state;
    assert_int_equal(base_histo_bucket_from(0), 0);
    for (uint32_t i = 1; i < BASE_HISTO_BUCKETS; i++)
        assert_int_equal(base_histo_bucket_from(i), base_histo_bucket_to(i - 1) + 1);
    assert_int_equal(base_histo_bucket_to(BASE_HISTO_BUCKETS - 1), (INT64_C(1) << 34) - 1);
}

static void no_bucket_is_wider_than_one_percent_from_10_ns_to_10_s(void **state)
{
    (void)state;
    for (uint32_t i = 10; i < BASE_HISTO_BUCKETS; i++) {
        int64_t from = base_histo_bucket_from(i), to = base_histo_bucket_to(i);
        assert_true(to == from || (double)(to - from + 1) / (double)from <= 0.01);
    }
    assert_true(base_histo_bucket_to(BASE_HISTO_BUCKETS - 1) >= INT64_C(10000000000));
}

static void every_value_lands_in_the_bucket_whose_ends_hold_it(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < BASE_HISTO_BUCKETS; i += 7) {
        base_histo_init(&histo);
        base_histo_record(&histo, base_histo_bucket_from(i));
        base_histo_record(&histo, base_histo_bucket_to(i));
        base_histo_copy(&histo, &copy);
        assert_int_equal(copy.counts[i], 2);
        assert_int_equal(copy.count, 2);
    }
}

static void values_below_and_above_are_counted_and_show_in_min_and_max(void **state)
{
    (void)state;
    base_histo_init(&histo);
    base_histo_record(&histo, -5);
    base_histo_record(&histo, 1000);
    base_histo_record(&histo, INT64_C(1) << 34);
    base_histo_record(&histo, INT64_C(60000000000));
    base_histo_copy(&histo, &copy);
    assert_int_equal(copy.count, 4);
    assert_int_equal(copy.below, 1);
    assert_int_equal(copy.above, 2);
    assert_int_equal(copy.min, -5);
    assert_int_equal(copy.max, INT64_C(60000000000));
    assert_int_equal(base_histo_quantile(&copy, 0.25), -5);
    assert_int_equal(base_histo_quantile(&copy, 0.75), INT64_C(60000000000));
}

static void quantiles_are_those_of_the_sorted_values(void **state)
{
    (void)state;
    base_histo_init(&histo);
    record_n(10, 50);
    record_n(20, 49);
    record_n(90, 1);
    base_histo_copy(&histo, &copy);
    assert_int_equal(base_histo_quantile(&copy, 0.0), 10);
    assert_int_equal(base_histo_quantile(&copy, 0.5), 10);
    assert_int_equal(base_histo_quantile(&copy, 0.51), 20);
    assert_int_equal(base_histo_quantile(&copy, 0.99), 20);
    assert_int_equal(base_histo_quantile(&copy, 0.991), 90);
    assert_int_equal(base_histo_quantile(&copy, 1.0), 90);
    assert_true(fabs(base_histo_mean(&copy) - 15.7) < 1e-9);
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void quantiles_of_a_million_spread_values_are_within_one_percent(void **state)
{
    (void)state;
    enum { N = 1000000 };
    int64_t *values = malloc(N * sizeof *values);
    assert_non_null(values);
    uint64_t random = 88172645463325252u;
    base_histo_init(&histo);
    for (uint32_t i = 0; i < N; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        values[i] = (int64_t)exp(log(1e10) * (double)(random >> 11) / 9007199254740992.0);
        base_histo_record(&histo, values[i]);
    }
    base_histo_copy(&histo, &copy);
    qsort(values, N, sizeof *values, by_value);
    const double qs[] = {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999};
    for (size_t i = 0; i < ARCD_COUNT_OF(qs); i++) {
        double exact = (double)values[(size_t)ceil(qs[i] * N) - 1];
        double got = (double)base_histo_quantile(&copy, qs[i]);
        assert_true(got >= exact && got <= exact * 1.01);
    }
    free(values);
}

static void merging_is_like_recording_both(void **state)
{
    (void)state;
    static struct base_histo_copy sum;
    base_histo_copy_init(&sum);
    base_histo_init(&histo);
    record_n(100, 3);
    base_histo_copy(&histo, &copy);
    base_histo_merge(&sum, &copy);
    base_histo_init(&histo);
    record_n(-1, 1);
    record_n(5000, 4);
    base_histo_copy(&histo, &copy);
    base_histo_merge(&sum, &copy);
    base_histo_init(&histo);
    base_histo_copy(&histo, &copy);
    base_histo_merge(&sum, &copy); /* an empty one changes nothing */
    assert_int_equal(sum.count, 8);
    assert_int_equal(sum.below, 1);
    assert_int_equal(sum.min, -1);
    assert_int_equal(sum.max, 5000);
    assert_int_equal(base_histo_quantile(&sum, 0.5), 100);
    assert_true(fabs(base_histo_mean(&sum) - 20299.0 / 8) < 1e-9);
}

static void adding_to_a_copy_is_like_recording(void **state)
{
    (void)state;
    static struct base_histo_copy recorded;
    base_histo_init(&histo);
    base_histo_copy_init(&copy);
    const int64_t values[] = {-5, 0, 7, 300, 41000, INT64_C(1) << 40, 7};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        for (size_t n = 0; n < i; n++)
            base_histo_record(&histo, values[i]);
        base_histo_copy_add(&copy, values[i], i);
    }
    base_histo_copy(&histo, &recorded);
    assert_memory_equal(&copy, &recorded, sizeof copy);
}

static void a_reset_is_honoured_by_the_next_record(void **state)
{
    (void)state;
    base_histo_init(&histo);
    record_n(-7, 2);
    record_n(700, 10);
    base_histo_ask_reset(&histo);
    base_histo_copy(&histo, &copy);
    assert_int_equal(copy.count, 12);
    base_histo_record(&histo, 30);
    base_histo_copy(&histo, &copy);
    assert_int_equal(copy.count, 1);
    assert_int_equal(copy.below, 0);
    assert_int_equal(copy.min, 30);
    assert_int_equal(copy.max, 30);
    assert_true(fabs(base_histo_mean(&copy) - 30.0) < 1e-9);
}

/* One thread records (with its own resets), another copies and asks for resets. */
enum { STRESS_RECORDS = 400000 };

static void *record_much(void *arg)
{
    _Atomic bool *done = arg;
    for (int64_t i = 0; i < STRESS_RECORDS; i++)
        base_histo_record(&histo, 1000 + i % 50);
    atomic_store(done, true);
    return NULL;
}

static void copies_made_while_recording_are_consistent(void **state)
{
    (void)state;
    _Atomic bool done = false;
    base_histo_init(&histo);
    pthread_t recorder;
    assert_int_equal(pthread_create(&recorder, NULL, record_much, &done), 0);
    for (uint32_t round = 0; !atomic_load(&done); round++) {
        base_histo_copy(&histo, &copy);
        if (copy.count > 0) {
            assert_true(copy.min >= 1000 && copy.max < 1050);
            int64_t median = base_histo_quantile(&copy, 0.5);
            assert_true(median >= copy.min && median <= copy.max);
        }
        assert_true(copy.count <= STRESS_RECORDS);
        if (round % 64 == 0)
            base_histo_ask_reset(&histo);
    }
    pthread_join(recorder, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_histogram_has_no_values_and_gives_zeros),
        cmocka_unit_test(buckets_join_without_a_gap_up_to_17_s),
        cmocka_unit_test(no_bucket_is_wider_than_one_percent_from_10_ns_to_10_s),
        cmocka_unit_test(every_value_lands_in_the_bucket_whose_ends_hold_it),
        cmocka_unit_test(values_below_and_above_are_counted_and_show_in_min_and_max),
        cmocka_unit_test(quantiles_are_those_of_the_sorted_values),
        cmocka_unit_test(quantiles_of_a_million_spread_values_are_within_one_percent),
        cmocka_unit_test(merging_is_like_recording_both),
        cmocka_unit_test(adding_to_a_copy_is_like_recording),
        cmocka_unit_test(a_reset_is_honoured_by_the_next_record),
        cmocka_unit_test(copies_made_while_recording_are_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
