/* tasks/stamp.h - when each sample was taken.
 *
 * Hardware timing: one stamp right after the hardware started, then arithmetic: the samples of a
 * batch are one period apart, and the next batch begins where this one ends. The device's clock and
 * the wall clock drift apart, so a small proportional controller bends the spacing of each batch
 * towards the wall clock. Software timing: the middle of the pass over the device.
 *
 *     batch k:  s_k          s_k + 1 spacing  ...              s_{k+1} = E_k - c_k
 *               |-- sample 0 --|-- sample 1 --| ...          --|-- batch k+1
 *
 * Life cycle: stamper_init -> anchor -> [lost] -> batch ... -> anchor (after a gap) ...
 * Threads: one, that of the task. Pure: the caller reads the clocks. Times are ns; utc is what
 * becomes the timestamps, mono is only for durations. Stamps strictly increase over the life of a
 * stamper, whatever the wall clock does and across anchors.
 */
#ifndef TASKS_STAMP_H
#define TASKS_STAMP_H

#include "base/clock.h"

#include <stdbool.h>
#include <stddef.h>

/* Gains and limits of the skew controller. */
struct tasks_skew {
    bool correct;        /* false: gains are 0, the limits hold */
    double kp;           /* part of the error taken back per batch */
    double ki;           /* 1/ns */
    double kd;           /* ns */
    double max_integral; /* largest |integral|, as a fraction of the batch's duration */
    double max_back;     /* largest step back, as a fraction of the batch's duration, 0 to 0.9 */
    int64_t step_ns;     /* an error beyond this is a step of a clock, not drift */
};

/* kp 0.01, no ki, no kd, max_integral 0.1, max_back 0.5, step 1 s. */
struct tasks_skew tasks_skew_default(void);

struct tasks_stamper {
    struct tasks_skew skew;
    double period_ns;  /* T, between samples */
    int64_t start_utc; /* s_k, whole part ... */
    double start_frac; /* ... and fraction, 0 <= f < 1: T is not a whole number */
    int64_t last_utc;  /* newest stamp given out; INT64_MIN before the first */
    double integral, last_error;
    int64_t last_mono;
    bool first; /* no error has been seen since the anchor */
};

/* What the clocks did, as seen by one batch. */
struct tasks_stamp_report {
    double error_ns;       /* e_k: end of the batch by arithmetic less the wall clock */
    bool stepped_forward;  /* the wall clock is far ahead: the index jumped by -error_ns */
    bool stepped_backward; /* the wall clock is far behind: stamps are pulled back slowly */
};

void tasks_stamper_init(struct tasks_stamper *st, const struct tasks_skew *skew, double period_ns);

/* The next batch begins at utc_ns, or just after the last stamp when that is later. Forgets what
 * the controller has learned. */
ARCD_STEADY void tasks_stamper_anchor(struct tasks_stamper *st, int64_t utc_ns);

/* Samples were lost before the next batch: the index jumps. Unknown how many: anchor instead. */
ARCD_STEADY void tasks_stamper_lost(struct tasks_stamper *st, int64_t n_lost);

/* Fills times[0 .. n-1] for the n >= 1 samples of a read that returned at utc_ns, mono_ns. */
ARCD_STEADY struct tasks_stamp_report tasks_stamper_batch(struct tasks_stamper *st, uint32_t n,
                                                          int64_t utc_ns, int64_t mono_ns,
                                                          int64_t *times);

/* Software timing: the stamp of a pass over the device, between two readings of the wall clock. */
ARCD_STEADY int64_t tasks_stamper_pass(struct tasks_stamper *st, int64_t before_utc_ns,
                                       int64_t after_utc_ns);

#endif
