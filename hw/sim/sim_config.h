/* hw/sim/sim_config.h - what a configuration may say about a simulated device, its tasks and their
 * channels: the structs, and the tables that fill them.
 */
#ifndef HW_SIM_SIM_CONFIG_H
#define HW_SIM_SIM_CONFIG_H

#include "hw/sim/sim_fault.h"
#include "hw/sim/sim_gen.h"
#include "hw/sim/sim_plant.h"

struct sim_signal {
    const char *name;
    struct sim_gen gen;
};

struct sim_signals {
    struct sim_signal *v;
    uint32_t n;
};

struct sim_device_config {
    int64_t seed;
    int clock; /* 1: virtual, time stands still until hw_sim_advance() */
    bool noise;
    struct sim_signals signals;
    struct sim_plant_config plant;
    struct config_objects faults; /* of struct sim_fault */
};

struct sim_read_config {
    double drift_ppm;
    int64_t latency_ns;
};

struct sim_write_config {
    int64_t ack_delay_ns;
};

/* An analog-to-digital converter: 2^bits codes from min to max. */
struct sim_quantize {
    int64_t bits;
    double min, max;
};

struct sim_range {
    bool given;
    double min, max;
};

/* One channel of a sim_read task; an inline generator is its first member, so that the tables of
 * generators fit channels too. */
struct sim_read_channel {
    struct sim_gen gen;
    const char *signal, *var, *input;
    bool has_quantize;
    struct sim_quantize quantize;
    struct sim_range range;
};

struct sim_write_channel {
    const char *input;
};

extern const struct config_table sim_device_table;
extern const struct config_table sim_read_table, sim_write_table;
extern const struct config_variants sim_read_variants;  /* channels */
extern const struct config_variants sim_write_variants; /* channels */

/* What a sim_read channel's type is, beside a generator. */
enum sim_source { SIM_SOURCE_GEN, SIM_SOURCE_SIGNAL, SIM_SOURCE_PLANT, SIM_SOURCE_LATCH };

/* The tags of the two channel variants are set so that the type alone tells. */
enum sim_source sim_source_of(const char *type);
enum sim_gen_kind sim_gen_kind_of(const char *type); /* SIM_GEN_NONE: not a generator */

#endif
