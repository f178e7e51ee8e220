#include "driver/lsp/text.h"

#include "base/mark.h"

#include <stdlib.h>
#include <string.h>

/* ---- Lines -------------------------------------------------------------------------------- */

static void add_line(struct lsp_text *text, size_t offset)
{
    if (text->n_lines == text->cap_lines) {
        text->cap_lines = text->cap_lines == 0 ? 64 : text->cap_lines * 2;
        text->lines = realloc(text->lines, text->cap_lines * sizeof *text->lines);
        ARCD_ASSERT(text->lines != NULL);
    }
    text->lines[text->n_lines++] = (uint32_t)offset;
}

static void find_lines(struct lsp_text *text)
{
    text->n_lines = 0;
    add_line(text, 0);
    for (size_t i = 0; i < text->len; i++) {
        if (text->bytes[i] == '\n' ||
            (text->bytes[i] == '\r' && (i + 1 == text->len || text->bytes[i + 1] != '\n')))
            add_line(text, i + 1);
    }
}

/* The end of a line, before what ends it. */
static size_t line_end(const struct lsp_text *text, size_t line)
{
    size_t end = line + 1 < text->n_lines ? text->lines[line + 1] : text->len;
    size_t start = text->lines[line];
    if (line + 1 == text->n_lines)
        return end;
    end--;
    return end > start && text->bytes[end] == '\n' && text->bytes[end - 1] == '\r' ? end - 1 : end;
}

static size_t line_of(const struct lsp_text *text, size_t offset)
{
    size_t low = 0, high = text->n_lines;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (text->lines[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- The text ----------------------------------------------------------------------------- */

void lsp_text_init(struct lsp_text *text)
{
    *text = (struct lsp_text){0};
    find_lines(text);
}

void lsp_text_fini(struct lsp_text *text)
{
    free(text->bytes);
    free(text->lines);
}

void lsp_text_set(struct lsp_text *text, const char *bytes, size_t len)
{
    char *copy = malloc(len + 1);
    ARCD_ASSERT(copy != NULL);
    memcpy(copy, bytes, len);
    copy[len] = '\0';
    free(text->bytes);
    text->bytes = copy;
    text->len = len;
    find_lines(text);
}

bool lsp_text_replace(struct lsp_text *text, size_t start, size_t end, const char *bytes,
                      size_t len)
{
    if (end < start) {
        size_t first = end;
        end = start;
        start = first;
    }
    ARCD_ASSERT(end <= text->len);
    size_t new_len = text->len - (end - start) + len;
    if (new_len > UINT32_MAX / 2)
        return false;
    char *room = malloc(new_len + 1);
    ARCD_ASSERT(room != NULL);
    if (start > 0)
        memcpy(room, text->bytes, start);
    if (len > 0)
        memcpy(room + start, bytes, len);
    if (end < text->len)
        memcpy(room + start + len, text->bytes + end, text->len - end);
    room[new_len] = '\0';
    free(text->bytes);
    text->bytes = room;
    text->len = new_len;
    find_lines(text);
    return true;
}

/* ---- Positions ---------------------------------------------------------------------------- */

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Bytes of the character at an offset before `end`. */
static size_t char_len(const struct lsp_text *text, size_t at, size_t end)
{
    size_t n = 1;
    while (at + n < end && is_continuation(text->bytes[at + n]))
        n++;
    return n;
}

/* What a character of so many bytes counts. */
static uint32_t units(size_t n_bytes, enum lsp_encoding encoding)
{
    if (encoding == LSP_UTF8)
        return (uint32_t)n_bytes;
    return n_bytes == 4 ? 2 : 1;
}

size_t lsp_text_offset(const struct lsp_text *text, struct lsp_pos pos, enum lsp_encoding encoding)
{
    if (pos.line >= text->n_lines)
        return text->len;
    size_t end = line_end(text, pos.line);
    uint32_t left = pos.character;
    size_t at = text->lines[pos.line];
    while (at < end) {
        size_t n = char_len(text, at, end);
        uint32_t unit = units(n, encoding);
        if (left < unit)
            break;
        left -= unit;
        at += n;
    }
    return at;
}

struct lsp_pos lsp_text_pos(const struct lsp_text *text, size_t offset, enum lsp_encoding encoding)
{
    if (offset > text->len)
        offset = text->len;
    size_t line = line_of(text, offset);
    struct lsp_pos pos = {(uint32_t)line, 0};
    for (size_t at = text->lines[line]; at < offset;) {
        size_t n = char_len(text, at, text->len);
        if (at + n > offset)
            break;
        pos.character += units(n, encoding);
        at += n;
    }
    return pos;
}
