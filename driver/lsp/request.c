/* The methods of the protocol. Anything may be missing from params or have another type: jansson's
 * getters give NULL then, which is looked for where it matters. */
#include "driver/lsp/session_priv.h"
#include "driver/version.h"

#include <stdlib.h>
#include <string.h>

/* ---- Reading params ----------------------------------------------------------------------- */

/* The member at "a.b.c"; NULL: not there. */
static const json_t *at(const json_t *json, const char *path)
{
    char name[64];
    while (json != NULL && *path != '\0') {
        size_t len = strcspn(path, ".");
        ARCD_ASSERT(len < sizeof name);
        memcpy(name, path, len);
        name[len] = '\0';
        json = json_object_get(json, name);
        path += len + (path[len] == '.');
    }
    return json;
}

static bool has_text(const json_t *array, const char *text)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        const char *one = json_string_value(json_array_get(array, i));
        if (one != NULL && strcmp(one, text) == 0)
            return true;
    }
    return false;
}

/* What does not fit counts as the nearest that does. */
static bool read_count(const json_t *json, uint32_t *count)
{
    if (!json_is_integer(json))
        return false;
    json_int_t value = json_integer_value(json);
    *count = value < 0 ? 0 : value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
    return true;
}

static bool read_pos(const json_t *json, struct lsp_pos *pos)
{
    return read_count(at(json, "line"), &pos->line) &&
           read_count(at(json, "character"), &pos->character);
}

/* ---- Life of the session ------------------------------------------------------------------ */

static void read_capabilities(struct lsp_session *s, const json_t *params)
{
    const json_t *text = at(params, "capabilities.textDocument");
    struct lsp_client *client = &s->client;
    if (has_text(at(params, "capabilities.general.positionEncodings"), "utf-8"))
        client->encoding = LSP_UTF8;
    client->has_markdown = has_text(at(text, "hover.contentFormat"), "markdown");
    client->has_snippets = json_is_true(at(text, "completion.completionItem.snippetSupport"));
    client->has_tree = json_is_true(at(text, "documentSymbol.hierarchicalDocumentSymbolSupport"));
    client->has_tags = at(text, "publishDiagnostics.tagSupport") != NULL;
    s->can_watch = json_is_true(
        at(params, "capabilities.workspace.didChangeWatchedFiles.dynamicRegistration"));
}

/* initializationOptions.channels: an object as in driver.json, or the path of a file. */
static void read_options(struct lsp_session *s, const json_t *params)
{
    const json_t *channels = at(params, "initializationOptions.channels");
    if (json_is_string(channels)) {
        free(s->channels_file);
        s->channels_file = strdup(json_string_value(channels));
        s->sources.fixed_file = s->channels_file;
    } else if (channels != NULL && !json_is_null(channels) &&
               !lsp_sources_fix(&s->sources, channels)) {
        lsp_send_log(s, LSP_LOG_ERROR,
                     "initializationOptions.channels must be an object like the channels of "
                     "driver.json, or the path of a file");
    }
}

static json_t *initialize(struct lsp_session *s, const json_t *id, const json_t *params)
{
    if (s->is_initialized) {
        lsp_send_error(s, id, LSP_INVALID_REQUEST, "initialized already");
        return NULL;
    }
    s->is_initialized = true;
    read_capabilities(s, params);
    read_options(s, params);
    json_t *sync = json_pack("{s:b, s:i, s:b}", "openClose", 1, "change", 2, "save", 1);
    json_t *capabilities = json_pack(
        "{s:s, s:o, s:b, s:b, s:b, s:b, s:{s:[s,s]}}", "positionEncoding",
        s->client.encoding == LSP_UTF8 ? "utf-8" : "utf-16", "textDocumentSync", sync,
        "hoverProvider", 1, "definitionProvider", 1, "documentSymbolProvider", 1,
        "documentFormattingProvider", 1, "completionProvider", "triggerCharacters", ".", "{");
    return json_pack("{s:o, s:{s:s, s:s}}", "capabilities", capabilities, "serverInfo", "name",
                     "arcd", "version", ARCD_VERSION);
}

static json_t *initialized(struct lsp_session *s, const json_t *id, const json_t *params)
{
    (void)id;
    (void)params;
    if (!s->can_watch)
        return NULL;
    json_t *watchers = json_pack("[{s:s}, {s:s}]", "globPattern", "**/driver.json", "globPattern",
                                 "**/tasks/*.json");
    json_t *registration =
        json_pack("{s:s, s:s, s:{s:o}}", "id", "configuration", "method",
                  "workspace/didChangeWatchedFiles", "registerOptions", "watchers", watchers);
    lsp_send_request(s, "watch", "client/registerCapability",
                     json_pack("{s:[o]}", "registrations", registration));
    return NULL;
}

static json_t *shut_down(struct lsp_session *s, const json_t *id, const json_t *params)
{
    (void)id;
    (void)params;
    s->is_shut_down = true;
    return json_null();
}

static json_t *leave(struct lsp_session *s, const json_t *id, const json_t *params)
{
    (void)id;
    (void)params;
    s->has_exited = true;
    return NULL;
}

/* ---- Documents ---------------------------------------------------------------------------- */

/* NULL after an error or a log entry. */
static struct lsp_document *document_of(struct lsp_session *s, const json_t *id,
                                        const json_t *params)
{
    const char *uri = json_string_value(at(params, "textDocument.uri"));
    struct lsp_document *document = uri != NULL ? lsp_document_find(&s->documents, uri) : NULL;
    if (document != NULL)
        return document;
    if (id != NULL)
        lsp_send_error(s, id, LSP_INVALID_PARAMS, "no open document '%s'", uri != NULL ? uri : "");
    else
        lsp_send_log(s, LSP_LOG_ERROR, "no open document '%s'", uri != NULL ? uri : "");
    return NULL;
}

static void set_version(struct lsp_document *document, const json_t *params)
{
    const json_t *version = at(params, "textDocument.version");
    document->version = json_is_integer(version) ? json_integer_value(version) : -1;
}

static json_t *did_open(struct lsp_session *s, const json_t *id, const json_t *params)
{
    (void)id;
    const char *uri = json_string_value(at(params, "textDocument.uri"));
    const json_t *text = at(params, "textDocument.text");
    if (uri == NULL || !json_is_string(text)) {
        lsp_send_log(s, LSP_LOG_ERROR, "didOpen without uri and text");
        return NULL;
    }
    struct lsp_document *document =
        lsp_document_open(&s->documents, uri, json_string_value(text), json_string_length(text));
    if (document != NULL)
        set_version(document, params);
    else
        lsp_send_log(s, LSP_LOG_ERROR, "'%s' is left out: %d documents are open", uri,
                     LSP_DOCUMENTS_MAX);
    return NULL;
}

/* False: the change makes no sense. */
static bool change(struct lsp_session *s, struct lsp_document *document, const json_t *json)
{
    const json_t *text = at(json, "text");
    const json_t *range = at(json, "range");
    struct lsp_pos from, to;
    if (!json_is_string(text))
        return false;
    if (range == NULL || json_is_null(range)) {
        lsp_text_set(&document->text, json_string_value(text), json_string_length(text));
        return true;
    }
    if (!read_pos(at(range, "start"), &from) || !read_pos(at(range, "end"), &to))
        return false;
    size_t start = lsp_text_offset(&document->text, from, s->client.encoding);
    size_t end = lsp_text_offset(&document->text, to, s->client.encoding);
    return lsp_text_replace(&document->text, start, end, json_string_value(text),
                            json_string_length(text));
}

static json_t *did_change(struct lsp_session *s, const json_t *id, const json_t *params)
{
    struct lsp_document *document = document_of(s, id, params);
    const json_t *changes = at(params, "contentChanges");
    if (document == NULL)
        return NULL;
    for (size_t i = 0; i < json_array_size(changes); i++) {
        if (!change(s, document, json_array_get(changes, i)))
            lsp_send_log(s, LSP_LOG_ERROR, "a change of '%s' makes no sense and is left out",
                         document->uri);
    }
    set_version(document, params);
    document->is_stale = true;
    return NULL;
}

static json_t *files_changed(struct lsp_session *s, const json_t *id, const json_t *params)
{
    (void)id;
    (void)params;
    lsp_sources_refresh(&s->sources);
    return NULL;
}

static json_t *did_close(struct lsp_session *s, const json_t *id, const json_t *params)
{
    struct lsp_document *document = document_of(s, id, params);
    if (document == NULL)
        return NULL;
    lsp_send_notification(
        s, "textDocument/publishDiagnostics",
        json_pack("{s:o, s:[]}", "uri", lsp_json_text(document->uri), "diagnostics"));
    lsp_document_close(&s->documents, document);
    return NULL;
}

/* ---- Questions ---------------------------------------------------------------------------- */

/* In the arena of the answer. */
static const struct lsp_view *view_of(struct lsp_session *s, struct lsp_document *document,
                                      struct base_arena *arena)
{
    struct lsp_view *view = base_arena_new(arena, struct lsp_view);
    lsp_document_check(document, &s->sources);
    *view = (struct lsp_view){.arena = arena,
                              .check = document->check,
                              .good = document->good,
                              .channels = document->channels,
                              .uri = document->uri,
                              .text = &document->text,
                              .encoding = s->client.encoding};
    return view;
}

/* NULL after an error. */
static json_t *ask(struct lsp_session *s, const json_t *id, const json_t *params,
                   json_t *(*answer)(struct lsp_session *s, const struct lsp_view *view,
                                     uint32_t offset),
                   bool needs_pos)
{
    struct lsp_document *document = document_of(s, id, params);
    struct lsp_pos pos = {0, 0};
    if (document == NULL)
        return NULL;
    if (needs_pos && !read_pos(at(params, "position"), &pos)) {
        lsp_send_error(s, id, LSP_INVALID_PARAMS, "position needs a line and a character");
        return NULL;
    }
    struct base_arena arena;
    base_arena_init(&arena);
    const struct lsp_view *view = view_of(s, document, &arena);
    size_t offset = lsp_text_offset(&document->text, pos, s->client.encoding);
    json_t *result = json_null(); /* of a text that is too large to be checked */
    if (document->check->program != NULL)
        result = answer(s, view, (uint32_t)offset);
    base_arena_fini(&arena);
    return result;
}

static json_t *answer_hover(struct lsp_session *s, const struct lsp_view *view, uint32_t offset)
{
    return lsp_answer_hover(view, &s->client, offset);
}

static json_t *answer_definition(struct lsp_session *s, const struct lsp_view *view,
                                 uint32_t offset)
{
    (void)s;
    return lsp_answer_definition(view, offset);
}

static json_t *answer_completion(struct lsp_session *s, const struct lsp_view *view,
                                 uint32_t offset)
{
    return lsp_answer_completion(view, &s->client, offset);
}

static json_t *answer_formatting(struct lsp_session *s, const struct lsp_view *view,
                                 uint32_t offset)
{
    (void)s;
    (void)offset;
    return lsp_answer_formatting(view);
}

static json_t *answer_outline(struct lsp_session *s, const struct lsp_view *view, uint32_t offset)
{
    (void)offset;
    return lsp_answer_outline(view, &s->client);
}

#define ASK(method, answer, needs_pos)                                                             \
    static json_t *method(struct lsp_session *s, const json_t *id, const json_t *params)           \
    {                                                                                              \
        return ask(s, id, params, answer, needs_pos);                                              \
    }

ASK(hover, answer_hover, true)
ASK(definition, answer_definition, true)
ASK(completion, answer_completion, true)
ASK(formatting, answer_formatting, false)
ASK(outline, answer_outline, false)

/* ---- Diagnostics -------------------------------------------------------------------------- */

static void publish_one(struct lsp_session *s, struct lsp_document *document)
{
    struct base_arena arena;
    base_arena_init(&arena);
    const struct lsp_view *view = view_of(s, document, &arena);
    if (!document->is_published) {
        json_t *params = json_pack("{s:o, s:o}", "uri", lsp_json_text(document->uri), "diagnostics",
                                   lsp_answer_diagnostics(view, &s->client));
        if (document->version >= 0)
            json_object_set_new(params, "version", json_integer(document->version));
        lsp_send_notification(s, "textDocument/publishDiagnostics", params);
        document->is_published = true;
    }
    base_arena_fini(&arena);
}

/* Without channels every channel's name is an error: the user should know why. */
static void tell_problem(struct lsp_session *s, struct lsp_document *document)
{
    const struct lsp_channels *channels = document->channels;
    if (document->problem_id == channels->problem_id)
        return;
    document->problem_id = channels->problem_id;
    lsp_send_log(s, LSP_LOG_WARNING, "%s", channels->problem);
}

void lsp_publish(struct lsp_session *s)
{
    for (struct lsp_document *d = s->documents.first; d != NULL; d = d->next) {
        publish_one(s, d);
        tell_problem(s, d);
    }
}

/* ---- All ---------------------------------------------------------------------------------- */

const struct lsp_method *lsp_method_find(const char *name)
{
    static const struct lsp_method methods[] = {
        {"initialize", initialize, true},
        {"initialized", initialized, false},
        {"shutdown", shut_down, true},
        {"exit", leave, false},
        {"textDocument/didOpen", did_open, false},
        {"textDocument/didChange", did_change, false},
        {"textDocument/didSave", files_changed, false},
        {"textDocument/didClose", did_close, false},
        {"workspace/didChangeWatchedFiles", files_changed, false},
        {"textDocument/hover", hover, true},
        {"textDocument/definition", definition, true},
        {"textDocument/completion", completion, true},
        {"textDocument/formatting", formatting, true},
        {"textDocument/documentSymbol", outline, true},
    };
    for (size_t i = 0; i < ARCD_COUNT_OF(methods); i++) {
        if (strcmp(methods[i].name, name) == 0)
            return &methods[i];
    }
    return NULL;
}
