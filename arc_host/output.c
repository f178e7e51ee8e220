/* What a cycle hands out: written samples, authority changes, status requests. */
#include "arc_host/program_priv.h"

#include <string.h>

ARCD_RT void arc_host_outputs_clear(struct arc_host_program *p)
{
    for (uint32_t i = 0; i < p->outputs.n_authority; i++)
        p->chans[p->authority[i].channel].authority = 0;
    p->outputs.n_authority = 0;
    p->outputs.n_writes = 0;
    p->outputs.n_statuses = 0;
}

static ARCD_RT bool stop_for_writes(struct arc_host_program *p)
{
    return arc_host_stop(
        p, (struct arc_host_fault){.kind = ARC_HOST_FAULT_WRITES, .a = p->options.max_writes});
}

/* The next time on the channel: strictly later than the one before, whatever the clocks did. */
static inline int64_t next_time(struct arc_host_chan *chan, int64_t time_ns)
{
    if (time_ns <= chan->written_ns)
        time_ns = chan->written_ns + 1;
    return chan->written_ns = time_ns;
}

ARCD_RT bool arc_host_write(struct arc_host_program *p, uint32_t channel, union arc_reg value,
                            int64_t time_ns)
{
    if (p->outputs.n_writes == p->options.max_writes)
        return stop_for_writes(p);
    struct arc_host_chan *chan = &p->chans[channel];
    struct arc_host_write *write = &p->writes[p->outputs.n_writes++];
    write->channel = channel;
    write->len = 0;
    write->time_utc_ns = next_time(chan, time_ns);
    if (chan->type == TELEM_F32)
        write->number.f32 = value.f32;
    else
        write->number.u64 = value.u64;
    return true;
}

#define WRITE_ROWS(C, member)                                                                      \
    for (uint32_t i = 0; i < view.n; i++)                                                          \
        write[i] = (struct arc_host_write){.channel = channel,                                     \
                                           .number.member = ((const C *)view.data)[i],             \
                                           .time_utc_ns = next_time(chan, view.times[i])};         \
    break

ARCD_RT bool arc_host_write_rows(struct arc_host_program *p, uint32_t channel,
                                 struct arc_host_column_view view)
{
    if (view.n > p->options.max_writes - p->outputs.n_writes)
        return stop_for_writes(p);
    struct arc_host_chan *chan = &p->chans[channel];
    struct arc_host_write *write = &p->writes[p->outputs.n_writes];
    p->outputs.n_writes += view.n;
    switch (chan->type) {
    case TELEM_I8: WRITE_ROWS(int8_t, i64);
    case TELEM_I16: WRITE_ROWS(int16_t, i64);
    case TELEM_I32: WRITE_ROWS(int32_t, i64);
    case TELEM_U8: WRITE_ROWS(uint8_t, u64);
    case TELEM_U16: WRITE_ROWS(uint16_t, u64);
    case TELEM_U32: WRITE_ROWS(uint32_t, u64);
    case TELEM_F32: WRITE_ROWS(float, f32);
    default: WRITE_ROWS(uint64_t, u64); /* f64 and references bit by bit */
    }
    return true;
}

/* A later change of the same channel replaces the earlier: both come before the first sample. */
ARCD_RT void arc_host_set_authority(struct arc_host_program *p, uint32_t channel, uint8_t value)
{
    struct arc_host_chan *chan = &p->chans[channel];
    if (chan->authority == 0)
        chan->authority = ++p->outputs.n_authority;
    p->authority[chan->authority - 1] =
        (struct arc_host_authority){.channel = channel, .value = value};
}

static ARCD_RT struct arc_host_text_view view_of(const struct arc_host_heap *heap, uint64_t ref)
{
    const struct arc_host_object *s = arc_host_heap_get(heap, ref);
    return (struct arc_host_text_view){.bytes = s->data, .len = s->n};
}

/* From here on no object moves before the outputs are gone: references become addresses. */
ARCD_RT void arc_host_outputs_finish(struct arc_host_program *p)
{
    for (uint32_t i = 0; i < p->outputs.n_writes; i++) {
        struct arc_host_write *write = &p->writes[i];
        if (p->chans[write->channel].type != TELEM_STR)
            continue;
        struct arc_host_text_view text = view_of(&p->heap, write->number.u64);
        write->bytes = text.bytes;
        write->len = text.len;
    }
    for (uint32_t i = 0; i < p->outputs.n_statuses; i++) {
        struct arc_host_status *status = &p->statuses[i];
        status->key_or_name = view_of(&p->heap, p->status_refs[i][0].ref);
        status->message = view_of(&p->heap, p->status_refs[i][1].ref);
        status->variant = view_of(&p->heap, p->status_refs[i][2].ref);
    }
}

/* ---- Status requests
 *
 * A request goes out under a number. The names asked for last are remembered, so that a program
 * that asks again for a name whose key came in the meantime gets it at once. */

static ARCD_RT uint64_t hash_of(const char *bytes, uint32_t len)
{
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15) ^ len;
    for (uint32_t i = 0; i < len; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    return hash;
}

static ARCD_RT bool is_variant(struct arc_host_text_view text)
{
    static const char *const VARIANTS[] = {"success", "info",    "warning",
                                           "error",   "loading", "disabled"};
    for (size_t i = 0; i < ARCD_COUNT_OF(VARIANTS); i++)
        if (text.len == strlen(VARIANTS[i]) && memcmp(text.bytes, VARIANTS[i], text.len) == 0)
            return true;
    return false;
}

ARCD_RT union arc_reg arc_host_set_status(struct arc_host_program *p, const union arc_reg texts[3],
                                          uint64_t *id)
{
    *id = 0;
    struct arc_host_text_view name = view_of(&p->heap, texts[0].ref);
    if (name.len == 0 || !is_variant(view_of(&p->heap, texts[2].ref)) ||
        p->outputs.n_statuses == ARC_HOST_STATUSES) {
        p->stats.statuses_dropped++;
        return (union arc_reg){0};
    }
    uint64_t request = ++p->n_requests;
    p->statuses[p->outputs.n_statuses] = (struct arc_host_status){.id = request};
    memcpy(p->status_refs[p->outputs.n_statuses++], texts, sizeof *p->status_refs);

    uint64_t hash = hash_of(name.bytes, name.len);
    struct arc_host_status_name *known = &p->status_names[hash % ARC_HOST_STATUS_NAMES];
    if (known->hash != hash)
        *known = (struct arc_host_status_name){.hash = hash};
    known->request = request;
    if (known->key.ref == 0)
        *id = request;
    return known->key;
}

ARCD_RT bool arc_host_program_status_reply(struct arc_host_program *p, uint64_t id, const char *key,
                                           uint32_t len)
{
    if (p->fault.kind != ARC_HOST_FAULT_NONE || id == 0 || len > ARC_HOST_STATUS_KEY_BYTES)
        return false;
    arc_host_outputs_clear(p);
    uint64_t ref;
    if (!arc_host_new_text(p, key, len, &ref)) {
        p->fault = (struct arc_host_fault){.kind = ARC_HOST_FAULT_NONE};
        return false;
    }
    for (int i = 0; i < ARC_HOST_STATUS_NAMES; i++)
        if (p->status_names[i].request == id)
            p->status_names[i].key.ref = ref;
    bool waited = false;
    for (uint32_t i = 0; i < p->n_status_nodes; i++) {
        uint32_t node = p->status_nodes[i];
        struct arc_host_node *n = &p->nodes[node];
        if (n->u.status.request != id || !p->scopes[p->image->nodes[node].scope].is_active)
            continue;
        n->u.status.key.ref = ref;
        n->u.status.has_key = true;
        arc_host_mark(p, node);
        waited = true;
    }
    return waited;
}
