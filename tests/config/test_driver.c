#include "config/driver.h"
#include "tests/config/config_test.h"

static const char *const built_in[] = {"modbus", "sim"};
static const struct config_known known = {.backends = built_in,
                                          .n_backends = ARCD_COUNT_OF(built_in)};

static bool read_driver(struct config_test *t, const char *text, struct config_driver *driver)
{
    config_test_parse(t, text);
    return config_driver_read(&t->doc, &t->arena, &known, driver);
}

static void assert_issue(struct config_test *t, const char *text, const char *issue)
{
    struct config_driver driver;
    assert_false(read_driver(t, text, &driver));
    assert_string_equal(config_test_new_issues(t),
                        base_arena_printf(&t->arena, "a.json: %s\n", issue));
}

static void an_empty_file_means_all_documented_defaults(void **state)
{
    struct config_driver d;
    assert_true(read_driver(*state, "{}", &d));
    assert_true(d.timing.correct_skew && d.timing.clock == CONFIG_CLOCK_REALTIME);
    assert_true(d.timing.skew.kp == 0.01 && d.timing.skew.ki == 0 && d.timing.skew.kd == 0);
    assert_true(d.timing.skew.max_integral == 0.1 && d.timing.skew.max_back == 0.5);
    assert_int_equal(d.timing.skew.step_ns, INT64_C(1000000000));
    assert_int_equal(d.manager.worker_count, 4);
    assert_int_equal(d.manager.op_timeout_ns, INT64_C(60000000000));
    assert_int_equal(d.manager.poll_interval_ns, INT64_C(1000000000));
    assert_int_equal(d.manager.shutdown_timeout_ns, INT64_C(30000000000));
    assert_int_equal(d.retry.max_retries, 50);
    assert_true(!d.has_link && !d.has_integrations);
    assert_true(config_driver_has_integration(&d, "sim"));
    assert_true(d.log.level == CONFIG_LOG_INFO && !d.log.json && d.log.file == NULL);
    assert_true(d.log.max_mb == 50 && d.log.keep == 5 && d.log.per_task.n == 0);
    assert_true(d.rt.mode == CONFIG_RT_AUTO && d.rt.lock_memory);
    const struct config_scan *scan = config_driver_scan(&d, "ni");
    assert_true(scan->enabled && scan->rate_hz == 0.2 && scan->ignored_models.n == 2);
    assert_string_equal(scan->ignored_models.v[0], "^cRIO.*");
    assert_int_equal(config_driver_scan(&d, "modbus")->ignored_models.n, 0);
    assert_null(config_driver_scan(&d, "arc"));
    assert_int_equal(d.channels.n + d.n_devices, 0);
}

static void sections_are_read_as_they_are_given(void **state)
{
    struct config_test *t = *state;
    struct config_driver d;
    assert_true(read_driver(
        t,
        "{\"version\": 1, \"timing\": {\"correct_skew\": false, \"clock\": \"tai\", \"skew\": "
        "{\"kp\": 0.1, \"max_back\": 0.9}}, \"integrations\": [\"sim\", \"arc\"], \"scan\": "
        "{\"ni\": {\"rate\": 2, \"ignored_models\": []}, \"sim\": {\"enabled\": false}}, "
        "\"link\": {\"hold\": \"1s\", \"hwm\": 5}, \"log\": {\"level\": \"debug\", \"file\": "
        "\"/var/log/a\", \"per_task\": {\"Tank in\": \"trace\"}}, \"rt\": {\"mode\": \"off\"}}",
        &d));
    assert_true(!d.timing.correct_skew && d.timing.clock == CONFIG_CLOCK_TAI);
    assert_true(d.timing.skew.kp == 0.1 && d.timing.skew.max_back == 0.9);
    assert_true(config_driver_has_integration(&d, "arc"));
    assert_false(config_driver_has_integration(&d, "modbus"));
    assert_true(d.scans.ni.rate_hz == 2 && d.scans.ni.ignored_models.n == 0);
    assert_false(d.scans.sim.enabled);
    assert_true(d.has_link && d.link.hwm == 5 && !d.link.has_curve);
    assert_string_equal(d.link.command, "ipc:///run/arcd/command");
    assert_string_equal(d.log.per_task.v[0].task, "Tank in");
    assert_int_equal(d.log.per_task.v[0].level, CONFIG_LOG_TRACE);
    assert_int_equal(d.rt.mode, CONFIG_RT_OFF);
}

static void a_wrong_section_is_refused_with_its_reason(void **state)
{
    struct config_test *t = *state;
    assert_issue(t, "{\"version\": 2}", "version: must be 1: this Driver reads no other");
    assert_issue(t, "{\"timing\": {\"clock\": \"gps\"}}",
                 "timing.clock: must be one of realtime, tai, virtual");
    assert_issue(t, "{\"timing\": {\"skew\": {\"kp\": -1}}}",
                 "timing.skew.kp: must not be negative");
    assert_issue(t, "{\"timing\": {\"skew\": {\"max_back\": 1}}}",
                 "timing.skew.max_back: must be from 0 to 0.9");
    assert_issue(t, "{\"manager\": {\"poll_interval\": \"1ms\"}}",
                 "manager.poll_interval: must be from 10 ms to 60 s");
    assert_issue(t, "{\"manager\": {\"shutdown_timeout\": \"11min\"}}",
                 "manager.shutdown_timeout: must be from 1 s to 10 min");
    assert_issue(t, "{\"integrations\": [\"sim\", \"opc\"]}",
                 "integrations[1]: unknown integration 'opc'; known here: ni, modbus, comedi, sim, "
                 "arc");
    assert_issue(t, "{\"scan\": {\"ni\": {\"ignored_models\": [\"a(\"]}}}",
                 "scan.ni.ignored_models[0]: invalid pattern 'a(': Unmatched ( or \\(");
    assert_issue(t, "{\"scan\": {\"ni\": {\"rate\": 3}}}",
                 "scan.ni.rate: must be greater than 0 and at most 2 Hz");
    assert_issue(t, "{\"log\": {\"per_task\": {\"a\": \"loud\"}}}",
                 "log.per_task.a: must be one of error, warning, info, debug, trace");
    assert_issue(t, "{\"rt\": {\"mode\": true}}",
                 "rt.mode: must be a string: one of auto, on, off");
    assert_issue(t, "{\"retry\": {\"scale\": 0}}", "retry.scale: must be at least 1");
    assert_issue(t, "{\"devices\": []}", "devices: must be an object");
}

static void a_count_of_workers_out_of_range_is_clamped_with_a_warning(void **state)
{
    struct config_test *t = *state;
    struct config_driver d;
    assert_true(read_driver(t, "{\"manager\": {\"worker_count\": 100}}", &d));
    assert_int_equal(d.manager.worker_count, 64);
    assert_string_equal(config_test_new_issues(t),
                        "a.json: manager.worker_count: warning: clamped to 64\n");
    assert_true(read_driver(t, "{\"manager\": {\"worker_count\": -5}}", &d));
    assert_int_equal(d.manager.worker_count, 1);
}

/* ---- The link */

static void an_endpoint_open_to_the_network_needs_keys_or_a_word(void **state)
{
    struct config_test *t = *state;
    struct config_driver d;
    static const char *const good[] = {
        "\"command\": \"tcp://127.0.0.1:1\", \"stream\": \"tcp://[::1]:2\"",
        "\"command\": \"tcp://localhost:1\"",
        "\"command\": \"inproc://x\"",
        "\"command\": \"tcp://0.0.0.0:1\", \"insecure\": true",
        "\"command\": \"tcp://*:1\", \"curve\": {}",
    };
    for (size_t i = 0; i < ARCD_COUNT_OF(good); i++)
        assert_true(read_driver(t, base_arena_printf(&t->arena, "{\"link\": {%s}}", good[i]), &d));
    assert_true(d.link.has_curve);
    assert_issue(t, "{\"link\": {\"stream\": \"tcp://*:5501\"}}",
                 "link.stream: 'tcp://*:5501' is open to the network: give `curve` (see `arcd "
                 "keys`), or say \"insecure\": true");
    /* A host whose name only starts like a local one. */
    assert_issue(t, "{\"link\": {\"stream\": \"tcp://localhost.example.org:5501\"}}",
                 "link.stream: 'tcp://localhost.example.org:5501' is open to the network: give "
                 "`curve` (see `arcd keys`), or say \"insecure\": true");
    assert_issue(t, "{\"link\": {\"stream\": \"tcp://127.example.org:5501\"}}",
                 "link.stream: 'tcp://127.example.org:5501' is open to the network: give "
                 "`curve` (see `arcd keys`), or say \"insecure\": true");
}

static void a_wrong_link_is_refused_with_its_reason(void **state)
{
    struct config_test *t = *state;
    assert_issue(t, "{\"link\": {\"command\": \"udp://x\"}}",
                 "link.command: must be an endpoint, as ipc:///run/arcd/command or "
                 "tcp://127.0.0.1:5500");
    assert_issue(t, "{\"link\": {\"command\": \"ipc://a\", \"stream\": \"ipc://a\"}}",
                 "link.stream: command and stream must differ");
    assert_issue(t, "{\"link\": {\"curve\": {\"clients\": [\"short\"]}}}",
                 "link.curve.clients[0]: must be a public key of 40 characters (see `arcd keys`)");
}

/* ---- Devices */

static void devices_keep_their_own_fields_for_their_backend(void **state)
{
    struct config_test *t = *state;
    struct config_driver d;
    assert_true(read_driver(t,
                            "{\"devices\": {\"plc\": {\"backend\": \"modbus\", \"host\": \"h\", "
                            "\"share\": false}, \"tank\": {\"backend\": \"sim\", \"enabled\": "
                            "false}}}",
                            &d));
    assert_int_equal(d.n_devices, 2);
    const struct config_device *plc = config_driver_device(&d, "plc");
    assert_string_equal(plc->common.backend, "modbus");
    assert_true(plc->common.has_share && !plc->common.share && plc->common.enabled);
    assert_null(plc->common.location);
    assert_string_equal(plc->common.serial, "");
    assert_string_equal(config_text(config_member(plc->at, "host")), "h");
    assert_ptr_equal(config_driver_device(&d, "plc/unit7"), plc);
    assert_null(config_driver_device(&d, "pl"));
    assert_null(config_driver_device(&d, "plc7"));
    assert_false(config_driver_device(&d, "tank")->common.enabled);
}

struct host {
    const char *host, *location;
};

static const struct config_field host_fields[] = {
    {"host", CONFIG_STR, CONFIG_IN(struct host, host), .required = true},
    {"location", CONFIG_STR, CONFIG_IN(struct host, location), .fallback = "here"},
};
static const struct config_table host_table = CONFIG_TABLE("", struct host, host_fields);

static void a_backend_reads_its_fields_of_a_device(void **state)
{
    struct config_test *t = *state;
    struct config_driver d;
    struct host host;
    assert_true(read_driver(t,
                            "{\"devices\": {\"plc\": {\"backend\": \"modbus\", \"host\": \"h\"}, "
                            "\"odd\": {\"backend\": \"modbus\", \"hots\": \"h\"}}}",
                            &d));
    assert_true(config_device_read(&d.devices[0], &t->arena, &host_table, &host));
    assert_string_equal(host.host, "h");
    assert_string_equal(host.location, "here");
    assert_false(config_device_read(&d.devices[1], &t->arena, &host_table, &host));
    assert_string_equal(
        config_test_issues(t),
        "a.json: devices.odd.host: is required\n"
        "a.json: devices.odd.hots: unknown field 'hots' (did you mean 'host'?); known here: "
        "backend, location, serial, model, enabled, share, scan, host\n");
}

static void a_wrong_device_is_refused_with_its_reason(void **state)
{
    struct config_test *t = *state;
    assert_issue(t, "{\"devices\": {\"a\": {}}}", "devices.a.backend: is required");
    assert_issue(t, "{\"devices\": {\"a\": 1}}", "devices.a: must be an object");
    assert_issue(t, "{\"devices\": {\"a\": {\"backend\": \"modbsu\"}}}",
                 "devices.a.backend: unknown backend 'modbsu' (did you mean 'modbus'?)");
    assert_issue(t, "{\"devices\": {\"a\": {\"backend\": \"labjack\"}}}",
                 "devices.a.backend: unknown backend 'labjack'; known here: ni, modbus, comedi, "
                 "sim");
    assert_issue(t, "{\"devices\": {\"a\": {\"backend\": \"ni\"}}}",
                 "devices.a.backend: backend 'ni' is not built into this Driver");
    assert_issue(t, "{\"devices\": {\"a/b\": {\"backend\": \"sim\"}}}",
                 "devices[\"a/b\"]: the name must not have a '/'");
    assert_issue(t, "{\"devices\": {\"\": {\"backend\": \"sim\"}}}",
                 "devices[\"\"]: the name must have 1 to 64 bytes");
    assert_issue(t, "{\"devices\": {\"a\": {\"backend\": \"sim\", \"location\": \"\"}}}",
                 "devices.a.location: must not be empty");
}

/* ---- Defaults of tasks */

static bool task_of(struct config_test *t, const struct config_driver *driver, const char *text,
                    struct config_task *task)
{
    struct config_doc doc;
    assert_int_equal(config_doc_parse(&doc, &t->errors, "tasks/a.json", text, strlen(text)),
                     ARCD_OK);
    bool ok = config_task_read(config_root(&doc), &t->arena, driver->defaults, task, NULL, 0);
    config_doc_fini(&doc);
    return ok;
}

static void a_retry_is_looked_up_from_the_task_outwards(void **state)
{
    struct config_test *t = *state;
    struct config_driver d;
    assert_true(read_driver(t,
                            "{\"retry\": {\"base\": 2, \"scale\": 3, \"max_retries\": 4}, "
                            "\"defaults\": {\"retry\": {\"base\": 5, \"scale\": 6}}}",
                            &d));
    struct config_task task;
    assert_true(task_of(t, &d, "{\"type\": \"t\", \"retry\": {\"base\": 7}}", &task));
    assert_int_equal(task.retry.base_ns, INT64_C(7000000000)); /* the task */
    assert_true(task.retry.scale == 6);                        /* defaults */
    assert_int_equal(task.retry.max_retries, 4);               /* the Driver */
    assert_int_equal(task.retry.max_ns, INT64_C(60000000000)); /* built in */
    assert_int_equal(d.retry.base_ns, INT64_C(2000000000));
    assert_true(read_driver(t, "{\"retry\": {\"max_retries\": -1}}", &d));
    assert_true(task_of(t, &d, "{\"type\": \"t\"}", &task));
    assert_int_equal(task.retry.max_retries, -1);
}

static void defaults_are_checked_as_the_fields_themselves(void **state)
{
    struct config_test *t = *state;
    struct config_driver d;
    assert_true(read_driver(t,
                            "{\"defaults\": {\"stream_rate\": 25, \"on_stop\": \"safe\", "
                            "\"state_rate\": 20, \"rt\": {\"priority\": 10}, \"x_why\": 1}}",
                            &d));
    assert_issue(t, "{\"defaults\": {\"stream_rate\": 0}}",
                 "defaults.stream_rate: must be greater than 0");
    assert_issue(t, "{\"defaults\": {\"retry\": {\"bsae\": 1}}}",
                 "defaults.retry.bsae: unknown field 'bsae' (did you mean 'base'?); known here: "
                 "base, scale, max, max_retries");
    assert_issue(t, "{\"defaults\": 1}", "defaults: must be an object");
    struct config_driver driver;
    assert_false(read_driver(t, "{\"defaults\": {\"name\": \"n\", \"straem_rate\": 1}}", &driver));
    assert_non_null(strstr(config_test_issues(t), "defaults.name: unknown field 'name'; known"));
    assert_non_null(strstr(t->issues, "unknown field 'straem_rate' (did you mean 'stream_rate'?)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONFIG_TEST(an_empty_file_means_all_documented_defaults),
        CONFIG_TEST(sections_are_read_as_they_are_given),
        CONFIG_TEST(a_wrong_section_is_refused_with_its_reason),
        CONFIG_TEST(a_count_of_workers_out_of_range_is_clamped_with_a_warning),
        CONFIG_TEST(an_endpoint_open_to_the_network_needs_keys_or_a_word),
        CONFIG_TEST(a_wrong_link_is_refused_with_its_reason),
        CONFIG_TEST(devices_keep_their_own_fields_for_their_backend),
        CONFIG_TEST(a_backend_reads_its_fields_of_a_device),
        CONFIG_TEST(a_wrong_device_is_refused_with_its_reason),
        CONFIG_TEST(a_retry_is_looked_up_from_the_task_outwards),
        CONFIG_TEST(defaults_are_checked_as_the_fields_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
