/* Conditions: jumps instead of truth values. A comparison and its jump are one instruction; and, or
 * and not become the order and the sense of jumps. */
#include "arc/gen_priv.h"

static enum arc_opcode compare_jump(enum arc_op op, bool sense, enum telem_type type)
{
    enum arc_opcode first;
    switch (op) {
    case ARC_BIN_EQ: first = sense ? ARC_OP_JEQ_I8 : ARC_OP_JNE_I8; break;
    case ARC_BIN_NE: first = sense ? ARC_OP_JNE_I8 : ARC_OP_JEQ_I8; break;
    case ARC_BIN_LT:
    case ARC_BIN_GT: first = sense ? ARC_OP_JLT_I8 : ARC_OP_JNLT_I8; break;
    default: first = sense ? ARC_OP_JLE_I8 : ARC_OP_JNLE_I8; break;
    }
    return arc_gen_typed(first, type);
}

static void cond_compare(struct arc_gen_body *b, const struct arc_expr *expr, bool sense,
                         struct arc_gen_label *label)
{
    enum arc_op op = expr->u.binary.op;
    enum telem_type type = expr->u.binary.left->type.prim;
    uint16_t mark = b->top;
    uint16_t x = arc_gen_expr(b, expr->u.binary.left, ARC_NO_REG);
    uint16_t y = arc_gen_expr(b, expr->u.binary.right, ARC_NO_REG);
    b->top = mark;
    bool is_swapped = op == ARC_BIN_GT || op == ARC_BIN_GE;
    arc_gen_jump(b, compare_jump(op, sense, type), is_swapped ? y : x, is_swapped ? x : y, label);
}

static void cond_value(struct arc_gen_body *b, const struct arc_expr *expr, bool sense,
                       struct arc_gen_label *label)
{
    uint16_t mark = b->top;
    uint16_t x = arc_gen_expr(b, expr, ARC_NO_REG);
    b->top = mark;
    enum arc_opcode op;
    switch (expr->type.prim) {
    case TELEM_F32: op = sense ? ARC_OP_JNZ_F32 : ARC_OP_JZ_F32; break;
    case TELEM_F64: op = sense ? ARC_OP_JNZ_F64 : ARC_OP_JZ_F64; break;
    default: op = sense ? ARC_OP_JNZ : ARC_OP_JZ; break;
    }
    arc_gen_jump(b, op, x, 0, label);
}

/* and: the first false operand decides; or: the first true one. */
static void cond_logic(struct arc_gen_body *b, const struct arc_expr *expr, bool sense,
                       struct arc_gen_label *label)
{
    bool decides = expr->kind == ARC_EXPR_OR;
    struct arc_gen_label skip = ARC_GEN_LABEL;
    arc_gen_cond(b, expr->u.binary.left, decides, sense == decides ? label : &skip);
    arc_gen_cond(b, expr->u.binary.right, sense, label);
    arc_gen_place(b, &skip);
}

static bool is_number_compare(const struct arc_expr *expr)
{
    return expr->kind == ARC_EXPR_BINARY && arc_op_is_comparison(expr->u.binary.op) &&
           arc_type_is_number(expr->u.binary.left->type) &&
           arc_type_is_number(expr->u.binary.right->type);
}

void arc_gen_cond(struct arc_gen_body *b, const struct arc_expr *expr, bool sense,
                  struct arc_gen_label *label)
{
    uint32_t line = b->line;
    b->line = expr->span.line;
    union arc_reg value;
    if (arc_fold(expr, &value)) {
        bool is_true = expr->type.prim == TELEM_F64   ? value.f64 != 0
                       : expr->type.prim == TELEM_F32 ? value.f32 != 0
                                                      : value.u64 != 0;
        if (is_true == sense)
            arc_gen_jump(b, ARC_OP_JMP, 0, 0, label);
    } else if (expr->kind == ARC_EXPR_NOT && expr->type.shape == ARC_SHAPE_SCALAR) {
        arc_gen_cond(b, expr->u.unary.operand, !sense, label);
    } else if (expr->kind == ARC_EXPR_AND || expr->kind == ARC_EXPR_OR) {
        cond_logic(b, expr, sense, label);
    } else if (is_number_compare(expr)) {
        cond_compare(b, expr, sense, label);
    } else {
        cond_value(b, expr, sense, label);
    }
    b->line = line;
}
