/* Bodies. First each instruction alone: its operands exist. Then what types the registers hold, by
 * following the code: a state (one type for each register) is carried from instruction to
 * instruction; where ways meet the states are merged, and a register that differs holds nothing.
 * A loop is gone through again as long as its head still changes; it can only lose types. */
#include "arc/verify_priv.h"

#include <string.h>

struct body {
    struct arc_verify *v;
    const struct arc_image_func *func;
    const struct arc_image_body *body;
    const struct arc_insn *code;
    bool is_batch;
    uint32_t at;
    uint8_t *now;     /* types before instruction `at` */
    uint8_t **states; /* by instruction that is jumped to; NULL: not, or not yet */
    bool *is_target;
    bool *is_queued; /* jumped to, and its state has changed since it was followed */
};

static bool bad(const struct body *b, const char *what)
{
    const struct arc_image *image = b->v->image;
    const char *op = arc_op_info[b->code[b->at].op].name;
    return arc_verify_bad(b->v, "function %u '%s'%s, instruction %u (%s): %s",
                          (unsigned)(b->func - image->funcs), b->func->name,
                          b->is_batch ? " (batch)" : "", b->at, op, what);
}

/* ---- Each instruction alone --------------------------------------------------------------- */

static bool is_imm(enum arc_operand_kind kind)
{
    return (kind >= ARC_OPD_K && kind <= ARC_OPD_STATE) || kind == ARC_OPD_J32;
}

static bool check_imm(const struct body *b, enum arc_operand_kind kind, int32_t imm)
{
    const struct arc_image *image = b->v->image;
    uint32_t n = 0;
    switch (kind) {
    case ARC_OPD_K: n = image->n_consts; break;
    case ARC_OPD_STR: n = image->n_strings; break;
    case ARC_OPD_SERIES: n = image->n_series; break;
    case ARC_OPD_CH: n = image->n_channels; break;
    case ARC_OPD_FN: n = image->n_funcs; break;
    case ARC_OPD_STATE: n = b->func->state_mode == ARC_STATE_SLOTS ? b->func->state.n : 0; break;
    default: return true;
    }
    return imm >= 0 && (uint32_t)imm < n;
}

static bool is_fixed(const struct body *b, uint32_t reg)
{
    return reg < b->func->args.n ||
           (reg >= b->body->k_reg && reg < (uint32_t)b->body->k_reg + b->body->n_k);
}

/* The run of registers that an operand names; `n` is the next operand. */
static uint32_t run_length(enum arc_operand_kind kind, uint16_t n)
{
    switch (kind) {
    case ARC_OPD_R2: return 2;
    case ARC_OPD_R3: return 3;
    case ARC_OPD_RN: return n;
    default: return 1;
    }
}

static bool check_register(const struct body *b, enum arc_operand_kind kind, uint16_t reg,
                           uint16_t next)
{
    uint32_t n = run_length(kind, next);
    if (reg + n > b->body->n_regs)
        return bad(b, "no such register");
    bool is_written = kind == ARC_OPD_W || kind == ARC_OPD_RW;
    if (is_written && is_fixed(b, reg))
        return bad(b, "writes an argument or a constant");
    return true;
}

static bool check_jump(const struct body *b, int32_t offset, unsigned flags)
{
    bool is_back = (flags & ARC_OPF_BACK) != 0;
    if (is_back ? offset > 0 : offset <= 0)
        return bad(b, "jumps in the wrong direction");
    int64_t target = (int64_t)b->at + offset;
    if (target < 0 || target >= b->body->code.n)
        return bad(b, "jumps out of the function");
    b->is_target[target] = true;
    return true;
}

static bool check_operand(const struct body *b, const struct arc_insn *insn, uint32_t i)
{
    const struct arc_op_info *info = &arc_op_info[insn->op];
    enum arc_operand_kind kind = arc_operand_kind(info->operand[i]);
    uint16_t values[4] = {insn->a, insn->b, insn->c, 0};
    if (kind >= ARC_OPD_W && kind <= ARC_OPD_RN)
        return check_register(b, kind, values[i], values[i + 1]);
    if (is_imm(kind) && kind != ARC_OPD_J32)
        return check_imm(b, kind, insn->imm) || bad(b, "names something that is not there");
    if (kind == ARC_OPD_FMT)
        return insn->c < b->v->image->n_formats || bad(b, "no such format");
    if (kind == ARC_OPD_J16)
        return check_jump(b, (int16_t)insn->c, info->flags);
    if (kind == ARC_OPD_J32)
        return check_jump(b, insn->imm, info->flags);
    return true;
}

static bool check_format_verb(const struct body *b, const struct arc_insn *insn)
{
    const struct arc_op_info *info = &arc_op_info[insn->op];
    if (arc_operand_kind(info->operand[2]) != ARC_OPD_FMT)
        return true;
    enum telem_type type = (enum telem_type)arc_operand_type(info->operand[1]);
    const char *verbs = type == TELEM_STR ? "sq" : telem_type_is_float(type) ? "feEgG" : "dboOxXc";
    return strchr(verbs, b->v->image->formats[insn->c].verb) != NULL ||
           bad(b, "the format is for another type");
}

/* A column that is written over one that is read must have its elements in the same places. */
static bool overlays(const struct arc_insn *insn)
{
    const uint16_t *operands = arc_op_info[insn->op].operand;
    uint16_t values[3] = {insn->a, insn->b, insn->c};
    for (uint32_t i = 1; i < 3; i++)
        if (arc_operand_kind(operands[i]) == ARC_OPD_R && values[i] == insn->a &&
            arc_operand_type(operands[i]) != arc_operand_type(operands[0]))
            return true;
    return false;
}

static bool check_batch_op(const struct body *b, const struct arc_insn *insn)
{
    unsigned flags = arc_op_info[insn->op].flags;
    if (overlays(insn))
        return bad(b, "writes over an operand of another type");
    /* A machine takes the columns of all three without asking which the instruction has. */
    if (insn->a >= b->body->n_regs || insn->b >= b->body->n_regs || insn->c >= b->body->n_regs)
        return bad(b, "an operand that it does not have is no register");
    if ((flags & ARC_OPF_BATCH) != 0)
        return true;
    uint32_t k = (uint32_t)insn->c - b->body->k_reg;
    if ((flags & ARC_OPF_BATCH_K) == 0 || insn->c < b->body->k_reg || k >= b->body->n_k)
        return bad(b, "may not stand in batch code");
    int64_t value = b->v->image->consts[b->body->k_first + k].i64;
    enum telem_type type = (enum telem_type)b->v->image->const_types[b->body->k_first + k];
    bool is_pow = insn->op >= ARC_OP_POW_I8 && insn->op <= ARC_OP_POW_U64;
    bool is_safe = is_pow ? !telem_type_is_signed(type) || value >= 0 : value != 0;
    return is_safe || bad(b, "may fault in batch code");
}

static bool check_insn(struct body *b)
{
    const struct arc_insn *insn = &b->code[b->at];
    if (insn->op >= ARC_OP_COUNT)
        return arc_verify_bad(b->v, "function '%s', instruction %u: no such opcode", b->func->name,
                              b->at);
    for (uint32_t i = 0; i < 3; i++)
        if (!check_operand(b, insn, i))
            return false;
    if (b->is_batch)
        return check_batch_op(b, insn);
    bool is_last = b->at + 1 == b->body->code.n;
    if (is_last && (arc_op_info[insn->op].flags & ARC_OPF_END) == 0)
        return bad(b, "runs off the end of the function");
    return check_format_verb(b, insn);
}

/* ---- Types -------------------------------------------------------------------------------- */

/* Samples of a timestamp channel are i64 in the machine. */
static uint8_t sample_vt(uint8_t channel_type)
{
    return channel_type == TELEM_TIMESTAMP ? TELEM_I64 : channel_type;
}

static bool fits(uint8_t type, uint8_t wanted)
{
    switch (wanted) {
    case ARC_VT_ANY: return type != ARC_VT_NONE;
    case ARC_VT_ANY_INT: return type <= TELEM_U64;
    case ARC_VT_ANY_REF: return type == TELEM_STR || arc_vt_is_series(type) || arc_vt_is_chan(type);
    default: return type == wanted;
    }
}

static bool check_reads(const struct body *b, const struct arc_insn *insn)
{
    const struct arc_op_info *info = &arc_op_info[insn->op];
    uint16_t values[4] = {insn->a, insn->b, insn->c, 0};
    for (uint32_t i = 0; i < 3; i++) {
        enum arc_operand_kind kind = arc_operand_kind(info->operand[i]);
        if (kind < ARC_OPD_R || kind > ARC_OPD_RN)
            continue;
        uint32_t n = run_length(kind, values[i + 1]);
        for (uint32_t k = 0; k < n; k++)
            if (!fits(b->now[values[i] + k], arc_operand_type(info->operand[i])))
                return bad(b, "reads a register that holds another type, or nothing");
    }
    return true;
}

static bool check_call(const struct body *b, const struct arc_insn *insn)
{
    const struct arc_image *image = b->v->image;
    const struct arc_image_func *callee = &image->funcs[insn->imm];
    const struct arc_image_body *body = b->body;
    uint32_t n_state = b->func->state_mode == ARC_STATE_REGS ? b->func->state.n : 0;
    if (insn->a < body->k_reg + (uint32_t)body->n_k || insn->a < body->state_reg + n_state ||
        insn->a < b->func->args.n)
        return bad(b, "the window covers registers that stay");
    if (insn->a + callee->args.n > body->n_regs)
        return bad(b, "no room for the arguments");
    if (callee->args.n != callee->n_inputs || callee->is_expression ||
        (callee->result == ARC_VT_NONE && callee->outputs.n != 0))
        return bad(b, "calls what can only be a node");
    for (uint32_t i = 0; i < callee->args.n; i++)
        if (b->now[insn->a + i] != image->func_args[callee->args.first + i])
            return bad(b, "passes an argument of another type, or none");
    memset(b->now + insn->a, ARC_VT_NONE, (size_t)(body->n_regs - insn->a));
    b->now[insn->a] = callee->result;
    return true;
}

/* What leaves the body, and the state that stays. */
static bool check_return(const struct body *b, const struct arc_insn *insn)
{
    const struct arc_image *image = b->v->image;
    const struct arc_image_func *func = b->func;
    bool has_value = insn->op == ARC_OP_RET;
    if ((has_value ? b->now[insn->a] : ARC_VT_NONE) != func->result)
        return bad(b, "returns another type");
    for (uint32_t i = 0; i < func->outputs.n && !has_value; i++) {
        const struct arc_image_func_output *out = &image->func_outputs[func->outputs.first + i];
        if (b->now[out->reg] != out->type ||
            (out->flag_reg != ARC_NO_REG && b->now[out->flag_reg] != TELEM_U8))
            return bad(b, "an output holds another type, or nothing");
    }
    for (uint32_t i = 0; i < func->state.n && func->state_mode == ARC_STATE_REGS; i++)
        if (b->now[b->body->state_reg + i] != image->state_types[func->state.first + i])
            return bad(b, "a stateful variable holds another type, or nothing");
    return true;
}

static uint8_t written_type(const struct body *b, const struct arc_insn *insn)
{
    const struct arc_image *image = b->v->image;
    switch (insn->op) {
    case ARC_OP_LOADK: return image->const_types[insn->imm];
    case ARC_OP_LOADCH: return (uint8_t)(ARC_VT_CHAN | sample_vt(image->channels[insn->imm].type));
    case ARC_OP_CHRD: return sample_vt(image->channels[insn->imm].type);
    case ARC_OP_MOVR: return b->now[insn->b];
    case ARC_OP_CHRDR: return arc_vt_elem(b->now[insn->b]);
    case ARC_OP_SLOAD: return (uint8_t)(ARC_VT_SERIES | image->series[insn->imm].type);
    case ARC_OP_STLD: return image->state_types[b->func->state.first + (uint32_t)insn->imm];
    default: return arc_operand_type(arc_op_info[insn->op].operand[0]);
    }
}

/* The opcodes whose types the table cannot say. */
static bool check_special(const struct body *b, const struct arc_insn *insn)
{
    const struct arc_image *image = b->v->image;
    switch (insn->op) {
    case ARC_OP_CALL: return check_call(b, insn);
    case ARC_OP_RET:
    case ARC_OP_RET0: return check_return(b, insn);
    case ARC_OP_CHRDR: return arc_vt_is_chan(b->now[insn->b]) || bad(b, "reads no channel");
    case ARC_OP_CHWR:
        return b->now[insn->a] == sample_vt(image->channels[insn->imm].type) ||
               bad(b, "writes another type than the channel has");
    case ARC_OP_CHWRR:
        return (arc_vt_is_chan(b->now[insn->a]) &&
                arc_vt_elem(b->now[insn->a]) == b->now[insn->b]) ||
               bad(b, "writes another type than the channel has");
    case ARC_OP_STST:
        return b->now[insn->a] == image->state_types[b->func->state.first + (uint32_t)insn->imm] ||
               bad(b, "stores another type than the slot has");
    default: return true;
    }
}

static void merge_into(struct body *b, uint32_t target)
{
    ARCD_ASSERT(b->states != NULL); /* batch code has no jumps */
    uint16_t n_regs = b->body->n_regs;
    if (b->states[target] == NULL) {
        b->states[target] = base_arena_array(&b->v->scratch, uint8_t, n_regs);
        memcpy(b->states[target], b->now, n_regs);
        b->is_queued[target] = true;
        return;
    }
    uint8_t *state = b->states[target];
    for (uint32_t i = 0; i < n_regs; i++)
        if (state[i] != b->now[i] && state[i] != ARC_VT_NONE) {
            state[i] = ARC_VT_NONE;
            b->is_queued[target] = true;
        }
}

/* One instruction; afterwards `now` holds what is behind it. */
static bool follow_insn(struct body *b)
{
    const struct arc_insn *insn = &b->code[b->at];
    const struct arc_op_info *info = &arc_op_info[insn->op];
    if (!check_reads(b, insn) || !check_special(b, insn))
        return false;
    enum arc_operand_kind kind = arc_operand_kind(info->operand[0]);
    if (kind == ARC_OPD_W && insn->op != ARC_OP_CALL)
        b->now[insn->a] = written_type(b, insn);
    if ((info->flags & ARC_OPF_JUMP) == 0)
        return true;
    bool is_wide = arc_operand_kind(info->operand[1]) == ARC_OPD_J32;
    int32_t offset = is_wide ? insn->imm : (int16_t)insn->c;
    merge_into(b, (uint32_t)((int32_t)b->at + offset));
    return true;
}

/* From one place to the next where ways meet, or to an end. */
static bool follow_from(struct body *b, uint32_t start)
{
    memcpy(b->now, b->states[start], b->body->n_regs);
    for (b->at = start;; b->at++) {
        if (b->at != start && b->is_target[b->at]) {
            merge_into(b, b->at);
            return true;
        }
        if (!follow_insn(b))
            return false;
        if ((arc_op_info[b->code[b->at].op].flags & ARC_OPF_END) != 0)
            return true;
    }
}

static bool follow_sample(struct body *b)
{
    uint32_t n = b->body->code.n;
    b->states = base_arena_array(&b->v->scratch, uint8_t *, n);
    b->is_queued = base_arena_array(&b->v->scratch, bool, n);
    b->is_target[0] = true;
    merge_into(b, 0);
    for (bool is_done = false; !is_done;) {
        is_done = true;
        for (uint32_t i = 0; i < n; i++) {
            if (!b->is_queued[i])
                continue;
            b->is_queued[i] = false;
            is_done = false;
            if (!follow_from(b, i))
                return false;
        }
    }
    return true;
}

static bool follow_batch(struct body *b)
{
    for (b->at = 0; b->at < b->body->code.n; b->at++)
        if (!follow_insn(b))
            return false;
    b->at = b->body->code.n - 1;
    for (uint32_t i = 0; i < b->func->outputs.n; i++) {
        const struct arc_image_func_output *out =
            &b->v->image->func_outputs[b->func->outputs.first + i];
        if (b->now[out->batch_reg] != out->type ||
            (out->batch_flag_reg != ARC_NO_REG && b->now[out->batch_flag_reg] != TELEM_U8))
            return bad(b, "an output holds another type, or nothing");
    }
    return true;
}

/* Types at the entry: arguments, constants, state. */
static void enter(struct body *b)
{
    const struct arc_image *image = b->v->image;
    memset(b->now, ARC_VT_NONE, b->body->n_regs);
    for (uint32_t i = 0; i < b->func->args.n; i++)
        b->now[i] = image->func_args[b->func->args.first + i];
    for (uint32_t i = 0; i < b->body->n_k; i++)
        b->now[b->body->k_reg + i] = image->const_types[b->body->k_first + i];
    bool has_state = b->func->state_mode == ARC_STATE_REGS && !b->is_batch;
    for (uint32_t i = 0; i < b->func->state.n && has_state; i++)
        b->now[b->body->state_reg + i] = image->state_types[b->func->state.first + i];
}

static bool check_body(struct arc_verify *v, const struct arc_image_func *func, bool is_batch)
{
    struct body b = {.v = v, .func = func, .is_batch = is_batch};
    b.body = is_batch ? &func->batch : &func->body;
    b.code = v->image->code + b.body->code.first;
    b.now = base_arena_array(&v->scratch, uint8_t, b.body->n_regs);
    b.is_target = base_arena_array(&v->scratch, bool, b.body->code.n);
    for (; b.at < b.body->code.n; b.at++)
        if (!check_insn(&b))
            return false;
    b.at = 0;
    enter(&b);
    return is_batch ? follow_batch(&b) : follow_sample(&b);
}

bool arc_verify_code(struct arc_verify *v)
{
    for (uint32_t i = 0; i < v->image->n_funcs; i++) {
        const struct arc_image_func *func = &v->image->funcs[i];
        bool is_good =
            check_body(v, func, false) && (func->batch.code.n == 0 || check_body(v, func, true));
        base_arena_reset(&v->scratch);
        if (!is_good)
            return false;
    }
    return true;
}
