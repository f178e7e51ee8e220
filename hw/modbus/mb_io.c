/* libmodbus 3.1, and around it what keeps its calls short: on a serial line it is asked to receive
 * only when a frame has begun, with a limit for the whole frame. Over TCP the header says how long
 * a frame is, so reading it takes two calls of ours. */
#include "hw/modbus/mb_io.h"

#include "base/clock.h"
#include "hw/modbus/mb_error.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/serial.h>
#include <modbus.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

_Static_assert((int)MB_E_ILLEGAL_FUNCTION == (int)EMBXILFUN, "numbers as libmodbus has them");
_Static_assert((int)MB_E_GATEWAY_TARGET == (int)EMBXGTAR, "numbers as libmodbus has them");
_Static_assert((int)MB_E_BAD_CRC == (int)EMBBADCRC, "numbers as libmodbus has them");
_Static_assert((int)MB_E_BAD_UNIT == (int)EMBBADSLAVE, "numbers as libmodbus has them");
_Static_assert((int)MB_ADU_MAX == (int)MODBUS_MAX_ADU_LENGTH, "room for the longest frame");

enum { TCP_HEADER = 7, RTU_HEADER = 1, RTU_CHECKSUM = 2 };

struct mb_io {
    struct mb_io_config config;
    char *name; /* host or serial port */
    modbus_t *ctx;
    int fd; /* -1: closed */
    struct mb_lookup *pending;
    pthread_mutex_t abort_lock; /* fd is closed, and shut down by abort(), under it */
    atomic_bool in_frame;
};

const char *mb_io_version(void)
{
    return LIBMODBUS_VERSION_STRING;
}

/* ---- Making and freeing */

static modbus_t *new_context(const struct mb_io_config *c)
{
    if (c->is_rtu)
        return modbus_new_rtu(c->serial_port, c->baud, c->parity, c->data_bits, c->stop_bits);
    char service[8];
    snprintf(service, sizeof service, "%u", c->port);
    return modbus_new_tcp_pi(c->host, service);
}

static void io_free(struct mb_io *io)
{
    if (io->ctx != NULL)
        modbus_free(io->ctx);
    mb_lookup_free(io->pending);
    pthread_mutex_destroy(&io->abort_lock);
    free(io->name);
    free(io);
}

static struct mb_io *io_new(const struct mb_io_config *config, struct arcd_errinfo *why)
{
    struct mb_io *io = calloc(1, sizeof *io);
    const char *name = config->is_rtu ? config->serial_port : config->host;
    if (io != NULL)
        io->name = strdup(name);
    if (io == NULL || io->name == NULL) {
        free(io);
        arcd_fail(why, ARCD_ERR_NOMEM, 0, "%s: out of memory", name);
        return NULL;
    }
    io->config = *config;
    io->config.host = io->name;
    io->config.serial_port = io->name;
    io->fd = -1;
    pthread_mutex_init(&io->abort_lock, NULL);
    io->ctx = new_context(&io->config);
    if (io->ctx == NULL) {
        arcd_fail(why, ARCD_ERR_CONFIG, errno, "%s: %s", name, modbus_strerror(errno));
        io_free(io);
        return NULL;
    }
    modbus_set_error_recovery(io->ctx, MODBUS_ERROR_RECOVERY_NONE);
    return io;
}

/* ---- Opening and closing */

static void io_close(struct mb_io *io)
{
    pthread_mutex_lock(&io->abort_lock);
    if (io->fd >= 0)
        modbus_close(io->ctx); /* shuts down and closes the descriptor */
    io->fd = -1;
    pthread_mutex_unlock(&io->abort_lock);
}

/* The library waits with select(2), which writes past its set for a descriptor of 1024 or more. */
static int low_descriptor(int fd)
{
    if (fd < FD_SETSIZE)
        return fd;
    int low = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(fd);
    if (low >= FD_SETSIZE) {
        close(low);
        low = -1;
    }
    return low;
}

static int open_tcp(struct mb_io *io, int wake_fd, int64_t deadline_ns, char text[MB_IO_TEXT])
{
    int fd = -1;
    int code = mb_tcp_connect(io->config.host, io->config.port, wake_fd, deadline_ns, &io->pending,
                              &fd, text);
    if (code != 0)
        return code;
    fd = low_descriptor(fd);
    if (fd < 0) {
        snprintf(text, MB_IO_TEXT, "more than %d files are open", FD_SETSIZE);
        return EMFILE;
    }
    modbus_set_socket(io->ctx, fd);
    io->fd = fd;
    return 0;
}

/* RS-485 in the driver where it is offered; RTS by the library otherwise. */
static int set_rs485(struct mb_io *io, char text[MB_IO_TEXT])
{
    const struct mb_io_config *c = &io->config;
    bool in_driver = modbus_rtu_set_serial_mode(io->ctx, MODBUS_RTU_RS485) == 0;
    if (!in_driver && c->rts == MB_RTS_NONE) {
        int code = errno;
        snprintf(text, MB_IO_TEXT, "no RS-485 mode: %s; set rs485.rts to up or down",
                 modbus_strerror(code));
        return code;
    }
    if (c->rts == MB_RTS_NONE)
        return 0;
    int mode = c->rts == MB_RTS_UP ? MODBUS_RTU_RTS_UP : MODBUS_RTU_RTS_DOWN;
    if (modbus_rtu_set_rts(io->ctx, mode) != 0 ||
        modbus_rtu_set_rts_delay(io->ctx, c->rts_delay_us) != 0) {
        int code = errno;
        snprintf(text, MB_IO_TEXT, "cannot drive RTS: %s", modbus_strerror(code));
        return code;
    }
    return 0;
}

/* USB adapters deliver in lumps of 16 ms unless they are asked not to. */
static void ask_for_low_latency(int fd)
{
    struct serial_struct serial;
    if (ioctl(fd, TIOCGSERIAL, &serial) != 0)
        return;
    serial.flags = (int)((unsigned)serial.flags | ASYNC_LOW_LATENCY);
    ioctl(fd, TIOCSSERIAL, &serial);
}

static int open_rtu(struct mb_io *io, char text[MB_IO_TEXT])
{
    if (modbus_connect(io->ctx) != 0) {
        int code = errno;
        snprintf(text, MB_IO_TEXT, "%s%s", modbus_strerror(code),
                 code == EACCES ? "; add the arcd user to group dialout" : "");
        return code;
    }
    io->fd = modbus_get_socket(io->ctx);
    int code = 0;
    if (io->fd >= FD_SETSIZE) {
        snprintf(text, MB_IO_TEXT, "more than %d files are open", FD_SETSIZE);
        code = EMFILE;
    } else if (io->config.rs485) {
        code = set_rs485(io, text);
    }
    if (code != 0)
        io_close(io);
    else
        ask_for_low_latency(io->fd);
    return code;
}

static int io_open(struct mb_io *io, int wake_fd, int64_t deadline_ns, char text[MB_IO_TEXT])
{
    return io->config.is_rtu ? open_rtu(io, text) : open_tcp(io, wake_fd, deadline_ns, text);
}

/* ---- Draining */

static int drain_tcp(struct mb_io *io, uint32_t *n_bytes)
{
    char junk[1024];
    for (;;) {
        ssize_t n = recv(io->fd, junk, sizeof junk, MSG_DONTWAIT);
        if (n == 0)
            return ECONNRESET;
        if (n > 0)
            *n_bytes += (uint32_t)n;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            return 0;
        else if (errno != EINTR)
            return errno;
    }
}

static int drain_rtu(struct mb_io *io, uint32_t *n_bytes)
{
    struct pollfd fd = {.fd = io->fd, .events = POLLIN};
    if (poll(&fd, 1, 0) > 0 && (fd.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0)
        return EIO;
    int waiting = 0;
    if (ioctl(io->fd, FIONREAD, &waiting) != 0)
        return errno;
    if (waiting > 0 && modbus_flush(io->ctx) != 0)
        return errno;
    *n_bytes += (uint32_t)waiting;
    return 0;
}

static int io_drain(struct mb_io *io, uint32_t *n_bytes)
{
    *n_bytes = 0;
    return io->config.is_rtu ? drain_rtu(io, n_bytes) : drain_tcp(io, n_bytes);
}

/* ---- Sending */

/* The library's raw requests all have transaction id 0, so a late answer would pass for the right
 * one: this header is ours. */
static int send_tcp(struct mb_io *io, const struct mb_request *request, uint16_t transaction,
                    int64_t deadline_ns, struct mb_frame *sent)
{
    uint16_t length = (uint16_t)(request->pdu_len + 1);
    const uint8_t header[TCP_HEADER] = {(uint8_t)(transaction >> 8),
                                        (uint8_t)transaction,
                                        0,
                                        0,
                                        (uint8_t)(length >> 8),
                                        (uint8_t)length,
                                        request->unit};
    memcpy(sent->raw, header, TCP_HEADER);
    memcpy(sent->raw + TCP_HEADER, request->pdu, request->pdu_len);
    sent->raw_len = (uint16_t)(TCP_HEADER + request->pdu_len);
    for (size_t done = 0; done < sent->raw_len;) {
        ssize_t n = send(io->fd, sent->raw + done, sent->raw_len - done, MSG_NOSIGNAL);
        if (n >= 0) {
            done += (size_t)n;
            continue;
        }
        if (errno == EINTR)
            continue;
        if (errno != EAGAIN)
            return errno;
        int code = mb_wait_fd(io->fd, POLLOUT, -1, deadline_ns);
        if (code != 0)
            return code;
    }
    return 0;
}

static int send_rtu(struct mb_io *io, const struct mb_request *request, struct mb_frame *sent)
{
    sent->raw[0] = request->unit;
    memcpy(sent->raw + RTU_HEADER, request->pdu, request->pdu_len);
    int length = RTU_HEADER + request->pdu_len;
    if (modbus_set_slave(io->ctx, request->unit) != 0 ||
        modbus_send_raw_request(io->ctx, sent->raw, length) < 0)
        return errno;
    uint16_t crc = mb_crc16(sent->raw, (size_t)length);
    sent->raw[length++] = (uint8_t)crc;
    sent->raw[length++] = (uint8_t)(crc >> 8);
    sent->raw_len = (uint16_t)length;
    return 0;
}

static int io_send(struct mb_io *io, const struct mb_request *request, uint16_t transaction,
                   int64_t deadline_ns, struct mb_frame *sent)
{
    return io->config.is_rtu ? send_rtu(io, request, sent)
                             : send_tcp(io, request, transaction, deadline_ns, sent);
}

/* ---- Receiving */

static void set_frame_limit(modbus_t *ctx, int64_t frame_ns)
{
    int64_t us = frame_ns / BASE_NS_PER_US;
    if (us < 1000)
        us = 1000;
    modbus_set_response_timeout(ctx, (uint32_t)(us / 1000000), (uint32_t)(us % 1000000));
    /* No limit between bytes: then the response time-out counts down over the whole frame. */
    modbus_set_byte_timeout(ctx, 0, 0);
}

/* Until raw[0 .. n-1] is there. What stops half-way is damaged. */
static int fill_tcp(struct mb_io *io, int wake_fd, int64_t deadline_ns, struct mb_frame *frame,
                    size_t n)
{
    while (frame->raw_len < n) {
        ssize_t got = recv(io->fd, frame->raw + frame->raw_len, n - frame->raw_len, MSG_DONTWAIT);
        if (got > 0) {
            frame->raw_len = (uint16_t)(frame->raw_len + got);
            continue;
        }
        if (got == 0)
            return ECONNRESET;
        if (errno != EAGAIN && errno != EINTR)
            return errno;
        int code = mb_wait_fd(io->fd, POLLIN, wake_fd, deadline_ns);
        if (code != 0)
            return code == ETIMEDOUT ? MB_E_BAD_DATA : code;
    }
    return 0;
}

/* The functions that this backend asks for: an answer of another is no answer to anybody here. */
static bool is_known_function(uint8_t function)
{
    switch (function & 0x7f) { /* the top bit marks an exception */
    case MB_FC_READ_COILS:
    case MB_FC_READ_DISCRETE_INPUTS:
    case MB_FC_READ_HOLDING:
    case MB_FC_READ_INPUT_REGISTERS:
    case MB_FC_WRITE_COIL:
    case MB_FC_WRITE_REGISTER:
    case MB_FC_WRITE_COILS:
    case MB_FC_WRITE_REGISTERS:
    case MB_FC_REPORT_ID:
    case MB_FC_MASK_WRITE: return true;
    default: return false;
    }
}

/* A frame is as long as its header says: two reads, where the library asks the kernel six times. */
static int receive_tcp(struct mb_io *io, int wake_fd, int64_t deadline_ns, struct mb_frame *frame)
{
    const uint8_t *raw = frame->raw;
    frame->raw_len = 0;
    int code = fill_tcp(io, wake_fd, deadline_ns, frame, TCP_HEADER);
    if (code != 0)
        return code;
    size_t length = (size_t)(raw[4] << 8 | raw[5]);
    if (raw[2] != 0 || raw[3] != 0 || length < 2 || length + 6 > sizeof frame->raw)
        return MB_E_BAD_DATA;
    code = fill_tcp(io, wake_fd, deadline_ns, frame, length + 6);
    if (code != 0)
        return code;
    if (!is_known_function(raw[TCP_HEADER]))
        return MB_E_BAD_DATA;
    frame->transaction = (uint16_t)(raw[0] << 8 | raw[1]);
    frame->unit = raw[6];
    frame->reply.pdu_len = (uint16_t)(frame->raw_len - TCP_HEADER);
    memcpy(frame->reply.pdu, raw + TCP_HEADER, frame->reply.pdu_len);
    return 0;
}

static int take_rtu(struct mb_frame *frame)
{
    if (frame->raw_len <= RTU_HEADER + RTU_CHECKSUM)
        return MB_E_BAD_DATA;
    frame->transaction = 0;
    frame->unit = frame->raw[0];
    frame->reply.pdu_len = (uint16_t)(frame->raw_len - RTU_HEADER - RTU_CHECKSUM);
    memcpy(frame->reply.pdu, frame->raw + RTU_HEADER, frame->reply.pdu_len);
    return 0;
}

static int receive_rtu(struct mb_io *io, int64_t frame_ns, struct mb_frame *frame)
{
    set_frame_limit(io->ctx, frame_ns);
    int n = modbus_receive_confirmation(io->ctx, frame->raw);
    if (n == 0)
        return EAGAIN; /* from another unit, and gone by */
    if (n < 0)
        return errno == ETIMEDOUT || errno == EAGAIN ? MB_E_BAD_DATA : errno;
    frame->raw_len = (uint16_t)n;
    return take_rtu(frame);
}

static int io_receive(struct mb_io *io, int wake_fd, int64_t deadline_ns, int64_t frame_ns,
                      struct mb_frame *frame)
{
    int code = mb_wait_fd(io->fd, POLLIN, wake_fd, deadline_ns);
    if (code != 0)
        return code;
    atomic_store(&io->in_frame, true);
    code = io->config.is_rtu ? receive_rtu(io, frame_ns, frame)
                             : receive_tcp(io, wake_fd, base_mono_ns() + frame_ns, frame);
    atomic_store(&io->in_frame, false);
    return code;
}

static void io_abort(struct mb_io *io)
{
    pthread_mutex_lock(&io->abort_lock);
    if (io->fd >= 0 && !io->config.is_rtu && atomic_load(&io->in_frame))
        shutdown(io->fd, SHUT_RDWR);
    pthread_mutex_unlock(&io->abort_lock);
}

const struct mb_io_ops mb_io_libmodbus = {
    .new = io_new,
    .free = io_free,
    .open = io_open,
    .close = io_close,
    .drain = io_drain,
    .send = io_send,
    .receive = io_receive,
    .abort = io_abort,
};
