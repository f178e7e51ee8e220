/* A kernel of each operation and type, and the two tables that find them. */
#include "arc_host/kernels.h"

#include "arc_host/fault.h"
#include "arc_host/number.h"

#define C_I8 int8_t
#define C_I16 int16_t
#define C_I32 int32_t
#define C_I64 int64_t
#define C_U8 uint8_t
#define C_U16 uint16_t
#define C_U32 uint32_t
#define C_U64 uint64_t
#define C_F32 float
#define C_F64 double
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

/* Each kernel twice, chosen by the machine that runs it: the same arithmetic, more elements at a
 * time. Not under sanitizers (the choice is made before they are ready) nor with clang (it cannot
 * place such functions in a section). */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && !defined(ARCD_SANITIZED)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

/* d is b, or c, or neither: no element is read after it was written. clang finds out at run time,
 * and would warn of each loop that cannot be vectorised. */
#if defined(__clang__)
#define INDEPENDENT
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

#define KERNEL(name, D, BT, CT, value)                                                             \
    static WIDE ARCD_RT void name(void *d_, const void *b_, const void *c_, uint32_t n)            \
    {                                                                                              \
        D *d = d_;                                                                                 \
        const BT *b = b_;                                                                          \
        const CT *c = c_;                                                                          \
        (void)c;                                                                                   \
        INDEPENDENT for (uint32_t k = 0; k < n; k++) d[k] = (D)(value);                            \
    }
#define KERNEL_UN(X, T, OP, fn) KERNEL(kernel_##OP##_##T, C_##T, C_##T, C_##T, FN_##T(fn)(b[k]))
#define KERNEL_MOV(X, T, OP, none) KERNEL(kernel_##OP##_##T, C_##T, C_##T, C_##T, b[k])
#define KERNEL_BIN(X, T, OP, fn)                                                                   \
    KERNEL(kernel_##OP##_##T, C_##T, C_##T, C_##T, FN_##T(fn)(b[k], c[k]))
#define KERNEL_CMP(X, T, OP, op) KERNEL(kernel_##OP##_##T, uint8_t, C_##T, C_##T, b[k] op c[k])
#define KERNEL_TRUE(X, T, OP, none) KERNEL(kernel_##OP##_##T, uint8_t, C_##T, C_##T, b[k] != 0)
#define KERNEL_CMOV(X, T, OP, none)                                                                \
    KERNEL(kernel_##OP##_##T, C_##T, uint8_t, C_##T, b[k] != 0 ? c[k] : d[k])
#define KERNEL_INTO(X, T, OP, fn)                                                                  \
    KERNEL(kernel_##OP##_##T, C_##T, C_##T, C_##T, FN_##T(fn)(d[k], FN_##T(mul)(b[k], c[k])))
#define KERNEL_LIMIT(X, T, OP, test)                                                               \
    KERNEL(kernel_##OP##_##T, C_##T, C_##T, C_##T, b[k] test c[k] ? b[k] : d[k])
#define KERNEL_CVT(X, TO, FROM, cast)                                                              \
    KERNEL(kernel_CVT_##FROM##_##TO, C_##TO, C_##FROM, C_##FROM, FN_##TO(cast)(b[k]))
#define KERNEL_CVTS(FROM, cast)                                                                    \
    KERNEL_CVT(_, I8, FROM, cast)                                                                  \
    KERNEL_CVT(_, I16, FROM, cast)                                                                 \
    KERNEL_CVT(_, I32, FROM, cast)                                                                 \
    KERNEL_CVT(_, I64, FROM, cast)                                                                 \
    KERNEL_CVT(_, U8, FROM, cast)                                                                  \
    KERNEL_CVT(_, U16, FROM, cast)                                                                 \
    KERNEL_CVT(_, U32, FROM, cast)                                                                 \
    KERNEL_CVT(_, U64, FROM, cast)                                                                 \
    KERNEL_CVT(_, F32, FROM, cast)                                                                 \
    KERNEL_CVT(_, F64, FROM, cast)
#define CHECK(name, BT, CT, fault)                                                                 \
    static ARCD_RT bool name(const void *b_, const void *c_, uint32_t n)                           \
    {                                                                                              \
        const BT *b = b_;                                                                          \
        const CT *c = c_;                                                                          \
        (void)b;                                                                                   \
        bool any = false;                                                                          \
        for (uint32_t k = 0; k < n; k++)                                                           \
            any |= (fault);                                                                        \
        return any;                                                                                \
    }
#define CHECK_ZERO(X, T, none) CHECK(check_zero_##T, C_##T, C_##T, c[k] == 0)
#define CHECK_POW(X, T, none) CHECK(check_pow_##T, C_##T, C_##T, FN_##T(pow_faults)(b[k], c[k]))

ARC_EACH_NUM(KERNEL_MOV, _, MOV, 0)
ARC_EACH_NUM(KERNEL_BIN, _, ADD, add)
ARC_EACH_NUM(KERNEL_BIN, _, SUB, sub)
ARC_EACH_NUM(KERNEL_BIN, _, MUL, mul)
ARC_EACH_NUM(KERNEL_BIN, _, DIV, div)
ARC_EACH_NUM(KERNEL_BIN, _, MOD, mod)
ARC_EACH_NUM(KERNEL_BIN, _, POW, pow)
ARC_EACH_NUM(KERNEL_UN, _, NEG, neg)
ARC_EACH_NUM(KERNEL_CMP, _, EQ, ==)
ARC_EACH_NUM(KERNEL_CMP, _, NE, !=)
ARC_EACH_NUM(KERNEL_CMP, _, LT, <)
ARC_EACH_NUM(KERNEL_CMP, _, LE, <=)
ARC_EACH_NUM(KERNEL_TRUE, _, TRUE, 0)
ARC_EACH_NUM(KERNEL_CMOV, _, CMOV, 0)
ARC_EACH_NUM(KERNEL_INTO, _, MULADD, add)
ARC_EACH_NUM(KERNEL_INTO, _, MULSUB, sub)
ARC_EACH_NUM(KERNEL_LIMIT, _, CAPLT, <)
ARC_EACH_NUM(KERNEL_LIMIT, _, CAPLE, <=)
ARC_EACH_NUM(KERNEL_LIMIT, _, LIFTLT, >)
ARC_EACH_NUM(KERNEL_LIMIT, _, LIFTLE, >=)
KERNEL(kernel_NOT, uint8_t, uint8_t, uint8_t, b[k] == 0)
KERNEL(kernel_AND, uint8_t, uint8_t, uint8_t, (b[k] != 0) & (c[k] != 0))
KERNEL(kernel_OR, uint8_t, uint8_t, uint8_t, (b[k] | c[k]) != 0)
KERNEL(kernel_ANDNOT, uint8_t, uint8_t, uint8_t, (b[k] != 0) & (c[k] == 0))
KERNEL(kernel_INDEX_U64, int64_t, uint64_t, uint64_t, b[k] > INT64_MAX ? INT64_MAX : b[k])
KERNEL_CVTS(I8, cast_i8)
KERNEL_CVTS(I16, cast_i16)
KERNEL_CVTS(I32, cast_i32)
KERNEL_CVTS(I64, cast_i64)
KERNEL_CVTS(U8, cast_u8)
KERNEL_CVTS(U16, cast_u16)
KERNEL_CVTS(U32, cast_u32)
KERNEL_CVTS(U64, cast_u64)
KERNEL_CVTS(F32, cast_f32)
KERNEL_CVTS(F64, cast_f64)

ARC_EACH_NUM(CHECK_ZERO, _, 0)
ARC_EACH_SIGNED_INT(CHECK_POW, _, 0)

#define ROW(X, T, OP, none) [ARC_OP_##OP##_##T] = kernel_##OP##_##T,
#define ROW_CVT(X, TO, FROM, none) [ARC_OP_CVT_##FROM##_##TO] = kernel_CVT_##FROM##_##TO,
#define ROWS_CVT(X, FROM, none)                                                                    \
    ROW_CVT(_, I8, FROM, 0)                                                                        \
    ROW_CVT(_, I16, FROM, 0)                                                                       \
    ROW_CVT(_, I32, FROM, 0)                                                                       \
    ROW_CVT(_, I64, FROM, 0)                                                                       \
    ROW_CVT(_, U8, FROM, 0)                                                                        \
    ROW_CVT(_, U16, FROM, 0)                                                                       \
    ROW_CVT(_, U32, FROM, 0)                                                                       \
    ROW_CVT(_, U64, FROM, 0)                                                                       \
    ROW_CVT(_, F32, FROM, 0)                                                                       \
    ROW_CVT(_, F64, FROM, 0)

/* clang-format off */
const arc_host_kernel_fn arc_host_kernels[ARC_OP_COUNT] = {
    ARC_EACH_NUM(ROW, _, MOV, 0)
    ARC_EACH_NUM(ROW, _, ADD, 0)
    ARC_EACH_NUM(ROW, _, SUB, 0)
    ARC_EACH_NUM(ROW, _, MUL, 0)
    ARC_EACH_NUM(ROW, _, DIV, 0)
    ARC_EACH_INT(ROW, _, MOD, 0)
    ARC_EACH_NUM(ROW, _, POW, 0)
    ARC_EACH_NUM(ROW, _, NEG, 0)
    ARC_EACH_NUM(ROW, _, EQ, 0)
    ARC_EACH_NUM(ROW, _, NE, 0)
    ARC_EACH_NUM(ROW, _, LT, 0)
    ARC_EACH_NUM(ROW, _, LE, 0)
    ARC_EACH_NUM(ROW, _, TRUE, 0)
    ARC_EACH_NUM(ROW, _, CMOV, 0)
    ARC_EACH_NUM(ROW, _, MULADD, 0)
    ARC_EACH_NUM(ROW, _, MULSUB, 0)
    ARC_EACH_NUM(ROW, _, CAPLT, 0)
    ARC_EACH_NUM(ROW, _, CAPLE, 0)
    ARC_EACH_NUM(ROW, _, LIFTLT, 0)
    ARC_EACH_NUM(ROW, _, LIFTLE, 0)
    ARC_EACH_NUM(ROWS_CVT, _, 0)
    [ARC_OP_NOT] = kernel_NOT,
    [ARC_OP_AND] = kernel_AND,
    [ARC_OP_OR] = kernel_OR,
    [ARC_OP_ANDNOT] = kernel_ANDNOT,
    [ARC_OP_INDEX_U64] = kernel_INDEX_U64,
};
/* clang-format on */

#define FORM(T, OP, FORM_, result_, check_, fault_)                                                \
    [ARC_OP_S##OP##_##FORM_##_##T] = {.kernel = kernel_##OP##_##T,                                 \
                                      .check = check_,                                             \
                                      .form = ARC_HOST_SERIES_##FORM_,                             \
                                      .type = TELEM_##T,                                           \
                                      .result = result_,                                           \
                                      .fault = ARC_HOST_FAULT_##fault_},
#define FORMS(T, OP, result, check, fault)                                                         \
    FORM(T, OP, VV, result, check, fault)                                                          \
    FORM(T, OP, VS, result, check, fault)                                                          \
    FORM(T, OP, SV, result, check, fault)
#define SERIES_BIN(X, T, OP) FORMS(T, OP, TELEM_##T, NULL, NONE)
#define SERIES_CMP(X, T, OP) FORMS(T, OP, TELEM_U8, NULL, NONE)
#define SERIES_ZERO(X, T, OP, fault) FORMS(T, OP, TELEM_##T, check_zero_##T, fault)
#define SERIES_POW(X, T, OP) FORMS(T, OP, TELEM_##T, check_pow_##T, POWER)
#define SERIES_NEG(X, T, none)                                                                     \
    [ARC_OP_SNEG_##T] = {.kernel = kernel_NEG_##T, .type = TELEM_##T, .result = TELEM_##T},

/* clang-format off */
const struct arc_host_series_op arc_host_series_ops[ARC_OP_COUNT] = {
    ARC_EACH_NUM(SERIES_BIN, _, ADD)
    ARC_EACH_NUM(SERIES_BIN, _, SUB)
    ARC_EACH_NUM(SERIES_BIN, _, MUL)
    ARC_EACH_INT(SERIES_ZERO, _, DIV, DIVISION)
    ARC_EACH_FLOAT(SERIES_BIN, _, DIV)
    ARC_EACH_NUM(SERIES_ZERO, _, MOD, MODULO)
    ARC_EACH_SIGNED_INT(SERIES_POW, _, POW)
    SERIES_BIN(_, U8, POW)
    SERIES_BIN(_, U16, POW)
    SERIES_BIN(_, U32, POW)
    SERIES_BIN(_, U64, POW)
    ARC_EACH_FLOAT(SERIES_BIN, _, POW)
    ARC_EACH_NUM(SERIES_CMP, _, EQ)
    ARC_EACH_NUM(SERIES_CMP, _, NE)
    ARC_EACH_NUM(SERIES_CMP, _, LT)
    ARC_EACH_NUM(SERIES_CMP, _, LE)
    ARC_EACH_NUM(SERIES_NEG, _, 0)
    [ARC_OP_SNOT_U8] = {.kernel = kernel_NOT, .type = TELEM_U8, .result = TELEM_U8},
};
/* clang-format on */
