/* tests/arc/format.h - what must hold of every formatted text, whatever it is: the same tokens, the
 * same items, the same comments, and nothing left to do. */
#ifndef TESTS_ARC_FORMAT_H
#define TESTS_ARC_FORMAT_H

#include "arc/fmt.h"
#include "arc/parser.h"

#include <string.h>

struct format_view {
    struct arc_source source;
    struct arc_diags diags;
    struct arc_idents idents;
    struct arc_tokens tokens;
    uint8_t *marks;
    struct arc_program *program;
};

static inline void format_view(struct format_view *view, struct base_arena *arena, const char *text,
                               size_t len)
{
    *view = (struct format_view){.source = {"text.arc", text, len}};
    arc_diags_init(&view->diags, arena, &view->source);
    arc_idents_init(&view->idents, arena);
    view->program = arc_parse_marked(&view->source, &view->idents, arena, &view->diags,
                                     &view->tokens, &view->marks);
}

static inline size_t format_comment_len(const struct format_view *view, size_t i)
{
    const char *text = view->source.text + view->tokens.comments[i].span.start;
    size_t len = view->tokens.comments[i].span.end - view->tokens.comments[i].span.start;
    while (text[1] == '/' && len > 0 && strchr(" \t\r", text[len - 1]) != NULL)
        len--;
    return len;
}

static inline const char *format_compare(const struct format_view *a, const struct format_view *b)
{
    if (b->program->has_syntax_errors)
        return "it has syntax errors";
    if (a->tokens.n != b->tokens.n || a->tokens.n_comments != b->tokens.n_comments)
        return "it has more or fewer tokens or comments";
    for (size_t i = 0; i < a->tokens.n; i++) {
        const struct arc_token *x = &a->tokens.list[i];
        const struct arc_token *y = &b->tokens.list[i];
        if (x->kind != y->kind || x->len != y->len || memcmp(x->text, y->text, x->len) != 0)
            return "a token differs";
        if (a->marks[i] != b->marks[i])
            return "a token means something else";
    }
    for (size_t i = 0; i < a->tokens.n_comments; i++) {
        size_t len = format_comment_len(a, i);
        if (len != format_comment_len(b, i) ||
            memcmp(a->source.text + a->tokens.comments[i].span.start,
                   b->source.text + b->tokens.comments[i].span.start, len) != 0)
            return "a comment differs";
    }
    return NULL;
}

/* NULL, or what is wrong with the formatting of a text without syntax errors. */
static inline const char *format_problem(struct base_arena *arena, const char *text, size_t len)
{
    struct format_view before;
    struct format_view after;
    struct arc_diags diags;
    format_view(&before, arena, text, len);
    arc_diags_init(&diags, arena, &before.source);
    const char *once = arc_format(&before.source, arena, &diags);
    if (once == NULL)
        return before.program->has_syntax_errors ? NULL : "it was refused";
    format_view(&after, arena, once, strlen(once));
    const char *twice = arc_format(&after.source, arena, &diags);
    if (twice == NULL)
        return "formatting again was refused";
    if (strcmp(once, twice) != 0)
        return "formatting again changes it";
    return format_compare(&before, &after);
}

#endif
