/* A bus with a few channels, shared by the tests of the bus. */
#ifndef TESTS_TELEM_BUS_FIXTURE_H
#define TESTS_TELEM_BUS_FIXTURE_H

#include "base/clock.h"
#include "telem/bus.h"
#include "tests/support/test.h"

#include <math.h>

struct bus_fixture {
    struct telem_chans *chans;
    struct telem_bus *bus;
    struct telem_key time, a, b, text, cmd;
};

static inline struct telem_key fixture_chan(struct bus_fixture *f, const char *name,
                                            enum telem_type type, bool is_index)
{
    struct telem_chan_decl decl = {.name = name,
                                   .type = type,
                                   .index = TELEM_NO_KEY,
                                   .is_index = is_index,
                                   .min = -INFINITY,
                                   .max = INFINITY};
    struct telem_key key;
    assert_int_equal(telem_chans_add(f->chans, &decl, &key, NULL), ARCD_OK);
    return key;
}

static inline void fixture_open(struct bus_fixture *f)
{
    f->chans = telem_chans_new();
    f->bus = telem_bus_new(f->chans);
    f->time = fixture_chan(f, "time", TELEM_TIMESTAMP, true);
    f->a = fixture_chan(f, "a", TELEM_F64, false);
    f->b = fixture_chan(f, "b", TELEM_I32, false);
    f->text = fixture_chan(f, "text", TELEM_STR, false);
    f->cmd = fixture_chan(f, "cmd", TELEM_F64, false);
}

static inline void fixture_close(struct bus_fixture *f)
{
    telem_bus_free(f->bus);
    telem_chans_free(f->chans);
}

/* A read task's publisher of time, a and b. */
static inline struct telem_pub *fixture_reader(struct bus_fixture *f, uint32_t max_rows)
{
    struct telem_key keys[] = {f->time, f->a, f->b};
    struct telem_pub_opts opts = {
        .name = "reader", .keys = keys, .n_keys = 3, .max_rows = max_rows, .shared_times = true};
    struct telem_pub *pub = NULL;
    assert_int_equal(telem_pub_open(f->bus, &opts, &pub, NULL), ARCD_OK);
    return pub;
}

/* A writer of the command channel with an authority. */
static inline struct telem_pub *fixture_writer(struct bus_fixture *f, const char *name,
                                               uint8_t authority)
{
    struct telem_pub_opts opts = {.name = name,
                                  .keys = &f->cmd,
                                  .n_keys = 1,
                                  .max_rows = 4,
                                  .gated = true,
                                  .authority = authority};
    struct telem_pub *pub = NULL;
    assert_int_equal(telem_pub_open(f->bus, &opts, &pub, NULL), ARCD_OK);
    return pub;
}

static inline struct telem_sub *fixture_sub(struct bus_fixture *f, const struct telem_key *keys,
                                            uint32_t n_keys, uint32_t queue)
{
    struct telem_sub_opts opts = {.name = "sub", .keys = keys, .n_keys = n_keys, .queue = queue};
    struct telem_sub *sub = NULL;
    assert_int_equal(telem_sub_open(f->bus, &opts, &sub, NULL), ARCD_OK);
    return sub;
}

/* One batch of n rows: a = first, first + 1, ...; b = -a; times 1000, 1001, ... */
static inline bool fixture_publish(struct telem_pub *pub, double first, uint32_t n)
{
    struct telem_batch *batch = telem_pub_borrow(pub);
    if (batch == NULL) {
        for (uint32_t c = 0; c < telem_pub_group(pub)->n_cols; c++)
            telem_pub_count_lost(pub, c, n);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        telem_batch_times(batch, 0)[i] = 1000 + i;
        ((double *)telem_batch_col(batch, 1))[i] = first + i;
        ((int32_t *)telem_batch_col(batch, 2))[i] = (int32_t) - (first + i);
    }
    for (uint32_t c = 0; c < 3; c++)
        batch->cols[c].n = n;
    telem_pub_publish(pub, batch);
    return true;
}

/* One sample on a writer's command channel. */
static inline void fixture_command(struct telem_pub *pub, double value)
{
    struct telem_batch *batch = telem_pub_borrow(pub);
    assert_non_null(batch);
    assert_true(telem_batch_append(batch, 0, (union telem_value){.f64 = value}, 5));
    telem_pub_publish(pub, batch);
}

/* The next batch's first value of its column c as f64; NAN when there is no batch. */
static inline double fixture_next(struct telem_sub *sub, uint32_t c)
{
    const struct telem_batch *batch = telem_sub_next(sub);
    if (batch == NULL)
        return NAN;
    double value =
        telem_to_f64(batch->group->cols[c].type,
                     telem_load(batch->group->cols[c].type, telem_batch_col_const(batch, c), 0));
    telem_batch_release(batch);
    return value;
}

#endif
