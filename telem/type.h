/* telem/type.h - the twelve data types of a sample.
 *
 * Numbers are stored in the host's byte order; a timestamp is an i64 of nanoseconds since 1970 UTC;
 * a str is immutable UTF-8 bytes. Pure functions, any thread.
 */
#ifndef TELEM_TYPE_H
#define TELEM_TYPE_H

#include "base/mark.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(NAME, name, C type, bytes in a column). A str takes a struct telem_str in its column. */
#define TELEM_NUMBER_TYPES(X)                                                                      \
    X(I8, i8, int8_t, 1)                                                                           \
    X(I16, i16, int16_t, 2)                                                                        \
    X(I32, i32, int32_t, 4)                                                                        \
    X(I64, i64, int64_t, 8)                                                                        \
    X(U8, u8, uint8_t, 1)                                                                          \
    X(U16, u16, uint16_t, 2)                                                                       \
    X(U32, u32, uint32_t, 4)                                                                       \
    X(U64, u64, uint64_t, 8)                                                                       \
    X(F32, f32, float, 4)                                                                          \
    X(F64, f64, double, 8)

enum telem_type {
#define TELEM_TYPE_ENUM(NAME, name, ctype, bytes) TELEM_##NAME,
    TELEM_NUMBER_TYPES(TELEM_TYPE_ENUM)
#undef TELEM_TYPE_ENUM
        TELEM_STR,
    TELEM_TIMESTAMP,
    TELEM_TYPE_COUNT
};

/* One str of a column: where its bytes are in the batch's text area. */
struct telem_str {
    uint32_t offset; /* from the start of the text area */
    uint32_t len;    /* bytes, no NUL counted */
};

/* One sample of any number type, widened to 8 bytes: integers sign- or zero-extended, f32 kept in
 * .f32. */
union telem_value {
    int64_t i64;
    uint64_t u64;
    double f64;
    float f32;
};

/* "f64", ... static text; never NULL. */
const char *telem_type_name(enum telem_type type);

/* TELEM_TYPE_COUNT when no type has that name. */
enum telem_type telem_type_from_name(const char *name);

/* Bytes that one sample takes in a column. */
ARCD_RT size_t telem_type_size(enum telem_type type);

ARCD_RT bool telem_type_is_integer(enum telem_type type); /* timestamp counts as integer */
ARCD_RT bool telem_type_is_signed(enum telem_type type); /* signed integers, timestamp and floats */
ARCD_RT bool telem_type_is_float(enum telem_type type);
ARCD_RT bool telem_type_is_number(enum telem_type type); /* all but str */

/* Element `i` of a column of numbers. */
ARCD_RT union telem_value telem_load(enum telem_type type, const void *column, size_t i);
ARCD_RT void telem_store(enum telem_type type, void *column, size_t i, union telem_value value);

/* The value as a double (integers beyond 2^53 lose digits: for display and scaling only). */
ARCD_RT double telem_to_f64(enum telem_type type, union telem_value value);

/* The cast at the end of the conversion chain: to integers round half to even and
 * saturate, NaN gives 0; to f32 nearest, overflow gives infinity. */
ARCD_RT union telem_value telem_from_f64(enum telem_type type, double value);

#endif
