#include "arc/verify_priv.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool arc_verify_bad(struct arc_verify *v, const char *fmt, ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    arcd_fail(v->why, ARCD_ERR_PROGRAM, 0, "%s", text);
    return false;
}

bool arc_verify_in(struct arc_image_range range, uint32_t size)
{
    return range.first <= size && range.n <= size - range.first;
}

bool arc_verify_is_type(uint8_t vt)
{
    return vt <= TELEM_STR;
}

bool arc_verify_is_sample(uint8_t vt)
{
    return arc_verify_is_type(vt) || (arc_vt_is_series(vt) && arc_vt_elem(vt) <= TELEM_STR);
}

bool arc_verify_is_vt(uint8_t vt)
{
    return arc_verify_is_sample(vt) || (arc_vt_is_chan(vt) && arc_vt_elem(vt) <= TELEM_STR);
}

static bool check_data(struct arc_verify *v)
{
    const struct arc_image *image = v->image;
    for (uint32_t i = 0; i < image->n_consts; i++)
        if (image->const_types[i] >= TELEM_STR)
            return arc_verify_bad(v, "constant %u is no number", i);
    if (image->n_strings == 0 || image->strings[0].n != 0)
        return arc_verify_bad(v, "string 0 is not empty");
    for (uint32_t i = 0; i < image->n_strings; i++)
        if (image->strings[i].text == NULL)
            return arc_verify_bad(v, "string %u has no text", i);
    for (uint32_t i = 0; i < image->n_series; i++)
        if (image->series[i].type >= TELEM_STR || image->series[i].data == NULL)
            return arc_verify_bad(v, "series %u has a wrong type", i);
    return true;
}

static bool is_format(const struct arc_image_format *format)
{
    return format->verb != 0 && strchr("dboOxXcfeEgGsq", format->verb) != NULL &&
           format->width >= 0 && format->width <= ARC_MAX_FORMAT && format->precision >= -1 &&
           format->precision <= ARC_MAX_FORMAT;
}

bool arc_verify_data(struct arc_verify *v)
{
    const struct arc_image *image = v->image;
    if (!check_data(v))
        return false;
    for (uint32_t i = 0; i < image->n_formats; i++)
        if (!is_format(&image->formats[i]))
            return arc_verify_bad(v, "format %u is wrong", i);
    for (uint32_t i = 0; i < image->n_channels; i++) {
        const struct arc_image_channel *channel = &image->channels[i];
        if (channel->type >= TELEM_TYPE_COUNT || channel->name == NULL || channel->authority < -1 ||
            channel->authority > 255)
            return arc_verify_bad(v, "channel %u is wrong", i);
    }
    if (image->default_authority < 0 || image->default_authority > 255)
        return arc_verify_bad(v, "the default authority is not 0 to 255");
    return true;
}

enum arcd_err arc_verify(const struct arc_image *image, struct arcd_errinfo *why)
{
    struct arc_verify v = {.image = image, .why = why};
    base_arena_init(&v.scratch);
    bool is_good = arc_verify_data(&v) && arc_verify_funcs(&v) && arc_verify_code(&v) &&
                   arc_verify_graph(&v) && arc_verify_nodes(&v);
    base_arena_fini(&v.scratch);
    return is_good ? ARCD_OK : ARCD_ERR_PROGRAM;
}
