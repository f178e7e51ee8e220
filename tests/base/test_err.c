#include "base/err.h"

#include "tests/support/test.h"

#include <errno.h>
#include <string.h>

static void each_code_has_its_own_text(void **state)
{
    (void)state;
    for (int a = 0; a < ARCD_ERR_COUNT; a++) {
        assert_true(strlen(arcd_err_text((enum arcd_err)a)) > 0);
        for (int b = 0; b < a; b++)
            assert_string_not_equal(arcd_err_text((enum arcd_err)a),
                                    arcd_err_text((enum arcd_err)b));
    }
    assert_int_equal(ARCD_OK, 0);
    assert_string_equal(arcd_err_text(ARCD_ERR_TIMEOUT), "timed out");
}

static void a_code_outside_the_list_still_has_a_text(void **state)
{
    (void)state;
    assert_string_equal(arcd_err_text(ARCD_ERR_COUNT), "unknown error");
    assert_string_equal(arcd_err_text((enum arcd_err) - 1), "unknown error");
}

static void fail_writes_the_sentence_and_returns_the_code(void **state)
{
    (void)state;
    struct arcd_errinfo why = {0};
    enum arcd_err err =
        arcd_fail(&why, ARCD_ERR_DEVICE, -200279, "'%s' lost %d samples", "dev1/ai0", 12);
    assert_int_equal(err, ARCD_ERR_DEVICE);
    assert_int_equal(why.code, ARCD_ERR_DEVICE);
    assert_int_equal(why.native, -200279);
    assert_string_equal(why.text, "'dev1/ai0' lost 12 samples");
}

static void fail_takes_null_for_a_caller_who_needs_no_sentence(void **state)
{
    (void)state;
    assert_int_equal(arcd_fail(NULL, ARCD_ERR_FULL, 0, "%s", "unused"), ARCD_ERR_FULL);
    assert_int_equal(arcd_fail_errno(NULL, EACCES, "unused"), ARCD_ERR_PERMISSION);
}

static void a_sentence_that_is_too_long_is_cut_and_ended(void **state)
{
    (void)state;
    struct arcd_errinfo why;
    memset(&why, 'x', sizeof why);
    arcd_fail(&why, ARCD_ERR_CONFIG, 0, "%0600d", 7);
    assert_int_equal(strlen(why.text), sizeof why.text - 1);
    arcd_fail_errno(&why, ENOENT, "%0600d", 7);
    assert_non_null(strstr(why.text, ": No such file or directory"));
}

static void an_errno_becomes_permission_or_system(void **state)
{
    (void)state;
    struct arcd_errinfo why = {0};
    assert_int_equal(arcd_fail_errno(&why, EPERM, "SCHED_FIFO"), ARCD_ERR_PERMISSION);
    assert_int_equal(arcd_fail_errno(&why, EACCES, "/dev/comedi0"), ARCD_ERR_PERMISSION);
    assert_int_equal(why.native, EACCES);
    assert_string_equal(why.text, "/dev/comedi0: Permission denied");
    assert_int_equal(arcd_fail_errno(&why, ENOSPC, "run.h5"), ARCD_ERR_SYSTEM);
    assert_string_equal(why.text, "run.h5: No space left on device");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_code_has_its_own_text),
        cmocka_unit_test(a_code_outside_the_list_still_has_a_text),
        cmocka_unit_test(fail_writes_the_sentence_and_returns_the_code),
        cmocka_unit_test(fail_takes_null_for_a_caller_who_needs_no_sentence),
        cmocka_unit_test(a_sentence_that_is_too_long_is_cut_and_ended),
        cmocka_unit_test(an_errno_becomes_permission_or_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
