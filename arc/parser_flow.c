/* Flows, routing tables, sequences and stages. */
#include "arc/parser_priv.h"

/* ---- Configuration arguments -------------------------------------------------------------- */

static bool config_arg(struct parser *p, struct arc_config_arg *arg)
{
    if (parser_kind(p) == ARC_TOK_IDENT && parser_kind_ahead(p, 1) == ARC_TOK_ASSIGN) {
        arg->name = parser_expect_name(p, "a name", &arg->name_span);
        parser_mark(p, ARC_MARK_NAMED);
        parser_advance(p);
    }
    arg->value = parser_expr(p);
    return !p->is_lost;
}

static void config_args(struct parser *p, struct arc_elem *elem)
{
    parser_mark(p, ARC_MARK_CONFIG);
    parser_advance(p);
    while (parser_list_goes_on(p, ARC_TOK_RBRACE)) {
        struct arc_span span = parser_token(p)->span;
        struct arc_config_arg arg = {0};
        if (!config_arg(p, &arg))
            break;
        if (elem->n_args > 0 && (arg.name == NULL) != (elem->args[0].name == NULL))
            parser_error(p, span, "named and positional configuration values cannot be mixed");
        *ARC_APPEND(p->arena, elem->args, elem->n_args) = arg;
        if (!parser_accept(p, ARC_TOK_COMMA))
            break;
    }
    if (!parser_accept(p, ARC_TOK_RBRACE))
        parser_unexpected(p, "',' or '}'");
}

/* ---- Nodes -------------------------------------------------------------------------------- */

/* At a '{': the braces of a routing table, not of configuration values. */
static bool is_table(const struct parser *p, size_t ahead)
{
    enum arc_token_kind third = parser_kind_ahead(p, ahead + 2);
    return parser_kind_ahead(p, ahead) == ARC_TOK_LBRACE &&
           parser_kind_ahead(p, ahead + 1) == ARC_TOK_IDENT &&
           (third == ARC_TOK_COLON || third == ARC_TOK_ARROW || third == ARC_TOK_FAT_ARROW);
}

/* Tokens of the name that a node may begin with; 0: none. */
static size_t name_len(const struct parser *p)
{
    if (parser_is_qualified(p))
        return 3;
    return parser_kind(p) == ARC_TOK_IDENT ? 1 : 0;
}

/* A '-' in a later line that touches what follows it is the sign of the next item's first literal.
 */
static bool begins_next_item(const struct parser *p, size_t ahead)
{
    if (parser_kind_ahead(p, ahead) != ARC_TOK_MINUS || !parser_starts_line(p, p->at + ahead))
        return false;
    const struct arc_token *minus = &p->tokens[p->at + ahead];
    const struct arc_token *right = minus + 1;
    return right->span.start == minus->span.end &&
           (right->kind == ARC_TOK_INT || right->kind == ARC_TOK_FLOAT ||
            right->kind == ARC_TOK_IDENT);
}

static void node(struct parser *p, struct arc_elem *elem)
{
    size_t len = name_len(p);
    if (len > 0 && parser_kind_ahead(p, len) == ARC_TOK_LBRACE && !is_table(p, len)) {
        elem->kind = ARC_ELEM_INVOKE;
        elem->expr = parser_name_expr(p);
        config_args(p, elem);
    } else if (len > 0 && (begins_next_item(p, len) || is_table(p, len))) {
        elem->kind = ARC_ELEM_EXPR;
        elem->expr = parser_name_expr(p);
    } else if (parser_kind(p) == ARC_TOK_NEXT) {
        elem->kind = ARC_ELEM_NEXT;
        parser_advance(p);
    } else if (parser_kind(p) == ARC_TOK_STAGE || parser_kind(p) == ARC_TOK_SEQUENCE) {
        elem->kind = ARC_ELEM_SCOPE;
        elem->scope = parser_scope(p, true);
    } else {
        elem->kind = ARC_ELEM_EXPR;
        elem->expr = parser_expr(p);
    }
}

/* ---- Routing tables ----------------------------------------------------------------------- */

static bool entry_arrow(struct parser *p)
{
    if (parser_kind(p) == ARC_TOK_FAT_ARROW)
        parser_error(p, parser_token(p)->span,
                     "'=>' cannot stand inside a routing table: use '->'");
    return parser_accept(p, ARC_TOK_ARROW);
}

static void entry(struct parser *p, struct arc_entry *out)
{
    out->key = parser_expect_name(p, "the name of an output or a channel", &out->key_span);
    if (!parser_accept(p, ARC_TOK_COLON) && !entry_arrow(p))
        parser_unexpected(p, "':'");
    while (!p->is_lost) {
        struct arc_elem *elem = ARC_APPEND(p->arena, out->elems, out->n_elems);
        elem->span = parser_token(p)->span;
        node(p, elem);
        elem->span = parser_span_from(p, elem->span);
        if (!entry_arrow(p))
            break;
    }
    if (parser_accept(p, ARC_TOK_COLON))
        out->param = parser_expect_name(p, "the name of an input", &out->param_span);
}

static void table(struct parser *p, struct arc_elem *elem)
{
    struct arc_span open = parser_token(p)->span;
    elem->kind = ARC_ELEM_TABLE;
    parser_mark(p, ARC_MARK_TABLE);
    parser_advance(p);
    if (parser_kind(p) == ARC_TOK_RBRACE)
        parser_unexpected(p, "an entry of a routing table");
    while (parser_list_goes_on(p, ARC_TOK_RBRACE)) {
        entry(p, ARC_APPEND(p->arena, elem->entries, elem->n_entries));
        if (!parser_accept(p, ARC_TOK_COMMA))
            break;
    }
    if (p->is_lost || parser_kind(p) == ARC_TOK_EOF)
        parser_expect_close(p, open);
    else if (!parser_accept(p, ARC_TOK_RBRACE))
        parser_unexpected(p, "',' or '}'");
}

/* ---- Flows -------------------------------------------------------------------------------- */

static void element(struct parser *p, struct arc_flow *flow)
{
    struct arc_elem *elem = ARC_APPEND(p->arena, flow->elems, flow->n_elems);
    elem->span = parser_token(p)->span;
    if (parser_kind(p) == ARC_TOK_LBRACE)
        table(p, elem);
    else
        node(p, elem);
    flow->elems[flow->n_elems - 1].span = parser_span_from(p, elem->span);
}

/* What can stand in a body of statements only. */
static void misplaced_statement(struct parser *p)
{
    const char *what = parser_kind_ahead(p, 1) == ARC_TOK_STATE ? "a stateful variable"
                                                                : "an assignment or variable";
    parser_error(p, parser_token(p)->span, "%s can only stand in a function", what);
}

static bool is_misplaced_statement(const struct parser *p)
{
    enum arc_token_kind second = parser_kind_ahead(p, 1);
    return parser_kind(p) == ARC_TOK_IDENT &&
           (second == ARC_TOK_STATE || second == ARC_TOK_DECLARE || parser_is_assign_op(second));
}

static void add_item(struct parser *p, struct arc_item item)
{
    *ARC_APPEND(p->arena, p->scope->items, p->scope->n_items) = item;
}

static void flow(struct parser *p)
{
    struct arc_flow *flow = base_arena_new(p->arena, struct arc_flow);
    bool had_error = p->had_error;
    p->had_error = false;
    flow->span = parser_token(p)->span;
    bool has_more;
    do {
        element(p, flow);
        bool is_fat = parser_kind(p) == ARC_TOK_FAT_ARROW;
        has_more = parser_accept(p, ARC_TOK_ARROW) || parser_accept(p, ARC_TOK_FAT_ARROW);
        size_t n = flow->n_elems - 1;
        *ARC_APPEND(p->arena, flow->is_conditional, n) = has_more && is_fat;
    } while (has_more);
    flow->span = parser_span_from(p, flow->span);
    flow->is_broken = p->had_error;
    p->had_error |= had_error;
    add_item(p, (struct arc_item){.flow = flow});
}

void parser_item(struct parser *p)
{
    enum arc_token_kind kind = parser_kind(p);
    if (kind == ARC_TOK_SEQUENCE || kind == ARC_TOK_STAGE) {
        if (kind == ARC_TOK_STAGE && p->scope->kind == ARC_SCOPE_STAGE)
            parser_complain(p, parser_token(p)->span, "a stage cannot stand inside a stage");
        struct arc_scope *scope = parser_scope(p, false);
        add_item(p, (struct arc_item){.scope = scope});
    } else if (is_misplaced_statement(p)) {
        misplaced_statement(p);
    } else {
        flow(p);
    }
}

/* ---- Sequences and stages ----------------------------------------------------------------- */

static void body_items(struct parser *p)
{
    while (parser_list_goes_on(p, ARC_TOK_RBRACE)) {
        size_t before = p->at;
        parser_mark(p, ARC_MARK_START);
        parser_item(p);
        if (!p->is_lost && parser_accept(p, ARC_TOK_COMMA) && parser_kind(p) == ARC_TOK_COMMA)
            parser_unexpected(p, "a flow, a stage or a sequence");
        if (p->is_lost) {
            parser_recover_inside(p);
            p->program->may_lack_names = true;
            if (p->at == before)
                break;
        }
    }
}

struct arc_scope *parser_scope(struct parser *p, bool is_inline)
{
    struct arc_scope *scope = base_arena_new(p->arena, struct arc_scope);
    scope->kind = parser_kind(p) == ARC_TOK_STAGE ? ARC_SCOPE_STAGE : ARC_SCOPE_SEQUENCE;
    scope->span = scope->name_span = parser_token(p)->span;
    scope->is_inline = is_inline;
    scope->parent = p->scope;
    scope->item_in_parent = (uint32_t)p->scope->n_items;
    scope->index = (uint32_t)p->program->n_scopes;
    *ARC_APPEND(p->arena, p->program->scopes, p->program->n_scopes) = scope;
    parser_advance(p);
    if (parser_kind(p) == ARC_TOK_IDENT) {
        scope->ident = parser_expect_name(p, "a name", &scope->name_span);
        scope->name = scope->ident->text;
    }
    struct arc_span open = parser_token(p)->span;
    if (parser_kind(p) != ARC_TOK_LBRACE) {
        parser_unexpected(p, scope->name ? "'{'" : "a name or '{'");
        return scope;
    }
    if (!parser_enter(p))
        return scope;
    parser_mark(p, ARC_MARK_BLOCK);
    parser_advance(p);
    p->scope = scope;
    body_items(p);
    parser_expect_close(p, open);
    p->scope = scope->parent;
    parser_leave(p);
    scope->span = parser_span_from(p, scope->span);
    return scope;
}
