/* A table of declarations in insertion order, and an open-addressing hash of names beside it.
 * Declarations are kept in chunks that never move, so that readers need no lock while the
 * supervisor adds. */
#include "telem/chan.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256, MAX_CHUNKS = (TELEM_CHAN_MAX + CHUNK) / CHUNK };
enum { HASH_SLOTS = 1 << 17 }; /* twice TELEM_CHAN_MAX: the probe stays short */

struct telem_chans {
    struct base_arena arena;
    uint32_t n;
    struct telem_chan_decl *chunks[MAX_CHUNKS];
    uint32_t *hash; /* key + 1, 0 = free */
};

static uint32_t hash_name(const char *name)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (; *name != '\0'; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

static struct telem_chan_decl *decl_at(const struct telem_chans *chans, uint32_t v)
{
    return &chans->chunks[v / CHUNK][v % CHUNK];
}

/* The slot that holds `name`, or the free one where it would go. */
static uint32_t *find_slot(const struct telem_chans *chans, const char *name)
{
    for (uint32_t i = hash_name(name) % HASH_SLOTS;; i = (i + 1) % HASH_SLOTS) {
        uint32_t *slot = &chans->hash[i];
        if (*slot == 0 || strcmp(decl_at(chans, *slot - 1)->name, name) == 0)
            return slot;
    }
}

struct telem_chans *telem_chans_new(void)
{
    struct telem_chans *chans = calloc(1, sizeof *chans);
    ARCD_ASSERT(chans != NULL);
    base_arena_init(&chans->arena);
    chans->hash = calloc(HASH_SLOTS, sizeof *chans->hash); /* untouched pages stay out of memory */
    ARCD_ASSERT(chans->hash != NULL);
    return chans;
}

void telem_chans_free(struct telem_chans *chans)
{
    if (chans == NULL)
        return;
    base_arena_fini(&chans->arena);
    free(chans->hash);
    free(chans);
}

bool telem_name_is_legal(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    static const char rest[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    size_t len = strlen(name);
    return len >= 1 && len <= TELEM_NAME_MAX && strchr(letters, name[0]) != NULL &&
           strspn(name, rest) == len;
}

/* The Driver's own statistic channels have one dot: "<automation>.jitter_us". */
static bool name_is_accepted(const char *name)
{
    size_t len = strlen(name);
    return len >= 1 && len <= 2 * (size_t)TELEM_NAME_MAX &&
           (telem_name_is_legal(name) || strchr(name, '.') != NULL);
}

enum arcd_err telem_chans_add(struct telem_chans *chans, const struct telem_chan_decl *decl,
                              struct telem_key *key, struct arcd_errinfo *why)
{
    if (!name_is_accepted(decl->name))
        return arcd_fail(
            why, ARCD_ERR_INVALID, 0,
            "'%s' is not a channel name: use letters, digits and _, not starting with a "
            "digit, at most %d characters",
            decl->name, TELEM_NAME_MAX);
    uint32_t *slot = find_slot(chans, decl->name);
    if (*slot != 0)
        return arcd_fail(why, ARCD_ERR_EXISTS, 0, "channel '%s' is declared twice", decl->name);
    if (chans->n == TELEM_CHAN_MAX)
        return arcd_fail(why, ARCD_ERR_FULL, 0, "more than %d channels", TELEM_CHAN_MAX);
    struct telem_chan_decl **chunk = &chans->chunks[chans->n / CHUNK];
    if (*chunk == NULL)
        *chunk = base_arena_array(&chans->arena, struct telem_chan_decl, CHUNK);
    struct telem_chan_decl *copy = decl_at(chans, chans->n);
    *copy = *decl;
    copy->name = base_arena_strdup(&chans->arena, decl->name);
    copy->unit = base_arena_strdup(&chans->arena, decl->unit != NULL ? decl->unit : "");
    copy->desc = base_arena_strdup(&chans->arena, decl->desc != NULL ? decl->desc : "");
    if (decl->initial_str != NULL)
        copy->initial_str = base_arena_strdup(&chans->arena, decl->initial_str);
    *key = (struct telem_key){chans->n};
    *slot = ++chans->n;
    return ARCD_OK;
}

void telem_chans_set_index(struct telem_chans *chans, struct telem_key key, struct telem_key index)
{
    ARCD_ASSERT(key.v < chans->n && index.v < chans->n);
    decl_at(chans, key.v)->index = index;
    decl_at(chans, index.v)->is_index = true;
}

uint32_t telem_chans_count(const struct telem_chans *chans)
{
    return chans->n;
}

struct telem_key telem_chans_find(const struct telem_chans *chans, const char *name)
{
    uint32_t slot = *find_slot(chans, name);
    return slot == 0 ? TELEM_NO_KEY : (struct telem_key){slot - 1};
}

const struct telem_chan_decl *telem_chans_decl(const struct telem_chans *chans,
                                               struct telem_key key)
{
    ARCD_ASSERT(key.v < chans->n);
    return decl_at(chans, key.v);
}

const char *telem_chans_name(const struct telem_chans *chans, struct telem_key key)
{
    return telem_chans_decl(chans, key)->name;
}
