#include "driver/lsp/session_priv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes the message. */
static void send_message(struct lsp_session *s, json_t *message)
{
    ARCD_ASSERT(message != NULL);
    char *text = json_dumps(message, JSON_COMPACT);
    ARCD_ASSERT(text != NULL);
    s->is_gone = s->is_gone || !lsp_wire_send(&s->wire, text, strlen(text));
    free(text);
    json_decref(message);
}

static json_t *copy_of_id(const json_t *id)
{
    return id != NULL ? json_deep_copy(id) : json_null();
}

static json_t *format(const char *fmt, va_list args) ARCD_PRINTF(1, 0);

static json_t *format(const char *fmt, va_list args)
{
    char text[1024];
    vsnprintf(text, sizeof text, fmt, args);
    return lsp_json_text(text);
}

void lsp_send_result(struct lsp_session *s, const json_t *id, json_t *result)
{
    send_message(
        s, json_pack("{s:s, s:o, s:o}", "jsonrpc", "2.0", "id", copy_of_id(id), "result", result));
}

void lsp_send_error(struct lsp_session *s, const json_t *id, enum lsp_error code, const char *fmt,
                    ...)
{
    va_list args;
    va_start(args, fmt);
    json_t *text = format(fmt, args);
    va_end(args);
    send_message(s, json_pack("{s:s, s:o, s:{s:i, s:o}}", "jsonrpc", "2.0", "id", copy_of_id(id),
                              "error", "code", (int)code, "message", text));
}

void lsp_send_notification(struct lsp_session *s, const char *method, json_t *params)
{
    send_message(
        s, json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params));
}

void lsp_send_request(struct lsp_session *s, const char *id, const char *method, json_t *params)
{
    send_message(s, json_pack("{s:s, s:s, s:s, s:o}", "jsonrpc", "2.0", "id", id, "method", method,
                              "params", params));
}

void lsp_send_log(struct lsp_session *s, enum lsp_log level, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    json_t *text = format(fmt, args);
    va_end(args);
    lsp_send_notification(s, "window/logMessage",
                          json_pack("{s:i, s:o}", "type", (int)level, "message", text));
}
