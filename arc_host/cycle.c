/* One cycle: clocks, due timers, samples in, the walk, results out. */
#include "arc_host/program_priv.h"

#include <string.h>

/* ---- Clocks */

ARCD_RT int64_t arc_host_now(struct arc_host_program *p)
{
    int64_t now_ns = base_clock_utc(p->options.clock);
    if (now_ns > p->now_ns)
        p->now_ns = now_ns;
    return p->now_ns;
}

ARCD_RT const int64_t *arc_host_stamps(struct arc_host_program *p, uint32_t n)
{
    for (; p->n_stamps < n; p->n_stamps++)
        p->stamps[p->n_stamps] = p->stamp_ns + p->n_stamps;
    return p->stamps;
}

/* ---- Begin */

/* In a timer cycle the timers of one deadline run, in an input cycle all that are due. */
static ARCD_RT void mark_due_timers(struct arc_host_program *p, bool is_input)
{
    const struct arc_host_timer *first = arc_host_timers_first(&p->timers);
    if (first == NULL || first->deadline_ns > p->elapsed_ns)
        return;
    int64_t until_ns = is_input ? p->elapsed_ns : first->deadline_ns;
    while ((first = arc_host_timers_first(&p->timers)) != NULL && first->deadline_ns <= until_ns) {
        uint32_t node = first->id;
        arc_host_timers_clear(&p->timers, node);
        if (p->scopes[p->image->nodes[node].scope].is_active)
            arc_host_mark(p, node);
    }
}

static ARCD_RT void mark_carried(struct arc_host_program *p)
{
    for (uint32_t i = 0; i < p->n_carried; i++) {
        uint32_t scope = p->carried[i];
        p->scopes[scope].is_carried = false;
        if (p->scopes[scope].is_active)
            arc_host_mark_scope(p, scope);
    }
    p->n_carried = 0;
}

static ARCD_RT void mark_always(struct arc_host_program *p)
{
    for (uint32_t scope = p->first_always; scope != ARC_NONE;
         scope = p->scopes[scope].next_always) {
        const struct arc_image_range *nodes = &p->image->scopes[scope].always;
        for (uint32_t i = nodes->first; i < nodes->first + nodes->n; i++)
            arc_host_bit_set(p->ready, p->image->nodes[p->image->lists[i]].member);
        arc_host_mark_scope(p, scope);
    }
}

static ARCD_RT void begin(struct arc_host_program *p, int64_t elapsed_ns, int64_t stamp_utc_ns,
                          bool is_input)
{
    p->cycle++;
    p->stats.cycles++;
    if (elapsed_ns > p->elapsed_ns)
        p->elapsed_ns = elapsed_ns;
    p->stamp_ns = stamp_utc_ns > p->stamp_ns ? stamp_utc_ns : p->stamp_ns + 1;
    p->n_stamps = 0;
    p->machine.budget = (int64_t)p->options.budget;
    p->node = ARC_NONE;
    arc_host_outputs_clear(p);
    mark_due_timers(p, is_input);
    mark_carried(p);
    mark_always(p);
}

/* ---- Samples in */

static ARCD_RT void append_backlog(struct arc_host_backlog *backlog, uint8_t type,
                                   struct arc_host_column_view view)
{
    for (uint32_t i = 0; i < view.n; i++) {
        uint32_t at = (uint32_t)(backlog->total++ % backlog->rows);
        arc_host_store(type, backlog->data, at, arc_host_load(type, view.data, i));
        backlog->times[at] = view.times[i];
    }
}

static ARCD_RT bool text_of(struct arc_host_program *p, const struct arc_host_chan *chan,
                            uint32_t row, uint64_t *ref)
{
    struct telem_str str = ((const struct telem_str *)chan->now.data)[row];
    return arc_host_new_text(p, chan->text + str.offset, str.len, ref);
}

/* The references of a str column, made for the first reader of the cycle. */
ARCD_RT bool arc_host_chan_refs(struct arc_host_program *p, struct arc_host_chan *chan)
{
    if (chan->refs_made == p->cycle)
        return true;
    p->building = (struct arc_host_column_view){.data = chan->refs};
    for (uint32_t i = 0; i < chan->now.n; i++) {
        if (!text_of(p, chan, i, &chan->refs[i]))
            return false;
        p->building.n = i + 1;
    }
    p->building.n = 0;
    chan->refs_made = p->cycle;
    return true;
}

static ARCD_RT bool take_newest(struct arc_host_program *p, struct arc_host_chan *chan)
{
    uint32_t last = chan->now.n - 1;
    if (chan->type != TELEM_STR)
        chan->newest = arc_host_load(chan->type, chan->now.data, last);
    else if (chan->refs_made == p->cycle)
        chan->newest.ref = chan->refs[last];
    else
        return text_of(p, chan, last, &chan->newest.ref);
    return true;
}

static ARCD_RT bool take_column(struct arc_host_program *p, const struct arc_host_column *column)
{
    struct arc_host_chan *chan = &p->chans[column->channel];
    if (column->n == 0)
        return true;
    chan->now.data = column->data;
    chan->now.n = column->n;
    chan->now.times = column->times != NULL ? column->times : arc_host_stamps(p, column->n);
    chan->text = column->text;
    chan->arrived = p->cycle;
    struct arc_host_backlog *backlog = chan->backlog;
    bool is_str = chan->type == TELEM_STR;
    bool kept = backlog != NULL && backlog->n_waiting != 0;
    if (is_str && (kept || chan->first_source != ARC_NONE) && !arc_host_chan_refs(p, chan))
        return false;
    if (kept) {
        struct arc_host_column_view view = chan->now;
        if (is_str)
            view.data = chan->refs;
        append_backlog(backlog, chan->type, view);
    }
    for (uint32_t node = chan->first_source; node != ARC_NONE; node = p->nodes[node].next_source)
        arc_host_mark(p, node);
    return take_newest(p, chan);
}

static ARCD_RT bool frame_fits(const struct arc_host_program *p, const struct arc_host_frame *frame)
{
    uint64_t text = 0;
    for (uint32_t i = 0; i < frame->n_columns; i++) {
        const struct arc_host_column *column = &frame->columns[i];
        if (column->channel >= p->image->n_channels || !p->chans[column->channel].is_wanted ||
            column->n > p->options.max_rows)
            return false;
        if (p->chans[column->channel].type != TELEM_STR)
            continue;
        for (uint32_t k = 0; k < column->n; k++)
            text += ((const struct telem_str *)column->data)[k].len;
    }
    return text <= p->options.max_text;
}

/* ---- End */

/* Timers of scopes that were left do not wake anybody. */
static ARCD_RT void drop_dead_timers(struct arc_host_program *p)
{
    const struct arc_host_timer *first;
    while ((first = arc_host_timers_first(&p->timers)) != NULL &&
           !p->scopes[p->image->nodes[first->id].scope].is_active)
        arc_host_timers_clear(&p->timers, first->id);
}

static ARCD_RT enum arcd_err end(struct arc_host_program *p, bool ok)
{
    if (!ok) {
        arc_host_outputs_clear(p);
        return ARCD_ERR_FAULT;
    }
    if (p->has_moves) {
        memset(p->moves, 0, ARC_HOST_WORDS(p->image->n_transitions) * sizeof *p->moves);
        p->has_moves = false;
    }
    drop_dead_timers(p);
    arc_host_outputs_finish(p);
    return ARCD_OK;
}

static ARCD_RT bool can_run(const struct arc_host_program *p)
{
    return p->fault.kind == ARC_HOST_FAULT_NONE;
}

/* ---- The entry points */

ARCD_RT enum arcd_err arc_host_program_start(struct arc_host_program *p, int64_t stamp_utc_ns)
{
    if (!can_run(p))
        return ARCD_ERR_FAULT;
    if (p->is_started)
        return ARCD_ERR_STATE;
    p->is_started = true;
    begin(p, 0, stamp_utc_ns, false);
    arc_host_activate(p, 0);
    return end(p, arc_host_walk_root(p));
}

ARCD_RT enum arcd_err arc_host_program_timer(struct arc_host_program *p, int64_t elapsed_ns,
                                             int64_t stamp_utc_ns)
{
    if (!can_run(p))
        return ARCD_ERR_FAULT;
    if (!p->is_started)
        return ARCD_ERR_STATE;
    begin(p, elapsed_ns, stamp_utc_ns, false);
    return end(p, arc_host_walk_root(p));
}

ARCD_RT enum arcd_err arc_host_program_input(struct arc_host_program *p,
                                             const struct arc_host_frame *frame, int64_t elapsed_ns,
                                             int64_t stamp_utc_ns)
{
    if (!can_run(p))
        return ARCD_ERR_FAULT;
    if (!p->is_started)
        return ARCD_ERR_STATE;
    if (!frame_fits(p, frame))
        return ARCD_ERR_INVALID;
    begin(p, elapsed_ns, stamp_utc_ns, true);
    for (uint32_t i = 0; i < frame->n_columns; i++)
        if (!take_column(p, &frame->columns[i]))
            return end(p, false);
    return end(p, arc_host_walk_root(p));
}

ARCD_RT struct arc_host_frame arc_host_frame_piece(const struct arc_host_frame *frame,
                                                   const struct arc_host_program *p, uint32_t first,
                                                   uint32_t n, struct arc_host_column *columns)
{
    for (uint32_t i = 0; i < frame->n_columns; i++) {
        const struct arc_host_column *whole = &frame->columns[i];
        uint32_t skip = first < whole->n ? first : whole->n;
        size_t size = arc_host_type_size(p->chans[whole->channel].type);
        columns[i] = *whole;
        columns[i].n = whole->n - skip < n ? whole->n - skip : n;
        columns[i].data = (const char *)whole->data + skip * size;
        if (whole->times != NULL)
            columns[i].times = whole->times + skip;
    }
    return (struct arc_host_frame){.columns = columns, .n_columns = frame->n_columns};
}

ARCD_RT int64_t arc_host_program_deadline(const struct arc_host_program *p)
{
    const struct arc_host_timer *first = arc_host_timers_first(&p->timers);
    return first != NULL && can_run(p) ? first->deadline_ns : BASE_NEVER;
}

ARCD_RT bool arc_host_program_wants_cycle(const struct arc_host_program *p)
{
    if (!can_run(p))
        return false;
    const struct arc_image_range *root = &p->image->scopes[0].members;
    return p->n_carried != 0 ||
           arc_host_bit_next(p->ready, root->first, root->first + root->n) != ARC_HOST_NO_BIT;
}

ARCD_RT void arc_host_program_tidy(struct arc_host_program *p)
{
    arc_host_outputs_clear(p);
    if (arc_host_heap_is_due(&p->heap))
        arc_host_collect(p);
}

ARCD_RT struct arc_host_stats arc_host_program_stats(const struct arc_host_program *p)
{
    struct arc_host_stats stats = p->stats;
    stats.collections = p->heap.sweeps;
    stats.heap_used_bytes = p->heap.used_bytes;
    stats.heap_peak_bytes = p->heap.peak_bytes;
    return stats;
}
