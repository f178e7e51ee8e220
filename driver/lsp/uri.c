#include "driver/lsp/uri.h"

#include <string.h>
#include <strings.h>

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

const char *lsp_uri_to_path(struct base_arena *arena, const char *uri)
{
    if (strncasecmp(uri, "file:", 5) != 0)
        return NULL;
    const char *at = uri + 5;
    if (at[0] == '/' && at[1] == '/') {
        /* The host before the path: none, or this one. */
        const char *path = strchr(at + 2, '/');
        if (path == NULL)
            return NULL;
        size_t host_len = (size_t)(path - (at + 2));
        if (host_len != 0 && !(host_len == 9 && strncasecmp(at + 2, "localhost", 9) == 0))
            return NULL;
        at = path;
    }
    if (*at != '/')
        return NULL;
    char *path = base_arena_alloc(arena, strlen(at) + 1, 1);
    size_t n = 0;
    for (; *at != '\0' && *at != '?' && *at != '#'; at++) {
        int high = *at == '%' ? hex_value(at[1]) : -1;
        int low = high >= 0 ? hex_value(at[2]) : -1;
        int byte = low >= 0 ? high * 16 + low : -1;
        if (byte == 0)
            return NULL;
        path[n++] = (char)(byte > 0 ? byte : *at);
        at += byte > 0 ? 2 : 0;
    }
    return path;
}

static bool is_plain(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("/-._~", c) != NULL);
}

const char *lsp_uri_from_path(struct base_arena *arena, const char *path)
{
    static const char digits[] = "0123456789ABCDEF";
    static const char scheme[] = "file://";
    size_t n = sizeof scheme - 1;
    char *uri = base_arena_alloc(arena, n + strlen(path) * 3 + 1, 1);
    memcpy(uri, scheme, n);
    for (; *path != '\0'; path++) {
        unsigned char c = (unsigned char)*path;
        if (is_plain(c)) {
            uri[n++] = (char)c;
            continue;
        }
        uri[n++] = '%';
        uri[n++] = digits[c >> 4];
        uri[n++] = digits[c & 15];
    }
    return uri;
}
