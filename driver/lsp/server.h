/* driver/lsp/server.h - a language server for Arc: diagnostics, hover, completion, definition,
 * formatting and outline for editors, by the Language Server Protocol 3.17.
 *
 * One call: lsp_serve(), which returns when the client says so or its input ends. One thread; two
 * may run in one process. It starts nothing, talks to no Driver, and reads only driver.json and
 * tasks/ above the programs.
 *
 * A text is checked when the client is silent for a moment or asks about it, never once per key
 * that was hit. What a client sends wrongly is answered with an error, or skipped; it ends nothing.
 */
#ifndef DRIVER_LSP_SERVER_H
#define DRIVER_LSP_SERVER_H

struct lsp_options {
    int in_fd, out_fd;
    const char *channels_file; /* NULL: the channels of the folder around each program */
};

/* The exit code that the protocol asks for: 0 after a shutdown, else 1. */
int lsp_serve(const struct lsp_options *options);

#endif
