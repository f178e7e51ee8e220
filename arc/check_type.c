/* What fits where, and how untyped literals get their type. */
#include "arc/check_priv.h"

#include "arc/text.h"

const char *check_source_text(struct checker *c, struct arc_span span)
{
    return arc_text_printable(c->arena, c->program->source->text + span.start,
                              span.end - span.start);
}

void check_cast_hint(struct checker *c, struct arc_diag *diag, struct arc_type from,
                     struct arc_type to)
{
    if (to.shape != ARC_SHAPE_SCALAR || from.shape != ARC_SHAPE_SCALAR)
        return;
    if (to.prim == TELEM_STR)
        check_hint(c, diag, "str(value) converts");
    else if (from.prim != TELEM_STR && from.prim != to.prim)
        check_hint(c, diag, "%s(value) converts", telem_type_name(to.prim));
}

/* ---- Settling ----------------------------------------------------------------------------- */

/* Elements with units of different dimensions have no type together. */
static bool element_unit_agrees(struct checker *c, struct arc_expr *series, size_t i)
{
    const struct arc_expr *elem = series->u.series.elems[i];
    if (elem->type.unit == NULL || series->type.unit == NULL ||
        arc_unit_same_dimension(elem->type.unit, series->type.unit))
        return true;
    check_error(c, ARC_CODE_TYPE, elem->span,
                "incompatible dimensions: series element %zu is %s, wanted %s", i + 1,
                arc_unit_dimension_name(c->arena, elem->type.unit),
                arc_unit_dimension_name(c->arena, series->type.unit));
    return false;
}

static void settle_series(struct checker *c, struct arc_expr *expr, struct arc_type elem)
{
    expr->is_untyped = false;
    expr->type = arc_type_make(ARC_SHAPE_SERIES, elem.prim, elem.unit);
    for (size_t i = 0; i < expr->u.series.n_elems; i++) {
        struct arc_expr *value = expr->u.series.elems[i];
        check_settle(c, value, elem);
        if (check_is_error(value->type) || !element_unit_agrees(c, expr, i)) {
            expr->type = check_error_type();
            return;
        }
        if (expr->type.unit == NULL)
            expr->type.unit = value->type.unit;
    }
}

static void settle_binary(struct checker *c, struct arc_expr *expr, struct arc_type type)
{
    struct arc_expr *left = expr->u.binary.left;
    struct arc_expr *right = expr->u.binary.right;
    enum arc_op op = expr->u.binary.op;
    struct arc_type plain = arc_type_scalar(type.prim);
    bool keeps_unit = op == ARC_BIN_ADD || op == ARC_BIN_SUB || op == ARC_BIN_MOD;
    check_settle(c, left, keeps_unit ? type : plain);
    check_settle(c, right, keeps_unit ? type : plain);
    expr->type = left->type;
    if (check_is_error(left->type) || check_is_error(right->type)) {
        expr->type = check_error_type();
        return;
    }
    if (expr->type.unit == NULL && keeps_unit)
        expr->type.unit = right->type.unit;
    if (op == ARC_BIN_MOD && telem_type_is_float(type.prim)) {
        check_error(c, ARC_CODE_TYPE, expr->span, "cannot use %s in %% operation",
                    telem_type_name(type.prim));
        expr->type = check_error_type();
    }
}

void check_settle(struct checker *c, struct arc_expr *expr, struct arc_type type)
{
    if (!check_is_untyped(expr))
        return;
    switch (expr->kind) {
    case ARC_EXPR_LITERAL: check_literal(c, expr, type); break;
    case ARC_EXPR_SERIES: settle_series(c, expr, arc_type_element(type)); break;
    case ARC_EXPR_NEG:
        check_settle(c, expr->u.unary.operand, type);
        expr->type = expr->u.unary.operand->type;
        break;
    default: settle_binary(c, expr, type); break;
    }
}

/* An untyped expression carries the default prim of its literals all the time. */
void check_settle_default(struct checker *c, struct arc_expr *expr)
{
    if (check_is_untyped(expr))
        check_settle(c, expr, arc_type_scalar(expr->type.prim));
}

/* ---- Fitting ------------------------------------------------------------------------------ */

static struct arc_diag *refuse(struct checker *c, struct arc_type type,
                               const struct check_want *want, struct arc_span span)
{
    struct arc_diag *diag =
        check_error(c, want->code, span, "type mismatch: cannot %s %s to %s (type %s)", want->what,
                    check_type_text(c, type), want->target, check_type_text(c, want->type));
    check_cast_hint(c, diag, type, want->type);
    return diag;
}

static struct arc_diag *refuse_unit(struct checker *c, struct arc_type type,
                                    const struct check_want *want, struct arc_span span)
{
    const struct arc_unit *from = type.unit;
    const struct arc_unit *to = want->type.unit;
    if (!arc_unit_same_dimension(from, to))
        return check_error(c, want->code, span,
                           "incompatible dimensions: cannot %s %s (%s) to %s (%s)", want->what,
                           arc_unit_dimension_name(c->arena, from), check_type_text(c, type),
                           want->target, arc_unit_dimension_name(c->arena, to));
    struct arc_diag *diag = check_error(
        c, want->code, span, "incompatible units: cannot %s %s to %s (type %s)", want->what,
        check_type_text(c, type), want->target, check_type_text(c, want->type));
    check_hint(c, diag, "values are not rescaled at run time: multiply by the factor and cast");
    return diag;
}

static bool units_fit(const struct arc_unit *from, const struct arc_unit *to, bool is_edge)
{
    if (from == NULL || to == NULL || from == to)
        return true;
    if (!arc_unit_same_dimension(from, to) || !arc_unit_same_scale(from, to))
        return false;
    return !is_edge || from->name == NULL || to->name == NULL;
}

bool check_type_fits(struct checker *c, struct arc_type type, const struct check_want *want,
                     struct arc_span span, struct arc_diag **diag)
{
    if (check_is_error(type) || check_is_error(want->type))
        return true;
    struct arc_diag *refused = NULL;
    if (!arc_type_same_kind(type, want->type))
        refused = refuse(c, type, want, span);
    else if (!units_fit(type.unit, want->type.unit, want->is_edge))
        refused = refuse_unit(c, type, want, span);
    if (diag != NULL)
        *diag = refused;
    return refused == NULL;
}

bool check_fits(struct checker *c, struct arc_expr *expr, const struct check_want *want,
                struct arc_diag **diag)
{
    if (diag != NULL)
        *diag = NULL;
    if (check_is_untyped(expr)) {
        bool is_series = expr->kind == ARC_EXPR_SERIES;
        bool can = is_series ? want->type.shape == ARC_SHAPE_SERIES &&
                                   (want->type.prim != TELEM_STR || expr->u.series.n_elems == 0)
                             : arc_type_is_number(want->type);
        if (can)
            check_settle(c, expr, want->type);
        else
            check_settle_default(c, expr);
    }
    if (check_is_error(expr->type))
        return false;
    return check_type_fits(c, expr->type, want, expr->span, diag);
}
