/* Expressions: precedence climbing for the binary operators, recursion for the rest.
 *
 * White space ends nothing, so an expression goes on as long as the next token can continue it.
 */
#include "arc/parser_priv.h"

struct arc_expr *parser_new_expr(struct parser *p, enum arc_expr_kind kind, struct arc_span span)
{
    struct arc_expr *expr = base_arena_new(p->arena, struct arc_expr);
    expr->kind = kind;
    expr->span = span;
    expr->depth = 1;
    return expr;
}

static struct arc_expr *error_expr(struct parser *p)
{
    struct arc_expr *expr = parser_new_expr(p, ARC_EXPR_ERROR, parser_token(p)->span);
    expr->type.shape = ARC_SHAPE_ERROR;
    return expr;
}

/* Every part of an expression passes here, so that no tree is deeper than ARC_DEPTH_TREE. */
static void adopt(struct parser *p, struct arc_expr *parent, const struct arc_expr *child)
{
    if (child->depth < parent->depth)
        return;
    parent->depth = (uint16_t)(child->depth + 1);
    if (parent->depth <= ARC_DEPTH_TREE)
        return;
    parent->depth = ARC_DEPTH_TREE;
    parser_error(p, parent->span, "the expression is too long: more than %d operators in a row",
                 ARC_DEPTH_TREE);
}

/* ---- Primaries ---------------------------------------------------------------------------- */

bool parser_is_qualified(const struct parser *p)
{
    enum arc_token_kind first = parser_kind(p);
    enum arc_token_kind third = parser_kind_ahead(p, 2);
    if (parser_kind_ahead(p, 1) != ARC_TOK_DOT)
        return false;
    return (first == ARC_TOK_IDENT && (third == ARC_TOK_IDENT || third == ARC_TOK_FOR)) ||
           (first == ARC_TOK_AUTHORITY && third == ARC_TOK_IDENT);
}

/* An identifier or a qualified name. */
struct arc_expr *parser_name_expr(struct parser *p)
{
    const struct arc_token *token = parser_token(p);
    if (!parser_is_qualified(p)) {
        struct arc_expr *expr = parser_new_expr(p, ARC_EXPR_NAME, token->span);
        expr->u.name = parser_expect_name(p, "a name", NULL);
        return expr->u.name ? expr : error_expr(p);
    }
    struct arc_expr *expr = parser_new_expr(p, ARC_EXPR_MEMBER, token->span);
    expr->u.member.module = token->ident;
    expr->u.member.name = p->tokens[p->at + 2].ident;
    for (int i = 0; i < 3; i++)
        parser_advance(p);
    expr->span = parser_span_from(p, token->span);
    *ARC_APPEND(p->arena, p->program->members, p->program->n_members) = expr;
    return expr;
}

static void expr_list(struct parser *p, enum arc_token_kind close, struct arc_expr *parent,
                      struct arc_expr ***list, size_t *n)
{
    while (parser_list_goes_on(p, close)) {
        struct arc_expr *elem = parser_expr(p);
        adopt(p, parent, elem);
        *ARC_APPEND(p->arena, *list, *n) = elem;
        if (!parser_accept(p, ARC_TOK_COMMA))
            break;
    }
    if (!parser_accept(p, close))
        parser_unexpected(p, close == ARC_TOK_RPAREN ? "',' or ')'" : "',' or ']'");
    parent->span = parser_span_from(p, parent->span);
}

static struct arc_expr *series(struct parser *p)
{
    struct arc_expr *expr = parser_new_expr(p, ARC_EXPR_SERIES, parser_token(p)->span);
    parser_advance(p);
    expr_list(p, ARC_TOK_RBRACKET, expr, &expr->u.series.elems, &expr->u.series.n_elems);
    return expr;
}

static struct arc_expr *cast(struct parser *p)
{
    struct arc_expr *expr = parser_new_expr(p, ARC_EXPR_CAST, parser_token(p)->span);
    expr->type = parser_type(p);
    parser_mark(p, ARC_MARK_CALL);
    if (!parser_expect(p, ARC_TOK_LPAREN))
        return error_expr(p);
    expr->u.unary.operand = parser_expr(p);
    adopt(p, expr, expr->u.unary.operand);
    parser_expect(p, ARC_TOK_RPAREN);
    expr->span = parser_span_from(p, expr->span);
    return expr;
}

static struct arc_expr *parenthesized(struct parser *p)
{
    struct arc_span span = parser_token(p)->span;
    parser_advance(p);
    struct arc_expr *expr = parser_expr(p);
    parser_expect(p, ARC_TOK_RPAREN);
    expr->is_parenthesized = true;
    expr->span = parser_span_from(p, span);
    return expr;
}

static struct arc_expr *primary(struct parser *p)
{
    if (p->is_lost)
        return error_expr(p);
    if (parser_is_type_start(parser_kind(p)))
        return cast(p);
    switch (parser_kind(p)) {
    case ARC_TOK_INT:
    case ARC_TOK_FLOAT: return parser_number(p);
    case ARC_TOK_STRING: return parser_string(p);
    case ARC_TOK_LBRACKET: return series(p);
    case ARC_TOK_LPAREN: return parenthesized(p);
    case ARC_TOK_IDENT: return parser_name_expr(p);
    case ARC_TOK_AUTHORITY:
        if (parser_is_qualified(p))
            return parser_name_expr(p);
        break;
    default: break;
    }
    parser_unexpected(p, "an expression");
    return error_expr(p);
}

/* ---- Calls, indexes, slices --------------------------------------------------------------- */

static struct arc_expr *call(struct parser *p, struct arc_expr *callee)
{
    struct arc_expr *expr = parser_new_expr(p, ARC_EXPR_CALL, callee->span);
    expr->u.call.callee = callee;
    adopt(p, expr, callee);
    parser_advance(p);
    expr_list(p, ARC_TOK_RPAREN, expr, &expr->u.call.args, &expr->u.call.n_args);
    return expr;
}

static struct arc_expr *slice(struct parser *p, struct arc_expr *base, struct arc_expr *from)
{
    struct arc_expr *expr = parser_new_expr(p, ARC_EXPR_SLICE, base->span);
    expr->u.slice.base = base;
    expr->u.slice.from = from;
    adopt(p, expr, base);
    if (from != NULL)
        adopt(p, expr, from);
    if (!p->is_lost && parser_kind(p) != ARC_TOK_RBRACKET) {
        expr->u.slice.to = parser_expr(p);
        adopt(p, expr, expr->u.slice.to);
    }
    return expr;
}

static struct arc_expr *index_or_slice(struct parser *p, struct arc_expr *base)
{
    parser_advance(p);
    struct arc_expr *first = parser_kind(p) == ARC_TOK_COLON ? NULL : parser_expr(p);
    struct arc_expr *expr;
    if (parser_accept(p, ARC_TOK_COLON)) {
        expr = slice(p, base, first);
    } else {
        expr = parser_new_expr(p, ARC_EXPR_INDEX, base->span);
        expr->u.index.base = base;
        expr->u.index.index = first ? first : error_expr(p);
        adopt(p, expr, base);
        adopt(p, expr, expr->u.index.index);
    }
    parser_expect(p, ARC_TOK_RBRACKET);
    expr->span = parser_span_from(p, base->span);
    return expr;
}

static struct arc_expr *postfix(struct parser *p)
{
    struct arc_expr *expr = primary(p);
    while (!p->is_lost) {
        parser_mark(p, ARC_MARK_CALL);
        if (parser_kind(p) == ARC_TOK_LPAREN)
            expr = call(p, expr);
        else if (parser_kind(p) == ARC_TOK_LBRACKET)
            expr = index_or_slice(p, expr);
        else
            break;
    }
    return expr;
}

/* ---- Operators ---------------------------------------------------------------------------- */

static struct arc_expr *unary(struct parser *p);

static struct arc_expr *binary(struct parser *p, enum arc_expr_kind kind, enum arc_op op,
                               struct arc_span op_span, struct arc_expr *left,
                               struct arc_expr *right)
{
    struct arc_expr *expr = parser_new_expr(p, kind, parser_span_from(p, left->span));
    expr->u.binary.op = op;
    expr->u.binary.op_span = op_span;
    expr->u.binary.left = left;
    expr->u.binary.right = right;
    adopt(p, expr, left);
    adopt(p, expr, right);
    return expr;
}

/* a ^ b, where b may be signed and groups to the right. */
static struct arc_expr *power(struct parser *p)
{
    struct arc_expr *base = postfix(p);
    if (p->is_lost || parser_kind(p) != ARC_TOK_CARET)
        return base;
    struct arc_span op_span = parser_token(p)->span;
    parser_advance(p);
    return binary(p, ARC_EXPR_BINARY, ARC_BIN_POW, op_span, base, unary(p));
}

void parser_negate(struct arc_expr *number, struct arc_span minus)
{
    struct arc_number *raw = &number->u.literal.raw;
    raw->is_negative = !raw->is_negative;
    raw->real = -raw->real;
    number->is_signed = true;
    number->span = (struct arc_span){minus.start, number->span.end, minus.line};
}

static struct arc_expr *prefixed(struct parser *p, enum arc_expr_kind kind)
{
    struct arc_span span = parser_token(p)->span;
    parser_mark(p, ARC_MARK_UNARY);
    parser_advance(p);
    struct arc_expr *operand = unary(p);
    if (kind == ARC_EXPR_NEG && operand->kind == ARC_EXPR_LITERAL && operand->is_untyped) {
        parser_negate(operand, span);
        return operand;
    }
    struct arc_expr *expr = parser_new_expr(p, kind, parser_span_from(p, span));
    expr->u.unary.operand = operand;
    adopt(p, expr, operand);
    return expr;
}

/* Nesting is counted here: parentheses, brackets, calls, signs and powers all come through. */
static struct arc_expr *unary(struct parser *p)
{
    if (p->is_lost || !parser_enter(p))
        return error_expr(p);
    struct arc_expr *expr;
    if (parser_kind(p) == ARC_TOK_MINUS)
        expr = prefixed(p, ARC_EXPR_NEG);
    else if (parser_kind(p) == ARC_TOK_NOT)
        expr = prefixed(p, ARC_EXPR_NOT);
    else
        expr = power(p);
    parser_leave(p);
    return expr;
}

/* 0: no binary operator. */
static int precedence(enum arc_token_kind kind)
{
    switch (kind) {
    case ARC_TOK_OR: return 1;
    case ARC_TOK_AND: return 2;
    case ARC_TOK_EQ:
    case ARC_TOK_NE: return 3;
    case ARC_TOK_LT:
    case ARC_TOK_LE:
    case ARC_TOK_GT:
    case ARC_TOK_GE: return 4;
    case ARC_TOK_PLUS:
    case ARC_TOK_MINUS: return 5;
    case ARC_TOK_STAR:
    case ARC_TOK_SLASH:
    case ARC_TOK_PERCENT: return 6;
    default: return 0;
    }
}

static enum arc_op op_of(enum arc_token_kind kind)
{
    switch (kind) {
    case ARC_TOK_EQ: return ARC_BIN_EQ;
    case ARC_TOK_NE: return ARC_BIN_NE;
    case ARC_TOK_LT: return ARC_BIN_LT;
    case ARC_TOK_LE: return ARC_BIN_LE;
    case ARC_TOK_GT: return ARC_BIN_GT;
    case ARC_TOK_GE: return ARC_BIN_GE;
    case ARC_TOK_MINUS: return ARC_BIN_SUB;
    case ARC_TOK_STAR: return ARC_BIN_MUL;
    case ARC_TOK_SLASH: return ARC_BIN_DIV;
    case ARC_TOK_PERCENT: return ARC_BIN_MOD;
    default: return ARC_BIN_ADD;
    }
}

/* Operators of precedence `lowest` and above. Recurses at most once per level of precedence. */
static struct arc_expr *operators(struct parser *p, int lowest)
{
    struct arc_expr *left = unary(p);
    while (!p->is_lost) {
        const struct arc_token *op = parser_token(p);
        int level = precedence(op->kind);
        if (level == 0 || level < lowest)
            break;
        parser_advance(p);
        struct arc_expr *right = operators(p, level + 1);
        enum arc_expr_kind kind = op->kind == ARC_TOK_OR    ? ARC_EXPR_OR
                                  : op->kind == ARC_TOK_AND ? ARC_EXPR_AND
                                                            : ARC_EXPR_BINARY;
        left = binary(p, kind, op_of(op->kind), op->span, left, right);
    }
    return left;
}

struct arc_expr *parser_expr(struct parser *p)
{
    return operators(p, 1);
}
