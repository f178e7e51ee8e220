/* The control side of the bus: who publishes what, who wants what. All under one lock that no
 * running path takes. */
#include "telem/bus.h"

#include "telem/bus_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Batches that a subscriber can keep from a publisher's pool: its queue (rounded up to a power of
 * two), the overflow place, the recovered one, and two in its hands. */
static uint32_t blocks_for(const struct pair *pair)
{
    return base_ring_capacity(&pair->ring) + 4;
}

struct telem_bus *telem_bus_new(struct telem_chans *chans)
{
    struct telem_bus *bus = calloc(1, sizeof *bus);
    ARCD_ASSERT(bus != NULL);
    pthread_mutex_init(&bus->lock, NULL);
    bus->chans = chans;
    return bus;
}

static void reap_zombies(struct telem_bus *bus)
{
    struct telem_pool **link = &bus->zombies;
    while (*link != NULL) {
        struct telem_pool *pool = *link;
        struct telem_pool *next = pool->next_zombie;
        if (telem_pool_free_if_idle(pool))
            *link = next;
        else
            link = &pool->next_zombie;
    }
}

void telem_bus_free(struct telem_bus *bus)
{
    if (bus == NULL)
        return;
    reap_zombies(bus);
    ARCD_ASSERT(bus->pubs == NULL && bus->subs == NULL && bus->zombies == NULL);
    for (uint32_t i = 0; i < bus->n_use; i++)
        free(bus->use[i].gate);
    free(bus->use);
    pthread_mutex_destroy(&bus->lock);
    free(bus);
}

struct telem_chans *telem_bus_chans(struct telem_bus *bus)
{
    return bus->chans;
}

static struct chan_use *use_of(struct telem_bus *bus, struct telem_key key)
{
    uint32_t n = telem_chans_count(bus->chans);
    ARCD_ASSERT(key.v < n);
    if (n > bus->n_use) {
        struct chan_use *grown = realloc(bus->use, n * sizeof *grown);
        ARCD_ASSERT(grown != NULL);
        memset(grown + bus->n_use, 0, (n - bus->n_use) * sizeof *grown);
        bus->use = grown;
        bus->n_use = n;
    }
    return &bus->use[key.v];
}

static enum arcd_err check_use(struct telem_bus *bus, const struct telem_pub_opts *opts,
                               struct arcd_errinfo *why)
{
    for (uint32_t c = 0; c < opts->n_keys; c++) {
        const struct chan_use *use = use_of(bus, opts->keys[c]);
        const char *chan = telem_chans_name(bus->chans, opts->keys[c]);
        if (use->owner != NULL)
            return arcd_fail(why, ARCD_ERR_BUSY, 0, "channel '%s' is already written by %s", chan,
                             use->owner->name);
        if (!opts->gated && use->n_gates != 0)
            return arcd_fail(
                why, ARCD_ERR_BUSY, 0,
                "channel '%s' is a command that others write; it cannot be an input too", chan);
    }
    return ARCD_OK;
}

static struct telem_pool *make_pool(struct telem_bus *bus, const struct telem_pub_opts *opts)
{
    struct telem_group_col *cols = calloc(opts->n_keys + 1, sizeof *cols);
    bool *index_cols = calloc(opts->n_keys + 1, sizeof *index_cols);
    ARCD_ASSERT(cols != NULL && index_cols != NULL);
    for (uint32_t c = 0; c < opts->n_keys; c++) {
        const struct telem_chan_decl *decl = telem_chans_decl(bus->chans, opts->keys[c]);
        cols[c] = (struct telem_group_col){opts->keys[c], decl->type};
        index_cols[c] = decl->is_index;
    }
    struct telem_group group = {
        .n_cols = opts->n_keys,
        .max_rows = opts->max_rows,
        .text_bytes = opts->text_bytes,
        .shared_times = opts->shared_times,
        .cols = cols,
    };
    struct telem_pool *pool = telem_pool_new(&group, index_cols);
    free(cols);
    free(index_cols);
    return pool;
}

/* Connects the two when the subscriber names a channel of the publisher. False: no memory for the
 * blocks. */
static bool connect_pair(struct telem_pub *pub, struct telem_sub *sub, uint32_t *n_blocks)
{
    struct pair *pair = telem_pair_new(pub, sub);
    if (pair == NULL)
        return true;
    *n_blocks += blocks_for(pair);
    if (!telem_pool_grow(pub->pool, *n_blocks)) {
        telem_pair_free(pair);
        return false;
    }
    telem_pair_list_add(&sub->pairs, &sub->rcu, pair);
    telem_pair_list_add(&pub->pairs, &pub->rcu, pair);
    return true;
}

/* Takes the pair out of whichever lists it is in. The publisher first: then nobody pushes any more.
 */
static void disconnect_pub(struct pair *pair)
{
    if (pair->pub != NULL)
        telem_pair_list_remove(&pair->pub->pairs, &pair->pub->rcu, pair);
    pair->pub = NULL;
}

/* Pairs of closed publishers that the subscriber has emptied. */
static void prune(struct telem_sub *sub)
{
    const struct pair_list *list = atomic_load(&sub->pairs);
    for (uint32_t i = list != NULL ? list->n : 0; i-- > 0;) {
        struct pair *pair = list->pairs[i];
        if (pair->pub != NULL || base_ring_fill(&pair->ring) != 0 ||
            atomic_load(&pair->overflow) != NULL)
            continue;
        telem_pair_list_remove(&sub->pairs, &sub->rcu, pair);
        /* Now the subscriber no longer looks at the pair, so its private part may be read. */
        if (telem_pair_is_drained(pair))
            telem_pair_free(pair);
        else
            telem_pair_list_add(&sub->pairs, &sub->rcu, pair);
        list = atomic_load(&sub->pairs);
    }
}

static enum arcd_err check_opts(const struct telem_pub_opts *opts, struct arcd_errinfo *why)
{
    if (opts->n_keys == 0 || opts->max_rows == 0)
        return arcd_fail(why, ARCD_ERR_INVALID, 0, "%s: a publisher needs a channel and a row",
                         opts->name);
    for (uint32_t a = 0; a < opts->n_keys; a++)
        for (uint32_t b = a + 1; b < opts->n_keys; b++)
            if (telem_key_equal(opts->keys[a], opts->keys[b]))
                return arcd_fail(why, ARCD_ERR_INVALID, 0, "%s: a channel is named twice",
                                 opts->name);
    return ARCD_OK;
}

static enum arcd_err open_gates(struct telem_bus *bus, struct telem_pub *pub,
                                const struct telem_pub_opts *opts, struct arcd_errinfo *why)
{
    if (!opts->gated) {
        for (uint32_t c = 0; c < opts->n_keys; c++)
            use_of(bus, opts->keys[c])->owner = pub;
        return ARCD_OK;
    }
    pub->gates = calloc(opts->n_keys, sizeof *pub->gates);
    ARCD_ASSERT(pub->gates != NULL);
    for (uint32_t c = 0; c < opts->n_keys; c++) {
        uint8_t authority = opts->authorities != NULL ? opts->authorities[c] : opts->authority;
        enum arcd_err err = telem_gate_open(bus, pub, c, authority, why);
        if (err != ARCD_OK)
            return err;
    }
    return ARCD_OK;
}

static void close_locked(struct telem_pub *pub)
{
    struct telem_bus *bus = pub->bus;
    for (struct telem_pub **link = &bus->pubs; *link != NULL; link = &(*link)->next) {
        if (*link == pub) {
            *link = pub->next;
            break;
        }
    }
    for (uint32_t c = 0; c < pub->pool->group.n_cols; c++) {
        struct chan_use *use = &bus->use[pub->pool->group.cols[c].key.v];
        if (pub->gates != NULL)
            telem_gate_close(bus, pub, c);
        else if (use->owner == pub)
            use->owner = NULL;
    }
    struct pair_list *list;
    while ((list = atomic_load(&pub->pairs)) != NULL && list->n > 0)
        disconnect_pub(list->pairs[list->n - 1]);
    free(list);
    for (struct telem_sub *sub = bus->subs; sub != NULL; sub = sub->next)
        prune(sub);
    pub->pool->next_zombie = bus->zombies;
    bus->zombies = pub->pool;
    reap_zombies(bus);
    free(pub->gates);
    free(pub);
}

enum arcd_err telem_pub_open(struct telem_bus *bus, const struct telem_pub_opts *opts,
                             struct telem_pub **out, struct arcd_errinfo *why)
{
    enum arcd_err err = check_opts(opts, why);
    if (err != ARCD_OK)
        return err;
    pthread_mutex_lock(&bus->lock);
    reap_zombies(bus);
    err = check_use(bus, opts, why);
    struct telem_pool *pool = err == ARCD_OK ? make_pool(bus, opts) : NULL;
    struct telem_pub *pub = pool != NULL ? calloc(1, sizeof *pub) : NULL;
    if (err == ARCD_OK && pub == NULL)
        err = arcd_fail(why, ARCD_ERR_NOMEM, 0, "%s: out of memory", opts->name);
    if (err != ARCD_OK || pub == NULL) {
        if (pool != NULL)
            telem_pool_free_if_idle(pool);
        pthread_mutex_unlock(&bus->lock);
        return err;
    }
    pub->bus = bus;
    pub->pool = pool;
    snprintf(pub->name, sizeof pub->name, "%s", opts->name);
    pub->next = bus->pubs;
    bus->pubs = pub;
    err = open_gates(bus, pub, opts, why);
    uint32_t n_blocks = 2; /* one being filled, one to spare */
    bool ok = telem_pool_grow(pool, n_blocks);
    for (struct telem_sub *sub = bus->subs; err == ARCD_OK && ok && sub != NULL; sub = sub->next)
        ok = connect_pair(pub, sub, &n_blocks);
    if (err == ARCD_OK && !ok)
        err = arcd_fail(why, ARCD_ERR_NOMEM, 0, "%s: out of memory for its batches", opts->name);
    if (err != ARCD_OK)
        close_locked(pub);
    else
        *out = pub;
    pthread_mutex_unlock(&bus->lock);
    return err;
}

void telem_pub_close(struct telem_pub *pub)
{
    if (pub == NULL)
        return;
    struct telem_bus *bus = pub->bus;
    pthread_mutex_lock(&bus->lock);
    close_locked(pub);
    pthread_mutex_unlock(&bus->lock);
}

static uint32_t blocks_in_use(const struct telem_pub *pub)
{
    uint32_t n = 2;
    const struct pair_list *list = atomic_load(&((struct telem_pub *)(uintptr_t)pub)->pairs);
    for (uint32_t i = 0; list != NULL && i < list->n; i++)
        n += blocks_for(list->pairs[i]);
    return n;
}

static void free_sub(struct telem_sub *sub)
{
    struct pair_list *list;
    while ((list = atomic_load(&sub->pairs)) != NULL && list->n > 0) {
        struct pair *pair = list->pairs[list->n - 1];
        disconnect_pub(pair);
        telem_pair_list_remove(&sub->pairs, &sub->rcu, pair);
        telem_pair_free(pair);
    }
    free(list);
    free(sub->keys);
    free(sub->gone);
    free(sub);
}

enum arcd_err telem_sub_open(struct telem_bus *bus, const struct telem_sub_opts *opts,
                             struct telem_sub **out, struct arcd_errinfo *why)
{
    if (opts->queue < 2 || opts->queue > 1024)
        return arcd_fail(why, ARCD_ERR_INVALID, 0, "%s: a queue holds 2 to 1024 batches, not %u",
                         opts->name, opts->queue);
    struct telem_sub *sub = aligned_alloc(ARCD_CACHELINE, (sizeof *sub + ARCD_CACHELINE - 1) /
                                                              ARCD_CACHELINE * ARCD_CACHELINE);
    ARCD_ASSERT(sub != NULL);
    memset(sub, 0, sizeof *sub);
    sub->bus = bus;
    sub->queue = opts->queue;
    sub->n_keys = opts->n_keys;
    sub->keys = calloc(opts->n_keys + 1, sizeof *sub->keys);
    sub->gone = calloc(opts->n_keys + 1, sizeof *sub->gone);
    ARCD_ASSERT(sub->keys != NULL && sub->gone != NULL);
    memcpy(sub->keys, opts->keys, opts->n_keys * sizeof *sub->keys);
    snprintf(sub->name, sizeof sub->name, "%s", opts->name);
    base_doorbell_init(&sub->own_bell);
    sub->bell = opts->bell != NULL ? opts->bell : &sub->own_bell;
    pthread_mutex_lock(&bus->lock);
    reap_zombies(bus);
    bool ok = true;
    for (struct telem_pub *pub = bus->pubs; ok && pub != NULL; pub = pub->next) {
        uint32_t n_blocks = blocks_in_use(pub);
        ok = connect_pair(pub, sub, &n_blocks);
    }
    if (ok) {
        sub->next = bus->subs;
        bus->subs = sub;
        *out = sub;
    } else {
        free_sub(sub);
    }
    pthread_mutex_unlock(&bus->lock);
    return ok ? ARCD_OK : arcd_fail(why, ARCD_ERR_NOMEM, 0, "%s: out of memory", opts->name);
}

void telem_sub_close(struct telem_sub *sub)
{
    if (sub == NULL)
        return;
    struct telem_bus *bus = sub->bus;
    pthread_mutex_lock(&bus->lock);
    for (struct telem_sub **link = &bus->subs; *link != NULL; link = &(*link)->next) {
        if (*link == sub) {
            *link = sub->next;
            break;
        }
    }
    free_sub(sub);
    reap_zombies(bus);
    pthread_mutex_unlock(&bus->lock);
}

uint64_t telem_sub_dropped(const struct telem_sub *sub, uint64_t *by_key)
{
    struct telem_bus *bus = sub->bus;
    uint64_t total = 0;
    pthread_mutex_lock(&bus->lock);
    for (uint32_t k = 0; k < sub->n_keys; k++) {
        uint64_t n = atomic_load(&sub->gone[k]);
        total += n;
        if (by_key != NULL)
            by_key[k] = n;
    }
    const struct pair_list *list = atomic_load(&((struct telem_sub *)(uintptr_t)sub)->pairs);
    for (uint32_t i = 0; list != NULL && i < list->n; i++) {
        const struct pair *pair = list->pairs[i];
        for (uint32_t w = 0; w < pair->n_wanted; w++) {
            uint64_t n = atomic_load(&pair->dropped[w]);
            total += n;
            if (by_key != NULL)
                by_key[pair->wanted_keys[w]] += n;
        }
    }
    pthread_mutex_unlock(&bus->lock);
    return total;
}

uint64_t telem_sub_dropped_batches(const struct telem_sub *sub)
{
    struct telem_bus *bus = sub->bus;
    pthread_mutex_lock(&bus->lock);
    uint64_t n = atomic_load(&((struct telem_sub *)(uintptr_t)sub)->gone_batches);
    const struct pair_list *list = atomic_load(&((struct telem_sub *)(uintptr_t)sub)->pairs);
    for (uint32_t i = 0; list != NULL && i < list->n; i++)
        n += atomic_load(&list->pairs[i]->dropped_batches);
    pthread_mutex_unlock(&bus->lock);
    return n;
}

void telem_sub_limits(struct telem_sub *sub, uint32_t *max_rows, uint32_t *max_text_bytes)
{
    struct telem_bus *bus = sub->bus;
    *max_rows = 1;
    *max_text_bytes = 0;
    pthread_mutex_lock(&bus->lock);
    const struct pair_list *list = atomic_load(&sub->pairs);
    for (uint32_t i = 0; list != NULL && i < list->n; i++) {
        if (list->pairs[i]->pub == NULL)
            continue;
        const struct telem_group *group = &list->pairs[i]->pub->pool->group;
        if (group->max_rows > *max_rows)
            *max_rows = group->max_rows;
        if (group->text_bytes > *max_text_bytes)
            *max_text_bytes = group->text_bytes;
    }
    pthread_mutex_unlock(&bus->lock);
}
