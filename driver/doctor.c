/* One small function a finding: read, judge, say. The order is the order in which fixing pays. */
#include "driver/doctor.h"

#include "base/mark.h"
#include "base/rt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct exam {
    const char *root;
    const struct driver_doctor_process *process;
    struct driver_doctor_finding *findings;
    size_t n;
};

/* ---- Reading -----------------------------------------------------------------------------------
 */

/* The first line of root/path without its end; false when there is none. */
static bool read_line(const struct exam *exam, const char *path, char *line, size_t size)
{
    char full[700];
    snprintf(full, sizeof full, "%s%s", exam->root, path);
    FILE *file = fopen(full, "r");
    line[0] = '\0';
    if (file == NULL)
        return false;
    bool ok = fgets(line, (int)size, file) != NULL;
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return ok;
}

/* A whole number at the beginning of the line; 0 when there is none. */
static long number(const char *line)
{
    return strtol(line, NULL, 10);
}

static bool file_contains(const struct exam *exam, const char *path, const char *word)
{
    char full[700], line[2048];
    snprintf(full, sizeof full, "%s%s", exam->root, path);
    FILE *file = fopen(full, "r");
    if (file == NULL)
        return false;
    bool found = false;
    while (!found && fgets(line, sizeof line, file) != NULL)
        found = strstr(line, word) != NULL;
    fclose(file);
    return found;
}

/* "Operation not permitted" */
static const char *reason(int errnum, char text[64])
{
    return strerror_r(errnum, text, 64);
}

__attribute__((format(printf, 6, 7))) static void add(struct exam *exam,
                                                      enum driver_doctor_grade grade,
                                                      const char *topic, const char *cost,
                                                      const char *fix, const char *fmt, ...)
{
    ARCD_ASSERT(exam->n < DRIVER_DOCTOR_MAX_FINDINGS);
    struct driver_doctor_finding *f = &exam->findings[exam->n++];
    f->grade = grade;
    f->topic = topic;
    f->cost = grade == DRIVER_DOCTOR_GOOD ? "" : cost;
    f->fix = grade == DRIVER_DOCTOR_GOOD ? "" : fix;
    va_list args;
    va_start(args, fmt);
    vsnprintf(f->found, sizeof f->found, fmt, args);
    va_end(args);
}

/* ---- What the process may do -------------------------------------------------------------------
 */

static void *try_fifo(void *arg)
{
    struct driver_doctor_process *process = arg;
    struct base_rt_request request = {.name = "arcd-doctor", .fifo_priority = 47};
    struct base_rt_got got;
    base_rt_apply(&request, &got);
    process->may_fifo = got.fifo;
    process->fifo_errno = got.sched_errno;
    return NULL;
}

void driver_doctor_probe(struct driver_doctor_process *process)
{
    *process = (struct driver_doctor_process){0};
    pthread_t thread;
    if (base_thread_start(&thread, try_fifo, process, NULL) == ARCD_OK)
        base_thread_join(thread);
    process->may_lock = mlockall(MCL_CURRENT) == 0;
    process->lock_errno = process->may_lock ? 0 : errno;
    if (process->may_lock)
        munlockall();
    int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    process->may_hold_idle = fd >= 0;
    process->idle_errno = fd >= 0 ? 0 : errno;
    if (fd >= 0)
        close(fd);
}

static void examine_process(struct exam *exam)
{
    const struct driver_doctor_process *p = exam->process;
    char text[64];
    add(exam, p->may_fifo ? DRIVER_DOCTOR_GOOD : DRIVER_DOCTOR_BAD, "real-time priority",
        "automations run as normal threads and wait for whatever else runs",
        "install arcd as a service, run it as root, or grant CAP_SYS_NICE or an rtprio limit of 47 "
        "or more",
        p->may_fifo ? "SCHED_FIFO 47 is granted" : "SCHED_FIFO 47 is refused: %s",
        reason(p->fifo_errno, text));
    add(exam, p->may_lock ? DRIVER_DOCTOR_GOOD : DRIVER_DOCTOR_BAD, "memory lock",
        "a page that was swapped out or never touched costs up to milliseconds in the middle of a "
        "cycle",
        "raise the memlock limit to unlimited, or grant CAP_IPC_LOCK",
        p->may_lock ? "memory can be locked" : "mlockall is refused: %s",
        reason(p->lock_errno, text));
    add(exam, p->may_hold_idle ? DRIVER_DOCTOR_GOOD : DRIVER_DOCTOR_NOTE, "deep idle states",
        "at level high arcd keeps cores out of deep sleep; without it a wake-up can cost some 100 "
        "us",
        "give arcd write access to /dev/cpu_dma_latency (a udev rule, or run as root)",
        p->may_hold_idle ? "can be held off at level high" : "/dev/cpu_dma_latency: %s",
        reason(p->idle_errno, text));
}

/* ---- The kernel --------------------------------------------------------------------------------
 */

static void examine_preemption(struct exam *exam)
{
    char line[512];
    static const char cost[] = "the kernel can hold up a real-time thread for tens of milliseconds";
    static const char fix[] = "boot a PREEMPT_RT kernel: apt install linux-image-rt-amd64";
    bool rt = (read_line(exam, "/sys/kernel/realtime", line, sizeof line) && line[0] == '1') ||
              file_contains(exam, "/proc/version", "PREEMPT_RT");
    if (rt) {
        add(exam, DRIVER_DOCTOR_GOOD, "kernel preemption", cost, fix, "PREEMPT_RT");
        return;
    }
    bool dynamic = file_contains(exam, "/proc/version", "PREEMPT_DYNAMIC");
    bool full = file_contains(exam, "/proc/cmdline", "preempt=full") ||
                (!dynamic && file_contains(exam, "/proc/version", "PREEMPT"));
    if (full)
        add(exam, DRIVER_DOCTOR_NOTE, "kernel preemption",
            "most of the kernel can be interrupted, but locks and interrupts still delay by up to "
            "milliseconds",
            fix, "PREEMPT, not PREEMPT_RT");
    else
        add(exam, DRIVER_DOCTOR_BAD, "kernel preemption", cost, fix,
            dynamic ? "PREEMPT_DYNAMIC without preempt=full" : "no kernel preemption");
}

static void examine_isolation(struct exam *exam)
{
    char line[256];
    bool any =
        read_line(exam, "/sys/devices/system/cpu/isolated", line, sizeof line) && line[0] != '\0';
    add(exam, any ? DRIVER_DOCTOR_GOOD : DRIVER_DOCTOR_NOTE, "isolated cores",
        "automations share their cores with everything else on the machine",
        "boot with isolcpus=N nohz_full=N rcu_nocbs=N for the last core or cores",
        any ? "cores %s are isolated" : "none%s", any ? line : "");
}

static void examine_throttling(struct exam *exam)
{
    char runtime[32], period[32];
    static const char cost[] =
        "a real-time thread that does not sleep enough is stopped for the rest of each period";
    if (!read_line(exam, "/proc/sys/kernel/sched_rt_runtime_us", runtime, sizeof runtime) ||
        !read_line(exam, "/proc/sys/kernel/sched_rt_period_us", period, sizeof period)) {
        add(exam, DRIVER_DOCTOR_NOTE, "real-time throttling", cost, "", "unknown");
        return;
    }
    long period_us = number(period) > 0 ? number(period) : 1;
    double share = (double)number(runtime) / (double)period_us;
    /* arcd never checks the clock for more than half of a wait, so the usual 95 % are never met. */
    bool fine = number(runtime) < 0 || share >= 0.9;
    add(exam, fine ? DRIVER_DOCTOR_GOOD : DRIVER_DOCTOR_BAD, "real-time throttling", cost,
        "sysctl kernel.sched_rt_runtime_us=950000",
        number(runtime) < 0 ? "off%s%s" : "%s us in %s us", number(runtime) < 0 ? "" : runtime,
        number(runtime) < 0 ? "" : period);
}

static void examine_clock(struct exam *exam)
{
    char line[64];
    static const char cost[] = "reading the clock becomes a system call of a microsecond or more";
    static const char fix[] =
        "let the kernel use the processor's counter: boot with clocksource=tsc (tsc=reliable in "
        "a machine that keeps it steady)";
    if (!read_line(exam, "/sys/devices/system/clocksource/clocksource0/current_clocksource", line,
                   sizeof line)) {
        add(exam, DRIVER_DOCTOR_NOTE, "clock source", cost, fix, "unknown");
        return;
    }
    static const char *const fast[] = {"tsc", "arch_sys_counter", "kvm-clock"};
    bool good = false;
    for (size_t i = 0; i < ARCD_COUNT_OF(fast); i++)
        good = good || strcmp(line, fast[i]) == 0;
    add(exam, good ? DRIVER_DOCTOR_GOOD : DRIVER_DOCTOR_BAD, "clock source", cost, fix, "%s", line);
}

/* ---- The processor -----------------------------------------------------------------------------
 */

static void examine_governor(struct exam *exam)
{
    char line[64];
    if (!read_line(exam, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", line,
                   sizeof line)) {
        add(exam, DRIVER_DOCTOR_GOOD, "frequency governor", "", "",
            "none: the frequency does not change");
        return;
    }
    add(exam, strcmp(line, "performance") == 0 ? DRIVER_DOCTOR_GOOD : DRIVER_DOCTOR_NOTE,
        "frequency governor", "a core that was idle runs the first cycles slowly",
        "cpupower frequency-set -g performance", "%s", line);
}

static void examine_idle_states(struct exam *exam)
{
    char path[128], name[64], latency[32], deepest[64] = "none";
    long worst_us = 0;
    for (int i = 0; i < 16; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cpuidle/state%d/latency", i);
        if (!read_line(exam, path, latency, sizeof latency))
            break;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cpuidle/state%d/name", i);
        (void)read_line(exam, path, name, sizeof name);
        if (number(latency) >= worst_us) {
            worst_us = number(latency);
            snprintf(deepest, sizeof deepest, "%s", name);
        }
    }
    bool fine = worst_us <= 10 || exam->process->may_hold_idle;
    add(exam, fine ? DRIVER_DOCTOR_GOOD : DRIVER_DOCTOR_NOTE, "idle latency",
        "waking a core from its deepest sleep costs that long",
        "use level high, or boot with processor.max_cstate=1",
        worst_us > 10 && fine ? "deepest state %s: %ld us; held off at level high"
                              : "deepest state %s: %ld us",
        deepest, worst_us);
}

static void examine_smt(struct exam *exam)
{
    char line[16];
    bool active =
        read_line(exam, "/sys/devices/system/cpu/smt/active", line, sizeof line) && line[0] == '1';
    add(exam, active ? DRIVER_DOCTOR_NOTE : DRIVER_DOCTOR_GOOD, "simultaneous threads",
        "work on the sibling of a core slows a control loop down by up to half",
        "switch it off: echo off > /sys/devices/system/cpu/smt/control, or in the firmware",
        active ? "active" : "not active");
}

static void examine_hypervisor(struct exam *exam)
{
    bool guest = file_contains(exam, "/proc/cpuinfo", " hypervisor");
    add(exam, guest ? DRIVER_DOCTOR_BAD : DRIVER_DOCTOR_GOOD, "hypervisor",
        "the host can take the processor away at any time, for milliseconds, and nothing in here "
        "can prevent it",
        "run on the machine itself, or pin the guest's processors to cores of their own",
        guest ? "this is a virtual machine" : "none");
}

enum { MAX_IRQ = 1024 };

/* Interrupts that are served on the last core, where automations run unless told otherwise. */
static void examine_interrupts(struct exam *exam)
{
    char path[64], list[128], online[64];
    (void)read_line(exam, "/sys/devices/system/cpu/online", online, sizeof online);
    const char *dash = strrchr(online, '-');
    long last = dash != NULL ? number(dash + 1) : 0;
    int on_last = 0, total = 0;
    for (int irq = 0; irq < MAX_IRQ; irq++) {
        snprintf(path, sizeof path, "/proc/irq/%d/effective_affinity_list", irq);
        if (!read_line(exam, path, list, sizeof list))
            continue;
        total++;
        on_last += list[0] != '\0' && number(list) == last;
    }
    bool fine = last == 0 || on_last == 0;
    add(exam, fine ? DRIVER_DOCTOR_GOOD : DRIVER_DOCTOR_NOTE, "interrupts",
        "an interrupt on an automation's core delays its cycle by some microseconds",
        "move them: write the other cores' mask to /proc/irq/N/smp_affinity, and stop irqbalance "
        "there",
        last == 0 ? "one core: nothing to choose" : "%d of %d are served on core %ld", on_last,
        total, last);
}

size_t driver_doctor_examine(const char *root, const struct driver_doctor_process *process,
                             struct driver_doctor_finding findings[DRIVER_DOCTOR_MAX_FINDINGS])
{
    struct exam exam = {root, process, findings, 0};
    examine_process(&exam);
    examine_preemption(&exam);
    examine_isolation(&exam);
    examine_throttling(&exam);
    examine_clock(&exam);
    examine_idle_states(&exam);
    examine_governor(&exam);
    examine_smt(&exam);
    examine_interrupts(&exam);
    examine_hypervisor(&exam);
    return exam.n;
}
