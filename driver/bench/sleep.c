/* arcd bench sleep: how long a sleep of 2 ms takes, by the calls that a program has for it and by
 * the host's own wait: as a normal thread and with a priority, on an idle machine and on a busy
 * one. */
#include "driver/bench/questions.h"

#include "base/rt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
    BLOCK = 50, /* calls of one way, then it is the next one's turn */
    PRIORITY = 10,
    LOOPS = 10,
    N_CASES = 4,
    MOST_CALLS = 10000000,
};

enum way { WAY_USLEEP, WAY_NANOSLEEP, WAY_ARCD, N_WAYS };

static const char *const way_names[N_WAYS] = {"usleep", "clock_nanosleep", "arcd"};

struct sleep {
    uint32_t n_calls;
    int64_t sleep_ns;
    enum arc_host_level level;
    bool json;
    struct bench_session session;
};

/* One row of the table for each way. */
struct sleep_case {
    const struct sleep *sleep;
    bool realtime, busy;
    struct base_rt_got got;
    struct base_doorbell bell;
    struct arc_host_wait wait;
    _Atomic bool stop, ended;
    uint64_t early; /* of ours */
    struct base_histo_copy took[N_WAYS];
};

/* ---- The three ways */

static void sleep_by_usleep(int64_t ns)
{
    int64_t us = ns / BASE_NS_PER_US;
    for (; us >= 1000000; us -= 999999) /* it takes less than a second only */
        usleep(999999);
    usleep((useconds_t)us);
}

static void sleep_by_nanosleep(int64_t ns)
{
    struct timespec left = {ns / BASE_NS_PER_S, ns % BASE_NS_PER_S};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
        ;
}

static void sleep_by_arcd(struct sleep_case *c, int64_t until_mono_ns)
{
    uint32_t seen = base_doorbell_read(&c->bell);
    int64_t now;
    while (arc_host_wait_until(&c->wait, seen, until_mono_ns, &now) != ARC_HOST_WAKE_DEADLINE)
        ;
}

/* A normal thread is woken up to 50 us late by default, to wake several at once. The host asks for
 * the least; a program that just calls usleep does not. */
static void set_slack(enum way way)
{
    prctl(PR_SET_TIMERSLACK, way == WAY_ARCD ? 1UL : 0UL, 0UL, 0UL, 0UL);
}

static int64_t call_once(struct sleep_case *c, enum way way)
{
    int64_t ns = c->sleep->sleep_ns, began = base_mono_ns();
    switch (way) {
    case WAY_USLEEP: sleep_by_usleep(ns); break;
    case WAY_NANOSLEEP: sleep_by_nanosleep(ns); break;
    default: sleep_by_arcd(c, began + ns); break;
    }
    return base_mono_ns() - began;
}

/* ---- The thread that sleeps */

static void run_block(struct sleep_case *c, enum way way, uint32_t n)
{
    set_slack(way);
    for (uint32_t i = 0; i < n && !atomic_load(&c->stop); i++) {
        int64_t took = call_once(c, way);
        base_histo_copy_add(&c->took[way], took, 1);
        c->early += way == WAY_ARCD && took < c->sleep->sleep_ns;
    }
}

static void *sleeper(void *arg)
{
    struct sleep_case *c = arg;
    struct base_rt_request request = {.name = "sleeper",
                                      .fifo_priority = c->realtime ? PRIORITY : 0};
    base_rt_apply(&request, &c->got);
    struct arc_host_wait_ops ops = arc_host_wait_ops_system(&c->bell);
    arc_host_wait_init(&c->wait, &ops, c->sleep->level, c->got.fifo);
    uint32_t left = !c->realtime || c->got.fifo ? c->sleep->n_calls : 0;
    while (left > 0 && !atomic_load(&c->stop)) {
        uint32_t n = left < BLOCK ? left : BLOCK;
        for (int way = 0; way < N_WAYS; way++)
            run_block(c, (enum way)way, n);
        left -= n;
    }
    atomic_store(&c->ended, true);
    return NULL;
}

/* ---- One case */

static int64_t case_ns(const struct sleep *sleep)
{
    return (int64_t)sleep->n_calls * N_WAYS * sleep->sleep_ns;
}

static bool run_case(struct sleep *sleep, struct sleep_case *c)
{
    struct arcd_errinfo why;
    struct bench_load load;
    pthread_t thread;
    bench_session_step(&sleep->session, "%s thread, %s", c->realtime ? "FIFO 10" : "normal",
                       c->busy ? "10 busy loops" : "idle");
    bench_load_init(&load);
    if (c->busy && bench_load_start_loops(&load, LOOPS, &why) != ARCD_OK) {
        bench_session_say(&sleep->session, "%s", why.text);
        return false;
    }
    bool ok = base_thread_start(&thread, sleeper, c, &why) == ARCD_OK;
    if (!ok)
        bench_session_say(&sleep->session, "%s", why.text);
    while (ok && !atomic_load(&c->ended))
        if (!bench_session_wait(&sleep->session, BASE_NS_PER_S / 10, NULL, NULL))
            atomic_store(&c->stop, true);
    if (ok)
        base_thread_join(thread);
    bench_load_stop(&load);
    if (ok && c->realtime && !c->got.fifo)
        bench_session_say(&sleep->session, "no figures with priority %d: %s; %s", PRIORITY,
                          strerror(c->got.sched_errno), base_rt_priority_fix());
    return ok;
}

/* ---- Showing */

static json_t *way_json(const struct base_histo_copy *took, const char *name)
{
    return json_pack("{s:s,s:I,s:o,s:o,s:o,s:o,s:o}", "name", name, "count",
                     (json_int_t)took->count, "min_us", bench_json_real((double)took->min / 1e3, 3),
                     "mean_us", bench_json_real(base_histo_mean(took) / 1e3, 3), "p50_us",
                     bench_json_real((double)base_histo_quantile(took, 0.5) / 1e3, 3), "p99_us",
                     bench_json_real((double)base_histo_quantile(took, 0.99) / 1e3, 3), "worst_us",
                     bench_json_real((double)took->max / 1e3, 3));
}

static json_t *case_json(const struct sleep_case *c)
{
    json_t *calls = json_array();
    for (int way = 0; way < N_WAYS; way++)
        json_array_append_new(calls, way_json(&c->took[way], way_names[way]));
    return json_pack("{s:s,s:o,s:s,s:s,s:i,s:b,s:i,s:I,s:o}", "test", "sleep", "sleep_us",
                     bench_json_real((double)c->sleep->sleep_ns / 1e3, 3), "level",
                     arc_host_level_name(c->sleep->level), "load", c->busy ? "loaded" : "idle",
                     "busy_loops", c->busy ? LOOPS : 0, "realtime", c->realtime, "priority",
                     c->realtime ? PRIORITY : 0, "early", (json_int_t)c->early, "calls", calls);
}

static void case_rows(struct cli_table *table, const struct sleep_case *c)
{
    char text[24];
    for (int way = 0; way < N_WAYS; way++) {
        const struct base_histo_copy *took = &c->took[way];
        const double us[] = {(double)took->max / 1e3, (double)took->min / 1e3,
                             base_histo_mean(took) / 1e3,
                             (double)base_histo_quantile(took, 0.99) / 1e3};
        cli_table_row(table);
        if (way == 0) {
            cli_table_cell(table, 0, "%s", c->realtime ? "FIFO 10" : "normal");
            cli_table_cell(table, 1, "%s", c->busy ? "10 busy loops" : "idle");
        }
        cli_table_cell(table, 2, "%s", way_names[way]);
        cli_table_cell(table, 3, "%llu", (unsigned long long)took->count);
        for (int i = 0; i < (int)ARCD_COUNT_OF(us); i++)
            cli_table_cell(table, 4 + i, "%s", cli_duration(us[i], text));
    }
}

static void show(const struct sleep *sleep, const struct sleep_case *cases)
{
    uint64_t early = 0;
    json_t *runs = json_array();
    struct cli_table table;
    cli_table_init(&table, "thread|machine|call|calls>|max>|min>|avg>|p99>");
    for (int i = 0; i < N_CASES; i++) {
        if (cases[i].took[0].count == 0)
            continue;
        json_array_append_new(runs, case_json(&cases[i]));
        case_rows(&table, &cases[i]);
        early += cases[i].early;
    }
    if (sleep->json) {
        bench_json_print(runs);
    } else {
        cli_table_print(&table, stdout);
        printf("waits of arcd that ended early: %llu\n", (unsigned long long)early);
        json_decref(runs);
    }
    cli_table_free(&table);
}

/* ---- Options */

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct sleep *sleep = state->input;
    enum arc_host_level levels[BENCH_LIST_MAX];
    switch (key) {
    case 'n': sleep->n_calls = bench_option_count(state, "--calls", arg, MOST_CALLS); return 0;
    case 't': sleep->sleep_ns = bench_option_duration(state, arg); return 0;
    case 'l':
        if (bench_option_levels(state, arg, levels) != 1)
            argp_error(state, "one level, not '%s'", arg);
        sleep->level = levels[0];
        return 0;
    case 'j': sleep->json = true; return 0;
    case ARGP_KEY_ARG: argp_error(state, "no argument is expected: '%s'", arg); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"calls", 'n', "N", 0, "Of each kind, in each case (default 10000)", 0},
    {"time", 't', "TIME", 0, "That each asks for (default 2ms)", 0},
    {"level", 'l', "LEVEL", 0, "Of arcd's wait: low, auto (the default), medium or high", 0},
    {"json", 'j', NULL, 0, "Print the figures as JSON", 0},
    {0},
};

int bench_question_sleep(int argc, char **argv)
{
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "Measure how long a sleep of 2 ms takes: by usleep, by clock_nanosleep and by the "
               "wait of arcd, turn about in one thread; as a normal thread and with FIFO priority "
               "10, on an idle machine and with ten busy loops.\vCtrl-C ends it early, with what "
               "there is."};
    struct sleep sleep = {
        .n_calls = 10000, .sleep_ns = 2 * BASE_NS_PER_MS, .level = ARC_HOST_LEVEL_AUTO};
    argp_parse(&argp, argc, argv, 0, NULL, &sleep);
    struct sleep_case *cases = aligned_alloc(ARCD_CACHELINE, N_CASES * sizeof *cases);
    ARCD_ASSERT(cases != NULL);
    memset(cases, 0, N_CASES * sizeof *cases);
    cli_catch_signals();
    bench_session_init(&sleep.session, &cli_stop_signals);
    bench_session_plan(&sleep.session, N_CASES * case_ns(&sleep));
    bool ok = true;
    for (int i = 0; ok && i < N_CASES && !bench_session_is_stopped(&sleep.session); i++) {
        cases[i].sleep = &sleep;
        cases[i].busy = i >= N_CASES / 2;
        cases[i].realtime = i % 2 == 1;
        base_doorbell_init(&cases[i].bell);
        ok = run_case(&sleep, &cases[i]);
    }
    bench_session_done(&sleep.session);
    show(&sleep, cases);
    free(cases);
    return ok ? 0 : 1;
}
