/* arc/list.h - growing arrays in an arena, for the front end's own use.
 *
 * A list is a pointer and a count that start as NULL and 0; the room behind it is always the next
 * power of two, so no capacity is stored: *ARC_APPEND(arena, func->vars, func->n_vars) = var;
 */
#ifndef ARC_LIST_H
#define ARC_LIST_H

#include "base/arena.h"

#include <string.h>

enum { ARC_LIST_FIRST = 4 };

static inline void *arc_list_room(struct base_arena *arena, void *list, size_t n, size_t elem_bytes)
{
    if (n != 0 && (n < ARC_LIST_FIRST || (n & (n - 1)) != 0))
        return list;
    size_t cap = n == 0 ? ARC_LIST_FIRST : n * 2;
    void *room = base_arena_alloc_array(arena, cap, elem_bytes, _Alignof(max_align_t));
    if (n != 0)
        memcpy(room, list, n * elem_bytes);
    return room;
}

/* A pointer to the new, zeroed element. */
#define ARC_APPEND(arena, list, n)                                                                 \
    ((list) = arc_list_room((arena), (list), (n), sizeof(__typeof__(*(list)))), &(list)[(n)++])

#endif
