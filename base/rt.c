#include "base/rt.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

static void apply_affinity(const struct base_rt_request *request, struct base_rt_got *got)
{
    cpu_set_t want, have;
    CPU_ZERO(&want);
    for (int i = 0; i < request->n_cpus; i++)
        if (request->cpus[i] >= 0 && request->cpus[i] < CPU_SETSIZE)
            CPU_SET((size_t)request->cpus[i], &want);
    got->affinity_errno = pthread_setaffinity_np(pthread_self(), sizeof want, &want);
    got->pinned =
        pthread_getaffinity_np(pthread_self(), sizeof have, &have) == 0 && CPU_EQUAL(&want, &have);
}

static void apply_policy(const struct base_rt_request *request, struct base_rt_got *got)
{
    struct sched_param param = {.sched_priority = request->fifo_priority};
    got->sched_errno = pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
    int policy = SCHED_OTHER;
    if (pthread_getschedparam(pthread_self(), &policy, &param) == 0) {
        got->fifo = policy == SCHED_FIFO && param.sched_priority == request->fifo_priority;
        got->priority = param.sched_priority;
    }
}

void base_rt_apply(const struct base_rt_request *request, struct base_rt_got *got)
{
    char name[16] = {0};
    strncpy(name, request->name, sizeof name - 1);
    pthread_setname_np(pthread_self(), name);
    *got = (struct base_rt_got){0};
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL,
          0UL); /* a normal thread is woken up to 50 us late otherwise */
    if (request->n_cpus > 0)
        apply_affinity(request, got);
    if (request->fifo_priority > 0)
        apply_policy(request, got);
}

enum arcd_err base_rt_lock_memory(struct arcd_errinfo *why)
{
    if (mlockall(MCL_CURRENT | MCL_FUTURE) == 0)
        return ARCD_OK;
    return arcd_fail_errno(why, errno, "Failed to lock memory");
}

__attribute__((noinline)) void base_rt_prefault_stack(size_t bytes)
{
    enum { PAGE_BYTES = 4096 };
    if (bytes > BASE_RT_STACK_BYTES / 2)
        bytes = BASE_RT_STACK_BYTES / 2;
    /* One page a frame, from the top down, so that the guard page is never jumped over. */
    volatile unsigned char page[PAGE_BYTES - 512];
    page[0] = 1;
    if (bytes > PAGE_BYTES)
        base_rt_prefault_stack(bytes - PAGE_BYTES);
    page[sizeof page - 1] = page[0]; /* after the call: no tail call may drop the frame */
}

const char *base_rt_priority_fix(void)
{
    return "install arcd as a service, run it as root, or grant CAP_SYS_NICE or an rtprio limit";
}

enum arcd_err base_thread_start(pthread_t *thread, void *(*run)(void *), void *arg,
                                struct arcd_errinfo *why)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, BASE_RT_STACK_BYTES);
    /* A thread made by a real-time one must not inherit its policy. */
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attr, SCHED_OTHER);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(thread, &attr, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return rc == 0 ? ARCD_OK : arcd_fail_errno(why, rc, "cannot start a thread");
}

void base_thread_join(pthread_t thread)
{
    int rc = pthread_join(thread, NULL);
    ARCD_ASSERT(rc == 0);
}
