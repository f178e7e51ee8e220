#include "hw/sim/sim_world.h"

#include <math.h>
#include <string.h>

/* ---- The world */

void sim_world_init(struct sim_world *world, const struct sim_plant_config *plant,
                    const struct sim_faults *faults, struct base_arena *arena)
{
    *world = (struct sim_world){.arena = arena, .faults = faults};
    /* Tasks of different priorities share it: the holder runs at the highest of those that wait. */
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&world->lock, &attr);
    pthread_mutexattr_destroy(&attr);
    sim_plant_init(&world->plant, plant, arena);
}

void sim_world_fini(struct sim_world *world)
{
    pthread_mutex_destroy(&world->lock);
}

void sim_world_lock(struct sim_world *world)
{
    pthread_mutex_lock(&world->lock);
}

void sim_world_unlock(struct sim_world *world)
{
    pthread_mutex_unlock(&world->lock);
}

static struct sim_latch *find_latch(struct sim_world *world, const char *name)
{
    struct sim_latch *latch = world->latches;
    while (latch != NULL && strcmp(latch->name, name) != 0)
        latch = latch->next;
    return latch;
}

double *sim_world_latch(struct sim_world *world, const char *name)
{
    sim_world_lock(world);
    struct sim_latch *latch = find_latch(world, name);
    if (latch == NULL) {
        latch = base_arena_new(world->arena, struct sim_latch);
        latch->name = base_arena_strdup(world->arena, name);
        latch->next = world->latches;
        world->latches = latch;
    }
    sim_world_unlock(world);
    return &latch->value;
}

/* ---- Buffers */

void sim_acq_init(struct sim_acq *acq, double rate_hz, uint32_t room, const double **vars,
                  uint32_t n_vars, struct base_arena *arena)
{
    *acq = (struct sim_acq){.rate_hz = rate_hz, .room = room, .n_vars = n_vars, .vars = vars};
    acq->index = base_arena_array(arena, uint64_t, room);
    acq->t_ns = base_arena_array(arena, int64_t, room);
    acq->values = base_arena_array(arena, double, (size_t)room *n_vars);
}

static int64_t time_of(const struct sim_acq *acq, uint64_t i)
{
    return acq->anchor_ns + (int64_t)((double)(i - acq->anchor_i) * acq->period_ns);
}

/* The clock's rate may change at this sample. */
static void set_anchor(struct sim_acq *acq, uint64_t i, int64_t t_ns, double ppm)
{
    acq->anchor_i = i;
    acq->anchor_ns = t_ns;
    acq->ppm = ppm;
    acq->period_ns = 1e9 / (acq->rate_hz * (1.0 + ppm * 1e-6));
}

static void go_to(struct sim_world *world, struct sim_acq *acq, uint64_t i)
{
    acq->next_i = i;
    acq->next_ns = time_of(acq, i);
    double ppm = sim_faults_ppm(world->faults, acq->next_ns);
    if (ppm != acq->ppm)
        set_anchor(acq, i, acq->next_ns, ppm);
}

static bool is_lost(const struct sim_world *world, int64_t t_ns)
{
    return sim_faults_active(world->faults, SIM_FAULT_DROPOUT, t_ns) != NULL ||
           sim_faults_active(world->faults, SIM_FAULT_DISCONNECT, t_ns) != NULL;
}

/* A full buffer overwrites its oldest entry: the newest samples matter most. */
static void take(struct sim_world *world, struct sim_acq *acq)
{
    if (!is_lost(world, acq->next_ns)) {
        if (acq->head - acq->tail == acq->room)
            acq->tail++;
        uint32_t entry = (uint32_t)(acq->head++ % acq->room);
        acq->index[entry] = acq->next_i;
        acq->t_ns[entry] = acq->next_ns;
        for (uint32_t v = 0; v < acq->n_vars; v++)
            acq->values[(size_t)entry * acq->n_vars + v] = *acq->vars[v];
    }
    go_to(world, acq, acq->next_i + 1);
}

/* Passes over samples that would be overwritten before t_ns anyway: after a long suspend there may
 * be millions of them. */
static void skip(struct sim_world *world, struct sim_acq *acq, int64_t t_ns)
{
    double due = (double)(t_ns - acq->next_ns) / acq->period_ns;
    if (due > 2.0 * acq->room)
        go_to(world, acq, acq->next_i + (uint64_t)(due - acq->room));
}

static void take_before(struct sim_world *world, int64_t t_ns)
{
    for (struct sim_acq *acq = world->acqs; acq != NULL; acq = acq->next)
        while (acq->next_ns < t_ns)
            take(world, acq);
}

void sim_acq_start(struct sim_world *world, struct sim_acq *acq, int64_t t_ns)
{
    acq->head = 0;
    acq->tail = 0;
    acq->next_i = 0;
    acq->next_ns = t_ns;
    set_anchor(acq, 0, t_ns, sim_faults_ppm(world->faults, t_ns));
    acq->next = world->acqs;
    world->acqs = acq;
}

void sim_acq_stop(struct sim_world *world, struct sim_acq *acq)
{
    for (struct sim_acq **p = &world->acqs; *p != NULL; p = &(*p)->next) {
        if (*p == acq) {
            *p = acq->next;
            return;
        }
    }
}

uint32_t sim_acq_run(const struct sim_acq *acq, uint32_t n)
{
    uint32_t run = 0;
    uint64_t first = acq->index[acq->tail % acq->room];
    while (run < n && acq->tail + run < acq->head &&
           acq->index[(acq->tail + run) % acq->room] == first + run)
        run++;
    return run;
}

/* ---- Time */

void sim_world_advance(struct sim_world *world, int64_t t_ns)
{
    for (struct sim_acq *acq = world->acqs; acq != NULL; acq = acq->next)
        skip(world, acq, t_ns);
    if (world->plant.config->kind != SIM_PLANT_NONE) {
        int64_t behind_ns = t_ns - world->plant_ns;
        if (behind_ns > SIM_CATCH_UP_MAX_NS)
            world->plant_ns += (behind_ns - SIM_CATCH_UP_MAX_NS) / SIM_STEP_NS * SIM_STEP_NS;
        while (world->plant_ns + SIM_STEP_NS <= t_ns) {
            take_before(world, world->plant_ns + SIM_STEP_NS);
            sim_plant_step(&world->plant);
            world->plant_ns += SIM_STEP_NS;
        }
    }
    take_before(world, t_ns);
}

void sim_world_set_input(struct sim_world *world, int64_t t_ns, int input, double value)
{
    sim_world_advance(world, t_ns);
    sim_plant_set_input(&world->plant, input, value);
    if (t_ns == world->plant_ns)
        sim_plant_latch(&world->plant);
}
