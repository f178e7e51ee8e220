/* Paths through function bodies: does every one return, does every one call on without end.
 *
 * A function is endless when every path through it calls some endless function. That is a greatest
 * fixed point: all functions are taken for endless at first; one that has a path without such a
 * call is taken out, which may free its callers, until nothing changes. What is left can never
 * return.
 */
#include "arc/check_priv.h"

/* ---- Always returns ----------------------------------------------------------------------- */

static bool block_returns(const struct arc_block *block);

static bool if_returns(const struct arc_stmt *stmt)
{
    if (stmt->u.cond.otherwise == NULL || !block_returns(stmt->u.cond.otherwise))
        return false;
    for (size_t i = 0; i < stmt->u.cond.n_arms; i++) {
        if (!block_returns(stmt->u.cond.arms[i].block))
            return false;
    }
    return true;
}

static bool block_returns(const struct arc_block *block)
{
    for (size_t i = 0; i < block->n_stmts; i++) {
        const struct arc_stmt *stmt = block->stmts[i];
        if (stmt->kind == ARC_STMT_RETURN || (stmt->kind == ARC_STMT_IF && if_returns(stmt)))
            return true;
    }
    return false;
}

/* The closing brace: behind everything that may be wrong in the body. */
static struct arc_span body_end(const struct checker *c, const struct arc_func *func)
{
    struct arc_span span = func->body->span;
    const char *text = c->program->source->text;
    for (uint32_t i = span.start; i < span.end; i++)
        span.line += text[i] == '\n';
    span.start = span.end > span.start ? span.end - 1 : span.start;
    return span;
}

void check_returns(struct checker *c, struct arc_func *func)
{
    if (func->result.shape == ARC_SHAPE_NONE || check_is_error(func->result) ||
        block_returns(func->body))
        return;
    check_error(c, ARC_CODE_NONE, body_end(c, func), "function '%s' must return a %s on all paths",
                func->name, check_type_text(c, func->result));
}

/* ---- Endless recursion -------------------------------------------------------------------- */

struct paths {
    struct checker *c;
    bool *is_endless; /* per function */
};

static bool expr_calls(const struct paths *paths, const struct arc_expr *expr);

static bool any_calls(const struct paths *paths, struct arc_expr *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (expr_calls(paths, list[i]))
            return true;
    }
    return false;
}

static bool format_calls(const struct paths *paths, const struct arc_expr *expr)
{
    for (size_t i = 0; i < expr->u.format.n_parts; i++) {
        if (expr->u.format.parts[i].expr != NULL && expr_calls(paths, expr->u.format.parts[i].expr))
            return true;
    }
    return false;
}

/* Evaluating it calls an endless function whatever the values are. */
static bool expr_calls(const struct paths *paths, const struct arc_expr *expr)
{
    if (expr == NULL)
        return false;
    switch (expr->kind) {
    case ARC_EXPR_CALL:
        return (expr->u.call.func != NULL && paths->is_endless[expr->u.call.func->index]) ||
               any_calls(paths, expr->u.call.args, expr->u.call.n_args);
    case ARC_EXPR_LIB_CALL: return any_calls(paths, expr->u.lib_call.args, expr->u.lib_call.n_args);
    case ARC_EXPR_NEG:
    case ARC_EXPR_NOT:
    case ARC_EXPR_CAST:
    case ARC_EXPR_STR: return expr_calls(paths, expr->u.unary.operand);
    case ARC_EXPR_AND:
    case ARC_EXPR_OR: return expr_calls(paths, expr->u.binary.left);
    case ARC_EXPR_BINARY:
        return expr_calls(paths, expr->u.binary.left) || expr_calls(paths, expr->u.binary.right);
    case ARC_EXPR_INDEX:
        return expr_calls(paths, expr->u.index.base) || expr_calls(paths, expr->u.index.index);
    case ARC_EXPR_SLICE:
        return expr_calls(paths, expr->u.slice.base) || expr_calls(paths, expr->u.slice.from) ||
               expr_calls(paths, expr->u.slice.to);
    case ARC_EXPR_SERIES: return any_calls(paths, expr->u.series.elems, expr->u.series.n_elems);
    case ARC_EXPR_FORMAT: return format_calls(paths, expr);
    default: return false;
    }
}

/* How control leaves a piece of a body: every path calls; some path returns without; some goes on
 * behind. */
enum way { WAY_CALLS, WAY_RETURNS, WAY_GOES_ON };

static enum way block_way(const struct paths *paths, const struct arc_block *block);

static enum way if_way(const struct paths *paths, const struct arc_stmt *stmt)
{
    bool all_call = stmt->u.cond.otherwise != NULL;
    if (expr_calls(paths, stmt->u.cond.arms[0].cond))
        return WAY_CALLS;
    for (size_t i = 0; i < stmt->u.cond.n_arms; i++) {
        enum way way = block_way(paths, stmt->u.cond.arms[i].block);
        if (way == WAY_RETURNS)
            return way;
        all_call = all_call && way == WAY_CALLS;
    }
    if (stmt->u.cond.otherwise != NULL) {
        enum way way = block_way(paths, stmt->u.cond.otherwise);
        if (way == WAY_RETURNS)
            return way;
        all_call = all_call && way == WAY_CALLS;
    }
    return all_call ? WAY_CALLS : WAY_GOES_ON;
}

/* The body of a loop may not run at all, so only a return inside it counts. */
static enum way loop_way(const struct paths *paths, const struct arc_block *body)
{
    return block_way(paths, body) == WAY_RETURNS ? WAY_RETURNS : WAY_GOES_ON;
}

static enum way as_way(bool calls)
{
    return calls ? WAY_CALLS : WAY_GOES_ON;
}

static enum way statement_way(const struct paths *paths, const struct arc_stmt *stmt)
{
    switch (stmt->kind) {
    case ARC_STMT_DECL:
        /* A stateful variable is set once, in the first run only. */
        return as_way(stmt->u.decl.var->kind != ARC_VAR_STATE &&
                      expr_calls(paths, stmt->u.decl.value));
    case ARC_STMT_ASSIGN: return as_way(expr_calls(paths, stmt->u.assign.value));
    case ARC_STMT_WRITE: return as_way(expr_calls(paths, stmt->u.write.value));
    case ARC_STMT_SET_ELEM:
        return as_way(expr_calls(paths, stmt->u.set_elem.index) ||
                      expr_calls(paths, stmt->u.set_elem.value));
    case ARC_STMT_EXPR: return as_way(expr_calls(paths, stmt->u.expr));
    case ARC_STMT_RETURN: return expr_calls(paths, stmt->u.ret.value) ? WAY_CALLS : WAY_RETURNS;
    case ARC_STMT_IF: return if_way(paths, stmt);
    case ARC_STMT_FOR_RANGE:
        return expr_calls(paths, stmt->u.range.start) || expr_calls(paths, stmt->u.range.end) ||
                       expr_calls(paths, stmt->u.range.step)
                   ? WAY_CALLS
                   : loop_way(paths, stmt->u.range.body);
    case ARC_STMT_FOR_EACH:
        return expr_calls(paths, stmt->u.each.series) ? WAY_CALLS
                                                      : loop_way(paths, stmt->u.each.body);
    case ARC_STMT_FOR_WHILE:
        return expr_calls(paths, stmt->u.loop.cond) ? WAY_CALLS
                                                    : loop_way(paths, stmt->u.loop.body);
    default: return WAY_GOES_ON;
    }
}

static enum way block_way(const struct paths *paths, const struct arc_block *block)
{
    for (size_t i = 0; i < block->n_stmts; i++) {
        enum arc_stmt_kind kind = block->stmts[i]->kind;
        if (kind == ARC_STMT_BREAK || kind == ARC_STMT_CONTINUE)
            return WAY_GOES_ON;
        enum way way = statement_way(paths, block->stmts[i]);
        if (way != WAY_GOES_ON)
            return way;
    }
    return WAY_GOES_ON;
}

/* ---- The fixed point ---------------------------------------------------------------------- */

struct queue {
    uint32_t *list; /* a ring of n */
    bool *is_in;
    size_t n;
    size_t head;
    size_t count;
};

static void enqueue(struct queue *queue, uint32_t index)
{
    if (queue->is_in[index])
        return;
    queue->is_in[index] = true;
    queue->list[(queue->head + queue->count++) % queue->n] = index;
}

static uint32_t dequeue(struct queue *queue)
{
    uint32_t index = queue->list[queue->head];
    queue->head = (queue->head + 1) % queue->n;
    queue->count--;
    queue->is_in[index] = false;
    return index;
}

static void find_endless(struct checker *c, const struct paths *paths)
{
    size_t n = c->program->n_funcs;
    struct call_index index = check_call_index(c);
    struct queue queue = {.list = base_arena_array(c->arena, uint32_t, n),
                          .is_in = base_arena_array(c->arena, bool, n),
                          .n = n};
    for (size_t i = 0; i < n; i++) {
        paths->is_endless[i] = !c->program->funcs[i]->is_broken;
        enqueue(&queue, (uint32_t)i);
    }
    while (queue.count > 0) {
        uint32_t at = dequeue(&queue);
        if (paths->is_endless[at] && block_way(paths, c->program->funcs[at]->body) == WAY_CALLS)
            continue;
        if (!paths->is_endless[at] && !c->program->funcs[at]->is_broken)
            continue;
        paths->is_endless[at] = false;
        for (uint32_t i = index.first[at]; i < index.first[at + 1]; i++) {
            uint32_t caller = c->calls[index.sites[i]].caller->index;
            if (paths->is_endless[caller])
                enqueue(&queue, caller);
        }
    }
}

/* An endless function always has an endless callee; following them leads around a cycle. */
static struct arc_func *endless_callee(const struct paths *paths, const struct arc_func *func)
{
    for (size_t i = 0; i < func->n_callees; i++) {
        if (paths->is_endless[func->callees[i]->index])
            return func->callees[i];
    }
    return NULL;
}

static void report_cycle(struct checker *c, const struct paths *paths, struct arc_func *first,
                         bool *is_reported)
{
    const char *text = first->name;
    size_t n_named = 1;
    struct arc_func *func = first;
    do {
        is_reported[func->index] = true;
        func = endless_callee(paths, func);
        if (++n_named <= 10)
            text = base_arena_printf(c->arena, "%s -> %s", text, func->name);
        else if (n_named == 11)
            text = base_arena_printf(c->arena, "%s -> ...", text);
    } while (func != first);
    check_error(c, ARC_CODE_NONE, first->name_span,
                "these functions call each other without end: %s", text);
}

void check_recursion(struct checker *c)
{
    size_t n = c->program->n_funcs;
    struct paths paths = {c, base_arena_array(c->arena, bool, n)};
    bool *is_reported = base_arena_array(c->arena, bool, n);
    uint32_t *visit = base_arena_array(c->arena, uint32_t, n);
    if (n == 0)
        return;
    find_endless(c, &paths);
    for (size_t i = 0; i < n; i++) {
        struct arc_func *func = c->program->funcs[i];
        /* Walk until a function comes again in this walk: it is on a cycle. */
        while (func != NULL && paths.is_endless[func->index] && visit[func->index] == 0) {
            visit[func->index] = (uint32_t)i + 1;
            func = endless_callee(&paths, func);
        }
        if (func != NULL && visit[func->index] == i + 1 && !is_reported[func->index])
            report_cycle(c, &paths, func, is_reported);
    }
}
