/* Turns what the flows have left into what a host follows: edges and activations by output,
 * transitions by owner and in the order of the text, and lists for each scope, channel and output.
 */
#include "arc/gen_priv.h"

#include <stdlib.h>

/* ---- Transitions -------------------------------------------------------------------------- */

static void append_activation(struct arc_gen *gen, const struct arc_gen_jump *jump)
{
    struct arc_image *image = gen->image;
    *ARC_APPEND(gen->scratch, image->activations, image->n_activations) =
        (struct arc_image_activation){
            .output = jump->transition.output,
            .scope = gen->scope_ids[jump->text->scope->index],
            .conditional = jump->text->is_conditional,
        };
}

/* What a flow of the root starts, or a sequence that is a member of a stage, starts at once. All
 * else waits in the list of its owner. */
static void resolve_jumps(struct arc_gen *gen)
{
    uint32_t n_kept = 0;
    for (uint32_t i = 0; i < gen->n_jumps; i++) {
        struct arc_gen_jump jump = gen->jumps[i];
        const struct arc_transition *text = jump.text;
        if (text != NULL && (text->kind == ARC_TARGET_MEMBER || text->owner == NULL)) {
            append_activation(gen, &jump);
            continue;
        }
        if (text != NULL) {
            bool is_item = text->kind == ARC_TARGET_ITEM;
            jump.transition.owner = gen->scope_ids[text->owner->index];
            jump.transition.target_kind = is_item ? ARC_TO_ITEM : ARC_TO_TOP;
            jump.transition.target = is_item ? text->item : gen->scope_ids[text->scope->index];
        }
        gen->jumps[n_kept++] = jump;
    }
    gen->n_jumps = n_kept;
}

static int compare(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare_jumps(const void *a, const void *b)
{
    const struct arc_gen_jump *x = a;
    const struct arc_gen_jump *y = b;
    int order = compare(x->transition.owner, y->transition.owner);
    if (order == 0)
        order = compare(x->pos, y->pos);
    return order != 0 ? order : compare(x->transition.output, y->transition.output);
}

static void place_transitions(struct arc_gen *gen)
{
    struct arc_image *image = gen->image;
    if (gen->n_jumps > 0)
        qsort(gen->jumps, gen->n_jumps, sizeof *gen->jumps, compare_jumps);
    image->transitions = base_arena_array(gen->scratch, struct arc_image_transition, gen->n_jumps);
    for (uint32_t i = 0; i < gen->n_jumps; i++) {
        image->transitions[i] = gen->jumps[i].transition;
        struct arc_image_range *list = &image->scopes[image->transitions[i].owner].transitions;
        if (list->n++ == 0)
            list->first = i;
    }
    image->n_transitions = gen->n_jumps;
}

/* ---- Edges and activations ---------------------------------------------------------------- */

struct keyed_edge {
    uint32_t output, index;
    struct arc_image_edge edge;
};

static int compare_edges(const void *a, const void *b)
{
    const struct keyed_edge *x = a;
    const struct keyed_edge *y = b;
    int order = compare(x->output, y->output);
    return order != 0 ? order : compare(x->index, y->index);
}

static void place_edges(struct arc_gen *gen)
{
    struct arc_image *image = gen->image;
    struct keyed_edge *keyed = base_arena_array(gen->scratch, struct keyed_edge, image->n_edges);
    for (uint32_t i = 0; i < image->n_edges; i++)
        keyed[i] = (struct keyed_edge){
            .output = gen->edge_outputs[i], .index = i, .edge = image->edges[i]};
    if (image->n_edges > 0)
        qsort(keyed, image->n_edges, sizeof *keyed, compare_edges);
    for (uint32_t i = 0; i < image->n_edges; i++) {
        image->edges[i] = keyed[i].edge;
        struct arc_image_range *list = &image->outputs[keyed[i].output].edges;
        if (list->n++ == 0)
            list->first = i;
    }
}

static int compare_activations(const void *a, const void *b)
{
    const struct arc_image_activation *x = a;
    const struct arc_image_activation *y = b;
    int order = compare(x->output, y->output);
    return order != 0 ? order : compare(x->scope, y->scope);
}

static void place_activations(struct arc_gen *gen)
{
    struct arc_image *image = gen->image;
    if (image->n_activations > 0)
        qsort(image->activations, image->n_activations, sizeof *image->activations,
              compare_activations);
    for (uint32_t i = 0; i < image->n_activations; i++) {
        struct arc_image_range *list = &image->outputs[image->activations[i].output].activations;
        if (list->n++ == 0)
            list->first = i;
    }
}

/* ---- Lists -------------------------------------------------------------------------------- */

static void list_begin(const struct arc_image *image, struct arc_image_range *list)
{
    list->first = image->n_lists;
}

static void list_add(struct arc_gen *gen, struct arc_image_range *list, uint32_t value)
{
    *ARC_APPEND(gen->scratch, gen->image->lists, gen->image->n_lists) = value;
    list->n++;
}

static void list_nodes(struct arc_gen *gen, const struct arc_image_scope *scope,
                       enum arc_image_node_run run, struct arc_image_range *list)
{
    const struct arc_image *image = gen->image;
    list_begin(image, list);
    for (uint32_t i = 0; i < scope->members.n; i++) {
        struct arc_image_member member = image->members[scope->members.first + i];
        if (member.kind == ARC_MEMBER_NODE && image->nodes[member.id].run == run)
            list_add(gen, list, member.id);
    }
}

static void list_starts(struct arc_gen *gen, struct arc_image_scope *scope)
{
    const struct arc_image *image = gen->image;
    list_begin(image, &scope->starts);
    for (uint32_t i = 0; i < scope->members.n; i++) {
        struct arc_image_member member = image->members[scope->members.first + i];
        if (member.kind == ARC_MEMBER_SCOPE && image->scopes[member.id].auto_start)
            list_add(gen, &scope->starts, member.id);
    }
}

static void list_scope(struct arc_gen *gen, struct arc_image_scope *scope)
{
    if (scope->sequential)
        return;
    list_nodes(gen, scope, ARC_RUN_ALWAYS, &scope->always);
    list_nodes(gen, scope, ARC_RUN_ONCE, &scope->once);
    list_nodes(gen, scope, ARC_RUN_DATA, &scope->sources);
    list_starts(gen, scope);
}

struct keyed {
    uint32_t key, value;
};

static int compare_keyed(const void *a, const void *b)
{
    const struct keyed *x = a;
    const struct keyed *y = b;
    int order = compare(x->key, y->key);
    return order != 0 ? order : compare(x->value, y->value);
}

static void list_channel_sources(struct arc_gen *gen)
{
    struct arc_image *image = gen->image;
    struct keyed *sources = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < image->n_nodes; i++)
        if (image->nodes[i].kind == ARC_IMAGE_NODE_SOURCE)
            *ARC_APPEND(gen->scratch, sources, n) =
                (struct keyed){.key = image->nodes[i].channel, .value = i};
    if (n > 0)
        qsort(sources, n, sizeof *sources, compare_keyed);
    for (uint32_t i = 0; i < n; i++) {
        struct arc_image_channel *channel = &image->channels[sources[i].key];
        if (channel->sources.n == 0)
            list_begin(image, &channel->sources);
        channel->source = true;
        list_add(gen, &channel->sources, sources[i].value);
    }
}

static void list_output_transitions(struct arc_gen *gen)
{
    struct arc_image *image = gen->image;
    struct keyed *waiting = base_arena_array(gen->scratch, struct keyed, image->n_transitions);
    for (uint32_t i = 0; i < image->n_transitions; i++)
        waiting[i] = (struct keyed){.key = image->transitions[i].output, .value = i};
    if (image->n_transitions > 0)
        qsort(waiting, image->n_transitions, sizeof *waiting, compare_keyed);
    for (uint32_t i = 0; i < image->n_transitions; i++) {
        struct arc_image_range *list = &image->outputs[waiting[i].key].transitions;
        if (list->n == 0)
            list_begin(image, list);
        list_add(gen, list, waiting[i].value);
    }
}

void arc_gen_graph(struct arc_gen *gen)
{
    struct arc_image *image = gen->image;
    resolve_jumps(gen);
    arc_gen_members(gen);
    place_transitions(gen);
    place_edges(gen);
    place_activations(gen);
    for (uint32_t i = 0; i < image->n_scopes; i++)
        list_scope(gen, &image->scopes[i]);
    list_channel_sources(gen);
    list_output_transitions(gen);
    for (uint32_t i = 0; i < image->n_nodes; i++)
        image->n_timers += image->nodes[i].kind == ARC_IMAGE_NODE_INTERVAL ||
                           image->nodes[i].kind == ARC_IMAGE_NODE_WAIT;
}
