#include "tasks/scale.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct base_arena arena;
    struct tasks_scale scale, inverse;
    struct arcd_errinfo why;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    base_arena_init(&f->arena);
    tasks_scale_init(&f->scale, &f->arena, 4);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    base_arena_fini(&f->arena);
    free(f);
    return 0;
}

static double apply(const struct tasks_scale *scale, double x)
{
    tasks_scale_apply(scale, &x, 1);
    return x;
}

static void invert(struct fixture *f)
{
    assert_int_equal(tasks_scale_invert(&f->scale, &f->inverse, &f->why), ARCD_OK);
}

static void assert_refused(struct fixture *f, const char *text)
{
    assert_int_equal(tasks_scale_invert(&f->scale, &f->inverse, &f->why), ARCD_ERR_CONFIG);
    assert_non_null(strstr(f->why.text, text));
}

static void an_empty_chain_changes_nothing(void **state)
{
    struct fixture *f = *state;
    assert_true(tasks_scale_is_identity(&f->scale));
    assert_true(apply(&f->scale, 3.25) == 3.25);
}

static void linear_is_slope_times_x_plus_offset_and_back(void **state)
{
    struct fixture *f = *state;
    tasks_scale_add_linear(&f->scale, 60, 1);
    double row[] = {0, 1, -2, NAN};
    tasks_scale_apply(&f->scale, row, 4);
    assert_true(row[0] == 1 && row[1] == 61 && row[2] == -119 && isnan(row[3]));
    invert(f);
    assert_true(apply(&f->inverse, 61) == 1);
}

static void linear_with_slope_0_has_no_inverse(void **state)
{
    struct fixture *f = *state;
    tasks_scale_add_linear(&f->scale, 0, 1);
    assert_refused(f, "slope must not be 0");
}

static void map_hits_both_ends_exactly(void **state)
{
    struct fixture *f = *state;
    tasks_scale_add_map(&f->scale, 0.5, 4.5, 0, 100);
    assert_true(apply(&f->scale, 0.5) == 0);
    assert_true(apply(&f->scale, 4.5) == 100);
    assert_true(apply(&f->scale, 2.5) == 50);
    invert(f);
    assert_true(apply(&f->inverse, 0) == 0.5);
    assert_true(apply(&f->inverse, 100) == 4.5);
}

static void map_onto_a_single_point_has_no_inverse(void **state)
{
    struct fixture *f = *state;
    tasks_scale_add_map(&f->scale, 0, 1, 5, 5);
    assert_refused(f, "scaled_min and scaled_max must differ");
}

static void steps_apply_left_to_right_and_invert_right_to_left(void **state)
{
    struct fixture *f = *state;
    tasks_scale_add_linear(&f->scale, 2, 1);
    tasks_scale_add_map(&f->scale, 0, 10, 0, 1);
    assert_true(apply(&f->scale, 2) == 0.5);
    invert(f);
    assert_true(apply(&f->inverse, 0.5) == 2);
}

static void polynomial_starts_with_its_constant_term(void **state)
{
    struct fixture *f = *state;
    const double coeffs[] = {1, -2, 0.5};
    struct tasks_scale_poly poly = {.forward = coeffs, .n_forward = 3};
    tasks_scale_add_poly(&f->scale, &poly);
    assert_true(apply(&f->scale, 4) == 1 - 8 + 8);
}

static void reverse_coefficients_are_the_inverse_when_given(void **state)
{
    struct fixture *f = *state;
    const double forward[] = {0, 2}, reverse[] = {7, 0.5};
    struct tasks_scale_poly poly = {
        .forward = forward, .n_forward = 2, .reverse = reverse, .n_reverse = 2};
    tasks_scale_add_poly(&f->scale, &poly);
    invert(f);
    assert_true(apply(&f->inverse, 4) == 9);
}

static void a_straight_polynomial_is_inverted_to_the_last_digits(void **state)
{
    struct fixture *f = *state;
    const double coeffs[] = {-3, 0.25};
    struct tasks_scale_poly poly = {
        .forward = coeffs, .n_forward = 2, .min_x = 0, .max_x = 65535, .order = -1, .points = 100};
    tasks_scale_add_poly(&f->scale, &poly);
    invert(f);
    for (int i = 0; i <= 16; i++) {
        double x = 4095.0 * i;
        assert_true(fabs(apply(&f->inverse, apply(&f->scale, x)) - x) < 1e-8);
    }
}

/* A thermocouple-like curve; the fit of order 8 gives x back within a ten-thousandth of the range.
 */
static void a_bent_polynomial_is_fitted_over_its_range(void **state)
{
    struct fixture *f = *state;
    const double coeffs[] = {0.2, 1, 0.08, 0.004};
    struct tasks_scale_poly poly = {
        .forward = coeffs, .n_forward = 4, .min_x = -2, .max_x = 8, .order = 8, .points = 200};
    tasks_scale_add_poly(&f->scale, &poly);
    invert(f);
    for (int i = -20; i <= 80; i++) {
        double x = i / 10.0;
        assert_true(fabs(apply(&f->inverse, apply(&f->scale, x)) - x) < 1e-3);
    }
}

static void a_polynomial_that_turns_round_has_no_inverse(void **state)
{
    struct fixture *f = *state;
    const double coeffs[] = {0, 0, 1};
    struct tasks_scale_poly poly = {
        .forward = coeffs, .n_forward = 3, .min_x = -1, .max_x = 1, .order = -1, .points = 100};
    tasks_scale_add_poly(&f->scale, &poly);
    assert_refused(f, "turns round between -1 and 1");
}

static void a_polynomial_without_a_range_needs_reverse_coefficients(void **state)
{
    struct fixture *f = *state;
    const double coeffs[] = {0, 2};
    struct tasks_scale_poly poly = {.forward = coeffs, .n_forward = 2, .order = -1, .points = 100};
    tasks_scale_add_poly(&f->scale, &poly);
    assert_refused(f, "needs reverse_coeffs, or min_x and max_x");
}

static void too_few_points_for_the_order_are_refused(void **state)
{
    struct fixture *f = *state;
    const double coeffs[] = {0, 2};
    struct tasks_scale_poly poly = {
        .forward = coeffs, .n_forward = 2, .min_x = 0, .max_x = 1, .order = 9, .points = 5};
    tasks_scale_add_poly(&f->scale, &poly);
    assert_refused(f, "needs more than 9 distinct points");
}

static void table_interpolates_and_holds_its_ends(void **state)
{
    struct fixture *f = *state;
    const double xs[] = {0, 1, 10}, ys[] = {0, 10, 100};
    tasks_scale_add_table(&f->scale, xs, ys, 3, false);
    double row[] = {0.5, 5.5, -1, 11, 1, 10, NAN, 0};
    tasks_scale_apply(&f->scale, row, 8);
    assert_true(row[0] == 5 && row[1] == 55);
    assert_true(row[2] == 0 && row[3] == 100);
    assert_true(row[4] == 10 && row[5] == 100 && isnan(row[6]) && row[7] == 0);
}

static void table_extends_its_last_segments_when_asked(void **state)
{
    struct fixture *f = *state;
    const double xs[] = {0, 1, 2}, ys[] = {0, 1, 11};
    tasks_scale_add_table(&f->scale, xs, ys, 3, true);
    assert_true(apply(&f->scale, -2) == -2);
    assert_true(apply(&f->scale, 3) == 21);
}

static void a_falling_table_is_inverted(void **state)
{
    struct fixture *f = *state;
    const double xs[] = {0, 1, 2}, ys[] = {100, 40, 10};
    tasks_scale_add_table(&f->scale, xs, ys, 3, false);
    invert(f);
    for (int i = 0; i <= 16; i++) {
        double x = i / 8.0;
        assert_true(fabs(apply(&f->inverse, apply(&f->scale, x)) - x) < 1e-12);
    }
    assert_true(apply(&f->inverse, 200) == 0);
}

static void a_table_that_is_not_monotonic_has_no_inverse(void **state)
{
    struct fixture *f = *state;
    const double xs[] = {0, 1, 2}, ys[] = {0, 1, 1};
    tasks_scale_add_table(&f->scale, xs, ys, 3, false);
    assert_refused(f, "scaled must be strictly monotonic to be inverted");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_empty_chain_changes_nothing),
        TEST(linear_is_slope_times_x_plus_offset_and_back),
        TEST(linear_with_slope_0_has_no_inverse),
        TEST(map_hits_both_ends_exactly),
        TEST(map_onto_a_single_point_has_no_inverse),
        TEST(steps_apply_left_to_right_and_invert_right_to_left),
        TEST(polynomial_starts_with_its_constant_term),
        TEST(reverse_coefficients_are_the_inverse_when_given),
        TEST(a_straight_polynomial_is_inverted_to_the_last_digits),
        TEST(a_bent_polynomial_is_fitted_over_its_range),
        TEST(a_polynomial_that_turns_round_has_no_inverse),
        TEST(a_polynomial_without_a_range_needs_reverse_coefficients),
        TEST(too_few_points_for_the_order_are_refused),
        TEST(table_interpolates_and_holds_its_ends),
        TEST(table_extends_its_last_segments_when_asked),
        TEST(a_falling_table_is_inverted),
        TEST(a_table_that_is_not_monotonic_has_no_inverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
