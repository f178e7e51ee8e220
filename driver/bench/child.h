/* driver/bench/child.h - a program that runs beside us for a while and never outlives us.
 *
 * Life cycle: child_start -> [child_read ...] -> child_stop. One thread, and the same one: the
 * kernel ends the child when the thread that started it ends, for whatever reason.
 *
 * The child leads a process group of its own, so that Ctrl-C at the terminal comes to us only, and
 * a stop reaches the children's children as well.
 */
#ifndef DRIVER_BENCH_CHILD_H
#define DRIVER_BENCH_CHILD_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct bench_child {
    pid_t pid; /* 0: none, or stopped */
    int out;   /* its stdout and stderr, in order; -1: not captured */
};

struct bench_child_opts {
    const char *const *argv; /* ends with NULL; argv[0] is looked for in PATH */
    bool capture;            /* false: what it says goes nowhere */
    int signal_at_our_end;   /* SIGTERM for a program that has something to clean up */
};

/* NOTFOUND: there is no such program. */
ARCD_MUST_CHECK enum arcd_err bench_child_start(struct bench_child *child,
                                                const struct bench_child_opts *opts,
                                                struct arcd_errinfo *why);

/* What it said since: 0 at the end of what it says, for good. Waits at most until deadline_mono_ns;
 * -1 when nothing came until then. */
ptrdiff_t bench_child_read(struct bench_child *child, char *bytes, size_t size,
                           int64_t deadline_mono_ns);

void bench_child_signal(const struct bench_child *child, int signum);

/* True when it has ended by itself; it still wants to be stopped. */
bool bench_child_has_ended(const struct bench_child *child);

/* Sends `signum`, waits up to patience_ns for the end, then kills what is left of its group. A
 * child that was stopped or not started is left alone. */
void bench_child_stop(struct bench_child *child, int signum, int64_t patience_ns);

#endif
