/* Making a program ready to run: every array that a cycle may need is sized from the image here. */
#include "arc/verify.h"
#include "arc_host/program_priv.h"

#include <stdlib.h>
#include <string.h>

enum {
    DEFAULT_ROWS = 4096,
    MOST_ROWS = 1 << 20,
    DEFAULT_TEXT_BYTES = 64 << 10,
    DEFAULT_BACKLOG_ROWS = 4096,
    MOST_HEAP_BYTES = 1 << 30,
    SPARE_WRITES = 4096,
    WRITES_PER_CALL = 4, /* that a body which writes channels is given room for, on average */
};

static const uint64_t MOST_COLUMN_BYTES = UINT64_C(2) << 30;

/* ---- Options */

static uint32_t or_default(uint32_t value, uint32_t def)
{
    return value != 0 ? value : def;
}

static enum arcd_err fill_options(struct arc_host_program *p,
                                  const struct arc_host_options *options, struct arcd_errinfo *why)
{
    struct arc_host_options *o = &p->options;
    if (options != NULL)
        *o = *options;
    o->max_rows = or_default(o->max_rows, DEFAULT_ROWS);
    o->max_text = or_default(o->max_text, DEFAULT_TEXT_BYTES);
    o->backlog_rows = or_default(o->backlog_rows, DEFAULT_BACKLOG_ROWS);
    o->heap_bytes = or_default(o->heap_bytes, ARC_DEFAULT_HEAP_BYTES);
    if (o->budget == 0)
        o->budget = ARC_DEFAULT_BUDGET;
    if (o->clock == NULL)
        o->clock = base_clock_system();
    if (o->max_rows > MOST_ROWS || o->backlog_rows > MOST_ROWS)
        return arcd_fail(why, ARCD_ERR_INVALID, 0,
                         "a program takes frames and backlogs of at most %d rows", MOST_ROWS);
    if (o->heap_bytes > MOST_HEAP_BYTES)
        return arcd_fail(why, ARCD_ERR_INVALID, 0,
                         "a program may use at most %d bytes for strings and series",
                         MOST_HEAP_BYTES);
    if (o->budget > INT64_MAX / 2)
        return arcd_fail(why, ARCD_ERR_INVALID, 0, "the budget of a cycle is at most 2^62");
    return ARCD_OK;
}

/* ---- Nodes and their inputs */

static bool is_mid_flow(const struct arc_image_node *n)
{
    return n->kind == ARC_IMAGE_NODE_SOURCE && n->run == ARC_RUN_TRIGGERED;
}

static void init_nodes(struct arc_host_program *p)
{
    const struct arc_image *image = p->image;
    uint32_t most_inputs = 1;
    p->nodes = base_arena_array(&p->arena, struct arc_host_node, image->n_nodes);
    for (uint32_t i = 0; i < image->n_nodes; i++) {
        const struct arc_image_node *n = &image->nodes[i];
        uint32_t connected = 0;
        for (uint32_t k = n->inputs.first; k < n->inputs.first + n->inputs.n; k++)
            connected += image->inputs[k].source != ARC_NONE;
        p->nodes[i].has_held = connected > 1;
        if (n->inputs.n > most_inputs)
            most_inputs = n->inputs.n;
    }
    p->offers = base_arena_array(&p->arena, struct arc_host_offer, most_inputs);
    p->feeds = base_arena_array(&p->arena, struct arc_host_feed, most_inputs);
}

/* The most samples that a node's output fires at once, once its inputs' are known: all of a frame
 * come out of a source, and pass through what works sample by sample. */
static uint32_t rows_of_node(const struct arc_host_program *p, const struct arc_image_node *n)
{
    if (n->kind == ARC_IMAGE_NODE_SOURCE)
        return is_mid_flow(n) ? p->options.backlog_rows : p->options.max_rows;
    if (n->kind != ARC_IMAGE_NODE_FUNC && n->kind != ARC_IMAGE_NODE_DERIVATIVE &&
        n->kind != ARC_IMAGE_NODE_SELECT)
        return 1;
    uint32_t rows = 1;
    for (uint32_t i = n->inputs.first; i < n->inputs.first + n->inputs.n; i++) {
        uint32_t source = p->image->inputs[i].source;
        if (source != ARC_NONE && p->slots[source].rows > rows)
            rows = p->slots[source].rows;
    }
    return rows;
}

/* True when every input's source has its rows already. */
static bool sources_are_known(const struct arc_host_program *p, const struct arc_image_node *n)
{
    for (uint32_t i = n->inputs.first; i < n->inputs.first + n->inputs.n; i++) {
        uint32_t source = p->image->inputs[i].source;
        if (source != ARC_NONE && p->slots[source].rows == 0)
            return false;
    }
    return true;
}

/* Edges lead to later nodes in most images, and never in a circle: a few passes do. */
static void find_rows(struct arc_host_program *p)
{
    const struct arc_image *image = p->image;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < image->n_nodes; i++) {
            const struct arc_image_node *n = &image->nodes[i];
            if (n->outputs.n == 0 || p->slots[n->outputs.first].rows != 0 ||
                !sources_are_known(p, n))
                continue;
            uint32_t rows = rows_of_node(p, n);
            for (uint32_t o = n->outputs.first; o < n->outputs.first + n->outputs.n; o++)
                p->slots[o].rows = rows;
            again = true;
        }
    }
}

/* Who needs memory of his own for the samples, and who for their times. */
static bool owns_data(const struct arc_image_node *n)
{
    return n->kind != ARC_IMAGE_NODE_SOURCE || is_mid_flow(n);
}

static bool owns_times(const struct arc_host_program *p, uint32_t output)
{
    const struct arc_image_node *n = &p->image->nodes[p->image->outputs[output].node];
    if (n->kind == ARC_IMAGE_NODE_SELECT || is_mid_flow(n))
        return true;
    if (n->kind != ARC_IMAGE_NODE_FUNC)
        return false;
    const struct arc_image_func *func = &p->image->funcs[n->func];
    uint32_t k = output - n->outputs.first;
    return k < func->outputs.n &&
           p->image->func_outputs[func->outputs.first + k].flag_reg != ARC_NO_REG;
}

/* What the columns take, as they are made below. */
static uint64_t column_bytes(const struct arc_host_program *p)
{
    const struct arc_image *image = p->image;
    uint64_t bytes = 0;
    for (uint32_t o = 0; o < image->n_outputs; o++) /* samples, times, and room to write them */
        bytes += (uint64_t)p->slots[o].rows * (8 + 8 + sizeof(struct arc_host_write));
    for (uint32_t i = 0; i < image->n_inputs; i++)
        if (image->inputs[i].source != ARC_NONE && p->nodes[image->inputs[i].node].has_held)
            bytes += (uint64_t)p->slots[image->inputs[i].source].rows * (8 + 8);
    for (uint32_t c = 0; c < image->n_channels; c++) /* references and a backlog */
        bytes += (uint64_t)p->options.max_rows * 8 + (uint64_t)p->options.backlog_rows * (8 + 8);
    return bytes + (uint64_t)p->options.max_writes * sizeof(struct arc_host_write);
}

static enum arcd_err size_slots(struct arc_host_program *p, struct arcd_errinfo *why)
{
    p->slots = base_arena_array(&p->arena, struct arc_host_slot, p->image->n_outputs);
    find_rows(p);
    uint64_t bytes = column_bytes(p);
    if (bytes > MOST_COLUMN_BYTES)
        return arcd_fail(why, ARCD_ERR_INVALID, 0,
                         "batches of %u rows take up to %llu MiB in this program, more than %llu: "
                         "fewer rows a batch, or several programs",
                         p->options.max_rows, (unsigned long long)(bytes >> 20),
                         (unsigned long long)(MOST_COLUMN_BYTES >> 20));
    return ARCD_OK;
}

static void init_slots(struct arc_host_program *p)
{
    const struct arc_image *image = p->image;
    p->ref_slots = base_arena_array(&p->arena, uint32_t, image->n_outputs);
    for (uint32_t o = 0; o < image->n_outputs; o++) {
        struct arc_host_slot *slot = &p->slots[o];
        const struct arc_image_node *n = &image->nodes[image->outputs[o].node];
        slot->type = arc_host_type(image->outputs[o].type);
        slot->view.data = &slot->one;
        if (arc_host_is_ref(slot->type))
            p->ref_slots[p->n_ref_slots++] = o;
        if (slot->rows > 1 && owns_data(n))
            slot->data = base_arena_alloc(
                &p->arena, (size_t)slot->rows * arc_host_type_size(slot->type), ARCD_CACHELINE);
        if (slot->rows > 1 && owns_times(p, o))
            slot->times = base_arena_array(&p->arena, int64_t, slot->rows);
    }
}

static union arc_reg constant_text(const struct arc_host_program *p, uint64_t string)
{
    return (union arc_reg){.ref = p->string_refs[string]};
}

static void init_held_input(struct arc_host_program *p, uint32_t i)
{
    const struct arc_image_input *input = &p->image->inputs[i];
    struct arc_host_held *held = &p->held[i];
    uint8_t type = arc_host_type(input->type);
    if (input->source == ARC_NONE) {
        union arc_reg value = input->constant.reg;
        if (type == TELEM_STR)
            value = constant_text(p, value.u64);
        arc_host_store(type, &held->one, 0, value);
        held->view =
            (struct arc_host_column_view){.data = &held->one, .times = &p->stamp_ns, .n = 1};
    } else if (p->nodes[input->node].has_held) {
        uint32_t rows = p->slots[input->source].rows;
        held->data =
            base_arena_alloc(&p->arena, (size_t)rows * arc_host_type_size(type), ARCD_CACHELINE);
        held->times = base_arena_array(&p->arena, int64_t, rows);
        held->view.data = held->data;
        if (arc_host_is_ref(type))
            p->ref_held[p->n_ref_held++] = i;
    }
}

static void init_held(struct arc_host_program *p)
{
    p->held = base_arena_array(&p->arena, struct arc_host_held, p->image->n_inputs);
    p->ref_held = base_arena_array(&p->arena, uint32_t, p->image->n_inputs);
    for (uint32_t i = 0; i < p->image->n_inputs; i++)
        init_held_input(p, i);
}

static void init_status_nodes(struct arc_host_program *p)
{
    p->status_nodes = base_arena_array(&p->arena, uint32_t, p->image->n_nodes);
    for (uint32_t i = 0; i < p->image->n_nodes; i++)
        if (p->image->nodes[i].kind == ARC_IMAGE_NODE_STATUS_SET)
            p->status_nodes[p->n_status_nodes++] = i;
    p->statuses = base_arena_array(&p->arena, struct arc_host_status, ARC_HOST_STATUSES);
    p->status_refs = base_arena_alloc(&p->arena, ARC_HOST_STATUSES * sizeof *p->status_refs, 8);
}

/* ---- Channels */

static void init_backlog(struct arc_host_program *p, struct arc_host_chan *chan)
{
    if (chan->backlog != NULL)
        return;
    struct arc_host_backlog *backlog = base_arena_new(&p->arena, struct arc_host_backlog);
    backlog->rows = p->options.backlog_rows;
    backlog->data = base_arena_alloc(
        &p->arena, (size_t)backlog->rows * arc_host_type_size(chan->type), ARCD_CACHELINE);
    backlog->times = base_arena_array(&p->arena, int64_t, backlog->rows);
    chan->backlog = backlog;
}

static void init_channels(struct arc_host_program *p)
{
    const struct arc_image *image = p->image;
    p->chans = base_arena_array(&p->arena, struct arc_host_chan, image->n_channels);
    for (uint32_t c = 0; c < image->n_channels; c++) {
        struct arc_host_chan *chan = &p->chans[c];
        chan->type = arc_host_type(image->channels[c].type);
        chan->is_wanted = image->channels[c].reads || image->channels[c].source;
        chan->written_ns = INT64_MIN;
        if (chan->type == TELEM_STR && chan->is_wanted)
            chan->refs = base_arena_array(&p->arena, uint64_t, p->options.max_rows);
    }
    for (uint32_t i = 0; i < image->n_nodes; i++)
        if (is_mid_flow(&image->nodes[i]))
            init_backlog(p, &p->chans[image->nodes[i].channel]);
    p->stamps = base_arena_array(&p->arena, int64_t, p->options.max_rows);
}

/* ---- Strings, series, state */

/* Whatever makes a string or a series needs memory for them; constant strings are the image's. */
static bool makes_objects(const struct arc_insn *insn)
{
    const struct arc_op_info *info = &arc_op_info[insn->op];
    return insn->op == ARC_OP_SLOAD ||
           (insn->op != ARC_OP_LOADS && arc_operand_kind(info->operand[0]) == ARC_OPD_W &&
            arc_host_is_ref(arc_operand_type(info->operand[0])));
}

static bool uses_heap(const struct arc_image *image)
{
    for (uint32_t i = 0; i < image->n_code; i++)
        if (makes_objects(&image->code[i]))
            return true;
    for (uint32_t c = 0; c < image->n_channels; c++)
        if (image->channels[c].type == TELEM_STR &&
            (image->channels[c].reads || image->channels[c].source))
            return true;
    for (uint32_t i = 0; i < image->n_nodes; i++)
        if (image->nodes[i].kind == ARC_IMAGE_NODE_STATUS_SET)
            return true;
    return false;
}

static void init_strings(struct arc_host_program *p)
{
    const struct arc_image *image = p->image;
    if (!uses_heap(image))
        p->options.heap_bytes = 0;
    arc_host_heap_init(&p->heap, &p->arena, p->options.heap_bytes, image->n_strings);
    p->string_refs = base_arena_array(&p->arena, uint64_t, image->n_strings);
    for (uint32_t i = 0; i < image->n_strings; i++)
        p->string_refs[i] =
            arc_host_heap_fix(&p->heap, image->strings[i].text, image->strings[i].n);
}

/* The initial values of the slots that function g has in a node whose first slot is `first`. */
static void init_state_of(struct arc_host_program *p, const struct arc_image_func *g,
                          uint32_t first)
{
    for (uint32_t i = 0; i < g->state.n; i++) {
        uint8_t vt = p->image->state_types[g->state.first + i];
        union arc_reg value = p->image->state_init[g->state.first + i];
        if (vt == TELEM_STR)
            value = constant_text(p, value.u64);
        p->state_init[first + i] = value;
        if (arc_host_is_ref(vt))
            p->state_refs[p->n_state_refs++] = first + i;
    }
}

static void init_state(struct arc_host_program *p)
{
    const struct arc_image *image = p->image;
    p->state = base_arena_array(&p->arena, union arc_reg, image->n_state);
    p->state_init = base_arena_array(&p->arena, union arc_reg, image->n_state);
    p->state_refs = base_arena_array(&p->arena, uint32_t, image->n_state);
    for (uint32_t i = 0; i < image->n_nodes; i++) {
        const struct arc_image_node *n = &image->nodes[i];
        if (n->state.n == 0)
            continue;
        uint32_t map = image->funcs[n->func].state_map;
        for (uint32_t f = 0; f < image->n_funcs; f++) {
            const struct arc_image_func *g = &image->funcs[f];
            if (g->state_id == ARC_NONE || image->lists[map + g->state_id] == ARC_NONE)
                continue;
            init_state_of(p, g, n->state.first + image->lists[map + g->state_id]);
        }
    }
}

/* ---- Machine, scopes, outputs */

static void init_machine(struct arc_host_program *p)
{
    const struct arc_image *image = p->image;
    struct arc_host_machine *m = &p->machine;
    m->stack = base_arena_array(&p->arena, union arc_reg, image->stack_regs);
    m->stack_end = m->stack + image->stack_regs;
    m->top = m->stack;
    m->calls = base_arena_array(&p->arena, struct arc_host_call, ARC_MAX_CALL_DEPTH);
    m->columns = base_arena_alloc(
        &p->arena, (size_t)image->batch_regs * ARC_HOST_CHUNK * sizeof *m->columns, ARCD_CACHELINE);
    m->column_of = base_arena_array(&p->arena, void *, image->batch_regs);
}

static void init_scopes(struct arc_host_program *p)
{
    const struct arc_image *image = p->image;
    p->scopes = base_arena_array(&p->arena, struct arc_host_scope, image->n_scopes);
    for (uint32_t s = 0; s < image->n_scopes; s++)
        p->scopes[s].first_child = ARC_NONE;
    for (uint32_t s = image->n_scopes; s-- > 1;) {
        struct arc_host_scope *parent = &p->scopes[image->scopes[s].parent];
        p->scopes[s].next_sibling = parent->first_child;
        parent->first_child = s;
    }
    p->ready = base_arena_array(&p->arena, uint64_t, ARC_HOST_WORDS(image->n_members) + 1);
    p->late = base_arena_array(&p->arena, uint64_t, ARC_HOST_WORDS(image->n_members) + 1);
    p->moves = base_arena_array(&p->arena, uint64_t, ARC_HOST_WORDS(image->n_transitions) + 1);
    p->carried = base_arena_array(&p->arena, uint32_t, image->n_scopes);
    arc_host_timers_init(&p->timers, &p->arena, image->n_nodes);
}

/* Every sink passes on its whole batch; bodies get room for a few samples a call. */
static uint32_t usual_writes(const struct arc_host_program *p)
{
    uint64_t writes = SPARE_WRITES;
    for (uint32_t i = 0; i < p->image->n_nodes; i++) {
        const struct arc_image_node *n = &p->image->nodes[i];
        if (n->kind == ARC_IMAGE_NODE_SINK && p->image->inputs[n->inputs.first].source != ARC_NONE)
            writes += p->slots[p->image->inputs[n->inputs.first].source].rows;
        if (n->func != ARC_NONE && p->image->funcs[n->func].writes)
            writes += (uint64_t)WRITES_PER_CALL * rows_of_node(p, n);
    }
    return writes < UINT32_MAX ? (uint32_t)writes : UINT32_MAX;
}

static void init_outputs(struct arc_host_program *p)
{
    if (p->options.max_writes == 0)
        p->options.max_writes = usual_writes(p);
    p->writes = base_arena_array(&p->arena, struct arc_host_write, p->options.max_writes);
    p->authority = base_arena_array(&p->arena, struct arc_host_authority, p->image->n_channels);
    p->outputs.writes = p->writes;
    p->outputs.authority = p->authority;
    p->outputs.statuses = p->statuses;
}

/* ---- Life cycle */

static enum arcd_err check_periods(const struct arc_image *image, struct arcd_errinfo *why)
{
    for (uint32_t i = 0; i < image->n_nodes; i++) {
        const struct arc_image_node *n = &image->nodes[i];
        if (n->kind == ARC_IMAGE_NODE_INTERVAL && image->config[n->config.first].reg.i64 <= 0)
            return arcd_fail(why, ARCD_ERR_PROGRAM, 0,
                             "line %u: the period of an interval must be positive, not %lld ns",
                             n->line, (long long)image->config[n->config.first].reg.i64);
    }
    return ARCD_OK;
}

enum arcd_err arc_host_program_new(const struct arc_image *image,
                                   const struct arc_host_options *options,
                                   struct arc_host_program **program, struct arcd_errinfo *why)
{
    *program = NULL;
    struct arc_host_program *p = calloc(1, sizeof *p);
    if (p == NULL)
        return arcd_fail(why, ARCD_ERR_NOMEM, 0, "no memory for an automation");
    base_arena_init(&p->arena);
    p->image = image;
    p->stamp_ns = INT64_MIN;
    p->now_ns = INT64_MIN;
    enum arcd_err err = arc_verify(image, why);
    if (err == ARCD_OK)
        err = check_periods(image, why);
    if (err == ARCD_OK)
        err = fill_options(p, options, why);
    if (err == ARCD_OK) {
        init_nodes(p);
        err = size_slots(p, why);
    }
    if (err != ARCD_OK) {
        arc_host_program_free(p);
        return err;
    }
    init_strings(p);
    init_slots(p);
    init_held(p);
    init_status_nodes(p);
    init_channels(p);
    init_state(p);
    init_machine(p);
    init_scopes(p);
    init_outputs(p);
    base_arena_seal(&p->arena);
    arc_host_program_reset(p);
    *program = p;
    return ARCD_OK;
}

void arc_host_program_free(struct arc_host_program *p)
{
    if (p == NULL)
        return;
    base_arena_fini(&p->arena);
    free(p);
}

void arc_host_program_preset(struct arc_host_program *p, uint32_t channel, union telem_value value)
{
    ARCD_ASSERT(!p->is_started && channel < p->image->n_channels);
    struct arc_host_chan *chan = &p->chans[channel];
    if (chan->type == TELEM_STR)
        return;
    union telem_value column;
    telem_store((enum telem_type)chan->type, &column, 0, value);
    chan->preset = chan->newest = arc_host_load(chan->type, &column, 0);
}

static void reset_channels(struct arc_host_program *p)
{
    for (uint32_t c = 0; c < p->image->n_channels; c++) {
        struct arc_host_chan *chan = &p->chans[c];
        chan->newest = chan->preset;
        chan->arrived = 0;
        chan->refs_made = 0;
        chan->first_source = ARC_NONE;
        if (chan->backlog != NULL) {
            chan->backlog->total = 0;
            chan->backlog->n_waiting = 0;
        }
    }
}

/* The clocks go on: stamps, written times and time.now never go back, also over a restart. */
void arc_host_program_reset(struct arc_host_program *p)
{
    const struct arc_image *image = p->image;
    arc_host_outputs_clear(p);
    reset_channels(p);
    for (uint32_t o = 0; o < image->n_outputs; o++)
        p->slots[o].fired = 0;
    for (uint32_t s = 0; s < image->n_scopes; s++) {
        p->scopes[s].is_active = false;
        p->scopes[s].is_carried = false;
    }
    p->n_carried = 0;
    p->first_always = ARC_NONE;
    memset(p->ready, 0, ARC_HOST_WORDS(image->n_members) * sizeof *p->ready);
    memset(p->moves, 0, ARC_HOST_WORDS(image->n_transitions) * sizeof *p->moves);
    p->has_moves = false;
    arc_host_timers_reset(&p->timers);
    for (uint32_t i = 0; i < image->n_nodes; i++) /* state, held inputs; scopes do it again */
        arc_host_reset_node(p, i);
    memset(p->status_names, 0, sizeof p->status_names);
    arc_host_heap_reset(&p->heap);
    p->machine.top = p->machine.stack;
    p->building.n = 0;
    p->elapsed_ns = 0;
    p->is_started = false;
    p->fault = (struct arc_host_fault){.kind = ARC_HOST_FAULT_NONE,
                                       .function = ARC_HOST_FAULT_NOWHERE,
                                       .node = ARC_HOST_FAULT_NOWHERE};
}

/* ---- Looking at it */

const struct arc_image *arc_host_program_image(const struct arc_host_program *p)
{
    return p->image;
}

const struct arc_host_options *arc_host_program_options(const struct arc_host_program *p)
{
    return &p->options;
}

ARCD_RT const struct arc_host_outputs *arc_host_program_outputs(const struct arc_host_program *p)
{
    return &p->outputs;
}

const struct arc_host_fault *arc_host_program_fault(const struct arc_host_program *p)
{
    return &p->fault;
}
