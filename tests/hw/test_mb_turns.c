#include "hw/modbus/mb_turns.h"

#include "tests/support/test.h"

#include <errno.h>
#include <stdlib.h>

enum { N_CALLERS = 5 };

struct fixture {
    struct mb_turns turns;
    struct mb_caller *callers;
    char order[N_CALLERS + 1];
    int n_served;
};

static void set_up(struct fixture *f)
{
    *f = (struct fixture){0};
    mb_turns_init(&f->turns);
    f->callers = aligned_alloc(_Alignof(struct mb_caller), N_CALLERS * sizeof *f->callers);
    for (int i = 0; i < N_CALLERS; i++)
        assert_int_equal(mb_caller_init(&f->callers[i], NULL), ARCD_OK);
}

static void tear_down(struct fixture *f)
{
    for (int i = 0; i < N_CALLERS; i++)
        mb_caller_fini(&f->callers[i]);
    free(f->callers);
    mb_turns_fini(&f->turns);
}

static int take(struct fixture *f, int caller, bool is_write, int64_t deadline_ns)
{
    return mb_turns_take(&f->turns, &f->callers[caller], is_write, base_clock_system(),
                         deadline_ns);
}

struct order {
    struct fixture *f;
    int caller;
    bool is_write;
    int result;
};

static void *take_a_turn(void *arg)
{
    struct order *order = arg;
    struct fixture *f = order->f;
    order->result = take(f, order->caller, order->is_write, BASE_NEVER);
    if (order->result == 0) {
        f->order[f->n_served++] = order->is_write ? 'w' : 'r';
        mb_turns_give(&f->turns);
    }
    return NULL;
}

static int n_waiting(struct fixture *f)
{
    int n = 0;
    pthread_mutex_lock(&f->turns.lock);
    for (int list = 0; list < 2; list++)
        for (struct mb_caller *c = f->turns.first[list]; c != NULL; c = c->next)
            n++;
    pthread_mutex_unlock(&f->turns.lock);
    return n;
}

static void start(struct order *order, pthread_t *thread, int n_before)
{
    pthread_create(thread, NULL, take_a_turn, order);
    while (n_waiting(order->f) <= n_before)
        sched_yield();
}

static void writes_go_before_reads(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    assert_int_equal(take(&f, 0, false, BASE_NEVER), 0);
    struct order orders[] = {
        {&f, 1, false, -1}, {&f, 2, false, -1}, {&f, 3, true, -1}, {&f, 4, true, -1}};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        start(&orders[i], &threads[i], i);
    assert_true(mb_turns_wanted(&f.turns));
    mb_turns_give(&f.turns);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(orders[i].result, 0);
    }
    assert_string_equal(f.order, "wwrr");
    assert_false(mb_turns_wanted(&f.turns));
    tear_down(&f);
}

static void a_wait_for_a_turn_ends_at_its_deadline(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    assert_int_equal(take(&f, 0, false, BASE_NEVER), 0);
    assert_int_equal(take(&f, 1, true, base_mono_ns() + 10 * BASE_NS_PER_MS), ETIMEDOUT);
    assert_int_equal(n_waiting(&f), 0);
    mb_turns_give(&f.turns);
    assert_int_equal(take(&f, 1, true, BASE_NEVER), 0);
    mb_turns_give(&f.turns);
    tear_down(&f);
}

static void a_wait_for_a_turn_can_be_interrupted(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    assert_int_equal(take(&f, 0, false, BASE_NEVER), 0);
    struct order order = {&f, 1, false, -1};
    pthread_t thread;
    start(&order, &thread, 0);
    mb_caller_interrupt(&f.callers[1]);
    pthread_join(thread, NULL);
    assert_int_equal(order.result, ECANCELED);
    assert_int_equal(n_waiting(&f), 0);
    mb_turns_give(&f.turns);
    assert_int_equal(take(&f, 1, false, BASE_NEVER), ECANCELED); /* until it is reset */
    mb_caller_reset(&f.callers[1]);
    assert_int_equal(take(&f, 1, false, BASE_NEVER), 0);
    mb_turns_give(&f.turns);
    tear_down(&f);
}

static void count_call(void *ctx)
{
    ++*(int *)ctx;
}

static void only_the_holder_is_called_for(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    int n = 0;
    mb_turns_if_holder(&f.turns, &f.callers[0], count_call, &n);
    assert_int_equal(n, 0);
    assert_int_equal(take(&f, 0, false, BASE_NEVER), 0);
    mb_turns_if_holder(&f.turns, &f.callers[1], count_call, &n);
    assert_int_equal(n, 0);
    mb_turns_if_holder(&f.turns, &f.callers[0], count_call, &n);
    assert_int_equal(n, 1);
    mb_turns_give(&f.turns);
    tear_down(&f);
}

/* ---- Many at once */

struct crowd {
    struct fixture *f;
    int caller;
    _Atomic int *inside;
    _Atomic int *n_interrupts;
};

static void *come_and_go(void *arg)
{
    struct crowd *crowd = arg;
    struct mb_caller *caller = &crowd->f->callers[crowd->caller];
    for (int i = 0; i < 3000; i++) {
        int64_t deadline_ns = i % 5 == 0 ? base_mono_ns() : BASE_NEVER;
        int result = take(crowd->f, crowd->caller, crowd->caller % 2, deadline_ns);
        if (result == ECANCELED) {
            atomic_fetch_add(crowd->n_interrupts, 1);
            mb_caller_reset(caller);
        }
        if (result != 0)
            continue;
        assert_int_equal(atomic_fetch_add(crowd->inside, 1), 0);
        if (i % 100 == 0) /* anybody may be interrupted, waiting or not */
            mb_caller_interrupt(&crowd->f->callers[(crowd->caller + 1) % N_CALLERS]);
        assert_int_equal(atomic_fetch_sub(crowd->inside, 1), 1);
        mb_turns_give(&crowd->f->turns);
    }
    return NULL;
}

static void one_at_a_time_in_any_crowd(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    _Atomic int inside = 0;
    _Atomic int n_interrupts = 0;
    struct crowd crowds[N_CALLERS];
    pthread_t threads[N_CALLERS];
    for (int i = 0; i < N_CALLERS; i++) {
        crowds[i] = (struct crowd){&f, i, &inside, &n_interrupts};
        pthread_create(&threads[i], NULL, come_and_go, &crowds[i]);
    }
    for (int i = 0; i < N_CALLERS; i++)
        pthread_join(threads[i], NULL);
    assert_true(n_interrupts > 0);
    assert_false(mb_turns_wanted(&f.turns));
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_go_before_reads),
        cmocka_unit_test(a_wait_for_a_turn_ends_at_its_deadline),
        cmocka_unit_test(a_wait_for_a_turn_can_be_interrupted),
        cmocka_unit_test(only_the_holder_is_called_for),
        cmocka_unit_test(one_at_a_time_in_any_crowd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
