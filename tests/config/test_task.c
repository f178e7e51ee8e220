#include "config/task.h"
#include "tests/config/config_test.h"

#include <math.h>

/* The parts of a read task, of a write task, and of their channel elements. */
struct read_task {
    struct config_task task;
    struct config_rates rates;
};

static bool read_rates(struct config_test *t, struct config_at defaults, const char *members,
                       struct read_task *read)
{
    char *text = base_arena_printf(&t->arena, "{\"type\": \"sim_read\", \"channels\": [{}]%s%s}",
                                   members[0] != '\0' ? ", " : "", members);
    const struct config_part part = {
        .table = &config_rates_table, .out = &read->rates, .defaults = defaults};
    return config_task_read(config_test_parse(t, text), &t->arena, defaults, &read->task, &part, 1);
}

static struct config_rates rates_of(struct config_test *t, const char *members)
{
    struct read_task read;
    assert_true(read_rates(t, (struct config_at){0}, members, &read));
    return read.rates;
}

static void assert_rate_issue(struct config_test *t, const char *members, const char *issue)
{
    struct read_task read;
    assert_false(read_rates(t, (struct config_at){0}, members, &read));
    assert_string_equal(config_test_new_issues(t),
                        base_arena_printf(&t->arena, "a.json: %s\n", issue));
}

/* ---- The envelope */

static void a_task_has_documented_defaults_and_the_name_of_its_file(void **state)
{
    struct config_test *t = *state;
    struct read_task read;
    assert_true(read_rates(t, (struct config_at){0}, "\"sample_rate\": 10", &read));
    const struct config_task *task = &read.task;
    assert_string_equal(task->name, "a");
    assert_string_equal(task->description, "");
    assert_null(task->device);
    assert_true(task->enabled && !task->auto_start && task->data_saving);
    assert_int_equal(task->n_channels, 1);
    assert_int_equal(task->retry.base_ns, INT64_C(1000000000));
    assert_true(task->retry.scale == 1.1);
    assert_int_equal(task->retry.max_ns, INT64_C(60000000000));
    assert_int_equal(task->retry.max_retries, 50);
    assert_false(task->rt.has_priority);
    assert_int_equal(task->rt.cpu.n, 0);
}

static void a_wrong_envelope_is_refused_with_its_reason(void **state)
{
    struct config_test *t = *state;
    assert_rate_issue(t, "\"sample_rate\": 1, \"name\": \"\"", "name: must not be empty");
    assert_rate_issue(t, "\"sample_rate\": 1, \"name\": \"a\\tb\"",
                      "name: must have printable characters only");
    assert_rate_issue(t, "\"sample_rate\": 1, \"rt\": {\"priority\": 50}",
                      "rt.priority: must be from 0 to 49");
    assert_rate_issue(t, "\"sample_rate\": 1, \"rt\": {\"cpu\": 1}", "rt.cpu: must be an array");
    assert_rate_issue(t, "\"sample_rate\": 1, \"retry\": {\"base\": 0}",
                      "retry.base: must be greater than 0 s");
    assert_rate_issue(t, "\"sample_rate\": 1, \"retry\": {\"base\": \"2min\"}",
                      "retry.max: must not be less than base");
    assert_rate_issue(t, "\"sample_rate\": 1, \"retry\": {\"scale\": 0.9}",
                      "retry.scale: must be at least 1");
    assert_rate_issue(t, "\"sample_rate\": 1, \"retry\": {\"max_retries\": -2}",
                      "retry.max_retries: must be at least -1");
}

static void disabled_elements_do_not_count(void **state)
{
    struct config_test *t = *state;
    struct config_task task;
    const char *some = "{\"type\": \"t\", \"channels\": [{\"enabled\": false}, {}, {}]}";
    struct config_at none = {0};
    assert_true(config_task_read(config_test_parse(t, some), &t->arena, none, &task, NULL, 0));
    assert_int_equal(task.n_channels, 3);
    assert_int_equal(task.n_enabled, 2);
    const char *all = "{\"type\": \"t\", \"channels\": [{\"enabled\": false}]}";
    assert_false(config_task_read(config_test_parse(t, all), &t->arena, none, &task, NULL, 0));
    assert_string_equal(config_test_issues(t),
                        "a.json: channels: task must have at least one enabled channel\n");
}

/* ---- Rates */

static void a_batch_has_the_whole_part_of_the_ratio(void **state)
{
    struct config_test *t = *state;
    struct config_rates r = rates_of(t, "\"sample_rate\": 1000, \"stream_rate\": 25");
    assert_int_equal(r.n_samples, 40);
    assert_true(r.batch_ns == 40e6 && r.effective_stream_hz == 25);
    r = rates_of(t, "\"sample_rate\": 2500, \"stream_rate\": 200");
    assert_int_equal(r.n_samples, 12);
    assert_true(fabs(r.batch_ns - 4.8e6) < 1e-6);
    assert_true(fabs(r.effective_stream_hz - 208.333333) < 1e-5);
    r = rates_of(t, "\"sample_rate\": 100, \"stream_rate\": 51");
    assert_int_equal(r.n_samples, 1);
    assert_true(r.effective_stream_hz == 100);
    /* 0.3 / 0.1 is 2.9999999999999996 in doubles. */
    assert_int_equal(rates_of(t, "\"sample_rate\": 0.3, \"stream_rate\": 0.1").n_samples, 3);
}

static void the_other_rates_follow_from_the_sample_rate(void **state)
{
    struct config_test *t = *state;
    struct config_rates r = rates_of(t, "\"sample_rate\": 2.5");
    assert_true(r.stream_rate_hz == 2.5);
    assert_int_equal(r.n_samples, 1);
    assert_int_equal(r.skew_warn_on_count, 3);
    assert_int_equal(r.backlog_warn_on_count, 6);
    assert_int_equal(r.queue, 8);
    assert_int_equal(r.read_timeout_ns, INT64_C(2000000000));
    assert_false(r.has_timing);
    assert_int_equal(rates_of(t, "\"sample_rate\": 0.5").read_timeout_ns, INT64_C(10000000000));
    r = rates_of(t, "\"sample_rate\": 10, \"timing\": \"software\", \"queue\": 1024");
    assert_true(r.has_timing && r.timing == CONFIG_TIMING_SOFTWARE && r.queue == 1024);
}

static void impossible_rates_are_refused_with_their_reason(void **state)
{
    struct config_test *t = *state;
    assert_rate_issue(t, "", "sample_rate: is required");
    assert_rate_issue(t, "\"sample_rate\": 0", "sample_rate: must be greater than 0");
    assert_rate_issue(t, "\"sample_rate\": -1", "sample_rate: must be greater than 0");
    assert_rate_issue(t, "\"sample_rate\": 1e300", "sample_rate: must be at most 1000000000 Hz");
    assert_rate_issue(t, "\"sample_rate\": 1e-30",
                      "sample_rate: is too low: a batch would take more than 31 years");
    assert_rate_issue(t, "\"sample_rate\": 10, \"stream_rate\": 0",
                      "stream_rate: must be greater than 0");
    assert_rate_issue(t, "\"sample_rate\": 10, \"stream_rate\": 10.5",
                      "stream_rate: sample_rate must be at least stream_rate (10 Hz is less than "
                      "10.5 Hz)");
    assert_rate_issue(t, "\"sample_rate\": 10000000, \"stream_rate\": 1",
                      "stream_rate: batch of 10000000 samples × 1 channels is too large; raise "
                      "stream_rate");
    assert_rate_issue(t, "\"sample_rate\": 1e9, \"stream_rate\": 1e-300",
                      "stream_rate: batch of 4294967295 samples × 1 channels is too large; raise "
                      "stream_rate");
    assert_rate_issue(t, "\"sample_rate\": 10, \"stream_rate\": 1, \"read_timeout\": 0.5",
                      "read_timeout: must be at least one batch (1000 ms)");
    assert_rate_issue(t, "\"sample_rate\": 10, \"queue\": 1",
                      "queue: must be from 2 to 1024 batches");
    assert_rate_issue(t, "\"sample_rate\": 10, \"skew_warn_on_count\": 0",
                      "skew_warn_on_count: must be at least 1 samples");
}

static void a_batch_of_many_channels_has_a_largest_size(void **state)
{
    struct config_test *t = *state;
    struct config_rates r = rates_of(t, "\"sample_rate\": 100000, \"stream_rate\": 10");
    struct config_at at = config_root(&t->doc);
    assert_true(config_rates_check_batch(at, &r, 800));
    assert_false(config_rates_check_batch(at, &r, 900));
    assert_string_equal(config_test_issues(t),
                        "a.json: stream_rate: batch of 10000 samples × 900 channels is too large; "
                        "raise stream_rate\n");
}

/* A value that the task itself asks for is an error where it does not fit; a default bends. */
static void a_default_bends_to_the_task_that_it_does_not_fit(void **state)
{
    struct config_test *t = *state;
    struct config_doc defaults;
    const char *text = "{\"stream_rate\": 25, \"read_timeout\": \"10ms\", \"auto_start\": true}";
    assert_int_equal(config_doc_parse(&defaults, &t->errors, "driver.json", text, strlen(text)),
                     ARCD_OK);
    struct read_task read;
    assert_true(read_rates(t, config_root(&defaults), "\"sample_rate\": 1", &read));
    assert_true(read.rates.stream_rate_hz == 1);
    assert_int_equal(read.rates.read_timeout_ns, INT64_C(1000000000));
    assert_true(read.task.auto_start);
    assert_true(read_rates(t, config_root(&defaults), "\"sample_rate\": 1000", &read));
    assert_int_equal(read.rates.n_samples, 40);
    config_doc_fini(&defaults);
}

/* ---- Channels */

static bool read_element(struct config_test *t, const struct config_table *table, const char *text,
                         void *out)
{
    return config_read(config_test_parse(t, text), &t->arena, table, out);
}

static void a_read_channel_names_its_type_and_channel(void **state)
{
    struct config_test *t = *state;
    struct config_read_channel c;
    assert_true(read_element(t, &config_read_channel_table,
                             "{\"type\": \"plant\", \"channel\": \"temp\", \"scale\": {\"type\": "
                             "\"linear\", \"slope\": 2}}",
                             &c));
    assert_string_equal(c.channel, "temp");
    assert_true(c.enabled && c.scale.n == 1 && c.device == NULL);
    assert_false(read_element(t, &config_read_channel_table, "{\"channel\": 1}", &c));
    assert_string_equal(config_test_issues(t), "a.json: type: is required\n"
                                               "a.json: channel: must be a string\n");
}

static struct config_write_channel output(struct config_test *t, const char *members)
{
    struct config_write_channel c;
    char *text = base_arena_printf(&t->arena, "{\"type\": \"ao\", \"cmd_channel\": \"c\"%s%s}",
                                   members[0] != '\0' ? ", " : "", members);
    assert_true(read_element(t, &config_write_channel_table, text, &c));
    return c;
}

static void assert_output_issue(struct config_test *t, const char *members, const char *issue)
{
    struct config_write_channel c;
    char *text =
        base_arena_printf(&t->arena, "{\"type\": \"ao\", \"cmd_channel\": \"c\", %s}", members);
    assert_false(read_element(t, &config_write_channel_table, text, &c));
    assert_string_equal(config_test_new_issues(t),
                        base_arena_printf(&t->arena, "a.json: %s\n", issue));
}

static void an_output_is_left_alone_unless_it_has_a_safe_value(void **state)
{
    struct config_test *t = *state;
    struct config_write_channel c = output(t, "");
    assert_true(c.on_start == CONFIG_OUTPUT_KEEP && c.on_stop == CONFIG_OUTPUT_KEEP &&
                c.on_fault == CONFIG_OUTPUT_KEEP);
    assert_true(!c.has_safe_value && c.min == -INFINITY && c.max == INFINITY);
    assert_true(c.cmd_timeout_ns == 0 && c.rate_limit_per_s == 0 && c.state_channel == NULL);
    c = output(t, "\"safe_value\": 0");
    assert_true(c.on_start == CONFIG_OUTPUT_KEEP && c.on_stop == CONFIG_OUTPUT_SAFE &&
                c.on_fault == CONFIG_OUTPUT_SAFE);
    c = output(t, "\"safe_value\": 0, \"on_stop\": \"keep\"");
    assert_true(c.on_stop == CONFIG_OUTPUT_KEEP && c.on_fault == CONFIG_OUTPUT_KEEP);
    c = output(t, "\"safe_value\": 0, \"on_start\": \"last\", \"on_stop\": \"keep\", \"on_fault\": "
                  "\"safe\", \"cmd_timeout\": \"2s\", \"min\": 0, \"max\": 1, \"rate_limit\": 10");
    assert_true(c.on_start == CONFIG_OUTPUT_LAST && c.on_fault == CONFIG_OUTPUT_SAFE);
    assert_true(c.min == 0 && c.max == 1 && c.rate_limit_per_s == 10);
    assert_int_equal(c.cmd_timeout_ns, INT64_C(2000000000));
}

static void an_unsafe_output_is_refused_with_its_reason(void **state)
{
    struct config_test *t = *state;
    assert_output_issue(t, "\"on_stop\": \"safe\"", "on_stop: on_stop 'safe' needs safe_value");
    assert_output_issue(t, "\"on_start\": \"safe\"", "on_start: on_start 'safe' needs safe_value");
    assert_output_issue(t, "\"on_fault\": \"safe\"", "on_fault: on_fault 'safe' needs safe_value");
    assert_output_issue(t, "\"on_stop\": \"last\"", "on_stop: must be one of keep, safe");
    assert_output_issue(t, "\"cmd_timeout\": 2", "cmd_timeout: needs safe_value");
    assert_output_issue(t, "\"safe_value\": 2, \"min\": 0, \"max\": 1",
                        "safe_value: must be from 0 to 1");
    assert_output_issue(t, "\"min\": 1, \"max\": 1", "min must be less than max");
    assert_output_issue(t, "\"rate_limit\": 0", "rate_limit: must be greater than 0");
    assert_output_issue(t, "\"state_channel\": \"c\"",
                        "state_channel: cmd_channel and state_channel must differ");
    assert_output_issue(t, "\"channel\": \"d\"", "channel: give cmd_channel or channel, not both");
    assert_output_issue(t, "\"scale\": {\"type\": \"linear\", \"slope\": 0}",
                        "scale.slope: slope must not be 0");
}

static void a_default_action_spares_outputs_without_a_safe_value(void **state)
{
    struct config_test *t = *state;
    struct config_doc defaults;
    const char *text = "{\"on_stop\": \"safe\", \"on_start\": \"safe\", \"cmd_timeout\": 5}";
    assert_int_equal(config_doc_parse(&defaults, &t->errors, "driver.json", text, strlen(text)),
                     ARCD_OK);
    struct config_write_channel c;
    const struct config_part part = {
        .table = &config_write_channel_table, .out = &c, .defaults = config_root(&defaults)};
    struct config_at at = config_test_parse(t, "{\"type\": \"ao\", \"cmd_channel\": \"c\"}");
    assert_true(config_read_parts(at, &t->arena, &part, 1));
    assert_true(c.on_stop == CONFIG_OUTPUT_KEEP && c.on_start == CONFIG_OUTPUT_KEEP);
    assert_int_equal(c.cmd_timeout_ns, 0);
    at = config_test_parse(t, "{\"type\": \"ao\", \"cmd_channel\": \"c\", \"safe_value\": 1}");
    assert_true(config_read_parts(at, &t->arena, &part, 1));
    assert_true(c.on_stop == CONFIG_OUTPUT_SAFE && c.on_start == CONFIG_OUTPUT_SAFE);
    assert_int_equal(c.cmd_timeout_ns, INT64_C(5000000000));
    config_doc_fini(&defaults);
}

static void a_write_task_publishes_its_state_ten_times_a_second(void **state)
{
    struct config_test *t = *state;
    struct config_write w;
    assert_true(read_element(t, &config_write_table, "{}", &w));
    assert_true(w.state_rate_hz == 10);
    assert_int_equal(w.write_timeout_ns, INT64_C(1000000000));
    assert_false(read_element(t, &config_write_table, "{\"state_rate\": 0}", &w));
    assert_string_equal(config_test_issues(t),
                        "a.json: state_rate: must be greater than 0 and at most 1000000 Hz\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONFIG_TEST(a_task_has_documented_defaults_and_the_name_of_its_file),
        CONFIG_TEST(a_wrong_envelope_is_refused_with_its_reason),
        CONFIG_TEST(disabled_elements_do_not_count),
        CONFIG_TEST(a_batch_has_the_whole_part_of_the_ratio),
        CONFIG_TEST(the_other_rates_follow_from_the_sample_rate),
        CONFIG_TEST(impossible_rates_are_refused_with_their_reason),
        CONFIG_TEST(a_batch_of_many_channels_has_a_largest_size),
        CONFIG_TEST(a_default_bends_to_the_task_that_it_does_not_fit),
        CONFIG_TEST(a_read_channel_names_its_type_and_channel),
        CONFIG_TEST(an_output_is_left_alone_unless_it_has_a_safe_value),
        CONFIG_TEST(an_unsafe_output_is_refused_with_its_reason),
        CONFIG_TEST(a_default_action_spares_outputs_without_a_safe_value),
        CONFIG_TEST(a_write_task_publishes_its_state_ten_times_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
