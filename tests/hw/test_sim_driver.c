/* The simulated backend through its contract, with a clock that the test moves. */
#include "hw/sim/sim.h"

#include "hw/sim/sim_math.h"
#include "tests/hw/bench.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#define MS BASE_NS_PER_MS
#define S BASE_NS_PER_S

struct fixture {
    struct bench bench;
    struct hw_device *device;
};

static void open_device(struct fixture *f, const char *json)
{
    bench_init(&f->bench, &hw_sim_driver);
    f->device = bench_device(&f->bench, "tank", json);
}

static void close_device(struct fixture *f)
{
    bench_device_close(&f->bench, f->device);
    bench_fini(&f->bench);
}

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9))
        fail_msg("%.17g is not %.17g", value, expected);
}

static const char quiet_tank[] =
    "{\"backend\": \"sim\", \"noise\": false, \"plant\": {\"type\": \"tank_heater\", "
    "\"area\": 0.01, \"power\": 500, \"level0\": 0.8}, "
    "\"signals\": {\"clock\": {\"type\": \"ramp\", \"rate\": 1}}}";

static const char ramp_100_hz[] =
    "{\"type\": \"sim_read\", \"sample_rate\": 100, \"n\": 10, \"channels\": "
    "[{\"type\": \"signal\", \"channel\": \"t\", \"signal\": \"clock\"}]}";

/* ---- Hardware timing */

static void samples_lie_on_the_grid_of_the_sample_clock(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, quiet_tank);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, ramp_100_hz);
    assert_int_equal(task.info->timing, HW_HARDWARE);
    bench_advance(&f.bench, 3 * S);
    bench_start(&task);
    atomic_store(&f.bench.clock.look_ns, MS / 10);
    for (int batch = 0; batch < 3; batch++) {
        assert_int_equal(bench_read(&task, 10, S), HW_NOMINAL);
        assert_int_equal(task.read.n_got, 10);
        assert_int_equal(task.read.lost_samples, 0);
        for (int i = 0; i < 10; i++)
            near(task.rows[0][i].f64, 3.0 + 0.01 * (batch * 10 + i));
    }
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

/* One spacing after its last sample, a batch is complete: not earlier. */
static void a_batch_is_not_there_before_it_is_due(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, quiet_tank);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, ramp_100_hz);
    bench_start(&task);
    int64_t start_ns = hw_sim_now_ns(f.device);
    atomic_store(&f.bench.clock.look_ns, MS / 100);
    assert_int_equal(bench_read(&task, 10, S), HW_NOMINAL);
    int64_t took_ns = hw_sim_now_ns(f.device) - start_ns;
    assert_true(took_ns >= 100 * MS);
    assert_true(took_ns < 101 * MS);
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void latency_delays_every_batch(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, quiet_tank);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task,
               "{\"type\": \"sim_read\", \"sample_rate\": 100, \"n\": 10, \"latency\": \"30ms\", "
               "\"channels\": [{\"type\": \"constant\", \"channel\": \"c\", \"value\": 4}]}");
    bench_start(&task);
    atomic_store(&f.bench.clock.look_ns, MS / 100);
    assert_int_equal(bench_read(&task, 10, S), HW_NOMINAL);
    assert_true(hw_sim_now_ns(f.device) >= 130 * MS);
    assert_true(hw_sim_now_ns(f.device) < 131 * MS);
    near(task.rows[0][9].f64, 4.0);
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

/* 1000 ppm fast: after 10 s of its own clock only 9.99 s have passed. */
static void drift_bends_the_sample_clock(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, quiet_tank);
    struct bench_task task;
    bench_task(
        &f.bench, f.device, &task,
        "{\"type\": \"sim_read\", \"sample_rate\": 100, \"n\": 1000, \"drift_ppm\": 1000, "
        "\"channels\": [{\"type\": \"signal\", \"channel\": \"t\", \"signal\": \"clock\"}]}");
    assert_true(task.info->actual_rate_hz == 100.0); /* nobody tells the driver */
    bench_start(&task);
    atomic_store(&f.bench.clock.look_ns, MS);
    assert_int_equal(bench_read(&task, 1000, 20 * S), HW_NOMINAL);
    near(task.rows[0][999].f64, floor(999 * 1e9 / (100 * 1.001)) / 1e9);
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void no_data_by_the_deadline_is_a_temporary_error(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, quiet_tank);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, ramp_100_hz);
    bench_start(&task);
    atomic_store(&f.bench.clock.look_ns, MS / 10);
    assert_int_equal(bench_read(&task, 10, 50 * MS), HW_TEMPORARY);
    assert_string_equal(task.error.text, "no data from tank in 0.05 s");
    assert_int_equal(bench_read(&task, 10, S), HW_NOMINAL); /* and nothing is missing */
    near(task.rows[0][0].f64, 0.0);
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void a_slow_reader_is_told_how_far_behind_it_is(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, quiet_tank);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, ramp_100_hz);
    bench_start(&task);
    bench_advance(&f.bench, S); /* 100 samples are waiting */
    assert_int_equal(bench_read(&task, 10, S), HW_NOMINAL);
    assert_int_equal(task.read.skew_samples, 90);
    assert_int_equal(task.read.backlog_samples, 90);
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

/* The buffer holds 2 s, which are 200 samples; older ones are overwritten, and counted. */
static void a_full_buffer_loses_its_oldest_samples(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, quiet_tank);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, ramp_100_hz);
    bench_start(&task);
    bench_advance(&f.bench, 3 * S + MS / 2);
    assert_int_equal(bench_read(&task, 10, S), HW_NOMINAL);
    assert_int_equal(task.read.lost_samples, 301 - 200);
    near(task.rows[0][0].f64, 1.01);
    assert_int_equal(bench_read(&task, 10, S), HW_NOMINAL);
    assert_int_equal(task.read.lost_samples, 0);
    bench_advance(&f.bench, 100 * (3600 * S)); /* a suspend: no loop over a million samples */
    assert_int_equal(bench_read(&task, 10, S), HW_NOMINAL);
    assert_true(task.read.lost_samples > 35000000);
    assert_int_equal(bench_counter(&f.bench, f.device, "lost_samples"),
                     101 + task.read.lost_samples);
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void a_restart_starts_at_sample_0_again(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, quiet_tank);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, ramp_100_hz);
    for (int k = 1; k <= 2; k++) {
        bench_start(&task);
        double start = (double)hw_sim_now_ns(f.device) / 1e9;
        bench_advance(&f.bench, S);
        assert_int_equal(bench_read(&task, 10, S), HW_NOMINAL);
        assert_int_equal(task.read.lost_samples, 0);
        near(task.rows[0][0].f64, start);
        bench_stop(&task);
    }
    bench_task_free(&task);
    close_device(&f);
}

static void interrupt_ends_a_read_and_all_later_ones(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, quiet_tank);
    struct bench_task task;
    bench_task(&f.bench, f.device, &task, ramp_100_hz);
    bench_start(&task);
    hw_sim_driver.loop->interrupt(task.task);
    assert_int_equal(bench_read(&task, 10, 3600 * S), HW_NOMINAL);
    assert_int_equal(task.read.n_got, 0);
    assert_int_equal(bench_read(&task, 10, 3600 * S), HW_NOMINAL);
    assert_int_equal(task.read.n_got, 0);
    bench_stop(&task);
    bench_start(&task);
    bench_advance(&f.bench, S);
    assert_int_equal(bench_read(&task, 10, S), HW_NOMINAL);
    assert_int_equal(task.read.n_got, 10);
    bench_stop(&task);
    bench_task_free(&task);
    close_device(&f);
}

static void *interrupt_it(void *arg)
{
    struct bench_task *task = arg;
    hw_sim_driver.loop->interrupt(task->task);
    return NULL;
}

/* With the machine's clock: the thread really sleeps, for an hour if nobody wakes it. */
static void interrupt_wakes_a_sleeping_read(void **state)
{
    (void)state;
    struct bench bench;
    bench_init_system_clock(&bench, &hw_sim_driver);
    struct hw_device *device = bench_device(&bench, "tank", quiet_tank);
    struct bench_task task;
    bench_task(&bench, device, &task,
               "{\"type\": \"sim_read\", \"sample_rate\": 0.001, \"channels\": "
               "[{\"type\": \"constant\", \"channel\": \"c\"}]}");
    bench_start(&task);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, interrupt_it, &task), 0);
    assert_int_equal(bench_read(&task, 1, 3600 * S), HW_NOMINAL);
    assert_int_equal(task.read.n_got, 0);
    pthread_join(thread, NULL);
    bench_stop(&task);
    bench_task_free(&task);
    bench_device_close(&bench, device);
    bench_fini(&bench);
}

static void reads_on_the_machines_clock_are_never_early(void **state)
{
    (void)state;
    struct bench bench;
    bench_init_system_clock(&bench, &hw_sim_driver);
    struct hw_device *device = bench_device(&bench, "tank", quiet_tank);
    struct bench_task task;
    bench_task(&bench, device, &task,
               "{\"type\": \"sim_read\", \"sample_rate\": 1000, \"n\": 5, \"channels\": "
               "[{\"type\": \"constant\", \"channel\": \"c\"}]}");
    bench_start(&task);
    int64_t start_ns = hw_sim_now_ns(device);
    for (int i = 1; i <= 20; i++) {
        assert_int_equal(bench_read(&task, 5, 5 * S), HW_NOMINAL);
        assert_int_equal(task.read.n_got, 5);
        assert_true(hw_sim_now_ns(device) - start_ns >= i * (5 * MS) - MS / 2);
    }
    bench_stop(&task);
    bench_task_free(&task);
    bench_device_close(&bench, device);
    bench_fini(&bench);
}

/* ---- The plant through tasks */

static const char tank_in[] =
    "{\"type\": \"sim_read\", \"timing\": \"software\", \"channels\": ["
    "{\"type\": \"plant\", \"channel\": \"temp\", \"var\": \"temp\"}, "
    "{\"type\": \"plant\", \"channel\": \"level\", \"var\": \"level\"}, "
    "{\"type\": \"plant\", \"channel\": \"power\", \"var\": \"heater_power\"}, "
    "{\"type\": \"plant\", \"channel\": \"heater\", \"var\": \"heater\"}]}";

static const char tank_out[] =
    "{\"type\": \"sim_write\", \"channels\": ["
    "{\"type\": \"plant_in\", \"cmd_channel\": \"heater_cmd\", \"input\": \"heater\"}, "
    "{\"type\": \"plant_in\", \"cmd_channel\": \"inlet_cmd\", \"input\": \"inlet\"}, "
    "{\"type\": \"plant_in\", \"cmd_channel\": \"outlet_cmd\", \"input\": \"outlet\"}, "
    "{\"type\": \"plant_in\", \"cmd_channel\": \"pump_cmd\", \"input\": \"pump\"}, "
    "{\"type\": \"latch\", \"cmd_channel\": \"lamp_cmd\", \"input\": \"lamp\"}]}";

/* The numbers of sim_reference.py: the same run, through a read and a write task. */
static void commands_reach_the_plant_at_their_time(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, quiet_tank);
    struct bench_task in;
    struct bench_task out;
    bench_task(&f.bench, f.device, &in, tank_in);
    bench_task(&f.bench, f.device, &out, tank_out);
    bench_start(&in);
    bench_start(&out);
    bench_set(&out, 0, 1.0);
    assert_int_equal(bench_write(&out, S), HW_NOMINAL);
    assert_int_equal(out.done[0], 1);
    assert_int_equal(out.done[1], 0);
    bench_advance(&f.bench, 10 * S);
    bench_set(&out, 1, 0.5);
    bench_set(&out, 3, 1.0);
    bench_set(&out, 2, 0.3);
    assert_int_equal(bench_write(&out, S), HW_NOMINAL);
    bench_advance(&f.bench, 20 * S);
    bench_set(&out, 0, 0.25);
    bench_set(&out, 1, 0.0);
    assert_int_equal(bench_write(&out, S), HW_NOMINAL);
    bench_advance(&f.bench, 15 * S);
    assert_int_equal(bench_read(&in, 1, S), HW_NOMINAL);
    assert_int_equal(in.read.n_got, 1);
    near(in.rows[0][0].f64, 16.561874334232307);
    near(in.rows[1][0].f64, 0.9277959983636017);
    near(in.rows[2][0].f64, 125.0);
    near(in.rows[3][0].f64, 0.25);
    bench_stop(&in);
    bench_stop(&out);
    bench_task_free(&in);
    bench_task_free(&out);
    close_device(&f);
}

/* A write moves the plant past samples that the read task has not fetched yet: they still show the
 * plant as it was at their own times. */
static void buffered_samples_do_not_see_later_commands(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, quiet_tank);
    struct bench_task in;
    struct bench_task out;
    bench_task(&f.bench, f.device, &in,
               "{\"type\": \"sim_read\", \"sample_rate\": 100, \"n\": 10, \"channels\": "
               "[{\"type\": \"plant\", \"channel\": \"h\", \"var\": \"heater\"}, "
               "{\"type\": \"plant\", \"channel\": \"p\", \"var\": \"heater_power\"}]}");
    bench_task(&f.bench, f.device, &out, tank_out);
    bench_start(&in);
    bench_start(&out);
    bench_advance(&f.bench, 45 * MS);
    bench_set(&out, 0, 1.0);
    assert_int_equal(bench_write(&out, S), HW_NOMINAL);
    bench_advance(&f.bench, 55 * MS);
    assert_int_equal(bench_read(&in, 10, S), HW_NOMINAL);
    for (int i = 0; i < 10; i++) {
        near(in.rows[0][i].f64, i < 5 ? 0.0 : 1.0);
        near(in.rows[1][i].f64, i < 5 ? 0.0 : 500.0);
    }
    bench_stop(&in);
    bench_stop(&out);
    bench_task_free(&in);
    bench_task_free(&out);
    close_device(&f);
}

static void outputs_can_be_read_back_before_the_first_write(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, quiet_tank);
    struct bench_task out;
    bench_task(&f.bench, f.device, &out, tank_out);
    assert_true(out.info->channels[0].has_readback);
    bench_start(&out);
    bench_set(&out, 1, 0.75);
    bench_set(&out, 4, 12.0);
    assert_int_equal(bench_write(&out, S), HW_NOMINAL);
    union telem_value values[5];
    uint8_t valid[5] = {0};
    assert_int_equal(hw_sim_driver.loop->readback(out.task, values, valid, &out.error), HW_NOMINAL);
    const double expected[] = {0.0, 0.75, 0.0, 0.0, 12.0};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(valid[i], 1);
        near(values[i].f64, expected[i]);
    }
    bench_stop(&out);
    bench_task_free(&out);
    close_device(&f);
}

static void a_latch_is_read_where_it_was_written(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, "{\"backend\": \"sim\"}");
    struct bench_task in;
    struct bench_task out;
    bench_task(&f.bench, f.device, &in,
               "{\"type\": \"sim_read\", \"timing\": \"software\", \"channels\": "
               "[{\"type\": \"latch\", \"channel\": \"lamp\", \"input\": \"lamp\"}]}");
    bench_task(&f.bench, f.device, &out,
               "{\"type\": \"sim_write\", \"channels\": "
               "[{\"type\": \"latch\", \"cmd_channel\": \"lamp_cmd\", \"input\": \"lamp\"}]}");
    bench_start(&in);
    bench_start(&out);
    assert_int_equal(bench_read(&in, 1, S), HW_NOMINAL);
    near(in.rows[0][0].f64, 0.0);
    bench_set(&out, 0, -7.5);
    assert_int_equal(bench_write(&out, S), HW_NOMINAL);
    assert_int_equal(bench_read(&in, 1, S), HW_NOMINAL);
    near(in.rows[0][0].f64, -7.5);
    bench_stop(&in);
    bench_stop(&out);
    bench_task_free(&in);
    bench_task_free(&out);
    close_device(&f);
}

static void the_device_confirms_after_its_ack_delay(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, quiet_tank);
    struct bench_task out;
    bench_task(&f.bench, f.device, &out,
               "{\"type\": \"sim_write\", \"ack_delay\": \"200ms\", \"channels\": "
               "[{\"type\": \"plant_in\", \"cmd_channel\": \"c\", \"input\": \"heater\"}]}");
    bench_start(&out);
    atomic_store(&f.bench.clock.look_ns, MS / 10);
    bench_set(&out, 0, 1.0);
    assert_int_equal(bench_write(&out, S), HW_NOMINAL);
    assert_true(hw_sim_now_ns(f.device) >= 200 * MS);
    assert_int_equal(out.done[0], 1);
    bench_set(&out, 0, 0.0);
    assert_int_equal(bench_write(&out, 100 * MS), HW_TEMPORARY);
    assert_int_equal(out.done[0], 0);
    assert_string_equal(out.error.text, "no answer from tank in 0.1 s");
    bench_stop(&out);
    bench_task_free(&out);
    close_device(&f);
}

static void six_hours_are_caught_up_with_and_no_more(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, "{\"backend\": \"sim\", \"noise\": false, \"plant\": "
                    "{\"type\": \"first_order\", \"gain\": 3, \"tau\": \"1h\", \"u0\": 1}}");
    struct bench_task in;
    bench_task(&f.bench, f.device, &in,
               "{\"type\": \"sim_read\", \"timing\": \"software\", \"channels\": "
               "[{\"type\": \"plant\", \"channel\": \"y\", \"var\": \"y\"}]}");
    bench_advance(&f.bench, 1000 * (3600 * S));
    bench_start(&in);
    assert_int_equal(bench_read(&in, 1, S), HW_NOMINAL);
    near(in.rows[0][0].f64, 3.0 * (1.0 - exp(-6.0)));
    bench_stop(&in);
    bench_task_free(&in);
    close_device(&f);
}

/* ---- Noise, converter, determinism */

static void sensor_noise_is_the_counted_one(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, "{\"backend\": \"sim\", \"seed\": 42, \"plant\": {\"type\": \"tank_heater\"}}");
    struct bench_task in;
    bench_task(&f.bench, f.device, &in,
               "{\"type\": \"sim_read\", \"sample_rate\": 200, \"n\": 10, \"channels\": ["
               "{\"type\": \"plant\", \"channel\": \"tank_temp\", \"var\": \"temp\"}, "
               "{\"type\": \"noise\", \"channel\": \"vib\", \"amplitude\": 0.5}]}");
    bench_start(&in);
    bench_advance(&f.bench, S);
    for (uint64_t i = 0; i < 100; i += 10) {
        assert_int_equal(bench_read(&in, 10, S), HW_NOMINAL);
        for (uint64_t k = 0; k < 10; k++) {
            uint64_t z0 = UINT64_C(42) ^ sim_hash64("tank_temp");
            near(in.rows[0][k].f64, 20.0 + 0.05 * sim_gauss(z0, i + k));
            z0 = UINT64_C(42) ^ sim_hash64("vib");
            assert_true(in.rows[1][k].f64 == 0.0 + 0.5 * sim_gauss(z0, i + k));
        }
    }
    bench_stop(&in);
    bench_task_free(&in);
    close_device(&f);
}

static void two_devices_with_one_seed_give_the_same_bits(void **state)
{
    (void)state;
    double first[2][50];
    for (int run = 0; run < 2; run++) {
        struct fixture f;
        open_device(&f, "{\"backend\": \"sim\", \"seed\": 7, \"plant\": {\"type\": "
                        "\"tank_heater\"}}");
        struct bench_task in;
        struct bench_task out;
        bench_task(&f.bench, f.device, &in,
                   "{\"type\": \"sim_read\", \"sample_rate\": 1000, \"n\": 50, \"channels\": "
                   "[{\"type\": \"plant\", \"channel\": \"temp\", \"var\": \"temp\"}]}");
        bench_task(&f.bench, f.device, &out, tank_out);
        bench_start(&in);
        bench_start(&out);
        bench_set(&out, 0, 1.0);
        bench_set(&out, 1, 1.0);
        assert_int_equal(bench_write(&out, S), HW_NOMINAL);
        /* Moved in one go or in small steps with looks in between: it makes no difference. */
        for (int step = 0; step < (run == 0 ? 1 : 50); step++) {
            bench_advance(&f.bench, run == 0 ? 50 * MS : MS);
            if (run == 1)
                hw_sim_driver.setup->probe(f.device, "", BASE_NEVER, &in.error);
        }
        assert_int_equal(bench_read(&in, 50, S), HW_NOMINAL);
        for (int i = 0; i < 50; i++)
            first[run][i] = in.rows[0][i].f64;
        bench_stop(&in);
        bench_stop(&out);
        bench_task_free(&in);
        bench_task_free(&out);
        close_device(&f);
    }
    assert_memory_equal(first[0], first[1], sizeof first[0]);
}

static void a_converter_rounds_and_saturates(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, quiet_tank);
    struct bench_task in;
    bench_task(&f.bench, f.device, &in,
               "{\"type\": \"sim_read\", \"timing\": \"software\", \"channels\": ["
               "{\"type\": \"constant\", \"channel\": \"a\", \"value\": 0.3, "
               "\"quantize\": {\"bits\": 2, \"min\": 0, \"max\": 3}}, "
               "{\"type\": \"constant\", \"channel\": \"b\", \"value\": 1.6, "
               "\"quantize\": {\"bits\": 2, \"min\": 0, \"max\": 3}}, "
               "{\"type\": \"constant\", \"channel\": \"c\", \"value\": 99, "
               "\"quantize\": {\"bits\": 12, \"min\": -10, \"max\": 10}}, "
               "{\"type\": \"constant\", \"channel\": \"d\", \"value\": -5, \"range\": [-1, 1]}, "
               "{\"type\": \"constant\", \"channel\": \"f\", \"value\": 7, "
               "\"range\": {\"min\": 1, \"max\": 2}}, "
               "{\"type\": \"plant\", \"channel\": \"e\", \"var\": \"level\", "
               "\"quantize\": {\"bits\": 12, \"min\": 0, \"max\": 2}}]}");
    bench_start(&in);
    assert_int_equal(bench_read(&in, 1, S), HW_NOMINAL);
    near(in.rows[0][0].f64, 0.0);
    near(in.rows[1][0].f64, 2.0);
    near(in.rows[2][0].f64, 10.0);
    near(in.rows[3][0].f64, -1.0);
    near(in.rows[4][0].f64, 2.0);
    near(in.rows[5][0].f64, floor(0.8 / 2 * 4095 + 0.5) * 2 / 4095);
    bench_stop(&in);
    bench_task_free(&in);
    close_device(&f);
}

/* ---- Virtual time */

struct waiter {
    struct bench_task *task;
    enum hw_class cls;
};

static void *read_in_thread(void *arg)
{
    struct waiter *waiter = arg;
    waiter->cls = bench_read(waiter->task, 10, 3600 * S);
    return NULL;
}

static void virtual_time_stands_until_it_is_moved(void **state)
{
    (void)state;
    struct bench bench;
    bench_init_system_clock(&bench, &hw_sim_driver);
    struct hw_device *device =
        bench_device(&bench, "tank",
                     "{\"backend\": \"sim\", \"clock\": \"virtual\", \"signals\": "
                     "{\"clock\": {\"type\": \"ramp\", \"rate\": 1}}}");
    struct bench_task task;
    bench_task(&bench, device, &task, ramp_100_hz);
    bench_start(&task);
    struct waiter waiter = {.task = &task, .cls = HW_CRITICAL};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, read_in_thread, &waiter), 0);
    assert_int_equal(hw_sim_now_ns(device), 0);
    hw_sim_advance(device, 60 * MS);
    hw_sim_advance(device, 40 * MS);
    pthread_join(thread, NULL);
    assert_int_equal(waiter.cls, HW_NOMINAL);
    assert_int_equal(task.read.n_got, 10);
    near(task.rows[0][9].f64, 0.09);
    bench_stop(&task);
    bench_task_free(&task);
    bench_device_close(&bench, device);
    bench_fini(&bench);
}

/* ---- Threads */

static void *write_often(void *arg)
{
    struct bench_task *task = arg;
    for (int i = 0; i < 2000; i++) {
        bench_set(task, (uint32_t)i % 4, (double)(i % 3) / 2.0);
        assert_int_equal(bench_write(task, 3600 * S), HW_NOMINAL);
    }
    return NULL;
}

/* A read, a write and a health check on one device at once: no sample is lost or out of order. */
static void tasks_of_several_threads_share_a_device(void **state)
{
    (void)state;
    struct fixture f;
    open_device(&f, quiet_tank);
    atomic_store(&f.bench.clock.look_ns, MS / 100);
    struct bench_task in;
    struct bench_task out;
    bench_task(&f.bench, f.device, &in,
               "{\"type\": \"sim_read\", \"sample_rate\": 1000, \"n\": 10, \"channels\": "
               "[{\"type\": \"signal\", \"channel\": \"t\", \"signal\": \"clock\"}, "
               "{\"type\": \"plant\", \"channel\": \"h\", \"var\": \"heater\"}]}");
    bench_task(&f.bench, f.device, &out, tank_out);
    bench_start(&in);
    bench_start(&out);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_often, &out), 0);
    double last = -1.0;
    for (int batch = 0; batch < 200; batch++) {
        assert_int_equal(bench_read(&in, 10, 3600 * S), HW_NOMINAL);
        assert_int_equal(in.read.lost_samples, 0);
        for (int i = 0; i < 10; i++) {
            assert_true(in.rows[0][i].f64 > last);
            assert_true(in.rows[1][i].f64 >= 0.0 && in.rows[1][i].f64 <= 1.0);
            last = in.rows[0][i].f64;
        }
        hw_sim_driver.setup->probe(f.device, "", BASE_NEVER, &in.error);
    }
    pthread_join(thread, NULL);
    bench_stop(&in);
    bench_stop(&out);
    bench_task_free(&in);
    bench_task_free(&out);
    close_device(&f);
}

/* ---- Configuration */

static void what_is_wrong_with_a_device_is_said_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *json, *complaint;
    } cases[] = {
        {"{\"signals\": {\"m\": {\"type\": \"sinus\"}}}",
         "driver.json: signals.m.type: unknown signal type 'sinus'"},
        {"{\"signals\": {\"m\": {\"type\": \"sum\", \"of\": [{\"type\": \"sine\", \"duty\": 1}]}}}",
         "driver.json: signals.m.of[0].duty: unknown field 'duty'"},
        {"{\"signals\": {\"m\": {\"type\": \"step\", \"steps\": [[1, 2], [1, 3]]}}}",
         "driver.json: signals.m.steps[1]: must be later than the one before"},
        {"{\"signals\": {\"m\": {\"type\": \"csv\", \"file\": \"/nonexistent.csv\"}}}",
         "driver.json: signals.m.file: cannot read /nonexistent.csv: No such file"},
        {"{\"plant\": {\"type\": \"boiler\"}}",
         "driver.json: plant.type: unknown plant type 'boiler'"},
        {"{\"plant\": {\"type\": \"tank_heater\", \"area\": 0}}",
         "driver.json: plant.area: must be greater than 0"},
        {"{\"faults\": [{\"kind\": \"stall\"}]}", "driver.json: faults[0].at: is required"},
        {"{\"faults\": [{\"kind\": \"bias\", \"at\": 1}]}",
         "driver.json: faults[0].value: is required"},
        {"{\"faults\": [{\"kind\": \"nan\", \"at\": 1, \"for\": 2, \"every\": 1}]}",
         "driver.json: faults[0].every: must not be shorter than `for`"},
        {"{\"seed\": -1}", "driver.json: seed: must not be negative"},
    };
    struct bench bench;
    bench_init(&bench, &hw_sim_driver);
    for (size_t i = 0; i < ARCD_COUNT_OF(cases); i++) {
        assert_null(bench_try_device(&bench, "d", cases[i].json));
        if (strstr(bench.complaint, cases[i].complaint) == NULL)
            fail_msg("%s\nis not\n%s", bench.complaint, cases[i].complaint);
    }
    bench_fini(&bench);
}

static void what_is_wrong_with_a_task_is_said_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *json, *complaint;
    } cases[] = {
        {"{\"type\": \"sim_read\", \"channels\": [{\"type\": \"signal\", \"channel\": \"a\", "
         "\"signal\": \"motor\"}]}",
         "tasks/t.json: channels[0].signal: signal 'motor' is not defined"},
        {"{\"type\": \"sim_read\", \"channels\": [{\"type\": \"plant\", \"channel\": \"a\", "
         "\"var\": \"heat\"}]}",
         "tasks/t.json: channels[0].var: plant has no variable 'heat' (has temp, level, flow_in, "
         "flow_out, pressure, level_low, level_high, over_temp, heater_power, energy, heater, "
         "inlet, outlet, pump)"},
        {"{\"type\": \"sim_read\", \"channels\": [{\"type\": \"sine\", \"channel\": \"a\", "
         "\"quantize\": {\"bits\": 40, \"min\": 0, \"max\": 1}}]}",
         "tasks/t.json: channels[0].quantize.bits: must be from 1 to 32"},
        {"{\"type\": \"sim_read\", \"channels\": [{\"type\": \"sine\", \"channel\": \"a\", "
         "\"range\": [1, 1]}]}",
         "tasks/t.json: channels[0].range: min must be less than max"},
        {"{\"type\": \"sim_write\", \"channels\": [{\"type\": \"plant_in\", \"cmd_channel\": "
         "\"a\", \"input\": \"temp\"}]}",
         "tasks/t.json: channels[0].input: plant has no input 'temp' (has heater, inlet, outlet, "
         "pump)"},
        {"{\"type\": \"sim_write\", \"channels\": ["
         "{\"type\": \"plant_in\", \"cmd_channel\": \"a\", \"input\": \"pump\"}, "
         "{\"type\": \"plant_in\", \"cmd_channel\": \"b\", \"input\": \"pump\"}]}",
         "tasks/t.json: channels[1].input: tank/pump is used twice"},
        {"{\"type\": \"sim_read\", \"device\": \"tank/boiler\", \"channels\": "
         "[{\"type\": \"sine\", \"channel\": \"a\"}]}",
         "tasks/t.json: device: device 'tank' has no units"},
    };
    struct fixture f;
    open_device(&f, quiet_tank);
    for (size_t i = 0; i < ARCD_COUNT_OF(cases); i++) {
        struct bench_task task;
        assert_false(bench_try_task(&f.bench, f.device, &task, cases[i].json));
        if (strstr(f.bench.complaint, cases[i].complaint) == NULL)
            fail_msg("%s\nis not\n%s", f.bench.complaint, cases[i].complaint);
    }
    close_device(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_lie_on_the_grid_of_the_sample_clock),
        cmocka_unit_test(a_batch_is_not_there_before_it_is_due),
        cmocka_unit_test(latency_delays_every_batch),
        cmocka_unit_test(drift_bends_the_sample_clock),
        cmocka_unit_test(no_data_by_the_deadline_is_a_temporary_error),
        cmocka_unit_test(a_slow_reader_is_told_how_far_behind_it_is),
        cmocka_unit_test(a_full_buffer_loses_its_oldest_samples),
        cmocka_unit_test(a_restart_starts_at_sample_0_again),
        cmocka_unit_test(interrupt_ends_a_read_and_all_later_ones),
        cmocka_unit_test(interrupt_wakes_a_sleeping_read),
        cmocka_unit_test(reads_on_the_machines_clock_are_never_early),
        cmocka_unit_test(commands_reach_the_plant_at_their_time),
        cmocka_unit_test(buffered_samples_do_not_see_later_commands),
        cmocka_unit_test(outputs_can_be_read_back_before_the_first_write),
        cmocka_unit_test(a_latch_is_read_where_it_was_written),
        cmocka_unit_test(the_device_confirms_after_its_ack_delay),
        cmocka_unit_test(six_hours_are_caught_up_with_and_no_more),
        cmocka_unit_test(sensor_noise_is_the_counted_one),
        cmocka_unit_test(two_devices_with_one_seed_give_the_same_bits),
        cmocka_unit_test(a_converter_rounds_and_saturates),
        cmocka_unit_test(virtual_time_stands_until_it_is_moved),
        cmocka_unit_test(tasks_of_several_threads_share_a_device),
        cmocka_unit_test(what_is_wrong_with_a_device_is_said_with_its_place),
        cmocka_unit_test(what_is_wrong_with_a_task_is_said_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
