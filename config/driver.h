/* config/driver.h - driver.json: what is said once for the whole Driver.
 *
 * Life cycle: config_dir or config_doc_load -> config_driver_read -> used -> forgotten with its
 * arena. Device objects and the defaults of tasks keep their cursor, because the fields of a device
 * belong to its backend: the document must live as long as those are read. Everything else is in
 * the caller's arena.
 */
#ifndef CONFIG_DRIVER_H
#define CONFIG_DRIVER_H

#include "config/channel.h"
#include "config/task.h"

/* Every backend that there is; a Driver may be built without some. Only for messages, and for the
 * names that `integrations` may list. */
#define CONFIG_BACKENDS "ni", "modbus", "comedi", "sim"

/* What this Driver was built with. config/ itself knows no backend. */
struct config_task_type {
    const char *name;    /* "modbus_read" */
    const char *backend; /* "modbus"; NULL: needs no device */
    bool writes;         /* its channels are outputs: cmd_channel, state_channel */
    bool many_devices;   /* its channels may be on different devices */
};

struct config_known {
    const char *const *backends; /* built in */
    uint32_t n_backends;
    const struct config_task_type *types;
    uint32_t n_types;
    /* Whether this machine has that core; NULL: not asked, as for another machine's folder. */
    bool (*cpu_is_online)(int64_t cpu);
};

/* NULL when the Driver has no such type. */
const struct config_task_type *config_known_type(const struct config_known *known,
                                                 const char *name);

/* ---- Devices */

enum { CONFIG_DEVICES_MAX = 1024 };

/* The fields of every device; a backend's table has the rest (also its own `location`, where it
 * has another default). */
struct config_device_common {
    const char *backend;
    const char *location;       /* NULL: the backend's default */
    const char *serial, *model; /* "": any */
    bool enabled;
    bool has_share, share; /* without: the backend's own */
    bool scan;
};

struct config_device {
    const char *name;
    struct config_device_common common;
    const char *canonical;
    struct config_at at; /* for the backend's fields: config_device_read() */
};

extern const struct config_table config_device_table;

/* Reads the fields of a device's backend into `out`; refuses what neither it nor every device
 * knows. */
bool config_device_read(const struct config_device *device, struct base_arena *arena,
                        const struct config_table *backend_table, void *out);

/* ---- The sections */

enum config_clock { CONFIG_CLOCK_REALTIME, CONFIG_CLOCK_TAI, CONFIG_CLOCK_VIRTUAL };

struct config_skew {
    double kp, ki, kd;
    double max_integral; /* of a stream period */
    double max_back;     /* of a batch */
    int64_t step_ns;
};

struct config_timing {
    bool correct_skew;
    enum config_clock clock;
    struct config_skew skew;
};

struct config_manager {
    int64_t worker_count; /* 1 to 64 */
    int64_t op_timeout_ns, poll_interval_ns, shutdown_timeout_ns;
};

struct config_scan {
    bool enabled;
    double rate_hz;
    struct config_strs ignored_models; /* POSIX extended expressions, checked */
};

struct config_scans {
    struct config_scan ni, modbus, comedi, sim;
};

/* Security of the link's sockets, see docs/link.md. */
struct config_curve {
    const char *secret_key;     /* file; "" : the one that `arcd keys` made */
    struct config_strs clients; /* public keys that may connect; n 0: whoever knows the server's */
};

struct config_link {
    const char *command, *stream; /* ZeroMQ endpoints */
    bool has_curve;
    struct config_curve curve;
    bool insecure;
    int64_t hold_ns; /* how long the writes of a lost client stay in force */
    int64_t hwm;     /* batches that may wait for a slow client */
};

enum config_log_level {
    CONFIG_LOG_ERROR,
    CONFIG_LOG_WARNING,
    CONFIG_LOG_INFO,
    CONFIG_LOG_DEBUG,
    CONFIG_LOG_TRACE
};

struct config_task_level {
    const char *task;
    enum config_log_level level;
};

struct config_task_levels {
    const struct config_task_level *v;
    uint32_t n;
};

struct config_log {
    enum config_log_level level;
    bool json;
    const char *file; /* NULL: standard error */
    int64_t max_mb, keep;
    struct config_task_levels per_task;
};

enum config_rt_mode { CONFIG_RT_AUTO, CONFIG_RT_ON, CONFIG_RT_OFF };

struct config_driver_rt {
    enum config_rt_mode mode;
    bool lock_memory;
};

/* ---- All of it */

struct config_driver {
    int64_t version;
    struct config_timing timing;
    struct config_retry retry;
    struct config_manager manager;
    bool has_integrations;
    struct config_strs integrations; /* meaningful when given */
    struct config_scans scans;
    bool has_link;
    struct config_link link;
    struct config_log log;
    struct config_driver_rt rt;

    struct config_channels channels;
    const struct config_device *devices; /* in file order */
    uint32_t n_devices;
    struct config_at defaults; /* for config_task_read(): `defaults`, with the Driver's `retry` */
};

extern const struct config_table config_driver_table;

/* Reads driver.json. The document is changed: its `defaults` get the Driver's `retry`. */
bool config_driver_read(struct config_doc *doc, struct base_arena *arena,
                        const struct config_known *known, struct config_driver *driver);

/* NULL without one. "gateway/boiler" is a unit of the device "gateway". */
const struct config_device *config_driver_device(const struct config_driver *driver,
                                                 const char *name);

/* Whether the integration is switched on: built in, and named by `integrations` if that is given.
 */
bool config_driver_has_integration(const struct config_driver *driver, const char *name);

/* Whether driver.json's scan section is there for that backend; NULL when there is none such. */
const struct config_scan *config_driver_scan(const struct config_driver *driver,
                                             const char *backend);

#endif
