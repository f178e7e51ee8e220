#include "driver/lsp/describe.h"

#include "arc/text.h"

#include <string.h>

/* ---- Text --------------------------------------------------------------------------------- */

/* What an expression looks like in the text it was parsed from. */
static const char *source_of(const struct lsp_view *view, const struct arc_expr *expr)
{
    const struct arc_source *source = &view->check->source;
    if (expr->span.end > source->len || expr->span.start > expr->span.end)
        return "";
    return arc_text_printable(view->arena, source->text + expr->span.start,
                              expr->span.end - expr->span.start);
}

static const char *number_text(struct base_arena *arena, struct arc_type type,
                               union telem_value number)
{
    if (telem_type_is_float(type.prim))
        return base_arena_printf(arena, "%.10g", telem_to_f64(type.prim, number));
    if (telem_type_is_signed(type.prim))
        return base_arena_printf(arena, "%lld", (long long)number.i64);
    return base_arena_printf(arena, "%llu", (unsigned long long)number.u64);
}

const char *lsp_describe_value(struct base_arena *arena, const struct arc_value *value)
{
    if (value->type.prim == TELEM_STR)
        return base_arena_printf(arena, "\"%s\"",
                                 arc_text_printable(arena, value->str, value->str_len));
    const char *number = number_text(arena, value->type, value->number);
    if (value->type.unit == NULL)
        return number;
    return base_arena_printf(arena, "%s %s", number, arc_unit_name(arena, value->type.unit));
}

/* A type, where one is known. */
static const char *type_text(const struct lsp_view *view, struct arc_type type)
{
    if (type.shape == ARC_SHAPE_NONE || type.shape == ARC_SHAPE_ERROR)
        return "?";
    return arc_type_name(view->arena, type);
}

/* ---- Functions ---------------------------------------------------------------------------- */

static const char *vars_text(const struct lsp_view *view, struct arc_var *const *vars, size_t n)
{
    const char *text = "";
    for (size_t i = 0; i < n; i++) {
        const struct arc_var *var = vars[i];
        text = base_arena_printf(view->arena, "%s%s%s %s", text, i > 0 ? ", " : "", var->name,
                                 type_text(view, var->type));
        if (var->def_expr != NULL)
            text = base_arena_printf(view->arena, "%s = %s", text, source_of(view, var->def_expr));
    }
    return text;
}

static const char *outputs_text(const struct lsp_view *view, const struct arc_func *func)
{
    if (func->result.shape != ARC_SHAPE_NONE)
        return base_arena_printf(view->arena, " %s", type_text(view, func->result));
    if (func->n_outputs == 0)
        return "";
    const char *outputs = vars_text(view, func->outputs, func->n_outputs);
    return base_arena_printf(view->arena, func->n_outputs == 1 ? " %s" : " (%s)", outputs);
}

static const char *func_line(const struct lsp_view *view, const struct arc_func *func)
{
    const char *config = "";
    if (func->n_config > 0)
        config =
            base_arena_printf(view->arena, "{%s}", vars_text(view, func->config, func->n_config));
    return base_arena_printf(view->arena, "func %s%s(%s)%s", func->name, config,
                             vars_text(view, func->inputs, func->n_inputs),
                             outputs_text(view, func));
}

/* ---- The library -------------------------------------------------------------------------- */

static const char *param_type(const struct arc_lib_param *param)
{
    if (param->kind == ARC_LIB_NUMERIC)
        return "T";
    if (param->kind == ARC_LIB_CHANNEL)
        return "chan";
    return param->is_time ? "i64 ns" : telem_type_name(param->prim);
}

static const char *param_line(struct base_arena *arena, const struct arc_lib_param *param)
{
    const char *fallback = "";
    if (param->is_optional)
        fallback = param->kind == ARC_LIB_CHANNEL ? " = none" : " = 0";
    if (param->name[0] == '\0')
        return param_type(param);
    return base_arena_printf(arena, "%s %s%s", param->name, param_type(param), fallback);
}

static const char *params_text(struct base_arena *arena, const struct arc_lib_param *params,
                               size_t n)
{
    const char *text = "";
    for (size_t i = 0; i < n; i++)
        text = base_arena_printf(arena, "%s%s%s", text, i > 0 ? ", " : "",
                                 param_line(arena, &params[i]));
    return text;
}

const char *lsp_describe_lib(struct base_arena *arena, const struct arc_lib_member *lib)
{
    if (lib->id == ARC_LIB_LEN)
        return "len(x series or str) i64";
    if (lib->id == ARC_LIB_RANGE)
        return "range(start, end, step)";
    const char *name =
        lib->module != NULL ? base_arena_printf(arena, "%s.%s", lib->module, lib->name) : lib->name;
    const char *inputs = "";
    const char *outputs = params_text(arena, lib->outputs, lib->n_outputs);
    if (lib->n_inputs > 0)
        inputs = base_arena_printf(arena, "(%s)", params_text(arena, lib->inputs, lib->n_inputs));
    return base_arena_printf(arena, lib->n_outputs > 1 ? "%s{%s}%s (%s)" : "%s{%s}%s %s", name,
                             params_text(arena, lib->config, lib->n_config), inputs, outputs);
}

const char *lsp_describe_lib_doc(const struct arc_lib_member *lib)
{
    switch (lib->id) {
    case ARC_LIB_TIME_INTERVAL: return "Fires at once and then every period, on a fixed grid.";
    case ARC_LIB_TIME_WAIT: return "Fires once, when the duration is over.";
    case ARC_LIB_TIME_NOW: return "The wall clock: nanoseconds since 1970 UTC.";
    case ARC_LIB_MATH_AVG: return "Running mean over successive windows; one sample per batch.";
    case ARC_LIB_MATH_MIN: return "Running minimum over successive windows; one sample per batch.";
    case ARC_LIB_MATH_MAX: return "Running maximum over successive windows; one sample per batch.";
    case ARC_LIB_MATH_DERIVATIVE: return "Rate of change per second, from the timestamps.";
    case ARC_LIB_CONTROL_SET_AUTHORITY:
        return "Changes the authority for one channel, or for all that the program writes.";
    case ARC_LIB_STATUS_SET:
        return "Creates or updates a status; variant: success, info, warning, error, loading or "
               "disabled. Gives its key.";
    case ARC_LIB_STABLE_FOR: return "Passes a value on once it has stayed the same so long.";
    case ARC_LIB_SELECT: return "Sends each sample that is 1 to `true`, every other to `false`.";
    case ARC_LIB_LEN: return "Elements of a series, or bytes of a str.";
    case ARC_LIB_RANGE: return "The numbers from start (0) up to end, by step (1), for a loop.";
    case ARC_LIB_COUNT: break;
    }
    return "";
}

static const char *lib_notes(const struct lsp_view *view, const struct lsp_symbol *symbol)
{
    const struct arc_lib_member *lib = symbol->lib;
    const char *doc = lsp_describe_lib_doc(lib);
    const char *use = lib->use == (ARC_USE_FLOW | ARC_USE_CALL) ? "In flows and in bodies."
                      : lib->use == ARC_USE_FLOW                ? "In flows."
                      : lib->use == ARC_USE_CALL                ? "In bodies and expressions."
                                                                : "In the head of a for.";
    return base_arena_printf(view->arena, "%s %s", doc, use);
}

static const char *module_notes(const struct lsp_view *view, const char *module)
{
    const char *text = "";
    for (size_t i = 0; i < ARC_LIB_COUNT; i++) {
        const struct arc_lib_member *lib = arc_lib_get((enum arc_lib_id)i);
        if (lib->module != NULL && strcmp(lib->module, module) == 0)
            text = base_arena_printf(view->arena, "%s- `%s`: %s\n", text,
                                     lsp_describe_lib(view->arena, lib), lsp_describe_lib_doc(lib));
    }
    return text;
}

/* ---- Channels ----------------------------------------------------------------------------- */

/* Sentences are added with a blank behind them. */
static const char *without_blank(struct base_arena *arena, const char *text)
{
    size_t len = strlen(text);
    while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\n'))
        len--;
    return base_arena_strndup(arena, text, len);
}

static const char *channel_notes(const struct lsp_view *view, const struct lsp_channel *channel)
{
    struct base_arena *arena = view->arena;
    const char *text = channel->desc;
    if (text[0] != '\0')
        text = base_arena_printf(arena, "%s%s", text,
                                 strchr(".!?", text[strlen(text) - 1]) != NULL ? "\n\n" : ".\n\n");
    if (channel->unit[0] != '\0')
        text = base_arena_printf(arena, "%sUnit: %s. ", text, channel->unit);
    if (channel->index != NULL)
        text = base_arena_printf(arena, "%sTimestamps: `%s`. ", text, channel->index);
    if (channel->is_index)
        text = base_arena_printf(arena, "%sCarries the timestamps of other channels. ", text);
    if (channel->is_virtual)
        text = base_arena_printf(arena, "%sVirtual: live only. ", text);
    if (channel->is_measured)
        text = base_arena_printf(arena, "%sA task writes it; programs may only read it. ", text);
    return without_blank(arena, text);
}

static const char *channel_line(const struct lsp_view *view, const struct lsp_channel *channel)
{
    bool is_time = channel->type == TELEM_TIMESTAMP;
    return base_arena_printf(view->arena, "%s chan %s", channel->name,
                             is_time ? "i64 ns" : telem_type_name(channel->type));
}

/* ---- Variables, constants, units ---------------------------------------------------------- */

static const char *local_notes(const struct lsp_view *view, const struct lsp_symbol *symbol)
{
    static const struct {
        const char *what, *more;
    } kinds[] = {
        [ARC_VAR_CONFIG] = {"Config parameter", ": fixed when the node is made"},
        [ARC_VAR_INPUT] = {"Input", ""},
        [ARC_VAR_OUTPUT] = {"Output", ""},
        [ARC_VAR_LOCAL] = {"Local variable", ""},
        [ARC_VAR_STATE] = {"Stateful variable", ": keeps its value between runs"},
        [ARC_VAR_LOOP] = {"Loop variable", ""},
        [ARC_VAR_ALIAS] = {"Local name", " for a channel"},
    };
    const struct arc_var *var = symbol->var;
    const char *more = kinds[symbol->var_kind].more;
    const char *of = "";
    if (var != NULL && var->kind == ARC_VAR_ALIAS && var->alias.channel != NULL)
        more = base_arena_printf(view->arena, " for channel `%s`", var->alias.channel->name);
    if (symbol->func != NULL)
        of = base_arena_printf(view->arena, " of `%s`", symbol->func->name);
    return base_arena_printf(view->arena, "%s%s%s.", kinds[symbol->var_kind].what, of, more);
}

static const char *const_line(const struct lsp_view *view, const struct lsp_symbol *symbol)
{
    const struct arc_const *constant = symbol->constant;
    if (constant->is_broken || constant->value.type.shape == ARC_SHAPE_NONE)
        return base_arena_printf(view->arena, "%s %s", symbol->name,
                                 type_text(view, constant->declared));
    return base_arena_printf(view->arena, "%s %s := %s", symbol->name,
                             type_text(view, constant->value.type),
                             lsp_describe_value(view->arena, &constant->value));
}

static const char *unit_line(const struct lsp_view *view, const struct arc_unit *unit)
{
    const struct arc_unit *base = arc_unit_base(unit);
    if (base == NULL)
        return base_arena_printf(view->arena, "1 %s = %.10g", unit->name, unit->scale);
    return base_arena_printf(view->arena, "1 %s = %.10g %s", unit->name, unit->scale, base->name);
}

static const char *scope_line(const struct lsp_view *view, const struct arc_scope *scope)
{
    const char *word = scope->kind == ARC_SCOPE_STAGE ? "stage" : "sequence";
    return base_arena_printf(view->arena, "%s %s", word, scope->name);
}

static const char *scope_notes(const struct lsp_view *view, const struct arc_scope *scope)
{
    const char *in = "";
    if (scope->parent != NULL && scope->parent->name != NULL)
        in = base_arena_printf(view->arena, " in `%s`", scope->parent->name);
    return base_arena_printf(view->arena, "%zu item%s%s.", scope->n_items,
                             scope->n_items == 1 ? "" : "s", in);
}

/* ---- All ---------------------------------------------------------------------------------- */

const char *lsp_describe_line(const struct lsp_view *view, const struct lsp_symbol *symbol)
{
    struct base_arena *arena = view->arena;
    switch (symbol->kind) {
    case LSP_SYMBOL_NONE: break;
    case LSP_SYMBOL_LOCAL:
        return base_arena_printf(arena, "%s %s", symbol->name, type_text(view, symbol->type));
    case LSP_SYMBOL_FUNC: return func_line(view, symbol->func);
    case LSP_SYMBOL_CONST: return const_line(view, symbol);
    case LSP_SYMBOL_SCOPE: return scope_line(view, symbol->scope);
    case LSP_SYMBOL_MODULE: return base_arena_printf(arena, "import %s", symbol->name);
    case LSP_SYMBOL_CHANNEL: return channel_line(view, symbol->channel);
    case LSP_SYMBOL_LIB: return lsp_describe_lib(arena, symbol->lib);
    case LSP_SYMBOL_LIB_PARAM: return param_line(arena, symbol->param);
    case LSP_SYMBOL_UNIT: return unit_line(view, symbol->unit);
    }
    return symbol->name != NULL ? symbol->name : "";
}

static const char *own_notes(const struct lsp_view *view, const struct lsp_symbol *symbol)
{
    struct base_arena *arena = view->arena;
    switch (symbol->kind) {
    case LSP_SYMBOL_LOCAL: return local_notes(view, symbol);
    case LSP_SYMBOL_SCOPE: return scope_notes(view, symbol->scope);
    case LSP_SYMBOL_MODULE: return module_notes(view, symbol->name);
    case LSP_SYMBOL_CHANNEL: return channel_notes(view, symbol->channel);
    case LSP_SYMBOL_LIB: return lib_notes(view, symbol);
    case LSP_SYMBOL_LIB_PARAM:
        return base_arena_printf(arena, "Of `%s`.", lsp_describe_lib(arena, symbol->lib));
    case LSP_SYMBOL_UNIT:
        return base_arena_printf(arena, "Dimension: %s.",
                                 arc_unit_dimension_name(arena, symbol->unit));
    default: return "";
    }
}

const char *lsp_describe_notes(const struct lsp_view *view, const struct lsp_symbol *symbol)
{
    const char *notes = own_notes(view, symbol);
    bool may_have_comment = symbol->kind == LSP_SYMBOL_FUNC || symbol->kind == LSP_SYMBOL_CONST ||
                            symbol->kind == LSP_SYMBOL_SCOPE;
    const char *comment = NULL;
    if (may_have_comment)
        comment = lsp_check_comment_above(view->check, view->arena, symbol->declared.start);
    if (comment == NULL)
        return notes;
    return notes[0] == '\0' ? comment : base_arena_printf(view->arena, "%s\n\n%s", notes, comment);
}
