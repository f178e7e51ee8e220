/* Kinds, literals, operators, casts, series and format strings. */
#include "tests/arc/front.h"

#include <math.h>

static void literals_take_the_type_of_what_is_beside_them(void **state)
{
    (void)state;
    body_accepts("x := u + 255 y := 1 + r z := 2.0 * n q := k - -2147483648");
    body_refuses("x := u + 256", 1, ARC_CODE_TYPE, "'256' does not fit u8 (range 0 to 255)");
    body_refuses("x := u - -1", 1, ARC_CODE_TYPE, "does not fit u8");
    body_refuses("x := n + 2.5", 1, ARC_CODE_TYPE,
                 "'2.5' has a fraction, i64 needs a whole number");
    body_accepts("x := 1000.0 - r + r");
    body_refuses("x := 1000.0 - r + a", 1, ARC_CODE_TYPE, "f32 and f64 in + operation");
    body_accepts("x := 1 + 2.5 x = 3.0");
    body_accepts("x := 10 / 4 x = n");
    body_accepts("x u8 := 2 * 3 + 1 y f32 := 1 / 2");
}

static void a_variable_from_a_bare_literal_has_a_type(void **state)
{
    (void)state;
    body_refuses("x := 10 y := x + 3.2", 1, ARC_CODE_TYPE, "fraction");
    body_refuses("x := 10 y := x + a", 1, ARC_CODE_TYPE, "i64 and f64");
    body_refuses("x := 10.0 y := x + n", 1, ARC_CODE_TYPE, "f64 and i64");
}

static void the_ends_of_ranges_fit_and_one_more_does_not(void **state)
{
    (void)state;
    body_accepts("p i8 := -128 q i8 := 127 o u64 := 9223372036854775807 "
                 "m i64 := -9223372036854775808 l i16 := -32768 j u32 := 4294967295");
    body_refuses("x i8 := 128", 1, ARC_CODE_TYPE, "range -128 to 127");
    body_refuses("x i8 := -129", 1, ARC_CODE_TYPE, "range -128 to 127");
    body_refuses("x u16 := 65536", 1, ARC_CODE_TYPE, "range 0 to 65535");
    body_refuses("x := 9223372036854775808", 1, ARC_CODE_TYPE, "does not fit i64");
    body_refuses("x := - -9223372036854775808", 1, ARC_CODE_TYPE, "does not fit i64");
    body_refuses("x u64 := 18446744073709551615", 1, 0, "does not fit i64");
    body_refuses("x f32 := 400000000000000000000000000000000000000.0", 1, ARC_CODE_TYPE,
                 "does not fit f32");
}

static struct arc_value constant(const char *declaration, struct front *f)
{
    front_check(f, FRONT_CHANNELS, declaration);
    front_demand(f);
    return f->program->consts[0]->value;
}

static void constant_is_i64(const char *declaration, int64_t wanted)
{
    struct front f;
    struct arc_value value = constant(declaration, &f);
    assert_int_equal(value.type.prim, TELEM_I64);
    assert_int_equal(value.number.i64, wanted);
    front_fini(&f);
}

static void constant_is_f64(const char *declaration, double wanted)
{
    struct front f;
    struct arc_value value = constant(declaration, &f);
    assert_int_equal(value.type.prim, TELEM_F64);
    assert_true(fabs(value.number.f64 - wanted) <= 1e-14 * fabs(wanted));
    front_fini(&f);
}

static void values_are_exact(void **state)
{
    (void)state;
    constant_is_i64("X := 9223372036854775807", INT64_MAX);
    constant_is_i64("X := -9223372036854775808", INT64_MIN);
    constant_is_i64("X := 007", 7);
    constant_is_f64("X := .25", 0.25);
    constant_is_f64("X := 1.", 1.0);
    constant_is_f64("X := -1.5", -1.5);
    constant_is_f64("X f64 := 3", 3.0);
    constant_is_i64("X i64 := 3.0", 3);
}

static void units_convert_at_compile_time(void **state)
{
    (void)state;
    constant_is_i64("X := 2s", 2000000000);
    constant_is_i64("X := 10khz", 10000);
    constant_is_f64("X := 0.5s", 5e8);
    constant_is_i64("X i64 ns := 0.5s", 500000000);
    constant_is_i64("X i64 ms := 2min", 120000);
    constant_is_i64("X i64 ns := 9007199254740993ns", 9007199254740993);
    constant_is_i64("X i64 ns := 0.001ms", 1000);
    constant_is_f64("X := 3psi", 20684.28);
    constant_is_f64("X f64 psi := 2bar", 200000.0 / 6894.76);
    constant_is_f64("X := 5pct", 0.05);
}

static void casts_go_between_numbers_and_to_str(void **state)
{
    (void)state;
    body_accepts("x := i8(n) x2 := u8(a) x3 := f32(w) x4 := str(u) x5 := str(s) x6 := str(5) "
                 "x7 := u8(200) x8 := f32(1) x9 := i32(3.0) y := f64 psi(a)");
    body_refuses("x := u8(300)", 1, ARC_CODE_TYPE, "does not fit u8");
    body_refuses("x := i8(1.9)", 1, ARC_CODE_TYPE, "fraction");
    body_refuses("x := i64(s)", 1, ARC_CODE_TYPE, "cannot cast str to i64");
    body_refuses("x := f64(v)", 1, ARC_CODE_TYPE, "cannot cast series f64 to f64");
    body_refuses("x := series f64(a)", 1, ARC_CODE_TYPE, "cannot cast");
    body_refuses("x := str(v)", 1, ARC_CODE_TYPE, "cannot cast");
}

static void truth_is_u8(void **state)
{
    (void)state;
    body_accepts("x := a > b and u or not u and 5 y u8 := not 42 z := not [1, 0]");
    body_refuses("x := a and u", 1, ARC_CODE_TYPE, "cannot use f64 in and operation");
    body_refuses("x := u or s", 1, ARC_CODE_TYPE, "cannot use str in or operation");
    body_refuses("x := 300 and u", 1, ARC_CODE_TYPE, "does not fit u8");
    body_refuses("x := not a", 1, ARC_CODE_TYPE, "'not' needs a boolean (u8) operand, got f64");
    body_refuses("x := not v", 1, ARC_CODE_TYPE, "got series f64");
    body_refuses("x := v and u", 1, ARC_CODE_TYPE, "cannot use series f64");
}

static void conditions_are_numbers(void **state)
{
    (void)state;
    body_accepts("if a { } if n { } if 1 { } for u { break }");
    body_refuses("if s { }", 1, ARC_CODE_TYPE, "a condition must be a number, got str");
    body_refuses("if u { } else if v { }", 1, ARC_CODE_TYPE, "got series f64");
    body_refuses("for s { }", 1, ARC_CODE_TYPE, "got str");
}

static void strings_join_and_compare_for_equality(void **state)
{
    (void)state;
    body_accepts("x := s + \"a\" y := s == \"b\" z := s != x s += \"c\" q := s[0] p := s[1:]");
    body_refuses("x := s + 5", 1, ARC_CODE_TYPE, "str and i64 in + operation");
    body_refuses("x := 5 == s", 1, ARC_CODE_TYPE, "i64 and str in == operation");
    body_refuses("x := s < s", 1, ARC_CODE_TYPE, "cannot use str in < operation");
    body_refuses("x := -s", 1, ARC_CODE_TYPE, "cannot use str in - operation");
    body_refuses("s *= s", 1, ARC_CODE_TYPE, "cannot use str in * operation");
}

static void numbers_of_two_kinds_do_not_mix(void **state)
{
    (void)state;
    body_refuses("x := a + n", 1, ARC_CODE_TYPE, "f64 and i64 in + operation");
    body_refuses("x := u == w", 1, ARC_CODE_TYPE, "u8 and u64 in == operation");
    body_refuses("x := n ^ a", 1, ARC_CODE_TYPE, "i64 and f64 in ^ operation");
    body_refuses("x := a % b", 1, ARC_CODE_TYPE, "cannot use f64 in % operation");
    body_refuses("x := 5 % 2.0", 1, ARC_CODE_TYPE, "cannot use f64 in % operation");
}

static void series_have_one_element_type(void **state)
{
    (void)state;
    body_accepts("x := [1, 2.5] x = v y := [a, 1] z series u8 := [1, 255,] e := [] e = v "
                 "g series i32 := [] t := [\"a\", s] t2 := t[0] + \"b\"");
    body_refuses("x := [1, \"a\"]", 1, ARC_CODE_TYPE, "series element 1 has type i64, wanted str");
    body_refuses("x := [a, r]", 1, ARC_CODE_TYPE, "series element 2 has type f32, wanted f64");
    body_refuses("x := [n, 1.5]", 1, ARC_CODE_TYPE, "fraction");
    body_refuses("x := [[1]]", 1, ARC_CODE_TYPE, "cannot hold a series");
    body_refuses("x series u8 := [256]", 1, ARC_CODE_TYPE, "does not fit u8");
    body_refuses("v = a", 1, ARC_CODE_TYPE, "series f64");
    body_refuses("x series i64 := v", 1, ARC_CODE_TYPE, "cannot assign series f64");
}

static void series_work_per_element(void **state)
{
    (void)state;
    body_accepts("x := v + 1 x = 2 * v x = a - v m := v > a m2 series u8 := m y := -v z := v % 2.0 "
                 "v += a v -= v q := [1, 2] * a q = v");
    body_refuses("x := v + n", 1, ARC_CODE_TYPE, "series f64 and i64");
    body_refuses("x := [n] + v", 1, ARC_CODE_TYPE, "series i64 and series f64");
    body_refuses("m := v > 1 x := -m", 1, ARC_CODE_TYPE, "cannot use series u8 in - operation");
    body_refuses("a += v", 1, ARC_CODE_TYPE, "cannot assign series f64 to 'a'");
    body_refuses("t := [\"a\"] x := t + \"b\"", 1, ARC_CODE_TYPE, "cannot use series str");
}

static void indexes_are_integers_into_series_or_str(void **state)
{
    (void)state;
    body_accepts("x := v[0] x = v[-1] x = v[n] x = v[u] y := s[k] y = u z := v[n:] z = v[:k]");
    body_refuses("x := v[a]", 1, ARC_CODE_TYPE, "an index must be an integer, got f64");
    body_refuses("x := v[0.5]", 1, ARC_CODE_TYPE, "fraction");
    body_refuses("x := v[0:s]", 1, ARC_CODE_TYPE, "an index must be an integer, got str");
    body_refuses("x := a[0]", 1, ARC_CODE_TYPE, "cannot index f64");
}

static void format_verbs_fit_their_operands(void **state)
{
    (void)state;
    body_accepts(
        "x := f\"{n:d}{u:b}{w:#X}{k:c}{a:.2f}{r:g}{s:s}{s:10q}{a}{n}{s}{a > b:d}{s[0]:c}\"");
    body_accepts("x := f\"{4:d}{4.0:f}{2s:d}{level:.1f}{memo}\"");
    body_refuses("x := f\"{4.0:d}\"", 1, ARC_CODE_TYPE, "format 'd' does not fit type f64");
    body_refuses("x := f\"{n:.2f}\"", 1, ARC_CODE_TYPE, "format '.2f' does not fit type i64");
    body_refuses("x := f\"{s:x}\"", 1, ARC_CODE_TYPE, "does not fit type str");
    body_refuses("x := f\"{n:s}\"", 1, ARC_CODE_TYPE, "does not fit type i64");
    body_refuses("x := f\"{v}\"", 1, ARC_CODE_TYPE, "got series f64");
}

static void bad_placeholders_are_named(void **state)
{
    (void)state;
    body_refuses("x := f\"a{n\"", 1, 0, "unmatched '{'");
    body_refuses("x := f\"{}\"", 1, 0, "empty placeholder");
    body_refuses("x := f\"{ }\"", 1, 0, "empty placeholder");
    body_refuses("x := f\"{n:}\"", 1, 0, "bad format ''");
    body_refuses("x := f\"{n:y}\"", 1, 0, "bad format 'y'");
    body_refuses("x := f\"{a:.f}\"", 1, 0, "bad format '.f'");
    body_refuses("x := f\"{n:1001d}\"", 1, 0, "at most 1000");
    body_refuses("x := f\"{n n}\"", 1, 0, "unexpected 'n', wanted end of the placeholder");
    body_refuses("x := f\"{n + }\"", 1, 0, "unexpected end of the placeholder");
    body_refuses("x := f\"{nn}\"", 1, ARC_CODE_UNDEFINED, "undefined symbol: nn");
    body_refuses("x := \"\\u12G4\"", 1, 0, "bad \\u escape");
    body_refuses("x := \"\\u12\"", 1, 0, "bad \\u escape");
    body_refuses("x := \"\xFF\"", 1, 0, "not valid UTF-8");
}

static void one_mistake_is_one_error(void **state)
{
    (void)state;
    front_counts("func f(x f64) f64 { y := nowhere + x z := y * 2.0 + y return z }", 1);
    front_counts("func f(x f64) f64 { y := x + \"a\" return y ^ 2 }", 1);
    front_counts("func f(x f64) f64 { for i := nowhere { y := i + 1 } return x }", 1);
    front_counts("func f(x f64) f64 { if x > 1 { return x } return f(nowhere) * 2.0 }", 1);
    front_counts("nowhere -> gauge", 1);
    front_counts("level -> nowhere{} -> gauge", 1);
    front_counts("nowhere > 5 -> select{} -> { true: valve, false: memo }", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_take_the_type_of_what_is_beside_them),
        cmocka_unit_test(a_variable_from_a_bare_literal_has_a_type),
        cmocka_unit_test(the_ends_of_ranges_fit_and_one_more_does_not),
        cmocka_unit_test(values_are_exact),
        cmocka_unit_test(units_convert_at_compile_time),
        cmocka_unit_test(casts_go_between_numbers_and_to_str),
        cmocka_unit_test(truth_is_u8),
        cmocka_unit_test(conditions_are_numbers),
        cmocka_unit_test(strings_join_and_compare_for_equality),
        cmocka_unit_test(numbers_of_two_kinds_do_not_mix),
        cmocka_unit_test(series_have_one_element_type),
        cmocka_unit_test(series_work_per_element),
        cmocka_unit_test(indexes_are_integers_into_series_or_str),
        cmocka_unit_test(format_verbs_fit_their_operands),
        cmocka_unit_test(bad_placeholders_are_named),
        cmocka_unit_test(one_mistake_is_one_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
