/* The publisher's side of the bus: borrow, fill, publish. */
#include "telem/bus_priv.h"

#include "base/clock.h"

ARCD_RT struct telem_batch *telem_pub_borrow(struct telem_pub *pub)
{
    return telem_pool_take(pub->pool);
}

ARCD_RT void telem_pub_count_lost(struct telem_pub *pub, uint32_t c, uint32_t n)
{
    (void)c;
    atomic_fetch_add_explicit(&pub->lost, n, memory_order_relaxed);
}

const struct telem_group *telem_pub_group(const struct telem_pub *pub)
{
    return &pub->pool->group;
}

void telem_pub_get_stats(const struct telem_pub *pub, struct telem_pub_stats *stats)
{
    *stats = (struct telem_pub_stats){
        .batches = atomic_load(&pub->batches),
        .samples = atomic_load(&pub->samples),
        .lost = atomic_load(&pub->lost),
        .withheld = atomic_load(&pub->withheld),
    };
}

/* Empties the columns whose channel another writer holds. Returns the samples that are left. */
ARCD_RT static uint64_t apply_gates(struct telem_pub *pub, struct telem_batch *batch)
{
    uint64_t left = 0, withheld = 0;
    for (uint32_t c = 0; c < pub->pool->group.n_cols; c++) {
        struct telem_col *col = &batch->cols[c];
        if (col->n != 0 && !telem_pub_holds(pub, c)) {
            withheld += col->n;
            col->n = 0;
        }
        left += col->n;
    }
    if (withheld != 0)
        atomic_fetch_add_explicit(&pub->withheld, withheld, memory_order_relaxed);
    return left;
}

ARCD_RT static bool is_wanted(const struct pair *pair, const struct telem_batch *batch)
{
    for (uint32_t i = 0; i < pair->n_wanted; i++)
        if (batch->cols[pair->wanted_cols[i]].n != 0)
            return true;
    return false;
}

/* Hands one reference to the pair. While the overflow place is taken the subscriber has not caught
 * up, and everything goes there, so that order is kept. */
ARCD_RT static void deliver(struct pair *pair, struct telem_batch *batch)
{
    bool overrun = atomic_load_explicit(&pair->overflow, memory_order_acquire) != NULL;
    if (overrun || !base_ring_push(&pair->ring, &batch)) {
        struct telem_batch *older =
            atomic_exchange_explicit(&pair->overflow, batch, memory_order_acq_rel);
        if (older != NULL)
            telem_pair_drop(pair, older);
    }
    base_doorbell_ring(pair->sub->bell);
}

ARCD_RT void telem_pub_publish(struct telem_pub *pub, struct telem_batch *batch)
{
    uint64_t samples = apply_gates(pub, batch);
    if (samples == 0) {
        telem_batch_release(batch);
        return;
    }
    batch->seq = pub->seq++;
    batch->published_mono_ns = base_mono_ns();
    atomic_fetch_add_explicit(&pub->batches, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&pub->samples, samples, memory_order_relaxed);
    rcu_enter(&pub->rcu);
    const struct pair_list *list = atomic_load(&pub->pairs);
    for (uint32_t i = 0; list != NULL && i < list->n; i++) {
        if (!is_wanted(list->pairs[i], batch))
            continue;
        /* Ours is still held, so the count cannot reach 0 in between. */
        atomic_fetch_add_explicit(&batch->refs, 1, memory_order_relaxed);
        deliver(list->pairs[i], batch);
    }
    rcu_leave(&pub->rcu);
    telem_batch_release(batch);
}
