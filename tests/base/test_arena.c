#include "base/arena.h"

#include "tests/support/test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_zero(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static void a_new_arena_has_given_out_nothing(void **state)
{
    (void)state;
    struct base_arena arena;
    base_arena_init(&arena);
    assert_int_equal(arena.used_bytes, 0);
    assert_false(arena.sealed);
    base_arena_fini(&arena);
}

static void pieces_are_zeroed_and_aligned_also_after_odd_sizes(void **state)
{
    (void)state;
    struct base_arena arena;
    base_arena_init(&arena);
    for (size_t align = 1; align <= 4096; align *= 2) {
        unsigned char *odd = base_arena_alloc(&arena, 3, 1);
        memset(odd, 0xff, 3);
        unsigned char *piece = base_arena_alloc(&arena, 100, align);
        assert_int_equal((uintptr_t)piece % align, 0);
        assert_true(is_zero(piece, 100));
        memset(piece, 0xff, 100);
    }
    base_arena_fini(&arena);
}

static void pieces_do_not_overlap_across_many_blocks(void **state)
{
    (void)state;
    enum { N = 2000 };
    struct base_arena arena;
    base_arena_init(&arena);
    static uint32_t *pieces[N];
    for (uint32_t i = 0; i < N; i++) {
        pieces[i] = base_arena_array(&arena, uint32_t, i % 37 + 1);
        for (uint32_t j = 0; j <= i % 37; j++)
            pieces[i][j] = i;
    }
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j <= i % 37; j++)
            assert_int_equal(pieces[i][j], i);
    base_arena_fini(&arena);
}

static void a_piece_larger_than_the_largest_block_fits(void **state)
{
    (void)state;
    struct base_arena arena;
    base_arena_init(&arena);
    size_t size = (size_t)5 << 20;
    unsigned char *piece = base_arena_alloc(&arena, size, 64);
    assert_int_equal((uintptr_t)piece % 64, 0);
    assert_true(is_zero(piece, size));
    memset(piece, 0xff, size);
    base_arena_fini(&arena);
}

static void a_size_of_zero_gives_distinct_pointers(void **state)
{
    (void)state;
    struct base_arena arena;
    base_arena_init(&arena);
    void *a = base_arena_alloc(&arena, 0, 1);
    void *b = base_arena_alloc(&arena, 0, 1);
    assert_non_null(a);
    assert_ptr_not_equal(a, b);
    base_arena_fini(&arena);
}

static void texts_are_copied_with_their_end(void **state)
{
    (void)state;
    struct base_arena arena;
    base_arena_init(&arena);
    char text[] = "tank";
    char *copy = base_arena_strdup(&arena, text);
    char *cut = base_arena_strndup(&arena, text, 2);
    text[0] = 'b';
    assert_string_equal(copy, "tank");
    assert_string_equal(cut, "ta");
    assert_string_equal(base_arena_strdup(&arena, ""), "");
    assert_string_equal(base_arena_printf(&arena, "%s[%d]", "ports", 17), "ports[17]");
    base_arena_fini(&arena);
}

static void reset_takes_all_back_and_opens_a_sealed_arena(void **state)
{
    (void)state;
    struct base_arena arena;
    base_arena_init(&arena);
    base_arena_alloc(&arena, 10000, 8);
    base_arena_seal(&arena);
    base_arena_reset(&arena);
    assert_int_equal(arena.used_bytes, 0);
    int *n = base_arena_new(&arena, int);
    assert_int_equal(*n, 0);
    base_arena_fini(&arena);
}

/* Runs `act` in a child and says whether it ended by abort(). */
static bool aborts(void (*act)(void))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL); /* cmocka's own handler would report the abort as a failure */
        close(STDERR_FILENO);
        act();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void allocate_from_sealed(void)
{
    struct base_arena arena;
    base_arena_init(&arena);
    base_arena_seal(&arena);
    base_arena_alloc(&arena, 1, 1);
}

static void allocate_overflowing_array(void)
{
    struct base_arena arena;
    base_arena_init(&arena);
    base_arena_alloc_array(&arena, SIZE_MAX / 2, 4, 4);
}

static void allocate_with_odd_alignment(void)
{
    struct base_arena arena;
    base_arena_init(&arena);
    base_arena_alloc(&arena, 8, 24);
}

static void broken_invariants_abort(void **state)
{
    (void)state;
    assert_true(aborts(allocate_from_sealed));
    assert_true(aborts(allocate_overflowing_array));
    assert_true(aborts(allocate_with_odd_alignment));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_arena_has_given_out_nothing),
        cmocka_unit_test(pieces_are_zeroed_and_aligned_also_after_odd_sizes),
        cmocka_unit_test(pieces_do_not_overlap_across_many_blocks),
        cmocka_unit_test(a_piece_larger_than_the_largest_block_fits),
        cmocka_unit_test(a_size_of_zero_gives_distinct_pointers),
        cmocka_unit_test(texts_are_copied_with_their_end),
        cmocka_unit_test(reset_takes_all_back_and_opens_a_sealed_arena),
        cmocka_unit_test(broken_invariants_abort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
