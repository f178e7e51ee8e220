#include "driver/bench/child.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_NS = 5000000, NS_PER_MS = 1000000 };

/* In the child: async-signal-safe calls only. `report` closes by itself when exec works. */
static void become(const struct bench_child_opts *opts, pid_t parent, int out, int report)
{
    sigset_t none;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, (unsigned long)opts->signal_at_our_end, 0UL, 0UL, 0UL);
    if (getppid() != parent)
        _exit(1); /* it ended before the kernel knew what to do then */
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    int in = open("/dev/null", O_RDONLY);
    if (in >= 0)
        dup2(in, STDIN_FILENO);
    execvp(opts->argv[0], (char *const *)(uintptr_t)opts->argv);
    int errnum = errno;
    ssize_t n = write(report, &errnum, sizeof errnum);
    _exit(n == (ssize_t)sizeof errnum ? 1 : 2);
}

static void close_if_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* out[0] is ours, out[1] the child's. */
static bool open_output(bool capture, int out[2])
{
    if (capture)
        return pipe2(out, O_CLOEXEC) == 0;
    out[0] = -1;
    out[1] = open("/dev/null", O_WRONLY | O_CLOEXEC);
    return out[1] >= 0;
}

/* 0 once the program runs, or the errno of why it does not. */
static int wait_for_exec(int report)
{
    int errnum = 0;
    ssize_t n;
    do
        n = read(report, &errnum, sizeof errnum);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof errnum ? errnum : 0;
}

static enum arcd_err failed(struct bench_child *child, const struct bench_child_opts *opts,
                            int errnum, struct arcd_errinfo *why)
{
    if (child->pid > 0)
        bench_child_stop(child, SIGKILL, BASE_NS_PER_S);
    if (errnum == ENOENT)
        return arcd_fail(why, ARCD_ERR_NOTFOUND, errnum, "%s is not installed", opts->argv[0]);
    return arcd_fail_errno(why, errnum, "cannot run %s", opts->argv[0]);
}

enum arcd_err bench_child_start(struct bench_child *child, const struct bench_child_opts *opts,
                                struct arcd_errinfo *why)
{
    int out[2] = {-1, -1}, report[2] = {-1, -1};
    *child = (struct bench_child){.out = -1};
    if (!open_output(opts->capture, out) || pipe2(report, O_CLOEXEC) != 0) {
        int errnum = errno;
        close_if_open(out[0]);
        close_if_open(out[1]);
        return failed(child, opts, errnum, why);
    }
    pid_t parent = getpid();
    child->pid = fork();
    int errnum = child->pid < 0 ? errno : 0;
    if (child->pid == 0)
        become(opts, parent, out[1], report[1]);
    close(out[1]);
    close(report[1]);
    if (child->pid > 0) {
        child->out = out[0];
        setpgid(child->pid, child->pid); /* both do it: whoever comes first */
        errnum = wait_for_exec(report[0]);
    } else {
        child->pid = 0;
        close_if_open(out[0]);
    }
    close(report[0]);
    return errnum == 0 ? ARCD_OK : failed(child, opts, errnum, why);
}

ptrdiff_t bench_child_read(struct bench_child *child, char *bytes, size_t size,
                           int64_t deadline_mono_ns)
{
    struct pollfd ready = {.fd = child->out, .events = POLLIN};
    int64_t left_ns = deadline_mono_ns - base_mono_ns();
    int timeout_ms = left_ns <= 0 ? 0 : (int)(left_ns / NS_PER_MS) + 1;
    if (poll(&ready, 1, timeout_ms) <= 0)
        return -1;
    ssize_t n = read(child->out, bytes, size);
    return n < 0 && errno != EINTR ? 0 : n;
}

void bench_child_signal(const struct bench_child *child, int signum)
{
    if (child->pid > 0)
        kill(child->pid, signum);
}

/* Looks without taking the result: the group's number is not given to others meanwhile. */
bool bench_child_has_ended(const struct bench_child *child)
{
    siginfo_t info = {0};
    if (child->pid <= 0)
        return true;
    int rc = waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    return rc != 0 ? errno != EINTR : info.si_pid == child->pid;
}

void bench_child_stop(struct bench_child *child, int signum, int64_t patience_ns)
{
    if (child->pid <= 0)
        return;
    int64_t give_up = base_mono_ns() + patience_ns;
    kill(-child->pid, signum);
    while (!bench_child_has_ended(child) && base_mono_ns() < give_up)
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    kill(-child->pid, SIGKILL);
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    close_if_open(child->out);
    *child = (struct bench_child){.out = -1};
}
