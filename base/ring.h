/* base/ring.h - a wait-free ring for one producer and one consumer, elements of one fixed size.
 *
 * Life cycle: ring_init (caller's arena gives the memory) -> push / pop -> forgotten with its
 * arena. Threads: one pushes, one pops; any thread may ask for the fill. Both sides return at once,
 * always. The two counters run freely and are compared by their unsigned difference, so a ring of n
 * elements holds n. A push into a full ring is refused: what to do with the element is the caller's
 * decision, as is counting it.
 */
#ifndef BASE_RING_H
#define BASE_RING_H

#include "base/arena.h"

#include <stdatomic.h>
#include <string.h>

struct base_ring {
    ARCD_ALIGNED_CACHE _Atomic uint32_t tail; /* pushed so far: written by the producer */
    uint32_t head_seen;                       /* the producer's last look at head */
    ARCD_ALIGNED_CACHE _Atomic uint32_t head; /* popped so far: written by the consumer */
    uint32_t tail_seen;                       /* the consumer's last look at tail */
    ARCD_ALIGNED_CACHE uint32_t mask;         /* capacity - 1 */
    uint32_t elem_bytes;
    unsigned char *slots;
};

/* Capacity is rounded up to a power of two, at most 2^30. */
static inline void base_ring_init(struct base_ring *ring, struct base_arena *arena,
                                  uint32_t capacity, uint32_t elem_bytes)
{
    ARCD_ASSERT(capacity >= 1 && capacity <= UINT32_C(1) << 30 && elem_bytes >= 1);
    uint32_t size = 1;
    while (size < capacity)
        size *= 2;
    atomic_init(&ring->tail, 0);
    atomic_init(&ring->head, 0);
    ring->head_seen = ring->tail_seen = 0;
    ring->mask = size - 1;
    ring->elem_bytes = elem_bytes;
    ring->slots = base_arena_alloc_array(arena, size, elem_bytes, ARCD_CACHELINE);
}

static inline uint32_t base_ring_capacity(const struct base_ring *ring)
{
    return ring->mask + 1;
}

/* Producer. False when full. */
static inline bool base_ring_push(struct base_ring *ring, const void *elem)
{
    uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    if (tail - ring->head_seen > ring->mask) {
        ring->head_seen = atomic_load_explicit(&ring->head, memory_order_acquire);
        if (tail - ring->head_seen > ring->mask)
            return false;
    }
    memcpy(ring->slots + (size_t)(tail & ring->mask) * ring->elem_bytes, elem, ring->elem_bytes);
    /* Release: a consumer that sees the new count sees the element. Pairs with base_ring_peek(). */
    atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
    return true;
}

/* Consumer. The oldest element in place, valid until base_ring_drop(); NULL when empty. */
static inline const void *base_ring_peek(struct base_ring *ring)
{
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    if (head == ring->tail_seen) {
        ring->tail_seen = atomic_load_explicit(&ring->tail, memory_order_acquire);
        if (head == ring->tail_seen)
            return NULL;
    }
    return ring->slots + (size_t)(head & ring->mask) * ring->elem_bytes;
}

/* Consumer. Gives the slot that base_ring_peek() showed back to the producer. */
static inline void base_ring_drop(struct base_ring *ring)
{
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    /* Release: the slot may be written again only after it was read. Pairs with the acquire in
     * base_ring_push(). */
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
}

/* Consumer. False when empty. */
static inline bool base_ring_pop(struct base_ring *ring, void *elem)
{
    const void *oldest = base_ring_peek(ring);
    if (oldest == NULL)
        return false;
    memcpy(elem, oldest, ring->elem_bytes);
    base_ring_drop(ring);
    return true;
}

/* Elements in the ring at some moment during the call. */
static inline uint32_t base_ring_fill(const struct base_ring *ring)
{
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    return atomic_load_explicit(&ring->tail, memory_order_acquire) - head;
}

#endif
