#include "arc/diag.h"

#include "arc/list.h"
#include "arc/text.h"

#include <stdlib.h>
#include <string.h>

void arc_diags_init(struct arc_diags *diags, struct base_arena *arena,
                    const struct arc_source *source)
{
    *diags = (struct arc_diags){.arena = arena, .source = source};
}

/* ---- Positions ---------------------------------------------------------------------------- */

static const char *line_start(const struct arc_source *source, uint32_t offset)
{
    const char *at = source->text + offset;
    while (at > source->text && at[-1] != '\n')
        at--;
    return at;
}

static uint32_t n_chars(const char *text, const char *end)
{
    uint32_t n = 0;
    while (text < end) {
        text += arc_utf8_char_len(text, (size_t)(end - text));
        n++;
    }
    return n;
}

static uint32_t clamp(const struct arc_source *source, uint32_t offset)
{
    return offset > source->len ? (uint32_t)source->len : offset;
}

/* The column of an offset whose line is known. */
static struct arc_pos pos_in_line(const struct arc_source *source, uint32_t offset, uint32_t line)
{
    const char *start = line_start(source, offset);
    return (struct arc_pos){line, n_chars(start, source->text + offset)};
}

static uint32_t n_newlines(const char *text, const char *end)
{
    uint32_t n = 0;
    while (text < end && (text = memchr(text, '\n', (size_t)(end - text))) != NULL) {
        text++;
        n++;
    }
    return n;
}

struct arc_pos arc_source_pos(const struct arc_source *source, uint32_t offset)
{
    offset = clamp(source, offset);
    uint32_t line = 1 + n_newlines(source->text, source->text + offset);
    return pos_in_line(source, offset, line);
}

/* ---- Collecting --------------------------------------------------------------------------- */

static const char *format(struct base_arena *arena, const char *fmt, va_list args)
    ARCD_PRINTF(2, 0);

static const char *format(struct base_arena *arena, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, args);
    ARCD_ASSERT(len >= 0);
    char *text = base_arena_alloc(arena, (size_t)len + 1, 1);
    vsnprintf(text, (size_t)len + 1, fmt, again);
    va_end(again);
    return text;
}

static void place(const struct arc_source *source, struct arc_diag *diag)
{
    uint32_t start = clamp(source, diag->span.start);
    uint32_t end = clamp(source, diag->span.end);
    diag->start = pos_in_line(source, start, diag->span.line);
    uint32_t more = start < end ? n_newlines(source->text + start, source->text + end) : 0;
    diag->end = pos_in_line(source, end, diag->span.line + more);
}

struct arc_diag *arc_diag_add(struct arc_diags *diags, enum arc_severity severity,
                              enum arc_code code, struct arc_span span, const char *fmt, ...)
{
    struct arc_diag *diag = base_arena_new(diags->arena, struct arc_diag);
    diag->severity = severity;
    diag->code = code;
    diag->span = span;
    if (severity == ARC_ERROR)
        diags->n_errors++;
    if (diags->n >= ARC_DIAG_MAX) {
        diags->n_dropped++;
        return diag;
    }
    va_list args;
    va_start(args, fmt);
    diag->message = format(diags->arena, fmt, args);
    va_end(args);
    place(diags->source, diag);
    *ARC_APPEND(diags->arena, diags->list, diags->n) = diag;
    return diag;
}

void arc_diag_hint(struct arc_diags *diags, struct arc_diag *diag, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    diag->hint = format(diags->arena, fmt, args);
    va_end(args);
}

void arc_diag_note(struct arc_diags *diags, struct arc_diag *diag, const char *fmt, ...)
{
    if (diag->n_notes == ARC_DIAG_NOTES)
        return;
    va_list args;
    va_start(args, fmt);
    diag->notes[diag->n_notes++] = format(diags->arena, fmt, args);
    va_end(args);
}

static int compare(const void *a, const void *b)
{
    const struct arc_diag *x = *(struct arc_diag *const *)a;
    const struct arc_diag *y = *(struct arc_diag *const *)b;
    if (x->span.start != y->span.start)
        return x->span.start < y->span.start ? -1 : 1;
    if (x->severity != y->severity)
        return x->severity < y->severity ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

void arc_diags_sort(struct arc_diags *diags)
{
    for (size_t i = 0; i < diags->n; i++)
        diags->list[i]->seq = i;
    if (diags->n > 1)
        qsort(diags->list, diags->n, sizeof(struct arc_diag *), compare);
}

const struct arc_diag *arc_diags_first_error(const struct arc_diags *diags)
{
    for (size_t i = 0; i < diags->n; i++) {
        if (diags->list[i]->severity == ARC_ERROR)
            return diags->list[i];
    }
    return NULL;
}

const char *arc_severity_name(enum arc_severity severity)
{
    static const char *const names[] = {"error", "warning", "info", "hint"};
    return names[severity];
}
