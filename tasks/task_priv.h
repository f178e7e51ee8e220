/* tasks/task_priv.h - what read and write tasks have in common; for this folder only.
 *
 * A task is its own struct with a tasks_task first. The controlling thread opens (publishers,
 * subscriptions), starts the loop, later joins it and closes; everything between is the loop's.
 */
#ifndef TASKS_TASK_PRIV_H
#define TASKS_TASK_PRIV_H

#include "tasks/loop.h"
#include "tasks/recovery.h"
#include "tasks/scale.h"
#include "tasks/task.h"

#define TASKS_START_TIMEOUT_NS (5 * BASE_NS_PER_S)
#define TASKS_HANG_LIMIT_NS                                                                        \
    (10 * BASE_NS_PER_S) /* an interrupted call that still does not return */

enum { TASKS_WARNINGS_KEPT = 16 };

struct tasks_task_ops {
    struct tasks_loop_ops loop;
    enum arcd_err (*open)(struct tasks_task *task, struct arcd_errinfo *why);
    void (*close)(struct tasks_task *task);
    bool (*poll)(struct tasks_task *task, struct arcd_errinfo *why);
    void (*figures)(const struct tasks_task *task, struct tasks_figures *figures);
    /* How long a stop waits before it interrupts the device. */
    int64_t stop_patience_ns;
};

struct tasks_task {
    const struct tasks_task_ops *ops;
    struct base_arena arena;
    struct tasks_env env;
    const struct base_clock *clock;
    const char *name;
    const char *writer_name; /* "task 'NAME'", on the bus */
    const char *const *channel_names;
    struct tasks_board board;
    struct tasks_recovery recovery;
    struct tasks_loop loop;
    pthread_mutex_t control; /* one command at a time */
    bool is_open;

    const struct hw_driver *driver;
    struct hw_task *hw;
    const struct hw_task_info *info;
    int64_t io_timeout_ns;
    bool is_enabled;
    bool asked_priority; /* by the user, not by default */

    /* The loop's own. */
    bool hw_started;
    bool has_started_once; /* since open: later starts are restarts */
    bool not_safe;         /* the last run ended without its safe values; read after the join */
    uint64_t warned[TASKS_WARNINGS_KEPT]; /* device's warnings already said in this run */
    uint32_t n_warned;
};

/* What new has in hand while it builds a task. */
struct tasks_build {
    const struct tasks_env *env;
    const struct config_task *task;
    const struct hw_driver *driver;
    struct hw_device *device;
    const struct hw_task_config *hw;
    enum hw_direction direction;
    int default_priority;
};

/* Everything common, the backend's task included. On an error nothing is left behind. The arena is
 * open after it: the caller sizes its own and seals it. */
ARCD_MUST_CHECK enum arcd_err tasks_task_init(struct tasks_task *task,
                                              const struct tasks_task_ops *ops,
                                              const struct tasks_build *build,
                                              struct arcd_errinfo *why);
void tasks_task_fini(struct tasks_task *task);

/* All of a start but the thread: what the loop's first step finds. */
ARCD_MUST_CHECK enum arcd_err tasks_task_begin(struct tasks_task *task, struct arcd_errinfo *why);

/* Says which of the settings that the user asked for the thread did not get. */
void tasks_task_began(void *task, const struct base_rt_got *got);

/* Channel `name` for `at`: its key, or TELEM_NO_KEY after a config_error(). */
struct telem_key tasks_task_channel(const struct tasks_env *env, struct config_at at,
                                    const char *name);

/* Builds the chain that a configuration describes. */
void tasks_task_scale(struct base_arena *arena, const struct config_scales *config,
                      struct tasks_scale *scale);

/* ---- Calls of the device from the loop; deadlines are absolute. */

ARCD_STEADY enum hw_class tasks_task_hw_start(struct tasks_task *task, int64_t timeout_ns,
                                              struct hw_error *error);
ARCD_STEADY void tasks_task_hw_stop(struct tasks_task *task);

/* Says a warning of the device, the same one once per run. */
ARCD_STEADY void tasks_task_hw_warning(struct tasks_task *task, const char *text, size_t room);

/* The start is decided: the task runs (also when it retries). */
ARCD_STEADY void tasks_task_runs(struct tasks_task *task, bool started);

ARCD_STEADY static inline int64_t tasks_task_mono(const struct tasks_task *task)
{
    return base_clock_mono(task->clock);
}

ARCD_STEADY static inline int64_t tasks_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Shows the counters and gives the time of the next step: the earlier of next_mono and the board's.
 */
ARCD_STEADY int64_t tasks_task_end_step(struct tasks_task *task, int64_t next_mono);

/* The loop's last words. */
ARCD_STEADY int64_t tasks_task_stopped(struct tasks_task *task);
ARCD_STEADY int64_t tasks_task_faulted(struct tasks_task *task);

#endif
