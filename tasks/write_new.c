/* Makes a write task from its configuration. */
#include "tasks/write_priv.h"

#include <stdlib.h>

/* ---- Checks */

static bool check_state(const struct tasks_build *build, uint32_t c, const char *name)
{
    if (name == NULL)
        return true;
    struct config_at at = config_member(build->hw->channels[c].at, "state_channel");
    const struct telem_chans *chans = telem_bus_chans(build->env->bus);
    struct telem_key key = tasks_task_channel(build->env, at, name);
    if (!telem_key_valid(key))
        return false;
    const struct telem_chan_decl *decl = telem_chans_decl(chans, key);
    bool is_text = build->hw->channels[c].chan_type == TELEM_STR;
    if ((decl->type == TELEM_STR) != is_text)
        return config_error(at, "channel '%s' of type %s cannot hold a %s", name,
                            telem_type_name(decl->type), is_text ? "text" : "number");
    if (!telem_key_valid(decl->index) && !decl->is_virtual)
        return config_error(at, "state channel '%s' needs an index", name);
    return true;
}

/* A state channel is ours alone: no other state, and nobody's command. */
static bool check_state_unique(const struct tasks_write_config *config, uint32_t c)
{
    const char *name = config->channels[c].state_channel;
    if (name == NULL)
        return true;
    struct config_at at = config_member(config->hw->channels[c].at, "state_channel");
    for (uint32_t i = 0; i < config->hw->n_channels; i++) {
        const struct config_write_channel *other = &config->channels[i];
        bool twice =
            i < c && other->state_channel != NULL && strcmp(other->state_channel, name) == 0;
        if (twice || strcmp(other->cmd_channel, name) == 0)
            return config_error(at, "channel '%s' is used twice", name);
    }
    return true;
}

static bool check_text(const struct tasks_build *build, const struct config_write_channel *config,
                       uint32_t c)
{
    if (build->hw->channels[c].chan_type != TELEM_STR)
        return true;
    const char *field = config->has_safe_value                   ? "safe_value"
                        : config->has_min                        ? "min"
                        : config->has_max                        ? "max"
                        : config->rate_limit_per_s > 0           ? "rate_limit"
                        : config->scale.n > 0                    ? "scale"
                        : config->on_start == CONFIG_OUTPUT_LAST ? "on_start"
                                                                 : NULL;
    if (field == NULL)
        return true;
    return config_error(config_member(build->hw->channels[c].at, field), "is for numbers only");
}

static bool check_channels(const struct tasks_build *build, const struct tasks_write_config *config)
{
    bool ok = true;
    for (uint32_t c = 0; c < config->hw->n_channels; c++) {
        ok = check_state(build, c, config->channels[c].state_channel) && ok;
        ok = check_state_unique(config, c) && ok;
        ok = check_text(build, &config->channels[c], c) && ok;
    }
    return ok;
}

/* ---- Building */

static bool init_scale(struct write_task *w, uint32_t c, const struct tasks_write_config *config)
{
    struct write_channel *channel = &w->channels[c];
    struct arcd_errinfo why;
    tasks_task_scale(&w->task.arena, &config->channels[c].scale, &channel->scale);
    if (tasks_scale_invert(&channel->scale, &channel->inverse, &why) == ARCD_OK)
        return true;
    return config_error(config_member(config->hw->channels[c].at, "scale"), "%s", why.text);
}

static bool init_channel(struct write_task *w, uint32_t c, const struct tasks_write_config *config)
{
    struct write_channel *channel = &w->channels[c];
    const struct config_write_channel *from = &config->channels[c];
    channel->name = w->task.channel_names[c];
    channel->key = telem_chans_find(telem_bus_chans(w->task.env.bus), from->cmd_channel);
    channel->type = config->hw->channels[c].chan_type;
    channel->value = w->task.info->channels[c].value;
    channel->str_bytes = channel->value == HW_STR ? w->task.info->channels[c].str_bytes : 0;
    channel->has_safe = from->has_safe_value;
    channel->safe = from->safe_value;
    channel->on_start = from->on_start;
    channel->on_stop = from->on_stop;
    channel->on_fault = from->on_fault;
    channel->cmd_timeout_ns = from->cmd_timeout_ns;
    channel->min = from->min;
    channel->max = from->max;
    channel->step = from->rate_limit_per_s / w->state_rate_hz;
    channel->state_col = channel->index_col = UINT32_MAX;
    channel->is_direct = from->scale.n == 0 && !from->has_min && !from->has_max &&
                         channel->step == 0 && channel->value != HW_STR;
    w->text_bytes += channel->str_bytes;
    return init_scale(w, c, config);
}

static uint32_t add_key(struct write_task *w, struct telem_key key)
{
    for (uint32_t i = 0; i < w->n_keys; i++)
        if (telem_key_equal(w->keys[i], key))
            return i;
    w->keys[w->n_keys] = key;
    return w->n_keys++;
}

static void init_states(struct write_task *w, const struct tasks_write_config *config)
{
    const struct telem_chans *chans = telem_bus_chans(w->task.env.bus);
    for (uint32_t c = 0; c < w->n_channels; c++) {
        if (config->channels[c].state_channel == NULL)
            continue;
        struct write_channel *channel = &w->channels[c];
        struct telem_key key = telem_chans_find(chans, config->channels[c].state_channel);
        const struct telem_chan_decl *decl = telem_chans_decl(chans, key);
        channel->state_type = decl->type;
        channel->state_col = add_key(w, key);
        if (telem_key_valid(decl->index))
            channel->index_col = add_key(w, decl->index);
    }
}

static void sort_by_key(struct write_task *w)
{
    w->by_key = base_arena_array(&w->task.arena, uint32_t, w->n_channels);
    for (uint32_t c = 0; c < w->n_channels; c++) {
        uint32_t i = c;
        for (; i > 0 && w->channels[w->by_key[i - 1]].key.v > w->channels[c].key.v; i--)
            w->by_key[i] = w->by_key[i - 1];
        w->by_key[i] = c;
    }
}

/* The outputs of the run before. A file that cannot be used is a warning: they stay as they are. */
static void load_last(struct write_task *w, const struct tasks_write_config *config)
{
    struct arcd_errinfo why;
    w->kept = base_arena_array(&w->task.arena, struct tasks_kept, w->n_channels);
    for (uint32_t c = 0; c < w->n_channels; c++) {
        w->kept[c].name = w->channels[c].name;
        w->keeps_last |= w->channels[c].on_start == CONFIG_OUTPUT_LAST;
    }
    w->keeps_last &= w->task.env.state_dir[0] != '\0';
    if (!w->keeps_last)
        return;
    if (tasks_keep_read(w->task.env.state_dir, w->task.name, "last", w->kept, w->n_channels,
                        &why) != ARCD_OK)
        config_warn(config->hw->at, "no last output was restored: %s", why.text);
    for (uint32_t c = 0; c < w->n_channels; c++) {
        uint64_t bits;
        memcpy(&bits, &w->kept[c].value, sizeof bits);
        atomic_store(&w->channels[c].last_out, bits);
        atomic_store(&w->channels[c].has_last_out, w->kept[c].is_set);
    }
}

static bool init_write(struct write_task *w, const struct tasks_write_config *config)
{
    struct base_arena *arena = &w->task.arena;
    const uint32_t n = w->task.info->n_channels;
    bool ok = true;
    w->n_channels = n;
    w->state_rate_hz = config->write->state_rate_hz;
    w->channels = base_arena_array(arena, struct write_channel, n);
    w->keys = base_arena_array(arena, struct telem_key, 2 * (size_t)n);
    for (uint32_t c = 0; c < n; c++)
        ok = init_channel(w, c, config) && ok;
    init_states(w, config);
    sort_by_key(w);
    load_last(w, config);
    tasks_write_out_init(w);
    base_arena_seal(arena);
    return ok;
}

enum arcd_err tasks_write_new(const struct tasks_env *env, const struct tasks_write_config *config,
                              struct tasks_task **task, struct arcd_errinfo *why)
{
    struct tasks_build build = {.env = env,
                                .task = config->task,
                                .driver = config->driver,
                                .device = config->device,
                                .hw = config->hw,
                                .direction = HW_WRITE,
                                .default_priority = 46};
    struct write_task *w = aligned_alloc(ARCD_CACHELINE, (sizeof *w + ARCD_CACHELINE - 1) /
                                                             ARCD_CACHELINE * ARCD_CACHELINE);
    ARCD_ASSERT(w != NULL);
    memset(w, 0, sizeof *w);
    bool ok = check_channels(&build, config);
    enum arcd_err err = tasks_task_init(&w->task, &tasks_write_ops, &build, why);
    if (err == ARCD_OK && !(init_write(w, config) && ok)) {
        tasks_task_fini(&w->task);
        err = arcd_fail(why, ARCD_ERR_CONFIG, 0, "the configuration of task '%s' is wrong",
                        config->task->name);
    }
    if (err != ARCD_OK) {
        free(w);
        return err;
    }
    *task = &w->task;
    return ARCD_OK;
}
