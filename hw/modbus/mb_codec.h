/* hw/modbus/mb_codec.h - values to registers and back: types, byte orders, strings, BCD.
 *
 * Registers are numbers in host order, as the protocol's high-byte-first pairs say them. Let a
 * value's bytes be A B C D ... from most to least significant; an order says where they stand:
 *     ABCD  AB CD    CDAB  CD AB (words swapped)    BADC  BA DC (bytes swapped)    DCBA  both
 * and the same way for four registers. Pure functions, any thread.
 */
#ifndef HW_MODBUS_MB_CODEC_H
#define HW_MODBUS_MB_CODEC_H

#include "hw/hw.h"

enum mb_type {
    MB_BIT, /* a coil, a discrete input, or one bit of a register */
    MB_U8,
    MB_I8,
    MB_U16,
    MB_I16,
    MB_U32,
    MB_I32,
    MB_F32,
    MB_U64,
    MB_I64,
    MB_F64,
    MB_BCD16,
    MB_BCD32,
    MB_STR,
    MB_TYPE_COUNT
};

enum { MB_STR_MAX = 250, MB_VALUE_REGISTERS_MAX = 125 };

struct mb_order {
    bool swap_words, swap_bytes;
};

/* How one value is stored. */
struct mb_format {
    enum mb_type type;
    struct mb_order order;
    uint16_t length; /* MB_STR: bytes */
    uint8_t bit;     /* MB_BIT of a register: 0 is the lowest, after the byte order */
};

const char *mb_type_name(enum mb_type type);
enum hw_value mb_type_value(enum mb_type type);

/* Registers that a value takes; 1 for a bit. */
uint32_t mb_format_registers(const struct mb_format *format);

/* The value's bits as one number, most significant first; not for strings. */
uint64_t mb_raw(const struct mb_format *format, const uint16_t *registers);
uint64_t mb_raw_mask(enum mb_type type); /* ones where such a number can have them */

/* Not for strings. BCD with a digit above 9 gives NaN. */
union telem_value mb_decode(const struct mb_format *format, const uint16_t *registers);

/* False: the value does not fit the type, nothing was written. Not for strings. */
bool mb_encode(const struct mb_format *format, union telem_value value, uint16_t *registers);

/* Trailing NULs and blanks are cut, bytes that are not UTF-8 become '?'. Returns the length; `text`
 * has room for format->length. */
uint32_t mb_decode_str(const struct mb_format *format, const uint16_t *registers, char *text);

/* Padded with NUL. False: too long. */
bool mb_encode_str(const struct mb_format *format, const char *text, uint32_t len,
                   uint16_t *registers);

#endif
