/* A write task: its loop and its commands. Values are made in write_out.c, the task in write_new.c.
 */
#include "tasks/write_priv.h"

#include "base/rtmark.h"

#include <math.h>
#include <stdlib.h>

static struct write_task *write_of(struct tasks_task *task)
{
    return (struct write_task *)(void *)task;
}

/* ---- The end: outputs get what on_stop or on_fault says */

ARCD_STEADY static void wish_last(struct write_task *w, bool fault)
{
    for (uint32_t c = 0; c < w->n_channels; c++) {
        struct write_channel *channel = &w->channels[c];
        channel->is_dirty = false; /* no more commands */
        if ((fault ? channel->on_fault : channel->on_stop) == CONFIG_OUTPUT_SAFE)
            tasks_write_wish_safe(w, c);
    }
}

/* One more try after the device was interrupted or was not there: short, the stop is waited for. */
ARCD_STEADY static void write_again(struct write_task *w, struct hw_error *error)
{
    tasks_task_hw_stop(&w->task);
    if (tasks_task_hw_start(&w->task, TASKS_LAST_CALL_NS, error) == HW_NOMINAL)
        (void)tasks_write_call(w, TASKS_LAST_CALL_NS, error);
}

ARCD_STEADY static void write_last(struct write_task *w, bool fault)
{
    static const char not_taken[] = "the device did not take them";
    struct hw_error error;
    memset(&error, 0, sizeof error);
    wish_last(w, fault);
    if (!tasks_write_is_dirty(w))
        return;
    enum hw_class cls = HW_NOMINAL;
    if (w->task.hw_started)
        cls = tasks_write_call(w, w->task.io_timeout_ns, &error);
    if (cls == HW_NOMINAL && tasks_write_is_dirty(w))
        write_again(w, &error);
    tasks_write_publish(w, false);
    if (!tasks_write_is_dirty(w))
        return;
    w->task.not_safe = true;
    if (error.text[0] == '\0')
        memcpy(error.text, not_taken, sizeof not_taken);
    struct tasks_status status = tasks_status_of(TASKS_EVENT_NOT_SAFE);
    size_t len = strnlen(error.text, sizeof error.text - 1);
    memcpy(status.text, error.text, len < sizeof status.text ? len : sizeof status.text - 1);
    status.code = error.code;
    tasks_board_note(&w->task.board, &status);
}

ARCD_STEADY static int64_t end_stopped(struct write_task *w)
{
    tasks_board_set_state(&w->task.board, TASKS_STOPPING);
    if (w->task.has_started_once)
        write_last(w, false);
    return tasks_task_stopped(&w->task);
}

ARCD_STEADY static int64_t end_faulted(struct write_task *w)
{
    if (w->task.has_started_once)
        write_last(w, true);
    return tasks_task_faulted(&w->task);
}

/* ---- Start */

/* What the outputs are before anything is written: as read back, else the safe value, else 0. */
ARCD_STEADY static void assume_outputs(struct write_task *w)
{
    struct tasks_task *task = &w->task;
    struct hw_error error;
    memset(&error, 0, sizeof error);
    memset(w->done, 0, w->n_channels);
    for (uint32_t c = 0; c < w->n_channels; c++) {
        const struct write_channel *channel = &w->channels[c];
        if (channel->value != HW_STR)
            tasks_write_assume(
                w, c, tasks_write_to_device(channel, channel->has_safe ? channel->safe : 0));
    }
    if (task->driver->loop->readback == NULL)
        return;
    base_rt_leave();
    enum hw_class cls = task->driver->loop->readback(task->hw, w->values, w->done, &error);
    base_rt_enter();
    if (cls != HW_NOMINAL) {
        tasks_task_hw_warning(task, error.text, sizeof error.text);
        return;
    }
    for (uint32_t c = 0; c < w->n_channels; c++)
        if (w->done[c] != 0 && w->channels[c].value != HW_STR)
            tasks_write_assume(w, c, w->values[c]);
}

ARCD_STEADY static double kept_value(const struct write_channel *channel)
{
    uint64_t bits = atomic_load_explicit(&channel->last_out, memory_order_relaxed);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* on_start, but a command that is waiting already is newer. */
ARCD_STEADY static void wish_first(struct write_task *w)
{
    for (uint32_t c = 0; c < w->n_channels; c++) {
        struct write_channel *channel = &w->channels[c];
        if (channel->by_command)
            continue;
        if (channel->on_start == CONFIG_OUTPUT_SAFE)
            tasks_write_wish_safe(w, c);
        else if (channel->on_start == CONFIG_OUTPUT_LAST && atomic_load(&channel->has_last_out))
            tasks_write_wish(w, c, fmin(fmax(kept_value(channel), channel->min), channel->max));
    }
}

ARCD_STEADY static void first_start(struct write_task *w, int64_t now)
{
    tasks_ticks_start(&w->ticks, now, w->state_rate_hz);
    w->last_call_mono = now;
    for (uint32_t c = 0; c < w->n_channels; c++)
        w->channels[c].last_cmd_mono = now;
    assume_outputs(w);
    wish_first(w);
}

/* False when the task is over. */
ARCD_STEADY static bool start(struct write_task *w)
{
    struct tasks_task *task = &w->task;
    bool again = task->has_started_once;
    struct hw_error error;
    enum hw_class cls = tasks_task_hw_start(task, TASKS_START_TIMEOUT_NS, &error);
    int64_t now = tasks_task_mono(task);
    if (tasks_loop_must_stop(&task->loop))
        return true; /* the next step ends it */
    if (cls != HW_NOMINAL) {
        bool goes_on = tasks_recovery_failed(&task->recovery, cls, &error, now) != TASKS_GIVE_UP;
        if (goes_on)
            tasks_task_runs(task, false);
        return goes_on;
    }
    if (!again)
        first_start(w, now);
    w->phase = WRITE_RUN;
    tasks_task_runs(task, true);
    return true;
}

/* ---- Run */

/* What other threads asked for. A safe value does not wait for a back-off to be over. */
ARCD_STEADY static uint32_t serve_requests(struct write_task *w, int64_t now)
{
    uint32_t asked = atomic_load(&w->safe_asked);
    for (uint32_t c = 0; c < w->n_channels; c++) {
        struct write_channel *channel = &w->channels[c];
        uint32_t request = WRITE_NOTHING;
        if (atomic_load_explicit(&channel->request, memory_order_relaxed) != WRITE_NOTHING)
            request = atomic_exchange(&channel->request, WRITE_NOTHING);
        if (request == WRITE_NOTHING ||
            (request == WRITE_HOLDER_FAILED && channel->on_fault != CONFIG_OUTPUT_SAFE))
            continue;
        tasks_write_wish_safe(w, c);
        w->task.recovery.due_mono = now;
        if (request == WRITE_HOLDER_FAILED) {
            struct tasks_status status = tasks_status_of(TASKS_EVENT_HOLDER_FAILED);
            status.channel = c;
            tasks_board_post(&w->task.board, &status);
        }
    }
    return asked;
}

ARCD_STEADY static void say_no_command(struct write_task *w, uint32_t c)
{
    struct tasks_status status = tasks_status_of(TASKS_EVENT_NO_COMMAND);
    status.channel = c;
    status.a = (double)w->channels[c].cmd_timeout_ns * 1e-9;
    tasks_board_post(&w->task.board, &status);
}

/* Returns when the next command is overdue. */
ARCD_STEADY static int64_t watch_commands(struct write_task *w, int64_t now)
{
    int64_t next = BASE_NEVER;
    if (!w->task.has_started_once)
        return next;
    for (uint32_t c = 0; c < w->n_channels; c++) {
        struct write_channel *channel = &w->channels[c];
        if (channel->cmd_timeout_ns == 0 || channel->is_timed_out)
            continue;
        int64_t due = channel->last_cmd_mono + channel->cmd_timeout_ns;
        if (now < due) {
            next = tasks_earlier(next, due);
            continue;
        }
        channel->is_timed_out = true;
        w->n_timed_out++;
        tasks_write_wish_safe(w, c);
        say_no_command(w, c);
    }
    return next;
}

/* True when the device must be called: there is something to write and it is time, or it wants to
 * be called now and then. */
ARCD_STEADY static bool must_call(const struct write_task *w, int64_t now)
{
    const int64_t tick_ns = w->task.info->tick_ns;
    if (now < w->task.recovery.due_mono)
        return false;
    return tasks_write_is_dirty(w) || (tick_ns > 0 && now - w->last_call_mono >= tick_ns);
}

ARCD_STEADY static int64_t next_call(const struct write_task *w)
{
    const int64_t tick_ns = w->task.info->tick_ns;
    if (tasks_write_is_dirty(w))
        return w->task.recovery.due_mono;
    if (tick_ns == 0)
        return BASE_NEVER;
    int64_t due = w->last_call_mono + tick_ns;
    return due > w->task.recovery.due_mono ? due : w->task.recovery.due_mono;
}

/* False when the task is over. */
ARCD_STEADY static bool call(struct write_task *w)
{
    struct tasks_task *task = &w->task;
    struct hw_error error;
    enum hw_class cls = tasks_write_call(w, task->io_timeout_ns, &error);
    if (tasks_loop_must_stop(&task->loop))
        return true; /* the next step ends it */
    if (cls == HW_NOMINAL) {
        tasks_recovery_worked(&task->recovery);
        return true;
    }
    switch (tasks_recovery_failed(&task->recovery, cls, &error, tasks_task_mono(task))) {
    case TASKS_WAIT: return true;
    case TASKS_RESTART:
        tasks_task_hw_stop(task);
        w->phase = WRITE_START;
        return true;
    case TASKS_GIVE_UP: break;
    }
    return false;
}

ARCD_STEADY static void answer_safe(struct write_task *w, uint32_t asked)
{
    if (asked == atomic_load(&w->safe_done) || tasks_write_is_dirty(w))
        return;
    atomic_store(&w->safe_done, asked);
    tasks_loop_tell(&w->task.loop);
}

/* What the device must do now. False when the task is over. */
ARCD_STEADY static bool drive(struct write_task *w, int64_t now, bool is_tick)
{
    if (w->phase == WRITE_START)
        return now < w->task.recovery.due_mono || start(w);
    if (is_tick)
        tasks_write_slew(w);
    return !must_call(w, now) || call(w);
}

ARCD_STEADY static int64_t run(struct write_task *w)
{
    int64_t now = tasks_task_mono(&w->task);
    uint32_t asked = serve_requests(w, now);
    tasks_write_take_commands(w, now);
    int64_t overdue = watch_commands(w, now);
    bool is_tick = w->task.has_started_once && now >= tasks_ticks_due(&w->ticks);
    bool goes_on = drive(w, now, is_tick);
    tasks_write_publish(w, is_tick);
    if (!goes_on)
        return end_faulted(w);
    answer_safe(w, asked);
    now = tasks_task_mono(&w->task);
    if (is_tick)
        w->task.board.counters.missed_ticks += tasks_ticks_done(&w->ticks, now, 0);
    int64_t next = w->phase == WRITE_START ? w->task.recovery.due_mono : next_call(w);
    if (w->task.has_started_once)
        next = tasks_earlier(next, tasks_ticks_due(&w->ticks));
    return tasks_earlier(next, overdue);
}

ARCD_STEADY int64_t tasks_write_step(void *ctx)
{
    struct write_task *w = ctx;
    if (tasks_loop_must_stop(&w->task.loop))
        return end_stopped(w);
    int64_t next = run(w);
    return next == TASKS_STEP_END ? next : tasks_task_end_step(&w->task, next);
}

/* ---- Open, close */

static void interrupt(void *ctx)
{
    struct tasks_task *task = ctx;
    task->driver->loop->interrupt(task->hw);
}

static enum arcd_err open_publisher(struct write_task *w, struct arcd_errinfo *why)
{
    struct telem_pub_opts opts = {.name = w->task.writer_name,
                                  .keys = w->keys,
                                  .n_keys = w->n_keys,
                                  .max_rows = 1,
                                  .text_bytes = w->text_bytes};
    w->pub = NULL;
    return w->n_keys == 0 ? ARCD_OK : telem_pub_open(w->task.env.bus, &opts, &w->pub, why);
}

static enum arcd_err open_subscriber(struct write_task *w, struct arcd_errinfo *why)
{
    struct telem_key *keys = calloc(w->n_channels, sizeof *keys);
    ARCD_ASSERT(keys != NULL);
    for (uint32_t c = 0; c < w->n_channels; c++)
        keys[c] = w->channels[c].key;
    struct telem_sub_opts opts = {.name = w->task.writer_name,
                                  .keys = keys,
                                  .n_keys = w->n_channels,
                                  .queue = 16,
                                  .bell = &w->task.loop.bell};
    enum arcd_err err = telem_sub_open(w->task.env.bus, &opts, &w->sub, why);
    free(keys);
    return err;
}

static void forget_run(struct write_task *w)
{
    w->phase = WRITE_START;
    w->task.recovery.due_mono = 0;
    w->n_timed_out = w->n_clamped = 0;
    for (uint32_t c = 0; c < w->n_channels; c++) {
        struct write_channel *channel = &w->channels[c];
        channel->is_dirty = channel->state_changed = channel->by_command = false;
        channel->is_timed_out = channel->is_clamped = false;
        channel->text_len = channel->text_out_len = 0;
        channel->at = channel->target = 0;
        atomic_store(&channel->request, WRITE_NOTHING);
    }
    atomic_store(&w->safe_done, atomic_load(&w->safe_asked));
}

static enum arcd_err open(struct tasks_task *task, struct arcd_errinfo *why)
{
    struct write_task *w = write_of(task);
    enum arcd_err err = open_publisher(w, why);
    if (err != ARCD_OK)
        return err;
    err = open_subscriber(w, why);
    if (err != ARCD_OK) {
        if (w->pub != NULL)
            telem_pub_close(w->pub);
        return err;
    }
    forget_run(w);
    return ARCD_OK;
}

static void close(struct tasks_task *task)
{
    struct write_task *w = write_of(task);
    telem_sub_close(w->sub);
    if (w->pub != NULL)
        telem_pub_close(w->pub);
    w->sub = NULL;
    w->pub = NULL;
}

static void figures(const struct tasks_task *task, struct tasks_figures *figures)
{
    const struct write_task *w = (const struct write_task *)(const void *)task;
    figures->direction = HW_WRITE;
    figures->stream_rate_hz = w->state_rate_hz;
}

/* Writes the last commanded outputs when one has changed since they were written. */
static bool poll(struct tasks_task *task, struct arcd_errinfo *why)
{
    struct write_task *w = write_of(task);
    bool changed = false;
    for (uint32_t c = 0; c < w->n_channels && w->keeps_last; c++) {
        const struct write_channel *channel = &w->channels[c];
        if (channel->on_start != CONFIG_OUTPUT_LAST ||
            !atomic_load_explicit(&channel->has_last_out, memory_order_acquire))
            continue;
        double value = kept_value(channel);
        changed |= !w->kept[c].is_set || value != w->kept[c].value;
        w->kept[c].value = value;
        w->kept[c].is_set = true;
    }
    if (!changed)
        return true;
    if (tasks_keep_write(task->env.state_dir, task->name, "last", w->kept, w->n_channels, why) ==
        ARCD_OK)
        return true;
    for (uint32_t c = 0; c < w->n_channels; c++)
        w->kept[c].is_set = false; /* try again */
    return false;
}

const struct tasks_task_ops tasks_write_ops = {
    .loop = {tasks_write_step, tasks_task_began, interrupt},
    .open = open,
    .close = close,
    .poll = poll,
    .figures = figures,
    .stop_patience_ns = TASKS_STOP_PATIENCE_NS,
};

/* ---- Commands */

static bool is_served(void *ctx)
{
    struct write_task *w = ctx;
    return atomic_load(&w->safe_done) == atomic_load(&w->safe_asked);
}

static enum arcd_err safe_locked(struct write_task *w, struct arcd_errinfo *why)
{
    if (tasks_task_state(&w->task) != TASKS_RUNNING)
        return arcd_fail(why, ARCD_ERR_STATE, 0, "task is not running");
    atomic_store(&w->safe_refused, false);
    for (uint32_t c = 0; c < w->n_channels; c++)
        atomic_store(&w->channels[c].request, WRITE_SAFE);
    atomic_fetch_add(&w->safe_asked, 1);
    base_doorbell_ring(&w->task.loop.bell);
    /* A call that is under way, and the one with the safe values. */
    int64_t limit = 2 * w->task.io_timeout_ns + BASE_NS_PER_S;
    tasks_loop_await(&w->task.loop, is_served, w, limit);
    if (!is_served(w))
        return arcd_fail(why, ARCD_ERR_TIMEOUT, 0,
                         "outputs are not safe yet: the device does not take them; still trying");
    if (atomic_load(&w->safe_refused))
        return arcd_fail(why, ARCD_ERR_DEVICE, 0, "the device refused a safe value");
    return ARCD_OK;
}

enum arcd_err tasks_task_safe(struct tasks_task *task, struct arcd_errinfo *why)
{
    if (task->ops != &tasks_write_ops)
        return arcd_fail(why, ARCD_ERR_UNSUPPORTED, 0, "task '%s' does not write", task->name);
    pthread_mutex_lock(&task->control);
    enum arcd_err err = safe_locked(write_of(task), why);
    pthread_mutex_unlock(&task->control);
    return err;
}

void tasks_task_holder_failed(struct tasks_task *task, const struct telem_key *channels, uint32_t n)
{
    if (task->ops != &tasks_write_ops)
        return;
    struct write_task *w = write_of(task);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = 0; c < w->n_channels; c++)
            if (telem_key_equal(w->channels[c].key, channels[i]))
                atomic_store(&w->channels[c].request, WRITE_HOLDER_FAILED);
    base_doorbell_ring(&task->loop.bell);
}
