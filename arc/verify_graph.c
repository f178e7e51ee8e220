/* The graph: every index and every link back, running order, and that each list holds exactly what
 * it is a list of. */
#include "arc/verify_priv.h"

#include <string.h>

static bool bad(struct arc_verify *v, const char *object, uint32_t id, const char *what)
{
    return arc_verify_bad(v, "%s %u: %s", object, id, what);
}

/* ---- Edges, activations, transitions ------------------------------------------------------ */

static bool check_edge(struct arc_verify *v, const struct arc_image_output *from, uint32_t output,
                       const struct arc_image_edge *edge)
{
    const struct arc_image *image = v->image;
    if (edge->node >= image->n_nodes)
        return bad(v, "output", output, "an edge leads nowhere");
    const struct arc_image_node *a = &image->nodes[from->node];
    const struct arc_image_node *b = &image->nodes[edge->node];
    if (a->scope != b->scope || a->member >= b->member)
        return bad(v, "output", output, "an edge leads backward or out of its scope");
    if (b->run != ARC_RUN_TRIGGERED)
        return bad(v, "node", edge->node, "has an edge, but is not triggered");
    if (edge->input == ARC_NONE)
        return true;
    if (edge->input >= image->n_inputs || image->inputs[edge->input].node != edge->node ||
        image->inputs[edge->input].source != output)
        return bad(v, "output", output, "an edge leads to another input than it says");
    return image->inputs[edge->input].type == from->type ||
           bad(v, "output", output, "an edge carries another type than its input takes");
}

static bool check_output(struct arc_verify *v, uint32_t id)
{
    const struct arc_image *image = v->image;
    const struct arc_image_output *out = &image->outputs[id];
    if (!arc_verify_is_sample(out->type) || out->name == NULL || out->node >= image->n_nodes)
        return bad(v, "output", id, "has no type, name or node");
    if (!arc_verify_in(out->edges, image->n_edges) ||
        !arc_verify_in(out->activations, image->n_activations) ||
        !arc_verify_in(out->transitions, image->n_lists))
        return bad(v, "output", id, "a list is not there");
    for (uint32_t i = 0; i < out->edges.n; i++)
        if (!check_edge(v, out, id, &image->edges[out->edges.first + i]))
            return false;
    for (uint32_t i = 0; i < out->activations.n; i++) {
        const struct arc_image_activation *a = &image->activations[out->activations.first + i];
        if (a->output != id || a->scope == 0 || a->scope >= image->n_scopes ||
            image->scopes[image->scopes[a->scope].parent].sequential)
            return bad(v, "output", id, "an activation is wrong");
    }
    for (uint32_t i = 0; i < out->transitions.n; i++) {
        uint32_t t = image->lists[out->transitions.first + i];
        if (t >= image->n_transitions || image->transitions[t].output != id ||
            (i > 0 && t <= image->lists[out->transitions.first + i - 1]))
            return bad(v, "output", id, "a transition is wrong");
    }
    return true;
}

static bool check_outputs(struct arc_verify *v)
{
    const struct arc_image *image = v->image;
    uint64_t n_edges = 0;
    uint64_t n_activations = 0;
    uint64_t n_transitions = 0;
    for (uint32_t i = 0; i < image->n_outputs; i++) {
        if (!check_output(v, i))
            return false;
        n_edges += image->outputs[i].edges.n;
        n_activations += image->outputs[i].activations.n;
        n_transitions += image->outputs[i].transitions.n;
    }
    if (n_edges != image->n_edges || n_activations != image->n_activations ||
        n_transitions != image->n_transitions)
        return arc_verify_bad(v, "an edge, activation or transition is in no list");
    return true;
}

/* Is `scope` inside of `outer`, or the same? */
static bool lies_in(const struct arc_image *image, uint32_t scope, uint32_t outer)
{
    while (scope != ARC_NONE && scope != outer)
        scope = image->scopes[scope].parent;
    return scope == outer;
}

static bool check_transition(struct arc_verify *v, uint32_t owner, uint32_t id)
{
    const struct arc_image *image = v->image;
    const struct arc_image_transition *t = &image->transitions[id];
    if (t->owner != owner || t->output >= image->n_outputs)
        return bad(v, "transition", id, "has another owner or no source");
    uint32_t scope = image->nodes[image->outputs[t->output].node].scope;
    if (!lies_in(image, scope, owner))
        return bad(v, "transition", id, "its source lies outside of its owner");
    switch (t->target_kind) {
    case ARC_TO_ITEM:
        return t->target < image->scopes[owner].members.n ||
               bad(v, "transition", id, "no such item");
    case ARC_TO_TOP:
        return (t->target < image->n_scopes && image->scopes[t->target].parent == 0) ||
               bad(v, "transition", id, "its target is no scope of the root");
    case ARC_TO_END: return true;
    default: return bad(v, "transition", id, "has no target");
    }
}

/* ---- Scopes ------------------------------------------------------------------------------- */

static bool check_place(struct arc_verify *v, uint32_t id)
{
    const struct arc_image *image = v->image;
    const struct arc_image_scope *scope = &image->scopes[id];
    if (scope->name == NULL || !arc_verify_in(scope->members, image->n_members) ||
        !arc_verify_in(scope->transitions, image->n_transitions))
        return bad(v, "scope", id, "a list is not there");
    if (id == 0)
        return (scope->parent == ARC_NONE && scope->owner == ARC_NONE && !scope->sequential &&
                scope->depth == 0 && scope->top == ARC_NONE && scope->member == ARC_NONE) ||
               bad(v, "scope", id, "is no root");
    if (scope->parent >= id || scope->member >= image->n_members)
        return bad(v, "scope", id, "has no parent");
    const struct arc_image_scope *parent = &image->scopes[scope->parent];
    struct arc_image_member member = image->members[scope->member];
    if (scope->member - parent->members.first >= parent->members.n ||
        member.kind != ARC_MEMBER_SCOPE || member.id != id)
        return bad(v, "scope", id, "is not where its parent has it");
    if (scope->depth != parent->depth + 1 || scope->depth > ARC_MAX_SCOPE_DEPTH ||
        scope->owner != (scope->sequential ? id : parent->owner) ||
        scope->top != (scope->parent == 0 ? id : parent->top))
        return bad(v, "scope", id, "says wrongly where it lies");
    if (!scope->sequential && scope->parent == 0)
        return bad(v, "scope", id, "is parallel, but in no sequence");
    return (!scope->auto_start || !parent->sequential) ||
           bad(v, "scope", id, "is an item, but starts by itself");
}

static bool check_members(struct arc_verify *v, uint32_t id)
{
    const struct arc_image *image = v->image;
    const struct arc_image_scope *scope = &image->scopes[id];
    if (scope->sequential && scope->members.n == 0)
        return bad(v, "scope", id, "is a sequence without items");
    for (uint32_t i = 0; i < scope->members.n; i++) {
        uint32_t at = scope->members.first + i;
        struct arc_image_member member = image->members[at];
        bool is_node = member.kind == ARC_MEMBER_NODE;
        if (member.id >= (is_node ? image->n_nodes : image->n_scopes) ||
            (is_node && scope->sequential))
            return bad(v, "scope", id, "a member is not there");
        bool is_linked =
            is_node
                ? image->nodes[member.id].scope == id && image->nodes[member.id].member == at
                : image->scopes[member.id].parent == id && image->scopes[member.id].member == at;
        if (!is_linked)
            return bad(v, "scope", id, "a member is somewhere else");
    }
    for (uint32_t i = 0; i < scope->transitions.n; i++)
        if (!check_transition(v, id, scope->transitions.first + i))
            return false;
    return scope->sequential || scope->transitions.n == 0 ||
           bad(v, "scope", id, "is parallel, but has transitions");
}

/* The list holds, in the order of the members, those that have `run`. */
static bool check_node_list(struct arc_verify *v, uint32_t id, struct arc_image_range list,
                            enum arc_image_node_run run)
{
    const struct arc_image *image = v->image;
    const struct arc_image_scope *scope = &image->scopes[id];
    uint32_t n = 0;
    if (!arc_verify_in(list, image->n_lists))
        return bad(v, "scope", id, "a list is not there");
    for (uint32_t i = 0; i < scope->members.n; i++) {
        struct arc_image_member member = image->members[scope->members.first + i];
        if (member.kind != ARC_MEMBER_NODE || image->nodes[member.id].run != run)
            continue;
        if (n == list.n || image->lists[list.first + n] != member.id)
            return bad(v, "scope", id, "a list of nodes is wrong");
        n++;
    }
    return n == list.n || bad(v, "scope", id, "a list of nodes is too long");
}

static bool check_starts(struct arc_verify *v, uint32_t id)
{
    const struct arc_image *image = v->image;
    const struct arc_image_scope *scope = &image->scopes[id];
    uint32_t n = 0;
    if (!arc_verify_in(scope->starts, image->n_lists))
        return bad(v, "scope", id, "a list is not there");
    for (uint32_t i = 0; i < scope->members.n; i++) {
        struct arc_image_member member = image->members[scope->members.first + i];
        if (member.kind != ARC_MEMBER_SCOPE || !image->scopes[member.id].auto_start)
            continue;
        if (n == scope->starts.n || image->lists[scope->starts.first + n] != member.id)
            return bad(v, "scope", id, "the list of what it starts is wrong");
        n++;
    }
    return n == scope->starts.n || bad(v, "scope", id, "the list of what it starts is too long");
}

static bool check_scope_lists(struct arc_verify *v, uint32_t id)
{
    const struct arc_image_scope *scope = &v->image->scopes[id];
    if (scope->sequential)
        return (scope->always.n == 0 && scope->once.n == 0 && scope->sources.n == 0 &&
                scope->starts.n == 0) ||
               bad(v, "scope", id, "is a sequence with nodes");
    return check_node_list(v, id, scope->always, ARC_RUN_ALWAYS) &&
           check_node_list(v, id, scope->once, ARC_RUN_ONCE) &&
           check_node_list(v, id, scope->sources, ARC_RUN_DATA) && check_starts(v, id);
}

static bool check_channel_sources(struct arc_verify *v)
{
    const struct arc_image *image = v->image;
    uint64_t n_listed = 0;
    uint64_t n_sources = 0;
    for (uint32_t i = 0; i < image->n_channels; i++) {
        struct arc_image_range list = image->channels[i].sources;
        if (!arc_verify_in(list, image->n_lists) || (list.n != 0) != image->channels[i].source)
            return bad(v, "channel", i, "its list of sources is wrong");
        for (uint32_t k = 0; k < list.n; k++) {
            uint32_t node = image->lists[list.first + k];
            if (node >= image->n_nodes || image->nodes[node].kind != ARC_IMAGE_NODE_SOURCE ||
                image->nodes[node].channel != i ||
                (k > 0 && node <= image->lists[list.first + k - 1]))
                return bad(v, "channel", i, "a source is wrong");
        }
        n_listed += list.n;
    }
    for (uint32_t i = 0; i < image->n_nodes; i++)
        n_sources += image->nodes[i].kind == ARC_IMAGE_NODE_SOURCE;
    return n_listed == n_sources || arc_verify_bad(v, "a source is in no list");
}

/* Nodes and scopes first: what follows goes along their links. */
static bool check_links(struct arc_verify *v)
{
    const struct arc_image *image = v->image;
    if (image->n_scopes == 0 || image->n_nodes > ARC_MAX_NODES ||
        image->n_scopes > ARC_MAX_NODES * 4 ||
        image->n_members != image->n_nodes + image->n_scopes - 1)
        return arc_verify_bad(v, "the number of members is wrong");
    for (uint32_t i = 0; i < image->n_nodes; i++) {
        const struct arc_image_node *node = &image->nodes[i];
        if (node->scope >= image->n_scopes || image->scopes[node->scope].sequential ||
            node->member >= image->n_members)
            return bad(v, "node", i, "lies in no scope");
        const struct arc_image_range *members = &image->scopes[node->scope].members;
        if (node->member - members->first >= members->n ||
            image->members[node->member].kind != ARC_MEMBER_NODE ||
            image->members[node->member].id != i)
            return bad(v, "node", i, "is not where its scope has it");
    }
    for (uint32_t i = 0; i < image->n_outputs; i++)
        if (image->outputs[i].node >= image->n_nodes)
            return bad(v, "output", i, "has no node");
    for (uint32_t i = 0; i < image->n_scopes; i++)
        if (!check_place(v, i))
            return false;
    return true;
}

bool arc_verify_graph(struct arc_verify *v)
{
    const struct arc_image *image = v->image;
    if (!check_links(v))
        return false;
    uint64_t n_transitions = 0;
    for (uint32_t i = 0; i < image->n_scopes; i++) {
        if (!check_members(v, i) || !check_scope_lists(v, i))
            return false;
        n_transitions += image->scopes[i].transitions.n;
    }
    if (n_transitions != image->n_transitions)
        return arc_verify_bad(v, "a transition is in no list");
    return check_outputs(v) && check_channel_sources(v);
}
