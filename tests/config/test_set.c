#include "tests/config/config_folder.h"

static const char driver_json[] =
    "{\"channels\": {"
    "\"t_time\": {\"type\": \"timestamp\"}, \"temp\": {\"type\": \"f32\", \"index\": \"t_time\"},"
    "\"level\": {\"type\": \"f32\", \"index\": \"t_time\"},"
    "\"o_time\": {\"type\": \"timestamp\"}, \"heater\": {\"type\": \"f32\", \"index\": \"o_time\"},"
    "\"heater_cmd\": {\"type\": \"f32\", \"virtual\": true}},"
    "\"devices\": {\"tank\": {\"backend\": \"sim\", \"seed\": 1},"
    " \"plc\": {\"backend\": \"modbus\", \"host\": \"h\"},"
    " \"rack1\": {\"backend\": \"ni\"}, \"rack2\": {\"backend\": \"ni\"}}}";

/* A read of one channel on one device; `more` are further members of the task. */
static void write_read_task(struct config_folder *f, const char *file, const char *more,
                            const char *channel)
{
    char text[512];
    snprintf(text, sizeof(text),
             "{\"type\": \"sim_read\", \"device\": \"tank\", \"sample_rate\": 10, %s \"channels\": "
             "[{\"type\": \"plant\", \"channel\": \"%s\"}]}",
             more, channel);
    config_folder_write(f, file, text);
}

static void a_complete_folder_is_loaded_in_byte_order_of_its_files(void **state)
{
    struct config_folder *f = *state;
    config_folder_write(f, "driver.json", driver_json);
    write_read_task(f, "tasks/b.json", "", "temp");
    config_folder_write(f, "tasks/a.json",
                        "{\"name\": \"Tank out\", \"type\": \"sim_write\", \"device\": \"tank\", "
                        "\"channels\": [{\"type\": \"plant_in\", \"cmd_channel\": \"heater_cmd\", "
                        "\"state_channel\": \"heater\"}]}");
    config_folder_write(f, "tasks/B.json", "{\"type\": \"record\", \"auto_start\": true}");
    config_folder_write(f, "automations/tank.json", "{\"type\": \"arc\", \"source\": \"t.arc\"}");
    assert_string_equal(config_folder_load(f), "");
    assert_true(f->set.driver_ok);
    assert_int_equal(f->set.n_tasks, 3);
    assert_string_equal(f->set.tasks[0].doc->file, "tasks/B.json");
    assert_string_equal(f->set.tasks[0].task.name, "B");
    assert_true(f->set.tasks[0].task.auto_start);
    assert_string_equal(f->set.tasks[1].task.name, "Tank out");
    assert_string_equal(f->set.tasks[1].type->name, "sim_write");
    assert_string_equal(f->set.tasks[2].task.name, "b");
    assert_ptr_equal(config_set_task(&f->set, "Tank out"), &f->set.tasks[1]);
    assert_null(config_set_task(&f->set, "tank"));
    assert_string_equal(config_set_automation(&f->set, "tank")->automation.source,
                        "automations/t.arc");
    for (uint32_t i = 0; i < 3; i++)
        assert_true(f->set.tasks[i].ok);
}

static void files_that_are_not_meant_are_left_out(void **state)
{
    struct config_folder *f = *state;
    config_folder_write(f, "driver.json", "{}");
    static const char *const names[] = {"tasks/.a.json",    "tasks/a.json~",   "tasks/a.json.bak",
                                        "tasks/a.json.tmp", "tasks/notes.txt", "tasks/.json"};
    for (size_t i = 0; i < ARCD_COUNT_OF(names); i++)
        config_folder_write(f, names[i], "not JSON");
    assert_string_equal(config_folder_load(f), "");
    assert_int_equal(f->set.n_tasks, 0);
}

static void a_file_name_that_is_not_utf8_is_said_and_left_out(void **state)
{
    struct config_folder *f = *state;
    config_folder_write(f, "driver.json", "{}");
    config_folder_write(f, "tasks/\xFF.json", "{}");
    config_folder_write(f, "tasks/a.json", "{\"type\": \"record\"}");
    assert_string_equal(config_folder_load(f), "tasks: a file has a name that is not UTF-8\n");
    assert_int_equal(f->set.n_tasks, 1);
}

static void all_errors_of_all_files_are_reported_in_one_go(void **state)
{
    struct config_folder *f = *state;
    config_folder_write(f, "driver.json",
                        "{\"manager\": {\"op_timeout\": \"2h\"}, \"chanels\": {},"
                        " \"channels\": {\"temp\": {\"type\": \"f31\"}}}");
    config_folder_write(f, "tasks/a.json", "{\"type\": \"sim_read\",\n \"x\" 1}");
    config_folder_write(f, "tasks/b.json", "{\"type\": \"sim_raed\", \"channels\": []}");
    config_folder_write(f, "tasks/c.json",
                        "{\"type\": \"sim_read\", \"device\": \"tank\", "
                        "\"auto_start\": 1, \"channels\": [{\"type\": "
                        "\"plant\", \"channel\": \"temp\"}, 7]}");
    config_folder_write(f, "automations/d.json", "{\"type\": \"arc\", \"priority\": 100}");
    assert_string_equal(
        config_folder_load(f),
        "tasks/a.json:2:6: ':' expected near '1'\n"
        "driver.json: manager.op_timeout: must be from 1 s to 1 h\n"
        "driver.json: chanels: unknown field 'chanels' (did you mean 'channels'?); known here: "
        "version, channels, devices, defaults, timing, retry, manager, integrations, scan, link, "
        "log, rt\n"
        "driver.json: channels.temp.type: unknown data type 'f31'; known here: i8, i16, i32, i64, "
        "u8, u16, u32, u64, f32, f64, str, timestamp\n"
        "tasks/b.json: channels: task must have at least one enabled channel\n"
        "tasks/b.json: type: unknown task type 'sim_raed' (did you mean 'sim_read'?)\n"
        "tasks/c.json: auto_start: must be a boolean\n"
        "tasks/c.json: channels[1]: must be an object\n"
        "tasks/c.json: device: device 'tank' is not declared\n"
        "automations/d.json: source: is required\n"
        "automations/d.json: priority: must be from 1 to 99\n");
    assert_false(f->set.driver_ok);
    for (uint32_t i = 0; i < 3; i++)
        assert_false(f->set.tasks[i].ok);
    assert_false(f->set.automations[0].ok);
    assert_string_equal(f->set.tasks[0].task.name, "a");
}

static void a_missing_driver_json_or_folder_is_said(void **state)
{
    struct config_folder *f = *state;
    assert_string_equal(config_folder_load(f),
                        "driver.json: cannot be read: No such file or directory\n");
    assert_false(f->set.driver_ok);
    config_set_fini(&f->set);
    struct arcd_errinfo why;
    assert_int_equal(
        config_set_load(&f->set, &f->errors, "/nowhere/at/all", &config_folder_known, &why),
        ARCD_ERR_NOTFOUND);
    assert_string_equal(why.text, "there is no configuration folder /nowhere/at/all");
}

static void a_file_of_the_wrong_shape_is_named(void **state)
{
    struct config_folder *f = *state;
    config_folder_write(f, "driver.json", "[]");
    config_folder_write(f, "tasks/a.json", "[1]");
    config_folder_write(f, "automations/b.json", "[]");
    assert_string_equal(config_folder_load(f), "driver.json: must be an object\n"
                                               "tasks/a.json: must be an object\n"
                                               "automations/b.json: must be an object\n");
    assert_false(f->set.driver_ok || f->set.tasks[0].ok || f->set.automations[0].ok);
}

static void types_that_this_driver_lacks_are_told_apart(void **state)
{
    struct config_folder *f = *state;
    config_folder_write(f, "driver.json", "{\"devices\": {\"lab\": {\"backend\": \"comedi\"}}}");
    config_folder_write(f, "tasks/a.json", "{\"type\": \"comedi_read\"}");
    config_folder_write(f, "tasks/b.json", "{\"type\": \"arc\"}");
    config_folder_write(f, "tasks/c.json", "{\"type\": \"http_read\"}");
    assert_string_equal(config_folder_load(f),
                        "driver.json: devices.lab.backend: backend 'comedi' is not built into this "
                        "Driver\n"
                        "tasks/a.json: type: backend 'comedi' is not built into this Driver\n"
                        "tasks/b.json: type: an automation belongs into automations/\n"
                        "tasks/c.json: type: unknown task type 'http_read'\n");
}

static void a_name_serves_one_task_or_automation(void **state)
{
    struct config_folder *f = *state;
    config_folder_write(f, "driver.json", driver_json);
    write_read_task(f, "tasks/a.json", "\"name\": \"same\",", "temp");
    config_folder_write(f, "tasks/b.json", "{\"name\": \"same\", \"type\": \"record\"}");
    config_folder_write(f, "automations/same.json", "{\"type\": \"arc\", \"source\": \"t.arc\"}");
    assert_string_equal(
        config_folder_load(f),
        "tasks/b.json: name: task name 'same' is already used by tasks/a.json\n"
        "automations/same.json: name: task name 'same' is already used by tasks/b.json\n");
    assert_true(f->set.tasks[0].ok);
    assert_false(f->set.tasks[1].ok);
    assert_false(f->set.automations[0].ok);
}

static void devices_must_be_declared_and_of_the_tasks_backend(void **state)
{
    struct config_folder *f = *state;
    config_folder_write(f, "driver.json", driver_json);
    config_folder_write(f, "tasks/a.json",
                        "{\"type\": \"sim_read\", \"device\": \"tnak\", \"channels\": [{}]}");
    config_folder_write(f, "tasks/b.json",
                        "{\"type\": \"sim_read\", \"device\": \"plc\", \"channels\": [{}]}");
    config_folder_write(f, "tasks/c.json", "{\"type\": \"sim_read\", \"channels\": [{}]}");
    config_folder_write(f, "tasks/d.json",
                        "{\"type\": \"modbus_read\", \"device\": \"plc\", \"channels\": "
                        "[{\"device\": \"tank\"}]}");
    config_folder_write(f, "tasks/e.json", /* all in order: one chassis, two modules */
                        "{\"type\": \"ni_analog_read\", \"channels\": [{\"device\": \"rack1\"}, "
                        "{\"device\": \"rack2\"}]}");
    config_folder_write(f, "tasks/f.json",
                        "{\"type\": \"ni_analog_read\", \"channels\": [{\"device\": \"rack1\"}, "
                        "{}, {\"device\": \"rack3\"}]}");
    config_folder_write(f, "tasks/g.json", /* a unit behind a gateway */
                        "{\"type\": \"modbus_read\", \"device\": \"plc/boiler\", \"channels\": "
                        "[{}]}");
    assert_string_equal(
        config_folder_load(f),
        "tasks/a.json: device: device 'tnak' is not declared (did you mean 'tank'?)\n"
        "tasks/b.json: device: device 'plc' is a modbus device\n"
        "tasks/c.json: device: is required\n"
        "tasks/d.json: channels[0].device: task and channel name different devices\n"
        "tasks/f.json: channels[2].device: device 'rack3' is not declared (did you mean 'rack1'?)\n"
        "tasks/f.json: device: is required\n");
}

static void channels_must_be_declared_and_no_index(void **state)
{
    struct config_folder *f = *state;
    config_folder_write(f, "driver.json", driver_json);
    write_read_task(f, "tasks/a.json", "", "tmep");
    write_read_task(f, "tasks/b.json", "", "t_time");
    config_folder_write(f, "tasks/c.json",
                        "{\"type\": \"sim_write\", \"device\": \"tank\", \"channels\": "
                        "[{\"cmd_channel\": \"none\", \"state_channel\": \"nothing\", "
                        "\"enabled\": false}, {\"channel\": \"heater_cmd\"}]}");
    assert_string_equal(
        config_folder_load(f),
        "tasks/a.json: channels[0].channel: channel 'tmep' is not declared (did you mean "
        "'temp'?)\n"
        "tasks/b.json: channels[0].channel: channel 't_time' is an index: it carries the "
        "timestamps of others\n"
        "tasks/c.json: channels[0].cmd_channel: channel 'none' is not declared\n"
        "tasks/c.json: channels[0].state_channel: channel 'nothing' is not declared\n");
}

static void a_channel_stands_once_in_a_task(void **state)
{
    struct config_folder *f = *state;
    config_folder_write(f, "driver.json", driver_json);
    config_folder_write(f, "tasks/a.json",
                        "{\"type\": \"sim_read\", \"device\": \"tank\", \"channels\": "
                        "[{\"channel\": \"temp\"}, {\"channel\": \"level\"}, {\"channel\": "
                        "\"temp\"}, {\"channel\": \"level\", \"enabled\": false}]}");
    config_folder_write(f, "tasks/b.json", /* its own state may feed back as a command */
                        "{\"type\": \"sim_write\", \"device\": \"tank\", \"channels\": "
                        "[{\"cmd_channel\": \"heater_cmd\", \"state_channel\": \"heater\"}, "
                        "{\"cmd_channel\": \"heater\"}, {\"cmd_channel\": \"heater_cmd\"}]}");
    assert_string_equal(
        config_folder_load(f),
        "tasks/b.json: channels[2].cmd_channel: channel 'heater_cmd' is used twice\n"
        "tasks/a.json: channels[2].channel: channel 'temp' is used twice\n");
}

static void a_core_that_the_machine_lacks_is_refused(void **state)
{
    struct config_folder *f = *state;
    config_folder_write(f, "driver.json", driver_json);
    write_read_task(f, "tasks/a.json", "\"rt\": {\"cpu\": [3, 4]},", "temp");
    config_folder_write(f, "automations/b.json",
                        "{\"type\": \"arc\", \"source\": \"t.arc\", \"cpu\": 9}");
    assert_string_equal(config_folder_load(f), "tasks/a.json: rt.cpu[1]: cpu 4 is not online\n"
                                               "automations/b.json: cpu: cpu 9 is not online\n");
    assert_false(f->set.tasks[0].ok || f->set.automations[0].ok);
}

static void two_tasks_that_both_start_cannot_write_one_channel(void **state)
{
    struct config_folder *f = *state;
    config_folder_write(f, "driver.json", driver_json);
    write_read_task(f, "tasks/a.json", "\"auto_start\": true,", "temp");
    write_read_task(f, "tasks/b.json", "\"auto_start\": true,", "temp");
    write_read_task(f, "tasks/c.json", "\"auto_start\": false,", "temp");
    write_read_task(f, "tasks/d.json", "\"enabled\": false, \"auto_start\": true,", "temp");
    assert_string_equal(
        config_folder_load(f),
        "tasks/b.json: channels[0].channel: channel 'temp' is already written by task 'a'\n"
        "tasks/c.json: channels[0].channel: warning: channel 'temp' is already written by task "
        "'a'; "
        "only one of them can run\n"
        "tasks/b.json: channels[0].channel: index 't_time' is written by tasks 'a' and 'b'\n"
        "tasks/c.json: channels[0].channel: warning: index 't_time' is written by tasks 'a' and "
        "'c'; only one of them can run\n");
    assert_true(f->set.tasks[0].ok);
    assert_false(f->set.tasks[1].ok);
    assert_true(f->set.tasks[2].ok && f->set.tasks[3].ok);
}

static void an_index_serves_the_channels_of_one_task(void **state)
{
    struct config_folder *f = *state;
    config_folder_write(f, "driver.json", driver_json);
    write_read_task(f, "tasks/a.json", "\"auto_start\": true,", "temp");
    write_read_task(f, "tasks/b.json", "\"auto_start\": true,", "level");
    assert_string_equal(
        config_folder_load(f),
        "tasks/b.json: channels[0].channel: index 't_time' is written by tasks 'a' and 'b'\n");
}

/* In place: `to` is as long as `from`. */
static void replace(char *text, const char *from, const char *to)
{
    char *at = strstr(text, from);
    assert_non_null(at);
    for (size_t i = 0; to[i] != '\0'; i++)
        at[i] = to[i];
}

static void a_change_that_matters_changes_the_canonical_text(void **state)
{
    struct config_folder *f = *state;
    config_folder_write(f, "driver.json", driver_json);
    write_read_task(f, "tasks/a.json", "", "temp");
    config_folder_write(f, "automations/b.json", "{\"type\": \"arc\", \"source\": \"b.arc\"}");
    config_folder_write(f, "automations/b.arc", "one");
    config_folder_load(f);
    char *task = strdup(f->set.tasks[0].canonical);
    char *automation = strdup(f->set.automations[0].canonical);

    /* A note, white space, a declaration that nobody names: nothing that matters. */
    write_read_task(f, "tasks/a.json", "\"x_note\":    \"why\",  ", "temp");
    char *text = strdup(driver_json);
    replace(text, "\"virtual\": true", "\"virtual\":true ");
    config_folder_write(f, "driver.json", text);
    config_folder_load(f);
    assert_string_equal(f->set.tasks[0].canonical, task);
    assert_string_equal(f->set.automations[0].canonical, automation);

    replace(text, "\"seed\": 1", "\"seed\": 2"); /* the device that the task names */
    config_folder_write(f, "driver.json", text);
    config_folder_load(f);
    assert_string_not_equal(f->set.tasks[0].canonical, task);

    config_folder_write(f, "automations/b.arc", "two");
    config_folder_load(f);
    assert_string_not_equal(f->set.automations[0].canonical, automation);
    free(text);
    free(task);
    free(automation);
}

static void bad_bytes_in_one_file_do_not_stop_the_others(void **state)
{
    struct config_folder *f = *state;
    config_folder_write(f, "driver.json", "\xEF\xBB\xBF{\r\n}\r\n");
    config_folder_write(f, "tasks/a.json", "{\"type\": \"rec\xFFord\"}");
    config_folder_write(f, "tasks/b.json", "{\"type\": \"record\", \"retry\": {\"base\": 1e400}}");
    config_folder_write(f, "tasks/c.json", "{\"type\": \"record\"");
    config_folder_write(f, "tasks/d.json", "{\"type\": \"record\"}");
    config_folder_write_bytes(f, "tasks/e.json", "{\0}", 3);
    assert_string_equal(
        config_folder_load(f),
        "tasks/a.json:1:14: byte 0xff is not UTF-8; save the file as UTF-8\n"
        "tasks/b.json:1:38: number 1e400 is too large: must be finite\n"
        "tasks/c.json:1:18: the file ends too early: '}' expected near end of file\n"
        "tasks/e.json:1:2: a zero byte; is this a text file in UTF-8?\n");
    assert_true(f->set.tasks[3].ok);
    assert_false(f->set.tasks[2].ok);
}

/* Field note: other systems broke on more than a handful of names. */
static void a_thousand_tasks_and_channels_are_nothing_special(void **state)
{
    struct config_folder *f = *state;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("{\"devices\": {\"tank\": {\"backend\": \"sim\"}}, \"channels\": {", out);
    for (int i = 0; i < 1000; i++)
        fprintf(out,
                "\"t%d\": {\"type\": \"timestamp\"}, \"c%d\": {\"type\": \"f64\", \"index\": "
                "\"t%d\"},",
                i, i, i);
    fputs("\"last\": {\"type\": \"f64\", \"virtual\": true}}}", out);
    fclose(out);
    config_folder_write(f, "driver.json", text);
    free(text);
    for (int i = 0; i < 1000; i++) {
        char file[32], channel[16];
        snprintf(file, sizeof(file), "tasks/task_%d.json", i);
        snprintf(channel, sizeof(channel), "c%d", i);
        write_read_task(f, file, "", channel);
    }
    assert_string_equal(config_folder_load(f), "");
    assert_int_equal(f->set.driver.channels.n, 2001);
    assert_int_equal(f->set.n_tasks, 1000);
}

#define SET_TEST(test)                                                                             \
    cmocka_unit_test_setup_teardown(test, config_folder_setup, config_folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SET_TEST(a_complete_folder_is_loaded_in_byte_order_of_its_files),
        SET_TEST(files_that_are_not_meant_are_left_out),
        SET_TEST(a_file_name_that_is_not_utf8_is_said_and_left_out),
        SET_TEST(all_errors_of_all_files_are_reported_in_one_go),
        SET_TEST(a_missing_driver_json_or_folder_is_said),
        SET_TEST(a_file_of_the_wrong_shape_is_named),
        SET_TEST(types_that_this_driver_lacks_are_told_apart),
        SET_TEST(a_name_serves_one_task_or_automation),
        SET_TEST(devices_must_be_declared_and_of_the_tasks_backend),
        SET_TEST(channels_must_be_declared_and_no_index),
        SET_TEST(a_channel_stands_once_in_a_task),
        SET_TEST(a_core_that_the_machine_lacks_is_refused),
        SET_TEST(two_tasks_that_both_start_cannot_write_one_channel),
        SET_TEST(an_index_serves_the_channels_of_one_task),
        SET_TEST(a_change_that_matters_changes_the_canonical_text),
        SET_TEST(bad_bytes_in_one_file_do_not_stop_the_others),
        SET_TEST(a_thousand_tasks_and_channels_are_nothing_special),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
