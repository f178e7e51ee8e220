/* The ends of chains that are no nodes: transitions and inline bodies. */
#include "arc/check_priv.h"

/* ---- Where to ----------------------------------------------------------------------------- */

struct target {
    bool is_valid;
    enum arc_target_kind kind;
    struct arc_scope *owner;
    uint32_t item;
    struct arc_scope *scope;
};

static struct target item_target(struct arc_scope *owner, uint32_t item)
{
    return (struct target){true, ARC_TARGET_ITEM, owner, item, owner->items[item].scope};
}

static struct target no_next(struct checker *c, struct arc_span span, const char *why)
{
    if (c->program->may_lack_names)
        return (struct target){0};
    check_error(c, ARC_CODE_NONE, span, "%s", why);
    return (struct target){0};
}

/* The item behind the one that the flow is in, of the innermost sequence around it. */
static struct target next_target(struct checker *c, const struct flow_build *b,
                                 struct arc_span span)
{
    struct arc_scope *sequence = c->scope;
    uint32_t item = b->item;
    if (sequence->kind == ARC_SCOPE_STAGE) {
        if (sequence->is_inline)
            return no_next(c, span, "'next' cannot leave an inline body");
        item = sequence->item_in_parent;
        sequence = sequence->parent;
    }
    if (sequence->kind != ARC_SCOPE_SEQUENCE)
        return no_next(c, span, "'next' outside a sequence");
    if (item + 1 < sequence->n_items)
        return item_target(sequence, item + 1);
    if (sequence->is_inline)
        return no_next(c, span, "'next' cannot leave an inline body: this is its last item");
    return no_next(c, span, "'next' in the last item: nothing follows it");
}

/* What a jump to the top level leaves: the outermost scope around the flow, below the root. */
static struct arc_scope *outermost(struct checker *c)
{
    struct arc_scope *scope = c->scope;
    if (scope->kind == ARC_SCOPE_ROOT)
        return NULL;
    while (scope->parent->kind != ARC_SCOPE_ROOT)
        scope = scope->parent;
    return scope;
}

static struct target named_target(struct checker *c, const struct arc_ident *ident)
{
    const struct arc_member *member = ident->member;
    if (member != NULL && member->owner->kind == ARC_SCOPE_SEQUENCE)
        return item_target(member->owner, member->item);
    if (member != NULL)
        return (struct target){true, ARC_TARGET_MEMBER, member->owner, member->item, member->scope};
    return (struct target){true, ARC_TARGET_TOP, outermost(c), 0, ident->symbol->u.scope};
}

static bool is_scope_name(const struct arc_expr *expr)
{
    if (expr->kind != ARC_EXPR_NAME || expr->is_parenthesized)
        return false;
    const struct arc_ident *ident = expr->u.name;
    return ident->member != NULL || (ident->symbol != NULL && ident->symbol->kind == ARC_SYM_SCOPE);
}

static struct target find_target(struct checker *c, const struct flow_build *b,
                                 const struct arc_elem *elem)
{
    if (elem->kind == ARC_ELEM_NEXT)
        return next_target(c, b, elem->span);
    struct target target = named_target(c, elem->expr->u.name);
    if (target.scope->kind == ARC_SCOPE_SEQUENCE && target.scope->n_items == 0 &&
        !c->program->may_lack_names) {
        check_error(c, ARC_CODE_NONE, elem->span, "sequence '%s' has no items", target.scope->name);
        target.is_valid = false;
    }
    return target;
}

/* ---- Endings ------------------------------------------------------------------------------ */

static void add_transition(struct checker *c, struct flow_build *b, const struct arc_elem *elem,
                           struct port from, bool is_conditional)
{
    struct target target = find_target(c, b, elem);
    if (!target.is_valid || from.node == NULL) {
        b->is_broken = true;
        return;
    }
    struct arc_transition transition = {.src = from.node->index,
                                        .src_output = from.output,
                                        .is_conditional = is_conditional,
                                        .kind = target.kind,
                                        .owner = target.owner,
                                        .item = target.item,
                                        .scope = target.scope,
                                        .span = elem->span};
    *ARC_APPEND(c->arena, b->flow->transitions, b->flow->n_transitions) = transition;
}

static void add_start(struct checker *c, struct flow_build *b, const struct arc_elem *elem,
                      struct port from, bool is_conditional)
{
    if (from.node != NULL) {
        struct arc_start start = {from.node->index, from.output, is_conditional, elem->scope};
        *ARC_APPEND(c->arena, b->flow->starts, b->flow->n_starts) = start;
    }
    check_body(c, elem->scope);
}

bool check_ending(struct checker *c, struct flow_build *b, const struct arc_elem *elem,
                  struct port from, struct place place)
{
    bool is_transition =
        elem->kind == ARC_ELEM_NEXT || (elem->kind == ARC_ELEM_EXPR && is_scope_name(elem->expr));
    if (!is_transition && elem->kind != ARC_ELEM_SCOPE)
        return false;
    const char *what = "an inline body";
    if (is_transition)
        what = base_arena_printf(c->arena, "'%s'", check_source_text(c, elem->span));
    if (place.is_first)
        check_error(c, ARC_CODE_NONE, elem->span, "%s needs a source before it", what);
    else if (!place.is_last)
        check_error(c, ARC_CODE_NONE, elem->span, "nothing can follow %s in a flow", what);
    if (place.is_first || !place.is_last) {
        b->is_broken = true;
        from.node = NULL;
    }
    check_conditional(c, b, from, place.is_conditional, elem->span);
    if (is_transition && !place.is_first && place.is_last)
        add_transition(c, b, elem, from, place.is_conditional);
    else if (!is_transition)
        add_start(c, b, elem, from, place.is_conditional);
    return true;
}
