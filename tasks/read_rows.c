/* From rows of device values to a batch on the bus. */
#include "tasks/convert.h"
#include "tasks/read_priv.h"

#include <math.h>

void tasks_read_rows_init(struct read_task *r)
{
    struct base_arena *arena = &r->task.arena;
    struct read_rows *rows = &r->rows;
    const size_t n = r->n_samples, cells = n * r->n_channels;
    rows->room = r->n_samples;
    rows->text_room = r->text_bytes;
    rows->times = base_arena_array(arena, int64_t, n);
    rows->values = base_arena_array(arena, union telem_value, cells);
    rows->starts = base_arena_array(arena, union telem_value *, r->n_channels);
    rows->valid = base_arena_array(arena, uint8_t, r->is_hardware ? r->n_channels : cells);
    rows->strs = base_arena_array(arena, struct hw_str, r->n_channels);
    rows->text = base_arena_array(arena, char, r->text_bytes);
    rows->texts = base_arena_array(arena, struct telem_str, r->text_bytes > 0 ? cells : 0);
    r->scratch = base_arena_array(arena, double, n);
    r->scratch_row = base_arena_array(arena, union telem_value, n);
    r->scratch_times = base_arena_array(arena, int64_t, n);
    r->scratch_texts = base_arena_array(arena, struct telem_str, n);
    r->scratch_index = base_arena_array(arena, bool, n);
}

ARCD_STEADY void tasks_read_rows_clear(struct read_task *r)
{
    r->rows.n = 0;
    r->rows.text_used = 0;
    r->rows.has_holes = false;
}

ARCD_STEADY void tasks_read_rows_aim(struct read_task *r)
{
    struct read_rows *rows = &r->rows;
    for (uint32_t c = 0; c < r->n_channels; c++)
        rows->starts[c] = rows->values + (size_t)c * rows->room + rows->n;
    r->request.values = rows->starts;
    r->request.strs = rows->strs;
    r->request.valid = rows->valid + (size_t)rows->n * r->n_channels;
    memset(r->request.valid, 1, r->n_channels);
}

/* ---- Software timing: a row at a time */

/* Copies a text out of the backend's memory. False when it is longer than the channel said. */
ARCD_STEADY static bool keep_text(struct read_task *r, uint32_t c)
{
    struct read_rows *rows = &r->rows;
    const struct hw_str *str = &rows->strs[c];
    struct telem_str *kept = &rows->texts[(size_t)c * rows->room + rows->n];
    if (str->len > r->channels[c].str_bytes || str->len > rows->text_room - rows->text_used) {
        struct tasks_status status = tasks_status_of(TASKS_EVENT_TEXT_CUT);
        status.channel = c;
        status.n = str->len;
        tasks_board_post(&r->task.board, &status);
        return false;
    }
    kept->offset = rows->text_used;
    kept->len = str->len;
    memcpy(rows->text + rows->text_used, str->bytes, str->len);
    rows->text_used += str->len;
    return true;
}

ARCD_STEADY void tasks_read_rows_add(struct read_task *r, int64_t utc_ns, int64_t mono_ns)
{
    struct read_rows *rows = &r->rows;
    uint8_t *valid = rows->valid + (size_t)rows->n * r->n_channels;
    for (uint32_t c = 0; c < r->n_channels; c++) {
        if (valid[c] != 0 && r->channels[c].value == HW_STR)
            valid[c] = keep_text(r, c);
        rows->has_holes |= valid[c] == 0;
    }
    if (rows->n == 0)
        rows->first_mono = mono_ns;
    rows->times[rows->n++] = utc_ns;
}

/* ---- Publishing */

/* One channel's samples of the rows, without the invalid ones. */
struct samples {
    uint32_t n;
    const union telem_value *row;
    const struct telem_str *texts;
    const int64_t *times;
};

ARCD_STEADY static struct samples without_holes(struct read_task *r, uint32_t c)
{
    const struct read_rows *rows = &r->rows;
    const size_t first = (size_t)c * rows->room;
    uint32_t n = 0;
    for (uint32_t i = 0; i < rows->n; i++) {
        if (rows->valid[(size_t)i * r->n_channels + c] == 0)
            continue;
        r->scratch_row[n] = rows->values[first + i];
        if (r->channels[c].value == HW_STR)
            r->scratch_texts[n] = rows->texts[first + i];
        r->scratch_times[n++] = rows->times[i];
    }
    return (struct samples){n, r->scratch_row, r->scratch_texts, r->scratch_times};
}

ARCD_STEADY static struct samples samples_of(struct read_task *r, uint32_t c)
{
    const struct read_rows *rows = &r->rows;
    const size_t first = (size_t)c * rows->room;
    struct samples all = {rows->n, rows->values + first, rows->texts + first, rows->times};
    if (!rows->has_holes)
        return all;
    if (!r->is_hardware)
        return without_holes(r, c);
    if (rows->valid[c] == 0)
        all.n = 0;
    return all;
}

ARCD_STEADY static void say_outside(struct read_task *r, uint32_t c, double value)
{
    struct tasks_status status = tasks_status_of(TASKS_EVENT_OUTSIDE);
    status.channel = c;
    status.a = value;
    status.b = r->channels[c].min;
    status.c = r->channels[c].max;
    tasks_board_post(&r->task.board, &status);
}

/* Values outside their declared range pass; each excursion is said once. NaN is not outside. */
ARCD_STEADY static void watch_range(struct read_task *r, uint32_t c, const double *values, size_t n)
{
    struct read_channel *channel = &r->channels[c];
    bool was_outside = channel->is_outside;
    for (size_t i = 0; i < n; i++) {
        bool outside = values[i] < channel->min || values[i] > channel->max;
        if (outside && !channel->is_outside)
            say_outside(r, c, values[i]);
        channel->is_outside = outside;
    }
    if (channel->is_outside != was_outside)
        r->n_outside += channel->is_outside ? 1U : -1U;
    if (r->n_outside == 0)
        tasks_board_clear(&r->task.board, TASKS_EVENT_OUTSIDE);
}

ARCD_STEADY static void apply_tare(struct read_task *r, uint32_t c, size_t n)
{
    enum tasks_tare_result result = tasks_tare_apply(&r->channels[c].tare, r->scratch, n);
    if (result == TASKS_TARE_NO_VALUES) {
        struct tasks_status status = tasks_status_of(TASKS_EVENT_TARE_NO_VALUES);
        status.channel = c;
        tasks_board_post(&r->task.board, &status);
    }
    if (result != TASKS_TARE_KEPT)
        tasks_loop_tell(&r->task.loop);
}

ARCD_STEADY static void say_nan(struct read_task *r, uint32_t c)
{
    if (r->channels[c].said_nan)
        return;
    r->channels[c].said_nan = true;
    struct tasks_status status = tasks_status_of(TASKS_EVENT_NAN_AS_ZERO);
    status.channel = c;
    tasks_board_post(&r->task.board, &status);
}

ARCD_STEADY static void convert_numbers(struct read_task *r, uint32_t c,
                                        const struct samples *samples, void *column)
{
    struct read_channel *channel = &r->channels[c];
    const size_t n = samples->n;
    bool is_exact = channel->value != HW_F64 && tasks_scale_is_identity(&channel->scale) &&
                    tasks_tare_is_idle(&channel->tare);
    if (!is_exact || channel->is_limited)
        tasks_convert_widen(channel->value, samples->row, n, r->scratch);
    if (is_exact) {
        tasks_convert_copy(channel->value, samples->row, n, channel->type, column);
    } else {
        tasks_scale_apply(&channel->scale, r->scratch, n);
        apply_tare(r, c, n);
        if (tasks_convert_narrow(r->scratch, n, channel->type, column))
            say_nan(r, c);
    }
    if (channel->is_limited)
        watch_range(r, c, r->scratch, n);
}

ARCD_STEADY static void convert_texts(struct read_task *r, const struct samples *samples,
                                      struct telem_batch *batch, struct telem_str *column)
{
    for (uint32_t i = 0; i < samples->n; i++) {
        const struct telem_str *text = &samples->texts[i];
        /* The batch has the same room as the rows. */
        ARCD_ASSERT(
            telem_batch_put_text(batch, r->rows.text + text->offset, text->len, &column[i]));
    }
}

ARCD_STEADY static void fill_channel(struct read_task *r, uint32_t c, struct telem_batch *batch)
{
    const struct read_channel *channel = &r->channels[c];
    struct samples samples = samples_of(r, c);
    batch->cols[channel->col].n = samples.n;
    if (samples.n == 0)
        return;
    void *column = telem_batch_col(batch, channel->col);
    if (channel->value == HW_STR)
        convert_texts(r, &samples, batch, column);
    else
        convert_numbers(r, c, &samples, column);
    if (!r->is_hardware)
        memcpy(telem_batch_times(batch, channel->col), samples.times, samples.n * sizeof(int64_t));
}

/* True in scratch_index[row] where some channel of the index has a sample. */
ARCD_STEADY static void mark_rows(struct read_task *r, uint32_t index)
{
    const struct read_rows *rows = &r->rows;
    memset(r->scratch_index, 0, rows->n * sizeof *r->scratch_index);
    for (uint32_t i = 0; i < rows->n; i++)
        for (uint32_t c = 0; c < r->n_channels; c++)
            r->scratch_index[i] |=
                r->channels[c].index == index && rows->valid[(size_t)i * r->n_channels + c] != 0;
}

ARCD_STEADY static void fill_index(struct read_task *r, uint32_t index, struct telem_batch *batch)
{
    const struct read_rows *rows = &r->rows;
    const uint32_t col = r->index_cols[index];
    int64_t *stamps = telem_batch_col(batch, col), *times = telem_batch_times(batch, col);
    uint32_t n = 0;
    bool choose = rows->has_holes && !r->is_hardware;
    if (choose)
        mark_rows(r, index);
    for (uint32_t i = 0; i < rows->n; i++) {
        if (choose && !r->scratch_index[i])
            continue;
        times[n] = rows->times[i];
        stamps[n++] = rows->times[i];
    }
    batch->cols[col].n = n;
}

ARCD_STEADY static void count_lost(struct read_task *r)
{
    for (uint32_t col = 0; col < r->n_keys; col++)
        telem_pub_count_lost(r->pub, col, r->rows.n);
    r->task.board.counters.dropped_batches++;
    struct tasks_status status = tasks_status_of(TASKS_EVENT_NOT_PUBLISHED);
    status.n = r->rows.n;
    tasks_board_post(&r->task.board, &status);
}

ARCD_STEADY void tasks_read_rows_publish(struct read_task *r)
{
    if (r->rows.n == 0)
        return;
    struct telem_batch *batch = telem_pub_borrow(r->pub);
    if (batch == NULL) {
        count_lost(r);
        tasks_read_rows_clear(r);
        return;
    }
    if (r->is_hardware) /* one column of times for all */
        memcpy(telem_batch_times(batch, 0), r->rows.times, r->rows.n * sizeof(int64_t));
    for (uint32_t c = 0; c < r->n_channels; c++)
        fill_channel(r, c, batch);
    for (uint32_t i = 0; i < r->n_indexes; i++)
        fill_index(r, i, batch);
    r->task.board.counters.batches++;
    r->task.board.counters.samples += r->rows.n;
    telem_pub_publish(r->pub, batch);
    tasks_read_rows_clear(r);
}
