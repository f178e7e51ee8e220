/* Who calls whom, and which channels that reads and writes.
 *
 * While bodies are checked, each function collects the channels it names itself and marks its chan
 * parameters. Then, in time linear in the program:
 *   1. marks go from parameters to the parameters that callers hand on;
 *   2. a channel handed to a marked parameter goes into the caller's own set;
 *   3. functions that call each other in a circle share one set, callees before callers.
 */
#include "arc/check_priv.h"

/* ---- Sets --------------------------------------------------------------------------------- */

static void set_room(struct checker *c, struct arc_chan_set *set, uint32_t n_words)
{
    if (n_words <= set->n_words)
        return;
    uint32_t room = set->n_words * 2 > n_words ? set->n_words * 2 : n_words;
    uint64_t *words = base_arena_array(c->arena, uint64_t, room);
    if (set->n_words > 0)
        memcpy(words, set->words, set->n_words * sizeof *words);
    set->words = words;
    set->n_words = room;
}

void check_chan_set_add(struct checker *c, struct arc_chan_set *set, uint32_t index)
{
    set_room(c, set, index / 64 + 1);
    set->words[index / 64] |= (uint64_t)1 << (index % 64);
}

static void set_add_all(struct checker *c, struct arc_chan_set *set,
                        const struct arc_chan_set *other)
{
    set_room(c, set, other->n_words);
    for (uint32_t i = 0; i < other->n_words; i++)
        set->words[i] |= other->words[i];
}

/* ---- Call sites by callee ----------------------------------------------------------------- */

static uint32_t callee_index(const struct checker *c, size_t site)
{
    return c->calls[site].call->u.call.func->index;
}

struct call_index check_call_index(struct checker *c)
{
    size_t n = c->program->n_funcs;
    struct call_index index = {.first = base_arena_array(c->arena, uint32_t, n + 2),
                               .sites = base_arena_array(c->arena, uint32_t, c->n_calls)};
    for (size_t i = 0; i < c->n_calls; i++)
        index.first[callee_index(c, i) + 2]++;
    for (size_t i = 2; i < n + 2; i++)
        index.first[i] += index.first[i - 1];
    for (size_t i = 0; i < c->n_calls; i++)
        index.sites[index.first[callee_index(c, i) + 1]++] = (uint32_t)i;
    return index;
}

static void find_callees(struct checker *c)
{
    uint32_t *last_caller = base_arena_array(c->arena, uint32_t, c->program->n_funcs);
    for (size_t i = 0; i < c->n_calls; i++) {
        struct arc_func *caller = c->calls[i].caller;
        struct arc_func *callee = c->calls[i].call->u.call.func;
        /* The calls of one function stand together. */
        if (last_caller[callee->index] == caller->index + 1)
            continue;
        last_caller[callee->index] = caller->index + 1;
        *ARC_APPEND(c->arena, caller->callees, caller->n_callees) = callee;
    }
}

/* ---- 1: chan parameters ------------------------------------------------------------------- */

/* An input whose marks are to be handed on. */
struct marked {
    struct arc_func *func;
    size_t input;
};

struct mark_list {
    struct marked *list;
    size_t n;
};

static void push_if_new(struct checker *c, struct mark_list *todo, struct arc_func *func,
                        struct arc_var *param, bool is_read, bool is_written)
{
    bool is_new = (is_read && !param->chan_is_read) || (is_written && !param->chan_is_written);
    param->chan_is_read |= is_read;
    param->chan_is_written |= is_written;
    if (is_new && param->kind == ARC_VAR_INPUT)
        *ARC_APPEND(c->arena, todo->list, todo->n) = (struct marked){func, param->kind_index};
}

static void mark_params(struct checker *c)
{
    struct call_index index = check_call_index(c);
    struct mark_list todo = {0};
    for (size_t i = 0; i < c->program->n_funcs; i++) {
        struct arc_func *func = c->program->funcs[i];
        for (size_t j = 0; j < func->n_inputs; j++) {
            if (func->inputs[j]->chan_is_read || func->inputs[j]->chan_is_written)
                *ARC_APPEND(c->arena, todo.list, todo.n) = (struct marked){func, j};
        }
    }
    for (size_t at = 0; at < todo.n; at++) {
        struct marked marked = todo.list[at];
        const struct arc_var *param = marked.func->inputs[marked.input];
        uint32_t callee = marked.func->index;
        for (uint32_t i = index.first[callee]; i < index.first[callee + 1]; i++) {
            struct call_site site = c->calls[index.sites[i]];
            const struct arc_expr *arg = site.call->u.call.args[marked.input];
            if (arg->kind == ARC_EXPR_CHAN && arg->u.chan.param != NULL)
                push_if_new(c, &todo, site.caller, arg->u.chan.param, param->chan_is_read,
                            param->chan_is_written);
        }
    }
}

/* ---- 2: channels that are handed on ------------------------------------------------------- */

static void add_passed_channels(struct checker *c)
{
    for (size_t i = 0; i < c->n_calls; i++) {
        struct arc_func *caller = c->calls[i].caller;
        const struct arc_expr *call = c->calls[i].call;
        for (size_t j = 0; j < call->u.call.n_args; j++) {
            const struct arc_expr *arg = call->u.call.args[j];
            if (arg->kind != ARC_EXPR_CHAN || arg->u.chan.channel == NULL)
                continue;
            if (call->u.call.func->inputs[j]->chan_is_read)
                check_chan_set_add(c, &caller->reads, arg->u.chan.channel->index);
            if (!call->u.call.func->inputs[j]->chan_is_written)
                continue;
            check_writable(c, arg->u.chan.channel, arg->span);
            check_chan_set_add(c, &caller->writes, arg->u.chan.channel->index);
        }
    }
}

/* ---- 3: circles, by Tarjan's algorithm without recursion ---------------------------------- */

struct circles {
    struct checker *c;
    uint32_t *order; /* per function: when it was entered, from 1; 0: not yet */
    uint32_t *low;
    bool *is_open; /* entered, its circle not complete */
    size_t *next;  /* the callee to look at next */
    uint32_t *path;
    size_t n_path;
    uint32_t *open;
    size_t n_open;
    uint32_t n_entered;
};

static void enter(struct circles *s, uint32_t func)
{
    s->order[func] = s->low[func] = ++s->n_entered;
    s->is_open[func] = true;
    s->open[s->n_open++] = func;
    s->path[s->n_path++] = func;
}

/* The members of a circle are the open functions down to `first`. */
static void close_circle(struct circles *s, uint32_t first)
{
    struct arc_func **funcs = s->c->program->funcs;
    struct arc_chan_set reads = {0};
    struct arc_chan_set writes = {0};
    size_t start = s->n_open;
    do {
        struct arc_func *func = funcs[s->open[--start]];
        set_add_all(s->c, &reads, &func->reads);
        set_add_all(s->c, &writes, &func->writes);
        for (size_t i = 0; i < func->n_callees; i++) {
            set_add_all(s->c, &reads, &func->callees[i]->reads);
            set_add_all(s->c, &writes, &func->callees[i]->writes);
        }
    } while (s->open[start] != first);
    for (size_t i = start; i < s->n_open; i++) {
        funcs[s->open[i]]->reads = reads;
        funcs[s->open[i]]->writes = writes;
        s->is_open[s->open[i]] = false;
    }
    s->n_open = start;
}

static void lower(uint32_t *low, uint32_t value)
{
    if (value < *low)
        *low = value;
}

static void leave(struct circles *s, uint32_t func)
{
    s->n_path--;
    if (s->low[func] == s->order[func])
        close_circle(s, func);
    else
        lower(&s->low[s->path[s->n_path - 1]], s->low[func]);
}

static void walk_calls(struct circles *s, uint32_t root)
{
    enter(s, root);
    while (s->n_path > 0) {
        uint32_t at = s->path[s->n_path - 1];
        const struct arc_func *func = s->c->program->funcs[at];
        if (s->next[at] == func->n_callees) {
            leave(s, at);
            continue;
        }
        uint32_t callee = func->callees[s->next[at]++]->index;
        if (s->order[callee] == 0)
            enter(s, callee);
        else if (s->is_open[callee])
            lower(&s->low[at], s->order[callee]);
    }
}

void check_close_channel_sets(struct checker *c)
{
    size_t n = c->program->n_funcs;
    find_callees(c);
    mark_params(c);
    add_passed_channels(c);
    struct circles s = {.c = c,
                        .order = base_arena_array(c->arena, uint32_t, n),
                        .low = base_arena_array(c->arena, uint32_t, n),
                        .is_open = base_arena_array(c->arena, bool, n),
                        .next = base_arena_array(c->arena, size_t, n),
                        .path = base_arena_array(c->arena, uint32_t, n),
                        .open = base_arena_array(c->arena, uint32_t, n)};
    for (size_t i = 0; i < n; i++) {
        if (s.order[i] == 0)
            walk_calls(&s, (uint32_t)i);
    }
}

/* ---- Reads of an expression --------------------------------------------------------------- */

struct read_walk {
    struct checker *c;
    void (*fn)(void *ctx, struct arc_channel *channel);
    void *ctx;
    bool marks_calls; /* also marks what is called, and the channels that it writes */
};

static void mark_function(struct checker *c, struct arc_func *func);

static void see(const struct read_walk *walk, struct arc_channel *channel)
{
    struct checker *c = walk->c;
    if (channel->index >= c->n_seen) {
        size_t n = c->program->n_channels + 64;
        uint32_t *seen = base_arena_array(c->arena, uint32_t, n);
        if (c->n_seen > 0)
            memcpy(seen, c->seen, c->n_seen * sizeof *seen);
        c->seen = seen;
        c->n_seen = n;
    }
    if (c->seen[channel->index] == c->stamp)
        return;
    c->seen[channel->index] = c->stamp;
    walk->fn(walk->ctx, channel);
}

static void see_set(const struct read_walk *walk, const struct arc_chan_set *set)
{
    for (uint32_t i = 0; i < set->n_words; i++) {
        for (uint64_t word = set->words[i]; word != 0; word &= word - 1)
            see(walk, walk->c->program->channels[i * 64 + (uint32_t)__builtin_ctzll(word)]);
    }
}

static void walk_reads(const struct read_walk *walk, const struct arc_expr *expr);

static void walk_list(const struct read_walk *walk, struct arc_expr *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        walk_reads(walk, list[i]);
}

static void walk_chan_arg(const struct read_walk *walk, struct arc_channel *channel,
                          const struct arc_var *param)
{
    if (param->chan_is_read)
        see(walk, channel);
    if (walk->marks_calls && param->chan_is_written)
        channel->is_written = true;
}

static void walk_call(const struct read_walk *walk, const struct arc_expr *expr)
{
    const struct arc_func *func = expr->u.call.func;
    if (func == NULL)
        return;
    for (size_t i = 0; i < expr->u.call.n_args; i++) {
        const struct arc_expr *arg = expr->u.call.args[i];
        if (arg->kind != ARC_EXPR_CHAN)
            walk_reads(walk, arg);
        else if (arg->u.chan.channel != NULL)
            walk_chan_arg(walk, arg->u.chan.channel, func->inputs[i]);
    }
    see_set(walk, &func->reads);
    if (walk->marks_calls)
        mark_function(walk->c, expr->u.call.func);
}

static void walk_reads(const struct read_walk *walk, const struct arc_expr *expr)
{
    if (expr == NULL)
        return;
    switch (expr->kind) {
    case ARC_EXPR_READ: see(walk, expr->u.chan.channel); break;
    case ARC_EXPR_NEG:
    case ARC_EXPR_NOT:
    case ARC_EXPR_CAST:
    case ARC_EXPR_STR: walk_reads(walk, expr->u.unary.operand); break;
    case ARC_EXPR_BINARY:
    case ARC_EXPR_AND:
    case ARC_EXPR_OR:
        walk_reads(walk, expr->u.binary.left);
        walk_reads(walk, expr->u.binary.right);
        break;
    case ARC_EXPR_CALL: walk_call(walk, expr); break;
    case ARC_EXPR_LIB_CALL: walk_list(walk, expr->u.lib_call.args, expr->u.lib_call.n_args); break;
    case ARC_EXPR_INDEX:
        walk_reads(walk, expr->u.index.base);
        walk_reads(walk, expr->u.index.index);
        break;
    case ARC_EXPR_SLICE:
        walk_reads(walk, expr->u.slice.base);
        walk_reads(walk, expr->u.slice.from);
        walk_reads(walk, expr->u.slice.to);
        break;
    case ARC_EXPR_SERIES: walk_list(walk, expr->u.series.elems, expr->u.series.n_elems); break;
    case ARC_EXPR_FORMAT:
        for (size_t i = 0; i < expr->u.format.n_parts; i++)
            walk_reads(walk, expr->u.format.parts[i].expr);
        break;
    default: break;
    }
}

void check_each_read(struct checker *c, const struct arc_expr *expr,
                     void (*fn)(void *ctx, struct arc_channel *channel), void *ctx)
{
    c->stamp++;
    walk_reads(&(struct read_walk){.c = c, .fn = fn, .ctx = ctx}, expr);
}

/* ---- What runs ---------------------------------------------------------------------------- */

static void mark_set(struct checker *c, const struct arc_chan_set *set, bool is_write)
{
    for (uint32_t i = 0; i < set->n_words; i++) {
        for (uint64_t word = set->words[i]; word != 0; word &= word - 1) {
            struct arc_channel *channel =
                c->program->channels[i * 64 + (uint32_t)__builtin_ctzll(word)];
            channel->is_read |= !is_write;
            channel->is_written |= is_write;
        }
    }
}

/* The sets of a function contain those of what it calls; the marks of callees are set one level at
 * a time. */
static void mark_function(struct checker *c, struct arc_func *func)
{
    struct arc_func **todo = NULL;
    size_t n = 0;
    if (func->is_used)
        return;
    func->is_used = true;
    mark_set(c, &func->reads, false);
    mark_set(c, &func->writes, true);
    *ARC_APPEND(c->arena, todo, n) = func;
    for (size_t at = 0; at < n; at++) {
        for (size_t i = 0; i < todo[at]->n_callees; i++) {
            struct arc_func *callee = todo[at]->callees[i];
            if (callee->is_used)
                continue;
            callee->is_used = true;
            *ARC_APPEND(c->arena, todo, n) = callee;
        }
    }
}

static void mark_read(void *ctx, struct arc_channel *channel)
{
    (void)ctx;
    channel->is_read = true;
}

static void mark_config(const struct arc_node *node)
{
    for (size_t i = 0; i < node->n_config; i++) {
        struct arc_channel *channel = node->config[i].channel;
        if (channel == NULL)
            continue;
        if (node->kind == ARC_NODE_LIB) {
            channel->is_written = channel->has_authority = true; /* control.set_authority */
            continue;
        }
        channel->is_read |= node->func->config[i]->chan_is_read;
        channel->is_written |= node->func->config[i]->chan_is_written;
    }
}

void check_mark_node(struct checker *c, const struct arc_node *node)
{
    switch (node->kind) {
    case ARC_NODE_SOURCE: node->channel->is_read = true; break;
    case ARC_NODE_SINK: node->channel->is_written = true; break;
    case ARC_NODE_EXPR:
        c->stamp++;
        walk_reads(&(struct read_walk){.c = c, .fn = mark_read, .marks_calls = true}, node->expr);
        break;
    case ARC_NODE_FUNC: mark_function(c, node->func); break;
    default: break;
    }
    mark_config(node);
}
