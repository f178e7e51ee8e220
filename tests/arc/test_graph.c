/* The graph that flows, sequences and stages become. */
#include "tests/arc/compile.h"

/* The n-th node of a kind, in the order of the text. */
static uint32_t node_of(const struct compiled *c, enum arc_image_node_kind kind, uint32_t n)
{
    for (uint32_t i = 0; i < c->image->n_nodes; i++)
        if (c->image->nodes[i].kind == kind && n-- == 0)
            return i;
    fail_msg("no such node");
    return ARC_NONE;
}

static uint32_t stratum_of(const struct compiled *c, enum arc_image_node_kind kind, uint32_t n)
{
    return c->image->nodes[node_of(c, kind, n)].stratum;
}

static const struct arc_image_scope *scope_named(const struct compiled *c, const char *name)
{
    for (uint32_t i = 0; i < c->image->n_scopes; i++)
        if (strcmp(c->image->scopes[i].name, name) == 0)
            return &c->image->scopes[i];
    fail_msg("no scope %s", name);
    return NULL;
}

static const struct arc_image_transition *
transition(const struct compiled *c, const struct arc_image_scope *scope, uint32_t i)
{
    assert_true(i < scope->transitions.n);
    return &c->image->transitions[scope->transitions.first + i];
}

static uint32_t source_node(const struct compiled *c, const struct arc_image_transition *t)
{
    return c->image->outputs[t->output].node;
}

static void a_chain_has_a_stratum_for_each_step(void **state)
{
    (void)state;
    struct compiled c = compile("x f64, y f64", "func f(a f64) f64 { return a }\n"
                                                "x -> f{} -> f{} -> y\n");
    assert_int_equal(stratum_of(&c, ARC_IMAGE_NODE_SOURCE, 0), 0);
    assert_int_equal(stratum_of(&c, ARC_IMAGE_NODE_FUNC, 0), 1);
    assert_int_equal(stratum_of(&c, ARC_IMAGE_NODE_FUNC, 1), 2);
    assert_int_equal(stratum_of(&c, ARC_IMAGE_NODE_SINK, 0), 3);
    compiled_fini(&c);
}

static void sinks_run_in_stratum_order_before_text_order(void **state)
{
    (void)state;
    struct compiled c = compile("x f64, y f64", "func f(a f64) f64 { return a }\n"
                                                "x -> f{} -> y\n"
                                                "0 -> y\n");
    const struct arc_image *image = c.image;
    uint32_t late = node_of(&c, ARC_IMAGE_NODE_SINK, 0);
    uint32_t early = node_of(&c, ARC_IMAGE_NODE_SINK, 1);
    assert_true(image->nodes[early].member < image->nodes[late].member);
    compiled_fini(&c);
}

static void an_expression_at_the_head_is_triggered_by_what_it_reads(void **state)
{
    (void)state;
    struct compiled c = compile("a f64, b f64, y u8", "a > b -> y\n");
    const struct arc_image *image = c.image;
    uint32_t expr = node_of(&c, ARC_IMAGE_NODE_EXPR, 0);
    assert_int_equal(image->nodes[expr].run, ARC_RUN_TRIGGERED);
    assert_int_equal(image->nodes[node_of(&c, ARC_IMAGE_NODE_SOURCE, 0)].run, ARC_RUN_DATA);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t source = node_of(&c, ARC_IMAGE_NODE_SOURCE, i);
        const struct arc_image_output *out = &image->outputs[image->nodes[source].outputs.first];
        assert_int_equal(out->edges.n, 1);
        assert_int_equal(image->edges[out->edges.first].node, expr);
        assert_int_equal(image->edges[out->edges.first].input, ARC_NONE);
    }
    compiled_fini(&c);
}

static void an_expression_without_channels_runs_always_and_a_constant_once(void **state)
{
    (void)state;
    struct compiled c = compile("y i64, z i64, t str", "2 * 3 -> y\n"
                                                       "7 -> z\n"
                                                       "f\"{1 + 1}\" -> t\n");
    const struct arc_image_scope *root = &c.image->scopes[0];
    assert_int_equal(root->always.n, 1);
    assert_int_equal(root->once.n, 2);
    compiled_fini(&c);
}

static void items_of_a_sequence_complete_into_the_next(void **state)
{
    (void)state;
    struct compiled c = compile("go u8, a i64", "import time\n"
                                                "go => s\n"
                                                "sequence s {\n"
                                                "    1 -> a\n"
                                                "    time.wait{5ms}\n"
                                                "    2 -> a\n"
                                                "}\n");
    const struct arc_image_scope *s = scope_named(&c, "s");
    assert_true(s->sequential);
    assert_int_equal(s->members.n, 3);
    assert_int_equal(s->transitions.n, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct arc_image_transition *t = transition(&c, s, i);
        assert_true(t->completion && t->truthy);
        assert_int_equal(t->target_kind, i < 2 ? ARC_TO_ITEM : ARC_TO_END);
        if (i < 2)
            assert_int_equal(t->target, i + 1);
    }
    assert_int_equal(source_node(&c, transition(&c, s, 0)), node_of(&c, ARC_IMAGE_NODE_SINK, 0));
    assert_int_equal(source_node(&c, transition(&c, s, 1)), node_of(&c, ARC_IMAGE_NODE_WAIT, 0));
    compiled_fini(&c);
}

static void the_last_item_of_a_nested_sequence_moves_the_outer_one(void **state)
{
    (void)state;
    struct compiled c = compile("a i64", "sequence outer {\n"
                                         "    sequence inner { 1 -> a, 2 -> a }\n"
                                         "    3 -> a\n"
                                         "}\n");
    const struct arc_image_scope *outer = scope_named(&c, "outer");
    const struct arc_image_scope *inner = scope_named(&c, "inner");
    assert_int_equal(inner->transitions.n, 1);
    assert_int_equal(outer->transitions.n, 2);
    assert_int_equal(source_node(&c, transition(&c, outer, 0)),
                     node_of(&c, ARC_IMAGE_NODE_SINK, 1));
    assert_int_equal(transition(&c, outer, 0)->target, 1);
    assert_int_equal(transition(&c, outer, 1)->target_kind, ARC_TO_END);
    compiled_fini(&c);
}

static void transitions_are_listed_in_the_order_of_the_text(void **state)
{
    (void)state;
    struct compiled c = compile("p f64, q f64, go u8", "go => s\n"
                                                       "sequence s {\n"
                                                       "    stage first {\n"
                                                       "        p > 1.0 => last\n"
                                                       "        q > 1.0 => next\n"
                                                       "        p > 9.0 => other\n"
                                                       "    }\n"
                                                       "    stage second { q > 2.0 -> first }\n"
                                                       "    stage last { }\n"
                                                       "}\n"
                                                       "sequence other { 1 -> go }\n");
    const struct arc_image_scope *s = scope_named(&c, "s");
    assert_int_equal(s->transitions.n, 4);
    assert_int_equal(transition(&c, s, 0)->target, 2);
    assert_int_equal(transition(&c, s, 1)->target, 1);
    assert_int_equal(transition(&c, s, 2)->target_kind, ARC_TO_TOP);
    assert_ptr_equal(&c.image->scopes[transition(&c, s, 2)->target], scope_named(&c, "other"));
    assert_false(transition(&c, s, 3)->truthy);
    compiled_fini(&c);
}

static void an_entry_point_at_the_root_is_an_activation(void **state)
{
    (void)state;
    struct compiled c = compile("go u8, a i64", "go => s\n"
                                                "go -> s\n"
                                                "sequence s { 1 -> a }\n");
    assert_int_equal(c.image->n_activations, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_ptr_equal(&c.image->scopes[c.image->activations[i].scope], scope_named(&c, "s"));
        assert_int_equal(c.image->activations[i].conditional, i == 0);
    }
    assert_int_equal(scope_named(&c, "s")->stratum, 1);
    compiled_fini(&c);
}

static void a_top_level_stage_is_the_item_of_a_sequence_of_its_own(void **state)
{
    (void)state;
    struct compiled c = compile("x u8, a i64", "stage alone {\n"
                                               "    x => after\n"
                                               "}\n"
                                               "sequence after { 1 -> a }\n"
                                               "x => alone\n");
    const struct arc_image_scope *wrapper = scope_named(&c, "alone");
    assert_true(wrapper->sequential && wrapper->wrapper);
    assert_int_equal(wrapper->members.n, 1);
    assert_int_equal(wrapper->transitions.n, 1);
    assert_int_equal(transition(&c, wrapper, 0)->target_kind, ARC_TO_TOP);
    compiled_fini(&c);
}

static void anonymous_scopes_start_by_themselves_and_inline_bodies_do_not(void **state)
{
    (void)state;
    struct compiled c = compile("x u8, a i64", "sequence { 1 -> a }\n"
                                               "stage { 2 -> a }\n"
                                               "sequence named { 3 -> a }\n"
                                               "x -> stage { 4 -> a }\n"
                                               "x => sequence { 5 -> a }\n"
                                               "x => named\n");
    assert_int_equal(c.image->scopes[0].starts.n, 2);
    assert_int_equal(c.image->n_activations, 3);
    compiled_fini(&c);
}

static void a_sequence_in_a_stage_starts_with_the_stage_and_ends_alone(void **state)
{
    (void)state;
    struct compiled c = compile("x u8, a i64", "x => s\n"
                                               "stage s {\n"
                                               "    sequence { 1 -> a, 2 -> a }\n"
                                               "}\n");
    const struct arc_image *image = c.image;
    const struct arc_image_scope *wrapper = scope_named(&c, "s");
    const struct arc_image_scope *stage = &image->scopes[image->members[wrapper->members.first].id];
    assert_int_equal(stage->starts.n, 1);
    const struct arc_image_scope *inner = &image->scopes[image->lists[stage->starts.first]];
    assert_int_equal(transition(&c, inner, 1)->target_kind, ARC_TO_END);
    compiled_fini(&c);
}

static void sequences_that_start_each_other_keep_the_order_of_the_text(void **state)
{
    (void)state;
    struct compiled c = compile("x u8, a i64", "sequence one { 1 -> a, x => two }\n"
                                               "sequence two { 2 -> a, x => one }\n"
                                               "x => two\n");
    assert_int_equal(scope_named(&c, "one")->stratum, 0);
    assert_int_equal(scope_named(&c, "two")->stratum, 1);
    compiled_fini(&c);
}

static void a_target_runs_after_what_starts_it_even_if_written_before(void **state)
{
    (void)state;
    struct compiled c = compile("x u8, a i64", "sequence safe { 0 -> a }\n"
                                               "sequence main { x => safe }\n"
                                               "x => main\n");
    assert_true(scope_named(&c, "main")->stratum < scope_named(&c, "safe")->stratum);
    assert_true(scope_named(&c, "main")->member < scope_named(&c, "safe")->member);
    compiled_fini(&c);
}

static void an_empty_sequence_completes_at_once(void **state)
{
    (void)state;
    struct compiled c = compile("a i64", "sequence outer {\n"
                                         "    1 -> a\n"
                                         "    sequence { }\n"
                                         "    2 -> a\n"
                                         "}\n");
    const struct arc_image_scope *outer = scope_named(&c, "outer");
    assert_int_equal(outer->transitions.n, 3);
    assert_int_equal(transition(&c, outer, 1)->target, 2);
    compiled_fini(&c);
}

static void a_transition_out_of_a_nested_sequence_leaves_the_outermost(void **state)
{
    (void)state;
    struct compiled c = compile("x u8, a i64", "sequence outer {\n"
                                               "    sequence inner { stage { x => safe } }\n"
                                               "}\n"
                                               "sequence safe { 0 -> a }\n"
                                               "x => outer\n");
    const struct arc_image_scope *outer = scope_named(&c, "outer");
    assert_int_equal(outer->transitions.n, 1);
    assert_int_equal(transition(&c, outer, 0)->target_kind, ARC_TO_TOP);
    compiled_fini(&c);
}

static void an_input_routing_table_feeds_each_input_by_its_own_edge(void **state)
{
    (void)state;
    struct compiled c = compile("p f64, q f64, y f64",
                                "func f(a f64, b f64, k f64 = 2.5) f64 { return a * k + b }\n"
                                "{ p: b, q: a } -> f{} -> y\n");
    const struct arc_image *image = c.image;
    const struct arc_image_node *f = &image->nodes[node_of(&c, ARC_IMAGE_NODE_FUNC, 0)];
    assert_int_equal(f->inputs.n, 3);
    const struct arc_image_input *inputs = &image->inputs[f->inputs.first];
    for (uint32_t i = 0; i < 2; i++) {
        const struct arc_image_node *source = &image->nodes[image->outputs[inputs[i].source].node];
        assert_string_equal(image->channels[source->channel].name, i == 0 ? "q" : "p");
    }
    assert_int_equal(inputs[2].source, ARC_NONE);
    assert_true(inputs[2].constant.reg.f64 == 2.5);
    compiled_fini(&c);
}

static void channels_list_their_sources_and_say_how_they_are_used(void **state)
{
    (void)state;
    struct compiled c =
        compile("p f64, q f64, r f64, s timestamp", "authority (100 r 20)\n"
                                                    "func f(a f64) f64 { return a + q }\n"
                                                    "p -> f{} -> r\n"
                                                    "p -> r\n"
                                                    "s -> s\n");
    const struct arc_image *image = c.image;
    for (uint32_t i = 0; i < image->n_channels; i++) {
        const struct arc_image_channel *channel = &image->channels[i];
        if (channel->name[0] == 'p')
            assert_int_equal(channel->sources.n, 2);
        if (channel->name[0] == 'q')
            assert_true(channel->reads && !channel->source && !channel->writes);
        if (channel->name[0] == 'r')
            assert_true(channel->writes && channel->authority == 20);
        if (channel->name[0] == 's')
            assert_int_equal(channel->type, TELEM_TIMESTAMP);
    }
    assert_int_equal(image->default_authority, 100);
    compiled_fini(&c);
}

static void a_node_without_outputs_has_one_that_says_it_has_run(void **state)
{
    (void)state;
    struct compiled c = compile("x f64, y f64", "func f(a f64) { y = a }\n"
                                                "sequence { x -> f{}, 1 -> y }\n");
    const struct arc_image *image = c.image;
    const struct arc_image_node *f = &image->nodes[node_of(&c, ARC_IMAGE_NODE_FUNC, 0)];
    assert_int_equal(f->outputs.n, 1);
    assert_int_equal(image->outputs[f->outputs.first].type, TELEM_U8);
    assert_int_equal(image->outputs[f->outputs.first].transitions.n, 1);
    compiled_fini(&c);
}

static void a_program_with_nothing_to_run_is_an_image_too(void **state)
{
    (void)state;
    struct compiled c = compile("", "");
    assert_int_equal(c.image->n_nodes, 0);
    assert_int_equal(c.image->n_scopes, 1);
    compiled_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_has_a_stratum_for_each_step),
        cmocka_unit_test(sinks_run_in_stratum_order_before_text_order),
        cmocka_unit_test(an_expression_at_the_head_is_triggered_by_what_it_reads),
        cmocka_unit_test(an_expression_without_channels_runs_always_and_a_constant_once),
        cmocka_unit_test(items_of_a_sequence_complete_into_the_next),
        cmocka_unit_test(the_last_item_of_a_nested_sequence_moves_the_outer_one),
        cmocka_unit_test(transitions_are_listed_in_the_order_of_the_text),
        cmocka_unit_test(an_entry_point_at_the_root_is_an_activation),
        cmocka_unit_test(a_top_level_stage_is_the_item_of_a_sequence_of_its_own),
        cmocka_unit_test(anonymous_scopes_start_by_themselves_and_inline_bodies_do_not),
        cmocka_unit_test(a_sequence_in_a_stage_starts_with_the_stage_and_ends_alone),
        cmocka_unit_test(sequences_that_start_each_other_keep_the_order_of_the_text),
        cmocka_unit_test(a_target_runs_after_what_starts_it_even_if_written_before),
        cmocka_unit_test(an_empty_sequence_completes_at_once),
        cmocka_unit_test(a_transition_out_of_a_nested_sequence_leaves_the_outermost),
        cmocka_unit_test(an_input_routing_table_feeds_each_input_by_its_own_edge),
        cmocka_unit_test(channels_list_their_sources_and_say_how_they_are_used),
        cmocka_unit_test(a_node_without_outputs_has_one_that_says_it_has_run),
        cmocka_unit_test(a_program_with_nothing_to_run_is_an_image_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
