/* tasks/read_priv.h - the insides of a read task; for this folder and its tests only.
 *
 *     device --read--> rows (device values, stamps) --convert--> batch --publish--> bus
 *
 * Hardware timing: one read fills all rows of a batch. Software timing: one pass a row; the batch
 * goes out when its rows are full, or one stream period after its first.
 */
#ifndef TASKS_READ_PRIV_H
#define TASKS_READ_PRIV_H

#include "tasks/keep.h"
#include "tasks/tare.h"
#include "tasks/task_priv.h"
#include "tasks/ticks.h"

struct read_channel {
    const char *name;
    enum telem_type type;
    enum hw_value value;
    uint32_t str_bytes;
    uint32_t col;   /* in the published group */
    uint32_t index; /* place in read_task.indexes, UINT32_MAX: virtual */
    struct tasks_scale scale;
    struct tasks_tare tare;
    double min, max;
    bool is_limited; /* min or max is finite */
    bool is_outside;
    bool said_nan; /* once per start */
};

/* What was read and is not yet published. */
struct read_rows {
    uint32_t n, room; /* rows */
    int64_t first_mono;
    int64_t *times;             /* [row] */
    union telem_value *values;  /* [channel * room + row] */
    union telem_value **starts; /* [channel]: where the next read puts its values */
    uint8_t *valid;             /* [row * n_channels + channel] */
    bool has_holes;             /* some `valid` is 0 */
    struct hw_str *strs;        /* [channel]: of the last pass, the backend's memory */
    struct telem_str *texts;    /* [channel * room + row]: our copy, in text */
    char *text;
    uint32_t text_used, text_room;
};

enum read_phase { READ_START, READ_RUN };

struct read_task {
    struct tasks_task task; /* first */
    bool is_hardware;
    double asked_rate_hz, rate_hz;
    uint32_t n_samples; /* N */
    double batch_ns;    /* D */
    int64_t skew_warn, backlog_warn;
    bool keep_tare;
    struct tasks_kept *kept; /* [channel]: tares as last written, with keep_tare */

    uint32_t n_channels;
    struct read_channel *channels;
    uint32_t n_indexes;
    uint32_t *index_cols; /* in the group */
    uint32_t n_keys;
    struct telem_key *keys; /* of the group: data channels, then indexes */
    uint32_t text_bytes;    /* of a batch */
    struct telem_pub *pub;  /* while open */

    /* The loop's own. */
    enum read_phase phase;
    bool discard; /* hardware timing: the next read has no known time */
    struct tasks_stamper stamper;
    struct tasks_ticks ticks;
    struct read_rows rows;
    struct hw_read request;
    int64_t pass_ns; /* of the last call */
    uint32_t n_outside;
    double *scratch;                 /* [row] */
    union telem_value *scratch_row;  /* [row]: without holes */
    int64_t *scratch_times;          /* [row] */
    struct telem_str *scratch_texts; /* [row] */
    bool *scratch_index;             /* [row] */
};

/* One step of the loop, for the thread and for tests. */
ARCD_STEADY int64_t tasks_read_step(void *task);

/* tasks/read_rows.c */
void tasks_read_rows_init(struct read_task *r);
ARCD_STEADY void tasks_read_rows_clear(struct read_task *r);
ARCD_STEADY void tasks_read_rows_aim(struct read_task *r); /* request.values at the next free row */
ARCD_STEADY void tasks_read_rows_add(struct read_task *r, int64_t utc_ns, int64_t mono_ns);
ARCD_STEADY void tasks_read_rows_publish(struct read_task *r); /* and clears; nothing when empty */

#endif
