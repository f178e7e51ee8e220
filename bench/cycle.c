/* What one cycle of the host costs, from the wake-up until its output is on the bus, for the
 * program
 *
 *     time.interval{period=1ms} -> time.now{} -> spacing_us{} -> loop_spacing_us
 *
 * "back to back": the host's loop (the code of a deployed automation) on a clock that stands at the
 * next deadline whenever the loop waits. A turn holds all that a cycle needs: the bell, two clocks,
 * the scheduler, the program, the batch and its hand-over, the statistics. Beside it the same by
 * hand in C: two clocks, the subtraction, the batch, the hand-over.
 *
 * "1 kHz": the same on the machine's clock, a period apart, with what caches forget in between; the
 * figure is the host's own comp_time, and the program by hand is timed in the same way. */
#include "arc/compile.h"
#include "arc/image.h"
#include "arc_host/loop.h"
#include "base/rt.h"
#include "bench/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64, PERIOD_NS = 1000000, LIMIT_NS = 1000, PRIORITY = 47, BLOCK_1KHZ = 50 };

static const char text[] = "import time\n"
                           "func spacing_us(t i64 ns) f64 {\n"
                           "    prev $= t\n"
                           "    d := t - prev\n"
                           "    prev = t\n"
                           "    return f64(d) / 1000.0\n"
                           "}\n"
                           "time.interval{period=1ms} -> time.now{} -> spacing_us{} -> "
                           "loop_spacing_us\n";

struct bench {
    struct base_arena arena;
    struct telem_chans *chans;
    struct telem_bus *bus;
    struct telem_key host_key, hand_key;
    struct arc_image *image;
    struct arc_host_ports *ports;
    struct telem_pub *hand_pub;
    struct telem_sub *sub; /* of both */
    struct base_doorbell bell;
    struct arc_host_timing timing;
    struct arc_host_loop loop;
    int64_t ahead_ns; /* the virtual clock: how far it is before the machine's */
    int64_t hand_prev;
    struct bench_pair pair;
};

static struct bench bench;

/* ---- The loop's clock and sleep */

static int64_t virtual_mono_ns(void *ctx)
{
    (void)ctx;
    return base_mono_ns() + bench.ahead_ns;
}

static uint32_t rings(void *ctx)
{
    return base_doorbell_read(ctx);
}

static bool jump(void *ctx, uint32_t seen, int64_t deadline)
{
    (void)ctx, (void)seen;
    int64_t left = deadline - virtual_mono_ns(NULL);
    bench.ahead_ns += left > 0 ? left : 0;
    return false;
}

/* ---- Setting up */

static void leave(const char *why)
{
    fprintf(stderr, "bench_cycle: %s\n", why);
    exit(1);
}

static struct telem_key declare(const char *name)
{
    struct telem_chan_decl decl = {
        .name = name, .type = TELEM_F64, .index = TELEM_NO_KEY, .min = -INFINITY, .max = INFINITY};
    struct telem_key key;
    struct arcd_errinfo why;
    if (telem_chans_add(bench.chans, &decl, &key, &why) != ARCD_OK)
        leave(why.text);
    return key;
}

static void compile(void)
{
    struct arc_source source = {.file = "spacing.arc", .text = text, .len = sizeof text - 1};
    struct arc_chan_info chan = {.name = "loop_spacing_us", .type = TELEM_F64};
    struct arc_chan_table table = {.chans = &chan, .n_chans = 1};
    struct arc_diags diags;
    arc_diags_init(&diags, &bench.arena, &source);
    bench.image = arc_compile(&source, &table, &diags);
    if (bench.image == NULL)
        leave(arc_diags_render(&diags));
}

static void open_bus(void)
{
    struct arcd_errinfo why;
    bench.chans = telem_chans_new();
    bench.bus = telem_bus_new(bench.chans);
    bench.host_key = declare("loop_spacing_us");
    bench.hand_key = declare("by_hand_us");
    struct telem_pub_opts pub = {.name = "by hand",
                                 .keys = &bench.hand_key,
                                 .n_keys = 1,
                                 .max_rows = 64,
                                 .gated = true,
                                 .authority = 255};
    struct telem_key keys[] = {bench.host_key, bench.hand_key};
    struct telem_sub_opts sub = {.name = "bench", .keys = keys, .n_keys = 2, .queue = 64};
    struct arc_host_ports_opts ports = {.name = "host",
                                        .image = bench.image,
                                        .bus = bench.bus,
                                        .bell = &bench.bell,
                                        .queue = 8,
                                        .authority = 255};
    if (telem_pub_open(bench.bus, &pub, &bench.hand_pub, &why) != ARCD_OK ||
        telem_sub_open(bench.bus, &sub, &bench.sub, &why) != ARCD_OK ||
        arc_host_ports_open(&ports, &bench.ports, &why) != ARCD_OK)
        leave(why.text);
}

static void close_bus(void)
{
    arc_host_ports_close(bench.ports);
    telem_sub_close(bench.sub);
    telem_pub_close(bench.hand_pub);
    telem_bus_free(bench.bus);
    telem_chans_free(bench.chans);
    arc_image_free(bench.image);
    base_arena_fini(&bench.arena);
}

static void begin_loop(struct arc_host_wait_ops ops, enum arc_host_level level)
{
    struct arc_host_loop_opts opts = {.wait = ops,
                                      .bell = &bench.bell,
                                      .timing = &bench.timing,
                                      .level = level,
                                      .realtime = true};
    arc_host_program_reset(arc_host_ports_program(bench.ports));
    arc_host_loop_init(&bench.loop, &opts);
    if (arc_host_loop_begin(&bench.loop, bench.ports) == ARC_HOST_TURN_FAULT)
        leave("the program failed");
}

static void drain(void)
{
    const struct telem_batch *batch;
    while ((batch = telem_sub_next(bench.sub)) != NULL)
        telem_batch_release(batch);
}

/* ---- One cycle each way */

static void cycle_by_host(void)
{
    enum arc_host_turn turn = arc_host_loop_turn(&bench.loop);
    ARCD_ASSERT(turn == ARC_HOST_TURN_CYCLE);
}

static void cycle_by_hand(void)
{
    int64_t began = base_mono_ns(), now = base_utc_ns();
    struct telem_batch *batch = telem_pub_borrow(bench.hand_pub);
    if (batch != NULL && began > 0) {
        double spacing_us = (double)(now - bench.hand_prev) / 1000.0;
        bench.hand_prev = now;
        bool fits = telem_batch_append(batch, 0, (union telem_value){.f64 = spacing_us}, now);
        ARCD_ASSERT(fits);
        telem_pub_publish(bench.hand_pub, batch);
    }
}

/* ---- Back to back */

static void run_block(void (*cycle)(void), struct base_histo *histo)
{
    int64_t began = base_mono_ns();
    for (int i = 0; i < BLOCK; i++)
        cycle();
    base_histo_record(histo, (base_mono_ns() - began) / BLOCK);
    drain();
}

static void run_back_to_back(double seconds)
{
    struct arc_host_wait_ops ops = {
        .mono_ns = virtual_mono_ns, .rings = rings, .sleep = jump, .ctx = &bench.bell};
    begin_loop(ops, ARC_HOST_LEVEL_LOW);
    bench_pair_init(&bench.pair);
    int64_t end = base_mono_ns() + (int64_t)(seconds * (double)BASE_NS_PER_S);
    do {
        run_block(cycle_by_host, &bench.pair.ours);
        run_block(cycle_by_hand, &bench.pair.versus);
    } while (base_mono_ns() < end);
    arc_host_loop_fini(&bench.loop);
}

/* ---- At 1 kHz on the machine's clock */

static void by_hand_at_1khz(void)
{
    static struct arc_host_wait wait;
    struct arc_host_wait_ops ops = arc_host_wait_ops_system(&bench.bell);
    arc_host_wait_init(&wait, &ops, ARC_HOST_LEVEL_MEDIUM, true);
    int64_t deadline = base_mono_ns(), now;
    for (int i = 0; i < BLOCK_1KHZ; i++) {
        deadline += PERIOD_NS;
        while (arc_host_wait_until(&wait, base_doorbell_read(&bench.bell), deadline, &now) !=
               ARC_HOST_WAKE_DEADLINE)
            ;
        cycle_by_hand();
        base_histo_record(&bench.pair.versus, base_mono_ns() - now);
        drain();
    }
}

static void by_host_at_1khz(void)
{
    begin_loop(arc_host_wait_ops_system(&bench.bell), ARC_HOST_LEVEL_MEDIUM);
    drain();
    for (int i = 0; i < BLOCK_1KHZ; i++) {
        while (arc_host_loop_turn(&bench.loop) == ARC_HOST_TURN_WAIT)
            ;
        /* The one cycle since the last look: its figure is the worst. */
        base_histo_record(&bench.pair.ours, arc_host_timing_take_worst(&bench.timing).comp_time_ns);
        drain();
    }
    arc_host_loop_fini(&bench.loop);
}

static void run_at_1khz(double seconds)
{
    bench_pair_init(&bench.pair);
    int64_t end = base_mono_ns() + (int64_t)(seconds * (double)BASE_NS_PER_S);
    do {
        by_host_at_1khz();
        by_hand_at_1khz();
    } while (base_mono_ns() < end);
}

static const char doc[] =
    "One cycle of the host, from the wake-up until the output is on the bus, for an interval that "
    "measures its own spacing; beside the same written by hand in C, turn about. The bar is 1 us "
    "back "
    "to back; at 1 kHz caches and branch predictors have been used by others in between.";

int main(int argc, char **argv)
{
    struct bench_opts opts = bench_parse(argc, argv, doc);
    struct bench_report report;
    struct base_rt_request request = {.name = "bench_cycle", .fifo_priority = PRIORITY};
    struct base_rt_got got;
    base_arena_init(&bench.arena);
    base_doorbell_init(&bench.bell);
    arc_host_timing_init(&bench.timing);
    compile();
    open_bus();
    bench_begin(&report, &opts, "cycle", "host", "by hand in C");
    run_back_to_back(opts.seconds / 2);
    bench_row_limit(&report, "back to back", &bench.pair, LIMIT_NS);
    base_rt_apply(&request, &got); /* not before: spinning without a wait would starve the core */
    run_at_1khz(opts.seconds / 2);
    bench_row_limit(&report, got.fifo ? "1 kHz, FIFO thread" : "1 kHz, normal thread", &bench.pair,
                    0);
    int status = bench_end(&report);
    close_bus();
    return status;
}
