/* A line is formatted on the caller's stack and written with one write(2) under the lock, so that
 * lines never mix and a crash loses none. Rotation happens when a line would make the file too
 * large. */
#include "base/log.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 1408, MAX_ABOUT_LEVELS = 64, MAX_PATH_BYTES = 512 };

struct about_level {
    char about[72];
    enum base_log_level level;
};

struct base_log {
    pthread_mutex_t lock;
    int fd;
    bool owns_fd, json, color;
    char path[MAX_PATH_BYTES];
    uint64_t max_bytes, size_bytes;
    uint32_t keep;
    _Atomic int level;         /* of everything without a level of its own */
    _Atomic int highest_level; /* of any: the quick test in base_log_wants() */
    _Atomic uint64_t lost;
    struct about_level abouts[MAX_ABOUT_LEVELS];
    size_t n_abouts;
};

static const char *const level_names[] = {"error", "warning", "info", "debug", "trace"};
static const char *const level_colors[] = {"\033[31m", "\033[33m", "", "\033[2m", "\033[2m"};

const char *base_log_level_name(enum base_log_level level)
{
    return level_names[level];
}

bool base_log_level_from_name(const char *name, enum base_log_level *level)
{
    for (size_t i = 0; i < ARCD_COUNT_OF(level_names); i++) {
        if (strcmp(name, level_names[i]) == 0) {
            *level = (enum base_log_level)i;
            return true;
        }
    }
    return false;
}

static enum arcd_err open_file(struct base_log *log, struct arcd_errinfo *why)
{
    int fd = open(log->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    if (fd < 0)
        return arcd_fail_errno(why, errno, "cannot open the log file %s", log->path);
    struct stat st;
    log->size_bytes = fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0;
    log->fd = fd;
    log->owns_fd = true;
    return ARCD_OK;
}

enum arcd_err base_log_open(const struct base_log_opts *opts, struct base_log **out,
                            struct arcd_errinfo *why)
{
    struct base_log *log = calloc(1, sizeof *log);
    if (log == NULL)
        return arcd_fail(why, ARCD_ERR_NOMEM, 0, "out of memory for the log");
    pthread_mutex_init(&log->lock, NULL);
    log->fd = STDERR_FILENO;
    log->json = opts->json;
    log->color = opts->color && !opts->json;
    log->max_bytes = (uint64_t)opts->max_mb << 20;
    log->keep = opts->keep;
    atomic_init(&log->level, (int)opts->level);
    atomic_init(&log->highest_level, (int)opts->level);
    if (opts->file != NULL && opts->file[0] != '\0') {
        if ((size_t)snprintf(log->path, sizeof log->path, "%s", opts->file) >=
            sizeof log->path - 16) {
            base_log_close(log);
            return arcd_fail(why, ARCD_ERR_INVALID, 0, "the path of the log file is too long");
        }
        enum arcd_err err = open_file(log, why);
        if (err != ARCD_OK) {
            base_log_close(log);
            return err;
        }
    }
    *out = log;
    return ARCD_OK;
}

void base_log_close(struct base_log *log)
{
    if (log == NULL)
        return;
    if (log->owns_fd)
        close(log->fd);
    pthread_mutex_destroy(&log->lock);
    free(log);
}

bool base_log_wants(const struct base_log *log, enum base_log_level level)
{
    return log != NULL && (int)level <= atomic_load(&log->highest_level);
}

/* Called with the lock held. */
static enum base_log_level level_of(const struct base_log *log, const char *about)
{
    for (size_t i = 0; about != NULL && i < log->n_abouts; i++)
        if (strcmp(log->abouts[i].about, about) == 0)
            return log->abouts[i].level;
    return (enum base_log_level)atomic_load(&log->level);
}

void base_log_set_level(struct base_log *log, const char *about, enum base_log_level level)
{
    if (log == NULL)
        return;
    pthread_mutex_lock(&log->lock);
    if (about == NULL) {
        atomic_store(&log->level, (int)level);
    } else {
        size_t i = 0;
        while (i < log->n_abouts && strcmp(log->abouts[i].about, about) != 0)
            i++;
        if (i < MAX_ABOUT_LEVELS) {
            snprintf(log->abouts[i].about, sizeof log->abouts[i].about, "%s", about);
            log->abouts[i].level = level;
            log->n_abouts = i == log->n_abouts ? i + 1 : log->n_abouts;
        }
    }
    int highest = atomic_load(&log->level);
    for (size_t i = 0; i < log->n_abouts; i++)
        if ((int)log->abouts[i].level > highest)
            highest = (int)log->abouts[i].level;
    atomic_store(&log->highest_level, highest);
    pthread_mutex_unlock(&log->lock);
}

uint64_t base_log_lost(const struct base_log *log)
{
    return log != NULL ? atomic_load(&log->lost) : 0;
}

/* FILE.keep-1 -> FILE.keep, ..., FILE -> FILE.1, and a new FILE. Called with the lock held. */
static void rotate(struct base_log *log)
{
    char from[MAX_PATH_BYTES + 16], to[MAX_PATH_BYTES + 16];
    close(log->fd);
    for (uint32_t i = log->keep; i >= 1; i--) {
        snprintf(to, sizeof to, "%s.%u", log->path, i);
        if (i == 1)
            snprintf(from, sizeof from, "%s", log->path);
        else
            snprintf(from, sizeof from, "%s.%u", log->path, i - 1);
        (void)rename(from, to); /* the older one may not exist yet */
    }
    if (log->keep == 0)
        (void)unlink(log->path);
    if (open_file(log, NULL) != ARCD_OK) {
        log->fd = STDERR_FILENO;
        log->owns_fd = false;
    }
}

static void write_line(struct base_log *log, const char *line, size_t len)
{
    if (log->owns_fd && log->max_bytes != 0 && log->size_bytes + len > log->max_bytes)
        rotate(log);
    ssize_t n;
    do {
        n = write(log->fd, line, len);
    } while (n < 0 && errno == EINTR);
    if (n != (ssize_t)len)
        atomic_fetch_add(&log->lost, 1);
    else
        log->size_bytes += len;
}

static void format_time(char *buf, size_t size)
{
    int64_t now = base_utc_ns();
    time_t seconds = (time_t)(now / BASE_NS_PER_S);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    size_t n = strftime(buf, size, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(buf + n, size - n, ".%06dZ", (int)(now % BASE_NS_PER_S / 1000));
}

/* Text as the inside of a JSON string, cut when it does not fit. */
static void escape_json(char *out, size_t size, const char *text)
{
    size_t n = 0;
    for (; *text != '\0' && n + 7 < size; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            n += (size_t)snprintf(out + n, size - n, "\\%c", c);
        else if (c < 0x20)
            n += (size_t)snprintf(out + n, size - n, "\\u%04x", c);
        else
            out[n++] = (char)c;
    }
    out[n] = '\0';
}

static int format_json(char *line, enum base_log_level level, const char *when, const char *topic,
                       const char *about, const char *text)
{
    char safe_about[160], safe_text[LINE_BYTES - 512];
    escape_json(safe_about, sizeof safe_about, about != NULL ? about : "");
    escape_json(safe_text, sizeof safe_text, text);
    return snprintf(
        line, LINE_BYTES,
        "{\"level\":\"%s\",\"time\":\"%s\",\"topic\":\"%s\",\"about\":\"%s\",\"text\":\"%s\"}\n",
        level_names[level], when, topic, safe_about, safe_text);
}

static int format_text(const struct base_log *log, char *line, enum base_log_level level,
                       const char *when, const char *topic, const char *about, const char *text)
{
    const char *on = log->color ? level_colors[level] : "";
    return snprintf(line, LINE_BYTES, "%s%s%s %s %s%s%s%s %s\n", on, level_names[level],
                    *on ? "\033[0m" : "", when, topic, about ? " [" : "", about ? about : "",
                    about ? "]" : "", text);
}

void base_log_write(struct base_log *log, enum base_log_level level, const char *topic,
                    const char *about, const char *fmt, ...)
{
    if (!base_log_wants(log, level))
        return;
    char text[LINE_BYTES - 640], when[40], line[LINE_BYTES];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    format_time(when, sizeof when);
    pthread_mutex_lock(&log->lock);
    if (level <= level_of(log, about)) {
        int len = log->json ? format_json(line, level, when, topic, about, text)
                            : format_text(log, line, level, when, topic, about, text);
        if (len >= LINE_BYTES) {
            len = LINE_BYTES - 1;
            line[len - 1] = '\n';
        }
        write_line(log, line, (size_t)len);
    }
    pthread_mutex_unlock(&log->lock);
}
