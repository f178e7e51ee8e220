/* arcd start, stop and task: commands to one task or automation. */
#include "driver/main/cli.h"

#include <string.h>

struct args {
    struct cli_remote remote;
    const char *command; /* NULL: the first argument names it */
    json_t *names;
    json_t *channels;
    bool all;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *args = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &args->remote; return 0;
    case 'a': args->all = true; return 0;
    case 'c': json_array_append_new(args->channels, json_string(arg)); return 0;
    case ARGP_KEY_ARG:
        if (args->command == NULL)
            args->command = arg;
        else
            json_array_append_new(args->names, json_string(arg));
        return 0;
    case ARGP_KEY_END:
        if (args->command == NULL || (json_array_size(args->names) == 0 && !args->all))
            argp_usage(state);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* The names of every task and automation. */
static bool fetch_names(struct args *args)
{
    json_t *status = cli_ask(&args->remote, json_pack("{s:s}", "cmd", "status"));
    if (status == NULL)
        return false;
    static const char *const lists[] = {"tasks", "automations"};
    for (size_t l = 0; l < 2; l++) {
        size_t i;
        json_t *item;
        json_array_foreach(json_object_get(status, lists[l]), i, item)
            json_array_append(args->names, json_object_get(item, "name"));
    }
    json_decref(status);
    return true;
}

static bool command_one(struct args *args, json_t *name)
{
    json_t *request =
        json_pack("{s:s,s:s,s:O}", "cmd", "task", "type", args->command, "name", name);
    if (json_array_size(args->channels) > 0)
        json_object_set(request, "channels", args->channels);
    json_t *reply = cli_ask(&args->remote, request);
    if (reply == NULL)
        return false;
    if (args->remote.json) {
        json_dumpf(reply, stdout, JSON_COMPACT);
        printf("\n");
    } else {
        const char *message = json_string_value(json_object_get(reply, "message"));
        printf("%s: %s\n", json_string_value(name), message != NULL ? message : "done");
    }
    json_decref(reply);
    return true;
}

static int command_all(const struct argp_option *options, const char *command, const char *args_doc,
                       const char *doc, int argc, char **argv)
{
    static const struct argp_child children[] = {{&cli_remote_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {.options = options,
                              .parser = parse,
                              .args_doc = args_doc,
                              .doc = doc,
                              .children = children};
    struct args args = {.command = command, .names = json_array(), .channels = json_array()};
    cli_remote_init(&args.remote);
    argp_parse(&argp, argc, argv, 0, NULL, &args);
    int rc = EX_UNAVAILABLE;
    if (cli_connect(&args.remote)) {
        bool ok = !args.all || fetch_names(&args);
        size_t i;
        json_t *name;
        json_array_foreach(args.names, i, name) ok = command_one(&args, name) && ok;
        cli_disconnect(&args.remote);
        rc = ok ? 0 : 1;
    }
    json_decref(args.names);
    json_decref(args.channels);
    return rc;
}

static const struct argp_option all_option[] = {
    {"all", 'a', NULL, 0, "All tasks and automations", 0},
    {0},
};

int cli_verb_start(int argc, char **argv)
{
    return command_all(
        all_option, "start", "NAME...",
        "Start tasks or automations of the running Driver. One that runs is started anew.", argc,
        argv);
}

int cli_verb_stop(int argc, char **argv)
{
    return command_all(
        all_option, "stop", "NAME...",
        "Stop tasks or automations of the running Driver. A write task puts its outputs to their "
        "on_stop values first.",
        argc, argv);
}

int cli_verb_task(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"all", 'a', NULL, 0, "All tasks and automations", 0},
        {"channel", 'c', "NAME", 0, "tare and clear-tare: only this channel (may be repeated)", 0},
        {0},
    };
    return command_all(options, NULL, "COMMAND NAME...",
                       "Send a command to tasks of the running Driver: start, stop, restart, tare, "
                       "clear-tare, safe "
                       "or status.\vtare takes the mean of the next batch as the new zero; safe "
                       "puts all outputs of "
                       "a write task to their safe values.",
                       argc, argv);
}
