/* hw/modbus/mb_frame.h - requests as bytes, and replies checked before anything is taken from them.
 *
 * A PDU is a function code and its data, without unit, transaction id or checksum. The request says
 * how long its reply must be; a reply that is anything else is damaged. Pure functions.
 */
#ifndef HW_MODBUS_MB_FRAME_H
#define HW_MODBUS_MB_FRAME_H

#include "hw/modbus/mb_plan.h"

#include <stddef.h>

enum {
    MB_PDU_MAX = 253,
    MB_ADU_MAX = 260, /* TCP: 7 bytes before the PDU; RTU: 1 before, 2 behind */
};

enum mb_fc {
    MB_FC_READ_COILS = 1,
    MB_FC_READ_DISCRETE_INPUTS = 2,
    MB_FC_READ_HOLDING = 3,
    MB_FC_READ_INPUT_REGISTERS = 4,
    MB_FC_WRITE_COIL = 5,
    MB_FC_WRITE_REGISTER = 6,
    MB_FC_WRITE_COILS = 15,
    MB_FC_WRITE_REGISTERS = 16,
    MB_FC_REPORT_ID = 17,
    MB_FC_MASK_WRITE = 22,
};

struct mb_request {
    uint8_t unit;
    uint8_t fc;
    uint16_t address, count;
    uint16_t reply_len; /* of the PDU of a good reply; 0: the reply says it itself */
    uint16_t pdu_len;
    uint8_t pdu[MB_PDU_MAX];
};

struct mb_reply {
    uint16_t pdu_len;
    uint8_t pdu[MB_PDU_MAX];
};

/* count within the protocol's limits: 2000 bits, 125 registers; to write 1968 and 123. */
struct mb_request mb_request_read(uint8_t unit, enum mb_table table, uint16_t address,
                                  uint16_t count);
struct mb_request mb_request_write_coil(uint8_t unit, uint16_t address, bool on);
struct mb_request mb_request_write_coils(uint8_t unit, uint16_t address, uint16_t count,
                                         const uint8_t *bits);
struct mb_request mb_request_write_register(uint8_t unit, uint16_t address, uint16_t value);
struct mb_request mb_request_write_registers(uint8_t unit, uint16_t address, uint16_t count,
                                             const uint16_t *values);
struct mb_request mb_request_mask_write(uint8_t unit, uint16_t address, uint16_t and_mask,
                                        uint16_t or_mask);
struct mb_request mb_request_report_id(uint8_t unit);

bool mb_request_is_write(const struct mb_request *request);

enum mb_verdict { MB_REPLY_GOOD, MB_REPLY_EXCEPTION, MB_REPLY_DAMAGED };

/* *exception: the device's exception code, where the verdict says so. */
enum mb_verdict mb_reply_check(const struct mb_request *request, const struct mb_reply *reply,
                               uint8_t *exception);

/* The values of a good reply to a read: request->count of them. Bits become 0 or 1. */
void mb_reply_values(const struct mb_request *request, const struct mb_reply *reply,
                     uint16_t *values);

/* Of an RTU frame; its low byte goes over the wire first. */
uint16_t mb_crc16(const uint8_t *bytes, size_t n);

#endif
