/* The order of checking: names first, then what they declare, function bodies, what follows from
 * all bodies together, and at last the flows, which need all of that. */
#include "arc/check_priv.h"

#include "arc/parser.h"

static void check_program(struct checker *c)
{
    check_names_init(c);
    check_declare_program(c);
    check_authorities(c);
    check_constants(c);
    check_signatures(c);
    for (size_t i = 0; i < c->program->n_funcs; i++)
        check_function(c, c->program->funcs[i]);
    check_close_channel_sets(c);
    check_recursion(c);
    check_scopes(c);
    check_unused_imports(c);
    for (size_t i = 0; i < c->program->n_channels; i++)
        c->program->channels[i]->is_written |= c->program->channels[i]->has_authority;
}

/* The types of functions that have a syntax error. It alone was reported, so nothing more is. */
static void check_broken_functions(struct checker *c)
{
    struct arc_diags untold;
    struct arc_diags *told = c->diags;
    arc_diags_init(&untold, c->arena, c->program->source);
    c->diags = &untold;
    for (size_t i = 0; i < c->program->n_funcs; i++) {
        if (c->program->funcs[i]->is_broken)
            check_function_body(c, c->program->funcs[i]);
    }
    c->diags = told;
}

static struct arc_program *check(const struct arc_source *source,
                                 const struct arc_chan_table *table, struct base_arena *arena,
                                 struct arc_diags *diags, bool is_loose)
{
    if (!arc_source_fits(source, diags))
        return NULL;
    struct arc_idents idents;
    arc_idents_init(&idents, arena);
    struct checker c = {.program = arc_parse(source, &idents, arena, diags),
                        .arena = arena,
                        .diags = diags,
                        .idents = &idents,
                        .table = table};
    check_program(&c);
    if (is_loose)
        check_broken_functions(&c);
    arc_diags_sort(diags);
    return c.program;
}

struct arc_program *arc_check(const struct arc_source *source, const struct arc_chan_table *table,
                              struct base_arena *arena, struct arc_diags *diags)
{
    struct arc_program *program = check(source, table, arena, diags, false);
    return diags->n_errors == 0 ? program : NULL;
}

struct arc_program *arc_check_loosely(const struct arc_source *source,
                                      const struct arc_chan_table *table, struct base_arena *arena,
                                      struct arc_diags *diags)
{
    return check(source, table, arena, diags, true);
}
