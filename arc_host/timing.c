#include "arc_host/timing.h"

#include <math.h>
#include <string.h>

/* One thread writes, so adding is a load and a store. */
#define LOAD(field) atomic_load_explicit(&(field), memory_order_relaxed)
#define STORE(field, value) atomic_store_explicit(&(field), (value), memory_order_relaxed)

void arc_host_timing_init(struct arc_host_timing *timing)
{
    memset(timing, 0, sizeof *timing);
    base_histo_init(&timing->lateness);
    base_histo_init(&timing->comp_time);
    base_histo_init(&timing->period);
    timing->rt.last_timer_ns = timing->rt.last_input_ns = -1;
    timing->rt.first = true;
}

ARCD_RT static void reset(struct arc_host_timing *timing, int64_t now_mono_ns)
{
    base_histo_reset(&timing->lateness);
    base_histo_reset(&timing->comp_time);
    base_histo_reset(&timing->period);
    STORE(timing->cycles, 0);
    STORE(timing->overruns, 0);
    STORE(timing->period_n, 0);
    STORE(timing->worst_lateness_ns, 0);
    STORE(timing->worst_comp_time_ns, 0);
    STORE(timing->reset_mono_ns, now_mono_ns);
}

ARCD_RT void arc_host_timing_begin(struct arc_host_timing *timing, int64_t now_mono_ns)
{
    STORE(timing->reset_asked, 0);
    reset(timing, now_mono_ns);
    timing->rt.last_timer_ns = timing->rt.last_input_ns = -1;
    timing->rt.first = true;
}

ARCD_RT void arc_host_timing_honour(struct arc_host_timing *timing, int64_t now_mono_ns)
{
    if (ARCD_LIKELY(LOAD(timing->reset_asked) == 0))
        return;
    STORE(timing->reset_asked, 0);
    reset(timing, now_mono_ns);
}

void arc_host_timing_ask_reset(struct arc_host_timing *timing)
{
    STORE(timing->reset_asked, 1);
}

ARCD_RT static void keep_worst(_Atomic int64_t *worst, int64_t value)
{
    if (value > atomic_load_explicit(worst, memory_order_relaxed))
        atomic_store_explicit(worst, value, memory_order_relaxed);
}

ARCD_RT static void count_period(struct arc_host_timing *timing, int64_t period_ns)
{
    uint64_t n = LOAD(timing->period_n);
    if (n == 0) {
        STORE(timing->period_shift, (double)period_ns);
        STORE(timing->period_sum, 0.0);
        STORE(timing->period_squares, 0.0);
    }
    double off = (double)period_ns - LOAD(timing->period_shift);
    STORE(timing->period_sum, LOAD(timing->period_sum) + off);
    STORE(timing->period_squares, LOAD(timing->period_squares) + off * off);
    STORE(timing->period_n, n + 1);
    base_histo_record(&timing->period, period_ns);
}

/* While a timer runs, cycles that data brings in between are no part of the beat. */
ARCD_RT static void note_period(struct arc_host_timing *timing,
                                const struct arc_host_timing_cycle *cycle)
{
    bool by_deadline = cycle->deadline_mono_ns != BASE_NEVER;
    if (!by_deadline && (!cycle->by_input || cycle->timers_run))
        return;
    int64_t *last = by_deadline ? &timing->rt.last_timer_ns : &timing->rt.last_input_ns;
    if (*last >= 0)
        count_period(timing, cycle->began_mono_ns - *last);
    timing->rt.last_input_ns = by_deadline ? -1 : cycle->began_mono_ns;
    timing->rt.last_timer_ns = by_deadline && cycle->timers_run ? cycle->began_mono_ns : -1;
}

ARCD_RT void arc_host_timing_cycle(struct arc_host_timing *timing,
                                   const struct arc_host_timing_cycle *cycle)
{
    arc_host_timing_honour(timing, cycle->began_mono_ns);
    if (timing->rt.first) {
        timing->rt.first = false;
        return;
    }
    note_period(timing, cycle);
    STORE(timing->cycles, LOAD(timing->cycles) + 1);
    if (cycle->overruns > 0)
        STORE(timing->overruns, LOAD(timing->overruns) + cycle->overruns);
    if (cycle->deadline_mono_ns != BASE_NEVER) {
        int64_t lateness_ns = cycle->began_mono_ns - cycle->deadline_mono_ns;
        base_histo_record(&timing->lateness, lateness_ns);
        keep_worst(&timing->worst_lateness_ns, lateness_ns);
    }
    int64_t comp_time_ns = cycle->ended_mono_ns - cycle->began_mono_ns;
    base_histo_record(&timing->comp_time, comp_time_ns);
    keep_worst(&timing->worst_comp_time_ns, comp_time_ns);
}

/* n, sum and squares may be one cycle apart from each other: that moves the result by less than its
 * last shown digit. */
static double jitter_of(const struct arc_host_timing *timing)
{
    double n = (double)LOAD(timing->period_n);
    if (n < 1)
        return 0;
    double mean = LOAD(timing->period_sum) / n;
    double variance = LOAD(timing->period_squares) / n - mean * mean;
    return variance > 0 ? sqrt(variance) : 0;
}

void arc_host_timing_get(const struct arc_host_timing *timing,
                         struct arc_host_timing_snapshot *snapshot)
{
    base_histo_copy(&timing->lateness, &snapshot->lateness);
    base_histo_copy(&timing->comp_time, &snapshot->comp_time);
    base_histo_copy(&timing->period, &snapshot->period);
    snapshot->cycles = LOAD(timing->cycles);
    snapshot->overruns = LOAD(timing->overruns);
    snapshot->jitter_ns = jitter_of(timing);
    snapshot->since_mono_ns = LOAD(timing->reset_mono_ns);
}

struct arc_host_timing_figures arc_host_timing_figures(const struct base_histo_copy *copy)
{
    return (struct arc_host_timing_figures){
        .count = copy->count,
        .min_ns = copy->min,
        .max_ns = copy->max,
        .p50_ns = base_histo_quantile(copy, 0.5),
        .p99_ns = base_histo_quantile(copy, 0.99),
        .p999_ns = base_histo_quantile(copy, 0.999),
        .p9999_ns = base_histo_quantile(copy, 0.9999),
        .mean_ns = base_histo_mean(copy),
    };
}

/* A value that the thread stores between its own look and ours may be seen twice, never lost. */
struct arc_host_timing_worst arc_host_timing_take_worst(struct arc_host_timing *timing)
{
    return (struct arc_host_timing_worst){
        .lateness_ns =
            atomic_exchange_explicit(&timing->worst_lateness_ns, 0, memory_order_relaxed),
        .comp_time_ns =
            atomic_exchange_explicit(&timing->worst_comp_time_ns, 0, memory_order_relaxed),
    };
}

struct arc_host_timing_counts arc_host_timing_counts(const struct arc_host_timing *timing)
{
    uint64_t n = LOAD(timing->period_n);
    return (struct arc_host_timing_counts){
        .cycles = LOAD(timing->cycles),
        .overruns = LOAD(timing->overruns),
        .periods = n,
        .period_sum_ns =
            LOAD(timing->period_shift) * (double)n + (n > 0 ? LOAD(timing->period_sum) : 0),
        .jitter_ns = jitter_of(timing),
    };
}
