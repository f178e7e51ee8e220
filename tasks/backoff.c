#include "tasks/backoff.h"

#include "base/clock.h"

#include <math.h>

struct tasks_retry tasks_retry_default(void)
{
    return (struct tasks_retry){.base_ns = BASE_NS_PER_S,
                                .scale = 1.1,
                                .max_ns = 60 * BASE_NS_PER_S,
                                .max_retries = 50,
                                .jitter = 0.05};
}

void tasks_backoff_init(struct tasks_backoff *backoff, const struct tasks_retry *retry,
                        uint64_t seed)
{
    *backoff = (struct tasks_backoff){.retry = *retry, .random = seed | 1};
}

/* Uniform in [-1, 1): xorshift, good enough to spread retries. */
ARCD_STEADY static double next_random(struct tasks_backoff *backoff)
{
    uint64_t x = backoff->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    backoff->random = x;
    return (double)(x >> 11) * 0x1p-52 - 1;
}

ARCD_STEADY bool tasks_backoff_next(struct tasks_backoff *backoff, int64_t *wait_ns)
{
    const struct tasks_retry *retry = &backoff->retry;
    if (retry->max_retries >= 0 && backoff->n >= (uint32_t)retry->max_retries)
        return false;
    if (backoff->n < UINT32_MAX)
        backoff->n++;
    double grown = (double)retry->base_ns * pow(retry->scale, backoff->n - 1);
    double wait = fmin(grown, (double)retry->max_ns);
    *wait_ns = llround(wait * (1 + retry->jitter * next_random(backoff)));
    return true;
}

ARCD_STEADY void tasks_backoff_reset(struct tasks_backoff *backoff)
{
    backoff->n = 0;
}
