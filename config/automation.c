#include "config/automation.h"

#include "config/doc_priv.h"
#include <string.h>

static bool check_priority(struct config_at at, const struct config_automation *automation)
{
    if (automation->priority > 49)
        config_warn(config_member(at, "priority"),
                    "above 49 the kernel's interrupt threads, which have 50, can be starved");
    return true;
}

static bool check_source(struct config_at at, const struct config_automation *automation)
{
    const char *dot = strrchr(automation->source, '.');
    if (dot != NULL && strcmp(dot, ".arc") == 0)
        return true;
    return config_error(config_member(at, "source"), "must be the name of an .arc file");
}

static bool check_automation(struct config_at at, void *out)
{
    const struct config_automation *automation = out;
    bool ok = check_source(at, automation);
    if (strcmp(automation->type, "arc") != 0)
        ok = config_error(config_member(at, "type"),
                          "unknown automation type '%s'; known here: arc", automation->type);
    ok = config_check_name(config_member(at, "name"), automation->name) && ok;
    return check_priority(at, automation) && ok;
}

/* One core or several. */
static bool read_cpu(struct config_at at, struct base_arena *arena,
                     const struct config_field *field, void *out)
{
    struct config_ints *cpu = out;
    struct config_field one = *field;
    if (config_type(at) == CONFIG_JSON_ARRAY) {
        one.kind = CONFIG_INTS;
        return config_read_value(at, arena, &one, cpu);
    }
    int64_t *core = base_arena_array(arena, int64_t, 1);
    one.kind = CONFIG_INT;
    one.size = sizeof(*core);
    if (!config_read_value(at, arena, &one, core))
        return false;
    *cpu = (struct config_ints){core, 1};
    return true;
}

static const struct config_choice levels[] = {{"low", CONFIG_LEVEL_LOW},
                                              {"auto", CONFIG_LEVEL_AUTO},
                                              {"medium", CONFIG_LEVEL_MEDIUM},
                                              {"high", CONFIG_LEVEL_HIGH},
                                              {0}};

#define IN(member) CONFIG_IN(struct config_automation, member)

static const struct config_field fields[] = {
    {"name", CONFIG_STR, IN(name), .otherwise = "the file's name, without .json", .min_len = 1,
     .max_len = 64,
     .doc = "Name of the automation; no task and no other automation has the same. Its timing "
            "statistics are channels `<name>.jitter_us` and so on."},
    {"type", CONFIG_STR, IN(type), .required = true, .doc = "`\"arc\"`."},
    {"description", CONFIG_STR, IN(description), .fallback = "", .doc = "For people."},
    {"source", CONFIG_STR, IN(source), .required = true, .min_len = 1,
     .doc = "File of the Arc program, with the ending .arc, beside this file."},
    {"enabled", CONFIG_BOOL, IN(enabled), .fallback = "true",
     .doc = "false: the program is checked, it never starts."},
    {"auto_start", CONFIG_BOOL, IN(auto_start), .fallback = "true",
     .doc = "Start with the Driver, after the tasks."},
    {"realtime", CONFIG_BOOL, IN(realtime), .fallback = "true",
     .doc = "Run on a real-time thread with locked memory. Without the permission it runs on a "
            "normal one, after a warning."},
    {"priority", CONFIG_INT, IN(priority), .fallback = "47", .limits = CONFIG_FROM_TO(1, 99),
     .doc = "Real-time priority (SCHED_FIFO). Above 49 kernel threads can be starved."},
    {"cpu", CONFIG_CUSTOM, IN(cpu), .read = read_cpu, .limits = CONFIG_FROM_TO(0, 1023),
     .min_len = 1, .shape = "int or array of int", .otherwise = "chosen: an isolated core if any",
     .doc = "Core or cores that the thread may run on."},
    {"level", CONFIG_ENUM, IN(level), .fallback = "auto", .choices = levels,
     .doc = "How hard the host works to be on time, from sleeping (low) to holding the cores out "
            "of deep idle states (high)."},
    {"authority", CONFIG_INT, IN(authority), .fallback = "255", .limits = CONFIG_FROM_TO(0, 255),
     .doc = "Authority over written channels for which the program declares none; 255 is "
            "absolute."},
    {"budget", CONFIG_INT, IN(budget), .fallback = "10000000", .limits = CONFIG_FROM_TO(1000, 1e12),
     .unit = "instructions",
     .doc = "A cycle that takes more stops the program: it has a loop without end."},
    {"heap", CONFIG_INT, IN(heap_bytes), .fallback = "10485760",
     .limits = CONFIG_FROM_TO(65536, 1073741824), .unit = "bytes",
     .doc = "Memory for live strings and series; a program that needs more stops."},
    {"call_depth", CONFIG_INT, IN(call_depth), .fallback = "1100",
     .limits = CONFIG_FROM_TO(1000, 100000), .unit = "calls",
     .doc = "Deepest nesting of function calls."},
    {"max_samples", CONFIG_INT, IN(max_samples), .fallback = "4096",
     .limits = CONFIG_FROM_TO(1, 1048576), .unit = "samples",
     .doc = "Most samples of one channel that one cycle takes; the rest waits for the next."},
    {"max_text", CONFIG_INT, IN(max_text_bytes), .fallback = "65536",
     .limits = CONFIG_FROM_TO(1024, 67108864), .unit = "bytes",
     .doc = "Most bytes of text samples that one cycle takes."},
};

const struct config_table config_automation_table =
    CONFIG_TABLE("Automations", struct config_automation, fields, .check = check_automation);

bool config_automation_read(struct config_at at, struct base_arena *arena,
                            struct config_automation *automation)
{
    bool ok = config_read(at, arena, &config_automation_table, automation);
    if (automation->name == NULL)
        automation->name = config_file_stem(arena, at.doc->file);
    if (automation->source != NULL && automation->source[0] != '/')
        automation->source = base_arena_printf(arena, "automations/%s", automation->source);
    return ok && at.json != NULL;
}
