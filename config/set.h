/* config/set.h - a whole configuration: the folder, read and checked across its files.
 *
 * Life cycle: config_set_load -> the Driver makes devices, tasks and automations of it, which read
 * their own fields from the documents -> config_set_fini. A reload loads a second set and compares
 * `canonical` by name: what differs has changed, whether in its file or in a declaration that it
 * names.
 *
 * Checked here is what needs no backend: names that are used twice, types, devices, channels that
 * are not declared, two tasks that would write one channel. Threads: those of the documents.
 */
#ifndef CONFIG_SET_H
#define CONFIG_SET_H

#include "config/automation.h"
#include "config/dir.h"
#include "config/driver.h"

struct config_task_file {
    struct config_doc *doc;
    struct config_task task;             /* the envelope; the type's fields are read by the tasks */
    const struct config_task_type *type; /* NULL: unknown */
    const char *canonical; /* the file, and all declarations of channels and devices it names */
    bool ok;               /* nothing wrong was found in it */
};

struct config_automation_file {
    struct config_doc *doc;
    struct config_automation automation;
    const char *canonical; /* the file, and the text of its program */
    bool ok;
};

struct config_set {
    struct base_arena arena;
    struct config_dir dir;
    struct config_driver driver;
    bool driver_ok;
    struct config_task_file *tasks; /* in byte order of their files */
    uint32_t n_tasks;
    struct config_automation_file *automations;
    uint32_t n_automations;
};

/* Fails only for a folder that is not there; errors->n_errors says whether all is well. Call
 * set_fini() either way. */
ARCD_MUST_CHECK enum arcd_err config_set_load(struct config_set *set, struct config_errors *errors,
                                              const char *path, const struct config_known *known,
                                              struct arcd_errinfo *why);
void config_set_fini(struct config_set *set);

/* NULL without one. */
const struct config_task_file *config_set_task(const struct config_set *set, const char *name);
const struct config_automation_file *config_set_automation(const struct config_set *set,
                                                           const char *name);

#endif
