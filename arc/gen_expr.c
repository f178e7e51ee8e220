/* Expressions. A value stands in the register that it has anyway (a variable, a constant) or in a
 * temporary; temporaries are a stack that each expression leaves as it found it, but for its
 * result. An instruction reads its operands before it writes, so a result may take an operand's
 * place. */
#include "arc/gen_priv.h"

_Static_assert(ARC_OP_ADD_F64 - ARC_OP_ADD_I8 == TELEM_F64, "families are in the order of types");
_Static_assert(ARC_OP_DIV_F64 - ARC_OP_DIV_I8 == TELEM_F64, "families are in the order of types");
_Static_assert(ARC_OP_POW_F64 - ARC_OP_POW_I8 == TELEM_F64, "families are in the order of types");
_Static_assert(ARC_OP_CVT_F64_F64 - ARC_OP_CVT_I8_I8 == 99, "casts are a table of ten by ten");
_Static_assert(ARC_OP_SADD_SV_F64 - ARC_OP_SADD_VV_I8 == 29, "series: three shapes for a type");

/* ---- Operators ---------------------------------------------------------------------------- */

static enum arc_opcode number_op(enum arc_op op, enum telem_type type)
{
    static const enum arc_opcode first[ARC_BIN_COUNT] = {
        [ARC_BIN_ADD] = ARC_OP_ADD_I8, [ARC_BIN_SUB] = ARC_OP_SUB_I8, [ARC_BIN_MUL] = ARC_OP_MUL_I8,
        [ARC_BIN_DIV] = ARC_OP_DIV_I8, [ARC_BIN_MOD] = ARC_OP_MOD_I8, [ARC_BIN_POW] = ARC_OP_POW_I8,
        [ARC_BIN_EQ] = ARC_OP_EQ_I8,   [ARC_BIN_NE] = ARC_OP_NE_I8,   [ARC_BIN_LT] = ARC_OP_LT_I8,
        [ARC_BIN_LE] = ARC_OP_LE_I8,
    };
    return arc_gen_typed(first[op], type);
}

static enum arc_opcode series_op(enum arc_op op, enum telem_type type, unsigned shape)
{
    static const enum arc_opcode first[ARC_BIN_COUNT] = {
        [ARC_BIN_ADD] = ARC_OP_SADD_VV_I8, [ARC_BIN_SUB] = ARC_OP_SSUB_VV_I8,
        [ARC_BIN_MUL] = ARC_OP_SMUL_VV_I8, [ARC_BIN_DIV] = ARC_OP_SDIV_VV_I8,
        [ARC_BIN_MOD] = ARC_OP_SMOD_VV_I8, [ARC_BIN_POW] = ARC_OP_SPOW_VV_I8,
        [ARC_BIN_EQ] = ARC_OP_SEQ_VV_I8,   [ARC_BIN_NE] = ARC_OP_SNE_VV_I8,
        [ARC_BIN_LT] = ARC_OP_SLT_VV_I8,   [ARC_BIN_LE] = ARC_OP_SLE_VV_I8,
    };
    return (enum arc_opcode)((unsigned)first[op] + 3u * (unsigned)type + shape);
}

static enum arc_opcode string_op(enum arc_op op)
{
    switch (op) {
    case ARC_BIN_ADD: return ARC_OP_CONCAT;
    case ARC_BIN_EQ: return ARC_OP_EQ_STR;
    default: return ARC_OP_NE_STR;
    }
}

void arc_gen_binary(struct arc_gen_body *b, enum arc_op op, uint8_t left_vt, uint16_t left,
                    uint8_t right_vt, uint16_t right, uint16_t dst)
{
    if (op == ARC_BIN_GT || op == ARC_BIN_GE) { /* a > b is b < a, for NaN too */
        op = op == ARC_BIN_GT ? ARC_BIN_LT : ARC_BIN_LE;
        uint16_t reg = left;
        left = right;
        right = reg;
        uint8_t vt = left_vt;
        left_vt = right_vt;
        right_vt = vt;
    }
    bool is_left_series = arc_vt_is_series(left_vt);
    bool is_right_series = arc_vt_is_series(right_vt);
    enum telem_type type = (enum telem_type)arc_vt_elem(left_vt);
    enum arc_opcode code;
    if (is_left_series || is_right_series)
        code = series_op(op, type, is_left_series && is_right_series ? 0 : is_left_series ? 1 : 2);
    else if (left_vt == TELEM_STR)
        code = string_op(op);
    else
        code = number_op(op, type);
    arc_gen_emit(b, code, dst, left, right);
}

/* The strings of a + b + c + ..., left to right. */
static uint32_t join_terms(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t first)
{
    if (expr->kind != ARC_EXPR_BINARY) {
        uint16_t reg = arc_gen_temp(b);
        arc_gen_expr(b, expr, reg);
        return (uint32_t)(reg - first) + 1;
    }
    join_terms(b, expr->u.binary.left, first);
    return join_terms(b, expr->u.binary.right, first);
}

static bool is_join(const struct arc_expr *expr)
{
    const struct arc_expr *left = expr->u.binary.left;
    const struct arc_expr *right = expr->u.binary.right;
    return expr->u.binary.op == ARC_BIN_ADD && expr->type.shape == ARC_SHAPE_SCALAR &&
           expr->type.prim == TELEM_STR &&
           (left->kind == ARC_EXPR_BINARY || right->kind == ARC_EXPR_BINARY);
}

static bool is_var_in(const struct arc_gen_body *b, const struct arc_expr *expr, uint16_t reg)
{
    bool is_slot = expr->kind == ARC_EXPR_VAR && expr->u.var->kind == ARC_VAR_STATE &&
                   b->state_mode == ARC_STATE_SLOTS;
    return expr->kind == ARC_EXPR_VAR && !is_slot && b->frame->var_regs[expr->u.var->index] == reg;
}

static bool is_known(const struct arc_expr *expr)
{
    union arc_reg value;
    return arc_fold(expr, &value);
}

static bool is_number_product(const struct arc_expr *expr)
{
    return expr->kind == ARC_EXPR_BINARY && expr->u.binary.op == ARC_BIN_MUL &&
           arc_type_is_number(expr->u.binary.left->type) &&
           arc_type_is_number(expr->u.binary.right->type) && !is_known(expr);
}

/* x + y * z over the register of x: one instruction instead of two, where x is a temporary anyway
 * or the variable that gets the sum. */
static bool is_accumulation(const struct arc_gen_body *b, const struct arc_expr *expr,
                            uint16_t want)
{
    enum arc_op op = expr->u.binary.op;
    const struct arc_expr *left = expr->u.binary.left;
    if ((op != ARC_BIN_ADD && op != ARC_BIN_SUB) || !arc_type_is_number(left->type) ||
        !is_number_product(expr->u.binary.right))
        return false;
    if (want != ARC_NO_REG && is_var_in(b, left, want))
        return true;
    bool is_free = want == ARC_NO_REG || arc_gen_is_temp(b, want);
    return is_free && left->kind != ARC_EXPR_VAR && !is_known(left);
}

static uint16_t gen_accumulation(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want)
{
    const struct arc_expr *product = expr->u.binary.right;
    uint16_t sum = arc_gen_dest(b, want);
    arc_gen_expr(b, expr->u.binary.left, sum);
    uint16_t mark = b->top;
    uint16_t x = arc_gen_expr(b, product->u.binary.left, ARC_NO_REG);
    uint16_t y = arc_gen_expr(b, product->u.binary.right, ARC_NO_REG);
    b->top = mark;
    b->line = expr->span.line;
    bool is_sum = expr->u.binary.op == ARC_BIN_ADD;
    arc_gen_emit(b, arc_gen_typed(is_sum ? ARC_OP_MULADD_I8 : ARC_OP_MULSUB_I8, expr->type.prim),
                 sum, x, y);
    return sum;
}

static uint16_t gen_binary_expr(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want)
{
    if (is_accumulation(b, expr, want))
        return gen_accumulation(b, expr, want);
    uint16_t mark = b->top;
    if (is_join(expr)) {
        uint32_t n = join_terms(b, expr, mark);
        b->top = mark;
        uint16_t dst = arc_gen_dest(b, want);
        arc_gen_emit(b, ARC_OP_JOIN, dst, mark, (uint16_t)n);
        return dst;
    }
    const struct arc_expr *left = expr->u.binary.left;
    const struct arc_expr *right = expr->u.binary.right;
    uint16_t x = arc_gen_expr(b, left, ARC_NO_REG);
    uint16_t y = arc_gen_expr(b, right, ARC_NO_REG);
    b->top = mark;
    uint16_t dst = arc_gen_dest(b, want);
    b->line = expr->span.line;
    arc_gen_binary(b, expr->u.binary.op, arc_gen_vt(left->type), x, arc_gen_vt(right->type), y,
                   dst);
    return dst;
}

static uint16_t gen_unary(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want)
{
    uint16_t mark = b->top;
    uint16_t x = arc_gen_expr(b, expr->u.unary.operand, ARC_NO_REG);
    b->top = mark;
    uint16_t dst = arc_gen_dest(b, want);
    bool is_series = expr->type.shape == ARC_SHAPE_SERIES;
    enum arc_opcode op;
    if (expr->kind == ARC_EXPR_NOT)
        op = is_series ? ARC_OP_SNOT_U8 : ARC_OP_NOT;
    else
        op = arc_gen_typed(is_series ? ARC_OP_SNEG_I8 : ARC_OP_NEG_I8, expr->type.prim);
    arc_gen_emit(b, op, dst, x, 0);
    return dst;
}

static uint16_t gen_cast(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want)
{
    enum telem_type from = expr->u.unary.operand->type.prim;
    enum telem_type to = expr->type.prim;
    if (from == to)
        return arc_gen_expr(b, expr->u.unary.operand, want);
    uint16_t mark = b->top;
    uint16_t x = arc_gen_expr(b, expr->u.unary.operand, ARC_NO_REG);
    b->top = mark;
    uint16_t dst = arc_gen_dest(b, want);
    unsigned op = ARC_OP_CVT_I8_I8 + (unsigned)from * 10 + (unsigned)to;
    arc_gen_emit(b, (enum arc_opcode)op, dst, x, 0);
    return dst;
}

/* Can it be evaluated without need: no fault, no effect, and cheap? */
static bool is_plain(const struct arc_expr *expr, unsigned depth)
{
    if (depth == 0 || !arc_type_is_number(expr->type))
        return false;
    switch (expr->kind) {
    case ARC_EXPR_LITERAL:
    case ARC_EXPR_VAR: return true;
    case ARC_EXPR_NOT: return is_plain(expr->u.unary.operand, depth - 1);
    case ARC_EXPR_BINARY:
        return arc_op_is_comparison(expr->u.binary.op) &&
               is_plain(expr->u.binary.left, depth - 1) &&
               is_plain(expr->u.binary.right, depth - 1);
    default: return false;
    }
}

static uint16_t gen_logic_jump(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want)
{
    uint16_t dst = arc_gen_dest_temp(b, want);
    struct arc_gen_label end = ARC_GEN_LABEL;
    bool is_or = expr->kind == ARC_EXPR_OR;
    arc_gen_load_k(b, dst, TELEM_U8, (union arc_reg){.u64 = is_or});
    arc_gen_cond(b, expr, is_or, &end);
    arc_gen_load_k(b, dst, TELEM_U8, (union arc_reg){.u64 = !is_or});
    arc_gen_place(b, &end);
    return arc_gen_deliver(b, TELEM_U8, dst, want);
}

static uint16_t gen_logic(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want)
{
    if (!b->is_batch && !is_plain(expr->u.binary.right, 3))
        return gen_logic_jump(b, expr, want);
    uint16_t mark = b->top;
    uint16_t x = arc_gen_expr(b, expr->u.binary.left, ARC_NO_REG);
    uint16_t y = arc_gen_expr(b, expr->u.binary.right, ARC_NO_REG);
    b->top = mark;
    uint16_t dst = arc_gen_dest(b, want);
    arc_gen_emit(b, expr->kind == ARC_EXPR_AND ? ARC_OP_AND : ARC_OP_OR, dst, x, y);
    return dst;
}

/* ---- Variables and channels --------------------------------------------------------------- */

static uint16_t gen_var(struct arc_gen_body *b, const struct arc_var *var, uint16_t want)
{
    if (var->kind == ARC_VAR_STATE && b->state_mode == ARC_STATE_SLOTS) {
        uint16_t dst = arc_gen_dest(b, want);
        arc_gen_emit_imm(b, ARC_OP_STLD, dst, var->kind_index);
        return dst;
    }
    return arc_gen_deliver(b, arc_gen_vt(var->type), b->frame->var_regs[var->index], want);
}

static uint16_t gen_read(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want)
{
    uint16_t dst = arc_gen_dest(b, want);
    if (expr->u.chan.channel != NULL)
        arc_gen_emit_imm(b, ARC_OP_CHRD, dst, expr->u.chan.channel->index);
    else
        arc_gen_emit(b, ARC_OP_CHRDR, dst, b->frame->var_regs[expr->u.chan.param->index], 0);
    return dst;
}

static uint16_t gen_chan(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want)
{
    if (expr->u.chan.channel == NULL)
        return arc_gen_deliver(b, arc_gen_vt(expr->type),
                               b->frame->var_regs[expr->u.chan.param->index], want);
    uint16_t dst = arc_gen_dest(b, want);
    arc_gen_emit_imm(b, ARC_OP_LOADCH, dst, expr->u.chan.channel->index);
    return dst;
}

static uint16_t gen_literal(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want)
{
    const struct arc_value *value = &expr->u.literal.value;
    if (value->type.prim != TELEM_STR) {
        if (want == ARC_NO_REG)
            return arc_gen_k(b, value->type.prim, arc_gen_number(value));
        arc_gen_load_k(b, want, value->type.prim, arc_gen_number(value));
        return want;
    }
    uint16_t dst = arc_gen_dest(b, want);
    arc_gen_emit_imm(b, ARC_OP_LOADS, dst, arc_gen_string(b->gen, value->str, value->str_len));
    return dst;
}

/* ---- Calls -------------------------------------------------------------------------------- */

static uint16_t gen_call(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want)
{
    const struct arc_func *callee = expr->u.call.func;
    uint16_t done = arc_gen_inline(b, expr, want);
    if (done != ARC_NO_REG)
        return done;
    bool is_in_place = arc_gen_is_temp(b, want) && want + 1u == b->top;
    uint16_t window = is_in_place ? want : b->top;
    b->top = window;
    for (size_t i = 0; i < expr->u.call.n_args; i++) {
        uint16_t reg = arc_gen_temp(b);
        arc_gen_expr(b, expr->u.call.args[i], reg);
    }
    b->line = expr->span.line;
    b->top = window;
    uint16_t result = arc_gen_temp(b); /* the callee's register 0, also without arguments */
    arc_gen_emit_imm(b, ARC_OP_CALL, window, b->gen->func_ids[callee->index]);
    if (want == ARC_NO_REG || callee->result.shape == ARC_SHAPE_NONE)
        return result;
    return arc_gen_deliver(b, arc_gen_vt(callee->result), result, want);
}

static uint16_t gen_lib_call(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want)
{
    struct arc_expr **args = expr->u.lib_call.args;
    uint16_t mark = b->top;
    uint16_t dst;
    switch (expr->u.lib_call.member->id) {
    case ARC_LIB_LEN: return arc_gen_len(b, args[0], want);
    case ARC_LIB_TIME_NOW:
        dst = arc_gen_dest(b, want);
        arc_gen_emit(b, ARC_OP_NOW, dst, 0, 0);
        return dst;
    default: /* status.set: no other member can be called */
        for (size_t i = 0; i < expr->u.lib_call.n_args; i++) {
            uint16_t reg = arc_gen_temp(b);
            arc_gen_expr(b, args[i], reg);
        }
        b->top = mark;
        dst = arc_gen_dest(b, want);
        arc_gen_emit(b, ARC_OP_STATUS, dst, mark, 0);
        return dst;
    }
}

/* ---- All of them -------------------------------------------------------------------------- */

static uint16_t gen_any(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want)
{
    switch (expr->kind) {
    case ARC_EXPR_LITERAL: return gen_literal(b, expr, want);
    case ARC_EXPR_VAR: return gen_var(b, expr->u.var, want);
    case ARC_EXPR_CHAN: return gen_chan(b, expr, want);
    case ARC_EXPR_READ: return gen_read(b, expr, want);
    case ARC_EXPR_NEG:
    case ARC_EXPR_NOT: return gen_unary(b, expr, want);
    case ARC_EXPR_BINARY: return gen_binary_expr(b, expr, want);
    case ARC_EXPR_AND:
    case ARC_EXPR_OR: return gen_logic(b, expr, want);
    case ARC_EXPR_CALL: return gen_call(b, expr, want);
    case ARC_EXPR_LIB_CALL: return gen_lib_call(b, expr, want);
    case ARC_EXPR_INDEX: return arc_gen_index_expr(b, expr, want);
    case ARC_EXPR_SLICE: return arc_gen_slice(b, expr, want);
    case ARC_EXPR_CAST: return gen_cast(b, expr, want);
    case ARC_EXPR_SERIES: return arc_gen_series_expr(b, expr, want);
    case ARC_EXPR_FORMAT: return arc_gen_format_expr(b, expr, want);
    case ARC_EXPR_STR:
        if (expr->u.unary.operand->type.prim == TELEM_STR)
            return arc_gen_expr(b, expr->u.unary.operand, want);
        else {
            uint16_t dst = arc_gen_dest(b, want);
            arc_gen_str(b, expr->u.unary.operand, dst);
            return dst;
        }
    case ARC_EXPR_NAME:
    case ARC_EXPR_MEMBER:
    case ARC_EXPR_ERROR: break;
    }
    ARCD_ASSERT(false); /* a checked tree has no parsed expressions */
    return 0;
}

uint16_t arc_gen_expr(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want)
{
    uint32_t line = b->line;
    uint16_t mark = b->top;
    b->line = expr->span.line;
    union arc_reg value;
    uint16_t reg;
    if (expr->kind != ARC_EXPR_LITERAL && arc_fold(expr, &value)) {
        reg = want != ARC_NO_REG ? want : arc_gen_k(b, expr->type.prim, value);
        if (want != ARC_NO_REG)
            arc_gen_load_k(b, want, expr->type.prim, value);
    } else {
        reg = gen_any(b, expr, want);
    }
    if (want != ARC_NO_REG)
        b->top = mark;
    b->line = line;
    return reg;
}

void arc_gen_effect(struct arc_gen_body *b, const struct arc_expr *expr)
{
    uint16_t mark = b->top;
    arc_gen_expr(b, expr, ARC_NO_REG);
    b->top = mark;
}
