/* arc_host/wait.h - how an automation waits: for a deadline, for data, or for both at once.
 *
 * Life cycle: wait_init -> wait_until ... ; wait_set_level at any time. One thread waits; any
 * thread sets the level and reads it.
 *
 * One futex wait covers data and deadline. At every level but `low` it ends a margin before the
 * deadline, and the rest is spent looking at the clock, so that what the system needs for a wake-up
 * is over when the deadline comes:
 *
 *      |---------------- sleeps, data wakes it ---------------|-- looks at the clock --|
 *   called                                          deadline - margin              deadline
 *
 * The margin is learned from this thread's own wake-ups (arc_host/margin.h). It is never more than
 * half of the wait for a deadline, counted from the first call for it, however often data came in
 * between. So a real-time thread leaves half of its core, at any rate, to others, and Linux never
 * throttles it. A normal thread has a sixteenth: one that is seldom on a core gets it at once when
 * it wakes, one that looks at the clock for long waits for its turn among the others, and looking
 * does not make up for that. A deadline is never reported early, not by one nanosecond.
 *
 * Several automations may share a core. Then each has its part of that half, and while it looks at
 * the clock it lets the others run in between: otherwise they would find themselves woken late,
 * look at the clock for longer, and make each other later still.
 *
 * | level  | margin                                                     | used for                |
 * | low    | none                                                       |                         |
 * | auto   | 99 of 100 recent wake-ups are over in it, and a guard      | waits of 10 ms and less |
 * | medium | 999 of 1000, and a guard; 50 us at least                   | every wait              |
 * | high   | the worst recent wake-up, and a guard; 50 us at least. A   | every wait              |
 * |        | normal thread: the whole wait, of its last 10 ms           |                         |
 */
#ifndef ARC_HOST_WAIT_H
#define ARC_HOST_WAIT_H

#include "arc_host/margin.h"
#include "base/clock.h"
#include "base/doorbell.h"

enum arc_host_level {
    ARC_HOST_LEVEL_LOW,
    ARC_HOST_LEVEL_AUTO,
    ARC_HOST_LEVEL_MEDIUM,
    ARC_HOST_LEVEL_HIGH,
    ARC_HOST_LEVEL_COUNT
};

/* "low", "auto", "medium", "high". Static text. */
const char *arc_host_level_name(enum arc_host_level level);
/* False when no level has that name. */
bool arc_host_level_from_name(const char *name, enum arc_host_level *level);

/* The clock and the sleep: tests script them. */
struct arc_host_wait_ops {
    int64_t (*mono_ns)(void *ctx);
    uint32_t (*rings)(void *ctx); /* how often the bell has been rung */
    /* Sleeps until rung since `seen` or until the deadline; true when rung. */
    bool (*sleep)(void *ctx, uint32_t seen, int64_t deadline_mono_ns);
    void (*yield)(void *ctx); /* lets threads of the same priority run that wait for this core */
    void *ctx;
};

/* The machine's clock and the futex of a bell, which must outlive them. */
struct arc_host_wait_ops arc_host_wait_ops_system(struct base_doorbell *bell);

struct arc_host_wait {
    struct arc_host_wait_ops ops;
    _Atomic int level;               /* enum arc_host_level */
    bool realtime;                   /* the thread has a real-time priority */
    const _Atomic uint32_t *sharers; /* automations on its core, itself included; NULL: it alone */
    struct arc_host_margin margin;
    int64_t deadline_mono_ns; /* of the last call */
    int64_t began_mono_ns;    /* first call for that deadline */
};

enum arc_host_wake {
    ARC_HOST_WAKE_DEADLINE, /* it has come; there may be data as well */
    ARC_HOST_WAKE_RUNG,     /* rung before the deadline */
};

void arc_host_wait_init(struct arc_host_wait *wait, const struct arc_host_wait_ops *ops,
                        enum arc_host_level level, bool realtime);

void arc_host_wait_set_level(struct arc_host_wait *wait, enum arc_host_level level);
enum arc_host_level arc_host_wait_level(const struct arc_host_wait *wait);

/* Returns when the deadline has come (BASE_NEVER: none) or the bell was rung since `seen`; *now is
 * the clock as last read. */
ARCD_RT enum arc_host_wake arc_host_wait_until(struct arc_host_wait *wait, uint32_t seen,
                                               int64_t deadline_mono_ns, int64_t *now_mono_ns);

/* The margin that a wait of that length would have now. */
ARCD_RT int64_t arc_host_wait_margin(const struct arc_host_wait *wait, int64_t wait_ns);

#endif
