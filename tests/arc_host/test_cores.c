#include "arc_host/cores.h"

#include "tests/support/test.h"

static struct arc_host_cores cores;

static cpu_set_t set_of(const char *list)
{
    cpu_set_t set;
    assert_true(arc_host_cores_parse(list, &set));
    return set;
}

static void choose(const char *isolated, const char *allowed)
{
    cpu_set_t a = set_of(isolated), b = set_of(allowed);
    arc_host_cores_choose(&cores, &a, &b);
}

static void assert_candidates(const char *allowed, int first, int n)
{
    choose("", allowed);
    assert_false(cores.isolated);
    assert_int_equal(cores.n_cpus, n);
    for (int i = 0; i < n; i++)
        assert_int_equal(cores.cpus[i], first + i);
}

static void lists_are_read_as_the_kernel_writes_them(void **state)
{
    (void)state;
    cpu_set_t set = set_of("0,3-5,16-23:2/4\n");
    const int in[] = {0, 3, 4, 5, 16, 17, 20, 21};
    assert_int_equal(CPU_COUNT(&set), ARCD_COUNT_OF(in));
    for (size_t i = 0; i < ARCD_COUNT_OF(in); i++)
        assert_true(CPU_ISSET((size_t)in[i], &set));
    set = set_of("\n");
    assert_int_equal(CPU_COUNT(&set), 0);
}

static void what_is_no_list_is_refused_and_leaves_nothing(void **state)
{
    (void)state;
    const char *const bad[] = {"x", "1-", "5-3", "1;2", "-1", "99999", "1-4:3", "1-4:0/2", "1 2"};
    for (size_t i = 0; i < ARCD_COUNT_OF(bad); i++) {
        cpu_set_t set;
        assert_false(arc_host_cores_parse(bad[i], &set));
        assert_int_equal(CPU_COUNT(&set), 0);
    }
}

static void without_isolated_cores_the_last_ones_are_candidates(void **state)
{
    (void)state;
    assert_candidates("0", 0, 1);
    assert_candidates("0-1", 1, 1);
    assert_candidates("0-2", 1, 2);
    assert_candidates("0-3", 2, 2);
    assert_candidates("0-4", 2, 3);
    assert_candidates("0-7", 5, 3);
    assert_candidates("0-8", 5, 4);
    assert_candidates("0-127", 124, 4);
    assert_candidates("", 0, 0);
}

static void the_affinity_mask_counts_not_the_machine(void **state)
{
    (void)state;
    choose("", "2,5,9,11");
    assert_int_equal(cores.n_cpus, 2);
    assert_int_equal(cores.cpus[0], 9);
    assert_int_equal(cores.cpus[1], 11);
}

static void isolated_cores_are_taken_also_outside_of_the_mask(void **state)
{
    (void)state;
    choose("6-7", "0-5");
    assert_true(cores.isolated);
    assert_int_equal(cores.n_cpus, 2);
    assert_int_equal(cores.cpus[0], 6);
    assert_int_equal(cores.cpus[1], 7);
}

static void cores_are_handed_out_least_loaded_first_the_last_one_before(void **state)
{
    (void)state;
    choose("", "0-7");
    const int order[] = {7, 6, 5, 7, 6, 5};
    for (size_t i = 0; i < ARCD_COUNT_OF(order); i++)
        assert_int_equal(arc_host_cores_take(&cores, ARC_HOST_CORE_ANY), order[i]);
    arc_host_cores_give(&cores, 5);
    arc_host_cores_give(&cores, 6);
    arc_host_cores_give(&cores, 6);
    assert_int_equal(arc_host_cores_take(&cores, ARC_HOST_CORE_ANY), 6);
    assert_int_equal(arc_host_cores_take(&cores, ARC_HOST_CORE_ANY), 6);
    assert_int_equal(arc_host_cores_take(&cores, ARC_HOST_CORE_ANY), 5);
}

static void a_wanted_core_is_given_and_counts_as_load(void **state)
{
    (void)state;
    choose("", "0-3");
    assert_int_equal(arc_host_cores_take(&cores, 3), 3);
    assert_int_equal(arc_host_cores_take(&cores, 0), 0);
    assert_int_equal(arc_host_cores_take(&cores, ARC_HOST_CORE_ANY), 2);
}

static void without_candidates_there_is_no_core(void **state)
{
    (void)state;
    choose("", "");
    assert_int_equal(arc_host_cores_take(&cores, ARC_HOST_CORE_ANY), ARC_HOST_CORE_ANY);
    arc_host_cores_give(&cores, ARC_HOST_CORE_ANY);
}

static void this_machine_has_a_candidate(void **state)
{
    (void)state;

    arc_host_cores_read(&cores);
    assert_true(cores.n_cpus >= 1);
    int cpu = arc_host_cores_take(&cores, ARC_HOST_CORE_ANY);
    assert_int_equal(cpu, cores.cpus[cores.n_cpus - 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read_as_the_kernel_writes_them),
        cmocka_unit_test(what_is_no_list_is_refused_and_leaves_nothing),
        cmocka_unit_test(without_isolated_cores_the_last_ones_are_candidates),
        cmocka_unit_test(the_affinity_mask_counts_not_the_machine),
        cmocka_unit_test(isolated_cores_are_taken_also_outside_of_the_mask),
        cmocka_unit_test(cores_are_handed_out_least_loaded_first_the_last_one_before),
        cmocka_unit_test(a_wanted_core_is_given_and_counts_as_load),
        cmocka_unit_test(without_candidates_there_is_no_core),
        cmocka_unit_test(this_machine_has_a_candidate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
