/* The token cursor, error recovery and top-level items. */
#include "arc/parser_priv.h"

#include "arc/text.h"

#include <string.h>

/* ---- Cursor ------------------------------------------------------------------------------- */

enum arc_token_kind parser_kind_ahead(const struct parser *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p->tokens[p->at + i].kind == ARC_TOK_EOF)
            return ARC_TOK_EOF;
    }
    return p->tokens[p->at + n].kind;
}

void parser_advance(struct parser *p)
{
    if (parser_kind(p) == ARC_TOK_EOF)
        return;
    p->last_end = parser_token(p)->span.end;
    p->at++;
}

bool parser_accept(struct parser *p, enum arc_token_kind kind)
{
    if (p->is_lost || parser_kind(p) != kind)
        return false;
    parser_advance(p);
    return true;
}

bool parser_expect(struct parser *p, enum arc_token_kind kind)
{
    if (parser_accept(p, kind))
        return true;
    parser_unexpected(p, arc_token_kind_name(kind));
    return false;
}

struct arc_ident *parser_expect_name(struct parser *p, const char *what, struct arc_span *span)
{
    const struct arc_token *token = parser_token(p);
    if (p->is_lost || token->kind != ARC_TOK_IDENT) {
        parser_unexpected(p, what);
        return NULL;
    }
    if (span != NULL)
        *span = token->span;
    parser_advance(p);
    return token->ident;
}

struct arc_span parser_span_from(const struct parser *p, struct arc_span from)
{
    uint32_t end = p->last_end > from.start ? p->last_end : from.end;
    return (struct arc_span){from.start, end, from.line};
}

bool parser_starts_line(const struct parser *p, size_t at)
{
    return at == 0 || p->tokens[at - 1].span.line != p->tokens[at].span.line;
}

/* ---- Errors ------------------------------------------------------------------------------- */

static bool may_report(struct parser *p)
{
    bool may = !p->is_lost && p->error_start != parser_token(p)->span.start;
    p->is_lost = true;
    p->had_error = true;
    p->error_start = parser_token(p)->span.start;
    return may;
}

static const char *token_text(struct parser *p)
{
    const struct arc_token *token = parser_token(p);
    if (token->kind == ARC_TOK_EOF)
        return p->eof_name;
    const char *text = arc_text_printable(p->arena, token->text, token->len);
    return base_arena_printf(p->arena, "'%s'", text);
}

/* A keyword where a name was meant: one is wanted, or it is about to be assigned. */
static bool is_keyword_as_name(const struct parser *p, const char *wanted)
{
    const struct arc_token *token = parser_token(p);
    enum arc_token_kind second = parser_kind_ahead(p, 1);
    if (token->ident == NULL || token->kind == ARC_TOK_IDENT)
        return false;
    return strstr(wanted, "name") != NULL || second == ARC_TOK_DECLARE || second == ARC_TOK_STATE ||
           parser_is_assign_op(second);
}

/* NULL: nothing was reported. */
static struct arc_diag *unexpected(struct parser *p, const char *wanted)
{
    if (!may_report(p) || parser_kind(p) == ARC_TOK_ERROR)
        return NULL;
    const struct arc_token *token = parser_token(p);
    struct arc_diag *diag = arc_diag_add(p->diags, ARC_ERROR, ARC_CODE_NONE, token->span,
                                         "unexpected %s, wanted %s", token_text(p), wanted);
    if (is_keyword_as_name(p, wanted))
        arc_diag_hint(p->diags, diag, "'%s' is a keyword and cannot be a name", token->ident->text);
    return diag;
}

void parser_unexpected(struct parser *p, const char *wanted)
{
    unexpected(p, wanted);
}

static struct arc_diag *report(struct parser *p, struct arc_span span, const char *fmt,
                               va_list args) ARCD_PRINTF(3, 0);

static struct arc_diag *report(struct parser *p, struct arc_span span, const char *fmt,
                               va_list args)
{
    char message[256];
    vsnprintf(message, sizeof message, fmt, args);
    return arc_diag_add(p->diags, ARC_ERROR, ARC_CODE_NONE, span, "%s", message);
}

struct arc_diag *parser_error(struct parser *p, struct arc_span span, const char *fmt, ...)
{
    if (!may_report(p))
        return NULL;
    va_list args;
    va_start(args, fmt);
    struct arc_diag *diag = report(p, span, fmt, args);
    va_end(args);
    return diag;
}

struct arc_diag *parser_complain(struct parser *p, struct arc_span span, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    struct arc_diag *diag = report(p, span, fmt, args);
    va_end(args);
    return diag;
}

bool parser_expect_close(struct parser *p, struct arc_span open)
{
    if (parser_accept(p, ARC_TOK_RBRACE))
        return true;
    struct arc_diag *diag = unexpected(p, "'}'");
    if (diag != NULL)
        arc_diag_note(p->diags, diag, "the '{' in line %u is not closed", open.line);
    return false;
}

bool parser_enter(struct parser *p)
{
    if (p->nesting < ARC_MAX_NESTING) {
        p->nesting++;
        return true;
    }
    parser_error(p, parser_token(p)->span, "nesting too deep: more than %d levels",
                 ARC_MAX_NESTING);
    return false;
}

void parser_leave(struct parser *p)
{
    p->nesting--;
}

/* ---- Recovery ----------------------------------------------------------------------------- */

bool parser_is_at_margin(const struct parser *p)
{
    uint32_t start = parser_token(p)->span.start;
    return start == 0 || p->source->text[start - 1] == '\n';
}

/* A word of the top level at the left margin: an open body ends before it. */
static bool begins_top_level(const struct parser *p)
{
    switch (parser_kind(p)) {
    case ARC_TOK_FUNC:
    case ARC_TOK_IMPORT:
    case ARC_TOK_AUTHORITY:
    case ARC_TOK_SEQUENCE:
    case ARC_TOK_STAGE: return parser_is_at_margin(p);
    default: return false;
    }
}

static bool may_begin_something(enum arc_token_kind kind)
{
    switch (kind) {
    case ARC_TOK_IDENT:
    case ARC_TOK_IF:
    case ARC_TOK_FOR:
    case ARC_TOK_BREAK:
    case ARC_TOK_CONTINUE:
    case ARC_TOK_RETURN:
    case ARC_TOK_SEQUENCE:
    case ARC_TOK_STAGE:
    case ARC_TOK_INT:
    case ARC_TOK_FLOAT:
    case ARC_TOK_STRING:
    case ARC_TOK_FUNC:
    case ARC_TOK_IMPORT:
    case ARC_TOK_AUTHORITY: return true;
    default: return false;
    }
}

/* `closes`: a closing brace without an open one ends the skip. */
static void skip(struct parser *p, bool closes)
{
    size_t open = 0;
    bool is_first = true;
    for (; parser_kind(p) != ARC_TOK_EOF; parser_advance(p), is_first = false) {
        if (begins_top_level(p) && (closes || !is_first))
            break;
        if (!is_first && open == 0 && parser_starts_line(p, p->at) &&
            may_begin_something(parser_kind(p)))
            break;
        if (parser_kind(p) == ARC_TOK_LBRACE)
            open++;
        if (parser_kind(p) == ARC_TOK_RBRACE) {
            if (open == 0 && closes)
                break;
            open -= open > 0;
        }
    }
    p->is_lost = false;
}

void parser_recover_inside(struct parser *p)
{
    skip(p, true);
}

static void recover_at_top(struct parser *p)
{
    p->program->may_lack_names = true;
    skip(p, false);
}

/* ---- Imports ------------------------------------------------------------------------------ */

/* Only the first segment may be the keyword. */
static struct arc_ident *first_segment(struct parser *p)
{
    if (parser_kind(p) != ARC_TOK_AUTHORITY)
        return parser_expect_name(p, "the name of a module", NULL);
    struct arc_ident *ident = parser_token(p)->ident;
    parser_advance(p);
    return ident;
}

static bool import_path(struct parser *p, struct arc_import *import)
{
    import->path_span = import->alias_span = parser_token(p)->span;
    struct arc_ident *segment = first_segment(p);
    while (segment != NULL) {
        *ARC_APPEND(p->arena, import->path, import->n_path) = segment;
        import->alias = segment;
        if (!parser_accept(p, ARC_TOK_DOT))
            break;
        segment = parser_expect_name(p, "the name of a module", &import->alias_span);
    }
    import->path_span = parser_span_from(p, import->path_span);
    return segment != NULL;
}

static void import_item(struct parser *p)
{
    struct arc_import import = {0};
    if (!import_path(p, &import))
        return;
    if (parser_accept(p, ARC_TOK_AS)) {
        import.alias = parser_expect_name(p, "a name", &import.alias_span);
        if (import.alias == NULL)
            return;
    }
    *ARC_APPEND(p->arena, p->program->imports, p->program->n_imports) = import;
}

static void import_statement(struct parser *p)
{
    struct arc_span span = parser_token(p)->span;
    parser_advance(p);
    if (p->has_items || p->has_authority)
        parser_complain(p, span, "imports go before everything else");
    if (!parser_accept(p, ARC_TOK_LPAREN)) {
        import_item(p);
        return;
    }
    while (parser_list_goes_on(p, ARC_TOK_RPAREN)) {
        parser_mark(p, ARC_MARK_START);
        import_item(p);
    }
    parser_expect(p, ARC_TOK_RPAREN);
}

/* ---- Authority ---------------------------------------------------------------------------- */

static void authority_value(struct parser *p, struct arc_authority *authority)
{
    authority->value_span = parser_token(p)->span;
    parser_mark(p, ARC_MARK_UNARY);
    bool is_negative = parser_accept(p, ARC_TOK_MINUS);
    if (p->is_lost || (parser_kind(p) != ARC_TOK_INT && parser_kind(p) != ARC_TOK_FLOAT)) {
        parser_unexpected(p, "a whole number 0 to 255");
        return;
    }
    const struct arc_token *token = parser_token(p);
    bool is_whole = token->kind == ARC_TOK_INT && token->unit_len == 0;
    const struct arc_expr *number = parser_number(p);
    authority->value_span = parser_span_from(p, authority->value_span);
    authority->is_valid = is_whole && !is_negative && number->u.literal.raw.magnitude <= 255;
    authority->value = (uint8_t)(authority->is_valid ? number->u.literal.raw.magnitude : 0);
}

/* A bare number is the default, a name and a number are for a channel. */
static void authority_item(struct parser *p)
{
    struct arc_authority authority = {.span = parser_token(p)->span};
    if (parser_kind(p) == ARC_TOK_IDENT) {
        authority.channel = parser_token(p)->ident;
        parser_advance(p);
    }
    authority_value(p, &authority);
    if (!p->is_lost)
        *ARC_APPEND(p->arena, p->program->authorities, p->program->n_authorities) = authority;
}

static void authority_statement(struct parser *p)
{
    struct arc_span span = parser_token(p)->span;
    parser_advance(p);
    if (p->has_items)
        parser_complain(p, span, "authority goes before functions, flows and sequences");
    p->has_authority = true;
    if (!parser_accept(p, ARC_TOK_LPAREN)) {
        if (parser_kind(p) == ARC_TOK_IDENT)
            parser_unexpected(p, "a whole number 0 to 255 or '('");
        authority_item(p);
        return;
    }
    while (parser_list_goes_on(p, ARC_TOK_RPAREN)) {
        parser_mark(p, ARC_MARK_START);
        authority_item(p);
    }
    parser_expect(p, ARC_TOK_RPAREN);
}

/* ---- Constants ---------------------------------------------------------------------------- */

static bool is_constant(const struct parser *p)
{
    return parser_kind(p) == ARC_TOK_IDENT && (parser_kind_ahead(p, 1) == ARC_TOK_DECLARE ||
                                               parser_is_type_start(parser_kind_ahead(p, 1)));
}

/* An operator right behind the literal, in its line: the start of an expression, not of the next
 * item. */
static bool continues_as_expression(const struct parser *p)
{
    if (parser_starts_line(p, p->at))
        return false;
    switch (parser_kind(p)) {
    case ARC_TOK_PLUS:
    case ARC_TOK_MINUS:
    case ARC_TOK_STAR:
    case ARC_TOK_SLASH:
    case ARC_TOK_PERCENT:
    case ARC_TOK_CARET: return true;
    default: return false;
    }
}

/* 1.5.2 and the like: two numbers in a row. */
static bool is_number_behind(const struct parser *p)
{
    return !parser_starts_line(p, p->at) &&
           (parser_kind(p) == ARC_TOK_INT || parser_kind(p) == ARC_TOK_FLOAT);
}

static void constant(struct parser *p)
{
    struct arc_const *constant = base_arena_new(p->arena, struct arc_const);
    constant->span = constant->name_span = parser_token(p)->span;
    constant->ident = parser_expect_name(p, "a name", NULL);
    if (parser_is_type_start(parser_kind(p)))
        constant->declared = parser_type(p);
    if (parser_expect(p, ARC_TOK_DECLARE))
        constant->expr = parser_literal(p);
    if (!p->is_lost && is_number_behind(p))
        parser_unexpected(p, "the next item");
    if (!p->is_lost && continues_as_expression(p))
        parser_error(p, parser_token(p)->span,
                     "the value of a constant is a literal, not an expression");
    constant->is_broken = p->is_lost || constant->expr == NULL;
    constant->span = parser_span_from(p, constant->span);
    *ARC_APPEND(p->arena, p->program->consts, p->program->n_consts) = constant;
}

/* ---- Top level ---------------------------------------------------------------------------- */

static void top_item(struct parser *p)
{
    parser_mark(p, ARC_MARK_START);
    bool is_authority =
        parser_kind(p) == ARC_TOK_AUTHORITY && parser_kind_ahead(p, 1) != ARC_TOK_DOT;
    if (parser_kind(p) == ARC_TOK_IMPORT) {
        import_statement(p);
        return;
    }
    if (is_authority) {
        authority_statement(p);
        return;
    }
    p->has_items = true;
    if (parser_kind(p) == ARC_TOK_FUNC)
        parser_function(p);
    else if (is_constant(p))
        constant(p);
    else
        parser_item(p);
}

bool arc_source_fits(const struct arc_source *source, struct arc_diags *diags)
{
    if (source->len <= ARC_MAX_SOURCE_BYTES)
        return true;
    arc_diag_add(diags, ARC_ERROR, ARC_CODE_NONE, (struct arc_span){0, 0, 1},
                 "the program is too large: %zu bytes, at most %d", source->len,
                 ARC_MAX_SOURCE_BYTES);
    return false;
}

static struct arc_program *new_program(const struct arc_source *source, struct base_arena *arena)
{
    struct arc_program *program = base_arena_new(arena, struct arc_program);
    program->arena = arena;
    program->source = source;
    program->default_authority = -1;
    program->root = base_arena_new(arena, struct arc_scope);
    program->root->kind = ARC_SCOPE_ROOT;
    *ARC_APPEND(arena, program->scopes, program->n_scopes) = program->root;
    return program;
}

struct arc_program *arc_parse_marked(const struct arc_source *source, struct arc_idents *idents,
                                     struct base_arena *arena, struct arc_diags *diags,
                                     struct arc_tokens *tokens, uint8_t **marks)
{
    struct arc_program *program = new_program(source, arena);
    size_t n_errors = diags->n_errors;
    *tokens = arc_lex(source, idents, arena, diags);
    *marks = base_arena_array(arena, uint8_t, tokens->n);
    program->may_lack_names = tokens->is_cut_short;
    struct parser p = {.source = source,
                       .idents = idents,
                       .arena = arena,
                       .diags = diags,
                       .program = program,
                       .tokens = tokens->list,
                       .marks = *marks,
                       .had_error = diags->n_errors != n_errors,
                       .error_start = UINT32_MAX,
                       .eof_name = "end of file",
                       .scope = program->root};
    while (parser_kind(&p) != ARC_TOK_EOF) {
        size_t before = p.at;
        top_item(&p);
        if (p.is_lost)
            recover_at_top(&p);
        if (p.at == before)
            parser_advance(&p);
    }
    program->has_syntax_errors = p.had_error;
    return program;
}

struct arc_program *arc_parse(const struct arc_source *source, struct arc_idents *idents,
                              struct base_arena *arena, struct arc_diags *diags)
{
    struct arc_tokens tokens;
    uint8_t *marks;
    return arc_parse_marked(source, idents, arena, diags, &tokens, &marks);
}
