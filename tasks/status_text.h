/* tasks/status_text.h - the words and the JSON of a status, made by whoever reads it.
 *
 * Any thread but a task's own or a real-time one. Both functions write into the caller's buffer,
 * always NUL-terminated, cut at a whole character when it is too small; return the full length.
 */
#ifndef TASKS_STATUS_TEXT_H
#define TASKS_STATUS_TEXT_H

#include "tasks/status.h"

const char *tasks_variant_name(enum tasks_variant variant);
const char *tasks_state_name(enum tasks_state state);
enum tasks_variant tasks_event_variant(enum tasks_event event);

/* "no data from plc in 2 s; retry 1/50 in 1 s". `board` gives the channel names. */
size_t tasks_status_message(const struct tasks_board *board, const struct tasks_status *status,
                            char *text, size_t size_bytes);

/* "3 failed calls in 2.1 s": what goes with the message, "" when there is nothing. */
size_t tasks_status_description(const struct tasks_status *status, char *text, size_t size_bytes);

/* An answer to a command, or a status that nobody asked for. */
struct tasks_status_extra {
    const char *cmd;     /* key of the command answered; NULL: none */
    const char *message; /* instead of the status' own; NULL: its own */
    const char *variant; /* goes with `message` */
};

/* {"key","name","variant","message","description","time","details":{"task","running","state","cmd",
 * "code","errors","counters"}} on one line. `extra` may be NULL. 4 KiB are enough for most. */
size_t tasks_status_json(const struct tasks_board *board, const struct tasks_status *status,
                         const struct tasks_status_extra *extra, char *json, size_t size_bytes);

#endif
