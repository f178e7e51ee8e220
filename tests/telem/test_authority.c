/* Who may write a command channel: the table of rules, one test a row. */
#include "tests/telem/bus_fixture.h"

#include <string.h>

struct two_writers {
    struct bus_fixture f;
    struct telem_sub *sub;
    struct telem_pub *first, *second;
};

static void open_two(struct two_writers *t, uint8_t first, uint8_t second)
{
    fixture_open(&t->f);
    t->sub = fixture_sub(&t->f, &t->f.cmd, 1, 16);
    t->first = fixture_writer(&t->f, "first", first);
    t->second = fixture_writer(&t->f, "second", second);
}

static void close_two(struct two_writers *t)
{
    telem_pub_close(t->first);
    telem_pub_close(t->second);
    telem_sub_close(t->sub);
    fixture_close(&t->f);
}

static void the_higher_authority_holds_and_the_other_is_counted(void **state)
{
    (void)state;
    struct two_writers t;
    open_two(&t, 10, 200);
    fixture_command(t.first, 1.0);
    fixture_command(t.second, 2.0);
    assert_true(fixture_next(t.sub, 0) == 2.0);
    assert_null(telem_sub_next(t.sub));
    struct telem_pub_stats stats;
    telem_pub_get_stats(t.first, &stats);
    assert_int_equal(stats.withheld, 1);
    assert_int_equal(stats.samples, 0);
    struct telem_holder holder;
    telem_bus_holder(t.f.bus, t.f.cmd, &holder);
    assert_string_equal(holder.name, "second");
    assert_int_equal(holder.authority, 200);
    close_two(&t);
}

static void among_equals_the_first_keeps_the_channel(void **state)
{
    (void)state;
    struct two_writers t;
    open_two(&t, 255, 255);
    assert_true(telem_pub_holds(t.first, 0));
    assert_false(telem_pub_holds(t.second, 0));
    close_two(&t);
}

static void a_writer_raised_to_equal_the_holder_does_not_take_over(void **state)
{
    (void)state;
    struct two_writers t;
    open_two(&t, 100, 200);
    telem_pub_set_authority(t.first, 0, 200);
    assert_true(telem_pub_holds(t.second, 0));
    telem_pub_set_authority(t.first, 0, 201);
    assert_true(telem_pub_holds(t.first, 0));
    assert_false(telem_pub_holds(t.second, 0));
    close_two(&t);
}

static void setting_the_same_authority_again_does_not_lose_the_place(void **state)
{
    (void)state;
    struct two_writers t;
    open_two(&t, 50, 50);
    telem_pub_set_authority(t.first, 0, 50);
    assert_true(telem_pub_holds(t.first, 0));
    close_two(&t);
}

static void the_next_resumes_when_the_holder_lowers(void **state)
{
    (void)state;
    struct two_writers t;
    open_two(&t, 100, 200);
    telem_pub_set_authority(t.second, 0, 5);
    fixture_command(t.first, 3.0);
    fixture_command(t.second, 4.0);
    assert_true(fixture_next(t.sub, 0) == 3.0);
    assert_null(telem_sub_next(t.sub));
    close_two(&t);
}

static void the_next_resumes_when_the_holder_closes(void **state)
{
    (void)state;
    struct two_writers t;
    open_two(&t, 100, 200);
    telem_pub_close(t.second);
    t.second = NULL;
    assert_true(telem_pub_holds(t.first, 0));
    struct telem_holder holder;
    telem_bus_holder(t.f.bus, t.f.cmd, &holder);
    assert_string_equal(holder.name, "first");
    telem_pub_close(t.first);
    t.first = NULL;
    telem_bus_holder(t.f.bus, t.f.cmd, &holder);
    assert_string_equal(holder.name, "");
    close_two(&t);
}

static void a_batch_for_several_channels_is_split(void **state)
{
    (void)state;
    struct bus_fixture f;
    fixture_open(&f);
    struct telem_key other = fixture_chan(&f, "other", TELEM_F64, false);
    struct telem_key both[] = {f.cmd, other};
    struct telem_sub *sub = fixture_sub(&f, both, 2, 4);
    struct telem_pub *high = fixture_writer(&f, "high", 200);
    struct telem_pub_opts opts = {.name = "low",
                                  .keys = both,
                                  .n_keys = 2,
                                  .max_rows = 2,
                                  .gated = true,
                                  .authorities = (const uint8_t[]){100, 1}};
    struct telem_pub *low = NULL;
    assert_int_equal(telem_pub_open(f.bus, &opts, &low, NULL), ARCD_OK);
    struct telem_batch *batch = telem_pub_borrow(low);
    assert_true(telem_batch_append(batch, 0, (union telem_value){.f64 = 1.0}, 1));
    assert_true(telem_batch_append(batch, 1, (union telem_value){.f64 = 2.0}, 1));
    telem_pub_publish(low, batch);
    const struct telem_batch *got = telem_sub_next(sub);
    assert_int_equal(got->cols[0].n, 0);
    assert_int_equal(got->cols[1].n, 1);
    telem_batch_release(got);
    telem_pub_close(low);
    telem_pub_close(high);
    telem_sub_close(sub);
    fixture_close(&f);
}

static void too_many_writers_are_refused_by_name_of_the_channel(void **state)
{
    (void)state;
    struct bus_fixture f;
    fixture_open(&f);
    struct telem_pub *pubs[64];
    for (int i = 0; i < 64; i++)
        pubs[i] = fixture_writer(&f, "w", 1);
    struct telem_pub_opts opts = {
        .name = "one more", .keys = &f.cmd, .n_keys = 1, .max_rows = 1, .gated = true};
    struct telem_pub *more = NULL;
    struct arcd_errinfo why;
    assert_int_equal(telem_pub_open(f.bus, &opts, &more, &why), ARCD_ERR_FULL);
    assert_non_null(strstr(why.text, "'cmd'"));
    for (int i = 0; i < 64; i++)
        telem_pub_close(pubs[i]);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_higher_authority_holds_and_the_other_is_counted),
        cmocka_unit_test(among_equals_the_first_keeps_the_channel),
        cmocka_unit_test(a_writer_raised_to_equal_the_holder_does_not_take_over),
        cmocka_unit_test(setting_the_same_authority_again_does_not_lose_the_place),
        cmocka_unit_test(the_next_resumes_when_the_holder_lowers),
        cmocka_unit_test(the_next_resumes_when_the_holder_closes),
        cmocka_unit_test(a_batch_for_several_channels_is_split),
        cmocka_unit_test(too_many_writers_are_refused_by_name_of_the_channel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
