/* arcd lsp: a language server for editors. */
#include "driver/lsp/server.h"
#include "driver/main/cli.h"

#include <unistd.h>

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct lsp_options *options = state->input;
    switch (key) {
    case 'c': options->channels_file = arg; return 0;
    case 's': return 0; /* editors like to say it; there is nothing else */
    case ARGP_KEY_ARG: argp_error(state, "the editor names the programs"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int cli_verb_lsp(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"channels", 'c', "FILE", 0,
         "The channels of every program, as in driver.json (default: those of the driver.json in "
         "the nearest folder above each program)",
         0},
        {"stdio", 's', NULL, 0, "Standard input and output, as always", 0},
        {0},
    };
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "Serve an editor by the Language Server Protocol on standard input and output: "
               "errors as you type, types under the cursor, completion, definitions and "
               "formatting. docs/editor.md says how editors are told to start it."};
    struct lsp_options opts = {.in_fd = STDIN_FILENO, .out_fd = STDOUT_FILENO};
    argp_parse(&argp, argc, argv, 0, NULL, &opts);
    signal(SIGPIPE, SIG_IGN);
    return lsp_serve(&opts);
}
