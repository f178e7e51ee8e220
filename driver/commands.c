/* Requests to a running Driver, one function each: {"cmd": "status"} and so on. What a reply holds
 * beyond "ok" is said above each. */
#include "driver/supervisor_priv.h"
#include "driver/timing.h"
#include "driver/version.h"
#include "tasks/status_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 640 };

/* JSON knows no NaN and no infinity: those are null. */
static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* ---- status ------------------------------------------------------------------------------------
 */

static json_t *counters_json(const struct tasks_board *board)
{
    struct tasks_counters counters;
    tasks_board_counters(board, &counters);
    json_t *json = json_object();
#define PUT_COUNTER(name) json_object_set_new(json, #name, json_integer(counters.name));
    TASKS_COUNTERS(PUT_COUNTER)
#undef PUT_COUNTER
    return json;
}

static json_t *task_json(struct driver_task *t)
{
    struct tasks_figures figures;
    struct tasks_status status;
    char message[MESSAGE_BYTES], rate[64];
    tasks_task_figures(t->task, &figures);
    struct tasks_board *board = tasks_task_board(t->task);
    tasks_board_latest(board, &status);
    tasks_status_message(board, &status, message, sizeof message);
    if (figures.direction == HW_READ)
        snprintf(rate, sizeof rate, "%g Hz / %.4g Hz", figures.sample_rate_hz,
                 figures.stream_rate_hz);
    else
        snprintf(rate, sizeof rate, "%g Hz", figures.stream_rate_hz);
    enum tasks_state state = tasks_task_state(t->task);
    return json_pack("{s:s,s:s,s:s,s:b,s:s,s:s,s:s,s:o,s:o,s:o}", "name", t->common.name, "type",
                     t->common.type, "state", tasks_state_name(state), "running",
                     state == TASKS_RUNNING || state == TASKS_STARTING, "variant",
                     tasks_variant_name(tasks_event_variant((enum tasks_event)status.event)),
                     "message", message, "rate", rate, "sample_rate_hz",
                     real(figures.sample_rate_hz), "stream_rate_hz", real(figures.stream_rate_hz),
                     "counters", counters_json(board));
}

static const char *automation_state_name(enum arc_host_state state)
{
    static const char *const names[] = {"stopped", "running", "faulted"};
    return names[state];
}

static json_t *automation_json(struct arc_host_automation *a)
{
    struct arc_host_automation_info info;
    arc_host_automation_info(a, &info);
    bool faulted = info.state == ARC_HOST_STATE_FAULT;
    const char *message = faulted                                ? info.fault
                          : info.state == ARC_HOST_STATE_RUNNING ? "Automation running"
                                                                 : "Automation stopped";
    char rate[64];
    snprintf(rate, sizeof rate, "%s%s", arc_host_level_name(info.level),
             info.realtime ? "" : ", normal");
    json_t *json = json_pack(
        "{s:s,s:s,s:s,s:b,s:s,s:s,s:s,s:s,s:b,s:b,s:i}", "name", arc_host_automation_name(a),
        "type", "arc", "state", automation_state_name(info.state), "running",
        info.state == ARC_HOST_STATE_RUNNING, "variant", faulted ? "error" : "success", "message",
        message, "rate", rate, "level", arc_host_level_name(info.level), "realtime", info.realtime,
        "memory_locked", info.memory_locked, "cpu", info.cpu);
    json_object_set_new(
        json, "counters",
        json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "sent", (json_int_t)info.samples.sent, "dropped",
                  (json_int_t)info.samples.dropped, "refused", (json_int_t)info.samples.refused,
                  "lost", (json_int_t)info.samples.lost, "withheld",
                  (json_int_t)info.samples.withheld, "backlog_dropped",
                  (json_int_t)info.backlog_dropped, "statuses_lost",
                  (json_int_t)info.statuses_lost));
    return json;
}

/* {"version", "pid", "started", "uptime_s", "config", "tasks": [...], "automations": [...]} */
static json_t *request_status(struct driver_supervisor *s, const json_t *request)
{
    (void)request;
    json_t *tasks = json_array(), *automations = json_array();
    for (uint32_t i = 0; i < s->project->n_tasks; i++)
        json_array_append_new(tasks, task_json(s->project->tasks[i]));
    for (uint32_t i = 0; i < s->project->n_automations; i++)
        if (s->project->automations[i]->host != NULL)
            json_array_append_new(automations, automation_json(s->project->automations[i]->host));
    double uptime_s = (double)(base_mono_ns() - s->started_mono_ns) / 1e9;
    return json_pack("{s:b,s:s,s:i,s:b,s:f,s:s,s:i,s:o,s:o}", "ok", 1, "version", ARCD_VERSION,
                     "pid", (int)getpid(), "started", (int)atomic_load(&s->started), "uptime_s",
                     uptime_s, "config", s->project->opts.dir, "channels",
                     (int)telem_chans_count(s->project->chans), "tasks", tasks, "automations",
                     automations);
}

/* ---- values ------------------------------------------------------------------------------------
 */

static json_t *value_json(const struct telem_chan_decl *decl, const struct driver_value *value)
{
    json_t *json = json_pack("{s:s,s:s,s:s,s:I,s:o}", "name", decl->name, "type",
                             telem_type_name(decl->type), "unit", decl->unit, "samples",
                             (json_int_t)value->samples, "rate_hz", real(value->rate_hz));
    if (!value->has_value)
        return json; /* no value: never read, which is not the same as 0 */
    json_t *v;
    if (decl->type == TELEM_STR)
        v = json_string(value->text) != NULL ? json_string(value->text) : json_string("?");
    else if (telem_type_is_float(decl->type))
        v = real(telem_to_f64(decl->type, value->number));
    else if (decl->type == TELEM_U64 && value->number.u64 > INT64_MAX)
        v = json_sprintf("%llu", (unsigned long long)value->number.u64);
    else
        v = json_integer(value->number.i64);
    json_object_set_new(json, "value", v);
    json_object_set_new(json, "time_utc_ns", json_integer(value->utc_ns));
    json_object_set_new(json, "age_ms",
                        json_real((double)(base_mono_ns() - value->seen_mono_ns) / 1e6));
    return json;
}

static bool append_value(struct driver_supervisor *s, json_t *list, struct telem_key key)
{
    struct driver_value value;
    if (!driver_values_read(s->values, key, &value))
        return false;
    json_array_append_new(list, value_json(telem_chans_decl(s->project->chans, key), &value));
    return true;
}

/* {"values": [{"name", "type", "unit", "value", "time_utc_ns", "age_ms", "samples", "rate_hz"}]}
 * for "channels", all when there are none. A channel that was never written has no "value". */
static json_t *request_values(struct driver_supervisor *s, const json_t *request)
{
    json_t *list = json_array();
    const json_t *channels = json_object_get(request, "channels");
    if (json_array_size(channels) == 0)
        for (uint32_t i = 0; i < telem_chans_count(s->project->chans); i++)
            (void)append_value(s, list, (struct telem_key){i});
    size_t i;
    json_t *name;
    json_array_foreach((json_t *)(uintptr_t)channels, i, name)
    {
        const char *text = json_string_value(name);
        struct telem_key key = telem_chans_find(s->project->chans, text != NULL ? text : "");
        if (telem_key_valid(key) && append_value(s, list, key))
            continue;
        json_decref(list);
        return driver_control_error("channel '%s' is not declared", text != NULL ? text : "");
    }
    return json_pack("{s:b,s:o}", "ok", 1, "values", list);
}

/* ---- timing ------------------------------------------------------------------------------------
 */

/* {"automations": [...]}: all, or the one that "name" names; "reset" begins the statistics anew
 * afterwards. */
static json_t *request_timing(struct driver_supervisor *s, const json_t *request)
{
    const char *name = json_string_value(json_object_get(request, "name"));
    bool reset = json_is_true(json_object_get(request, "reset"));
    if (name != NULL && driver_supervisor_automation(s, name) == NULL)
        return driver_control_error("no automation named '%s'", name);
    json_t *list = json_array();
    for (uint32_t i = 0; i < s->project->n_automations; i++) {
        struct arc_host_automation *a = s->project->automations[i]->host;
        if (a == NULL || (name != NULL && strcmp(arc_host_automation_name(a), name) != 0))
            continue;
        json_array_append_new(list, driver_timing_json(a));
        if (reset)
            arc_host_automation_reset_timing(a);
    }
    return json_pack("{s:b,s:o}", "ok", 1, "automations", list);
}

/* ---- task --------------------------------------------------------------------------------------
 */

static json_t *done(const char *message)
{
    return json_pack("{s:b,s:s}", "ok", 1, "message", message);
}

static json_t *result(enum arcd_err err, const struct arcd_errinfo *why, const char *message)
{
    return err == ARCD_OK ? done(message) : driver_control_error("%s", why->text);
}

static json_t *tare(struct tasks_task *task, const json_t *request, bool clear)
{
    const json_t *list = json_object_get(request, "channels");
    size_t n = json_array_size(list);
    const char **names = calloc(n + 1, sizeof *names);
    ARCD_ASSERT(names != NULL);
    for (size_t i = 0; i < n; i++) {
        names[i] = json_string_value(json_array_get(list, i));
        if (names[i] == NULL) {
            free(names);
            return driver_control_error("channels must be an array of names");
        }
    }
    struct arcd_errinfo why;
    uint32_t n_done = 0;
    enum arcd_err err = tasks_task_tare(task, names, (uint32_t)n, clear, &n_done, &why);
    free(names);
    char message[64];
    snprintf(message, sizeof message,
             clear ? "Tare cleared on %u channels" : "Tare set on %u channels", n_done);
    return result(err, &why, message);
}

static json_t *command_task(struct driver_task *t, const char *type, const json_t *request)
{
    struct arcd_errinfo why;
    if (strcmp(type, "start") == 0 || strcmp(type, "restart") == 0) {
        if (!t->common.enabled)
            return driver_control_error("task '%s' is disabled", t->common.name);
        return result(tasks_task_start(t->task, &why), &why, "Task started");
    }
    if (strcmp(type, "stop") == 0)
        return result(tasks_task_stop(t->task, &why), &why, "Task stopped");
    if (strcmp(type, "tare") == 0)
        return tare(t->task, request, false);
    if (strcmp(type, "clear_tare") == 0 || strcmp(type, "clear-tare") == 0)
        return tare(t->task, request, true);
    if (strcmp(type, "safe") == 0)
        return result(tasks_task_safe(t->task, &why), &why, "Outputs safe");
    if (strcmp(type, "status") == 0)
        return json_pack("{s:b,s:o}", "ok", 1, "status", task_json(t));
    return driver_control_error("unknown command '%s'", type);
}

static json_t *command_automation(struct driver_supervisor *s, struct arc_host_automation *a,
                                  const char *type)
{
    struct arcd_errinfo why;
    bool restart = strcmp(type, "restart") == 0;
    if (restart || strcmp(type, "stop") == 0)
        driver_supervisor_stop_automation(s, a);
    if (restart || strcmp(type, "start") == 0)
        return result(driver_supervisor_start_automation(s, a, &why), &why, "Automation started");
    if (strcmp(type, "stop") == 0)
        return done("Automation stopped");
    if (strcmp(type, "status") == 0)
        return json_pack("{s:b,s:o}", "ok", 1, "status", automation_json(a));
    return driver_control_error("unknown command '%s' for an automation", type);
}

/* {"cmd": "level", "name": "hold", "level": "high"}: how hard an automation tries to be on time. */
static json_t *request_level(struct driver_supervisor *s, const json_t *request)
{
    const char *name = json_string_value(json_object_get(request, "name"));
    const char *text = json_string_value(json_object_get(request, "level"));
    struct arc_host_automation *a = name != NULL ? driver_supervisor_automation(s, name) : NULL;
    enum arc_host_level level;
    if (a == NULL)
        return driver_control_error("no automation named '%s'", name != NULL ? name : "");
    if (text == NULL || !arc_host_level_from_name(text, &level))
        return driver_control_error("level must be one of low, auto, medium, high");
    pthread_mutex_lock(&s->automations_lock);
    arc_host_automation_set_level(a, level);
    pthread_mutex_unlock(&s->automations_lock);
    return driver_control_ok();
}

/* {"cmd": "task", "type": "start", "name": "tank_in"}: one command to one task or automation. */
static json_t *request_task(struct driver_supervisor *s, const json_t *request)
{
    const char *name = json_string_value(json_object_get(request, "name"));
    const char *type = json_string_value(json_object_get(request, "type"));
    if (name == NULL || type == NULL)
        return driver_control_error("task needs name and type");
    struct driver_task *t = driver_supervisor_task(s, name);
    if (t != NULL)
        return command_task(t, type, request);
    struct arc_host_automation *a = driver_supervisor_automation(s, name);
    return a != NULL ? command_automation(s, a, type)
                     : driver_control_error("no task or automation named '%s'", name);
}

/* ---- log_level ---------------------------------------------------------------------------------
 */

/* {"cmd": "log_level", "level": "debug", "task": "tank_in"}; without "task": of everything. */
static json_t *request_log_level(struct driver_supervisor *s, const json_t *request)
{
    const char *name = json_string_value(json_object_get(request, "level"));
    enum base_log_level level;
    if (name == NULL || !base_log_level_from_name(name, &level))
        return driver_control_error("level must be one of error, warning, info, debug, trace");
    base_log_set_level(s->log, json_string_value(json_object_get(request, "task")), level);
    return driver_control_ok();
}

json_t *driver_supervisor_request(struct driver_supervisor *s,
                                  struct driver_control_session *session, const json_t *request)
{
    static const struct {
        const char *cmd;
        json_t *(*run)(struct driver_supervisor *s, const json_t *request);
    } commands[] = {
        {"status", request_status}, {"values", request_values}, {"timing", request_timing},
        {"task", request_task},     {"level", request_level},   {"log_level", request_log_level},
    };
    const char *cmd = json_string_value(json_object_get(request, "cmd"));
    if (cmd == NULL)
        return driver_control_error("the request has no cmd");
    if (strcmp(cmd, "write") == 0)
        return driver_write_request(s, session, request);
    if (strcmp(cmd, "reload") == 0)
        return driver_reload_request(s);
    json_t *reply = NULL;
    pthread_rwlock_rdlock(&s->members);
    for (size_t i = 0; reply == NULL && i < ARCD_COUNT_OF(commands); i++)
        if (strcmp(commands[i].cmd, cmd) == 0)
            reply = commands[i].run(s, request);
    pthread_rwlock_unlock(&s->members);
    return reply != NULL ? reply : driver_control_error("unknown command '%s'", cmd);
}
