/* Expressions: names, indexes, series, format strings. Operators and calls have files of their own.
 */
#include "arc/check_priv.h"

#include <string.h>

/* ---- Channels ----------------------------------------------------------------------------- */

void check_note_read(struct checker *c, struct arc_chan_ref ref)
{
    if (ref.param != NULL)
        ref.param->chan_is_read = true;
    else if (c->func != NULL)
        check_chan_set_add(c, &c->func->reads, ref.channel->index);
}

void check_note_write(struct checker *c, struct arc_chan_ref ref)
{
    if (ref.param != NULL)
        ref.param->chan_is_written = true;
    else if (c->func != NULL)
        check_chan_set_add(c, &c->func->writes, ref.channel->index);
}

static bool is_channel_var(struct arc_var *var, struct arc_chan_ref *ref)
{
    if (var->kind == ARC_VAR_ALIAS) {
        *ref = var->alias;
        return true;
    }
    *ref = (struct arc_chan_ref){.param = var};
    return arc_type_is_chan(var->type);
}

bool check_is_channel_name(struct checker *c, const struct arc_expr *expr, struct arc_chan_ref *ref,
                           struct arc_type *type)
{
    if (expr->kind != ARC_EXPR_NAME)
        return false;
    struct arc_ident *ident = expr->u.name;
    if (ident->local != NULL) {
        *type = ident->local->type;
        return is_channel_var(ident->local, ref);
    }
    if (ident->symbol != NULL)
        return false;
    *ref = (struct arc_chan_ref){.channel = check_channel(c, ident)};
    if (ref->channel == NULL)
        return false;
    *type = ref->channel->type;
    type->shape = ARC_SHAPE_CHAN;
    return true;
}

static void make_read(struct checker *c, struct arc_expr *expr, struct arc_chan_ref ref,
                      struct arc_type type)
{
    expr->kind = ARC_EXPR_READ;
    expr->u.chan = ref;
    expr->type = arc_type_element(type);
    if (type.shape == ARC_SHAPE_CHAN_SERIES)
        expr->type.shape = ARC_SHAPE_SERIES;
    check_note_read(c, ref);
}

/* ---- Names -------------------------------------------------------------------------------- */

static void make_constant(struct arc_expr *expr, const struct arc_const *constant)
{
    if (constant->is_broken) {
        expr->type = check_error_type();
        return;
    }
    expr->kind = ARC_EXPR_LITERAL;
    expr->is_constant = true;
    expr->u.literal.value = constant->value;
    expr->u.literal.raw = (struct arc_number){0};
    expr->type = constant->value.type;
}

static void no_value(struct checker *c, struct arc_expr *expr, const struct arc_symbol *symbol)
{
    check_excuse_import(symbol);
    const char *name = expr->u.name->text;
    struct arc_diag *diag = NULL;
    switch (symbol->kind) {
    case ARC_SYM_FUNC:
        diag = check_error(c, ARC_CODE_TYPE, expr->span, "'%s' is a function, not a value", name);
        check_hint(c, diag, "call it: %s()", name);
        break;
    case ARC_SYM_SCOPE:
        check_error(c, ARC_CODE_TYPE, expr->span, "'%s' is a %s, not a value", name,
                    symbol->u.scope->kind == ARC_SCOPE_STAGE ? "stage" : "sequence");
        break;
    default:
        check_error(c, ARC_CODE_TYPE, expr->span, "'%s' is a module, not a value", name);
        break;
    }
    expr->type = check_error_type();
}

static void check_name(struct checker *c, struct arc_expr *expr)
{
    struct arc_ident *ident = expr->u.name;
    struct arc_chan_ref ref;
    struct arc_type type;
    if (check_is_channel_name(c, expr, &ref, &type)) {
        make_read(c, expr, ref, type);
    } else if (ident->local != NULL) {
        expr->kind = ARC_EXPR_VAR;
        expr->u.var = ident->local;
        expr->type = ident->local->type;
    } else if (ident->symbol != NULL && ident->symbol->kind == ARC_SYM_CONST) {
        make_constant(expr, ident->symbol->u.constant);
    } else if (ident->symbol != NULL) {
        no_value(c, expr, ident->symbol);
    } else {
        check_undefined(c, ident, expr->span);
        expr->type = check_error_type();
    }
}

static void check_member_value(struct checker *c, struct arc_expr *expr)
{
    const struct arc_lib_member *member = check_lib_member(c, expr);
    if (member != NULL) {
        const char *name = check_lib_name(c, member);
        struct arc_diag *diag =
            check_error(c, ARC_CODE_TYPE, expr->span, "'%s' is a function, not a value", name);
        check_hint(c, diag, member->use & ARC_USE_CALL ? "call it: %s()" : "write %s{} in a flow",
                   name);
    }
    expr->type = check_error_type();
}

/* ---- Index and slice ---------------------------------------------------------------------- */

static bool check_index_value(struct checker *c, struct arc_expr *index)
{
    check_value(c, index);
    check_settle(c, index, arc_type_scalar(TELEM_I64));
    if (check_is_error(index->type))
        return false;
    if (arc_type_is_number(index->type) && telem_type_is_integer(index->type.prim))
        return true;
    check_error(c, ARC_CODE_TYPE, index->span, "an index must be an integer, got %s",
                check_type_text(c, index->type));
    return false;
}

static bool check_indexable(struct checker *c, const struct arc_expr *base)
{
    struct arc_type type = base->type;
    if (check_is_error(type))
        return false;
    if (type.shape == ARC_SHAPE_SERIES ||
        (type.shape == ARC_SHAPE_SCALAR && type.prim == TELEM_STR))
        return true;
    check_error(c, ARC_CODE_TYPE, base->span,
                "cannot index %s: only a series or a str has elements", check_type_text(c, type));
    return false;
}

static void check_index(struct checker *c, struct arc_expr *expr)
{
    struct arc_expr *base = expr->u.index.base;
    check_typed_value(c, base);
    bool is_good = check_indexable(c, base);
    is_good = check_index_value(c, expr->u.index.index) && is_good;
    if (!is_good)
        expr->type = check_error_type();
    else if (base->type.shape == ARC_SHAPE_SERIES)
        expr->type = arc_type_element(base->type);
    else
        expr->type = arc_type_scalar(TELEM_U8);
}

static void check_slice(struct checker *c, struct arc_expr *expr)
{
    struct arc_expr *base = expr->u.slice.base;
    check_typed_value(c, base);
    bool is_good = check_indexable(c, base);
    if (expr->u.slice.from != NULL)
        is_good = check_index_value(c, expr->u.slice.from) && is_good;
    if (expr->u.slice.to != NULL)
        is_good = check_index_value(c, expr->u.slice.to) && is_good;
    expr->type = is_good ? base->type : check_error_type();
}

/* ---- Series ------------------------------------------------------------------------------- */

/* The first element that is no literal rules; NULL: all are literals. */
static const struct arc_expr *ruling_element(const struct arc_expr *series)
{
    for (size_t i = 0; i < series->u.series.n_elems; i++) {
        const struct arc_expr *elem = series->u.series.elems[i];
        if (!check_is_untyped(elem) && !check_is_error(elem->type))
            return elem;
    }
    return NULL;
}

static bool check_element(struct checker *c, struct arc_expr *elem, size_t number,
                          struct arc_type wanted)
{
    if (wanted.prim != TELEM_STR)
        check_settle(c, elem, wanted);
    else
        check_settle_default(c, elem);
    if (check_is_error(elem->type))
        return false;
    bool units_agree = elem->type.unit == NULL || wanted.unit == NULL ||
                       (arc_unit_same_dimension(elem->type.unit, wanted.unit) &&
                        arc_unit_same_scale(elem->type.unit, wanted.unit));
    if (arc_type_same_kind(elem->type, wanted) && units_agree)
        return true;
    struct arc_diag *diag =
        check_error(c, ARC_CODE_TYPE, elem->span, "series element %zu has type %s, wanted %s",
                    number, check_type_text(c, elem->type), check_type_text(c, wanted));
    check_cast_hint(c, diag, elem->type, wanted);
    return false;
}

/* Literals only: the series stays untyped, any float makes it f64. */
static void make_untyped_series(struct arc_expr *expr)
{
    enum telem_type prim = expr->u.series.n_elems == 0 ? TELEM_F64 : TELEM_I64;
    for (size_t i = 0; i < expr->u.series.n_elems; i++) {
        if (expr->u.series.elems[i]->type.prim == TELEM_F64)
            prim = TELEM_F64;
    }
    expr->is_untyped = true;
    expr->type = arc_type_make(ARC_SHAPE_SERIES, prim, NULL);
}

static bool check_elements(struct checker *c, struct arc_expr *expr)
{
    bool is_good = true;
    for (size_t i = 0; i < expr->u.series.n_elems; i++) {
        struct arc_expr *elem = expr->u.series.elems[i];
        check_value(c, elem);
        if (elem->type.shape == ARC_SHAPE_SERIES) {
            check_error(c, ARC_CODE_TYPE, elem->span, "a series cannot hold a series");
            elem->type = check_error_type();
        }
        is_good = is_good && !check_is_error(elem->type);
    }
    return is_good;
}

static void check_series(struct checker *c, struct arc_expr *expr)
{
    if (!check_elements(c, expr)) {
        expr->type = check_error_type();
        return;
    }
    const struct arc_expr *ruling = ruling_element(expr);
    if (ruling == NULL) {
        make_untyped_series(expr);
        return;
    }
    struct arc_type wanted = ruling->type;
    expr->type = arc_type_make(ARC_SHAPE_SERIES, wanted.prim, wanted.unit);
    for (size_t i = 0; i < expr->u.series.n_elems; i++) {
        if (!check_element(c, expr->u.series.elems[i], i + 1, wanted))
            expr->type = check_error_type();
    }
}

/* ---- Format strings ----------------------------------------------------------------------- */

static bool verb_fits(char verb, struct arc_type type)
{
    if (verb == 's' || verb == 'q')
        return type.prim == TELEM_STR;
    if (strchr("feEgG", verb) != NULL)
        return type.prim == TELEM_F32 || type.prim == TELEM_F64;
    return telem_type_is_integer(type.prim);
}

static void check_placeholder(struct checker *c, struct arc_fmt_part *part)
{
    check_typed_value(c, part->expr);
    struct arc_type type = part->expr->type;
    if (check_is_error(type))
        return;
    if (type.shape != ARC_SHAPE_SCALAR) {
        check_error(c, ARC_CODE_TYPE, part->expr->span,
                    "a placeholder needs a number or a str, got %s", check_type_text(c, type));
        return;
    }
    if (part->spec.verb == 0 || verb_fits(part->spec.verb, type))
        return;
    struct arc_span spec = {part->spec_span.start + 1, part->spec_span.end, part->spec_span.line};
    check_error(c, ARC_CODE_TYPE, part->expr->span, "format '%s' does not fit type %s",
                check_source_text(c, spec), check_type_text(c, type));
}

static void check_format(struct checker *c, struct arc_expr *expr)
{
    for (size_t i = 0; i < expr->u.format.n_parts; i++) {
        if (expr->u.format.parts[i].expr != NULL)
            check_placeholder(c, &expr->u.format.parts[i]);
    }
}

/* ---- All ---------------------------------------------------------------------------------- */

static void check_number(struct arc_expr *expr)
{
    if (!expr->is_untyped)
        return;
    expr->type = check_literal_default(&expr->u.literal.raw);
    expr->type.shape = ARC_SHAPE_LITERAL;
}

void check_expr(struct checker *c, struct arc_expr *expr)
{
    switch (expr->kind) {
    case ARC_EXPR_NAME: check_name(c, expr); break;
    case ARC_EXPR_MEMBER: check_member_value(c, expr); break;
    case ARC_EXPR_LITERAL: check_number(expr); break;
    case ARC_EXPR_NEG:
    case ARC_EXPR_NOT: check_unary(c, expr); break;
    case ARC_EXPR_BINARY: check_binary(c, expr); break;
    case ARC_EXPR_AND:
    case ARC_EXPR_OR: check_logical(c, expr); break;
    case ARC_EXPR_CALL: check_call(c, expr); break;
    case ARC_EXPR_INDEX: check_index(c, expr); break;
    case ARC_EXPR_SLICE: check_slice(c, expr); break;
    case ARC_EXPR_CAST: check_cast(c, expr); break;
    case ARC_EXPR_SERIES: check_series(c, expr); break;
    case ARC_EXPR_FORMAT: check_format(c, expr); break;
    case ARC_EXPR_ERROR: expr->type = check_error_type(); break;
    default: break; /* checked before */
    }
}

void check_value(struct checker *c, struct arc_expr *expr)
{
    check_expr(c, expr);
    if (expr->type.shape != ARC_SHAPE_NONE)
        return;
    check_error(c, ARC_CODE_TYPE, expr->span, "'%s' gives no value",
                check_source_text(c, expr->span));
    expr->type = check_error_type();
}

void check_typed_value(struct checker *c, struct arc_expr *expr)
{
    check_value(c, expr);
    check_settle_default(c, expr);
}

void check_condition(struct checker *c, struct arc_expr *expr)
{
    check_typed_value(c, expr);
    if (check_is_error(expr->type) || arc_type_is_number(expr->type))
        return;
    check_error(c, ARC_CODE_TYPE, expr->span, "a condition must be a number, got %s",
                check_type_text(c, expr->type));
}
