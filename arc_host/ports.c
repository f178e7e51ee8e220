#include "arc_host/ports.h"

#include "arc/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_ROWS = 256, /* of a frame: room for publishers that come later */
    MOST_ROWS = 4096,
    BATCH_ROWS = 64, /* of a written batch: an ordinary cycle's samples of one channel */
    TEXT_BYTES = 64 * 1024,
    NAMES_IN_A_REPORT = 4,
};

struct arc_host_ports {
    struct base_arena arena;
    const struct arc_image *image;
    struct telem_bus *bus;
    struct arc_host_program *program;
    struct telem_pub *pub; /* NULL: writes nothing, or released */
    struct telem_sub *sub; /* NULL: reads nothing */

    /* Maps between the image's channels and the bus. */
    struct telem_key *read_keys; /* by place in the subscriber's list */
    uint32_t n_read;
    uint32_t *channel_of_key; /* by key; ARC_NONE: not read */
    uint32_t n_keys;
    uint32_t n_written;
    uint32_t *column_of_channel; /* in the publisher's batch; ARC_NONE: not written */
    bool *has_index;             /* by channel: its samples bring their own times */
    uint64_t *reported_drops;    /* by place in read_keys */
    uint64_t *drops;             /* scratch of the same length */

    /* The batch in work. */
    struct {
        const struct telem_batch *batch;
        struct arc_host_column *columns, *piece; /* by column, n_channels each */
        struct arc_host_frame frame;             /* of the whole batch */
        uint32_t rows, rows_done, max_rows;
    } rt;
    _Atomic uint64_t refused;
};

/* ---- Opening */

static bool is_read(const struct arc_image_channel *chan)
{
    return chan->reads || chan->source;
}

static enum arcd_err check_channel(const struct arc_image_channel *chan,
                                   const struct telem_chans *chans, const char *name,
                                   struct arcd_errinfo *why)
{
    struct telem_key key = telem_chans_find(chans, chan->name);
    if (!telem_key_valid(key))
        return arcd_fail(why, ARCD_ERR_NOTFOUND, 0, "%s: channel '%s' is not declared", name,
                         chan->name);
    enum telem_type type = telem_chans_decl(chans, key)->type;
    if (type != (enum telem_type)chan->type)
        return arcd_fail(
            why, ARCD_ERR_PROGRAM, 0,
            "%s: channel '%s' is %s, the program was compiled for %s: compile it again", name,
            chan->name, telem_type_name(type), telem_type_name((enum telem_type)chan->type));
    return ARCD_OK;
}

enum arcd_err arc_host_ports_check(const struct arc_image *image, const struct telem_chans *chans,
                                   const char *name, struct arcd_errinfo *why)
{
    for (uint32_t i = 0; i < image->n_channels; i++) {
        enum arcd_err err = check_channel(&image->channels[i], chans, name, why);
        if (err != ARCD_OK)
            return err;
    }
    return ARCD_OK;
}

static void make_maps(struct arc_host_ports *ports, const struct telem_chans *chans)
{
    const struct arc_image *image = ports->image;
    struct base_arena *arena = &ports->arena;
    ports->n_keys = telem_chans_count(chans);
    ports->channel_of_key = base_arena_array(arena, uint32_t, ports->n_keys);
    ports->column_of_channel = base_arena_array(arena, uint32_t, image->n_channels);
    ports->has_index = base_arena_array(arena, bool, image->n_channels);
    ports->read_keys = base_arena_array(arena, struct telem_key, image->n_channels);
    ports->reported_drops = base_arena_array(arena, uint64_t, image->n_channels);
    ports->drops = base_arena_array(arena, uint64_t, image->n_channels);
    ports->rt.columns = base_arena_array(arena, struct arc_host_column, image->n_channels);
    ports->rt.piece = base_arena_array(arena, struct arc_host_column, image->n_channels);
    for (uint32_t k = 0; k < ports->n_keys; k++)
        ports->channel_of_key[k] = ARC_NONE;
    for (uint32_t i = 0; i < image->n_channels; i++) {
        struct telem_key key = telem_chans_find(chans, image->channels[i].name);
        ports->column_of_channel[i] = ARC_NONE;
        ports->has_index[i] = telem_key_valid(telem_chans_decl(chans, key)->index);
        if (!is_read(&image->channels[i]))
            continue;
        ports->channel_of_key[key.v] = i;
        ports->read_keys[ports->n_read++] = key;
    }
}

static uint8_t authority_of(const struct arc_image *image, const struct arc_image_channel *chan,
                            uint8_t otherwise)
{
    if (chan->authority >= 0)
        return (uint8_t)chan->authority;
    /* An image says 255 as well when its program names no default. */
    return image->default_authority == UINT8_MAX ? otherwise : (uint8_t)image->default_authority;
}

static enum arcd_err open_pub(struct arc_host_ports *ports, const struct arc_host_ports_opts *opts,
                              struct arcd_errinfo *why)
{
    const struct arc_image *image = ports->image;
    const struct telem_chans *chans = telem_bus_chans(opts->bus);
    struct telem_key *keys = base_arena_array(&ports->arena, struct telem_key, image->n_channels);
    uint8_t *authorities = base_arena_array(&ports->arena, uint8_t, image->n_channels);
    uint32_t n = 0;
    bool text = false;
    for (uint32_t i = 0; i < image->n_channels; i++) {
        const struct arc_image_channel *chan = &image->channels[i];
        if (!chan->writes)
            continue;
        keys[n] = telem_chans_find(chans, chan->name);
        authorities[n] = authority_of(image, chan, opts->authority);
        text = text || chan->type == TELEM_STR;
        ports->column_of_channel[i] = n++;
    }
    ports->n_written = n;
    if (n == 0)
        return ARCD_OK;
    struct telem_pub_opts pub = {
        .name = opts->name,
        .keys = keys,
        .n_keys = n,
        .max_rows = BATCH_ROWS,
        .text_bytes = text ? TEXT_BYTES : 0,
        .gated = true,
        .authorities = authorities,
    };
    return telem_pub_open(opts->bus, &pub, &ports->pub, why);
}

static enum arcd_err open_sub(struct arc_host_ports *ports, const struct arc_host_ports_opts *opts,
                              struct arcd_errinfo *why)
{
    if (ports->n_read == 0)
        return ARCD_OK;
    struct telem_sub_opts sub = {
        .name = opts->name,
        .keys = ports->read_keys,
        .n_keys = ports->n_read,
        .queue = opts->queue,
        .bell = opts->bell,
    };
    return telem_sub_open(opts->bus, &sub, &ports->sub, why);
}

static uint32_t clamp(uint32_t n, uint32_t least, uint32_t most)
{
    return n < least ? least : n > most ? most : n;
}

static enum arcd_err make_program(struct arc_host_ports *ports,
                                  const struct arc_host_ports_opts *opts, struct arcd_errinfo *why)
{
    struct arc_host_options options = {0};
    uint32_t rows = 1, text_bytes = 0;
    if (opts->program != NULL)
        options = *opts->program;
    if (ports->sub != NULL)
        telem_sub_limits(ports->sub, &rows, &text_bytes);
    if (options.max_rows == 0)
        options.max_rows = clamp(rows, LEAST_ROWS, MOST_ROWS);
    if (options.max_text == 0 && text_bytes > TEXT_BYTES)
        options.max_text = text_bytes;
    enum arcd_err err = arc_host_program_new(ports->image, &options, &ports->program, why);
    if (err == ARCD_OK)
        ports->rt.max_rows = arc_host_program_options(ports->program)->max_rows;
    return err;
}

/* The program begins with what the channels hold now. */
static void preset_channels(struct arc_host_ports *ports, const struct arc_host_ports_opts *opts)
{
    const struct telem_chans *chans = telem_bus_chans(opts->bus);
    for (uint32_t c = 0; opts->newest != NULL && c < ports->image->n_channels; c++) {
        struct telem_key key = telem_chans_find(chans, ports->image->channels[c].name);
        union telem_value value;
        if (ports->image->channels[c].type != TELEM_STR &&
            opts->newest(opts->newest_ctx, key, &value))
            arc_host_program_preset(ports->program, c, value);
    }
}

enum arcd_err arc_host_ports_open(const struct arc_host_ports_opts *opts,
                                  struct arc_host_ports **out, struct arcd_errinfo *why)
{
    const struct telem_chans *chans = telem_bus_chans(opts->bus);
    enum arcd_err err = arc_host_ports_check(opts->image, chans, opts->name, why);
    if (err != ARCD_OK)
        return err;
    struct arc_host_ports *ports = calloc(1, sizeof *ports);
    if (ports == NULL)
        return arcd_fail(why, ARCD_ERR_NOMEM, 0, "%s: out of memory", opts->name);
    base_arena_init(&ports->arena);
    ports->image = opts->image;
    ports->bus = opts->bus;
    make_maps(ports, chans);
    err = open_pub(ports, opts, why);
    if (err == ARCD_OK)
        err = open_sub(ports, opts, why);
    if (err == ARCD_OK)
        err = make_program(ports, opts, why);
    if (err == ARCD_OK)
        preset_channels(ports, opts);
    if (err != ARCD_OK) {
        arc_host_ports_close(ports);
        return err;
    }
    *out = ports;
    return ARCD_OK;
}

void arc_host_ports_release_writers(struct arc_host_ports *ports)
{
    telem_pub_close(ports->pub);
    ports->pub = NULL;
}

void arc_host_ports_close(struct arc_host_ports *ports)
{
    if (ports == NULL)
        return;
    arc_host_ports_release_writers(ports);
    telem_batch_release(ports->rt.batch);
    telem_sub_close(ports->sub);
    arc_host_program_free(ports->program);
    base_arena_fini(&ports->arena);
    free(ports);
}

ARCD_RT struct arc_host_program *arc_host_ports_program(struct arc_host_ports *ports)
{
    return ports->program;
}

/* ---- In */

/* The columns of a batch that the program reads. */
ARCD_RT static void view_batch(struct arc_host_ports *ports, const struct telem_batch *batch)
{
    const struct telem_group *group = batch->group;
    uint32_t n = 0, rows = 0;
    for (uint32_t c = 0; c < group->n_cols; c++) {
        uint32_t key = group->cols[c].key.v, n_rows = batch->cols[c].n;
        uint32_t channel = key < ports->n_keys ? ports->channel_of_key[key] : ARC_NONE;
        if (channel == ARC_NONE || n_rows == 0)
            continue;
        ports->rt.columns[n] = (struct arc_host_column){
            .channel = channel,
            .n = n_rows,
            .data = telem_batch_col_const(batch, c),
            .times = ports->has_index[channel] ? telem_batch_times_const(batch, c) : NULL,
            .text = (const char *)batch + batch->text_off,
        };
        n++;
        rows = n_rows > rows ? n_rows : rows;
    }
    ports->rt.frame = (struct arc_host_frame){ports->rt.columns, n};
    ports->rt.rows = rows;
    ports->rt.rows_done = 0;
}

/* False when no batch with anything to read waits. */
ARCD_RT static bool take_batch(struct arc_host_ports *ports)
{
    while (ports->sub != NULL && ports->rt.batch == NULL) {
        ports->rt.batch = telem_sub_next(ports->sub);
        if (ports->rt.batch == NULL)
            return false;
        view_batch(ports, ports->rt.batch);
        if (ports->rt.rows == 0)
            arc_host_ports_done(ports);
    }
    return ports->rt.batch != NULL;
}

ARCD_RT bool arc_host_ports_next(struct arc_host_ports *ports, struct arc_host_frame *frame)
{
    if (!take_batch(ports))
        return false;
    if (ARCD_LIKELY(ports->rt.rows <= ports->rt.max_rows))
        *frame = ports->rt.frame;
    else
        *frame = arc_host_frame_piece(&ports->rt.frame, ports->program, ports->rt.rows_done,
                                      ports->rt.max_rows, ports->rt.piece);
    return true;
}

ARCD_RT void arc_host_ports_done(struct arc_host_ports *ports)
{
    ports->rt.rows_done += ports->rt.max_rows;
    if (ports->rt.rows_done < ports->rt.rows)
        return;
    telem_batch_release(ports->rt.batch);
    ports->rt.batch = NULL;
}

ARCD_RT bool arc_host_ports_ready(struct arc_host_ports *ports)
{
    return ports->rt.batch != NULL || (ports->sub != NULL && telem_sub_ready(ports->sub));
}

ARCD_RT void arc_host_ports_refused(struct arc_host_ports *ports,
                                    const struct arc_host_frame *frame)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < frame->n_columns; i++)
        n += frame->columns[i].n;
    atomic_fetch_add_explicit(&ports->refused, n, memory_order_relaxed);
}

/* ---- Out */

ARCD_RT static bool append(const struct arc_host_ports *ports, struct telem_batch *batch,
                           const struct arc_host_write *write)
{
    uint32_t column = ports->column_of_channel[write->channel];
    if (batch->group->cols[column].type == TELEM_STR)
        return telem_batch_append_str(batch, column, write->bytes, write->len, write->time_utc_ns);
    return telem_batch_append(batch, column, write->number, write->time_utc_ns);
}

/* Appends the write, in a new batch when this one has no room. NULL when there is no batch. */
ARCD_RT static struct telem_batch *put(struct arc_host_ports *ports, struct telem_batch *batch,
                                       const struct arc_host_write *write)
{
    if (ARCD_LIKELY(batch != NULL && append(ports, batch, write)))
        return batch;
    if (batch != NULL)
        telem_pub_publish(ports->pub, batch);
    batch = telem_pub_borrow(ports->pub);
    if (batch == NULL || !append(ports, batch, write))
        telem_pub_count_lost(ports->pub, ports->column_of_channel[write->channel], 1);
    return batch;
}

ARCD_RT void arc_host_ports_send(struct arc_host_ports *ports)
{
    const struct arc_host_outputs *out = arc_host_program_outputs(ports->program);
    if (ports->pub == NULL)
        return;
    for (uint32_t i = 0; i < out->n_authority; i++)
        telem_pub_set_authority(ports->pub, ports->column_of_channel[out->authority[i].channel],
                                out->authority[i].value);
    struct telem_batch *batch = NULL;
    for (uint32_t i = 0; i < out->n_writes; i++)
        batch = put(ports, batch, &out->writes[i]);
    if (batch != NULL)
        telem_pub_publish(ports->pub, batch);
}

ARCD_RT void arc_host_ports_yield(struct arc_host_ports *ports)
{
    if (ports->pub == NULL)
        return;
    for (uint32_t c = 0; c < ports->n_written; c++)
        telem_pub_set_authority(ports->pub, c, 0);
}

/* ---- Counters */

void arc_host_ports_get_counts(const struct arc_host_ports *ports,
                               struct arc_host_ports_counts *counts)
{
    struct telem_pub_stats stats = {0};
    if (ports->pub != NULL)
        telem_pub_get_stats(ports->pub, &stats);
    *counts = (struct arc_host_ports_counts){
        .dropped = ports->sub != NULL ? telem_sub_dropped(ports->sub, NULL) : 0,
        .refused = atomic_load_explicit(&ports->refused, memory_order_relaxed),
        .sent = stats.samples,
        .lost = stats.lost,
        .withheld = stats.withheld,
    };
}

void arc_host_ports_describe_drops(struct arc_host_ports *ports, char *text, size_t size)
{
    text[0] = '\0';
    if (ports->sub == NULL)
        return;
    size_t used = 0;
    uint32_t named = 0, more = 0;
    (void)telem_sub_dropped(ports->sub, ports->drops);
    for (uint32_t i = 0; i < ports->n_read; i++) {
        uint64_t n = ports->drops[i] - ports->reported_drops[i];
        ports->reported_drops[i] = ports->drops[i];
        if (n == 0 || used >= size)
            continue;
        if (named++ < NAMES_IN_A_REPORT)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s: %llu", used > 0 ? ", " : "",
                                 telem_chans_name(telem_bus_chans(ports->bus), ports->read_keys[i]),
                                 (unsigned long long)n);
        else
            more++;
    }
    if (more > 0 && used < size)
        snprintf(text + used, size - used, ", and %u more channels", more);
}
