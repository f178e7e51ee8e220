/* Document symbols: constants, functions, sequences and stages, in the order of the text. */
#include "driver/lsp/answer.h"
#include "driver/lsp/describe.h"

/* The protocol's numbers. */
enum { KIND_CLASS = 5, KIND_FUNCTION = 12, KIND_CONSTANT = 14, KIND_EVENT = 24 };

struct outline {
    const struct lsp_view *view;
    const struct lsp_client *client;
};

static json_t *entry(const struct outline *o, const struct lsp_symbol *symbol, int kind,
                     struct arc_span whole)
{
    json_t *range = lsp_json_range(o->view, whole.start, whole.end);
    if (!o->client->has_tree)
        return json_pack("{s:o, s:i, s:{s:o, s:o}}", "name", lsp_json_text(symbol->name), "kind",
                         kind, "location", "uri", lsp_json_text(o->view->uri), "range", range);
    return json_pack("{s:o, s:o, s:i, s:o, s:o}", "name", lsp_json_text(symbol->name), "detail",
                     lsp_json_text(lsp_describe_line(o->view, symbol)), "kind", kind, "range",
                     range, "selectionRange",
                     lsp_json_range(o->view, symbol->declared.start, symbol->declared.end));
}

static void add_scopes(const struct outline *o, const struct arc_scope *scope, json_t *list);

/* Below an anonymous scope, its members stand in its place. */
static void add_scope(const struct outline *o, const struct arc_scope *scope, json_t *list)
{
    if (scope->name == NULL) {
        add_scopes(o, scope, list);
        return;
    }
    struct lsp_symbol symbol = {.kind = LSP_SYMBOL_SCOPE,
                                .name = scope->name,
                                .declared = scope->name_span,
                                .scope = scope};
    int kind = scope->kind == ARC_SCOPE_STAGE ? KIND_EVENT : KIND_CLASS;
    json_t *own = entry(o, &symbol, kind, scope->span);
    json_t *children = o->client->has_tree ? json_array() : list;
    json_array_append_new(list, own);
    add_scopes(o, scope, children);
    if (o->client->has_tree)
        json_object_set_new(own, "children", children);
}

static void add_scopes(const struct outline *o, const struct arc_scope *scope, json_t *list)
{
    for (size_t i = 0; i < scope->n_items; i++) {
        if (scope->items[i].scope != NULL)
            add_scope(o, scope->items[i].scope, list);
    }
}

static void add_declarations(const struct outline *o, const struct arc_program *program,
                             json_t *list)
{
    for (size_t i = 0; i < program->n_consts; i++) {
        const struct arc_const *constant = program->consts[i];
        struct lsp_symbol symbol = {.kind = LSP_SYMBOL_CONST,
                                    .name = constant->ident->text,
                                    .declared = constant->name_span,
                                    .constant = constant};
        json_array_append_new(list, entry(o, &symbol, KIND_CONSTANT, constant->span));
    }
    for (size_t i = 0; i < program->n_funcs; i++) {
        const struct arc_func *func = program->funcs[i];
        struct lsp_symbol symbol = {
            .kind = LSP_SYMBOL_FUNC, .name = func->name, .declared = func->name_span, .func = func};
        json_array_append_new(list, entry(o, &symbol, KIND_FUNCTION, func->span));
    }
}

json_t *lsp_answer_outline(const struct lsp_view *view, const struct lsp_client *client)
{
    struct outline o = {.view = view, .client = client};
    json_t *list = json_array();
    add_declarations(&o, view->check->program, list);
    add_scopes(&o, view->check->program->root, list);
    return list;
}
