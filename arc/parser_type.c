/* Types, parameters and literals. */
#include "arc/parser_priv.h"

#include "arc/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Types -------------------------------------------------------------------------------- */

static enum telem_type prim_of(enum arc_token_kind kind)
{
    switch (kind) {
#define PRIM(NAME, name, ctype, bytes)                                                             \
    case ARC_TOK_##NAME: return TELEM_##NAME;
        TELEM_NUMBER_TYPES(PRIM)
#undef PRIM
    case ARC_TOK_STR: return TELEM_STR;
    default: return TELEM_TYPE_COUNT;
    }
}

bool parser_is_type_start(enum arc_token_kind kind)
{
    return kind == ARC_TOK_CHAN || kind == ARC_TOK_SERIES || prim_of(kind) != TELEM_TYPE_COUNT;
}

static const struct arc_unit *find_unit(struct parser *p, const char *name, size_t len,
                                        struct arc_span span)
{
    const struct arc_unit *unit = arc_unit_find(name, len);
    if (unit == NULL)
        parser_complain(p, span, "unknown unit '%s'", arc_text_printable(p->arena, name, len));
    return unit;
}

static const struct arc_unit *type_unit(struct parser *p, enum telem_type prim)
{
    if (parser_kind(p) != ARC_TOK_IDENT)
        return NULL;
    const struct arc_token *token = parser_token(p);
    parser_advance(p);
    if (prim == TELEM_STR) {
        parser_complain(p, token->span, "a str has no unit");
        return NULL;
    }
    return find_unit(p, token->ident->text, token->ident->len, token->span);
}

static const enum arc_shape shapes[2][2] = {
    {ARC_SHAPE_SCALAR, ARC_SHAPE_SERIES},
    {ARC_SHAPE_CHAN, ARC_SHAPE_CHAN_SERIES},
};

/* ARC_SHAPE_NONE after an error. */
struct arc_type parser_type(struct parser *p)
{
    bool is_chan = parser_accept(p, ARC_TOK_CHAN);
    bool is_series = parser_accept(p, ARC_TOK_SERIES);
    enum telem_type prim = prim_of(parser_kind(p));
    if (p->is_lost || prim == TELEM_TYPE_COUNT) {
        parser_unexpected(p, "a type");
        return (struct arc_type){0};
    }
    parser_advance(p);
    return arc_type_make(shapes[is_chan][is_series], prim, type_unit(p, prim));
}

/* ---- Parameters --------------------------------------------------------------------------- */

static struct arc_var *param(struct parser *p, enum arc_var_kind kind)
{
    struct arc_var *var = base_arena_new(p->arena, struct arc_var);
    var->kind = kind;
    var->ident = parser_expect_name(p, "the name of a parameter", &var->span);
    if (var->ident == NULL)
        return NULL;
    var->name = var->ident->text;
    var->type = parser_type(p);
    if (kind != ARC_VAR_OUTPUT && parser_accept(p, ARC_TOK_ASSIGN)) {
        var->has_default = true;
        var->def_expr = parser_literal(p);
    }
    return p->is_lost ? NULL : var;
}

void parser_params(struct parser *p, enum arc_token_kind close, enum arc_var_kind kind,
                   struct arc_var ***list, size_t *n)
{
    while (parser_list_goes_on(p, close)) {
        struct arc_var *var = param(p, kind);
        if (var == NULL)
            return;
        *ARC_APPEND(p->arena, *list, *n) = var;
        if (!parser_accept(p, ARC_TOK_COMMA))
            break;
    }
    if (parser_accept(p, close))
        return;
    parser_unexpected(p, close == ARC_TOK_RPAREN ? "',' or ')'" : "',' or '}'");
}

/* ---- Literals ----------------------------------------------------------------------------- */

/* The digits without their point, and how many stood behind it: strtod() on "314e-2" does not
 * depend on the decimal point of the locale. */
static double real_value(struct parser *p, const char *text, size_t len)
{
    char *digits = base_arena_alloc(p->arena, len + 32, 1);
    size_t n = 0;
    size_t n_behind = 0;
    bool is_behind = false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '.') {
            is_behind = true;
            continue;
        }
        digits[n++] = text[i];
        n_behind += is_behind;
    }
    snprintf(digits + n, 32, "e-%zu", n_behind);
    return strtod(digits, NULL);
}

/* False: more than 2^63, the largest magnitude that any literal can have. */
static bool whole_value(const char *text, size_t len, uint64_t *value)
{
    const uint64_t limit = (uint64_t)1 << 63;
    *value = 0;
    for (size_t i = 0; i < len; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (*value > (limit - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return true;
}

static struct arc_span unit_span(const struct arc_token *token)
{
    return (struct arc_span){token->span.end - token->unit_len, token->span.end, token->span.line};
}

struct arc_expr *parser_number(struct parser *p)
{
    const struct arc_token *token = parser_token(p);
    struct arc_expr *expr = parser_new_expr(p, ARC_EXPR_LITERAL, token->span);
    struct arc_number *raw = &expr->u.literal.raw;
    const char *text = token->text;
    size_t len = token->len - token->unit_len;
    expr->is_untyped = true;
    expr->type.shape = ARC_SHAPE_LITERAL;
    raw->is_float = token->kind == ARC_TOK_FLOAT;
    raw->real = real_value(p, text, len);
    if (!raw->is_float && !whole_value(text, len, &raw->magnitude))
        parser_complain(p, token->span, "'%s' does not fit i64 (range %s)",
                        arc_text_printable(p->arena, text, len), arc_prim_range_text(TELEM_I64));
    if (isinf(raw->real))
        parser_complain(p, token->span, "'%s' does not fit f64",
                        arc_text_printable(p->arena, text, len));
    if (token->unit_len > 0)
        raw->unit = find_unit(p, text + len, token->unit_len, unit_span(token));
    parser_advance(p);
    return expr;
}

struct arc_expr *parser_literal(struct parser *p)
{
    struct arc_span start = parser_token(p)->span;
    if (parser_kind(p) == ARC_TOK_STRING)
        return parser_string(p);
    parser_mark(p, ARC_MARK_UNARY);
    bool is_negative = parser_accept(p, ARC_TOK_MINUS);
    if (p->is_lost || (parser_kind(p) != ARC_TOK_INT && parser_kind(p) != ARC_TOK_FLOAT)) {
        parser_unexpected(p, is_negative ? "a number" : "a literal: a number or a string");
        return NULL;
    }
    struct arc_expr *expr = parser_number(p);
    if (is_negative)
        parser_negate(expr, start);
    return expr;
}
