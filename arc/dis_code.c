/* Bytecode: each body with the lines of its source between the instructions. */
#include "arc/dis_priv.h"

#include <string.h>

/* A constant register shows its value: that is what a reader wants to know. */
static void put_register(struct arc_dis *d, const struct arc_image_body *body, uint32_t reg)
{
    const struct arc_image *image = d->image;
    arc_dis_put(d, "r%u", reg);
    if (reg >= body->k_reg && reg < (uint32_t)body->k_reg + body->n_k) {
        uint32_t k = body->k_first + reg - body->k_reg;
        arc_dis_put(d, " (%s)", arc_dis_number(d, image->const_types[k], image->consts[k]));
    }
}

static void put_format(struct arc_dis *d, const struct arc_image_format *f)
{
    arc_dis_put(d, "%%%s%s%s%s%s", f->sharp ? "#" : "", f->plus ? "+" : "", f->space ? " " : "",
                f->minus ? "-" : "", f->zero ? "0" : "");
    if (f->width > 0)
        arc_dis_put(d, "%d", f->width);
    if (f->precision >= 0)
        arc_dis_put(d, ".%d", f->precision);
    arc_dis_put(d, "%c", f->verb);
}

static void put_operand(struct arc_dis *d, const struct arc_image_body *body,
                        const struct arc_insn *insn, uint32_t at, uint32_t i)
{
    const struct arc_image *image = d->image;
    const struct arc_op_info *info = &arc_op_info[insn->op];
    uint16_t values[3] = {insn->a, insn->b, insn->c};
    uint32_t imm = (uint32_t)insn->imm;
    switch (arc_operand_kind(info->operand[i])) {
    case ARC_OPD_NONE: break;
    case ARC_OPD_W:
    case ARC_OPD_R:
    case ARC_OPD_RW: put_register(d, body, values[i]); break;
    case ARC_OPD_R2: arc_dis_put(d, "r%u..r%u", values[i], values[i] + 1u); break;
    case ARC_OPD_R3: arc_dis_put(d, "r%u..r%u", values[i], values[i] + 2u); break;
    case ARC_OPD_RN: arc_dis_put(d, "r%u..", values[i]); break;
    case ARC_OPD_N: arc_dis_put(d, "%u", values[i]); break;
    case ARC_OPD_K:
        arc_dis_put(d, "%s", arc_dis_number(d, image->const_types[imm], image->consts[imm]));
        break;
    case ARC_OPD_STR: arc_dis_put(d, "%s", arc_dis_quoted(d, imm)); break;
    case ARC_OPD_SERIES:
        arc_dis_put(d, "series %u: %u %s", imm, image->series[imm].n,
                    telem_type_name((enum telem_type)image->series[imm].type));
        break;
    case ARC_OPD_CH: arc_dis_put(d, "%s", image->channels[imm].name); break;
    case ARC_OPD_FN: arc_dis_put(d, "function %u %s", imm, image->funcs[imm].name); break;
    case ARC_OPD_STATE: arc_dis_put(d, "slot %u", imm); break;
    case ARC_OPD_FMT: put_format(d, &image->formats[insn->c]); break;
    case ARC_OPD_J16: arc_dis_put(d, "@%d", (int)at + (int16_t)insn->c); break;
    case ARC_OPD_J32: arc_dis_put(d, "@%d", (int)at + insn->imm); break;
    }
}

static void put_insn(struct arc_dis *d, const struct arc_image_body *body, uint32_t at)
{
    const struct arc_insn *insn = &d->image->code[body->code.first + at];
    const struct arc_op_info *info = &arc_op_info[insn->op];
    bool has_operands = arc_operand_kind(info->operand[0]) != ARC_OPD_NONE ||
                        arc_operand_kind(info->operand[1]) != ARC_OPD_NONE;
    arc_dis_put(d, has_operands ? "%-12s" : "%s", info->name);
    bool is_first = true;
    for (uint32_t i = 0; i < 3; i++) {
        if (arc_operand_kind(info->operand[i]) == ARC_OPD_NONE)
            continue;
        arc_dis_put(d, is_first ? " " : ", ");
        put_operand(d, body, insn, at, i);
        is_first = false;
    }
}

const char *arc_dis_insn(const struct arc_image *image, const struct arc_image_body *body,
                         uint32_t at, struct base_arena *arena)
{
    struct arc_dis d = {.image = image, .arena = arena, .room = 128};
    d.text = base_arena_alloc(arena, d.room, 1);
    put_insn(&d, body, at);
    return d.text;
}

/* ---- Functions ---------------------------------------------------------------------------- */

/* The text of a line (from 1), without what stands around it. */
static void put_source_line(struct arc_dis *d, uint32_t line)
{
    if (d->source == NULL || d->source->text == NULL)
        return;
    const char *at = d->source->text;
    const char *end = at + d->source->len;
    for (uint32_t i = 1; i < line && at < end; i++) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        at = next == NULL ? end : next + 1;
    }
    const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : end;
    stop = stop == NULL ? end : stop;
    while (at < stop && (*at == ' ' || *at == '\t'))
        at++;
    arc_dis_put(d, "      %u: %.*s\n", line, (int)(stop - at), at);
}

static void put_body(struct arc_dis *d, const struct arc_image_body *body, const char *what)
{
    arc_dis_put(d, "    %s, %u registers\n", what, body->n_regs);
    uint32_t line = 0;
    for (uint32_t i = 0; i < body->code.n; i++) {
        uint32_t its_line = d->image->code_lines[body->code.first + i];
        if (its_line != line)
            put_source_line(d, its_line);
        line = its_line;
        arc_dis_put(d, "    %5u  ", i);
        put_insn(d, body, i);
        arc_dis_put(d, "\n");
    }
}

static void put_outputs(struct arc_dis *d, const struct arc_image_func *func)
{
    for (uint32_t i = 0; i < func->outputs.n; i++) {
        const struct arc_image_func_output *out = &d->image->func_outputs[func->outputs.first + i];
        arc_dis_put(d, "    output %u: %s", i, arc_dis_vt(d, out->type));
        if (out->reg != ARC_NO_REG)
            arc_dis_put(d, " in r%u", out->reg);
        if (out->flag_reg != ARC_NO_REG)
            arc_dis_put(d, " if r%u", out->flag_reg);
        if (func->batch.code.n != 0) {
            arc_dis_put(d, "; batch in r%u", out->batch_reg);
            if (out->batch_flag_reg != ARC_NO_REG)
                arc_dis_put(d, " if r%u", out->batch_flag_reg);
        }
        arc_dis_put(d, "\n");
    }
}

static void put_func(struct arc_dis *d, uint32_t id)
{
    const struct arc_image_func *func = &d->image->funcs[id];
    arc_dis_put(d, "  function %u %s(", id, func->name);
    for (uint32_t i = 0; i < func->args.n; i++)
        arc_dis_put(d, "%s%s", i == 0 ? "" : ", ",
                    arc_dis_vt(d, d->image->func_args[func->args.first + i]));
    arc_dis_put(d, ") %s  (line %u)\n", arc_dis_vt(d, func->result), func->line);
    if (func->state.n != 0)
        arc_dis_put(d, "    state: %u slots%s\n", func->state.n,
                    func->state_mode == ARC_STATE_SLOTS ? ", in memory" : "");
    put_outputs(d, func);
    put_body(d, &func->body, "body");
    if (func->batch.code.n != 0)
        put_body(d, &func->batch, "batch");
}

void arc_dis_code(struct arc_dis *d)
{
    if (d->image->n_funcs == 0)
        return;
    arc_dis_put(d, "\ncode\n");
    for (uint32_t i = 0; i < d->image->n_funcs; i++)
        put_func(d, i);
}
