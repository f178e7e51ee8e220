/* A scripted clock and sleep for what waits: time passes only here, wake-ups are as late as the
 * test says, and a bell rings at the times that it names. */
#ifndef TESTS_ARC_HOST_SCRIPT_CLOCK_H
#define TESTS_ARC_HOST_SCRIPT_CLOCK_H

#include "arc_host/wait.h"

#include <stddef.h>

struct script_clock {
    int64_t now;
    int64_t look_ns;                            /* what one look at the clock costs */
    int64_t (*delay_ns)(void *ctx, uint64_t n); /* of the n-th sleep, from 0; < 0: half-way */
    void *delay_ctx;
    int64_t ring_at[64]; /* ascending; the bell rings then */
    uint32_t n_rings, rung;
    uint64_t sleeps; /* that were asked for */
    uint64_t yields;
    int64_t yield_ns; /* what each takes */
    int64_t slept_ns;
};

static inline void script_ring_due(struct script_clock *clock)
{
    while (clock->rung < clock->n_rings && clock->ring_at[clock->rung] <= clock->now)
        clock->rung++;
}

static inline int64_t script_mono_ns(void *ctx)
{
    struct script_clock *clock = ctx;
    clock->now += clock->look_ns;
    script_ring_due(clock);
    return clock->now;
}

static inline uint32_t script_rings(void *ctx)
{
    struct script_clock *clock = ctx;
    return clock->rung;
}

static inline bool script_sleep(void *ctx, uint32_t seen, int64_t deadline)
{
    struct script_clock *clock = ctx;
    int64_t began = clock->now;
    uint64_t n = clock->sleeps++;
    if (clock->rung != seen)
        return true;
    bool rung = clock->rung < clock->n_rings && clock->ring_at[clock->rung] < deadline;
    int64_t until = rung ? clock->ring_at[clock->rung] : deadline;
    int64_t delay = clock->delay_ns != NULL ? clock->delay_ns(clock->delay_ctx, n) : 0;
    if (delay < 0 && until > clock->now)
        clock->now += (until - clock->now + 1) / 2;
    else
        clock->now = (until > clock->now ? until : clock->now) + delay;
    clock->slept_ns += clock->now - began;
    script_ring_due(clock);
    return clock->rung != seen;
}

/* Somebody else runs for a while. */
static inline void script_yield(void *ctx)
{
    struct script_clock *clock = ctx;
    clock->yields++;
    clock->now += clock->yield_ns;
    script_ring_due(clock);
}

static inline struct arc_host_wait_ops script_ops(struct script_clock *clock)
{
    return (struct arc_host_wait_ops){.mono_ns = script_mono_ns,
                                      .rings = script_rings,
                                      .sleep = script_sleep,
                                      .yield = script_yield,
                                      .ctx = clock};
}

#endif
