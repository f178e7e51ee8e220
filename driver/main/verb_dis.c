/* arcd dis: the graph and the bytecode of a program, as text. */
#include "arc/dis.h"
#include "driver/main/cli.h"
#include "driver/main/program_file.h"

struct args {
    const char *path, *channels;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *args = state->input;
    switch (key) {
    case 'c': args->channels = arg; return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "one program at a time");
        args->path = arg;
        return 0;
    case ARGP_KEY_NO_ARGS: argp_usage(state); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int cli_verb_dis(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"channels", 'c', "FILE", 0, "The channels that the program may name, as in driver.json",
         0},
        {0},
    };
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "FILE.arc",
        .doc = "Compile a program and show what the host would run: its memory, its graph of "
               "nodes, scopes and "
               "transitions, and the bytecode of its functions with the lines of the source."};
    struct args args = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &args);
    struct cli_program program;
    int rc = 1;
    if (cli_program_load(&program, args.path, args.channels)) {
        struct arc_image *image = arc_compile(&program.source, &program.table, &program.diags);
        fputs(arc_diags_render(&program.diags), stderr);
        if (image != NULL) {
            fputs(arc_dis(image, &program.source, &program.arena), stdout);
            rc = 0;
        }
        arc_image_free(image);
    }
    cli_program_free(&program);
    return rc;
}
