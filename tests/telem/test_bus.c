/* Publish and subscribe on one thread: what arrives, in which order, and what is counted when it
 * does not. */
#include "tests/telem/bus_fixture.h"

static void a_batch_reaches_every_subscriber_of_one_of_its_channels(void **state)
{
    (void)state;
    struct bus_fixture f;
    fixture_open(&f);
    struct telem_pub *pub = fixture_reader(&f, 8);
    struct telem_sub *of_a = fixture_sub(&f, &f.a, 1, 4);
    struct telem_sub *of_b = fixture_sub(&f, &f.b, 1, 4);
    struct telem_sub *of_other = fixture_sub(&f, &f.cmd, 1, 4);
    assert_true(fixture_publish(pub, 7.0, 3));

    const struct telem_batch *batch = telem_sub_next(of_a);
    assert_non_null(batch);
    assert_int_equal(batch->cols[1].n, 3);
    assert_true(((const double *)telem_batch_col_const(batch, 1))[2] == 9.0);
    assert_int_equal(((const int32_t *)telem_batch_col_const(batch, 2))[1], -8);
    assert_int_equal(telem_batch_times_const(batch, 1)[2], 1002);
    /* The index channel is the shared time column itself. */
    assert_ptr_equal(telem_batch_col_const(batch, 0), telem_batch_times_const(batch, 2));
    telem_batch_release(batch);
    assert_null(telem_sub_next(of_a));
    assert_true(fixture_next(of_b, 2) == -7.0);
    assert_null(telem_sub_next(of_other));

    telem_pub_close(pub);
    telem_sub_close(of_a);
    telem_sub_close(of_b);
    telem_sub_close(of_other);
    fixture_close(&f);
}

static void a_subscriber_gets_batches_of_a_publisher_that_comes_later(void **state)
{
    (void)state;
    struct bus_fixture f;
    fixture_open(&f);
    struct telem_sub *sub = fixture_sub(&f, &f.a, 1, 4);
    struct telem_pub *pub = fixture_reader(&f, 8);
    assert_true(fixture_publish(pub, 1.0, 1));
    assert_true(fixture_next(sub, 1) == 1.0);
    telem_pub_close(pub);
    telem_sub_close(sub);
    fixture_close(&f);
}

static void what_is_queued_survives_its_publisher(void **state)
{
    (void)state;
    struct bus_fixture f;
    fixture_open(&f);
    struct telem_sub *sub = fixture_sub(&f, &f.a, 1, 4);
    struct telem_pub *pub = fixture_reader(&f, 8);
    assert_true(fixture_publish(pub, 1.0, 1));
    assert_true(fixture_publish(pub, 2.0, 1));
    telem_pub_close(pub);
    assert_true(fixture_next(sub, 1) == 1.0);
    const struct telem_batch *held = telem_sub_next(sub);
    telem_sub_close(sub);
    assert_true(((const double *)telem_batch_col_const(held, 1))[0] == 2.0);
    telem_batch_release(held);
    fixture_close(&f);
}

static void a_full_queue_drops_to_the_newest_batch_and_counts_by_channel(void **state)
{
    (void)state;
    struct bus_fixture f;
    fixture_open(&f);
    struct telem_key keys[] = {f.b, f.a};
    struct telem_sub *sub = fixture_sub(&f, keys, 2, 4);
    struct telem_pub *pub = fixture_reader(&f, 8);
    for (int i = 0; i < 10; i++)
        assert_true(fixture_publish(pub, i, 2));
    /* 0..3 filled the ring, 4..9 met it full: only 9 is worth having now. */
    assert_true(fixture_next(sub, 1) == 9.0);
    assert_null(telem_sub_next(sub));
    uint64_t by_key[2];
    assert_int_equal(telem_sub_dropped(sub, by_key), 2 * 2 * 9);
    assert_int_equal(by_key[0], 18);
    assert_int_equal(by_key[1], 18);
    assert_int_equal(telem_sub_dropped_batches(sub), 9);
    /* And the stream goes on in order. */
    assert_true(fixture_publish(pub, 20, 1));
    assert_true(fixture_publish(pub, 21, 1));
    assert_true(fixture_next(sub, 1) == 20.0);
    assert_true(fixture_next(sub, 1) == 21.0);
    telem_pub_close(pub);
    assert_int_equal(telem_sub_dropped(sub, NULL), 36);
    telem_sub_close(sub);
    fixture_close(&f);
}

static void an_empty_pool_refuses_to_lend_and_counts_what_was_lost(void **state)
{
    (void)state;
    struct bus_fixture f;
    fixture_open(&f);
    struct telem_sub *sub = fixture_sub(&f, &f.a, 1, 2);
    struct telem_pub *pub = fixture_reader(&f, 8);
    const struct telem_batch *hoard[64] = {NULL};
    uint32_t n = 0;
    while (fixture_publish(pub, n, 1)) {
        hoard[n] = telem_sub_next(sub); /* a consumer that never gives back */
        assert_non_null(hoard[n]);
        assert_true(++n < 64);
    }
    struct telem_pub_stats stats;
    telem_pub_get_stats(pub, &stats);
    assert_int_equal(stats.batches, n);
    assert_int_equal(stats.lost, 3);
    telem_batch_release(hoard[0]);
    assert_true(fixture_publish(pub, 99.0, 1));
    for (uint32_t i = 1; i < n; i++)
        telem_batch_release(hoard[i]);
    assert_true(fixture_next(sub, 1) == 99.0);
    telem_pub_close(pub);
    telem_sub_close(sub);
    fixture_close(&f);
}

static void batches_of_two_publishers_come_in_the_order_of_publication(void **state)
{
    (void)state;
    struct bus_fixture f;
    fixture_open(&f);
    struct telem_key keys[] = {f.a, f.cmd};
    struct telem_sub *sub = fixture_sub(&f, keys, 2, 8);
    struct telem_pub *reader = fixture_reader(&f, 8);
    struct telem_pub *writer = fixture_writer(&f, "panel", 1);
    fixture_command(writer, 100.0);
    assert_true(fixture_publish(reader, 1.0, 1));
    fixture_command(writer, 101.0);
    assert_true(fixture_publish(reader, 2.0, 1));
    assert_true(fixture_next(sub, 0) == 100.0);
    assert_true(fixture_next(sub, 1) == 1.0);
    assert_true(fixture_next(sub, 0) == 101.0);
    assert_true(fixture_next(sub, 1) == 2.0);
    telem_pub_close(reader);
    telem_pub_close(writer);
    telem_sub_close(sub);
    fixture_close(&f);
}

static void a_channel_has_one_reader_task_and_the_second_is_told_who_it_is(void **state)
{
    (void)state;
    struct bus_fixture f;
    fixture_open(&f);
    struct telem_pub *first = fixture_reader(&f, 8);
    struct telem_pub_opts opts = {.name = "second", .keys = &f.b, .n_keys = 1, .max_rows = 1};
    struct telem_pub *second = NULL;
    struct arcd_errinfo why;
    assert_int_equal(telem_pub_open(f.bus, &opts, &second, &why), ARCD_ERR_BUSY);
    assert_string_equal(why.text, "channel 'b' is already written by reader");
    telem_pub_close(first);
    assert_int_equal(telem_pub_open(f.bus, &opts, &second, &why), ARCD_OK);
    telem_pub_close(second);
    fixture_close(&f);
}

static void a_str_sample_keeps_its_bytes_and_a_full_text_area_refuses(void **state)
{
    (void)state;
    struct bus_fixture f;
    fixture_open(&f);
    struct telem_sub *sub = fixture_sub(&f, &f.text, 1, 4);
    struct telem_pub_opts opts = {.name = "log",
                                  .keys = &f.text,
                                  .n_keys = 1,
                                  .max_rows = 4,
                                  .text_bytes = 10,
                                  .gated = true};
    struct telem_pub *pub = NULL;
    assert_int_equal(telem_pub_open(f.bus, &opts, &pub, NULL), ARCD_OK);
    struct telem_batch *batch = telem_pub_borrow(pub);
    assert_true(telem_batch_append_str(batch, 0, "hello", 5, 1));
    assert_true(telem_batch_append_str(batch, 0, "", 0, 2));
    assert_false(telem_batch_append_str(batch, 0, "world!", 6, 3));
    assert_true(telem_batch_append_str(batch, 0, "world", 5, 4));
    telem_pub_publish(pub, batch);
    const struct telem_batch *got = telem_sub_next(sub);
    const struct telem_str *strs = telem_batch_col_const(got, 0);
    assert_int_equal(got->cols[0].n, 3);
    assert_memory_equal(telem_batch_text(got, strs[0]), "hello", 5);
    assert_int_equal(strs[1].len, 0);
    assert_memory_equal(telem_batch_text(got, strs[2]), "world", 5);
    telem_batch_release(got);
    telem_pub_close(pub);
    telem_sub_close(sub);
    fixture_close(&f);
}

static void a_ring_before_the_wait_is_not_lost(void **state)
{
    (void)state;
    struct bus_fixture f;
    fixture_open(&f);
    struct telem_sub *sub = fixture_sub(&f, &f.a, 1, 4);
    struct telem_pub *pub = fixture_reader(&f, 8);
    uint32_t seen = base_doorbell_read(telem_sub_bell(sub));
    assert_false(telem_sub_ready(sub));
    assert_true(fixture_publish(pub, 1.0, 1));
    assert_true(base_doorbell_wait(telem_sub_bell(sub), seen, BASE_NEVER));
    assert_true(telem_sub_ready(sub));
    seen = base_doorbell_read(telem_sub_bell(sub));
    assert_false(base_doorbell_wait(telem_sub_bell(sub), seen, base_mono_ns() + 1000000));
    telem_pub_close(pub);
    telem_sub_close(sub);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_reaches_every_subscriber_of_one_of_its_channels),
        cmocka_unit_test(a_subscriber_gets_batches_of_a_publisher_that_comes_later),
        cmocka_unit_test(what_is_queued_survives_its_publisher),
        cmocka_unit_test(a_full_queue_drops_to_the_newest_batch_and_counts_by_channel),
        cmocka_unit_test(an_empty_pool_refuses_to_lend_and_counts_what_was_lost),
        cmocka_unit_test(batches_of_two_publishers_come_in_the_order_of_publication),
        cmocka_unit_test(a_channel_has_one_reader_task_and_the_second_is_told_who_it_is),
        cmocka_unit_test(a_str_sample_keeps_its_bytes_and_a_full_text_area_refuses),
        cmocka_unit_test(a_ring_before_the_wait_is_not_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
