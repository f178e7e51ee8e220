/* arcd status: one line a task and an automation, and what they last said. */
#include "driver/main/cli.h"

#include <string.h>

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value != NULL ? value : "";
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void print_head(const json_t *status)
{
    printf("arcd %s, pid %lld, up %.0f s, %s\n", text(status, "version"),
           (long long)json_integer_value(json_object_get(status, "pid")),
           number(status, "uptime_s"), text(status, "config"));
}

/* The counters that are not zero: what a person wants to see at two in the morning. */
static void format_counters(const json_t *counters, char *out, size_t size)
{
    const char *name;
    json_t *value;
    size_t n = 0;
    out[0] = '\0';
    json_object_foreach((json_t *)(uintptr_t)counters, name, value)
    {
        if (!json_is_integer(value) || json_integer_value(value) == 0 || n >= size)
            continue;
        n += (size_t)snprintf(out + n, size - n, "%s%s %lld", n ? ", " : "", name,
                              (long long)json_integer_value(value));
    }
}

static void print_members(const json_t *status, const char *key)
{
    const json_t *list = json_object_get(status, key);
    if (json_array_size(list) == 0)
        return;
    struct cli_table table;
    cli_table_init(&table, "name|type|state|variant|rate>|counters|message");
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)(uintptr_t)list, i, item)
    {
        char counters[CLI_CELL_BYTES];
        format_counters(json_object_get(item, "counters"), counters, sizeof counters);
        cli_table_row(&table);
        cli_table_cell(&table, 0, "%s", text(item, "name"));
        cli_table_cell(&table, 1, "%s", text(item, "type"));
        cli_table_cell(&table, 2, "%s", text(item, "state"));
        cli_table_cell(&table, 3, "%s", text(item, "variant"));
        cli_table_cell(&table, 4, "%s", text(item, "rate"));
        cli_table_cell(&table, 5, "%s", counters);
        cli_table_cell(&table, 6, "%s", text(item, "message"));
    }
    printf("\n");
    cli_table_print(&table, stdout);
    cli_table_free(&table);
}

int cli_verb_status(int argc, char **argv)
{
    struct argp argp = cli_remote_argp;
    argp.doc = "Print the state of the running Driver: its tasks and automations, their rates, "
               "counters and "
               "last messages. Exits 0 when a Driver runs and 3 when none answers.";
    struct cli_remote remote;
    cli_remote_init(&remote);
    argp_parse(&argp, argc, argv, 0, NULL, &remote);
    if (!cli_connect(&remote))
        return 3;
    json_t *status = cli_ask(&remote, json_pack("{s:s}", "cmd", "status"));
    cli_disconnect(&remote);
    if (status == NULL)
        return 1;
    if (remote.json) {
        json_dumpf(status, stdout, JSON_INDENT(2));
        printf("\n");
    } else {
        print_head(status);
        print_members(status, "tasks");
        print_members(status, "automations");
    }
    json_decref(status);
    return 0;
}
