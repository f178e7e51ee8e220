#include "hw/modbus/mb_codec.h"

#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const struct mb_order orders[] = {
    {false, false}, {true, false}, {false, true}, {true, true}}; /* ABCD CDAB BADC DCBA */

/* The tables of the documentation, and the examples that users sent when other drivers got them
 * wrong: 12.34 and 1234.5678. */
static const struct {
    enum mb_type type;
    double number; /* for the floats */
    int64_t integer;
    uint16_t wire[4][4]; /* [order][register] */
} cases[] = {
    {MB_F32, 123456.0, 0, {{0x47F1, 0x2000}, {0x2000, 0x47F1}, {0xF147, 0x0020}, {0x0020, 0xF147}}},
    {MB_F32,
     (double)12.34F,
     0,
     {{0x4145, 0x70A4}, {0x70A4, 0x4145}, {0x4541, 0xA470}, {0xA470, 0x4541}}},
    {MB_U32,
     0,
     305419896,
     {{0x1234, 0x5678}, {0x5678, 0x1234}, {0x3412, 0x7856}, {0x7856, 0x3412}}},
    {MB_I32, 0, -2, {{0xFFFF, 0xFFFE}, {0xFFFE, 0xFFFF}, {0xFFFF, 0xFEFF}, {0xFEFF, 0xFFFF}}},
    {MB_U64,
     0,
     INT64_C(0x0102030405060708),
     {{0x0102, 0x0304, 0x0506, 0x0708},
      {0x0708, 0x0506, 0x0304, 0x0102},
      {0x0201, 0x0403, 0x0605, 0x0807},
      {0x0807, 0x0605, 0x0403, 0x0201}}},
    {MB_I64,
     0,
     -2,
     {{0xFFFF, 0xFFFF, 0xFFFF, 0xFFFE},
      {0xFFFE, 0xFFFF, 0xFFFF, 0xFFFF},
      {0xFFFF, 0xFFFF, 0xFFFF, 0xFEFF},
      {0xFEFF, 0xFFFF, 0xFFFF, 0xFFFF}}},
    {MB_F64,
     1.5e6,
     0,
     {{0x4136, 0xE360, 0, 0},
      {0, 0, 0xE360, 0x4136},
      {0x3641, 0x60E3, 0, 0},
      {0, 0, 0x60E3, 0x3641}}},
    {MB_F64,
     1234.5678,
     0,
     {{0x4093, 0x4A45, 0x6D5C, 0xFAAD},
      {0xFAAD, 0x6D5C, 0x4A45, 0x4093},
      {0x9340, 0x454A, 0x5C6D, 0xADFA},
      {0xADFA, 0x5C6D, 0x454A, 0x9340}}},
    {MB_U16, 0, 0x1234, {{0x1234}, {0x1234}, {0x3412}, {0x3412}}},
    {MB_I16, 0, -2, {{0xFFFE}, {0xFFFE}, {0xFEFF}, {0xFEFF}}},
    {MB_U8, 0, 0x34, {{0x0034}, {0x0034}, {0x3400}, {0x3400}}},
    {MB_I8, 0, -2, {{0x00FE}, {0x00FE}, {0xFE00}, {0xFE00}}},
    {MB_BCD16, 1234, 0, {{0x1234}, {0x1234}, {0x3412}, {0x3412}}},
    {MB_BCD32,
     12345678,
     0,
     {{0x1234, 0x5678}, {0x5678, 0x1234}, {0x3412, 0x7856}, {0x7856, 0x3412}}},
};

static union telem_value value_of(size_t i)
{
    if (mb_type_value(cases[i].type) == HW_F64)
        return (union telem_value){.f64 = cases[i].number};
    return (union telem_value){.i64 = cases[i].integer};
}

static void every_type_is_read_in_every_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARCD_COUNT_OF(cases); i++) {
        for (size_t o = 0; o < 4; o++) {
            struct mb_format format = {.type = cases[i].type, .order = orders[o]};
            union telem_value value = mb_decode(&format, cases[i].wire[o]);
            if (value.u64 != value_of(i).u64)
                fail_msg("%s, order %zu: %" PRIx64, mb_type_name(cases[i].type), o, value.u64);
        }
    }
}

static void every_type_is_written_in_every_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARCD_COUNT_OF(cases); i++) {
        for (size_t o = 0; o < 4; o++) {
            struct mb_format format = {.type = cases[i].type, .order = orders[o]};
            uint16_t wire[4] = {0};
            assert_true(mb_encode(&format, value_of(i), wire));
            assert_memory_equal(wire, cases[i].wire[o],
                                mb_format_registers(&format) * sizeof *wire);
        }
    }
}

static void the_high_byte_of_an_8_bit_value_is_ignored(void **state)
{
    (void)state;
    struct mb_format format = {.type = MB_U8};
    uint16_t reg = 0xAB34;
    assert_true(mb_decode(&format, &reg).u64 == 0x34);
    format.type = MB_I8;
    reg = 0x7F80;
    assert_true(mb_decode(&format, &reg).i64 == -128);
}

/* Both ends of every integer type come back exactly; one beyond is refused. */
static void integers_fit_up_to_their_ends(void **state)
{
    (void)state;
    static const struct {
        enum mb_type type;
        int64_t min, max;
    } ends[] = {{MB_U8, 0, 255},         {MB_I8, -128, 127},      {MB_U16, 0, 65535},
                {MB_I16, -32768, 32767}, {MB_U32, 0, 4294967295}, {MB_I32, INT32_MIN, INT32_MAX}};
    for (size_t i = 0; i < ARCD_COUNT_OF(ends); i++) {
        struct mb_format format = {.type = ends[i].type, .order = {true, true}};
        uint16_t regs[4] = {0xDEAD, 0xDEAD, 0xDEAD, 0xDEAD};
        assert_true(mb_encode(&format, (union telem_value){.i64 = ends[i].max}, regs));
        assert_true(mb_decode(&format, regs).i64 == ends[i].max);
        assert_true(mb_encode(&format, (union telem_value){.i64 = ends[i].min}, regs));
        assert_true(mb_decode(&format, regs).i64 == ends[i].min);
        assert_false(mb_encode(&format, (union telem_value){.i64 = ends[i].max + 1}, regs));
        assert_false(mb_encode(&format, (union telem_value){.i64 = ends[i].min - 1}, regs));
        assert_true(mb_decode(&format, regs).i64 == ends[i].min);
    }
}

/* 2^53 + 1 and its like: no double is on the way. */
static void integers_of_64_bits_are_exact(void **state)
{
    (void)state;
    const int64_t numbers[] = {INT64_MIN, INT64_MAX, INT64_C(9007199254740993), -1};
    for (size_t i = 0; i < ARCD_COUNT_OF(numbers); i++) {
        struct mb_format format = {.type = i % 2 ? MB_U64 : MB_I64};
        uint16_t regs[4];
        assert_true(mb_encode(&format, (union telem_value){.i64 = numbers[i]}, regs));
        assert_true(mb_decode(&format, regs).i64 == numbers[i]);
    }
}

static void special_floats_pass_and_too_large_ones_do_not(void **state)
{
    (void)state;
    struct mb_format format = {.type = MB_F32};
    uint16_t regs[2];
    assert_true(mb_encode(&format, (union telem_value){.f64 = -INFINITY}, regs));
    assert_true(mb_decode(&format, regs).f64 == -INFINITY);
    assert_true(mb_encode(&format, (union telem_value){.f64 = NAN}, regs));
    assert_true(isnan(mb_decode(&format, regs).f64));
    assert_false(mb_encode(&format, (union telem_value){.f64 = 1e39}, regs));
}

static void bcd_has_decimal_digits_only(void **state)
{
    (void)state;
    struct mb_format format = {.type = MB_BCD16};
    uint16_t reg = 0x12A4;
    assert_true(isnan(mb_decode(&format, &reg).f64));
    assert_true(mb_encode(&format, (union telem_value){.f64 = 9999}, &reg));
    assert_int_equal(reg, 0x9999);
    assert_false(mb_encode(&format, (union telem_value){.f64 = 10000}, &reg));
    assert_false(mb_encode(&format, (union telem_value){.f64 = -1}, &reg));
    assert_false(mb_encode(&format, (union telem_value){.f64 = NAN}, &reg));
    format.type = MB_BCD32;
    uint16_t regs[2];
    assert_true(mb_encode(&format, (union telem_value){.f64 = 99999999}, regs));
    assert_true(mb_decode(&format, regs).f64 == 99999999.0);
    assert_false(mb_encode(&format, (union telem_value){.f64 = 1e8}, regs));
}

static void one_bit_of_a_register_counts_after_the_byte_order(void **state)
{
    (void)state;
    uint16_t reg = 0x0800;
    struct mb_format format = {.type = MB_BIT, .bit = 11};
    assert_true(mb_decode(&format, &reg).u64 == 1);
    format.order.swap_bytes = true;
    assert_true(mb_decode(&format, &reg).u64 == 0);
    format.bit = 3;
    assert_true(mb_decode(&format, &reg).u64 == 1);
    assert_true(mb_encode(&format, (union telem_value){.u64 = 7}, &reg));
    assert_int_equal(reg, 0x0800);
}

/* What a "no value" code is compared with: the bits in the channel's order, nothing else. */
static void raw_bits_follow_the_order(void **state)
{
    (void)state;
    const uint16_t regs[] = {0xFFFF, 0x7FFF};
    struct mb_format format = {.type = MB_I32, .order = {true, false}};
    assert_true(mb_raw(&format, regs) == 0x7FFFFFFF);
    format = (struct mb_format){.type = MB_U8};
    assert_true(mb_raw(&format, regs) == 0xFF);
}

/* ---- Strings */

static void expect_text(const struct mb_format *format, const uint16_t *regs, const char *expected)
{
    char text[MB_STR_MAX];
    uint32_t len = mb_decode_str(format, regs, text);
    if (len != strlen(expected) || memcmp(text, expected, len) != 0)
        fail_msg("'%.*s' is not '%s'", (int)len, text, expected);
}

static void strings_have_their_first_character_high(void **state)
{
    (void)state;
    static const uint16_t wire[4][3] = {{0x5055, 0x4D50, 0x3100},
                                        {0x5055, 0x4D50, 0x3100},
                                        {0x5550, 0x504D, 0x0031},
                                        {0x5550, 0x504D, 0x0031}};
    for (size_t o = 0; o < 4; o++) {
        struct mb_format format = {.type = MB_STR, .length = 5, .order = orders[o]};
        assert_int_equal(mb_format_registers(&format), 3);
        expect_text(&format, wire[o], "PUMP1");
        uint16_t regs[3] = {0xDEAD, 0xDEAD, 0xDEAD};
        assert_true(mb_encode_str(&format, "PUMP1", 5, regs));
        assert_memory_equal(regs, wire[o], sizeof regs);
    }
}

static void trailing_nuls_and_blanks_are_cut(void **state)
{
    (void)state;
    struct mb_format format = {.type = MB_STR, .length = 8};
    expect_text(&format, (const uint16_t[]){0x4120, 0x4220, 0x2000, 0x0020}, "A B");
    expect_text(&format, (const uint16_t[]){0, 0, 0, 0}, "");
}

static void a_short_text_is_padded_and_a_long_one_refused(void **state)
{
    (void)state;
    struct mb_format format = {.type = MB_STR, .length = 4};
    uint16_t regs[2];
    assert_true(mb_encode_str(&format, "A", 1, regs));
    assert_int_equal(regs[0], 0x4100);
    assert_int_equal(regs[1], 0);
    assert_true(mb_encode_str(&format, "", 0, regs));
    assert_false(mb_encode_str(&format, "ABCDE", 5, regs));
}

static void bytes_that_are_not_utf8_become_question_marks(void **state)
{
    (void)state;
    struct mb_format format = {.type = MB_STR, .length = 6};
    expect_text(&format, (const uint16_t[]){0x41C3, 0xA4E2, 0x82AC}, "A\u00e4\u20ac");
    expect_text(&format, (const uint16_t[]){0x41E4, 0x4242, 0xC328}, "A?BB?(");
    expect_text(&format, (const uint16_t[]){0xC080, 0xEDA0, 0x8041}, "?????A");
    expect_text(&format, (const uint16_t[]){0xF490, 0x8080, 0xF5FF}, "??????");
    expect_text(&format, (const uint16_t[]){0xF09F, 0x9880, 0x41E2}, "\U0001F600A?");
    expect_text(&format, (const uint16_t[]){0xE080, 0x80F0, 0x8080}, "??????");
}

static void types_are_what_their_values_need(void **state)
{
    (void)state;
    assert_int_equal(mb_type_value(MB_U64), HW_U64);
    assert_int_equal(mb_type_value(MB_I8), HW_I64);
    assert_int_equal(mb_type_value(MB_F32), HW_F64);
    assert_int_equal(mb_type_value(MB_BIT), HW_U64);
    assert_int_equal(mb_type_value(MB_STR), HW_STR);
    assert_string_equal(mb_type_name(MB_BCD32), "bcd32");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_read_in_every_order),
        cmocka_unit_test(every_type_is_written_in_every_order),
        cmocka_unit_test(the_high_byte_of_an_8_bit_value_is_ignored),
        cmocka_unit_test(integers_fit_up_to_their_ends),
        cmocka_unit_test(integers_of_64_bits_are_exact),
        cmocka_unit_test(special_floats_pass_and_too_large_ones_do_not),
        cmocka_unit_test(bcd_has_decimal_digits_only),
        cmocka_unit_test(one_bit_of_a_register_counts_after_the_byte_order),
        cmocka_unit_test(raw_bits_follow_the_order),
        cmocka_unit_test(strings_have_their_first_character_high),
        cmocka_unit_test(trailing_nuls_and_blanks_are_cut),
        cmocka_unit_test(a_short_text_is_padded_and_a_long_one_refused),
        cmocka_unit_test(bytes_that_are_not_utf8_become_question_marks),
        cmocka_unit_test(types_are_what_their_values_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
