/* Diagnostics: what arc has to say, hint and notes in the message. */
#include "driver/lsp/answer.h"

static const char *whole_message(const struct lsp_view *view, const struct arc_diag *diag)
{
    const char *text = diag->message;
    for (size_t i = 0; i < diag->n_notes; i++)
        text = base_arena_printf(view->arena, "%s\nnote: %s", text, diag->notes[i]);
    if (diag->hint != NULL)
        text = base_arena_printf(view->arena, "%s\nhint: %s", text, diag->hint);
    return text;
}

/* 1: unnecessary, shown faded; 2: deprecated, shown struck out. */
static int tag_of(enum arc_code code)
{
    if (code == ARC_CODE_UNUSED_IMPORT)
        return 1;
    return code == ARC_CODE_DEPRECATED ? 2 : 0;
}

static json_t *one(const struct lsp_view *view, const struct lsp_client *client,
                   const struct arc_diag *diag)
{
    json_t *json = json_pack("{s:o, s:i, s:s, s:o}", "range",
                             lsp_json_range(view, diag->span.start, diag->span.end), "severity",
                             (int)diag->severity + 1, "source", "arc", "message",
                             lsp_json_text(whole_message(view, diag)));
    if (diag->code != ARC_CODE_NONE)
        json_object_set_new(json, "code",
                            lsp_json_text(base_arena_printf(view->arena, "ARC%d", diag->code)));
    if (client->has_tags && tag_of(diag->code) != 0)
        json_object_set_new(json, "tags", json_pack("[i]", tag_of(diag->code)));
    return json;
}

json_t *lsp_answer_diagnostics(const struct lsp_view *view, const struct lsp_client *client)
{
    const struct arc_diags *diags = &view->check->diags;
    json_t *list = json_array();
    for (size_t i = 0; i < diags->n; i++)
        json_array_append_new(list, one(view, client, diags->list[i]));
    if (diags->n_dropped > 0) {
        const char *more =
            base_arena_printf(view->arena, "%zu more are not shown", diags->n_dropped);
        json_array_append_new(
            list, json_pack("{s:o, s:i, s:s, s:o}", "range",
                            lsp_json_range(view, view->text->len, view->text->len), "severity", 1,
                            "source", "arc", "message", lsp_json_text(more)));
    }
    return list;
}
