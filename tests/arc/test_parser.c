/* Trees, written back with every pair of parentheses that the grammar means. */
#include "arc/parser.h"

#include "tests/arc/front.h"

struct parsed {
    struct base_arena arena;
    struct arc_source source;
    struct arc_diags diags;
    struct arc_idents idents;
    struct arc_program *program;
};

static void parse(struct parsed *p, const char *text)
{
    *p = (struct parsed){.source = {"test.arc", text, strlen(text)}};
    base_arena_init(&p->arena);
    arc_diags_init(&p->diags, &p->arena, &p->source);
    arc_idents_init(&p->idents, &p->arena);
    p->program = arc_parse(&p->source, &p->idents, &p->arena, &p->diags);
}

static const char *show(struct base_arena *arena, const struct arc_expr *expr)
{
    const char *args = "";
    switch (expr->kind) {
    case ARC_EXPR_NAME: return expr->u.name->text;
    case ARC_EXPR_LITERAL:
        if (!expr->is_untyped)
            return base_arena_printf(arena, "'%s'", expr->u.literal.value.str);
        return base_arena_printf(arena, "%g", expr->u.literal.raw.real);
    case ARC_EXPR_NEG:
        return base_arena_printf(arena, "(- %s)", show(arena, expr->u.unary.operand));
    case ARC_EXPR_NOT:
        return base_arena_printf(arena, "(not %s)", show(arena, expr->u.unary.operand));
    case ARC_EXPR_CAST:
        return base_arena_printf(arena, "%s(%s)", arc_type_name(arena, expr->type),
                                 show(arena, expr->u.unary.operand));
    case ARC_EXPR_BINARY:
        return base_arena_printf(arena, "(%s %s %s)", show(arena, expr->u.binary.left),
                                 arc_op_text(expr->u.binary.op), show(arena, expr->u.binary.right));
    case ARC_EXPR_AND:
    case ARC_EXPR_OR:
        return base_arena_printf(arena, "(%s %s %s)", show(arena, expr->u.binary.left),
                                 expr->kind == ARC_EXPR_AND ? "and" : "or",
                                 show(arena, expr->u.binary.right));
    case ARC_EXPR_CALL:
        for (size_t i = 0; i < expr->u.call.n_args; i++)
            args = base_arena_printf(arena, "%s%s%s", args, i == 0 ? "" : ", ",
                                     show(arena, expr->u.call.args[i]));
        return base_arena_printf(arena, "%s(%s)", show(arena, expr->u.call.callee), args);
    case ARC_EXPR_INDEX:
        return base_arena_printf(arena, "%s[%s]", show(arena, expr->u.index.base),
                                 show(arena, expr->u.index.index));
    case ARC_EXPR_SLICE:
        return base_arena_printf(arena, "%s[%s:%s]", show(arena, expr->u.slice.base),
                                 expr->u.slice.from ? show(arena, expr->u.slice.from) : "",
                                 expr->u.slice.to ? show(arena, expr->u.slice.to) : "");
    default: return "?";
    }
}

/* The expression that is all of a flow's first element. */
static void reads_as(const char *text, const char *wanted)
{
    struct parsed p;
    char flow[200];
    snprintf(flow, sizeof flow, "%s -> x", text);
    parse(&p, flow);
    assert_int_equal(p.diags.n_errors, 0);
    assert_string_equal(show(&p.arena, p.program->root->items[0].flow->elems[0].expr), wanted);
    base_arena_fini(&p.arena);
}

static void operators_bind_as_the_language_says(void **state)
{
    (void)state;
    reads_as("a + b * c", "(a + (b * c))");
    reads_as("a - b - c", "((a - b) - c)");
    reads_as("a or b and c == d < e + f", "(a or (b and (c == (d < (e + f)))))");
    reads_as("not a == b", "((not a) == b)");
    reads_as("-a ^ 2", "(- (a ^ 2))");
    reads_as("-2 ^ 2", "(- (2 ^ 2))");
    reads_as("2 ^ 3 ^ 2", "(2 ^ (3 ^ 2))");
    reads_as("2 ^ -1", "(2 ^ -1)");
    reads_as("2 ^ -a ^ b", "(2 ^ (- (a ^ b)))");
    reads_as("a < b < c", "((a < b) < c)");
    reads_as("a * -b", "(a * (- b))");
    reads_as("(a + b) * c", "((a + b) * c)");
    reads_as("- - 5", "5");
    reads_as("f(a, b,)[1:](c)[d]", "f(a, b)[1:](c)[d]");
    reads_as("f64 psi(a) + i8(b)", "(f64 psi(a) + i8(b))");
}

/* The items of the root: for each flow the texts of its elements. */
static void splits_into(const char *text, const char *wanted)
{
    struct parsed p;
    parse(&p, text);
    const char *got = "";
    assert_int_equal(p.diags.n_errors, 0);
    for (size_t i = 0; i < p.program->root->n_items; i++) {
        const struct arc_flow *flow = p.program->root->items[i].flow;
        for (size_t j = 0; j < flow->n_elems; j++) {
            struct arc_span span = flow->elems[j].span;
            got = base_arena_printf(&p.arena, "%s%s%.*s", got,
                                    j > 0   ? " > "
                                    : i > 0 ? " | "
                                            : "",
                                    (int)(span.end - span.start), text + span.start);
        }
    }
    assert_string_equal(got, wanted);
    base_arena_fini(&p.arena);
}

static void a_newline_ends_nothing_but_a_touching_minus_begins_an_item(void **state)
{
    (void)state;
    splits_into("1 -> a\n-5 -> b", "1 > a | -5 > b");
    splits_into("1 -> a\n- 5 -> b", "1 > a\n- 5 > b");
    splits_into("1 -> a -5 -> b", "1 > a -5 > b");
    splits_into("1 -> f{}\n-x -> b", "1 > f{} | -x > b");
    splits_into("c > 1\n-5 -> b", "c > 1\n-5 > b");
    splits_into("1 -> a\n(b) -> c", "1 > a\n(b) > c");
    splits_into("1 -> a b -> c", "1 > a | b > c");
}

static void braces_are_a_table_when_a_name_and_a_colon_follow(void **state)
{
    (void)state;
    splits_into("1 -> a\n{ b: c } -> f{}", "1 > a | { b: c } > f{}");
    splits_into("a -> f{x=1} -> { t: b, u: g{} -> c }", "a > f{x=1} > { t: b, u: g{} -> c }");
    splits_into("stable.for{1s} -> a", "stable.for{1s} > a");
}

static const char *statement_kinds(struct parsed *p)
{
    static const char *const names[] = {
#define NAME(KIND, member) #KIND,
        ARC_STMT_KINDS(NAME)
#undef NAME
    };
    const struct arc_block *body = p->program->funcs[0]->body;
    const char *got = "";
    for (size_t i = 0; i < body->n_stmts; i++)
        got = base_arena_printf(&p->arena, "%s%s%s", got, i == 0 ? "" : " ",
                                names[body->stmts[i]->kind]);
    return got;
}

static void holds_statements(const char *body, const char *wanted)
{
    struct parsed p;
    char text[300];
    snprintf(text, sizeof text, "func f() { %s }", body);
    parse(&p, text);
    if (p.diags.n_errors != 0)
        fail_msg("%s", arc_diags_render(&p.diags));
    assert_string_equal(statement_kinds(&p), wanted);
    base_arena_fini(&p.arena);
}

static void statements_follow_each_other_on_one_line(void **state)
{
    (void)state;
    holds_statements("a = 1 b = 2", "ASSIGN ASSIGN");
    holds_statements("a := 1 b $= 2 c f64 := 3 d series i8 psi := []", "DECL DECL DECL DECL");
    holds_statements("a += 1 b[i] = 2 c[1:2] = d", "ASSIGN ASSIGN ASSIGN");
    holds_statements("if a { } else if b { } else { } for { break continue }", "IF FOR_WHILE");
    holds_statements("for i := s { } for i, v := s { } for x > 1 { } for { }",
                     "FOR_EACH FOR_EACH FOR_WHILE FOR_WHILE");
    holds_statements("a f(b) 5", "EXPR EXPR EXPR");
}

static void a_return_takes_what_is_no_statement(void **state)
{
    (void)state;
    holds_statements("return", "RETURN");
    holds_statements("return a", "RETURN");
    holds_statements("return f64(a)", "RETURN");
    holds_statements("return a[0]", "RETURN");
    holds_statements("return a = 5", "RETURN ASSIGN");
    holds_statements("return a[b[1]] += 5", "RETURN ASSIGN");
    holds_statements("return a f64 := 5", "RETURN DECL");
    holds_statements("return a := 5", "RETURN DECL");
    holds_statements("return if a { }", "RETURN IF");
    holds_statements("return return", "RETURN RETURN");
}

static void string_is(const char *literal, const char *wanted, size_t len)
{
    struct parsed p;
    char text[200];
    snprintf(text, sizeof text, "X := %s", literal);
    parse(&p, text);
    assert_int_equal(p.diags.n_errors, 0);
    const struct arc_value *value = &p.program->consts[0]->expr->u.literal.value;
    assert_int_equal(value->str_len, len);
    assert_memory_equal(value->str, wanted, len);
    base_arena_fini(&p.arena);
}

static void escapes_have_their_values(void **state)
{
    (void)state;
    string_is("\"\\b\\t\\n\\f\\r\\\\\"", "\b\t\n\f\r\\", 6);
    string_is("\"\\\"\\`\\z\"", "\"\\`\\z", 5);
    string_is("`\\\"\\`\\z`", "\\\"`\\z", 5);
    string_is("\"\\u00e9\\uD800\\u0000\"", "\xC3\xA9\xEF\xBF\xBD\0", 6);
    string_is("r\"a\\\"b\"", "a\\\"b", 4);
    string_is("\"a\\\nb\"", "a\\\nb", 4);
    string_is("`a\nb`", "a\nb", 3);
    string_is("f\"{{x}} } }}\"", "{x} } }", 7);
}

static void placeholders_split_at_the_last_colon_outside_brackets(void **state)
{
    (void)state;
    struct parsed p;
    parse(&p, "f\"a{b[0:2]}c{d[0:2]:-08.3s}{e}\" -> x");
    assert_int_equal(p.diags.n_errors, 0);
    const struct arc_expr *format = p.program->root->items[0].flow->elems[0].expr;
    assert_int_equal(format->kind, ARC_EXPR_FORMAT);
    assert_int_equal(format->u.format.n_parts, 4);
    const struct arc_fmt_part *part = format->u.format.parts;
    assert_string_equal(part[0].text, "a");
    assert_string_equal(show(&p.arena, part[0].expr), "b[0:2]");
    assert_int_equal(part[0].spec.verb, 0);
    assert_string_equal(part[1].text, "c");
    assert_int_equal(part[1].spec.verb, 's');
    assert_true(part[1].spec.left && part[1].spec.zero && !part[1].spec.plus);
    assert_int_equal(part[1].spec.width, 8);
    assert_int_equal(part[1].spec.precision, 3);
    assert_int_equal(part[2].text_len, 0);
    assert_null(part[3].expr);
    base_arena_fini(&p.arena);
}

static void a_placeholder_knows_its_place_in_the_source(void **state)
{
    (void)state;
    struct parsed p;
    parse(&p, "f`\\t\n {bad}` -> x");
    const struct arc_expr *name =
        p.program->root->items[0].flow->elems[0].expr->u.format.parts[0].expr;
    assert_int_equal(name->span.line, 2);
    assert_int_equal(arc_source_pos(&p.source, name->span.start).col, 2);
    base_arena_fini(&p.arena);
}

/* ---- Errors ------------------------------------------------------------------------------- */

static void lists_need_their_commas(void **state)
{
    (void)state;
    front_refuses("func f(a f64 b f64) {}", 1, 0, "unit 'b'");
    front_refuses("func f(a f64 f64) {}", 1, 0, "unexpected 'f64', wanted ',' or ')'");
    front_refuses("func f() { x := [1 2] }", 1, 0, "wanted ',' or ']'");
    front_refuses("func f() { x := g(1 2) }", 1, 0, "wanted ',' or ')'");
    front_refuses("flag -> select{} -> { true: valve false: valve }", 1, 0, "wanted ',' or '}'");
    front_refuses("sequence { 1 -> valve,, 2 -> valve }", 1, 0, "unexpected ','");
    front_refuses("sequence { , 1 -> valve }", 1, 0, "unexpected ','");
}

static void statements_and_items_have_no_commas(void **state)
{
    (void)state;
    front_refuses("func f() { a := 1, b := 2 }", 1, 0, "unexpected ','");
    front_refuses("1 -> valve, 2 -> valve", 1, 0, "unexpected ','");
    front_refuses("import (time, math)", 1, 0, "unexpected ','");
    front_refuses("authority (1, valve 2)", 1, 0, "unexpected ','");
}

static void the_parser_goes_on_after_an_error(void **state)
{
    (void)state;
    front_counts("func f() {\n x := \n y := )\n}\nfunc g( {}\nfunc h() { z = = 1 }", 3);
    front_counts("sequence {\n 1 -> \n stage {\n 2 => ) \n flag -> valve }\n}\nlevel -> -> gauge",
                 2);
}

static void an_open_body_is_named_with_its_line(void **state)
{
    (void)state;
    struct front f;
    front_check(&f, FRONT_CHANNELS, "func f() {\n if flag {\n\nfunc g() {}");
    assert_int_equal(f.diags.n_errors, 1);
    assert_int_equal(f.diags.list[0]->start.line, 4);
    assert_string_equal(f.diags.list[0]->notes[0], "the '{' in line 2 is not closed");
    front_fini(&f);
}

static void what_belongs_elsewhere_is_said_so(void **state)
{
    (void)state;
    front_refuses("func f() { level -> gauge }", 1, 0, "a flow cannot stand inside a function");
    front_refuses("func f() { func g() {} }", 1, 0, "a function cannot stand inside a function");
    front_refuses("stage { x := 5 }", 1, 0, "can only stand in a function");
    front_refuses("x $= 5", 1, 0, "a stateful variable can only stand in a function");
    front_refuses("valve = 5", 1, 0, "can only stand in a function");
    front_refuses("stage { stage { } }", 1, 0, "a stage cannot stand inside a stage");
    front_refuses("X := 2 * 3", 1, 0, "not an expression");
    front_refuses("X := [1]", 1, 0, "wanted a literal");
    front_refuses("X := Y", 1, 0, "wanted a literal");
    front_refuses("flag => select{} -> { true => valve }", 1, 0, "inside a routing table");
}

static void mixed_configuration_values_are_refused(void **state)
{
    (void)state;
    front_refuses("func f{a i64, b i64}() {}\nflag -> f{1, b=2}", 2, 0, "cannot be mixed");
}

static void imports_and_authority_come_first(void **state)
{
    (void)state;
    front_refuses("1 -> valve\nimport time", 2, 0, "imports go before everything else");
    front_refuses("authority 5\nimport time", 2, 0, "imports go before everything else");
    front_refuses("X := 1\nauthority 5", 2, 0, "authority goes before");
    front_accepts("import ()\nimport ( )\nauthority 5 authority (valve 5)", 0);
}

static void deep_nesting_is_an_error_and_not_a_crash(void **state)
{
    (void)state;
    static const struct {
        const char *open;
        const char *close;
    } cases[] = {
        {"func f() { x := ", "("},    {"func f() { x := ", "-"},     {"func f() { x := ", "2^"},
        {"func f() { x := ", "["},    {"func f() { ", "if flag { "}, {"func f() { ", "func g() { "},
        {"", "sequence { "},          {"", "flag -> stage { "},      {"func f() { x := a", "[b"},
        {"func f() { x := ", "not "}, {"func f() { x := ", "f64("},  {"func f() { x := ", "g(1, "}};
    static char text[400000];
    for (size_t i = 0; i < ARCD_COUNT_OF(cases); i++) {
        size_t at = strlen(cases[i].open);
        memcpy(text, cases[i].open, at + 1);
        for (int n = 0; n < 20000; n++) {
            memcpy(text + at, cases[i].close, strlen(cases[i].close) + 1);
            at += strlen(cases[i].close);
        }
        struct front f;
        front_check(&f, FRONT_CHANNELS, text);
        bool is_said = false;
        for (size_t n = 0; n < f.diags.n; n++)
            is_said |= strstr(f.diags.list[n]->message, "nesting too deep") != NULL;
        assert_true(is_said);
        assert_true(f.diags.n_errors <= ARC_MAX_NESTING + 5);
        front_fini(&f);
    }
}

static void a_long_chain_of_operators_is_bounded(void **state)
{
    (void)state;
    static char text[40000];
    size_t at = (size_t)snprintf(text, sizeof text, "level");
    for (int n = 0; n < 900; n++)
        at += (size_t)snprintf(text + at, sizeof text - at, " + level");
    snprintf(text + at, sizeof text - at, " -> gauge");
    front_accepts(text, 0);
    for (int n = 0; n < 200; n++)
        at += (size_t)snprintf(text + at, sizeof text - at, " + level");
    snprintf(text + at, sizeof text - at, " -> gauge");
    front_refuses(text, 1, 0, "too long");
}

static void a_program_over_the_limit_is_refused(void **state)
{
    (void)state;
    struct base_arena arena;
    base_arena_init(&arena);
    size_t len = ARC_MAX_SOURCE_BYTES + 1;
    char *text = base_arena_alloc(&arena, len, 1);
    memset(text, ' ', len);
    struct front f;
    front_check_len(&f, FRONT_CHANNELS, text, len);
    assert_null(f.program);
    assert_non_null(strstr(f.diags.list[0]->message, "too large"));
    front_fini(&f);
    front_check_len(&f, FRONT_CHANNELS, text, len - 1);
    assert_non_null(f.program);
    front_fini(&f);
    base_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind_as_the_language_says),
        cmocka_unit_test(a_newline_ends_nothing_but_a_touching_minus_begins_an_item),
        cmocka_unit_test(braces_are_a_table_when_a_name_and_a_colon_follow),
        cmocka_unit_test(statements_follow_each_other_on_one_line),
        cmocka_unit_test(a_return_takes_what_is_no_statement),
        cmocka_unit_test(escapes_have_their_values),
        cmocka_unit_test(placeholders_split_at_the_last_colon_outside_brackets),
        cmocka_unit_test(a_placeholder_knows_its_place_in_the_source),
        cmocka_unit_test(lists_need_their_commas),
        cmocka_unit_test(statements_and_items_have_no_commas),
        cmocka_unit_test(the_parser_goes_on_after_an_error),
        cmocka_unit_test(an_open_body_is_named_with_its_line),
        cmocka_unit_test(what_belongs_elsewhere_is_said_so),
        cmocka_unit_test(mixed_configuration_values_are_refused),
        cmocka_unit_test(imports_and_authority_come_first),
        cmocka_unit_test(deep_nesting_is_an_error_and_not_a_crash),
        cmocka_unit_test(a_long_chain_of_operators_is_bounded),
        cmocka_unit_test(a_program_over_the_limit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
