/* driver/timing.h - the timing figures of an automation as JSON: a row of `arcd timing --json`.
 *
 * {"name", "level", "realtime", "cpu", "cycles", "overruns", "lateness_us": {"count", "min",
 * "mean", "p50", "p99", "p999", "p9999", "max"}, "comp_time_us": {...}, "period_us": {...},
 * "jitter_us", "cpu_share"}. Any normal thread.
 */
#ifndef DRIVER_TIMING_H
#define DRIVER_TIMING_H

#include "arc_host/automation.h"

#include <jansson.h>

json_t *driver_timing_json(struct arc_host_automation *a);

#endif
