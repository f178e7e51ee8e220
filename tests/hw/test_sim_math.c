/* The numbers were computed in Python, from the definitions in docs and with its own libm. */
#include "hw/sim/sim_math.h"

#include "base/mark.h"
#include "tests/support/test.h"

#include <math.h>

static void near(double value, double expected, double relative)
{
    if (fabs(value - expected) > relative * fabs(expected))
        fail_msg("%.17g is not %.17g", value, expected);
}

static void the_hash_of_names_is_fnv_1a(void **state)
{
    (void)state;
    assert_true(sim_hash64("") == UINT64_C(0xcbf29ce484222325));
    assert_true(sim_hash64("vib") == UINT64_C(0x68e8f8194eba5f26));
    assert_true(sim_hash64("tank_temp") == UINT64_C(0x0a3f85fb2e3ea8d8));
}

static const struct {
    uint64_t seed;
    const char *name;
    double uniform[3], uniform_millionth;
    double gauss[3], gauss_123456;
} draws[] = {
    {1,
     "vib",
     {0x1.c241f35eda6bap-1, 0x1.94a7df47faaedp-1, 0x1.7259e2723033ep-1},
     0x1.0e5afd1915510p-5,
     {0.12713482994616576, 0.5883673788457038, -0.16913649587842006},
     -0.030978541718378886},
    {42,
     "tank_temp",
     {0x1.9d0a2acac13afp-1, 0x1.42419a43bb857p-1, 0x1.f4a5c8bca2356p-2},
     0x1.88aeaf322fce0p-1,
     {-0.450436500078796, 1.009019357610318, -0.44973851313174323},
     3.0241696936655713},
    {0,
     "",
     {0x1.8702f802d749fp-1, 0x1.00cdaacc0bc90p-4, 0x1.530e95a7b3d86p-2},
     0x1.5277b38b109cdp-1,
     {0.6780442906420212, 0.6880760018985574, 1.3362677986561575},
     -1.4992278333344924},
};

static void uniform_draws_are_these_bits(void **state)
{
    (void)state;
    for (size_t d = 0; d < ARCD_COUNT_OF(draws); d++) {
        uint64_t z0 = draws[d].seed ^ sim_hash64(draws[d].name);
        for (uint64_t i = 0; i < 3; i++)
            assert_true(sim_uniform(z0, i) == draws[d].uniform[i]);
        assert_true(sim_uniform(z0, 1000000) == draws[d].uniform_millionth);
    }
}

static void gauss_draws_are_what_the_definition_gives(void **state)
{
    (void)state;
    for (size_t d = 0; d < ARCD_COUNT_OF(draws); d++) {
        uint64_t z0 = draws[d].seed ^ sim_hash64(draws[d].name);
        for (uint64_t i = 0; i < 3; i++)
            near(sim_gauss(z0, i), draws[d].gauss[i], 1e-14);
        near(sim_gauss(z0, 123456), draws[d].gauss_123456, 1e-14);
    }
}

/* What the formula leaves to a libm is fixed here: these are the bits on every machine. */
static void gauss_draws_are_these_bits(void **state)
{
    (void)state;
    uint64_t z0 = UINT64_C(1) ^ sim_hash64("vib");
    assert_true(sim_gauss(z0, 0) == 0x1.045f44066912p-3);
    assert_true(sim_gauss(z0, 1) == 0x1.2d3e7d3459e0ap-1);
    assert_true(sim_gauss(z0, 123456) == -0x1.fb8d6be3b9b25p-6);
}

static void gauss_draws_have_mean_0_and_deviation_1(void **state)
{
    (void)state;
    enum { N = 200000 };
    double sum = 0.0;
    double squares = 0.0;
    int beyond_2 = 0;
    for (uint64_t i = 0; i < N; i++) {
        double v = sim_gauss(7, i);
        sum += v;
        squares += v * v;
        beyond_2 += fabs(v) > 2.0;
    }
    assert_true(fabs(sum / N) < 0.01);
    assert_true(fabs(squares / N - 1.0) < 0.01);
    assert_true(fabs((double)beyond_2 / N - 0.0455) < 0.002);
}

static void sine_and_cosine_follow_libm_all_around(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; i++) {
        double turns = i / 100000.0;
        assert_true(fabs(sim_sin_turns(turns) - sin(2.0 * M_PI * turns)) < 2e-15);
        assert_true(fabs(sim_cos_turns(turns) - cos(2.0 * M_PI * turns)) < 2e-15);
    }
}

static void sine_and_cosine_are_exact_at_the_quarters(void **state)
{
    (void)state;
    const double sines[] = {0.0, 1.0, 0.0, -1.0};
    for (int q = 0; q < 4; q++) {
        assert_true(sim_sin_turns(q * 0.25) == sines[q]);
        assert_true(sim_cos_turns(q * 0.25) == sines[(q + 1) % 4]);
    }
}

static void log_and_exp_follow_libm(void **state)
{
    (void)state;
    for (int i = 1; i < 100000; i++) {
        double x = i / 100000.0;
        near(sim_log(x), log(x), 1e-15);
        near(sim_log(x * 0x1p-54), log(x * 0x1p-54), 1e-15);
        near(sim_exp(-x), exp(-x), 1e-15);
        near(sim_exp(-700.0 * x), exp(-700.0 * x), 1e-15);
    }
    assert_true(sim_log(1.0) == 0.0);
    assert_true(sim_exp(0.0) == 1.0);
    assert_true(sim_exp(-1000.0) == 0.0);
}

static void a_fraction_is_below_1(void **state)
{
    (void)state;
    assert_true(sim_frac(3.25) == 0.25);
    assert_true(sim_frac(-0.25) == 0.75);
    assert_true(sim_frac(-1e-300) == 0.0);
    assert_true(sim_frac(5.0) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hash_of_names_is_fnv_1a),
        cmocka_unit_test(uniform_draws_are_these_bits),
        cmocka_unit_test(gauss_draws_are_what_the_definition_gives),
        cmocka_unit_test(gauss_draws_are_these_bits),
        cmocka_unit_test(gauss_draws_have_mean_0_and_deviation_1),
        cmocka_unit_test(sine_and_cosine_follow_libm_all_around),
        cmocka_unit_test(sine_and_cosine_are_exact_at_the_quarters),
        cmocka_unit_test(log_and_exp_follow_libm),
        cmocka_unit_test(a_fraction_is_below_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
