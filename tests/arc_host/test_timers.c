#include "arc_host/bits.h"
#include "arc_host/timers.h"
#include "tests/support/test.h"

enum { IDS = 100 };

static void the_first_is_always_the_earliest(void **state)
{
    (void)state;
    struct base_arena arena;
    base_arena_init(&arena);
    struct arc_host_timers timers;
    arc_host_timers_init(&timers, &arena, IDS);
    int64_t deadline[IDS];
    for (int i = 0; i < IDS; i++)
        deadline[i] = INT64_MAX;
    uint32_t seed = 5;
    for (int step = 0; step < 20000; step++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t id = (seed >> 16) % IDS;
        if ((seed >> 8) % 4 == 0) {
            arc_host_timers_clear(&timers, id);
            deadline[id] = INT64_MAX;
        } else {
            deadline[id] = (int64_t)(seed >> 4) % 1000;
            arc_host_timers_set(&timers, id, deadline[id]);
        }
        int64_t earliest = INT64_MAX;
        uint32_t n = 0;
        for (int i = 0; i < IDS; i++) {
            earliest = deadline[i] < earliest ? deadline[i] : earliest;
            n += deadline[i] != INT64_MAX;
        }
        const struct arc_host_timer *first = arc_host_timers_first(&timers);
        assert_int_equal(timers.n, n);
        assert_true(first != NULL ? first->deadline_ns == earliest : earliest == INT64_MAX);
        if (first != NULL)
            assert_true(deadline[first->id] == earliest);
    }
    arc_host_timers_reset(&timers);
    assert_null(arc_host_timers_first(&timers));
    base_arena_fini(&arena);
}

static void the_next_bit_is_found_within_its_bounds(void **state)
{
    (void)state;
    uint64_t words[4] = {0};
    arc_host_bit_set(words, 3);
    arc_host_bit_set(words, 64);
    arc_host_bit_set(words, 200);
    assert_int_equal(arc_host_bit_next(words, 0, 256), 3);
    assert_int_equal(arc_host_bit_next(words, 4, 256), 64);
    assert_int_equal(arc_host_bit_next(words, 65, 256), 200);
    assert_int_equal(arc_host_bit_next(words, 65, 200), ARC_HOST_NO_BIT);
    assert_int_equal(arc_host_bit_next(words, 201, 256), ARC_HOST_NO_BIT);
    assert_int_equal(arc_host_bit_next(words, 5, 5), ARC_HOST_NO_BIT);
}

static void a_range_of_bits_is_cleared_and_no_other(void **state)
{
    (void)state;
    for (uint32_t first = 0; first < 130; first += 13) {
        for (uint32_t n = 0; first + n <= 192; n++) {
            uint64_t words[3] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
            arc_host_bits_clear(words, first, n);
            for (uint32_t i = 0; i < 192; i++)
                assert_int_equal(arc_host_bit_test(words, i), i < first || i >= first + n);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_is_always_the_earliest),
        cmocka_unit_test(the_next_bit_is_found_within_its_bounds),
        cmocka_unit_test(a_range_of_bits_is_cleared_and_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
