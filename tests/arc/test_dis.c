/* The listing: everything that a reader looks for is in it. */
#include "tests/arc/compile.h"

static void expect(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no '%s' in\n%s", part, text);
}

static void the_listing_shows_graph_memory_and_code(void **state)
{
    (void)state;
    struct compiled c = compile("level f64, valve u8, go u8", "import time\n"
                                                              "func over{limit f64}(p f64) u8 {\n"
                                                              "    n i64 $= 0\n"
                                                              "    n += 1\n"
                                                              "    return p > limit * 2.5\n"
                                                              "}\n"
                                                              "level -> over{limit=4.0} -> valve\n"
                                                              "go => main\n"
                                                              "sequence main {\n"
                                                              "    1 -> valve\n"
                                                              "    time.wait{5ms}\n"
                                                              "}\n");
    const char *text = arc_dis(c.image, c.source, c.arena);
    expect(text, "program: 7 nodes");
    expect(text, "state 1 slots");
    expect(text, "  level f64, source\n");
    expect(text, "source level");
    expect(text, "function over {4.0} (f64) : u8");
    expect(text, "activate sequence 1 main");
    expect(text, "done: item 1");
    expect(text, "done: end");
    expect(text, "time.wait {5000000}");
    expect(text, "      5: return p > limit * 2.5\n");
    expect(text, "(2.5)");
    expect(text, "LT_F64");
    compiled_fini(&c);
}

/* The text of the next fenced block; `from` goes behind it. */
static char *next_block(struct base_arena *arena, const char **from)
{
    const char *open = strstr(*from, "\n```");
    assert_non_null(open);
    const char *begin = strchr(open + 1, '\n') + 1;
    const char *end = strstr(begin, "\n```");
    assert_non_null(end);
    *from = end + 4;
    return base_arena_strndup(arena, begin, (size_t)(end + 1 - begin));
}

static void the_manual_shows_the_listing_of_its_program(void **state)
{
    (void)state;
    static char page[32768];
    FILE *file = fopen("docs/arc-machine.md", "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    struct base_arena arena;
    base_arena_init(&arena);
    const char *at = page;
    const char *program = next_block(&arena, &at);
    const char *listing = next_block(&arena, &at);
    struct compiled c = compile("temp f64, level f64, heater f64, valve u8, start u8", program);
    assert_string_equal(arc_dis(c.image, c.source, c.arena), listing);
    compiled_fini(&c);
    base_arena_fini(&arena);
}

static void the_listing_needs_no_source(void **state)
{
    (void)state;
    struct compiled c = compile("x f64, y f64", "x + 1.0 -> y\n");
    const char *text = arc_dis(c.image, NULL, c.arena);
    expect(text, "CHRD         r1, x");
    expect(text, "ADD_F64      r1, r1, r0 (1.0)");
    compiled_fini(&c);
}

static void every_opcode_has_a_name_of_its_own_and_a_shape(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ARC_OP_COUNT; i++) {
        assert_non_null(arc_op_info[i].name);
        bool has_jump = false;
        for (uint32_t k = 0; k < 3; k++) {
            enum arc_operand_kind kind = arc_operand_kind(arc_op_info[i].operand[k]);
            has_jump |= kind == ARC_OPD_J16 || kind == ARC_OPD_J32;
            if (kind == ARC_OPD_RN)
                assert_int_equal(arc_operand_kind(arc_op_info[i].operand[k + 1]), ARC_OPD_N);
        }
        assert_int_equal(has_jump, (arc_op_info[i].flags & ARC_OPF_JUMP) != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_listing_shows_graph_memory_and_code),
        cmocka_unit_test(the_manual_shows_the_listing_of_its_program),
        cmocka_unit_test(the_listing_needs_no_source),
        cmocka_unit_test(every_opcode_has_a_name_of_its_own_and_a_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
