#include "driver/lsp/wire.h"

#include "base/mark.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { READ_BYTES = 65536, KEEP_BYTES = 1 << 20 };

void lsp_wire_init(struct lsp_wire *wire, int in_fd, int out_fd)
{
    *wire = (struct lsp_wire){.in_fd = in_fd, .out_fd = out_fd};
}

void lsp_wire_fini(struct lsp_wire *wire)
{
    free(wire->bytes);
}

/* ---- Receiving ---------------------------------------------------------------------------- */

/* Moves what is left to the front, and gives back the room that one large message has taken. */
static void tidy(struct lsp_wire *wire)
{
    size_t left = wire->n - wire->at;
    if (wire->at > 0 && left > 0)
        memmove(wire->bytes, wire->bytes + wire->at, left);
    wire->at = 0;
    wire->n = left;
    if (wire->cap <= KEEP_BYTES || left > KEEP_BYTES / 2)
        return;
    char *smaller = realloc(wire->bytes, KEEP_BYTES);
    if (smaller == NULL)
        return;
    wire->bytes = smaller;
    wire->cap = KEEP_BYTES;
}

static char *room_for(struct lsp_wire *wire, size_t n)
{
    if (wire->cap - wire->n < n) {
        size_t cap = wire->cap * 2 > wire->n + n ? wire->cap * 2 : wire->n + n;
        wire->bytes = realloc(wire->bytes, cap);
        ARCD_ASSERT(wire->bytes != NULL);
        wire->cap = cap;
    }
    return wire->bytes + wire->n;
}

/* Bytes of a too large body go nowhere. */
static void drop_skipped(struct lsp_wire *wire)
{
    size_t left = wire->n - wire->at;
    size_t n = wire->skip < left ? wire->skip : left;
    wire->at += n;
    wire->skip -= n;
}

void lsp_wire_feed(struct lsp_wire *wire, const char *bytes, size_t n)
{
    tidy(wire);
    memcpy(room_for(wire, n), bytes, n);
    wire->n += n;
    drop_skipped(wire);
}

bool lsp_wire_fill(struct lsp_wire *wire, int timeout_ms)
{
    struct pollfd poll_fd = {.fd = wire->in_fd, .events = POLLIN};
    if (wire->has_ended || poll(&poll_fd, 1, timeout_ms) <= 0)
        return false;
    tidy(wire);
    char *room = room_for(wire, READ_BYTES);
    ssize_t n = read(wire->in_fd, room, READ_BYTES);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return false;
    if (n <= 0) {
        wire->has_ended = true;
        return false;
    }
    wire->n += (size_t)n;
    drop_skipped(wire);
    return true;
}

/* ---- Headers ------------------------------------------------------------------------------ */

static const char name[] = "Content-Length:";
enum { NAME_LEN = sizeof name - 1 };

/* The last place in a text where the header's name stands; NULL: nowhere. The last, because what
 * is before it may be the rest of something broken. */
static const char *find_name(const char *text, size_t len)
{
    for (size_t at = len < NAME_LEN ? 0 : len - NAME_LEN + 1; at-- > 0;) {
        if (strncasecmp(text + at, name, NAME_LEN) == 0)
            return text + at;
    }
    return NULL;
}

/* The number behind the name; false: there is none, or another thing behind it. */
static bool read_length(const char *at, const char *end, size_t *length)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (at == end || *at < '0' || *at > '9')
        return false;
    size_t value = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        if (value > (size_t)1 << 48)
            return false;
        value = value * 10 + (size_t)(*at - '0');
    }
    *length = value;
    return at < end && (*at == '\r' || *at == '\n' || *at == ' ');
}

/* The end of the header block at `text`: behind its empty line. NULL: not there yet. A client that
 * ends its lines without CR is understood as well. */
static const char *block_end(const char *text, size_t len)
{
    const char *end = text + len;
    for (const char *at = text; at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL;
         at++) {
        if (at + 1 < end && at[1] == '\n')
            return at + 2;
        if (at + 2 < end && at[1] == '\r' && at[2] == '\n')
            return at + 3;
    }
    return NULL;
}

/* No empty line in sight: what cannot be the beginning of a header is dropped. */
static enum lsp_wire_state wait_for_header(struct lsp_wire *wire)
{
    size_t left = wire->n - wire->at;
    if (left <= LSP_HEADER_MAX)
        return LSP_WIRE_MORE;
    const char *start = find_name(wire->bytes + wire->at, left);
    size_t keep = NAME_LEN;
    if (start != NULL && (size_t)(wire->bytes + wire->n - start) < LSP_HEADER_MAX)
        keep = (size_t)(wire->bytes + wire->n - start);
    wire->at = wire->n - keep;
    return LSP_WIRE_GARBAGE;
}

enum lsp_wire_state lsp_wire_next(struct lsp_wire *wire, const char **body, size_t *len)
{
    size_t left = wire->n - wire->at;
    if (left == 0)
        return LSP_WIRE_MORE;
    const char *text = wire->bytes + wire->at;
    const char *end = block_end(text, left);
    if (end == NULL)
        return wait_for_header(wire);
    size_t length;
    const char *header = find_name(text, (size_t)(end - text));
    if (header == NULL || !read_length(header + NAME_LEN, end, &length)) {
        wire->at += (size_t)(end - text);
        return LSP_WIRE_GARBAGE;
    }
    if (length > LSP_MESSAGE_MAX) {
        wire->at += (size_t)(end - text);
        wire->skip = length;
        drop_skipped(wire);
        return LSP_WIRE_TOO_LARGE;
    }
    if (left - (size_t)(end - text) < length)
        return LSP_WIRE_MORE;
    *body = end;
    *len = length;
    wire->at += (size_t)(end - text) + length;
    return LSP_WIRE_MESSAGE;
}

/* ---- Sending ------------------------------------------------------------------------------ */

static bool write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0 && errno == EAGAIN) {
            struct pollfd poll_fd = {.fd = fd, .events = POLLOUT};
            (void)poll(&poll_fd, 1, -1);
            continue;
        }
        if (done <= 0)
            return false;
        bytes += done;
        n -= (size_t)done;
    }
    return true;
}

bool lsp_wire_send(struct lsp_wire *wire, const char *body, size_t len)
{
    char header[64];
    int n = snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", len);
    return write_all(wire->out_fd, header, (size_t)n) && write_all(wire->out_fd, body, len);
}
