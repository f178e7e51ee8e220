/* arcd timing: how punctual the automations are. */
#include "driver/main/cli.h"
#include "driver/main/timing_table.h"

#include <unistd.h>

struct args {
    struct cli_remote remote;
    const char *name;
    bool reset, live;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *args = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &args->remote; return 0;
    case 'r': args->reset = true; return 0;
    case 'l': args->live = true; return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "one name at most");
        args->name = arg;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static json_t *request(const struct args *args)
{
    json_t *req = json_pack("{s:s,s:b}", "cmd", "timing", "reset", args->reset);
    if (args->name != NULL)
        json_object_set_new(req, "name", json_string(args->name));
    return req;
}

static bool show_once(struct args *args)
{
    json_t *timing = cli_ask(&args->remote, request(args));
    if (timing == NULL)
        return false;
    if (args->remote.json) {
        json_object_del(timing, "ok");
        json_dumpf(timing, stdout, JSON_INDENT(2));
        printf("\n");
    } else {
        timing_table_print(json_object_get(timing, "automations"), stdout);
    }
    fflush(stdout);
    json_decref(timing);
    return true;
}

int cli_verb_timing(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"reset", 'r', NULL, 0, "Begin the statistics anew after printing them", 0},
        {"live", 'l', NULL, 0, "Print again every second until Ctrl-C", 0},
        {0},
    };
    static const struct argp_child children[] = {{&cli_remote_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {.options = options,
                              .parser = parse,
                              .args_doc = "[NAME]",
                              .doc = "Print lateness, computation time, period, jitter, overruns "
                                     "and CPU share of every automation, or "
                                     "of one.\vLateness is the time from a deadline to the moment "
                                     "the first node of that cycle runs. "
                                     "Statistics begin after the first full cycle.",
                              .children = children};
    struct args args = {0};
    cli_remote_init(&args.remote);
    argp_parse(&argp, argc, argv, 0, NULL, &args);
    if (!cli_connect(&args.remote))
        return EX_UNAVAILABLE;
    cli_catch_signals();
    bool ok = show_once(&args);
    while (ok && args.live && cli_stop_signals == 0) {
        sleep(1);
        if (cli_stop_signals != 0)
            break;
        if (isatty(STDOUT_FILENO) && !args.remote.json)
            fputs("\033[H\033[J", stdout);
        args.reset = false;
        ok = show_once(&args);
    }
    cli_disconnect(&args.remote);
    return ok || cli_stop_signals != 0 ? 0 : 1;
}
