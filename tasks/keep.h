/* tasks/keep.h - a few named numbers of one task that outlive the Driver: kept tares, last outputs.
 *
 * keep_write -> ... the next run: keep_read. A file is written beside the old one, synced, and
 * renamed over it, so that a crash leaves either the old or the new; a damaged file is said so and
 * read as empty. Text, one value a line, with a check sum as the last. Normal threads only.
 */
#ifndef TASKS_KEEP_H
#define TASKS_KEEP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct tasks_kept {
    const char *name; /* of the channel */
    double value;
    bool is_set; /* false: not written; from read: the file did not have it */
};

/* The file of a task in dir: `kind` is "tare" or "last"; the task's name may hold any character. */
ARCD_MUST_CHECK enum arcd_err tasks_keep_write(const char *dir, const char *task, const char *kind,
                                               const struct tasks_kept *values, size_t n,
                                               struct arcd_errinfo *why);

/* Fills value and is_set of the names given. No file: OK, nothing set. CONFIG: damaged, nothing
 * set. */
ARCD_MUST_CHECK enum arcd_err tasks_keep_read(const char *dir, const char *task, const char *kind,
                                              struct tasks_kept *values, size_t n,
                                              struct arcd_errinfo *why);

#endif
