/* libmodbus and the sockets around it, against a peer in this program: what arrives is what the
 * test puts on the wire. */
#include "hw/modbus/mb_io.h"

#include "base/clock.h"
#include "hw/modbus/mb_error.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <termios.h>
#include <unistd.h>

#define MS BASE_NS_PER_MS
#define S BASE_NS_PER_S

static const struct mb_io_ops *const ops = &mb_io_libmodbus;

struct fixture {
    int listener, peer, wake_fd;
    uint16_t port;
    struct mb_io *io;
    char serial_port[64];
    char text[MB_IO_TEXT];
    struct mb_frame frame;
};

static int64_t in(int64_t ns)
{
    return base_mono_ns() + ns;
}

static int listen_on_loopback(uint16_t *port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

static void set_up_tcp(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    f->listener = listen_on_loopback(&f->port);
    f->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    struct mb_io_config config = {.host = "127.0.0.1", .port = f->port};
    f->io = ops->new (&config, NULL);
    assert_non_null(f->io);
    assert_int_equal(ops->open(f->io, f->wake_fd, in(5 * S), f->text), 0);
    f->peer = accept(f->listener, NULL, NULL);
    assert_true(f->peer >= 0);
}

/* The peer is the master side of a pseudo-terminal; the port is its slave side. */
static void set_up_rtu(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    int slave = -1;
    assert_int_equal(openpty(&f->peer, &slave, f->serial_port, NULL, NULL), 0);
    struct termios raw;
    tcgetattr(slave, &raw);
    cfmakeraw(&raw);
    tcsetattr(slave, TCSANOW, &raw);
    f->listener = slave; /* keeps the terminal there between opens */
    f->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    struct mb_io_config config = {.is_rtu = true,
                                  .serial_port = f->serial_port,
                                  .baud = 115200,
                                  .parity = 'N',
                                  .data_bits = 8,
                                  .stop_bits = 2};
    f->io = ops->new (&config, NULL);
    assert_non_null(f->io);
    if (ops->open(f->io, f->wake_fd, in(5 * S), f->text) != 0)
        fail_msg("%s", f->text);
}

static void tear_down(struct fixture *f)
{
    ops->close(f->io);
    ops->free(f->io);
    if (f->peer >= 0)
        close(f->peer);
    close(f->listener);
    close(f->wake_fd);
}

static void put(struct fixture *f, const uint8_t *bytes, size_t n)
{
    assert_int_equal(write(f->peer, bytes, n), n);
}

#define PUT(f, ...) put((f), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* Appends the checksum. */
static void put_rtu(struct fixture *f, const uint8_t *bytes, size_t n)
{
    uint8_t frame[MB_ADU_MAX];
    memcpy(frame, bytes, n);
    uint16_t crc = mb_crc16(bytes, n);
    frame[n] = (uint8_t)crc;
    frame[n + 1] = (uint8_t)(crc >> 8);
    put(f, frame, n + 2);
}

#define PUT_RTU(f, ...)                                                                            \
    put_rtu((f), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static int receive(struct fixture *f, int64_t wait_ns, int64_t frame_ns)
{
    return ops->receive(f->io, f->wake_fd, in(wait_ns), frame_ns, &f->frame);
}

static int send_read(struct fixture *f, uint8_t unit, uint16_t transaction)
{
    struct mb_request request = mb_request_read(unit, MB_HOLDING, 0x0102, 2);
    return ops->send(f->io, &request, transaction, in(S), &f->frame);
}

static void expect_sent(struct fixture *f, const uint8_t *bytes, size_t n)
{
    uint8_t got[MB_ADU_MAX];
    size_t len = 0;
    while (len < n) {
        ssize_t r = read(f->peer, got + len, n - len);
        assert_true(r > 0);
        len += (size_t)r;
    }
    assert_memory_equal(got, bytes, n);
    assert_int_equal(f->frame.raw_len, n);
    assert_memory_equal(f->frame.raw, bytes, n); /* what the trace shows is what went out */
}

/* ---- TCP */

static void a_tcp_request_has_unit_and_transaction(void **state)
{
    (void)state;
    struct fixture f;
    set_up_tcp(&f);
    assert_int_equal(send_read(&f, 17, 0xABCD), 0);
    const uint8_t expected[] = {0xAB, 0xCD, 0, 0, 0, 6, 17, 3, 1, 2, 0, 2};
    expect_sent(&f, expected, sizeof expected);
    tear_down(&f);
}

static void a_tcp_reply_is_taken_apart(void **state)
{
    (void)state;
    struct fixture f;
    set_up_tcp(&f);
    PUT(&f, 0x12, 0x34, 0, 0, 0, 7, 9, 3, 4, 0xDE, 0xAD, 0xBE, 0xEF);
    assert_int_equal(receive(&f, 5 * S, S), 0);
    assert_int_equal(f.frame.transaction, 0x1234);
    assert_int_equal(f.frame.unit, 9);
    assert_int_equal(f.frame.reply.pdu_len, 6);
    const uint8_t pdu[] = {3, 4, 0xDE, 0xAD, 0xBE, 0xEF};
    assert_memory_equal(f.frame.reply.pdu, pdu, sizeof pdu);
    PUT(&f, 0, 2, 0, 0, 0, 3, 9, 0x83, 2);
    assert_int_equal(receive(&f, 5 * S, S), 0);
    assert_int_equal(f.frame.reply.pdu_len, 2);
    tear_down(&f);
}

static void no_byte_in_time_is_a_timeout(void **state)
{
    (void)state;
    struct fixture f;
    set_up_tcp(&f);
    int64_t start_ns = base_mono_ns();
    assert_int_equal(receive(&f, 20 * MS, S), ETIMEDOUT);
    assert_true(base_mono_ns() - start_ns >= 20 * MS);
    tear_down(&f);
}

static void a_reply_that_breaks_off_is_damaged(void **state)
{
    (void)state;
    struct fixture f;
    set_up_tcp(&f);
    int64_t start_ns = base_mono_ns();
    PUT(&f, 0x12, 0x34, 0, 0, 0, 7, 9, 3, 4, 0xDE);
    assert_int_equal(receive(&f, 3600 * S, 50 * MS), MB_E_BAD_DATA);
    assert_true(base_mono_ns() - start_ns >= 50 * MS);
    tear_down(&f);
}

static void what_is_no_frame_is_damaged(void **state)
{
    (void)state;
    static const uint8_t frames[][13] = {
        {0, 1, 0, 0, 0, 8, 9, 3, 4, 0xDE, 0xAD, 0xBE, 0xEF}, /* length says 8 */
        {0, 1, 0, 1, 0, 7, 9, 3, 4, 0xDE, 0xAD, 0xBE, 0xEF}, /* not Modbus */
        {0, 1, 1, 0, 0, 7, 9, 3, 4, 0xDE, 0xAD, 0xBE, 0xEF},
        {0, 1, 0, 0, 0, 7, 9, 43, 4, 0xDE, 0xAD, 0xBE, 0xEF}, /* a function nobody asked for */
    };
    for (size_t i = 0; i < ARCD_COUNT_OF(frames); i++) {
        struct fixture f;
        set_up_tcp(&f);
        put(&f, frames[i], sizeof frames[i]);
        assert_int_equal(receive(&f, 5 * S, 100 * MS), MB_E_BAD_DATA);
        tear_down(&f);
    }
}

static void a_peer_that_hangs_up_is_a_lost_link(void **state)
{
    (void)state;
    struct fixture f;
    set_up_tcp(&f);
    close(f.peer);
    f.peer = -1;
    assert_int_equal(receive(&f, 5 * S, S), ECONNRESET);
    uint32_t n_bytes = 0;
    assert_int_equal(ops->drain(f.io, &n_bytes), ECONNRESET);
    tear_down(&f);
}

static void what_came_unasked_is_thrown_away(void **state)
{
    (void)state;
    struct fixture f;
    set_up_tcp(&f);
    uint32_t n_bytes = 99;
    assert_int_equal(ops->drain(f.io, &n_bytes), 0);
    assert_int_equal(n_bytes, 0);
    uint8_t junk[3000] = {1};
    put(&f, junk, sizeof junk);
    struct pollfd fd = {.fd = f.peer, .events = POLLOUT};
    poll(&fd, 1, 1000);
    uint32_t sum = 0;
    while (sum < sizeof junk) {
        assert_int_equal(ops->drain(f.io, &n_bytes), 0);
        sum += n_bytes;
    }
    assert_int_equal(sum, sizeof junk);
    PUT(&f, 0, 2, 0, 0, 0, 3, 9, 0x83, 2);
    assert_int_equal(receive(&f, 5 * S, S), 0);
    tear_down(&f);
}

/* ---- Ending a wait */

static void *wake(void *arg)
{
    uint64_t one = 1;
    ssize_t n = write(((struct fixture *)arg)->wake_fd, &one, sizeof one);
    assert_int_equal(n, sizeof one);
    return NULL;
}

static void a_wait_for_a_reply_can_be_ended(void **state)
{
    (void)state;
    for (int is_rtu = 0; is_rtu < 2; is_rtu++) {
        struct fixture f;
        if (is_rtu)
            set_up_rtu(&f);
        else
            set_up_tcp(&f);
        pthread_t thread;
        pthread_create(&thread, NULL, wake, &f);
        assert_int_equal(receive(&f, 3600 * S, S), ECANCELED);
        pthread_join(thread, NULL);
        tear_down(&f);
    }
}

/* Aborts again and again, because it can come before the frame is being received. */
static void *keep_aborting(void *arg)
{
    struct fixture *f = arg;
    uint64_t count = 0;
    while (read(f->wake_fd, &count, sizeof count) < 0) {
        ops->abort(f->io);
        sched_yield();
    }
    return NULL;
}

static void a_reply_that_stalls_can_be_ended(void **state)
{
    (void)state;
    struct fixture f;
    set_up_tcp(&f);
    PUT(&f, 0x12, 0x34, 0, 0, 0, 7, 9, 3, 4, 0xDE);
    pthread_t thread;
    pthread_create(&thread, NULL, keep_aborting, &f);
    int never = eventfd(0, EFD_CLOEXEC);
    assert_int_equal(ops->receive(f.io, never, in(3600 * S), 3600 * S, &f.frame), ECONNRESET);
    wake(&f);
    pthread_join(thread, NULL);
    close(never);
    tear_down(&f);
}

static void ignore_signal(int signal)
{
    (void)signal;
}

/* A thousand signals a second: no wait ends early, nothing is lost. */
static void signals_do_not_disturb(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = ignore_signal}; /* no SA_RESTART */
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = {{0, 1000}, {0, 1000}};
    setitimer(ITIMER_REAL, &often, NULL);
    for (int is_rtu = 0; is_rtu < 2; is_rtu++) {
        struct fixture f;
        if (is_rtu)
            set_up_rtu(&f);
        else
            set_up_tcp(&f);
        int64_t start_ns = base_mono_ns();
        assert_int_equal(receive(&f, 50 * MS, S), ETIMEDOUT);
        assert_true(base_mono_ns() - start_ns >= 50 * MS);
        if (is_rtu)
            PUT_RTU(&f, 1, 3, 4, 0xDE);
        else
            PUT(&f, 0x12, 0x34, 0, 0, 0, 7, 9, 3, 4, 0xDE);
        start_ns = base_mono_ns();
        assert_int_equal(receive(&f, S, 50 * MS), MB_E_BAD_DATA);
        assert_true(base_mono_ns() - start_ns >= 45 * MS);
        tear_down(&f);
    }
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
}

/* ---- Connecting */

static int try_open(const char *host, uint16_t port, int64_t wait_ns, char text[MB_IO_TEXT])
{
    struct mb_io_config config = {.host = host, .port = port};
    struct mb_io *io = ops->new (&config, NULL);
    assert_non_null(io);
    text[0] = '\0';
    int code = ops->open(io, -1, in(wait_ns), text);
    ops->close(io);
    ops->free(io);
    return code;
}

static void a_refused_connect_says_so_at_once(void **state)
{
    (void)state;
    char text[MB_IO_TEXT];
    uint16_t port = 0;
    close(listen_on_loopback(&port));
    assert_int_equal(try_open("127.0.0.1", port, 60 * S, text), ECONNREFUSED);
    assert_string_equal(text, "Connection refused");
}

static void names_and_both_kinds_of_addresses_are_taken(void **state)
{
    (void)state;
    char text[MB_IO_TEXT];
    uint16_t port = 0;
    int listener = listen_on_loopback(&port);
    if (try_open("localhost", port, 60 * S, text) != 0)
        fail_msg("%s", text);
    int code = try_open("::1", port, 60 * S, text); /* nobody listens there; or no IPv6 at all */
    assert_true(code == ECONNREFUSED || code == EADDRNOTAVAIL || code == ENETUNREACH ||
                code == EAFNOSUPPORT);
    close(listener);
}

/* ".invalid" never exists (RFC 2606). A name server that does not answer is bounded by the time. */
static void an_unknown_name_is_named(void **state)
{
    (void)state;
    char text[MB_IO_TEXT];
    int code = try_open("plc.invalid", 502, 2 * S, text);
    assert_true(code == EHOSTUNREACH || code == ETIMEDOUT);
    assert_non_null(strstr(text, "cannot resolve plc.invalid: "));
}

/* A full queue of a listener that accepts nobody: connects hang, as with a device that is off. */
static void a_connect_without_an_answer_ends_in_time(void **state)
{
    (void)state;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 0), 0);
    getsockname(listener, (struct sockaddr *)&address, &size);
    int queued[8];
    for (int i = 0; i < 8; i++) {
        queued[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)connect(queued[i], (struct sockaddr *)&address, size);
    }
    char text[MB_IO_TEXT];
    int64_t start_ns = base_mono_ns();
    assert_int_equal(try_open("127.0.0.1", ntohs(address.sin_port), 100 * MS, text), ETIMEDOUT);
    assert_string_equal(text, "no answer to connect");
    assert_true(base_mono_ns() - start_ns >= 100 * MS);
    for (int i = 0; i < 8; i++)
        close(queued[i]);
    close(listener);
}

/* select(2), which the library uses, cannot take descriptors from 1024 on. */
static void a_descriptor_that_the_library_cannot_take_is_refused(void **state)
{
    (void)state;
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max < 1100) {
        print_message("the limit of open files is too low to try\n");
        skip();
    }
    limit.rlim_cur = 1100;
    setrlimit(RLIMIT_NOFILE, &limit);
    uint16_t port = 0;
    int listener = listen_on_loopback(&port);
    static int files[1100];
    int n = 0;
    int fd = -1;
    while ((fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0 && fd < 1030)
        files[n++] = fd;
    files[n++] = fd;
    char text[MB_IO_TEXT];
    assert_int_equal(try_open("127.0.0.1", port, 5 * S, text), EMFILE);
    assert_string_equal(text, "more than 1024 files are open");
    while (n > 0)
        close(files[--n]);
    assert_int_equal(try_open("127.0.0.1", port, 5 * S, text), 0);
    close(listener);
}

/* ---- RTU */

static void an_rtu_request_has_its_checksum(void **state)
{
    (void)state;
    struct fixture f;
    set_up_rtu(&f);
    assert_int_equal(send_read(&f, 17, 1), 0);
    uint8_t expected[8] = {17, 3, 1, 2, 0, 2};
    uint16_t crc = mb_crc16(expected, 6);
    expected[6] = (uint8_t)crc;
    expected[7] = (uint8_t)(crc >> 8);
    expect_sent(&f, expected, sizeof expected);
    tear_down(&f);
}

/* The example of the protocol's specification. */
static void the_checksum_is_the_protocols(void **state)
{
    (void)state;
    const uint8_t frame[] = {0x02, 0x07};
    assert_int_equal(mb_crc16(frame, 2), 0x1241);
}

static void rtu_replies_are_framed_by_length_and_checksum(void **state)
{
    (void)state;
    struct fixture f;
    set_up_rtu(&f);
    assert_int_equal(send_read(&f, 17, 1), 0);
    PUT_RTU(&f, 17, 3, 4, 0xDE, 0xAD, 0x0D, 0x0A); /* CR and LF must come through */
    assert_int_equal(receive(&f, 5 * S, S), 0);
    assert_int_equal(f.frame.unit, 17);
    const uint8_t pdu[] = {3, 4, 0xDE, 0xAD, 0x0D, 0x0A};
    assert_int_equal(f.frame.reply.pdu_len, sizeof pdu);
    assert_memory_equal(f.frame.reply.pdu, pdu, sizeof pdu);
    PUT(&f, 17, 3, 4, 0xDE, 0xAD, 0xBE, 0xEF, 0, 0);
    assert_int_equal(receive(&f, 5 * S, S), MB_E_BAD_CRC);
    PUT_RTU(&f, 18, 3, 4, 0xDE, 0xAD, 0xBE, 0xEF); /* another unit's */
    assert_int_equal(receive(&f, 5 * S, S), EAGAIN);
    PUT(&f, 17, 3, 4, 0xDE);
    assert_int_equal(receive(&f, 5 * S, 30 * MS), MB_E_BAD_DATA);
    tear_down(&f);
}

static void bytes_left_on_a_line_are_thrown_away(void **state)
{
    (void)state;
    struct fixture f;
    set_up_rtu(&f);
    PUT(&f, 1, 2, 3, 4, 5);
    struct pollfd fd = {.fd = f.listener, .events = POLLIN};
    assert_int_equal(poll(&fd, 1, 5000), 1);
    uint32_t n_bytes = 0;
    assert_int_equal(ops->drain(f.io, &n_bytes), 0);
    assert_int_equal(n_bytes, 5);
    PUT_RTU(&f, 0, 0x83, 2);
    assert_int_equal(receive(&f, 5 * S, S), 0);
    tear_down(&f);
}

static void an_unplugged_adapter_is_a_lost_link(void **state)
{
    (void)state;
    struct fixture f;
    set_up_rtu(&f);
    close(f.peer);
    f.peer = -1;
    uint32_t n_bytes = 0;
    assert_true(mb_error_is_link(ops->drain(f.io, &n_bytes)));
    assert_true(mb_error_is_link(receive(&f, 5 * S, S)));
    tear_down(&f);
}

static void a_missing_serial_port_is_named(void **state)
{
    (void)state;
    struct mb_io_config config = {.is_rtu = true,
                                  .serial_port = "/dev/nonexistent",
                                  .baud = 9600,
                                  .parity = 'E',
                                  .data_bits = 8,
                                  .stop_bits = 1};
    struct mb_io *io = ops->new (&config, NULL);
    char text[MB_IO_TEXT];
    assert_int_equal(ops->open(io, -1, in(S), text), ENOENT);
    assert_string_equal(text, "No such file or directory");
    ops->close(io);
    ops->free(io);
}

/* ---- Anything on the wire */

static uint32_t seed = 20240601;

static uint32_t draw(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

/* A good reply, then some of it changed: bytes, length, end. */
static size_t mutated(uint8_t bytes[300])
{
    static const uint8_t functions[] = {1, 2, 3, 4, 5, 6, 15, 16, 17, 22, 0x83, 0xFF};
    size_t n = 9 + draw(250);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)draw(256);
    const uint8_t header[] = {0,
                              1,
                              0,
                              0,
                              (uint8_t)((n - 6) >> 8),
                              (uint8_t)(n - 6),
                              9,
                              functions[draw(ARCD_COUNT_OF(functions))],
                              (uint8_t)(n - 9)};
    memcpy(bytes, header, sizeof header);
    for (uint32_t changes = draw(4); changes > 0; changes--)
        bytes[draw((uint32_t)n)] = (uint8_t)draw(256);
    if (draw(3) == 0)
        n = 1 + draw((uint32_t)n);
    return n;
}

/* Whatever arrives: a result, within the time, and nothing written past its room (that is for the
 * sanitizers to see). */
static void damaged_frames_are_survived(void **state)
{
    (void)state;
    struct mb_request request = mb_request_read(9, MB_HOLDING, 0, 20);
    int verdicts[3] = {0};
    for (int round = 0; round < 400; round++) {
        struct fixture f;
        set_up_tcp(&f);
        uint8_t bytes[300];
        put(&f, bytes, mutated(bytes));
        int code = receive(&f, 5 * S, 2 * MS);
        assert_true(code == 0 || mb_error_is_damage(code) || mb_error_is_link(code));
        if (code == 0) {
            uint8_t exception = 0;
            uint16_t values[125];
            enum mb_verdict verdict = mb_reply_check(&request, &f.frame.reply, &exception);
            if (verdict == MB_REPLY_GOOD)
                mb_reply_values(&request, &f.frame.reply, values);
            verdicts[verdict]++;
        }
        tear_down(&f);
    }
    assert_true(verdicts[MB_REPLY_DAMAGED] > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tcp_request_has_unit_and_transaction),
        cmocka_unit_test(a_tcp_reply_is_taken_apart),
        cmocka_unit_test(no_byte_in_time_is_a_timeout),
        cmocka_unit_test(a_reply_that_breaks_off_is_damaged),
        cmocka_unit_test(what_is_no_frame_is_damaged),
        cmocka_unit_test(a_peer_that_hangs_up_is_a_lost_link),
        cmocka_unit_test(what_came_unasked_is_thrown_away),
        cmocka_unit_test(a_wait_for_a_reply_can_be_ended),
        cmocka_unit_test(a_reply_that_stalls_can_be_ended),
        cmocka_unit_test(signals_do_not_disturb),
        cmocka_unit_test(a_refused_connect_says_so_at_once),
        cmocka_unit_test(names_and_both_kinds_of_addresses_are_taken),
        cmocka_unit_test(an_unknown_name_is_named),
        cmocka_unit_test(a_connect_without_an_answer_ends_in_time),
        cmocka_unit_test(a_descriptor_that_the_library_cannot_take_is_refused),
        cmocka_unit_test(an_rtu_request_has_its_checksum),
        cmocka_unit_test(the_checksum_is_the_protocols),
        cmocka_unit_test(rtu_replies_are_framed_by_length_and_checksum),
        cmocka_unit_test(bytes_left_on_a_line_are_thrown_away),
        cmocka_unit_test(an_unplugged_adapter_is_a_lost_link),
        cmocka_unit_test(a_missing_serial_port_is_named),
        cmocka_unit_test(damaged_frames_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
