/* What is wrong with a Modbus configuration, and how addresses are written. */
#include "hw/modbus/mb_backend.h"
#include "tests/hw/mb_fake.h"

#include <string.h>

struct fixture {
    struct bench bench;
    struct mb_fake *fake;
};

static void set_up(struct fixture *f)
{
    bench_init(&f->bench, &hw_modbus_driver);
    f->fake = mb_fake_new(&f->bench.clock);
    f->bench.backend->io = &mb_fake_ops;
}

static void tear_down(struct fixture *f)
{
    bench_fini(&f->bench);
    mb_fake_free(f->fake);
}

static void what_is_wrong_with_a_device_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *json, *complaint;
    } cases[] = {
        {"{}", "driver.json: host: is required\n"},
        {"{\"transport\": \"rtu\"}", "driver.json: serial_port: is required\n"},
        {"{\"transport\": \"udp\", \"host\": \"a\"}", "driver.json: transport: must be one of"},
        {"{\"host\": \"a\", \"port\": 0}", "driver.json: port: must be from 1 to 65535"},
        {"{\"host\": \"a\", \"unit_id\": 256}", "driver.json: unit_id: must be "},
        {"{\"transport\": \"rtu\", \"serial_port\": \"/dev/x\", \"unit_id\": 248}",
         "driver.json: unit_id: must be from 0 to 247\n"},
        {"{\"transport\": \"rtu\", \"serial_port\": \"/dev/x\", \"baud\": 9601}",
         "driver.json: baud: 9601 is no usual speed\n"},
        {"{\"host\": \"a\", \"response_timeout\": \"1ms\"}",
         "driver.json: response_timeout: must be"},
        {"{\"host\": \"a\", \"byte_order\": \"ABCD\", \"swap_words\": false}",
         "driver.json: give byte_order or swap_bytes/swap_words, not both\n"},
        {"{\"host\": \"a\", \"byte_order\": \"ACBD\"}", "driver.json: byte_order: must be one of"},
        {"{\"host\": \"a\", \"address_base\": 2}",
         "driver.json: address_base: must be one of 0, 1, \"modicon\"\n"},
        {"{\"host\": \"a\", \"max_read_registers\": 126}",
         "driver.json: max_read_registers: must be"},
        {"{\"host\": \"a\", \"max_write_bits\": 1969}", "driver.json: max_write_bits: must be"},
        {"{\"host\": \"a\", \"retries\": 11}", "driver.json: retries: must be"},
        {"{\"host\": \"a\", \"units\": [{\"name\": \"x\", \"unit_id\": 1}, "
         "{\"name\": \"x\", \"unit_id\": 2}]}",
         "driver.json: units[1]: unit 'x' is there twice\n"},
        {"{\"location\": \"a:99999\"}", "driver.json: location: must be host or host:port\n"},
        {"{\"host\": \"a\", \"unit\": 3}", "driver.json: unit: unknown field 'unit'"},
    };
    struct fixture f;
    set_up(&f);
    for (size_t i = 0; i < ARCD_COUNT_OF(cases); i++) {
        assert_null(bench_try_device(&f.bench, "d", cases[i].json));
        if (strstr(f.bench.complaint, cases[i].complaint) == NULL)
            fail_msg("%s\nis not\n%s", f.bench.complaint, cases[i].complaint);
    }
    tear_down(&f);
}

static const char *const locations[][3] = {
    {"plc.local", "plc.local:502"},       {"plc.local:1502", "plc.local:1502"},
    {"10.0.0.1:502", "10.0.0.1:502"},     {"::1", "[::1]:502"},
    {"[fe80::1]:1502", "[fe80::1]:1502"},
};

static void a_location_is_host_and_port(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    for (size_t i = 0; i < ARCD_COUNT_OF(locations); i++) {
        char json[128];
        snprintf(json, sizeof json, "{\"location\": \"%s\"}", locations[i][0]);
        struct hw_device *device = bench_device(&f.bench, "d", json);
        assert_string_equal(device->link->name, locations[i][1]);
        bench_device_close(&f.bench, device);
    }
    tear_down(&f);
}

/* type, address as written, base, address on the wire or -1 with the complaint */
static const struct {
    const char *base, *type, *address;
    int wire;
    const char *complaint;
} addresses[] = {
    {"0", "register_input", "0", 0, NULL},
    {"0", "register_input", "65535", 65535, NULL},
    {"0", "register_input", "\"100\"", 100, NULL},
    {"0", "register_input", "65536", -1, "must be from 0 to 65535"},
    {"0", "register_input", "-1", -1, "must be from 0 to 65535"},
    {"0", "register_input", "\"0x10\"", -1, "must be an integer or a string of digits"},
    {"0", "register_input", "1.5", -1, "must be an integer or a string of digits"},
    {"1", "register_input", "1", 0, NULL},
    {"1", "register_input", "65536", 65535, NULL},
    {"1", "register_input", "0", -1, "address 0 is not valid with address_base 1"},
    {"\"modicon\"", "holding_register_input", "40001", 0, NULL},
    {"\"modicon\"", "holding_register_input", "\"400001\"", 0, NULL},
    {"\"modicon\"", "holding_register_input", "465536", 65535, NULL},
    {"\"modicon\"", "register_input", "\"30343\"", 342, NULL},
    {"\"modicon\"", "discrete_input", "10008", 7, NULL},
    {"\"modicon\"", "coil_input", "\"00001\"", 0, NULL},
    {"\"modicon\"", "coil_input", "1", 0, NULL},
    {"\"modicon\"", "coil_input", "\"000100\"", 99, NULL},
    {"\"modicon\"", "register_input", "40001", -1, "'40001' is not a input register reference"},
    {"\"modicon\"", "holding_register_input", "\"40000\"", -1,
     "'40000' is not a holding register reference"},
    {"\"modicon\"", "holding_register_input", "\"4001\"", -1,
     "'4001' is not a holding register reference"},
    {"\"modicon\"", "holding_register_input", "465537", -1,
     "'465537' is not a holding register reference"},
};

static void addresses_are_written_in_three_ways(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    for (size_t i = 0; i < ARCD_COUNT_OF(addresses); i++) {
        char json[256];
        snprintf(json, sizeof json, "{\"host\": \"a\", \"address_base\": %s}", addresses[i].base);
        struct hw_device *device = bench_device(&f.bench, "d", json);
        snprintf(json, sizeof json,
                 "{\"type\": \"modbus_read\", \"channels\": [{\"type\": \"%s\", "
                 "\"channel\": \"c\", \"address\": %s}]}",
                 addresses[i].type, addresses[i].address);
        struct bench_task task;
        bool ok = bench_try_task(&f.bench, device, &task, json);
        if (ok != (addresses[i].wire >= 0))
            fail_msg("%s: %s", addresses[i].address, f.bench.complaint);
        if (ok) {
            assert_int_equal(task.task->items[0].address, addresses[i].wire);
            bench_task_free(&task);
        } else if (strstr(f.bench.complaint, addresses[i].complaint) == NULL) {
            fail_msg("%s\nis not\n%s", f.bench.complaint, addresses[i].complaint);
        }
        bench_device_close(&f.bench, device);
    }
    tear_down(&f);
}

#define READ(fields) "{\"type\": \"modbus_read\", \"channels\": [{\"channel\": \"c\", " fields "}]}"
#define WRITE(fields)                                                                              \
    "{\"type\": \"modbus_write\", \"channels\": [{\"cmd_channel\": \"c\", " fields "}]}"

static void what_is_wrong_with_a_channel_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *json, *complaint;
    } cases[] = {
        {READ("\"type\": \"register_input\""), "tasks/t.json: channels[0].address: is required\n"},
        {READ("\"type\": \"register_input\", \"address\": 65535, \"data_type\": \"f32\""),
         "channels[0].address: address 65535 + 2 registers ends beyond 65535\n"},
        {READ("\"type\": \"register_input\", \"address\": 1, \"data_type\": \"str\""),
         "channels[0].length: length is required for str\n"},
        {READ("\"type\": \"register_input\", \"address\": 1, \"length\": 3"),
         "channels[0].length: only a str has a length\n"},
        {READ("\"type\": \"register_input\", \"address\": 1, \"bit\": 16"),
         "channels[0].bit: must be"},
        {READ("\"type\": \"register_input\", \"address\": 1, \"bit\": 1, \"data_type\": \"f32\""),
         "channels[0].bit: needs data_type u16\n"},
        {READ("\"type\": \"register_input\", \"address\": 1, \"data_type\": \"float\""),
         "channels[0].data_type: must be one of"},
        {READ("\"type\": \"register_input\", \"address\": 1, \"byte_order\": \"CDAB\", "
              "\"swap_bytes\": true"),
         "channels[0]: give byte_order or swap_bytes/swap_words, not both\n"},
        {READ("\"type\": \"coil_input\", \"address\": 1, \"bit\": 1"),
         "channels[0].bit: unknown field 'bit'"},
        {READ("\"type\": \"coil_output\", \"address\": 1"),
         "channels[0].type: unknown channel type 'coil_output'"},
        {READ("\"type\": \"register_input\", \"address\": 1, \"unit\": \"x\""),
         "channels[0].unit: device 'd' has no unit 'x' (has boiler, meter)\n"},
        {READ("\"type\": \"register_input\", \"address\": 1, \"no_value\": [\"many\"]"),
         "channels[0].no_value[0]: must be an integer, or a string like \"0x8000\"\n"},
        {READ("\"type\": \"register_input\", \"address\": 1, \"data_type\": \"f64\""),
         "channels[0]: needs 4 registers, the device allows 3 in one request\n"},
        {WRITE("\"type\": \"register_bit_output\", \"address\": 1"),
         "channels[0].bit: is required\n"},
        {WRITE("\"type\": \"coil_output\", \"address\": 1, \"fc\": \"both\""),
         "channels[0].fc: must be one of"},
        {"{\"type\": \"modbus_write\", \"channels\": ["
         "{\"type\": \"holding_register_output\", \"cmd_channel\": \"a\", \"address\": 1, "
         "\"data_type\": \"u32\"},"
         "{\"type\": \"holding_register_output\", \"cmd_channel\": \"b\", \"address\": 2}]}",
         "channels[1].address: d unit 255 holding register 2 is used twice\n"},
        {"{\"type\": \"modbus_write\", \"channels\": ["
         "{\"type\": \"register_bit_output\", \"cmd_channel\": \"a\", \"address\": 1, \"bit\": 3},"
         "{\"type\": \"register_bit_output\", \"cmd_channel\": \"b\", \"address\": 1, \"bit\": "
         "3}]}",
         "channels[1].address: d unit 255 holding register 1 bit 3 is used twice\n"},
        {"{\"type\": \"modbus_read\", \"device\": \"d/attic\", \"channels\": ["
         "{\"type\": \"coil_input\", \"channel\": \"a\", \"address\": 1}]}",
         "device: device 'd' has no unit 'attic' (has boiler, meter)\n"},
    };
    struct fixture f;
    set_up(&f);
    struct hw_device *device = bench_device(
        &f.bench, "d",
        "{\"host\": \"a\", \"max_read_registers\": 3, \"units\": [{\"name\": \"boiler\","
        " \"unit_id\": 1}, {\"name\": \"meter\", \"unit_id\": 2}]}");
    for (size_t i = 0; i < ARCD_COUNT_OF(cases); i++) {
        struct bench_task task;
        assert_false(bench_try_task(&f.bench, device, &task, cases[i].json));
        if (strstr(f.bench.complaint, cases[i].complaint) == NULL)
            fail_msg("%s\nis not\n%s", f.bench.complaint, cases[i].complaint);
    }
    bench_device_close(&f.bench, device);
    tear_down(&f);
}

static void a_broadcast_cannot_be_read(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    struct hw_device *device = bench_device(
        &f.bench, "d", "{\"transport\": \"rtu\", \"serial_port\": \"/dev/ttyX\", \"unit_id\": 0}");
    struct bench_task task;
    assert_false(
        bench_try_task(&f.bench, device, &task, READ("\"type\": \"coil_input\", \"address\": 1")));
    assert_string_equal(f.bench.complaint, "tasks/t.json: channels[0]: unit 0 cannot be read\n");
    bench_task(&f.bench, device, &task, WRITE("\"type\": \"coil_output\", \"address\": 1"));
    assert_false(task.info->channels[0].has_readback);
    bench_task_free(&task);
    bench_device_close(&f.bench, device);
    tear_down(&f);
}

/* Registers that feed several channels, and one address in two tables, are no mistakes. */
static void one_register_may_be_read_more_than_once(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    struct hw_device *device = bench_device(&f.bench, "d", "{\"host\": \"a\"}");
    struct bench_task task;
    bench_task(&f.bench, device, &task,
               "{\"type\": \"modbus_read\", \"channels\": ["
               "{\"type\": \"register_input\", \"channel\": \"a\", \"address\": 1},"
               "{\"type\": \"register_input\", \"channel\": \"b\", \"address\": 1, \"bit\": 2},"
               "{\"type\": \"register_input\", \"channel\": \"c\", \"address\": 0, "
               "\"data_type\": \"u32\"},"
               "{\"type\": \"holding_register_input\", \"channel\": \"d\", \"address\": 1}]}");
    assert_int_equal(task.task->plan.n_blocks, 2);
    bench_task_free(&task);
    bench_device_close(&f.bench, device);
    tear_down(&f);
}

/* 17 registers at 9600 baud and the pauses: 48 ms and more, so 20 times a second it cannot be. */
static void a_rate_that_the_line_cannot_keep_is_warned_of(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    struct hw_device *device = bench_device(
        &f.bench, "d", "{\"transport\": \"rtu\", \"serial_port\": \"/dev/x\", \"baud\": 9600}");
    struct bench_task task;
    for (int slow = 0; slow < 2; slow++) {
        char json[256];
        snprintf(json, sizeof json,
                 "{\"type\": \"modbus_read\", \"sample_rate\": %d, \"channels\": ["
                 "{\"type\": \"register_input\", \"channel\": \"a\", \"address\": 0, "
                 "\"data_type\": \"str\", \"length\": 34}]}",
                 slow ? 20 : 10);
        bench_task(&f.bench, device, &task, json);
        assert_int_equal(f.bench.errors->n_warnings, slow);
        bench_task_free(&task);
    }
    assert_string_equal(f.bench.errors->first->path, "sample_rate");
    assert_string_equal(f.bench.errors->first->text,
                        "a pass takes about 57.9 ms of the link's time; at most 17.3 Hz are "
                        "possible");
    bench_device_close(&f.bench, device);
    tear_down(&f);
}

static void a_thousand_channels_are_planned(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    struct hw_device *device = bench_device(&f.bench, "d", "{\"host\": \"a\"}");
    char *json = base_arena_alloc(&f.bench.arena, 200000, 1);
    int n = sprintf(json, "{\"type\": \"modbus_read\", \"channels\": [");
    for (int i = 0; i < 1000; i++)
        n += sprintf(json + n,
                     "%s{\"type\": \"register_input\", \"channel\": \"c%d\", \"address\": %d, "
                     "\"data_type\": \"f32\"}",
                     i > 0 ? "," : "", i, 2 * i);
    sprintf(json + n, "]}");
    struct bench_task task;
    bench_task(&f.bench, device, &task, json);
    assert_int_equal(task.task->plan.n_blocks, 17); /* 62 values of 2 registers in each */
    bench_task_free(&task);
    bench_device_close(&f.bench, device);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_with_a_device_is_said),
        cmocka_unit_test(a_location_is_host_and_port),
        cmocka_unit_test(addresses_are_written_in_three_ways),
        cmocka_unit_test(what_is_wrong_with_a_channel_is_said),
        cmocka_unit_test(a_broadcast_cannot_be_read),
        cmocka_unit_test(one_register_may_be_read_more_than_once),
        cmocka_unit_test(a_rate_that_the_line_cannot_keep_is_warned_of),
        cmocka_unit_test(a_thousand_channels_are_planned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
