/* telem/bus.h - publish, subscribe, authority.
 *
 * Life cycle: bus_new -> publish_open / subscribe_open ... -> borrow, publish | next, release ...
 * -> close -> bus_free.
 *
 * A publisher announces its group (its channels) and gets a handle; a subscriber names channels and
 * gets the batches of every publisher that writes one of them, also of publishers that come later.
 * Each (publisher, subscriber) pair is a wait-free ring; each subscriber has one doorbell.
 *
 * Threads: open, close and the reading of counters are set-up calls: any thread but a real-time one
 * (they lock and allocate). A publisher handle belongs to one thread at a time, a subscriber handle
 * too: borrow, publish, next, wait and authority are theirs, real-time safe, and never block (but
 * for the wait).
 *
 * Full ring: the publisher never waits. A batch that does not fit replaces the one in the pair's
 * overflow place; when the subscriber comes back it drops what is older and continues with that
 * most recent batch. Every sample so lost is counted by channel. A publisher whose pool is empty
 * gets NULL from borrow and counts what it could not send.
 *
 * Authority: channels that several may write are commands; their publishers open a gate for each
 * (opts.gated). A gate has an authority from 0 to 255; the highest holds the channel, and among
 * equals the one that has had that authority longest. Samples of a gate that does not hold are left
 * out of the batch, silently, and counted. Checking is one atomic load. When a holder lowers,
 * closes or goes, the next resumes by itself.
 */
#ifndef TELEM_BUS_H
#define TELEM_BUS_H

#include "base/doorbell.h"
#include "telem/batch.h"

struct telem_bus;
struct telem_pub;
struct telem_sub;

struct telem_bus *telem_bus_new(struct telem_chans *chans);

/* All publishers and subscribers must be closed and all batches released. */
void telem_bus_free(struct telem_bus *bus);

struct telem_chans *telem_bus_chans(struct telem_bus *bus);

/* ---- Publisher
 * --------------------------------------------------------------------------------------------------
 */

struct telem_pub_opts {
    const char *name;             /* of the writer, for events and errors: "task 'Tank in'" */
    const struct telem_key *keys; /* the group, in column order; no key twice */
    uint32_t n_keys;
    uint32_t max_rows;          /* per column and batch, >= 1 */
    uint32_t text_bytes;        /* for str channels, 0 without */
    bool shared_times;          /* see telem/batch.h */
    bool gated;                 /* the channels are commands: arbitrate by authority */
    uint8_t authority;          /* gated: of every gate, until telem_pub_set_authority() */
    const uint8_t *authorities; /* gated: per column instead, or NULL */
};

/* BUSY: a channel already has an ungated publisher, or is gated here and not there. */
ARCD_MUST_CHECK enum arcd_err telem_pub_open(struct telem_bus *bus,
                                             const struct telem_pub_opts *opts,
                                             struct telem_pub **pub, struct arcd_errinfo *why);

/* Its gates close, its subscribers keep what they have. Waits for no one. */
void telem_pub_close(struct telem_pub *pub);

/* An empty batch of the group: every n 0, text area empty. NULL when all blocks are with consumers:
 * then the caller reports what it could not send with telem_pub_count_lost(). The caller fills it
 * and must publish it or give it back with telem_batch_release(). */
ARCD_RT struct telem_batch *telem_pub_borrow(struct telem_pub *pub);

/* Hands the batch to every subscriber and gives up the caller's reference. Gated columns that do
 * not hold their channel go out with n = 0; a batch with nothing left is not sent. */
ARCD_RT void telem_pub_publish(struct telem_pub *pub, struct telem_batch *batch);

/* Counts n samples of column c that could not be sent for want of a block. */
ARCD_RT void telem_pub_count_lost(struct telem_pub *pub, uint32_t c, uint32_t n);

/* Changes the authority of gate c. Takes effect before the next publish, for all writers of the
 * channel. */
ARCD_RT void telem_pub_set_authority(struct telem_pub *pub, uint32_t c, uint8_t authority);

/* True when column c is not gated or holds its channel now. */
ARCD_RT bool telem_pub_holds(const struct telem_pub *pub, uint32_t c);

const struct telem_group *telem_pub_group(const struct telem_pub *pub);

struct telem_pub_stats {
    uint64_t batches;  /* published */
    uint64_t samples;  /* in them */
    uint64_t lost;     /* samples not sent: no free block */
    uint64_t withheld; /* samples left out: no authority */
};

void telem_pub_get_stats(const struct telem_pub *pub, struct telem_pub_stats *stats);

/* ---- Subscriber
 * -------------------------------------------------------------------------------------------------
 */

struct telem_sub_opts {
    const char *name;
    const struct telem_key *keys;
    uint32_t n_keys;
    uint32_t queue;             /* batches per publisher, 2 to 1024 */
    struct base_doorbell *bell; /* the owner's own bell, shared by several subscribers of one
                                   thread; NULL: one of ours */
};

ARCD_MUST_CHECK enum arcd_err telem_sub_open(struct telem_bus *bus,
                                             const struct telem_sub_opts *opts,
                                             struct telem_sub **sub, struct arcd_errinfo *why);

/* Releases what is queued. Batches that the owner still holds stay valid until released. */
void telem_sub_close(struct telem_sub *sub);

struct base_doorbell *telem_sub_bell(struct telem_sub *sub);

/* The oldest queued batch of any publisher (by publication time), or NULL. The caller releases it.
 */
ARCD_RT const struct telem_batch *telem_sub_next(struct telem_sub *sub);

/* True when telem_sub_next() would return a batch. */
ARCD_RT bool telem_sub_ready(struct telem_sub *sub);

/* Samples dropped for this subscriber since it opened: the total, and per key of opts.keys (opts'
 * order; NULL: no need). Any thread. */
uint64_t telem_sub_dropped(const struct telem_sub *sub, uint64_t *by_key);

/* Batches dropped. Any thread. */
uint64_t telem_sub_dropped_batches(const struct telem_sub *sub);

/* Largest rows and text bytes of any batch that this subscriber can get now. Changes when
 * publishers come and go. */
void telem_sub_limits(struct telem_sub *sub, uint32_t *max_rows, uint32_t *max_text_bytes);

/* ---- Authority, seen from outside
 * ------------------------------------------------------------------------------- */

struct telem_holder {
    char name[TELEM_NAME_MAX +
              32]; /* of the publisher that holds the channel; "" when nobody does */
    uint8_t authority;
};

/* Who holds a gated channel now. */
void telem_bus_holder(struct telem_bus *bus, struct telem_key key, struct telem_holder *holder);

#endif
