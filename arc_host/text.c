/* Strings made by the machine. */
#include "arc_host/format.h"
#include "arc_host/machine.h"

#include <string.h>

ARCD_RT bool arc_host_text_join(struct arc_host_program *p, const struct arc_insn *i,
                                const union arc_reg *strings, uint32_t n, union arc_reg *r)
{
    uint64_t len = 0;
    for (uint32_t k = 0; k < n; k++)
        len += arc_host_heap_get(&p->heap, strings[k].ref)->n;
    uint64_t ref;
    if (!arc_host_new_object(p, len > UINT32_MAX ? UINT32_MAX : (uint32_t)len, 1, &ref))
        return false;
    char *to = arc_host_heap_get(&p->heap, ref)->data;
    for (uint32_t k = 0; k < n; k++) {
        const struct arc_host_object *part = arc_host_heap_get(&p->heap, strings[k].ref);
        memcpy(to, part->data, part->n);
        to += part->n;
    }
    r[i->a].ref = ref;
    return true;
}

ARCD_RT bool arc_host_text_equal(const struct arc_host_heap *heap, union arc_reg a, union arc_reg b)
{
    const struct arc_host_object *left = arc_host_heap_get(heap, a.ref);
    const struct arc_host_object *right = arc_host_heap_get(heap, b.ref);
    return left->n == right->n && memcmp(left->data, right->data, left->n) == 0;
}

/* A number of any type, for one function that formats all of them. */
struct value {
    enum { SIGNED, UNSIGNED, F32, F64, STR } kind;
    union arc_reg reg;
};

static ARCD_RT void format_value(const struct arc_host_heap *heap, struct arc_host_text *text,
                                 const struct arc_image_format *format, struct value value)
{
    switch (value.kind) {
    case SIGNED: arc_host_format_i64(text, format, value.reg.i64); break;
    case UNSIGNED: arc_host_format_u64(text, format, value.reg.u64); break;
    case F32: arc_host_format_f32(text, format, value.reg.f32); break;
    case F64: arc_host_format_f64(text, format, value.reg.f64); break;
    case STR: {
        const struct arc_host_object *s = arc_host_heap_get(heap, value.reg.ref);
        arc_host_format_str(text, format, s->data, s->n);
        break;
    }
    }
}

/* Formats into the heap's free end, whose size is not known to suffice; then takes what was used.
 */
static ARCD_RT bool try_format(struct arc_host_program *p, const struct arc_image_format *format,
                               struct value value, uint64_t *ref)
{
    struct arc_host_text text = {0};
    text.bytes = arc_host_heap_room(&p->heap, &text.capacity);
    format_value(&p->heap, &text, format, value);
    if (text.full)
        return false;
    *ref = arc_host_heap_commit(&p->heap, text.len);
    return *ref != 0 || text.len == 0;
}

static ARCD_RT bool make_text(struct arc_host_program *p, const struct arc_insn *i,
                              const struct arc_image_format *format, struct value value,
                              union arc_reg *r)
{
    uint64_t ref;
    if (!try_format(p, format, value, &ref)) {
        arc_host_collect(p);
        if (!try_format(p, format, value, &ref))
            return arc_host_stop(p, (struct arc_host_fault){.kind = ARC_HOST_FAULT_MEMORY,
                                                            .a = p->options.heap_bytes});
    }
    r[i->a].ref = ref;
    return true;
}

ARCD_RT bool arc_host_text_of_i64(struct arc_host_program *p, const struct arc_insn *i,
                                  int64_t value, union arc_reg *r,
                                  const struct arc_image_format *format)
{
    return make_text(p, i, format, (struct value){.kind = SIGNED, .reg.i64 = value}, r);
}

ARCD_RT bool arc_host_text_of_u64(struct arc_host_program *p, const struct arc_insn *i,
                                  uint64_t value, union arc_reg *r,
                                  const struct arc_image_format *format)
{
    return make_text(p, i, format, (struct value){.kind = UNSIGNED, .reg.u64 = value}, r);
}

ARCD_RT bool arc_host_text_of_f32(struct arc_host_program *p, const struct arc_insn *i, float value,
                                  union arc_reg *r, const struct arc_image_format *format)
{
    return make_text(p, i, format, (struct value){.kind = F32, .reg.f32 = value}, r);
}

ARCD_RT bool arc_host_text_of_f64(struct arc_host_program *p, const struct arc_insn *i,
                                  double value, union arc_reg *r,
                                  const struct arc_image_format *format)
{
    return make_text(p, i, format, (struct value){.kind = F64, .reg.f64 = value}, r);
}

ARCD_RT bool arc_host_text_of_str(struct arc_host_program *p, const struct arc_insn *i,
                                  union arc_reg *r, const struct arc_image_format *format)
{
    return make_text(p, i, format, (struct value){.kind = STR, .reg = r[i->b]}, r);
}
