#include "driver/lsp/json_place.h"

#include <string.h>

struct reader {
    const char *text;
    size_t len, at;
};

static void skip_blank(struct reader *r)
{
    while (r->at < r->len && strchr(" \t\r\n", r->text[r->at]) != NULL && r->text[r->at] != '\0')
        r->at++;
}

static bool accept(struct reader *r, char c)
{
    skip_blank(r);
    if (r->at == r->len || r->text[r->at] != c)
        return false;
    r->at++;
    return true;
}

/* At its opening quote. False: it does not end. */
static bool skip_string(struct reader *r)
{
    for (r->at++; r->at < r->len; r->at++) {
        if (r->text[r->at] == '\\')
            r->at++;
        else if (r->text[r->at] == '"') {
            r->at++;
            return true;
        }
    }
    r->at = r->len;
    return false;
}

/* By counting brackets, so that depth needs no stack. */
static bool skip_value(struct reader *r)
{
    size_t depth = 0;
    skip_blank(r);
    while (r->at < r->len) {
        char c = r->text[r->at];
        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            return true;
        if (c == '"') {
            if (!skip_string(r))
                return false;
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        r->at++;
    }
    return false;
}

/* Goes to the value of a member, from the value that is an object. */
static bool enter(struct reader *r, const char *name, struct lsp_json_place *place)
{
    size_t name_len = strlen(name);
    if (!accept(r, '{'))
        return false;
    do {
        skip_blank(r);
        place->start = r->at;
        if (r->at == r->len || r->text[r->at] != '"' || !skip_string(r))
            return false;
        place->end = r->at;
        if (!accept(r, ':'))
            return false;
        if (place->end - place->start == name_len + 2 &&
            memcmp(r->text + place->start + 1, name, name_len) == 0)
            return true;
        if (!skip_value(r))
            return false;
    } while (accept(r, ','));
    return false;
}

bool lsp_json_find(const char *text, size_t len, const char *const *path, size_t n_path,
                   struct lsp_json_place *place)
{
    struct reader r = {text, len, 0};
    if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        r.at = 3;
    for (size_t i = 0; i < n_path; i++) {
        if (!enter(&r, path[i], place))
            return false;
    }
    return n_path > 0;
}
