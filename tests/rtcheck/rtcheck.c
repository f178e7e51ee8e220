/* The guard of the rtcheck build: a shared library that stands before libc, so that each function
 * below is called instead of libc's. On a thread between base_rt_enter() and base_rt_leave() it
 * aborts with the function's name and a backtrace; elsewhere it passes the call on. It sees calls
 * through pointers and out of other shared libraries, which the static check of tools/check_rt.py
 * cannot. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define GUARD __attribute__((visibility("default")))

/* Initial-exec: reading it never allocates, not even the first time on a thread. */
static _Thread_local int depth __attribute__((tls_model("initial-exec")));

GUARD void rtcheck_enter(void);
GUARD void rtcheck_leave(void);

void rtcheck_enter(void)
{
    depth++;
}

void rtcheck_leave(void)
{
    depth--;
}

/* backtrace() loads libgcc the first time: not in the middle of a finding. */
__attribute__((constructor)) static void load_backtrace(void)
{
    void *frame;
    backtrace(&frame, 1);
}

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* nobody reads it: the abort still says enough */
}

_Noreturn static void found(const char *name)
{
    depth = 0; /* from here on this thread may do all it likes */
    say("rtcheck: ");
    say(name);
    say("() called in real-time code\n");
    void *frames[64];
    int n = backtrace(frames, 64);
    backtrace_symbols_fd(frames, n, STDERR_FILENO);
    abort();
}

static inline void check(const char *name)
{
    if (depth > 0)
        found(name);
}

static void *next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL) {
        say("rtcheck: libc has no ");
        say(name);
        say("\n");
        abort();
    }
    return function;
}

/* glibc's own allocator under its other names: dlsym() may itself allocate. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *piece);

GUARD void *malloc(size_t size)
{
    check("malloc");
    return __libc_malloc(size);
}

GUARD void *calloc(size_t n, size_t size)
{
    check("calloc");
    return __libc_calloc(n, size);
}

GUARD void *realloc(void *old, size_t size)
{
    check("realloc");
    return __libc_realloc(old, size);
}

GUARD void *reallocarray(void *old, size_t n, size_t size)
{
    check("reallocarray");
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(old, bytes);
}

GUARD void *memalign(size_t align, size_t size);
GUARD void *memalign(size_t align, size_t size)
{
    check("memalign");
    return __libc_memalign(align, size);
}

GUARD void *aligned_alloc(size_t align, size_t size)
{
    check("aligned_alloc");
    return __libc_memalign(align, size);
}

GUARD int posix_memalign(void **piece, size_t align, size_t size)
{
    check("posix_memalign");
    if (align % sizeof(void *) != 0 || (align & (align - 1)) != 0 || align == 0)
        return EINVAL;
    void *got = __libc_memalign(align, size);
    if (got == NULL)
        return ENOMEM;
    *piece = got;
    return 0;
}

GUARD void free(void *piece)
{
    check("free");
    __libc_free(piece);
}

/* X(result, name, parameters, arguments): all that blocks, allocates or enters the kernel and has a
 * fixed list of parameters. The thread's own wait and a consumer's wake go through syscall() and
 * clock_nanosleep(), which are therefore not here. */
#define PASSED_ON(X)                                                                               \
    X(int, pthread_mutex_lock, (pthread_mutex_t * m), (m))                                         \
    X(int, pthread_mutex_timedlock, (pthread_mutex_t * m, const struct timespec *t), (m, t))       \
    X(int, pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l))                                     \
    X(int, pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l))                                     \
    X(int, pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t * m), (c, m))                   \
    X(int, pthread_cond_timedwait,                                                                 \
      (pthread_cond_t * c, pthread_mutex_t * m, const struct timespec *t), (c, m, t))              \
    X(int, pthread_cond_signal, (pthread_cond_t * c), (c))                                         \
    X(int, pthread_cond_broadcast, (pthread_cond_t * c), (c))                                      \
    X(int, pthread_create,                                                                         \
      (pthread_t * t, const pthread_attr_t *a, void *(*f)(void *), void *arg), (t, a, f, arg))     \
    X(int, pthread_join, (pthread_t t, void **result), (t, result))                                \
    X(int, sem_wait, (sem_t * s), (s))                                                             \
    X(int, sem_post, (sem_t * s), (s))                                                             \
    X(unsigned, sleep, (unsigned s), (s))                                                          \
    X(int, usleep, (useconds_t us), (us))                                                          \
    X(int, nanosleep, (const struct timespec *t, struct timespec *left), (t, left))                \
    X(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n))                                    \
    X(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n))                         \
    X(ssize_t, readv, (int fd, const struct iovec *v, int n), (fd, v, n))                          \
    X(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n))                         \
    X(ssize_t, pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at))                     \
    X(ssize_t, pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at))          \
    X(int, close, (int fd), (fd))                                                                  \
    X(int, fsync, (int fd), (fd))                                                                  \
    X(ssize_t, send, (int fd, const void *from, size_t n, int how), (fd, from, n, how))            \
    X(ssize_t, sendmsg, (int fd, const struct msghdr *m, int how), (fd, m, how))                   \
    X(ssize_t, recv, (int fd, void *to, size_t n, int how), (fd, to, n, how))                      \
    X(ssize_t, recvmsg, (int fd, struct msghdr *m, int how), (fd, m, how))                         \
    X(int, poll, (struct pollfd * fds, nfds_t n, int ms), (fds, n, ms))                            \
    X(int, select, (int n, fd_set *r, fd_set *w, fd_set *x, struct timeval *t), (n, r, w, x, t))   \
    X(void *, mmap, (void *at, size_t n, int prot, int how, int fd, off_t off),                    \
      (at, n, prot, how, fd, off))                                                                 \
    X(int, munmap, (void *at, size_t n), (at, n))                                                  \
    X(FILE *, fopen, (const char *path, const char *mode), (path, mode))                           \
    X(FILE *, fdopen, (int fd, const char *mode), (fd, mode))                                      \
    X(int, fclose, (FILE * f), (f))                                                                \
    X(int, fflush, (FILE * f), (f))                                                                \
    X(size_t, fread, (void *to, size_t size, size_t n, FILE *f), (to, size, n, f))                 \
    X(size_t, fwrite, (const void *from, size_t size, size_t n, FILE *f), (from, size, n, f))      \
    X(char *, fgets, (char *to, int n, FILE *f), (to, n, f))                                       \
    X(int, fputs, (const char *text, FILE *f), (text, f))                                          \
    X(int, fputc, (int c, FILE *f), (c, f))                                                        \
    X(int, putc, (int c, FILE *f), (c, f))                                                         \
    X(int, putchar, (int c), (c))                                                                  \
    X(int, puts, (const char *text), (text))                                                       \
    X(void, perror, (const char *text), (text))                                                    \
    X(int, vprintf, (const char *fmt, va_list args), (fmt, args))                                  \
    X(int, vfprintf, (FILE * f, const char *fmt, va_list args), (f, fmt, args))                    \
    X(int, vdprintf, (int fd, const char *fmt, va_list args), (fd, fmt, args))                     \
    X(int, vasprintf, (char **text, const char *fmt, va_list args), (text, fmt, args))             \
    X(void, vsyslog, (int level, const char *fmt, va_list args), (level, fmt, args))               \
    X(void *, dlopen, (const char *path, int how), (path, how))

#define DEFINE(result, name, params, args)                                                         \
    GUARD result name params                                                                       \
    {                                                                                              \
        static result(*real) params;                                                               \
        check(#name);                                                                              \
        result(*function) params = __atomic_load_n(&real, __ATOMIC_RELAXED);                       \
        if (function == NULL) {                                                                    \
            function = (result(*) params)next(#name);                                              \
            __atomic_store_n(&real, function, __ATOMIC_RELAXED);                                   \
        }                                                                                          \
        return function args;                                                                      \
    }

/* ISO C has no void result to return, GNU C takes it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
PASSED_ON(DEFINE)
#pragma GCC diagnostic pop

/* The printf family with "..." goes to its v-form, under its own name. */
#define DEFINE_PRINTF(name, params, last, call)                                                    \
    GUARD int name params                                                                          \
    {                                                                                              \
        check(#name);                                                                              \
        va_list args;                                                                              \
        va_start(args, last);                                                                      \
        int result = call;                                                                         \
        va_end(args);                                                                              \
        return result;                                                                             \
    }

DEFINE_PRINTF(printf, (const char *fmt, ...), fmt, vprintf(fmt, args))
DEFINE_PRINTF(fprintf, (FILE * f, const char *fmt, ...), fmt, vfprintf(f, fmt, args))
DEFINE_PRINTF(dprintf, (int fd, const char *fmt, ...), fmt, vdprintf(fd, fmt, args))
DEFINE_PRINTF(asprintf, (char **text, const char *fmt, ...), fmt, vasprintf(text, fmt, args))

GUARD void syslog(int level, const char *fmt, ...)
{
    check("syslog");
    va_list args;
    va_start(args, fmt);
    vsyslog(level, fmt, args);
    va_end(args);
}

/* Reading a third argument that the caller did not give is harmless here: the kernel ignores it. */
GUARD int open(const char *path, int flags, ...)
{
    check("open");
    va_list args;
    va_start(args, flags);
    mode_t mode = va_arg(args, mode_t);
    va_end(args);
    return openat(AT_FDCWD, path, flags, mode);
}

GUARD int openat(int dir, const char *path, int flags, ...)
{
    static int (*real)(int, const char *, int, ...);
    check("openat");
    if (real == NULL)
        real = (int (*)(int, const char *, int, ...))next("openat");
    va_list args;
    va_start(args, flags);
    mode_t mode = va_arg(args, mode_t);
    va_end(args);
    return real(dir, path, flags, mode);
}

GUARD int ioctl(int fd, unsigned long request, ...)
{
    static int (*real)(int, unsigned long, ...);
    check("ioctl");
    if (real == NULL)
        real = (int (*)(int, unsigned long, ...))next("ioctl");
    va_list args;
    va_start(args, request);
    void *arg = va_arg(args, void *);
    va_end(args);
    return real(fd, request, arg);
}
