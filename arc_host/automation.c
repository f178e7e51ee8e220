#include "arc_host/automation_priv.h"

#include "arc/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SWAP_TIMEOUT_S = 10, /* a cycle's budget is far below it */
    LEAST_STATS_PERIOD_NS = 100000000,
};

/* ---- new, free */

static enum arcd_err check_opts(const struct arc_host_automation_opts *opts,
                                struct arcd_errinfo *why)
{
    const char *name = opts->name;
    if (name == NULL || name[0] == '\0' || strlen(name) > TELEM_NAME_MAX)
        return arcd_fail(why, ARCD_ERR_INVALID, 0, "an automation needs a name of 1 to %d bytes",
                         TELEM_NAME_MAX);
    if (opts->priority < 0 || opts->priority > 99)
        return arcd_fail(why, ARCD_ERR_INVALID, 0,
                         "automation '%s': a priority is from 1 to 99, not %d", name,
                         opts->priority);
    if (opts->n_cpus < 0 || opts->n_cpus > BASE_RT_MAX_CPUS)
        return arcd_fail(why, ARCD_ERR_INVALID, 0, "automation '%s': at most %d cores, not %d",
                         name, BASE_RT_MAX_CPUS, opts->n_cpus);
    if (opts->queue != 0 && (opts->queue < 2 || opts->queue > 1024))
        return arcd_fail(why, ARCD_ERR_INVALID, 0,
                         "automation '%s': a queue holds 2 to 1024 batches, not %u", name,
                         opts->queue);
    if (opts->stats_period_ns != 0 && opts->stats_period_ns < LEAST_STATS_PERIOD_NS)
        return arcd_fail(why, ARCD_ERR_INVALID, 0,
                         "automation '%s': statistics come every 100 ms at most", name);
    return ARCD_OK;
}

static void copy_opts(struct arc_host_automation *a, const struct arc_host_automation_opts *opts)
{
    a->opts = *opts;
    a->opts.name = base_arena_strdup(&a->arena, opts->name);
    if (opts->priority == 0)
        a->opts.priority = ARC_HOST_AUTOMATION_PRIORITY;
    if (opts->queue == 0)
        a->opts.queue = ARC_HOST_AUTOMATION_QUEUE;
    if (opts->stats_period_ns == 0)
        a->opts.stats_period_ns = BASE_NS_PER_S;
    int *cpus = base_arena_array(&a->arena, int, (size_t)opts->n_cpus + 1);
    for (int i = 0; i < opts->n_cpus; i++)
        cpus[i] = opts->cpus[i];
    a->opts.cpus = cpus;
    snprintf(a->writer, sizeof a->writer, "automation '%s'", opts->name);
}

/* The loop has parts that lie on cache lines of their own. */
static struct arc_host_automation *allocate(void)
{
    size_t size =
        (sizeof(struct arc_host_automation) + ARCD_CACHELINE - 1) / ARCD_CACHELINE * ARCD_CACHELINE;
    struct arc_host_automation *a = aligned_alloc(ARCD_CACHELINE, size);
    if (a != NULL)
        memset(a, 0, size);
    return a;
}

enum arcd_err arc_host_automation_new(const struct arc_host_env *env,
                                      const struct arc_host_automation_opts *opts,
                                      struct arc_host_automation **out, struct arcd_errinfo *why)
{
    enum arcd_err err = check_opts(opts, why);
    if (err != ARCD_OK)
        return err;
    struct arc_host_automation *a = allocate();
    if (a == NULL)
        return arcd_fail(why, ARCD_ERR_NOMEM, 0, "automation '%s': out of memory", opts->name);
    base_arena_init(&a->arena);
    pthread_mutex_init(&a->lock, NULL);
    base_doorbell_init(&a->bell);
    base_doorbell_init(&a->ready);
    arc_host_timing_init(&a->timing);
    a->env = *env;
    a->taken_cpu = ARC_HOST_CORE_ANY;
    copy_opts(a, opts);
    err = arc_host_ports_check(opts->image, telem_bus_chans(env->bus), a->writer, why);
    if (err == ARCD_OK)
        err = arc_host_automation_declare(a, why);
    if (err != ARCD_OK) {
        arc_host_automation_free(a);
        return err;
    }
    *out = a;
    return ARCD_OK;
}

void arc_host_automation_free(struct arc_host_automation *a)
{
    if (a == NULL)
        return;
    arc_host_automation_stop(a);
    pthread_mutex_destroy(&a->lock);
    base_arena_fini(&a->arena);
    free(a);
}

/* ---- start, stop */

static enum arcd_err open_ports(struct arc_host_automation *a, const struct arc_image *image,
                                struct arc_host_ports **ports, struct arcd_errinfo *why)
{
    struct arc_host_ports_opts opts = {
        .name = a->writer,
        .image = image,
        .program = &a->opts.program,
        .bus = a->env.bus,
        .bell = &a->bell,
        .queue = a->opts.queue,
        .authority = a->opts.authority,
        .newest = a->env.newest,
        .newest_ctx = a->env.ctx,
    };
    return arc_host_ports_open(&opts, ports, why);
}

static void lock_memory(struct arc_host_automation *a)
{
    struct arcd_errinfo why;
    bool locked = base_rt_lock_memory(&why) == ARCD_OK;
    pthread_mutex_lock(&a->lock);
    a->memory_locked = locked;
    pthread_mutex_unlock(&a->lock);
    if (!locked)
        arc_host_automation_say(a, BASE_LOG_WARNING,
                                "%s; cycles can be delayed by page faults: run arcd as a service "
                                "or as root, or raise its memlock limit",
                                why.text);
}

static void hold_idle(struct arc_host_automation *a, bool hold)
{
    struct arcd_errinfo why;
    if (hold == a->holds_idle)
        return;
    a->holds_idle = hold;
    if (!hold)
        arc_host_idle_release(a->env.idle);
    else if (arc_host_idle_hold(a->env.idle, &why) != ARCD_OK)
        arc_host_automation_say(a, BASE_LOG_WARNING, "%s", why.text);
}

static void choose_core(struct arc_host_automation *a)
{
    if (a->opts.n_cpus == 0 && a->opts.realtime)
        a->taken_cpu = arc_host_cores_take(a->env.cores, ARC_HOST_CORE_ANY);
    else if (a->opts.n_cpus == 1)
        a->taken_cpu = arc_host_cores_take(a->env.cores, a->opts.cpus[0]);
}

static void init_loop(struct arc_host_automation *a)
{
    struct arc_host_loop_opts opts = {
        .timing = &a->timing,
        .wait = arc_host_wait_ops_system(&a->bell),
        .clock = a->opts.program.clock,
        .bell = &a->bell,
        .outside = a->env.bell,
        .level = a->opts.level,
        .realtime = false, /* the thread knows better, once it has asked */
    };
    arc_host_loop_init(&a->loop, &opts);
    if (a->taken_cpu >= 0 && a->taken_cpu < CPU_SETSIZE)
        a->loop.wait.sharers = &a->env.cores->load[a->taken_cpu];
}

/* What was refused, and what follows from it. */
static void say_what_was_got(const struct arc_host_automation *a)
{
    const struct base_rt_got *got = &a->got;
    char reason[128];
    if (a->affinity_failed[0] != '\0')
        arc_host_automation_say(a, BASE_LOG_WARNING, "%s", a->affinity_failed);
    if (a->opts.realtime && !got->fifo)
        arc_host_automation_say(a, BASE_LOG_WARNING,
                                "Failed to set SCHED_FIFO priority %d: %s; %s. Running as a "
                                "normal thread",
                                a->opts.priority,
                                strerror_r(got->sched_errno, reason, sizeof reason),
                                base_rt_priority_fix());
    if (got->fifo && a->opts.priority > 49)
        arc_host_automation_say(a, BASE_LOG_WARNING,
                                "priority %d is above the kernel's interrupt threads (50): while a "
                                "cycle runs, disks and networks wait",
                                a->opts.priority);
    if (!got->fifo && a->opts.level == ARC_HOST_LEVEL_HIGH)
        arc_host_automation_say(a, BASE_LOG_INFO,
                                "level high on a normal thread looks at the clock all the time: it "
                                "keeps one core busy");
}

static void give_back(struct arc_host_automation *a)
{
    arc_host_automation_close_stats(a);
    arc_host_cores_give(a->env.cores, a->taken_cpu);
    pthread_mutex_lock(&a->lock);
    a->taken_cpu = ARC_HOST_CORE_ANY;
    pthread_mutex_unlock(&a->lock);
    hold_idle(a, false);
    arc_host_loop_fini(&a->loop);
}

/* After a thread that has ended by itself or was stopped. */
void arc_host_automation_clean_up(struct arc_host_automation *a)
{
    if (!a->has_thread)
        return;
    base_thread_join(a->thread);
    a->has_thread = false;
    arc_host_automation_report(a, base_mono_ns());
    give_back(a);
}

static enum arcd_err start_thread(struct arc_host_automation *a, struct arcd_errinfo *why)
{
    uint32_t seen = base_doorbell_read(&a->ready);
    enum arcd_err err = base_thread_start(&a->thread, arc_host_automation_thread, a, why);
    if (err != ARCD_OK)
        return err;
    a->has_thread = true;
    while (!base_doorbell_wait(&a->ready, seen, BASE_NEVER))
        ;
    return ARCD_OK;
}

enum arcd_err arc_host_automation_start(struct arc_host_automation *a, struct arcd_errinfo *why)
{
    if (arc_host_automation_state(a) == ARC_HOST_STATE_RUNNING)
        return ARCD_OK;
    arc_host_automation_clean_up(a);
    struct arc_host_ports *ports = NULL;
    enum arcd_err err = open_ports(a, a->opts.image, &ports, why);
    if (err != ARCD_OK)
        return err;
    a->reported = (struct arc_host_reported){.mono_ns = base_mono_ns()};
    pthread_mutex_lock(&a->lock);
    choose_core(a);
    init_loop(a);
    a->ports = ports;
    a->fault[0] = '\0';
    a->starts++;
    pthread_mutex_unlock(&a->lock);
    if (a->opts.realtime)
        lock_memory(a);
    hold_idle(a, a->opts.level == ARC_HOST_LEVEL_HIGH);
    arc_host_automation_open_stats(a);
    err = start_thread(a, why);
    if (err != ARCD_OK) {
        pthread_mutex_lock(&a->lock);
        a->ports = NULL;
        pthread_mutex_unlock(&a->lock);
        arc_host_ports_close(ports);
        give_back(a);
        return err;
    }
    say_what_was_got(a);
    return ARCD_OK;
}

void arc_host_automation_stop(struct arc_host_automation *a)
{
    if (!a->has_thread)
        return;
    arc_host_loop_stop(&a->loop);
    arc_host_automation_clean_up(a);
    atomic_store(&a->state, ARC_HOST_STATE_STOPPED);
}

/* ---- Changes while it runs */

void arc_host_automation_set_level(struct arc_host_automation *a, enum arc_host_level level)
{
    bool changed = a->opts.level != level;
    pthread_mutex_lock(&a->lock);
    a->opts.level = level;
    pthread_mutex_unlock(&a->lock);
    if (!changed || arc_host_automation_state(a) != ARC_HOST_STATE_RUNNING)
        return;
    hold_idle(a, level == ARC_HOST_LEVEL_HIGH);
    arc_host_wait_set_level(&a->loop.wait, level);
    base_doorbell_ring(&a->bell); /* a wait that has begun goes on by the new level */
}

/* Until the thread has taken the offer, or has ended. True: taken, or taken and ended since. */
static bool wait_until_taken(struct arc_host_automation *a, struct arc_host_ports **old)
{
    int64_t give_up = base_mono_ns() + SWAP_TIMEOUT_S * BASE_NS_PER_S;
    for (;;) {
        *old = arc_host_loop_take_retired(&a->loop);
        if (*old != NULL)
            return true;
        bool ended = arc_host_automation_state(a) != ARC_HOST_STATE_RUNNING;
        if ((ended || base_mono_ns() >= give_up) && a->loop.offered != NULL)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
}

static enum arcd_err swap_running(struct arc_host_automation *a, struct arc_host_ports *next,
                                  struct arcd_errinfo *why)
{
    struct arc_host_ports *old = NULL;
    arc_host_loop_offer(&a->loop, next);
    if (!wait_until_taken(a, &old)) {
        struct arc_host_ports *back = arc_host_loop_take_back(&a->loop);
        if (back != NULL) {
            arc_host_ports_close(back);
            if (arc_host_automation_state(a) != ARC_HOST_STATE_RUNNING)
                return ARCD_OK; /* it has just failed: the next start has the new program */
            return arcd_fail(why, ARCD_ERR_TIMEOUT, 0,
                             "%s: its running cycle did not end, the program was not changed",
                             a->writer);
        }
        while ((old = arc_host_loop_take_retired(&a->loop)) == NULL) /* taken at the last moment */
            nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
    pthread_mutex_lock(&a->lock);
    if (a->ports == old)
        a->ports = next;
    arc_host_automation_cpu_reset(a);
    pthread_mutex_unlock(&a->lock);
    arc_host_ports_close(old);
    return ARCD_OK;
}

enum arcd_err arc_host_automation_swap(struct arc_host_automation *a, const struct arc_image *image,
                                       struct arcd_errinfo *why)
{
    enum arcd_err err = arc_host_ports_check(image, telem_bus_chans(a->env.bus), a->writer, why);
    if (err != ARCD_OK)
        return err;
    if (arc_host_automation_state(a) == ARC_HOST_STATE_RUNNING) {
        struct arc_host_ports *next = NULL;
        err = open_ports(a, image, &next, why);
        if (err == ARCD_OK)
            err = swap_running(a, next, why);
        if (err != ARCD_OK)
            return err;
        a->reported = (struct arc_host_reported){.mono_ns = a->reported.mono_ns};
    }
    a->opts.image = image;
    return ARCD_OK;
}

/* ---- What others see */

const char *arc_host_automation_name(const struct arc_host_automation *a)
{
    return a->opts.name;
}

enum arc_host_state arc_host_automation_state(const struct arc_host_automation *a)
{
    return (enum arc_host_state)atomic_load(&a->state);
}

int arc_host_automation_tid(const struct arc_host_automation *a)
{
    return atomic_load(&a->tid);
}

static int pinned_cpu(const struct arc_host_automation *a)
{
    return a->got.pinned ? a->taken_cpu : ARC_HOST_CORE_ANY;
}

void arc_host_automation_info(struct arc_host_automation *a, struct arc_host_automation_info *info)
{
    memset(info, 0, sizeof *info);
    info->cores_awake = arc_host_idle_is_held(a->env.idle);
    pthread_mutex_lock(&a->lock);
    info->state = arc_host_automation_state(a);
    info->level = a->opts.level;
    memcpy(info->fault, a->fault, sizeof info->fault);
    info->realtime_asked = a->opts.realtime;
    info->realtime = a->got.fifo;
    info->priority = a->opts.priority;
    info->sched_errno = a->got.sched_errno;
    info->pinned = a->got.pinned;
    info->cpu = pinned_cpu(a);
    info->affinity_errno = a->got.affinity_errno;
    info->memory_locked = a->memory_locked;
    info->samples = a->final_samples;
    if (a->ports != NULL)
        arc_host_ports_get_counts(a->ports, &info->samples);
    info->statuses_lost =
        atomic_load(&a->loop.requests_lost) + atomic_load(&a->loop.statuses_dropped);
    info->backlog_dropped = atomic_load(&a->loop.backlog_dropped);
    info->starts = a->starts;
    pthread_mutex_unlock(&a->lock);
}

void arc_host_automation_timing(struct arc_host_automation *a,
                                struct arc_host_timing_snapshot *snapshot, double *cpu_share)
{
    int64_t cpu_ns, wall_ns;
    arc_host_timing_get(&a->timing, snapshot);
    pthread_mutex_lock(&a->lock);
    arc_host_automation_cpu(a, &cpu_ns, &wall_ns);
    pthread_mutex_unlock(&a->lock);
    *cpu_share = wall_ns > 0 ? (double)cpu_ns / (double)wall_ns : 0;
}

void arc_host_automation_reset_timing(struct arc_host_automation *a)
{
    pthread_mutex_lock(&a->lock);
    arc_host_automation_cpu_reset(a);
    pthread_mutex_unlock(&a->lock);
    arc_host_timing_ask_reset(&a->timing);
    base_doorbell_ring(&a->bell); /* a thread that sleeps does it at once, too */
}
