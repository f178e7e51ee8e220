/* The expected numbers come from sim_reference.py beside this file. */
#include "hw/sim/sim_plant.h"

#include "tests/support/test.h"

#include <math.h>

struct fixture {
    struct base_arena arena;
    struct sim_plant_config config;
    struct sim_plant plant;
};

static const struct sim_tank_config default_tank = {.area = 0.5,
                                                    .height = 2.0,
                                                    .level0 = 0.5,
                                                    .q_in_max = 1.5,
                                                    .k_out = 1.2,
                                                    .power = 6000.0,
                                                    .loss = 20.0,
                                                    .t_ambient = 20.0,
                                                    .t_inlet = 15.0,
                                                    .temp0 = 20.0,
                                                    .lag_ns = 2000000000};

static void open_tank(struct fixture *f, const struct sim_tank_config *tank)
{
    base_arena_init(&f->arena);
    f->config = (struct sim_plant_config){.kind = SIM_PLANT_TANK_HEATER, .tank = *tank};
    sim_plant_init(&f->plant, &f->config, &f->arena);
}

static void set(struct fixture *f, const char *input, double value)
{
    int i = sim_name_index(sim_plant_inputs(f->config.kind), input);
    assert_true(i >= 0);
    sim_plant_set_input(&f->plant, i, value);
    sim_plant_latch(&f->plant);
}

static void run(struct fixture *f, int steps)
{
    for (int i = 0; i < steps; i++)
        sim_plant_step(&f->plant);
}

static void expect(struct fixture *f, const char *output, double expected)
{
    int i = sim_name_index(sim_plant_outputs(f->config.kind), output);
    assert_true(i >= 0);
    double value = f->plant.out[i];
    if (!(fabs(value - expected) <= 1e-9 * fmax(1.0, fabs(expected))))
        fail_msg("%s is %.17g, not %.17g", output, value, expected);
}

static void a_small_tank_is_heated_filled_and_drained(void **state)
{
    (void)state;
    struct fixture f;
    struct sim_tank_config tank = default_tank;
    tank.area = 0.01;
    tank.power = 500.0;
    tank.level0 = 0.8;
    open_tank(&f, &tank);
    set(&f, "heater", 1.0);
    run(&f, 10000);
    set(&f, "inlet", 0.5);
    set(&f, "pump", 1.0);
    set(&f, "outlet", 0.3);
    run(&f, 20000);
    set(&f, "heater", 0.25);
    set(&f, "inlet", 0.0);
    run(&f, 15000);
    expect(&f, "temp", 16.561874334232307);
    expect(&f, "level", 0.9277959983636017);
    expect(&f, "flow_in", 0.0);
    expect(&f, "flow_out", 0.3467662836536432);
    expect(&f, "pressure", 1.1040167874394693);
    expect(&f, "level_low", 0.0);
    expect(&f, "level_high", 0.0);
    expect(&f, "heater_power", 125.0);
    expect(&f, "energy", 16875.0);
    base_arena_fini(&f.arena);
}

/* 6 kW into 250 kg of water: 5.7 mK a second. */
static void the_default_tank_heats_slowly(void **state)
{
    (void)state;
    struct fixture f;
    open_tank(&f, &default_tank);
    set(&f, "heater", 1.0);
    run(&f, 10000);
    expect(&f, "temp", 20.04594356340431);
    expect(&f, "energy", 60000.0);
    base_arena_fini(&f.arena);
}

static void a_tank_overflows_at_its_height(void **state)
{
    (void)state;
    struct fixture f;
    open_tank(&f, &default_tank);
    set(&f, "inlet", 1.0);
    set(&f, "pump", 1.0);
    run(&f, 2000000);
    expect(&f, "level", 2.0);
    expect(&f, "level_high", 1.0);
    expect(&f, "flow_in", 1.5);
    expect(&f, "temp", 15.146085970537701);
    base_arena_fini(&f.arena);
}

static void the_heater_is_cut_at_95_degrees_until_90(void **state)
{
    (void)state;
    struct sim_tank_config tank = default_tank;
    tank.area = 0.01;
    tank.power = 50000.0;
    tank.level0 = 0.1;
    tank.temp0 = 90.0;
    tank.loss = 500.0;
    static const struct {
        int ms;
        double temp, over, energy;
    } at[] = {{3000, 94.5566488455788, 0.0, 150000.0},
              {6000, 88.15015080145369, 0.0, 184500.0},
              {20000, 95.5185307384589, 1.0, 734250.0},
              {60000, 95.08417149536463, 1.0, 2171750.0}};
    struct fixture f;
    open_tank(&f, &tank);
    set(&f, "heater", 1.0);
    int done = 0;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        run(&f, at[i].ms - done);
        done = at[i].ms;
        expect(&f, "temp", at[i].temp);
        expect(&f, "over_temp", at[i].over);
        expect(&f, "energy", at[i].energy);
    }
    base_arena_fini(&f.arena);
}

static void inputs_are_clamped_and_nan_is_ignored(void **state)
{
    (void)state;
    struct fixture f;
    open_tank(&f, &default_tank);
    set(&f, "heater", 7.0);
    run(&f, 1);
    expect(&f, "heater_power", 6000.0);
    set(&f, "heater", NAN);
    run(&f, 1);
    expect(&f, "heater_power", 6000.0);
    set(&f, "heater", -3.0);
    run(&f, 1);
    expect(&f, "heater_power", 0.0);
    base_arena_fini(&f.arena);
}

static void an_empty_tank_stays_finite(void **state)
{
    (void)state;
    struct fixture f;
    struct sim_tank_config tank = default_tank;
    tank.area = 0.01;
    tank.level0 = 0.01;
    open_tank(&f, &tank);
    set(&f, "outlet", 1.0);
    set(&f, "heater", 1.0);
    run(&f, 20000);
    expect(&f, "level", 0.0);
    expect(&f, "level_low", 1.0);
    expect(&f, "flow_out", 0.0);
    assert_true(isfinite(f.plant.out[0]));
    base_arena_fini(&f.arena);
}

/* The first step after a command does not see it: inputs count as of the step's start. */
static void a_command_acts_from_the_next_step_on(void **state)
{
    (void)state;
    struct fixture f;
    open_tank(&f, &default_tank);
    sim_plant_set_input(&f.plant, 0, 1.0);
    run(&f, 1);
    expect(&f, "heater_power", 0.0);
    run(&f, 1);
    expect(&f, "heater_power", 6000.0);
    base_arena_fini(&f.arena);
}

static void a_first_order_plant_answers_after_its_dead_time(void **state)
{
    (void)state;
    struct fixture f;
    base_arena_init(&f.arena);
    f.config = (struct sim_plant_config){
        .kind = SIM_PLANT_FIRST_ORDER,
        .first_order = {.gain = 2.0, .u0 = 1.0, .tau_ns = 500000000, .dead_time_ns = 250000000}};
    sim_plant_init(&f.plant, &f.config, &f.arena);
    run(&f, 500);
    expect(&f, "y", 2.0 * (1.0 - exp(-1.0)));
    run(&f, 500);
    set(&f, "u", 3.0);
    run(&f, 1500);
    expect(&f, "y", 5.658184111506225);
    base_arena_fini(&f.arena);
}

static void only_what_a_sensor_measures_has_noise(void **state)
{
    (void)state;
    struct sim_plant_config config = {.kind = SIM_PLANT_TANK_HEATER,
                                      .tank = {.noise_temp = 0.05, .noise_level = 0.002}};
    const char *const *outputs = sim_plant_outputs(config.kind);
    assert_true(sim_plant_noise(&config, sim_name_index(outputs, "temp")) == 0.05);
    assert_true(sim_plant_noise(&config, sim_name_index(outputs, "level")) == 0.002);
    assert_true(sim_plant_noise(&config, sim_name_index(outputs, "energy")) == 0.0);
    config.kind = SIM_PLANT_FIRST_ORDER;
    assert_true(sim_plant_noise(&config, 0) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_tank_is_heated_filled_and_drained),
        cmocka_unit_test(the_default_tank_heats_slowly),
        cmocka_unit_test(a_tank_overflows_at_its_height),
        cmocka_unit_test(the_heater_is_cut_at_95_degrees_until_90),
        cmocka_unit_test(inputs_are_clamped_and_nan_is_ignored),
        cmocka_unit_test(an_empty_tank_stays_finite),
        cmocka_unit_test(a_command_acts_from_the_next_step_on),
        cmocka_unit_test(a_first_order_plant_answers_after_its_dead_time),
        cmocka_unit_test(only_what_a_sensor_measures_has_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
