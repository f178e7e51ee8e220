/* One file of automations/: its fields, then its program, compiled against the project's channels.
 */
#include "arc/image.h"
#include "driver/project.h"

#include <stdlib.h>

struct arc_chan_table driver_project_chan_table(const struct driver_project *project,
                                                struct base_arena *arena)
{
    uint32_t n = telem_chans_count(project->chans);
    struct arc_chan_info *chans = base_arena_array(arena, struct arc_chan_info, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct telem_chan_decl *decl =
            telem_chans_decl(project->chans, (struct telem_key){i});
        bool is_command = i < project->n_measured && !project->measured[i] && !decl->is_index;
        chans[i] = (struct arc_chan_info){decl->name, decl->type, !is_command};
    }
    return (struct arc_chan_table){chans, n};
}

/* False after an error at the field `source`. */
static bool read_source(struct driver_project *project, struct config_at at,
                        struct driver_automation *a)
{
    size_t len = 0;
    const char *why = NULL;
    const char *file = a->common.source;
    char *text = config_file_read(project->opts.dir, file, &len, &why);
    if (text == NULL)
        return config_error(config_member(at, "source"), "cannot read '%s': %s", file, why);
    a->source = (struct arc_source){file, base_arena_strndup(&a->arena, text, len), len};
    free(text);
    return true;
}

struct driver_automation *driver_automation_load(struct driver_project *project,
                                                 const struct config_automation_file *file)
{
    struct driver_automation *a = calloc(1, sizeof *a);
    ARCD_ASSERT(a != NULL);
    base_arena_init(&a->arena);
    struct config_at root = config_root(file->doc);
    a->file = base_arena_strdup(&a->arena, file->doc->file);
    a->canonical = base_arena_strdup(&a->arena, file->canonical != NULL ? file->canonical : "");
    a->json = config_canonical(root, &a->arena);
    if (!file->ok || !config_automation_read(root, &a->arena, &a->common) ||
        !read_source(project, root, a))
        return a;
    arc_diags_init(&a->diags, &a->arena, &a->source);
    struct arc_chan_table table = driver_project_chan_table(project, &a->arena);
    a->image = arc_compile(&a->source, &table, &a->diags);
    return a;
}

void driver_automation_free(struct driver_automation *a)
{
    if (a == NULL)
        return;
    ARCD_ASSERT(a->host == NULL);
    arc_image_free(a->image);
    base_arena_fini(&a->arena);
    free(a);
}
