/* arc_host/program.h - one running instance of a compiled Arc program: scheduler, machine and the
 * standard library's nodes.
 *
 * Life cycle: program_new -> start -> (timer | input) ... -> [reset -> start ...] -> program_free.
 *
 * The program never waits, reads no clock but the injected one, and knows no bus. Its owner (a
 * real-time thread, or a virtual clock) decides when a cycle runs and carries the samples:
 *
 *     frame ----> | arc_host_program_input()  |            | outputs(): authority changes, then
 *                 |                           | one cycle  |   written samples in execution order,
 *     deadline -> | arc_host_program_timer()  | ---------> |   status requests
 *                                                          | deadline(), wants_cycle()
 *
 * Everything is allocated by program_new(); what carries ARCD_RT neither allocates, locks nor makes
 * a system call. Threads: one at a time; new, reset, fault_text and free are not for the real-time
 * part of a thread's life. The image must outlive the program; several programs may share one.
 *
 * Times: elapsed_ns counts from the program's start on the monotonic clock; stamp_utc_ns is the
 * wall clock. Channels are indices into the image's channel table.
 */
#ifndef ARC_HOST_PROGRAM_H
#define ARC_HOST_PROGRAM_H

#include "arc_host/fault.h"
#include "base/clock.h"
#include "base/err.h"
#include "telem/type.h"

#include <stdbool.h>
#include <stddef.h>

struct arc_image;
struct arc_host_program;

/* How function bodies are run over a batch. Results are the same, bit for bit. */
enum arc_host_mode {
    ARC_HOST_MODE_AUTO,   /* batch code where the image has it, for batches long enough to gain */
    ARC_HOST_MODE_SAMPLE, /* always one sample after the other */
    ARC_HOST_MODE_BATCH,  /* batch code wherever the image has it */
};

/* 0 (NULL) in a field means its default. */
struct arc_host_options {
    uint32_t max_rows;   /* samples per channel of a frame; default 4096, at most 2^20 */
    uint32_t max_text;   /* bytes of str samples of a frame; default 64 KiB */
    uint32_t max_writes; /* samples written in one cycle; default: every sink of the program can
                            pass on one whole frame, and 4096 more */
    uint32_t
        backlog_rows;    /* samples kept for a channel in the middle of a flow until it is
                            triggered; default 4096. When full the oldest are dropped and counted */
    uint32_t heap_bytes; /* live strings and series; default 10 MiB, at most 1 GiB */
    uint32_t call_depth; /* nested calls; default 1100, at least 1000 */
    uint64_t budget;     /* instructions of one cycle; default 10 million */
    enum arc_host_mode mode;
    const struct base_clock *clock; /* for time.now, utc_ns only; default base_clock_system() */
};

/* Refuses an image that its verifier refuses, and options over the limits said above. */
ARCD_MUST_CHECK enum arcd_err arc_host_program_new(const struct arc_image *image,
                                                   const struct arc_host_options *options,
                                                   struct arc_host_program **program,
                                                   struct arcd_errinfo *why);
void arc_host_program_free(struct arc_host_program *program); /* NULL is allowed */

const struct arc_image *arc_host_program_image(const struct arc_host_program *program);

/* The options in force, defaults filled in. */
const struct arc_host_options *arc_host_program_options(const struct arc_host_program *program);

/* What a channel of numbers holds before its first sample, instead of zero; triggers nothing. Kept
 * over a reset. Before start() only. */
void arc_host_program_preset(struct arc_host_program *program, uint32_t channel,
                             union telem_value value);

/* ---- Input */

/* The samples of one channel in a frame, oldest first. */
struct arc_host_column {
    uint32_t channel;
    uint32_t n;
    const void *data;     /* n of the channel's type; struct telem_str for str */
    const int64_t *times; /* n, UTC ns; NULL: the cycle's stamp, stamp + 1, ... */
    const char *text;     /* str: what the offsets count from */
};

/* A view of what has arrived; the memory stays the caller's and is only read during the call. A
 * channel has at most one column. */
struct arc_host_frame {
    const struct arc_host_column *columns;
    uint32_t n_columns;
};

/* Rows `first` .. `first + n - 1` of every column (those that it has), written to `columns`, which
 * has room for frame->n_columns: how a frame longer than options.max_rows is fed in pieces. */
ARCD_RT struct arc_host_frame arc_host_frame_piece(const struct arc_host_frame *frame,
                                                   const struct arc_host_program *program,
                                                   uint32_t first, uint32_t n,
                                                   struct arc_host_column *columns);

/* ---- Cycles. OK or FAULT; FAULT also for every call after a fault, until reset. The cycle's
 * outputs are valid until the next call of start, timer, input, tidy or reset. */

/* The first cycle, at elapsed 0. */
ARCD_RT ARCD_MUST_CHECK enum arcd_err arc_host_program_start(struct arc_host_program *program,
                                                             int64_t stamp_utc_ns);

/* A timer cycle: when deadline() has come, or at once when wants_cycle(). Running one early is
 * allowed; no timer fires before its deadline. Of the timers that are due only those with the
 * earliest deadline fire: the others have a cycle of their own, at once after this one. */
ARCD_RT ARCD_MUST_CHECK enum arcd_err
arc_host_program_timer(struct arc_host_program *program, int64_t elapsed_ns, int64_t stamp_utc_ns);

/* An input cycle. A due timer goes before waiting data: that order is the caller's; one that has
 * come due since fires in this cycle. A frame over max_rows (or max_text, or with a column that the
 * program does not read) is refused with ARCD_ERR_INVALID and nothing has happened. */
ARCD_RT ARCD_MUST_CHECK enum arcd_err arc_host_program_input(struct arc_host_program *program,
                                                             const struct arc_host_frame *frame,
                                                             int64_t elapsed_ns,
                                                             int64_t stamp_utc_ns);

/* The earliest deadline of all active timers, elapsed ns; BASE_NEVER without one. */
ARCD_RT int64_t arc_host_program_deadline(const struct arc_host_program *program);

/* True when the last cycle left work for a timer cycle that must follow at once (after the cycles
 * of samples that the program wrote to itself, if these are delivered at once too). */
ARCD_RT bool arc_host_program_wants_cycle(const struct arc_host_program *program);

/* ---- Output of the last cycle */

struct arc_host_authority {
    uint32_t channel;
    uint8_t value;
};

struct arc_host_write {
    uint32_t channel;
    uint32_t len; /* str: bytes */
    union {
        union telem_value number; /* of the channel's type */
        const char *bytes;        /* str; not NUL-terminated, may be NULL when len is 0 */
    };
    int64_t time_utc_ns; /* strictly increasing per channel */
};

struct arc_host_text_view {
    const char *bytes;
    uint32_t len;
};

/* status.set: hand it to a thread that may wait, and deliver the key with status_reply(). */
struct arc_host_status {
    uint64_t id;
    struct arc_host_text_view key_or_name; /* not empty */
    struct arc_host_text_view message;
    struct arc_host_text_view variant; /* one of success info warning error loading disabled */
};

struct arc_host_outputs {
    const struct arc_host_authority *authority; /* to be done first, in order */
    const struct arc_host_write *writes;        /* execution order */
    const struct arc_host_status *statuses;
    uint32_t n_authority;
    uint32_t n_writes;
    uint32_t n_statuses;
};

/* All empty after a fault: what the failing cycle had queued is discarded. */
ARCD_RT const struct arc_host_outputs *
arc_host_program_outputs(const struct arc_host_program *program);

/* Housekeeping of the heap of strings and series, when some of it is due; short. Worth a call after
 * the outputs were handed on and before the thread waits: a cycle that finds the heap full does it
 * by itself, in the middle. The outputs are gone afterwards. */
ARCD_RT void arc_host_program_tidy(struct arc_host_program *program);

/* The key for status request `id` is known ("" on failure). Between cycles only. A node that is
 * still waiting for it fires it in the next cycle, which should follow at once: true then. A reply
 * that nobody waits for any more is ignored. The outputs are gone afterwards. */
ARCD_RT bool arc_host_program_status_reply(struct arc_host_program *program, uint64_t id,
                                           const char *key, uint32_t len);

/* ---- Faults and counters */

/* The fault that stopped the program; kind ARC_HOST_FAULT_NONE while it runs. */
const struct arc_host_fault *arc_host_program_fault(const struct arc_host_program *program);

/* Back to the state before start(): all state, channel values and marks forgotten, no fault. */
void arc_host_program_reset(struct arc_host_program *program);

struct arc_host_stats {
    uint64_t cycles;
    uint64_t missed_deadlines; /* of intervals: deadlines covered by a later fire */
    uint64_t backlog_dropped;  /* samples, see options.backlog_rows */
    uint64_t statuses_dropped; /* requests that found the cycle's table full, or a bad variant */
    uint64_t collections;      /* of the heap of strings and series */
    uint32_t heap_used_bytes;  /* now */
    uint32_t heap_peak_bytes;
};

/* Any time between cycles, same thread. */
ARCD_RT struct arc_host_stats arc_host_program_stats(const struct arc_host_program *program);

#endif
