/* arc_host/number.h - the arithmetic of Arc, one inline function for each operation and type:
 * arc_host_add_i8(), arc_host_pow_u32(), arc_host_cast_f64_i16() ...
 *
 * Pure functions. Integers wrap at their own width; no operation is undefined for any operands, but
 * div and mod of integers by 0 and 0 to a negative power are the caller's faults to find first.
 */
#ifndef ARC_HOST_NUMBER_H
#define ARC_HOST_NUMBER_H

#include "telem/type.h"

#include <math.h>

/* F(name, C type, unsigned type that arithmetic is done in) */
#define ARC_HOST_SIGNED(F)                                                                         \
    F(i8, int8_t, uint32_t)                                                                        \
    F(i16, int16_t, uint32_t)                                                                      \
    F(i32, int32_t, uint32_t)                                                                      \
    F(i64, int64_t, uint64_t)
#define ARC_HOST_UNSIGNED(F)                                                                       \
    F(u8, uint8_t, uint32_t)                                                                       \
    F(u16, uint16_t, uint32_t)                                                                     \
    F(u32, uint32_t, uint32_t)                                                                     \
    F(u64, uint64_t, uint64_t)
#define ARC_HOST_FLOATS(F)                                                                         \
    F(f32, float, f)                                                                               \
    F(f64, double, )

#define ARC_HOST_INT_OPS(T, C, W)                                                                  \
    static inline C arc_host_add_##T(C a, C b)                                                     \
    {                                                                                              \
        return (C)((W)a + (W)b);                                                                   \
    }                                                                                              \
    static inline C arc_host_sub_##T(C a, C b)                                                     \
    {                                                                                              \
        return (C)((W)a - (W)b);                                                                   \
    }                                                                                              \
    static inline C arc_host_mul_##T(C a, C b)                                                     \
    {                                                                                              \
        return (C)((W)a * (W)b);                                                                   \
    }                                                                                              \
    static inline C arc_host_neg_##T(C a)                                                          \
    {                                                                                              \
        return (C)((W)0 - (W)a);                                                                   \
    }

#define ARC_HOST_FLOAT_OPS(T, C, suffix)                                                           \
    static inline C arc_host_add_##T(C a, C b)                                                     \
    {                                                                                              \
        return a + b;                                                                              \
    }                                                                                              \
    static inline C arc_host_sub_##T(C a, C b)                                                     \
    {                                                                                              \
        return a - b;                                                                              \
    }                                                                                              \
    static inline C arc_host_mul_##T(C a, C b)                                                     \
    {                                                                                              \
        return a * b;                                                                              \
    }                                                                                              \
    static inline C arc_host_neg_##T(C a)                                                          \
    {                                                                                              \
        return -a;                                                                                 \
    }                                                                                              \
    static inline C arc_host_div_##T(C a, C b)                                                     \
    {                                                                                              \
        return a / b;                                                                              \
    }                                                                                              \
    static inline C arc_host_mod_##T(C a, C b)                                                     \
    {                                                                                              \
        return fmod##suffix(a, b);                                                                 \
    }                                                                                              \
    static inline C arc_host_pow_##T(C a, C b)                                                     \
    {                                                                                              \
        return pow##suffix(a, b);                                                                  \
    }                                                                                              \
    static inline bool arc_host_pow_faults_##T(C a, C b)                                           \
    {                                                                                              \
        (void)a, (void)b;                                                                          \
        return false;                                                                              \
    }

/* The smallest number divided by -1 wraps to itself, and leaves no rest. */
#define ARC_HOST_SIGNED_DIV(T, C, W)                                                               \
    static inline C arc_host_div_##T(C a, C b)                                                     \
    {                                                                                              \
        return (C)(b == -1 ? arc_host_neg_##T(a) : a / b);                                         \
    }                                                                                              \
    static inline C arc_host_mod_##T(C a, C b)                                                     \
    {                                                                                              \
        return (C)(b == -1 ? 0 : a % b);                                                           \
    }
#define ARC_HOST_UNSIGNED_DIV(T, C, W)                                                             \
    static inline C arc_host_div_##T(C a, C b)                                                     \
    {                                                                                              \
        return (C)(a / b);                                                                         \
    }                                                                                              \
    static inline C arc_host_mod_##T(C a, C b)                                                     \
    {                                                                                              \
        return (C)(a % b);                                                                         \
    }

/* By squaring; the product wraps as repeated multiplication would. */
#define ARC_HOST_POWER(T, C, W)                                                                    \
    static inline C arc_host_power_##T(C base, uint64_t exponent)                                  \
    {                                                                                              \
        W result = 1, factor = (W)base;                                                            \
        for (; exponent != 0; exponent >>= 1) {                                                    \
            if ((exponent & 1) != 0)                                                               \
                result *= factor;                                                                  \
            factor *= factor;                                                                      \
        }                                                                                          \
        return (C)result;                                                                          \
    }
/* A negative exponent gives 1 / base^-exponent cut to a whole number. */
#define ARC_HOST_SIGNED_POW(T, C, W)                                                               \
    ARC_HOST_POWER(T, C, W)                                                                        \
    static inline bool arc_host_pow_faults_##T(C a, C b)                                           \
    {                                                                                              \
        return a == 0 && b < 0;                                                                    \
    }                                                                                              \
    static inline C arc_host_pow_##T(C a, C b)                                                     \
    {                                                                                              \
        if (b >= 0)                                                                                \
            return arc_host_power_##T(a, (uint64_t)b);                                             \
        if (a == 1)                                                                                \
            return 1;                                                                              \
        return (C)(a == -1 ? (b % 2 == 0 ? 1 : -1) : 0);                                           \
    }
#define ARC_HOST_UNSIGNED_POW(T, C, W)                                                             \
    ARC_HOST_POWER(T, C, W)                                                                        \
    static inline bool arc_host_pow_faults_##T(C a, C b)                                           \
    {                                                                                              \
        (void)a, (void)b;                                                                          \
        return false;                                                                              \
    }                                                                                              \
    static inline C arc_host_pow_##T(C a, C b)                                                     \
    {                                                                                              \
        return arc_host_power_##T(a, b);                                                           \
    }

ARC_HOST_SIGNED(ARC_HOST_INT_OPS)
ARC_HOST_UNSIGNED(ARC_HOST_INT_OPS)
ARC_HOST_FLOATS(ARC_HOST_FLOAT_OPS)
ARC_HOST_SIGNED(ARC_HOST_SIGNED_DIV)
ARC_HOST_UNSIGNED(ARC_HOST_UNSIGNED_DIV)
ARC_HOST_SIGNED(ARC_HOST_SIGNED_POW)
ARC_HOST_UNSIGNED(ARC_HOST_UNSIGNED_POW)

/* ---- Casts */

/* Low bits; a negative number to an unsigned type gives 0. */
#define ARC_HOST_CAST_SIGNED(T, C, TO, CTO)                                                        \
    static inline CTO arc_host_cast_##T##_##TO(C v)                                                \
    {                                                                                              \
        return (CTO)v;                                                                             \
    }
#define ARC_HOST_CAST_CLAMPED(T, C, TO, CTO)                                                       \
    static inline CTO arc_host_cast_##T##_##TO(C v)                                                \
    {                                                                                              \
        return v < 0 ? (CTO)0 : (CTO)v;                                                            \
    }
#define ARC_HOST_CASTS_TO_SIGNED(CAST, T, C)                                                       \
    CAST(T, C, i8, int8_t)                                                                         \
    CAST(T, C, i16, int16_t) CAST(T, C, i32, int32_t) CAST(T, C, i64, int64_t)
#define ARC_HOST_CASTS_TO_UNSIGNED(CAST, T, C)                                                     \
    CAST(T, C, u8, uint8_t)                                                                        \
    CAST(T, C, u16, uint16_t) CAST(T, C, u32, uint32_t) CAST(T, C, u64, uint64_t)
#define ARC_HOST_CASTS_TO_FLOAT(CAST, T, C) CAST(T, C, f32, float) CAST(T, C, f64, double)

#define ARC_HOST_CASTS_OF_SIGNED(T, C, W)                                                          \
    ARC_HOST_CASTS_TO_SIGNED(ARC_HOST_CAST_SIGNED, T, C)                                           \
    ARC_HOST_CASTS_TO_UNSIGNED(ARC_HOST_CAST_CLAMPED, T, C)                                        \
    ARC_HOST_CASTS_TO_FLOAT(ARC_HOST_CAST_SIGNED, T, C)
#define ARC_HOST_CASTS_OF_UNSIGNED(T, C, W)                                                        \
    ARC_HOST_CASTS_TO_SIGNED(ARC_HOST_CAST_SIGNED, T, C)                                           \
    ARC_HOST_CASTS_TO_UNSIGNED(ARC_HOST_CAST_SIGNED, T, C)                                         \
    ARC_HOST_CASTS_TO_FLOAT(ARC_HOST_CAST_SIGNED, T, C)

ARC_HOST_SIGNED(ARC_HOST_CASTS_OF_SIGNED)
ARC_HOST_UNSIGNED(ARC_HOST_CASTS_OF_UNSIGNED)

/* Toward zero, saturating, NaN gives 0. The limits are powers of two, exact in both floats. */
#define ARC_HOST_CAST_FLOAT_INT(T, C, TO, CTO, LOW, PAST, LEAST, MOST)                             \
    static inline CTO arc_host_cast_##T##_##TO(C v)                                                \
    {                                                                                              \
        if (v >= (C)(PAST))                                                                        \
            return MOST;                                                                           \
        if (v <= (C)(LOW))                                                                         \
            return LEAST;                                                                          \
        return v == v ? (CTO)v : (CTO)0;                                                           \
    }
#define ARC_HOST_CASTS_OF_FLOAT(T, C, suffix)                                                      \
    ARC_HOST_CAST_FLOAT_INT(T, C, i8, int8_t, -0x1p7, 0x1p7, INT8_MIN, INT8_MAX)                   \
    ARC_HOST_CAST_FLOAT_INT(T, C, i16, int16_t, -0x1p15, 0x1p15, INT16_MIN, INT16_MAX)             \
    ARC_HOST_CAST_FLOAT_INT(T, C, i32, int32_t, -0x1p31, 0x1p31, INT32_MIN, INT32_MAX)             \
    ARC_HOST_CAST_FLOAT_INT(T, C, i64, int64_t, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX)             \
    ARC_HOST_CAST_FLOAT_INT(T, C, u8, uint8_t, 0, 0x1p8, 0, UINT8_MAX)                             \
    ARC_HOST_CAST_FLOAT_INT(T, C, u16, uint16_t, 0, 0x1p16, 0, UINT16_MAX)                         \
    ARC_HOST_CAST_FLOAT_INT(T, C, u32, uint32_t, 0, 0x1p32, 0, UINT32_MAX)                         \
    ARC_HOST_CAST_FLOAT_INT(T, C, u64, uint64_t, 0, 0x1p64, 0, UINT64_MAX)                         \
    ARC_HOST_CASTS_TO_FLOAT(ARC_HOST_CAST_SIGNED, T, C)

ARC_HOST_FLOATS(ARC_HOST_CASTS_OF_FLOAT)

#endif
