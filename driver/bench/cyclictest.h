/* driver/bench/cyclictest.h - runs cyclictest beside us and reads the histogram that it prints.
 *
 * Life cycle: cyclictest_start -> [any time later] -> cyclictest_finish, which ends it; or
 *             table_init -> table_feed ... -> table_end for a text from elsewhere.
 *
 * One thread prints in ns, with buckets of 1 ns up to 1 ms; several print in us, up to 20 ms: a
 * bucket costs 8 bytes of locked memory for each thread. What is later than the last bucket is only
 * counted by cyclictest; it is taken as the end of the buckets, which flatters cyclictest, except
 * for the worst, which it knows exactly.
 */
#ifndef DRIVER_BENCH_CYCLICTEST_H
#define DRIVER_BENCH_CYCLICTEST_H

#include "base/histo.h"
#include "driver/bench/child.h"

enum { BENCH_CYCLICTEST_THREADS = 128, BENCH_CYCLICTEST_LINE = 8192 };

struct bench_cyclictest_opts {
    int64_t period_ns;  /* whole us */
    uint32_t n_threads; /* 0: 1 */
    const char *cpus;   /* "1" or "0-1"; NULL: not pinned */
    int priority;       /* SCHED_FIFO; 0: normal threads */
    bool keeps_cores_awake;
};

/* What its output said. 28 KiB and more: not for a stack. */
struct bench_cyclictest_result {
    struct base_histo_copy late; /* of all threads together */
    uint32_t n_threads;
    struct {
        uint64_t count;
        double mean_ns;
        int64_t worst_ns;
    } thread[BENCH_CYCLICTEST_THREADS];
};

/* ---- Its output, read as it comes */

struct bench_cyclictest_table {
    struct bench_cyclictest_result *result;
    int64_t unit_ns;
    int64_t end_ns;     /* behind the last bucket */
    uint64_t overflows; /* of all threads */
    uint32_t len;
    char line[BENCH_CYCLICTEST_LINE];
    bool is_too_long;    /* the rest of this line does not matter */
    char complaint[160]; /* the last line that is no part of the table */
};

void bench_cyclictest_table_init(struct bench_cyclictest_table *table,
                                 struct bench_cyclictest_result *result, int64_t unit_ns);
void bench_cyclictest_table_feed(struct bench_cyclictest_table *table, const char *bytes, size_t n);

/* PROTOCOL: it was no histogram; the sentence has the program's own complaint. */
ARCD_MUST_CHECK enum arcd_err bench_cyclictest_table_end(struct bench_cyclictest_table *table,
                                                         struct arcd_errinfo *why);

/* ---- The program */

struct bench_cyclictest {
    struct bench_child child;
    int64_t unit_ns;
};

/* INVALID: the period is no whole number of us. NOTFOUND: not installed. */
ARCD_MUST_CHECK enum arcd_err bench_cyclictest_start(struct bench_cyclictest *run,
                                                     const struct bench_cyclictest_opts *opts,
                                                     struct arcd_errinfo *why);

/* Ends it and reads what it found. NULL result: ends it, whatever it found. */
ARCD_MUST_CHECK enum arcd_err bench_cyclictest_finish(struct bench_cyclictest *run,
                                                      struct bench_cyclictest_result *result,
                                                      struct arcd_errinfo *why);

#endif
