/* Flows: nodes, edges, types along them, configuration, routing tables. */
#include "tests/arc/front.h"

static const char funcs[] = "func half(x f64) f64 { return x / 2 }\n"
                            "func eat(x f64) {}\n"
                            "func make() f64 { return level }\n"
                            "func two(a f64, b f64) f64 { return a + b }\n"
                            "func opt(a f64, b f64 = 1) f64 { return a + b }\n"
                            "func split(x f64) (hi f64, lo f64) { hi = x lo = x }\n"
                            "func keep(x f64) y f64 { y = x }\n";
enum { FUNC_LINES = 7 };

static const char *with_funcs(char *out, size_t room, const char *flow)
{
    snprintf(out, room, "%s%s", funcs, flow);
    return out;
}

static void flow_accepts(const char *flow)
{
    char text[1500];
    front_accepts(with_funcs(text, sizeof text, flow), 0);
}

static void flow_refuses(const char *flow, int code, const char *part)
{
    char text[1500];
    front_refuses(with_funcs(text, sizeof text, flow), FUNC_LINES + 1, code, part);
}

/* Nodes and edges of the last root flow: "source(level) half() sink(gauge): 0>1.0 1>2.0". A trigger
 * has no input, a conditional edge two arrows. */
static void flow_is(const char *flow, const char *wanted)
{
    static const char *const kinds[] = {"source", "sink", "const", "expr", "func", "lib"};
    struct front f;
    char text[1500];
    char got[500];
    size_t at = 0;
    front_check(&f, FRONT_CHANNELS, with_funcs(text, sizeof text, flow));
    front_demand(&f);
    const struct arc_flow *last = f.program->root->items[f.program->root->n_items - 1].flow;
    for (size_t i = 0; i < last->n_nodes; i++) {
        const struct arc_node *node = last->nodes[i];
        const char *name = node->channel ? node->channel->name
                           : node->func  ? node->func->name
                           : node->lib   ? node->lib->name
                                         : telem_type_name(node->outputs[0].prim);
        assert_int_equal(node->index, i);
        at += (size_t)snprintf(got + at, sizeof got - at, "%s%s(%s)", i == 0 ? "" : " ",
                               kinds[node->kind], name);
    }
    at += (size_t)snprintf(got + at, sizeof got - at, ":");
    for (size_t i = 0; i < last->n_edges; i++) {
        const struct arc_edge *edge = &last->edges[i];
        assert_true(edge->src < edge->dst);
        at += (size_t)snprintf(got + at, sizeof got - at, " %u", edge->src);
        if (edge->src_output > 0)
            at += (size_t)snprintf(got + at, sizeof got - at, ".%u", edge->src_output);
        at += (size_t)snprintf(got + at, sizeof got - at, "%s%u", edge->is_conditional ? ">>" : ">",
                               edge->dst);
        if (edge->dst_input != ARC_TRIGGER)
            at += (size_t)snprintf(got + at, sizeof got - at, ".%d", edge->dst_input);
    }
    assert_string_equal(got, wanted);
    front_fini(&f);
}

static void chains_become_nodes_and_edges(void **state)
{
    (void)state;
    flow_is("level -> gauge", "source(level) sink(gauge): 0>1.0");
    flow_is("level -> half{} => half{} -> gauge",
            "source(level) func(half) func(half) sink(gauge): 0>1.0 1>>2.0 2>3.0");
    flow_is("flag -> make{} -> gauge", "source(flag) func(make) sink(gauge): 0>1 1>2.0");
    flow_is("flag -> level -> gauge", "source(flag) source(level) sink(gauge): 0>1 1>2.0");
    flow_is("make{} -> gauge", "func(make) sink(gauge): 0>1.0");
    flow_is("level -> opt{} -> gauge", "source(level) func(opt) sink(gauge): 0>1.0 1>2.0");
    flow_is("level -> eat{}", "source(level) func(eat): 0>1.0");
    flow_is("flag -> 5 -> gauge", "source(flag) const(f64) sink(gauge): 0>1 1>2.0");
}

static void an_expression_at_the_head_is_triggered_by_what_it_reads(void **state)
{
    (void)state;
    flow_is("level + gauge * level -> gauge",
            "source(level) source(gauge) expr(f64) sink(gauge): 0>2 1>2 2>3.0");
    flow_is("make() > 1 -> valve", "source(level) expr(u8) sink(valve): 0>1 1>2.0");
    flow_is("flag -> level * 2 -> gauge", "source(flag) expr(f64) sink(gauge): 0>1 1>2.0");
    flow_is("2 * 3 -> gauge", "expr(f64) sink(gauge): 0>1.0");
    flow_is("(5) -> total", "expr(i64) sink(total): 0>1.0");
    flow_is("-5 -> total", "const(i64) sink(total): 0>1.0");
    flow_is("f\"{level}\" -> memo", "source(level) expr(str) sink(memo): 0>1 1>2.0");
    flow_is("f\"x\" -> memo", "const(str) sink(memo): 0>1.0");
}

static void a_format_string_that_reads_nothing_fires_once(void **state)
{
    (void)state;
    struct front f;
    front_check(&f, FRONT_CHANNELS,
                "f\"{5}\" -> memo\nf\"{5}\" + \"x\" -> memo\nflag -> f\"{5}\" -> memo");
    assert_non_null(f.program);
    assert_true(f.program->root->items[0].flow->nodes[0]->is_once);
    assert_false(f.program->root->items[1].flow->nodes[0]->is_once);
    assert_false(f.program->root->items[2].flow->nodes[1]->is_once);
    front_fini(&f);
}

static void literals_take_the_type_of_their_target(void **state)
{
    (void)state;
    flow_is("1 -> valve", "const(u8) sink(valve): 0>1.0");
    flow_is("1 -> half{}", "const(f64) func(half): 0>1.0");
    flow_is("1 -> select{} -> { true: 5 -> count }",
            "const(u8) lib(select) const(i32) sink(count): 0>1.0 1>2 2>3.0");
    flow_refuses("300 -> valve", ARC_CODE_TYPE, "does not fit u8");
    flow_refuses("1.5 -> total", ARC_CODE_TYPE, "fraction");
    flow_refuses("\"x\" -> total", ARC_CODE_TYPE,
                 "cannot connect str to channel 'total' (type i64)");
    flow_refuses("5 -> memo", ARC_CODE_TYPE, "cannot connect i64 to channel 'memo'");
}

static void a_type_variable_is_bound_by_its_input_or_its_target(void **state)
{
    (void)state;
    char text[200];
    static const struct {
        const char *flow;
        enum telem_type prim;
    } cases[] = {{"count -> math.max{} -> count", TELEM_I32},
                 {"ratio -> math.avg{} -> math.min{} -> ratio", TELEM_F32},
                 {"5 -> math.avg{} -> ratio", TELEM_F32},
                 {"2 * 3 -> math.avg{} -> math.max{} -> ratio", TELEM_F32},
                 {"5 -> math.avg{} -> math.derivative{} -> level", TELEM_F64},
                 {"5 -> math.avg{}", TELEM_F64}};
    for (size_t i = 0; i < ARCD_COUNT_OF(cases); i++) {
        struct front f;
        snprintf(text, sizeof text, "import math\n%s", cases[i].flow);
        front_check(&f, FRONT_CHANNELS, text);
        front_demand(&f);
        const struct arc_flow *flow = f.program->root->items[0].flow;
        assert_int_equal(flow->nodes[0]->outputs[0].prim, cases[i].prim);
        assert_int_equal(flow->nodes[1]->inputs[0].prim, cases[i].prim);
        assert_int_equal(flow->nodes[1]->outputs[0].shape, ARC_SHAPE_SCALAR);
        front_fini(&f);
    }
    front_refuses("import math\nmemo -> math.max{} -> memo", 2, ARC_CODE_CONSTRAINT,
                  "takes a number, got str");
    front_refuses("import math\nlevel -> math.max{} -> count", 2, ARC_CODE_TYPE,
                  "cannot connect f64");
    front_refuses("import stable\nlevel -> stable.for{1s} -> valve", 2, ARC_CODE_CONSTRAINT,
                  "cannot connect f64");
    front_refuses("math.max{} -> level", 1, ARC_CODE_UNDEFINED, "math");
}

static void edges_need_equal_kinds(void **state)
{
    (void)state;
    flow_refuses("level -> count", ARC_CODE_TYPE,
                 "cannot connect f64 to channel 'count' (type i32)");
    flow_refuses("count -> half{} -> gauge", ARC_CODE_TYPE,
                 "cannot connect i32 to input 'x' of 'half'");
    flow_refuses("ratio -> half{}", ARC_CODE_TYPE, "cannot connect f32");
    flow_refuses("level > 3 -> gauge", ARC_CODE_TYPE, "cannot connect u8 to channel 'gauge'");
    flow_refuses("level -> half{} -> select{}", ARC_CODE_TYPE,
                 "cannot connect f64 to input 'input' of 'select'");
}

static void what_is_no_node_is_refused(void **state)
{
    (void)state;
    flow_refuses("level", 0, "flow needs at least two nodes");
    flow_refuses("half{}", 0, "flow needs at least two nodes");
    flow_refuses("level -> half", 0, "'half' is not a channel");
    flow_refuses("half -> level", 0, "'half' is not a channel");
    flow_refuses("flag -> select", 0, "'select' is not a channel");
    flow_refuses("level -> eat(5)", ARC_CODE_TYPE, "'eat' gives no value: write eat{}");
    flow_refuses("level{} -> gauge", 0, "'level' is a channel, only a function takes {}");
    flow_refuses("level -> sensor", 0, "'sensor' cannot be written");
    front_refuses("K := 1.0\nlevel -> K", 2, 0, "'K' is not a channel");
    front_refuses("K := 1.0\nfunc f(x f64) {}\nK -> f{}", 3, 0, "'K' is not a channel");
    front_refuses("K := 1.0\nK{} -> gauge", 2, 0, "'K' is a constant");
    front_accepts("K := 1.0\nK -> gauge\nflag -> K -> gauge\nK * 2 -> gauge", 0);
    front_refuses("import time\ntime -> valve", 2, 0, "'time' is not a channel");
}

static void sources_have_one_output_and_targets_all_their_inputs(void **state)
{
    (void)state;
    flow_refuses("level -> eat{} -> gauge", 0, "'eat' has no output to connect");
    flow_refuses("level -> split{} -> gauge", 0, "'split' has named outputs, use a routing table");
    flow_refuses("level -> keep{} -> gauge", 0, "'keep' has named outputs");
    flow_refuses("level -> two{} -> gauge", 0, "'two' takes several inputs, use a routing table");
    flow_refuses("half{} -> gauge", 0, "'half' is missing input 'x'");
    flow_accepts("level -> split{}");
    front_refuses("func f(c chan f64) f64 { return c }\nlevel -> f{} -> gauge", 2, 0,
                  "works only as a call");
}

static void a_conditional_edge_needs_a_truth(void **state)
{
    (void)state;
    front_refuses("[1.0] => stage { 1 -> valve }", 1, ARC_CODE_TYPE,
                  "'=>' needs a number or a str");
    front_accepts("memo => stage { 1 -> valve }\nmemo => memo", 0);
}

/* ---- Configuration ------------------------------------------------------------------------ */

static const char configured[] = "func f{a f64, b i64 = 3, c chan f64}(x f64) f64 { return x }\n";

static void config_refuses(const char *args, int code, const char *part)
{
    char text[300];
    snprintf(text, sizeof text,
             "func f{a f64, c chan f64, b i64 = 3}(x f64) { c = a }\nK := 4.0\nS := \"x\"\n"
             "level -> f{%s}",
             args);
    front_refuses(text, 4, code, part);
}

static void every_config_parameter_gets_a_value(void **state)
{
    (void)state;
    struct front f;
    front_check(
        &f, FRONT_CHANNELS,
        "func f{a f64, c chan f64, b i64 = 3}(x f64) {}\nK := 4.0\nlevel -> f{c=gauge, a=-2}\n"
        "level -> f{K, level, 7.0}");
    front_demand(&f);
    const struct arc_node *first = f.program->root->items[0].flow->nodes[1];
    assert_int_equal(first->n_config, 3);
    assert_true(first->config[0].value.number.f64 == -2.0);
    assert_string_equal(first->config[1].channel->name, "gauge");
    assert_int_equal(first->config[2].value.number.i64, 3);
    const struct arc_node *second = f.program->root->items[1].flow->nodes[1];
    assert_true(second->config[0].value.number.f64 == 4.0);
    assert_int_equal(second->config[2].value.number.i64, 7);
    front_fini(&f);
    front_refuses(configured, 1, 0, "required parameter 'c' after an optional one");
}

static void config_values_are_literals_constants_or_channels(void **state)
{
    (void)state;
    config_refuses("c=gauge", 0, "missing config parameter 'a' for 'f'");
    config_refuses("a=1, c=gauge, d=1", 0, "'f' has no config parameter 'd'");
    config_refuses("b=1, c=gauge, aa=1", 0, "'f' has no config parameter 'aa'");
    config_refuses("a=1, a=2, c=gauge", 0, "given twice");
    config_refuses("1, gauge, 2, 3", 0, "'f' takes 3 config values, got 4");
    config_refuses("a=1 + 1, c=gauge", ARC_CODE_TYPE, "config value for 'a' must be a literal");
    config_refuses("a=gauge, c=gauge", ARC_CODE_TYPE, "'gauge' is a channel");
    config_refuses("a=\"x\", c=gauge", ARC_CODE_TYPE, "cannot use str to set 'a'");
    config_refuses("a=S, c=gauge", ARC_CODE_TYPE, "cannot use str to set 'a'");
    config_refuses("a=1, c=5", ARC_CODE_TYPE, "config value for 'c' must be a channel");
    config_refuses("a=1, c=K", ARC_CODE_TYPE, "config value for 'c' must be a channel");
    config_refuses("a=1, c=flag", ARC_CODE_TYPE, "cannot use chan u8 to set 'c' (type chan f64)");
    config_refuses("a=1, c=sensor", 0, "'sensor' cannot be written");
    config_refuses("a=1, c=nothing", ARC_CODE_UNDEFINED, "undefined symbol: nothing");
    config_refuses("a=f, c=gauge", ARC_CODE_TYPE, "config value for 'a'");
    config_refuses("a=1, c=gauge, b=1.5", ARC_CODE_TYPE, "fraction");
}

static void library_nodes_check_their_values(void **state)
{
    (void)state;
    front_refuses("import time\ntime.interval{0} -> valve", 2, 0, "must be positive");
    front_refuses("import time\nT := -5ms\ntime.interval{period=T} -> valve", 3, 0,
                  "must be positive");
    front_accepts("import time\ntime.wait{0} -> valve\ntime.wait{-1} -> valve", 0);
    front_refuses("import time\ntime.wait{0.5ns} -> valve", 2, ARC_CODE_TYPE, "fraction");
    front_refuses("import control\nflag -> control.set_authority{256}", 2, ARC_CODE_TYPE,
                  "does not fit u8");
    front_refuses("import control\nflag -> control.set_authority{1, sensor}", 2, 0,
                  "cannot be written");
    front_refuses("import control\nflag -> control.set_authority{1, 5}", 2, ARC_CODE_TYPE,
                  "must be a channel");
    front_refuses("import control\nflag -> control.set_authority{1} -> valve", 2, 0,
                  "has no output");
    struct front f;
    front_check(&f, FRONT_CHANNELS, "import control\nflag -> control.set_authority{1, memo}");
    assert_true(f.program->channels[1]->is_written && f.program->channels[1]->has_authority);
    front_fini(&f);
}

/* ---- Routing tables ----------------------------------------------------------------------- */

static void input_tables_feed_inputs_by_name(void **state)
{
    (void)state;
    flow_is("{level: b, gauge: a} -> two{} -> gauge",
            "source(level) source(gauge) func(two) sink(gauge): 0>2.1 1>2.0 2>3.0");
    flow_is(
        "{level: half{} -> half{} -> a, gauge: b} => two{}",
        "source(level) func(half) func(half) source(gauge) func(two): 0>1.0 1>2.0 2>>4.0 3>>4.1");
    flow_is("{level -> half{} : a} -> opt{}", "source(level) func(half) func(opt): 0>1.0 1>2.0");
    flow_refuses("{level: a, gauge: c} -> two{} -> gauge", 0, "'two' has no parameter 'c'");
    flow_refuses("{level: a} -> two{} -> gauge", 0, "'two' is missing input 'b'");
    flow_refuses("{level: a, gauge: a} -> two{} -> gauge", 0, "input 'a' of 'two' is fed twice");
    flow_refuses("{flag: a, gauge: b} -> two{}", ARC_CODE_TYPE,
                 "cannot connect u8 to input 'a' of 'two'");
    flow_refuses("{nothing: a} -> half{}", ARC_CODE_UNDEFINED, "undefined symbol: nothing");
    flow_refuses("{half: x} -> half{}", 0, "'half' is not a channel");
    flow_refuses("{level: x} -> gauge", 0, "routing table needs a function behind it");
    flow_refuses("{level: eat{} -> x} -> half{}", 0, "'eat' has no output to connect");
    flow_refuses("{level: half{}} -> half{}", 0, "ends in the name of an input");
    flow_refuses("{level: half{} -> 5} -> half{}", 0, "ends in the name of an input");
}

static void output_tables_feed_chains(void **state)
{
    (void)state;
    flow_is(
        "level -> split{} -> {hi: gauge, lo: half{} -> gauge}",
        "source(level) func(split) sink(gauge) func(half) sink(gauge): 0>1.0 1>2.0 1.1>3.0 3>4.0");
    flow_is("level -> split{} => {hi: gauge, hi: eat{}}",
            "source(level) func(split) sink(gauge) func(eat): 0>1.0 1>>2.0 1>>3.0");
    flow_is("flag -> select{} -> {false: \"x\" -> memo}",
            "source(flag) lib(select) const(str) sink(memo): 0>1.0 1.1>2 2>3.0");
    flow_refuses("level -> split{} -> {top: gauge}", 0, "'split' has no output 'top'");
    flow_refuses("level -> half{} -> {x: gauge}", 0, "'half' has one unnamed output");
    flow_refuses("level -> eat{} -> {x: gauge}", 0, "'eat' has no output");
    flow_refuses("level -> {x: gauge}", 0, "routing table needs a function before it");
    flow_refuses("level -> split{} -> {hi: count}", ARC_CODE_TYPE,
                 "cannot connect f64 to channel 'count'");
    flow_refuses("level -> split{} -> {hi: half{} -> select{}}", ARC_CODE_TYPE,
                 "cannot connect f64");
    flow_refuses("level -> split{} -> {hi: eat{} -> gauge}", 0, "'eat' has no output");
    flow_refuses("{level: x} -> split{} -> {hi: gauge}", 0, "at most one routing table");
}

static void outputs_can_be_mapped_to_inputs(void **state)
{
    (void)state;
    flow_is("level -> split{} -> {hi: b, lo: a} -> two{} -> gauge",
            "source(level) func(split) func(two) sink(gauge): 0>1.0 1>2.1 1.1>2.0 2>3.0");
    flow_is("level -> split{} => {hi: half{}: a, lo: b} -> two{}",
            "source(level) func(split) func(half) func(two): 0>1.0 1>>2.0 2>3.0 1.1>>3.1");
    flow_is("level -> split{} -> {hi: a, lo: b, lo: gauge} => two{}",
            "source(level) func(split) sink(gauge) func(two): 0>1.0 1.1>2.0 1>>3.0 1.1>>3.1");
    flow_refuses("level -> split{} -> {hi: a, lo: a} -> two{}", 0, "fed twice");
    flow_refuses("level -> split{} -> {hi: a} -> two{}", 0, "'two' is missing input 'b'");
    flow_refuses("level -> split{} -> {hi: half{}: c} -> two{}", 0, "'two' has no parameter 'c'");
    flow_refuses("level -> split{} -> {hi: half{}: c}", 0, "nothing follows the table");
    flow_refuses("level -> split{} -> {hi: gauge} -> opt{}", 0,
                 "no entry of the table feeds 'opt'");
    flow_refuses("level -> split{} -> {hi: gauge} -> gauge", 0, "only a function");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_become_nodes_and_edges),
        cmocka_unit_test(an_expression_at_the_head_is_triggered_by_what_it_reads),
        cmocka_unit_test(a_format_string_that_reads_nothing_fires_once),
        cmocka_unit_test(literals_take_the_type_of_their_target),
        cmocka_unit_test(a_type_variable_is_bound_by_its_input_or_its_target),
        cmocka_unit_test(edges_need_equal_kinds),
        cmocka_unit_test(what_is_no_node_is_refused),
        cmocka_unit_test(sources_have_one_output_and_targets_all_their_inputs),
        cmocka_unit_test(a_conditional_edge_needs_a_truth),
        cmocka_unit_test(every_config_parameter_gets_a_value),
        cmocka_unit_test(config_values_are_literals_constants_or_channels),
        cmocka_unit_test(library_nodes_check_their_values),
        cmocka_unit_test(input_tables_feed_inputs_by_name),
        cmocka_unit_test(output_tables_feed_chains),
        cmocka_unit_test(outputs_can_be_mapped_to_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
