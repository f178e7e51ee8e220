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

/* The program is there; otherwise the test shows why not and ends. */
static inline void front_demand(struct front *f)
{
    if (f->program == NULL)
        print_error("%s", arc_diags_render(&f->diags));
    assert_non_null(f->program);
}

/* Channels that are there in every test which does not say its own. */
#define FRONT_CHANNELS                                                                             \
    "level f64, gauge f64, flag u8, valve u8, count i32, total i64, ratio f32, memo str, "         \
    "stamp timestamp, sensor f64 readonly"

/* Compiles without an error and with `n_warnings` warnings. */
static inline void front_accepts(const char *text, size_t n_warnings)
{
    struct front f;
    front_check(&f, FRONT_CHANNELS, text);
    if (f.program == NULL || f.diags.n != n_warnings)
        fail_msg("wanted %zu warnings for\n%s\ngot\n%s", n_warnings, text,
                 arc_diags_render(&f.diags));
    front_fini(&f);
}

/* The first error: its line, its code (0: none), a part of its message. */
static inline void front_refuses(const char *text, uint32_t line, int code, const char *part)
{
    struct front f;
    front_check(&f, FRONT_CHANNELS, text);
    const struct arc_diag *first = arc_diags_first_error(&f.diags);
    if (f.program != NULL || first == NULL || first->start.line != line ||
        (int)first->code != code || strstr(first->message, part) == NULL)
        fail_msg("wanted line %u, code %d, '%s' for\n%s\ngot\n%s", line, code, part, text,
                 arc_diags_render(&f.diags));
    front_fini(&f);
}

/* Exactly that many errors: one mistake is one error. */
static inline void front_counts(const char *text, size_t n_errors)
{
    struct front f;
    front_check(&f, FRONT_CHANNELS, text);
    if (f.diags.n_errors != n_errors)
        fail_msg("wanted %zu errors for\n%s\ngot\n%s", n_errors, text, arc_diags_render(&f.diags));
    front_fini(&f);
}

/* A statement inside a function with parameters of many types. */
static inline const char *front_body(char *out, size_t room, const char *statements)
{
    snprintf(
        out, room,
        "func probe(a f64, b f64, r f32, n i64, k i32, u u8, w u64, s str, v series f64) {\n%s\n}",
        statements);
    return out;
}

static inline void body_accepts(const char *statements)
{
    char text[2000];
    front_accepts(front_body(text, sizeof text, statements), 0);
}

/* `line` counts from the first statement. */
static inline void body_refuses(const char *statements, uint32_t line, int code, const char *part)
{
    char text[2000];
    front_refuses(front_body(text, sizeof text, statements), line + 1, code, part);
}

#endif
