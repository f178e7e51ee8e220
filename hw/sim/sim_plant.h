/* hw/sim/sim_plant.h - the simulated plants: states that move in fixed steps of 1 ms.
 *
 * Life cycle: plant_init -> (plant_set_input | plant_step) ... ; memory from the arena. One thread
 * at a time: the world's lock sees to that. A step uses the inputs as they are when it starts. Same
 * inputs at the same steps give the same bits on every machine.
 */
#ifndef HW_SIM_SIM_PLANT_H
#define HW_SIM_SIM_PLANT_H

#include "base/arena.h"

#include <stdbool.h>

#define SIM_STEP_NS INT64_C(1000000)

enum sim_plant_kind { SIM_PLANT_NONE, SIM_PLANT_TANK_HEATER, SIM_PLANT_FIRST_ORDER };

struct sim_tank_config {
    double area, height, level0;      /* m2, m, m */
    double q_in_max, k_out;           /* L/s, L/s/sqrt(m) */
    double power, loss;               /* W, W/K */
    double t_ambient, t_inlet, temp0; /* degC */
    int64_t lag_ns;                   /* of the temperature sensor */
    double noise_temp, noise_level;   /* standard deviations: K, m */
};

struct sim_first_order_config {
    double gain, u0;
    int64_t tau_ns, dead_time_ns;
};

struct sim_plant_config {
    const char *type;
    enum sim_plant_kind kind;
    struct sim_tank_config tank;
    struct sim_first_order_config first_order;
};

struct sim_plant {
    const struct sim_plant_config *config;
    double *commands; /* inputs as last set, clamped */
    double *in;       /* as they were when the present step started */
    double *out;      /* outputs after the last step */

    /* tank_heater */
    double level, temp_water; /* m, degC */
    double sensor_factor;     /* 1 - exp(-h / lag) */
    double exponent, decay;   /* exp(-exponent) of the last step: it repeats while valves rest */
    bool over_temp;

    /* first_order: u of the last dead time, a ring */
    double *delayed;
    uint32_t n_delayed, at_delayed;
    double factor; /* 1 - exp(-h / tau) */
};

/* The plant's own names for what it has, in the order of the indexes below; NULL ends the list. */
const char *const *sim_plant_inputs(enum sim_plant_kind kind);
const char *const *sim_plant_outputs(enum sim_plant_kind kind);

/* Index of a name in such a list, -1 when it is not there. */
int sim_name_index(const char *const *names, const char *name);

/* The deviation of the sensor noise of an output, 0 for most. */
double sim_plant_noise(const struct sim_plant_config *config, int output);

void sim_plant_init(struct sim_plant *plant, const struct sim_plant_config *config,
                    struct base_arena *arena);

/* The plant sees it when the next step starts; NaN is ignored. */
void sim_plant_set_input(struct sim_plant *plant, int input, double value);
void sim_plant_latch(struct sim_plant *plant); /* the present step has only just started */
void sim_plant_step(struct sim_plant *plant);

#endif
