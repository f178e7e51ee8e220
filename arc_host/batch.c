/* Batch bodies: straight-line code in which every instruction runs over a column of up to
 * ARC_HOST_CHUNK rows before the next one does. A register is a column of its type; arguments are
 * read where they lie, constants and config values are spread over a column once.
 *
 * No instruction of such a body can fault, so only the budget is left to look at: it is charged
 * what the other way of running would have cost.
 */
#include "arc_host/kernels.h"
#include "arc_host/program_priv.h"

#include <string.h>

struct batch {
    struct arc_host_program *p;
    const struct arc_image_node *node;
    const struct arc_image_func *func;
    const struct arc_host_offer *offers;
    const int64_t *times;
    void **column;
    uint32_t rows;
};

static ARCD_RT void *own_column(const struct batch *b, uint32_t reg)
{
    return b->p->machine.columns + (size_t)reg * ARC_HOST_CHUNK;
}

/* n elements of one size, all the same. */
#define SPREAD(ctype)                                                                              \
    do {                                                                                           \
        ctype *to = column, element;                                                               \
        memcpy(&element, one, sizeof element);                                                     \
        for (uint32_t k = 0; k < n; k++)                                                           \
            to[k] = element;                                                                       \
    } while (0)

static ARCD_RT void spread_bytes(void *column, const void *one, uint32_t size_bytes, uint32_t n)
{
    switch (size_bytes) {
    case 1: SPREAD(uint8_t); break;
    case 2: SPREAD(uint16_t); break;
    case 4: SPREAD(uint32_t); break;
    default: SPREAD(uint64_t); break;
    }
}

static ARCD_RT void spread(const struct batch *b, uint32_t reg, uint8_t type, union arc_reg value)
{
    uint32_t n = b->rows < ARC_HOST_CHUNK ? b->rows : ARC_HOST_CHUNK;
    uint64_t one = 0;
    arc_host_store(type, &one, 0, value);
    spread_bytes(b->column[reg], &one, arc_host_type_size(type), n);
}

static ARCD_RT uint8_t input_type(const struct batch *b, uint32_t j)
{
    return arc_host_type(b->p->image->inputs[b->node->inputs.first + j].type);
}

/* What stays the same in all chunks. */
static ARCD_RT void prepare(const struct batch *b)
{
    const struct arc_image *image = b->p->image;
    const struct arc_image_body *body = &b->func->batch;
    for (uint32_t reg = 0; reg < body->n_regs; reg++)
        b->column[reg] = own_column(b, reg);
    for (uint32_t k = 0; k < body->n_k; k++)
        spread(b, body->k_reg + k, image->const_types[body->k_first + k],
               image->consts[body->k_first + k]);
    for (uint32_t i = 0; i < b->node->config.n; i++) {
        uint8_t vt = image->config[b->node->config.first + i].vt;
        if (vt < TELEM_STR)
            spread(b, b->func->n_inputs + i, vt, arc_host_config(b->p, b->node, i));
    }
    for (uint32_t j = 0; j < b->node->inputs.n; j++)
        if (b->offers[j].view.n == 1 && b->rows > 1)
            spread(b, j, input_type(b, j),
                   arc_host_load(input_type(b, j), b->offers[j].view.data, 0));
}

/* Rows at .. at + n - 1 of the inputs. A shorter batch starts again from its first sample. */
static ARCD_RT void set_inputs(const struct batch *b, uint32_t at, uint32_t n)
{
    for (uint32_t j = 0; j < b->node->inputs.n; j++) {
        const struct arc_host_column_view *view = &b->offers[j].view;
        uint8_t type = input_type(b, j);
        if (view->n == b->rows) {
            /* Arguments are never written by a body. */
            b->column[j] = (char *)(uintptr_t)view->data + (size_t)at * arc_host_type_size(type);
        } else if (view->n > 1) {
            for (uint32_t k = 0; k < n; k++)
                arc_host_store(type, b->column[j], k,
                               arc_host_load(type, view->data, (at + k) % view->n));
        }
    }
}

static ARCD_RT void run_code(const struct batch *b, uint32_t n)
{
    const struct arc_image_range *code = &b->func->batch.code;
    const struct arc_insn *i = b->p->image->code + code->first, *end = i + code->n;
    for (; i < end; i++)
        arc_host_kernels[i->op](b->column[i->a], b->column[i->b], b->column[i->c], n);
}

/* Appends the rows that the body produced to the slots. */
static ARCD_RT void take_outputs(const struct batch *b, uint32_t at, uint32_t n)
{
    const struct arc_image_func_output *outputs =
        &b->p->image->func_outputs[b->func->outputs.first];
    for (uint32_t k = 0; k < b->func->outputs.n; k++) {
        const struct arc_image_func_output *out = &outputs[k];
        struct arc_host_slot *slot = &b->p->slots[b->node->outputs.first + k];
        char *to = slot->data != NULL ? slot->data : (char *)&slot->one;
        int64_t *times = slot->times != NULL ? slot->times : &slot->one_time;
        const void *from = b->column[out->batch_reg];
        uint32_t size = arc_host_type_size(slot->type);
        if (out->batch_flag_reg == ARC_NO_REG) {
            memcpy(to + (size_t)at * size, from, (size_t)n * size);
            if (out->flag_reg != ARC_NO_REG)
                memcpy(times + at, b->times + at, n * sizeof *times);
            slot->view.n += n;
            continue;
        }
        const uint8_t *flags = b->column[out->batch_flag_reg];
        for (uint32_t row = 0; row < n; row++) {
            if (flags[row] == 0)
                continue;
            arc_host_store(slot->type, to, slot->view.n, arc_host_load(slot->type, from, row));
            times[slot->view.n++] = b->times[at + row];
        }
    }
}

ARCD_RT bool arc_host_batch_run(struct arc_host_program *p, uint32_t node,
                                const struct arc_host_offer *offers, uint32_t n,
                                const int64_t *times)
{
    const struct arc_image_node *image_node = &p->image->nodes[node];
    struct batch b = {.p = p,
                      .node = image_node,
                      .func = &p->image->funcs[image_node->func],
                      .offers = offers,
                      .times = times,
                      .column = p->machine.column_of,
                      .rows = n};
    p->machine.budget -= (int64_t)n * b.func->body.code.n;
    if (p->machine.budget < 0) {
        arc_host_stop(p, (struct arc_host_fault){.kind = ARC_HOST_FAULT_BUDGET,
                                                 .a = (int64_t)p->options.budget});
        p->fault.function = image_node->func;
        p->fault.line = p->image->code_lines[b.func->body.code.first];
        return false;
    }
    prepare(&b);
    for (uint32_t at = 0; at < n; at += ARC_HOST_CHUNK) {
        uint32_t rows = n - at < ARC_HOST_CHUNK ? n - at : ARC_HOST_CHUNK;
        set_inputs(&b, at, rows);
        run_code(&b, rows);
        take_outputs(&b, at, rows);
    }
    return true;
}
