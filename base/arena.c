/* An arena is a list of blocks; each allocation bumps a mark in the newest block. Blocks double in
 * size up to 1 MiB, so that small users stay small and large ones need few blocks. */
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK_BYTES = 4096, LARGEST_BLOCK_BYTES = 1 << 20 };

struct base_arena_block {
    struct base_arena_block *next;
    size_t size_bytes;
    size_t used_bytes;
    _Alignas(max_align_t) unsigned char data[];
};

void base_arena_init(struct base_arena *arena)
{
    *arena = (struct base_arena){0};
}

void base_arena_fini(struct base_arena *arena)
{
    base_arena_reset(arena);
}

void base_arena_reset(struct base_arena *arena)
{
    struct base_arena_block *block = arena->blocks;
    while (block != NULL) {
        struct base_arena_block *next = block->next;
        free(block);
        block = next;
    }
    base_arena_init(arena);
}

void base_arena_seal(struct base_arena *arena)
{
    arena->sealed = true;
}

static struct base_arena_block *add_block(struct base_arena *arena, size_t need_bytes)
{
    size_t size = arena->blocks ? arena->blocks->size_bytes * 2 : FIRST_BLOCK_BYTES;
    if (size > LARGEST_BLOCK_BYTES)
        size = LARGEST_BLOCK_BYTES;
    if (size < need_bytes)
        size = need_bytes;
    struct base_arena_block *block = malloc(sizeof *block + size);
    if (block == NULL) {
        fprintf(stderr, "arcd: out of memory: %zu bytes\n", size);
        abort();
    }
    block->next = arena->blocks;
    block->size_bytes = size;
    block->used_bytes = 0;
    arena->blocks = block;
    return block;
}

/* Bytes to skip in `block` so that the next piece is aligned. */
static size_t padding(const struct base_arena_block *block, size_t align)
{
    uintptr_t at = (uintptr_t)block->data + block->used_bytes;
    return (size_t)(-at & (align - 1));
}

void *base_arena_alloc(struct base_arena *arena, size_t size_bytes, size_t align)
{
    ARCD_ASSERT(!arena->sealed);
    ARCD_ASSERT(align != 0 && (align & (align - 1)) == 0);
    ARCD_ASSERT(size_bytes < SIZE_MAX / 4);
    if (size_bytes == 0)
        size_bytes = 1;
    struct base_arena_block *block = arena->blocks;
    if (block == NULL || block->used_bytes + padding(block, align) + size_bytes > block->size_bytes)
        block = add_block(arena, size_bytes + align);
    size_t skip = padding(block, align);
    void *piece = block->data + block->used_bytes + skip;
    block->used_bytes += skip + size_bytes;
    arena->used_bytes += skip + size_bytes;
    return memset(piece, 0, size_bytes);
}

void *base_arena_alloc_array(struct base_arena *arena, size_t n, size_t elem_bytes, size_t align)
{
    ARCD_ASSERT(n == 0 || elem_bytes <= SIZE_MAX / 8 / n);
    return base_arena_alloc(arena, n * elem_bytes, align);
}

char *base_arena_strndup(struct base_arena *arena, const char *text, size_t len)
{
    char *copy = base_arena_alloc(arena, len + 1, 1);
    memcpy(copy, text, len);
    return copy;
}

char *base_arena_strdup(struct base_arena *arena, const char *text)
{
    return base_arena_strndup(arena, text, strlen(text));
}

char *base_arena_printf(struct base_arena *arena, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    ARCD_ASSERT(len >= 0);
    char *text = base_arena_alloc(arena, (size_t)len + 1, 1);
    vsnprintf(text, (size_t)len + 1, fmt, again);
    va_end(again);
    return text;
}
