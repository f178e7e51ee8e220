/* Each node by its kind: its inputs, outputs and configuration are what the kind needs. */
#include "arc/verify_priv.h"

struct shape {
    uint8_t n_inputs, max_inputs; /* fewest and most */
    uint8_t n_outputs;
    uint8_t config[3]; /* vt; ARC_VT_NONE: no more. ARC_VT_CHAN: a channel or nothing */
};

#define NO_CONFIG                                                                                  \
    {                                                                                              \
        ARC_VT_NONE, ARC_VT_NONE, ARC_VT_NONE                                                      \
    }

/* FUNC, EXPR, CONST are looked at on their own. */
static const struct shape shapes[ARC_IMAGE_NODE_COUNT] = {
    [ARC_IMAGE_NODE_SOURCE] = {0, 0, 1, NO_CONFIG},
    [ARC_IMAGE_NODE_SINK] = {1, 1, 1, NO_CONFIG},
    [ARC_IMAGE_NODE_INTERVAL] = {0, 0, 1, {TELEM_I64, ARC_VT_NONE, ARC_VT_NONE}},
    [ARC_IMAGE_NODE_WAIT] = {0, 0, 1, {TELEM_I64, ARC_VT_NONE, ARC_VT_NONE}},
    [ARC_IMAGE_NODE_NOW] = {0, 0, 1, NO_CONFIG},
    [ARC_IMAGE_NODE_AVG] = {1, 2, 1, {TELEM_I64, TELEM_I64, ARC_VT_NONE}},
    [ARC_IMAGE_NODE_MIN] = {1, 2, 1, {TELEM_I64, TELEM_I64, ARC_VT_NONE}},
    [ARC_IMAGE_NODE_MAX] = {1, 2, 1, {TELEM_I64, TELEM_I64, ARC_VT_NONE}},
    [ARC_IMAGE_NODE_DERIVATIVE] = {1, 1, 1, NO_CONFIG},
    [ARC_IMAGE_NODE_SET_AUTHORITY] = {0, 0, 1, {TELEM_U8, ARC_VT_CHAN, ARC_VT_NONE}},
    [ARC_IMAGE_NODE_STATUS_SET] = {0, 0, 1, {TELEM_STR, TELEM_STR, TELEM_STR}},
    [ARC_IMAGE_NODE_STABLE_FOR] = {1, 1, 1, {TELEM_I64, ARC_VT_NONE, ARC_VT_NONE}},
    [ARC_IMAGE_NODE_SELECT] = {1, 1, 2, NO_CONFIG},
};

static bool bad(struct arc_verify *v, uint32_t id, const char *what)
{
    return arc_verify_bad(v, "node %u (%s): %s", id,
                          arc_image_node_text((enum arc_image_node_kind)v->image->nodes[id].kind),
                          what);
}

static bool is_value(const struct arc_image *image, const struct arc_image_value *value)
{
    if (value->vt == ARC_VT_NONE)
        return true;
    if (arc_vt_is_chan(value->vt)) {
        if (value->reg.chan >= image->n_channels)
            return false;
        uint8_t type = image->channels[value->reg.chan].type;
        return arc_vt_elem(value->vt) == (type == TELEM_TIMESTAMP ? TELEM_I64 : type);
    }
    return arc_verify_is_type(value->vt) &&
           (value->vt != TELEM_STR || value->reg.u64 < image->n_strings);
}

/* ---- Ranges ------------------------------------------------------------------------------- */

static bool check_ranges(struct arc_verify *v, uint32_t id)
{
    const struct arc_image *image = v->image;
    const struct arc_image_node *node = &image->nodes[id];
    if (node->kind >= ARC_IMAGE_NODE_COUNT)
        return arc_verify_bad(v, "node %u: no such kind", id);
    if (!arc_verify_in(node->inputs, image->n_inputs) ||
        !arc_verify_in(node->outputs, image->n_outputs) || node->outputs.n == 0 ||
        !arc_verify_in(node->config, image->n_config) || node->run > ARC_RUN_ALWAYS)
        return bad(v, id, "a list is not there");
    for (uint32_t i = 0; i < node->inputs.n; i++) {
        const struct arc_image_input *input = &image->inputs[node->inputs.first + i];
        bool is_connected = input->source != ARC_NONE;
        if (input->node != id || !arc_verify_is_sample(input->type) ||
            !is_value(image, &input->constant) ||
            (input->constant.vt != input->type && !is_connected))
            return bad(v, id, "an input is wrong");
        if (is_connected && input->source >= image->n_outputs)
            return bad(v, id, "an input has no source");
    }
    for (uint32_t i = 0; i < node->outputs.n; i++)
        if (image->outputs[node->outputs.first + i].node != id)
            return bad(v, id, "an output belongs to another");
    for (uint32_t i = 0; i < node->config.n; i++)
        if (!is_value(image, &image->config[node->config.first + i]))
            return bad(v, id, "a config value is wrong");
    return true;
}

/* Each connected input is the target of one edge: as many edges to inputs as connected inputs, and
 * an edge leads only to the input whose source is its output. */
static bool check_connections(struct arc_verify *v)
{
    const struct arc_image *image = v->image;
    uint8_t *n_edges = base_arena_array(&v->scratch, uint8_t, image->n_inputs);
    for (uint32_t i = 0; i < image->n_edges; i++)
        if (image->edges[i].input != ARC_NONE && n_edges[image->edges[i].input]++ != 0)
            return arc_verify_bad(v, "input %u has two sources", image->edges[i].input);
    for (uint32_t i = 0; i < image->n_inputs; i++)
        if ((image->inputs[i].source != ARC_NONE) != (n_edges[i] == 1))
            return arc_verify_bad(v, "input %u has a source without an edge", i);
    return true;
}

/* ---- Kinds -------------------------------------------------------------------------------- */

static uint8_t input_type(const struct arc_image *image, const struct arc_image_node *node,
                          uint32_t i)
{
    return image->inputs[node->inputs.first + i].type;
}

static uint8_t output_type(const struct arc_image *image, const struct arc_image_node *node,
                           uint32_t i)
{
    return image->outputs[node->outputs.first + i].type;
}

static bool check_func(struct arc_verify *v, uint32_t id, const struct arc_image_node *node)
{
    const struct arc_image *image = v->image;
    if (node->func == ARC_NONE)
        return bad(v, id, "has no function");
    const struct arc_image_func *func = &image->funcs[node->func];
    const uint8_t *args = image->func_args + func->args.first;
    if (node->inputs.n != func->n_inputs || node->config.n != func->args.n - func->n_inputs ||
        node->outputs.n != (func->outputs.n == 0 ? 1 : func->outputs.n))
        return bad(v, id, "does not fit its function");
    for (uint32_t i = 0; i < node->inputs.n; i++)
        if (input_type(image, node, i) != args[i])
            return bad(v, id, "an input has another type than its function takes");
    for (uint32_t i = 0; i < node->config.n; i++)
        if (image->config[node->config.first + i].vt != args[node->inputs.n + i])
            return bad(v, id, "a config value has another type than its function takes");
    for (uint32_t i = 0; i < node->outputs.n; i++) {
        uint8_t type =
            func->outputs.n == 0 ? TELEM_U8 : image->func_outputs[func->outputs.first + i].type;
        if (output_type(image, node, i) != type)
            return bad(v, id, "an output has another type than its function gives");
    }
    return true;
}

static bool check_config(struct arc_verify *v, uint32_t id, const struct arc_image_node *node,
                         const struct shape *shape)
{
    uint32_t n = 0;
    for (; n < 3 && shape->config[n] != ARC_VT_NONE; n++) {
        if (n >= node->config.n)
            return bad(v, id, "a config value is missing");
        uint8_t vt = v->image->config[node->config.first + n].vt;
        bool is_channel = shape->config[n] == ARC_VT_CHAN;
        if (is_channel ? vt != ARC_VT_NONE && !arc_vt_is_chan(vt) : vt != shape->config[n])
            return bad(v, id, "a config value has a wrong type");
    }
    return n == node->config.n || bad(v, id, "has too many config values");
}

static uint8_t channel_vt(const struct arc_image *image, uint32_t channel)
{
    uint8_t type = image->channels[channel].type;
    return type == TELEM_TIMESTAMP ? TELEM_I64 : type;
}

/* Types that depend on the kind; numbers of inputs and outputs are right already. */
static bool has_types(const struct arc_image *image, const struct arc_image_node *node)
{
    uint8_t in = node->inputs.n > 0 ? input_type(image, node, 0) : ARC_VT_NONE;
    uint8_t out = output_type(image, node, 0);
    switch (node->kind) {
    case ARC_IMAGE_NODE_SOURCE: return out == channel_vt(image, node->channel);
    case ARC_IMAGE_NODE_SINK: return in == channel_vt(image, node->channel) && out == TELEM_U8;
    case ARC_IMAGE_NODE_NOW: return out == TELEM_I64;
    case ARC_IMAGE_NODE_AVG:
    case ARC_IMAGE_NODE_MIN:
    case ARC_IMAGE_NODE_MAX:
        return in < TELEM_STR && out == in &&
               (node->inputs.n == 1 || input_type(image, node, 1) == TELEM_U8);
    case ARC_IMAGE_NODE_DERIVATIVE: return in < TELEM_STR && out == TELEM_F64;
    case ARC_IMAGE_NODE_STATUS_SET: return out == TELEM_STR;
    case ARC_IMAGE_NODE_STABLE_FOR: return in == TELEM_U8 && out == TELEM_U8;
    case ARC_IMAGE_NODE_SELECT:
        return in == TELEM_U8 && out == TELEM_U8 && output_type(image, node, 1) == TELEM_U8;
    default: return out == TELEM_U8;
    }
}

static bool check_lib(struct arc_verify *v, uint32_t id, const struct arc_image_node *node)
{
    const struct shape *shape = &shapes[node->kind];
    bool has_channel = node->kind == ARC_IMAGE_NODE_SOURCE || node->kind == ARC_IMAGE_NODE_SINK;
    if (has_channel ? node->channel >= v->image->n_channels : node->channel != ARC_NONE)
        return bad(v, id, "has a wrong channel");
    if (node->inputs.n < shape->n_inputs || node->inputs.n > shape->max_inputs ||
        node->outputs.n != shape->n_outputs || node->func != ARC_NONE)
        return bad(v, id, "has a wrong number of inputs or outputs");
    if (!has_types(v->image, node))
        return bad(v, id, "has an input or output of a wrong type");
    return check_config(v, id, node, shape);
}

static bool check_const(struct arc_verify *v, uint32_t id, const struct arc_image_node *node)
{
    return (node->func == ARC_NONE && node->inputs.n == 0 && node->outputs.n == 1 &&
            node->config.n == 1 &&
            v->image->config[node->config.first].vt == output_type(v->image, node, 0)) ||
           bad(v, id, "has no value of its type");
}

/* How a node may run without an edge, by kind. */
static bool has_run(const struct arc_image_node *node)
{
    switch (node->run) {
    case ARC_RUN_TRIGGERED: return true;
    case ARC_RUN_DATA: return node->kind == ARC_IMAGE_NODE_SOURCE;
    case ARC_RUN_ALWAYS: return node->kind == ARC_IMAGE_NODE_EXPR;
    default: return node->kind != ARC_IMAGE_NODE_SOURCE;
    }
}

static bool check_node(struct arc_verify *v, uint32_t id)
{
    const struct arc_image_node *node = &v->image->nodes[id];
    if (!has_run(node))
        return bad(v, id, "cannot run in that way");
    switch (node->kind) {
    case ARC_IMAGE_NODE_CONST: return check_const(v, id, node);
    case ARC_IMAGE_NODE_FUNC: return check_func(v, id, node);
    case ARC_IMAGE_NODE_EXPR:
        return check_func(v, id, node) &&
               (v->image->funcs[node->func].args.n == 0 || bad(v, id, "has arguments"));
    default: return check_lib(v, id, node);
    }
}

bool arc_verify_nodes(struct arc_verify *v)
{
    for (uint32_t i = 0; i < v->image->n_nodes; i++)
        if (!check_ranges(v, i) || !check_node(v, i))
            return false;
    return check_connections(v);
}
