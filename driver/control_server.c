/* A listening thread, and a thread for each connection: a command that takes its time holds up its
 * own client only. */
#include "driver/control.h"

#include "base/rt.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct connection {
    struct driver_control_server *server;
    int fd;
    bool used; /* the slot is taken; freed by the listener once `done` */
    bool done;
    pthread_t thread;
    struct driver_control_session session;
};

struct driver_control_server {
    struct driver_control_handler handler;
    struct sockaddr_un address;
    int listen_fd, stop_fd;
    pthread_t thread;
    pthread_mutex_t lock; /* of used and done */
    struct connection connections[DRIVER_CONTROL_MAX_CLIENTS];
    uint64_t n_sessions;
};

json_t *driver_control_ok(void)
{
    return json_pack("{s:b}", "ok", 1);
}

json_t *driver_control_error(const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    json_t *reply = json_pack("{s:b,s:s}", "ok", 0, "error", text);
    return reply != NULL ? reply : json_pack("{s:b,s:s}", "ok", 0, "error", "not UTF-8");
}

/* ---- One connection ----------------------------------------------------------------------------
 */

static bool send_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}

static json_t *answer(struct connection *c, const char *line, size_t len)
{
    json_error_t error;
    json_t *request = json_loadb(line, len, JSON_REJECT_DUPLICATES, &error);
    if (request == NULL)
        return driver_control_error("the request is not JSON: %s", error.text);
    json_t *reply = json_is_object(request)
                        ? c->server->handler.request(c->server->handler.ctx, &c->session, request)
                        : driver_control_error("the request must be a JSON object");
    json_decref(request);
    return reply;
}

static bool handle_line(struct connection *c, const char *line, size_t len)
{
    json_t *reply = answer(c, line, len);
    char *text = json_dumps(reply, JSON_COMPACT | JSON_ENSURE_ASCII);
    json_decref(reply);
    bool ok = text != NULL && send_all(c->fd, text, strlen(text)) && send_all(c->fd, "\n", 1);
    free(text);
    return ok;
}

static void serve_lines(struct connection *c)
{
    size_t size = 65536, used = 0;
    char *buf = malloc(size);
    while (buf != NULL) {
        ssize_t n = recv(c->fd, buf + used, size - used, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        used += (size_t)n;
        char *end;
        while ((end = memchr(buf, '\n', used)) != NULL) {
            size_t len = (size_t)(end - buf);
            if (!handle_line(c, buf, len)) {
                free(buf);
                return;
            }
            used -= len + 1;
            memmove(buf, end + 1, used);
        }
        if (used < size)
            continue;
        if (size >= DRIVER_CONTROL_MAX_LINE_BYTES)
            break; /* nobody sends such a request by accident */
        char *grown = realloc(buf, size * 2);
        if (grown == NULL)
            break;
        buf = grown;
        size *= 2;
    }
    free(buf);
}

static void *run_connection(void *arg)
{
    struct connection *c = arg;
    pthread_setname_np(pthread_self(), "arcd-control");
    serve_lines(c);
    struct driver_control_handler *handler = &c->server->handler;
    if (handler->ended != NULL)
        handler->ended(handler->ctx, &c->session);
    pthread_mutex_lock(&c->server->lock);
    c->done = true;
    pthread_mutex_unlock(&c->server->lock);
    shutdown(c->fd, SHUT_RDWR);
    return NULL;
}

/* ---- The listener ------------------------------------------------------------------------------
 */

/* Joins connections that have ended. With `all`, makes the others end. */
static void reap(struct driver_control_server *server, bool all)
{
    for (size_t i = 0; i < DRIVER_CONTROL_MAX_CLIENTS; i++) {
        struct connection *c = &server->connections[i];
        pthread_mutex_lock(&server->lock);
        bool ended = c->used && (c->done || all);
        pthread_mutex_unlock(&server->lock);
        if (!ended)
            continue;
        shutdown(c->fd, SHUT_RDWR);
        base_thread_join(c->thread);
        close(c->fd);
        *c = (struct connection){0};
    }
}

static void accept_one(struct driver_control_server *server)
{
    struct sockaddr_un peer; /* a local client has no name worth knowing */
    socklen_t len = sizeof peer;
    int fd = accept4(server->listen_fd, (struct sockaddr *)&peer, &len, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    for (size_t i = 0; i < DRIVER_CONTROL_MAX_CLIENTS; i++) {
        struct connection *c = &server->connections[i];
        if (c->used)
            continue;
        *c = (struct connection){.server = server, .fd = fd, .used = true};
        c->session.id = ++server->n_sessions;
        if (base_thread_start(&c->thread, run_connection, c, NULL) == ARCD_OK)
            return;
        c->used = false;
        break;
    }
    static const char full[] = "{\"ok\":false,\"error\":\"too many connections\"}\n";
    (void)send_all(fd, full, sizeof full - 1);
    close(fd);
}

static void *run_listener(void *arg)
{
    struct driver_control_server *server = arg;
    pthread_setname_np(pthread_self(), "arcd-listen");
    struct pollfd fds[] = {{server->listen_fd, POLLIN, 0}, {server->stop_fd, POLLIN, 0}};
    for (;;) {
        int n = poll(fds, 2, 1000); /* now and then ended connections are tidied away */
        if (n < 0 && errno != EINTR)
            break;
        if (n > 0 && fds[1].revents != 0)
            break;
        reap(server, false);
        if (n > 0 && fds[0].revents != 0)
            accept_one(server);
    }
    reap(server, true);
    return NULL;
}

/* The folder of the socket, made when missing. */
static void make_folder(const char *path)
{
    char folder[sizeof((struct sockaddr_un *)0)->sun_path];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - path) : 0, path);
    (void)mkdir(folder, 0750); /* a real problem shows at bind, with its reason */
}

static bool somebody_listens(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    bool yes = connect(fd, (const struct sockaddr *)address, sizeof *address) == 0;
    close(fd);
    return yes;
}

static enum arcd_err bind_socket(struct driver_control_server *server, struct arcd_errinfo *why)
{
    const char *path = server->address.sun_path;
    make_folder(path);
    if (somebody_listens(&server->address))
        return arcd_fail(why, ARCD_ERR_BUSY, 0,
                         "another arcd runs already and listens at %s; give this one its own with "
                         "--socket",
                         path);
    (void)unlink(path);
    server->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server->listen_fd < 0 ||
        bind(server->listen_fd, (struct sockaddr *)&server->address, sizeof server->address) != 0 ||
        listen(server->listen_fd, 16) != 0)
        return arcd_fail_errno(why, errno, "cannot listen at %s", path);
    (void)chmod(path, 0660);
    return ARCD_OK;
}

enum arcd_err driver_control_server_start(const char *path,
                                          const struct driver_control_handler *handler,
                                          struct driver_control_server **out,
                                          struct arcd_errinfo *why)
{
    struct driver_control_server *server = calloc(1, sizeof *server);
    ARCD_ASSERT(server != NULL);
    server->handler = *handler;
    server->address.sun_family = AF_UNIX;
    server->listen_fd = server->stop_fd = -1;
    pthread_mutex_init(&server->lock, NULL);
    enum arcd_err err = ARCD_OK;
    size_t room = sizeof server->address.sun_path;
    if ((size_t)snprintf(server->address.sun_path, room, "%s", path) >= room)
        err = arcd_fail(why, ARCD_ERR_INVALID, 0, "the socket path is longer than %zu bytes: %s",
                        room - 1, path);
    if (err == ARCD_OK)
        err = bind_socket(server, why);
    if (err == ARCD_OK && (server->stop_fd = eventfd(0, EFD_CLOEXEC)) < 0)
        err = arcd_fail_errno(why, errno, "cannot make an eventfd");
    if (err == ARCD_OK)
        err = base_thread_start(&server->thread, run_listener, server, why);
    if (err != ARCD_OK) {
        if (server->listen_fd >= 0)
            close(server->listen_fd);
        if (server->stop_fd >= 0)
            close(server->stop_fd);
        free(server);
        return err;
    }
    *out = server;
    return ARCD_OK;
}

void driver_control_server_stop(struct driver_control_server *server)
{
    if (server == NULL)
        return;
    uint64_t one = 1;
    ssize_t n = write(server->stop_fd, &one, sizeof one);
    ARCD_ASSERT(n == sizeof one);
    base_thread_join(server->thread);
    close(server->listen_fd);
    close(server->stop_fd);
    unlink(server->address.sun_path);
    pthread_mutex_destroy(&server->lock);
    free(server);
}
