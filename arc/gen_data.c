/* Strings, constants, formats and series of the image, each kept once, and the hash table for it.
 */
#include "arc/gen_priv.h"

#include <stdarg.h>

struct arc_gen_slot {
    const void *key;
    size_t len;
    uint32_t hash;
    uint32_t index;
};

static uint32_t hash_bytes(const void *key, size_t len)
{
    const unsigned char *p = key;
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ p[i]) * 16777619u;
    return hash;
}

static struct arc_gen_slot *map_probe(const struct arc_gen_map *map, const void *key, size_t len,
                                      uint32_t hash)
{
    uint32_t at = hash & (map->n_slots - 1);
    while (map->slots[at].key != NULL &&
           (map->slots[at].hash != hash || map->slots[at].len != len ||
            memcmp(map->slots[at].key, key, len) != 0))
        at = (at + 1) & (map->n_slots - 1);
    return &map->slots[at];
}

static void map_grow(struct arc_gen *gen, struct arc_gen_map *map)
{
    struct arc_gen_map grown = {.n_slots = map->n_slots == 0 ? 64 : map->n_slots * 2,
                                .n_used = map->n_used};
    grown.slots = base_arena_array(gen->scratch, struct arc_gen_slot, grown.n_slots);
    for (uint32_t i = 0; i < map->n_slots; i++) {
        const struct arc_gen_slot *slot = &map->slots[i];
        if (slot->key != NULL)
            *map_probe(&grown, slot->key, slot->len, slot->hash) = *slot;
    }
    *map = grown;
}

/* The slot of the key; `is_new` when it has just been made and its index is to be set. The key must
 * live as long as the generator. */
static struct arc_gen_slot *map_slot(struct arc_gen *gen, struct arc_gen_map *map, const void *key,
                                     size_t len, bool *is_new)
{
    if (map->n_used * 2 >= map->n_slots)
        map_grow(gen, map);
    uint32_t hash = hash_bytes(key, len);
    struct arc_gen_slot *slot = map_probe(map, key, len, hash);
    *is_new = slot->key == NULL;
    if (*is_new) {
        *slot = (struct arc_gen_slot){.key = key, .len = len, .hash = hash};
        map->n_used++;
    }
    return slot;
}

void arc_gen_limit(struct arc_gen *gen, struct arc_span span, const char *fmt, ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    arc_diag_add(gen->diags, ARC_ERROR, ARC_CODE_NONE, span, "%s", text);
    gen->failed = true;
}

const char *arc_gen_name(struct arc_gen *gen, const char *name)
{
    return name == NULL ? "" : base_arena_strdup(&gen->image->arena, name);
}

uint32_t arc_gen_string(struct arc_gen *gen, const char *text, size_t len)
{
    struct arc_image *image = gen->image;
    bool is_new;
    /* An empty text may be a NULL pointer, which would mean a free slot. */
    struct arc_gen_slot *slot = map_slot(gen, &gen->string_map, len == 0 ? "" : text, len, &is_new);
    if (is_new) {
        slot->index = image->n_strings;
        char *copy = base_arena_alloc(&image->arena, len + 1, 1);
        if (len != 0)
            memcpy(copy, text, len);
        *ARC_APPEND(gen->scratch, image->strings, image->n_strings) =
            (struct arc_image_string){.text = copy, .n = (uint32_t)len};
    }
    return slot->index;
}

struct const_key {
    uint64_t bits;
    uint64_t type;
};

static uint32_t append_const(struct arc_gen *gen, enum telem_type type, union arc_reg value)
{
    struct arc_image *image = gen->image;
    uint32_t n_types = image->n_consts;
    *ARC_APPEND(gen->scratch, image->const_types, n_types) = (uint8_t)type;
    *ARC_APPEND(gen->scratch, image->consts, image->n_consts) = value;
    return image->n_consts - 1;
}

uint32_t arc_gen_const(struct arc_gen *gen, enum telem_type type, union arc_reg value)
{
    struct const_key *key = base_arena_new(gen->scratch, struct const_key);
    *key = (struct const_key){.bits = value.u64, .type = (uint64_t)type};
    bool is_new;
    struct arc_gen_slot *slot = map_slot(gen, &gen->const_map, key, sizeof *key, &is_new);
    if (is_new)
        slot->index = append_const(gen, type, value);
    return slot->index;
}

uint32_t arc_gen_format(struct arc_gen *gen, const struct arc_fmt_spec *spec)
{
    struct arc_image *image = gen->image;
    char *key =
        base_arena_printf(gen->scratch, "%c%d%d%d%d%d %d.%d", spec->verb, spec->alt, spec->plus,
                          spec->space, spec->left, spec->zero, spec->width, spec->precision);
    bool is_new;
    struct arc_gen_slot *slot = map_slot(gen, &gen->format_map, key, strlen(key), &is_new);
    if (is_new) {
        slot->index = image->n_formats;
        *ARC_APPEND(gen->scratch, image->formats, image->n_formats) = (struct arc_image_format){
            .verb = spec->verb,
            .sharp = spec->alt,
            .plus = spec->plus,
            .space = spec->space,
            .minus = spec->left,
            .zero = spec->zero,
            .width = spec->width,
            .precision = spec->precision,
        };
    }
    return slot->index;
}

uint32_t arc_gen_series(struct arc_gen *gen, enum telem_type type, const union arc_reg *values,
                        uint32_t n)
{
    struct arc_image *image = gen->image;
    void *data = base_arena_alloc_array(&image->arena, n, telem_type_size(type), 8);
    for (uint32_t i = 0; i < n; i++) {
        union telem_value value;
        memcpy(&value, &values[i], sizeof value);
        telem_store(type, data, i, value);
    }
    *ARC_APPEND(gen->scratch, image->series, image->n_series) =
        (struct arc_image_series){.type = (uint8_t)type, .n = n, .data = data};
    return image->n_series - 1;
}

union arc_reg arc_gen_number(const struct arc_value *value)
{
    union arc_reg reg = {.u64 = 0}; /* the upper half of an f32 is compared when it is interned */
    if (value->type.prim == TELEM_F32)
        reg.f32 = value->number.f32;
    else
        reg.u64 = value->number.u64;
    return reg;
}

uint8_t arc_gen_vt(struct arc_type type)
{
    switch (type.shape) {
    case ARC_SHAPE_SCALAR: return (uint8_t)type.prim;
    case ARC_SHAPE_SERIES: return (uint8_t)(ARC_VT_SERIES | type.prim);
    case ARC_SHAPE_CHAN: return (uint8_t)(ARC_VT_CHAN | type.prim);
    default: return ARC_VT_NONE;
    }
}

struct arc_image_value arc_gen_value(struct arc_gen *gen, const struct arc_value *value)
{
    struct arc_image_value out = {.vt = arc_gen_vt(value->type)};
    if (out.vt == TELEM_STR)
        out.reg.u64 = arc_gen_string(gen, value->str, value->str_len);
    else if (out.vt != ARC_VT_NONE)
        out.reg = arc_gen_number(value);
    return out;
}
