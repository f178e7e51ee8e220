/* Strings and series: elements, slices, literals, and text made of values. */
#include "arc/gen_priv.h"

uint16_t arc_gen_index(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want)
{
    enum telem_type type = expr->type.prim;
    union arc_reg value;
    bool is_big = type == TELEM_U64 && arc_fold(expr, &value) && value.i64 < 0;
    if (!is_big && arc_fold(expr, &value)) {
        if (want == ARC_NO_REG)
            return arc_gen_k(b, TELEM_I64, value);
        arc_gen_load_k(b, want, TELEM_I64, value);
        return want;
    }
    if (type == TELEM_I64)
        return arc_gen_expr(b, expr, want);
    uint16_t mark = b->top;
    uint16_t x = arc_gen_expr(b, expr, ARC_NO_REG);
    b->top = mark;
    uint16_t dst = arc_gen_dest(b, want);
    unsigned cast = ARC_OP_CVT_I8_I8 + (unsigned)type * 10 + TELEM_I64;
    arc_gen_emit(b, type == TELEM_U64 ? ARC_OP_INDEX_U64 : (enum arc_opcode)cast, dst, x, 0);
    return dst;
}

uint16_t arc_gen_index_expr(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want)
{
    const struct arc_expr *base = expr->u.index.base;
    uint16_t mark = b->top;
    uint16_t x = arc_gen_expr(b, base, ARC_NO_REG);
    uint16_t i = arc_gen_index(b, expr->u.index.index, ARC_NO_REG);
    b->top = mark;
    uint16_t dst = arc_gen_dest(b, want);
    b->line = expr->span.line;
    bool is_series = base->type.shape == ARC_SHAPE_SERIES;
    arc_gen_emit(b, is_series ? arc_gen_typed(ARC_OP_SGET_I8, base->type.prim) : ARC_OP_STRGET, dst,
                 x, i);
    return dst;
}

uint16_t arc_gen_slice(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want)
{
    const struct arc_expr *base = expr->u.slice.base;
    bool is_series = base->type.shape == ARC_SHAPE_SERIES;
    uint16_t mark = b->top;
    uint16_t x = arc_gen_expr(b, base, ARC_NO_REG);
    uint16_t from = arc_gen_temp(b);
    if (expr->u.slice.from != NULL)
        arc_gen_index(b, expr->u.slice.from, from);
    else
        arc_gen_load_k(b, from, TELEM_I64, (union arc_reg){.i64 = 0});
    uint16_t to = arc_gen_temp(b);
    if (expr->u.slice.to != NULL)
        arc_gen_index(b, expr->u.slice.to, to);
    else
        arc_gen_emit(b, is_series ? arc_gen_typed(ARC_OP_SLEN_I8, base->type.prim) : ARC_OP_STRLEN,
                     to, x, 0);
    b->top = mark;
    uint16_t dst = arc_gen_dest(b, want);
    b->line = expr->span.line;
    arc_gen_emit(b, is_series ? arc_gen_typed(ARC_OP_SCUT_I8, base->type.prim) : ARC_OP_STRCUT, dst,
                 x, from);
    return dst;
}

/* All elements that are known now, others as 0; how many are not known. */
static size_t fold_elements(struct arc_gen_body *b, const struct arc_expr *expr,
                            union arc_reg **values)
{
    size_t n = expr->u.series.n_elems;
    size_t n_unknown = 0;
    *values = base_arena_array(b->gen->scratch, union arc_reg, n);
    for (size_t i = 0; i < n; i++)
        if (!arc_fold(expr->u.series.elems[i], &(*values)[i])) {
            (*values)[i].u64 = 0;
            n_unknown++;
        }
    return n_unknown;
}

enum { SNEW_MAX = 64 }; /* a longer literal starts from its constant elements */

static uint16_t gen_series_long(struct arc_gen_body *b, const struct arc_expr *expr,
                                const union arc_reg *values, uint16_t want)
{
    enum telem_type type = expr->type.prim;
    uint16_t dst = arc_gen_dest_temp(b, want);
    uint32_t n = (uint32_t)expr->u.series.n_elems;
    arc_gen_emit_imm(b, ARC_OP_SLOAD, dst, arc_gen_series(b->gen, type, values, n));
    for (uint32_t i = 0; i < n; i++) {
        union arc_reg known;
        if (arc_fold(expr->u.series.elems[i], &known))
            continue;
        uint16_t mark = b->top;
        uint16_t value = arc_gen_expr(b, expr->u.series.elems[i], ARC_NO_REG);
        uint16_t index = arc_gen_k_int(b, TELEM_I64, i);
        arc_gen_emit(b, arc_gen_typed(ARC_OP_SSET_I8, type), dst, index, value);
        b->top = mark;
    }
    return arc_gen_deliver(b, (uint8_t)(ARC_VT_SERIES | type), dst, want);
}

uint16_t arc_gen_series_expr(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want)
{
    union arc_reg *values;
    size_t n_unknown = fold_elements(b, expr, &values);
    if (n_unknown == 0 || expr->u.series.n_elems > SNEW_MAX)
        return gen_series_long(b, expr, values, want);
    uint16_t mark = b->top;
    for (size_t i = 0; i < expr->u.series.n_elems; i++) {
        uint16_t reg = arc_gen_temp(b);
        arc_gen_expr(b, expr->u.series.elems[i], reg);
    }
    b->top = mark;
    uint16_t dst = arc_gen_dest(b, want);
    arc_gen_emit(b, arc_gen_typed(ARC_OP_SNEW_I8, expr->type.prim), dst, mark,
                 (uint16_t)expr->u.series.n_elems);
    return dst;
}

void arc_gen_str(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t dst)
{
    uint16_t mark = b->top;
    uint16_t x = arc_gen_expr(b, expr, ARC_NO_REG);
    b->top = mark;
    arc_gen_emit(b, arc_gen_typed(ARC_OP_TOSTR_I8, expr->type.prim), dst, x, 0);
}

static enum arc_opcode format_op(enum telem_type type, enum telem_type *wide)
{
    switch (type) {
    case TELEM_STR: *wide = TELEM_STR; return ARC_OP_FMT_STR;
    case TELEM_F32: *wide = TELEM_F32; return ARC_OP_FMT_F32;
    case TELEM_F64: *wide = TELEM_F64; return ARC_OP_FMT_F64;
    default:
        *wide = telem_type_is_signed(type) ? TELEM_I64 : TELEM_U64;
        return *wide == TELEM_I64 ? ARC_OP_FMT_I64 : ARC_OP_FMT_U64;
    }
}

static void gen_placeholder(struct arc_gen_body *b, const struct arc_fmt_part *part, uint16_t dst)
{
    enum telem_type type = part->expr->type.prim;
    if (part->spec.verb == 0) {
        if (type == TELEM_STR)
            arc_gen_expr(b, part->expr, dst);
        else
            arc_gen_str(b, part->expr, dst);
        return;
    }
    enum telem_type wide;
    enum arc_opcode op = format_op(type, &wide);
    uint16_t mark = b->top;
    uint16_t x = arc_gen_expr(b, part->expr, ARC_NO_REG);
    if (wide != type) {
        uint16_t as_wide = arc_gen_temp(b);
        unsigned cast = ARC_OP_CVT_I8_I8 + (unsigned)type * 10 + (unsigned)wide;
        arc_gen_emit(b, (enum arc_opcode)cast, as_wide, x, 0);
        x = as_wide;
    }
    uint32_t format = arc_gen_format(b->gen, &part->spec);
    if (format > UINT16_MAX) {
        b->refused = true;
        format = 0;
    }
    arc_gen_emit(b, op, dst, x, (uint16_t)format);
    b->top = mark;
}

uint16_t arc_gen_format_expr(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want)
{
    uint16_t mark = b->top;
    unsigned n = 0;
    for (size_t i = 0; i < expr->u.format.n_parts; i++) {
        const struct arc_fmt_part *part = &expr->u.format.parts[i];
        if (part->text_len != 0) {
            uint16_t reg = arc_gen_temp(b);
            uint32_t text = arc_gen_string(b->gen, part->text, part->text_len);
            arc_gen_emit_imm(b, ARC_OP_LOADS, reg, text);
            n++;
        }
        if (part->expr != NULL) {
            gen_placeholder(b, part, arc_gen_temp(b));
            n++;
        }
    }
    b->top = mark;
    if (n == 1) { /* one piece is the result, but where it stands */
        uint16_t piece = arc_gen_temp(b);
        return arc_gen_deliver(b, TELEM_STR, piece, want);
    }
    uint16_t dst = arc_gen_dest(b, want);
    arc_gen_emit(b, ARC_OP_JOIN, dst, mark, (uint16_t)n);
    return dst;
}

uint16_t arc_gen_len(struct arc_gen_body *b, const struct arc_expr *arg, uint16_t want)
{
    uint16_t mark = b->top;
    uint16_t x = arc_gen_expr(b, arg, ARC_NO_REG);
    b->top = mark;
    uint16_t dst = arc_gen_dest(b, want);
    bool is_series = arg->type.shape == ARC_SHAPE_SERIES;
    arc_gen_emit(b, is_series ? arc_gen_typed(ARC_OP_SLEN_I8, arg->type.prim) : ARC_OP_STRLEN, dst,
                 x, 0);
    return dst;
}
