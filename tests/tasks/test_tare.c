#include "tasks/tare.h"
#include "tests/support/test.h"

#include <math.h>

static void the_mean_of_the_next_batch_is_subtracted_from_it(void **state)
{
    (void)state;
    struct tasks_tare tare;
    double values[] = {9, 10, 11, NAN};
    tasks_tare_init(&tare, 0);
    assert_true(tasks_tare_is_idle(&tare));
    tasks_tare_ask(&tare, TASKS_TARE_SET);
    assert_true(tasks_tare_is_pending(&tare));
    assert_int_equal(tasks_tare_apply(&tare, values, 4), TASKS_TARE_DONE);
    assert_true(values[0] == -1 && values[1] == 0 && values[2] == 1 && isnan(values[3]));
    assert_true(tasks_tare_value(&tare) == 10);
    assert_false(tasks_tare_is_pending(&tare));
}

static void a_new_tare_is_measured_on_untared_data(void **state)
{
    (void)state;
    struct tasks_tare tare;
    double values[] = {14, 16};
    tasks_tare_init(&tare, 10);
    tasks_tare_ask(&tare, TASKS_TARE_SET);
    assert_int_equal(tasks_tare_apply(&tare, values, 2), TASKS_TARE_DONE);
    assert_true(values[0] == -1 && values[1] == 1);
    assert_true(tasks_tare_value(&tare) == 15);
}

static void the_tare_stays_in_force_for_later_batches(void **state)
{
    (void)state;
    struct tasks_tare tare;
    double values[] = {3};
    tasks_tare_init(&tare, 2);
    assert_false(tasks_tare_is_idle(&tare));
    assert_int_equal(tasks_tare_apply(&tare, values, 1), TASKS_TARE_KEPT);
    assert_true(values[0] == 1);
}

static void clear_removes_it(void **state)
{
    (void)state;
    struct tasks_tare tare;
    double values[] = {3};
    tasks_tare_init(&tare, 2);
    tasks_tare_ask(&tare, TASKS_TARE_CLEAR);
    assert_int_equal(tasks_tare_apply(&tare, values, 1), TASKS_TARE_DONE);
    assert_true(values[0] == 3);
    assert_true(tasks_tare_is_idle(&tare));
}

static void a_batch_without_a_finite_value_keeps_the_old_tare(void **state)
{
    (void)state;
    struct tasks_tare tare;
    double values[] = {NAN, INFINITY};
    tasks_tare_init(&tare, 2);
    tasks_tare_ask(&tare, TASKS_TARE_SET);
    assert_int_equal(tasks_tare_apply(&tare, values, 2), TASKS_TARE_NO_VALUES);
    assert_true(tasks_tare_value(&tare) == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_of_the_next_batch_is_subtracted_from_it),
        cmocka_unit_test(a_new_tare_is_measured_on_untared_data),
        cmocka_unit_test(the_tare_stays_in_force_for_later_batches),
        cmocka_unit_test(clear_removes_it),
        cmocka_unit_test(a_batch_without_a_finite_value_keeps_the_old_tare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
