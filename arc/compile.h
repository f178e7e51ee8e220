/* arc/compile.h - from source text to a checked program.
 *
 * One call: arc_check(). Everything it makes is the arena's; text, table and arena must outlive the
 * program. Any thread, several at a time with an arena each: there is no state besides the
 * arguments.
 */
#ifndef ARC_COMPILE_H
#define ARC_COMPILE_H

#include "arc/ast.h"
#include "arc/diag.h"

/* Limits of a program; going over one is an error that says so. */
enum {
    ARC_MAX_SOURCE_BYTES = 16 << 20,
    ARC_MAX_NESTING = 200, /* blocks, parentheses, stages and sequences, inside one another */
    ARC_DEPTH_TREE = 1000, /* operators and calls under one expression, along the longest path */
};

/* One channel that the program may name. */
struct arc_chan_info {
    const char *name;
    enum telem_type type; /* a TELEM_TIMESTAMP is an i64 ns to the program */
    bool is_read_only;    /* writing it is an error: a measured input, an index */
};

/* What there is around the program. Names are unique; order does not matter. */
struct arc_chan_table {
    const struct arc_chan_info *chans;
    size_t n_chans;
};

/* NULL when there are errors: all of them are in `diags`, sorted by position, with the warnings.
 * Otherwise the program, with the guarantees in arc/ast.h. `diags` was made for the same source and
 * arena. */
struct arc_program *arc_check(const struct arc_source *source, const struct arc_chan_table *table,
                              struct base_arena *arena, struct arc_diags *diags);

#endif
