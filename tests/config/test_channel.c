#include "config/channel.h"
#include "tests/config/config_test.h"

#include <math.h>

static bool read_channels(struct config_test *t, const char *text, struct config_channels *channels)
{
    return config_channels_read(config_test_parse(t, text), &t->arena, channels);
}

static const struct telem_chan_decl *decl(const struct config_channels *channels, const char *name)
{
    const struct config_channel *channel = config_channels_find(channels, name);
    assert_non_null(channel);
    return &channel->decl;
}

/* A declaration `members` of the channel "c", beside an index "t" and one that is none, "n". */
static void assert_issue(struct config_test *t, const char *members, const char *issue)
{
    struct config_channels channels;
    char *text = base_arena_printf(
        &t->arena,
        "{\"t\": {\"type\": \"timestamp\"}, \"n\": {\"type\": \"f64\", \"index\": "
        "\"t\"}, \"c\": {%s}}",
        members);
    assert_false(read_channels(t, text, &channels));
    assert_string_equal(config_test_new_issues(t),
                        base_arena_printf(&t->arena, "a.json: %s\n", issue));
    assert_true(config_channels_find(&channels, "c")->broken);
}

static void a_declaration_is_read_with_its_defaults(void **state)
{
    struct config_test *t = *state;
    struct config_channels channels;
    assert_true(read_channels(
        t,
        "{\"time\": {\"type\": \"timestamp\"}, \"temp\": {\"type\": \"f32\", \"index\": "
        "\"time\", \"unit\": \"degC\", \"max\": 350}, \"cmd\": {\"type\": \"u8\", \"virtual\": "
        "true, \"initial\": 1, \"dead_band\": 2}, \"x_note\": 5}",
        &channels));
    assert_int_equal(channels.n, 3);
    const struct telem_chan_decl *d = decl(&channels, "temp");
    assert_int_equal(d->type, TELEM_F32);
    assert_true(!d->is_index && !d->is_virtual && d->persist && !d->has_initial);
    assert_true(d->min == -INFINITY && d->max == 350);
    assert_string_equal(d->unit, "degC");
    assert_string_equal(d->desc, "");
    assert_string_equal(config_channels_find(&channels, "temp")->index, "time");
    d = decl(&channels, "time");
    assert_true(d->is_index && d->persist);
    d = decl(&channels, "cmd");
    assert_true(d->is_virtual && !d->persist && d->has_initial && d->dead_band == 2);
    assert_int_equal(d->initial.u64, 1);
    assert_null(config_channels_find(&channels, "x_note"));
    assert_string_equal(config_test_issues(t), "");
}

static void no_channels_are_in_order(void **state)
{
    struct config_test *t = *state;
    struct config_channels channels;
    assert_true(read_channels(t, "{}", &channels));
    assert_true(
        config_channels_read(config_member(config_root(&t->doc), "none"), &t->arena, &channels));
    assert_null(config_channels_find(&channels, "c"));
    assert_false(read_channels(t, "[]", &channels));
    assert_string_equal(config_test_issues(t), "a.json: must be an object\n");
}

static void a_name_is_an_identifier_and_not_reserved(void **state)
{
    struct config_test *t = *state;
    struct config_channels channels;
    char *text = base_arena_printf(
        &t->arena,
        "{\"a-b\": {\"type\": \"u8\", \"virtual\": true}, \"9a\": {\"type\": \"u8\", "
        "\"virtual\": true}, \"\": {\"type\": \"u8\", \"virtual\": true}, \"arcd_log\": "
        "{\"type\": \"str\", \"virtual\": true}, \"%065d\": 1}",
        0);
    assert_false(read_channels(t, text, &channels));
    static const char rule[] = "a name has letters, digits and _, does not start with a digit, and "
                               "is at most 64 long";
    assert_string_equal(config_test_issues(t),
                        base_arena_printf(&t->arena,
                                          "a.json: a-b: %s\n"
                                          "a.json: 9a: %s\n"
                                          "a.json: [\"\"]: %s\n"
                                          "a.json: arcd_log: name 'arcd_log' is reserved\n"
                                          "a.json: %065d: %s\n"
                                          "a.json: %065d: must be an object\n",
                                          rule, rule, rule, 0, rule, 0));
}

static void an_index_must_be_declared_and_carry_timestamps(void **state)
{
    struct config_test *t = *state;
    struct config_channels channels;
    assert_false(read_channels(
        t,
        "{\"time\": {\"type\": \"timestamp\"}, \"a\": {\"type\": \"f64\", \"index\": \"tmie\"},"
        " \"b\": {\"type\": \"f64\", \"index\": \"c\"}, \"c\": {\"type\": \"f64\", \"index\": "
        "\"time\"}}",
        &channels));
    assert_string_equal(config_test_issues(t),
                        "a.json: a.index: index 'tmie' is not declared (did you mean 'time'?)\n"
                        "a.json: b.index: index 'c' must have type timestamp\n");
}

static void an_index_has_no_index_of_its_own(void **state)
{
    struct config_test *t = *state;
    struct config_channels channels;
    assert_false(
        read_channels(t,
                      "{\"t1\": {\"type\": \"timestamp\", \"index\": \"t2\"}, \"t2\": {\"type\": "
                      "\"timestamp\"}, \"a\": {\"type\": \"f64\", \"index\": \"t1\"}}",
                      &channels));
    assert_string_equal(config_test_new_issues(t),
                        "a.json: t1.index: an index channel cannot have an index\n");
    assert_false(read_channels(
        t,
        "{\"t1\": {\"type\": \"timestamp\", \"virtual\": true}, \"t2\": {\"type\": "
        "\"timestamp\", \"is_index\": false}, \"a\": {\"type\": \"f64\", \"index\": \"t1\"}, "
        "\"b\": {\"type\": \"f64\", \"index\": \"t2\"}}",
        &channels));
    assert_string_equal(config_test_new_issues(t),
                        "a.json: t1.virtual: an index channel cannot be virtual\n"
                        "a.json: t2.is_index: must not be false: 'b' has it as its index\n");
    /* The channel that is its own index. */
    assert_false(
        read_channels(t, "{\"a\": {\"type\": \"timestamp\", \"index\": \"a\"}}", &channels));
}

static void a_declaration_that_contradicts_itself_is_refused(void **state)
{
    struct config_test *t = *state;
    assert_issue(t, "\"index\": \"t\"", "c.type: is required");
    assert_issue(t, "\"type\": \"f64\", \"index\": \"t\", \"is_index\": true",
                 "c.is_index: an index channel must have type timestamp");
    assert_issue(t, "\"type\": \"timestamp\", \"index\": \"t\", \"is_index\": true",
                 "c.index: an index channel cannot have an index");
    assert_issue(t, "\"type\": \"f64\", \"index\": \"t\", \"virtual\": true",
                 "c.index: a virtual channel cannot have an index");
    assert_issue(t, "\"type\": \"f64\", \"virtual\": true, \"persist\": true",
                 "c.persist: a virtual channel cannot be persisted");
    assert_issue(t, "\"type\": \"f64\", \"index\": \"t\", \"min\": 1, \"max\": 1",
                 "c.min: min must be less than max");
    assert_issue(t, "\"type\": \"str\", \"index\": \"t\", \"max\": 1",
                 "c.max: a channel of type str has no limits");
    assert_issue(t, "\"type\": \"f64\", \"index\": \"t\", \"dead_band\": 1",
                 "c.dead_band: only a virtual channel has a dead band");
    assert_issue(t, "\"type\": \"f64\", \"virtual\": true, \"dead_band\": -1",
                 "c.dead_band: must not be negative");
}

static void an_initial_value_must_fit_the_type(void **state)
{
    struct config_test *t = *state;
    static const char *const bad[] = {
        "u8\", \"initial\": 256",   "u8\", \"initial\": -1",     "i8\", \"initial\": 128",
        "i8\", \"initial\": 1.5",   "u64\", \"initial\": -1",    "f32\", \"initial\": 1e39",
        "f64\", \"initial\": \"\"", "str\", \"initial\": 1",     "timestamp\", \"initial\": 0.5",
        "i64\", \"initial\": true", "u16\", \"initial\": 65536", "i32\", \"initial\": null"};
    for (size_t i = 0; i < ARCD_COUNT_OF(bad); i++) {
        const char *type = base_arena_strndup(&t->arena, bad[i], strcspn(bad[i], "\""));
        assert_issue(t, base_arena_printf(&t->arena, "\"virtual\": true, \"type\": \"%s", bad[i]),
                     base_arena_printf(&t->arena, "c.initial: does not fit type %s", type));
    }
    struct config_channels channels;
    assert_true(read_channels(
        t,
        "{\"a\": {\"type\": \"i8\", \"virtual\": true, \"initial\": -128}, \"b\": {\"type\": "
        "\"str\", \"virtual\": true, \"initial\": \"x\"}, \"c\": {\"type\": \"f32\", "
        "\"virtual\": true, \"initial\": 0.5}, \"d\": {\"type\": \"i64\", \"virtual\": true, "
        "\"initial\": -9223372036854775808}}",
        &channels));
    assert_int_equal(decl(&channels, "a")->initial.i64, -128);
    assert_string_equal(decl(&channels, "b")->initial_str, "x");
    assert_true(decl(&channels, "c")->initial.f32 == 0.5F);
    assert_int_equal(decl(&channels, "d")->initial.i64, INT64_MIN);
}

static void data_without_an_index_is_live_only_and_warned_of(void **state)
{
    struct config_test *t = *state;
    struct config_channels channels;
    assert_true(read_channels(t, "{\"a\": {\"type\": \"f64\"}}", &channels));
    assert_true(decl(&channels, "a")->is_virtual && !decl(&channels, "a")->persist);
    assert_string_equal(config_test_issues(t),
                        "a.json: a: warning: has no index, so it is live only: give an index, or "
                        "say \"virtual\": true\n");
}

/* ---- The table of channels */

static void declarations_go_into_the_table_with_their_index(void **state)
{
    struct config_test *t = *state;
    struct config_channels channels;
    assert_true(read_channels(t,
                              "{\"a\": {\"type\": \"f64\", \"index\": \"time\"}, \"time\": "
                              "{\"type\": \"timestamp\"}}",
                              &channels));
    struct telem_chans *chans = telem_chans_new();
    struct arcd_errinfo why;
    assert_int_equal(config_channels_declare(&channels, chans, &why), ARCD_OK);
    struct telem_key a = telem_chans_find(chans, "a");
    assert_true(
        telem_key_equal(telem_chans_decl(chans, a)->index, telem_chans_find(chans, "time")));
    /* Once more is harmless, and a reload adds what is new. */
    assert_int_equal(config_channels_declare(&channels, chans, &why), ARCD_OK);
    assert_int_equal(telem_chans_count(chans), 2);
    assert_true(read_channels(t,
                              "{\"a\": {\"type\": \"f64\", \"index\": \"time\"}, \"time\": "
                              "{\"type\": \"timestamp\"}, \"b\": {\"type\": \"u8\", \"index\": "
                              "\"time\"}}",
                              &channels));
    assert_int_equal(config_channels_declare(&channels, chans, &why), ARCD_OK);
    assert_int_equal(telem_chans_count(chans), 3);
    telem_chans_free(chans);
}

static void a_changed_declaration_is_refused_and_nothing_added(void **state)
{
    struct config_test *t = *state;
    struct config_channels channels;
    struct telem_chans *chans = telem_chans_new();
    struct arcd_errinfo why;
    assert_true(read_channels(t, "{\"b\": {\"type\": \"f64\", \"virtual\": true}}", &channels));
    assert_int_equal(config_channels_declare(&channels, chans, &why), ARCD_OK);
    assert_true(read_channels(t,
                              "{\"a\": {\"type\": \"u8\", \"virtual\": true}, \"b\": {\"type\": "
                              "\"f32\", \"virtual\": true}}",
                              &channels));
    assert_int_equal(config_channels_declare(&channels, chans, &why), ARCD_ERR_STATE);
    assert_string_equal(why.text, "channel 'b' has changed; restart the Driver to use the new "
                                  "declaration");
    assert_int_equal(telem_chans_count(chans), 1);
    telem_chans_free(chans);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONFIG_TEST(a_declaration_is_read_with_its_defaults),
        CONFIG_TEST(no_channels_are_in_order),
        CONFIG_TEST(a_name_is_an_identifier_and_not_reserved),
        CONFIG_TEST(an_index_must_be_declared_and_carry_timestamps),
        CONFIG_TEST(an_index_has_no_index_of_its_own),
        CONFIG_TEST(a_declaration_that_contradicts_itself_is_refused),
        CONFIG_TEST(an_initial_value_must_fit_the_type),
        CONFIG_TEST(data_without_an_index_is_live_only_and_warned_of),
        CONFIG_TEST(declarations_go_into_the_table_with_their_index),
        CONFIG_TEST(a_changed_declaration_is_refused_and_nothing_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
