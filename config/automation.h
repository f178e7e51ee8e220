/* config/automation.h - a file of automations/: one Arc program and how it is run.
 *
 * Life cycle: at = config_root(doc) -> config_automation_read. The program text itself is read and
 * compiled by whoever runs it. Strings live in the caller's arena.
 */
#ifndef CONFIG_AUTOMATION_H
#define CONFIG_AUTOMATION_H

#include "config/reader.h"

enum config_level { CONFIG_LEVEL_LOW, CONFIG_LEVEL_AUTO, CONFIG_LEVEL_MEDIUM, CONFIG_LEVEL_HIGH };

struct config_automation {
    const char *name;        /* its statistics are channels "<name>.jitter_us" */
    const char *type;        /* "arc" */
    const char *description; /* "" without one */
    const char *source;      /* below the configuration folder: "automations/tank.arc" */
    bool enabled, auto_start;
    bool realtime;
    int priority;           /* SCHED_FIFO, 1 to 99 */
    struct config_ints cpu; /* allowed cores; n 0: chosen */
    enum config_level level;
    uint8_t authority;  /* of channels for which the program declares none */
    int64_t budget;     /* instructions of one cycle */
    int64_t heap_bytes; /* live strings and series */
    int64_t call_depth;
    int64_t max_samples;    /* of one channel in one cycle */
    int64_t max_text_bytes; /* of str samples in one cycle */
};

extern const struct config_table config_automation_table;

/* Without a `name` it is called as its file. */
bool config_automation_read(struct config_at at, struct base_arena *arena,
                            struct config_automation *automation);

#endif
