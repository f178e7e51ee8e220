/* Authority. A gate's owner changes its own slot, then elects: it reads the channel's state, looks
 * at all slots, and swaps in the winner with the next version. A swap succeeds only when no other
 * election finished since the state was read, so the last election to finish has seen every slot
 * that was changed before it began: the holder is right once the changes stop, without a lock, and
 * the write path reads one word. */
#include "telem/bus_priv.h"

#include <stdlib.h>
#include <string.h>

static uint64_t slot_word(uint64_t ticket, uint8_t authority)
{
    return ticket << 16 | (uint64_t)authority << 8 | 1;
}

static bool word_is_open(uint64_t word)
{
    return (word & 1) != 0;
}

static uint8_t word_authority(uint64_t word)
{
    return (uint8_t)(word >> 8);
}

/* The winning slot + 1, or 0 when no gate is open. */
ARCD_RT static uint64_t best_slot(const struct chan_gate *gate)
{
    uint64_t best = 0, best_word = 0;
    for (uint32_t i = 0; i < TELEM_MAX_GATES; i++) {
        uint64_t word = atomic_load(&gate->slots[i].word);
        if (!word_is_open(word))
            continue;
        uint8_t mine = word_authority(word), theirs = word_authority(best_word);
        if (best == 0 || mine > theirs || (mine == theirs && word >> 16 < best_word >> 16)) {
            best = i + 1;
            best_word = word;
        }
    }
    return best;
}

ARCD_RT static void elect(struct chan_gate *gate)
{
    uint64_t state = atomic_load(&gate->state), next;
    do {
        next = ((state >> 16) + 1) << 16 | best_slot(gate);
    } while (!atomic_compare_exchange_weak(&gate->state, &state, next));
}

enum arcd_err telem_gate_open(struct telem_bus *bus, struct telem_pub *pub, uint32_t c,
                              uint8_t authority, struct arcd_errinfo *why)
{
    struct telem_key key = pub->pool->group.cols[c].key;
    struct chan_use *use = &bus->use[key.v];
    if (use->gate == NULL) {
        use->gate = aligned_alloc(ARCD_CACHELINE, sizeof *use->gate);
        if (use->gate == NULL)
            return arcd_fail(why, ARCD_ERR_NOMEM, 0, "out of memory for a gate");
        memset(use->gate, 0, sizeof *use->gate);
    }
    uint32_t i = 0;
    while (i < TELEM_MAX_GATES && use->gate->slots[i].pub != NULL)
        i++;
    if (i == TELEM_MAX_GATES)
        return arcd_fail(why, ARCD_ERR_FULL, 0, "channel '%s' has %d writers already",
                         telem_chans_name(bus->chans, key), TELEM_MAX_GATES);
    use->gate->slots[i].pub = pub;
    use->n_gates++;
    pub->gates[c] = (struct pub_gate){use->gate, i};
    uint64_t ticket = atomic_fetch_add(&bus->next_ticket, 1);
    atomic_store(&use->gate->slots[i].word, slot_word(ticket, authority));
    elect(use->gate);
    return ARCD_OK;
}

void telem_gate_close(struct telem_bus *bus, struct telem_pub *pub, uint32_t c)
{
    struct pub_gate *mine = &pub->gates[c];
    if (mine->gate == NULL)
        return;
    atomic_store(&mine->gate->slots[mine->slot].word, 0);
    elect(mine->gate);
    mine->gate->slots[mine->slot].pub = NULL;
    bus->use[pub->pool->group.cols[c].key.v].n_gates--;
    mine->gate = NULL;
}

ARCD_RT void telem_pub_set_authority(struct telem_pub *pub, uint32_t c, uint8_t authority)
{
    ARCD_ASSERT(pub->gates != NULL && c < pub->pool->group.n_cols);
    struct pub_gate mine = pub->gates[c];
    _Atomic uint64_t *word = &mine.gate->slots[mine.slot].word;
    if (word_authority(atomic_load(word)) == authority)
        return; /* no new ticket: it has had this authority all along */
    uint64_t ticket = atomic_fetch_add(&pub->bus->next_ticket, 1);
    atomic_store(word, slot_word(ticket, authority));
    elect(mine.gate);
}

ARCD_RT bool telem_pub_holds(const struct telem_pub *pub, uint32_t c)
{
    if (pub->gates == NULL)
        return true;
    struct pub_gate mine = pub->gates[c];
    return (atomic_load_explicit(&mine.gate->state, memory_order_acquire) & 0xffff) ==
           mine.slot + 1;
}

void telem_bus_holder(struct telem_bus *bus, struct telem_key key, struct telem_holder *holder)
{
    memset(holder, 0, sizeof *holder);
    pthread_mutex_lock(&bus->lock);
    const struct chan_gate *gate = key.v < bus->n_use ? bus->use[key.v].gate : NULL;
    uint64_t slot = gate != NULL ? atomic_load(&gate->state) & 0xffff : 0;
    if (slot != 0 && gate->slots[slot - 1].pub != NULL) {
        memcpy(holder->name, gate->slots[slot - 1].pub->name, sizeof holder->name);
        holder->authority = word_authority(atomic_load(&gate->slots[slot - 1].word));
    }
    pthread_mutex_unlock(&bus->lock);
}
