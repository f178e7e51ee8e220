/* arcd check: a configuration folder, or one program with a file of channels. Starts nothing. */
#include "arc/image.h"
#include "driver/main/cli.h"
#include "driver/main/program_file.h"
#include "driver/project.h"

#include <sys/stat.h>

struct args {
    const char *path;
    const char *channels;
    bool verbose, json;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *args = state->input;
    switch (key) {
    case 'c': args->channels = arg; return 0;
    case 'v': args->verbose = true; return 0;
    case 'j': args->json = true; return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "one folder or program at a time");
        args->path = arg;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- A folder ----------------------------------------------------------------------------------
 */

static json_t *issue_json(const struct config_issue *issue)
{
    json_t *json =
        json_pack("{s:s,s:s,s:s,s:s}", "file", issue->file, "path", issue->path, "severity",
                  issue->is_warning ? "warning" : "error", "message", issue->text);
    if (json != NULL && issue->line > 0) {
        json_object_set_new(json, "line", json_integer(issue->line));
        json_object_set_new(json, "column", json_integer(issue->column));
    }
    return json;
}

static void print_json(const struct driver_project *project)
{
    json_t *issues = json_array(), *programs = json_array();
    for (const struct config_issue *i = project->errors.first; i != NULL; i = i->next)
        json_array_append_new(issues, issue_json(i));
    for (uint32_t i = 0; i < project->n_automations; i++) {
        const struct driver_automation *a = project->automations[i];
        if (a->diags.arena != NULL)
            json_array_append_new(programs, json_loads(arc_diags_to_json(&a->diags), 0, NULL));
    }
    json_t *all = json_pack("{s:b,s:o,s:o}", "ok", driver_project_is_good(project), "issues",
                            issues, "programs", programs);
    json_dumpf(all, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(all);
}

static int check_folder(const struct args *args)
{
    struct driver_project_opts opts = {
        .dir = args->path, .state_dir = "", .clock = base_clock_system()};
    struct driver_project *project = driver_project_load(&opts);
    bool good = driver_project_is_good(project);
    if (args->json) {
        print_json(project);
    } else {
        driver_project_print_issues(project, stderr);
        if (good)
            driver_project_describe(project, args->verbose, stdout);
    }
    driver_project_free(project);
    return good ? 0 : 1;
}

static int check_program(const struct args *args)
{
    struct cli_program program;
    bool good = cli_program_load(&program, args->path, args->channels);
    if (good) {
        struct arc_image *image = arc_compile(&program.source, &program.table, &program.diags);
        good = image != NULL;
        arc_image_free(image);
        if (args->json)
            printf("%s\n", arc_diags_to_json(&program.diags));
        else
            fputs(arc_diags_render(&program.diags), stderr);
    }
    cli_program_free(&program);
    return good ? 0 : 1;
}

int cli_verb_check(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"verbose", 'v', NULL, 0, "Print request plans and the like as well", 0},
        {"channels", 'c', "FILE", 0, "A program: the channels that it may name, as in driver.json",
         0},
        {"json", 'j', NULL, 0, "Print what was found as JSON", 0},
        {0},
    };
    const struct argp argp = {.options = options,
                              .parser = parse,
                              .args_doc = "[DIR | FILE.arc]",
                              .doc = "Read a configuration folder (by default /etc/arcd), or one "
                                     "Arc program, and print everything that is "
                                     "wrong with it at once: file, place, reason. Starts nothing "
                                     "and writes nothing. Exits 1 when there "
                                     "is an error."};
    struct args args = {.path = "/etc/arcd"};
    argp_parse(&argp, argc, argv, 0, NULL, &args);
    struct stat st;
    bool is_file = stat(args.path, &st) == 0 && !S_ISDIR(st.st_mode);
    return is_file ? check_program(&args) : check_folder(&args);
}
