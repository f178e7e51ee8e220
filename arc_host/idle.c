#include "arc_host/idle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static const char default_path[] = "/dev/cpu_dma_latency";

void arc_host_idle_init(struct arc_host_idle *idle, const char *path)
{
    pthread_mutex_init(&idle->lock, NULL);
    idle->path = path != NULL ? path : default_path;
    idle->fd = -1;
    idle->holders = 0;
}

static void close_file(struct arc_host_idle *idle)
{
    if (idle->fd >= 0)
        close(idle->fd);
    idle->fd = -1;
}

void arc_host_idle_fini(struct arc_host_idle *idle)
{
    close_file(idle);
    pthread_mutex_destroy(&idle->lock);
}

static enum arcd_err failed(const struct arc_host_idle *idle, int errnum, struct arcd_errinfo *why)
{
    const char *fix =
        errnum == ENOENT ? "the kernel or the container has no such file: limit idle states in the "
                           "firmware or with the kernel option processor.max_cstate=1"
                         : "run arcd as a service or as root, or let its user write the file";
    char reason[128];
    return arcd_fail(why, errnum == ENOENT ? ARCD_ERR_UNSUPPORTED : ARCD_ERR_PERMISSION, errnum,
                     "failed to keep cores out of deep idle states: %s: %s; %s", idle->path,
                     strerror_r(errnum, reason, sizeof reason), fix);
}

static enum arcd_err open_file(struct arc_host_idle *idle, struct arcd_errinfo *why)
{
    const int32_t limit_us = 0;
    idle->fd = open(idle->path, O_WRONLY | O_CLOEXEC);
    if (idle->fd < 0)
        return failed(idle, errno, why);
    ssize_t n = write(idle->fd, &limit_us, sizeof limit_us);
    if (n == (ssize_t)sizeof limit_us)
        return ARCD_OK;
    int errnum = n < 0 ? errno : EIO;
    close_file(idle);
    return failed(idle, errnum, why);
}

enum arcd_err arc_host_idle_hold(struct arc_host_idle *idle, struct arcd_errinfo *why)
{
    pthread_mutex_lock(&idle->lock);
    idle->holders++;
    enum arcd_err err = idle->fd < 0 ? open_file(idle, why) : ARCD_OK;
    pthread_mutex_unlock(&idle->lock);
    return err;
}

void arc_host_idle_release(struct arc_host_idle *idle)
{
    pthread_mutex_lock(&idle->lock);
    ARCD_ASSERT(idle->holders > 0);
    if (--idle->holders == 0)
        close_file(idle);
    pthread_mutex_unlock(&idle->lock);
}

bool arc_host_idle_is_held(struct arc_host_idle *idle)
{
    pthread_mutex_lock(&idle->lock);
    bool held = idle->fd >= 0;
    pthread_mutex_unlock(&idle->lock);
    return held;
}
