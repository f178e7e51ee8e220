#include "tasks/convert.h"
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

static const double samples[] = {
    0,      -0.0,   0.5,    1.5,   2.5,    -0.5,     -1.5,      126.5,   127.5,
    128,    -128,   -128.5, -129,  255,    255.5,    256,       32767.5, 65535.4,
    1e10,   -1e10,  1e19,   -1e19, 2e19,   0x1p53,   -0x1p53,   0x1p63,  -0x1p63,
    0x1p64, 3.4e38, 3.5e38, -1e39, 1e-300, INFINITY, -INFINITY, NAN,
};

static bool same_value(enum telem_type type, union telem_value a, union telem_value b)
{
    if (type == TELEM_F64)
        return a.f64 == b.f64 || (isnan(a.f64) && isnan(b.f64));
    if (type == TELEM_F32)
        return a.f32 == b.f32 || (isnan(a.f32) && isnan(b.f32));
    return a.u64 == b.u64;
}

static void a_whole_row_is_cast_as_each_sample_alone(void **state)
{
    (void)state;
    for (enum telem_type type = 0; type < TELEM_TYPE_COUNT; type++) {
        if (!telem_type_is_number(type))
            continue;
        uint64_t column[ARCD_COUNT_OF(samples)];
        bool had_nan = tasks_convert_narrow(samples, ARCD_COUNT_OF(samples), type, column);
        assert_int_equal(had_nan, telem_type_is_integer(type));
        for (size_t i = 0; i < ARCD_COUNT_OF(samples); i++)
            assert_true(
                same_value(type, telem_load(type, column, i), telem_from_f64(type, samples[i])));
    }
}

static void integers_round_half_to_even_and_saturate(void **state)
{
    (void)state;
    const double row[] = {0.5, 1.5, -0.5, -1.5, 300, -300, NAN};
    int8_t column[7];
    assert_true(tasks_convert_narrow(row, 7, TELEM_I8, column));
    const int8_t expected[] = {0, 2, 0, -2, 127, -128, 0};
    assert_memory_equal(column, expected, sizeof expected);
}

/* 64-bit counters and ns times above 2^53 lose their last digits in a double. */
static void integers_of_64_bits_are_copied_exactly(void **state)
{
    (void)state;
    union telem_value row[] = {{.i64 = INT64_MAX},
                               {.i64 = INT64_MIN},
                               {.i64 = INT64_C(9007199254740993)},
                               {.i64 = -INT64_C(9007199254740993)}};
    int64_t column[4];
    tasks_convert_copy(HW_I64, row, 4, TELEM_I64, column);
    for (int i = 0; i < 4; i++)
        assert_true(column[i] == row[i].i64);
    tasks_convert_copy(HW_I64, row, 4, TELEM_TIMESTAMP, column);
    assert_true(column[2] == INT64_C(9007199254740993));
    union telem_value unsigned_row[] = {{.u64 = UINT64_MAX}};
    uint64_t unsigned_column[1];
    tasks_convert_copy(HW_U64, unsigned_row, 1, TELEM_U64, unsigned_column);
    assert_true(unsigned_column[0] == UINT64_MAX);
}

static void integers_that_do_not_fit_saturate(void **state)
{
    (void)state;
    union telem_value row[] = {{.i64 = -1}, {.i64 = 70000}, {.i64 = 5}};
    uint16_t u16[3];
    tasks_convert_copy(HW_I64, row, 3, TELEM_U16, u16);
    assert_true(u16[0] == 0 && u16[1] == 65535 && u16[2] == 5);
    uint64_t u64[3];
    tasks_convert_copy(HW_I64, row, 3, TELEM_U64, u64);
    assert_true(u64[0] == 0 && u64[1] == 70000);
    int8_t i8[3];
    tasks_convert_copy(HW_I64, row, 3, TELEM_I8, i8);
    assert_true(i8[0] == -1 && i8[1] == 127 && i8[2] == 5);
    union telem_value big[] = {{.u64 = UINT64_MAX}};
    int64_t i64[1];
    tasks_convert_copy(HW_U64, big, 1, TELEM_I64, i64);
    assert_true(i64[0] == INT64_MAX);
    float f32[1];
    tasks_convert_copy(HW_U64, big, 1, TELEM_F32, f32);
    assert_true(f32[0] == 0x1p64f);
}

static void device_values_widen_by_their_kind(void **state)
{
    (void)state;
    union telem_value row[] = {{.i64 = -7}};
    double wide;
    tasks_convert_widen(HW_I64, row, 1, &wide);
    assert_true(wide == -7);
    row[0].u64 = UINT64_MAX;
    tasks_convert_widen(HW_U64, row, 1, &wide);
    assert_true(wide == 0x1p64);
    row[0].f64 = 0.1;
    tasks_convert_widen(HW_F64, row, 1, &wide);
    assert_true(wide == 0.1);
}

static void commands_reach_the_device_exactly_or_saturate(void **state)
{
    (void)state;
    union telem_value v = {.i64 = INT64_C(9007199254740993)};
    assert_true(tasks_convert_to_device(TELEM_I64, v, HW_I64).i64 == v.i64);
    assert_true(tasks_convert_to_device(TELEM_U64, v, HW_U64).u64 == v.u64);
    assert_true(tasks_convert_to_device(TELEM_I8, (union telem_value){.i64 = -3}, HW_U64).u64 == 0);
    assert_true(tasks_convert_to_device(TELEM_U8, (union telem_value){.u64 = 200}, HW_F64).f64 ==
                200);
    assert_true(tasks_convert_to_device(TELEM_F32, (union telem_value){.f32 = 2.5f}, HW_I64).i64 ==
                2);
    assert_true(tasks_convert_to_device(TELEM_F64, (union telem_value){.f64 = -1}, HW_U64).u64 ==
                0);
    assert_true(tasks_convert_f64_device(0.25, HW_F64).f64 == 0.25);
    assert_true(tasks_convert_device_f64(HW_I64, (union telem_value){.i64 = -4}) == -4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_row_is_cast_as_each_sample_alone),
        cmocka_unit_test(integers_round_half_to_even_and_saturate),
        cmocka_unit_test(integers_of_64_bits_are_copied_exactly),
        cmocka_unit_test(integers_that_do_not_fit_saturate),
        cmocka_unit_test(device_values_widen_by_their_kind),
        cmocka_unit_test(commands_reach_the_device_exactly_or_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
