/* Tarjan's algorithm with a stack of its own: a program may have a chain of calls, or of scopes
 * that start each other, as long as it likes. */
#include "arc/gen_priv.h"

struct visit {
    uint32_t vertex;
    uint32_t next; /* index into targets */
};

struct search {
    const struct arc_gen_digraph *graph;
    uint32_t *number; /* 1.. in order of discovery; 0: not seen */
    uint32_t *low;
    uint32_t n_numbered;
    struct visit *path;
    uint32_t n_path;
    uint32_t *stack; /* seen, and not yet in a group */
    uint32_t n_stack;
    uint32_t *group;
    uint32_t n_groups;
    uint32_t *order;
    uint32_t n_ordered;
};

static void discover(struct search *s, uint32_t vertex)
{
    s->number[vertex] = s->low[vertex] = ++s->n_numbered;
    s->stack[s->n_stack++] = vertex;
    s->path[s->n_path++] = (struct visit){.vertex = vertex, .next = s->graph->first[vertex]};
}

static void close_group(struct search *s, uint32_t root)
{
    uint32_t vertex;
    do {
        vertex = s->stack[--s->n_stack];
        s->group[vertex] = s->n_groups;
        s->order[s->n_ordered++] = vertex;
    } while (vertex != root);
    s->n_groups++;
}

static void leave(struct search *s, uint32_t vertex)
{
    if (s->low[vertex] == s->number[vertex])
        close_group(s, vertex);
    if (--s->n_path == 0)
        return;
    uint32_t parent = s->path[s->n_path - 1].vertex;
    if (s->low[vertex] < s->low[parent])
        s->low[parent] = s->low[vertex];
}

static void step(struct search *s)
{
    struct visit *at = &s->path[s->n_path - 1];
    if (at->next == s->graph->first[at->vertex + 1]) {
        leave(s, at->vertex);
        return;
    }
    uint32_t target = s->graph->targets[at->next++];
    if (s->number[target] == 0)
        discover(s, target);
    else if (s->group[target] == ARC_NONE && s->number[target] < s->low[at->vertex])
        s->low[at->vertex] = s->number[target];
}

uint32_t arc_gen_scc(struct base_arena *scratch, const struct arc_gen_digraph *graph,
                     uint32_t *group, uint32_t *order)
{
    uint32_t n = graph->n;
    struct search s = {.graph = graph, .group = group, .order = order};
    s.number = base_arena_array(scratch, uint32_t, n);
    s.low = base_arena_array(scratch, uint32_t, n);
    s.path = base_arena_array(scratch, struct visit, n);
    s.stack = base_arena_array(scratch, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        group[i] = ARC_NONE;
    for (uint32_t i = 0; i < n; i++) {
        if (s.number[i] == 0)
            discover(&s, i);
        while (s.n_path > 0)
            step(&s);
    }
    return s.n_groups;
}
