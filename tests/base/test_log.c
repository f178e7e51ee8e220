#include "base/log.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[] = "/tmp/arcd-log-XXXXXX";
static char path[64];

static int make_dir(void **state)
{
    (void)state;
    if (mkdtemp(dir) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/log", dir);
    return 0;
}

static int remove_dir(void **state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", dir);
    return system(command);
}

static char *read_file(const char *name)
{
    static char text[65536];
    FILE *file = fopen(name, "r");
    if (file == NULL)
        return NULL;
    size_t n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    fclose(file);
    return text;
}

static struct base_log *open_log(bool json, uint32_t max_mb)
{
    struct base_log_opts opts = {
        .level = BASE_LOG_INFO, .file = path, .json = json, .max_mb = max_mb, .keep = 2};
    struct base_log *log = NULL;
    assert_int_equal(base_log_open(&opts, &log, NULL), ARCD_OK);
    return log;
}

static void a_line_names_its_level_topic_and_task(void **state)
{
    (void)state;
    unlink(path);
    struct base_log *log = open_log(false, 0);
    base_log_write(log, BASE_LOG_WARNING, "tasks", "Tank in", "late by %d ms", 7);
    base_log_write(log, BASE_LOG_DEBUG, "tasks", NULL, "not asked for");
    base_log_close(log);
    char *text = read_file(path);
    assert_non_null(strstr(text, "warning "));
    assert_non_null(strstr(text, "Z tasks [Tank in] late by 7 ms\n"));
    assert_null(strstr(text, "not asked for"));
}

static void one_task_can_be_heard_more_closely(void **state)
{
    (void)state;
    unlink(path);
    struct base_log *log = open_log(false, 0);
    base_log_set_level(log, "loud", BASE_LOG_DEBUG);
    base_log_write(log, BASE_LOG_DEBUG, "tasks", "loud", "heard");
    base_log_write(log, BASE_LOG_DEBUG, "tasks", "quiet", "unheard");
    base_log_close(log);
    char *text = read_file(path);
    assert_non_null(strstr(text, "[loud] heard"));
    assert_null(strstr(text, "unheard"));
}

static void json_lines_escape_what_json_needs(void **state)
{
    (void)state;
    unlink(path);
    struct base_log *log = open_log(true, 0);
    base_log_write(log, BASE_LOG_ERROR, "hw", NULL, "a \"quote\" and \\ and \n");
    base_log_close(log);
    assert_non_null(
        strstr(read_file(path), "\"text\":\"a \\\"quote\\\" and \\\\ and \\u000a\"}\n"));
}

static void a_long_line_is_cut_and_still_ends(void **state)
{
    (void)state;
    unlink(path);
    static char big[8000];
    memset(big, 'x', sizeof big);
    big[sizeof big - 1] = '\0';
    struct base_log *log = open_log(false, 0);
    base_log_write(log, BASE_LOG_INFO, "t", NULL, "%s", big);
    base_log_write(log, BASE_LOG_INFO, "t", NULL, "next");
    base_log_close(log);
    char *text = read_file(path);
    assert_non_null(strstr(text, "x\ninfo "));
}

static void a_full_file_is_rotated_and_the_oldest_go(void **state)
{
    (void)state;
    unlink(path);
    struct base_log *log = open_log(false, 1);
    char kilobyte[800];
    memset(kilobyte, 'y', sizeof kilobyte);
    kilobyte[sizeof kilobyte - 1] = '\0';
    for (int i = 0; i < 5000; i++) /* about 4 MiB */
        base_log_write(log, BASE_LOG_INFO, "t", NULL, "%s", kilobyte);
    assert_int_equal(base_log_lost(log), 0);
    base_log_close(log);
    char name[80];
    snprintf(name, sizeof name, "%s.1", path);
    assert_int_equal(access(name, F_OK), 0);
    snprintf(name, sizeof name, "%s.2", path);
    assert_int_equal(access(name, F_OK), 0);
    snprintf(name, sizeof name, "%s.3", path);
    assert_int_not_equal(access(name, F_OK), 0);
}

static void a_log_that_cannot_be_written_is_counted_and_nothing_stops(void **state)
{
    (void)state;
    struct base_log_opts opts = {.level = BASE_LOG_INFO, .file = "/dev/full"};
    struct base_log *log = NULL;
    assert_int_equal(base_log_open(&opts, &log, NULL), ARCD_OK);
    base_log_write(log, BASE_LOG_INFO, "t", NULL, "into the void");
    assert_int_equal(base_log_lost(log), 1);
    base_log_close(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_names_its_level_topic_and_task),
        cmocka_unit_test(one_task_can_be_heard_more_closely),
        cmocka_unit_test(json_lines_escape_what_json_needs),
        cmocka_unit_test(a_long_line_is_cut_and_still_ends),
        cmocka_unit_test(a_full_file_is_rotated_and_the_oldest_go),
        cmocka_unit_test(a_log_that_cannot_be_written_is_counted_and_nothing_stops),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
