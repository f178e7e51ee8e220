/* arc_host/loop.h - what an automation's thread does: due timers, waiting data, the wait between
 * them, and the hand-over of a new program between two cycles.
 *
 * Life cycle: loop_init -> loop_run, on the automation's thread -> loop_fini.
 *             For tests: loop_begin -> loop_turn ... with a scripted clock.
 *
 * One turn looks for work in this order and does the first that it finds:
 *
 *   a new program was offered    take it between two cycles; its first cycle runs at once
 *   a deadline has come          one timer cycle, for all the deadlines that were missed as well
 *   a frame waits                one input cycle
 *   the last cycle wants one     one timer cycle
 *   nothing                      wait for the next deadline or the bell
 *
 * When cycles are longer than the period the deadline is always due, and data would never have its
 * turn: after ARC_HOST_LOOP_PATIENCE timer cycles in a row with data waiting, one frame goes first.
 *
 * Threads: the loop belongs to the automation's thread. Others may, at any time and without a lock:
 * stop it, offer a program and take the old one back, set the level, pop requests and push replies
 * (one thread each). Everything that they share is at the top of the struct.
 */
#ifndef ARC_HOST_LOOP_H
#define ARC_HOST_LOOP_H

#include "arc_host/ports.h"
#include "arc_host/timing.h"
#include "arc_host/wait.h"
#include "base/ring.h"

enum {
    ARC_HOST_LOOP_PATIENCE = 8,
    ARC_HOST_LOOP_REQUESTS = 64, /* status.set calls that wait for their answer */
    ARC_HOST_LOOP_NAME_MAX = 128,
    ARC_HOST_LOOP_MESSAGE_MAX = 512,
};

/* A status.set, for a thread that may wait. Texts are cut at whole characters. */
struct arc_host_request {
    uint64_t id;
    char key_or_name[ARC_HOST_LOOP_NAME_MAX];
    char message[ARC_HOST_LOOP_MESSAGE_MAX];
    char variant[16];
};

struct arc_host_reply {
    uint64_t id;
    char key[ARC_HOST_LOOP_NAME_MAX]; /* "": it failed */
};

struct arc_host_loop {
    struct arc_host_wait wait;
    struct arc_host_timing *timing; /* the owner's: figures outlive the loop */
    struct base_doorbell *bell;     /* of this thread; rung to make it look */
    struct base_doorbell *outside;  /* rung when a request or an old program waits; NULL: none */
    _Atomic bool stop;
    _Atomic(struct arc_host_ports *) offered;           /* to be taken */
    _Atomic(struct arc_host_ports *) retired;           /* to be taken back */
    struct base_ring requests;                          /* of struct arc_host_request */
    struct base_ring replies;                           /* of struct arc_host_reply */
    _Atomic uint64_t requests_lost;                     /* found the ring full */
    _Atomic uint64_t statuses_dropped, backlog_dropped; /* as the program counts them */
    struct base_arena arena;

    const struct base_clock *clock; /* utc only */
    struct {
        struct arc_host_ports *ports;
        struct arc_host_program *program;
        int64_t start_mono_ns;
        uint64_t missed; /* deadlines, as the program last said */
        uint32_t timers_in_a_row;
        bool replied; /* a reply came that a node waits for */
        struct arc_host_request request;
        struct arc_host_reply reply;
    } rt;
};

enum arc_host_turn {
    ARC_HOST_TURN_CYCLE, /* a cycle ran */
    ARC_HOST_TURN_WAIT,  /* waited */
    ARC_HOST_TURN_FAULT, /* the program has stopped: arc_host_program_fault() */
};

struct arc_host_loop_opts {
    struct arc_host_wait_ops wait;
    const struct base_clock *clock; /* NULL: the machine's */
    struct base_doorbell *bell;
    struct base_doorbell *outside; /* NULL: nobody to wake */
    struct arc_host_timing *timing;
    enum arc_host_level level;
    bool realtime;
};

void arc_host_loop_init(struct arc_host_loop *loop, const struct arc_host_loop_opts *opts);
void arc_host_loop_fini(struct arc_host_loop *loop);

/* Takes the ports and runs their program's first cycle. FAULT: it failed. */
ARCD_RT enum arc_host_turn arc_host_loop_begin(struct arc_host_loop *loop,
                                               struct arc_host_ports *ports);
ARCD_RT enum arc_host_turn arc_host_loop_turn(struct arc_host_loop *loop);

/* begin, then turns until stopped. OK or FAULT. */
ARCD_RT ARCD_MUST_CHECK enum arcd_err arc_host_loop_run(struct arc_host_loop *loop,
                                                        struct arc_host_ports *ports);

/* The ports that the loop has now; for its own thread, or when it has ended. */
ARCD_RT struct arc_host_ports *arc_host_loop_ports(struct arc_host_loop *loop);

/* ---- From outside */

/* The running cycle is finished, then the loop ends. */
void arc_host_loop_stop(struct arc_host_loop *loop);

/* Offers a program: it is taken between two cycles, and the old one put in `retired`. One at a
 * time: only when the last one's predecessor was taken back. */
void arc_host_loop_offer(struct arc_host_loop *loop, struct arc_host_ports *ports);

/* What is there to be closed, or NULL. */
struct arc_host_ports *arc_host_loop_take_retired(struct arc_host_loop *loop);

/* The offer that was not taken, or NULL: for a loop that has ended. */
struct arc_host_ports *arc_host_loop_take_back(struct arc_host_loop *loop);

/* False when nothing waits. */
bool arc_host_loop_next_request(struct arc_host_loop *loop, struct arc_host_request *request);

/* False when the ring is full: try again later. */
bool arc_host_loop_reply(struct arc_host_loop *loop, uint64_t id, const char *key);

#endif
