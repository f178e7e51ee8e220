#include "hw/modbus/mb_plan.h"

#include "tests/support/test.h"

static const struct mb_limits usual = {
    .max_registers = 125, .max_bits = 2000, .gap_registers = 8, .gap_bits = 64};

struct fixture {
    struct base_arena arena;
    struct mb_item items[300];
    struct mb_plan plan;
};

static struct fixture *open_plan(void)
{
    static struct fixture fixture;
    base_arena_init(&fixture.arena);
    return &fixture;
}

static void build(struct fixture *f, uint32_t n, const struct mb_limits *limits)
{
    mb_plan_init(&f->plan, f->items, n, &f->arena);
    base_arena_seal(&f->arena); /* building and splitting must not allocate */
    mb_plan_build(&f->plan, limits);
}

static void expect_block(const struct fixture *f, uint32_t block, uint16_t address, uint16_t count,
                         bool has_gaps)
{
    assert_true(block < f->plan.n_blocks);
    assert_int_equal(f->plan.blocks[block].address, address);
    assert_int_equal(f->plan.blocks[block].count, count);
    assert_int_equal(f->plan.blocks[block].has_gaps, has_gaps);
}

/* Every item lies wholly in its block, and no block is beyond the limits. */
static void check_invariants(const struct fixture *f, const struct mb_limits *limits)
{
    for (uint32_t i = 0; i < f->plan.n_items; i++) {
        const struct mb_item *item = &f->items[i];
        const struct mb_block *block = &f->plan.blocks[item->block];
        assert_int_equal(block->unit, item->unit);
        assert_int_equal(block->table, item->table);
        assert_true(item->address >= block->address);
        assert_true(item->address + item->count <= block->address + block->count);
        assert_true(mb_plan_offset(&f->plan, i) + item->count <= f->plan.n_values);
    }
    for (uint32_t b = 0; b < f->plan.n_blocks; b++) {
        bool bits = mb_table_is_bits(f->plan.blocks[b].table);
        assert_true(f->plan.blocks[b].count <= (bits ? limits->max_bits : limits->max_registers));
    }
}

static void neighbours_share_a_request_and_distant_ones_do_not(void **state)
{
    (void)state;
    struct fixture *f = open_plan();
    f->items[0] = (struct mb_item){1, MB_HOLDING, 20, 2, 0};
    f->items[1] = (struct mb_item){1, MB_HOLDING, 0, 2, 0};
    f->items[2] = (struct mb_item){1, MB_HOLDING, 4, 1, 0};
    build(f, 3, &usual);
    assert_int_equal(f->plan.n_blocks, 2);
    expect_block(f, 0, 0, 5, true);
    expect_block(f, 1, 20, 2, false);
    assert_int_equal(f->items[0].block, 1);
    assert_int_equal(mb_plan_offset(&f->plan, 0), 5);
    assert_int_equal(mb_plan_offset(&f->plan, 1), 0);
    assert_int_equal(mb_plan_offset(&f->plan, 2), 4);
    check_invariants(f, &usual);
    base_arena_fini(&f->arena);
}

static void a_gap_is_read_up_to_its_limit(void **state)
{
    (void)state;
    for (uint16_t gap = 0; gap < 12; gap++) {
        struct fixture *f = open_plan();
        f->items[0] = (struct mb_item){1, MB_INPUT_REGISTERS, 100, 4, 0};
        f->items[1] = (struct mb_item){1, MB_INPUT_REGISTERS, (uint16_t)(104 + gap), 1, 0};
        build(f, 2, &usual);
        assert_int_equal(f->plan.n_blocks, gap <= 8 ? 1 : 2);
        assert_int_equal(f->plan.blocks[0].has_gaps, gap > 0 && gap <= 8);
        base_arena_fini(&f->arena);
    }
}

static void units_and_tables_are_read_apart(void **state)
{
    (void)state;
    struct fixture *f = open_plan();
    f->items[0] = (struct mb_item){2, MB_HOLDING, 0, 1, 0};
    f->items[1] = (struct mb_item){1, MB_HOLDING, 1, 1, 0};
    f->items[2] = (struct mb_item){1, MB_INPUT_REGISTERS, 2, 1, 0};
    f->items[3] = (struct mb_item){1, MB_COILS, 3, 1, 0};
    build(f, 4, &usual);
    assert_int_equal(f->plan.n_blocks, 4);
    check_invariants(f, &usual);
    base_arena_fini(&f->arena);
}

static void one_register_may_feed_several_values(void **state)
{
    (void)state;
    struct fixture *f = open_plan();
    f->items[0] = (struct mb_item){1, MB_HOLDING, 10, 1, 0};
    f->items[1] = (struct mb_item){1, MB_HOLDING, 10, 2, 0};
    f->items[2] = (struct mb_item){1, MB_HOLDING, 10, 1, 0};
    f->items[3] = (struct mb_item){1, MB_HOLDING, 11, 1, 0};
    build(f, 4, &usual);
    assert_int_equal(f->plan.n_blocks, 1);
    expect_block(f, 0, 10, 2, false);
    assert_int_equal(mb_plan_offset(&f->plan, 2), 0);
    assert_int_equal(mb_plan_offset(&f->plan, 3), 1);
    base_arena_fini(&f->arena);
}

/* At limit - 1, limit and limit + 1, of registers and of bits, and of a device with small ones. */
static void a_request_stays_within_its_limit(void **state)
{
    (void)state;
    static const struct {
        enum mb_table table;
        uint16_t max, n;
        uint32_t blocks;
    } cases[] = {{MB_HOLDING, 125, 124, 1}, {MB_HOLDING, 125, 125, 1}, {MB_HOLDING, 125, 126, 2},
                 {MB_HOLDING, 10, 9, 1},    {MB_HOLDING, 10, 10, 1},   {MB_HOLDING, 10, 11, 2},
                 {MB_COILS, 100, 99, 1},    {MB_COILS, 100, 100, 1},   {MB_COILS, 100, 101, 2}};
    for (size_t c = 0; c < ARCD_COUNT_OF(cases); c++) {
        struct mb_limits limits = {.max_registers = cases[c].max, .max_bits = cases[c].max};
        struct fixture *f = open_plan();
        for (uint16_t i = 0; i < cases[c].n; i++)
            f->items[i] = (struct mb_item){1, cases[c].table, i, 1, 0};
        build(f, cases[c].n, &limits);
        assert_int_equal(f->plan.n_blocks, cases[c].blocks);
        check_invariants(f, &limits);
        base_arena_fini(&f->arena);
    }
}

/* A 64-bit value at 123 of a run of 130 registers would be cut at 125: it begins the second request
 * instead. */
static void a_value_is_never_torn_across_requests(void **state)
{
    (void)state;
    struct fixture *f = open_plan();
    uint32_t n = 0;
    for (uint16_t address = 0; address < 130;) {
        uint16_t count = address == 123 ? 4 : 1;
        f->items[n++] = (struct mb_item){1, MB_HOLDING, address, count, 0};
        address = (uint16_t)(address + count);
    }
    build(f, n, &usual);
    assert_int_equal(f->plan.n_blocks, 2);
    expect_block(f, 0, 0, 123, false);
    expect_block(f, 1, 123, 7, false);
    check_invariants(f, &usual);
    base_arena_fini(&f->arena);
}

static void the_last_address_is_reached(void **state)
{
    (void)state;
    struct fixture *f = open_plan();
    f->items[0] = (struct mb_item){1, MB_HOLDING, 65535, 1, 0};
    f->items[1] = (struct mb_item){1, MB_HOLDING, 65532, 2, 0};
    build(f, 2, &usual);
    assert_int_equal(f->plan.n_blocks, 1);
    expect_block(f, 0, 65532, 4, true);
    check_invariants(f, &usual);
    base_arena_fini(&f->arena);
}

static void a_split_leaves_every_value_where_it_is(void **state)
{
    (void)state;
    struct fixture *f = open_plan();
    const uint16_t addresses[] = {0, 1, 5, 6, 12, 40, 44};
    for (uint32_t i = 0; i < 7; i++)
        f->items[i] = (struct mb_item){1, MB_HOLDING, addresses[i], 1, 0};
    build(f, 7, &usual);
    assert_int_equal(f->plan.n_blocks, 2);
    uint32_t before[7];
    for (uint32_t i = 0; i < 7; i++)
        before[i] = mb_plan_offset(&f->plan, i);
    mb_plan_split(&f->plan, 0);
    assert_int_equal(f->plan.n_blocks, 4);
    expect_block(f, 0, 0, 2, false);
    expect_block(f, 1, 5, 2, false);
    expect_block(f, 2, 12, 1, false);
    expect_block(f, 3, 40, 5, true);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(mb_plan_offset(&f->plan, i), before[i]);
    mb_plan_split(&f->plan, 3);
    assert_int_equal(f->plan.n_blocks, 5);
    check_invariants(f, &usual);
    base_arena_fini(&f->arena);
}

static void random_plans_keep_the_rules(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < 500; round++) {
        struct fixture *f = open_plan();
        struct mb_limits limits = usual;
        seed = seed * 1664525 + 1013904223;
        limits.max_registers = (uint16_t)(4 + (seed >> 16) % 122);
        uint32_t n = 1 + (seed >> 8) % 200;
        for (uint32_t i = 0; i < n; i++) {
            seed = seed * 1664525 + 1013904223;
            f->items[i] = (struct mb_item){(uint8_t)(seed >> 30), (enum mb_table)(seed >> 28 & 3),
                                           (uint16_t)(seed >> 16 & 0x3FF),
                                           (uint16_t)(1 + (seed >> 12 & 3)), 0};
        }
        build(f, n, &limits);
        check_invariants(f, &limits);
        for (uint32_t b = 0; b < f->plan.n_blocks; b++)
            if (f->plan.blocks[b].has_gaps)
                mb_plan_split(&f->plan, b);
        for (uint32_t b = 0; b < f->plan.n_blocks; b++)
            assert_false(f->plan.blocks[b].has_gaps);
        check_invariants(f, &limits);
        base_arena_fini(&f->arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_share_a_request_and_distant_ones_do_not),
        cmocka_unit_test(a_gap_is_read_up_to_its_limit),
        cmocka_unit_test(units_and_tables_are_read_apart),
        cmocka_unit_test(one_register_may_feed_several_values),
        cmocka_unit_test(a_request_stays_within_its_limit),
        cmocka_unit_test(a_value_is_never_torn_across_requests),
        cmocka_unit_test(the_last_address_is_reached),
        cmocka_unit_test(a_split_leaves_every_value_where_it_is),
        cmocka_unit_test(random_plans_keep_the_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
