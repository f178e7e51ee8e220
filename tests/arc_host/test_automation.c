/* Automations on real threads. What depends on permissions is compared with what the kernel says.
 */
#include "arc_host/automation.h"

#include "tests/arc_host/live.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_S = 60 }; /* ends a hang; nothing here takes long */

static const char counter[] = "import time\n"
                              "func bump() i64 {\n"
                              "    n i64 $= 0\n"
                              "    n = n + 1\n"
                              "    return n\n"
                              "}\n"
                              "time.interval{period=1ms} -> bump{} -> count\n";

static const char divider[] = "func share(n i64) i64 {\n"
                              "    return 100 / n\n"
                              "}\n"
                              "d -> share{} -> q\n";

struct house {
    struct live live;
    struct arc_host_cores cores;
    struct arc_host_idle idle;
    struct base_doorbell bell;
    struct arc_host_env env;
    char log_path[64], idle_path[64];
    /* From callbacks. */
    _Atomic int stops;
    char stopped_why[256];
    char holder_at_stop[TELEM_NAME_MAX + 32];
    struct arc_host_request request;
};

static struct house house;

static void stopped(void *ctx, const char *automation, const char *why)
{
    (void)ctx, (void)automation;
    struct telem_holder holder;
    telem_bus_holder(house.live.bus, live_key(&house.live, "q"), &holder);
    snprintf(house.holder_at_stop, sizeof house.holder_at_stop, "%s", holder.name);
    snprintf(house.stopped_why, sizeof house.stopped_why, "%s", why);
    atomic_fetch_add(&house.stops, 1);
}

static bool set_status(void *ctx, const char *automation, const struct arc_host_request *request,
                       char *key, struct arcd_errinfo *why)
{
    (void)ctx, (void)automation, (void)why;
    house.request = *request;
    strcpy(key, "the-key");
    return true;
}

static void make_temp(char *path, const char *template)
{
    strcpy(path, template);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
}

static int open_house(void **state)
{
    (void)state;
    memset(&house, 0, sizeof house);
    live_open(&house.live, "count i64, d i64, q i64, go u8, key str, level f64, copy f64");
    make_temp(house.log_path, "/tmp/arcd-test-log-XXXXXX");
    make_temp(house.idle_path, "/tmp/arcd-test-idle-XXXXXX");
    arc_host_cores_read(&house.cores);
    arc_host_idle_init(&house.idle, house.idle_path);
    base_doorbell_init(&house.bell);
    struct base_log_opts log = {.level = BASE_LOG_DEBUG, .file = house.log_path};
    house.env = (struct arc_host_env){
        .bus = house.live.bus,
        .cores = &house.cores,
        .idle = &house.idle,
        .bell = &house.bell,
        .stopped = stopped,
        .set_status = set_status,
    };
    return base_log_open(&log, &house.env.log, NULL) == ARCD_OK ? 0 : -1;
}

static int close_house(void **state)
{
    (void)state;
    base_log_close(house.env.log);
    arc_host_idle_fini(&house.idle);
    live_close(&house.live);
    unlink(house.log_path);
    unlink(house.idle_path);
    return 0;
}

static struct arc_host_automation *make(const char *text, bool realtime)
{
    struct arc_host_automation_opts opts = {
        .name = "Test",
        .image = live_compile(&house.live, text),
        .level = ARC_HOST_LEVEL_LOW,
        .realtime = realtime,
        .authority = 255,
        .stats_period_ns = 100000000,
    };
    struct arc_host_automation *a = NULL;
    struct arcd_errinfo why;
    if (arc_host_automation_new(&house.env, &opts, &a, &why) != ARCD_OK)
        fail_msg("%s", why.text);
    return a;
}

static void start(struct arc_host_automation *a)
{
    struct arcd_errinfo why;
    if (arc_host_automation_start(a, &why) != ARCD_OK)
        fail_msg("%s", why.text);
}

/* True when the log has a line with that text. */
static bool logged(const char *text)
{
    static char all[1 << 16];
    FILE *file = fopen(house.log_path, "re");
    assert_non_null(file);
    size_t n = fread(all, 1, sizeof all - 1, file);
    fclose(file);
    all[n] = '\0';
    return strstr(all, text) != NULL;
}

static int64_t give_up_at(void)
{
    return base_mono_ns() + PATIENCE_S * BASE_NS_PER_S;
}

/* Waits until the subscriber has n more samples of the channel; the last of them. */
static struct live_heard hear_n(struct telem_sub *sub, const char *name, uint32_t n)
{
    struct live_heard sum = {.first = NAN, .last = NAN};
    int64_t give_up = give_up_at();
    while (sum.n < n) {
        uint32_t seen = base_doorbell_read(telem_sub_bell(sub));
        struct live_heard h = live_hear(sub, live_key(&house.live, name));
        if (h.n == 0) {
            if (!base_doorbell_wait(telem_sub_bell(sub), seen, give_up))
                fail_msg("no more samples of %s: %u of %u", name, sum.n, n);
            continue;
        }
        double first = sum.n == 0 ? h.first : sum.first;
        uint32_t so_far = sum.n;
        sum = h;
        sum.first = first;
        sum.n += so_far;
    }
    return sum;
}

/* Serves it, waiting for its bell, until `done`. */
static void serve_until(struct arc_host_automation *a, bool (*done)(void))
{
    int64_t give_up = give_up_at();
    for (;;) {
        uint32_t seen = base_doorbell_read(&house.bell);
        arc_host_automation_service(a, base_mono_ns());
        if (done())
            return;
        if (!base_doorbell_wait(&house.bell, seen, give_up))
            fail_msg("nothing happened");
    }
}

static struct telem_holder holder_of(const char *name)
{
    struct telem_holder holder;
    telem_bus_holder(house.live.bus, live_key(&house.live, name), &holder);
    return holder;
}

/* ---- Life cycle */

static void it_runs_on_its_grid_and_publishes(void **state)
{
    (void)state;
    struct telem_sub *sub = live_listen(&house.live, "count", 1024);
    struct arc_host_automation *a = make(counter, true);
    int64_t before = base_mono_ns();
    start(a);
    assert_int_equal(arc_host_automation_state(a), ARC_HOST_STATE_RUNNING);
    struct live_heard h = hear_n(sub, "count", 200);
    int64_t took = base_mono_ns() - before;
    assert_true(h.first == 1);
    /* Never early: the n-th fire is not before n - 1 periods. */
    assert_true(took >= ((int64_t)h.last - 1) * BASE_NS_PER_MS);
    static struct arc_host_timing_snapshot snapshot;
    double cpu_share;
    arc_host_automation_timing(a, &snapshot, &cpu_share);
    assert_int_equal(snapshot.lateness.below, 0);
    assert_true(snapshot.cycles >= 150);
    assert_true(cpu_share > 0 && cpu_share < 1);
    arc_host_automation_free(a);
    telem_sub_close(sub);
}

static void stop_releases_the_channels_and_start_begins_from_scratch(void **state)
{
    (void)state;
    struct telem_sub *sub = live_listen(&house.live, "count", 1024);
    struct arc_host_automation *a = make(counter, true);
    start(a);
    start(a); /* nothing */
    hear_n(sub, "count", 10);
    assert_string_equal(holder_of("count").name, "automation 'Test'");
    arc_host_automation_stop(a);
    arc_host_automation_stop(a); /* nothing */
    assert_int_equal(arc_host_automation_state(a), ARC_HOST_STATE_STOPPED);
    assert_string_equal(holder_of("count").name, "");
    live_hear(sub, live_key(&house.live, "count"));
    struct arc_host_automation_info info;
    arc_host_automation_info(a, &info);
    assert_true(info.samples.sent >= 10);
    start(a);
    assert_true(hear_n(sub, "count", 5).first == 1);
    arc_host_automation_info(a, &info);
    assert_int_equal(info.starts, 2);
    arc_host_automation_free(a); /* stops it */
    telem_sub_close(sub);
}

static void options_out_of_range_are_refused_with_the_range(void **state)
{
    (void)state;
    struct arc_host_automation_opts good = {.name = "Test",
                                            .image = live_compile(&house.live, counter)};
    struct arc_host_automation_opts bad = good;
    struct arc_host_automation *a = NULL;
    struct arcd_errinfo why;
    bad.priority = 100;
    assert_int_equal(arc_host_automation_new(&house.env, &bad, &a, &why), ARCD_ERR_INVALID);
    assert_non_null(strstr(why.text, "1 to 99, not 100"));
    bad = good;
    bad.queue = 1025;
    assert_int_equal(arc_host_automation_new(&house.env, &bad, &a, &why), ARCD_ERR_INVALID);
    assert_non_null(strstr(why.text, "2 to 1024 batches, not 1025"));
    bad = good;
    bad.name = "";
    assert_int_equal(arc_host_automation_new(&house.env, &bad, &a, &why), ARCD_ERR_INVALID);
    bad = good;
    bad.stats_period_ns = 1000;
    assert_int_equal(arc_host_automation_new(&house.env, &bad, &a, &why), ARCD_ERR_INVALID);
}

static void a_channel_with_a_publisher_of_its_own_cannot_be_written(void **state)
{
    (void)state;
    struct telem_pub *owner = live_sensor(&house.live, "count", 4);
    struct arc_host_automation *a = make(counter, false);
    struct arcd_errinfo why;
    assert_int_equal(arc_host_automation_start(a, &why), ARCD_ERR_BUSY);
    assert_non_null(strstr(why.text, "count"));
    assert_int_equal(arc_host_automation_state(a), ARC_HOST_STATE_STOPPED);
    telem_pub_close(owner);
    start(a);
    arc_host_automation_free(a);
}

/* ---- The thread */

/* Settings are those of the loop's own thread, as the kernel has them. */
static void policy_priority_and_core_are_what_info_says(void **state)
{
    (void)state;
    struct arc_host_automation *a = make(counter, true);
    start(a);
    struct arc_host_automation_info info;
    arc_host_automation_info(a, &info);
    int tid = arc_host_automation_tid(a);
    assert_true(tid > 0 && tid != getpid());
    struct sched_param param;
    cpu_set_t mask;
    int policy = sched_getscheduler(tid);
    assert_int_equal(sched_getparam(tid, &param), 0);
    assert_int_equal(sched_getaffinity(tid, sizeof mask, &mask), 0);
    assert_true(info.realtime_asked);
    assert_int_equal(info.priority, 47);
    if (info.realtime) {
        assert_int_equal(policy, SCHED_FIFO);
        assert_int_equal(param.sched_priority, 47);
        assert_true(info.pinned);
        assert_int_equal(CPU_COUNT(&mask), 1);
        assert_true(CPU_ISSET((size_t)info.cpu, &mask));
        assert_int_equal(house.cores.load[info.cpu], 1);
    } else {
        assert_int_equal(policy, SCHED_OTHER);
        assert_true(logged("Failed to set SCHED_FIFO priority 47"));
        assert_false(info.pinned);
    }
    /* The test's own thread has kept its own. */
    assert_int_equal(sched_getscheduler(getpid()), SCHED_OTHER);
    arc_host_automation_stop(a);
    assert_int_equal(arc_host_automation_tid(a), 0);
    if (info.realtime)
        assert_int_equal(house.cores.load[info.cpu], 0);
    arc_host_automation_free(a);
}

static void a_normal_automation_is_neither_real_time_nor_pinned(void **state)
{
    (void)state;
    struct arc_host_automation *a = make(counter, false);
    start(a);
    struct arc_host_automation_info info;
    arc_host_automation_info(a, &info);
    assert_false(info.realtime_asked || info.realtime || info.pinned || info.memory_locked);
    assert_int_equal(info.cpu, -1);
    int tid = arc_host_automation_tid(a);
    cpu_set_t mine, its;
    assert_int_equal(sched_getscheduler(tid), SCHED_OTHER);
    assert_int_equal(sched_getaffinity(tid, sizeof its, &its), 0);
    assert_int_equal(sched_getaffinity(getpid(), sizeof mine, &mine), 0);
    assert_true(CPU_EQUAL(&mine, &its));
    assert_false(logged("SCHED_FIFO"));
    arc_host_automation_free(a);
}

static void a_core_that_does_not_exist_is_said_and_it_runs_all_the_same(void **state)
{
    (void)state;
    struct telem_sub *sub = live_listen(&house.live, "count", 1024);
    struct arc_host_automation_opts opts = {.name = "Test",
                                            .image = live_compile(&house.live, counter),
                                            .cpus = (const int[]){1000},
                                            .n_cpus = 1};
    struct arc_host_automation *a = NULL;
    assert_int_equal(arc_host_automation_new(&house.env, &opts, &a, NULL), ARCD_OK);
    start(a);
    hear_n(sub, "count", 3);
    struct arc_host_automation_info info;
    arc_host_automation_info(a, &info);
    assert_false(info.pinned);
    assert_int_equal(info.affinity_errno, EINVAL);
    assert_true(logged("Failed to pin to core 1000: Invalid argument"));
    arc_host_automation_free(a);
    telem_sub_close(sub);
}

/* In a child that has no right to a priority: 0 when all is as it should be. */
static int run_without_permission(void)
{
    struct rlimit none = {0, 0};
    alarm(PATIENCE_S);
    setrlimit(RLIMIT_RTPRIO, &none);
    if (geteuid() == 0 && (chmod(house.log_path, 0666) != 0 || setuid(65534) != 0))
        return 2;
    struct telem_sub *sub = live_listen(&house.live, "count", 1024);
    struct arc_host_automation *a = make(counter, true);
    if (arc_host_automation_start(a, NULL) != ARCD_OK)
        return 3;
    hear_n(sub, "count", 10);
    struct arc_host_automation_info info;
    arc_host_automation_info(a, &info);
    cpu_set_t mine, its;
    sched_getaffinity(0, sizeof mine, &mine);
    sched_getaffinity(arc_host_automation_tid(a), sizeof its, &its);
    arc_host_automation_free(a);
    telem_sub_close(sub);
    if (info.realtime || info.pinned || info.sched_errno != EPERM || !CPU_EQUAL(&mine, &its))
        return 4;
    if (!logged("Failed to set SCHED_FIFO priority 47: Operation not permitted; install arcd as a "
                "service, run it as root, or grant CAP_SYS_NICE"))
        return 5;
    return 0;
}

static void without_permission_it_warns_once_and_runs_as_a_normal_thread(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(run_without_permission());
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- Levels */

static bool idle_is_held(void)
{
    return arc_host_idle_is_held(&house.idle);
}

static void level_high_keeps_cores_awake_for_as_long_as_it_runs(void **state)
{
    (void)state;
    struct telem_sub *sub = live_listen(&house.live, "count", 1024);
    struct arc_host_automation *a = make(counter, true);
    start(a);
    assert_false(idle_is_held());
    arc_host_automation_set_level(a, ARC_HOST_LEVEL_HIGH);
    assert_true(idle_is_held());
    hear_n(sub, "count", 20);
    arc_host_automation_set_level(a, ARC_HOST_LEVEL_MEDIUM);
    assert_false(idle_is_held());
    hear_n(sub, "count", 20);
    arc_host_automation_set_level(a, ARC_HOST_LEVEL_HIGH);
    arc_host_automation_stop(a);
    assert_false(idle_is_held());
    start(a);
    assert_true(idle_is_held());
    struct arc_host_automation_info info;
    arc_host_automation_info(a, &info);
    assert_int_equal(info.level, ARC_HOST_LEVEL_HIGH);
    assert_true(info.cores_awake);
    arc_host_automation_free(a);
    assert_false(idle_is_held());
    telem_sub_close(sub);
}

static void cores_that_cannot_be_kept_awake_are_a_warning(void **state)
{
    (void)state;
    arc_host_idle_fini(&house.idle);
    arc_host_idle_init(&house.idle, "/nowhere/cpu_dma_latency");
    struct arc_host_automation *a = make(counter, false);
    arc_host_automation_set_level(a, ARC_HOST_LEVEL_HIGH);
    start(a);
    assert_true(logged("failed to keep cores out of deep idle states"));
    assert_true(logged("keeps one core busy"));
    arc_host_automation_free(a);
}

/* ---- Faults */

static bool has_stopped(void)
{
    return atomic_load(&house.stops) > 0;
}

static void a_fault_stops_it_alone_and_says_where_and_why(void **state)
{
    (void)state;
    struct telem_pub *pub = live_sensor(&house.live, "d", 4);
    struct telem_sub *counts = live_listen(&house.live, "count", 1024);
    struct telem_sub *sub = live_listen(&house.live, "q", 16);
    struct arc_host_automation *a = make(divider, true);
    struct arc_host_automation_opts opts = {.name = "Other",
                                            .image = live_compile(&house.live, counter)};
    struct arc_host_automation *other = NULL;
    assert_int_equal(arc_host_automation_new(&house.env, &opts, &other, NULL), ARCD_OK);
    start(a);
    start(other);
    live_put(pub, 5, 1, 1);
    assert_true(hear_n(sub, "q", 1).last == 20);
    live_put(pub, 0, 1, 2);
    serve_until(a, has_stopped);
    assert_string_equal(house.holder_at_stop, ""); /* released before anybody was told */
    assert_non_null(strstr(house.stopped_why, "share"));
    assert_non_null(strstr(house.stopped_why, "division by zero"));
    assert_int_equal(arc_host_automation_state(a), ARC_HOST_STATE_FAULT);
    struct arc_host_automation_info info;
    arc_host_automation_info(a, &info);
    assert_string_equal(info.fault, house.stopped_why);
    hear_n(counts, "count", 20); /* the other goes on */
    live_put(pub, 4, 1, 3);
    start(a); /* by hand, from scratch */
    live_put(pub, 10, 1, 4);
    assert_true(hear_n(sub, "q", 1).last == 10);
    arc_host_automation_info(a, &info);
    assert_string_equal(info.fault, "");
    assert_true(logged("stopped: "));
    assert_int_equal(atomic_load(&house.stops), 1);
    arc_host_automation_free(other);
    arc_host_automation_free(a);
    telem_sub_close(sub);
    telem_sub_close(counts);
    telem_pub_close(pub);
}

static void a_loop_without_end_is_stopped_by_its_budget(void **state)
{
    (void)state;
    struct telem_pub *pub = live_sensor(&house.live, "go", 4);
    struct arc_host_automation *a = make("func forever(x u8) i64 {\n"
                                         "    n i64 := 0\n"
                                         "    for x > 0 {\n"
                                         "        n = n + 1\n"
                                         "    }\n"
                                         "    return n\n"
                                         "}\n"
                                         "go -> forever{} -> q\n",
                                         true);
    start(a);
    live_put(pub, 1, 1, 1);
    serve_until(a, has_stopped);
    assert_non_null(strstr(house.stopped_why, "forever"));
    assert_non_null(strstr(house.stopped_why, "budget"));
    arc_host_automation_free(a);
    telem_pub_close(pub);
}

/* ---- service */

static bool has_request(void)
{
    return house.request.id != 0;
}

static void a_status_is_answered_by_the_supervisor(void **state)
{
    (void)state;
    struct telem_pub *pub = live_sensor(&house.live, "go", 4);
    struct telem_sub *sub = live_listen(&house.live, "key", 16);
    struct arc_host_automation *a = make(
        "import status\n"
        "go -> status.set{key_or_name=\"Tank\", message=\"hot\", variant=\"warning\"} -> key\n",
        true);
    start(a);
    live_put(pub, 1, 1, 1);
    serve_until(a, has_request);
    assert_string_equal(house.request.key_or_name, "Tank");
    assert_string_equal(house.request.message, "hot");
    /* An empty one at once, and the key when it is known. */
    assert_string_equal(hear_n(sub, "key", 2).text, "the-key");
    arc_host_automation_free(a);
    telem_sub_close(sub);
    telem_pub_close(pub);
}

static void a_status_that_fails_is_a_warning_and_the_program_goes_on(void **state)
{
    (void)state;
    house.env.set_status = NULL;
    struct telem_pub *pub = live_sensor(&house.live, "go", 4);
    struct telem_sub *sub = live_listen(&house.live, "key", 16);
    struct arc_host_automation *a = make(
        "import status\n"
        "go -> status.set{key_or_name=\"Tank\", message=\"hot\", variant=\"warning\"} -> key\n",
        false);
    start(a);
    live_put(pub, 1, 1, 1);
    int64_t give_up = give_up_at();
    while (!logged("status 'Tank' could not be set")) {
        uint32_t seen = base_doorbell_read(&house.bell);
        arc_host_automation_service(a, base_mono_ns());
        if (!logged("status 'Tank' could not be set"))
            assert_true(base_doorbell_wait(&house.bell, seen, give_up));
    }
    assert_string_equal(hear_n(sub, "key", 1).text, "");
    assert_int_equal(arc_host_automation_state(a), ARC_HOST_STATE_RUNNING);
    arc_host_automation_free(a);
    telem_sub_close(sub);
    telem_pub_close(pub);
}

static void statistics_are_channels(void **state)
{
    (void)state;
    struct arc_host_automation *a = make(counter, true);
    struct telem_sub *counts = live_listen(&house.live, "count", 1024);
    const char *const names[] = {"Test.comp_time_us", "Test.period_us", "Test.jitter_us",
                                 "Test.lateness_us", "Test.overruns"};
    struct telem_sub *subs[ARCD_COUNT_OF(names)];
    for (size_t i = 0; i < ARCD_COUNT_OF(names); i++)
        subs[i] = live_listen(&house.live, names[i], 16);
    start(a);
    hear_n(counts, "count", 100);
    arc_host_automation_service(a, base_mono_ns() + BASE_NS_PER_S);
    double values[ARCD_COUNT_OF(names)];
    for (size_t i = 0; i < ARCD_COUNT_OF(names); i++)
        values[i] = hear_n(subs[i], names[i], 1).last;
    assert_true(values[0] > 0);    /* the longest cycle took some time */
    assert_true(values[1] >= 900); /* a mean period cannot be much below the interval */
    assert_true(values[2] > 0 && values[3] > 0 && values[4] >= 0);
    /* No cycle since then, no sample but the count. */
    arc_host_automation_stop(a);
    for (size_t i = 0; i < ARCD_COUNT_OF(names); i++)
        telem_sub_close(subs[i]);
    telem_sub_close(counts);
    arc_host_automation_free(a);
}

static void dropped_samples_are_reported_with_their_channel(void **state)
{
    (void)state;
    struct telem_pub *pub = live_sensor(&house.live, "level", 4);
    struct arc_host_automation_opts opts = {.name = "Test",
                                            .image = live_compile(&house.live,
                                                                  "func slow(x f64) f64 {\n"
                                                                  "    n i64 := 0\n"
                                                                  "    for i := range(100000) {\n"
                                                                  "        n = n + 1\n"
                                                                  "    }\n"
                                                                  "    return x + f64(n)\n"
                                                                  "}\n"
                                                                  "level -> slow{} -> copy\n"),
                                            .queue = 2};
    struct arc_host_automation *a = NULL;
    assert_int_equal(arc_host_automation_new(&house.env, &opts, &a, NULL), ARCD_OK);
    start(a);
    struct arc_host_automation_info info = {0};
    int64_t give_up = give_up_at();
    for (int i = 0; info.samples.dropped == 0 && base_mono_ns() < give_up; i++) {
        live_put(pub, i, 1, i + 1);
        arc_host_automation_info(a, &info);
    }
    assert_true(info.samples.dropped > 0);
    arc_host_automation_service(a, base_mono_ns() + 2 * BASE_NS_PER_S);
    assert_true(logged("samples dropped: its queue of 2 batches was full (level: "));
    arc_host_automation_free(a);
    telem_pub_close(pub);
}

static void missed_deadlines_are_reported_at_most_once_a_second(void **state)
{
    (void)state;
    /* A cycle of many periods, whatever the machine. */
    struct arc_host_automation *a = make("import time\n"
                                         "func slow() i64 {\n"
                                         "    n i64 := 0\n"
                                         "    for i := range(100000) {\n"
                                         "        n = n + 1\n"
                                         "    }\n"
                                         "    return n\n"
                                         "}\n"
                                         "time.interval{period=10us} -> slow{} -> count\n",
                                         false);
    struct telem_sub *sub = live_listen(&house.live, "count", 64);
    start(a);
    hear_n(sub, "count", 5);
    int64_t now = base_mono_ns();
    arc_host_automation_service(a, now);
    assert_false(logged("deadlines missed"));
    arc_host_automation_service(a, now + 2 * BASE_NS_PER_S);
    assert_true(logged("deadlines missed"));
    arc_host_automation_free(a);
    telem_sub_close(sub);
}

static void a_reset_clears_the_figures_of_a_running_automation(void **state)
{
    (void)state;
    static struct arc_host_timing_snapshot snapshot;
    struct telem_sub *sub = live_listen(&house.live, "count", 1024);
    struct arc_host_automation *a = make(counter, true);
    double cpu_share;
    start(a);
    hear_n(sub, "count", 100);
    arc_host_automation_timing(a, &snapshot, &cpu_share);
    int64_t since = snapshot.since_mono_ns;
    assert_true(snapshot.lateness.count > 0);
    arc_host_automation_reset_timing(a);
    hear_n(sub, "count", 2);
    arc_host_automation_timing(a, &snapshot, &cpu_share);
    assert_true(snapshot.since_mono_ns > since);
    /* Not more than one a period since then: the earlier ones are gone. */
    int64_t most = (base_mono_ns() - snapshot.since_mono_ns) / BASE_NS_PER_MS + 1;
    assert_in_range(snapshot.lateness.count, 1, most);
    arc_host_automation_free(a);
    telem_sub_close(sub);
}

/* ---- Another program */

static void a_swap_changes_the_program_without_a_stop(void **state)
{
    (void)state;
    struct telem_sub *sub = live_listen(&house.live, "count", 1024);
    struct telem_sub *copies = live_listen(&house.live, "copy", 64);
    struct telem_pub *pub = live_sensor(&house.live, "level", 4);
    struct arc_host_automation *a = make(counter, true);
    start(a);
    hear_n(sub, "count", 10);
    int tid = arc_host_automation_tid(a);
    struct arc_host_automation_info info;
    struct arc_image *image = live_compile(&house.live, "level + 1.0 -> copy\n");
    assert_int_equal(arc_host_automation_swap(a, image, NULL), ARCD_OK);
    live_put(pub, 41, 1, 1);
    assert_true(hear_n(copies, "copy", 1).last == 42);
    assert_int_equal(arc_host_automation_tid(a), tid);
    assert_string_equal(holder_of("count").name, "");
    assert_string_equal(holder_of("copy").name, "automation 'Test'");
    arc_host_automation_info(a, &info);
    assert_int_equal(info.starts, 1);
    arc_host_automation_stop(a);
    start(a); /* with the new program */
    live_put(pub, 1, 1, 2);
    assert_true(hear_n(copies, "copy", 1).last == 2);
    arc_host_automation_free(a);
    telem_pub_close(pub);
    telem_sub_close(copies);
    telem_sub_close(sub);
}

static void a_swap_that_cannot_be_leaves_all_as_it_was(void **state)
{
    (void)state;
    struct telem_sub *sub = live_listen(&house.live, "count", 1024);
    struct telem_pub *owner = live_sensor(&house.live, "copy", 4);
    struct arc_host_automation *a = make(counter, true);
    struct arc_image *image = live_compile(&house.live, "level + 1.0 -> copy\n");
    struct arcd_errinfo why;
    start(a);
    hear_n(sub, "count", 10);
    assert_int_equal(arc_host_automation_swap(a, image, &why), ARCD_ERR_BUSY);
    live_hear(sub, live_key(&house.live, "count"));
    assert_true(hear_n(sub, "count", 5).first > 10); /* it still counts */
    arc_host_automation_free(a);
    telem_pub_close(owner);
    telem_sub_close(sub);
}

static void swaps_in_a_row_lose_nothing_but_state(void **state)
{
    (void)state;
    struct telem_sub *sub = live_listen(&house.live, "count", 1024);
    struct arc_host_automation *a = make(counter, true);
    struct arc_image *images[] = {live_compile(&house.live, counter),
                                  live_compile(&house.live, counter)};
    start(a);
    for (int i = 0; i < 40; i++) {
        live_hear(sub, live_key(&house.live, "count"));
        assert_int_equal(arc_host_automation_swap(a, images[i % 2], NULL), ARCD_OK);
        hear_n(sub, "count", 1);
    }
    assert_int_equal(arc_host_automation_state(a), ARC_HOST_STATE_RUNNING);
    arc_host_automation_free(a);
    telem_sub_close(sub);
}

/* ---- Readers beside it */

static void *look_all_the_time(void *arg)
{
    static struct arc_host_timing_snapshot snapshot;
    struct arc_host_automation *a = arg;
    struct arc_host_automation_info info;
    double cpu_share;
    for (int i = 0; i < 300; i++) {
        arc_host_automation_info(a, &info);
        arc_host_automation_timing(a, &snapshot, &cpu_share);
        if (i % 50 == 0)
            arc_host_automation_reset_timing(a);
    }
    return NULL;
}

static void others_may_look_while_it_starts_and_stops(void **state)
{
    (void)state;
    struct arc_host_automation *a = make(counter, true);
    pthread_t reader;
    assert_int_equal(pthread_create(&reader, NULL, look_all_the_time, a), 0);
    for (int i = 0; i < 20; i++) {
        start(a);
        arc_host_automation_set_level(a, (enum arc_host_level)(i % ARC_HOST_LEVEL_COUNT));
        arc_host_automation_service(a, base_mono_ns());
        arc_host_automation_stop(a);
    }
    pthread_join(reader, NULL);
    arc_host_automation_free(a);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_house, close_house)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_runs_on_its_grid_and_publishes),
        TEST(stop_releases_the_channels_and_start_begins_from_scratch),
        TEST(options_out_of_range_are_refused_with_the_range),
        TEST(a_channel_with_a_publisher_of_its_own_cannot_be_written),
        TEST(policy_priority_and_core_are_what_info_says),
        TEST(a_normal_automation_is_neither_real_time_nor_pinned),
        TEST(a_core_that_does_not_exist_is_said_and_it_runs_all_the_same),
        TEST(without_permission_it_warns_once_and_runs_as_a_normal_thread),
        TEST(level_high_keeps_cores_awake_for_as_long_as_it_runs),
        TEST(cores_that_cannot_be_kept_awake_are_a_warning),
        TEST(a_fault_stops_it_alone_and_says_where_and_why),
        TEST(a_loop_without_end_is_stopped_by_its_budget),
        TEST(a_status_is_answered_by_the_supervisor),
        TEST(a_status_that_fails_is_a_warning_and_the_program_goes_on),
        TEST(statistics_are_channels),
        TEST(dropped_samples_are_reported_with_their_channel),
        TEST(missed_deadlines_are_reported_at_most_once_a_second),
        TEST(a_reset_clears_the_figures_of_a_running_automation),
        TEST(a_swap_changes_the_program_without_a_stop),
        TEST(a_swap_that_cannot_be_leaves_all_as_it_was),
        TEST(swaps_in_a_row_lose_nothing_but_state),
        TEST(others_may_look_while_it_starts_and_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
