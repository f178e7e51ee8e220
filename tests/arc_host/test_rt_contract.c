/* The real-time contract, by its effect on a running automation: 1 kHz, with data at 100 Hz.
 *
 * First part: its thread must fault no page. Second part: a tracer looks at every system call of
 * the thread; only the wait and wakes (futex) may be among them, and the clock where the machine
 * has no vDSO for it. The tracer stops the thread at each call, so faults are counted without it.
 *
 * Seconds per part: the first argument, 2 without one. What was counted is printed.
 */
#include "arc_host/automation.h"

#include "tests/arc_host/live.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = true }; /* a sanitizer's run-time faults pages and makes calls of its own */
#else
enum { SANITIZED = false };
#endif

enum { MOST_SYSCALLS = 1024, WARM_UP_MS = 300 };

static int seconds = 2;

/* ---- The automation and what is around it */

static const char program[] = "import time\n"
                              "func spacing_us(t i64 ns) f64 {\n"
                              "    prev $= t\n"
                              "    d := t - prev\n"
                              "    prev = t\n"
                              "    return f64(d) / 1000.0\n"
                              "}\n"
                              "func smooth(x f64) f64 {\n"
                              "    s $= x\n"
                              "    s = s * 0.9 + x * 0.1\n"
                              "    return s\n"
                              "}\n"
                              "func note(x f64) str {\n"
                              "    return f\"level {x:.2f}\"\n"
                              "}\n"
                              "time.interval{period=1ms} -> time.now{} -> spacing_us{} -> spacing\n"
                              "level -> smooth{} -> level_smooth\n"
                              "level -> note{} -> level_note\n";

struct rig {
    struct live live;
    struct arc_host_cores cores;
    struct arc_host_idle idle;
    struct arc_host_env env;
    struct arc_host_automation *automation;
    struct telem_pub *sensor;
    struct telem_sub *sub;
    pthread_t listener;
    _Atomic bool stop;
    _Atomic uint64_t heard; /* samples of `spacing` */
};

static struct rig rig;

/* A consumer that sleeps between batches, so that the automation has somebody to wake. */
static void *listen(void *arg)
{
    (void)arg;
    struct base_doorbell *bell = telem_sub_bell(rig.sub);
    while (!atomic_load(&rig.stop)) {
        uint32_t seen = base_doorbell_read(bell);
        struct live_heard h = live_hear(rig.sub, live_key(&rig.live, "spacing"));
        atomic_fetch_add(&rig.heard, h.n);
        base_doorbell_wait(bell, seen, BASE_NEVER);
    }
    return NULL;
}

static void open_rig(void)
{
    memset(&rig, 0, sizeof rig);
    live_open(&rig.live, "level f64@, spacing f64, level_smooth f64, level_note str");
    arc_host_cores_read(&rig.cores);
    arc_host_idle_init(&rig.idle, NULL);
    rig.env = (struct arc_host_env){.bus = rig.live.bus, .cores = &rig.cores, .idle = &rig.idle};
    rig.sensor = live_sensor(&rig.live, "level", 20);
    rig.sub = live_listen(&rig.live, "spacing", 64);
    struct arc_host_automation_opts opts = {
        .name = "Contract",
        .image = live_compile(&rig.live, program),
        .level = ARC_HOST_LEVEL_AUTO,
        .realtime = true,
        .authority = 255,
    };
    struct arcd_errinfo why;
    if (arc_host_automation_new(&rig.env, &opts, &rig.automation, &why) != ARCD_OK ||
        arc_host_automation_start(rig.automation, &why) != ARCD_OK)
        fail_msg("%s", why.text);
    assert_int_equal(pthread_create(&rig.listener, NULL, listen, NULL), 0);
}

static void close_rig(void)
{
    arc_host_automation_free(rig.automation);
    atomic_store(&rig.stop, true);
    base_doorbell_ring(telem_sub_bell(rig.sub));
    pthread_join(rig.listener, NULL);
    telem_sub_close(rig.sub);
    telem_pub_close(rig.sensor);
    arc_host_idle_fini(&rig.idle);
    live_close(&rig.live);
}

/* Data at 100 Hz, 10 rows a batch, for so long. */
static void feed(int64_t duration_ns)
{
    int64_t begin = base_mono_ns();
    for (int64_t at = begin; at < begin + duration_ns; at += 10 * BASE_NS_PER_MS) {
        struct timespec until = {at / BASE_NS_PER_S, at % BASE_NS_PER_S};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        live_put(rig.sensor, (double)(at % 100), 10, base_utc_ns());
    }
}

/* ---- Page faults and switches, as the kernel counts them for the thread */

struct thread_counts {
    unsigned long minor, major, voluntary, involuntary;
};

static struct thread_counts read_counts(int tid)
{
    struct thread_counts counts = {0};
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    /* Behind the name, which may hold blanks: state, 6 numbers, minflt, cminflt, majflt. */
    const char *rest = strrchr(line, ')');
    assert_non_null(rest);
    assert_int_equal(
        sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %lu %*u %lu", &counts.minor, &counts.major), 2);
    snprintf(path, sizeof path, "/proc/self/task/%d/status", tid);
    file = fopen(path, "re");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        (void)sscanf(line, "voluntary_ctxt_switches: %lu", &counts.voluntary);
        (void)sscanf(line, "nonvoluntary_ctxt_switches: %lu", &counts.involuntary);
    }
    fclose(file);
    return counts;
}

/* ---- The tracer: a process of its own, made before the automation's thread */

struct trace {
    _Atomic int tid;  /* go, when not 0 */
    _Atomic int done; /* 1: traced; -1: not permitted */
    int error;        /* errno then */
    uint32_t calls[MOST_SYSCALLS];
    uint64_t n_calls;
};

static struct trace *trace; /* shared memory */

static long syscall_number(int tid)
{
    struct __ptrace_syscall_info info;
    long n = ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof info, &info);
    return n > 0 && info.op == PTRACE_SYSCALL_INFO_ENTRY ? (long)info.entry.nr : -1;
}

/* Counts the calls of one stopped thread for so long, then lets it go. */
static void count_calls(int tid)
{
    int64_t end = base_mono_ns() + seconds * BASE_NS_PER_S;
    for (;;) {
        int status;
        if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
            return;
        long nr = WSTOPSIG(status) == (SIGTRAP | 0x80) ? syscall_number(tid) : -1;
        if (nr >= 0 && nr < MOST_SYSCALLS) {
            trace->calls[nr]++;
            trace->n_calls++;
        }
        if (base_mono_ns() >= end) {
            ptrace(PTRACE_DETACH, tid, NULL, NULL);
            return;
        }
        ptrace(PTRACE_SYSCALL, tid, NULL, NULL);
    }
}

static void be_tracer(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (atomic_load(&trace->tid) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    int tid = atomic_load(&trace->tid);
    if (ptrace(PTRACE_SEIZE, tid, NULL, PTRACE_O_TRACESYSGOOD) != 0 ||
        ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0) {
        trace->error = errno;
        atomic_store(&trace->done, -1);
        _exit(0);
    }
    count_calls(tid);
    atomic_store(&trace->done, 1);
    _exit(0);
}

static pid_t start_tracer(void)
{
    trace = mmap(NULL, sizeof *trace, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(trace != MAP_FAILED);
    pid_t tracer = fork();
    assert_true(tracer >= 0);
    if (tracer == 0)
        be_tracer();
    prctl(PR_SET_PTRACER, tracer);
    return tracer;
}

/* ---- The contract */

static void check_faults(void)
{
    struct arc_host_automation_info info;
    arc_host_automation_info(rig.automation, &info);
    int tid = arc_host_automation_tid(rig.automation);
    feed(WARM_UP_MS * BASE_NS_PER_MS);
    uint64_t heard = atomic_load(&rig.heard);
    struct thread_counts before = read_counts(tid);
    feed(seconds * BASE_NS_PER_S);
    struct thread_counts after = read_counts(tid);
    print_message("  thread: %s, memory %s\n",
                  info.realtime ? "SCHED_FIFO 47, pinned" : "normal (no permission)",
                  info.memory_locked ? "locked" : "not locked (no permission)");
    print_message(
        "  %d s: %llu timer cycles, %lu minor and %lu major faults, %lu voluntary and %lu "
        "other switches\n",
        seconds, (unsigned long long)(atomic_load(&rig.heard) - heard), after.minor - before.minor,
        after.major - before.major, after.voluntary - before.voluntary,
        after.involuntary - before.involuntary);
    assert_true(atomic_load(&rig.heard) > heard);
    if (info.memory_locked) {
        assert_int_equal(after.minor - before.minor, 0);
        assert_int_equal(after.major - before.major, 0);
    }
}

/* Stopping the thread for the first time interrupts its wait, which the kernel then restarts by a
 * call of its own: once, and not the thread's doing. */
static bool is_allowed(long nr)
{
    return nr == SYS_futex || nr == SYS_clock_gettime ||
           (nr == SYS_restart_syscall && trace->calls[nr] == 1);
}

static void check_calls(void)
{
    atomic_store(&trace->tid, arc_host_automation_tid(rig.automation));
    while (atomic_load(&trace->done) == 0)
        feed(100 * BASE_NS_PER_MS);
    if (atomic_load(&trace->done) < 0)
        fail_msg("cannot trace the thread: %s", strerror(trace->error));
    print_message("  %d s traced: %llu system calls\n", seconds,
                  (unsigned long long)trace->n_calls);
    for (long nr = 0; nr < MOST_SYSCALLS; nr++)
        if (trace->calls[nr] > 0)
            print_message("    %-16s %u\n",
                          nr == SYS_futex             ? "futex"
                          : nr == SYS_clock_gettime   ? "clock_gettime"
                          : nr == SYS_restart_syscall ? "restart_syscall"
                                                      : "another",
                          trace->calls[nr]);
    assert_true(trace->calls[SYS_futex] > 0);
    for (long nr = 0; nr < MOST_SYSCALLS; nr++)
        if (trace->calls[nr] > 0 && !is_allowed(nr))
            fail_msg("system call %ld was made %u times", nr, trace->calls[nr]);
}

static void a_running_automation_faults_no_page_and_calls_only_its_wait_and_wakes(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    pid_t tracer = start_tracer();
    open_rig();
    check_faults();
    check_calls();
    struct arc_host_automation_info info;
    arc_host_automation_info(rig.automation, &info);
    assert_int_equal(info.state, ARC_HOST_STATE_RUNNING);
    assert_true(info.samples.sent > 0);
    close_rig();
    waitpid(tracer, NULL, 0);
    munmap(trace, sizeof *trace);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        seconds = atoi(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_running_automation_faults_no_page_and_calls_only_its_wait_and_wakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
