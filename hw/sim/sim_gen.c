/* The formulas of the generators; and the csv file behind one of them. */
#include "hw/sim/sim_gen.h"

#include "hw/sim/sim_math.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CSV_POINTS_MAX = 10 * 1000 * 1000 };

/* ---- Values */

/* The last point at or before t; before the first one there is nothing. */
static double held_value(const struct sim_points *points, double t_s)
{
    uint32_t lo = 0;
    uint32_t hi = points->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (points->v[mid].t_s <= t_s)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo == 0 ? 0.0 : points->v[lo - 1].v;
}

static double ramp_value(const struct sim_gen *gen, double tau_s)
{
    double v = gen->rate * tau_s;
    if (gen->has_min && v < gen->min)
        v = gen->min;
    if (gen->has_max && v > gen->max)
        v = gen->max;
    return v;
}

static double noise_value(const struct sim_gen *gen, const struct sim_moment *at)
{
    if (at->quiet)
        return 0.0;
    uint64_t z0 = (gen->has_seed ? (uint64_t)gen->seed : at->seed) ^ at->chan_hash;
    if (gen->noise == SIM_NOISE_UNIFORM)
        return gen->amplitude * (2.0 * sim_uniform(z0, at->sample) - 1.0);
    return gen->amplitude * sim_gauss(z0, at->sample);
}

static double counter_value(const struct sim_gen *gen, double tau_s)
{
    double count = floor(gen->frequency * tau_s);
    return gen->modulo > 0.0 ? count - gen->modulo * floor(count / gen->modulo) : count;
}

static double csv_value(const struct sim_gen *gen, double tau_s)
{
    double last_s = gen->points.v[gen->points.n - 1].t_s;
    if (gen->loop)
        tau_s -= last_s * floor(tau_s / last_s);
    return held_value(&gen->points, tau_s);
}

static double combined_value(const struct sim_gen *gen, double tau_s, const struct sim_moment *at)
{
    struct sim_moment inner = *at;
    inner.t_s = tau_s;
    double v = gen->kind == SIM_GEN_SUM ? 0.0 : 1.0;
    for (uint32_t i = 0; i < gen->of.n; i++) {
        double part = sim_gen_value(&gen->of.v[i], &inner);
        v = gen->kind == SIM_GEN_SUM ? v + part : v * part;
    }
    return v;
}

static double value_from_start(const struct sim_gen *gen, double tau_s, const struct sim_moment *at)
{
    double a = gen->amplitude;
    double phi = sim_frac(gen->frequency * tau_s + gen->phase);
    switch (gen->kind) {
    case SIM_GEN_NONE: break;
    case SIM_GEN_CONSTANT: return gen->value;
    case SIM_GEN_SINE: return a * sim_sin_turns(phi);
    case SIM_GEN_SQUARE: return phi < gen->duty ? a : -a;
    case SIM_GEN_TRIANGLE: return a * (4.0 * fabs(sim_frac(phi + 0.75) - 0.5) - 1.0);
    case SIM_GEN_SAWTOOTH: return (gen->falling ? -a : a) * (2.0 * phi - 1.0);
    case SIM_GEN_RAMP: return ramp_value(gen, tau_s);
    case SIM_GEN_STEP: return held_value(&gen->points, tau_s);
    case SIM_GEN_NOISE: return noise_value(gen, at);
    case SIM_GEN_COUNTER: return counter_value(gen, tau_s);
    case SIM_GEN_CSV: return csv_value(gen, tau_s);
    case SIM_GEN_SUM:
    case SIM_GEN_PRODUCT: return combined_value(gen, tau_s, at);
    }
    return 0.0;
}

double sim_gen_value(const struct sim_gen *gen, const struct sim_moment *at)
{
    double tau_s = at->t_s - (double)gen->delay_ns / 1e9;
    if (tau_s < 0.0)
        return gen->offset;
    return gen->offset + value_from_start(gen, tau_s, at);
}

/* ---- Files of points: `t,v` a line; blank lines, lines that start with # and one heading are
 * passed over */

static bool parse_point(const char *line, struct sim_point *point)
{
    char *end = NULL;
    point->t_s = strtod(line, &end);
    if (end == line)
        return false;
    end += strspn(end, " \t");
    if (*end != ',' && *end != ';')
        return false;
    const char *second = end + 1;
    point->v = strtod(second, &end);
    end += strspn(end, " \t\r\n");
    return end != second && *end == '\0' && isfinite(point->t_s) && isfinite(point->v);
}

struct csv {
    struct sim_point *points;
    uint32_t n, room;
};

static bool csv_push(struct csv *csv, struct sim_point point)
{
    if (csv->n == csv->room) {
        uint32_t room = csv->room == 0 ? 256 : csv->room * 2;
        struct sim_point *grown = realloc(csv->points, room * sizeof *grown);
        if (grown == NULL)
            return false;
        csv->points = grown;
        csv->room = room;
    }
    csv->points[csv->n++] = point;
    return true;
}

/* NULL, or what is wrong with the line. */
static const char *csv_line(struct csv *csv, const char *line, bool first)
{
    if (line[strspn(line, " \t\r\n")] == '\0' || line[0] == '#')
        return NULL;
    struct sim_point point;
    if (!parse_point(line, &point))
        return first ? NULL : "must be two numbers, `t,v`";
    if (csv->n > 0 && point.t_s <= csv->points[csv->n - 1].t_s)
        return "time must be later than in the line before";
    if (csv->n == CSV_POINTS_MAX)
        return "too many lines";
    return csv_push(csv, point) ? NULL : "out of memory";
}

static bool csv_read(FILE *f, const char *path, struct csv *csv, struct config_at at)
{
    char *line = NULL;
    size_t size = 0;
    bool ok = true;
    for (int number = 1; ok && getline(&line, &size, f) >= 0; number++) {
        const char *wrong = csv_line(csv, line, number == 1);
        if (wrong != NULL)
            ok = config_error(at, "%s:%d: %s", path, number, wrong);
    }
    free(line);
    if (ok && csv->n == 0)
        ok = config_error(at, "%s has no points", path);
    return ok;
}

static bool load_csv(struct sim_gen *gen, struct base_arena *arena, const char *dir,
                     struct config_at at)
{
    const char *path = gen->file[0] == '/' || dir[0] == '\0'
                           ? gen->file
                           : base_arena_printf(arena, "%s/%s", dir, gen->file);
    FILE *f = fopen(path, "re");
    char why[96];
    if (f == NULL)
        return config_error(at, "cannot read %s: %s", path, strerror_r(errno, why, sizeof why));
    struct csv csv = {0};
    bool ok = csv_read(f, path, &csv, at);
    fclose(f);
    ARCD_ASSERT(!ok || csv.points != NULL);
    if (ok && gen->loop && csv.points[csv.n - 1].t_s <= 0.0)
        ok = config_error(at, "%s ends at time 0, so it cannot loop", path);
    if (ok) {
        struct sim_point *points = base_arena_array(arena, struct sim_point, csv.n);
        memcpy(points, csv.points, csv.n * sizeof *points);
        gen->points = (struct sim_points){points, csv.n};
    }
    free(csv.points);
    return ok;
}

bool sim_gen_prepare(struct sim_gen *gen, struct base_arena *arena, const char *dir,
                     struct config_at at)
{
    bool ok = gen->kind != SIM_GEN_CSV || load_csv(gen, arena, dir, config_member(at, "file"));
    struct config_at of = config_member(at, "of");
    for (uint32_t i = 0; i < gen->of.n; i++)
        ok &= sim_gen_prepare(&gen->of.v[i], arena, dir, config_element(of, i));
    return ok;
}
