/* driver/lsp/document.h - the open documents and their checks.
 *
 * Life cycle: zeroed list -> lsp_document_open -> lsp_document_check (before each answer) ->
 * lsp_document_close | lsp_documents_close. One thread. A document holds at most two checks: the
 * one of its text as it is, and the last one without errors.
 */
#ifndef DRIVER_LSP_DOCUMENT_H
#define DRIVER_LSP_DOCUMENT_H

#include "driver/lsp/channels.h"
#include "driver/lsp/check.h"
#include "driver/lsp/text.h"

enum { LSP_DOCUMENTS_MAX = 1000 /* open at a time */ };

struct lsp_document {
    struct lsp_document *next;
    char *uri;
    char *path; /* NULL: it has no file */
    struct lsp_text text;
    int64_t version;                     /* the client's; -1: it gave none */
    const struct lsp_channels *channels; /* of the last check */
    uint64_t channels_id;
    struct lsp_check *check; /* NULL: never checked */
    struct lsp_check *good;  /* may be the same; NULL: never without errors */
    bool is_stale;           /* the text has changed since */
    bool is_published;       /* the client has the diagnostics of `check` */
    uint64_t problem_id;     /* of the channels, as the user was told */
};

struct lsp_documents {
    struct lsp_document *first;
    size_t n;
};

/* NULL: not open. */
struct lsp_document *lsp_document_find(struct lsp_documents *documents, const char *uri);

/* A document that is open already gets the new text. NULL: too many are open. */
struct lsp_document *lsp_document_open(struct lsp_documents *documents, const char *uri,
                                       const char *text, size_t len);
void lsp_document_close(struct lsp_documents *documents, struct lsp_document *document);
void lsp_documents_close(struct lsp_documents *documents);

/* Makes `check` that of the present text and channels. */
void lsp_document_check(struct lsp_document *document, struct lsp_sources *sources);

#endif
