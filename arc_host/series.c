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

/* The operand's elements from `at` on: of the series, or of the piece that stands for a number. */
static ARCD_RT const void *elements(const struct arc_host_object *series, const struct piece *piece,
                                    size_t at_bytes)
{
    return series != NULL ? (const void *)(series->data + at_bytes) : (const void *)piece->bytes;
}

static ARCD_RT bool stop_for_operand(struct arc_host_program *p,
                                     const struct arc_host_series_op *op)
{
    /* A power faults for a negative exponent of 0; which one is not worth a search. */
    return arc_host_stop(p, (struct arc_host_fault){.kind = op->fault, .a = -1});
}

ARCD_RT bool arc_host_series_binary(struct arc_host_program *p, const struct arc_insn *i,
                                    union arc_reg *r)
{
    const struct arc_host_series_op *op = &arc_host_series_ops[i->op];
    bool left = op->form != ARC_HOST_SERIES_SV, right = op->form != ARC_HOST_SERIES_VS;
    uint32_t n_left = left ? arc_host_heap_get(&p->heap, r[i->b].ref)->n : 0;
    uint32_t n_right = right ? arc_host_heap_get(&p->heap, r[i->c].ref)->n : 0;
    uint32_t n = left ? n_left : n_right;
    if (left && right && n_left != n_right)
        return arc_host_stop(
            p, (struct arc_host_fault){.kind = ARC_HOST_FAULT_LENGTH, .a = n_left, .b = n_right});
    struct piece piece;
    if (!left || !right)
        fill(&piece, op->type, r[left ? i->c : i->b], n < ARC_HOST_CHUNK ? n : ARC_HOST_CHUNK);
    /* A zero on the right of a division is a fault even when the series on the left is empty. */
    if (n == 0 && !right && op->check != NULL) {
        fill(&piece, op->type, r[i->c], 1);
        if (op->fault != ARC_HOST_FAULT_POWER && op->check(piece.bytes, piece.bytes, 1))
            return stop_for_operand(p, op);
    }
    uint64_t ref;
    if (!arc_host_new_object(p, n, arc_host_type_size(op->result), &ref))
        return false;
    char *to = arc_host_heap_get(&p->heap, ref)->data;
    const struct arc_host_object *b = left ? arc_host_heap_get(&p->heap, r[i->b].ref) : NULL;
    const struct arc_host_object *c = right ? arc_host_heap_get(&p->heap, r[i->c].ref) : NULL;
    uint32_t size = arc_host_type_size(op->type), size_to = arc_host_type_size(op->result);
    for (uint32_t at = 0; at < n; at += ARC_HOST_CHUNK) {
        uint32_t m = n - at < ARC_HOST_CHUNK ? n - at : ARC_HOST_CHUNK;
        const void *x = elements(b, &piece, (size_t)at * size);
        const void *y = elements(c, &piece, (size_t)at * size);
        if (op->check != NULL && op->check(x, y, m))
            return stop_for_operand(p, op);
        op->kernel(to + (size_t)at * size_to, x, y, m);
    }
    r[i->a].ref = ref;
    return true;
}
