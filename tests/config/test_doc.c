#include "tests/config/config_test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* One text that is not JSON, and the line that the user reads. */
static void assert_refused_bytes(void **state, const char *text, size_t len, const char *line)
{
    struct config_test *t = *state;
    config_errors_fini(&t->errors);
    config_errors_init(&t->errors);
    assert_int_equal(config_test_parse_bytes(t, text, len), ARCD_ERR_CONFIG);
    assert_int_equal(config_type(config_root(&t->doc)), CONFIG_JSON_ABSENT);
    assert_int_equal(t->errors.n_errors, 1);
    assert_int_equal(t->doc.n_errors, 1);
    char want[512];
    snprintf(want, sizeof(want), "%s\n", line);
    assert_string_equal(config_test_issues(t), want);
}

static void assert_refused(void **state, const char *text, const char *line)
{
    assert_refused_bytes(state, text, strlen(text), line);
}

static void a_byte_order_mark_and_crlf_are_accepted(void **state)
{
    struct config_at root = config_test_parse(*state, "\xEF\xBB\xBF{\r\n  \"a\": 1\r\n}\r\n");
    assert_int_equal(config_int(config_member(root, "a")), 1);
}

static void a_syntax_error_has_line_and_column(void **state)
{
    assert_refused(state, "{\n  \"a\": 1,\n  \"b\" 2\n}", "a.json:3:7: ':' expected near '2'");
    assert_refused(state, "{\r\n\"a\": tru}", "a.json:2:6: invalid token near 'tru'");
    assert_refused(state, "\xEF\xBB\xBF{\"a\" 1}", "a.json:1:6: ':' expected near '1'");
    assert_refused(state,
                   "{\"gr\xC3\xB6\xC3\x9F"
                   "e\" 1}",
                   "a.json:1:10: ':' expected near '1'");
    assert_refused(state, "[1] x", "a.json:1:5: end of file expected near 'x'");
    assert_refused(state, "42", "a.json:1:1: '[' or '{' expected near '42'");
    assert_refused(state, "{\"a\": 01}", "a.json:1:7: invalid token near '0'");
}

static void the_usual_slips_get_a_hint(void **state)
{
    assert_refused(state, "{\"a\": 1,\n}",
                   "a.json:2:1: string or '}' expected near '}' "
                   "(the comma before it is one too many)");
    assert_refused(state, "{\n// port\n\"a\": 1}",
                   "a.json:2:1: string or '}' expected near '/' (JSON has no comments: use a field "
                   "whose name starts with x_)");
    assert_refused(state, "{'a': 1}",
                   "a.json:1:2: string or '}' expected near ''' (texts stand in double quotes)");
    assert_refused(state, "{\"a\": NaN}",
                   "a.json:1:7: invalid token near 'NaN' (a number must be finite)");
}

static void a_truncated_file_says_so_at_its_end(void **state)
{
    assert_refused(state, "{\"a\": [1, 2",
                   "a.json:1:12: the file ends too early: ']' expected near end of file");
    assert_refused(state, "{\n\"a\": \"hel",
                   "a.json:2:10: the file ends too early: premature end of input near '\"hel'");
    assert_refused(state, "", "a.json:1:1: the file is empty");
    assert_refused(state, " \r\n\t", "a.json:1:1: the file is empty");
    assert_refused(state, "\xEF\xBB\xBF", "a.json:1:1: the file is empty");
}

static void a_duplicate_key_is_named_where_it_comes_again(void **state)
{
    assert_refused(state, "{\"a\": 1,\n \"a\": 2}", "a.json:2:2: duplicate key 'a'");
    assert_refused(state,
                   "{\"a_key_of_more_than_twenty_letters\\\"\": 1, "
                   "\"a_key_of_more_than_twenty_letters\\\"\": 2}",
                   "a.json:1:44: duplicate key 'a_key_of_more_than_twenty_letters\\\"'");
    assert_refused(state, "{\"\": 1, \"\": 2}", "a.json:1:9: duplicate key ''");
}

static void a_number_too_large_for_any_type_is_named(void **state)
{
    assert_refused(state, "{\"a\": 1e999}",
                   "a.json:1:7: number 1e999 is too large: must be finite");
    assert_refused(
        state, "[-1.5e4000000000000000000000000]",
        "a.json:1:2: number -1.5e4000000000000000000000000 is too large: must be finite");
    assert_refused(state, "{\"a\": 99999999999999999999}",
                   "a.json:1:7: number 99999999999999999999 is too large: must be from "
                   "-9223372036854775808 to 9223372036854775807");
}

static void bytes_that_are_not_utf8_are_placed(void **state)
{
    assert_refused(state, "{\n\"a\": \"gr\xF6sse\"}",
                   "a.json:2:9: byte 0xf6 is not UTF-8; save the file as UTF-8");
    assert_refused(state, "{\"a\": \"\xED\xA0\x80\"}", /* a surrogate */
                   "a.json:1:8: byte 0xed is not UTF-8; save the file as UTF-8");
    assert_refused(state, "{\"a\": \"\xC0\x80\"}", /* a zero in two bytes */
                   "a.json:1:8: byte 0xc0 is not UTF-8; save the file as UTF-8");
    assert_refused(state, "{\"a\": \"\xF0\x9F\x98",
                   "a.json:1:8: byte 0xf0 is not UTF-8; save the file as UTF-8");
    assert_refused_bytes(state, "{\0}", 3,
                         "a.json:1:2: a zero byte; is this a text file in UTF-8?");
    assert_refused_bytes(state, "\xFF\xFE{\0", 4,
                         "a.json:1:1: byte 0xff is not UTF-8; save the file as UTF-8");
    assert_refused(state, "{\"a\": \"\\u0000\"}", "a.json:1:7: a text must not contain \\u0000");
    assert_refused(state, "{\"\\u0000\": 1}", "a.json:1:2: a text must not contain \\u0000");
}

/* Brackets in texts do not count, escaped quotes do not end them. */
static void nesting_is_limited(void **state)
{
    char text[3 * CONFIG_DEPTH_MAX] = "";
    for (int i = 0; i < CONFIG_DEPTH_MAX - 1; i++)
        strcat(text, "[");
    strcat(text, "[\"[[\\\"[[\"");
    assert_refused(state, text,
                   "a.json:1:73: the file ends too early: ']' expected near end of file");
    strcat(text, ",[");
    assert_refused(state, text, "a.json:1:74: nested deeper than 64 levels");
}

static void a_document_has_a_largest_size(void **state)
{
    size_t len = (size_t)CONFIG_FILE_MAX + 1;
    char *text = malloc(len);
    memset(text, ' ', len);
    assert_refused_bytes(state, text, len, "a.json: must not be larger than 32 MiB");
    free(text);
}

static void paths_name_members_and_elements(void **state)
{
    struct config_test *t = *state;
    struct config_at root =
        config_test_parse(t, "{\"channels\": [{}, {\"port\": 7}], \"odd key\": {\"b\": 1}}");
    struct config_at port =
        config_member(config_element(config_member(root, "channels"), 1), "port");
    assert_string_equal(port.path, "channels[1].port");
    assert_int_equal(config_int(port), 7);
    struct config_at odd = config_member(config_member(root, "odd key"), "b");
    assert_string_equal(odd.path, "[\"odd key\"].b");
    struct config_at absent = config_member(config_member(root, "nowhere"), "x");
    assert_int_equal(config_type(absent), CONFIG_JSON_ABSENT);
    assert_string_equal(absent.path, "nowhere.x");
    config_error(port, "must be %d", 8);
    config_error(root, "is a mess");
    config_warn(absent, "is missed");
    assert_string_equal(config_test_issues(t), "a.json: channels[1].port: must be 8\n"
                                               "a.json: is a mess\n"
                                               "a.json: nowhere.x: warning: is missed\n");
    assert_int_equal(t->errors.n_errors, 2);
    assert_int_equal(t->errors.n_warnings, 1);
}

static void members_come_in_file_order_without_the_users_notes(void **state)
{
    struct config_at root =
        config_test_parse(*state, "{\"z\": 1, \"x_note\": 2, \"a\": 3, \"m\": 4}");
    char seen[8] = "";
    const char *name;
    struct config_at member;
    for (void *iter = NULL; config_next_member(root, &iter, &name, &member);)
        strcat(seen, name);
    assert_string_equal(seen, "zam");
    void *iter = NULL;
    assert_false(config_next_member(config_member(root, "a"), &iter, &name, &member));
}

static void the_same_issue_is_listed_once(void **state)
{
    struct config_test *t = *state;
    struct config_at root = config_test_parse(t, "{}");
    config_error(root, "is bad");
    config_error(root, "is bad");
    config_warn(root, "is bad");
    assert_string_equal(config_test_issues(t), "a.json: is bad\na.json: warning: is bad\n");
}

static void an_issue_is_one_line_whatever_the_users_text_holds(void **state)
{
    struct config_test *t = *state;
    struct config_at root = config_test_parse(t, "{\"a\": \"x\\n\\u001b[31m\"}");
    config_error(root, "unknown '%s'", config_text(config_member(root, "a")));
    assert_string_equal(config_test_issues(t), "a.json: unknown 'x??[31m'\n");
    char line[16];
    config_issue_format(t->errors.first, line, sizeof(line));
    assert_string_equal(line, "a.json: unknown");
}

static void more_issues_than_are_kept_are_counted(void **state)
{
    struct config_test *t = *state;
    struct config_at root = config_test_parse(t, "{}");
    for (int i = 0; i < CONFIG_ISSUES_MAX + 3; i++)
        config_error(root, "number %d", i);
    assert_int_equal(t->errors.n_errors, CONFIG_ISSUES_MAX + 3);
    assert_non_null(strstr(config_test_issues(t), "number 9999\n... and 3 more\n"));
}

static void canonical_text_sorts_keys_and_drops_notes(void **state)
{
    struct config_test *t = *state;
    struct config_at root = config_test_parse(
        t, "{\"b\": [1, {\"x_why\": 0, \"z\": null, \"y\": true}], \"a\": 0.5, \"x_n\": {}}");
    assert_string_equal(config_canonical(root, &t->arena),
                        "{\"a\":0.5,\"b\":[1,{\"y\":true,\"z\":null}]}");
    assert_string_equal(config_canonical(config_member(root, "none"), &t->arena), "");
}

/* ---- Files */

static void assert_load_fails(struct config_test *t, const char *dir, const char *file,
                              const char *line)
{
    config_doc_fini(&t->doc);
    assert_int_equal(config_doc_load(&t->doc, &t->errors, dir, file), ARCD_ERR_CONFIG);
    char *want = base_arena_printf(&t->arena, "%s\n", line);
    assert_non_null(strstr(config_test_issues(t), want));
}

static void a_file_that_cannot_be_read_is_an_issue(void **state)
{
    struct config_test *t = *state;
    char dir[] = "/tmp/arcd_test_XXXXXX";
    assert_non_null(mkdtemp(dir));
    assert_load_fails(t, dir, "none.json", "none.json: cannot be read: No such file or directory");
    assert_load_fails(t, dir, ".", ".: cannot be read: not a file");
    char *fifo = base_arena_printf(&t->arena, "%s/fifo.json", dir);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_load_fails(t, dir, "fifo.json", "fifo.json: cannot be read: not a file");
    assert_load_fails(t, "/nowhere", "a.json", "a.json: cannot be read: No such file or directory");
    unlink(fifo);
    rmdir(dir);
}

static void a_file_is_read_to_its_end(void **state)
{
    struct config_test *t = *state;
    char dir[] = "/tmp/arcd_test_XXXXXX";
    assert_non_null(mkdtemp(dir));
    char *path = base_arena_printf(&t->arena, "%s/big.json", dir);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("[0", file);
    for (int i = 1; i < 30000; i++)
        fprintf(file, ",%d", i);
    fputs("]\n", file);
    fclose(file);
    assert_int_equal(config_doc_load(&t->doc, &t->errors, dir, "big.json"), ARCD_OK);
    assert_int_equal(config_count(config_root(&t->doc)), 30000);
    assert_int_equal(config_int(config_element(config_root(&t->doc), 29999)), 29999);
    unlink(path);
    rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONFIG_TEST(a_byte_order_mark_and_crlf_are_accepted),
        CONFIG_TEST(a_syntax_error_has_line_and_column),
        CONFIG_TEST(the_usual_slips_get_a_hint),
        CONFIG_TEST(a_truncated_file_says_so_at_its_end),
        CONFIG_TEST(a_duplicate_key_is_named_where_it_comes_again),
        CONFIG_TEST(a_number_too_large_for_any_type_is_named),
        CONFIG_TEST(bytes_that_are_not_utf8_are_placed),
        CONFIG_TEST(nesting_is_limited),
        CONFIG_TEST(a_document_has_a_largest_size),
        CONFIG_TEST(paths_name_members_and_elements),
        CONFIG_TEST(members_come_in_file_order_without_the_users_notes),
        CONFIG_TEST(the_same_issue_is_listed_once),
        CONFIG_TEST(an_issue_is_one_line_whatever_the_users_text_holds),
        CONFIG_TEST(more_issues_than_are_kept_are_counted),
        CONFIG_TEST(canonical_text_sorts_keys_and_drops_notes),
        CONFIG_TEST(a_file_that_cannot_be_read_is_an_issue),
        CONFIG_TEST(a_file_is_read_to_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
