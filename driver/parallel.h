/* driver/parallel.h - one function over many items, on a few threads, with a bound on the wait.
 *
 * For starting and stopping tasks: a device that takes its time holds up its own task only. Call
 * from one normal thread.
 */
#ifndef DRIVER_PARALLEL_H
#define DRIVER_PARALLEL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { DRIVER_PARALLEL_MAX = 64 };

/* Calls run(ctx, i) for i in 0 .. n-1 on at most n_threads threads and waits until all are done, at
 * most until deadline_mono_ns. finished[i] says which were done in time (NULL: no need to know).
 * False when some were not: their threads go on by themselves and `ctx` must stay valid for them.
 */
bool driver_parallel(size_t n, size_t n_threads, int64_t deadline_mono_ns,
                     void (*run)(void *ctx, size_t i), void *ctx, bool *finished);

#endif
