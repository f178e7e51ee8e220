/* hw/modbus/mb_turns.h - tasks take turns on one link: one request at a time, writes before reads.
 *
 * Life cycle: caller_init once a task, turns_init once a link; then take -> ... -> give.
 * Threads: a caller belongs to the thread that runs its task; any thread may interrupt it. Waiting
 * for a turn ends at the deadline or when the caller is interrupted. The lock inside is held for a
 * few instructions only, whatever the link does.
 */
#ifndef HW_MODBUS_MB_TURNS_H
#define HW_MODBUS_MB_TURNS_H

#include "base/clock.h"
#include "base/doorbell.h"

#include <pthread.h>

struct mb_caller {
    struct base_doorbell bell;
    int wake_fd; /* becomes readable by an interrupt: for waits that watch sockets too */
    _Atomic bool interrupted;
    /* The turns' own. */
    _Atomic bool granted;
    struct mb_caller *next;
};

ARCD_MUST_CHECK enum arcd_err mb_caller_init(struct mb_caller *caller, struct arcd_errinfo *why);
void mb_caller_fini(struct mb_caller *caller);

/* Forgets an earlier interrupt: the task starts. */
void mb_caller_reset(struct mb_caller *caller);
void mb_caller_interrupt(struct mb_caller *caller);

/* False: interrupted before until_mono_ns. */
bool mb_caller_sleep(struct mb_caller *caller, const struct base_clock *clock,
                     int64_t until_mono_ns);

struct mb_turns {
    pthread_mutex_t lock;
    struct mb_caller *holder;
    struct mb_caller *first[2]; /* who waits, in order of arrival: reads, writes */
};

void mb_turns_init(struct mb_turns *turns);
void mb_turns_fini(struct mb_turns *turns);

/* 0, ETIMEDOUT or ECANCELED. */
int mb_turns_take(struct mb_turns *turns, struct mb_caller *caller, bool is_write,
                  const struct base_clock *clock, int64_t deadline_mono_ns);
void mb_turns_give(struct mb_turns *turns);

/* Does somebody wait for the turn that is taken? */
bool mb_turns_wanted(struct mb_turns *turns);

/* Calls fn(ctx) if the caller has the turn now, and keeps it from ending meanwhile. */
void mb_turns_if_holder(struct mb_turns *turns, const struct mb_caller *caller,
                        void (*fn)(void *ctx), void *ctx);

#endif
