/* A read task: its life cycle and its loop. Rows become batches in read_rows.c. */
#include "tasks/read_priv.h"

#include "base/rtmark.h"

#include <math.h>
#include <stdlib.h>

#define COERCED_SHARE 0.001 /* of the rate: less than that is not worth a warning */

static struct read_task *read_of(struct tasks_task *task)
{
    return (struct read_task *)(void *)task;
}

/* ---- The loop */

ARCD_STEADY static int64_t flush_at(const struct read_task *r)
{
    return r->rows.n == 0 ? BASE_NEVER : r->rows.first_mono + (int64_t)r->batch_ns;
}

ARCD_STEADY static void say_coerced(struct read_task *r)
{
    if (fabs(r->rate_hz / r->asked_rate_hz - 1) <= COERCED_SHARE)
        return;
    struct tasks_status status = tasks_status_of(TASKS_EVENT_RATE_COERCED);
    status.a = r->rate_hz;
    tasks_board_post(&r->task.board, &status);
}

/* A call failed. Returns the time of the next step, or the end of the loop. */
ARCD_STEADY static int64_t failed(struct read_task *r, enum hw_class cls,
                                  const struct hw_error *error)
{
    struct tasks_task *task = &r->task;
    tasks_read_rows_publish(r); /* what was read before is good */
    tasks_task_runs(task, false);
    int64_t now = tasks_task_mono(task);
    enum tasks_verdict verdict = tasks_recovery_failed(&task->recovery, cls, error, now);
    if (verdict == TASKS_GIVE_UP)
        return tasks_task_faulted(task);
    /* An acquisition that was interrupted is not the same one any more: start it anew. Software
     * timing only asks again, unless the device wants the restart. */
    r->discard = r->is_hardware;
    if (r->is_hardware || verdict == TASKS_RESTART) {
        tasks_task_hw_stop(task);
        r->phase = READ_START;
    }
    if (!r->is_hardware)
        tasks_ticks_resume(&r->ticks, task->recovery.due_mono);
    return task->recovery.due_mono;
}

/* A start that failed before it ever ran is reported when it is decided: a critical error ends the
 * task as faulted before anyone was told that it runs. */
ARCD_STEADY static int64_t start_failed(struct read_task *r, enum hw_class cls,
                                        const struct hw_error *error)
{
    struct tasks_task *task = &r->task;
    int64_t now = tasks_task_mono(task);
    enum tasks_verdict verdict = tasks_recovery_failed(&task->recovery, cls, error, now);
    if (verdict == TASKS_GIVE_UP)
        return tasks_task_faulted(task);
    tasks_task_runs(task, false);
    return task->recovery.due_mono;
}

ARCD_STEADY static int64_t start(struct read_task *r)
{
    struct tasks_task *task = &r->task;
    bool again = task->has_started_once;
    struct hw_error error;
    enum hw_class cls = tasks_task_hw_start(task, TASKS_START_TIMEOUT_NS, &error);
    int64_t utc = base_clock_utc(task->clock), now = tasks_task_mono(task);
    if (tasks_loop_must_stop(&task->loop))
        return now; /* the next step ends it */
    if (cls != HW_NOMINAL)
        return start_failed(r, cls, &error);
    tasks_stamper_anchor(&r->stamper, utc);
    if (!again)
        tasks_ticks_start(&r->ticks, now, r->rate_hz);
    else if (!r->is_hardware)
        tasks_ticks_resume(&r->ticks, now);
    r->phase = READ_RUN;
    tasks_task_runs(task, true);
    if (!again)
        say_coerced(r);
    return now;
}

/* One call of the backend; fills the request's results. */
ARCD_STEADY static enum hw_class call_read(struct read_task *r, struct hw_error *error)
{
    struct tasks_task *task = &r->task;
    struct hw_read *request = &r->request;
    int64_t before = tasks_task_mono(task);
    tasks_read_rows_aim(r);
    request->n_want = r->is_hardware ? r->n_samples : 1;
    request->deadline_mono_ns = before + task->io_timeout_ns;
    request->n_got = 0;
    request->skew_samples = request->lost_samples = request->backlog_samples = 0;
    request->warning[0] = '\0';
    memset(error, 0, sizeof *error);
    error->channel = UINT32_MAX;
    base_rt_leave();
    enum hw_class cls = task->driver->loop->read(task->hw, request, error);
    base_rt_enter();
    ARCD_ASSERT(request->n_got <= request->n_want);
    r->pass_ns = tasks_task_mono(task) - before;
    task->board.counters.pass_us = r->pass_ns / BASE_NS_PER_US;
    tasks_task_hw_warning(task, request->warning, sizeof request->warning);
    return cls;
}

/* ---- Hardware timing */

ARCD_STEADY static void watch(struct read_task *r, enum tasks_event event, int64_t value,
                              int64_t limit)
{
    if (llabs(value) <= limit) {
        tasks_board_clear(&r->task.board, event);
    } else if (!tasks_board_is_lasting(&r->task.board, event)) {
        struct tasks_status status = tasks_status_of(event);
        status.n = value;
        tasks_board_post(&r->task.board, &status);
    }
}

ARCD_STEADY static void watch_device(struct read_task *r)
{
    struct tasks_counters *counters = &r->task.board.counters;
    counters->skew = r->request.skew_samples;
    counters->backlog = r->request.backlog_samples;
    watch(r, TASKS_EVENT_SKEW, counters->skew, r->skew_warn);
    watch(r, TASKS_EVENT_BACKLOG, counters->backlog, r->backlog_warn);
}

ARCD_STEADY static void say_clock(struct read_task *r, const struct tasks_stamp_report *report)
{
    struct tasks_board *board = &r->task.board;
    struct tasks_status status = tasks_status_of(
        report->stepped_forward ? TASKS_EVENT_CLOCK_FORWARD : TASKS_EVENT_CLOCK_BACKWARD);
    status.a = -report->error_ns * 1e-9;
    if (report->stepped_forward ||
        (report->stepped_backward && !tasks_board_is_lasting(board, TASKS_EVENT_CLOCK_BACKWARD)))
        tasks_board_post(board, &status);
    if (!report->stepped_backward)
        tasks_board_clear(board, TASKS_EVENT_CLOCK_BACKWARD);
}

/* The samples before this read are gone: the index shows it. */
ARCD_STEADY static void mark_loss(struct read_task *r, int64_t utc_ns)
{
    int64_t lost = r->request.lost_samples;
    if (lost == 0)
        return;
    struct tasks_status status =
        tasks_status_of(lost > 0 ? TASKS_EVENT_LOST : TASKS_EVENT_LOST_UNKNOWN);
    status.n = lost;
    tasks_board_post(&r->task.board, &status);
    if (lost > 0) {
        r->task.board.counters.lost_samples += lost;
        tasks_stamper_lost(&r->stamper, lost);
    } else {
        int64_t length = (int64_t)(r->request.n_got * (1e9 / r->rate_hz));
        tasks_stamper_anchor(&r->stamper, utc_ns - length);
    }
}

/* The rows of one hardware-timed read, stamped and published. */
ARCD_STEADY static void take_batch(struct read_task *r, int64_t utc_ns, int64_t mono_ns)
{
    uint32_t n = r->request.n_got;
    if (r->discard) {
        r->discard = false;
        r->task.board.counters.lost_samples += n;
        tasks_stamper_anchor(&r->stamper, utc_ns);
        return;
    }
    mark_loss(r, utc_ns);
    struct tasks_stamp_report report =
        tasks_stamper_batch(&r->stamper, n, utc_ns, mono_ns, r->rows.times);
    say_clock(r, &report);
    r->rows.n = n;
    for (uint32_t c = 0; c < r->n_channels; c++)
        r->rows.has_holes |= r->rows.valid[c] == 0;
    tasks_read_rows_publish(r);
}

/* A backend that returns nothing and reports nothing would make this thread spin. */
ARCD_STEADY static enum hw_class check_progress(struct read_task *r, enum hw_class cls,
                                                struct hw_error *error)
{
    static const char text[] = "the device gave no samples";
    if (cls != HW_NOMINAL || r->request.n_got > 0)
        return cls;
    memcpy(error->text, text, sizeof text);
    return HW_TEMPORARY;
}

ARCD_STEADY static int64_t run_hardware(struct read_task *r)
{
    struct tasks_task *task = &r->task;
    struct hw_error error;
    enum hw_class cls = call_read(r, &error);
    int64_t utc = base_clock_utc(task->clock), now = tasks_task_mono(task);
    if (r->request.n_got > 0)
        take_batch(r, utc, now);
    if (tasks_loop_must_stop(&task->loop))
        return now;
    cls = check_progress(r, cls, &error);
    if (cls != HW_NOMINAL)
        return failed(r, cls, &error);
    watch_device(r);
    tasks_recovery_worked(&task->recovery);
    return now;
}

/* ---- Software timing */

ARCD_STEADY static void watch_schedule(struct read_task *r, int64_t now)
{
    struct tasks_board *board = &r->task.board;
    int64_t pass_ns;
    board->counters.missed_ticks += tasks_ticks_done(&r->ticks, now, r->pass_ns);
    if (!tasks_ticks_too_slow(&r->ticks, now, &pass_ns)) {
        tasks_board_clear(board, TASKS_EVENT_MISSED_TICKS);
    } else if (!tasks_board_is_lasting(board, TASKS_EVENT_MISSED_TICKS)) {
        struct tasks_status status = tasks_status_of(TASKS_EVENT_MISSED_TICKS);
        status.a = r->rate_hz;
        status.b = (double)pass_ns * 1e-6;
        tasks_board_post(board, &status);
    }
}

ARCD_STEADY static int64_t run_pass(struct read_task *r)
{
    struct tasks_task *task = &r->task;
    struct hw_error error;
    int64_t before = tasks_task_mono(task), before_utc = base_clock_utc(task->clock);
    enum hw_class cls = call_read(r, &error);
    int64_t after_utc = base_clock_utc(task->clock), now = tasks_task_mono(task);
    if (r->request.n_got > 0)
        tasks_read_rows_add(r, tasks_stamper_pass(&r->stamper, before_utc, after_utc), before);
    if (r->rows.n == r->rows.room)
        tasks_read_rows_publish(r);
    if (tasks_loop_must_stop(&task->loop))
        return now;
    if (cls != HW_NOMINAL)
        return failed(r, cls, &error);
    watch_schedule(r, now);
    tasks_recovery_worked(&task->recovery);
    return tasks_earlier(tasks_ticks_due(&r->ticks), flush_at(r));
}

ARCD_STEADY static int64_t run_software(struct read_task *r)
{
    int64_t now = tasks_task_mono(&r->task), due = tasks_ticks_due(&r->ticks);
    if (now < due) {
        if (now >= flush_at(r))
            tasks_read_rows_publish(r);
        return tasks_earlier(due, flush_at(r));
    }
    /* A pass that will probably end too late must not keep waiting rows from going out in time. */
    if (r->rows.n > 0 && now + r->pass_ns > flush_at(r))
        tasks_read_rows_publish(r);
    return run_pass(r);
}

ARCD_STEADY static int64_t run(struct read_task *r)
{
    if (r->phase == READ_RUN)
        return r->is_hardware ? run_hardware(r) : run_software(r);
    int64_t due = r->task.recovery.due_mono;
    return tasks_task_mono(&r->task) < due ? due : start(r);
}

ARCD_STEADY int64_t tasks_read_step(void *ctx)
{
    struct read_task *r = ctx;
    if (tasks_loop_must_stop(&r->task.loop)) {
        tasks_board_set_state(&r->task.board, TASKS_STOPPING);
        tasks_read_rows_publish(r);
        return tasks_task_stopped(&r->task);
    }
    int64_t next = run(r);
    return next == TASKS_STEP_END ? next : tasks_task_end_step(&r->task, next);
}

/* ---- Open, close */

static void interrupt(void *ctx)
{
    struct tasks_task *task = ctx;
    task->driver->loop->interrupt(task->hw);
}

static enum arcd_err open(struct tasks_task *task, struct arcd_errinfo *why)
{
    struct read_task *r = read_of(task);
    struct telem_pub_opts opts = {.name = task->writer_name,
                                  .keys = r->keys,
                                  .n_keys = r->n_keys,
                                  .max_rows = r->n_samples,
                                  .text_bytes = r->text_bytes,
                                  .shared_times = r->is_hardware};
    enum arcd_err err = telem_pub_open(task->env.bus, &opts, &r->pub, why);
    if (err != ARCD_OK)
        return err;
    r->phase = READ_START;
    r->discard = false;
    r->pass_ns = 0;
    r->n_outside = 0;
    for (uint32_t c = 0; c < r->n_channels; c++)
        r->channels[c].is_outside = r->channels[c].said_nan = false;
    tasks_read_rows_clear(r);
    return ARCD_OK;
}

static void close(struct tasks_task *task)
{
    struct read_task *r = read_of(task);
    telem_pub_close(r->pub);
    r->pub = NULL;
    for (uint32_t c = 0; c < r->n_channels; c++)
        tasks_tare_ask(&r->channels[c].tare, TASKS_TARE_NONE);
}

static void figures(const struct tasks_task *task, struct tasks_figures *figures)
{
    const struct read_task *r = (const struct read_task *)(const void *)task;
    figures->direction = HW_READ;
    figures->sample_rate_hz = r->rate_hz;
    figures->stream_rate_hz = r->rate_hz / r->n_samples;
    figures->n_samples = r->n_samples;
}

/* Writes the tares when one has changed since they were written. */
static bool poll(struct tasks_task *task, struct arcd_errinfo *why)
{
    struct read_task *r = read_of(task);
    bool changed = false;
    for (uint32_t c = 0; c < r->n_channels && r->keep_tare; c++) {
        double value = tasks_tare_value(&r->channels[c].tare);
        changed |= value != r->kept[c].value;
        r->kept[c].value = value;
        r->kept[c].is_set = value != 0;
    }
    if (!changed)
        return true;
    if (tasks_keep_write(task->env.state_dir, task->name, "tare", r->kept, r->n_channels, why) ==
        ARCD_OK)
        return true;
    r->kept[0].value = NAN; /* differs from any tare: try again */
    return false;
}

static const struct tasks_task_ops read_ops = {
    .loop = {tasks_read_step, tasks_task_began, interrupt},
    .open = open,
    .close = close,
    .poll = poll,
    .figures = figures,
    .stop_patience_ns = 0,
};

/* ---- New */

static bool check_rates(const struct tasks_read_config *config, const struct hw_task_info *info)
{
    struct config_at at = config_member(config->hw->at, "sample_rate");
    double rate = config->rates->sample_rate_hz;
    const char *device = config->task->device != NULL ? config->task->device : config->driver->name;
    if (info->min_rate_hz > 0 && rate < info->min_rate_hz)
        return config_error(at, "%g Hz is below the minimum of %g Hz of %s", rate,
                            info->min_rate_hz, device);
    if (info->max_rate_hz > 0 && rate > info->max_rate_hz)
        return config_error(at, "%g Hz is above the maximum of %g Hz of %s", rate,
                            info->max_rate_hz, device);
    return config_rates_check_batch(config->hw->at, config->rates, info->n_channels);
}

static void init_channel(struct read_task *r, uint32_t c, const struct tasks_read_config *config)
{
    struct read_channel *channel = &r->channels[c];
    const struct telem_chans *chans = telem_bus_chans(r->task.env.bus);
    struct telem_key key = telem_chans_find(chans, config->hw->channels[c].channel);
    const struct telem_chan_decl *decl = telem_chans_decl(chans, key);
    channel->name = r->task.channel_names[c];
    channel->type = decl->type;
    channel->value = r->task.info->channels[c].value;
    channel->col = c;
    channel->min = decl->min;
    channel->max = decl->max;
    channel->is_limited = channel->value != HW_STR && (isfinite(decl->min) || isfinite(decl->max));
    if (channel->value == HW_STR)
        channel->str_bytes = r->task.info->channels[c].str_bytes;
    tasks_tare_init(&channel->tare, 0);
    tasks_task_scale(&r->task.arena, &config->channels[c].scale, &channel->scale);
    r->keys[c] = key;
    r->text_bytes += channel->str_bytes * r->n_samples;
}

/* The place of the channel's index in the group; adds it when it is new there. */
static uint32_t index_of(struct read_task *r, struct telem_key key)
{
    if (!telem_key_valid(key))
        return UINT32_MAX;
    for (uint32_t i = 0; i < r->n_indexes; i++)
        if (telem_key_equal(r->keys[r->index_cols[i]], key))
            return i;
    r->index_cols[r->n_indexes] = r->n_keys;
    r->keys[r->n_keys++] = key;
    return r->n_indexes++;
}

static void init_channels(struct read_task *r, const struct tasks_read_config *config)
{
    struct base_arena *arena = &r->task.arena;
    const uint32_t n = r->task.info->n_channels;
    r->n_channels = r->n_keys = n;
    r->channels = base_arena_array(arena, struct read_channel, n);
    r->index_cols = base_arena_array(arena, uint32_t, n);
    r->keys = base_arena_array(arena, struct telem_key, 2 * (size_t)n);
    for (uint32_t c = 0; c < n; c++)
        init_channel(r, c, config);
    const struct telem_chans *chans = telem_bus_chans(r->task.env.bus);
    for (uint32_t c = 0; c < n; c++)
        r->channels[c].index = index_of(r, telem_chans_decl(chans, r->keys[c])->index);
}

/* The tares of the run before. A file that cannot be used is a warning: the task starts untared. */
static void load_tares(struct read_task *r, const struct tasks_read_config *config)
{
    r->keep_tare = config->rates->keep_tare && r->task.env.state_dir[0] != '\0';
    if (!r->keep_tare)
        return;
    struct arcd_errinfo why;
    r->kept = base_arena_array(&r->task.arena, struct tasks_kept, r->n_channels);
    for (uint32_t c = 0; c < r->n_channels; c++)
        r->kept[c].name = r->channels[c].name;
    if (tasks_keep_read(r->task.env.state_dir, r->task.name, "tare", r->kept, r->n_channels,
                        &why) != ARCD_OK)
        config_warn(config->hw->at, "no tare was restored: %s", why.text);
    for (uint32_t c = 0; c < r->n_channels; c++)
        if (r->kept[c].is_set)
            tasks_tare_init(&r->channels[c].tare, r->kept[c].value);
}

static void init_read(struct read_task *r, const struct tasks_read_config *config)
{
    const struct hw_task_info *info = r->task.info;
    const struct config_rates *rates = config->rates;
    r->is_hardware = info->timing == HW_HARDWARE;
    r->asked_rate_hz = rates->sample_rate_hz;
    r->rate_hz =
        r->is_hardware && info->actual_rate_hz > 0 ? info->actual_rate_hz : rates->sample_rate_hz;
    r->n_samples = rates->n_samples;
    r->batch_ns = r->n_samples * (1e9 / r->rate_hz);
    r->skew_warn = rates->skew_warn_on_count;
    r->backlog_warn = rates->backlog_warn_on_count;
    init_channels(r, config);
    load_tares(r, config);
    tasks_stamper_init(&r->stamper, &r->task.env.skew, 1e9 / r->rate_hz);
    tasks_read_rows_init(r);
    base_arena_seal(&r->task.arena);
}

enum arcd_err tasks_read_new(const struct tasks_env *env, const struct tasks_read_config *config,
                             struct tasks_task **task, struct arcd_errinfo *why)
{
    struct tasks_build build = {.env = env,
                                .task = config->task,
                                .driver = config->driver,
                                .device = config->device,
                                .hw = config->hw,
                                .direction = HW_READ,
                                .default_priority = 45};
    struct read_task *r = aligned_alloc(ARCD_CACHELINE, (sizeof *r + ARCD_CACHELINE - 1) /
                                                            ARCD_CACHELINE * ARCD_CACHELINE);
    ARCD_ASSERT(r != NULL);
    memset(r, 0, sizeof *r);
    enum arcd_err err = tasks_task_init(&r->task, &read_ops, &build, why);
    if (err == ARCD_OK && !check_rates(config, r->task.info)) {
        err = arcd_fail(why, ARCD_ERR_CONFIG, 0, "the configuration of task '%s' is wrong",
                        config->task->name);
        tasks_task_fini(&r->task);
    }
    if (err != ARCD_OK) {
        free(r);
        return err;
    }
    init_read(r, config);
    *task = &r->task;
    return ARCD_OK;
}

/* ---- Tare */

/* Which channels a command names. */
static enum arcd_err choose(struct read_task *r, const char *const *names, uint32_t n, bool *chosen,
                            struct arcd_errinfo *why)
{
    for (uint32_t c = 0; c < r->n_channels; c++)
        chosen[c] = n == 0 && r->channels[c].value != HW_STR;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = 0;
        while (c < r->n_channels && strcmp(r->channels[c].name, names[i]) != 0)
            c++;
        if (c == r->n_channels)
            return arcd_fail(why, ARCD_ERR_NOTFOUND, 0, "channel '%s' is not part of this task",
                             names[i]);
        if (r->channels[c].value == HW_STR)
            return arcd_fail(why, ARCD_ERR_UNSUPPORTED, 0, "channel '%s' is not a number",
                             names[i]);
        chosen[c] = true;
    }
    return ARCD_OK;
}

static bool all_served(void *ctx)
{
    struct read_task *r = ctx;
    for (uint32_t c = 0; c < r->n_channels; c++)
        if (tasks_tare_is_pending(&r->channels[c].tare))
            return false;
    return true;
}

static enum arcd_err tare_locked(struct read_task *r, const bool *chosen, bool clear,
                                 uint32_t *n_done, struct arcd_errinfo *why)
{
    *n_done = 0;
    if (tasks_task_state(&r->task) != TASKS_RUNNING)
        return arcd_fail(why, ARCD_ERR_STATE, 0, "task is not running");
    for (uint32_t c = 0; c < r->n_channels; c++) {
        if (!chosen[c])
            continue;
        tasks_tare_ask(&r->channels[c].tare, clear ? TASKS_TARE_CLEAR : TASKS_TARE_SET);
        ++*n_done;
    }
    int64_t limit = 2 * (int64_t)r->batch_ns + r->task.io_timeout_ns;
    bool served = tasks_loop_await(&r->task.loop, all_served, r, limit);
    if (served && tasks_loop_is_running(&r->task.loop))
        return ARCD_OK;
    for (uint32_t c = 0; c < r->n_channels; c++)
        tasks_tare_ask(&r->channels[c].tare, TASKS_TARE_NONE);
    return arcd_fail(why, ARCD_ERR_TIMEOUT, 0, "no batch came to be tared");
}

enum arcd_err tasks_task_tare(struct tasks_task *task, const char *const *channels, uint32_t n,
                              bool clear, uint32_t *n_done, struct arcd_errinfo *why)
{
    if (task->ops != &read_ops)
        return arcd_fail(why, ARCD_ERR_UNSUPPORTED, 0, "task '%s' does not read", task->name);
    struct read_task *r = read_of(task);
    bool *chosen = calloc(r->n_channels, sizeof *chosen);
    ARCD_ASSERT(chosen != NULL);
    enum arcd_err err = choose(r, channels, n, chosen, why);
    if (err == ARCD_OK) {
        pthread_mutex_lock(&task->control);
        err = tare_locked(r, chosen, clear, n_done, why);
        pthread_mutex_unlock(&task->control);
    }
    free(chosen);
    return err;
}

double tasks_task_tare_of(const struct tasks_task *task, uint32_t i)
{
    const struct read_task *r = (const struct read_task *)(const void *)task;
    return task->ops == &read_ops && i < r->n_channels ? tasks_tare_value(&r->channels[i].tare) : 0;
}
