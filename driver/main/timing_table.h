/* driver/main/timing_table.h - the timing table, as `arcd timing` and the end of the demo print it.
 */
#ifndef DRIVER_MAIN_TIMING_TABLE_H
#define DRIVER_MAIN_TIMING_TABLE_H

#include <jansson.h>
#include <stdio.h>

/* `automations`: the array of a timing reply. */
void timing_table_print(const json_t *automations, FILE *out);

#endif
