/* The owner sets `sleeping`, then looks at `rings` once more (inside the kernel: FUTEX_WAIT
 * compares it). A ringer adds to `rings`, then looks at `sleeping`. Both orders are sequentially
 * consistent, so at least one of the two sees the other: either the wait does not sleep, or the
 * ringer makes the wake call. */
#include "base/doorbell.h"

#include "base/clock.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SLEEP_COST_NS = 2000 }; /* two system calls and a reschedule take longer on any machine */

void base_doorbell_init(struct base_doorbell *bell)
{
    atomic_init(&bell->rings, 0);
    atomic_init(&bell->sleeping, 0);
}

ARCD_RT void base_doorbell_ring(struct base_doorbell *bell)
{
    atomic_fetch_add(&bell->rings, 1);
    if (atomic_load(&bell->sleeping) != 0)
        syscall(SYS_futex, &bell->rings, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

ARCD_RT uint32_t base_doorbell_read(struct base_doorbell *bell)
{
    return atomic_load(&bell->rings);
}

/* A wait that is over before the kernel could put the thread to sleep is spent looking. True when
 * the deadline has passed. */
ARCD_RT static bool look_for_a_moment(struct base_doorbell *bell, uint32_t seen,
                                      int64_t deadline_mono_ns)
{
    if (deadline_mono_ns == BASE_NEVER)
        return false;
    int64_t left_ns = deadline_mono_ns - base_mono_ns();
    while (left_ns > 0 && left_ns < SLEEP_COST_NS && atomic_load(&bell->rings) == seen)
        left_ns = deadline_mono_ns - base_mono_ns();
    return left_ns <= 0;
}

ARCD_RT bool base_doorbell_wait(struct base_doorbell *bell, uint32_t seen, int64_t deadline_mono_ns)
{
    struct timespec until = {deadline_mono_ns / BASE_NS_PER_S, deadline_mono_ns % BASE_NS_PER_S};
    const struct timespec *deadline = deadline_mono_ns == BASE_NEVER ? NULL : &until;
    bool timed_out = look_for_a_moment(bell, seen, deadline_mono_ns);
    atomic_store(&bell->sleeping, 1);
    while (!timed_out && atomic_load(&bell->rings) == seen) {
        /* FUTEX_WAIT_BITSET takes an absolute CLOCK_MONOTONIC time; plain FUTEX_WAIT a relative
         * one. */
        long rc = syscall(SYS_futex, &bell->rings, FUTEX_WAIT_BITSET_PRIVATE, seen, deadline, NULL,
                          FUTEX_BITSET_MATCH_ANY);
        timed_out = rc != 0 && errno == ETIMEDOUT;
    }
    atomic_store_explicit(&bell->sleeping, 0, memory_order_relaxed);
    return atomic_load(&bell->rings) != seen;
}
