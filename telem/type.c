/* Names, sizes and conversions of the data types. */
#include "telem/type.h"

#include "base/mark.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
    bool is_integer, is_signed, is_float;
} types[TELEM_TYPE_COUNT] = {
    [TELEM_I8] = {"i8", 1, true, true, false},
    [TELEM_I16] = {"i16", 2, true, true, false},
    [TELEM_I32] = {"i32", 4, true, true, false},
    [TELEM_I64] = {"i64", 8, true, true, false},
    [TELEM_U8] = {"u8", 1, true, false, false},
    [TELEM_U16] = {"u16", 2, true, false, false},
    [TELEM_U32] = {"u32", 4, true, false, false},
    [TELEM_U64] = {"u64", 8, true, false, false},
    [TELEM_F32] = {"f32", 4, false, true, true},
    [TELEM_F64] = {"f64", 8, false, true, true},
    [TELEM_STR] = {"str", sizeof(struct telem_str), false, false, false},
    [TELEM_TIMESTAMP] = {"timestamp", 8, true, true, false},
};

const char *telem_type_name(enum telem_type type)
{
    return (unsigned)type < TELEM_TYPE_COUNT ? types[type].name : "?";
}

enum telem_type telem_type_from_name(const char *name)
{
    for (int type = 0; type < TELEM_TYPE_COUNT; type++)
        if (strcmp(types[type].name, name) == 0)
            return (enum telem_type)type;
    return TELEM_TYPE_COUNT;
}

size_t telem_type_size(enum telem_type type)
{
    return types[type].size;
}

bool telem_type_is_integer(enum telem_type type)
{
    return types[type].is_integer;
}

bool telem_type_is_signed(enum telem_type type)
{
    return types[type].is_signed;
}

bool telem_type_is_float(enum telem_type type)
{
    return types[type].is_float;
}

bool telem_type_is_number(enum telem_type type)
{
    return type != TELEM_STR;
}

union telem_value telem_load(enum telem_type type, const void *column, size_t i)
{
    union telem_value v = {0};
    switch (type) {
    case TELEM_I8: v.i64 = ((const int8_t *)column)[i]; break;
    case TELEM_I16: v.i64 = ((const int16_t *)column)[i]; break;
    case TELEM_I32: v.i64 = ((const int32_t *)column)[i]; break;
    case TELEM_TIMESTAMP:
    case TELEM_I64: v.i64 = ((const int64_t *)column)[i]; break;
    case TELEM_U8: v.u64 = ((const uint8_t *)column)[i]; break;
    case TELEM_U16: v.u64 = ((const uint16_t *)column)[i]; break;
    case TELEM_U32: v.u64 = ((const uint32_t *)column)[i]; break;
    case TELEM_U64: v.u64 = ((const uint64_t *)column)[i]; break;
    case TELEM_F32: v.f32 = ((const float *)column)[i]; break;
    case TELEM_F64: v.f64 = ((const double *)column)[i]; break;
    case TELEM_STR:
    case TELEM_TYPE_COUNT: ARCD_ASSERT(false);
    }
    return v;
}

void telem_store(enum telem_type type, void *column, size_t i, union telem_value value)
{
    switch (type) {
    case TELEM_I8: ((int8_t *)column)[i] = (int8_t)value.i64; break;
    case TELEM_I16: ((int16_t *)column)[i] = (int16_t)value.i64; break;
    case TELEM_I32: ((int32_t *)column)[i] = (int32_t)value.i64; break;
    case TELEM_TIMESTAMP:
    case TELEM_I64: ((int64_t *)column)[i] = value.i64; break;
    case TELEM_U8: ((uint8_t *)column)[i] = (uint8_t)value.u64; break;
    case TELEM_U16: ((uint16_t *)column)[i] = (uint16_t)value.u64; break;
    case TELEM_U32: ((uint32_t *)column)[i] = (uint32_t)value.u64; break;
    case TELEM_U64: ((uint64_t *)column)[i] = value.u64; break;
    case TELEM_F32: ((float *)column)[i] = value.f32; break;
    case TELEM_F64: ((double *)column)[i] = value.f64; break;
    case TELEM_STR:
    case TELEM_TYPE_COUNT: ARCD_ASSERT(false);
    }
}

double telem_to_f64(enum telem_type type, union telem_value value)
{
    if (type == TELEM_F64)
        return value.f64;
    if (type == TELEM_F32)
        return (double)value.f32;
    return telem_type_is_signed(type) ? (double)value.i64 : (double)value.u64;
}

ARCD_RT static int64_t to_signed(double value, int bits)
{
    double limit = ldexp(1.0, bits - 1); /* 2^(bits-1): exact in a double for every width */
    if (value >= limit)
        return (int64_t)((UINT64_C(1) << (bits - 1)) - 1);
    if (value < -limit)
        return bits == 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1));
    return (int64_t)value;
}

ARCD_RT static uint64_t to_unsigned(double value, int bits)
{
    if (value >= ldexp(1.0, bits))
        return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return value < 0 ? 0 : (uint64_t)value;
}

union telem_value telem_from_f64(enum telem_type type, double value)
{
    union telem_value v = {0};
    if (type == TELEM_F64) {
        v.f64 = value;
    } else if (type == TELEM_F32) {
        v.f32 = (float)value;
    } else if (!isnan(value)) {
        ARCD_ASSERT(telem_type_is_integer(type));
        double whole = nearbyint(value); /* the default rounding mode is half to even */
        int bits = (int)telem_type_size(type) * 8;
        if (telem_type_is_signed(type))
            v.i64 = to_signed(whole, bits);
        else
            v.u64 = to_unsigned(whole, bits);
    }
    return v;
}
