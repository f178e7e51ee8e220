#include "tests/hw/mb_fake.h"

#include "hw/modbus/mb_error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct mb_fake *current; /* what mb_fake_ops.new gives */

struct mb_fake *mb_fake_new(struct bench_clock *clock)
{
    current = calloc(1, sizeof *current);
    assert_non_null(current);
    current->clock = clock;
    current->has_mask_write = true;
    current->reply_ns = BASE_NS_PER_MS;
    return current;
}

void mb_fake_free(struct mb_fake *fake)
{
    free(fake);
    current = NULL;
}

void mb_fake_next(struct mb_fake *fake, enum mb_fake_kind kind, int arg)
{
    assert_true(fake->n_queue < FAKE_QUEUE);
    fake->queue[fake->n_queue].kind = kind;
    fake->queue[fake->n_queue++].arg = arg;
}

void mb_fake_next_open(struct mb_fake *fake, int result)
{
    assert_true(fake->n_open_results < FAKE_QUEUE);
    fake->open_results[fake->n_open_results++] = result;
}

const char *mb_fake_log(struct mb_fake *fake, char text[FAKE_LOG * 4])
{
    int n = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < fake->n_log; i++)
        n += sprintf(text + n, "%s%d", i > 0 ? " " : "", fake->log[i].request.fc);
    fake->n_log = 0;
    return text;
}

static void move_clock_to(struct mb_fake *fake, int64_t mono_ns)
{
    int64_t by_ns = mono_ns - atomic_load(&fake->clock->mono_ns);
    if (by_ns > 0) {
        atomic_fetch_add(&fake->clock->mono_ns, by_ns);
        atomic_fetch_add(&fake->clock->utc_ns, by_ns);
    }
}

/* ---- The device */

static uint16_t u16_at(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static void read_bits(const struct mb_request *q, const uint8_t *bits, struct mb_reply *reply)
{
    reply->pdu[1] = (uint8_t)((q->count + 7) / 8);
    for (uint16_t i = 0; i < q->count; i++)
        if (bits[q->address + i])
            reply->pdu[2 + i / 8] |= (uint8_t)(1 << i % 8);
    reply->pdu_len = (uint16_t)(2 + reply->pdu[1]);
}

static void read_words(const struct mb_request *q, const uint16_t *words, struct mb_reply *reply)
{
    reply->pdu[1] = (uint8_t)(2 * q->count);
    for (uint16_t i = 0; i < q->count; i++) {
        reply->pdu[2 + 2 * i] = (uint8_t)(words[q->address + i] >> 8);
        reply->pdu[3 + 2 * i] = (uint8_t)words[q->address + i];
    }
    reply->pdu_len = (uint16_t)(2 + reply->pdu[1]);
}

static void refuse(const struct mb_request *q, int exception, struct mb_reply *reply)
{
    reply->pdu[0] = (uint8_t)(q->fc | 0x80);
    reply->pdu[1] = (uint8_t)exception;
    reply->pdu_len = 2;
}

static void echo(const struct mb_request *q, struct mb_reply *reply)
{
    memcpy(reply->pdu, q->pdu, q->reply_len);
    reply->pdu_len = q->reply_len;
}

static void write_memory(struct mb_fake *fake, const struct mb_request *q)
{
    const uint8_t *data = q->pdu + 6;
    if (fake->deaf_register != 0 && q->address == fake->deaf_register)
        return;
    uint16_t value = u16_at(q->pdu + 3);
    switch (q->fc) {
    case MB_FC_WRITE_COIL: fake->coils[q->address] = value != 0; break;
    case MB_FC_WRITE_REGISTER: fake->holding[q->address] = value; break;
    case MB_FC_WRITE_COILS:
        for (uint16_t i = 0; i < q->count; i++)
            fake->coils[q->address + i] = data[i / 8] >> i % 8 & 1;
        break;
    case MB_FC_WRITE_REGISTERS:
        for (size_t i = 0; i < q->count; i++)
            fake->holding[q->address + i] = u16_at(&data[2 * i]);
        break;
    default:
        fake->holding[q->address] =
            (uint16_t)((fake->holding[q->address] & value) | (u16_at(q->pdu + 5) & ~value));
    }
}

static void answer(struct mb_fake *fake, const struct mb_request *q, struct mb_reply *reply)
{
    *reply = (struct mb_reply){0};
    reply->pdu[0] = q->fc;
    bool missing = fake->first_missing != 0 && q->address + q->count > fake->first_missing;
    if (missing || (q->fc == MB_FC_MASK_WRITE && !fake->has_mask_write)) {
        refuse(q, missing ? 2 : 1, reply);
        return;
    }
    switch (q->fc) {
    case MB_FC_READ_COILS: read_bits(q, fake->coils, reply); return;
    case MB_FC_READ_DISCRETE_INPUTS: read_bits(q, fake->discretes, reply); return;
    case MB_FC_READ_HOLDING: read_words(q, fake->holding, reply); return;
    case MB_FC_READ_INPUT_REGISTERS: read_words(q, fake->inputs, reply); return;
    case MB_FC_REPORT_ID:
        memcpy(reply->pdu, "\x11\x06PUMP1\xFF", 8);
        reply->pdu_len = 8;
        return;
    default:
        write_memory(fake, q);
        echo(q, reply);
        return;
    }
}

/* ---- The wire */

static struct mb_fake *fake_of(struct mb_io *io)
{
    return (struct mb_fake *)(void *)io;
}

static struct mb_io *fake_new(const struct mb_io_config *config, struct arcd_errinfo *why)
{
    (void)config;
    (void)why;
    assert_non_null(current);
    return (struct mb_io *)(void *)current;
}

static void fake_free(struct mb_io *io)
{
    (void)io;
}

static int fake_open(struct mb_io *io, int wake_fd, int64_t deadline_ns, char text[MB_IO_TEXT])
{
    (void)wake_fd;
    struct mb_fake *fake = fake_of(io);
    assert_false(fake->is_open);
    int result = fake->at_open < fake->n_open_results ? fake->open_results[fake->at_open++] : 0;
    if (result == ETIMEDOUT) {
        move_clock_to(fake, deadline_ns);
        snprintf(text, MB_IO_TEXT, "no answer to connect");
    }
    fake->n_opened++;
    fake->is_open = result == 0;
    return result;
}

static void fake_close(struct mb_io *io)
{
    struct mb_fake *fake = fake_of(io);
    fake->n_closed += fake->is_open;
    fake->is_open = false;
}

/* Takes the next order from the queue, if it is one for this moment. */
static bool take(struct mb_fake *fake, bool before_sending)
{
    fake->kind = FAKE_ANSWER;
    if (fake->at_queue == fake->n_queue)
        return false;
    bool is_gone = fake->queue[fake->at_queue].kind == FAKE_GONE;
    if (is_gone != before_sending)
        return false;
    fake->kind = fake->queue[fake->at_queue].kind;
    fake->arg = fake->queue[fake->at_queue++].arg;
    return true;
}

static int fake_drain(struct mb_io *io, uint32_t *n_bytes)
{
    struct mb_fake *fake = fake_of(io);
    assert_true(fake->is_open);
    *n_bytes = 0;
    return take(fake, true) ? fake->arg : 0;
}

static int fake_send(struct mb_io *io, const struct mb_request *request, uint16_t transaction,
                     int64_t deadline_ns, struct mb_frame *sent)
{
    (void)deadline_ns;
    struct mb_fake *fake = fake_of(io);
    assert_true(fake->is_open);
    take(fake, false);
    assert_true(fake->n_log < FAKE_LOG);
    fake->log[fake->n_log].request = *request;
    fake->log[fake->n_log++].at_ns = atomic_load(&fake->clock->mono_ns);
    fake->last_transaction = fake->transaction;
    fake->transaction = transaction;
    fake->request = *request;
    fake->first_is_out = false;
    sent->raw_len = request->pdu_len;
    memcpy(sent->raw, request->pdu, request->pdu_len);
    if (fake->dead_unit != 0 && request->unit == fake->dead_unit)
        fake->kind = FAKE_SILENT;
    return fake->kind == FAKE_LOST ? fake->arg : 0;
}

static int silence(struct mb_fake *fake, int64_t deadline_ns)
{
    move_clock_to(fake, deadline_ns);
    return ETIMEDOUT;
}

static int fake_receive(struct mb_io *io, int wake_fd, int64_t deadline_ns, int64_t frame_ns,
                        struct mb_frame *frame)
{
    (void)wake_fd;
    (void)frame_ns;
    struct mb_fake *fake = fake_of(io);
    int64_t answer_ns = atomic_load(&fake->clock->mono_ns) + fake->reply_ns;
    if (fake->kind == FAKE_SILENT || answer_ns > deadline_ns)
        return silence(fake, deadline_ns);
    move_clock_to(fake, answer_ns);
    if (fake->kind == FAKE_RESULT)
        return fake->arg;
    if (fake->kind == FAKE_FOREIGN && !fake->first_is_out) {
        fake->first_is_out = true;
        return EAGAIN;
    }
    answer(fake, &fake->request, &frame->reply);
    frame->transaction = fake->transaction;
    frame->unit = fake->request.unit;
    if (fake->kind == FAKE_EXCEPTION)
        refuse(&fake->request, fake->arg, &frame->reply);
    if (fake->kind == FAKE_BROKEN)
        frame->reply.pdu[1]++;
    if (fake->kind == FAKE_OTHER_UNIT)
        frame->unit++;
    if (fake->kind == FAKE_LATE && !fake->first_is_out) {
        fake->first_is_out = true;
        frame->transaction = fake->last_transaction;
        memset(frame->reply.pdu + 2, 0xEE, sizeof frame->reply.pdu - 2); /* the wrong values */
    }
    frame->raw_len = frame->reply.pdu_len;
    memcpy(frame->raw, frame->reply.pdu, frame->raw_len);
    return 0;
}

static void fake_abort(struct mb_io *io)
{
    fake_of(io)->n_aborted++;
}

const struct mb_io_ops mb_fake_ops = {
    .new = fake_new,
    .free = fake_free,
    .open = fake_open,
    .close = fake_close,
    .drain = fake_drain,
    .send = fake_send,
    .receive = fake_receive,
    .abort = fake_abort,
};
