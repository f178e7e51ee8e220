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

#endif
