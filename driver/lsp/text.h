/* driver/lsp/text.h - the text of an open document: bytes of UTF-8, and where its lines begin.
 *
 * Life cycle: lsp_text_init -> lsp_text_set -> (lsp_text_replace, positions) ... -> lsp_text_fini.
 * One thread. A position is a line and a character, both from 0; characters count in UTF-16 units,
 * or in bytes when client and server agreed on UTF-8. A line ends with LF, CR LF or CR. A position
 * that is nowhere counts as the nearest that is: behind the last line as the end of the text,
 * behind a line's end as its end, inside a character as its beginning.
 */
#ifndef DRIVER_LSP_TEXT_H
#define DRIVER_LSP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lsp_encoding { LSP_UTF16, LSP_UTF8 };

struct lsp_pos {
    uint32_t line, character;
};

struct lsp_text {
    char *bytes; /* NULL: empty */
    size_t len;
    uint32_t *lines; /* offsets; the first is 0 */
    size_t n_lines, cap_lines;
};

void lsp_text_init(struct lsp_text *text);
void lsp_text_fini(struct lsp_text *text);

/* A copy of the bytes; at most LSP_MESSAGE_MAX, as all that comes in a message. */
void lsp_text_set(struct lsp_text *text, const char *bytes, size_t len);

/* Puts new bytes in the place of those between two offsets; turned around when `end` is first.
 * False, and nothing is changed: the text would grow over UINT32_MAX / 2 bytes. */
bool lsp_text_replace(struct lsp_text *text, size_t start, size_t end, const char *bytes,
                      size_t len);

size_t lsp_text_offset(const struct lsp_text *text, struct lsp_pos pos, enum lsp_encoding encoding);
struct lsp_pos lsp_text_pos(const struct lsp_text *text, size_t offset, enum lsp_encoding encoding);

#endif
