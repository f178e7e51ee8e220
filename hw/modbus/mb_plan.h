/* hw/modbus/mb_plan.h - which requests read a set of values: neighbours in one, none split.
 *
 * Life cycle: plan_init (memory for all that can come) -> plan_build -> [plan_split ...].
 * One thread at a time. Memory: the arena given to init; build and split allocate nothing.
 */
#ifndef HW_MODBUS_MB_PLAN_H
#define HW_MODBUS_MB_PLAN_H

#include "base/arena.h"

enum mb_table {
    MB_COILS,           /* FC 1, 5, 15 */
    MB_DISCRETE_INPUTS, /* FC 2 */
    MB_HOLDING,         /* FC 3, 6, 16, 22 */
    MB_INPUT_REGISTERS, /* FC 4 */
};

/* "coil", "discrete input", "holding register", "input register" */
const char *mb_table_name(enum mb_table table);
static inline bool mb_table_is_bits(enum mb_table table)
{
    return table == MB_COILS || table == MB_DISCRETE_INPUTS;
}

/* What is asked of one request at most, and what may be read in vain between two values. */
struct mb_limits {
    uint16_t max_registers, max_bits;
    uint16_t gap_registers, gap_bits;
};

/* One value: `count` registers or bits from `address` on. */
struct mb_item {
    uint8_t unit;
    enum mb_table table;
    uint16_t address, count;
    uint32_t block; /* out: the block that holds it */
};

/* One request, and where its registers or bits are in the plan's buffer. */
struct mb_block {
    uint8_t unit;
    enum mb_table table;
    uint16_t address, count;
    bool has_gaps;
    uint32_t first, n_items; /* of plan->sorted */
    uint32_t offset;
};

struct mb_plan {
    struct mb_item *items;
    uint32_t n_items;
    uint32_t *sorted;        /* items by unit, table, address */
    struct mb_block *blocks; /* room for n_items */
    uint32_t n_blocks;
    uint32_t n_values; /* registers and bits of all blocks: length of the buffer */
};

/* `items` stay the caller's and must outlive the plan. */
void mb_plan_init(struct mb_plan *plan, struct mb_item *items, uint32_t n_items,
                  struct base_arena *arena);

/* Every item must fit a request by itself. */
void mb_plan_build(struct mb_plan *plan, const struct mb_limits *limits);

/* Cuts a block at its gaps into several, in its place. Offsets of its items stay where they are. */
void mb_plan_split(struct mb_plan *plan, uint32_t block);

/* Where an item's first register or bit is in the buffer. */
uint32_t mb_plan_offset(const struct mb_plan *plan, uint32_t item);

#endif
