/* Every object in memory has a head of 8 bytes: its entry and its size, so that the sweep walks the
 * memory from one object to the next. Long-lived objects gather at the bottom and are not moved
 * again; a sweep costs a step for each object made since. */
#include "arc_host/heap.h"

#include <string.h>

enum {
    ALIGN_BYTES = 8,
    LEAST_OBJECT_BYTES = 32, /* on average, for the size of the table */
    MARK = 1,                /* in head.size_bytes, whose low bits are free */
    FIRST_SERIAL = 0x5a0001, /* no number that programs use looks like a reference */
};

struct head {
    uint32_t index;
    uint32_t size_bytes; /* with the head; | MARK */
};

static ARCD_RT struct head *head_of(const struct arc_host_object *object)
{
    return (struct head *)(void *)(object->data - sizeof(struct head));
}

void arc_host_heap_init(struct arc_host_heap *heap, struct base_arena *arena,
                        uint32_t capacity_bytes, uint32_t n_fixed)
{
    *heap = (struct arc_host_heap){.capacity_bytes = capacity_bytes, .n_fixed = 1};
    heap->max_objects = 1 + n_fixed + capacity_bytes / LEAST_OBJECT_BYTES;
    heap->objects = base_arena_array(arena, struct arc_host_object, heap->max_objects);
    heap->memory = base_arena_alloc(arena, capacity_bytes, 64);
    heap->objects[0].data = heap->memory;
    heap->n_objects = 1;
}

static uint64_t reference(const struct arc_host_heap *heap, uint32_t index)
{
    return (uint64_t)heap->objects[index].serial << 32 | index;
}

uint64_t arc_host_heap_fix(struct arc_host_heap *heap, const char *data, uint32_t n)
{
    if (n == 0)
        return 0;
    uint32_t index = heap->n_fixed++;
    ARCD_ASSERT(index == heap->n_objects && index < heap->max_objects);
    heap->n_objects++;
    /* Nothing writes through a reference to a str. */
    heap->objects[index] =
        (struct arc_host_object){.data = (char *)(uintptr_t)data, .n = n, .serial = FIRST_SERIAL};
    return reference(heap, index);
}

ARCD_RT void arc_host_heap_reset(struct arc_host_heap *heap)
{
    heap->n_objects = heap->n_fixed;
    heap->free_first = 0;
    heap->used_bytes = 0;
    heap->kept_bytes = 0;
}

/* 0: the table is full. */
static ARCD_RT uint32_t take_entry(struct arc_host_heap *heap)
{
    uint32_t index = heap->free_first;
    if (index != 0) {
        heap->free_first = heap->objects[index].n;
        return index;
    }
    if (heap->n_objects == heap->max_objects)
        return 0;
    index = heap->n_objects++;
    heap->objects[index].serial = FIRST_SERIAL;
    return index;
}

static ARCD_RT uint32_t object_bytes(uint32_t n_bytes)
{
    return (uint32_t)sizeof(struct head) + ((n_bytes + ALIGN_BYTES - 1) & ~(ALIGN_BYTES - 1u));
}

ARCD_RT uint64_t arc_host_heap_new(struct arc_host_heap *heap, uint32_t n, uint32_t n_bytes)
{
    if (n_bytes == 0)
        return 0;
    if (n_bytes > heap->capacity_bytes)
        return 0;
    uint32_t size = object_bytes(n_bytes);
    if (size > heap->capacity_bytes - heap->used_bytes)
        return 0;
    uint32_t index = take_entry(heap);
    if (index == 0)
        return 0;
    struct head *head = (struct head *)(void *)(heap->memory + heap->used_bytes);
    *head = (struct head){.index = index, .size_bytes = size};
    heap->used_bytes += size;
    if (heap->used_bytes > heap->peak_bytes)
        heap->peak_bytes = heap->used_bytes;
    struct arc_host_object *object = &heap->objects[index];
    object->data = (char *)(head + 1);
    object->n = n;
    return (uint64_t)object->serial << 32 | index;
}

ARCD_RT char *arc_host_heap_room(const struct arc_host_heap *heap, uint32_t *room_bytes)
{
    uint32_t free_bytes = heap->capacity_bytes - heap->used_bytes;
    uint32_t head_bytes = (uint32_t)sizeof(struct head);
    *room_bytes = free_bytes > head_bytes ? free_bytes - head_bytes : 0;
    return heap->memory + heap->used_bytes + head_bytes;
}

ARCD_RT uint64_t arc_host_heap_commit(struct arc_host_heap *heap, uint32_t n)
{
    return arc_host_heap_new(heap, n, n);
}

ARCD_RT void arc_host_heap_mark(struct arc_host_heap *heap, uint64_t value)
{
    uint32_t index = (uint32_t)value;
    if (index < heap->n_fixed || index >= heap->n_objects)
        return;
    struct arc_host_object *object = &heap->objects[index];
    if (object->data != NULL && object->serial == value >> 32)
        head_of(object)->size_bytes |= MARK;
}

static ARCD_RT void free_entry(struct arc_host_heap *heap, uint32_t index)
{
    struct arc_host_object *object = &heap->objects[index];
    object->data = NULL;
    object->n = heap->free_first;
    object->serial = object->serial == UINT32_MAX - 1 ? FIRST_SERIAL : object->serial + 1;
    heap->free_first = index;
}

ARCD_RT void arc_host_heap_sweep(struct arc_host_heap *heap)
{
    uint32_t to = 0;
    for (uint32_t from = 0; from < heap->used_bytes;) {
        struct head *head = (struct head *)(void *)(heap->memory + from);
        uint32_t index = head->index, size = head->size_bytes & ~(uint32_t)MARK;
        if (head->size_bytes == size) {
            free_entry(heap, index);
        } else {
            head->size_bytes = size;
            if (to != from)
                memmove(heap->memory + to, head, size);
            heap->objects[index].data = heap->memory + to + sizeof *head;
            to += size;
        }
        from += size;
    }
    heap->used_bytes = to;
    heap->kept_bytes = to;
    heap->sweeps++;
}
