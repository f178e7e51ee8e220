/* driver/bench/picture.h - histograms as an SVG picture, one panel a measurement: how late (log) by
 * how many fires (log), ours and the comparator's over each other.
 *
 * No external font, script or style: any browser and any converter shows the same. White ground, so
 * that it reads in light and dark pages alike.
 */
#ifndef DRIVER_BENCH_PICTURE_H
#define DRIVER_BENCH_PICTURE_H

#include "base/err.h"
#include "driver/bench/result.h"

#include <stdio.h>

struct bench_panel {
    char title[160];
    const struct bench_result *result;
};

/* SYSTEM, PERMISSION: the file cannot be written. */
ARCD_MUST_CHECK enum arcd_err bench_picture_save(const char *path, const struct bench_panel *panels,
                                                 uint32_t n, struct arcd_errinfo *why);

void bench_picture_write(FILE *out, const struct bench_panel *panels, uint32_t n);

#endif
