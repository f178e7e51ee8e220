#include "driver/bench/picture.h"
#include "driver/bench/result.h"

#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct bench_result *some_result(void)
{
    struct bench_result *result = bench_result_new();
    result->test = "timers";
    result->rate_hz = 1000;
    result->level = "high";
    result->load = "idle";
    result->realtime = true;
    result->cpu = 1;
    result->ours.has_cpu_share = true;
    result->ours.cpu_share = 0.04;
    base_histo_copy_add(&result->ours.late, 100, 990);
    base_histo_copy_add(&result->ours.late, 27000, 10);
    return result;
}

static void add_versus(struct bench_result *result)
{
    result->has_versus = true;
    result->versus.name = "cyclictest";
    base_histo_copy_add(&result->versus.late, 200, 990);
    base_histo_copy_add(&result->versus.late, 54000, 10);
}

static double number(const json_t *json, const char *side, const char *field)
{
    const json_t *value = json_object_get(json_object_get(json, side), field);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

/* In the order and with the names that docs/benchmarks.md promises. */
static void json_has_every_field_in_the_promised_order(void **state)
{
    (void)state;
    struct bench_result *result = some_result();
    add_versus(result);
    json_t *json = bench_result_json(result);
    char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(12));
    assert_string_equal(
        text, "{\"test\":\"timers\",\"rate_hz\":1000.0,\"level\":\"high\",\"load\":\"idle\","
              "\"realtime\":true,\"cpu\":1,\"early\":0,\"overruns\":0,"
              "\"ours\":{\"count\":1000,\"mean_us\":0.369,\"p50_us\":0.1,\"p99_us\":0.1,"
              "\"p999_us\":27.0,\"p9999_us\":27.0,\"worst_us\":27.0,\"cpu_share\":0.04},"
              "\"versus\":{\"name\":\"cyclictest\",\"count\":1000,\"mean_us\":0.738,"
              "\"p50_us\":0.2,\"p99_us\":0.2,\"p999_us\":54.0,\"p9999_us\":54.0,"
              "\"worst_us\":54.0},"
              "\"ratio\":{\"mean\":0.5,\"p50\":0.5,\"p99\":0.5,\"p999\":0.5,\"p9999\":0.5,"
              "\"worst\":0.5}}");
    free(text);
    json_decref(json);
    bench_result_free(result);
}

static void without_a_comparator_there_is_no_ratio(void **state)
{
    (void)state;
    struct bench_result *result = some_result();
    json_t *json = bench_result_json(result);
    assert_null(json_object_get(json, "versus"));
    assert_null(json_object_get(json, "ratio"));
    assert_true(fabs(number(json, "ours", "worst_us") - 27) < 1e-9);
    json_decref(json);
    bench_result_free(result);
}

static void a_ratio_to_nothing_is_null(void **state)
{
    (void)state;
    struct bench_result *result = some_result();
    result->has_versus = true;
    result->versus.name = "cyclictest";
    base_histo_copy_add(&result->versus.late, 0, 5);
    json_t *json = bench_result_json(result);
    assert_true(json_is_null(json_object_get(json_object_get(json, "ratio"), "p50")));
    json_decref(json);
    bench_result_free(result);
}

/* ---- The picture */

static char *draw(const struct bench_result *result, const char *title)
{
    char *text = NULL;
    size_t size = 0;
    struct bench_panel panel = {.result = result};
    snprintf(panel.title, sizeof panel.title, "%s", title);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    bench_picture_write(out, &panel, 1);
    fclose(out);
    return text;
}

static uint32_t count_of(const char *text, const char *word)
{
    uint32_t n = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        n++;
    return n;
}

static void the_picture_shows_both_sides_with_their_figures(void **state)
{
    (void)state;
    struct bench_result *result = some_result();
    add_versus(result);
    char *text = draw(result, "1 kHz & <more>");
    assert_non_null(strstr(text, "1 kHz &amp; &lt;more&gt;"));
    assert_non_null(strstr(text, "arcd, 1000 fires"));
    assert_non_null(strstr(text, "cyclictest, 1000 fires"));
    assert_non_null(strstr(text, "worst 27 \xc2\xb5s"));
    assert_non_null(strstr(text, "worst 54 \xc2\xb5s"));
    assert_int_equal(count_of(text, "stroke-width='1.6'"), 2); /* an outline each */
    assert_non_null(strstr(text, "</svg>"));
    free(text);
    bench_result_free(result);
}

static void extreme_values_stay_in_the_picture(void **state)
{
    (void)state;
    struct bench_result *result = some_result();
    const int64_t extremes[] = {-1, 0, 1, 9, 10, 99999, 100000, INT64_C(1) << 33, INT64_C(1) << 40};
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
        base_histo_copy_init(&result->ours.late);
        base_histo_copy_add(&result->ours.late, extremes[i], 1);
        char *text = draw(result, "");
        assert_null(strstr(text, "nan"));
        assert_null(strstr(text, "inf"));
        assert_int_equal(count_of(text, "='-"), 0); /* no place left of or above the picture */
        free(text);
    }
    bench_result_free(result);
}

static void a_place_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    struct bench_result *result = some_result();
    struct bench_panel panel = {.result = result};
    struct arcd_errinfo why;
    assert_int_not_equal(bench_picture_save("/no/such/folder/a.svg", &panel, 1, &why), ARCD_OK);
    assert_non_null(strstr(why.text, "/no/such/folder/a.svg"));
    bench_result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_every_field_in_the_promised_order),
        cmocka_unit_test(without_a_comparator_there_is_no_ratio),
        cmocka_unit_test(a_ratio_to_nothing_is_null),
        cmocka_unit_test(the_picture_shows_both_sides_with_their_figures),
        cmocka_unit_test(extreme_values_stay_in_the_picture),
        cmocka_unit_test(a_place_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
