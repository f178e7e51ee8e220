#include "base/clock.h"
#include "driver/parallel.h"
#include "tests/support/test.h"

#include <stdatomic.h>
#include <time.h>

static void add_one(void *ctx, size_t i)
{
    atomic_fetch_add(&((_Atomic int *)ctx)[i], 1);
}

static void every_item_is_done_exactly_once(void **state)
{
    (void)state;
    _Atomic int counts[100] = {0};
    bool finished[100];
    assert_true(driver_parallel(100, 4, BASE_NEVER, add_one, counts, finished));
    for (int i = 0; i < 100; i++) {
        assert_int_equal(counts[i], 1);
        assert_true(finished[i]);
    }
    assert_true(driver_parallel(0, 4, BASE_NEVER, add_one, counts, NULL));
}

struct gate {
    _Atomic bool open, passed;
};

static void wait_at_gate(void *ctx, size_t i)
{
    struct gate *gate = ctx;
    while (i == 1 && !atomic_load(&gate->open))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    if (i == 1)
        atomic_store(&gate->passed, true);
}

static void one_that_hangs_does_not_hold_up_the_caller(void **state)
{
    (void)state;
    static struct gate gate;
    bool finished[3];
    int64_t deadline = base_mono_ns() + 50 * BASE_NS_PER_MS;
    assert_false(driver_parallel(3, 3, deadline, wait_at_gate, &gate, finished));
    assert_false(finished[1]);
    atomic_store(&gate.open, true);
    for (int i = 0; i < 20000 && !atomic_load(&gate.passed); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    assert_true(atomic_load(&gate.passed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_exactly_once),
        cmocka_unit_test(one_that_hangs_does_not_hold_up_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
