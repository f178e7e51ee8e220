/* tasks/recovery.h - what to do about a call of the device that failed.
 *
 * Temporary errors are retried after a growing wait; an error that asks for a restart gets one at
 * once, and counts as temporary when it comes again within 10 s; all others end the task. What is
 * decided is also said on the task's board.
 *
 * Life cycle: recovery_init -> recovery_begin (each start) -> recovery_failed | recovery_worked,
 * after every call of the device. One thread, the task's.
 */
#ifndef TASKS_RECOVERY_H
#define TASKS_RECOVERY_H

#include "hw/hw.h"
#include "tasks/backoff.h"
#include "tasks/status.h"

#define TASKS_RESTART_WINDOW_NS (10 * BASE_NS_PER_S)

enum tasks_verdict {
    TASKS_WAIT,    /* try again at recovery->due_mono */
    TASKS_RESTART, /* stop and start the hardware now */
    TASKS_GIVE_UP, /* the task ends, faulted */
};

struct tasks_recovery {
    struct tasks_board *board;
    struct tasks_backoff backoff;
    uint32_t n_paced; /* failures in a row whose retries the device paces itself */
    bool has_restarted;
    int64_t restarted_mono;
    int64_t due_mono;
};

void tasks_recovery_init(struct tasks_recovery *recovery, struct tasks_board *board,
                         const struct tasks_retry *retry, uint64_t seed);
ARCD_STEADY void tasks_recovery_begin(struct tasks_recovery *recovery);

/* `cls` is not HW_NOMINAL. Counts the failure, and the restart. */
ARCD_STEADY enum tasks_verdict tasks_recovery_failed(struct tasks_recovery *recovery,
                                                     enum hw_class cls,
                                                     const struct hw_error *error, int64_t mono_ns);
ARCD_STEADY void tasks_recovery_worked(struct tasks_recovery *recovery);

#endif
