/* bench/report.h - the frame of a benchmark: options, figures beside those of a comparator, and how
 * they are shown.
 *
 * Life cycle: bench_parse -> [measure, turn about] -> bench_begin -> bench_row ... -> bench_end.
 * One thread. All figures are nanoseconds.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "base/histo.h"

#include <stdbool.h>

struct bench_opts {
    double seconds; /* of measuring, all together */
    bool json;
    bool check; /* leave with status 1 when a bar is missed */
};

/* Reads the command line; `doc` is what --help says the benchmark measures. Leaves the process on
 * --help and on a wrong option. */
struct bench_opts bench_parse(int argc, char **argv, const char *doc);

/* What is compared. Histograms of 28 KiB: not for a stack. */
struct bench_pair {
    struct base_histo ours, versus;
};

void bench_pair_init(struct bench_pair *pair);

struct bench_report {
    const struct bench_opts *opts;
    const char *name;
    const char *ours, *versus; /* what the two sides are called */
    bool first;                /* no row yet */
    bool missed;               /* a bar */
};

void bench_begin(struct bench_report *report, const struct bench_opts *opts, const char *name,
                 const char *ours, const char *versus);

/* One case with both sides and their ratio. bar: the ratio at p50 must not be above it; 0: none. */
void bench_row(struct bench_report *report, const char *what, const struct bench_pair *pair,
               double bar);

/* As bench_row(), for a bar on ours alone: p50 below so many ns; 0: none. */
void bench_row_limit(struct bench_report *report, const char *what, const struct bench_pair *pair,
                     int64_t limit_ns);

/* The exit status of the program. */
int bench_end(struct bench_report *report);

#endif
