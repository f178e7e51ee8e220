/* driver/bench/timers.h - several timer measurements one after the other, and what is shown of
 * them: what `arcd bench timers` and `arcd bench latency` share. One thread.
 */
#ifndef DRIVER_BENCH_TIMERS_H
#define DRIVER_BENCH_TIMERS_H

#include "driver/bench/questions.h"
#include "driver/bench/timer_run.h"

struct bench_timers {
    double rates_hz[BENCH_LIST_MAX];
    enum arc_host_level levels[BENCH_LIST_MAX];
    uint32_t n_rates, n_levels;
    const char *test;
    int64_t duration_ns;
    bool loaded, versus, realtime, json;
    const char *histogram; /* a file, or NULL */
};

/* The options -d, -n, -H, -j and --versus, --load; as an argp child with a struct bench_timers as
 * input. */
extern const struct argp bench_timers_argp;

/* The exit status. */
int bench_timers_run(const struct bench_timers *timers);

#endif
