#include "driver/bench/timer_run.h"

#include "driver/bench/cyclictest.h"
#include "driver/bench/rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONGEST_TURN_S = 5, TURNS = 3 };

static const int64_t shortest_turn_ns = BASE_NS_PER_S / 2;

struct run {
    const struct bench_timer_case *c;
    struct bench_session *session;
    struct bench_result *result;
    struct bench_rig rig;
    struct arc_host_timing_snapshot snapshot;
    struct bench_cyclictest_result theirs;
    char what[80];
    int64_t period_ns, turn_ns;
    double cpu_ns, wall_ns; /* of all turns */
};

const char *bench_rate_text(double rate_hz, char text[32])
{
    if (rate_hz >= 1000)
        snprintf(text, 32, "%g kHz", rate_hz / 1000);
    else
        snprintf(text, 32, "%g Hz", rate_hz);
    return text;
}

int64_t bench_timer_case_ns(const struct bench_timer_case *c)
{
    return c->versus ? 2 * c->duration_ns : c->duration_ns;
}

static int64_t turns_of(const struct bench_timer_case *c)
{
    int64_t turns =
        (c->duration_ns + LONGEST_TURN_S * BASE_NS_PER_S - 1) / (LONGEST_TURN_S * BASE_NS_PER_S);
    if (!c->versus)
        return 1;
    if (turns < TURNS && c->duration_ns / TURNS >= shortest_turn_ns)
        return TURNS;
    return turns;
}

/* ---- Ours */

static void tick(void *ctx)
{
    bench_rig_serve(ctx);
}

static void take_ours(struct run *run)
{
    struct arc_host_automation *a = run->rig.automations[0];
    double cpu_share = 0;
    arc_host_automation_timing(a, &run->snapshot, &cpu_share);
    struct bench_result *result = run->result;
    base_histo_merge(&result->ours.late, &run->snapshot.lateness);
    result->early += run->snapshot.lateness.below;
    result->overruns += run->snapshot.overruns;
    double wall_ns = (double)(base_mono_ns() - run->snapshot.since_mono_ns);
    run->wall_ns += wall_ns;
    run->cpu_ns += wall_ns * cpu_share;
    result->ours.cpu_share = run->cpu_ns / run->wall_ns;
    result->ours.has_cpu_share = true;
}

static enum arcd_err our_turn(struct run *run, struct arcd_errinfo *why)
{
    bench_session_step(run->session, "%s: arcd", run->what);
    enum arcd_err err = bench_rig_start(&run->rig, why);
    if (err != ARCD_OK)
        return err;
    struct arc_host_automation_info info;
    arc_host_automation_info(run->rig.automations[0], &info);
    run->result->realtime = info.realtime;
    run->result->cpu = info.cpu;
    (void)bench_session_wait(run->session, run->turn_ns, tick, &run->rig);
    bench_rig_stop(&run->rig);
    take_ours(run);
    return ARCD_OK;
}

/* ---- Theirs */

static enum arcd_err their_turn(struct run *run, struct arcd_errinfo *why)
{
    const struct bench_result *result = run->result;
    struct bench_cyclictest cyclictest;
    char cpu[16];
    snprintf(cpu, sizeof cpu, "%d", result->cpu);
    struct bench_cyclictest_opts opts = {.period_ns = run->period_ns,
                                         .cpus = result->cpu >= 0 ? cpu : NULL,
                                         .priority =
                                             result->realtime ? ARC_HOST_AUTOMATION_PRIORITY : 0,
                                         .keeps_cores_awake = run->c->level == ARC_HOST_LEVEL_HIGH};
    bench_session_step(run->session, "%s: cyclictest", run->what);
    enum arcd_err err = bench_cyclictest_start(&cyclictest, &opts, why);
    if (err != ARCD_OK)
        return err;
    (void)bench_session_wait(run->session, run->turn_ns, NULL, NULL);
    err = bench_cyclictest_finish(&cyclictest, &run->theirs, why);
    if (err != ARCD_OK)
        return err;
    base_histo_merge(&run->result->versus.late, &run->theirs.late);
    run->result->has_versus = run->result->versus.late.count > 0;
    return ARCD_OK;
}

/* ---- Turn about */

static enum arcd_err take_turns(struct run *run, struct arcd_errinfo *why)
{
    bool versus = run->c->versus;
    int64_t turns = turns_of(run->c);
    run->turn_ns = run->c->duration_ns / turns;
    for (int64_t i = 0; i < turns && !bench_session_is_stopped(run->session); i++) {
        enum arcd_err err = our_turn(run, why);
        if (err != ARCD_OK)
            return err;
        struct arcd_errinfo theirs;
        if (!versus || bench_session_is_stopped(run->session) ||
            their_turn(run, &theirs) == ARCD_OK)
            continue;
        bench_session_say(run->session, "no comparison: %s", theirs.text);
        versus = false;
    }
    return ARCD_OK;
}

static enum arcd_err open_rig(struct run *run, struct arcd_errinfo *why)
{
    char text[BENCH_RIG_TEXT];
    enum arcd_err err = bench_rig_open(&run->rig, why);
    if (err != ARCD_OK)
        return err;
    snprintf(text, sizeof text, "import time\ntime.interval{period=%lldns} -> beat\n",
             (long long)run->period_ns);
    (void)bench_rig_channel(&run->rig, "beat", TELEM_U8);
    err = bench_rig_add(&run->rig, "timer", text, run->c->level, run->c->realtime, why);
    if (err != ARCD_OK)
        bench_rig_close(&run->rig);
    return err;
}

enum arcd_err bench_timer_run(const struct bench_timer_case *c, struct bench_session *session,
                              struct bench_result *result, struct arcd_errinfo *why)
{
    char rate[32];
    struct run *run = calloc(1, sizeof *run);
    ARCD_ASSERT(run != NULL);
    run->c = c;
    run->session = session;
    run->result = result;
    run->period_ns = llround(1e9 / c->rate_hz);
    result->test = c->test;
    result->rate_hz = c->rate_hz;
    result->level = arc_host_level_name(c->level);
    result->load = c->load;
    result->versus.name = "cyclictest";
    snprintf(run->what, sizeof run->what, "%s, %s, %s", bench_rate_text(c->rate_hz, rate),
             result->level, c->load);
    enum arcd_err err = open_rig(run, why);
    if (err == ARCD_OK) {
        err = take_turns(run, why);
        bench_rig_close(&run->rig);
    }
    free(run);
    return err;
}
