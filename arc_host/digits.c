/* A finite number is m * 2^e. For e >= 0 that is a whole number, whose digits come from dividing by
 * 10^9 over and over; for e < 0 the fraction m / 2^-e gives its digits by multiplying with 10^9
 * over and over. Both are exact in a few dozen 32-bit words.
 *
 * The shortest form looks at the exact digits of the number and of the two points half-way to its
 * neighbours: cut after k digits, down or up, the first k that stays between them wins. Most
 * numbers that people write have few digits, and a division tells (short_cut()).
 */
#include "arc_host/digits.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    WORDS = 38, /* 1200 bits: 2^1024, or 1076 fraction bits and a carry word */
    GROUP = 9,  /* digits in one step */
};

static const uint32_t GROUP_BASE = 1000000000;

struct big {
    int n; /* words in use, least significant first */
    uint32_t word[WORDS];
};

/* m * 2^e with 0 < m < 2^56. */
struct binary {
    uint64_t m;
    int e;
    int bits; /* of the type's significand */
};

static ARCD_RT void big_set_shifted(struct big *big, uint64_t m, int shift)
{
    memset(big, 0, sizeof *big);
    int at = shift / 32;
    unsigned by = (unsigned)shift % 32;
    big->word[at] = (uint32_t)(m << by);
    big->word[at + 1] = (uint32_t)(m >> (32 - by));
    if (by != 0)
        big->word[at + 2] = (uint32_t)(m >> 32 >> (32 - by));
    big->n = at + 3;
    while (big->n > 0 && big->word[big->n - 1] == 0)
        big->n--;
}

/* Divides by 10^9 and returns the remainder. */
static ARCD_RT uint32_t big_divide(struct big *big)
{
    uint64_t rest = 0;
    for (int i = big->n - 1; i >= 0; i--) {
        rest = rest << 32 | big->word[i];
        big->word[i] = (uint32_t)(rest / GROUP_BASE);
        rest %= GROUP_BASE;
    }
    while (big->n > 0 && big->word[big->n - 1] == 0)
        big->n--;
    return (uint32_t)rest;
}

/* Multiplies a fraction of `words` words by 10^9 and returns what passes the point. */
static ARCD_RT uint32_t big_multiply(struct big *big, int *low, int words)
{
    uint64_t carry = 0;
    for (int i = *low; i < words; i++) {
        carry += (uint64_t)big->word[i] * GROUP_BASE;
        big->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    while (*low < words && big->word[*low] == 0)
        (*low)++;
    return (uint32_t)carry;
}

static ARCD_RT void put_group(uint32_t group, char *out)
{
    for (int i = GROUP - 1; i >= 0; i--) {
        out[i] = (char)('0' + group % 10);
        group /= 10;
    }
}

static ARCD_RT void drop_trailing_zeros(struct arc_host_digits *digits)
{
    while (digits->n > 0 && digits->digit[digits->n - 1] == '0')
        digits->n--;
    if (digits->n == 0)
        digits->point = 1;
}

/* Appends one group; the zeros before the first digit are not kept and move the point. */
static ARCD_RT void append_group(struct arc_host_digits *digits, uint32_t group)
{
    char text[GROUP];
    put_group(group, text);
    int skip = 0;
    if (digits->n == 0) {
        while (skip < GROUP && text[skip] == '0')
            skip++;
        digits->point -= skip;
    }
    int n = GROUP - skip;
    memcpy(digits->digit + digits->n, text + skip, (size_t)n);
    digits->n += n;
}

static ARCD_RT void digits_of_whole(struct big *big, struct arc_host_digits *digits)
{
    uint32_t group[WORDS + 2];
    int n = 0;
    while (big->n > 0)
        group[n++] = big_divide(big);
    digits->point = n * GROUP;
    while (n > 0)
        append_group(digits, group[--n]);
}

/* The words of `big` below `shift` bits are the fraction, those above the whole part. */
static ARCD_RT void digits_of_mixed(uint64_t m, int shift, struct arc_host_digits *digits)
{
    struct big part;
    uint64_t whole = shift < 64 ? m >> shift : 0;
    if (whole != 0) {
        big_set_shifted(&part, whole, 0);
        digits_of_whole(&part, digits);
    }
    uint64_t fraction = shift < 64 ? m & ((UINT64_C(1) << shift) - 1) : m;
    if (fraction == 0)
        return;
    int words = (shift + 31) / 32;
    big_set_shifted(&part, fraction, words * 32 - shift);
    int low = 0;
    while (low < words)
        append_group(digits, big_multiply(&part, &low, words));
}

static ARCD_RT void digits_of_binary(uint64_t m, int e, struct arc_host_digits *digits)
{
    digits->n = 0;
    digits->point = 0;
    if (m != 0 && e >= 0) {
        struct big big;
        big_set_shifted(&big, m, e);
        digits_of_whole(&big, digits);
    } else if (m != 0) {
        digits_of_mixed(m, -e, digits);
    }
    drop_trailing_zeros(digits);
}

static ARCD_RT struct binary binary_of_f64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7ff);
    if (exponent == 0)
        return (struct binary){fraction, -1074, 53};
    return (struct binary){fraction | UINT64_C(1) << 52, exponent - 1075, 53};
}

static ARCD_RT struct binary binary_of_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & ((UINT32_C(1) << 23) - 1);
    int exponent = (int)(bits >> 23 & 0xff);
    if (exponent == 0)
        return (struct binary){fraction, -149, 24};
    return (struct binary){fraction | UINT64_C(1) << 23, exponent - 150, 24};
}

ARCD_RT void arc_host_digits_exact(double value, struct arc_host_digits *digits)
{
    struct binary binary = binary_of_f64(value);
    digits_of_binary(binary.m, binary.e, digits);
}

static ARCD_RT bool rounds_up(const struct arc_host_digits *digits, int keep)
{
    if (digits->digit[keep] != '5' || keep + 1 < digits->n)
        return digits->digit[keep] >= '5';
    return keep > 0 && (digits->digit[keep - 1] - '0') % 2 == 1;
}

/* Adds one at the last kept digit. */
static ARCD_RT void increment(struct arc_host_digits *digits)
{
    int i = digits->n - 1;
    while (i >= 0 && digits->digit[i] == '9')
        i--;
    if (i >= 0) {
        digits->digit[i]++;
        digits->n = i + 1;
        return;
    }
    digits->digit[0] = '1';
    digits->n = 1;
    digits->point++;
}

ARCD_RT void arc_host_digits_round(struct arc_host_digits *digits, int keep)
{
    if (keep >= digits->n)
        return;
    bool up = keep >= 0 && rounds_up(digits, keep);
    digits->n = keep > 0 ? keep : 0;
    if (up)
        increment(digits);
    drop_trailing_zeros(digits);
}

/* A cut of a number to `keep` digits, rounded down or up; never more than 18 digits. */
struct cut {
    int n, point;
    char digit[20];
};

static ARCD_RT void cut_to_digits(const struct cut *cut, struct arc_host_digits *digits)
{
    digits->n = cut->n;
    digits->point = cut->point;
    memcpy(digits->digit, cut->digit, (size_t)cut->n);
    drop_trailing_zeros(digits);
}

static ARCD_RT int compare_cut(const struct cut *cut, const struct arc_host_digits *b)
{
    if (b->n == 0)
        return 1;
    if (cut->point != b->point)
        return cut->point < b->point ? -1 : 1;
    int n = cut->n > b->n ? cut->n : b->n;
    for (int i = 0; i < n; i++) {
        int d = (i < cut->n ? cut->digit[i] : '0') - (i < b->n ? b->digit[i] : '0');
        if (d != 0)
            return d;
    }
    return 0;
}

static ARCD_RT struct cut cut_up(struct cut cut)
{
    int i = cut.n - 1;
    while (i >= 0 && cut.digit[i] == '9')
        cut.digit[i--] = '0';
    if (i >= 0) {
        cut.digit[i]++;
    } else {
        cut.digit[0] = '1';
        cut.point++;
    }
    return cut;
}

/* The first cut of `exact` that lies between the half-way points. They themselves read back to the
 * number when its significand is even. */
static ARCD_RT struct cut shortest_between(const struct arc_host_digits *exact,
                                           const struct arc_host_digits *low,
                                           const struct arc_host_digits *high, bool inclusive)
{
    struct cut down = {.point = exact->point};
    for (int keep = 1; keep <= 17 && keep < exact->n; keep++) {
        down.digit[keep - 1] = exact->digit[keep - 1];
        down.n = keep;
        struct cut up = cut_up(down);
        bool down_fits = compare_cut(&down, low) >= !inclusive;
        bool up_fits = compare_cut(&up, high) <= -!inclusive;
        if (down_fits && up_fits)
            return rounds_up(exact, keep) ? up : down;
        if (down_fits || up_fits)
            return down_fits ? down : up;
    }
    down.n = exact->n < 18 ? exact->n : 18;
    memcpy(down.digit, exact->digit, (size_t)down.n);
    return down;
}

static ARCD_RT struct cut shortest_of_binary(struct binary v)
{
    struct arc_host_digits exact, low, high;
    digits_of_binary(v.m, v.e, &exact);
    digits_of_binary(2 * v.m + 1, v.e - 1, &high);
    /* Just above a power of two the neighbour below is only half as far, but for the smallest
     * exponent, where the spacing does not change. */
    bool near = v.m == UINT64_C(1) << (v.bits - 1) && v.e > (v.bits == 53 ? -1074 : -149);
    if (near)
        digits_of_binary(4 * v.m - 1, v.e - 2, &low);
    else
        digits_of_binary(2 * v.m - 1, v.e - 1, &low);
    return shortest_between(&exact, &low, &high, v.m % 2 == 0);
}

static ARCD_RT void digits_of_integer(uint64_t n, int point_from_right,
                                      struct arc_host_digits *digits)
{
    char text[20];
    int len = 0;
    for (; n != 0; n /= 10)
        text[len++] = (char)('0' + n % 10);
    digits->n = len;
    digits->point = len - point_from_right;
    for (int i = 0; i < len; i++)
        digits->digit[i] = text[len - 1 - i];
    drop_trailing_zeros(digits);
}

static const double POWER_OF_TEN[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6, 1e7,
                                      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};

/* A number of up to 15 digits, n / 10^k with both exact in f64: one division rounds once, as
 * reading does, and two such numbers never read back to the same f64. So the first k that fits is
 * shortest. */
static ARCD_RT bool short_cut_f64(double value, struct arc_host_digits *digits)
{
    if (!(value >= 1e-5 && value < 1e15))
        return false;
    for (int k = 0; k < (int)ARCD_COUNT_OF(POWER_OF_TEN); k++) {
        double scaled = value * POWER_OF_TEN[k];
        if (scaled >= 1e15)
            return false;
        uint64_t n = (uint64_t)(scaled + 0.5);
        if ((double)n / POWER_OF_TEN[k] == value) {
            digits_of_integer(n, k, digits);
            return true;
        }
    }
    return false;
}

/* The same for f32: 6 digits are always told apart, and 10^k is exact up to 10^10. */
static ARCD_RT bool short_cut_f32(float value, struct arc_host_digits *digits)
{
    if (!(value >= 1e-4f && value < 1e6f))
        return false;
    for (int k = 0; k <= 10; k++) {
        double scaled = (double)value * POWER_OF_TEN[k];
        if (scaled >= 1e6)
            return false;
        uint32_t n = (uint32_t)(scaled + 0.5);
        if ((float)n / (float)POWER_OF_TEN[k] == value) {
            digits_of_integer(n, k, digits);
            return true;
        }
    }
    return false;
}

ARCD_RT void arc_host_digits_shortest_f64(double value, struct arc_host_digits *digits)
{
    value = fabs(value);
    if (value == 0) {
        *digits = (struct arc_host_digits){.point = 1};
        return;
    }
    if (short_cut_f64(value, digits))
        return;
    struct cut cut = shortest_of_binary(binary_of_f64(value));
    cut_to_digits(&cut, digits);
}

ARCD_RT void arc_host_digits_shortest_f32(float value, struct arc_host_digits *digits)
{
    value = fabsf(value);
    if (value == 0) {
        *digits = (struct arc_host_digits){.point = 1};
        return;
    }
    if (short_cut_f32(value, digits))
        return;
    struct cut cut = shortest_of_binary(binary_of_f32(value));
    cut_to_digits(&cut, digits);
}
