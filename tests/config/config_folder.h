/* tests/config/config_folder.h - a configuration folder in a temporary place, given to each test by
 * setup and teardown. Files are written by name, then the folder is loaded as a set. */
#ifndef TESTS_CONFIG_CONFIG_FOLDER_H
#define TESTS_CONFIG_CONFIG_FOLDER_H

#include "config/set.h"
#include "tests/support/test.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct config_folder {
    char path[32];
    struct config_errors errors;
    struct config_set set;
    char *issues; /* as printed */
};

static inline int config_folder_setup(void **state)
{
    struct config_folder *f = calloc(1, sizeof(*f));
    strcpy(f->path, "/tmp/arcd_test_XXXXXX");
    config_errors_init(&f->errors);
    *state = f;
    return mkdtemp(f->path) == NULL;
}

static inline int config_folder_remove_one(const char *path, const struct stat *info, int type,
                                           struct FTW *ftw)
{
    (void)info;
    (void)type;
    (void)ftw;
    return remove(path);
}

static inline int config_folder_teardown(void **state)
{
    struct config_folder *f = *state;
    config_set_fini(&f->set);
    config_errors_fini(&f->errors);
    nftw(f->path, config_folder_remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(f->issues);
    free(f);
    return 0;
}

/* "tasks/ai.json": the folder before the slash is made. */
static inline void config_folder_write_bytes(struct config_folder *f, const char *file,
                                             const char *text, size_t len)
{
    char path[512];
    const char *slash = strchr(file, '/');
    if (slash != NULL) {
        snprintf(path, sizeof(path), "%s/%.*s", f->path, (int)(slash - file), file);
        mkdir(path, 0700);
    }
    snprintf(path, sizeof(path), "%s/%s", f->path, file);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, len, out), len);
    fclose(out);
}

static inline void config_folder_write(struct config_folder *f, const char *file, const char *text)
{
    config_folder_write_bytes(f, file, text, strlen(text));
}

static const char *const config_folder_backends[] = {"ni", "modbus", "sim"};

static const struct config_task_type config_folder_types[] = {
    {.name = "ni_analog_read", .backend = "ni", .many_devices = true},
    {.name = "modbus_read", .backend = "modbus"},
    {.name = "modbus_write", .backend = "modbus", .writes = true},
    {.name = "sim_read", .backend = "sim"},
    {.name = "sim_write", .backend = "sim", .writes = true},
    {.name = "record"},
};

static inline bool config_folder_has_cpu(int64_t cpu)
{
    return cpu < 4;
}

/* A Driver that was built without Comedi, on a machine with four cores. */
static const struct config_known config_folder_known = {
    .backends = config_folder_backends,
    .n_backends = ARCD_COUNT_OF(config_folder_backends),
    .types = config_folder_types,
    .n_types = ARCD_COUNT_OF(config_folder_types),
    .cpu_is_online = config_folder_has_cpu};

/* Loads the folder (again) and returns everything that is wrong, as the user reads it. */
static inline const char *config_folder_load(struct config_folder *f)
{
    config_set_fini(&f->set);
    config_errors_fini(&f->errors);
    config_errors_init(&f->errors);
    struct arcd_errinfo why;
    assert_int_equal(config_set_load(&f->set, &f->errors, f->path, &config_folder_known, &why),
                     ARCD_OK);
    free(f->issues);
    size_t size;
    FILE *out = open_memstream(&f->issues, &size);
    config_errors_print(&f->errors, out);
    fclose(out);
    return f->issues;
}

#endif
