/* arc_host/digits.h - floating-point numbers to decimal digits: exact, and the shortest that reads
 * back to the same number.
 *
 * Pure functions, real-time safe: fixed-size big numbers on the stack, no allocation, no locale.
 * Only the magnitude of finite numbers matters here; signs and specials are the caller's.
 */
#ifndef ARC_HOST_DIGITS_H
#define ARC_HOST_DIGITS_H

#include "base/mark.h"

enum {
    /* The smallest f64 and the halves between its neighbours have fewer significant digits. */
    ARC_HOST_DIGITS_MAX = 800,
};

/* value = 0.d1 d2 d3 ... * 10^point, d1 != 0; n == 0 is the number zero (point 1 then). No trailing
 * zeros. */
struct arc_host_digits {
    int n;
    int point;
    char digit[ARC_HOST_DIGITS_MAX]; /* '0' to '9' */
};

/* All digits of |value|, finite. */
ARCD_RT void arc_host_digits_exact(double value, struct arc_host_digits *digits);

/* The fewest digits that read back to the same f64 (f32); of these the closest to it. */
ARCD_RT void arc_host_digits_shortest_f64(double value, struct arc_host_digits *digits);
ARCD_RT void arc_host_digits_shortest_f32(float value, struct arc_host_digits *digits);

/* Keeps the first `keep` digits, rounded half to even; keep <= 0 may leave zero or a single 1 one
 * place further up. Trailing zeros go. */
ARCD_RT void arc_host_digits_round(struct arc_host_digits *digits, int keep);

#endif
