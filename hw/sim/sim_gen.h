/* hw/sim/sim_gen.h - signal generators: a value for every time, each computed alone.
 *
 * A generator is a small tree, read from the configuration (sim_config.h) and completed once by
 * sim_gen_prepare(); from then on it is immutable and any thread may evaluate it. Times are seconds
 * of device time, phases are turns. The tree lives in the arena that it was read into.
 */
#ifndef HW_SIM_SIM_GEN_H
#define HW_SIM_SIM_GEN_H

#include "config/reader.h"

enum sim_gen_kind {
    SIM_GEN_NONE, /* zeroed memory is no generator */
    SIM_GEN_CONSTANT,
    SIM_GEN_SINE,
    SIM_GEN_SQUARE,
    SIM_GEN_TRIANGLE,
    SIM_GEN_SAWTOOTH,
    SIM_GEN_RAMP,
    SIM_GEN_STEP,
    SIM_GEN_NOISE,
    SIM_GEN_COUNTER,
    SIM_GEN_CSV,
    SIM_GEN_SUM,
    SIM_GEN_PRODUCT,
};

enum sim_noise { SIM_NOISE_GAUSS, SIM_NOISE_UNIFORM };

struct sim_point {
    double t_s, v;
};

struct sim_points {
    const struct sim_point *v; /* times strictly increasing */
    uint32_t n;
};

struct sim_gen;

struct sim_gens {
    struct sim_gen *v;
    uint32_t n;
};

struct sim_gen {
    const char *type;
    enum sim_gen_kind kind;
    double offset;
    int64_t delay_ns;
    double value;                             /* constant */
    double amplitude, frequency, phase, duty; /* periodic ones; amplitude: noise too */
    double rate, min, max;                    /* ramp */
    double modulo;                            /* counter; 0: counts on */
    bool has_min, has_max, has_seed;
    bool falling; /* sawtooth */
    bool loop;    /* csv */
    enum sim_noise noise;
    int64_t seed;             /* noise */
    const char *file;         /* csv */
    struct sim_points points; /* step; csv, filled by sim_gen_prepare() */
    struct sim_gens of;       /* sum, product */
};

/* What a value depends on besides the generator. */
struct sim_moment {
    double t_s;         /* device time */
    uint64_t sample;    /* round(t * sample_rate): numbers the draws of noise */
    uint64_t chan_hash; /* sim_hash64() of the channel's name */
    uint64_t seed;      /* the device's, for noise without one of its own */
    bool quiet;         /* noise gives its offset only */
};

/* Loads csv files, relative ones below `dir`, into the arena. False after config_error() at `at`.
 */
bool sim_gen_prepare(struct sim_gen *gen, struct base_arena *arena, const char *dir,
                     struct config_at at);

double sim_gen_value(const struct sim_gen *gen, const struct sim_moment *at);

#endif
