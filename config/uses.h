/* config/uses.h - who uses which channel, to find what is used twice. For config/set.c only.
 *
 * Life cycle: a zeroed struct -> uses_add ... -> uses_check -> uses_fini.
 */
#ifndef CONFIG_USES_H
#define CONFIG_USES_H

#include "config/doc.h"

struct config_task_file;

struct config_use {
    const char *channel;
    const char *index; /* of the channel; NULL: none */
    uint32_t task;     /* place in the set's tasks */
    uint32_t order;    /* place in the order of adding, set by uses_add */
    bool writes;       /* the task puts samples there; else it takes commands from there */
    struct config_at at;
};

struct config_uses {
    struct config_use *v;
    uint32_t n, room;
};

void config_uses_add(struct config_uses *uses, struct config_use use);

/* Reports at the later of two uses: a channel twice in a task, a channel or an index that two tasks
 * write. Between tasks it is an error when both start by themselves, since the second cannot, and
 * else a warning. Tasks with an error lose their `ok`. */
void config_uses_check(struct config_uses *uses, struct config_task_file *tasks);
void config_uses_fini(struct config_uses *uses);

#endif
