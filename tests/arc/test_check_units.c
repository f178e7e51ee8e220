#include "tests/arc/front.h"

static void sums_and_comparisons_need_one_dimension(void **state)
{
    (void)state;
    body_accepts("l f64 m := 1 t f64 s := 1 x := l + 1km y := l < 0.3km z := l + 5 q := a + l");
    body_refuses("l f64 m := 1\nt f64 s := 1\nx := l + t", 3, ARC_CODE_TYPE,
                 "incompatible dimensions: length^1 vs time^1");
    body_refuses("l f64 m := 1\nx := l > 5s", 2, ARC_CODE_TYPE, "incompatible dimensions");
    body_refuses("h := 10hz\nx := 5s == h", 2, ARC_CODE_TYPE, "incompatible dimensions");
    body_refuses("x := 5s + 5m", 1, ARC_CODE_TYPE, "incompatible dimensions");
    body_refuses("x := 7ns % 2m", 1, ARC_CODE_TYPE, "incompatible dimensions");
    body_refuses("x := [1s, 2m]", 1, ARC_CODE_TYPE, "series element 2");
}

static void equal_dimensions_of_other_scale_are_not_rescaled(void **state)
{
    (void)state;
    body_refuses("p f64 psi := 1\nq f64 bar := 1\nx := p + q", 3, ARC_CODE_TYPE,
                 "incompatible units: psi vs bar");
    body_refuses("p f64 psi := 1\nq f64 bar := p", 2, ARC_CODE_TYPE, "incompatible units");
    body_refuses("p f64 psi := 1\nq f64 m := p", 2, ARC_CODE_TYPE, "incompatible dimensions");
    body_accepts("p f64 hz := 1 q f64 Hz := p");
}

static void products_track_compound_units(void **state)
{
    (void)state;
    body_accepts("l f64 m := 1 t f64 ns := 1 x := l / t y := x * t z f64 m := y");
    body_refuses("l f64 m := 1\nx f64 m := l * l", 2, ARC_CODE_TYPE, "length^2");
    body_accepts("l f64 m := 1 q := l / l x := q + 1.0 h f64 s := q");
}

static void a_power_of_a_dimension_takes_a_whole_literal(void **state)
{
    (void)state;
    body_accepts(
        "l f64 m := 1 x := l ^ 2 y := l ^ -1 z := x * y w2 f64 m := z q := l ^ 0 o f64 s := q");
    body_refuses("l f64 m := 1\nx := l ^ 2.0", 2, ARC_CODE_TYPE, "whole-number literal exponent");
    body_refuses("l f64 m := 1\nx := l ^ a", 2, ARC_CODE_TYPE, "whole-number literal exponent");
    body_refuses("l f64 m := 1\nx := 2.0 ^ l", 2, ARC_CODE_TYPE, "exponent cannot have a unit");
    front_refuses("N := 2\nfunc f() { l i64 m := 1 x := l ^ N }", 2, ARC_CODE_TYPE,
                  "whole-number literal exponent");
}

static void only_numbers_have_units(void **state)
{
    (void)state;
    body_refuses("x str psi := s", 1, 0, "a str has no unit");
    body_refuses("x f64 furlong := a", 1, 0, "unknown unit 'furlong'");
    body_refuses("x := 5furlong", 1, 0, "unknown unit 'furlong'");
    body_refuses("x := 1e5", 1, 0, "unknown unit 'e5'");
    body_refuses("x := 0x1F", 1, 0, "unknown unit 'x1F'");
}

static void an_integer_target_needs_a_whole_result(void **state)
{
    (void)state;
    body_accepts("x i64 ns := 0.5s y i64 s := 2min z i64 m := 1.5km");
    body_refuses("x i64 s := 1500ms", 1, ARC_CODE_TYPE, "has a fraction after conversion");
    body_refuses("x i64 ns := 0.5ns", 1, ARC_CODE_TYPE, "has a fraction");
    body_refuses("x u8 ms := 1s", 1, ARC_CODE_TYPE, "does not fit u8");
}

static void a_cast_relabels(void **state)
{
    (void)state;
    body_accepts("p f64 psi := 1 x := f64 bar(p) y f64 bar := x z := f64(p) + f64(x)");
}

static void edges_compare_names_of_units(void **state)
{
    (void)state;
    const char *funcs = "func a(x f64) f64 psi { return x }\nfunc b(x f64 bar) {}\n"
                        "func c(x f64 psi) {}\nfunc d(x f64) f64 hz { return x }\n"
                        "func e(x f64 Hz) {}\n";
    char text[500];
    snprintf(text, sizeof text, "%slevel -> a{} -> b{}", funcs);
    front_refuses(text, 6, ARC_CODE_TYPE, "incompatible units");
    snprintf(text, sizeof text, "%slevel -> a{} -> c{}\nlevel -> a{} -> gauge\nlevel -> c{}",
             funcs);
    front_accepts(text, 0);
    snprintf(text, sizeof text, "%slevel -> d{} -> e{}", funcs);
    front_refuses(text, 6, ARC_CODE_TYPE, "incompatible units");
    front_accepts("stamp -> total\ntotal -> stamp", 0);
}

static void scales_that_are_far_apart_get_a_warning(void **state)
{
    (void)state;
    front_accepts("func f() { d f64 km := 1 x := d + 1pm }", 1);
    front_accepts("func f() { d f32 km := 1 x := d + 1um }", 1);
    front_accepts("func f() { d f64 km := 1 x := d + 1um }", 0);
    front_accepts("X i64 d := 0ns", 1);
}

static void constants_carry_their_dimension_to_parameters(void **state)
{
    (void)state;
    front_accepts("import time\nT := 2s\ntime.interval{T} -> valve", 0);
    front_refuses("import time\nT := 2hz\ntime.interval{T} -> valve", 3, ARC_CODE_TYPE,
                  "incompatible dimensions");
    front_refuses("import time\ntime.interval{10hz} -> valve", 2, ARC_CODE_TYPE,
                  "incompatible dimensions");
    front_accepts("import time\nT := 2000000\ntime.interval{T} -> valve", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_comparisons_need_one_dimension),
        cmocka_unit_test(equal_dimensions_of_other_scale_are_not_rescaled),
        cmocka_unit_test(products_track_compound_units),
        cmocka_unit_test(a_power_of_a_dimension_takes_a_whole_literal),
        cmocka_unit_test(only_numbers_have_units),
        cmocka_unit_test(an_integer_target_needs_a_whole_result),
        cmocka_unit_test(a_cast_relabels),
        cmocka_unit_test(edges_compare_names_of_units),
        cmocka_unit_test(scales_that_are_far_apart_get_a_warning),
        cmocka_unit_test(constants_carry_their_dimension_to_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
