/* driver/lsp/session_priv.h - what the files of the server share.
 *
 * server.c    the loop, and which method is whose
 * request.c   the methods
 * rpc.c       messages out: results, errors, notifications
 */
#ifndef DRIVER_LSP_SESSION_PRIV_H
#define DRIVER_LSP_SESSION_PRIV_H

#include "driver/lsp/answer.h"
#include "driver/lsp/document.h"
#include "driver/lsp/server.h"
#include "driver/lsp/wire.h"

/* Errors of JSON-RPC and of the protocol. */
enum lsp_error {
    LSP_PARSE_ERROR = -32700,
    LSP_INVALID_REQUEST = -32600,
    LSP_METHOD_NOT_FOUND = -32601,
    LSP_INVALID_PARAMS = -32602,
    LSP_NOT_INITIALIZED = -32002,
};

enum lsp_log { LSP_LOG_ERROR = 1, LSP_LOG_WARNING = 2, LSP_LOG_INFO = 3 };

struct lsp_session {
    struct lsp_wire wire;
    struct lsp_client client;
    struct lsp_sources sources;
    struct lsp_documents documents;
    char *channels_file; /* of the client's options, for free() */
    bool can_watch;      /* the client tells of changed files when asked to */
    bool is_initialized, is_shut_down, has_exited;
    bool is_gone; /* the client takes nothing any more */
};

/* ---- rpc.c. All take what they are given. */

void lsp_send_result(struct lsp_session *s, const json_t *id, json_t *result);
void lsp_send_error(struct lsp_session *s, const json_t *id, enum lsp_error code, const char *fmt,
                    ...) ARCD_PRINTF(4, 5);
void lsp_send_notification(struct lsp_session *s, const char *method, json_t *params);
void lsp_send_request(struct lsp_session *s, const char *id, const char *method, json_t *params);
void lsp_send_log(struct lsp_session *s, enum lsp_log level, const char *fmt, ...)
    ARCD_PRINTF(3, 4);

/* ---- request.c */

struct lsp_method {
    const char *name;
    /* A request: the result, or NULL after sending an error. A notification: NULL. */
    json_t *(*run)(struct lsp_session *s, const json_t *id, const json_t *params);
    bool is_request;
};

/* NULL: no such method. */
const struct lsp_method *lsp_method_find(const char *name);

/* Checks what is stale and sends the diagnostics that the client does not have. */
void lsp_publish(struct lsp_session *s);

#endif
