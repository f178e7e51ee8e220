/* tasks/scale.h - from what a device gives to physical units, and back.
 *
 * Life cycle: scale_init -> scale_add_* ... -> [scale_invert] -> scale_apply ... (memory is the
 * arena's). A scale is a chain of steps, applied left to right, in f64, to a whole row of samples
 * at a time. An empty chain is the identity. Inverting makes the chain that leads back, for write
 * tasks: each step inverted, in the opposite order.
 *
 * Threads: building is set-up; a built scale is immutable and any thread may apply it, but for
 * `hint` of a table step, which belongs to the one thread that applies it.
 */
#ifndef TASKS_SCALE_H
#define TASKS_SCALE_H

#include "base/arena.h"
#include "base/err.h"

enum { TASKS_SCALE_COEFFS_MAX = 32 };

enum tasks_scale_kind {
    TASKS_SCALE_LINEAR,      /* y = slope * x + offset */
    TASKS_SCALE_LINEAR_BACK, /* y = (x - offset) / slope */
    TASKS_SCALE_MAP,         /* y = (x - a) / (b - a) * (d - c) + c */
    TASKS_SCALE_POLY,        /* y = sum of coeffs[i] * x^i */
    TASKS_SCALE_CHEBYSHEV,   /* y = sum of coeffs[i] * T_i((x - mid) / half), the fitted inverse */
    TASKS_SCALE_TABLE,       /* linear interpolation between points, xs strictly increasing */
};

struct tasks_scale_step {
    enum tasks_scale_kind kind;
    union {
        struct {
            double slope, offset;
        } linear;
        struct {
            double a, b, c, d;
        } map;
        struct {
            const double *coeffs; /* constant term first */
            uint32_t n;
            double mid, half; /* Chebyshev: the range of x that the fit covers */
        } poly;
        struct {
            const double *xs, *ys;
            uint32_t n;
            bool extrapolate; /* outside: the last segment extended, or the end value */
            uint32_t hint;    /* segment of the sample before: neighbours are usually close */
        } table;
    };
    /* What inverting needs: coefficients that lead back, or the range to fit them over. */
    const double *reverse;
    uint32_t n_reverse;
    double fit_min, fit_max;
    int32_t fit_order; /* -1: that of the forward polynomial */
    uint32_t fit_points;
};

struct tasks_scale {
    struct base_arena *arena;
    uint32_t n;
    uint32_t room;
    struct tasks_scale_step *steps;
};

/* What a polynomial step is made of. */
struct tasks_scale_poly {
    const double *forward; /* 1 to 32 coefficients, constant term first */
    uint32_t n_forward;
    const double *reverse; /* NULL: fitted when inverted */
    uint32_t n_reverse;
    double min_x, max_x; /* range of the fit; equal: none was given */
    int32_t order;       /* of the fit; -1: n_forward - 1 */
    uint32_t points;     /* of the fit; more than its order */
};

/* Room for `room` steps. */
void tasks_scale_init(struct tasks_scale *scale, struct base_arena *arena, uint32_t room);

/* All arrays are copied. The configuration has been checked: what these assert (equal lengths,
 * strictly increasing xs, a != b) is an error message there. */
void tasks_scale_add_linear(struct tasks_scale *scale, double slope, double offset);
void tasks_scale_add_map(struct tasks_scale *scale, double a, double b, double c, double d);
void tasks_scale_add_poly(struct tasks_scale *scale, const struct tasks_scale_poly *poly);
void tasks_scale_add_table(struct tasks_scale *scale, const double *xs, const double *ys,
                           uint32_t n, bool extrapolate);

/* Makes *inverse, which undoes *scale. CONFIG, with the reason in `why`, when a step has no
 * inverse: slope 0, scaled ends equal, a polynomial that turns round within its range or has no
 * range, a table whose ys are not strictly monotonic. */
ARCD_MUST_CHECK enum arcd_err tasks_scale_invert(const struct tasks_scale *scale,
                                                 struct tasks_scale *inverse,
                                                 struct arcd_errinfo *why);

/* In place, n samples. NaN stays NaN. */
ARCD_STEADY void tasks_scale_apply(const struct tasks_scale *scale, double *values, size_t n);

static inline bool tasks_scale_is_identity(const struct tasks_scale *scale)
{
    return scale->n == 0;
}

#endif
