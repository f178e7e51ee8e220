/* Each task file is looked at by itself first (name, type, devices, the channels it names); every
 * use of a channel is noted. The notes of all tasks, sorted by channel, then show what is used
 * twice. */
#include "config/set.h"

#include "config/doc_priv.h"
#include "config/uses.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct loading {
    struct config_set *set;
    const struct config_known *known;
    struct config_uses uses;
};

/* ---- Types */

static const char *type_name(const void *ctx, uint32_t i)
{
    return ((const struct config_known *)ctx)->types[i].name;
}

/* "modbus_read" in a Driver that was built without Modbus. */
static const char *missing_backend(const struct config_known *known, const char *type)
{
    static const char *const backends[] = {CONFIG_BACKENDS};
    for (size_t i = 0; i < ARCD_COUNT_OF(backends); i++) {
        size_t len = strlen(backends[i]);
        if (strncmp(type, backends[i], len) != 0 || type[len] != '_')
            continue;
        for (uint32_t k = 0; k < known->n_backends; k++)
            if (strcmp(known->backends[k], backends[i]) == 0)
                return NULL;
        return backends[i];
    }
    return NULL;
}

static bool check_type(struct config_at root, const struct config_known *known,
                       struct config_task_file *file)
{
    const char *type = file->task.type;
    if (type == NULL)
        return false; /* reported: it is required */
    file->type = config_known_type(known, type);
    if (file->type != NULL)
        return true;
    struct config_at at = config_member(root, "type");
    if (strcmp(type, "arc") == 0)
        return config_error(at, "an automation belongs into automations/");
    const char *backend = missing_backend(known, type);
    if (backend != NULL)
        return config_error(at, "backend '%s' is not built into this Driver", backend);
    const char *nearest = config_nearest(type, type_name, known, known->n_types);
    if (nearest != NULL)
        return config_error(at, "unknown task type '%s' (did you mean '%s'?)", type, nearest);
    return config_error(at, "unknown task type '%s'", type);
}

/* ---- Devices */

static const char *device_name(const void *ctx, uint32_t i)
{
    return ((const struct config_driver *)ctx)->devices[i].name;
}

static bool check_device(struct config_at at, const struct config_driver *driver,
                         const struct config_task_type *type, const char *name)
{
    const struct config_device *device = config_driver_device(driver, name);
    if (device == NULL) {
        const char *nearest = config_nearest(name, device_name, driver, driver->n_devices);
        return nearest == NULL
                   ? config_error(at, "device '%s' is not declared", name)
                   : config_error(at, "device '%s' is not declared (did you mean '%s'?)", name,
                                  nearest);
    }
    const char *backend = device->common.backend;
    if (backend == NULL || strcmp(backend, type->backend) == 0)
        return true;
    return config_error(at, "device '%s' is a %s device", name, backend);
}

/* The text of a member; NULL when it is no text, which whoever reads the element reports. */
static const char *text_of(struct config_at at, const char *member)
{
    struct config_at value = config_member(at, member);
    return config_type(value) == CONFIG_JSON_STR ? config_text(value) : NULL;
}

static bool check_element_device(struct config_at element, const struct config_driver *driver,
                                 const struct config_task_file *file)
{
    const char *name = text_of(element, "device"), *task_device = file->task.device;
    if (name == NULL)
        return true;
    struct config_at at = config_member(element, "device");
    if (!file->type->many_devices && task_device != NULL && strcmp(name, task_device) != 0)
        return config_error(at, "task and channel name different devices");
    return check_device(at, driver, file->type, name);
}

static bool check_devices(struct config_at root, const struct config_driver *driver,
                          const struct config_task_file *file)
{
    if (file->type->backend == NULL)
        return true;
    bool ok = true;
    if (file->task.device != NULL)
        ok = check_device(config_member(root, "device"), driver, file->type, file->task.device);
    struct config_at channels = config_member(root, "channels");
    bool all_named = config_count(channels) > 0;
    for (uint32_t i = 0; i < config_count(channels); i++) {
        struct config_at element = config_element(channels, i);
        all_named = all_named && text_of(element, "device") != NULL;
        ok = check_element_device(element, driver, file) && ok;
    }
    if (file->task.device == NULL && !all_named && !config_has(root, "device"))
        ok = config_error(config_member(root, "device"), "is required");
    return ok;
}

/* ---- Channels */

/* Notes the use of a channel by a member of an element: its data, a command, or a state. */
static bool check_channel(struct loading *loading, struct config_at element, uint32_t task,
                          const char *member, bool writes)
{
    const char *name = text_of(element, member);
    if (name == NULL)
        return true;
    struct config_at at = config_member(element, member);
    const struct config_channel *channel =
        config_channels_need(&loading->set->driver.channels, at, name);
    if (channel == NULL)
        return false;
    if (channel->broken)
        return true;
    if (channel->decl.is_index)
        return config_error(at, "channel '%s' is an index: it carries the timestamps of others",
                            name);
    struct config_at enabled = config_member(element, "enabled");
    if (config_type(enabled) == CONFIG_JSON_BOOL && !config_bool(enabled))
        return true;
    config_uses_add(&loading->uses, (struct config_use){.channel = channel->decl.name,
                                                        .index = channel->index,
                                                        .task = task,
                                                        .writes = writes,
                                                        .at = at});
    return true;
}

static bool check_channels(struct loading *loading, struct config_at root, uint32_t task)
{
    const struct config_task_file *file = &loading->set->tasks[task];
    struct config_at channels = config_member(root, "channels");
    bool ok = true;
    for (uint32_t i = 0; i < config_count(channels); i++) {
        struct config_at element = config_element(channels, i);
        if (!file->type->writes) {
            ok = check_channel(loading, element, task, "channel", true) && ok;
            continue;
        }
        ok = check_channel(loading, element, task, "channel", false) && ok;
        ok = check_channel(loading, element, task, "cmd_channel", false) && ok;
        ok = check_channel(loading, element, task, "state_channel", true) && ok;
    }
    return ok;
}

/* ---- Cores */

static bool check_cpus(struct config_at at, const struct config_known *known,
                       const struct config_ints *cpus)
{
    bool ok = true, list = config_type(at) == CONFIG_JSON_ARRAY;
    for (uint32_t i = 0; known->cpu_is_online != NULL && i < cpus->n; i++)
        if (!known->cpu_is_online(cpus->v[i]))
            ok = config_error(list ? config_element(at, i) : at, "cpu %" PRId64 " is not online",
                              cpus->v[i]);
    return ok;
}

/* ---- What a file depends on */

/* A text that is the name of a channel or of a device brings its declaration along, and a channel
 * that of its index. */
static void add_declarations(FILE *out, const struct config_driver *driver, const char *name)
{
    const struct config_channel *channel = config_channels_find(&driver->channels, name);
    if (channel != NULL)
        fprintf(out, "\n%s", channel->canonical);
    if (channel != NULL && channel->index != NULL)
        add_declarations(out, driver, channel->index);
    const struct config_device *device = config_driver_device(driver, name);
    if (device != NULL)
        fprintf(out, "\n%s", device->canonical);
}

static void add_named(FILE *out, const struct config_driver *driver, struct config_at at)
{
    const char *name;
    struct config_at member;
    if (config_type(at) == CONFIG_JSON_STR)
        add_declarations(out, driver, config_text(at));
    if (config_type(at) == CONFIG_JSON_ARRAY)
        for (uint32_t i = 0; i < config_count(at); i++)
            add_named(out, driver, config_element(at, i));
    if (config_type(at) == CONFIG_JSON_OBJECT)
        for (void *iter = NULL; config_next_member(at, &iter, &name, &member);)
            add_named(out, driver, member);
}

static const char *task_canonical(struct config_set *set, struct config_at root)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ARCD_ASSERT(out != NULL);
    fputs(config_canonical(root, &set->arena), out);
    fprintf(out, "\n%s", config_canonical(set->driver.defaults, &set->arena));
    add_named(out, &set->driver, root);
    fclose(out);
    ARCD_ASSERT(text != NULL);
    const char *kept = base_arena_strdup(&set->arena, text);
    free(text);
    return kept;
}

/* ---- Tasks */

static void load_task(struct loading *loading, uint32_t i)
{
    struct config_set *set = loading->set;
    struct config_task_file *file = &set->tasks[i];
    file->doc = &set->dir.tasks[i];
    struct config_at root = config_root(file->doc);
    struct config_part part = {
        .table = &config_task_table, .out = &file->task, .defaults = set->driver.defaults};
    bool ok = config_peek_parts(root, &set->arena, &part, 1);
    if (file->task.name == NULL)
        file->task.name = config_file_stem(&set->arena, file->doc->file);
    struct config_at cpu = config_member(config_member(root, "rt"), "cpu");
    ok = check_cpus(cpu, loading->known, &file->task.rt.cpu) && ok;
    file->canonical = task_canonical(set, root);
    if (config_type(root) == CONFIG_JSON_OBJECT && check_type(root, loading->known, file)) {
        ok = check_devices(root, &set->driver, file) && ok;
        ok = check_channels(loading, root, i) && ok;
    }
    file->ok = ok && file->doc->n_errors == 0;
}

/* ---- Automations */

static const char *automation_canonical(struct config_set *set, struct config_at root,
                                        const char *source)
{
    const char *canonical = config_canonical(root, &set->arena), *why;
    size_t len;
    char *program = source == NULL ? NULL : config_file_read(set->dir.path, source, &len, &why);
    if (program == NULL)
        return canonical;
    canonical = base_arena_printf(&set->arena, "%s\n%s", canonical, program);
    free(program);
    return canonical;
}

static void load_automation(struct loading *loading, uint32_t i)
{
    struct config_set *set = loading->set;
    struct config_automation_file *file = &set->automations[i];
    file->doc = &set->dir.automations[i];
    struct config_at root = config_root(file->doc);
    bool ok = config_automation_read(root, &set->arena, &file->automation);
    ok = check_cpus(config_member(root, "cpu"), loading->known, &file->automation.cpu) && ok;
    file->canonical = automation_canonical(set, root, file->automation.source);
    file->ok = ok && file->doc->n_errors == 0;
}

/* ---- Names: tasks and automations are called alike on the command line, so none may share one */

struct name_use {
    const char *name;
    struct config_doc *doc;
    bool *ok;
    uint32_t order;
};

static int by_name(const void *a, const void *b)
{
    const struct name_use *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

static void check_names(struct config_set *set)
{
    uint32_t n = set->n_tasks + set->n_automations;
    struct name_use *uses = base_arena_array(&set->arena, struct name_use, n);
    for (uint32_t i = 0; i < set->n_tasks; i++)
        uses[i] =
            (struct name_use){set->tasks[i].task.name, set->tasks[i].doc, &set->tasks[i].ok, i};
    for (uint32_t i = 0; i < set->n_automations; i++) {
        struct config_automation_file *file = &set->automations[i];
        uint32_t order = set->n_tasks + i;
        uses[order] = (struct name_use){file->automation.name, file->doc, &file->ok, order};
    }
    qsort(uses, n, sizeof(*uses), by_name);
    for (uint32_t i = 1; i < n; i++)
        if (strcmp(uses[i - 1].name, uses[i].name) == 0)
            *uses[i].ok = config_error(config_member(config_root(uses[i].doc), "name"),
                                       "task name '%s' is already used by %s", uses[i].name,
                                       uses[i - 1].doc->file);
}

/* ---- The set */

enum arcd_err config_set_load(struct config_set *set, struct config_errors *errors,
                              const char *path, const struct config_known *known,
                              struct arcd_errinfo *why)
{
    *set = (struct config_set){0};
    base_arena_init(&set->arena);
    enum arcd_err err = config_dir_load(&set->dir, errors, path, why);
    if (err != ARCD_OK)
        return err;
    set->driver_ok = config_driver_read(&set->dir.driver, &set->arena, known, &set->driver);
    struct loading loading = {.set = set, .known = known};
    set->n_tasks = set->dir.n_tasks;
    set->tasks = base_arena_array(&set->arena, struct config_task_file, set->n_tasks);
    for (uint32_t i = 0; i < set->n_tasks; i++)
        load_task(&loading, i);
    set->n_automations = set->dir.n_automations;
    set->automations =
        base_arena_array(&set->arena, struct config_automation_file, set->n_automations);
    for (uint32_t i = 0; i < set->n_automations; i++)
        load_automation(&loading, i);
    check_names(set);
    config_uses_check(&loading.uses, set->tasks);
    config_uses_fini(&loading.uses);
    return ARCD_OK;
}

void config_set_fini(struct config_set *set)
{
    config_dir_fini(&set->dir);
    base_arena_fini(&set->arena);
    *set = (struct config_set){0};
}

const struct config_task_file *config_set_task(const struct config_set *set, const char *name)
{
    for (uint32_t i = 0; i < set->n_tasks; i++)
        if (strcmp(set->tasks[i].task.name, name) == 0)
            return &set->tasks[i];
    return NULL;
}

const struct config_automation_file *config_set_automation(const struct config_set *set,
                                                           const char *name)
{
    for (uint32_t i = 0; i < set->n_automations; i++)
        if (strcmp(set->automations[i].automation.name, name) == 0)
            return &set->automations[i];
    return NULL;
}
