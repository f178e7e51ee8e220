/* Windows of faults, and what the faults of values do. */
#include "hw/sim/sim_fault.h"

#include <math.h>
#include <string.h>

/* Time since the start of the window that t_ns may be in. */
static int64_t into_window(const struct sim_fault *fault, int64_t t_ns)
{
    int64_t since = t_ns - fault->at_ns;
    return fault->every_ns > 0 ? since % fault->every_ns : since;
}

bool sim_fault_active(const struct sim_fault *fault, int64_t t_ns)
{
    if (t_ns < fault->at_ns)
        return false;
    return fault->for_ns == 0 || into_window(fault, t_ns) < fault->for_ns;
}

int64_t sim_fault_window(const struct sim_fault *fault, int64_t t_ns)
{
    return fault->every_ns > 0 ? (t_ns - fault->at_ns) / fault->every_ns : 0;
}

int64_t sim_fault_end_ns(const struct sim_fault *fault, int64_t t_ns)
{
    if (fault->for_ns == 0)
        return INT64_MAX;
    return t_ns - into_window(fault, t_ns) + fault->for_ns;
}

const struct sim_fault *sim_faults_active(const struct sim_faults *faults, enum sim_fault_kind kind,
                                          int64_t t_ns)
{
    for (uint32_t i = 0; i < faults->n; i++)
        if (faults->v[i].kind == kind && sim_fault_active(&faults->v[i], t_ns))
            return &faults->v[i];
    return NULL;
}

bool sim_faults_have(const struct sim_faults *faults, enum sim_fault_kind kind)
{
    for (uint32_t i = 0; i < faults->n; i++)
        if (faults->v[i].kind == kind)
            return true;
    return false;
}

static bool concerns(const struct sim_fault *fault, const char *channel)
{
    if (fault->channels.n == 0)
        return true;
    for (uint32_t i = 0; i < fault->channels.n; i++)
        if (strcmp(fault->channels.v[i], channel) == 0)
            return true;
    return false;
}

uint64_t sim_faults_of_channel(const struct sim_faults *faults, const char *channel)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < faults->n; i++)
        if (concerns(&faults->v[i], channel))
            set |= UINT64_C(1) << i;
    return set;
}

double sim_faults_ppm(const struct sim_faults *faults, int64_t t_ns)
{
    double ppm = 0.0;
    for (uint32_t i = 0; i < faults->n; i++)
        if (faults->v[i].kind == SIM_FAULT_DRIFT && sim_fault_active(&faults->v[i], t_ns))
            ppm += faults->v[i].ppm;
    return ppm;
}

int64_t sim_faults_clock_step_ns(const struct sim_faults *faults, int64_t t_ns)
{
    double step_s = 0.0;
    for (uint32_t i = 0; i < faults->n; i++)
        if (faults->v[i].kind == SIM_FAULT_CLOCK_STEP && sim_fault_active(&faults->v[i], t_ns))
            step_s += faults->v[i].value;
    return (int64_t)(step_s * 1e9);
}

int64_t sim_faults_overrun(const struct sim_faults *faults, int64_t t_ns)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < faults->n; i++)
        if (faults->v[i].kind == SIM_FAULT_OVERRUN && sim_fault_active(&faults->v[i], t_ns))
            count += faults->v[i].count;
    return count;
}

/* The first value seen in the window is kept for the rest of it. */
static double stuck_value(const struct sim_fault *fault, int64_t t_ns, double value,
                          struct sim_stuck *stuck)
{
    int64_t window = sim_fault_window(fault, t_ns);
    if (stuck->fault != fault || stuck->window != window)
        *stuck = (struct sim_stuck){fault, window, value};
    return stuck->value;
}

double sim_faults_value(const struct sim_faults *faults, uint64_t of_channel, int64_t t_ns,
                        double value, double draw, struct sim_stuck *stuck)
{
    for (uint32_t i = 0; i < faults->n; i++) {
        const struct sim_fault *fault = &faults->v[i];
        if ((of_channel >> i & 1) == 0 || !sim_fault_active(fault, t_ns))
            continue;
        if (fault->kind == SIM_FAULT_BIAS)
            value += fault->value;
        else if (fault->kind == SIM_FAULT_STUCK)
            value = stuck_value(fault, t_ns, value, stuck);
        else if (fault->kind == SIM_FAULT_NAN)
            value = NAN;
        else if (fault->kind == SIM_FAULT_SPIKE && draw < fault->probability)
            value = fault->value;
    }
    return value;
}
