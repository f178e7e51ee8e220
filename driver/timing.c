#include "driver/timing.h"

#include <stdlib.h>

static json_t *figures_json(const struct base_histo_copy *copy)
{
    struct arc_host_timing_figures f = arc_host_timing_figures(copy);
    return json_pack("{s:I,s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "count", (json_int_t)f.count, "min",
                     (double)f.min_ns / 1e3, "mean", f.mean_ns / 1e3, "p50", (double)f.p50_ns / 1e3,
                     "p99", (double)f.p99_ns / 1e3, "p999", (double)f.p999_ns / 1e3, "p9999",
                     (double)f.p9999_ns / 1e3, "max", (double)f.max_ns / 1e3);
}

json_t *driver_timing_json(struct arc_host_automation *a)
{
    struct arc_host_timing_snapshot *snapshot = malloc(sizeof *snapshot);
    ARCD_ASSERT(snapshot != NULL);
    struct arc_host_automation_info info;
    double cpu_share = 0;
    arc_host_automation_info(a, &info);
    arc_host_automation_timing(a, snapshot, &cpu_share);
    json_t *json = json_pack(
        "{s:s,s:s,s:b,s:i,s:I,s:I,s:o,s:o,s:o,s:f,s:f}", "name", arc_host_automation_name(a),
        "level", arc_host_level_name(info.level), "realtime", info.realtime, "cpu", info.cpu,
        "cycles", (json_int_t)snapshot->cycles, "overruns", (json_int_t)snapshot->overruns,
        "lateness_us", figures_json(&snapshot->lateness), "comp_time_us",
        figures_json(&snapshot->comp_time), "period_us", figures_json(&snapshot->period),
        "jitter_us", snapshot->jitter_ns / 1e3, "cpu_share", cpu_share);
    free(snapshot);
    return json;
}
