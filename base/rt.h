/* base/rt.h - threads, and what a real-time one asks of the machine.
 *
 * Life cycle: thread_start -> [inside: rt_apply, rt_prefault_stack] -> thread_join.
 * Settings are made from inside the thread they are for, affinity first, and read back from the
 * kernel: what counts is what was obtained. Nothing here refuses to run: a permission that is
 * missing is reported in the result and the thread goes on as a normal one.
 */
#ifndef BASE_RT_H
#define BASE_RT_H

#include "base/err.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { BASE_RT_MAX_CPUS = 64, BASE_RT_STACK_BYTES = 512 * 1024 };

struct base_rt_request {
    const char *name;  /* of the thread, as ps -L shows it: at most 15 bytes are kept */
    int fifo_priority; /* 1-99; 0: normal */
    int cpus[BASE_RT_MAX_CPUS];
    int n_cpus; /* 0: leave the affinity alone */
};

struct base_rt_got {
    bool fifo; /* SCHED_FIFO at the asked priority is in effect */
    int priority;
    bool pinned;     /* the asked affinity is in effect */
    int sched_errno; /* why not: 0, or the errno of the call */
    int affinity_errno;
};

/* For the calling thread. Sets its timer slack to the least as well. */
void base_rt_apply(const struct base_rt_request *request, struct base_rt_got *got);

/* Locks all memory of the process, now and future. Once is enough; again is harmless. */
ARCD_MUST_CHECK enum arcd_err base_rt_lock_memory(struct arcd_errinfo *why);

/* Touches `bytes` of the calling thread's stack, at most BASE_RT_STACK_BYTES / 2, so that using it
 * faults no page. */
void base_rt_prefault_stack(size_t bytes);

/* The sentence that goes with a failed priority: what to do about it. Static text. */
const char *base_rt_priority_fix(void);

/* A thread with a stack of BASE_RT_STACK_BYTES, all signals blocked, normal policy and the
 * creator's affinity. */
ARCD_MUST_CHECK enum arcd_err base_thread_start(pthread_t *thread, void *(*run)(void *), void *arg,
                                                struct arcd_errinfo *why);
void base_thread_join(pthread_t thread);

#endif
