/* arc/fmt.h - the one layout of Arc source text.
 *
 * arc_format() changes white space only: tokens, comments and their order stay. Formatting what it
 * made changes nothing. Line breaks inside an item stay where the writer put them; what it settles
 * is:
 *   - one statement or item per line, four spaces per level, at most one empty line;
 *   - a body that stands on one line stays there if it holds one item, or items with commas
 * between;
 *   - a list whose bracket ends its line has its closing bracket in a line of its own;
 *   - spaces around operators and arrows, none inside parentheses, `f{a=1}`, `{ key: node }`.
 * Any thread.
 */
#ifndef ARC_FMT_H
#define ARC_FMT_H

#include "arc/diag.h"

/* The new text, NUL-terminated, in the arena; NULL when the source has syntax errors, which are
 * then in `diags`, sorted. */
const char *arc_format(const struct arc_source *source, struct base_arena *arena,
                       struct arc_diags *diags);

#endif
