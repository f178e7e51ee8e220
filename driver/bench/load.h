/* driver/bench/load.h - keeps the machine busy while something is measured.
 *
 * Life cycle: load_start -> load_stop. One thread, the same one for both. A load that is not
 * running may be stopped. Whatever ends this process ends the load.
 */
#ifndef DRIVER_BENCH_LOAD_H
#define DRIVER_BENCH_LOAD_H

#include "driver/bench/child.h"

#include <pthread.h>
#include <stdatomic.h>

enum { BENCH_LOAD_LOOPS_MAX = 64 };

struct bench_load {
    /* stress-ng: on every core one process that computes, one that writes a file and one that
     * writes memory. */
    struct bench_child stress;

    /* Threads that do nothing but count. */
    pthread_t loops[BENCH_LOAD_LOOPS_MAX];
    uint32_t n_loops;
    _Atomic bool stop;
};

void bench_load_init(struct bench_load *load);

/* Returns a second later, when it is in full swing. NOTFOUND: stress-ng is not installed. */
ARCD_MUST_CHECK enum arcd_err bench_load_start_stress(struct bench_load *load,
                                                      struct arcd_errinfo *why);

ARCD_MUST_CHECK enum arcd_err bench_load_start_loops(struct bench_load *load, uint32_t n,
                                                     struct arcd_errinfo *why);

/* True when it is running; a stress-ng that has ended by itself is not. */
bool bench_load_is_on(const struct bench_load *load);

void bench_load_stop(struct bench_load *load);

#endif
