/* tasks/ticks.h - the schedule of a software-timed task, and whether it is kept.
 *
 *     tick j is due at start + j * period; a pass that is late does not move the ones after it
 *
 * Life cycle: ticks_start -> [wait for ticks_due] -> pass -> ticks_done -> ... [ticks_resume after
 * a pause that was meant]. One thread, monotonic ns, pure: the caller reads the clock.
 */
#ifndef TASKS_TICKS_H
#define TASKS_TICKS_H

#include "base/clock.h"

#include <stdbool.h>

enum { TASKS_TICKS_SLOTS = 10 }; /* of half a second each: the last 5 s */

struct tasks_ticks {
    int64_t start_mono;
    double period_ns; /* not rounded: 3 Hz stays 3 Hz */
    int64_t next;     /* j of the tick that is due next */
    struct {
        int64_t half_second; /* which one since the start */
        int64_t due, missed, pass_ns;
        int64_t passes;
    } slots[TASKS_TICKS_SLOTS];
};

/* Tick 0 is due at once. */
ARCD_STEADY void tasks_ticks_start(struct tasks_ticks *ticks, int64_t mono_ns, double rate_hz);
ARCD_STEADY int64_t tasks_ticks_due(const struct tasks_ticks *ticks);

/* The pass of the due tick ended now and took pass_ns. The next tick is the first in the future;
 * returns how many were skipped for that. */
ARCD_STEADY int64_t tasks_ticks_done(struct tasks_ticks *ticks, int64_t mono_ns, int64_t pass_ns);

/* Goes on with the first tick at or after mono_ns; what lies between is not counted as missed. */
ARCD_STEADY void tasks_ticks_resume(struct tasks_ticks *ticks, int64_t mono_ns);

/* True when more than a tenth of the ticks of the last 5 s were missed, at the earliest 5 s after
 * the start. *pass_ns: what a pass took on average in that time. */
ARCD_STEADY bool tasks_ticks_too_slow(const struct tasks_ticks *ticks, int64_t mono_ns,
                                      int64_t *pass_ns);

#endif
