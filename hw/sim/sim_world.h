/* hw/sim/sim_world.h - what the tasks of one simulated device share: plant, latches, sample
 * buffers.
 *
 * The world moves in steps, forward only, as far as somebody asks: world_advance(). On the way it
 * fills the buffer of every running hardware-timed task, as a board with memory of its own does:
 * each sample sees the plant as it was at the sample's time, whoever moved the world past it.
 *
 * Life cycle: world_init -> (latch_get, advance, set, acq_add, acq_remove) ... -> world_fini.
 * Threads: any, between world_lock and world_unlock; the names say which calls lock by themselves.
 * Memory: the arena given to init; a buffer belongs to its task.
 */
#ifndef HW_SIM_SIM_WORLD_H
#define HW_SIM_SIM_WORLD_H

#include "hw/sim/sim_fault.h"
#include "hw/sim/sim_plant.h"

#include <pthread.h>

/* The plant makes up for at most six hours in which nobody looked (about half a second of
 * computing); a longer time passes without it. */
#define SIM_CATCH_UP_MAX_NS (INT64_C(6) * 3600 * 1000000000)

/* The buffer of one hardware-timed task. Counters run freely: entry k is at k % room. */
struct sim_acq {
    struct sim_acq *next;
    double rate_hz; /* of the device's clock, drift_ppm included */

    /* Sample i is due at anchor_ns + (i - anchor_i) * period; a drift fault moves the anchor. */
    uint64_t anchor_i;
    int64_t anchor_ns;
    double period_ns, ppm;
    uint64_t next_i;
    int64_t next_ns;

    uint32_t room, n_vars;
    const double **vars; /* where the world keeps them */
    uint64_t head, tail;
    uint64_t *index;
    int64_t *t_ns;
    double *values; /* values[entry * n_vars + var] */
};

struct sim_latch {
    struct sim_latch *next;
    const char *name;
    double value;
};

struct sim_world {
    pthread_mutex_t lock;
    struct base_arena *arena;
    struct sim_plant plant;
    int64_t plant_ns; /* whole steps done */
    struct sim_latch *latches;
    struct sim_acq *acqs;
    const struct sim_faults *faults;
};

void sim_world_init(struct sim_world *world, const struct sim_plant_config *plant,
                    const struct sim_faults *faults, struct base_arena *arena);
void sim_world_fini(struct sim_world *world);
void sim_world_lock(struct sim_world *world);
void sim_world_unlock(struct sim_world *world);

/* The latch of that name, made when it is new. Set-up only: it allocates. Locks. */
double *sim_world_latch(struct sim_world *world, const char *name);

/* Moves everything to t_ns: samples due before it are in the buffers, the plant has done all the
 * whole steps up to it. Going back does nothing. With the lock held. */
void sim_world_advance(struct sim_world *world, int64_t t_ns);

/* Moves to t_ns and sets an input of the plant there. With the lock held. */
void sim_world_set_input(struct sim_world *world, int64_t t_ns, int input, double value);

/* ---- Buffers */

/* Set-up: room for that many samples of n_vars variables. */
void sim_acq_init(struct sim_acq *acq, double rate_hz, uint32_t room, const double **vars,
                  uint32_t n_vars, struct base_arena *arena);

/* Empties the buffer and starts sampling at t_ns, with sample 0. With the lock held. */
void sim_acq_start(struct sim_world *world, struct sim_acq *acq, int64_t t_ns);
void sim_acq_stop(struct sim_world *world, struct sim_acq *acq);

/* How many entries from the oldest on have consecutive sample numbers, at most n. */
uint32_t sim_acq_run(const struct sim_acq *acq, uint32_t n);

#endif
