#include "arc_host/wait.h"

#include "tests/arc_host/script_clock.h"
#include "tests/support/test.h"

#include <pthread.h>

static const int64_t US = 1000, MS = 1000000;

static int64_t constant_delay(void *ctx, uint64_t n)
{
    (void)n;
    return *(int64_t *)ctx;
}

/* Mostly `ctx`, every 200th sleep ten times that. */
static int64_t mostly(void *ctx, uint64_t n)
{
    return *(int64_t *)ctx * (n % 200 == 199 ? 10 : 1);
}

struct rig {
    struct script_clock clock;
    struct arc_host_wait wait;
    int64_t delay;
    int64_t deadline;
    int64_t worst_late, worst_spin;
};

static void set_up(struct rig *rig, enum arc_host_level level, bool realtime, int64_t delay)
{
    *rig = (struct rig){.delay = delay};
    rig->clock = (struct script_clock){
        .now = 1000 * MS, .look_ns = 30, .delay_ns = constant_delay, .delay_ctx = &rig->delay};
    rig->deadline = rig->clock.now;
    struct arc_host_wait_ops ops = script_ops(&rig->clock);
    arc_host_wait_init(&rig->wait, &ops, level, realtime);
}

/* n waits on a fixed grid. A period that was missed altogether is skipped, as the host does. */
static void run(struct rig *rig, uint32_t n, int64_t period)
{
    rig->worst_late = rig->worst_spin = 0;
    for (uint32_t i = 0; i < n; i++) {
        do
            rig->deadline += period;
        while (rig->deadline <= rig->clock.now);
        int64_t slept = rig->clock.slept_ns, began = rig->clock.now, now;
        assert_int_equal(arc_host_wait_until(&rig->wait, rig->clock.rung, rig->deadline, &now),
                         ARC_HOST_WAKE_DEADLINE);
        assert_int_equal(now, rig->clock.now);
        assert_true(now >= rig->deadline); /* never early */
        int64_t late = now - rig->deadline;
        int64_t spin = rig->clock.now - began - (rig->clock.slept_ns - slept);
        rig->worst_late = late > rig->worst_late ? late : rig->worst_late;
        rig->worst_spin = spin > rig->worst_spin ? spin : rig->worst_spin;
    }
}

static void low_sleeps_up_to_the_deadline_and_is_as_late_as_the_system(void **state)
{
    (void)state;
    struct rig rig;
    set_up(&rig, ARC_HOST_LEVEL_LOW, true, 60 * US);
    run(&rig, 100, MS);
    assert_in_range(rig.worst_late, 60 * US, 61 * US);
    assert_true(rig.worst_spin < US);
    assert_int_equal(rig.clock.sleeps, 100);
}

static void auto_learns_the_delay_and_is_on_time_within_one_look_at_the_clock(void **state)
{
    (void)state;
    struct rig rig;
    set_up(&rig, ARC_HOST_LEVEL_AUTO, true, 120 * US);
    run(&rig, 1, MS); /* the first guess is too small */
    assert_true(rig.worst_late > 0);
    run(&rig, 500, MS);
    assert_true(rig.worst_late <= 30);
    /* The checking takes the guard and the step's width, not the delay. */
    assert_true(rig.worst_spin < 12 * US);
}

static void auto_adapts_when_wake_ups_become_slower_and_faster_again(void **state)
{
    (void)state;
    struct rig rig;
    set_up(&rig, ARC_HOST_LEVEL_AUTO, true, 20 * US);
    run(&rig, 2000, MS);
    assert_true(rig.worst_spin < 60 * US);
    rig.delay = 200 * US;
    run(&rig, 20, MS); /* late for these */
    assert_true(rig.worst_late > 100 * US);
    run(&rig, 1000, MS);
    assert_true(rig.worst_late <= 30);
    rig.delay = 20 * US;
    run(&rig, ARC_HOST_MARGIN_WINDOW, MS);
    run(&rig, 100, MS);
    assert_true(rig.worst_late <= 30);
    assert_true(rig.worst_spin < 5 * US);
}

static void auto_sleeps_as_low_does_when_the_wait_is_long(void **state)
{
    (void)state;
    struct rig rig;
    set_up(&rig, ARC_HOST_LEVEL_AUTO, true, 60 * US);
    run(&rig, 50, 11 * MS);
    assert_true(rig.worst_spin < US);
    run(&rig, 50, 10 * MS);
    assert_true(rig.worst_late <= 30);
}

static void medium_keeps_a_margin_of_50_us_at_every_period(void **state)
{
    (void)state;
    struct rig rig;
    set_up(&rig, ARC_HOST_LEVEL_MEDIUM, true, 2 * US);
    run(&rig, 20, MS);
    run(&rig, 20, MS);
    assert_true(rig.worst_late <= 30);
    assert_in_range(rig.worst_spin, 47 * US, 50 * US);
    run(&rig, 20, 1000 * MS);
    assert_in_range(rig.worst_spin, 47 * US, 50 * US);
}

static void high_covers_the_worst_recent_wake_up_where_auto_does_not(void **state)
{
    (void)state;
    struct rig rig;
    set_up(&rig, ARC_HOST_LEVEL_AUTO, true, 30 * US);
    rig.clock.delay_ns = mostly;
    run(&rig, 1000, MS);
    run(&rig, 1000, MS);
    assert_true(rig.worst_late > 200 * US);
    arc_host_wait_set_level(&rig.wait, ARC_HOST_LEVEL_HIGH);
    run(&rig, 1000, MS);
    assert_true(rig.worst_late <= 30);
}

static void the_margin_is_never_more_than_half_of_the_wait(void **state)
{
    (void)state;
    for (int level = 0; level < ARC_HOST_LEVEL_COUNT; level++) {
        struct rig rig;
        set_up(&rig, (enum arc_host_level)level, true, 3 * MS);
        run(&rig, 50, MS);
        for (int64_t wait_ns = 0; wait_ns < 2000 * MS; wait_ns += wait_ns / 5 + 1)
            assert_true(arc_host_wait_margin(&rig.wait, wait_ns) <= wait_ns / 2);
        rig.delay = 0; /* the margin is still that of 3 ms */
        run(&rig, 1, 100 * MS);
        run(&rig, 20, 50 * US);
        assert_true(rig.worst_spin <= 25 * US + 60);
    }
}

/* As long as there are others, a normal thread that is often on a core is woken later. */
static void a_normal_thread_looks_at_the_clock_for_a_sixteenth_of_the_wait(void **state)
{
    (void)state;
    struct rig rig;
    set_up(&rig, ARC_HOST_LEVEL_AUTO, false, 3 * MS);
    run(&rig, 50, 4 * MS);
    assert_int_equal(arc_host_wait_margin(&rig.wait, 4 * MS), 250 * US);
    arc_host_wait_set_level(&rig.wait, ARC_HOST_LEVEL_MEDIUM);
    assert_int_equal(arc_host_wait_margin(&rig.wait, 16 * MS), MS);
    rig.delay = 20 * US;
    run(&rig, 1, MS);
    run(&rig, 100, MS); /* 62 us are enough for what a machine needs that has time */
    assert_true(rig.worst_late <= 30);
}

static void sharers_of_a_core_have_their_part_of_the_half_each(void **state)
{
    (void)state;
    struct rig rig;
    _Atomic uint32_t sharers = 1;
    set_up(&rig, ARC_HOST_LEVEL_HIGH, true, 3 * MS);
    rig.wait.sharers = &sharers;
    run(&rig, 50, MS);
    assert_int_equal(arc_host_wait_margin(&rig.wait, MS), 500 * US);
    atomic_store(&sharers, 5);
    assert_int_equal(arc_host_wait_margin(&rig.wait, MS), 100 * US);
    atomic_store(&sharers, 0); /* it is counted before it waits, but a margin needs no proof */
    assert_int_equal(arc_host_wait_margin(&rig.wait, MS), 500 * US);
}

static void a_shared_core_is_let_go_between_two_looks_at_the_clock(void **state)
{
    (void)state;
    struct rig rig;
    _Atomic uint32_t sharers = 1;
    set_up(&rig, ARC_HOST_LEVEL_MEDIUM, true, 5 * US);
    rig.wait.sharers = &sharers;
    rig.clock.yield_ns = 300;
    run(&rig, 10, MS);
    assert_int_equal(rig.clock.yields, 0);
    atomic_store(&sharers, 2);
    run(&rig, 10, MS);
    assert_true(rig.clock.yields > 1000); /* 45 us a wait, 330 ns a look */
    assert_true(rig.worst_late <= 330);
    uint64_t yields = rig.clock.yields;
    arc_host_wait_set_level(&rig.wait, ARC_HOST_LEVEL_LOW);
    run(&rig, 10, MS);
    assert_int_equal(rig.clock.yields, yields);
}

static void a_normal_thread_leaves_sharing_to_the_scheduler(void **state)
{
    (void)state;
    struct rig rig;
    _Atomic uint32_t sharers = 2;
    set_up(&rig, ARC_HOST_LEVEL_MEDIUM, false, 5 * US);
    rig.wait.sharers = &sharers;
    run(&rig, 10, MS);
    assert_int_equal(rig.clock.yields, 0);
}

static void a_normal_thread_at_high_looks_at_the_clock_all_the_time(void **state)
{
    (void)state;
    struct rig rig;
    set_up(&rig, ARC_HOST_LEVEL_HIGH, false, 500 * US);
    run(&rig, 100, MS);
    assert_int_equal(rig.clock.sleeps, 0);
    assert_true(rig.worst_late <= 30);
    run(&rig, 3, 1000 * MS); /* but not for more than 10 ms */
    assert_int_equal(rig.clock.sleeps, 3);
    assert_true(rig.worst_spin <= 10 * MS);
}

static void data_ends_the_sleep_at_once(void **state)
{
    (void)state;
    struct rig rig;
    set_up(&rig, ARC_HOST_LEVEL_AUTO, true, 5 * US);
    int64_t start = rig.clock.now, now;
    rig.clock.ring_at[0] = start + 300 * US;
    rig.clock.n_rings = 1;
    assert_int_equal(arc_host_wait_until(&rig.wait, 0, start + MS, &now), ARC_HOST_WAKE_RUNG);
    assert_in_range(now - start, 305 * US, 306 * US);
}

static void data_ends_the_looking_at_the_clock_too(void **state)
{
    (void)state;
    struct rig rig;
    set_up(&rig, ARC_HOST_LEVEL_MEDIUM, true, 0);
    int64_t start = rig.clock.now, now;
    rig.clock.ring_at[0] = start + 980 * US;
    rig.clock.n_rings = 1;
    assert_int_equal(arc_host_wait_until(&rig.wait, 0, start + MS, &now), ARC_HOST_WAKE_RUNG);
    assert_in_range(now - start, 980 * US, 980 * US + 60);
}

/* Half of the 40 us that are left is less than one wake-up takes: going back to sleep for it would
 * miss the deadline. */
static void a_wait_that_goes_on_after_data_keeps_its_margin(void **state)
{
    (void)state;
    struct rig rig;
    set_up(&rig, ARC_HOST_LEVEL_AUTO, true, 100 * US);
    run(&rig, 100, MS);
    int64_t deadline = rig.deadline + MS, now;
    rig.clock.ring_at[0] = deadline - 40 * US;
    rig.clock.n_rings = 1;
    uint64_t sleeps = rig.clock.sleeps;
    arc_host_wait_until(&rig.wait, 0, deadline, &now);
    assert_int_equal(arc_host_wait_until(&rig.wait, 1, deadline, &now), ARC_HOST_WAKE_DEADLINE);
    assert_true(now - deadline <= 30);
    assert_int_equal(rig.clock.sleeps, sleeps + 1);
}

static void a_deadline_that_has_come_goes_before_the_bell(void **state)
{
    (void)state;
    struct rig rig;
    set_up(&rig, ARC_HOST_LEVEL_AUTO, true, 100 * US);
    int64_t start = rig.clock.now, now;
    rig.clock.ring_at[0] = start + 999 * US; /* the wake-up takes 100 us */
    rig.clock.n_rings = 1;
    arc_host_wait_set_level(&rig.wait, ARC_HOST_LEVEL_LOW);
    assert_int_equal(arc_host_wait_until(&rig.wait, 0, start + MS, &now), ARC_HOST_WAKE_DEADLINE);
    assert_int_equal(arc_host_wait_until(&rig.wait, 0, start, &now), ARC_HOST_WAKE_DEADLINE);
}

static void a_sleep_that_ends_too_soon_is_gone_on_with(void **state)
{
    (void)state;
    struct rig rig;
    set_up(&rig, ARC_HOST_LEVEL_LOW, true, -1);
    run(&rig, 20, MS);
    assert_true(rig.worst_late <= 30);
    assert_true(rig.clock.sleeps > 20);
}

static void without_a_deadline_only_the_bell_ends_the_wait(void **state)
{
    (void)state;
    struct rig rig;
    set_up(&rig, ARC_HOST_LEVEL_HIGH, false, 0);
    int64_t start = rig.clock.now, now;
    rig.clock.ring_at[0] = start + INT64_C(86400000000000);
    rig.clock.n_rings = 1;
    assert_int_equal(arc_host_wait_until(&rig.wait, 0, BASE_NEVER, &now), ARC_HOST_WAKE_RUNG);
    assert_int_equal(rig.clock.sleeps, 1);
    assert_true(now >= rig.clock.ring_at[0]);
}

static void levels_have_names_both_ways(void **state)
{
    (void)state;
    for (int i = 0; i < ARC_HOST_LEVEL_COUNT; i++) {
        enum arc_host_level level = ARC_HOST_LEVEL_COUNT;
        assert_true(arc_host_level_from_name(arc_host_level_name((enum arc_host_level)i), &level));
        assert_int_equal(level, i);
    }
    enum arc_host_level level;
    assert_false(arc_host_level_from_name("highest", &level));
}

/* ---- The machine's own clock and futex */

static void real_waits_are_never_early_at_any_level(void **state)
{
    (void)state;
    struct base_doorbell bell;
    base_doorbell_init(&bell);
    struct arc_host_wait_ops ops = arc_host_wait_ops_system(&bell);
    static struct arc_host_wait wait;
    for (int level = 0; level < ARC_HOST_LEVEL_COUNT; level++) {
        arc_host_wait_init(&wait, &ops, (enum arc_host_level)level, true);
        for (int64_t i = 0; i < 50; i++) {
            int64_t deadline = base_mono_ns() + i * 20 * US, now;
            assert_int_equal(arc_host_wait_until(&wait, base_doorbell_read(&bell), deadline, &now),
                             ARC_HOST_WAKE_DEADLINE);
            assert_true(now >= deadline && base_mono_ns() >= deadline);
        }
    }
}

static void *ring_once(void *arg)
{
    base_doorbell_ring(arg);
    return NULL;
}

static void a_real_ring_ends_a_real_wait(void **state)
{
    (void)state;
    struct base_doorbell bell;
    base_doorbell_init(&bell);
    struct arc_host_wait_ops ops = arc_host_wait_ops_system(&bell);
    static struct arc_host_wait wait;
    arc_host_wait_init(&wait, &ops, ARC_HOST_LEVEL_AUTO, true);
    uint32_t seen = base_doorbell_read(&bell);
    pthread_t ringer;
    assert_int_equal(pthread_create(&ringer, NULL, ring_once, &bell), 0);
    int64_t now;
    assert_int_equal(arc_host_wait_until(&wait, seen, BASE_NEVER, &now), ARC_HOST_WAKE_RUNG);
    pthread_join(ringer, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(low_sleeps_up_to_the_deadline_and_is_as_late_as_the_system),
        cmocka_unit_test(auto_learns_the_delay_and_is_on_time_within_one_look_at_the_clock),
        cmocka_unit_test(auto_adapts_when_wake_ups_become_slower_and_faster_again),
        cmocka_unit_test(auto_sleeps_as_low_does_when_the_wait_is_long),
        cmocka_unit_test(medium_keeps_a_margin_of_50_us_at_every_period),
        cmocka_unit_test(high_covers_the_worst_recent_wake_up_where_auto_does_not),
        cmocka_unit_test(the_margin_is_never_more_than_half_of_the_wait),
        cmocka_unit_test(a_normal_thread_looks_at_the_clock_for_a_sixteenth_of_the_wait),
        cmocka_unit_test(sharers_of_a_core_have_their_part_of_the_half_each),
        cmocka_unit_test(a_shared_core_is_let_go_between_two_looks_at_the_clock),
        cmocka_unit_test(a_normal_thread_leaves_sharing_to_the_scheduler),
        cmocka_unit_test(a_normal_thread_at_high_looks_at_the_clock_all_the_time),
        cmocka_unit_test(data_ends_the_sleep_at_once),
        cmocka_unit_test(data_ends_the_looking_at_the_clock_too),
        cmocka_unit_test(a_wait_that_goes_on_after_data_keeps_its_margin),
        cmocka_unit_test(a_deadline_that_has_come_goes_before_the_bell),
        cmocka_unit_test(a_sleep_that_ends_too_soon_is_gone_on_with),
        cmocka_unit_test(without_a_deadline_only_the_bell_ends_the_wait),
        cmocka_unit_test(levels_have_names_both_ways),
        cmocka_unit_test(real_waits_are_never_early_at_any_level),
        cmocka_unit_test(a_real_ring_ends_a_real_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
