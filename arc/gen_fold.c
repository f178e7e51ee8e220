/* Arithmetic on constants while compiling, by the rules that the machine follows. */
#include "arc/gen_priv.h"

#include <math.h>

/* Cuts to the width of the type, extended to 64 bits again. */
static union arc_reg wrap(enum telem_type type, uint64_t bits)
{
    union arc_reg out = {.u64 = bits};
    switch (type) {
    case TELEM_I8: out.i64 = (int8_t)bits; break;
    case TELEM_I16: out.i64 = (int16_t)bits; break;
    case TELEM_I32: out.i64 = (int32_t)bits; break;
    case TELEM_U8: out.u64 = (uint8_t)bits; break;
    case TELEM_U16: out.u64 = (uint16_t)bits; break;
    case TELEM_U32: out.u64 = (uint32_t)bits; break;
    default: break;
    }
    return out;
}

static bool fold_divide(enum arc_op op, enum telem_type type, union arc_reg x, union arc_reg y,
                        union arc_reg *out)
{
    if (y.u64 == 0)
        return false; /* faults when it runs, if it runs */
    if (!telem_type_is_signed(type))
        *out = wrap(type, op == ARC_BIN_DIV ? x.u64 / y.u64 : x.u64 % y.u64);
    else if (y.i64 == -1)
        *out = wrap(type, op == ARC_BIN_DIV ? 0 - x.u64 : 0);
    else
        *out = wrap(type, (uint64_t)(op == ARC_BIN_DIV ? x.i64 / y.i64 : x.i64 % y.i64));
    return true;
}

static bool fold_int(enum arc_op op, enum telem_type type, union arc_reg x, union arc_reg y,
                     union arc_reg *out)
{
    bool is_signed = telem_type_is_signed(type);
    bool is_less = is_signed ? x.i64 < y.i64 : x.u64 < y.u64;
    bool is_more = is_signed ? x.i64 > y.i64 : x.u64 > y.u64;
    switch (op) {
    case ARC_BIN_ADD: *out = wrap(type, x.u64 + y.u64); return true;
    case ARC_BIN_SUB: *out = wrap(type, x.u64 - y.u64); return true;
    case ARC_BIN_MUL: *out = wrap(type, x.u64 * y.u64); return true;
    case ARC_BIN_DIV:
    case ARC_BIN_MOD: return fold_divide(op, type, x, y, out);
    case ARC_BIN_EQ: out->u64 = x.u64 == y.u64; return true;
    case ARC_BIN_NE: out->u64 = x.u64 != y.u64; return true;
    case ARC_BIN_LT: out->u64 = is_less; return true;
    case ARC_BIN_LE: out->u64 = !is_more; return true;
    case ARC_BIN_GT: out->u64 = is_more; return true;
    case ARC_BIN_GE: out->u64 = !is_less; return true;
    default: return false; /* POW is rare: left to the machine */
    }
}

static bool fold_compare_f64(enum arc_op op, double x, double y, union arc_reg *out)
{
    switch (op) {
    case ARC_BIN_EQ: out->u64 = x == y; return true;
    case ARC_BIN_NE: out->u64 = x != y; return true;
    case ARC_BIN_LT: out->u64 = x < y; return true;
    case ARC_BIN_LE: out->u64 = x <= y; return true;
    case ARC_BIN_GT: out->u64 = x > y; return true;
    case ARC_BIN_GE: out->u64 = x >= y; return true;
    default: return false;
    }
}

static bool fold_f64(enum arc_op op, double x, double y, union arc_reg *out)
{
    switch (op) {
    case ARC_BIN_ADD: out->f64 = x + y; return true;
    case ARC_BIN_SUB: out->f64 = x - y; return true;
    case ARC_BIN_MUL: out->f64 = x * y; return true;
    case ARC_BIN_DIV: out->f64 = x / y; return true;
    default: return fold_compare_f64(op, x, y, out);
    }
}

static bool fold_f32(enum arc_op op, float x, float y, union arc_reg *out)
{
    switch (op) {
    case ARC_BIN_ADD: out->f32 = x + y; return true;
    case ARC_BIN_SUB: out->f32 = x - y; return true;
    case ARC_BIN_MUL: out->f32 = x * y; return true;
    case ARC_BIN_DIV: out->f32 = x / y; return true;
    default: return fold_compare_f64(op, (double)x, (double)y, out);
    }
}

static bool fold_binary(const struct arc_expr *expr, union arc_reg *value)
{
    const struct arc_expr *left = expr->u.binary.left;
    union arc_reg x;
    union arc_reg y;
    if (!arc_fold(left, &x) || !arc_fold(expr->u.binary.right, &y))
        return false;
    value->u64 = 0;
    switch (left->type.prim) {
    case TELEM_F64: return fold_f64(expr->u.binary.op, x.f64, y.f64, value);
    case TELEM_F32: return fold_f32(expr->u.binary.op, x.f32, y.f32, value);
    default: return fold_int(expr->u.binary.op, left->type.prim, x, y, value);
    }
}

static bool fold_neg(const struct arc_expr *expr, union arc_reg *value)
{
    union arc_reg x;
    if (!arc_fold(expr->u.unary.operand, &x))
        return false;
    value->u64 = 0;
    switch (expr->type.prim) {
    case TELEM_F64: value->f64 = -x.f64; break;
    case TELEM_F32: value->f32 = -x.f32; break;
    default: *value = wrap(expr->type.prim, 0 - x.u64); break;
    }
    return true;
}

static bool fold_logic(const struct arc_expr *expr, union arc_reg *value)
{
    union arc_reg x;
    union arc_reg y;
    if (!arc_fold(expr->u.binary.left, &x) || !arc_fold(expr->u.binary.right, &y))
        return false;
    bool both = expr->kind == ARC_EXPR_AND;
    value->u64 = both ? x.u64 != 0 && y.u64 != 0 : x.u64 != 0 || y.u64 != 0;
    return true;
}

bool arc_fold(const struct arc_expr *expr, union arc_reg *value)
{
    if (!arc_type_is_number(expr->type))
        return false;
    switch (expr->kind) {
    case ARC_EXPR_LITERAL: *value = arc_gen_number(&expr->u.literal.value); return true;
    case ARC_EXPR_NEG: return fold_neg(expr, value);
    case ARC_EXPR_NOT:
        if (!arc_fold(expr->u.unary.operand, value))
            return false;
        value->u64 = value->u64 == 0;
        return true;
    case ARC_EXPR_BINARY:
        return arc_type_is_number(expr->u.binary.left->type) && fold_binary(expr, value);
    case ARC_EXPR_AND:
    case ARC_EXPR_OR: return fold_logic(expr, value);
    default: return false;
    }
}
