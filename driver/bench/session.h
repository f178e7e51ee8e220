/* driver/bench/session.h - what all questions share: when to stop, and how to say how far it is.
 *
 * Life cycle: session_init -> session_plan -> session_step, session_wait ... -> session_done.
 * One thread. Progress goes to stderr: a line that is written over and over on a terminal, else one
 * line a step, so that stdout is the result alone.
 */
#ifndef DRIVER_BENCH_SESSION_H
#define DRIVER_BENCH_SESSION_H

#include "base/clock.h"
#include "base/mark.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

struct bench_session {
    const volatile sig_atomic_t *stop; /* not 0: end early, with what there is */
    FILE *out;
    bool is_terminal;
    int64_t left_ns; /* of what was planned */
    char step[120];  /* "1 kHz, high, loaded: cyclictest" */
};

void bench_session_init(struct bench_session *session, const volatile sig_atomic_t *stop);

/* All waits together will take so long. */
void bench_session_plan(struct bench_session *session, int64_t total_ns);

/* What comes now. */
void bench_session_step(struct bench_session *session, const char *fmt, ...) ARCD_PRINTF(2, 3);

/* Waits, calling tick(ctx) ten times a second (NULL: nothing). False: stopped early. */
bool bench_session_wait(struct bench_session *session, int64_t duration_ns, void (*tick)(void *ctx),
                        void *ctx);

bool bench_session_is_stopped(const struct bench_session *session);

/* A sentence for the user, beside the progress. */
void bench_session_say(struct bench_session *session, const char *fmt, ...) ARCD_PRINTF(2, 3);

/* Takes the progress off the terminal. */
void bench_session_done(struct bench_session *session);

#endif
