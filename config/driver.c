#include "config/driver.h"

#include "config/doc_priv.h"
#include "config/reader_priv.h"

#include <jansson.h>
#include <regex.h>
#include <string.h>

static const char *const all_backends[] = {CONFIG_BACKENDS};
static const char *const all_integrations[] = {CONFIG_BACKENDS, "arc"};

static const char *text_at(const void *texts, uint32_t i)
{
    return ((const char *const *)texts)[i];
}

static bool is_one_of(const char *const *texts, uint32_t n, const char *text)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(texts[i], text) == 0)
            return true;
    return false;
}

const struct config_task_type *config_known_type(const struct config_known *known, const char *name)
{
    for (uint32_t i = 0; i < known->n_types; i++)
        if (strcmp(known->types[i].name, name) == 0)
            return &known->types[i];
    return NULL;
}

/* ---- Timing */

#define SKEW_IN(member) CONFIG_IN(struct config_skew, member)
#define TIMING_IN(member) CONFIG_IN(struct config_timing, member)

static const struct config_field skew_fields[] = {
    {"kp", CONFIG_NUM, SKEW_IN(kp), .fallback = "0.01", .limits = CONFIG_FROM(0),
     .doc = "Share of the error that one batch takes back; the time constant is 1/kp batches."},
    {"ki", CONFIG_NUM, SKEW_IN(ki), .fallback = "0", .limits = CONFIG_FROM(0), .unit = "1/ns",
     .doc = "Weight of the sum of errors."},
    {"kd", CONFIG_NUM, SKEW_IN(kd), .fallback = "0", .limits = CONFIG_FROM(0), .unit = "ns",
     .doc = "Weight of the change of the error."},
    {"max_integral", CONFIG_NUM, SKEW_IN(max_integral), .fallback = "0.1", .limits = CONFIG_FROM(0),
     .doc = "Largest sum of errors, as a part of a stream period."},
    {"max_back", CONFIG_NUM, SKEW_IN(max_back), .fallback = "0.5", .limits = CONFIG_FROM_TO(0, 0.9),
     .doc = "A batch is shortened by at most this part of itself, so timestamps always rise."},
    {"step", CONFIG_DURATION, SKEW_IN(step_ns), .fallback = "1s", .limits = CONFIG_ABOVE(0),
     .doc = "Timestamps further behind the clock than this jump to it."},
};

static const struct config_table skew_table =
    CONFIG_TABLE("Skew correction", struct config_skew, skew_fields);

static const struct config_choice clocks[] = {{"realtime", CONFIG_CLOCK_REALTIME},
                                              {"tai", CONFIG_CLOCK_TAI},
                                              {"virtual", CONFIG_CLOCK_VIRTUAL},
                                              {0}};

static const struct config_field timing_fields[] = {
    {"correct_skew", CONFIG_BOOL, TIMING_IN(correct_skew), .fallback = "true",
     .doc = "Bend the timestamps of hardware-timed tasks towards the wall clock."},
    {"clock", CONFIG_ENUM, TIMING_IN(clock), .fallback = "realtime", .choices = clocks,
     .doc = "The wall clock: UTC, TAI, or one that tests move."},
    {"skew", CONFIG_OBJECT, TIMING_IN(skew), .table = &skew_table, .doc = "The controller."},
};

static const struct config_table timing_table =
    CONFIG_TABLE("Timing", struct config_timing, timing_fields);

/* ---- Manager */

static bool check_manager(struct config_at at, void *out)
{
    struct config_manager *manager = out;
    int64_t asked = manager->worker_count;
    manager->worker_count = asked < 1 ? 1 : (asked > 64 ? 64 : asked);
    if (manager->worker_count != asked)
        config_warn(config_member(at, "worker_count"), "clamped to %d", (int)manager->worker_count);
    return true;
}

#define MANAGER_IN(member) CONFIG_IN(struct config_manager, member)

static const struct config_field manager_fields[] = {
    {"worker_count", CONFIG_INT, MANAGER_IN(worker_count), .fallback = "4",
     .doc = "Threads that carry out commands of different tasks at the same time; clamped to 1 to "
            "64."},
    {"op_timeout", CONFIG_DURATION, MANAGER_IN(op_timeout_ns), .fallback = "60s",
     .limits = CONFIG_FROM_TO(1, 3600), .doc = "A command that takes longer is given up."},
    {"poll_interval", CONFIG_DURATION, MANAGER_IN(poll_interval_ns), .fallback = "1s",
     .limits = CONFIG_FROM_TO(0.01, 60), .doc = "How often the Driver looks after its tasks."},
    {"shutdown_timeout", CONFIG_DURATION, MANAGER_IN(shutdown_timeout_ns), .fallback = "30s",
     .limits = CONFIG_FROM_TO(1, 600),
     .doc = "Tasks that have not stopped by then are named, and left."},
};

static const struct config_table manager_table =
    CONFIG_TABLE("Manager", struct config_manager, manager_fields, .check = check_manager);

/* ---- Scan */

static bool check_pattern(struct config_at at, const char *pattern)
{
    regex_t regex;
    int err = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
    if (err == 0) {
        regfree(&regex);
        return true;
    }
    char text[128];
    regerror(err, &regex, text, sizeof(text));
    return config_error(at, "invalid pattern '%s': %s", pattern, text);
}

static bool check_scan(struct config_at at, void *out)
{
    const struct config_scan *scan = out;
    bool ok = true;
    for (uint32_t i = 0; i < scan->ignored_models.n; i++)
        ok = check_pattern(config_element(config_member(at, "ignored_models"), i),
                           scan->ignored_models.v[i]) &&
             ok;
    return ok;
}

#define SCAN_IN(member) CONFIG_IN(struct config_scan, member)

#define SCAN_FIELDS(models)                                                                        \
    {"enabled", CONFIG_BOOL, SCAN_IN(enabled), .fallback = "true",                                 \
     .doc = "Look for devices while the Driver runs."},                                            \
        {"rate",                                                                                   \
         CONFIG_NUM,                                                                               \
         SCAN_IN(rate_hz),                                                                         \
         .fallback = "0.2",                                                                        \
         .limits = CONFIG_ABOVE_TO(0, 2),                                                          \
         .unit = "Hz",                                                                             \
         .doc = "Scans a second."},                                                                \
    {                                                                                              \
        "ignored_models", CONFIG_STRS, SCAN_IN(ignored_models),                                    \
            .fallback = (models),                                                                  \
            .doc = "Models that are not listed, as POSIX extended regular expressions."            \
    }

static const struct config_field scan_fields[] = {SCAN_FIELDS("[]")};
static const struct config_field ni_scan_fields[] = {SCAN_FIELDS("[\"^cRIO.*\", \"^nown.*\"]")};

static const struct config_table scan_table =
    CONFIG_TABLE("Scan", struct config_scan, scan_fields, .check = check_scan);
static const struct config_table ni_scan_table =
    CONFIG_TABLE("Scan", struct config_scan, ni_scan_fields, .check = check_scan);

static const struct config_field scans_fields[] = {
    {"ni", CONFIG_OBJECT, CONFIG_IN(struct config_scans, ni), .table = &ni_scan_table,
     .doc = "NI-DAQmx."},
    {"modbus", CONFIG_OBJECT, CONFIG_IN(struct config_scans, modbus), .table = &scan_table,
     .doc = "Modbus: health of the declared devices."},
    {"comedi", CONFIG_OBJECT, CONFIG_IN(struct config_scans, comedi), .table = &scan_table,
     .doc = "Comedi boards."},
    {"sim", CONFIG_OBJECT, CONFIG_IN(struct config_scans, sim), .table = &scan_table,
     .doc = "Simulated devices."},
};

static const struct config_table scans_table =
    CONFIG_TABLE("Scans", struct config_scans, scans_fields);

/* ---- Link */

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* 127.x.x.x with digits only: "127.example.org" is a name, and anywhere. */
static bool is_loopback_ip4(const char *host)
{
    size_t len = strspn(host, "0123456789.");
    return starts_with(host, "127.") && host[len] == ':';
}

/* Only this machine can connect to it. */
static bool is_local(const char *endpoint)
{
    const char *host = endpoint + strlen("tcp://");
    return !starts_with(endpoint, "tcp://") || is_loopback_ip4(host) ||
           starts_with(host, "localhost:") || starts_with(host, "[::1]:");
}

static bool check_endpoint(struct config_at at, const char *endpoint, bool secured)
{
    if (!starts_with(endpoint, "tcp://") && !starts_with(endpoint, "ipc://") &&
        !starts_with(endpoint, "inproc://"))
        return config_error(at, "must be an endpoint, as ipc:///run/arcd/command or "
                                "tcp://127.0.0.1:5500");
    if (secured || is_local(endpoint))
        return true;
    return config_error(at,
                        "'%s' is open to the network: give `curve` (see `arcd keys`), or say "
                        "\"insecure\": true",
                        endpoint);
}

static bool check_link(struct config_at at, void *out)
{
    const struct config_link *link = out;
    bool secured = link->has_curve || link->insecure;
    bool ok = check_endpoint(config_member(at, "command"), link->command, secured);
    ok = check_endpoint(config_member(at, "stream"), link->stream, secured) && ok;
    if (strcmp(link->command, link->stream) == 0)
        ok = config_error(config_member(at, "stream"), "command and stream must differ");
    return ok;
}

/* 32 bytes in Z85, the form in which ZeroMQ writes keys. */
static bool check_curve(struct config_at at, void *out)
{
    static const char z85[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              ".-:+=^!/*?&<>()[]{}@%$#";
    const struct config_curve *curve = out;
    bool ok = true;
    for (uint32_t i = 0; i < curve->clients.n; i++)
        if (strlen(curve->clients.v[i]) != 40 || strspn(curve->clients.v[i], z85) != 40)
            ok = config_error(config_element(config_member(at, "clients"), i),
                              "must be a public key of 40 characters (see `arcd keys`)");
    return ok;
}

#define CURVE_IN(member) CONFIG_IN(struct config_curve, member)
#define LINK_IN(member) CONFIG_IN(struct config_link, member)

static const struct config_field curve_fields[] = {
    {"secret_key", CONFIG_STR, CURVE_IN(secret_key), .fallback = "",
     .otherwise = "the one that `arcd keys` made", .doc = "File with the server's secret key."},
    {"clients", CONFIG_STRS, CURVE_IN(clients), .fallback = "[]",
     .doc = "Public keys of the clients that may connect; none: whoever knows the server's."},
};

static const struct config_table curve_table =
    CONFIG_TABLE("Curve", struct config_curve, curve_fields, .check = check_curve);

static const struct config_field link_fields[] = {
    {"command", CONFIG_STR, LINK_IN(command), .fallback = "ipc:///run/arcd/command",
     .doc = "Endpoint of the command socket."},
    {"stream", CONFIG_STR, LINK_IN(stream), .fallback = "ipc:///run/arcd/stream",
     .doc = "Endpoint of the stream socket."},
    {"curve", CONFIG_OBJECT, LINK_IN(curve), .table = &curve_table,
     .given = CONFIG_GIVEN(struct config_link, has_curve), .otherwise = "off",
     .doc = "Encrypt, and admit only who has a key. An empty object is enough to switch it on."},
    {"insecure", CONFIG_BOOL, LINK_IN(insecure), .fallback = "false",
     .doc = "Allow an endpoint that other machines reach, without keys."},
    {"hold", CONFIG_DURATION, LINK_IN(hold_ns), .fallback = "5s", .limits = CONFIG_FROM_TO(0, 3600),
     .doc = "How long the writes of a client that was lost stay in force."},
    {"hwm", CONFIG_INT, LINK_IN(hwm), .fallback = "1000", .limits = CONFIG_FROM_TO(1, 1000000),
     .unit = "batches", .doc = "Batches that may wait for a slow client before it loses some."},
};

static const struct config_table link_table =
    CONFIG_TABLE("Link", struct config_link, link_fields, .check = check_link);

/* ---- Log */

static const struct config_choice log_levels[] = {
    {"error", CONFIG_LOG_ERROR}, {"warning", CONFIG_LOG_WARNING}, {"info", CONFIG_LOG_INFO},
    {"debug", CONFIG_LOG_DEBUG}, {"trace", CONFIG_LOG_TRACE},     {0}};

static bool read_task_levels(struct config_at at, struct base_arena *arena,
                             const struct config_field *field, void *out)
{
    (void)field;
    if (config_type(at) != CONFIG_JSON_OBJECT)
        return config_error(at, "must be an object");
    struct config_task_levels *levels = out;
    struct config_task_level *v =
        base_arena_array(arena, struct config_task_level, config_count(at));
    const struct config_field level = {
        .kind = CONFIG_ENUM, .size = sizeof(v->level), .choices = log_levels};
    uint32_t n = 0;
    bool ok = true;
    const char *name;
    struct config_at member;
    for (void *iter = NULL; config_next_member(at, &iter, &name, &member);) {
        v[n].task = base_arena_strdup(arena, name);
        ok = config_read_value(member, arena, &level, &v[n++].level) && ok;
    }
    *levels = (struct config_task_levels){v, n};
    return ok;
}

#define LOG_IN(member) CONFIG_IN(struct config_log, member)

static const struct config_field log_fields[] = {
    {"level", CONFIG_ENUM, LOG_IN(level), .fallback = "info", .choices = log_levels,
     .doc = "What is logged."},
    {"json", CONFIG_BOOL, LOG_IN(json), .fallback = "false", .doc = "One JSON object a line."},
    {"file", CONFIG_STR, LOG_IN(file), .min_len = 1, .otherwise = "standard error",
     .doc = "File to log into; it is rotated."},
    {"max_mb", CONFIG_INT, LOG_IN(max_mb), .fallback = "50", .limits = CONFIG_FROM_TO(1, 100000),
     .unit = "MB", .doc = "A larger log file is put aside."},
    {"keep", CONFIG_INT, LOG_IN(keep), .fallback = "5", .limits = CONFIG_FROM_TO(0, 1000),
     .unit = "files", .doc = "Log files put aside that are kept."},
    {"per_task", CONFIG_CUSTOM, LOG_IN(per_task), .read = read_task_levels, .shape = "object",
     .doc = "Levels of single tasks, by name: `{\"Tank in\": \"debug\"}`."},
};

static const struct config_table log_table = CONFIG_TABLE("Log", struct config_log, log_fields);

/* ---- Real time */

static const struct config_choice rt_modes[] = {
    {"auto", CONFIG_RT_AUTO}, {"on", CONFIG_RT_ON}, {"off", CONFIG_RT_OFF}, {0}};

#define RT_IN(member) CONFIG_IN(struct config_driver_rt, member)

static const struct config_field rt_fields[] = {
    {"mode", CONFIG_ENUM, RT_IN(mode), .fallback = "auto", .choices = rt_modes,
     .doc = "Real-time threads: where permitted (auto), with a warning for each that is not "
            "(on), or none (off)."},
    {"lock_memory", CONFIG_BOOL, RT_IN(lock_memory), .fallback = "true",
     .doc = "Keep the Driver's memory from being paged out, where permitted."},
};

static const struct config_table rt_table =
    CONFIG_TABLE("Real time", struct config_driver_rt, rt_fields);

/* ---- Devices */

#define DEVICE_IN(member) CONFIG_IN(struct config_device_common, member)

static const struct config_field device_fields[] = {
    {"backend", CONFIG_STR, DEVICE_IN(backend), .required = true,
     .doc = "`\"ni\"`, `\"modbus\"`, `\"comedi\"` or `\"sim\"`; it has further fields."},
    {"location", CONFIG_STR, DEVICE_IN(location), .min_len = 1, .otherwise = "the backend's",
     .doc = "Where the device is, as its backend names it."},
    {"serial", CONFIG_STR, DEVICE_IN(serial), .fallback = "",
     .doc = "Serial number that the device must have."},
    {"model", CONFIG_STR, DEVICE_IN(model), .fallback = "", .doc = "Model that it must be."},
    {"enabled", CONFIG_BOOL, DEVICE_IN(enabled), .fallback = "true",
     .doc = "false: tasks on the device are checked and refuse to start."},
    {"share", CONFIG_BOOL, DEVICE_IN(share),
     .given = CONFIG_GIVEN(struct config_device_common, has_share), .otherwise = "the backend's",
     .doc = "Several tasks may use the device at once."},
    {"scan", CONFIG_BOOL, DEVICE_IN(scan), .fallback = "true", .doc = "Watch the device's health."},
};

const struct config_table config_device_table =
    CONFIG_TABLE("Devices", struct config_device_common, device_fields);

static bool check_backend(struct config_at at, const struct config_known *known,
                          const char *backend)
{
    if (is_one_of(known->backends, known->n_backends, backend))
        return true;
    uint32_t n = ARCD_COUNT_OF(all_backends);
    if (is_one_of(all_backends, n, backend))
        return config_error(at, "backend '%s' is not built into this Driver", backend);
    const char *nearest = config_nearest(backend, text_at, all_backends, n);
    if (nearest != NULL)
        return config_error(at, "unknown backend '%s' (did you mean '%s'?)", backend, nearest);
    return config_error(at, "unknown backend '%s'; known here: %s", backend,
                        config_names_text(&at.doc->arena, text_at, all_backends, n));
}

static bool check_device_name(struct config_at at, const char *name)
{
    size_t len = strlen(name);
    if (len < 1 || len > 64)
        return config_error(at, "the name must have 1 to 64 bytes");
    if (strchr(name, '/') != NULL)
        return config_error(at, "the name must not have a '/'");
    return config_check_name(at, name);
}

static bool read_device(struct config_at at, struct base_arena *arena,
                        const struct config_known *known, const char *name,
                        struct config_device *device)
{
    device->name = base_arena_strdup(arena, name);
    device->at = at;
    device->canonical = config_canonical(at, arena);
    struct config_part part = {.table = &config_device_table, .out = &device->common};
    bool ok = check_device_name(at, name);
    ok = config_peek_parts(at, arena, &part, 1) && ok;
    if (device->common.backend != NULL)
        ok = check_backend(config_member(at, "backend"), known, device->common.backend) && ok;
    return ok;
}

static bool read_devices(struct config_at at, struct base_arena *arena,
                         const struct config_known *known, struct config_driver *driver)
{
    if (config_type(at) != CONFIG_JSON_OBJECT)
        return config_type(at) == CONFIG_JSON_ABSENT || config_error(at, "must be an object");
    if (config_count(at) > CONFIG_DEVICES_MAX)
        return config_error(at, "must have at most %d devices", CONFIG_DEVICES_MAX);
    struct config_device *v = base_arena_array(arena, struct config_device, config_count(at));
    bool ok = true;
    const char *name;
    struct config_at member;
    for (void *iter = NULL; config_next_member(at, &iter, &name, &member);)
        ok = read_device(member, arena, known, name, &v[driver->n_devices++]) && ok;
    driver->devices = v;
    return ok;
}

bool config_device_read(const struct config_device *device, struct base_arena *arena,
                        const struct config_table *backend_table, void *out)
{
    struct config_device_common common;
    const struct config_part parts[] = {{.table = &config_device_table, .out = &common},
                                        {.table = backend_table, .out = out}};
    return config_read_parts(device->at, arena, parts, ARCD_COUNT_OF(parts));
}

static bool has_name(const struct config_device *device, const char *name, size_t len)
{
    return strncmp(device->name, name, len) == 0 && device->name[len] == '\0';
}

const struct config_device *config_driver_device(const struct config_driver *driver,
                                                 const char *name)
{
    size_t len = strcspn(name, "/");
    for (uint32_t i = 0; i < driver->n_devices; i++)
        if (has_name(&driver->devices[i], name, len))
            return &driver->devices[i];
    return NULL;
}

/* ---- All of it */

/* Read by config_driver_read(): they need more than the value, and what is in order of them must
 * stay when some of it is not. */
static bool leave(struct config_at at, struct base_arena *arena, const struct config_field *field,
                  void *out)
{
    (void)at;
    (void)arena;
    (void)field;
    (void)out;
    return true;
}

static bool check_driver(struct config_at at, void *out)
{
    const struct config_driver *driver = out;
    bool ok = true;
    if (driver->version != 1)
        ok = config_error(config_member(at, "version"), "must be 1: this Driver reads no other");
    uint32_t n = ARCD_COUNT_OF(all_integrations);
    for (uint32_t i = 0; i < driver->integrations.n; i++)
        if (!is_one_of(all_integrations, n, driver->integrations.v[i]))
            ok = config_error(config_element(config_member(at, "integrations"), i),
                              "unknown integration '%s'; known here: %s", driver->integrations.v[i],
                              config_names_text(&at.doc->arena, text_at, all_integrations, n));
    return ok;
}

#define IN(member) CONFIG_IN(struct config_driver, member)

static const struct config_field driver_fields[] = {
    {"version", CONFIG_INT, IN(version), .fallback = "1", .doc = "Version of this format: 1."},
    {"channels", CONFIG_CUSTOM, IN(channels), .read = leave, .shape = "object", .otherwise = "`{}`",
     .doc = "Channels by name, at most 65535: [Channels](#channels)."},
    {"devices", CONFIG_CUSTOM, IN(n_devices), .read = leave, .shape = "object", .otherwise = "`{}`",
     .doc = "Devices by name, at most 1024: [Devices](#devices)."},
    {"defaults", CONFIG_CUSTOM, IN(defaults), .read = leave, .shape = "object", .otherwise = "`{}`",
     .doc = "Fields for all tasks that leave them out: those of tasks and their channels that are "
            "not a task's own, such as `stream_rate`, `auto_start` or `on_stop`."},
    {"timing", CONFIG_OBJECT, IN(timing), .table = &timing_table, .doc = "Clocks."},
    {"retry", CONFIG_OBJECT, IN(retry), .table = &config_retry_table,
     .doc = "What tasks do after a temporary error, where they do not say it themselves."},
    {"manager", CONFIG_OBJECT, IN(manager), .table = &manager_table,
     .doc = "How the Driver works on commands."},
    {"integrations", CONFIG_STRS, IN(integrations), .otherwise = "all that are built in",
     .given = CONFIG_GIVEN(struct config_driver, has_integrations),
     .doc = "What is switched on, of `ni` `modbus` `comedi` `sim` `arc`."},
    {"scan", CONFIG_OBJECT, IN(scans), .table = &scans_table, .doc = "Looking for devices."},
    {"link", CONFIG_OBJECT, IN(link), .table = &link_table,
     .given = CONFIG_GIVEN(struct config_driver, has_link), .otherwise = "off",
     .doc = "Sockets for other programs. An empty object is enough to switch it on."},
    {"log", CONFIG_OBJECT, IN(log), .table = &log_table, .doc = "The log."},
    {"rt", CONFIG_OBJECT, IN(rt), .table = &rt_table, .doc = "Real-time threads."},
};

const struct config_table config_driver_table =
    CONFIG_TABLE("driver.json", struct config_driver, driver_fields, .check = check_driver);

static bool check_task_defaults(struct config_at at)
{
    static const struct config_table *const tables[] = {
        &config_task_table, &config_rates_table, &config_read_channel_table, &config_write_table,
        &config_write_channel_table};
    return config_check_defaults(at, tables, ARCD_COUNT_OF(tables));
}

/* `defaults` with the Driver's own `retry` below its own, so that tasks look in one place. */
static struct config_at merge_defaults(struct config_doc *doc)
{
    struct config_at root = config_root(doc);
    json_t *defaults = json_object_get(doc->root, "defaults");
    if (!json_is_object(defaults)) {
        defaults = json_object();
        json_object_set_new(doc->root, "defaults", defaults);
    }
    const json_t *retry = json_object_get(doc->root, "retry");
    if (json_is_object(retry)) {
        json_t *merged = json_copy((json_t *)(uintptr_t)retry);
        json_t *nearer = json_object_get(defaults, "retry");
        if (json_is_object(nearer))
            json_object_update(merged, nearer);
        json_object_set_new(defaults, "retry", merged);
    }
    return config_member(root, "defaults");
}

bool config_driver_read(struct config_doc *doc, struct base_arena *arena,
                        const struct config_known *known, struct config_driver *driver)
{
    struct config_at root = config_root(doc);
    bool ok = config_read(root, arena, &config_driver_table, driver);
    ok = config_channels_read(config_member(root, "channels"), arena, &driver->channels) && ok;
    ok = read_devices(config_member(root, "devices"), arena, known, driver) && ok;
    ok = check_task_defaults(config_member(root, "defaults")) && ok;
    if (config_type(root) != CONFIG_JSON_OBJECT)
        return false;
    driver->defaults = merge_defaults(doc);
    return ok;
}

bool config_driver_has_integration(const struct config_driver *driver, const char *name)
{
    return !driver->has_integrations ||
           is_one_of(driver->integrations.v, driver->integrations.n, name);
}

const struct config_scan *config_driver_scan(const struct config_driver *driver,
                                             const char *backend)
{
    /* In the order of CONFIG_BACKENDS; what stands behind these there is not scanned for. */
    const struct config_scan *scans[] = {&driver->scans.ni, &driver->scans.modbus,
                                         &driver->scans.comedi, &driver->scans.sim};
    _Static_assert(ARCD_COUNT_OF(scans) <= ARCD_COUNT_OF(all_backends), "a scan for each name");
    for (uint32_t i = 0; i < ARCD_COUNT_OF(scans); i++)
        if (strcmp(all_backends[i], backend) == 0)
            return scans[i];
    return NULL;
}
