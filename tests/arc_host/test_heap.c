#include "arc_host/heap.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 4096, OBJECTS = 200 };

struct fixture {
    struct base_arena arena;
    struct arc_host_heap heap;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    base_arena_init(&f->arena);
    arc_host_heap_init(&f->heap, &f->arena, CAPACITY, 2);
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

static uint64_t new_text(struct arc_host_heap *heap, const char *text)
{
    uint32_t len = (uint32_t)strlen(text);
    uint64_t ref = arc_host_heap_new(heap, len, len);
    if (ref != 0)
        memcpy(arc_host_heap_get(heap, ref)->data, text, len);
    return ref;
}

static void assert_text(const struct arc_host_heap *heap, uint64_t ref, const char *text)
{
    const struct arc_host_object *object = arc_host_heap_get(heap, ref);
    assert_int_equal(object->n, strlen(text));
    assert_memory_equal(object->data, text, strlen(text));
}

static void reference_zero_is_empty(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(arc_host_heap_get(&f->heap, 0)->n, 0);
    assert_true(arc_host_heap_new(&f->heap, 0, 0) == 0);
}

static void what_is_marked_survives_a_sweep_and_moves_together(void **state)
{
    struct fixture *f = *state;
    uint64_t lost = new_text(&f->heap, "lost");
    uint64_t kept = new_text(&f->heap, "kept for later");
    (void)new_text(&f->heap, "lost as well");
    uint64_t also = new_text(&f->heap, "also");
    arc_host_heap_mark(&f->heap, kept);
    arc_host_heap_mark(&f->heap, also);
    uint32_t before = f->heap.used_bytes;
    arc_host_heap_sweep(&f->heap);
    assert_true(f->heap.used_bytes < before);
    assert_text(&f->heap, kept, "kept for later");
    assert_text(&f->heap, also, "also");
    assert_ptr_equal(arc_host_heap_get(&f->heap, kept)->data, f->heap.memory + 8);
    assert_true(lost != kept);
}

static void what_is_not_marked_again_goes_at_the_next_sweep(void **state)
{
    struct fixture *f = *state;
    arc_host_heap_mark(&f->heap, new_text(&f->heap, "once"));
    arc_host_heap_sweep(&f->heap);
    assert_true(f->heap.used_bytes > 0);
    arc_host_heap_sweep(&f->heap);
    assert_int_equal(f->heap.used_bytes, 0);
}

static void a_value_that_is_no_live_reference_keeps_nothing(void **state)
{
    struct fixture *f = *state;
    uint64_t dead = new_text(&f->heap, "dead");
    arc_host_heap_sweep(&f->heap);
    uint64_t next = new_text(&f->heap, "next"); /* takes the same entry */
    assert_int_equal((uint32_t)next, (uint32_t)dead);
    arc_host_heap_mark(&f->heap, dead);
    arc_host_heap_mark(&f->heap, (uint32_t)next); /* a small integer */
    arc_host_heap_mark(&f->heap, UINT64_MAX);
    arc_host_heap_sweep(&f->heap);
    assert_int_equal(f->heap.used_bytes, 0);
}

static void a_full_heap_says_so_and_has_room_after_a_sweep(void **state)
{
    struct fixture *f = *state;
    uint64_t ref = 1;
    int made = 0;
    for (; ref != 0; made++)
        ref = arc_host_heap_new(&f->heap, 100, 100);
    assert_true(made > 20 && made < 50);
    arc_host_heap_sweep(&f->heap);
    assert_true(arc_host_heap_new(&f->heap, 100, 100) != 0);
    assert_true(arc_host_heap_new(&f->heap, 2 * CAPACITY, 2 * CAPACITY) == 0);
}

static void fixed_objects_are_never_swept(void **state)
{
    struct fixture *f = *state;
    uint64_t a = arc_host_heap_fix(&f->heap, "constant", 8);
    assert_true(arc_host_heap_fix(&f->heap, "", 0) == 0);
    uint64_t b = new_text(&f->heap, "made");
    assert_true(a != b);
    arc_host_heap_sweep(&f->heap);
    arc_host_heap_reset(&f->heap);
    assert_text(&f->heap, a, "constant");
}

static void a_text_of_unknown_length_is_written_in_place(void **state)
{
    struct fixture *f = *state;
    uint32_t room;
    char *at = arc_host_heap_room(&f->heap, &room);
    assert_true(room >= CAPACITY - 16);
    memcpy(at, (const char[3]){'a', 'b', 'c'}, 3);
    uint64_t ref = arc_host_heap_commit(&f->heap, 3);
    assert_text(&f->heap, ref, "abc");
}

/* A random program: keeps some of what it makes, drops some, sweeps when it must. */
static void many_objects_keep_their_contents_over_many_sweeps(void **state)
{
    struct fixture *f = *state;
    uint64_t refs[16] = {0};
    unsigned char first[16] = {0};
    uint32_t seed = 1;
    for (int step = 0; step < 20000; step++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t slot = seed >> 28, len = 1 + (seed >> 8) % 100;
        uint64_t ref = arc_host_heap_new(&f->heap, len, len);
        if (ref == 0) {
            for (int i = 0; i < 16; i++)
                arc_host_heap_mark(&f->heap, refs[i]);
            arc_host_heap_sweep(&f->heap);
            ref = arc_host_heap_new(&f->heap, len, len);
        }
        assert_true(ref != 0);
        memset(arc_host_heap_get(&f->heap, ref)->data, (int)(step & 255), len);
        refs[slot] = ref;
        first[slot] = (unsigned char)step;
        for (int i = 0; i < 16; i++) {
            const struct arc_host_object *o = arc_host_heap_get(&f->heap, refs[i]);
            if (refs[i] != 0 && ((unsigned char)o->data[0] != first[i] ||
                                 (unsigned char)o->data[o->n - 1] != first[i]))
                fail_msg("object %d was changed at step %d", i, step);
        }
    }
    assert_true(f->heap.sweeps > 100);
}

#define HEAP_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HEAP_TEST(reference_zero_is_empty),
        HEAP_TEST(what_is_marked_survives_a_sweep_and_moves_together),
        HEAP_TEST(what_is_not_marked_again_goes_at_the_next_sweep),
        HEAP_TEST(a_value_that_is_no_live_reference_keeps_nothing),
        HEAP_TEST(a_full_heap_says_so_and_has_room_after_a_sweep),
        HEAP_TEST(fixed_objects_are_never_swept),
        HEAP_TEST(a_text_of_unknown_length_is_written_in_place),
        HEAP_TEST(many_objects_keep_their_contents_over_many_sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
