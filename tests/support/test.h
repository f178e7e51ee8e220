/* tests/support/test.h - cmocka, after the headers that it needs and does not include itself.
 *
 * A test program is: static tests with a sentence as name, then a main with one line for each.
 *
 *     static void a_new_arena_is_empty(void **state) { (void)state; ... }
 *
 *     int main(void)
 *     {
 *         const struct CMUnitTest tests[] = {
 *             cmocka_unit_test(a_new_arena_is_empty),
 *         };
 *         return cmocka_run_group_tests(tests, NULL, NULL);
 *     }
 *
 * A test that is not in the list does not compile: unused functions are errors.
 */
#ifndef TESTS_SUPPORT_TEST_H
#define TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* cmocka leaves a failed test by longjmp, which clang's analyzer cannot see: it would go on with
 * the value that was just refused. For its eyes only, the assertions end there. */
#ifdef __clang_analyzer__
#include <stdlib.h>
#define TEST_ENDS_UNLESS(cond) ((cond) ? (void)0 : abort())
#undef assert_true
#undef assert_false
#undef assert_null
#undef assert_non_null
#undef assert_int_equal
#undef assert_int_not_equal
#undef assert_ptr_equal
#define assert_true(c) TEST_ENDS_UNLESS(c)
#define assert_false(c) TEST_ENDS_UNLESS(!(c))
#define assert_null(p) TEST_ENDS_UNLESS((p) == NULL)
#define assert_non_null(p) TEST_ENDS_UNLESS((p) != NULL)
#define assert_int_equal(a, b)                                                                     \
    TEST_ENDS_UNLESS(cast_to_largest_integral_type(a) == cast_to_largest_integral_type(b))
#define assert_int_not_equal(a, b)                                                                 \
    TEST_ENDS_UNLESS(cast_to_largest_integral_type(a) != cast_to_largest_integral_type(b))
#define assert_ptr_equal(a, b) TEST_ENDS_UNLESS((const void *)(a) == (const void *)(b))
#endif

#endif
