/* arc/dis.h - a program image as text, for people.
 *
 * One call. Shows memory, channels, the graph (scopes with their members in running order, edges,
 * activations, transitions), and the bytecode of each function with the lines of its source. The
 * image must be verified. Pure, any thread.
 */
#ifndef ARC_DIS_H
#define ARC_DIS_H

#include "arc/diag.h"
#include "arc/image.h"

/* Text in the arena, NUL-terminated. `source` is shown between the instructions; NULL: not. */
const char *arc_dis(const struct arc_image *image, const struct arc_source *source,
                    struct base_arena *arena);

/* One instruction of a verified body, without a newline: "ADD_F64      r4, r0, r2 (1.5)". */
const char *arc_dis_insn(const struct arc_image *image, const struct arc_image_body *body,
                         uint32_t at, struct base_arena *arena);

#endif
