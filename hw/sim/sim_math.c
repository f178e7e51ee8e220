/* Range reduction to a small argument, then a series long enough that its next term is below half
 * an ulp. */
#include "hw/sim/sim_math.h"

#include <math.h>

static const double TWO_PI = 0x1.921fb54442d18p+2;
static const double LN2_HI = 0x1.62e42fee00000p-1; /* 32 bits: k * LN2_HI is exact for |k| < 2^21 */
static const double LN2_LO = 0x1.a39ef35793c76p-33;
static const double INV_LN2 = 0x1.71547652b82fep+0;

/* |y| <= pi/4 for both. */
static double sin_small(double y)
{
    double y2 = y * y;
    double s = 1.0;
    for (int n = 15; n >= 3; n -= 2)
        s = 1.0 - s * y2 / (double)(n * (n - 1));
    return y * s;
}

static double cos_small(double y)
{
    double y2 = y * y;
    double s = 1.0;
    for (int n = 18; n >= 2; n -= 2)
        s = 1.0 - s * y2 / (double)(n * (n - 1));
    return s;
}

/* sin(2 pi turns + quarters * pi / 2) */
static double sin_quarters(double turns, int quarters)
{
    double quarter = floor(turns * 4.0 + 0.5);
    double y = (turns - quarter * 0.25) * TWO_PI;
    switch (((int)quarter + quarters) & 3) {
    case 0: return sin_small(y);
    case 1: return cos_small(y);
    case 2: return -sin_small(y);
    default: return -cos_small(y);
    }
}

double sim_sin_turns(double turns)
{
    return sin_quarters(turns, 0);
}

double sim_cos_turns(double turns)
{
    return sin_quarters(turns, 1);
}

double sim_log(double x)
{
    int e = 0;
    double m = frexp(x, &e);
    if (m < 0x1.6a09e667f3bcdp-1) { /* sqrt(1/2): keeps |m - 1| small on both sides */
        m *= 2.0;
        e--;
    }
    /* log m = 2 atanh s = 2 (s + s^3/3 + s^5/5 + ...), |s| < 0.172 */
    double s = (m - 1.0) / (m + 1.0);
    double s2 = s * s;
    double sum = 0.0;
    for (int n = 23; n >= 3; n -= 2)
        sum = (sum + 1.0 / (double)n) * s2;
    return (double)e * LN2_HI + (2.0 * s + (2.0 * s * sum + (double)e * LN2_LO));
}

double sim_exp(double x)
{
    if (x < -708.0)
        return 0.0;
    double k = floor(x * INV_LN2 + 0.5);
    double r = (x - k * LN2_HI) - k * LN2_LO;
    double sum = 1.0;
    for (int n = 14; n >= 1; n--)
        sum = 1.0 + sum * r / (double)n;
    return ldexp(sum, (int)k);
}

double sim_frac(double x)
{
    double f = x - floor(x);
    return f < 1.0 ? f : 0.0; /* a tiny negative x rounds up to 1 */
}

uint64_t sim_hash64(const char *text)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    for (const char *c = text; *c != '\0'; c++) {
        h ^= (unsigned char)*c;
        h *= UINT64_C(0x100000001B3);
    }
    return h;
}

double sim_uniform(uint64_t z0, uint64_t i)
{
    uint64_t z = z0 + (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

double sim_gauss(uint64_t z0, uint64_t i)
{
    double u1 = sim_uniform(z0, 2 * i);
    double u2 = sim_uniform(z0, 2 * i + 1);
    return sqrt(-2.0 * sim_log(u1 + 0x1p-54)) * sim_cos_turns(u2);
}
