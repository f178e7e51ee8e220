#include "driver/bench/child.h"

#include "base/clock.h"
#include "tests/support/test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const int64_t patience_ns = 60 * BASE_NS_PER_S;

static void start(struct bench_child *child, const char *script)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct bench_child_opts opts = {.argv = argv, .capture = true, .signal_at_our_end = SIGTERM};
    assert_int_equal(bench_child_start(child, &opts, NULL), ARCD_OK);
}

/* All that it says, to its end. */
static void hear(struct bench_child *child, char *text, size_t size)
{
    size_t len = 0;
    int64_t give_up = base_mono_ns() + patience_ns;
    for (;;) {
        ptrdiff_t n = bench_child_read(child, text + len, size - 1 - len, give_up);
        if (n == 0)
            break;
        assert_true(n > 0);
        len += (size_t)n;
    }
    text[len] = '\0';
}

/* The first line that it says: a number. */
static pid_t hear_pid(struct bench_child *child)
{
    char text[32] = "";
    size_t len = 0;
    int64_t give_up = base_mono_ns() + patience_ns;
    while (strchr(text, '\n') == NULL) {
        ptrdiff_t n = bench_child_read(child, text + len, sizeof text - 1 - len, give_up);
        assert_true(n > 0);
        len += (size_t)n;
        text[len] = '\0';
    }
    return (pid_t)strtol(text, NULL, 10);
}

/* A process that somebody else has to wait for may be there as a zombie for a while. */
static bool is_alive(pid_t pid)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    bool known = fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
    fclose(file);
    return known && state != 'Z' && state != 'X';
}

static void wait_until_gone(pid_t pid)
{
    int64_t give_up = base_mono_ns() + patience_ns;
    while (is_alive(pid)) {
        assert_true(base_mono_ns() < give_up);
        usleep(1000);
    }
}

static void what_a_child_says_is_heard_to_its_end(void **state)
{
    (void)state;
    struct bench_child child;
    char text[64];
    start(&child, "echo one; echo two >&2");
    hear(&child, text, sizeof text);
    assert_string_equal(text, "one\ntwo\n");
    bench_child_stop(&child, SIGTERM, patience_ns);
    assert_int_equal(child.pid, 0);
}

static void a_program_that_is_not_there_is_an_error_that_says_so(void **state)
{
    (void)state;
    struct bench_child child;
    struct arcd_errinfo why;
    const char *const argv[] = {"arcd-no-such-program", NULL};
    struct bench_child_opts opts = {.argv = argv, .capture = true, .signal_at_our_end = SIGKILL};
    assert_int_equal(bench_child_start(&child, &opts, &why), ARCD_ERR_NOTFOUND);
    assert_string_equal(why.text, "arcd-no-such-program is not installed");
    bench_child_stop(&child, SIGTERM, patience_ns); /* nothing to do */
}

static void a_stop_reaches_the_childs_children_too(void **state)
{
    (void)state;
    struct bench_child child;
    start(&child, "trap '' TERM; (trap '' TERM; exec sleep 1000) & echo $!; exec sleep 1000");
    pid_t grandchild = hear_pid(&child), leader = child.pid;
    assert_true(is_alive(grandchild) && !bench_child_has_ended(&child));
    bench_child_stop(&child, SIGTERM, BASE_NS_PER_MS); /* neither listens */
    wait_until_gone(grandchild);
    assert_false(is_alive(leader));
}

static void a_child_that_ended_by_itself_is_seen_and_stopped_in_peace(void **state)
{
    (void)state;
    struct bench_child child;
    char text[16];
    start(&child, "exit 3");
    hear(&child, text, sizeof text);
    int64_t give_up = base_mono_ns() + patience_ns;
    while (!bench_child_has_ended(&child))
        assert_true(base_mono_ns() < give_up);
    bench_child_stop(&child, SIGTERM, patience_ns);
    assert_true(bench_child_has_ended(&child));
}

/* As by kill -9: nobody is left to stop it. */
static void a_child_ends_when_its_starter_dies(void **state)
{
    (void)state;
    int tell[2];
    assert_int_equal(pipe(tell), 0);
    pid_t starter = fork();
    assert_true(starter >= 0);
    if (starter == 0) {
        struct bench_child child;
        start(&child, "exec sleep 1000");
        if (write(tell[1], &child.pid, sizeof child.pid) != (ssize_t)sizeof child.pid)
            _exit(1);
        pause();
    }
    pid_t pid = 0;
    assert_int_equal(read(tell[0], &pid, sizeof pid), sizeof pid);
    assert_true(is_alive(pid));
    kill(starter, SIGKILL);
    assert_int_equal(waitpid(starter, NULL, 0), starter);
    wait_until_gone(pid);
    close(tell[0]);
    close(tell[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_child_says_is_heard_to_its_end),
        cmocka_unit_test(a_program_that_is_not_there_is_an_error_that_says_so),
        cmocka_unit_test(a_stop_reaches_the_childs_children_too),
        cmocka_unit_test(a_child_that_ended_by_itself_is_seen_and_stopped_in_peace),
        cmocka_unit_test(a_child_ends_when_its_starter_dies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
