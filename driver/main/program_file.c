#include "driver/main/program_file.h"

#include "config/channel.h"
#include "driver/main/cli.h"

#include <stdlib.h>

static struct arc_chan_table to_table(const struct config_channels *channels,
                                      struct base_arena *arena)
{
    struct arc_chan_info *infos = base_arena_array(arena, struct arc_chan_info, channels->n);
    for (uint32_t i = 0; i < channels->n; i++)
        infos[i] = (struct arc_chan_info){channels->v[i].decl.name, channels->v[i].decl.type,
                                          channels->v[i].decl.is_index};
    return (struct arc_chan_table){infos, channels->n};
}

static bool read_channels(struct cli_program *program, const char *file)
{
    struct config_errors errors;
    struct config_doc doc;
    struct config_channels channels = {0};
    config_errors_init(&errors);
    if (config_doc_load(&doc, &errors, ".", file) == ARCD_OK) {
        struct config_at root = config_root(&doc);
        struct config_at inner = config_member(root, "channels");
        bool whole_driver = config_type(inner) == CONFIG_JSON_OBJECT && !config_has(inner, "type");
        (void)config_channels_read(whole_driver ? inner : root, &program->arena, &channels);
    }
    program->table = to_table(&channels, &program->arena);
    config_doc_fini(&doc);
    config_errors_print(&errors, stderr);
    bool ok = errors.n_errors == 0;
    config_errors_fini(&errors);
    return ok;
}

bool cli_program_load(struct cli_program *program, const char *path, const char *channels)
{
    *program = (struct cli_program){0};
    base_arena_init(&program->arena);
    size_t len = 0;
    const char *why = NULL;
    program->text = config_file_read(".", path, &len, &why);
    if (program->text == NULL) {
        cli_error("%s: %s", path, why);
        return false;
    }
    program->source = (struct arc_source){path, program->text, len};
    arc_diags_init(&program->diags, &program->arena, &program->source);
    return channels == NULL || read_channels(program, channels);
}

void cli_program_free(struct cli_program *program)
{
    base_arena_fini(&program->arena);
    free(program->text);
}
