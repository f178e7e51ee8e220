/* Many publishers and subscribers at once: every sample arrives exactly once, in order, or is
 * counted as dropped. Meant for the thread sanitizer; the counts are small enough for it. */
#include "tests/telem/bus_fixture.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { N_PUBS = 4, N_SUBS = 4, N_BATCHES = 20000, ROWS = 4 };

struct stress;

struct stress_pub {
    struct stress *all;
    struct telem_pub *pub;
    uint64_t sent, lost;
};

struct stress_sub {
    struct stress *all;
    struct telem_sub *sub;
    bool slow;
    uint64_t received[N_PUBS];
    double last[N_PUBS];
};

struct stress {
    struct bus_fixture f;
    struct telem_key keys[N_PUBS];
    struct stress_pub pubs[N_PUBS];
    struct stress_sub subs[N_SUBS];
    _Atomic int pubs_running;
    _Atomic int errors;
};

static void *publish_all(void *arg)
{
    struct stress_pub *me = arg;
    double value = 0;
    for (int i = 0; i < N_BATCHES; i++) {
        struct telem_batch *batch = telem_pub_borrow(me->pub);
        if (batch == NULL) {
            telem_pub_count_lost(me->pub, 0, ROWS);
            me->lost += ROWS;
            value += ROWS;
            sched_yield();
            continue;
        }
        for (int row = 0; row < ROWS; row++)
            (void)telem_batch_append(batch, 0, (union telem_value){.f64 = ++value}, row);
        telem_pub_publish(me->pub, batch);
        me->sent += ROWS;
    }
    atomic_fetch_sub(&me->all->pubs_running, 1);
    for (int s = 0; s < N_SUBS; s++)
        base_doorbell_ring(telem_sub_bell(me->all->subs[s].sub));
    return NULL;
}

static int publisher_of(const struct stress *all, struct telem_key key)
{
    for (int p = 0; p < N_PUBS; p++)
        if (telem_key_equal(all->keys[p], key))
            return p;
    return -1;
}

static void take_batch(struct stress_sub *me, const struct telem_batch *batch)
{
    int p = publisher_of(me->all, batch->group->cols[0].key);
    const double *values = telem_batch_col_const(batch, 0);
    for (uint32_t row = 0; row < batch->cols[0].n; row++) {
        if (values[row] <= me->last[p])
            atomic_fetch_add(&me->all->errors, 1);
        me->last[p] = values[row];
    }
    me->received[p] += batch->cols[0].n;
    telem_batch_release(batch);
}

static void *consume_all(void *arg)
{
    struct stress_sub *me = arg;
    for (;;) {
        uint32_t seen = base_doorbell_read(telem_sub_bell(me->sub));
        bool last_look = atomic_load(&me->all->pubs_running) == 0;
        const struct telem_batch *batch;
        while ((batch = telem_sub_next(me->sub)) != NULL) {
            take_batch(me, batch);
            if (me->slow)
                sched_yield();
        }
        if (last_look)
            return NULL;
        base_doorbell_wait(telem_sub_bell(me->sub), seen, BASE_NEVER);
    }
}

static void set_up(struct stress *all)
{
    fixture_open(&all->f);
    atomic_init(&all->pubs_running, N_PUBS);
    for (int p = 0; p < N_PUBS; p++) {
        char name[8];
        snprintf(name, sizeof name, "p%d", p);
        all->keys[p] = fixture_chan(&all->f, name, TELEM_F64, false);
        struct telem_pub_opts opts = {
            .name = name, .keys = &all->keys[p], .n_keys = 1, .max_rows = ROWS};
        all->pubs[p].all = all;
        assert_int_equal(telem_pub_open(all->f.bus, &opts, &all->pubs[p].pub, NULL), ARCD_OK);
    }
    for (int s = 0; s < N_SUBS; s++) {
        all->subs[s].all = all;
        all->subs[s].slow = s % 2 == 1;
        all->subs[s].sub = fixture_sub(&all->f, all->keys, N_PUBS, 8);
    }
}

static void every_sample_arrives_once_and_in_order_or_is_counted(void **state)
{
    (void)state;
    struct stress all = {0};
    set_up(&all);
    pthread_t pubs[N_PUBS], subs[N_SUBS];
    for (int s = 0; s < N_SUBS; s++)
        pthread_create(&subs[s], NULL, consume_all, &all.subs[s]);
    for (int p = 0; p < N_PUBS; p++)
        pthread_create(&pubs[p], NULL, publish_all, &all.pubs[p]);
    for (int p = 0; p < N_PUBS; p++)
        pthread_join(pubs[p], NULL);
    for (int s = 0; s < N_SUBS; s++)
        pthread_join(subs[s], NULL);

    assert_int_equal(all.errors, 0);
    for (int s = 0; s < N_SUBS; s++) {
        uint64_t dropped[N_PUBS];
        telem_sub_dropped(all.subs[s].sub, dropped);
        for (int p = 0; p < N_PUBS; p++) {
            assert_int_equal(all.subs[s].received[p] + dropped[p], all.pubs[p].sent);
            assert_int_equal(all.pubs[p].sent + all.pubs[p].lost, (uint64_t)N_BATCHES * ROWS);
        }
    }
    for (int p = 0; p < N_PUBS; p++)
        telem_pub_close(all.pubs[p].pub);
    for (int s = 0; s < N_SUBS; s++)
        telem_sub_close(all.subs[s].sub);
    fixture_close(&all.f); /* asserts that no batch is missing */
}

/* Comes and goes while the others run. */
static void *come_and_go(void *arg)
{
    struct stress *all = arg;
    for (int i = 0; i < 300; i++) {
        struct telem_sub *sub = fixture_sub(&all->f, all->keys, N_PUBS, 4);
        telem_batch_release(telem_sub_next(sub));
        telem_sub_close(sub);
    }
    return NULL;
}

static void subscribers_come_and_go_while_others_miss_nothing(void **state)
{
    (void)state;
    struct stress all = {0};
    set_up(&all);
    pthread_t pubs[N_PUBS], subs[N_SUBS], guest;
    for (int s = 0; s < N_SUBS; s++)
        pthread_create(&subs[s], NULL, consume_all, &all.subs[s]);
    for (int p = 0; p < N_PUBS; p++)
        pthread_create(&pubs[p], NULL, publish_all, &all.pubs[p]);
    pthread_create(&guest, NULL, come_and_go, &all);
    pthread_join(guest, NULL);
    for (int p = 0; p < N_PUBS; p++)
        pthread_join(pubs[p], NULL);
    for (int s = 0; s < N_SUBS; s++)
        pthread_join(subs[s], NULL);
    for (int s = 0; s < N_SUBS; s++) {
        uint64_t dropped[N_PUBS];
        telem_sub_dropped(all.subs[s].sub, dropped);
        for (int p = 0; p < N_PUBS; p++)
            assert_int_equal(all.subs[s].received[p] + dropped[p], all.pubs[p].sent);
        telem_sub_close(all.subs[s].sub);
    }
    for (int p = 0; p < N_PUBS; p++)
        telem_pub_close(all.pubs[p].pub);
    fixture_close(&all.f);
}

struct contender {
    struct telem_pub *pub;
    unsigned seed;
};

static void *contend(void *arg)
{
    struct contender *me = arg;
    for (int i = 0; i < 20000; i++) {
        me->seed = me->seed * 1103515245u + 12345u;
        telem_pub_set_authority(me->pub, 0, (uint8_t)(me->seed >> 16));
        (void)telem_pub_holds(me->pub, 0);
    }
    return NULL;
}

static void elections_by_many_threads_end_with_the_highest(void **state)
{
    (void)state;
    struct bus_fixture f;
    fixture_open(&f);
    struct contender c[4];
    pthread_t threads[4];
    for (unsigned i = 0; i < 4; i++) {
        c[i].pub = fixture_writer(&f, "contender", 1);
        c[i].seed = i + 1;
    }
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, contend, &c[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    int best = 0;
    for (int i = 1; i < 4; i++)
        if ((uint8_t)(c[i].seed >> 16) > (uint8_t)(c[best].seed >> 16))
            best = i;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(telem_pub_holds(c[i].pub, 0), i == best);
        telem_pub_close(c[i].pub);
    }
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sample_arrives_once_and_in_order_or_is_counted),
        cmocka_unit_test(subscribers_come_and_go_while_others_miss_nothing),
        cmocka_unit_test(elections_by_many_threads_end_with_the_highest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
