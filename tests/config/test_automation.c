#include "config/automation.h"
#include "tests/config/config_test.h"

static bool read_automation(struct config_test *t, const char *members,
                            struct config_automation *automation)
{
    char *text = base_arena_printf(&t->arena, "{\"type\": \"arc\", \"source\": \"tank.arc\"%s%s}",
                                   members[0] != '\0' ? ", " : "", members);
    return config_automation_read(config_test_parse(t, text), &t->arena, automation);
}

static void assert_issue(struct config_test *t, const char *members, const char *issue)
{
    struct config_automation automation;
    assert_false(read_automation(t, members, &automation));
    assert_string_equal(config_test_new_issues(t),
                        base_arena_printf(&t->arena, "a.json: %s\n", issue));
}

static void an_automation_has_documented_defaults(void **state)
{
    struct config_automation a;
    assert_true(read_automation(*state, "", &a));
    assert_string_equal(a.name, "a");
    assert_string_equal(a.source, "automations/tank.arc");
    assert_true(a.enabled && a.auto_start && a.realtime);
    assert_int_equal(a.priority, 47);
    assert_int_equal(a.cpu.n, 0);
    assert_int_equal(a.level, CONFIG_LEVEL_AUTO);
    assert_int_equal(a.authority, 255);
    assert_int_equal(a.budget, 10000000);
    assert_int_equal(a.heap_bytes, 10 * 1024 * 1024);
    assert_int_equal(a.call_depth, 1100);
    assert_int_equal(a.max_samples, 4096);
    assert_int_equal(a.max_text_bytes, 65536);
}

static void an_automation_is_run_as_its_file_says(void **state)
{
    struct config_test *t = *state;
    struct config_automation a;
    assert_true(read_automation(
        t,
        "\"name\": \"Tank\", \"auto_start\": false, \"realtime\": false, \"priority\": 10, "
        "\"cpu\": 3, \"level\": \"high\", \"authority\": 0, \"budget\": 5000",
        &a));
    assert_string_equal(a.name, "Tank");
    assert_true(!a.auto_start && !a.realtime && a.priority == 10 && a.level == CONFIG_LEVEL_HIGH);
    assert_true(a.cpu.n == 1 && a.cpu.v[0] == 3 && a.authority == 0 && a.budget == 5000);
    assert_true(read_automation(t, "\"cpu\": [2, 3]", &a));
    assert_true(a.cpu.n == 2 && a.cpu.v[1] == 3);
}

static void a_program_outside_of_the_folder_is_named_by_its_full_path(void **state)
{
    struct config_test *t = *state;
    struct config_automation a;
    struct config_at at = config_test_parse(t, "{\"type\": \"arc\", \"source\": \"/srv/x.arc\"}");
    assert_true(config_automation_read(at, &t->arena, &a));
    assert_string_equal(a.source, "/srv/x.arc");
}

static void a_wrong_automation_is_refused_with_its_reason(void **state)
{
    struct config_test *t = *state;
    assert_issue(t, "\"priority\": 0", "priority: must be from 1 to 99");
    assert_issue(t, "\"level\": \"hihg\"",
                 "level: must be one of low, auto, medium, high (did you mean 'high'?)");
    assert_issue(t, "\"authority\": 256", "authority: must be from 0 to 255");
    assert_issue(t, "\"cpu\": \"1\"", "cpu: must be an integer from 0 to 1023");
    assert_issue(t, "\"cpu\": []", "cpu: must not be empty");
    assert_issue(t, "\"cpu\": [1, -1]", "cpu[1]: must be from 0 to 1023");
    assert_issue(t, "\"budget\": 1", "budget: must be from 1000 to 1000000000000 instructions");
    assert_issue(t, "\"name\": \"a\\nb\"", "name: must have printable characters only");
    struct config_automation a;
    struct config_at at = config_test_parse(t, "{\"type\": \"lua\", \"source\": \"x.lua\"}");
    assert_false(config_automation_read(at, &t->arena, &a));
    assert_false(config_automation_read(config_test_parse(t, "{}"), &t->arena, &a));
    assert_string_equal(config_test_issues(t),
                        "a.json: source: must be the name of an .arc file\n"
                        "a.json: type: unknown automation type 'lua'; known here: arc\n"
                        "a.json: type: is required\n"
                        "a.json: source: is required\n");
}

static void a_priority_above_49_is_allowed_and_warned_of(void **state)
{
    struct config_test *t = *state;
    struct config_automation a;
    assert_true(read_automation(t, "\"priority\": 80", &a));
    assert_int_equal(a.priority, 80);
    assert_string_equal(config_test_issues(t),
                        "a.json: priority: warning: above 49 the kernel's interrupt threads, which "
                        "have 50, can be starved\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONFIG_TEST(an_automation_has_documented_defaults),
        CONFIG_TEST(an_automation_is_run_as_its_file_says),
        CONFIG_TEST(a_program_outside_of_the_folder_is_named_by_its_full_path),
        CONFIG_TEST(a_wrong_automation_is_refused_with_its_reason),
        CONFIG_TEST(a_priority_above_49_is_allowed_and_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
