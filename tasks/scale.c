#include "tasks/scale.h"

#include "tasks/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void tasks_scale_init(struct tasks_scale *scale, struct base_arena *arena, uint32_t room)
{
    scale->arena = arena;
    scale->n = 0;
    scale->room = room;
    scale->steps = base_arena_array(arena, struct tasks_scale_step, room);
}

static struct tasks_scale_step *add(struct tasks_scale *scale, enum tasks_scale_kind kind)
{
    ARCD_ASSERT(scale->n < scale->room);
    struct tasks_scale_step *step = &scale->steps[scale->n++];
    step->kind = kind;
    return step;
}

static const double *copy(struct tasks_scale *scale, const double *values, uint32_t n)
{
    if (n == 0)
        return NULL;
    double *own = base_arena_array(scale->arena, double, n);
    memcpy(own, values, n * sizeof(double));
    return own;
}

void tasks_scale_add_linear(struct tasks_scale *scale, double slope, double offset)
{
    struct tasks_scale_step *step = add(scale, TASKS_SCALE_LINEAR);
    step->linear.slope = slope;
    step->linear.offset = offset;
}

void tasks_scale_add_map(struct tasks_scale *scale, double a, double b, double c, double d)
{
    ARCD_ASSERT(a != b);
    struct tasks_scale_step *step = add(scale, TASKS_SCALE_MAP);
    step->map.a = a;
    step->map.b = b;
    step->map.c = c;
    step->map.d = d;
}

void tasks_scale_add_poly(struct tasks_scale *scale, const struct tasks_scale_poly *poly)
{
    ARCD_ASSERT(poly->n_forward >= 1 && poly->n_forward <= TASKS_SCALE_COEFFS_MAX);
    ARCD_ASSERT(poly->n_reverse <= TASKS_SCALE_COEFFS_MAX);
    struct tasks_scale_step *step = add(scale, TASKS_SCALE_POLY);
    step->poly.coeffs = copy(scale, poly->forward, poly->n_forward);
    step->poly.n = poly->n_forward;
    step->reverse = copy(scale, poly->reverse, poly->n_reverse);
    step->n_reverse = poly->n_reverse;
    step->fit_min = poly->min_x;
    step->fit_max = poly->max_x;
    step->fit_order = poly->order;
    step->fit_points = poly->points;
}

void tasks_scale_add_table(struct tasks_scale *scale, const double *xs, const double *ys,
                           uint32_t n, bool extrapolate)
{
    ARCD_ASSERT(n >= 2);
    for (uint32_t i = 1; i < n; i++)
        ARCD_ASSERT(xs[i] > xs[i - 1]);
    struct tasks_scale_step *step = add(scale, TASKS_SCALE_TABLE);
    step->table.xs = copy(scale, xs, n);
    step->table.ys = copy(scale, ys, n);
    step->table.n = n;
    step->table.extrapolate = extrapolate;
}

/* ---- Applying ---- */

ARCD_STEADY static void apply_linear(const struct tasks_scale_step *step, double *v, size_t n)
{
    const double slope = step->linear.slope, offset = step->linear.offset;
    for (size_t i = 0; i < n; i++)
        v[i] = slope * v[i] + offset;
}

ARCD_STEADY static void apply_linear_back(const struct tasks_scale_step *step, double *v, size_t n)
{
    const double slope = step->linear.slope, offset = step->linear.offset;
    for (size_t i = 0; i < n; i++)
        v[i] = (v[i] - offset) / slope;
}

/* Not folded into slope and offset: x = b then gives d to the last digit. */
ARCD_STEADY static void apply_map(const struct tasks_scale_step *step, double *v, size_t n)
{
    const double a = step->map.a, span = step->map.b - step->map.a;
    const double c = step->map.c, scaled_span = step->map.d - step->map.c;
    for (size_t i = 0; i < n; i++)
        v[i] = (v[i] - a) / span * scaled_span + c;
}

/* Horner, coefficient by coefficient within a sample: few coefficients, long rows. */
ARCD_STEADY static void apply_poly(const struct tasks_scale_step *step, double *v, size_t n)
{
    const double *coeffs = step->poly.coeffs;
    const uint32_t last = step->poly.n - 1;
    for (size_t i = 0; i < n; i++) {
        double x = v[i], y = coeffs[last];
        for (uint32_t j = last; j-- > 0;)
            y = y * x + coeffs[j];
        v[i] = y;
    }
}

/* Clenshaw's recurrence. */
ARCD_STEADY static void apply_chebyshev(const struct tasks_scale_step *step, double *v, size_t n)
{
    const double *coeffs = step->poly.coeffs;
    for (size_t i = 0; i < n; i++) {
        double u = (v[i] - step->poly.mid) / step->poly.half;
        double b1 = 0, b2 = 0;
        for (uint32_t j = step->poly.n; j-- > 1;) {
            double b0 = coeffs[j] + 2 * u * b1 - b2;
            b2 = b1;
            b1 = b0;
        }
        v[i] = coeffs[0] + u * b1 - b2;
    }
}

/* The segment [xs[s], xs[s+1]] of x; the first or last for what is outside. */
ARCD_STEADY static uint32_t segment_of(const struct tasks_scale_step *step, double x, uint32_t hint)
{
    const double *xs = step->table.xs;
    if (x >= xs[hint] && x < xs[hint + 1])
        return hint;
    uint32_t low = 0, high = step->table.n - 1;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (x < xs[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

ARCD_STEADY static double interpolate(const struct tasks_scale_step *step, double x, uint32_t s)
{
    const double *xs = step->table.xs, *ys = step->table.ys;
    const uint32_t last = step->table.n - 1;
    if (!step->table.extrapolate && x <= xs[0])
        return ys[0];
    if (!step->table.extrapolate && x >= xs[last])
        return ys[last];
    return ys[s] + (x - xs[s]) / (xs[s + 1] - xs[s]) * (ys[s + 1] - ys[s]);
}

ARCD_STEADY static void apply_table(struct tasks_scale_step *step, double *v, size_t n)
{
    uint32_t s = step->table.hint;
    for (size_t i = 0; i < n; i++) {
        s = segment_of(step, v[i], s);
        v[i] = interpolate(step, v[i], s);
    }
    step->table.hint = s;
}

ARCD_STEADY void tasks_scale_apply(const struct tasks_scale *scale, double *values, size_t n)
{
    for (uint32_t i = 0; i < scale->n; i++) {
        struct tasks_scale_step *step = &scale->steps[i];
        switch (step->kind) {
        case TASKS_SCALE_LINEAR: apply_linear(step, values, n); break;
        case TASKS_SCALE_LINEAR_BACK: apply_linear_back(step, values, n); break;
        case TASKS_SCALE_MAP: apply_map(step, values, n); break;
        case TASKS_SCALE_POLY: apply_poly(step, values, n); break;
        case TASKS_SCALE_CHEBYSHEV: apply_chebyshev(step, values, n); break;
        case TASKS_SCALE_TABLE: apply_table(step, values, n); break;
        }
    }
}

/* ---- Inverting ---- */

static enum arcd_err invert_linear(const struct tasks_scale_step *step, struct tasks_scale *inverse,
                                   struct arcd_errinfo *why)
{
    if (step->linear.slope == 0)
        return arcd_fail(why, ARCD_ERR_CONFIG, 0, "slope must not be 0");
    struct tasks_scale_step *back = add(inverse, TASKS_SCALE_LINEAR_BACK);
    back->linear = step->linear;
    return ARCD_OK;
}

static enum arcd_err invert_map(const struct tasks_scale_step *step, struct tasks_scale *inverse,
                                struct arcd_errinfo *why)
{
    if (step->map.c == step->map.d)
        return arcd_fail(why, ARCD_ERR_CONFIG, 0,
                         "scaled_min and scaled_max must differ to be inverted");
    tasks_scale_add_map(inverse, step->map.c, step->map.d, step->map.a, step->map.b);
    return ARCD_OK;
}

static bool strictly_monotonic(const double *ys, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        bool onward = ys[1] > ys[0] ? ys[i] > ys[i - 1] : ys[i] < ys[i - 1];
        if (!onward)
            return false;
    }
    return true;
}

/* Points of the forward polynomial over [fit_min, fit_max], then x as a function of y. */
static enum arcd_err fit_inverse(const struct tasks_scale_step *step, struct tasks_scale *inverse,
                                 double *xs, double *ys, struct arcd_errinfo *why)
{
    const uint32_t n = step->fit_points;
    for (uint32_t i = 0; i < n; i++)
        xs[i] = ys[i] = step->fit_min + (step->fit_max - step->fit_min) * i / (n - 1);
    apply_poly(step, ys, n);
    if (!strictly_monotonic(ys, n))
        return arcd_fail(why, ARCD_ERR_CONFIG, 0,
                         "the polynomial turns round between %g and %g and cannot be inverted; "
                         "give reverse_coeffs or a smaller range",
                         step->fit_min, step->fit_max);
    uint32_t n_coeffs = step->fit_order < 0 ? step->poly.n : (uint32_t)step->fit_order + 1;
    double *coeffs = base_arena_array(inverse->arena, double, n_coeffs);
    struct tasks_scale_step *back = add(inverse, TASKS_SCALE_CHEBYSHEV);
    back->poly.coeffs = coeffs;
    back->poly.n = n_coeffs;
    return tasks_fit_chebyshev(ys, xs, n, coeffs, n_coeffs, &back->poly.mid, &back->poly.half, why);
}

static enum arcd_err invert_poly(const struct tasks_scale_step *step, struct tasks_scale *inverse,
                                 struct arcd_errinfo *why)
{
    if (step->n_reverse > 0) {
        struct tasks_scale_poly poly = {.forward = step->reverse, .n_forward = step->n_reverse};
        tasks_scale_add_poly(inverse, &poly);
        return ARCD_OK;
    }
    if (!(step->fit_max > step->fit_min))
        return arcd_fail(why, ARCD_ERR_CONFIG, 0,
                         "needs reverse_coeffs, or min_x and max_x, to be inverted");
    if (step->fit_points < 2 || step->fit_order >= TASKS_SCALE_COEFFS_MAX)
        return arcd_fail(why, ARCD_ERR_CONFIG, 0,
                         "num_points_to_compute must be at least 2 and poly_order at most %d",
                         TASKS_SCALE_COEFFS_MAX - 1);
    double *xs = malloc(step->fit_points * sizeof(double));
    double *ys = malloc(step->fit_points * sizeof(double));
    ARCD_ASSERT(xs != NULL && ys != NULL);
    enum arcd_err err = fit_inverse(step, inverse, xs, ys, why);
    free(xs);
    free(ys);
    return err;
}

static enum arcd_err invert_table(const struct tasks_scale_step *step, struct tasks_scale *inverse,
                                  struct arcd_errinfo *why)
{
    const uint32_t n = step->table.n;
    if (!strictly_monotonic(step->table.ys, n))
        return arcd_fail(why, ARCD_ERR_CONFIG, 0,
                         "scaled must be strictly monotonic to be inverted");
    double *xs = base_arena_array(inverse->arena, double, n);
    double *ys = base_arena_array(inverse->arena, double, n);
    bool falling = step->table.ys[1] < step->table.ys[0];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = falling ? n - 1 - i : i;
        xs[i] = step->table.ys[from];
        ys[i] = step->table.xs[from];
    }
    struct tasks_scale_step *back = add(inverse, TASKS_SCALE_TABLE);
    back->table.xs = xs;
    back->table.ys = ys;
    back->table.n = n;
    back->table.extrapolate = step->table.extrapolate;
    return ARCD_OK;
}

static enum arcd_err invert_step(const struct tasks_scale_step *step, struct tasks_scale *inverse,
                                 struct arcd_errinfo *why)
{
    switch (step->kind) {
    case TASKS_SCALE_LINEAR: return invert_linear(step, inverse, why);
    case TASKS_SCALE_MAP: return invert_map(step, inverse, why);
    case TASKS_SCALE_POLY: return invert_poly(step, inverse, why);
    case TASKS_SCALE_TABLE: return invert_table(step, inverse, why);
    case TASKS_SCALE_LINEAR_BACK:
    case TASKS_SCALE_CHEBYSHEV: break;
    }
    return arcd_fail(why, ARCD_ERR_CONFIG, 0, "is an inverse already");
}

enum arcd_err tasks_scale_invert(const struct tasks_scale *scale, struct tasks_scale *inverse,
                                 struct arcd_errinfo *why)
{
    tasks_scale_init(inverse, scale->arena, scale->n);
    for (uint32_t i = scale->n; i-- > 0;) {
        enum arcd_err err = invert_step(&scale->steps[i], inverse, why);
        if (err != ARCD_OK)
            return err;
    }
    return ARCD_OK;
}
