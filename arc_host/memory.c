/* Strings and series: taking memory, and the roots that keep it.
 *
 * Roots are the stateful variables, held inputs, newest values and backlogs of channels of type
 * str, slots that fired in this cycle, queued samples and requests, known status keys, a column
 * that is just being made, and every register of the machine's stack that looks like a reference.
 */
#include "arc_host/program_priv.h"

#include <string.h>

/* Budget for the bytes that an instruction touches: moving them is work too. */
enum { BYTES_PER_INSTRUCTION = 64 };

static ARCD_RT bool stop_for_memory(struct arc_host_program *p)
{
    return arc_host_stop(
        p, (struct arc_host_fault){.kind = ARC_HOST_FAULT_MEMORY, .a = p->options.heap_bytes});
}

ARCD_RT bool arc_host_new_object(struct arc_host_program *p, uint32_t n, uint32_t elem_bytes,
                                 uint64_t *ref)
{
    *ref = 0;
    uint64_t n_bytes = (uint64_t)n * elem_bytes;
    if (n_bytes > p->heap.capacity_bytes)
        return stop_for_memory(p);
    p->machine.budget -= (int64_t)(n_bytes / BYTES_PER_INSTRUCTION);
    *ref = arc_host_heap_new(&p->heap, n, (uint32_t)n_bytes);
    if (ARCD_LIKELY(*ref != 0 || n == 0))
        return true;
    arc_host_collect(p);
    *ref = arc_host_heap_new(&p->heap, n, (uint32_t)n_bytes);
    return *ref != 0 || stop_for_memory(p);
}

ARCD_RT bool arc_host_new_text(struct arc_host_program *p, const char *bytes, uint32_t len,
                               uint64_t *ref)
{
    if (!arc_host_new_object(p, len, 1, ref))
        return false;
    if (len != 0)
        memcpy(arc_host_heap_get(&p->heap, *ref)->data, bytes, len);
    return true;
}

/* ---- Roots */

static ARCD_RT void mark_column(struct arc_host_heap *heap, const void *column, uint32_t n)
{
    const uint64_t *refs = column;
    for (uint32_t i = 0; i < n; i++)
        arc_host_heap_mark(heap, refs[i]);
}

static ARCD_RT void mark_channel(struct arc_host_program *p, const struct arc_host_chan *chan)
{
    arc_host_heap_mark(&p->heap, chan->newest.ref);
    if (chan->refs_made == p->cycle && chan->arrived == p->cycle)
        mark_column(&p->heap, chan->refs, chan->now.n);
    const struct arc_host_backlog *backlog = chan->backlog;
    if (backlog != NULL)
        mark_column(&p->heap, backlog->data,
                    backlog->total < backlog->rows ? (uint32_t)backlog->total : backlog->rows);
}

static ARCD_RT void mark_samples(struct arc_host_program *p)
{
    for (uint32_t c = 0; c < p->image->n_channels; c++)
        if (p->chans[c].type == TELEM_STR)
            mark_channel(p, &p->chans[c]);
    for (uint32_t i = 0; i < p->n_ref_slots; i++) {
        const struct arc_host_slot *slot = &p->slots[p->ref_slots[i]];
        if (slot->fired == p->cycle || p->image->outputs[p->ref_slots[i]].node == p->node)
            mark_column(&p->heap, slot->view.data, slot->view.n);
    }
    for (uint32_t i = 0; i < p->n_ref_held; i++) {
        const struct arc_host_held *held = &p->held[p->ref_held[i]];
        mark_column(&p->heap, held->view.data, held->view.n);
    }
    mark_column(&p->heap, p->building.data, p->building.n);
}

static ARCD_RT void mark_outputs(struct arc_host_program *p)
{
    for (uint32_t i = 0; i < p->outputs.n_writes; i++)
        if (p->chans[p->writes[i].channel].type == TELEM_STR)
            arc_host_heap_mark(&p->heap, p->writes[i].number.u64);
    for (uint32_t i = 0; i < p->outputs.n_statuses; i++)
        for (int k = 0; k < 3; k++)
            arc_host_heap_mark(&p->heap, p->status_refs[i][k].ref);
    for (int i = 0; i < ARC_HOST_STATUS_NAMES; i++)
        arc_host_heap_mark(&p->heap, p->status_names[i].key.ref);
    for (uint32_t i = 0; i < p->n_status_nodes; i++)
        arc_host_heap_mark(&p->heap, p->nodes[p->status_nodes[i]].u.status.key.ref);
}

ARCD_RT void arc_host_collect(struct arc_host_program *p)
{
    struct arc_host_heap *heap = &p->heap;
    p->machine.budget -= heap->used_bytes / BYTES_PER_INSTRUCTION;
    for (uint32_t i = 0; i < p->n_state_refs; i++)
        arc_host_heap_mark(heap, p->state[p->state_refs[i]].ref);
    for (const union arc_reg *r = p->machine.stack; r < p->machine.top; r++)
        arc_host_heap_mark(heap, r->u64);
    mark_samples(p);
    mark_outputs(p);
    arc_host_heap_sweep(heap);
}
