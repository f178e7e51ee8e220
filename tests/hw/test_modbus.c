/* The Modbus backend against real peers: pymodbus over TCP and a serial line, and a server that
 * misbehaves on command (modbus_server.py). The machine's clock runs here, so nothing is asserted
 * about how fast anything is, only that it comes. */
#include "hw/modbus/modbus.h"

#include "tests/hw/bench.h"
#include "tests/hw/peer.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS BASE_NS_PER_MS
#define S BASE_NS_PER_S

struct fixture {
    struct bench bench;
    struct peer *server, *cable;
    struct hw_device *device;
    int port;
    char dir[64];
};

static struct fixture *fixture_new(void)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->server = calloc(1, sizeof *f->server);
    f->cable = calloc(1, sizeof *f->cable);
    bench_init_system_clock(&f->bench, &hw_modbus_driver);
    return f;
}

static void fixture_free(struct fixture *f)
{
    if (f->device != NULL)
        bench_device_close(&f->bench, f->device);
    bench_fini(&f->bench);
    peer_kill(f->server);
    peer_kill(f->cable);
    free(f->server);
    free(f->cable);
    free(f);
}

static void start_server(struct fixture *f, const char *mode, const char *argument)
{
    const char *const argv[] = {TEST_PYTHON, "tests/hw/modbus_server.py", mode, argument, NULL};
    peer_start(f->server, argv, 0);
    f->port = atoi(peer_wait_for(f->server, "ready ") + strlen("ready "));
}

/* `more`: further fields of the device, each with a comma before it. */
static void open_tcp(struct fixture *f, const char *mode, const char *more)
{
    char json[512];
    start_server(f, mode, "0");
    snprintf(json, sizeof json, "{\"host\": \"127.0.0.1\", \"port\": %d, \"unit_id\": 1%s}",
             f->port, more);
    f->device = bench_device(&f->bench, "plc", json);
}

/* One read; waits as a task does, when the device asks for it. */
static enum hw_class poll_once(struct bench_task *task)
{
    return bench_read(task, 1, 60 * S);
}

static void read_ok(struct bench_task *task)
{
    if (poll_once(task) != HW_NOMINAL)
        fail_msg("%s", task->error.text);
    assert_int_equal(task->read.n_got, 1);
}

/* Reads until it works again, pausing as it is told to; returns the number of failures. */
static uint32_t read_until_good(struct bench_task *task)
{
    uint32_t n_failed = 0;
    enum hw_class cls = HW_NOMINAL;
    while ((cls = poll_once(task)) != HW_NOMINAL) {
        if (cls != HW_TEMPORARY)
            fail_msg("%s", task->error.text);
        n_failed++;
        int64_t pause_ns = task->error.delay_ns > 0 ? task->error.delay_ns : 100 * MS;
        usleep((useconds_t)(pause_ns / 1000));
    }
    return n_failed;
}

/* ---- Values: the server's own tables say where each type is */

static const struct {
    int offset;
    const char *type;
    int64_t integer;
    double number;
} values[] = {
    {0, "u16", 0x1234, 0},
    {1, "i16", -2, 0},
    {2, "u32", 305419896, 0},
    {4, "i32", -123456789, 0},
    {6, "f32", 0, 123456.0},
    {8, "u64", (int64_t)UINT64_C(0xFEDCBA9876543210), 0},
    {12, "i64", INT64_C(-9007199254740993), 0},
    {16, "f64", 0, 1234.5678},
    {20, "u8", 200, 0},
    {21, "i8", -2, 0},
};
static const char *const orders[] = {"ABCD", "CDAB", "BADC", "DCBA"};

enum { N_VALUES = ARCD_COUNT_OF(values), N_ALL = 4 * N_VALUES };

/* `type` of the channels; `base` of the first order's block, the others 100 on. */
static char *channels_of_all(struct fixture *f, const char *task_type, const char *type,
                             const char *name, int base)
{
    char *json = base_arena_alloc(&f->bench.arena, 16384, 1);
    int n = sprintf(json, "{\"type\": \"%s\", \"channels\": [", task_type);
    for (int i = 0; i < N_ALL; i++) {
        int v = i % N_VALUES;
        int o = i / N_VALUES;
        n += sprintf(json + n,
                     "%s{\"type\": \"%s\", \"%s\": \"c%d\", \"address\": %d, \"data_type\": "
                     "\"%s\", \"byte_order\": \"%s\"}",
                     i > 0 ? "," : "", type, name, i, base + 100 * o + values[v].offset,
                     values[v].type, orders[o]);
    }
    sprintf(json + n, "]}");
    return json;
}

static void expect_all(struct bench_task *task)
{
    for (int i = 0; i < N_ALL; i++) {
        int v = i % N_VALUES;
        union telem_value got = task->rows[i][0];
        bool good =
            values[v].number != 0 ? got.f64 == values[v].number : got.i64 == values[v].integer;
        if (!good)
            fail_msg("%s %s: %lld", values[v].type, orders[i / N_VALUES], (long long)got.i64);
    }
}

static void read_everything(struct fixture *f)
{
    static const char *const types[] = {"holding_register_input", "register_input"};
    for (int t = 0; t < 2; t++) {
        struct bench_task task;
        bench_task(&f->bench, f->device, &task,
                   channels_of_all(f, "modbus_read", types[t], "channel", 200));
        bench_start(&task);
        read_ok(&task);
        expect_all(&task);
        bench_stop(&task);
        bench_task_free(&task);
    }
}

/* Written by us, read back by us, and compared with what the server was given for the same values
 * at another place. */
static void write_everything(struct fixture *f)
{
    struct bench_task task;
    bench_task(&f->bench, f->device, &task,
               channels_of_all(f, "modbus_write", "holding_register_output", "cmd_channel", 200));
    bench_start(&task);
    for (int round = 0; round < 2; round++) { /* something else first, then the values */
        for (int i = 0; i < N_ALL; i++) {
            int v = i % N_VALUES;
            if (values[v].number != 0)
                task.values[i].f64 = round == 0 ? 1.0 : values[v].number;
            else
                task.values[i].i64 = round == 0 ? 1 : values[v].integer;
            task.changed[i] = 1;
        }
        if (bench_write(&task, 60 * S) != HW_NOMINAL)
            fail_msg("%s", task.error.text);
        for (int i = 0; i < N_ALL; i++)
            assert_int_equal(task.done[i], 1);
    }
    bench_stop(&task);
    bench_task_free(&task);
}

static void every_type_in_every_order_over_tcp(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    open_tcp(f, "tcp", "");
    read_everything(f);
    char before[512];
    snprintf(before, sizeof before, "%s", peer_ask(f->server, "get hr 200 20"));
    write_everything(f);
    assert_string_equal(peer_ask(f->server, "get hr 200 20"), before);
    /* 123456.0 in the order DCBA: 0020 F147 */
    assert_string_equal(peer_ask(f->server, "get hr 506 2"), "32 61767");
    read_everything(f);
    fixture_free(f);
}

static void bits_and_texts_over_tcp(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    open_tcp(f, "tcp", "");
    struct bench_task in;
    bench_task(&f->bench, f->device, &in,
               "{\"type\": \"modbus_read\", \"channels\": ["
               "{\"type\": \"coil_input\", \"channel\": \"a\", \"address\": 9},"
               "{\"type\": \"coil_input\", \"channel\": \"b\", \"address\": 10},"
               "{\"type\": \"discrete_input\", \"channel\": \"c\", \"address\": 12},"
               "{\"type\": \"holding_register_input\", \"channel\": \"text\", \"address\": 600, "
               "\"data_type\": \"str\", \"length\": 10, \"chan_type\": \"str\"},"
               "{\"type\": \"holding_register_input\", \"channel\": \"bit\", \"address\": 200, "
               "\"bit\": 9}]}");
    bench_start(&in);
    read_ok(&in);
    assert_true(in.rows[0][0].u64 == 1);
    assert_true(in.rows[1][0].u64 == 0);
    assert_true(in.rows[2][0].u64 == 1);
    assert_int_equal(in.strs[3].len, 9);
    assert_memory_equal(in.strs[3].bytes, "Pump 1 \u00e4", 9);
    assert_true(in.rows[4][0].u64 == 1);
    struct bench_task out;
    bench_task(&f->bench, f->device, &out,
               "{\"type\": \"modbus_write\", \"channels\": ["
               "{\"type\": \"coil_output\", \"cmd_channel\": \"a\", \"address\": 30},"
               "{\"type\": \"coil_output\", \"cmd_channel\": \"b\", \"address\": 31},"
               "{\"type\": \"coil_output\", \"cmd_channel\": \"c\", \"address\": 40},"
               "{\"type\": \"register_bit_output\", \"cmd_channel\": \"d\", \"address\": 150, "
               "\"bit\": 8},"
               "{\"type\": \"holding_register_output\", \"cmd_channel\": \"e\", \"address\": 1000, "
               "\"verify\": true}]}");
    bench_start(&out);
    const uint64_t wanted[] = {0, 1, 1, 1, 0xBEEF};
    for (uint32_t i = 0; i < 5; i++) {
        out.values[i].u64 = wanted[i];
        out.changed[i] = 1;
    }
    if (bench_write(&out, 60 * S) != HW_NOMINAL)
        fail_msg("%s", out.error.text);
    assert_string_equal(out.write.warning, "");
    assert_string_equal(peer_ask(f->server, "get co 30 2"), "0 1");
    assert_string_equal(peer_ask(f->server, "get co 40 1"), "1");
    assert_string_equal(peer_ask(f->server, "get hr 150 1"), "406"); /* 150 | 1 << 8 */
    assert_string_equal(peer_ask(f->server, "get hr 1000 1"), "48879");
    bench_stop(&in);
    bench_stop(&out);
    bench_task_free(&in);
    bench_task_free(&out);
    fixture_free(f);
}

/* The largest requests that there are, each way. */
static void the_longest_requests_pass(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    open_tcp(f, "tcp", ", \"gap_registers\": 124, \"gap_bits\": 1999");
    struct bench_task in;
    bench_task(&f->bench, f->device, &in,
               "{\"type\": \"modbus_read\", \"channels\": ["
               "{\"type\": \"holding_register_input\", \"channel\": \"a\", \"address\": 0},"
               "{\"type\": \"holding_register_input\", \"channel\": \"b\", \"address\": 124},"
               "{\"type\": \"coil_input\", \"channel\": \"c\", \"address\": 0},"
               "{\"type\": \"coil_input\", \"channel\": \"d\", \"address\": 1999}]}");
    bench_start(&in);
    read_ok(&in);
    assert_true(in.rows[1][0].u64 == 124);
    assert_true(in.rows[2][0].u64 == 1);
    assert_true(in.rows[3][0].u64 == 0);
    assert_int_equal(bench_counter(&f->bench, f->device, "requests"), 2);
    bench_stop(&in);
    bench_task_free(&in);
    char *json = base_arena_alloc(&f->bench.arena, 32768, 1);
    int n = sprintf(json, "{\"type\": \"modbus_write\", \"channels\": [");
    for (int i = 0; i < 123; i++)
        n += sprintf(json + n,
                     "%s{\"type\": \"holding_register_output\", \"cmd_channel\": \"c%d\", "
                     "\"address\": %d}",
                     i > 0 ? "," : "", i, 1000 + i);
    sprintf(json + n, "]}");
    struct bench_task out;
    bench_task(&f->bench, f->device, &out, json);
    bench_start(&out);
    for (uint32_t i = 0; i < 123; i++) {
        out.values[i].u64 = i + 7;
        out.changed[i] = 1;
    }
    assert_int_equal(bench_write(&out, 60 * S), HW_NOMINAL);
    assert_int_equal(bench_counter(&f->bench, f->device, "requests"), 3);
    assert_string_equal(peer_ask(f->server, "get hr 1122 1"), "129");
    bench_stop(&out);
    bench_task_free(&out);
    fixture_free(f);
}

static void an_address_that_the_server_does_not_have_is_an_error(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    open_tcp(f, "tcp", ", \"gap_registers\": 100");
    struct bench_task in;
    bench_task(&f->bench, f->device, &in,
               "{\"type\": \"modbus_read\", \"channels\": [{\"type\": \"register_input\", "
               "\"channel\": \"a\", \"address\": 5000}]}");
    bench_start(&in);
    assert_int_equal(poll_once(&in), HW_CRITICAL);
    assert_int_equal(in.error.code, 112345680);
    bench_stop(&in);
    bench_task_free(&in);
    /* 229 and 300 exist, what is between them does not: the gap is given up, not the task. */
    bench_task(&f->bench, f->device, &in,
               "{\"type\": \"modbus_read\", \"channels\": ["
               "{\"type\": \"register_input\", \"channel\": \"a\", \"address\": 229},"
               "{\"type\": \"register_input\", \"channel\": \"b\", \"address\": 300}]}");
    bench_start(&in);
    read_ok(&in);
    assert_true(in.rows[1][0].u64 == 0x1234);
    assert_non_null(strstr(in.read.warning, "its gaps are not read any more"));
    read_ok(&in);
    assert_int_equal(bench_counter(&f->bench, f->device, "exceptions_2"), 2);
    bench_stop(&in);
    bench_task_free(&in);
    fixture_free(f);
}

/* ---- A server that comes and goes */

static const char one_register[] =
    "{\"type\": \"modbus_read\", \"channels\": [{\"type\": \"holding_register_input\", "
    "\"channel\": \"a\", \"address\": 42}]}";

static void a_server_that_is_restarted_is_found_again(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    open_tcp(f, "tcp", ", \"reconnect\": {\"base\": 0.1, \"max\": 0.2}");
    struct bench_task in;
    bench_task(&f->bench, f->device, &in, one_register);
    bench_start(&in);
    read_ok(&in);
    char port[16];
    snprintf(port, sizeof port, "%d", f->port);
    peer_kill(f->server);
    assert_int_equal(poll_once(&in), HW_TEMPORARY);
    char expected[128];
    snprintf(expected, sizeof expected, "Modbus link 127.0.0.1:%d lost: Connection refused [111]",
             f->port);
    assert_string_equal(in.error.text, expected);
    assert_true(in.error.delay_ns > 0);
    start_server(f, "tcp", port);
    read_until_good(&in);
    assert_true(in.rows[0][0].u64 == 42);
    assert_true(bench_counter(&f->bench, f->device, "reconnects") >= 1);
    for (int i = 0; i < 10; i++)
        read_ok(&in);
    bench_stop(&in);
    bench_task_free(&in);
    fixture_free(f);
}

/* Restarted between two polls: nobody needs to know. */
static void a_restart_between_polls_costs_nothing(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    open_tcp(f, "tcp", "");
    struct bench_task in;
    bench_task(&f->bench, f->device, &in, one_register);
    bench_start(&in);
    read_ok(&in);
    char port[16];
    snprintf(port, sizeof port, "%d", f->port);
    peer_kill(f->server);
    start_server(f, "tcp", port);
    read_ok(&in);
    assert_int_equal(bench_counter(&f->bench, f->device, "reconnects"), 1);
    bench_stop(&in);
    bench_task_free(&in);
    fixture_free(f);
}

static void a_device_that_is_away_at_start_is_awaited(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    start_server(f, "tcp", "0"); /* for a free port */
    peer_kill(f->server);
    char json[256];
    snprintf(json, sizeof json,
             "{\"host\": \"127.0.0.1\", \"port\": %d, \"unit_id\": 1, \"reconnect\": {\"base\": "
             "0.1, \"max\": 0.2}}",
             f->port);
    f->device = bench_device(&f->bench, "plc", json);
    struct bench_task in;
    bench_task(&f->bench, f->device, &in, one_register);
    bench_start(&in);
    assert_int_equal(poll_once(&in), HW_TEMPORARY);
    char port[16];
    snprintf(port, sizeof port, "%d", f->port);
    start_server(f, "tcp", port);
    assert_true(read_until_good(&in) < 100);
    bench_stop(&in);
    bench_task_free(&in);
    fixture_free(f);
}

/* ---- A server that misbehaves */

static void tell(struct fixture *f, const char *command)
{
    assert_string_equal(peer_ask(f->server, command), "ok");
}

static void stats(struct fixture *f, int *accepted, int *requests)
{
    assert_int_equal(sscanf(peer_ask(f->server, "stats"), "%d %d", accepted, requests), 2);
}

static void every_exception_has_its_class(void **state)
{
    (void)state;
    static const enum hw_class classes[] = {
        [1] = HW_CRITICAL,  [2] = HW_CRITICAL,   [3] = HW_CRITICAL,   [4] = HW_TEMPORARY,
        [5] = HW_TEMPORARY, [6] = HW_TEMPORARY,  [7] = HW_CRITICAL,   [8] = HW_TEMPORARY,
        [9] = HW_CRITICAL,  [10] = HW_TEMPORARY, [11] = HW_TEMPORARY,
    };
    struct fixture *f = fixture_new();
    open_tcp(f, "rogue", ", \"response_timeout\": 10");
    struct bench_task in;
    bench_task(&f->bench, f->device, &in, one_register);
    bench_start(&in);
    for (int code = 1; code <= 11; code++) {
        char command[32];
        char name[32];
        snprintf(command, sizeof command, "do exception %d", code);
        snprintf(name, sizeof name, "exceptions_%d", code);
        tell(f, command);
        assert_int_equal(poll_once(&in), classes[code]);
        assert_int_equal(in.error.code, 112345678 + code);
        assert_non_null(strstr(in.error.text, "unit 1, reading holding register 42 (FC 3)"));
        assert_int_equal(bench_counter(&f->bench, f->device, name), 1);
        read_ok(&in);
    }
    int accepted = 0;
    int requests = 0;
    stats(f, &accepted, &requests);
    assert_int_equal(accepted, 1);
    bench_stop(&in);
    bench_task_free(&in);
    fixture_free(f);
}

/* One answer comes 1.5 time-outs late: that poll fails, and no later value is a wrong one. */
static void a_late_answer_costs_one_poll_and_shifts_nothing(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    open_tcp(f, "rogue", ", \"response_timeout\": 1, \"retries\": 0");
    struct bench_task a;
    struct bench_task b;
    bench_task(&f->bench, f->device, &a, one_register);
    bench_task(&f->bench, f->device, &b,
               "{\"type\": \"modbus_read\", \"channels\": [{\"type\": \"holding_register_input\", "
               "\"channel\": \"b\", \"address\": 4711}]}");
    bench_start(&a);
    bench_start(&b);
    read_ok(&a);
    tell(f, "do delay 1.5");
    assert_int_equal(poll_once(&a), HW_TEMPORARY);
    int64_t until_ns = base_mono_ns() + S;
    while (base_mono_ns() < until_ns) { /* the late answer arrives somewhere in here */
        read_ok(&b);
        assert_true(b.rows[0][0].u64 == 4711);
        read_ok(&a);
        assert_true(a.rows[0][0].u64 == 42);
    }
    assert_int_equal(bench_counter(&f->bench, f->device, "late"), 1);
    assert_int_equal(bench_counter(&f->bench, f->device, "timeouts"), 1);
    int accepted = 0;
    int requests = 0;
    stats(f, &accepted, &requests);
    assert_int_equal(accepted, 1);
    bench_stop(&a);
    bench_stop(&b);
    bench_task_free(&a);
    bench_task_free(&b);
    fixture_free(f);
}

static void a_server_that_never_answers_is_a_temporary_error(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    open_tcp(f, "rogue",
             ", \"response_timeout\": 0.05, \"retries\": 1, \"reconnect\": "
             "{\"base\": 0.05, \"max\": 0.05}");
    struct bench_task in;
    bench_task(&f->bench, f->device, &in, one_register);
    bench_start(&in);
    tell(f, "do silent");
    assert_int_equal(poll_once(&in), HW_TEMPORARY);
    assert_string_equal(in.error.text, "a (plc): no answer from unit 1, reading holding register "
                                       "42 (FC 3) [110]");
    for (int i = 0; i < 10; i++)
        assert_int_equal(poll_once(&in), HW_TEMPORARY);
    tell(f, "do normal");
    read_until_good(&in);
    bench_stop(&in);
    bench_task_free(&in);
    fixture_free(f);
}

static void *interrupt_when_asked(void *arg)
{
    struct bench_task *task = arg;
    struct hw_device *device = *(struct hw_device **)(void *)task->values;
    while (bench_counter(task->bench, device, "requests") == 0)
        sched_yield();
    hw_modbus_driver.loop->interrupt(task->task);
    return NULL;
}

/* Neither a device that is silent nor one that stalls keeps a task from stopping. */
static void a_waiting_read_can_be_interrupted(void **state)
{
    (void)state;
    static const char *const how[] = {"do silent", "do stall 10"};
    for (int i = 0; i < 2; i++) {
        struct fixture *f = fixture_new();
        open_tcp(f, "rogue", ", \"response_timeout\": 60, \"byte_timeout\": 60");
        struct bench_task in;
        bench_task(&f->bench, f->device, &in, one_register);
        bench_start(&in);
        tell(f, how[i]);
        *(struct hw_device **)(void *)in.values = f->device;
        pthread_t thread;
        pthread_create(&thread, NULL, interrupt_when_asked, &in);
        int64_t start_ns = base_mono_ns();
        assert_int_equal(poll_once(&in), HW_NOMINAL);
        assert_int_equal(in.read.n_got, 0);
        assert_true(base_mono_ns() - start_ns < 30 * S);
        pthread_join(thread, NULL);
        bench_stop(&in);
        bench_task_free(&in);
        fixture_free(f);
    }
}

static void an_answer_that_stalls_is_asked_for_again(void **state)
{
    (void)state;
    static const char *const stalls[] = {"do stall 1", "do stall 7", "do stall 8", "do stall 9",
                                         "do stall 10"};
    struct fixture *f = fixture_new();
    open_tcp(f, "rogue", ", \"response_timeout\": 20, \"byte_timeout\": 0.1");
    struct bench_task in;
    bench_task(&f->bench, f->device, &in, one_register);
    bench_start(&in);
    read_ok(&in);
    for (size_t i = 0; i < ARCD_COUNT_OF(stalls); i++) {
        tell(f, stalls[i]);
        read_ok(&in);
        assert_true(in.rows[0][0].u64 == 42);
    }
    assert_int_equal(bench_counter(&f->bench, f->device, "damaged"), 5);
    tell(f, "do close");
    read_ok(&in);
    tell(f, "do slow 0.002");
    read_ok(&in);
    bench_stop(&in);
    bench_task_free(&in);
    fixture_free(f);
}

/* Whatever the server sends: an error or a value, never a hang; and all is well once it is well. */
static void garbage_is_survived(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    open_tcp(f, "rogue",
             ", \"response_timeout\": 0.02, \"byte_timeout\": 0.01, \"retries\": 0, "
             "\"reconnect\": {\"base\": 0.001, \"max\": 0.001}");
    struct bench_task in;
    bench_task(&f->bench, f->device, &in, one_register);
    bench_start(&in);
    tell(f, "do garbage 7");
    int good = 0;
    for (int i = 0; i < 300; i++) {
        enum hw_class cls = poll_once(&in);
        assert_true(cls == HW_NOMINAL || cls == HW_TEMPORARY || cls == HW_CRITICAL);
        good += cls == HW_NOMINAL;
        usleep((useconds_t)(in.error.delay_ns / 1000));
    }
    assert_true(good > 0);
    tell(f, "do normal");
    read_until_good(&in);
    read_ok(&in);
    assert_true(in.rows[0][0].u64 == 42);
    assert_true(bench_counter(&f->bench, f->device, "damaged") > 20);
    bench_stop(&in);
    bench_task_free(&in);
    fixture_free(f);
}

/* ---- Several tasks */

struct reader {
    struct bench_task task;
    uint64_t expected;
    uint32_t n_good;
};

static void *read_many(void *arg)
{
    struct reader *reader = arg;
    for (int i = 0; i < 200; i++)
        if (bench_read(&reader->task, 1, 60 * S) == HW_NOMINAL)
            reader->n_good += reader->task.rows[0][0].u64 == reader->expected;
    return NULL;
}

/* A device may accept one connection only. */
static void tasks_on_one_device_share_a_connection(void **state)
{
    (void)state;
    enum { N = 4 };
    struct fixture *f = fixture_new();
    open_tcp(f, "rogue", ", \"response_timeout\": 20");
    static struct reader readers[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        char json[256];
        snprintf(json, sizeof json,
                 "{\"type\": \"modbus_read\", \"channels\": [{\"type\": \"register_input\", "
                 "\"channel\": \"a\", \"address\": %d}]}",
                 1000 + i);
        readers[i] = (struct reader){.expected = (uint64_t)(1000 + i)};
        bench_task(&f->bench, f->device, &readers[i].task, json);
        bench_start(&readers[i].task);
    }
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, read_many, &readers[i]);
    for (int i = 0; i < N; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(readers[i].n_good, 200);
    }
    int accepted = 0;
    int requests = 0;
    stats(f, &accepted, &requests);
    assert_int_equal(accepted, 1);
    assert_int_equal(requests, N * 200);
    for (int i = 0; i < N; i++) {
        bench_stop(&readers[i].task);
        bench_task_free(&readers[i].task);
    }
    fixture_free(f);
}

/* ---- A serial line */

static void plug_cable(struct fixture *f)
{
    char ours[128];
    char theirs[128];
    snprintf(ours, sizeof ours, "pty,raw,echo=0,link=%s/ours", f->dir);
    snprintf(theirs, sizeof theirs, "pty,raw,echo=0,link=%s/theirs", f->dir);
    const char *const argv[] = {TEST_SOCAT, "-d", "-d", ours, theirs, NULL};
    peer_start(f->cable, argv, 1);
    peer_wait_for(f->cable, "starting data transfer loop");
}

static void open_rtu(struct fixture *f, const char *more)
{
    strcpy(f->dir, "/tmp/arcd_modbus_XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    plug_cable(f);
    char path[128];
    snprintf(path, sizeof path, "%s/theirs", f->dir);
    start_server(f, "rtu", path);
    char json[512];
    snprintf(json, sizeof json,
             "{\"transport\": \"rtu\", \"serial_port\": \"%s/ours\", \"baud\": 115200, "
             "\"response_timeout\": 2%s}",
             f->dir, more);
    f->device = bench_device(&f->bench, "plc", json);
}

static void close_rtu(struct fixture *f)
{
    char dir[64];
    strcpy(dir, f->dir);
    fixture_free(f);
    char path[128];
    snprintf(path, sizeof path, "%s/ours", dir);
    unlink(path);
    snprintf(path, sizeof path, "%s/theirs", dir);
    unlink(path);
    rmdir(dir);
}

static void every_type_in_every_order_over_a_serial_line(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    open_rtu(f, "");
    read_everything(f);
    write_everything(f);
    read_everything(f);
    assert_int_equal(bench_counter(&f->bench, f->device, "damaged"), 0);
    close_rtu(f);
}

static void a_missing_unit_on_a_line_does_not_answer_and_the_others_do(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    open_rtu(f, ", \"units\": [{\"name\": \"two\", \"unit_id\": 2}, {\"name\": \"none\", "
                "\"unit_id\": 9}]");
    struct bench_task two;
    struct bench_task none;
    char json[256];
    snprintf(json, sizeof json, "{\"device\": \"plc/two\", %s", one_register + 1);
    bench_task(&f->bench, f->device, &two, json);
    snprintf(json, sizeof json, "{\"device\": \"plc/none\", %s", one_register + 1);
    bench_task(&f->bench, f->device, &none, json);
    bench_start(&two);
    bench_start(&none);
    read_ok(&two);
    assert_int_equal(bench_read(&none, 1, S), HW_TEMPORARY);
    for (int i = 0; i < 20; i++)
        read_ok(&two);
    bench_stop(&two);
    bench_stop(&none);
    bench_task_free(&two);
    bench_task_free(&none);
    close_rtu(f);
}

/* The adapter goes and comes back under the same name. */
static void a_replugged_adapter_is_opened_again(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    open_rtu(f, ", \"reconnect\": {\"base\": 0.1, \"max\": 0.2}");
    struct bench_task in;
    bench_task(&f->bench, f->device, &in, one_register);
    bench_start(&in);
    read_ok(&in);
    peer_kill(f->server);
    peer_kill(f->cable);
    char path[128];
    snprintf(path, sizeof path, "%s/ours", f->dir);
    unlink(path);
    assert_int_equal(poll_once(&in), HW_TEMPORARY);
    assert_non_null(strstr(in.error.text, "/ours lost: No such file or directory [2]"));
    plug_cable(f);
    snprintf(path, sizeof path, "%s/theirs", f->dir);
    start_server(f, "rtu", path);
    read_until_good(&in);
    assert_true(in.rows[0][0].u64 == 42);
    bench_stop(&in);
    bench_task_free(&in);
    close_rtu(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_in_every_order_over_tcp),
        cmocka_unit_test(bits_and_texts_over_tcp),
        cmocka_unit_test(the_longest_requests_pass),
        cmocka_unit_test(an_address_that_the_server_does_not_have_is_an_error),
        cmocka_unit_test(a_server_that_is_restarted_is_found_again),
        cmocka_unit_test(a_restart_between_polls_costs_nothing),
        cmocka_unit_test(a_device_that_is_away_at_start_is_awaited),
        cmocka_unit_test(every_exception_has_its_class),
        cmocka_unit_test(a_late_answer_costs_one_poll_and_shifts_nothing),
        cmocka_unit_test(a_server_that_never_answers_is_a_temporary_error),
        cmocka_unit_test(a_waiting_read_can_be_interrupted),
        cmocka_unit_test(an_answer_that_stalls_is_asked_for_again),
        cmocka_unit_test(garbage_is_survived),
        cmocka_unit_test(tasks_on_one_device_share_a_connection),
        cmocka_unit_test(every_type_in_every_order_over_a_serial_line),
        cmocka_unit_test(a_missing_unit_on_a_line_does_not_answer_and_the_others_do),
        cmocka_unit_test(a_replugged_adapter_is_opened_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
