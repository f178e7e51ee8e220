/* Function bodies: declarations, assignments, loops, returns, recursion, and what the checked tree
 * says. */
#include "tests/arc/front.h"

static void a_channel_name_alone_makes_an_alias(void **state)
{
    (void)state;
    struct front f;
    front_check(
        &f, FRONT_CHANNELS,
        "func f() { x := level x = x + 1.0 y := (level) z := level + 0 y = z }\nflag -> f{}");
    assert_non_null(f.program);
    const struct arc_func *func = f.program->funcs[0];
    assert_int_equal(func->body->stmts[0]->kind, ARC_STMT_NOTHING);
    const struct arc_stmt *write = func->body->stmts[1];
    assert_int_equal(write->kind, ARC_STMT_WRITE);
    assert_string_equal(write->u.write.chan.channel->name, "level");
    assert_int_equal(write->u.write.value->u.binary.left->kind, ARC_EXPR_READ);
    assert_int_equal(func->body->stmts[2]->kind, ARC_STMT_DECL);
    assert_int_equal(func->n_vars, 2);
    front_fini(&f);
}

static void a_stateful_variable_reads_its_channel(void **state)
{
    (void)state;
    struct front f;
    front_check(&f, FRONT_CHANNELS, "func f() { x $= level x = 2 y f64 $= 1 }\nflag -> f{}");
    assert_non_null(f.program);
    const struct arc_func *func = f.program->funcs[0];
    assert_int_equal(func->n_state, 2);
    assert_int_equal(func->vars[0]->kind, ARC_VAR_STATE);
    assert_int_equal(func->vars[1]->kind_index, 1);
    assert_int_equal(func->body->stmts[0]->u.decl.value->kind, ARC_EXPR_READ);
    assert_int_equal(func->body->stmts[1]->kind, ARC_STMT_ASSIGN);
    front_fini(&f);
}

static void a_declared_type_rules_the_initial_value(void **state)
{
    (void)state;
    body_accepts(
        "x i32 := 3.0 y f64 $= 2 z series u8 := [1] c chan f64 := level c = 2 q f64 := level");
    body_refuses("x i32 := a", 1, ARC_CODE_TYPE, "cannot assign f64 to 'x' (type i32)");
    body_refuses("x str := 5", 1, ARC_CODE_TYPE, "cannot assign i64 to 'x' (type str)");
    body_refuses("x chan f32 := level", 1, ARC_CODE_TYPE, "cannot assign chan f64");
    body_refuses("x chan f64 := a", 1, ARC_CODE_TYPE, "needs the name of a channel");
    body_refuses("x chan f64 $= level", 1, ARC_CODE_TYPE, "needs the name of a channel");
}

static void assignments_go_where_they_may(void **state)
{
    (void)state;
    body_accepts("a = 1 n += 2 s += \"x\" v += 1 v[0] = 2 v[n] *= 3 level = a w %= 7");
    body_refuses("a = n", 1, ARC_CODE_TYPE, "cannot assign i64 to 'a' (type f64)");
    body_refuses("level = u", 1, ARC_CODE_TYPE, "cannot write u8 to channel 'level'");
    body_refuses("level += 1", 1, ARC_CODE_TYPE, "a compound assignment cannot write a channel");
    body_refuses("sensor = 1", 1, 0, "channel 'sensor' cannot be written");
    body_refuses("probe = 1", 1, ARC_CODE_TYPE, "cannot assign to function 'probe'");
    body_refuses("nothing = 1", 1, ARC_CODE_UNDEFINED, "undefined symbol: nothing");
    body_refuses("a %= b", 1, ARC_CODE_TYPE, "cannot use f64 in % operation");
    body_refuses("v[0] = s", 1, ARC_CODE_TYPE, "cannot assign str to an element of 'v'");
    body_refuses("v[0] += n", 1, ARC_CODE_TYPE, "f64 and i64");
    body_refuses("v[a] = 1", 1, ARC_CODE_TYPE, "an index must be an integer");
    body_refuses("v[0:1] = v", 1, ARC_CODE_TYPE, "slice assignment is not supported");
    body_refuses("a[0] = 1", 1, ARC_CODE_TYPE, "indexed assignment needs a series, 'a' is f64");
    body_refuses("s[0] = 1", 1, ARC_CODE_TYPE, "indexed assignment needs a series");
    body_refuses("level[0] = 1", 1, ARC_CODE_TYPE, "indexed assignment needs a series");
    body_refuses("a + 1 = 2", 1, 0, "only a variable, a channel or an element");
    body_refuses("v[0][1] = 2", 1, 0, "only a variable, a channel or an element");
}

static void compound_assignments_are_written_out(void **state)
{
    (void)state;
    struct front f;
    front_check(&f, FRONT_CHANNELS, "func f(n i64, v series f64) { n += 2 v[n] *= 3 }");
    assert_non_null(f.program);
    const struct arc_stmt *const *stmts =
        (const struct arc_stmt *const *)f.program->funcs[0]->body->stmts;
    assert_int_equal(stmts[0]->u.assign.value->kind, ARC_EXPR_BINARY);
    assert_int_equal(stmts[0]->u.assign.value->u.binary.left->kind, ARC_EXPR_VAR);
    assert_int_equal(stmts[1]->kind, ARC_STMT_SET_ELEM);
    assert_true(stmts[1]->u.set_elem.has_op);
    assert_int_equal(stmts[1]->u.set_elem.op, ARC_BIN_MUL);
    assert_int_equal(stmts[1]->u.set_elem.index->kind, ARC_EXPR_VAR);
    assert_int_equal(stmts[1]->u.set_elem.value->type.prim, TELEM_F64);
    front_fini(&f);
}

static void ranges_take_one_to_three_integers(void **state)
{
    (void)state;
    body_accepts("for i := range(3) { n = i } for i := range(u) { u = i } for i := range(k, 5, -1) "
                 "{ k = i }");
    body_refuses("for i := range() { }", 1, ARC_CODE_ARG_COUNT, "1 to 3 arguments, got 0");
    body_refuses("for i := range(1, 2, 3, 4) { }", 1, ARC_CODE_ARG_COUNT, "got 4");
    body_refuses("for i := range(a) { }", 1, ARC_CODE_TYPE,
                 "range argument 1 must be an integer, got f64");
    body_refuses("for i := range(0, s) { }", 1, ARC_CODE_TYPE,
                 "range argument 2 must be an integer, got str");
    body_refuses("for i, j := range(3) { }", 1, ARC_CODE_TYPE, "range gives one value");
    body_refuses("for i := range(u, 300) { }", 1, ARC_CODE_TYPE, "does not fit u8");
}

static void a_range_has_the_widest_type_and_signed_wins(void **state)
{
    (void)state;
    struct front f;
    front_check(&f, FRONT_CHANNELS,
                "func f(a u32, b i8, c u8) { for i := range(a, b) { } for j := range(c, a, 2) { } "
                "for k := range(c, 3) { } }");
    assert_non_null(f.program);
    struct arc_stmt **stmts = f.program->funcs[0]->body->stmts;
    static const enum telem_type wanted[] = {TELEM_I32, TELEM_U32, TELEM_U8};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(stmts[i]->kind, ARC_STMT_FOR_RANGE);
        assert_int_equal(stmts[i]->u.range.var->type.prim, wanted[i]);
        assert_int_equal(stmts[i]->u.range.start->type.prim, wanted[i]);
        assert_int_equal(stmts[i]->u.range.end->type.prim, wanted[i]);
    }
    assert_null(stmts[0]->u.range.step);
    assert_int_equal(stmts[1]->u.range.step->u.literal.value.number.u64, 2);
    front_fini(&f);
}

static void loops_walk_series(void **state)
{
    (void)state;
    body_accepts(
        "for x := v { a = x } for i, x := [1, 2] { k = i n = x } for x := v[1:] { a = x }");
    body_refuses("for x := a { }", 1, ARC_CODE_TYPE, "cannot iterate over f64");
    body_refuses("for x := s { }", 1, ARC_CODE_TYPE, "cannot iterate over str");
    body_refuses("for x := v { x = 1 }", 1, 0, "cannot assign to loop variable 'x'");
    body_refuses("for x := v { x += 1 }", 1, 0, "cannot assign to loop variable 'x'");
    body_refuses("for x := v { } a = x", 1, ARC_CODE_UNDEFINED, "undefined symbol: x");
}

static void break_and_continue_need_a_loop(void **state)
{
    (void)state;
    body_accepts("for { if u { break } else { continue } }");
    body_refuses("break", 1, 0, "break outside a loop");
    body_refuses("if u { continue }", 1, 0, "continue outside a loop");
    body_refuses("for { } break", 1, 0, "break outside a loop");
}

static void every_path_returns_a_value(void **state)
{
    (void)state;
    front_accepts(
        "func f(x f64) f64 { if x > 1 { return 1 } else if x > 0 { return 2 } else { return 3 } }",
        0);
    front_refuses("func f(x f64) f64 { if x > 1 { return 1 } else if x > 0 { return 2 } }", 1, 0,
                  "function 'f' must return a f64 on all paths");
    front_refuses("func f(x f64) f64 { for { return 1 } }", 1, 0, "on all paths");
    front_refuses("func f() f64 { }", 1, 0, "on all paths");
    front_refuses("func f() f64 { return }", 1, ARC_CODE_TYPE, "must return a value of type f64");
    front_refuses("func f() { return 1 }", 1, ARC_CODE_TYPE, "'f' has no return type");
    front_refuses("func f() f64 { return \"a\" }", 1, ARC_CODE_TYPE, "cannot return str");
    front_refuses("func f() i32 { return 1.5 }", 1, ARC_CODE_TYPE, "fraction");
    front_refuses("func f() u8 { return 256 }", 1, ARC_CODE_TYPE, "does not fit u8");
}

static void named_outputs_are_assigned(void **state)
{
    (void)state;
    front_accepts("func f(x f64) y f64 { y = x return y * 2 }", 0);
    front_accepts("func f(x f64) (y f64, z u8) { y = x z = 1 if z { return } }", 0);
    front_accepts("func f(x f64) (y f64, z u8) { y = x }", 1);
    front_refuses("func f(x f64) (y f64, z u8) { return x }", 1, ARC_CODE_TYPE,
                  "has several outputs");
    front_refuses("func f(x f64) y f64 { return \"a\" }", 1, ARC_CODE_TYPE,
                  "cannot return str to 'y'");
    front_refuses("func f() chan f64 { return level }", 1, ARC_CODE_TYPE,
                  "an output cannot be a channel");
    front_refuses("func f() (y chan f64) { }", 1, ARC_CODE_TYPE, "an output cannot be a channel");
    struct front f;
    front_check(&f, FRONT_CHANNELS, "func f(x f64) y f64 { return x }");
    assert_ptr_equal(f.program->funcs[0]->body->stmts[0]->u.ret.output,
                     f.program->funcs[0]->outputs[0]);
    front_fini(&f);
}

static void code_behind_a_return_gets_a_warning(void **state)
{
    (void)state;
    front_accepts("func f() { return level = 1 level = 2 }", 1);
    front_accepts("func f() f64 { return 1 x := 2 }", 1);
}

static void defaults_come_last_and_fit(void **state)
{
    (void)state;
    front_accepts("func f{a f64 = -1, b str = \"x\"}(c i64 ns = 0.5s, d u8 = 5.0) {}", 0);
    front_refuses("func f(a f64 = 1, b f64) {}", 1, 0,
                  "required parameter 'b' after an optional one");
    front_refuses("func f{a f64 = 1, b f64}() {}", 1, 0, "required parameter 'b'");
    front_refuses("func f(a u8 = 256) {}", 1, ARC_CODE_TYPE, "does not fit u8");
    front_refuses("func f(a f64 = \"x\") {}", 1, ARC_CODE_TYPE, "cannot assign str to 'a'");
    front_refuses("func f{a chan f64 = 1}() {}", 1, ARC_CODE_TYPE, "cannot have a default");
}

static void calls_have_all_their_arguments(void **state)
{
    (void)state;
    struct front f;
    front_check(
        &f, FRONT_CHANNELS,
        "func g(a f64, b u8 = 7, c chan f64) {}\nfunc h(x f64, y f64 = 2.5) f64 { return y }\n"
        "func f() f64 { return h(1) }");
    assert_null(f.program); /* c behind b */
    front_fini(&f);
    front_check(&f, FRONT_CHANNELS,
                "func h(x f64, y f64 = 2.5) f64 { return y }\nfunc f() f64 { return h(1) }");
    const struct arc_expr *call = f.program->funcs[1]->body->stmts[0]->u.ret.value;
    assert_int_equal(call->kind, ARC_EXPR_CALL);
    assert_ptr_equal(call->u.call.func, f.program->funcs[0]);
    assert_int_equal(call->u.call.n_args, 2);
    assert_true(call->u.call.args[0]->u.literal.value.number.f64 == 1.0);
    assert_true(call->u.call.args[1]->u.literal.value.number.f64 == 2.5);
    front_fini(&f);
}

static void endless_recursion_is_refused_and_one_with_an_end_is_not(void **state)
{
    (void)state;
    front_accepts("func f(n i64) i64 { if n < 1 { return 0 } return f(n - 1) }", 0);
    front_accepts("func f(n u8) u8 { return n and f(n - 1) }", 0);
    front_accepts("func f(n i64) { if n > 0 { f(n - 1) } }", 0);
    front_accepts("func f(n i64) { for i := range(n) { f(i) } }", 0);
    front_accepts("func a(n i64) { b(n) }\nfunc b(n i64) { if n > 0 { a(n - 1) } }", 0);
    front_refuses("func f() { f() }", 1, 0, "these functions call each other without end: f -> f");
    front_refuses("func a() { b() }\nfunc b() { c() }\nfunc c() { a() }", 1, 0, "a -> b -> c -> a");
    front_refuses("func f(n i64) i64 { if n > 0 { return f(1) } else { return f(2) } }", 1, 0,
                  "f -> f");
    front_refuses("func f(n i64) i64 { for f(n) > 0 { return 1 } return 2 }", 1, 0, "f -> f");
    front_refuses("func x() { a() }\nfunc a() { b() }\nfunc b() { a() }", 2, 0, "a -> b -> a");
    front_refuses("func f(s series i64) { s[g()] = 1 }\nfunc g() i64 { f([1]) return 1 }", 1, 0,
                  "f -> g -> f");
}

static bool reads(const struct front *f, const char *func, const char *channel, bool is_write)
{
    for (size_t i = 0; i < f->program->n_funcs; i++) {
        const struct arc_func *known = f->program->funcs[i];
        if (strcmp(known->name, func) != 0)
            continue;
        for (size_t j = 0; j < f->program->n_channels; j++)
            if (strcmp(f->program->channels[j]->name, channel) == 0)
                return arc_chan_set_has(is_write ? &known->writes : &known->reads, (uint32_t)j);
    }
    return false;
}

static void channel_sets_go_through_calls_and_chan_parameters(void **state)
{
    (void)state;
    struct front f;
    front_check(&f, FRONT_CHANNELS,
                "func get(c chan f64) f64 { return c }\nfunc put(c chan f64) { c = 1.0 }\n"
                "func pass(d chan f64) f64 { put(level) return get(d) }\n"
                "func a(n i64) f64 { if n > 0 { b(n) } return pass(gauge) }\n"
                "func b(n i64) { valve = flag a(n - 1) }\n"
                "func unused() { memo = \"x\" }\n"
                "total -> b{}");
    front_demand(&f);
    assert_true(reads(&f, "pass", "level", true));
    assert_false(reads(&f, "pass", "level", false));
    assert_true(reads(&f, "a", "gauge", false));
    assert_false(reads(&f, "a", "gauge", true));
    assert_true(reads(&f, "a", "flag", false)); /* a calls b and b calls a */
    assert_true(reads(&f, "b", "gauge", false));
    assert_true(reads(&f, "a", "valve", true));
    assert_true(f.program->funcs[2]->inputs[0]->chan_is_read);
    assert_false(f.program->funcs[2]->inputs[0]->chan_is_written);
    assert_true(f.program->funcs[0]->is_used);
    assert_false(f.program->funcs[5]->is_used);
    for (size_t i = 0; i < f.program->n_channels; i++) {
        const struct arc_channel *channel = f.program->channels[i];
        if (strcmp(channel->name, "memo") == 0)
            assert_false(channel->is_written);
        if (strcmp(channel->name, "level") == 0)
            assert_true(channel->is_written && !channel->is_read);
        if (strcmp(channel->name, "gauge") == 0)
            assert_true(channel->is_read && !channel->is_written);
    }
    front_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_channel_name_alone_makes_an_alias),
        cmocka_unit_test(a_stateful_variable_reads_its_channel),
        cmocka_unit_test(a_declared_type_rules_the_initial_value),
        cmocka_unit_test(assignments_go_where_they_may),
        cmocka_unit_test(compound_assignments_are_written_out),
        cmocka_unit_test(ranges_take_one_to_three_integers),
        cmocka_unit_test(a_range_has_the_widest_type_and_signed_wins),
        cmocka_unit_test(loops_walk_series),
        cmocka_unit_test(break_and_continue_need_a_loop),
        cmocka_unit_test(every_path_returns_a_value),
        cmocka_unit_test(named_outputs_are_assigned),
        cmocka_unit_test(code_behind_a_return_gets_a_warning),
        cmocka_unit_test(defaults_come_last_and_fit),
        cmocka_unit_test(calls_have_all_their_arguments),
        cmocka_unit_test(endless_recursion_is_refused_and_one_with_an_end_is_not),
        cmocka_unit_test(channel_sets_go_through_calls_and_chan_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
