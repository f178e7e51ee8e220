/* control.set_authority, status.set, stable.for. */
#include "arc_host/program_priv.h"

static const union arc_reg ONE = {.u64 = 1};

ARCD_RT bool arc_host_run_set_authority(struct arc_host_program *p, uint32_t node)
{
    const struct arc_image_node *n = &p->image->nodes[node];
    if (p->nodes[node].is_done)
        return true;
    p->nodes[node].is_done = true;
    uint8_t value = (uint8_t)arc_host_config(p, n, 0).u64;
    const struct arc_image_value *channel = &p->image->config[n->config.first + 1];
    if (channel->vt != ARC_VT_NONE) {
        arc_host_set_authority(p, channel->reg.chan, value);
    } else {
        for (uint32_t c = 0; c < p->image->n_channels; c++)
            if (p->image->channels[c].writes)
                arc_host_set_authority(p, c, value);
    }
    arc_host_fire_one(p, n->outputs.first, ONE, p->stamp_ns);
    return true;
}

/* One sample for each trigger: the key if it is known. Else the empty string, and the key in a
 * cycle of its own when it comes; a trigger before that asks again and waits for the later answer.
 */
ARCD_RT bool arc_host_run_status_set(struct arc_host_program *p, uint32_t node)
{
    const struct arc_image_node *n = &p->image->nodes[node];
    struct arc_host_node *state = &p->nodes[node];
    union arc_reg key;
    if (state->u.status.has_key) {
        state->u.status.has_key = false;
        state->u.status.request = 0;
        key = state->u.status.key;
    } else {
        union arc_reg texts[3];
        for (uint32_t i = 0; i < 3; i++)
            texts[i] = arc_host_config(p, n, i);
        key = arc_host_set_status(p, texts, &state->u.status.request);
    }
    arc_host_fire_one(p, n->outputs.first, key, p->stamp_ns);
    return true;
}

ARCD_RT bool arc_host_run_stable_for(struct arc_host_program *p, uint32_t node)
{
    const struct arc_image_node *n = &p->image->nodes[node];
    struct arc_host_node *state = &p->nodes[node];
    struct arc_host_column_view view = arc_host_offer(p, n->inputs.first).view;
    const uint8_t *x = view.data;
    for (uint32_t i = 0; i < view.n; i++) {
        if (state->u.stable.has_value && x[i] == state->u.stable.value)
            continue;
        state->u.stable.has_value = true;
        state->u.stable.value = x[i];
        state->u.stable.changed_ns = view.times[i];
    }
    if (!state->u.stable.has_value)
        return true;
    int64_t now_ns = arc_host_now(p), held_ns;
    if (__builtin_sub_overflow(now_ns, state->u.stable.changed_ns, &held_ns))
        held_ns = INT64_MAX;
    uint8_t value = state->u.stable.value;
    if (held_ns < arc_host_config(p, n, 0).i64 ||
        (state->u.stable.has_emitted && state->u.stable.emitted == value))
        return true;
    state->u.stable.has_emitted = true;
    state->u.stable.emitted = value;
    arc_host_fire_one(p, n->outputs.first, (union arc_reg){.u64 = value}, now_ns);
    return true;
}
