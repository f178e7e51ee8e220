#include "config/reader.h"
#include "tests/support/test.h"

#include <locale.h>

static const char *const names[] = {"sample_rate", "stream_rate", "port", "enabled", "on"};

static const char *name_at(const void *ctx, uint32_t i)
{
    (void)ctx;
    return names[i];
}

static const char *nearest(const char *word)
{
    return config_nearest(word, name_at, NULL, ARCD_COUNT_OF(names));
}

static void the_nearest_name_is_at_most_two_mistakes_away(void **state)
{
    (void)state;
    assert_string_equal(nearest("sample_rte"), "sample_rate");
    assert_string_equal(nearest("smaple_rate"), "sample_rate");
    assert_string_equal(nearest("steam_rat"), "stream_rate");
    assert_string_equal(nearest("PORT"), "port");
    assert_string_equal(nearest("pots"), "port");
    assert_string_equal(nearest("enable"), "enabled");
    assert_null(nearest("rate"));
    assert_null(nearest("sample"));
    assert_null(nearest(""));
}

static void a_short_word_is_not_near_to_every_short_name(void **state)
{
    (void)state;
    assert_null(nearest("xy"));
    assert_string_equal(nearest("om"), "on");
}

static int64_t ns(const char *text)
{
    int64_t duration_ns = -1;
    return config_duration_parse(text, &duration_ns) ? duration_ns : -1;
}

static void durations_are_exact_in_every_unit(void **state)
{
    (void)state;
    assert_int_equal(ns("1ns"), 1);
    assert_int_equal(ns("250us"), 250000);
    assert_int_equal(ns("250ms"), 250000000);
    assert_int_equal(ns("0.1s"), 100000000);
    assert_int_equal(ns("1.5 h"), INT64_C(5400000000000));
    assert_int_equal(ns("5min"), INT64_C(300000000000));
    assert_int_equal(ns(".5s"), 500000000);
    assert_int_equal(ns("0.6ns"), 1);
    assert_int_equal(ns("1000000000s"), INT64_C(1000000000000000000));
    int64_t negative;
    assert_true(config_duration_parse("-2s", &negative));
    assert_int_equal(negative, INT64_C(-2000000000));
}

static void what_is_no_duration_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",      "5",   "s",   "5 sec", "5S",          "1.2.3s", "1.s",
        "1e3s",  "5s ", " 5s", "--5s",  "1000000001s", "0x5s",   "99999999999999999999999999h",
        "5ms5us"};
    for (size_t i = 0; i < ARCD_COUNT_OF(bad); i++)
        assert_int_equal(ns(bad[i]), -1);
}

static void durations_print_in_the_unit_that_reads_best(void **state)
{
    (void)state;
    char text[CONFIG_NUMBER_TEXT];
    assert_string_equal(config_duration_text(0, text), "0 s");
    assert_string_equal(config_duration_text(1, text), "1 ns");
    assert_string_equal(config_duration_text(1500, text), "1500 ns");
    assert_string_equal(config_duration_text(250000000, text), "250 ms");
    assert_string_equal(config_duration_text(INT64_C(60000000000), text), "60 s");
    assert_string_equal(config_duration_text(INT64_C(600000000000), text), "10 min");
    assert_string_equal(config_duration_text(INT64_C(3600000000000), text), "1 h");
    assert_string_equal(config_duration_text(INT64_C(-250000000), text), "-250 ms");
}

static void numbers_print_as_short_as_they_read_back(void **state)
{
    (void)state;
    char text[CONFIG_NUMBER_TEXT];
    assert_string_equal(config_number_text(0.1, text), "0.1");
    assert_string_equal(config_number_text(-0.0, text), "0");
    assert_string_equal(config_number_text(65535, text), "65535");
    assert_string_equal(config_number_text(0.1 + 0.2, text), "0.30000000000000004");
    assert_string_equal(config_number_text(1e300, text), "1e300");
}

/* A program that embeds the Driver may have set a locale with a decimal comma. */
static void a_decimal_comma_of_the_locale_changes_nothing(void **state)
{
    (void)state;
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL)
        skip();
    char text[CONFIG_NUMBER_TEXT];
    assert_string_equal(config_number_text(0.5, text), "0.5");
    assert_int_equal(ns("0.5s"), 500000000);
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_name_is_at_most_two_mistakes_away),
        cmocka_unit_test(a_short_word_is_not_near_to_every_short_name),
        cmocka_unit_test(durations_are_exact_in_every_unit),
        cmocka_unit_test(what_is_no_duration_is_refused),
        cmocka_unit_test(durations_print_in_the_unit_that_reads_best),
        cmocka_unit_test(numbers_print_as_short_as_they_read_back),
        cmocka_unit_test(a_decimal_comma_of_the_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
