/* Tasks on the simulated device, with threads and the machine's clock: the closed loop and what its
 * faults do to it. */
#include "hw/sim/sim.h"
#include "tasks/status_text.h"
#include "tasks/task.h"
#include "tests/hw/bench.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 4 };

struct sim {
    struct bench bench;
    struct hw_device *device;
    struct telem_chans *chans;
    struct telem_bus *bus;
    struct tasks_env env;
};

/* A task from its JSON, as the Driver makes it. */
struct parts {
    struct config_task task;
    struct config_rates rates;
    struct config_write write;
    struct config_read_channel reads[CHANNELS];
    struct config_write_channel writes[CHANNELS];
    struct hw_channel_config channels[CHANNELS];
    struct hw_task_config hw;
};

static void declare(struct sim *sim, const char *name, enum telem_type type, const char *index)
{
    struct telem_chan_decl decl = {.name = name,
                                   .type = type,
                                   .index = index != NULL ? telem_chans_find(sim->chans, index)
                                                          : TELEM_NO_KEY,
                                   .is_index = type == TELEM_TIMESTAMP,
                                   .is_virtual = index == NULL,
                                   .min = -INFINITY,
                                   .max = INFINITY,
                                   .unit = "",
                                   .desc = ""};
    struct telem_key key;
    assert_int_equal(telem_chans_add(sim->chans, &decl, &key, NULL), ARCD_OK);
}

static struct sim *sim_open(const char *device)
{
    struct sim *sim = calloc(1, sizeof *sim);
    assert_non_null(sim);
    bench_init_system_clock(&sim->bench, &hw_sim_driver);
    sim->device = bench_device(&sim->bench, "tank", device);
    sim->chans = telem_chans_new();
    sim->bus = telem_bus_new(sim->chans);
    sim->env = (struct tasks_env){
        .bus = sim->bus, .clock = base_clock_system(), .skew = tasks_skew_default()};
    declare(sim, "in_time", TELEM_TIMESTAMP, NULL);
    declare(sim, "level", TELEM_F64, "in_time");
    declare(sim, "temp", TELEM_F32, "in_time");
    declare(sim, "out_time", TELEM_TIMESTAMP, NULL);
    declare(sim, "inlet_cmd", TELEM_F32, NULL);
    declare(sim, "inlet_state", TELEM_F32, "out_time");
    return sim;
}

static void sim_close(struct sim *sim)
{
    telem_bus_free(sim->bus);
    telem_chans_free(sim->chans);
    bench_device_close(&sim->bench, sim->device);
    bench_fini(&sim->bench);
    free(sim);
}

static const struct hw_task_type *type_of(const char *name)
{
    for (uint32_t i = 0; i < hw_sim_driver.n_task_types; i++)
        if (strcmp(hw_sim_driver.task_types[i].name, name) == 0)
            return &hw_sim_driver.task_types[i];
    fail_msg("no task type %s", name);
    return NULL;
}

static bool read_parts(struct sim *sim, struct config_at at, const struct hw_task_type *type,
                       struct parts *p)
{
    struct base_arena *arena = &sim->bench.arena;
    bool reads = type->direction == HW_READ;
    p->hw.fields = base_arena_alloc(arena, type->task_table->size, 16);
    struct config_part parts[] = {{.table = reads ? &config_rates_table : &config_write_table,
                                   .out = reads ? (void *)&p->rates : (void *)&p->write},
                                  {.table = type->task_table, .out = p->hw.fields}};
    bool ok = config_task_read(at, arena, (struct config_at){0}, &p->task, parts, 2);
    for (uint32_t i = 0; i < p->task.n_channels; i++) {
        struct config_at element = config_element(config_member(at, "channels"), i);
        const struct config_variant *variant = config_variant_of(element, type->channel_variants);
        if (variant == NULL)
            return false;
        void *fields = base_arena_alloc(arena, variant->table->size, 16);
        struct config_part own[] = {
            {.table = reads ? &config_read_channel_table : &config_write_channel_table,
             .out = reads ? (void *)&p->reads[i] : (void *)&p->writes[i]},
            {.table = variant->table, .out = fields}};
        ok &= config_read_parts(element, arena, own, 2);
        const char *channel = reads ? p->reads[i].channel : p->writes[i].cmd_channel;
        struct telem_key key = telem_chans_find(sim->chans, channel);
        p->channels[i] =
            (struct hw_channel_config){.type = variant->type,
                                       .channel = channel,
                                       .chan_type = telem_chans_decl(sim->chans, key)->type,
                                       .fields = fields,
                                       .at = element};
    }
    return ok;
}

static void fill_hw_config(struct parts *p, struct config_at at, const struct hw_task_type *type)
{
    bool reads = type->direction == HW_READ;
    p->hw.name = p->task.name;
    p->hw.type = type->name;
    p->hw.direction = type->direction;
    p->hw.sample_rate_hz = p->rates.sample_rate_hz;
    p->hw.samples_per_batch = p->rates.n_samples;
    p->hw.timing = !p->rates.has_timing                        ? type->default_timing
                   : p->rates.timing == CONFIG_TIMING_HARDWARE ? HW_HARDWARE
                                                               : HW_SOFTWARE;
    p->hw.timing_given = p->rates.has_timing;
    p->hw.unit = "";
    p->hw.io_timeout_ns = reads ? p->rates.read_timeout_ns : p->write.write_timeout_ns;
    p->hw.at = at;
    p->hw.n_channels = p->task.n_channels;
    p->hw.channels = p->channels;
}

static struct tasks_task *sim_task(struct sim *sim, const char *json)
{
    struct parts *p = calloc(1, sizeof *p);
    assert_non_null(p);
    struct config_doc doc;
    struct tasks_task *task = NULL;
    struct arcd_errinfo why = {0};
    assert_int_equal(config_doc_parse(&doc, sim->bench.errors, "tasks/t.json", json, strlen(json)),
                     ARCD_OK);
    struct config_at at = config_root(&doc);
    const struct hw_task_type *type = type_of(config_text(config_member(at, "type")));
    enum arcd_err err = ARCD_ERR_CONFIG;
    if (read_parts(sim, at, type, p)) {
        fill_hw_config(p, at, type);
        struct tasks_read_config read = {&p->task,       &p->rates,   p->reads,
                                         &hw_sim_driver, sim->device, &p->hw};
        struct tasks_write_config write = {&p->task,       &p->write,   p->writes,
                                           &hw_sim_driver, sim->device, &p->hw};
        err = type->direction == HW_READ ? tasks_read_new(&sim->env, &read, &task, &why)
                                         : tasks_write_new(&sim->env, &write, &task, &why);
    }
    if (err != ARCD_OK) {
        config_errors_print(sim->bench.errors, stderr);
        fail_msg("%s", why.text);
    }
    config_doc_fini(&doc);
    free(p);
    return task;
}

static struct telem_sub *listen(struct sim *sim, const char *name)
{
    struct telem_key key = telem_chans_find(sim->chans, name);
    struct telem_sub_opts opts = {.name = "test", .keys = &key, .n_keys = 1, .queue = 64};
    struct telem_sub *sub = NULL;
    assert_int_equal(telem_sub_open(sim->bus, &opts, &sub, NULL), ARCD_OK);
    return sub;
}

/* The newest sample of a channel in the next batch that has one; fails after 60 s without. */
static double next_sample(struct sim *sim, struct telem_sub *sub, const char *name, int64_t *utc_ns)
{
    struct telem_key key = telem_chans_find(sim->chans, name);
    int64_t limit = base_mono_ns() + 60 * BASE_NS_PER_S;
    for (;;) {
        uint32_t seen = base_doorbell_read(telem_sub_bell(sub));
        const struct telem_batch *batch = telem_sub_next(sub);
        if (batch == NULL && !base_doorbell_wait(telem_sub_bell(sub), seen, limit))
            fail_msg("no sample of %s in 60 s", name);
        for (uint32_t c = 0; batch != NULL && c < batch->group->n_cols; c++) {
            uint32_t n = batch->cols[c].n;
            if (n == 0 || !telem_key_equal(batch->group->cols[c].key, key))
                continue;
            enum telem_type type = batch->group->cols[c].type;
            double value =
                telem_to_f64(type, telem_load(type, telem_batch_col_const(batch, c), n - 1));
            *utc_ns = telem_batch_times_const(batch, c)[n - 1];
            telem_batch_release(batch);
            return value;
        }
        telem_batch_release(batch);
    }
}

static void command(struct telem_pub *pub, double value)
{
    struct telem_batch *batch = telem_pub_borrow(pub);
    assert_non_null(batch);
    assert_true(telem_batch_append(batch, 0, (union telem_value){.f32 = (float)value}, 1));
    telem_pub_publish(pub, batch);
}

static struct telem_pub *commander(struct sim *sim)
{
    struct telem_key key = telem_chans_find(sim->chans, "inlet_cmd");
    struct telem_pub_opts opts = {.name = "automation",
                                  .keys = &key,
                                  .n_keys = 1,
                                  .max_rows = 1,
                                  .gated = true,
                                  .authority = 255};
    struct telem_pub *pub = NULL;
    assert_int_equal(telem_pub_open(sim->bus, &opts, &pub, NULL), ARCD_OK);
    return pub;
}

static void start(struct tasks_task *task)
{
    struct arcd_errinfo why;
    if (tasks_task_start(task, &why) != ARCD_OK)
        fail_msg("%s", why.text);
}

static void stop(struct tasks_task *task)
{
    struct arcd_errinfo why;
    if (tasks_task_stop(task, &why) != ARCD_OK)
        fail_msg("%s", why.text);
}

/* Takes statuses until one contains the text, moving a virtual device clock by advance_ns between
 * looks; fails after 60 s. */
static void await_status(struct sim *sim, struct tasks_task *task, const char *text,
                         int64_t advance_ns)
{
    int64_t limit = base_mono_ns() + 60 * BASE_NS_PER_S;
    char message[512];
    for (struct tasks_status status; base_mono_ns() < limit; sched_yield()) {
        if (advance_ns > 0)
            hw_sim_advance(sim->device, advance_ns);
        if (!tasks_board_next(tasks_task_board(task), &status))
            continue;
        tasks_status_message(tasks_task_board(task), &status, message, sizeof message);
        if (strstr(message, text) != NULL)
            return;
    }
    fail_msg("'%s' was not said in 60 s", text);
}

static const char quiet_tank[] =
    "{\"noise\": false, \"plant\": {\"type\": \"tank_heater\", \"area\": 0.01, \"level0\": 0.5}}";

static const char tank_in[] =
    "{\"name\": \"Tank in\", \"type\": \"sim_read\", \"device\": \"tank\", \"sample_rate\": 200,"
    "\"stream_rate\": 50, \"retry\": {\"base\": \"20ms\"}, \"channels\": ["
    "{\"type\": \"plant\", \"channel\": \"level\", \"var\": \"level\"},"
    "{\"type\": \"plant\", \"channel\": \"temp\", \"var\": \"temp\"}]}";

static const char tank_out[] =
    "{\"name\": \"Tank out\", \"type\": \"sim_write\", \"device\": \"tank\", \"state_rate\": 50,"
    "\"retry\": {\"base\": \"20ms\"}, \"channels\": [{\"type\": \"plant_in\", \"cmd_channel\":"
    "\"inlet_cmd\", \"state_channel\": \"inlet_state\", \"input\": \"inlet\", \"min\": 0, \"max\":"
    "1, \"safe_value\": 0, \"on_stop\": \"safe\"}]}";

static void a_command_moves_the_plant_and_the_stop_shuts_its_valve(void **state)
{
    (void)state;
    struct sim *sim = sim_open(quiet_tank);
    struct tasks_task *in = sim_task(sim, tank_in), *out = sim_task(sim, tank_out);
    struct telem_sub *level = listen(sim, "level"), *inlet = listen(sim, "inlet_state");
    struct telem_pub *pub = commander(sim);
    start(in);
    start(out);
    int64_t stamp, last = 0;
    double before = next_sample(sim, level, "level", &stamp);
    command(pub, 0.5);
    while (next_sample(sim, inlet, "inlet_state", &stamp) != 0.5) {
    }
    /* 0.2 * 0.75 L/s into 0.01 m2: 15 mm/s. */
    for (double now = before; now < before + 0.002;) {
        now = next_sample(sim, level, "level", &stamp);
        assert_true(stamp > last);
        last = stamp;
    }
    stop(out);
    double shut = NAN;
    while (telem_sub_ready(inlet))
        shut = next_sample(sim, inlet, "inlet_state", &stamp);
    assert_true(shut == 0);
    stop(in);
    telem_pub_close(pub);
    tasks_task_free(in);
    tasks_task_free(out);
    telem_sub_close(level);
    telem_sub_close(inlet);
    sim_close(sim);
}

static void a_device_that_goes_and_comes_back_needs_no_operator(void **state)
{
    (void)state;
    struct sim *sim = sim_open("{\"clock\": \"virtual\", \"plant\": {\"type\": \"tank_heater\"},"
                               "\"faults\": [{\"at\": \"200ms\", \"for\": \"300ms\", \"kind\": "
                               "\"disconnect\"}]}");
    struct tasks_task *in = sim_task(sim, tank_in), *out = sim_task(sim, tank_out);
    struct telem_sub *inlet = listen(sim, "inlet_state");
    struct telem_pub *pub = commander(sim);
    start(in);
    start(out);
    hw_sim_advance(sim->device, 250 * BASE_NS_PER_MS);
    await_status(sim, in, "tank is disconnected; retry 1/50", 0);
    command(pub, 1);
    await_status(sim, out, "tank is disconnected; retry 1/50", 0);
    hw_sim_advance(sim->device, 300 * BASE_NS_PER_MS);
    await_status(sim, in, "Task running", BASE_NS_PER_MS);
    await_status(sim, out, "Task running", BASE_NS_PER_MS);
    int64_t stamp;
    while (next_sample(sim, inlet, "inlet_state", &stamp) != 1) {
    }
    stop(in);
    stop(out);
    telem_pub_close(pub);
    tasks_task_free(in);
    tasks_task_free(out);
    telem_sub_close(inlet);
    sim_close(sim);
}

/* The read waits for an hour; a stop does not wait with it. */
static void a_stalled_device_does_not_hold_up_a_stop(void **state)
{
    (void)state;
    struct sim *sim = sim_open("{\"clock\": \"virtual\", \"plant\": {\"type\": \"tank_heater\"},"
                               "\"faults\": [{\"at\": \"200ms\", \"for\": \"1000min\", \"kind\": "
                               "\"stall\"}]}");
    struct tasks_task *in =
        sim_task(sim, "{\"name\": \"Tank in\", \"type\": \"sim_read\", \"device\": \"tank\","
                      "\"sample_rate\": 200, \"read_timeout\": \"60min\", \"channels\": "
                      "[{\"type\": \"plant\", \"channel\": \"level\", \"var\": \"level\"}]}");
    start(in);
    hw_sim_advance(sim->device, 250 * BASE_NS_PER_MS);
    stop(in);
    assert_int_equal(tasks_task_state(in), TASKS_CONFIGURED);
    tasks_task_free(in);
    sim_close(sim);
}

static void a_stall_longer_than_the_time_out_is_a_temporary_error(void **state)
{
    (void)state;
    struct sim *sim = sim_open("{\"clock\": \"virtual\", \"plant\": {\"type\": \"tank_heater\"},"
                               "\"faults\": [{\"at\": \"200ms\", \"for\": \"800ms\", \"kind\": "
                               "\"stall\"}]}");
    struct tasks_task *in = sim_task(
        sim, "{\"name\": \"Tank in\", \"type\": \"sim_read\", \"device\": \"tank\","
             "\"sample_rate\": 200, \"read_timeout\": \"200ms\", \"retry\": {\"base\": \"20ms\"},"
             "\"channels\": [{\"type\": \"plant\", \"channel\": \"level\", \"var\": \"level\"}]}");
    start(in);
    hw_sim_advance(sim->device, 250 * BASE_NS_PER_MS);
    await_status(sim, in, "no data from tank in 0.2 s; retry 1/50", 0);
    hw_sim_advance(sim->device, 1000 * BASE_NS_PER_MS);
    await_status(sim, in, "Task running", BASE_NS_PER_MS);
    stop(in);
    tasks_task_free(in);
    sim_close(sim);
}

static void rejected_writes_are_said_and_do_not_disturb_the_reading(void **state)
{
    (void)state;
    struct sim *sim = sim_open(
        "{\"plant\": {\"type\": \"tank_heater\"}, \"faults\": [{\"at\": 0, \"for\": \"1000min\","
        "\"kind\": \"write_reject\"}]}");
    struct tasks_task *in = sim_task(sim, tank_in), *out = sim_task(sim, tank_out);
    struct telem_sub *level = listen(sim, "level");
    struct telem_pub *pub = commander(sim);
    start(in);
    start(out);
    command(pub, 1);
    struct tasks_status status = {0};
    int64_t limit = base_mono_ns() + 60 * BASE_NS_PER_S;
    while (tasks_event_variant(status.event) != TASKS_VARIANT_WARNING && base_mono_ns() < limit)
        tasks_board_latest(tasks_task_board(out), &status);
    assert_int_equal(tasks_event_variant(status.event), TASKS_VARIANT_WARNING);
    int64_t stamp;
    next_sample(sim, level, "level", &stamp);
    /* Nothing may make the valve safe while every write is rejected, and the stop says so. */
    struct arcd_errinfo why;
    assert_int_equal(tasks_task_stop(out, &why), ARCD_ERR_DEVICE);
    stop(in);
    telem_pub_close(pub);
    tasks_task_free(in);
    tasks_task_free(out);
    telem_sub_close(level);
    sim_close(sim);
}

static void software_timing_keeps_the_rate(void **state)
{
    (void)state;
    struct sim *sim = sim_open(quiet_tank);
    struct tasks_task *in =
        sim_task(sim, "{\"name\": \"Tank in\", \"type\": \"sim_read\", \"device\": \"tank\","
                      "\"sample_rate\": 500, \"timing\": \"software\", \"channels\": "
                      "[{\"type\": \"plant\", \"channel\": \"level\", \"var\": \"level\"}]}");
    struct telem_sub *level = listen(sim, "level");
    int64_t before = base_mono_ns(), first, stamp = 0;
    start(in);
    next_sample(sim, level, "level", &first);
    do
        next_sample(sim, level, "level", &stamp);
    while (stamp < first + BASE_NS_PER_S);
    stop(in);
    int64_t ran_ns = base_mono_ns() - before;
    struct tasks_counters counters;
    tasks_board_counters(tasks_task_board(in), &counters);
    /* Every tick was made or is counted as missed, and there are no more samples than ticks. */
    assert_true(counters.samples + counters.missed_ticks >= (stamp - first) / (2 * BASE_NS_PER_MS));
    assert_true(counters.samples <= ran_ns / (2 * BASE_NS_PER_MS) + 1);
    tasks_task_free(in);
    telem_sub_close(level);
    sim_close(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_moves_the_plant_and_the_stop_shuts_its_valve),
        cmocka_unit_test(a_device_that_goes_and_comes_back_needs_no_operator),
        cmocka_unit_test(a_stalled_device_does_not_hold_up_a_stop),
        cmocka_unit_test(a_stall_longer_than_the_time_out_is_a_temporary_error),
        cmocka_unit_test(rejected_writes_are_said_and_do_not_disturb_the_reading),
        cmocka_unit_test(software_timing_keeps_the_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
