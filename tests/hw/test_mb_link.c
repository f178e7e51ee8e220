/* The link over a wire that does as it is told. */
#include "hw/modbus/mb_link.h"

#include "tests/hw/mb_fake.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MS BASE_NS_PER_MS
#define S BASE_NS_PER_S

struct fixture {
    struct bench_clock clock;
    struct base_clock base;
    struct mb_fake *fake;
    struct mb_link *link;
    struct mb_caller *caller;
    struct mb_stats stats;
    struct mb_outcome outcome;
    uint16_t values[125];
};

static int64_t mono(void *ctx)
{
    struct bench_clock *clock = ctx;
    return atomic_fetch_add(&clock->mono_ns, atomic_load(&clock->look_ns));
}

static int64_t utc(void *ctx)
{
    return atomic_load(&((struct bench_clock *)ctx)->utc_ns);
}

/* Time moves only as the devices answer; tests in which the link sleeps set look_ns. */
static void open_link_with(struct fixture *f, const struct mb_link_config *config)
{
    memset(f, 0, sizeof *f);
    atomic_store(&f->clock.mono_ns, 1000 * S);
    f->base = (struct base_clock){mono, utc, &f->clock};
    f->fake = mb_fake_new(&f->clock);
    f->caller = aligned_alloc(_Alignof(struct mb_caller), sizeof *f->caller);
    assert_int_equal(mb_caller_init(f->caller, NULL), ARCD_OK);
    assert_int_equal(mb_link_new(config, &mb_fake_ops, &f->base, &f->link, NULL), ARCD_OK);
}

static struct mb_link_config config_of(bool is_rtu)
{
    return (struct mb_link_config){
        .io = {.is_rtu = is_rtu, .host = "plc", .port = 502, .serial_port = "/dev/ttyX"},
        .connect_timeout_ns = 2 * S,
        .byte_timeout_ns = 500 * MS,
        .reconnect = {.base_ns = S, .scale = 1.1, .max_ns = 5 * S, .max_retries = -1}};
}

static void set_up(struct fixture *f, bool is_rtu)
{
    struct mb_link_config config = config_of(is_rtu);
    open_link_with(f, &config);
}

static void tear_down(struct fixture *f)
{
    mb_link_free(f->link);
    mb_caller_fini(f->caller);
    free(f->caller);
    mb_fake_free(f->fake);
}

static int64_t elapsed_ms(const struct fixture *f)
{
    return (atomic_load(&f->clock.mono_ns) - 1000 * S) / MS;
}

static void advance(struct fixture *f, int64_t by_ns)
{
    atomic_fetch_add(&f->clock.mono_ns, by_ns);
}

static int ask(struct fixture *f, const struct mb_request *request, uint32_t retries)
{
    struct mb_reply reply;
    const struct mb_ask a = {.caller = f->caller,
                             .request = request,
                             .deadline_ns = mono(&f->clock) + 3600 * S,
                             .response_timeout_ns = 500 * MS,
                             .retries = retries,
                             .stats = &f->stats,
                             .outcome = &f->outcome};
    int code = mb_link_ask(f->link, &a, &reply);
    if (code == 0 && !mb_request_is_write(request) && request->unit != 0)
        mb_reply_values(request, &reply, f->values);
    return code;
}

static int read_at(struct fixture *f, uint8_t unit, uint16_t address, uint32_t retries)
{
    struct mb_request request = mb_request_read(unit, MB_HOLDING, address, 2);
    return ask(f, &request, retries);
}

static int write_at(struct fixture *f, uint8_t unit, uint16_t address, uint32_t retries)
{
    struct mb_request request = mb_request_write_register(unit, address, 0x1234);
    return ask(f, &request, retries);
}

/* ---- Good times */

static void a_request_opens_the_link_and_is_answered(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, false);
    f.fake->holding[100] = 0xCAFE;
    assert_int_equal(read_at(&f, 1, 100, 0), 0);
    assert_int_equal(f.values[0], 0xCAFE);
    assert_int_equal(read_at(&f, 1, 100, 0), 0);
    assert_int_equal(f.fake->n_opened, 1);
    assert_int_equal(f.stats.requests, 2);
    assert_int_equal(f.stats.good, 2);
    assert_int_equal(f.stats.reply_max_ns, MS);
    assert_int_equal(f.stats.reply_min_ns, MS);
    tear_down(&f);
}

static void names_are_host_and_port_or_the_serial_port(void **state)
{
    (void)state;
    char name[MB_LINK_NAME];
    mb_link_name(&(struct mb_io_config){.host = "plc.local", .port = 502}, name);
    assert_string_equal(name, "plc.local:502");
    mb_link_name(&(struct mb_io_config){.host = "::1", .port = 1502}, name);
    assert_string_equal(name, "[::1]:1502");
    mb_link_name(&(struct mb_io_config){.is_rtu = true, .serial_port = "/dev/ttyUSB0"}, name);
    assert_string_equal(name, "/dev/ttyUSB0");
}

static void pauses_are_kept(void **state)
{
    (void)state;
    struct fixture f;
    struct mb_link_config config = config_of(false);
    config.turnaround_ns = 20 * MS;
    config.pause_after_connect_ns = 300 * MS;
    open_link_with(&f, &config);
    atomic_store(&f.clock.look_ns, MS / 1000);
    assert_int_equal(read_at(&f, 1, 0, 0), 0);
    assert_int_equal(read_at(&f, 1, 0, 0), 0);
    int64_t first_ns = f.fake->log[0].at_ns - 1000 * S;
    int64_t second_ns = f.fake->log[1].at_ns - 1000 * S;
    assert_in_range(first_ns, 300 * MS, 301 * MS);
    assert_in_range(second_ns - first_ns, 21 * MS, 22 * MS);
    tear_down(&f);
}

static void a_broadcast_on_a_serial_line_is_done_when_it_is_sent(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, true);
    mb_fake_next(f.fake, FAKE_SILENT, 0);
    assert_int_equal(write_at(&f, 0, 5, 0), 0);
    assert_int_equal(elapsed_ms(&f), 0);
    tear_down(&f);
    set_up(&f, false); /* unit 0 of a TCP device is a unit like others */
    mb_fake_next(f.fake, FAKE_SILENT, 0);
    assert_int_equal(write_at(&f, 0, 5, 0), ETIMEDOUT);
    tear_down(&f);
}

/* ---- Late and foreign answers */

/* The answer to the request before must neither be taken for this one nor fail it. */
static void a_late_answer_is_dropped_and_the_right_one_awaited(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, false);
    f.fake->holding[7] = 77;
    mb_fake_next(f.fake, FAKE_SILENT, 0);
    mb_fake_next(f.fake, FAKE_LATE, 0);
    assert_int_equal(read_at(&f, 1, 6, 0), ETIMEDOUT);
    assert_int_equal(read_at(&f, 1, 7, 0), 0);
    assert_int_equal(f.values[0], 77);
    assert_int_equal(f.stats.late, 1);
    assert_int_equal(f.fake->n_opened, 1);
    tear_down(&f);
}

static void frames_of_others_go_by(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, true);
    f.fake->holding[7] = 77;
    mb_fake_next(f.fake, FAKE_FOREIGN, 0);
    assert_int_equal(read_at(&f, 1, 7, 0), 0);
    assert_int_equal(f.values[0], 77);
    tear_down(&f);
}

/* Some TCP devices answer with another unit; on a serial line that is somebody else. */
static void the_unit_of_an_answer_counts_on_a_serial_line_only(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, false);
    mb_fake_next(f.fake, FAKE_OTHER_UNIT, 0);
    assert_int_equal(read_at(&f, 1, 7, 0), 0);
    tear_down(&f);
    set_up(&f, true);
    mb_fake_next(f.fake, FAKE_OTHER_UNIT, 0);
    assert_int_equal(read_at(&f, 1, 7, 0), MB_E_BAD_UNIT);
    tear_down(&f);
}

/* RTU answers have no number: until a late one can come no more, another request has to wait; the
 * same request need not, its answer would be the same. */
static void after_silence_on_a_serial_line_other_requests_wait(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, true);
    atomic_store(&f.clock.look_ns, MS / 1000);
    mb_fake_next(f.fake, FAKE_SILENT, 0);
    assert_int_equal(read_at(&f, 1, 6, 0), ETIMEDOUT);
    assert_int_equal(elapsed_ms(&f), 500);
    assert_int_equal(read_at(&f, 2, 7, 0), 0); /* another unit's answers are told apart */
    assert_int_equal(elapsed_ms(&f), 501);
    assert_int_equal(read_at(&f, 1, 6, 0), 0);
    assert_int_equal(elapsed_ms(&f), 502);
    assert_int_equal(read_at(&f, 1, 7, 0), 0);
    assert_in_range(elapsed_ms(&f), 1002, 1004);
    assert_int_equal(read_at(&f, 1, 8, 0), 0);
    assert_in_range(elapsed_ms(&f), 1003, 1005);
    tear_down(&f);
}

/* ---- No answer, damaged answer */

static void reads_without_an_answer_are_repeated(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, false);
    assert_int_equal(read_at(&f, 1, 0, 1), 0);
    for (int i = 0; i < 4; i++)
        mb_fake_next(f.fake, FAKE_SILENT, 0);
    assert_int_equal(read_at(&f, 1, 0, 1), ETIMEDOUT);
    assert_int_equal(f.fake->n_log, 3);
    assert_int_equal(elapsed_ms(&f), 1001);
    assert_int_equal(read_at(&f, 1, 0, 2), 0);
    assert_int_equal(f.stats.timeouts, 4);
    tear_down(&f);
}

static void a_write_of_unknown_fate_is_repeated_only_on_request(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, false);
    assert_int_equal(write_at(&f, 1, 0, 0), 0);
    mb_fake_next(f.fake, FAKE_SILENT, 0);
    assert_int_equal(write_at(&f, 1, 0, 0), ETIMEDOUT);
    assert_int_equal(f.fake->n_log, 2);
    mb_fake_next(f.fake, FAKE_RESULT, ECONNRESET);
    assert_int_equal(write_at(&f, 1, 0, 0), ECONNRESET);
    assert_int_equal(f.fake->n_log, 3);
    mb_fake_next(f.fake, FAKE_SILENT, 0);
    assert_int_equal(write_at(&f, 1, 0, 1), 0);
    assert_int_equal(f.fake->n_log, 5);
    tear_down(&f);
}

/* Silent from the start: what is reported is the silence, not that the link now has a pause. */
static void silence_is_what_a_silent_device_is_blamed_for(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, false);
    for (int i = 0; i < 3; i++)
        mb_fake_next(f.fake, FAKE_SILENT, 0);
    assert_int_equal(read_at(&f, 1, 0, 5), ETIMEDOUT);
    assert_int_equal(f.fake->n_log, 3);
    tear_down(&f);
}

static void three_silences_in_a_row_close_a_connection(void **state)
{
    (void)state;
    for (int is_rtu = 0; is_rtu < 2; is_rtu++) {
        struct fixture f;
        set_up(&f, is_rtu);
        assert_int_equal(read_at(&f, 1, 0, 0), 0);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(f.fake->n_closed, 0);
            mb_fake_next(f.fake, FAKE_SILENT, 0);
            assert_int_equal(read_at(&f, 1, 0, 0), ETIMEDOUT);
        }
        assert_int_equal(f.fake->n_closed, is_rtu ? 0 : 1);
        assert_int_equal(read_at(&f, 1, 0, 0), 0);
        assert_int_equal(f.stats.reconnects, is_rtu ? 0 : 1);
        tear_down(&f);
    }
}

/* Nobody knows where the next frame begins: the connection is made anew, the request repeated. */
static void a_damaged_answer_costs_a_connection_and_no_value(void **state)
{
    (void)state;
    static const struct {
        enum mb_fake_kind kind;
        int arg;
    } damages[] = {{FAKE_BROKEN, 0}, {FAKE_RESULT, MB_E_BAD_DATA}, {FAKE_RESULT, MB_E_BAD_CRC}};
    for (size_t i = 0; i < ARCD_COUNT_OF(damages); i++) {
        for (int is_rtu = 0; is_rtu < 2; is_rtu++) {
            struct fixture f;
            set_up(&f, is_rtu);
            f.fake->holding[3] = 33;
            assert_int_equal(read_at(&f, 1, 3, 0), 0);
            mb_fake_next(f.fake, damages[i].kind, damages[i].arg);
            assert_int_equal(read_at(&f, 1, 3, 2), 0);
            assert_int_equal(f.values[0], 33);
            assert_int_equal(f.stats.damaged, 1);
            assert_int_equal(f.fake->n_opened, is_rtu ? 1 : 2);
            tear_down(&f);
        }
    }
}

static void exceptions_are_results_and_not_repeated(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, false);
    for (int e = 1; e <= 12; e++) {
        mb_fake_next(f.fake, FAKE_EXCEPTION, e);
        int expected = e <= 11 ? MB_E_BASE + e : MB_E_BAD_EXCEPTION;
        assert_int_equal(read_at(&f, 1, 0, 5), expected);
        assert_int_equal(f.stats.exceptions[e <= 11 ? e : 0], 1);
    }
    assert_int_equal(f.fake->n_log, 12);
    assert_int_equal(f.fake->n_closed, 0);
    tear_down(&f);
}

/* ---- The link breaks */

static void a_link_that_worked_is_made_again_at_once(void **state)
{
    (void)state;
    static const int errors[] = {ECONNRESET, EPIPE, EBADF, ENOTCONN, EIO, ENODEV, ENXIO};
    for (size_t i = 0; i < ARCD_COUNT_OF(errors); i++) {
        struct fixture f;
        set_up(&f, i % 2);
        assert_int_equal(read_at(&f, 1, 0, 0), 0);
        mb_fake_next(f.fake, i < 4 ? FAKE_RESULT : FAKE_LOST, errors[i]);
        assert_int_equal(read_at(&f, 1, 0, 0), errors[i] == ENOTCONN ? ENOTCONN : 0);
        assert_int_equal(f.stats.reconnects, errors[i] == ENOTCONN ? 0 : 1);
        tear_down(&f);
    }
}

/* A server that was restarted between two requests is noticed before anything is sent. */
static void a_closed_connection_is_noticed_before_a_write(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, false);
    assert_int_equal(read_at(&f, 1, 0, 0), 0);
    mb_fake_next(f.fake, FAKE_GONE, ECONNRESET);
    assert_int_equal(write_at(&f, 1, 5, 0), 0);
    assert_int_equal(f.fake->holding[5], 0x1234);
    assert_int_equal(f.fake->n_opened, 2);
    assert_int_equal(f.fake->n_log, 2);
    tear_down(&f);
}

static void pauses_between_connects_grow_to_their_limit(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, false);
    for (int i = 0; i < 40; i++)
        mb_fake_next_open(f.fake, ECONNREFUSED);
    double pause_s = 1.0;
    for (uint32_t i = 1; i <= 40; i++) {
        assert_int_equal(read_at(&f, 1, 0, 2), ECONNREFUSED);
        assert_int_equal(f.fake->n_opened, i);
        assert_true(llabs(f.outcome.retry_after_ns - (int64_t)(pause_s * 1e9)) < 1000);
        assert_string_equal(f.outcome.link_text, "Connection refused");
        advance(&f, f.outcome.retry_after_ns / 2);
        assert_int_equal(read_at(&f, 1, 0, 2), ENOTCONN); /* not before its time */
        assert_int_equal(f.fake->n_opened, i);
        assert_int_equal(f.outcome.link_code, ECONNREFUSED);
        advance(&f, f.outcome.retry_after_ns);
        pause_s = fmin(pause_s * 1.1, 5.0);
    }
    assert_int_equal(read_at(&f, 1, 0, 2), 0);
    assert_int_equal(f.link->n_attempts, 0);
    tear_down(&f);
}

/* It accepts, and hangs up on the first request. */
static void a_server_that_hangs_up_is_not_called_in_a_loop(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, false);
    for (uint32_t i = 1; i <= 5; i++) {
        mb_fake_next(f.fake, FAKE_RESULT, ECONNRESET);
        assert_int_equal(read_at(&f, 1, 0, 2), ECONNRESET);
        assert_int_equal(f.fake->n_opened, i);
        assert_true(f.outcome.retry_after_ns >= S);
        advance(&f, f.outcome.retry_after_ns);
    }
    tear_down(&f);
}

static void a_connect_without_an_answer_is_the_links_fault(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, false);
    mb_fake_next_open(f.fake, ETIMEDOUT);
    assert_int_equal(read_at(&f, 1, 0, 2), ENOTCONN);
    assert_int_equal(elapsed_ms(&f), 2000);
    assert_string_equal(f.outcome.link_text, "no answer to connect");
    tear_down(&f);
}

static void retries_of_a_link_end_where_they_are_limited(void **state)
{
    (void)state;
    struct fixture f;
    struct mb_link_config config = config_of(false);
    config.reconnect.max_retries = 2;
    open_link_with(&f, &config);
    for (int i = 1; i <= 3; i++) {
        mb_fake_next_open(f.fake, EHOSTUNREACH);
        assert_int_equal(read_at(&f, 1, 0, 0), EHOSTUNREACH);
        assert_int_equal(f.outcome.gave_up, i > 2);
        advance(&f, f.outcome.retry_after_ns);
    }
    tear_down(&f);
}

static void an_idle_link_is_closed_and_that_is_no_loss(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, false);
    assert_int_equal(read_at(&f, 1, 0, 0), 0);
    mb_link_close_if_idle(f.link, f.caller);
    assert_false(f.fake->is_open);
    assert_int_equal(read_at(&f, 1, 0, 0), 0);
    assert_int_equal(f.stats.reconnects, 0);
    assert_int_equal(f.link->n_lost, 0);
    tear_down(&f);
}

/* ---- Units */

/* Ten minutes on a bus with one dead unit among four: it takes a bounded share of the time. */
static void a_dead_unit_leaves_the_others_their_rate(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, true);
    f.fake->reply_ns = 50 * MS;
    f.fake->dead_unit = 3;
    for (uint8_t unit = 1; unit <= 4; unit++)
        mb_link_use_unit(f.link, unit, true);
    uint32_t good = 0;
    while (elapsed_ms(&f) < 600000) {
        for (uint8_t unit = 1; unit <= 4; unit++)
            good += read_at(&f, unit, 0, 2) == 0;
        f.fake->n_log = 0;
    }
    /* 12 000 answers of 50 ms would fill the time. */
    assert_true(good >= 12000 * 9 / 10);
    assert_true(f.stats.timeouts > 50); /* and it is still asked */
    f.fake->dead_unit = 0;
    uint32_t tries = 0;
    while (read_at(&f, 3, 0, 2) != 0) {
        assert_true(f.outcome.retry_after_ns > 0);
        advance(&f, f.outcome.retry_after_ns);
        assert_true(++tries < 3);
    }
    assert_int_equal(read_at(&f, 3, 0, 2), 0);
    tear_down(&f);
}

/* Alone on its link a unit starves nobody: it is asked as often as its task likes. */
static void a_lonely_unit_is_never_slowed_down(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, true);
    mb_link_use_unit(f.link, 1, true);
    f.fake->dead_unit = 1;
    for (uint32_t i = 1; i <= 10; i++) {
        assert_int_equal(read_at(&f, 1, 0, 0), ETIMEDOUT);
        assert_int_equal(f.fake->n_log, i);
        assert_int_equal(f.outcome.retry_after_ns, 0);
    }
    tear_down(&f);
}

/* "The unit behind me does not answer": the gateway itself is well, and so is the link. */
static void a_gateway_that_says_so_marks_its_unit_only(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, false);
    mb_link_use_unit(f.link, 1, true);
    mb_link_use_unit(f.link, 2, true);
    for (int i = 0; i < 3; i++) {
        mb_fake_next(f.fake, FAKE_EXCEPTION, 11);
        assert_int_equal(read_at(&f, 2, 0, 2), MB_E_GATEWAY_TARGET);
    }
    assert_int_equal(read_at(&f, 2, 0, 2), EHOSTDOWN);
    assert_int_equal(read_at(&f, 1, 0, 2), 0);
    assert_int_equal(f.fake->n_closed, 0);
    tear_down(&f);
}

/* ---- Ends */

static void an_interrupted_caller_gets_nothing(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, false);
    mb_link_interrupt(f.link, f.caller);
    assert_int_equal(read_at(&f, 1, 0, 2), ECANCELED);
    assert_int_equal(f.fake->n_log, 0);
    mb_caller_reset(f.caller);
    assert_int_equal(read_at(&f, 1, 0, 2), 0);
    tear_down(&f);
}

static void the_deadline_ends_repeats(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, false);
    for (int i = 0; i < 20; i++)
        mb_fake_next(f.fake, FAKE_SILENT, 0);
    struct mb_request request = mb_request_read(1, MB_HOLDING, 0, 1);
    struct mb_reply reply;
    const struct mb_ask a = {.caller = f.caller,
                             .request = &request,
                             .deadline_ns = mono(&f.clock) + 1200 * MS,
                             .response_timeout_ns = 500 * MS,
                             .retries = 10,
                             .stats = &f.stats,
                             .outcome = &f.outcome};
    assert_int_equal(mb_link_ask(f.link, &a, &reply), ETIMEDOUT);
    assert_int_equal(elapsed_ms(&f), 1200);
    tear_down(&f);
}

static void frames_are_traced_while_somebody_wants_them(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, false);
    char line[1024];
    assert_int_equal(read_at(&f, 1, 5, 0), 0);
    assert_false(mb_trace_next(&f.link->trace, f.link->name, line, sizeof line));
    mb_trace_switch(&f.link->trace, true);
    atomic_store(&f.clock.utc_ns, 1700000000 * S + 1234 * MS);
    f.fake->holding[5] = 0xABCD;
    assert_int_equal(read_at(&f, 1, 5, 0), 0);
    assert_true(mb_trace_next(&f.link->trace, f.link->name, line, sizeof line));
    assert_string_equal(line, "22:13:21.234000 plc:502 > 03 00 05 00 02");
    assert_true(mb_trace_next(&f.link->trace, f.link->name, line, sizeof line));
    assert_string_equal(line, "22:13:21.235000 plc:502 < 03 04 AB CD 00 00");
    assert_false(mb_trace_next(&f.link->trace, f.link->name, line, sizeof line));
    for (int i = 0; i < 200; i++) {
        f.fake->n_log = 0;
        assert_int_equal(read_at(&f, 1, (uint16_t)i, 0), 0);
    }
    int n = 0;
    while (mb_trace_next(&f.link->trace, f.link->name, line, sizeof line))
        n++;
    assert_int_equal(n, MB_TRACE_FRAMES); /* the newest */
    mb_trace_switch(&f.link->trace, false);
    assert_int_equal(read_at(&f, 1, 5, 0), 0);
    assert_false(mb_trace_next(&f.link->trace, f.link->name, line, sizeof line));
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_opens_the_link_and_is_answered),
        cmocka_unit_test(names_are_host_and_port_or_the_serial_port),
        cmocka_unit_test(pauses_are_kept),
        cmocka_unit_test(a_broadcast_on_a_serial_line_is_done_when_it_is_sent),
        cmocka_unit_test(a_late_answer_is_dropped_and_the_right_one_awaited),
        cmocka_unit_test(frames_of_others_go_by),
        cmocka_unit_test(the_unit_of_an_answer_counts_on_a_serial_line_only),
        cmocka_unit_test(after_silence_on_a_serial_line_other_requests_wait),
        cmocka_unit_test(reads_without_an_answer_are_repeated),
        cmocka_unit_test(a_write_of_unknown_fate_is_repeated_only_on_request),
        cmocka_unit_test(silence_is_what_a_silent_device_is_blamed_for),
        cmocka_unit_test(three_silences_in_a_row_close_a_connection),
        cmocka_unit_test(a_damaged_answer_costs_a_connection_and_no_value),
        cmocka_unit_test(exceptions_are_results_and_not_repeated),
        cmocka_unit_test(a_link_that_worked_is_made_again_at_once),
        cmocka_unit_test(a_closed_connection_is_noticed_before_a_write),
        cmocka_unit_test(pauses_between_connects_grow_to_their_limit),
        cmocka_unit_test(a_server_that_hangs_up_is_not_called_in_a_loop),
        cmocka_unit_test(a_connect_without_an_answer_is_the_links_fault),
        cmocka_unit_test(retries_of_a_link_end_where_they_are_limited),
        cmocka_unit_test(an_idle_link_is_closed_and_that_is_no_loss),
        cmocka_unit_test(a_dead_unit_leaves_the_others_their_rate),
        cmocka_unit_test(a_lonely_unit_is_never_slowed_down),
        cmocka_unit_test(a_gateway_that_says_so_marks_its_unit_only),
        cmocka_unit_test(an_interrupted_caller_gets_nothing),
        cmocka_unit_test(the_deadline_ends_repeats),
        cmocka_unit_test(frames_are_traced_while_somebody_wants_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
