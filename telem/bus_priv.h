/* telem/bus_priv.h - what the bus's files share: the pair between a publisher and a subscriber, and
 * the gates.
 *
 * Lists of pairs are immutable arrays behind an atomic pointer. The control side (under the bus's
 * lock) publishes a new array and waits until the running side is not inside a call that may still
 * read the old one: see struct rcu.
 */
#ifndef TELEM_BUS_PRIV_H
#define TELEM_BUS_PRIV_H

#include "base/ring.h"
#include "telem/bus.h"
#include "telem/pool_priv.h"

#include <pthread.h>

enum { TELEM_MAX_GATES = 64 }; /* writers of one channel at one time */

/* The running side of a list: odd while inside a call that uses it. */
struct rcu {
    _Atomic uint32_t epoch;
};

ARCD_RT static inline void rcu_enter(struct rcu *rcu)
{
    atomic_fetch_add(&rcu->epoch, 1); /* sequentially consistent: before the list is loaded */
}

ARCD_RT static inline void rcu_leave(struct rcu *rcu)
{
    atomic_fetch_add_explicit(&rcu->epoch, 1, memory_order_release);
}

/* Control side, after the new list was stored: returns when no call uses the old one. */
void rcu_wait(const struct rcu *rcu);

struct pair {
    struct telem_pub *pub; /* NULL once the publisher is closed */
    struct telem_sub *sub;
    struct base_ring ring; /* of struct telem_batch * */
    /* Where the publisher puts what does not fit: always the newest. Not NULL means that the
     * subscriber was overrun. */
    ARCD_ALIGNED_CACHE _Atomic(struct telem_batch *) overflow;
    struct telem_batch
        *latest; /* the subscriber's: taken from overflow, older than all in the ring */
    uint32_t n_wanted;
    const uint32_t *wanted_cols; /* columns of the publisher that the subscriber named ... */
    const uint32_t *wanted_keys; /* ... and their places in its list of keys */
    _Atomic uint64_t *dropped;   /* by wanted column */
    _Atomic uint64_t dropped_batches;
    struct base_arena arena; /* of all the above */
};

struct pair_list {
    uint32_t n;
    struct pair *pairs[];
};

/* One writer's gate to one channel: ticket << 16 | authority << 8 | open. Lower ticket: has had it
 * longer. */
struct gate_slot {
    _Atomic uint64_t word;
    const struct telem_pub *pub; /* control side */
};

/* All gates to one channel. `state` is version << 16 | (holding slot + 1), 0 in the low bits when
 * nobody holds. */
struct chan_gate {
    ARCD_ALIGNED_CACHE _Atomic uint64_t state;
    struct gate_slot slots[TELEM_MAX_GATES];
};

struct pub_gate {
    struct chan_gate *gate;
    uint32_t slot;
};

struct telem_pub {
    struct telem_bus *bus;
    char name[TELEM_NAME_MAX + 32];
    struct telem_pool *pool;
    struct pub_gate *gates; /* one a column; NULL when not gated */
    _Atomic(struct pair_list *) pairs;
    struct rcu rcu;
    uint64_t seq;
    _Atomic uint64_t batches, samples, lost, withheld;
    struct telem_pub *next;
};

struct telem_sub {
    struct telem_bus *bus;
    char name[TELEM_NAME_MAX + 32];
    struct base_doorbell own_bell;
    struct base_doorbell *bell;
    struct telem_key *keys;
    uint32_t n_keys;
    uint32_t queue;
    _Atomic(struct pair_list *) pairs;
    struct rcu rcu;
    _Atomic uint64_t gone_batches; /* drops of pairs that no longer exist */
    _Atomic uint64_t *gone;        /* by key */
    struct telem_sub *next;
};

/* What the bus knows of a channel beyond its declaration. */
struct chan_use {
    const struct telem_pub *owner; /* the ungated publisher */
    struct chan_gate *gate;        /* once gated, kept until the bus is freed */
    uint32_t n_gates;              /* open now */
};

struct telem_bus {
    pthread_mutex_t lock;
    struct telem_chans *chans;
    struct chan_use *use; /* by key */
    uint32_t n_use;
    struct telem_pub *pubs;
    struct telem_sub *subs;
    struct telem_pool *zombies; /* pools of closed publishers with batches still out */
    _Atomic uint64_t next_ticket;
};

/* gate.c: control side under the lock. FULL: too many writers. */
enum arcd_err telem_gate_open(struct telem_bus *bus, struct telem_pub *pub, uint32_t c,
                              uint8_t authority, struct arcd_errinfo *why);
void telem_gate_close(struct telem_bus *bus, struct telem_pub *pub, uint32_t c);

/* Counts the samples of a batch that the pair's subscriber will not see, and releases the
 * reference. */
ARCD_RT void telem_pair_drop(struct pair *pair, struct telem_batch *batch);

/* pair.c: control side under the lock. */
struct pair *telem_pair_new(struct telem_pub *pub, struct telem_sub *sub);
void telem_pair_free(struct pair *pair);
bool telem_pair_is_drained(struct pair *pair);
void telem_pair_list_add(_Atomic(struct pair_list *) *list, struct rcu *rcu, struct pair *pair);
void telem_pair_list_remove(_Atomic(struct pair_list *) *list, struct rcu *rcu,
                            const struct pair *pair);

#endif
