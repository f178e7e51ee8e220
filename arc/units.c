/* The registry of units, and the arithmetic of dimensions.
 *
 * A scale leads to the base unit of the unit's own dimension as the language lists it: nanoseconds
 * for time, hertz for frequency. They are not one coherent system: what a dimension's base is, is
 * said by the table alone.
 */
#include "arc/type.h"

#include <math.h>
#include <string.h>

#define OF_NONE .dim = {0}
#define OF_LENGTH .dim = {[ARC_DIM_LENGTH] = 1}
#define OF_MASS .dim = {[ARC_DIM_MASS] = 1}
#define OF_TIME .dim = {[ARC_DIM_TIME] = 1}
#define OF_CURRENT .dim = {[ARC_DIM_CURRENT] = 1}
#define OF_TEMPERATURE .dim = {[ARC_DIM_TEMPERATURE] = 1}
#define OF_ANGLE .dim = {[ARC_DIM_ANGLE] = 1}
#define OF_COUNT .dim = {[ARC_DIM_COUNT] = 1}
#define OF_DATA .dim = {[ARC_DIM_DATA] = 1}
#define OF_FREQUENCY .dim = {[ARC_DIM_TIME] = -1}
#define OF_PRESSURE .dim = {[ARC_DIM_MASS] = 1, [ARC_DIM_LENGTH] = -1, [ARC_DIM_TIME] = -2}
#define OF_VOLTAGE                                                                                 \
    .dim = {[ARC_DIM_MASS] = 1, [ARC_DIM_LENGTH] = 2, [ARC_DIM_TIME] = -3, [ARC_DIM_CURRENT] = -1}

/* The base unit of a dimension is the first one with scale 1. */
static const struct arc_unit registry[] = {
    {"ns", 1, OF_TIME},
    {"us", 1e3, OF_TIME},
    {"ms", 1e6, OF_TIME},
    {"s", 1e9, OF_TIME},
    {"min", 6e10, OF_TIME},
    {"h", 3.6e12, OF_TIME},
    {"d", 8.64e13, OF_TIME},

    {"m", 1, OF_LENGTH},
    {"meter", 1, OF_LENGTH},
    {"fm", 1e-15, OF_LENGTH},
    {"pm", 1e-12, OF_LENGTH},
    {"nm", 1e-9, OF_LENGTH},
    {"um", 1e-6, OF_LENGTH},
    {"mm", 1e-3, OF_LENGTH},
    {"cm", 1e-2, OF_LENGTH},
    {"dm", 0.1, OF_LENGTH},
    {"km", 1e3, OF_LENGTH},
    {"in", 0.0254, OF_LENGTH},
    {"ft", 0.3048, OF_LENGTH},
    {"yd", 0.9144, OF_LENGTH},
    {"mi", 1609.344, OF_LENGTH},
    {"nmi", 1852, OF_LENGTH},

    {"kg", 1, OF_MASS},
    {"fg", 1e-18, OF_MASS},
    {"pg", 1e-15, OF_MASS},
    {"ng", 1e-12, OF_MASS},
    {"ug", 1e-9, OF_MASS},
    {"mg", 1e-6, OF_MASS},
    {"g", 1e-3, OF_MASS},
    {"lb", 0.453592, OF_MASS},
    {"oz", 0.0283495, OF_MASS},
    {"ton", 1000, OF_MASS},

    {"Pa", 1, OF_PRESSURE},
    {"pPa", 1e-12, OF_PRESSURE},
    {"nPa", 1e-9, OF_PRESSURE},
    {"uPa", 1e-6, OF_PRESSURE},
    {"mPa", 1e-3, OF_PRESSURE},
    {"kPa", 1e3, OF_PRESSURE},
    {"MPa", 1e6, OF_PRESSURE},
    {"GPa", 1e9, OF_PRESSURE},
    {"bar", 1e5, OF_PRESSURE},
    {"mbar", 100, OF_PRESSURE},
    {"psi", 6894.76, OF_PRESSURE},
    {"atm", 101325, OF_PRESSURE},
    {"torr", 133.322, OF_PRESSURE},

    {"Hz", 1, OF_FREQUENCY},
    {"hz", 1, OF_FREQUENCY},
    {"kHz", 1e3, OF_FREQUENCY},
    {"khz", 1e3, OF_FREQUENCY},
    {"MHz", 1e6, OF_FREQUENCY},
    {"mhz", 1e6, OF_FREQUENCY},
    {"GHz", 1e9, OF_FREQUENCY},

    {"V", 1, OF_VOLTAGE},
    {"fV", 1e-15, OF_VOLTAGE},
    {"pV", 1e-12, OF_VOLTAGE},
    {"nV", 1e-9, OF_VOLTAGE},
    {"uV", 1e-6, OF_VOLTAGE},
    {"mV", 1e-3, OF_VOLTAGE},
    {"kV", 1e3, OF_VOLTAGE},
    {"MV", 1e6, OF_VOLTAGE},

    {"A", 1, OF_CURRENT},
    {"fA", 1e-15, OF_CURRENT},
    {"pA", 1e-12, OF_CURRENT},
    {"nA", 1e-9, OF_CURRENT},
    {"uA", 1e-6, OF_CURRENT},
    {"mA", 1e-3, OF_CURRENT},
    {"kA", 1e3, OF_CURRENT},
    {"MA", 1e6, OF_CURRENT},

    {"K", 1, OF_TEMPERATURE},
    {"fK", 1e-15, OF_TEMPERATURE},
    {"pK", 1e-12, OF_TEMPERATURE},
    {"nK", 1e-9, OF_TEMPERATURE},
    {"uK", 1e-6, OF_TEMPERATURE},
    {"mK", 1e-3, OF_TEMPERATURE},
    {"kK", 1e3, OF_TEMPERATURE},

    {"rad", 1, OF_ANGLE},
    {"deg", 0.0174533, OF_ANGLE},
    {"rev", 6.28319, OF_ANGLE},

    {"bit", 1, OF_DATA},
    {"byte", 8, OF_DATA},
    {"KB", 8192, OF_DATA},
    {"KiB", 8192, OF_DATA},
    {"MB", 8388608, OF_DATA},
    {"MiB", 8388608, OF_DATA},
    {"GB", 8589934592.0, OF_DATA},
    {"GiB", 8589934592.0, OF_DATA},

    {"count", 1, OF_COUNT},
    {"samples", 1, OF_COUNT},

    {"pct", 0.01, OF_NONE},
    {"percent", 0.01, OF_NONE},
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
