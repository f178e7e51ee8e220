/* The loop on a scripted clock: what runs when, without a thread. */
#include "arc_host/loop.h"

#include "tests/arc_host/live.h"
#include "tests/arc_host/script_clock.h"

static const int64_t US = 1000, MS = 1000000;

/* The bell is a real one, so that the bus rings it; the clock and the sleep are scripted. */
struct rig {
    struct live live;
    struct script_clock script;
    struct base_doorbell bell, outside;
    struct base_clock clock;
    struct arc_host_timing timing;
    struct arc_host_loop loop;
    struct arc_host_ports *ports;
    int64_t began;
    int64_t ring_at; /* somebody rings then, when it sleeps; 0: nobody */
};

static struct rig rig;

static int64_t rig_mono_ns(void *ctx)
{
    (void)ctx;
    return rig.script.now += rig.script.look_ns;
}

static int64_t rig_utc_ns(void *ctx)
{
    (void)ctx;
    return INT64_C(1700000000000000000) + rig.script.now;
}

static uint32_t rig_rings(void *ctx)
{
    (void)ctx;
    return base_doorbell_read(&rig.bell);
}

/* Wakes exactly at the deadline. A sleep without end would hang: then the test is wrong. */
static bool rig_sleep(void *ctx, uint32_t seen, int64_t deadline)
{
    (void)ctx;
    if (base_doorbell_read(&rig.bell) != seen)
        return true;
    if (rig.ring_at != 0 && rig.ring_at < deadline) {
        rig.script.now = rig.ring_at;
        rig.ring_at = 0;
        base_doorbell_ring(&rig.bell);
        return true;
    }
    assert_true(deadline != BASE_NEVER);
    rig.script.now = deadline > rig.script.now ? deadline : rig.script.now;
    rig.script.sleeps++;
    return false;
}

static struct arc_host_ports *open_ports(struct arc_image *image,
                                         const struct arc_host_options *options)
{
    struct arc_host_ports_opts opts = {.name = "automation 'Test'",
                                       .image = image,
                                       .program = options,
                                       .bus = rig.live.bus,
                                       .bell = &rig.bell,
                                       .queue = 8,
                                       .authority = 255};
    struct arc_host_ports *ports = NULL;
    struct arcd_errinfo why;
    if (arc_host_ports_open(&opts, &ports, &why) != ARCD_OK)
        fail_msg("%s", why.text);
    return ports;
}

static void set_up(const char *channels)
{
    memset(&rig, 0, sizeof rig);
    live_open(&rig.live, channels);
    base_doorbell_init(&rig.bell);
    base_doorbell_init(&rig.outside);
    arc_host_timing_init(&rig.timing);
    rig.script = (struct script_clock){.now = 5000 * MS, .look_ns = 10};
    rig.clock = (struct base_clock){rig_mono_ns, rig_utc_ns, NULL};
    struct arc_host_loop_opts opts = {
        .wait = {rig_mono_ns, rig_rings, rig_sleep, NULL, NULL},
        .clock = &rig.clock,
        .bell = &rig.bell,
        .outside = &rig.outside,
        .timing = &rig.timing,
        .level = ARC_HOST_LEVEL_LOW,
    };
    arc_host_loop_init(&rig.loop, &opts);
}

static enum arc_host_turn begin(const char *text, const struct arc_host_options *options)
{
    rig.ports = open_ports(live_compile(&rig.live, text), options);
    enum arc_host_turn turn = arc_host_loop_begin(&rig.loop, rig.ports);
    rig.began = rig.loop.rt.start_mono_ns;
    return turn;
}

static void tear_down(void)
{
    arc_host_ports_close(rig.ports);
    arc_host_loop_fini(&rig.loop);
    live_close(&rig.live);
}

static enum arc_host_turn turn(void)
{
    return arc_host_loop_turn(&rig.loop);
}

static struct arc_host_timing_counts counts(void)
{
    return arc_host_timing_counts(&rig.timing);
}

static double heard(struct telem_sub *sub, const char *name)
{
    return live_hear(sub, live_key(&rig.live, name)).last;
}

static const char counter[] = "import time\n"
                              "func bump() i64 {\n"
                              "    n i64 $= 0\n"
                              "    n = n + 1\n"
                              "    return n\n"
                              "}\n"
                              "time.interval{period=1ms} -> bump{} -> count\n";

/* ---- Timers */

static void an_interval_fires_at_the_start_and_then_on_its_grid(void **state)
{
    (void)state;
    set_up("count i64");
    struct telem_sub *sub = live_listen(&rig.live, "count", 16);
    assert_int_equal(begin(counter, NULL), ARC_HOST_TURN_CYCLE);
    assert_true(heard(sub, "count") == 1);
    for (int i = 1; i <= 5; i++) {
        assert_int_equal(turn(), ARC_HOST_TURN_CYCLE);
        assert_true(heard(sub, "count") == 1 + i);
        /* The cycle ran at its deadline, a few looks at the clock later. */
        assert_in_range(rig.script.now - rig.began, i * MS, i * MS + 100);
    }
    assert_int_equal(counts().cycles, 5);
    assert_int_equal(counts().overruns, 0);
    telem_sub_close(sub);
    tear_down();
}

/* T02 of the field: after a hold-up, loops caught up and ran the missed cycles back to back. */
static void held_up_for_fifty_periods_it_runs_once_and_counts_the_rest(void **state)
{
    (void)state;
    set_up("count i64");
    struct telem_sub *sub = live_listen(&rig.live, "count", 16);
    begin(counter, NULL);
    turn();
    turn();
    rig.script.now = rig.began + 52 * MS + 500 * US; /* 3 .. 52 are missed */
    assert_int_equal(turn(), ARC_HOST_TURN_CYCLE);
    assert_true(heard(sub, "count") == 4);
    assert_int_equal(counts().overruns, 49);
    turn();
    assert_true(heard(sub, "count") == 5);
    assert_in_range(rig.script.now - rig.began, 53 * MS, 53 * MS + 100);
    assert_int_equal(counts().overruns, 49);
    telem_sub_close(sub);
    tear_down();
}

static void lateness_is_from_the_deadline_to_the_cycle(void **state)
{
    (void)state;
    static struct arc_host_timing_snapshot snapshot;
    set_up("count i64");
    begin(counter, NULL);
    rig.script.now = rig.began + MS + 400 * US;
    turn();
    turn();
    arc_host_timing_get(&rig.timing, &snapshot);
    assert_int_equal(snapshot.lateness.count, 2);
    assert_in_range(snapshot.lateness.max, 400 * US, 400 * US + 100);
    assert_in_range(snapshot.lateness.min, 0, 100);
    assert_int_equal(snapshot.lateness.below, 0); /* never early */
    tear_down();
}

/* ---- Data */

static void each_waiting_batch_gets_a_cycle_of_its_own_at_once(void **state)
{
    (void)state;
    set_up("level f64, double_level f64");
    struct telem_pub *pub = live_sensor(&rig.live, "level", 16);
    struct telem_sub *sub = live_listen(&rig.live, "double_level", 16);
    begin("level * 2.0 -> double_level\n", NULL);
    for (int i = 1; i <= 3; i++)
        assert_true(live_put(pub, 10 * i, 4, i));
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(turn(), ARC_HOST_TURN_CYCLE);
        assert_true(heard(sub, "double_level") == 2 * (10 * i + 3));
    }
    assert_int_equal(rig.script.sleeps, 0);
    assert_int_equal(counts().cycles, 3);
    telem_sub_close(sub);
    telem_pub_close(pub);
    tear_down();
}

static void a_due_timer_goes_before_waiting_data(void **state)
{
    (void)state;
    set_up("level f64, sampled f64");
    struct telem_pub *pub = live_sensor(&rig.live, "level", 16);
    struct telem_sub *sub = live_listen(&rig.live, "sampled", 16);
    begin("import time\n"
          "func grab(n u8) f64 {\n"
          "    return level\n"
          "}\n"
          "time.interval{period=20ms} -> grab{} -> sampled\n",
          NULL);
    heard(sub, "sampled");
    rig.script.now = rig.began + 20 * MS;
    assert_true(live_put(pub, 7, 1, 1));
    assert_int_equal(turn(), ARC_HOST_TURN_CYCLE);
    assert_true(heard(sub, "sampled") == 0); /* the 7 was not in yet */
    assert_int_equal(turn(), ARC_HOST_TURN_CYCLE);
    turn();
    assert_true(heard(sub, "sampled") == 7);
    telem_sub_close(sub);
    telem_pub_close(pub);
    tear_down();
}

static void data_does_not_starve_when_cycles_are_longer_than_the_period(void **state)
{
    (void)state;
    set_up("count i64, level f64, level_copy f64");
    struct telem_pub *pub = live_sensor(&rig.live, "level", 16);
    struct telem_sub *sub = live_listen(&rig.live, "level_copy", 16);
    char text[512];
    snprintf(text, sizeof text, "%slevel -> level_copy\n", counter);
    begin(text, NULL);
    assert_true(live_put(pub, 5, 1, 1));
    int turns = 0;
    for (; turns < 20 && isnan(heard(sub, "level_copy")); turns++) {
        rig.script.now += 3 * MS; /* every cycle takes three periods */
        turn();
    }
    assert_in_range(turns, ARC_HOST_LOOP_PATIENCE, ARC_HOST_LOOP_PATIENCE + 2);
    telem_sub_close(sub);
    telem_pub_close(pub);
    tear_down();
}

static void a_batch_that_is_too_long_comes_in_pieces(void **state)
{
    (void)state;
    set_up("level f64@, total i64");
    struct telem_pub *pub = live_sensor(&rig.live, "level", 1000);
    struct telem_sub *sub = live_listen(&rig.live, "total", 64);
    struct arc_host_options options = {.max_rows = 100};
    begin("func tally(x f64) i64 {\n"
          "    n i64 $= 0\n"
          "    n = n + i64(x)\n"
          "    return n\n"
          "}\n"
          "level -> tally{} -> total\n",
          &options);
    assert_true(live_put(pub, 1, 950, 1000)); /* 1 + 2 + ... + 950 */
    for (int i = 0; i < 10; i++)
        assert_int_equal(turn(), ARC_HOST_TURN_CYCLE);
    struct live_heard h = live_hear(sub, live_key(&rig.live, "total"));
    assert_int_equal(h.n, 950);
    assert_true(h.last == 950.0 * 951 / 2);
    assert_int_equal(h.last_utc_ns, 1949); /* the timestamp of the sample that caused it */
    assert_int_equal(counts().cycles, 10);
    telem_sub_close(sub);
    telem_pub_close(pub);
    tear_down();
}

static void what_a_program_writes_and_reads_comes_back_to_it(void **state)
{
    (void)state;
    set_up("go u8, n i64");
    struct telem_pub *pub = live_sensor(&rig.live, "go", 4);
    struct telem_sub *sub = live_listen(&rig.live, "n", 64);
    begin("func step(x i64) i64 {\n"
          "    return x + 1\n"
          "}\n"
          "func seed(x u8) i64 {\n"
          "    return 1\n"
          "}\n"
          "go -> seed{} -> n\n"
          "n -> step{} -> n\n",
          NULL);
    assert_true(live_put(pub, 1, 1, 1));
    for (int i = 0; i < 11; i++)
        assert_int_equal(turn(), ARC_HOST_TURN_CYCLE);
    assert_true(heard(sub, "n") == 11);
    telem_sub_close(sub);
    telem_pub_close(pub);
    tear_down();
}

static void a_wait_that_the_bell_ends_is_no_cycle_but_honours_a_reset(void **state)
{
    (void)state;
    set_up("count i64");
    begin(counter, NULL);
    turn();
    turn();
    assert_int_equal(counts().cycles, 2);
    arc_host_timing_ask_reset(&rig.timing);
    rig.ring_at = rig.began + 2 * MS + 300 * US; /* while it sleeps */
    assert_int_equal(turn(), ARC_HOST_TURN_WAIT);
    assert_int_equal(counts().cycles, 0);
    assert_int_equal(turn(), ARC_HOST_TURN_CYCLE);
    assert_in_range(rig.script.now - rig.began, 3 * MS, 3 * MS + 100);
    tear_down();
}

/* ---- Output */

static void authority_changes_come_before_the_samples_of_their_cycle(void **state)
{
    (void)state;
    set_up("press f64, vent u8");
    struct telem_pub *pub = live_sensor(&rig.live, "press", 4);
    struct telem_pub *other = live_writer(&rig.live, "vent", 150);
    struct telem_sub *sub = live_listen(&rig.live, "vent", 16);
    begin("import control\n"
          "authority 100\n"
          "press > 50.0 => urgent\n"
          "sequence urgent {\n"
          "    stage {\n"
          "        control.set_authority{value=200}\n"
          "        1 -> vent\n"
          "    }\n"
          "}\n",
          NULL);
    assert_true(live_put(other, 0, 1, 1));
    assert_true(heard(sub, "vent") == 0); /* 150 beats the declared 100 */
    assert_true(live_put(pub, 60, 1, 1));
    turn();
    assert_true(heard(sub, "vent") == 1);
    live_put(other, 0, 1, 2);
    assert_true(isnan(heard(sub, "vent")));
    arc_host_ports_release_writers(rig.ports);
    live_put(other, 0, 1, 3);
    assert_true(heard(sub, "vent") == 0);
    telem_sub_close(sub);
    telem_pub_close(other);
    telem_pub_close(pub);
    tear_down();
}

static void the_default_authority_is_the_configured_one(void **state)
{
    (void)state;
    set_up("count i64");
    struct arc_host_ports_opts opts = {.name = "automation 'Test'",
                                       .image = live_compile(&rig.live, counter),
                                       .bus = rig.live.bus,
                                       .bell = &rig.bell,
                                       .queue = 8,
                                       .authority = 77};
    assert_int_equal(arc_host_ports_open(&opts, &rig.ports, NULL), ARCD_OK);
    struct telem_holder holder;
    telem_bus_holder(rig.live.bus, live_key(&rig.live, "count"), &holder);
    assert_int_equal(holder.authority, 77);
    assert_string_equal(holder.name, "automation 'Test'");
    tear_down();
}

static void text_goes_out_and_one_that_fits_no_batch_is_counted(void **state)
{
    (void)state;
    set_up("go u8, note str");
    struct telem_pub *pub = live_sensor(&rig.live, "go", 4);
    struct telem_sub *sub = live_listen(&rig.live, "note", 16);
    begin("func write(x u8) str {\n"
          "    s := \"0123456789\"\n"
          "    if x > 1 {\n"
          "        for i := range(14) {\n"
          "            s = s + s\n"
          "        }\n"
          "    }\n"
          "    return s\n"
          "}\n"
          "go -> write{} -> note\n",
          NULL);
    struct arc_host_ports_counts c;
    assert_true(live_put(pub, 1, 1, 1));
    turn();
    assert_string_equal(live_hear(sub, live_key(&rig.live, "note")).text, "0123456789");
    arc_host_ports_get_counts(rig.ports, &c);
    assert_int_equal(c.lost, 0);
    assert_true(live_put(pub, 2, 1, 2)); /* 160 kB */
    assert_int_equal(turn(), ARC_HOST_TURN_CYCLE);
    arc_host_ports_get_counts(rig.ports, &c);
    assert_int_equal(c.lost, 1);
    assert_int_equal(c.sent, 1);
    telem_sub_close(sub);
    telem_pub_close(pub);
    tear_down();
}

static void more_samples_than_a_batch_holds_go_out_in_several(void **state)
{
    (void)state;
    set_up("level f64, copy f64");
    struct telem_pub *pub = live_sensor(&rig.live, "level", 200);
    struct telem_sub *sub = live_listen(&rig.live, "copy", 16);
    begin("level -> copy\n", NULL);
    assert_true(live_put(pub, 1, 200, 1));
    turn();
    struct live_heard h = live_hear(sub, live_key(&rig.live, "copy"));
    assert_int_equal(h.n, 200);
    assert_true(h.first == 1 && h.last == 200);
    assert_true(h.batches > 1);
    telem_sub_close(sub);
    telem_pub_close(pub);
    tear_down();
}

static void samples_that_find_no_free_batch_are_counted(void **state)
{
    (void)state;
    set_up("level f64, copy f64");
    struct telem_pub *pub = live_sensor(&rig.live, "level", 4);
    struct telem_sub *sub = live_listen(&rig.live, "copy", 2);
    begin("level -> copy\n", NULL);
    enum { HELD = 32 };
    const struct telem_batch *held[HELD] = {0}; /* a consumer that releases nothing */
    uint32_t n = 0;
    for (int i = 0; i < HELD; i++) {
        assert_true(live_put(pub, i, 1, i + 1));
        assert_int_equal(turn(), ARC_HOST_TURN_CYCLE);
        held[n] = telem_sub_next(sub);
        n += held[n] != NULL;
    }
    struct arc_host_ports_counts c;
    arc_host_ports_get_counts(rig.ports, &c);
    assert_true(c.lost > 0);
    assert_int_equal(c.lost + c.sent, HELD);
    for (uint32_t i = 0; i < n; i++)
        telem_batch_release(held[i]);
    telem_sub_close(sub);
    telem_pub_close(pub);
    tear_down();
}

static void a_full_queue_drops_counts_by_channel_and_goes_on_with_the_newest(void **state)
{
    (void)state;
    set_up("level f64, copy f64");
    struct telem_pub *pub = live_sensor(&rig.live, "level", 4);
    struct telem_sub *sub = live_listen(&rig.live, "copy", 16);
    begin("level -> copy\n", NULL);
    for (int i = 1; i <= 20; i++)
        assert_true(live_put(pub, i, 1, i));
    while (arc_host_ports_ready(rig.ports))
        assert_int_equal(turn(), ARC_HOST_TURN_CYCLE);
    struct live_heard h = live_hear(sub, live_key(&rig.live, "copy"));
    assert_true(h.last == 20);
    struct arc_host_ports_counts c;
    char text[128];
    arc_host_ports_get_counts(rig.ports, &c);
    assert_true(c.dropped > 0);
    assert_int_equal(c.dropped + h.n, 20);
    arc_host_ports_describe_drops(rig.ports, text, sizeof text);
    char expected[64];
    snprintf(expected, sizeof expected, "level: %llu", (unsigned long long)c.dropped);
    assert_string_equal(text, expected);
    arc_host_ports_describe_drops(rig.ports, text, sizeof text);
    assert_string_equal(text, ""); /* nothing new */
    telem_sub_close(sub);
    telem_pub_close(pub);
    tear_down();
}

/* ---- Faults, statuses, another program */

static void a_fault_ends_the_turns_and_discards_the_cycle(void **state)
{
    (void)state;
    set_up("d i64, q i64, seen i64");
    struct telem_pub *pub = live_sensor(&rig.live, "d", 4);
    struct telem_sub *sub = live_listen(&rig.live, "seen", 16);
    begin("func share(n i64) i64 {\n"
          "    return 100 / n\n"
          "}\n"
          "d -> seen\n"
          "d -> share{} -> q\n",
          NULL);
    assert_true(live_put(pub, 4, 1, 1));
    assert_int_equal(turn(), ARC_HOST_TURN_CYCLE);
    assert_true(heard(sub, "seen") == 4);
    assert_true(live_put(pub, 0, 1, 2));
    assert_int_equal(turn(), ARC_HOST_TURN_FAULT);
    assert_true(isnan(heard(sub, "seen")));
    char text[128];
    struct arc_host_program *program = arc_host_ports_program(rig.ports);
    arc_host_fault_text(arc_host_program_image(program), arc_host_program_fault(program), text,
                        sizeof text);
    assert_non_null(strstr(text, "share"));
    assert_non_null(strstr(text, "line 2"));
    assert_non_null(strstr(text, "division by zero"));
    telem_sub_close(sub);
    telem_pub_close(pub);
    tear_down();
}

static void a_status_goes_out_and_its_key_comes_back_in_a_cycle_at_once(void **state)
{
    (void)state;
    set_up("go u8, key str");
    struct telem_pub *pub = live_sensor(&rig.live, "go", 4);
    struct telem_sub *sub = live_listen(&rig.live, "key", 16);
    begin(
        "import status\n"
        "go -> status.set{key_or_name=\"Tank\", message=\"too hot\", variant=\"warning\"} -> key\n",
        NULL);
    uint32_t rings = base_doorbell_read(&rig.outside);
    assert_true(live_put(pub, 1, 1, 1));
    turn();
    struct arc_host_request request;
    assert_true(arc_host_loop_next_request(&rig.loop, &request));
    assert_string_equal(request.key_or_name, "Tank");
    assert_string_equal(request.message, "too hot");
    assert_string_equal(request.variant, "warning");
    assert_true(base_doorbell_read(&rig.outside) != rings);
    assert_false(arc_host_loop_next_request(&rig.loop, &request));
    assert_true(arc_host_loop_reply(&rig.loop, request.id, "key-1"));
    assert_int_equal(turn(), ARC_HOST_TURN_CYCLE);
    assert_string_equal(live_hear(sub, live_key(&rig.live, "key")).text, "key-1");
    telem_sub_close(sub);
    telem_pub_close(pub);
    tear_down();
}

static void another_program_is_taken_between_two_cycles(void **state)
{
    (void)state;
    set_up("count i64, beat u8");
    struct telem_sub *counts_sub = live_listen(&rig.live, "count", 16);
    struct telem_sub *beats = live_listen(&rig.live, "beat", 16);
    begin(counter, NULL);
    turn();
    assert_true(heard(counts_sub, "count") == 2);
    struct arc_host_ports *old = rig.ports;
    struct arc_host_ports *next =
        open_ports(live_compile(&rig.live, "import time\n"
                                           "func bump() i64 {\n"
                                           "    n i64 $= 100\n"
                                           "    n = n + 1\n"
                                           "    return n\n"
                                           "}\n"
                                           "time.interval{period=5ms} -> bump{} -> count\n"
                                           "time.interval{period=5ms} -> beat\n"),
                   NULL);
    arc_host_loop_offer(&rig.loop, next);
    assert_null(arc_host_loop_take_retired(&rig.loop));
    assert_int_equal(turn(), ARC_HOST_TURN_CYCLE);
    rig.ports = next;
    /* Its first samples go out although the old gates are still open. */
    assert_true(heard(counts_sub, "count") == 101);
    assert_true(heard(beats, "beat") == 1);
    assert_ptr_equal(arc_host_loop_take_retired(&rig.loop), old);
    arc_host_ports_close(old);
    int64_t swapped = rig.loop.rt.start_mono_ns;
    turn();
    assert_true(heard(counts_sub, "count") == 102);
    assert_in_range(rig.script.now - swapped, 5 * MS, 5 * MS + 100);
    telem_sub_close(beats);
    telem_sub_close(counts_sub);
    tear_down();
}

static void a_channel_that_is_not_there_or_has_another_type_is_named(void **state)
{
    (void)state;
    set_up("count i64");
    struct arc_image *image = live_compile(&rig.live, counter);
    struct live other;
    struct arcd_errinfo why;
    live_open(&other, "level f64");
    assert_int_equal(arc_host_ports_check(image, other.chans, "automation 'A'", &why),
                     ARCD_ERR_NOTFOUND);
    assert_string_equal(why.text, "automation 'A': channel 'count' is not declared");
    live_declare(&other, "count f64");
    assert_int_equal(arc_host_ports_check(image, other.chans, "automation 'A'", &why),
                     ARCD_ERR_PROGRAM);
    assert_non_null(strstr(why.text, "channel 'count' is f64, the program was compiled for i64"));
    live_close(&other);
    tear_down();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_fires_at_the_start_and_then_on_its_grid),
        cmocka_unit_test(held_up_for_fifty_periods_it_runs_once_and_counts_the_rest),
        cmocka_unit_test(lateness_is_from_the_deadline_to_the_cycle),
        cmocka_unit_test(each_waiting_batch_gets_a_cycle_of_its_own_at_once),
        cmocka_unit_test(a_due_timer_goes_before_waiting_data),
        cmocka_unit_test(data_does_not_starve_when_cycles_are_longer_than_the_period),
        cmocka_unit_test(a_batch_that_is_too_long_comes_in_pieces),
        cmocka_unit_test(what_a_program_writes_and_reads_comes_back_to_it),
        cmocka_unit_test(a_wait_that_the_bell_ends_is_no_cycle_but_honours_a_reset),
        cmocka_unit_test(authority_changes_come_before_the_samples_of_their_cycle),
        cmocka_unit_test(the_default_authority_is_the_configured_one),
        cmocka_unit_test(text_goes_out_and_one_that_fits_no_batch_is_counted),
        cmocka_unit_test(more_samples_than_a_batch_holds_go_out_in_several),
        cmocka_unit_test(samples_that_find_no_free_batch_are_counted),
        cmocka_unit_test(a_full_queue_drops_counts_by_channel_and_goes_on_with_the_newest),
        cmocka_unit_test(a_fault_ends_the_turns_and_discards_the_cycle),
        cmocka_unit_test(a_status_goes_out_and_its_key_comes_back_in_a_cycle_at_once),
        cmocka_unit_test(another_program_is_taken_between_two_cycles),
        cmocka_unit_test(a_channel_that_is_not_there_or_has_another_type_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
