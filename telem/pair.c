/* The pair between one publisher and one subscriber, and the lists of pairs. Control side, but for
 * the drop. */
#include "telem/bus_priv.h"

#include <stdlib.h>
#include <time.h>

void rcu_wait(const struct rcu *rcu)
{
    uint32_t seen = atomic_load(&((struct rcu *)(uintptr_t)rcu)->epoch);
    while ((seen & 1) != 0 && atomic_load(&((struct rcu *)(uintptr_t)rcu)->epoch) == seen)
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

static uint32_t find_key(const struct telem_sub *sub, struct telem_key key)
{
    for (uint32_t i = 0; i < sub->n_keys; i++)
        if (telem_key_equal(sub->keys[i], key))
            return i;
    return UINT32_MAX;
}

/* NULL when the subscriber wants nothing of the publisher. */
struct pair *telem_pair_new(struct telem_pub *pub, struct telem_sub *sub)
{
    const struct telem_group *group = &pub->pool->group;
    uint32_t n = 0;
    for (uint32_t c = 0; c < group->n_cols; c++)
        n += find_key(sub, group->cols[c].key) != UINT32_MAX;
    if (n == 0)
        return NULL;
    struct base_arena arena;
    base_arena_init(&arena);
    struct pair *pair = base_arena_new(&arena, struct pair);
    uint32_t *cols = base_arena_array(&arena, uint32_t, n);
    uint32_t *keys = base_arena_array(&arena, uint32_t, n);
    pair->pub = pub;
    pair->sub = sub;
    for (uint32_t c = 0; c < group->n_cols; c++) {
        uint32_t key = find_key(sub, group->cols[c].key);
        if (key == UINT32_MAX)
            continue;
        cols[pair->n_wanted] = c;
        keys[pair->n_wanted++] = key;
    }
    pair->wanted_cols = cols;
    pair->wanted_keys = keys;
    pair->dropped = base_arena_array(&arena, _Atomic uint64_t, n);
    base_ring_init(&pair->ring, &arena, sub->queue, sizeof(struct telem_batch *));
    pair->arena = arena;
    return pair;
}

void telem_pair_free(struct pair *pair)
{
    struct telem_batch *batch;
    while (base_ring_pop(&pair->ring, &batch))
        telem_batch_release(batch);
    telem_batch_release(atomic_exchange(&pair->overflow, NULL));
    telem_batch_release(pair->latest);
    for (uint32_t i = 0; i < pair->n_wanted; i++)
        atomic_fetch_add(&pair->sub->gone[pair->wanted_keys[i]], atomic_load(&pair->dropped[i]));
    atomic_fetch_add(&pair->sub->gone_batches, atomic_load(&pair->dropped_batches));
    struct base_arena arena = pair->arena; /* the pair lies in it */
    base_arena_fini(&arena);
}

/* Of a closed publisher: nothing more will come, so what is empty now stays empty. */
bool telem_pair_is_drained(struct pair *pair)
{
    return base_ring_fill(&pair->ring) == 0 && atomic_load(&pair->overflow) == NULL &&
           pair->latest == NULL;
}

static struct pair_list *list_new(uint32_t n)
{
    struct pair_list *list = calloc(1, sizeof *list + n * sizeof(struct pair *));
    ARCD_ASSERT(list != NULL);
    list->n = n;
    return list;
}

static void list_replace(_Atomic(struct pair_list *) *list, struct rcu *rcu, struct pair_list *with)
{
    struct pair_list *old = atomic_exchange(list, with);
    rcu_wait(rcu);
    free(old);
}

void telem_pair_list_add(_Atomic(struct pair_list *) *list, struct rcu *rcu, struct pair *pair)
{
    const struct pair_list *old = atomic_load(list);
    uint32_t n = old != NULL ? old->n : 0;
    struct pair_list *grown = list_new(n + 1);
    for (uint32_t i = 0; i < n; i++)
        grown->pairs[i] = old->pairs[i];
    grown->pairs[n] = pair;
    list_replace(list, rcu, grown);
}

void telem_pair_list_remove(_Atomic(struct pair_list *) *list, struct rcu *rcu,
                            const struct pair *pair)
{
    const struct pair_list *old = atomic_load(list);
    ARCD_ASSERT(old != NULL && old->n >= 1);
    struct pair_list *shrunk = list_new(old->n - 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < old->n; i++)
        if (old->pairs[i] != pair)
            shrunk->pairs[n++] = old->pairs[i];
    ARCD_ASSERT(n == shrunk->n);
    list_replace(list, rcu, shrunk);
}

ARCD_RT void telem_pair_drop(struct pair *pair, struct telem_batch *batch)
{
    for (uint32_t i = 0; i < pair->n_wanted; i++)
        atomic_fetch_add_explicit(&pair->dropped[i], batch->cols[pair->wanted_cols[i]].n,
                                  memory_order_relaxed);
    atomic_fetch_add_explicit(&pair->dropped_batches, 1, memory_order_relaxed);
    telem_batch_release(batch);
}
