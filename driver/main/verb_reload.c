/* arcd reload: the running Driver reads its folder again and changes what has changed. */
#include "driver/main/cli.h"

static void print_names(const json_t *reply, const char *key)
{
    size_t i;
    json_t *name;
    json_array_foreach(json_object_get(reply, key), i, name)
        printf("%-8s %s\n", key, json_string_value(name));
}

int cli_verb_reload(int argc, char **argv)
{
    struct argp argp = cli_remote_argp;
    argp.doc = "Make the running Driver read its configuration folder again. Only what has changed "
               "is touched: a changed "
               "program is swapped between two cycles, a changed task is restarted. What does not "
               "check leaves the old "
               "one running, and the reason is printed. driver.json itself is read only at start.";
    struct cli_remote remote;
    cli_remote_init(&remote);
    argp_parse(&argp, argc, argv, 0, NULL, &remote);
    if (!cli_connect(&remote))
        return EX_UNAVAILABLE;
    json_t *reply = cli_ask(&remote, json_pack("{s:s}", "cmd", "reload"));
    cli_disconnect(&remote);
    if (reply == NULL)
        return 1;
    const json_t *problems = json_object_get(reply, "problems");
    bool ok = json_array_size(problems) == 0;
    if (remote.json) {
        json_dumpf(reply, stdout, JSON_INDENT(2));
        printf("\n");
    } else {
        print_names(reply, "changed");
        print_names(reply, "added");
        print_names(reply, "removed");
        for (size_t i = 0; i < json_array_size(problems); i++)
            fprintf(stderr, "%s\n", json_string_value(json_array_get(problems, i)));
    }
    json_decref(reply);
    return ok ? 0 : 1;
}
