/* telem/batch.h - the block of samples that moves through arcd.
 *
 * A batch is one cache-aligned block from its publisher's pool. Its columns are the channels of one
 * group (what one publisher writes together), in the group's order; column c holds batch->cols[c].n
 * samples, oldest first, and as many timestamps (UTC ns). A read task's columns share one timestamp
 * column and have equal n; an automation's columns have their own, since each channel is written
 * when the program says so. n may be 0.
 *
 *   +--------+------+---------+---------+-----+----------+
 *   | header | cols | times   | column 0| ... | text area|     every column starts on a cache line
 *   +--------+------+---------+---------+-----+----------+
 *
 * Threads: the publisher alone writes a batch, and only until it is published; from then on it is
 * read-only. Consumers hold counted references, taken by the bus; the last telem_batch_release()
 * gives the block back to the pool without a lock, from any thread.
 */
#ifndef TELEM_BATCH_H
#define TELEM_BATCH_H

#include "telem/chan.h"

#include <stdatomic.h>

/* One channel of a group. */
struct telem_group_col {
    struct telem_key key;
    enum telem_type type;
};

/* What one publisher writes together. Immutable; lives as long as any batch of it. */
struct telem_group {
    uint32_t n_cols;
    uint32_t max_rows;   /* samples per column that a batch has room for */
    uint32_t text_bytes; /* room for the bytes of str samples */
    bool shared_times;   /* one timestamp column for all (read tasks), or one each (automations) */
    const struct telem_group_col *cols;
    size_t block_bytes; /* of one batch, header included */
};

struct telem_pool;

struct telem_col {
    uint32_t n;        /* samples */
    uint32_t data_off; /* from the start of the batch */
    uint32_t time_off;
};

struct telem_batch {
    _Atomic uint32_t refs;
    uint32_t text_used; /* bytes used in the text area */
    uint32_t text_off;
    uint32_t reserved;
    int64_t published_mono_ns; /* when the publisher handed it over: orders batches of several
                                  publishers */
    uint64_t seq;              /* 0, 1, 2 ... per publisher: a gap is a drop */
    const struct telem_group *group;
    struct telem_pool *pool;
    struct telem_batch *next_free;
    struct telem_col cols[];
};

static inline void *telem_batch_col(struct telem_batch *batch, uint32_t c)
{
    return (unsigned char *)batch + batch->cols[c].data_off;
}

static inline int64_t *telem_batch_times(struct telem_batch *batch, uint32_t c)
{
    return (int64_t *)(void *)((unsigned char *)batch + batch->cols[c].time_off);
}

static inline const void *telem_batch_col_const(const struct telem_batch *batch, uint32_t c)
{
    return (const unsigned char *)batch + batch->cols[c].data_off;
}

static inline const int64_t *telem_batch_times_const(const struct telem_batch *batch, uint32_t c)
{
    return (const int64_t *)(const void *)((const unsigned char *)batch + batch->cols[c].time_off);
}

/* The bytes of a str sample. */
static inline const char *telem_batch_text(const struct telem_batch *batch, struct telem_str str)
{
    return (const char *)batch + batch->text_off + str.offset;
}

/* Appends a number to column c at utc_ns; false when the column is full. Not for groups with shared
 * times, whose publisher fills whole columns and sets n itself. */
ARCD_RT bool telem_batch_append(struct telem_batch *batch, uint32_t c, union telem_value value,
                                int64_t utc_ns);

/* Appends a str; false when the column or the text area is full. */
ARCD_RT bool telem_batch_append_str(struct telem_batch *batch, uint32_t c, const char *bytes,
                                    uint32_t len, int64_t utc_ns);

/* Puts the bytes of a str sample into the text area and fills *str; false when it does not fit. */
ARCD_RT bool telem_batch_put_text(struct telem_batch *batch, const char *bytes, uint32_t len,
                                  struct telem_str *str);

/* Gives one reference back. NULL is allowed. */
ARCD_RT void telem_batch_release(const struct telem_batch *batch);

#endif
