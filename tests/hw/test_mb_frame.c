#include "hw/modbus/mb_frame.h"

#include "tests/support/test.h"

#include <string.h>

static void expect_pdu(const struct mb_request *request, const uint8_t *bytes, size_t n)
{
    assert_int_equal(request->pdu_len, n);
    assert_memory_equal(request->pdu, bytes, n);
}

#define EXPECT_PDU(request, ...)                                                                   \
    expect_pdu((request), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static struct mb_reply reply_of(const uint8_t *bytes, size_t n)
{
    struct mb_reply reply = {.pdu_len = (uint16_t)n};
    memcpy(reply.pdu, bytes, n);
    return reply;
}

#define REPLY(...) reply_of((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static enum mb_verdict check(const struct mb_request *request, struct mb_reply reply)
{
    uint8_t exception = 0;
    return mb_reply_check(request, &reply, &exception);
}

static void reads_are_as_the_protocol_says(void **state)
{
    (void)state;
    struct mb_request request = mb_request_read(17, MB_HOLDING, 0x006B, 3);
    EXPECT_PDU(&request, 3, 0x00, 0x6B, 0x00, 0x03);
    assert_int_equal(request.reply_len, 8);
    request = mb_request_read(17, MB_COILS, 0x0013, 37);
    EXPECT_PDU(&request, 1, 0x00, 0x13, 0x00, 0x25);
    assert_int_equal(request.reply_len, 7);
    request = mb_request_read(17, MB_DISCRETE_INPUTS, 1, 8);
    assert_int_equal(request.pdu[0], 2);
    assert_int_equal(request.reply_len, 3);
    request = mb_request_read(17, MB_INPUT_REGISTERS, 1, 125);
    assert_int_equal(request.pdu[0], 4);
    assert_int_equal(request.reply_len, 252);
}

static void writes_are_as_the_protocol_says(void **state)
{
    (void)state;
    struct mb_request request = mb_request_write_coil(1, 0x00AC, true);
    EXPECT_PDU(&request, 5, 0x00, 0xAC, 0xFF, 0x00);
    request = mb_request_write_register(1, 1, 0x0003);
    EXPECT_PDU(&request, 6, 0x00, 0x01, 0x00, 0x03);
    const uint8_t bits[10] = {1, 0, 1, 1, 0, 0, 1, 1, 1, 0};
    request = mb_request_write_coils(1, 0x0013, 10, bits);
    EXPECT_PDU(&request, 15, 0x00, 0x13, 0x00, 0x0A, 0x02, 0xCD, 0x01);
    request = mb_request_write_registers(1, 1, 2, (const uint16_t[]){0x000A, 0x0102});
    EXPECT_PDU(&request, 16, 0x00, 0x01, 0x00, 0x02, 0x04, 0x00, 0x0A, 0x01, 0x02);
    request = mb_request_mask_write(1, 4, 0x00F2, 0x0025);
    EXPECT_PDU(&request, 22, 0x00, 0x04, 0x00, 0xF2, 0x00, 0x25);
    assert_true(mb_request_is_write(&request));
    request = mb_request_report_id(1);
    EXPECT_PDU(&request, 17);
    assert_false(mb_request_is_write(&request));
}

static void the_largest_requests_fit_a_frame(void **state)
{
    (void)state;
    uint8_t bits[1968] = {0};
    uint16_t registers[123] = {0};
    assert_true(mb_request_write_coils(1, 0, 1968, bits).pdu_len <= MB_PDU_MAX);
    assert_true(mb_request_write_registers(1, 0, 123, registers).pdu_len <= MB_PDU_MAX);
}

static void values_are_taken_from_a_good_reply(void **state)
{
    (void)state;
    struct mb_request request = mb_request_read(17, MB_HOLDING, 0x006B, 3);
    struct mb_reply reply = REPLY(3, 6, 0x02, 0x2B, 0x00, 0x00, 0x00, 0x64);
    assert_int_equal(check(&request, reply), MB_REPLY_GOOD);
    uint16_t values[10];
    mb_reply_values(&request, &reply, values);
    assert_int_equal(values[0], 0x022B);
    assert_int_equal(values[1], 0);
    assert_int_equal(values[2], 100);
    request = mb_request_read(17, MB_DISCRETE_INPUTS, 0, 10);
    reply = REPLY(2, 2, 0xCD, 0x01);
    assert_int_equal(check(&request, reply), MB_REPLY_GOOD);
    mb_reply_values(&request, &reply, values);
    const uint16_t bits[] = {1, 0, 1, 1, 0, 0, 1, 1, 1, 0};
    assert_memory_equal(values, bits, sizeof bits);
}

static void an_exception_is_told_from_damage(void **state)
{
    (void)state;
    struct mb_request request = mb_request_read(1, MB_HOLDING, 0, 1);
    struct mb_reply reply = REPLY(0x83, 2);
    uint8_t exception = 0;
    assert_int_equal(mb_reply_check(&request, &reply, &exception), MB_REPLY_EXCEPTION);
    assert_int_equal(exception, 2);
    assert_int_equal(check(&request, REPLY(0x84, 2)), MB_REPLY_DAMAGED);
    assert_int_equal(check(&request, REPLY(0x83)), MB_REPLY_DAMAGED);
    assert_int_equal(check(&request, REPLY(0x83, 0)), MB_REPLY_DAMAGED);
    assert_int_equal(check(&request, REPLY(0x83, 2, 0)), MB_REPLY_DAMAGED);
}

/* The byte count must be what was asked for, before anything is copied. */
static void a_reply_of_another_length_is_damaged(void **state)
{
    (void)state;
    struct mb_request request = mb_request_read(1, MB_HOLDING, 0, 2);
    assert_int_equal(check(&request, REPLY(3, 4, 0, 1, 0, 2)), MB_REPLY_GOOD);
    assert_int_equal(check(&request, REPLY(3, 2, 0, 1)), MB_REPLY_DAMAGED);
    assert_int_equal(check(&request, REPLY(3, 4, 0, 1)), MB_REPLY_DAMAGED);
    assert_int_equal(check(&request, REPLY(3, 6, 0, 1, 0, 2)), MB_REPLY_DAMAGED);
    assert_int_equal(check(&request, REPLY(3, 6, 0, 1, 0, 2, 0, 3)), MB_REPLY_DAMAGED);
    assert_int_equal(check(&request, REPLY(4, 4, 0, 1, 0, 2)), MB_REPLY_DAMAGED);
    assert_int_equal(check(&request, (struct mb_reply){0}), MB_REPLY_DAMAGED);
    request = mb_request_report_id(1);
    assert_int_equal(check(&request, REPLY(17, 3, 9, 0xFF, 1)), MB_REPLY_GOOD);
    assert_int_equal(check(&request, REPLY(17, 4, 9, 0xFF, 1)), MB_REPLY_DAMAGED);
    assert_int_equal(check(&request, REPLY(17)), MB_REPLY_DAMAGED);
}

static void a_write_must_be_echoed(void **state)
{
    (void)state;
    struct mb_request request = mb_request_write_register(1, 0x0102, 0x0304);
    assert_int_equal(check(&request, REPLY(6, 1, 2, 3, 4)), MB_REPLY_GOOD);
    assert_int_equal(check(&request, REPLY(6, 1, 2, 3, 5)), MB_REPLY_DAMAGED);
    request = mb_request_write_registers(1, 7, 2, (const uint16_t[]){1, 2});
    assert_int_equal(check(&request, REPLY(16, 0, 7, 0, 2)), MB_REPLY_GOOD);
    assert_int_equal(check(&request, REPLY(16, 0, 7, 0, 1)), MB_REPLY_DAMAGED);
    assert_int_equal(check(&request, REPLY(16, 0, 8, 0, 2)), MB_REPLY_DAMAGED);
    request = mb_request_mask_write(1, 4, 0x00F2, 0x0025);
    assert_int_equal(check(&request, REPLY(22, 0, 4, 0, 0xF2, 0, 0x25)), MB_REPLY_GOOD);
    assert_int_equal(check(&request, REPLY(22, 0, 4, 0, 0xF2, 0, 0x24)), MB_REPLY_DAMAGED);
}

/* ---- Anything */

static uint32_t seed = 1;

static uint32_t draw(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

/* A million answers, right ones and ones with bytes and lengths changed: what is good has as many
 * values as were asked for. The sanitizers watch the rest. */
static void damaged_replies_are_told_from_good_ones(void **state)
{
    (void)state;
    uint32_t n_good = 0;
    uint32_t n_changed_and_good = 0;
    for (int round = 0; round < 1000000; round++) {
        uint16_t count = (uint16_t)(1 + draw(125));
        struct mb_request request = mb_request_read(1, (enum mb_table)draw(4), 0, count);
        struct mb_reply reply = {.pdu_len = request.reply_len};
        reply.pdu[0] = request.fc;
        reply.pdu[1] = (uint8_t)(request.reply_len - 2);
        uint32_t changes = draw(3);
        for (uint32_t i = 0; i < changes; i++)
            reply.pdu[draw(request.reply_len)] = (uint8_t)draw(256);
        bool is_cut = draw(4) == 0;
        if (is_cut)
            reply.pdu_len = (uint16_t)draw(request.reply_len);
        enum mb_verdict verdict = check(&request, reply);
        assert_true(verdict != MB_REPLY_GOOD || !is_cut);
        assert_true(verdict == MB_REPLY_GOOD || is_cut || changes > 0);
        if (verdict != MB_REPLY_GOOD)
            continue;
        assert_int_equal(reply.pdu[1], mb_table_is_bits(request.fc > 2 ? MB_HOLDING : MB_COILS)
                                           ? (count + 7) / 8
                                           : 2 * count);
        uint16_t values[125];
        mb_reply_values(&request, &reply, values);
        n_good++;
        n_changed_and_good += changes > 0;
    }
    assert_true(n_good > 200000);
    assert_true(n_changed_and_good > 100000); /* values may change, their number may not */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_are_as_the_protocol_says),
        cmocka_unit_test(writes_are_as_the_protocol_says),
        cmocka_unit_test(the_largest_requests_fit_a_frame),
        cmocka_unit_test(values_are_taken_from_a_good_reply),
        cmocka_unit_test(an_exception_is_told_from_damage),
        cmocka_unit_test(a_reply_of_another_length_is_damaged),
        cmocka_unit_test(a_write_must_be_echoed),
        cmocka_unit_test(damaged_replies_are_told_from_good_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
