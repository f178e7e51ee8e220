#include "driver/values.h"
#include "tests/support/test.h"
#include "tests/telem/bus_fixture.h"

#include <string.h>
#include <time.h>

/* Waits until the values thread has seen n samples of the channel; a bound, not a sleep, ends a
 * broken run. */
static struct driver_value wait_for(struct driver_values *values, struct telem_key key, uint64_t n)
{
    struct driver_value value = {0};
    for (int i = 0; i < 20000; i++) {
        assert_true(driver_values_read(values, key, &value));
        if (value.samples >= n)
            return value;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    fail_msg("no sample seen");
    return value;
}

static void the_newest_sample_of_a_batch_is_kept(void **state)
{
    (void)state;
    struct bus_fixture f;
    fixture_open(&f);
    struct driver_values *values = NULL;
    assert_int_equal(driver_values_new(f.bus, &values, NULL), ARCD_OK);
    struct driver_value value;
    assert_true(driver_values_read(values, f.a, &value));
    assert_false(value.has_value);
    struct telem_pub *pub = fixture_reader(&f, 8);
    assert_true(fixture_publish(pub, 5.0, 3));
    value = wait_for(values, f.a, 3);
    assert_true(value.has_value);
    assert_true(value.number.f64 == 7.0);
    assert_int_equal(value.utc_ns, 1002);
    telem_pub_close(pub);
    driver_values_free(values);
    fixture_close(&f);
}

static void a_channel_that_comes_later_is_seen_after_a_refresh(void **state)
{
    (void)state;
    struct bus_fixture f;
    fixture_open(&f);
    struct driver_values *values = NULL;
    assert_int_equal(driver_values_new(f.bus, &values, NULL), ARCD_OK);
    struct telem_key late = fixture_chan(&f, "late", TELEM_STR, false);
    struct driver_value value;
    assert_false(driver_values_read(values, late, &value));
    assert_int_equal(driver_values_refresh(values, NULL), ARCD_OK);
    struct telem_pub_opts opts = {
        .name = "w", .keys = &late, .n_keys = 1, .max_rows = 1, .text_bytes = 400, .gated = true};
    struct telem_pub *pub = NULL;
    assert_int_equal(telem_pub_open(f.bus, &opts, &pub, NULL), ARCD_OK);
    char text[400];
    memset(text, 'x', sizeof text);
    struct telem_batch *batch = telem_pub_borrow(pub);
    assert_true(telem_batch_append_str(batch, 0, text, sizeof text, 1));
    telem_pub_publish(pub, batch);
    value = wait_for(values, late, 1);
    assert_int_equal(strlen(value.text), DRIVER_VALUE_TEXT - 1);
    telem_pub_close(pub);
    driver_values_free(values);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_sample_of_a_batch_is_kept),
        cmocka_unit_test(a_channel_that_comes_later_is_seen_after_a_refresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
