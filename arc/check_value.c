/* Number literals: from what was written to a value of a type. */
#include "arc/check_priv.h"

#include <float.h>
#include <math.h>

/* Two conversions between units differ from the exact value by rounding only. */
static const double whole_tolerance = 1e-9;

static bool is_nearly_whole(double value)
{
    return fabs(value - round(value)) <= whole_tolerance * fabs(value);
}

struct arc_type check_literal_default(const struct arc_number *raw)
{
    bool is_integer = !raw->is_float;
    const struct arc_unit *unit = NULL;
    if (raw->unit != NULL) {
        is_integer = is_integer && is_nearly_whole(raw->real * raw->unit->scale);
        unit = arc_unit_base(raw->unit);
    }
    return arc_type_make(ARC_SHAPE_SCALAR, is_integer ? TELEM_I64 : TELEM_F64, unit);
}

/* ---- Ranges ------------------------------------------------------------------------------- */

struct int_range {
    uint64_t most_negative; /* magnitude */
    uint64_t most_positive;
};

static struct int_range range_of(enum telem_type prim)
{
    unsigned bits = (unsigned)telem_type_size(prim) * 8;
    uint64_t top = (uint64_t)1 << (bits - 1);
    if (telem_type_is_signed(prim))
        return (struct int_range){top, top - 1};
    return (struct int_range){0, top - 1 + top};
}

static bool fits_integer(enum telem_type prim, uint64_t magnitude, bool is_negative)
{
    struct int_range range = range_of(prim);
    return magnitude <= (is_negative ? range.most_negative : range.most_positive);
}

static union telem_value integer_value(uint64_t magnitude, bool is_negative)
{
    return (union telem_value){.u64 = is_negative ? 0 - magnitude : magnitude};
}

/* ---- Conversion --------------------------------------------------------------------------- */

static void refuse_range(struct checker *c, struct arc_expr *literal, enum telem_type prim)
{
    check_error(c, ARC_CODE_TYPE, literal->span, "'%s' does not fit %s (range %s)",
                check_source_text(c, literal->span), telem_type_name(prim),
                arc_prim_range_text(prim));
    literal->type = check_error_type();
}

static void refuse_fraction(struct checker *c, struct arc_expr *literal, enum telem_type prim)
{
    const struct arc_number *raw = &literal->u.literal.raw;
    bool is_by_unit = raw->unit != NULL && !raw->is_float;
    struct arc_diag *diag = check_error(
        c, ARC_CODE_TYPE, literal->span, "'%s' has a fraction%s, %s needs a whole number",
        check_source_text(c, literal->span), is_by_unit ? " after conversion" : "",
        telem_type_name(prim));
    if (!is_by_unit && raw->unit == NULL)
        check_hint(c, diag, "write a whole number, or use f64");
    literal->type = check_error_type();
}

/* An integer written without a unit, or in the very unit that is wanted, is exact. */
static bool is_exact_integer(const struct arc_number *raw, double factor)
{
    return !raw->is_float && factor == 1.0;
}

static bool convert_to_integer(struct checker *c, struct arc_expr *literal, enum telem_type prim,
                               double factor)
{
    const struct arc_number *raw = &literal->u.literal.raw;
    uint64_t magnitude = raw->magnitude;
    if (!is_exact_integer(raw, factor)) {
        double value = fabs(raw->real * factor);
        if (factor == 1.0 ? value != floor(value) : !is_nearly_whole(value)) {
            refuse_fraction(c, literal, prim);
            return false;
        }
        value = round(value);
        if (!(value < 18446744073709551616.0)) {
            refuse_range(c, literal, prim);
            return false;
        }
        magnitude = (uint64_t)value;
    }
    bool is_negative = raw->is_negative && magnitude != 0;
    if (!fits_integer(prim, magnitude, is_negative)) {
        refuse_range(c, literal, prim);
        return false;
    }
    literal->u.literal.value.number = integer_value(magnitude, is_negative);
    return true;
}

static bool convert_to_float(struct checker *c, struct arc_expr *literal, enum telem_type prim,
                             double factor)
{
    const struct arc_number *raw = &literal->u.literal.raw;
    double value = raw->real * factor;
    bool fits = prim == TELEM_F64 ? isfinite(value) : isfinite((float)value);
    if (!fits) {
        refuse_range(c, literal, prim);
        return false;
    }
    if (prim == TELEM_F64)
        literal->u.literal.value.number.f64 = value;
    else
        literal->u.literal.value.number = (union telem_value){.f32 = (float)value};
    return true;
}

/* A literal in an integer of another unit: what is lost although the value fits. */
static void warn_scale(struct checker *c, const struct arc_expr *literal, enum telem_type prim,
                       double ratio)
{
    if (!telem_type_is_integer(prim))
        return;
    if (ratio <= 1e-9)
        check_warning(c, ARC_CODE_NONE, literal->span,
                      "the unit of '%s' is much smaller than the target's: the value may truncate "
                      "to zero",
                      check_source_text(c, literal->span));
    else if (ratio > (double)range_of(prim).most_positive)
        check_warning(
            c, ARC_CODE_NONE, literal->span,
            "the unit of '%s' is much larger than the target's: the value may overflow %s",
            check_source_text(c, literal->span), telem_type_name(prim));
}

/* The factor from the literal's unit to the wanted one. False: dimensions differ. */
static bool unit_factor(struct checker *c, struct arc_expr *literal, struct arc_type type,
                        double *factor)
{
    const struct arc_unit *from = literal->u.literal.raw.unit;
    *factor = 1.0;
    if (from == NULL)
        return true;
    if (type.unit == NULL) {
        *factor = from->scale;
        return true;
    }
    if (arc_unit_same_dimension(from, type.unit)) {
        *factor = from->scale == type.unit->scale ? 1.0 : from->scale / type.unit->scale;
        return true;
    }
    check_error(c, ARC_CODE_TYPE, literal->span, "incompatible dimensions: '%s' is %s, wanted %s",
                check_source_text(c, literal->span), arc_unit_dimension_name(c->arena, from),
                arc_unit_dimension_name(c->arena, type.unit));
    literal->type = check_error_type();
    return false;
}

void check_literal(struct checker *c, struct arc_expr *literal, struct arc_type type)
{
    const struct arc_unit *from = literal->u.literal.raw.unit;
    enum telem_type prim = type.prim;
    double factor;
    literal->is_untyped = false;
    if (!unit_factor(c, literal, type, &factor))
        return;
    bool fits = telem_type_is_integer(prim) ? convert_to_integer(c, literal, prim, factor)
                                            : convert_to_float(c, literal, prim, factor);
    if (!fits)
        return;
    if (from != NULL && type.unit != NULL)
        warn_scale(c, literal, prim, from->scale / type.unit->scale);
    const struct arc_unit *unit = NULL;
    if (from != NULL)
        unit = type.unit ? type.unit : arc_unit_base(from);
    literal->type = arc_type_make(ARC_SHAPE_SCALAR, prim, unit);
    literal->u.literal.value.type = literal->type;
}
