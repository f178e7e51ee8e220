#include "driver/conform/json.h"

#include <stdbool.h>
#include <string.h>

enum { MOST_NESTING = 100 };

struct reader {
    const char *at, *end;
    uint32_t line;
    int depth;
    struct base_arena *arena;
    struct arcd_errinfo *why;
};

static struct conform_json *read_value(struct reader *r);

static struct conform_json *fail(struct reader *r, const char *what)
{
    if (r->why->code == ARCD_OK)
        arcd_fail(r->why, ARCD_ERR_CONFIG, 0, "line %u: %s", r->line, what);
    return NULL;
}

static void skip_space(struct reader *r)
{
    for (; r->at < r->end && strchr(" \t\r\n", *r->at) != NULL && *r->at != '\0'; r->at++)
        r->line += *r->at == '\n';
}

static bool take(struct reader *r, char c)
{
    skip_space(r);
    if (r->at >= r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static struct conform_json *new_value(struct reader *r, enum conform_json_kind kind)
{
    struct conform_json *v = base_arena_new(r->arena, struct conform_json);
    v->kind = kind;
    v->line = r->line;
    return v;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(struct reader *r, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        int d = r->at < r->end ? hex_digit(*r->at++) : -1;
        if (d < 0)
            return false;
        *code = *code << 4 | (unsigned)d;
    }
    return true;
}

static char *put_code(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    if (code >= 0x10000) {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    } else if (code >= 0x800) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    } else {
        *to++ = (char)(0xc0 | code >> 6);
    }
    *to++ = (char)(0x80 | (code & 0x3f));
    return to;
}

/* The escape behind a backslash; false when it is none. */
static bool read_escape(struct reader *r, char **to)
{
    static const char LETTERS[] = "\"\\/bfnrt", VALUES[] = "\"\\/\b\f\n\r\t";
    char c = *r->at++;
    const char *known = strchr(LETTERS, c);
    if (known != NULL && c != '\0') {
        *(*to)++ = VALUES[known - LETTERS];
        return true;
    }
    unsigned code, low;
    if (c != 'u' || !read_hex(r, &code))
        return false;
    if (code >= 0xd800 && code < 0xdc00) {
        if (r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u')
            return false;
        r->at += 2;
        if (!read_hex(r, &low) || low < 0xdc00 || low > 0xdfff)
            return false;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    *to = put_code(*to, code);
    return true;
}

/* Behind the opening quote. */
static const char *read_string(struct reader *r, size_t *len)
{
    const char *close = r->at;
    while (close < r->end && *close != '"')
        close += *close == '\\' ? 2 : 1;
    if (close >= r->end) {
        fail(r, "a string without end");
        return NULL;
    }
    char *text = base_arena_alloc(r->arena, (size_t)(close - r->at) + 1, 1), *to = text;
    while (r->at < close) {
        if (*r->at != '\\') {
            *to++ = *r->at++;
            continue;
        }
        r->at++;
        if (!read_escape(r, &to)) {
            fail(r, "a bad escape in a string");
            return NULL;
        }
    }
    r->at = close + 1;
    *len = (size_t)(to - text);
    return text;
}

static struct conform_json *read_members(struct reader *r, enum conform_json_kind kind, char close)
{
    struct conform_json *whole = new_value(r, kind);
    struct conform_json **link = &whole->first;
    if (take(r, close))
        return whole;
    do {
        const char *name = NULL;
        size_t len;
        if (kind == CONFORM_JSON_OBJECT) {
            if (!take(r, '"'))
                return fail(r, "wanted the name of a member");
            name = read_string(r, &len);
            if (name == NULL)
                return NULL;
            if (!take(r, ':'))
                return fail(r, "wanted a ':'");
        }
        *link = read_value(r);
        if (*link == NULL)
            return NULL;
        (*link)->name = name;
        link = &(*link)->next;
        whole->n++;
    } while (take(r, ','));
    return take(r, close) ? whole : fail(r, "wanted a ',' or the end of the list");
}

static struct conform_json *read_word(struct reader *r)
{
    const char *start = r->at;
    while (r->at < r->end && strchr("+-.0123456789eEalrtfusn", *r->at) != NULL && *r->at != '\0')
        r->at++;
    size_t len = (size_t)(r->at - start);
    if (len == 0)
        return fail(r, "wanted a value");
    struct conform_json *v = new_value(r, CONFORM_JSON_NUMBER);
    v->text = base_arena_strndup(r->arena, start, len);
    v->len = len;
    if (strcmp(v->text, "null") == 0)
        v->kind = CONFORM_JSON_NULL;
    else if (strcmp(v->text, "true") == 0 || strcmp(v->text, "false") == 0)
        v->kind = CONFORM_JSON_BOOL;
    else if (strspn(v->text, "+-.0123456789eE") != len)
        return fail(r, "a word that is no value");
    return v;
}

static struct conform_json *read_value(struct reader *r)
{
    struct conform_json *v = NULL;
    if (++r->depth > MOST_NESTING)
        return fail(r, "too many values inside one another");
    if (take(r, '{')) {
        v = read_members(r, CONFORM_JSON_OBJECT, '}');
    } else if (take(r, '[')) {
        v = read_members(r, CONFORM_JSON_ARRAY, ']');
    } else if (take(r, '"')) {
        v = new_value(r, CONFORM_JSON_STRING);
        v->text = read_string(r, &v->len);
        if (v->text == NULL)
            return NULL;
    } else {
        v = read_word(r);
    }
    r->depth--;
    return v;
}

struct conform_json *conform_json_parse(const char *text, size_t len, struct base_arena *arena,
                                        struct arcd_errinfo *why)
{
    struct reader r = {.at = text, .end = text + len, .line = 1, .arena = arena, .why = why};
    why->code = ARCD_OK;
    struct conform_json *v = read_value(&r);
    skip_space(&r);
    if (v != NULL && r.at != r.end)
        return fail(&r, "something behind the end");
    return v;
}

const struct conform_json *conform_json_get(const struct conform_json *object, const char *name)
{
    if (object == NULL || object->kind != CONFORM_JSON_OBJECT)
        return NULL;
    for (const struct conform_json *v = object->first; v != NULL; v = v->next)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

const char *conform_json_text(const struct conform_json *object, const char *name)
{
    const struct conform_json *v = conform_json_get(object, name);
    if (v == NULL || (v->kind != CONFORM_JSON_STRING && v->kind != CONFORM_JSON_NUMBER))
        return NULL;
    return v->text;
}
