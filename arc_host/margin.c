/* Steps are log-linear as in base/histo.h, but coarse: one byte each, 16 to an octave, in units of
 * 64 ns. That keeps the whole memory in a few cache lines. */
#include "arc_host/margin.h"

#include <string.h>

enum {
    UNIT_BITS = 6, /* 64 ns */
    SUB_BITS = 4,
    LAST_STEP = ARC_HOST_MARGIN_STEPS - 1,
};

ARCD_RT static inline uint8_t step_of(int64_t delay_ns)
{
    if (delay_ns <= 0)
        return 0;
    uint64_t units = (uint64_t)delay_ns >> UNIT_BITS;
    if (units < 2u << SUB_BITS)
        return (uint8_t)units;
    uint32_t shift = 63 - (uint32_t)__builtin_clzll(units) - SUB_BITS;
    uint64_t step = ((uint64_t)shift << SUB_BITS) + (units >> shift);
    return step < LAST_STEP ? (uint8_t)step : LAST_STEP;
}

/* The first delay that is above the step. */
ARCD_RT static inline int64_t end_of(uint8_t step)
{
    uint32_t next = (uint32_t)step + 1;
    if (next < 2u << SUB_BITS)
        return (int64_t)next << UNIT_BITS;
    uint32_t shift = (next >> SUB_BITS) - 1;
    return (int64_t)(next - (shift << SUB_BITS)) << shift << UNIT_BITS;
}

void arc_host_margin_init(struct arc_host_margin *margin)
{
    memset(margin, 0, sizeof *margin);
}

ARCD_RT static void forget_oldest(struct arc_host_margin *margin, uint32_t at)
{
    if (margin->n >= ARC_HOST_MARGIN_WINDOW)
        margin->counts[margin->window[at]]--;
    while (margin->highest > 0 && margin->counts[margin->highest] == 0)
        margin->highest--;
}

ARCD_RT void arc_host_margin_learn(struct arc_host_margin *margin, int64_t delay_ns)
{
    uint32_t at = margin->n % ARC_HOST_MARGIN_WINDOW;
    uint32_t epoch = margin->n / ARC_HOST_MARGIN_WINDOW % ARC_HOST_MARGIN_EPOCHS;
    uint8_t step = step_of(delay_ns);
    forget_oldest(margin, at);
    margin->window[at] = step;
    margin->counts[step]++;
    if (step > margin->highest)
        margin->highest = step;
    if (at == 0)
        margin->worst[epoch] = 0;
    if (step > margin->worst[epoch])
        margin->worst[epoch] = step;
    margin->n++;
}

ARCD_RT int64_t arc_host_margin_all_but(const struct arc_host_margin *margin, uint32_t over)
{
    if (margin->n == 0)
        return -1;
    if (margin->n < ARC_HOST_MARGIN_WINDOW) /* few are known yet: the same share of them */
        over = (uint32_t)(over * margin->n / ARC_HOST_MARGIN_WINDOW);
    uint32_t seen = 0;
    uint32_t step = margin->highest;
    for (; step > 0; step--) {
        seen += margin->counts[step];
        if (seen > over)
            break;
    }
    return end_of((uint8_t)step);
}

ARCD_RT int64_t arc_host_margin_worst(const struct arc_host_margin *margin)
{
    if (margin->n == 0)
        return -1;
    uint8_t worst = 0;
    for (uint32_t i = 0; i < ARC_HOST_MARGIN_EPOCHS; i++)
        worst = margin->worst[i] > worst ? margin->worst[i] : worst;
    return end_of(worst);
}
