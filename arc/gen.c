/* arc_compile(): the checked tree to a verified image. */
#include "arc/gen_priv.h"
#include "arc/verify.h"

#include <stdlib.h>

static void gen_channels(struct arc_gen *gen)
{
    const struct arc_program *program = gen->program;
    struct arc_image *image = gen->image;
    for (size_t i = 0; i < program->n_channels; i++) {
        const struct arc_channel *channel = program->channels[i];
        const struct arc_chan_info *info = &gen->table->chans[channel->table_index];
        *ARC_APPEND(gen->scratch, image->channels, image->n_channels) = (struct arc_image_channel){
            .name = arc_gen_name(gen, info->name),
            .type = (uint8_t)info->type,
            .reads = channel->is_read,
            .writes = channel->is_written,
            .authority = channel->authority,
        };
    }
    bool is_declared = program->default_authority >= 0;
    image->default_authority = (int16_t)(is_declared ? program->default_authority : 255);
}

/* Moves an array from scratch into the image at its exact size. */
static void *keep(struct arc_image *image, const void *array, size_t n, size_t elem_bytes)
{
    void *copy = base_arena_alloc_array(&image->arena, n, elem_bytes, 8);
    if (n > 0)
        memcpy(copy, array, n * elem_bytes);
    return copy;
}

#define KEEP(image, array, n) ((array) = keep((image), (array), (n), sizeof *(array)))

static void seal(struct arc_image *image)
{
    KEEP(image, image->code, image->n_code);
    KEEP(image, image->code_lines, image->n_code);
    KEEP(image, image->funcs, image->n_funcs);
    KEEP(image, image->func_args, image->n_func_args);
    KEEP(image, image->func_outputs, image->n_func_outputs);
    KEEP(image, image->state_types, image->n_state_slots);
    KEEP(image, image->state_init, image->n_state_slots);
    KEEP(image, image->consts, image->n_consts);
    KEEP(image, image->const_types, image->n_consts);
    KEEP(image, image->strings, image->n_strings);
    KEEP(image, image->series, image->n_series);
    KEEP(image, image->formats, image->n_formats);
    KEEP(image, image->channels, image->n_channels);
    KEEP(image, image->nodes, image->n_nodes);
    KEEP(image, image->inputs, image->n_inputs);
    KEEP(image, image->outputs, image->n_outputs);
    KEEP(image, image->edges, image->n_edges);
    KEEP(image, image->activations, image->n_activations);
    KEEP(image, image->config, image->n_config);
    KEEP(image, image->scopes, image->n_scopes);
    KEEP(image, image->members, image->n_members);
    KEEP(image, image->transitions, image->n_transitions);
    KEEP(image, image->lists, image->n_lists);
    base_arena_seal(&image->arena);
}

static void generate(struct arc_gen *gen)
{
    arc_gen_string(gen, "", 0); /* strings[0] */
    gen_channels(gen);
    arc_gen_funcs(gen);
    if (gen->failed)
        return;
    arc_gen_flows(gen);
    if (gen->failed)
        return;
    arc_gen_graph(gen);
    arc_gen_bounds(gen);
}

struct arc_image *arc_generate(const struct arc_program *program,
                               const struct arc_chan_table *table, struct arc_diags *diags)
{
    struct arc_image *image = calloc(1, sizeof *image);
    ARCD_ASSERT(image != NULL);
    base_arena_init(&image->arena);
    struct base_arena scratch;
    base_arena_init(&scratch);
    struct arc_gen gen = {
        .program = program, .table = table, .diags = diags, .scratch = &scratch, .image = image};
    /* Never NULL, also while there are none: what is added to it may be nothing. */
    image->func_outputs = base_arena_new(&scratch, struct arc_image_func_output);
    generate(&gen);
    if (!gen.failed)
        seal(image);
    base_arena_fini(&scratch);
    if (gen.failed) {
        arc_image_free(image);
        return NULL;
    }
    return image;
}

struct arc_image *arc_compile(const struct arc_source *source, const struct arc_chan_table *table,
                              struct arc_diags *diags)
{
    const struct arc_program *program = arc_check(source, table, diags->arena, diags);
    if (program == NULL)
        return NULL;
    struct arc_image *image = arc_generate(program, table, diags);
    arc_diags_sort(diags);
    if (image == NULL)
        return NULL;
    struct arcd_errinfo why;
    if (arc_verify(image, &why) == ARCD_OK)
        return image;
    /* A bug of the compiler: said as an error, so that nothing wrong is ever run. */
    arc_diag_add(diags, ARC_ERROR, ARC_CODE_NONE, (struct arc_span){.line = 1},
                 "the compiler made a wrong program: %s", why.text);
    arc_image_free(image);
    return NULL;
}
