/* The dispatch loop: one label for each instruction, jumped to from the end of the one before. The
 * labels are made from the same groups as the table in arc/op.h, so that a missing one does not
 * compile.
 *
 * The verifier has proven registers, types and jumps, so nothing is tested here but what only the
 * values decide: zero divisors, bounds, lengths, budget, depth and memory.
 */
#include "arc_host/machine.h"

#include "arc_host/number.h"

#include <string.h>

/* Registers by type. */
#define GET_I8(x) ((int8_t)(x).i64)
#define GET_I16(x) ((int16_t)(x).i64)
#define GET_I32(x) ((int32_t)(x).i64)
#define GET_I64(x) ((x).i64)
#define GET_U8(x) ((uint8_t)(x).u64)
#define GET_U16(x) ((uint16_t)(x).u64)
#define GET_U32(x) ((uint32_t)(x).u64)
#define GET_U64(x) ((x).u64)
#define GET_F32(x) ((x).f32)
#define GET_F64(x) ((x).f64)
#define PUT_I8(x, v) ((x).i64 = (v))
#define PUT_I16(x, v) ((x).i64 = (v))
#define PUT_I32(x, v) ((x).i64 = (v))
#define PUT_I64(x, v) ((x).i64 = (v))
#define PUT_U8(x, v) ((x).u64 = (v))
#define PUT_U16(x, v) ((x).u64 = (v))
#define PUT_U32(x, v) ((x).u64 = (v))
#define PUT_U64(x, v) ((x).u64 = (v))
#define PUT_F32(x, v) ((x).f32 = (v))
#define PUT_F64(x, v) ((x).f64 = (v))
#define FN_I8(op) arc_host_##op##_i8
#define FN_I16(op) arc_host_##op##_i16
#define FN_I32(op) arc_host_##op##_i32
#define FN_I64(op) arc_host_##op##_i64
#define FN_U8(op) arc_host_##op##_u8
#define FN_U16(op) arc_host_##op##_u16
#define FN_U32(op) arc_host_##op##_u32
#define FN_U64(op) arc_host_##op##_u64
#define FN_F32(op) arc_host_##op##_f32
#define FN_F64(op) arc_host_##op##_f64
#define CAST_I8(from) arc_host_cast_##from##_i8
#define CAST_I16(from) arc_host_cast_##from##_i16
#define CAST_I32(from) arc_host_cast_##from##_i32
#define CAST_I64(from) arc_host_cast_##from##_i64
#define CAST_U8(from) arc_host_cast_##from##_u8
#define CAST_U16(from) arc_host_cast_##from##_u16
#define CAST_U32(from) arc_host_cast_##from##_u32
#define CAST_U64(from) arc_host_cast_##from##_u64
#define CAST_F32(from) arc_host_cast_##from##_f32
#define CAST_F64(from) arc_host_cast_##from##_f64

/* ---- Frames */

static ARCD_RT uint32_t state_offset(const struct arc_image *image, uint32_t root, uint32_t func)
{
    return image->lists[image->funcs[root].state_map + image->funcs[func].state_id];
}

/* The slots of `func` when it runs under the node's root function; NULL: it has none. */
static ARCD_RT union arc_reg *state_of(struct arc_host_program *p, uint32_t func)
{
    const struct arc_image *image = p->image;
    if (image->funcs[func].state.n == 0)
        return NULL;
    return p->state + p->machine.state_first + state_offset(image, p->machine.root, func);
}

static ARCD_RT void load_frame(struct arc_host_program *p, const struct arc_image_func *func,
                               union arc_reg *regs, const union arc_reg *state)
{
    const struct arc_image_body *body = &func->body;
    for (uint32_t k = 0; k < body->n_k; k++)
        regs[body->k_reg + k] = p->image->consts[body->k_first + k];
    if (func->state_mode == ARC_STATE_REGS)
        memcpy(regs + body->state_reg, state, func->state.n * sizeof *state);
    p->machine.top = regs + body->n_regs;
}

static ARCD_RT void save_state(const struct arc_image_func *func, const union arc_reg *regs,
                               union arc_reg *state)
{
    if (func->state_mode == ARC_STATE_REGS)
        memcpy(state, regs + func->body.state_reg, func->state.n * sizeof *state);
}

ARCD_RT union arc_reg *arc_host_machine_open(struct arc_host_program *p, uint32_t node)
{
    const struct arc_image_node *n = &p->image->nodes[node];
    const struct arc_image_func *func = &p->image->funcs[n->func];
    struct arc_host_machine *m = &p->machine;
    m->root = n->func;
    m->state_first = n->state.first;
    m->root_state = state_of(p, n->func);
    m->rows_left = 0;
    m->root_cost = func->body.code.n;
    m->entry = p->image->code + func->body.code.first;
    load_frame(p, func, m->stack, m->root_state);
    for (uint32_t i = 0; i < n->config.n; i++)
        m->stack[func->n_inputs + i] = arc_host_config(p, n, i);
    return m->stack;
}

ARCD_RT void arc_host_machine_close(struct arc_host_program *p)
{
    uint32_t root = p->machine.root;
    save_state(&p->image->funcs[root], p->machine.stack, p->machine.root_state);
    p->machine.top = p->machine.stack;
}

static ARCD_RT bool stop_at(struct arc_host_program *p, uint32_t func, const struct arc_insn *insn)
{
    p->fault.function = func;
    p->fault.line = p->image->code_lines[insn - p->image->code];
    return false;
}

/* A value from a channel, as the register of its type. */
static ARCD_RT union arc_reg newest_of(const struct arc_host_program *p, uint32_t channel)
{
    return p->chans[channel].newest;
}

/* Index 0 .. n-1 of an index that may count from the end; false: out of bounds. */
static inline bool find_index(int64_t *index, uint32_t n)
{
    if (*index < 0)
        *index += n;
    return *index >= 0 && *index < n;
}

/* ---- The loop */

#define A (r[i->a])
#define B (r[i->b])
#define C (r[i->c])
#define OBJECT(reg) arc_host_heap_get(&p->heap, (reg).ref)

/* A jump of its own behind every instruction: the processor learns what follows what. Instrumented
 * code shares one, since tools need hours for a thousand jumps to a thousand places. */
#ifdef ARCD_SANITIZED
#define NEXT goto next
#else
#define NEXT                                                                                       \
    do {                                                                                           \
        i = pc++;                                                                                  \
        goto *LABELS[i->op];                                                                       \
    } while (0)
#endif
#define JUMP(offset)                                                                               \
    do {                                                                                           \
        pc = i + (offset);                                                                         \
        NEXT;                                                                                      \
    } while (0)
#define JUMP_BACK(offset)                                                                          \
    do {                                                                                           \
        budget -= 1 - (offset);                                                                    \
        if (ARCD_UNLIKELY(budget < 0))                                                             \
            goto out_of_budget;                                                                    \
        JUMP(offset);                                                                              \
    } while (0)
#define STOP(...)                                                                                  \
    do {                                                                                           \
        arc_host_stop(p, (struct arc_host_fault){__VA_ARGS__});                                    \
        goto failed;                                                                               \
    } while (0)
/* Calls outside the loop may charge the budget. */
#define OUTSIDE(call)                                                                              \
    do {                                                                                           \
        p->machine.budget = budget;                                                                \
        if (ARCD_UNLIKELY(!(call)))                                                                \
            goto failed;                                                                           \
        budget = p->machine.budget;                                                                \
        NEXT;                                                                                      \
    } while (0)

#define CASE_UN(X, T, OP, fn)                                                                      \
    L_##OP##_##T : PUT_##T(A, FN_##T(fn)(GET_##T(B)));                                             \
    NEXT;
#define CASE_MOV(X, T, OP, none)                                                                   \
    L_##OP##_##T : PUT_##T(A, GET_##T(B));                                                         \
    NEXT;
#define CASE_BIN(X, T, OP, fn)                                                                     \
    L_##OP##_##T : PUT_##T(A, FN_##T(fn)(GET_##T(B), GET_##T(C)));                                 \
    NEXT;
#define CASE_DIV(X, T, OP, fn, kind_)                                                              \
    L_##OP##_##T : if (ARCD_UNLIKELY(GET_##T(C) == 0)) STOP(.kind = ARC_HOST_FAULT_##kind_);       \
    PUT_##T(A, FN_##T(fn)(GET_##T(B), GET_##T(C)));                                                \
    NEXT;
#define CASE_POW(X, T, OP, fn)                                                                     \
    L_##OP##_##T : if (ARCD_UNLIKELY(FN_##T(pow_faults)(GET_##T(B), GET_##T(C))))                  \
                       STOP(.kind = ARC_HOST_FAULT_POWER, .a = C.i64);                             \
    PUT_##T(A, FN_##T(fn)(GET_##T(B), GET_##T(C)));                                                \
    NEXT;
#define CASE_CMP(X, T, OP, op)                                                                     \
    L_##OP##_##T : A.u64 = GET_##T(B) op GET_##T(C);                                               \
    NEXT;
#define CASE_TRUE(X, T, OP, none)                                                                  \
    L_##OP##_##T : A.u64 = GET_##T(B) != 0;                                                        \
    NEXT;
#define CASE_CMOV(X, T, OP, none)                                                                  \
    L_##OP##_##T : if (GET_U8(B) != 0) PUT_##T(A, GET_##T(C));                                     \
    NEXT;
#define CASE_INTO(X, T, OP, fn)                                                                    \
    L_##OP##_##T : PUT_##T(A, FN_##T(fn)(GET_##T(A), FN_##T(mul)(GET_##T(B), GET_##T(C))));        \
    NEXT;
#define CASE_LIMIT(X, T, OP, test)                                                                 \
    L_##OP##_##T : if (GET_##T(B) test GET_##T(C)) PUT_##T(A, GET_##T(B));                         \
    NEXT;
#define CASE_JCMP(X, T, OP, op)                                                                    \
    L_##OP##_##T : if (GET_##T(A) op GET_##T(B)) JUMP((int16_t)i->c);                              \
    NEXT;
#define CASE_JNCMP(X, T, OP, op)                                                                   \
    L_##OP##_##T : if (!(GET_##T(A) op GET_##T(B))) JUMP((int16_t)i->c);                           \
    NEXT;
#define CASE_FOR(X, T, OP, none)                                                                   \
    L_##OP##_##T : PUT_##T(A, FN_##T(add)(GET_##T(A), 1));                                         \
    if (GET_##T(A) < GET_##T(B))                                                                   \
        JUMP_BACK((int16_t)i->c);                                                                  \
    NEXT;
#define CASE_CVT(X, TO, FROM, from)                                                                \
    L_CVT_##FROM##_##TO : PUT_##TO(A, CAST_##TO(from)(GET_##FROM(B)));                             \
    NEXT;
#define CASE_CVTS(FROM, from)                                                                      \
    CASE_CVT(_, I8, FROM, from)                                                                    \
    CASE_CVT(_, I16, FROM, from)                                                                   \
    CASE_CVT(_, I32, FROM, from)                                                                   \
    CASE_CVT(_, I64, FROM, from)                                                                   \
    CASE_CVT(_, U8, FROM, from)                                                                    \
    CASE_CVT(_, U16, FROM, from)                                                                   \
    CASE_CVT(_, U32, FROM, from)                                                                   \
    CASE_CVT(_, U64, FROM, from)                                                                   \
    CASE_CVT(_, F32, FROM, from)                                                                   \
    CASE_CVT(_, F64, FROM, from)
#define CASE_SGET(X, T, OP, ctype)                                                                 \
    L_##OP##_##T:                                                                                  \
    {                                                                                              \
        const struct arc_host_object *s = OBJECT(B);                                               \
        int64_t at = C.i64;                                                                        \
        if (ARCD_UNLIKELY(!find_index(&at, s->n)))                                                 \
            STOP(.kind = ARC_HOST_FAULT_INDEX, .a = C.i64, .b = s->n);                             \
        PUT_##T(A, ((const ctype *)(const void *)s->data)[at]);                                    \
        NEXT;                                                                                      \
    }
#define CASE_SSET(X, T, OP, ctype)                                                                 \
    L_##OP##_##T:                                                                                  \
    {                                                                                              \
        const struct arc_host_object *s = OBJECT(A);                                               \
        int64_t at = B.i64;                                                                        \
        if (ARCD_UNLIKELY(!find_index(&at, s->n)))                                                 \
            STOP(.kind = ARC_HOST_FAULT_INDEX, .a = B.i64, .b = s->n);                             \
        ((ctype *)(void *)s->data)[at] = GET_##T(C);                                               \
        NEXT;                                                                                      \
    }
/* One shape for each operation on series whose types do not matter here. */
#define CASE_LEN(X, T, OP, none) L_##OP##_##T:
#define CASE_SNEW(X, T, OP, none) L_##OP##_##T : OUTSIDE(arc_host_series_new(p, i, r, TELEM_##T));
#define CASE_SCUT(X, T, OP, none)                                                                  \
    L_##OP##_##T : OUTSIDE(arc_host_series_cut(p, i, r, arc_host_type_size(TELEM_##T)));
#define CASE_SHARED(X, T, OP, none) L_##OP##_##T:
#define CASE_SHARED_S(X, T, OP, none) L_S##OP##_VV_##T : L_S##OP##_VS_##T : L_S##OP##_SV_##T:
#define CASE_TOSTR(X, T, OP, form)                                                                 \
    L_##OP##_##T : OUTSIDE(arc_host_text_of_##form(p, i, GET_##T(B), r, NULL));
#define CASE_FMT(X, T, OP, form)                                                                   \
    L_##OP##_##T : OUTSIDE(arc_host_text_of_##form(p, i, GET_##T(B), r, &image->formats[i->c]));

#define EACH_TYPED(F, OP)                                                                          \
    F(_, I8, OP, int8_t)                                                                           \
    F(_, I16, OP, int16_t)                                                                         \
    F(_, I32, OP, int32_t)                                                                         \
    F(_, I64, OP, int64_t)                                                                         \
    F(_, U8, OP, uint8_t)                                                                          \
    F(_, U16, OP, uint16_t)                                                                        \
    F(_, U32, OP, uint32_t)                                                                        \
    F(_, U64, OP, uint64_t)                                                                        \
    F(_, F32, OP, float)                                                                           \
    F(_, F64, OP, double)

ARCD_RT bool arc_host_machine_run(struct arc_host_program *p)
{
#define LABEL(name, a, b, c, flags, text) [ARC_OP_##name] = &&L_##name,
    static const void *const LABELS[ARC_OP_COUNT] = {ARC_OPCODES(LABEL)};
#undef LABEL
    const struct arc_image *image = p->image;
    struct arc_host_machine *m = &p->machine;
    uint32_t func = m->root;
    const struct arc_insn *pc = m->entry;
    const struct arc_insn *i = pc;
    union arc_reg *r = m->stack;
    union arc_reg *state = m->root_state;
    struct arc_host_call *call = m->calls;
    int64_t budget = m->budget - m->root_cost;
    if (ARCD_UNLIKELY(budget < 0))
        goto out_of_budget;
#ifdef ARCD_SANITIZED
next:
    i = pc++;
    goto *LABELS[i->op];
#else
    NEXT;
#endif

    /* Moves and control. */
L_NOP:
    NEXT;
L_LOADK:
    A = image->consts[i->imm];
    NEXT;
L_LOADS:
    A.ref = p->string_refs[i->imm];
    NEXT;
L_LOADCH:
    A.u64 = (uint32_t)i->imm;
    NEXT;
L_MOVR:
    A = B;
    NEXT;
L_JMP:
    JUMP(i->imm);
L_LOOP:
    JUMP_BACK(i->imm);
L_JZ:
    if (A.i64 == 0)
        JUMP(i->imm);
    NEXT;
L_JNZ:
    if (A.i64 != 0)
        JUMP(i->imm);
    NEXT;
L_JZ_F32:
    if (A.f32 == 0)
        JUMP(i->imm);
    NEXT;
L_JNZ_F32:
    if (A.f32 != 0)
        JUMP(i->imm);
    NEXT;
L_JZ_F64:
    if (A.f64 == 0)
        JUMP(i->imm);
    NEXT;
L_JNZ_F64:
    if (A.f64 != 0)
        JUMP(i->imm);
    NEXT;

L_CALL : {
    uint32_t callee_id = (uint32_t)i->imm;
    const struct arc_image_func *callee = &image->funcs[callee_id];
    union arc_reg *regs = r + i->a;
    budget -= callee->body.code.n;
    if (ARCD_UNLIKELY(budget < 0))
        goto out_of_budget;
    if (ARCD_UNLIKELY(call == m->calls + ARC_MAX_CALL_DEPTH ||
                      callee->body.n_regs > m->stack_end - regs))
        STOP(.kind = ARC_HOST_FAULT_RECURSION, .a = ARC_MAX_CALL_DEPTH);
    *call++ = (struct arc_host_call){.back = pc, .regs = r, .state = state, .func = func};
    func = callee_id;
    r = regs;
    state = state_of(p, func);
    load_frame(p, callee, r, state);
    pc = image->code + callee->body.code.first;
    NEXT;
}
L_RET:
    m->result = A;
    goto finish;
L_RET0:
finish:
    if (call == m->calls) {
        if (m->rows_left == 0) {
            m->budget = budget;
            return true;
        }
        m->rows_left--;
        *m->row_out++ = m->result.u64;
        r[m->row_reg].u64 = *m->row_in++;
        m->time_ns = *m->row_times++;
        pc = m->entry;
        budget -= m->root_cost;
        if (ARCD_UNLIKELY(budget < 0))
            goto out_of_budget;
        NEXT;
    }
    save_state(&image->funcs[func], r, state);
    r[0] = m->result; /* the register that the call names */
    call--;
    pc = call->back;
    r = call->regs;
    state = call->state;
    func = call->func;
    m->top = r + image->funcs[func].body.n_regs;
    NEXT;

    /* Numbers. */
    ARC_EACH_NUM(CASE_MOV, _, MOV, 0)
    ARC_EACH_NUM(CASE_BIN, _, ADD, add)
    ARC_EACH_NUM(CASE_BIN, _, SUB, sub)
    ARC_EACH_NUM(CASE_BIN, _, MUL, mul)
    ARC_EACH_INT(CASE_DIV, _, DIV, div, DIVISION)
    ARC_EACH_FLOAT(CASE_BIN, _, DIV, div)
    ARC_EACH_INT(CASE_DIV, _, MOD, mod, MODULO)
    ARC_EACH_NUM(CASE_POW, _, POW, pow)
    ARC_EACH_NUM(CASE_UN, _, NEG, neg)
    ARC_EACH_NUM(CASE_INTO, _, MULADD, add)
    ARC_EACH_NUM(CASE_INTO, _, MULSUB, sub)

    ARC_EACH_NUM(CASE_CMP, _, EQ, ==)
    ARC_EACH_NUM(CASE_CMP, _, NE, !=)
    ARC_EACH_NUM(CASE_CMP, _, LT, <)
    ARC_EACH_NUM(CASE_CMP, _, LE, <=)
    ARC_EACH_NUM(CASE_TRUE, _, TRUE, 0)

L_NOT:
    A.u64 = B.u64 == 0;
    NEXT;
L_AND:
    A.u64 = (B.u64 != 0) & (C.u64 != 0);
    NEXT;
L_OR:
    A.u64 = (B.u64 | C.u64) != 0;
    NEXT;
L_ANDNOT:
    A.u64 = (B.u64 != 0) & (C.u64 == 0);
    NEXT;
    ARC_EACH_NUM(CASE_CMOV, _, CMOV, 0)
    ARC_EACH_NUM(CASE_LIMIT, _, CAPLT, <)
    ARC_EACH_NUM(CASE_LIMIT, _, CAPLE, <=)
    ARC_EACH_NUM(CASE_LIMIT, _, LIFTLT, >)
    ARC_EACH_NUM(CASE_LIMIT, _, LIFTLE, >=)

    ARC_EACH_NUM(CASE_JCMP, _, JEQ, ==)
    ARC_EACH_NUM(CASE_JCMP, _, JNE, !=)
    ARC_EACH_NUM(CASE_JCMP, _, JLT, <)
    ARC_EACH_NUM(CASE_JCMP, _, JLE, <=)
    ARC_EACH_NUM(CASE_JNCMP, _, JNLT, <)
    ARC_EACH_NUM(CASE_JNCMP, _, JNLE, <=)
    ARC_EACH_INT(CASE_FOR, _, FOR, 0)

    CASE_CVTS(I8, i8)
    CASE_CVTS(I16, i16)
    CASE_CVTS(I32, i32)
    CASE_CVTS(I64, i64)
    CASE_CVTS(U8, u8)
    CASE_CVTS(U16, u16)
    CASE_CVTS(U32, u32)
    CASE_CVTS(U64, u64)
    CASE_CVTS(F32, f32)
    CASE_CVTS(F64, f64)
L_INDEX_U64:
    A.i64 = B.u64 > INT64_MAX ? INT64_MAX : (int64_t)B.u64;
    NEXT;

    /* Channels, state, time, status. */
L_CHRD:
    A = newest_of(p, (uint32_t)i->imm);
    NEXT;
L_CHRDR:
    A = newest_of(p, (uint32_t)B.u64);
    NEXT;
L_CHWR:
    OUTSIDE(arc_host_write(p, (uint32_t)i->imm, A, m->time_ns));
L_CHWRR:
    OUTSIDE(arc_host_write(p, (uint32_t)A.u64, B, m->time_ns));
L_STLD:
    A = state[i->imm];
    NEXT;
L_STST:
    state[i->imm] = A;
    NEXT;
L_NOW:
    A.i64 = arc_host_now(p);
    NEXT;
L_STATUS:
    A = arc_host_set_status(p, &B, &(uint64_t){0});
    NEXT;

    /* Strings. */
L_CONCAT:
    OUTSIDE(arc_host_text_join(p, i, (const union arc_reg[]){B, C}, 2, r));
L_JOIN:
    OUTSIDE(arc_host_text_join(p, i, &B, i->c, r));
L_STRGET : {
    const struct arc_host_object *s = OBJECT(B);
    int64_t at = C.i64;
    if (ARCD_UNLIKELY(!find_index(&at, s->n)))
        STOP(.kind = ARC_HOST_FAULT_INDEX, .a = C.i64, .b = s->n);
    A.u64 = (uint8_t)s->data[at];
    NEXT;
}
L_STRCUT:
    OUTSIDE(arc_host_series_cut(p, i, r, 1));
L_STRLEN:
    EACH_TYPED(CASE_LEN, SLEN)
    A.i64 = OBJECT(B)->n;
    NEXT;
L_EQ_STR:
    A.u64 = arc_host_text_equal(&p->heap, B, C);
    NEXT;
L_NE_STR:
    A.u64 = !arc_host_text_equal(&p->heap, B, C);
    NEXT;
    ARC_EACH_SIGNED_INT(CASE_TOSTR, _, TOSTR, i64)
    CASE_TOSTR(_, U8, TOSTR, u64)
    CASE_TOSTR(_, U16, TOSTR, u64)
    CASE_TOSTR(_, U32, TOSTR, u64)
    CASE_TOSTR(_, U64, TOSTR, u64)
    CASE_TOSTR(_, F32, TOSTR, f32)
    CASE_TOSTR(_, F64, TOSTR, f64)
    CASE_FMT(_, I64, FMT, i64)
    CASE_FMT(_, U64, FMT, u64)
    CASE_FMT(_, F32, FMT, f32)
    CASE_FMT(_, F64, FMT, f64)
L_FMT_STR:
    OUTSIDE(arc_host_text_of_str(p, i, r, &image->formats[i->c]));

    /* Series. */
L_SLOAD:
    OUTSIDE(arc_host_series_load(p, i, r));
    EACH_TYPED(CASE_SNEW, SNEW)
    EACH_TYPED(CASE_SGET, SGET)
    EACH_TYPED(CASE_SSET, SSET)
    EACH_TYPED(CASE_SCUT, SCUT)
    ARC_EACH_NUM(CASE_SHARED, _, SNEG, 0)
L_SNOT_U8:
    OUTSIDE(arc_host_series_unary(p, i, r));
    ARC_EACH_NUM(CASE_SHARED_S, _, ADD, 0)
    ARC_EACH_NUM(CASE_SHARED_S, _, SUB, 0)
    ARC_EACH_NUM(CASE_SHARED_S, _, MUL, 0)
    ARC_EACH_NUM(CASE_SHARED_S, _, DIV, 0)
    ARC_EACH_NUM(CASE_SHARED_S, _, MOD, 0)
    ARC_EACH_NUM(CASE_SHARED_S, _, POW, 0)
    ARC_EACH_NUM(CASE_SHARED_S, _, EQ, 0)
    ARC_EACH_NUM(CASE_SHARED_S, _, NE, 0)
    ARC_EACH_NUM(CASE_SHARED_S, _, LT, 0)
    ARC_EACH_NUM(CASE_SHARED_S, _, LE, 0)
    OUTSIDE(arc_host_series_binary(p, i, r));

out_of_budget:
    arc_host_stop(
        p, (struct arc_host_fault){.kind = ARC_HOST_FAULT_BUDGET, .a = (int64_t)p->options.budget});
failed:
    return stop_at(p, func, i);
}
