#include "arc/dis_priv.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void arc_dis_put(struct arc_dis *d, const char *fmt, ...)
{
    for (;;) {
        va_list args;
        va_start(args, fmt);
        int n = vsnprintf(d->text + d->n, d->room - d->n, fmt, args);
        va_end(args);
        if (n < 0)
            return;
        if ((size_t)n < d->room - d->n) {
            d->n += (size_t)n;
            return;
        }
        char *grown = base_arena_alloc(d->arena, d->room * 2 + (size_t)n, 1);
        memcpy(grown, d->text, d->n + 1);
        d->room = d->room * 2 + (size_t)n;
        d->text = grown;
    }
}

const char *arc_dis_vt(struct arc_dis *d, uint8_t vt)
{
    if (vt == ARC_VT_NONE)
        return "nothing";
    const char *elem = telem_type_name((enum telem_type)arc_vt_elem(vt));
    if (arc_vt_is_series(vt))
        return base_arena_printf(d->arena, "series %s", elem);
    return arc_vt_is_chan(vt) ? base_arena_printf(d->arena, "chan %s", elem) : elem;
}

static const char *show_float(struct arc_dis *d, double value, int digits)
{
    const char *text = base_arena_printf(d->arena, "%.*g", digits, value);
    bool is_plain = strpbrk(text, ".eni") == NULL;
    return is_plain ? base_arena_printf(d->arena, "%s.0", text) : text;
}

const char *arc_dis_number(struct arc_dis *d, uint8_t type, union arc_reg value)
{
    if (type == TELEM_F64)
        return show_float(d, value.f64, 12);
    if (type == TELEM_F32)
        return show_float(d, (double)value.f32, 7);
    if (telem_type_is_signed((enum telem_type)type))
        return base_arena_printf(d->arena, "%" PRId64, value.i64);
    return base_arena_printf(d->arena, "%" PRIu64, value.u64);
}

const char *arc_dis_quoted(struct arc_dis *d, uint32_t string)
{
    enum { MOST = 40 };
    const struct arc_image_string *s = &d->image->strings[string];
    char out[4 * MOST + 8];
    size_t n = 0;
    out[n++] = '"';
    for (uint32_t i = 0; i < s->n && i < MOST; i++) {
        unsigned char c = (unsigned char)s->text[i];
        if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
            n += (size_t)snprintf(out + n, sizeof out - n, "\\x%02x", c);
        else
            out[n++] = (char)c;
    }
    snprintf(out + n, sizeof out - n, s->n > MOST ? "\"..." : "\"");
    return base_arena_strdup(d->arena, out);
}

const char *arc_dis_value(struct arc_dis *d, const struct arc_image_value *value)
{
    if (value->vt == ARC_VT_NONE)
        return "none";
    if (value->vt == TELEM_STR)
        return arc_dis_quoted(d, (uint32_t)value->reg.u64);
    if (arc_vt_is_chan(value->vt))
        return d->image->channels[value->reg.chan].name;
    return arc_dis_number(d, value->vt, value->reg);
}

static void put_channels(struct arc_dis *d)
{
    const struct arc_image *image = d->image;
    if (image->n_channels == 0)
        return;
    arc_dis_put(d, "\nchannels\n");
    for (uint32_t i = 0; i < image->n_channels; i++) {
        const struct arc_image_channel *c = &image->channels[i];
        arc_dis_put(d, "  %s %s%s%s%s", c->name, telem_type_name((enum telem_type)c->type),
                    c->source ? ", source" : "", c->reads && !c->source ? ", read" : "",
                    c->writes ? ", written" : "");
        if (c->authority >= 0)
            arc_dis_put(d, ", authority %d", c->authority);
        arc_dis_put(d, "\n");
    }
}

const char *arc_dis(const struct arc_image *image, const struct arc_source *source,
                    struct base_arena *arena)
{
    struct arc_dis d = {.image = image, .source = source, .arena = arena, .room = 4096};
    d.text = base_arena_alloc(arena, d.room, 1);
    arc_dis_put(&d, "program: %u nodes, %u edges, %u scopes, %u transitions, %u instructions\n",
                image->n_nodes, image->n_edges, image->n_scopes, image->n_transitions,
                image->n_code);
    arc_dis_put(&d,
                "memory: stack %u registers, state %u slots, batches %u columns, %u timers, "
                "authority %d\n",
                image->stack_regs, image->n_state, image->batch_regs, image->n_timers,
                image->default_authority);
    put_channels(&d);
    arc_dis_graph(&d);
    arc_dis_code(&d);
    return d.text;
}
