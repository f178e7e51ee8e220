#include "config/doc_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void config_errors_init(struct config_errors *errors)
{
    *errors = (struct config_errors){0};
    base_arena_init(&errors->arena);
}

void config_errors_fini(struct config_errors *errors)
{
    base_arena_fini(&errors->arena);
    *errors = (struct config_errors){0};
}

/* FNV-1a over a text and its terminator, so that "a" + "bc" and "ab" + "c" differ. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    do {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    } while (*text++ != '\0');
    return hash;
}

static bool same_issue(const struct config_issue *a, const struct config_issue *b)
{
    return a->line == b->line && a->column == b->column && a->is_warning == b->is_warning &&
           strcmp(a->text, b->text) == 0 && strcmp(a->path, b->path) == 0 &&
           strcmp(a->file, b->file) == 0;
}

static struct config_issue **bucket_of(struct config_errors *errors,
                                       const struct config_issue *issue)
{
    uint64_t hash = hash_text(UINT64_C(0xcbf29ce484222325), issue->file);
    hash = hash_text(hash_text(hash, issue->path), issue->text);
    return &errors->buckets[hash % CONFIG_ISSUE_BUCKETS];
}

/* A copy that prints as one readable line: a text from the user's file may hold anything. */
static const char *one_line(struct base_arena *arena, const char *text)
{
    enum { MAX = 4000 };
    size_t len = strlen(text), cut = len;
    if (cut > MAX)
        for (cut = MAX; cut > 0 && ((unsigned char)text[cut] & 0xC0) == 0x80;)
            cut--; /* not in the middle of a character */
    char *copy = base_arena_printf(arena, "%.*s%s", (int)cut, text, cut < len ? "..." : "");
    for (char *c = copy; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            *c = '?';
    return copy;
}

static void keep(struct config_errors *errors, struct config_issue **bucket,
                 const struct config_issue *issue)
{
    struct config_issue *kept = base_arena_new(&errors->arena, struct config_issue);
    *kept = *issue;
    kept->file = one_line(&errors->arena, issue->file);
    kept->path = one_line(&errors->arena, issue->path);
    kept->text = one_line(&errors->arena, issue->text);
    kept->next = NULL;
    kept->next_hash = *bucket;
    *bucket = kept;
    if (errors->last == NULL)
        errors->first = kept;
    else
        errors->last->next = kept;
    errors->last = kept;
    errors->n_kept++;
}

bool config_errors_put(struct config_errors *errors, const struct config_issue *issue)
{
    struct config_issue **bucket = bucket_of(errors, issue);
    for (const struct config_issue *old = *bucket; old != NULL; old = old->next_hash)
        if (same_issue(old, issue))
            return false;
    if (issue->is_warning)
        errors->n_warnings++;
    else
        errors->n_errors++;
    if (errors->n_kept < CONFIG_ISSUES_MAX)
        keep(errors, bucket, issue);
    return true;
}

void config_errors_put_text(struct config_errors *errors, struct config_issue *issue,
                            const char *fmt, va_list args)
{
    char *text = NULL;
    if (vasprintf(&text, fmt, args) < 0)
        text = NULL;
    issue->text = text != NULL ? text : fmt;
    config_errors_put(errors, issue);
    free(text);
}

void config_errors_add(struct config_errors *errors, const char *file, const char *path,
                       const char *fmt, ...)
{
    struct config_issue issue = {.file = file, .path = path};
    va_list args;
    va_start(args, fmt);
    config_errors_put_text(errors, &issue, fmt, args);
    va_end(args);
}

/* How an issue reads, for printf: the seven pieces of "<file>:<line>:<column>: <path>: <text>". */
#define ISSUE_FORMAT "%s%s%s%s%s%s%s"
#define ISSUE_PIECES(issue, place)                                                                 \
    (issue)->file, (place), (issue)->file[0] != '\0' ? ": " : "", (issue)->path,                   \
        (issue)->path[0] != '\0' ? ": " : "", (issue)->is_warning ? "warning: " : "",              \
        (issue)->text

enum { PLACE_TEXT = 32 };

static const char *place_text(const struct config_issue *issue, char text[PLACE_TEXT])
{
    text[0] = '\0';
    if (issue->line > 0)
        snprintf(text, PLACE_TEXT, ":%d:%d", issue->line, issue->column);
    return text;
}

void config_issue_format(const struct config_issue *issue, char *line, size_t size_bytes)
{
    char place[PLACE_TEXT];
    snprintf(line, size_bytes, ISSUE_FORMAT, ISSUE_PIECES(issue, place_text(issue, place)));
}

void config_errors_print(const struct config_errors *errors, FILE *out)
{
    for (const struct config_issue *issue = errors->first; issue != NULL; issue = issue->next) {
        char place[PLACE_TEXT];
        fprintf(out, ISSUE_FORMAT "\n", ISSUE_PIECES(issue, place_text(issue, place)));
    }
    uint32_t n_found = errors->n_errors + errors->n_warnings;
    if (n_found > errors->n_kept)
        fprintf(out, "... and %" PRIu32 " more\n", n_found - errors->n_kept);
}
