#include "tasks/recovery.h"

#include <math.h>

void tasks_recovery_init(struct tasks_recovery *recovery, struct tasks_board *board,
                         const struct tasks_retry *retry, uint64_t seed)
{
    *recovery = (struct tasks_recovery){.board = board};
    tasks_backoff_init(&recovery->backoff, retry, seed);
}

ARCD_STEADY void tasks_recovery_begin(struct tasks_recovery *recovery)
{
    tasks_backoff_reset(&recovery->backoff);
    recovery->n_paced = 0;
    recovery->has_restarted = false;
}

ARCD_STEADY static void say(struct tasks_recovery *recovery, enum tasks_event event,
                            const struct hw_error *error, int64_t n, double wait_s)
{
    struct tasks_status status = tasks_status_of(event);
    size_t len = strnlen(error->text, sizeof error->text - 1);
    memcpy(status.text, error->text, len < sizeof status.text ? len : sizeof status.text - 1);
    status.code = error->code;
    status.channel = error->channel;
    status.n = n;
    status.m = recovery->backoff.retry.max_retries;
    status.a = wait_s;
    tasks_board_post(recovery->board, &status);
}

/* To a tenth of a second, or a ms below that: how a person reads a wait. */
ARCD_STEADY static double readable_s(int64_t wait_ns)
{
    int64_t unit = wait_ns >= BASE_NS_PER_S ? 100 * BASE_NS_PER_MS : BASE_NS_PER_MS;
    return round((double)wait_ns / (double)unit) * ((double)unit * 1e-9);
}

/* The state first: an error is never said of a task that still runs. */
ARCD_STEADY static enum tasks_verdict give_up(struct tasks_recovery *recovery,
                                              enum tasks_event event, const struct hw_error *error)
{
    tasks_board_set_state(recovery->board, TASKS_FAULTED);
    say(recovery, event, error, recovery->backoff.n, 0);
    return TASKS_GIVE_UP;
}

ARCD_STEADY static enum tasks_verdict retry(struct tasks_recovery *recovery,
                                            const struct hw_error *error, int64_t mono_ns)
{
    int64_t wait_ns = error->delay_ns;
    enum tasks_event event = TASKS_EVENT_RETRY_FOREVER;
    int64_t n = ++recovery->n_paced;
    if (wait_ns <= 0) {
        if (!tasks_backoff_next(&recovery->backoff, &wait_ns))
            return give_up(recovery, TASKS_EVENT_GAVE_UP, error);
        n = recovery->backoff.n;
        event =
            recovery->backoff.retry.max_retries < 0 ? TASKS_EVENT_RETRY_FOREVER : TASKS_EVENT_RETRY;
    }
    recovery->due_mono = mono_ns + wait_ns;
    say(recovery, event, error, n, readable_s(wait_ns));
    return TASKS_WAIT;
}

ARCD_STEADY static bool may_restart(const struct tasks_recovery *recovery, int64_t mono_ns)
{
    return !recovery->has_restarted ||
           mono_ns - recovery->restarted_mono >= TASKS_RESTART_WINDOW_NS;
}

ARCD_STEADY enum tasks_verdict tasks_recovery_failed(struct tasks_recovery *recovery,
                                                     enum hw_class cls,
                                                     const struct hw_error *error, int64_t mono_ns)
{
    recovery->board->counters.failures++;
    if (cls == HW_TEMPORARY || (cls == HW_RESTART && !may_restart(recovery, mono_ns)))
        return retry(recovery, error, mono_ns);
    if (cls == HW_RESTART) {
        recovery->has_restarted = true;
        recovery->restarted_mono = mono_ns;
        recovery->due_mono = mono_ns;
        say(recovery, TASKS_EVENT_RESTARTED, error, 0, 0);
        return TASKS_RESTART;
    }
    return give_up(recovery, TASKS_EVENT_CRITICAL, error);
}

ARCD_STEADY void tasks_recovery_worked(struct tasks_recovery *recovery)
{
    tasks_backoff_reset(&recovery->backoff);
    recovery->n_paced = 0;
    tasks_board_clear(recovery->board, TASKS_EVENT_RETRY);
    tasks_board_clear(recovery->board, TASKS_EVENT_RETRY_FOREVER);
}
