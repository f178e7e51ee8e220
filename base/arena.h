/* base/arena.h - memory that is given out piece by piece and taken back all at once.
 *
 * Life cycle: arena_init -> arena_alloc ... -> [arena_seal] -> arena_fini.
 * One thread at a time. Memory from the arena is zeroed, belongs to the arena and lives until
 * base_arena_fini() (or base_arena_reset()). A sealed arena gives out nothing more: allocating from
 * it is a broken invariant, which is how "all allocation happens before start" is kept true.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/mark.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct base_arena_block;

struct base_arena {
    struct base_arena_block *blocks; /* newest first */
    size_t used_bytes;               /* given out so far, with alignment */
    bool sealed;
};

void base_arena_init(struct base_arena *arena);
void base_arena_fini(struct base_arena *arena);

/* Frees everything given out; the arena can be used again, also after a seal. */
void base_arena_reset(struct base_arena *arena);
void base_arena_seal(struct base_arena *arena);

/* Never NULL: a machine that cannot give set-up memory cannot run arcd, so failure to allocate
 * aborts with a message. `align` is a power of two. size_bytes 0 gives a valid unique pointer. */
void *base_arena_alloc(struct base_arena *arena, size_t size_bytes, size_t align);

/* n elements of a type, zeroed; n * sizeof overflow is a broken invariant. */
#define base_arena_new(arena, type)                                                                \
    ((type *)base_arena_alloc((arena), sizeof(type), _Alignof(type)))
#define base_arena_array(arena, type, n)                                                           \
    ((type *)base_arena_alloc_array((arena), (n), sizeof(type), _Alignof(type)))
void *base_arena_alloc_array(struct base_arena *arena, size_t n, size_t elem_bytes, size_t align);

/* Copies of text, NUL-terminated. */
char *base_arena_strdup(struct base_arena *arena, const char *text);
char *base_arena_strndup(struct base_arena *arena, const char *text, size_t len);
char *base_arena_printf(struct base_arena *arena, const char *fmt, ...) ARCD_PRINTF(2, 3);

#endif
