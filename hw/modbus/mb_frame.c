#include "hw/modbus/mb_frame.h"

#include <string.h>

static void put_u16(struct mb_request *request, uint16_t value)
{
    request->pdu[request->pdu_len++] = (uint8_t)(value >> 8);
    request->pdu[request->pdu_len++] = (uint8_t)value;
}

static uint16_t get_u16(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static struct mb_request begin(uint8_t unit, enum mb_fc fc, uint16_t address, uint16_t count)
{
    struct mb_request request = {
        .unit = unit, .fc = (uint8_t)fc, .address = address, .count = count};
    request.pdu[request.pdu_len++] = (uint8_t)fc;
    put_u16(&request, address);
    return request;
}

struct mb_request mb_request_read(uint8_t unit, enum mb_table table, uint16_t address,
                                  uint16_t count)
{
    static const enum mb_fc codes[] = {MB_FC_READ_COILS, MB_FC_READ_DISCRETE_INPUTS,
                                       MB_FC_READ_HOLDING, MB_FC_READ_INPUT_REGISTERS};
    bool bits = mb_table_is_bits(table);
    ARCD_ASSERT(count >= 1 && count <= (bits ? 2000 : 125));
    struct mb_request request = begin(unit, codes[table], address, count);
    put_u16(&request, count);
    request.reply_len = (uint16_t)(2 + (bits ? (count + 7) / 8 : count * 2));
    return request;
}

struct mb_request mb_request_write_coil(uint8_t unit, uint16_t address, bool on)
{
    struct mb_request request = begin(unit, MB_FC_WRITE_COIL, address, 1);
    put_u16(&request, on ? 0xFF00 : 0);
    request.reply_len = 5;
    return request;
}

struct mb_request mb_request_write_coils(uint8_t unit, uint16_t address, uint16_t count,
                                         const uint8_t *bits)
{
    ARCD_ASSERT(count >= 1 && count <= 1968);
    struct mb_request request = begin(unit, MB_FC_WRITE_COILS, address, count);
    put_u16(&request, count);
    request.pdu[request.pdu_len++] = (uint8_t)((count + 7) / 8);
    for (uint16_t i = 0; i < count; i++)
        if (bits[i])
            request.pdu[request.pdu_len + i / 8] |= (uint8_t)(1 << i % 8);
    request.pdu_len = (uint16_t)(request.pdu_len + (count + 7) / 8);
    request.reply_len = 5;
    return request;
}

struct mb_request mb_request_write_register(uint8_t unit, uint16_t address, uint16_t value)
{
    struct mb_request request = begin(unit, MB_FC_WRITE_REGISTER, address, 1);
    put_u16(&request, value);
    request.reply_len = 5;
    return request;
}

struct mb_request mb_request_write_registers(uint8_t unit, uint16_t address, uint16_t count,
                                             const uint16_t *values)
{
    ARCD_ASSERT(count >= 1 && count <= 123);
    struct mb_request request = begin(unit, MB_FC_WRITE_REGISTERS, address, count);
    put_u16(&request, count);
    request.pdu[request.pdu_len++] = (uint8_t)(count * 2);
    for (uint16_t i = 0; i < count; i++)
        put_u16(&request, values[i]);
    request.reply_len = 5;
    return request;
}

struct mb_request mb_request_mask_write(uint8_t unit, uint16_t address, uint16_t and_mask,
                                        uint16_t or_mask)
{
    struct mb_request request = begin(unit, MB_FC_MASK_WRITE, address, 1);
    put_u16(&request, and_mask);
    put_u16(&request, or_mask);
    request.reply_len = 7;
    return request;
}

struct mb_request mb_request_report_id(uint8_t unit)
{
    struct mb_request request = {.unit = unit, .fc = MB_FC_REPORT_ID, .pdu_len = 1};
    request.pdu[0] = MB_FC_REPORT_ID;
    return request;
}

bool mb_request_is_write(const struct mb_request *request)
{
    return request->fc == MB_FC_WRITE_COIL || request->fc == MB_FC_WRITE_REGISTER ||
           request->fc == MB_FC_WRITE_COILS || request->fc == MB_FC_WRITE_REGISTERS ||
           request->fc == MB_FC_MASK_WRITE;
}

/* ---- Replies */

/* What is behind the function code and has to be right. */
static bool body_is_right(const struct mb_request *request, const struct mb_reply *reply)
{
    switch (request->fc) {
    case MB_FC_READ_COILS:
    case MB_FC_READ_DISCRETE_INPUTS:
    case MB_FC_READ_HOLDING:
    case MB_FC_READ_INPUT_REGISTERS: return reply->pdu[1] == request->reply_len - 2;
    case MB_FC_REPORT_ID: return reply->pdu_len >= 2 && reply->pdu[1] == reply->pdu_len - 2;
    default: /* writes: address and value, or count, come back */
        return memcmp(reply->pdu + 1, request->pdu + 1, request->reply_len - 1U) == 0;
    }
}

enum mb_verdict mb_reply_check(const struct mb_request *request, const struct mb_reply *reply,
                               uint8_t *exception)
{
    *exception = 0;
    if (reply->pdu_len == 0 || (reply->pdu[0] & 0x7F) != request->fc)
        return MB_REPLY_DAMAGED;
    if (reply->pdu[0] & 0x80) {
        if (reply->pdu_len != 2 || reply->pdu[1] == 0)
            return MB_REPLY_DAMAGED;
        *exception = reply->pdu[1];
        return MB_REPLY_EXCEPTION;
    }
    if (request->reply_len != 0 && reply->pdu_len != request->reply_len)
        return MB_REPLY_DAMAGED;
    return body_is_right(request, reply) ? MB_REPLY_GOOD : MB_REPLY_DAMAGED;
}

void mb_reply_values(const struct mb_request *request, const struct mb_reply *reply,
                     uint16_t *values)
{
    bool bits = request->fc == MB_FC_READ_COILS || request->fc == MB_FC_READ_DISCRETE_INPUTS;
    const uint8_t *data = reply->pdu + 2;
    for (size_t i = 0; i < request->count; i++)
        values[i] = (uint16_t)(bits ? data[i / 8] >> i % 8 & 1 : get_u16(&data[2 * i]));
}

uint16_t mb_crc16(const uint8_t *bytes, size_t n)
{
    uint16_t crc = 0xFFFF;
    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (uint16_t)(crc & 1 ? crc >> 1 ^ 0xA001 : crc >> 1);
    }
    return crc;
}
