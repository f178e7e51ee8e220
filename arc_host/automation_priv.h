/* arc_host/automation_priv.h - an automation, for its own files.
 *
 * automation.c          life cycle, what others see
 * automation_thread.c   the thread: set-up, loop, end
 * automation_service.c  what a normal thread does for it: statuses, statistics, reports
 */
#ifndef ARC_HOST_AUTOMATION_PRIV_H
#define ARC_HOST_AUTOMATION_PRIV_H

#include "arc_host/automation.h"

enum { ARC_HOST_STAT_CHANNELS = 5 };

/* What was last said in the log: the next report says what came since. */
struct arc_host_reported {
    int64_t mono_ns;
    uint64_t overruns, dropped, refused, lost, statuses_lost, backlog_dropped;
    int64_t cpu_ns;
    bool throttle_said;
};

struct arc_host_automation {
    struct arc_host_loop loop;
    struct arc_host_timing timing; /* of the last run until the next start */
    struct base_doorbell bell;     /* of the thread */
    struct base_doorbell ready;    /* rung by the thread when it is set up */
    struct arc_host_env env;
    struct base_arena arena; /* texts and arrays of the options */
    struct arc_host_automation_opts opts;
    char writer[TELEM_NAME_MAX + 32]; /* "automation 'Tank'" */

    /* The supervisor's. */
    pthread_t thread;
    bool has_thread; /* to be joined */
    bool holds_idle;
    bool memory_locked;
    int taken_cpu; /* from env.cores; ARC_HOST_CORE_ANY: none */
    struct telem_key stat_keys[ARC_HOST_STAT_CHANNELS];
    struct telem_pub *stat_pub;
    int64_t stats_due_mono_ns;
    struct arc_host_timing_counts stats_last;
    struct arc_host_reported reported;

    /* Written by the thread before it rings `ready`, and when its real-time part has ended. */
    _Atomic int state; /* enum arc_host_state */
    _Atomic int tid;
    struct base_rt_got got;
    char affinity_failed[128]; /* "" when not */

    /* Under the lock: no real-time part ever takes it. */
    pthread_mutex_t lock;
    struct arc_host_ports *ports;               /* NULL once the thread has closed them */
    struct arc_host_ports_counts final_samples; /* of closed ports */
    bool cpu_clock_valid;
    clockid_t cpu_clock; /* of the thread, while it is there */
    int64_t cpu_base_ns, cpu_final_ns;
    int64_t wall_base_ns, wall_final_ns;
    char fault[256];
    uint64_t starts;
};

/* One line of the log about this automation. */
#define arc_host_automation_say(a, level, ...)                                                     \
    base_log_write((a)->env.log, (level), "arc_host", (a)->opts.name, __VA_ARGS__)

/* automation_thread.c */
void *arc_host_automation_thread(void *arg);

/* Under the lock. CPU and wall time since the figures began. */
void arc_host_automation_cpu(const struct arc_host_automation *a, int64_t *cpu_ns,
                             int64_t *wall_ns);

/* Under the lock: they begin now. */
void arc_host_automation_cpu_reset(struct arc_host_automation *a);

/* After a thread that has ended: joins it and gives back what the run had. */
void arc_host_automation_clean_up(struct arc_host_automation *a);

/* automation_service.c */
ARCD_MUST_CHECK enum arcd_err arc_host_automation_declare(struct arc_host_automation *a,
                                                          struct arcd_errinfo *why);
void arc_host_automation_open_stats(struct arc_host_automation *a);
void arc_host_automation_close_stats(struct arc_host_automation *a);

/* Says at once what is new, whatever was said when. */
void arc_host_automation_report(struct arc_host_automation *a, int64_t now_mono_ns);

#endif
