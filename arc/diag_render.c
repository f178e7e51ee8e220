/* Diagnostics as text for people and as JSON for programs. */
#include "arc/diag.h"

#include "arc/text.h"

#include <string.h>

enum { SOURCE_LINE_MAX_CHARS = 200 };

/* Text that grows in the arena: doubling, so that building it is linear. */
struct sink {
    struct base_arena *arena;
    char *text;
    size_t len;
    size_t cap;
};

static void put_bytes(struct sink *sink, const char *text, size_t len)
{
    if (sink->len + len + 1 > sink->cap) {
        size_t cap = (sink->len + len + 1) * 2;
        char *room = base_arena_alloc(sink->arena, cap, 1);
        if (sink->len != 0)
            memcpy(room, sink->text, sink->len);
        sink->text = room;
        sink->cap = cap;
    }
    memcpy(sink->text + sink->len, text, len);
    sink->len += len;
    sink->text[sink->len] = '\0';
}

static void put(struct sink *sink, const char *text)
{
    put_bytes(sink, text, strlen(text));
}

static void put_number(struct sink *sink, unsigned long number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%lu", number);
    put(sink, digits);
}

static void put_repeated(struct sink *sink, char c, size_t n)
{
    while (n-- > 0)
        put_bytes(sink, &c, 1);
}

/* ---- For people --------------------------------------------------------------------------- */

/* The line that byte `offset` stands in, without its end. */
static const char *source_line(const struct arc_source *source, uint32_t offset, size_t *len)
{
    size_t at = offset > source->len ? source->len : offset;
    size_t start = at;
    while (start > 0 && source->text[start - 1] != '\n')
        start--;
    size_t end = at;
    while (end < source->len && source->text[end] != '\n')
        end++;
    if (end > start && source->text[end - 1] == '\r')
        end--;
    *len = end - start;
    return source->text + start;
}

/* The part of the line that is shown, in characters: all of a short line, else what is around the
 * place. */
static size_t first_shown(const struct arc_diag *diag)
{
    enum { BEFORE = 60 };
    return diag->start.col < SOURCE_LINE_MAX_CHARS - BEFORE ? 0 : diag->start.col - BEFORE;
}

/* Tabs and control bytes count as one column each, so that the carets stand below what they mean.
 */
static void put_source_line(struct sink *sink, const char *line, size_t len, size_t first)
{
    size_t at = 0;
    for (size_t n_chars = 0; at < len && n_chars < first + SOURCE_LINE_MAX_CHARS; n_chars++) {
        size_t n = arc_utf8_char_len(line + at, len - at);
        unsigned char c = (unsigned char)line[at];
        if (n_chars >= first && n == 1 && (c < 0x20 || c >= 0x7F))
            put(sink, c == '\t' ? " " : "?");
        else if (n_chars >= first)
            put_bytes(sink, line + at, n);
        at += n;
    }
    put(sink, "\n");
}

/* At least one, at most what is shown of the line. */
static size_t n_carets(const struct arc_diag *diag, size_t first)
{
    size_t room = first + SOURCE_LINE_MAX_CHARS - diag->start.col;
    if (diag->end.line != diag->start.line || diag->end.col <= diag->start.col)
        return 1;
    size_t n = diag->end.col - diag->start.col;
    return n < room ? n : room;
}

static void put_excerpt(struct sink *sink, const struct arc_source *source,
                        const struct arc_diag *diag)
{
    size_t len;
    const char *line = source_line(source, diag->span.start, &len);
    size_t first = first_shown(diag);
    char number[24];
    int width = snprintf(number, sizeof number, "%5u | ", diag->start.line);
    put(sink, number);
    put_source_line(sink, line, len, first);
    put_repeated(sink, ' ', (size_t)width - 2);
    put(sink, "| ");
    put_repeated(sink, ' ', diag->start.col - first);
    put_repeated(sink, '^', n_carets(diag, first));
    put(sink, "\n");
}

static void put_code(struct sink *sink, enum arc_code code)
{
    put(sink, "ARC");
    put_number(sink, (unsigned long)code);
}

static void put_diag(struct sink *sink, const struct arc_source *source,
                     const struct arc_diag *diag)
{
    put(sink, source->file);
    put(sink, ":");
    put_number(sink, diag->start.line);
    put(sink, ":");
    put_number(sink, diag->start.col);
    put(sink, ": ");
    put(sink, arc_severity_name(diag->severity));
    if (diag->code != ARC_CODE_NONE) {
        put(sink, "[");
        put_code(sink, diag->code);
        put(sink, "]");
    }
    put(sink, ": ");
    put(sink, diag->message);
    put(sink, "\n");
    put_excerpt(sink, source, diag);
    for (size_t i = 0; i < diag->n_notes; i++) {
        put(sink, "  note: ");
        put(sink, diag->notes[i]);
        put(sink, "\n");
    }
    if (diag->hint != NULL) {
        put(sink, "  hint: ");
        put(sink, diag->hint);
        put(sink, "\n");
    }
}

const char *arc_diag_render(struct base_arena *arena, const struct arc_source *source,
                            const struct arc_diag *diag)
{
    struct sink sink = {.arena = arena};
    put_diag(&sink, source, diag);
    return sink.text;
}

static size_t n_warnings(const struct arc_diags *diags)
{
    size_t n = 0;
    for (size_t i = 0; i < diags->n; i++)
        n += diags->list[i]->severity == ARC_WARNING;
    return n;
}

static void put_count(struct sink *sink, size_t n, const char *noun)
{
    put_number(sink, n);
    put(sink, " ");
    put(sink, noun);
    put(sink, n == 1 ? "" : "s");
}

const char *arc_diags_render(const struct arc_diags *diags)
{
    struct sink sink = {.arena = diags->arena};
    put(&sink, "");
    for (size_t i = 0; i < diags->n; i++)
        put_diag(&sink, diags->source, diags->list[i]);
    if (diags->n == 0)
        return sink.text;
    put_count(&sink, diags->n_errors, "error");
    put(&sink, ", ");
    put_count(&sink, n_warnings(diags), "warning");
    if (diags->n_dropped > 0) {
        put(&sink, " (");
        put_number(&sink, diags->n_dropped);
        put(&sink, " not shown)");
    }
    put(&sink, "\n");
    return sink.text;
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void put_json_string(struct sink *sink, const char *text)
{
    put(sink, "\"");
    for (size_t len = strlen(text); len > 0;) {
        size_t n = arc_utf8_char_len(text, len);
        unsigned char c = (unsigned char)*text;
        char escape[8];
        if (c == '"' || c == '\\')
            snprintf(escape, sizeof escape, "\\%c", c);
        else if (c < 0x20)
            snprintf(escape, sizeof escape, "\\u%04x", c);
        else
            escape[0] = '\0';
        if (escape[0] != '\0')
            put(sink, escape);
        else if (n == 1 && c >= 0x80)
            put(sink, "\\ufffd"); /* not UTF-8 */
        else
            put_bytes(sink, text, n);
        text += n;
        len -= n;
    }
    put(sink, "\"");
}

static void put_json_pos(struct sink *sink, const char *key, struct arc_pos pos)
{
    put(sink, ", \"");
    put(sink, key);
    put(sink, "\": {\"line\": ");
    put_number(sink, pos.line);
    put(sink, ", \"column\": ");
    put_number(sink, pos.col);
    put(sink, "}");
}

static void put_json_diag(struct sink *sink, const struct arc_diag *diag)
{
    put(sink, "{\"severity\": ");
    put_json_string(sink, arc_severity_name(diag->severity));
    if (diag->code != ARC_CODE_NONE) {
        put(sink, ", \"code\": \"");
        put_code(sink, diag->code);
        put(sink, "\"");
    }
    put(sink, ", \"message\": ");
    put_json_string(sink, diag->message);
    if (diag->hint != NULL) {
        put(sink, ", \"hint\": ");
        put_json_string(sink, diag->hint);
    }
    put(sink, ", \"notes\": [");
    for (size_t i = 0; i < diag->n_notes; i++) {
        put(sink, i == 0 ? "" : ", ");
        put_json_string(sink, diag->notes[i]);
    }
    put(sink, "]");
    put_json_pos(sink, "start", diag->start);
    put_json_pos(sink, "end", diag->end);
    put(sink, "}");
}

const char *arc_diags_to_json(const struct arc_diags *diags)
{
    struct sink sink = {.arena = diags->arena};
    put(&sink, "{\"file\": ");
    put_json_string(&sink, diags->source->file);
    put(&sink, ", \"errors\": ");
    put_number(&sink, diags->n_errors);
    put(&sink, ", \"warnings\": ");
    put_number(&sink, n_warnings(diags));
    put(&sink, ", \"diagnostics\": [");
    for (size_t i = 0; i < diags->n; i++) {
        put(&sink, i == 0 ? "\n  " : ",\n  ");
        put_json_diag(&sink, diags->list[i]);
    }
    put(&sink, diags->n == 0 ? "]}\n" : "\n]}\n");
    return sink.text;
}
