/* arc/verify_priv.h - what the parts of the verifier share. Each part answers true when all is
 * well; the first thing that is wrong fills `why` and ends the search. */
#ifndef ARC_VERIFY_PRIV_H
#define ARC_VERIFY_PRIV_H

#include "arc/verify.h"

struct arc_verify {
    const struct arc_image *image;
    struct arcd_errinfo *why;
    struct base_arena scratch;
};

/* Always false. */
bool arc_verify_bad(struct arc_verify *v, const char *fmt, ...) ARCD_PRINTF(2, 3);

/* Lies [first, first + n) inside an array of `size`? An empty range may begin anywhere inside. */
bool arc_verify_in(struct arc_image_range range, uint32_t size);

bool arc_verify_is_vt(uint8_t vt);     /* a type that a register may have */
bool arc_verify_is_type(uint8_t vt);   /* a number or str */
bool arc_verify_is_sample(uint8_t vt); /* what an output may fire: a number, str or series */

bool arc_verify_data(struct arc_verify *v);  /* constants, strings, series, formats, channels */
bool arc_verify_funcs(struct arc_verify *v); /* records, stack and state */
bool arc_verify_code(struct arc_verify *v);  /* bodies */
bool arc_verify_graph(struct arc_verify *v); /* nodes, edges, scopes, transitions, lists */
bool arc_verify_nodes(struct arc_verify *v); /* each node by its kind */

#endif
