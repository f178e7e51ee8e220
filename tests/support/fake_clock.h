/* tests/support/fake_clock.h - a clock that stands still until it is told to move.
 *
 * fake_clock_init -> use .clock wherever a base_clock is asked for -> fake_clock_advance ... One
 * thread. Wall time starts on 2026-01-01, monotonic time at 1000 s.
 */
#ifndef TESTS_SUPPORT_FAKE_CLOCK_H
#define TESTS_SUPPORT_FAKE_CLOCK_H

#include "base/clock.h"

#define FAKE_CLOCK_UTC (INT64_C(1767225600) * BASE_NS_PER_S)
#define FAKE_CLOCK_MONO (1000 * BASE_NS_PER_S)

struct fake_clock {
    struct base_clock clock;
    int64_t mono_ns, utc_ns;
};

static inline int64_t fake_clock_mono(void *ctx)
{
    return ((struct fake_clock *)ctx)->mono_ns;
}

static inline int64_t fake_clock_utc(void *ctx)
{
    return ((struct fake_clock *)ctx)->utc_ns;
}

static inline void fake_clock_init(struct fake_clock *fake)
{
    fake->clock = (struct base_clock){fake_clock_mono, fake_clock_utc, fake};
    fake->mono_ns = FAKE_CLOCK_MONO;
    fake->utc_ns = FAKE_CLOCK_UTC;
}

static inline void fake_clock_advance(struct fake_clock *fake, int64_t ns)
{
    fake->mono_ns += ns;
    fake->utc_ns += ns;
}

#endif
