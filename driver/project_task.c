/* One file of tasks/: the envelope, the type's own fields and the channels are read together, each
 * field by the table of the layer that knows it; then the task itself is built, which checks the
 * rest. */
#include "driver/backends.h"
#include "driver/project.h"

#include <stdlib.h>
#include <string.h>

/* What the channel elements of one task become. */
struct elements {
    uint32_t n; /* enabled ones */
    struct hw_channel_config *hw;
    struct config_read_channel *reads;
    struct config_write_channel *writes;
};

/* "gateway/boiler" is the unit boiler of the device gateway. */
static struct driver_device *find_device(struct driver_project *project, const char *name)
{
    const struct config_device *config = config_driver_device(&project->set.driver, name);
    for (uint32_t i = 0; i < project->n_devices; i++)
        if (project->devices[i].config == config)
            return &project->devices[i];
    return NULL;
}

static bool read_element(struct driver_project *project, struct driver_task *t, struct config_at at,
                         struct elements *all)
{
    const struct config_variant *variant = config_variant_of(at, t->type->channel_variants);
    if (variant == NULL)
        return false;
    bool reads = t->type->direction == HW_READ;
    struct config_read_channel *read = &all->reads[all->n];
    struct config_write_channel *write = &all->writes[all->n];
    void *fields = NULL;
    if (variant->table != NULL)
        fields = base_arena_alloc(&t->arena, variant->table->size, _Alignof(max_align_t));
    struct config_part parts[] = {
        {reads ? &config_read_channel_table : &config_write_channel_table,
         reads ? (void *)read : (void *)write, project->set.driver.defaults},
        {variant->table, fields, {0}},
    };
    if (!config_read_parts(at, &t->arena, parts, variant->table != NULL ? 2 : 1))
        return false;
    if (!(reads ? read->enabled : write->enabled))
        return true;
    const char *channel = reads ? read->channel : write->cmd_channel;
    const struct config_channel *declared =
        config_channels_find(&project->set.driver.channels, channel);
    if (declared == NULL)
        return config_channels_need(&project->set.driver.channels,
                                    config_member(at, reads ? "channel" : "cmd_channel"),
                                    channel) != NULL;
    all->hw[all->n++] = (struct hw_channel_config){
        .type = variant->type,
        .channel = channel,
        .chan_type = declared->decl.type,
        .fields = fields,
        .at = at,
    };
    return true;
}

static bool read_elements(struct driver_project *project, struct driver_task *t,
                          struct config_at root, struct elements *all)
{
    struct config_at list = config_member(root, "channels");
    uint32_t n = config_type(list) == CONFIG_JSON_ARRAY ? config_count(list) : 0;
    all->hw = base_arena_array(&t->arena, struct hw_channel_config, n);
    all->reads = base_arena_array(&t->arena, struct config_read_channel, n);
    all->writes = base_arena_array(&t->arena, struct config_write_channel, n);
    bool ok = true;
    for (uint32_t i = 0; i < n; i++)
        ok = read_element(project, t, config_element(list, i), all) && ok;
    return ok;
}

static bool find_task_device(struct driver_project *project, struct config_at root,
                             struct driver_task *t)
{
    struct config_at at = config_member(root, "device");
    if (t->common.device == NULL)
        return config_error(at, "is required");
    t->device = find_device(project, t->common.device);
    if (t->device == NULL)
        return config_error(at, "device '%s' is not declared", t->common.device);
    if (t->device->driver != t->driver)
        return config_error(at, "device '%s' is a %s device", t->common.device,
                            t->device->config->common.backend);
    return t->device->hw != NULL;
}

/* Marks the channels that only this task writes, so that programs may not. */
static void mark_measured(struct driver_project *project, const char *channel)
{
    const struct config_channel *declared =
        channel != NULL ? config_channels_find(&project->set.driver.channels, channel) : NULL;
    struct telem_key key =
        declared != NULL ? telem_chans_find(project->chans, channel) : TELEM_NO_KEY;
    if (!telem_key_valid(key))
        return;
    project->measured[key.v] = true;
    struct telem_key index = telem_chans_decl(project->chans, key)->index;
    if (telem_key_valid(index))
        project->measured[index.v] = true;
}

static void build(struct driver_project *project, struct config_at root, struct driver_task *t,
                  const struct elements *all, void *fields)
{
    bool reads = t->type->direction == HW_READ;
    for (uint32_t i = 0; i < all->n; i++)
        mark_measured(project, reads ? all->reads[i].channel : all->writes[i].state_channel);
    bool given = reads && t->rates.has_timing;
    const char *unit = strchr(t->common.device, '/');
    struct hw_task_config hw = {
        .name = t->common.name,
        .type = t->type->name,
        .direction = t->type->direction,
        .sample_rate_hz = t->rates.sample_rate_hz,
        .samples_per_batch = t->rates.n_samples,
        .timing = !given                                      ? t->type->default_timing
                  : t->rates.timing == CONFIG_TIMING_HARDWARE ? HW_HARDWARE
                                                              : HW_SOFTWARE,
        .timing_given = given,
        .unit = unit != NULL ? unit + 1 : "",
        .io_timeout_ns = reads ? t->rates.read_timeout_ns : t->write.write_timeout_ns,
        .fields = fields,
        .at = root,
        .n_channels = all->n,
        .channels = all->hw,
    };
    const struct config_timing *timing = &project->set.driver.timing;
    struct tasks_env env = {
        .bus = project->bus,
        .clock = project->opts.clock,
        .status_bell = project->opts.status_bell,
        .state_dir = project->opts.state_dir,
        .skew = {.correct = timing->correct_skew,
                 .kp = timing->skew.kp,
                 .ki = timing->skew.ki,
                 .kd = timing->skew.kd,
                 .max_integral = timing->skew.max_integral,
                 .max_back = timing->skew.max_back,
                 .step_ns = timing->skew.step_ns},
        .retry_jitter = 0.05,
    };
    struct arcd_errinfo why = {0};
    uint32_t n_errors_before = root.doc->n_errors;
    enum arcd_err err;
    if (reads) {
        struct tasks_read_config config = {&t->common, &t->rates,     all->reads,
                                           t->driver,  t->device->hw, &hw};
        err = tasks_read_new(&env, &config, &t->task, &why);
    } else {
        struct tasks_write_config config = {&t->common, &t->write,     all->writes,
                                            t->driver,  t->device->hw, &hw};
        err = tasks_write_new(&env, &config, &t->task, &why);
    }
    if (err != ARCD_OK && root.doc->n_errors == n_errors_before)
        (void)config_error(root, "%s", why.text[0] != '\0' ? why.text : arcd_err_text(err));
}

/* Reads the file into *t and builds its task, as far as it is in order. */
static void load(struct driver_project *project, const struct config_task_file *file,
                 struct driver_task *t)
{
    struct config_at root = config_root(file->doc);
    if (file->type == NULL ||
        !driver_backend_find_task_type(file->type->name, &t->driver, &t->type))
        return; /* config/ has said why */
    bool reads = t->type->direction == HW_READ;
    void *fields = NULL;
    if (t->type->task_table != NULL)
        fields = base_arena_alloc(&t->arena, t->type->task_table->size, _Alignof(max_align_t));
    struct config_part parts[] = {
        {reads ? &config_rates_table : &config_write_table,
         reads ? (void *)&t->rates : (void *)&t->write, project->set.driver.defaults},
        {t->type->task_table, fields, project->set.driver.defaults},
    };
    bool ok = config_task_read(root, &t->arena, project->set.driver.defaults, &t->common, parts,
                               fields != NULL ? 2 : 1);
    struct elements all = {0};
    ok = read_elements(project, t, root, &all) && ok;
    ok = find_task_device(project, root, t) && ok;
    if (ok && reads)
        ok = config_rates_check_batch(root, &t->rates, all.n);
    if (ok && file->ok)
        build(project, root, t, &all, fields);
}

struct driver_task *driver_task_load(struct driver_project *project,
                                     const struct config_task_file *file)
{
    struct driver_task *t = calloc(1, sizeof *t);
    ARCD_ASSERT(t != NULL);
    base_arena_init(&t->arena);
    t->file = base_arena_strdup(&t->arena, file->doc->file);
    t->canonical = base_arena_strdup(&t->arena, file->canonical != NULL ? file->canonical : "");
    load(project, file, t);
    return t;
}

void driver_task_free(struct driver_task *t)
{
    if (t == NULL)
        return;
    tasks_task_free(t->task);
    base_arena_fini(&t->arena);
    free(t);
}
