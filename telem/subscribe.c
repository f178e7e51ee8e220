/* The subscriber's side of the bus: the oldest batch of all its rings, and recovery from an
 * overrun. */
#include "telem/bus_priv.h"

struct base_doorbell *telem_sub_bell(struct telem_sub *sub)
{
    return sub->bell;
}

/* The publisher found the ring full. What is in the ring is older than what is in the overflow
 * place, and nothing is pushed while that place is taken: drop the ring's content and go on with
 * the newest. */
ARCD_RT static void recover(struct pair *pair)
{
    uint32_t n_older = base_ring_fill(&pair->ring);
    struct telem_batch *newest =
        atomic_exchange_explicit(&pair->overflow, NULL, memory_order_acq_rel);
    if (pair->latest != NULL)
        telem_pair_drop(pair, pair->latest);
    pair->latest = newest;
    for (uint32_t i = 0; i < n_older; i++) {
        struct telem_batch *older = NULL;
        if (base_ring_pop(&pair->ring, &older))
            telem_pair_drop(pair, older);
    }
}

/* The pair's oldest batch, left in place. */
ARCD_RT static const struct telem_batch *peek(struct pair *pair)
{
    if (ARCD_UNLIKELY(atomic_load_explicit(&pair->overflow, memory_order_acquire) != NULL))
        recover(pair);
    if (pair->latest != NULL)
        return pair->latest;
    struct telem_batch *const *slot = base_ring_peek(&pair->ring);
    return slot != NULL ? *slot : NULL;
}

ARCD_RT static void take(struct pair *pair)
{
    if (pair->latest != NULL)
        pair->latest = NULL;
    else
        base_ring_drop(&pair->ring);
}

/* The pair with the batch that was published first, or NULL. */
ARCD_RT static struct pair *oldest(const struct pair_list *list, const struct telem_batch **batch)
{
    struct pair *first = NULL;
    *batch = NULL;
    for (uint32_t i = 0; list != NULL && i < list->n; i++) {
        const struct telem_batch *b = peek(list->pairs[i]);
        if (b == NULL || (*batch != NULL && b->published_mono_ns >= (*batch)->published_mono_ns))
            continue;
        *batch = b;
        first = list->pairs[i];
    }
    return first;
}

ARCD_RT const struct telem_batch *telem_sub_next(struct telem_sub *sub)
{
    const struct telem_batch *batch;
    rcu_enter(&sub->rcu);
    struct pair *pair = oldest(atomic_load(&sub->pairs), &batch);
    if (pair != NULL)
        take(pair);
    rcu_leave(&sub->rcu);
    return batch;
}

ARCD_RT bool telem_sub_ready(struct telem_sub *sub)
{
    const struct telem_batch *batch;
    rcu_enter(&sub->rcu);
    (void)oldest(atomic_load(&sub->pairs), &batch);
    rcu_leave(&sub->rcu);
    return batch != NULL;
}
