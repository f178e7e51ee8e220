/* Connecting within a time that can be cut short. A name is resolved anew for every connection, on
 * a thread of its own, because nothing can end getaddrinfo(); a look-up that takes too long is left
 * alone and asked again the next time. */
#include "hw/modbus/mb_io.h"

#include "base/clock.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

int mb_wait_fd(int fd, short events, int wake_fd, int64_t deadline_ns)
{
    struct pollfd fds[2] = {{.fd = fd, .events = events}, {.fd = wake_fd, .events = POLLIN}};
    for (;;) {
        int64_t left_ns = deadline_ns - base_mono_ns();
        if (left_ns < 0)
            left_ns = 0;
        struct timespec left = {left_ns / BASE_NS_PER_S, left_ns % BASE_NS_PER_S};
        int n = ppoll(fds, 2, &left, NULL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        if (fds[1].revents != 0)
            return ECANCELED;
        if (fds[0].revents != 0)
            return 0;
        if (left_ns == 0)
            return ETIMEDOUT;
    }
}

/* ---- Looking up a name */

struct mb_lookup {
    atomic_int owners; /* the asker and the thread: the last one frees */
    char *host;
    char service[8];
    int done_fd;         /* readable when the answer is there */
    atomic_bool is_done; /* publishes what follows */
    struct addrinfo *addresses;
    int code; /* of getaddrinfo */
};

static const struct addrinfo hints = {
    .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};

void mb_lookup_free(struct mb_lookup *lookup)
{
    if (lookup == NULL || atomic_fetch_sub(&lookup->owners, 1) > 1)
        return;
    if (lookup->addresses != NULL)
        freeaddrinfo(lookup->addresses);
    if (lookup->done_fd >= 0)
        close(lookup->done_fd);
    free(lookup->host);
    free(lookup);
}

static void *look_up(void *arg)
{
    struct mb_lookup *lookup = arg;
    lookup->code = getaddrinfo(lookup->host, lookup->service, &hints, &lookup->addresses);
    atomic_store(&lookup->is_done, true);
    uint64_t one = 1;
    ssize_t n = write(lookup->done_fd, &one, sizeof one);
    (void)n;
    mb_lookup_free(lookup);
    return NULL;
}

/* A normal thread, whatever the priority of the task that asks. */
static int start_thread(struct mb_lookup *lookup)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attr, SCHED_OTHER);
    atomic_fetch_add(&lookup->owners, 1);
    pthread_t thread;
    int code = pthread_create(&thread, &attr, look_up, lookup);
    pthread_attr_destroy(&attr);
    if (code != 0)
        atomic_fetch_sub(&lookup->owners, 1);
    return code;
}

static struct mb_lookup *lookup_new(const char *host, uint16_t port)
{
    struct mb_lookup *lookup = calloc(1, sizeof *lookup);
    if (lookup == NULL)
        return NULL;
    atomic_init(&lookup->owners, 1);
    lookup->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    lookup->host = strdup(host);
    snprintf(lookup->service, sizeof lookup->service, "%u", port);
    if (lookup->host != NULL && lookup->done_fd >= 0 && start_thread(lookup) == 0)
        return lookup;
    mb_lookup_free(lookup);
    return NULL;
}

/* *addresses belong to the caller. */
static int resolve(const char *host, uint16_t port, int wake_fd, int64_t deadline_ns,
                   struct mb_lookup **pending, struct addrinfo **addresses, char text[MB_IO_TEXT])
{
    char service[8];
    snprintf(service, sizeof service, "%u", port);
    struct addrinfo numeric = hints;
    numeric.ai_flags |= AI_NUMERICHOST;
    if (getaddrinfo(host, service, &numeric, addresses) == 0)
        return 0;
    if (*pending == NULL && (*pending = lookup_new(host, port)) == NULL) {
        snprintf(text, MB_IO_TEXT, "cannot resolve %s: out of memory", host);
        return ENOMEM;
    }
    int code = mb_wait_fd((*pending)->done_fd, POLLIN, wake_fd, deadline_ns);
    if (code != 0) {
        snprintf(text, MB_IO_TEXT, "cannot resolve %s: the name server does not answer", host);
        return code;
    }
    struct mb_lookup *lookup = *pending;
    ARCD_ASSERT(atomic_load(&lookup->is_done));
    *pending = NULL;
    if (lookup->code != 0) {
        snprintf(text, MB_IO_TEXT, "cannot resolve %s: %s", host, gai_strerror(lookup->code));
        code = EHOSTUNREACH;
    }
    *addresses = lookup->addresses;
    lookup->addresses = NULL;
    mb_lookup_free(lookup);
    return code;
}

/* ---- Connecting */

static int connect_one(const struct addrinfo *address, int wake_fd, int64_t deadline_ns, int *fd)
{
    int s = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s < 0)
        return errno;
    int on = 1;
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(s, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    int code = connect(s, address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
    if (code == EINPROGRESS || code == EINTR) {
        code = mb_wait_fd(s, POLLOUT, wake_fd, deadline_ns);
        socklen_t size = sizeof code;
        if (code == 0 && getsockopt(s, SOL_SOCKET, SO_ERROR, &code, &size) != 0)
            code = errno;
    }
    if (code == 0)
        *fd = s;
    else
        close(s);
    return code;
}

static uint32_t count(const struct addrinfo *address)
{
    uint32_t n = 0;
    for (; address != NULL; address = address->ai_next)
        n++;
    return n;
}

int mb_tcp_connect(const char *host, uint16_t port, int wake_fd, int64_t deadline_ns,
                   struct mb_lookup **pending, int *fd, char text[MB_IO_TEXT])
{
    struct addrinfo *addresses = NULL;
    int code = resolve(host, port, wake_fd, deadline_ns, pending, &addresses, text);
    if (code != 0)
        return code;
    code = EHOSTUNREACH;
    char why[MB_IO_TEXT / 2];
    /* Every address gets its share of the time that is left. */
    for (struct addrinfo *a = addresses; a != NULL && code != ECANCELED; a = a->ai_next) {
        int64_t now_ns = base_mono_ns();
        code = connect_one(a, wake_fd, now_ns + (deadline_ns - now_ns) / count(a), fd);
        if (code == 0)
            break;
    }
    freeaddrinfo(addresses);
    if (code == ETIMEDOUT)
        snprintf(text, MB_IO_TEXT, "no answer to connect");
    else if (code != 0)
        snprintf(text, MB_IO_TEXT, "%s", strerror_r(code, why, sizeof why));
    return code;
}
