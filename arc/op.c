#include "arc/op.h"

const struct arc_op_info arc_op_info[ARC_OP_COUNT] = {
#define OP_ROW(name, a, b, c, flags, text) [ARC_OP_##name] = {#name, {(a), (b), (c)}, (flags)},
    ARC_OPCODES(OP_ROW)
#undef OP_ROW
};
