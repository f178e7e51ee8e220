#include "config/doc.h"

#include "config/doc_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Positions of what is not JSON */

static void report_at(struct config_doc *doc, const char *text, size_t offset, const char *fmt, ...)
    ARCD_PRINTF(4, 5);

/* Line and column count from 1; a column is a character, not a byte. */
static void report_at(struct config_doc *doc, const char *text, size_t offset, const char *fmt, ...)
{
    struct config_issue issue = {.file = doc->file, .path = "", .line = 1, .column = 1};
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            issue.line++;
            issue.column = 1;
        } else if (((unsigned char)text[i] & 0xC0) != 0x80) {
            issue.column++;
        }
    }
    va_list args;
    va_start(args, fmt);
    config_errors_put_text(doc->errors, &issue, fmt, args);
    va_end(args);
    doc->n_errors++;
}

/* Bytes of the UTF-8 character at `text`, 0 when it is not one (too long a form, a surrogate, cut).
 */
static size_t utf8_length(const unsigned char *text, size_t left)
{
    if (text[0] < 0x80)
        return 1;
    size_t len = text[0] >= 0xF0 ? 4 : (text[0] >= 0xE0 ? 3 : 2);
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (text[0] < 0xC2 || text[0] > 0xF4 || left < len)
        return 0;
    uint32_t point = text[0] & (0x7FU >> len);
    for (size_t i = 1; i < len; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
        point = point << 6 | (text[i] & 0x3F);
    }
    bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    return point < least[len] || point > 0x10FFFF || surrogate ? 0 : len;
}

bool config_is_utf8(const char *text, size_t len_bytes)
{
    for (size_t i = 0; i < len_bytes;) {
        size_t n = utf8_length((const unsigned char *)text + i, len_bytes - i);
        if (n == 0)
            return false;
        i += n;
    }
    return true;
}

static bool check_utf8(struct config_doc *doc, const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        size_t n = utf8_length((const unsigned char *)text + i, len - i);
        if (n == 0) {
            report_at(doc, text, i, "byte 0x%02x is not UTF-8; save the file as UTF-8",
                      (unsigned char)text[i]);
            return false;
        }
        if (text[i] == '\0') {
            report_at(doc, text, i, "a zero byte; is this a text file in UTF-8?");
            return false;
        }
        i += n;
    }
    return true;
}

/* Brackets outside of strings. Readers of nested values call themselves, so depth is bounded here,
 * once. */
static bool check_depth(struct config_doc *doc, const char *text, size_t len)
{
    int depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < len; i++) {
        if (in_string) {
            if (text[i] == '\\')
                i++;
            else if (text[i] == '"')
                in_string = false;
            continue;
        }
        in_string = text[i] == '"';
        depth += (text[i] == '{' || text[i] == '[') - (text[i] == '}' || text[i] == ']');
        if (depth > CONFIG_DEPTH_MAX) {
            report_at(doc, text, i, "nested deeper than %d levels", CONFIG_DEPTH_MAX);
            return false;
        }
    }
    return true;
}

/* ---- The parser's own errors, in our words */

/* The part of the parser's message between "near '" and the last quote; "" without one. */
static void near_token(const char *message, char *token, size_t size)
{
    token[0] = '\0';
    const char *start = strstr(message, " near '");
    if (start == NULL)
        return;
    snprintf(token, size, "%s", start + strlen(" near '"));
    char *end = strrchr(token, '\'');
    if (end != NULL)
        *end = '\0';
}

/* Back from the offset to the first byte of the text that the parser was looking at. */
static size_t token_start(const char *text, size_t offset, const char *token)
{
    size_t len = strlen(token);
    if (len > 0 && offset >= len && memcmp(text + offset - len, token, len) == 0)
        return offset - len;
    return offset;
}

/* The key that ends right before `offset`, with its quotes: from the last quote that is not behind
 * an odd number of backslashes. */
static size_t key_start(const char *text, size_t offset)
{
    size_t i = offset >= 2 ? offset - 1 : 0;
    while (i > 0) {
        i--;
        size_t n_backslashes = 0;
        while (n_backslashes < i && text[i - 1 - n_backslashes] == '\\')
            n_backslashes++;
        if (text[i] == '"' && n_backslashes % 2 == 0)
            break;
    }
    return i;
}

static const char *hint(const char *text, size_t offset, const char *token)
{
    while (offset > 0 && strchr(" \t\r\n", text[offset - 1]) != NULL)
        offset--;
    bool closing = token[0] == '}' || token[0] == ']';
    if (closing && offset > 0 && text[offset - 1] == ',')
        return " (the comma before it is one too many)";
    if (token[0] == '/' || token[0] == '#')
        return " (JSON has no comments: use a field whose name starts with x_)";
    if (token[0] == '\'')
        return " (texts stand in double quotes)";
    if (strcmp(token, "NaN") == 0 || strcmp(token, "Infinity") == 0)
        return " (a number must be finite)";
    return "";
}

static void report_duplicate(struct config_doc *doc, const char *text, size_t offset)
{
    size_t start = key_start(text, offset);
    int len = (int)(offset > start + 2 ? offset - start - 2 : 0);
    report_at(doc, text, start, "duplicate key '%.*s'", len, text + start + 1);
}

static void report_overflow(struct config_doc *doc, const char *text, size_t offset)
{
    size_t start = offset;
    while (start > 0 && text[start - 1] != '\0' &&
           strchr("0123456789+-.eE", text[start - 1]) != NULL)
        start--;
    int len = (int)(offset - start);
    bool real = memchr(text + start, '.', (size_t)len) != NULL ||
                memchr(text + start, 'e', (size_t)len) != NULL ||
                memchr(text + start, 'E', (size_t)len) != NULL;
    report_at(doc, text, start, "number %.*s is too large: %s", len, text + start,
              real ? "must be finite" : "must be from -9223372036854775808 to 9223372036854775807");
}

static void report_parse_error(struct config_doc *doc, const char *text, size_t len,
                               const json_error_t *error)
{
    size_t offset = error->position < 0 ? 0 : (size_t)error->position;
    offset = offset > len ? len : offset;
    char token[JSON_ERROR_TEXT_LENGTH];
    near_token(error->text, token, sizeof(token));
    size_t start = token_start(text, offset, token);
    switch (json_error_code(error)) {
    case json_error_duplicate_key: report_duplicate(doc, text, offset); break;
    case json_error_numeric_overflow: report_overflow(doc, text, offset); break;
    case json_error_null_character:
    case json_error_null_byte_in_key:
        report_at(doc, text, start, "a text must not contain \\u0000");
        break;
    case json_error_premature_end_of_input:
        report_at(doc, text, len, "the file ends too early: %s", error->text);
        break;
    default: report_at(doc, text, start, "%s%s", error->text, hint(text, start, token)); break;
    }
}

/* ---- Documents */

static void doc_init(struct config_doc *doc, struct config_errors *errors, const char *dir,
                     const char *file)
{
    *doc = (struct config_doc){.errors = errors};
    base_arena_init(&doc->arena);
    doc->file = base_arena_strdup(&doc->arena, file);
    doc->dir = base_arena_strdup(&doc->arena, dir);
}

static bool is_blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] == '\0' || strchr(" \t\r\n", text[i]) == NULL)
            return false;
    return true;
}

static enum arcd_err parse_text(struct config_doc *doc, const char *text, size_t len)
{
    static const char bom[] = "\xEF\xBB\xBF";
    if (len >= 3 && memcmp(text, bom, 3) == 0) {
        text += 3;
        len -= 3;
    }
    if (!check_utf8(doc, text, len) || !check_depth(doc, text, len))
        return ARCD_ERR_CONFIG;
    if (is_blank(text, len)) {
        report_at(doc, text, 0, "the file is empty");
        return ARCD_ERR_CONFIG;
    }
    json_error_t error;
    doc->root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    if (doc->root == NULL)
        report_parse_error(doc, text, len, &error);
    return doc->root == NULL ? ARCD_ERR_CONFIG : ARCD_OK;
}

static enum arcd_err doc_parse(struct config_doc *doc, const char *text, size_t len)
{
    if (len > CONFIG_FILE_MAX) {
        config_error(config_root(doc), "must not be larger than %d MiB",
                     CONFIG_FILE_MAX / 1024 / 1024);
        return ARCD_ERR_CONFIG;
    }
    return parse_text(doc, text, len);
}

enum arcd_err config_doc_parse(struct config_doc *doc, struct config_errors *errors,
                               const char *file, const char *text, size_t len_bytes)
{
    doc_init(doc, errors, ".", file);
    return doc_parse(doc, text, len_bytes);
}

static char *read_all(int fd, size_t *len, const char **why)
{
    size_t room = 4096;
    char *text = malloc(room);
    *len = 0;
    while (text != NULL) {
        ssize_t n = read(fd, text + *len, room - 1 - *len);
        if (n == 0) {
            text[*len] = '\0';
            return text;
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        *len += (size_t)n;
        if (*len > CONFIG_FILE_MAX) {
            *why = "larger than 32 MiB";
            break;
        }
        if (*len < room - 1)
            continue;
        char *more = realloc(text, room *= 2);
        if (more == NULL)
            break;
        text = more;
    }
    if (*why == NULL)
        *why = strerrordesc_np(errno);
    free(text);
    return NULL;
}

/* Never waits: a FIFO or a device in the folder is refused, not read. */
char *config_file_read(const char *dir, const char *file, size_t *len_bytes, const char **why)
{
    int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = dir_fd < 0 ? -1 : openat(dir_fd, file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info = {0};
    char *text = NULL;
    *why = NULL;
    if (fd < 0 || fstat(fd, &info) != 0)
        *why = strerrordesc_np(errno);
    else if (!S_ISREG(info.st_mode))
        *why = "not a file";
    else
        text = read_all(fd, len_bytes, why);
    if (fd >= 0)
        close(fd);
    if (dir_fd >= 0)
        close(dir_fd);
    return text;
}

enum arcd_err config_doc_load(struct config_doc *doc, struct config_errors *errors, const char *dir,
                              const char *file)
{
    doc_init(doc, errors, dir, file);
    size_t len;
    const char *why;
    char *text = config_file_read(dir, file, &len, &why);
    if (text == NULL) {
        config_error(config_root(doc), "cannot be read: %s", why);
        return ARCD_ERR_CONFIG;
    }
    enum arcd_err err = doc_parse(doc, text, len);
    free(text);
    return err;
}

void config_doc_fini(struct config_doc *doc)
{
    json_decref(doc->root);
    base_arena_fini(&doc->arena);
    doc->root = NULL;
}

/* At most `max` bytes of a text, not ending inside a character. */
static size_t utf8_cut(const char *text, size_t len, size_t max)
{
    if (len <= max)
        return len;
    while (max > 0 && ((unsigned char)text[max] & 0xC0) == 0x80)
        max--;
    return max;
}

const char *config_file_stem(struct base_arena *arena, const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *name = slash != NULL ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    size_t len = dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name);
    return base_arena_strndup(arena, name, utf8_cut(name, len, 64));
}

bool config_check_name(struct config_at at, const char *name)
{
    for (const char *c = name != NULL ? name : ""; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            return config_error(at, "must have printable characters only");
    return true;
}

/* ---- Cursors */

struct config_at config_root(struct config_doc *doc)
{
    return (struct config_at){.doc = doc, .path = "", .json = doc->root};
}

enum config_json config_type(struct config_at at)
{
    if (at.json == NULL)
        return CONFIG_JSON_ABSENT;
    switch (json_typeof(at.json)) {
    case JSON_OBJECT: return CONFIG_JSON_OBJECT;
    case JSON_ARRAY: return CONFIG_JSON_ARRAY;
    case JSON_STRING: return CONFIG_JSON_STR;
    case JSON_INTEGER: return CONFIG_JSON_INT;
    case JSON_REAL: return CONFIG_JSON_REAL;
    case JSON_TRUE:
    case JSON_FALSE: return CONFIG_JSON_BOOL;
    case JSON_NULL: break;
    }
    return CONFIG_JSON_NULL;
}

/* a.b, or a["odd name"]; very long names are cut. */
static const char *member_path(struct config_at at, const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    enum { SHOWN = 100 };
    size_t len = strlen(name);
    struct base_arena *arena = &at.doc->arena;
    if (len > 0 && len <= SHOWN && strspn(name, plain) == len)
        return base_arena_printf(arena, "%s%s%s", at.path, at.path[0] != '\0' ? "." : "", name);
    size_t cut = utf8_cut(name, len, SHOWN);
    return base_arena_printf(arena, "%s[\"%.*s%s\"]", at.path, (int)cut, name,
                             cut < len ? "..." : "");
}

struct config_at config_member(struct config_at at, const char *name)
{
    return (struct config_at){
        .doc = at.doc, .path = member_path(at, name), .json = json_object_get(at.json, name)};
}

bool config_has(struct config_at at, const char *name)
{
    return json_object_get(at.json, name) != NULL;
}

struct config_at config_element(struct config_at at, uint32_t i)
{
    return (struct config_at){.doc = at.doc,
                              .path = base_arena_printf(&at.doc->arena, "%s[%u]", at.path, i),
                              .json = json_array_get(at.json, i)};
}

uint32_t config_count(struct config_at at)
{
    return (uint32_t)(json_is_array(at.json) ? json_array_size(at.json)
                                             : json_object_size(at.json));
}

bool config_is_note(const char *name)
{
    return strncmp(name, "x_", 2) == 0;
}

bool config_next_member(struct config_at at, void **iter, const char **name,
                        struct config_at *member)
{
    /* jansson's iterators take an object that can be changed; we do not change it. */
    json_t *object = (json_t *)(uintptr_t)at.json;
    do {
        *iter = *iter == NULL ? json_object_iter(object) : json_object_iter_next(object, *iter);
    } while (*iter != NULL && config_is_note(json_object_iter_key(*iter)));
    if (*iter == NULL)
        return false;
    *name = json_object_iter_key(*iter);
    *member = (struct config_at){
        .doc = at.doc, .path = member_path(at, *name), .json = json_object_iter_value(*iter)};
    return true;
}

bool config_bool(struct config_at at)
{
    ARCD_ASSERT(config_type(at) == CONFIG_JSON_BOOL);
    return json_is_true(at.json);
}

int64_t config_int(struct config_at at)
{
    ARCD_ASSERT(config_type(at) == CONFIG_JSON_INT);
    return json_integer_value(at.json);
}

double config_num(struct config_at at)
{
    enum config_json type = config_type(at);
    ARCD_ASSERT(type == CONFIG_JSON_INT || type == CONFIG_JSON_REAL);
    return json_number_value(at.json);
}

const char *config_text(struct config_at at)
{
    ARCD_ASSERT(config_type(at) == CONFIG_JSON_STR);
    return json_string_value(at.json);
}

/* ---- Reports */

bool config_error(struct config_at at, const char *fmt, ...)
{
    struct config_issue issue = {.file = at.doc->file, .path = at.path};
    va_list args;
    va_start(args, fmt);
    config_errors_put_text(at.doc->errors, &issue, fmt, args);
    va_end(args);
    at.doc->n_errors++;
    return false;
}

void config_warn(struct config_at at, const char *fmt, ...)
{
    struct config_issue issue = {.file = at.doc->file, .path = at.path, .is_warning = true};
    va_list args;
    va_start(args, fmt);
    config_errors_put_text(at.doc->errors, &issue, fmt, args);
    va_end(args);
}

/* ---- Canonical text */

static void remove_notes(json_t *json)
{
    const char *name;
    json_t *value;
    void *next;
    size_t i;
    json_object_foreach_safe(json, next, name, value)
    {
        if (config_is_note(name))
            json_object_del(json, name);
        else
            remove_notes(value);
    }
    json_array_foreach(json, i, value) remove_notes(value);
}

const char *config_canonical(struct config_at at, struct base_arena *arena)
{
    if (at.json == NULL)
        return "";
    json_t *copy = json_deep_copy(at.json);
    remove_notes(copy);
    char *text = json_dumps(copy, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    json_decref(copy);
    ARCD_ASSERT(text != NULL);
    const char *kept = base_arena_strdup(arena, text);
    free(text);
    return kept;
}
