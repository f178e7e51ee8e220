/* driver/main/program_file.h - one Arc program on disk with the channels that it may name, for the
 * verbs of the language.
 *
 * Life cycle: program_file_load -> use source and table -> program_file_free. One thread.
 */
#ifndef DRIVER_MAIN_PROGRAM_FILE_H
#define DRIVER_MAIN_PROGRAM_FILE_H

#include "arc/compile.h"

struct cli_program {
    struct base_arena arena;
    struct arc_source source;
    struct arc_chan_table table;
    struct arc_diags diags; /* empty, ready for the compiler */
    char *text;
};

/* channels: a file like driver.json, or only its object of channels; NULL: the program names none.
 * False after printing what is wrong to stderr. Call free either way. */
bool cli_program_load(struct cli_program *program, const char *path, const char *channels);
void cli_program_free(struct cli_program *program);

#endif
