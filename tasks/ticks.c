#include "tasks/ticks.h"

#include <math.h>
#include <string.h>

#define SLOT_NS (500 * BASE_NS_PER_MS)

ARCD_STEADY void tasks_ticks_start(struct tasks_ticks *ticks, int64_t mono_ns, double rate_hz)
{
    ARCD_ASSERT(rate_hz > 0);
    memset(ticks, 0, sizeof *ticks);
    ticks->start_mono = mono_ns;
    ticks->period_ns = 1e9 / rate_hz;
}

ARCD_STEADY static int64_t due_of(const struct tasks_ticks *ticks, int64_t j)
{
    /* Up: a wait that ends on the whole ns before would be early. */
    return ticks->start_mono + (int64_t)ceil((double)j * ticks->period_ns);
}

ARCD_STEADY int64_t tasks_ticks_due(const struct tasks_ticks *ticks)
{
    return due_of(ticks, ticks->next);
}

/* The first tick from `from` on that is due after mono_ns. */
ARCD_STEADY static int64_t first_after(const struct tasks_ticks *ticks, int64_t from,
                                       int64_t mono_ns)
{
    int64_t j = (int64_t)((double)(mono_ns - ticks->start_mono) / ticks->period_ns);
    j = j > from ? j : from;
    while (due_of(ticks, j) <= mono_ns)
        j++;
    return j;
}

ARCD_STEADY static void count(struct tasks_ticks *ticks, int64_t mono_ns, int64_t missed,
                              int64_t pass_ns)
{
    int64_t half_second = (mono_ns - ticks->start_mono) / SLOT_NS;
    size_t i = (size_t)(half_second % TASKS_TICKS_SLOTS);
    if (ticks->slots[i].half_second != half_second) {
        memset(&ticks->slots[i], 0, sizeof ticks->slots[i]);
        ticks->slots[i].half_second = half_second;
    }
    ticks->slots[i].due += missed + 1;
    ticks->slots[i].missed += missed;
    ticks->slots[i].pass_ns += pass_ns;
    ticks->slots[i].passes++;
}

ARCD_STEADY int64_t tasks_ticks_done(struct tasks_ticks *ticks, int64_t mono_ns, int64_t pass_ns)
{
    int64_t after = first_after(ticks, ticks->next + 1, mono_ns);
    int64_t missed = after - ticks->next - 1;
    ticks->next = after;
    count(ticks, mono_ns, missed, pass_ns);
    return missed;
}

ARCD_STEADY void tasks_ticks_resume(struct tasks_ticks *ticks, int64_t mono_ns)
{
    ticks->next = first_after(ticks, ticks->next, mono_ns - 1);
}

ARCD_STEADY bool tasks_ticks_too_slow(const struct tasks_ticks *ticks, int64_t mono_ns,
                                      int64_t *pass_ns)
{
    int64_t now = (mono_ns - ticks->start_mono) / SLOT_NS;
    int64_t due = 0, missed = 0, passes = 0, took = 0;
    for (size_t i = 0; i < TASKS_TICKS_SLOTS; i++) {
        if (ticks->slots[i].half_second <= now - TASKS_TICKS_SLOTS)
            continue;
        due += ticks->slots[i].due;
        missed += ticks->slots[i].missed;
        passes += ticks->slots[i].passes;
        took += ticks->slots[i].pass_ns;
    }
    *pass_ns = passes > 0 ? took / passes : 0;
    return now >= TASKS_TICKS_SLOTS && missed * 10 > due;
}
