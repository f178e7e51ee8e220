/* Blocks: their layout, their pool, and what may be put into one. */
#include "telem/batch.h"

#include "telem/pool_priv.h"

#include <stdlib.h>
#include <string.h>

struct telem_pool_chunk {
    struct telem_pool_chunk *next;
    unsigned char *blocks;
};

static size_t align_up(size_t n)
{
    return (n + ARCD_CACHELINE - 1) & ~(size_t)(ARCD_CACHELINE - 1);
}

/* Where each column of a block lies. Fills pool->layout, text_off and group.block_bytes. */
static void lay_out(struct telem_pool *pool, const bool *index_cols)
{
    struct telem_group *g = &pool->group;
    size_t at = align_up(sizeof(struct telem_batch) + g->n_cols * sizeof(struct telem_col));
    size_t times_bytes = align_up(g->max_rows * sizeof(int64_t));
    size_t shared_at = at;
    if (g->shared_times)
        at += times_bytes;
    for (uint32_t c = 0; c < g->n_cols; c++) {
        struct telem_col *col = &pool->layout[c];
        size_t time_at = shared_at;
        if (!g->shared_times) {
            time_at = at;
            at += times_bytes;
        }
        bool is_time = g->shared_times && index_cols[c];
        col->time_off = (uint32_t)time_at;
        col->data_off = is_time ? (uint32_t)time_at : (uint32_t)at;
        if (!is_time)
            at += align_up(g->max_rows * telem_type_size(g->cols[c].type));
    }
    pool->text_off = (uint32_t)at;
    g->block_bytes = align_up(at + g->text_bytes);
    ARCD_ASSERT(g->block_bytes <= UINT32_MAX);
}

struct telem_pool *telem_pool_new(const struct telem_group *group, const bool *index_cols)
{
    struct telem_pool *pool = aligned_alloc(ARCD_CACHELINE, align_up(sizeof *pool));
    struct telem_group_col *cols = malloc((group->n_cols + 1) * sizeof *cols);
    struct telem_col *layout = calloc(group->n_cols + 1, sizeof *layout);
    if (pool == NULL || cols == NULL || layout == NULL) {
        free(pool);
        free(cols);
        free(layout);
        return NULL;
    }
    memset(pool, 0, sizeof *pool);
    memcpy(cols, group->cols, group->n_cols * sizeof *cols);
    pool->group = *group;
    pool->group.cols = cols;
    pool->layout = layout;
    atomic_init(&pool->returned, NULL);
    lay_out(pool, index_cols);
    return pool;
}

/* Any thread. Release: whoever takes the block sees that its readers are done. */
ARCD_RT static void give_back(struct telem_pool *pool, struct telem_batch *batch)
{
    struct telem_batch *top = atomic_load_explicit(&pool->returned, memory_order_relaxed);
    do {
        batch->next_free = top;
    } while (!atomic_compare_exchange_weak_explicit(&pool->returned, &top, batch,
                                                    memory_order_release, memory_order_relaxed));
}

bool telem_pool_grow(struct telem_pool *pool, uint32_t n_blocks)
{
    if (n_blocks <= pool->n_blocks)
        return true;
    uint32_t more = n_blocks - pool->n_blocks;
    size_t bytes = pool->group.block_bytes;
    struct telem_pool_chunk *chunk = malloc(sizeof *chunk);
    unsigned char *blocks = chunk != NULL ? aligned_alloc(ARCD_CACHELINE, bytes * more) : NULL;
    if (blocks == NULL) {
        free(chunk);
        return false;
    }
    memset(blocks, 0, bytes * more); /* touches every page: using a block later faults none */
    *chunk = (struct telem_pool_chunk){pool->chunks, blocks};
    pool->chunks = chunk;
    for (uint32_t i = 0; i < more; i++) {
        struct telem_batch *batch = (struct telem_batch *)(void *)(blocks + bytes * i);
        batch->pool = pool;
        batch->group = &pool->group;
        give_back(pool, batch);
    }
    pool->n_blocks = n_blocks;
    return true;
}

ARCD_RT struct telem_batch *telem_pool_take(struct telem_pool *pool)
{
    if (pool->free == NULL)
        pool->free = atomic_exchange_explicit(&pool->returned, NULL, memory_order_acquire);
    struct telem_batch *batch = pool->free;
    if (batch == NULL)
        return NULL;
    pool->free = batch->next_free;
    atomic_store_explicit(&batch->refs, 1, memory_order_relaxed);
    batch->text_used = 0;
    batch->text_off = pool->text_off;
    memcpy(batch->cols, pool->layout, pool->group.n_cols * sizeof(struct telem_col));
    return batch;
}

bool telem_pool_free_if_idle(struct telem_pool *pool)
{
    uint32_t n = 0;
    struct telem_batch *more =
        atomic_exchange_explicit(&pool->returned, NULL, memory_order_acquire);
    while (more != NULL) {
        struct telem_batch *next = more->next_free;
        more->next_free = pool->free;
        pool->free = more;
        more = next;
    }
    for (const struct telem_batch *batch = pool->free; batch != NULL; batch = batch->next_free)
        n++;
    if (n < pool->n_blocks)
        return false;
    while (pool->chunks != NULL) {
        struct telem_pool_chunk *next = pool->chunks->next;
        free(pool->chunks->blocks);
        free(pool->chunks);
        pool->chunks = next;
    }
    free((void *)(uintptr_t)pool->group.cols);
    free(pool->layout);
    free(pool);
    return true;
}

ARCD_RT void telem_batch_release(const struct telem_batch *batch)
{
    if (batch == NULL)
        return;
    struct telem_batch *b = (struct telem_batch *)(uintptr_t)batch; /* only its count changes */
    /* Release: our reads are done. Acquire, by the last one: so are everybody's, before the block
     * is written again. */
    if (atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) == 1)
        give_back(b->pool, b);
}

ARCD_RT bool telem_batch_append(struct telem_batch *batch, uint32_t c, union telem_value value,
                                int64_t utc_ns)
{
    struct telem_col *col = &batch->cols[c];
    if (col->n == batch->group->max_rows)
        return false;
    telem_store(batch->group->cols[c].type, telem_batch_col(batch, c), col->n, value);
    telem_batch_times(batch, c)[col->n++] = utc_ns;
    return true;
}

ARCD_RT bool telem_batch_put_text(struct telem_batch *batch, const char *bytes, uint32_t len,
                                  struct telem_str *str)
{
    if (len > batch->group->text_bytes - batch->text_used)
        return false;
    memcpy((char *)batch + batch->text_off + batch->text_used, bytes, len);
    *str = (struct telem_str){batch->text_used, len};
    batch->text_used += len;
    return true;
}

ARCD_RT bool telem_batch_append_str(struct telem_batch *batch, uint32_t c, const char *bytes,
                                    uint32_t len, int64_t utc_ns)
{
    struct telem_col *col = &batch->cols[c];
    struct telem_str str;
    if (col->n == batch->group->max_rows || !telem_batch_put_text(batch, bytes, len, &str))
        return false;
    ((struct telem_str *)telem_batch_col(batch, c))[col->n] = str;
    telem_batch_times(batch, c)[col->n++] = utc_ns;
    return true;
}
