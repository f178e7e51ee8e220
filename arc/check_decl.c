/* Authority, constants, and the signatures of functions. */
#include "arc/check_priv.h"

/* ---- Authority ---------------------------------------------------------------------------- */

static void check_default_authority(struct checker *c, const struct arc_authority *authority,
                                    bool *has_default)
{
    if (*has_default)
        check_error(c, ARC_CODE_NONE, authority->span, "more than one default authority");
    *has_default = true;
    c->program->default_authority = authority->value;
}

static void check_channel_authority(struct checker *c, const struct arc_authority *authority)
{
    struct arc_channel *channel = check_channel(c, authority->channel);
    if (channel == NULL) {
        check_error(c, ARC_CODE_UNDEFINED, authority->span, "channel '%s' not found",
                    authority->channel->text);
        return;
    }
    if (channel->authority >= 0) {
        check_error(c, ARC_CODE_NONE, authority->span, "duplicate authority for '%s'",
                    channel->name);
        return;
    }
    check_writable(c, channel, authority->span);
    channel->authority = authority->value;
    channel->has_authority = true;
}

void check_authorities(struct checker *c)
{
    bool has_default = false;
    for (size_t i = 0; i < c->program->n_authorities; i++) {
        const struct arc_authority *authority = &c->program->authorities[i];
        if (!authority->is_valid)
            check_error(c, ARC_CODE_NONE, authority->value_span,
                        "authority must be a whole number 0 to 255, not '%s'",
                        check_source_text(c, authority->value_span));
        if (authority->channel == NULL)
            check_default_authority(c, authority, &has_default);
        else
            check_channel_authority(c, authority);
    }
}

/* ---- Literals for constants and defaults -------------------------------------------------- */

/* False after an error. */
static bool literal_value(struct checker *c, struct arc_expr *expr, struct arc_type type,
                          const char *what, const char *name, struct arc_value *value)
{
    struct check_want want = {.type = type,
                              .what = what,
                              .target = base_arena_printf(c->arena, "'%s'", name),
                              .code = ARC_CODE_TYPE};
    if (expr->kind == ARC_EXPR_FORMAT) {
        check_error(c, ARC_CODE_NONE, expr->span,
                    "a format string with placeholders is no literal");
        return false;
    }
    check_value(c, expr);
    if (check_is_error(expr->type) || !check_fits(c, expr, &want, NULL))
        return false;
    *value = expr->u.literal.value;
    value->type = type;
    return true;
}

static void check_constant(struct checker *c, struct arc_const *constant)
{
    if (constant->is_broken)
        return;
    struct arc_expr *expr = constant->expr;
    struct arc_type type = constant->declared;
    if (type.shape == ARC_SHAPE_NONE) {
        type = expr->type.shape == ARC_SHAPE_LITERAL ? check_literal_default(&expr->u.literal.raw)
                                                     : expr->type;
    } else if (type.shape != ARC_SHAPE_SCALAR) {
        check_error(c, ARC_CODE_TYPE, constant->name_span,
                    "a constant is a number or a str, not %s", check_type_text(c, type));
        constant->is_broken = true;
        return;
    }
    constant->is_broken =
        !literal_value(c, expr, type, "assign", constant->ident->text, &constant->value);
}

void check_constants(struct checker *c)
{
    for (size_t i = 0; i < c->program->n_consts; i++)
        check_constant(c, c->program->consts[i]);
}

/* ---- Signatures --------------------------------------------------------------------------- */

static void check_default(struct checker *c, struct arc_var *var)
{
    if (arc_type_is_chan(var->type)) {
        check_error(c, ARC_CODE_TYPE, var->def_expr->span,
                    "channel parameter '%s' cannot have a default", var->name);
        var->has_default = false;
        return;
    }
    /* After an error the parameter still counts as one with a default. */
    literal_value(c, var->def_expr, var->type, "assign", var->name, &var->def);
}

static void check_params(struct checker *c, struct arc_var **params, size_t n)
{
    bool has_default = false;
    for (size_t i = 0; i < n; i++) {
        struct arc_var *var = params[i];
        if (var->has_default)
            check_default(c, var);
        else if (has_default)
            check_error(c, ARC_CODE_NONE, var->span,
                        "required parameter '%s' after an optional one", var->name);
        has_default |= var->has_default;
    }
}

static void check_outputs(struct checker *c, struct arc_func *func)
{
    if (arc_type_is_chan(func->result)) {
        check_error(c, ARC_CODE_TYPE, func->result_span, "an output cannot be a channel");
        func->result = check_error_type();
    }
    for (size_t i = 0; i < func->n_outputs; i++) {
        struct arc_var *var = func->outputs[i];
        if (!arc_type_is_chan(var->type))
            continue;
        check_error(c, ARC_CODE_TYPE, var->span, "an output cannot be a channel");
        var->type = check_error_type();
    }
}

void check_signatures(struct checker *c)
{
    for (size_t i = 0; i < c->program->n_funcs; i++) {
        struct arc_func *func = c->program->funcs[i];
        if (func->is_broken)
            continue;
        check_params(c, func->config, func->n_config);
        check_params(c, func->inputs, func->n_inputs);
        check_outputs(c, func);
    }
}
