#include "driver/control.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct driver_control_client {
    int fd;
    char *buf;
    size_t used, size;
};

enum arcd_err driver_control_connect(const char *path, struct driver_control_client **out,
                                     struct arcd_errinfo *why)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if ((size_t)snprintf(address.sun_path, sizeof address.sun_path, "%s", path) >=
        sizeof address.sun_path)
        return arcd_fail(why, ARCD_ERR_INVALID, 0, "the socket path is too long: %s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return arcd_fail_errno(why, errno, "cannot make a socket");
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        int errnum = errno;
        close(fd);
        if (errnum == EACCES)
            return arcd_fail_errno(why, errnum, "may not talk to the arcd at %s", path);
        return arcd_fail(why, ARCD_ERR_LINK, errnum,
                         "no arcd runs at %s: start one with 'arcd run DIR', or name its socket "
                         "with --socket",
                         path);
    }
    struct driver_control_client *client = calloc(1, sizeof *client);
    ARCD_ASSERT(client != NULL);
    client->fd = fd;
    client->size = 65536;
    client->buf = malloc(client->size);
    ARCD_ASSERT(client->buf != NULL);
    *out = client;
    return ARCD_OK;
}

void driver_control_disconnect(struct driver_control_client *client)
{
    if (client == NULL)
        return;
    close(client->fd);
    free(client->buf);
    free(client);
}

static enum arcd_err send_line(struct driver_control_client *client, const char *text,
                               struct arcd_errinfo *why)
{
    size_t len = strlen(text);
    for (size_t sent = 0; sent < len;) {
        ssize_t n = send(client->fd, text + sent, len - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return arcd_fail(why, ARCD_ERR_LINK, errno, "arcd has closed the connection");
        sent += (size_t)n;
    }
    return ARCD_OK;
}

/* Waits until a whole line is in the buffer; *end is its newline. */
static enum arcd_err receive_line(struct driver_control_client *client, int64_t deadline_mono_ns,
                                  char **end, struct arcd_errinfo *why)
{
    while ((*end = memchr(client->buf, '\n', client->used)) == NULL) {
        if (client->used == client->size) {
            client->size *= 2;
            client->buf = realloc(client->buf, client->size);
            ARCD_ASSERT(client->buf != NULL);
        }
        int wait_ms = -1;
        if (deadline_mono_ns != BASE_NEVER) {
            int64_t left_ns = deadline_mono_ns - base_mono_ns();
            if (left_ns <= 0)
                return arcd_fail(why, ARCD_ERR_TIMEOUT, 0, "arcd does not answer");
            wait_ms = (int)(left_ns / BASE_NS_PER_MS) + 1;
        }
        struct pollfd pfd = {client->fd, POLLIN, 0};
        int rc = poll(&pfd, 1, wait_ms);
        if (rc < 0 && errno == EINTR)
            return arcd_fail(why, ARCD_ERR_INTERRUPTED, 0, "interrupted");
        if (rc <= 0)
            continue;
        ssize_t n = recv(client->fd, client->buf + client->used, client->size - client->used, 0);
        if (n <= 0)
            return arcd_fail(why, ARCD_ERR_LINK, errno, "arcd has closed the connection");
        client->used += (size_t)n;
    }
    return ARCD_OK;
}

enum arcd_err driver_control_call(struct driver_control_client *client, json_t *request,
                                  int timeout_ms, json_t **reply, struct arcd_errinfo *why)
{
    *reply = NULL;
    char *text = json_dumps(request, JSON_COMPACT | JSON_ENSURE_ASCII);
    json_decref(request);
    ARCD_ASSERT(text != NULL);
    enum arcd_err err = send_line(client, text, why);
    free(text);
    if (err == ARCD_OK)
        err = send_line(client, "\n", why);
    int64_t deadline = timeout_ms < 0 ? BASE_NEVER : base_mono_ns() + timeout_ms * BASE_NS_PER_MS;
    char *end = NULL;
    if (err == ARCD_OK)
        err = receive_line(client, deadline, &end, why);
    if (err != ARCD_OK)
        return err;
    *reply = json_loadb(client->buf, (size_t)(end - client->buf), 0, NULL);
    client->used -= (size_t)(end + 1 - client->buf);
    memmove(client->buf, end + 1, client->used);
    if (*reply == NULL)
        return arcd_fail(why, ARCD_ERR_PROTOCOL, 0, "arcd's answer is not JSON");
    if (json_is_true(json_object_get(*reply, "ok")))
        return ARCD_OK;
    const char *error = json_string_value(json_object_get(*reply, "error"));
    return arcd_fail(why, ARCD_ERR_INVALID, 0, "%s", error != NULL ? error : "refused");
}
