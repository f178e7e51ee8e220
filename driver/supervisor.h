/* driver/supervisor.h - owns a running Driver: starts, watches, answers, stops in order.
 *
 * Life cycle: supervisor_new(project) -> supervisor_start -> supervisor_poll ... -> supervisor_stop
 * -> supervisor_free.
 *
 * Threads: one thread, the supervisor's, calls new, start, poll, stop and free. Requests come from
 * the control server's threads, several at once; commands of one task or automation are taken one
 * at a time.
 *
 * poll is what a supervisor does while all is well: it makes words of the statuses that tasks and
 * automations have put into their rings, publishes the timing statistics as channels, and puts
 * outputs safe when the automation that commanded them has failed.
 */
#ifndef DRIVER_SUPERVISOR_H
#define DRIVER_SUPERVISOR_H

#include "driver/control.h"
#include "driver/project.h"

struct driver_supervisor;

struct driver_supervisor_opts {
    struct driver_project *project; /* good; becomes the supervisor's */
    struct base_log *log;
    const char *socket; /* where verbs find it; NULL: nowhere */
    bool realtime;      /* false: no thread asks for a priority */
};

/* Takes the project in any case. */
ARCD_MUST_CHECK enum arcd_err driver_supervisor_new(const struct driver_supervisor_opts *opts,
                                                    struct driver_supervisor **supervisor,
                                                    struct arcd_errinfo *why);
void driver_supervisor_free(struct driver_supervisor *supervisor);

/* Starts what has auto_start: write tasks, then read tasks, then automations, so that whoever
 * produces finds its consumer. A task that cannot start is logged and keeps its error as status;
 * the rest goes on. */
void driver_supervisor_start(struct driver_supervisor *supervisor);

/* Sleeps until there is something to do, at most until deadline_mono_ns, and does it. */
void driver_supervisor_poll(struct driver_supervisor *supervisor, int64_t deadline_mono_ns);

/* Automations, then write tasks (safe values), then read tasks. False, with their names logged,
 * when some did not stop within the configured shutdown_timeout. */
bool driver_supervisor_stop(struct driver_supervisor *supervisor);

/* One request, as the control socket brings it; also for the program that embeds the supervisor.
 * The caller owns the reply. */
json_t *driver_supervisor_request(struct driver_supervisor *supervisor,
                                  struct driver_control_session *session, const json_t *request);

#endif
