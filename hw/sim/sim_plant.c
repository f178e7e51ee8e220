/* Two plants, stepped. The order of the assignments in a step is part of what they are. */
#include "hw/sim/sim_plant.h"

#include "hw/sim/sim_math.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double STEP_S = 1e-3;
static const double WATER = 4186.0; /* J per K and litre, which is a kilogram */

enum { HEATER, INLET, OUTLET, PUMP, N_TANK_INPUTS };
enum {
    TEMP,
    LEVEL,
    FLOW_IN,
    FLOW_OUT,
    PRESSURE,
    LEVEL_LOW,
    LEVEL_HIGH,
    OVER_TEMP,
    HEATER_POWER,
    ENERGY,
    N_TANK_OUTPUTS
};

const char *const *sim_plant_inputs(enum sim_plant_kind kind)
{
    static const char *const none[] = {NULL};
    static const char *const tank[] = {"heater", "inlet", "outlet", "pump", NULL};
    static const char *const first_order[] = {"u", NULL};
    switch (kind) {
    case SIM_PLANT_NONE: break;
    case SIM_PLANT_TANK_HEATER: return tank;
    case SIM_PLANT_FIRST_ORDER: return first_order;
    }
    return none;
}

const char *const *sim_plant_outputs(enum sim_plant_kind kind)
{
    static const char *const none[] = {NULL};
    static const char *const tank[] = {"temp",         "level",     "flow_in",    "flow_out",
                                       "pressure",     "level_low", "level_high", "over_temp",
                                       "heater_power", "energy",    NULL};
    static const char *const first_order[] = {"y", NULL};
    switch (kind) {
    case SIM_PLANT_NONE: break;
    case SIM_PLANT_TANK_HEATER: return tank;
    case SIM_PLANT_FIRST_ORDER: return first_order;
    }
    return none;
}

int sim_name_index(const char *const *names, const char *name)
{
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

double sim_plant_noise(const struct sim_plant_config *config, int output)
{
    if (config->kind != SIM_PLANT_TANK_HEATER)
        return 0.0;
    if (output == TEMP)
        return config->tank.noise_temp;
    return output == LEVEL ? config->tank.noise_level : 0.0;
}

static double clamp(double v, double lo, double hi)
{
    if (v < lo)
        return lo;
    return v > hi ? hi : v;
}

/* 1 - exp(-h / tau): how far a first-order lag goes in one step; all the way without a lag. */
static double lag_factor(int64_t tau_ns)
{
    if (tau_ns <= 0)
        return 1.0;
    return 1.0 - sim_exp(-(double)SIM_STEP_NS / (double)tau_ns);
}

/* ---- tank_heater */

static void tank_follow(struct sim_plant *plant)
{
    const struct sim_tank_config *c = &plant->config->tank;
    double *out = plant->out;
    out[LEVEL] = plant->level;
    out[PRESSURE] = 1.013 + 0.0981 * plant->level;
    out[LEVEL_LOW] = plant->level < 0.1 ? 1.0 : 0.0;
    out[LEVEL_HIGH] = plant->level > 0.95 * c->height ? 1.0 : 0.0;
    if (out[TEMP] > 95.0)
        plant->over_temp = true;
    else if (out[TEMP] < 90.0)
        plant->over_temp = false;
    out[OVER_TEMP] = plant->over_temp ? 1.0 : 0.0;
}

static void tank_init(struct sim_plant *plant)
{
    const struct sim_tank_config *c = &plant->config->tank;
    plant->level = clamp(c->level0, 0.0, c->height);
    plant->temp_water = c->temp0;
    plant->sensor_factor = lag_factor(c->lag_ns);
    plant->decay = 1.0;
    plant->out[TEMP] = c->temp0;
    tank_follow(plant);
}

static double tank_decay(struct sim_plant *plant, double exponent)
{
    if (exponent != plant->exponent) {
        plant->exponent = exponent;
        plant->decay = sim_exp(-exponent);
    }
    return plant->decay;
}

static void tank_step(struct sim_plant *plant)
{
    const struct sim_tank_config *c = &plant->config->tank;
    double *out = plant->out;
    double heater = plant->over_temp ? 0.0 : plant->in[HEATER];
    double q_in = c->q_in_max * plant->in[INLET] * (plant->in[PUMP] >= 0.5 ? 1.0 : 0.2);
    double q_out = c->k_out * plant->in[OUTLET] * sqrt(plant->level);

    plant->level += STEP_S * (q_in - q_out) / (1000.0 * c->area);
    plant->level = clamp(plant->level, 0.0, c->height);

    double capacity = WATER * 1000.0 * c->area * (plant->level > 0.02 ? plant->level : 0.02);
    double loss = c->loss + WATER * q_in;
    double t_inf = (c->loss * c->t_ambient + WATER * q_in * c->t_inlet + c->power * heater) / loss;
    double decay = tank_decay(plant, STEP_S * loss / capacity);
    plant->temp_water = t_inf + (plant->temp_water - t_inf) * decay;

    out[TEMP] += (plant->temp_water - out[TEMP]) * plant->sensor_factor;
    out[FLOW_IN] = q_in;
    out[FLOW_OUT] = q_out;
    out[HEATER_POWER] = c->power * heater;
    out[ENERGY] += STEP_S * out[HEATER_POWER];
    tank_follow(plant);
}

/* ---- first_order */

static void first_order_init(struct sim_plant *plant, struct base_arena *arena)
{
    const struct sim_first_order_config *c = &plant->config->first_order;
    plant->factor = lag_factor(c->tau_ns);
    plant->n_delayed = (uint32_t)((c->dead_time_ns + SIM_STEP_NS / 2) / SIM_STEP_NS);
    plant->delayed = base_arena_array(arena, double, plant->n_delayed);
    for (uint32_t i = 0; i < plant->n_delayed; i++)
        plant->delayed[i] = c->u0;
    plant->commands[0] = c->u0;
}

static void first_order_step(struct sim_plant *plant)
{
    double u = plant->in[0];
    if (plant->n_delayed > 0) {
        double old = plant->delayed[plant->at_delayed];
        plant->delayed[plant->at_delayed] = u;
        plant->at_delayed = (plant->at_delayed + 1) % plant->n_delayed;
        u = old;
    }
    plant->out[0] += (plant->config->first_order.gain * u - plant->out[0]) * plant->factor;
}

/* ---- Any */

void sim_plant_init(struct sim_plant *plant, const struct sim_plant_config *config,
                    struct base_arena *arena)
{
    *plant = (struct sim_plant){.config = config};
    plant->commands = base_arena_array(arena, double, N_TANK_INPUTS);
    plant->in = base_arena_array(arena, double, N_TANK_INPUTS);
    plant->out = base_arena_array(arena, double, N_TANK_OUTPUTS);
    if (config->kind == SIM_PLANT_TANK_HEATER)
        tank_init(plant);
    else if (config->kind == SIM_PLANT_FIRST_ORDER)
        first_order_init(plant, arena);
    sim_plant_latch(plant);
}

void sim_plant_set_input(struct sim_plant *plant, int input, double value)
{
    if (isnan(value))
        return;
    bool tank = plant->config->kind == SIM_PLANT_TANK_HEATER;
    plant->commands[input] = tank ? clamp(value, 0.0, 1.0) : value;
}

void sim_plant_latch(struct sim_plant *plant)
{
    memcpy(plant->in, plant->commands, N_TANK_INPUTS * sizeof *plant->in);
}

void sim_plant_step(struct sim_plant *plant)
{
    if (plant->config->kind == SIM_PLANT_TANK_HEATER)
        tank_step(plant);
    else if (plant->config->kind == SIM_PLANT_FIRST_ORDER)
        first_order_step(plant);
    sim_plant_latch(plant);
}
