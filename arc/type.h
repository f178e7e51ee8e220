/* arc/type.h - the types of Arc values: shape, number kind, unit.
 *
 * Types are small values, compared with the functions here; units are shared and immutable. Pure
 * functions, any thread. A checked program has no type of shape ARC_SHAPE_ERROR or
 * ARC_SHAPE_LITERAL, and prim is never TELEM_TIMESTAMP (a timestamp is an i64 with unit ns).
 */
#ifndef ARC_TYPE_H
#define ARC_TYPE_H

#include "base/arena.h"
#include "telem/type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The components of a dimension, in the order of arc_unit.dim. */
#define ARC_DIMENSIONS(X)                                                                          \
    X(LENGTH, length)                                                                              \
    X(MASS, mass)                                                                                  \
    X(TIME, time)                                                                                  \
    X(CURRENT, current)                                                                            \
    X(TEMPERATURE, temperature)                                                                    \
    X(ANGLE, angle)                                                                                \
    X(COUNT, count)                                                                                \
    X(DATA, data)

enum arc_dimension {
#define ARC_DIMENSION_ENUM(NAME, name) ARC_DIM_##NAME,
    ARC_DIMENSIONS(ARC_DIMENSION_ENUM)
#undef ARC_DIMENSION_ENUM
        ARC_N_DIMENSIONS
};

struct arc_unit {
    const char *name; /* "psi"; NULL for a unit that only arithmetic made */
    double scale;     /* value in the base unit of the dimension = value * scale */
    int8_t dim[8];    /* powers, by enum arc_dimension */
};

enum arc_shape {
    ARC_SHAPE_NONE,        /* no value: a function without output, the whole type is zero */
    ARC_SHAPE_SCALAR,      /* prim: a number or a str */
    ARC_SHAPE_SERIES,      /* elements of prim */
    ARC_SHAPE_CHAN,        /* a channel whose samples are prim */
    ARC_SHAPE_CHAN_SERIES, /* a channel of series: can be written in a type, no channel has it */
    ARC_SHAPE_LITERAL,     /* while checking: a number literal that has no type yet */
    ARC_SHAPE_ERROR,       /* while checking: already reported, fits everything */
};

struct arc_type {
    enum arc_shape shape;
    enum telem_type prim;
    const struct arc_unit *unit; /* NULL: unknown, fits every unit */
};

static inline struct arc_type arc_type_scalar(enum telem_type prim)
{
    return (struct arc_type){.shape = ARC_SHAPE_SCALAR, .prim = prim};
}

static inline struct arc_type arc_type_make(enum arc_shape shape, enum telem_type prim,
                                            const struct arc_unit *unit)
{
    return (struct arc_type){.shape = shape, .prim = prim, .unit = unit};
}

/* One element of a series, one sample of a channel; a scalar is its own element. */
static inline struct arc_type arc_type_element(struct arc_type type)
{
    return arc_type_make(ARC_SHAPE_SCALAR, type.prim, type.unit);
}

static inline bool arc_type_is_chan(struct arc_type type)
{
    return type.shape == ARC_SHAPE_CHAN || type.shape == ARC_SHAPE_CHAN_SERIES;
}

static inline bool arc_type_is_number(struct arc_type type)
{
    return type.shape == ARC_SHAPE_SCALAR && type.prim != TELEM_STR;
}

/* Shape and prim are the same; units are not looked at. */
static inline bool arc_type_same_kind(struct arc_type a, struct arc_type b)
{
    return a.shape == b.shape && (a.shape == ARC_SHAPE_NONE || a.prim == b.prim);
}

/* "i32", "series f64 psi", "chan u8", "no value". Text in the arena or static. */
const char *arc_type_name(struct base_arena *arena, struct arc_type type);

/* The registry. NULL when there is no unit of that name. */
const struct arc_unit *arc_unit_find(const char *name, size_t len);

/* The base unit of the dimension of `unit` (ns, m, Pa, ...); NULL for a pure ratio and for
 * dimensions that the registry has no unit for. */
const struct arc_unit *arc_unit_base(const struct arc_unit *unit);

bool arc_unit_same_dimension(const struct arc_unit *a, const struct arc_unit *b);
bool arc_unit_is_dimensionless(const struct arc_unit *unit);

/* Equal up to rounding of the factors: 1e-9 relative. */
bool arc_unit_same_scale(const struct arc_unit *a, const struct arc_unit *b);

/* a * b^power_b and a^power. NULL when the result is dimensionless. A NULL operand counts as no
 * unit. The power of a dimension saturates at +-127. */
const struct arc_unit *arc_unit_product(struct base_arena *arena, const struct arc_unit *a,
                                        const struct arc_unit *b, int power_b);
const struct arc_unit *arc_unit_power(struct base_arena *arena, const struct arc_unit *a,
                                      int64_t power);

/* "length^1 time^-1"; "none" for a pure ratio. Text in the arena. */
const char *arc_unit_dimension_name(struct base_arena *arena, const struct arc_unit *unit);

/* The name, or the dimension when the unit has no name. */
const char *arc_unit_name(struct base_arena *arena, const struct arc_unit *unit);

/* Smallest and largest value of an integer prim, as text for messages ("-128 to 127"). */
const char *arc_prim_range_text(enum telem_type prim);

#endif
