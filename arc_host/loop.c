#include "arc_host/loop.h"

#include <string.h>

void arc_host_loop_init(struct arc_host_loop *loop, const struct arc_host_loop_opts *opts)
{
    memset(loop, 0, sizeof *loop);
    arc_host_wait_init(&loop->wait, &opts->wait, opts->level, opts->realtime);
    loop->timing = opts->timing;
    loop->bell = opts->bell;
    loop->outside = opts->outside;
    loop->clock = opts->clock != NULL ? opts->clock : base_clock_system();
    base_arena_init(&loop->arena);
    base_ring_init(&loop->requests, &loop->arena, ARC_HOST_LOOP_REQUESTS,
                   sizeof(struct arc_host_request));
    base_ring_init(&loop->replies, &loop->arena, ARC_HOST_LOOP_REQUESTS,
                   sizeof(struct arc_host_reply));
}

void arc_host_loop_fini(struct arc_host_loop *loop)
{
    base_arena_fini(&loop->arena);
}

ARCD_RT struct arc_host_ports *arc_host_loop_ports(struct arc_host_loop *loop)
{
    return loop->rt.ports;
}

/* ---- What a cycle leaves behind */

/* Cut to size, at the start of a character. */
ARCD_RT static void copy_text(char *to, size_t size, struct arc_host_text_view from)
{
    size_t n = from.len;
    if (n > size - 1) {
        n = size - 1;
        while (n > 0 && ((unsigned char)from.bytes[n] & 0xc0) == 0x80)
            n--;
    }
    if (n > 0)
        memcpy(to, from.bytes, n);
    to[n] = '\0';
}

ARCD_RT static void send_statuses(struct arc_host_loop *loop)
{
    const struct arc_host_outputs *out = arc_host_program_outputs(loop->rt.program);
    if (ARCD_LIKELY(out->n_statuses == 0))
        return;
    struct arc_host_request *request = &loop->rt.request;
    for (uint32_t i = 0; i < out->n_statuses; i++) {
        const struct arc_host_status *status = &out->statuses[i];
        request->id = status->id;
        copy_text(request->key_or_name, sizeof request->key_or_name, status->key_or_name);
        copy_text(request->message, sizeof request->message, status->message);
        copy_text(request->variant, sizeof request->variant, status->variant);
        if (!base_ring_push(&loop->requests, request))
            atomic_fetch_add_explicit(&loop->requests_lost, 1, memory_order_relaxed);
    }
    if (loop->outside != NULL)
        base_doorbell_ring(loop->outside);
}

struct cycle {
    int64_t began_mono_ns;
    int64_t deadline_mono_ns; /* due when it began; BASE_NEVER: none */
    bool by_input;
};

ARCD_RT static int64_t deadline_of(const struct arc_host_loop *loop)
{
    int64_t elapsed_ns = arc_host_program_deadline(loop->rt.program);
    if (elapsed_ns >= BASE_NEVER - loop->rt.start_mono_ns)
        return BASE_NEVER;
    return loop->rt.start_mono_ns + elapsed_ns;
}

ARCD_RT static void note(struct arc_host_loop *loop, const struct cycle *cycle)
{
    struct arc_host_stats stats = arc_host_program_stats(loop->rt.program);
    struct arc_host_timing_cycle timing = {
        .began_mono_ns = cycle->began_mono_ns,
        .ended_mono_ns = loop->wait.ops.mono_ns(loop->wait.ops.ctx),
        .deadline_mono_ns = cycle->deadline_mono_ns,
        .overruns = stats.missed_deadlines - loop->rt.missed,
        .by_input = cycle->by_input,
        .timers_run = arc_host_program_deadline(loop->rt.program) != BASE_NEVER,
    };
    loop->rt.missed = stats.missed_deadlines;
    arc_host_timing_cycle(loop->timing, &timing);
    atomic_store_explicit(&loop->statuses_dropped, stats.statuses_dropped, memory_order_relaxed);
    atomic_store_explicit(&loop->backlog_dropped, stats.backlog_dropped, memory_order_relaxed);
}

ARCD_RT static enum arc_host_turn finish(struct arc_host_loop *loop, const struct cycle *cycle,
                                         enum arcd_err err)
{
    if (ARCD_UNLIKELY(err != ARCD_OK))
        return ARC_HOST_TURN_FAULT;
    arc_host_ports_send(loop->rt.ports);
    send_statuses(loop);
    note(loop, cycle);
    return ARC_HOST_TURN_CYCLE;
}

/* ---- The kinds of cycle */

ARCD_RT enum arc_host_turn arc_host_loop_begin(struct arc_host_loop *loop,
                                               struct arc_host_ports *ports)
{
    int64_t now = loop->wait.ops.mono_ns(loop->wait.ops.ctx);
    loop->rt.ports = ports;
    loop->rt.program = arc_host_ports_program(ports);
    loop->rt.start_mono_ns = now;
    loop->rt.missed = 0;
    loop->rt.timers_in_a_row = 0;
    loop->rt.replied = false;
    arc_host_timing_begin(loop->timing, now);
    struct cycle cycle = {.began_mono_ns = now, .deadline_mono_ns = BASE_NEVER};
    enum arcd_err err = arc_host_program_start(loop->rt.program, base_clock_utc(loop->clock));
    return finish(loop, &cycle, err);
}

ARCD_RT static enum arc_host_turn run_timer(struct arc_host_loop *loop, int64_t now,
                                            int64_t deadline)
{
    struct cycle cycle = {.began_mono_ns = now,
                          .deadline_mono_ns = now >= deadline ? deadline : BASE_NEVER};
    loop->rt.timers_in_a_row++;
    loop->rt.replied = false;
    enum arcd_err err = arc_host_program_timer(loop->rt.program, now - loop->rt.start_mono_ns,
                                               base_clock_utc(loop->clock));
    return finish(loop, &cycle, err);
}

ARCD_RT static enum arc_host_turn run_input(struct arc_host_loop *loop,
                                            const struct arc_host_frame *frame, int64_t deadline)
{
    /* Its stamp first, then the clock that its timers start from: the stamps of two writes with a
     * wait in between are then never less than the wait apart. */
    int64_t stamp = base_clock_utc(loop->clock);
    int64_t now = loop->wait.ops.mono_ns(loop->wait.ops.ctx);
    struct cycle cycle = {.began_mono_ns = now,
                          .deadline_mono_ns = now >= deadline ? deadline : BASE_NEVER,
                          .by_input = true};
    loop->rt.timers_in_a_row = 0;
    enum arcd_err err =
        arc_host_program_input(loop->rt.program, frame, now - loop->rt.start_mono_ns, stamp);
    if (ARCD_UNLIKELY(err == ARCD_ERR_INVALID)) {
        arc_host_ports_refused(loop->rt.ports, frame);
        arc_host_ports_done(loop->rt.ports);
        return ARC_HOST_TURN_CYCLE;
    }
    enum arc_host_turn turn = finish(loop, &cycle, err);
    arc_host_ports_done(loop->rt.ports);
    return turn;
}

/* ---- One turn */

/* The old program yields its channels first, so that the new one's first samples go out. */
ARCD_RT static enum arc_host_turn take_offer(struct arc_host_loop *loop,
                                             struct arc_host_ports *ports)
{
    arc_host_ports_yield(loop->rt.ports);
    atomic_store(&loop->retired, loop->rt.ports);
    if (loop->outside != NULL)
        base_doorbell_ring(loop->outside);
    return arc_host_loop_begin(loop, ports);
}

ARCD_RT static void take_replies(struct arc_host_loop *loop)
{
    struct arc_host_reply *reply = &loop->rt.reply;
    for (int i = 0; i < ARC_HOST_LOOP_REQUESTS && base_ring_pop(&loop->replies, reply); i++) {
        uint32_t len = (uint32_t)strnlen(reply->key, sizeof reply->key);
        if (arc_host_program_status_reply(loop->rt.program, reply->id, reply->key, len))
            loop->rt.replied = true;
    }
}

ARCD_RT static enum arc_host_turn wait_for_work(struct arc_host_loop *loop, uint32_t seen,
                                                int64_t deadline)
{
    int64_t now;
    loop->rt.timers_in_a_row = 0;
    arc_host_program_tidy(loop->rt.program);
    if (arc_host_wait_until(&loop->wait, seen, deadline, &now) == ARC_HOST_WAKE_DEADLINE)
        return run_timer(loop, now, deadline);
    arc_host_timing_honour(loop->timing, now);
    return ARC_HOST_TURN_WAIT;
}

/* Data has waited for so many timer cycles that one frame goes before a due timer. */
ARCD_RT static bool data_is_starved(struct arc_host_loop *loop)
{
    return loop->rt.timers_in_a_row >= ARC_HOST_LOOP_PATIENCE &&
           arc_host_ports_ready(loop->rt.ports);
}

ARCD_RT enum arc_host_turn arc_host_loop_turn(struct arc_host_loop *loop)
{
    /* Before anything is looked for: what comes later ends the wait. */
    uint32_t seen = loop->wait.ops.rings(loop->wait.ops.ctx);
    if (ARCD_UNLIKELY(atomic_load_explicit(&loop->offered, memory_order_relaxed) != NULL))
        return take_offer(loop, atomic_exchange(&loop->offered, NULL));
    take_replies(loop);
    int64_t now = loop->wait.ops.mono_ns(loop->wait.ops.ctx);
    int64_t deadline = deadline_of(loop);
    struct arc_host_frame frame;
    if (now >= deadline && !data_is_starved(loop))
        return run_timer(loop, now, deadline);
    if (arc_host_ports_next(loop->rt.ports, &frame))
        return run_input(loop, &frame, deadline);
    if (now >= deadline || loop->rt.replied || arc_host_program_wants_cycle(loop->rt.program))
        return run_timer(loop, now, deadline);
    return wait_for_work(loop, seen, deadline);
}

ARCD_RT enum arcd_err arc_host_loop_run(struct arc_host_loop *loop, struct arc_host_ports *ports)
{
    enum arc_host_turn turn = arc_host_loop_begin(loop, ports);
    while (turn != ARC_HOST_TURN_FAULT && !atomic_load_explicit(&loop->stop, memory_order_acquire))
        turn = arc_host_loop_turn(loop);
    return turn == ARC_HOST_TURN_FAULT ? ARCD_ERR_FAULT : ARCD_OK;
}

/* ---- From outside */

void arc_host_loop_stop(struct arc_host_loop *loop)
{
    atomic_store_explicit(&loop->stop, true, memory_order_release);
    base_doorbell_ring(loop->bell);
}

void arc_host_loop_offer(struct arc_host_loop *loop, struct arc_host_ports *ports)
{
    ARCD_ASSERT(atomic_load(&loop->retired) == NULL);
    struct arc_host_ports *before = atomic_exchange(&loop->offered, ports);
    ARCD_ASSERT(before == NULL);
    base_doorbell_ring(loop->bell);
}

struct arc_host_ports *arc_host_loop_take_retired(struct arc_host_loop *loop)
{
    return atomic_exchange(&loop->retired, NULL);
}

struct arc_host_ports *arc_host_loop_take_back(struct arc_host_loop *loop)
{
    return atomic_exchange(&loop->offered, NULL);
}

bool arc_host_loop_next_request(struct arc_host_loop *loop, struct arc_host_request *request)
{
    return base_ring_pop(&loop->requests, request);
}

bool arc_host_loop_reply(struct arc_host_loop *loop, uint64_t id, const char *key)
{
    struct arc_host_reply reply = {.id = id};
    strncpy(reply.key, key, sizeof reply.key - 1);
    bool pushed = base_ring_push(&loop->replies, &reply);
    base_doorbell_ring(loop->bell);
    return pushed;
}
