/* arc/lexer.h - source text to tokens.
 *
 * arc_lex() reads the whole text and gives an array that ends in ARC_TOK_EOF. What is no token is
 * reported once and becomes ARC_TOK_ERROR, so that the parser stays silent about it. White space
 * and comments are no tokens; comments are listed apart for the formatter. Names are interned:
 * equal names are equal pointers within one struct arc_idents. Everything lives in the arena.
 */
#ifndef ARC_LEXER_H
#define ARC_LEXER_H

#include "arc/diag.h"

/* X(NAME, text). Keywords first: they are what an identifier can turn out to be. */
#define ARC_KEYWORDS(X)                                                                            \
    X(FUNC, "func")                                                                                \
    X(IF, "if")                                                                                    \
    X(ELSE, "else")                                                                                \
    X(RETURN, "return")                                                                            \
    X(FOR, "for")                                                                                  \
    X(BREAK, "break")                                                                              \
    X(CONTINUE, "continue")                                                                        \
    X(IMPORT, "import")                                                                            \
    X(AS, "as")                                                                                    \
    X(SEQUENCE, "sequence")                                                                        \
    X(STAGE, "stage")                                                                              \
    X(NEXT, "next")                                                                                \
    X(CHAN, "chan")                                                                                \
    X(SERIES, "series")                                                                            \
    X(AUTHORITY, "authority")                                                                      \
    X(I8, "i8")                                                                                    \
    X(I16, "i16")                                                                                  \
    X(I32, "i32")                                                                                  \
    X(I64, "i64")                                                                                  \
    X(U8, "u8")                                                                                    \
    X(U16, "u16")                                                                                  \
    X(U32, "u32")                                                                                  \
    X(U64, "u64")                                                                                  \
    X(F32, "f32")                                                                                  \
    X(F64, "f64")                                                                                  \
    X(STR, "str")                                                                                  \
    X(AND, "and")                                                                                  \
    X(OR, "or")                                                                                    \
    X(NOT, "not")

/* Longer ones before their beginnings: the longest match wins. */
#define ARC_PUNCTUATION(X)                                                                         \
    X(ARROW, "->")                                                                                 \
    X(FAT_ARROW, "=>")                                                                             \
    X(DECLARE, ":=")                                                                               \
    X(STATE, "$=")                                                                                 \
    X(EQ, "==")                                                                                    \
    X(NE, "!=")                                                                                    \
    X(LE, "<=")                                                                                    \
    X(GE, ">=")                                                                                    \
    X(PLUS_ASSIGN, "+=")                                                                           \
    X(MINUS_ASSIGN, "-=")                                                                          \
    X(STAR_ASSIGN, "*=")                                                                           \
    X(SLASH_ASSIGN, "/=")                                                                          \
    X(PERCENT_ASSIGN, "%=")                                                                        \
    X(ASSIGN, "=")                                                                                 \
    X(PLUS, "+")                                                                                   \
    X(MINUS, "-")                                                                                  \
    X(STAR, "*")                                                                                   \
    X(SLASH, "/")                                                                                  \
    X(PERCENT, "%")                                                                                \
    X(CARET, "^")                                                                                  \
    X(LT, "<")                                                                                     \
    X(GT, ">")                                                                                     \
    X(LPAREN, "(")                                                                                 \
    X(RPAREN, ")")                                                                                 \
    X(LBRACE, "{")                                                                                 \
    X(RBRACE, "}")                                                                                 \
    X(LBRACKET, "[")                                                                               \
    X(RBRACKET, "]")                                                                               \
    X(COMMA, ",")                                                                                  \
    X(COLON, ":")                                                                                  \
    X(DOT, ".")

enum arc_token_kind {
    ARC_TOK_EOF,
    ARC_TOK_ERROR, /* reported already */
    ARC_TOK_IDENT,
    ARC_TOK_INT,    /* with its unit, if one touches it */
    ARC_TOK_FLOAT,  /* likewise */
    ARC_TOK_STRING, /* with prefix and delimiters */
#define ARC_TOK_ENUM(NAME, text) ARC_TOK_##NAME,
    ARC_KEYWORDS(ARC_TOK_ENUM) ARC_PUNCTUATION(ARC_TOK_ENUM)
#undef ARC_TOK_ENUM
        ARC_TOK_COUNT
};

struct arc_symbol;
struct arc_channel;
struct arc_var;
struct arc_member;

/* A name, once per text. What it means at the moment is filled in and taken back by the checker, so
 * that a look-up is following a pointer. */
struct arc_ident {
    const char *text; /* NUL-terminated */
    uint32_t len;
    uint32_t hash;
    enum arc_token_kind keyword; /* ARC_TOK_IDENT when it is none */
    struct arc_ident *next;      /* in the hash chain */
    struct arc_symbol *symbol;   /* of the program level */
    struct arc_var *local;       /* of the function being checked */
    struct arc_member *member;   /* innermost of the sequences and stages around */
    struct arc_channel *channel;
    bool channel_looked_up;
    bool is_scope_name; /* some sequence or stage has it */
    bool was_reported;  /* as undefined: once per name is enough for a hint */
};

struct arc_idents {
    struct base_arena *arena;
    struct arc_ident **buckets;
    size_t n_buckets; /* a power of two */
    size_t n;
};

struct arc_token {
    enum arc_token_kind kind;
    struct arc_span span;
    const char *text; /* as written; not NUL-terminated */
    uint32_t len;
    uint32_t unit_len;       /* INT and FLOAT: bytes of the unit at the end of `text` */
    struct arc_ident *ident; /* IDENT and keywords */
};

struct arc_comment {
    struct arc_span span;
};

struct arc_tokens {
    struct arc_token *list; /* ends in EOF */
    size_t n;               /* with the EOF */
    struct arc_comment *comments;
    size_t n_comments;
    bool is_cut_short; /* an unterminated comment or string took the rest of the text */
};

void arc_idents_init(struct arc_idents *idents, struct base_arena *arena);
struct arc_ident *arc_ident_get(struct arc_idents *idents, const char *text, size_t len);

struct arc_tokens arc_lex(const struct arc_source *source, struct arc_idents *idents,
                          struct base_arena *arena, struct arc_diags *diags);

/* Tokens of a piece of text that stands, after escapes, at other places of the source: `map` gives
 * for each of its len + 1 byte positions the offset in the source, `lines` for each the line. For
 * placeholders. */
struct arc_tokens arc_lex_mapped(const char *text, size_t len, const uint32_t *map,
                                 const uint32_t *lines, struct arc_idents *idents,
                                 struct base_arena *arena, struct arc_diags *diags);

/* "'->'", "a name", "end of file": for messages. */
const char *arc_token_kind_name(enum arc_token_kind kind);

/* The delimiters as text, "" for the other kinds. */
const char *arc_token_kind_text(enum arc_token_kind kind);

#endif
