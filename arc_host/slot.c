/* Slots: what happens when an output fires, and what a node finds at its inputs. */
#include "arc_host/program_priv.h"

#include <string.h>

ARCD_RT bool arc_host_is_truthy(const struct arc_host_program *p, const struct arc_host_slot *slot)
{
    union arc_reg last = arc_host_load(slot->type, slot->view.data, slot->view.n - 1);
    switch (slot->type) {
    case TELEM_F32: return last.f32 != 0;
    case TELEM_F64: return last.f64 != 0;
    default:
        return arc_host_is_ref(slot->type) ? arc_host_heap_get(&p->heap, last.ref)->n != 0
                                           : last.u64 != 0;
    }
}

/* A node with several inputs keeps the batch, even when a conditional edge will not trigger it. */
static ARCD_RT void hold(struct arc_host_program *p, uint32_t input,
                         const struct arc_host_slot *slot)
{
    struct arc_host_held *held = &p->held[input];
    uint32_t n = slot->view.n;
    memcpy(held->data, slot->view.data, (size_t)n * arc_host_type_size(slot->type));
    memcpy(held->times, slot->view.times, n * sizeof *held->times);
    held->view = (struct arc_host_column_view){.data = held->data, .times = held->times, .n = n};
    held->is_new = true;
}

static ARCD_RT void follow_edges(struct arc_host_program *p, const struct arc_image_output *output,
                                 const struct arc_host_slot *slot, bool truthy)
{
    const struct arc_image *image = p->image;
    for (uint32_t e = output->edges.first; e < output->edges.first + output->edges.n; e++) {
        const struct arc_image_edge *edge = &image->edges[e];
        if (edge->input != ARC_NONE && p->nodes[edge->node].has_held)
            hold(p, edge->input, slot);
        if (truthy || !edge->conditional)
            arc_host_bit_set(p->ready, image->nodes[edge->node].member);
    }
}

static ARCD_RT void follow_transitions(struct arc_host_program *p, uint32_t output, bool truthy)
{
    const struct arc_image *image = p->image;
    const struct arc_image_range *list = &image->outputs[output].transitions;
    for (uint32_t i = list->first; i < list->first + list->n; i++) {
        uint32_t transition = image->lists[i];
        if (truthy || !image->transitions[transition].truthy)
            arc_host_bit_set(p->moves, transition);
        else
            arc_host_bit_clear(p->moves, transition);
    }
    p->has_moves = true;
}

static ARCD_RT void follow_activations(struct arc_host_program *p,
                                       const struct arc_image_output *output, bool truthy)
{
    const struct arc_image *image = p->image;
    const struct arc_image_range *list = &output->activations;
    for (uint32_t i = list->first; i < list->first + list->n; i++) {
        const struct arc_image_activation *activation = &image->activations[i];
        if (truthy || !activation->conditional)
            arc_host_activate(p, activation->scope);
    }
}

ARCD_RT void arc_host_fire(struct arc_host_program *p, uint32_t output,
                           struct arc_host_column_view view)
{
    struct arc_host_slot *slot = &p->slots[output];
    const struct arc_image_output *out = &p->image->outputs[output];
    slot->view = view;
    slot->fired = p->cycle;
    bool truthy = arc_host_is_truthy(p, slot);
    follow_edges(p, out, slot, truthy);
    if (out->transitions.n != 0)
        follow_transitions(p, output, truthy);
    if (out->activations.n != 0)
        follow_activations(p, out, truthy);
}

ARCD_RT void arc_host_fire_one(struct arc_host_program *p, uint32_t output, union arc_reg value,
                               int64_t time_ns)
{
    struct arc_host_slot *slot = &p->slots[output];
    arc_host_store(slot->type, &slot->one, 0, value);
    slot->one_time = time_ns;
    arc_host_fire(
        p, output,
        (struct arc_host_column_view){.data = &slot->one, .times = &slot->one_time, .n = 1});
}

ARCD_RT struct arc_host_offer arc_host_offer(struct arc_host_program *p, uint32_t input)
{
    const struct arc_image_input *in = &p->image->inputs[input];
    if (in->source == ARC_NONE || p->nodes[in->node].has_held) {
        const struct arc_host_held *held = &p->held[input];
        return (struct arc_host_offer){.view = held->view, .is_new = held->is_new};
    }
    const struct arc_host_slot *slot = &p->slots[in->source];
    if (slot->fired != p->cycle)
        return (struct arc_host_offer){0};
    return (struct arc_host_offer){.view = slot->view, .is_new = true};
}

ARCD_RT void arc_host_consume(struct arc_host_program *p, const struct arc_image_node *node)
{
    if (!p->nodes[node - p->image->nodes].has_held)
        return;
    for (uint32_t i = node->inputs.first; i < node->inputs.first + node->inputs.n; i++)
        p->held[i].is_new = false;
}
