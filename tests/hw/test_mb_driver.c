/* The Modbus backend through its contract, over a wire that does as it is told. */
#include "hw/modbus/modbus.h"

#include "hw/modbus/mb_backend.h"
#include "tests/hw/mb_fake.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MS BASE_NS_PER_MS
#define S BASE_NS_PER_S

struct fixture {
    struct bench bench;
    struct mb_fake *fake;
    struct hw_device *device;
    char log[FAKE_LOG * 4];
};

static void open_bench(struct fixture *f)
{
    bench_init(&f->bench, &hw_modbus_driver);
    f->fake = mb_fake_new(&f->bench.clock);
    f->bench.backend->io = &mb_fake_ops;
    f->device = NULL;
}

static void open_device(struct fixture *f, const char *json)
{
    open_bench(f);
    f->device = bench_device(&f->bench, "plc", json);
}

static void close_device(struct fixture *f)
{
    if (f->device != NULL)
        bench_device_close(&f->bench, f->device);
    bench_fini(&f->bench);
    mb_fake_free(f->fake);
}

static const char plain[] = "{\"backend\": \"modbus\", \"host\": \"plc\", \"unit_id\": 1}";

static void read_ok(struct bench_task *task)
{
    if (bench_read(task, 1, 10 * S) != HW_NOMINAL)
        fail_msg("%s", task->error.text);
    assert_int_equal(task->read.n_got, 1);
}

static void write_ok(struct bench_task *task)
{
    if (bench_write(task, 10 * S) != HW_NOMINAL)
        fail_msg("%s", task->error.text);
}

static void set_u64(struct bench_task *task, uint32_t channel, uint64_t value)
{
    task->values[channel].u64 = value;
    task->changed[channel] = 1;
}

static void expect_log(struct fixture *f, const char *expected)
{
    assert_string_equal(mb_fake_log(f->fake, f->log), expected);
}

/* ---- Reading */

static void values_come_from_their_tables_and_addresses(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    f.fake->inputs[100] = 0x47F1;
    f.fake->inputs[101] = 0x2000;
    f.fake->inputs[104] = 0x0102;
    f.fake->inputs[107] = 0x0708;
    f.fake->inputs[120] = 1 << 3;
    f.fake->holding[400] = 'P' << 8 | 'U';
    f.fake->holding[401] = 'M' << 8 | 'P';
    f.fake->holding[410] = 0xFFFE;
    f.fake->coils[0] = 1;
    f.fake->discretes[9] = 1;
    struct bench_task task;
    bench_task(
        &f.bench, f.device, &task,
        "{\"type\": \"modbus_read\", \"channels\": ["
        "{\"type\": \"register_input\", \"channel\": \"flow\", \"address\": 100, "
        "\"data_type\": \"f32\"},"
        "{\"type\": \"register_input\", \"channel\": \"total\", \"address\": 104, "
        "\"data_type\": \"u64\"},"
        "{\"type\": \"holding_register_input\", \"channel\": \"recipe\", \"address\": 400, "
        "\"data_type\": \"str\", \"length\": 16, \"chan_type\": \"str\"},"
        "{\"type\": \"register_input\", \"channel\": \"alarm\", \"address\": 120, \"bit\": 3},"
        "{\"type\": \"coil_input\", \"channel\": \"run\", \"address\": 0},"
        "{\"type\": \"discrete_input\", \"channel\": \"door\", \"address\": 9},"
        "{\"type\": \"holding_register_input\", \"channel\": \"t\", \"address\": 410, "
        "\"data_type\": \"i16\"}]}");
    bench_start(&task);
    read_ok(&task);
    assert_true(task.rows[0][0].f64 == 123456.0);
    assert_true(task.rows[1][0].u64 == UINT64_C(0x0102000000000708));
    assert_int_equal(task.strs[2].len, 4);
    assert_memory_equal(task.strs[2].bytes, "PUMP", 4);
    assert_true(task.rows[3][0].u64 == 1);
    assert_true(task.rows[4][0].u64 == 1);
    assert_true(task.rows[5][0].u64 == 1);
    assert_true(task.rows[6][0].i64 == -2);
    const enum hw_value kinds[] = {HW_F64, HW_U64, HW_STR, HW_U64, HW_U64, HW_U64, HW_I64};
    for (int i = 0; i < 7; i++)
        assert_int_equal(task.info->channels[i].value, kinds[i]);
    expect_log(&f, "1 2 3 4 4"); /* 120 is too far from 107 to be read along */
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void the_channels_order_goes_before_the_devices(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, "{\"host\": \"plc\", \"byte_order\": \"CDAB\"}");
    const uint16_t words[] = {0x2000, 0x47F1, 0x47F1, 0x2000, 0xF147, 0x0020, 0x0020, 0xF147};
    memcpy(f.fake->holding, words, sizeof words);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task,
               "{\"type\": \"modbus_read\", \"channels\": ["
               "{\"type\": \"holding_register_input\", \"channel\": \"a\", \"address\": 0, "
               "\"data_type\": \"f32\"},"
               "{\"type\": \"holding_register_input\", \"channel\": \"b\", \"address\": 2, "
               "\"data_type\": \"f32\", \"byte_order\": \"ABCD\"},"
               "{\"type\": \"holding_register_input\", \"channel\": \"c\", \"address\": 4, "
               "\"data_type\": \"f32\", \"swap_bytes\": true},"
               "{\"type\": \"holding_register_input\", \"channel\": \"d\", \"address\": 6, "
               "\"data_type\": \"f32\", \"swap_bytes\": true, \"swap_words\": true}]}");
    bench_start(&task);
    read_ok(&task);
    for (int i = 0; i < 4; i++)
        assert_true(task.rows[i][0].f64 == 123456.0);
    expect_log(&f, "3");
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

/* The device of unit 255 by default; a gateway's units by name or number. */
static void units_are_chosen_by_device_task_and_channel(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, "{\"host\": \"gw\", \"units\": [{\"name\": \"boiler\", \"unit_id\": 7}, "
                    "{\"name\": \"meter\", \"unit_id\": 9}]}");
    struct bench_task task;
    bench_task(&f.bench, f.device, &task,
               "{\"type\": \"modbus_read\", \"device\": \"plc/boiler\", \"channels\": ["
               "{\"type\": \"register_input\", \"channel\": \"a\", \"address\": 0},"
               "{\"type\": \"register_input\", \"channel\": \"b\", \"address\": 0, \"unit\": 3},"
               "{\"type\": \"register_input\", \"channel\": \"c\", \"address\": 0, "
               "\"unit\": \"meter\"}]}");
    assert_string_equal(task.info->channels[2].location, "plc unit 9 input register 0");
    bench_start(&task);
    read_ok(&task);
    assert_int_equal(f.fake->n_log, 3);
    assert_int_equal(f.fake->log[0].request.unit, 3);
    assert_int_equal(f.fake->log[1].request.unit, 7);
    assert_int_equal(f.fake->log[2].request.unit, 9);
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void codes_that_mean_no_value_give_no_sample(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task,
               "{\"type\": \"modbus_read\", \"channels\": ["
               "{\"type\": \"register_input\", \"channel\": \"a\", \"address\": 0, "
               "\"data_type\": \"i16\", \"no_value\": [\"0x8000\", 32767]},"
               "{\"type\": \"register_input\", \"channel\": \"b\", \"address\": 1, "
               "\"data_type\": \"i16\", \"no_value\": [-1]},"
               "{\"type\": \"register_input\", \"channel\": \"c\", \"address\": 2, "
               "\"data_type\": \"f32\", \"byte_order\": \"CDAB\", \"no_value\": [\"0x7FC00000\"]},"
               "{\"type\": \"register_input\", \"channel\": \"d\", \"address\": 4, "
               "\"data_type\": \"u64\", \"no_value\": [\"0xFFFFFFFFFFFFFFFF\"]}]}");
    bench_start(&task);
    read_ok(&task);
    for (int i = 0; i < 4; i++)
        assert_int_equal(task.valid[i], 1);
    const uint16_t none[] = {0x8000, 0xFFFF, 0, 0x7FC0, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF};
    memcpy(f.fake->inputs, none, sizeof none);
    read_ok(&task);
    for (int i = 0; i < 4; i++)
        assert_int_equal(task.valid[i], 0);
    f.fake->inputs[0] = 32767;
    f.fake->inputs[1] = 5;
    read_ok(&task);
    assert_int_equal(task.valid[0], 0);
    assert_int_equal(task.valid[1], 1);
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static const char gap_task[] =
    "{\"type\": \"modbus_read\", \"channels\": ["
    "{\"type\": \"register_input\", \"channel\": \"a\", \"address\": 10},"
    "{\"type\": \"register_input\", \"channel\": \"b\", \"address\": 12},"
    "{\"type\": \"coil_input\", \"channel\": \"c\", \"address\": 0}]}";

/* The gap in a block may be what the device does not have. */
static void a_block_with_gaps_is_split_when_it_is_refused(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    f.fake->inputs[10] = 10;
    f.fake->inputs[12] = 12;
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, gap_task);
    bench_start(&task);
    mb_fake_next(f.fake, FAKE_ANSWER, 0);
    mb_fake_next(f.fake, FAKE_EXCEPTION, 2);
    read_ok(&task);
    expect_log(&f, "1 4 4 4");
    assert_true(task.rows[0][0].u64 == 10);
    assert_true(task.rows[1][0].u64 == 12);
    assert_string_equal(task.read.warning, "plc unit 1 does not have all of input register 10 to "
                                           "12: its gaps are not read any more");
    read_ok(&task);
    expect_log(&f, "1 4 4");
    assert_string_equal(task.read.warning, "");
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void an_address_that_is_not_there_stops_the_task(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    f.fake->first_missing = 12;
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, gap_task);
    bench_start(&task);
    assert_int_equal(bench_read(&task, 1, S), HW_CRITICAL);
    assert_int_equal(task.read.n_got, 0);
    assert_int_equal(task.error.code, 112345680);
    assert_int_equal(task.error.channel, 1);
    assert_string_equal(task.error.text,
                        "b (plc): illegal data address from unit 1, reading input register 12 (FC "
                        "4); addresses count from 0 on the wire, the manual may count from 1 "
                        "[112345680]");
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void a_bad_address_can_be_skipped(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    f.fake->first_missing = 12;
    f.fake->inputs[10] = 10;
    char json[1024];
    snprintf(json, sizeof json, "{\"on_bad_address\": \"skip\", %s", gap_task + 1);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, json);
    bench_start(&task);
    read_ok(&task);
    assert_int_equal(task.valid[0], 1);
    assert_int_equal(task.valid[1], 0);
    assert_int_equal(task.valid[2], 1);
    assert_non_null(strstr(task.read.warning, "skipped: b (plc): illegal data address"));
    mb_fake_log(f.fake, f.log);
    read_ok(&task);
    expect_log(&f, "1 4"); /* and is not asked again */
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

/* Unit, function, address and count are in every message; so is the number to search for. */
static void messages_say_who_was_asked_for_what(void **state)
{
    (void)state;
    static const struct {
        enum mb_fake_kind kind;
        int arg;
        enum hw_class cls;
        const char *text;
    } cases[] = {
        {FAKE_EXCEPTION, 1, HW_CRITICAL, "illegal function"},
        {FAKE_EXCEPTION, 3, HW_CRITICAL, "illegal data value"},
        {FAKE_EXCEPTION, 4, HW_TEMPORARY, "device failure"},
        {FAKE_EXCEPTION, 5, HW_TEMPORARY, "acknowledged, takes long"},
        {FAKE_EXCEPTION, 6, HW_TEMPORARY, "device busy"},
        {FAKE_EXCEPTION, 7, HW_CRITICAL, "negative acknowledge"},
        {FAKE_EXCEPTION, 8, HW_TEMPORARY, "memory parity error"},
        {FAKE_EXCEPTION, 10, HW_TEMPORARY, "gateway path unavailable, says the gateway"},
        {FAKE_EXCEPTION, 11, HW_TEMPORARY, "no answer from the unit, says the gateway"},
        {FAKE_BROKEN, 0, HW_TEMPORARY, "damaged answer"},
        {FAKE_RESULT, MB_E_BAD_CRC, HW_TEMPORARY, "answer with a wrong checksum"},
        {FAKE_SILENT, 0, HW_TEMPORARY, "no answer"},
    };
    for (size_t i = 0; i < ARCD_COUNT_OF(cases); i++) {
        struct fixture f;
        open_device(&f, "{\"host\": \"plc\", \"unit_id\": 5, \"retries\": 0}");
        struct bench_task task;
        bench_task(&f.bench, f.device, &task,
                   "{\"type\": \"modbus_read\", \"channels\": ["
                   "{\"type\": \"holding_register_input\", \"channel\": \"a\", \"address\": 7, "
                   "\"data_type\": \"f32\"},"
                   "{\"type\": \"holding_register_input\", \"channel\": \"b\", \"address\": 9}]}");
        bench_start(&task);
        mb_fake_next(f.fake, cases[i].kind, cases[i].arg);
        assert_int_equal(bench_read(&task, 1, 10 * S), cases[i].cls);
        char expected[256];
        snprintf(expected, sizeof expected,
                 "a and 1 more (plc): %s from unit 5, reading 3 holding registers from 7 on (FC 3) "
                 "[%lld]",
                 cases[i].text, (long long)task.error.code);
        assert_string_equal(task.error.text, expected);
        assert_int_equal(task.error.channel, 0);
        bench_stop(&task);
        bench_task_free(&task);
        close_device(&f);
    }
}

static const char one_register[] =
    "{\"type\": \"modbus_read\", \"channels\": ["
    "{\"type\": \"holding_register_input\", \"channel\": \"a\", \"address\": 7}]}";

static void errors_are_judged_by_how_often_they_come(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, one_register);
    bench_start(&task);
    for (int i = 0; i < 5; i++) {
        mb_fake_next(f.fake, FAKE_EXCEPTION, 4);
        assert_int_equal(bench_read(&task, 1, S), i < 4 ? HW_TEMPORARY : HW_CRITICAL);
    }
    read_ok(&task);
    for (int i = 0; i < 3; i++) {
        mb_fake_next(f.fake, FAKE_EXCEPTION, 6);
        assert_int_equal(bench_read(&task, 1, S), HW_TEMPORARY);
        assert_int_equal(task.error.delay_ns, i == 0 ? 100 * MS : 0);
    }
    read_ok(&task);
    for (int i = 0; i < 12; i++) {
        mb_fake_next(f.fake, FAKE_EXCEPTION, 5);
        assert_int_equal(bench_read(&task, 1, S), HW_TEMPORARY);
        assert_int_equal(task.error.delay_ns, i < 10 ? 500 * MS : 0);
    }
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void a_lost_link_is_temporary_and_paces_itself(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, one_register);
    bench_start(&task); /* a device that is away does not keep a task from starting */
    assert_int_equal(f.fake->n_opened, 0);
    mb_fake_next_open(f.fake, ECONNREFUSED);
    assert_int_equal(bench_read(&task, 1, S), HW_TEMPORARY);
    assert_string_equal(task.error.text, "Modbus link plc:502 lost: Connection refused [111]");
    assert_int_equal(task.error.delay_ns, S);
    assert_int_equal(bench_read(&task, 1, S), HW_TEMPORARY); /* asked too early */
    assert_string_equal(task.error.text, "Modbus link plc:502 lost: Connection refused [111]");
    assert_int_equal(f.fake->n_opened, 1);
    bench_advance(&f.bench, task.error.delay_ns);
    read_ok(&task);
    bench_stop(&task);
    assert_false(f.fake->is_open); /* nobody uses it any more */
    bench_task_free(&task);
    close_device(&f);
}

static void a_link_that_gives_up_is_critical(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, "{\"host\": \"plc\", \"reconnect\": {\"max_retries\": 1}}");
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, one_register);
    bench_start(&task);
    mb_fake_next_open(f.fake, EHOSTUNREACH);
    mb_fake_next_open(f.fake, EHOSTUNREACH);
    assert_int_equal(bench_read(&task, 1, S), HW_TEMPORARY);
    bench_advance(&f.bench, task.error.delay_ns);
    assert_int_equal(bench_read(&task, 1, S), HW_CRITICAL);
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

/* ---- Writing */

static const char outputs[] =
    "{\"type\": \"modbus_write\", \"channels\": ["
    "{\"type\": \"holding_register_output\", \"cmd_channel\": \"f\", \"address\": 20, "
    "\"data_type\": \"f32\"},"
    "{\"type\": \"holding_register_output\", \"cmd_channel\": \"i\", \"address\": 22, "
    "\"data_type\": \"i16\"},"
    "{\"type\": \"holding_register_output\", \"cmd_channel\": \"far\", \"address\": 30},"
    "{\"type\": \"coil_output\", \"cmd_channel\": \"c0\", \"address\": 4},"
    "{\"type\": \"coil_output\", \"cmd_channel\": \"c1\", \"address\": 5},"
    "{\"type\": \"register_bit_output\", \"cmd_channel\": \"b0\", \"address\": 40, \"bit\": 0},"
    "{\"type\": \"register_bit_output\", \"cmd_channel\": \"b9\", \"address\": 40, \"bit\": 9},"
    "{\"type\": \"holding_register_output\", \"cmd_channel\": \"text\", \"address\": 50, "
    "\"data_type\": \"str\", \"length\": 6, \"chan_type\": \"str\"}]}";

enum { OUT_F, OUT_I, OUT_FAR, OUT_C0, OUT_C1, OUT_B0, OUT_B9, OUT_TEXT };

static void one_value_goes_alone_and_neighbours_together(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, outputs);
    bench_start(&task);
    set_u64(&task, OUT_FAR, 7);
    write_ok(&task);
    expect_log(&f, "6");
    assert_int_equal(f.fake->holding[30], 7);
    assert_int_equal(task.done[OUT_FAR], 1);
    assert_int_equal(task.done[OUT_I], 0);
    bench_set(&task, OUT_F, 123456.0);
    write_ok(&task);
    expect_log(&f, "16");
    assert_int_equal(f.fake->holding[20], 0x47F1);
    bench_set(&task, OUT_F, 1.0);
    task.values[OUT_I].i64 = -2;
    task.changed[OUT_I] = 1;
    set_u64(&task, OUT_FAR, 8);
    set_u64(&task, OUT_C0, 1);
    write_ok(&task);
    expect_log(&f, "5 16 6");
    assert_int_equal(f.fake->holding[20], 0x3F80);
    assert_int_equal(f.fake->holding[22], 0xFFFE);
    assert_int_equal(f.fake->coils[4], 1);
    set_u64(&task, OUT_C0, 0);
    set_u64(&task, OUT_C1, 1);
    write_ok(&task);
    expect_log(&f, "15");
    assert_int_equal(f.fake->coils[4], 0);
    assert_int_equal(f.fake->coils[5], 1);
    task.strs[OUT_TEXT] = (struct hw_str){"PUMP", 4};
    task.changed[OUT_TEXT] = 1;
    write_ok(&task);
    assert_int_equal(f.fake->holding[50], 'P' << 8 | 'U');
    assert_int_equal(f.fake->holding[52], 0);
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void bits_of_a_register_are_set_without_its_neighbours(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    f.fake->holding[40] = 0xF0F0;
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, outputs);
    bench_start(&task);
    set_u64(&task, OUT_B0, 1);
    write_ok(&task);
    assert_int_equal(f.fake->holding[40], 0xF0F1);
    set_u64(&task, OUT_B0, 0);
    set_u64(&task, OUT_B9, 1);
    write_ok(&task);
    assert_int_equal(f.fake->holding[40], 0xF2F0);
    expect_log(&f, "22 22");
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void a_device_without_mask_writes_gets_read_change_write(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    f.fake->holding[40] = 0xF0F0;
    f.fake->has_mask_write = false;
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, outputs);
    bench_start(&task);
    set_u64(&task, OUT_B9, 1);
    write_ok(&task);
    expect_log(&f, "22 3 6");
    assert_int_equal(f.fake->holding[40], 0xF2F0);
    assert_string_equal(task.write.warning,
                        "plc unit 1 cannot set single bits (FC 22): registers are read, changed "
                        "and written");
    set_u64(&task, OUT_B9, 0);
    write_ok(&task);
    expect_log(&f, "3 6");
    assert_int_equal(f.fake->holding[40], 0xF0F0);
    assert_string_equal(task.write.warning, "");
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void the_function_code_can_be_chosen(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, "{\"host\": \"plc\", \"fc\": \"multiple\"}");
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, outputs);
    bench_start(&task);
    set_u64(&task, OUT_FAR, 7);
    set_u64(&task, OUT_C0, 1);
    write_ok(&task);
    expect_log(&f, "15 16");
    bench_stop(&task);
    bench_task_free(&task);
    bench_task(&f.bench, f.device, &task,
               "{\"type\": \"modbus_write\", \"channels\": ["
               "{\"type\": \"coil_output\", \"cmd_channel\": \"a\", \"address\": 1, "
               "\"fc\": \"single\"},"
               "{\"type\": \"coil_output\", \"cmd_channel\": \"b\", \"address\": 2, "
               "\"fc\": \"single\"},"
               "{\"type\": \"holding_register_output\", \"cmd_channel\": \"c\", \"address\": 2, "
               "\"fc\": \"single\"},"
               "{\"type\": \"holding_register_output\", \"cmd_channel\": \"d\", \"address\": 3, "
               "\"fc\": \"single\", \"data_type\": \"u32\"}]}");
    bench_start(&task);
    for (uint32_t i = 0; i < 4; i++)
        set_u64(&task, i, 1);
    write_ok(&task);
    expect_log(&f, "5 5 6 16");
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

/* At limit - 1, limit and limit + 1 of one request. */
static void long_writes_are_cut_at_the_devices_limit(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, "{\"host\": \"plc\", \"max_write_registers\": 4, \"max_write_bits\": 3}");
    char json[1400];
    int n = snprintf(json, sizeof json, "{\"type\": \"modbus_write\", \"channels\": [");
    for (int i = 0; i < 10; i++)
        n +=
            snprintf(json + n, sizeof json - (size_t)n,
                     "%s{\"type\": \"%s\", \"cmd_channel\": \"c%d\", \"address\": %d}",
                     i > 0 ? "," : "", i < 5 ? "holding_register_output" : "coil_output", i, i % 5);
    snprintf(json + n, sizeof json - (size_t)n, "]}");
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, json);
    bench_start(&task);
    for (uint32_t wanted = 2; wanted <= 5; wanted++) {
        for (uint32_t i = 0; i < wanted; i++)
            set_u64(&task, i, i);
        write_ok(&task);
        expect_log(&f, wanted <= 4 ? "16" : "16 6");
    }
    for (uint32_t i = 5; i < 10; i++)
        set_u64(&task, i, 1);
    write_ok(&task);
    expect_log(&f, "15 15");
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void a_value_that_does_not_fit_is_not_written(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, outputs);
    bench_start(&task);
    task.values[OUT_I].i64 = 40000;
    task.changed[OUT_I] = 1;
    set_u64(&task, OUT_FAR, 65535);
    write_ok(&task);
    assert_int_equal(task.done[OUT_I], 0);
    assert_int_equal(task.done[OUT_FAR], 1);
    assert_string_equal(task.write.warning, "i (plc unit 1 holding register 22): the value does "
                                            "not fit i16; it is not written");
    expect_log(&f, "6");
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

/* Two values in one request, one of them illegal: the other one is written all the same. */
static void an_illegal_value_is_skipped_with_a_warning(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, outputs);
    bench_start(&task);
    mb_fake_next(f.fake, FAKE_EXCEPTION, 3);
    mb_fake_next(f.fake, FAKE_ANSWER, 0);
    mb_fake_next(f.fake, FAKE_EXCEPTION, 3);
    bench_set(&task, OUT_F, 1.0);
    set_u64(&task, OUT_I, 5);
    write_ok(&task);
    expect_log(&f, "16 16 6");
    assert_int_equal(task.done[OUT_F], 1);
    assert_int_equal(task.done[OUT_I], 0);
    assert_non_null(strstr(task.write.warning, "skipped: i (plc): illegal data value from unit 1"));
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void a_refused_output_is_critical(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, outputs);
    bench_start(&task);
    f.fake->first_missing = 25;
    set_u64(&task, OUT_I, 5);
    set_u64(&task, OUT_FAR, 5);
    assert_int_equal(bench_write(&task, S), HW_CRITICAL);
    assert_int_equal(task.done[OUT_I], 1);
    assert_int_equal(task.done[OUT_FAR], 0);
    assert_int_equal(task.error.channel, OUT_FAR);
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void a_write_without_an_answer_says_that_its_fate_is_unknown(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, outputs);
    bench_start(&task);
    mb_fake_next(f.fake, FAKE_SILENT, 0);
    set_u64(&task, OUT_FAR, 5);
    assert_int_equal(bench_write(&task, S), HW_TEMPORARY);
    assert_int_equal(task.done[OUT_FAR], 0);
    expect_log(&f, "6");
    assert_string_equal(task.error.text,
                        "far (plc): no answer from unit 1, writing holding register 30 (FC 6); it "
                        "is not known whether the device took it [110]");
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void a_write_is_verified_where_asked(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    f.fake->deaf_register = 10;
    f.fake->holding[10] = 3;
    struct bench_task task;
    bench_task(
        &f.bench, f.device, &task,
        "{\"type\": \"modbus_write\", \"channels\": ["
        "{\"type\": \"holding_register_output\", \"cmd_channel\": \"deaf\", \"address\": 10, "
        "\"verify\": true},"
        "{\"type\": \"holding_register_output\", \"cmd_channel\": \"good\", \"address\": 20, "
        "\"verify\": true},"
        "{\"type\": \"register_bit_output\", \"cmd_channel\": \"bit\", \"address\": 30, "
        "\"bit\": 4, \"verify\": true}]}");
    bench_start(&task);
    set_u64(&task, 1, 5);
    set_u64(&task, 2, 1);
    write_ok(&task);
    expect_log(&f, "6 3 22 3");
    assert_string_equal(task.write.warning, "");
    set_u64(&task, 0, 5);
    write_ok(&task);
    assert_string_equal(task.write.warning,
                        "deaf: wrote 0x0005 to holding register 10, read 0x0003");
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void values_are_repeated_for_a_watchdog(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task,
               "{\"type\": \"modbus_write\", \"channels\": ["
               "{\"type\": \"coil_output\", \"cmd_channel\": \"beat\", \"address\": 1, "
               "\"repeat\": \"500ms\"},"
               "{\"type\": \"coil_output\", \"cmd_channel\": \"other\", \"address\": 9}]}");
    assert_int_equal(task.info->tick_ns, 500 * MS);
    bench_start(&task);
    write_ok(&task);
    expect_log(&f, ""); /* nothing was commanded yet */
    set_u64(&task, 0, 1);
    set_u64(&task, 1, 1);
    write_ok(&task);
    expect_log(&f, "5 5");
    write_ok(&task);
    expect_log(&f, "");
    bench_advance(&f.bench, 500 * MS);
    write_ok(&task);
    expect_log(&f, "5");
    bench_stop(&task);
    bench_start(&task); /* what was commanded before the stop is not sent by itself */
    bench_advance(&f.bench, S);
    write_ok(&task);
    expect_log(&f, "");
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void last_values_are_sent_again_after_a_reconnect_if_asked(void **state)
{
    (void)state;
    for (int resend = 0; resend < 2; resend++) {
        struct fixture f;
        open_device(&f, plain);
        char json[512];
        snprintf(json, sizeof json,
                 "{\"type\": \"modbus_write\", %s\"channels\": [{\"type\": \"coil_output\", "
                 "\"cmd_channel\": \"a\", \"address\": 1},"
                 "{\"type\": \"coil_output\", \"cmd_channel\": \"b\", \"address\": 9}]}",
                 resend ? "\"on_reconnect\": \"last\", " : "");
        struct bench_task task;
        bench_task(&f.bench, f.device, &task, json);
        assert_int_equal(task.info->tick_ns, resend ? S : 0);
        bench_start(&task);
        set_u64(&task, 0, 1);
        write_ok(&task);
        mb_fake_next(f.fake, FAKE_GONE, ECONNRESET);
        mb_fake_next_open(f.fake, 0);
        mb_fake_next_open(f.fake, ECONNREFUSED);
        f.fake->at_open = 1;
        set_u64(&task, 1, 1);
        assert_int_equal(bench_write(&task, S), HW_TEMPORARY);
        f.fake->coils[1] = 0; /* the device was restarted */
        bench_advance(&f.bench, 2 * S);
        set_u64(&task, 1, 1);
        write_ok(&task);
        write_ok(&task);
        assert_int_equal(f.fake->coils[1], resend);
        assert_int_equal(f.fake->coils[9], 1);
        mb_fake_log(f.fake, f.log);
        write_ok(&task);
        expect_log(&f, "");
        bench_stop(&task);
        bench_task_free(&task);
        close_device(&f);
    }
}

static void outputs_are_read_back_where_the_device_lets_them(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    f.fake->holding[20] = 0x3F80;
    f.fake->holding[22] = 0xFFFE;
    f.fake->holding[30] = 30;
    f.fake->coils[5] = 1;
    f.fake->holding[40] = 1 << 9;
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, outputs);
    bench_start(&task);
    union telem_value values[8];
    uint8_t valid[8];
    assert_int_equal(hw_modbus_driver.loop->readback(task.task, values, valid, &task.error),
                     HW_NOMINAL);
    const uint8_t all[] = {1, 1, 1, 1, 1, 1, 1, 0};
    assert_memory_equal(valid, all, sizeof all);
    assert_true(values[OUT_F].f64 == 1.0);
    assert_true(values[OUT_I].i64 == -2);
    assert_true(values[OUT_FAR].u64 == 30);
    assert_true(values[OUT_C1].u64 == 1);
    assert_true(values[OUT_B0].u64 == 0);
    assert_true(values[OUT_B9].u64 == 1);
    f.fake->first_missing = 25;
    assert_int_equal(hw_modbus_driver.loop->readback(task.task, values, valid, &task.error),
                     HW_NOMINAL);
    const uint8_t some[] = {1, 1, 0, 1, 1, 0, 0, 0};
    assert_memory_equal(valid, some, sizeof some);
    for (int i = 0; i < 3; i++)
        mb_fake_next(f.fake, FAKE_SILENT, 0);
    assert_int_equal(hw_modbus_driver.loop->readback(task.task, values, valid, &task.error),
                     HW_TEMPORARY);
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

/* ---- Devices */

static void devices_on_one_host_and_port_share_a_connection(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    struct hw_device *other =
        bench_device(&f.bench, "other", "{\"location\": \"plc:502\", \"unit_id\": 2}");
    assert_ptr_equal(f.device->link, other->link);
    struct bench_task a;
    struct bench_task b;
    bench_task(&f.bench, f.device, &a, one_register);
    bench_task(&f.bench, other, &b, one_register);
    bench_start(&a);
    bench_start(&b);
    read_ok(&a);
    read_ok(&b);
    assert_int_equal(f.fake->n_opened, 1);
    bench_stop(&a);
    assert_true(f.fake->is_open);
    bench_stop(&b);
    assert_false(f.fake->is_open);
    bench_task_free(&a);
    bench_task_free(&b);
    bench_device_close(&f.bench, other);
    close_device(&f);
}

static void one_serial_line_has_one_speed(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, "{\"transport\": \"rtu\", \"serial_port\": \"/dev/ttyX\", \"baud\": 9600}");
    assert_null(bench_try_device(&f.bench, "other",
                                 "{\"transport\": \"rtu\", \"serial_port\": \"/dev/ttyX\"}"));
    assert_string_equal(f.bench.complaint, "driver.json: device 'other' sets /dev/ttyX up "
                                           "differently from another device on it\n");
    close_device(&f);
}

static void a_serial_port_that_is_not_there_is_a_mistake_only_at_start(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, "{\"transport\": \"rtu\", \"serial_port\": \"/dev/ttyX\"}");
    atomic_store(&f.bench.clock.look_ns, MS / 1000); /* for the pauses of a line */
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, one_register);
    mb_fake_next_open(f.fake, ENOENT);
    assert_int_equal(hw_modbus_driver.loop->start(task.task, BASE_NEVER, &task.error), HW_CONFIG);
    assert_string_equal(task.error.text, "cannot open /dev/ttyX: No such file or directory [2]");
    bench_advance(&f.bench, 10 * S);
    bench_start(&task);
    read_ok(&task);
    mb_fake_next(f.fake, FAKE_RESULT, EIO); /* unplugged */
    mb_fake_next_open(f.fake, 0);
    mb_fake_next_open(f.fake, ENOENT);
    f.fake->at_open = 2;
    assert_int_equal(bench_read(&task, 1, S), HW_TEMPORARY);
    assert_string_equal(task.error.text,
                        "Modbus link /dev/ttyX lost: No such file or directory [2]");
    bench_advance(&f.bench, 10 * S);
    read_ok(&task);
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void a_link_can_be_left_to_others_between_polls(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, "{\"host\": \"plc\", \"close_after_poll\": true}");
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, one_register);
    bench_start(&task);
    for (uint32_t i = 1; i <= 3; i++) {
        read_ok(&task);
        assert_false(f.fake->is_open);
        assert_int_equal(f.fake->n_opened, i);
    }
    assert_int_equal(bench_counter(&f.bench, f.device, "reconnects"), 0);
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void health_is_judged_by_traffic_or_asked(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    struct hw_error error;
    const struct hw_setup_ops *setup = hw_modbus_driver.setup;
    assert_int_equal(setup->probe(f.device, "", BASE_NEVER, &error), HW_NOMINAL);
    assert_int_equal(f.fake->n_opened, 1); /* nothing is known that could be read: it connects */
    expect_log(&f, "");
    assert_false(f.fake->is_open);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, one_register);
    assert_int_equal(setup->probe(f.device, "", BASE_NEVER, &error), HW_NOMINAL);
    expect_log(&f, "3");
    bench_start(&task);
    read_ok(&task);
    expect_log(&f, "3");
    assert_int_equal(setup->probe(f.device, "", BASE_NEVER, &error), HW_NOMINAL);
    expect_log(&f, ""); /* the task just heard from it */
    bench_advance(&f.bench, 11 * S);
    mb_fake_next(f.fake, FAKE_SILENT, 0);
    assert_int_equal(setup->probe(f.device, "", BASE_NEVER, &error), HW_TEMPORARY);
    assert_string_equal(error.text,
                        "plc: no answer from unit 1, reading holding register 7 (FC 3) [110]");
    mb_fake_next(f.fake, FAKE_EXCEPTION, 2);
    assert_int_equal(setup->probe(f.device, "", BASE_NEVER, &error), HW_NOMINAL); /* it lives */
    assert_int_equal(setup->probe(f.device, "x", BASE_NEVER, &error), HW_CONFIG);
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void every_result_is_counted(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    f.fake->reply_ns = 3 * MS;
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, one_register);
    bench_start(&task);
    read_ok(&task);
    mb_fake_next(f.fake, FAKE_SILENT, 0);
    mb_fake_next(f.fake, FAKE_BROKEN, 0);
    read_ok(&task);
    mb_fake_next(f.fake, FAKE_EXCEPTION, 6);
    bench_read(&task, 1, S);
    static const struct {
        const char *name;
        int64_t value;
    } expected[] = {
        {"requests", 5},       {"good", 2},         {"timeouts", 1},   {"damaged", 1},
        {"exceptions_6", 1},   {"exceptions_2", 0}, {"reconnects", 1}, {"reply_min_us", 3000},
        {"reply_max_us", 3000}};
    for (size_t i = 0; i < ARCD_COUNT_OF(expected); i++)
        assert_int_equal(bench_counter(&f.bench, f.device, expected[i].name), expected[i].value);
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void a_plan_is_shown(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, "{\"transport\": \"rtu\", \"serial_port\": \"/dev/ttyX\", \"baud\": 9600}");
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, gap_task);
    char text[512] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    hw_modbus_driver.setup->describe(task.task, out);
    fclose(out);
    assert_string_equal(text, "  plc unit 1, coil 0: 1 channel\n"
                              "  plc unit 1, input registers 10 to 12: 2 channels, with gaps\n"
                              "  a pass takes about 45.8 ms of the link's time\n");
    bench_task_free(&task);
    bench_task(&f.bench, f.device, &task,
               "{\"type\": \"modbus_read\", \"channels\": [{\"type\": \"register_input\", "
               "\"channel\": \"a\", \"address\": 1, \"data_type\": \"f32\"}]}");
    out = fmemopen(text, sizeof text, "w");
    hw_modbus_driver.setup->describe(task.task, out);
    fclose(out);
    assert_non_null(strstr(text, "values of several registers are taken high word first (ABCD), as "
                                 "no byte_order is given\n"));
    bench_task_free(&task);
    close_device(&f);
}

struct found {
    uint32_t n;
    char last[128], model[64];
};

static void note_found(void *ctx, const struct hw_found *device)
{
    struct found *found = ctx;
    found->n++;
    snprintf(found->last, sizeof found->last, "%s", device->key);
    snprintf(found->model, sizeof found->model, "%s", device->model);
}

static void a_scan_finds_units_by_request(void **state)
{
    (void)state;
    struct fixture f;
    open_bench(&f);
    struct found found = {0};
    struct arcd_errinfo why;
    const struct hw_setup_ops *setup = hw_modbus_driver.setup;
    assert_int_equal(setup->scan(f.bench.backend, &f.bench.env, "", note_found, &found, &why),
                     ARCD_OK);
    assert_int_equal(found.n, 0);
    f.fake->dead_unit = 2;
    assert_int_equal(
        setup->scan(f.bench.backend, &f.bench.env, "plc:1502 1-3,7", note_found, &found, &why),
        ARCD_OK);
    assert_int_equal(found.n, 3);
    assert_string_equal(found.last, "plc:1502/7");
    assert_string_equal(found.model, "PUMP1");
    static const char *const bad[] = {"plc",     "plc x", "plc 1-", "plc 3-1",
                                      "plc 256", " 1",    "plc 1,"};
    for (size_t i = 0; i < ARCD_COUNT_OF(bad); i++)
        assert_int_equal(
            setup->scan(f.bench.backend, &f.bench.env, bad[i], note_found, &found, &why),
            ARCD_ERR_INVALID);
    mb_fake_next_open(f.fake, 0);
    mb_fake_next_open(f.fake, ECONNREFUSED);
    f.fake->at_open = 1;
    assert_int_equal(setup->scan(f.bench.backend, &f.bench.env, "plc 1", note_found, &found, &why),
                     ARCD_ERR_LINK);
    assert_string_equal(why.text, "Modbus link plc:502 lost: Connection refused");
    close_device(&f);
}

static void interrupt_ends_reads_until_the_next_start(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, plain);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, one_register);
    bench_start(&task);
    hw_modbus_driver.loop->interrupt(task.task);
    assert_int_equal(bench_read(&task, 1, S), HW_NOMINAL);
    assert_int_equal(task.read.n_got, 0);
    bench_stop(&task);
    bench_start(&task);
    read_ok(&task);
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_from_their_tables_and_addresses),
        cmocka_unit_test(the_channels_order_goes_before_the_devices),
        cmocka_unit_test(units_are_chosen_by_device_task_and_channel),
        cmocka_unit_test(codes_that_mean_no_value_give_no_sample),
        cmocka_unit_test(a_block_with_gaps_is_split_when_it_is_refused),
        cmocka_unit_test(an_address_that_is_not_there_stops_the_task),
        cmocka_unit_test(a_bad_address_can_be_skipped),
        cmocka_unit_test(messages_say_who_was_asked_for_what),
        cmocka_unit_test(errors_are_judged_by_how_often_they_come),
        cmocka_unit_test(a_lost_link_is_temporary_and_paces_itself),
        cmocka_unit_test(a_link_that_gives_up_is_critical),
        cmocka_unit_test(one_value_goes_alone_and_neighbours_together),
        cmocka_unit_test(bits_of_a_register_are_set_without_its_neighbours),
        cmocka_unit_test(a_device_without_mask_writes_gets_read_change_write),
        cmocka_unit_test(the_function_code_can_be_chosen),
        cmocka_unit_test(long_writes_are_cut_at_the_devices_limit),
        cmocka_unit_test(a_value_that_does_not_fit_is_not_written),
        cmocka_unit_test(an_illegal_value_is_skipped_with_a_warning),
        cmocka_unit_test(a_refused_output_is_critical),
        cmocka_unit_test(a_write_without_an_answer_says_that_its_fate_is_unknown),
        cmocka_unit_test(a_write_is_verified_where_asked),
        cmocka_unit_test(values_are_repeated_for_a_watchdog),
        cmocka_unit_test(last_values_are_sent_again_after_a_reconnect_if_asked),
        cmocka_unit_test(outputs_are_read_back_where_the_device_lets_them),
        cmocka_unit_test(devices_on_one_host_and_port_share_a_connection),
        cmocka_unit_test(one_serial_line_has_one_speed),
        cmocka_unit_test(a_serial_port_that_is_not_there_is_a_mistake_only_at_start),
        cmocka_unit_test(a_link_can_be_left_to_others_between_polls),
        cmocka_unit_test(health_is_judged_by_traffic_or_asked),
        cmocka_unit_test(every_result_is_counted),
        cmocka_unit_test(a_plan_is_shown),
        cmocka_unit_test(a_scan_finds_units_by_request),
        cmocka_unit_test(interrupt_ends_reads_until_the_next_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
