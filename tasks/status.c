#include "tasks/status.h"

_Static_assert(TASKS_EVENT_COUNT <= 64, "lasting warnings are bits of a word");
_Static_assert(sizeof(struct tasks_status) % 8 == 0, "copied as words");

enum lasting { ONCE, LASTING };

static const struct {
    uint8_t variant, lasting;
} traits[] = {
#define TRAIT(NAME, VARIANT, how, message) {TASKS_VARIANT_##VARIANT, how},
    TASKS_EVENTS(TRAIT)
#undef TRAIT
};

void tasks_board_init(struct tasks_board *board, struct base_arena *arena,
                      const struct tasks_board_opts *opts)
{
    *board = (struct tasks_board){.opts = *opts, .once_until_mono = BASE_NEVER};
    tasks_snap_init(&board->latest, arena, sizeof(struct tasks_status));
    tasks_snap_init(&board->last_error, arena, sizeof(struct tasks_status));
    tasks_snap_init(&board->counters_shown, arena, sizeof(struct tasks_counters));
    base_ring_init(&board->ring, arena, TASKS_STATUS_RING, sizeof(struct tasks_status));
    atomic_init(&board->not_sent, 0);
    board->now = tasks_status_of(TASKS_EVENT_CONFIGURED);
    tasks_snap_write(&board->latest, &board->now);
}

ARCD_STEADY struct tasks_status tasks_status_of(enum tasks_event event)
{
    struct tasks_status status;
    memset(&status, 0, sizeof status);
    status.event = event;
    status.channel = TASKS_NO_CHANNEL;
    return status;
}

/* FNV-1a. */
ARCD_STEADY static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

ARCD_STEADY static uint64_t hash_of(const struct tasks_status *status)
{
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), &status->event, sizeof status->event);
    hash = mix(hash, &status->channel, sizeof status->channel);
    if (status->event == TASKS_EVENT_RETRY)
        hash = mix(hash, &status->n, sizeof status->n);
    return mix(hash, status->text, strnlen(status->text, sizeof status->text));
}

/* Each of these is the outcome of a command, and those are never held back. */
ARCD_STEADY static bool always_sent(uint32_t event)
{
    return event <= TASKS_EVENT_STOPPED;
}

/* An outage that may last all night says so once a minute. */
ARCD_STEADY static int64_t repeat_ns(uint32_t event)
{
    return event == TASKS_EVENT_RETRY_FOREVER ? TASKS_STATUS_REMIND_NS : TASKS_STATUS_REPEAT_NS;
}

/* When this status may be sent, given what was sent lately: now, or when the repeat is over. */
ARCD_STEADY static int64_t may_send_at(struct tasks_board *board, uint64_t hash, int64_t mono_ns)
{
    for (uint32_t i = 0; i < board->n_memory; i++) {
        int64_t free_again = board->memory[i].sent_mono + repeat_ns(board->now.event);
        if (board->memory[i].hash == hash && free_again > mono_ns)
            return free_again;
    }
    return mono_ns;
}

ARCD_STEADY static void remember(struct tasks_board *board, uint64_t hash, int64_t mono_ns)
{
    for (uint32_t i = 0; i < board->n_memory; i++) {
        if (board->memory[i].hash == hash) {
            board->memory[i].sent_mono = mono_ns;
            return;
        }
    }
    board->memory[board->next_memory].hash = hash;
    board->memory[board->next_memory].sent_mono = mono_ns;
    board->next_memory = (board->next_memory + 1) % TASKS_STATUS_MEMORY;
    if (board->n_memory < TASKS_STATUS_MEMORY)
        board->n_memory++;
}

ARCD_STEADY static void send(struct tasks_board *board, int64_t mono_ns)
{
    uint64_t hash = hash_of(&board->now);
    int64_t at = always_sent(board->now.event) ? mono_ns : may_send_at(board, hash, mono_ns);
    board->held_back = at > mono_ns;
    board->send_at_mono = at;
    if (board->held_back)
        return;
    if (!base_ring_push(&board->ring, &board->now)) {
        /* Nobody takes statuses now; the newest is tried again. */
        atomic_fetch_add_explicit(&board->not_sent, 1, memory_order_relaxed);
        board->held_back = true;
        board->send_at_mono = mono_ns + BASE_NS_PER_S;
        return;
    }
    remember(board, hash, mono_ns);
    if (board->opts.bell != NULL)
        base_doorbell_ring(board->opts.bell);
}

ARCD_STEADY static void make_newest(struct tasks_board *board, const struct tasks_status *status)
{
    uint32_t state = board->now.state;
    board->now = *status;
    board->now.state = state;
    board->now.utc_ns = base_clock_utc(board->opts.clock);
    tasks_snap_write(&board->latest, &board->now);
    send(board, base_clock_mono(board->opts.clock));
}

ARCD_STEADY void tasks_board_post(struct tasks_board *board, const struct tasks_status *status)
{
    uint32_t variant = traits[status->event].variant;
    if (variant == TASKS_VARIANT_WARNING) {
        if (board->has_error)
            return;
        if (traits[status->event].lasting == LASTING)
            board->lasting |= UINT64_C(1) << status->event;
        else
            board->once_until_mono = base_clock_mono(board->opts.clock) + TASKS_STATUS_REPEAT_NS;
    }
    bool failing = status->event == TASKS_EVENT_RETRY || status->event == TASKS_EVENT_RETRY_FOREVER;
    if (failing && board->failures++ == 0)
        board->failing_since_mono = base_clock_mono(board->opts.clock);
    make_newest(board, status);
    if (variant == TASKS_VARIANT_ERROR) {
        board->has_error = true;
        tasks_snap_write(&board->last_error, &board->now);
    }
}

ARCD_STEADY void tasks_board_note(struct tasks_board *board, const struct tasks_status *status)
{
    struct tasks_status note = *status;
    note.state = board->now.state;
    note.utc_ns = base_clock_utc(board->opts.clock);
    if (!base_ring_push(&board->ring, &note))
        atomic_fetch_add_explicit(&board->not_sent, 1, memory_order_relaxed);
    else if (board->opts.bell != NULL)
        base_doorbell_ring(board->opts.bell);
}

ARCD_STEADY void tasks_board_set_state(struct tasks_board *board, enum tasks_state state)
{
    board->now.state = state;
    tasks_snap_write(&board->latest, &board->now);
}

ARCD_STEADY void tasks_board_state(struct tasks_board *board, enum tasks_state state,
                                   enum tasks_event event)
{
    board->now.state = state;
    struct tasks_status status = tasks_status_of(event);
    tasks_board_post(board, &status);
}

ARCD_STEADY bool tasks_board_is_lasting(const struct tasks_board *board, enum tasks_event event)
{
    return (board->lasting >> event & 1) != 0;
}

ARCD_STEADY static void post_running(struct tasks_board *board)
{
    struct tasks_status status = tasks_status_of(TASKS_EVENT_RUNNING);
    if (board->failures > 0) {
        status.failures = board->failures;
        status.failing_ns = base_clock_mono(board->opts.clock) - board->failing_since_mono;
        board->failures = 0;
    }
    tasks_board_post(board, &status);
}

ARCD_STEADY void tasks_board_clear(struct tasks_board *board, enum tasks_event event)
{
    if (!tasks_board_is_lasting(board, event))
        return;
    board->lasting &= ~(UINT64_C(1) << event);
    /* What is shown once still has its time; board_tick() says `Task running` after it. */
    if (board->lasting == 0 && board->once_until_mono == BASE_NEVER && !board->has_error)
        post_running(board);
}

ARCD_STEADY void tasks_board_begin(struct tasks_board *board)
{
    board->has_error = false;
    board->lasting = 0;
    board->failures = 0;
    board->once_until_mono = BASE_NEVER;
    board->held_back = false;
}

ARCD_STEADY int64_t tasks_board_tick(struct tasks_board *board, int64_t mono_ns)
{
    if (mono_ns >= board->once_until_mono) {
        board->once_until_mono = BASE_NEVER;
        if (board->lasting == 0 && !board->has_error)
            post_running(board);
    }
    if (board->held_back && mono_ns >= board->send_at_mono)
        send(board, mono_ns);
    int64_t next = board->held_back ? board->send_at_mono : BASE_NEVER;
    return next < board->once_until_mono ? next : board->once_until_mono;
}

ARCD_STEADY void tasks_board_show_counters(struct tasks_board *board)
{
    tasks_snap_write(&board->counters_shown, &board->counters);
}

void tasks_board_latest(const struct tasks_board *board, struct tasks_status *status)
{
    tasks_snap_read(&board->latest, status);
}

bool tasks_board_last_error(const struct tasks_board *board, struct tasks_status *status)
{
    tasks_snap_read(&board->last_error, status);
    return status->utc_ns != 0;
}

void tasks_board_counters(const struct tasks_board *board, struct tasks_counters *counters)
{
    tasks_snap_read(&board->counters_shown, counters);
}

bool tasks_board_next(struct tasks_board *board, struct tasks_status *status)
{
    return base_ring_pop(&board->ring, status);
}
