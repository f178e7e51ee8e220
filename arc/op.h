/* arc/op.h - the instructions of the Arc machine, as one table.
 *
 * The enum, the disassembler, the verifier and the machine's dispatch are all made from
 * ARC_OPCODES: a new instruction is one line here and one case in the machine.
 *
 * Shape. Every instruction is 8 bytes: a 16-bit opcode and three 16-bit operands a, b, c, or one
 * operand a and one 32-bit operand imm. Opcodes carry the type of what they work on: registers have
 * no tags. A register is 8 bytes; integers narrower than 64 bits are always kept sign-extended
 * (signed) or zero-extended (unsigned), and every operation wraps at its own width before it
 * writes. An f32 lives in .f32, the upper half is undefined. Strings and series are references into
 * the program's heap; what a reference holds is the machine's own affair, but 0 is always the empty
 * string and the empty series.
 *
 * Frames. A function sees registers 0..n_regs-1. The first n_args hold its arguments (inputs, then
 * config values) and are never written by the body, so a machine may set one that does not change
 * once for a whole batch. Registers k_reg..k_reg+n_k-1 hold the function's constants, copied in
 * when the frame is made and never written. Registers state_reg.. hold its stateful variables while
 * it runs (image.h). Everything else is written before it is read: the verifier proves that, and so
 * nothing has to be cleared.
 * CALL a, fn: the arguments stand in a, a+1, ...; the callee's register 0 is the caller's register
 * a; its result comes back in a. What the caller had at a and above is gone.
 *
 * Jumps are relative to the jumping instruction (target = its index + offset) and stay in the
 * function. Only LOOP and FOR_* go backward.
 *
 * Budget. A body costs its n_code when it is entered (by the scheduler or by CALL), and a backward
 * jump that is taken costs the instructions from its target to itself, both included (1 - offset):
 * an upper bound of the instructions executed, the same in every way of running the body.
 */
#ifndef ARC_OP_H
#define ARC_OP_H

#include "telem/type.h"

#include <stdint.h>

union arc_reg {
    int64_t i64;
    uint64_t u64;
    double f64;
    float f32;
    uint64_t ref;  /* string or series in the program heap, 0 = empty */
    uint32_t chan; /* index into the image's channels */
};

struct arc_insn {
    uint16_t op;
    uint16_t a;
    union {
        struct {
            uint16_t b, c;
        };
        int32_t imm;
    };
};

_Static_assert(sizeof(struct arc_insn) == 8, "an instruction is 8 bytes");
_Static_assert(sizeof(union arc_reg) == 8, "a register is 8 bytes");

/* Type of a register: a number type or TELEM_STR as it is (a timestamp is an i64), a series or a
 * channel reference with its element type in the low bits. */
enum {
    ARC_VT_SERIES = 0x20,  /* | element type, 0x20..0x29 (and 0x2a: series of str, never made) */
    ARC_VT_CHAN = 0x40,    /* | sample type */
    ARC_VT_NONE = 0x7f,    /* never written, or of different types on two ways here */
    ARC_VT_ANY = 0x80,     /* in the table only: decided by the rule in the comment */
    ARC_VT_ANY_INT = 0x81, /* any of the eight integer types */
    ARC_VT_ANY_REF = 0x82, /* str, series or channel */
};

static inline uint8_t arc_vt_elem(uint8_t vt)
{
    return (uint8_t)(vt & 0x1f);
}
static inline int arc_vt_is_series(uint8_t vt)
{
    return (vt & 0xe0) == ARC_VT_SERIES;
}
static inline int arc_vt_is_chan(uint8_t vt)
{
    return (vt & 0xe0) == ARC_VT_CHAN;
}

/* What an operand is. */
enum arc_operand_kind {
    ARC_OPD_NONE,
    ARC_OPD_W,      /* register, written */
    ARC_OPD_R,      /* register, read */
    ARC_OPD_RW,     /* register, read and written */
    ARC_OPD_R2,     /* this register and the next, read */
    ARC_OPD_R3,     /* this register and the next two, read */
    ARC_OPD_RN,     /* first of a run of registers, read; the next operand is their number */
    ARC_OPD_N,      /* number of registers of the run */
    ARC_OPD_K,      /* imm: index into consts */
    ARC_OPD_STR,    /* imm: index into strings */
    ARC_OPD_SERIES, /* imm: index into series */
    ARC_OPD_CH,     /* imm: index into channels */
    ARC_OPD_FN,     /* imm: index into funcs */
    ARC_OPD_STATE,  /* imm: slot of this function's state, 0..n_state-1 */
    ARC_OPD_FMT,    /* c: index into formats */
    ARC_OPD_J16,    /* c: signed 16-bit jump */
    ARC_OPD_J32,    /* imm: signed 32-bit jump */
};

#define ARC_OPERAND(kind, type) ((uint16_t)((kind) << 8 | (type)))

/* What an instruction may do. */
enum {
    ARC_OPF_BATCH = 1,     /* may stand in batch code: pure, numbers only, no fault */
    ARC_OPF_FAULT = 2,     /* may stop the program */
    ARC_OPF_JUMP = 4,      /* has a jump operand */
    ARC_OPF_BACK = 8,      /* the jump goes backward (else strictly forward) */
    ARC_OPF_END = 16,      /* control never reaches the next instruction */
    ARC_OPF_EFFECT = 32,   /* does something beyond writing its register: never removed */
    ARC_OPF_SWAP = 64,     /* b and c may change places */
    ARC_OPF_BATCH_K = 128, /* may stand in batch code if c is a constant register that cannot fault
                              (DIV, MOD: not zero; POW of integers: not negative) */
};

/* Short names for the table; undefined again at the end of this header. */
#define ARC_W_(T) ARC_OPERAND(ARC_OPD_W, TELEM_##T)
#define ARC_R_(T) ARC_OPERAND(ARC_OPD_R, TELEM_##T)
#define ARC_RW_(T) ARC_OPERAND(ARC_OPD_RW, TELEM_##T)
#define ARC_WS_(T) ARC_OPERAND(ARC_OPD_W, ARC_VT_SERIES | TELEM_##T)
#define ARC_RS_(T) ARC_OPERAND(ARC_OPD_R, ARC_VT_SERIES | TELEM_##T)
#define ARC_RN_(T) ARC_OPERAND(ARC_OPD_RN, TELEM_##T)
#define ARC_R2_(T) ARC_OPERAND(ARC_OPD_R2, TELEM_##T)
#define ARC_R3_(T) ARC_OPERAND(ARC_OPD_R3, TELEM_##T)
#define ARC_W_ANY ARC_OPERAND(ARC_OPD_W, ARC_VT_ANY)
#define ARC_R_ANY ARC_OPERAND(ARC_OPD_R, ARC_VT_ANY)
#define ARC_W_REF ARC_OPERAND(ARC_OPD_W, ARC_VT_ANY_REF)
#define ARC_R_REF ARC_OPERAND(ARC_OPD_R, ARC_VT_ANY_REF)
#define ARC_R_INT ARC_OPERAND(ARC_OPD_R, ARC_VT_ANY_INT)
#define ARC_X_(KIND) ARC_OPERAND(ARC_OPD_##KIND, ARC_VT_ANY)
#define ARC_0 ARC_OPERAND(ARC_OPD_NONE, 0)

/* F(X, OP, T, ...) for each type of a group. */
#define ARC_EACH_SIGNED_INT(F, X, ...)                                                             \
    F(X, I8, __VA_ARGS__) F(X, I16, __VA_ARGS__) F(X, I32, __VA_ARGS__) F(X, I64, __VA_ARGS__)
#define ARC_EACH_INT(F, X, ...)                                                                    \
    ARC_EACH_SIGNED_INT(F, X, __VA_ARGS__)                                                         \
    F(X, U8, __VA_ARGS__) F(X, U16, __VA_ARGS__) F(X, U32, __VA_ARGS__) F(X, U64, __VA_ARGS__)
#define ARC_EACH_FLOAT(F, X, ...) F(X, F32, __VA_ARGS__) F(X, F64, __VA_ARGS__)
#define ARC_EACH_NUM(F, X, ...) ARC_EACH_INT(F, X, __VA_ARGS__) ARC_EACH_FLOAT(F, X, __VA_ARGS__)

/* Forms of the families. */
#define ARC_F_UN(X, T, OP, flags, text) X(OP##_##T, ARC_W_(T), ARC_R_(T), ARC_0, flags, text)
#define ARC_F_BIN(X, T, OP, flags, text) X(OP##_##T, ARC_W_(T), ARC_R_(T), ARC_R_(T), flags, text)
#define ARC_F_CMP(X, T, OP, flags, text) X(OP##_##T, ARC_W_(U8), ARC_R_(T), ARC_R_(T), flags, text)
#define ARC_F_TRUE(X, T, OP, flags, text) X(OP##_##T, ARC_W_(U8), ARC_R_(T), ARC_0, flags, text)
#define ARC_F_CMOV(X, T, OP, flags, text)                                                          \
    X(OP##_##T, ARC_RW_(T), ARC_R_(U8), ARC_R_(T), flags, text)
#define ARC_F_JCMP(X, T, OP, flags, text)                                                          \
    X(OP##_##T, ARC_R_(T), ARC_R_(T), ARC_X_(J16), flags, text)
#define ARC_F_FOR(X, T, OP, flags, text)                                                           \
    X(OP##_##T, ARC_RW_(T), ARC_R_(T), ARC_X_(J16), flags, text)
#define ARC_F_STR(X, T, OP, flags, text) X(OP##_##T, ARC_W_(STR), ARC_R_(T), ARC_0, flags, text)
#define ARC_F_FMT(X, T, OP, flags, text)                                                           \
    X(OP##_##T, ARC_W_(STR), ARC_R_(T), ARC_X_(FMT), flags, text)
#define ARC_F_CVT(X, TO, FROM, flags, text)                                                        \
    X(CVT_##FROM##_##TO, ARC_W_(TO), ARC_R_(FROM), ARC_0, flags, text)
#define ARC_F_CVT_FROM(X, FROM, flags, text)                                                       \
    ARC_F_CVT(X, I8, FROM, flags, text)                                                            \
    ARC_F_CVT(X, I16, FROM, flags, text)                                                           \
    ARC_F_CVT(X, I32, FROM, flags, text)                                                           \
    ARC_F_CVT(X, I64, FROM, flags, text)                                                           \
    ARC_F_CVT(X, U8, FROM, flags, text)                                                            \
    ARC_F_CVT(X, U16, FROM, flags, text)                                                           \
    ARC_F_CVT(X, U32, FROM, flags, text)                                                           \
    ARC_F_CVT(X, U64, FROM, flags, text)                                                           \
    ARC_F_CVT(X, F32, FROM, flags, text)                                                           \
    ARC_F_CVT(X, F64, FROM, flags, text)
#define ARC_F_INTO(X, T, OP, flags, text) X(OP##_##T, ARC_RW_(T), ARC_R_(T), ARC_R_(T), flags, text)
/* Series: new from registers, element read and write, slice, length, negate. */
#define ARC_F_SNEW(X, T, OP, flags, text)                                                          \
    X(OP##_##T, ARC_WS_(T), ARC_RN_(T), ARC_X_(N), flags, text)
#define ARC_F_SGET(X, T, OP, flags, text)                                                          \
    X(OP##_##T, ARC_W_(T), ARC_RS_(T), ARC_R_(I64), flags, text)
#define ARC_F_SSET(X, T, OP, flags, text)                                                          \
    X(OP##_##T, ARC_RS_(T), ARC_R_(I64), ARC_R_(T), flags, text)
#define ARC_F_SCUT(X, T, OP, flags, text)                                                          \
    X(OP##_##T, ARC_WS_(T), ARC_RS_(T), ARC_R2_(I64), flags, text)
#define ARC_F_SLEN(X, T, OP, flags, text) X(OP##_##T, ARC_W_(I64), ARC_RS_(T), ARC_0, flags, text)
#define ARC_F_SUN(X, T, OP, flags, text) X(OP##_##T, ARC_WS_(T), ARC_RS_(T), ARC_0, flags, text)
/* Series by element; VV two series of one length, VS series with scalar, SV scalar with series. */
#define ARC_F_SBIN(X, T, OP, flags, text)                                                          \
    X(S##OP##_VV_##T, ARC_WS_(T), ARC_RS_(T), ARC_RS_(T), flags, text)                             \
    X(S##OP##_VS_##T, ARC_WS_(T), ARC_RS_(T), ARC_R_(T), flags, text)                              \
    X(S##OP##_SV_##T, ARC_WS_(T), ARC_R_(T), ARC_RS_(T), flags, text)
#define ARC_F_SCMP(X, T, OP, flags, text)                                                          \
    X(S##OP##_VV_##T, ARC_WS_(U8), ARC_RS_(T), ARC_RS_(T), flags, text)                            \
    X(S##OP##_VS_##T, ARC_WS_(U8), ARC_RS_(T), ARC_R_(T), flags, text)                             \
    X(S##OP##_SV_##T, ARC_WS_(U8), ARC_R_(T), ARC_RS_(T), flags, text)

#define ARC_B_ ARC_OPF_BATCH
#define ARC_FB_ (ARC_OPF_FAULT | ARC_OPF_BATCH_K)
#define ARC_J_ ARC_OPF_JUMP

/* X(NAME, a, b, c-or-imm, flags, meaning). The groups are listed one by one so that a machine can
 * expand one group into cases of one shape. */

/* Moves and control. */
#define ARC_OPS_BASE(X)                                                                            \
    X(NOP, ARC_0, ARC_0, ARC_0, 0, "nothing")                                                      \
    X(LOADK, ARC_W_ANY, ARC_X_(K), ARC_0, 0, "a = consts[imm], of the constant's type")            \
    X(LOADS, ARC_W_(STR), ARC_X_(STR), ARC_0, 0, "a = strings[imm]")                               \
    X(LOADCH, ARC_W_ANY, ARC_X_(CH), ARC_0, 0, "a = reference to channels[imm]")                   \
    X(MOVR, ARC_W_REF, ARC_R_REF, ARC_0, 0, "a = b, a string, series or channel reference")        \
    X(JMP, ARC_0, ARC_X_(J32), ARC_0, ARC_J_ | ARC_OPF_END, "go on at imm")                        \
    X(LOOP, ARC_0, ARC_X_(J32), ARC_0, ARC_J_ | ARC_OPF_BACK | ARC_OPF_END | ARC_OPF_FAULT,        \
      "go back to imm, charged to the budget")                                                     \
    X(JZ, ARC_R_INT, ARC_X_(J32), ARC_0, ARC_J_, "if a == 0 go on at imm")                         \
    X(JNZ, ARC_R_INT, ARC_X_(J32), ARC_0, ARC_J_, "if a != 0 go on at imm")                        \
    X(JZ_F32, ARC_R_(F32), ARC_X_(J32), ARC_0, ARC_J_, "if a == 0 go on at imm (NaN is not 0)")    \
    X(JNZ_F32, ARC_R_(F32), ARC_X_(J32), ARC_0, ARC_J_, "if a != 0 go on at imm")                  \
    X(JZ_F64, ARC_R_(F64), ARC_X_(J32), ARC_0, ARC_J_, "if a == 0 go on at imm (NaN is not 0)")    \
    X(JNZ_F64, ARC_R_(F64), ARC_X_(J32), ARC_0, ARC_J_, "if a != 0 go on at imm")                  \
    X(CALL, ARC_W_ANY, ARC_X_(FN), ARC_0, ARC_OPF_FAULT | ARC_OPF_EFFECT,                          \
      "a = funcs[imm](a, a+1, ...), window at a; charged to the budget, depth counted")            \
    X(RET, ARC_R_ANY, ARC_0, ARC_0, ARC_OPF_END, "end of the body, its value is a")                \
    X(RET0, ARC_0, ARC_0, ARC_0, ARC_OPF_END, "end of a body without value")

/* Numbers. */
#define ARC_OPS_ARITH(X)                                                                           \
    ARC_EACH_NUM(ARC_F_UN, X, MOV, ARC_B_, "a = b")                                                \
    ARC_EACH_NUM(ARC_F_BIN, X, ADD, ARC_B_ | ARC_OPF_SWAP, "a = b + c")                            \
    ARC_EACH_NUM(ARC_F_BIN, X, SUB, ARC_B_, "a = b - c")                                           \
    ARC_EACH_NUM(ARC_F_BIN, X, MUL, ARC_B_ | ARC_OPF_SWAP, "a = b * c")                            \
    ARC_EACH_INT(ARC_F_BIN, X, DIV, ARC_FB_, "a = b / c toward zero; c == 0 faults")               \
    ARC_EACH_FLOAT(ARC_F_BIN, X, DIV, ARC_B_, "a = b / c")                                         \
    ARC_EACH_INT(ARC_F_BIN, X, MOD, ARC_FB_, "a = b % c, sign of b; c == 0 faults")                \
    ARC_EACH_INT(ARC_F_BIN, X, POW, ARC_FB_, "a = b ^ c; 0 ^ negative faults")                     \
    ARC_EACH_FLOAT(ARC_F_BIN, X, POW, ARC_B_, "a = pow(b, c), f32 by powf")                        \
    ARC_EACH_NUM(ARC_F_UN, X, NEG, ARC_B_, "a = -b")                                               \
    ARC_EACH_NUM(ARC_F_INTO, X, MULADD, ARC_B_, "a = a + b * c, rounded after each operation")     \
    ARC_EACH_NUM(ARC_F_INTO, X, MULSUB, ARC_B_, "a = a - b * c, rounded after each operation")

#define ARC_OPS_COMPARE(X)                                                                         \
    ARC_EACH_NUM(ARC_F_CMP, X, EQ, ARC_B_ | ARC_OPF_SWAP, "a = b == c")                            \
    ARC_EACH_NUM(ARC_F_CMP, X, NE, ARC_B_ | ARC_OPF_SWAP, "a = b != c")                            \
    ARC_EACH_NUM(ARC_F_CMP, X, LT, ARC_B_, "a = b < c")                                            \
    ARC_EACH_NUM(ARC_F_CMP, X, LE, ARC_B_, "a = b <= c")                                           \
    ARC_EACH_NUM(ARC_F_TRUE, X, TRUE, ARC_B_, "a = b != 0 (NaN gives 1)")

/* Truth values: any non-zero u8 is true, results are exactly 0 or 1. */
#define ARC_OPS_LOGIC(X)                                                                           \
    X(NOT, ARC_W_(U8), ARC_R_(U8), ARC_0, ARC_B_, "a = b == 0")                                    \
    X(AND, ARC_W_(U8), ARC_R_(U8), ARC_R_(U8), ARC_B_ | ARC_OPF_SWAP, "a = b != 0 and c != 0")     \
    X(OR, ARC_W_(U8), ARC_R_(U8), ARC_R_(U8), ARC_B_ | ARC_OPF_SWAP, "a = b != 0 or c != 0")       \
    X(ANDNOT, ARC_W_(U8), ARC_R_(U8), ARC_R_(U8), ARC_B_, "a = b != 0 and c == 0")                 \
    ARC_EACH_NUM(ARC_F_CMOV, X, CMOV, ARC_B_, "if b != 0: a = c")                                  \
    ARC_EACH_NUM(ARC_F_INTO, X, CAPLT, ARC_B_, "if b < c: a = b, a limit from above")              \
    ARC_EACH_NUM(ARC_F_INTO, X, CAPLE, ARC_B_, "if b <= c: a = b")                                 \
    ARC_EACH_NUM(ARC_F_INTO, X, LIFTLT, ARC_B_, "if c < b: a = b, a limit from below")             \
    ARC_EACH_NUM(ARC_F_INTO, X, LIFTLE, ARC_B_, "if c <= b: a = b")

#define ARC_OPS_JUMP(X)                                                                            \
    ARC_EACH_NUM(ARC_F_JCMP, X, JEQ, ARC_J_ | ARC_OPF_SWAP, "if a == b go on at c")                \
    ARC_EACH_NUM(ARC_F_JCMP, X, JNE, ARC_J_ | ARC_OPF_SWAP, "if a != b go on at c")                \
    ARC_EACH_NUM(ARC_F_JCMP, X, JLT, ARC_J_, "if a < b go on at c")                                \
    ARC_EACH_NUM(ARC_F_JCMP, X, JLE, ARC_J_, "if a <= b go on at c")                               \
    ARC_EACH_NUM(ARC_F_JCMP, X, JNLT, ARC_J_, "if not a < b go on at c (taken for NaN)")           \
    ARC_EACH_NUM(ARC_F_JCMP, X, JNLE, ARC_J_, "if not a <= b go on at c (taken for NaN)")          \
    ARC_EACH_INT(ARC_F_FOR, X, FOR, ARC_J_ | ARC_OPF_BACK | ARC_OPF_FAULT,                         \
                 "a = a + 1; if a < b go back to c, charged to the budget")

/* CVT_FROM_TO, all pairs, FROM == TO too (never made by the compiler). */
#define ARC_OPS_CONVERT(X)                                                                         \
    ARC_F_CVT_FROM(X, I8, ARC_B_, "a = cast of b")                                                 \
    ARC_F_CVT_FROM(X, I16, ARC_B_, "a = cast of b")                                                \
    ARC_F_CVT_FROM(X, I32, ARC_B_, "a = cast of b")                                                \
    ARC_F_CVT_FROM(X, I64, ARC_B_, "a = cast of b")                                                \
    ARC_F_CVT_FROM(X, U8, ARC_B_, "a = cast of b")                                                 \
    ARC_F_CVT_FROM(X, U16, ARC_B_, "a = cast of b")                                                \
    ARC_F_CVT_FROM(X, U32, ARC_B_, "a = cast of b")                                                \
    ARC_F_CVT_FROM(X, U64, ARC_B_, "a = cast of b")                                                \
    ARC_F_CVT_FROM(X, F32, ARC_B_, "a = cast of b, toward zero, saturating, NaN gives 0")          \
    ARC_F_CVT_FROM(X, F64, ARC_B_, "a = cast of b, toward zero, saturating, NaN gives 0")          \
    X(INDEX_U64, ARC_W_(I64), ARC_R_(U64), ARC_0, ARC_B_,                                          \
      "a = b, at most the largest i64: an index that is too large stays out of bounds")

/* Channels, state, time, status. A read gives zero or "" when no sample has come yet. */
#define ARC_OPS_WORLD(X)                                                                           \
    X(CHRD, ARC_W_ANY, ARC_X_(CH), ARC_0, 0, "a = newest sample of channels[imm]")                 \
    X(CHRDR, ARC_W_ANY, ARC_R_ANY, ARC_0, 0, "a = newest sample of the channel that b refers to")  \
    X(CHWR, ARC_R_ANY, ARC_X_(CH), ARC_0, ARC_OPF_EFFECT | ARC_OPF_FAULT,                          \
      "queue a for channels[imm]")                                                                 \
    X(CHWRR, ARC_R_ANY, ARC_R_ANY, ARC_0, ARC_OPF_EFFECT | ARC_OPF_FAULT,                          \
      "queue b for the channel that a refers to")                                                  \
    X(STLD, ARC_W_ANY, ARC_X_(STATE), ARC_0, 0, "a = state slot imm of this function")             \
    X(STST, ARC_R_ANY, ARC_X_(STATE), ARC_0, ARC_OPF_EFFECT, "state slot imm = a")                 \
    X(NOW, ARC_W_(I64), ARC_0, ARC_0, 0, "a = wall clock, ns since 1970")                          \
    X(STATUS, ARC_W_(STR), ARC_R3_(STR), ARC_0, ARC_OPF_EFFECT,                                    \
      "a = status.set(b, b+1, b+2): key or name, message, variant")

/* Strings. Making one may fault with `memory`. An index or a slice out of bounds faults. */
#define ARC_OPS_STRING(X)                                                                          \
    X(CONCAT, ARC_W_(STR), ARC_R_(STR), ARC_R_(STR), ARC_OPF_FAULT, "a = b + c")                   \
    X(JOIN, ARC_W_(STR), ARC_RN_(STR), ARC_X_(N), ARC_OPF_FAULT, "a = the c strings from b on")    \
    X(STRGET, ARC_W_(U8), ARC_R_(STR), ARC_R_(I64), ARC_OPF_FAULT, "a = byte c of b")              \
    X(STRCUT, ARC_W_(STR), ARC_R_(STR), ARC_R2_(I64), ARC_OPF_FAULT, "a = bytes c to c+1 of b")    \
    X(STRLEN, ARC_W_(I64), ARC_R_(STR), ARC_0, 0, "a = bytes in b")                                \
    X(EQ_STR, ARC_W_(U8), ARC_R_(STR), ARC_R_(STR), 0, "a = same bytes")                           \
    X(NE_STR, ARC_W_(U8), ARC_R_(STR), ARC_R_(STR), 0, "a = not the same bytes")                   \
    ARC_EACH_NUM(ARC_F_STR, X, TOSTR, ARC_OPF_FAULT, "a = str(b)")                                 \
    ARC_F_FMT(X, I64, FMT, ARC_OPF_FAULT, "a = b by formats[c]")                                   \
    ARC_F_FMT(X, U64, FMT, ARC_OPF_FAULT, "a = b by formats[c]")                                   \
    ARC_F_FMT(X, F32, FMT, ARC_OPF_FAULT, "a = b by formats[c]")                                   \
    ARC_F_FMT(X, F64, FMT, ARC_OPF_FAULT, "a = b by formats[c]")                                   \
    ARC_F_FMT(X, STR, FMT, ARC_OPF_FAULT, "a = b by formats[c]")

/* Series. A negative index counts from the end. */
#define ARC_OPS_SERIES(X)                                                                          \
    X(SLOAD, ARC_W_ANY, ARC_X_(SERIES), ARC_0, ARC_OPF_FAULT, "a = new copy of series[imm]")       \
    ARC_EACH_NUM(ARC_F_SNEW, X, SNEW, ARC_OPF_FAULT, "a = new series of the c registers from b")   \
    ARC_EACH_NUM(ARC_F_SGET, X, SGET, ARC_OPF_FAULT, "a = b[c]")                                   \
    ARC_EACH_NUM(ARC_F_SSET, X, SSET, ARC_OPF_FAULT | ARC_OPF_EFFECT, "a[b] = c, in place")        \
    ARC_EACH_NUM(ARC_F_SCUT, X, SCUT, ARC_OPF_FAULT, "a = new copy of b[c:c+1]")                   \
    ARC_EACH_NUM(ARC_F_SLEN, X, SLEN, 0, "a = elements in b")                                      \
    ARC_EACH_NUM(ARC_F_SUN, X, SNEG, ARC_OPF_FAULT, "a = -b by element")                           \
    ARC_F_SUN(X, U8, SNOT, ARC_OPF_FAULT, "a = b == 0 by element")

#define ARC_OPS_SERIES_ARITH(X)                                                                    \
    ARC_EACH_NUM(ARC_F_SBIN, X, ADD, ARC_OPF_FAULT, "a = b + c by element")                        \
    ARC_EACH_NUM(ARC_F_SBIN, X, SUB, ARC_OPF_FAULT, "a = b - c by element")                        \
    ARC_EACH_NUM(ARC_F_SBIN, X, MUL, ARC_OPF_FAULT, "a = b * c by element")                        \
    ARC_EACH_NUM(ARC_F_SBIN, X, DIV, ARC_OPF_FAULT, "a = b / c by element")                        \
    ARC_EACH_NUM(ARC_F_SBIN, X, MOD, ARC_OPF_FAULT,                                                \
                 "a = b % c by element; floats: fmod, an element 0 of c faults")                   \
    ARC_EACH_NUM(ARC_F_SBIN, X, POW, ARC_OPF_FAULT, "a = b ^ c by element")

#define ARC_OPS_SERIES_COMPARE(X)                                                                  \
    ARC_EACH_NUM(ARC_F_SCMP, X, EQ, ARC_OPF_FAULT, "a = b == c by element")                        \
    ARC_EACH_NUM(ARC_F_SCMP, X, NE, ARC_OPF_FAULT, "a = b != c by element")                        \
    ARC_EACH_NUM(ARC_F_SCMP, X, LT, ARC_OPF_FAULT, "a = b < c by element")                         \
    ARC_EACH_NUM(ARC_F_SCMP, X, LE, ARC_OPF_FAULT, "a = b <= c by element")

#define ARC_OPCODES(X)                                                                             \
    ARC_OPS_BASE(X)                                                                                \
    ARC_OPS_ARITH(X)                                                                               \
    ARC_OPS_COMPARE(X)                                                                             \
    ARC_OPS_LOGIC(X)                                                                               \
    ARC_OPS_JUMP(X)                                                                                \
    ARC_OPS_CONVERT(X)                                                                             \
    ARC_OPS_WORLD(X)                                                                               \
    ARC_OPS_STRING(X)                                                                              \
    ARC_OPS_SERIES(X)                                                                              \
    ARC_OPS_SERIES_ARITH(X)                                                                        \
    ARC_OPS_SERIES_COMPARE(X)

enum arc_opcode {
#define ARC_OPCODE_ENUM(name, a, b, c, flags, text) ARC_OP_##name,
    ARC_OPCODES(ARC_OPCODE_ENUM)
#undef ARC_OPCODE_ENUM
        ARC_OP_COUNT
};

/* One row of the table. operand[1] is imm where its kind is one of the 32-bit ones. */
struct arc_op_info {
    const char *name;
    uint16_t operand[3]; /* ARC_OPERAND: kind in the high byte, type in the low one */
    uint16_t flags;      /* ARC_OPF_ */
};

extern const struct arc_op_info arc_op_info[ARC_OP_COUNT];

static inline enum arc_operand_kind arc_operand_kind(uint16_t operand)
{
    return (enum arc_operand_kind)(operand >> 8);
}

static inline uint8_t arc_operand_type(uint16_t operand)
{
    return (uint8_t)(operand & 0xff);
}

#endif
