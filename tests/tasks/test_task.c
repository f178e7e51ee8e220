/* Tasks with their threads, on the machine's clock: start, stop, commands, faults. */
#include "tests/tasks/rig.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static struct rig *reader(void)
{
    struct rig *rig = rig_open_real(HW_HARDWARE, 1000);
    rig_rates(rig, 1000, 500);
    rig_channel(rig, "a", HW_F64, TELEM_F64);
    rig_channel(rig, "b", HW_F64, TELEM_F64);
    return rig;
}

static struct rig *writer(void)
{
    struct rig *rig = rig_open_real(HW_SOFTWARE, 10);
    rig_channel(rig, "valve", HW_F64, TELEM_F64);
    rig_state(rig, 0, TELEM_F64);
    rig->outputs[0].has_safe_value = true;
    rig->outputs[0].safe_value = 1;
    rig->outputs[0].on_stop = rig->outputs[0].on_fault = CONFIG_OUTPUT_SAFE;
    return rig;
}

static void start(struct rig *rig)
{
    if (tasks_task_start(rig->task, &rig->why) != ARCD_OK)
        fail_msg("start: %s", rig->why.text);
}

static void stop(struct rig *rig)
{
    if (tasks_task_stop(rig->task, &rig->why) != ARCD_OK)
        fail_msg("stop: %s", rig->why.text);
}

static bool has_batches(struct rig *rig)
{
    struct tasks_counters counters;
    tasks_board_counters(tasks_task_board(rig->task), &counters);
    return counters.batches >= 3;
}

static bool is_blocked(struct rig *rig)
{
    return atomic_load(&rig->hw.blocked) > 0;
}

static bool is_faulted(struct rig *rig)
{
    return tasks_task_state(rig->task) == TASKS_FAULTED;
}

static bool has_output(struct rig *rig)
{
    struct tasks_counters counters;
    tasks_board_counters(tasks_task_board(rig->task), &counters);
    return counters.writes > 0;
}

static bool has_state(struct rig *rig)
{
    return telem_sub_ready(rig->sub);
}

static double seconds_since(int64_t mono_ns)
{
    return (double)(base_mono_ns() - mono_ns) * 1e-9;
}

/* ---- Start and stop */

static void a_started_task_publishes_and_a_stopped_one_is_configured_again(void **state)
{
    (void)state;
    struct rig *rig = reader();
    rig_read(rig);
    start(rig);
    assert_int_equal(tasks_task_state(rig->task), TASKS_RUNNING);
    rig_wait(rig, has_batches);
    stop(rig);
    assert_int_equal(tasks_task_state(rig->task), TASKS_CONFIGURED);
    assert_string_equal(rig_samples(rig, "a"), "0 1");
    assert_string_equal(rig_said(rig), "Task starting | Task started | Task stopped");
    stop(rig); /* of a stopped task: succeeds */
    rig_close(rig);
}

static void starting_a_running_task_restarts_it(void **state)
{
    (void)state;
    struct rig *rig = reader();
    rig_read(rig);
    start(rig);
    start(rig);
    rig_wait(rig, has_batches);
    stop(rig);
    assert_int_equal(rig->hw.n_calls[SCRIPTED_START], 2);
    assert_int_equal(rig->hw.n_stops, 2);
    rig_close(rig);
}

static void a_start_that_fails_answers_with_the_reason_and_can_be_tried_again(void **state)
{
    (void)state;
    struct rig *rig = reader();
    scripted_answer(&rig->hw, SCRIPTED_START,
                    (struct scripted_answer){.cls = HW_CONFIG, .text = "dev is in use by another"});
    rig_read(rig);
    assert_int_equal(tasks_task_start(rig->task, &rig->why), ARCD_ERR_DEVICE);
    assert_string_equal(rig->why.text, "dev is in use by another");
    assert_int_equal(tasks_task_state(rig->task), TASKS_FAULTED);
    start(rig);
    assert_int_equal(tasks_task_state(rig->task), TASKS_RUNNING);
    rig_close(rig);
}

static void a_start_with_the_device_absent_succeeds_and_retries(void **state)
{
    (void)state;
    struct rig *rig = reader();
    rig->task_config.retry.base_ns = BASE_NS_PER_MS;
    scripted_answers(&rig->hw, SCRIPTED_START, 3,
                     (struct scripted_answer){.cls = HW_TEMPORARY, .text = "no device"});
    rig_read(rig);
    start(rig);
    rig_wait(rig, has_batches);
    stop(rig);
    assert_int_equal(rig->hw.n_calls[SCRIPTED_START], 4);
    rig_close(rig);
}

static void a_blocked_read_does_not_hold_up_a_stop(void **state)
{
    (void)state;
    struct rig *rig = reader();
    rig->hw_config.io_timeout_ns = 3600 * BASE_NS_PER_S;
    scripted_answer(&rig->hw, SCRIPTED_READ, (struct scripted_answer){.blocks = true});
    rig_read(rig);
    start(rig);
    rig_wait(rig, is_blocked);
    stop(rig); /* or the test would take an hour */
    assert_int_equal(rig->hw.n_stops, 1);
    rig_close(rig);
}

static void *start_on_another_thread(void *arg)
{
    struct rig *rig = arg;
    return tasks_task_start(rig->task, &rig->why) == ARCD_ERR_INTERRUPTED ? rig : NULL;
}

static void a_stop_is_heard_while_a_start_waits_for_its_device(void **state)
{
    (void)state;
    struct rig *rig = reader();
    scripted_answer(&rig->hw, SCRIPTED_START, (struct scripted_answer){.blocks = true});
    rig_read(rig);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, start_on_another_thread, rig), 0);
    rig_wait(rig, is_blocked);
    struct arcd_errinfo why;
    assert_int_equal(tasks_task_stop(rig->task, &why), ARCD_OK);
    void *interrupted = NULL;
    pthread_join(thread, &interrupted);
    assert_ptr_equal(interrupted, rig);
    assert_string_equal(rig->why.text, "task 'rig' was stopped while it started");
    assert_int_equal(tasks_task_state(rig->task), TASKS_CONFIGURED);
    rig_close(rig);
}

static void a_task_that_ends_by_itself_frees_its_channels_when_polled(void **state)
{
    (void)state;
    struct rig *rig = reader();
    scripted_answer(&rig->hw, SCRIPTED_READ,
                    (struct scripted_answer){.cls = HW_CRITICAL, .text = "broken"});
    rig_read(rig);
    start(rig);
    rig_wait(rig, is_faulted);
    struct tasks_task *first = rig->task;
    rig_wait(rig, is_faulted);
    while (first->is_open) /* the thread may still be on its way out */
        assert_true(tasks_task_poll(first, &rig->why));
    assert_int_equal(rig_try_read(rig), ARCD_OK);
    start(rig);
    stop(rig);
    tasks_task_free(first);
    rig_close(rig);
}

/* ---- Outputs at the end */

static void a_stop_writes_the_safe_value(void **state)
{
    (void)state;
    struct rig *rig = writer();
    rig_write(rig);
    start(rig);
    rig_command(rig, 0, 0.25);
    rig_wait(rig, has_output);
    stop(rig);
    assert_true(rig->hw.outputs[0].f64 == 1);
    rig_close(rig);
}

/* 0.4 s of patience, then the interrupted device is started anew. The bound leaves a busy machine
 * ten times as long as the calls may take. */
static void a_blocked_write_does_not_keep_the_output_from_its_safe_value(void **state)
{
    (void)state;
    struct rig *rig = writer();
    rig->write.write_timeout_ns = 3600 * BASE_NS_PER_S;
    scripted_answer(&rig->hw, SCRIPTED_WRITE, (struct scripted_answer){.blocks = true});
    rig_write(rig);
    start(rig);
    rig_command(rig, 0, 0.25);
    rig_wait(rig, is_blocked);
    int64_t before = base_mono_ns();
    stop(rig);
    assert_true(seconds_since(before) < 10);
    assert_true(rig->hw.outputs[0].f64 == 1);
    rig_close(rig);
}

static void a_critical_error_sets_the_fault_value_though_nobody_asks(void **state)
{
    (void)state;
    struct rig *rig = writer();
    scripted_answer(&rig->hw, SCRIPTED_WRITE,
                    (struct scripted_answer){.cls = HW_CRITICAL, .text = "short circuit"});
    rig_write(rig);
    start(rig);
    rig_command(rig, 0, 0.25);
    rig_wait(rig, is_faulted);
    stop(rig);
    assert_true(rig->hw.has_output[0] && rig->hw.outputs[0].f64 == 1);
    assert_string_equal(rig_status(rig), "short circuit");
    rig_close(rig);
}

/* ---- Commands */

static void tare_returns_when_it_is_in_force(void **state)
{
    (void)state;
    struct rig *rig = reader();
    rig_read(rig);
    uint32_t n = 0;
    const char *const b[] = {"b"}, *const c[] = {"b", "c"};
    assert_int_equal(tasks_task_tare(rig->task, NULL, 0, false, &n, &rig->why), ARCD_ERR_STATE);
    assert_string_equal(rig->why.text, "task is not running");
    start(rig);
    assert_int_equal(tasks_task_tare(rig->task, c, 2, false, &n, &rig->why), ARCD_ERR_NOTFOUND);
    assert_string_equal(rig->why.text, "channel 'c' is not part of this task");
    assert_int_equal(tasks_task_tare(rig->task, b, 1, false, &n, &rig->why), ARCD_OK);
    assert_int_equal(n, 1);
    assert_true(tasks_task_tare_of(rig->task, 1) > 99);
    assert_true(tasks_task_tare_of(rig->task, 0) == 0);
    assert_int_equal(tasks_task_tare(rig->task, NULL, 0, true, &n, &rig->why), ARCD_OK);
    assert_int_equal(n, 2);
    assert_true(tasks_task_tare_of(rig->task, 1) == 0);
    rig_close(rig);
}

static void safe_returns_when_the_outputs_are_out(void **state)
{
    (void)state;
    struct rig *rig = writer();
    rig->outputs[0].on_stop = CONFIG_OUTPUT_KEEP;
    rig_write(rig);
    start(rig);
    assert_int_equal(tasks_task_safe(rig->task, &rig->why), ARCD_OK);
    stop(rig);
    assert_true(rig->hw.has_output[0] && rig->hw.outputs[0].f64 == 1);
    assert_int_equal(tasks_task_safe(rig->task, &rig->why), ARCD_ERR_STATE);
    rig_close(rig);
}

static void safe_says_when_the_device_refuses(void **state)
{
    (void)state;
    struct rig *rig = writer();
    scripted_answer(&rig->hw, SCRIPTED_WRITE, (struct scripted_answer){.invalid = 1});
    rig_write(rig);
    start(rig);
    assert_int_equal(tasks_task_safe(rig->task, &rig->why), ARCD_ERR_DEVICE);
    assert_string_equal(rig->why.text, "the device refused a safe value");
    rig_close(rig);
}

static void commands_of_the_other_kind_are_refused(void **state)
{
    (void)state;
    struct rig *rig = reader();
    rig_read(rig);
    assert_int_equal(tasks_task_safe(rig->task, &rig->why), ARCD_ERR_UNSUPPORTED);
    rig_close(rig);
    rig = writer();
    rig_write(rig);
    uint32_t n;
    assert_int_equal(tasks_task_tare(rig->task, NULL, 0, false, &n, &rig->why),
                     ARCD_ERR_UNSUPPORTED);
    rig_close(rig);
}

/* The wake-up of the task's own bell: with a state rate of once in 100 s only the bell can be it.
 */
static void a_command_is_written_when_it_comes(void **state)
{
    (void)state;
    struct rig *rig = writer();
    rig->write.state_rate_hz = 0.01;
    rig_write(rig);
    start(rig);
    rig_wait(rig, has_state);
    telem_batch_release(telem_sub_next(rig->sub));
    rig_command(rig, 0, 0.5);
    rig_wait(rig, has_state);
    assert_string_equal(rig_samples(rig, "valve_state"), "0.5");
    rig_close(rig);
}

/* ---- The thread */

static void the_thread_has_what_was_asked_for_or_the_errno(void **state)
{
    (void)state;
    struct rig *rig = reader();
    rig->task_config.rt.has_priority = false; /* 45 for reads */
    const int64_t cpus[] = {0};
    rig->task_config.rt.cpu = (struct config_ints){cpus, 1};
    rig_read(rig);
    start(rig);
    struct tasks_figures figures;
    tasks_task_figures(rig->task, &figures);
    assert_int_equal(figures.rt_asked.fifo_priority, 45);
    int policy;
    struct sched_param param;
    assert_int_equal(pthread_getschedparam(rig->task->loop.thread, &policy, &param), 0);
    assert_int_equal(figures.rt_got.fifo, policy == SCHED_FIFO && param.sched_priority == 45);
    if (!figures.rt_got.fifo)
        assert_int_equal(figures.rt_got.sched_errno, EPERM);
    char name[16];
    assert_int_equal(pthread_getname_np(rig->task->loop.thread, name, sizeof name), 0);
    assert_string_equal(name, "rig");
    rig_close(rig);
}

/* An affinity that no machine grants stands in for a permission that this one may have. */
static void what_the_user_asked_for_and_did_not_get_is_said(void **state)
{
    (void)state;
    struct rig *rig = reader();
    const int64_t cpus[] = {1023};
    rig->task_config.rt.cpu = (struct config_ints){cpus, 1};
    rig_read(rig);
    start(rig);
    rig_wait(rig, has_batches);
    stop(rig);
    assert_string_equal(rig_said(rig),
                        "Task starting | Failed to pin the thread to its cores: Invalid argument | "
                        "Task started | Task stopped");
    rig_close(rig);
}

static void a_disabled_task_is_not_started(void **state)
{
    (void)state;
    struct rig *rig = reader();
    rig->task_config.enabled = false;
    assert_int_equal(rig_try_read(rig), ARCD_OK);
    assert_string_equal(rig_status(rig), "Task is disabled");
    assert_int_equal(tasks_task_start(rig->task, &rig->why), ARCD_ERR_STATE);
    assert_string_equal(rig->why.text, "task 'rig' is disabled");
    assert_int_equal(tasks_task_state(rig->task), TASKS_CONFIGURED);
    rig_close(rig);
}

/* ---- Many times */

struct watcher {
    struct rig *rig;
    _Atomic bool stop;
};

/* What a supervisor, a link and a console do all the time. */
static void *watch(void *arg)
{
    struct watcher *watcher = arg;
    struct tasks_task *task = watcher->rig->task;
    while (!atomic_load(&watcher->stop)) {
        struct tasks_status status;
        struct tasks_counters counters;
        struct tasks_figures figures;
        char json[2048];
        tasks_board_latest(tasks_task_board(task), &status);
        tasks_board_counters(tasks_task_board(task), &counters);
        tasks_status_json(tasks_task_board(task), &status, NULL, json, sizeof json);
        tasks_task_figures(task, &figures);
        tasks_task_poll(task, NULL);
        while (tasks_board_next(tasks_task_board(task), &status)) {
        }
    }
    return NULL;
}

static void cycle_200_times(struct rig *rig, void (*work)(struct rig *rig))
{
    struct watcher watcher = {.rig = rig};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, watch, &watcher), 0);
    for (int i = 0; i < 200; i++) {
        start(rig);
        work(rig);
        stop(rig);
        assert_int_equal(tasks_task_state(rig->task), TASKS_CONFIGURED);
    }
    atomic_store(&watcher.stop, true);
    pthread_join(thread, NULL);
    assert_int_equal(rig->hw.n_calls[SCRIPTED_START], 200);
    assert_int_equal(rig->hw.n_stops, 200);
}

static void read_a_little(struct rig *rig)
{
    const struct telem_batch *batch = telem_sub_next(rig->sub);
    if (batch != NULL)
        telem_batch_release(batch);
}

static void write_a_little(struct rig *rig)
{
    read_a_little(rig);
    rig_command(rig, 0, 0.25);
}

static void a_read_task_starts_and_stops_200_times_while_it_is_watched(void **state)
{
    (void)state;
    struct rig *rig = reader();
    rig_read(rig);
    cycle_200_times(rig, read_a_little);
    rig_close(rig);
}

static void a_write_task_starts_and_stops_200_times_while_it_is_watched(void **state)
{
    (void)state;
    struct rig *rig = writer();
    rig_write(rig);
    cycle_200_times(rig, write_a_little);
    assert_true(rig->hw.outputs[0].f64 == 1);
    rig_close(rig);
}

static void free_of_a_running_task_stops_it_first(void **state)
{
    (void)state;
    struct rig *rig = writer();
    rig_write(rig);
    start(rig);
    tasks_task_free(rig->task);
    rig->task = NULL;
    assert_true(rig->hw.outputs[0].f64 == 1);
    rig_close(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_started_task_publishes_and_a_stopped_one_is_configured_again),
        cmocka_unit_test(starting_a_running_task_restarts_it),
        cmocka_unit_test(a_start_that_fails_answers_with_the_reason_and_can_be_tried_again),
        cmocka_unit_test(a_start_with_the_device_absent_succeeds_and_retries),
        cmocka_unit_test(a_blocked_read_does_not_hold_up_a_stop),
        cmocka_unit_test(a_stop_is_heard_while_a_start_waits_for_its_device),
        cmocka_unit_test(a_task_that_ends_by_itself_frees_its_channels_when_polled),
        cmocka_unit_test(a_stop_writes_the_safe_value),
        cmocka_unit_test(a_blocked_write_does_not_keep_the_output_from_its_safe_value),
        cmocka_unit_test(a_critical_error_sets_the_fault_value_though_nobody_asks),
        cmocka_unit_test(tare_returns_when_it_is_in_force),
        cmocka_unit_test(safe_returns_when_the_outputs_are_out),
        cmocka_unit_test(safe_says_when_the_device_refuses),
        cmocka_unit_test(commands_of_the_other_kind_are_refused),
        cmocka_unit_test(a_command_is_written_when_it_comes),
        cmocka_unit_test(the_thread_has_what_was_asked_for_or_the_errno),
        cmocka_unit_test(what_the_user_asked_for_and_did_not_get_is_said),
        cmocka_unit_test(a_disabled_task_is_not_started),
        cmocka_unit_test(a_read_task_starts_and_stops_200_times_while_it_is_watched),
        cmocka_unit_test(a_write_task_starts_and_stops_200_times_while_it_is_watched),
        cmocka_unit_test(free_of_a_running_task_stops_it_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
