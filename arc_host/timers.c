#include "arc_host/timers.h"

#include <string.h>

void arc_host_timers_init(struct arc_host_timers *timers, struct base_arena *arena, uint32_t n_ids)
{
    timers->heap = base_arena_array(arena, struct arc_host_timer, n_ids);
    timers->place = base_arena_array(arena, uint32_t, n_ids);
    timers->n = 0;
    timers->n_ids = n_ids;
}

ARCD_RT void arc_host_timers_reset(struct arc_host_timers *timers)
{
    timers->n = 0;
    memset(timers->place, 0, timers->n_ids * sizeof *timers->place);
}

static ARCD_RT void put(struct arc_host_timers *timers, uint32_t at, struct arc_host_timer timer)
{
    timers->heap[at] = timer;
    timers->place[timer.id] = at + 1;
}

static ARCD_RT void sift_up(struct arc_host_timers *timers, uint32_t at,
                            struct arc_host_timer timer)
{
    while (at > 0) {
        uint32_t parent = (at - 1) / 2;
        if (timers->heap[parent].deadline_ns <= timer.deadline_ns)
            break;
        put(timers, at, timers->heap[parent]);
        at = parent;
    }
    put(timers, at, timer);
}

static ARCD_RT void sift_down(struct arc_host_timers *timers, uint32_t at,
                              struct arc_host_timer timer)
{
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= timers->n)
            break;
        if (child + 1 < timers->n &&
            timers->heap[child + 1].deadline_ns < timers->heap[child].deadline_ns)
            child++;
        if (timers->heap[child].deadline_ns >= timer.deadline_ns)
            break;
        put(timers, at, timers->heap[child]);
        at = child;
    }
    put(timers, at, timer);
}

ARCD_RT void arc_host_timers_set(struct arc_host_timers *timers, uint32_t id, int64_t deadline_ns)
{
    arc_host_timers_clear(timers, id);
    sift_up(timers, timers->n++, (struct arc_host_timer){.deadline_ns = deadline_ns, .id = id});
}

ARCD_RT void arc_host_timers_clear(struct arc_host_timers *timers, uint32_t id)
{
    uint32_t place = timers->place[id];
    if (place == 0)
        return;
    timers->place[id] = 0;
    uint32_t at = place - 1;
    struct arc_host_timer last = timers->heap[--timers->n];
    if (last.id == id)
        return;
    if (at > 0 && timers->heap[(at - 1) / 2].deadline_ns > last.deadline_ns)
        sift_up(timers, at, last);
    else
        sift_down(timers, at, last);
}
