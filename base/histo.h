/* base/histo.h - how long things took: a log-linear histogram of nanoseconds, always on.
 *
 * Life cycle: histo_init -> histo_record ... -> [histo_ask_reset] -> nothing to free.
 *             reader: histo_copy -> histo_quantile, histo_mean, histo_merge ...
 *             without a recorder: copy_init -> copy_add ... -> as above
 *
 * Threads: one thread records; any other copies, or asks for a reset, without a lock and without
 * holding the first one up. A copy is as consistent as it needs to be: its count is the sum of its
 * buckets, so quantiles add up; a value recorded during the copy may be missing from it.
 *
 * Shape: every value below 256 ns has a bucket of its own; above, each octave has 128 buckets, so
 * that a bucket is at most 0.8 % wide. The last one ends at 2^34 ns (17 s). Values under 0 and from
 * 2^34 on are counted apart and still show in min, max and mean.
 */
#ifndef BASE_HISTO_H
#define BASE_HISTO_H

#include "base/mark.h"

#include <stdatomic.h>
#include <stdbool.h>

enum {
    BASE_HISTO_SUB_BITS = 7,  /* 2^7 buckets an octave */
    BASE_HISTO_TOP_BITS = 34, /* values below 2^34 have a bucket */
    BASE_HISTO_BUCKETS = (BASE_HISTO_TOP_BITS - BASE_HISTO_SUB_BITS + 1) << BASE_HISTO_SUB_BITS,
};

struct base_histo {
    _Atomic uint32_t epoch;       /* odd while it is being cleared */
    _Atomic uint32_t reset_asked; /* by any thread; honoured by the next record */
    _Atomic uint32_t first, last; /* buckets outside of first..last are 0 */
    _Atomic uint64_t below, above;
    _Atomic int64_t min, max;
    _Atomic double sum;
    _Atomic uint64_t counts[BASE_HISTO_BUCKETS];
};

/* A copy, in plain memory: 28 KiB, so not on a stack. */
struct base_histo_copy {
    uint64_t count;   /* all values, also those below and above */
    uint64_t below;   /* under 0 */
    uint64_t above;   /* 2^34 ns and over */
    int64_t min, max; /* exact; 0 when count is 0 */
    double sum;
    uint64_t counts[BASE_HISTO_BUCKETS];
};

void base_histo_init(struct base_histo *histo);

/* The recording thread. A few ns; clears first when a reset was asked for. */
ARCD_RT void base_histo_record(struct base_histo *histo, int64_t value_ns);

/* The recording thread. Costs as much as the span of values is wide, at most a few us. */
ARCD_RT void base_histo_reset(struct base_histo *histo);

/* Any thread: the next record starts from nothing. */
void base_histo_ask_reset(struct base_histo *histo);

/* Any thread but a real-time one. */
void base_histo_copy(const struct base_histo *histo, struct base_histo_copy *copy);

/* ---- Copies: plain values, one thread at a time */

void base_histo_copy_init(struct base_histo_copy *copy);

/* Counts a value n times. */
void base_histo_copy_add(struct base_histo_copy *copy, int64_t value_ns, uint64_t n);

/* Adds the values of `from` to `into`. */
void base_histo_merge(struct base_histo_copy *into, const struct base_histo_copy *from);

/* The value that a share q (0..1) of all values does not exceed: the upper end of its bucket, never
 * more than max nor less than min. q 0 gives min, q 1 gives max; 0 without values. */
int64_t base_histo_quantile(const struct base_histo_copy *copy, double q);

/* 0 without values. */
double base_histo_mean(const struct base_histo_copy *copy);

/* The smallest and largest value that bucket i counts. */
int64_t base_histo_bucket_from(uint32_t i);
int64_t base_histo_bucket_to(uint32_t i);

#endif
