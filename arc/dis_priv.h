/* arc/dis_priv.h - text that grows, and the parts of a listing. */
#ifndef ARC_DIS_PRIV_H
#define ARC_DIS_PRIV_H

#include "arc/dis.h"

struct arc_dis {
    const struct arc_image *image;
    const struct arc_source *source; /* NULL: none */
    struct base_arena *arena;
    char *text;
    size_t n;
    size_t room;
};

void arc_dis_put(struct arc_dis *d, const char *fmt, ...) ARCD_PRINTF(2, 3);

const char *arc_dis_vt(struct arc_dis *d, uint8_t vt);
const char *arc_dis_number(struct arc_dis *d, uint8_t type, union arc_reg value);
const char *arc_dis_value(struct arc_dis *d, const struct arc_image_value *value);
const char *arc_dis_quoted(struct arc_dis *d, uint32_t string); /* cut after 40 bytes */

void arc_dis_graph(struct arc_dis *d);
void arc_dis_code(struct arc_dis *d);

#endif
