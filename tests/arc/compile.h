/* tests/arc/compile.h - a program in a string, compiled for a test, and questions about its image.
 *
 *     struct compiled c = compile("level f64, valve u8", "level > 5.0 -> valve");
 *     ...
 *     compiled_fini(&c);
 */
#ifndef TESTS_ARC_COMPILE_H
#define TESTS_ARC_COMPILE_H

#include "arc/compile.h"
#include "arc/dis.h"
#include "arc/image.h"
#include "arc/verify.h"

#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct compiled {
    struct base_arena *arena; /* of all but the image */
    struct arc_source *source;
    struct arc_diags *diags;
    struct arc_image *image; /* NULL: refused */
};

static struct arc_chan_table parse_channels(struct base_arena *arena, const char *text)
{
    enum { MOST = 64 };
    struct arc_chan_info *chans = base_arena_array(arena, struct arc_chan_info, MOST);
    size_t n = 0;
    char *copy = base_arena_strdup(arena, text);
    for (char *save, *item = strtok_r(copy, ",", &save); item != NULL;
         item = strtok_r(NULL, ",", &save)) {
        char name[64], type[16];
        if (sscanf(item, " %63s %15s", name, type) != 2)
            continue;
        assert_true(n < MOST);
        chans[n++] = (struct arc_chan_info){.name = base_arena_strdup(arena, name),
                                            .type = telem_type_from_name(type)};
    }
    return (struct arc_chan_table){.chans = chans, .n_chans = n};
}

/* Also for programs with errors: image is NULL then. */
static inline struct compiled try_compile(const char *channels, const char *text)
{
    struct compiled c = {.arena = malloc(sizeof *c.arena)};
    assert_non_null(c.arena);
    base_arena_init(c.arena);
    c.source = base_arena_new(c.arena, struct arc_source);
    *c.source = (struct arc_source){.file = "test.arc", .text = text, .len = strlen(text)};
    c.diags = base_arena_new(c.arena, struct arc_diags);
    arc_diags_init(c.diags, c.arena, c.source);
    struct arc_chan_table table = parse_channels(c.arena, channels);
    c.image = arc_compile(c.source, &table, c.diags);
    return c;
}

static inline struct compiled compile(const char *channels, const char *text)
{
    struct compiled c = try_compile(channels, text);
    if (c.image == NULL) {
        print_error("%s", arc_diags_render(c.diags));
        fail();
    }
    return c;
}

static inline void compiled_fini(struct compiled *c)
{
    arc_image_free(c->image);
    base_arena_fini(c->arena);
    free(c->arena);
}

/* The function of that name; the first expression for "expression". */
static inline const struct arc_image_func *func_named(const struct compiled *c, const char *name)
{
    for (uint32_t i = 0; i < c->image->n_funcs; i++)
        if (strcmp(c->image->funcs[i].name, name) == 0)
            return &c->image->funcs[i];
    fail_msg("no function %s", name);
    return NULL;
}

/* Opcode names of a body with a blank between, "LT_F64 RET". */
static inline const char *ops_of(struct compiled *c, const struct arc_image_body *body)
{
    char *text = base_arena_strdup(c->arena, "");
    for (uint32_t i = 0; i < body->code.n; i++)
        text = base_arena_printf(c->arena, "%s%s%s", text, i == 0 ? "" : " ",
                                 arc_op_info[c->image->code[body->code.first + i].op].name);
    return text;
}

static inline const char *body_ops(struct compiled *c, const char *func)
{
    return ops_of(c, &func_named(c, func)->body);
}

static inline const char *batch_ops(struct compiled *c, const char *func)
{
    return ops_of(c, &func_named(c, func)->batch);
}

#endif
