/* Nodes of the image, from the nodes of a flow: inputs, outputs, configuration, and when they run.
 */
#include "arc/gen_priv.h"

static enum arc_image_node_kind lib_kind(const struct arc_lib_member *lib)
{
    switch (lib->id) {
    case ARC_LIB_TIME_INTERVAL: return ARC_IMAGE_NODE_INTERVAL;
    case ARC_LIB_TIME_WAIT: return ARC_IMAGE_NODE_WAIT;
    case ARC_LIB_TIME_NOW: return ARC_IMAGE_NODE_NOW;
    case ARC_LIB_MATH_AVG: return ARC_IMAGE_NODE_AVG;
    case ARC_LIB_MATH_MIN: return ARC_IMAGE_NODE_MIN;
    case ARC_LIB_MATH_MAX: return ARC_IMAGE_NODE_MAX;
    case ARC_LIB_MATH_DERIVATIVE: return ARC_IMAGE_NODE_DERIVATIVE;
    case ARC_LIB_CONTROL_SET_AUTHORITY: return ARC_IMAGE_NODE_SET_AUTHORITY;
    case ARC_LIB_STATUS_SET: return ARC_IMAGE_NODE_STATUS_SET;
    case ARC_LIB_STABLE_FOR: return ARC_IMAGE_NODE_STABLE_FOR;
    case ARC_LIB_SELECT: return ARC_IMAGE_NODE_SELECT;
    case ARC_LIB_LEN:
    case ARC_LIB_RANGE:
    case ARC_LIB_COUNT: break;
    }
    ARCD_ASSERT(false); /* a checked flow has no library member that is no node */
    return ARC_IMAGE_NODE_SELECT;
}

static enum arc_image_node_kind node_kind(const struct arc_node *node)
{
    switch (node->kind) {
    case ARC_NODE_SOURCE: return ARC_IMAGE_NODE_SOURCE;
    case ARC_NODE_SINK: return ARC_IMAGE_NODE_SINK;
    case ARC_NODE_CONST: return ARC_IMAGE_NODE_CONST;
    case ARC_NODE_EXPR: return ARC_IMAGE_NODE_EXPR;
    case ARC_NODE_FUNC: return ARC_IMAGE_NODE_FUNC;
    case ARC_NODE_LIB: break;
    }
    return lib_kind(node->lib);
}

/* ---- When it runs ------------------------------------------------------------------------- */

static enum arc_image_node_run node_run(const struct arc_node *node)
{
    if (node->has_edge)
        return ARC_RUN_TRIGGERED;
    if (node->kind == ARC_NODE_SOURCE)
        return ARC_RUN_DATA;
    if (node->kind != ARC_NODE_EXPR)
        return ARC_RUN_ONCE;
    return node->is_once ? ARC_RUN_ONCE : ARC_RUN_ALWAYS;
}

/* ---- Inputs, outputs, configuration ------------------------------------------------------- */

static void append_input(struct arc_gen *gen, uint32_t id, uint8_t vt,
                         struct arc_image_value constant)
{
    struct arc_image *image = gen->image;
    *ARC_APPEND(gen->scratch, image->inputs, image->n_inputs) =
        (struct arc_image_input){.node = id, .type = vt, .source = ARC_NONE, .constant = constant};
    image->nodes[id].inputs.n++;
}

static struct arc_image_value zero_value(enum telem_type type)
{
    return (struct arc_image_value){.vt = (uint8_t)type}; /* strings[0] is empty */
}

static void append_inputs(struct arc_gen *gen, uint32_t id, const struct arc_node *node)
{
    for (size_t i = 0; i < node->n_inputs; i++) {
        struct arc_image_value constant = zero_value(node->inputs[i].prim);
        if (node->kind == ARC_NODE_FUNC && node->func->inputs[i]->has_default)
            constant = arc_gen_value(gen, &node->func->inputs[i]->def);
        else if (node->is_connected[i])
            constant.vt = ARC_VT_NONE;
        bool is_unused_reset = node->kind == ARC_NODE_LIB && i > 0 && !node->is_connected[i];
        if (!is_unused_reset)
            append_input(gen, id, arc_gen_vt(node->inputs[i]), constant);
    }
}

static const char *output_name(struct arc_gen *gen, const struct arc_node *node, size_t i)
{
    if (node->kind == ARC_NODE_LIB)
        return arc_gen_name(gen, node->lib->outputs[i].name);
    if (node->kind == ARC_NODE_FUNC && i < node->func->n_outputs)
        return arc_gen_name(gen, node->func->outputs[i]->name);
    return "";
}

static void append_output(struct arc_gen *gen, uint32_t id, uint8_t vt, const char *name)
{
    struct arc_image *image = gen->image;
    *ARC_APPEND(gen->scratch, image->outputs, image->n_outputs) =
        (struct arc_image_output){.node = id, .type = vt, .name = name};
    image->nodes[id].outputs.n++;
}

static void append_outputs(struct arc_gen *gen, uint32_t id, const struct arc_node *node)
{
    for (size_t i = 0; i < node->n_outputs; i++)
        append_output(gen, id, arc_gen_vt(node->outputs[i]), output_name(gen, node, i));
    if (node->n_outputs == 0)
        append_output(gen, id, TELEM_U8, "");
}

static void append_config(struct arc_gen *gen, uint32_t id, struct arc_image_value value)
{
    struct arc_image *image = gen->image;
    *ARC_APPEND(gen->scratch, image->config, image->n_config) = value;
    image->nodes[id].config.n++;
}

static bool is_channel_param(const struct arc_node *node, size_t i)
{
    if (node->kind == ARC_NODE_LIB)
        return node->lib->config[i].kind == ARC_LIB_CHANNEL;
    return arc_type_is_chan(node->func->config[i]->type);
}

static void append_configs(struct arc_gen *gen, uint32_t id, const struct arc_node *node)
{
    if (node->kind == ARC_NODE_CONST)
        append_config(gen, id, arc_gen_value(gen, &node->value));
    for (size_t i = 0; i < node->n_config; i++) {
        const struct arc_config *config = &node->config[i];
        struct arc_image_value value = {.vt = ARC_VT_NONE};
        if (!is_channel_param(node, i)) {
            value = arc_gen_value(gen, &config->value);
        } else if (config->channel != NULL) {
            value.vt = (uint8_t)(ARC_VT_CHAN | config->channel->type.prim);
            value.reg.chan = config->channel->index;
        }
        append_config(gen, id, value);
    }
}

static uint32_t node_func(struct arc_gen *gen, const struct arc_node *node)
{
    if (node->kind == ARC_NODE_EXPR)
        return arc_gen_expr_func(gen, node->expr);
    return node->kind == ARC_NODE_FUNC ? gen->func_ids[node->func->index] : ARC_NONE;
}

uint32_t arc_gen_node(struct arc_gen *gen, const struct arc_node *node, uint32_t scope,
                      uint32_t pos)
{
    struct arc_image *image = gen->image;
    uint32_t id = image->n_nodes;
    struct arc_image_node out = {
        .kind = (uint8_t)node_kind(node),
        .run = (uint8_t)node_run(node),
        .line = node->span.line,
        .scope = scope,
        .func = node_func(gen, node),
        .channel = node->channel != NULL ? node->channel->index : ARC_NONE,
        .inputs = {.first = image->n_inputs},
        .outputs = {.first = image->n_outputs},
        .config = {.first = image->n_config},
    };
    *ARC_APPEND(gen->scratch, image->nodes, image->n_nodes) = out;
    *ARC_APPEND(gen->scratch, gen->node_pos, gen->n_node_pos) = pos;
    append_inputs(gen, id, node);
    append_outputs(gen, id, node);
    append_configs(gen, id, node);
    return id;
}
