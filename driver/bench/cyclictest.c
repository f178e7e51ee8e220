/* The output of -h, columns being threads:
 *
 *     # Histogram
 *     000003 000017 000012        at 3: so many of thread 0, so many of thread 1
 *     # Total: 000000100 000000100
 *     # Avg Latencies: 00005 00006
 *     # Max Latencies: 00031 00040
 *     # Histogram Overflows: 00000 00001
 */
#include "driver/bench/cyclictest.h"

#include "base/clock.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ONE_THREAD_BUCKETS = 1000000, /* of 1 ns */
    BUCKETS = 20000,              /* of 1 us */
    CHUNK_BYTES = 65536,
};

static const int64_t patience_ns = 20 * BASE_NS_PER_S; /* a million lines on a busy machine */

/* ---- The table */

void bench_cyclictest_table_init(struct bench_cyclictest_table *table,
                                 struct bench_cyclictest_result *result, int64_t unit_ns)
{
    memset(result, 0, sizeof *result);
    memset(table, 0, sizeof *table);
    table->result = result;
    table->unit_ns = unit_ns;
}

/* The numbers of a line, at most `room`; how many there were. */
static uint32_t read_numbers(const char *text, uint64_t *numbers, uint32_t room)
{
    uint32_t n = 0;
    while (n < room) {
        char *end = NULL;
        uint64_t number = strtoull(text, &end, 10);
        if (end == text)
            break;
        numbers[n++] = number;
        text = end;
    }
    return n;
}

static void take_bucket(struct bench_cyclictest_table *table, const char *line)
{
    uint64_t numbers[BENCH_CYCLICTEST_THREADS + 1];
    uint32_t n = read_numbers(line, numbers, BENCH_CYCLICTEST_THREADS + 1);
    uint64_t count = 0;
    for (uint32_t i = 1; i < n; i++)
        count += numbers[i];
    int64_t value_ns = (int64_t)numbers[0] * table->unit_ns;
    base_histo_copy_add(&table->result->late, value_ns, count);
    table->end_ns = value_ns + table->unit_ns;
}

static void take_summary(struct bench_cyclictest_table *table, const char *line)
{
    uint64_t numbers[BENCH_CYCLICTEST_THREADS];
    const char *values = strchr(line, ':');
    uint32_t n = values == NULL ? 0 : read_numbers(values + 1, numbers, BENCH_CYCLICTEST_THREADS);
    struct bench_cyclictest_result *result = table->result;
    for (uint32_t i = 0; i < n; i++) {
        if (strncmp(line, "# Total:", 8) == 0)
            result->thread[i].count = numbers[i];
        else if (strncmp(line, "# Avg ", 6) == 0)
            result->thread[i].mean_ns = (double)numbers[i] * (double)table->unit_ns;
        else if (strncmp(line, "# Max ", 6) == 0)
            result->thread[i].worst_ns = (int64_t)numbers[i] * table->unit_ns;
        else if (strncmp(line, "# Histogram Overflows:", 22) == 0)
            table->overflows += numbers[i];
    }
    if (strncmp(line, "# Total:", 8) == 0)
        result->n_threads = n;
}

static void take_line(struct bench_cyclictest_table *table)
{
    char *line = table->line;
    if (isdigit((unsigned char)line[0]))
        take_bucket(table, line);
    else if (line[0] == '#')
        take_summary(table, line);
    else if (line[0] != '\0')
        snprintf(table->complaint, sizeof table->complaint, "%.*s",
                 (int)sizeof table->complaint - 1, line);
}

void bench_cyclictest_table_feed(struct bench_cyclictest_table *table, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != '\n') {
            table->is_too_long |= table->len == sizeof table->line - 1;
            if (!table->is_too_long)
                table->line[table->len++] = bytes[i];
            continue;
        }
        table->line[table->len] = '\0';
        take_line(table);
        table->len = 0;
        table->is_too_long = false;
    }
}

/* Its mean is of all values, also those without a bucket, and in whole units. */
static double sum_of(const struct bench_cyclictest_result *result)
{
    double sum = 0;
    for (uint32_t i = 0; i < result->n_threads; i++)
        sum += result->thread[i].mean_ns * (double)result->thread[i].count;
    return sum;
}

static int64_t worst_of(const struct bench_cyclictest_result *result)
{
    int64_t worst_ns = 0;
    for (uint32_t i = 0; i < result->n_threads; i++)
        worst_ns = result->thread[i].worst_ns > worst_ns ? result->thread[i].worst_ns : worst_ns;
    return worst_ns;
}

enum arcd_err bench_cyclictest_table_end(struct bench_cyclictest_table *table,
                                         struct arcd_errinfo *why)
{
    struct bench_cyclictest_result *result = table->result;
    if (result->n_threads == 0)
        return arcd_fail(why, ARCD_ERR_PROTOCOL, 0, "cyclictest gave no histogram%s%s",
                         table->complaint[0] != '\0' ? ": " : "", table->complaint);
    if (table->overflows > 0) {
        base_histo_copy_add(&result->late, table->end_ns, table->overflows - 1);
        base_histo_copy_add(&result->late, worst_of(result), 1);
        result->late.sum = sum_of(result);
    }
    return ARCD_OK;
}

/* ---- The program */

struct words {
    const char *argv[32];
    char text[8][32];
    uint32_t n, n_text;
};

static void add(struct words *words, const char *word)
{
    words->argv[words->n++] = word;
}

static void add_number(struct words *words, const char *option, int64_t value)
{
    char *text = words->text[words->n_text++];
    snprintf(text, sizeof words->text[0], "%lld", (long long)value);
    add(words, option);
    add(words, text);
}

static void make_command(const struct bench_cyclictest_opts *opts, struct words *words)
{
    uint32_t n_threads = opts->n_threads == 0 ? 1 : opts->n_threads;
    add(words, "cyclictest");
    add(words, "-q");
    add(words, "-m");
    add_number(words, "-t", n_threads);
    add_number(words, "-d", 0);
    add_number(words, "-i", opts->period_ns / BASE_NS_PER_US);
    add_number(words, "-p", opts->priority);
    if (opts->priority == 0)
        add(words, "--policy=other");
    if (opts->cpus != NULL) {
        add(words, "-a");
        add(words, opts->cpus);
    }
    if (!opts->keeps_cores_awake)
        add(words, "--default-system");
    if (n_threads == 1)
        add(words, "-N");
    add_number(words, "-h", n_threads == 1 ? ONE_THREAD_BUCKETS : BUCKETS);
}

enum arcd_err bench_cyclictest_start(struct bench_cyclictest *run,
                                     const struct bench_cyclictest_opts *opts,
                                     struct arcd_errinfo *why)
{
    *run = (struct bench_cyclictest){.child.out = -1};
    if (opts->period_ns <= 0 || opts->period_ns % BASE_NS_PER_US != 0)
        return arcd_fail(why, ARCD_ERR_INVALID, 0,
                         "cyclictest takes whole microseconds as interval, not %lld ns",
                         (long long)opts->period_ns);
    struct words words = {0};
    make_command(opts, &words);
    run->unit_ns = opts->n_threads > 1 ? BASE_NS_PER_US : 1;
    struct bench_child_opts child = {
        .argv = words.argv, .capture = true, .signal_at_our_end = SIGKILL};
    return bench_child_start(&run->child, &child, why);
}

static enum arcd_err read_table(struct bench_child *child, struct bench_cyclictest_table *table,
                                char *chunk, struct arcd_errinfo *why)
{
    int64_t give_up = base_mono_ns() + patience_ns;
    ptrdiff_t n = 0;
    while ((n = bench_child_read(child, chunk, CHUNK_BYTES, give_up)) != 0) {
        if (n > 0)
            bench_cyclictest_table_feed(table, chunk, (size_t)n);
        else if (base_mono_ns() >= give_up)
            return arcd_fail(why, ARCD_ERR_TIMEOUT, 0, "cyclictest does not end");
    }
    return bench_cyclictest_table_end(table, why);
}

enum arcd_err bench_cyclictest_finish(struct bench_cyclictest *run,
                                      struct bench_cyclictest_result *result,
                                      struct arcd_errinfo *why)
{
    enum arcd_err err = ARCD_OK;
    if (result != NULL) {
        struct bench_cyclictest_table *table = malloc(sizeof *table + CHUNK_BYTES);
        ARCD_ASSERT(table != NULL);
        bench_cyclictest_table_init(table, result, run->unit_ns);
        bench_child_signal(&run->child, SIGINT); /* it prints what it has */
        err = read_table(&run->child, table, (char *)(table + 1), why);
        free(table);
    }
    bench_child_stop(&run->child, SIGKILL, BASE_NS_PER_S);
    return err;
}
