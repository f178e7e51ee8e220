/* arcd bench wait: how long a sequence of `write, time.wait, write` holds what it wrote first, by
 * the timestamps of the two samples. */
#include "driver/bench/questions.h"
#include "driver/bench/rig.h"

#include <stdlib.h>
#include <string.h>

enum { N_WAITS = 4, MOST_HOLDS = 100000, POLL_NS = 1000000 };

static const int64_t waits_ms[N_WAITS] = {1, 10, 100, 1000};

/* How long a sample may be on its way to us after its time has come. */
static const int64_t patience_ns = 10 * BASE_NS_PER_S;

struct wait {
    uint32_t n_holds;
    enum arc_host_level level;
    bool loaded, normal, json;
    struct bench_session session;
    struct bench_rig rig;
    struct arc_host_timing_snapshot snapshot;
    struct telem_pub *go[N_WAITS];
    struct telem_sub *mark[N_WAITS];
    struct telem_key mark_key[N_WAITS];
    struct bench_result *results[N_WAITS];
};

/* ---- The program: a sequence for each wait */

static void write_program(char text[2048])
{
    size_t len = (size_t)snprintf(text, 2048, "import time\n");
    for (int i = 0; i < N_WAITS; i++) {
        long long ms = waits_ms[i];
        len += (size_t)snprintf(text + len, 2048 - len,
                                "sequence hold_%lld {\n"
                                "    1 -> mark_%lld\n"
                                "    time.wait{%lldms}\n"
                                "    2 -> mark_%lld\n"
                                "}\n"
                                "go_%lld -> hold_%lld\n",
                                ms, ms, ms, ms, ms, ms);
    }
}

static enum arcd_err open_ends(struct wait *wait, int i, struct telem_key go,
                               struct arcd_errinfo *why)
{
    struct telem_pub_opts pub = {.name = "bench", .keys = &go, .n_keys = 1, .max_rows = 1};
    struct telem_sub_opts sub = {
        .name = "bench", .keys = &wait->mark_key[i], .n_keys = 1, .queue = 8};
    enum arcd_err err = telem_pub_open(wait->rig.bus, &pub, &wait->go[i], why);
    return err == ARCD_OK ? telem_sub_open(wait->rig.bus, &sub, &wait->mark[i], why) : err;
}

static enum arcd_err set_up(struct wait *wait, struct arcd_errinfo *why)
{
    char text[2048], name[32];
    for (int i = 0; i < N_WAITS; i++) {
        snprintf(name, sizeof name, "go_%lld", (long long)waits_ms[i]);
        struct telem_key go = bench_rig_channel(&wait->rig, name, TELEM_U8);
        snprintf(name, sizeof name, "mark_%lld", (long long)waits_ms[i]);
        wait->mark_key[i] = bench_rig_channel(&wait->rig, name, TELEM_U8);
        enum arcd_err err = open_ends(wait, i, go, why);
        if (err != ARCD_OK)
            return err;
    }
    write_program(text);
    enum arcd_err err = bench_rig_add(&wait->rig, "holds", text, wait->level, !wait->normal, why);
    return err == ARCD_OK ? bench_rig_start(&wait->rig, why) : err;
}

static void close_ends(struct wait *wait)
{
    for (int i = 0; i < N_WAITS; i++) {
        telem_sub_close(wait->mark[i]);
        telem_pub_close(wait->go[i]);
    }
}

/* ---- One hold */

static bool send_go(struct telem_pub *go)
{
    struct telem_batch *batch = telem_pub_borrow(go);
    if (batch == NULL ||
        !telem_batch_append(batch, 0, (union telem_value){.u64 = 1}, base_utc_ns()))
        return false;
    telem_pub_publish(go, batch);
    return true;
}

/* The time of the next sample, if there is one. A batch may be about other channels of the program.
 */
static bool take_mark(struct wait *wait, int i, int64_t *utc_ns)
{
    const struct telem_batch *batch;
    bool taken = false;
    while (!taken && (batch = telem_sub_next(wait->mark[i])) != NULL) {
        for (uint32_t c = 0; c < batch->group->n_cols; c++) {
            if (!telem_key_equal(batch->group->cols[c].key, wait->mark_key[i]) ||
                batch->cols[c].n == 0)
                continue;
            *utc_ns = telem_batch_times_const(batch, c)[0];
            taken = true;
        }
        telem_batch_release(batch);
    }
    return taken;
}

/* False when none came in time. */
static bool next_mark(struct wait *wait, int i, int64_t *utc_ns)
{
    int64_t give_up = base_mono_ns() + patience_ns;
    while (!take_mark(wait, i, utc_ns)) {
        if (base_mono_ns() >= give_up || bench_session_is_stopped(&wait->session))
            return false;
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    }
    return true;
}

static void serve(void *ctx)
{
    bench_rig_serve(ctx);
}

static bool hold_once(struct wait *wait, int i)
{
    int64_t wait_ns = waits_ms[i] * BASE_NS_PER_MS, from, to;
    if (!send_go(wait->go[i]))
        return false;
    (void)bench_session_wait(&wait->session, wait_ns, serve, &wait->rig);
    if (!next_mark(wait, i, &from) || !next_mark(wait, i, &to))
        return false;
    base_histo_copy_add(&wait->results[i]->ours.late, to - from - wait_ns, 1);
    return true;
}

/* ---- All of them */

static bool hold_all(struct wait *wait, int i)
{
    uint64_t early = wait->snapshot.lateness.below, overruns = wait->snapshot.overruns;
    double cpu_share;
    bench_session_step(&wait->session, "%u holds of %lld ms", wait->n_holds,
                       (long long)waits_ms[i]);
    bool ok = true;
    for (uint32_t n = 0; ok && n < wait->n_holds; n++)
        ok = hold_once(wait, i);
    arc_host_automation_timing(wait->rig.automations[0], &wait->snapshot, &cpu_share);
    wait->results[i]->early = wait->snapshot.lateness.below - early;
    wait->results[i]->overruns = wait->snapshot.overruns - overruns;
    if (!ok && !bench_session_is_stopped(&wait->session))
        bench_session_say(&wait->session, "a sample of the sequence did not come");
    return ok;
}

static void fill_result(struct wait *wait, int i, const char *load)
{
    struct arc_host_automation_info info;
    struct bench_result *result = wait->results[i];
    arc_host_automation_info(wait->rig.automations[0], &info);
    result->test = "wait";
    result->level = arc_host_level_name(wait->level);
    result->load = load;
    result->realtime = info.realtime;
    result->cpu = info.cpu;
}

static int64_t planned_ns(const struct wait *wait)
{
    int64_t total_ns = 0;
    for (int i = 0; i < N_WAITS; i++)
        total_ns += wait->n_holds * waits_ms[i] * BASE_NS_PER_MS;
    return total_ns;
}

static bool measure(struct wait *wait, const char *load)
{
    struct arcd_errinfo why;
    bench_session_plan(&wait->session, planned_ns(wait));
    if (bench_rig_open(&wait->rig, &why) != ARCD_OK) {
        bench_session_say(&wait->session, "%s", why.text);
        return false;
    }
    bool ok = set_up(wait, &why) == ARCD_OK;
    if (!ok)
        bench_session_say(&wait->session, "%s", why.text);
    for (int i = 0; ok && i < N_WAITS && !bench_session_is_stopped(&wait->session); i++) {
        fill_result(wait, i, load);
        ok = hold_all(wait, i) || bench_session_is_stopped(&wait->session);
    }
    bench_rig_stop(&wait->rig);
    close_ends(wait);
    bench_rig_close(&wait->rig);
    return ok;
}

/* ---- Showing */

static void row(struct cli_table *table, const struct bench_result *result, int64_t wait_ms)
{
    const struct base_histo_copy *late = &result->ours.late;
    const double ns[] = {(double)late->min, base_histo_mean(late),
                         (double)base_histo_quantile(late, 0.5), (double)late->max};
    char text[24];
    cli_table_row(table);
    cli_table_cell(table, 0, "%lld ms", (long long)wait_ms);
    cli_table_cell(table, 1, "%llu", (unsigned long long)late->count);
    for (int i = 0; i < (int)ARCD_COUNT_OF(ns); i++)
        cli_table_cell(table, 2 + i, "%s", cli_duration(ns[i] / 1e3, text));
}

static void show(const struct wait *wait)
{
    json_t *runs = json_array();
    uint64_t early = 0;
    struct cli_table table;
    cli_table_init(&table, "wait|holds>|longer by: min>|avg>|p50>|max>");
    for (int i = 0; i < N_WAITS; i++) {
        const struct bench_result *result = wait->results[i];
        if (result->ours.late.count == 0)
            continue;
        json_t *run = bench_result_json(result);
        json_object_set_new(run, "wait_ms", json_integer(waits_ms[i]));
        json_object_set_new(run, "min_us", bench_json_real((double)result->ours.late.min / 1e3, 3));
        json_array_append_new(runs, run);
        row(&table, result, waits_ms[i]);
        early += result->early;
    }
    if (wait->json) {
        bench_json_print(runs);
    } else {
        cli_table_print(&table, stdout);
        printf("waits that ended before their deadline: %llu\n", (unsigned long long)early);
        json_decref(runs);
    }
    cli_table_free(&table);
}

/* ---- Options */

enum { OPTION_LOAD = 0x100 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct wait *wait = state->input;
    enum arc_host_level levels[BENCH_LIST_MAX];
    switch (key) {
    case 'n': wait->n_holds = bench_option_count(state, "--holds", arg, MOST_HOLDS); return 0;
    case 'l':
        if (bench_option_levels(state, arg, levels) != 1)
            argp_error(state, "one level, not '%s'", arg);
        wait->level = levels[0];
        return 0;
    case OPTION_LOAD: wait->loaded = bench_option_loaded(state, arg); return 0;
    case 'N': wait->normal = true; return 0;
    case 'j': wait->json = true; return 0;
    case ARGP_KEY_ARG: argp_error(state, "no argument is expected: '%s'", arg); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"holds", 'n', "N", 0, "Of each wait (default 20)", 0},
    {"level", 'l', "LEVEL", 0, "low, auto (the default), medium or high", 0},
    {"load", OPTION_LOAD, "LOAD", 0, "idle, or loaded: stress-ng on every core", 0},
    {"normal", 'N', NULL, 0, "As a normal thread: no priority, not pinned", 0},
    {"json", 'j', NULL, 0, "Print the figures as JSON", 0},
    {0},
};

int bench_question_wait(int argc, char **argv)
{
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "Measure how much longer than its wait a sequence of write, time.wait, write holds "
               "what it wrote first, by the timestamps of the two samples, for 1, 10, 100 and 1000 "
               "ms.\vThe timestamps are of the wall clock: where something slews it, a hold may "
               "look shorter than it was. Ctrl-C ends it early, with what there is."};
    struct wait *wait = calloc(1, sizeof *wait);
    ARCD_ASSERT(wait != NULL);
    wait->n_holds = 20;
    wait->level = ARC_HOST_LEVEL_AUTO;
    argp_parse(&argp, argc, argv, 0, NULL, wait);
    struct bench_load load;
    cli_catch_signals();
    bench_session_init(&wait->session, &cli_stop_signals);
    bench_load_init(&load);
    for (int i = 0; i < N_WAITS; i++)
        wait->results[i] = bench_result_new();
    bool ok = measure(wait, bench_load_or_say(&load, wait->loaded, &wait->session));
    bench_load_stop(&load);
    bench_session_done(&wait->session);
    show(wait);
    for (int i = 0; i < N_WAITS; i++)
        bench_result_free(wait->results[i]);
    free(wait);
    return ok ? 0 : 1;
}
