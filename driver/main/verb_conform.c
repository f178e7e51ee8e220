/* arcd conform FILE...: conformance cases of the language, on a virtual clock. */
#include "driver/conform/conform.h"
#include "driver/main/cli.h"

#include <string.h>

struct args {
    struct conform_options options;
    char **files;
    int n_files;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *args = state->input;
    switch (key) {
    case 'c': args->options.only = arg; return 0;
    case 'v': args->options.verbose = true; return 0;
    case 'm':
        if (strcmp(arg, "sample") == 0)
            args->options.mode = ARC_HOST_MODE_SAMPLE;
        else if (strcmp(arg, "batch") == 0)
            args->options.mode = ARC_HOST_MODE_BATCH;
        else
            argp_error(state, "--mode takes sample or batch, not '%s'", arg);
        return 0;
    case ARGP_KEY_ARGS:
        args->files = state->argv + state->next;
        args->n_files = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS: argp_usage(state); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int cli_verb_conform(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"case", 'c', "NAME", 0, "Run only the case of that name", 0},
        {"mode", 'm', "MODE", 0, "sample or batch: force one way of executing function bodies", 0},
        {"verbose", 'v', NULL, 0, "Print every case and every cycle", 0},
        {0},
    };
    const struct argp argp = {.options = options,
                              .parser = parse,
                              .args_doc = "FILE...",
                              .doc = "Run files of conformance cases (tests/conformance/FORMAT.md) "
                                     "on a virtual clock, through the same "
                                     "scheduler that runs automations. Prints a line for each "
                                     "failing case and a closing count; exits 1 "
                                     "when one fails."};
    struct args args = {.options = {.out = stdout}};
    argp_parse(&argp, argc, argv, 0, NULL, &args);
    struct conform_tally tally = {0};
    bool unusable = false;
    for (int i = 0; i < args.n_files; i++) {
        struct arcd_errinfo why;
        if (conform_file(args.files[i], &args.options, &tally, &why) == ARCD_OK)
            continue;
        cli_error("%s", why.text);
        unusable = true;
    }
    conform_summary(&args.options, &tally);
    return unusable || tally.failed != 0 ? 1 : 0;
}
