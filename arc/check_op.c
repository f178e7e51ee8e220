/* Operators: kinds, untyped literals beside typed operands, units. */
#include "arc/check_priv.h"

/* ---- Unary -------------------------------------------------------------------------------- */

static void refuse_operand(struct checker *c, const struct arc_expr *expr, const char *op,
                           struct arc_type type)
{
    check_error(c, ARC_CODE_TYPE, expr->span, "cannot use %s in %s operation",
                check_type_text(c, type), op);
}

static void check_negation(struct checker *c, struct arc_expr *expr)
{
    struct arc_expr *operand = expr->u.unary.operand;
    check_value(c, operand);
    if (operand->kind == ARC_EXPR_SERIES)
        check_settle_default(c, operand);
    expr->type = operand->type;
    if (check_is_error(operand->type) || check_is_untyped(operand))
        return;
    bool is_str = operand->type.prim == TELEM_STR;
    bool is_unsigned_series =
        operand->type.shape == ARC_SHAPE_SERIES && !telem_type_is_signed(operand->type.prim);
    if (!is_str && !is_unsigned_series)
        return;
    refuse_operand(c, expr, "-", operand->type);
    expr->type = check_error_type();
}

/* A truth value: u8, or an integer literal that becomes one. */
static bool check_truth(struct checker *c, struct arc_expr *operand)
{
    if (operand->type.shape == ARC_SHAPE_LITERAL && operand->type.prim == TELEM_I64)
        check_settle(c, operand, arc_type_scalar(TELEM_U8));
    else
        check_settle_default(c, operand);
    return operand->type.shape == ARC_SHAPE_SCALAR && operand->type.prim == TELEM_U8;
}

static void check_not(struct checker *c, struct arc_expr *expr)
{
    struct arc_expr *operand = expr->u.unary.operand;
    check_value(c, operand);
    if (operand->kind == ARC_EXPR_SERIES)
        check_settle(c, operand, arc_type_scalar(TELEM_U8));
    expr->type = arc_type_scalar(TELEM_U8);
    if (operand->type.shape == ARC_SHAPE_SERIES && operand->type.prim == TELEM_U8)
        expr->type.shape = ARC_SHAPE_SERIES;
    else if (!check_truth(c, operand)) {
        if (!check_is_error(operand->type))
            check_error(c, ARC_CODE_TYPE, expr->span, "'not' needs a boolean (u8) operand, got %s",
                        check_type_text(c, operand->type));
        expr->type = check_error_type();
    }
}

void check_unary(struct checker *c, struct arc_expr *expr)
{
    if (expr->kind == ARC_EXPR_NEG)
        check_negation(c, expr);
    else
        check_not(c, expr);
}

void check_logical(struct checker *c, struct arc_expr *expr)
{
    const char *op = expr->kind == ARC_EXPR_AND ? "and" : "or";
    struct arc_expr *sides[] = {expr->u.binary.left, expr->u.binary.right};
    expr->type = arc_type_scalar(TELEM_U8);
    for (int i = 0; i < 2; i++) {
        check_value(c, sides[i]);
        if (check_truth(c, sides[i]))
            continue;
        if (!check_is_error(sides[i]->type))
            check_error(c, ARC_CODE_TYPE, sides[i]->span,
                        "cannot use %s in %s operation: it needs u8",
                        check_type_text(c, sides[i]->type), op);
        expr->type = check_error_type();
    }
}

/* ---- Units -------------------------------------------------------------------------------- */

static bool is_additive(enum arc_op op)
{
    return op == ARC_BIN_ADD || op == ARC_BIN_SUB || op == ARC_BIN_MOD || arc_op_is_comparison(op);
}

static void refuse_units(struct checker *c, struct arc_expr *expr, const struct arc_unit *left,
                         const struct arc_unit *right)
{
    if (!arc_unit_same_dimension(left, right)) {
        check_error(c, ARC_CODE_TYPE, expr->span, "incompatible dimensions: %s vs %s",
                    arc_unit_dimension_name(c->arena, left),
                    arc_unit_dimension_name(c->arena, right));
    } else {
        struct arc_diag *diag =
            check_error(c, ARC_CODE_TYPE, expr->span, "incompatible units: %s vs %s",
                        arc_unit_name(c->arena, left), arc_unit_name(c->arena, right));
        check_hint(c, diag, "values are not rescaled at run time: multiply by the factor and cast");
    }
    expr->type = check_error_type();
}

/* The unit of a sum or a comparison; false after an error. */
static bool check_same_units(struct checker *c, struct arc_expr *expr)
{
    const struct arc_unit *left = expr->u.binary.left->type.unit;
    const struct arc_unit *right = expr->u.binary.right->type.unit;
    if (left == NULL || right == NULL ||
        (arc_unit_same_dimension(left, right) && arc_unit_same_scale(left, right)))
        return true;
    refuse_units(c, expr, left, right);
    return false;
}

static double scale_ratio(const struct arc_unit *a, const struct arc_unit *b)
{
    return a->scale > b->scale ? a->scale / b->scale : b->scale / a->scale;
}

/* Before a literal is converted: its own unit against the other operand's. */
static void warn_vanishing(struct checker *c, const struct arc_expr *expr,
                           const struct arc_expr *literal, const struct arc_expr *other)
{
    if (literal->kind != ARC_EXPR_LITERAL || !literal->is_untyped)
        return;
    const struct arc_unit *unit = literal->u.literal.raw.unit;
    const struct arc_unit *other_unit = other->type.unit;
    if (other->kind == ARC_EXPR_LITERAL && other->is_untyped)
        other_unit = other->u.literal.raw.unit;
    if (unit == NULL || other_unit == NULL || !arc_unit_same_dimension(unit, other_unit))
        return;
    double limit = other->type.prim == TELEM_F32 ? 1e5 : 1e12;
    if (scale_ratio(unit, other_unit) >= limit)
        check_warning(c, ARC_CODE_NONE, expr->span,
                      "the units %s and %s are far apart: the smaller value may vanish", unit->name,
                      arc_unit_name(c->arena, other_unit));
}

static bool is_additive_sum(enum arc_op op)
{
    return op == ARC_BIN_ADD || op == ARC_BIN_SUB;
}

static void warn_sum(struct checker *c, const struct arc_expr *expr)
{
    const struct arc_expr *left = expr->u.binary.left;
    const struct arc_expr *right = expr->u.binary.right;
    if (!is_additive_sum(expr->u.binary.op))
        return;
    if (left->kind == ARC_EXPR_LITERAL && left->is_untyped)
        warn_vanishing(c, expr, left, right);
    else
        warn_vanishing(c, expr, right, left);
}

/* A whole-number literal, possibly negated: what a unit can be raised to. */
static bool exponent_value(const struct arc_expr *exponent, int64_t *value)
{
    if (exponent->kind != ARC_EXPR_LITERAL || exponent->is_constant)
        return false;
    const struct arc_number *raw = &exponent->u.literal.raw;
    if (raw->is_float || raw->unit != NULL)
        return false;
    uint64_t magnitude = raw->magnitude > 1000 ? 1000 : raw->magnitude;
    *value = raw->is_negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

static bool check_power_units(struct checker *c, struct arc_expr *expr,
                              const struct arc_unit **unit)
{
    struct arc_expr *exponent = expr->u.binary.right;
    const struct arc_unit *base_unit = expr->u.binary.left->type.unit;
    const struct arc_unit *exponent_unit = exponent->type.unit;
    int64_t power = 0;
    *unit = NULL;
    if (exponent_unit != NULL && !arc_unit_is_dimensionless(exponent_unit)) {
        check_error(c, ARC_CODE_TYPE, exponent->span, "an exponent cannot have a unit, got %s",
                    check_type_text(c, exponent->type));
        return false;
    }
    if (base_unit == NULL || arc_unit_is_dimensionless(base_unit))
        return true;
    if (!exponent_value(exponent, &power)) {
        check_error(c, ARC_CODE_TYPE, exponent->span,
                    "a value with a unit needs a whole-number literal exponent");
        return false;
    }
    *unit = arc_unit_power(c->arena, base_unit, power);
    return true;
}

/* Sets the unit of the checked binary expression. */
static void check_result_unit(struct checker *c, struct arc_expr *expr)
{
    const struct arc_unit *left = expr->u.binary.left->type.unit;
    const struct arc_unit *right = expr->u.binary.right->type.unit;
    enum arc_op op = expr->u.binary.op;
    if (is_additive(op)) {
        if (check_same_units(c, expr) && !arc_op_is_comparison(op))
            expr->type.unit = left ? left : right;
    } else if (op == ARC_BIN_POW) {
        const struct arc_unit *unit;
        if (check_power_units(c, expr, &unit))
            expr->type.unit = unit;
        else
            expr->type = check_error_type();
    } else {
        expr->type.unit = arc_unit_product(c->arena, left, right, op == ARC_BIN_MUL ? 1 : -1);
    }
}

/* ---- Binary ------------------------------------------------------------------------------- */

static void refuse_pair(struct checker *c, struct arc_expr *expr)
{
    struct arc_type left = expr->u.binary.left->type;
    struct arc_type right = expr->u.binary.right->type;
    struct arc_diag *diag = check_error(
        c, ARC_CODE_TYPE, expr->span, "type mismatch: %s and %s in %s operation",
        check_type_text(c, left), check_type_text(c, right), arc_op_text(expr->u.binary.op));
    check_cast_hint(c, diag, right, arc_type_element(left));
    expr->type = check_error_type();
}

/* At least one side is a str. */
static void check_str_operation(struct checker *c, struct arc_expr *expr)
{
    struct arc_type left = expr->u.binary.left->type;
    struct arc_type right = expr->u.binary.right->type;
    enum arc_op op = expr->u.binary.op;
    bool is_pair = arc_type_same_kind(left, right) && left.shape == ARC_SHAPE_SCALAR;
    bool can = op == ARC_BIN_ADD || op == ARC_BIN_EQ || op == ARC_BIN_NE;
    if (is_pair && can) {
        expr->type = arc_type_scalar(op == ARC_BIN_ADD ? TELEM_STR : TELEM_U8);
    } else if (can && left.shape == ARC_SHAPE_SCALAR && right.shape == ARC_SHAPE_SCALAR) {
        refuse_pair(c, expr);
    } else {
        refuse_operand(c, expr, arc_op_text(op), left.prim == TELEM_STR ? left : right);
        expr->type = check_error_type();
    }
}

/* A literal takes the prim of the other operand; in sums and comparisons its unit is converted too.
 */
static void settle_beside(struct checker *c, struct arc_expr *untyped, const struct arc_expr *other,
                          enum arc_op op)
{
    struct arc_type type = arc_type_element(other->type);
    if (!is_additive(op))
        type.unit = NULL;
    if (check_is_untyped(untyped))
        check_settle(c, untyped, type);
}

static bool has_unit_in(const struct arc_expr *expr)
{
    return expr->type.unit != NULL;
}

/* Both sides are untyped scalars. Without units the whole stays untyped; with units it gets its
 * type now, as what the units become must be known. True: nothing is left to do. */
static bool check_untyped_pair(struct checker *c, struct arc_expr *expr)
{
    struct arc_expr *left = expr->u.binary.left;
    struct arc_expr *right = expr->u.binary.right;
    enum arc_op op = expr->u.binary.op;
    enum telem_type prim =
        left->type.prim == TELEM_F64 || right->type.prim == TELEM_F64 ? TELEM_F64 : TELEM_I64;
    bool has_units = has_unit_in(left) || has_unit_in(right);
    bool stays = !arc_op_is_comparison(op) && (!has_units || is_additive(op));
    if (stays && has_units)
        stays = check_same_units(c, expr);
    if (stays) {
        const struct arc_unit *unit = left->type.unit ? left->type.unit : right->type.unit;
        expr->type = arc_type_make(ARC_SHAPE_LITERAL, prim, unit);
        return true;
    }
    if (check_is_error(expr->type))
        return true;
    check_settle(c, left, arc_type_scalar(prim));
    check_settle(c, right, arc_type_scalar(prim));
    return false;
}

static bool check_number_operands(struct checker *c, struct arc_expr *expr)
{
    struct arc_type left = expr->u.binary.left->type;
    struct arc_type right = expr->u.binary.right->type;
    enum arc_op op = expr->u.binary.op;
    if (left.prim != right.prim) {
        refuse_pair(c, expr);
        return false;
    }
    bool is_series = left.shape == ARC_SHAPE_SERIES || right.shape == ARC_SHAPE_SERIES;
    if (op == ARC_BIN_MOD && telem_type_is_float(left.prim) && !is_series) {
        refuse_operand(c, expr, "%", left);
        expr->type = check_error_type();
        return false;
    }
    enum telem_type prim = arc_op_is_comparison(op) ? TELEM_U8 : left.prim;
    expr->type = arc_type_make(is_series ? ARC_SHAPE_SERIES : ARC_SHAPE_SCALAR, prim, NULL);
    return true;
}

static void check_binary_operands(struct checker *c, struct arc_expr *expr)
{
    struct arc_expr *left = expr->u.binary.left;
    struct arc_expr *right = expr->u.binary.right;
    enum arc_op op = expr->u.binary.op;
    bool left_is_scalar_literal = left->type.shape == ARC_SHAPE_LITERAL;
    bool right_is_scalar_literal = right->type.shape == ARC_SHAPE_LITERAL;
    if (left->type.prim == TELEM_STR || right->type.prim == TELEM_STR) {
        check_settle_default(c, left);
        check_settle_default(c, right);
        check_str_operation(c, expr);
        return;
    }
    warn_sum(c, expr);
    if (left_is_scalar_literal && right_is_scalar_literal) {
        if (check_untyped_pair(c, expr))
            return;
    } else if (check_is_untyped(left) && check_is_untyped(right)) {
        enum telem_type prim =
            left->type.prim == TELEM_F64 || right->type.prim == TELEM_F64 ? TELEM_F64 : TELEM_I64;
        check_settle(c, left, arc_type_scalar(prim));
        check_settle(c, right, arc_type_scalar(prim));
    }
    settle_beside(c, left, right, op);
    settle_beside(c, right, left, op);
    if (check_is_error(left->type) || check_is_error(right->type)) {
        expr->type = check_error_type();
        return;
    }
    if (check_number_operands(c, expr))
        check_result_unit(c, expr);
}

void check_binary(struct checker *c, struct arc_expr *expr)
{
    struct arc_expr *left = expr->u.binary.left;
    struct arc_expr *right = expr->u.binary.right;
    check_value(c, left);
    check_value(c, right);
    if (check_is_error(left->type) || check_is_error(right->type)) {
        expr->type = check_error_type();
        return;
    }
    check_binary_operands(c, expr);
}
