/* base/doorbell.h - one futex word that wakes one sleeping thread, from any number of others.
 *
 * Life cycle: doorbell_init -> [owner: seen = doorbell_read; look for work; doorbell_wait(seen)]
 * ... (no fini). Threads: any thread rings; one thread, the owner, reads and waits. Ringing costs
 * one atomic add, and a system call only when the owner sleeps. A ring between doorbell_read() and
 * doorbell_wait() is never lost: the wait returns at once. The deadline is absolute on
 * CLOCK_MONOTONIC, so one wait serves data and timers alike.
 */
#ifndef BASE_DOORBELL_H
#define BASE_DOORBELL_H

#include "base/err.h"

#include <stdatomic.h>
#include <stdbool.h>

struct base_doorbell {
    ARCD_ALIGNED_CACHE _Atomic uint32_t rings; /* the futex word: counts rings, wraps */
    _Atomic uint32_t sleeping; /* 1 while the owner is in, or about to enter, the wait */
};

void base_doorbell_init(struct base_doorbell *bell);

/* Wakes the owner, or makes its next wait return at once. All writes made before are visible to it
 * after the wait. */
ARCD_RT void base_doorbell_ring(struct base_doorbell *bell);

/* The count to hand to base_doorbell_wait(). Read it before looking for work. */
ARCD_RT uint32_t base_doorbell_read(struct base_doorbell *bell);

/* Sleeps until rung since `seen` was read, or until deadline_mono_ns (BASE_NEVER: no deadline).
 * Returns true when rung, false at the deadline. Signals do not end the wait. */
ARCD_RT bool base_doorbell_wait(struct base_doorbell *bell, uint32_t seen,
                                int64_t deadline_mono_ns);

#endif
