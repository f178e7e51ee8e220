/* telem/pool_priv.h - the blocks of one publisher.
 *
 * The publisher takes from a list of its own; consumers give back onto a shared stack that the
 * publisher takes whole when its list is empty. Pushing onto that stack and swapping it out are the
 * only shared steps, so there is no ABA. The control side (the bus, under its lock) grows the pool
 * by pushing new blocks onto the same stack.
 */
#ifndef TELEM_POOL_PRIV_H
#define TELEM_POOL_PRIV_H

#include "telem/batch.h"

struct telem_pool_chunk;

struct telem_pool {
    ARCD_ALIGNED_CACHE _Atomic(struct telem_batch *) returned;
    ARCD_ALIGNED_CACHE struct telem_batch *free; /* the publisher's */
    uint32_t n_blocks;                           /* control side */
    struct telem_pool_chunk *chunks;             /* control side */
    struct telem_pool *next_zombie;              /* control side */
    struct telem_group group;
    struct telem_col *layout; /* offsets of the columns, n = 0 */
    uint32_t text_off;
};

/* Copies the group's columns. index_cols[c] marks columns that are the shared time column itself.
 * NULL: no memory. */
struct telem_pool *telem_pool_new(const struct telem_group *group, const bool *index_cols);

/* Control side: makes sure that there are at least n blocks. False: no memory. */
bool telem_pool_grow(struct telem_pool *pool, uint32_t n_blocks);

/* Publisher. NULL when every block is out. */
ARCD_RT struct telem_batch *telem_pool_take(struct telem_pool *pool);

/* Control side, after the publisher has stopped: frees the pool when all blocks are back; false
 * when some are not. */
bool telem_pool_free_if_idle(struct telem_pool *pool);

#endif
