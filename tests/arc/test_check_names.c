#include "tests/arc/front.h"

static void undefined_names_get_near_ones_as_hint(void **state)
{
    (void)state;
    struct front f;
    front_check(&f, "level f64, lever f64, gauge f64", "levl -> gauge");
    assert_string_equal(f.diags.list[0]->hint, "did you mean 'level' or 'lever'?");
    front_fini(&f);
    front_check(&f, FRONT_CHANNELS, "func fill(pressure f64) f64 { return presure }");
    assert_string_equal(f.diags.list[0]->hint, "did you mean 'pressure'?");
    front_fini(&f);
    front_check(&f, FRONT_CHANNELS, "q -> gauge");
    assert_null(f.diags.list[0]->hint);
    front_fini(&f);
}

static void a_module_that_is_not_imported_is_hinted_at(void **state)
{
    (void)state;
    struct front f;
    front_check(&f, FRONT_CHANNELS, "time.wait{1s} -> valve");
    assert_int_equal(f.diags.list[0]->code, ARC_CODE_UNDEFINED);
    assert_string_equal(f.diags.list[0]->hint, "add: import time");
    front_fini(&f);
    front_check(&f, FRONT_CHANNELS,
                "import time as clock\ntime.wait{1s} -> valve\nclock.wait{1s} -> valve");
    assert_string_equal(f.diags.list[0]->hint, "the module is imported as 'clock'");
    assert_int_equal(f.diags.n_errors, 1);
    front_fini(&f);
}

static void imports_are_known_used_and_unique(void **state)
{
    (void)state;
    front_accepts("import (time math as m)\ntime.wait{1s} -> valve\nlevel -> m.avg{} -> gauge", 0);
    front_refuses("import strings", 1, 0, "no module named \"strings\"");
    front_refuses("import time.clock", 1, 0, "no module named \"time.clock\"");
    front_refuses("import authority", 1, 0, "no module named \"authority\"");
    front_refuses("import time\nimport time\ntime.wait{1s} -> valve", 2, 0,
                  "\"time\" is imported twice");
    front_refuses("import time as t\nimport math as t\nlevel -> t.avg{} -> gauge", 2, 0,
                  "\"t\" is imported twice");
    front_refuses("import time", 1, ARC_CODE_UNUSED_IMPORT, "nothing uses the import \"time\"");
    front_refuses("import time\ntime.later{} -> valve", 2, ARC_CODE_UNDEFINED,
                  "undefined symbol: time.later");
    front_refuses("import time\nfunc time() {}", 2, ARC_CODE_REDEFINED, "line 1, column 7");
}

static void a_misused_import_is_one_mistake(void **state)
{
    (void)state;
    front_counts("import time as clock\ntime.wait{1s} -> valve", 1);
    front_counts("import time\ntime.wiat{1s} -> valve", 1);
    front_counts("import time\ntime -> valve", 1);
    front_counts("import time\nfunc time() {}", 1);
}

static void a_mistyped_keyword_is_hinted_at_first(void **state)
{
    (void)state;
    struct front f;
    front_check(&f, FRONT_CHANNELS, "func f(x f64) f64 {\n retrun x\n}");
    assert_string_equal(arc_diags_first_error(&f.diags)->hint, "did you mean 'return'?");
    front_fini(&f);
}

static void an_unused_import_is_not_blamed_for_a_syntax_error(void **state)
{
    (void)state;
    front_refuses("import time\ntime.wait{1s -> valve", 2, 0, "unexpected '->'");
    front_counts("import time\ntime.wait{1s -> valve", 1);
}

static void program_names_share_one_namespace(void **state)
{
    (void)state;
    front_refuses("func a() {}\nfunc a() {}", 2, ARC_CODE_REDEFINED,
                  "name a conflicts with the declaration at line 1, column 5");
    front_refuses("A := 1\nfunc A() {}", 2, ARC_CODE_REDEFINED, "line 1, column 0");
    front_refuses("sequence a { 1 -> valve }\nA := 1\nstage a {}", 3, ARC_CODE_REDEFINED, "line 1");
    front_refuses("func f(a f64, a f64) {}", 1, ARC_CODE_REDEFINED, "name a");
    front_refuses("func f{a f64}(b f64) a f64 {}", 1, ARC_CODE_REDEFINED, "name a");
    front_refuses("func f(f f64) {}", 1, ARC_CODE_REDEFINED, "name f");
    front_refuses("func f() { g := 1 }\nfunc g() {}", 1, ARC_CODE_REDEFINED, "line 2, column 5");
    front_refuses("func f() { s := 1 }\nsequence s { 1 -> valve }", 1, ARC_CODE_REDEFINED,
                  "name s");
}

static void no_local_shadows_another_but_siblings_may_share(void **state)
{
    (void)state;
    body_accepts("if u { x := 1 } else { x := 2.0 } for x := v { } x := s");
    body_refuses("x := 1 x := 2", 1, ARC_CODE_REDEFINED, "name x");
    body_refuses("x := 1 if u { x := 2 }", 1, ARC_CODE_REDEFINED, "name x");
    body_refuses("a $= 1.0", 1, ARC_CODE_REDEFINED, "name a");
    body_refuses("for a := v { }", 1, ARC_CODE_REDEFINED, "name a");
    body_refuses("for i, i := v { }", 1, ARC_CODE_REDEFINED, "name i");
    body_refuses("if u { x := 1 } y := x", 1, ARC_CODE_UNDEFINED, "undefined symbol: x");
    body_refuses("x := x", 1, ARC_CODE_UNDEFINED, "undefined symbol: x");
}

static void channels_and_library_names_may_be_shadowed(void **state)
{
    (void)state;
    body_accepts("level := s len := 2.0 min := level + s now := len range := u");
    front_accepts("func select(a f64) f64 { return a }\nlevel -> select{} -> gauge", 0);
    front_accepts("level := 4.0\nlevel -> gauge", 0);
}

static void true_and_false_are_no_values(void **state)
{
    (void)state;
    body_refuses("x := true", 1, ARC_CODE_UNDEFINED, "undefined symbol: true");
    body_refuses("x := range(3)", 1, ARC_CODE_UNDEFINED, "undefined symbol: range");
}

static void deprecated_bare_names_work_with_a_warning(void **state)
{
    (void)state;
    front_accepts("interval{1s} -> valve\nwait{1s} -> valve\nlevel -> avg{} -> min{} -> max{} -> "
                  "derivative{} -> gauge\nflag -> stable_for{1s} -> valve\nflag -> now{} -> total",
                  8);
    front_accepts("func f() i64 { return now() }", 1);
    front_accepts("flag -> set_status{\"a\", \"b\", \"info\"} -> memo\nflag -> set_authority{5}",
                  2);
}

static void library_functions_stay_in_their_place(void **state)
{
    (void)state;
    front_refuses("import time\nfunc f() { time.wait(1s) }", 2, 0,
                  "'time.wait' works only as a flow node: write time.wait{}");
    front_refuses("memo -> len{} -> total", 1, 0, "'len' works only as a call");
    front_refuses("flag -> range{} -> total", 1, 0, "'range' works only");
    front_refuses("import time\nfunc f() { x := time.now }", 2, ARC_CODE_TYPE, "is a function");
    front_refuses("selector.select{} -> valve", 1, ARC_CODE_UNDEFINED,
                  "undefined symbol: selector");
    front_accepts("import time\nfunc f() i64 { return time.now() }\nflag -> time.now{} -> stamp",
                  0);
}

static void calls_check_their_arguments(void **state)
{
    (void)state;
    const char *funcs = "func two(x f64, y i64 = 3) f64 { return x }\n"
                        "func put(c chan f64) { c = 1.0 }\nfunc cfg{k i64}() {}\n"
                        "func named(x f64) y f64 { y = x }\n";
    static const struct {
        const char *call;
        int code;
        const char *part;
    } cases[] = {
        {"two()", ARC_CODE_ARG_COUNT, "'two' takes 1 to 2 arguments, got 0"},
        {"two(1, 2, 3)", ARC_CODE_ARG_COUNT, "'two' takes 1 to 2 arguments, got 3"},
        {"two(n)", ARC_CODE_ARG_TYPE, "cannot pass i64 to 'x' (type f64)"},
        {"two(1, a)", ARC_CODE_ARG_TYPE, "cannot pass f64 to 'y'"},
        {"two(\"a\")", ARC_CODE_ARG_TYPE, "cannot pass str"},
        {"two(1, 2.5)", ARC_CODE_TYPE, "fraction"},
        {"put(a)", ARC_CODE_ARG_TYPE, "needs a channel"},
        {"put(flag)", ARC_CODE_ARG_TYPE, "cannot pass chan u8"},
        {"put(sensor)", 0, "'sensor' cannot be written"},
        {"cfg()", 0, "'cfg' works only as a flow node: write cfg{}"},
        {"named(a)", 0, "'named' works only as a flow node"},
        {"x := put(level)", ARC_CODE_TYPE, "gives no value"},
        {"x := 5 + put(level)", ARC_CODE_TYPE, "gives no value"},
        {"len()", ARC_CODE_ARG_COUNT, "'len' takes 1 argument, got 0"},
        {"len(a)", ARC_CODE_ARG_TYPE, "takes a series or a str, got f64"},
        {"a(1)", ARC_CODE_TYPE, "cannot call 'a' (type f64)"},
        {"level(1)", ARC_CODE_TYPE, "cannot call 'level' (type chan f64)"},
        {"nothing(1)", ARC_CODE_UNDEFINED, "undefined symbol: nothing"},
    };
    char text[600];
    for (size_t i = 0; i < ARCD_COUNT_OF(cases); i++) {
        snprintf(text, sizeof text, "%sfunc f(a f64, n i64) {\n%s }", funcs, cases[i].call);
        front_refuses(text, 6, cases[i].code, cases[i].part);
    }
    snprintf(text, sizeof text, "%sfunc f(a f64, d chan f64) { x := two(a) + two(1, n) n := 1 }",
             funcs);
    front_refuses(text, 5, ARC_CODE_UNDEFINED, "undefined symbol: n");
    snprintf(text, sizeof text,
             "%sfunc f(a f64, d chan f64) { e := d put(d) put(e) put(level) two(a) }", funcs);
    front_accepts(text, 0);
}

static void status_variants_are_checked(void **state)
{
    (void)state;
    front_accepts(
        "import status\nfunc f(v str) { status.set(\"a\", v, \"error\") status.set(v, v, v) }", 0);
    front_refuses(
        "import status\nfunc f() { status.set(\"a\", \"b\", \"bad\") }", 2, 0,
        "\"bad\" is not a status variant (success, info, warning, error, loading, disabled)");
    front_refuses("import status\nflag -> status.set{\"a\", \"b\", \"bad\"}", 2, 0,
                  "not a status variant");
    front_refuses("import status\nflag -> status.set{\"a\", \"b\"}", 2, 0,
                  "missing config parameter 'variant'");
    front_refuses("import status\nfunc f() { status.set(\"a\", \"b\") }", 2, ARC_CODE_ARG_COUNT,
                  "takes 3");
}

static void authority_is_checked(void **state)
{
    (void)state;
    front_accepts("authority 0", 0);
    front_accepts("authority (255 valve 3 gauge 4)", 0);
    front_refuses("authority 256", 1, 0, "authority must be a whole number 0 to 255, not '256'");
    front_refuses("authority 1.0", 1, 0, "not '1.0'");
    front_refuses("authority -1", 1, 0, "not '-1'");
    front_refuses("authority 5s", 1, 0, "not '5s'");
    front_refuses("authority 5\nauthority 6", 2, 0, "more than one default authority");
    front_refuses("authority (valve 5)\nauthority (valve 6)", 2, 0,
                  "duplicate authority for 'valve'");
    front_refuses("authority (nothing 5)", 1, ARC_CODE_UNDEFINED, "channel 'nothing' not found");
    front_refuses("authority valve 5", 1, 0, "unexpected 'valve'");
    front_refuses("authority (sensor 5)", 1, 0, "'sensor' cannot be written");
}

static void constants_are_literals_of_their_type(void **state)
{
    (void)state;
    front_accepts("A := 1 B := -2.5 C f32 := 3 D str := \"x\" E := f\"y\" F u8 := 5.0", 0);
    front_refuses("A str := 5", 1, ARC_CODE_TYPE, "cannot assign i64 to 'A' (type str)");
    front_refuses("A i32 := \"x\"", 1, ARC_CODE_TYPE, "cannot assign str to 'A' (type i32)");
    front_refuses("A := f\"{level}\"", 1, 0, "no literal");
    front_refuses("A chan f64 := 5", 1, ARC_CODE_TYPE, "a constant is a number or a str");
    front_refuses("A := 4\nfunc f(x f64) f64 { return x * A }", 2, ARC_CODE_TYPE, "f64 and i64");
    front_refuses("A := 4\nfunc f() { A = 5 }", 2, ARC_CODE_TYPE, "cannot assign to constant 'A'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undefined_names_get_near_ones_as_hint),
        cmocka_unit_test(a_module_that_is_not_imported_is_hinted_at),
        cmocka_unit_test(imports_are_known_used_and_unique),
        cmocka_unit_test(a_misused_import_is_one_mistake),
        cmocka_unit_test(a_mistyped_keyword_is_hinted_at_first),
        cmocka_unit_test(an_unused_import_is_not_blamed_for_a_syntax_error),
        cmocka_unit_test(program_names_share_one_namespace),
        cmocka_unit_test(no_local_shadows_another_but_siblings_may_share),
        cmocka_unit_test(channels_and_library_names_may_be_shadowed),
        cmocka_unit_test(true_and_false_are_no_values),
        cmocka_unit_test(deprecated_bare_names_work_with_a_warning),
        cmocka_unit_test(library_functions_stay_in_their_place),
        cmocka_unit_test(calls_check_their_arguments),
        cmocka_unit_test(status_variants_are_checked),
        cmocka_unit_test(authority_is_checked),
        cmocka_unit_test(constants_are_literals_of_their_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
