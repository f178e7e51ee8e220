/* telem/chan.h - channels: named, typed streams, checked once and numbered densely.
 *
 * Life cycle: chans_new -> chans_add ... -> read by everyone -> chans_free.
 * A key is the channel's place in the table, from 0, and never changes or is reused. Channels are
 * only ever added, by one thread at a time (the supervisor, at load and reload); names and
 * declarations of existing keys never change while a bus uses the table, so any thread reads them
 * without a lock. Texts are copied into the table.
 */
#ifndef TELEM_CHAN_H
#define TELEM_CHAN_H

#include "base/err.h"
#include "telem/type.h"

enum { TELEM_CHAN_MAX = 65535, TELEM_NAME_MAX = 64 };

/* A struct, so that a channel key and any other number do not mix. */
struct telem_key {
    uint32_t v;
};

#define TELEM_NO_KEY ((struct telem_key){UINT32_MAX})

static inline bool telem_key_valid(struct telem_key key)
{
    return key.v != UINT32_MAX;
}

static inline bool telem_key_equal(struct telem_key a, struct telem_key b)
{
    return a.v == b.v;
}

struct telem_chan_decl {
    const char *name; /* [A-Za-z_][A-Za-z0-9_]{0,63}; "<automation>.<statistic>" for arcd's own */
    enum telem_type type;
    struct telem_key
        index; /* the channel that carries its timestamps; TELEM_NO_KEY: none (virtual) */
    bool is_index;
    bool is_virtual;
    bool persist;
    const char *unit; /* display only; never NULL */
    const char *desc; /* never NULL */
    double min, max;  /* -inf, +inf when not given */
    bool has_initial;
    union telem_value initial;
    const char *initial_str; /* for a str channel */
    double dead_band;
};

struct telem_chans;

struct telem_chans *telem_chans_new(void);
void telem_chans_free(struct telem_chans *chans);

/* EXISTS: the name is taken; INVALID: not a legal name; FULL: more than TELEM_CHAN_MAX. */
ARCD_MUST_CHECK enum arcd_err telem_chans_add(struct telem_chans *chans,
                                              const struct telem_chan_decl *decl,
                                              struct telem_key *key, struct arcd_errinfo *why);

/* Makes `index` the index of `key`: used once while loading, when both are declared. */
void telem_chans_set_index(struct telem_chans *chans, struct telem_key key, struct telem_key index);

uint32_t telem_chans_count(const struct telem_chans *chans);

/* TELEM_NO_KEY when there is no such channel. */
struct telem_key telem_chans_find(const struct telem_chans *chans, const char *name);

/* Never NULL for a key of this table. */
const struct telem_chan_decl *telem_chans_decl(const struct telem_chans *chans,
                                               struct telem_key key);
const char *telem_chans_name(const struct telem_chans *chans, struct telem_key key);

bool telem_name_is_legal(const char *name);

#endif
