#include "tasks/loop.h"

#include "base/rtmark.h"

void tasks_loop_init(struct tasks_loop *loop, const struct tasks_loop_ops *ops, void *task,
                     const struct base_rt_request *rt)
{
    base_doorbell_init(&loop->bell);
    base_doorbell_init(&loop->caller);
    loop->ops = ops;
    loop->task = task;
    loop->rt = *rt;
    loop->joinable = false;
    atomic_init(&loop->got, 0);
    atomic_init(&loop->stop, false);
    atomic_init(&loop->reported, false);
    atomic_init(&loop->ended, true);
}

ARCD_STEADY static void run_steps(struct tasks_loop *loop)
{
    for (;;) {
        uint32_t seen = base_doorbell_read(&loop->bell);
        int64_t next_mono = loop->ops->step(loop->task);
        if (next_mono == TASKS_STEP_END)
            return;
        if (next_mono > base_mono_ns())
            base_doorbell_wait(&loop->bell, seen, next_mono);
    }
}

/* One word, so that any thread may look at any time. */
static uint64_t pack(const struct base_rt_got *got)
{
    return (uint64_t)got->fifo | (uint64_t)got->pinned << 1 |
           (uint64_t)(uint16_t)got->priority << 8 | (uint64_t)(uint16_t)got->sched_errno << 24 |
           (uint64_t)(uint16_t)got->affinity_errno << 40;
}

struct base_rt_got tasks_loop_got(const struct tasks_loop *loop)
{
    uint64_t word = atomic_load(&loop->got);
    return (struct base_rt_got){.fifo = (word & 1) != 0,
                                .pinned = (word >> 1 & 1) != 0,
                                .priority = (int)(word >> 8 & 0xFFFF),
                                .sched_errno = (int)(word >> 24 & 0xFFFF),
                                .affinity_errno = (int)(word >> 40 & 0xFFFF)};
}

static void *thread_main(void *arg)
{
    struct tasks_loop *loop = arg;
    struct base_rt_got got;
    base_rt_apply(&loop->rt, &got);
    atomic_store(&loop->got, pack(&got));
    if (loop->ops->began != NULL)
        loop->ops->began(loop->task, &got);
    base_rt_prefault_stack(BASE_RT_STACK_BYTES / 4);
    base_rt_enter();
    run_steps(loop);
    base_rt_leave();
    atomic_store(&loop->ended, true);
    base_doorbell_ring(&loop->caller);
    return NULL;
}

static bool has_reported(void *ctx)
{
    return atomic_load(&((struct tasks_loop *)ctx)->reported);
}

static bool has_ended(void *ctx)
{
    return atomic_load(&((struct tasks_loop *)ctx)->ended);
}

enum arcd_err tasks_loop_start(struct tasks_loop *loop, int64_t limit_ns, struct arcd_errinfo *why)
{
    ARCD_ASSERT(!loop->joinable);
    atomic_store(&loop->stop, false);
    atomic_store(&loop->reported, false);
    atomic_store(&loop->ended, false);
    enum arcd_err err = base_thread_start(&loop->thread, thread_main, loop, why);
    if (err != ARCD_OK) {
        atomic_store(&loop->ended, true);
        return err;
    }
    loop->joinable = true;
    if (tasks_loop_await(loop, has_reported, loop, limit_ns))
        return ARCD_OK;
    return arcd_fail(why, ARCD_ERR_TIMEOUT, 0, "the device does not answer; still starting");
}

void tasks_loop_ask_stop(struct tasks_loop *loop)
{
    atomic_store(&loop->stop, true);
    base_doorbell_ring(&loop->bell);
}

enum arcd_err tasks_loop_stop(struct tasks_loop *loop, int64_t patience_ns, int64_t limit_ns)
{
    if (!loop->joinable)
        return ARCD_OK;
    tasks_loop_ask_stop(loop);
    if (!tasks_loop_await(loop, has_ended, loop, patience_ns)) {
        loop->ops->interrupt(loop->task);
        if (!tasks_loop_await(loop, has_ended, loop, limit_ns))
            return ARCD_ERR_TIMEOUT;
    }
    base_thread_join(loop->thread);
    loop->joinable = false;
    return ARCD_OK;
}

bool tasks_loop_is_running(const struct tasks_loop *loop)
{
    return !atomic_load(&loop->ended);
}

bool tasks_loop_await(struct tasks_loop *loop, bool (*done)(void *ctx), void *ctx, int64_t limit_ns)
{
    int64_t deadline = limit_ns == BASE_NEVER ? BASE_NEVER : base_mono_ns() + limit_ns;
    for (;;) {
        uint32_t seen = base_doorbell_read(&loop->caller);
        /* `ended` first: what the last step did is then seen as well. */
        bool ended = atomic_load(&loop->ended);
        if (done(ctx) || ended)
            return true;
        if (!base_doorbell_wait(&loop->caller, seen, deadline) && base_mono_ns() >= deadline)
            return done(ctx) || atomic_load(&loop->ended);
    }
}

ARCD_STEADY bool tasks_loop_must_stop(struct tasks_loop *loop)
{
    return atomic_load(&loop->stop);
}

ARCD_STEADY void tasks_loop_tell(struct tasks_loop *loop)
{
    base_doorbell_ring(&loop->caller);
}

ARCD_STEADY void tasks_loop_report(struct tasks_loop *loop)
{
    atomic_store(&loop->reported, true);
    base_doorbell_ring(&loop->caller);
}
