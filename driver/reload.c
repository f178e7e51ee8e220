/* Reading the folder again, and changing only what has changed.
 *
 *   program changed        compiled beside the running one, swapped between two of its cycles
 *   its JSON changed       the automation is made anew
 *   a task's file changed  the new task is built and checked first; then the old one stops and the
 * new one starts new, gone              made and started, stopped and forgotten does not check the
 * old one goes on, and the reply says why
 *
 * What driver.json declares does not change while arcd runs. Everything that can take time or fail
 * happens before the members' lock is taken, and under it only pointers change. */
#include "driver/supervisor_priv.h"

#include <stdlib.h>
#include <string.h>

struct reload {
    struct driver_supervisor *s;
    struct config_errors errors;
    struct config_set set;
    json_t *changed, *added, *removed, *problems;
};

static void note(json_t *list, const char *name)
{
    json_array_append_new(list, json_string(name));
}

static void problem(struct reload *r, const char *text)
{
    base_log_write(r->s->log, BASE_LOG_ERROR, "driver", NULL, "reload: %s", text);
    json_array_append_new(r->problems, json_string(text));
}

/* ---- Automations -------------------------------------------------------------------------------
 */

static int find_automation(const struct driver_project *project, const char *name)
{
    for (uint32_t i = 0; i < project->n_automations; i++)
        if (strcmp(project->automations[i]->common.name, name) == 0)
            return (int)i;
    return -1;
}

static void report_diags(struct reload *r, const struct driver_automation *a)
{
    for (size_t d = 0; d < a->diags.n; d++)
        if (a->diags.list[d]->severity == ARC_ERROR)
            problem(r, arc_diag_render(a->diags.arena, &a->source, a->diags.list[d]));
}

static bool host_runs(const struct driver_automation *a)
{
    return a->host != NULL && arc_host_automation_state(a->host) == ARC_HOST_STATE_RUNNING;
}

/* The running host gets the new program. */
static bool swap_program(struct reload *r, struct driver_automation *old,
                         struct driver_automation *new)
{
    struct arcd_errinfo why;
    pthread_mutex_lock(&r->s->automations_lock);
    enum arcd_err err = arc_host_automation_swap(old->host, new->image, &why);
    pthread_mutex_unlock(&r->s->automations_lock);
    if (err != ARCD_OK) {
        problem(r, why.text);
        return false;
    }
    pthread_rwlock_wrlock(&r->s->members);
    new->host = old->host;
    old->host = NULL;
    pthread_rwlock_unlock(&r->s->members);
    return true;
}

/* The old host ends, a new one is made and runs if the old one did. */
static bool replace_host(struct reload *r, struct driver_automation *old,
                         struct driver_automation *new)
{
    bool ran = host_runs(old);
    struct arcd_errinfo why;
    if (old->host != NULL) {
        driver_supervisor_stop_automation(r->s, old->host);
        pthread_rwlock_wrlock(&r->s->members);
        struct arc_host_automation *host = old->host;
        old->host = NULL;
        pthread_rwlock_unlock(&r->s->members);
        arc_host_automation_free(host); /* nobody finds it any more */
    }
    if (driver_supervisor_make_automation(r->s, new, &why) != ARCD_OK) {
        problem(r, why.text);
        return false;
    }
    if (new->host != NULL && (ran || new->common.auto_start))
        (void)!driver_supervisor_start_automation(r->s, new->host, &why);
    return true;
}

static void put_automation(struct driver_supervisor *s, int at, struct driver_automation *a)
{
    struct driver_project *project = s->project;
    pthread_rwlock_wrlock(&s->members);
    if (at < 0) {
        project->automations =
            realloc(project->automations,
                    (project->n_automations + 1) * sizeof(struct driver_automation *));
        ARCD_ASSERT(project->automations != NULL);
        at = (int)project->n_automations++;
    }
    project->automations[at] = a;
    pthread_rwlock_unlock(&s->members);
}

static void reload_automation(struct reload *r, const struct config_automation_file *file)
{
    struct driver_project *project = r->s->project;
    const char *name = file->automation.name;
    int at = name != NULL ? find_automation(project, name) : -1;
    struct driver_automation *old = at >= 0 ? project->automations[at] : NULL;
    if (old != NULL && file->canonical != NULL && strcmp(old->canonical, file->canonical) == 0)
        return;
    struct driver_automation *new = driver_automation_load(project, file);
    report_diags(r, new);
    bool ok = file->ok && new->image != NULL;
    if (ok && old != NULL && old->host != NULL && strcmp(old->json, new->json) == 0)
        ok = swap_program(r, old, new);
    else if (ok)
        ok = replace_host(r, old != NULL ? old : &(struct driver_automation){0}, new);
    if (!ok) {
        driver_automation_free(new);
        return;
    }
    put_automation(r->s, at, new);
    driver_automation_free(old);
    note(old != NULL ? r->changed : r->added, name);
}

static void remove_automation(struct reload *r, uint32_t at)
{
    struct driver_project *project = r->s->project;
    struct driver_automation *a = project->automations[at];
    note(r->removed, a->common.name);
    if (a->host != NULL)
        driver_supervisor_stop_automation(r->s, a->host);
    pthread_rwlock_wrlock(&r->s->members);
    project->automations[at] = project->automations[--project->n_automations];
    pthread_rwlock_unlock(&r->s->members);
    arc_host_automation_free(a->host); /* nobody finds it any more */
    a->host = NULL;
    driver_automation_free(a);
}

/* ---- Tasks -------------------------------------------------------------------------------------
 */

static int find_task(const struct driver_project *project, const char *name)
{
    for (uint32_t i = 0; i < project->n_tasks; i++)
        if (strcmp(project->tasks[i]->common.name, name) == 0)
            return (int)i;
    return -1;
}

static void put_task(struct driver_supervisor *s, int at, struct driver_task *t)
{
    struct driver_project *project = s->project;
    pthread_rwlock_wrlock(&s->members);
    if (at < 0) {
        project->tasks =
            realloc(project->tasks, (project->n_tasks + 1) * sizeof(struct driver_task *));
        ARCD_ASSERT(project->tasks != NULL);
        at = (int)project->n_tasks++;
    }
    project->tasks[at] = t;
    pthread_rwlock_unlock(&s->members);
}

static void reload_task(struct reload *r, const struct config_task_file *file)
{
    struct driver_project *project = r->s->project;
    int at = file->task.name != NULL ? find_task(project, file->task.name) : -1;
    struct driver_task *old = at >= 0 ? project->tasks[at] : NULL;
    if (old != NULL && file->canonical != NULL && strcmp(old->canonical, file->canonical) == 0)
        return;
    struct driver_task *new = driver_task_load(project, file);
    if (new->task == NULL) {
        driver_task_free(new); /* what is wrong is in the errors */
        return;
    }
    struct arcd_errinfo why;
    bool ran = old != NULL && tasks_task_state(old->task) == TASKS_RUNNING;
    if (old != NULL && tasks_task_stop(old->task, &why) != ARCD_OK) {
        problem(r, why.text);
        driver_task_free(new);
        return;
    }
    put_task(r->s, at, new);
    note(old != NULL ? r->changed : r->added, new->common.name);
    driver_task_free(old);
    if (new->common.enabled && (ran || new->common.auto_start) &&
        tasks_task_start(new->task, &why) != ARCD_OK)
        problem(r, why.text);
}

static void remove_task(struct reload *r, uint32_t at)
{
    struct driver_project *project = r->s->project;
    struct driver_task *t = project->tasks[at];
    struct arcd_errinfo why;
    if (tasks_task_stop(t->task, &why) != ARCD_OK) {
        problem(r, why.text);
        return;
    }
    note(r->removed, t->common.name);
    pthread_rwlock_wrlock(&r->s->members);
    project->tasks[at] = project->tasks[--project->n_tasks];
    pthread_rwlock_unlock(&r->s->members);
    driver_task_free(t);
}

/* ---- The whole ---------------------------------------------------------------------------------
 */

/* A file that is still there but in error keeps what it made before. */
static bool is_in_set(const struct config_set *set, const char *file, bool task)
{
    for (uint32_t i = 0; task && i < set->n_tasks; i++)
        if (strcmp(set->tasks[i].doc->file, file) == 0)
            return true;
    for (uint32_t i = 0; !task && i < set->n_automations; i++)
        if (strcmp(set->automations[i].doc->file, file) == 0)
            return true;
    return false;
}

static const char *driver_canonical(struct config_set *set)
{
    return config_canonical(config_root(&set->dir.driver), &set->arena);
}

static void apply(struct reload *r)
{
    struct driver_project *project = r->s->project;
    for (uint32_t i = project->n_automations; i-- > 0;)
        if (!is_in_set(&r->set, project->automations[i]->file, false))
            remove_automation(r, i);
    for (uint32_t i = project->n_tasks; i-- > 0;)
        if (!is_in_set(&r->set, project->tasks[i]->file, true))
            remove_task(r, i);
    for (uint32_t i = 0; i < r->set.n_tasks; i++)
        reload_task(r, &r->set.tasks[i]);
    for (uint32_t i = 0; i < r->set.n_automations; i++)
        reload_automation(r, &r->set.automations[i]);
}

static void report_issues(struct reload *r)
{
    char line[1024];
    for (const struct config_issue *issue = r->errors.first; issue != NULL; issue = issue->next) {
        config_issue_format(issue, line, sizeof line);
        if (!issue->is_warning)
            problem(r, line);
    }
}

static json_t *reload(struct reload *r)
{
    r->changed = json_array();
    r->added = json_array();
    r->removed = json_array();
    r->problems = json_array();
    if (strcmp(r->s->project->driver_canonical, driver_canonical(&r->set)) != 0)
        problem(r, "driver.json has changed: its channels and devices are read when arcd starts; "
                   "restart it");
    apply(r);
    report_issues(r);
    base_log_write(r->s->log, BASE_LOG_INFO, "driver", NULL,
                   "reload: %zu changed, %zu added, %zu removed, %zu problems",
                   json_array_size(r->changed), json_array_size(r->added),
                   json_array_size(r->removed), json_array_size(r->problems));
    return json_pack("{s:b,s:o,s:o,s:o,s:o}", "ok", 1, "changed", r->changed, "added", r->added,
                     "removed", r->removed, "problems", r->problems);
}

json_t *driver_reload_request(struct driver_supervisor *s)
{
    struct reload *r = calloc(1, sizeof *r);
    ARCD_ASSERT(r != NULL);
    r->s = s;
    struct arcd_errinfo why;
    pthread_mutex_lock(&s->reload_lock);
    config_errors_init(&r->errors);
    json_t *reply;
    if (config_set_load(&r->set, &r->errors, s->project->opts.dir, &s->project->known, &why) ==
        ARCD_OK)
        reply = reload(r);
    else
        reply = driver_control_error("%s", why.text);
    config_set_fini(&r->set);
    config_errors_fini(&r->errors);
    free(r);
    pthread_mutex_unlock(&s->reload_lock);
    return reply;
}
