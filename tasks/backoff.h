/* tasks/backoff.h - how long to wait before the next attempt.
 *
 *     wait before retry n (n = 1, 2, ...) = min(base * scale^(n-1), max) * (1 + jitter)
 *
 * Life cycle: backoff_init -> backoff_next after every failure, backoff_reset after a success.
 * One thread. The jitter is uniform within its fraction on both sides, so that tasks that lost one
 * device together do not come back together.
 */
#ifndef TASKS_BACKOFF_H
#define TASKS_BACKOFF_H

#include "base/mark.h"

#include <stdbool.h>

struct tasks_retry {
    int64_t base_ns;     /* > 0 */
    double scale;        /* >= 1 */
    int64_t max_ns;      /* >= base */
    int32_t max_retries; /* -1: for ever */
    double jitter;       /* 0.05; 0 in tests */
};

/* 1 s, 1.1, 60 s, 50 retries, 5 %. */
struct tasks_retry tasks_retry_default(void);

struct tasks_backoff {
    struct tasks_retry retry;
    uint32_t n; /* retries since the last success */
    uint64_t random;
};

/* `seed` makes the jitter differ from task to task. */
void tasks_backoff_init(struct tasks_backoff *backoff, const struct tasks_retry *retry,
                        uint64_t seed);

/* Counts a failure. True: try again after *wait_ns. False: that was the last retry; give up. */
ARCD_STEADY bool tasks_backoff_next(struct tasks_backoff *backoff, int64_t *wait_ns);
ARCD_STEADY void tasks_backoff_reset(struct tasks_backoff *backoff);

#endif
