/* The parts of the language server: frames, positions, URIs, places in JSON, what surrounds a
 * place. Whole sessions are in tests/lsp. */
#include "driver/lsp/json_place.h"
#include "driver/lsp/scan.h"
#include "driver/lsp/text.h"
#include "driver/lsp/uri.h"
#include "driver/lsp/wire.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Frames ------------------------------------------------------------------------------- */

static void feed(struct lsp_wire *wire, const char *text)
{
    lsp_wire_feed(wire, text, strlen(text));
}

static void assert_body(struct lsp_wire *wire, const char *wanted)
{
    const char *body;
    size_t len;
    assert_int_equal(lsp_wire_next(wire, &body, &len), LSP_WIRE_MESSAGE);
    assert_int_equal(len, strlen(wanted));
    assert_memory_equal(body, wanted, len);
}

static void assert_state(struct lsp_wire *wire, enum lsp_wire_state wanted)
{
    const char *body;
    size_t len;
    assert_int_equal(lsp_wire_next(wire, &body, &len), wanted);
}

static void frames_come_out_whole_and_in_order(void **state)
{
    (void)state;
    struct lsp_wire wire;
    lsp_wire_init(&wire, -1, -1);
    assert_state(&wire, LSP_WIRE_MORE);
    feed(&wire, "Content-Length: 3\r\n\r\nabcContent-Length: 0\r\n\r\ncontent-length:2\r\n"
                "Content-Type: x\r\n\r\nde");
    assert_body(&wire, "abc");
    assert_body(&wire, "");
    assert_body(&wire, "de");
    assert_state(&wire, LSP_WIRE_MORE);
    lsp_wire_fini(&wire);
}

static void a_frame_may_come_byte_by_byte(void **state)
{
    (void)state;
    static const char text[] = "Content-Length: 5\r\n\r\nhello";
    struct lsp_wire wire;
    lsp_wire_init(&wire, -1, -1);
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        assert_state(&wire, LSP_WIRE_MORE);
        lsp_wire_feed(&wire, text + i, 1);
    }
    assert_body(&wire, "hello");
    lsp_wire_fini(&wire);
}

static void garbage_is_skipped_up_to_the_next_frame(void **state)
{
    (void)state;
    struct lsp_wire wire;
    lsp_wire_init(&wire, -1, -1);
    feed(&wire, "hello\r\n\r\nContent-Length: 1\r\n\r\na");
    assert_state(&wire, LSP_WIRE_GARBAGE);
    assert_body(&wire, "a");
    feed(&wire, "the rest of a bodyContent-Length: 1\r\n\r\nb");
    assert_body(&wire, "b");
    feed(&wire, "Content-Length: -1\r\n\r\nContent-Length: 7x\r\n\r\nContent-Length: 1\r\n\r\nc");
    assert_state(&wire, LSP_WIRE_GARBAGE);
    assert_state(&wire, LSP_WIRE_GARBAGE);
    assert_body(&wire, "c");
    lsp_wire_fini(&wire);
}

static void endless_garbage_takes_no_room(void **state)
{
    (void)state;
    struct lsp_wire wire;
    lsp_wire_init(&wire, -1, -1);
    char block[1024];
    memset(block, 'x', sizeof block);
    for (int i = 0; i < 40000; i++) {
        lsp_wire_feed(&wire, block, sizeof block);
        const char *body;
        size_t len;
        while (lsp_wire_next(&wire, &body, &len) == LSP_WIRE_GARBAGE)
            continue;
    }
    assert_true(wire.cap <= (size_t)8 * LSP_HEADER_MAX);
    feed(&wire, "Content-Length: 1\r\n\r\na");
    assert_body(&wire, "a");
    lsp_wire_fini(&wire);
}

static void a_body_over_the_limit_is_skipped(void **state)
{
    (void)state;
    char header[64];
    static const char block[1 << 16];
    struct lsp_wire wire;
    lsp_wire_init(&wire, -1, -1);
    snprintf(header, sizeof header, "Content-Length: %d\r\n\r\n", LSP_MESSAGE_MAX + 1);
    feed(&wire, header);
    assert_state(&wire, LSP_WIRE_TOO_LARGE);
    for (size_t left = LSP_MESSAGE_MAX + 1; left > 0;) {
        size_t n = left < sizeof block ? left : sizeof block;
        lsp_wire_feed(&wire, block, n);
        assert_state(&wire, LSP_WIRE_MORE);
        left -= n;
    }
    assert_true(wire.cap < 1 << 20);
    feed(&wire, "Content-Length: 1\r\n\r\na");
    assert_body(&wire, "a");
    lsp_wire_fini(&wire);
}

static void what_is_sent_can_be_received_and_the_end_is_seen(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    struct lsp_wire wire;
    lsp_wire_init(&wire, ends[0], ends[1]);
    assert_false(lsp_wire_fill(&wire, 0));
    assert_true(lsp_wire_send(&wire, "{}", 2));
    assert_true(lsp_wire_fill(&wire, -1));
    assert_body(&wire, "{}");
    close(ends[1]);
    assert_false(lsp_wire_fill(&wire, -1));
    assert_true(wire.has_ended);
    close(ends[0]);
    lsp_wire_fini(&wire);
}

/* ---- Positions ---------------------------------------------------------------------------- */

/* One byte, two, three, and four: 1, 1, 1 and 2 units of UTF-16. */
#define CHARS "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x9A\x80z"

static void assert_place(const struct lsp_text *text, size_t offset, uint32_t line, uint32_t utf16,
                         uint32_t utf8)
{
    const enum lsp_encoding encodings[] = {LSP_UTF16, LSP_UTF8};
    const uint32_t characters[] = {utf16, utf8};
    for (size_t i = 0; i < 2; i++) {
        struct lsp_pos pos = {line, characters[i]};
        struct lsp_pos found = lsp_text_pos(text, offset, encodings[i]);
        assert_int_equal(lsp_text_offset(text, pos, encodings[i]), offset);
        assert_int_equal(found.line, line);
        assert_int_equal(found.character, characters[i]);
    }
}

static void positions_count_in_utf16_units_or_bytes(void **state)
{
    (void)state;
    static const char bytes[] = "x\n" CHARS "\n";
    struct lsp_text text;
    lsp_text_init(&text);
    lsp_text_set(&text, bytes, strlen(bytes));
    assert_place(&text, 0, 0, 0, 0);
    assert_place(&text, 1, 0, 1, 1);
    assert_place(&text, 2, 1, 0, 0);
    assert_place(&text, 3, 1, 1, 1);   /* behind a */
    assert_place(&text, 5, 1, 2, 3);   /* behind the one of two bytes */
    assert_place(&text, 8, 1, 3, 6);   /* three */
    assert_place(&text, 12, 1, 5, 10); /* four */
    assert_place(&text, 13, 1, 6, 11);
    assert_place(&text, 14, 2, 0, 0);
    lsp_text_fini(&text);
}

static void a_position_that_is_nowhere_is_the_nearest(void **state)
{
    (void)state;
    static const char bytes[] = "ab\r\n" CHARS "\rc";
    struct lsp_text text;
    lsp_text_init(&text);
    assert_int_equal(lsp_text_offset(&text, (struct lsp_pos){0, 0}, LSP_UTF16), 0);
    assert_int_equal(lsp_text_offset(&text, (struct lsp_pos){3, 7}, LSP_UTF16), 0);
    lsp_text_set(&text, bytes, strlen(bytes));
    assert_int_equal(lsp_text_offset(&text, (struct lsp_pos){0, 99}, LSP_UTF16), 2);
    assert_int_equal(lsp_text_offset(&text, (struct lsp_pos){99, 0}, LSP_UTF16), strlen(bytes));
    assert_int_equal(lsp_text_offset(&text, (struct lsp_pos){1, 4}, LSP_UTF16), 4 + 6);
    assert_int_equal(lsp_text_offset(&text, (struct lsp_pos){1, 2}, LSP_UTF8), 4 + 1);
    assert_int_equal(lsp_text_offset(&text, (struct lsp_pos){2, UINT32_MAX}, LSP_UTF8),
                     strlen(bytes));
    assert_int_equal(lsp_text_pos(&text, 999, LSP_UTF16).line, 2);
    assert_int_equal(lsp_text_pos(&text, 4 + 7, LSP_UTF16).character, 3); /* inside a character */
    lsp_text_fini(&text);
}

static void lines_end_with_lf_cr_lf_or_cr(void **state)
{
    (void)state;
    struct lsp_text text;
    lsp_text_init(&text);
    lsp_text_set(&text, "a\nb\r\nc\rd", 8);
    assert_int_equal(text.n_lines, 4);
    assert_int_equal(lsp_text_pos(&text, 7, LSP_UTF16).line, 3);
    lsp_text_set(&text, "\r\n\r\n", 4);
    assert_int_equal(text.n_lines, 3);
    lsp_text_fini(&text);
}

static void edits_change_the_text_and_its_lines(void **state)
{
    (void)state;
    struct lsp_text text;
    lsp_text_init(&text);
    assert_true(lsp_text_replace(&text, 0, 0, "one\ntwo\n", 8));
    assert_true(lsp_text_replace(&text, 4, 7, "2\n3", 3));
    assert_string_equal(text.bytes, "one\n2\n3\n");
    assert_int_equal(text.n_lines, 4);
    assert_true(lsp_text_replace(&text, 5, 0, "", 0)); /* turned around */
    assert_string_equal(text.bytes, "\n3\n");
    assert_true(lsp_text_replace(&text, 0, 3, "", 0));
    assert_int_equal(text.len, 0);
    assert_int_equal(text.n_lines, 1);
    lsp_text_fini(&text);
}

/* ---- URIs --------------------------------------------------------------------------------- */

static void uris_and_paths_go_both_ways(void **state)
{
    (void)state;
    struct base_arena arena;
    base_arena_init(&arena);
    assert_string_equal(lsp_uri_to_path(&arena, "file:///a%20b/%c3%A9.arc"), "/a b/\xC3\xA9.arc");
    assert_string_equal(lsp_uri_to_path(&arena, "FILE://localhost/x"), "/x");
    assert_string_equal(lsp_uri_to_path(&arena, "file:/x?q#f"), "/x");
    assert_string_equal(lsp_uri_to_path(&arena, "file:///100%/%zz"), "/100%/%zz");
    assert_string_equal(lsp_uri_from_path(&arena, "/a b/\xC3\xA9.arc"), "file:///a%20b/%C3%A9.arc");
    const char *const none[] = {"untitled:x", "file:",         "file://", "file://other/x",
                                "http://a/b", "file:///a%00b", ""};
    for (size_t i = 0; i < ARCD_COUNT_OF(none); i++)
        assert_null(lsp_uri_to_path(&arena, none[i]));
    base_arena_fini(&arena);
}

/* ---- Places in JSON ----------------------------------------------------------------------- */

static bool find(const char *text, const char *first, const char *second, size_t *start)
{
    const char *path[] = {first, second};
    struct lsp_json_place place;
    bool is_there = lsp_json_find(text, strlen(text), path, second != NULL ? 2 : 1, &place);
    *start = place.start;
    return is_there;
}

static void members_are_found_where_they_stand(void **state)
{
    (void)state;
    static const char text[] =
        "{ \"x\": {\"b\": 1}, \"a\": {\"x\": \"}\\\"{\", \"y\": [1, {\"b\": 2}],"
        "\"b\" : 3}, \"b\": 4}";
    size_t start;
    assert_true(find(text, "a", "b", &start));
    assert_ptr_equal(text + start, strstr(text, "\"b\" : 3"));
    assert_true(find(text, "b", NULL, &start));
    assert_ptr_equal(text + start, strstr(text, "\"b\": 4"));
    assert_false(find(text, "y", NULL, &start));
    assert_false(find(text, "a", "z", &start));
}

static void texts_that_are_not_json_have_no_members(void **state)
{
    (void)state;
    static const char text[] = "{\"a\": {\"b\\\\\": [\"}\", {}], \"c\": {}}}";
    const char *const others[] = {"",          "[",      "{",     "{\"a\"",
                                  "{\"a\" 1}", "{a: 1}", "\"a\"", "{\"a\": 1"};
    size_t start;
    for (size_t i = 0; i < ARCD_COUNT_OF(others); i++)
        assert_false(find(others[i], "a", "b", &start));
    for (size_t len = 0; len < sizeof text; len++) {
        char *cut = strndup(text, len);
        assert_non_null(cut);
        assert_int_equal(find(cut, "a", "c", &start),
                         len > strlen("{\"a\": {\"b\\\\\": [\"}\", {}], \"c\""));
        free(cut);
    }
}

/* ---- What surrounds a place --------------------------------------------------------------- */

/* The frames at the `|` of a program, "func block", and the names of the locals. */
static void assert_scan(const char *marked, const char *frames, const char *locals)
{
    static const char *const names[] = {
        [LSP_FRAME_ROOT] = "root",           [LSP_FRAME_IMPORTS] = "imports",
        [LSP_FRAME_AUTHORITY] = "authority", [LSP_FRAME_FUNC] = "func",
        [LSP_FRAME_PARAMS] = "params",       [LSP_FRAME_BLOCK] = "block",
        [LSP_FRAME_SEQUENCE] = "sequence",   [LSP_FRAME_STAGE] = "stage",
        [LSP_FRAME_INVOKE] = "invoke",       [LSP_FRAME_TABLE] = "table",
        [LSP_FRAME_PAREN] = "paren",
    };
    static const struct arc_chan_table no_channels;
    const char *mark = strchr(marked, '|');
    assert_non_null(mark);
    struct base_arena arena;
    base_arena_init(&arena);
    size_t offset = (size_t)(mark - marked);
    const char *text = base_arena_printf(&arena, "%.*s%s", (int)offset, marked, mark + 1);
    struct lsp_check *check = lsp_check_new("x", text, strlen(text), &no_channels);
    struct lsp_scan scan = lsp_scan_to(&arena, check, (uint32_t)offset);
    const char *found = "";
    for (size_t i = 1; i < scan.n_frames; i++)
        found = base_arena_printf(&arena, "%s%s%s", found, i > 1 ? " " : "",
                                  names[scan.frames[i].kind]);
    assert_string_equal(found, frames);
    found = "";
    for (size_t i = 0; i < scan.n_locals; i++) {
        const struct arc_token *token = &check->tokens.list[scan.locals[i].token];
        found = base_arena_printf(&arena, "%s%s%.*s", found, i > 0 ? " " : "", (int)token->len,
                                  token->text);
    }
    assert_string_equal(found, locals);
    lsp_check_free(check);
    base_arena_fini(&arena);
}

static void the_heads_of_functions_declare_parameters(void **state)
{
    (void)state;
    assert_scan("func f{k f64, c chan u8}(a f64, |", "func params", "k c a");
    assert_scan("func f{k f64|", "func params", "k");
    assert_scan("func f(a f64) (lo f64, hi f64|", "func params", "a lo hi");
    assert_scan("func f(a f64) y f64 |{", "func", "a y");
    assert_scan("func f(a f64) y f64 { |", "func block", "a y");
    assert_scan("func f(a f64) f64 { return a } |", "", "");
}

static void blocks_hold_their_locals(void **state)
{
    (void)state;
    assert_scan("func f() { x := 1 if x > (2 + |", "func block paren", "x");
    assert_scan("func f() { x := 1 if x > 2 { y := 3 } z $= 4 |", "func block", "x z");
    assert_scan("func f() { for i, e := s { t f64 := 1.0 | } }", "func block block", "i e t");
    assert_scan("func f() { for i := range(3) { } |", "func block", "");
    assert_scan("func f() { for { u := 1 } |", "func block", "");
    assert_scan("func f() { s[|", "func block paren", "");
}

static void flows_have_frames_of_their_own(void **state)
{
    (void)state;
    assert_scan("import ( time | )", "imports", "");
    assert_scan("import ( time ) |", "", "");
    assert_scan("authority ( 7 x |", "authority", "");
    assert_scan("authority 7 |", "", "");
    assert_scan("sequence s { stage { a -> f{|", "sequence stage invoke", "");
    assert_scan("a -> stable.for{1s, |", "invoke", "");
    assert_scan("f{} -> { lo: g{x=1}, |", "table", "");
    assert_scan("a { b: c, | } -> f{}", "table", "");
    assert_scan("{ a: b } -> f{ | }", "invoke", "");
    assert_scan("a -> stage { | }", "stage", "");
    assert_scan("stage one { } sequence { | }", "sequence", "");
}

static void what_was_left_open_ends_at_the_margin(void **state)
{
    (void)state;
    assert_scan("func f(a f64) { if a > (1 \nfunc g(b f64) { |", "func block", "b");
    assert_scan("sequence s { stage {\nfunc g() { |", "func block", "");
    assert_scan("func f(a f64) {\nsequence s { |", "sequence", "");
    assert_scan("func f(a f64\n1 -> |", "func params", "a");
    assert_scan("func f(a f64)\nx -> |", "", "");
    assert_scan("sequence s {\nstage t { |", "sequence stage", "");
    assert_scan("} ) ] | ", "", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_come_out_whole_and_in_order),
        cmocka_unit_test(a_frame_may_come_byte_by_byte),
        cmocka_unit_test(garbage_is_skipped_up_to_the_next_frame),
        cmocka_unit_test(endless_garbage_takes_no_room),
        cmocka_unit_test(a_body_over_the_limit_is_skipped),
        cmocka_unit_test(what_is_sent_can_be_received_and_the_end_is_seen),
        cmocka_unit_test(positions_count_in_utf16_units_or_bytes),
        cmocka_unit_test(a_position_that_is_nowhere_is_the_nearest),
        cmocka_unit_test(lines_end_with_lf_cr_lf_or_cr),
        cmocka_unit_test(edits_change_the_text_and_its_lines),
        cmocka_unit_test(uris_and_paths_go_both_ways),
        cmocka_unit_test(members_are_found_where_they_stand),
        cmocka_unit_test(texts_that_are_not_json_have_no_members),
        cmocka_unit_test(the_heads_of_functions_declare_parameters),
        cmocka_unit_test(blocks_hold_their_locals),
        cmocka_unit_test(flows_have_frames_of_their_own),
        cmocka_unit_test(what_was_left_open_ends_at_the_margin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
