#include "config/dir.h"

#include "config/doc_priv.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct names {
    char **v; /* malloc'd, each too */
    uint32_t n, room;
};

static bool ends_with(const char *name, const char *end)
{
    size_t len = strlen(name), end_len = strlen(end);
    return len > end_len && strcmp(name + len - end_len, end) == 0;
}

/* Dotfiles, and what editors leave behind ("ai.json~", "ai.json.bak"), end the wrong way or start
 * with a dot. */
static bool is_wanted(const char *name)
{
    return name[0] != '.' && ends_with(name, ".json");
}

static void add_name(struct names *names, const char *name)
{
    if (names->n == names->room) {
        names->room = names->room > 0 ? 2 * names->room : 16;
        names->v = realloc(names->v, names->room * sizeof(*names->v));
        ARCD_ASSERT(names->v != NULL);
    }
    names->v[names->n] = strdup(name);
    ARCD_ASSERT(names->v[names->n] != NULL);
    names->n++;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_files(struct config_errors *errors, const char *path, const char *folder,
                       struct names *names)
{
    DIR *stream = opendir(path);
    if (stream == NULL) {
        if (errno != ENOENT)
            config_errors_add(errors, folder, "", "cannot be read: %s", strerrordesc_np(errno));
        return;
    }
    for (const struct dirent *entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
        if (!is_wanted(entry->d_name))
            continue;
        if (!config_is_utf8(entry->d_name, strlen(entry->d_name))) {
            config_errors_add(errors, folder, "", "a file has a name that is not UTF-8");
            continue;
        }
        if (names->n == CONFIG_FILES_MAX) {
            config_errors_add(errors, folder, "", "must have at most %d files", CONFIG_FILES_MAX);
            break;
        }
        add_name(names, entry->d_name);
    }
    closedir(stream);
    if (names->n > 0)
        qsort(names->v, names->n, sizeof(*names->v), by_bytes);
}

static struct config_doc *load_folder(struct config_dir *dir, struct config_errors *errors,
                                      const char *folder, uint32_t *n)
{
    struct names names = {0};
    list_files(errors, base_arena_printf(&dir->arena, "%s/%s", dir->path, folder), folder, &names);
    struct config_doc *docs = base_arena_array(&dir->arena, struct config_doc, names.n);
    for (uint32_t i = 0; i < names.n; i++) {
        const char *file = base_arena_printf(&dir->arena, "%s/%s", folder, names.v[i]);
        /* What is wrong was reported, and shows as an empty document. */
        (void)!config_doc_load(&docs[i], errors, dir->path, file);
        free(names.v[i]);
    }
    free(names.v);
    *n = names.n;
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
