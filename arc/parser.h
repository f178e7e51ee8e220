/* arc/parser.h - tokens to the tree of arc/ast.h.
 *
 * arc_parse() always gives a tree; what could not be read is left out of it or is an
 * ARC_EXPR_ERROR, and the function or constant that holds it is marked broken. Every syntax error
 * is reported once; the parser then goes on at the next statement or item.
 */
#ifndef ARC_PARSER_H
#define ARC_PARSER_H

#include "arc/ast.h"
#include "arc/lexer.h"

/* False after reporting a text over ARC_MAX_SOURCE_BYTES: ask before parsing. */
bool arc_source_fits(const struct arc_source *source, struct arc_diags *diags);

struct arc_program *arc_parse(const struct arc_source *source, struct arc_idents *idents,
                              struct base_arena *arena, struct arc_diags *diags);

/* What the parser found out about single tokens, for the formatter. */
enum arc_mark {
    ARC_MARK_START = 1,  /* begins a statement, an item of a body, or a top-level item */
    ARC_MARK_BLOCK = 2,  /* '{' of a block or a body */
    ARC_MARK_CONFIG = 4, /* '{' of configuration parameters or values */
    ARC_MARK_TABLE = 8,  /* '{' of a routing table */
    ARC_MARK_UNARY = 16, /* '-' of one operand */
    ARC_MARK_NAMED = 32, /* '=' of a configuration value */
    ARC_MARK_CALL = 64,  /* '(' or '[' that belongs to what stands before it */
};

/* As arc_parse(), and also the tokens with a byte of or-ed marks for each. */
struct arc_program *arc_parse_marked(const struct arc_source *source, struct arc_idents *idents,
                                     struct base_arena *arena, struct arc_diags *diags,
                                     struct arc_tokens *tokens, uint8_t **marks);

#endif
