/* The Modbus backend's table; devices, and the links that they share. */
#include "hw/modbus/mb_backend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HEALTHY_NS_AGO = 10 }; /* seconds: traffic as young as that shows that a unit is there */

/* ---- Backend */

static enum arcd_err backend_new(const struct hw_env *env, struct hw_backend **backend,
                                 struct arcd_errinfo *why)
{
    struct hw_backend *b = calloc(1, sizeof *b);
    if (b == NULL)
        return arcd_fail(why, ARCD_ERR_NOMEM, 0, "modbus: out of memory");
    b->env = env;
    b->io = &mb_io_libmodbus;
    pthread_mutex_init(&b->lock, NULL);
    *backend = b;
    return ARCD_OK;
}

static void backend_free(struct hw_backend *backend)
{
    ARCD_ASSERT(backend->links == NULL);
    pthread_mutex_destroy(&backend->lock);
    free(backend);
}

/* ---- Links */

static struct mb_link_config link_config(const struct mb_device_config *c)
{
    return (struct mb_link_config){
        .io = {.is_rtu = c->transport == MB_RTU,
               .host = c->host,
               .port = (uint16_t)c->port,
               .serial_port = c->serial_port,
               .baud = c->baud,
               .parity = (char)c->parity,
               .data_bits = (int)c->data_bits,
               .stop_bits = (int)c->stop_bits,
               .rs485 = c->has_rs485,
               .rts = (enum mb_rts)c->rs485.rts,
               .rts_delay_us = (int)c->rs485.delay_us},
        .connect_timeout_ns = c->connect_timeout_ns,
        .byte_timeout_ns = c->byte_timeout_ns,
        .turnaround_ns = c->turnaround_ns,
        .pause_after_connect_ns = c->pause_after_connect_ns,
        .char_ns = mb_char_ns(c),
        .reconnect = {.base_ns = c->reconnect.base_ns,
                      .max_ns = c->reconnect.max_ns,
                      .scale = c->reconnect.scale,
                      .max_retries = c->reconnect.max_retries},
    };
}

static bool same_line(const struct mb_io_config *a, const struct mb_io_config *b)
{
    return a->baud == b->baud && a->parity == b->parity && a->data_bits == b->data_bits &&
           a->stop_bits == b->stop_bits && a->rs485 == b->rs485 && a->rts == b->rts;
}

/* The link of that name, made when it is new. With the backend's lock held. */
static enum arcd_err find_link(struct hw_device *device, const struct mb_link_config *config,
                               struct arcd_errinfo *why)
{
    struct hw_backend *backend = device->backend;
    char name[MB_LINK_NAME];
    mb_link_name(&config->io, name);
    struct mb_link *link = backend->links;
    while (link != NULL &&
           (strcmp(link->name, name) != 0 || link->config.io.is_rtu != config->io.is_rtu))
        link = link->next;
    if (link == NULL) {
        enum arcd_err err = mb_link_new(config, backend->io, device->env->clock, &link, why);
        if (err != ARCD_OK)
            return err;
        link->next = backend->links;
        backend->links = link;
    } else if (config->io.is_rtu && !same_line(&link->config.io, &config->io)) {
        return arcd_fail(why, ARCD_ERR_CONFIG, 0,
                         "device '%s' sets %s up differently from another device on it",
                         device->name, name);
    }
    link->n_refs++;
    device->link = link;
    return ARCD_OK;
}

static void drop_link(struct hw_backend *backend, struct mb_link *link)
{
    if (--link->n_refs > 0)
        return;
    struct mb_link **p = &backend->links;
    while (*p != link)
        p = &(*p)->next;
    *p = link->next;
    mb_link_free(link);
}

/* ---- Devices */

static void device_close(struct hw_device *device)
{
    if (device->link != NULL) {
        pthread_mutex_lock(&device->backend->lock);
        drop_link(device->backend, device->link);
        pthread_mutex_unlock(&device->backend->lock);
    }
    mb_caller_fini(&device->probe_caller);
    pthread_mutex_destroy(&device->probe_lock);
    base_arena_fini(&device->arena);
    free(device);
}

static enum arcd_err read_config(struct hw_device *device, struct config_at at,
                                 struct arcd_errinfo *why)
{
    struct mb_device_config *c = &device->config;
    const struct config_part part = {.table = &mb_device_table, .out = c};
    bool ok = config_peek_parts(at, &device->arena, &part, 1);
    if (ok && !mb_device_locate(c, &device->arena))
        ok = config_error(config_member(at, "location"), "must be host or host:port");
    if (!ok)
        return arcd_fail(why, ARCD_ERR_CONFIG, 0, "device '%s' has errors", device->name);
    device->limits = (struct mb_limits){.max_registers = (uint16_t)c->max_read_registers,
                                        .max_bits = (uint16_t)c->max_read_bits,
                                        .gap_registers = (uint16_t)c->gap_registers,
                                        .gap_bits = (uint16_t)c->gap_bits};
    return ARCD_OK;
}

static enum arcd_err open_device(struct hw_device *device, struct config_at at,
                                 struct arcd_errinfo *why)
{
    enum arcd_err err = mb_caller_init(&device->probe_caller, why);
    if (err != ARCD_OK)
        return err;
    err = read_config(device, at, why);
    if (err != ARCD_OK)
        return err;
    struct mb_link_config config = link_config(&device->config);
    pthread_mutex_lock(&device->backend->lock);
    err = find_link(device, &config, why);
    pthread_mutex_unlock(&device->backend->lock);
    if (err == ARCD_ERR_CONFIG && why != NULL)
        config_error(at, "%s", why->text);
    return err;
}

/* Reads the configuration again, into memory of the device. Does not connect. */
static enum arcd_err device_open(struct hw_backend *backend, const struct hw_env *env,
                                 const char *name, const void *fields, struct config_at at,
                                 struct hw_device **device, struct arcd_errinfo *why)
{
    (void)fields;
    struct hw_device *d = aligned_alloc(_Alignof(struct hw_device), sizeof *d);
    if (d == NULL)
        return arcd_fail(why, ARCD_ERR_NOMEM, 0, "device '%s': out of memory", name);
    memset(d, 0, sizeof *d);
    base_arena_init(&d->arena);
    pthread_mutex_init(&d->probe_lock, NULL);
    d->env = env;
    d->backend = backend;
    d->name = base_arena_strdup(&d->arena, name);
    struct arcd_errinfo cause = {0};
    enum arcd_err err = open_device(d, at, &cause);
    if (err != ARCD_OK) {
        if (why != NULL)
            *why = cause;
        device_close(d);
        return err;
    }
    *device = d;
    return ARCD_OK;
}

/* ---- Health */

static bool find_unit(const struct hw_device *device, const char *name, uint8_t *unit)
{
    const struct mb_unit_config *units = device->config.units.v;
    if (name == NULL || name[0] == '\0') {
        *unit = (uint8_t)device->config.unit_id;
        return true;
    }
    for (uint32_t i = 0; i < device->config.units.n; i++) {
        if (strcmp(units[i].name, name) == 0) {
            *unit = (uint8_t)units[i].unit_id;
            return true;
        }
    }
    return false;
}

static struct mb_request probe_request(const struct hw_device *device, uint8_t unit)
{
    if (device->config.probe == MB_PROBE_READ && device->has_first_read[unit])
        return device->first_read[unit];
    return mb_request_report_id(unit);
}

/* An exception is an answer too: somebody is there. */
static int ask_for_life(struct hw_device *device, const struct mb_request *request,
                        int64_t deadline_ns, struct mb_outcome *outcome)
{
    struct mb_reply reply;
    const struct mb_ask ask = {.caller = &device->probe_caller,
                               .request = request,
                               .deadline_ns = deadline_ns,
                               .response_timeout_ns = device->config.response_timeout_ns,
                               .stats = &device->stats,
                               .outcome = outcome};
    int code = mb_link_ask(device->link, &ask, &reply);
    bool gateway_says_no = code == MB_E_GATEWAY_PATH || code == MB_E_GATEWAY_TARGET;
    return mb_error_is_exception(code) && !gateway_says_no ? 0 : code;
}

/* Without a task that reads and without `probe: "id"` nothing is known that may be asked: then the
 * connection alone has to do. */
static int probe_unit(struct hw_device *device, uint8_t unit, int64_t deadline_ns,
                      struct mb_request *request, struct mb_outcome *outcome)
{
    *request = probe_request(device, unit);
    if (device->config.probe == MB_PROBE_READ && !device->has_first_read[unit])
        return mb_link_open(device->link, &device->probe_caller, deadline_ns, outcome);
    return ask_for_life(device, request, deadline_ns, outcome);
}

static enum hw_class probe(struct hw_device *device, const char *unit_name,
                           int64_t deadline_mono_ns, struct hw_error *error)
{
    uint8_t unit = 0;
    if (!find_unit(device, unit_name, &unit)) {
        *error = (struct hw_error){.cls = HW_CONFIG, .channel = UINT32_MAX};
        snprintf(error->text, sizeof error->text, "device '%s' has no unit '%s'", device->name,
                 unit_name);
        return HW_CONFIG;
    }
    int64_t good_ns = atomic_load(&device->link->units[unit].last_good_ns);
    if (good_ns != 0 &&
        base_clock_mono(device->env->clock) - good_ns < HEALTHY_NS_AGO * BASE_NS_PER_S)
        return HW_NOMINAL;
    struct mb_outcome outcome = {0};
    struct mb_request request;
    pthread_mutex_lock(&device->probe_lock);
    int code = probe_unit(device, unit, deadline_mono_ns, &request, &outcome);
    if (atomic_load(&device->link->n_units_used) == 0)
        mb_link_close_if_idle(device->link, &device->probe_caller);
    pthread_mutex_unlock(&device->probe_lock);
    if (code == 0)
        return HW_NOMINAL;
    struct mb_place place = {.device = device->name,
                             .link = device->link->name,
                             .channel_index = UINT32_MAX,
                             .request = &request};
    mb_error_describe(error, code == ENOTCONN && outcome.link_code ? outcome.link_code : code,
                      &place, outcome.link_text);
    return error->cls;
}

/* ---- Figures and trace */

static void put(struct hw_counter *counters, uint32_t n, uint32_t *count, const char *name,
                int64_t value)
{
    if (*count >= n)
        return;
    snprintf(counters[*count].name, sizeof counters[*count].name, "%s", name);
    counters[(*count)++].value = value;
}

static uint32_t counters(struct hw_device *device, struct hw_counter *out, uint32_t n)
{
    struct mb_stats *s = &device->stats;
    uint32_t count = 0;
    int64_t replies = atomic_load(&s->good);
    put(out, n, &count, "requests", atomic_load(&s->requests));
    put(out, n, &count, "good", atomic_load(&s->good));
    put(out, n, &count, "timeouts", atomic_load(&s->timeouts));
    put(out, n, &count, "damaged", atomic_load(&s->damaged));
    put(out, n, &count, "late", atomic_load(&s->late));
    put(out, n, &count, "reconnects", atomic_load(&s->reconnects));
    for (int i = 0; i < 12; i++) {
        char name[32];
        int64_t value = atomic_load(&s->exceptions[i]);
        replies += value;
        snprintf(name, sizeof name, i == 0 ? "exceptions_other" : "exceptions_%d", i);
        put(out, n, &count, name, value);
    }
    put(out, n, &count, "reply_min_us", atomic_load(&s->reply_min_ns) / BASE_NS_PER_US);
    put(out, n, &count, "reply_mean_us",
        replies > 0 ? atomic_load(&s->reply_sum_ns) / replies / BASE_NS_PER_US : 0);
    put(out, n, &count, "reply_max_us", atomic_load(&s->reply_max_ns) / BASE_NS_PER_US);
    return count;
}

static void trace(struct hw_device *device, bool on)
{
    mb_trace_switch(&device->link->trace, on);
}

static bool trace_next(struct hw_device *device, char *line, size_t size_bytes)
{
    return mb_trace_next(&device->link->trace, device->link->name, line, size_bytes);
}

/* ---- Loop functions of both directions */

/* A serial port that is not there, or not ours to open, is a mistake in the configuration while the
 * task starts; later it is an adapter that was unplugged. */
static bool is_mistake(int code)
{
    return code == ENOENT || code == EACCES || code == EPERM || code == EINVAL || code == ENOTDIR;
}

static enum hw_class start_rtu(struct hw_task *task, int64_t deadline_ns, struct hw_error *error)
{
    struct mb_outcome outcome;
    struct mb_link *link = task->device->link;
    int code = mb_link_open(link, &task->caller, deadline_ns, &outcome);
    if (code == 0 || code == ECANCELED || atomic_load(&link->n_opened) > 0 || !is_mistake(code))
        return HW_NOMINAL;
    *error = (struct hw_error){.cls = HW_CONFIG, .code = code, .channel = UINT32_MAX};
    snprintf(error->text, sizeof error->text, "cannot open %.128s: %s [%d]", link->name,
             outcome.link_text, code);
    return HW_CONFIG;
}

/* A TCP link is left to the first read: a device that is away must not keep a task from starting.
 */
static enum hw_class start(struct hw_task *task, int64_t deadline_mono_ns, struct hw_error *error)
{
    mb_caller_reset(&task->caller);
    task->last_code = 0;
    task->n_device_failures = 0;
    task->n_acknowledged = 0;
    task->n_lost = atomic_load(&task->device->link->n_lost);
    if (task->direction == HW_WRITE)
        for (uint32_t c = 0; c < task->info.n_channels; c++)
            task->mb[c].out->has_last = false;
    if (task->device->config.transport == MB_RTU) {
        enum hw_class cls = start_rtu(task, deadline_mono_ns, error);
        if (cls != HW_NOMINAL)
            return cls;
    }
    for (uint32_t i = 0; i < task->n_units; i++)
        mb_link_use_unit(task->device->link, task->units[i], true);
    task->is_started = true;
    return HW_NOMINAL;
}

/* A link that no task uses is closed: many devices accept one connection only. */
static void stop(struct hw_task *task)
{
    struct mb_link *link = task->device->link;
    if (!task->is_started)
        return;
    task->is_started = false;
    for (uint32_t i = 0; i < task->n_units; i++)
        mb_link_use_unit(link, task->units[i], false);
    mb_caller_reset(&task->caller);
    if (atomic_load(&link->n_units_used) == 0)
        mb_link_close_if_idle(link, &task->caller);
}

static void interrupt(struct hw_task *task)
{
    mb_link_interrupt(task->device->link, &task->caller);
}

/* ---- The table */

static const struct hw_setup_ops setup_ops = {
    .backend_new = backend_new,
    .backend_free = backend_free,
    .device_open = device_open,
    .device_close = device_close,
    .task_new = mb_task_new,
    .task_free = mb_task_free,
    .describe = mb_task_describe,
    .scan = mb_scan,
    .probe = probe,
    .counters = counters,
    .trace = trace,
    .trace_next = trace_next,
};

static const struct hw_loop_ops loop_ops = {
    .start = start,
    .read = mb_read,
    .write = mb_write,
    .readback = mb_readback,
    .stop = stop,
    .interrupt = interrupt,
};

static const struct hw_task_type task_types[] = {
    {
        .name = "modbus_read",
        .direction = HW_READ,
        .default_timing = HW_SOFTWARE,
        .has_software_timing = true,
        .task_table = &mb_read_table,
        .channel_variants = &mb_read_variants,
    },
    {
        .name = "modbus_write",
        .direction = HW_WRITE,
        .default_timing = HW_SOFTWARE,
        .has_software_timing = true,
        .task_table = &mb_write_table,
        .channel_variants = &mb_write_variants,
    },
};

const struct hw_driver hw_modbus_driver = {
    .name = "modbus",
    .title = "Modbus TCP and RTU",
    .shareable = true,
    .device_table = &mb_device_table,
    .task_types = task_types,
    .n_task_types = ARCD_COUNT_OF(task_types),
    .setup = &setup_ops,
    .loop = &loop_ops,
    .version = mb_io_version,
};
