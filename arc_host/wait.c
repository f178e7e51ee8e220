#include "arc_host/wait.h"

#include <sched.h>
#include <string.h>

enum {
    FIRST_GUESS_NS = 50000, /* before anything was learned */
    LEAST_NS = 50000,       /* at medium and high */
    GUARD_NS = 2000,        /* from the wake-up to the first look at the clock, and a little */
    AUTO_OVER = ARC_HOST_MARGIN_WINDOW / 100, /* wake-ups that may be later */
    MEDIUM_OVER = ARC_HOST_MARGIN_WINDOW / 1000,
    SHORT_WAIT_NS = 10000000,
    NORMAL_PART = 16, /* of the wait that a normal thread looks at the clock for */
};

static const char *const level_names[ARC_HOST_LEVEL_COUNT] = {"low", "auto", "medium", "high"};

const char *arc_host_level_name(enum arc_host_level level)
{
    ARCD_ASSERT(level >= 0 && level < ARC_HOST_LEVEL_COUNT);
    return level_names[level];
}

bool arc_host_level_from_name(const char *name, enum arc_host_level *level)
{
    for (int i = 0; i < ARC_HOST_LEVEL_COUNT; i++) {
        if (strcmp(name, level_names[i]) == 0) {
            *level = (enum arc_host_level)i;
            return true;
        }
    }
    return false;
}

ARCD_RT static int64_t system_mono_ns(void *ctx)
{
    (void)ctx;
    return base_mono_ns();
}

ARCD_RT static uint32_t system_rings(void *ctx)
{
    return base_doorbell_read(ctx);
}

ARCD_RT static bool system_sleep(void *ctx, uint32_t seen, int64_t deadline_mono_ns)
{
    return base_doorbell_wait(ctx, seen, deadline_mono_ns);
}

ARCD_RT static void system_yield(void *ctx)
{
    (void)ctx;
    (void)sched_yield();
}

struct arc_host_wait_ops arc_host_wait_ops_system(struct base_doorbell *bell)
{
    return (struct arc_host_wait_ops){.mono_ns = system_mono_ns,
                                      .rings = system_rings,
                                      .sleep = system_sleep,
                                      .yield = system_yield,
                                      .ctx = bell};
}

void arc_host_wait_init(struct arc_host_wait *wait, const struct arc_host_wait_ops *ops,
                        enum arc_host_level level, bool realtime)
{
    wait->ops = *ops;
    atomic_init(&wait->level, level);
    wait->realtime = realtime;
    wait->sharers = NULL;
    arc_host_margin_init(&wait->margin);
    wait->deadline_mono_ns = BASE_NEVER;
    wait->began_mono_ns = 0;
}

void arc_host_wait_set_level(struct arc_host_wait *wait, enum arc_host_level level)
{
    ARCD_ASSERT(level >= 0 && level < ARC_HOST_LEVEL_COUNT);
    atomic_store_explicit(&wait->level, level, memory_order_relaxed);
}

enum arc_host_level arc_host_wait_level(const struct arc_host_wait *wait)
{
    return (enum arc_host_level)atomic_load_explicit(&wait->level, memory_order_relaxed);
}

ARCD_RT static inline int64_t with_guard(int64_t delay_ns)
{
    return delay_ns < 0 ? FIRST_GUESS_NS : delay_ns + GUARD_NS;
}

ARCD_RT static inline int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

ARCD_RT static inline int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* 1: it has its core for itself, or the scheduler shares it out. */
ARCD_RT static uint32_t sharers_of(const struct arc_host_wait *wait)
{
    uint32_t n =
        wait->sharers == NULL ? 1 : atomic_load_explicit(wait->sharers, memory_order_relaxed);
    return n < 1 ? 1 : n;
}

ARCD_RT int64_t arc_host_wait_margin(const struct arc_host_wait *wait, int64_t wait_ns)
{
    const struct arc_host_margin *margin = &wait->margin;
    int level = atomic_load_explicit(&wait->level, memory_order_relaxed);
    int64_t wanted = 0;
    if (level == ARC_HOST_LEVEL_HIGH && !wait->realtime)
        return smaller(wait_ns, SHORT_WAIT_NS);
    if (level == ARC_HOST_LEVEL_HIGH)
        wanted = larger(LEAST_NS, with_guard(arc_host_margin_worst(margin)));
    else if (level == ARC_HOST_LEVEL_MEDIUM)
        wanted = larger(LEAST_NS, with_guard(arc_host_margin_all_but(margin, MEDIUM_OVER)));
    else if (level == ARC_HOST_LEVEL_AUTO && wait_ns <= SHORT_WAIT_NS)
        wanted = with_guard(arc_host_margin_all_but(margin, AUTO_OVER));
    const int64_t part = wait->realtime ? 2 : NORMAL_PART;
    return smaller(wanted, wait_ns / part / sharers_of(wait));
}

/* A wait that data interrupted goes on with the margin of the whole wait: half of what is left
 * could be less than one wake-up takes. */
ARCD_RT static int64_t margin_for(struct arc_host_wait *wait, int64_t deadline, int64_t now)
{
    if (deadline == BASE_NEVER)
        return 0;
    if (wait->deadline_mono_ns != deadline) {
        wait->deadline_mono_ns = deadline;
        wait->began_mono_ns = now;
    }
    return arc_host_wait_margin(wait, deadline - wait->began_mono_ns);
}

/* No pause instruction while looking at the clock: reading the clock paces the loop already, and a
 * hypervisor may take the core away from a guest that pauses over and over. */
ARCD_RT enum arc_host_wake arc_host_wait_until(struct arc_host_wait *wait, uint32_t seen,
                                               int64_t deadline_mono_ns, int64_t *now_mono_ns)
{
    const struct arc_host_wait_ops *ops = &wait->ops;
    int64_t now = ops->mono_ns(ops->ctx);
    const int64_t margin = margin_for(wait, deadline_mono_ns, now);
    const int64_t sleep_until = deadline_mono_ns - margin;
    const bool is_shared = wait->realtime && sharers_of(wait) > 1;
    while (now < deadline_mono_ns) {
        if (ops->rings(ops->ctx) != seen) {
            *now_mono_ns = now;
            return ARC_HOST_WAKE_RUNG;
        }
        bool slept = now < sleep_until;
        bool rung = slept && ops->sleep(ops->ctx, seen, sleep_until);
        if (!slept && is_shared)
            ops->yield(ops->ctx);
        now = ops->mono_ns(ops->ctx);
        if (slept && !rung && now >= sleep_until)
            arc_host_margin_learn(&wait->margin, now - sleep_until);
    }
    *now_mono_ns = now;
    return ARC_HOST_WAKE_DEADLINE;
}
