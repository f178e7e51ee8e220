/* Running order inside each parallel scope: a member runs after all members that feed or activate
 * it, else in the order of the text. Scopes may start each other in a circle (two sequences that
 * hand over to one another); in a circle what leads back to the one written first does not count.
 */
#include "arc/gen_priv.h"

#include <stdlib.h>

/* Nodes and scopes in one numbering: nodes first. */
struct thing {
    uint32_t id;
    uint32_t parent; /* scope */
    uint32_t stratum;
    uint32_t pos;
};

struct dep {
    uint32_t from, to; /* things, members of one scope */
};

struct strata {
    struct arc_gen *gen;
    uint32_t n_nodes;
    struct thing *things;
    uint32_t n_things;
    struct dep *deps;
    uint32_t n_deps;
    uint32_t *group; /* by scope */
};

static void append_dep(struct strata *s, uint32_t from, uint32_t to)
{
    if (from != to)
        *ARC_APPEND(s->gen->scratch, s->deps, s->n_deps) = (struct dep){.from = from, .to = to};
}

/* A node somewhere inside or beside starts `target`: the member next to it that holds the node. */
static void append_start(struct strata *s, uint32_t output, uint32_t target)
{
    const struct arc_image *image = s->gen->image;
    uint32_t common = image->scopes[target].parent;
    uint32_t member = image->outputs[output].node;
    uint32_t scope = image->nodes[member].scope;
    while (scope != common && scope != ARC_NONE) {
        member = s->n_nodes + scope;
        scope = image->scopes[scope].parent;
    }
    if (scope == common)
        append_dep(s, member, s->n_nodes + target);
}

static void collect_deps(struct strata *s)
{
    const struct arc_image *image = s->gen->image;
    for (uint32_t i = 0; i < image->n_edges; i++)
        append_dep(s, image->outputs[s->gen->edge_outputs[i]].node, image->edges[i].node);
    for (uint32_t i = 0; i < image->n_activations; i++)
        append_start(s, image->activations[i].output, image->activations[i].scope);
    for (uint32_t i = 0; i < s->gen->n_jumps; i++) {
        const struct arc_image_transition *t = &s->gen->jumps[i].transition;
        if (t->target_kind == ARC_TO_TOP)
            append_start(s, t->output, t->target);
    }
}

/* Adjacency lists of `n` vertices, of the dependencies that begin at `base` or above. */
static struct arc_gen_digraph make_graph(const struct strata *s, uint32_t base, uint32_t n)
{
    struct base_arena *scratch = s->gen->scratch;
    uint32_t *first = base_arena_array(scratch, uint32_t, n + 2);
    uint32_t *targets = base_arena_array(scratch, uint32_t, s->n_deps);
    for (uint32_t i = 0; i < s->n_deps; i++)
        if (s->deps[i].from >= base)
            first[s->deps[i].from - base + 2]++;
    for (uint32_t i = 2; i < n + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < s->n_deps; i++)
        if (s->deps[i].from >= base)
            targets[first[s->deps[i].from - base + 1]++] = s->deps[i].to - base;
    return (struct arc_gen_digraph){.n = n, .first = first, .targets = targets};
}

/* Only scopes lead to scopes back again: a node feeds what is written behind it. */
static void drop_circles(struct strata *s)
{
    uint32_t n = s->gen->image->n_scopes;
    struct arc_gen_digraph graph = make_graph(s, s->n_nodes, n);
    uint32_t *group = base_arena_array(s->gen->scratch, uint32_t, n);
    uint32_t *order = base_arena_array(s->gen->scratch, uint32_t, n);
    arc_gen_scc(s->gen->scratch, &graph, group, order);
    uint32_t n_kept = 0;
    for (uint32_t i = 0; i < s->n_deps; i++) {
        struct dep dep = s->deps[i];
        bool is_back = dep.from >= s->n_nodes && dep.to < dep.from &&
                       group[dep.from - s->n_nodes] == group[dep.to - s->n_nodes];
        if (!is_back)
            s->deps[n_kept++] = dep;
    }
    s->n_deps = n_kept;
}

/* The longest way to each thing, from those that nothing leads to. */
static void set_strata(struct strata *s)
{
    struct arc_gen_digraph graph = make_graph(s, 0, s->n_things);
    uint32_t *n_open = base_arena_array(s->gen->scratch, uint32_t, s->n_things);
    uint32_t *queue = base_arena_array(s->gen->scratch, uint32_t, s->n_things);
    uint32_t n_queued = 0;
    for (uint32_t i = 0; i < s->n_deps; i++)
        n_open[s->deps[i].to]++;
    for (uint32_t i = 0; i < s->n_things; i++)
        if (n_open[i] == 0)
            queue[n_queued++] = i;
    for (uint32_t i = 0; i < n_queued; i++) {
        uint32_t from = queue[i];
        for (uint32_t k = graph.first[from]; k < graph.first[from + 1]; k++) {
            struct thing *to = &s->things[graph.targets[k]];
            if (to->stratum <= s->things[from].stratum)
                to->stratum = s->things[from].stratum + 1;
            if (--n_open[graph.targets[k]] == 0)
                queue[n_queued++] = graph.targets[k];
        }
    }
    ARCD_ASSERT(n_queued == s->n_things);
}

static int compare(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare_things(const void *a, const void *b)
{
    const struct thing *x = a;
    const struct thing *y = b;
    int order = compare(x->parent, y->parent);
    if (order == 0)
        order = compare(x->stratum, y->stratum);
    if (order == 0)
        order = compare(x->pos, y->pos);
    return order != 0 ? order : compare(x->id, y->id);
}

static void collect_things(struct strata *s)
{
    const struct arc_image *image = s->gen->image;
    s->n_nodes = image->n_nodes;
    s->n_things = image->n_nodes + image->n_scopes;
    s->things = base_arena_array(s->gen->scratch, struct thing, s->n_things);
    for (uint32_t i = 0; i < image->n_nodes; i++)
        s->things[i] =
            (struct thing){.id = i, .parent = image->nodes[i].scope, .pos = s->gen->node_pos[i]};
    for (uint32_t i = 0; i < image->n_scopes; i++)
        s->things[s->n_nodes + i] = (struct thing){
            .id = s->n_nodes + i, .parent = image->scopes[i].parent, .pos = s->gen->scope_pos[i]};
}

static void place_thing(struct strata *s, const struct thing *thing)
{
    struct arc_image *image = s->gen->image;
    uint32_t at = image->n_members;
    bool is_node = thing->id < s->n_nodes;
    uint32_t id = is_node ? thing->id : thing->id - s->n_nodes;
    *ARC_APPEND(s->gen->scratch, image->members, image->n_members) = (struct arc_image_member){
        .kind = is_node ? ARC_MEMBER_NODE : ARC_MEMBER_SCOPE, .id = id & 0x7fffffffu};
    struct arc_image_range *members = &image->scopes[thing->parent].members;
    if (members->n++ == 0)
        members->first = at;
    if (is_node) {
        image->nodes[id].member = at;
        image->nodes[id].stratum = thing->stratum;
    } else {
        image->scopes[id].member = at;
        image->scopes[id].stratum = thing->stratum;
    }
}

void arc_gen_members(struct arc_gen *gen)
{
    struct strata s = {.gen = gen};
    collect_things(&s);
    collect_deps(&s);
    drop_circles(&s);
    set_strata(&s);
    qsort(s.things, s.n_things, sizeof *s.things, compare_things);
    for (uint32_t i = 0; i < s.n_things; i++)
        if (s.things[i].parent != ARC_NONE) /* the root is nobody's member */
            place_thing(&s, &s.things[i]);
}
