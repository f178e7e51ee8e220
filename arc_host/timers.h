/* arc_host/timers.h - the deadlines of the timer nodes: a heap ordered by time.
 *
 * Life cycle: timers_init -> set, clear, first ... -> timers_reset. One thread; the memory is the
 * arena's. A timer is a number 0..n-1 and has one deadline at most; every call costs O(log n).
 */
#ifndef ARC_HOST_TIMERS_H
#define ARC_HOST_TIMERS_H

#include "base/arena.h"

struct arc_host_timer {
    int64_t deadline_ns;
    uint32_t id;
};

struct arc_host_timers {
    struct arc_host_timer *heap; /* heap[0] is the earliest; parent of i: (i - 1) / 2 */
    uint32_t *place;             /* of timer id in the heap, from 1; 0: not in it */
    uint32_t n;
    uint32_t n_ids;
};

void arc_host_timers_init(struct arc_host_timers *timers, struct base_arena *arena, uint32_t n_ids);

ARCD_RT void arc_host_timers_reset(struct arc_host_timers *timers);

/* Sets, or moves, the deadline of a timer. */
ARCD_RT void arc_host_timers_set(struct arc_host_timers *timers, uint32_t id, int64_t deadline_ns);

/* Nothing when it has none. */
ARCD_RT void arc_host_timers_clear(struct arc_host_timers *timers, uint32_t id);

/* The earliest; NULL without one. */
static inline const struct arc_host_timer *
arc_host_timers_first(const struct arc_host_timers *timers)
{
    return timers->n != 0 ? &timers->heap[0] : NULL;
}

#endif
