#include "hw/sim/sim_gen.h"

#include "hw/sim/sim_math.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double at(const struct sim_gen *gen, double t_s)
{
    struct sim_moment moment = {.t_s = t_s, .sample = (uint64_t)fabs(t_s * 100.0 + 0.5)};
    return sim_gen_value(gen, &moment);
}

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12))
        fail_msg("%.17g is not %.17g", value, expected);
}

static void a_constant_adds_its_offset_once_the_delay_is_over(void **state)
{
    (void)state;
    struct sim_gen gen = {
        .kind = SIM_GEN_CONSTANT, .value = 5.0, .offset = 1.0, .delay_ns = 2000000000};
    near(at(&gen, 0.0), 1.0);
    near(at(&gen, 1.999), 1.0);
    near(at(&gen, 2.0), 6.0);
}

static void a_sine_follows_its_formula(void **state)
{
    (void)state;
    struct sim_gen gen = {
        .kind = SIM_GEN_SINE, .amplitude = 3.0, .frequency = 50.0, .phase = 0.25, .offset = -1.0};
    for (int i = 0; i < 1000; i++) {
        double t = i / 997.0;
        near(at(&gen, t), -1.0 + 3.0 * sin(2.0 * M_PI * (50.0 * t + 0.25)));
    }
    near(at(&gen, 0.0), 2.0);
}

static void a_square_is_high_for_its_duty(void **state)
{
    (void)state;
    struct sim_gen gen = {.kind = SIM_GEN_SQUARE, .amplitude = 2.0, .frequency = 1.0, .duty = 0.25};
    near(at(&gen, 0.0), 2.0);
    near(at(&gen, 0.249), 2.0);
    near(at(&gen, 0.25), -2.0);
    near(at(&gen, 0.999), -2.0);
    near(at(&gen, 7.0), 2.0);
}

static void a_triangle_starts_at_0_and_rises(void **state)
{
    (void)state;
    struct sim_gen gen = {.kind = SIM_GEN_TRIANGLE, .amplitude = 4.0, .frequency = 1.0};
    const double points[][2] = {{0.0, 0.0}, {0.125, 2.0}, {0.25, 4.0},
                                {0.5, 0.0}, {0.75, -4.0}, {0.875, -2.0}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        near(at(&gen, points[i][0]), points[i][1]);
}

static void a_sawtooth_rises_or_falls(void **state)
{
    (void)state;
    struct sim_gen gen = {.kind = SIM_GEN_SAWTOOTH, .amplitude = 1.0, .frequency = 2.0};
    near(at(&gen, 0.0), -1.0);
    near(at(&gen, 0.25), 0.0);
    near(at(&gen, 0.375), 0.5);
    gen.falling = true;
    near(at(&gen, 0.0), 1.0);
    near(at(&gen, 0.375), -0.5);
}

static void a_ramp_stops_at_its_limits(void **state)
{
    (void)state;
    struct sim_gen gen = {.kind = SIM_GEN_RAMP, .rate = 2.0, .offset = 10.0};
    near(at(&gen, 100.0), 210.0);
    gen.max = 5.0;
    gen.has_max = true;
    near(at(&gen, 2.0), 14.0);
    near(at(&gen, 100.0), 15.0);
    gen.rate = -1.0;
    gen.min = -3.0;
    gen.has_min = true;
    near(at(&gen, 100.0), 7.0);
}

static void steps_hold_their_last_value(void **state)
{
    (void)state;
    const struct sim_point points[] = {{1.0, 10.0}, {2.0, 20.0}, {4.0, -5.0}};
    struct sim_gen gen = {.kind = SIM_GEN_STEP, .points = {points, 3}, .offset = 1.0};
    near(at(&gen, 0.5), 1.0);
    near(at(&gen, 1.0), 11.0);
    near(at(&gen, 1.9999), 11.0);
    near(at(&gen, 3.0), 21.0);
    near(at(&gen, 1e6), -4.0);
}

static void a_counter_counts_and_starts_again(void **state)
{
    (void)state;
    struct sim_gen gen = {.kind = SIM_GEN_COUNTER, .frequency = 10.0};
    near(at(&gen, 0.05), 0.0);
    near(at(&gen, 12.34), 123.0);
    gen.modulo = 8.0;
    near(at(&gen, 12.34), 3.0);
}

static void noise_depends_on_seed_channel_and_sample_alone(void **state)
{
    (void)state;
    struct sim_gen gen = {
        .kind = SIM_GEN_NOISE, .amplitude = 2.0, .noise = SIM_NOISE_UNIFORM, .offset = 1.0};
    struct sim_moment moment = {
        .t_s = 3.0, .sample = 300, .chan_hash = sim_hash64("vib"), .seed = 1};
    uint64_t z0 = UINT64_C(1) ^ sim_hash64("vib");
    near(sim_gen_value(&gen, &moment), 1.0 + 2.0 * (2.0 * sim_uniform(z0, 300) - 1.0));
    moment.t_s = 4.0; /* the time itself plays no part */
    near(sim_gen_value(&gen, &moment), 1.0 + 2.0 * (2.0 * sim_uniform(z0, 300) - 1.0));
    gen.noise = SIM_NOISE_GAUSS;
    near(sim_gen_value(&gen, &moment), 1.0 + 2.0 * sim_gauss(z0, 300));
    gen.has_seed = true;
    gen.seed = 9;
    near(sim_gen_value(&gen, &moment), 1.0 + 2.0 * sim_gauss(UINT64_C(9) ^ sim_hash64("vib"), 300));
    moment.quiet = true;
    near(sim_gen_value(&gen, &moment), 1.0);
}

static void sums_and_products_combine_delayed_parts(void **state)
{
    (void)state;
    struct sim_gen parts[] = {
        {.kind = SIM_GEN_RAMP, .rate = 1.0},
        {.kind = SIM_GEN_CONSTANT, .value = 3.0},
    };
    struct sim_gen gen = {.kind = SIM_GEN_SUM, .of = {parts, 2}, .delay_ns = 1000000000};
    near(at(&gen, 0.5), 0.0);
    near(at(&gen, 5.0), 4.0 + 3.0);
    gen.kind = SIM_GEN_PRODUCT;
    gen.offset = 100.0;
    near(at(&gen, 5.0), 100.0 + 4.0 * 3.0);
}

/* ---- Files */

struct file {
    char path[64];
    struct base_arena arena;
    struct config_errors errors;
    struct config_doc doc;
};

static bool load(struct file *f, const char *text, struct sim_gen *gen)
{
    strcpy(f->path, "/tmp/arcd_sim_gen_XXXXXX");
    int fd = mkstemp(f->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    base_arena_init(&f->arena);
    config_errors_init(&f->errors);
    assert_int_equal(config_doc_parse(&f->doc, &f->errors, "driver.json", "{}", 2), ARCD_OK);
    gen->kind = SIM_GEN_CSV;
    gen->file = f->path;
    return sim_gen_prepare(gen, &f->arena, "", config_root(&f->doc));
}

static void unload(struct file *f)
{
    unlink(f->path);
    config_doc_fini(&f->doc);
    config_errors_fini(&f->errors);
    base_arena_fini(&f->arena);
}

static void a_csv_file_holds_between_its_points_and_loops(void **state)
{
    (void)state;
    struct file f;
    struct sim_gen gen = {0};
    assert_true(load(&f, "t,v\n# a note\n0, 1.5\n\n1;2.5\r\n4,-1\n", &gen));
    near(at(&gen, 0.0), 1.5);
    near(at(&gen, 0.99), 1.5);
    near(at(&gen, 3.9), 2.5);
    near(at(&gen, 100.0), -1.0);
    gen.loop = true;
    near(at(&gen, 4.5), 1.5);
    near(at(&gen, 41.0), 2.5);
    unload(&f);
}

static void a_bad_csv_file_is_named_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *complaint;
    } cases[] = {
        {"0,1\n1,x\n", ":2: must be two numbers, `t,v`"},
        {"0,1\n1,2,3\n", ":2: must be two numbers, `t,v`"},
        {"0,1\n0,2\n", ":2: time must be later than in the line before"},
        {"0,nan\n0,inf\n", ":2: must be two numbers, `t,v`"},
        {"t,v\n", "has no points"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct file f;
        struct sim_gen gen = {0};
        assert_false(load(&f, cases[i].text, &gen));
        assert_non_null(f.errors.first);
        assert_non_null(strstr(f.errors.first->text, cases[i].complaint));
        unload(&f);
    }
}

static void a_csv_file_that_is_not_there_is_an_error_that_says_why(void **state)
{
    (void)state;
    struct file f;
    struct sim_gen gen = {0};
    assert_true(load(&f, "0,1\n", &gen));
    gen.file = "missing.csv";
    assert_false(sim_gen_prepare(&gen, &f.arena, "/nonexistent", config_root(&f.doc)));
    assert_string_equal(f.errors.first->text,
                        "cannot read /nonexistent/missing.csv: No such file or directory");
    unload(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_adds_its_offset_once_the_delay_is_over),
        cmocka_unit_test(a_sine_follows_its_formula),
        cmocka_unit_test(a_square_is_high_for_its_duty),
        cmocka_unit_test(a_triangle_starts_at_0_and_rises),
        cmocka_unit_test(a_sawtooth_rises_or_falls),
        cmocka_unit_test(a_ramp_stops_at_its_limits),
        cmocka_unit_test(steps_hold_their_last_value),
        cmocka_unit_test(a_counter_counts_and_starts_again),
        cmocka_unit_test(noise_depends_on_seed_channel_and_sample_alone),
        cmocka_unit_test(sums_and_products_combine_delayed_parts),
        cmocka_unit_test(a_csv_file_holds_between_its_points_and_loops),
        cmocka_unit_test(a_bad_csv_file_is_named_with_its_line),
        cmocka_unit_test(a_csv_file_that_is_not_there_is_an_error_that_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
