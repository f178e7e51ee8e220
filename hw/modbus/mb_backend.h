/* hw/modbus/mb_backend.h - backend, device and task of Modbus, for this folder.
 *
 * mb_driver.c: the table, devices, their health. mb_task.c: tasks are checked and built. mb_read.c
 * and mb_write.c: tasks run. Everything below them works on a link (mb_link.h).
 */
#ifndef HW_MODBUS_MB_BACKEND_H
#define HW_MODBUS_MB_BACKEND_H

#include "hw/modbus/mb_config.h"
#include "hw/modbus/mb_link.h"
#include "hw/modbus/modbus.h"

struct hw_backend {
    const struct hw_env *env;
    const struct mb_io_ops *io; /* tests put their own here before the first device */
    pthread_mutex_t lock;       /* of the list, and of the links' reference counts */
    struct mb_link *links;
};

struct hw_device {
    struct base_arena arena;
    const struct hw_env *env;
    struct hw_backend *backend;
    const char *name;
    struct mb_device_config config;
    struct mb_limits limits;
    struct mb_link *link;
    struct mb_stats stats;
    /* For probe(), which may run beside the tasks. */
    pthread_mutex_t probe_lock;
    struct mb_caller probe_caller;
    bool has_first_read[MB_UNITS];
    struct mb_request first_read[MB_UNITS]; /* first planned read of a task, by unit */
};

/* An output: what it is, and what was sent last. */
struct mb_output {
    int64_t repeat_ns;
    int64_t next_repeat_ns;
    enum mb_fc_choice fc;
    bool verify;
    bool has_last;
    bool is_pending;                        /* to be written by this call */
    uint16_t mask;                          /* of a register bit, as it is on the wire */
    uint16_t words[MB_VALUE_REGISTERS_MAX]; /* the newest value; a coil: 0 or 1; a bit: mask or 0 */
};

struct mb_channel {
    struct mb_format format;
    bool has_default_order; /* nobody said how its registers are ordered */
    struct mb_codes no_value;
    struct mb_output *out; /* write tasks */
};

struct hw_task {
    struct base_arena arena;
    struct hw_device *device;
    struct mb_caller caller;
    enum hw_direction direction;
    struct hw_task_info info;
    struct hw_channel *channels;
    struct mb_channel *mb;
    uint8_t *units; /* those that it talks to, each once */
    uint32_t n_units;
    struct mb_item *items; /* one a channel */
    struct mb_plan plan;   /* read: what is read; write: what a readback reads */
    uint16_t *values;      /* plan.n_values registers and bits */
    char *texts;           /* MB_STR_MAX bytes for each str channel */
    bool skip_bad;         /* read */
    bool *is_bad;          /* read: by item, its request was refused for good */
    bool resend;           /* write: last values again after a reconnect */
    uint32_t n_lost;       /* write: of the link, when last values were last sent */
    bool has_no_mask_write;
    bool is_started;

    /* The loop's own: what failed lately, for errors that are judged by how often they come. */
    int last_code;
    uint32_t n_device_failures, n_acknowledged;
};

enum arcd_err mb_task_new(struct hw_device *device, const struct hw_task_config *config,
                          struct hw_task **task, const struct hw_task_info **info,
                          struct arcd_errinfo *why);
void mb_task_free(struct hw_task *task);
void mb_task_describe(const struct hw_task *task, FILE *out);

/* The request of a block of the plan. */
struct mb_request mb_task_request(const struct hw_task *task, uint32_t block);

/* Asks with the device's settings. `writes` may be repeated after no answer if the device says so.
 */
int mb_task_ask(struct hw_task *task, const struct mb_request *request, int64_t deadline_ns,
                bool is_held, struct mb_reply *reply, struct mb_outcome *outcome);

/* Turns a result into the loop's: class, sentence, and when to try again. `item`: the first channel
 * that it concerns, UINT32_MAX none; n_more besides. */
enum hw_class mb_task_fail(struct hw_task *task, int code, const struct mb_request *request,
                           const struct mb_outcome *outcome, uint32_t item, uint32_t n_more,
                           struct hw_error *error);
void mb_task_worked(struct hw_task *task);

/* Discovery by request: `query` is "HOST[:PORT] UNITS" or "SERIAL_PORT UNITS", UNITS as "1-20,30".
 */
enum arcd_err mb_scan(struct hw_backend *backend, const struct hw_env *env, const char *query,
                      void (*found)(void *ctx, const struct hw_found *device), void *ctx,
                      struct arcd_errinfo *why);

enum hw_class mb_read(struct hw_task *task, struct hw_read *read, struct hw_error *error);
enum hw_class mb_write(struct hw_task *task, struct hw_write *write, struct hw_error *error);
enum hw_class mb_readback(struct hw_task *task, union telem_value *values, uint8_t *valid,
                          struct hw_error *error);

#endif
