/* tasks/tare.h - the zero of one input channel, set while it runs.
 *
 * A request waits for the next batch: the mean of that batch (scaled, un-tared, over its finite
 * values) becomes the tare value, and y = x - tare holds from that batch on. A new tare replaces
 * the old one. The value stays over a stop and a start.
 *
 * Life cycle: tare_init -> [request] -> apply, once per batch ... (no fini).
 * Threads: the task's own applies; any other requests and looks.
 */
#ifndef TASKS_TARE_H
#define TASKS_TARE_H

#include "base/mark.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum tasks_tare_request { TASKS_TARE_NONE, TASKS_TARE_SET, TASKS_TARE_CLEAR };

struct tasks_tare {
    _Atomic uint32_t request;
    _Atomic uint64_t shown; /* bits of `value`, for other threads */
    double value;           /* 0: none */
};

enum tasks_tare_result {
    TASKS_TARE_KEPT,      /* nothing was asked */
    TASKS_TARE_DONE,      /* set or cleared */
    TASKS_TARE_NO_VALUES, /* the batch has no finite value: the old tare stays, the request goes */
};

void tasks_tare_init(struct tasks_tare *tare, double value);
void tasks_tare_ask(struct tasks_tare *tare, enum tasks_tare_request request);
bool tasks_tare_is_pending(const struct tasks_tare *tare);

/* The value in force, from any thread. */
double tasks_tare_value(const struct tasks_tare *tare);

ARCD_STEADY static inline bool tasks_tare_is_idle(const struct tasks_tare *tare)
{
    return tare->value == 0 &&
           atomic_load_explicit(&tare->request, memory_order_relaxed) == TASKS_TARE_NONE;
}

/* Serves a pending request, then subtracts in place. n >= 1. */
ARCD_STEADY enum tasks_tare_result tasks_tare_apply(struct tasks_tare *tare, double *values,
                                                    size_t n);

#endif
