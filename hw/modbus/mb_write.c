/* A write: changed values, and those that are due again, become requests. Neighbours go out in one;
 * only addresses with a command are written. */
#include "hw/modbus/mb_backend.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

/* What one call of mb_write() works with. */
struct job {
    struct hw_task *task;
    struct hw_write *write;
    struct hw_error *error;
};

/* Neighbours that one request writes: n of plan.sorted, from first on. */
struct group {
    uint32_t first, n;
    uint16_t count; /* coils or registers */
};

static void warn(struct job *job, const char *fmt, ...) ARCD_PRINTF(2, 3);

static void warn(struct job *job, const char *fmt, ...)
{
    if (job->write->warning[0] != '\0')
        return; /* the first one says enough */
    va_list args;
    va_start(args, fmt);
    vsnprintf(job->write->warning, sizeof job->write->warning, fmt, args);
    va_end(args);
}

static uint32_t channel_at(const struct hw_task *task, uint32_t i)
{
    return task->plan.sorted[i];
}

static bool is_register_bit(const struct hw_task *task, uint32_t c)
{
    return task->mb[c].out->mask != 0;
}

/* ---- What is to be written */

static bool encode(struct job *job, uint32_t c)
{
    struct hw_task *task = job->task;
    const struct mb_format *format = &task->mb[c].format;
    struct mb_output *out = task->mb[c].out;
    union telem_value value = job->write->values[c];
    if (format->type == MB_STR) {
        const struct hw_str *str = &job->write->strs[c];
        return mb_encode_str(format, str->bytes, str->len, out->words);
    }
    if (task->items[c].table == MB_COILS) {
        out->words[0] = value.u64 != 0;
        return true;
    }
    return mb_encode(format, value, out->words);
}

static void take_changes(struct job *job)
{
    struct hw_task *task = job->task;
    for (uint32_t c = 0; c < task->info.n_channels; c++) {
        struct mb_output *out = task->mb[c].out;
        out->is_pending = job->write->changed[c] != 0 && encode(job, c);
        if (job->write->changed[c] != 0 && !out->is_pending)
            warn(job, "%s (%s): the value does not fit %s; it is not written",
                 task->channels[c].name, task->channels[c].location,
                 mb_type_name(task->mb[c].format.type));
    }
}

/* Values for a watchdog, and all of them once the link is back where the task is told so. */
static void take_repeats(struct job *job)
{
    struct hw_task *task = job->task;
    int64_t now_ns = base_clock_mono(task->device->env->clock);
    bool again = task->resend && atomic_load(&task->device->link->n_lost) != task->n_lost;
    for (uint32_t c = 0; c < task->info.n_channels; c++) {
        struct mb_output *out = task->mb[c].out;
        bool is_due = out->repeat_ns > 0 && now_ns >= out->next_repeat_ns;
        if (out->has_last && (again || is_due))
            out->is_pending = true;
    }
}

/* ---- Grouping */

static bool can_join(const struct hw_task *task, const struct group *group, uint32_t c)
{
    const struct mb_item *first = &task->items[channel_at(task, group->first)];
    const struct mb_item *item = &task->items[c];
    uint32_t last = channel_at(task, group->first + group->n - 1);
    const struct mb_device_config *config = &task->device->config;
    if (!task->mb[c].out->is_pending || item->unit != first->unit || item->table != first->table ||
        is_register_bit(task, c) != is_register_bit(task, last))
        return false;
    if (is_register_bit(task, c))
        return item->address == first->address;
    int64_t max = item->table == MB_COILS ? config->max_write_bits : config->max_write_registers;
    return item->address == first->address + group->count && group->count + item->count <= max &&
           task->mb[c].out->fc != MB_FC_SINGLE && task->mb[last].out->fc != MB_FC_SINGLE;
}

static struct group group_from(const struct hw_task *task, uint32_t first)
{
    uint32_t c = channel_at(task, first);
    struct group group = {.first = first, .n = 1, .count = task->items[c].count};
    while (group.first + group.n < task->plan.n_items) {
        c = channel_at(task, group.first + group.n);
        if (!can_join(task, &group, c))
            break;
        if (!is_register_bit(task, c))
            group.count = (uint16_t)(group.count + task->items[c].count);
        group.n++;
    }
    return group;
}

/* ---- Requests */

static struct mb_request coils_request(const struct hw_task *task, const struct group *group)
{
    uint8_t bits[2000] = {0};
    uint32_t c = channel_at(task, group->first);
    const struct mb_item *item = &task->items[c];
    if (group->count == 1 && task->mb[c].out->fc != MB_FC_MULTIPLE)
        return mb_request_write_coil(item->unit, item->address, task->mb[c].out->words[0] != 0);
    for (uint32_t i = 0; i < group->n; i++)
        bits[i] = task->mb[channel_at(task, group->first + i)].out->words[0] != 0;
    return mb_request_write_coils(item->unit, item->address, group->count, bits);
}

static struct mb_request registers_request(const struct hw_task *task, const struct group *group)
{
    uint16_t words[MB_VALUE_REGISTERS_MAX];
    uint32_t n = 0;
    uint32_t c = channel_at(task, group->first);
    const struct mb_item *item = &task->items[c];
    if (group->count == 1 && task->mb[c].out->fc != MB_FC_MULTIPLE)
        return mb_request_write_register(item->unit, item->address, task->mb[c].out->words[0]);
    for (uint32_t i = 0; i < group->n; i++) {
        uint32_t k = channel_at(task, group->first + i);
        memcpy(words + n, task->mb[k].out->words, task->items[k].count * sizeof *words);
        n += task->items[k].count;
    }
    return mb_request_write_registers(item->unit, item->address, group->count, words);
}

/* The bits of one register that change, and how they are set. */
static void merge_bits(const struct hw_task *task, const struct group *group, uint16_t *mask,
                       uint16_t *set)
{
    *mask = 0;
    *set = 0;
    for (uint32_t i = 0; i < group->n; i++) {
        const struct mb_output *out = task->mb[channel_at(task, group->first + i)].out;
        *mask |= out->mask;
        *set |= out->words[0] & out->mask;
    }
}

static struct mb_request group_request(const struct hw_task *task, const struct group *group)
{
    uint32_t c = channel_at(task, group->first);
    const struct mb_item *item = &task->items[c];
    if (item->table == MB_COILS)
        return coils_request(task, group);
    if (!is_register_bit(task, c))
        return registers_request(task, group);
    uint16_t mask = 0;
    uint16_t set = 0;
    merge_bits(task, group, &mask, &set);
    return mb_request_mask_write(item->unit, item->address, (uint16_t)~mask, set);
}

/* ---- Sending */

/* For devices without FC 22: read, change, write, with nobody in between on this link. */
static int change_bits(struct job *job, const struct group *group, struct mb_request *request,
                       struct mb_outcome *outcome)
{
    struct hw_task *task = job->task;
    struct mb_link *link = task->device->link;
    int64_t deadline_ns = job->write->deadline_mono_ns;
    const struct mb_item *item = &task->items[channel_at(task, group->first)];
    struct mb_reply reply;
    uint16_t word = 0;
    uint16_t mask = 0;
    uint16_t set = 0;
    merge_bits(task, group, &mask, &set);
    *outcome = (struct mb_outcome){0};
    int code = mb_link_hold(link, &task->caller, true, deadline_ns);
    if (code != 0)
        return code;
    *request = mb_request_read(item->unit, MB_HOLDING, item->address, 1);
    code = mb_task_ask(task, request, deadline_ns, true, &reply, outcome);
    if (code == 0) {
        mb_reply_values(request, &reply, &word);
        word = (uint16_t)((word & ~mask) | set);
        *request = mb_request_write_register(item->unit, item->address, word);
        code = mb_task_ask(task, request, deadline_ns, true, &reply, outcome);
    }
    mb_link_release(link);
    return code;
}

static int send_group(struct job *job, const struct group *group, struct mb_request *request,
                      struct mb_outcome *outcome)
{
    struct hw_task *task = job->task;
    struct mb_reply reply;
    bool bits = is_register_bit(task, channel_at(task, group->first));
    *request = group_request(task, group);
    if (bits && task->has_no_mask_write)
        return change_bits(job, group, request, outcome);
    int code = mb_task_ask(task, request, job->write->deadline_mono_ns, false, &reply, outcome);
    if (!bits || code != MB_E_ILLEGAL_FUNCTION)
        return code;
    task->has_no_mask_write = true;
    warn(job, "%s unit %d cannot set single bits (FC 22): registers are read, changed and written",
         task->device->name, request->unit);
    return change_bits(job, group, request, outcome);
}

/* ---- After a write */

static void verify(struct job *job, uint32_t c)
{
    struct hw_task *task = job->task;
    const struct mb_item *item = &task->items[c];
    const struct mb_output *out = task->mb[c].out;
    const char *name = task->channels[c].name;
    struct mb_request request =
        mb_request_read(item->unit, item->table, item->address, item->count);
    struct mb_reply reply;
    struct mb_outcome outcome;
    char buf[96];
    int code = mb_task_ask(task, &request, job->write->deadline_mono_ns, false, &reply, &outcome);
    if (code != 0) {
        if (code != ECANCELED)
            warn(job, "%s: written, but not read back: %s", name,
                 mb_error_text(code, buf, sizeof buf));
        return;
    }
    uint16_t words[MB_VALUE_REGISTERS_MAX];
    mb_reply_values(&request, &reply, words);
    for (uint16_t i = 0; i < item->count; i++) {
        uint16_t care = out->mask != 0 ? out->mask : 0xFFFF;
        if ((words[i] & care) != (out->words[i] & care)) {
            warn(job, "%s: wrote 0x%04X to %s %d, read 0x%04X", name, out->words[i] & care,
                 mb_table_name(item->table), item->address + i, words[i] & care);
            return;
        }
    }
}

static void note_written(struct job *job, const struct group *group)
{
    struct hw_task *task = job->task;
    int64_t now_ns = base_clock_mono(task->device->env->clock);
    for (uint32_t i = 0; i < group->n; i++) {
        uint32_t c = channel_at(task, group->first + i);
        struct mb_output *out = task->mb[c].out;
        out->is_pending = false;
        out->has_last = true;
        out->next_repeat_ns = now_ns + out->repeat_ns;
        job->write->done[c] = job->write->changed[c];
        if (out->verify && task->channels[c].has_readback)
            verify(job, c);
    }
}

/* An illegal value is skipped with a warning; other refusals are the call's result. */
static enum hw_class note_failed(struct job *job, const struct group *group, int code,
                                 const struct mb_request *request, const struct mb_outcome *outcome)
{
    struct hw_task *task = job->task;
    uint32_t c = channel_at(task, group->first);
    enum hw_class cls = mb_task_fail(task, code, request, outcome, c, group->n - 1, job->error);
    if (code != MB_E_ILLEGAL_VALUE)
        return cls;
    task->mb[c].out->is_pending = false;
    warn(job, "skipped: %.180s", job->error->text);
    return HW_NOMINAL;
}

/* A device that refuses several values at once has taken none of them: each alone tells which one
 * it is. */
static enum hw_class write_group(struct job *job, const struct group *group)
{
    struct mb_request request;
    struct mb_outcome outcome;
    int code = send_group(job, group, &request, &outcome);
    if (code == 0) {
        note_written(job, group);
        return HW_NOMINAL;
    }
    bool refused = code == MB_E_ILLEGAL_ADDRESS || code == MB_E_ILLEGAL_VALUE;
    if (!refused || group->n == 1)
        return note_failed(job, group, code, &request, &outcome);
    enum hw_class cls = HW_NOMINAL;
    for (uint32_t i = 0; i < group->n && cls == HW_NOMINAL; i++) {
        uint32_t c = channel_at(job->task, group->first + i);
        const struct group one = {group->first + i, 1, job->task->items[c].count};
        code = send_group(job, &one, &request, &outcome);
        if (code == 0)
            note_written(job, &one);
        else
            cls = note_failed(job, &one, code, &request, &outcome);
    }
    return cls;
}

enum hw_class mb_write(struct hw_task *task, struct hw_write *write, struct hw_error *error)
{
    struct job job = {task, write, error};
    struct mb_link *link = task->device->link;
    uint32_t n_lost = atomic_load(&link->n_lost);
    memset(write->done, 0, task->info.n_channels);
    write->warning[0] = '\0';
    take_changes(&job);
    take_repeats(&job);
    bool any = false;
    for (uint32_t i = 0; i < task->plan.n_items;) {
        if (!task->mb[channel_at(task, i)].out->is_pending) {
            i++;
            continue;
        }
        any = true;
        struct group group = group_from(task, i);
        enum hw_class cls = write_group(&job, &group);
        if (cls != HW_NOMINAL || atomic_load(&task->caller.interrupted))
            return cls;
        i += group.n;
    }
    task->n_lost = n_lost;
    if (any)
        mb_task_worked(task);
    if (any && task->device->config.close_after_poll)
        mb_link_close_if_idle(link, &task->caller);
    return HW_NOMINAL;
}

/* ---- Reading outputs back */

static void take_readback(struct hw_task *task, uint32_t block, union telem_value *values,
                          uint8_t *valid)
{
    const struct mb_block *b = &task->plan.blocks[block];
    for (uint32_t i = 0; i < b->n_items; i++) {
        uint32_t c = channel_at(task, b->first + i);
        const struct mb_format *format = &task->mb[c].format;
        valid[c] = format->type != MB_STR;
        if (valid[c])
            values[c] = mb_decode(format, task->values + mb_plan_offset(&task->plan, c));
    }
}

/* A device that does not let its outputs be read says so by an exception: they are not valid then.
 */
enum hw_class mb_readback(struct hw_task *task, union telem_value *values, uint8_t *valid,
                          struct hw_error *error)
{
    struct mb_device_config *config = &task->device->config;
    int64_t now_ns = base_clock_mono(task->device->env->clock);
    int64_t deadline_ns =
        now_ns + config->connect_timeout_ns + config->response_timeout_ns * (config->retries + 1);
    memset(valid, 0, task->info.n_channels);
    for (uint32_t b = 0; b < task->plan.n_blocks; b++) {
        struct mb_request request = mb_task_request(task, b);
        struct mb_reply reply;
        struct mb_outcome outcome;
        if (config->transport == MB_RTU && request.unit == 0)
            continue;
        int code = mb_task_ask(task, &request, deadline_ns, false, &reply, &outcome);
        if (mb_error_is_exception(code) && mb_error_class(code) == HW_CRITICAL)
            continue;
        if (code != 0)
            return mb_task_fail(task, code, &request, &outcome, UINT32_MAX, 0, error);
        mb_reply_values(&request, &reply, task->values + task->plan.blocks[b].offset);
        take_readback(task, b, values, valid);
    }
    return HW_NOMINAL;
}
