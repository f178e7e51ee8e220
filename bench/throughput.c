/* What the bus costs on top of the bytes: 64 channels of f64 and their times are copied from a
 * device's buffer into a batch, published, taken by a subscriber and released; beside it the same
 * copies into a ring of plain buffers. One thread does both, in turn, so that nothing but the bus
 * is between the two. */
#include "base/clock.h"
#include "bench/report.h"
#include "telem/bus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 64, QUEUE = 8, BLOCK = 64, MOST_ROWS = 1024 };

struct bench {
    struct telem_chans *chans;
    struct telem_bus *bus;
    struct telem_pub *pub;
    struct telem_sub *sub;
    double device[CHANNELS][MOST_ROWS];
    int64_t times[MOST_ROWS];
    unsigned char *plain[QUEUE]; /* buffers of a batch's size */
    uint32_t next_plain;
    double seen; /* the subscriber looks at one sample of each batch */
    struct bench_pair pair;
};

static struct bench bench;

static void open_bus(uint32_t rows)
{
    struct telem_key keys[CHANNELS];
    struct arcd_errinfo why;
    bench.chans = telem_chans_new();
    bench.bus = telem_bus_new(bench.chans);
    for (int i = 0; i < CHANNELS; i++) {
        char name[16];
        snprintf(name, sizeof name, "ch%d", i);
        struct telem_chan_decl decl = {.name = name,
                                       .type = TELEM_F64,
                                       .index = TELEM_NO_KEY,
                                       .min = -INFINITY,
                                       .max = INFINITY};
        if (telem_chans_add(bench.chans, &decl, &keys[i], &why) != ARCD_OK)
            abort();
    }
    struct telem_pub_opts pub = {
        .name = "bench", .keys = keys, .n_keys = CHANNELS, .max_rows = rows, .shared_times = true};
    struct telem_sub_opts sub = {.name = "bench", .keys = keys, .n_keys = CHANNELS, .queue = QUEUE};
    if (telem_pub_open(bench.bus, &pub, &bench.pub, &why) != ARCD_OK ||
        telem_sub_open(bench.bus, &sub, &bench.sub, &why) != ARCD_OK) {
        fprintf(stderr, "bench_throughput: %s\n", why.text);
        exit(1);
    }
    for (int i = 0; i < QUEUE; i++) {
        size_t size = telem_pub_group(bench.pub)->block_bytes;
        bench.plain[i] = aligned_alloc(ARCD_CACHELINE, size);
        if (bench.plain[i] == NULL)
            abort();
        memset(bench.plain[i], 0, size);
    }
}

static void close_bus(void)
{
    for (int i = 0; i < QUEUE; i++)
        free(bench.plain[i]);
    telem_sub_close(bench.sub);
    telem_pub_close(bench.pub);
    telem_bus_free(bench.bus);
    telem_chans_free(bench.chans);
}

static void by_bus(uint32_t rows)
{
    struct telem_batch *batch = telem_pub_borrow(bench.pub);
    ARCD_ASSERT(batch != NULL);
    memcpy(telem_batch_times(batch, 0), bench.times, rows * sizeof *bench.times);
    for (uint32_t c = 0; c < CHANNELS; c++) {
        memcpy(telem_batch_col(batch, c), bench.device[c], rows * sizeof *bench.device[c]);
        batch->cols[c].n = rows;
    }
    telem_pub_publish(bench.pub, batch);
    const struct telem_batch *got = telem_sub_next(bench.sub);
    ARCD_ASSERT(got != NULL);
    bench.seen += *(const double *)telem_batch_col_const(got, CHANNELS - 1);
    telem_batch_release(got);
}

static void by_memcpy(uint32_t rows)
{
    size_t column_bytes =
        (rows * sizeof(double) + ARCD_CACHELINE - 1) / ARCD_CACHELINE * ARCD_CACHELINE;
    unsigned char *to = bench.plain[bench.next_plain++ % QUEUE];
    memcpy(to, bench.times, rows * sizeof *bench.times);
    for (uint32_t c = 0; c < CHANNELS; c++)
        memcpy(to + (c + 1) * column_bytes, bench.device[c], rows * sizeof *bench.device[c]);
    double last;
    memcpy(&last, to + CHANNELS * column_bytes, sizeof last);
    bench.seen += last;
}

/* ns per batch, of a block: one reading of the clock costs as much as a small batch. */
static void run_block(void (*way)(uint32_t rows), uint32_t rows, struct base_histo *histo)
{
    int64_t began = base_mono_ns();
    for (int i = 0; i < BLOCK; i++)
        way(rows);
    base_histo_record(histo, (base_mono_ns() - began) / BLOCK);
}

static void run(uint32_t rows, double seconds)
{
    open_bus(rows);
    bench_pair_init(&bench.pair);
    run_block(by_bus, rows, &bench.pair.ours);
    run_block(by_memcpy, rows, &bench.pair.versus);
    base_histo_ask_reset(&bench.pair.ours);
    base_histo_ask_reset(&bench.pair.versus);
    int64_t end = base_mono_ns() + (int64_t)(seconds * (double)BASE_NS_PER_S);
    do {
        run_block(by_bus, rows, &bench.pair.ours);
        run_block(by_memcpy, rows, &bench.pair.versus);
    } while (base_mono_ns() < end);
    close_bus();
}

static const char doc[] =
    "Batches of 64 f64 channels through the bus (copied in, published, taken, released), beside "
    "memcpy of the same bytes, turn about. ns per batch, means of 64.";

int main(int argc, char **argv)
{
    struct bench_opts opts = bench_parse(argc, argv, doc);
    struct bench_report report;
    enum { N_SIZES = 3 };
    const uint32_t rows[N_SIZES] = {1, 20, MOST_ROWS};
    bench_begin(&report, &opts, "throughput", "bus", "memcpy");
    for (size_t i = 0; i < N_SIZES; i++) {
        char what[64];
        run(rows[i], opts.seconds / N_SIZES);
        double bytes = (double)rows[i] * (CHANNELS + 1) * 8;
        snprintf(what, sizeof what, "%u rows, %.1f KiB", rows[i], bytes / 1024);
        bench_row(&report, what, &bench.pair, 0);
    }
    return bench_end(&report) + (isnan(bench.seen) ? 1 : 0);
}
