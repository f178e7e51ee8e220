/* String literals: escapes, then for format strings the placeholders.
 *
 * Escapes come first, so a placeholder's text is not the source's own text: each byte of the value
 * remembers where in the source it came from, and the tokens of the placeholder get their positions
 * from there.
 */
#include "arc/parser_priv.h"

#include "arc/text.h"

#include <string.h>

/* The value of a literal as it is built. */
struct decoded {
    char *text;
    size_t len;
    uint32_t *map; /* per byte and one behind: offset in the source */
    uint32_t *lines;
    bool is_bad;
};

struct body {
    const char *text;
    size_t len;
    char delimiter;
    bool is_raw;
    bool is_format;
    struct arc_span span; /* of the token */
};

static struct body body_of(const struct arc_token *token)
{
    struct body body = {.span = token->span};
    size_t at = 0;
    for (; token->text[at] != '"' && token->text[at] != '`'; at++) {
        body.is_raw |= token->text[at] == 'r';
        body.is_format |= token->text[at] == 'f';
    }
    body.delimiter = token->text[at];
    body.text = token->text + at + 1;
    body.len = token->len - at - 2;
    return body;
}

/* ---- Escapes ------------------------------------------------------------------------------ */

static uint32_t source_offset(const struct parser *p, const char *at)
{
    if (p->map != NULL)
        return p->map[at - p->mapped_text];
    return (uint32_t)(at - p->source->text);
}

static struct arc_span source_span(const struct parser *p, const char *at, size_t len,
                                   uint32_t line)
{
    return (struct arc_span){source_offset(p, at), source_offset(p, at + len), line};
}

static void emit(struct decoded *out, const char *bytes, size_t n, uint32_t offset, uint32_t line)
{
    for (size_t i = 0; i < n; i++) {
        out->text[out->len] = bytes[i];
        out->map[out->len] = offset;
        out->lines[out->len] = line;
        out->len++;
    }
}

static int hex_digit(char c)
{
    if (arc_is_digit((unsigned char)c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The code point of exactly four digits; -1: they are not there. */
static int32_t hex_code(const char *text, size_t len)
{
    int32_t code = 0;
    if (len < 4)
        return -1;
    for (size_t i = 0; i < 4; i++) {
        int digit = hex_digit(text[i]);
        if (digit < 0)
            return -1;
        code = code * 16 + digit;
    }
    return code;
}

/* 0: no escape of one letter. */
static char simple_escape(char c, char delimiter)
{
    switch (c) {
    case 'b': return '\b';
    case 't': return '\t';
    case 'n': return '\n';
    case 'f': return '\f';
    case 'r': return '\r';
    case '\\': return '\\';
    default: break;
    }
    if (c == delimiter)
        return c;
    return '\0';
}

/* At a backslash. Returns the bytes taken. */
static size_t escape(struct parser *p, const struct body *body, size_t at, uint32_t line,
                     struct decoded *out)
{
    const char *text = body->text + at;
    size_t left = body->len - at;
    uint32_t offset = source_offset(p, text);
    if (left > 1 && text[1] == 'u') {
        char bytes[4];
        int32_t code = hex_code(text + 2, left - 2);
        if (code >= 0) {
            size_t n = arc_utf8_encode((uint32_t)code, bytes);
            emit(out, bytes, n, offset, line);
            return 6;
        }
        parser_complain(p, source_span(p, text, 2, line), "bad \\u escape: four hex digits follow");
        out->is_bad = true;
        return 2;
    }
    char value = '\0';
    if (left > 1)
        value = simple_escape(text[1], body->delimiter);
    if (value == 0) {
        emit(out, text, 1, offset, line);
        return 1;
    }
    emit(out, &value, 1, offset, line);
    return 2;
}

static struct decoded decode(struct parser *p, const struct body *body)
{
    struct decoded out = {.text = base_arena_alloc(p->arena, body->len + 1, 1)};
    out.map = base_arena_array(p->arena, uint32_t, body->len + 1);
    out.lines = base_arena_array(p->arena, uint32_t, body->len + 1);
    uint32_t line = body->span.line;
    for (size_t at = 0; at < body->len;) {
        const char *byte = body->text + at;
        if (p->lines != NULL)
            line = p->lines[byte - p->mapped_text];
        if (*byte == '\\' && !body->is_raw) {
            at += escape(p, body, at, line, &out);
            continue;
        }
        emit(&out, byte, 1, source_offset(p, byte), line);
        line += *byte == '\n';
        at++;
    }
    out.map[out.len] = source_offset(p, body->text + body->len);
    out.lines[out.len] = line;
    if (arc_utf8_valid_len(out.text, out.len) != out.len) {
        parser_complain(p, body->span, "the string is not valid UTF-8");
        out.is_bad = true;
    }
    return out;
}

/* ---- Format specifications ---------------------------------------------------------------- */

static bool spec_number(const char **at, const char *end, int16_t *number)
{
    int value = 0;
    while (*at < end && arc_is_digit((unsigned char)**at)) {
        value = value * 10 + (*(*at)++ - '0');
        if (value > ARC_FMT_MAX)
            return false;
    }
    *number = (int16_t)value;
    return true;
}

static void spec_flags(const char **at, const char *end, struct arc_fmt_spec *spec)
{
    for (; *at < end; (*at)++) {
        switch (**at) {
        case '#': spec->alt = true; break;
        case '+': spec->plus = true; break;
        case '-': spec->left = true; break;
        case ' ': spec->space = true; break;
        case '0': spec->zero = true; break;
        default: return;
        }
    }
}

/* NULL, or what is wrong. */
static const char *parse_spec(const char *text, size_t len, struct arc_fmt_spec *spec)
{
    const char *at = text;
    const char *end = text + len;
    *spec = (struct arc_fmt_spec){.precision = -1};
    if (len == 0)
        return "nothing follows the ':'";
    spec_flags(&at, end, spec);
    if (!spec_number(&at, end, &spec->width))
        return "a width is at most 1000";
    if (at < end && *at == '.') {
        at++;
        if (at == end || !arc_is_digit((unsigned char)*at))
            return "digits follow the '.'";
        if (!spec_number(&at, end, &spec->precision))
            return "a precision is at most 1000";
    }
    if (end - at != 1 || strchr("dboOxXcfeEgGsq", *at) == NULL || *at == '\0')
        return "it ends in one of the letters d b o O x X c f e E g G s q";
    spec->verb = *at;
    return NULL;
}

/* ---- Placeholders ------------------------------------------------------------------------- */

struct placeholder {
    size_t start; /* behind the '{' */
    size_t end;   /* the '}' */
    size_t colon; /* SIZE_MAX: none */
};

/* False: no matching '}'. */
static bool find_placeholder(const struct decoded *text, size_t open, struct placeholder *out)
{
    int braces = 1;
    int brackets = 0;
    *out = (struct placeholder){.start = open + 1, .colon = SIZE_MAX};
    for (size_t i = open + 1; i < text->len; i++) {
        char c = text->text[i];
        braces += (c == '{') - (c == '}');
        brackets += (c == '[') - (c == ']');
        if (braces == 0) {
            out->end = i;
            return true;
        }
        if (c == ':' && braces == 1 && brackets == 0)
            out->colon = i;
    }
    return false;
}

static bool is_blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (strchr(" \t\r\n", text[i]) == NULL || text[i] == '\0')
            return false;
    }
    return true;
}

static struct arc_span span_in(const struct decoded *text, size_t start, size_t end)
{
    return (struct arc_span){text->map[start], text->map[end], text->lines[start]};
}

static struct arc_expr *placeholder_expr(struct parser *p, const struct decoded *text, size_t start,
                                         size_t end)
{
    struct parser sub = *p;
    sub.mapped_text = text->text + start;
    sub.map = text->map + start;
    sub.lines = text->lines + start;
    sub.tokens = arc_lex_mapped(sub.mapped_text, end - start, sub.map, sub.lines, p->idents,
                                p->arena, p->diags)
                     .list;
    sub.marks = NULL;
    sub.at = 0;
    sub.error_start = UINT32_MAX;
    sub.eof_name = "end of the placeholder";
    struct arc_expr *expr = parser_expr(&sub);
    if (!sub.is_lost && parser_kind(&sub) != ARC_TOK_EOF)
        parser_unexpected(&sub, sub.eof_name);
    p->had_error |= sub.had_error;
    if (!sub.is_lost)
        return expr;
    return parser_new_expr(p, ARC_EXPR_ERROR, span_in(text, start, end));
}

static bool placeholder(struct parser *p, const struct decoded *text, struct placeholder at,
                        struct arc_fmt_part *part)
{
    size_t end = at.colon != SIZE_MAX ? at.colon : at.end;
    part->spec.precision = -1;
    if (is_blank(text->text + at.start, end - at.start)) {
        parser_complain(p, span_in(text, at.start - 1, at.end), "empty placeholder");
        return false;
    }
    if (at.colon != SIZE_MAX) {
        const char *spec = text->text + at.colon + 1;
        size_t len = at.end - at.colon - 1;
        part->spec_span = span_in(text, at.colon, at.end);
        const char *wrong = parse_spec(spec, len, &part->spec);
        if (wrong != NULL) {
            parser_complain(p, part->spec_span, "bad format '%s': %s",
                            arc_text_printable(p->arena, spec, len), wrong);
            return false;
        }
    }
    part->expr = placeholder_expr(p, text, at.start, end);
    return part->expr->kind != ARC_EXPR_ERROR;
}

/* Splits the text into `parts`; false after an error. Literal text is unescaped in place: it only
 * gets shorter. */
static bool split(struct parser *p, const struct decoded *text, struct arc_expr *expr)
{
    bool is_good = true;
    char *literal = base_arena_alloc(p->arena, text->len + 1, 1);
    char *start = literal;
    for (size_t i = 0; i < text->len; i++) {
        char c = text->text[i];
        bool is_doubled = i + 1 < text->len && text->text[i + 1] == c;
        if (c != '{') {
            *literal++ = c;
            i += c == '}' && is_doubled;
            continue;
        }
        if (is_doubled) {
            *literal++ = c;
            i++;
            continue;
        }
        struct placeholder at;
        if (!find_placeholder(text, i, &at)) {
            parser_complain(p, span_in(text, i, i + 1), "unmatched '{'");
            return false;
        }
        struct arc_fmt_part *part =
            ARC_APPEND(p->arena, expr->u.format.parts, expr->u.format.n_parts);
        part->text = start;
        part->text_len = (size_t)(literal - start);
        is_good = placeholder(p, text, at, part) && is_good;
        *literal++ = '\0';
        start = literal;
        i = at.end;
    }
    struct arc_fmt_part *last = ARC_APPEND(p->arena, expr->u.format.parts, expr->u.format.n_parts);
    last->text = start;
    last->text_len = (size_t)(literal - start);
    return is_good;
}

static void make_string(struct arc_expr *expr, const char *text, size_t len)
{
    expr->kind = ARC_EXPR_LITERAL;
    expr->type = arc_type_scalar(TELEM_STR);
    expr->u.literal.value = (struct arc_value){.type = expr->type, .str = text, .str_len = len};
}

static void make_format(struct parser *p, const struct decoded *text, struct arc_expr *expr)
{
    expr->kind = ARC_EXPR_FORMAT;
    if (!split(p, text, expr)) {
        expr->kind = ARC_EXPR_ERROR;
        expr->type.shape = ARC_SHAPE_ERROR;
        return;
    }
    expr->type = arc_type_scalar(TELEM_STR);
    if (expr->u.format.n_parts == 1) {
        struct arc_fmt_part only = expr->u.format.parts[0];
        make_string(expr, only.text, only.text_len);
        return;
    }
    for (size_t i = 0; i + 1 < expr->u.format.n_parts; i++) {
        uint16_t depth = expr->u.format.parts[i].expr->depth;
        if (depth >= expr->depth)
            expr->depth = (uint16_t)(depth + 1);
    }
}

struct arc_expr *parser_string(struct parser *p)
{
    const struct arc_token *token = parser_token(p);
    struct arc_expr *expr = parser_new_expr(p, ARC_EXPR_LITERAL, token->span);
    struct body body = body_of(token);
    struct decoded text = decode(p, &body);
    parser_advance(p);
    if (text.is_bad) {
        expr->kind = ARC_EXPR_ERROR;
        expr->type.shape = ARC_SHAPE_ERROR;
    } else if (body.is_format) {
        make_format(p, &text, expr);
    } else {
        make_string(expr, text.text, text.len);
    }
    return expr;
}
