/* Sequences and stages: their members, in which every flow is checked. */
#include "arc/check_priv.h"

/* ---- Members ------------------------------------------------------------------------------ */

/* A member may have the name of an outer sequence or stage, which it hides, but of nothing else. */
static bool conflicts(struct checker *c, const struct arc_scope *scope)
{
    const struct arc_ident *ident = scope->ident;
    if (ident->symbol != NULL && ident->symbol->kind != ARC_SYM_SCOPE) {
        check_conflict(c, scope->name, scope->name_span, ident->symbol->span);
        return true;
    }
    if (ident->member != NULL && ident->member->owner == scope->parent) {
        check_conflict(c, scope->name, scope->name_span, ident->member->scope->name_span);
        return true;
    }
    return false;
}

static void bind_members(struct checker *c, struct arc_scope *owner)
{
    for (size_t i = 0; i < owner->n_items; i++) {
        struct arc_scope *scope = owner->items[i].scope;
        if (scope == NULL || scope->ident == NULL || conflicts(c, scope))
            continue;
        struct arc_member *member = base_arena_new(c->arena, struct arc_member);
        *member = (struct arc_member){scope, owner, (uint32_t)i, scope->ident->member};
        scope->ident->member = member;
    }
}

static void unbind_members(const struct arc_scope *owner)
{
    for (size_t i = 0; i < owner->n_items; i++) {
        const struct arc_scope *scope = owner->items[i].scope;
        if (scope == NULL || scope->ident == NULL || scope->ident->member == NULL)
            continue;
        if (scope->ident->member->owner == owner)
            scope->ident->member = scope->ident->member->outer;
    }
}

/* ---- Bodies ------------------------------------------------------------------------------- */

/* The members of the root are symbols of the program. */
void check_body(struct checker *c, struct arc_scope *scope)
{
    struct arc_scope *outer = c->scope;
    bool is_root = scope->kind == ARC_SCOPE_ROOT;
    c->scope = scope;
    if (!is_root)
        bind_members(c, scope);
    for (size_t i = 0; i < scope->n_items; i++) {
        if (scope->items[i].scope != NULL)
            check_body(c, scope->items[i].scope);
        else
            check_flow(c, scope->items[i].flow, (uint32_t)i);
    }
    if (!is_root)
        unbind_members(scope);
    c->scope = outer;
}

void check_scopes(struct checker *c)
{
    for (size_t i = 0; i < c->program->n_scopes; i++) {
        struct arc_scope *scope = c->program->scopes[i];
        if (scope->ident != NULL)
            scope->ident->is_scope_name = true;
        if (scope->is_inline && scope->ident != NULL)
            check_error(c, ARC_CODE_NONE, scope->name_span,
                        "an inline body cannot have a name: '%s'", scope->name);
    }
    check_body(c, c->program->root);
}
