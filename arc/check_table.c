/* Routing tables: several inputs by name, several outputs by name, outputs to inputs by name. */
#include "arc/check_priv.h"

/* ---- Entries ------------------------------------------------------------------------------ */

/* Elements from `first` up to `n` of an entry, each fed by the one before it. */
struct stretch {
    const struct arc_entry *entry;
    size_t n;
    bool is_conditional; /* the first edge */
    bool ends_chain;     /* nothing of the flow follows the last element */
};

static struct port check_stretch(struct checker *c, struct flow_build *b, struct port from,
                                 struct stretch stretch)
{
    struct arc_elem *elems = stretch.entry->elems;
    for (size_t i = 0; i < stretch.n; i++) {
        bool is_last = i + 1 == stretch.n;
        struct place place = {.is_last = is_last && stretch.ends_chain,
                              .is_conditional = i == 0 && stretch.is_conditional,
                              .next = is_last ? NULL : &elems[i + 1]};
        from = check_element_node(c, b, &elems[i], from, place);
    }
    return from;
}

/* The name that a lone identifier is; NULL: something else. */
static const struct arc_ident *lone_name(const struct arc_elem *elem)
{
    if (elem->kind != ARC_ELEM_EXPR || elem->expr->kind != ARC_EXPR_NAME ||
        elem->expr->is_parenthesized)
        return NULL;
    return elem->expr->u.name;
}

/* -1 after reporting: no such input, or fed already. */
static int32_t claim_input(struct checker *c, struct flow_build *b, const struct arc_node *node,
                           const struct arc_ident *name, struct arc_span span, bool *is_claimed)
{
    int32_t input = check_find_input(node, name->text);
    if (input >= 0 && !is_claimed[input]) {
        is_claimed[input] = true;
        return input;
    }
    b->is_broken = true;
    if (input < 0)
        check_error(c, ARC_CODE_NONE, span, "'%s' has no parameter '%s'", check_node_name(c, node),
                    name->text);
    else
        check_error(c, ARC_CODE_NONE, span, "input '%s' of '%s' is fed twice", name->text,
                    check_node_name(c, node));
    return -1;
}

/* An output that is to feed an input of the function behind the table. */
struct link {
    struct port from;
    int32_t input;
    bool is_conditional;
};

struct links {
    struct link *list;
    size_t n;
};

/* The function is made behind what feeds it, so that edges lead forward; its inputs must be known
 * before. */
static struct arc_node *peek_target(struct checker *c, struct flow_build *b,
                                    const struct arc_elem *target)
{
    struct arc_node *node = check_invocation(c, b, target);
    if (node != NULL)
        b->flow->n_nodes--;
    return node;
}

static void place_target(struct checker *c, struct flow_build *b, struct arc_node *node,
                         const struct links *links)
{
    node->index = (uint32_t)b->flow->n_nodes;
    *ARC_APPEND(c->arena, b->flow->nodes, b->flow->n_nodes) = node;
    for (size_t i = 0; i < links->n; i++)
        check_connect(c, b, links->list[i].from, node, links->list[i].input,
                      links->list[i].is_conditional);
    if (!b->is_broken)
        check_inputs(c, b, node, true);
}

/* ---- Input tables ------------------------------------------------------------------------- */

static struct port entry_source(struct checker *c, struct flow_build *b,
                                const struct arc_entry *entry)
{
    struct arc_ident *key = entry->key;
    struct arc_channel *channel =
        key->member == NULL && key->symbol == NULL ? check_channel(c, key) : NULL;
    if (channel != NULL)
        return (struct port){check_source_node(c, b, channel, entry->key_span), 0};
    b->is_broken = true;
    if (key->member != NULL || key->symbol != NULL)
        check_error(c, ARC_CODE_NONE, entry->key_span, "'%s' is not a channel", key->text);
    else
        check_undefined(c, key, entry->key_span);
    return (struct port){0};
}

/* SRC: node -> ... -> PARAM, or with the parameter behind a colon. */
static void input_entry(struct checker *c, struct flow_build *b, const struct arc_entry *entry,
                        const struct arc_node *target, bool is_conditional, bool *is_claimed,
                        struct links *links)
{
    size_t n = entry->n_elems;
    const struct arc_ident *param = entry->param;
    struct arc_span span = entry->param_span;
    struct port from = entry_source(c, b, entry);
    if (param == NULL) {
        param = lone_name(&entry->elems[--n]);
        span = entry->elems[n].span;
    }
    from = check_stretch(c, b, from, (struct stretch){.entry = entry, .n = n});
    if (param == NULL) {
        check_error(c, ARC_CODE_NONE, span,
                    "an entry of an input table ends in the name of an input");
        b->is_broken = true;
        return;
    }
    if (target == NULL)
        return;
    int32_t input = claim_input(c, b, target, param, span, is_claimed);
    if (input >= 0)
        *ARC_APPEND(c->arena, links->list, links->n) = (struct link){from, input, is_conditional};
}

struct arc_node *check_input_table(struct checker *c, struct flow_build *b,
                                   const struct arc_elem *table, const struct arc_elem *target,
                                   bool is_conditional)
{
    struct links links = {0};
    struct arc_node *node = peek_target(c, b, target);
    bool *is_claimed = base_arena_array(c->arena, bool, node ? node->n_inputs : 0);
    for (size_t i = 0; i < table->n_entries; i++)
        input_entry(c, b, &table->entries[i], node, is_conditional, is_claimed, &links);
    if (node != NULL)
        place_target(c, b, node, &links);
    return node;
}

/* ---- Output tables ------------------------------------------------------------------------ */

struct output_table {
    struct arc_node *source; /* NULL: broken */
    bool is_conditional;
    struct arc_node *target; /* NULL: the table ends the flow, or broken */
    bool has_target;
    bool target_is_conditional;
    bool *is_claimed;
    struct links links;
};

static struct port entry_output(struct checker *c, struct flow_build *b,
                                const struct output_table *table, const struct arc_entry *entry)
{
    if (table->source == NULL)
        return (struct port){0};
    int32_t output = check_find_output(table->source, entry->key->text);
    if (output >= 0)
        return (struct port){table->source, (uint32_t)output};
    check_error(c, ARC_CODE_NONE, entry->key_span, "'%s' has no output '%s'",
                check_node_name(c, table->source), entry->key->text);
    b->is_broken = true;
    return (struct port){0};
}

static void map_output(struct checker *c, struct flow_build *b, struct output_table *table,
                       struct port from, const struct arc_ident *param, struct arc_span span,
                       bool is_conditional)
{
    if (table->target == NULL)
        return;
    int32_t input = claim_input(c, b, table->target, param, span, table->is_claimed);
    if (input >= 0)
        *ARC_APPEND(c->arena, table->links.list, table->links.n) =
            (struct link){from, input, is_conditional || table->target_is_conditional};
}

/* In front of a function, a: x maps the output when x is an input of it. */
static const struct arc_ident *mapped_name(const struct output_table *table,
                                           const struct arc_entry *entry)
{
    if (!table->has_target || entry->param != NULL || entry->n_elems != 1)
        return NULL;
    const struct arc_ident *name = lone_name(&entry->elems[0]);
    if (name == NULL || (table->target && check_find_input(table->target, name->text) < 0))
        return NULL;
    return name;
}

static void output_entry(struct checker *c, struct flow_build *b, struct output_table *table,
                         const struct arc_entry *entry)
{
    struct port from = entry_output(c, b, table, entry);
    const struct arc_ident *direct = mapped_name(table, entry);
    if (direct != NULL) {
        map_output(c, b, table, from, direct, entry->elems[0].span, table->is_conditional);
        return;
    }
    bool is_mapped = entry->param != NULL;
    struct stretch stretch = {.entry = entry,
                              .n = entry->n_elems,
                              .is_conditional = table->is_conditional,
                              .ends_chain = !is_mapped};
    if (is_mapped && !table->has_target) {
        check_error(c, ARC_CODE_NONE, entry->param_span,
                    "nothing follows the table that '%s' could be an input of", entry->param->text);
        b->is_broken = true;
    }
    from = check_stretch(c, b, from, stretch);
    if (is_mapped)
        map_output(c, b, table, from, entry->param, entry->param_span, false);
}

/* False after reporting. */
static bool check_table_source(struct checker *c, const struct arc_node *source,
                               struct arc_span span)
{
    if (check_has_named_outputs(source))
        return true;
    if (source->n_outputs == 0)
        check_error(c, ARC_CODE_NONE, source->span, "'%s' has no output to connect",
                    check_node_name(c, source));
    else
        check_error(c, ARC_CODE_NONE, span,
                    "'%s' has one unnamed output: connect it directly, without a routing table",
                    check_node_name(c, source));
    return false;
}

static void check_table_target(struct checker *c, struct flow_build *b, struct output_table *out,
                               const struct arc_elem *target)
{
    out->has_target = true;
    if (target->kind != ARC_ELEM_INVOKE) {
        check_error(c, ARC_CODE_NONE, target->span,
                    "only a function that takes its inputs from the table can follow it");
        b->is_broken = true;
        return;
    }
    out->target = peek_target(c, b, target);
    if (out->target != NULL)
        out->is_claimed = base_arena_array(c->arena, bool, out->target->n_inputs);
}

struct arc_node *check_output_table(struct checker *c, struct flow_build *b,
                                    const struct arc_elem *table, struct arc_node *source,
                                    bool is_conditional, const struct arc_elem *target,
                                    bool target_is_conditional)
{
    struct output_table out = {.source = source,
                               .is_conditional = is_conditional,
                               .target_is_conditional = target_is_conditional};
    if (source != NULL && !check_table_source(c, source, table->span)) {
        b->is_broken = true;
        return NULL;
    }
    if (target != NULL)
        check_table_target(c, b, &out, target);
    for (size_t i = 0; i < table->n_entries; i++)
        output_entry(c, b, &out, &table->entries[i]);
    if (out.target == NULL)
        return NULL;
    if (out.links.n == 0 && !b->is_broken) {
        check_error(c, ARC_CODE_NONE, target->span, "no entry of the table feeds '%s'",
                    check_node_name(c, out.target));
        b->is_broken = true;
    }
    place_target(c, b, out.target, &out.links);
    return out.target;
}
