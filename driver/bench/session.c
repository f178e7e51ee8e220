#include "driver/bench/session.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TICK_NS = 100000000 };

static const char clear_line[] = "\r\033[K";

void bench_session_init(struct bench_session *session, const volatile sig_atomic_t *stop)
{
    memset(session, 0, sizeof *session);
    session->stop = stop;
    session->out = stderr;
    session->is_terminal = isatty(STDERR_FILENO) == 1;
}

void bench_session_plan(struct bench_session *session, int64_t total_ns)
{
    session->left_ns = total_ns;
}

static void show(const struct bench_session *session)
{
    int64_t left_s = (session->left_ns + BASE_NS_PER_S / 2) / BASE_NS_PER_S;
    if (session->is_terminal)
        fprintf(session->out, "%s%s  (%lld:%02lld left)", clear_line, session->step,
                (long long)(left_s / 60), (long long)(left_s % 60));
    fflush(session->out);
}

void bench_session_step(struct bench_session *session, const char *fmt, ...)
{
    char step[sizeof session->step];
    va_list args;
    va_start(args, fmt);
    vsnprintf(step, sizeof step, fmt, args);
    va_end(args);
    if (!session->is_terminal && strcmp(step, session->step) != 0)
        fprintf(session->out, "%s\n", step);
    memcpy(session->step, step, sizeof step);
    show(session);
}

bool bench_session_is_stopped(const struct bench_session *session)
{
    return *session->stop != 0;
}

bool bench_session_wait(struct bench_session *session, int64_t duration_ns, void (*tick)(void *ctx),
                        void *ctx)
{
    int64_t began = base_mono_ns(), end = began + duration_ns, left_before = session->left_ns;
    for (;;) {
        int64_t now = base_mono_ns();
        session->left_ns = left_before - (now - began);
        if (tick != NULL)
            tick(ctx);
        show(session);
        if (now >= end || bench_session_is_stopped(session))
            break;
        int64_t nap_ns = end - now < TICK_NS ? end - now : TICK_NS;
        nanosleep(&(struct timespec){.tv_nsec = nap_ns}, NULL);
    }
    session->left_ns = left_before - duration_ns;
    return !bench_session_is_stopped(session);
}

void bench_session_say(struct bench_session *session, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (session->is_terminal)
        fputs(clear_line, session->out);
    fputs("arcd: ", session->out);
    vfprintf(session->out, fmt, args);
    fputc('\n', session->out);
    va_end(args);
}

void bench_session_done(struct bench_session *session)
{
    if (session->is_terminal)
        fputs(clear_line, session->out);
    fflush(session->out);
}
