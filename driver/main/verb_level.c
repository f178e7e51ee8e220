/* arcd level NAME LEVEL: how hard an automation tries to be on time, changed while it runs. */
#include "driver/main/cli.h"

struct args {
    struct cli_remote remote;
    const char *name, *level;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *args = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &args->remote; return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num == 0)
            args->name = arg;
        else if (state->arg_num == 1)
            args->level = arg;
        else
            argp_usage(state);
        return 0;
    case ARGP_KEY_END:
        if (args->level == NULL)
            argp_usage(state);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int cli_verb_level(int argc, char **argv)
{
    static const struct argp_child children[] = {{&cli_remote_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {.parser = parse,
                              .args_doc = "NAME LEVEL",
                              .doc = "Change the performance level of a running automation: low "
                                     "sleeps until each deadline; auto checks the "
                                     "clock over a learned margin when the period is 10 ms or "
                                     "less; medium does so for every period; high "
                                     "also keeps all cores out of deep idle states.",
                              .children = children};
    struct args args = {0};
    cli_remote_init(&args.remote);
    argp_parse(&argp, argc, argv, 0, NULL, &args);
    if (!cli_connect(&args.remote))
        return EX_UNAVAILABLE;
    json_t *reply = cli_ask(&args.remote, json_pack("{s:s,s:s,s:s}", "cmd", "level", "name",
                                                    args.name, "level", args.level));
    cli_disconnect(&args.remote);
    bool ok = reply != NULL;
    json_decref(reply);
    return ok ? 0 : 1;
}
