/* arcd-state 1
 * tank_temp 0x1.8p+4        numbers in hexadecimal: exact, and the same in every locale
 * sum 0123456789abcdef      FNV-1a of all lines before */
#include "tasks/keep.h"

#include "base/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER "arcd-state 1\n"

enum { FILE_MAX = 1024 * 1024 };

/* dir/<task>.<kind>, with what a file name cannot hold as %XX. For the caller to free. */
static char *path_of(const char *dir, const char *task, const char *kind, const char *suffix)
{
    char *path = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&path, &size);
    ARCD_ASSERT(file != NULL);
    fprintf(file, "%s/", dir);
    for (const unsigned char *c = (const unsigned char *)task; *c != '\0'; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || *c == '_' || *c == '-';
        if (plain)
            fputc(*c, file);
        else
            fprintf(file, "%%%02X", *c);
    }
    fprintf(file, ".%s%s", kind, suffix);
    fclose(file);
    return path;
}

static uint64_t sum_of(const char *text, size_t n)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static bool write_all(int fd, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t put = write(fd, text, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        text += put;
        n -= (size_t)put;
    }
    return fsync(fd) == 0;
}

/* The rename itself is on the disk only when the folder is. */
static bool sync_dir(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = fsync(fd) == 0;
    close(fd);
    return ok;
}

static enum arcd_err replace(const char *dir, const char *path, const char *temp, const char *text,
                             size_t n, struct arcd_errinfo *why)
{
    int fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return arcd_fail_errno(why, errno, "cannot write %s", temp);
    bool ok = write_all(fd, text, n);
    int errnum = errno;
    close(fd);
    if (!ok) {
        unlink(temp);
        return arcd_fail_errno(why, errnum, "cannot write %s", temp);
    }
    if (rename(temp, path) != 0 || !sync_dir(dir))
        return arcd_fail_errno(why, errno, "cannot write %s", path);
    return ARCD_OK;
}

/* The text of the file, for the caller to free. */
static char *compose(const struct tasks_kept *values, size_t n, size_t *size)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, size);
    ARCD_ASSERT(file != NULL);
    fputs(HEADER, file);
    for (size_t i = 0; i < n; i++)
        if (values[i].is_set)
            fprintf(file, "%s %a\n", values[i].name, values[i].value);
    fflush(file);
    fprintf(file, "sum %016" PRIx64 "\n", sum_of(text, *size));
    fclose(file);
    return text;
}

enum arcd_err tasks_keep_write(const char *dir, const char *task, const char *kind,
                               const struct tasks_kept *values, size_t n, struct arcd_errinfo *why)
{
    char *path = path_of(dir, task, kind, ""), *temp = path_of(dir, task, kind, ".tmp");
    size_t size = 0;
    char *text = compose(values, n, &size);
    enum arcd_err err = replace(dir, path, temp, text, size, why);
    free(text);
    free(temp);
    free(path);
    return err;
}

/* ---- Reading */

/* The whole file, NUL-terminated, for the caller to free; NULL with errno. */
static char *load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return NULL;
    char *text = malloc(FILE_MAX + 1);
    ARCD_ASSERT(text != NULL);
    *size = fread(text, 1, FILE_MAX, file);
    text[*size] = '\0';
    fclose(file);
    return text;
}

/* Cuts the last line off a file whose sum is right; false: damaged. */
static bool check(char *text, size_t size)
{
    enum { SUM_LINE = sizeof "sum 0123456789abcdef\n" - 1 };
    if (size < sizeof HEADER - 1 + SUM_LINE || strlen(text) != size ||
        strncmp(text, HEADER, sizeof HEADER - 1) != 0)
        return false;
    char *last = text + size - SUM_LINE;
    char expected[SUM_LINE + 1];
    snprintf(expected, sizeof expected, "sum %016" PRIx64 "\n", sum_of(text, size - SUM_LINE));
    bool ok = strcmp(last, expected) == 0;
    *last = '\0';
    return ok;
}

static void take_line(const char *line, struct tasks_kept *values, size_t n)
{
    const char *space = strchr(line, ' ');
    if (space == NULL)
        return;
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(values[i].name);
        if (len == (size_t)(space - line) && strncmp(line, values[i].name, len) == 0) {
            values[i].value = strtod(space + 1, NULL);
            values[i].is_set = true;
        }
    }
}

static enum arcd_err read_file(const char *path, struct tasks_kept *values, size_t n,
                               struct arcd_errinfo *why)
{
    size_t size = 0;
    char *text = load(path, &size);
    if (text == NULL)
        return errno == ENOENT ? ARCD_OK : arcd_fail_errno(why, errno, "cannot read %s", path);
    bool ok = check(text, size);
    char *rest = text + sizeof HEADER - 1;
    for (char *line; ok && (line = strsep(&rest, "\n")) != NULL;)
        take_line(line, values, n);
    free(text);
    return ok ? ARCD_OK
              : arcd_fail(why, ARCD_ERR_CONFIG, 0, "%s is damaged and was not read", path);
}

enum arcd_err tasks_keep_read(const char *dir, const char *task, const char *kind,
                              struct tasks_kept *values, size_t n, struct arcd_errinfo *why)
{
    for (size_t i = 0; i < n; i++)
        values[i].is_set = false;
    char *path = path_of(dir, task, kind, "");
    enum arcd_err err = read_file(path, values, n, why);
    free(path);
    return err;
}
