/* Operations of the machine on series. An operation with a number on one side is done in pieces
 * against a short column of that number, so that one kernel serves all forms. */
#include "arc_host/kernels.h"
#include "arc_host/machine.h"

#include <string.h>

/* A column of one number, long enough for a piece. */
struct piece {
    _Alignas(64) unsigned char bytes[ARC_HOST_CHUNK * 8];
};

static ARCD_RT void fill(struct piece *piece, uint8_t type, union arc_reg value, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        arc_host_store(type, piece->bytes, k, value);
}

ARCD_RT bool arc_host_series_load(struct arc_host_program *p, const struct arc_insn *i,
                                  union arc_reg *r)
{
    const struct arc_image_series *s = &p->image->series[i->imm];
    uint32_t size = arc_host_type_size(s->type);
    uint64_t ref;
    if (!arc_host_new_object(p, s->n, size, &ref))
        return false;
    if (s->n != 0)
        memcpy(arc_host_heap_get(&p->heap, ref)->data, s->data, (size_t)s->n * size);
    r[i->a].ref = ref;
    return true;
}

ARCD_RT bool arc_host_series_new(struct arc_host_program *p, const struct arc_insn *i,
                                 union arc_reg *r, uint8_t type)
{
    uint64_t ref;
    if (!arc_host_new_object(p, i->c, arc_host_type_size(type), &ref))
        return false;
    char *to = arc_host_heap_get(&p->heap, ref)->data;
    for (uint32_t k = 0; k < i->c; k++)
        arc_host_store(type, to, k, r[i->b + k]);
    r[i->a].ref = ref;
    return true;
}

ARCD_RT bool arc_host_series_cut(struct arc_host_program *p, const struct arc_insn *i,
                                 union arc_reg *r, uint32_t elem_bytes)
{
    uint32_t len = arc_host_heap_get(&p->heap, r[i->b].ref)->n;
    int64_t from = r[i->c].i64, to = r[i->c + 1].i64;
    if (from < 0 || to < from || to > len)
        return arc_host_stop(
            p, (struct arc_host_fault){.kind = ARC_HOST_FAULT_SLICE, .a = from, .b = to, .c = len});
    uint64_t ref;
    uint32_t n = (uint32_t)(to - from);
    if (!arc_host_new_object(p, n, elem_bytes, &ref))
        return false;
    if (n != 0)
        memcpy(arc_host_heap_get(&p->heap, ref)->data,
               arc_host_heap_get(&p->heap, r[i->b].ref)->data + (size_t)from * elem_bytes,
               (size_t)n * elem_bytes);
    r[i->a].ref = ref;
    return true;
}

ARCD_RT bool arc_host_series_unary(struct arc_host_program *p, const struct arc_insn *i,
                                   union arc_reg *r)
{
    const struct arc_host_series_op *op = &arc_host_series_ops[i->op];
    uint32_t n = arc_host_heap_get(&p->heap, r[i->b].ref)->n;
    uint64_t ref;
    if (!arc_host_new_object(p, n, arc_host_type_size(op->result), &ref))
        return false;
    if (n != 0)
        op->kernel(arc_host_heap_get(&p->heap, ref)->data,
                   arc_host_heap_get(&p->heap, r[i->b].ref)->data, NULL, n);
    r[i->a].ref = ref;
    return true;
}

/* One side of a binary operation: a series, or a number that a piece stands for. */
struct side {
    const struct arc_host_object *series; /* NULL: a number */
    const struct piece *piece;
};

static ARCD_RT const void *elements(const struct side *side, size_t at_bytes)
{
    return side->series != NULL ? (const void *)(side->series->data + at_bytes)
                                : (const void *)side->piece->bytes;
}

static ARCD_RT bool stop_for_operand(struct arc_host_program *p,
                                     const struct arc_host_series_op *op)
{
    /* A power faults for a negative exponent of 0; which one is not worth a search. */
    return arc_host_stop(p, (struct arc_host_fault){.kind = op->fault, .a = -1});
}

/* to = b op c, piece by piece. */
static ARCD_RT bool apply(struct arc_host_program *p, const struct arc_host_series_op *op, char *to,
                          const struct side *b, const struct side *c, uint32_t n)
{
    uint32_t size = arc_host_type_size(op->type), size_to = arc_host_type_size(op->result);
    for (uint32_t at = 0; at < n; at += ARC_HOST_CHUNK) {
        uint32_t m = n - at < ARC_HOST_CHUNK ? n - at : ARC_HOST_CHUNK;
        const void *x = elements(b, (size_t)at * size), *y = elements(c, (size_t)at * size);
        if (op->check != NULL && op->check(x, y, m))
            return stop_for_operand(p, op);
        op->kernel(to + (size_t)at * size_to, x, y, m);
    }
    return true;
}

/* Division by the number zero is a fault whatever the length of the series, also of none. Never
 * part of its caller: two pieces make too large a frame. */
__attribute__((noinline)) static ARCD_RT bool
empty_divided(struct arc_host_program *p, const struct arc_host_series_op *op, union arc_reg number)
{
    struct piece piece;
    fill(&piece, op->type, number, 1);
    if (op->check != NULL && op->fault != ARC_HOST_FAULT_POWER &&
        op->check(piece.bytes, piece.bytes, 1))
        return stop_for_operand(p, op);
    return true;
}

ARCD_RT bool arc_host_series_binary(struct arc_host_program *p, const struct arc_insn *i,
                                    union arc_reg *r)
{
    const struct arc_host_series_op *op = &arc_host_series_ops[i->op];
    bool left = op->form != ARC_HOST_SERIES_SV, right = op->form != ARC_HOST_SERIES_VS;
    uint32_t n = arc_host_heap_get(&p->heap, r[left ? i->b : i->c].ref)->n;
    uint32_t n_right = right ? arc_host_heap_get(&p->heap, r[i->c].ref)->n : n;
    if (n != n_right)
        return arc_host_stop(
            p, (struct arc_host_fault){.kind = ARC_HOST_FAULT_LENGTH, .a = n, .b = n_right});
    if (n == 0 && !right && !empty_divided(p, op, r[i->c]))
        return false;
    struct piece piece;
    if (!left || !right)
        fill(&piece, op->type, r[left ? i->c : i->b], n < ARC_HOST_CHUNK ? n : ARC_HOST_CHUNK);
    uint64_t ref;
    if (!arc_host_new_object(p, n, arc_host_type_size(op->result), &ref))
        return false;
    struct side b = {.series = left ? arc_host_heap_get(&p->heap, r[i->b].ref) : NULL,
                     .piece = &piece};
    struct side c = {.series = right ? arc_host_heap_get(&p->heap, r[i->c].ref) : NULL,
                     .piece = &piece};
    if (!apply(p, op, arc_host_heap_get(&p->heap, ref)->data, &b, &c, n))
        return false;
    r[i->a].ref = ref;
    return true;
}
