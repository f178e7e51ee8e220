#include "driver/lsp/document.h"

#include "driver/lsp/uri.h"

#include <stdlib.h>
#include <string.h>

struct lsp_document *lsp_document_find(struct lsp_documents *documents, const char *uri)
{
    for (struct lsp_document *d = documents->first; d != NULL; d = d->next) {
        if (strcmp(d->uri, uri) == 0)
            return d;
    }
    return NULL;
}

static char *copy_of(const char *text)
{
    char *copy = text != NULL ? strdup(text) : NULL;
    ARCD_ASSERT(text == NULL || copy != NULL);
    return copy;
}

static struct lsp_document *add(struct lsp_documents *documents, const char *uri)
{
    struct base_arena arena;
    struct lsp_document *document = calloc(1, sizeof *document);
    ARCD_ASSERT(document != NULL);
    base_arena_init(&arena);
    document->uri = copy_of(uri);
    document->path = copy_of(lsp_uri_to_path(&arena, uri));
    base_arena_fini(&arena);
    lsp_text_init(&document->text);
    document->next = documents->first;
    documents->first = document;
    documents->n++;
    return document;
}

struct lsp_document *lsp_document_open(struct lsp_documents *documents, const char *uri,
                                       const char *text, size_t len)
{
    struct lsp_document *document = lsp_document_find(documents, uri);
    if (document == NULL && documents->n == LSP_DOCUMENTS_MAX)
        return NULL;
    if (document == NULL)
        document = add(documents, uri);
    lsp_text_set(&document->text, text, len);
    document->version = -1;
    document->is_stale = true;
    return document;
}

void lsp_document_close(struct lsp_documents *documents, struct lsp_document *document)
{
    struct lsp_document **at = &documents->first;
    while (*at != document)
        at = &(*at)->next;
    *at = document->next;
    documents->n--;
    if (document->good != document->check)
        lsp_check_free(document->good);
    lsp_check_free(document->check);
    lsp_text_fini(&document->text);
    free(document->uri);
    free(document->path);
    free(document);
}

void lsp_documents_close(struct lsp_documents *documents)
{
    while (documents->first != NULL)
        lsp_document_close(documents, documents->first);
}

void lsp_document_check(struct lsp_document *document, struct lsp_sources *sources)
{
    document->channels = lsp_sources_of(sources, document->path);
    if (document->check != NULL && !document->is_stale &&
        document->channels_id == document->channels->id)
        return;
    if (document->check != document->good)
        lsp_check_free(document->check);
    const char *file = document->path != NULL ? document->path : document->uri;
    const char *text = document->text.bytes != NULL ? document->text.bytes : "";
    document->check = lsp_check_new(file, text, document->text.len, &document->channels->table);
    document->channels_id = document->channels->id;
    document->is_stale = false;
    document->is_published = false;
    if (document->check->diags.n_errors != 0 || document->check->program == NULL)
        return;
    lsp_check_free(document->good);
    document->good = document->check;
}
