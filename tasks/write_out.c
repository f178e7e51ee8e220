/* From commands to device values, and from device values to states. */
#include "tasks/convert.h"
#include "tasks/write_priv.h"

#include "base/rtmark.h"

#include <math.h>

void tasks_write_out_init(struct write_task *w)
{
    struct base_arena *arena = &w->task.arena;
    const uint32_t n = w->n_channels;
    w->values = base_arena_array(arena, union telem_value, n);
    w->strs = base_arena_array(arena, struct hw_str, n);
    w->changed = base_arena_array(arena, uint8_t, n);
    w->done = base_arena_array(arena, uint8_t, n);
    w->stamped = base_arena_array(arena, bool, w->n_keys);
    for (uint32_t c = 0; c < n; c++) {
        struct write_channel *channel = &w->channels[c];
        channel->text = base_arena_array(arena, char, channel->str_bytes);
        channel->text_out = base_arena_array(arena, char, channel->str_bytes);
    }
}

/* ---- Wishes */

ARCD_STEADY static void say(struct write_task *w, enum tasks_event event, uint32_t c, double a,
                            double b)
{
    struct tasks_status status = tasks_status_of(event);
    status.channel = c;
    status.a = a;
    status.b = b;
    tasks_board_post(&w->task.board, &status);
}

ARCD_STEADY union telem_value tasks_write_to_device(const struct write_channel *channel,
                                                    double physical)
{
    tasks_scale_apply(&channel->inverse, &physical, 1);
    return tasks_convert_f64_device(physical, channel->value);
}

ARCD_STEADY static double to_physical(const struct write_channel *channel, union telem_value raw)
{
    double value = tasks_convert_device_f64(channel->value, raw);
    tasks_scale_apply(&channel->scale, &value, 1);
    return value;
}

ARCD_STEADY static void set_raw(struct write_channel *channel, union telem_value raw)
{
    channel->raw = raw;
    channel->is_dirty = true;
}

ARCD_STEADY void tasks_write_wish(struct write_task *w, uint32_t c, double value)
{
    struct write_channel *channel = &w->channels[c];
    channel->target = channel->at = value;
    channel->by_command = true;
    set_raw(channel, tasks_write_to_device(channel, value));
}

ARCD_STEADY void tasks_write_wish_safe(struct write_task *w, uint32_t c)
{
    struct write_channel *channel = &w->channels[c];
    if (!channel->has_safe)
        return;
    tasks_write_wish(w, c, channel->safe);
    channel->by_command = false;
}

ARCD_STEADY void tasks_write_assume(struct write_task *w, uint32_t c, union telem_value raw)
{
    struct write_channel *channel = &w->channels[c];
    channel->out = raw;
    if (channel->value == HW_STR || channel->is_dirty)
        return;
    channel->at = to_physical(channel, raw);
    if (!channel->by_command) /* a command that came before the start is still the target */
        channel->target = channel->at;
}

ARCD_STEADY bool tasks_write_is_dirty(const struct write_task *w)
{
    for (uint32_t c = 0; c < w->n_channels; c++)
        if (w->channels[c].is_dirty)
            return true;
    return false;
}

/* ---- Commands */

/* Commands outside the limits are moved to the nearest; each excursion is said once. */
ARCD_STEADY static double clamp(struct write_task *w, uint32_t c, double value)
{
    struct write_channel *channel = &w->channels[c];
    double clamped = fmin(fmax(value, channel->min), channel->max);
    bool is_clamped = clamped != value;
    if (is_clamped && !channel->is_clamped)
        say(w, TASKS_EVENT_CLAMPED, c, value, clamped);
    if (is_clamped != channel->is_clamped)
        w->n_clamped += is_clamped ? 1U : -1U;
    channel->is_clamped = is_clamped;
    if (w->n_clamped == 0)
        tasks_board_clear(&w->task.board, TASKS_EVENT_CLAMPED);
    return clamped;
}

ARCD_STEADY static bool take_number(struct write_task *w, uint32_t c, union telem_value value)
{
    struct write_channel *channel = &w->channels[c];
    double wide = telem_to_f64(channel->type, value);
    if (isnan(wide)) {
        say(w, TASKS_EVENT_NAN_IGNORED, c, 0, 0);
        return false;
    }
    if (channel->is_direct) {
        channel->at = channel->target = wide;
        set_raw(channel, tasks_convert_to_device(channel->type, value, channel->value));
        return true;
    }
    wide = clamp(w, c, wide);
    channel->target = wide;
    if (channel->step > 0)
        return true; /* the next state tick takes the first step */
    channel->at = wide;
    set_raw(channel, tasks_write_to_device(channel, wide));
    return true;
}

ARCD_STEADY static bool take_text(struct write_task *w, uint32_t c, const struct telem_batch *batch,
                                  struct telem_str text)
{
    struct write_channel *channel = &w->channels[c];
    if (text.len > channel->str_bytes) {
        struct tasks_status status = tasks_status_of(TASKS_EVENT_COMMAND_TOO_LONG);
        status.channel = c;
        status.n = text.len;
        tasks_board_post(&w->task.board, &status);
        return false;
    }
    memcpy(channel->text, telem_batch_text(batch, text), text.len);
    channel->text_len = text.len;
    channel->is_dirty = true;
    return true;
}

ARCD_STEADY static void note_command(struct write_task *w, uint32_t c, int64_t mono_ns,
                                     bool was_dirty)
{
    struct write_channel *channel = &w->channels[c];
    w->task.board.counters.superseded += was_dirty;
    channel->by_command = true;
    channel->last_cmd_mono = mono_ns;
    if (!channel->is_timed_out)
        return;
    channel->is_timed_out = false;
    if (--w->n_timed_out == 0)
        tasks_board_clear(&w->task.board, TASKS_EVENT_NO_COMMAND);
}

/* The place of a key among the channels; UINT32_MAX: not one of ours. */
ARCD_STEADY static uint32_t channel_of(const struct write_task *w, struct telem_key key)
{
    uint32_t low = 0, high = w->n_channels;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t v = w->channels[w->by_key[middle]].key.v;
        if (v == key.v)
            return w->by_key[middle];
        if (v < key.v)
            low = middle + 1;
        else
            high = middle;
    }
    return UINT32_MAX;
}

/* Of one batch only the last sample of each channel counts. */
ARCD_STEADY static void take_batch(struct write_task *w, const struct telem_batch *batch,
                                   int64_t mono_ns)
{
    for (uint32_t col = 0; col < batch->group->n_cols; col++) {
        uint32_t n = batch->cols[col].n;
        uint32_t c = n == 0 ? UINT32_MAX : channel_of(w, batch->group->cols[col].key);
        if (c == UINT32_MAX)
            continue;
        struct write_channel *channel = &w->channels[c];
        const void *column = telem_batch_col_const(batch, col);
        bool was_dirty = channel->is_dirty;
        bool taken = channel->value == HW_STR
                         ? take_text(w, c, batch, ((const struct telem_str *)column)[n - 1])
                         : take_number(w, c, telem_load(channel->type, column, n - 1));
        if (taken)
            note_command(w, c, mono_ns, was_dirty);
    }
}

ARCD_STEADY void tasks_write_take_commands(struct write_task *w, int64_t mono_ns)
{
    for (const struct telem_batch *batch; (batch = telem_sub_next(w->sub)) != NULL;) {
        take_batch(w, batch, mono_ns);
        telem_batch_release(batch);
    }
}

ARCD_STEADY void tasks_write_slew(struct write_task *w)
{
    for (uint32_t c = 0; c < w->n_channels; c++) {
        struct write_channel *channel = &w->channels[c];
        /* A step that the device has not taken yet is not followed by another. */
        if (channel->step == 0 || channel->is_dirty || channel->at == channel->target)
            continue;
        double way = channel->target - channel->at;
        channel->at = fabs(way) <= channel->step ? channel->target
                                                 : channel->at + copysign(channel->step, way);
        set_raw(channel, tasks_write_to_device(channel, channel->at));
    }
}

/* ---- The call */

ARCD_STEADY static void fill_request(struct write_task *w, int64_t timeout_ns)
{
    for (uint32_t c = 0; c < w->n_channels; c++) {
        const struct write_channel *channel = &w->channels[c];
        w->changed[c] = channel->is_dirty;
        w->done[c] = 0;
        w->values[c] = channel->raw;
        w->strs[c] = (struct hw_str){channel->text, channel->text_len};
    }
    w->request.values = w->values;
    w->request.strs = w->strs;
    w->request.changed = w->changed;
    w->request.done = w->done;
    w->request.warning[0] = '\0';
    w->request.deadline_mono_ns = tasks_task_mono(&w->task) + timeout_ns;
}

/* For the state folder: what a command asked for, not what a stop put out. */
ARCD_STEADY static void remember_last(struct write_channel *channel)
{
    if (!channel->by_command || channel->value == HW_STR)
        return;
    uint64_t bits;
    double value = to_physical(channel, channel->out);
    memcpy(&bits, &value, sizeof bits);
    atomic_store_explicit(&channel->last_out, bits, memory_order_relaxed);
    atomic_store_explicit(&channel->has_last_out, true, memory_order_release);
}

ARCD_STEADY static void taken(struct write_channel *channel)
{
    channel->is_dirty = false;
    channel->state_changed = true;
    channel->out = channel->raw;
    if (channel->value == HW_STR) {
        memcpy(channel->text_out, channel->text, channel->text_len);
        channel->text_out_len = channel->text_len;
    }
    remember_last(channel);
}

/* The device works, and did not take this value: it stays as it was, and is not asked again. */
ARCD_STEADY static void refused(struct write_task *w, uint32_t c)
{
    struct write_channel *channel = &w->channels[c];
    channel->is_dirty = false;
    if (!channel->by_command)
        atomic_store(&w->safe_refused, true);
    if (w->request.warning[0] == '\0')
        say(w, TASKS_EVENT_NOT_TAKEN, c, channel->at, 0);
    if (channel->value != HW_STR)
        channel->at = channel->target = to_physical(channel, channel->out);
}

ARCD_STEADY static void say_refused(struct write_task *w)
{
    struct tasks_status status = tasks_status_of(TASKS_EVENT_NOT_TAKEN_WHY);
    size_t len = strnlen(w->request.warning, sizeof w->request.warning - 1);
    if (len == 0)
        return;
    memcpy(status.text, w->request.warning, len);
    tasks_board_post(&w->task.board, &status);
}

ARCD_STEADY enum hw_class tasks_write_call(struct write_task *w, int64_t timeout_ns,
                                           struct hw_error *error)
{
    struct tasks_task *task = &w->task;
    fill_request(w, timeout_ns);
    memset(error, 0, sizeof *error);
    error->channel = UINT32_MAX;
    int64_t before = tasks_task_mono(task);
    base_rt_leave();
    enum hw_class cls = task->driver->loop->write(task->hw, &w->request, error);
    base_rt_enter();
    w->last_call_mono = tasks_task_mono(task);
    task->board.counters.pass_us = (w->last_call_mono - before) / BASE_NS_PER_US;
    task->board.counters.writes += cls == HW_NOMINAL;
    say_refused(w);
    bool interrupted = tasks_loop_must_stop(&task->loop);
    for (uint32_t c = 0; c < w->n_channels; c++) {
        if (w->changed[c] == 0)
            continue;
        if (w->done[c] != 0)
            taken(&w->channels[c]);
        else if (cls == HW_NOMINAL && !interrupted)
            refused(w, c);
    }
    return cls;
}

/* ---- States */

ARCD_STEADY static void append_state(struct write_task *w, uint32_t c, struct telem_batch *batch,
                                     int64_t utc_ns)
{
    const struct write_channel *channel = &w->channels[c];
    const uint32_t col = channel->state_col;
    bool fits;
    if (channel->value == HW_STR) {
        fits = telem_batch_append_str(batch, col, channel->text_out, channel->text_out_len, utc_ns);
    } else {
        /* Through a column of one, so that 64-bit integers stay exact here too. */
        uint64_t column[1] = {0};
        double physical = to_physical(channel, channel->out);
        if (channel->value != HW_F64 && tasks_scale_is_identity(&channel->scale))
            tasks_convert_copy(channel->value, &channel->out, 1, channel->state_type, column);
        else
            tasks_convert_narrow(&physical, 1, channel->state_type, column);
        fits = telem_batch_append(batch, col, telem_load(channel->state_type, column, 0), utc_ns);
    }
    ARCD_ASSERT(fits); /* one sample a column, and the text area holds the longest of each */
    if (channel->index_col == UINT32_MAX || w->stamped[channel->index_col])
        return;
    w->stamped[channel->index_col] = true;
    ARCD_ASSERT(
        telem_batch_append(batch, channel->index_col, (union telem_value){.i64 = utc_ns}, utc_ns));
}

ARCD_STEADY static bool is_due(const struct write_channel *channel, bool all)
{
    return channel->state_col != UINT32_MAX && (all || channel->state_changed);
}

ARCD_STEADY static bool any_due(const struct write_task *w, bool all)
{
    for (uint32_t c = 0; c < w->n_channels; c++)
        if (is_due(&w->channels[c], all))
            return true;
    return false;
}

ARCD_STEADY static void count_lost(struct write_task *w, bool all)
{
    for (uint32_t c = 0; c < w->n_channels; c++)
        if (is_due(&w->channels[c], all))
            telem_pub_count_lost(w->pub, w->channels[c].state_col, 1);
    w->task.board.counters.dropped_batches++;
    struct tasks_status status = tasks_status_of(TASKS_EVENT_NOT_PUBLISHED);
    status.n = 1;
    tasks_board_post(&w->task.board, &status);
}

ARCD_STEADY void tasks_write_publish(struct write_task *w, bool all)
{
    if (w->pub == NULL || !any_due(w, all))
        return;
    struct telem_batch *batch = telem_pub_borrow(w->pub);
    if (batch == NULL) {
        count_lost(w, all); /* still due: the next publish has it */
        return;
    }
    int64_t utc = base_clock_utc(w->task.clock);
    w->last_stamp_utc = utc > w->last_stamp_utc ? utc : w->last_stamp_utc + 1;
    memset(w->stamped, 0, w->n_keys * sizeof *w->stamped);
    for (uint32_t c = 0; c < w->n_channels; c++) {
        if (!is_due(&w->channels[c], all))
            continue;
        append_state(w, c, batch, w->last_stamp_utc);
        w->channels[c].state_changed = false;
    }
    w->task.board.counters.batches++;
    w->task.board.counters.samples++;
    telem_pub_publish(w->pub, batch);
}
