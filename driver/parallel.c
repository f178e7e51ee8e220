/* The shared state outlives the call when a thread hangs: it is counted by all who use it, and the
 * last one frees it. */
#include "driver/parallel.h"

#include "base/clock.h"
#include "base/rt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct shared {
    pthread_mutex_t lock;
    pthread_cond_t done_cond;
    size_t users; /* the caller and the threads */
    size_t n, next, n_done;
    bool given_up; /* the caller has left: take no more items */
    bool *done;
    void (*run)(void *ctx, size_t i);
    void *ctx;
};

static void leave(struct shared *s)
{
    size_t users = --s->users;
    pthread_mutex_unlock(&s->lock);
    if (users != 0)
        return;
    pthread_cond_destroy(&s->done_cond);
    pthread_mutex_destroy(&s->lock);
    free(s->done);
    free(s);
}

/* Takes items until there are none. */
static void work_through(struct shared *s)
{
    pthread_mutex_lock(&s->lock);
    while (s->next < s->n && !s->given_up) {
        size_t i = s->next++;
        pthread_mutex_unlock(&s->lock);
        s->run(s->ctx, i);
        pthread_mutex_lock(&s->lock);
        s->done[i] = true;
        s->n_done++;
        pthread_cond_signal(&s->done_cond);
    }
    pthread_mutex_unlock(&s->lock);
}

static void *work(void *arg)
{
    struct shared *s = arg;
    work_through(s);
    pthread_mutex_lock(&s->lock);
    leave(s);
    return NULL;
}

static struct shared *shared_new(size_t n, void (*run)(void *ctx, size_t i), void *ctx)
{
    struct shared *s = calloc(1, sizeof *s);
    ARCD_ASSERT(s != NULL);
    s->done = calloc(n + 1, sizeof *s->done);
    ARCD_ASSERT(s->done != NULL);
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&s->done_cond, &attr);
    pthread_condattr_destroy(&attr);
    s->users = 1;
    s->n = n;
    s->run = run;
    s->ctx = ctx;
    return s;
}

static bool start_thread(struct shared *s)
{
    pthread_t thread;
    pthread_mutex_lock(&s->lock);
    s->users++;
    pthread_mutex_unlock(&s->lock);
    if (base_thread_start(&thread, work, s, NULL) == ARCD_OK) {
        pthread_detach(thread);
        return true;
    }
    pthread_mutex_lock(&s->lock);
    s->users--; /* the caller is still one */
    pthread_mutex_unlock(&s->lock);
    return false;
}

static void start_threads(struct shared *s, size_t n_threads)
{
    for (size_t t = 0; t < n_threads && t < s->n; t++) {
        if (start_thread(s))
            continue;
        if (t == 0)
            work_through(s); /* no thread to be had at all: do it here, without the bound */
        return;
    }
}

bool driver_parallel(size_t n, size_t n_threads, int64_t deadline_mono_ns,
                     void (*run)(void *ctx, size_t i), void *ctx, bool *finished)
{
    if (n == 0)
        return true;
    struct shared *s = shared_new(n, run, ctx);
    start_threads(s, n_threads < 1                     ? 1
                     : n_threads > DRIVER_PARALLEL_MAX ? DRIVER_PARALLEL_MAX
                                                       : n_threads);
    struct timespec until = {deadline_mono_ns / BASE_NS_PER_S, deadline_mono_ns % BASE_NS_PER_S};
    pthread_mutex_lock(&s->lock);
    int rc = 0;
    while (s->n_done < n && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&s->done_cond, &s->lock, &until);
    bool all = s->n_done == n;
    s->given_up = !all;
    if (finished != NULL)
        memcpy(finished, s->done, n * sizeof *finished);
    leave(s);
    return all;
}
