/* What code is made of a body: few instructions, the right registers, and a straight-line form
 * wherever there can be one. */
#include "tests/arc/compile.h"

static void a_comparison_and_its_branch_are_one_instruction(void **state)
{
    (void)state;
    struct compiled c = compile("x f64, y f64", "func f(a f64) f64 {\n"
                                                "    if a > 2.0 { return 1.0 }\n"
                                                "    return a\n"
                                                "}\n"
                                                "x -> f{} -> y\n");
    assert_string_equal(body_ops(&c, "f"), "JNLT_F64 RET RET");
    compiled_fini(&c);
}

static void constants_are_registers_of_the_frame(void **state)
{
    (void)state;
    struct compiled c = compile("x f64, y f64", "func f(a f64) f64 { return a * 2.0 + 2.0 - 3.0 }\n"
                                                "x -> f{} -> y\n");
    const struct arc_image_func *f = func_named(&c, "f");
    assert_string_equal(body_ops(&c, "f"), "MUL_F64 ADD_F64 SUB_F64 RET");
    assert_int_equal(f->body.n_k, 2);
    assert_int_equal(f->body.k_reg, 1); /* behind the argument */
    assert_true(c.image->consts[f->body.k_first].f64 == 2.0);
    compiled_fini(&c);
}

static void constant_arithmetic_is_done_by_the_compiler(void **state)
{
    (void)state;
    struct compiled c = compile("x i32, y i32", "func f(a i32) i32 {\n"
                                                "    k i32 := 2147483647\n"
                                                "    return a + i32(7) * 2 - 4 / 2\n"
                                                "}\n"
                                                "x -> f{} -> y\n");
    assert_string_equal(body_ops(&c, "f"), "LOADK ADD_I32 SUB_I32 RET");
    compiled_fini(&c);
}

static void a_counted_loop_closes_with_one_instruction(void **state)
{
    (void)state;
    struct compiled c = compile("x i64, y i64", "func f(n i64) i64 {\n"
                                                "    s i64 := 0\n"
                                                "    for i := range(n) { s += i }\n"
                                                "    return s\n"
                                                "}\n"
                                                "x -> f{} -> y\n");
    assert_string_equal(body_ops(&c, "f"), "LOADK LOADK JNLT_I64 ADD_I64 FOR_I64 RET");
    compiled_fini(&c);
}

static void stateful_variables_live_in_registers(void **state)
{
    (void)state;
    struct compiled c = compile("x f64, y f64", "func f(a f64) f64 {\n"
                                                "    sum $= 1.5\n"
                                                "    sum = sum + a\n"
                                                "    return sum\n"
                                                "}\n"
                                                "x -> f{} -> y\n");
    const struct arc_image_func *f = func_named(&c, "f");
    assert_string_equal(body_ops(&c, "f"), "ADD_F64 RET");
    assert_int_equal(f->state_mode, ARC_STATE_REGS);
    assert_int_equal(f->state.n, 1);
    assert_true(c.image->state_init[f->state.first].f64 == 1.5);
    assert_int_equal(c.image->n_state, 1);
    compiled_fini(&c);
}

static void a_state_that_is_set_by_code_has_a_flag(void **state)
{
    (void)state;
    struct compiled c = compile("x f64, y f64", "func f(a f64) f64 {\n"
                                                "    first $= a\n"
                                                "    return first\n"
                                                "}\n"
                                                "x -> f{} -> y\n");
    assert_string_equal(body_ops(&c, "f"), "JNZ MOV_F64 LOADK RET");
    assert_int_equal(func_named(&c, "f")->state.n, 2);
    compiled_fini(&c);
}

static void a_recursive_function_keeps_its_state_in_slots(void **state)
{
    (void)state;
    struct compiled c = compile("x i64, y i64", "func f(n i64) i64 {\n"
                                                "    calls i64 $= 0\n"
                                                "    calls += 1\n"
                                                "    if n > 0 { return f(n - 1) }\n"
                                                "    return calls\n"
                                                "}\n"
                                                "x -> f{} -> y\n");
    const struct arc_image_func *f = func_named(&c, "f");
    assert_int_equal(f->state_mode, ARC_STATE_SLOTS);
    assert_true(f->recursive);
    assert_int_equal(f->stack_regs, (ARC_MAX_CALL_DEPTH + 1) * f->body.n_regs);
    compiled_fini(&c);
}

static void each_node_has_one_set_of_state_for_each_helper(void **state)
{
    (void)state;
    struct compiled c = compile("x f64, y f64", "func inner(a f64) f64 {\n"
                                                "    s $= 0.0\n"
                                                "    s += a\n"
                                                "    return s\n"
                                                "}\n"
                                                "func outer(a f64) f64 {\n"
                                                "    t $= 0.0\n"
                                                "    t = inner(a) + inner(t)\n"
                                                "    return t\n"
                                                "}\n"
                                                "x -> outer{} -> y\n"
                                                "x -> outer{} -> y\n");
    assert_int_equal(func_named(&c, "outer")->n_root_state, 2);
    assert_int_equal(c.image->n_state, 4);
    compiled_fini(&c);
}

static void an_expression_says_that_it_writes_through_a_call(void **state)
{
    (void)state;
    struct compiled c = compile("x f64, y f64, n f64", "func note(a f64) f64 {\n"
                                                       "    n = a\n"
                                                       "    return a\n"
                                                       "}\n"
                                                       "note(x) + 1.0 -> y\n"
                                                       "x + 1.0 -> y\n");
    uint32_t n_writing = 0;
    for (uint32_t i = 0; i < c.image->n_funcs; i++)
        n_writing += c.image->funcs[i].writes;
    assert_int_equal(n_writing, 2);
    compiled_fini(&c);
}

static void a_small_pure_function_is_taken_in(void **state)
{
    (void)state;
    struct compiled c = compile("x f64, y f64", "func cap(a f64, hi f64) f64 {\n"
                                                "    if a > hi { return hi }\n"
                                                "    return a\n"
                                                "}\n"
                                                "func f(a f64) f64 { return cap(a * 2.0, 9.0) }\n"
                                                "x -> f{} -> y\n");
    assert_string_equal(body_ops(&c, "f"), "MUL_F64 JNLT_F64 MOV_F64 JMP MOV_F64 RET");
    assert_false(func_named(&c, "f")->calls);
    compiled_fini(&c);
}

static void a_function_that_may_fault_is_called_so_that_it_is_named(void **state)
{
    (void)state;
    struct compiled c = compile("x i64, y i64", "func part(a i64, b i64) i64 { return a / b }\n"
                                                "func f(a i64) i64 { return part(100, a) }\n"
                                                "x -> f{} -> y\n");
    assert_string_equal(body_ops(&c, "f"), "LOADK MOV_I64 CALL RET");
    assert_int_equal(func_named(&c, "part")->batch.code.n, 0);
    compiled_fini(&c);
}

static void a_clamp_becomes_straight_line_code(void **state)
{
    (void)state;
    struct compiled c = compile("x f64, y f64", "func f(a f64) f64 {\n"
                                                "    v := a * 2.0 + 1.0\n"
                                                "    if v > 10.0 { return 10.0 }\n"
                                                "    if v < 0.0 { return 0.0 }\n"
                                                "    return v\n"
                                                "}\n"
                                                "x -> f{} -> y\n");
    assert_string_equal(batch_ops(&c, "f"), "MUL_F64 ADD_F64 MOV_F64 LIFTLT_F64 CAPLT_F64");
    compiled_fini(&c);
}

static void a_limit_whose_operand_changes_keeps_its_comparison(void **state)
{
    (void)state;
    struct compiled c = compile("x f64, y f64", "func f(a f64) f64 {\n"
                                                "    v := a\n"
                                                "    w := 1.0\n"
                                                "    if v > a * 2.0 { w = 3.0 v = 2.0 w = v }\n"
                                                "    return w + v\n"
                                                "}\n"
                                                "x -> f{} -> y\n");
    assert_non_null(strstr(batch_ops(&c, "f"), "LT_F64 CMOV_F64 CMOV_F64 CMOV_F64"));
    compiled_fini(&c);
}

static void a_sum_of_products_multiplies_into_the_sum(void **state)
{
    (void)state;
    struct compiled c = compile("x f64, y f64", "func f(a f64) f64 {\n"
                                                "    s $= 0.0\n"
                                                "    s = s + a * 0.5\n"
                                                "    d := a * 2.0 + a * s - s * 3.0\n"
                                                "    s += d * a\n"
                                                "    return d\n"
                                                "}\n"
                                                "x -> f{} -> y\n");
    assert_string_equal(body_ops(&c, "f"),
                        "MULADD_F64 MUL_F64 MULADD_F64 MULSUB_F64 MULADD_F64 RET");
    compiled_fini(&c);
}

static void a_variable_that_the_product_reads_is_not_overwritten_early(void **state)
{
    (void)state;
    struct compiled c = compile("x f64, y f64", "func f(a f64) f64 {\n"
                                                "    v := a + 1.0\n"
                                                "    v = a * a + v * v\n"
                                                "    v = v + v * v\n"
                                                "    return v\n"
                                                "}\n"
                                                "x -> f{} -> y\n");
    assert_string_equal(body_ops(&c, "f"), "ADD_F64 MUL_F64 MUL_F64 ADD_F64 MULADD_F64 RET");
    compiled_fini(&c);
}

static void a_branch_becomes_a_predicate(void **state)
{
    (void)state;
    struct compiled c = compile("x f64, y f64", "func f(a f64) f64 {\n"
                                                "    v := a\n"
                                                "    if a > 1.0 { v = 1.0 } else { v = v + 1.0 }\n"
                                                "    return v\n"
                                                "}\n"
                                                "x -> f{} -> y\n");
    assert_string_equal(batch_ops(&c, "f"), "MOV_F64 LT_F64 CMOV_F64 NOT ADD_F64 CMOV_F64");
    compiled_fini(&c);
}

static void calls_are_inlined_into_batch_code(void **state)
{
    (void)state;
    struct compiled c = compile("x f64, y f64", "func sq(a f64) f64 { return a * a }\n"
                                                "func f(a f64) f64 { return sq(a) + sq(a + 1.0) }\n"
                                                "x -> f{} -> y\n");
    assert_string_equal(batch_ops(&c, "f"), "MUL_F64 ADD_F64 MUL_F64 ADD_F64");
    compiled_fini(&c);
}

static void columns_are_used_again(void **state)
{
    (void)state;
    struct compiled c =
        compile("x f64, y f64", "func f(a f64) f64 {\n"
                                "    return ((((a + 1.0) * a + 2.0) * a + 3.0) * a + 4.0) * a\n"
                                "}\n"
                                "x -> f{} -> y\n");
    const struct arc_image_func *f = func_named(&c, "f");
    assert_int_equal(f->batch.n_regs, 1 + 4 + 2); /* argument, constants, two in turn */
    compiled_fini(&c);
}

static void a_batch_output_that_may_be_missing_has_a_flag(void **state)
{
    (void)state;
    struct compiled c = compile("x f64, hi f64, all f64", "func f(a f64) (high f64, every f64) {\n"
                                                          "    every = a\n"
                                                          "    if a > 5.0 { high = a }\n"
                                                          "}\n"
                                                          "x -> f{} -> { high: hi, every: all }\n");
    const struct arc_image_func *f = func_named(&c, "f");
    const struct arc_image_func_output *outputs = &c.image->func_outputs[f->outputs.first];
    assert_true(f->batch.code.n > 0);
    assert_int_not_equal(outputs[0].batch_flag_reg, ARC_NO_REG);
    assert_int_equal(outputs[1].batch_flag_reg, ARC_NO_REG);
    compiled_fini(&c);
}

static void what_may_fault_or_remember_has_no_batch_code(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "return 10 / a",                    /* may fault */
        "s i64 $= 0\n s += a\n return s",   /* state */
        "return a + other",                 /* channel */
        "for i := range(3) { }\n return a", /* loop */
        "return len(str(a))",               /* text */
        "return a ^ a",                     /* 0 ^ -1 */
    };
    for (size_t i = 0; i < ARCD_COUNT_OF(bodies); i++) {
        char text[256];
        snprintf(text, sizeof text, "func f(a i64) i64 {\n%s\n}\nx -> f{} -> y\n", bodies[i]);
        struct compiled c = compile("x i64, y i64, other i64", text);
        assert_int_equal(func_named(&c, "f")->batch.code.n, 0);
        compiled_fini(&c);
    }
}

static void a_divisor_that_is_a_constant_cannot_fault(void **state)
{
    (void)state;
    struct compiled c = compile("x i64, y i64", "func f(a i64) i64 { return a / 10 % 7 + a ^ 3 }\n"
                                                "x -> f{} -> y\n");
    assert_string_equal(batch_ops(&c, "f"), "DIV_I64 MOD_I64 POW_I64 ADD_I64");
    compiled_fini(&c);
}

static void lines_of_instructions_are_those_of_the_text(void **state)
{
    (void)state;
    struct compiled c = compile("x i64, y i64", "func f(a i64) i64 {\n"
                                                "    b := a + 1\n"
                                                "    return 10 /\n"
                                                "        b\n"
                                                "}\n"
                                                "x -> f{} -> y\n");
    const struct arc_image_func *f = func_named(&c, "f");
    assert_int_equal(c.image->code_lines[f->body.code.first], 2);
    assert_int_equal(c.image->code_lines[f->body.code.first + 1], 3);
    compiled_fini(&c);
}

static void a_function_that_is_too_large_is_refused_with_a_message(void **state)
{
    (void)state;
    enum { LINES = 40000 };
    char *text = malloc(LINES * 16 + 256);
    size_t n = (size_t)sprintf(text, "func f(a i64) i64 {\nv := a\n");
    for (int i = 0; i < LINES; i++)
        n += (size_t)sprintf(text + n, "v = v + a\n");
    sprintf(text + n, "return v\n}\nx -> f{} -> y\n");
    struct compiled c = try_compile("x i64, y i64", text);
    assert_null(c.image);
    assert_non_null(strstr(arc_diags_render(c.diags), "function 'f' is too large"));
    compiled_fini(&c);
    free(text);
}

static void more_constants_than_a_frame_keeps_are_loaded_where_they_are_used(void **state)
{
    (void)state;
    enum { TERMS = 400 };
    char *text = malloc(TERMS * 24 + 256);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, "func f(a f64) f64 {\n v := a\n");
    for (int i = 0; i < TERMS; i++)
        n += (size_t)sprintf(text + n, "v = v + %d.25\n", i);
    sprintf(text + n, "return v\n}\nx -> f{} -> y\n");
    struct compiled c = compile("x f64, y f64", text);
    assert_int_equal(func_named(&c, "f")->batch.code.n, 0);
    assert_int_equal(func_named(&c, "f")->body.n_k, 200);
    assert_non_null(strstr(body_ops(&c, "f"), "LOADK ADD_F64 LOADK ADD_F64 RET"));
    compiled_fini(&c);
    free(text);
}

static void a_long_series_of_constants_needs_no_registers(void **state)
{
    (void)state;
    char text[3000];
    size_t n = (size_t)sprintf(text, "func f(a f64) f64 {\n t := [a");
    for (int i = 0; i < 200; i++)
        n += (size_t)sprintf(text + n, ", %d.0", i);
    sprintf(text + n, "]\n return t[3]\n}\nx -> f{} -> y\n");
    struct compiled c = compile("x f64, y f64", text);
    assert_string_equal(body_ops(&c, "f"), "SLOAD SSET_F64 SGET_F64 RET");
    assert_int_equal(c.image->series[0].n, 201);
    compiled_fini(&c);
}

static void strings_of_one_text_are_joined_at_once(void **state)
{
    (void)state;
    struct compiled c = compile(
        "x f64, note str", "func f(a f64) str { return \"a\" + str(a) + \"b\" + f\"{a:.2f}!\" }\n"
                           "x -> f{} -> note\n");
    assert_string_equal(body_ops(&c, "f"), "LOADS TOSTR_F64 LOADS FMT_F64 LOADS JOIN JOIN RET");
    assert_int_equal(c.image->n_formats, 1);
    compiled_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_comparison_and_its_branch_are_one_instruction),
        cmocka_unit_test(constants_are_registers_of_the_frame),
        cmocka_unit_test(constant_arithmetic_is_done_by_the_compiler),
        cmocka_unit_test(a_counted_loop_closes_with_one_instruction),
        cmocka_unit_test(stateful_variables_live_in_registers),
        cmocka_unit_test(a_state_that_is_set_by_code_has_a_flag),
        cmocka_unit_test(a_recursive_function_keeps_its_state_in_slots),
        cmocka_unit_test(each_node_has_one_set_of_state_for_each_helper),
        cmocka_unit_test(an_expression_says_that_it_writes_through_a_call),
        cmocka_unit_test(a_small_pure_function_is_taken_in),
        cmocka_unit_test(a_function_that_may_fault_is_called_so_that_it_is_named),
        cmocka_unit_test(a_clamp_becomes_straight_line_code),
        cmocka_unit_test(a_limit_whose_operand_changes_keeps_its_comparison),
        cmocka_unit_test(a_sum_of_products_multiplies_into_the_sum),
        cmocka_unit_test(a_variable_that_the_product_reads_is_not_overwritten_early),
        cmocka_unit_test(a_branch_becomes_a_predicate),
        cmocka_unit_test(calls_are_inlined_into_batch_code),
        cmocka_unit_test(columns_are_used_again),
        cmocka_unit_test(a_batch_output_that_may_be_missing_has_a_flag),
        cmocka_unit_test(what_may_fault_or_remember_has_no_batch_code),
        cmocka_unit_test(a_divisor_that_is_a_constant_cannot_fault),
        cmocka_unit_test(lines_of_instructions_are_those_of_the_text),
        cmocka_unit_test(a_function_that_is_too_large_is_refused_with_a_message),
        cmocka_unit_test(more_constants_than_a_frame_keeps_are_loaded_where_they_are_used),
        cmocka_unit_test(a_long_series_of_constants_needs_no_registers),
        cmocka_unit_test(strings_of_one_text_are_joined_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
