#include "tasks/stamp.h"

#include <math.h>

struct tasks_skew tasks_skew_default(void)
{
    return (struct tasks_skew){.correct = true,
                               .kp = 0.01,
                               .max_integral = 0.1,
                               .max_back = 0.5,
                               .step_ns = BASE_NS_PER_S};
}

void tasks_stamper_init(struct tasks_stamper *st, const struct tasks_skew *skew, double period_ns)
{
    ARCD_ASSERT(period_ns > 0);
    *st = (struct tasks_stamper){.skew = *skew, .period_ns = period_ns, .last_utc = INT64_MIN};
    if (!skew->correct)
        st->skew.kp = st->skew.ki = st->skew.kd = 0;
}

/* The later of utc_ns and the first time that is free. */
ARCD_STEADY static int64_t after_last(const struct tasks_stamper *st, int64_t utc_ns)
{
    return utc_ns > st->last_utc ? utc_ns : st->last_utc + 1;
}

ARCD_STEADY static void begin_at(struct tasks_stamper *st, int64_t utc_ns)
{
    st->start_utc = after_last(st, utc_ns);
    st->start_frac = 0;
}

ARCD_STEADY void tasks_stamper_anchor(struct tasks_stamper *st, int64_t utc_ns)
{
    begin_at(st, utc_ns);
    st->integral = st->last_error = 0;
    st->first = true;
}

/* Moves the start by a length that need not be whole. */
ARCD_STEADY static void advance(struct tasks_stamper *st, double length_ns)
{
    double whole = floor(st->start_frac + length_ns);
    st->start_frac = st->start_frac + length_ns - whole;
    st->start_utc += (int64_t)whole;
}

ARCD_STEADY void tasks_stamper_lost(struct tasks_stamper *st, int64_t n_lost)
{
    advance(st, (double)n_lost * st->period_ns);
}

/* c_k: how far the next batch begins before the end of this one. */
ARCD_STEADY static double correction(struct tasks_stamper *st, double error, int64_t mono_ns,
                                     double duration)
{
    double dt = st->first ? 0 : (double)(mono_ns - st->last_mono);
    double limit = st->skew.max_integral * duration;
    st->integral = fmax(-limit, fmin(limit, st->integral + error * dt));
    double u = st->skew.kp * error + st->skew.ki * st->integral;
    if (dt > 0)
        u += st->skew.kd * (error - st->last_error) / dt;
    st->last_error = error;
    st->last_mono = mono_ns;
    st->first = false;
    return fmin(u, st->skew.max_back * duration);
}

ARCD_STEADY static void fill(struct tasks_stamper *st, uint32_t n, double length, int64_t *times)
{
    double spacing = length / n;
    for (uint32_t i = 0; i < n; i++)
        times[i] = st->start_utc + (int64_t)floor(st->start_frac + i * spacing);
    /* Above 1 GHz, or right after an anchor squeezed in between, whole ns may coincide. */
    for (uint32_t i = 0; i < n; i++) {
        times[i] = after_last(st, times[i]);
        st->last_utc = times[i];
    }
}

ARCD_STEADY struct tasks_stamp_report tasks_stamper_batch(struct tasks_stamper *st, uint32_t n,
                                                          int64_t utc_ns, int64_t mono_ns,
                                                          int64_t *times)
{
    ARCD_ASSERT(n >= 1);
    double duration = n * st->period_ns;
    struct tasks_stamp_report report = {0};
    /* Differences first: a wall clock in ns has more digits than a double. */
    report.error_ns = (double)(st->start_utc - utc_ns) + st->start_frac + duration;
    double step = (double)st->skew.step_ns;
    report.stepped_forward = report.error_ns < -fmax(step, 10 * duration);
    report.stepped_backward = report.error_ns > step;

    if (report.stepped_forward) {
        fill(st, n, duration, times);
        st->integral = 0;
        st->last_error = 0;
        st->last_mono = mono_ns;
        begin_at(st, utc_ns);
        return report;
    }
    double length = duration - correction(st, report.error_ns, mono_ns, duration);
    fill(st, n, length, times);
    advance(st, length);
    return report;
}

ARCD_STEADY int64_t tasks_stamper_pass(struct tasks_stamper *st, int64_t before_utc_ns,
                                       int64_t after_utc_ns)
{
    st->last_utc = after_last(st, before_utc_ns + (after_utc_ns - before_utc_ns) / 2);
    return st->last_utc;
}
