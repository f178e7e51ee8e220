#include "config/dir.h"

#include "config/doc_priv.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *name, const char *end)
{
    size_t len = strlen(name), end_len = strlen(end);
    return len > end_len && strcmp(name + len - end_len, end) == 0;
}

/* Dotfiles, and what editors leave behind ("ai.json~", "ai.json.bak"), end the wrong way or start
 * with a dot. */
static int is_wanted(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && ends_with(entry->d_name, ".json");
}

/* Not alphasort(), which follows the locale. */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* The wanted entries in order, for free_entries(); none when there is no such folder. */
static uint32_t list_files(struct config_errors *errors, const char *path, const char *folder,
                           struct dirent ***entries)
{
    *entries = NULL;
    int n = scandir(path, entries, is_wanted, by_bytes);
    if (n < 0 && errno != ENOENT)
        config_errors_add(errors, folder, "", "cannot be read: %s", strerrordesc_np(errno));
    return n < 0 ? 0 : (uint32_t)n;
}

static void free_entries(struct dirent **entries, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        free(entries[i]);
    free(entries);
}

static struct config_doc *load_folder(struct config_dir *dir, struct config_errors *errors,
                                      const char *folder, uint32_t *n)
{
    struct dirent **entries;
    const char *path = base_arena_printf(&dir->arena, "%s/%s", dir->path, folder);
    uint32_t n_entries = list_files(errors, path, folder, &entries);
    uint32_t n_taken = n_entries < CONFIG_FILES_MAX ? n_entries : CONFIG_FILES_MAX;
    if (n_taken < n_entries)
        config_errors_add(errors, folder, "", "must have at most %d files", CONFIG_FILES_MAX);
    struct config_doc *docs = base_arena_array(&dir->arena, struct config_doc, n_taken);
    *n = 0;
    for (uint32_t i = 0; i < n_taken; i++) {
        const char *name = entries[i]->d_name;
        if (!config_is_utf8(name, strlen(name))) {
            config_errors_add(errors, folder, "", "a file has a name that is not UTF-8");
            continue;
        }
        const char *file = base_arena_printf(&dir->arena, "%s/%s", folder, name);
        /* What is wrong was reported, and shows as an empty document. */
        (void)!config_doc_load(&docs[(*n)++], errors, dir->path, file);
    }
    free_entries(entries, n_entries);
    return docs;
}

enum arcd_err config_dir_load(struct config_dir *dir, struct config_errors *errors,
                              const char *path, struct arcd_errinfo *why)
{
    *dir = (struct config_dir){0};
    base_arena_init(&dir->arena);
    dir->path = base_arena_strdup(&dir->arena, path);
    DIR *stream = opendir(path);
    if (stream == NULL)
        return errno == ENOENT || errno == ENOTDIR
                   ? arcd_fail(why, ARCD_ERR_NOTFOUND, errno, "there is no configuration folder %s",
                               path)
                   : arcd_fail_errno(why, errno, "the configuration folder %s cannot be read",
                                     path);
    closedir(stream);
    (void)!config_doc_load(&dir->driver, errors, path, "driver.json");
    dir->tasks = load_folder(dir, errors, "tasks", &dir->n_tasks);
    dir->automations = load_folder(dir, errors, "automations", &dir->n_automations);
    return ARCD_OK;
}

void config_dir_fini(struct config_dir *dir)
{
    for (uint32_t i = 0; i < dir->n_automations; i++)
        config_doc_fini(&dir->automations[i]);
    for (uint32_t i = 0; i < dir->n_tasks; i++)
        config_doc_fini(&dir->tasks[i]);
    config_doc_fini(&dir->driver);
    base_arena_fini(&dir->arena);
    *dir = (struct config_dir){0};
}
