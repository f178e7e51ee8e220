/* What a normal thread does for an automation: it answers status.set, publishes the statistic
 * channels, and makes the words of what the real-time part only counted. */
#include "arc_host/automation_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    REPORT_PERIOD_NS = 1000000000,
    THROTTLE_PERCENT = 90, /* of what Linux leaves to real-time threads */
};

/* X(name, type, unit, description), in the order of the statistic publisher's columns. */
#define STATS(X)                                                                                   \
    X(comp_time_us, TELEM_F64, "us", "longest cycle since the previous sample")                    \
    X(period_us, TELEM_F64, "us", "mean time from wake to wake since the previous sample")         \
    X(jitter_us, TELEM_F64, "us", "standard deviation of the period since start or reset")         \
    X(lateness_us, TELEM_F64, "us", "worst lateness since the previous sample")                    \
    X(overruns, TELEM_I64, "", "missed deadlines since start or reset")

enum {
#define STAT_ENUM(name, type, unit, desc) STAT_##name,
    STATS(STAT_ENUM)
#undef STAT_ENUM
        STAT_COUNT
};

_Static_assert((int)STAT_COUNT == (int)ARC_HOST_STAT_CHANNELS, "one key for each statistic");

/* ---- Statistic channels */

struct stat {
    const char *name, *unit, *desc;
    enum telem_type type;
};

static const struct stat stats[] = {
#define STAT_ROW(name, type, unit, desc) {#name, unit, desc, type},
    STATS(STAT_ROW)
#undef STAT_ROW
};

static enum arcd_err declare(struct arc_host_automation *a, uint32_t i, struct arcd_errinfo *why)
{
    struct telem_chans *chans = telem_bus_chans(a->env.bus);
    const char *name = base_arena_printf(&a->arena, "%s.%s", a->opts.name, stats[i].name);
    a->stat_keys[i] = telem_chans_find(chans, name);
    if (telem_key_valid(a->stat_keys[i]))
        return ARCD_OK;
    struct telem_chan_decl decl = {
        .name = name,
        .type = stats[i].type,
        .index = TELEM_NO_KEY,
        .is_virtual = true,
        .unit = stats[i].unit,
        .desc = stats[i].desc,
        .min = -INFINITY,
        .max = INFINITY,
    };
    return telem_chans_add(chans, &decl, &a->stat_keys[i], why);
}

enum arcd_err arc_host_automation_declare(struct arc_host_automation *a, struct arcd_errinfo *why)
{
    for (uint32_t i = 0; i < STAT_COUNT; i++) {
        enum arcd_err err = declare(a, i, why);
        if (err != ARCD_OK)
            return err;
    }
    return ARCD_OK;
}

void arc_host_automation_open_stats(struct arc_host_automation *a)
{
    struct arcd_errinfo why;
    struct telem_pub_opts opts = {
        .name = a->writer, .keys = a->stat_keys, .n_keys = STAT_COUNT, .max_rows = 1};
    a->stats_due_mono_ns = base_mono_ns() + a->opts.stats_period_ns;
    a->stats_last = (struct arc_host_timing_counts){0};
    if (telem_pub_open(a->env.bus, &opts, &a->stat_pub, &why) != ARCD_OK) {
        a->stat_pub = NULL;
        arc_host_automation_say(a, BASE_LOG_WARNING, "no statistic channels: %s", why.text);
    }
}

void arc_host_automation_close_stats(struct arc_host_automation *a)
{
    telem_pub_close(a->stat_pub);
    a->stat_pub = NULL;
}

static void append_us(struct telem_batch *batch, uint32_t column, double ns, int64_t utc_ns)
{
    /* A column has room for its one row. */
    (void)telem_batch_append(batch, column, (union telem_value){.f64 = ns / 1000}, utc_ns);
}

/* What did not happen since the previous sample has no sample now. */
static void publish_stats(struct arc_host_automation *a)
{
    struct arc_host_timing_counts now = arc_host_timing_counts(&a->timing);
    struct arc_host_timing_counts before = a->stats_last;
    if (now.cycles < before.cycles || now.periods < before.periods) /* reset in between */
        before = (struct arc_host_timing_counts){0};
    a->stats_last = now;
    struct telem_batch *batch = telem_pub_borrow(a->stat_pub);
    if (batch == NULL) { /* whoever wants them has not taken the previous ones */
        for (uint32_t i = 0; i < STAT_COUNT; i++)
            telem_pub_count_lost(a->stat_pub, i, 1);
        return;
    }
    int64_t utc_ns = base_utc_ns();
    struct arc_host_timing_worst worst = arc_host_timing_take_worst(&a->timing);
    uint64_t periods = now.periods - before.periods;
    if (now.cycles > before.cycles)
        append_us(batch, STAT_comp_time_us, (double)worst.comp_time_ns, utc_ns);
    if (periods > 0) {
        append_us(batch, STAT_period_us,
                  (now.period_sum_ns - before.period_sum_ns) / (double)periods, utc_ns);
        append_us(batch, STAT_jitter_us, now.jitter_ns, utc_ns);
    }
    if (worst.lateness_ns > 0)
        append_us(batch, STAT_lateness_us, (double)worst.lateness_ns, utc_ns);
    (void)telem_batch_append(batch, STAT_overruns,
                             (union telem_value){.i64 = (int64_t)now.overruns}, utc_ns);
    telem_pub_publish(a->stat_pub, batch);
}

/* ---- status.set */

static void answer(struct arc_host_automation *a, const struct arc_host_request *request)
{
    char key[ARC_HOST_LOOP_NAME_MAX] = "";
    struct arcd_errinfo why = {.text = "nobody keeps statuses"};
    bool ok = a->env.set_status != NULL &&
              a->env.set_status(a->env.ctx, a->opts.name, request, key, &why);
    if (!ok) {
        key[0] = '\0';
        arc_host_automation_say(a, BASE_LOG_WARNING, "status '%s' could not be set: %s",
                                request->key_or_name, why.text);
    }
    if (!arc_host_loop_reply(&a->loop, request->id, key))
        arc_host_automation_say(a, BASE_LOG_WARNING,
                                "status '%s' was set, its key could not be handed back: the "
                                "program does not take replies",
                                request->key_or_name);
}

static void answer_requests(struct arc_host_automation *a)
{
    struct arc_host_request request;
    for (int i = 0; i < ARC_HOST_LOOP_REQUESTS; i++) {
        if (!arc_host_loop_next_request(&a->loop, &request))
            return;
        answer(a, &request);
    }
}

/* ---- Reports */

/* How much came since `*last`; counters that went back were reset. */
static uint64_t news(uint64_t now, uint64_t *last)
{
    uint64_t n = now >= *last ? now - *last : now;
    *last = now;
    return n;
}

static void report_overruns(struct arc_host_automation *a)
{
    struct arc_host_timing_counts counts = arc_host_timing_counts(&a->timing);
    uint64_t n = news(counts.overruns, &a->reported.overruns);
    if (n > 0)
        arc_host_automation_say(a, BASE_LOG_WARNING,
                                "%llu deadlines missed, %llu in all: the cycle takes longer than "
                                "the period, or the machine was held up (see `arcd timing`)",
                                (unsigned long long)n, (unsigned long long)counts.overruns);
}

static void report_samples(struct arc_host_automation *a)
{
    struct arc_host_ports_counts counts;
    char drops[512] = "";
    pthread_mutex_lock(&a->lock);
    counts = a->final_samples;
    if (a->ports != NULL) {
        arc_host_ports_get_counts(a->ports, &counts);
        if (counts.dropped != a->reported.dropped)
            arc_host_ports_describe_drops(a->ports, drops, sizeof drops);
    }
    pthread_mutex_unlock(&a->lock);
    uint64_t n = news(counts.dropped, &a->reported.dropped);
    if (n > 0)
        arc_host_automation_say(a, BASE_LOG_WARNING,
                                "%llu samples dropped: its queue of %u batches was full (%s)",
                                (unsigned long long)n, a->opts.queue, drops);
    n = news(counts.lost, &a->reported.lost);
    if (n > 0)
        arc_host_automation_say(a, BASE_LOG_WARNING,
                                "%llu written samples lost: their consumers hold all batches, or a "
                                "text was longer than 64 KiB",
                                (unsigned long long)n);
    n = news(counts.refused, &a->reported.refused);
    if (n > 0)
        arc_host_automation_say(a, BASE_LOG_WARNING,
                                "%llu samples refused: the texts of one batch are over `max_text`",
                                (unsigned long long)n);
}

static void report_program(struct arc_host_automation *a)
{
    uint64_t n = news(atomic_load(&a->loop.requests_lost) + atomic_load(&a->loop.statuses_dropped),
                      &a->reported.statuses_lost);
    if (n > 0)
        arc_host_automation_say(a, BASE_LOG_WARNING,
                                "%llu status.set calls dropped: more than %d waited, or a variant "
                                "was not known",
                                (unsigned long long)n, ARC_HOST_LOOP_REQUESTS);
    n = news(atomic_load(&a->loop.backlog_dropped), &a->reported.backlog_dropped);
    if (n > 0)
        arc_host_automation_say(a, BASE_LOG_WARNING,
                                "%llu samples dropped while a flow waited for its trigger",
                                (unsigned long long)n);
}

/* The number in a file of /proc; `otherwise` when there is none. */
static long read_number(const char *path, long otherwise)
{
    char line[64], *end = line;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return otherwise;
    long n = fgets(line, sizeof line, file) != NULL ? strtol(line, &end, 10) : 0;
    fclose(file);
    return end != line ? n : otherwise;
}

/* The percentage of its time that Linux leaves to real-time threads; 100: no limit. */
static double realtime_limit(void)
{
    long runtime_us = read_number("/proc/sys/kernel/sched_rt_runtime_us", -1);
    long period_us = read_number("/proc/sys/kernel/sched_rt_period_us", 1000000);
    return runtime_us < 0 || period_us <= 0 ? 100 : 100.0 * (double)runtime_us / (double)period_us;
}

/* Linux stops real-time threads that use a core without end: say it before it does. */
static void report_throttling(struct arc_host_automation *a, int64_t passed_ns)
{
    int64_t cpu_ns, wall_ns;
    pthread_mutex_lock(&a->lock);
    arc_host_automation_cpu(a, &cpu_ns, &wall_ns);
    cpu_ns += a->cpu_base_ns;
    bool realtime = a->got.fifo;
    pthread_mutex_unlock(&a->lock);
    double percent = 100.0 * (double)(cpu_ns - a->reported.cpu_ns) / (double)passed_ns;
    a->reported.cpu_ns = cpu_ns;
    if (!realtime || a->reported.throttle_said || percent < THROTTLE_PERCENT)
        return;
    double limit = realtime_limit();
    if (percent < limit * THROTTLE_PERCENT / 100)
        return;
    a->reported.throttle_said = true;
    arc_host_automation_say(a, BASE_LOG_WARNING,
                            "uses %.0f %% of its core: Linux stops real-time threads at %.0f %% "
                            "(kernel.sched_rt_runtime_us), and the core's other work waits; give "
                            "it a longer period or a shorter cycle",
                            percent, limit);
}

void arc_host_automation_report(struct arc_host_automation *a, int64_t now_mono_ns)
{
    int64_t passed_ns = now_mono_ns - a->reported.mono_ns;
    a->reported.mono_ns = now_mono_ns;
    report_overruns(a);
    report_samples(a);
    report_program(a);
    if (passed_ns > 0)
        report_throttling(a, passed_ns);
}

/* ---- service */

void arc_host_automation_service(struct arc_host_automation *a, int64_t now_mono_ns)
{
    if (!a->has_thread)
        return;
    answer_requests(a);
    if (a->stat_pub != NULL && now_mono_ns >= a->stats_due_mono_ns) {
        a->stats_due_mono_ns = now_mono_ns + a->opts.stats_period_ns;
        publish_stats(a);
    }
    if (now_mono_ns - a->reported.mono_ns >= REPORT_PERIOD_NS)
        arc_host_automation_report(a, now_mono_ns);
    if (arc_host_automation_state(a) != ARC_HOST_STATE_RUNNING)
        arc_host_automation_clean_up(a); /* a fault: cores and idle states are free for others */
}
