/* arcd watch: live values of channels. On a terminal the table stays in place; in a pipe each
 * change is a line. */
#include "driver/main/cli.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct args {
    struct cli_remote remote;
    json_t *channels;
    long count;
    double rate_hz;
    json_t *last; /* samples seen so far by channel: what has changed */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *args = state->input;
    char *end;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &args->remote; return 0;
    case 'n':
        args->count = strtol(arg, &end, 10);
        if (*end != '\0' || args->count < 1)
            argp_error(state, "-n takes a whole number from 1, not '%s'", arg);
        return 0;
    case 'r':
        args->rate_hz = strtod(arg, &end);
        if (*end != '\0' || !(args->rate_hz > 0 && args->rate_hz <= 50))
            argp_error(state, "--rate takes a number from above 0 to 50, not '%s'", arg);
        return 0;
    case ARGP_KEY_ARG: json_array_append_new(args->channels, json_string(arg)); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static void format_value(const json_t *item, char *out, size_t size)
{
    const json_t *value = json_object_get(item, "value");
    if (json_is_string(value))
        snprintf(out, size, "%s", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(out, size, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(out, size, "%.6g", json_real_value(value));
    else
        snprintf(out, size, "no data");
}

static void print_table(const json_t *values)
{
    struct cli_table table;
    cli_table_init(&table, "channel|value>|unit|age>|samples>");
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)(uintptr_t)values, i, item)
    {
        char value[96], age[24];
        format_value(item, value, sizeof value);
        const char *unit = json_string_value(json_object_get(item, "unit"));
        const json_t *age_ms = json_object_get(item, "age_ms");
        cli_table_row(&table);
        cli_table_cell(&table, 0, "%s", json_string_value(json_object_get(item, "name")));
        cli_table_cell(&table, 1, "%s", value);
        cli_table_cell(&table, 2, "%s", unit != NULL ? unit : "");
        if (json_is_number(age_ms))
            cli_table_cell(&table, 3, "%s", cli_duration(json_number_value(age_ms) * 1000, age));
        cli_table_cell(&table, 4, "%lld",
                       (long long)json_integer_value(json_object_get(item, "samples")));
    }
    cli_table_print(&table, stdout);
    cli_table_free(&table);
}

static void print_time(int64_t utc_ns)
{
    time_t seconds = (time_t)(utc_ns / BASE_NS_PER_S);
    struct tm tm;
    char when[32];
    localtime_r(&seconds, &tm);
    strftime(when, sizeof when, "%H:%M:%S", &tm);
    printf("%s.%03d", when, (int)(utc_ns % BASE_NS_PER_S / BASE_NS_PER_MS));
}

/* Lines for those that have new samples. Returns how many. */
static long print_changes(struct args *args, const json_t *values)
{
    long n = 0;
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)(uintptr_t)values, i, item)
    {
        const char *name = json_string_value(json_object_get(item, "name"));
        json_t *samples = json_object_get(item, "samples");
        if (json_integer_value(samples) == 0 ||
            json_equal(samples, json_object_get(args->last, name)))
            continue;
        json_object_set(args->last, name, samples);
        if (args->remote.json) {
            json_dumpf(item, stdout, JSON_COMPACT);
            printf("\n");
        } else {
            char value[96];
            format_value(item, value, sizeof value);
            const char *unit = json_string_value(json_object_get(item, "unit"));
            print_time(json_integer_value(json_object_get(item, "time_utc_ns")));
            printf("  %s  %s%s%s\n", name, value, unit != NULL && unit[0] ? " " : "",
                   unit != NULL ? unit : "");
        }
        n++;
    }
    return n;
}

static int watch(struct args *args)
{
    bool in_place = isatty(STDOUT_FILENO) && !args->remote.json && args->count == 0;
    size_t lines = 0;
    long shown = 0;
    struct timespec pause = {(time_t)(1 / args->rate_hz),
                             (long)(1e9 / args->rate_hz) % BASE_NS_PER_S};
    while (cli_stop_signals == 0) {
        json_t *reply = cli_ask(
            &args->remote, json_pack("{s:s,s:O}", "cmd", "values", "channels", args->channels));
        if (reply == NULL)
            return cli_stop_signals != 0 ? 0 : 1;
        const json_t *values = json_object_get(reply, "values");
        if (in_place) {
            if (lines > 0)
                printf("\033[%zuA\033[J", lines);
            print_table(values);
            lines = json_array_size(values) + 1;
        } else {
            shown += print_changes(args, values);
        }
        fflush(stdout);
        json_decref(reply);
        if (args->count > 0 && shown >= args->count)
            break;
        nanosleep(&pause, NULL);
    }
    return 0;
}

int cli_verb_watch(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"count", 'n', "N", 0, "Stop after N lines", 0},
        {"rate", 'r', "HZ", 0, "Look so often a second (default 5, at most 50)", 0},
        {0},
    };
    static const struct argp_child children[] = {{&cli_remote_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[CHANNEL...]",
        .doc = "Show live values of channels, all of them when none is named. On a terminal the "
               "table is redrawn in "
               "place; into a pipe, or with -n, each new value is a line. Ctrl-C ends.",
        .children = children};
    struct args args = {.channels = json_array(), .rate_hz = 5, .last = json_object()};
    cli_remote_init(&args.remote);
    argp_parse(&argp, argc, argv, 0, NULL, &args);
    int rc = EX_UNAVAILABLE;
    if (cli_connect(&args.remote)) {
        cli_catch_signals();
        rc = watch(&args);
        cli_disconnect(&args.remote);
    }
    json_decref(args.channels);
    json_decref(args.last);
    return rc;
}
