/* arc_host/heap.h - the strings and series of one program: bounded memory with a compacting
 * collector that runs when its owner says so.
 *
 * Life cycle: heap_init -> new ... -> (mark ... -> sweep) ... -> heap_reset. One thread; all memory
 * is the arena's, given at init. Everything but init is real-time safe.
 *
 * A reference is a 64-bit value: the index of an entry in the table of objects, and above it the
 * entry's serial number, which changes when the entry is used again. Reference 0 is the empty
 * object. Objects move, entries do not: references need no update, and any 64-bit value can be
 * asked whether it is a live reference, so that the machine's registers are roots without being
 * typed.
 *
 *   objects [0: empty][1 .. n_fixed-1: the image's own texts][.. in use or on the free list ..]
 *                                 |
 *   memory  [index,size|data...][index,size|data...] ... used                          capacity
 */
#ifndef ARC_HOST_HEAP_H
#define ARC_HOST_HEAP_H

#include "base/arena.h"

#include <stdbool.h>

struct arc_host_object {
    char *data;      /* NULL: not in use */
    uint32_t n;      /* bytes of a str, elements of a series; not in use: next free entry */
    uint32_t serial; /* upper half of the references to it */
};

struct arc_host_heap {
    char *memory;
    uint32_t capacity_bytes;
    uint32_t used_bytes;
    struct arc_host_object *objects;
    uint32_t max_objects;
    uint32_t n_objects; /* entries that were ever used */
    uint32_t n_fixed;
    uint32_t free_first; /* 0: none */
    uint32_t kept_bytes; /* after the last sweep */
    uint32_t peak_bytes;
    uint64_t sweeps;
};

/* Room for capacity_bytes of objects with their heads, and n_fixed objects of other memory. */
void arc_host_heap_init(struct arc_host_heap *heap, struct base_arena *arena,
                        uint32_t capacity_bytes, uint32_t n_fixed);

/* A reference to memory that is not the heap's and stays; at most n_fixed of them, before any
 * new. */
uint64_t arc_host_heap_fix(struct arc_host_heap *heap, const char *data, uint32_t n);

/* Forgets all objects but the fixed ones. */
ARCD_RT void arc_host_heap_reset(struct arc_host_heap *heap);

static inline const struct arc_host_object *arc_host_heap_get(const struct arc_host_heap *heap,
                                                              uint64_t ref)
{
    return &heap->objects[(uint32_t)ref];
}

/* A new object of n elements in n_bytes of memory, contents undefined; data is aligned to 8. 0 when
 * there is no room: collect and ask again. n_bytes 0 gives 0, which is right. */
ARCD_RT uint64_t arc_host_heap_new(struct arc_host_heap *heap, uint32_t n, uint32_t n_bytes);

/* The free memory behind the objects, for a text of unknown length: write into it, then make the
 * first n bytes an object with commit (0: no entry left). */
ARCD_RT char *arc_host_heap_room(const struct arc_host_heap *heap, uint32_t *room_bytes);
ARCD_RT uint64_t arc_host_heap_commit(struct arc_host_heap *heap, uint32_t n);

/* Keeps an object over the next sweep. Any value is allowed: what is no live reference has no
 * effect. */
ARCD_RT void arc_host_heap_mark(struct arc_host_heap *heap, uint64_t value);

/* Frees what is not marked, moves the rest together. */
ARCD_RT void arc_host_heap_sweep(struct arc_host_heap *heap);

/* Enough has been made since the last sweep for one to be worth its time. */
static inline bool arc_host_heap_is_due(const struct arc_host_heap *heap)
{
    return heap->used_bytes - heap->kept_bytes > (64u << 10) + heap->kept_bytes / 4;
}

#endif
