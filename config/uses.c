#include "config/uses.h"

#include "config/set.h"

#include <stdlib.h>
#include <string.h>

void config_uses_add(struct config_uses *uses, struct config_use use)
{
    if (uses->n == uses->room) {
        uses->room = uses->room > 0 ? 2 * uses->room : 64;
        uses->v = realloc(uses->v, uses->room * sizeof(*uses->v));
        ARCD_ASSERT(uses->v != NULL);
    }
    use.order = uses->n;
    uses->v[uses->n++] = use;
}

void config_uses_fini(struct config_uses *uses)
{
    free(uses->v);
    *uses = (struct config_uses){0};
}

static int by_order(const struct config_use *a, const struct config_use *b)
{
    return (a->order > b->order) - (a->order < b->order);
}

static int by_channel(const void *a, const void *b)
{
    const struct config_use *x = a, *y = b;
    int order = strcmp(x->channel, y->channel);
    if (order == 0)
        order = (int)x->writes - (int)y->writes;
    return order != 0 ? order : by_order(x, y);
}

/* Uses without an index last. */
static int by_index(const void *a, const void *b)
{
    const struct config_use *x = a, *y = b;
    if (x->index == NULL || y->index == NULL)
        return x->index == y->index ? by_order(x, y) : (x->index == NULL) - (y->index == NULL);
    int order = strcmp(x->index, y->index);
    return order != 0 ? order : by_order(x, y);
}

static bool both_start(const struct config_task *a, const struct config_task *b)
{
    return a->auto_start && b->auto_start;
}

/* A task that never starts is in nobody's way. */
static bool both_enabled(const struct config_task *a, const struct config_task *b)
{
    return a->enabled && b->enabled;
}

static void clash(const struct config_use *first, const struct config_use *second,
                  struct config_task_file *tasks)
{
    const struct config_task *a = &tasks[first->task].task, *b = &tasks[second->task].task;
    if (first->task == second->task)
        tasks[second->task].ok =
            config_error(second->at, "channel '%s' is used twice", second->channel);
    else if (!first->writes || !both_enabled(a, b))
        return;
    else if (both_start(a, b))
        tasks[second->task].ok = config_error(
            second->at, "channel '%s' is already written by task '%s'", second->channel, a->name);
    else
        config_warn(second->at,
                    "channel '%s' is already written by task '%s'; only one of them can run",
                    second->channel, a->name);
}

static void clash_index(const struct config_use *first, const struct config_use *second,
                        struct config_task_file *tasks)
{
    const struct config_task *a = &tasks[first->task].task, *b = &tasks[second->task].task;
    if (!both_enabled(a, b))
        return;
    if (both_start(a, b))
        tasks[second->task].ok =
            config_error(second->at, "index '%s' is written by tasks '%s' and '%s'", second->index,
                         a->name, b->name);
    else
        config_warn(second->at,
                    "index '%s' is written by tasks '%s' and '%s'; only one of them can run",
                    second->index, a->name, b->name);
}

static void check_channels(struct config_uses *uses, struct config_task_file *tasks)
{
    qsort(uses->v, uses->n, sizeof(*uses->v), by_channel);
    const struct config_use *v = uses->v;
    for (uint32_t i = 1, first = 0; i < uses->n; i++) {
        if (strcmp(v[first].channel, v[i].channel) != 0 || v[first].writes != v[i].writes)
            first = i;
        else
            clash(v[i - 1].task == v[i].task ? &v[i - 1] : &v[first], &v[i], tasks);
    }
}

/* One report for each task that comes after the first on the same index. */
static void check_indexes(struct config_uses *uses, struct config_task_file *tasks)
{
    qsort(uses->v, uses->n, sizeof(*uses->v), by_index);
    const struct config_use *v = uses->v;
    uint32_t first = 0, last_task = UINT32_MAX;
    for (uint32_t i = 0; i < uses->n && v[i].index != NULL; i++) {
        if (!v[i].writes)
            continue;
        bool same = last_task != UINT32_MAX && strcmp(v[first].index, v[i].index) == 0;
        if (!same)
            first = i;
        else if (v[i].task != last_task)
            clash_index(&v[first], &v[i], tasks);
        last_task = v[i].task;
    }
}

void config_uses_check(struct config_uses *uses, struct config_task_file *tasks)
{
    if (uses->n == 0)
        return;
    check_channels(uses, tasks);
    check_indexes(uses, tasks);
}
