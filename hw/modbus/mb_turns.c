#include "hw/modbus/mb_turns.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* ---- Callers */

enum arcd_err mb_caller_init(struct mb_caller *caller, struct arcd_errinfo *why)
{
    *caller = (struct mb_caller){.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    base_doorbell_init(&caller->bell);
    if (caller->wake_fd < 0)
        return arcd_fail_errno(why, errno, "eventfd");
    return ARCD_OK;
}

void mb_caller_fini(struct mb_caller *caller)
{
    if (caller->wake_fd >= 0)
        close(caller->wake_fd);
}

void mb_caller_reset(struct mb_caller *caller)
{
    uint64_t count = 0;
    ssize_t n = read(caller->wake_fd, &count, sizeof count); /* EAGAIN: there was no interrupt */
    (void)n;
    atomic_store(&caller->interrupted, false);
}

void mb_caller_interrupt(struct mb_caller *caller)
{
    atomic_store(&caller->interrupted, true);
    base_doorbell_ring(&caller->bell);
    uint64_t one = 1;
    ssize_t n = write(caller->wake_fd, &one, sizeof one); /* EAGAIN: it is readable already */
    (void)n;
}

bool mb_caller_sleep(struct mb_caller *caller, const struct base_clock *clock,
                     int64_t until_mono_ns)
{
    for (;;) {
        uint32_t seen = base_doorbell_read(&caller->bell);
        if (atomic_load(&caller->interrupted))
            return false;
        if (base_clock_mono(clock) >= until_mono_ns)
            return true;
        base_doorbell_wait(&caller->bell, seen, until_mono_ns);
    }
}

/* ---- Turns */

void mb_turns_init(struct mb_turns *turns)
{
    *turns = (struct mb_turns){0};
    /* Read and write tasks have different priorities. */
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&turns->lock, &attr);
    pthread_mutexattr_destroy(&attr);
}

void mb_turns_fini(struct mb_turns *turns)
{
    ARCD_ASSERT(turns->holder == NULL);
    pthread_mutex_destroy(&turns->lock);
}

static void append(struct mb_caller **list, struct mb_caller *caller)
{
    while (*list != NULL)
        list = &(*list)->next;
    caller->next = NULL;
    *list = caller;
}

static void remove_from(struct mb_caller **list, const struct mb_caller *caller)
{
    while (*list != NULL && *list != caller)
        list = &(*list)->next;
    if (*list != NULL)
        *list = caller->next;
}

/* True: the turn is ours at once. */
static bool take_or_queue(struct mb_turns *turns, struct mb_caller *caller, bool is_write)
{
    pthread_mutex_lock(&turns->lock);
    bool free = turns->holder == NULL;
    atomic_store(&caller->granted, free);
    if (free)
        turns->holder = caller;
    else
        append(&turns->first[is_write], caller);
    pthread_mutex_unlock(&turns->lock);
    return free;
}

/* The wait is over without a turn, unless one came at the last moment: that one is given back. */
static int leave(struct mb_turns *turns, struct mb_caller *caller, bool is_write, int code)
{
    pthread_mutex_lock(&turns->lock);
    bool granted = atomic_load(&caller->granted);
    if (!granted)
        remove_from(&turns->first[is_write], caller);
    pthread_mutex_unlock(&turns->lock);
    if (granted)
        mb_turns_give(turns);
    return code;
}

int mb_turns_take(struct mb_turns *turns, struct mb_caller *caller, bool is_write,
                  const struct base_clock *clock, int64_t deadline_mono_ns)
{
    if (atomic_load(&caller->interrupted))
        return ECANCELED;
    if (take_or_queue(turns, caller, is_write))
        return 0;
    for (;;) {
        uint32_t seen = base_doorbell_read(&caller->bell);
        if (atomic_load(&caller->interrupted))
            return leave(turns, caller, is_write, ECANCELED);
        if (atomic_load(&caller->granted))
            return 0;
        if (base_clock_mono(clock) >= deadline_mono_ns)
            return leave(turns, caller, is_write, ETIMEDOUT);
        base_doorbell_wait(&caller->bell, seen, deadline_mono_ns);
    }
}

void mb_turns_give(struct mb_turns *turns)
{
    pthread_mutex_lock(&turns->lock);
    struct mb_caller **list = turns->first[1] != NULL ? &turns->first[1] : &turns->first[0];
    struct mb_caller *next = *list;
    turns->holder = next;
    if (next != NULL) {
        *list = next->next;
        atomic_store(&next->granted, true);
        base_doorbell_ring(&next->bell);
    }
    pthread_mutex_unlock(&turns->lock);
}

bool mb_turns_wanted(struct mb_turns *turns)
{
    pthread_mutex_lock(&turns->lock);
    bool wanted = turns->first[0] != NULL || turns->first[1] != NULL;
    pthread_mutex_unlock(&turns->lock);
    return wanted;
}

void mb_turns_if_holder(struct mb_turns *turns, const struct mb_caller *caller,
                        void (*fn)(void *ctx), void *ctx)
{
    pthread_mutex_lock(&turns->lock);
    if (turns->holder == caller)
        fn(ctx);
    pthread_mutex_unlock(&turns->lock);
}
