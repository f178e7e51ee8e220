/* driver/bench/timer_run.h - one automation of one interval, as the host runs it, turn about with
 * cyclictest at the same period, priority and core.
 *
 * Both sides get the same time, in turns of at most five seconds, three at least when there is time
 * for them: what the machine does meanwhile is then the same for both. Every turn is a start from
 * nothing: what the host learns about its wake-ups it learns again. One thread.
 */
#ifndef DRIVER_BENCH_TIMER_RUN_H
#define DRIVER_BENCH_TIMER_RUN_H

#include "arc_host/wait.h"
#include "driver/bench/result.h"
#include "driver/bench/session.h"

struct bench_timer_case {
    const char *test; /* "timers" */
    double rate_hz;
    enum arc_host_level level;
    bool realtime;
    const char *load; /* what is running already: "idle", "loaded" */
    bool versus;      /* cyclictest too */
    int64_t duration_ns;
};

/* "1 kHz" */
const char *bench_rate_text(double rate_hz, char text[32]);

/* How long it takes, for bench_session_plan(). */
int64_t bench_timer_case_ns(const struct bench_timer_case *c);

/* Ends early, with what there is, when the session is stopped. What keeps cyclictest from running
 * is said, and the result is then without it. An error: the host does not run. */
ARCD_MUST_CHECK enum arcd_err bench_timer_run(const struct bench_timer_case *c,
                                              struct bench_session *session,
                                              struct bench_result *result,
                                              struct arcd_errinfo *why);

#endif
