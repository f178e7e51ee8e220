/* arc_host/timing.h - how well an automation keeps time: always on, readable by anyone.
 *
 * Life cycle: timing_init -> timing_begin at each start -> timing_cycle after every cycle ...
 *             readers: timing_snapshot -> timing_figures; timing_ask_reset.
 *
 * Threads: begin, cycle and honour belong to the automation's thread; everything else to any normal
 * thread, without a lock.
 *
 * All times are nanoseconds on CLOCK_MONOTONIC:
 *   lateness   from a deadline to the cycle that serves it
 *   comp_time  of a cycle, until its outputs are handed over
 *   period     from wake to wake: between two cycles that serve deadlines, or, while the program
 * has no timer running, between two frames of samples jitter     standard deviation of the period
 * The first cycle after a start is not counted: it pays for cold caches.
 */
#ifndef ARC_HOST_TIMING_H
#define ARC_HOST_TIMING_H

#include "base/clock.h"
#include "base/histo.h"

struct arc_host_timing {
    struct base_histo lateness, comp_time, period;
    _Atomic uint64_t cycles;
    _Atomic uint64_t overruns; /* deadlines that a later cycle covered */
    /* For the standard deviation: n, sum and sum of squares of (period - shift). The shift is the
     * first period, which keeps the sums small and their difference exact. */
    _Atomic uint64_t period_n;
    _Atomic double period_shift, period_sum, period_squares;
    /* Worst since arc_host_timing_take_worst(). */
    _Atomic int64_t worst_lateness_ns, worst_comp_time_ns;
    _Atomic uint32_t reset_asked;
    _Atomic int64_t reset_mono_ns; /* since when all of this counts */
    struct {
        int64_t last_timer_ns, last_input_ns; /* when the last cycle of that kind began; -1: none */
        bool first;                           /* the next cycle is the first after a start */
    } rt;
};

struct arc_host_timing_cycle {
    int64_t began_mono_ns, ended_mono_ns;
    int64_t deadline_mono_ns; /* the earliest that this cycle served; BASE_NEVER: none */
    uint64_t overruns;        /* deadlines missed, found out in this cycle */
    bool by_input;            /* a frame of samples caused it */
    bool timers_run;          /* there is a next deadline */
};

void arc_host_timing_init(struct arc_host_timing *timing);

ARCD_RT void arc_host_timing_begin(struct arc_host_timing *timing, int64_t now_mono_ns);
ARCD_RT void arc_host_timing_cycle(struct arc_host_timing *timing,
                                   const struct arc_host_timing_cycle *cycle);

/* Does what arc_host_timing_ask_reset() asked for. arc_host_timing_cycle() calls it; a thread that
 * waits without a deadline calls it when it was rung. */
ARCD_RT void arc_host_timing_honour(struct arc_host_timing *timing, int64_t now_mono_ns);

void arc_host_timing_ask_reset(struct arc_host_timing *timing);

/* ---- What readers see: 86 KiB, not for a stack */

struct arc_host_timing_snapshot {
    struct base_histo_copy lateness, comp_time, period;
    uint64_t cycles, overruns;
    double jitter_ns;
    int64_t since_mono_ns;
};

void arc_host_timing_get(const struct arc_host_timing *timing,
                         struct arc_host_timing_snapshot *snapshot);

/* One row of the timing table. */
struct arc_host_timing_figures {
    uint64_t count;
    int64_t min_ns, max_ns, p50_ns, p99_ns, p999_ns, p9999_ns;
    double mean_ns;
};

struct arc_host_timing_figures arc_host_timing_figures(const struct base_histo_copy *copy);

/* The worst since the last call, 0 when nothing happened. One reader: what publishes statistics. */
struct arc_host_timing_worst {
    int64_t lateness_ns, comp_time_ns;
};

struct arc_host_timing_worst arc_host_timing_take_worst(struct arc_host_timing *timing);

/* The figures that cost nothing to read. */
struct arc_host_timing_counts {
    uint64_t cycles, overruns, periods;
    double period_sum_ns; /* of all periods together */
    double jitter_ns;
};

struct arc_host_timing_counts arc_host_timing_counts(const struct arc_host_timing *timing);

#endif
