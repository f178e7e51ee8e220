#include "tasks/status_text.h"
#include "tests/support/fake_clock.h"
#include "tests/support/test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const channels[] = {"temp", "level"};

struct fixture {
    struct base_arena arena;
    struct fake_clock time;
    struct base_doorbell bell;
    struct tasks_board board;
};

static int set_up(void **state)
{
    struct fixture *f = aligned_alloc(ARCD_CACHELINE, (sizeof *f + 63) / 64 * 64);
    base_arena_init(&f->arena);
    fake_clock_init(&f->time);
    base_doorbell_init(&f->bell);
    struct tasks_board_opts opts = {.task = "Tank \"in\"",
                                    .channels = channels,
                                    .n_channels = 2,
                                    .clock = &f->time.clock,
                                    .bell = &f->bell};
    tasks_board_init(&f->board, &f->arena, &opts);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    base_arena_fini(&f->arena);
    free(f);
    return 0;
}

static void wait_s(struct fixture *f, double s)
{
    fake_clock_advance(&f->time, (int64_t)(s * 1e9));
    tasks_board_tick(&f->board, f->time.mono_ns);
}

static struct tasks_status retry(int64_t n)
{
    struct tasks_status status = tasks_status_of(TASKS_EVENT_RETRY);
    status.n = n;
    status.m = 50;
    status.a = 1.1;
    strcpy(status.text, "no data");
    return status;
}

static void post(struct fixture *f, struct tasks_status status)
{
    tasks_board_post(&f->board, &status);
}

static void post_text(struct fixture *f, enum tasks_event event, const char *text)
{
    struct tasks_status status = tasks_status_of(event);
    snprintf(status.text, sizeof status.text, "%s", text);
    post(f, status);
}

/* The message of the next status in the ring; "" when there is none. */
static const char *next(struct fixture *f)
{
    static char text[400];
    struct tasks_status status;
    if (!tasks_board_next(&f->board, &status))
        return "";
    tasks_status_message(&f->board, &status, text, sizeof text);
    return text;
}

static const char *latest(struct fixture *f)
{
    static char text[400];
    struct tasks_status status;
    tasks_board_latest(&f->board, &status);
    tasks_status_message(&f->board, &status, text, sizeof text);
    return text;
}

static void a_new_task_is_configured(void **state)
{
    struct fixture *f = *state;
    struct tasks_status status;
    tasks_board_latest(&f->board, &status);
    assert_string_equal(latest(f), "Task configured");
    assert_int_equal(status.state, TASKS_CONFIGURED);
    assert_false(tasks_board_last_error(&f->board, &status));
}

static void a_status_is_the_newest_and_rings_the_bell(void **state)
{
    struct fixture *f = *state;
    uint32_t seen = base_doorbell_read(&f->bell);
    tasks_board_state(&f->board, TASKS_RUNNING, TASKS_EVENT_STARTED);
    assert_true(base_doorbell_read(&f->bell) != seen);
    struct tasks_status status;
    assert_true(tasks_board_next(&f->board, &status));
    assert_int_equal(status.state, TASKS_RUNNING);
    assert_int_equal(status.utc_ns, FAKE_CLOCK_UTC);
    assert_string_equal(latest(f), "Task started");
}

static void a_template_takes_its_arguments(void **state)
{
    struct fixture *f = *state;
    post(f, retry(3));
    assert_string_equal(next(f), "no data; retry 3/50 in 1.1 s");
    struct tasks_status outside = tasks_status_of(TASKS_EVENT_OUTSIDE);
    outside.channel = 1;
    outside.a = 2.5;
    outside.b = -1;
    outside.c = 2;
    post(f, outside);
    assert_string_equal(next(f), "level: 2.5 is outside -1 to 2");
}

static void the_same_status_is_sent_once_in_5_s(void **state)
{
    struct fixture *f = *state;
    post_text(f, TASKS_EVENT_DEVICE_WARNING, "warm");
    wait_s(f, 4.9);
    post_text(f, TASKS_EVENT_DEVICE_WARNING, "warm");
    assert_string_equal(next(f), "warm");
    assert_string_equal(next(f), "");
}

static void another_text_is_another_status(void **state)
{
    struct fixture *f = *state;
    post_text(f, TASKS_EVENT_DEVICE_WARNING, "warm");
    post_text(f, TASKS_EVENT_DEVICE_WARNING, "hot");
    assert_string_equal(next(f), "warm");
    assert_string_equal(next(f), "hot");
}

static void every_retry_is_sent(void **state)
{
    struct fixture *f = *state;
    post(f, retry(1));
    post(f, retry(2));
    assert_string_equal(next(f), "no data; retry 1/50 in 1.1 s");
    assert_string_equal(next(f), "no data; retry 2/50 in 1.1 s");
}

static void what_was_held_back_is_sent_when_its_time_is_over(void **state)
{
    struct fixture *f = *state;
    post(f, retry(1));
    tasks_board_clear(&f->board, TASKS_EVENT_RETRY);
    fake_clock_advance(&f->time, BASE_NS_PER_S);
    post(f, retry(1));
    tasks_board_clear(&f->board, TASKS_EVENT_RETRY);
    assert_string_equal(next(f), "no data; retry 1/50 in 1.1 s");
    assert_string_equal(next(f), "Task running");
    assert_string_equal(next(f), "");
    assert_int_equal(tasks_board_tick(&f->board, f->time.mono_ns),
                     f->time.mono_ns + 4 * BASE_NS_PER_S);
    wait_s(f, 4);
    assert_string_equal(next(f), "Task running");
    assert_int_equal(tasks_board_tick(&f->board, f->time.mono_ns), BASE_NEVER);
}

static void starts_and_stops_are_never_held_back(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 3; i++) {
        tasks_board_state(&f->board, TASKS_RUNNING, TASKS_EVENT_STARTED);
        tasks_board_state(&f->board, TASKS_CONFIGURED, TASKS_EVENT_STOPPED);
    }
    for (int i = 0; i < 3; i++) {
        assert_string_equal(next(f), "Task started");
        assert_string_equal(next(f), "Task stopped");
    }
}

/* 50 are remembered: the 51st pushes the first out, which may then be sent again. */
static void the_last_50_statuses_are_remembered(void **state)
{
    struct fixture *f = *state;
    char text[16];
    for (int i = 0; i < 51; i++) {
        snprintf(text, sizeof text, "w%d", i);
        post_text(f, TASKS_EVENT_DEVICE_WARNING, text);
        assert_string_equal(next(f), text);
    }
    post_text(f, TASKS_EVENT_DEVICE_WARNING, "w1");
    assert_string_equal(next(f), "");
    post_text(f, TASKS_EVENT_DEVICE_WARNING, "w0");
    assert_string_equal(next(f), "w0");
}

static void an_error_wins_over_later_warnings_until_the_next_start(void **state)
{
    struct fixture *f = *state;
    tasks_board_set_state(&f->board, TASKS_FAULTED);
    post_text(f, TASKS_EVENT_CRITICAL, "broken");
    post(f, retry(1));
    tasks_board_clear(&f->board, TASKS_EVENT_RETRY);
    assert_string_equal(latest(f), "broken");
    struct tasks_status error;
    assert_true(tasks_board_last_error(&f->board, &error));
    assert_int_equal(error.state, TASKS_FAULTED);
    tasks_board_begin(&f->board);
    post(f, retry(1));
    assert_string_equal(latest(f), "no data; retry 1/50 in 1.1 s");
    assert_true(tasks_board_last_error(&f->board, &error));
    assert_string_equal(error.text, "broken");
}

static void running_follows_when_the_last_lasting_warning_ends(void **state)
{
    struct fixture *f = *state;
    post(f, retry(1));
    post(f, tasks_status_of(TASKS_EVENT_SKEW));
    tasks_board_clear(&f->board, TASKS_EVENT_RETRY);
    assert_true(tasks_board_is_lasting(&f->board, TASKS_EVENT_SKEW));
    assert_string_equal(latest(f),
                        "0 samples behind the hardware; lower stream_rate or the channel count");
    tasks_board_clear(&f->board, TASKS_EVENT_SKEW);
    assert_string_equal(latest(f), "Task running");
}

static void what_is_shown_once_gives_way_to_running_after_5_s(void **state)
{
    struct fixture *f = *state;
    post_text(f, TASKS_EVENT_DEVICE_WARNING, "rounded");
    wait_s(f, 4.9);
    assert_string_equal(latest(f), "rounded");
    wait_s(f, 0.2);
    assert_string_equal(latest(f), "Task running");
}

static void running_tells_how_much_went_wrong(void **state)
{
    struct fixture *f = *state;
    post(f, retry(1));
    fake_clock_advance(&f->time, 2100 * BASE_NS_PER_MS);
    post(f, retry(2));
    tasks_board_clear(&f->board, TASKS_EVENT_RETRY);
    struct tasks_status status;
    char text[64];
    tasks_board_latest(&f->board, &status);
    tasks_status_description(&status, text, sizeof text);
    assert_string_equal(text, "2 failed calls in 2.1 s");
}

static void a_full_ring_is_counted_and_the_newest_is_sent_later(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < TASKS_STATUS_RING + 3; i++)
        tasks_board_state(&f->board, TASKS_RUNNING,
                          i % 2 ? TASKS_EVENT_STARTED : TASKS_EVENT_STOPPED);
    assert_int_equal(atomic_load(&f->board.not_sent), 3);
    for (int i = 0; i < TASKS_STATUS_RING; i++)
        assert_string_not_equal(next(f), "");
    assert_string_equal(next(f), "");
    wait_s(f, 1);
    assert_string_equal(next(f), "Task stopped");
}

static void json_has_all_members_and_escapes_names(void **state)
{
    struct fixture *f = *state;
    tasks_board_set_state(&f->board, TASKS_RUNNING);
    f->board.counters.batches = 7;
    tasks_board_show_counters(&f->board);
    struct tasks_status warm = tasks_status_of(TASKS_EVENT_DEVICE_WARNING);
    warm.code = -200284;
    strcpy(warm.text, "a \"quoted\"\\ line\nwith a break");
    post(f, warm);
    struct tasks_status status;
    tasks_board_latest(&f->board, &status);
    char json[2048];
    size_t n = tasks_status_json(&f->board, &status, NULL, json, sizeof json);
    assert_int_equal(n, strlen(json));
    assert_string_equal(
        json,
        "{\"key\":\"Tank \\\"in\\\"\",\"name\":\"Tank \\\"in\\\"\",\"variant\":\"warning\","
        "\"message\":\"a \\\"quoted\\\"\\\\ line\\u000awith a break\",\"description\":\"\","
        "\"time\":1767225600000000000,\"details\":{\"task\":\"Tank \\\"in\\\"\",\"running\":true,"
        "\"state\":\"running\",\"code\":-200284,\"errors\":[],\"counters\":{\"batches\":7,"
        "\"samples\":0,\"skew\":0,\"backlog\":0,\"dropped_batches\":0,\"lost_samples\":0,"
        "\"restarts\":0,\"missed_ticks\":0,\"failures\":0,\"writes\":0,\"superseded\":0,"
        "\"pass_us\":0}}}");
}

static void an_answer_carries_the_key_of_its_command(void **state)
{
    struct fixture *f = *state;
    struct tasks_status status;
    char json[2048];
    struct tasks_status_extra extra = {
        .cmd = "k1", .message = "Tare set on 2 channels", .variant = "success"};
    tasks_board_latest(&f->board, &status);
    tasks_status_json(&f->board, &status, &extra, json, sizeof json);
    assert_non_null(strstr(json, "\"message\":\"Tare set on 2 channels\""));
    assert_non_null(strstr(json, "\"cmd\":\"k1\""));
}

static void a_text_that_does_not_fit_is_cut_at_a_whole_character(void **state)
{
    struct fixture *f = *state;
    post_text(f, TASKS_EVENT_DEVICE_WARNING, "ab\xC3\xA9");
    struct tasks_status status;
    tasks_board_latest(&f->board, &status);
    char text[4];
    assert_int_equal(tasks_status_message(&f->board, &status, text, sizeof text), 4);
    assert_string_equal(text, "ab");
}

/* ---- A reader never sees a torn status, a writer never waits for one. */

struct racer {
    struct tasks_board *board;
    _Atomic bool stop;
    uint64_t reads;
};

static void *read_all_the_time(void *arg)
{
    struct racer *racer = arg;
    while (!atomic_load(&racer->stop)) {
        struct tasks_status status;
        tasks_board_latest(racer->board, &status);
        if (status.event != TASKS_EVENT_LOST)
            continue;
        ARCD_ASSERT(status.n == status.m && status.a == (double)status.n);
        ARCD_ASSERT(status.text[0] == status.text[300]);
        racer->reads++;
    }
    return NULL;
}

static void readers_always_see_a_whole_status(void **state)
{
    struct fixture *f = *state;
    struct racer racer = {.board = &f->board};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, read_all_the_time, &racer), 0);
    struct tasks_status status = tasks_status_of(TASKS_EVENT_LOST);
    for (int64_t i = 0; i < 20000; i++) {
        status.n = status.m = i;
        status.a = (double)i;
        memset(status.text, 'a' + (int)(i % 20), sizeof status.text - 1);
        tasks_board_post(&f->board, &status);
    }
    atomic_store(&racer.stop, true);
    pthread_join(thread, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_task_is_configured),
        TEST(a_status_is_the_newest_and_rings_the_bell),
        TEST(a_template_takes_its_arguments),
        TEST(the_same_status_is_sent_once_in_5_s),
        TEST(another_text_is_another_status),
        TEST(every_retry_is_sent),
        TEST(what_was_held_back_is_sent_when_its_time_is_over),
        TEST(starts_and_stops_are_never_held_back),
        TEST(the_last_50_statuses_are_remembered),
        TEST(an_error_wins_over_later_warnings_until_the_next_start),
        TEST(running_follows_when_the_last_lasting_warning_ends),
        TEST(what_is_shown_once_gives_way_to_running_after_5_s),
        TEST(running_tells_how_much_went_wrong),
        TEST(a_full_ring_is_counted_and_the_newest_is_sent_later),
        TEST(json_has_all_members_and_escapes_names),
        TEST(an_answer_carries_the_key_of_its_command),
        TEST(a_text_that_does_not_fit_is_cut_at_a_whole_character),
        TEST(readers_always_see_a_whole_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
