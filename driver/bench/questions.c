#include "driver/bench/questions.h"

#include "config/reader.h"
#include "driver/bench/timer_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double least_rate_hz = 0.1, most_rate_hz = 100000;
static const int64_t longest_ns = 86400 * BASE_NS_PER_S;

/* ---- Options */

int64_t bench_option_duration(struct argp_state *state, const char *text)
{
    int64_t ns = 0;
    char *end = NULL;
    double seconds = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(seconds))
        ns = seconds >= 0 && seconds <= 1e9 ? (int64_t)(seconds * 1e9) : -1;
    else if (!config_duration_parse(text, &ns))
        ns = -1;
    if (ns <= 0 || ns > longest_ns)
        argp_error(state, "a duration is something like 60s or 10min, at most a day, not '%s'",
                   text);
    return ns;
}

/* The next part of a list, without the comma; false at its end or when it is too long. */
static bool next_part(const char **list, char part[32])
{
    if (*list == NULL)
        return false;
    const char *comma = strchr(*list, ',');
    size_t len = comma != NULL ? (size_t)(comma - *list) : strlen(*list);
    snprintf(part, 32, "%.*s", (int)(len < 32 ? len : 31), *list);
    *list = comma != NULL ? comma + 1 : NULL;
    return true;
}

static double parse_rate(const char *text)
{
    char *unit = NULL;
    double rate_hz = strtod(text, &unit);
    if (unit == text)
        return NAN;
    while (*unit == ' ')
        unit++;
    if (strcasecmp(unit, "khz") == 0)
        return rate_hz * 1000;
    return *unit == '\0' || strcasecmp(unit, "hz") == 0 ? rate_hz : NAN;
}

uint32_t bench_option_rates(struct argp_state *state, const char *text,
                            double rates_hz[BENCH_LIST_MAX])
{
    uint32_t n = 0;
    char part[32];
    while (next_part(&text, part)) {
        double rate_hz = parse_rate(part);
        if (!(rate_hz >= least_rate_hz && rate_hz <= most_rate_hz))
            argp_error(state,
                       "a rate is something like 1khz or 100hz, from 0.1 Hz to 100 kHz, "
                       "not '%s'",
                       part);
        if (n == BENCH_LIST_MAX)
            argp_error(state, "at most %d rates", BENCH_LIST_MAX);
        rates_hz[n++] = rate_hz;
    }
    return n;
}

uint32_t bench_option_levels(struct argp_state *state, const char *text,
                             enum arc_host_level levels[BENCH_LIST_MAX])
{
    uint32_t n = 0;
    char part[32];
    while (next_part(&text, part)) {
        if (n == BENCH_LIST_MAX)
            argp_error(state, "at most %d levels", BENCH_LIST_MAX);
        if (!arc_host_level_from_name(part, &levels[n++]))
            argp_error(state, "a level is one of low, auto, medium, high, not '%s'", part);
    }
    return n;
}

bool bench_option_loaded(struct argp_state *state, const char *text)
{
    bool loaded = strcmp(text, "loaded") == 0;
    if (!loaded && strcmp(text, "idle") != 0)
        argp_error(state, "--load takes idle or loaded, not '%s'", text);
    return loaded;
}

bool bench_option_versus(struct argp_state *state, const char *text)
{
    if (strcmp(text, "cyclictest") != 0)
        argp_error(state, "--versus takes cyclictest, not '%s'", text);
    return true;
}

uint32_t bench_option_count(struct argp_state *state, const char *option, const char *text,
                            uint32_t most)
{
    char *end = NULL;
    unsigned long n = strtoul(text, &end, 10);
    if (end == text || *end != '\0' || n < 1 || n > most)
        argp_error(state, "%s takes a number from 1 to %u, not '%s'", option, most, text);
    return (uint32_t)n;
}

/* ---- Load */

const char *bench_load_or_say(struct bench_load *load, bool wanted, struct bench_session *session)
{
    struct arcd_errinfo why;
    if (!wanted)
        return "idle";
    bench_session_step(session, "starting stress-ng on every core");
    if (bench_load_start_stress(load, &why) == ARCD_OK)
        return "loaded";
    bench_session_say(session, "no load, all that follows is measured on an idle machine: %s",
                      why.text);
    return "idle";
}

/* ---- Output */

static void figure_cells(struct cli_table *table, const struct bench_side *side)
{
    struct bench_figures f = bench_side_figures(side);
    const double us[] = {f.mean_us, f.p50_us, f.p99_us, f.p999_us, f.p9999_us, f.worst_us};
    char text[24];
    cli_table_cell(table, 4, "%llu", (unsigned long long)f.count);
    for (int i = 0; i < (int)ARCD_COUNT_OF(us); i++)
        cli_table_cell(table, 5 + i, "%s", cli_duration(us[i], text));
    if (side->has_cpu_share)
        cli_table_cell(table, 11, "%.1f %%", 100 * side->cpu_share);
}

static void ratio_cells(struct cli_table *table, const struct bench_result *result)
{
    struct bench_figures a = bench_side_figures(&result->ours);
    struct bench_figures b = bench_side_figures(&result->versus);
    const double ours[] = {a.mean_us, a.p50_us, a.p99_us, a.p999_us, a.p9999_us, a.worst_us};
    const double theirs[] = {b.mean_us, b.p50_us, b.p99_us, b.p999_us, b.p9999_us, b.worst_us};
    for (int i = 0; i < (int)ARCD_COUNT_OF(ours); i++)
        if (theirs[i] > 0)
            cli_table_cell(table, 5 + i, "%.3f", ours[i] / theirs[i]);
}

static void result_rows(struct cli_table *table, const struct bench_result *result)
{
    char rate[32] = "";
    cli_table_row(table);
    if (result->rate_hz > 0)
        cli_table_cell(table, 0, "%s", bench_rate_text(result->rate_hz, rate));
    cli_table_cell(table, 1, "%s%s", result->level != NULL ? result->level : "",
                   result->realtime ? "" : " (normal)");
    cli_table_cell(table, 2, "%s", result->load);
    cli_table_cell(table, 3, "arcd");
    figure_cells(table, &result->ours);
    if (!result->has_versus)
        return;
    cli_table_row(table);
    cli_table_cell(table, 3, "%s", result->versus.name);
    figure_cells(table, &result->versus);
    cli_table_row(table);
    cli_table_cell(table, 3, "ratio");
    ratio_cells(table, result);
}

void bench_table_print(struct bench_result *const *results, uint32_t n)
{
    struct cli_table table;
    cli_table_init(&table, "rate|level|load||fires>|mean>|p50>|p99>|p99.9>|p99.99>|worst>|cpu>");
    for (uint32_t i = 0; i < n; i++)
        result_rows(&table, results[i]);
    cli_table_print(&table, stdout);
    cli_table_free(&table);
}
