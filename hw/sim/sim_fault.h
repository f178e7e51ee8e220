/* hw/sim/sim_fault.h - planned misfortune: what goes wrong, and when.
 *
 * A fault is active in the window [at, at + for) of device time, again every `every`. Faults are
 * read from the configuration and immutable; all functions are pure.
 */
#ifndef HW_SIM_SIM_FAULT_H
#define HW_SIM_SIM_FAULT_H

#include "config/reader.h"
#include "hw/hw.h"

enum sim_fault_kind {
    SIM_FAULT_DROPOUT,
    SIM_FAULT_STALL,
    SIM_FAULT_ERROR,
    SIM_FAULT_DISCONNECT,
    SIM_FAULT_STUCK,
    SIM_FAULT_NAN,
    SIM_FAULT_SPIKE,
    SIM_FAULT_BIAS,
    SIM_FAULT_OVERRUN,
    SIM_FAULT_CLOCK_STEP,
    SIM_FAULT_DRIFT,
    SIM_FAULT_LATE,
    SIM_FAULT_WRITE_REJECT,
    SIM_FAULT_WRITE_IGNORE,
};

enum { SIM_FAULTS_MAX = 64 }; /* a channel keeps the set that concerns it in one word */

struct sim_fault {
    int64_t at_ns, for_ns, every_ns; /* for_ns 0: to the end; every_ns 0: once */
    enum sim_fault_kind kind;
    struct config_strs channels; /* none: all */
    enum hw_class cls;           /* error, write_reject */
    int64_t code;
    const char *text;
    double value, probability, ppm;
    int64_t count, mean_ns, jitter_ns;
    bool has_value, has_count, has_ppm, has_mean;
};

struct sim_faults {
    const struct sim_fault *v;
    uint32_t n;
};

bool sim_fault_active(const struct sim_fault *fault, int64_t t_ns);

/* Names one activation of a fault: 0, 1, 2, ... with `every`. */
int64_t sim_fault_window(const struct sim_fault *fault, int64_t t_ns);

/* End of the window that t_ns is in; INT64_MAX when there is none. */
int64_t sim_fault_end_ns(const struct sim_fault *fault, int64_t t_ns);

/* The first active fault of that kind, or NULL. */
const struct sim_fault *sim_faults_active(const struct sim_faults *faults, enum sim_fault_kind kind,
                                          int64_t t_ns);

bool sim_faults_have(const struct sim_faults *faults, enum sim_fault_kind kind);

/* Which faults concern the channel: bit i for fault i. */
uint64_t sim_faults_of_channel(const struct sim_faults *faults, const char *channel);

/* Sums over the active ones: the rate error of the hardware clock; what the wall clock is off. */
double sim_faults_ppm(const struct sim_faults *faults, int64_t t_ns);
int64_t sim_faults_clock_step_ns(const struct sim_faults *faults, int64_t t_ns);
int64_t sim_faults_overrun(const struct sim_faults *faults, int64_t t_ns);

/* What the value of a channel becomes. `draw` is uniform in [0, 1), for spikes. `stuck` is the
 * channel's memory between its samples, zeroed at start. */
struct sim_stuck {
    const struct sim_fault *fault;
    int64_t window;
    double value;
};

double sim_faults_value(const struct sim_faults *faults, uint64_t of_channel, int64_t t_ns,
                        double value, double draw, struct sim_stuck *stuck);

#endif
