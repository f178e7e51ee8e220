#include "base/clock.h"

#include <stddef.h>
#include <time.h>

ARCD_RT int64_t base_mono_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * BASE_NS_PER_S + now.tv_nsec;
}

ARCD_RT int64_t base_utc_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * BASE_NS_PER_S + now.tv_nsec;
}

ARCD_RT static int64_t system_mono_ns(void *ctx)
{
    (void)ctx;
    return base_mono_ns();
}

ARCD_RT static int64_t system_utc_ns(void *ctx)
{
    (void)ctx;
    return base_utc_ns();
}

const struct base_clock *base_clock_system(void)
{
    static const struct base_clock system_clock = {system_mono_ns, system_utc_ns, NULL};
    return &system_clock;
}
