/* driver/supervisor_priv.h - what the supervisor's files share. */
#ifndef DRIVER_SUPERVISOR_PRIV_H
#define DRIVER_SUPERVISOR_PRIV_H

#include "arc_host/automation.h"
#include "arc_host/cores.h"
#include "arc_host/idle.h"
#include "driver/supervisor.h"
#include "driver/values.h"

struct driver_supervisor {
    struct driver_project *project;
    struct base_log *log;
    struct base_doorbell
        bell; /* rung by tasks and automations with something to say, and by a stop */
    struct driver_values *values;
    struct driver_control_server *server;
    struct arc_host_cores cores;
    struct arc_host_idle idle;
    pthread_rwlock_t members;         /* of the project's lists of tasks and automations */
    pthread_mutex_t automations_lock; /* start, stop, swap, level, service: one at a time; taken
                                       * after `members` where both are */
    pthread_mutex_t reload_lock;      /* one reload at a time */
    int64_t started_mono_ns;
    int64_t next_service_mono_ns;
    bool realtime;
    _Atomic bool started; /* everything with auto_start has been started once */
};

/* The project's task or automation of that name; NULL. */
struct driver_task *driver_supervisor_task(struct driver_supervisor *s, const char *name);
struct arc_host_automation *driver_supervisor_automation(struct driver_supervisor *s,
                                                         const char *name);

/* Starts or stops an automation, under the lock. */
ARCD_MUST_CHECK enum arcd_err driver_supervisor_start_automation(
    struct driver_supervisor *s, struct arc_host_automation *automation, struct arcd_errinfo *why);
void driver_supervisor_stop_automation(struct driver_supervisor *s,
                                       struct arc_host_automation *automation);

/* Makes the automation's host when it is enabled. */
ARCD_MUST_CHECK enum arcd_err
driver_supervisor_make_automation(struct driver_supervisor *s, struct driver_automation *automation,
                                  struct arcd_errinfo *why);

/* reload.c: reads the folder again and changes what has changed; the reply says what. */
json_t *driver_reload_request(struct driver_supervisor *s);

/* ---- write.c: values from outside the loops, held by the session */

/* What the request says is put on its channels; the reply. */
json_t *driver_write_request(struct driver_supervisor *s, struct driver_control_session *session,
                             const json_t *request);
void driver_write_session_ended(struct driver_control_session *session);

/* Publishes the `initial` values of virtual channels. */
void driver_write_initial(struct driver_supervisor *s);

#endif
