/* Start, watch, stop in order. */
#include "driver/supervisor_priv.h"

#include "arc/image.h"
#include "base/rt.h"
#include "driver/parallel.h"
#include "tasks/status_text.h"

#include <stdlib.h>
#include <string.h>

struct driver_task *driver_supervisor_task(struct driver_supervisor *s, const char *name)
{
    for (uint32_t i = 0; i < s->project->n_tasks; i++)
        if (strcmp(s->project->tasks[i]->common.name, name) == 0)
            return s->project->tasks[i];
    return NULL;
}

struct arc_host_automation *driver_supervisor_automation(struct driver_supervisor *s,
                                                         const char *name)
{
    for (uint32_t i = 0; i < s->project->n_automations; i++)
        if (s->project->automations[i]->host != NULL &&
            strcmp(s->project->automations[i]->common.name, name) == 0)
            return s->project->automations[i]->host;
    return NULL;
}

/* ---- Words -------------------------------------------------------------------------------------
 */

static enum base_log_level level_of(enum tasks_variant variant)
{
    switch (variant) {
    case TASKS_VARIANT_ERROR: return BASE_LOG_ERROR;
    case TASKS_VARIANT_WARNING: return BASE_LOG_WARNING;
    case TASKS_VARIANT_LOADING: return BASE_LOG_DEBUG;
    default: return BASE_LOG_INFO;
    }
}

static void log_statuses(struct driver_supervisor *s, const struct driver_task *t)
{
    struct tasks_status status;
    char message[640], more[128];
    struct tasks_board *board = tasks_task_board(t->task);
    while (tasks_board_next(board, &status)) {
        tasks_status_message(board, &status, message, sizeof message);
        size_t n = tasks_status_description(&status, more, sizeof more);
        base_log_write(s->log, level_of(tasks_event_variant((enum tasks_event)status.event)),
                       "tasks", t->common.name, "%s%s%s%s", message, n ? " (" : "", more,
                       n ? ")" : "");
    }
}

/* ---- Automations -------------------------------------------------------------------------------
 */

/* Every channel that the program writes has lost its holder. */
static void tell_writers(struct driver_supervisor *s, const struct arc_image *image)
{
    for (uint32_t c = 0; c < image->n_channels; c++) {
        if (!image->channels[c].writes)
            continue;
        struct telem_key key = telem_chans_find(s->project->chans, image->channels[c].name);
        for (uint32_t i = 0; i < s->project->n_tasks; i++)
            if (s->project->tasks[i]->type->direction == HW_WRITE)
                tasks_task_holder_failed(s->project->tasks[i]->task, &key, 1);
    }
}

/* A program has failed: the outputs that it commanded go to their fault values. On the automation's
 * thread, after its real-time part. */
static void program_stopped(void *ctx, const char *automation, const char *why)
{
    struct driver_supervisor *s = ctx;
    (void)why; /* the host has logged it */
    pthread_rwlock_rdlock(&s->members);
    for (uint32_t i = 0; i < s->project->n_automations; i++)
        if (strcmp(s->project->automations[i]->common.name, automation) == 0)
            tell_writers(s, s->project->automations[i]->image);
    pthread_rwlock_unlock(&s->members);
}

/* status.set of a program: there is no store of statuses outside of this process yet, so it is a
 * log line, and its key is the name. */
static bool set_status(void *ctx, const char *automation, const struct arc_host_request *request,
                       char *key, struct arcd_errinfo *why)
{
    struct driver_supervisor *s = ctx;
    if (request->key_or_name[0] == '\0')
        return arcd_fail(why, ARCD_ERR_INVALID, 0, "status.set needs a name"), false;
    enum base_log_level level = strcmp(request->variant, "error") == 0     ? BASE_LOG_ERROR
                                : strcmp(request->variant, "warning") == 0 ? BASE_LOG_WARNING
                                                                           : BASE_LOG_INFO;
    base_log_write(s->log, level, "status", automation, "%s: %s", request->key_or_name,
                   request->message);
    memcpy(key, request->key_or_name, ARC_HOST_LOOP_NAME_MAX);
    return true;
}

/* A set point that was written once is still the set point when a program starts later: commands
 * and set points live on virtual channels, which nobody repeats. Measured channels are not old
 * values' place: they come anew at once. */
static bool newest_of_virtual(void *ctx, struct telem_key key, union telem_value *value)
{
    struct driver_supervisor *s = ctx;
    const struct telem_chan_decl *decl = telem_chans_decl(s->project->chans, key);
    struct driver_value newest;
    if (!decl->is_virtual)
        return false;
    if (driver_values_read(s->values, key, &newest) && newest.has_value) {
        *value = newest.number;
        return true;
    }
    *value = decl->initial;
    return decl->has_initial;
}

enum arcd_err driver_supervisor_make_automation(struct driver_supervisor *s,
                                                struct driver_automation *a,
                                                struct arcd_errinfo *why)
{
    const struct config_automation *c = &a->common;
    if (!c->enabled)
        return ARCD_OK;
    int cpus[BASE_RT_MAX_CPUS];
    int n_cpus = c->cpu.n < BASE_RT_MAX_CPUS ? (int)c->cpu.n : BASE_RT_MAX_CPUS;
    for (int k = 0; k < n_cpus; k++)
        cpus[k] = (int)c->cpu.v[k];
    struct arc_host_env env = {
        .bus = s->project->bus,
        .cores = &s->cores,
        .idle = &s->idle,
        .log = s->log,
        .bell = &s->bell,
        .stopped = program_stopped,
        .newest = newest_of_virtual,
        .set_status = set_status,
        .ctx = s,
    };
    struct arc_host_automation_opts opts = {
        .name = c->name,
        .image = a->image,
        .program = {.max_rows = (uint32_t)c->max_samples,
                    .max_text = (uint32_t)c->max_text_bytes,
                    .heap_bytes = (uint32_t)c->heap_bytes,
                    .call_depth = (uint32_t)c->call_depth,
                    .budget = (uint64_t)c->budget},
        .level = (enum arc_host_level)c->level,
        .realtime = s->realtime && c->realtime,
        .priority = c->priority,
        .cpus = cpus,
        .n_cpus = n_cpus,
        .authority = c->authority,
    };
    return arc_host_automation_new(&env, &opts, &a->host, why);
}

enum arcd_err driver_supervisor_start_automation(struct driver_supervisor *s,
                                                 struct arc_host_automation *automation,
                                                 struct arcd_errinfo *why)
{
    pthread_mutex_lock(&s->automations_lock);
    enum arcd_err err = arc_host_automation_start(automation, why);
    pthread_mutex_unlock(&s->automations_lock);
    base_log_write(s->log, err == ARCD_OK ? BASE_LOG_INFO : BASE_LOG_ERROR, "driver",
                   arc_host_automation_name(automation), "%s",
                   err == ARCD_OK ? "Automation started" : why->text);
    return err;
}

void driver_supervisor_stop_automation(struct driver_supervisor *s,
                                       struct arc_host_automation *automation)
{
    bool ran = arc_host_automation_state(automation) == ARC_HOST_STATE_RUNNING;
    pthread_mutex_lock(&s->automations_lock);
    arc_host_automation_stop(automation);
    pthread_mutex_unlock(&s->automations_lock);
    if (ran)
        base_log_write(s->log, BASE_LOG_INFO, "driver", arc_host_automation_name(automation),
                       "Automation stopped");
}

static void start_automations(struct driver_supervisor *s)
{
    for (uint32_t i = 0; i < s->project->n_automations; i++) {
        const struct config_automation *c = &s->project->automations[i]->common;
        struct arcd_errinfo why;
        struct arc_host_automation *host = s->project->automations[i]->host;
        if (host != NULL && c->auto_start)
            (void)!driver_supervisor_start_automation(s, host, &why);
    }
}

/* ---- Tasks -------------------------------------------------------------------------------------
 */

struct task_jobs {
    struct driver_supervisor *s;
    enum hw_direction direction;
    bool start;
};

/* One of many, on a thread of its own. What fails is in the task's status, which the supervisor
 * logs. */
static void run_task_job(void *ctx, size_t i)
{
    const struct task_jobs *jobs = ctx;
    struct driver_task *t = jobs->s->project->tasks[i];
    struct arcd_errinfo why;
    if (t->type->direction != jobs->direction)
        return;
    if (!jobs->start)
        (void)!tasks_task_stop(t->task, &why);
    else if (t->common.enabled && t->common.auto_start)
        (void)!tasks_task_start(t->task, &why);
}

/* False when some did not finish in time. The jobs outlive the call then, on purpose: a hung thread
 * uses them. */
static bool run_task_jobs(struct driver_supervisor *s, enum hw_direction direction, bool start,
                          int64_t deadline_mono_ns)
{
    struct task_jobs *jobs = malloc(sizeof *jobs);
    ARCD_ASSERT(jobs != NULL);
    *jobs = (struct task_jobs){s, direction, start};
    bool *finished = calloc(s->project->n_tasks + 1, sizeof *finished);
    ARCD_ASSERT(finished != NULL);
    bool all =
        driver_parallel(s->project->n_tasks, (size_t)s->project->set.driver.manager.worker_count,
                        deadline_mono_ns, run_task_job, jobs, finished);
    for (uint32_t i = 0; !all && i < s->project->n_tasks; i++)
        if (!finished[i])
            base_log_write(s->log, BASE_LOG_ERROR, "driver", s->project->tasks[i]->common.name,
                           start ? "does not start: its device hangs"
                                 : "does not stop: its device hangs");
    if (all)
        free(jobs);
    free(finished);
    return all;
}

/* ---- Life --------------------------------------------------------------------------------------
 */

static void lock_memory(struct driver_supervisor *s)
{
    bool wanted = false;
    for (uint32_t i = 0; i < s->project->n_automations; i++)
        wanted = wanted || s->project->automations[i]->common.realtime;
    struct arcd_errinfo why;
    if (!wanted || !s->realtime || !s->project->set.driver.rt.lock_memory)
        return;
    if (base_rt_lock_memory(&why) != ARCD_OK)
        base_log_write(s->log, BASE_LOG_WARNING, "driver", NULL,
                       "%s; raise the memlock limit or grant CAP_IPC_LOCK", why.text);
}

static json_t *handle_request(void *ctx, struct driver_control_session *session,
                              const json_t *request)
{
    return driver_supervisor_request(ctx, session, request);
}

static void handle_end(void *ctx, struct driver_control_session *session)
{
    (void)ctx;
    driver_write_session_ended(session);
}

static enum arcd_err set_up(struct driver_supervisor *s, const char *socket,
                            struct arcd_errinfo *why)
{
    enum arcd_err err = ARCD_OK;
    for (uint32_t i = 0; err == ARCD_OK && i < s->project->n_automations; i++)
        err = driver_supervisor_make_automation(s, s->project->automations[i], why);
    if (err == ARCD_OK)
        err = driver_values_new(s->project->bus, &s->values, why);
    struct driver_control_handler handler = {s, handle_request, handle_end};
    if (err == ARCD_OK && socket != NULL)
        err = driver_control_server_start(socket, &handler, &s->server, why);
    return err;
}

enum arcd_err driver_supervisor_new(const struct driver_supervisor_opts *opts,
                                    struct driver_supervisor **out, struct arcd_errinfo *why)
{
    struct driver_supervisor *s = aligned_alloc(
        ARCD_CACHELINE, (sizeof *s + ARCD_CACHELINE - 1) / ARCD_CACHELINE * ARCD_CACHELINE);
    ARCD_ASSERT(s != NULL);
    memset(s, 0, sizeof *s);
    s->project = opts->project;
    s->log = opts->log;
    s->realtime = opts->realtime;
    s->started_mono_ns = base_mono_ns();
    base_doorbell_init(&s->bell);
    pthread_mutex_init(&s->automations_lock, NULL);
    pthread_mutex_init(&s->reload_lock, NULL);
    pthread_rwlock_init(&s->members, NULL);
    arc_host_cores_read(&s->cores);
    arc_host_idle_init(&s->idle, NULL);
    lock_memory(s);
    enum arcd_err err = set_up(s, opts->socket, why);
    if (err != ARCD_OK) {
        driver_supervisor_free(s);
        return err;
    }
    *out = s;
    return ARCD_OK;
}

void driver_supervisor_free(struct driver_supervisor *s)
{
    if (s == NULL)
        return;
    driver_control_server_stop(s->server);
    for (uint32_t i = 0; i < s->project->n_automations; i++) {
        arc_host_automation_free(s->project->automations[i]->host);
        s->project->automations[i]->host = NULL;
    }
    driver_values_free(s->values);
    arc_host_idle_fini(&s->idle);
    pthread_mutex_destroy(&s->automations_lock);
    pthread_mutex_destroy(&s->reload_lock);
    pthread_rwlock_destroy(&s->members);
    driver_project_free(s->project);
    free(s);
}

void driver_supervisor_start(struct driver_supervisor *s)
{
    int64_t deadline = base_mono_ns() + s->project->set.driver.manager.op_timeout_ns;
    (void)run_task_jobs(s, HW_WRITE, true, deadline);
    (void)run_task_jobs(s, HW_READ, true, deadline);
    driver_write_initial(s);
    start_automations(s);
    atomic_store(&s->started, true);
}

/* What is done whenever somebody rang, and at least ten times a second. */
static void service(struct driver_supervisor *s)
{
    int64_t now = base_mono_ns();
    pthread_rwlock_rdlock(&s->members);
    for (uint32_t i = 0; i < s->project->n_tasks; i++) {
        struct driver_task *t = s->project->tasks[i];
        log_statuses(s, t);
        struct arcd_errinfo why;
        if (now >= s->next_service_mono_ns && !tasks_task_poll(t->task, &why))
            base_log_write(s->log, BASE_LOG_WARNING, "driver", t->common.name, "%s", why.text);
    }
    pthread_mutex_lock(&s->automations_lock);
    for (uint32_t i = 0; i < s->project->n_automations; i++)
        if (s->project->automations[i]->host != NULL)
            arc_host_automation_service(s->project->automations[i]->host, now);
    pthread_mutex_unlock(&s->automations_lock);
    pthread_rwlock_unlock(&s->members);
    if (now >= s->next_service_mono_ns)
        s->next_service_mono_ns = now + BASE_NS_PER_S;
}

void driver_supervisor_poll(struct driver_supervisor *s, int64_t deadline_mono_ns)
{
    uint32_t seen = base_doorbell_read(&s->bell);
    service(s);
    (void)base_doorbell_wait(&s->bell, seen, deadline_mono_ns);
}

bool driver_supervisor_stop(struct driver_supervisor *s)
{
    int64_t deadline = base_mono_ns() + s->project->set.driver.manager.shutdown_timeout_ns;
    for (uint32_t i = 0; i < s->project->n_automations; i++)
        if (s->project->automations[i]->host != NULL)
            driver_supervisor_stop_automation(s, s->project->automations[i]->host);
    bool all = run_task_jobs(s, HW_WRITE, false, deadline);
    service(s);
    all = run_task_jobs(s, HW_READ, false, deadline) && all;
    service(s);
    return all;
}
