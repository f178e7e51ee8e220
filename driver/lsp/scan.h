/* driver/lsp/scan.h - what surrounds a place in the text, by its tokens alone: in which bodies,
 * braces and parentheses it stands, and which local names it can see.
 *
 * One call: lsp_scan_to(). It needs no tree and no closed brackets, so it works in the middle of
 * typing. Everything is in the arena; pure, any thread.
 */
#ifndef DRIVER_LSP_SCAN_H
#define DRIVER_LSP_SCAN_H

#include "driver/lsp/check.h"

enum lsp_frame_kind {
    LSP_FRAME_ROOT,
    LSP_FRAME_IMPORTS,   /* import ( */
    LSP_FRAME_AUTHORITY, /* authority ( */
    LSP_FRAME_FUNC,      /* from the word func to the end of the body; its parameters live here */
    LSP_FRAME_PARAMS,    /* config, inputs or outputs in a function's head */
    LSP_FRAME_BLOCK,     /* statements */
    LSP_FRAME_SEQUENCE,
    LSP_FRAME_STAGE,
    LSP_FRAME_INVOKE, /* f{ */
    LSP_FRAME_TABLE,  /* -> { */
    LSP_FRAME_PAREN,  /* ( or [ in an expression */
};

struct lsp_frame {
    enum lsp_frame_kind kind;
    uint32_t open;    /* index of the token that began it */
    size_t n_outside; /* locals that were visible before it */
    uint32_t step;    /* FUNC: how far its head was read; the scan's own */
};

struct lsp_local {
    uint32_t token; /* of the name in its declaration */
    enum arc_var_kind kind;
};

enum { LSP_NO_TOKEN = UINT32_MAX };

struct lsp_scan {
    const struct lsp_check *check;
    uint32_t token;           /* index of the first token that was not looked at */
    struct lsp_frame *frames; /* outermost first; the first is the ROOT */
    size_t n_frames;
    struct lsp_local *locals;
    size_t n_locals;
};

/* Looks at all tokens that begin before the offset. */
struct lsp_scan lsp_scan_to(struct base_arena *arena, const struct lsp_check *check,
                            uint32_t offset);

/* The innermost frame that is no parenthesis. */
const struct lsp_frame *lsp_scan_frame(const struct lsp_scan *scan);

/* The function around the place; NULL: none. */
const struct lsp_frame *lsp_scan_func(const struct lsp_scan *scan);

/* The visible local of that name, or NULL. */
const struct lsp_local *lsp_scan_local(const struct lsp_scan *scan, const char *name, size_t len);

bool lsp_token_is(const struct arc_token *token, const char *name, size_t len);
bool lsp_token_begins_type(const struct arc_token *token);

/* The token that holds the offset or ends at it: the one that a person means with the cursor
 * there, a name before anything else. LSP_NO_TOKEN: white space or a comment. */
uint32_t lsp_token_at(const struct lsp_check *check, uint32_t offset);

#endif
