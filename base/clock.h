/* base/clock.h - the two clocks of arcd, behind one small table so that tests can bring their own.
 *
 * mono_ns: CLOCK_MONOTONIC, for deadlines, durations and time-outs. utc_ns: wall clock, ns since
 * 1970, for the timestamps of samples; it may step. Both are int64_t nanoseconds. Reading a clock
 * is real-time safe (vDSO, no system call on the usual clock sources). A base_clock is immutable
 * while in use; any thread may read it.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/mark.h"

#define BASE_NS_PER_US INT64_C(1000)
#define BASE_NS_PER_MS INT64_C(1000000)
#define BASE_NS_PER_S INT64_C(1000000000)
#define BASE_NEVER INT64_MAX /* a deadline that never comes */

struct base_clock {
    int64_t (*mono_ns)(void *ctx);
    int64_t (*utc_ns)(void *ctx);
    void *ctx;
};

ARCD_RT int64_t base_mono_ns(void); /* the machine's CLOCK_MONOTONIC */
ARCD_RT int64_t base_utc_ns(void);  /* the machine's CLOCK_REALTIME */

/* The machine's clocks: the table to use outside of tests. */
const struct base_clock *base_clock_system(void);

static inline int64_t base_clock_mono(const struct base_clock *clock)
{
    return clock->mono_ns(clock->ctx);
}

static inline int64_t base_clock_utc(const struct base_clock *clock)
{
    return clock->utc_ns(clock->ctx);
}

#endif
