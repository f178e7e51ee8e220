#include "driver/lsp/names.h"

#include "arc/text.h"

#include <string.h>

static const struct arc_token *token(const struct lsp_check *check, uint32_t at)
{
    return &check->tokens.list[at < check->tokens.n ? at : check->tokens.n - 1];
}

static enum arc_token_kind kind(const struct lsp_check *check, uint32_t at)
{
    return token(check, at)->kind;
}

static enum arc_token_kind kind_before(const struct lsp_check *check, uint32_t at, uint32_t n)
{
    return at < n ? ARC_TOK_EOF : kind(check, at - n);
}

static bool is_named(const char *text, const char *name, size_t len)
{
    return text != NULL && strncmp(text, name, len) == 0 && text[len] == '\0';
}

static struct lsp_symbol symbol(const struct lsp_view *view, enum lsp_symbol_kind symbol_kind,
                                const char *name, size_t len)
{
    return (struct lsp_symbol){.kind = symbol_kind,
                               .name = base_arena_strndup(view->arena, name, len)};
}

/* ---- Locals ------------------------------------------------------------------------------- */

static const struct arc_func *func_of_frame(const struct lsp_check *check,
                                            const struct lsp_check *text_of, uint32_t open)
{
    const struct arc_token *name = token(text_of, open + 1);
    if (check == NULL || name->kind != ARC_TOK_IDENT)
        return NULL;
    return lsp_check_func(check, name->text, name->len);
}

/* From the tree; else what the variable of that name had in the last good one. */
static struct arc_type local_type(const struct lsp_view *view, const struct lsp_symbol *local,
                                  const struct lsp_frame *func)
{
    struct arc_type type = {0};
    if (local->var != NULL)
        type = lsp_check_var_type(view->check, local->var);
    if (type.shape != ARC_SHAPE_NONE && type.shape != ARC_SHAPE_ERROR)
        return type;
    const struct arc_func *before =
        func != NULL ? func_of_frame(view->good, view->check, func->open) : NULL;
    const struct arc_var *var =
        before != NULL ? lsp_check_var(view->good, before, local->name, strlen(local->name)) : NULL;
    return var != NULL ? var->type : type;
}

struct lsp_symbol lsp_symbol_of_local(const struct lsp_view *view, const struct lsp_scan *scan,
                                      const struct lsp_local *local)
{
    const struct arc_token *name = token(view->check, local->token);
    const struct lsp_frame *func = lsp_scan_func(scan);
    struct lsp_symbol out = symbol(view, LSP_SYMBOL_LOCAL, name->text, name->len);
    out.declared = name->span;
    out.var_kind = local->kind;
    out.var = lsp_check_var_at(view->check, name->span.start);
    out.func = func != NULL ? func_of_frame(view->check, view->check, func->open) : NULL;
    if (out.var != NULL)
        out.var_kind = out.var->kind;
    out.type = local_type(view, &out, func);
    return out;
}

static struct lsp_symbol of_var(const struct lsp_view *view, const struct arc_func *func,
                                const struct arc_var *var)
{
    struct lsp_symbol out = symbol(view, LSP_SYMBOL_LOCAL, var->name, strlen(var->name));
    out.declared = var->span;
    out.var_kind = var->kind;
    out.var = var;
    out.func = func;
    out.type = lsp_check_var_type(view->check, var);
    return out;
}

/* ---- The program -------------------------------------------------------------------------- */

static struct lsp_symbol of_scope(const struct lsp_view *view, const struct arc_scope *scope)
{
    struct lsp_symbol out = symbol(view, LSP_SYMBOL_SCOPE, scope->name, strlen(scope->name));
    out.declared = scope->name_span;
    out.scope = scope;
    return out;
}

static const struct arc_scope *item_named(const struct arc_scope *scope, const char *name,
                                          size_t len)
{
    for (size_t i = 0; i < scope->n_items; i++) {
        const struct arc_scope *item = scope->items[i].scope;
        if (item != NULL && is_named(item->name, name, len))
            return item;
    }
    return NULL;
}

/* Scopes are listed outer before inner, so the last that holds the place is the innermost. A scope
 * that cannot be reached from here is still better than nothing. */
static const struct arc_scope *scope_named(const struct lsp_check *check, uint32_t offset,
                                           const char *name, size_t len)
{
    const struct arc_program *program = check->program;
    const struct arc_scope *any = NULL;
    for (size_t i = program->n_scopes; i-- > 0;) {
        const struct arc_scope *scope = program->scopes[i];
        bool is_around = i == 0 || (scope->span.start <= offset && offset <= scope->span.end);
        const struct arc_scope *found = is_around ? item_named(scope, name, len) : NULL;
        if (found != NULL)
            return found;
        if (is_named(scope->name, name, len))
            any = scope;
    }
    return any;
}

const struct arc_import *lsp_import_named(const struct lsp_check *check, const char *name,
                                          size_t len)
{
    for (size_t i = 0; i < check->program->n_imports; i++) {
        const struct arc_import *import = &check->program->imports[i];
        if (import->module != NULL && import->alias->len == len &&
            memcmp(import->alias->text, name, len) == 0)
            return import;
    }
    return NULL;
}

static struct lsp_symbol of_import(const struct lsp_view *view, const struct arc_import *import)
{
    struct lsp_symbol out = symbol(view, LSP_SYMBOL_MODULE, import->module, strlen(import->module));
    out.declared = import->alias_span;
    out.import = import;
    return out;
}

static struct lsp_symbol of_program(const struct lsp_view *view, uint32_t offset, const char *name,
                                    size_t len)
{
    const struct arc_program *program = view->check->program;
    const struct arc_scope *scope = scope_named(view->check, offset, name, len);
    if (scope != NULL)
        return of_scope(view, scope);
    struct lsp_symbol out = symbol(view, LSP_SYMBOL_NONE, name, len);
    const struct arc_func *func = lsp_check_func(view->check, name, len);
    if (func != NULL) {
        out.kind = LSP_SYMBOL_FUNC;
        out.func = func;
        out.declared = func->name_span;
        return out;
    }
    for (size_t i = 0; i < program->n_consts; i++) {
        if (!is_named(program->consts[i]->ident->text, name, len))
            continue;
        out.kind = LSP_SYMBOL_CONST;
        out.constant = program->consts[i];
        out.declared = program->consts[i]->name_span;
        return out;
    }
    const struct arc_import *import = lsp_import_named(view->check, name, len);
    return import != NULL ? of_import(view, import) : out;
}

/* ---- Outside of it ------------------------------------------------------------------------ */

static struct lsp_symbol of_outside(const struct lsp_view *view, const char *name, size_t len)
{
    struct lsp_symbol out = symbol(view, LSP_SYMBOL_NONE, name, len);
    out.channel = lsp_channels_find(view->channels, name, len);
    if (out.channel != NULL) {
        out.kind = LSP_SYMBOL_CHANNEL;
        return out;
    }
    out.lib = arc_lib_find_bare(out.name);
    if (out.lib != NULL)
        out.kind = LSP_SYMBOL_LIB;
    return out;
}

struct lsp_symbol lsp_symbol_named(const struct lsp_view *view, const struct lsp_scan *scan,
                                   const char *name, size_t len)
{
    uint32_t offset = token(view->check, scan->token)->span.start;
    const struct lsp_local *local = lsp_scan_local(scan, name, len);
    if (local != NULL)
        return lsp_symbol_of_local(view, scan, local);
    struct lsp_symbol out = of_program(view, offset, name, len);
    return out.kind != LSP_SYMBOL_NONE ? out : of_outside(view, name, len);
}

/* ---- Invocations -------------------------------------------------------------------------- */

/* The name that ends with the token before `end`. */
static struct lsp_callee callee_ending(const struct lsp_view *view, uint32_t end)
{
    const struct lsp_check *check = view->check;
    if (end == 0)
        return (struct lsp_callee){0};
    const struct arc_token *name = token(check, end - 1);
    if (name->kind != ARC_TOK_IDENT && name->kind != ARC_TOK_FOR)
        return (struct lsp_callee){0};
    if (kind_before(check, end, 2) == ARC_TOK_DOT && end >= 3) {
        const struct arc_token *module = token(check, end - 3);
        const struct arc_import *import = lsp_import_named(check, module->text, module->len);
        const char *text = base_arena_strndup(view->arena, name->text, name->len);
        return (struct lsp_callee){.lib =
                                       import != NULL ? arc_lib_find(import->module, text) : NULL};
    }
    const struct arc_func *func = lsp_check_func(check, name->text, name->len);
    if (func != NULL)
        return (struct lsp_callee){.func = func};
    const char *text = base_arena_strndup(view->arena, name->text, name->len);
    return (struct lsp_callee){.lib = arc_lib_find_bare(text)};
}

struct lsp_callee lsp_callee_before(const struct lsp_view *view, uint32_t brace)
{
    return callee_ending(view, brace);
}

bool lsp_table_is_output(const struct lsp_check *check, uint32_t brace)
{
    enum arc_token_kind before = kind_before(check, brace, 1);
    return before == ARC_TOK_ARROW || before == ARC_TOK_FAT_ARROW;
}

/* f{...} -> { : back over the braces of f. */
struct lsp_callee lsp_table_source(const struct lsp_view *view, uint32_t brace)
{
    const struct lsp_check *check = view->check;
    size_t depth = 0;
    if (brace < 2 || kind(check, brace - 2) != ARC_TOK_RBRACE)
        return (struct lsp_callee){0};
    for (uint32_t at = brace - 1; at-- > 0;) {
        depth += kind(check, at) == ARC_TOK_RBRACE;
        depth -= kind(check, at) == ARC_TOK_LBRACE;
        if (depth == 0)
            return callee_ending(view, at);
    }
    return (struct lsp_callee){0};
}

/* { ... } -> f{ : over the table, the arrow and the name. */
struct lsp_callee lsp_table_target(const struct lsp_view *view, uint32_t brace)
{
    const struct lsp_check *check = view->check;
    size_t depth = 0;
    for (uint32_t at = brace; kind(check, at) != ARC_TOK_EOF; at++) {
        depth += kind(check, at) == ARC_TOK_LBRACE;
        depth -= kind(check, at) == ARC_TOK_RBRACE;
        if (depth > 0)
            continue;
        if (kind(check, at + 1) != ARC_TOK_ARROW && kind(check, at + 1) != ARC_TOK_FAT_ARROW)
            break;
        uint32_t name_len = kind(check, at + 3) == ARC_TOK_DOT ? 3 : 1;
        return callee_ending(view, at + 2 + name_len);
    }
    return (struct lsp_callee){0};
}

/* ---- Parameters --------------------------------------------------------------------------- */

static struct lsp_symbol among_vars(const struct lsp_view *view, const struct arc_func *func,
                                    struct arc_var *const *vars, size_t n,
                                    const struct arc_token *name)
{
    for (size_t i = 0; i < n; i++) {
        if (lsp_token_is(name, vars[i]->name, strlen(vars[i]->name)))
            return of_var(view, func, vars[i]);
    }
    return (struct lsp_symbol){0};
}

static struct lsp_symbol among_params(const struct lsp_view *view, const struct arc_lib_member *lib,
                                      const struct arc_lib_param *params, size_t n,
                                      const struct arc_token *name)
{
    for (size_t i = 0; i < n; i++) {
        if (!lsp_token_is(name, params[i].name, strlen(params[i].name)))
            continue;
        struct lsp_symbol out = symbol(view, LSP_SYMBOL_LIB_PARAM, name->text, name->len);
        out.lib = lib;
        out.param = &params[i];
        return out;
    }
    return (struct lsp_symbol){0};
}

static struct lsp_symbol config_param(const struct lsp_view *view, struct lsp_callee callee,
                                      const struct arc_token *name)
{
    if (callee.func != NULL)
        return among_vars(view, callee.func, callee.func->config, callee.func->n_config, name);
    if (callee.lib != NULL)
        return among_params(view, callee.lib, callee.lib->config, callee.lib->n_config, name);
    return (struct lsp_symbol){0};
}

static struct lsp_symbol input_param(const struct lsp_view *view, struct lsp_callee callee,
                                     const struct arc_token *name)
{
    if (callee.func != NULL)
        return among_vars(view, callee.func, callee.func->inputs, callee.func->n_inputs, name);
    if (callee.lib != NULL)
        return among_params(view, callee.lib, callee.lib->inputs, callee.lib->n_inputs, name);
    return (struct lsp_symbol){0};
}

static struct lsp_symbol output_param(const struct lsp_view *view, struct lsp_callee callee,
                                      const struct arc_token *name)
{
    if (callee.func != NULL)
        return among_vars(view, callee.func, callee.func->outputs, callee.func->n_outputs, name);
    if (callee.lib != NULL)
        return among_params(view, callee.lib, callee.lib->outputs, callee.lib->n_outputs, name);
    return (struct lsp_symbol){0};
}

/* ---- Places with a meaning of their own --------------------------------------------------- */

static struct lsp_symbol in_invocation(const struct lsp_view *view, const struct lsp_frame *frame,
                                       uint32_t at)
{
    if (kind(view->check, at + 1) != ARC_TOK_ASSIGN)
        return (struct lsp_symbol){0};
    return config_param(view, lsp_callee_before(view, frame->open), token(view->check, at));
}

static struct lsp_symbol in_table(const struct lsp_view *view, const struct lsp_frame *frame,
                                  uint32_t at)
{
    const struct lsp_check *check = view->check;
    enum arc_token_kind before = kind_before(check, at, 1);
    enum arc_token_kind behind = kind(check, at + 1);
    bool is_key = before == ARC_TOK_LBRACE || before == ARC_TOK_COMMA;
    bool is_end = behind == ARC_TOK_COMMA || behind == ARC_TOK_RBRACE || behind == ARC_TOK_EOF;
    if (is_key && lsp_table_is_output(check, frame->open))
        return output_param(view, lsp_table_source(view, frame->open), token(check, at));
    if (before == ARC_TOK_COLON && is_end)
        return input_param(view, lsp_table_target(view, frame->open), token(check, at));
    return (struct lsp_symbol){0};
}

static struct lsp_symbol of_member(const struct lsp_view *view, uint32_t at)
{
    const struct arc_token *module = token(view->check, at - 2);
    const struct arc_token *name = token(view->check, at);
    const struct arc_import *import = lsp_import_named(view->check, module->text, module->len);
    const char *module_name = import != NULL
                                  ? import->module
                                  : base_arena_strndup(view->arena, module->text, module->len);
    struct lsp_symbol out = symbol(view, LSP_SYMBOL_LIB, name->text, name->len);
    out.lib = arc_lib_find(module_name, out.name);
    if (out.lib == NULL)
        out.kind = LSP_SYMBOL_NONE;
    return out;
}

/* The name of a module in an import, or before a dot. */
static struct lsp_symbol of_module(const struct lsp_view *view, uint32_t at)
{
    const struct arc_token *name = token(view->check, at);
    const struct arc_import *import = lsp_import_named(view->check, name->text, name->len);
    if (import != NULL)
        return of_import(view, import);
    struct lsp_symbol out = symbol(view, LSP_SYMBOL_MODULE, name->text, name->len);
    if (!arc_lib_has_module(out.name))
        out.kind = LSP_SYMBOL_NONE;
    return out;
}

static struct lsp_symbol of_unit(const struct lsp_view *view, const struct arc_token *name)
{
    struct lsp_symbol out = symbol(view, LSP_SYMBOL_UNIT, name->text, name->len);
    out.unit = arc_unit_find(name->text, name->len);
    if (out.unit == NULL)
        out.kind = LSP_SYMBOL_NONE;
    return out;
}

/* NONE: nothing special, the name stands for itself. */
static struct lsp_symbol by_place(const struct lsp_view *view, const struct lsp_scan *scan,
                                  uint32_t at)
{
    const struct lsp_check *check = view->check;
    const struct lsp_frame *frame = &scan->frames[scan->n_frames - 1];
    enum arc_token_kind before = kind_before(check, at, 1);
    if (before == ARC_TOK_DOT && at >= 2)
        return of_member(view, at);
    if (kind(check, at + 1) == ARC_TOK_DOT || before == ARC_TOK_IMPORT || before == ARC_TOK_AS ||
        frame->kind == LSP_FRAME_IMPORTS)
        return of_module(view, at);
    if (at > 0 && before != ARC_TOK_CHAN && before != ARC_TOK_SERIES &&
        lsp_token_begins_type(token(check, at - 1)))
        return of_unit(view, token(check, at));
    if (frame->kind == LSP_FRAME_INVOKE)
        return in_invocation(view, frame, at);
    if (frame->kind == LSP_FRAME_TABLE)
        return in_table(view, frame, at);
    return (struct lsp_symbol){0};
}

/* ---- Names in format strings -------------------------------------------------------------- */

/* Whether a place in the text of a string token is in a placeholder. */
static bool is_in_placeholder(const struct lsp_check *check, const struct arc_token *string,
                              uint32_t offset)
{
    const char *text = check->source.text;
    uint32_t at = string->span.start;
    bool is_format = false;
    for (; at < offset && text[at] != '"' && text[at] != '`'; at++)
        is_format |= text[at] == 'f';
    size_t depth = 0;
    for (at++; is_format && at < offset; at++) {
        bool is_double = at + 1 < offset && text[at + 1] == text[at];
        if (depth == 0 && text[at] == '{' && is_double)
            at++;
        else if (text[at] == '{')
            depth++;
        else if (text[at] == '}' && depth > 0)
            depth--;
    }
    return depth > 0;
}

static bool begins_string(const struct arc_token *t)
{
    uint32_t at = 0;
    while (at < t->len && (t->text[at] == 'r' || t->text[at] == 'f'))
        at++;
    return at < t->len && (t->text[at] == '"' || t->text[at] == '`');
}

bool lsp_is_prose(const struct lsp_check *check, uint32_t offset)
{
    for (size_t i = 0; i < check->tokens.n_comments; i++) {
        struct arc_span span = check->tokens.comments[i].span;
        bool is_line = check->source.text[span.start + 1] == '/';
        if (span.start < offset && (offset < span.end || (is_line && offset == span.end)))
            return true;
    }
    uint32_t at = lsp_token_at(check, offset);
    if (at == LSP_NO_TOKEN)
        return false;
    const struct arc_token *t = token(check, at);
    bool is_string = t->kind == ARC_TOK_STRING || (t->kind == ARC_TOK_ERROR && begins_string(t));
    bool is_inside = t->span.start < offset &&
                     (offset < t->span.end || (t->kind == ARC_TOK_ERROR && offset == t->span.end));
    return is_string && is_inside && !is_in_placeholder(check, t, offset);
}

static struct arc_span name_around(const struct lsp_check *check, const struct arc_token *inside,
                                   uint32_t offset)
{
    const char *text = check->source.text;
    uint32_t start = offset, end = offset;
    while (start > inside->span.start && arc_is_name_byte((unsigned char)text[start - 1]))
        start--;
    while (end < inside->span.end && arc_is_name_byte((unsigned char)text[end]))
        end++;
    return (struct arc_span){start, end, inside->span.line};
}

/* ---- All ---------------------------------------------------------------------------------- */

struct lsp_symbol lsp_symbol_at(const struct lsp_view *view, uint32_t offset, struct arc_span *span)
{
    const struct lsp_check *check = view->check;
    uint32_t at = lsp_token_at(check, offset);
    *span = (struct arc_span){0};
    if (at == LSP_NO_TOKEN)
        return (struct lsp_symbol){0};
    const struct arc_token *t = token(check, at);
    struct lsp_scan scan = lsp_scan_to(view->arena, check, t->span.end);
    scan.token = at;
    if (t->kind == ARC_TOK_STRING && is_in_placeholder(check, t, offset)) {
        *span = name_around(check, t, offset);
        return lsp_symbol_named(view, &scan, check->source.text + span->start,
                                span->end - span->start);
    }
    bool is_member = t->kind == ARC_TOK_FOR && kind_before(check, at, 1) == ARC_TOK_DOT;
    if (t->kind != ARC_TOK_IDENT && !is_member)
        return (struct lsp_symbol){0};
    *span = t->span;
    struct lsp_symbol out = by_place(view, &scan, at);
    return out.kind != LSP_SYMBOL_NONE ? out : lsp_symbol_named(view, &scan, t->text, t->len);
}
