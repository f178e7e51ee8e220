/* bench_vm: what running Arc code costs, next to C and LuaJIT doing the same, in one process and
 * turn about, so that a busy or throttled machine slows all of them. The figures are medians over
 * the rounds; ratios are medians of the ratios of each round.
 *
 *   PID      a controller with limits, one call per sample, batches of 1000 samples
 *   scale    a straight-line function with two limits over a batch of 1000: column by column
 *   firing   a cycle in which 10 nodes run, in a program of 10 nodes and in one of 1000
 *   compile  text of 2000 lines to a verified image
 *
 * What carries samples to the node and away is measured on a program without the node, and taken
 * off. Exits 1 when a target is missed. */
#include "arc/compile.h"
#include "bench/vm/lua.h"
#include "bench/vm/native.h"
#include "bench/vm/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N_SAMPLES = 1000, ROUNDS = 41, MAX_VARIANTS = 6, REPEATS = 50 };

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ---- Rounds ------------------------------------------------------------------------------- */

struct variant {
    const char *name;
    void (*run)(void *context);
    void *context;
    double per_run; /* what to divide the time of one run by: samples */
    double ns[ROUNDS];
};

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values)
{
    double sorted[ROUNDS];
    memcpy(sorted, values, sizeof sorted);
    qsort(sorted, ROUNDS, sizeof *sorted, compare_doubles);
    return sorted[ROUNDS / 2];
}

static void run_rounds(struct variant *variants, size_t n)
{
    for (int round = -3; round < ROUNDS; round++) /* the first ones warm up */
        for (size_t i = 0; i < n; i++) {
            double start = now_ns();
            for (int k = 0; k < REPEATS; k++)
                variants[i].run(variants[i].context);
            double ns = (now_ns() - start) / REPEATS / variants[i].per_run;
            if (round >= 0)
                variants[i].ns[round] = ns;
        }
}

/* a - b over c, each round for itself. */
static double ratio(const struct variant *a, const struct variant *b, const struct variant *c)
{
    double ratios[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        ratios[i] = (a->ns[i] - (b == NULL ? 0 : b->ns[i])) / c->ns[i];
    return median(ratios);
}

static double difference(const struct variant *a, const struct variant *b)
{
    double ns[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        ns[i] = a->ns[i] - b->ns[i];
    return median(ns);
}

static bool all_met = true;

static void target(const char *what, double value, double limit)
{
    bool is_met = value <= limit;
    printf("  %-44s %7.2f   at most %.2f: %s\n", what, value, limit, is_met ? "met" : "MISSED");
    all_met &= is_met;
}

/* ---- Arc ---------------------------------------------------------------------------------- */

#define PID                                                                                        \
    "func pid{kp f64, ki f64, kd f64, dt f64, lo f64, hi f64}(pv f64, sp f64 = 50.0) f64 {\n"      \
    "    integral $= 0.0\n"                                                                        \
    "    last $= 0.0\n"                                                                            \
    "    err := sp - pv\n"                                                                         \
    "    integral = integral + err * dt\n"                                                         \
    "    if integral > hi { integral = hi }\n"                                                     \
    "    if integral < lo { integral = lo }\n"                                                     \
    "    slope := (err - last) / dt\n"                                                             \
    "    last = err\n"                                                                             \
    "    out := kp * err + ki * integral + kd * slope\n"                                           \
    "    if out > hi { return hi }\n"                                                              \
    "    if out < lo { return lo }\n"                                                              \
    "    return out\n"                                                                             \
    "}\n"
#define SCALE                                                                                      \
    "func scale(x f64) f64 {\n"                                                                    \
    "    y := x * 0.01 + 5.0\n"                                                                    \
    "    if y > 100.0 { return 100.0 }\n"                                                          \
    "    if y < 0.0 { return 0.0 }\n"                                                              \
    "    return y\n"                                                                               \
    "}\n"

static const char *const two_channels[] = {"x", "y"};

struct feed {
    struct bench_program program;
    struct arc_host_column column;
};

static double samples[N_SAMPLES];
static double results[N_SAMPLES];
static int64_t times[N_SAMPLES];

static void feed_init(struct feed *feed, const char *text, enum arc_host_mode mode)
{
    bench_program_init(&feed->program, text, two_channels, 2, mode);
    feed->column = (struct arc_host_column){.channel = bench_program_channel(&feed->program, "x"),
                                            .n = N_SAMPLES,
                                            .data = samples,
                                            .times = times};
}

static void feed_run(void *context)
{
    struct feed *feed = context;
    bench_program_feed(&feed->program, &feed->column, 1);
}

static void native_pid_run(void *context)
{
    native_pid_samples(context, samples, results, N_SAMPLES);
}

static void native_scale_run(void *context)
{
    (void)context;
    native_scale(samples, results, N_SAMPLES);
}

static void lua_run(void *context)
{
    bench_lua_pid(context);
}

/* The largest value of the batch leaves the program, so that all of it had to be computed. */
#define TAIL "math.max{} -> y\n"

static void bench_pid(void)
{
    struct feed with, without;
    feed_init(&with,
              "import math\n" PID
              "x -> pid{kp=1.0, ki=0.5, kd=0.1, dt=0.001, lo=-100.0, hi=100.0} -> " TAIL,
              ARC_HOST_MODE_AUTO);
    feed_init(&without, "import math\nx -> " TAIL, ARC_HOST_MODE_AUTO);
    struct native_pid pid = {1.0, 0.5, 0.1, 0.001, -100.0, 100.0, 50.0, 0.0, 0.0};
    struct bench_lua *interpreter = bench_lua_new(false);
    struct bench_lua *compiler = bench_lua_new(true);
    struct variant v[MAX_VARIANTS] = {
        {.name = "C -O2", .run = native_pid_run, .context = &pid, .per_run = N_SAMPLES},
        {.name = "Arc, with carrying", .run = feed_run, .context = &with, .per_run = N_SAMPLES},
        {.name = "carrying", .run = feed_run, .context = &without, .per_run = N_SAMPLES},
        {.name = "LuaJIT -joff", .run = lua_run, .context = interpreter, .per_run = N_SAMPLES},
        {.name = "LuaJIT", .run = lua_run, .context = compiler, .per_run = N_SAMPLES},
    };
    size_t n = interpreter == NULL ? 3 : 5;
    for (size_t i = 3; i < n; i++)
        bench_lua_set(v[i].context, samples, N_SAMPLES);
    run_rounds(v, n);
    printf("PID, ns per sample\n");
    for (size_t i = 0; i < n; i++)
        printf("  %-44s %7.2f\n", v[i].name, median(v[i].ns));
    printf("  %-44s %7.2f\n", "Arc", difference(&v[1], &v[2]));
    target("Arc over C -O2", ratio(&v[1], &v[2], &v[0]), 4);
    if (interpreter != NULL) {
        target("Arc over LuaJIT -joff", ratio(&v[1], &v[2], &v[3]), 1);
        printf("  %-44s %7.2f\n", "Arc over LuaJIT", ratio(&v[1], &v[2], &v[4]));
        bench_lua_free(interpreter);
        bench_lua_free(compiler);
    }
    bench_program_fini(&with.program);
    bench_program_fini(&without.program);
}

static void bench_scale(void)
{
    struct feed batch, sample, without;
    const char *text = "import math\n" SCALE "x -> scale{} -> " TAIL;
    feed_init(&batch, text, ARC_HOST_MODE_BATCH);
    feed_init(&sample, text, ARC_HOST_MODE_SAMPLE);
    feed_init(&without, "import math\nx -> " TAIL, ARC_HOST_MODE_AUTO);
    struct variant v[] = {
        {.name = "C -O2", .run = native_scale_run, .per_run = N_SAMPLES},
        {.name = "Arc by columns, with carrying",
         .run = feed_run,
         .context = &batch,
         .per_run = N_SAMPLES},
        {.name = "Arc by samples, with carrying",
         .run = feed_run,
         .context = &sample,
         .per_run = N_SAMPLES},
        {.name = "carrying", .run = feed_run, .context = &without, .per_run = N_SAMPLES},
    };
    run_rounds(v, 4);
    printf("scale and limit a batch of %d, ns per sample\n", N_SAMPLES);
    for (size_t i = 0; i < 4; i++)
        printf("  %-44s %7.2f\n", v[i].name, median(v[i].ns));
    target("Arc by columns over C -O2", ratio(&v[1], &v[3], &v[0]), 3);
    printf("  %-44s %7.2f\n", "Arc by samples over C -O2", ratio(&v[2], &v[3], &v[0]));
    bench_program_fini(&batch.program);
    bench_program_fini(&sample.program);
    bench_program_fini(&without.program);
}

/* ---- Many nodes --------------------------------------------------------------------------- */

enum { FIRING = 10, MOST_NODES = 1000 };

struct wide {
    struct bench_program program;
    struct arc_host_column columns[FIRING];
    double value;
    int64_t time;
};

enum { NAME_BYTES = 32, FLOW_BYTES = 64 };

/* n functions, each with a channel of its own before and behind it. */
static void wide_init(struct wide *wide, size_t n)
{
    char *text = malloc((n + 2) * FLOW_BYTES);
    const char **names = malloc(2 * n * sizeof *names);
    char(*storage)[NAME_BYTES] = malloc(2 * n * sizeof *storage);
    if (text == NULL || names == NULL || storage == NULL)
        abort();
    size_t len = (size_t)sprintf(text, "func f(a f64) f64 { return a * 2.0 + 1.0 }\n");
    for (size_t i = 0; i < n; i++) {
        len += (size_t)sprintf(text + len, "in%zu -> f{} -> out%zu\n", i, i);
        snprintf(storage[2 * i], NAME_BYTES, "in%zu", i);
        snprintf(storage[2 * i + 1], NAME_BYTES, "out%zu", i);
        names[2 * i] = storage[2 * i];
        names[2 * i + 1] = storage[2 * i + 1];
    }
    bench_program_init(&wide->program, text, names, 2 * n, ARC_HOST_MODE_AUTO);
    wide->value = 3;
    for (size_t i = 0; i < FIRING; i++) {
        size_t source = i * (n / FIRING); /* spread over the program */
        wide->columns[i] = (struct arc_host_column){
            .channel = bench_program_channel(&wide->program, names[2 * source]),
            .n = 1,
            .data = &wide->value};
    }
    free(text);
    free(names);
    free(storage);
}

static void wide_run(void *context)
{
    struct wide *wide = context;
    for (int i = 0; i < 20; i++)
        bench_program_feed(&wide->program, wide->columns, FIRING);
}

static void bench_firing(void)
{
    struct wide few, many;
    wide_init(&few, FIRING);
    wide_init(&many, MOST_NODES);
    struct variant v[] = {
        {.name = "10 functions, all run", .run = wide_run, .context = &few, .per_run = 20},
        {.name = "1000 functions, 10 run", .run = wide_run, .context = &many, .per_run = 20},
    };
    run_rounds(v, 2);
    printf("firing, ns per cycle\n");
    for (size_t i = 0; i < 2; i++)
        printf("  %-44s %7.0f\n", v[i].name, median(v[i].ns));
    target("1000 over 10", ratio(&v[1], NULL, &v[0]), 1.5);
    bench_program_fini(&few.program);
    bench_program_fini(&many.program);
}

/* ---- Compiling ---------------------------------------------------------------------------- */

enum { LINES_EACH = 20, PARTS = 100 };

static char *large_text(void)
{
    char *text = malloc((size_t)PARTS * 1024);
    if (text == NULL)
        abort();
    size_t len = 0;
    for (int i = 0; i < PARTS; i++)
        len += (size_t)sprintf(text + len,
                               "func part%d{gain f64}(v f64) f64 {\n"
                               "    sum $= 0.0\n"
                               "    sum = sum + v * gain\n"
                               "    if sum > 100.0 {\n"
                               "        sum = 100.0\n"
                               "    } else if sum < -100.0 {\n"
                               "        sum = -100.0\n"
                               "    }\n"
                               "    return sum * 0.5 + x\n"
                               "}\n"
                               "x -> part%d{gain=%d.5} -> y\n"
                               "x > %d.0 => line%d\n"
                               "sequence line%d {\n"
                               "    1.0 -> y\n"
                               "    stage wait {\n"
                               "        x < 5.0 => next\n"
                               "        x * 50.0 -> part%d{gain=1.0} -> y\n"
                               "    }\n"
                               "    0.0 -> y\n"
                               "}\n",
                               i, i, i, i, i, i, i);
    return text;
}

static void compile_run(void *context)
{
    struct base_arena arena;
    base_arena_init(&arena);
    struct arc_source source = {.file = "large.arc", .text = context, .len = strlen(context)};
    struct arc_diags diags;
    arc_diags_init(&diags, &arena, &source);
    struct arc_chan_info infos[] = {{.name = "x", .type = TELEM_F64},
                                    {.name = "y", .type = TELEM_F64}};
    struct arc_chan_table table = {.chans = infos, .n_chans = 2};
    struct arc_image *image = arc_compile(&source, &table, &diags);
    if (image == NULL) {
        fputs(arc_diags_render(&diags), stderr);
        abort();
    }
    arc_image_free(image);
    base_arena_fini(&arena);
}

static void bench_compile(void)
{
    char *text = large_text();
    double ns[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double start = now_ns();
        compile_run(text);
        ns[i] = now_ns() - start;
    }
    printf("compile %d lines\n", LINES_EACH * PARTS);
    target("ms", median(ns) / 1e6, 50);
    free(text);
}

int main(void)
{
    for (int i = 0; i < N_SAMPLES; i++) {
        samples[i] = 50.0 + 40.0 * sin(i * 0.01);
        times[i] = 1 + i;
    }
    bench_pid();
    bench_scale();
    bench_firing();
    bench_compile();
    return all_met ? 0 : 1;
}
