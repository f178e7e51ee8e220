/* The tree that an editor gets of a text with errors. */
#include "tests/arc/front.h"

static struct arc_program *check_loosely(struct front *f, const char *channels, const char *text)
{
    front_check(f, channels, "");
    f->source.text = text;
    f->source.len = strlen(text);
    arc_diags_init(&f->diags, &f->arena, &f->source);
    return arc_check_loosely(&f->source, &f->table, &f->arena, &f->diags);
}

static void a_program_with_a_type_error_has_a_tree(void **state)
{
    (void)state;
    struct front f;
    struct arc_program *program =
        check_loosely(&f, "a f64", "func f(x f64) f64 {\n y := x * 2.0\n return str(y)\n}\n");
    assert_non_null(program);
    assert_int_equal(f.diags.n_errors, 1);
    assert_int_equal(program->n_funcs, 1);
    const struct arc_var *y = program->funcs[0]->body->stmts[0]->u.decl.var;
    assert_string_equal(arc_type_name(&f.arena, y->type), "f64");
    front_fini(&f);
}

static void a_function_with_a_syntax_error_has_the_types_of_the_rest(void **state)
{
    (void)state;
    struct front f;
    struct arc_program *program = check_loosely(
        &f, "a f32", "func f(x f64) f64 {\n y := x * 2.0\n z := a + 1\n w := y *\n}\n");
    assert_non_null(program);
    assert_int_equal(f.diags.n_errors, 1); /* neither the missing return nor anything else */
    assert_true(program->funcs[0]->is_broken);
    struct arc_stmt **stmts = program->funcs[0]->body->stmts;
    assert_string_equal(arc_type_name(&f.arena, stmts[0]->u.decl.var->type), "f64");
    assert_string_equal(arc_type_name(&f.arena, stmts[1]->u.decl.var->type), "f32");
    front_fini(&f);
}

static void every_beginning_of_a_program_can_be_checked(void **state)
{
    (void)state;
    static const char text[] =
        "import time\nLIMIT f32 psi := 2bar\nauthority (5 v 7)\n"
        "func f{g chan f64, k f64 = 2.0}(x f64, y f64 = 1.0) (lo f64, hi f64) {\n s $= [1.0]\n"
        " for i, e := s { if e > x and not (i == 3) { s[i] += e ^ 2.0 } else { continue } }\n"
        " for j := range(0, 9) { g = f64(j) }\n lo = s[-1] hi = len(s[1:]) \n v = "
        "f\"{lo:.2f}\"\n}\n"
        "sequence q { 1 -> v stage a { v > 2 => next, time.wait{5s} => q } b => stage { 0 -> v } "
        "}\n"
        "{v: x, b: y} -> f{g=b} -> { lo: b, hi: select{} : input } -> q\n";
    char cut[sizeof text];
    for (size_t len = 0; len < sizeof text; len++) {
        struct front f;
        memcpy(cut, text, len);
        cut[len] = '\0';
        assert_non_null(check_loosely(&f, "v u8, b f64", cut));
        front_fini(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_with_a_type_error_has_a_tree),
        cmocka_unit_test(a_function_with_a_syntax_error_has_the_types_of_the_rest),
        cmocka_unit_test(every_beginning_of_a_program_can_be_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
