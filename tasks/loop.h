/* tasks/loop.h - the thread of one task, and how others talk to it.
 *
 * Life cycle: loop_init -> [loop_start -> the thread calls `step` again and again -> loop_stop] ...
 *
 * The thread sleeps on one doorbell until the time that the last step asked for; whoever has news
 * for it (a command, a stop) rings. `step` is the task: it does what is due, never waits except in
 * a call of its backend, and returns when it wants to be called again. Steps can be called without
 * a thread too, which is how tests drive a task with a clock of their own.
 *
 * Threads: start, stop and await are for one controlling thread at a time; ask_stop and ring are
 * for any; report is for the loop's own thread.
 */
#ifndef TASKS_LOOP_H
#define TASKS_LOOP_H

#include "base/clock.h"
#include "base/doorbell.h"
#include "base/rt.h"

#define TASKS_STEP_END INT64_MIN /* from a step: the thread is done */

struct tasks_loop_ops {
    /* Returns the mono_ns of the next call at the latest (BASE_NEVER: when rung), or
     * TASKS_STEP_END. */
    int64_t (*step)(void *task);
    /* Once, on the new thread before its first step and before it counts as real-time: what its
     * settings came to. May be NULL. */
    void (*began)(void *task, const struct base_rt_got *got);
    /* Makes a blocked call of the backend return soon. Any thread. */
    void (*interrupt)(void *task);
};

struct tasks_loop {
    struct base_doorbell bell;   /* of the loop's thread */
    struct base_doorbell caller; /* of the controlling thread, while it waits for the loop */
    const struct tasks_loop_ops *ops;
    void *task;
    struct base_rt_request rt;
    _Atomic uint64_t got;  /* what the thread obtained, packed */
    _Atomic bool stop;     /* asked to end */
    _Atomic bool reported; /* the outcome of the start is known */
    _Atomic bool ended;    /* no step will be called any more */
    bool joinable;
    pthread_t thread;
};

void tasks_loop_init(struct tasks_loop *loop, const struct tasks_loop_ops *ops, void *task,
                     const struct base_rt_request *rt);

/* Starts the thread and returns once it has reported, or ended. TIMEOUT: neither within limit_ns;
 * it goes on. */
ARCD_MUST_CHECK enum arcd_err tasks_loop_start(struct tasks_loop *loop, int64_t limit_ns,
                                               struct arcd_errinfo *why);

/* Asks the loop to end: it does so in its next step. */
void tasks_loop_ask_stop(struct tasks_loop *loop);

/* Waits for the end and joins. A loop that has not ended after patience_ns is interrupted; TIMEOUT
 * when it has not ended limit_ns after that: it is still there, call again. */
ARCD_MUST_CHECK enum arcd_err tasks_loop_stop(struct tasks_loop *loop, int64_t patience_ns,
                                              int64_t limit_ns);

bool tasks_loop_is_running(const struct tasks_loop *loop);

/* What the thread of the last start obtained; nothing before the first. Any thread. */
struct base_rt_got tasks_loop_got(const struct tasks_loop *loop);

/* Waits until done(ctx) or the loop has ended; false after limit_ns. The loop makes the caller look
 * again by tasks_loop_tell(). */
bool tasks_loop_await(struct tasks_loop *loop, bool (*done)(void *ctx), void *ctx,
                      int64_t limit_ns);

/* ---- From within the loop */

ARCD_STEADY bool tasks_loop_must_stop(struct tasks_loop *loop);
ARCD_STEADY void
tasks_loop_tell(struct tasks_loop *loop); /* something changed for a waiting caller */
ARCD_STEADY void tasks_loop_report(struct tasks_loop *loop);

#endif
