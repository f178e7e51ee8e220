/* arc/parser_priv.h - what the files of the parser share.
 *
 * parser.c          the token cursor, errors and recovery, top-level items
 * parser_type.c     types, parameters, literals
 * parser_expr.c     expressions
 * parser_string.c   string and format string literals
 * parser_stmt.c     functions and statements
 * parser_flow.c     flows, routing tables, sequences and stages
 *
 * Errors: the first one in a statement is reported and sets `is_lost`; while it is set nothing more
 * is reported, and loops over lists stop. parser_recover_*() skip to a place to go on and clear it.
 */
#ifndef ARC_PARSER_PRIV_H
#define ARC_PARSER_PRIV_H

#include "arc/compile.h"
#include "arc/list.h"
#include "arc/parser.h"

struct parser {
    const struct arc_source *source;
    struct arc_idents *idents;
    struct base_arena *arena;
    struct arc_diags *diags;
    struct arc_program *program;
    const struct arc_token *tokens;
    uint8_t *marks; /* enum arc_mark per token; NULL inside strings */
    size_t at;
    uint32_t last_end; /* where the token before `at` ended */
    uint32_t nesting;
    bool is_lost;
    bool had_error;       /* a syntax error since the caller last cleared it */
    uint32_t error_start; /* of the token where the last error was: a place is reported once */
    bool has_items;       /* something that imports and authority must precede was seen */
    bool has_authority;
    bool is_in_nested_function;
    struct arc_scope *scope; /* where flows stand now */
    /* Where the tokens' text stands in the source, when that is not where the text is: see
     * arc_lex_mapped(). */
    const char *mapped_text;
    const uint32_t *map;
    const uint32_t *lines;
    const char *eof_name;
};

/* ---- Cursor ------------------------------------------------------------------------------- */

static inline const struct arc_token *parser_token(const struct parser *p)
{
    return &p->tokens[p->at];
}

static inline enum arc_token_kind parser_kind(const struct parser *p)
{
    return p->tokens[p->at].kind;
}

/* ARC_TOK_EOF behind the end. */
enum arc_token_kind parser_kind_ahead(const struct parser *p, size_t n);

void parser_advance(struct parser *p); /* stays on the EOF */
bool parser_accept(struct parser *p, enum arc_token_kind kind);

/* Reports and returns false when the token is another. */
bool parser_expect(struct parser *p, enum arc_token_kind kind);

/* NULL after reporting. `what` completes "wanted ...". */
struct arc_ident *parser_expect_name(struct parser *p, const char *what, struct arc_span *span);

/* Marks the token at the cursor. */
static inline void parser_mark(const struct parser *p, enum arc_mark mark)
{
    if (p->marks != NULL)
        p->marks[p->at] |= (uint8_t)mark;
}

/* From the start of `from` to the end of the last token taken. */
struct arc_span parser_span_from(const struct parser *p, struct arc_span from);

/* First token of its line. */
bool parser_starts_line(const struct parser *p, size_t at);
bool parser_is_at_margin(const struct parser *p); /* no blank before it */

/* ---- Errors ------------------------------------------------------------------------------- */

/* "unexpected 'x', wanted ..."; sets is_lost. */
void parser_unexpected(struct parser *p, const char *wanted);

/* Another message at a place; sets is_lost. Returns NULL when the place was reported already. */
struct arc_diag *parser_error(struct parser *p, struct arc_span span, const char *fmt, ...)
    ARCD_PRINTF(3, 4);

/* An error in what is well formed: the parser is not lost. */
struct arc_diag *parser_complain(struct parser *p, struct arc_span span, const char *fmt, ...)
    ARCD_PRINTF(3, 4);

/* As parser_expect(RBRACE), with a note where the brace was opened. */
bool parser_expect_close(struct parser *p, struct arc_span open);

/* False after reporting that the nesting is too deep. Pairs with parser_leave() when true. */
bool parser_enter(struct parser *p);
void parser_leave(struct parser *p);

/* Skips to the next statement of a block, or the next item of a body: something that may begin one,
 * first in its line, or the closing brace. */
void parser_recover_inside(struct parser *p);

/* Where a piece of a list ends: after a lost element the list is over. */
static inline bool parser_list_goes_on(struct parser *p, enum arc_token_kind close)
{
    return !p->is_lost && parser_kind(p) != close && parser_kind(p) != ARC_TOK_EOF;
}

/* ---- Parts -------------------------------------------------------------------------------- */

bool parser_is_type_start(enum arc_token_kind kind);
bool parser_is_assign_op(enum arc_token_kind kind);

/* The types and literals. */
struct arc_type parser_type(struct parser *p);
void parser_params(struct parser *p, enum arc_token_kind close, enum arc_var_kind kind,
                   struct arc_var ***list, size_t *n);
struct arc_expr *parser_literal(struct parser *p); /* with a sign; number or string */
struct arc_expr *parser_number(struct parser *p);
void parser_negate(struct arc_expr *number, struct arc_span minus);
struct arc_expr *parser_string(struct parser *p);

struct arc_expr *parser_expr(struct parser *p);
struct arc_expr *parser_new_expr(struct parser *p, enum arc_expr_kind kind, struct arc_span span);
struct arc_expr *parser_name_expr(struct parser *p);

void parser_function(struct parser *p);

/* One item of the root, a sequence or a stage. */
void parser_item(struct parser *p);
bool parser_is_qualified(const struct parser *p);

/* "sequence" or "stage", at the keyword. */
struct arc_scope *parser_scope(struct parser *p, bool is_inline);

#endif
