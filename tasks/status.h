/* tasks/status.h - what a task says about itself: the newest status, its history, its counters.
 *
 * Life cycle: board_init -> [board_begin] -> board_post, board_clear, board_tick ... (no fini; the
 * memory is the arena's).
 *
 * Threads: one writer at a time: the task's thread while it runs, the thread that holds the task's
 * control lock otherwise. Any thread reads the newest status, the last error and the counters, each
 * as a consistent copy, and never makes the writer wait. One thread, the supervisor's, takes the
 * statuses out of the ring in order; it is woken through its bell.
 *
 * Rules: an error wins over later warnings until the next start. The same status is not sent again
 * within 5 s (the last 50 are remembered); messages that differ only in their numbers count as the
 * same, but for the numbers of retries when they are limited; a retry without a limit is said once
 * a minute. What was held back is sent when its time is over, if it is still the state of the task,
 * so that the last status sent is always true.
 */
#ifndef TASKS_STATUS_H
#define TASKS_STATUS_H

#include "base/clock.h"
#include "base/doorbell.h"
#include "base/ring.h"
#include "tasks/event.h"
#include "tasks/snap.h"

enum tasks_state {
    TASKS_CONFIGURED,
    TASKS_STARTING,
    TASKS_RUNNING,
    TASKS_STOPPING,
    TASKS_FAULTED,
};

enum { TASKS_STATUS_RING = 64, TASKS_STATUS_MEMORY = 50, TASKS_STATUS_TEXT = 320 };
#define TASKS_STATUS_REPEAT_NS (5 * BASE_NS_PER_S)
#define TASKS_STATUS_REMIND_NS (60 * BASE_NS_PER_S)
#define TASKS_NO_CHANNEL UINT32_MAX

struct tasks_status {
    uint32_t event;   /* enum tasks_event: gives variant and message */
    uint32_t state;   /* enum tasks_state */
    uint32_t channel; /* {ch}: place in the task, TASKS_NO_CHANNEL: none */
    uint32_t reserved;
    int64_t utc_ns;
    int64_t code; /* the library's number, 0: none */
    int64_t n, m;
    double a, b, c;
    uint64_t failures;            /* RUNNING after retries: how many calls failed ... */
    int64_t failing_ns;           /* ... in how long */
    char text[TASKS_STATUS_TEXT]; /* {text}, NUL-terminated */
};

/* X(name): counted since the task was configured, but `skew`, `backlog` and `pass_us`, which are of
 * now. Samples are per channel. */
#define TASKS_COUNTERS(X)                                                                          \
    X(batches)         /* published */                                                             \
    X(samples)         /* published */                                                             \
    X(skew)            /* acquired less read */                                                    \
    X(backlog)         /* unread in the device, where it says */                                   \
    X(dropped_batches) /* not published: no free block */                                          \
    X(lost_samples)    /* known to be lost */                                                      \
    X(restarts)        /* of the hardware, by us */                                                \
    X(missed_ticks)    /* skipped, software timing */                                              \
    X(failures)        /* calls of the device that failed */                                       \
    X(writes)          /* calls that the device took */                                            \
    X(superseded)      /* commands replaced by a newer one before they were written */             \
    X(pass_us)         /* the last call's duration */

struct tasks_counters {
#define TASKS_COUNTER_FIELD(name) int64_t name;
    TASKS_COUNTERS(TASKS_COUNTER_FIELD)
#undef TASKS_COUNTER_FIELD
};

struct tasks_board_opts {
    const char *task;            /* name */
    const char *const *channels; /* names for {ch} */
    uint32_t n_channels;
    const struct base_clock *clock;
    struct base_doorbell *bell; /* of the thread that takes statuses; NULL: it looks by itself */
};

struct tasks_board {
    struct tasks_board_opts opts;
    struct tasks_snap latest, last_error, counters_shown;
    struct base_ring ring;
    _Atomic uint64_t not_sent; /* the ring was full */

    /* The writer's own. */
    struct tasks_counters counters;
    struct tasks_status now;
    bool has_error;
    uint64_t lasting; /* a bit for each lasting warning in force */
    int64_t once_until_mono;
    uint64_t failures;          /* retries since the task last ran well ... */
    int64_t failing_since_mono; /* ... and when the first was */
    bool held_back;             /* `now` was not sent */
    int64_t send_at_mono;
    struct {
        uint64_t hash;
        int64_t sent_mono;
    } memory[TASKS_STATUS_MEMORY];
    uint32_t n_memory, next_memory;
};

void tasks_board_init(struct tasks_board *board, struct base_arena *arena,
                      const struct tasks_board_opts *opts);

/* ---- The writer */

/* A status with everything but `event` at rest: fill in what its message names. */
ARCD_STEADY struct tasks_status tasks_status_of(enum tasks_event event);

/* Makes it the newest and sends it, unless a rule says otherwise. Sets its time and state. */
ARCD_STEADY void tasks_board_post(struct tasks_board *board, const struct tasks_status *status);

/* Sends it as a line of history: it is not the task's status, and no rule holds it back. */
ARCD_STEADY void tasks_board_note(struct tasks_board *board, const struct tasks_status *status);

/* As post, for messages without arguments; `state` becomes the task's. */
ARCD_STEADY void tasks_board_state(struct tasks_board *board, enum tasks_state state,
                                   enum tasks_event event);

/* The state that later statuses carry; says nothing by itself. */
ARCD_STEADY void tasks_board_set_state(struct tasks_board *board, enum tasks_state state);

/* The lasting warning is over. When it was the last one, `Task running` is posted. */
ARCD_STEADY void tasks_board_clear(struct tasks_board *board, enum tasks_event event);
ARCD_STEADY bool tasks_board_is_lasting(const struct tasks_board *board, enum tasks_event event);

/* A new start: the errors and warnings of the last run are forgotten. */
ARCD_STEADY void tasks_board_begin(struct tasks_board *board);

/* What is due by now: sends what was held back, ends what was shown once. Returns when to call
 * again, BASE_NEVER: not before the next post. */
ARCD_STEADY int64_t tasks_board_tick(struct tasks_board *board, int64_t mono_ns);

/* Shows board->counters, which the writer changes as it likes, to the readers. */
ARCD_STEADY void tasks_board_show_counters(struct tasks_board *board);

/* ---- Readers */

void tasks_board_latest(const struct tasks_board *board, struct tasks_status *status);
/* False when the task has had no error. */
bool tasks_board_last_error(const struct tasks_board *board, struct tasks_status *status);
void tasks_board_counters(const struct tasks_board *board, struct tasks_counters *counters);

/* The oldest status not yet taken; false when there is none. One thread. */
bool tasks_board_next(struct tasks_board *board, struct tasks_status *status);

#endif
