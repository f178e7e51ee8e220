#include "driver/values.h"

#include "base/clock.h"
#include "base/rt.h"

#include <stdlib.h>
#include <string.h>

enum { QUEUE = 32 };

/* For the rate: samples since a moment at most about a second ago. */
struct window {
    int64_t since_mono_ns;
    uint64_t samples;
};

struct driver_values {
    struct telem_bus *bus;
    struct telem_sub *sub;
    pthread_mutex_t lock; /* of the values */
    struct driver_value *values;
    struct window *windows;
    uint32_t n;
    pthread_t thread;
    _Atomic bool stop;
    bool running;
};

/* Called with the lock held. */
static void measure_rate(struct driver_value *value, struct window *window, uint32_t n, int64_t now)
{
    int64_t passed = now - window->since_mono_ns;
    if (window->since_mono_ns == 0) {
        window->since_mono_ns = now; /* the first batch opens the window and is not in it */
        return;
    }
    window->samples += n;
    if (passed < BASE_NS_PER_S)
        return;
    value->rate_hz = (double)window->samples * 1e9 / (double)passed;
    *window = (struct window){now, 0};
}

/* Called with the lock held. */
static void keep_newest(struct driver_values *vals, const struct telem_batch *batch,
                        int64_t now_mono_ns)
{
    for (uint32_t c = 0; c < batch->group->n_cols; c++) {
        const struct telem_group_col *col = &batch->group->cols[c];
        uint32_t n = batch->cols[c].n;
        if (n == 0 || col->key.v >= vals->n)
            continue;
        struct driver_value *value = &vals->values[col->key.v];
        value->has_value = true;
        value->type = col->type;
        value->utc_ns = telem_batch_times_const(batch, c)[n - 1];
        value->seen_mono_ns = now_mono_ns;
        value->samples += n;
        measure_rate(value, &vals->windows[col->key.v], n, now_mono_ns);
        const void *data = telem_batch_col_const(batch, c);
        if (col->type != TELEM_STR) {
            value->number = telem_load(col->type, data, n - 1);
            continue;
        }
        struct telem_str str = ((const struct telem_str *)data)[n - 1];
        size_t len = str.len < DRIVER_VALUE_TEXT ? str.len : DRIVER_VALUE_TEXT - 1;
        memcpy(value->text, telem_batch_text(batch, str), len);
        value->text[len] = '\0';
    }
}

/* The stop flag is looked at twice a second even when nothing comes. */
static void *run(void *arg)
{
    struct driver_values *vals = arg;
    pthread_setname_np(pthread_self(), "arcd-values");
    struct base_doorbell *bell = telem_sub_bell(vals->sub);
    while (!atomic_load(&vals->stop)) {
        uint32_t seen = base_doorbell_read(bell);
        const struct telem_batch *batch;
        while ((batch = telem_sub_next(vals->sub)) != NULL) {
            pthread_mutex_lock(&vals->lock);
            keep_newest(vals, batch, base_mono_ns());
            pthread_mutex_unlock(&vals->lock);
            telem_batch_release(batch);
        }
        (void)base_doorbell_wait(bell, seen, base_mono_ns() + 500 * BASE_NS_PER_MS);
    }
    return NULL;
}

static enum arcd_err subscribe(struct driver_values *vals, struct arcd_errinfo *why)
{
    uint32_t n = telem_chans_count(telem_bus_chans(vals->bus));
    struct telem_key *keys = calloc(n + 1, sizeof *keys);
    ARCD_ASSERT(keys != NULL);
    for (uint32_t i = 0; i < n; i++)
        keys[i] = (struct telem_key){i};
    struct telem_sub_opts opts = {.name = "values", .keys = keys, .n_keys = n, .queue = QUEUE};
    enum arcd_err err = telem_sub_open(vals->bus, &opts, &vals->sub, why);
    free(keys);
    if (err != ARCD_OK)
        return err;
    struct driver_value *grown = realloc(vals->values, (n + 1) * sizeof *grown);
    ARCD_ASSERT(grown != NULL);
    memset(grown + vals->n, 0, (n + 1 - vals->n) * sizeof *grown);
    vals->values = grown;
    struct window *windows = realloc(vals->windows, (n + 1) * sizeof *windows);
    ARCD_ASSERT(windows != NULL);
    memset(windows + vals->n, 0, (n + 1 - vals->n) * sizeof *windows);
    vals->windows = windows;
    vals->n = n;
    atomic_store(&vals->stop, false);
    err = base_thread_start(&vals->thread, run, vals, why);
    vals->running = err == ARCD_OK;
    return err;
}

static void unsubscribe(struct driver_values *vals)
{
    if (vals->running) {
        atomic_store(&vals->stop, true);
        base_doorbell_ring(telem_sub_bell(vals->sub));
        base_thread_join(vals->thread);
        vals->running = false;
    }
    telem_sub_close(vals->sub);
    vals->sub = NULL;
}

enum arcd_err driver_values_new(struct telem_bus *bus, struct driver_values **out,
                                struct arcd_errinfo *why)
{
    struct driver_values *vals = calloc(1, sizeof *vals);
    ARCD_ASSERT(vals != NULL);
    vals->bus = bus;
    pthread_mutex_init(&vals->lock, NULL);
    enum arcd_err err = subscribe(vals, why);
    if (err != ARCD_OK) {
        driver_values_free(vals);
        return err;
    }
    *out = vals;
    return ARCD_OK;
}

enum arcd_err driver_values_refresh(struct driver_values *vals, struct arcd_errinfo *why)
{
    pthread_mutex_lock(&vals->lock);
    bool grown = telem_chans_count(telem_bus_chans(vals->bus)) != vals->n;
    pthread_mutex_unlock(&vals->lock);
    if (!grown)
        return ARCD_OK;
    unsubscribe(vals);
    pthread_mutex_lock(&vals->lock);
    enum arcd_err err = subscribe(vals, why);
    pthread_mutex_unlock(&vals->lock);
    return err;
}

void driver_values_free(struct driver_values *vals)
{
    if (vals == NULL)
        return;
    unsubscribe(vals);
    pthread_mutex_destroy(&vals->lock);
    free(vals->values);
    free(vals->windows);
    free(vals);
}

bool driver_values_read(struct driver_values *vals, struct telem_key key,
                        struct driver_value *value)
{
    pthread_mutex_lock(&vals->lock);
    bool known = key.v < vals->n;
    if (known)
        *value = vals->values[key.v];
    /* Nothing for two seconds: the last rate is history. */
    if (known && base_mono_ns() - value->seen_mono_ns > 2 * BASE_NS_PER_S)
        value->rate_hz = 0;
    pthread_mutex_unlock(&vals->lock);
    return known;
}

uint64_t driver_values_dropped(struct driver_values *vals)
{
    return telem_sub_dropped(vals->sub, NULL);
}
