/* A bird for each mine: commits the one fault that its argument names. A preset that claims to find
 * such faults must kill this program, or its flags are not on. */
#include "base/rtmark.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void overflow(void)
{
    /* Volatile: the compiler must not know the block's size, or UBSan finds it first. */
    char *volatile bytes = calloc(16, 1);
    printf("%d\n", bytes[16]);
    free(bytes);
}

static void leak(void)
{
    char *volatile bytes = calloc(1234, 1);
    bytes = NULL;
    printf("%p\n", (void *)bytes);
}

static void signed_overflow(void)
{
    volatile int n = INT_MAX;
    printf("%d\n", n + 1);
}

static int shared;

static void *count(void *unused)
{
    (void)unused;
    for (int i = 0; i < 1000; i++)
        shared++;
    return NULL;
}

static void race(void)
{
    pthread_t other;
    if (pthread_create(&other, NULL, count, NULL) != 0)
        exit(2);
    count(NULL);
    pthread_join(other, NULL);
    printf("%d\n", shared);
}

static void *(*volatile allocate)(size_t) = malloc;
static char *volatile kept;

static void rt_malloc(void)
{
    base_rt_enter();
    kept = allocate(8);
    base_rt_leave();
}

static void rt_free(void)
{
    kept = allocate(8);
    base_rt_enter();
    free(kept);
    base_rt_leave();
}

/* strdup() allocates inside libc: the guard sees that too. */
static void rt_strdup(void)
{
    base_rt_enter();
    kept = strdup("inside libc");
    base_rt_leave();
}

static void rt_lock(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    base_rt_enter();
    pthread_mutex_lock(&mutex);
    base_rt_leave();
}

static void rt_write(void)
{
    base_rt_enter();
    ssize_t n = write(STDOUT_FILENO, "x", 1);
    base_rt_leave();
    printf("%zd\n", n);
}

static void rt_printf(void)
{
    base_rt_enter();
    printf("%d\n", getpid());
    base_rt_leave();
}

static void rt_open(void)
{
    base_rt_enter();
    int fd = open("/dev/null", O_RDONLY);
    base_rt_leave();
    close(fd);
}

/* A leave inside a nested enter is still inside. */
static void rt_nested(void)
{
    base_rt_enter();
    base_rt_enter();
    base_rt_leave();
    kept = allocate(8);
    base_rt_leave();
}

static void *allocate_on_thread(void *unused)
{
    (void)unused;
    free(allocate(8));
    return NULL;
}

/* Must live: outside the pair, around a hardware call, and on a thread that is not real-time. */
static void rt_outside(void)
{
    base_rt_enter();
    base_rt_leave();
    free(allocate(8));
    base_rt_enter();
    base_rt_leave();
    printf("hardware call\n");
    base_rt_enter();
    base_rt_leave();
    pthread_t other;
    if (pthread_create(&other, NULL, allocate_on_thread, NULL) != 0)
        exit(2);
    pthread_join(other, NULL);
}

static const struct {
    const char *name;
    void (*commit)(void);
} faults[] = {
    {"overflow", overflow},
    {"leak", leak},
    {"signed_overflow", signed_overflow},
    {"race", race},
    {"rt_malloc", rt_malloc},
    {"rt_free", rt_free},
    {"rt_strdup", rt_strdup},
    {"rt_lock", rt_lock},
    {"rt_write", rt_write},
    {"rt_printf", rt_printf},
    {"rt_open", rt_open},
    {"rt_nested", rt_nested},
    {"rt_outside", rt_outside},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < ARCD_COUNT_OF(faults); i++) {
        if (argc == 2 && strcmp(argv[1], faults[i].name) == 0) {
            faults[i].commit();
            return 0;
        }
    }
    fprintf(stderr, "canary: no such fault\n");
    return 2;
}
