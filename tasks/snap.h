/* tasks/snap.h - a small struct that one thread changes and any thread reads whole.
 *
 * A sequence lock: the writer never waits and makes no system call; a reader that met a write in
 * progress tries again. For structs that change at most a few thousand times a second.
 *
 * Life cycle: snap_init (arena) -> snap_write ... | snap_read ... (no fini). One writer at a time.
 * The payload is copied as 8-byte words, each an atomic: a torn copy is thrown away, never seen,
 * and there is no data race in the language's sense.
 */
#ifndef TASKS_SNAP_H
#define TASKS_SNAP_H

#include "base/arena.h"

#include <stdatomic.h>
#include <string.h>

struct tasks_snap {
    _Atomic uint32_t sequence; /* odd: a write is in progress */
    uint32_t n_words;
    _Atomic uint64_t *words;
};

/* For a payload of size_bytes, a multiple of 8; all zero at first. */
static inline void tasks_snap_init(struct tasks_snap *snap, struct base_arena *arena,
                                   size_t size_bytes)
{
    ARCD_ASSERT(size_bytes % sizeof(uint64_t) == 0);
    atomic_init(&snap->sequence, 0);
    snap->n_words = (uint32_t)(size_bytes / sizeof(uint64_t));
    snap->words = base_arena_alloc_array(arena, snap->n_words, sizeof *snap->words, 64);
}

ARCD_STEADY static inline void tasks_snap_write(struct tasks_snap *snap, const void *payload)
{
    const unsigned char *from = payload;
    uint32_t sequence = atomic_load_explicit(&snap->sequence, memory_order_relaxed);
    atomic_store_explicit(&snap->sequence, sequence + 1, memory_order_relaxed);
    for (uint32_t i = 0; i < snap->n_words; i++) {
        uint64_t word;
        memcpy(&word, from + i * sizeof word, sizeof word);
        /* Release on every word: a reader that sees one also sees the odd count before it. */
        atomic_store_explicit(&snap->words[i], word, memory_order_release);
    }
    atomic_store_explicit(&snap->sequence, sequence + 2, memory_order_release);
}

static inline void tasks_snap_read(const struct tasks_snap *snap, void *payload)
{
    unsigned char *to = payload;
    uint32_t before, after;
    do {
        before = atomic_load_explicit(&snap->sequence, memory_order_acquire);
        for (uint32_t i = 0; i < snap->n_words; i++) {
            /* Acquire: the second look at the count comes after all words. */
            uint64_t word = atomic_load_explicit(&snap->words[i], memory_order_acquire);
            memcpy(to + i * sizeof word, &word, sizeof word);
        }
        after = atomic_load_explicit(&snap->sequence, memory_order_relaxed);
    } while (before != after || before % 2 != 0);
}

#endif
