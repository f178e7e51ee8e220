/* arc_host/idle.h - keeps cores out of deep idle states while somebody needs them awake.
 *
 * Life cycle: idle_init -> idle_hold -> idle_release ... -> idle_fini.
 * Threads: any normal one; hold and release lock. Never a real-time thread.
 *
 * Linux takes a latency limit from whoever holds /dev/cpu_dma_latency open, and forgets it when the
 * file is closed. So the file is open exactly while there is a holder, with a limit of 0 us in it.
 */
#ifndef ARC_HOST_IDLE_H
#define ARC_HOST_IDLE_H

#include "base/err.h"

#include <pthread.h>
#include <stdbool.h>

struct arc_host_idle {
    pthread_mutex_t lock;
    const char *path;
    int fd; /* -1: not open */
    uint32_t holders;
};

/* path: NULL for /dev/cpu_dma_latency. The text must outlive the object. */
void arc_host_idle_init(struct arc_host_idle *idle, const char *path);

/* Closes the file also when there are holders left. */
void arc_host_idle_fini(struct arc_host_idle *idle);

/* One more holder, also when it fails: every hold has its release. An error means that the cores go
 * on sleeping as deep as they like, and `why` says what to do; the next hold tries again. */
ARCD_MUST_CHECK enum arcd_err arc_host_idle_hold(struct arc_host_idle *idle,
                                                 struct arcd_errinfo *why);
void arc_host_idle_release(struct arc_host_idle *idle);

/* True while the limit is in force. */
bool arc_host_idle_is_held(struct arc_host_idle *idle);

#endif
