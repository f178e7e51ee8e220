/* driver/main/cli.h - what the verbs of the command line share: the table of verbs, the common
 * options, asking a running Driver, and output that lines up. One file a verb; one thread.
 *
 * Exit codes are those of sysexits.h where one fits: 0 done, 1 refused or wrong (the text says
 * what), 64 usage, 69 no Driver answers, 78 configuration.
 */
#ifndef DRIVER_MAIN_CLI_H
#define DRIVER_MAIN_CLI_H

#include "driver/control.h"

#include <argp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sysexits.h>

struct cli_verb {
    const char *name;
    const char *args;                  /* "CHANNEL..." */
    const char *summary;               /* one line, no full stop */
    const char *group;                 /* heading in the overview */
    int (*run)(int argc, char **argv); /* argv[0] is "arcd VERB" */
};

/* Every verb, in the order of the overview; ends with a NULL name. */
extern const struct cli_verb cli_verbs[];

int cli_verb_bench(int argc, char **argv);
int cli_verb_check(int argc, char **argv);
int cli_verb_conform(int argc, char **argv);
int cli_verb_dis(int argc, char **argv);
int cli_verb_doctor(int argc, char **argv);
int cli_verb_docs(int argc, char **argv);
int cli_verb_fmt(int argc, char **argv);
int cli_verb_level(int argc, char **argv);
int cli_verb_lsp(int argc, char **argv);
int cli_verb_reload(int argc, char **argv);
int cli_verb_run(int argc, char **argv);
int cli_verb_start(int argc, char **argv);
int cli_verb_status(int argc, char **argv);
int cli_verb_stop(int argc, char **argv);
int cli_verb_task(int argc, char **argv);
int cli_verb_timing(int argc, char **argv);
int cli_verb_version(int argc, char **argv);
int cli_verb_watch(int argc, char **argv);
int cli_verb_write(int argc, char **argv);

/* Options of all verbs that talk to a running Driver: --socket PATH and --json. As an argp child;
 * its input is a struct cli_remote. */
struct cli_remote {
    char socket[256];
    bool json;
    struct driver_control_client *client;
};

extern const struct argp cli_remote_argp;
void cli_remote_init(struct cli_remote *remote);

/* Where a Driver listens unless told: $ARCD_SOCKET, /run/arcd/control for root, else below
 * $XDG_RUNTIME_DIR or /tmp. */
void cli_default_socket(char *path, size_t size);

/* Connects; prints the reason to stderr and returns false when nobody answers. */
bool cli_connect(struct cli_remote *remote);

/* One call, taking the request. NULL after printing the error. */
json_t *cli_ask(struct cli_remote *remote, json_t *request);
void cli_disconnect(struct cli_remote *remote);

void cli_error(const char *fmt, ...) ARCD_PRINTF(1, 2); /* "arcd: ..." on stderr */

/* ---- Output */

bool cli_color(FILE *out); /* a terminal, and NO_COLOR is not set */

/* Rows of text cells, printed with aligned columns; numbers line up at their right end. */
enum { CLI_TABLE_COLUMNS = 12, CLI_CELL_BYTES = 160 };

struct cli_table {
    int n_columns, n_rows, cap_rows;
    bool right[CLI_TABLE_COLUMNS];
    char (*cells)[CLI_TABLE_COLUMNS][CLI_CELL_BYTES]; /* row 0: the heading */
};

/* "name|rate>|lateness>": a column a part; '>' at its end aligns right. */
void cli_table_init(struct cli_table *table, const char *heading);
void cli_table_row(struct cli_table *table); /* begins a row */
void cli_table_cell(struct cli_table *table, int column, const char *fmt, ...) ARCD_PRINTF(3, 4);
void cli_table_print(const struct cli_table *table, FILE *out);
void cli_table_free(struct cli_table *table);

/* "green" for success, "yellow" for warning, "red" for error; "" when not in colour. */
const char *cli_variant_color(const char *variant, bool color);
#define CLI_RESET "\033[0m"

/* 12.3 us, 4.56 ms, 7 s: three digits in the unit that reads best. */
const char *cli_duration(double us, char text[24]);

/* Set by SIGINT and SIGTERM after cli_catch_signals(). */
extern volatile sig_atomic_t cli_stop_signals;
/* Set by SIGHUP. */
extern volatile sig_atomic_t cli_reload_signals;
void cli_catch_signals(void);

#endif
