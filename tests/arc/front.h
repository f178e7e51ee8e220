/* tests/arc/front.h - a program in a string, checked for a test, and questions about what was
 * found.
 *
 *     struct front f;
 *     front_check(&f, "level f64, valve u8", "level > 5.0 -> valve");
 *     ...
 *     front_fini(&f);
 */
#ifndef TESTS_ARC_FRONT_H
#define TESTS_ARC_FRONT_H

#include "arc/compile.h"

#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

struct front {
    struct base_arena arena;
    struct arc_source source;
    struct arc_diags diags;
    struct arc_chan_table table;
    struct arc_program *program; /* NULL: refused */
};

/* "name type, name type". */
static inline struct arc_chan_table front_channels(struct base_arena *arena, const char *text)
{
    enum { MOST = 64 };
    struct arc_chan_info *chans = base_arena_array(arena, struct arc_chan_info, MOST);
    size_t n = 0;
    char *copy = base_arena_strdup(arena, text);
    char *save;
    for (char *item = strtok_r(copy, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
        char name[64];
        char type[16];
        char extra[16] = "";
        if (sscanf(item, " %63s %15s %15s", name, type, extra) < 2)
            continue;
        assert_true(n < MOST);
        chans[n++] = (struct arc_chan_info){.name = base_arena_strdup(arena, name),
                                            .type = telem_type_from_name(type),
                                            .is_read_only = strcmp(extra, "readonly") == 0};
    }
    return (struct arc_chan_table){.chans = chans, .n_chans = n};
}

/* The diagnostics point into `f`: it stays where it is. */
static inline void front_check_len(struct front *f, const char *channels, const char *text,
                                   size_t len)
{
    *f = (struct front){.source = {.file = "test.arc", .text = text, .len = len}};
    base_arena_init(&f->arena);
    f->table = front_channels(&f->arena, channels);
    arc_diags_init(&f->diags, &f->arena, &f->source);
    f->program = arc_check(&f->source, &f->table, &f->arena, &f->diags);
}

static inline void front_check(struct front *f, const char *channels, const char *text)
{
    front_check_len(f, channels, text, strlen(text));
}

static inline void front_fini(struct front *f)
{
    base_arena_fini(&f->arena);
}

#endif
