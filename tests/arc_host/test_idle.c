#include "arc_host/idle.h"

#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file that stands for the kernel's. */
static int make_file(void **state)
{
    static char path[64];
    strcpy(path, "/tmp/arcd-test-idle-XXXXXX");
    int fd = mkstemp(path);
    if (fd < 0)
        return -1;
    close(fd);
    *state = path;
    return 0;
}

static int remove_file(void **state)
{
    return unlink(*state);
}

static bool is_open_here(const char *path)
{
    char link[64], target[256];
    for (int fd = 3; fd < 64; fd++) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(link, target, sizeof target - 1);
        if (n > 0 && (size_t)n == strlen(path) && memcmp(target, path, (size_t)n) == 0)
            return true;
    }
    return false;
}

static void the_file_is_held_open_with_a_limit_of_zero(void **state)
{
    struct arc_host_idle idle;
    arc_host_idle_init(&idle, *state);
    assert_false(arc_host_idle_is_held(&idle));
    assert_int_equal(arc_host_idle_hold(&idle, NULL), ARCD_OK);
    assert_true(arc_host_idle_is_held(&idle));
    assert_true(is_open_here(*state));
    FILE *file = fopen(*state, "re");
    assert_non_null(file);
    int32_t limit_us[2] = {-1, -1};
    size_t n = fread(limit_us, 1, sizeof limit_us, file);
    fclose(file);
    assert_int_equal(n, sizeof limit_us[0]);
    assert_int_equal(limit_us[0], 0);
    arc_host_idle_release(&idle);
    arc_host_idle_fini(&idle);
}

static void the_file_is_closed_with_the_last_release(void **state)
{
    struct arc_host_idle idle;
    arc_host_idle_init(&idle, *state);
    for (int i = 0; i < 3; i++)
        assert_int_equal(arc_host_idle_hold(&idle, NULL), ARCD_OK);
    arc_host_idle_release(&idle);
    arc_host_idle_release(&idle);
    assert_true(is_open_here(*state));
    arc_host_idle_release(&idle);
    assert_false(is_open_here(*state));
    assert_int_equal(arc_host_idle_hold(&idle, NULL), ARCD_OK);
    assert_true(is_open_here(*state));
    arc_host_idle_fini(&idle); /* a holder is left: closed all the same */
    assert_false(is_open_here(*state));
}

static void a_missing_file_is_said_with_what_to_do_and_still_counts_a_holder(void **state)
{
    (void)state;
    struct arc_host_idle idle;
    struct arcd_errinfo why;
    arc_host_idle_init(&idle, "/nowhere/cpu_dma_latency");
    assert_int_equal(arc_host_idle_hold(&idle, &why), ARCD_ERR_UNSUPPORTED);
    assert_non_null(strstr(why.text, "failed to keep cores out of deep idle states: "
                                     "/nowhere/cpu_dma_latency: No such file or directory; "));
    assert_non_null(strstr(why.text, "processor.max_cstate"));
    assert_false(arc_host_idle_is_held(&idle));
    arc_host_idle_release(&idle);
    arc_host_idle_fini(&idle);
}

static void a_file_that_may_not_be_written_is_said_with_what_to_do(void **state)
{
    (void)state;
    struct arc_host_idle idle;
    struct arcd_errinfo why;
    arc_host_idle_init(&idle, "/"); /* EISDIR, for root as well */
    assert_int_equal(arc_host_idle_hold(&idle, &why), ARCD_ERR_PERMISSION);
    assert_non_null(strstr(why.text, "failed to keep cores out of deep idle states: /: "));
    assert_non_null(strstr(why.text, "run arcd as a service or as root"));
    arc_host_idle_release(&idle);
    arc_host_idle_fini(&idle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_file_is_held_open_with_a_limit_of_zero, make_file,
                                        remove_file),
        cmocka_unit_test_setup_teardown(the_file_is_closed_with_the_last_release, make_file,
                                        remove_file),
        cmocka_unit_test(a_missing_file_is_said_with_what_to_do_and_still_counts_a_holder),
        cmocka_unit_test(a_file_that_may_not_be_written_is_said_with_what_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
