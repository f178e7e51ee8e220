/* config/dir.h - the files of a configuration folder, parsed: driver.json, and every .json file of
 * tasks and of automations.
 *
 * Life cycle: config_dir_load -> read the documents -> config_dir_fini.
 * Files are taken in byte order of their names; those that start with a dot, or end in ~, .bak or
 * .tmp, are left out, as is everything that does not end in .json. A file in error is there too,
 * with an empty document, so that its task can say what is wrong with it.
 */
#ifndef CONFIG_DIR_H
#define CONFIG_DIR_H

#include "config/doc.h"

enum { CONFIG_FILES_MAX = 4096 /* in one folder */ };

struct config_dir {
    struct base_arena arena;
    const char *path;
    struct config_doc driver;
    struct config_doc *tasks; /* their `file` is "tasks/ai.json" */
    uint32_t n_tasks;
    struct config_doc *automations;
    uint32_t n_automations;
};

/* Fails only for a folder that is not there; whatever is wrong in it is an issue. Call dir_fini()
 * either way. */
ARCD_MUST_CHECK enum arcd_err config_dir_load(struct config_dir *dir, struct config_errors *errors,
                                              const char *path, struct arcd_errinfo *why);
void config_dir_fini(struct config_dir *dir);

#endif
