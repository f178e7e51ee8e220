/* Scopes: what is walked in which order, what an activation and a transition do.
 *
 * A parallel scope is walked over its ready bits in the order of its members; running a node sets
 * bits of later members only, so that one pass does it all. A sequential scope walks its current
 * item and then moves, until nothing is ready to move or it has moved more often than it has items.
 */
#include "arc_host/program_priv.h"

/* ---- Marking from outside of a walk */

ARCD_RT void arc_host_mark_scope(struct arc_host_program *p, uint32_t scope)
{
    const struct arc_image_scope *scopes = p->image->scopes;
    for (; scopes[scope].parent != ARC_NONE; scope = scopes[scope].parent)
        arc_host_bit_set(p->ready, scopes[scope].member);
}

ARCD_RT void arc_host_mark(struct arc_host_program *p, uint32_t node)
{
    const struct arc_image_node *n = &p->image->nodes[node];
    arc_host_bit_set(p->ready, n->member);
    arc_host_mark_scope(p, n->scope);
}

/* ---- Activation */

static ARCD_RT void link_source(struct arc_host_program *p, uint32_t node)
{
    struct arc_host_chan *chan = &p->chans[p->image->nodes[node].channel];
    p->nodes[node].next_source = chan->first_source;
    p->nodes[node].prev_source = ARC_NONE;
    if (chan->first_source != ARC_NONE)
        p->nodes[chan->first_source].prev_source = node;
    chan->first_source = node;
}

static ARCD_RT void unlink_source(struct arc_host_program *p, uint32_t node)
{
    const struct arc_host_node *n = &p->nodes[node];
    if (n->next_source != ARC_NONE)
        p->nodes[n->next_source].prev_source = n->prev_source;
    if (n->prev_source != ARC_NONE)
        p->nodes[n->prev_source].next_source = n->next_source;
    else
        p->chans[p->image->nodes[node].channel].first_source = n->next_source;
}

static ARCD_RT void link_always(struct arc_host_program *p, uint32_t scope)
{
    p->scopes[scope].next_always = p->first_always;
    p->scopes[scope].prev_always = ARC_NONE;
    if (p->first_always != ARC_NONE)
        p->scopes[p->first_always].prev_always = scope;
    p->first_always = scope;
}

static ARCD_RT void unlink_always(struct arc_host_program *p, uint32_t scope)
{
    const struct arc_host_scope *s = &p->scopes[scope];
    if (s->next_always != ARC_NONE)
        p->scopes[s->next_always].prev_always = s->prev_always;
    if (s->prev_always != ARC_NONE)
        p->scopes[s->prev_always].next_always = s->next_always;
    else
        p->first_always = s->next_always;
}

static ARCD_RT void set_ready(struct arc_host_program *p, const struct arc_image_range *nodes)
{
    for (uint32_t i = nodes->first; i < nodes->first + nodes->n; i++)
        arc_host_bit_set(p->ready, p->image->nodes[p->image->lists[i]].member);
}

/* Channels in the middle of a flow keep their samples from now on. */
static ARCD_RT void count_waiting(struct arc_host_program *p, const struct arc_image_node *node,
                                  int change)
{
    if (node->kind == ARC_IMAGE_NODE_SOURCE && node->run == ARC_RUN_TRIGGERED)
        p->chans[node->channel].backlog->n_waiting += (uint32_t)change;
}

static ARCD_RT void reset_members(struct arc_host_program *p, const struct arc_image_scope *scope)
{
    arc_host_bits_clear(p->ready, scope->members.first, scope->members.n);
    for (uint32_t m = scope->members.first; m < scope->members.first + scope->members.n; m++) {
        const struct arc_image_member *member = &p->image->members[m];
        if (member->kind != ARC_MEMBER_NODE)
            continue;
        count_waiting(p, &p->image->nodes[member->id], 1);
        arc_host_reset_node(p, member->id);
    }
}

static ARCD_RT void activate_members(struct arc_host_program *p, uint32_t scope)
{
    const struct arc_image *image = p->image;
    const struct arc_image_scope *s = &image->scopes[scope];
    reset_members(p, s);
    set_ready(p, &s->once);
    set_ready(p, &s->always);
    if (s->always.n != 0)
        link_always(p, scope);
    for (uint32_t i = s->sources.first; i < s->sources.first + s->sources.n; i++)
        link_source(p, image->lists[i]);
    for (uint32_t i = s->starts.first; i < s->starts.first + s->starts.n; i++)
        arc_host_activate(p, image->lists[i]);
}

ARCD_RT void arc_host_activate(struct arc_host_program *p, uint32_t scope)
{
    const struct arc_image_scope *s = &p->image->scopes[scope];
    if (p->scopes[scope].is_active)
        return;
    p->scopes[scope].is_active = true;
    if (s->member != ARC_NONE)
        arc_host_bit_set(p->ready, s->member);
    if (!s->sequential) {
        activate_members(p, scope);
        return;
    }
    p->scopes[scope].current = 0;
    if (s->members.n != 0)
        arc_host_activate(p, p->image->members[s->members.first].id);
}

static ARCD_RT void leave_members(struct arc_host_program *p, uint32_t scope)
{
    const struct arc_image_scope *s = &p->image->scopes[scope];
    if (s->always.n != 0)
        unlink_always(p, scope);
    for (uint32_t i = s->sources.first; i < s->sources.first + s->sources.n; i++)
        unlink_source(p, p->image->lists[i]);
    for (uint32_t m = s->members.first; m < s->members.first + s->members.n; m++)
        if (p->image->members[m].kind == ARC_MEMBER_NODE)
            count_waiting(p, &p->image->nodes[p->image->members[m].id], -1);
}

ARCD_RT void arc_host_deactivate(struct arc_host_program *p, uint32_t scope)
{
    if (!p->scopes[scope].is_active)
        return;
    p->scopes[scope].is_active = false;
    if (!p->image->scopes[scope].sequential)
        leave_members(p, scope);
    for (uint32_t child = p->scopes[scope].first_child; child != ARC_NONE;
         child = p->scopes[child].next_sibling)
        arc_host_deactivate(p, child);
}

/* ---- Transitions */

static ARCD_RT bool is_in_active_scope(const struct arc_host_program *p, uint32_t output)
{
    const struct arc_image *image = p->image;
    return p->scopes[image->nodes[image->outputs[output].node].scope].is_active;
}

/* Its target is what is active already, with the source inside: nothing would happen. */
static ARCD_RT bool goes_nowhere(const struct arc_host_program *p,
                                 const struct arc_image_transition *t)
{
    if (t->target_kind == ARC_TO_ITEM)
        return t->target == p->scopes[t->owner].current;
    return t->target_kind == ARC_TO_TOP && t->target == p->image->scopes[t->owner].top;
}

/* The first transition of the scope that is ready and leads somewhere; its mark is taken away. The
 * marks of those that lead nowhere go too, and the next one has its turn: nothing has changed. */
static ARCD_RT const struct arc_image_transition *take_move(struct arc_host_program *p,
                                                            const struct arc_image_scope *scope)
{
    uint32_t end = scope->transitions.first + scope->transitions.n;
    for (uint32_t i = scope->transitions.first;
         (i = arc_host_bit_next(p->moves, i, end)) != ARC_HOST_NO_BIT; i++) {
        const struct arc_image_transition *t = &p->image->transitions[i];
        arc_host_bit_clear(p->moves, i);
        if (is_in_active_scope(p, t->output) && !goes_nowhere(p, t))
            return t;
    }
    return NULL;
}

static ARCD_RT void move_to_item(struct arc_host_program *p, uint32_t scope, uint32_t item)
{
    const struct arc_image_member *items =
        &p->image->members[p->image->scopes[scope].members.first];
    arc_host_deactivate(p, items[p->scopes[scope].current].id);
    p->scopes[scope].current = item;
    arc_host_activate(p, items[item].id);
}

static ARCD_RT void move(struct arc_host_program *p, const struct arc_image_transition *t)
{
    switch (t->target_kind) {
    case ARC_TO_ITEM: move_to_item(p, t->owner, t->target); break;
    case ARC_TO_TOP:
        arc_host_activate(p, t->target);
        arc_host_deactivate(p, t->owner);
        break;
    default: arc_host_deactivate(p, t->owner); break;
    }
}

/* ---- Walks */

static ARCD_RT bool walk(struct arc_host_program *p, uint32_t scope);

static ARCD_RT bool walk_member(struct arc_host_program *p, uint32_t member)
{
    const struct arc_image_member *m = &p->image->members[member];
    arc_host_bit_clear(p->ready, member);
    return m->kind == ARC_MEMBER_NODE ? arc_host_run_node(p, m->id) : walk(p, m->id);
}

static ARCD_RT bool walk_members(struct arc_host_program *p, uint32_t scope)
{
    const struct arc_image_range *members = &p->image->scopes[scope].members;
    uint32_t end = members->first + members->n;
    for (uint32_t m = members->first; (m = arc_host_bit_next(p->ready, m, end)) != ARC_HOST_NO_BIT;
         m++)
        if (!walk_member(p, m))
            return false;
    return true;
}

static ARCD_RT bool walk_items(struct arc_host_program *p, uint32_t scope)
{
    const struct arc_image_scope *s = &p->image->scopes[scope];
    struct arc_host_scope *state = &p->scopes[scope];
    for (uint32_t left = s->members.n + 1; left > 0; left--) {
        if (!walk_member(p, s->members.first + state->current))
            return false;
        const struct arc_image_transition *t = take_move(p, s);
        if (t == NULL)
            return true;
        move(p, t);
        if (!state->is_active)
            return true;
    }
    if (!state->is_carried) {
        state->is_carried = true;
        p->carried[p->n_carried++] = scope;
    }
    return true;
}

static ARCD_RT bool walk(struct arc_host_program *p, uint32_t scope)
{
    if (!p->scopes[scope].is_active)
        return true;
    return p->image->scopes[scope].sequential ? walk_items(p, scope) : walk_members(p, scope);
}

/* Scopes that were activated behind the walk have kept their bits. They are walked in rounds: what
 * a round activates waits for the next one. What is left after the last has its turn in the next
 * cycle. */
ARCD_RT bool arc_host_walk_root(struct arc_host_program *p)
{
    const struct arc_image_range *root = &p->image->scopes[0].members;
    uint32_t end = root->first + root->n;
    if (!walk_members(p, 0))
        return false;
    for (uint32_t round = 0; round <= p->image->n_scopes; round++) {
        uint32_t first = arc_host_bit_next(p->ready, root->first, end);
        if (first == ARC_HOST_NO_BIT)
            return true;
        memcpy(p->late, p->ready, ARC_HOST_WORDS(end) * sizeof *p->late);
        arc_host_bits_clear(p->ready, root->first, root->n);
        for (uint32_t m = first; (m = arc_host_bit_next(p->late, m, end)) != ARC_HOST_NO_BIT; m++)
            if (!walk_member(p, m))
                return false;
    }
    return true;
}
