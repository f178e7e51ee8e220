/* The automation's thread. Its real-time part lies between base_rt_enter() and base_rt_leave(). */
#include "arc_host/automation_priv.h"

#include "base/rtmark.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { STACK_BYTES = 128 * 1024 }; /* touched: several times what a cycle uses */

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    if (clock_gettime(clock, &now) != 0)
        return -1;
    return now.tv_sec * BASE_NS_PER_S + now.tv_nsec;
}

static void fill_request(const struct arc_host_automation *a, struct base_rt_request *request)
{
    *request = (struct base_rt_request){.name = a->opts.name};
    if (a->opts.realtime)
        request->fifo_priority = a->opts.priority;
    for (int i = 0; i < a->opts.n_cpus; i++)
        request->cpus[request->n_cpus++] = a->opts.cpus[i];
    if (request->n_cpus == 0 && a->taken_cpu != ARC_HOST_CORE_ANY)
        request->cpus[request->n_cpus++] = a->taken_cpu;
}

/* A normal thread that was pinned without being asked to would share its core with the real-time
 * ones, and lose. */
static void unpin(const cpu_set_t *before, struct base_rt_got *got)
{
    if (pthread_setaffinity_np(pthread_self(), sizeof *before, before) == 0)
        got->pinned = false;
}

static void set_up(struct arc_host_automation *a)
{
    struct base_rt_request request;
    struct base_rt_got got;
    cpu_set_t before;
    char reason[128];
    fill_request(a, &request);
    bool known = pthread_getaffinity_np(pthread_self(), sizeof before, &before) == 0;
    base_rt_apply(&request, &got);
    a->affinity_failed[0] = '\0';
    if (request.n_cpus > 0 && !got.pinned)
        snprintf(a->affinity_failed, sizeof a->affinity_failed,
                 "Failed to pin to core %d%s: %s; set `cpu` to cores that this machine gives the "
                 "process",
                 request.cpus[0], request.n_cpus > 1 ? " and others" : "",
                 strerror_r(got.affinity_errno, reason, sizeof reason));
    if (a->opts.realtime && !got.fifo && a->opts.n_cpus == 0 && known)
        unpin(&before, &got);
    a->loop.wait.realtime = got.fifo;
    if (!got.pinned)
        a->loop.wait.sharers = NULL;
    base_rt_prefault_stack(STACK_BYTES);
    pthread_mutex_lock(&a->lock);
    a->got = got;
    a->cpu_clock_valid = pthread_getcpuclockid(pthread_self(), &a->cpu_clock) == 0;
    a->cpu_base_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
    a->wall_base_ns = base_mono_ns();
    pthread_mutex_unlock(&a->lock);
}

/* The state of things for those who ask later. The counters of a closed publisher are gone, so they
 * are read before. */
static void keep_results(struct arc_host_automation *a, struct arc_host_ports *ports, bool failed)
{
    struct arc_host_program *program = arc_host_ports_program(ports);
    pthread_mutex_lock(&a->lock);
    if (failed)
        arc_host_fault_text(arc_host_program_image(program), arc_host_program_fault(program),
                            a->fault, sizeof a->fault);
    arc_host_ports_get_counts(ports, &a->final_samples);
    a->cpu_final_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
    a->wall_final_ns = base_mono_ns();
    a->cpu_clock_valid = false;
    a->ports = NULL;
    atomic_store(&a->state, failed ? ARC_HOST_STATE_FAULT : ARC_HOST_STATE_STOPPED);
    pthread_mutex_unlock(&a->lock);
}

static void end(struct arc_host_automation *a, enum arcd_err err)
{
    struct arc_host_ports *ports = arc_host_loop_ports(&a->loop);
    keep_results(a, ports, err != ARCD_OK);
    arc_host_ports_release_writers(ports);
    if (err != ARCD_OK && a->env.stopped != NULL)
        a->env.stopped(a->env.ctx, a->opts.name, a->fault);
    if (err != ARCD_OK)
        arc_host_automation_say(a, BASE_LOG_ERROR, "stopped: %s", a->fault);
    arc_host_ports_close(ports);
    atomic_store(&a->tid, 0);
    if (a->env.bell != NULL)
        base_doorbell_ring(a->env.bell);
}

void *arc_host_automation_thread(void *arg)
{
    struct arc_host_automation *a = arg;
    set_up(a);
    atomic_store(&a->tid, (int)syscall(SYS_gettid));
    atomic_store(&a->state, ARC_HOST_STATE_RUNNING);
    base_doorbell_ring(&a->ready);
    base_rt_enter();
    enum arcd_err err = arc_host_loop_run(&a->loop, a->ports);
    base_rt_leave();
    end(a, err);
    return NULL;
}

void arc_host_automation_cpu(const struct arc_host_automation *a, int64_t *cpu_ns, int64_t *wall_ns)
{
    int64_t cpu = a->cpu_clock_valid ? read_clock(a->cpu_clock) : a->cpu_final_ns;
    int64_t wall = a->cpu_clock_valid ? base_mono_ns() : a->wall_final_ns;
    *cpu_ns = cpu > a->cpu_base_ns ? cpu - a->cpu_base_ns : 0;
    *wall_ns = wall > a->wall_base_ns ? wall - a->wall_base_ns : 0;
}

void arc_host_automation_cpu_reset(struct arc_host_automation *a)
{
    int64_t cpu_ns, wall_ns;
    arc_host_automation_cpu(a, &cpu_ns, &wall_ns);
    a->cpu_base_ns += cpu_ns;
    a->wall_base_ns += wall_ns;
}
