/* driver/conform/json.h - a small JSON reader that keeps numbers as they are written, so that an
 * integer of 64 bits stays exact, and members in their order.
 *
 * One call: conform_json_parse(). Everything is the arena's. Any thread.
 */
#ifndef DRIVER_CONFORM_JSON_H
#define DRIVER_CONFORM_JSON_H

#include "base/arena.h"
#include "base/err.h"

enum conform_json_kind {
    CONFORM_JSON_NULL,
    CONFORM_JSON_BOOL,
    CONFORM_JSON_NUMBER,
    CONFORM_JSON_STRING,
    CONFORM_JSON_ARRAY,
    CONFORM_JSON_OBJECT,
};

struct conform_json {
    enum conform_json_kind kind;
    const char *name; /* as a member of an object; else NULL */
    const char *text; /* NUMBER: as written; STRING: its bytes; BOOL: "true", "false" */
    size_t len;       /* of text */
    struct conform_json *first, *next; /* ARRAY, OBJECT: the first value inside; the one behind */
    uint32_t n;                        /* values inside */
    uint32_t line;                     /* from 1 */
};

/* NULL on a syntax error, with line and reason in `why`. */
struct conform_json *conform_json_parse(const char *text, size_t len, struct base_arena *arena,
                                        struct arcd_errinfo *why);

/* NULL when `object` is NULL or has no such member. */
const struct conform_json *conform_json_get(const struct conform_json *object, const char *name);

/* The text of a string or number member, or NULL. */
const char *conform_json_text(const struct conform_json *object, const char *name);

#endif
