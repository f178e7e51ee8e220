/* arcd write CHANNEL=VALUE...: one write, or a hold until Ctrl-C. */
#include "driver/main/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct args {
    struct cli_remote remote;
    json_t *values;
    long authority;
    bool hold;
};

static error_t parse_value(struct args *args, char *arg, const struct argp_state *state)
{
    char *equals = strchr(arg, '=');
    if (equals == NULL || equals == arg) {
        argp_error(state, "'%s' is not CHANNEL=VALUE", arg);
        return EINVAL;
    }
    *equals = '\0';
    /* As text: the Driver knows the channel's type and keeps all digits. */
    json_t *value = json_string(equals + 1);
    if (value == NULL)
        argp_error(state, "the value of %s is not UTF-8", arg);
    json_object_set_new(args->values, arg, value);
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *args = state->input;
    char *end;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &args->remote; return 0;
    case 'a':
        args->authority = strtol(arg, &end, 10);
        if (*end != '\0' || args->authority < 0 || args->authority > 255)
            argp_error(state, "--authority takes a whole number from 0 to 255, not '%s'", arg);
        return 0;
    case 'H': args->hold = true; return 0;
    case ARGP_KEY_ARG: return parse_value(args, arg, state);
    case ARGP_KEY_NO_ARGS: argp_usage(state); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int cli_verb_write(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"authority", 'a', "N", 0, "Write with this authority, 0 to 255 (default 128)", 0},
        {"hold", 'H', NULL, 0, "Keep the channels until Ctrl-C, so that lower writers wait", 0},
        {0},
    };
    static const struct argp_child children[] = {{&cli_remote_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "CHANNEL=VALUE...",
        .doc = "Put one value on each channel. A channel that a higher authority holds refuses, "
               "and the answer says "
               "who holds it. Automations have authority 255 unless their program says otherwise.",
        .children = children};
    struct args args = {.values = json_object(), .authority = 128};
    cli_remote_init(&args.remote);
    argp_parse(&argp, argc, argv, 0, NULL, &args);
    if (!cli_connect(&args.remote)) {
        json_decref(args.values);
        return EX_UNAVAILABLE;
    }
    cli_catch_signals();
    json_t *reply = cli_ask(&args.remote,
                            json_pack("{s:s,s:o,s:I,s:b}", "cmd", "write", "values", args.values,
                                      "authority", (json_int_t)args.authority, "hold", args.hold));
    bool ok = reply != NULL;
    if (ok && args.remote.json) {
        json_dumpf(reply, stdout, JSON_INDENT(2));
        printf("\n");
    }
    json_decref(reply);
    if (ok && args.hold) {
        fprintf(stderr, "holding; Ctrl-C gives the channels back\n");
        while (cli_stop_signals == 0)
            pause();
    }
    cli_disconnect(&args.remote);
    return ok ? 0 : 1;
}
