#include "tasks/task_priv.h"

#include "base/rtmark.h"
#include "tasks/status_text.h"

#include <stdlib.h>

/* ---- Building */

static const struct hw_task_type *find_type(const struct hw_driver *driver, const char *name)
{
    for (uint32_t i = 0; i < driver->n_task_types; i++)
        if (strcmp(driver->task_types[i].name, name) == 0)
            return &driver->task_types[i];
    return NULL;
}

static bool check_timing(const struct tasks_build *build, const struct hw_task_type *type)
{
    const struct hw_task_config *hw = build->hw;
    if (build->direction == HW_WRITE || !hw->timing_given)
        return true;
    if (hw->timing == HW_HARDWARE && !type->has_hardware_timing)
        return config_error(config_member(hw->at, "timing"), "%s has no hardware timing", hw->type);
    if (hw->timing == HW_SOFTWARE && !type->has_software_timing)
        return config_error(config_member(hw->at, "timing"), "%s has no software timing", hw->type);
    return true;
}

static bool check_channels(const struct tasks_build *build)
{
    const struct hw_task_config *hw = build->hw;
    const char *field = build->direction == HW_READ ? "channel" : "cmd_channel";
    bool ok = true;
    for (uint32_t i = 0; i < hw->n_channels; i++) {
        struct config_at at = config_member(hw->channels[i].at, field);
        if (!telem_key_valid(tasks_task_channel(build->env, at, hw->channels[i].channel)))
            ok = false;
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(hw->channels[j].channel, hw->channels[i].channel) == 0) {
                ok = config_error(at, "channel '%s' is used twice", hw->channels[i].channel);
                break;
            }
        }
    }
    return ok;
}

/* What the device gives or takes must fit the channel's type. */
static bool check_values(const struct tasks_build *build, const struct hw_task_info *info)
{
    bool ok = true;
    for (uint32_t i = 0; i < info->n_channels; i++) {
        const struct hw_channel_config *channel = &build->hw->channels[i];
        bool is_text = info->channels[i].value == HW_STR;
        if (is_text == (channel->chan_type == TELEM_STR))
            continue;
        ok = config_error(channel->at, "channel '%s' of type %s cannot hold a %s", channel->channel,
                          telem_type_name(channel->chan_type), is_text ? "text" : "number");
    }
    return ok;
}

struct telem_key tasks_task_channel(const struct tasks_env *env, struct config_at at,
                                    const char *name)
{
    struct telem_key key = telem_chans_find(telem_bus_chans(env->bus), name);
    if (!telem_key_valid(key))
        config_error(at, "channel '%s' is not declared", name);
    return key;
}

void tasks_task_scale(struct base_arena *arena, const struct config_scales *config,
                      struct tasks_scale *scale)
{
    tasks_scale_init(scale, arena, config->n);
    for (uint32_t i = 0; i < config->n; i++) {
        const struct config_scale *s = &config->v[i];
        struct tasks_scale_poly poly = {.forward = s->forward.v,
                                        .n_forward = s->forward.n,
                                        .reverse = s->reverse.v,
                                        .n_reverse = s->reverse.n,
                                        .min_x = s->has_range ? s->min_x : 0,
                                        .max_x = s->has_range ? s->max_x : 0,
                                        .order = s->poly_order,
                                        .points = (uint32_t)s->n_points};
        switch (s->kind) {
        case CONFIG_SCALE_NONE: break;
        case CONFIG_SCALE_LINEAR: tasks_scale_add_linear(scale, s->slope, s->offset); break;
        case CONFIG_SCALE_MAP:
            tasks_scale_add_map(scale, s->pre_min, s->pre_max, s->scaled_min, s->scaled_max);
            break;
        case CONFIG_SCALE_POLYNOMIAL: tasks_scale_add_poly(scale, &poly); break;
        case CONFIG_SCALE_TABLE:
            tasks_scale_add_table(scale, s->pre_scaled.v, s->scaled.v, s->pre_scaled.n,
                                  s->extrapolate);
            break;
        }
    }
}

static void copy_env(struct tasks_task *task, const struct tasks_env *env)
{
    task->env = *env;
    const char *dir = env->state_dir == NULL ? "" : env->state_dir;
    task->env.state_dir = base_arena_strdup(&task->arena, dir);
}

static void copy_names(struct tasks_task *task, const struct hw_task_info *info)
{
    const char **names = base_arena_array(&task->arena, const char *, info->n_channels);
    for (uint32_t i = 0; i < info->n_channels; i++)
        names[i] = base_arena_strdup(&task->arena, info->channels[i].name);
    task->channel_names = names;
}

static struct base_rt_request thread_request(const struct tasks_task *task,
                                             const struct tasks_build *build)
{
    const struct config_rt *config = &build->task->rt;
    struct base_rt_request rt = {.name = task->name,
                                 .fifo_priority = config->has_priority ? config->priority
                                                                       : build->default_priority};
    for (uint32_t i = 0; i < config->cpu.n && rt.n_cpus < BASE_RT_MAX_CPUS; i++)
        rt.cpus[rt.n_cpus++] = (int)config->cpu.v[i];
    return rt;
}

static uint64_t seed_of(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return hash;
}

static void init_parts(struct tasks_task *task, const struct tasks_build *build)
{
    struct tasks_board_opts board = {.task = task->name,
                                     .channels = task->channel_names,
                                     .n_channels = task->info->n_channels,
                                     .clock = task->clock,
                                     .bell = task->env.status_bell};
    tasks_board_init(&task->board, &task->arena, &board);
    const struct config_retry *config = &build->task->retry;
    struct tasks_retry retry = {.base_ns = config->base_ns,
                                .scale = config->scale,
                                .max_ns = config->max_ns,
                                .max_retries = (int32_t)config->max_retries,
                                .jitter = task->env.retry_jitter};
    tasks_recovery_init(&task->recovery, &task->board, &retry, seed_of(task->name));
    bool enabled = build->task->enabled;
    tasks_board_state(&task->board, TASKS_CONFIGURED,
                      enabled ? TASKS_EVENT_CONFIGURED : TASKS_EVENT_DISABLED);
    task->is_enabled = enabled;
    task->asked_priority = build->task->rt.has_priority;
    struct base_rt_request rt = thread_request(task, build);
    tasks_loop_init(&task->loop, &task->ops->loop, task, &rt);
    pthread_mutex_init(&task->control, NULL);
}

static enum arcd_err new_hw_task(struct tasks_task *task, const struct tasks_build *build,
                                 struct arcd_errinfo *why)
{
    const struct hw_task_type *type = find_type(build->driver, build->hw->type);
    if (type == NULL)
        return arcd_fail(why, ARCD_ERR_CONFIG, 0, "unknown task type '%s'", build->hw->type);
    bool ok = check_timing(build, type);
    ok = check_channels(build) && ok;
    if (!ok)
        return arcd_fail(why, ARCD_ERR_CONFIG, 0, "the configuration of task '%s' is wrong",
                         build->task->name);
    enum arcd_err err =
        build->driver->setup->task_new(build->device, build->hw, &task->hw, &task->info, why);
    if (err != ARCD_OK)
        return err;
    ARCD_ASSERT(task->info->n_channels == build->hw->n_channels);
    if (check_values(build, task->info))
        return ARCD_OK;
    build->driver->setup->task_free(task->hw);
    return arcd_fail(why, ARCD_ERR_CONFIG, 0, "the configuration of task '%s' is wrong",
                     build->task->name);
}

enum arcd_err tasks_task_init(struct tasks_task *task, const struct tasks_task_ops *ops,
                              const struct tasks_build *build, struct arcd_errinfo *why)
{
    task->ops = ops;
    task->driver = build->driver;
    task->io_timeout_ns = build->hw->io_timeout_ns;
    enum arcd_err err = new_hw_task(task, build, why);
    if (err != ARCD_OK)
        return err;
    base_arena_init(&task->arena);
    copy_env(task, build->env);
    copy_names(task, task->info);
    task->name = base_arena_strdup(&task->arena, build->task->name);
    task->writer_name = base_arena_printf(&task->arena, "task '%s'", build->task->name);
    task->clock = task->info->clock != NULL ? task->info->clock : build->env->clock;
    init_parts(task, build);
    return ARCD_OK;
}

void tasks_task_fini(struct tasks_task *task)
{
    task->driver->setup->task_free(task->hw);
    pthread_mutex_destroy(&task->control);
    base_arena_fini(&task->arena);
}

void tasks_task_free(struct tasks_task *task)
{
    if (task == NULL)
        return;
    /* A thread that hangs in its backend still uses all of this: rather leak than crash. */
    if (tasks_task_stop(task, NULL) == ARCD_ERR_TIMEOUT)
        return;
    task->ops->poll(task, NULL);
    tasks_task_fini(task);
    free(task);
}

/* ---- Start and stop */

/* Joins a loop that has ended or is asked to, and closes. */
static enum arcd_err stop_locked(struct tasks_task *task, struct arcd_errinfo *why)
{
    enum arcd_err err =
        tasks_loop_stop(&task->loop, task->ops->stop_patience_ns, TASKS_HANG_LIMIT_NS);
    if (err != ARCD_OK)
        return arcd_fail(why, err, 0, "task '%s' did not stop: its device hangs", task->name);
    if (task->is_open)
        task->ops->close(task);
    task->is_open = false;
    return ARCD_OK;
}

/* The writer of the board is the controlling thread here: no loop is running. */
static enum arcd_err fault_locked(struct tasks_task *task, enum arcd_err err,
                                  const struct arcd_errinfo *why)
{
    tasks_board_set_state(&task->board, TASKS_FAULTED);
    struct tasks_status status = tasks_status_of(TASKS_EVENT_CRITICAL);
    snprintf(status.text, sizeof status.text, "%.*s", (int)sizeof status.text - 1, why->text);
    status.code = why->native;
    tasks_board_post(&task->board, &status);
    return err;
}

/* The loop ended before it ran: what the board says is the reason. */
static enum arcd_err start_failed(struct tasks_task *task, struct arcd_errinfo *why)
{
    enum arcd_err err = stop_locked(task, why);
    if (err != ARCD_OK)
        return err;
    if (tasks_task_state(task) != TASKS_FAULTED)
        return arcd_fail(why, ARCD_ERR_INTERRUPTED, 0, "task '%s' was stopped while it started",
                         task->name);
    struct tasks_status error;
    char text[TASKS_STATUS_TEXT + 64];
    tasks_board_last_error(&task->board, &error);
    tasks_status_message(&task->board, &error, text, sizeof text);
    return arcd_fail(why, ARCD_ERR_DEVICE, error.code, "%s", text);
}

enum arcd_err tasks_task_begin(struct tasks_task *task, struct arcd_errinfo *why)
{
    tasks_board_begin(&task->board);
    tasks_recovery_begin(&task->recovery);
    task->has_started_once = false;
    task->not_safe = false;
    task->n_warned = 0;
    enum arcd_err err = task->ops->open(task, why);
    if (err != ARCD_OK)
        return fault_locked(task, err, why);
    task->is_open = true;
    tasks_board_state(&task->board, TASKS_STARTING, TASKS_EVENT_STARTING);
    return ARCD_OK;
}

static void say_not_granted(struct tasks_task *task, const char *what, int errnum, const char *fix)
{
    struct tasks_status status = tasks_status_of(TASKS_EVENT_NOT_GRANTED);
    char reason[64];
    snprintf(status.text, sizeof status.text, "Failed to %s: %s%s", what,
             strerror_r(errnum, reason, sizeof reason), fix);
    tasks_board_post(&task->board, &status);
}

/* Without a priority in the configuration this is silent: the figures have it, and the Driver says
 * once for all its threads what the machine does not permit. */
void tasks_task_began(void *ctx, const struct base_rt_got *got)
{
    struct tasks_task *task = ctx;
    char what[64], fix[160];
    int priority = task->loop.rt.fifo_priority;
    if (task->asked_priority && priority > 0 && !got->fifo) {
        snprintf(what, sizeof what, "set SCHED_FIFO priority %d", priority);
        snprintf(fix, sizeof fix, "; %s", base_rt_priority_fix());
        say_not_granted(task, what, got->sched_errno, fix);
    }
    if (task->loop.rt.n_cpus > 0 && !got->pinned)
        say_not_granted(task, "pin the thread to its cores", got->affinity_errno, "");
}

static enum arcd_err start_locked(struct tasks_task *task, struct arcd_errinfo *why)
{
    enum arcd_err err = stop_locked(task, why);
    if (err == ARCD_OK)
        err = tasks_task_begin(task, why);
    if (err != ARCD_OK)
        return err;
    err = tasks_loop_start(&task->loop, TASKS_START_TIMEOUT_NS + TASKS_HANG_LIMIT_NS, why);
    if (err == ARCD_ERR_TIMEOUT)
        return err; /* the backend overstays its deadline, or hangs: the status says starting */
    if (err != ARCD_OK) {
        stop_locked(task, NULL);
        return fault_locked(task, err, why);
    }
    return atomic_load(&task->loop.reported) ? ARCD_OK : start_failed(task, why);
}

enum arcd_err tasks_task_start(struct tasks_task *task, struct arcd_errinfo *why)
{
    struct arcd_errinfo own = {0};
    pthread_mutex_lock(&task->control);
    enum arcd_err err =
        task->is_enabled ? start_locked(task, &own)
                         : arcd_fail(&own, ARCD_ERR_STATE, 0, "task '%s' is disabled", task->name);
    pthread_mutex_unlock(&task->control);
    if (why != NULL)
        *why = own;
    return err;
}

enum arcd_err tasks_task_stop(struct tasks_task *task, struct arcd_errinfo *why)
{
    /* Before the lock: a start that waits for its device, or a tare for its batch, gives up. */
    tasks_loop_ask_stop(&task->loop);
    if (tasks_task_state(task) == TASKS_STARTING)
        task->ops->loop.interrupt(task);
    pthread_mutex_lock(&task->control);
    enum arcd_err err = stop_locked(task, why);
    if (err == ARCD_OK && task->not_safe) {
        task->not_safe = false; /* said once */
        err = arcd_fail(why, ARCD_ERR_DEVICE, 0,
                        "task '%s' stopped, but its outputs may not have their safe values",
                        task->name);
    }
    pthread_mutex_unlock(&task->control);
    return err;
}

bool tasks_task_poll(struct tasks_task *task, struct arcd_errinfo *why)
{
    if (pthread_mutex_trylock(&task->control) != 0)
        return true; /* a command is under way: next time */
    if (task->is_open && !tasks_loop_is_running(&task->loop))
        (void)!stop_locked(task, why); /* ended by itself: joining does not wait */
    bool ok = task->ops->poll(task, why);
    pthread_mutex_unlock(&task->control);
    return ok;
}

/* ---- What it is */

const char *tasks_task_name(const struct tasks_task *task)
{
    return task->name;
}

enum tasks_state tasks_task_state(const struct tasks_task *task)
{
    struct tasks_status status;
    tasks_board_latest(&task->board, &status);
    return (enum tasks_state)status.state;
}

struct tasks_board *tasks_task_board(struct tasks_task *task)
{
    return &task->board;
}

void tasks_task_figures(struct tasks_task *task, struct tasks_figures *figures)
{
    *figures = (struct tasks_figures){.timing = task->info->timing,
                                      .n_channels = task->info->n_channels,
                                      .rt_asked = task->loop.rt,
                                      .rt_got = tasks_loop_got(&task->loop)};
    task->ops->figures(task, figures);
}

const struct hw_channel *tasks_task_channels(const struct tasks_task *task, uint32_t *n)
{
    *n = task->info->n_channels;
    return task->info->channels;
}

void tasks_task_describe(const struct tasks_task *task, FILE *out)
{
    if (task->driver->setup->describe != NULL)
        task->driver->setup->describe(task->hw, out);
}

/* ---- From the loop */

ARCD_STEADY enum hw_class tasks_task_hw_start(struct tasks_task *task, int64_t timeout_ns,
                                              struct hw_error *error)
{
    int64_t deadline = tasks_task_mono(task) + timeout_ns;
    memset(error, 0, sizeof *error);
    error->channel = UINT32_MAX;
    base_rt_leave();
    enum hw_class cls = task->driver->loop->start(task->hw, deadline, error);
    base_rt_enter();
    task->hw_started = cls == HW_NOMINAL;
    if (task->hw_started && task->has_started_once)
        task->board.counters.restarts++;
    task->has_started_once |= task->hw_started;
    return cls;
}

ARCD_STEADY void tasks_task_hw_stop(struct tasks_task *task)
{
    if (!task->hw_started)
        return;
    base_rt_leave();
    task->driver->loop->stop(task->hw);
    base_rt_enter();
    task->hw_started = false;
}

ARCD_STEADY static uint64_t hash_text(const char *text, size_t n)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

ARCD_STEADY void tasks_task_hw_warning(struct tasks_task *task, const char *text, size_t room)
{
    size_t len = strnlen(text, room);
    if (len == 0)
        return;
    uint64_t hash = hash_text(text, len);
    uint32_t kept = task->n_warned < TASKS_WARNINGS_KEPT ? task->n_warned : TASKS_WARNINGS_KEPT;
    for (uint32_t i = 0; i < kept; i++)
        if (task->warned[i] == hash)
            return;
    task->warned[task->n_warned++ % TASKS_WARNINGS_KEPT] = hash;
    struct tasks_status status = tasks_status_of(TASKS_EVENT_DEVICE_WARNING);
    memcpy(status.text, text, len < sizeof status.text ? len : sizeof status.text - 1);
    tasks_board_post(&task->board, &status);
}

ARCD_STEADY void tasks_task_runs(struct tasks_task *task, bool started)
{
    if (atomic_load_explicit(&task->loop.reported, memory_order_relaxed))
        return;
    if (started)
        tasks_board_state(&task->board, TASKS_RUNNING, TASKS_EVENT_STARTED);
    else
        tasks_board_set_state(&task->board, TASKS_RUNNING);
    tasks_loop_report(&task->loop);
}

ARCD_STEADY int64_t tasks_task_end_step(struct tasks_task *task, int64_t next_mono)
{
    tasks_board_show_counters(&task->board);
    return tasks_earlier(next_mono, tasks_board_tick(&task->board, tasks_task_mono(task)));
}

ARCD_STEADY int64_t tasks_task_stopped(struct tasks_task *task)
{
    tasks_task_hw_stop(task);
    tasks_board_show_counters(&task->board);
    tasks_board_state(&task->board, TASKS_CONFIGURED, TASKS_EVENT_STOPPED);
    return TASKS_STEP_END;
}

ARCD_STEADY int64_t tasks_task_faulted(struct tasks_task *task)
{
    tasks_task_hw_stop(task);
    tasks_board_show_counters(&task->board);
    tasks_board_set_state(&task->board, TASKS_FAULTED);
    return TASKS_STEP_END;
}
