/* hw/modbus/mb_io.h - the wire: one TCP connection or serial port, behind a table of functions.
 *
 * mb_io_libmodbus is the real one. The library opens and sets up serial ports (RS-485 and RTS
 * included), frames and checksums RTU requests, and receives RTU replies. What it cannot do is done
 * here: connecting within a time, waiting that can be interrupted, and TCP frames with transaction
 * ids that are sent and received in two steps. Tests put their own table in its place.
 *
 * Life cycle: new -> (open -> [drain, send, receive] ... -> close) ... -> free.
 * Threads: one at a time, who has the turn; only abort() may come from another thread.
 * Results: 0, an errno or a number of mb_error.h. Deadlines are absolute, on CLOCK_MONOTONIC.
 */
#ifndef HW_MODBUS_MB_IO_H
#define HW_MODBUS_MB_IO_H

#include "base/err.h"
#include "hw/modbus/mb_frame.h"

enum mb_rts { MB_RTS_NONE, MB_RTS_UP, MB_RTS_DOWN };

struct mb_io_config {
    bool is_rtu;
    const char *host; /* tcp */
    uint16_t port;
    const char *serial_port; /* rtu */
    int baud;
    char parity; /* N E O */
    int data_bits, stop_bits;
    bool rs485;
    enum mb_rts rts;
    int rts_delay_us;
};

enum { MB_IO_TEXT = 160 };

/* A frame as it was on the wire, and what is in it. */
struct mb_frame {
    uint16_t transaction; /* tcp */
    uint8_t unit;
    struct mb_reply reply;
    uint16_t raw_len;
    uint8_t raw[MB_ADU_MAX];
};

struct mb_io;

struct mb_io_ops {
    struct mb_io *(*new)(const struct mb_io_config *config, struct arcd_errinfo *why);
    void (*free)(struct mb_io *io);

    /* On failure `text` says what went wrong with what: "cannot resolve plc.local: ...". */
    int (*open)(struct mb_io *io, int wake_fd, int64_t deadline_ns, char text[MB_IO_TEXT]);
    void (*close)(struct mb_io *io);

    /* Throws away what has come unasked; *n_bytes says how much. An error: the link is gone. */
    int (*drain)(struct mb_io *io, uint32_t *n_bytes);

    /* `sent` is filled for the trace. */
    int (*send)(struct mb_io *io, const struct mb_request *request, uint16_t transaction,
                int64_t deadline_ns, struct mb_frame *sent);

    /* The next frame. Its first byte must come by the deadline, the rest within frame_ns of that.
     * EAGAIN: a frame that answers somebody else's request went by. ETIMEDOUT: no byte came.
     * MB_E_BAD_DATA: it broke off, or was no frame. ECANCELED: wake_fd became readable. */
    int (*receive)(struct mb_io *io, int wake_fd, int64_t deadline_ns, int64_t frame_ns,
                   struct mb_frame *frame);

    /* From another thread while receive() is in the middle of a frame: ends it where that can be
     * done, at the cost of the connection. */
    void (*abort)(struct mb_io *io);
};

extern const struct mb_io_ops mb_io_libmodbus;

const char *mb_io_version(void); /* of libmodbus: "3.1.6" */

/* ---- Parts of the real one */

struct mb_lookup;

/* Connects to any address of the host, or says why not. The socket does not block. `pending` keeps
 * a look-up that outlived its caller; free it with mb_lookup_free(). */
int mb_tcp_connect(const char *host, uint16_t port, int wake_fd, int64_t deadline_ns,
                   struct mb_lookup **pending, int *fd, char text[MB_IO_TEXT]);
void mb_lookup_free(struct mb_lookup *lookup);

/* Waits until fd is ready for `events` of poll(2). 0, ETIMEDOUT or ECANCELED. Signals do not count.
 */
int mb_wait_fd(int fd, short events, int wake_fd, int64_t deadline_ns);

#endif
