/* Sequences, stages and inline bodies: members, transitions, what completes an item. */
#include "tests/arc/front.h"

static const struct arc_scope *scope_named(const struct front *f, const char *name)
{
    for (size_t i = 0; i < f->program->n_scopes; i++) {
        const struct arc_scope *scope = f->program->scopes[i];
        if (scope->name != NULL && strcmp(scope->name, name) == 0)
            return scope;
    }
    fail_msg("no scope %s", name);
    return NULL;
}

static void check_ok(struct front *f, const char *text)
{
    front_check(f, FRONT_CHANNELS, text);
    front_demand(f);
}

static const struct arc_transition *transition_of(const struct arc_scope *scope, size_t item)
{
    const struct arc_flow *flow = scope->items[item].flow;
    assert_int_equal(flow->n_transitions, 1);
    return &flow->transitions[0];
}

static void next_is_the_following_item_of_the_innermost_sequence(void **state)
{
    (void)state;
    struct front f;
    check_ok(
        &f,
        "sequence s {\n stage a { flag => next }\n 1 -> valve\n"
        " sequence t { flag => next\n stage b { } }\n stage c { flag -> stage { 1 -> valve } } }");
    const struct arc_scope *s = scope_named(&f, "s");
    const struct arc_transition *t = transition_of(scope_named(&f, "a"), 0);
    assert_int_equal(t->kind, ARC_TARGET_ITEM);
    assert_ptr_equal(t->owner, s);
    assert_int_equal(t->item, 1);
    assert_null(t->scope);
    assert_true(t->is_conditional);
    t = transition_of(scope_named(&f, "t"), 0);
    assert_ptr_equal(t->owner, scope_named(&f, "t"));
    assert_ptr_equal(t->scope, scope_named(&f, "b"));
    front_fini(&f);
}

static void next_has_limits(void **state)
{
    (void)state;
    front_refuses("flag => next", 1, 0, "'next' outside a sequence");
    front_refuses("stage { flag => next }", 1, 0, "'next' outside a sequence");
    front_refuses("sequence { flag => next }", 1, 0, "'next' in the last item");
    front_refuses("sequence { stage { flag => next } }", 1, 0, "'next' in the last item");
    front_refuses("sequence { stage { flag -> stage { flag => next } } 1 -> valve }", 1, 0,
                  "'next' cannot leave an inline body");
    front_refuses("sequence { stage { flag -> sequence { 1 -> valve flag => next } } 1 -> valve }",
                  1, 0, "'next' cannot leave an inline body");
    front_accepts("flag -> sequence { flag => next\n 1 -> valve }", 0);
    front_accepts("sequence { stage { sequence { flag => next\n 1 -> valve } } }", 0);
    front_refuses("next -> valve", 1, 0, "'next' needs a source before it");
    front_refuses("sequence { next\n 1 -> valve }", 1, 0, "'next' needs a source before it");
    front_refuses("sequence { flag => next -> valve\n 1 -> valve }", 1, 0,
                  "nothing can follow 'next'");
}

static void names_are_found_from_the_inside_out(void **state)
{
    (void)state;
    struct front f;
    check_ok(&f, "sequence top { 1 -> valve }\n"
                 "sequence s {\n stage a { flag => b\n flag => top\n flag => s }\n"
                 " sequence b { stage c { flag => a\n flag => c\n flag => top } }\n"
                 " stage level { flag => level } }\n"
                 "sequence r { stage top { flag => top } }\nflag => top");
    const struct arc_scope *s = scope_named(&f, "s");
    const struct arc_scope *a = scope_named(&f, "a");
    assert_ptr_equal(transition_of(a, 0)->owner, s);
    assert_int_equal(transition_of(a, 0)->item, 1);
    const struct arc_transition *out = transition_of(a, 1);
    assert_int_equal(out->kind, ARC_TARGET_TOP);
    assert_ptr_equal(out->owner, s);
    assert_ptr_equal(out->scope, f.program->scopes[1]);
    assert_int_equal(transition_of(a, 2)->kind, ARC_TARGET_TOP);
    const struct arc_scope *c = scope_named(&f, "c");
    assert_ptr_equal(transition_of(c, 0)->owner, s);
    assert_ptr_equal(transition_of(c, 1)->owner, scope_named(&f, "b"));
    assert_ptr_equal(transition_of(c, 2)->owner, s);
    const struct arc_scope *inner_top = scope_named(&f, "r")->items[0].scope;
    assert_ptr_equal(transition_of(inner_top, 0)->owner, scope_named(&f, "r"));
    const struct arc_scope *root = f.program->root;
    assert_null(transition_of(root, root->n_items - 1)->owner);
    front_fini(&f);
}

static void a_sequence_is_closed_to_the_outside(void **state)
{
    (void)state;
    front_refuses("sequence s { stage a { } }\nflag => a", 2, 0, "'a' is out of reach");
    front_refuses("sequence s { stage a { } }\nsequence t { stage b { flag => a } }", 2, 0,
                  "'a' is out of reach");
    front_refuses("sequence s { sequence u { stage a { } }\n stage b { flag => a } }", 2, 0,
                  "'a' is out of reach");
    front_refuses("flag => nothing", 1, ARC_CODE_UNDEFINED, "undefined symbol: nothing");
    front_refuses("sequence e { }\nflag => e", 2, 0, "sequence 'e' has no items");
    front_accepts("stage e { }\nflag => e", 0);
    front_refuses("sequence s { 1 -> valve }\ns -> valve", 2, 0, "'s' needs a source before it");
    front_refuses("sequence s { 1 -> valve }\nflag -> s -> valve", 2, 0, "nothing can follow 's'");
    front_refuses("sequence s { 1 -> valve }\nstage { s }", 2, 0, "'s' needs a source before it");
    front_refuses("sequence s { 1 -> valve }\ns{} -> valve", 2, 0, "'s' is a sequence");
    front_refuses("sequence s { 1 -> valve }\ns + 1 -> valve", 2, ARC_CODE_TYPE,
                  "'s' is a sequence, not a value");
}

static void a_sequence_in_a_stage_can_be_started_by_name(void **state)
{
    (void)state;
    struct front f;
    check_ok(&f, "sequence s { stage a { flag => sub\n sequence sub { 1 -> valve } } }");
    const struct arc_transition *t = transition_of(scope_named(&f, "a"), 0);
    assert_int_equal(t->kind, ARC_TARGET_MEMBER);
    assert_ptr_equal(t->scope, scope_named(&f, "sub"));
    front_fini(&f);
}

static void inline_bodies_belong_to_their_place(void **state)
{
    (void)state;
    struct front f;
    check_ok(
        &f, "sequence s {\n stage a { flag -> stage { flag => b\n flag => top } }\n stage b { } }\n"
            "sequence top { 1 -> valve }\n"
            "flag => select{} -> { true: stage { flag => top }, false: sequence { 1 -> valve } }");
    const struct arc_scope *a = scope_named(&f, "a");
    const struct arc_flow *flow = a->items[0].flow;
    assert_int_equal(flow->n_starts, 1);
    assert_false(flow->starts[0].is_conditional);
    const struct arc_scope *body = flow->starts[0].scope;
    assert_true(body->is_inline);
    assert_ptr_equal(body->parent, a);
    assert_ptr_equal(transition_of(body, 0)->owner, scope_named(&f, "s"));
    assert_ptr_equal(transition_of(body, 1)->owner, scope_named(&f, "s"));
    const struct arc_flow *last = f.program->root->items[f.program->root->n_items - 1].flow;
    assert_int_equal(last->n_starts, 2);
    assert_true(last->starts[0].is_conditional == false);
    assert_int_equal(last->starts[1].src_output, 1);
    assert_ptr_equal(transition_of(last->starts[0].scope, 0)->owner, last->starts[0].scope);
    front_fini(&f);
    front_refuses("flag -> stage purge { 1 -> valve }", 1, 0,
                  "an inline body cannot have a name: 'purge'");
    front_refuses("flag -> stage { 1 -> valve } -> valve", 1, 0,
                  "nothing can follow an inline body");
}

static void members_have_one_name_each(void **state)
{
    (void)state;
    front_refuses("sequence s { stage a { }\n stage a { } }", 2, ARC_CODE_REDEFINED,
                  "line 1, column 19");
    front_refuses("func a() {}\nsequence s { stage a { } }", 2, ARC_CODE_REDEFINED,
                  "line 1, column 5");
    front_refuses("a := 1\nsequence s { stage a { } }", 2, ARC_CODE_REDEFINED, "name a");
    front_accepts("sequence s { stage a { } }\nsequence t { stage a { } }", 0);
}

static void singles_need_no_input(void **state)
{
    (void)state;
    front_refuses("func f(x f64) {}\nstage { f{} }", 2, 0, "'f' is missing input 'x'");
    front_accepts(
        "func f(x f64 = 1) {}\nfunc g() f64 { return 1 }\nstage { f{} g{} level > 3 flag memo }",
        0);
    front_refuses("import math\nstage { math.avg{} }", 2, 0, "'math.avg' is missing input 'input'");
    front_refuses("stage { [1, 2] }", 1, ARC_CODE_TYPE, "a number or a str is needed here");
    front_refuses("func f() {}\nstage { f() }", 2, ARC_CODE_TYPE, "'f' gives no value: write f{}");
    front_refuses("func f() {}\nstage { f }", 2, ARC_CODE_TYPE, "'f' is a function");
    front_refuses("stage { { a: b } }", 1, 0, "flow needs at least two nodes");
}

static void completes(const char *item, enum arc_completion completion, uint32_t node)
{
    struct front f;
    char text[600];
    snprintf(text, sizeof text,
             "import (time control)\nfunc half(x f64) f64 { return x }\nfunc eat(x f64) {}\n"
             "func split(x f64) (hi f64, lo f64) { hi = x lo = x }\nfunc two(a f64, b f64) f64 { "
             "return a }\n"
             "sequence s { %s\n time.wait{1s}\n control.set_authority{5} }",
             item);
    check_ok(&f, text);
    const struct arc_flow *flow = scope_named(&f, "s")->items[0].flow;
    assert_int_equal(flow->completion, completion);
    if (completion != ARC_DONE_NEVER)
        assert_int_equal(flow->done_node, node);
    front_fini(&f);
}

static void an_item_says_what_completes_it(void **state)
{
    (void)state;
    completes("level -> gauge", ARC_DONE_OUTPUT, 1);
    completes("level -> half{}", ARC_DONE_OUTPUT, 1);
    completes("level -> eat{}", ARC_DONE_RUN, 1);
    completes("level -> split{}", ARC_DONE_OUTPUT, 1);
    completes("level -> gauge > 3", ARC_DONE_OUTPUT, 1);
    completes("level > 3", ARC_DONE_OUTPUT, 0);
    completes("flag", ARC_DONE_OUTPUT, 0);
    completes("time.wait{1s}", ARC_DONE_OUTPUT, 0);
    completes("control.set_authority{5}", ARC_DONE_RUN, 0);
    completes("level > 3 => next", ARC_DONE_NEVER, 0);
    completes("level -> split{} -> {hi: gauge}", ARC_DONE_NEVER, 0);
    completes("level -> stage { 1 -> valve }", ARC_DONE_NEVER, 0);
    completes("level -> split{} -> {hi: a, lo: b} -> two{} -> gauge", ARC_DONE_OUTPUT, 3);
}

static void a_single_expression_has_no_triggers(void **state)
{
    (void)state;
    struct front f;
    check_ok(&f, "sequence { level > 3\n 1 -> valve }");
    const struct arc_flow *flow = f.program->scopes[1]->items[0].flow;
    assert_true(flow->is_single);
    assert_int_equal(flow->n_nodes, 1);
    assert_int_equal(flow->nodes[0]->kind, ARC_NODE_EXPR);
    assert_int_equal(flow->n_edges, 0);
    front_fini(&f);
}

static void scopes_are_numbered_from_the_outside_in(void **state)
{
    (void)state;
    struct front f;
    check_ok(&f, "sequence a { stage b { flag -> sequence { 1 -> valve } }\n sequence c { 1 -> "
                 "valve } }\nstage d { }");
    assert_int_equal(f.program->n_scopes, 6);
    for (size_t i = 0; i < f.program->n_scopes; i++) {
        const struct arc_scope *scope = f.program->scopes[i];
        assert_int_equal(scope->index, i);
        assert_true(scope->parent == NULL || scope->parent->index < i);
    }
    front_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next_is_the_following_item_of_the_innermost_sequence),
        cmocka_unit_test(next_has_limits),
        cmocka_unit_test(names_are_found_from_the_inside_out),
        cmocka_unit_test(a_sequence_is_closed_to_the_outside),
        cmocka_unit_test(a_sequence_in_a_stage_can_be_started_by_name),
        cmocka_unit_test(inline_bodies_belong_to_their_place),
        cmocka_unit_test(members_have_one_name_each),
        cmocka_unit_test(singles_need_no_input),
        cmocka_unit_test(an_item_says_what_completes_it),
        cmocka_unit_test(a_single_expression_has_no_triggers),
        cmocka_unit_test(scopes_are_numbered_from_the_outside_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
