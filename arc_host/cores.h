/* arc_host/cores.h - which core an automation runs on.
 *
 * Life cycle: cores_read (or cores_choose, for tests) -> cores_take -> cores_give ... (no fini).
 * One thread at a time, the supervisor's; only the load is read by others, at any time.
 *
 * The candidates are the cores that the kernel isolates; with none isolated, the last ones of the
 * process's affinity mask: 1 of 1 or 2, 2 of 3 or 4, 3 of 5 to 8, 4 of more. They are handed out
 * least-loaded first and, among equals, the highest number first: interrupts tend to be on the low
 * ones.
 */
#ifndef ARC_HOST_CORES_H
#define ARC_HOST_CORES_H

#include "base/err.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { ARC_HOST_CORE_ANY = -1 };

struct arc_host_cores {
    int cpus[CPU_SETSIZE]; /* the candidates, ascending */
    int n_cpus;
    bool isolated;                      /* they are the kernel's isolated cores */
    _Atomic uint32_t load[CPU_SETSIZE]; /* automations on each core, by its number */
};

/* "0,3-5,8-11:2/4" and the like, as the kernel writes lists of cores; "" and "\n" are the empty
 * list. False when it is not such a list; `set` is then empty. */
bool arc_host_cores_parse(const char *list, cpu_set_t *set);

/* The candidates out of the isolated cores and the process's affinity mask. */
void arc_host_cores_choose(struct arc_host_cores *cores, const cpu_set_t *isolated,
                           const cpu_set_t *allowed);

/* arc_host_cores_choose() with what this machine says. */
void arc_host_cores_read(struct arc_host_cores *cores);

/* The core for one more automation: `wanted` itself, or with ARC_HOST_CORE_ANY a candidate;
 * ARC_HOST_CORE_ANY when there is none. A wanted core that does not exist is found out
 * when the thread is pinned. */
int arc_host_cores_take(struct arc_host_cores *cores, int wanted);

/* Gives a taken core back; ARC_HOST_CORE_ANY is allowed. */
void arc_host_cores_give(struct arc_host_cores *cores, int cpu);

#endif
