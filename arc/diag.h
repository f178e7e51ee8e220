/* arc/diag.h - what the compiler has to say about a program, and how it is shown.
 *
 * Life cycle: arc_diags_init -> arc_diag_add ... -> arc_diags_sort -> render -> nothing to free,
 * all memory is the arena's. One thread at a time. A position is a line (from 1) and a column (from
 * 0), both counted in characters; an end is the position just behind the last character. Lists are
 * sorted by position, so the first error of a sorted list is the first that a reader of the text
 * meets.
 *
 * Any error blocks the program; warnings never do. At most ARC_DIAG_MAX are kept: the one behind
 * that says that more were found.
 */
#ifndef ARC_DIAG_H
#define ARC_DIAG_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { ARC_DIAG_MAX = 500, ARC_DIAG_NOTES = 3 };

enum arc_severity { ARC_ERROR, ARC_WARNING, ARC_INFO, ARC_HINT };

/* X(NAME, number, meaning). Diagnostics without a code have ARC_CODE_NONE. */
#define ARC_CODES(X)                                                                               \
    X(TYPE, 2001, "type mismatch")                                                                 \
    X(CONSTRAINT, 2003, "constraint violation")                                                    \
    X(ARG_COUNT, 3001, "argument count")                                                           \
    X(ARG_TYPE, 3002, "argument type")                                                             \
    X(UNDEFINED, 4001, "undefined symbol")                                                         \
    X(REDEFINED, 4002, "redefined symbol")                                                         \
    X(DEPRECATED, 4003, "deprecated name")                                                         \
    X(UNUSED_IMPORT, 5001, "unused import")

enum arc_code {
    ARC_CODE_NONE = 0,
#define ARC_CODE_ENUM(NAME, number, meaning) ARC_CODE_##NAME = (number),
    ARC_CODES(ARC_CODE_ENUM)
#undef ARC_CODE_ENUM
};

struct arc_pos {
    uint32_t line; /* from 1 */
    uint32_t col;  /* from 0, in characters */
};

/* A piece of the source text: byte offsets, end not included, and the line where it begins. */
struct arc_span {
    uint32_t start;
    uint32_t end;
    uint32_t line;
};

/* The text of one program. `text` need not end in NUL. */
struct arc_source {
    const char *file; /* name for messages, never NULL */
    const char *text;
    size_t len;
};

struct arc_diag {
    enum arc_severity severity;
    enum arc_code code;
    const char *message; /* one line, no full stop */
    const char *hint;    /* what to do about it; NULL when there is none */
    const char *notes[ARC_DIAG_NOTES];
    size_t n_notes;
    struct arc_span span;
    struct arc_pos start;
    struct arc_pos end;
    size_t seq; /* arc_diags_sort()'s own */
};

struct arc_diags {
    struct base_arena *arena;
    const struct arc_source *source;
    struct arc_diag **list;
    size_t n;
    size_t cap;
    size_t n_errors;
    size_t n_dropped; /* found beyond ARC_DIAG_MAX; errors among them count in n_errors */
};

/* `source` must outlive the list and everything rendered from it. */
void arc_diags_init(struct arc_diags *diags, struct base_arena *arena,
                    const struct arc_source *source);

/* The result is for arc_diag_hint() and arc_diag_note(); never NULL. */
struct arc_diag *arc_diag_add(struct arc_diags *diags, enum arc_severity severity,
                              enum arc_code code, struct arc_span span, const char *fmt, ...)
    ARCD_PRINTF(5, 6);
void arc_diag_hint(struct arc_diags *diags, struct arc_diag *diag, const char *fmt, ...)
    ARCD_PRINTF(3, 4);
void arc_diag_note(struct arc_diags *diags, struct arc_diag *diag, const char *fmt, ...)
    ARCD_PRINTF(3, 4);

/* By position, errors before warnings at the same place, then in the order of adding. */
void arc_diags_sort(struct arc_diags *diags);

/* NULL when there is none. The list is sorted. */
const struct arc_diag *arc_diags_first_error(const struct arc_diags *diags);

/* Line and column of a byte offset; an offset behind the end counts as the end. */
struct arc_pos arc_source_pos(const struct arc_source *source, uint32_t offset);

const char *arc_severity_name(enum arc_severity severity); /* "error", ... */

/* As a person reads it, with a newline at the end:
 *     fill.arc:3:8: error[ARC2001]: 'limit' ...
 *       3 |     x > limit
 *         |         ^^^^^
 *       hint: ...
 * Text that lives in the arena. */
const char *arc_diag_render(struct base_arena *arena, const struct arc_source *source,
                            const struct arc_diag *diag);

/* All of a list, and "N errors, M warnings" at the end when there is anything. */
const char *arc_diags_render(const struct arc_diags *diags);

/* The list as one JSON object:
 *     {"file": "...", "errors": 1, "warnings": 0, "diagnostics": [
 *       {"severity": "error", "code": "ARC2001", "message": "...", "hint": "...", "notes": ["..."],
 *        "start": {"line": 3, "column": 8}, "end": {...}}]}
 * Lines from 1, columns from 0. `code` and `hint` are left out when there is none. Text in the
 * arena. */
const char *arc_diags_to_json(const struct arc_diags *diags);

#endif
