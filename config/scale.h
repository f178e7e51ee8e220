/* config/scale.h - what a configuration says about the scaling of a channel.
 *
 * A `scale` field is one object or an array of objects, applied left to right. Only the numbers are
 * here, checked; the maths is the tasks'. The tables also serve backends whose library does the
 * scaling (they read a single object by config_scale_variants). Out structs: arena of the caller.
 */
#ifndef CONFIG_SCALE_H
#define CONFIG_SCALE_H

#include "config/reader.h"

enum config_scale_kind {
    CONFIG_SCALE_NONE,       /* y = x */
    CONFIG_SCALE_LINEAR,     /* y = slope * x + offset */
    CONFIG_SCALE_MAP,        /* [pre_min, pre_max] to [scaled_min, scaled_max], and beyond */
    CONFIG_SCALE_POLYNOMIAL, /* y = sum of forward[i] * x^i */
    CONFIG_SCALE_TABLE,      /* straight lines between points */
};

enum { CONFIG_SCALE_COEFFS_MAX = 32, CONFIG_SCALES_MAX = 16 };

struct config_scale {
    enum config_scale_kind kind;
    double slope, offset;
    double pre_min, pre_max, scaled_min, scaled_max;
    struct config_nums forward, reverse; /* c0 first; reverse.n 0: none given */
    bool has_range;                      /* min_x and max_x are given */
    double min_x, max_x;
    int poly_order;                        /* of a computed reverse; -1: that of forward */
    int64_t n_points;                      /* for computing it */
    struct config_nums pre_scaled, scaled; /* TABLE: same length >= 2, pre_scaled increasing */
    bool extrapolate;                      /* extend the last segments; else hold the end values */
};

struct config_scales {
    const struct config_scale *v;
    uint32_t n; /* 0: none */
};

/* CUSTOM readers of a `scale` field into a struct config_scales. The inverse one is for outputs,
 * where the scale is applied backwards, and also refuses what cannot be inverted. */
config_read_fn config_read_scales;
config_read_fn config_read_inverse_scales;

/* One scale object, into a struct config_scale: `type` and the fields of that type. `more` are
 * further tables for the same object (a library's own fields); may be NULL. */
bool config_scale_read(struct config_at at, struct base_arena *arena, struct config_scale *scale,
                       const struct config_part *more, uint32_t n_more);

/* Reports at the scale object's fields why it cannot be applied backwards. */
bool config_scale_check_inverse(struct config_at at, const struct config_scale *scale);

extern const struct config_variants config_scale_variants;

#endif
