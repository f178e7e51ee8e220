/* config/doc.h - one JSON document, a cursor into it, and the list of everything that is wrong.
 *
 * Life cycle: errors_init -> doc_load | doc_parse -> config_root, config_member, ... config_error
 * -> doc_fini -> errors_print -> errors_fini.
 *
 * All problems of all documents are collected, none stops the reading of the rest. Each prints as
 *     <file>: <path>: <text>              tasks/ai.json: channels[2].port: must be an integer ...
 *     <file>:<line>:<column>: <text>      for what is not JSON at all
 * with "warning: " before the text where it is only that. The same problem is listed once.
 *
 * Threads: one at a time for a config_errors and all the documents that report to it. Ownership:
 * the document owns its JSON tree and the paths of its cursors, so a cursor is valid until
 * doc_fini(); issues copy what they say and live until errors_fini().
 */
#ifndef CONFIG_DOC_H
#define CONFIG_DOC_H

#include "base/arena.h"
#include "base/err.h"

#include <stdio.h>

struct json_t; /* jansson's; only this folder looks inside */

/* ---- Issues */

enum {
    CONFIG_ISSUES_MAX = 10000, /* more are counted, not kept */
    CONFIG_ISSUE_BUCKETS = 256,
    CONFIG_DEPTH_MAX = 64,              /* arrays and objects in each other */
    CONFIG_FILE_MAX = 32 * 1024 * 1024, /* bytes of one document */
};

struct config_issue {
    struct config_issue *next;      /* in the order found */
    struct config_issue *next_hash; /* in the same bucket */
    const char *file;               /* "tasks/ai.json": below the configuration folder */
    const char *path;               /* "channels[2].port"; "" for the document as a whole */
    int line, column;               /* from 1, of what is not JSON; 0 when the path says where */
    bool is_warning;
    const char *text;
};

struct config_errors {
    struct base_arena arena;
    struct config_issue *first, *last;
    struct config_issue *buckets[CONFIG_ISSUE_BUCKETS];
    uint32_t n_errors, n_warnings; /* all found, also those not kept */
    uint32_t n_kept;
};

void config_errors_init(struct config_errors *errors);
void config_errors_fini(struct config_errors *errors);

/* For what no document says: a folder that cannot be read. `file` and `path` may be "". */
void config_errors_add(struct config_errors *errors, const char *file, const char *path,
                       const char *fmt, ...) ARCD_PRINTF(4, 5);

/* One line each, in the order found; then "... and 12 more" when some were not kept. */
void config_errors_print(const struct config_errors *errors, FILE *out);

/* The line of one issue without its newline, NUL-terminated, cut when too long. */
void config_issue_format(const struct config_issue *issue, char *line, size_t size_bytes);

/* ---- Documents */

struct config_doc {
    const char *file; /* name in messages */
    const char *dir;  /* the configuration folder, where files that the document names are; "." when
                         it was parsed from a text, until its user says better */
    struct config_errors *errors;
    struct base_arena arena; /* paths of cursors */
    struct json_t *root;     /* NULL: not JSON, or not read */
    uint32_t n_errors;       /* reported in this document */
};

/* Parses strict JSON; a UTF-8 byte order mark and CRLF are accepted. ARCD_ERR_CONFIG: the issue
 * was reported and the document is empty (config_root() is absent). Call doc_fini() either way. */
ARCD_MUST_CHECK enum arcd_err config_doc_parse(struct config_doc *doc, struct config_errors *errors,
                                               const char *file, const char *text,
                                               size_t len_bytes);

/* As parse, of the file `dir`/`file`. A file that cannot be read is an issue too. */
ARCD_MUST_CHECK enum arcd_err config_doc_load(struct config_doc *doc, struct config_errors *errors,
                                              const char *dir, const char *file);
void config_doc_fini(struct config_doc *doc);

/* The bytes of `dir`/`file` in a block for free(), with a zero after them; NULL and *why (static)
 * when there is no such file, when it is none (a folder, a device), or is over CONFIG_FILE_MAX. */
char *config_file_read(const char *dir, const char *file, size_t *len_bytes, const char **why);

/* ---- Cursors: a value and where it stands. Copied freely. */

struct config_at {
    struct config_doc *doc;
    const char *path;          /* "" at the root */
    const struct json_t *json; /* NULL: absent */
};

enum config_json {
    CONFIG_JSON_ABSENT,
    CONFIG_JSON_NULL,
    CONFIG_JSON_BOOL,
    CONFIG_JSON_INT,  /* written without fraction and exponent, fits int64_t */
    CONFIG_JSON_REAL, /* any other number, finite */
    CONFIG_JSON_STR,
    CONFIG_JSON_ARRAY,
    CONFIG_JSON_OBJECT,
};

struct config_at config_root(struct config_doc *doc);
enum config_json config_type(struct config_at at);

/* A member of an object: absent when there is none, or when `at` is no object. Its path is complete
 * either way, so that "is required" can be said there. */
struct config_at config_member(struct config_at at, const char *name);
bool config_has(struct config_at at, const char *name);

/* An element of an array; config_count() is 0 for what is neither array nor object. */
struct config_at config_element(struct config_at at, uint32_t i);
uint32_t config_count(struct config_at at);

/* The members of an object in file order: start with *iter = NULL; false after the last. *name and
 * *member live as long as the document. Members whose names start with x_ (the user's own notes)
 * are left out. */
bool config_next_member(struct config_at at, void **iter, const char **name,
                        struct config_at *member);

/* The value of a cursor of that type; asking for another type is a broken invariant. config_num()
 * takes INT and REAL; the text lives as long as the document. */
bool config_bool(struct config_at at);
int64_t config_int(struct config_at at);
double config_num(struct config_at at);
const char *config_text(struct config_at at);

/* Reports a problem at the cursor. Returns false, so that a reader may `return config_error(...)`.
 */
bool config_error(struct config_at at, const char *fmt, ...) ARCD_PRINTF(2, 3);
void config_warn(struct config_at at, const char *fmt, ...) ARCD_PRINTF(2, 3);

/* The value as compact JSON with sorted keys, without x_ members: equal texts mean that nothing
 * changed. In `arena`; "" for an absent value. */
const char *config_canonical(struct config_at at, struct base_arena *arena);

#endif
