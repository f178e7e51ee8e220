/* arcd bench fair: many automations on few cores. None may fire early, and none may be the one that
 * is always late. */
#include "driver/bench/cyclictest.h"
#include "driver/bench/questions.h"
#include "driver/bench/rig.h"
#include "driver/bench/timer_run.h"
#include "driver/main/timing_table.h"
#include "driver/timing.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 3 }; /* rows at each end of the table */

struct fair {
    uint32_t n, n_cores;
    double rate_hz;
    enum arc_host_level level;
    int64_t duration_ns;
    bool loaded, versus, json, all;

    /* While it runs. */
    struct bench_session session;
    struct bench_rig rig;
    struct bench_result *result;
    struct bench_cyclictest_result theirs;
    json_t *rows; /* of `arcd timing`, by mean lateness */
};

/* ---- Measuring */

/* The last ones that the process may use. */
static void choose_cores(struct fair *fair)
{
    cpu_set_t allowed, chosen;
    CPU_ZERO(&chosen);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    uint32_t n = 0;
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && n < fair->n_cores; cpu--) {
        if (!CPU_ISSET((size_t)cpu, &allowed))
            continue;
        CPU_SET((size_t)cpu, &chosen);
        n++;
    }
    fair->n_cores = n;
    arc_host_cores_choose(&fair->rig.cores, &chosen, &allowed);
}

static enum arcd_err add_automations(struct fair *fair, struct arcd_errinfo *why)
{
    for (uint32_t i = 0; i < fair->n; i++) {
        char name[32], text[BENCH_RIG_TEXT];
        snprintf(name, sizeof name, "beat_%u", i);
        snprintf(text, sizeof text, "import time\ntime.interval{period=%lldns} -> %s\n",
                 (long long)(1e9 / fair->rate_hz), name);
        (void)bench_rig_channel(&fair->rig, name, TELEM_U8);
        enum arcd_err err = bench_rig_add(&fair->rig, name, text, fair->level, true, why);
        if (err != ARCD_OK)
            return err;
    }
    return ARCD_OK;
}

static double mean_of(const json_t *row)
{
    return json_number_value(json_object_get(json_object_get(row, "lateness_us"), "mean"));
}

static int by_mean(const void *a, const void *b)
{
    double x = mean_of(*(json_t *const *)a), y = mean_of(*(json_t *const *)b);
    return (x > y) - (x < y);
}

static void sort_rows(struct fair *fair)
{
    json_t *rows[BENCH_RIG_AUTOMATIONS] = {NULL};
    uint32_t n = (uint32_t)json_array_size(fair->rows);
    for (uint32_t i = 0; i < n; i++)
        rows[i] = json_incref(json_array_get(fair->rows, i));
    qsort(rows, n, sizeof(void *), by_mean);
    for (uint32_t i = 0; i < n; i++)
        json_array_set_new(fair->rows, i, rows[i]);
}

static void take_ours(struct fair *fair)
{
    struct arc_host_timing_snapshot *snapshot = malloc(sizeof *snapshot);
    ARCD_ASSERT(snapshot != NULL);
    struct bench_result *result = fair->result;
    for (uint32_t i = 0; i < fair->rig.n; i++) {
        double cpu_share;
        arc_host_automation_timing(fair->rig.automations[i], snapshot, &cpu_share);
        base_histo_merge(&result->ours.late, &snapshot->lateness);
        result->early += snapshot->lateness.below;
        result->overruns += snapshot->overruns;
        result->ours.cpu_share += cpu_share;
        json_array_append_new(fair->rows, driver_timing_json(fair->rig.automations[i]));
    }
    result->ours.has_cpu_share = true;
    free(snapshot);
    sort_rows(fair);
}

static void serve(void *ctx)
{
    bench_rig_serve(ctx);
}

static enum arcd_err measure_ours(struct fair *fair, struct arcd_errinfo *why)
{
    struct arc_host_automation_info info;
    enum arcd_err err = bench_rig_start(&fair->rig, why);
    if (err != ARCD_OK)
        return err;
    arc_host_automation_info(fair->rig.automations[0], &info);
    fair->result->realtime = info.realtime;
    (void)bench_session_wait(&fair->session, fair->duration_ns, serve, &fair->rig);
    take_ours(fair);
    bench_rig_stop(&fair->rig);
    return ARCD_OK;
}

static enum arcd_err measure_theirs(struct fair *fair, struct arcd_errinfo *why)
{
    struct bench_cyclictest cyclictest;
    char cpus[16 * BENCH_CYCLICTEST_THREADS] = "";
    size_t len = 0;
    for (int i = 0; i < fair->rig.cores.n_cpus && len < sizeof cpus - 16; i++)
        len += (size_t)snprintf(cpus + len, sizeof cpus - len, "%s%d", i > 0 ? "," : "",
                                fair->rig.cores.cpus[i]);
    struct bench_cyclictest_opts opts = {
        .period_ns = (int64_t)(1e9 / fair->rate_hz),
        .n_threads = fair->n,
        .cpus = fair->result->realtime ? cpus : NULL,
        .priority = fair->result->realtime ? ARC_HOST_AUTOMATION_PRIORITY : 0,
        .keeps_cores_awake = fair->level == ARC_HOST_LEVEL_HIGH};
    bench_session_step(&fair->session, "%u threads: cyclictest", fair->n);
    enum arcd_err err = bench_cyclictest_start(&cyclictest, &opts, why);
    if (err != ARCD_OK)
        return err;
    (void)bench_session_wait(&fair->session, fair->duration_ns, NULL, NULL);
    err = bench_cyclictest_finish(&cyclictest, &fair->theirs, why);
    if (err != ARCD_OK)
        return err;
    base_histo_merge(&fair->result->versus.late, &fair->theirs.late);
    fair->result->has_versus = fair->result->versus.late.count > 0;
    return ARCD_OK;
}

static bool measure(struct fair *fair)
{
    struct arcd_errinfo why;
    bench_session_plan(&fair->session, fair->duration_ns * (fair->versus ? 2 : 1));
    if (bench_rig_open(&fair->rig, &why) != ARCD_OK) {
        cli_error("%s", why.text);
        return false;
    }
    choose_cores(fair);
    bench_session_step(&fair->session, "%u automations at %g Hz on %u cores, %s", fair->n,
                       fair->rate_hz, fair->n_cores, arc_host_level_name(fair->level));
    bool ok = add_automations(fair, &why) == ARCD_OK && measure_ours(fair, &why) == ARCD_OK;
    if (!ok)
        bench_session_say(&fair->session, "%s", why.text);
    if (ok && fair->versus && !bench_session_is_stopped(&fair->session) &&
        measure_theirs(fair, &why) != ARCD_OK)
        bench_session_say(&fair->session, "no comparison: %s", why.text);
    bench_rig_close(&fair->rig);
    return ok;
}

/* ---- Fairness: the same figure of every thread, from the least to the most */

struct spread {
    double least, median, most;
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct spread spread_of(double *values, uint32_t n)
{
    if (n == 0)
        return (struct spread){0};
    qsort(values, n, sizeof *values, by_value);
    return (struct spread){values[0], values[n / 2], values[n - 1]};
}

static struct spread our_spread(const json_t *rows, const char *figure)
{
    double values[BENCH_RIG_AUTOMATIONS];
    uint32_t n = (uint32_t)json_array_size(rows);
    for (uint32_t i = 0; i < n; i++)
        values[i] = json_number_value(
            json_object_get(json_object_get(json_array_get(rows, i), "lateness_us"), figure));
    return spread_of(values, n);
}

static struct spread their_spread(const struct bench_cyclictest_result *theirs, bool worst)
{
    double values[BENCH_CYCLICTEST_THREADS];
    for (uint32_t i = 0; i < theirs->n_threads; i++)
        values[i] = (worst ? (double)theirs->thread[i].worst_ns : theirs->thread[i].mean_ns) / 1e3;
    return spread_of(values, theirs->n_threads);
}

static json_t *spread_json(struct spread spread)
{
    return json_pack("{s:o,s:o,s:o}", "least", bench_json_real(spread.least, 3), "median",
                     bench_json_real(spread.median, 3), "most", bench_json_real(spread.most, 3));
}

static void show_json(struct fair *fair)
{
    json_t *run = bench_result_json(fair->result);
    json_object_del(run, "cpu");
    json_object_set_new(run, "automations", json_integer(fair->n));
    json_object_set_new(run, "cores", json_integer(fair->n_cores));
    json_object_set_new(run, "spread",
                        json_pack("{s:o,s:o}", "mean_us",
                                  spread_json(our_spread(fair->rows, "mean")), "worst_us",
                                  spread_json(our_spread(fair->rows, "max"))));
    if (fair->result->has_versus)
        json_object_set_new(run, "versus_spread",
                            json_pack("{s:o,s:o}", "mean_us",
                                      spread_json(their_spread(&fair->theirs, false)), "worst_us",
                                      spread_json(their_spread(&fair->theirs, true))));
    json_object_set(run, "timing", fair->rows);
    bench_json_print(json_pack("[o]", run));
}

static void spread_row(struct cli_table *table, const char *who, const char *what,
                       struct spread spread)
{
    char text[24];
    cli_table_row(table);
    cli_table_cell(table, 0, "%s", who);
    cli_table_cell(table, 1, "%s", what);
    cli_table_cell(table, 2, "%s", cli_duration(spread.least, text));
    cli_table_cell(table, 3, "%s", cli_duration(spread.median, text));
    cli_table_cell(table, 4, "%s", cli_duration(spread.most, text));
}

static void show_spread(const struct fair *fair)
{
    struct cli_table table;
    cli_table_init(&table, "of each thread||least>|median>|most>");
    spread_row(&table, "arcd", "mean lateness", our_spread(fair->rows, "mean"));
    spread_row(&table, "", "worst lateness", our_spread(fair->rows, "max"));
    if (fair->result->has_versus) {
        spread_row(&table, "cyclictest", "mean lateness", their_spread(&fair->theirs, false));
        spread_row(&table, "", "worst lateness", their_spread(&fair->theirs, true));
    }
    cli_table_print(&table, stdout);
    cli_table_free(&table);
}

/* The rows with the least and the most mean lateness. */
static void show_rows(const struct fair *fair)
{
    size_t n = json_array_size(fair->rows);
    json_t *shown = json_array();
    for (size_t i = 0; i < n; i++)
        if (fair->all || i < SHOWN || i >= n - SHOWN)
            json_array_append(shown, json_array_get(fair->rows, i));
    timing_table_print(shown, stdout);
    json_decref(shown);
}

static void show(struct fair *fair)
{
    if (fair->json) {
        show_json(fair);
        return;
    }
    bench_table_print(&fair->result, 1);
    printf("\n");
    show_spread(fair);
    printf("\n");
    show_rows(fair);
    printf("\nfires before their deadline: %llu; deadlines that a later fire covered: %llu\n",
           (unsigned long long)fair->result->early, (unsigned long long)fair->result->overruns);
}

/* ---- Options */

enum { OPTION_LOAD = 0x100, OPTION_VERSUS, OPTION_CORES };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct fair *fair = state->input;
    enum arc_host_level levels[BENCH_LIST_MAX];
    double rates_hz[BENCH_LIST_MAX];
    switch (key) {
    case 'n':
        fair->n = bench_option_count(state, "--automations", arg, BENCH_CYCLICTEST_THREADS);
        return 0;
    case OPTION_CORES:
        fair->n_cores = bench_option_count(state, "--cores", arg, CPU_SETSIZE);
        return 0;
    case 'r':
        if (bench_option_rates(state, arg, rates_hz) != 1)
            argp_error(state, "one rate, not '%s'", arg);
        fair->rate_hz = rates_hz[0];
        return 0;
    case 'l':
        if (bench_option_levels(state, arg, levels) != 1)
            argp_error(state, "one level, not '%s'", arg);
        fair->level = levels[0];
        return 0;
    case 'd': fair->duration_ns = bench_option_duration(state, arg); return 0;
    case OPTION_LOAD: fair->loaded = bench_option_loaded(state, arg); return 0;
    case OPTION_VERSUS: fair->versus = bench_option_versus(state, arg); return 0;
    case 'a': fair->all = true; return 0;
    case 'j': fair->json = true; return 0;
    case ARGP_KEY_ARG: argp_error(state, "no argument is expected: '%s'", arg); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"automations", 'n', "N", 0, "So many (default 100)", 0},
    {"cores", OPTION_CORES, "N", 0, "On so many cores, the last ones (default 2)", 0},
    {"rate", 'r', "RATE", 0, "Of each (default 100hz)", 0},
    {"level", 'l', "LEVEL", 0, "low, auto (the default), medium or high", 0},
    {"duration", 'd', "TIME", 0, "Of the measurement, and of its comparator (default 60s)", 0},
    {"load", OPTION_LOAD, "LOAD", 0, "idle, or loaded: stress-ng on every core", 0},
    {"versus", OPTION_VERSUS, "PROGRAM", 0, "Run cyclictest with as many threads afterwards", 0},
    {"all", 'a', NULL, 0, "Print the timing of every automation, not of a few", 0},
    {"json", 'j', NULL, 0, "Print the figures as JSON", 0},
    {0},
};

int bench_question_fair(int argc, char **argv)
{
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "Run many automations on few cores: how late each is, and how much they differ. "
               "None may fire early.\vCtrl-C ends it early, with what there is."};
    struct fair *fair = calloc(1, sizeof *fair);
    ARCD_ASSERT(fair != NULL);
    fair->n = 100;
    fair->n_cores = 2;
    fair->rate_hz = 100;
    fair->level = ARC_HOST_LEVEL_AUTO;
    fair->duration_ns = 60 * BASE_NS_PER_S;
    argp_parse(&argp, argc, argv, 0, NULL, fair);
    struct bench_load load;
    cli_catch_signals();
    bench_session_init(&fair->session, &cli_stop_signals);
    bench_load_init(&load);
    fair->result = bench_result_new();
    fair->rows = json_array();
    fair->result->test = "fair";
    fair->result->rate_hz = fair->rate_hz;
    fair->result->level = arc_host_level_name(fair->level);
    fair->result->versus.name = "cyclictest";
    fair->result->load = bench_load_or_say(&load, fair->loaded, &fair->session);
    bool ok = measure(fair);
    bench_load_stop(&load);
    bench_session_done(&fair->session);
    if (ok)
        show(fair);
    json_decref(fair->rows);
    bench_result_free(fair->result);
    free(fair);
    return ok ? 0 : 1;
}
