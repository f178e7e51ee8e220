/* arc_host/ports.h - a program and its two ends on the bus: what it reads comes in as frames, what
 * it writes goes out as batches.
 *
 * Life cycle: ports_open -> [ports_next -> program_input -> ports_done] ... ports_send after every
 *             cycle ... -> ports_close.
 *
 * Opening makes the program as well, since its limits come from what the channels carry: first the
 * publisher (the gates of all channels it writes, with its declared authorities), then the
 * subscriber (all channels it reads; what the program writes and reads comes back that way). A
 * program that writes nothing has no publisher, one that reads nothing no subscriber.
 *
 * Threads: open, close and the counters are set-up calls. next, done, ready and send belong to one
 * thread, are real-time safe and never block. Memory: everything is allocated and touched by open.
 *
 * Nothing is lost silently: samples that could not go out (no free block, or a str longer than a
 * batch has room for) and frames that the program refuses are counted.
 */
#ifndef ARC_HOST_PORTS_H
#define ARC_HOST_PORTS_H

#include "arc_host/program.h"
#include "telem/bus.h"

struct arc_host_ports_opts {
    const char *name; /* of the writer, for others to see: "automation 'Tank'" */
    const struct arc_image *image;
    const struct arc_host_options *program; /* NULL: all defaults. max_rows 0: from the channels */
    struct telem_bus *bus;
    struct base_doorbell *bell; /* of the thread that runs the program */
    uint32_t queue;             /* batches per publisher, 2 to 1024 */
    uint8_t authority;          /* over channels for which the program declares none; 255: full */

    /* What a channel of numbers holds when the program starts, before its first sample: true with
     * the value, false for zero. NULL: zero for all. Called in open. */
    bool (*newest)(void *ctx, struct telem_key key, union telem_value *value);
    void *newest_ctx;
};

struct arc_host_ports;

/* NOTFOUND, PROGRAM: the image names a channel that is not declared, or has it with another type.
 */
ARCD_MUST_CHECK enum arcd_err arc_host_ports_open(const struct arc_host_ports_opts *opts,
                                                  struct arc_host_ports **ports,
                                                  struct arcd_errinfo *why);

/* The program is freed, the gates close: the next writer of each channel takes over. NULL is
 * allowed. */
void arc_host_ports_close(struct arc_host_ports *ports);

/* As the first part of close, on its own: no sample goes out any more, other writers take over. */
void arc_host_ports_release_writers(struct arc_host_ports *ports);

/* Checks what open would find wrong in an image, without opening anything. */
ARCD_MUST_CHECK enum arcd_err arc_host_ports_check(const struct arc_image *image,
                                                   const struct telem_chans *chans,
                                                   const char *name, struct arcd_errinfo *why);

ARCD_RT struct arc_host_program *arc_host_ports_program(struct arc_host_ports *ports);

/* The next frame: a batch's columns that the program reads, or the next piece of a batch that is
 * longer than its max_rows. False when nothing waits. Valid until arc_host_ports_done(). */
ARCD_RT bool arc_host_ports_next(struct arc_host_ports *ports, struct arc_host_frame *frame);
ARCD_RT void arc_host_ports_done(struct arc_host_ports *ports);

/* True when arc_host_ports_next() may have a frame. */
ARCD_RT bool arc_host_ports_ready(struct arc_host_ports *ports);

/* The program refused the frame: count its samples. */
ARCD_RT void arc_host_ports_refused(struct arc_host_ports *ports,
                                    const struct arc_host_frame *frame);

/* Hands out the last cycle's outputs: authority changes, then its samples as one batch (more only
 * where one has no room). */
ARCD_RT void arc_host_ports_send(struct arc_host_ports *ports);

/* Takes the program's gates to authority 0, so that whoever follows holds the channels at once. */
ARCD_RT void arc_host_ports_yield(struct arc_host_ports *ports);

struct arc_host_ports_counts {
    uint64_t dropped;  /* samples that came while the queue was full */
    uint64_t refused;  /* samples of frames over the program's limits */
    uint64_t sent;     /* samples */
    uint64_t lost;     /* samples written that found no free block or no room */
    uint64_t withheld; /* samples written while another held the channel */
};

void arc_host_ports_get_counts(const struct arc_host_ports *ports,
                               struct arc_host_ports_counts *counts);

/* "tank_level: 120, tank_temp: 120": the channels that samples were dropped of since the last call,
 * at most a few by name. One caller. */
void arc_host_ports_describe_drops(struct arc_host_ports *ports, char *text, size_t size);

#endif
