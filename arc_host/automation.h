/* arc_host/automation.h - one automation: an Arc program on a thread of its own, with its ends on
 * the bus.
 *
 * Life cycle: automation_new -> start -> service, service ... -> stop -> [start ...] -> free.
 *             While it runs: swap (a new image), set_level, reset_timing.
 *
 *        supervisor                                          the automation's thread
 *   start: opens writer and reader, makes the program ----> affinity, priority, stack touched
 *   service, 1 to 10 times a second:                         cycles (arc_host/loop.h)
 *     answers status.set, publishes the statistic channels,   |
 *     says in the log what was missed, dropped, lost          |
 *   swap: a program made beside is handed over ------------> taken between two cycles
 *   stop: -------------------------------------------------> finishes its cycle; writers released
 *
 * A fault of the program ends its cycles: the thread leaves its real-time part, releases its
 * writers and calls env->stopped(), so that whoever commands hardware can make it safe at once. The
 * state is then FAULT until a start begins from scratch.
 *
 * Threads: new, start, stop, swap, set_level, service and free belong to one thread at a time, the
 * supervisor's. state, info, timing and reset_timing may be called by any thread but a real-time
 * one: nothing that they do holds up the automation's thread. Texts and arrays in options are
 * copied; image, bus, cores, idle, log and bells must outlive the automation (an image that was
 * swapped out: until swap has returned).
 */
#ifndef ARC_HOST_AUTOMATION_H
#define ARC_HOST_AUTOMATION_H

#include "arc_host/cores.h"
#include "arc_host/idle.h"
#include "arc_host/loop.h"
#include "base/log.h"
#include "base/rt.h"

enum {
    ARC_HOST_AUTOMATION_PRIORITY = 47,
    ARC_HOST_AUTOMATION_QUEUE = 64, /* batches per publisher */
};

struct arc_host_automation;

/* What all automations of one Driver share. */
struct arc_host_env {
    struct telem_bus *bus;
    struct arc_host_cores *cores;
    struct arc_host_idle *idle;
    struct base_log *log;       /* NULL: silence */
    struct base_doorbell *bell; /* rung when service has something to do now; NULL: none */

    /* The program stopped with a fault, for the reason `why`. On the automation's thread, after its
     * real-time part: it may lock, but should be short. Its writers are released. NULL: nobody. */
    void (*stopped)(void *ctx, const char *automation, const char *why);

    /* What a channel of numbers holds when a program starts, see arc_host/ports.h. NULL: zero. */
    bool (*newest)(void *ctx, struct telem_key key, union telem_value *value);

    /* A status.set. False: it failed, with a reason for the log in `why`; else the key of the
     * status (NUL-terminated, at most ARC_HOST_LOOP_NAME_MAX with it). In service. NULL: all fail.
     */
    bool (*set_status)(void *ctx, const char *automation, const struct arc_host_request *request,
                       char *key, struct arcd_errinfo *why);
    void *ctx;
};

struct arc_host_automation_opts {
    const char *name;
    const struct arc_image *image;
    struct arc_host_options program; /* limits; 0 in a field: its default */
    enum arc_host_level level;
    bool realtime;
    int priority;            /* 1 to 99; 0: ARC_HOST_AUTOMATION_PRIORITY */
    const int *cpus;         /* the cores that it may run on ... */
    int n_cpus;              /* ... 0: one is chosen when it is real-time, else any */
    uint32_t queue;          /* 2 to 1024; 0: ARC_HOST_AUTOMATION_QUEUE */
    uint8_t authority;       /* over channels for which the program declares none */
    int64_t stats_period_ns; /* of the statistic channels; 0: 1 s, at least 100 ms */
};

/* INVALID: an option is out of its range; NOTFOUND, PROGRAM: see arc_host_ports_check(). Declares
 * the statistic channels "<name>.comp_time_us" and so on, when they are not there yet. */
ARCD_MUST_CHECK enum arcd_err arc_host_automation_new(const struct arc_host_env *env,
                                                      const struct arc_host_automation_opts *opts,
                                                      struct arc_host_automation **automation,
                                                      struct arcd_errinfo *why);

/* Stops it. NULL is allowed. */
void arc_host_automation_free(struct arc_host_automation *automation);

/* Returns when the thread is set up, with what was refused said in the log. Nothing to do when it
 * runs already. */
ARCD_MUST_CHECK enum arcd_err arc_host_automation_start(struct arc_host_automation *automation,
                                                        struct arcd_errinfo *why);

/* Returns when the running cycle is finished, the thread gone, and its writers released. Nothing to
 * do when it does not run. */
void arc_host_automation_stop(struct arc_host_automation *automation);

/* Runs another program, also with other channels, from its first cycle on; nothing is carried over.
 * A running automation misses no more than that cycle takes: the program is made beside the old
 * one. With an error all stays as it was. */
ARCD_MUST_CHECK enum arcd_err arc_host_automation_swap(struct arc_host_automation *automation,
                                                       const struct arc_image *image,
                                                       struct arcd_errinfo *why);

void arc_host_automation_set_level(struct arc_host_automation *automation,
                                   enum arc_host_level level);

/* Call it 1 to 10 times a second, and when env->bell was rung. */
void arc_host_automation_service(struct arc_host_automation *automation, int64_t now_mono_ns);

/* ---- What others see */

enum arc_host_state { ARC_HOST_STATE_STOPPED, ARC_HOST_STATE_RUNNING, ARC_HOST_STATE_FAULT };

const char *arc_host_automation_name(const struct arc_host_automation *automation);
enum arc_host_state arc_host_automation_state(const struct arc_host_automation *automation);

struct arc_host_automation_info {
    enum arc_host_state state;
    enum arc_host_level level;
    char fault[256]; /* why it stopped; "" without a fault */

    /* What the system granted at the last start, as read back from the kernel. */
    bool realtime_asked;
    bool realtime;   /* SCHED_FIFO at `priority` is in effect */
    int priority;    /* asked for */
    int sched_errno; /* why not */
    bool pinned;
    int cpu; /* the core that it is pinned to; -1: none, or several */
    int affinity_errno;
    bool memory_locked;
    bool cores_awake; /* the limit on idle states is in force */

    struct arc_host_ports_counts samples; /* since the last start */
    uint64_t statuses_lost;               /* status.set requests that were dropped */
    uint64_t backlog_dropped;
    uint64_t starts;
};

void arc_host_automation_info(struct arc_host_automation *automation,
                              struct arc_host_automation_info *info);

/* The timing figures, and the CPU time as a share of one core since they began. */
void arc_host_automation_timing(struct arc_host_automation *automation,
                                struct arc_host_timing_snapshot *snapshot, double *cpu_share);
void arc_host_automation_reset_timing(struct arc_host_automation *automation);

/* The kernel's id of its thread, for tests and for tools such as chrt; 0 when it does not run. */
int arc_host_automation_tid(const struct arc_host_automation *automation);

#endif
