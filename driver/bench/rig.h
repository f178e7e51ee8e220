/* driver/bench/rig.h - automations on a bus of their own: the code of a deployed automation, from
 * the compiler to its thread, with nothing else around it.
 *
 * Life cycle: rig_open -> rig_channel ... -> rig_add ... -> [rig_start -> rig_serve ... ->
 * rig_stop]
 *             ... -> rig_close.
 * One thread. What the host has to say (permissions that are missing, say) goes to stderr, at
 * the first start only.
 */
#ifndef DRIVER_BENCH_RIG_H
#define DRIVER_BENCH_RIG_H

#include "arc_host/automation.h"

enum { BENCH_RIG_AUTOMATIONS = 256, BENCH_RIG_TEXT = 512 };

struct bench_rig {
    struct base_arena arena;
    struct telem_chans *chans;
    struct telem_bus *bus;
    struct base_log *log;
    struct arc_host_cores cores;
    struct arc_host_idle idle;
    struct arc_image *images[BENCH_RIG_AUTOMATIONS];
    struct arc_host_automation *automations[BENCH_RIG_AUTOMATIONS];
    uint32_t n;
};

ARCD_MUST_CHECK enum arcd_err bench_rig_open(struct bench_rig *rig, struct arcd_errinfo *why);
void bench_rig_close(struct bench_rig *rig);

/* The key of a new channel without an index. The name is one of ours: it is legal and not taken. */
struct telem_key bench_rig_channel(struct bench_rig *rig, const char *name, enum telem_type type);

/* One more automation, as driver.json's defaults have it but for level and realtime. The text is
 * ours too: an error in it is an assertion. */
ARCD_MUST_CHECK enum arcd_err bench_rig_add(struct bench_rig *rig, const char *name,
                                            const char *text, enum arc_host_level level,
                                            bool realtime, struct arcd_errinfo *why);

/* Starts all; with an error, none. */
ARCD_MUST_CHECK enum arcd_err bench_rig_start(struct bench_rig *rig, struct arcd_errinfo *why);

/* What a supervisor does now and then; call it ten times a second. */
void bench_rig_serve(struct bench_rig *rig);
void bench_rig_stop(struct bench_rig *rig);

#endif
