/* The rows T_0(u) .. T_m(u) of all points make a tall matrix A; Householder reflections turn it
 * into a triangle R and the right side into Q'y; back substitution gives the coefficients. The
 * normal equations would be shorter and square the condition number. */
#include "tasks/fit.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct system {
    size_t rows, cols;
    double *a; /* rows * cols, row-major */
    double *y; /* rows */
};

static void fill_row(double *row, size_t cols, double u)
{
    for (size_t j = 0; j < cols; j++)
        row[j] = j == 0 ? 1 : j == 1 ? u : 2 * u * row[j - 1] - row[j - 2];
}

/* Reflects rows k.. so that column k is zero below its diagonal. False when the column is empty. */
static bool reflect(struct system *s, size_t k)
{
    double norm = 0;
    for (size_t i = k; i < s->rows; i++)
        norm = hypot(norm, s->a[i * s->cols + k]);
    if (norm < 1e-12)
        return false;
    double pivot = s->a[k * s->cols + k];
    double alpha = pivot > 0 ? -norm : norm;
    double v0 = pivot - alpha;
    double scale = -1 / (alpha * v0); /* 2 / (v'v) */
    for (size_t j = k + 1; j <= s->cols; j++) {
        double *col = j < s->cols ? s->a + j : s->y;
        size_t step = j < s->cols ? s->cols : 1;
        double dot = v0 * col[k * step];
        for (size_t i = k + 1; i < s->rows; i++)
            dot += s->a[i * s->cols + k] * col[i * step];
        col[k * step] -= scale * dot * v0;
        for (size_t i = k + 1; i < s->rows; i++)
            col[i * step] -= scale * dot * s->a[i * s->cols + k];
    }
    s->a[k * s->cols + k] = alpha;
    return true;
}

static bool solve(struct system *s, double *coeffs)
{
    for (size_t k = 0; k < s->cols; k++)
        if (!reflect(s, k))
            return false;
    for (size_t k = s->cols; k-- > 0;) {
        double sum = s->y[k];
        for (size_t j = k + 1; j < s->cols; j++)
            sum -= s->a[k * s->cols + j] * coeffs[j];
        coeffs[k] = sum / s->a[k * s->cols + k];
    }
    return true;
}

enum arcd_err tasks_fit_chebyshev(const double *xs, const double *ys, size_t n, double *coeffs,
                                  size_t n_coeffs, double *mid, double *half,
                                  struct arcd_errinfo *why)
{
    ARCD_ASSERT(n_coeffs >= 1);
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, xs[i]);
        high = fmax(high, xs[i]);
    }
    if (n < n_coeffs || !(high > low))
        return arcd_fail(why, ARCD_ERR_CONFIG, 0,
                         "needs more than %zu distinct points to fit a polynomial", n_coeffs - 1);
    *mid = low + (high - low) / 2;
    *half = (high - low) / 2;
    struct system s = {n, n_coeffs, malloc(n * n_coeffs * sizeof(double)),
                       malloc(n * sizeof(double))};
    ARCD_ASSERT(s.a != NULL && s.y != NULL);
    for (size_t i = 0; i < n; i++) {
        fill_row(s.a + i * n_coeffs, n_coeffs, (xs[i] - *mid) / *half);
        s.y[i] = ys[i];
    }
    bool solved = solve(&s, coeffs);
    free(s.a);
    free(s.y);
    if (!solved)
        return arcd_fail(why, ARCD_ERR_CONFIG, 0,
                         "the points do not determine a polynomial of order %zu", n_coeffs - 1);
    return ARCD_OK;
}
