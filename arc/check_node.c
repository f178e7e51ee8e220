/* Nodes of flows and the edges between them.
 *
 * Types flow along the edges. Two things may have none yet when they are connected: a bare literal,
 * which takes the type of what it feeds, and the type variable of a library member, which takes
 * that of its input, or, fed by a literal, that of what it feeds in turn. Both are
 * ARC_SHAPE_LITERAL until then.
 */
#include "arc/check_priv.h"

#include <string.h>

/* ---- Making nodes ------------------------------------------------------------------------- */

struct arc_node *check_new_node(struct checker *c, struct flow_build *b, enum arc_node_kind kind,
                                struct arc_span span)
{
    struct arc_node *node = base_arena_new(c->arena, struct arc_node);
    node->kind = kind;
    node->span = span;
    node->index = (uint32_t)b->flow->n_nodes;
    *ARC_APPEND(c->arena, b->flow->nodes, b->flow->n_nodes) = node;
    return node;
}

static void set_inputs(struct checker *c, struct arc_node *node, size_t n)
{
    node->n_inputs = n;
    node->inputs = base_arena_array(c->arena, struct arc_type, n);
    node->is_connected = base_arena_array(c->arena, bool, n);
}

static void set_outputs(struct checker *c, struct arc_node *node, size_t n)
{
    node->n_outputs = n;
    node->outputs = base_arena_array(c->arena, struct arc_type, n);
}

struct arc_node *check_source_node(struct checker *c, struct flow_build *b,
                                   struct arc_channel *channel, struct arc_span span)
{
    struct arc_node *node = check_new_node(c, b, ARC_NODE_SOURCE, span);
    node->channel = channel;
    set_outputs(c, node, 1);
    node->outputs[0] = channel->type;
    return node;
}

struct arc_node *check_sink_node(struct checker *c, struct flow_build *b,
                                 struct arc_channel *channel, struct arc_span span)
{
    struct arc_node *node = check_new_node(c, b, ARC_NODE_SINK, span);
    node->channel = channel;
    set_inputs(c, node, 1);
    node->inputs[0] = channel->type;
    set_outputs(c, node, 1);
    node->outputs[0] = arc_type_scalar(TELEM_U8);
    return node;
}

static struct arc_type lib_type(const struct arc_lib_param *param)
{
    if (param->kind == ARC_LIB_NUMERIC)
        return arc_type_make(ARC_SHAPE_LITERAL, TELEM_F64, NULL);
    return arc_type_make(ARC_SHAPE_SCALAR, param->prim,
                         param->is_time ? arc_unit_find("ns", 2) : NULL);
}

static struct arc_node *lib_node(struct checker *c, struct flow_build *b,
                                 const struct arc_lib_member *lib, struct arc_span span)
{
    struct arc_node *node = check_new_node(c, b, ARC_NODE_LIB, span);
    node->lib = lib;
    set_inputs(c, node, lib->n_inputs);
    for (size_t i = 0; i < lib->n_inputs; i++)
        node->inputs[i] = lib_type(&lib->inputs[i]);
    set_outputs(c, node, lib->n_outputs);
    for (size_t i = 0; i < lib->n_outputs; i++)
        node->outputs[i] = lib_type(&lib->outputs[i]);
    return node;
}

static struct arc_node *func_node(struct checker *c, struct flow_build *b, struct arc_func *func,
                                  struct arc_span span)
{
    struct arc_node *node = check_new_node(c, b, ARC_NODE_FUNC, span);
    bool has_result = func->result.shape != ARC_SHAPE_NONE;
    node->func = func;
    set_inputs(c, node, func->n_inputs);
    for (size_t i = 0; i < func->n_inputs; i++)
        node->inputs[i] = func->inputs[i]->type;
    set_outputs(c, node, has_result ? 1 : func->n_outputs);
    if (has_result)
        node->outputs[0] = func->result;
    for (size_t i = 0; i < func->n_outputs; i++)
        node->outputs[i] = func->outputs[i]->type;
    return node;
}

/* ---- What is invoked ---------------------------------------------------------------------- */

static void refuse_invocation(struct checker *c, const struct arc_elem *elem, const char *what)
{
    const char *name = check_source_text(c, elem->expr->span);
    check_error(c, ARC_CODE_NONE, elem->expr->span, "'%s' is %s, only a function takes {}", name,
                what);
}

static const char *symbol_text(const struct arc_symbol *symbol)
{
    switch (symbol->kind) {
    case ARC_SYM_IMPORT: return "a module";
    case ARC_SYM_CONST: return "a constant";
    case ARC_SYM_FUNC: return "a function";
    default: return symbol->u.scope->kind == ARC_SCOPE_STAGE ? "a stage" : "a sequence";
    }
}

/* NULL after reporting. */
static const struct arc_lib_member *flow_member(struct checker *c, const struct arc_elem *elem,
                                                const struct arc_lib_member *member)
{
    if (member == NULL || (member->use & ARC_USE_FLOW))
        return member;
    const char *name = check_lib_name(c, member);
    if (member->use & ARC_USE_CALL)
        check_error(c, ARC_CODE_NONE, elem->expr->span,
                    "'%s' works only as a call in a body: write %s()", name, name);
    else
        check_error(c, ARC_CODE_NONE, elem->expr->span, "'%s' works only in the head of a for",
                    name);
    return NULL;
}

/* A name that the program does not declare. */
static const struct arc_lib_member *bare_member(struct checker *c, const struct arc_elem *elem,
                                                struct arc_ident *ident)
{
    const struct arc_lib_member *member = check_lib_bare(c, ident, elem->expr->span);
    if (member != NULL)
        return flow_member(c, elem, member);
    if (check_channel(c, ident) != NULL)
        refuse_invocation(c, elem, "a channel");
    else
        check_undefined(c, ident, elem->expr->span);
    return NULL;
}

/* A channel cannot come along an edge. */
static bool can_be_wired(struct checker *c, const struct arc_elem *elem,
                         const struct arc_func *func)
{
    for (size_t i = 0; i < func->n_inputs; i++) {
        if (!arc_type_is_chan(func->inputs[i]->type))
            continue;
        struct arc_diag *diag =
            check_error(c, ARC_CODE_NONE, elem->expr->span,
                        "'%s' works only as a call in a body: its input '%s' is a channel",
                        func->name, func->inputs[i]->name);
        check_hint(c, diag, "make '%s' a config parameter, in braces", func->inputs[i]->name);
        return false;
    }
    return true;
}

static struct arc_node *named_invocation(struct checker *c, struct flow_build *b,
                                         const struct arc_elem *elem)
{
    struct arc_ident *ident = elem->expr->u.name;
    const struct arc_symbol *symbol = ident->symbol;
    if (symbol != NULL && symbol->kind == ARC_SYM_FUNC) {
        if (symbol->u.func->is_broken || !can_be_wired(c, elem, symbol->u.func))
            return NULL;
        return func_node(c, b, symbol->u.func, elem->span);
    }
    if (ident->member != NULL) {
        refuse_invocation(c, elem, "a stage or sequence");
        return NULL;
    }
    if (symbol != NULL) {
        refuse_invocation(c, elem, symbol_text(symbol));
        return NULL;
    }
    const struct arc_lib_member *member = bare_member(c, elem, ident);
    return member ? lib_node(c, b, member, elem->span) : NULL;
}

/* The names in the configuration of what is not known are still looked at by nobody: one mistake,
 * one error. */
struct arc_node *check_invocation(struct checker *c, struct flow_build *b,
                                  const struct arc_elem *elem)
{
    struct arc_node *node;
    if (elem->expr->kind == ARC_EXPR_NAME) {
        node = named_invocation(c, b, elem);
    } else {
        const struct arc_lib_member *member = flow_member(c, elem, check_lib_member(c, elem->expr));
        node = member ? lib_node(c, b, member, elem->span) : NULL;
    }
    if (node == NULL) {
        b->is_broken = true;
        return NULL;
    }
    check_config(c, node, elem);
    return node;
}

/* ---- Asking a node ------------------------------------------------------------------------ */

const char *check_node_name(struct checker *c, const struct arc_node *node)
{
    switch (node->kind) {
    case ARC_NODE_SOURCE:
    case ARC_NODE_SINK: return node->channel->name;
    case ARC_NODE_FUNC: return node->func->name;
    case ARC_NODE_LIB: return check_lib_name(c, node->lib);
    default: return check_source_text(c, node->span);
    }
}

static const char *input_name(const struct arc_node *node, size_t i)
{
    if (node->kind == ARC_NODE_FUNC)
        return node->func->inputs[i]->name;
    return node->kind == ARC_NODE_LIB ? node->lib->inputs[i].name : "";
}

static bool has_default(const struct arc_node *node, size_t i)
{
    if (node->kind == ARC_NODE_FUNC)
        return node->func->inputs[i]->has_default;
    return node->kind == ARC_NODE_LIB && node->lib->inputs[i].is_optional;
}

int32_t check_find_input(const struct arc_node *node, const char *name)
{
    for (size_t i = 0; i < node->n_inputs; i++) {
        if (strcmp(input_name(node, i), name) == 0)
            return (int32_t)i;
    }
    return -1;
}

bool check_has_named_outputs(const struct arc_node *node)
{
    if (node->kind == ARC_NODE_FUNC)
        return node->func->n_outputs > 0;
    return node->kind == ARC_NODE_LIB && node->lib->n_outputs > 0 &&
           node->lib->outputs[0].name[0] != '\0';
}

int32_t check_find_output(const struct arc_node *node, const char *name)
{
    for (size_t i = 0; check_has_named_outputs(node) && i < node->n_outputs; i++) {
        const char *known =
            node->kind == ARC_NODE_FUNC ? node->func->outputs[i]->name : node->lib->outputs[i].name;
        if (strcmp(known, name) == 0)
            return (int32_t)i;
    }
    return -1;
}

struct port check_only_output(struct checker *c, struct flow_build *b, struct arc_node *node)
{
    if (node == NULL)
        return (struct port){0};
    if (node->n_outputs == 0) {
        check_error(c, ARC_CODE_NONE, node->span, "'%s' has no output to connect",
                    check_node_name(c, node));
    } else if (check_has_named_outputs(node)) {
        check_error(c, ARC_CODE_NONE, node->span, "'%s' has named outputs, use a routing table",
                    check_node_name(c, node));
    } else {
        return (struct port){node, 0};
    }
    b->is_broken = true;
    return (struct port){0};
}

bool check_inputs(struct checker *c, struct flow_build *b, const struct arc_node *node,
                  bool by_table)
{
    size_t n_missing = 0;
    size_t first = 0;
    for (size_t i = node->n_inputs; i-- > 0;) {
        if (node->is_connected[i] || has_default(node, i))
            continue;
        n_missing++;
        first = i;
    }
    if (n_missing == 0)
        return true;
    b->is_broken = true;
    if (node->has_edge && !by_table)
        check_error(c, ARC_CODE_NONE, node->span, "'%s' takes several inputs, use a routing table",
                    check_node_name(c, node));
    else
        check_error(c, ARC_CODE_NONE, node->span, "'%s' is missing input '%s'",
                    check_node_name(c, node), input_name(node, first));
    return false;
}

/* ---- Types along edges -------------------------------------------------------------------- */

static bool is_open(struct arc_type type)
{
    return type.shape == ARC_SHAPE_LITERAL;
}

/* The type variable of a library member; its outputs of that type follow. */
static void bind_variable(struct checker *c, struct arc_node *node, struct arc_type type);

/* A literal or an expression of literals gets the type that it is wanted in. */
static void type_literal(struct checker *c, struct arc_node *node, const struct check_want *want)
{
    struct arc_expr *expr = node->expr;
    if (check_fits(c, expr, want, NULL))
        node->outputs[0] = expr->type;
    else
        node->outputs[0] = check_error_type();
}

static void bind_variable(struct checker *c, struct arc_node *node, struct arc_type type)
{
    for (size_t i = 0; i < node->n_inputs; i++) {
        if (is_open(node->inputs[i]))
            node->inputs[i] = type;
    }
    for (size_t i = 0; i < node->n_outputs; i++) {
        if (is_open(node->outputs[i]))
            node->outputs[i] = type;
    }
    if (node->untyped_source == NULL)
        return;
    struct arc_node *source = node->untyped_source;
    node->untyped_source = NULL;
    struct check_want want = {.type = type,
                              .what = "connect",
                              .target =
                                  base_arena_printf(c->arena, "'%s'", check_node_name(c, node)),
                              .code = ARC_CODE_TYPE,
                              .is_edge = true};
    if (source->expr != NULL)
        type_literal(c, source, &want);
    else if (is_open(source->outputs[0]))
        bind_variable(c, source, type);
}

static const char *input_text(struct checker *c, const struct arc_node *to, int32_t input)
{
    if (to->kind == ARC_NODE_SINK)
        return base_arena_printf(c->arena, "channel '%s'", to->channel->name);
    return base_arena_printf(c->arena, "input '%s' of '%s'", input_name(to, (size_t)input),
                             check_node_name(c, to));
}

static void refuse_constraint(struct checker *c, struct arc_type type, const struct arc_node *to,
                              const char *wanted)
{
    check_error(c, ARC_CODE_CONSTRAINT, to->span, "'%s' takes %s, got %s", check_node_name(c, to),
                wanted, check_type_text(c, type));
}

/* A typed output into the type variable of a library member. */
static bool feed_variable(struct checker *c, struct arc_type type, struct arc_node *to)
{
    if (!arc_type_is_number(type)) {
        refuse_constraint(c, type, to, "a number");
        bind_variable(c, to, check_error_type());
        return false;
    }
    bind_variable(c, to, type);
    return true;
}

static bool feed(struct checker *c, struct port from, struct arc_node *to, int32_t input)
{
    struct arc_type *out = &from.node->outputs[from.output];
    struct arc_type in = to->inputs[input];
    struct check_want want = {.type = in,
                              .what = "connect",
                              .target = input_text(c, to, input),
                              .code = ARC_CODE_TYPE,
                              .is_edge = true};
    if (check_is_error(*out))
        return !is_open(in) || (bind_variable(c, to, *out), true);
    if (is_open(in)) {
        if (!is_open(*out))
            return feed_variable(c, *out, to);
        to->untyped_source = from.node;
        return true;
    }
    if (to->kind == ARC_NODE_LIB && to->lib->id == ARC_LIB_STABLE_FOR)
        want.code = ARC_CODE_CONSTRAINT;
    if (is_open(*out) && from.node->expr == NULL && arc_type_is_number(in))
        bind_variable(c, from.node, in);
    else if (is_open(*out) && from.node->expr != NULL)
        type_literal(c, from.node, &want);
    else if (is_open(*out))
        bind_variable(c, from.node, arc_type_scalar(TELEM_F64));
    return check_type_fits(c, from.node->outputs[from.output], &want, to->span, NULL);
}

void check_conditional(struct checker *c, struct flow_build *b, struct port from,
                       bool is_conditional, struct arc_span span)
{
    if (!is_conditional || from.node == NULL ||
        from.node->outputs[from.output].shape != ARC_SHAPE_SERIES)
        return;
    check_error(c, ARC_CODE_TYPE, span, "'=>' needs a number or a str before it, got %s",
                check_type_text(c, from.node->outputs[from.output]));
    b->is_broken = true;
}

void check_connect(struct checker *c, struct flow_build *b, struct port from, struct arc_node *to,
                   int32_t input, bool is_conditional)
{
    to->has_edge = true;
    if (input != ARC_TRIGGER)
        to->is_connected[input] = true;
    if (from.node == NULL) {
        if (input != ARC_TRIGGER && is_open(to->inputs[input]))
            bind_variable(c, to, check_error_type());
        return;
    }
    check_conditional(c, b, from, is_conditional, to->span);
    if (input != ARC_TRIGGER && !feed(c, from, to, input))
        b->is_broken = true;
    struct arc_edge edge = {from.node->index, from.output, to->index, input, is_conditional};
    *ARC_APPEND(c->arena, b->flow->edges, b->flow->n_edges) = edge;
}

/* Later nodes first: a literal that feeds a type variable waits for it. */
void check_finish_types(struct checker *c, struct flow_build *b)
{
    for (size_t i = b->flow->n_nodes; i-- > 0;) {
        struct arc_node *node = b->flow->nodes[i];
        if (node->kind == ARC_NODE_LIB && node->n_inputs > 0 && is_open(node->inputs[0]))
            bind_variable(c, node, arc_type_scalar(TELEM_F64));
    }
    for (size_t i = 0; i < b->flow->n_nodes; i++) {
        struct arc_node *node = b->flow->nodes[i];
        if (node->expr == NULL)
            continue;
        check_settle_default(c, node->expr);
        node->outputs[0] = node->expr->type;
        if (check_is_error(node->expr->type))
            b->is_broken = true;
        else if (node->kind == ARC_NODE_CONST) {
            node->value = node->expr->u.literal.value;
            node->value.type = node->expr->type;
        }
    }
}
