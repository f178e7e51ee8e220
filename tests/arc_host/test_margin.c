#include "arc_host/margin.h"

#include "tests/support/test.h"

static void learn_n(struct arc_host_margin *margin, int64_t delay_ns, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        arc_host_margin_learn(margin, delay_ns);
}

/* A figure stands for the delay: not below it, and at most 7 % or one unit above. */
static void assert_is_about(int64_t figure, int64_t delay)
{
    assert_true(figure > delay);
    assert_true(figure <= delay + delay * 7 / 100 + 64);
}

static void nothing_learned_is_said(void **state)
{
    (void)state;
    struct arc_host_margin margin;
    arc_host_margin_init(&margin);
    assert_int_equal(arc_host_margin_all_but(&margin, 10), -1);
    assert_int_equal(arc_host_margin_worst(&margin), -1);
}

static void figures_are_just_above_the_delay_at_every_scale(void **state)
{
    (void)state;
    for (int64_t delay = 1; delay < 30000000; delay += delay / 3 + 1) {
        struct arc_host_margin margin;
        arc_host_margin_init(&margin);
        learn_n(&margin, delay, 3);
        assert_is_about(arc_host_margin_all_but(&margin, 0), delay);
        assert_is_about(arc_host_margin_worst(&margin), delay);
    }
}

static void delays_beyond_the_scale_count_as_its_end(void **state)
{
    (void)state;
    struct arc_host_margin margin;
    arc_host_margin_init(&margin);
    learn_n(&margin, INT64_C(5000000000), 1);
    assert_true(arc_host_margin_worst(&margin) >= 32000000);
    arc_host_margin_init(&margin);
    learn_n(&margin, -3, 1);
    assert_is_about(arc_host_margin_worst(&margin), 0);
}

static void all_but_a_few_leaves_out_just_these(void **state)
{
    (void)state;
    struct arc_host_margin margin;
    arc_host_margin_init(&margin);
    learn_n(&margin, 5000, ARC_HOST_MARGIN_WINDOW - 11);
    learn_n(&margin, 90000, 10);
    learn_n(&margin, 800000, 1);
    assert_is_about(arc_host_margin_all_but(&margin, 11), 5000);
    assert_is_about(arc_host_margin_all_but(&margin, 10), 90000);
    assert_is_about(arc_host_margin_all_but(&margin, 1), 90000);
    assert_is_about(arc_host_margin_all_but(&margin, 0), 800000);
}

static void with_few_wake_ups_known_the_same_share_is_left_out(void **state)
{
    (void)state;
    struct arc_host_margin margin;
    arc_host_margin_init(&margin);
    learn_n(&margin, 5000, 3);
    learn_n(&margin, 90000, 1);
    assert_is_about(arc_host_margin_all_but(&margin, 10), 90000);
    learn_n(&margin, 5000, 200);
    assert_is_about(arc_host_margin_all_but(&margin, 10), 5000);
}

static void what_left_the_window_is_forgotten(void **state)
{
    (void)state;
    struct arc_host_margin margin;
    arc_host_margin_init(&margin);
    learn_n(&margin, 300000, ARC_HOST_MARGIN_WINDOW);
    learn_n(&margin, 4000, ARC_HOST_MARGIN_WINDOW - 1);
    assert_is_about(arc_host_margin_all_but(&margin, 0), 300000);
    learn_n(&margin, 4000, 1);
    assert_is_about(arc_host_margin_all_but(&margin, 0), 4000);
}

static void the_worst_is_kept_for_eight_windows(void **state)
{
    (void)state;
    struct arc_host_margin margin;
    arc_host_margin_init(&margin);
    learn_n(&margin, 700000, 1);
    learn_n(&margin, 4000, ARC_HOST_MARGIN_EPOCHS * ARC_HOST_MARGIN_WINDOW - 1);
    assert_is_about(arc_host_margin_worst(&margin), 700000);
    learn_n(&margin, 4000, 1);
    assert_is_about(arc_host_margin_worst(&margin), 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_learned_is_said),
        cmocka_unit_test(figures_are_just_above_the_delay_at_every_scale),
        cmocka_unit_test(delays_beyond_the_scale_count_as_its_end),
        cmocka_unit_test(all_but_a_few_leaves_out_just_these),
        cmocka_unit_test(with_few_wake_ups_known_the_same_share_is_left_out),
        cmocka_unit_test(what_left_the_window_is_forgotten),
        cmocka_unit_test(the_worst_is_kept_for_eight_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
