/* arc/compile.h - from source text to a checked program, and on to an image that runs.
 *
 * One call: arc_compile() for the image, or arc_check() for the checked tree alone. The tree is the
 * arena's; text, table and arena must outlive it. The image owns all its memory and outlives
 * everything. Any thread, several at a time with an arena each: there is no state besides the
 * arguments.
 */
#ifndef ARC_COMPILE_H
#define ARC_COMPILE_H

#include "arc/ast.h"
#include "arc/diag.h"

struct arc_image;

/* Limits of a program; going over one is an error that says so. */
enum {
    ARC_MAX_SOURCE_BYTES = 2 << 20,
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

/* For editors: as arc_check(), but the tree in any case, as far as parser and checker came; NULL
 * only for a source over the limit. The guarantees of arc/ast.h do not hold in a tree with errors:
 * parsed kinds may be left, types may be ARC_SHAPE_ERROR or, where nothing was checked,
 * ARC_SHAPE_NONE. Functions with a syntax error have the types of what could be read. */
struct arc_program *arc_check_loosely(const struct arc_source *source,
                                      const struct arc_chan_table *table, struct base_arena *arena,
                                      struct arc_diags *diags);

/* The image of a program, verified; NULL when there are errors, which are in `diags` then, as
 * arc_check() leaves them. The tree is made in the arena of `diags`. Free with arc_image_free(). */
struct arc_image *arc_compile(const struct arc_source *source, const struct arc_chan_table *table,
                              struct arc_diags *diags);

/* The second half of arc_compile(): a checked program to an image. Not verified; NULL when the
 * program goes over a limit of the machine, which is reported. */
struct arc_image *arc_generate(const struct arc_program *program,
                               const struct arc_chan_table *table, struct arc_diags *diags);

#endif
