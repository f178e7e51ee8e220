/* arcd bench timers: how late the cycles of one interval begin, at each level and rate. */
#include "driver/bench/timers.h"

#include "driver/bench/picture.h"

#include <stdlib.h>

/* ---- Options */

enum { OPTION_LOAD = 0x100, OPTION_VERSUS };

static const struct argp_option common_options[] = {
    {"duration", 'd', "TIME", 0, "Of each measurement, and of its comparator (60s, 10min)", 1},
    {"load", OPTION_LOAD, "LOAD", 0,
     "idle, or loaded: stress-ng on every core, computing, writing files and memory", 1},
    {"versus", OPTION_VERSUS, "PROGRAM", 0,
     "Run cyclictest as well, at the same rate, priority and core, turn about", 1},
    {"normal", 'n', NULL, 0, "As a normal thread: no priority, not pinned", 1},
    {"histogram", 'H', "FILE.svg", 0, "Draw the histograms", 2},
    {"json", 'j', NULL, 0, "Print the figures as JSON", 2},
    {0},
};

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
    struct bench_timers *timers = state->input;
    switch (key) {
    case 'd': timers->duration_ns = bench_option_duration(state, arg); return 0;
    case OPTION_LOAD: timers->loaded = bench_option_loaded(state, arg); return 0;
    case OPTION_VERSUS: timers->versus = bench_option_versus(state, arg); return 0;
    case 'n': timers->realtime = false; return 0;
    case 'H': timers->histogram = arg; return 0;
    case 'j': timers->json = true; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp bench_timers_argp = {common_options, parse_common, NULL, NULL, NULL, NULL, NULL};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct bench_timers *timers = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = timers; return 0;
    case 'r': timers->n_rates = bench_option_rates(state, arg, timers->rates_hz); return 0;
    case 'l': timers->n_levels = bench_option_levels(state, arg, timers->levels); return 0;
    case ARGP_KEY_ARG: argp_error(state, "no argument is expected: '%s'", arg); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- Measuring */

struct results {
    struct bench_result *v[BENCH_LIST_MAX * BENCH_LIST_MAX];
    uint32_t n;
};

static bool measure(const struct bench_timers *timers, const struct bench_timer_case *c,
                    struct bench_session *session, struct results *results)
{
    struct arcd_errinfo why;
    struct bench_result *result = bench_result_new();
    (void)timers;
    if (bench_timer_run(c, session, result, &why) != ARCD_OK) {
        bench_session_say(session, "%s", why.text);
        bench_result_free(result);
        return false;
    }
    if (result->ours.late.count > 0)
        results->v[results->n++] = result;
    else
        bench_result_free(result); /* stopped before its first fire */
    return true;
}

static bool measure_all(const struct bench_timers *timers, const char *load,
                        struct bench_session *session, struct results *results)
{
    struct bench_timer_case c = {.test = timers->test,
                                 .realtime = timers->realtime,
                                 .load = load,
                                 .versus = timers->versus,
                                 .duration_ns = timers->duration_ns};
    bench_session_plan(session, bench_timer_case_ns(&c) * timers->n_rates * timers->n_levels);
    for (uint32_t r = 0; r < timers->n_rates; r++) {
        for (uint32_t l = 0; l < timers->n_levels; l++) {
            if (bench_session_is_stopped(session))
                return true;
            c.rate_hz = timers->rates_hz[r];
            c.level = timers->levels[l];
            if (!measure(timers, &c, session, results))
                return false;
        }
    }
    return true;
}

/* ---- Showing */

static void title_of(const struct bench_result *result, char title[160])
{
    char rate[32];
    snprintf(title, 160, "%s, level %s%s, %s", bench_rate_text(result->rate_hz, rate),
             result->level, result->realtime ? "" : ", normal thread",
             result->load[0] == 'l' ? "every core under stress" : "no load of ours");
}

static bool draw(const struct bench_timers *timers, const struct results *results)
{
    struct arcd_errinfo why;
    struct bench_panel *panels = calloc(results->n + 1, sizeof *panels);
    ARCD_ASSERT(panels != NULL);
    for (uint32_t i = 0; i < results->n; i++) {
        panels[i].result = results->v[i];
        title_of(results->v[i], panels[i].title);
    }
    bool ok = bench_picture_save(timers->histogram, panels, results->n, &why) == ARCD_OK;
    if (!ok)
        cli_error("%s", why.text);
    free(panels);
    return ok;
}

static void print_early(const struct results *results)
{
    uint64_t early = 0, overruns = 0;
    for (uint32_t i = 0; i < results->n; i++) {
        early += results->v[i]->early;
        overruns += results->v[i]->overruns;
    }
    printf("fires before their deadline: %llu; deadlines that a later fire covered: %llu\n",
           (unsigned long long)early, (unsigned long long)overruns);
}

static bool show(const struct bench_timers *timers, const struct results *results)
{
    if (timers->json) {
        json_t *runs = json_array();
        for (uint32_t i = 0; i < results->n; i++)
            json_array_append_new(runs, bench_result_json(results->v[i]));
        bench_json_print(runs);
    } else {
        bench_table_print(results->v, results->n);
        print_early(results);
    }
    return timers->histogram == NULL || results->n == 0 || draw(timers, results);
}

int bench_timers_run(const struct bench_timers *timers)
{
    struct bench_session session;
    struct bench_load load;
    struct results results = {.n = 0};
    cli_catch_signals();
    bench_session_init(&session, &cli_stop_signals);
    bench_load_init(&load);
    const char *there_is = bench_load_or_say(&load, timers->loaded, &session);
    bool ok = measure_all(timers, there_is, &session, &results);
    bench_load_stop(&load);
    bench_session_done(&session);
    ok = show(timers, &results) && ok;
    for (uint32_t i = 0; i < results.n; i++)
        bench_result_free(results.v[i]);
    return ok && results.n > 0 ? 0 : 1;
}

int bench_question_timers(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"rate", 'r', "RATES", 0, "Periods to measure: 1khz,100hz (default 1khz)", 0},
        {"level", 'l', "LEVELS", 0, "Performance levels: low,auto,medium,high (default: all)", 0},
        {0},
    };
    static const struct argp_child children[] = {{&bench_timers_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "Measure how late the cycles of an automation with one interval begin, at each rate "
               "and level.\vThe program is compiled and run by the host as every automation is. "
               "What cyclictest measures is the wake-up of a bare thread; the ratio is ours to "
               "its. It limits idle states where level high does, and not at the other levels. "
               "Ctrl-C ends it early, with what there is.",
        .children = children};
    struct bench_timers timers = {.rates_hz = {1000},
                                  .n_rates = 1,
                                  .levels = {ARC_HOST_LEVEL_LOW, ARC_HOST_LEVEL_AUTO,
                                             ARC_HOST_LEVEL_MEDIUM, ARC_HOST_LEVEL_HIGH},
                                  .n_levels = ARC_HOST_LEVEL_COUNT,
                                  .test = "timers",
                                  .duration_ns = 60 * BASE_NS_PER_S,
                                  .realtime = true};
    argp_parse(&argp, argc, argv, 0, NULL, &timers);
    return bench_timers_run(&timers);
}
