#include "driver/bench/load.h"

#include "base/clock.h"
#include "base/rt.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void bench_load_init(struct bench_load *load)
{
    memset(load, 0, sizeof *load);
    load->stress.out = -1;
}

static void settle(void)
{
    struct timespec left = {.tv_sec = 1};
    while (nanosleep(&left, &left) != 0)
        ;
}

enum arcd_err bench_load_start_stress(struct bench_load *load, struct arcd_errinfo *why)
{
    /* 0 processes of a kind: as many as there are cores. /tmp may be memory, and the load is to be
     * on a disk. */
    const char *dir = access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp";
    const char *const argv[] = {"stress-ng",  "--quiet", "--cpu",       "0",           "--hdd",
                                "0",          "--vm",    "0",           "--hdd-bytes", "64m",
                                "--vm-bytes", "64m",     "--temp-path", dir,           NULL};
    struct bench_child_opts opts = {.argv = argv, .signal_at_our_end = SIGTERM};
    enum arcd_err err = bench_child_start(&load->stress, &opts, why);
    if (err != ARCD_OK)
        return err;
    settle();
    if (!bench_child_has_ended(&load->stress))
        return ARCD_OK;
    bench_load_stop(load);
    return arcd_fail(why, ARCD_ERR_SYSTEM, 0, "stress-ng ended at once");
}

static void *loop(void *arg)
{
    struct bench_load *load = arg;
    while (!atomic_load_explicit(&load->stop, memory_order_relaxed))
        ;
    return NULL;
}

enum arcd_err bench_load_start_loops(struct bench_load *load, uint32_t n, struct arcd_errinfo *why)
{
    ARCD_ASSERT(n <= BENCH_LOAD_LOOPS_MAX);
    atomic_store(&load->stop, false);
    for (; load->n_loops < n; load->n_loops++) {
        enum arcd_err err = base_thread_start(&load->loops[load->n_loops], loop, load, why);
        if (err != ARCD_OK) {
            bench_load_stop(load);
            return err;
        }
    }
    return ARCD_OK;
}

bool bench_load_is_on(const struct bench_load *load)
{
    return load->n_loops > 0 || (load->stress.pid > 0 && !bench_child_has_ended(&load->stress));
}

void bench_load_stop(struct bench_load *load)
{
    atomic_store(&load->stop, true);
    while (load->n_loops > 0)
        base_thread_join(load->loops[--load->n_loops]);
    bench_child_stop(&load->stress, SIGTERM, 10 * BASE_NS_PER_S);
}
