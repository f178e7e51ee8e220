#include "bench/report.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Options */

static const struct argp_option options[] = {
    {"seconds", 's', "N", 0, "Measure for so long (default 3)", 0},
    {"json", 'j', NULL, 0, "One JSON object instead of a table", 0},
    {"check", 'c', NULL, 0, "Leave with status 1 when a bar is missed", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct bench_opts *opts = state->input;
    char *end = NULL;
    switch (key) {
    case 's':
        opts->seconds = strtod(arg, &end);
        if (*end != '\0' || !(opts->seconds > 0 && opts->seconds <= 86400))
            argp_error(state, "--seconds must be above 0 and at most 86400, not '%s'", arg);
        return 0;
    case 'j': opts->json = true; return 0;
    case 'c': opts->check = true; return 0;
    case ARGP_KEY_ARG: argp_error(state, "no argument is expected: '%s'", arg); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

struct bench_opts bench_parse(int argc, char **argv, const char *doc)
{
    struct bench_opts opts = {.seconds = 3};
    const struct argp argp = {.options = options, .parser = parse_option, .doc = doc};
    argp_parse(&argp, argc, argv, 0, NULL, &opts);
    return opts;
}

/* ---- Figures */

struct figures {
    uint64_t count;
    double mean, p50, p99, p999, worst;
};

static struct figures figures_of(const struct base_histo *histo)
{
    static struct base_histo_copy copy;
    base_histo_copy(histo, &copy);
    return (struct figures){
        .count = copy.count,
        .mean = base_histo_mean(&copy),
        .p50 = (double)base_histo_quantile(&copy, 0.5),
        .p99 = (double)base_histo_quantile(&copy, 0.99),
        .p999 = (double)base_histo_quantile(&copy, 0.999),
        .worst = (double)copy.max,
    };
}

static double over(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static struct figures ratio_of(const struct figures *a, const struct figures *b)
{
    return (struct figures){
        .mean = over(a->mean, b->mean),
        .p50 = over(a->p50, b->p50),
        .p99 = over(a->p99, b->p99),
        .p999 = over(a->p999, b->p999),
        .worst = over(a->worst, b->worst),
    };
}

void bench_pair_init(struct bench_pair *pair)
{
    base_histo_init(&pair->ours);
    base_histo_init(&pair->versus);
}

/* ---- Showing */

void bench_begin(struct bench_report *report, const struct bench_opts *opts, const char *name,
                 const char *ours, const char *versus)
{
    *report = (struct bench_report){
        .opts = opts, .name = name, .ours = ours, .versus = versus, .first = true};
    if (opts->json)
        printf("{\"bench\": \"%s\", \"runs\": [", name);
    else
        printf("%-28s %-22s %9s %9s %9s %9s %11s %9s\n", name, "", "p50 ns", "p99 ns", "p99.9 ns",
               "mean ns", "worst ns", "count");
}

static void json_side(const char *name, const struct figures *f)
{
    printf("\"%s\": {\"count\": %llu, \"mean_ns\": %.1f, \"p50_ns\": %.0f, \"p99_ns\": %.0f, "
           "\"p999_ns\": %.0f, \"worst_ns\": %.0f}",
           name, (unsigned long long)f->count, f->mean, f->p50, f->p99, f->p999, f->worst);
}

static void json_row(const struct bench_report *report, const char *what, const struct figures *a,
                     const struct figures *b, const struct figures *r)
{
    printf("%s{\"case\": \"%s\", \"names\": {\"ours\": \"%s\", \"versus\": \"%s\"}, ",
           report->first ? "" : ", ", what, report->ours, report->versus);
    json_side("ours", a);
    printf(", ");
    json_side("versus", b);
    printf(", \"ratio\": {\"mean\": %.3f, \"p50\": %.3f, \"p99\": %.3f, \"p999\": %.3f, "
           "\"worst\": %.3f}}",
           r->mean, r->p50, r->p99, r->p999, r->worst);
}

static void table_side(const char *what, const char *name, const struct figures *f)
{
    printf("%-28s %-22s %9.0f %9.0f %9.0f %9.1f %11.0f %9llu\n", what, name, f->p50, f->p99,
           f->p999, f->mean, f->worst, (unsigned long long)f->count);
}

static void table_row(const struct bench_report *report, const char *what, const struct figures *a,
                      const struct figures *b, const struct figures *r)
{
    table_side(what, report->ours, a);
    table_side("", report->versus, b);
    printf("%-28s %-22s %9.2f %9.2f %9.2f %9.2f %11.2f\n", "", "ratio", r->p50, r->p99, r->p999,
           r->mean, r->worst);
}

static struct figures show(struct bench_report *report, const char *what,
                           const struct bench_pair *pair, struct figures *ratio)
{
    struct figures a = figures_of(&pair->ours), b = figures_of(&pair->versus);
    *ratio = ratio_of(&a, &b);
    if (report->opts->json)
        json_row(report, what, &a, &b, ratio);
    else
        table_row(report, what, &a, &b, ratio);
    report->first = false;
    return a;
}

static void judge(struct bench_report *report, bool met, const char *what, double bar,
                  const char *unit)
{
    report->missed = report->missed || !met;
    if (!report->opts->json)
        printf("%-28s bar: %s at p50 <= %g%s: %s\n", "", what, bar, unit, met ? "met" : "missed");
}

void bench_row(struct bench_report *report, const char *what, const struct bench_pair *pair,
               double bar)
{
    struct figures ratio;
    (void)show(report, what, pair, &ratio);
    if (bar > 0)
        judge(report, ratio.p50 <= bar, "ratio", bar, "");
}

void bench_row_limit(struct bench_report *report, const char *what, const struct bench_pair *pair,
                     int64_t limit_ns)
{
    struct figures ratio;
    struct figures ours = show(report, what, pair, &ratio);
    if (limit_ns > 0)
        judge(report, ours.p50 <= (double)limit_ns, report->ours, (double)limit_ns, " ns");
}

int bench_end(struct bench_report *report)
{
    if (report->opts->json)
        printf("]}\n");
    return report->opts->check && report->missed ? 1 : 0;
}
