#include "arc/ast.h"

const char *arc_op_text(enum arc_op op)
{
    static const char *const texts[] = {
#define OP_TEXT(NAME, text) text,
        ARC_OPS(OP_TEXT)
#undef OP_TEXT
    };
    return texts[op];
}
