/* Sort, then one sweep: a block grows over small gaps as long as it stays within a request. */
#include "hw/modbus/mb_plan.h"

#include <stdlib.h>
#include <string.h>

const char *mb_table_name(enum mb_table table)
{
    static const char *const names[] = {"coil", "discrete input", "holding register",
                                        "input register"};
    return names[table];
}

void mb_plan_init(struct mb_plan *plan, struct mb_item *items, uint32_t n_items,
                  struct base_arena *arena)
{
    *plan = (struct mb_plan){.items = items, .n_items = n_items};
    plan->sorted = base_arena_array(arena, uint32_t, n_items);
    plan->blocks = base_arena_array(arena, struct mb_block, n_items);
}

static int compare(const void *a, const void *b, void *ctx)
{
    const struct mb_item *items = ctx;
    const struct mb_item *x = &items[*(const uint32_t *)a];
    const struct mb_item *y = &items[*(const uint32_t *)b];
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    if (x->table != y->table)
        return x->table < y->table ? -1 : 1;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->count != y->count ? (x->count < y->count ? -1 : 1) : 0;
}

static struct mb_block block_of(const struct mb_item *item, uint32_t first)
{
    return (struct mb_block){.unit = item->unit,
                             .table = item->table,
                             .address = item->address,
                             .count = item->count,
                             .first = first,
                             .n_items = 1};
}

/* Takes the item into the block if the two fit one request with no more than `gap` in between. */
static bool extend(struct mb_block *block, const struct mb_item *item, uint32_t gap, uint32_t max)
{
    uint32_t end = (uint32_t)block->address + block->count;
    uint32_t item_end = (uint32_t)item->address + item->count;
    uint32_t new_end = item_end > end ? item_end : end;
    if (item->unit != block->unit || item->table != block->table || item->address > end + gap ||
        new_end - block->address > max)
        return false;
    block->has_gaps |= item->address > end;
    block->count = (uint16_t)(new_end - block->address);
    block->n_items++;
    return true;
}

static void number_items(struct mb_plan *plan)
{
    for (uint32_t b = 0; b < plan->n_blocks; b++)
        for (uint32_t i = 0; i < plan->blocks[b].n_items; i++)
            plan->items[plan->sorted[plan->blocks[b].first + i]].block = b;
}

void mb_plan_build(struct mb_plan *plan, const struct mb_limits *limits)
{
    for (uint32_t i = 0; i < plan->n_items; i++)
        plan->sorted[i] = i;
    qsort_r(plan->sorted, plan->n_items, sizeof *plan->sorted, compare, plan->items);
    plan->n_blocks = 0;
    for (uint32_t i = 0; i < plan->n_items; i++) {
        const struct mb_item *item = &plan->items[plan->sorted[i]];
        bool bits = mb_table_is_bits(item->table);
        uint32_t gap = bits ? limits->gap_bits : limits->gap_registers;
        uint32_t max = bits ? limits->max_bits : limits->max_registers;
        ARCD_ASSERT(item->count > 0 && item->count <= max);
        if (plan->n_blocks == 0 || !extend(&plan->blocks[plan->n_blocks - 1], item, gap, max))
            plan->blocks[plan->n_blocks++] = block_of(item, i);
    }
    plan->n_values = 0;
    for (uint32_t b = 0; b < plan->n_blocks; b++) {
        plan->blocks[b].offset = plan->n_values;
        plan->n_values += plan->blocks[b].count;
    }
    number_items(plan);
}

/* How many blocks without gaps the items of `block` make; writes them when `out` is there. */
static uint32_t cut(const struct mb_plan *plan, const struct mb_block *block, struct mb_block *out)
{
    uint32_t n = 0;
    struct mb_block piece = {0};
    for (uint32_t i = 0; i < block->n_items; i++) {
        const struct mb_item *item = &plan->items[plan->sorted[block->first + i]];
        if (i > 0 && extend(&piece, item, 0, UINT16_MAX)) {
            if (out != NULL)
                out[n - 1] = piece;
            continue;
        }
        piece = block_of(item, block->first + i);
        piece.offset = block->offset + item->address - block->address;
        if (out != NULL)
            out[n] = piece;
        n++;
    }
    return n;
}

void mb_plan_split(struct mb_plan *plan, uint32_t block)
{
    struct mb_block old = plan->blocks[block];
    uint32_t n = cut(plan, &old, NULL);
    memmove(&plan->blocks[block + n], &plan->blocks[block + 1],
            (plan->n_blocks - block - 1) * sizeof *plan->blocks);
    cut(plan, &old, &plan->blocks[block]);
    plan->n_blocks += n - 1;
    number_items(plan);
}

uint32_t mb_plan_offset(const struct mb_plan *plan, uint32_t item)
{
    const struct mb_item *it = &plan->items[item];
    const struct mb_block *block = &plan->blocks[it->block];
    return block->offset + it->address - block->address;
}
