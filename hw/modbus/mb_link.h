/* hw/modbus/mb_link.h - one physical link: a TCP connection or a serial line, and all that is known
 * about the units behind it.
 *
 * A link opens itself when somebody asks, closes when it breaks, and is tried again with growing
 * pauses. One request is on it at a time; tasks take turns, writes before reads. Retries of one
 * request, pauses, late answers and units that do not answer are handled here.
 *
 * Life cycle: link_new -> (ask | hold -> ask_held ... -> release) ... -> link_free.
 * Threads: any, each with a caller of its own; the link serialises. Nothing is allocated after new.
 * Results: see mb_error.h.
 */
#ifndef HW_MODBUS_MB_LINK_H
#define HW_MODBUS_MB_LINK_H

#include "hw/modbus/mb_error.h"
#include "hw/modbus/mb_io.h"
#include "hw/modbus/mb_trace.h"
#include "hw/modbus/mb_turns.h"

enum { MB_UNITS = 256, MB_LINK_NAME = 300 };

struct mb_reconnect {
    int64_t base_ns, max_ns;
    double scale;
    int64_t max_retries; /* -1: for ever */
};

struct mb_link_config {
    struct mb_io_config io;
    int64_t connect_timeout_ns;
    int64_t byte_timeout_ns; /* 0: the response time-out is the limit of a frame too */
    int64_t turnaround_ns;
    int64_t pause_after_connect_ns;
    int64_t char_ns; /* rtu: one character on the wire */
    struct mb_reconnect reconnect;
};

/* Figures of one device. */
struct mb_stats {
    _Atomic int64_t requests, good, timeouts, damaged, late, reconnects;
    _Atomic int64_t exceptions[12]; /* [0]: codes above 11 */
    _Atomic int64_t reply_min_ns, reply_max_ns, reply_sum_ns;
};

/* What the asker should know about a failure besides its number. */
struct mb_outcome {
    int64_t retry_after_ns; /* the link or the unit is not asked before; 0: as the asker likes */
    bool gave_up;           /* more connect attempts than `reconnect` allows */
    int link_code;          /* why the link is down, and in words */
    char link_text[MB_IO_TEXT];
};

/* Of one request. */
struct mb_ask {
    struct mb_caller *caller;
    const struct mb_request *request;
    int64_t deadline_ns; /* on the link's clock */
    int64_t response_timeout_ns;
    uint32_t retries; /* repeats after no answer or a damaged one */
    struct mb_stats *stats;
    struct mb_outcome *outcome; /* filled when the result is not 0 */
};

/* What is known about one unit. */
struct mb_unit {
    _Atomic uint32_t n_users;     /* running tasks */
    _Atomic int64_t last_good_ns; /* when it last answered; 0: never */
    /* Who has the turn: */
    uint32_t n_failed;   /* asks in a row without an answer */
    int64_t next_ask_ns; /* not before; 0: at any time */
    int64_t suspect_ns;  /* rtu: an answer to `suspect` may still come until then; 0: none */
    struct mb_request suspect;
};

struct mb_link {
    char name[MB_LINK_NAME]; /* "plc.local:502", "/dev/ttyUSB0" */
    uint32_t n_refs;         /* devices; under the backend's lock */
    struct mb_link *next;
    struct mb_link_config config;
    const struct mb_io_ops *ops;
    struct mb_io *io;
    const struct base_clock *clock;
    struct mb_turns turns;
    struct mb_trace trace;
    _Atomic uint32_t n_opened;
    _Atomic uint32_t n_lost;       /* how often an open link broke */
    _Atomic uint32_t n_units_used; /* units with users */

    /* Who has the turn: */
    bool is_open, is_proven;           /* proven: something was answered since it was opened */
    bool was_lost;                     /* it broke, and was not opened since */
    uint32_t n_attempts;               /* to connect, without an answer since */
    uint32_t n_timeouts;               /* in a row */
    int64_t next_connect_ns, ready_ns; /* not before */
    int last_code;
    char last_text[MB_IO_TEXT]; /* why the link is down */
    uint16_t transaction;
    struct mb_unit units[MB_UNITS];
};

ARCD_MUST_CHECK enum arcd_err mb_link_new(const struct mb_link_config *config,
                                          const struct mb_io_ops *ops,
                                          const struct base_clock *clock, struct mb_link **link,
                                          struct arcd_errinfo *why);
void mb_link_free(struct mb_link *link);

/* "plc.local:502": what two devices must agree on to share a link. */
void mb_link_name(const struct mb_io_config *io, char name[MB_LINK_NAME]);

/* Opens the link now, so that a wrong path or a missing permission shows at once. */
int mb_link_open(struct mb_link *link, struct mb_caller *caller, int64_t deadline_ns,
                 struct mb_outcome *outcome);

/* One request and its answer. */
int mb_link_ask(struct mb_link *link, const struct mb_ask *ask, struct mb_reply *reply);

/* The same in two parts, so that several requests come without another in between. */
int mb_link_hold(struct mb_link *link, struct mb_caller *caller, bool is_write,
                 int64_t deadline_ns);
int mb_link_ask_held(struct mb_link *link, const struct mb_ask *ask, struct mb_reply *reply);
void mb_link_release(struct mb_link *link);

/* Closes the link if nobody waits for it. */
void mb_link_close_if_idle(struct mb_link *link, struct mb_caller *caller);

/* A task that uses the unit starts or stops. */
void mb_link_use_unit(struct mb_link *link, uint8_t unit, bool in_use);

/* Ends what the caller is waiting for, from any thread. */
void mb_link_interrupt(struct mb_link *link, struct mb_caller *caller);

#endif
