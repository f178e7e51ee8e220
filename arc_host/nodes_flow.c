/* Nodes made of the program's own text: sources, sinks, constants, functions and expressions; and
 * the table that finds the code of every kind of node. */
#include "arc_host/program_priv.h"

#include <string.h>

/* ---- Sources */

static ARCD_RT bool run_head_source(struct arc_host_program *p, const struct arc_image_node *n)
{
    struct arc_host_chan *chan = &p->chans[n->channel];
    if (chan->arrived != p->cycle)
        return true;
    struct arc_host_column_view view = chan->now;
    if (chan->type == TELEM_STR) {
        if (!arc_host_chan_refs(p, chan))
            return false;
        view.data = chan->refs;
    }
    arc_host_fire(p, n->outputs.first, view);
    return true;
}

/* A source in the middle of a flow gives what has come since its scope was activated or it was last
 * triggered. */
static ARCD_RT bool run_triggered_source(struct arc_host_program *p, uint32_t node,
                                         const struct arc_image_node *n)
{
    struct arc_host_backlog *backlog = p->chans[n->channel].backlog;
    struct arc_host_slot *slot = &p->slots[n->outputs.first];
    uint64_t first = p->nodes[node].u.source.watermark;
    p->nodes[node].u.source.watermark = backlog->total;
    if (backlog->total - first > backlog->rows) {
        p->stats.backlog_dropped += backlog->total - first - backlog->rows;
        first = backlog->total - backlog->rows;
    }
    uint32_t count = 0;
    for (uint64_t i = first; i < backlog->total; i++, count++) {
        uint32_t at = (uint32_t)(i % backlog->rows);
        arc_host_store(slot->type, slot->data, count, arc_host_load(slot->type, backlog->data, at));
        slot->times[count] = backlog->times[at];
    }
    if (count != 0)
        arc_host_fire(
            p, n->outputs.first,
            (struct arc_host_column_view){.data = slot->data, .times = slot->times, .n = count});
    return true;
}

ARCD_RT bool arc_host_run_source(struct arc_host_program *p, uint32_t node)
{
    const struct arc_image_node *n = &p->image->nodes[node];
    if (n->run == ARC_RUN_TRIGGERED)
        return run_triggered_source(p, node, n);
    return run_head_source(p, n);
}

/* ---- Sinks and constants */

ARCD_RT bool arc_host_run_sink(struct arc_host_program *p, uint32_t node)
{
    const struct arc_image_node *n = &p->image->nodes[node];
    struct arc_host_column_view view = arc_host_offer(p, n->inputs.first).view;
    if (view.n == 0)
        return true;
    if (!arc_host_write_rows(p, n->channel, view))
        return false;
    arc_host_fire_one(p, n->outputs.first, (union arc_reg){.u64 = 1}, view.times[view.n - 1]);
    return true;
}

ARCD_RT union arc_reg arc_host_config(const struct arc_host_program *p,
                                      const struct arc_image_node *node, uint32_t i)
{
    const struct arc_image_value *value = &p->image->config[node->config.first + i];
    if (value->vt == TELEM_STR)
        return (union arc_reg){.ref = p->string_refs[value->reg.u64]};
    return value->reg;
}

ARCD_RT bool arc_host_run_const(struct arc_host_program *p, uint32_t node)
{
    const struct arc_image_node *n = &p->image->nodes[node];
    if (p->nodes[node].is_done)
        return true;
    p->nodes[node].is_done = true;
    arc_host_fire_one(p, n->outputs.first, arc_host_config(p, n, 0), p->stamp_ns);
    return true;
}

/* ---- Functions and expressions */

/* One run of a function node: `rows` calls of the body, with the times of its longest input. */
struct run {
    const struct arc_image_node *node;
    const struct arc_image_func *func;
    const struct arc_host_offer *offers;
    const int64_t *times;
    uint32_t rows;
};

/* The offers of the inputs, the longest batch and its times; false: the node does not run. */
static ARCD_RT bool gather(struct arc_host_program *p, struct run *run)
{
    const struct arc_image_node *n = run->node;
    run->rows = 1;
    run->times = NULL;
    bool any_new = false, any_connected = false;
    for (uint32_t j = 0; j < n->inputs.n; j++) {
        uint32_t input = n->inputs.first + j;
        struct arc_host_offer *offer = &p->offers[j];
        *offer = arc_host_offer(p, input);
        if (p->image->inputs[input].source == ARC_NONE)
            continue;
        if (offer->view.n == 0)
            return false;
        any_connected = true;
        any_new |= offer->is_new;
        if (run->times == NULL || offer->view.n > run->rows) {
            run->rows = offer->view.n;
            run->times = offer->view.times;
        }
    }
    if (any_connected)
        return any_new;
    run->times = &p->stamp_ns;
    return true;
}

static ARCD_RT void *slot_data(struct arc_host_slot *slot)
{
    return slot->data != NULL ? slot->data : &slot->one;
}

static ARCD_RT int64_t *slot_times(struct arc_host_slot *slot)
{
    return slot->times != NULL ? slot->times : &slot->one_time;
}

/* The slots are empty, and have own memory, until the run is over. */
static ARCD_RT void clear_outputs(struct arc_host_program *p, const struct run *run)
{
    for (uint32_t k = 0; k < run->func->outputs.n; k++) {
        struct arc_host_slot *slot = &p->slots[run->node->outputs.first + k];
        slot->view = (struct arc_host_column_view){.data = slot_data(slot)};
    }
}

/* Loads what stays the same for all calls; the rest is left to next_inputs. */
static ARCD_RT uint32_t open_inputs(const struct arc_host_program *p, const struct run *run,
                                    union arc_reg *regs)
{
    const struct arc_image_input *inputs = &p->image->inputs[run->node->inputs.first];
    uint32_t n_feeds = 0;
    for (uint32_t j = 0; j < run->node->inputs.n; j++) {
        const struct arc_host_column_view *view = &run->offers[j].view;
        uint8_t type = arc_host_type(inputs[j].type);
        if (view->n == 1)
            regs[j] = arc_host_load(type, view->data, 0); /* a body never writes an argument */
        else
            p->feeds[n_feeds++] = (struct arc_host_feed){
                .data = view->data, .n = view->n, .reg = (uint16_t)j, .type = type};
    }
    return n_feeds;
}

static inline void next_inputs(struct arc_host_feed *feeds, uint32_t n_feeds, union arc_reg *regs)
{
    for (uint32_t j = 0; j < n_feeds; j++) {
        struct arc_host_feed *feed = &feeds[j];
        if (ARCD_LIKELY(feed->type == TELEM_F64))
            regs[feed->reg].f64 = ((const double *)feed->data)[feed->at];
        else
            regs[feed->reg] = arc_host_load(feed->type, feed->data, feed->at);
        if (++feed->at == feed->n)
            feed->at = 0;
    }
}

static inline void store_output(struct arc_host_slot *slot, void *data, union arc_reg value)
{
    uint32_t at = slot->view.n++;
    if (ARCD_LIKELY(slot->type == TELEM_F64))
        ((double *)data)[at] = value.f64;
    else
        arc_host_store(slot->type, data, at, value);
}

static ARCD_RT void store_outputs(struct arc_host_program *p, const struct run *run,
                                  const union arc_reg *regs, int64_t time_ns)
{
    const struct arc_image_func_output *outputs = &p->image->func_outputs[run->func->outputs.first];
    for (uint32_t k = 0; k < run->func->outputs.n; k++) {
        const struct arc_image_func_output *out = &outputs[k];
        struct arc_host_slot *slot = &p->slots[run->node->outputs.first + k];
        if (out->reg == ARC_NO_REG) {
            store_output(slot, slot_data(slot), p->machine.result);
            continue;
        }
        if (out->flag_reg != ARC_NO_REG) {
            if (regs[out->flag_reg].u64 == 0)
                continue;
            slot_times(slot)[slot->view.n] = time_ns;
        }
        store_output(slot, slot_data(slot), regs[out->reg]);
    }
}

static inline bool is_wide_number(uint8_t type)
{
    return type == TELEM_F64 || type == TELEM_I64 || type == TELEM_U64;
}

/* A body from one number to one number: the machine goes from row to row without coming back. Only
 * the last result is left to be taken from it. */
static ARCD_RT bool hand_over_rows(struct arc_host_program *p, const struct run *run,
                                   const struct arc_host_feed *feed)
{
    const struct arc_image_func_output *out = &p->image->func_outputs[run->func->outputs.first];
    struct arc_host_slot *slot = &p->slots[run->node->outputs.first];
    if (run->func->outputs.n != 1 || out->reg != ARC_NO_REG || !is_wide_number(slot->type) ||
        !is_wide_number(feed->type))
        return false;
    struct arc_host_machine *m = &p->machine;
    m->rows_left = run->rows - 1;
    m->row_reg = feed->reg;
    m->row_out = slot_data(slot);
    m->row_in = (const uint64_t *)feed->data + 1;
    m->row_times = run->times + 1;
    slot->view.n = run->rows - 1;
    return true;
}

static ARCD_RT bool run_samples(struct arc_host_program *p, const struct run *run, uint32_t node)
{
    union arc_reg *regs = arc_host_machine_open(p, node);
    uint32_t n_feeds = open_inputs(p, run, regs);
    uint32_t rows = run->rows;
    if (n_feeds == 1 && hand_over_rows(p, run, p->feeds))
        rows = 1;
    for (uint32_t i = 0; i < rows; i++) {
        next_inputs(p->feeds, n_feeds, regs);
        p->machine.time_ns = run->times[i];
        if (!arc_host_machine_run(p))
            return false;
        store_outputs(p, run, regs, run->times[i]);
    }
    arc_host_machine_close(p);
    return true;
}

/* Fires the outputs that have samples. A node without outputs tells that it has run. */
static ARCD_RT void fire_outputs(struct arc_host_program *p, const struct run *run)
{
    const struct arc_image_func_output *outputs = &p->image->func_outputs[run->func->outputs.first];
    uint32_t first = run->node->outputs.first;
    if (run->func->outputs.n == 0) {
        arc_host_fire_one(p, first, (union arc_reg){.u64 = 1}, run->times[run->rows - 1]);
        return;
    }
    for (uint32_t k = 0; k < run->func->outputs.n; k++) {
        struct arc_host_slot *slot = &p->slots[first + k];
        struct arc_host_column_view view = slot->view;
        if (view.n == 0)
            continue;
        view.times = outputs[k].flag_reg == ARC_NO_REG ? run->times : slot_times(slot);
        arc_host_fire(p, first + k, view);
    }
}

static ARCD_RT bool wants_batch(const struct arc_host_program *p, const struct run *run)
{
    if (run->func->batch.code.n == 0 || p->options.mode == ARC_HOST_MODE_SAMPLE)
        return false;
    return p->options.mode == ARC_HOST_MODE_BATCH || run->rows >= ARC_HOST_BATCH_ROWS;
}

ARCD_RT bool arc_host_run_func(struct arc_host_program *p, uint32_t node)
{
    const struct arc_image_node *n = &p->image->nodes[node];
    struct run run = {.node = n, .func = &p->image->funcs[n->func], .offers = p->offers};
    if (!gather(p, &run))
        return true;
    arc_host_consume(p, n);
    clear_outputs(p, &run);
    bool ok = wants_batch(p, &run) ? arc_host_batch_run(p, node, run.offers, run.rows, run.times)
                                   : run_samples(p, &run, node);
    if (ok)
        fire_outputs(p, &run);
    return ok;
}

/* ---- All kinds */

static const arc_host_run_fn RUN[ARC_IMAGE_NODE_COUNT] = {
    [ARC_IMAGE_NODE_SOURCE] = arc_host_run_source,
    [ARC_IMAGE_NODE_SINK] = arc_host_run_sink,
    [ARC_IMAGE_NODE_CONST] = arc_host_run_const,
    [ARC_IMAGE_NODE_EXPR] = arc_host_run_func,
    [ARC_IMAGE_NODE_FUNC] = arc_host_run_func,
    [ARC_IMAGE_NODE_INTERVAL] = arc_host_run_interval,
    [ARC_IMAGE_NODE_WAIT] = arc_host_run_wait,
    [ARC_IMAGE_NODE_NOW] = arc_host_run_now,
    [ARC_IMAGE_NODE_AVG] = arc_host_run_window,
    [ARC_IMAGE_NODE_MIN] = arc_host_run_window,
    [ARC_IMAGE_NODE_MAX] = arc_host_run_window,
    [ARC_IMAGE_NODE_DERIVATIVE] = arc_host_run_derivative,
    [ARC_IMAGE_NODE_SET_AUTHORITY] = arc_host_run_set_authority,
    [ARC_IMAGE_NODE_STATUS_SET] = arc_host_run_status_set,
    [ARC_IMAGE_NODE_STABLE_FOR] = arc_host_run_stable_for,
    [ARC_IMAGE_NODE_SELECT] = arc_host_run_select,
};

ARCD_RT bool arc_host_run_node(struct arc_host_program *p, uint32_t node)
{
    p->node = node;
    return RUN[p->image->nodes[node].kind](p, node);
}

static ARCD_RT void reset_outputs(struct arc_host_program *p, const struct arc_image_node *n)
{
    for (uint32_t o = n->outputs.first; o < n->outputs.first + n->outputs.n; o++) {
        const struct arc_image_range *list = &p->image->outputs[o].transitions;
        p->slots[o].fired = 0;
        for (uint32_t i = list->first; i < list->first + list->n; i++)
            arc_host_bit_clear(p->moves, p->image->lists[i]);
    }
}

static ARCD_RT void reset_inputs(struct arc_host_program *p, const struct arc_image_node *n)
{
    for (uint32_t i = n->inputs.first; i < n->inputs.first + n->inputs.n; i++) {
        if (p->image->inputs[i].source == ARC_NONE)
            continue;
        p->held[i].view.n = 0;
        p->held[i].is_new = false;
    }
}

ARCD_RT void arc_host_reset_node(struct arc_host_program *p, uint32_t node)
{
    const struct arc_image_node *n = &p->image->nodes[node];
    struct arc_host_node *state = &p->nodes[node];
    reset_outputs(p, n);
    if (state->has_held)
        reset_inputs(p, n);
    if (n->state.n != 0)
        memcpy(p->state + n->state.first, p->state_init + n->state.first,
               n->state.n * sizeof *p->state);
    if (n->kind == ARC_IMAGE_NODE_INTERVAL || n->kind == ARC_IMAGE_NODE_WAIT)
        arc_host_timers_clear(&p->timers, node);
    state->is_done = false;
    memset(&state->u, 0, sizeof state->u);
    if (n->kind == ARC_IMAGE_NODE_SOURCE && n->run == ARC_RUN_TRIGGERED)
        state->u.source.watermark = p->chans[n->channel].backlog->total;
}
