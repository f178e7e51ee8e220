/* The tree is walked by one visitor: every expression, and every declaration in a body. It reads
 * only what is there in a tree with errors, too (arc_check_loosely()). */
#include "driver/lsp/check.h"

#include <stdlib.h>
#include <string.h>

struct lsp_check *lsp_check_new(const char *file, const char *text, size_t len,
                                const struct arc_chan_table *table)
{
    struct lsp_check *check = calloc(1, sizeof *check);
    ARCD_ASSERT(check != NULL);
    base_arena_init(&check->arena);
    struct base_arena *arena = &check->arena;
    check->source = (struct arc_source){base_arena_strdup(arena, file),
                                        base_arena_strndup(arena, text, len), len};
    arc_diags_init(&check->diags, arena, &check->source);
    check->program = arc_check_loosely(&check->source, table, arena, &check->diags);

    /* The parser keeps its tokens to itself; what the lexer has to say was said. */
    static const struct arc_source empty = {"", "", 0};
    const struct arc_source *source = check->program != NULL ? &check->source : &empty;
    struct arc_idents idents;
    struct arc_diags again;
    arc_idents_init(&idents, arena);
    arc_diags_init(&again, arena, source);
    check->tokens = arc_lex(source, &idents, arena, &again);
    return check;
}

void lsp_check_free(struct lsp_check *check)
{
    if (check == NULL)
        return;
    base_arena_fini(&check->arena);
    free(check);
}

/* ---- The walk ----------------------------------------------------------------------------- */

struct visitor {
    void (*expr)(struct visitor *v, const struct arc_expr *expr);
    void (*var)(struct visitor *v, const struct arc_var *var, struct arc_type declared);
    uint32_t offset;
    const char *name;
    size_t name_len;
    const struct arc_expr *found_expr;
    const struct arc_var *found_var;
    struct arc_type found_type;
};

static void walk_expr(struct visitor *v, const struct arc_expr *expr);
static void walk_block(struct visitor *v, const struct arc_block *block);
static void walk_scope(struct visitor *v, const struct arc_scope *scope);

static void walk_list(struct visitor *v, struct arc_expr *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        walk_expr(v, list[i]);
}

static void walk_parts(struct visitor *v, const struct arc_expr *expr)
{
    for (size_t i = 0; i < expr->u.format.n_parts; i++)
        walk_expr(v, expr->u.format.parts[i].expr);
}

static void walk_expr(struct visitor *v, const struct arc_expr *expr)
{
    if (expr == NULL)
        return;
    if (v->expr != NULL)
        v->expr(v, expr);
    switch (expr->kind) {
    case ARC_EXPR_NEG:
    case ARC_EXPR_NOT:
    case ARC_EXPR_CAST:
    case ARC_EXPR_STR: walk_expr(v, expr->u.unary.operand); break;
    case ARC_EXPR_BINARY:
    case ARC_EXPR_AND:
    case ARC_EXPR_OR:
        walk_expr(v, expr->u.binary.left);
        walk_expr(v, expr->u.binary.right);
        break;
    case ARC_EXPR_CALL: walk_list(v, expr->u.call.args, expr->u.call.n_args); break;
    case ARC_EXPR_LIB_CALL: walk_list(v, expr->u.lib_call.args, expr->u.lib_call.n_args); break;
    case ARC_EXPR_INDEX:
        walk_expr(v, expr->u.index.base);
        walk_expr(v, expr->u.index.index);
        break;
    case ARC_EXPR_SLICE:
        walk_expr(v, expr->u.slice.base);
        walk_expr(v, expr->u.slice.from);
        walk_expr(v, expr->u.slice.to);
        break;
    case ARC_EXPR_SERIES: walk_list(v, expr->u.series.elems, expr->u.series.n_elems); break;
    case ARC_EXPR_FORMAT: walk_parts(v, expr); break;
    default: break;
    }
}

static void walk_var(struct visitor *v, const struct arc_var *var, struct arc_type declared)
{
    if (var != NULL && v->var != NULL)
        v->var(v, var, declared);
}

static void walk_if(struct visitor *v, const struct arc_stmt *stmt)
{
    for (size_t i = 0; i < stmt->u.cond.n_arms; i++) {
        walk_expr(v, stmt->u.cond.arms[i].cond);
        walk_block(v, stmt->u.cond.arms[i].block);
    }
    walk_block(v, stmt->u.cond.otherwise);
}

static void walk_range(struct visitor *v, const struct arc_stmt *stmt)
{
    walk_var(v, stmt->u.range.var, (struct arc_type){0});
    walk_expr(v, stmt->u.range.start);
    walk_expr(v, stmt->u.range.end);
    walk_expr(v, stmt->u.range.step);
    walk_block(v, stmt->u.range.body);
}

static void walk_each(struct visitor *v, const struct arc_stmt *stmt)
{
    walk_var(v, stmt->u.each.index, (struct arc_type){0});
    walk_var(v, stmt->u.each.value, (struct arc_type){0});
    walk_expr(v, stmt->u.each.series);
    walk_block(v, stmt->u.each.body);
}

static void walk_stmt(struct visitor *v, const struct arc_stmt *stmt)
{
    switch (stmt->kind) {
    case ARC_STMT_NOTHING: /* a declared alias */
    case ARC_STMT_DECL:
        walk_var(v, stmt->u.decl.var, stmt->u.decl.declared);
        walk_expr(v, stmt->u.decl.value);
        break;
    case ARC_STMT_ASSIGN: walk_expr(v, stmt->u.assign.value); break;
    case ARC_STMT_WRITE: walk_expr(v, stmt->u.write.value); break;
    case ARC_STMT_SET_ELEM:
        walk_expr(v, stmt->u.set_elem.index);
        walk_expr(v, stmt->u.set_elem.value);
        break;
    case ARC_STMT_IF: walk_if(v, stmt); break;
    case ARC_STMT_FOR_RANGE: walk_range(v, stmt); break;
    case ARC_STMT_FOR_EACH: walk_each(v, stmt); break;
    case ARC_STMT_FOR_WHILE:
        walk_expr(v, stmt->u.loop.cond);
        walk_block(v, stmt->u.loop.body);
        break;
    case ARC_STMT_RETURN: walk_expr(v, stmt->u.ret.value); break;
    case ARC_STMT_EXPR: walk_expr(v, stmt->u.expr); break;
    case ARC_STMT_BREAK:
    case ARC_STMT_CONTINUE: break;
    }
}

static void walk_block(struct visitor *v, const struct arc_block *block)
{
    for (size_t i = 0; block != NULL && i < block->n_stmts; i++)
        walk_stmt(v, block->stmts[i]);
}

static void walk_params(struct visitor *v, struct arc_var *const *params, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        walk_var(v, params[i], params[i]->type);
        walk_expr(v, params[i]->def_expr);
    }
}

static void walk_func(struct visitor *v, const struct arc_func *func)
{
    walk_params(v, func->config, func->n_config);
    walk_params(v, func->inputs, func->n_inputs);
    walk_params(v, func->outputs, func->n_outputs);
    walk_block(v, func->body);
}

static void walk_elem(struct visitor *v, const struct arc_elem *elem)
{
    walk_expr(v, elem->expr);
    for (size_t i = 0; i < elem->n_args; i++)
        walk_expr(v, elem->args[i].value);
    if (elem->scope != NULL)
        walk_scope(v, elem->scope);
    for (size_t i = 0; i < elem->n_entries; i++) {
        for (size_t k = 0; k < elem->entries[i].n_elems; k++)
            walk_elem(v, &elem->entries[i].elems[k]);
    }
}

static void walk_scope(struct visitor *v, const struct arc_scope *scope)
{
    for (size_t i = 0; i < scope->n_items; i++) {
        if (scope->items[i].scope != NULL)
            walk_scope(v, scope->items[i].scope);
        const struct arc_flow *flow = scope->items[i].flow;
        for (size_t k = 0; flow != NULL && k < flow->n_elems; k++)
            walk_elem(v, &flow->elems[k]);
    }
}

static void walk_program(struct visitor *v, const struct arc_program *program)
{
    for (size_t i = 0; i < program->n_consts; i++)
        walk_expr(v, program->consts[i]->expr);
    for (size_t i = 0; i < program->n_funcs; i++)
        walk_func(v, program->funcs[i]);
    walk_scope(v, program->root);
}

/* ---- Questions ---------------------------------------------------------------------------- */

static bool has_type(const struct arc_expr *expr)
{
    switch (expr->type.shape) {
    case ARC_SHAPE_NONE:
    case ARC_SHAPE_ERROR:
    case ARC_SHAPE_LITERAL: return false;
    default: return true;
    }
}

static void find_expr(struct visitor *v, const struct arc_expr *expr)
{
    if (v->offset < expr->span.start || v->offset >= expr->span.end || !has_type(expr))
        return;
    const struct arc_expr *found = v->found_expr;
    if (found == NULL || expr->span.end - expr->span.start <= found->span.end - found->span.start)
        v->found_expr = expr;
}

const struct arc_expr *lsp_check_expr_at(const struct lsp_check *check, uint32_t offset)
{
    struct visitor v = {.expr = find_expr, .offset = offset};
    walk_program(&v, check->program);
    return v.found_expr;
}

static void find_var_at(struct visitor *v, const struct arc_var *var, struct arc_type declared)
{
    if (var->span.start != v->offset || var->span.end == var->span.start)
        return;
    v->found_var = var;
    v->found_type = declared;
}

const struct arc_var *lsp_check_var_at(const struct lsp_check *check, uint32_t offset)
{
    struct visitor v = {.var = find_var_at, .offset = offset};
    walk_program(&v, check->program);
    return v.found_var;
}

struct arc_type lsp_check_var_type(const struct lsp_check *check, const struct arc_var *var)
{
    if (var->type.shape != ARC_SHAPE_NONE)
        return var->type;
    struct visitor v = {.var = find_var_at, .offset = var->span.start};
    walk_program(&v, check->program);
    return v.found_type;
}

const struct arc_func *lsp_check_func(const struct lsp_check *check, const char *name, size_t len)
{
    for (size_t i = 0; i < check->program->n_funcs; i++) {
        const struct arc_func *func = check->program->funcs[i];
        if (func->ident->len == len && memcmp(func->name, name, len) == 0)
            return func;
    }
    return NULL;
}

static void find_var_named(struct visitor *v, const struct arc_var *var, struct arc_type declared)
{
    (void)declared;
    if (v->found_var == NULL && strlen(var->name) == v->name_len &&
        memcmp(var->name, v->name, v->name_len) == 0)
        v->found_var = var;
}

const struct arc_var *lsp_check_var(const struct lsp_check *check, const struct arc_func *func,
                                    const char *name, size_t len)
{
    (void)check;
    struct visitor v = {.var = find_var_named, .name = name, .name_len = len};
    walk_func(&v, func);
    return v.found_var;
}

/* ---- Comments ----------------------------------------------------------------------------- */

/* The comment that begins a line and ends in the line before `line_start`; NULL: none. */
static const struct arc_comment *comment_before(const struct lsp_check *check, uint32_t line_start)
{
    const char *text = check->source.text;
    const struct arc_tokens *tokens = &check->tokens;
    size_t low = 0, high = tokens->n_comments;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tokens->comments[middle].span.end <= line_start)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    const struct arc_comment *comment = &tokens->comments[low - 1];
    for (uint32_t at = comment->span.end; at < line_start; at++) {
        bool is_last = at + 1 == line_start;
        if (text[at] != ' ' && text[at] != '\t' && text[at] != '\r' && !is_last)
            return NULL;
    }
    for (uint32_t at = comment->span.start; at > 0 && text[at - 1] != '\n'; at--) {
        if (text[at - 1] != ' ' && text[at - 1] != '\t')
            return NULL;
    }
    return comment;
}

static uint32_t start_of_line(const char *text, uint32_t offset)
{
    while (offset > 0 && text[offset - 1] != '\n')
        offset--;
    return offset;
}

static const char *comment_text(const struct lsp_check *check, struct base_arena *arena,
                                const struct arc_comment *comment)
{
    const char *text = check->source.text + comment->span.start;
    size_t len = comment->span.end - comment->span.start;
    bool is_block = len >= 4 && text[1] == '*';
    text += 2;
    len -= is_block ? 4 : 2;
    while (len > 0 && (*text == ' ' || *text == '/')) {
        text++;
        len--;
    }
    while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\r'))
        len--;
    return base_arena_strndup(arena, text, len);
}

const char *lsp_check_comment_above(struct lsp_check *check, struct base_arena *arena,
                                    uint32_t offset)
{
    enum { MOST_LINES = 20 };
    const char *above = NULL;
    uint32_t line_start = start_of_line(check->source.text, offset);
    for (int i = 0; i < MOST_LINES && line_start > 0; i++) {
        const struct arc_comment *comment = comment_before(check, line_start);
        if (comment == NULL)
            break;
        const char *text = comment_text(check, arena, comment);
        above = above == NULL ? text : base_arena_printf(arena, "%s\n%s", text, above);
        line_start = start_of_line(check->source.text, comment->span.start);
    }
    return above;
}
