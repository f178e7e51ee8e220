/* arcd fmt FILE.arc...: the one layout. */
#include "arc/fmt.h"
#include "driver/main/cli.h"
#include "driver/main/program_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct args {
    bool check, to_stdout;
    char **files;
    int n_files;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *args = state->input;
    (void)arg;
    switch (key) {
    case 'c': args->check = true; return 0;
    case 's': args->to_stdout = true; return 0;
    case ARGP_KEY_ARGS:
        args->files = state->argv + state->next;
        args->n_files = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS: argp_usage(state); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* To a new file that takes the old one's place, so that a full disk or a crash leaves one of the
 * two. */
static bool replace(const char *path, const char *text)
{
    char beside[1024];
    if ((size_t)snprintf(beside, sizeof beside, "%s.tmp", path) >= sizeof beside)
        return false;
    FILE *file = fopen(beside, "w");
    if (file == NULL)
        return false;
    bool ok = fputs(text, file) >= 0 && fflush(file) == 0 && fsync(fileno(file)) == 0;
    ok = fclose(file) == 0 && ok;
    ok = ok && rename(beside, path) == 0;
    if (!ok)
        (void)unlink(beside);
    return ok;
}

/* False when the file has errors, cannot be written, or with --check is not formatted. */
static bool format_one(const struct args *args, const char *path)
{
    struct cli_program program;
    bool ok = cli_program_load(&program, path, NULL);
    const char *text = ok ? arc_format(&program.source, &program.arena, &program.diags) : NULL;
    if (ok && text == NULL)
        fputs(arc_diags_render(&program.diags), stderr);
    ok = text != NULL;
    bool same = ok && strlen(text) == program.source.len &&
                memcmp(text, program.source.text, program.source.len) == 0;
    if (ok && args->to_stdout)
        fputs(text, stdout);
    else if (ok && args->check && !same)
        printf("%s\n", path);
    else if (ok && !args->check && !same && !replace(path, text)) {
        cli_error("%s: cannot be written: %s", path, strerror(errno));
        ok = false;
    }
    cli_program_free(&program);
    return ok && (same || !args->check);
}

int cli_verb_fmt(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"check", 'c', NULL, 0, "Write nothing; name the files that are not formatted and exit 1",
         0},
        {"stdout", 's', NULL, 0, "Print the formatted text, leave the file alone", 0},
        {0},
    };
    const struct argp argp = {.options = options,
                              .parser = parse,
                              .args_doc = "FILE.arc...",
                              .doc = "Format Arc programs in place. White space changes, tokens "
                                     "and comments never do; formatting twice "
                                     "changes nothing more."};
    struct args args = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &args);
    bool ok = true;
    for (int i = 0; i < args.n_files; i++)
        ok = format_one(&args, args.files[i]) && ok;
    return ok ? 0 : 1;
}
