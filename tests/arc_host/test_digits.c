/* The digits against the C library's own reading and printing, on numbers of every exponent. */
#include "arc_host/digits.h"
#include "tests/support/test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM_NUMBERS = 100000 };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static double random_f64(uint64_t *state)
{
    double value;
    do {
        uint64_t bits = next_random(state);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return fabs(value);
}

static float random_f32(uint64_t *state)
{
    float value;
    do {
        uint32_t bits = (uint32_t)next_random(state);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return fabsf(value);
}

/* "0.ddde+X", which strtod reads. */
static const char *as_text(const struct arc_host_digits *digits)
{
    static char text[1024];
    snprintf(text, sizeof text, "0.%.*se%d", digits->n, digits->digit, digits->point);
    return text;
}

static void check_exact(double value)
{
    struct arc_host_digits digits;
    arc_host_digits_exact(value, &digits);
    char want[1200];
    snprintf(want, sizeof want, "%.790e", value);
    assert_int_equal(want[0], digits.n ? digits.digit[0] : '0');
    for (int i = 1; i < 790; i++)
        if (want[i + 1] != (i < digits.n ? digits.digit[i] : '0'))
            fail_msg("digit %d of %a", i, value);
    if (digits.n != 0)
        assert_int_equal(atoi(strchr(want, 'e') + 1), digits.point - 1);
}

/* The fewest digits of printf's that read back are what we want: it rounds to the closest. Where
 * another number of as many digits reads back too, ours must be no farther away. */
static void check_shortest_f64(double value)
{
    struct arc_host_digits digits;
    arc_host_digits_shortest_f64(value, &digits);
    if (strtod(as_text(&digits), NULL) != value)
        fail_msg("%a does not read back from %s", value, as_text(&digits));
    if (digits.n > 1) {
        char shorter[64];
        snprintf(shorter, sizeof shorter, "%.*e", digits.n - 2, value);
        if (strtod(shorter, NULL) == value)
            fail_msg("%a: %s is shorter than %s", value, shorter, as_text(&digits));
    }
    char same[64];
    snprintf(same, sizeof same, "%.*e", digits.n - 1, value);
    if (value != 0 && strtod(same, NULL) == value) {
        struct arc_host_digits rounded;
        arc_host_digits_exact(value, &rounded);
        arc_host_digits_round(&rounded, digits.n);
        if (rounded.point != digits.point ||
            memcmp(rounded.digit, digits.digit, (size_t)digits.n) != 0)
            fail_msg("%a: %s is closer than %s", value, same, as_text(&digits));
    }
}

static void check_shortest_f32(float value)
{
    struct arc_host_digits digits;
    arc_host_digits_shortest_f32(value, &digits);
    if (strtof(as_text(&digits), NULL) != value)
        fail_msg("%a does not read back from %s", (double)value, as_text(&digits));
    if (digits.n > 1) {
        char shorter[64];
        snprintf(shorter, sizeof shorter, "%.*e", digits.n - 2, (double)value);
        if (strtof(shorter, NULL) == value)
            fail_msg("%a: %s is shorter than %s", (double)value, shorter, as_text(&digits));
    }
}

static void exact_digits_are_those_of_printf(void **state)
{
    (void)state;
    const double chosen[] = {0,       1,       0.1,         0.5,    1e22,
                             1e23,    DBL_MAX, DBL_MIN,     5e-324, DBL_MIN - 5e-324,
                             123.456, 1e-5,    0x1.8p+1000, 9.5e15, 4503599627370497.5};
    for (size_t i = 0; i < ARCD_COUNT_OF(chosen); i++)
        check_exact(chosen[i]);
    uint64_t seed = 42;
    for (int i = 0; i < 3000; i++)
        check_exact(random_f64(&seed));
}

static void shortest_f64_reads_back_and_nothing_shorter_does(void **state)
{
    (void)state;
    const double chosen[] = {1,
                             0.1,
                             0.3,
                             1.0 / 3,
                             2.0 / 3,
                             1e21,
                             1e22,
                             1e23,
                             9007199254740992,
                             5e-324,
                             DBL_MAX,
                             DBL_MIN,
                             0x1p-1022,
                             0x1p+1000,
                             0x1p-1000,
                             123456,
                             999999.5,
                             2.2250738585072011e-308,
                             9.5367431640625e-07,
                             1e15,
                             1e-5};
    for (size_t i = 0; i < ARCD_COUNT_OF(chosen); i++)
        check_shortest_f64(chosen[i]);
    uint64_t seed = 7;
    for (int i = 0; i < RANDOM_NUMBERS; i++)
        check_shortest_f64(random_f64(&seed));
    for (int i = 0; i < RANDOM_NUMBERS; i++) /* what people write: few digits */
        check_shortest_f64((double)(next_random(&seed) % 10000000) / pow(10, (double)(i % 12)));
    for (int e = -1074; e < 1024; e++) {
        check_shortest_f64(ldexp(1, e));
        check_shortest_f64(nextafter(ldexp(1, e), 0));
        check_shortest_f64(nextafter(ldexp(1, e), INFINITY));
    }
}

static void shortest_f32_reads_back_and_nothing_shorter_does(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int i = 0; i < RANDOM_NUMBERS; i++)
        check_shortest_f32(random_f32(&seed));
    for (int i = 0; i < RANDOM_NUMBERS; i++)
        check_shortest_f32((float)(next_random(&seed) % 1000000) / powf(10, (float)(i % 9)));
    for (int e = -149; e < 128; e++) {
        check_shortest_f32(ldexpf(1, e));
        check_shortest_f32(nextafterf(ldexpf(1, e), 0));
        check_shortest_f32(nextafterf(ldexpf(1, e), INFINITY));
    }
}

static void a_number_that_few_digits_describe_has_few_digits(void **state)
{
    (void)state;
    struct arc_host_digits digits;
    arc_host_digits_shortest_f64(0.1, &digits);
    assert_int_equal(digits.n, 1);
    assert_int_equal(digits.point, 0);
    arc_host_digits_shortest_f32(3.1f, &digits);
    assert_int_equal(digits.n, 2);
    assert_memory_equal(digits.digit, "31", 2);
    arc_host_digits_shortest_f64(1e300, &digits);
    assert_int_equal(digits.n, 1);
    assert_int_equal(digits.point, 301);
}

static void rounding_is_half_to_even_on_the_exact_value(void **state)
{
    (void)state;
    struct arc_host_digits digits;
    arc_host_digits_exact(2.5, &digits);
    arc_host_digits_round(&digits, 1);
    assert_memory_equal(digits.digit, "2", 1);
    arc_host_digits_exact(3.5, &digits);
    arc_host_digits_round(&digits, 1);
    assert_memory_equal(digits.digit, "4", 1);
    arc_host_digits_exact(0.5, &digits); /* to no digit: 0 is even */
    arc_host_digits_round(&digits, 0);
    assert_int_equal(digits.n, 0);
    arc_host_digits_exact(0.50001, &digits);
    arc_host_digits_round(&digits, 0);
    assert_int_equal(digits.n, 1);
    assert_int_equal(digits.point, 1);
    arc_host_digits_exact(0.00996, &digits); /* 99 carries over the point */
    arc_host_digits_round(&digits, 1);
    assert_memory_equal(digits.digit, "1", 1);
    assert_int_equal(digits.point, -1);
    arc_host_digits_exact(0.0004, &digits);
    arc_host_digits_round(&digits, -2);
    assert_int_equal(digits.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_digits_are_those_of_printf),
        cmocka_unit_test(shortest_f64_reads_back_and_nothing_shorter_does),
        cmocka_unit_test(shortest_f32_reads_back_and_nothing_shorter_does),
        cmocka_unit_test(a_number_that_few_digits_describe_has_few_digits),
        cmocka_unit_test(rounding_is_half_to_even_on_the_exact_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
