#include "driver/lsp/answer.h"

#include "arc/text.h"

#include <string.h>

json_t *lsp_json_pos(struct lsp_pos pos)
{
    return json_pack("{s:I, s:I}", "line", (json_int_t)pos.line, "character",
                     (json_int_t)pos.character);
}

json_t *lsp_json_range(const struct lsp_view *view, size_t start, size_t end)
{
    struct lsp_pos from = lsp_text_pos(view->text, start, view->encoding);
    struct lsp_pos to = lsp_text_pos(view->text, end < start ? start : end, view->encoding);
    return json_pack("{s:o, s:o}", "start", lsp_json_pos(from), "end", lsp_json_pos(to));
}

json_t *lsp_json_text(const char *text)
{
    json_t *good = json_string(text);
    if (good != NULL)
        return good;
    struct base_arena arena;
    base_arena_init(&arena);
    char *copy = base_arena_strdup(&arena, text);
    size_t len = strlen(copy);
    for (size_t at = 0; at < len;) {
        size_t n = arc_utf8_valid_len(copy + at, len - at);
        at += n;
        if (at < len)
            copy[at++] = '?';
    }
    good = json_string(copy);
    base_arena_fini(&arena);
    return good;
}

json_t *lsp_json_markup(const struct lsp_client *client, const char *text)
{
    return json_pack("{s:s, s:o}", "kind", client->has_markdown ? "markdown" : "plaintext", "value",
                     lsp_json_text(text));
}
