/* The simulated backend's table, and its devices. */
#include "hw/sim/sim_priv.h"

#include <stdlib.h>
#include <string.h>

/* ---- Device time */

int64_t hw_sim_now_ns(const struct hw_device *device)
{
    if (device->config.clock == 1)
        return atomic_load(&device->virtual_ns);
    return base_clock_mono(device->env->clock) - device->open_mono_ns;
}

void hw_sim_advance(struct hw_device *device, int64_t by_ns)
{
    ARCD_ASSERT(device->config.clock == 1 && by_ns >= 0);
    atomic_fetch_add(&device->virtual_ns, by_ns);
    sim_world_lock(&device->world);
    for (struct hw_task *task = device->running; task != NULL; task = task->next_running)
        base_doorbell_ring(&task->bell);
    sim_world_unlock(&device->world);
}

/* ---- Devices */

static bool prepare_signals(struct hw_device *device, struct config_at at)
{
    struct sim_signals *signals = &device->config.signals;
    struct config_at member = config_member(at, "signals");
    bool ok = true;
    for (uint32_t i = 0; i < signals->n; i++)
        ok &= sim_gen_prepare(&signals->v[i].gen, &device->arena, device->env->config_dir,
                              config_member(member, signals->v[i].name));
    return ok;
}

static void device_close(struct hw_device *device)
{
    sim_world_fini(&device->world);
    base_arena_fini(&device->arena);
    free(device);
}

/* Reads the configuration again, into memory of the device. */
static enum arcd_err device_open(struct hw_backend *backend, const struct hw_env *env,
                                 const char *name, const void *fields, struct config_at at,
                                 struct hw_device **device, struct arcd_errinfo *why)
{
    (void)backend;
    (void)fields;
    struct hw_device *d = calloc(1, sizeof *d);
    if (d == NULL)
        return arcd_fail(why, ARCD_ERR_NOMEM, 0, "device '%s': out of memory", name);
    base_arena_init(&d->arena);
    d->env = env;
    d->name = base_arena_strdup(&d->arena, name);
    const struct config_part part = {.table = &sim_device_table, .out = &d->config};
    bool ok = config_peek_parts(at, &d->arena, &part, 1) && prepare_signals(d, at);
    d->faults = (struct sim_faults){d->config.faults.v, d->config.faults.n};
    sim_world_init(&d->world, &d->config.plant, &d->faults, &d->arena);
    d->open_mono_ns = base_clock_mono(env->clock);
    if (!ok) {
        device_close(d);
        return arcd_fail(why, ARCD_ERR_CONFIG, 0, "device '%s' has errors", name);
    }
    *device = d;
    return ARCD_OK;
}

static enum hw_class probe(struct hw_device *device, const char *unit, int64_t deadline_mono_ns,
                           struct hw_error *error)
{
    (void)unit;
    (void)deadline_mono_ns;
    int64_t now_ns = hw_sim_now_ns(device);
    sim_world_lock(&device->world);
    sim_world_advance(&device->world, now_ns); /* so that no start has much to catch up with */
    sim_world_unlock(&device->world);
    if (sim_faults_active(&device->faults, SIM_FAULT_DISCONNECT, now_ns) == NULL)
        return HW_NOMINAL;
    *error = (struct hw_error){.cls = HW_TEMPORARY, .channel = UINT32_MAX};
    snprintf(error->text, sizeof error->text, "%s is disconnected", device->name);
    return HW_TEMPORARY;
}

static uint32_t counters(struct hw_device *device, struct hw_counter *out, uint32_t n)
{
    const struct {
        const char *name;
        _Atomic int64_t *value;
    } all[] = {
        {"reads", &device->counters.reads},     {"writes", &device->counters.writes},
        {"samples", &device->counters.samples}, {"lost_samples", &device->counters.lost},
        {"errors", &device->counters.errors},
    };
    uint32_t count = 0;
    for (; count < n && count < ARCD_COUNT_OF(all); count++) {
        snprintf(out[count].name, sizeof out[count].name, "%s", all[count].name);
        out[count].value = atomic_load_explicit(all[count].value, memory_order_relaxed);
    }
    return count;
}

static void describe(const struct hw_task *task, FILE *out)
{
    for (uint32_t i = 0; i < task->info.n_channels; i++)
        fprintf(out, "  %s: %s\n", task->channels[i].name, task->channels[i].location);
}

/* ---- The table */

static const struct hw_setup_ops setup_ops = {
    .device_open = device_open,
    .device_close = device_close,
    .task_new = sim_task_new,
    .task_free = sim_task_free,
    .describe = describe,
    .probe = probe,
    .counters = counters,
};

static const struct hw_task_type task_types[] = {
    {
        .name = "sim_read",
        .direction = HW_READ,
        .default_timing = HW_HARDWARE,
        .has_hardware_timing = true,
        .has_software_timing = true,
        .task_table = &sim_read_table,
        .channel_variants = &sim_read_variants,
    },
    {
        .name = "sim_write",
        .direction = HW_WRITE,
        .default_timing = HW_SOFTWARE,
        .has_software_timing = true,
        .task_table = &sim_write_table,
        .channel_variants = &sim_write_variants,
    },
};

const struct hw_driver hw_sim_driver = {
    .name = "sim",
    .title = "Simulated device",
    .shareable = true,
    .device_table = &sim_device_table,
    .task_types = task_types,
    .n_task_types = ARCD_COUNT_OF(task_types),
    .setup = &setup_ops,
    .loop = &sim_loop_ops,
};
