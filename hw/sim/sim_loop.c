/* The loop of a simulated task. A hardware-timed read waits until its samples are due by the
 * device's clock and takes them from the buffer that the world has filled; a software-timed one
 * looks at the world as it is. */
#include "hw/sim/sim_math.h"
#include "hw/sim/sim_priv.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---- Failing */

static enum hw_class fail(struct hw_task *task, struct hw_error *error, enum hw_class cls,
                          int64_t code, const char *fmt, ...) ARCD_PRINTF(5, 6);

static enum hw_class fail(struct hw_task *task, struct hw_error *error, enum hw_class cls,
                          int64_t code, const char *fmt, ...)
{
    *error = (struct hw_error){.cls = cls, .code = code, .channel = UINT32_MAX};
    va_list args;
    va_start(args, fmt);
    vsnprintf(error->text, sizeof error->text, fmt, args);
    va_end(args);
    atomic_fetch_add_explicit(&task->device->counters.errors, 1, memory_order_relaxed);
    return cls;
}

/* ---- Waiting */

enum wait { WAIT_DUE, WAIT_DEADLINE, WAIT_INTERRUPTED };

/* Sleeps until device time until_ns. A clock of the tests' own is simply asked again: the bell's
 * deadline is the machine's. */
static enum wait wait_until(struct hw_task *task, int64_t until_ns, int64_t deadline_mono_ns)
{
    const struct hw_device *device = task->device;
    bool is_virtual = device->config.clock == 1;
    for (;;) {
        uint32_t seen = base_doorbell_read(&task->bell);
        if (atomic_load(&task->interrupted))
            return WAIT_INTERRUPTED;
        if (hw_sim_now_ns(device) >= until_ns)
            return WAIT_DUE;
        if (base_clock_mono(device->env->clock) >= deadline_mono_ns)
            return WAIT_DEADLINE;
        int64_t wake_ns = deadline_mono_ns;
        if (!is_virtual && until_ns < deadline_mono_ns - device->open_mono_ns)
            wake_ns = device->open_mono_ns + until_ns;
        base_doorbell_wait(&task->bell, seen, wake_ns);
    }
}

/* One call of the loop: when it began, and until when it may take. */
struct call {
    int64_t start_mono_ns, deadline_mono_ns;
    struct hw_error *error;
    const char *what; /* "data from" or "answer from": what is missing at the deadline */
};

static struct call begin(struct hw_task *task, int64_t deadline_mono_ns, struct hw_error *error,
                         const char *what)
{
    return (struct call){base_clock_mono(task->device->env->clock), deadline_mono_ns, error, what};
}

/* What a wait that did not last means for the call. */
static enum hw_class give_up(struct hw_task *task, const struct call *call, enum wait why)
{
    if (why == WAIT_INTERRUPTED)
        return HW_NOMINAL;
    double waited_s = (double)(call->deadline_mono_ns - call->start_mono_ns) / 1e9;
    return fail(task, call->error, HW_TEMPORARY, 0, "no %s %s in %.2g s", call->what,
                task->device->name, waited_s);
}

/* Faults that stop a whole call. *go: it may proceed; else the result is final. */
static enum hw_class pass_faults(struct hw_task *task, const struct call *call, bool *go)
{
    const struct sim_faults *faults = &task->device->faults;
    *go = false;
    for (;;) {
        if (atomic_load(&task->interrupted))
            return HW_NOMINAL;
        int64_t now_ns = hw_sim_now_ns(task->device);
        if (sim_faults_active(faults, SIM_FAULT_DISCONNECT, now_ns) != NULL)
            return fail(task, call->error, HW_TEMPORARY, 0, "%s is disconnected",
                        task->device->name);
        const struct sim_fault *f = sim_faults_active(faults, SIM_FAULT_ERROR, now_ns);
        if (f != NULL)
            return fail(task, call->error, f->cls, f->code, "%s: %s [%lld]", task->device->name,
                        f->text, (long long)f->code);
        f = sim_faults_active(faults, SIM_FAULT_STALL, now_ns);
        if (f == NULL)
            break;
        enum wait ended = wait_until(task, sim_fault_end_ns(f, now_ns), call->deadline_mono_ns);
        if (ended != WAIT_DUE)
            return give_up(task, call, ended);
    }
    *go = true;
    return HW_NOMINAL;
}

/* ---- Values */

static double through_converter(const struct sim_read_channel *config, double v)
{
    if (config->range.given)
        v = fmin(fmax(v, config->range.min), config->range.max);
    if (config->has_quantize && !isnan(v)) {
        const struct sim_quantize *q = &config->quantize;
        double codes = ldexp(1.0, (int)q->bits) - 1.0;
        double code = floor((v - q->min) / (q->max - q->min) * codes + 0.5);
        code = fmin(fmax(code, 0.0), codes);
        v = q->min + code * (q->max - q->min) / codes;
    }
    return v;
}

/* `var` is what the channel's variable was at t_ns, where it has one. */
static double value_at(struct hw_task *task, struct sim_channel *channel, int64_t t_ns, double var)
{
    const struct hw_device *device = task->device;
    struct sim_moment at = {.t_s = (double)t_ns / 1e9,
                            .chan_hash = channel->hash,
                            .seed = (uint64_t)device->config.seed,
                            .quiet = !device->config.noise};
    at.sample = (uint64_t)floor(at.t_s * task->sample_rate_hz + 0.5);
    uint64_t stream = at.seed ^ channel->hash;
    double v = channel->gen != NULL ? sim_gen_value(channel->gen, &at) : var;
    if (channel->noise > 0.0 && device->config.noise)
        v += channel->noise * sim_gauss(stream, at.sample);
    v = through_converter(&channel->config, v);
    if (device->faults.n == 0)
        return v;
    double draw = sim_uniform(stream ^ sim_hash64("spike"), at.sample);
    return sim_faults_value(&device->faults, channel->faults, t_ns, v, draw, &channel->stuck);
}

/* ---- Reading by the device's clock */

/* When the batch that starts with the oldest entry is complete: one spacing after its last sample.
 * INT64_MAX while that sample is not yet due. */
static int64_t complete_ns(const struct hw_task *task, uint32_t n_want)
{
    const struct sim_acq *acq = &task->acq;
    uint64_t end = acq->index[acq->tail % acq->room] + n_want;
    if (acq->next_i < end)
        return INT64_MAX;
    return acq->next_ns - (int64_t)((double)(acq->next_i - end) * acq->period_ns);
}

static int64_t late_ns(const struct hw_task *task, int64_t now_ns)
{
    const struct sim_fault *f = sim_faults_active(&task->device->faults, SIM_FAULT_LATE, now_ns);
    if (f == NULL)
        return 0;
    uint64_t stream = (uint64_t)task->device->config.seed ^ sim_hash64("late");
    double spread = 2.0 * sim_uniform(stream, task->n_reads) - 1.0;
    int64_t delay_ns = f->mean_ns + (int64_t)(spread * (double)f->jitter_ns);
    return delay_ns > 0 ? delay_ns : 0;
}

/* Copies the run out of the buffer: variables into their rows, moments to the side. */
static void take_run(struct hw_task *task, struct hw_read *read, uint32_t run)
{
    struct sim_acq *acq = &task->acq;
    for (uint32_t k = 0; k < run; k++) {
        size_t entry = (acq->tail + k) % acq->room;
        task->index[k] = acq->index[entry];
        task->t_ns[k] = acq->t_ns[entry];
        for (uint32_t c = 0; c < task->info.n_channels; c++)
            if (task->sim[c].var != NULL)
                read->values[c][k].f64 = acq->values[entry * acq->n_vars + task->sim[c].column];
    }
    acq->tail += run;
    read->n_got = run;
    read->lost_samples = (int64_t)(task->index[0] - task->next_i);
    task->next_i = task->index[0] + run;
    read->backlog_samples = (int64_t)(acq->head - acq->tail);
    read->skew_samples = (int64_t)(acq->next_i - task->next_i);
}

/* What is there to read at now_ns; *again_ns: look again then. */
static uint32_t ready_run(struct hw_task *task, uint32_t n_want, int64_t now_ns, int64_t *again_ns)
{
    const struct sim_acq *acq = &task->acq;
    if (acq->head == acq->tail) {
        *again_ns = acq->next_ns + (int64_t)((double)n_want * acq->period_ns);
        return 0;
    }
    uint32_t run = sim_acq_run(acq, n_want);
    bool gap_follows = acq->tail + run < acq->head && run < n_want;
    int64_t due_ns = complete_ns(task, n_want);
    if (due_ns == INT64_MAX && !gap_follows) {
        uint64_t missing = acq->index[acq->tail % acq->room] + n_want - acq->next_i;
        *again_ns = acq->next_ns + (int64_t)((double)missing * acq->period_ns);
        return 0;
    }
    if (gap_follows)
        due_ns = now_ns;
    *again_ns = due_ns + task->latency_ns + late_ns(task, now_ns);
    return *again_ns <= now_ns ? run : 0;
}

static void compute(struct hw_task *task, struct hw_read *read)
{
    for (uint32_t c = 0; c < task->info.n_channels; c++) {
        for (uint32_t k = 0; k < read->n_got; k++) {
            double var = task->sim[c].var != NULL ? read->values[c][k].f64 : 0.0;
            read->values[c][k].f64 = value_at(task, &task->sim[c], task->t_ns[k], var);
        }
    }
}

static enum hw_class read_hardware(struct hw_task *task, struct hw_read *read,
                                   const struct call *call)
{
    struct sim_world *world = &task->device->world;
    uint32_t n_want = read->n_want < task->n_batch ? read->n_want : task->n_batch;
    while (read->n_got == 0) {
        bool go = false;
        enum hw_class cls = pass_faults(task, call, &go);
        if (!go)
            return cls;
        int64_t now_ns = hw_sim_now_ns(task->device);
        int64_t again_ns = now_ns;
        sim_world_lock(world);
        sim_world_advance(world, now_ns);
        uint32_t run = ready_run(task, n_want, now_ns, &again_ns);
        if (run > 0)
            take_run(task, read, run);
        sim_world_unlock(world);
        if (run > 0)
            break;
        enum wait ended = wait_until(task, again_ns, call->deadline_mono_ns);
        if (ended != WAIT_DUE)
            return give_up(task, call, ended);
    }
    int64_t now_ns = hw_sim_now_ns(task->device);
    read->skew_samples += sim_faults_overrun(&task->device->faults, now_ns);
    compute(task, read);
    return HW_NOMINAL;
}

/* ---- Reading the world as it is */

static enum hw_class read_software(struct hw_task *task, struct hw_read *read,
                                   const struct call *call)
{
    struct sim_world *world = &task->device->world;
    bool go = false;
    enum hw_class cls = pass_faults(task, call, &go);
    if (!go)
        return cls;
    int64_t now_ns = hw_sim_now_ns(task->device);
    sim_world_lock(world);
    sim_world_advance(world, now_ns);
    for (uint32_t c = 0; c < task->info.n_channels; c++)
        if (task->sim[c].var != NULL)
            read->values[c][0].f64 = *task->sim[c].var;
    sim_world_unlock(world);
    bool lost = sim_faults_active(&task->device->faults, SIM_FAULT_DROPOUT, now_ns) != NULL;
    task->t_ns[0] = now_ns;
    read->n_got = lost ? 0 : 1;
    compute(task, read);
    int64_t until_ns = now_ns + task->latency_ns + late_ns(task, now_ns);
    enum wait ended = wait_until(task, until_ns, call->deadline_mono_ns);
    if (ended == WAIT_DUE)
        return HW_NOMINAL;
    read->n_got = 0;
    return give_up(task, call, ended);
}

static enum hw_class sim_read(struct hw_task *task, struct hw_read *read, struct hw_error *error)
{
    read->n_got = 0;
    read->skew_samples = 0;
    read->lost_samples = 0;
    read->backlog_samples = 0;
    read->warning[0] = '\0';
    struct call call = begin(task, read->deadline_mono_ns, error, "data from");
    enum hw_class cls = task->timing == HW_HARDWARE ? read_hardware(task, read, &call)
                                                    : read_software(task, read, &call);
    task->n_reads++;
    if (read->valid != NULL)
        memset(read->valid, 1, task->info.n_channels);
    struct sim_counters *counters = &task->device->counters;
    atomic_fetch_add_explicit(&counters->reads, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counters->samples, read->n_got, memory_order_relaxed);
    atomic_fetch_add_explicit(&counters->lost, read->lost_samples, memory_order_relaxed);
    return cls;
}

/* ---- Writing */

static const struct sim_fault *fault_of(struct hw_task *task, uint32_t c, enum sim_fault_kind kind,
                                        int64_t t_ns)
{
    const struct sim_faults *faults = &task->device->faults;
    for (uint32_t i = 0; i < faults->n; i++)
        if (faults->v[i].kind == kind && (task->sim[c].faults >> i & 1) != 0 &&
            sim_fault_active(&faults->v[i], t_ns))
            return &faults->v[i];
    return NULL;
}

static void set_output(struct hw_task *task, uint32_t c, double value, int64_t t_ns)
{
    struct sim_world *world = &task->device->world;
    sim_world_lock(world);
    if (task->sim[c].latch != NULL) {
        sim_world_advance(world, t_ns);
        *task->sim[c].latch = value;
    } else {
        sim_world_set_input(world, t_ns, task->sim[c].input, value);
    }
    sim_world_unlock(world);
}

/* The first refusal is the call's result; the other channels are written all the same. */
static enum hw_class write_channels(struct hw_task *task, struct hw_write *write,
                                    struct hw_error *error)
{
    enum hw_class cls = HW_NOMINAL;
    int64_t now_ns = hw_sim_now_ns(task->device);
    for (uint32_t c = 0; c < task->info.n_channels; c++) {
        if (!write->changed[c])
            continue;
        const struct sim_fault *f = fault_of(task, c, SIM_FAULT_WRITE_REJECT, now_ns);
        if (f != NULL) {
            if (cls != HW_NOMINAL)
                continue;
            cls = fail(task, error, f->cls, f->code, "%s (%s): write rejected: %s [%lld]",
                       task->channels[c].name, task->channels[c].location, f->text,
                       (long long)f->code);
            error->channel = c;
            continue;
        }
        if (fault_of(task, c, SIM_FAULT_WRITE_IGNORE, now_ns) == NULL)
            set_output(task, c, write->values[c].f64, now_ns);
        write->done[c] = 1;
    }
    return cls;
}

static enum hw_class sim_write(struct hw_task *task, struct hw_write *write, struct hw_error *error)
{
    memset(write->done, 0, task->info.n_channels);
    write->warning[0] = '\0';
    struct call call = begin(task, write->deadline_mono_ns, error, "answer from");
    bool go = false;
    enum hw_class cls = pass_faults(task, &call, &go);
    if (!go)
        return cls;
    atomic_fetch_add_explicit(&task->device->counters.writes, 1, memory_order_relaxed);
    cls = write_channels(task, write, error);
    if (cls != HW_NOMINAL || task->ack_delay_ns == 0)
        return cls;
    int64_t until_ns = hw_sim_now_ns(task->device) + task->ack_delay_ns;
    enum wait ended = wait_until(task, until_ns, call.deadline_mono_ns);
    if (ended == WAIT_DUE)
        return HW_NOMINAL;
    memset(write->done, 0, task->info.n_channels);
    return give_up(task, &call, ended);
}

static enum hw_class sim_readback(struct hw_task *task, union telem_value *values, uint8_t *valid,
                                  struct hw_error *error)
{
    int64_t now_ns = hw_sim_now_ns(task->device);
    if (sim_faults_active(&task->device->faults, SIM_FAULT_DISCONNECT, now_ns) != NULL)
        return fail(task, error, HW_TEMPORARY, 0, "%s is disconnected", task->device->name);
    struct sim_world *world = &task->device->world;
    sim_world_lock(world);
    for (uint32_t c = 0; c < task->info.n_channels; c++) {
        const struct sim_channel *channel = &task->sim[c];
        values[c].f64 =
            channel->latch != NULL ? *channel->latch : world->plant.commands[channel->input];
        valid[c] = 1;
    }
    sim_world_unlock(world);
    return HW_NOMINAL;
}

/* ---- Start and stop */

static enum hw_class sim_start(struct hw_task *task, int64_t deadline_mono_ns,
                               struct hw_error *error)
{
    atomic_store(&task->interrupted, false);
    struct call call = begin(task, deadline_mono_ns, error, "answer from");
    bool go = false;
    enum hw_class cls = pass_faults(task, &call, &go);
    if (!go)
        return cls;
    struct hw_device *device = task->device;
    for (uint32_t c = 0; c < task->info.n_channels; c++)
        task->sim[c].stuck = (struct sim_stuck){0};
    task->next_i = 0;
    task->n_reads = 0;
    sim_world_lock(&device->world);
    int64_t now_ns = hw_sim_now_ns(device);
    sim_world_advance(&device->world, now_ns);
    if (task->timing == HW_HARDWARE)
        sim_acq_start(&device->world, &task->acq, now_ns);
    task->next_running = device->running;
    device->running = task;
    sim_world_unlock(&device->world);
    return HW_NOMINAL;
}

static void sim_stop(struct hw_task *task)
{
    struct hw_device *device = task->device;
    sim_world_lock(&device->world);
    if (task->timing == HW_HARDWARE)
        sim_acq_stop(&device->world, &task->acq);
    for (struct hw_task **p = &device->running; *p != NULL; p = &(*p)->next_running) {
        if (*p == task) {
            *p = task->next_running;
            break;
        }
    }
    sim_world_unlock(&device->world);
}

static void sim_interrupt(struct hw_task *task)
{
    atomic_store(&task->interrupted, true);
    base_doorbell_ring(&task->bell);
}

const struct hw_loop_ops sim_loop_ops = {
    .start = sim_start,
    .read = sim_read,
    .write = sim_write,
    .readback = sim_readback,
    .stop = sim_stop,
    .interrupt = sim_interrupt,
};
