/* arc_host/bits.h - sets of small numbers as words of bits.
 *
 * The caller owns the words; ARC_HOST_WORDS(n) hold the numbers 0..n-1. Inline, real-time safe.
 */
#ifndef ARC_HOST_BITS_H
#define ARC_HOST_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ARC_HOST_WORDS(n) (((size_t)(n) + 63) / 64)

enum { ARC_HOST_NO_BIT = UINT32_MAX };

static inline void arc_host_bit_set(uint64_t *words, uint32_t i)
{
    words[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline void arc_host_bit_clear(uint64_t *words, uint32_t i)
{
    words[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

static inline bool arc_host_bit_test(const uint64_t *words, uint32_t i)
{
    return (words[i / 64] >> (i % 64) & 1) != 0;
}

/* The smallest number of the set in from..end-1, or ARC_HOST_NO_BIT. */
static inline uint32_t arc_host_bit_next(const uint64_t *words, uint32_t from, uint32_t end)
{
    if (from >= end)
        return ARC_HOST_NO_BIT;
    uint32_t w = from / 64, last = (end - 1) / 64;
    uint64_t word = words[w] & UINT64_MAX << (from % 64);
    while (word == 0) {
        if (w == last)
            return ARC_HOST_NO_BIT;
        word = words[++w];
    }
    uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(word);
    return i < end ? i : ARC_HOST_NO_BIT;
}

/* Removes first..first+n-1. */
static inline void arc_host_bits_clear(uint64_t *words, uint32_t first, uint32_t n)
{
    for (uint32_t i = first, end = first + n; i < end;) {
        uint32_t low = i % 64, take = 64 - low < end - i ? 64 - low : end - i;
        uint64_t mask = (take == 64 ? UINT64_MAX : (UINT64_C(1) << take) - 1) << low;
        words[i / 64] &= ~mask;
        i += take;
    }
}

#endif
