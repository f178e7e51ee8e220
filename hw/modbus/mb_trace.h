/* hw/modbus/mb_trace.h - the last frames of a link, kept for somebody who wants to see them.
 *
 * Life cycle: trace_init -> trace_switch(on) -> trace_add ... trace_next ... -> trace_fini.
 * Threads: any. trace_add() never waits: while a line is being taken out a frame is counted as
 * missed instead.
 */
#ifndef HW_MODBUS_MB_TRACE_H
#define HW_MODBUS_MB_TRACE_H

#include "hw/modbus/mb_frame.h"

#include <pthread.h>

enum { MB_TRACE_FRAMES = 256 };

struct mb_traced {
    int64_t utc_ns;
    bool is_sent;
    uint16_t len;
    uint8_t bytes[MB_ADU_MAX];
};

struct mb_trace {
    _Atomic bool is_on;
    _Atomic uint32_t n_missed;
    pthread_mutex_t lock;
    struct mb_traced *frames; /* a ring, NULL until it is first switched on */
    uint32_t head, tail;      /* run freely */
};

void mb_trace_init(struct mb_trace *trace);
void mb_trace_fini(struct mb_trace *trace);
void mb_trace_switch(struct mb_trace *trace, bool on);
void mb_trace_add(struct mb_trace *trace, int64_t utc_ns, bool is_sent, const uint8_t *bytes,
                  uint16_t len);

/* "12:34:56.789012 plc.local:502 > 00 01 00 00 00 06 01 03 ...": the oldest frame; false: none. */
bool mb_trace_next(struct mb_trace *trace, const char *name, char *line, size_t size_bytes);

#endif
