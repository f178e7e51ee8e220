#include "config/scale.h"

#include "config/csv.h"

#include <string.h>

/* The member `type` has chosen the variant already; here it only gives the kind. */
static const struct config_choice kinds[] = {
    {"none", CONFIG_SCALE_NONE},   {"linear", CONFIG_SCALE_LINEAR},
    {"map", CONFIG_SCALE_MAP},     {"polynomial", CONFIG_SCALE_POLYNOMIAL},
    {"table", CONFIG_SCALE_TABLE}, {0}};

#define SCALE_IN(member) CONFIG_IN(struct config_scale, member)
#define KIND_FIELD                                                                                 \
    {                                                                                              \
        "type", CONFIG_ENUM, SCALE_IN(kind), .required = true, .choices = kinds,                   \
                                             .doc = "Kind of scale."                               \
    }

static const struct config_field none_fields[] = {KIND_FIELD};

static const struct config_field linear_fields[] = {
    KIND_FIELD,
    {"slope", CONFIG_NUM, SCALE_IN(slope), .required = true, .doc = "Factor; not 0 for an output."},
    {"offset", CONFIG_NUM, SCALE_IN(offset), .fallback = "0", .alias = "y_intercept",
     .doc = "Added after the factor."},
};

static const struct config_field map_fields[] = {
    KIND_FIELD,
    {"pre_scaled_min", CONFIG_NUM, SCALE_IN(pre_min), .required = true,
     .doc = "Value before scaling that becomes scaled_min."},
    {"pre_scaled_max", CONFIG_NUM, SCALE_IN(pre_max), .required = true,
     .doc = "Value before scaling that becomes scaled_max."},
    {"scaled_min", CONFIG_NUM, SCALE_IN(scaled_min), .required = true,
     .doc = "Value after scaling at pre_scaled_min."},
    {"scaled_max", CONFIG_NUM, SCALE_IN(scaled_max), .required = true,
     .doc = "Value after scaling at pre_scaled_max; differs from scaled_min for an output."},
};

static const struct config_field polynomial_fields[] = {
    KIND_FIELD,
    {"forward_coeffs", CONFIG_NUMS, SCALE_IN(forward), .required = true,
     .doc = "1 to 32 coefficients, the constant first."},
    {"reverse_coeffs", CONFIG_NUMS, SCALE_IN(reverse), .otherwise = "computed",
     .doc = "Coefficients from the scaled value back, the constant first, at most 32."},
    {"min_x", CONFIG_NUM, SCALE_IN(min_x), .otherwise = "none",
     .doc = "Smallest value before scaling, for the computation of reverse_coeffs."},
    {"max_x", CONFIG_NUM, SCALE_IN(max_x), .otherwise = "none",
     .doc = "Largest value before scaling, for the computation of reverse_coeffs."},
    {"poly_order", CONFIG_INT, SCALE_IN(poly_order), .fallback = "-1",
     .limits = CONFIG_FROM_TO(-1, CONFIG_SCALE_COEFFS_MAX - 1),
     .doc = "Order of the computed reverse_coeffs; -1: that of forward_coeffs."},
    {"num_points_to_compute", CONFIG_INT, SCALE_IN(n_points), .fallback = "100",
     .limits = CONFIG_FROM_TO(2, 100000),
     .doc = "Points between min_x and max_x that the computation uses."},
};

/* `file` fills both columns, so both members are read by hand in read_table(). */
struct table_fields {
    struct config_scale scale;
    const char *file;
};

#define TABLE_IN(member) CONFIG_IN(struct table_fields, member)

static const struct config_field table_fields[] = {
    {"type", CONFIG_ENUM, TABLE_IN(scale.kind), .required = true, .choices = kinds,
     .doc = "Kind of scale."},
    {"pre_scaled", CONFIG_NUMS, TABLE_IN(scale.pre_scaled), .otherwise = "needed without file",
     .doc = "Values before scaling, strictly increasing, at least 2."},
    {"scaled", CONFIG_NUMS, TABLE_IN(scale.scaled), .otherwise = "needed without file",
     .doc = "Values after scaling, as many."},
    {"file", CONFIG_STR, TABLE_IN(file), .min_len = 1, .otherwise = "none",
     .doc = "Instead of the two arrays: a CSV file of two columns, below the configuration "
            "folder."},
    {"extrapolate", CONFIG_BOOL, TABLE_IN(scale.extrapolate), .fallback = "false",
     .doc = "Outside of the table: extend the last segment (true) or hold the end value (false)."},
};

static bool check_map(struct config_at at, void *out)
{
    const struct config_scale *scale = out;
    if (scale->pre_min == scale->pre_max)
        return config_error(at, "pre_scaled_min and pre_scaled_max must differ");
    return true;
}

static bool check_polynomial(struct config_at at, void *out)
{
    struct config_scale *scale = out;
    static const char text[] = "must have 1 to 32 coefficients";
    bool ok = true;
    if (scale->forward.n < 1 || scale->forward.n > CONFIG_SCALE_COEFFS_MAX)
        ok = config_error(config_member(at, "forward_coeffs"), text);
    if (scale->reverse.n > CONFIG_SCALE_COEFFS_MAX)
        ok = config_error(config_member(at, "reverse_coeffs"), text);
    scale->has_range = config_has(at, "min_x") && config_has(at, "max_x");
    if (scale->has_range && !(scale->min_x < scale->max_x))
        ok = config_error(at, "min_x must be less than max_x");
    return ok;
}

static bool is_increasing(const struct config_nums *nums)
{
    for (uint32_t i = 1; i < nums->n; i++)
        if (!(nums->v[i - 1] < nums->v[i]))
            return false;
    return true;
}

static bool is_decreasing(const struct config_nums *nums)
{
    for (uint32_t i = 1; i < nums->n; i++)
        if (!(nums->v[i - 1] > nums->v[i]))
            return false;
    return true;
}

static bool check_points(struct config_at at, const struct config_scale *scale)
{
    if (scale->pre_scaled.n != scale->scaled.n)
        return config_error(at, "pre_scaled and scaled must have the same length");
    if (scale->pre_scaled.n < 2)
        return config_error(at, "needs at least 2 points");
    if (!is_increasing(&scale->pre_scaled))
        return config_error(at, "pre_scaled must be strictly increasing");
    return true;
}

static const struct config_table none_table =
    CONFIG_TABLE("None", struct config_scale, none_fields);
static const struct config_table linear_table =
    CONFIG_TABLE("Linear", struct config_scale, linear_fields);
static const struct config_table map_table =
    CONFIG_TABLE("Map", struct config_scale, map_fields, .check = check_map);
static const struct config_table polynomial_table =
    CONFIG_TABLE("Polynomial", struct config_scale, polynomial_fields, .check = check_polynomial);
static const struct config_table table_table =
    CONFIG_TABLE("Table", struct table_fields, table_fields);

static const struct config_variant variants[] = {
    {"none", &none_table, CONFIG_SCALE_NONE},
    {"linear", &linear_table, CONFIG_SCALE_LINEAR},
    {"map", &map_table, CONFIG_SCALE_MAP},
    {"polynomial", &polynomial_table, CONFIG_SCALE_POLYNOMIAL},
    {"table", &table_table, CONFIG_SCALE_TABLE},
};

const struct config_variants config_scale_variants = {
    .title = "Scales", .noun = "scale type", .variants = variants, .n = ARCD_COUNT_OF(variants)};

static bool complete_table(struct config_at at, struct base_arena *arena,
                           struct table_fields *fields)
{
    bool arrays = config_has(at, "pre_scaled") || config_has(at, "scaled");
    struct config_scale *scale = &fields->scale;
    if (fields->file != NULL && arrays)
        return config_error(config_member(at, "file"),
                            "give pre_scaled and scaled, or file, not both");
    if (fields->file != NULL && !config_csv_read(config_member(at, "file"), arena, fields->file,
                                                 &scale->pre_scaled, &scale->scaled))
        return false;
    return check_points(at, scale);
}

enum { PARTS_MAX = 4 };

bool config_scale_read(struct config_at at, struct base_arena *arena, struct config_scale *scale,
                       const struct config_part *more, uint32_t n_more)
{
    ARCD_ASSERT(n_more < PARTS_MAX);
    *scale = (struct config_scale){0};
    const struct config_variant *variant = config_variant_of(at, &config_scale_variants);
    if (variant == NULL)
        return false;
    struct table_fields fields = {0}; /* its first member is the scale: it serves every variant */
    struct config_part parts[PARTS_MAX] = {{.table = variant->table, .out = &fields}};
    for (uint32_t i = 0; i < n_more; i++)
        parts[i + 1] = more[i];
    bool ok = config_read_parts(at, arena, parts, n_more + 1);
    if (ok && variant->tag == CONFIG_SCALE_TABLE)
        ok = complete_table(at, arena, &fields);
    *scale = fields.scale;
    return ok;
}

bool config_scale_check_inverse(struct config_at at, const struct config_scale *scale)
{
    switch (scale->kind) {
    case CONFIG_SCALE_LINEAR:
        if (scale->slope == 0)
            return config_error(config_member(at, "slope"), "slope must not be 0");
        return true;
    case CONFIG_SCALE_MAP:
        if (scale->scaled_min == scale->scaled_max)
            return config_error(at, "scaled_min and scaled_max must differ");
        return true;
    case CONFIG_SCALE_POLYNOMIAL:
        if (scale->reverse.n == 0 && !scale->has_range)
            return config_error(at, "needs reverse_coeffs, or min_x and max_x to compute them");
        return true;
    case CONFIG_SCALE_TABLE:
        if (!is_increasing(&scale->scaled) && !is_decreasing(&scale->scaled))
            return config_error(at, "scaled must be strictly monotonic to be inverted");
        return true;
    case CONFIG_SCALE_NONE: break;
    }
    return true;
}

static bool read_one(struct config_at at, struct base_arena *arena, bool inverse,
                     struct config_scale *scale)
{
    if (!config_scale_read(at, arena, scale, NULL, 0))
        return false;
    return !inverse || config_scale_check_inverse(at, scale);
}

static bool read_all(struct config_at at, struct base_arena *arena, bool inverse,
                     struct config_scales *scales)
{
    bool list = config_type(at) == CONFIG_JSON_ARRAY;
    if (!list && config_type(at) != CONFIG_JSON_OBJECT)
        return config_error(at, "must be an object, or an array of objects");
    uint32_t n = list ? config_count(at) : 1;
    if (n > CONFIG_SCALES_MAX)
        return config_error(at, "must have at most %d elements", CONFIG_SCALES_MAX);
    struct config_scale *v = base_arena_array(arena, struct config_scale, n);
    bool ok = true;
    for (uint32_t i = 0; i < n; i++)
        ok = read_one(list ? config_element(at, i) : at, arena, inverse, &v[i]) && ok;
    if (ok)
        *scales = (struct config_scales){v, n};
    return ok;
}

bool config_read_scales(struct config_at at, struct base_arena *arena,
                        const struct config_field *field, void *out)
{
    ARCD_ASSERT(field->size == sizeof(struct config_scales));
    return read_all(at, arena, false, out);
}

bool config_read_inverse_scales(struct config_at at, struct base_arena *arena,
                                const struct config_field *field, void *out)
{
    ARCD_ASSERT(field->size == sizeof(struct config_scales));
    return read_all(at, arena, true, out);
}
