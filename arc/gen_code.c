/* Emitting instructions into one body: registers, labels, constants, and its end.
 *
 * While a body grows its constants have numbers from ARC_GEN_K on, because nobody knows yet how
 * many there will be. Sealing puts them between the fixed registers and the rest:
 *
 *     growing:  [arguments, state][locals and temporaries]      constants at ARC_GEN_K
 *     sealed:   [arguments, state][constants][locals and temporaries]
 *
 * They must stand below the temporaries: a callee's frame begins at one, and covers all above it.
 */
#include "arc/gen_priv.h"

uint16_t arc_gen_temp(struct arc_gen_body *b)
{
    /* Past the limit the same register is given out again: the code is wrong, but it is refused. */
    if ((b->is_batch ? b->max_top : b->top) >= ARC_MAX_REGS) {
        b->refused = true;
        return (uint16_t)(ARC_MAX_REGS - 1);
    }
    /* A column is never used again here: one instruction may not overlay two widths. */
    uint16_t reg = b->is_batch ? b->max_top : b->top;
    b->top = (uint16_t)(reg + 1);
    if (b->top > b->max_top)
        b->max_top = b->top;
    return reg;
}

static uint32_t emit(struct arc_gen_body *b, struct arc_insn insn)
{
    uint32_t limit = b->is_batch ? ARC_GEN_MAX_BATCH : ARC_MAX_CODE;
    if (b->n_code >= limit) {
        b->refused = true;
        return b->n_code - 1;
    }
    *ARC_APPEND(b->gen->scratch, b->code, b->n_code) = insn;
    *ARC_APPEND(b->gen->scratch, b->lines, b->n_lines) = b->line;
    return b->n_code - 1;
}

bool arc_gen_is_k(uint16_t reg)
{
    return reg >= ARC_GEN_K && reg != ARC_NO_REG;
}

/* May this instruction stand in batch code? */
static bool is_batch_op(const struct arc_gen_body *b, enum arc_opcode op, uint16_t c)
{
    unsigned flags = arc_op_info[op].flags;
    if ((flags & ARC_OPF_BATCH) != 0)
        return true;
    if ((flags & ARC_OPF_BATCH_K) == 0 || !arc_gen_is_k(c))
        return false;
    union arc_reg k = b->consts[c - ARC_GEN_K];
    enum telem_type type = (enum telem_type)b->const_types[c - ARC_GEN_K];
    bool is_pow = op >= ARC_OP_POW_I8 && op <= ARC_OP_POW_U64;
    return is_pow ? !telem_type_is_signed(type) || k.i64 >= 0 : k.i64 != 0;
}

uint32_t arc_gen_emit(struct arc_gen_body *b, enum arc_opcode op, uint16_t a, uint16_t x,
                      uint16_t c)
{
    if (b->is_batch && !is_batch_op(b, op, c))
        b->refused = true;
    return emit(b, (struct arc_insn){.op = (uint16_t)op, .a = a, .b = x, .c = c});
}

uint32_t arc_gen_emit_imm(struct arc_gen_body *b, enum arc_opcode op, uint16_t a, uint32_t imm)
{
    if (b->is_batch)
        b->refused = true;
    return emit(b, (struct arc_insn){.op = (uint16_t)op, .a = a, .imm = (int32_t)imm});
}

uint16_t arc_gen_k(struct arc_gen_body *b, enum telem_type type, union arc_reg value)
{
    for (uint32_t i = 0; i < b->n_consts; i++)
        if (b->consts[i].u64 == value.u64 && b->const_types[i] == type)
            return (uint16_t)(ARC_GEN_K + i);
    if (b->n_consts < ARC_GEN_MAX_K) {
        *ARC_APPEND(b->gen->scratch, b->consts, b->n_consts) = value;
        *ARC_APPEND(b->gen->scratch, b->const_types, b->n_const_types) = (uint8_t)type;
        return (uint16_t)(ARC_GEN_K + b->n_consts - 1);
    }
    if (b->is_batch) { /* columns have no immediate form */
        b->refused = true;
        return ARC_GEN_K;
    }
    uint16_t reg = arc_gen_temp(b);
    arc_gen_load_k(b, reg, type, value);
    return reg;
}

uint16_t arc_gen_k_int(struct arc_gen_body *b, enum telem_type type, int64_t value)
{
    union arc_reg reg = {.u64 = 0};
    if (type == TELEM_F32)
        reg.f32 = (float)value;
    else if (type == TELEM_F64)
        reg.f64 = (double)value;
    else
        reg.i64 = value;
    return arc_gen_k(b, type, reg);
}

void arc_gen_load_k(struct arc_gen_body *b, uint16_t a, enum telem_type type, union arc_reg value)
{
    /* Columns have no immediate form. */
    if (b->is_batch)
        arc_gen_move(b, (uint8_t)type, a, arc_gen_k(b, type, value));
    else
        arc_gen_emit_imm(b, ARC_OP_LOADK, a, arc_gen_const(b->gen, type, value));
}

void arc_gen_move(struct arc_gen_body *b, uint8_t vt, uint16_t to, uint16_t from)
{
    if (to == from)
        return;
    enum arc_opcode op = vt < TELEM_STR ? (enum arc_opcode)(ARC_OP_MOV_I8 + vt) : ARC_OP_MOVR;
    arc_gen_emit(b, op, to, from, 0);
}

void arc_gen_zero(struct arc_gen_body *b, uint8_t vt, uint16_t reg)
{
    if (vt < TELEM_STR)
        arc_gen_load_k(b, reg, (enum telem_type)vt, (union arc_reg){.u64 = 0});
    else if (vt == TELEM_STR)
        arc_gen_emit_imm(b, ARC_OP_LOADS, reg, 0);
    else
        arc_gen_emit_imm(b, ARC_OP_SLOAD, reg,
                         arc_gen_series(b->gen, (enum telem_type)arc_vt_elem(vt), NULL, 0));
}

static bool has_wide_jump(const struct arc_insn *insn)
{
    const struct arc_op_info *info = &arc_op_info[insn->op];
    return arc_operand_kind(info->operand[1]) == ARC_OPD_J32;
}

static void set_offset(struct arc_gen_body *b, uint32_t at, uint32_t target)
{
    struct arc_insn *insn = &b->code[at];
    int32_t offset = (int32_t)target - (int32_t)at;
    if (has_wide_jump(insn))
        insn->imm = offset;
    else
        insn->c = (uint16_t)(int16_t)offset;
}

void arc_gen_jump(struct arc_gen_body *b, enum arc_opcode op, uint16_t a, uint16_t x,
                  struct arc_gen_label *label)
{
    bool is_wide = arc_operand_kind(arc_op_info[op].operand[1]) == ARC_OPD_J32;
    uint32_t at = is_wide ? arc_gen_emit_imm(b, op, a, label->first)
                          : arc_gen_emit(b, op, a, x, (uint16_t)label->first);
    if (b->refused)
        return;
    if (label->target != ARC_NONE)
        set_offset(b, at, label->target);
    else
        label->first = at + 1;
}

/* A jump to the instruction that follows it does nothing, unless something jumps behind it. */
static void drop_last_jump(struct arc_gen_body *b, struct arc_gen_label *label)
{
    if (b->n_code == 0 || label->first != b->n_code || b->last_target == b->n_code || b->refused)
        return;
    const struct arc_insn *last = &b->code[b->n_code - 1];
    if (last->op != ARC_OP_JMP)
        return;
    label->first = (uint32_t)last->imm;
    b->n_code--;
    b->n_lines--;
}

void arc_gen_place(struct arc_gen_body *b, struct arc_gen_label *label)
{
    drop_last_jump(b, label);
    label->target = b->last_target = b->n_code;
    while (label->first != 0 && !b->refused) {
        uint32_t at = label->first - 1;
        struct arc_insn *insn = &b->code[at];
        label->first = has_wide_jump(insn) ? (uint32_t)insn->imm : insn->c;
        set_offset(b, at, label->target);
    }
}

static uint16_t sealed_reg(const struct arc_gen_body *b, uint16_t reg)
{
    if (reg == ARC_NO_REG || reg < b->n_fixed)
        return reg;
    if (reg >= ARC_GEN_K)
        return (uint16_t)(b->n_fixed + (reg - ARC_GEN_K));
    return (uint16_t)(reg + b->n_consts);
}

static bool is_reg_operand(uint16_t operand)
{
    enum arc_operand_kind kind = arc_operand_kind(operand);
    return kind >= ARC_OPD_W && kind <= ARC_OPD_RN;
}

static void seal_insn(const struct arc_gen_body *b, struct arc_insn *insn)
{
    const struct arc_op_info *info = &arc_op_info[insn->op];
    if (is_reg_operand(info->operand[0]))
        insn->a = sealed_reg(b, insn->a);
    if (is_reg_operand(info->operand[1]))
        insn->b = sealed_reg(b, insn->b);
    if (is_reg_operand(info->operand[2]))
        insn->c = sealed_reg(b, insn->c);
}

static void seal_outputs(struct arc_gen_body *b)
{
    struct arc_image_func_output *outputs = b->gen->image->func_outputs + b->func->outputs.first;
    for (uint32_t i = 0; i < b->func->outputs.n; i++) {
        struct arc_image_func_output *out = &outputs[i];
        if (b->is_batch) {
            out->batch_reg = sealed_reg(b, out->batch_reg);
            out->batch_flag_reg = sealed_reg(b, out->batch_flag_reg);
        } else {
            out->reg = sealed_reg(b, out->reg);
            out->flag_reg = sealed_reg(b, out->flag_reg);
        }
    }
}

void arc_gen_seal_body(struct arc_gen_body *b, struct arc_image_body *out)
{
    struct arc_image *image = b->gen->image;
    uint32_t n_regs = b->max_top + b->n_consts;
    if (n_regs == 0)
        n_regs = 1; /* where a result comes back */
    if (n_regs > ARC_MAX_REGS)
        b->refused = true;
    if (b->refused)
        return;
    *out = (struct arc_image_body){
        .code = {.first = image->n_code, .n = b->n_code},
        .n_regs = (uint16_t)n_regs,
        .k_reg = b->n_fixed,
        .n_k = (uint16_t)b->n_consts,
        .state_reg = (uint16_t)b->func->args.n,
        .k_first = image->n_consts,
    };
    for (uint32_t i = 0; i < b->n_consts; i++) {
        uint32_t n_types = image->n_consts;
        *ARC_APPEND(b->gen->scratch, image->const_types, n_types) = b->const_types[i];
        *ARC_APPEND(b->gen->scratch, image->consts, image->n_consts) = b->consts[i];
    }
    for (uint32_t i = 0; i < b->n_code; i++) {
        uint32_t n_lines = image->n_code;
        *ARC_APPEND(b->gen->scratch, image->code_lines, n_lines) = b->lines[i];
        struct arc_insn insn = b->code[i];
        seal_insn(b, &insn);
        *ARC_APPEND(b->gen->scratch, image->code, image->n_code) = insn;
    }
    seal_outputs(b);
}
