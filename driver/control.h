/* driver/control.h - how verbs reach a running Driver: JSON requests and replies, whatever carries
 * them.
 *
 * A request is one object with a member "cmd"; a reply is one object with "ok" (bool) and, when
 * false, "error" (a finished sentence). One request at a time on a connection. The carrier is a
 * local stream socket, one JSON text a line; nothing outside of driver/control_*.c knows that.
 *
 * Server: driver_control_server_start -> (handler is called from one thread a connection) ->
 * driver_control_server_stop. Client: driver_control_connect -> driver_control_call ... ->
 * driver_control_disconnect. One thread at a time. Ownership: requests and replies are jansson
 * references; who receives one owns it.
 */
#ifndef DRIVER_CONTROL_H
#define DRIVER_CONTROL_H

#include "base/err.h"

#include <jansson.h>

enum { DRIVER_CONTROL_MAX_CLIENTS = 32, DRIVER_CONTROL_MAX_LINE_BYTES = 4 << 20 };

/* One connection, as the handler sees it. `session` is the handler's own, NULL at first: what a
 * client holds (authority over channels) lives there and is given up in `ended`. */
struct driver_control_session {
    void *session;
    uint64_t id;
};

struct driver_control_handler {
    void *ctx;
    /* Any of the connection threads, several at once. Never NULL; the server releases it. */
    json_t *(*request)(void *ctx, struct driver_control_session *session, const json_t *request);
    void (*ended)(void *ctx, struct driver_control_session *session);
};

struct driver_control_server;

/* Binds `path` (mode 0660), replacing a socket that nobody listens on. BUSY: another Driver answers
 * there. */
ARCD_MUST_CHECK enum arcd_err
driver_control_server_start(const char *path, const struct driver_control_handler *handler,
                            struct driver_control_server **server, struct arcd_errinfo *why);

/* Closes every connection, waits for handlers to return, removes the socket. */
void driver_control_server_stop(struct driver_control_server *server);

struct driver_control_client;

/* LINK: no Driver answers at `path`; the sentence says what to do. */
ARCD_MUST_CHECK enum arcd_err driver_control_connect(const char *path,
                                                     struct driver_control_client **client,
                                                     struct arcd_errinfo *why);

/* Takes the request. Waits for the reply, at most timeout_ms (-1: for ever). A reply with "ok"
 * false is an error here, with its text; *reply is set then too. */
ARCD_MUST_CHECK enum arcd_err driver_control_call(struct driver_control_client *client,
                                                  json_t *request, int timeout_ms, json_t **reply,
                                                  struct arcd_errinfo *why);
void driver_control_disconnect(struct driver_control_client *client);

/* ---- Replies */

json_t *driver_control_ok(void);
json_t *driver_control_error(const char *fmt, ...) ARCD_PRINTF(1, 2);

#endif
