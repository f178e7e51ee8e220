#include "tasks/convert.h"

#include <math.h>
#include <string.h>

/* The integer types with their limits: X(NAME, C type, min, max). */
#define INTEGER_TYPES(X)                                                                           \
    X(I8, int8_t, INT8_MIN, INT8_MAX)                                                              \
    X(I16, int16_t, INT16_MIN, INT16_MAX)                                                          \
    X(I32, int32_t, INT32_MIN, INT32_MAX)                                                          \
    X(I64, int64_t, INT64_MIN, INT64_MAX)                                                          \
    X(U8, uint8_t, 0, UINT8_MAX)                                                                   \
    X(U16, uint16_t, 0, UINT16_MAX)                                                                \
    X(U32, uint32_t, 0, UINT32_MAX)                                                                \
    X(U64, uint64_t, 0, UINT64_MAX)                                                                \
    X(TIMESTAMP, int64_t, INT64_MIN, INT64_MAX)

ARCD_STEADY void tasks_convert_widen(enum hw_value from, const union telem_value *row, size_t n,
                                     double *values)
{
    if (from == HW_I64) {
        for (size_t i = 0; i < n; i++)
            values[i] = (double)row[i].i64;
    } else if (from == HW_U64) {
        for (size_t i = 0; i < n; i++)
            values[i] = (double)row[i].u64;
    } else {
        for (size_t i = 0; i < n; i++)
            values[i] = row[i].f64;
    }
}

/* (double)max of a 64-bit type is one more than max, so that >= is right for it as well; NaN fails
 * both comparisons and must not reach the cast. */
#define DEFINE_NARROW(NAME, ctype, min, max)                                                       \
    ARCD_STEADY static bool narrow_##NAME(const double *values, size_t n, void *column)            \
    {                                                                                              \
        bool had_nan = false;                                                                      \
        for (size_t i = 0; i < n; i++) {                                                           \
            double x = rint(values[i]);                                                            \
            had_nan |= isnan(x);                                                                   \
            ((ctype *)column)[i] = isnan(x)             ? (ctype)0                                 \
                                   : x >= (double)(max) ? (ctype)(max)                             \
                                   : x <= (double)(min) ? (ctype)(min)                             \
                                                        : (ctype)x;                                \
        }                                                                                          \
        return had_nan;                                                                            \
    }
INTEGER_TYPES(DEFINE_NARROW)

ARCD_STEADY bool tasks_convert_narrow(const double *values, size_t n, enum telem_type to,
                                      void *column)
{
    switch (to) {
#define CASE_NARROW(NAME, ctype, min, max)                                                         \
    case TELEM_##NAME: return narrow_##NAME(values, n, column);
        INTEGER_TYPES(CASE_NARROW)
    case TELEM_F64: memcpy(column, values, n * sizeof(double)); return false;
    case TELEM_F32:
        for (size_t i = 0; i < n; i++)
            ((float *)column)[i] = (float)values[i];
        return false;
    case TELEM_STR:
    case TELEM_TYPE_COUNT: break;
    }
    ARCD_ASSERT(telem_type_is_number(to));
    return false;
}

/* The comparisons are made in the wider of both types, after the sign has been looked at. */
#define DEFINE_COPY(NAME, ctype, min, max)                                                         \
    ARCD_STEADY static void copy_i64_##NAME(const union telem_value *row, size_t n, void *column)  \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            int64_t x = row[i].i64;                                                                \
            bool above = x >= 0 && (uint64_t)x > (uint64_t)(max);                                  \
            bool below = x < 0 && x < (int64_t)(min);                                              \
            ((ctype *)column)[i] = above ? (ctype)(max) : below ? (ctype)(min) : (ctype)x;         \
        }                                                                                          \
    }                                                                                              \
    ARCD_STEADY static void copy_u64_##NAME(const union telem_value *row, size_t n, void *column)  \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            ((ctype *)column)[i] =                                                                 \
                row[i].u64 > (uint64_t)(max) ? (ctype)(max) : (ctype)row[i].u64;                   \
    }
INTEGER_TYPES(DEFINE_COPY)

#define DEFINE_COPY_FLOAT(NAME, ctype)                                                             \
    ARCD_STEADY static void copy_i64_##NAME(const union telem_value *row, size_t n, void *column)  \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            ((ctype *)column)[i] = (ctype)row[i].i64;                                              \
    }                                                                                              \
    ARCD_STEADY static void copy_u64_##NAME(const union telem_value *row, size_t n, void *column)  \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            ((ctype *)column)[i] = (ctype)row[i].u64;                                              \
    }
DEFINE_COPY_FLOAT(F32, float)
DEFINE_COPY_FLOAT(F64, double)

ARCD_STEADY void tasks_convert_copy(enum hw_value from, const union telem_value *row, size_t n,
                                    enum telem_type to, void *column)
{
    ARCD_ASSERT(from == HW_I64 || from == HW_U64);
    switch (to) {
#define CASE_COPY(NAME, ...)                                                                       \
    case TELEM_##NAME:                                                                             \
        if (from == HW_I64)                                                                        \
            copy_i64_##NAME(row, n, column);                                                       \
        else                                                                                       \
            copy_u64_##NAME(row, n, column);                                                       \
        return;
        INTEGER_TYPES(CASE_COPY)
        CASE_COPY(F32)
        CASE_COPY(F64)
    case TELEM_STR:
    case TELEM_TYPE_COUNT: break;
    }
    ARCD_ASSERT(telem_type_is_number(to));
}

ARCD_STEADY double tasks_convert_device_f64(enum hw_value from, union telem_value value)
{
    double wide;
    tasks_convert_widen(from, &value, 1, &wide);
    return wide;
}

ARCD_STEADY union telem_value tasks_convert_f64_device(double value, enum hw_value to)
{
    union telem_value out = {0};
    if (to == HW_I64)
        narrow_I64(&value, 1, &out.i64);
    else if (to == HW_U64)
        narrow_U64(&value, 1, &out.u64);
    else
        out.f64 = value;
    return out;
}

ARCD_STEADY union telem_value tasks_convert_to_device(enum telem_type from, union telem_value value,
                                                      enum hw_value to)
{
    if (from == TELEM_F32)
        return tasks_convert_f64_device(value.f32, to);
    if (from == TELEM_F64)
        return tasks_convert_f64_device(value.f64, to);
    /* telem_load() has widened it already: only the sign tells i64 from u64. */
    bool is_signed = from == TELEM_I8 || from == TELEM_I16 || from == TELEM_I32 ||
                     from == TELEM_I64 || from == TELEM_TIMESTAMP;
    enum hw_value wide = is_signed ? HW_I64 : HW_U64;
    enum telem_type target = to == HW_I64 ? TELEM_I64 : to == HW_U64 ? TELEM_U64 : TELEM_F64;
    union telem_value out = {0};
    tasks_convert_copy(wide, &value, 1, target, &out);
    return out;
}
