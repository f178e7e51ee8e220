/* arcd: the command line. Finds the verb and hands over. */
#include "driver/main/cli.h"
#include "driver/version.h"

#include <string.h>

const struct cli_verb cli_verbs[] = {
    {"run", "[DIR]", "run the Driver on a configuration folder, in this terminal", "Running",
     cli_verb_run},
    {"check", "[DIR | FILE.arc]", "say everything that is wrong, start nothing", "Running",
     cli_verb_check},
    {"status", "", "tasks, automations and their counters", "Looking", cli_verb_status},
    {"timing", "[NAME]", "how punctual the automations are", "Looking", cli_verb_timing},
    {"watch", "CHANNEL...", "live values of channels", "Looking", cli_verb_watch},
    {"doctor", "", "is this machine fit for real-time control?", "Looking", cli_verb_doctor},
    {"bench", "QUESTION", "how punctual is arcd on this machine?", "Looking", cli_verb_bench},
    {"reload", "", "read the configuration folder again, change what has changed", "Commanding",
     cli_verb_reload},
    {"level", "NAME LEVEL", "how hard an automation tries to be on time", "Commanding",
     cli_verb_level},
    {"write", "CHANNEL=VALUE...", "put values on channels", "Commanding", cli_verb_write},
    {"start", "NAME...", "start tasks or automations", "Commanding", cli_verb_start},
    {"stop", "NAME...", "stop tasks or automations", "Commanding", cli_verb_stop},
    {"task", "COMMAND NAME", "tare, clear-tare, safe, restart, start, stop or show one task",
     "Commanding", cli_verb_task},
    {"conform", "FILE...", "run conformance cases of the language", "Language", cli_verb_conform},
    {"fmt", "FILE.arc...", "format programs", "Language", cli_verb_fmt},
    {"dis", "FILE.arc", "show the graph and the bytecode of a program", "Language", cli_verb_dis},
    {"lsp", "", "serve an editor: errors, types and completion as you type", "Language",
     cli_verb_lsp},
    {"docs", "", "print the configuration reference of this arcd", "Help", cli_verb_docs},
    {"version", "", "version, build and backends", "Help", cli_verb_version},
    {0},
};

static void print_overview(FILE *out)
{
    fprintf(out,
            "Usage: arcd VERB [OPTION...]\n"
            "arcd %s, the Arc Driver: data acquisition and real-time control loops.\n",
            ARCD_VERSION);
    const char *group = "";
    for (const struct cli_verb *verb = cli_verbs; verb->name != NULL; verb++) {
        if (strcmp(group, verb->group) != 0)
            fprintf(out, "\n%s\n", group = verb->group);
        char call[40];
        snprintf(call, sizeof call, "%s %s", verb->name, verb->args);
        fprintf(out, "  %-26s %s\n", call, verb->summary);
    }
    fprintf(out, "\n'arcd VERB --help' tells more. A first try: scripts/demo, or 'arcd run "
                 "examples/tank'.\n");
}

static const struct cli_verb *find_verb(const char *name)
{
    for (const struct cli_verb *verb = cli_verbs; verb->name != NULL; verb++)
        if (strcmp(verb->name, name) == 0)
            return verb;
    return NULL;
}

static int run_verb(const struct cli_verb *verb, int argc, char **argv)
{
    char name[64];
    snprintf(name, sizeof name, "arcd %s", verb->name);
    argv[0] = name;
    argp_err_exit_status = EX_USAGE;
    argp_program_version = NULL;
    return verb->run(argc, argv);
}

int main(int argc, char **argv)
{
    const char *name = argc >= 2 ? argv[1] : NULL;
    if (name == NULL) {
        print_overview(stderr);
        return EX_USAGE;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    bool help = strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
    if (help && argc == 2) {
        print_overview(stdout);
        return 0;
    }
    if (help)
        name = argv[2];
    const struct cli_verb *verb = find_verb(name);
    if (verb == NULL) {
        cli_error("there is no verb '%s'\n", name);
        print_overview(stderr);
        return EX_USAGE;
    }
    if (help) {
        char *help_argv[] = {argv[0], (char[]){"--help"}, NULL};
        return run_verb(verb, 2, help_argv);
    }
    return run_verb(verb, argc - 1, argv + 1);
}
