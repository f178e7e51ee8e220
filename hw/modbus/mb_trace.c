#include "hw/modbus/mb_trace.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void mb_trace_init(struct mb_trace *trace)
{
    *trace = (struct mb_trace){0};
    pthread_mutex_init(&trace->lock, NULL);
}

void mb_trace_fini(struct mb_trace *trace)
{
    pthread_mutex_destroy(&trace->lock);
    free(trace->frames);
}

void mb_trace_switch(struct mb_trace *trace, bool on)
{
    pthread_mutex_lock(&trace->lock);
    if (on && trace->frames == NULL)
        trace->frames = calloc(MB_TRACE_FRAMES, sizeof *trace->frames);
    trace->head = 0;
    trace->tail = 0;
    atomic_store(&trace->is_on, on && trace->frames != NULL);
    pthread_mutex_unlock(&trace->lock);
}

void mb_trace_add(struct mb_trace *trace, int64_t utc_ns, bool is_sent, const uint8_t *bytes,
                  uint16_t len)
{
    if (!atomic_load_explicit(&trace->is_on, memory_order_relaxed))
        return;
    if (pthread_mutex_trylock(&trace->lock) != 0) {
        atomic_fetch_add(&trace->n_missed, 1);
        return;
    }
    if (trace->head - trace->tail == MB_TRACE_FRAMES)
        trace->tail++; /* the newest frames matter most */
    struct mb_traced *frame = &trace->frames[trace->head++ % MB_TRACE_FRAMES];
    frame->utc_ns = utc_ns;
    frame->is_sent = is_sent;
    frame->len = len;
    for (uint16_t i = 0; i < len; i++)
        frame->bytes[i] = bytes[i];
    pthread_mutex_unlock(&trace->lock);
}

static void format(const struct mb_traced *frame, const char *name, char *line, size_t size_bytes)
{
    time_t seconds = (time_t)(frame->utc_ns / 1000000000);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    int n =
        snprintf(line, size_bytes, "%02d:%02d:%02d.%06d %s %c", tm.tm_hour, tm.tm_min, tm.tm_sec,
                 (int)(frame->utc_ns % 1000000000 / 1000), name, frame->is_sent ? '>' : '<');
    for (uint16_t i = 0; i < frame->len && n >= 0 && (size_t)n + 4 <= size_bytes; i++)
        n += snprintf(line + n, size_bytes - (size_t)n, " %02X", frame->bytes[i]);
}

bool mb_trace_next(struct mb_trace *trace, const char *name, char *line, size_t size_bytes)
{
    struct mb_traced frame;
    pthread_mutex_lock(&trace->lock);
    bool any = trace->head != trace->tail;
    if (any)
        frame = trace->frames[trace->tail++ % MB_TRACE_FRAMES];
    pthread_mutex_unlock(&trace->lock);
    if (any)
        format(&frame, name, line, size_bytes);
    return any;
}
