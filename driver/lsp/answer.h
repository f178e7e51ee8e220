/* driver/lsp/answer.h - what the server answers: the results of requests, as JSON.
 *
 * Each call makes one result, the caller's to json_decref(); JSON null when there is nothing to
 * say, never NULL. Offsets are in the text of the view. A text too large to be checked has
 * diagnostics only. Pure but for answer_definition, which reads driver.json. Any thread.
 */
#ifndef DRIVER_LSP_ANSWER_H
#define DRIVER_LSP_ANSWER_H

#include "driver/lsp/names.h"

#include <jansson.h>

/* What the client understands. */
struct lsp_client {
    enum lsp_encoding encoding;
    bool has_markdown; /* in hovers and in the documentation of completions */
    bool has_snippets; /* in completions */
    bool has_tree;     /* document symbols inside one another */
    bool has_tags;     /* of diagnostics: unnecessary, deprecated */
};

enum { LSP_COMPLETIONS_MAX = 2000 /* in one answer; when there are more, the prefix must match */ };

json_t *lsp_answer_hover(const struct lsp_view *view, const struct lsp_client *client,
                         uint32_t offset);
json_t *lsp_answer_definition(const struct lsp_view *view, uint32_t offset);
json_t *lsp_answer_completion(const struct lsp_view *view, const struct lsp_client *client,
                              uint32_t offset);
json_t *lsp_answer_outline(const struct lsp_view *view, const struct lsp_client *client);
json_t *lsp_answer_diagnostics(const struct lsp_view *view, const struct lsp_client *client);

/* The edits that format the text: none when it is so already, null when it has syntax errors. */
json_t *lsp_answer_formatting(const struct lsp_view *view);

/* ---- Parts of answers */

json_t *lsp_json_pos(struct lsp_pos pos);
json_t *lsp_json_range(const struct lsp_view *view, size_t start, size_t end);

/* Any bytes as a JSON string: what is not UTF-8 becomes a question mark. */
json_t *lsp_json_text(const char *text);

/* Markdown or plain text, as the client likes it. */
json_t *lsp_json_markup(const struct lsp_client *client, const char *text);

#endif
