/* Definition: in the text itself, or for a channel the key in the file that declares it. */
#include "driver/lsp/answer.h"
#include "driver/lsp/json_place.h"
#include "driver/lsp/uri.h"

#include "config/doc.h"

#include <stdlib.h>
#include <string.h>

static json_t *channel_place(const struct lsp_view *view, const struct lsp_channel *channel)
{
    const struct lsp_channels *channels = view->channels;
    const char *path[] = {"channels", channel->name};
    size_t first = channels->is_driver ? 0 : 1;
    const char *why;
    size_t len = 0;
    if (channels->file == NULL)
        return json_null();
    char *bytes = config_file_read(".", channels->file, &len, &why);
    if (bytes == NULL)
        return json_null();
    struct lsp_text text;
    struct lsp_json_place place = {0, 0};
    lsp_text_init(&text);
    lsp_text_set(&text, bytes, len);
    (void)lsp_json_find(bytes, len, path + first, 2 - first, &place);
    struct lsp_view there = *view;
    there.text = &text;
    json_t *location = json_pack("{s:o, s:o}", "uri",
                                 lsp_json_text(lsp_uri_from_path(view->arena, channels->file)),
                                 "range", lsp_json_range(&there, place.start, place.end));
    lsp_text_fini(&text);
    free(bytes);
    return location;
}

json_t *lsp_answer_definition(const struct lsp_view *view, uint32_t offset)
{
    struct arc_span span;
    if (lsp_is_prose(view->check, offset))
        return json_null();
    struct lsp_symbol symbol = lsp_symbol_at(view, offset, &span);
    if (symbol.kind == LSP_SYMBOL_CHANNEL)
        return channel_place(view, symbol.channel);
    if (symbol.kind == LSP_SYMBOL_NONE || symbol.declared.end == 0)
        return json_null();
    return json_pack("{s:o, s:o}", "uri", lsp_json_text(view->uri), "range",
                     lsp_json_range(view, symbol.declared.start, symbol.declared.end));
}
