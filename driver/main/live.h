/* driver/main/live.h - the panel that `arcd run --live` draws: channels with their recent course,
 * and the automations' lateness.
 *
 * Life cycle: live_new -> live_draw ... -> live_free. One thread.
 */
#ifndef DRIVER_MAIN_LIVE_H
#define DRIVER_MAIN_LIVE_H

#include <jansson.h>
#include <stdio.h>

struct cli_live;

/* Draws over itself on a terminal; elsewhere one line of values a call. */
struct cli_live *cli_live_new(FILE *out);
void cli_live_free(struct cli_live *live);

/* values: the "values" of a values reply. automations: of a timing reply. head: one line, without a
 * newline. */
void cli_live_draw(struct cli_live *live, const char *head, const json_t *values,
                   const json_t *automations);

#endif
