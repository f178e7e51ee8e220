/* A Modbus task: channels become items with an address and a format, items become a plan. What both
 * loops need besides: asking with the device's settings, and saying what a failure means. */
#include "hw/modbus/mb_backend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEVICE_FAILURES_MAX = 5, /* exception 4 in a row: then it is for good */
    ACKNOWLEDGED_MAX = 10,   /* exception 5 in a row: then the task's own pauses are enough */
    BUSY_PAUSE_MS = 100,
};

/* ---- Channels */

static bool unit_by_name(const struct hw_device *device, const char *name, uint8_t *unit)
{
    const struct mb_unit_config *units = device->config.units.v;
    for (uint32_t i = 0; i < device->config.units.n; i++) {
        if (strcmp(units[i].name, name) == 0) {
            *unit = (uint8_t)units[i].unit_id;
            return true;
        }
    }
    return false;
}

static bool no_such_unit(struct hw_task *task, struct config_at at, const char *name)
{
    const struct mb_device_config *c = &task->device->config;
    const struct mb_unit_config *units = c->units.v;
    const char *list = c->units.n > 0 ? units[0].name : "none";
    for (uint32_t i = 1; i < c->units.n; i++)
        list = base_arena_printf(&task->arena, "%s, %s", list, units[i].name);
    return config_error(at, "device '%s' has no unit '%s' (has %s)", task->device->name, name,
                        list);
}

/* `task_unit`: that of the task's device, "plc" or "gateway/boiler". */
static bool resolve_unit(struct hw_task *task, const struct mb_unit_choice *choice,
                         uint8_t task_unit, struct config_at at, uint8_t *unit)
{
    bool is_rtu = task->device->config.transport == MB_RTU;
    *unit = choice->is_given ? (uint8_t)choice->id : task_unit;
    if (choice->name != NULL && !unit_by_name(task->device, choice->name, unit))
        return no_such_unit(task, config_member(at, "unit"), choice->name);
    if (is_rtu && *unit > 247)
        return config_error(config_member(at, "unit"), "must be from 0 to 247");
    if (is_rtu && *unit == 0 && task->direction == HW_READ)
        return config_error(at, "unit 0 cannot be read");
    return true;
}

/* Written for messages: "plc unit 1 holding register 100". */
static const char *location_of(struct hw_task *task, const struct mb_item *item,
                               const struct mb_channel *channel, bool is_register_bit)
{
    const char *place = base_arena_printf(&task->arena, "%s unit %d %s %d", task->device->name,
                                          item->unit, mb_table_name(item->table), item->address);
    if (!is_register_bit)
        return place;
    return base_arena_printf(&task->arena, "%s bit %d", place, channel->format.bit);
}

static struct mb_format format_of(const struct hw_task *task, const struct mb_channel_config *c,
                                  enum mb_table table)
{
    struct mb_format format = {.type = MB_BIT};
    if (mb_table_is_bits(table))
        return format;
    format.order = mb_order_resolve(&c->order, &task->device->config.order);
    format.bit = (uint8_t)c->bit;
    format.length = (uint16_t)c->length;
    if (!c->has_bit)
        format.type = (enum mb_type)c->data_type;
    return format;
}

static bool check_size(struct hw_task *task, const struct mb_item *item, struct config_at at)
{
    const struct mb_device_config *c = &task->device->config;
    bool is_read = task->direction == HW_READ;
    int64_t max = mb_table_is_bits(item->table)
                      ? (is_read ? c->max_read_bits : c->max_write_bits)
                      : (is_read ? c->max_read_registers : c->max_write_registers);
    if (item->count > max)
        return config_error(at, "needs %d registers, the device allows %lld in one request",
                            item->count, (long long)max);
    if (item->address + item->count > 65536)
        return config_error(config_member(at, "address"),
                            "address %d + %d registers ends beyond 65535", item->address,
                            item->count);
    return true;
}

static bool new_channel(struct hw_task *task, uint32_t i, uint8_t task_unit,
                        const struct hw_channel_config *config)
{
    const struct mb_channel_config *c = config->fields;
    struct mb_channel *channel = &task->mb[i];
    struct mb_item *item = &task->items[i];
    item->table = mb_table_of_type(config->type);
    channel->format = format_of(task, c, item->table);
    channel->has_default_order = channel->format.type != MB_STR && !mb_order_is_given(&c->order) &&
                                 !mb_order_is_given(&task->device->config.order);
    item->count = (uint16_t)mb_format_registers(&channel->format);
    task->channels[i].name = base_arena_strdup(&task->arena, config->channel);
    task->channels[i].value = mb_type_value(channel->format.type);
    task->channels[i].str_bytes = channel->format.length;
    bool ok = mb_address_resolve(&c->address, (enum mb_base)task->device->config.address_base,
                                 item->table, config_member(config->at, "address"), &item->address);
    ok &= resolve_unit(task, &c->unit, task_unit, config->at, &item->unit);
    ok = ok && check_size(task, item, config->at);
    task->channels[i].location = location_of(task, item, channel, c->has_bit);
    task->channels[i].has_readback = task->direction == HW_WRITE &&
                                     !(task->device->config.transport == MB_RTU && item->unit == 0);
    return ok;
}

static void copy_codes(struct hw_task *task, struct mb_channel *channel,
                       const struct mb_channel_config *c)
{
    uint64_t *codes = base_arena_array(&task->arena, uint64_t, c->no_value.n);
    if (c->no_value.n > 0)
        memcpy(codes, c->no_value.v, c->no_value.n * sizeof *codes);
    channel->no_value = (struct mb_codes){codes, c->no_value.n};
}

static void new_output(struct hw_task *task, uint32_t i, const struct mb_channel_config *c)
{
    struct mb_output *out = base_arena_new(&task->arena, struct mb_output);
    int fc = c->fc != MB_FC_DEVICE ? c->fc : task->device->config.fc;
    out->fc = (enum mb_fc_choice)fc;
    out->verify = c->verify;
    out->repeat_ns = c->repeat_ns;
    if (task->items[i].table == MB_HOLDING && task->mb[i].format.type == MB_BIT)
        (void)mb_encode(&task->mb[i].format, (union telem_value){.u64 = 1}, &out->mask);
    task->mb[i].out = out;
    if (c->repeat_ns > 0 && (task->info.tick_ns == 0 || c->repeat_ns < task->info.tick_ns))
        task->info.tick_ns = c->repeat_ns;
}

/* Two outputs that share a register would undo each other; bits of one register do not. */
static bool overlap(const struct hw_task *task, uint32_t a, uint32_t b)
{
    const struct mb_item *x = &task->items[a];
    const struct mb_item *y = &task->items[b];
    if (x->unit != y->unit || x->table != y->table || x->address >= y->address + y->count ||
        y->address >= x->address + x->count)
        return false;
    bool both_bits = x->table == MB_HOLDING && task->mb[a].format.type == MB_BIT &&
                     task->mb[b].format.type == MB_BIT;
    return !both_bits || task->mb[a].format.bit == task->mb[b].format.bit;
}

static bool check_outputs(const struct hw_task *task, const struct hw_task_config *config)
{
    bool ok = true;
    for (uint32_t i = 0; i < config->n_channels; i++)
        for (uint32_t k = 0; k < i; k++)
            if (overlap(task, i, k))
                ok = config_error(config_member(config->channels[i].at, "address"),
                                  "%s is used twice", task->channels[i].location);
    return ok;
}

static bool build_channels(struct hw_task *task, const struct hw_task_config *config,
                           uint8_t task_unit)
{
    bool ok = true;
    for (uint32_t i = 0; i < config->n_channels; i++) {
        const struct hw_channel_config *channel = &config->channels[i];
        ok &= new_channel(task, i, task_unit, channel);
        if (config->direction == HW_READ)
            copy_codes(task, &task->mb[i], channel->fields);
        else
            new_output(task, i, channel->fields);
    }
    return ok && (config->direction == HW_READ || check_outputs(task, config));
}

/* ---- For `arcd check` */

/* 8 bytes of request and 5 + 2n of answer on a line, with the pauses between them. */
static int64_t pass_estimate_ns(const struct hw_task *task)
{
    const struct mb_device_config *c = &task->device->config;
    int64_t char_ns = mb_char_ns(c);
    int64_t sum_ns = 0;
    for (uint32_t b = 0; b < task->plan.n_blocks; b++) {
        const struct mb_block *block = &task->plan.blocks[b];
        int64_t data =
            mb_table_is_bits(block->table) ? (block->count + 7) / 8 : 2 * (int64_t)block->count;
        sum_ns += (8 + 5 + data) * char_ns + c->turnaround_ns;
    }
    return sum_ns;
}

static void warn_of_slow_passes(const struct hw_task *task, const struct hw_task_config *config)
{
    double pass_s = (double)pass_estimate_ns(task) / 1e9;
    if (config->direction == HW_READ && pass_s * config->sample_rate_hz > 1.0)
        config_warn(config_member(config->at, "sample_rate"),
                    "a pass takes about %.3g ms of the link's time; at most %.3g Hz are possible",
                    pass_s * 1e3, 1.0 / pass_s);
}

/* Other tools put the low word first where nothing is said. */
static bool relies_on_word_order(const struct hw_task *task)
{
    for (uint32_t c = 0; c < task->info.n_channels; c++)
        if (task->mb[c].has_default_order && task->items[c].count > 1)
            return true;
    return false;
}

static void describe_block(const struct hw_task *task, const struct mb_block *block, FILE *out)
{
    fprintf(out, "  %s unit %d, %s", task->device->name, block->unit, mb_table_name(block->table));
    if (block->count == 1)
        fprintf(out, " %d", block->address);
    else
        fprintf(out, "s %d to %d", block->address, block->address + block->count - 1);
    fprintf(out, ": %u channel%s%s\n", block->n_items, block->n_items == 1 ? "" : "s",
            block->has_gaps ? ", with gaps" : "");
}

void mb_task_describe(const struct hw_task *task, FILE *out)
{
    for (uint32_t b = 0; b < task->plan.n_blocks; b++)
        describe_block(task, &task->plan.blocks[b], out);
    int64_t pass_ns = pass_estimate_ns(task);
    if (task->direction == HW_READ && pass_ns > 0)
        fprintf(out, "  a pass takes about %.3g ms of the link's time\n", (double)pass_ns / 1e6);
    if (relies_on_word_order(task))
        fprintf(out, "  values of several registers are taken high word first (ABCD), as no "
                     "byte_order is given\n");
}

/* ---- Tasks */

static void note_units(struct hw_task *task)
{
    bool seen[MB_UNITS] = {false};
    task->units = base_arena_array(&task->arena, uint8_t, task->info.n_channels);
    for (uint32_t i = 0; i < task->info.n_channels; i++) {
        uint8_t unit = task->items[i].unit;
        if (!seen[unit])
            task->units[task->n_units++] = unit;
        seen[unit] = true;
    }
}

/* What a health check may read: the first block of each unit. */
static void note_first_reads(struct hw_task *task)
{
    struct hw_device *device = task->device;
    pthread_mutex_lock(&device->probe_lock);
    for (uint32_t b = task->plan.n_blocks; b > 0; b--) {
        struct mb_request request = mb_task_request(task, b - 1);
        device->first_read[request.unit] = request;
        device->has_first_read[request.unit] = true;
    }
    pthread_mutex_unlock(&device->probe_lock);
}

static void build(struct hw_task *task, const struct hw_task_config *config)
{
    struct mb_limits limits = task->device->limits;
    uint32_t n = task->info.n_channels;
    if (config->direction == HW_WRITE) {
        limits.gap_registers = 0; /* a readback reads what it needs, nothing else */
        limits.gap_bits = 0;
        limits.max_registers = 125;
        limits.max_bits = 2000;
        task->resend =
            ((const struct mb_write_config *)config->fields)->on_reconnect == MB_RECONNECT_LAST;
        if (task->resend && (task->info.tick_ns == 0 || task->info.tick_ns > BASE_NS_PER_S))
            task->info.tick_ns = BASE_NS_PER_S;
    } else {
        task->skip_bad =
            ((const struct mb_read_config *)config->fields)->on_bad_address == MB_BAD_SKIP;
    }
    mb_plan_init(&task->plan, task->items, n, &task->arena);
    mb_plan_build(&task->plan, &limits);
    task->values = base_arena_array(&task->arena, uint16_t, task->plan.n_values);
    task->texts = base_arena_array(&task->arena, char, (size_t)n *MB_STR_MAX);
    task->is_bad = base_arena_array(&task->arena, bool, n);
    note_units(task);
    if (config->direction == HW_READ)
        note_first_reads(task);
    warn_of_slow_passes(task, config);
}

static enum arcd_err check_and_build(struct hw_task *task, const struct hw_task_config *config,
                                     struct arcd_errinfo *why)
{
    uint8_t unit = (uint8_t)task->device->config.unit_id;
    const char *name = config->unit;
    if (name != NULL && name[0] != '\0' && !unit_by_name(task->device, name, &unit)) {
        no_such_unit(task, config_member(config->at, "device"), name);
        return arcd_fail(why, ARCD_ERR_CONFIG, 0, "task '%s' has errors", config->name);
    }
    task->channels = base_arena_array(&task->arena, struct hw_channel, config->n_channels);
    task->mb = base_arena_array(&task->arena, struct mb_channel, config->n_channels);
    task->items = base_arena_array(&task->arena, struct mb_item, config->n_channels);
    task->direction = config->direction;
    task->info.timing = HW_SOFTWARE;
    task->info.n_channels = config->n_channels;
    task->info.channels = task->channels;
    if (!build_channels(task, config, unit))
        return arcd_fail(why, ARCD_ERR_CONFIG, 0, "task '%s' has errors", config->name);
    build(task, config);
    return ARCD_OK;
}

enum arcd_err mb_task_new(struct hw_device *device, const struct hw_task_config *config,
                          struct hw_task **task, const struct hw_task_info **info,
                          struct arcd_errinfo *why)
{
    struct hw_task *t = aligned_alloc(_Alignof(struct hw_task), sizeof *t);
    if (t == NULL)
        return arcd_fail(why, ARCD_ERR_NOMEM, 0, "%s: out of memory", config->name);
    memset(t, 0, sizeof *t);
    t->device = device;
    base_arena_init(&t->arena);
    enum arcd_err err = mb_caller_init(&t->caller, why);
    if (err == ARCD_OK)
        err = check_and_build(t, config, why);
    if (err != ARCD_OK) {
        mb_task_free(t);
        return err;
    }
    base_arena_seal(&t->arena);
    *task = t;
    *info = &t->info;
    return ARCD_OK;
}

void mb_task_free(struct hw_task *task)
{
    mb_caller_fini(&task->caller);
    base_arena_fini(&task->arena);
    free(task);
}

/* ---- Asking */

struct mb_request mb_task_request(const struct hw_task *task, uint32_t block)
{
    const struct mb_block *b = &task->plan.blocks[block];
    return mb_request_read(b->unit, b->table, b->address, b->count);
}

int mb_task_ask(struct hw_task *task, const struct mb_request *request, int64_t deadline_ns,
                bool is_held, struct mb_reply *reply, struct mb_outcome *outcome)
{
    struct hw_device *device = task->device;
    bool may_repeat = !mb_request_is_write(request) || device->config.retry_writes;
    const struct mb_ask ask = {.caller = &task->caller,
                               .request = request,
                               .deadline_ns = deadline_ns,
                               .response_timeout_ns = device->config.response_timeout_ns,
                               .retries = may_repeat ? (uint32_t)device->config.retries : 0,
                               .stats = &device->stats,
                               .outcome = outcome};
    return is_held ? mb_link_ask_held(device->link, &ask, reply)
                   : mb_link_ask(device->link, &ask, reply);
}

/* Errors that are judged by how often they come in a row. */
static void judge(struct hw_task *task, int code, struct hw_error *error)
{
    if (code == MB_E_DEVICE_FAILURE && ++task->n_device_failures >= DEVICE_FAILURES_MAX)
        error->cls = HW_CRITICAL;
    if (code == MB_E_ACKNOWLEDGE && ++task->n_acknowledged <= ACKNOWLEDGED_MAX)
        error->delay_ns = task->device->config.response_timeout_ns;
    if (code == MB_E_BUSY && task->last_code != MB_E_BUSY)
        error->delay_ns = BUSY_PAUSE_MS * BASE_NS_PER_MS;
    task->last_code = code;
}

enum hw_class mb_task_fail(struct hw_task *task, int code, const struct mb_request *request,
                           const struct mb_outcome *outcome, uint32_t item, uint32_t n_more,
                           struct hw_error *error)
{
    if (code == ECANCELED)
        return HW_NOMINAL;
    struct mb_place place = {.device = task->device->name,
                             .link = task->device->link->name,
                             .channel_index = item,
                             .n_more = n_more,
                             .request = request};
    if (item != UINT32_MAX)
        place.channel = task->channels[item].name;
    if (code == ENOTCONN && outcome->link_code != 0)
        code = outcome->link_code == ETIMEDOUT ? ENOTCONN : outcome->link_code;
    mb_error_describe(error, code, &place, outcome->link_text);
    error->delay_ns = outcome->retry_after_ns;
    if (outcome->gave_up)
        error->cls = HW_CRITICAL;
    judge(task, code, error);
    return error->cls;
}

void mb_task_worked(struct hw_task *task)
{
    task->last_code = 0;
    task->n_device_failures = 0;
    task->n_acknowledged = 0;
}
