/* Tables of the simulated device. Each kind of generator has one list of fields for two uses: a
 * signal of the device, and a channel that names its generator inline and has `quantize` and
 * `range` besides. Those two stand first in the list, and a signal leaves them out. */
#include "hw/sim/sim_config.h"

#include <string.h>

/* ---- Readers for what tables cannot say */

static bool read_point(struct config_at at, struct base_arena *arena, struct sim_point *point)
{
    static const struct config_field pair = {
        "point", CONFIG_NUMS, .size = sizeof(struct config_nums), .min_len = 2, .max_len = 2};
    struct config_nums nums = {0};
    if (!config_read_value(at, arena, &pair, &nums))
        return false;
    *point = (struct sim_point){nums.v[0], nums.v[1]};
    return true;
}

static bool read_points(struct config_at at, struct base_arena *arena,
                        const struct config_field *field, void *out)
{
    (void)field;
    if (config_type(at) != CONFIG_JSON_ARRAY)
        return config_error(at, "must be an array");
    uint32_t n = config_count(at);
    if (n == 0)
        return config_error(at, "must not be empty");
    struct sim_point *points = base_arena_array(arena, struct sim_point, n);
    bool ok = true;
    for (uint32_t i = 0; i < n; i++) {
        struct config_at element = config_element(at, i);
        bool good = read_point(element, arena, &points[i]);
        if (ok && good && i > 0 && points[i].t_s <= points[i - 1].t_s)
            good = config_error(element, "must be later than the one before");
        ok &= good;
    }
    *(struct sim_points *)out = (struct sim_points){points, n};
    return ok;
}

static const struct config_field range_fields[] = {
    {"min", CONFIG_NUM, CONFIG_IN(struct sim_range, min), .required = true, .doc = "Lowest value."},
    {"max", CONFIG_NUM, CONFIG_IN(struct sim_range, max), .required = true,
     .doc = "Highest value."},
};
static const struct config_table range_table =
    CONFIG_TABLE("Range", struct sim_range, range_fields);

/* [min, max], or an object with these two. */
static bool read_range(struct config_at at, struct base_arena *arena,
                       const struct config_field *field, void *out)
{
    (void)field;
    struct sim_range *range = out;
    struct sim_point pair = {0};
    bool is_object = config_type(at) == CONFIG_JSON_OBJECT;
    if (!(is_object ? config_read(at, arena, &range_table, range) : read_point(at, arena, &pair)))
        return false;
    if (!is_object)
        *range = (struct sim_range){.min = pair.t_s, .max = pair.v};
    range->given = true;
    return range->min < range->max || config_error(at, "min must be less than max");
}

static const struct config_variants generator_variants;

static bool read_generator(struct config_at at, struct base_arena *arena, struct sim_gen *gen)
{
    const struct config_variant *variant = config_variant_of(at, &generator_variants);
    if (variant == NULL || !config_read(at, arena, variant->table, gen))
        return false;
    gen->kind = (enum sim_gen_kind)variant->tag;
    return true;
}

static bool read_generators(struct config_at at, struct base_arena *arena,
                            const struct config_field *field, void *out)
{
    (void)field;
    if (config_type(at) != CONFIG_JSON_ARRAY)
        return config_error(at, "must be an array");
    uint32_t n = config_count(at);
    if (n == 0)
        return config_error(at, "must not be empty");
    struct sim_gens *gens = out;
    *gens = (struct sim_gens){base_arena_array(arena, struct sim_gen, n), n};
    bool ok = true;
    for (uint32_t i = 0; i < n; i++)
        ok &= read_generator(config_element(at, i), arena, &gens->v[i]);
    return ok;
}

static bool read_signals(struct config_at at, struct base_arena *arena,
                         const struct config_field *field, void *out)
{
    (void)field;
    if (config_type(at) != CONFIG_JSON_OBJECT)
        return config_error(at, "must be an object");
    struct sim_signals *signals = out;
    signals->v = base_arena_array(arena, struct sim_signal, config_count(at));
    bool ok = true;
    void *iter = NULL;
    const char *name = NULL;
    struct config_at member;
    while (config_next_member(at, &iter, &name, &member)) {
        struct sim_signal *signal = &signals->v[signals->n++];
        signal->name = base_arena_strdup(arena, name);
        ok &= read_generator(member, arena, &signal->gen);
    }
    return ok;
}

/* ---- Generators and read channels */

static const struct config_choice noise_choices[] = {
    {"gauss", SIM_NOISE_GAUSS}, {"uniform", SIM_NOISE_UNIFORM}, {0}};

static const struct config_field quantize_fields[] = {
    {"bits", CONFIG_INT, CONFIG_IN(struct sim_quantize, bits), .required = true,
     .limits = CONFIG_FROM_TO(1, 32), .doc = "Resolution of the converter."},
    {"min", CONFIG_NUM, CONFIG_IN(struct sim_quantize, min), .required = true,
     .doc = "Value of the lowest code."},
    {"max", CONFIG_NUM, CONFIG_IN(struct sim_quantize, max), .required = true,
     .doc = "Value of the highest code."},
};

static bool check_quantize(struct config_at at, void *out)
{
    const struct sim_quantize *q = out;
    return q->min < q->max || config_error(at, "min must be less than max");
}

static const struct config_table quantize_table =
    CONFIG_TABLE("Converter", struct sim_quantize, quantize_fields, .check = check_quantize);

/* clang-format off */
#define CHANNEL_FIELDS                                                                             \
    {"quantize", CONFIG_OBJECT, CONFIG_IN(struct sim_read_channel, quantize),                      \
     .given = CONFIG_GIVEN(struct sim_read_channel, has_quantize), .table = &quantize_table,       \
     .otherwise = "none", .doc = "Rounds values as a converter does."},                            \
    {"range", CONFIG_CUSTOM, CONFIG_IN(struct sim_read_channel, range), .read = read_range,        \
     .shape = "[min, max]", .otherwise = "none", .doc = "Values saturate at these limits."}

enum { N_CHANNEL_FIELDS = 2 };

#define GEN(member) CONFIG_IN(struct sim_gen, member)
#define GENERATOR_FIELDS                                                                           \
    CHANNEL_FIELDS,                                                                                \
    {"type", CONFIG_STR, GEN(type), .required = true, .doc = "Kind of the signal."},               \
    {"offset", CONFIG_NUM, GEN(offset), .fallback = "0",                                           \
     .doc = "Added to the value; alone until `delay` is over."},                                   \
    {"delay", CONFIG_DURATION, GEN(delay_ns), .fallback = "0s", .limits = CONFIG_FROM(0),          \
     .doc = "Device time at which the signal starts."}

#define PERIODIC_FIELDS                                                                            \
    GENERATOR_FIELDS,                                                                              \
    {"amplitude", CONFIG_NUM, GEN(amplitude), .fallback = "1", .doc = "Height above the offset."}, \
    {"frequency", CONFIG_NUM, GEN(frequency), .fallback = "1", .unit = "Hz",                       \
     .limits = CONFIG_FROM(0), .doc = "Periods a second."},                                        \
    {"phase", CONFIG_NUM, GEN(phase), .fallback = "0", .unit = "turns",                            \
     .doc = "Where in its period the signal starts."}
/* clang-format on */

static const struct config_field constant_fields[] = {
    GENERATOR_FIELDS,
    {"value", CONFIG_NUM, GEN(value), .fallback = "0", .doc = "The value."},
};
static const struct config_field periodic_fields[] = {PERIODIC_FIELDS};
static const struct config_field square_fields[] = {
    PERIODIC_FIELDS,
    {"duty", CONFIG_NUM, GEN(duty), .fallback = "0.5", .limits = CONFIG_FROM_TO(0, 1),
     .doc = "Share of the period that is high."},
};
static const struct config_field sawtooth_fields[] = {
    PERIODIC_FIELDS,
    {"falling", CONFIG_BOOL, GEN(falling), .fallback = "false", .doc = "Falls instead of rising."},
};
static const struct config_field ramp_fields[] = {
    GENERATOR_FIELDS,
    {"rate", CONFIG_NUM, GEN(rate), .required = true, .unit = "1/s", .doc = "Slope."},
    {"min", CONFIG_NUM, GEN(min), .given = CONFIG_GIVEN(struct sim_gen, has_min),
     .otherwise = "none", .doc = "The ramp does not go below."},
    {"max", CONFIG_NUM, GEN(max), .given = CONFIG_GIVEN(struct sim_gen, has_max),
     .otherwise = "none", .doc = "The ramp does not go above."},
};
static const struct config_field step_fields[] = {
    GENERATOR_FIELDS,
    {"steps", CONFIG_CUSTOM, GEN(points), .required = true, .read = read_points,
     .shape = "arr of [t, v]",
     .doc = "From time t (seconds) on, the value is v; 0 before the first."},
};
static const struct config_field noise_fields[] = {
    GENERATOR_FIELDS,
    {"kind", CONFIG_ENUM, GEN(noise), .fallback = "gauss", .choices = noise_choices,
     .doc = "Distribution."},
    {"amplitude", CONFIG_NUM, GEN(amplitude), .fallback = "1", .limits = CONFIG_FROM(0),
     .doc = "Standard deviation of gauss, half width of uniform."},
    {"seed", CONFIG_INT, GEN(seed), .given = CONFIG_GIVEN(struct sim_gen, has_seed),
     .otherwise = "the device's seed", .limits = CONFIG_FROM(0),
     .doc = "Same seed and same channel name: same noise."},
};
static const struct config_field counter_fields[] = {
    GENERATOR_FIELDS,
    {"frequency", CONFIG_NUM, GEN(frequency), .fallback = "1", .unit = "Hz",
     .limits = CONFIG_FROM(0), .doc = "Counts a second."},
    {"modulo", CONFIG_NUM, GEN(modulo), .otherwise = "counts on", .limits = CONFIG_ABOVE(0),
     .doc = "Starts again at 0 when it reaches this."},
};
static const struct config_field csv_fields[] = {
    GENERATOR_FIELDS,
    {"file", CONFIG_STR, GEN(file), .required = true, .min_len = 1,
     .doc = "Lines of `t,v` (seconds, value), in order of time; each value holds until the next. "
            "Relative to the configuration folder."},
    {"loop", CONFIG_BOOL, GEN(loop), .fallback = "false",
     .doc = "Starts again at time 0 when the last time is reached."},
};
static const struct config_field of_fields[] = {
    GENERATOR_FIELDS,
    {"of", CONFIG_CUSTOM, GEN(of), .required = true, .read = read_generators,
     .shape = "arr of generators", .doc = "What is combined."},
};

/* clang-format off */
#define GENERATORS(X)                                                                              \
    X("constant", constant_fields, SIM_GEN_CONSTANT)                                               \
    X("sine", periodic_fields, SIM_GEN_SINE)                                                       \
    X("square", square_fields, SIM_GEN_SQUARE)                                                     \
    X("triangle", periodic_fields, SIM_GEN_TRIANGLE)                                               \
    X("sawtooth", sawtooth_fields, SIM_GEN_SAWTOOTH)                                               \
    X("ramp", ramp_fields, SIM_GEN_RAMP)                                                           \
    X("step", step_fields, SIM_GEN_STEP)                                                           \
    X("noise", noise_fields, SIM_GEN_NOISE)                                                        \
    X("counter", counter_fields, SIM_GEN_COUNTER)                                                  \
    X("csv", csv_fields, SIM_GEN_CSV)                                                              \
    X("sum", of_fields, SIM_GEN_SUM)                                                               \
    X("product", of_fields, SIM_GEN_PRODUCT)
/* clang-format on */

#define GENERATOR_VARIANT(name, array, tag)                                                        \
    {(name),                                                                                       \
     &(const struct config_table){.title = (name),                                                 \
                                  .size = sizeof(struct sim_gen),                                  \
                                  .fields = (array) + N_CHANNEL_FIELDS,                            \
                                  .n = ARCD_COUNT_OF(array) - N_CHANNEL_FIELDS},                   \
     tag},

static const struct config_variant generators[] = {GENERATORS(GENERATOR_VARIANT)};

static const struct config_variants generator_variants = {
    .title = "Signals",
    .noun = "signal type",
    .variants = generators,
    .n = ARCD_COUNT_OF(generators),
};

#define READ_IN(member) CONFIG_IN(struct sim_read_channel, member)

static const struct config_field signal_fields[] = {
    CHANNEL_FIELDS,
    {"signal", CONFIG_STR, READ_IN(signal), .required = true, .min_len = 1,
     .doc = "A signal of the device."},
};
static const struct config_field plant_fields[] = {
    CHANNEL_FIELDS,
    {"var", CONFIG_STR, READ_IN(var), .required = true, .min_len = 1,
     .doc = "An output or an input of the device's plant."},
};
static const struct config_field latch_fields[] = {
    CHANNEL_FIELDS,
    {"input", CONFIG_STR, READ_IN(input), .required = true, .min_len = 1,
     .doc = "A latch that a sim_write task sets; 0 until then."},
};

#define CHANNEL_VARIANT(name, array, tag)                                                          \
    {name, &(const struct config_table)CONFIG_TABLE(name, struct sim_read_channel, array), tag},

static const struct config_variant read_channels[] = {
    CHANNEL_VARIANT("signal", signal_fields, 0) CHANNEL_VARIANT("plant", plant_fields, 0)
        CHANNEL_VARIANT("latch", latch_fields, 0) GENERATORS(CHANNEL_VARIANT)};

const struct config_variants sim_read_variants = {
    .title = "Channels of sim_read",
    .noun = "channel type",
    .variants = read_channels,
    .n = ARCD_COUNT_OF(read_channels),
};

enum sim_gen_kind sim_gen_kind_of(const char *type)
{
    for (size_t i = 0; i < ARCD_COUNT_OF(generators); i++)
        if (strcmp(generators[i].type, type) == 0)
            return (enum sim_gen_kind)generators[i].tag;
    return SIM_GEN_NONE;
}

enum sim_source sim_source_of(const char *type)
{
    if (strcmp(type, "signal") == 0)
        return SIM_SOURCE_SIGNAL;
    if (strcmp(type, "plant") == 0)
        return SIM_SOURCE_PLANT;
    return strcmp(type, "latch") == 0 ? SIM_SOURCE_LATCH : SIM_SOURCE_GEN;
}

/* ---- Write channels */

static const struct config_field plant_in_fields[] = {
    {"input", CONFIG_STR, CONFIG_IN(struct sim_write_channel, input), .required = true,
     .min_len = 1, .doc = "An input of the device's plant."},
};
static const struct config_field latch_in_fields[] = {
    {"input", CONFIG_STR, CONFIG_IN(struct sim_write_channel, input), .required = true,
     .min_len = 1, .doc = "Name of the latch: it keeps the value, and does nothing else."},
};
static const struct config_table plant_in_table =
    CONFIG_TABLE("plant_in", struct sim_write_channel, plant_in_fields);
static const struct config_table latch_in_table =
    CONFIG_TABLE("latch", struct sim_write_channel, latch_in_fields);
static const struct config_variant write_channels[] = {
    {"plant_in", &plant_in_table, 0},
    {"latch", &latch_in_table, 0},
};

const struct config_variants sim_write_variants = {
    .title = "Channels of sim_write",
    .noun = "channel type",
    .variants = write_channels,
    .n = ARCD_COUNT_OF(write_channels),
};

/* ---- Tasks */

static const struct config_field read_fields[] = {
    {"drift_ppm", CONFIG_NUM, CONFIG_IN(struct sim_read_config, drift_ppm), .fallback = "0",
     .limits = CONFIG_FROM_TO(-100000, 100000), .unit = "ppm",
     .doc = "How much faster than asked the device's sample clock runs (hardware timing)."},
    {"latency", CONFIG_DURATION, CONFIG_IN(struct sim_read_config, latency_ns), .fallback = "0s",
     .limits = CONFIG_FROM_TO(0, 60), .doc = "Every read returns this much later."},
};
const struct config_table sim_read_table =
    CONFIG_TABLE("sim_read", struct sim_read_config, read_fields);

static const struct config_field write_fields[] = {
    {"ack_delay", CONFIG_DURATION, CONFIG_IN(struct sim_write_config, ack_delay_ns),
     .fallback = "0s", .limits = CONFIG_FROM_TO(0, 60),
     .doc = "The device confirms a write this much later."},
};
const struct config_table sim_write_table =
    CONFIG_TABLE("sim_write", struct sim_write_config, write_fields);

/* ---- Plants */

#define PLANT(member) CONFIG_IN(struct sim_plant_config, member)
/* clang-format off */
#define PLANT_TYPE {"type", CONFIG_STR, PLANT(type), .required = true, .doc = "Kind of the plant."}
/* clang-format on */

static const struct config_field tank_fields[] = {
    PLANT_TYPE,
    {"area", CONFIG_NUM, PLANT(tank.area), .fallback = "0.5", .limits = CONFIG_ABOVE(0),
     .unit = "m2", .doc = "Floor of the tank."},
    {"height", CONFIG_NUM, PLANT(tank.height), .fallback = "2", .limits = CONFIG_ABOVE(0),
     .unit = "m", .doc = "The level stops here."},
    {"level0", CONFIG_NUM, PLANT(tank.level0), .fallback = "0.5", .limits = CONFIG_FROM(0),
     .unit = "m", .doc = "First level."},
    {"q_in_max", CONFIG_NUM, PLANT(tank.q_in_max), .fallback = "1.5", .limits = CONFIG_FROM(0),
     .unit = "L/s", .doc = "Flow through the open inlet with the pump on; a fifth with it off."},
    {"k_out", CONFIG_NUM, PLANT(tank.k_out), .fallback = "1.2", .limits = CONFIG_FROM(0),
     .unit = "L/s/sqrt(m)", .doc = "Flow through the open outlet at a level of 1 m."},
    {"power", CONFIG_NUM, PLANT(tank.power), .fallback = "6000", .limits = CONFIG_FROM(0),
     .unit = "W", .doc = "Heater at 1."},
    {"loss", CONFIG_NUM, PLANT(tank.loss), .fallback = "20", .limits = CONFIG_ABOVE(0),
     .unit = "W/K", .doc = "Heat lost to the surroundings."},
    {"t_ambient", CONFIG_NUM, PLANT(tank.t_ambient), .fallback = "20", .limits = CONFIG_FROM(0),
     .unit = "degC", .doc = "Temperature of the surroundings."},
    {"t_inlet", CONFIG_NUM, PLANT(tank.t_inlet), .fallback = "15", .limits = CONFIG_FROM(0),
     .unit = "degC", .doc = "Temperature of the water that flows in."},
    {"temp0", CONFIG_NUM, PLANT(tank.temp0), .fallback = "20", .limits = CONFIG_FROM(0),
     .unit = "degC", .doc = "First temperature."},
    {"lag", CONFIG_DURATION, PLANT(tank.lag_ns), .fallback = "2s", .limits = CONFIG_FROM(0),
     .doc = "Time constant of the temperature sensor."},
    {"noise_temp", CONFIG_NUM, PLANT(tank.noise_temp), .fallback = "0.05", .limits = CONFIG_FROM(0),
     .unit = "K", .doc = "Standard deviation of `temp` as read."},
    {"noise_level", CONFIG_NUM, PLANT(tank.noise_level), .fallback = "0.002",
     .limits = CONFIG_FROM(0), .unit = "m", .doc = "Standard deviation of `level` as read."},
};
static const struct config_field first_order_fields[] = {
    PLANT_TYPE,
    {"gain", CONFIG_NUM, PLANT(first_order.gain), .fallback = "1", .doc = "y at rest, by u."},
    {"tau", CONFIG_DURATION, PLANT(first_order.tau_ns), .fallback = "1s", .limits = CONFIG_FROM(0),
     .doc = "Time constant."},
    {"dead_time", CONFIG_DURATION, PLANT(first_order.dead_time_ns), .fallback = "0s",
     .limits = CONFIG_FROM_TO(0, 600), .doc = "u acts this much later."},
    {"u0", CONFIG_NUM, PLANT(first_order.u0), .fallback = "0",
     .doc = "u until the first command; y starts at 0."},
};
static const struct config_table tank_table =
    CONFIG_TABLE("tank_heater", struct sim_plant_config, tank_fields);
static const struct config_table first_order_table =
    CONFIG_TABLE("first_order", struct sim_plant_config, first_order_fields);
static const struct config_variant plants[] = {
    {"tank_heater", &tank_table, SIM_PLANT_TANK_HEATER},
    {"first_order", &first_order_table, SIM_PLANT_FIRST_ORDER},
};
static const struct config_variants plant_variants = {
    .title = "Plants", .noun = "plant type", .variants = plants, .n = ARCD_COUNT_OF(plants)};

static bool read_plant(struct config_at at, struct base_arena *arena,
                       const struct config_field *field, void *out)
{
    (void)field;
    const struct config_variant *variant = config_variant_of(at, &plant_variants);
    if (variant == NULL || !config_read(at, arena, variant->table, out))
        return false;
    ((struct sim_plant_config *)out)->kind = (enum sim_plant_kind)variant->tag;
    return true;
}

/* ---- Faults */

static const struct config_choice fault_choices[] = {
    {"dropout", SIM_FAULT_DROPOUT},
    {"stall", SIM_FAULT_STALL},
    {"error", SIM_FAULT_ERROR},
    {"disconnect", SIM_FAULT_DISCONNECT},
    {"stuck", SIM_FAULT_STUCK},
    {"nan", SIM_FAULT_NAN},
    {"spike", SIM_FAULT_SPIKE},
    {"bias", SIM_FAULT_BIAS},
    {"overrun", SIM_FAULT_OVERRUN},
    {"clock_step", SIM_FAULT_CLOCK_STEP},
    {"drift", SIM_FAULT_DRIFT},
    {"late", SIM_FAULT_LATE},
    {"write_reject", SIM_FAULT_WRITE_REJECT},
    {"write_ignore", SIM_FAULT_WRITE_IGNORE},
    {0},
};
static const struct config_choice class_choices[] = {
    {"T", HW_TEMPORARY}, {"C", HW_CRITICAL}, {"R", HW_RESTART}, {0}};

#define FAULT(member) CONFIG_IN(struct sim_fault, member)
#define FAULT_GIVEN(member) .given = CONFIG_GIVEN(struct sim_fault, member)

static const struct config_field fault_fields[] = {
    {"kind", CONFIG_ENUM, FAULT(kind), .required = true, .choices = fault_choices,
     .doc = "What goes wrong."},
    {"at", CONFIG_DURATION, FAULT(at_ns), .required = true, .limits = CONFIG_FROM(0),
     .doc = "Device time at which it starts."},
    {"for", CONFIG_DURATION, FAULT(for_ns), .otherwise = "to the end", .limits = CONFIG_ABOVE(0),
     .doc = "How long it lasts."},
    {"every", CONFIG_DURATION, FAULT(every_ns), .otherwise = "once", .limits = CONFIG_ABOVE(0),
     .doc = "Comes again, counted from start to start."},
    {"channels", CONFIG_STRS, FAULT(channels), .otherwise = "all",
     .doc = "Channels that it concerns (stuck, nan, spike, bias, write_reject, write_ignore)."},
    {"class", CONFIG_ENUM, FAULT(cls), .fallback = "T", .choices = class_choices,
     .doc = "error, write_reject: temporary, critical or restart."},
    {"code", CONFIG_INT, FAULT(code), .fallback = "0", .doc = "error, write_reject: its number."},
    {"text", CONFIG_STR, FAULT(text), .fallback = "simulated error",
     .doc = "error, write_reject: its words."},
    {"value", CONFIG_NUM, FAULT(value), FAULT_GIVEN(has_value), .otherwise = "none",
     .doc = "bias: is added; spike: replaces the value; clock_step: seconds."},
    {"probability", CONFIG_NUM, FAULT(probability), .fallback = "0.01",
     .limits = CONFIG_FROM_TO(0, 1), .doc = "spike: share of the samples."},
    {"count", CONFIG_INT, FAULT(count), FAULT_GIVEN(has_count), .otherwise = "none",
     .limits = CONFIG_FROM_TO(0, 1e15),
     .doc = "overrun: samples that the hardware counter runs ahead."},
    {"ppm", CONFIG_NUM, FAULT(ppm), FAULT_GIVEN(has_ppm), .otherwise = "none",
     .limits = CONFIG_FROM_TO(-100000, 100000), .doc = "drift: of the hardware clock."},
    {"mean", CONFIG_DURATION, FAULT(mean_ns), FAULT_GIVEN(has_mean), .otherwise = "none",
     .limits = CONFIG_FROM_TO(0, 60), .doc = "late: mean delay of a batch."},
    {"jitter", CONFIG_DURATION, FAULT(jitter_ns), .fallback = "0s", .limits = CONFIG_FROM_TO(0, 60),
     .doc = "late: half width of the delay's uniform spread."},
};

static bool check_fault(struct config_at at, void *out)
{
    const struct sim_fault *fault = out;
    static const struct {
        enum sim_fault_kind kind;
        size_t given;
        const char *field;
    } needs[] = {
        {SIM_FAULT_SPIKE, offsetof(struct sim_fault, has_value), "value"},
        {SIM_FAULT_BIAS, offsetof(struct sim_fault, has_value), "value"},
        {SIM_FAULT_CLOCK_STEP, offsetof(struct sim_fault, has_value), "value"},
        {SIM_FAULT_OVERRUN, offsetof(struct sim_fault, has_count), "count"},
        {SIM_FAULT_DRIFT, offsetof(struct sim_fault, has_ppm), "ppm"},
        {SIM_FAULT_LATE, offsetof(struct sim_fault, has_mean), "mean"},
    };
    for (size_t i = 0; i < ARCD_COUNT_OF(needs); i++)
        if (needs[i].kind == fault->kind && !((const bool *)out)[needs[i].given])
            return config_error(config_member(at, needs[i].field), "is required");
    if (fault->every_ns > 0 && (fault->for_ns == 0 || fault->for_ns > fault->every_ns))
        return config_error(config_member(at, "every"), "must not be shorter than `for`");
    return true;
}

static const struct config_table fault_table =
    CONFIG_TABLE("Faults", struct sim_fault, fault_fields, .check = check_fault);

/* ---- Device */

static const struct config_choice clock_choices[] = {{"task", 0}, {"virtual", 1}, {0}};

#define DEVICE(member) CONFIG_IN(struct sim_device_config, member)

static const struct config_field device_fields[] = {
    {"seed", CONFIG_INT, DEVICE(seed), .fallback = "1", .limits = CONFIG_FROM(0),
     .doc = "Of all noise: same seed and same commands at the same times, same samples."},
    {"clock", CONFIG_ENUM, DEVICE(clock), .fallback = "task", .choices = clock_choices,
     .doc = "`virtual`: time moves only as a test harness moves it."},
    {"noise", CONFIG_BOOL, DEVICE(noise), .fallback = "true",
     .doc = "false: sensors and noise signals are quiet."},
    {"signals", CONFIG_CUSTOM, DEVICE(signals), .read = read_signals, .shape = "obj of generators",
     .variants = &generator_variants, .otherwise = "none",
     .doc = "Named signals for channels of type `signal`."},
    {"plant", CONFIG_CUSTOM, DEVICE(plant), .read = read_plant, .shape = "obj",
     .variants = &plant_variants, .otherwise = "none", .doc = "A process with inputs and outputs."},
    {"faults", CONFIG_OBJECTS, DEVICE(faults), .table = &fault_table, .max_len = SIM_FAULTS_MAX,
     .otherwise = "none", .doc = "What goes wrong, and when."},
};
const struct config_table sim_device_table =
    CONFIG_TABLE("sim", struct sim_device_config, device_fields);
