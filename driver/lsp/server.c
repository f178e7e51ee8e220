/* The loop: a message is handled as soon as it is complete; texts are checked when none is left. */
#include "driver/lsp/session_priv.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    LOOK_AGAIN_MS = 1000, /* at driver.json, for clients that do not tell of changed files */
    BUSY_MESSAGES = 200,  /* without a pause, until diagnostics are sent all the same */
};

/* ---- One message -------------------------------------------------------------------------- */

static void run(struct lsp_session *s, const struct lsp_method *method, const json_t *id,
                const json_t *params)
{
    json_t *result = method->run(s, id, params);
    if (result != NULL)
        lsp_send_result(s, id, result);
}

/* False after an error: the method must not be run now. */
static bool may_run(struct lsp_session *s, const char *name, const json_t *id)
{
    bool is_first = strcmp(name, "initialize") == 0;
    if (!s->is_initialized && !is_first) {
        if (id != NULL)
            lsp_send_error(s, id, LSP_NOT_INITIALIZED, "'%s' before 'initialize'", name);
        return false;
    }
    if (s->is_shut_down && id != NULL)
        lsp_send_error(s, id, LSP_INVALID_REQUEST, "'%s' after 'shutdown'", name);
    return !s->is_shut_down;
}

static void call(struct lsp_session *s, const char *name, const json_t *id, const json_t *params)
{
    const struct lsp_method *method = lsp_method_find(name);
    bool is_exit = strcmp(name, "exit") == 0;
    if (is_exit) {
        run(s, method, NULL, params);
        return;
    }
    if (!may_run(s, name, id))
        return;
    bool fits = method != NULL && method->is_request == (id != NULL);
    if (fits)
        run(s, method, id, params);
    else if (id != NULL)
        lsp_send_error(s, id, LSP_METHOD_NOT_FOUND, "there is no method '%.100s'", name);
}

static void handle(struct lsp_session *s, const json_t *message)
{
    const json_t *id = json_object_get(message, "id");
    const char *method = json_string_value(json_object_get(message, "method"));
    bool is_answer = method == NULL && id != NULL &&
                     (json_object_get(message, "result") || json_object_get(message, "error"));
    bool is_id = id == NULL || json_is_string(id) || json_is_number(id);
    if (is_answer)
        return; /* to our own request: nothing to do */
    if (method == NULL || !is_id)
        lsp_send_error(s, is_id ? id : NULL, LSP_INVALID_REQUEST,
                       "a message is an object with a method");
    else
        call(s, method, id, json_object_get(message, "params"));
}

static void parse(struct lsp_session *s, const char *body, size_t len)
{
    json_error_t error;
    json_t *message = json_loadb(body, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (message == NULL)
        lsp_send_error(s, NULL, LSP_PARSE_ERROR, "not JSON: %s", error.text);
    else
        handle(s, message);
    json_decref(message);
}

/* ---- The loop ----------------------------------------------------------------------------- */

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Nothing more has come: brings the client up to date, then waits. */
static void catch_up(struct lsp_session *s, int64_t *looked_ms)
{
    if (now_ms() - *looked_ms >= LOOK_AGAIN_MS) {
        lsp_sources_refresh(&s->sources);
        *looked_ms = now_ms();
    }
    lsp_publish(s);
    (void)lsp_wire_fill(&s->wire, s->documents.n > 0 ? LOOK_AGAIN_MS : -1);
}

static void serve(struct lsp_session *s)
{
    int64_t looked_ms = now_ms();
    int n_busy = 0;
    const char *body;
    size_t len;
    while (!s->has_exited && !s->is_gone) {
        switch (lsp_wire_next(&s->wire, &body, &len)) {
        case LSP_WIRE_MESSAGE:
            parse(s, body, len);
            if (++n_busy % BUSY_MESSAGES == 0)
                lsp_publish(s);
            break;
        case LSP_WIRE_TOO_LARGE:
            lsp_send_log(s, LSP_LOG_ERROR, "a message over %d bytes is left out", LSP_MESSAGE_MAX);
            break;
        case LSP_WIRE_GARBAGE:
            lsp_send_error(s, NULL, LSP_PARSE_ERROR, "a message needs a Content-Length header");
            break;
        case LSP_WIRE_MORE:
            if (s->wire.has_ended)
                return;
            if (!lsp_wire_fill(&s->wire, 0) && !s->wire.has_ended)
                catch_up(s, &looked_ms);
            break;
        }
    }
}

int lsp_serve(const struct lsp_options *options)
{
    struct lsp_session s = {0};
    lsp_wire_init(&s.wire, options->in_fd, options->out_fd);
    lsp_sources_init(&s.sources, options->channels_file);
    serve(&s);
    lsp_documents_close(&s.documents);
    lsp_sources_fini(&s.sources);
    lsp_wire_fini(&s.wire);
    free(s.channels_file);
    return s.is_shut_down ? 0 : 1;
}
