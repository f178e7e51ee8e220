/* Text of values: chosen cases of every verb, and random ones against the C library, which agrees
 * with Arc on d, x, o, f, e and g of finite numbers. */
#include "arc_host/format.h"

#include "arc/image.h"
#include "tests/support/test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static char buffer[4096];

/* "[flags][width][.precision]verb" as in a placeholder; NULL gives a form of str(). */
static struct arc_image_format parse(const char *text)
{
    struct arc_image_format spec = {.precision = -1};
    for (; strchr("#+- 0", *text) != NULL; text++) {
        spec.sharp |= *text == '#';
        spec.plus |= *text == '+';
        spec.minus |= *text == '-';
        spec.space |= *text == ' ';
        spec.zero |= *text == '0';
    }
    for (; *text >= '0' && *text <= '9'; text++)
        spec.width = (int16_t)(spec.width * 10 + *text - '0');
    if (*text == '.') {
        spec.precision = 0;
        for (text++; *text >= '0' && *text <= '9'; text++)
            spec.precision = (int16_t)(spec.precision * 10 + *text - '0');
    }
    spec.verb = *text;
    return spec;
}

static const char *done(struct arc_host_text *text)
{
    assert_false(text->full);
    buffer[text->len] = '\0';
    return buffer;
}

#define SHOW(name, type)                                                                           \
    static const char *show_##name(const char *spec_text, type value)                              \
    {                                                                                              \
        struct arc_host_text text = {.bytes = buffer, .capacity = sizeof buffer - 1};              \
        struct arc_image_format spec =                                                             \
            spec_text != NULL ? parse(spec_text) : (struct arc_image_format){.precision = -1};     \
        arc_host_format_##name(&text, spec_text != NULL ? &spec : NULL, value);                    \
        return done(&text);                                                                        \
    }
SHOW(i64, int64_t)
SHOW(u64, uint64_t)
SHOW(f64, double)
SHOW(f32, float)

static const char *show_str(const char *spec_text, const char *value)
{
    struct arc_host_text text = {.bytes = buffer, .capacity = sizeof buffer - 1};
    struct arc_image_format spec = parse(spec_text);
    arc_host_format_str(&text, &spec, value, (uint32_t)strlen(value));
    return done(&text);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void str_of_a_float_is_short_and_turns_scientific_outside_of_six_places(void **state)
{
    (void)state;
    assert_string_equal(show_f64(NULL, 1.0), "1");
    assert_string_equal(show_f64(NULL, 0.0), "0");
    assert_string_equal(show_f64(NULL, -0.0), "-0");
    assert_string_equal(show_f32(NULL, 3.1f), "3.1");
    assert_string_equal(show_f64(NULL, 123456.0), "123456");
    assert_string_equal(show_f64(NULL, 123456.7), "123456.7");
    assert_string_equal(show_f64(NULL, 1000000.0), "1e+06");
    assert_string_equal(show_f64(NULL, 1234567.0), "1.234567e+06");
    assert_string_equal(show_f64(NULL, 0.0001), "0.0001");
    assert_string_equal(show_f64(NULL, 0.00001), "1e-05");
    assert_string_equal(show_f64(NULL, -1.5e-300), "-1.5e-300");
    assert_string_equal(show_f64(NULL, 1.0 / 3), "0.3333333333333333");
    assert_string_equal(show_f32(NULL, 1.0f / 3), "0.33333334");
    assert_string_equal(show_f64(NULL, 100.25), "100.25");
    assert_string_equal(show_f64(NULL, NAN), "NaN");
    assert_string_equal(show_f64(NULL, INFINITY), "+Inf");
    assert_string_equal(show_f64(NULL, -INFINITY), "-Inf");
}

static void str_of_an_integer_is_decimal(void **state)
{
    (void)state;
    assert_string_equal(show_i64(NULL, 0), "0");
    assert_string_equal(show_i64(NULL, INT64_MIN), "-9223372036854775808");
    assert_string_equal(show_u64(NULL, UINT64_MAX), "18446744073709551615");
}

static void integers_show_base_prefix_sign_and_padding(void **state)
{
    (void)state;
    assert_string_equal(show_i64("#06x", 255), "0x0000ff"); /* zeros do not count the prefix */
    assert_string_equal(show_i64("#06x", -255), "-0x000ff");
    assert_string_equal(show_i64("#8x", 255), "    0xff");
    assert_string_equal(show_i64("O", 8), "0o10");
    assert_string_equal(show_i64("#o", 8), "010");
    assert_string_equal(show_i64("#o", 0), "0");
    assert_string_equal(show_i64("#b", 5), "0b101");
    assert_string_equal(show_i64("#X", 255), "0XFF");
    assert_string_equal(show_i64("x", -255), "-ff");
    assert_string_equal(show_i64("05d", -42), "-0042");
    assert_string_equal(show_i64("-5d", 42), "42   ");
    assert_string_equal(show_i64("-05d", 42), "42   ");
    assert_string_equal(show_i64("+d", 42), "+42");
    assert_string_equal(show_i64(" d", 42), " 42");
    assert_string_equal(show_i64("8.4d", 42), "    0042");
    assert_string_equal(show_i64("08.4d", 42), "    0042"); /* 0 is ignored beside a precision */
    assert_string_equal(show_i64(".0d", 0), "");
    assert_string_equal(show_i64("3.0d", 0), "   ");
    assert_string_equal(show_u64("b", UINT64_MAX),
                        "1111111111111111111111111111111111111111111111111111111111111111");
}

static void a_code_point_becomes_utf8(void **state)
{
    (void)state;
    assert_string_equal(show_i64("c", 'A'), "A");
    assert_string_equal(show_i64("c", 0xe9), "\xc3\xa9");
    assert_string_equal(show_i64("c", 0x20ac), "\xe2\x82\xac");
    assert_string_equal(show_i64("c", 0x1f600), "\xf0\x9f\x98\x80");
    assert_string_equal(show_i64("c", 0xd800), "\xef\xbf\xbd");
    assert_string_equal(show_i64("c", -1), "\xef\xbf\xbd");
    assert_string_equal(show_u64("c", 0x110000), "\xef\xbf\xbd");
    assert_string_equal(show_i64("4c", 0xe9), "   \xc3\xa9"); /* width counts code points */
}

static void floats_have_places_signs_and_zeros(void **state)
{
    (void)state;
    assert_string_equal(show_f64("+08.2f", 3.14), "+0003.14");
    assert_string_equal(show_f64("f", 2.0), "2.000000");
    assert_string_equal(show_f64(".0f", 2.5), "2");
    assert_string_equal(show_f64(".0f", 0.5), "0");
    assert_string_equal(show_f64(".1f", 0.06), "0.1");
    assert_string_equal(show_f64(".2f", 0.001), "0.00");
    assert_string_equal(show_f64(".2f", -0.001), "-0.00");
    assert_string_equal(show_f64(".2f", 99.999), "100.00");
    assert_string_equal(show_f64("e", 12345.678), "1.234568e+04");
    assert_string_equal(show_f64(".2E", 0.00012), "1.20E-04");
    assert_string_equal(show_f64("g", 0.1), "0.1");
    assert_string_equal(show_f64("G", 1e-7), "1E-07");
    assert_string_equal(show_f64(".3g", 1234.5), "1.23e+03");
    assert_string_equal(show_f64(".3g", 100.0), "100");
    assert_string_equal(show_f64(".0g", 15.0), "2e+01");
    assert_string_equal(show_f32("g", 0.1f), "0.1");
    assert_string_equal(show_f64("8.1f", 2.25), "     2.2");
    assert_string_equal(show_f64("-8.1f", 2.25), "2.2     ");
    assert_string_equal(show_f64("-08.1f", 2.25), "2.2     ");
    assert_string_equal(show_f64(" .1f", 2.25), " 2.2");
    assert_string_equal(show_f64("e", 0.0), "0.000000e+00");
    assert_string_equal(show_f64(".3f", 1e22), "10000000000000000000000.000");
}

static void specials_are_padded_with_blanks_only(void **state)
{
    (void)state;
    assert_string_equal(show_f64("08.2f", NAN), "     NaN");
    assert_string_equal(show_f64("06e", INFINITY), "  +Inf");
    assert_string_equal(show_f64("-6g", -INFINITY), "-Inf  ");
}

static void text_is_cut_and_padded_by_code_points(void **state)
{
    (void)state;
    assert_string_equal(show_str("s", "valve"), "valve");
    assert_string_equal(show_str("8s", "valve"), "   valve");
    assert_string_equal(show_str("-8s", "valve"), "valve   ");
    assert_string_equal(show_str(".3s", "valve"), "val");
    assert_string_equal(show_str("5.2s", "\xc3\xa9\xc3\xa8x"), "   \xc3\xa9\xc3\xa8");
    assert_string_equal(show_str("q", "a\"b\\c\n\t\x01\x7f"), "\"a\\\"b\\\\c\\n\\t\\x01\\x7f\"");
    assert_string_equal(show_str("6q", "ab"), "  \"ab\"");
    assert_string_equal(show_str(".1q", "ab"), "\"a\"");
    assert_string_equal(show_str("s", ""), "");
}

static void a_text_that_does_not_fit_is_marked_full(void **state)
{
    (void)state;
    char bytes[4];
    struct arc_host_text text = {.bytes = bytes, .capacity = sizeof bytes};
    arc_host_format_i64(&text, NULL, 12345);
    assert_true(text.full);
    assert_true(text.len <= sizeof bytes);
}

static void random_numbers_look_as_printf_shows_them(void **state)
{
    (void)state;
    const char *int_specs[] = {"d", "12d", "-12d", "+d", " d", ".7d", "15.3d"};
    const char *float_specs[] = {"f",      ".0f",  ".3f",    ".20f",  "12.4f",
                                 "-12.4f", "+.1f", "012.3f", " 9.2e", ".0e",
                                 ".17e",   ".12g", ".3g",    ".25g",  "G"};
    uint64_t seed = 3;
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = next_random(&seed);
        const char *spec = int_specs[bits % ARCD_COUNT_OF(int_specs)];
        char format[32], want[1200];
        int64_t whole = (int64_t)next_random(&seed) >> (bits % 63);
        snprintf(format, sizeof format, "%%%.*sl%c", (int)strlen(spec) - 1, spec,
                 spec[strlen(spec) - 1]);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(want, sizeof want, format, whole);
        assert_string_equal(show_i64(spec, whole), want);

        spec = float_specs[bits % (ARCD_COUNT_OF(float_specs) - 1)];
        double real;
        bits = next_random(&seed);
        memcpy(&real, &bits, sizeof real);
        if (i % 2 == 0)
            real = (double)whole / 1024;
        if (!isfinite(real))
            continue;
        snprintf(format, sizeof format, "%%%s", spec);
        snprintf(want, sizeof want, format, real);
#pragma GCC diagnostic pop
        assert_string_equal(show_f64(spec, real), want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(str_of_a_float_is_short_and_turns_scientific_outside_of_six_places),
        cmocka_unit_test(str_of_an_integer_is_decimal),
        cmocka_unit_test(integers_show_base_prefix_sign_and_padding),
        cmocka_unit_test(a_code_point_becomes_utf8),
        cmocka_unit_test(floats_have_places_signs_and_zeros),
        cmocka_unit_test(specials_are_padded_with_blanks_only),
        cmocka_unit_test(text_is_cut_and_padded_by_code_points),
        cmocka_unit_test(a_text_that_does_not_fit_is_marked_full),
        cmocka_unit_test(random_numbers_look_as_printf_shows_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
