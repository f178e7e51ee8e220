#include "arc/lexer.h"

#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

struct lexed {
    struct base_arena arena;
    struct arc_source source;
    struct arc_diags diags;
    struct arc_idents idents;
    struct arc_tokens tokens;
};

static void lex_len(struct lexed *l, const char *text, size_t len)
{
    *l = (struct lexed){.source = {"test.arc", text, len}};
    base_arena_init(&l->arena);
    arc_diags_init(&l->diags, &l->arena, &l->source);
    arc_idents_init(&l->idents, &l->arena);
    l->tokens = arc_lex(&l->source, &l->idents, &l->arena, &l->diags);
}

/* The texts of the tokens with a blank between. */
static void lexes_to(const char *text, const char *wanted, size_t n_errors)
{
    struct lexed l;
    lex_len(&l, text, strlen(text));
    const char *got = "";
    for (size_t i = 0; i + 1 < l.tokens.n; i++)
        got = base_arena_printf(&l.arena, "%s%s%.*s", got, i == 0 ? "" : " ",
                                (int)l.tokens.list[i].len, l.tokens.list[i].text);
    assert_string_equal(got, wanted);
    assert_int_equal(l.diags.n_errors, n_errors);
    assert_int_equal(l.tokens.list[l.tokens.n - 1].kind, ARC_TOK_EOF);
    base_arena_fini(&l.arena);
}

static void the_longest_operator_wins(void **state)
{
    (void)state;
    lexes_to("a->b=>c:=d$=e==f!=g<=h>=i", "a -> b => c := d $= e == f != g <= h >= i", 0);
    lexes_to("a+=b-=c*=d/=e%=f", "a += b -= c *= d /= e %= f", 0);
    lexes_to("a-b<-c^d", "a - b < - c ^ d", 0);
    lexes_to("a--b", "a - - b", 0);
}

static void a_unit_touches_its_number(void **state)
{
    (void)state;
    struct lexed l;
    lex_len(&l, "5ms 2.5V 5 ms 1. .25 1.5.2 007", 30);
    static const struct {
        enum arc_token_kind kind;
        uint32_t unit_len;
    } wanted[] = {
        {ARC_TOK_INT, 2},   {ARC_TOK_FLOAT, 1}, {ARC_TOK_INT, 0},   {ARC_TOK_IDENT, 0},
        {ARC_TOK_FLOAT, 0}, {ARC_TOK_FLOAT, 0}, {ARC_TOK_FLOAT, 0}, {ARC_TOK_FLOAT, 0},
        {ARC_TOK_INT, 0},   {ARC_TOK_EOF, 0},
    };
    assert_int_equal(l.tokens.n, ARCD_COUNT_OF(wanted));
    for (size_t i = 0; i < l.tokens.n; i++) {
        assert_int_equal(l.tokens.list[i].kind, wanted[i].kind);
        assert_int_equal(l.tokens.list[i].unit_len, wanted[i].unit_len);
    }
    base_arena_fini(&l.arena);
}

static void a_keyword_is_no_unit(void **state)
{
    (void)state;
    lexes_to("5if 5and", "5 if 5 and", 0);
}

static void keywords_are_told_from_names(void **state)
{
    (void)state;
    struct lexed l;
    lex_len(&l, "sequence sequences next true f32 f33", 36);
    static const enum arc_token_kind wanted[] = {ARC_TOK_SEQUENCE, ARC_TOK_IDENT, ARC_TOK_NEXT,
                                                 ARC_TOK_IDENT,    ARC_TOK_F32,   ARC_TOK_IDENT};
    for (size_t i = 0; i < ARCD_COUNT_OF(wanted); i++)
        assert_int_equal(l.tokens.list[i].kind, wanted[i]);
    base_arena_fini(&l.arena);
}

static void equal_names_are_equal_pointers(void **state)
{
    (void)state;
    struct lexed l;
    lex_len(&l, "pump valve pump", 15);
    assert_ptr_equal(l.tokens.list[0].ident, l.tokens.list[2].ident);
    assert_ptr_not_equal(l.tokens.list[0].ident, l.tokens.list[1].ident);
    base_arena_fini(&l.arena);
}

static void four_hundred_names_stay_apart(void **state)
{
    (void)state;
    struct base_arena arena;
    struct arc_idents idents;
    base_arena_init(&arena);
    arc_idents_init(&idents, &arena);
    struct arc_ident *known[400];
    char name[16];
    for (int i = 0; i < 400; i++)
        known[i] = arc_ident_get(&idents, name, (size_t)snprintf(name, sizeof name, "n%d", i));
    for (int i = 0; i < 400; i++) {
        size_t len = (size_t)snprintf(name, sizeof name, "n%d", i);
        assert_ptr_equal(arc_ident_get(&idents, name, len), known[i]);
        assert_string_equal(known[i]->text, name);
    }
    base_arena_fini(&arena);
}

static void comments_are_listed_apart(void **state)
{
    (void)state;
    struct lexed l;
    lex_len(&l, "a // b\n/* c /* d */ e", 21);
    assert_int_equal(l.tokens.n, 3);
    assert_int_equal(l.tokens.n_comments, 2);
    assert_int_equal(l.tokens.comments[0].span.end, 6);
    assert_int_equal(l.tokens.comments[1].span.line, 2);
    base_arena_fini(&l.arena);
}

static void lines_are_counted_inside_comments_and_strings(void **state)
{
    (void)state;
    struct lexed l;
    const char *text = "/* 1\n2 */ a `3\n4` b \"5\\\n6\" c";
    lex_len(&l, text, strlen(text));
    assert_int_equal(l.tokens.list[0].span.line, 2);
    assert_int_equal(l.tokens.list[2].span.line, 3);
    assert_int_equal(l.tokens.list[4].span.line, 4);
    base_arena_fini(&l.arena);
}

static void strings_end_where_a_backslash_lets_them(void **state)
{
    (void)state;
    lexes_to("\"a\\\"b\" c", "\"a\\\"b\" c", 0);
    lexes_to("r\"a\\\"b\" c", "r\"a\\\"b\" c", 0);
    lexes_to("`a\\`b` c", "`a\\`b` c", 0);
    lexes_to("rf`x` fr\"y\" f\"z\" b\"w\"", "rf`x` fr\"y\" f\"z\" b \"w\"", 0);
}

static void what_other_languages_have_gets_a_hint(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *hint;
    } cases[] = {{"a && b", "'and'"}, {"a || b", "'or'"},       {"!a", "'not'"},
                 {"n++", "+= 1"},     {"a; b", "leave it out"}, {"'x'", "double quotes"},
                 {"# x", "//"}};
    for (size_t i = 0; i < ARCD_COUNT_OF(cases); i++) {
        struct lexed l;
        lex_len(&l, cases[i].text, strlen(cases[i].text));
        assert_true(l.diags.n >= 1);
        assert_non_null(l.diags.list[0]->hint);
        assert_non_null(strstr(l.diags.list[0]->hint, cases[i].hint));
        base_arena_fini(&l.arena);
    }
}

static void what_is_open_at_the_end_is_reported(void **state)
{
    (void)state;
    static const char *const texts[] = {"/* a", "\"a", "`a", "\"a\nb", "f\"a\\"};
    for (size_t i = 0; i < ARCD_COUNT_OF(texts); i++) {
        struct lexed l;
        lex_len(&l, texts[i], strlen(texts[i]));
        assert_true(l.diags.n_errors >= 1);
        assert_non_null(strstr(l.diags.list[0]->message, "unterminated"));
        base_arena_fini(&l.arena);
    }
}

static void foreign_bytes_outside_strings_are_one_error(void **state)
{
    (void)state;
    lexes_to("a \xC3\xA4\xC3\xB6 b", "a \xC3\xA4\xC3\xB6 b", 1);
    lexes_to("a \xFF\xFE b", "a \xFF\xFE b", 1);
    lexes_to("\xEF\xBB\xBF"
             "a",
             "\xEF\xBB\xBF a", 1);
    lexes_to("\"\xC3\xA4\" // \xC3\xA4", "\"\xC3\xA4\"", 0);
}

static void a_nul_byte_is_no_end_of_text(void **state)
{
    (void)state;
    struct lexed l;
    lex_len(&l, "a \0 b", 5);
    assert_int_equal(l.diags.n_errors, 1);
    assert_int_equal(l.tokens.n, 4);
    base_arena_fini(&l.arena);
    lex_len(&l, "// \0\n\"\0\" \"\\u0000\"", 17);
    assert_int_equal(l.diags.n_errors, 2);
    base_arena_fini(&l.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_operator_wins),
        cmocka_unit_test(a_unit_touches_its_number),
        cmocka_unit_test(a_keyword_is_no_unit),
        cmocka_unit_test(keywords_are_told_from_names),
        cmocka_unit_test(equal_names_are_equal_pointers),
        cmocka_unit_test(four_hundred_names_stay_apart),
        cmocka_unit_test(comments_are_listed_apart),
        cmocka_unit_test(lines_are_counted_inside_comments_and_strings),
        cmocka_unit_test(strings_end_where_a_backslash_lets_them),
        cmocka_unit_test(what_other_languages_have_gets_a_hint),
        cmocka_unit_test(what_is_open_at_the_end_is_reported),
        cmocka_unit_test(foreign_bytes_outside_strings_are_one_error),
        cmocka_unit_test(a_nul_byte_is_no_end_of_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
