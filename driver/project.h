/* driver/project.h - a configuration folder, loaded and checked: what `arcd check` prints and `arcd
 * run` runs.
 *
 * Life cycle: project_load -> (print the errors | run it) -> project_free.
 * Loading goes through everything and reports every problem; it starts no thread and waits for no
 * device. A project with errors can be looked at and freed, but not run. Threads: one. Ownership:
 * the project owns bus, channels, devices, tasks and programs; its arena holds the rest.
 */
#ifndef DRIVER_PROJECT_H
#define DRIVER_PROJECT_H

#include "arc/compile.h"
#include "base/log.h"
#include "config/set.h"
#include "tasks/task.h"

struct arc_host_automation;
struct arc_image;

struct driver_device {
    const struct config_device *config;
    const struct hw_driver *driver;
    struct hw_device *hw; /* NULL: opening it failed, an error was reported */
};

/* Both are complete in themselves: a reload frees the documents that they were read from. */
struct driver_task {
    struct base_arena arena; /* of everything below */
    const char *file;        /* "tasks/tank_in.json" */
    const char *canonical;   /* equal texts: nothing has changed */
    const struct hw_driver *driver;
    const struct hw_task_type *type;
    struct driver_device *device;
    struct config_task common; /* the envelope, with everything that it takes from defaults */
    struct config_rates rates; /* reads */
    struct config_write write; /* writes */
    struct tasks_task *task;   /* NULL when it is in error */
};

struct driver_automation {
    const char *file;      /* "automations/hold.json" */
    const char *canonical; /* of its fields and its program */
    struct config_automation common;
    struct base_arena arena; /* of the program: source and diagnostics */
    struct arc_source source;
    struct arc_diags diags;
    struct arc_image *image;          /* NULL when it does not compile */
    const char *json;                 /* its fields, canonical, without the program's text */
    struct arc_host_automation *host; /* the supervisor's; NULL: not made, or disabled */
};

struct driver_project_opts {
    const char *dir;
    const char *state_dir; /* "" : nothing is kept */
    const struct base_clock *clock;
    struct base_log *log;
    struct base_doorbell *status_bell; /* rung when a task has something to say; NULL for a check */
};

struct driver_project {
    struct driver_project_opts opts;
    struct base_arena arena;
    struct config_errors errors;
    struct config_known known; /* what arcd was built with */
    struct config_set set;
    const char *driver_canonical; /* driver.json as it was read */
    struct hw_env env;
    struct telem_chans *chans;
    struct telem_bus *bus;
    struct hw_backend **backends; /* as driver_backends; NULL where the backend has no object */
    struct driver_device *devices;
    uint32_t n_devices;
    struct driver_task **tasks;
    uint32_t n_tasks;
    struct driver_automation **automations;
    uint32_t n_automations;
    bool *measured;      /* by channel key: written by a task, so programs may only read it */
    uint32_t n_measured; /* the declared channels; statistics come after them */
    uint32_t n_program_errors, n_program_warnings;
};

/* Never fails as such: what is wrong is in project->errors and in the automations' diags. */
struct driver_project *driver_project_load(const struct driver_project_opts *opts);
void driver_project_free(struct driver_project *project);

bool driver_project_is_good(const struct driver_project *project);

/* Every error and warning, then a line that counts them; nothing when there are none. */
void driver_project_print_issues(const struct driver_project *project, FILE *out);

/* Rates, plans and advice, for people: what a good project will do. */
void driver_project_describe(const struct driver_project *project, bool verbose, FILE *out);

/* The channels as the compiler wants them. In the arena. */
struct arc_chan_table driver_project_chan_table(const struct driver_project *project,
                                                struct base_arena *arena);

/* The parts, each in its own file; also one by one, for a reload. Problems go to the errors that
 * the file's document was loaded with, and to the automation's diags. */
struct driver_task *driver_task_load(struct driver_project *project,
                                     const struct config_task_file *file);
void driver_task_free(struct driver_task *task);
struct driver_automation *driver_automation_load(struct driver_project *project,
                                                 const struct config_automation_file *file);
void driver_automation_free(struct driver_automation *automation); /* its host must be gone */

#endif
