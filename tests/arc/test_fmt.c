#include "arc/fmt.h"

#include "tests/arc/format.h"
#include "tests/support/test.h"

#include <jansson.h>

#include <stdio.h>

static void formats_to(const char *text, const char *wanted)
{
    struct base_arena arena;
    base_arena_init(&arena);
    struct arc_source source = {"test.arc", text, strlen(text)};
    struct arc_diags diags;
    arc_diags_init(&diags, &arena, &source);
    const char *got = arc_format(&source, &arena, &diags);
    if (got == NULL)
        fail_msg("%s", arc_diags_render(&diags));
    assert_string_equal(got, wanted);
    const char *problem = format_problem(&arena, text, strlen(text));
    if (problem != NULL)
        fail_msg("%s:\n%s", problem, got);
    base_arena_fini(&arena);
}

static void spaces_go_around_operators_and_arrows(void **state)
{
    (void)state;
    formats_to("a+b*-c^2==d and not e  ->f=>g", "a + b * -c ^ 2 == d and not e -> f => g\n");
    formats_to("X:=-5\nY f64   psi:=2bar", "X := -5\nY f64 psi := 2bar\n");
    formats_to("func f(){x$=1 x+=2 s[ 0 ]=3}",
               "func f() {\n    x $= 1\n    x += 2\n    s[0] = 3\n}\n");
    formats_to("func f ( ) { return - ( a ) + ( b ) }", "func f() { return -(a) + (b) }\n");
    formats_to("func f(){x:=a [ 1 : n ] [ : 2 ]}", "func f() { x := a[1:n][:2] }\n");
    formats_to("func f(){x:=f64 ( a )+time . now ( )}", "func f() { x := f64(a) + time.now() }\n");
    formats_to("func f(){x:=[ 1 , 2 , ]}", "func f() { x := [1, 2,] }\n");
}

static void signatures_and_configuration_are_tight(void **state)
{
    (void)state;
    formats_to("func f { a f64=1 , b i64 } ( c u8=2 )( d f64 , e f64 ) { }",
               "func f{a f64 = 1, b i64}(c u8 = 2) (d f64, e f64) {}\n");
    formats_to("x->f { a = 1 , b = - 2 } -> g { 3 , 4 }", "x -> f{a=1, b=-2} -> g{3, 4}\n");
    formats_to("{ a : b , c : d -> e } -> f { }", "{ a: b, c: d -> e } -> f{}\n");
    formats_to("x->f{}->{a:b,c:g{}:d}->h{}", "x -> f{} -> { a: b, c: g{}: d } -> h{}\n");
}

static void each_statement_has_its_line(void **state)
{
    (void)state;
    formats_to("1->a 2->b", "1 -> a\n2 -> b\n");
    formats_to("func f(){a=1 b=2}", "func f() {\n    a = 1\n    b = 2\n}\n");
    formats_to("func f(){if a{b=1}else\nif c{d=2}\nelse{e=3}}",
               "func f() {\n    if a { b = 1 } else if c { d = 2 } else { e = 3 }\n}\n");
    formats_to("func f()\n{\nif a\n{\nb=1\n}\nelse\n{\nc=1\n}\n}",
               "func f() {\n    if a {\n        b = 1\n    } else {\n        c = 1\n    }\n}\n");
    formats_to("import(time math)", "import (\n    time\n    math\n)\n");
    formats_to("import(\ntime)\nauthority(5 a 6)",
               "import (\n    time\n)\nauthority (\n    5\n    a 6\n)\n");
    formats_to("import ( )  import time as t", "import ()\nimport time as t\n");
}

static void a_body_on_one_line_may_stay_there(void **state)
{
    (void)state;
    formats_to("stage{0->a,1->b}", "stage { 0 -> a, 1 -> b }\n");
    formats_to("stage{0->a}", "stage { 0 -> a }\n");
    formats_to("stage{0->a 1->b}", "stage {\n    0 -> a\n    1 -> b\n}\n");
    formats_to("stage{\n}", "stage {}\n");
    formats_to("sequence s{stage a{1->b 2->c}}",
               "sequence s {\n    stage a {\n        1 -> b\n        2 -> c\n    }\n}\n");
    formats_to("x->f{}->{a:stage{1->b 2->c}}",
               "x -> f{} -> {\n    a: stage {\n        1 -> b\n        2 -> c\n    }\n}\n");
}

static void breaks_of_the_writer_stay(void **state)
{
    (void)state;
    formats_to("a\n->b\n->c", "a\n    -> b\n    -> c\n");
    formats_to("func f() {\nx := a +\nb\n}", "func f() {\n    x := a +\n        b\n}\n");
    formats_to("func f{\na f64,b f64}() {}", "func f{\n    a f64,\n    b f64\n}() {}\n");
    formats_to("x -> f{} -> {\na: b, c: d }", "x -> f{} -> {\n    a: b,\n    c: d\n}\n");
    formats_to("func f() {\nx := [\n1, 2,\n3 ]\n}",
               "func f() {\n    x := [\n        1, 2,\n        3\n    ]\n}\n");
    formats_to("x\n-> f{} -> {\na: b }", "x\n    -> f{} -> {\n        a: b\n    }\n");
}

static void at_most_one_empty_line_and_none_at_the_edges(void **state)
{
    (void)state;
    formats_to("\n\n1 -> a\n\n\n\n2 -> b\n3 -> c\n\n\n", "1 -> a\n\n2 -> b\n3 -> c\n");
    formats_to("stage {\n\n1 -> a\n\n2 -> b\n\n}", "stage {\n    1 -> a\n\n    2 -> b\n}\n");
    formats_to("", "");
    formats_to("\n \n", "");
}

static void comments_stay_where_they_are(void **state)
{
    (void)state;
    formats_to("// a   \n1 -> b // c\n\n\n// d\n/* e\n  f */ 2 -> g\n// h",
               "// a\n1 -> b // c\n\n// d\n/* e\n  f */\n2 -> g\n// h\n");
    formats_to("stage { // a\n// b\n1 -> c\n// d\n}",
               "stage { // a\n    // b\n    1 -> c\n    // d\n}\n");
    formats_to("func f() {\nx := a + // b\nc\n}", "func f() {\n    x := a + // b\n        c\n}\n");
    formats_to("x -> f{/* a */}", "x -> f{ /* a */ }\n");
    formats_to("stage {\n// a\n}", "stage {\n    // a\n}\n");
    formats_to("a /* b */ -> c", "a /* b */ -> c\n");
    formats_to("/* only */", "/* only */\n");
    formats_to("1 -> a\r\n// b\r\n2 -> c\r\n", "1 -> a\n// b\n2 -> c\n");
}

static void a_minus_that_begins_an_item_still_does(void **state)
{
    (void)state;
    formats_to("1 -> a\n-5 -> b", "1 -> a\n-5 -> b\n");
    formats_to("1 -> a\n- 5 -> b", "1 -> a\n    - 5 -> b\n");
    formats_to("1 -> a -5 -> b", "1 -> a - 5 -> b\n");
    formats_to("c > 1\n-5 -> b", "c > 1\n    - 5 -> b\n");
}

static void strings_are_left_alone(void **state)
{
    (void)state;
    formats_to("`a\n   b`->c", "`a\n   b` -> c\n");
    formats_to("f\"{ a+b }\"->c", "f\"{ a+b }\" -> c\n");
}

static void what_cannot_be_read_is_not_formatted(void **state)
{
    (void)state;
    struct base_arena arena;
    base_arena_init(&arena);
    struct arc_source source = {"test.arc", "1 -> ", 5};
    struct arc_diags diags;
    arc_diags_init(&diags, &arena, &source);
    assert_null(arc_format(&source, &arena, &diags));
    assert_int_equal(diags.n_errors, 1);
    base_arena_fini(&arena);
}

/* ---- All programs ------------------------------------------------------------------------- */

static size_t check_program(const json_t *object, const char *separator)
{
    struct base_arena arena;
    base_arena_init(&arena);
    const char *text = "";
    size_t i;
    const json_t *line;
    json_array_foreach(json_object_get(object, "source"), i, line) text =
        base_arena_printf(&arena, "%s%s%s", text, json_string_value(line), separator);
    const char *problem = format_problem(&arena, text, strlen(text));
    if (problem != NULL)
        print_error("%s: %s\n", json_string_value(json_object_get(object, "name")), problem);
    base_arena_fini(&arena);
    return problem != NULL;
}

static void every_program_keeps_its_tokens_and_formats_once(void **state)
{
    (void)state;
    static const char *const files[] = {"diagnostics", "flows",   "functions",      "loops",
                                        "programs",    "routing", "runtime-errors", "sequences",
                                        "stages",      "stdlib",  "series-strings", "timers",
                                        "units",       "values"};
    size_t n_wrong = 0;
    size_t n_programs = 0;
    for (size_t f = 0; f < ARCD_COUNT_OF(files); f++) {
        char path[100];
        snprintf(path, sizeof path, "tests/conformance/%s.json", files[f]);
        json_t *root = json_load_file(path, JSON_DECODE_INT_AS_REAL, NULL);
        assert_non_null(root);
        size_t i;
        const json_t *object;
        json_array_foreach(json_object_get(root, "cases"), i, object)
        {
            n_wrong += check_program(object, "\n");
            n_wrong += check_program(object, " "); /* all on one line */
            n_programs++;
        }
        json_decref(root);
    }
    assert_true(n_programs > 500);
    assert_int_equal(n_wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spaces_go_around_operators_and_arrows),
        cmocka_unit_test(signatures_and_configuration_are_tight),
        cmocka_unit_test(each_statement_has_its_line),
        cmocka_unit_test(a_body_on_one_line_may_stay_there),
        cmocka_unit_test(breaks_of_the_writer_stay),
        cmocka_unit_test(at_most_one_empty_line_and_none_at_the_edges),
        cmocka_unit_test(comments_stay_where_they_are),
        cmocka_unit_test(a_minus_that_begins_an_item_still_does),
        cmocka_unit_test(strings_are_left_alone),
        cmocka_unit_test(what_cannot_be_read_is_not_formatted),
        cmocka_unit_test(every_program_keeps_its_tokens_and_formats_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
