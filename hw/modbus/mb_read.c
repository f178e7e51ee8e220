/* A pass: every block of the plan is asked for, then every channel takes its value. Either all
 * blocks come or the pass fails as a whole, but for blocks that the device refuses for good when
 * the task is told to skip those. */
#include "hw/modbus/mb_backend.h"

#include <errno.h>
#include <string.h>

/* Of the items of a block: the first one, and how many there are besides. */
static uint32_t first_item(const struct hw_task *task, uint32_t block, uint32_t *n_more)
{
    const struct mb_block *b = &task->plan.blocks[block];
    *n_more = b->n_items - 1;
    return task->plan.sorted[b->first];
}

static bool is_refused_for_good(int code)
{
    return mb_error_is_exception(code) && mb_error_class(code) == HW_CRITICAL;
}

static bool is_block_bad(const struct hw_task *task, uint32_t block)
{
    return task->is_bad[task->plan.sorted[task->plan.blocks[block].first]];
}

/* The device does not have what lies between two values: from now on they are read apart. */
static void split(struct hw_task *task, uint32_t block, struct hw_read *read)
{
    const struct mb_block *b = &task->plan.blocks[block];
    snprintf(read->warning, sizeof read->warning,
             "%s unit %d does not have all of %s %d to %d: its gaps are not read any more",
             task->device->name, b->unit, mb_table_name(b->table), b->address,
             b->address + b->count - 1);
    mb_plan_split(&task->plan, block);
}

static void mark_bad(struct hw_task *task, uint32_t block, const struct hw_error *error,
                     struct hw_read *read)
{
    const struct mb_block *b = &task->plan.blocks[block];
    for (uint32_t i = 0; i < b->n_items; i++)
        task->is_bad[task->plan.sorted[b->first + i]] = true;
    snprintf(read->warning, sizeof read->warning, "skipped: %.180s", error->text);
}

static enum hw_class read_block(struct hw_task *task, uint32_t block, struct hw_read *read,
                                struct hw_error *error, bool *again)
{
    struct mb_request request = mb_task_request(task, block);
    struct mb_reply reply;
    struct mb_outcome outcome;
    int code = mb_task_ask(task, &request, read->deadline_mono_ns, false, &reply, &outcome);
    if (code == 0) {
        mb_reply_values(&request, &reply, task->values + task->plan.blocks[block].offset);
        return HW_NOMINAL;
    }
    if (code == MB_E_ILLEGAL_ADDRESS && task->plan.blocks[block].has_gaps) {
        split(task, block, read);
        *again = true;
        return HW_NOMINAL;
    }
    uint32_t n_more = 0;
    uint32_t item = first_item(task, block, &n_more);
    enum hw_class cls = mb_task_fail(task, code, &request, &outcome, item, n_more, error);
    if (is_refused_for_good(code) && task->skip_bad) {
        mark_bad(task, block, error, read);
        return HW_NOMINAL;
    }
    if (cls == HW_NOMINAL)
        *again = true; /* interrupted: there is nothing to publish */
    return cls;
}

static bool has_no_value(const struct mb_channel *channel, const uint16_t *words)
{
    if (channel->no_value.n == 0)
        return false;
    uint64_t raw = mb_raw(&channel->format, words);
    uint64_t mask = mb_raw_mask(channel->format.type);
    for (uint32_t i = 0; i < channel->no_value.n; i++)
        if ((channel->no_value.v[i] & mask) == raw)
            return true;
    return false;
}

static void take_value(struct hw_task *task, uint32_t c, struct hw_read *read)
{
    const struct mb_channel *channel = &task->mb[c];
    const uint16_t *words = task->values + mb_plan_offset(&task->plan, c);
    read->valid[c] = !task->is_bad[c] && !has_no_value(channel, words);
    if (!read->valid[c])
        return;
    if (channel->format.type == MB_STR) {
        char *text = task->texts + (size_t)c * MB_STR_MAX;
        read->strs[c].bytes = text;
        read->strs[c].len = mb_decode_str(&channel->format, words, text);
    } else {
        read->values[c][0] = mb_decode(&channel->format, words);
    }
}

enum hw_class mb_read(struct hw_task *task, struct hw_read *read, struct hw_error *error)
{
    read->n_got = 0;
    read->skew_samples = 0;
    read->lost_samples = 0;
    read->backlog_samples = 0;
    read->warning[0] = '\0';
    for (uint32_t b = 0; b < task->plan.n_blocks;) {
        bool again = false;
        enum hw_class cls = HW_NOMINAL;
        if (!is_block_bad(task, b))
            cls = read_block(task, b, read, error, &again);
        if (cls != HW_NOMINAL)
            return cls;
        if (again && atomic_load(&task->caller.interrupted))
            return HW_NOMINAL;
        if (!again)
            b++;
    }
    for (uint32_t c = 0; c < task->info.n_channels; c++)
        take_value(task, c, read);
    read->n_got = 1;
    mb_task_worked(task);
    if (task->device->config.close_after_poll)
        mb_link_close_if_idle(task->device->link, &task->caller);
    return HW_NOMINAL;
}
