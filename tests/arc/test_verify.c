/* Images that were damaged are refused, with a sentence that says what is wrong; and no damage at
 * all makes the verifier read outside of the image (the sanitizers see to that). */
#include "tests/arc/compile.h"

/* A program with something of everything. */
static const char program[] =
    "import ( time\n math )\n"
    "authority (100 valve 20)\n"
    "func count(a f64) f64 {\n"
    "    n i64 $= 0\n"
    "    last $= a\n"
    "    n += 1\n"
    "    last = a\n"
    "    return f64(n) + last\n"
    "}\n"
    "func fact(n i64) i64 {\n"
    "    if n < 2 { return 1 }\n"
    "    return n * fact(n - 1)\n"
    "}\n"
    "func clamp{hi f64}(v f64) f64 {\n"
    "    if v > hi { return hi }\n"
    "    return v\n"
    "}\n"
    "func split(v f64) (high f64, low f64) {\n"
    "    if v > 5.0 { high = v } else { low = v / 10.0 }\n"
    "}\n"
    "func text(v f64) str {\n"
    "    s := [1.0, v, 3.0]\n"
    "    for i, x := s { s[i] = x * 2.0 }\n"
    "    note = f\"{v:.2f}\" + str(len(s)) + \"!\"\n"
    "    return note[0:1]\n"
    "}\n"
    "level -> count{} -> clamp{hi=9.0} -> split{} -> { high: valve_f, low: math.avg{count=3} -> "
    "mean }\n"
    "level -> text{} -> note\n"
    "fact(5) + 1 -> total\n"
    "level > 5.0 => main\n"
    "time.interval{10ms} -> valve\n"
    "sequence main {\n"
    "    1 -> valve\n"
    "    stage { level > 9.0 => safe, time.wait{1s} => next, level -> select_in }\n"
    "    sequence { 2 -> valve, level > 1.0 }\n"
    "}\n"
    "sequence safe { 0 -> valve }\n";

static struct compiled compile_program(void)
{
    return compile("level f64, valve u8, valve_f f64, mean f64, note str, total i64, select_in f64",
                   program);
}

/* The first instruction with that opcode, in any body. */
static struct arc_insn *insn_of(struct compiled *c, enum arc_opcode op)
{
    for (uint32_t i = 0; i < c->image->n_code; i++)
        if (c->image->code[i].op == op)
            return &c->image->code[i];
    fail_msg("no %s", arc_op_info[op].name);
    return NULL;
}

static struct arc_image_func *func_of(struct compiled *c, const char *name)
{
    return c->image->funcs + (func_named(c, name) - c->image->funcs);
}

static struct arc_image_node *node_of(struct compiled *c, enum arc_image_node_kind kind)
{
    for (uint32_t i = 0; i < c->image->n_nodes; i++)
        if (c->image->nodes[i].kind == kind)
            return &c->image->nodes[i];
    fail_msg("no %s", arc_image_node_text(kind));
    return NULL;
}

static void expect_bad(struct compiled *c, const char *part)
{
    struct arcd_errinfo why = {.code = ARCD_OK};
    assert_int_equal(arc_verify(c->image, &why), ARCD_ERR_PROGRAM);
    assert_int_equal(why.code, ARCD_ERR_PROGRAM);
    if (strstr(why.text, part) == NULL)
        fail_msg("wanted '%s', got '%s'", part, why.text);
    compiled_fini(c);
}

static void what_the_compiler_makes_is_accepted(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    struct arcd_errinfo why;
    assert_int_equal(arc_verify(c.image, &why), ARCD_OK);
    compiled_fini(&c);
}

/* ---- Code --------------------------------------------------------------------------------- */

static void a_jump_out_of_its_function_is_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    insn_of(&c, ARC_OP_JNLT_I64)->c = 1000;
    expect_bad(&c, "jumps out of the function");
}

static void a_forward_jump_that_goes_back_is_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    insn_of(&c, ARC_OP_JNLT_I64)->c = 0;
    expect_bad(&c, "jumps in the wrong direction");
}

static void a_loop_that_goes_forward_is_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    insn_of(&c, ARC_OP_FOR_I64)->c = 1;
    expect_bad(&c, "jumps in the wrong direction");
}

static void a_register_beyond_the_frame_is_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    insn_of(&c, ARC_OP_SGET_F64)->b = 500;
    expect_bad(&c, "no such register");
}

static void an_argument_is_never_written(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    insn_of(&c, ARC_OP_CVT_I64_F64)->a = 0;
    expect_bad(&c, "writes an argument or a constant");
}

static void a_constant_is_never_written(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    insn_of(&c, ARC_OP_MUL_F64)->a = func_named(&c, "text")->body.k_reg;
    expect_bad(&c, "writes an argument or a constant");
}

static void an_operand_of_another_type_is_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    insn_of(&c, ARC_OP_CVT_I64_F64)->op = ARC_OP_CVT_I32_F64;
    expect_bad(&c, "holds another type");
}

static void a_register_that_holds_nothing_is_not_read(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    struct arc_image_func *f = func_of(&c, "clamp");
    f->body.n_regs = (uint16_t)(f->body.n_regs + 1);
    f->stack_regs++;
    c.image->stack_regs += 2 * (ARC_MAX_CALL_DEPTH + 1);
    struct arc_insn *ret = &c.image->code[f->body.code.first + f->body.code.n - 1];
    assert_int_equal(ret->op, ARC_OP_RET);
    ret->a = (uint16_t)(f->body.n_regs - 1);
    expect_bad(&c, "holds another type, or nothing");
}

static void control_does_not_run_off_the_end(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    struct arc_image_func *f = func_of(&c, "fact");
    c.image->code[f->body.code.first + f->body.code.n - 1].op = ARC_OP_NOP;
    expect_bad(&c, "runs off the end");
}

static void an_opcode_that_is_none_is_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    insn_of(&c, ARC_OP_JOIN)->op = ARC_OP_COUNT;
    expect_bad(&c, "no such opcode");
}

static void a_call_that_passes_another_type_is_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    insn_of(&c, ARC_OP_CALL)->imm = (int32_t)(func_named(&c, "text") - c.image->funcs);
    for (uint32_t i = 0; i < c.image->n_funcs; i++)
        c.image->funcs[i].writes = true; /* as text does */
    expect_bad(&c, "passes an argument of another type");
}

static void a_call_of_a_function_with_config_is_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    insn_of(&c, ARC_OP_CALL)->imm = (int32_t)(func_named(&c, "clamp") - c.image->funcs);
    expect_bad(&c, "");
}

static void a_stack_bound_that_is_too_low_is_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    func_of(&c, "fact")->stack_regs = 50;
    expect_bad(&c, "stack bound is too low for a call");
}

static void a_body_that_hides_its_writes_is_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    func_of(&c, "text")->writes = false;
    expect_bad(&c, "writes a channel and does not say so");
}

static void batch_code_that_may_fault_is_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    struct arc_image_body *batch = &func_of(&c, "clamp")->batch;
    c.image->code[batch->code.first].op = ARC_OP_DIV_I64;
    expect_bad(&c, "may not stand in batch code");
}

static void batch_code_does_not_jump(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    struct arc_image_body *batch = &func_of(&c, "clamp")->batch;
    c.image->code[batch->code.first].op = ARC_OP_JLT_F64;
    c.image->code[batch->code.first].c = 1;
    expect_bad(&c, "may not stand in batch code");
}

static void a_format_for_another_type_is_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    c.image->formats[0].verb = 'd';
    expect_bad(&c, "the format is for another type");
}

static void functions_that_share_state_are_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    func_of(&c, "count")->n_root_state = 1;
    node_of(&c, ARC_IMAGE_NODE_FUNC)->state.n = 1;
    expect_bad(&c, "state");
}

/* ---- Graph -------------------------------------------------------------------------------- */

static void an_edge_that_leads_back_is_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    struct arc_image *image = c.image;
    const struct arc_image_node *f = node_of(&c, ARC_IMAGE_NODE_FUNC);
    image->edges[image->outputs[f->outputs.first].edges.first].node = (uint32_t)(f - image->nodes);
    expect_bad(&c, "leads backward");
}

static void a_node_of_another_shape_is_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    node_of(&c, ARC_IMAGE_NODE_AVG)->kind = ARC_IMAGE_NODE_SELECT;
    expect_bad(&c, "wrong number of inputs or outputs");
}

static void a_transition_to_an_item_that_is_not_there_is_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    for (uint32_t i = 0; i < c.image->n_transitions; i++)
        if (c.image->transitions[i].target_kind == ARC_TO_ITEM)
            c.image->transitions[i].target = 77;
    expect_bad(&c, "no such item");
}

static void a_list_that_leaves_a_node_out_is_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    c.image->scopes[0].sources.n--;
    expect_bad(&c, "a list of nodes is wrong");
}

static void a_member_in_two_places_is_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    c.image->members[1] = c.image->members[0];
    expect_bad(&c, "is not where its");
}

static void a_config_value_of_another_type_is_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    c.image->config[node_of(&c, ARC_IMAGE_NODE_WAIT)->config.first].vt = TELEM_F64;
    expect_bad(&c, "a config value has a wrong type");
}

static void a_string_that_is_not_there_is_refused(void **state)
{
    (void)state;
    struct compiled c = compile_program();
    insn_of(&c, ARC_OP_LOADS)->imm = (int32_t)c.image->n_strings;
    expect_bad(&c, "names something that is not there");
}

/* ---- Any damage --------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13; /* xorshift */
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* An array of records; a byte that is a flag stays 0 or 1, as only those are values of a bool. */
struct records {
    void *array;
    size_t n, size_bytes;
    size_t skip_bytes; /* a pointer at the beginning, which stays */
    size_t bools[4];   /* offsets; 0: none */
};

static bool is_bool(const struct records *r, size_t offset)
{
    for (size_t i = 0; i < ARCD_COUNT_OF(r->bools); i++)
        if (r->bools[i] != 0 && r->bools[i] == offset)
            return true;
    return false;
}

/* Changes one byte, asks the verifier, and puts it back. */
static void flip(struct compiled *c, const struct records *r, uint64_t *seed)
{
    if (r->n == 0)
        return;
    size_t offset = r->skip_bytes + next_random(seed) % (r->size_bytes - r->skip_bytes);
    unsigned char *byte =
        (unsigned char *)r->array + next_random(seed) % r->n * r->size_bytes + offset;
    unsigned char old = *byte;
    *byte = (unsigned char)(next_random(seed) >> 20);
    if (is_bool(r, offset))
        *byte &= 1;
    struct arcd_errinfo why;
    enum arcd_err err = arc_verify(c->image, &why);
    assert_true(err == ARCD_OK || err == ARCD_ERR_PROGRAM);
    *byte = old;
}

#define RECORDS(list, count, ...)                                                                  \
    {                                                                                              \
        .array = (list), .n = (count), .size_bytes = sizeof *(list), __VA_ARGS__                   \
    }
#define NAMED .skip_bytes = sizeof(char *)

static void damage_anywhere_is_survived(void **state)
{
    (void)state;
    enum { ROUNDS = 3000 };
    struct compiled c = compile_program();
    struct arc_image *i = c.image;
    const struct records all[] = {
        RECORDS(i->code, i->n_code),
        RECORDS(i->func_args, i->n_func_args),
        RECORDS(i->func_outputs, i->n_func_outputs),
        RECORDS(i->state_types, i->n_state_slots),
        RECORDS(i->state_init, i->n_state_slots),
        RECORDS(i->const_types, i->n_consts),
        RECORDS(i->nodes, i->n_nodes),
        RECORDS(i->inputs, i->n_inputs),
        RECORDS(i->config, i->n_config),
        RECORDS(i->members, i->n_members),
        RECORDS(i->lists, i->n_lists),
        RECORDS(i->edges, i->n_edges, .bools = {offsetof(struct arc_image_edge, conditional)}),
        RECORDS(i->activations, i->n_activations,
                .bools = {offsetof(struct arc_image_activation, conditional)}),
        RECORDS(i->transitions, i->n_transitions,
                .bools = {offsetof(struct arc_image_transition, truthy),
                          offsetof(struct arc_image_transition, completion)}),
        RECORDS(i->funcs, i->n_funcs, NAMED,
                .bools = {offsetof(struct arc_image_func, calls),
                          offsetof(struct arc_image_func, recursive),
                          offsetof(struct arc_image_func, writes),
                          offsetof(struct arc_image_func, is_expression)}),
        RECORDS(i->channels, i->n_channels, NAMED,
                .bools = {offsetof(struct arc_image_channel, reads),
                          offsetof(struct arc_image_channel, writes),
                          offsetof(struct arc_image_channel, source)}),
        RECORDS(i->scopes, i->n_scopes, NAMED,
                .bools = {offsetof(struct arc_image_scope, sequential),
                          offsetof(struct arc_image_scope, auto_start),
                          offsetof(struct arc_image_scope, inline_body),
                          offsetof(struct arc_image_scope, wrapper)}),
    };
    uint64_t seed = 88172645463325252u;
    for (int round = 0; round < ROUNDS; round++)
        for (size_t k = 0; k < ARCD_COUNT_OF(all); k++)
            flip(&c, &all[k], &seed);
    struct arcd_errinfo why;
    assert_int_equal(arc_verify(i, &why), ARCD_OK);
    compiled_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_compiler_makes_is_accepted),
        cmocka_unit_test(a_jump_out_of_its_function_is_refused),
        cmocka_unit_test(a_forward_jump_that_goes_back_is_refused),
        cmocka_unit_test(a_loop_that_goes_forward_is_refused),
        cmocka_unit_test(a_register_beyond_the_frame_is_refused),
        cmocka_unit_test(an_argument_is_never_written),
        cmocka_unit_test(a_constant_is_never_written),
        cmocka_unit_test(an_operand_of_another_type_is_refused),
        cmocka_unit_test(a_register_that_holds_nothing_is_not_read),
        cmocka_unit_test(control_does_not_run_off_the_end),
        cmocka_unit_test(an_opcode_that_is_none_is_refused),
        cmocka_unit_test(a_call_that_passes_another_type_is_refused),
        cmocka_unit_test(a_call_of_a_function_with_config_is_refused),
        cmocka_unit_test(a_stack_bound_that_is_too_low_is_refused),
        cmocka_unit_test(a_body_that_hides_its_writes_is_refused),
        cmocka_unit_test(batch_code_that_may_fault_is_refused),
        cmocka_unit_test(batch_code_does_not_jump),
        cmocka_unit_test(a_format_for_another_type_is_refused),
        cmocka_unit_test(functions_that_share_state_are_refused),
        cmocka_unit_test(an_edge_that_leads_back_is_refused),
        cmocka_unit_test(a_node_of_another_shape_is_refused),
        cmocka_unit_test(a_transition_to_an_item_that_is_not_there_is_refused),
        cmocka_unit_test(a_list_that_leaves_a_node_out_is_refused),
        cmocka_unit_test(a_member_in_two_places_is_refused),
        cmocka_unit_test(a_config_value_of_another_type_is_refused),
        cmocka_unit_test(a_string_that_is_not_there_is_refused),
        cmocka_unit_test(damage_anywhere_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
