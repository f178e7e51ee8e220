/* How long it takes from a publish to the moment when a sleeping subscriber has the batch, beside
 * what the machine needs at least: one thread that wakes another by a bare futex.
 *
 *     publisher: [clock] publish ----> subscriber: wakes, takes the batch, [clock], answers
 *
 * Both sides use the same two threads on the same two cores, a few hundred rounds in turn. The
 * publisher begins a round only when the other is asleep: in the kernel, not merely on its way. */
#include "base/clock.h"
#include "base/rt.h"
#include "bench/report.h"
#include "telem/bus.h"

#include <linux/futex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 200, PRIORITY = 47, SETTLE_NS = 30000 };

struct futex_bell {
    ARCD_ALIGNED_CACHE _Atomic uint32_t word;
};

struct bench {
    struct telem_chans *chans;
    struct telem_bus *bus;
    struct telem_pub *pub;
    struct telem_sub *sub;
    struct futex_bell there, back;
    _Atomic uint32_t use_bus; /* what the next rounds are about */
    _Atomic bool stop;
    int64_t began_mono_ns; /* handed over by the wake-up */
    struct bench_pair pair;
    struct base_rt_got got;
};

static struct bench bench;

/* ---- Bare futex */

static void futex_wake(struct futex_bell *bell)
{
    atomic_fetch_add(&bell->word, 1);
    syscall(SYS_futex, &bell->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void futex_wait(struct futex_bell *bell, uint32_t seen)
{
    while (atomic_load(&bell->word) == seen)
        syscall(SYS_futex, &bell->word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

/* ---- The subscriber */

static void take_by_futex(uint32_t *seen)
{
    futex_wait(&bench.there, *seen);
    int64_t now = base_mono_ns();
    *seen = atomic_load(&bench.there.word);
    if (!atomic_load(&bench.stop))
        base_histo_record(&bench.pair.versus, now - bench.began_mono_ns);
}

static void take_by_bus(void)
{
    struct base_doorbell *bell = telem_sub_bell(bench.sub);
    const struct telem_batch *batch;
    for (;;) {
        uint32_t seen = base_doorbell_read(bell);
        batch = telem_sub_next(bench.sub);
        if (batch != NULL || atomic_load(&bench.stop))
            break;
        base_doorbell_wait(bell, seen, BASE_NEVER);
    }
    int64_t now = base_mono_ns();
    if (batch != NULL)
        base_histo_record(&bench.pair.ours, now - bench.began_mono_ns);
    telem_batch_release(batch);
}

static void *subscriber(void *arg)
{
    const struct base_rt_request *request = arg;
    base_rt_apply(request, &bench.got);
    uint32_t seen = atomic_load(&bench.there.word);
    futex_wake(&bench.back);
    while (!atomic_load(&bench.stop)) {
        if (atomic_load(&bench.use_bus))
            take_by_bus();
        else
            take_by_futex(&seen);
        futex_wake(&bench.back);
    }
    return NULL;
}

/* ---- The publisher */

static void publish(void)
{
    struct telem_batch *batch = telem_pub_borrow(bench.pub);
    ARCD_ASSERT(batch != NULL);
    bool fits = telem_batch_append(batch, 0, (union telem_value){.f64 = 1}, 1);
    ARCD_ASSERT(fits);
    bench.began_mono_ns = base_mono_ns();
    telem_pub_publish(bench.pub, batch);
}

/* Long enough for the other to be asleep after its answer. */
static void settle(void)
{
    int64_t until = base_mono_ns() + SETTLE_NS;
    while (base_mono_ns() < until)
        ;
}

static void round_by(bool use_bus)
{
    settle();
    uint32_t seen = atomic_load(&bench.back.word);
    if (use_bus) {
        publish();
    } else {
        bench.began_mono_ns = base_mono_ns();
        futex_wake(&bench.there);
    }
    futex_wait(&bench.back, seen);
}

/* The other looks at use_bus after each answer: what is set before a round is how it waits for the
 * one after. */
static void run_block(bool use_bus)
{
    for (int i = 0; i < BLOCK; i++) {
        atomic_store(&bench.use_bus, i + 1 < BLOCK ? use_bus : !use_bus);
        round_by(use_bus);
    }
}

static void run(double seconds)
{
    int64_t end = base_mono_ns() + (int64_t)(seconds * (double)BASE_NS_PER_S);
    do {
        run_block(true);
        run_block(false);
    } while (base_mono_ns() < end);
}

/* ---- Setting up */

static void open_bus(void)
{
    struct telem_chan_decl decl = {
        .name = "a", .type = TELEM_F64, .index = TELEM_NO_KEY, .min = -INFINITY, .max = INFINITY};
    struct telem_key key;
    struct arcd_errinfo why;
    bench.chans = telem_chans_new();
    bench.bus = telem_bus_new(bench.chans);
    if (telem_chans_add(bench.chans, &decl, &key, &why) != ARCD_OK)
        abort();
    struct telem_pub_opts pub = {.name = "bench", .keys = &key, .n_keys = 1, .max_rows = 1};
    struct telem_sub_opts sub = {.name = "bench", .keys = &key, .n_keys = 1, .queue = 8};
    if (telem_pub_open(bench.bus, &pub, &bench.pub, &why) != ARCD_OK ||
        telem_sub_open(bench.bus, &sub, &bench.sub, &why) != ARCD_OK) {
        fprintf(stderr, "bench_handover: %s\n", why.text);
        exit(1);
    }
}

static void close_bus(void)
{
    telem_sub_close(bench.sub);
    telem_pub_close(bench.pub);
    telem_bus_free(bench.bus);
    telem_chans_free(bench.chans);
}

/* Two cores when there are two: the last for the subscriber, the one before for us. */
static void choose_cores(struct base_rt_request *mine, struct base_rt_request *its)
{
    int n = (int)sysconf(_SC_NPROCESSORS_ONLN);
    *mine = (struct base_rt_request){.name = "publisher", .fifo_priority = PRIORITY};
    *its = (struct base_rt_request){.name = "subscriber", .fifo_priority = PRIORITY};
    if (n < 2)
        return;
    mine->cpus[mine->n_cpus++] = n - 2;
    its->cpus[its->n_cpus++] = n - 1;
}

static const char doc[] =
    "From a publish on the bus to the moment when a sleeping subscriber holds the batch, beside "
    "two "
    "threads that wake each other by a bare futex, turn about. The bar is a ratio of 1.3 at p50.";

int main(int argc, char **argv)
{
    struct bench_opts opts = bench_parse(argc, argv, doc);
    struct base_rt_request mine, its;
    struct base_rt_got got;
    struct bench_report report;
    pthread_t thread;
    bench_pair_init(&bench.pair);
    open_bus();
    choose_cores(&mine, &its);
    atomic_store(&bench.use_bus, true);
    uint32_t seen = atomic_load(&bench.back.word);
    if (base_thread_start(&thread, subscriber, &its, NULL) != ARCD_OK)
        return 1;
    futex_wait(&bench.back, seen);
    base_rt_apply(&mine, &got);
    run_block(true); /* warm, and once through both ways */
    run_block(false);
    base_histo_ask_reset(&bench.pair.ours);
    base_histo_ask_reset(&bench.pair.versus);
    run(opts.seconds);
    atomic_store(&bench.stop, true);
    base_doorbell_ring(telem_sub_bell(bench.sub));
    futex_wake(&bench.there);
    base_thread_join(thread);
    bench_begin(&report, &opts, "handover", "bus", "futex");
    bench_row(&report, bench.got.fifo ? "FIFO threads" : "normal threads", &bench.pair, 1.3);
    int status = bench_end(&report);
    close_bus();
    return status;
}
