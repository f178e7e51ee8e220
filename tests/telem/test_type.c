#include "telem/type.h"

#include "tests/support/test.h"

#include <math.h>
#include <string.h>

static int64_t cast_i(enum telem_type type, double value)
{
    return telem_from_f64(type, value).i64;
}

static uint64_t cast_u(enum telem_type type, double value)
{
    return telem_from_f64(type, value).u64;
}

static void names_and_types_map_both_ways(void **state)
{
    (void)state;
    static const char *const names[] = {"i8",  "i16", "i32", "i64", "u8",  "u16",
                                        "u32", "u64", "f32", "f64", "str", "timestamp"};
    assert_int_equal(TELEM_TYPE_COUNT, 12);
    for (int t = 0; t < TELEM_TYPE_COUNT; t++) {
        assert_string_equal(telem_type_name((enum telem_type)t), names[t]);
        assert_int_equal(telem_type_from_name(names[t]), t);
    }
    assert_int_equal(telem_type_from_name("F64"), TELEM_TYPE_COUNT);
    assert_int_equal(telem_type_from_name(""), TELEM_TYPE_COUNT);
    assert_string_equal(telem_type_name(TELEM_TYPE_COUNT), "?");
}

static void sizes_are_those_of_the_c_types(void **state)
{
    (void)state;
#define CHECK_SIZE(NAME, name, ctype, bytes)                                                       \
    assert_int_equal(telem_type_size(TELEM_##NAME), sizeof(ctype));                                \
    assert_int_equal(bytes, sizeof(ctype));
    TELEM_NUMBER_TYPES(CHECK_SIZE)
#undef CHECK_SIZE
    assert_int_equal(telem_type_size(TELEM_STR), 8);
    assert_int_equal(telem_type_size(TELEM_TIMESTAMP), 8);
}

static void kinds_partition_the_types(void **state)
{
    (void)state;
    for (int t = 0; t < TELEM_TYPE_COUNT; t++) {
        enum telem_type type = (enum telem_type)t;
        assert_int_equal(
            telem_type_is_integer(type) + telem_type_is_float(type) + (type == TELEM_STR), 1);
        assert_int_equal(telem_type_is_number(type), type != TELEM_STR);
    }
    assert_true(telem_type_is_integer(TELEM_TIMESTAMP));
    assert_true(telem_type_is_signed(TELEM_TIMESTAMP));
    assert_true(telem_type_is_signed(TELEM_F32));
    assert_false(telem_type_is_signed(TELEM_U64));
}

static void a_stored_value_loads_back_and_leaves_its_neighbours(void **state)
{
    (void)state;
    for (int t = 0; t < TELEM_TYPE_COUNT; t++) {
        enum telem_type type = (enum telem_type)t;
        if (!telem_type_is_integer(type))
            continue;
        _Alignas(8) unsigned char column[3 * 8];
        memset(column, 0x5a, sizeof column);
        union telem_value one = {.i64 = telem_type_is_signed(type) ? -2 : 200};
        telem_store(type, column, 1, one);
        assert_int_equal(telem_load(type, column, 1).i64, one.i64);
        size_t size = telem_type_size(type);
        for (size_t i = 0; i < 3 * size; i++)
            if (i < size || i >= 2 * size)
                assert_int_equal(column[i], 0x5a);
    }
}

static void storing_an_integer_keeps_its_low_bits(void **state)
{
    (void)state;
    int8_t i8 = 0;
    telem_store(TELEM_I8, &i8, 0, (union telem_value){.i64 = 200});
    assert_int_equal(i8, -56);
    assert_int_equal(telem_load(TELEM_I8, &i8, 0).i64, -56);
    uint16_t u16 = 0;
    telem_store(TELEM_U16, &u16, 0, (union telem_value){.i64 = 65536 + 7});
    assert_int_equal(u16, 7);
    uint32_t u32 = 0;
    telem_store(TELEM_U32, &u32, 0, (union telem_value){.i64 = -1});
    assert_int_equal(telem_load(TELEM_U32, &u32, 0).u64, UINT32_MAX);
}

static void floats_store_and_load_bit_for_bit(void **state)
{
    (void)state;
    float f32[2] = {0};
    telem_store(TELEM_F32, f32, 1, (union telem_value){.f32 = -0.0f});
    assert_true(signbit(telem_load(TELEM_F32, f32, 1).f32));
    double f64[2] = {0};
    telem_store(TELEM_F64, f64, 1, (union telem_value){.f64 = 0.1});
    assert_true(telem_load(TELEM_F64, f64, 1).f64 == 0.1);
    assert_true(f64[0] == 0.0);
}

static void casts_round_half_to_even(void **state)
{
    (void)state;
    assert_int_equal(cast_i(TELEM_I32, 0.5), 0);
    assert_int_equal(cast_i(TELEM_I32, 1.5), 2);
    assert_int_equal(cast_i(TELEM_I32, 2.5), 2);
    assert_int_equal(cast_i(TELEM_I32, -0.5), 0);
    assert_int_equal(cast_i(TELEM_I32, -1.5), -2);
    assert_int_equal(cast_i(TELEM_I32, -2.5), -2);
    assert_int_equal(cast_u(TELEM_U8, 3.5), 4);
    assert_int_equal(cast_u(TELEM_U8, 4.5), 4);
    assert_int_equal(cast_i(TELEM_TIMESTAMP, 1e9 + 0.5), 1000000000);
}

static void casts_saturate_at_both_ends(void **state)
{
    (void)state;
    assert_int_equal(cast_i(TELEM_I8, 127.4), 127);
    assert_int_equal(cast_i(TELEM_I8, 127.5), 127);
    assert_int_equal(cast_i(TELEM_I8, 1e300), 127);
    assert_int_equal(cast_i(TELEM_I8, -128.5), -128);
    assert_int_equal(cast_i(TELEM_I8, -129.0), -128);
    assert_int_equal(cast_i(TELEM_I16, 40000), INT16_MAX);
    assert_int_equal(cast_i(TELEM_I16, -40000), INT16_MIN);
    assert_int_equal(cast_i(TELEM_I32, 2147483647.5), INT32_MAX);
    assert_int_equal(cast_i(TELEM_I32, -3e9), INT32_MIN);
    assert_int_equal(cast_u(TELEM_U8, 255.5), 255);
    assert_int_equal(cast_u(TELEM_U8, -0.6), 0);
    assert_int_equal(cast_u(TELEM_U16, 65536), UINT16_MAX);
    assert_int_equal(cast_u(TELEM_U32, 4294967296.0), UINT32_MAX);
    assert_int_equal(cast_u(TELEM_U32, -INFINITY), 0);
}

static void casts_to_64_bits_saturate_without_overflow(void **state)
{
    (void)state;
    assert_true(cast_i(TELEM_I64, 9223372036854775808.0) == INT64_MAX);
    assert_true(cast_i(TELEM_I64, 9223372036854774784.0) == INT64_C(9223372036854774784));
    assert_true(cast_i(TELEM_I64, -9223372036854775808.0) == INT64_MIN);
    assert_true(cast_i(TELEM_I64, INFINITY) == INT64_MAX);
    assert_true(cast_i(TELEM_I64, -INFINITY) == INT64_MIN);
    assert_true(cast_u(TELEM_U64, 18446744073709551616.0) == UINT64_MAX);
    assert_true(cast_u(TELEM_U64, 18446744073709549568.0) == UINT64_C(18446744073709549568));
    assert_true(cast_i(TELEM_TIMESTAMP, 1e30) == INT64_MAX);
}

static void nan_becomes_zero_in_integers_and_stays_in_floats(void **state)
{
    (void)state;
    assert_int_equal(cast_i(TELEM_I64, NAN), 0);
    assert_int_equal(cast_u(TELEM_U8, NAN), 0);
    assert_true(isnan(telem_from_f64(TELEM_F32, NAN).f32));
    assert_true(isnan(telem_from_f64(TELEM_F64, NAN).f64));
}

static void a_cast_to_f32_is_the_nearest_and_overflows_to_infinity(void **state)
{
    (void)state;
    assert_true(telem_from_f64(TELEM_F32, 0.1).f32 == 0.1f);
    assert_true(isinf(telem_from_f64(TELEM_F32, 1e39).f32));
    assert_true(telem_from_f64(TELEM_F32, -1e39).f32 < 0);
    assert_true(telem_from_f64(TELEM_F64, 0.1).f64 == 0.1);
}

static void values_become_doubles_by_the_sign_of_their_type(void **state)
{
    (void)state;
    union telem_value minus_one = {.i64 = -1};
    assert_true(telem_to_f64(TELEM_I64, minus_one) == -1.0);
    assert_true(telem_to_f64(TELEM_U64, minus_one) == 18446744073709551616.0);
    assert_true(telem_to_f64(TELEM_F32, (union telem_value){.f32 = 1.5f}) == 1.5);
    assert_true(telem_to_f64(TELEM_F64, (union telem_value){.f64 = -2.25}) == -2.25);
    assert_true(telem_to_f64(TELEM_TIMESTAMP, minus_one) == -1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_types_map_both_ways),
        cmocka_unit_test(sizes_are_those_of_the_c_types),
        cmocka_unit_test(kinds_partition_the_types),
        cmocka_unit_test(a_stored_value_loads_back_and_leaves_its_neighbours),
        cmocka_unit_test(storing_an_integer_keeps_its_low_bits),
        cmocka_unit_test(floats_store_and_load_bit_for_bit),
        cmocka_unit_test(casts_round_half_to_even),
        cmocka_unit_test(casts_saturate_at_both_ends),
        cmocka_unit_test(casts_to_64_bits_saturate_without_overflow),
        cmocka_unit_test(nan_becomes_zero_in_integers_and_stays_in_floats),
        cmocka_unit_test(a_cast_to_f32_is_the_nearest_and_overflows_to_infinity),
        cmocka_unit_test(values_become_doubles_by_the_sign_of_their_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
