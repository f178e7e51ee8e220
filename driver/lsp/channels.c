#include "driver/lsp/channels.h"

#include "config/channel.h"
#include "driver/backends.h"

#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* One place that channels are read from. */
struct lsp_folder {
    struct lsp_folder *next;
    char *dir;                     /* NULL: the fixed file */
    uint64_t stamp;                /* of the files as they were read */
    struct lsp_channels *channels; /* never NULL */
};

/* ---- Reading ------------------------------------------------------------------------------ */

static struct lsp_channels *new_channels(struct lsp_sources *sources)
{
    struct lsp_channels *channels = calloc(1, sizeof *channels);
    ARCD_ASSERT(channels != NULL);
    channels->id = ++sources->last_id;
    base_arena_init(&channels->arena);
    return channels;
}

static void free_channels(struct lsp_channels *channels)
{
    if (channels == NULL)
        return;
    base_arena_fini(&channels->arena);
    free(channels);
}

/* Of a declaration in error only the name is sure, and its type if that can be read: that is
 * enough not to call the channel unknown. */
static bool type_of(struct config_at all, const struct config_channel *from, enum telem_type *type)
{
    *type = from->decl.type;
    if (!from->broken)
        return true;
    struct config_at at = config_member(config_member(all, from->decl.name), "type");
    *type = config_type(at) == CONFIG_JSON_STR ? telem_type_from_name(config_text(at))
                                               : TELEM_TYPE_COUNT;
    return *type != TELEM_TYPE_COUNT;
}

static const char *text_or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static void take(struct lsp_channels *to, struct config_at all, const struct config_channels *from)
{
    struct lsp_channel *v = base_arena_array(&to->arena, struct lsp_channel, from->n);
    size_t n = 0;
    for (uint32_t i = 0; i < from->n; i++) {
        const struct telem_chan_decl *decl = &from->v[i].decl;
        enum telem_type type;
        if (!type_of(all, &from->v[i], &type))
            continue;
        v[n++] = (struct lsp_channel){.name = decl->name,
                                      .type = type,
                                      .unit = text_or_empty(decl->unit),
                                      .desc = text_or_empty(decl->desc),
                                      .index = from->v[i].index,
                                      .is_index = decl->is_index,
                                      .is_virtual = decl->is_virtual};
    }
    to->v = v;
    to->n = n;
}

/* The object of channels in a document; a file may be a driver.json or only that object. */
static struct config_at channels_in(struct config_doc *doc, bool *is_driver)
{
    struct config_at root = config_root(doc);
    struct config_at inner = config_member(root, "channels");
    *is_driver = config_type(inner) == CONFIG_JSON_OBJECT && !config_has(inner, "type");
    return *is_driver ? inner : root;
}

static void note_problem(struct lsp_sources *sources, struct lsp_channels *channels,
                         const struct config_errors *errors)
{
    const struct config_issue *issue = errors->first;
    while (issue != NULL && issue->is_warning)
        issue = issue->next;
    if (issue == NULL)
        return;
    char line[512];
    config_issue_format(issue, line, sizeof line);
    channels->problem = base_arena_strdup(&channels->arena, line);
    channels->problem_id = ++sources->last_id;
}

static void take_document(struct lsp_channels *channels, struct config_doc *doc, bool is_folder)
{
    struct config_channels declared = {0};
    struct config_at all;
    if (is_folder) {
        channels->is_driver = true;
        all = config_member(config_root(doc), "channels");
    } else {
        all = channels_in(doc, &channels->is_driver);
    }
    (void)config_channels_read(all, &channels->arena, &declared);
    take(channels, all, &declared);
}

/* ---- What the tasks measure --------------------------------------------------------------- */

static int by_name(const void *key, const void *elem)
{
    return strcmp(key, ((const struct lsp_channel *)elem)->name);
}

static struct lsp_channel *find(const struct lsp_channels *channels, const char *name)
{
    if (channels->n == 0)
        return NULL;
    return bsearch(name, channels->v, channels->n, sizeof *channels->v, by_name);
}

/* With its index, which carries the timestamps of what is measured. */
static void mark_measured(struct lsp_channels *channels, struct config_at name)
{
    if (config_type(name) != CONFIG_JSON_STR)
        return;
    struct lsp_channel *channel = find(channels, config_text(name));
    if (channel == NULL)
        return;
    channel->is_measured = true;
    struct lsp_channel *index = channel->index != NULL ? find(channels, channel->index) : NULL;
    if (index != NULL)
        index->is_measured = true;
}

static bool is_enabled(struct config_at element)
{
    struct config_at enabled = config_member(element, "enabled");
    return config_type(enabled) != CONFIG_JSON_BOOL || config_bool(enabled);
}

static void mark_task(struct lsp_channels *channels, struct config_doc *doc)
{
    const struct hw_driver *driver;
    const struct hw_task_type *type;
    struct config_at root = config_root(doc);
    struct config_at type_name = config_member(root, "type");
    struct config_at list = config_member(root, "channels");
    if (config_type(type_name) != CONFIG_JSON_STR || config_type(list) != CONFIG_JSON_ARRAY ||
        !driver_backend_find_task_type(config_text(type_name), &driver, &type))
        return;
    const char *field = type->direction == HW_READ ? "channel" : "state_channel";
    for (uint32_t i = 0; i < config_count(list); i++) {
        struct config_at element = config_element(list, i);
        if (is_enabled(element))
            mark_measured(channels, config_member(element, field));
    }
}

static int is_task_file(const struct dirent *entry)
{
    const char *name = entry->d_name;
    size_t len = strlen(name);
    return name[0] != '.' && len > 5 && strcmp(name + len - 5, ".json") == 0;
}

/* The names of a folder's task files, in the arena. */
static size_t list_tasks(struct base_arena *arena, const char *tasks, const char ***names)
{
    struct dirent **entries;
    int n = scandir(tasks, &entries, is_task_file, alphasort);
    if (n < 0)
        return 0;
    *names = base_arena_array(arena, const char *, (size_t)n);
    for (int i = 0; i < n; i++) {
        (*names)[i] = base_arena_strdup(arena, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return (size_t)n;
}

/* What is wrong with a task is not this server's to tell. */
static void mark_tasks(struct lsp_channels *channels, const char *dir, struct config_errors *errors)
{
    char *tasks = base_arena_printf(&channels->arena, "%s/tasks", dir);
    const char **names = NULL;
    size_t n = list_tasks(&channels->arena, tasks, &names);
    for (size_t i = 0; i < n; i++) {
        struct config_doc doc;
        if (config_doc_load(&doc, errors, tasks, names[i]) == ARCD_OK)
            mark_task(channels, &doc);
        config_doc_fini(&doc);
    }
}

/* ---- The compiler's table ----------------------------------------------------------------- */

static void make_table(struct lsp_channels *channels)
{
    struct arc_chan_info *infos =
        base_arena_array(&channels->arena, struct arc_chan_info, channels->n);
    for (size_t i = 0; i < channels->n; i++) {
        const struct lsp_channel *from = &channels->v[i];
        infos[i] =
            (struct arc_chan_info){from->name, from->type, from->is_measured || from->is_index};
    }
    channels->table = (struct arc_chan_table){infos, channels->n};
}

const struct lsp_channel *lsp_channels_find(const struct lsp_channels *channels, const char *name,
                                            size_t len)
{
    size_t low = 0, high = channels->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *other = channels->v[middle].name;
        int order = strncmp(other, name, len);
        if (order == 0 && other[len] != '\0')
            order = 1;
        if (order == 0)
            return &channels->v[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* ---- One source --------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        hash = (hash ^ (value >> (8 * i) & 0xFF)) * UINT64_C(1099511628211);
    return hash;
}

/* A file that was written again differs in at least one of these. */
static uint64_t stamp_file(const char *path)
{
    struct stat st;
    uint64_t hash = UINT64_C(14695981039346656037);
    if (stat(path, &st) != 0)
        return hash;
    hash = mix(hash, (uint64_t)st.st_dev);
    hash = mix(hash, (uint64_t)st.st_ino);
    hash = mix(hash, (uint64_t)st.st_size);
    hash = mix(hash, (uint64_t)st.st_mtim.tv_sec);
    return mix(hash, (uint64_t)st.st_mtim.tv_nsec);
}

/* The order of a folder's entries is the file system's: a sum does not depend on it. */
static uint64_t stamp_tasks(struct base_arena *arena, const char *dir)
{
    const char *tasks = base_arena_printf(arena, "%s/tasks", dir);
    const char **names = NULL;
    size_t n = list_tasks(arena, tasks, &names);
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += stamp_file(base_arena_printf(arena, "%s/%s", tasks, names[i]));
    return sum;
}

static uint64_t stamp(const struct lsp_sources *sources, const struct lsp_folder *folder)
{
    if (folder->dir == NULL)
        return stamp_file(sources->fixed_file);
    struct base_arena arena;
    base_arena_init(&arena);
    uint64_t all = mix(stamp_file(base_arena_printf(&arena, "%s/driver.json", folder->dir)),
                       stamp_tasks(&arena, folder->dir));
    base_arena_fini(&arena);
    return all;
}

/* Takes over the channels of the folder before, when the file cannot be read now. */
static struct lsp_channels *load(struct lsp_sources *sources, const char *dir,
                                 struct lsp_channels *before)
{
    struct lsp_channels *channels = new_channels(sources);
    struct config_errors errors;
    struct config_doc doc;
    const char *file = dir != NULL ? "driver.json" : sources->fixed_file;
    config_errors_init(&errors);
    bool is_read = config_doc_load(&doc, &errors, dir != NULL ? dir : ".", file) == ARCD_OK;
    if (is_read)
        take_document(channels, &doc, dir != NULL);
    config_doc_fini(&doc);
    if (!is_read && before != NULL) {
        note_problem(sources, before, &errors);
        free_channels(channels);
        channels = before;
    } else {
        free_channels(before);
        note_problem(sources, channels, &errors);
        channels->file = dir != NULL ? base_arena_printf(&channels->arena, "%s/%s", dir, file)
                                     : base_arena_strdup(&channels->arena, file);
        if (dir != NULL)
            mark_tasks(channels, dir, &errors);
        make_table(channels);
    }
    config_errors_fini(&errors);
    return channels;
}

/* ---- All sources -------------------------------------------------------------------------- */

void lsp_sources_init(struct lsp_sources *sources, const char *fixed_file)
{
    *sources = (struct lsp_sources){.fixed_file = fixed_file};
    sources->none = new_channels(sources);
    sources->none->problem = "no driver.json in a folder above the program: it has no channels";
    sources->none->problem_id = ++sources->last_id;
}

static void free_folder(struct lsp_folder *folder)
{
    free_channels(folder->channels);
    free(folder->dir);
    free(folder);
}

void lsp_sources_fini(struct lsp_sources *sources)
{
    for (struct lsp_folder *next; sources->folders != NULL; sources->folders = next) {
        next = sources->folders->next;
        free_folder(sources->folders);
    }
    free_channels(sources->fixed);
    free_channels(sources->none);
}

bool lsp_sources_fix(struct lsp_sources *sources, const struct json_t *channels)
{
    char *text = json_dumps(channels, JSON_COMPACT);
    if (text == NULL || !json_is_object(channels)) {
        free(text);
        return false;
    }
    struct config_errors errors;
    struct config_doc doc;
    config_errors_init(&errors);
    free_channels(sources->fixed);
    sources->fixed = new_channels(sources);
    if (config_doc_parse(&doc, &errors, "initializationOptions", text, strlen(text)) == ARCD_OK)
        take_document(sources->fixed, &doc, false);
    note_problem(sources, sources->fixed, &errors);
    make_table(sources->fixed);
    config_doc_fini(&doc);
    config_errors_fini(&errors);
    free(text);
    return true;
}

/* The nearest folder above the file that has a driver.json; NULL: none. For free(). */
static char *folder_above(const char *path)
{
    static const char name[] = "/driver.json";
    size_t len = strlen(path);
    char *at = malloc(len + sizeof name);
    ARCD_ASSERT(at != NULL);
    memcpy(at, path, len + 1);
    for (char *slash; (slash = strrchr(at, '/')) != NULL;) {
        struct stat st;
        memcpy(slash, name, sizeof name);
        bool is_there = stat(at, &st) == 0 && S_ISREG(st.st_mode);
        *slash = '\0';
        if (is_there)
            return at;
    }
    free(at);
    return NULL;
}

static void forget_the_oldest(struct lsp_sources *sources)
{
    struct lsp_folder **last = &sources->folders;
    while (*last != NULL && (*last)->next != NULL)
        last = &(*last)->next;
    if (*last == NULL)
        return;
    free_folder(*last);
    *last = NULL;
    sources->n_folders--;
}

/* Takes `dir`. */
static const struct lsp_channels *of_folder(struct lsp_sources *sources, char *dir)
{
    for (struct lsp_folder *f = sources->folders; f != NULL; f = f->next) {
        bool is_same = dir == NULL ? f->dir == NULL : f->dir != NULL && strcmp(f->dir, dir) == 0;
        if (!is_same)
            continue;
        free(dir);
        return f->channels;
    }
    if (sources->n_folders == LSP_FOLDERS_MAX)
        forget_the_oldest(sources);
    struct lsp_folder *folder = calloc(1, sizeof *folder);
    ARCD_ASSERT(folder != NULL);
    *folder = (struct lsp_folder){.next = sources->folders, .dir = dir};
    folder->stamp = stamp(sources, folder);
    folder->channels = load(sources, dir, NULL);
    sources->folders = folder;
    sources->n_folders++;
    return folder->channels;
}

const struct lsp_channels *lsp_sources_of(struct lsp_sources *sources, const char *path)
{
    if (sources->fixed != NULL)
        return sources->fixed;
    if (sources->fixed_file != NULL)
        return of_folder(sources, NULL);
    char *dir = path != NULL ? folder_above(path) : NULL;
    return dir != NULL ? of_folder(sources, dir) : sources->none;
}

void lsp_sources_refresh(struct lsp_sources *sources)
{
    for (struct lsp_folder *f = sources->folders; f != NULL; f = f->next) {
        uint64_t now = stamp(sources, f);
        if (now == f->stamp)
            continue;
        f->stamp = now;
        f->channels = load(sources, f->dir, f->channels);
    }
}
