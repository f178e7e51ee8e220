#include "arc/diag.h"

#include "tests/support/test.h"

#include <jansson.h>

#include <string.h>

struct list {
    struct base_arena arena;
    struct arc_source source;
    struct arc_diags diags;
};

static void start(struct list *l, const char *text)
{
    *l = (struct list){.source = {"fill.arc", text, strlen(text)}};
    base_arena_init(&l->arena);
    arc_diags_init(&l->diags, &l->arena, &l->source);
}

static void positions_count_characters_not_bytes(void **state)
{
    (void)state;
    struct list l;
    start(&l, "a\n\xC3\xA4\xE2\x82\xAC x");
    struct arc_pos pos = arc_source_pos(&l.source, 8);
    assert_int_equal(pos.line, 2);
    assert_int_equal(pos.col, 3);
    pos = arc_source_pos(&l.source, 1000);
    assert_int_equal(pos.col, 4);
    base_arena_fini(&l.arena);
}

static void a_diagnostic_shows_its_place(void **state)
{
    (void)state;
    struct list l;
    start(&l, "level\n\tx > limit\n");
    struct arc_diag *diag = arc_diag_add(&l.diags, ARC_ERROR, ARC_CODE_TYPE,
                                         (struct arc_span){11, 16, 2}, "no '%s'", "limit");
    arc_diag_hint(&l.diags, diag, "write one");
    arc_diag_note(&l.diags, diag, "it is %d", 5);
    assert_string_equal(arc_diag_render(&l.arena, &l.source, diag),
                        "fill.arc:2:5: error[ARC2001]: no 'limit'\n"
                        "    2 |  x > limit\n"
                        "      |      ^^^^^\n"
                        "  note: it is 5\n"
                        "  hint: write one\n");
    base_arena_fini(&l.arena);
}

static void a_span_over_lines_ends_in_the_last(void **state)
{
    (void)state;
    struct list l;
    start(&l, "func f(\na\nbc)");
    struct arc_diag *diag =
        arc_diag_add(&l.diags, ARC_WARNING, ARC_CODE_NONE, (struct arc_span){0, 12, 1}, "long");
    assert_int_equal(diag->end.line, 3);
    assert_int_equal(diag->end.col, 2);
    base_arena_fini(&l.arena);
}

static void the_end_of_the_text_can_be_pointed_at(void **state)
{
    (void)state;
    struct list l;
    start(&l, "");
    struct arc_diag *diag =
        arc_diag_add(&l.diags, ARC_ERROR, ARC_CODE_NONE, (struct arc_span){0, 0, 1}, "nothing");
    assert_string_equal(arc_diag_render(&l.arena, &l.source, diag), "fill.arc:1:0: error: nothing\n"
                                                                    "    1 | \n"
                                                                    "      | ^\n");
    base_arena_fini(&l.arena);
}

static void a_long_line_is_cut_around_the_place(void **state)
{
    (void)state;
    struct list l;
    char text[1001];
    memset(text, 'x', 1000);
    text[900] = 'y';
    text[1000] = '\0';
    start(&l, text);
    struct arc_diag *diag =
        arc_diag_add(&l.diags, ARC_ERROR, ARC_CODE_NONE, (struct arc_span){900, 901, 1}, "here");
    const char *shown = arc_diag_render(&l.arena, &l.source, diag);
    const char *line = strchr(shown, '\n') + 1;
    const char *carets = strchr(line, '\n') + 1;
    assert_true(strlen(shown) < 500);
    assert_int_equal(line[strcspn(carets, "^")], 'y');
    base_arena_fini(&l.arena);
}

static void diagnostics_sort_by_place_and_errors_go_first(void **state)
{
    (void)state;
    struct list l;
    start(&l, "0123456789");
    arc_diag_add(&l.diags, ARC_ERROR, ARC_CODE_NONE, (struct arc_span){5, 6, 1}, "third");
    arc_diag_add(&l.diags, ARC_WARNING, ARC_CODE_NONE, (struct arc_span){2, 3, 1}, "second");
    arc_diag_add(&l.diags, ARC_ERROR, ARC_CODE_NONE, (struct arc_span){2, 3, 1}, "first");
    arc_diag_add(&l.diags, ARC_ERROR, ARC_CODE_NONE, (struct arc_span){5, 6, 1}, "fourth");
    arc_diags_sort(&l.diags);
    static const char *const wanted[] = {"first", "second", "third", "fourth"};
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(l.diags.list[i]->message, wanted[i]);
    assert_string_equal(arc_diags_first_error(&l.diags)->message, "first");
    assert_int_equal(l.diags.n_errors, 3);
    base_arena_fini(&l.arena);
}

static void warnings_alone_are_no_error(void **state)
{
    (void)state;
    struct list l;
    start(&l, "a");
    arc_diag_add(&l.diags, ARC_WARNING, ARC_CODE_NONE, (struct arc_span){0, 1, 1}, "hm");
    assert_null(arc_diags_first_error(&l.diags));
    base_arena_fini(&l.arena);
}

static void the_list_is_bounded_and_says_what_it_dropped(void **state)
{
    (void)state;
    struct list l;
    start(&l, "a");
    for (int i = 0; i < ARC_DIAG_MAX + 7; i++)
        arc_diag_add(&l.diags, ARC_ERROR, ARC_CODE_NONE, (struct arc_span){0, 1, 1}, "%d", i);
    assert_int_equal(l.diags.n, ARC_DIAG_MAX);
    assert_int_equal(l.diags.n_errors, ARC_DIAG_MAX + 7);
    assert_non_null(strstr(arc_diags_render(&l.diags), "507 errors, 0 warnings (7 not shown)"));
    base_arena_fini(&l.arena);
}

static void json_says_all_there_is(void **state)
{
    (void)state;
    struct list l;
    start(&l, "x\nab \"q\"");
    struct arc_diag *diag = arc_diag_add(&l.diags, ARC_ERROR, ARC_CODE_UNDEFINED,
                                         (struct arc_span){5, 8, 2}, "bad \"q\" \\ \x01 \xFF");
    arc_diag_hint(&l.diags, diag, "h");
    arc_diag_note(&l.diags, diag, "n1");
    arc_diag_note(&l.diags, diag, "n2");
    arc_diag_add(&l.diags, ARC_WARNING, ARC_CODE_NONE, (struct arc_span){0, 1, 1}, "w");
    json_t *root = json_loads(arc_diags_to_json(&l.diags), JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    const char *file, *severity, *code, *message, *hint, *note;
    int errors, warnings, line, column, end_column;
    assert_int_equal(
        json_unpack(
            root, "{s:s, s:i, s:i, s:[{s:s, s:s, s:s, s:s, s:[s,*], s:{s:i, s:i}, s:{s:i}},*]}",
            "file", &file, "errors", &errors, "warnings", &warnings, "diagnostics", "severity",
            &severity, "code", &code, "message", &message, "hint", &hint, "notes", &note, "start",
            "line", &line, "column", &column, "end", "column", &end_column),
        0);
    assert_string_equal(file, "fill.arc");
    assert_int_equal(errors, 1);
    assert_int_equal(warnings, 1);
    assert_string_equal(severity, "error");
    assert_string_equal(code, "ARC4001");
    assert_string_equal(message, "bad \"q\" \\ \x01 \xEF\xBF\xBD");
    assert_string_equal(hint, "h");
    assert_string_equal(note, "n1");
    assert_int_equal(line, 2);
    assert_int_equal(column, 3);
    assert_int_equal(end_column, 6);
    const json_t *second = json_array_get(json_object_get(root, "diagnostics"), 1);
    assert_null(json_object_get(second, "code"));
    assert_null(json_object_get(second, "hint"));
    json_decref(root);
    base_arena_fini(&l.arena);
}

static void json_of_an_empty_list_is_json(void **state)
{
    (void)state;
    struct list l;
    start(&l, "");
    json_t *root = json_loads(arc_diags_to_json(&l.diags), 0, NULL);
    assert_non_null(root);
    assert_int_equal(json_array_size(json_object_get(root, "diagnostics")), 0);
    json_decref(root);
    base_arena_fini(&l.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_count_characters_not_bytes),
        cmocka_unit_test(a_diagnostic_shows_its_place),
        cmocka_unit_test(a_span_over_lines_ends_in_the_last),
        cmocka_unit_test(the_end_of_the_text_can_be_pointed_at),
        cmocka_unit_test(a_long_line_is_cut_around_the_place),
        cmocka_unit_test(diagnostics_sort_by_place_and_errors_go_first),
        cmocka_unit_test(warnings_alone_are_no_error),
        cmocka_unit_test(the_list_is_bounded_and_says_what_it_dropped),
        cmocka_unit_test(json_says_all_there_is),
        cmocka_unit_test(json_of_an_empty_list_is_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
