#include "bench/vm/program.h"

#include "arc/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bench_program_init(struct bench_program *b, const char *text, const char *const *channels,
                        size_t n_channels, enum arc_host_mode mode)
{
    struct base_arena arena;
    base_arena_init(&arena);
    struct arc_source source = {.file = "bench.arc", .text = text, .len = strlen(text)};
    struct arc_diags diags;
    arc_diags_init(&diags, &arena, &source);
    struct arc_chan_info *infos = base_arena_array(&arena, struct arc_chan_info, n_channels);
    for (size_t i = 0; i < n_channels; i++)
        infos[i] = (struct arc_chan_info){.name = channels[i], .type = TELEM_F64};
    struct arc_chan_table table = {.chans = infos, .n_chans = n_channels};
    *b = (struct bench_program){.image = arc_compile(&source, &table, &diags)};
    if (b->image == NULL) {
        fputs(arc_diags_render(&diags), stderr);
        abort();
    }
    base_arena_fini(&arena);
    struct arc_host_options options = {.mode = mode, .budget = UINT32_MAX};
    struct arcd_errinfo why;
    if (arc_host_program_new(b->image, &options, &b->program, &why) != ARCD_OK ||
        arc_host_program_start(b->program, 1) != ARCD_OK) {
        fprintf(stderr, "%s\n", why.text);
        abort();
    }
}

void bench_program_fini(struct bench_program *b)
{
    arc_host_program_free(b->program);
    arc_image_free(b->image);
}

uint32_t bench_program_channel(const struct bench_program *b, const char *name)
{
    for (uint32_t i = 0; i < b->image->n_channels; i++)
        if (strcmp(b->image->channels[i].name, name) == 0)
            return i;
    abort();
}

void bench_program_feed(struct bench_program *b, const struct arc_host_column *columns,
                        uint32_t n_columns)
{
    struct arc_host_frame frame = {.columns = columns, .n_columns = n_columns};
    b->now_ns += 1000000;
    if (arc_host_program_input(b->program, &frame, b->now_ns, 1 + b->now_ns) != ARCD_OK) {
        fputs("the program has stopped\n", stderr);
        abort();
    }
}
