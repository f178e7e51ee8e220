/* time.interval, time.wait, time.now.
 *
 * A timer never fires before its deadline; deadlines are start + k * period, so that a late cycle
 * shifts nothing. One fire covers all the deadlines that have passed.
 */
#include "arc_host/program_priv.h"

static const union arc_reg ONE = {.u64 = 1};

/* a + b, at most the largest time: such a deadline never comes. */
static inline int64_t later(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? BASE_NEVER : sum;
}

static ARCD_RT void set_deadline(struct arc_host_program *p, uint32_t node, int64_t deadline_ns)
{
    p->nodes[node].u.timer.deadline_ns = deadline_ns;
    if (deadline_ns != BASE_NEVER)
        arc_host_timers_set(&p->timers, node, deadline_ns);
}

ARCD_RT bool arc_host_run_interval(struct arc_host_program *p, uint32_t node)
{
    const struct arc_image_node *n = &p->image->nodes[node];
    struct arc_host_node *state = &p->nodes[node];
    int64_t period_ns = arc_host_config(p, n, 0).i64;
    if (!state->is_done) {
        state->is_done = true;
        state->u.timer.start_ns = p->elapsed_ns;
        set_deadline(p, node, later(p->elapsed_ns, period_ns));
    } else {
        if (p->elapsed_ns < state->u.timer.deadline_ns)
            return true;
        int64_t missed = (p->elapsed_ns - state->u.timer.deadline_ns) / period_ns;
        p->stats.missed_deadlines += (uint64_t)missed;
        set_deadline(p, node, later(state->u.timer.deadline_ns + missed * period_ns, period_ns));
    }
    arc_host_fire_one(p, n->outputs.first, ONE, p->stamp_ns);
    return true;
}

ARCD_RT bool arc_host_run_wait(struct arc_host_program *p, uint32_t node)
{
    const struct arc_image_node *n = &p->image->nodes[node];
    struct arc_host_node *state = &p->nodes[node];
    if (!state->is_done) {
        state->is_done = true;
        state->u.timer.start_ns = p->elapsed_ns;
        state->u.timer.deadline_ns = later(p->elapsed_ns, arc_host_config(p, n, 0).i64);
    }
    if (state->u.timer.deadline_ns == BASE_NEVER) /* it has fired */
        return true;
    if (p->elapsed_ns < state->u.timer.deadline_ns) {
        set_deadline(p, node, state->u.timer.deadline_ns);
        return true;
    }
    state->u.timer.deadline_ns = BASE_NEVER;
    arc_host_fire_one(p, n->outputs.first, ONE, p->stamp_ns);
    return true;
}

ARCD_RT bool arc_host_run_now(struct arc_host_program *p, uint32_t node)
{
    int64_t now_ns = arc_host_now(p);
    arc_host_fire_one(p, p->image->nodes[node].outputs.first, (union arc_reg){.i64 = now_ns},
                      now_ns);
    return true;
}
