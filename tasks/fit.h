/* tasks/fit.h - a polynomial through many points, by least squares.
 *
 * Pure, set-up only. The fit is in Chebyshev polynomials of a variable scaled to [-1, 1]: with
 * plain powers an order of ten already loses half the digits.
 */
#ifndef TASKS_FIT_H
#define TASKS_FIT_H

#include "base/err.h"

#include <stddef.h>

/* Finds coeffs[0 .. n_coeffs-1] with y ~ sum of coeffs[j] * T_j((x - mid) / half), where mid and
 * half span the range of xs. CONFIG: fewer distinct points than coefficients. */
ARCD_MUST_CHECK enum arcd_err tasks_fit_chebyshev(const double *xs, const double *ys, size_t n,
                                                  double *coeffs, size_t n_coeffs, double *mid,
                                                  double *half, struct arcd_errinfo *why);

#endif
