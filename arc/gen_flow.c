/* Flows and scopes: walks the tree of scopes in the order of the text, makes the image's scopes,
 * nodes and edges, and notes transitions until all their targets are known.
 *
 * Scopes of the image differ from those of the text in three places: each item of a sequence that
 * is a flow has a parallel scope of its own; a stage that stands in no sequence is the one item of
 * a sequential scope; a sequence without items has one that completes at once. */
#include "arc/gen_priv.h"

static void gen_flow(struct arc_gen *gen, const struct arc_flow *flow, uint32_t scope);

/* ---- Scopes ------------------------------------------------------------------------------- */

struct scope_spec {
    const char *name; /* NULL: anonymous */
    struct arc_span span;
    uint32_t parent;
    bool sequential, inline_body, wrapper;
};

static uint32_t append_scope(struct arc_gen *gen, const struct scope_spec *spec)
{
    struct arc_image *image = gen->image;
    uint32_t id = image->n_scopes;
    const struct arc_image_scope *parent = id == 0 ? NULL : &image->scopes[spec->parent];
    struct arc_image_scope out = {
        .name = arc_gen_name(gen, spec->name),
        .line = spec->span.line,
        .parent = id == 0 ? ARC_NONE : spec->parent,
        .member = ARC_NONE,
        .owner = spec->sequential ? id
                 : id == 0        ? ARC_NONE
                                  : parent->owner,
        .top = id == 0             ? ARC_NONE
               : spec->parent == 0 ? id
                                   : parent->top,
        .depth = id == 0 ? 0 : parent->depth + 1,
        .sequential = spec->sequential,
        .inline_body = spec->inline_body,
        .wrapper = spec->wrapper,
    };
    if (id != 0)
        out.auto_start = !parent->sequential && spec->name == NULL && !spec->inline_body;
    if (out.depth >= ARC_MAX_SCOPE_DEPTH && !gen->failed)
        arc_gen_limit(gen, spec->span, "stages and sequences are nested too deeply");
    *ARC_APPEND(gen->scratch, image->scopes, image->n_scopes) = out;
    *ARC_APPEND(gen->scratch, gen->scope_pos, gen->n_scope_pos) = spec->span.start;
    return id;
}

/* ---- Completion --------------------------------------------------------------------------- */

/* Where control goes when item `item` of a sequence has completed. When the last item of a nested
 * sequence has, its own item in the sequence around it has as well. */
static void completion_target(const struct arc_gen *gen, const struct arc_scope *sequence,
                              size_t item, struct arc_image_transition *out)
{
    while (item + 1 >= sequence->n_items && sequence->parent != NULL && !sequence->is_inline &&
           sequence->parent->kind == ARC_SCOPE_SEQUENCE) {
        item = sequence->item_in_parent;
        sequence = sequence->parent;
    }
    out->owner = gen->scope_ids[sequence->index];
    bool is_last = item + 1 >= sequence->n_items;
    out->target_kind = is_last ? ARC_TO_END : ARC_TO_ITEM;
    out->target = is_last ? ARC_NONE : (uint32_t)item + 1;
}

static void append_completion(struct arc_gen *gen, const struct arc_scope *sequence, size_t item,
                              uint32_t output, struct arc_span span)
{
    struct arc_gen_jump jump = {.pos = span.start};
    jump.transition = (struct arc_image_transition){
        .output = output, .truthy = true, .completion = true, .line = span.line};
    completion_target(gen, sequence, item, &jump.transition);
    *ARC_APPEND(gen->scratch, gen->jumps, gen->n_jumps) = jump;
}

/* ---- Sequences and stages ----------------------------------------------------------------- */

static void gen_scope(struct arc_gen *gen, const struct arc_scope *scope, uint32_t parent);

static void flow_item(struct arc_gen *gen, const struct arc_scope *sequence, size_t item,
                      uint32_t parent)
{
    const struct arc_flow *flow = sequence->items[item].flow;
    uint32_t first_node = gen->image->n_nodes;
    struct scope_spec spec = {.span = flow->span, .parent = parent, .wrapper = true};
    gen_flow(gen, flow, append_scope(gen, &spec));
    if (flow->completion != ARC_DONE_NEVER) {
        uint32_t done = first_node + flow->done_node;
        append_completion(gen, sequence, item, gen->image->nodes[done].outputs.first, flow->span);
    }
}

/* An item that completes as soon as it runs. */
static void empty_item(struct arc_gen *gen, const struct arc_scope *sequence, uint32_t parent)
{
    struct scope_spec spec = {.span = sequence->span, .parent = parent, .wrapper = true};
    uint32_t scope = append_scope(gen, &spec);
    struct arc_type type = arc_type_scalar(TELEM_U8);
    struct arc_node one = {.kind = ARC_NODE_CONST, .span = sequence->span, .outputs = &type};
    one.n_outputs = 1;
    one.value = (struct arc_value){.type = type, .number = {.u64 = 1}};
    uint32_t node = arc_gen_node(gen, &one, scope, sequence->span.start);
    append_completion(gen, sequence, 0, gen->image->nodes[node].outputs.first, sequence->span);
}

static void gen_sequence(struct arc_gen *gen, const struct arc_scope *scope, uint32_t parent)
{
    struct scope_spec spec = {.name = scope->name,
                              .span = scope->span,
                              .parent = parent,
                              .sequential = true,
                              .inline_body = scope->is_inline};
    uint32_t id = append_scope(gen, &spec);
    gen->scope_ids[scope->index] = id;
    for (size_t i = 0; i < scope->n_items; i++) {
        if (scope->items[i].flow != NULL)
            flow_item(gen, scope, i, id);
        else
            gen_scope(gen, scope->items[i].scope, id);
    }
    if (scope->n_items == 0)
        empty_item(gen, scope, id);
}

static void gen_members(struct arc_gen *gen, const struct arc_scope *scope, uint32_t id)
{
    for (size_t i = 0; i < scope->n_items; i++) {
        if (scope->items[i].flow != NULL)
            gen_flow(gen, scope->items[i].flow, id);
        else
            gen_scope(gen, scope->items[i].scope, id);
    }
}

static void gen_stage(struct arc_gen *gen, const struct arc_scope *scope, uint32_t parent)
{
    struct scope_spec spec = {.name = scope->name,
                              .span = scope->span,
                              .parent = parent,
                              .inline_body = scope->is_inline};
    bool stands_alone = gen->image->scopes[parent].owner == ARC_NONE;
    if (stands_alone) {
        spec.sequential = spec.wrapper = true;
        uint32_t wrapper = append_scope(gen, &spec);
        gen->scope_ids[scope->index] = wrapper;
        spec = (struct scope_spec){.name = scope->name, .span = scope->span, .parent = wrapper};
        gen_members(gen, scope, append_scope(gen, &spec));
        return;
    }
    uint32_t id = append_scope(gen, &spec);
    gen->scope_ids[scope->index] = id;
    gen_members(gen, scope, id);
}

static void gen_scope(struct arc_gen *gen, const struct arc_scope *scope, uint32_t parent)
{
    if (gen->failed)
        return;
    if (scope->kind == ARC_SCOPE_SEQUENCE)
        gen_sequence(gen, scope, parent);
    else
        gen_stage(gen, scope, parent);
}

/* ---- Flows -------------------------------------------------------------------------------- */

static uint32_t output_of(const struct arc_gen *gen, uint32_t first_node, uint32_t node,
                          uint32_t output)
{
    return gen->image->nodes[first_node + node].outputs.first + output;
}

static void gen_edge(struct arc_gen *gen, const struct arc_edge *edge, uint32_t first_node)
{
    struct arc_image *image = gen->image;
    uint32_t target = first_node + edge->dst;
    uint32_t output = output_of(gen, first_node, edge->src, edge->src_output);
    uint32_t input = ARC_NONE;
    if (edge->dst_input != ARC_TRIGGER) {
        input = image->nodes[target].inputs.first + (uint32_t)edge->dst_input;
        image->inputs[input].source = output;
    }
    *ARC_APPEND(gen->scratch, image->edges, image->n_edges) = (struct arc_image_edge){
        .node = target, .input = input, .conditional = edge->is_conditional};
    *ARC_APPEND(gen->scratch, gen->edge_outputs, gen->n_edge_outputs) = output;
}

static void gen_transition(struct arc_gen *gen, const struct arc_transition *text,
                           uint32_t first_node)
{
    struct arc_gen_jump jump = {.text = text, .pos = text->span.start};
    jump.transition = (struct arc_image_transition){
        .output = output_of(gen, first_node, text->src, text->src_output),
        .truthy = text->is_conditional,
        .line = text->span.line,
    };
    *ARC_APPEND(gen->scratch, gen->jumps, gen->n_jumps) = jump;
}

static void gen_start(struct arc_gen *gen, const struct arc_start *start, uint32_t first_node,
                      uint32_t scope)
{
    struct arc_image *image = gen->image;
    gen_scope(gen, start->scope, scope);
    *ARC_APPEND(gen->scratch, image->activations, image->n_activations) =
        (struct arc_image_activation){
            .output = output_of(gen, first_node, start->src, start->src_output),
            .scope = gen->scope_ids[start->scope->index],
            .conditional = start->is_conditional,
        };
}

static void gen_flow(struct arc_gen *gen, const struct arc_flow *flow, uint32_t scope)
{
    if (gen->failed)
        return;
    uint32_t first_node = gen->image->n_nodes;
    uint32_t pos = flow->span.start;
    if (flow->n_nodes > ARC_MAX_NODES - first_node) {
        arc_gen_limit(gen, flow->span, "the program has more than %d nodes", ARC_MAX_NODES);
        return;
    }
    for (size_t i = 0; i < flow->n_nodes; i++) {
        if (flow->nodes[i]->span.start > pos)
            pos = flow->nodes[i]->span.start;
        arc_gen_node(gen, flow->nodes[i], scope, pos);
    }
    for (size_t i = 0; i < flow->n_edges; i++)
        gen_edge(gen, &flow->edges[i], first_node);
    for (size_t i = 0; i < flow->n_transitions; i++)
        gen_transition(gen, &flow->transitions[i], first_node);
    for (size_t i = 0; i < flow->n_starts; i++)
        gen_start(gen, &flow->starts[i], first_node, scope);
}

void arc_gen_flows(struct arc_gen *gen)
{
    const struct arc_program *program = gen->program;
    gen->scope_ids = base_arena_array(gen->scratch, uint32_t, program->n_scopes);
    struct scope_spec root = {.parent = ARC_NONE};
    gen->scope_ids[program->root->index] = append_scope(gen, &root);
    gen_members(gen, program->root, 0);
}
