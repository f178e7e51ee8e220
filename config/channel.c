#include "config/channel.h"

#include "config/doc_priv.h"
#include "config/reader_priv.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- One declaration */

/* What stands in the file, before the rules make a telem_chan_decl of it. */
struct fields {
    enum telem_type type;
    const char *index, *unit, *desc;
    bool has_is_index, is_index;
    bool is_virtual;
    bool has_persist, persist;
    bool has_min, has_max, has_dead_band;
    double min, max, dead_band;
    bool has_initial;
};

static const char *type_name(const void *ctx, uint32_t i)
{
    (void)ctx;
    return telem_type_name((enum telem_type)i);
}

static bool read_type(struct config_at at, struct base_arena *arena,
                      const struct config_field *field, void *out)
{
    (void)field;
    const char *all = config_names_text(arena, type_name, NULL, TELEM_TYPE_COUNT);
    if (config_type(at) != CONFIG_JSON_STR)
        return config_error(at, "must be a string: one of %s", all);
    enum telem_type type = telem_type_from_name(config_text(at));
    *(enum telem_type *)out = type;
    if (type != TELEM_TYPE_COUNT)
        return true;
    return config_error(at, "unknown data type '%s'; known here: %s", config_text(at), all);
}

/* The value itself is read when the type is known. */
static bool note_initial(struct config_at at, struct base_arena *arena,
                         const struct config_field *field, void *out)
{
    (void)at;
    (void)arena;
    (void)field;
    *(bool *)out = true;
    return true;
}

#define IN(member) CONFIG_IN(struct fields, member)
#define GIVEN(member) .given = CONFIG_GIVEN(struct fields, member)

static const struct config_field channel_fields[] = {
    {"type", CONFIG_CUSTOM, IN(type), .required = true, .read = read_type, .shape = "text",
     .doc = "Data type of a sample: `i8` `i16` `i32` `i64` `u8` `u16` `u32` `u64` `f32` `f64` "
            "`str` `timestamp` (ns since 1970)."},
    {"index", CONFIG_STR, IN(index), .min_len = 1,
     .doc = "Channel of type timestamp that carries this one's timestamps."},
    {"is_index", CONFIG_BOOL, IN(is_index), GIVEN(has_is_index),
     .otherwise = "true when a channel names it as its index",
     .doc = "The channel carries timestamps of others; it must have type timestamp and no index."},
    {"virtual", CONFIG_BOOL, IN(is_virtual), .fallback = "false",
     .doc = "Live only: no index, never stored, each write is stamped on arrival. Commands are "
            "virtual channels."},
    {"persist", CONFIG_BOOL, IN(persist), GIVEN(has_persist), .otherwise = "true unless virtual",
     .doc = "Store the samples, when the task that writes them has data_saving."},
    {"unit", CONFIG_STR, IN(unit), .fallback = "", .max_len = 64, .doc = "For display."},
    {"desc", CONFIG_STR, IN(desc), .fallback = "", .max_len = 1024, .doc = "For people."},
    {"min", CONFIG_NUM, IN(min), GIVEN(has_min),
     .doc = "Smaller samples are passed on with a warning, once per excursion."},
    {"max", CONFIG_NUM, IN(max), GIVEN(has_max),
     .doc = "Larger samples are passed on with a warning, once per excursion."},
    {"initial", CONFIG_CUSTOM, IN(has_initial), .read = note_initial, .shape = "number or text",
     .doc = "Value that a program sees before the first sample; of a virtual channel it is "
            "published once at start."},
    {"dead_band", CONFIG_NUM, IN(dead_band), GIVEN(has_dead_band), .fallback = "0",
     .limits = CONFIG_FROM(0),
     .doc = "Virtual channels only: a write that moves the value less is left out."},
};

const struct config_table config_channel_table =
    CONFIG_TABLE("Channels", struct fields, channel_fields);

/* ---- The initial value */

static bool int_fits(enum telem_type type, int64_t value)
{
    unsigned bits = 8 * (unsigned)telem_type_size(type);
    if (type == TELEM_TIMESTAMP || type == TELEM_I64)
        return true;
    if (telem_type_is_signed(type))
        return value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << (bits - 1);
    return value >= 0 && (bits == 64 || value < INT64_C(1) << bits);
}

static bool initial_fits(struct config_at at, struct telem_chan_decl *decl)
{
    enum config_json json = config_type(at);
    if (decl->type == TELEM_STR)
        return json == CONFIG_JSON_STR;
    if (telem_type_is_float(decl->type)) {
        if (json != CONFIG_JSON_INT && json != CONFIG_JSON_REAL)
            return false;
        double value = config_num(at);
        decl->initial = telem_from_f64(decl->type, value);
        return decl->type == TELEM_F64 || fabs(value) <= (double)FLT_MAX;
    }
    if (json != CONFIG_JSON_INT || !int_fits(decl->type, config_int(at)))
        return false;
    decl->initial.i64 = config_int(at);
    return true;
}

static bool read_initial(struct config_at at, struct base_arena *arena,
                         struct telem_chan_decl *decl)
{
    if (!initial_fits(at, decl))
        return config_error(at, "does not fit type %s", telem_type_name(decl->type));
    decl->has_initial = true;
    if (decl->type == TELEM_STR)
        decl->initial_str = base_arena_strdup(arena, config_text(at));
    return true;
}

/* ---- Rules within one declaration */

static bool check_index_channel(struct config_at at, const struct fields *f)
{
    if (f->type != TELEM_TIMESTAMP)
        return config_error(config_member(at, "is_index"),
                            "an index channel must have type timestamp");
    if (f->index != NULL)
        return config_error(config_member(at, "index"), "an index channel cannot have an index");
    if (f->is_virtual)
        return config_error(config_member(at, "virtual"), "an index channel cannot be virtual");
    return true;
}

static bool check_virtual(struct config_at at, const struct fields *f)
{
    bool ok = true;
    if (f->index != NULL)
        ok = config_error(config_member(at, "index"), "a virtual channel cannot have an index");
    if (f->persist)
        ok = config_error(config_member(at, "persist"), "a virtual channel cannot be persisted");
    return ok;
}

static bool check_numbers(struct config_at at, const struct fields *f)
{
    if (f->type == TELEM_STR && (f->has_min || f->has_max))
        return config_error(config_member(at, f->has_min ? "min" : "max"),
                            "a channel of type str has no limits");
    if (f->has_min && f->has_max && !(f->min < f->max))
        return config_error(config_member(at, "min"), "min must be less than max");
    return true;
}

/* Without index, a data channel has nothing that its stored samples could be stamped with. */
static void settle_live_only(struct config_at at, struct fields *f)
{
    if (f->index != NULL || f->is_virtual || f->is_index)
        return;
    if (f->type == TELEM_TIMESTAMP) {
        f->is_index = !f->has_is_index;
        return;
    }
    config_warn(at, "has no index, so it is live only: give an index, or say \"virtual\": true");
    f->is_virtual = true;
}

static bool check_rules(struct config_at at, struct fields *f)
{
    bool ok = check_numbers(at, f);
    if (f->is_index)
        ok = check_index_channel(at, f) && ok;
    settle_live_only(at, f);
    if (f->is_virtual)
        ok = check_virtual(at, f) && ok;
    else if (f->dead_band > 0)
        ok = config_error(config_member(at, "dead_band"), "only a virtual channel has a dead band");
    return ok;
}

static bool check_channel_name(struct config_at at, const char *name)
{
    if (!telem_name_is_legal(name))
        return config_error(at,
                            "a name has letters, digits and _, does not start with a digit, and "
                            "is at most %d long",
                            TELEM_NAME_MAX);
    if (strncmp(name, "arcd_", 5) == 0)
        return config_error(at, "name '%s' is reserved", name);
    return true;
}

static bool read_channel(struct config_at at, struct base_arena *arena, const char *name,
                         struct config_channel *channel)
{
    struct fields f;
    bool ok = check_channel_name(at, name);
    bool readable = config_read(at, arena, &config_channel_table, &f);
    ok = readable && check_rules(at, &f) && ok;
    channel->decl = (struct telem_chan_decl){
        .name = base_arena_strdup(arena, name),
        .type = f.type,
        .index = TELEM_NO_KEY,
        .is_index = f.is_index,
        .is_virtual = f.is_virtual,
        .persist = f.has_persist ? f.persist : !f.is_virtual,
        .unit = f.unit,
        .desc = f.desc,
        .min = f.has_min ? f.min : -INFINITY,
        .max = f.has_max ? f.max : INFINITY,
        .dead_band = f.dead_band,
    };
    channel->index = f.index;
    channel->canonical = config_canonical(at, arena);
    if (readable && f.has_initial)
        ok = read_initial(config_member(at, "initial"), arena, &channel->decl) && ok;
    channel->broken = !ok;
    return ok;
}

/* ---- All declarations */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct config_channel *)a)->decl.name,
                  ((const struct config_channel *)b)->decl.name);
}

const struct config_channel *config_channels_find(const struct config_channels *channels,
                                                  const char *name)
{
    const struct config_channel wanted = {.decl.name = name};
    if (channels->n == 0)
        return NULL;
    return bsearch(&wanted, channels->v, channels->n, sizeof(wanted), by_name);
}

static const char *channel_name(const void *ctx, uint32_t i)
{
    return ((const struct config_channels *)ctx)->v[i].decl.name;
}

/* " (did you mean 'x'?)" or "". */
static const char *suggestion(const struct config_channels *channels, struct config_at at,
                              const char *name)
{
    const char *nearest = config_nearest(name, channel_name, channels, channels->n);
    return nearest == NULL ? ""
                           : base_arena_printf(&at.doc->arena, " (did you mean '%s'?)", nearest);
}

const struct config_channel *config_channels_need(const struct config_channels *channels,
                                                  struct config_at at, const char *name)
{
    const struct config_channel *channel = config_channels_find(channels, name);
    if (channel == NULL)
        config_error(at, "channel '%s' is not declared%s", name, suggestion(channels, at, name));
    return channel;
}

/* The index of one channel: declared, of the right type, and itself without one. */
static bool check_index(struct config_at at, const struct config_channels *channels,
                        const struct config_channel *channel, struct config_channel *index)
{
    struct config_at here = config_member(config_member(at, channel->decl.name), "index");
    if (index == NULL)
        return config_error(here, "index '%s' is not declared%s", channel->index,
                            suggestion(channels, here, channel->index));
    if (index->broken)
        return false;
    if (index->decl.type != TELEM_TIMESTAMP)
        return config_error(here, "index '%s' must have type timestamp", channel->index);
    struct config_at there = config_member(at, index->decl.name);
    if (index->index != NULL)
        return config_error(config_member(there, "index"), "an index channel cannot have an index");
    if (index->decl.is_virtual)
        return config_error(config_member(there, "virtual"), "an index channel cannot be virtual");
    struct config_at is_index = config_member(there, "is_index");
    if (!index->decl.is_index && config_type(is_index) == CONFIG_JSON_BOOL)
        return config_error(is_index, "must not be false: '%s' has it as its index",
                            channel->decl.name);
    index->decl.is_index = true;
    return true;
}

static bool check_indexes(struct config_at at, struct config_channel *v, uint32_t n)
{
    struct config_channels channels = {v, n};
    bool ok = true;
    for (uint32_t i = 0; i < n; i++) {
        if (v[i].index == NULL)
            continue;
        const struct config_channel *index = config_channels_find(&channels, v[i].index);
        ok = check_index(at, &channels, &v[i], index == NULL ? NULL : &v[index - v]) && ok;
    }
    return ok;
}

bool config_channels_read(struct config_at at, struct base_arena *arena,
                          struct config_channels *channels)
{
    *channels = (struct config_channels){0};
    if (config_type(at) == CONFIG_JSON_ABSENT)
        return true;
    if (config_type(at) != CONFIG_JSON_OBJECT)
        return config_error(at, "must be an object");
    if (config_count(at) > TELEM_CHAN_MAX)
        return config_error(at, "must have at most %d channels", TELEM_CHAN_MAX);
    struct config_channel *v = base_arena_array(arena, struct config_channel, config_count(at));
    uint32_t n = 0;
    bool ok = true;
    const char *name;
    struct config_at member;
    for (void *iter = NULL; config_next_member(at, &iter, &name, &member);) {
        ok = read_channel(member, arena, name, &v[n++]) && ok;
    }
    qsort(v, n, sizeof(*v), by_name);
    ok = check_indexes(at, v, n) && ok;
    *channels = (struct config_channels){v, n};
    return ok;
}

/* ---- Into the table of channels */

static bool same_text(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

static bool same_decl(const struct telem_chans *chans, const struct config_channel *channel,
                      const struct telem_chan_decl *old)
{
    const struct telem_chan_decl *new = &channel->decl;
    const char *old_index =
        telem_key_valid(old->index) ? telem_chans_name(chans, old->index) : NULL;
    return old->type == new->type && old->is_index == new->is_index &&
           old->is_virtual == new->is_virtual && old->persist == new->persist &&
           old->min == new->min && old->max == new->max && old->dead_band == new->dead_band &&
           old->has_initial == new->has_initial &&
           old->initial.i64 == new->initial.i64 &&same_text(old->initial_str, new->initial_str) &&
           same_text(old->unit, new->unit) && same_text(old->desc, new->desc) &&
           same_text(old_index, channel->index);
}

static enum arcd_err check_old(const struct config_channels *channels, struct telem_chans *chans,
                               struct arcd_errinfo *why)
{
    for (uint32_t i = 0; i < channels->n; i++) {
        const char *name = channels->v[i].decl.name;
        struct telem_key key = telem_chans_find(chans, name);
        if (telem_key_valid(key) &&
            !same_decl(chans, &channels->v[i], telem_chans_decl(chans, key)))
            return arcd_fail(why, ARCD_ERR_STATE, 0,
                             "channel '%s' has changed; restart the Driver to use the new "
                             "declaration",
                             name);
    }
    return ARCD_OK;
}

enum arcd_err config_channels_declare(const struct config_channels *channels,
                                      struct telem_chans *chans, struct arcd_errinfo *why)
{
    enum arcd_err err = check_old(channels, chans, why);
    if (err != ARCD_OK)
        return err;
    for (uint32_t i = 0; i < channels->n; i++) {
        struct telem_key key;
        if (telem_key_valid(telem_chans_find(chans, channels->v[i].decl.name)))
            continue;
        err = telem_chans_add(chans, &channels->v[i].decl, &key, why);
        if (err != ARCD_OK)
            return err;
    }
    for (uint32_t i = 0; i < channels->n; i++) {
        const struct config_channel *channel = &channels->v[i];
        if (channel->index == NULL)
            continue;
        struct telem_key key = telem_chans_find(chans, channel->decl.name);
        if (!telem_key_valid(telem_chans_decl(chans, key)->index))
            telem_chans_set_index(chans, key, telem_chans_find(chans, channel->index));
    }
    return ARCD_OK;
}
