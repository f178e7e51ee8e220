/* bench/vm/program.h - an Arc program that is fed one frame after the other. Aborts with a message
 * when it does not compile or faults. */
#ifndef BENCH_VM_PROGRAM_H
#define BENCH_VM_PROGRAM_H

#include "arc/image.h"
#include "arc_host/program.h"

struct bench_program {
    struct arc_image *image;
    struct arc_host_program *program;
    int64_t now_ns;
};

/* Every channel is an f64. */
void bench_program_init(struct bench_program *b, const char *text, const char *const *channels,
                        size_t n_channels, enum arc_host_mode mode);
void bench_program_fini(struct bench_program *b);

/* The image's number of a channel. */
uint32_t bench_program_channel(const struct bench_program *b, const char *name);

/* One cycle with n samples for each column. */
void bench_program_feed(struct bench_program *b, const struct arc_host_column *columns,
                        uint32_t n_columns);

#endif
