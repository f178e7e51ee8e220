/* driver/lsp/check.h - one check of one text: its tokens, its tree and what was found wrong.
 *
 * Life cycle: lsp_check_new -> questions -> lsp_check_free. It has a copy of the text, so it can
 * outlive an edit. Nothing of it changes; one thread.
 */
#ifndef DRIVER_LSP_CHECK_H
#define DRIVER_LSP_CHECK_H

#include "arc/compile.h"
#include "arc/lexer.h"

struct lsp_check {
    struct base_arena arena;
    struct arc_source source;
    struct arc_diags diags;
    struct arc_tokens tokens;    /* end in EOF; of a text over the limit only that */
    struct arc_program *program; /* NULL: the text is over ARC_MAX_SOURCE_BYTES */
};

/* Never NULL. The table is not needed afterwards. */
struct lsp_check *lsp_check_new(const char *file, const char *text, size_t len,
                                const struct arc_chan_table *table);
void lsp_check_free(struct lsp_check *check); /* may be NULL */

/* ---- Questions to a check that has a program */

/* The innermost expression that holds the offset and has a type; NULL: none. */
const struct arc_expr *lsp_check_expr_at(const struct lsp_check *check, uint32_t offset);

/* The variable whose declaration has its name at the offset; NULL: none. */
const struct arc_var *lsp_check_var_at(const struct lsp_check *check, uint32_t offset);

/* By name; NULL: none. A variable is looked for in the function's parameters and whole body. */
const struct arc_func *lsp_check_func(const struct lsp_check *check, const char *name, size_t len);
const struct arc_var *lsp_check_var(const struct lsp_check *check, const struct arc_func *func,
                                    const char *name, size_t len);

/* The type of a variable, also where no check came to it: then the type that is written. */
struct arc_type lsp_check_var_type(const struct lsp_check *check, const struct arc_var *var);

/* The comment that stands directly above the declaration at the offset, without its slashes;
 * NULL: none. In the arena. */
const char *lsp_check_comment_above(struct lsp_check *check, struct base_arena *arena,
                                    uint32_t offset);

#endif
