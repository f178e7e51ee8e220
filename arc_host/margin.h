/* arc_host/margin.h - what a thread has learned about its own wake-ups: how much later than asked
 * the system wakes it.
 *
 * Life cycle: margin_init -> margin_learn after every sleep ... ; the rest reads. One thread.
 *
 * It keeps the last ARC_HOST_MARGIN_WINDOW delays, so every figure is that of the recent past: a
 * change for the worse shows at once, one for the better when the window has passed. Delays are
 * kept in steps of 6 %, from 64 ns to 32 ms; figures are the upper end of a step, so they are never
 * below the delay that they stand for. Nothing is allocated.
 */
#ifndef ARC_HOST_MARGIN_H
#define ARC_HOST_MARGIN_H

#include "base/mark.h"

enum {
    ARC_HOST_MARGIN_WINDOW = 1024, /* delays */
    ARC_HOST_MARGIN_EPOCHS = 8,    /* the worst covers so many windows */
    ARC_HOST_MARGIN_STEPS = 256,
};

struct arc_host_margin {
    uint64_t n;                             /* learned so far */
    uint8_t window[ARC_HOST_MARGIN_WINDOW]; /* the step of each delay, oldest overwritten */
    uint16_t counts[ARC_HOST_MARGIN_STEPS]; /* how many of the window are in each step */
    uint8_t highest;                        /* no step above it has a count */
    uint8_t worst[ARC_HOST_MARGIN_EPOCHS];  /* of the last windows, the current one included */
};

void arc_host_margin_init(struct arc_host_margin *margin);

/* A sleep ended delay_ns after the time that was asked for. */
ARCD_RT void arc_host_margin_learn(struct arc_host_margin *margin, int64_t delay_ns);

/* The delay that all but `over` of the last 1024 wake-ups kept below (of fewer, all but that
 * share); -1 before the first one. */
ARCD_RT int64_t arc_host_margin_all_but(const struct arc_host_margin *margin, uint32_t over);

/* The worst of the last seven to eight windows; -1 before the first one. */
ARCD_RT int64_t arc_host_margin_worst(const struct arc_host_margin *margin);

#endif
