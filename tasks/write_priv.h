/* tasks/write_priv.h - the insides of a write task; for this folder and its tests only.
 *
 *     bus --take--> wish (physical) --inverse scale, cast--> raw --write--> device
 *                                                             \--forward--> state --> bus
 *
 * A channel's wish becomes dirty by a command, a safe value or a step of its slew limit, and clean
 * when the device has taken it (or refused it). What is dirty goes out in one call; while the
 * device does not take it, newer wishes replace older ones. The state is what the device took last,
 * brought back to physical units.
 */
#ifndef TASKS_WRITE_PRIV_H
#define TASKS_WRITE_PRIV_H

#include "tasks/keep.h"
#include "tasks/task_priv.h"
#include "tasks/ticks.h"

/* The device is interrupted when a stop has taken this long; then each of the calls that still try
 * to make the outputs safe gets TASKS_LAST_CALL_NS. Together about one second. */
#define TASKS_STOP_PATIENCE_NS (400 * BASE_NS_PER_MS)
#define TASKS_LAST_CALL_NS (250 * BASE_NS_PER_MS)

enum write_request { WRITE_NOTHING, WRITE_SAFE, WRITE_HOLDER_FAILED };

struct write_channel {
    const char *name; /* cmd_channel */
    struct telem_key key;
    enum telem_type type;
    enum hw_value value;
    uint32_t str_bytes;
    bool has_safe;
    double safe;
    enum config_output on_start, on_stop, on_fault;
    int64_t cmd_timeout_ns; /* 0: none */
    double min, max;
    double step;    /* largest change a state tick, 0: no slew limit */
    bool is_direct; /* nothing between command and device but the cast: 64 bits stay exact */
    struct tasks_scale scale, inverse;
    uint32_t state_col; /* in the published group, UINT32_MAX: no state channel */
    uint32_t index_col; /* of the state channel's index, UINT32_MAX: virtual */
    enum telem_type state_type;

    _Atomic uint32_t request;  /* enum write_request, from any thread */
    _Atomic uint64_t last_out; /* bits of the last commanded output, for the state folder */
    _Atomic bool has_last_out;

    /* The loop's own. */
    double target, at;     /* physical: where a slew-limited output goes, and is */
    union telem_value raw; /* the wish as the device wants it */
    char *text;            /* the wish of a text output */
    uint32_t text_len;
    bool is_dirty;
    bool by_command;       /* the wish is a command's, not a safe value */
    union telem_value out; /* what the device took */
    char *text_out;
    uint32_t text_out_len;
    bool state_changed; /* since it was published */
    int64_t last_cmd_mono;
    bool is_timed_out, is_clamped;
};

enum write_phase { WRITE_START, WRITE_RUN };

struct write_task {
    struct tasks_task task; /* first */
    double state_rate_hz;
    uint32_t n_channels;
    struct write_channel *channels;
    uint32_t *by_key; /* places of the channels, sorted by key */
    uint32_t n_keys;
    struct telem_key *keys; /* of the published group: states, then their indexes */
    bool *stamped;          /* [column]: an index that has its stamp in this batch */
    uint32_t text_bytes;
    struct telem_pub *pub; /* while open; NULL without a state channel */
    struct telem_sub *sub;
    bool keeps_last;
    struct tasks_kept *kept; /* [channel]: last outputs as written to the state folder */
    _Atomic uint32_t safe_asked, safe_done; /* counts of `safe` commands */
    _Atomic bool safe_refused;              /* the device did not take a safe value */

    /* The loop's own. */
    enum write_phase phase;
    struct tasks_ticks ticks; /* of the states */
    int64_t last_stamp_utc;
    int64_t last_call_mono;
    uint32_t n_timed_out, n_clamped;
    struct hw_write request;
    union telem_value *values;
    struct hw_str *strs;
    uint8_t *changed, *done;
};

/* One step of the loop, for the thread and for tests. */
ARCD_STEADY int64_t tasks_write_step(void *task);

extern const struct tasks_task_ops tasks_write_ops;

/* ---- tasks/write_out.c: wishes and states */

void tasks_write_out_init(struct write_task *w);

/* Takes all queued commands; the newest of each channel counts. */
ARCD_STEADY void tasks_write_take_commands(struct write_task *w, int64_t mono_ns);

/* The channel's safe value is its wish now, without any slew. */
ARCD_STEADY void tasks_write_wish_safe(struct write_task *w, uint32_t c);

/* The physical value is the wish now, without any slew. */
ARCD_STEADY void tasks_write_wish(struct write_task *w, uint32_t c, double value);

/* One step towards their targets for outputs with a slew limit. */
ARCD_STEADY void tasks_write_slew(struct write_task *w);

/* The output is this, without having been written (read back, or assumed before the first write).
 */
ARCD_STEADY void tasks_write_assume(struct write_task *w, uint32_t c, union telem_value raw);
ARCD_STEADY union telem_value tasks_write_to_device(const struct write_channel *channel,
                                                    double physical);

ARCD_STEADY bool tasks_write_is_dirty(const struct write_task *w);

/* Hands what is dirty to the device in one call, also when nothing is. Taken values become the
 * state; refused ones are said and forgotten. */
ARCD_STEADY enum hw_class tasks_write_call(struct write_task *w, int64_t timeout_ns,
                                           struct hw_error *error);

/* Publishes the states that changed, or all of them, with one stamp. */
ARCD_STEADY void tasks_write_publish(struct write_task *w, bool all);

#endif
