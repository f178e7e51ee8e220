/* Any bytes as the answer to any Modbus request. Beyond not crashing: what is taken for good has
 * the length that was asked for, and its values are all there; decoded in every way they stay what
 * their type allows. Input: one byte for the request, one for its count, then the PDU. */
#include "hw/modbus/mb_codec.h"
#include "hw/modbus/mb_frame.h"

#include <stdlib.h>
#include <string.h>

static struct mb_request request_of(uint8_t what, uint8_t n)
{
    static const uint16_t words[123] = {0};
    static const uint8_t bits[1968] = {0};
    switch (what % 7) {
    case 0: return mb_request_read(1, MB_COILS, n, (uint16_t)(1 + n * 7));
    case 1: return mb_request_read(1, MB_INPUT_REGISTERS, n, (uint16_t)(1 + n % 125));
    case 2: return mb_request_write_register(1, n, n);
    case 3: return mb_request_write_registers(1, n, (uint16_t)(1 + n % 123), words);
    case 4: return mb_request_write_coils(1, n, (uint16_t)(1 + n * 7), bits);
    case 5: return mb_request_mask_write(1, n, n, n);
    default: return mb_request_report_id(1);
    }
}

static void decode_all(const uint16_t *values, uint16_t count)
{
    for (int type = 0; type < MB_STR; type++) {
        for (int order = 0; order < 4; order++) {
            const struct mb_format format = {.type = (enum mb_type)type,
                                             .order = {order & 1, order & 2},
                                             .bit = (uint8_t)(order * 5)};
            if (mb_format_registers(&format) > count)
                continue;
            ARCD_ASSERT((mb_raw(&format, values) & ~mb_raw_mask(format.type)) == 0);
            union telem_value value = mb_decode(&format, values);
            ARCD_ASSERT(type != MB_BIT || value.u64 <= 1);
            ARCD_ASSERT(type != MB_I8 || (value.i64 >= -128 && value.i64 <= 127));
        }
    }
    const struct mb_format text = {
        .type = MB_STR, .length = (uint16_t)(2 * count > MB_STR_MAX ? MB_STR_MAX : 2 * count)};
    char room[MB_STR_MAX];
    ARCD_ASSERT(mb_decode_str(&text, values, room) <= text.length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const struct mb_request request = request_of(data[0], data[1]);
    size_t len = size - 2 < MB_PDU_MAX ? size - 2 : MB_PDU_MAX;
    struct mb_reply reply = {.pdu_len = (uint16_t)len};
    memcpy(reply.pdu, data + 2, len);
    uint8_t exception = 0;
    enum mb_verdict verdict = mb_reply_check(&request, &reply, &exception);
    ARCD_ASSERT((exception != 0) == (verdict == MB_REPLY_EXCEPTION));
    if (verdict != MB_REPLY_GOOD)
        return 0;
    ARCD_ASSERT(request.reply_len == 0 || reply.pdu_len == request.reply_len);
    if (mb_request_is_write(&request) || request.fc == MB_FC_REPORT_ID)
        return 0;
    /* An exact block, so that a value too many is seen. */
    uint16_t *values = malloc(request.count * sizeof *values);
    ARCD_ASSERT(values != NULL);
    mb_reply_values(&request, &reply, values);
    decode_all(values, request.count);
    free(values);
    return 0;
}
