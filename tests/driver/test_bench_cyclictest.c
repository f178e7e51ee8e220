#include "driver/bench/cyclictest.h"

#include "tests/support/test.h"

#include <math.h>
#include <string.h>

static struct bench_cyclictest_result result;
static struct bench_cyclictest_table table;

static enum arcd_err read_text(const char *text, int64_t unit_ns, struct arcd_errinfo *why)
{
    bench_cyclictest_table_init(&table, &result, unit_ns);
    bench_cyclictest_table_feed(&table, text, strlen(text));
    return bench_cyclictest_table_end(&table, why);
}

static const char one_thread[] = "# /dev/cpu_dma_latency set to 0us\n"
                                 "# Histogram\n"
                                 "000000 000000\n"
                                 "000007 000002\n"
                                 "000300 000001\n"
                                 "000999 000000\n"
                                 "# Total: 000000003\n"
                                 "# Min Latencies: 00007\n"
                                 "# Avg Latencies: 00104\n"
                                 "# Max Latencies: 00300\n"
                                 "# Histogram Overflows: 00000\n"
                                 "# Histogram Overflow at cycle number:\n"
                                 "# Thread 0:\n";

static void a_histogram_in_ns_is_read_value_by_value(void **state)
{
    (void)state;
    assert_int_equal(read_text(one_thread, 1, NULL), ARCD_OK);
    assert_int_equal(result.late.count, 3);
    assert_int_equal(result.late.min, 7);
    assert_int_equal(result.late.max, 300);
    assert_int_equal(base_histo_quantile(&result.late, 0.5), 7);
    assert_int_equal(result.n_threads, 1);
    assert_int_equal(result.thread[0].worst_ns, 300);
}

static void a_histogram_in_us_counts_as_ns(void **state)
{
    (void)state;
    assert_int_equal(read_text(one_thread, 1000, NULL), ARCD_OK);
    assert_int_equal(result.late.min, 7000);
    assert_int_equal(result.late.max, 300000);
    assert_true(fabs(result.thread[0].mean_ns - 104000) < 1);
}

/* Three of 100 values were later than the last bucket: cyclictest knows the worst of them, the
 * others are at least as late as the buckets go. */
static void what_is_later_than_the_buckets_is_counted_and_the_worst_is_exact(void **state)
{
    (void)state;
    const char text[] = "000000 000000\n000001 000097\n000002 000000\n# Total: 000000100\n"
                        "# Avg Latencies: 00003\n# Max Latencies: 00090\n"
                        "# Histogram Overflows: 00003\n# Thread 0: 00011 00012 00013\n";
    assert_int_equal(read_text(text, 1000, NULL), ARCD_OK);
    assert_int_equal(result.late.count, 100);
    assert_int_equal(result.late.max, 90000);
    assert_in_range(base_histo_quantile(&result.late, 0.99), 3000, 3030);
    assert_true(fabs(base_histo_mean(&result.late) - 3000) < 1);
}

static void threads_are_columns_and_count_together(void **state)
{
    (void)state;
    const char text[] = "000004 000001 000000 000005\n000005 000001 000002 000000\n"
                        "# Total: 000000002 000000002 000000005\n"
                        "# Avg Latencies: 00004 00005 00004\n# Max Latencies: 00005 00005 00004\n"
                        "# Histogram Overflows: 00000 00000 00000\n";
    assert_int_equal(read_text(text, 1000, NULL), ARCD_OK);
    assert_int_equal(result.n_threads, 3);
    assert_int_equal(result.late.count, 9);
    assert_int_equal(base_histo_quantile(&result.late, 0.5), 4015); /* the end of its bucket */
    assert_int_equal(result.thread[1].count, 2);
    assert_int_equal(result.thread[2].worst_ns, 4000);
}

static void it_does_not_matter_where_the_text_is_cut(void **state)
{
    (void)state;
    for (size_t at = 0; at < sizeof one_thread - 1; at++) {
        bench_cyclictest_table_init(&table, &result, 1);
        bench_cyclictest_table_feed(&table, one_thread, at);
        bench_cyclictest_table_feed(&table, one_thread + at, sizeof one_thread - 1 - at);
        assert_int_equal(bench_cyclictest_table_end(&table, NULL), ARCD_OK);
        assert_int_equal(result.late.count, 3);
        assert_int_equal(result.late.max, 300);
    }
}

static void a_refusal_is_an_error_with_its_own_words(void **state)
{
    (void)state;
    struct arcd_errinfo why;
    assert_int_equal(read_text("Unable to change scheduling policy!\n", 1, &why),
                     ARCD_ERR_PROTOCOL);
    assert_non_null(strstr(why.text, "Unable to change scheduling policy!"));
    assert_int_equal(read_text("", 1, &why), ARCD_ERR_PROTOCOL);
}

static void lines_without_end_and_numbers_without_sense_are_survived(void **state)
{
    (void)state;
    bench_cyclictest_table_init(&table, &result, 1);
    for (int i = 0; i < 3 * BENCH_CYCLICTEST_LINE; i++)
        bench_cyclictest_table_feed(&table, i % 7 == 0 ? " " : "9", 1);
    const char rest[] = "\n#\n#:\n# Total:\n99999999999999999999 1\n\n";
    bench_cyclictest_table_feed(&table, rest, strlen(rest));
    assert_int_equal(bench_cyclictest_table_end(&table, NULL), ARCD_ERR_PROTOCOL);
}

static void an_interval_that_cyclictest_cannot_run_is_refused(void **state)
{
    (void)state;
    struct bench_cyclictest run;
    struct arcd_errinfo why;
    struct bench_cyclictest_opts opts = {.period_ns = 333333};
    assert_int_equal(bench_cyclictest_start(&run, &opts, &why), ARCD_ERR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_histogram_in_ns_is_read_value_by_value),
        cmocka_unit_test(a_histogram_in_us_counts_as_ns),
        cmocka_unit_test(what_is_later_than_the_buckets_is_counted_and_the_worst_is_exact),
        cmocka_unit_test(threads_are_columns_and_count_together),
        cmocka_unit_test(it_does_not_matter_where_the_text_is_cut),
        cmocka_unit_test(a_refusal_is_an_error_with_its_own_words),
        cmocka_unit_test(lines_without_end_and_numbers_without_sense_are_survived),
        cmocka_unit_test(an_interval_that_cyclictest_cannot_run_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
