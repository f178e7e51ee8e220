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

struct arc_program *arc_parse(const struct arc_source *source, struct arc_idents *idents,
                              struct base_arena *arena, struct arc_diags *diags);

#endif
