/* Configuration values of function instances: every parameter gets one, literally or by name. */
#include "arc/check_priv.h"

#include "arc/text.h"

#include <string.h>

/* A config parameter of a function or of a library member. */
struct param {
    const char *name;
    struct arc_type type;
    bool is_channel;
    bool is_any_channel; /* of whatever type */
    bool has_default;
    struct arc_value def;
    const struct arc_var *var; /* NULL: the library's */
};

static struct param func_param(const struct arc_func *func, size_t i)
{
    const struct arc_var *var = func->config[i];
    return (struct param){.name = var->name,
                          .type = var->type,
                          .is_channel = arc_type_is_chan(var->type),
                          .has_default = var->has_default,
                          .def = var->def,
                          .var = var};
}

static struct param lib_param(const struct arc_lib_member *lib, size_t i)
{
    const struct arc_lib_param *known = &lib->config[i];
    struct param param = {.name = known->name, .has_default = known->is_optional};
    param.type = arc_type_scalar(known->prim);
    if (known->is_time)
        param.type.unit = arc_unit_find("ns", 2);
    param.is_channel = param.is_any_channel = known->kind == ARC_LIB_CHANNEL;
    param.def.type = param.type;
    return param;
}

static struct param param_of(const struct arc_node *node, size_t i)
{
    return node->kind == ARC_NODE_FUNC ? func_param(node->func, i) : lib_param(node->lib, i);
}

/* ---- Values ------------------------------------------------------------------------------- */

static void refuse_value(struct checker *c, const struct param *param, const struct arc_expr *expr)
{
    if (param->is_channel)
        check_error(c, ARC_CODE_TYPE, expr->span, "config value for '%s' must be a channel",
                    param->name);
    else
        check_error(c, ARC_CODE_TYPE, expr->span,
                    "config value for '%s' must be a literal, a constant or a channel",
                    param->name);
}

static void channel_value(struct checker *c, const struct param *param, struct arc_expr *expr,
                          struct arc_channel *channel, struct arc_config *config)
{
    if (!param->is_channel) {
        struct arc_diag *diag =
            check_error(c, ARC_CODE_TYPE, expr->span,
                        "config value for '%s' must be a literal or a constant, '%s' is a channel",
                        param->name, channel->name);
        check_hint(c, diag, "declare the parameter as: %s chan %s", param->name,
                   telem_type_name(channel->type.prim));
        return;
    }
    struct arc_type type = channel->type;
    type.shape = ARC_SHAPE_CHAN;
    struct check_want want = {.type = param->type,
                              .what = "use",
                              .target = base_arena_printf(c->arena, "set '%s'", param->name),
                              .code = ARC_CODE_TYPE};
    if (!param->is_any_channel)
        check_type_fits(c, type, &want, expr->span, NULL);
    if (param->is_any_channel || param->var->chan_is_written)
        check_writable(c, channel, expr->span);
    config->channel = channel;
}

static bool is_constant_name(const struct arc_expr *expr)
{
    return expr->kind == ARC_EXPR_NAME && expr->u.name->symbol != NULL &&
           expr->u.name->symbol->kind == ARC_SYM_CONST;
}

static void plain_value(struct checker *c, const struct param *param, struct arc_expr *expr,
                        struct arc_config *config)
{
    struct check_want want = {.type = param->type,
                              .what = "use",
                              .target = base_arena_printf(c->arena, "set '%s'", param->name),
                              .code = ARC_CODE_TYPE};
    if (param->is_channel) {
        refuse_value(c, param, expr);
        return;
    }
    check_value(c, expr);
    if (!check_fits(c, expr, &want, NULL) || expr->kind != ARC_EXPR_LITERAL)
        return;
    config->value = expr->u.literal.value;
    config->value.type = param->type;
}

static void named_value(struct checker *c, const struct param *param, struct arc_expr *expr,
                        struct arc_config *config)
{
    struct arc_ident *ident = expr->u.name;
    struct arc_channel *channel =
        ident->symbol == NULL && ident->member == NULL ? check_channel(c, ident) : NULL;
    if (channel != NULL)
        channel_value(c, param, expr, channel, config);
    else if (ident->symbol != NULL || ident->member != NULL)
        refuse_value(c, param, expr);
    else
        check_undefined(c, ident, expr->span);
}

static void check_config_value(struct checker *c, const struct param *param, struct arc_expr *expr,
                               struct arc_config *config)
{
    bool is_literal = expr->kind == ARC_EXPR_LITERAL;
    if (is_literal || is_constant_name(expr))
        plain_value(c, param, expr, config);
    else if (expr->kind == ARC_EXPR_NAME)
        named_value(c, param, expr, config);
    else if (expr->kind != ARC_EXPR_ERROR)
        refuse_value(c, param, expr);
}

/* ---- Arguments to parameters -------------------------------------------------------------- */

static size_t find_param(const struct arc_node *node, const char *name)
{
    size_t i = 0;
    while (i < node->n_config && strcmp(param_of(node, i).name, name) != 0)
        i++;
    return i;
}

static void refuse_name(struct checker *c, const struct arc_node *node,
                        const struct arc_config_arg *arg)
{
    struct arc_diag *diag =
        check_error(c, ARC_CODE_NONE, arg->name_span, "'%s' has no config parameter '%s'",
                    check_node_name(c, node), arg->name->text);
    for (size_t i = 0; i < node->n_config; i++) {
        const char *name = param_of(node, i).name;
        if (arc_text_distance(arg->name->text, name, 2) <= 2)
            check_hint(c, diag, "did you mean '%s'?", name);
    }
}

/* False: there is no such parameter. */
static bool check_named_arg(struct checker *c, struct arc_node *node,
                            const struct arc_config_arg *arg, bool *is_given)
{
    size_t i = find_param(node, arg->name->text);
    if (i == node->n_config) {
        refuse_name(c, node, arg);
        return false;
    }
    if (is_given[i]) {
        check_error(c, ARC_CODE_NONE, arg->name_span, "config parameter '%s' is given twice",
                    arg->name->text);
        return true;
    }
    is_given[i] = true;
    struct param param = param_of(node, i);
    check_config_value(c, &param, arg->value, &node->config[i]);
    return true;
}

static void check_positional_args(struct checker *c, struct arc_node *node,
                                  const struct arc_elem *elem, bool *is_given)
{
    if (elem->n_args > node->n_config)
        check_error(c, ARC_CODE_NONE, elem->args[node->n_config].value->span,
                    "'%s' takes %zu config value%s, got %zu", check_node_name(c, node),
                    node->n_config, node->n_config == 1 ? "" : "s", elem->n_args);
    for (size_t i = 0; i < elem->n_args && i < node->n_config; i++) {
        struct param param = param_of(node, i);
        is_given[i] = true;
        check_config_value(c, &param, elem->args[i].value, &node->config[i]);
    }
}

/* A parameter that is missing beside a name that is unknown is likely to be the one that was meant.
 */
static void fill_defaults(struct checker *c, struct arc_node *node, const struct arc_elem *elem,
                          const bool *is_given, bool all_known)
{
    for (size_t i = 0; i < node->n_config; i++) {
        struct param param = param_of(node, i);
        if (is_given[i])
            continue;
        if (param.has_default)
            node->config[i].value = param.def;
        else if (all_known)
            check_error(c, ARC_CODE_NONE, elem->span, "missing config parameter '%s' for '%s'",
                        param.name, check_node_name(c, node));
    }
}

/* What the types of library parameters do not say. */
static void check_lib_values(struct checker *c, const struct arc_node *node,
                             const struct arc_elem *elem)
{
    for (size_t i = 0; i < elem->n_args; i++) {
        const struct arc_expr *expr = elem->args[i].value;
        if (expr->kind != ARC_EXPR_LITERAL || check_is_error(expr->type))
            continue;
        const struct arc_value *value = &expr->u.literal.value;
        size_t at = elem->args[i].name ? find_param(node, elem->args[i].name->text) : i;
        if (node->lib->id == ARC_LIB_TIME_INTERVAL && at == 0 && value->type.prim == TELEM_I64 &&
            value->number.i64 <= 0)
            check_error(c, ARC_CODE_NONE, expr->span, "the period of an interval must be positive");
        if (node->lib->id == ARC_LIB_STATUS_SET && at == 2 && value->type.prim == TELEM_STR)
            check_status_variant(c, value, expr->span);
    }
}

void check_config(struct checker *c, struct arc_node *node, const struct arc_elem *elem)
{
    node->n_config = node->kind == ARC_NODE_FUNC ? node->func->n_config : node->lib->n_config;
    node->config = base_arena_array(c->arena, struct arc_config, node->n_config);
    bool *is_given = base_arena_array(c->arena, bool, node->n_config);
    bool all_known = true;
    if (elem->n_args > 0 && elem->args[0].name == NULL) {
        check_positional_args(c, node, elem, is_given);
    } else {
        for (size_t i = 0; i < elem->n_args; i++)
            all_known = check_named_arg(c, node, &elem->args[i], is_given) && all_known;
    }
    fill_defaults(c, node, elem, is_given, all_known);
    if (node->kind == ARC_NODE_LIB)
        check_lib_values(c, node, elem);
}
