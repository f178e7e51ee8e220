/* tests/arc_host/live.h - a bus with channels, programs compiled against them, and people who
 * publish and listen: what the tests of ports, loop and automation share.
 *
 *     struct live live;
 *     live_open(&live, "level f64, valve u8");
 *     struct arc_image *image = live_compile(&live, "level > 5.0 -> valve");
 *     ...
 *     live_close(&live);          frees the images too
 */
#ifndef TESTS_ARC_HOST_LIVE_H
#define TESTS_ARC_HOST_LIVE_H

#include "arc/compile.h"
#include "arc/image.h"
#include "telem/bus.h"

#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LIVE_MOST_IMAGES = 8, LIVE_MOST_CHANS = 128 };

struct live {
    struct base_arena arena;
    struct telem_chans *chans;
    struct telem_bus *bus;
    struct arc_image *images[LIVE_MOST_IMAGES];
    uint32_t n_images;
};

static inline struct telem_key live_key(const struct live *live, const char *name)
{
    struct telem_key key = telem_chans_find(live->chans, name);
    assert_true(telem_key_valid(key));
    return key;
}

/* "name type, name type ..."; a type with @ behind it has the index channel `time`. */
static inline void live_declare(struct live *live, const char *text)
{
    char *copy = base_arena_strdup(&live->arena, text), *save;
    for (char *item = strtok_r(copy, ",", &save); item != NULL; item = strtok_r(NULL, ",", &save)) {
        char name[64], type[16];
        assert_int_equal(sscanf(item, " %63s %15s", name, type), 2);
        bool indexed = type[strlen(type) - 1] == '@';
        if (indexed)
            type[strlen(type) - 1] = '\0';
        struct telem_chan_decl decl = {
            .name = name,
            .type = telem_type_from_name(type),
            .index = indexed ? live_key(live, "time") : TELEM_NO_KEY,
            .min = -INFINITY,
            .max = INFINITY,
        };
        struct telem_key key;
        assert_int_equal(telem_chans_add(live->chans, &decl, &key, NULL), ARCD_OK);
    }
}

static inline void live_open(struct live *live, const char *channels)
{
    *live = (struct live){0};
    base_arena_init(&live->arena);
    live->chans = telem_chans_new();
    live->bus = telem_bus_new(live->chans);
    live_declare(live, "time timestamp");
    live_declare(live, channels);
}

static inline void live_close(struct live *live)
{
    for (uint32_t i = 0; i < live->n_images; i++)
        arc_image_free(live->images[i]);
    telem_bus_free(live->bus);
    telem_chans_free(live->chans);
    base_arena_fini(&live->arena);
}

static inline struct arc_image *live_compile(struct live *live, const char *text)
{
    struct arc_chan_info chans[LIVE_MOST_CHANS];
    uint32_t n = telem_chans_count(live->chans);
    assert_true(n <= LIVE_MOST_CHANS && live->n_images < LIVE_MOST_IMAGES);
    for (uint32_t i = 0; i < n; i++) {
        const struct telem_chan_decl *decl = telem_chans_decl(live->chans, (struct telem_key){i});
        chans[i] = (struct arc_chan_info){.name = decl->name, .type = decl->type};
    }
    struct arc_source source = {.file = "test.arc", .text = text, .len = strlen(text)};
    struct arc_chan_table table = {.chans = chans, .n_chans = n};
    struct arc_diags diags;
    arc_diags_init(&diags, &live->arena, &source);
    struct arc_image *image = arc_compile(&source, &table, &diags);
    if (image == NULL)
        fail_msg("%s", arc_diags_render(&diags));
    live->images[live->n_images++] = image;
    return image;
}

/* A read task's publisher of one channel, max_rows a batch. */
static inline struct telem_pub *live_sensor(struct live *live, const char *name, uint32_t max_rows)
{
    struct telem_key key = live_key(live, name);
    struct telem_pub_opts opts = {
        .name = "sensor", .keys = &key, .n_keys = 1, .max_rows = max_rows, .text_bytes = 1 << 17};
    struct telem_pub *pub = NULL;
    assert_int_equal(telem_pub_open(live->bus, &opts, &pub, NULL), ARCD_OK);
    return pub;
}

/* Another writer of a command channel. */
static inline struct telem_pub *live_writer(struct live *live, const char *name, uint8_t authority)
{
    struct telem_key key = live_key(live, name);
    struct telem_pub_opts opts = {.name = "someone",
                                  .keys = &key,
                                  .n_keys = 1,
                                  .max_rows = 4,
                                  .gated = true,
                                  .authority = authority};
    struct telem_pub *pub = NULL;
    assert_int_equal(telem_pub_open(live->bus, &opts, &pub, NULL), ARCD_OK);
    return pub;
}

/* One batch of n samples: first, first + 1 ... at utc_ns, + 1 ... False: no free block. */
static inline bool live_put(struct telem_pub *pub, double first, uint32_t n, int64_t utc_ns)
{
    struct telem_batch *batch = telem_pub_borrow(pub);
    if (batch == NULL)
        return false;
    enum telem_type type = batch->group->cols[0].type;
    for (uint32_t i = 0; i < n; i++)
        assert_true(telem_batch_append(batch, 0, telem_from_f64(type, first + i), utc_ns + i));
    telem_pub_publish(pub, batch);
    return true;
}

static inline struct telem_sub *live_listen(struct live *live, const char *name, uint32_t queue)
{
    struct telem_key key = live_key(live, name);
    struct telem_sub_opts opts = {.name = "listener", .keys = &key, .n_keys = 1, .queue = queue};
    struct telem_sub *sub = NULL;
    assert_int_equal(telem_sub_open(live->bus, &opts, &sub, NULL), ARCD_OK);
    return sub;
}

/* The samples of channel `key` in everything that waits: how many, the last value and time. */
struct live_heard {
    uint32_t batches, n;
    double first, last;
    int64_t last_utc_ns;
    char text[128]; /* of the last sample of a str channel, cut */
};

static inline void live_hear_column(struct live_heard *heard, const struct telem_batch *batch,
                                    uint32_t c)
{
    enum telem_type type = batch->group->cols[c].type;
    const void *data = telem_batch_col_const(batch, c);
    for (uint32_t i = 0; i < batch->cols[c].n; i++) {
        if (type == TELEM_STR) {
            struct telem_str str = ((const struct telem_str *)data)[i];
            snprintf(heard->text, sizeof heard->text, "%.*s", (int)str.len,
                     telem_batch_text(batch, str));
        } else {
            heard->last = telem_to_f64(type, telem_load(type, data, i));
        }
        heard->first = heard->n++ == 0 ? heard->last : heard->first;
        heard->last_utc_ns = telem_batch_times_const(batch, c)[i];
    }
}

static inline struct live_heard live_hear(struct telem_sub *sub, struct telem_key key)
{
    struct live_heard heard = {.first = NAN, .last = NAN};
    const struct telem_batch *batch;
    while ((batch = telem_sub_next(sub)) != NULL) {
        for (uint32_t c = 0; c < batch->group->n_cols; c++)
            if (telem_key_equal(batch->group->cols[c].key, key))
                live_hear_column(&heard, batch, c);
        heard.batches++;
        telem_batch_release(batch);
    }
    return heard;
}

#endif
