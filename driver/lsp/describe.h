/* driver/lsp/describe.h - symbols as people read them: one line of Arc, and a few sentences.
 *
 * Pure, any thread; all text is in the view's arena and never NULL.
 */
#ifndef DRIVER_LSP_DESCRIBE_H
#define DRIVER_LSP_DESCRIBE_H

#include "driver/lsp/names.h"

/* "func pi{kp f64, ki f64 = 0.0}(value f64) f64", "level chan f64", "LIMIT f64 m := 1.5". */
const char *lsp_describe_line(const struct lsp_view *view, const struct lsp_symbol *symbol);

/* What there is to say beyond the line; "" : nothing. Plain text, but for `code` in backticks. */
const char *lsp_describe_notes(const struct lsp_view *view, const struct lsp_symbol *symbol);

/* The signature of a member: "time.wait{duration i64 ns} u8". */
const char *lsp_describe_lib(struct base_arena *arena, const struct arc_lib_member *lib);

/* One sentence. */
const char *lsp_describe_lib_doc(const struct arc_lib_member *lib);

/* A constant's value: "29.0075 psi", "\"text\"". */
const char *lsp_describe_value(struct base_arena *arena, const struct arc_value *value);

#endif
