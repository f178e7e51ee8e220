/* driver/doctor.h - is this machine fit for real-time control, and what would make it fitter?
 *
 * Looks at the running system and judges; changes nothing. Everything is read below `root`, so that
 * a test can show it a machine that it is not. One thread.
 */
#ifndef DRIVER_DOCTOR_H
#define DRIVER_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

enum driver_doctor_grade {
    DRIVER_DOCTOR_GOOD,
    DRIVER_DOCTOR_NOTE, /* costs something, or could not be found out */
    DRIVER_DOCTOR_BAD,  /* a control loop will be late because of this */
};

struct driver_doctor_finding {
    enum driver_doctor_grade grade;
    const char *topic; /* "kernel preemption" */
    char found[200];   /* what the machine says */
    const char *cost;  /* what it costs a control loop; "" when good */
    const char *fix;   /* how to change it; "" when good */
};

enum { DRIVER_DOCTOR_MAX_FINDINGS = 16 };

/* What the process itself was granted: tried, not read from limits. */
struct driver_doctor_process {
    bool may_fifo;      /* SCHED_FIFO 47 was given to a thread that asked */
    bool may_lock;      /* mlockall() worked, or the limit is unlimited */
    bool may_hold_idle; /* /dev/cpu_dma_latency can be opened for writing */
    int fifo_errno, lock_errno, idle_errno;
};

/* Tries each permission once and gives it back. */
void driver_doctor_probe(struct driver_doctor_process *process);

/* Fills findings, returns how many. root: "" for the machine itself. */
size_t driver_doctor_examine(const char *root, const struct driver_doctor_process *process,
                             struct driver_doctor_finding findings[DRIVER_DOCTOR_MAX_FINDINGS]);

#endif
