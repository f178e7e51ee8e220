/* driver/lsp/wire.h - messages of the language server protocol on two file descriptors: each is a
 * block of header lines, an empty line, and as many bytes as Content-Length says.
 *
 * Life cycle: lsp_wire_init -> (lsp_wire_next | lsp_wire_fill | lsp_wire_send) ... ->
 * lsp_wire_fini. One thread. What is no message is skipped up to the next header that is one, so
 * that a confused client does not end the session. The descriptors stay the caller's.
 */
#ifndef DRIVER_LSP_WIRE_H
#define DRIVER_LSP_WIRE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    LSP_MESSAGE_MAX = 64 << 20, /* bytes of a body; longer ones are skipped */
    LSP_HEADER_MAX = 8192,      /* bytes of all header lines of a message */
};

enum lsp_wire_state {
    LSP_WIRE_MESSAGE,   /* a body was given */
    LSP_WIRE_MORE,      /* nothing complete is there: lsp_wire_fill() */
    LSP_WIRE_TOO_LARGE, /* a message over LSP_MESSAGE_MAX begins here: it will be skipped */
    LSP_WIRE_GARBAGE,   /* bytes that are no header were skipped */
};

struct lsp_wire {
    int in_fd, out_fd;
    char *bytes; /* received and not given out yet: from `at` to `n` */
    size_t at, n, cap;
    size_t skip; /* bytes of a too large body still to come */
    bool has_ended;
};

void lsp_wire_init(struct lsp_wire *wire, int in_fd, int out_fd);
void lsp_wire_fini(struct lsp_wire *wire);

/* The next of what was received. The body is valid until the next call with this wire; it does not
 * end in NUL. */
enum lsp_wire_state lsp_wire_next(struct lsp_wire *wire, const char **body, size_t *len);

/* Waits for bytes, at most so long (0: not at all, -1: for ever). False: none came. At the end of
 * the input `has_ended` is set. */
bool lsp_wire_fill(struct lsp_wire *wire, int timeout_ms);

/* Takes bytes as if they had been received. */
void lsp_wire_feed(struct lsp_wire *wire, const char *bytes, size_t n);

/* False: the other side is gone. */
bool lsp_wire_send(struct lsp_wire *wire, const char *body, size_t len);

#endif
