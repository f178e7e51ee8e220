/* Random bytecode: what the verifier accepts, the machine must survive.
 *
 * The input is read as a recipe for an image: three functions of random instructions whose operands
 * are mostly, not always, of the right type, a batch body, and a graph of sources, one node and
 * sinks around the first function. What the verifier refuses is dropped; the rest runs for a few
 * cycles of random samples, in both ways of running bodies, with a small heap and budget. */
#include "arc/verify.h"
#include "arc_host/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    N_FUNCS = 3,
    MAX_INSNS = 48,
    N_CHANNELS = 11,
    N_CONSTS = 20,
    N_TEMPS = 12,
    MAX_ROWS = 12,
    /* arguments, state, constants, temporaries, window of a call */
    MAX_REGS = 3 + 3 + 10 + N_TEMPS + 4
};

struct recipe {
    const uint8_t *data;
    size_t size, at;
    struct arc_image *image;
};

/* 0 for ever behind the end of the input. */
static uint32_t take(struct recipe *r, uint32_t below)
{
    uint32_t value = 0;
    for (uint32_t room = 1; room < below; room = room * 256) {
        value = value * 256 + (r->at < r->size ? r->data[r->at] : 0);
        r->at++;
    }
    return value % below;
}

static bool chance(struct recipe *r, uint32_t percent)
{
    return take(r, 100) < percent;
}

#define NEW(r, type, n) base_arena_array(&(r)->image->arena, type, (n))

/* ---- Data --------------------------------------------------------------------------------- */

static union arc_reg number(struct recipe *r, enum telem_type type)
{
    static const int64_t special[] = {0, 1, -1, 2, 127, -128, 255, INT64_MIN, INT64_MAX, 1000};
    int64_t value = special[take(r, 10)];
    union telem_value v = {.i64 = value};
    if (type == TELEM_F64)
        v.f64 = chance(r, 20) ? (double)NAN : (double)value / 2;
    if (type == TELEM_F32)
        v.f32 = (float)value / 2;
    uint64_t room = 0;
    telem_store(type, &room, 0, v);
    v = telem_load(type, &room, 0);
    union arc_reg reg = {.u64 = v.u64};
    if (type == TELEM_F32)
        reg.f32 = v.f32;
    return reg;
}

static void make_data(struct recipe *r)
{
    struct arc_image *i = r->image;
    i->consts = NEW(r, union arc_reg, N_CONSTS);
    i->const_types = NEW(r, uint8_t, N_CONSTS);
    for (; i->n_consts < N_CONSTS; i->n_consts++) {
        i->const_types[i->n_consts] = (uint8_t)(i->n_consts % TELEM_STR);
        enum telem_type type = (enum telem_type)i->const_types[i->n_consts];
        i->consts[i->n_consts] = number(r, type);
    }
    static const struct arc_image_string strings[] = {
        {"", 0}, {"ab\xc3\xa9", 4}, {"0123456789", 10}};
    i->strings = NEW(r, struct arc_image_string, 3);
    memcpy(i->strings, strings, sizeof strings);
    i->n_strings = 3;
    static const uint64_t elements[3] = {1, 2, 3};
    i->series = NEW(r, struct arc_image_series, TELEM_STR);
    for (; i->n_series < TELEM_STR; i->n_series++)
        i->series[i->n_series] = (struct arc_image_series){
            .type = (uint8_t)i->n_series, .n = take(r, 4), .data = elements};
    static const char verbs[] = "dboOxXcfeEgGsq";
    i->formats = NEW(r, struct arc_image_format, sizeof verbs - 1);
    for (; i->n_formats < sizeof verbs - 1; i->n_formats++)
        i->formats[i->n_formats] = (struct arc_image_format){.verb = verbs[i->n_formats],
                                                             .sharp = chance(r, 20),
                                                             .plus = chance(r, 20),
                                                             .minus = chance(r, 20),
                                                             .zero = chance(r, 20),
                                                             .width = (int16_t)take(r, 30),
                                                             .precision = (int16_t)take(r, 30)};
    i->channels = NEW(r, struct arc_image_channel, N_CHANNELS);
    for (; i->n_channels < N_CHANNELS; i->n_channels++)
        i->channels[i->n_channels] = (struct arc_image_channel){.name = "c",
                                                                .type = (uint8_t)i->n_channels,
                                                                .reads = true,
                                                                .writes = true,
                                                                .authority = -1};
    i->default_authority = 255;
}

/* ---- Functions ---------------------------------------------------------------------------- */

struct body {
    struct recipe *r;
    struct arc_image_func *func;
    struct arc_image_body *out;
    uint8_t now[MAX_REGS];
    uint8_t at_target[MAX_INSNS + 8][MAX_REGS]; /* what a jump there brings along */
    bool is_target[MAX_INSNS + 8];
    uint16_t first_temp, n_regs;
    bool is_batch;
};

static bool fits(uint8_t type, uint8_t wanted)
{
    switch (wanted) {
    case ARC_VT_ANY: return type != ARC_VT_NONE;
    case ARC_VT_ANY_INT: return type <= TELEM_U64;
    case ARC_VT_ANY_REF: return type == TELEM_STR || (type >= ARC_VT_SERIES && type < ARC_VT_NONE);
    case ARC_VT_CHAN: return arc_vt_is_chan(type);
    default: return type == wanted;
    }
}

/* A register of the type, from a random place on; n_regs if there is none. */
static uint16_t find_register(struct body *b, uint8_t type, uint32_t run)
{
    uint32_t start = take(b->r, b->n_regs);
    for (uint32_t k = 0; k < b->n_regs; k++) {
        uint32_t reg = (start + k) % b->n_regs;
        uint32_t n = 0;
        while (n < run && reg + n < b->n_regs && fits(b->now[reg + n], type))
            n++;
        if (n == run)
            return (uint16_t)reg;
    }
    return b->n_regs;
}

static uint16_t temp(struct body *b)
{
    return (uint16_t)(b->first_temp + take(b->r, N_TEMPS));
}

static uint32_t imm(struct body *b, enum arc_operand_kind kind)
{
    const struct arc_image *i = b->r->image;
    switch (kind) {
    case ARC_OPD_K: return take(b->r, i->n_consts);
    case ARC_OPD_STR: return take(b->r, i->n_strings);
    case ARC_OPD_SERIES: return take(b->r, i->n_series);
    case ARC_OPD_CH: return take(b->r, i->n_channels);
    case ARC_OPD_FN: return take(b->r, N_FUNCS);
    default: return b->func->state.n > 0 ? take(b->r, b->func->state.n) : 0;
    }
}

static uint8_t sample_vt(const struct arc_image *i, uint32_t channel)
{
    return i->channels[channel].type;
}

static uint8_t result_type(const struct body *b, const struct arc_insn *insn)
{
    const struct arc_image *i = b->r->image;
    switch (insn->op) {
    case ARC_OP_LOADK: return i->const_types[insn->imm];
    case ARC_OP_LOADCH: return (uint8_t)(ARC_VT_CHAN | sample_vt(i, (uint32_t)insn->imm));
    case ARC_OP_CHRD: return sample_vt(i, (uint32_t)insn->imm);
    case ARC_OP_MOVR: return b->now[insn->b];
    case ARC_OP_CHRDR: return arc_vt_elem(b->now[insn->b]);
    case ARC_OP_SLOAD: return (uint8_t)(ARC_VT_SERIES | i->series[insn->imm].type);
    case ARC_OP_STLD:
        return b->func->state.n == 0 ? ARC_VT_NONE
                                     : i->state_types[b->func->state.first + (uint32_t)insn->imm];
    case ARC_OP_CALL: return i->funcs[insn->imm].result;
    default: return arc_operand_type(arc_op_info[insn->op].operand[0]);
    }
}

/* What the operand of an opcode should hold where the table does not say. */
static uint8_t wanted_type(const struct body *b, const struct arc_insn *insn, uint32_t k)
{
    const struct arc_image *i = b->r->image;
    uint8_t type = arc_operand_type(arc_op_info[insn->op].operand[k]);
    switch (insn->op) {
    case ARC_OP_CHRDR: return ARC_VT_CHAN;
    case ARC_OP_CHWRR: return k == 0 ? ARC_VT_CHAN : arc_vt_elem(b->now[insn->a]);
    case ARC_OP_CHWR: return sample_vt(i, (uint32_t)insn->imm);
    case ARC_OP_STST:
        return b->func->state.n == 0 ? ARC_VT_NONE
                                     : i->state_types[b->func->state.first + (uint32_t)insn->imm];
    default: return type;
    }
}

/* One that fits the type, mostly. */
static uint16_t pick_format(struct body *b, uint8_t type)
{
    if (chance(b->r, 3))
        return (uint16_t)take(b->r, b->r->image->n_formats);
    if (type == TELEM_STR)
        return (uint16_t)(12 + take(b->r, 2));
    return (uint16_t)(telem_type_is_float((enum telem_type)type) ? 7 + take(b->r, 5)
                                                                 : take(b->r, 7));
}

static bool fill_register(struct body *b, struct arc_insn *insn, uint32_t k, uint32_t run,
                          uint16_t *out)
{
    enum arc_operand_kind kind = arc_operand_kind(arc_op_info[insn->op].operand[k]);
    uint8_t type = wanted_type(b, insn, k);
    *out = kind == ARC_OPD_W ? temp(b) : find_register(b, type, run);
    if (*out == b->n_regs)
        return false;
    return kind != ARC_OPD_RW || *out >= b->first_temp;
}

/* Fills in the operand k; false: there is no register of a type that is needed. */
static bool fill_operand(struct body *b, struct arc_insn *insn, uint32_t k, uint32_t at, uint32_t n)
{
    const struct arc_op_info *info = &arc_op_info[insn->op];
    enum arc_operand_kind kind = arc_operand_kind(info->operand[k]);
    bool is_back = (info->flags & ARC_OPF_BACK) != 0;
    uint16_t *values[3] = {&insn->a, &insn->b, &insn->c};
    uint32_t jump = is_back ? take(b->r, at + 1) : 1 + take(b->r, n - at);
    switch (kind) {
    case ARC_OPD_NONE: return true;
    case ARC_OPD_W:
    case ARC_OPD_R:
    case ARC_OPD_RW: return fill_register(b, insn, k, 1, values[k]);
    case ARC_OPD_R2: return fill_register(b, insn, k, 2, values[k]);
    case ARC_OPD_R3: return fill_register(b, insn, k, 3, values[k]);
    case ARC_OPD_RN: return fill_register(b, insn, k, insn->c, values[k]);
    case ARC_OPD_N: insn->c = (uint16_t)take(b->r, 4); return true;
    case ARC_OPD_FMT: insn->c = pick_format(b, arc_operand_type(info->operand[1])); return true;
    case ARC_OPD_J16: insn->c = (uint16_t)(is_back ? -(int)jump : (int)jump); return true;
    case ARC_OPD_J32: insn->imm = is_back ? -(int32_t)jump : (int32_t)jump; return true;
    default: insn->imm = (int32_t)imm(b, kind); return true;
    }
}

static bool fill(struct body *b, struct arc_insn *insn, uint32_t at, uint32_t n)
{
    const struct arc_op_info *info = &arc_op_info[insn->op];
    bool is_wide = arc_operand_kind(info->operand[1]) >= ARC_OPD_K;
    /* What says how many or which goes first. */
    if (is_wide || arc_operand_kind(info->operand[2]) == ARC_OPD_N)
        return fill_operand(b, insn, is_wide ? 1 : 2, at, n) && fill_operand(b, insn, 0, at, n) &&
               (is_wide || fill_operand(b, insn, 1, at, n));
    for (uint32_t k = 0; k < 3; k++)
        if (!fill_operand(b, insn, k, at, n))
            return false;
    return true;
}

static void merge(uint8_t *into, const uint8_t *from, uint16_t n_regs)
{
    for (uint32_t k = 0; k < n_regs; k++)
        if (into[k] != from[k])
            into[k] = ARC_VT_NONE;
}

/* A forward jump brings the types of here to its target. */
static void note_jump(struct body *b, const struct arc_insn *insn, uint32_t at)
{
    const struct arc_op_info *info = &arc_op_info[insn->op];
    if ((info->flags & ARC_OPF_JUMP) == 0 || (info->flags & ARC_OPF_BACK) != 0)
        return;
    bool is_wide = arc_operand_kind(info->operand[1]) == ARC_OPD_J32;
    uint32_t target = at + (is_wide ? (uint32_t)insn->imm : insn->c);
    if (b->is_target[target])
        merge(b->at_target[target], b->now, b->n_regs);
    else
        memcpy(b->at_target[target], b->now, b->n_regs);
    b->is_target[target] = true;
}

/* Moves the arguments of a call to its window, the last registers of the frame. */
static uint32_t make_call(struct body *b, struct arc_insn *code, uint32_t n, struct arc_insn call)
{
    const struct arc_image *i = b->r->image;
    const struct arc_image_func *callee = &i->funcs[call.imm];
    uint16_t window = (uint16_t)(b->n_regs - 4);
    for (uint32_t k = 0; k <= callee->args.n; k++)
        if (b->is_target[n + k])
            return 0; /* a jump would go into the middle */
    for (uint32_t k = 0; k < callee->args.n; k++) {
        uint8_t vt = i->func_args[callee->args.first + k];
        uint16_t from = find_register(b, vt, 1);
        if (from == b->n_regs || from >= window)
            return 0;
        unsigned op = vt < TELEM_STR ? ARC_OP_MOV_I8 + vt : ARC_OP_MOVR;
        code[n + k] = (struct arc_insn){.op = (uint16_t)op, .a = (uint16_t)(window + k), .b = from};
    }
    call.a = window;
    code[n + callee->args.n] = call;
    memset(b->now + window, ARC_VT_NONE, 4);
    b->now[window] = callee->result;
    return callee->args.n + 1;
}

static enum arc_opcode pick_op(struct body *b)
{
    if (!b->is_batch) {
        /* Where objects come from, or most other opcodes would find nothing to work on. */
        static const enum arc_opcode makers[] = {ARC_OP_SLOAD, ARC_OP_LOADS, ARC_OP_LOADCH,
                                                 ARC_OP_CHRD, ARC_OP_CALL};
        if (chance(b->r, 25))
            return makers[take(b->r, 5)];
        enum arc_opcode op = (enum arc_opcode)take(b->r, ARC_OP_COUNT);
        bool is_end = op == ARC_OP_RET || op == ARC_OP_RET0;
        bool is_slot = op == ARC_OP_STLD || op == ARC_OP_STST;
        return is_end || (is_slot && b->func->state_mode != ARC_STATE_SLOTS) ? ARC_OP_NOP : op;
    }
    for (int tries = 0; tries < 20; tries++) {
        enum arc_opcode op = (enum arc_opcode)take(b->r, ARC_OP_COUNT);
        if ((arc_op_info[op].flags & ARC_OPF_BATCH) != 0)
            return op;
    }
    return ARC_OP_ADD_F64;
}

static uint32_t make_code(struct body *b, struct arc_insn *code, uint32_t wanted)
{
    uint32_t n = 0;
    for (uint32_t tries = 0; n < wanted && tries < 4 * MAX_INSNS; tries++) {
        if (b->is_target[n])
            merge(b->now, b->at_target[n], b->n_regs);
        struct arc_insn insn = {.op = (uint16_t)pick_op(b)};
        if (!fill(b, &insn, n, wanted))
            continue;
        if (insn.op == ARC_OP_CALL) {
            if (n + 4 < wanted)
                n += make_call(b, code, n, insn);
            continue;
        }
        note_jump(b, &insn, n);
        code[n++] = insn;
        if (arc_operand_kind(arc_op_info[insn.op].operand[0]) == ARC_OPD_W)
            b->now[insn.a] = result_type(b, &insn);
    }
    for (; n < wanted; n++) { /* jumps may count on them */
        code[n] = (struct arc_insn){.op = b->is_batch ? ARC_OP_MOV_U8 : ARC_OP_NOP};
        if (b->is_batch)
            code[n].a = code[n].b = find_register(b, TELEM_U8, 1);
    }
    if (b->is_target[n])
        merge(b->now, b->at_target[n], b->n_regs);
    return n;
}

static void start_frame(struct body *b)
{
    struct arc_image *i = b->r->image;
    memset(b->now, ARC_VT_NONE, sizeof b->now);
    uint16_t reg = 0;
    for (uint32_t k = 0; k < b->func->args.n; k++)
        b->now[reg++] = i->func_args[b->func->args.first + k];
    b->out->state_reg = reg;
    if (b->func->state_mode == ARC_STATE_REGS && !b->is_batch)
        for (uint32_t k = 0; k < b->func->state.n; k++)
            b->now[reg++] = i->state_types[b->func->state.first + k];
    b->out->k_reg = reg;
    b->out->k_first = take(b->r, 10);
    b->out->n_k = 10;
    for (uint32_t k = 0; k < 10; k++)
        b->now[reg++] = i->const_types[b->out->k_first + k];
    b->first_temp = reg;
    b->n_regs = b->out->n_regs = (uint16_t)(reg + N_TEMPS + 4);
}

static void make_body(struct recipe *r, struct arc_image_func *func, bool is_batch)
{
    struct arc_image *i = r->image;
    struct body b = {.r = r, .func = func, .is_batch = is_batch};
    b.out = is_batch ? &func->batch : &func->body;
    start_frame(&b);
    b.out->code.first = i->n_code;
    struct arc_insn *code = i->code + i->n_code;
    uint32_t n = make_code(&b, code, 1 + take(r, MAX_INSNS - 8));
    uint16_t result = find_register(&b, func->result, 1);
    if (result == b.n_regs && func->result == TELEM_STR)
        code[n++] = (struct arc_insn){.op = ARC_OP_LOADS, .a = result = b.first_temp};
    if (is_batch)
        i->func_outputs[func->outputs.first].batch_reg = result;
    else
        code[n++] = (struct arc_insn){.op = ARC_OP_RET, .a = result};
    b.out->code.n = n;
    i->n_code += n;
}

static void make_state(struct recipe *r, struct arc_image_func *func, uint32_t id)
{
    struct arc_image *i = r->image;
    func->state.first = i->n_state_slots;
    func->state_id = ARC_NONE;
    uint32_t n = take(r, 4);
    for (uint32_t k = 0; k < n; k++, i->n_state_slots++, func->state.n++)
        i->state_types[i->n_state_slots] =
            (uint8_t)(take(r, TELEM_STR + 1) | (chance(r, 30) ? ARC_VT_SERIES : 0));
    if (n == 0)
        return;
    func->state_mode = chance(r, 50) ? ARC_STATE_REGS : ARC_STATE_SLOTS;
    func->state_id = 0;
    for (uint32_t k = 0; k < id; k++)
        func->state_id += i->funcs[k].state_id != ARC_NONE;
}

static void make_signature(struct recipe *r, struct arc_image_func *func)
{
    struct arc_image *i = r->image;
    func->name = "f";
    func->writes = true;
    func->args.first = i->n_func_args;
    func->args.n = take(r, 4);
    func->n_inputs = (uint16_t)func->args.n;
    for (uint32_t k = 0; k < func->args.n; k++)
        i->func_args[i->n_func_args++] = (uint8_t)take(r, TELEM_STR + 1);
    func->result = (uint8_t)take(r, TELEM_STR + 1);
    func->outputs = (struct arc_image_range){.first = i->n_func_outputs, .n = 1};
    i->func_outputs[i->n_func_outputs++] = (struct arc_image_func_output){
        .type = func->result,
        .reg = ARC_NO_REG,
        .flag_reg = ARC_NO_REG,
        .batch_reg = ARC_NO_REG,
        .batch_flag_reg = ARC_NO_REG,
    };
}

/* One map for all: where the state of each function lies. */
static void make_maps(struct arc_image *i)
{
    uint32_t most = 0;
    uint32_t n_slots = 0;
    for (uint32_t k = 0; k < N_FUNCS; k++) {
        if (i->funcs[k].state_id != ARC_NONE)
            i->lists[i->n_lists++] = n_slots;
        n_slots += i->funcs[k].state.n;
        if (i->funcs[k].body.n_regs > most)
            most = i->funcs[k].body.n_regs;
    }
    for (uint32_t k = 0; k < N_FUNCS; k++) {
        struct arc_image_func *func = &i->funcs[k];
        func->state_map = 0;
        func->n_root_state = n_slots;
        func->stack_regs = i->stack_regs = (ARC_MAX_CALL_DEPTH + 1u) * most;
        for (uint32_t n = 0; n < func->body.code.n; n++)
            func->calls |= i->code[func->body.code.first + n].op == ARC_OP_CALL;
        if (func->batch.n_regs > i->batch_regs)
            i->batch_regs = func->batch.n_regs;
    }
}

static bool has_batch(struct recipe *r, const struct arc_image_func *func)
{
    bool is_numbers = func->result != TELEM_STR && func->state.n == 0;
    for (uint32_t k = 0; k < func->args.n; k++)
        is_numbers &= r->image->func_args[func->args.first + k] != TELEM_STR;
    return is_numbers && chance(r, 80);
}

static void make_funcs(struct recipe *r)
{
    struct arc_image *i = r->image;
    i->code = NEW(r, struct arc_insn, (size_t)(N_FUNCS + 1) * 2 * MAX_INSNS);
    i->code_lines = NEW(r, uint32_t, (size_t)(N_FUNCS + 1) * 2 * MAX_INSNS);
    i->funcs = NEW(r, struct arc_image_func, N_FUNCS);
    i->func_args = NEW(r, uint8_t, (size_t)N_FUNCS * 4);
    i->func_outputs = NEW(r, struct arc_image_func_output, N_FUNCS);
    i->state_types = NEW(r, uint8_t, (size_t)N_FUNCS * 4);
    i->state_init = NEW(r, union arc_reg, (size_t)N_FUNCS * 4);
    i->lists = NEW(r, uint32_t, 64);
    for (; i->n_funcs < N_FUNCS; i->n_funcs++) {
        make_signature(r, &i->funcs[i->n_funcs]);
        make_state(r, &i->funcs[i->n_funcs], i->n_funcs);
    }
    for (uint32_t k = 0; k < N_FUNCS; k++) {
        make_body(r, &i->funcs[k], false);
        if (has_batch(r, &i->funcs[k]))
            make_body(r, &i->funcs[k], true);
    }
    make_maps(i);
}

/* ---- Graph -------------------------------------------------------------------------------- */

static uint32_t add_node(struct arc_image *i, enum arc_image_node_kind kind, uint32_t channel,
                         uint8_t out_type)
{
    uint32_t id = i->n_nodes++;
    bool is_source = kind == ARC_IMAGE_NODE_SOURCE;
    i->nodes[id] = (struct arc_image_node){
        .kind = (uint8_t)kind,
        .run = is_source ? ARC_RUN_DATA : ARC_RUN_TRIGGERED,
        .member = id,
        .func = kind == ARC_IMAGE_NODE_FUNC ? 0 : ARC_NONE,
        .channel = channel,
        .inputs = {.first = i->n_inputs},
        .outputs = {.first = i->n_outputs, .n = 1},
    };
    i->members[i->n_members++] =
        (struct arc_image_member){.kind = ARC_MEMBER_NODE, .id = id & 0xff};
    i->outputs[i->n_outputs++] =
        (struct arc_image_output){.node = id, .type = out_type, .name = ""};
    return id;
}

static void add_edge(struct arc_image *i, uint32_t from, uint32_t to, uint8_t type)
{
    uint32_t output = i->nodes[from].outputs.first;
    i->outputs[output].edges = (struct arc_image_range){.first = i->n_edges, .n = 1};
    i->edges[i->n_edges++] = (struct arc_image_edge){.node = to, .input = i->n_inputs};
    i->inputs[i->n_inputs++] = (struct arc_image_input){
        .node = to, .type = type, .source = output, .constant = {.vt = ARC_VT_NONE}};
    i->nodes[to].inputs.n++;
}

static void make_graph(struct recipe *r)
{
    struct arc_image *i = r->image;
    const struct arc_image_func *func = &i->funcs[0];
    i->nodes = NEW(r, struct arc_image_node, 8);
    i->inputs = NEW(r, struct arc_image_input, 8);
    i->outputs = NEW(r, struct arc_image_output, 8);
    i->edges = NEW(r, struct arc_image_edge, 8);
    i->members = NEW(r, struct arc_image_member, 8);
    i->scopes = NEW(r, struct arc_image_scope, 1);
    for (uint32_t k = 0; k < func->args.n; k++) {
        uint8_t type = i->func_args[func->args.first + k];
        add_node(i, ARC_IMAGE_NODE_SOURCE, type, type);
    }
    uint32_t node = add_node(i, ARC_IMAGE_NODE_FUNC, ARC_NONE, func->result);
    if (func->args.n == 0)
        i->nodes[node].run = ARC_RUN_ONCE;
    for (uint32_t k = 0; k < func->args.n; k++)
        add_edge(i, k, node, i->func_args[func->args.first + k]);
    uint32_t sink = add_node(i, ARC_IMAGE_NODE_SINK, func->result, TELEM_U8);
    i->nodes[sink].inputs.first = i->n_inputs;
    add_edge(i, node, sink, func->result);
    for (uint32_t k = 0; k < i->n_nodes; k++)
        i->nodes[k].state.n = k == node ? func->n_root_state : 0;
    i->nodes[sink].state.first = func->n_root_state;
    i->n_state = func->n_root_state;
    i->scopes[i->n_scopes++] = (struct arc_image_scope){.name = "",
                                                        .parent = ARC_NONE,
                                                        .member = ARC_NONE,
                                                        .owner = ARC_NONE,
                                                        .top = ARC_NONE,
                                                        .members = {.n = i->n_members}};
}

static void make_lists(struct arc_image *i)
{
    struct arc_image_scope *root = &i->scopes[0];
    root->sources.first = i->n_lists;
    for (uint32_t k = 0; k < i->n_nodes; k++)
        if (i->nodes[k].run == ARC_RUN_DATA)
            i->lists[root->sources.first + root->sources.n++] = k;
    i->n_lists += root->sources.n;
    root->once.first = i->n_lists;
    for (uint32_t k = 0; k < i->n_nodes; k++)
        if (i->nodes[k].run == ARC_RUN_ONCE)
            i->lists[root->once.first + root->once.n++] = k;
    i->n_lists += root->once.n;
    for (uint32_t c = 0; c < i->n_channels; c++) {
        struct arc_image_channel *channel = &i->channels[c];
        channel->sources.first = i->n_lists;
        for (uint32_t k = 0; k < i->n_nodes; k++)
            if (i->nodes[k].kind == ARC_IMAGE_NODE_SOURCE && i->nodes[k].channel == c)
                i->lists[i->n_lists + channel->sources.n++] = k;
        i->n_lists += channel->sources.n;
        channel->source = channel->sources.n > 0;
    }
}

/* ---- Running ------------------------------------------------------------------------------ */

static void run_frames(struct recipe *r, struct arc_host_program *p)
{
    static const char text[] = "some text of samples";
    uint64_t samples[N_CHANNELS][MAX_ROWS];
    int64_t now = 1;
    enum arcd_err err = arc_host_program_start(p, now);
    for (int cycle = 0; cycle < 4 && err == ARCD_OK; cycle++) {
        struct arc_host_column columns[N_CHANNELS];
        uint32_t n = 0;
        for (uint32_t c = 0; c < N_CHANNELS; c++) {
            uint32_t rows = take(r, MAX_ROWS);
            if (rows == 0)
                continue;
            for (uint32_t k = 0; k < rows && c < TELEM_STR; k++)
                samples[c][k] = number(r, (enum telem_type)c).u64;
            for (uint32_t k = 0; k < rows && c == TELEM_STR; k++) {
                struct telem_str str = {.offset = take(r, 8), .len = take(r, 12)};
                memcpy(&samples[c][k], &str, sizeof str);
            }
            columns[n] =
                (struct arc_host_column){.channel = c, .n = rows, .data = samples[c], .text = text};
            n++;
        }
        now += 1000;
        struct arc_host_frame frame = {.columns = columns, .n_columns = n};
        err = arc_host_program_input(p, &frame, now, now);
    }
}

static void run_image(struct recipe *r, enum arc_host_mode mode)
{
    struct arc_host_options options = {
        .heap_bytes = 1 << 16, .budget = 20000, .max_rows = 64, .max_text = 4096, .mode = mode};
    struct arc_host_program *p;
    struct arcd_errinfo why;
    if (arc_host_program_new(r->image, &options, &p, &why) != ARCD_OK)
        return;
    run_frames(r, p);
    arc_host_program_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arc_image *image = calloc(1, sizeof *image);
    if (image == NULL)
        abort();
    base_arena_init(&image->arena);
    struct recipe r = {.data = data, .size = size, .image = image};
    make_data(&r);
    make_funcs(&r);
    make_graph(&r);
    make_lists(image);
    struct arcd_errinfo why;
    if (arc_verify(image, &why) == ARCD_OK) {
        run_image(&r, ARC_HOST_MODE_SAMPLE);
        run_image(&r, ARC_HOST_MODE_BATCH);
    }
    arc_image_free(image);
    return 0;
}
