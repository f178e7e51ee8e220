/* Loading in the order in which things depend on each other: driver.json, channels, devices, tasks,
 * programs. */
#include "driver/project.h"

#include "driver/backends.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static bool cpu_is_online(int64_t cpu)
{
    cpu_set_t set;
    return cpu >= 0 && cpu < CPU_SETSIZE && sched_getaffinity(0, sizeof set, &set) == 0 &&
           CPU_ISSET((size_t)cpu, &set);
}

/* What arcd was built with, as config/ asks for it. */
static void fill_known(struct driver_project *project)
{
    uint32_t n_backends = 0, n_types = 0;
    for (; driver_backends[n_backends] != NULL; n_backends++)
        n_types += driver_backends[n_backends]->n_task_types;
    const char **names = base_arena_array(&project->arena, const char *, n_backends);
    struct config_task_type *types =
        base_arena_array(&project->arena, struct config_task_type, n_types);
    uint32_t t = 0;
    for (uint32_t b = 0; b < n_backends; b++) {
        const struct hw_driver *driver = driver_backends[b];
        names[b] = driver->name;
        for (uint32_t i = 0; i < driver->n_task_types; i++)
            types[t++] =
                (struct config_task_type){.name = driver->task_types[i].name,
                                          .backend = driver->name,
                                          .writes = driver->task_types[i].direction == HW_WRITE};
    }
    project->known = (struct config_known){names, n_backends, types, n_types, cpu_is_online};
}

/* ---- Backends and devices
 * -----------------------------------------------------------------------------------
 */

static void log_from_backend(void *ctx, int level, const char *text)
{
    if (level >= 0 && level <= BASE_LOG_TRACE)
        base_log_write(ctx, (enum base_log_level)level, "hw", NULL, "%s", text);
}

static void make_backends(struct driver_project *project)
{
    project->backends =
        base_arena_array(&project->arena, struct hw_backend *, project->known.n_backends);
    for (uint32_t i = 0; i < project->known.n_backends; i++) {
        const struct hw_setup_ops *setup = driver_backends[i]->setup;
        struct arcd_errinfo why;
        if (setup->backend_new == NULL ||
            setup->backend_new(&project->env, &project->backends[i], &why) == ARCD_OK)
            continue;
        project->backends[i] = NULL;
        config_errors_add(&project->errors, "driver.json", "devices", "%s", why.text);
    }
}

static void open_device(struct driver_project *project, const struct config_device *config,
                        struct driver_device *device)
{
    device->config = config;
    uint32_t b = 0;
    while (driver_backends[b] != NULL &&
           strcmp(driver_backends[b]->name, config->common.backend) != 0)
        b++;
    device->driver = driver_backends[b];
    if (device->driver == NULL)
        return; /* config/ has said so */
    const struct config_table *table = device->driver->device_table;
    void *fields = base_arena_alloc(&project->arena, table->size, _Alignof(max_align_t));
    if (!config_device_read(config, &project->arena, table, fields))
        return;
    struct arcd_errinfo why = {0};
    uint32_t n_errors_before = project->errors.n_errors;
    enum arcd_err err = device->driver->setup->device_open(
        project->backends[b], &project->env, config->name, fields, config->at, &device->hw, &why);
    if (err == ARCD_OK)
        return;
    device->hw = NULL;
    if (project->errors.n_errors == n_errors_before)
        (void)config_error(config->at, "%s", why.text);
}

static void load_devices(struct driver_project *project)
{
    const struct config_driver *driver = &project->set.driver;
    uint32_t n = driver->n_devices;
    project->devices = base_arena_array(&project->arena, struct driver_device, n);
    for (uint32_t i = 0; i < n; i++)
        open_device(project, &driver->devices[i], &project->devices[i]);
    project->n_devices = n;
}

/* ---- The whole ---------------------------------------------------------------------------------
 */

static void load_channels(struct driver_project *project)
{
    struct arcd_errinfo why;
    if (config_channels_declare(&project->set.driver.channels, project->chans, &why) != ARCD_OK)
        config_errors_add(&project->errors, "driver.json", "channels", "%s", why.text);
    uint32_t n = telem_chans_count(project->chans);
    project->measured = base_arena_array(&project->arena, bool, n);
    project->n_measured = n;
}

static void load_tasks(struct driver_project *project)
{
    uint32_t n = project->set.n_tasks;
    project->tasks = calloc(n + 1, sizeof(struct driver_task *));
    ARCD_ASSERT(project->tasks != NULL);
    for (uint32_t i = 0; i < n; i++)
        project->tasks[project->n_tasks++] = driver_task_load(project, &project->set.tasks[i]);
}

/* After the tasks: which channels a program may write is known only then. */
static void load_automations(struct driver_project *project)
{
    uint32_t n = project->set.n_automations;
    project->automations = calloc(n + 1, sizeof(struct driver_automation *));
    ARCD_ASSERT(project->automations != NULL);
    for (uint32_t i = 0; i < n; i++) {
        struct driver_automation *a = driver_automation_load(project, &project->set.automations[i]);
        project->n_program_errors += (uint32_t)a->diags.n_errors;
        project->n_program_warnings += (uint32_t)(a->diags.n - a->diags.n_errors);
        project->automations[project->n_automations++] = a;
    }
}

struct driver_project *driver_project_load(const struct driver_project_opts *opts)
{
    struct driver_project *project = calloc(1, sizeof *project);
    ARCD_ASSERT(project != NULL);
    project->opts = *opts;
    base_arena_init(&project->arena);
    config_errors_init(&project->errors);
    project->chans = telem_chans_new();
    project->bus = telem_bus_new(project->chans);
    project->env = (struct hw_env){.clock = opts->clock,
                                   .state_dir = opts->state_dir,
                                   .config_dir = opts->dir,
                                   .log = log_from_backend,
                                   .log_ctx = opts->log};
    fill_known(project);
    struct arcd_errinfo why;
    if (config_set_load(&project->set, &project->errors, opts->dir, &project->known, &why) !=
        ARCD_OK) {
        config_errors_add(&project->errors, opts->dir, "", "%s", why.text);
        return project;
    }
    project->driver_canonical =
        config_canonical(config_root(&project->set.dir.driver), &project->arena);
    load_channels(project);
    make_backends(project);
    load_devices(project);
    load_tasks(project);
    load_automations(project);
    return project;
}

void driver_project_free(struct driver_project *project)
{
    if (project == NULL)
        return;
    for (uint32_t i = 0; i < project->n_automations; i++)
        driver_automation_free(project->automations[i]);
    free(project->automations);
    for (uint32_t i = 0; i < project->n_tasks; i++)
        driver_task_free(project->tasks[i]);
    free(project->tasks);
    for (uint32_t i = 0; i < project->n_devices; i++)
        if (project->devices[i].hw != NULL)
            project->devices[i].driver->setup->device_close(project->devices[i].hw);
    for (uint32_t i = 0; project->backends != NULL && i < project->known.n_backends; i++)
        if (project->backends[i] != NULL)
            driver_backends[i]->setup->backend_free(project->backends[i]);
    telem_bus_free(project->bus);
    telem_chans_free(project->chans);
    config_set_fini(&project->set);
    config_errors_fini(&project->errors);
    base_arena_fini(&project->arena);
    free(project);
}

bool driver_project_is_good(const struct driver_project *project)
{
    return project->errors.n_errors == 0 && project->n_program_errors == 0;
}

/* ---- For people --------------------------------------------------------------------------------
 */

static const char *plural(uint32_t n)
{
    return n == 1 ? "" : "s";
}

void driver_project_print_issues(const struct driver_project *project, FILE *out)
{
    config_errors_print(&project->errors, out);
    for (uint32_t i = 0; i < project->n_automations; i++) {
        const struct driver_automation *a = project->automations[i];
        for (size_t d = 0; d < a->diags.n; d++)
            fputs(arc_diag_render(a->diags.arena, &a->source, a->diags.list[d]), out);
    }
    uint32_t errors = project->errors.n_errors + project->n_program_errors;
    uint32_t warnings = project->errors.n_warnings + project->n_program_warnings;
    if (errors + warnings != 0)
        fprintf(out, "%u error%s, %u warning%s\n", errors, plural(errors), warnings,
                plural(warnings));
}

static void describe_task(const struct driver_task *t, bool verbose, FILE *out)
{
    if (t->task == NULL)
        return;
    struct tasks_figures figures;
    tasks_task_figures(t->task, &figures);
    fprintf(out, "  %-16s %-16s ", t->common.name, t->common.type);
    if (t->type->direction == HW_READ)
        fprintf(out, "%u channel%s at %g Hz, batches of %u at %.4g Hz, %s-timed\n",
                figures.n_channels, plural(figures.n_channels), figures.sample_rate_hz,
                figures.n_samples, figures.stream_rate_hz,
                figures.timing == HW_HARDWARE ? "hardware" : "software");
    else
        fprintf(out, "%u channel%s, state at %g Hz\n", figures.n_channels,
                plural(figures.n_channels), figures.stream_rate_hz);
    if (verbose)
        tasks_task_describe(t->task, out);
}

void driver_project_describe(const struct driver_project *project, bool verbose, FILE *out)
{
    fprintf(out, "%u channel%s, %u device%s, %u task%s, %u automation%s\n",
            telem_chans_count(project->chans), plural(telem_chans_count(project->chans)),
            project->n_devices, plural(project->n_devices), project->n_tasks,
            plural(project->n_tasks), project->n_automations, plural(project->n_automations));
    for (uint32_t i = 0; i < project->n_tasks; i++)
        describe_task(project->tasks[i], verbose, out);
    for (uint32_t i = 0; i < project->n_automations; i++) {
        const struct config_automation *a = &project->automations[i]->common;
        fprintf(out, "  %-16s %-16s %s%s\n", a->name, a->type, a->source,
                a->realtime ? "" : ", as a normal thread");
    }
}
