/* A task of the simulated device: every channel is connected to a generator, a variable of the
 * world, or an input. All names are resolved here, so that the loop follows pointers only. */
#include "hw/sim/sim_math.h"
#include "hw/sim/sim_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "temp, level, flow_in": what a plant has, for messages. */
static const char *list_names(struct base_arena *arena, const char *const *a, const char *const *b)
{
    const char *text = "";
    for (; *a != NULL; a++)
        text = base_arena_printf(arena, "%s%s%s", text, *text != '\0' ? ", " : "", *a);
    for (; b != NULL && *b != NULL; b++)
        text = base_arena_printf(arena, "%s%s%s", text, *text != '\0' ? ", " : "", *b);
    return *text != '\0' ? text : "none";
}

/* ---- Read channels */

static bool connect_signal(struct hw_task *task, struct sim_channel *channel, struct config_at at)
{
    const struct sim_signals *signals = &task->device->config.signals;
    for (uint32_t i = 0; i < signals->n; i++) {
        if (strcmp(signals->v[i].name, channel->config.signal) == 0) {
            channel->gen = &signals->v[i].gen;
            return true;
        }
    }
    return config_error(config_member(at, "signal"), "signal '%s' is not defined",
                        channel->config.signal);
}

static bool connect_variable(struct hw_task *task, struct sim_channel *channel, struct config_at at)
{
    const struct sim_plant *plant = &task->device->world.plant;
    const char *const *outputs = sim_plant_outputs(plant->config->kind);
    const char *const *inputs = sim_plant_inputs(plant->config->kind);
    const char *var = channel->config.var;
    int output = sim_name_index(outputs, var);
    int input = sim_name_index(inputs, var);
    if (output < 0 && input < 0)
        return config_error(config_member(at, "var"), "plant has no variable '%s' (has %s)", var,
                            list_names(&task->arena, outputs, inputs));
    channel->var = output >= 0 ? &plant->out[output] : &plant->commands[input];
    channel->noise = output >= 0 ? sim_plant_noise(plant->config, output) : 0.0;
    return true;
}

static bool connect_generator(struct hw_task *task, struct sim_channel *channel,
                              const struct hw_channel_config *config)
{
    struct sim_gen *gen = &channel->config.gen;
    gen->kind = sim_gen_kind_of(config->type);
    channel->gen = gen;
    return sim_gen_prepare(gen, &task->arena, task->device->env->config_dir, config->at);
}

static const struct config_table *table_of(const struct config_variants *variants, const char *type)
{
    for (uint32_t i = 0; i < variants->n; i++)
        if (strcmp(variants->variants[i].type, type) == 0)
            return variants->variants[i].table;
    return NULL;
}

/* The fields as read for the task layer point into its memory: read them again into ours. */
static bool copy_fields(struct hw_task *task, const struct config_variants *variants,
                        const struct hw_channel_config *config, void *out)
{
    const struct config_part part = {.table = table_of(variants, config->type), .out = out};
    ARCD_ASSERT(part.table != NULL);
    return config_peek_parts(config->at, &task->arena, &part, 1);
}

static const char *read_location(struct hw_task *task, const struct sim_channel *channel,
                                 enum sim_source source, const char *type)
{
    const char *what = source == SIM_SOURCE_SIGNAL  ? channel->config.signal
                       : source == SIM_SOURCE_PLANT ? channel->config.var
                       : source == SIM_SOURCE_LATCH ? channel->config.input
                                                    : type;
    return base_arena_printf(&task->arena, "%s/%s", task->device->name, what);
}

static bool new_read_channel(struct hw_task *task, uint32_t i,
                             const struct hw_channel_config *config)
{
    struct sim_channel *channel = &task->sim[i];
    if (!copy_fields(task, &sim_read_variants, config, &channel->config))
        return false;
    enum sim_source source = sim_source_of(config->type);
    task->channels[i].location = read_location(task, channel, source, config->type);
    switch (source) {
    case SIM_SOURCE_SIGNAL: return connect_signal(task, channel, config->at);
    case SIM_SOURCE_PLANT: return connect_variable(task, channel, config->at);
    case SIM_SOURCE_LATCH:
        channel->var = sim_world_latch(&task->device->world, channel->config.input);
        return true;
    case SIM_SOURCE_GEN: break;
    }
    return connect_generator(task, channel, config);
}

/* ---- Write channels */

static bool is_used_before(const struct hw_task *task, uint32_t n, const char *location)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(task->channels[i].location, location) == 0)
            return true;
    return false;
}

static bool new_write_channel(struct hw_task *task, uint32_t i,
                              const struct hw_channel_config *config)
{
    struct sim_channel *channel = &task->sim[i];
    struct hw_device *device = task->device;
    struct sim_write_channel fields;
    struct config_at at = config_member(config->at, "input");
    bool ok = copy_fields(task, &sim_write_variants, config, &fields);
    const char *input = fields.input != NULL ? fields.input : "";
    task->channels[i].location = base_arena_printf(&task->arena, "%s/%s", device->name, input);
    task->channels[i].has_readback = true;
    channel->input = -1;
    if (!ok)
        return false;
    if (is_used_before(task, i, task->channels[i].location))
        return config_error(at, "%s is used twice", task->channels[i].location);
    if (strcmp(config->type, "latch") == 0) {
        channel->latch = sim_world_latch(&device->world, input);
        return true;
    }
    const char *const *inputs = sim_plant_inputs(device->config.plant.kind);
    channel->input = sim_name_index(inputs, input);
    return channel->input >= 0 || config_error(at, "plant has no input '%s' (has %s)", input,
                                               list_names(&task->arena, inputs, NULL));
}

/* ---- Tasks */

static int64_t stepped_utc_ns(void *ctx)
{
    const struct hw_device *device = ctx;
    return base_clock_utc(device->env->clock) +
           sim_faults_clock_step_ns(&device->faults, hw_sim_now_ns(device));
}

static int64_t plain_mono_ns(void *ctx)
{
    return base_clock_mono(((const struct hw_device *)ctx)->env->clock);
}

/* The device keeps samples of four batches or two seconds, whichever is more. */
static uint32_t buffer_room(const struct hw_task *task)
{
    double room = fmax(4.0 * task->n_batch, ceil(2.0 * task->sample_rate_hz));
    return (uint32_t)fmax(room, 64.0);
}

static void build_buffer(struct hw_task *task, double drift_ppm)
{
    const double **vars = base_arena_array(&task->arena, const double *, task->info.n_channels);
    uint32_t n_vars = 0;
    for (uint32_t i = 0; i < task->info.n_channels; i++) {
        if (task->sim[i].var == NULL)
            continue;
        task->sim[i].column = n_vars;
        vars[n_vars++] = task->sim[i].var;
    }
    sim_acq_init(&task->acq, task->sample_rate_hz * (1.0 + drift_ppm * 1e-6), buffer_room(task),
                 vars, n_vars, &task->arena);
}

static bool build_channels(struct hw_task *task, const struct hw_task_config *config)
{
    bool ok = true;
    for (uint32_t i = 0; i < config->n_channels; i++) {
        const struct hw_channel_config *channel = &config->channels[i];
        task->channels[i] = (struct hw_channel){
            .name = base_arena_strdup(&task->arena, channel->channel), .value = HW_F64};
        task->sim[i].hash = sim_hash64(channel->channel);
        task->sim[i].faults = sim_faults_of_channel(&task->device->faults, channel->channel);
        ok &= config->direction == HW_READ ? new_read_channel(task, i, channel)
                                           : new_write_channel(task, i, channel);
    }
    return ok;
}

static void build(struct hw_task *task, const struct hw_task_config *config)
{
    struct hw_device *device = task->device;
    task->sample_rate_hz = config->sample_rate_hz;
    task->n_batch = config->samples_per_batch;
    task->timing = config->timing;
    if (config->direction == HW_READ) {
        const struct sim_read_config *fields = config->fields;
        task->latency_ns = fields->latency_ns;
        task->index = base_arena_array(&task->arena, uint64_t, task->n_batch);
        task->t_ns = base_arena_array(&task->arena, int64_t, task->n_batch);
        if (task->timing == HW_HARDWARE)
            build_buffer(task, fields->drift_ppm);
    } else {
        task->ack_delay_ns = ((const struct sim_write_config *)config->fields)->ack_delay_ns;
    }
    task->info.timing = task->timing;
    task->info.actual_rate_hz = task->sample_rate_hz;
    task->info.max_rate_hz = task->timing == HW_HARDWARE ? 1e6 : 0.0;
    if (sim_faults_have(&device->faults, SIM_FAULT_CLOCK_STEP)) {
        task->clock = (struct base_clock){plain_mono_ns, stepped_utc_ns, device};
        task->info.clock = &task->clock;
    }
}

enum arcd_err sim_task_new(struct hw_device *device, const struct hw_task_config *config,
                           struct hw_task **task, const struct hw_task_info **info,
                           struct arcd_errinfo *why)
{
    if (config->unit != NULL && config->unit[0] != '\0') {
        config_error(config_member(config->at, "device"), "device '%s' has no units", device->name);
        return arcd_fail(why, ARCD_ERR_CONFIG, 0, "device '%s' has no units", device->name);
    }
    /* Aligned for the doorbell, which has a cache line of its own. */
    struct hw_task *t = aligned_alloc(_Alignof(struct hw_task), sizeof *t);
    if (t == NULL)
        return arcd_fail(why, ARCD_ERR_NOMEM, 0, "%s: out of memory", config->name);
    memset(t, 0, sizeof *t);
    t->device = device;
    base_arena_init(&t->arena);
    base_doorbell_init(&t->bell);
    t->channels = base_arena_array(&t->arena, struct hw_channel, config->n_channels);
    t->sim = base_arena_array(&t->arena, struct sim_channel, config->n_channels);
    t->info.n_channels = config->n_channels;
    t->info.channels = t->channels;
    if (!build_channels(t, config)) {
        sim_task_free(t);
        return arcd_fail(why, ARCD_ERR_CONFIG, 0, "task '%s' has errors", config->name);
    }
    build(t, config);
    base_arena_seal(&t->arena);
    *task = t;
    *info = &t->info;
    return ARCD_OK;
}

void sim_task_free(struct hw_task *task)
{
    base_arena_fini(&task->arena);
    free(task);
}
