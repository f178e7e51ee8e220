#include "arc/type.h"

#include <string.h>

static const char *shape_prefix(enum arc_shape shape)
{
    switch (shape) {
    case ARC_SHAPE_SERIES: return "series ";
    case ARC_SHAPE_CHAN: return "chan ";
    case ARC_SHAPE_CHAN_SERIES: return "chan series ";
    default: return "";
    }
}

const char *arc_type_name(struct base_arena *arena, struct arc_type type)
{
    switch (type.shape) {
    case ARC_SHAPE_NONE: return "no value";
    case ARC_SHAPE_LITERAL: return "a number";
    case ARC_SHAPE_ERROR: return "unknown";
    default: break;
    }
    const char *prefix = shape_prefix(type.shape);
    const char *prim = telem_type_name(type.prim);
    if (type.unit == NULL)
        return type.shape == ARC_SHAPE_SCALAR ? prim
                                              : base_arena_printf(arena, "%s%s", prefix, prim);
    return base_arena_printf(arena, "%s%s %s", prefix, prim, arc_unit_name(arena, type.unit));
}

const char *arc_prim_range_text(enum telem_type prim)
{
    switch (prim) {
    case TELEM_I8: return "-128 to 127";
    case TELEM_I16: return "-32768 to 32767";
    case TELEM_I32: return "-2147483648 to 2147483647";
    case TELEM_I64: return "-9223372036854775808 to 9223372036854775807";
    case TELEM_U8: return "0 to 255";
    case TELEM_U16: return "0 to 65535";
    case TELEM_U32: return "0 to 4294967295";
    case TELEM_U64: return "0 to 18446744073709551615";
    case TELEM_F32: return "-3.4028235e38 to 3.4028235e38";
    default: return "-1.797693e308 to 1.797693e308";
    }
}
