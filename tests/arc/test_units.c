#include "arc/type.h"

#include "tests/support/test.h"

#include <math.h>
#include <string.h>

static const struct arc_unit *unit(const char *name)
{
    return arc_unit_find(name, strlen(name));
}

static void every_unit_of_the_language_is_known(void **state)
{
    (void)state;
    static const char *const names[] = {
        "ns",  "us",   "ms",  "s",   "min",  "h",     "d",     "fm",      "pm",  "nm",
        "um",  "mm",   "cm",  "dm",  "m",    "meter", "km",    "in",      "ft",  "yd",
        "mi",  "nmi",  "fg",  "pg",  "ng",   "ug",    "mg",    "g",       "kg",  "lb",
        "oz",  "ton",  "pPa", "nPa", "uPa",  "mPa",   "Pa",    "kPa",     "MPa", "GPa",
        "bar", "mbar", "psi", "atm", "torr", "Hz",    "hz",    "kHz",     "khz", "MHz",
        "mhz", "GHz",  "fV",  "pV",  "nV",   "uV",    "mV",    "V",       "kV",  "MV",
        "fA",  "pA",   "nA",  "uA",  "mA",   "A",     "kA",    "MA",      "fK",  "pK",
        "nK",  "uK",   "mK",  "K",   "kK",   "rad",   "deg",   "rev",     "bit", "byte",
        "KB",  "KiB",  "MB",  "MiB", "GB",   "GiB",   "count", "samples", "pct", "percent"};
    for (size_t i = 0; i < ARCD_COUNT_OF(names); i++) {
        if (unit(names[i]) == NULL)
            fail_msg("%s", names[i]);
    }
}

static void names_are_case_sensitive(void **state)
{
    (void)state;
    assert_null(unit("mHz"));
    assert_null(unit("PSI"));
    assert_null(unit("ghz"));
    assert_null(unit("C"));
    assert_null(unit("M"));
    assert_null(arc_unit_find("msx", 3));
    assert_ptr_equal(arc_unit_find("msx", 2), unit("ms"));
}

static void the_traps_have_their_values(void **state)
{
    (void)state;
    assert_true(unit("mhz")->scale == 1e6);
    assert_true(unit("min")->scale == 6e10);
    assert_true(unit("m")->scale == 1);
    assert_true(unit("KB")->scale == 8192);
    assert_false(arc_unit_same_dimension(unit("hz"), unit("s")));
    assert_true(arc_unit_is_dimensionless(unit("pct")));
}

static void a_base_unit_has_scale_one(void **state)
{
    (void)state;
    assert_string_equal(arc_unit_base(unit("h"))->name, "ns");
    assert_string_equal(arc_unit_base(unit("psi"))->name, "Pa");
    assert_string_equal(arc_unit_base(unit("mi"))->name, "m");
    assert_string_equal(arc_unit_base(unit("lb"))->name, "kg");
    assert_null(arc_unit_base(unit("pct")));
}

static void products_add_dimensions_and_ratios_drop_them(void **state)
{
    (void)state;
    struct base_arena arena;
    base_arena_init(&arena);
    const struct arc_unit *speed = arc_unit_product(&arena, unit("km"), unit("s"), -1);
    assert_string_equal(arc_unit_dimension_name(&arena, speed), "length^1 time^-1");
    assert_true(fabs(speed->scale / 1e-6 - 1) < 1e-12);
    assert_null(arc_unit_product(&arena, unit("km"), unit("m"), -1));
    assert_ptr_equal(arc_unit_product(&arena, unit("km"), NULL, 1), unit("km"));
    const struct arc_unit *inverse = arc_unit_product(&arena, NULL, unit("s"), -1);
    assert_string_equal(arc_unit_name(&arena, inverse), "time^-1");
    base_arena_fini(&arena);
}

static void powers_multiply_dimensions_and_saturate(void **state)
{
    (void)state;
    struct base_arena arena;
    base_arena_init(&arena);
    const struct arc_unit *area = arc_unit_power(&arena, unit("mm"), 2);
    assert_int_equal(area->dim[ARC_DIM_LENGTH], 2);
    assert_true(fabs(area->scale / 1e-6 - 1) < 1e-12);
    assert_null(arc_unit_power(&arena, unit("mm"), 0));
    assert_int_equal(arc_unit_power(&arena, unit("m"), INT64_MAX)->dim[ARC_DIM_LENGTH], 127);
    assert_int_equal(arc_unit_power(&arena, unit("m"), INT64_MIN)->dim[ARC_DIM_LENGTH], -127);
    base_arena_fini(&arena);
}

static void types_have_readable_names(void **state)
{
    (void)state;
    struct base_arena arena;
    base_arena_init(&arena);
    assert_string_equal(arc_type_name(&arena, arc_type_scalar(TELEM_I32)), "i32");
    struct arc_type type = arc_type_make(ARC_SHAPE_SERIES, TELEM_F64, unit("psi"));
    assert_string_equal(arc_type_name(&arena, type), "series f64 psi");
    type.shape = ARC_SHAPE_CHAN_SERIES;
    assert_string_equal(arc_type_name(&arena, type), "chan series f64 psi");
    base_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_unit_of_the_language_is_known),
        cmocka_unit_test(names_are_case_sensitive),
        cmocka_unit_test(the_traps_have_their_values),
        cmocka_unit_test(a_base_unit_has_scale_one),
        cmocka_unit_test(products_add_dimensions_and_ratios_drop_them),
        cmocka_unit_test(powers_multiply_dimensions_and_saturate),
        cmocka_unit_test(types_have_readable_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
