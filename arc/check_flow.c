/* Flows: chains of elements become nodes and edges. */
#include "arc/check_priv.h"

/* ---- Names in a flow ---------------------------------------------------------------------- */

static void refuse_name(struct checker *c, const struct arc_expr *expr, bool is_function)
{
    const char *name = expr->u.name->text;
    struct arc_diag *diag =
        check_error(c, ARC_CODE_NONE, expr->span, "'%s' is not a channel", name);
    if (is_function)
        check_note(c, diag, "'%s' is a function: write %s{}", name, name);
}

static void undefined_in_flow(struct checker *c, struct arc_ident *ident, struct arc_span span)
{
    if (arc_lib_find_bare(ident->text) != NULL) {
        struct arc_diag *diag =
            check_error(c, ARC_CODE_NONE, span, "'%s' is not a channel", ident->text);
        check_note(c, diag, "'%s' is a function: write %s{}", ident->text, ident->text);
    } else if (ident->is_scope_name) {
        check_error(c, ARC_CODE_NONE, span,
                    "'%s' is out of reach: neither in an enclosing sequence nor at top level",
                    ident->text);
    } else {
        check_undefined(c, ident, span);
    }
}

static struct arc_node *channel_node(struct checker *c, struct flow_build *b,
                                     struct arc_channel *channel, struct arc_span span,
                                     struct place place)
{
    if (place.is_first || !place.is_last)
        return check_source_node(c, b, channel, span);
    if (!check_writable(c, channel, span))
        b->is_broken = true;
    return check_sink_node(c, b, channel, span);
}

static struct arc_node *value_node(struct checker *c, struct flow_build *b, enum arc_node_kind kind,
                                   struct arc_expr *expr)
{
    struct arc_node *node = check_new_node(c, b, kind, expr->span);
    node->expr = expr;
    node->n_outputs = 1;
    node->outputs = base_arena_array(c->arena, struct arc_type, 1);
    node->outputs[0] = expr->type;
    return node;
}

/* A constant may feed a channel, but it is no channel itself: not a target, and not what a function
 * takes its samples from. */
static struct arc_node *constant_node(struct checker *c, struct flow_build *b,
                                      struct arc_expr *expr, struct place place)
{
    bool feeds_function = place.next != NULL && place.next->kind == ARC_ELEM_INVOKE;
    if (place.is_last || feeds_function) {
        refuse_name(c, expr, false);
        return NULL;
    }
    check_value(c, expr);
    return value_node(c, b, ARC_NODE_CONST, expr);
}

static struct arc_node *name_node(struct checker *c, struct flow_build *b, struct arc_expr *expr,
                                  struct place place)
{
    struct arc_ident *ident = expr->u.name;
    const struct arc_symbol *symbol = ident->symbol;
    if (symbol != NULL && symbol->kind == ARC_SYM_CONST)
        return constant_node(c, b, expr, place);
    if (symbol != NULL) {
        check_excuse_import(symbol);
        refuse_name(c, expr, symbol->kind == ARC_SYM_FUNC);
        return NULL;
    }
    struct arc_channel *channel = check_channel(c, ident);
    if (channel != NULL)
        return channel_node(c, b, channel, expr->span, place);
    undefined_in_flow(c, ident, expr->span);
    return NULL;
}

/* ---- Expressions in a flow ---------------------------------------------------------------- */

/* Finds the type; an expression of literals may stay open until its target is known. */
static bool check_flow_value(struct checker *c, struct arc_expr *expr)
{
    check_expr(c, expr);
    if (expr->type.shape == ARC_SHAPE_NONE) {
        const char *name = expr->u.call.func->name;
        check_error(c, ARC_CODE_TYPE, expr->span, "'%s' gives no value: write %s{} in a flow", name,
                    name);
        return false;
    }
    if (expr->kind == ARC_EXPR_SERIES)
        check_settle_default(c, expr);
    return !check_is_error(expr->type);
}

struct triggers {
    struct checker *c;
    struct flow_build *b;
    struct arc_span span;
    size_t first;
};

static void add_trigger_source(void *ctx, struct arc_channel *channel)
{
    struct triggers *t = ctx;
    check_source_node(t->c, t->b, channel, t->span);
}

/* One source per channel that the expression reads, each with a plain edge to it. */
static struct arc_node *head_expression(struct checker *c, struct flow_build *b,
                                        struct arc_expr *expr)
{
    struct triggers t = {c, b, expr->span, b->flow->n_nodes};
    check_each_read(c, expr, add_trigger_source, &t);
    size_t n_sources = b->flow->n_nodes - t.first;
    struct arc_node *node = value_node(c, b, ARC_NODE_EXPR, expr);
    node->is_once = n_sources == 0 && expr->kind == ARC_EXPR_FORMAT;
    for (size_t i = 0; i < n_sources; i++)
        check_connect(c, b, (struct port){b->flow->nodes[t.first + i], 0}, node, ARC_TRIGGER,
                      false);
    return node;
}

static bool is_literal(const struct arc_expr *expr)
{
    return expr->kind == ARC_EXPR_LITERAL && !expr->is_parenthesized;
}

static struct arc_node *expr_node(struct checker *c, struct flow_build *b, struct arc_expr *expr,
                                  struct place place)
{
    if (expr->kind == ARC_EXPR_NAME && !expr->is_parenthesized)
        return name_node(c, b, expr, place);
    bool was_literal = is_literal(expr);
    if (!check_flow_value(c, expr))
        return NULL;
    if (was_literal)
        return value_node(c, b, ARC_NODE_CONST, expr);
    if (place.is_first)
        return head_expression(c, b, expr);
    return value_node(c, b, ARC_NODE_EXPR, expr);
}

/* ---- Elements ----------------------------------------------------------------------------- */

static void connect_element(struct checker *c, struct flow_build *b, struct port from,
                            struct arc_node *node, struct place place)
{
    bool is_typed = node->n_inputs > 0;
    check_connect(c, b, from, node, is_typed ? 0 : ARC_TRIGGER, place.is_conditional);
}

struct port check_element_node(struct checker *c, struct flow_build *b, struct arc_elem *elem,
                               struct port from, struct place place)
{
    struct arc_node *node;
    if (check_ending(c, b, elem, from, place))
        return (struct port){0};
    if (elem->kind == ARC_ELEM_INVOKE)
        node = check_invocation(c, b, elem);
    else
        node = expr_node(c, b, elem->expr, place);
    if (node == NULL) {
        b->is_broken = true;
        return (struct port){0};
    }
    if (!place.is_first)
        connect_element(c, b, from, node, place);
    if (elem->kind == ARC_ELEM_INVOKE && !check_inputs(c, b, node, false))
        return (struct port){0};
    if (place.is_last)
        return (struct port){node, 0};
    /* What a routing table takes from the node is the table's business. */
    if (place.next != NULL && place.next->kind == ARC_ELEM_TABLE)
        return (struct port){node, 0};
    return check_only_output(c, b, node);
}

/* ---- Chains ------------------------------------------------------------------------------- */

static struct place place_of(const struct arc_flow *flow, size_t i)
{
    bool is_last = i + 1 == flow->n_elems;
    return (struct place){.is_first = i == 0,
                          .is_last = is_last,
                          .is_conditional = i > 0 && flow->is_conditional[i - 1],
                          .next = is_last ? NULL : &flow->elems[i + 1]};
}

static bool misplaced_table(struct checker *c, const struct arc_flow *flow)
{
    const struct arc_elem *table = NULL;
    for (size_t i = 0; i < flow->n_elems; i++) {
        if (flow->elems[i].kind != ARC_ELEM_TABLE)
            continue;
        if (table != NULL) {
            check_error(c, ARC_CODE_NONE, flow->elems[i].span,
                        "a flow has at most one routing table");
            return true;
        }
        table = &flow->elems[i];
        const struct arc_elem *neighbour =
            i == 0 ? &flow->elems[1] : &flow->elems[i - 1]; /* two elements at least */
        if (neighbour->kind == ARC_ELEM_INVOKE)
            continue;
        check_error(c, ARC_CODE_NONE, table->span, "routing table needs a function %s it",
                    i == 0 ? "behind" : "before");
        return true;
    }
    return false;
}

/* Goes on from a node that a table has fed. */
static struct port behind_table(struct checker *c, struct flow_build *b, struct arc_node *node,
                                bool is_last)
{
    if (is_last || node == NULL)
        return (struct port){node, 0};
    return check_only_output(c, b, node);
}

/* The last node, or NULL when something else ends the flow. */
static struct arc_node *check_chain(struct checker *c, struct flow_build *b)
{
    struct arc_flow *flow = b->flow;
    struct arc_elem *elems = flow->elems;
    size_t n = flow->n_elems;
    struct port port = {0};
    for (size_t i = 0; i < n; i++) {
        struct place place = place_of(flow, i);
        if (elems[i].kind != ARC_ELEM_TABLE) {
            port = check_element_node(c, b, &elems[i], port, place);
            continue;
        }
        struct arc_node *node;
        if (i == 0) {
            node = check_input_table(c, b, &elems[0], &elems[1], flow->is_conditional[0]);
        } else {
            const struct arc_elem *target = i + 1 < n ? &elems[i + 1] : NULL;
            node = check_output_table(c, b, &elems[i], port.node, place.is_conditional, target,
                                      target != NULL && flow->is_conditional[i]);
            if (target == NULL)
                return NULL;
        }
        i++; /* the function beside the table is done */
        port = behind_table(c, b, node, i + 1 >= n);
    }
    return port.node;
}

static void set_completion(struct arc_flow *flow, const struct arc_node *last)
{
    if (last == NULL) {
        flow->completion = ARC_DONE_NEVER;
        return;
    }
    flow->done_node = last->index;
    flow->completion = last->n_outputs > 0 ? ARC_DONE_OUTPUT : ARC_DONE_RUN;
}

/* ---- Singles ------------------------------------------------------------------------------ */

static struct arc_node *single_expression(struct checker *c, struct flow_build *b,
                                          struct arc_expr *expr)
{
    if (!check_flow_value(c, expr))
        return NULL;
    check_settle_default(c, expr);
    if (check_is_error(expr->type))
        return NULL;
    if (expr->type.shape != ARC_SHAPE_SCALAR) {
        check_error(c, ARC_CODE_TYPE, expr->span, "a number or a str is needed here, got %s",
                    check_type_text(c, expr->type));
        return NULL;
    }
    return value_node(c, b, ARC_NODE_EXPR, expr);
}

static struct arc_node *single_invocation(struct checker *c, struct flow_build *b,
                                          const struct arc_elem *elem)
{
    struct arc_node *node = check_invocation(c, b, elem);
    if (node != NULL)
        check_inputs(c, b, node, false);
    return node;
}

static struct arc_node *check_single(struct checker *c, struct flow_build *b)
{
    struct arc_elem *elem = &b->flow->elems[0];
    struct place place = {.is_first = true, .is_last = true};
    if (c->scope->kind == ARC_SCOPE_ROOT || elem->kind == ARC_ELEM_TABLE) {
        check_error(c, ARC_CODE_NONE, elem->span, "flow needs at least two nodes");
        return NULL;
    }
    if (check_ending(c, b, elem, (struct port){0}, place))
        return NULL;
    b->flow->is_single = true;
    return elem->kind == ARC_ELEM_INVOKE ? single_invocation(c, b, elem)
                                         : single_expression(c, b, elem->expr);
}

/* ---- All ---------------------------------------------------------------------------------- */

void check_flow(struct checker *c, struct arc_flow *flow, uint32_t item)
{
    struct flow_build b = {.flow = flow, .item = item};
    struct arc_node *last;
    if (flow->is_broken)
        return;
    if (flow->n_elems == 1) {
        last = check_single(c, &b);
    } else {
        if (misplaced_table(c, flow))
            return;
        last = check_chain(c, &b);
    }
    check_finish_types(c, &b);
    set_completion(flow, last);
    if (b.is_broken)
        return;
    for (size_t i = 0; i < flow->n_nodes; i++)
        check_mark_node(c, flow->nodes[i]);
}
