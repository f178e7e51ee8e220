/* arcd run: the Driver in this terminal, until a signal or the end of --for. */
#include "driver/main/cli.h"
#include "driver/main/live.h"
#include "driver/main/timing_table.h"
#include "driver/supervisor.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIVE_PER_SECOND = 5 };

struct args {
    const char *dir, *state_dir;
    char socket[256];
    int64_t for_ns; /* BASE_NEVER: until a signal */
    bool live;
    json_t *live_channels;
    struct base_log_opts log;
    bool log_level_given, no_rt;
};

static const char *from_env(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : otherwise;
}

static void parse_live(struct args *args, char *list)
{
    args->live = true;
    char *rest = NULL;
    for (char *name = strtok_r(list, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest))
        json_array_append_new(args->live_channels, json_string(name));
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *args = state->input;
    switch (key) {
    case 'S': snprintf(args->socket, sizeof args->socket, "%s", arg); return 0;
    case 't': args->state_dir = arg; return 0;
    case 'f':
        if (!config_duration_parse(arg, &args->for_ns) || args->for_ns <= 0)
            argp_error(state, "--for takes a time like 15s or 2min, not '%s'", arg);
        return 0;
    case 'l':
        if (arg != NULL)
            parse_live(args, arg);
        args->live = true;
        return 0;
    case 'L':
        if (!base_log_level_from_name(arg, &args->log.level))
            argp_error(state, "--log-level takes error, warning, info, debug or trace, not '%s'",
                       arg);
        args->log_level_given = true;
        return 0;
    case 'J': args->log.json = true; return 0;
    case 'r':
        if (strcmp(arg, "off") != 0 && strcmp(arg, "on") != 0 && strcmp(arg, "auto") != 0)
            argp_error(state, "--rt takes auto, on or off, not '%s'", arg);
        args->no_rt = strcmp(arg, "off") == 0;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "one folder at a time");
        args->dir = arg;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- The loop ----------------------------------------------------------------------------------
 */

static json_t *ask(struct driver_supervisor *supervisor, json_t *request)
{
    struct driver_control_session session = {0};
    json_t *reply = driver_supervisor_request(supervisor, &session, request);
    json_decref(request);
    return reply;
}

static void draw(struct driver_supervisor *supervisor, struct cli_live *live,
                 const struct args *args, int64_t began_mono_ns)
{
    char head[128];
    json_t *values =
        ask(supervisor, json_pack("{s:s,s:O}", "cmd", "values", "channels", args->live_channels));
    json_t *timing = ask(supervisor, json_pack("{s:s}", "cmd", "timing"));
    double up_s = (double)(base_mono_ns() - began_mono_ns) / 1e9;
    if (args->for_ns != BASE_NEVER)
        snprintf(head, sizeof head, "%5.1f s of %g s", up_s, (double)args->for_ns / 1e9);
    else
        snprintf(head, sizeof head, "%5.1f s, Ctrl-C ends", up_s);
    cli_live_draw(live, head, json_object_get(values, "values"),
                  json_object_get(timing, "automations"));
    json_decref(values);
    json_decref(timing);
}

static void run_until_told(struct driver_supervisor *supervisor, const struct args *args)
{
    struct cli_live *live = args->live ? cli_live_new(stdout) : NULL;
    int64_t began = base_mono_ns();
    int64_t end = args->for_ns == BASE_NEVER ? BASE_NEVER : began + args->for_ns;
    bool fast = live != NULL && isatty(STDOUT_FILENO);
    int64_t step = fast ? BASE_NS_PER_S / LIVE_PER_SECOND : BASE_NS_PER_S;
    int64_t next_draw = began + step;
    while (cli_stop_signals == 0 && base_mono_ns() < end) {
        /* A signal does not end the wait, so it is looked for ten times a second. */
        int64_t until = base_mono_ns() + BASE_NS_PER_S / 10;
        driver_supervisor_poll(supervisor, until < end ? until : end);
        if (cli_reload_signals != 0) {
            cli_reload_signals = 0;
            json_decref(ask(supervisor, json_pack("{s:s}", "cmd", "reload")));
        }
        if (live != NULL && base_mono_ns() >= next_draw) {
            draw(supervisor, live, args, began);
            next_draw += step;
        }
    }
    cli_live_free(live);
}

static void print_timing(struct driver_supervisor *supervisor)
{
    json_t *timing = ask(supervisor, json_pack("{s:s}", "cmd", "timing"));
    printf("\n");
    timing_table_print(json_object_get(timing, "automations"), stdout);
    json_decref(timing);
}

/* ---- Set-up ------------------------------------------------------------------------------------
 */

static void apply_log_config(struct args *args, const struct config_log *config)
{
    if (!args->log_level_given)
        args->log.level = (enum base_log_level)config->level;
    args->log.json = args->log.json || config->json;
    args->log.file = config->file;
    args->log.max_mb = (uint32_t)config->max_mb;
    args->log.keep = (uint32_t)config->keep;
}

/* The log that driver.json asks for; problems of loading itself go to stderr. */
static struct base_log *open_log(struct args *args, const struct driver_project *project)
{
    struct arcd_errinfo why;
    struct base_log *log = NULL;
    apply_log_config(args, &project->set.driver.log);
    if (base_log_open(&args->log, &log, &why) == ARCD_OK)
        return log;
    cli_error("%s; logging to stderr", why.text);
    args->log.file = NULL;
    return base_log_open(&args->log, &log, &why) == ARCD_OK ? log : NULL;
}

static int run(struct args *args)
{
    struct base_log *early = NULL;
    if (base_log_open(&args->log, &early, NULL) != ARCD_OK)
        return EX_OSERR;
    struct driver_project_opts opts = {
        .dir = args->dir, .state_dir = args->state_dir, .clock = base_clock_system(), .log = early};
    struct driver_project *project = driver_project_load(&opts);
    driver_project_print_issues(project, stderr);
    if (!driver_project_is_good(project)) {
        cli_error("%s is not started: its configuration has errors", args->dir);
        driver_project_free(project);
        base_log_close(early);
        return EX_CONFIG;
    }
    struct base_log *log = open_log(args, project);
    struct driver_supervisor_opts supervisor_opts = {
        .project = project,
        .log = log,
        .socket = args->socket,
        .realtime = !args->no_rt && project->set.driver.rt.mode != CONFIG_RT_OFF,
    };
    struct driver_supervisor *supervisor = NULL;
    struct arcd_errinfo why;
    int rc = 0;
    if (driver_supervisor_new(&supervisor_opts, &supervisor, &why) != ARCD_OK) {
        cli_error("%s", why.text);
        rc = EX_UNAVAILABLE;
    } else {
        driver_supervisor_start(supervisor);
        run_until_told(supervisor, args);
        bool all_stopped = driver_supervisor_stop(supervisor);
        if (args->live)
            print_timing(supervisor);
        if (!all_stopped)
            _exit(EX_TEMPFAIL); /* a hung thread may use anything: leave it all as it is */
        driver_supervisor_free(supervisor);
    }
    base_log_close(log);
    base_log_close(early);
    return rc;
}

int cli_verb_run(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"socket", 'S', "PATH", 0,
         "Where verbs find this Driver (default: $ARCD_SOCKET, or /run/arcd/control)", 0},
        {"state", 't', "DIR", 0,
         "Keep tares and last outputs there (default: $ARCD_STATE; nothing is kept without)", 0},
        {"for", 'f', "TIME", 0, "Stop by itself after that time: 15s, 2min", 0},
        {"live", 'l', "CHANNELS", OPTION_ARG_OPTIONAL,
         "Show channels (a,b,c; all without) and lateness live, and the timing table at the end",
         0},
        {"log-level", 'L', "LEVEL", 0,
         "error, warning, info, debug or trace (default: driver.json's, or info)", 0},
        {"log-json", 'J', NULL, 0, "Log one JSON object a line", 0},
        {"rt", 'r', "MODE", 0, "off: no thread asks for a real-time priority (default auto)", 0},
        {0},
    };
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[DIR]",
        .doc = "Run the Driver on a configuration folder (by default $ARCD_CONFIG or /etc/arcd). "
               "SIGINT and SIGTERM "
               "stop it in order: automations, write tasks (safe values), read tasks. SIGHUP is "
               "arcd reload.\vExits 0 "
               "after a stop, 78 when "
               "the configuration has errors, 75 when a task did not stop in time."};
    struct args args = {.dir = from_env("ARCD_CONFIG", "/etc/arcd"),
                        .state_dir = from_env("ARCD_STATE", ""),
                        .for_ns = BASE_NEVER,
                        .live_channels = json_array(),
                        .log = {.level = BASE_LOG_INFO, .color = cli_color(stderr)}};
    cli_default_socket(args.socket, sizeof args.socket);
    cli_catch_signals(); /* first: a signal at any moment of the start is a clean stop */
    argp_parse(&argp, argc, argv, 0, NULL, &args);
    int rc = run(&args);
    json_decref(args.live_channels);
    return rc;
}
