#include "driver/main/cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Asking a running Driver -------------------------------------------------------------------
 */

static error_t parse_remote(int key, char *arg, struct argp_state *state)
{
    struct cli_remote *remote = state->input;
    switch (key) {
    case 'S': snprintf(remote->socket, sizeof remote->socket, "%s", arg); return 0;
    case 'j': remote->json = true; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option remote_options[] = {
    {"socket", 'S', "PATH", 0,
     "Talk to the Driver that listens there (default: $ARCD_SOCKET, or /run/arcd/control)", 10},
    {"json", 'j', NULL, 0, "Print the answer as JSON", 10},
    {0},
};

const struct argp cli_remote_argp = {remote_options, parse_remote, NULL, NULL, NULL, NULL, NULL};

void cli_default_socket(char *path, size_t size)
{
    const char *given = getenv("ARCD_SOCKET"), *runtime = getenv("XDG_RUNTIME_DIR");
    if (given != NULL && given[0] != '\0')
        snprintf(path, size, "%s", given);
    else if (geteuid() == 0)
        snprintf(path, size, "/run/arcd/control");
    else if (runtime != NULL && runtime[0] != '\0')
        snprintf(path, size, "%s/arcd/control", runtime);
    else
        snprintf(path, size, "/tmp/arcd-%u/control", geteuid());
}

void cli_remote_init(struct cli_remote *remote)
{
    *remote = (struct cli_remote){0};
    cli_default_socket(remote->socket, sizeof remote->socket);
}

bool cli_connect(struct cli_remote *remote)
{
    struct arcd_errinfo why;
    if (driver_control_connect(remote->socket, &remote->client, &why) == ARCD_OK)
        return true;
    cli_error("%s", why.text);
    return false;
}

json_t *cli_ask(struct cli_remote *remote, json_t *request)
{
    struct arcd_errinfo why;
    json_t *reply = NULL;
    if (driver_control_call(remote->client, request, -1, &reply, &why) == ARCD_OK)
        return reply;
    if (why.code != ARCD_ERR_INTERRUPTED)
        cli_error("%s", why.text);
    json_decref(reply);
    return NULL;
}

void cli_disconnect(struct cli_remote *remote)
{
    driver_control_disconnect(remote->client);
    remote->client = NULL;
}

void cli_error(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fputs("arcd: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
}

/* ---- Output ------------------------------------------------------------------------------------
 */

bool cli_color(FILE *out)
{
    const char *no = getenv("NO_COLOR");
    return isatty(fileno(out)) && (no == NULL || no[0] == '\0');
}

const char *cli_variant_color(const char *variant, bool color)
{
    if (!color || variant == NULL)
        return "";
    if (strcmp(variant, "success") == 0)
        return "\033[32m";
    if (strcmp(variant, "warning") == 0)
        return "\033[33m";
    return strcmp(variant, "error") == 0 ? "\033[31m" : "\033[2m";
}

const char *cli_duration(double us, char text[24])
{
    static const struct {
        double us;
        const char *name;
    } units[] = {{1e6, "s"}, {1e3, "ms"}, {1, "us"}};
    size_t i = 0;
    while (i < 2 && fabs(us) < units[i].us)
        i++;
    double value = us / units[i].us;
    int decimals = fabs(value) >= 100 ? 0 : fabs(value) >= 10 ? 1 : 2;
    snprintf(text, 24, "%.*f %s", decimals, value, units[i].name);
    return text;
}

static void grow(struct cli_table *table)
{
    if (table->n_rows < table->cap_rows)
        return;
    table->cap_rows = table->cap_rows == 0 ? 16 : table->cap_rows * 2;
    table->cells = realloc(table->cells, (size_t)table->cap_rows * sizeof *table->cells);
    ARCD_ASSERT(table->cells != NULL);
}

void cli_table_row(struct cli_table *table)
{
    grow(table);
    memset(table->cells[table->n_rows++], 0, sizeof *table->cells);
}

void cli_table_init(struct cli_table *table, const char *heading)
{
    *table = (struct cli_table){0};
    cli_table_row(table);
    for (const char *part = heading; part != NULL && table->n_columns < CLI_TABLE_COLUMNS;) {
        const char *end = strchr(part, '|');
        size_t len = end != NULL ? (size_t)(end - part) : strlen(part);
        bool right = len > 0 && part[len - 1] == '>';
        table->right[table->n_columns] = right;
        cli_table_cell(table, table->n_columns++, "%.*s", (int)len - right, part);
        part = end != NULL ? end + 1 : NULL;
    }
}

void cli_table_cell(struct cli_table *table, int column, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(table->cells[table->n_rows - 1][column], CLI_CELL_BYTES, fmt, args);
    va_end(args);
}

/* Characters, not bytes: names and units may hold more than ASCII. */
static int width_of(const char *text)
{
    int n = 0;
    for (; *text != '\0'; text++)
        n += (*text & 0xc0) != 0x80;
    return n;
}

void cli_table_print(const struct cli_table *table, FILE *out)
{
    int width[CLI_TABLE_COLUMNS] = {0};
    for (int r = 0; r < table->n_rows; r++)
        for (int c = 0; c < table->n_columns; c++)
            width[c] =
                width_of(table->cells[r][c]) > width[c] ? width_of(table->cells[r][c]) : width[c];
    bool color = cli_color(out);
    for (int r = 0; r < table->n_rows; r++) {
        if (r == 0 && color)
            fputs("\033[1m", out);
        for (int c = 0; c < table->n_columns; c++) {
            const char *cell = table->cells[r][c];
            int pad = width[c] - width_of(cell);
            bool last = c == table->n_columns - 1;
            if (table->right[c])
                fprintf(out, "%*s%s", pad, "", cell);
            else
                fprintf(out, "%s%*s", cell, last ? 0 : pad, "");
            fputs(last ? "" : "  ", out);
        }
        fputs(r == 0 && color ? CLI_RESET "\n" : "\n", out);
    }
}

void cli_table_free(struct cli_table *table)
{
    free(table->cells);
}

/* ---- Signals -----------------------------------------------------------------------------------
 */

volatile sig_atomic_t cli_stop_signals, cli_reload_signals;

static void count_signal(int signum)
{
    if (signum == SIGHUP)
        cli_reload_signals = 1;
    else
        cli_stop_signals++;
}

void cli_catch_signals(void)
{
    struct sigaction action = {.sa_handler = count_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}
