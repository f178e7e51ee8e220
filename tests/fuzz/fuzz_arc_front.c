/* Any bytes through the front end: checked, reported, formatted. The input is a program; channels
 * of every type are there under short names. */
#include "arc/compile.h"

#include "tests/arc/format.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct arc_chan_info chans[] = {
    {"a", TELEM_F64, false},       {"b", TELEM_F64, false}, {"flag", TELEM_U8, false},
    {"valve", TELEM_U8, false},    {"n", TELEM_I64, false}, {"k", TELEM_I32, false},
    {"r", TELEM_F32, false},       {"s", TELEM_STR, false}, {"level", TELEM_F64, false},
    {"t", TELEM_TIMESTAMP, false}, {"w", TELEM_U64, false}, {"ro", TELEM_F64, true},
    {"x", TELEM_I8, false},        {"y", TELEM_U16, false},
};

/* What the checked tree promises, as far as a walk over the flows shows it. */
static void check_flow(const struct arc_flow *flow)
{
    for (size_t i = 0; i < flow->n_nodes; i++) {
        const struct arc_node *node = flow->nodes[i];
        if (node->index != i)
            abort();
        for (size_t j = 0; j < node->n_outputs; j++)
            if (node->outputs[j].shape != ARC_SHAPE_SCALAR &&
                node->outputs[j].shape != ARC_SHAPE_SERIES)
                abort();
    }
    for (size_t i = 0; i < flow->n_edges; i++) {
        const struct arc_edge *edge = &flow->edges[i];
        const struct arc_node *dst = flow->nodes[edge->dst];
        if (edge->src >= edge->dst || edge->dst >= flow->n_nodes)
            abort();
        const struct arc_node *src = flow->nodes[edge->src];
        if (edge->dst_input != ARC_TRIGGER &&
            !arc_type_same_kind(src->outputs[edge->src_output], dst->inputs[edge->dst_input]))
            abort();
    }
}

static void check_scope(const struct arc_scope *scope)
{
    for (size_t i = 0; i < scope->n_items; i++)
        if (scope->items[i].flow != NULL)
            check_flow(scope->items[i].flow);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct base_arena arena;
    base_arena_init(&arena);
    struct arc_source source = {"fuzz.arc", (const char *)data, size};
    struct arc_diags diags;
    struct arc_chan_table table = {chans, ARCD_COUNT_OF(chans)};
    arc_diags_init(&diags, &arena, &source);
    struct arc_program *program = arc_check(&source, &table, &arena, &diags);
    if ((program == NULL) != (arc_diags_first_error(&diags) != NULL))
        abort();
    arc_diags_render(&diags);
    arc_diags_to_json(&diags);
    for (size_t i = 0; program != NULL && i < program->n_scopes; i++)
        check_scope(program->scopes[i]);
    const char *problem = format_problem(&arena, (const char *)data, size);
    if (problem != NULL) {
        fprintf(stderr, "%s\n", problem);
        abort();
    }
    base_arena_fini(&arena);
    return 0;
}
