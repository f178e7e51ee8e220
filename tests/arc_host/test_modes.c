/* Random functions, run sample by sample and over columns: both must write the same samples.
 *
 * The generator makes bodies of the kind that has a batch form (arithmetic, casts, branches, early
 * returns, calls of such functions, named outputs), of every number type, and feeds corner values.
 */
#include "arc/compile.h"
#include "arc/image.h"
#include "arc_host/program.h"
#include "tests/support/test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAMS = 400, MOST_ROWS = 700, MOST_DEPTH = 4 };

static const char *const TYPES[] = {"i8",  "i16", "i32", "i64", "u8",
                                    "u16", "u32", "u64", "f32", "f64"};

/* ---- Random programs */

struct maker {
    uint64_t seed;
    FILE *out;
    enum telem_type input[2];
    enum telem_type result;
    bool has_helper;
};

static uint32_t pick(struct maker *m, uint32_t n)
{
    m->seed ^= m->seed << 13;
    m->seed ^= m->seed >> 7;
    m->seed ^= m->seed << 17;
    return (uint32_t)(m->seed >> 20) % n;
}

static void expression(struct maker *m, enum telem_type type, int depth);

static void literal(struct maker *m, enum telem_type type)
{
    if (telem_type_is_float(type))
        fprintf(m->out, "%s(%u.%u)", TYPES[type], pick(m, 100), pick(m, 100));
    else
        fprintf(m->out, "%s(%u)", TYPES[type], pick(m, 127));
}

static void leaf(struct maker *m, enum telem_type type)
{
    uint32_t input = pick(m, 2);
    if (pick(m, 4) == 0)
        literal(m, type);
    else if (m->input[input] == type)
        fprintf(m->out, "x%u", input);
    else
        fprintf(m->out, "%s(x%u)", TYPES[type], input);
}

static void condition(struct maker *m, int depth)
{
    static const char *const COMPARISONS[] = {"<", "<=", ">", ">=", "==", "!="};
    enum telem_type type = m->input[pick(m, 2)];
    switch (depth > 1 ? pick(m, 5) : 4) {
    case 0:
    case 1:
        fputc('(', m->out);
        condition(m, depth - 1);
        fputs(pick(m, 2) == 0 ? " and " : " or ", m->out);
        condition(m, depth - 1);
        fputc(')', m->out);
        break;
    case 2:
        fputs("(not ", m->out);
        condition(m, depth - 1);
        fputc(')', m->out);
        break;
    default:
        fputc('(', m->out);
        expression(m, type, depth - 1);
        fprintf(m->out, " %s ", COMPARISONS[pick(m, 6)]);
        expression(m, type, depth - 1);
        fputc(')', m->out);
    }
}

static void binary(struct maker *m, enum telem_type type, int depth)
{
    static const char *const OPERATORS[] = {"+", "-", "*"};
    fputc('(', m->out);
    expression(m, type, depth - 1);
    fprintf(m->out, " %s ", OPERATORS[pick(m, 3)]);
    expression(m, type, depth - 1);
    fputc(')', m->out);
}

/* A division, rest or power that cannot fault: integers by constants. */
static void division(struct maker *m, enum telem_type type, int depth)
{
    static const char *const OPERATORS[] = {"/", "%", "^"};
    fputc('(', m->out);
    expression(m, type, depth - 1);
    if (telem_type_is_float(type)) {
        fputs(" / ", m->out);
        expression(m, type, depth - 1);
    } else {
        fprintf(m->out, " %s %s(%u)", OPERATORS[pick(m, 3)], TYPES[type], 1 + pick(m, 5));
    }
    fputc(')', m->out);
}

static void expression(struct maker *m, enum telem_type type, int depth)
{
    if (depth <= 0) {
        leaf(m, type);
        return;
    }
    switch (pick(m, 8)) {
    case 0:
    case 1:
    case 2: binary(m, type, depth); break;
    case 3: division(m, type, depth); break;
    case 4:
        fputs("(-", m->out);
        expression(m, type, depth - 1);
        fputc(')', m->out);
        break;
    case 5:
        fprintf(m->out, "%s(", TYPES[type]);
        expression(m, (enum telem_type)pick(m, 10), depth - 1);
        fputc(')', m->out);
        break;
    case 6:
        if (m->has_helper && type == m->result) {
            fputs("helper(", m->out);
            expression(m, m->input[0], depth - 1);
            fputc(')', m->out);
            break;
        }
        leaf(m, type);
        break;
    default:
        if (type == TELEM_U8)
            condition(m, depth);
        else
            leaf(m, type);
    }
}

static void statement(struct maker *m, int depth, const char *target)
{
    switch (depth > 0 ? pick(m, 4) : 0) {
    case 1:
    case 2:
        fputs("if ", m->out);
        condition(m, 2);
        fputs(" {\n", m->out);
        statement(m, depth - 1, target);
        if (pick(m, 2) == 0) {
            fputs("} else {\n", m->out);
            statement(m, depth - 1, target);
        }
        fputs("}\n", m->out);
        break;
    case 3:
        if (strcmp(target, "t") == 0) {
            fputs("if ", m->out);
            condition(m, 2);
            fputs(" { return ", m->out);
            expression(m, m->result, 2);
            fputs(" }\n", m->out);
            break;
        }
        __attribute__((fallthrough));
    default:
        fprintf(m->out, "%s %s ", target, pick(m, 3) == 0 ? "+=" : "=");
        expression(m, m->result, MOST_DEPTH);
        fputc('\n', m->out);
    }
}

static void unnamed_function(struct maker *m)
{
    fprintf(m->out, "func f(x0 %s, x1 %s) %s {\nt := ", TYPES[m->input[0]], TYPES[m->input[1]],
            TYPES[m->result]);
    expression(m, m->result, MOST_DEPTH);
    fputc('\n', m->out);
    for (uint32_t n = pick(m, 5); n > 0; n--)
        statement(m, 3, "t");
    fputs("return t\n}\n{ a: x0, b: x1 } -> f{} -> out\n", m->out);
}

/* A flow has one table only, so the second input is a config value here. */
static void named_function(struct maker *m)
{
    fprintf(m->out, "func f{x1 %s}(x0 %s) (y %s, z %s) {\n", TYPES[m->input[1]], TYPES[m->input[0]],
            TYPES[m->result], TYPES[m->result]);
    for (uint32_t n = 1 + pick(m, 4); n > 0; n--)
        statement(m, 3, pick(m, 2) == 0 ? "y" : "z");
    fprintf(m->out, "}\na -> f{x1=%u} -> { y: out, z: out2 }\n", pick(m, 100));
}

static char *random_program(struct maker *m)
{
    char *text = NULL;
    size_t len;
    m->out = open_memstream(&text, &len);
    assert_non_null(m->out);
    m->input[0] = (enum telem_type)pick(m, 10);
    m->input[1] = (enum telem_type)pick(m, 10);
    m->result = (enum telem_type)pick(m, 10);
    m->has_helper = false;
    if (pick(m, 2) == 0) {
        enum telem_type second = m->input[1];
        m->input[1] = m->input[0];
        fprintf(m->out, "func helper(x0 %s) %s {\nx1 := x0\nif ", TYPES[m->input[0]],
                TYPES[m->result]);
        condition(m, 2);
        fputs(" { return ", m->out);
        expression(m, m->result, 2);
        fputs(" }\nreturn ", m->out);
        expression(m, m->result, 3);
        fputs("\n}\n", m->out);
        m->input[1] = second;
        m->has_helper = true;
    }
    if (pick(m, 3) == 0)
        named_function(m);
    else
        unnamed_function(m);
    fclose(m->out);
    return text;
}

/* ---- Corner values */

static union telem_value random_value(struct maker *m, enum telem_type type)
{
    static const double REALS[] = {0,         -0.0,    1,       -1,   0.5,  -0.5,  127.5, -128.5,
                                   255,       65535.5, 1e9,     -1e9, 1e19, -1e19, 1e300, INFINITY,
                                   -INFINITY, NAN,     DBL_MIN, 3.25, 100,  2};
    union telem_value value = {0};
    if (telem_type_is_float(type)) {
        double real = REALS[pick(m, ARCD_COUNT_OF(REALS))];
        if (pick(m, 2) == 0)
            real = ((double)pick(m, 2000000) - 1e6) / 128;
        if (type == TELEM_F32)
            value.f32 = (float)real;
        else
            value.f64 = real;
        return value;
    }
    unsigned bits = 8 * (unsigned)telem_type_size(type);
    uint64_t low = (uint64_t)pick(m, UINT32_MAX) << 32 | pick(m, UINT32_MAX);
    if (pick(m, 2) == 0)
        low = pick(m, 5);
    if (pick(m, 4) == 0)
        low = UINT64_C(1) << (bits - 1 - pick(m, 2));
    if (pick(m, 4) == 0)
        low = -low;
    value.u64 = low;
    return value;
}

/* ---- Running */

struct result {
    uint32_t n;
    uint32_t channel[4 * MOST_ROWS];
    union telem_value value[4 * MOST_ROWS];
    int64_t time_ns[4 * MOST_ROWS];
};

static void run(const struct arc_image *image, enum arc_host_mode mode,
                const struct arc_host_frame *frames, uint32_t n_frames, struct result *result)
{
    struct arc_host_options options = {.mode = mode, .max_rows = MOST_ROWS};
    struct arc_host_program *program;
    assert_int_equal(arc_host_program_new(image, &options, &program, NULL), ARCD_OK);
    assert_int_equal(arc_host_program_start(program, 0), ARCD_OK);
    result->n = 0;
    for (uint32_t i = 0; i < n_frames; i++) {
        assert_int_equal(arc_host_program_input(program, &frames[i], i, i), ARCD_OK);
        const struct arc_host_outputs *o = arc_host_program_outputs(program);
        for (uint32_t k = 0; k < o->n_writes && result->n < ARCD_COUNT_OF(result->value); k++) {
            result->channel[result->n] = o->writes[k].channel;
            result->value[result->n] = o->writes[k].number;
            result->time_ns[result->n++] = o->writes[k].time_utc_ns;
        }
    }
    arc_host_program_free(program);
}

static bool same_value(enum telem_type type, union telem_value a, union telem_value b)
{
    if (type == TELEM_F32)
        return (uint32_t)a.u64 == (uint32_t)b.u64 || (isnan(a.f32) && isnan(b.f32));
    if (type == TELEM_F64)
        return a.u64 == b.u64 || (isnan(a.f64) && isnan(b.f64));
    return a.u64 == b.u64;
}

/* n_channels when there is none. */
static uint32_t channel_named(const struct arc_image *image, const char *name)
{
    uint32_t i = 0;
    while (i < image->n_channels && strcmp(image->channels[i].name, name) != 0)
        i++;
    return i;
}

static struct arc_host_column random_column(struct maker *m, struct base_arena *arena,
                                            uint32_t channel, enum telem_type type, uint32_t n)
{
    void *data = base_arena_alloc(arena, n * telem_type_size(type), 16);
    for (uint32_t i = 0; i < n; i++)
        telem_store(type, data, i, random_value(m, type));
    return (struct arc_host_column){.channel = channel, .n = n, .data = data};
}

/* Two frames: batches of unequal length on both inputs, then one on the first alone. */
static bool compare_modes(struct maker *m, struct base_arena *arena, const struct arc_image *image,
                          const char *text)
{
    static const uint32_t LENGTHS[] = {1, 2, 7, 255, 256, 257, 600};
    static struct result sample, batch;
    uint32_t a = channel_named(image, "a");
    uint32_t b = channel_named(image, "b");
    bool has_b = b < image->n_channels;
    struct arc_host_column columns[3] = {
        random_column(m, arena, a, m->input[0], LENGTHS[pick(m, 7)]),
        random_column(m, arena, b, m->input[1], LENGTHS[pick(m, 7)]),
        random_column(m, arena, a, m->input[0], LENGTHS[pick(m, 7)]),
    };
    struct arc_host_frame frames[2] = {{.columns = columns, .n_columns = has_b ? 2 : 1},
                                       {.columns = columns + 2, .n_columns = 1}};
    run(image, ARC_HOST_MODE_SAMPLE, frames, 2, &sample);
    run(image, ARC_HOST_MODE_BATCH, frames, 2, &batch);
    if (sample.n != batch.n)
        fail_msg("%u and %u samples of:\n%s", sample.n, batch.n, text);
    for (uint32_t i = 0; i < sample.n; i++) {
        if (sample.channel[i] != batch.channel[i] || sample.time_ns[i] != batch.time_ns[i])
            fail_msg("sample %u goes elsewhere in:\n%s", i, text);
        if (!same_value(m->result, sample.value[i], batch.value[i]))
            fail_msg("sample %u is %llx and %llx in:\n%s", i,
                     (unsigned long long)sample.value[i].u64,
                     (unsigned long long)batch.value[i].u64, text);
    }
    return sample.n > 0;
}

static const struct arc_image_func *function_named(const struct arc_image *image, const char *name)
{
    for (uint32_t i = 0; i < image->n_funcs; i++)
        if (strcmp(image->funcs[i].name, name) == 0)
            return &image->funcs[i];
    return NULL;
}

static void both_ways_of_running_give_the_same_samples(void **state)
{
    (void)state;
    struct maker m = {.seed = 20240229};
    uint32_t with_batch = 0, with_samples = 0;
    for (int i = 0; i < PROGRAMS; i++) {
        struct base_arena arena;
        base_arena_init(&arena);
        char *text = random_program(&m);
        struct arc_chan_info infos[] = {{.name = "a", .type = m.input[0]},
                                        {.name = "b", .type = m.input[1]},
                                        {.name = "out", .type = m.result},
                                        {.name = "out2", .type = m.result}};
        struct arc_chan_table table = {.chans = infos, .n_chans = ARCD_COUNT_OF(infos)};
        struct arc_source source = {.file = "random", .text = text, .len = strlen(text)};
        struct arc_diags diags;
        arc_diags_init(&diags, &arena, &source);
        struct arc_image *image = arc_compile(&source, &table, &diags);
        if (image == NULL) {
            fail_msg("%s\n%s", arc_diags_render(&diags), text);
            return;
        }
        const struct arc_image_func *f = function_named(image, "f");
        with_batch += f != NULL && f->batch.code.n != 0;
        with_samples += compare_modes(&m, &arena, image, text);
        arc_image_free(image);
        free(text);
        base_arena_fini(&arena);
    }
    /* Else the comparison would have compared nothing. */
    assert_true(with_batch > PROGRAMS / 2);
    assert_true(with_samples > PROGRAMS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_of_running_give_the_same_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
