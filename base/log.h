/* base/log.h - the log: one line an event, on stderr or in a file that rotates.
 *
 * Life cycle: log_open -> log_write ... -> log_close.
 * Threads: any normal thread. Never a real-time thread or a task's loop: it locks and writes; those
 * put fixed records in their status rings and another thread makes the words. A line that cannot be
 * written is counted, never waited for.
 *
 *   warning 2026-03-01T12:00:00.123456Z tasks [Tank in] cannot keep 1000 Hz ...
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/err.h"

#include <stdbool.h>

enum base_log_level {
    BASE_LOG_ERROR,
    BASE_LOG_WARNING,
    BASE_LOG_INFO,
    BASE_LOG_DEBUG,
    BASE_LOG_TRACE
};

struct base_log;

struct base_log_opts {
    enum base_log_level level;
    const char *file; /* NULL or "": stderr */
    uint32_t max_mb;  /* of one file; 0: no rotation */
    uint32_t keep;    /* older files kept: FILE.1 ... FILE.keep */
    bool json;        /* one JSON object a line */
    bool color;       /* the level in colour; callers decide by isatty() and NO_COLOR */
};

ARCD_MUST_CHECK enum arcd_err base_log_open(const struct base_log_opts *opts, struct base_log **log,
                                            struct arcd_errinfo *why);
void base_log_close(struct base_log *log);

/* One line. `topic` is the folder that speaks ("tasks"), `about` the task, automation or device, or
 * NULL. A NULL log is silence. */
void base_log_write(struct base_log *log, enum base_log_level level, const char *topic,
                    const char *about, const char *fmt, ...) ARCD_PRINTF(5, 6);

bool base_log_wants(const struct base_log *log, enum base_log_level level);

/* Live: from now on, for everything or for one task (about == NULL: everything). */
void base_log_set_level(struct base_log *log, const char *about, enum base_log_level level);

/* Lines that could not be written since open. */
uint64_t base_log_lost(const struct base_log *log);

const char *base_log_level_name(enum base_log_level level);
/* False when the name is none of error, warning, info, debug, trace. */
bool base_log_level_from_name(const char *name, enum base_log_level *level);

#endif
