/* driver/bench/result.h - the figures of one measurement and of its comparator, and their JSON:
 * {"runs": [...]}, which other programs rely on (docs/benchmarks.md).
 *
 * Life cycle: result_new -> fill -> result_json ... -> result_free.
 */
#ifndef DRIVER_BENCH_RESULT_H
#define DRIVER_BENCH_RESULT_H

#include "base/histo.h"

#include <jansson.h>

struct bench_side {
    const char *name; /* "cyclictest" */
    bool has_cpu_share;
    double cpu_share; /* of one core */
    struct base_histo_copy late;
};

struct bench_result {
    const char *test;  /* "timers" */
    double rate_hz;    /* 0: there is none */
    const char *level; /* NULL: there is none */
    const char *load;  /* what there really was: "idle", "loaded" */
    bool realtime;     /* granted */
    int cpu;           /* -1: any */
    uint64_t early, overruns;
    bool has_versus;
    struct bench_side ours, versus;
};

struct bench_result *bench_result_new(void);
void bench_result_free(struct bench_result *result); /* NULL is allowed */

/* One element of "runs". A ratio to nothing is null. */
json_t *bench_result_json(const struct bench_result *result);

struct bench_figures {
    uint64_t count;
    double mean_us, p50_us, p99_us, p999_us, p9999_us, worst_us;
};

struct bench_figures bench_side_figures(const struct bench_side *side);

/* Rounded to `digits` decimals: figures, not noise. */
json_t *bench_json_real(double value, int digits);

/* Takes the array; to stdout. */
void bench_json_print(json_t *runs);

#endif
