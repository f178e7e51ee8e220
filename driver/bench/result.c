#include "driver/bench/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct bench_result *bench_result_new(void)
{
    struct bench_result *result = calloc(1, sizeof *result);
    ARCD_ASSERT(result != NULL);
    result->cpu = -1;
    base_histo_copy_init(&result->ours.late);
    base_histo_copy_init(&result->versus.late);
    return result;
}

void bench_result_free(struct bench_result *result)
{
    free(result);
}

static double quantile_us(const struct bench_side *side, double q)
{
    return (double)base_histo_quantile(&side->late, q) / 1e3;
}

struct bench_figures bench_side_figures(const struct bench_side *side)
{
    return (struct bench_figures){
        .count = side->late.count,
        .mean_us = base_histo_mean(&side->late) / 1e3,
        .p50_us = quantile_us(side, 0.5),
        .p99_us = quantile_us(side, 0.99),
        .p999_us = quantile_us(side, 0.999),
        .p9999_us = quantile_us(side, 0.9999),
        .worst_us = (double)side->late.max / 1e3,
    };
}

json_t *bench_json_real(double value, int digits)
{
    double scale = pow(10, digits);
    return json_real(round(value * scale) / scale);
}

static json_t *side_json(const struct bench_side *side)
{
    struct bench_figures f = bench_side_figures(side);
    json_t *json = json_object();
    if (side->name != NULL)
        json_object_set_new(json, "name", json_string(side->name));
    json_object_set_new(json, "count", json_integer((json_int_t)f.count));
    json_object_set_new(json, "mean_us", bench_json_real(f.mean_us, 3));
    json_object_set_new(json, "p50_us", bench_json_real(f.p50_us, 3));
    json_object_set_new(json, "p99_us", bench_json_real(f.p99_us, 3));
    json_object_set_new(json, "p999_us", bench_json_real(f.p999_us, 3));
    json_object_set_new(json, "p9999_us", bench_json_real(f.p9999_us, 3));
    json_object_set_new(json, "worst_us", bench_json_real(f.worst_us, 3));
    if (side->has_cpu_share)
        json_object_set_new(json, "cpu_share", bench_json_real(side->cpu_share, 4));
    return json;
}

static json_t *over(double a, double b)
{
    return b > 0 ? bench_json_real(a / b, 4) : json_null();
}

static json_t *ratio_json(const struct bench_result *result)
{
    struct bench_figures a = bench_side_figures(&result->ours);
    struct bench_figures b = bench_side_figures(&result->versus);
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "mean", over(a.mean_us, b.mean_us), "p50",
                     over(a.p50_us, b.p50_us), "p99", over(a.p99_us, b.p99_us), "p999",
                     over(a.p999_us, b.p999_us), "p9999", over(a.p9999_us, b.p9999_us), "worst",
                     over(a.worst_us, b.worst_us));
}

json_t *bench_result_json(const struct bench_result *result)
{
    json_t *json = json_object();
    json_object_set_new(json, "test", json_string(result->test));
    if (result->rate_hz > 0)
        json_object_set_new(json, "rate_hz", json_real(result->rate_hz));
    if (result->level != NULL)
        json_object_set_new(json, "level", json_string(result->level));
    json_object_set_new(json, "load", json_string(result->load));
    json_object_set_new(json, "realtime", json_boolean(result->realtime));
    json_object_set_new(json, "cpu", json_integer(result->cpu));
    json_object_set_new(json, "early", json_integer((json_int_t)result->early));
    json_object_set_new(json, "overruns", json_integer((json_int_t)result->overruns));
    json_object_set_new(json, "ours", side_json(&result->ours));
    if (result->has_versus) {
        json_object_set_new(json, "versus", side_json(&result->versus));
        json_object_set_new(json, "ratio", ratio_json(result));
    }
    return json;
}

void bench_json_print(json_t *runs)
{
    json_t *all = json_pack("{s:o}", "runs", runs);
    json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    printf("\n");
    json_decref(all);
}
