/* config/csv.h - two columns of numbers from a text file that a configuration names.
 *
 * One row a line: two numbers with a comma, semicolon or tab between them; blank lines and lines
 * that start with # are skipped, and the first line may be a heading. Problems are issues with the
 * line of the CSV file. Threads and ownership: those of the cursor; the columns live in `arena`.
 */
#ifndef CONFIG_CSV_H
#define CONFIG_CSV_H

#include "config/reader.h"

enum { CONFIG_CSV_ROWS_MAX = 1000000 };

/* `file` is relative to the configuration folder. False after an issue, at the cursor for a file
 * that cannot be read. */
bool config_csv_read(struct config_at at, struct base_arena *arena, const char *file,
                     struct config_nums *x, struct config_nums *y);

#endif
