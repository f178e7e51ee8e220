/* Hover: the symbol under the cursor, or else the type of the innermost expression there. */
#include "driver/lsp/answer.h"
#include "driver/lsp/describe.h"

static json_t *hover(const struct lsp_view *view, const struct lsp_client *client, const char *line,
                     const char *notes, struct arc_span span)
{
    const char *text =
        client->has_markdown ? base_arena_printf(view->arena, "```arc\n%s\n```", line) : line;
    if (notes[0] != '\0')
        text = base_arena_printf(view->arena, "%s\n\n%s", text, notes);
    return json_pack("{s:o, s:o}", "contents", lsp_json_markup(client, text), "range",
                     lsp_json_range(view, span.start, span.end));
}

static json_t *hover_expr(const struct lsp_view *view, const struct lsp_client *client,
                          const struct arc_expr *expr)
{
    const char *line = arc_type_name(view->arena, expr->type);
    bool is_literal = expr->kind == ARC_EXPR_LITERAL && !expr->is_untyped;
    if (is_literal && expr->type.prim != TELEM_STR) {
        const char *value = lsp_describe_value(view->arena, &expr->u.literal.value);
        line = base_arena_printf(view->arena, "%s = %s", line, value);
    }
    return hover(view, client, line, "", expr->span);
}

/* On a name that means nothing, the type of what is around it is not what the user asks for. */
json_t *lsp_answer_hover(const struct lsp_view *view, const struct lsp_client *client,
                         uint32_t offset)
{
    struct arc_span span;
    if (lsp_is_prose(view->check, offset))
        return json_null();
    struct lsp_symbol symbol = lsp_symbol_at(view, offset, &span);
    if (symbol.kind != LSP_SYMBOL_NONE)
        return hover(view, client, lsp_describe_line(view, &symbol),
                     lsp_describe_notes(view, &symbol), span);
    const struct arc_expr *expr = lsp_check_expr_at(view->check, offset);
    if (expr == NULL || span.end != 0)
        return json_null();
    return hover_expr(view, client, expr);
}
