/* Calls and casts. */
#include "arc/check_priv.h"

#include <string.h>

/* ---- Functions of the program ------------------------------------------------------------- */

static const char *param_text(struct checker *c, const struct arc_var *var)
{
    return base_arena_printf(c->arena, "%s %s%s", var->name, check_type_text(c, var->type),
                             var->has_default ? " = ..." : "");
}

static void note_signature(struct checker *c, struct arc_diag *diag, const struct arc_func *func)
{
    const char *params = "";
    for (size_t i = 0; i < func->n_inputs; i++)
        params = base_arena_printf(c->arena, "%s%s%s", params, i == 0 ? "" : ", ",
                                   param_text(c, func->inputs[i]));
    bool has_result = func->result.shape != ARC_SHAPE_NONE;
    check_note(c, diag, "func %s(%s)%s%s", func->name, params, has_result ? " " : "",
               has_result ? check_type_text(c, func->result) : "");
}

static size_t n_required(const struct arc_func *func)
{
    size_t n = 0;
    for (size_t i = 0; i < func->n_inputs; i++)
        n += !func->inputs[i]->has_default;
    return n;
}

static bool check_arg_count(struct checker *c, const struct arc_expr *expr,
                            const struct arc_func *func)
{
    size_t n = expr->u.call.n_args;
    size_t least = n_required(func);
    if (n >= least && n <= func->n_inputs)
        return true;
    const char *wanted = least == func->n_inputs
                             ? base_arena_printf(c->arena, "%zu", least)
                             : base_arena_printf(c->arena, "%zu to %zu", least, func->n_inputs);
    struct arc_diag *diag =
        check_error(c, ARC_CODE_ARG_COUNT, expr->span, "'%s' takes %s argument%s, got %zu",
                    func->name, wanted, func->n_inputs == 1 ? "" : "s", n);
    note_signature(c, diag, func);
    return false;
}

/* An argument for a chan parameter names a channel. */
static void check_chan_arg(struct checker *c, struct arc_expr *arg, const struct arc_func *func,
                           const struct arc_var *param)
{
    struct arc_chan_ref ref;
    struct arc_type type;
    if (!check_is_channel_name(c, arg, &ref, &type)) {
        check_typed_value(c, arg);
        if (check_is_error(arg->type))
            return;
        struct arc_diag *diag =
            check_error(c, ARC_CODE_ARG_TYPE, arg->span, "parameter '%s' of '%s' needs a channel",
                        param->name, func->name);
        note_signature(c, diag, func);
        return;
    }
    arg->kind = ARC_EXPR_CHAN;
    arg->u.chan = ref;
    arg->type = type;
    struct check_want want = {.type = param->type,
                              .what = "pass",
                              .target = base_arena_printf(c->arena, "'%s'", param->name),
                              .code = ARC_CODE_ARG_TYPE};
    struct arc_diag *diag;
    if (!check_type_fits(c, type, &want, arg->span, &diag))
        note_signature(c, diag, func);
}

static void check_arg(struct checker *c, struct arc_expr *arg, const struct arc_func *func,
                      const struct arc_var *param)
{
    if (arc_type_is_chan(param->type)) {
        check_chan_arg(c, arg, func, param);
        return;
    }
    struct check_want want = {.type = param->type,
                              .what = "pass",
                              .target = base_arena_printf(c->arena, "'%s'", param->name),
                              .code = ARC_CODE_ARG_TYPE};
    struct arc_diag *diag;
    check_value(c, arg);
    if (!check_fits(c, arg, &want, &diag) && diag != NULL)
        note_signature(c, diag, func);
}

static struct arc_expr *default_arg(struct checker *c, const struct arc_expr *call,
                                    const struct arc_var *param)
{
    struct arc_expr *arg = base_arena_new(c->arena, struct arc_expr);
    arg->kind = ARC_EXPR_LITERAL;
    arg->depth = 1;
    arg->span = call->span;
    arg->type = param->type;
    arg->u.literal.value = param->def;
    return arg;
}

/* False: the function is only good for flows. */
static bool check_is_callable(struct checker *c, const struct arc_expr *expr,
                              const struct arc_func *func)
{
    const char *why = func->n_config > 0    ? "has config parameters"
                      : func->n_outputs > 0 ? "has named outputs"
                                            : NULL;
    if (why == NULL)
        return true;
    check_error(c, ARC_CODE_NONE, expr->span, "'%s' works only as a flow node: write %s{} (it %s)",
                func->name, func->name, why);
    return false;
}

static void check_args_only(struct checker *c, struct arc_expr *expr)
{
    for (size_t i = 0; i < expr->u.call.n_args; i++)
        check_typed_value(c, expr->u.call.args[i]);
    expr->type = check_error_type();
}

static void check_func_call(struct checker *c, struct arc_expr *expr, struct arc_func *func)
{
    if (func->is_broken || !check_is_callable(c, expr, func) || !check_arg_count(c, expr, func)) {
        check_args_only(c, expr);
        return;
    }
    expr->u.call.func = func;
    for (size_t i = 0; i < expr->u.call.n_args; i++)
        check_arg(c, expr->u.call.args[i], func, func->inputs[i]);
    for (size_t i = expr->u.call.n_args; i < func->n_inputs; i++)
        *ARC_APPEND(c->arena, expr->u.call.args, expr->u.call.n_args) =
            default_arg(c, expr, func->inputs[i]);
    expr->type = func->result;
    if (c->func != NULL)
        *ARC_APPEND(c->arena, c->calls, c->n_calls) = (struct call_site){c->func, expr};
}

/* ---- Library functions -------------------------------------------------------------------- */

static bool check_lib_arg_count(struct checker *c, const struct arc_expr *expr, const char *name,
                                size_t wanted)
{
    size_t n = expr->u.call.n_args;
    if (n == wanted)
        return true;
    check_error(c, ARC_CODE_ARG_COUNT, expr->span, "'%s' takes %zu argument%s, got %zu", name,
                wanted, wanted == 1 ? "" : "s", n);
    return false;
}

static bool check_len_arg(struct checker *c, const struct arc_expr *arg)
{
    struct arc_type type = arg->type;
    if (check_is_error(type))
        return false;
    if (type.shape == ARC_SHAPE_SERIES ||
        (type.shape == ARC_SHAPE_SCALAR && type.prim == TELEM_STR))
        return true;
    check_error(c, ARC_CODE_ARG_TYPE, arg->span, "'len' takes a series or a str, got %s",
                check_type_text(c, type));
    return false;
}

static const char *const status_variants[] = {"success", "info",    "warning",
                                              "error",   "loading", "disabled"};

bool check_status_variant(struct checker *c, const struct arc_value *value, struct arc_span span)
{
    for (size_t i = 0; i < ARCD_COUNT_OF(status_variants); i++) {
        if (strcmp(status_variants[i], value->str) == 0 &&
            strlen(status_variants[i]) == value->str_len)
            return true;
    }
    check_error(c, ARC_CODE_NONE, span,
                "%s is not a status variant (success, info, warning, error, loading, disabled)",
                check_source_text(c, span));
    return false;
}

static void check_status_args(struct checker *c, struct arc_expr *expr,
                              const struct arc_lib_member *member)
{
    for (size_t i = 0; i < member->n_config; i++) {
        struct arc_expr *arg = expr->u.call.args[i];
        struct check_want want = {.type = arc_type_scalar(TELEM_STR),
                                  .what = "pass",
                                  .target =
                                      base_arena_printf(c->arena, "'%s'", member->config[i].name),
                                  .code = ARC_CODE_ARG_TYPE};
        check_value(c, arg);
        check_fits(c, arg, &want, NULL);
    }
    const struct arc_expr *variant = expr->u.call.args[2];
    if (variant->kind == ARC_EXPR_LITERAL && variant->type.prim == TELEM_STR)
        check_status_variant(c, &variant->u.literal.value, variant->span);
}

static void make_lib_call(struct arc_expr *expr, const struct arc_lib_member *member)
{
    struct arc_expr **args = expr->u.call.args;
    size_t n_args = expr->u.call.n_args;
    expr->kind = ARC_EXPR_LIB_CALL;
    expr->u.lib_call.member = member;
    expr->u.lib_call.args = args;
    expr->u.lib_call.n_args = n_args;
}

static void check_lib_call(struct checker *c, struct arc_expr *expr,
                           const struct arc_lib_member *member)
{
    const char *name = check_lib_name(c, member);
    if (!(member->use & ARC_USE_CALL)) {
        check_error(c, ARC_CODE_NONE, expr->span, "'%s' works only as a flow node: write %s{}",
                    name, name);
        check_args_only(c, expr);
        return;
    }
    size_t wanted = member->id == ARC_LIB_LEN ? 1 : member->n_config;
    if (!check_lib_arg_count(c, expr, name, wanted)) {
        check_args_only(c, expr);
        return;
    }
    expr->type = arc_type_scalar(TELEM_I64);
    if (member->id == ARC_LIB_LEN) {
        check_typed_value(c, expr->u.call.args[0]);
        if (!check_len_arg(c, expr->u.call.args[0]))
            expr->type = check_error_type();
    } else if (member->id == ARC_LIB_STATUS_SET) {
        check_status_args(c, expr, member);
        expr->type = arc_type_scalar(TELEM_STR);
    } else {
        expr->type.unit = arc_unit_find("ns", 2);
    }
    make_lib_call(expr, member);
}

/* ---- What is called ----------------------------------------------------------------------- */

static void refuse_call(struct checker *c, struct arc_expr *expr, const char *what)
{
    const struct arc_expr *callee = expr->u.call.callee;
    check_error(c, ARC_CODE_TYPE, callee->span, "cannot call '%s' (%s)",
                check_source_text(c, callee->span), what);
    check_args_only(c, expr);
}

static void refuse_symbol(struct checker *c, struct arc_expr *expr, const struct arc_symbol *symbol)
{
    switch (symbol->kind) {
    case ARC_SYM_CONST: refuse_call(c, expr, "a constant"); break;
    case ARC_SYM_SCOPE:
        refuse_call(c, expr, symbol->u.scope->kind == ARC_SCOPE_STAGE ? "a stage" : "a sequence");
        break;
    default: refuse_call(c, expr, "a module"); break;
    }
}

static const char *typed(struct checker *c, struct arc_type type)
{
    return base_arena_printf(c->arena, "type %s", check_type_text(c, type));
}

bool check_is_range(struct checker *c, const struct arc_expr *expr)
{
    (void)c;
    if (expr->kind != ARC_EXPR_CALL || expr->u.call.callee->kind != ARC_EXPR_NAME)
        return false;
    const struct arc_ident *ident = expr->u.call.callee->u.name;
    return ident->local == NULL && ident->symbol == NULL && strcmp(ident->text, "range") == 0;
}

static void check_bare_call(struct checker *c, struct arc_expr *expr, struct arc_ident *ident)
{
    struct arc_span span = expr->u.call.callee->span;
    const struct arc_lib_member *member = arc_lib_find_bare(ident->text);
    /* A channel is never called, so the library's name is meant even when a channel has it too. */
    if (member != NULL && member->id != ARC_LIB_RANGE) {
        check_lib_call(c, expr, check_lib_bare(c, ident, span));
        return;
    }
    const struct arc_channel *channel = check_channel(c, ident);
    if (channel != NULL) {
        struct arc_type type = channel->type;
        type.shape = ARC_SHAPE_CHAN;
        refuse_call(c, expr, typed(c, type));
        return;
    }
    check_undefined(c, ident, span);
    check_args_only(c, expr);
}

static void check_name_call(struct checker *c, struct arc_expr *expr, struct arc_ident *ident)
{
    if (ident->local != NULL) {
        if (check_is_error(ident->local->type))
            check_args_only(c, expr);
        else
            refuse_call(c, expr, typed(c, ident->local->type));
    } else if (ident->symbol == NULL) {
        check_bare_call(c, expr, ident);
    } else if (ident->symbol->kind == ARC_SYM_FUNC) {
        check_func_call(c, expr, ident->symbol->u.func);
    } else {
        refuse_symbol(c, expr, ident->symbol);
    }
}

void check_call(struct checker *c, struct arc_expr *expr)
{
    struct arc_expr *callee = expr->u.call.callee;
    if (callee->kind == ARC_EXPR_NAME) {
        check_name_call(c, expr, callee->u.name);
    } else if (callee->kind == ARC_EXPR_MEMBER) {
        const struct arc_lib_member *member = check_lib_member(c, callee);
        if (member != NULL)
            check_lib_call(c, expr, member);
        else
            check_args_only(c, expr);
    } else {
        check_typed_value(c, callee);
        if (check_is_error(callee->type))
            check_args_only(c, expr);
        else
            refuse_call(c, expr, typed(c, callee->type));
    }
}

/* ---- Casts -------------------------------------------------------------------------------- */

static bool check_castable(struct checker *c, const struct arc_expr *expr, struct arc_type from,
                           struct arc_type to)
{
    bool is_scalar = from.shape == ARC_SHAPE_SCALAR && to.shape == ARC_SHAPE_SCALAR;
    if (is_scalar && (from.prim != TELEM_STR || to.prim == TELEM_STR))
        return true;
    check_error(c, ARC_CODE_TYPE, expr->span, "cannot cast %s to %s", check_type_text(c, from),
                check_type_text(c, to));
    return false;
}

/* A literal becomes the value itself, in the type that is written. */
static bool is_cast_of_literal(const struct arc_expr *operand, struct arc_type to)
{
    return operand->kind == ARC_EXPR_LITERAL && operand->is_untyped && arc_type_is_number(to);
}

static void take_literal(struct checker *c, struct arc_expr *expr, struct arc_type to)
{
    struct arc_expr *literal = expr->u.unary.operand;
    struct arc_span span = expr->span;
    check_settle(c, literal, to);
    *expr = *literal;
    expr->span = span;
    expr->is_constant = true; /* no longer the bare literal that an exponent must be */
    if (check_is_error(expr->type))
        return;
    expr->type = to;
    expr->u.literal.value.type = to;
}

void check_cast(struct checker *c, struct arc_expr *expr)
{
    struct arc_expr *operand = expr->u.unary.operand;
    struct arc_type to = expr->type;
    check_value(c, operand);
    if (is_cast_of_literal(operand, to)) {
        take_literal(c, expr, to);
        return;
    }
    check_settle_default(c, operand);
    if (check_is_error(operand->type) || !check_castable(c, expr, operand->type, to)) {
        expr->type = check_error_type();
        return;
    }
    if (to.prim == TELEM_STR)
        expr->kind = ARC_EXPR_STR;
}
