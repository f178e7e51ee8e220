#include "telem/chan.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static enum arcd_err add(struct telem_chans *chans, const char *name, struct telem_key *key,
                         struct arcd_errinfo *why)
{
    struct telem_chan_decl decl = {.name = name, .type = TELEM_F32, .index = TELEM_NO_KEY};
    return telem_chans_add(chans, &decl, key, why);
}

static void names_become_dense_keys_and_are_found_again(void **state)
{
    (void)state;
    struct telem_chans *chans = telem_chans_new();
    for (uint32_t i = 0; i < 5000; i++) {
        char name[16];
        snprintf(name, sizeof name, "chan_%u", i);
        struct telem_key key;
        assert_int_equal(add(chans, name, &key, NULL), ARCD_OK);
        assert_int_equal(key.v, i);
    }
    assert_int_equal(telem_chans_count(chans), 5000);
    assert_int_equal(telem_chans_find(chans, "chan_4321").v, 4321);
    assert_string_equal(telem_chans_name(chans, (struct telem_key){77}), "chan_77");
    assert_false(telem_key_valid(telem_chans_find(chans, "chan_5000")));
    telem_chans_free(chans);
}

static void a_name_is_taken_once(void **state)
{
    (void)state;
    struct telem_chans *chans = telem_chans_new();
    struct telem_key key;
    struct arcd_errinfo why;
    assert_int_equal(add(chans, "level", &key, NULL), ARCD_OK);
    assert_int_equal(add(chans, "level", &key, &why), ARCD_ERR_EXISTS);
    assert_string_equal(why.text, "channel 'level' is declared twice");
    telem_chans_free(chans);
}

static void odd_names_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "1st", "a-b", "a b", "\xc3\xa4", "a/b"};
    struct telem_chans *chans = telem_chans_new();
    struct telem_key key;
    for (size_t i = 0; i < ARCD_COUNT_OF(bad); i++)
        assert_int_equal(add(chans, bad[i], &key, NULL), ARCD_ERR_INVALID);
    char longest[TELEM_NAME_MAX + 2];
    memset(longest, 'x', sizeof longest);
    longest[TELEM_NAME_MAX + 1] = '\0';
    assert_int_equal(add(chans, longest, &key, NULL), ARCD_ERR_INVALID);
    longest[TELEM_NAME_MAX] = '\0';
    assert_int_equal(add(chans, longest, &key, NULL), ARCD_OK);
    telem_chans_free(chans);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_become_dense_keys_and_are_found_again),
        cmocka_unit_test(a_name_is_taken_once),
        cmocka_unit_test(odd_names_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
