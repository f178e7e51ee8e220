/* One pass over the text, longest match first. Names are collected and then looked up among the
 * interned names, where the keywords were put at the start. */
#include "arc/lexer.h"

#include "arc/list.h"
#include "arc/text.h"

#include <string.h>

enum { FIRST_BUCKETS = 256 };

struct word {
    const char *text;
    enum arc_token_kind kind;
};

#define WORD(NAME, text) {text, ARC_TOK_##NAME},
static const struct word keywords[] = {ARC_KEYWORDS(WORD)};
static const struct word punctuation_words[] = {ARC_PUNCTUATION(WORD)};
#undef WORD

struct lexer {
    const char *text;
    size_t len;
    size_t at;
    uint32_t line;
    const uint32_t *map; /* NULL: positions are the source's own */
    const uint32_t *lines;
    struct base_arena *arena;
    struct arc_idents *idents;
    struct arc_diags *diags;
    struct arc_tokens out;
};

/* ---- Names -------------------------------------------------------------------------------- */

static uint32_t hash_text(const char *text, size_t len)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

static void grow_buckets(struct arc_idents *idents)
{
    size_t n = idents->n_buckets * 2;
    struct arc_ident **buckets = base_arena_array(idents->arena, struct arc_ident *, n);
    for (size_t i = 0; i < idents->n_buckets; i++) {
        struct arc_ident *next;
        for (struct arc_ident *ident = idents->buckets[i]; ident != NULL; ident = next) {
            next = ident->next;
            ident->next = buckets[ident->hash & (n - 1)];
            buckets[ident->hash & (n - 1)] = ident;
        }
    }
    idents->buckets = buckets;
    idents->n_buckets = n;
}

struct arc_ident *arc_ident_get(struct arc_idents *idents, const char *text, size_t len)
{
    uint32_t hash = hash_text(text, len);
    struct arc_ident *ident = idents->buckets[hash & (idents->n_buckets - 1)];
    for (; ident != NULL; ident = ident->next) {
        if (ident->hash == hash && ident->len == len && memcmp(ident->text, text, len) == 0)
            return ident;
    }
    if (idents->n >= idents->n_buckets)
        grow_buckets(idents);
    ident = base_arena_new(idents->arena, struct arc_ident);
    ident->text = base_arena_strndup(idents->arena, text, len);
    ident->len = (uint32_t)len;
    ident->hash = hash;
    ident->keyword = ARC_TOK_IDENT;
    struct arc_ident **bucket = &idents->buckets[hash & (idents->n_buckets - 1)];
    ident->next = *bucket;
    *bucket = ident;
    idents->n++;
    return ident;
}

void arc_idents_init(struct arc_idents *idents, struct base_arena *arena)
{
    *idents = (struct arc_idents){.arena = arena, .n_buckets = FIRST_BUCKETS};
    idents->buckets = base_arena_array(arena, struct arc_ident *, FIRST_BUCKETS);
    for (size_t i = 0; i < ARCD_COUNT_OF(keywords); i++) {
        const struct word *word = &keywords[i];
        arc_ident_get(idents, word->text, strlen(word->text))->keyword = word->kind;
    }
}

/* ---- Positions ---------------------------------------------------------------------------- */

static struct arc_span span_of(const struct lexer *lex, size_t start, size_t end, uint32_t line)
{
    if (lex->map == NULL)
        return (struct arc_span){(uint32_t)start, (uint32_t)end, line};
    return (struct arc_span){lex->map[start], lex->map[end], lex->lines[start]};
}

static struct arc_token *add_token(struct lexer *lex, enum arc_token_kind kind, size_t start,
                                   uint32_t line)
{
    struct arc_token *token = ARC_APPEND(lex->arena, lex->out.list, lex->out.n);
    token->kind = kind;
    token->span = span_of(lex, start, lex->at, line);
    token->text = lex->text + start;
    token->len = (uint32_t)(lex->at - start);
    return token;
}

static unsigned char peek(const struct lexer *lex, size_t ahead)
{
    return lex->at + ahead < lex->len ? (unsigned char)lex->text[lex->at + ahead] : 0;
}

/* ---- White space and comments ------------------------------------------------------------- */

/* Outside comments and strings a NUL is an unexpected character like any other. */
static bool refuse_nul(struct lexer *lex, size_t start, uint32_t line, const char *where)
{
    if (lex->map != NULL || memchr(lex->text + start, '\0', lex->at - start) == NULL)
        return false;
    arc_diag_add(lex->diags, ARC_ERROR, ARC_CODE_NONE, span_of(lex, start, lex->at, line),
                 "a NUL byte in %s", where);
    return true;
}

static void add_comment(struct lexer *lex, size_t start, uint32_t line)
{
    refuse_nul(lex, start, line, "a comment");
    ARC_APPEND(lex->arena, lex->out.comments, lex->out.n_comments)->span =
        span_of(lex, start, lex->at, line);
}

static void line_comment(struct lexer *lex)
{
    size_t start = lex->at;
    const char *end = memchr(lex->text + start, '\n', lex->len - start);
    lex->at = end ? (size_t)(end - lex->text) : lex->len;
    add_comment(lex, start, lex->line);
}

static void block_comment(struct lexer *lex)
{
    size_t start = lex->at;
    uint32_t line = lex->line;
    lex->at += 2;
    while (lex->at < lex->len && !(peek(lex, 0) == '*' && peek(lex, 1) == '/')) {
        if (lex->text[lex->at++] == '\n')
            lex->line++;
    }
    if (lex->at >= lex->len) {
        struct arc_diag *diag =
            arc_diag_add(lex->diags, ARC_ERROR, ARC_CODE_NONE, span_of(lex, start, start + 2, line),
                         "unterminated block comment");
        arc_diag_hint(lex->diags, diag, "end it with */");
        lex->at = lex->len;
        lex->out.is_cut_short = true;
    } else {
        lex->at += 2;
    }
    add_comment(lex, start, line);
}

static void skip_blank(struct lexer *lex)
{
    while (lex->at < lex->len) {
        char c = lex->text[lex->at];
        if (c == '\n')
            lex->line++;
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
            lex->at++;
        else if (c == '/' && peek(lex, 1) == '/')
            line_comment(lex);
        else if (c == '/' && peek(lex, 1) == '*')
            block_comment(lex);
        else
            return;
    }
}

/* ---- Tokens ------------------------------------------------------------------------------- */

static void number(struct lexer *lex)
{
    size_t start = lex->at;
    enum arc_token_kind kind = ARC_TOK_INT;
    while (arc_is_digit(peek(lex, 0)))
        lex->at++;
    if (peek(lex, 0) == '.') {
        kind = ARC_TOK_FLOAT;
        lex->at++;
        while (arc_is_digit(peek(lex, 0)))
            lex->at++;
    }
    size_t unit = lex->at;
    while (arc_is_name_byte(peek(lex, 0)))
        lex->at++;
    if (lex->at > unit) {
        struct arc_ident *ident = arc_ident_get(lex->idents, lex->text + unit, lex->at - unit);
        if (ident->keyword != ARC_TOK_IDENT)
            lex->at = unit; /* a keyword is never a unit: two tokens */
    }
    add_token(lex, kind, start, lex->line)->unit_len = (uint32_t)(lex->at - unit);
}

/* Leaves lex->at behind the end delimiter. False: there is none. */
static bool skip_string_body(struct lexer *lex, char delimiter)
{
    while (lex->at < lex->len) {
        char c = lex->text[lex->at];
        if (c == delimiter) {
            lex->at++;
            return true;
        }
        if (c == '\n' && delimiter == '"')
            return false;
        if (c == '\\' && lex->at + 1 < lex->len)
            c = lex->text[++lex->at];
        if (c == '\n')
            lex->line++;
        lex->at++;
    }
    return false;
}

static void string(struct lexer *lex, size_t prefix_len)
{
    size_t start = lex->at;
    uint32_t line = lex->line;
    lex->at += prefix_len;
    char delimiter = lex->text[lex->at++];
    enum arc_token_kind kind = ARC_TOK_STRING;
    if (!skip_string_body(lex, delimiter)) {
        kind = ARC_TOK_ERROR;
        lex->out.is_cut_short |= lex->at >= lex->len;
        struct arc_diag *diag =
            arc_diag_add(lex->diags, ARC_ERROR, ARC_CODE_NONE,
                         span_of(lex, start, start + prefix_len + 1, line), "unterminated string");
        if (delimiter == '"')
            arc_diag_hint(lex->diags, diag, "end it with \" on the same line, or use backticks");
        else
            arc_diag_hint(lex->diags, diag, "end it with a backtick");
    }
    if (refuse_nul(lex, start, line, "a string"))
        kind = ARC_TOK_ERROR;
    add_token(lex, kind, start, line);
}

static bool is_string_prefix(const char *text, size_t len)
{
    if (len == 1)
        return text[0] == 'r' || text[0] == 'f';
    return len == 2 && (memcmp(text, "rf", 2) == 0 || memcmp(text, "fr", 2) == 0);
}

static void name(struct lexer *lex)
{
    size_t start = lex->at;
    size_t end = start;
    while (end < lex->len && arc_is_name_byte((unsigned char)lex->text[end]))
        end++;
    if (end < lex->len && (lex->text[end] == '"' || lex->text[end] == '`') &&
        is_string_prefix(lex->text + start, end - start)) {
        string(lex, end - start);
        return;
    }
    lex->at = end;
    struct arc_ident *ident = arc_ident_get(lex->idents, lex->text + start, end - start);
    add_token(lex, ident->keyword, start, lex->line)->ident = ident;
}

/* What people bring along from other languages, and what they mean by it. */
static const struct {
    const char *text;
    const char *hint;
} strangers[] = {
    {"&&", "write 'and'"},
    {"||", "write 'or'"},
    {"++", "write 'x += 1'"},
    {"&", "write 'and'"},
    {"|", "write 'or'"},
    {"!", "write 'not'"},
    {";", "nothing separates statements: leave it out"},
    {"'", "a string stands in double quotes or backticks"},
    {"#", "a comment begins with //"},
    {"\xEF\xBB\xBF", "save the file without a byte order mark"},
};

static void unexpected_character(struct lexer *lex)
{
    size_t start = lex->at;
    const char *hint = NULL;
    size_t len = arc_utf8_char_len(lex->text + start, lex->len - start);
    for (size_t i = 0; i < ARCD_COUNT_OF(strangers) && hint == NULL; i++) {
        size_t n = strlen(strangers[i].text);
        if (n <= lex->len - start && memcmp(lex->text + start, strangers[i].text, n) == 0) {
            hint = strangers[i].hint;
            len = n;
        }
    }
    lex->at += len;
    struct arc_diag *diag = arc_diag_add(
        lex->diags, ARC_ERROR, ARC_CODE_NONE, span_of(lex, start, lex->at, lex->line),
        "unexpected character '%s'", arc_text_printable(lex->arena, lex->text + start, len));
    if (hint != NULL)
        arc_diag_hint(lex->diags, diag, "%s", hint);
    /* A run of bytes that are not ASCII is one mistake. */
    while ((unsigned char)lex->text[start] >= 0x80 && peek(lex, 0) >= 0x80)
        lex->at++;
    add_token(lex, ARC_TOK_ERROR, start, lex->line);
}

static enum arc_token_kind punctuation_kind(const struct lexer *lex)
{
    for (size_t i = 0; i < ARCD_COUNT_OF(punctuation_words); i++) {
        const char *text = punctuation_words[i].text;
        if (peek(lex, 0) == (unsigned char)text[0] &&
            (text[1] == '\0' || peek(lex, 1) == (unsigned char)text[1]))
            return punctuation_words[i].kind;
    }
    return ARC_TOK_ERROR;
}

static void punctuation(struct lexer *lex)
{
    enum arc_token_kind kind = punctuation_kind(lex);
    bool is_increment = kind == ARC_TOK_PLUS && peek(lex, 1) == '+';
    if (kind == ARC_TOK_ERROR || is_increment) {
        unexpected_character(lex);
        return;
    }
    size_t start = lex->at;
    lex->at += strlen(arc_token_kind_text(kind));
    add_token(lex, kind, start, lex->line);
}

static struct arc_tokens run(struct lexer *lex)
{
    for (;;) {
        skip_blank(lex);
        if (lex->at >= lex->len)
            break;
        unsigned char c = peek(lex, 0);
        if (arc_is_digit(c) || (c == '.' && arc_is_digit(peek(lex, 1))))
            number(lex);
        else if (arc_is_name_byte(c))
            name(lex);
        else if (c == '"' || c == '`')
            string(lex, 0);
        else
            punctuation(lex);
    }
    add_token(lex, ARC_TOK_EOF, lex->len, lex->line);
    return lex->out;
}

struct arc_tokens arc_lex(const struct arc_source *source, struct arc_idents *idents,
                          struct base_arena *arena, struct arc_diags *diags)
{
    struct lexer lex = {.text = source->text,
                        .len = source->len,
                        .line = 1,
                        .arena = arena,
                        .idents = idents,
                        .diags = diags};
    return run(&lex);
}

struct arc_tokens arc_lex_mapped(const char *text, size_t len, const uint32_t *map,
                                 const uint32_t *lines, struct arc_idents *idents,
                                 struct base_arena *arena, struct arc_diags *diags)
{
    struct lexer lex = {.text = text,
                        .len = len,
                        .line = 1,
                        .map = map,
                        .lines = lines,
                        .arena = arena,
                        .idents = idents,
                        .diags = diags};
    return run(&lex);
}

const char *arc_token_kind_text(enum arc_token_kind kind)
{
    switch (kind) {
#define TEXT(NAME, word)                                                                           \
    case ARC_TOK_##NAME: return word;
        ARC_KEYWORDS(TEXT)
        ARC_PUNCTUATION(TEXT)
#undef TEXT
    default: return "";
    }
}

const char *arc_token_kind_name(enum arc_token_kind kind)
{
    switch (kind) {
    case ARC_TOK_EOF: return "end of file";
    case ARC_TOK_ERROR: return "an error";
    case ARC_TOK_IDENT: return "a name";
    case ARC_TOK_INT: return "a whole number";
    case ARC_TOK_FLOAT: return "a number";
    case ARC_TOK_STRING: return "a string";
#define NAME(NAME_, word)                                                                          \
    case ARC_TOK_##NAME_: return "'" word "'";
        ARC_KEYWORDS(NAME)
        ARC_PUNCTUATION(NAME)
#undef NAME
    default: return "nothing";
    }
}
