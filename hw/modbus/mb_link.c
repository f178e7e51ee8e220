/* A request goes through four stages: the link is opened if it is not, pauses and left-over answers
 * are waited out, the request is sent, and its answer is picked from what arrives. Each stage is
 * one function that gives a result of mb_error.h; what a result means for the link and the unit is
 * decided in one place, settle_accounts(). */
#include "hw/modbus/mb_link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    TIMEOUTS_UNTIL_RECONNECT = 3,
    FAILURES_UNTIL_SLOW = 3,
    SLOW_FACTOR = 12, /* a unit that is gone takes at most a twelfth of the link's time */
};

/* ---- Making and freeing */

void mb_link_name(const struct mb_io_config *io, char name[MB_LINK_NAME])
{
    if (io->is_rtu)
        snprintf(name, MB_LINK_NAME, "%s", io->serial_port);
    else if (strchr(io->host, ':') != NULL)
        snprintf(name, MB_LINK_NAME, "[%s]:%u", io->host, io->port);
    else
        snprintf(name, MB_LINK_NAME, "%s:%u", io->host, io->port);
}

enum arcd_err mb_link_new(const struct mb_link_config *config, const struct mb_io_ops *ops,
                          const struct base_clock *clock, struct mb_link **link,
                          struct arcd_errinfo *why)
{
    struct mb_link *l = calloc(1, sizeof *l);
    if (l == NULL)
        return arcd_fail(why, ARCD_ERR_NOMEM, 0, "out of memory");
    l->config = *config;
    l->ops = ops;
    l->clock = clock;
    mb_link_name(&config->io, l->name);
    l->io = ops->new (&config->io, why);
    if (l->io == NULL) {
        free(l);
        return ARCD_ERR_CONFIG;
    }
    /* The texts of the configuration are not ours, and io has copied what it needs. */
    l->config.io.host = NULL;
    l->config.io.serial_port = NULL;
    mb_turns_init(&l->turns);
    mb_trace_init(&l->trace);
    *link = l;
    return ARCD_OK;
}

void mb_link_free(struct mb_link *link)
{
    if (link->is_open)
        link->ops->close(link->io);
    link->ops->free(link->io);
    mb_trace_fini(&link->trace);
    mb_turns_fini(&link->turns);
    free(link);
}

/* ---- Opening and closing */

static int64_t now(const struct mb_link *link)
{
    return base_clock_mono(link->clock);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The pause before connect attempt n + 1: growing, as long as nothing was answered. */
static int64_t pause_ns(const struct mb_reconnect *reconnect, uint32_t n_attempts)
{
    double pause = (double)reconnect->base_ns;
    for (uint32_t i = 1; i < n_attempts && pause < (double)reconnect->max_ns; i++)
        pause *= reconnect->scale;
    return pause < (double)reconnect->max_ns ? (int64_t)pause : reconnect->max_ns;
}

/* `text` "": the words of the code. A link that worked is tried again at once. */
static void close_link(struct mb_link *link, int code, const char *text)
{
    char buf[96];
    link->ops->close(link->io);
    if (!link->is_proven) {
        link->n_attempts++;
        link->next_connect_ns = now(link) + pause_ns(&link->config.reconnect, link->n_attempts);
    }
    if (link->is_open) {
        link->was_lost = true;
        atomic_fetch_add(&link->n_lost, 1);
    }
    link->is_open = false;
    link->is_proven = false;
    link->n_timeouts = 0;
    link->last_code = code;
    snprintf(link->last_text, sizeof link->last_text, "%s",
             text[0] != '\0' ? text : mb_error_text(code, buf, sizeof buf));
}

static int open_link(struct mb_link *link, struct mb_caller *caller, int64_t deadline_ns)
{
    if (link->is_open)
        return 0;
    if (now(link) < link->next_connect_ns)
        return ENOTCONN;
    char text[MB_IO_TEXT] = "";
    deadline_ns = earlier(deadline_ns, now(link) + link->config.connect_timeout_ns);
    int code = link->ops->open(link->io, caller->wake_fd, deadline_ns, text);
    if (code == ECANCELED)
        return code;
    if (code != 0) {
        link->is_proven = false;
        close_link(link, code, text);
        return code == ETIMEDOUT ? ENOTCONN : code; /* no answer to connect: the link, not a unit */
    }
    link->is_open = true;
    link->n_timeouts = 0;
    link->ready_ns = now(link) + link->config.pause_after_connect_ns;
    atomic_fetch_add(&link->n_opened, 1);
    return 0;
}

/* ---- Before a request */

static bool is_same_request(const struct mb_request *a, const struct mb_request *b)
{
    return a->pdu_len == b->pdu_len && memcmp(a->pdu, b->pdu, a->pdu_len) == 0;
}

/* RTU answers carry no number. While one may still come that answers another request to this unit,
 * nothing is asked of it; a repeat of the same request would be answered the same. */
static int64_t quiet_until_ns(const struct mb_link *link, const struct mb_request *request)
{
    const struct mb_unit *unit = &link->units[request->unit];
    if (!link->config.io.is_rtu || unit->suspect_ns == 0 ||
        is_same_request(&unit->suspect, request))
        return link->ready_ns;
    return unit->suspect_ns > link->ready_ns ? unit->suspect_ns : link->ready_ns;
}

/* Waits out the pauses, then throws away what has come unasked. */
static int get_ready(struct mb_link *link, const struct mb_ask *ask)
{
    int64_t until_ns = quiet_until_ns(link, ask->request);
    if (until_ns >= ask->deadline_ns)
        return ETIMEDOUT;
    if (!mb_caller_sleep(ask->caller, link->clock, until_ns))
        return ECANCELED;
    uint32_t n_bytes = 0;
    int code = link->ops->drain(link->io, &n_bytes);
    if (n_bytes > 0)
        atomic_fetch_add(&ask->stats->late, 1);
    return code;
}

/* ---- The request and its answer */

static int64_t frame_limit_ns(const struct mb_link *link, const struct mb_ask *ask)
{
    int64_t pause =
        link->config.byte_timeout_ns > 0 ? link->config.byte_timeout_ns : ask->response_timeout_ns;
    return pause + ask->request->reply_len * link->config.char_ns;
}

/* Waits for the frame that answers; others are let go by. */
static int receive_answer(struct mb_link *link, const struct mb_ask *ask, int64_t deadline_ns,
                          struct mb_frame *frame)
{
    for (;;) {
        int code = link->ops->receive(link->io, ask->caller->wake_fd, deadline_ns,
                                      frame_limit_ns(link, ask), frame);
        if (code == 0)
            mb_trace_add(&link->trace, base_clock_utc(link->clock), false, frame->raw,
                         frame->raw_len);
        bool foreign = code == EAGAIN || (code == 0 && !link->config.io.is_rtu &&
                                          frame->transaction != link->transaction);
        if (!foreign)
            return code;
        atomic_fetch_add(&ask->stats->late, 1);
        if (now(link) >= deadline_ns)
            return ETIMEDOUT;
    }
}

/* Some TCP devices answer with another unit than was asked; the transaction id is what counts. */
static int check_answer(const struct mb_link *link, const struct mb_ask *ask,
                        const struct mb_frame *frame, struct mb_reply *reply)
{
    uint8_t exception = 0;
    if (link->config.io.is_rtu && frame->unit != ask->request->unit)
        return MB_E_BAD_UNIT;
    switch (mb_reply_check(ask->request, &frame->reply, &exception)) {
    case MB_REPLY_GOOD: *reply = frame->reply; return 0;
    case MB_REPLY_EXCEPTION: return mb_error_of_exception(exception);
    case MB_REPLY_DAMAGED: break;
    }
    return MB_E_BAD_DATA;
}

static void count_reply(struct mb_stats *stats, int64_t took_ns)
{
    atomic_fetch_add(&stats->reply_sum_ns, took_ns);
    if (took_ns > atomic_load(&stats->reply_max_ns))
        atomic_store(&stats->reply_max_ns, took_ns);
    int64_t min_ns = atomic_load(&stats->reply_min_ns);
    if (min_ns == 0 || took_ns < min_ns)
        atomic_store(&stats->reply_min_ns, took_ns);
}

static int exchange(struct mb_link *link, const struct mb_ask *ask, struct mb_reply *reply)
{
    struct mb_frame frame;
    int64_t sent_ns = now(link);
    int64_t deadline_ns = earlier(ask->deadline_ns, sent_ns + ask->response_timeout_ns);
    link->transaction++;
    atomic_fetch_add(&ask->stats->requests, 1);
    int code = link->ops->send(link->io, ask->request, link->transaction, deadline_ns, &frame);
    if (code != 0)
        return code;
    mb_trace_add(&link->trace, base_clock_utc(link->clock), true, frame.raw, frame.raw_len);
    if (link->config.io.is_rtu && ask->request->unit == 0)
        return 0; /* a broadcast is not answered */
    code = receive_answer(link, ask, deadline_ns, &frame);
    if (code != 0)
        return code;
    count_reply(ask->stats, now(link) - sent_ns);
    return check_answer(link, ask, &frame, reply);
}

/* ---- What a result means */

static void suspect(struct mb_link *link, const struct mb_ask *ask)
{
    struct mb_unit *unit = &link->units[ask->request->unit];
    unit->suspect = *ask->request;
    unit->suspect_ns = now(link) + ask->response_timeout_ns;
}

/* An answer came. If it was that to an earlier try, the one to the last try is still on its way. */
static void note_answer(struct mb_link *link, const struct mb_ask *ask)
{
    struct mb_unit *unit = &link->units[ask->request->unit];
    atomic_store(&unit->last_good_ns, now(link));
    if (unit->suspect_ns != 0 && is_same_request(&unit->suspect, ask->request) &&
        now(link) < unit->suspect_ns)
        suspect(link, ask);
    else
        unit->suspect_ns = 0;
}

static void count_result(struct mb_stats *stats, int code)
{
    if (code == 0)
        atomic_fetch_add(&stats->good, 1);
    else if (code == ETIMEDOUT)
        atomic_fetch_add(&stats->timeouts, 1);
    else if (mb_error_is_damage(code))
        atomic_fetch_add(&stats->damaged, 1);
    else if (mb_error_is_exception(code))
        atomic_fetch_add(&stats->exceptions[code == MB_E_BAD_EXCEPTION ? 0 : code - MB_E_BASE], 1);
}

/* After a damaged answer nobody knows where the next frame of a stream begins: a connection is made
 * anew, a serial line is left to fall silent. */
static void settle_accounts(struct mb_link *link, const struct mb_ask *ask, int code)
{
    bool is_rtu = link->config.io.is_rtu;
    count_result(ask->stats, code);
    link->ready_ns = now(link) + link->config.turnaround_ns;
    if (code == 0 || mb_error_is_exception(code)) {
        link->is_proven = true;
        link->n_attempts = 0;
        link->n_timeouts = 0;
        note_answer(link, ask);
        return;
    }
    if (is_rtu && (code == ECANCELED || code == ETIMEDOUT || mb_error_is_damage(code)))
        suspect(link, ask);
    link->n_timeouts += code == ETIMEDOUT;
    bool is_silent = !is_rtu && link->n_timeouts >= TIMEOUTS_UNTIL_RECONNECT;
    bool is_out_of_step = !is_rtu && mb_error_is_damage(code);
    if (mb_error_is_link(code) || is_silent || is_out_of_step)
        close_link(link, code, "");
}

/* One try. *was_sent: the device may have got the request. */
static int try_once(struct mb_link *link, const struct mb_ask *ask, struct mb_reply *reply,
                    bool *was_sent)
{
    *was_sent = false;
    int code = open_link(link, ask->caller, ask->deadline_ns);
    if (code != 0)
        return code;
    if (link->was_lost)
        atomic_fetch_add(&ask->stats->reconnects, 1);
    link->was_lost = false;
    code = get_ready(link, ask);
    if (mb_error_is_link(code))
        close_link(link, code, "");
    if (code != 0)
        return code;
    *was_sent = true;
    code = exchange(link, ask, reply);
    settle_accounts(link, ask, code);
    return code;
}

/* ---- Units that do not answer */

static bool is_shared(const struct mb_link *link)
{
    return atomic_load(&link->n_units_used) > 1;
}

/* After three asks without an answer the others on the link get its time. */
static void note_unit(struct mb_link *link, const struct mb_ask *ask, int code, int64_t began_ns)
{
    struct mb_unit *unit = &link->units[ask->request->unit];
    if (code == ECANCELED || mb_error_is_link(code))
        return;
    if (!mb_error_is_unit_gone(code)) {
        unit->n_failed = 0;
        unit->next_ask_ns = 0;
        return;
    }
    unit->n_failed++;
    int64_t spent_ns = now(link) - began_ns;
    if (unit->n_failed >= FAILURES_UNTIL_SLOW && is_shared(link))
        unit->next_ask_ns = now(link) + SLOW_FACTOR * spent_ns;
}

/* ---- Asking */

int mb_link_hold(struct mb_link *link, struct mb_caller *caller, bool is_write, int64_t deadline_ns)
{
    int code = mb_turns_take(&link->turns, caller, is_write, link->clock, deadline_ns);
    return code == ETIMEDOUT ? EINPROGRESS : code;
}

void mb_link_release(struct mb_link *link)
{
    mb_turns_give(&link->turns);
}

/* A write whose fate is unknown is repeated only if the caller allows it by `retries`. A connection
 * that worked and broke is made again at once, and the request repeated if that does no harm. */
static bool should_repeat(const struct mb_ask *ask, int code, bool was_sent, bool was_proven,
                          uint32_t n_repeats, bool *reconnected)
{
    bool harmless = !was_sent || !mb_request_is_write(ask->request) || ask->retries > 0;
    if (mb_error_is_link(code) && code != ENOTCONN) {
        bool again = was_proven && !*reconnected && harmless;
        *reconnected = true;
        return again;
    }
    return (code == ETIMEDOUT || mb_error_is_damage(code)) && n_repeats < ask->retries;
}

/* While the turn is still ours: what follows from the failure. */
static int report(struct mb_link *link, uint8_t unit, int code, struct mb_outcome *outcome)
{
    *outcome = (struct mb_outcome){.link_code = link->last_code};
    int64_t not_before_ns = 0;
    if (mb_error_is_link(code)) {
        not_before_ns = link->next_connect_ns;
        memcpy(outcome->link_text, link->last_text, sizeof link->last_text);
        outcome->gave_up = link->config.reconnect.max_retries >= 0 &&
                           link->n_attempts > link->config.reconnect.max_retries;
    } else if (mb_error_is_unit_gone(code)) {
        not_before_ns = link->units[unit].next_ask_ns;
    }
    if (not_before_ns > now(link))
        outcome->retry_after_ns = not_before_ns - now(link);
    return code;
}

int mb_link_ask_held(struct mb_link *link, const struct mb_ask *ask, struct mb_reply *reply)
{
    struct mb_unit *unit = &link->units[ask->request->unit];
    int64_t began_ns = now(link);
    if (is_shared(link) && began_ns < unit->next_ask_ns)
        return report(link, ask->request->unit, EHOSTDOWN, ask->outcome);
    struct mb_ask once = *ask;
    if (is_shared(link) && unit->n_failed > 0)
        once.retries = 0;
    bool reconnected = false;
    bool was_sent = false;
    int code = 0;
    for (uint32_t n_repeats = 0;; n_repeats++) {
        bool was_proven = link->is_proven;
        int result = try_once(link, &once, reply, &was_sent);
        if (result == ENOTCONN && n_repeats > 0)
            break; /* what made the link pause says more */
        code = result;
        if (code == 0 || now(link) >= ask->deadline_ns ||
            !should_repeat(&once, code, was_sent, was_proven, n_repeats, &reconnected))
            break;
    }
    note_unit(link, ask, code, began_ns);
    return report(link, ask->request->unit, code, ask->outcome);
}

int mb_link_ask(struct mb_link *link, const struct mb_ask *ask, struct mb_reply *reply)
{
    int code = mb_link_hold(link, ask->caller, mb_request_is_write(ask->request), ask->deadline_ns);
    if (code != 0) {
        *ask->outcome = (struct mb_outcome){0};
        return code;
    }
    code = mb_link_ask_held(link, ask, reply);
    mb_link_release(link);
    return code;
}

int mb_link_open(struct mb_link *link, struct mb_caller *caller, int64_t deadline_ns,
                 struct mb_outcome *outcome)
{
    *outcome = (struct mb_outcome){0};
    int code = mb_link_hold(link, caller, false, deadline_ns);
    if (code != 0)
        return code;
    code = open_link(link, caller, deadline_ns);
    report(link, 0, code, outcome);
    mb_link_release(link);
    return code;
}

void mb_link_close_if_idle(struct mb_link *link, struct mb_caller *caller)
{
    if (mb_turns_take(&link->turns, caller, false, link->clock, now(link)) != 0)
        return;
    if (link->is_open && !mb_turns_wanted(&link->turns)) {
        link->ops->close(link->io);
        link->is_open = false;
    }
    mb_turns_give(&link->turns);
}

void mb_link_use_unit(struct mb_link *link, uint8_t unit, bool in_use)
{
    _Atomic uint32_t *n_users = &link->units[unit].n_users;
    if (in_use && atomic_fetch_add(n_users, 1) == 0)
        atomic_fetch_add(&link->n_units_used, 1);
    else if (!in_use && atomic_fetch_sub(n_users, 1) == 1)
        atomic_fetch_sub(&link->n_units_used, 1);
}

static void abort_io(void *ctx)
{
    struct mb_link *link = ctx;
    link->ops->abort(link->io);
}

void mb_link_interrupt(struct mb_link *link, struct mb_caller *caller)
{
    mb_caller_interrupt(caller);
    mb_turns_if_holder(&link->turns, caller, abort_io, link);
}
