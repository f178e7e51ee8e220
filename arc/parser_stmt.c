/* Functions and the statements in them. */
#include "arc/parser_priv.h"

static struct arc_block *block(struct parser *p);

static struct arc_stmt *new_stmt(struct parser *p, enum arc_stmt_kind kind)
{
    struct arc_stmt *stmt = base_arena_new(p->arena, struct arc_stmt);
    stmt->kind = kind;
    stmt->span = parser_token(p)->span;
    return stmt;
}

/* ---- Declarations and assignments --------------------------------------------------------- */

static struct arc_var *new_var(struct parser *p, enum arc_var_kind kind)
{
    struct arc_var *var = base_arena_new(p->arena, struct arc_var);
    var->kind = kind;
    var->ident = parser_expect_name(p, "a name", &var->span);
    var->name = var->ident ? var->ident->text : "";
    return var;
}

static struct arc_stmt *declaration(struct parser *p)
{
    struct arc_stmt *stmt = new_stmt(p, ARC_STMT_DECL);
    stmt->u.decl.var = new_var(p, ARC_VAR_LOCAL);
    if (parser_is_type_start(parser_kind(p)))
        stmt->u.decl.declared = parser_type(p);
    if (parser_accept(p, ARC_TOK_STATE))
        stmt->u.decl.var->kind = ARC_VAR_STATE;
    else if (!parser_accept(p, ARC_TOK_DECLARE))
        parser_unexpected(p, "':=' or '$='");
    stmt->u.decl.value = parser_expr(p);
    return stmt;
}

bool parser_is_assign_op(enum arc_token_kind kind)
{
    switch (kind) {
    case ARC_TOK_ASSIGN:
    case ARC_TOK_PLUS_ASSIGN:
    case ARC_TOK_MINUS_ASSIGN:
    case ARC_TOK_STAR_ASSIGN:
    case ARC_TOK_SLASH_ASSIGN:
    case ARC_TOK_PERCENT_ASSIGN: return true;
    default: return false;
    }
}

static enum arc_op compound_op(enum arc_token_kind kind)
{
    switch (kind) {
    case ARC_TOK_MINUS_ASSIGN: return ARC_BIN_SUB;
    case ARC_TOK_STAR_ASSIGN: return ARC_BIN_MUL;
    case ARC_TOK_SLASH_ASSIGN: return ARC_BIN_DIV;
    case ARC_TOK_PERCENT_ASSIGN: return ARC_BIN_MOD;
    default: return ARC_BIN_ADD;
    }
}

static bool is_assignable_form(const struct arc_expr *expr)
{
    if (expr->is_parenthesized)
        return false;
    switch (expr->kind) {
    case ARC_EXPR_NAME: return true;
    case ARC_EXPR_INDEX: return expr->u.index.base->kind == ARC_EXPR_NAME;
    case ARC_EXPR_SLICE: return expr->u.slice.base->kind == ARC_EXPR_NAME;
    default: return false;
    }
}

static void assignment(struct parser *p, struct arc_stmt *stmt, struct arc_expr *target)
{
    const struct arc_token *op = parser_token(p);
    if (!is_assignable_form(target))
        parser_error(p, target->span, "only a variable, a channel or an element can be assigned");
    stmt->kind = ARC_STMT_ASSIGN;
    stmt->u.assign.target = target;
    stmt->u.assign.has_op = op->kind != ARC_TOK_ASSIGN;
    stmt->u.assign.op = compound_op(op->kind);
    stmt->u.assign.op_span = op->span;
    if (p->is_lost)
        return;
    parser_advance(p);
    stmt->u.assign.value = parser_expr(p);
}

static struct arc_stmt *expr_or_assignment(struct parser *p)
{
    struct arc_stmt *stmt = new_stmt(p, ARC_STMT_EXPR);
    struct arc_expr *expr = parser_expr(p);
    if (p->is_lost)
        return stmt;
    stmt->u.expr = expr;
    if (parser_is_assign_op(parser_kind(p)))
        assignment(p, stmt, expr);
    else if (parser_kind(p) == ARC_TOK_ARROW || parser_kind(p) == ARC_TOK_FAT_ARROW)
        parser_error(p, parser_token(p)->span, "a flow cannot stand inside a function");
    return stmt;
}

/* ---- Control ------------------------------------------------------------------------------ */

static void if_arm(struct parser *p, struct arc_stmt *stmt)
{
    parser_advance(p);
    struct arc_if_arm *arm = ARC_APPEND(p->arena, stmt->u.cond.arms, stmt->u.cond.n_arms);
    arm->cond = parser_expr(p);
    arm->block = block(p);
}

static struct arc_stmt *if_statement(struct parser *p)
{
    struct arc_stmt *stmt = new_stmt(p, ARC_STMT_IF);
    if_arm(p, stmt);
    while (parser_accept(p, ARC_TOK_ELSE)) {
        if (parser_kind(p) == ARC_TOK_IF) {
            if_arm(p, stmt);
            continue;
        }
        stmt->u.cond.otherwise = block(p);
        break;
    }
    return stmt;
}

/* for i := e, for i, v := e; the checker tells a range from a series. */
static void each_header(struct parser *p, struct arc_stmt *stmt)
{
    stmt->kind = ARC_STMT_FOR_EACH;
    stmt->u.each.value = new_var(p, ARC_VAR_LOOP);
    if (parser_accept(p, ARC_TOK_COMMA)) {
        stmt->u.each.index = stmt->u.each.value;
        stmt->u.each.value = new_var(p, ARC_VAR_LOOP);
    }
    parser_expect(p, ARC_TOK_DECLARE);
    stmt->u.each.series = parser_expr(p);
    stmt->u.each.body = block(p);
}

static struct arc_stmt *for_statement(struct parser *p)
{
    struct arc_stmt *stmt = new_stmt(p, ARC_STMT_FOR_WHILE);
    parser_advance(p);
    enum arc_token_kind second = parser_kind_ahead(p, 1);
    if (parser_kind(p) == ARC_TOK_IDENT && (second == ARC_TOK_DECLARE || second == ARC_TOK_COMMA)) {
        each_header(p, stmt);
        return stmt;
    }
    if (parser_kind(p) != ARC_TOK_LBRACE)
        stmt->u.loop.cond = parser_expr(p);
    stmt->u.loop.body = block(p);
    return stmt;
}

/* At an identifier: `name[...] =`, where the brackets are skipped. */
static bool is_element_assignment(const struct parser *p)
{
    size_t at = p->at + 1;
    size_t open = 0;
    do {
        switch (p->tokens[at].kind) {
        case ARC_TOK_LBRACKET: open++; break;
        case ARC_TOK_RBRACKET: open--; break;
        case ARC_TOK_LBRACE:
        case ARC_TOK_RBRACE:
        case ARC_TOK_EOF: return false;
        default: break;
        }
        at++;
    } while (open > 0);
    return parser_is_assign_op(p->tokens[at].kind);
}

/* What stands behind a return is its value, unless it begins the next statement. */
static bool begins_statement(const struct parser *p)
{
    switch (parser_kind(p)) {
    case ARC_TOK_RBRACE:
    case ARC_TOK_EOF:
    case ARC_TOK_IF:
    case ARC_TOK_FOR:
    case ARC_TOK_BREAK:
    case ARC_TOK_CONTINUE:
    case ARC_TOK_RETURN: return true;
    case ARC_TOK_IDENT: break;
    default: return false;
    }
    enum arc_token_kind second = parser_kind_ahead(p, 1);
    if (second == ARC_TOK_LBRACKET)
        return is_element_assignment(p);
    return second == ARC_TOK_DECLARE || second == ARC_TOK_STATE || parser_is_assign_op(second) ||
           parser_is_type_start(second);
}

static struct arc_stmt *return_statement(struct parser *p)
{
    struct arc_stmt *stmt = new_stmt(p, ARC_STMT_RETURN);
    parser_advance(p);
    if (!begins_statement(p))
        stmt->u.ret.value = parser_expr(p);
    return stmt;
}

static struct arc_stmt *simple(struct parser *p, enum arc_stmt_kind kind)
{
    struct arc_stmt *stmt = new_stmt(p, kind);
    parser_advance(p);
    return stmt;
}

/* ---- Statements and blocks ---------------------------------------------------------------- */

static bool is_declaration(const struct parser *p)
{
    enum arc_token_kind second = parser_kind_ahead(p, 1);
    return second == ARC_TOK_DECLARE || second == ARC_TOK_STATE || parser_is_type_start(second);
}

/* Reported, the outermost only, then read like any other, so that what follows makes sense again.
 */
static struct arc_stmt *nested_function(struct parser *p)
{
    struct arc_stmt *stmt = new_stmt(p, ARC_STMT_NOTHING);
    if (!p->is_in_nested_function)
        parser_complain(p, stmt->span, "a function cannot stand inside a function");
    bool was_in_one = p->is_in_nested_function;
    p->is_in_nested_function = true;
    parser_function(p);
    p->is_in_nested_function = was_in_one;
    p->had_error = true;
    return stmt;
}

static struct arc_stmt *statement(struct parser *p)
{
    switch (parser_kind(p)) {
    case ARC_TOK_IF: return if_statement(p);
    case ARC_TOK_FOR: return for_statement(p);
    case ARC_TOK_BREAK: return simple(p, ARC_STMT_BREAK);
    case ARC_TOK_CONTINUE: return simple(p, ARC_STMT_CONTINUE);
    case ARC_TOK_RETURN: return return_statement(p);
    case ARC_TOK_IDENT:
        if (is_declaration(p))
            return declaration(p);
        break;
    case ARC_TOK_FUNC: return nested_function(p);
    case ARC_TOK_ELSE: parser_unexpected(p, "a statement"); return NULL;
    default: break;
    }
    return expr_or_assignment(p);
}

/* A func at the left margin follows a body that was never closed; one further in is a nested one.
 */
static bool body_is_left_open(const struct parser *p)
{
    return parser_kind(p) == ARC_TOK_FUNC && parser_is_at_margin(p);
}

static void statements(struct parser *p, struct arc_block *out)
{
    while (parser_list_goes_on(p, ARC_TOK_RBRACE) && !body_is_left_open(p)) {
        size_t before = p->at;
        parser_mark(p, ARC_MARK_START);
        struct arc_stmt *stmt = statement(p);
        if (p->is_lost) {
            parser_recover_inside(p);
            if (p->at == before)
                break;
            continue;
        }
        stmt->span = parser_span_from(p, stmt->span);
        *ARC_APPEND(p->arena, out->stmts, out->n_stmts) = stmt;
    }
}

/* Never NULL. */
static struct arc_block *block(struct parser *p)
{
    struct arc_block *out = base_arena_new(p->arena, struct arc_block);
    out->span = parser_token(p)->span;
    if (!parser_enter(p))
        return out;
    struct arc_span open = out->span;
    parser_mark(p, ARC_MARK_BLOCK);
    if (parser_expect(p, ARC_TOK_LBRACE)) {
        statements(p, out);
        parser_expect_close(p, open);
        out->span = parser_span_from(p, open);
    }
    parser_leave(p);
    return out;
}

/* ---- Functions ---------------------------------------------------------------------------- */

static void single_output(struct parser *p, struct arc_func *func)
{
    struct arc_var *var = base_arena_new(p->arena, struct arc_var);
    var->kind = ARC_VAR_OUTPUT;
    var->ident = parser_expect_name(p, "a name", &var->span);
    if (var->ident == NULL)
        return;
    var->name = var->ident->text;
    var->type = parser_type(p);
    *ARC_APPEND(p->arena, func->outputs, func->n_outputs) = var;
}

static void outputs(struct parser *p, struct arc_func *func)
{
    func->result_span = parser_token(p)->span;
    if (parser_is_type_start(parser_kind(p))) {
        func->result = parser_type(p);
    } else if (parser_kind(p) == ARC_TOK_IDENT) {
        single_output(p, func);
    } else if (parser_accept(p, ARC_TOK_LPAREN)) {
        if (parser_kind(p) == ARC_TOK_RPAREN)
            parser_unexpected(p, "the name of an output");
        parser_params(p, ARC_TOK_RPAREN, ARC_VAR_OUTPUT, &func->outputs, &func->n_outputs);
    }
    func->result_span = parser_span_from(p, func->result_span);
}

static void signature(struct parser *p, struct arc_func *func)
{
    func->ident = parser_expect_name(p, "the name of a function", &func->name_span);
    func->name = func->ident ? func->ident->text : "";
    parser_mark(p, ARC_MARK_CONFIG);
    if (parser_accept(p, ARC_TOK_LBRACE))
        parser_params(p, ARC_TOK_RBRACE, ARC_VAR_CONFIG, &func->config, &func->n_config);
    parser_mark(p, ARC_MARK_CALL);
    if (!parser_expect(p, ARC_TOK_LPAREN))
        return;
    parser_params(p, ARC_TOK_RPAREN, ARC_VAR_INPUT, &func->inputs, &func->n_inputs);
    outputs(p, func);
}

void parser_function(struct parser *p)
{
    struct arc_func *func = base_arena_new(p->arena, struct arc_func);
    bool had_error = p->had_error;
    p->had_error = false;
    func->span = func->name_span = parser_token(p)->span;
    parser_advance(p);
    signature(p, func);
    func->body = block(p);
    func->span = parser_span_from(p, func->span);
    func->is_broken = p->had_error;
    p->had_error |= had_error;
    if (func->ident == NULL)
        return;
    func->index = (uint32_t)p->program->n_funcs;
    *ARC_APPEND(p->arena, p->program->funcs, p->program->n_funcs) = func;
}
