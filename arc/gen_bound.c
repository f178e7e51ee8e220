/* What follows from the finished code of all functions: how deep a run's stack may grow, and where
 * the state of the functions that it reaches lies. Calls are read from the code itself, so that
 * inlined ones do not count. */
#include "arc/gen_priv.h"

static struct arc_gen_digraph code_graph(struct arc_gen *gen)
{
    const struct arc_image *image = gen->image;
    uint32_t *first = base_arena_array(gen->scratch, uint32_t, image->n_funcs + 1);
    uint32_t *targets = base_arena_new(gen->scratch, uint32_t); /* there may be none */
    uint32_t n_targets = 0;
    for (uint32_t i = 0; i < image->n_funcs; i++) {
        const struct arc_image_body *body = &image->funcs[i].body;
        first[i] = n_targets;
        for (uint32_t k = 0; k < body->code.n; k++) {
            const struct arc_insn *insn = &image->code[body->code.first + k];
            if (insn->op == ARC_OP_CALL)
                *ARC_APPEND(gen->scratch, targets, n_targets) = (uint32_t)insn->imm;
        }
    }
    first[image->n_funcs] = n_targets;
    return (struct arc_gen_digraph){.n = image->n_funcs, .first = first, .targets = targets};
}

/* ---- Stack -------------------------------------------------------------------------------- */

/* No run needs more: all frames that may be nested, each as large as the largest. */
static uint32_t deepest(const struct arc_image *image)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < image->n_funcs; i++)
        if (image->funcs[i].body.n_regs > largest)
            largest = image->funcs[i].body.n_regs;
    return (ARC_MAX_CALL_DEPTH + 1u) * largest;
}

/* The callees' stacks are known, unless the function calls itself over them. */
static uint32_t stack_of(const struct arc_image *image, const struct arc_image_func *func,
                         uint32_t limit)
{
    uint32_t stack = func->body.n_regs;
    for (uint32_t i = 0; i < func->body.code.n; i++) {
        const struct arc_insn *insn = &image->code[func->body.code.first + i];
        if (insn->op != ARC_OP_CALL)
            continue;
        uint32_t callee = image->funcs[insn->imm].stack_regs;
        uint32_t need = callee == 0 ? limit : insn->a + callee;
        stack = need > stack ? need : stack;
    }
    return stack < limit ? stack : limit;
}

static void bound_stacks(struct arc_gen *gen, const struct arc_gen_digraph *graph)
{
    struct arc_image *image = gen->image;
    uint32_t *group = base_arena_array(gen->scratch, uint32_t, graph->n);
    uint32_t *order = base_arena_array(gen->scratch, uint32_t, graph->n);
    uint32_t n_groups = arc_gen_scc(gen->scratch, graph, group, order);
    uint32_t *size = base_arena_array(gen->scratch, uint32_t, n_groups);
    for (uint32_t i = 0; i < graph->n; i++)
        size[group[i]]++;
    uint32_t limit = deepest(image);
    for (uint32_t i = 0; i < graph->n; i++) {
        struct arc_image_func *func = &image->funcs[order[i]];
        func->stack_regs = size[group[order[i]]] > 1 ? limit : stack_of(image, func, limit);
        if (func->stack_regs > image->stack_regs)
            image->stack_regs = func->stack_regs;
    }
}

/* ---- State -------------------------------------------------------------------------------- */

struct reach {
    const struct arc_gen_digraph *graph;
    uint32_t *seen; /* the root that has seen this function last, + 1 */
    uint32_t *todo;
    uint32_t *stateful;
};

static void map_slot(struct arc_gen *gen, struct arc_image_func *root, uint32_t id)
{
    struct arc_image *image = gen->image;
    const struct arc_image_func *func = &image->funcs[id];
    if (root->state_map == ARC_NONE) {
        root->state_map = image->n_lists;
        for (uint32_t i = 0; i < gen->n_stateful; i++)
            *ARC_APPEND(gen->scratch, image->lists, image->n_lists) = ARC_NONE;
    }
    image->lists[root->state_map + func->state_id] = root->n_root_state;
    root->n_root_state += func->state.n;
}

static void place_state(struct arc_gen *gen, struct reach *reach, uint32_t root_id)
{
    struct arc_image_func *root = &gen->image->funcs[root_id];
    uint32_t n_todo = 0;
    reach->todo[n_todo++] = root_id;
    reach->seen[root_id] = root_id + 1;
    while (n_todo > 0) {
        uint32_t id = reach->todo[--n_todo];
        if (gen->image->funcs[id].state.n > 0)
            map_slot(gen, root, id);
        for (uint32_t i = reach->graph->first[id]; i < reach->graph->first[id + 1]; i++) {
            uint32_t target = reach->graph->targets[i];
            if (reach->seen[target] != root_id + 1) {
                reach->seen[target] = root_id + 1;
                reach->todo[n_todo++] = target;
            }
        }
    }
}

/* Only functions that a node runs are the root of a run. */
static bool *find_roots(struct arc_gen *gen)
{
    bool *is_root = base_arena_array(gen->scratch, bool, gen->image->n_funcs);
    for (uint32_t i = 0; i < gen->image->n_nodes; i++)
        if (gen->image->nodes[i].func != ARC_NONE)
            is_root[gen->image->nodes[i].func] = true;
    return is_root;
}

static void place_states(struct arc_gen *gen, const struct arc_gen_digraph *graph)
{
    struct reach reach = {.graph = graph};
    reach.seen = base_arena_array(gen->scratch, uint32_t, graph->n);
    reach.todo = base_arena_array(gen->scratch, uint32_t, graph->n);
    const bool *is_root = find_roots(gen);
    for (uint32_t i = 0; i < graph->n; i++) {
        if (!is_root[i])
            continue;
        place_state(gen, &reach, i);
        if (gen->image->n_lists > ARC_MAX_STATE) {
            arc_gen_limit(gen, gen->func_info[i].span, "the program keeps too much state");
            return;
        }
    }
}

static void place_node_states(struct arc_gen *gen)
{
    struct arc_image *image = gen->image;
    for (uint32_t i = 0; i < image->n_nodes; i++) {
        struct arc_image_node *node = &image->nodes[i];
        node->state.first = image->n_state;
        if (node->func == ARC_NONE)
            continue;
        node->state.n = image->funcs[node->func].n_root_state;
        image->n_state += node->state.n;
        if (image->n_state > ARC_MAX_STATE) {
            arc_gen_limit(gen, gen->func_info[node->func].span, "the program keeps too much state");
            return;
        }
    }
}

void arc_gen_bounds(struct arc_gen *gen)
{
    struct arc_image *image = gen->image;
    struct arc_gen_digraph graph = code_graph(gen);
    bound_stacks(gen, &graph);
    place_states(gen, &graph);
    place_node_states(gen);
    for (uint32_t i = 0; i < image->n_funcs; i++)
        if (image->funcs[i].batch.n_regs > image->batch_regs)
            image->batch_regs = image->funcs[i].batch.n_regs;
}
