/* arc/text.h - bytes and characters of source text. Pure functions, any thread. */
#ifndef ARC_TEXT_H
#define ARC_TEXT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool arc_is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static inline bool arc_is_letter(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool arc_is_name_byte(unsigned char c)
{
    return arc_is_letter(c) || arc_is_digit(c) || c == '_';
}

/* Bytes of the character that `text` begins with; 1 when it is not valid UTF-8. len > 0. */
size_t arc_utf8_char_len(const char *text, size_t len);

/* Length of the longest beginning that is valid UTF-8. */
size_t arc_utf8_valid_len(const char *text, size_t len);

/* Writes `code` (a surrogate or a number that is no code point: U+FFFD) and returns the bytes, 1
 * to 4. */
size_t arc_utf8_encode(uint32_t code, char out[4]);

/* Fit for a message of one line: control bytes and what is not UTF-8 become \xNN, long text is cut.
 */
const char *arc_text_printable(struct base_arena *arena, const char *text, size_t len);

/* Edits (insert, remove, change, swap of neighbours count 1, 1, 1, 2) that turn a into b, as far as
 * the limit; limit + 1 when there are more. Names over 64 bytes are never near. */
unsigned arc_text_distance(const char *a, const char *b, unsigned limit);

#endif
