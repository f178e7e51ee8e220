#include "tasks/keep.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int set_up(void **state)
{
    char *dir = strdup("/tmp/arcd-keep-XXXXXX");
    assert_non_null(mkdtemp(dir));
    *state = dir;
    return 0;
}

static int tear_down(void **state)
{
    char path[512];
    DIR *dir = opendir(*state);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", (char *)*state, entry->d_name);
        unlink(path);
    }
    closedir(dir);
    rmdir(*state);
    free(*state);
    return 0;
}

static void write_two(const char *dir)
{
    struct tasks_kept values[] = {{"a", 0.1, true}, {"b", -1e300, true}, {"c", 5, false}};
    struct arcd_errinfo why;
    assert_int_equal(tasks_keep_write(dir, "Tank in/1", "tare", values, 3, &why), ARCD_OK);
}

static void values_come_back_to_the_last_bit(void **state)
{
    write_two(*state);
    struct tasks_kept values[] = {{"b", 0, false}, {"c", 0, true}, {"a", 0, false}};
    assert_int_equal(tasks_keep_read(*state, "Tank in/1", "tare", values, 3, NULL), ARCD_OK);
    assert_true(values[0].is_set && values[0].value == -1e300);
    assert_false(values[1].is_set);
    assert_true(values[2].is_set && values[2].value == 0.1);
}

static void no_file_is_no_values(void **state)
{
    struct tasks_kept values[] = {{"a", 7, true}};
    assert_int_equal(tasks_keep_read(*state, "other", "tare", values, 1, NULL), ARCD_OK);
    assert_false(values[0].is_set);
}

static void another_kind_is_another_file(void **state)
{
    write_two(*state);
    struct tasks_kept values[] = {{"a", 0, false}};
    assert_int_equal(tasks_keep_read(*state, "Tank in/1", "last", values, 1, NULL), ARCD_OK);
    assert_false(values[0].is_set);
}

/* Every single byte of the file, changed: nothing of it is believed. */
static void a_damaged_file_is_refused(void **state)
{
    write_two(*state);
    char path[256], text[512];
    snprintf(path, sizeof path, "%s/Tank%%20in%%2F1.tare", (char *)*state);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    for (size_t i = 0; i < size; i++) {
        text[i] ^= 4;
        file = fopen(path, "w");
        assert_int_equal(fwrite(text, 1, size, file), size);
        fclose(file);
        text[i] ^= 4;
        struct tasks_kept values[] = {{"a", 0, false}};
        struct arcd_errinfo why;
        assert_int_equal(tasks_keep_read(*state, "Tank in/1", "tare", values, 1, &why),
                         ARCD_ERR_CONFIG);
        assert_non_null(strstr(why.text, "damaged"));
        assert_false(values[0].is_set);
    }
}

static void a_truncated_file_is_refused(void **state)
{
    write_two(*state);
    char path[256];
    snprintf(path, sizeof path, "%s/Tank%%20in%%2F1.tare", (char *)*state);
    for (off_t size = 0; size < 60; size += 7) {
        write_two(*state);
        assert_int_equal(truncate(path, size), 0);
        struct tasks_kept values[] = {{"a", 0, false}};
        assert_int_equal(tasks_keep_read(*state, "Tank in/1", "tare", values, 1, NULL),
                         ARCD_ERR_CONFIG);
    }
}

static void writing_replaces_and_leaves_no_other_file(void **state)
{
    write_two(*state);
    write_two(*state);
    DIR *dir = opendir(*state);
    int n = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        n += entry->d_name[0] != '.';
    closedir(dir);
    assert_int_equal(n, 1);
}

static void a_folder_that_is_not_there_is_an_error_that_names_the_file(void **state)
{
    (void)state;
    struct arcd_errinfo why;
    struct tasks_kept values[] = {{"a", 1, true}};
    assert_int_not_equal(tasks_keep_write("/nonexistent", "t", "tare", values, 1, &why), ARCD_OK);
    assert_non_null(strstr(why.text, "/nonexistent/t.tare"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(values_come_back_to_the_last_bit),
        TEST(no_file_is_no_values),
        TEST(another_kind_is_another_file),
        TEST(a_damaged_file_is_refused),
        TEST(a_truncated_file_is_refused),
        TEST(writing_replaces_and_leaves_no_other_file),
        TEST(a_folder_that_is_not_there_is_an_error_that_names_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
