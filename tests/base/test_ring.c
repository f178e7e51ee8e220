#include "base/ring.h"
#include "tests/support/test.h"

#include <pthread.h>
#include <sched.h>

static void a_ring_of_four_holds_four_and_refuses_the_fifth(void **state)
{
    (void)state;
    struct base_arena arena;
    base_arena_init(&arena);
    struct base_ring ring;
    base_ring_init(&ring, &arena, 4, sizeof(int));
    for (int i = 0; i < 4; i++)
        assert_true(base_ring_push(&ring, &i));
    assert_false(base_ring_push(&ring, &(int){4}));
    assert_int_equal(base_ring_fill(&ring), 4);
    for (int i = 0, got; i < 4; i++) {
        assert_true(base_ring_pop(&ring, &got));
        assert_int_equal(got, i);
    }
    assert_null(base_ring_peek(&ring));
    base_arena_fini(&arena);
}

static void the_counters_may_wrap(void **state)
{
    (void)state;
    struct base_arena arena;
    base_arena_init(&arena);
    struct base_ring ring;
    base_ring_init(&ring, &arena, 4, sizeof(int));
    atomic_store(&ring.tail, UINT32_MAX - 1);
    atomic_store(&ring.head, UINT32_MAX - 1);
    ring.head_seen = ring.tail_seen = UINT32_MAX - 1;
    for (int i = 0, got; i < 100; i++) {
        assert_true(base_ring_push(&ring, &i));
        assert_true(base_ring_pop(&ring, &got));
        assert_int_equal(got, i);
    }
    base_arena_fini(&arena);
}

enum { N = 200000 };

static void *push_all(void *arg)
{
    struct base_ring *ring = arg;
    for (uint64_t i = 0; i < N; i++)
        while (!base_ring_push(ring, &i))
            sched_yield();
    return NULL;
}

static void two_threads_pass_every_element_in_order(void **state)
{
    (void)state;
    struct base_arena arena;
    base_arena_init(&arena);
    struct base_ring ring;
    base_ring_init(&ring, &arena, 16, sizeof(uint64_t));
    pthread_t producer;
    pthread_create(&producer, NULL, push_all, &ring);
    uint64_t errors = 0;
    for (uint64_t i = 0, got = 0; i < N; i++) {
        while (!base_ring_pop(&ring, &got))
            sched_yield();
        errors += got != i;
    }
    pthread_join(producer, NULL);
    assert_int_equal(errors, 0);
    base_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_of_four_holds_four_and_refuses_the_fifth),
        cmocka_unit_test(the_counters_may_wrap),
        cmocka_unit_test(two_threads_pass_every_element_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
