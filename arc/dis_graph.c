/* The graph: scopes from the root inward, each with its members in running order. */
#include "arc/dis_priv.h"

static void put_scope(struct arc_dis *d, uint32_t id);

static void indent(struct arc_dis *d, uint32_t depth)
{
    arc_dis_put(d, "%*s", (int)(2 * depth), "");
}

/* ---- Names -------------------------------------------------------------------------------- */

static const char *scope_title(struct arc_dis *d, uint32_t id)
{
    const struct arc_image_scope *scope = &d->image->scopes[id];
    const char *what = id == 0             ? "root"
                       : scope->sequential ? "sequence"
                       : scope->wrapper    ? "item"
                                           : "stage";
    return base_arena_printf(d->arena, "%s %u%s%s", what, id, scope->name[0] != 0 ? " " : "",
                             scope->name);
}

static const char *node_title(struct arc_dis *d, uint32_t id)
{
    const struct arc_image_node *node = &d->image->nodes[id];
    const char *what = arc_image_node_text((enum arc_image_node_kind)node->kind);
    if (node->channel != ARC_NONE)
        return base_arena_printf(d->arena, "node %u %s %s", id, what,
                                 d->image->channels[node->channel].name);
    if (node->kind == ARC_IMAGE_NODE_FUNC)
        return base_arena_printf(d->arena, "node %u %s %s", id, what,
                                 d->image->funcs[node->func].name);
    if (node->kind == ARC_IMAGE_NODE_EXPR)
        return base_arena_printf(d->arena, "node %u %s (function %u)", id, what, node->func);
    return base_arena_printf(d->arena, "node %u %s", id, what);
}

static const char *output_title(struct arc_dis *d, uint32_t id)
{
    const struct arc_image_output *out = &d->image->outputs[id];
    const char *sep = out->name[0] != 0 ? "." : "";
    return base_arena_printf(d->arena, "node %u%s%s", out->node, sep, out->name);
}

/* ---- Nodes -------------------------------------------------------------------------------- */

static void put_edges(struct arc_dis *d, const struct arc_image_output *out, uint32_t depth)
{
    const struct arc_image *image = d->image;
    for (uint32_t i = 0; i < out->edges.n; i++) {
        const struct arc_image_edge *edge = &image->edges[out->edges.first + i];
        indent(d, depth);
        arc_dis_put(d, "%s%s%s node %u", out->name, out->name[0] != 0 ? " " : "",
                    edge->conditional ? "=>" : "->", edge->node);
        if (edge->input == ARC_NONE)
            arc_dis_put(d, " trigger\n");
        else
            arc_dis_put(d, " input %u\n", edge->input - image->nodes[edge->node].inputs.first);
    }
    for (uint32_t i = 0; i < out->activations.n; i++) {
        const struct arc_image_activation *a = &image->activations[out->activations.first + i];
        indent(d, depth);
        arc_dis_put(d, "%s%s%s activate %s\n", out->name, out->name[0] != 0 ? " " : "",
                    a->conditional ? "=>" : "->", scope_title(d, a->scope));
    }
}

static void put_config(struct arc_dis *d, const struct arc_image_node *node)
{
    for (uint32_t i = 0; i < node->config.n; i++)
        arc_dis_put(d, "%s%s", i == 0 ? " {" : ", ",
                    arc_dis_value(d, &d->image->config[node->config.first + i]));
    if (node->config.n > 0)
        arc_dis_put(d, "}");
}

static void put_node(struct arc_dis *d, uint32_t id, uint32_t depth)
{
    static const char *const runs[] = {"", "", ", once", ", every cycle"};
    const struct arc_image *image = d->image;
    const struct arc_image_node *node = &image->nodes[id];
    indent(d, depth);
    arc_dis_put(d, "[%u] %s", node->stratum, node_title(d, id));
    put_config(d, node);
    for (uint32_t i = 0; i < node->inputs.n; i++) {
        const struct arc_image_input *input = &image->inputs[node->inputs.first + i];
        arc_dis_put(d, "%s%s", i == 0 ? " (" : ", ", arc_dis_vt(d, input->type));
        if (input->source == ARC_NONE)
            arc_dis_put(d, " = %s", arc_dis_value(d, &input->constant));
    }
    if (node->inputs.n > 0)
        arc_dis_put(d, ")");
    for (uint32_t i = 0; i < node->outputs.n; i++)
        arc_dis_put(d, "%s%s", i == 0 ? " : " : ", ",
                    arc_dis_vt(d, image->outputs[node->outputs.first + i].type));
    arc_dis_put(d, "%s  (line %u)\n", runs[node->run], node->line);
    for (uint32_t i = 0; i < node->outputs.n; i++)
        put_edges(d, &image->outputs[node->outputs.first + i], depth + 3);
}

/* ---- Scopes ------------------------------------------------------------------------------- */

static void put_transition(struct arc_dis *d, const struct arc_image_transition *t, uint32_t depth)
{
    const struct arc_image_scope *owner = &d->image->scopes[t->owner];
    indent(d, depth);
    arc_dis_put(d, "%s %s ", output_title(d, t->output),
                t->completion ? "done:"
                : t->truthy   ? "=>"
                              : "->");
    if (t->target_kind == ARC_TO_END)
        arc_dis_put(d, "end\n");
    else if (t->target_kind == ARC_TO_TOP)
        arc_dis_put(d, "leave, %s\n", scope_title(d, t->target));
    else
        arc_dis_put(d, "item %u, %s\n", t->target,
                    scope_title(d, d->image->members[owner->members.first + t->target].id));
}

static void put_members(struct arc_dis *d, const struct arc_image_scope *scope)
{
    for (uint32_t i = 0; i < scope->members.n; i++) {
        struct arc_image_member member = d->image->members[scope->members.first + i];
        if (member.kind == ARC_MEMBER_NODE)
            put_node(d, member.id, scope->depth + 1);
        else
            put_scope(d, member.id);
    }
}

static void put_scope(struct arc_dis *d, uint32_t id)
{
    const struct arc_image_scope *scope = &d->image->scopes[id];
    indent(d, scope->depth);
    if (id != 0 && !d->image->scopes[scope->parent].sequential)
        arc_dis_put(d, "[%u] ", scope->stratum);
    arc_dis_put(d, "%s%s%s", scope_title(d, id), scope->auto_start ? ", starts by itself" : "",
                scope->inline_body ? ", inline" : "");
    arc_dis_put(d, id == 0 ? "\n" : "  (line %u)\n", scope->line);
    put_members(d, scope);
    for (uint32_t i = 0; i < scope->transitions.n; i++)
        put_transition(d, &d->image->transitions[scope->transitions.first + i], scope->depth + 1);
}

void arc_dis_graph(struct arc_dis *d)
{
    arc_dis_put(d, "\ngraph\n");
    put_scope(d, 0);
}
