/* tests/hw/mb_fake.h - Modbus devices that do as they are told, in place of the wire.
 *
 * All units have the same 65536 coils and registers, and answer as good devices do; mb_fake_next()
 * queues what the next requests get instead. Nothing waits: time is the bench's clock, which a
 * silent device moves to the end of the wait.
 */
#ifndef TESTS_HW_MB_FAKE_H
#define TESTS_HW_MB_FAKE_H

#include "hw/modbus/mb_io.h"
#include "tests/hw/bench.h"

enum mb_fake_kind {
    FAKE_ANSWER,    /* as the memory says */
    FAKE_SILENT,    /* no answer */
    FAKE_EXCEPTION, /* arg: exception code */
    FAKE_RESULT,    /* receiving fails; arg: the result */
    FAKE_LOST,      /* sending fails; arg: errno */
    FAKE_GONE,    /* found closed before sending; arg: errno. The request after that is the next */
    FAKE_LATE,    /* first an answer to the request before, then the right one */
    FAKE_FOREIGN, /* first a frame of somebody else, then the right one */
    FAKE_BROKEN,  /* an answer with a byte count that is not what was asked */
    FAKE_OTHER_UNIT,
};

enum { FAKE_QUEUE = 64, FAKE_LOG = 256 };

struct mb_fake {
    struct bench_clock *clock;
    uint16_t holding[65536], inputs[65536];
    uint8_t coils[65536], discretes[65536];
    bool has_mask_write;
    uint32_t dead_unit;     /* that never answers; 0: none */
    uint32_t deaf_register; /* writes to it are confirmed and do nothing; 0: none */
    uint16_t first_missing; /* registers from here on do not exist; 0: all do */
    int64_t reply_ns;       /* how long an answer takes */

    struct {
        enum mb_fake_kind kind;
        int arg;
    } queue[FAKE_QUEUE];
    uint32_t n_queue, at_queue;
    int open_results[FAKE_QUEUE]; /* of the next opens; then 0 */
    uint32_t n_open_results, at_open;

    /* What happened. */
    uint32_t n_opened, n_closed, n_aborted;
    bool is_open;
    struct {
        struct mb_request request;
        int64_t at_ns;
    } log[FAKE_LOG];
    uint32_t n_log;

    /* The answer on its way. */
    enum mb_fake_kind kind;
    int arg;
    bool first_is_out;
    struct mb_request request;
    uint16_t transaction, last_transaction;
};

extern const struct mb_io_ops mb_fake_ops;

/* The device that mb_fake_ops makes next; one at a time. */
struct mb_fake *mb_fake_new(struct bench_clock *clock);
void mb_fake_free(struct mb_fake *fake);

void mb_fake_next(struct mb_fake *fake, enum mb_fake_kind kind, int arg);
void mb_fake_next_open(struct mb_fake *fake, int result);

/* FC of the requests so far, "3 16 3"; the log is emptied. */
const char *mb_fake_log(struct mb_fake *fake, char text[FAKE_LOG * 4]);

#endif
