#include "arc/text.h"

#include <string.h>

enum { PRINTABLE_MAX_BYTES = 60, DISTANCE_MAX_LEN = 64 };

/* Bytes that the character claims by its first byte; 0: no first byte. */
static size_t claimed_len(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first <= 0xDF)
        return 2;
    if (first >= 0xE0 && first <= 0xEF)
        return 3;
    return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

/* Overlong forms, surrogates and numbers above U+10FFFF show in the second byte. */
static bool second_byte_fits(unsigned char first, unsigned char second)
{
    switch (first) {
    case 0xE0: return second >= 0xA0;
    case 0xED: return second <= 0x9F;
    case 0xF0: return second >= 0x90;
    case 0xF4: return second <= 0x8F;
    default: return true;
    }
}

/* 0: not a valid character. */
static size_t valid_char_len(const char *text, size_t len)
{
    size_t n = claimed_len((unsigned char)text[0]);
    if (n == 0 || n > len)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if (((unsigned char)text[i] & 0xC0) != 0x80)
            return 0;
    }
    return n == 1 || second_byte_fits((unsigned char)text[0], (unsigned char)text[1]) ? n : 0;
}

size_t arc_utf8_char_len(const char *text, size_t len)
{
    size_t n = valid_char_len(text, len);
    return n == 0 ? 1 : n;
}

size_t arc_utf8_valid_len(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len) {
        size_t n = valid_char_len(text + at, len - at);
        if (n == 0)
            break;
        at += n;
    }
    return at;
}

size_t arc_utf8_encode(uint32_t code, char out[4])
{
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        code = 0xFFFD;
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    out[0] = (char)(first[n] | code);
    return n;
}

const char *arc_text_printable(struct base_arena *arena, const char *text, size_t len)
{
    static const char hex[] = "0123456789abcdef";
    bool is_cut = len > PRINTABLE_MAX_BYTES;
    if (is_cut)
        len = PRINTABLE_MAX_BYTES;
    char *out = base_arena_alloc(arena, len * 4 + 4, 1);
    size_t at = 0;
    for (size_t i = 0; i < len;) {
        size_t n = valid_char_len(text + i, len - i);
        unsigned char c = (unsigned char)text[i];
        if (n == 0 || c < 0x20 || c == 0x7F) {
            const char escape[4] = {'\\', 'x', hex[c >> 4], hex[c & 15]};
            memcpy(out + at, escape, 4);
            at += 4;
            i++;
        } else {
            memcpy(out + at, text + i, n);
            at += n;
            i += n;
        }
    }
    if (is_cut)
        memcpy(out + at, "...", 4);
    return out;
}

unsigned arc_text_distance(const char *a, const char *b, unsigned limit)
{
    size_t n = strlen(a);
    size_t m = strlen(b);
    size_t gap = n > m ? n - m : m - n;
    if (gap > limit || n > DISTANCE_MAX_LEN || m > DISTANCE_MAX_LEN)
        return limit + 1;
    unsigned char row[DISTANCE_MAX_LEN + 1];
    for (size_t j = 0; j <= m; j++)
        row[j] = (unsigned char)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned char)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned change = diagonal + (a[i - 1] != b[j - 1]);
            unsigned step = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1u;
            diagonal = row[j];
            row[j] = (unsigned char)(change < step ? change : step);
        }
    }
    return row[m] <= limit ? row[m] : limit + 1;
}
