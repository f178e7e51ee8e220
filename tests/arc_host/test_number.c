/* The arithmetic of Arc against 128-bit integers, on the corner values of every type. */
#include "arc_host/number.h"
#include "base/mark.h"
#include "tests/support/test.h"

#include <math.h>

/* The value wrapped into `bits`, as a two's complement number when it is signed. */
static __int128 wrap(__int128 value, int bits, bool is_signed)
{
    unsigned __int128 mask = ((unsigned __int128)1 << bits) - 1;
    unsigned __int128 low = (unsigned __int128)value & mask;
    if (is_signed && (low >> (bits - 1)) != 0)
        return (__int128)low - ((__int128)1 << bits);
    return (__int128)low;
}

static __int128 power(__int128 base, uint64_t exponent, int bits, bool is_signed)
{
    __int128 result = 1;
    for (uint64_t i = 0; i < exponent; i++)
        result =
            wrap((__int128)((unsigned __int128)result * (unsigned __int128)base), bits, is_signed);
    return result;
}

#define CHECK(what, got, want)                                                                     \
    do {                                                                                           \
        if ((__int128)(got) != (want))                                                             \
            fail_msg("%s of %lld and %lld", what, (long long)a, (long long)b);                     \
    } while (0)

#define CHECK_TYPE(T, C, W, is_signed, least, most)                                                \
    static void T##_wraps_at_its_width(void **state)                                               \
    {                                                                                              \
        (void)state;                                                                               \
        const int bits = 8 * (int)sizeof(C);                                                       \
        const C values[] = {0,         1,    2,        3,       7,       10,       least,          \
                            least + 1, most, most - 1, (C)(-1), (C)(-2), most / 2, most / 2 + 1,   \
                            100,       77};                                                        \
        for (size_t i = 0; i < ARCD_COUNT_OF(values); i++) {                                       \
            for (size_t j = 0; j < ARCD_COUNT_OF(values); j++) {                                   \
                const C a = values[i], b = values[j];                                              \
                const __int128 x = a, y = b;                                                       \
                CHECK("sum", arc_host_add_##T(a, b), wrap(x + y, bits, is_signed));                \
                CHECK("difference", arc_host_sub_##T(a, b), wrap(x - y, bits, is_signed));         \
                CHECK("product", arc_host_mul_##T(a, b),                                           \
                      wrap((__int128)((unsigned __int128)x * (unsigned __int128)y), bits,          \
                           is_signed));                                                            \
                CHECK("negative", arc_host_neg_##T(a), wrap(-x, bits, is_signed));                 \
                if (b != 0) {                                                                      \
                    CHECK("quotient", arc_host_div_##T(a, b), wrap(x / y, bits, is_signed));       \
                    CHECK("rest", arc_host_mod_##T(a, b), wrap(x % y, bits, is_signed));           \
                }                                                                                  \
                if (y >= 0 && y <= 200)                                                            \
                    CHECK("power", arc_host_pow_##T(a, b),                                         \
                          power(x, (uint64_t)y, bits, is_signed));                                 \
            }                                                                                      \
        }                                                                                          \
    }

CHECK_TYPE(i8, int8_t, uint32_t, true, INT8_MIN, INT8_MAX)
CHECK_TYPE(i16, int16_t, uint32_t, true, INT16_MIN, INT16_MAX)
CHECK_TYPE(i32, int32_t, uint32_t, true, INT32_MIN, INT32_MAX)
CHECK_TYPE(i64, int64_t, uint64_t, true, INT64_MIN, INT64_MAX)
CHECK_TYPE(u8, uint8_t, uint32_t, false, 0, UINT8_MAX)
CHECK_TYPE(u16, uint16_t, uint32_t, false, 0, UINT16_MAX)
CHECK_TYPE(u32, uint32_t, uint32_t, false, 0, UINT32_MAX)
CHECK_TYPE(u64, uint64_t, uint64_t, false, 0, UINT64_MAX)

static void a_negative_power_is_a_whole_number_or_a_fault(void **state)
{
    (void)state;
    assert_true(arc_host_pow_faults_i32(0, -1));
    assert_false(arc_host_pow_faults_i32(0, 0));
    assert_int_equal(arc_host_pow_i32(0, 0), 1);
    assert_int_equal(arc_host_pow_i32(1, -5), 1);
    assert_int_equal(arc_host_pow_i32(-1, -5), -1);
    assert_int_equal(arc_host_pow_i32(-1, -4), 1);
    assert_int_equal(arc_host_pow_i32(2, -1), 0);
    assert_int_equal(arc_host_pow_i64(INT64_MIN, -1), 0);
    assert_int_equal(arc_host_pow_i64(3, INT64_MIN), 0);
}

static void a_narrowing_cast_keeps_low_bits(void **state)
{
    (void)state;
    assert_int_equal(arc_host_cast_i64_i32(INT64_C(2147483648)), INT32_MIN);
    assert_int_equal(arc_host_cast_u16_u8(0x1ff), 0xff);
    assert_int_equal(arc_host_cast_u32_i32(UINT32_MAX), -1);
    assert_int_equal(arc_host_cast_u8_i8(200), -56);
    assert_int_equal(arc_host_cast_u32_i64(UINT32_MAX), INT64_C(4294967295));
}

static void a_negative_number_becomes_unsigned_zero(void **state)
{
    (void)state;
    assert_int_equal(arc_host_cast_i8_u8(-1), 0);
    assert_int_equal(arc_host_cast_i8_u64(-128), 0);
    assert_int_equal(arc_host_cast_i64_u8(-1), 0);
    assert_int_equal(arc_host_cast_i64_u8(300), 44); /* too large: low bits */
}

static void a_float_cast_saturates_and_nan_is_zero(void **state)
{
    (void)state;
    assert_int_equal(arc_host_cast_f64_i8(127.9), 127);
    assert_int_equal(arc_host_cast_f64_i8(-128.9), -128);
    assert_int_equal(arc_host_cast_f64_i8(1e9), 127);
    assert_int_equal(arc_host_cast_f64_i32(-1e300), INT32_MIN);
    assert_true(arc_host_cast_f64_i64(9.3e18) == INT64_MAX);
    assert_true(arc_host_cast_f64_i64(-INFINITY) == INT64_MIN);
    assert_true(arc_host_cast_f64_u64(INFINITY) == UINT64_MAX);
    assert_true(arc_host_cast_f64_u64(1.8446744073709550e19) == UINT64_C(18446744073709549568));
    assert_int_equal(arc_host_cast_f64_u8(-0.9), 0);
    assert_int_equal(arc_host_cast_f64_u8(-1.5), 0);
    assert_int_equal(arc_host_cast_f32_u16(65535.5f), 65535);
    assert_int_equal(arc_host_cast_f64_i32(NAN), 0);
    assert_int_equal(arc_host_cast_f32_u64(NAN), 0);
    assert_int_equal(arc_host_cast_f64_i32(-2.7), -2);
}

static void integers_become_the_nearest_float(void **state)
{
    (void)state;
    assert_true(arc_host_cast_i64_f64(INT64_C(9007199254740993)) == 9007199254740992.0);
    assert_true(arc_host_cast_u64_f64(UINT64_MAX) == 18446744073709551616.0);
    assert_true(arc_host_cast_i32_f32(16777217) == 16777216.0f);
    assert_true(isinf(arc_host_cast_f64_f32(1e300)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(i8_wraps_at_its_width),
        cmocka_unit_test(i16_wraps_at_its_width),
        cmocka_unit_test(i32_wraps_at_its_width),
        cmocka_unit_test(i64_wraps_at_its_width),
        cmocka_unit_test(u8_wraps_at_its_width),
        cmocka_unit_test(u16_wraps_at_its_width),
        cmocka_unit_test(u32_wraps_at_its_width),
        cmocka_unit_test(u64_wraps_at_its_width),
        cmocka_unit_test(a_negative_power_is_a_whole_number_or_a_fault),
        cmocka_unit_test(a_narrowing_cast_keeps_low_bits),
        cmocka_unit_test(a_negative_number_becomes_unsigned_zero),
        cmocka_unit_test(a_float_cast_saturates_and_nan_is_zero),
        cmocka_unit_test(integers_become_the_nearest_float),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
