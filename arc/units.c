/* The registry of units, and the arithmetic of dimensions.
 *
 * A scale leads to the base unit of the unit's own dimension as the language lists it: nanoseconds
 * for time, hertz for frequency. They are not one coherent system: what a dimension's base is, is
 * said by the table alone.
 */
#include "arc/type.h"

#include <math.h>
#include <string.h>

/*                 length mass time current temperature angle count data */
#define NO_DIMENSION                                                                               \
    {                                                                                              \
        0, 0, 0, 0, 0, 0, 0, 0                                                                     \
    }
#define LENGTH                                                                                     \
    {                                                                                              \
        1, 0, 0, 0, 0, 0, 0, 0                                                                     \
    }
#define MASS                                                                                       \
    {                                                                                              \
        0, 1, 0, 0, 0, 0, 0, 0                                                                     \
    }
#define TIME                                                                                       \
    {                                                                                              \
        0, 0, 1, 0, 0, 0, 0, 0                                                                     \
    }
#define CURRENT                                                                                    \
    {                                                                                              \
        0, 0, 0, 1, 0, 0, 0, 0                                                                     \
    }
#define TEMPERATURE                                                                                \
    {                                                                                              \
        0, 0, 0, 0, 1, 0, 0, 0                                                                     \
    }
#define ANGLE                                                                                      \
    {                                                                                              \
        0, 0, 0, 0, 0, 1, 0, 0                                                                     \
    }
#define COUNT                                                                                      \
    {                                                                                              \
        0, 0, 0, 0, 0, 0, 1, 0                                                                     \
    }
#define DATA                                                                                       \
    {                                                                                              \
        0, 0, 0, 0, 0, 0, 0, 1                                                                     \
    }
#define PRESSURE                                                                                   \
    {                                                                                              \
        -1, 1, -2, 0, 0, 0, 0, 0                                                                   \
    }
#define FREQUENCY                                                                                  \
    {                                                                                              \
        0, 0, -1, 0, 0, 0, 0, 0                                                                    \
    }
#define VOLTAGE                                                                                    \
    {                                                                                              \
        2, 1, -3, -1, 0, 0, 0, 0                                                                   \
    }

/* The base unit of a dimension is the first one with scale 1. */
static const struct arc_unit registry[] = {
    {"ns", 1, TIME},
    {"us", 1e3, TIME},
    {"ms", 1e6, TIME},
    {"s", 1e9, TIME},
    {"min", 6e10, TIME},
    {"h", 3.6e12, TIME},
    {"d", 8.64e13, TIME},

    {"m", 1, LENGTH},
    {"meter", 1, LENGTH},
    {"fm", 1e-15, LENGTH},
    {"pm", 1e-12, LENGTH},
    {"nm", 1e-9, LENGTH},
    {"um", 1e-6, LENGTH},
    {"mm", 1e-3, LENGTH},
    {"cm", 1e-2, LENGTH},
    {"dm", 0.1, LENGTH},
    {"km", 1e3, LENGTH},
    {"in", 0.0254, LENGTH},
    {"ft", 0.3048, LENGTH},
    {"yd", 0.9144, LENGTH},
    {"mi", 1609.344, LENGTH},
    {"nmi", 1852, LENGTH},

    {"kg", 1, MASS},
    {"fg", 1e-18, MASS},
    {"pg", 1e-15, MASS},
    {"ng", 1e-12, MASS},
    {"ug", 1e-9, MASS},
    {"mg", 1e-6, MASS},
    {"g", 1e-3, MASS},
    {"lb", 0.453592, MASS},
    {"oz", 0.0283495, MASS},
    {"ton", 1000, MASS},

    {"Pa", 1, PRESSURE},
    {"pPa", 1e-12, PRESSURE},
    {"nPa", 1e-9, PRESSURE},
    {"uPa", 1e-6, PRESSURE},
    {"mPa", 1e-3, PRESSURE},
    {"kPa", 1e3, PRESSURE},
    {"MPa", 1e6, PRESSURE},
    {"GPa", 1e9, PRESSURE},
    {"bar", 1e5, PRESSURE},
    {"mbar", 100, PRESSURE},
    {"psi", 6894.76, PRESSURE},
    {"atm", 101325, PRESSURE},
    {"torr", 133.322, PRESSURE},

    {"Hz", 1, FREQUENCY},
    {"hz", 1, FREQUENCY},
    {"kHz", 1e3, FREQUENCY},
    {"khz", 1e3, FREQUENCY},
    {"MHz", 1e6, FREQUENCY},
    {"mhz", 1e6, FREQUENCY},
    {"GHz", 1e9, FREQUENCY},

    {"V", 1, VOLTAGE},
    {"fV", 1e-15, VOLTAGE},
    {"pV", 1e-12, VOLTAGE},
    {"nV", 1e-9, VOLTAGE},
    {"uV", 1e-6, VOLTAGE},
    {"mV", 1e-3, VOLTAGE},
    {"kV", 1e3, VOLTAGE},
    {"MV", 1e6, VOLTAGE},

    {"A", 1, CURRENT},
    {"fA", 1e-15, CURRENT},
    {"pA", 1e-12, CURRENT},
    {"nA", 1e-9, CURRENT},
    {"uA", 1e-6, CURRENT},
    {"mA", 1e-3, CURRENT},
    {"kA", 1e3, CURRENT},
    {"MA", 1e6, CURRENT},

    {"K", 1, TEMPERATURE},
    {"fK", 1e-15, TEMPERATURE},
    {"pK", 1e-12, TEMPERATURE},
    {"nK", 1e-9, TEMPERATURE},
    {"uK", 1e-6, TEMPERATURE},
    {"mK", 1e-3, TEMPERATURE},
    {"kK", 1e3, TEMPERATURE},

    {"rad", 1, ANGLE},
    {"deg", 0.0174533, ANGLE},
    {"rev", 6.28319, ANGLE},

    {"bit", 1, DATA},
    {"byte", 8, DATA},
    {"KB", 8192, DATA},
    {"KiB", 8192, DATA},
    {"MB", 8388608, DATA},
    {"MiB", 8388608, DATA},
    {"GB", 8589934592.0, DATA},
    {"GiB", 8589934592.0, DATA},

    {"count", 1, COUNT},
    {"samples", 1, COUNT},

    {"pct", 0.01, NO_DIMENSION},
    {"percent", 0.01, NO_DIMENSION},
};

const struct arc_unit *arc_unit_find(const char *name, size_t len)
{
    for (size_t i = 0; i < ARCD_COUNT_OF(registry); i++) {
        const char *known = registry[i].name;
        if (known[0] == name[0] && strlen(known) == len && memcmp(known, name, len) == 0)
            return &registry[i];
    }
    return NULL;
}

const struct arc_unit *arc_unit_base(const struct arc_unit *unit)
{
    for (size_t i = 0; i < ARCD_COUNT_OF(registry); i++) {
        if (registry[i].scale == 1.0 && arc_unit_same_dimension(&registry[i], unit))
            return &registry[i];
    }
    return NULL;
}

bool arc_unit_same_dimension(const struct arc_unit *a, const struct arc_unit *b)
{
    return memcmp(a->dim, b->dim, sizeof a->dim) == 0;
}

bool arc_unit_is_dimensionless(const struct arc_unit *unit)
{
    static const int8_t none[sizeof unit->dim];
    return memcmp(unit->dim, none, sizeof none) == 0;
}

bool arc_unit_same_scale(const struct arc_unit *a, const struct arc_unit *b)
{
    return fabs(a->scale - b->scale) <= 1e-9 * fmax(fabs(a->scale), fabs(b->scale));
}

static int8_t saturate(int64_t power)
{
    if (power > INT8_MAX)
        return INT8_MAX;
    if (power < -INT8_MAX)
        return -INT8_MAX;
    return (int8_t)power;
}

static const struct arc_unit *drop_pure_ratio(const struct arc_unit *unit)
{
    return arc_unit_is_dimensionless(unit) ? NULL : unit;
}

const struct arc_unit *arc_unit_product(struct base_arena *arena, const struct arc_unit *a,
                                        const struct arc_unit *b, int power_b)
{
    if (b == NULL)
        return a;
    struct arc_unit *unit = base_arena_new(arena, struct arc_unit);
    unit->scale = (a ? a->scale : 1.0) * pow(b->scale, power_b);
    for (int i = 0; i < ARC_N_DIMENSIONS; i++)
        unit->dim[i] = saturate((a ? a->dim[i] : 0) + (int64_t)power_b * b->dim[i]);
    return drop_pure_ratio(unit);
}

const struct arc_unit *arc_unit_power(struct base_arena *arena, const struct arc_unit *a,
                                      int64_t power)
{
    if (a == NULL || power == 1)
        return a;
    struct arc_unit *unit = base_arena_new(arena, struct arc_unit);
    /* More than +-127 of anything saturates, so a larger power makes no difference. */
    int64_t bound = power > 1000 ? 1000 : power < -1000 ? -1000 : power;
    for (int i = 0; i < ARC_N_DIMENSIONS; i++)
        unit->dim[i] = saturate(a->dim[i] * bound);
    unit->scale = pow(a->scale, (double)power);
    return drop_pure_ratio(unit);
}

const char *arc_unit_dimension_name(struct base_arena *arena, const struct arc_unit *unit)
{
#define DIMENSION_NAME(NAME, name) #name,
    static const char *const names[] = {ARC_DIMENSIONS(DIMENSION_NAME)};
#undef DIMENSION_NAME
    const char *text = NULL;
    for (int i = 0; i < ARC_N_DIMENSIONS; i++) {
        if (unit->dim[i] != 0)
            text = base_arena_printf(arena, "%s%s%s^%d", text ? text : "", text ? " " : "",
                                     names[i], unit->dim[i]);
    }
    return text ? text : "none";
}

const char *arc_unit_name(struct base_arena *arena, const struct arc_unit *unit)
{
    return unit->name ? unit->name : arc_unit_dimension_name(arena, unit);
}
