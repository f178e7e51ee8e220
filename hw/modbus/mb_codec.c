#include "hw/modbus/mb_codec.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    uint8_t registers;
    uint8_t bits; /* that carry the value */
    enum hw_value value;
} types[MB_TYPE_COUNT] = {
    [MB_BIT] = {"bit", 1, 1, HW_U64},      [MB_U8] = {"u8", 1, 8, HW_U64},
    [MB_I8] = {"i8", 1, 8, HW_I64},        [MB_U16] = {"u16", 1, 16, HW_U64},
    [MB_I16] = {"i16", 1, 16, HW_I64},     [MB_U32] = {"u32", 2, 32, HW_U64},
    [MB_I32] = {"i32", 2, 32, HW_I64},     [MB_F32] = {"f32", 2, 32, HW_F64},
    [MB_U64] = {"u64", 4, 64, HW_U64},     [MB_I64] = {"i64", 4, 64, HW_I64},
    [MB_F64] = {"f64", 4, 64, HW_F64},     [MB_BCD16] = {"bcd16", 1, 16, HW_F64},
    [MB_BCD32] = {"bcd32", 2, 32, HW_F64}, [MB_STR] = {"str", 0, 0, HW_STR},
};

const char *mb_type_name(enum mb_type type)
{
    return types[type].name;
}

enum hw_value mb_type_value(enum mb_type type)
{
    return types[type].value;
}

uint32_t mb_format_registers(const struct mb_format *format)
{
    if (format->type == MB_STR)
        return ((uint32_t)format->length + 1) / 2;
    return types[format->type].registers;
}

/* ---- Registers and one big number */

static uint16_t swapped(uint16_t reg, bool swap)
{
    return (uint16_t)(swap ? reg << 8 | reg >> 8 : reg);
}

uint64_t mb_raw_mask(enum mb_type type)
{
    uint32_t bits = types[type].bits;
    return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

uint64_t mb_raw(const struct mb_format *format, const uint16_t *registers)
{
    uint32_t n = types[format->type].registers;
    uint64_t raw = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint16_t reg = registers[format->order.swap_words ? n - 1 - i : i];
        raw = raw << 16 | swapped(reg, format->order.swap_bytes);
    }
    if (format->type == MB_BIT)
        return raw >> format->bit & 1;
    return raw & mb_raw_mask(format->type);
}

static void put_raw(const struct mb_format *format, uint64_t raw, uint16_t *registers)
{
    uint32_t n = types[format->type].registers;
    for (uint32_t i = 0; i < n; i++) {
        uint16_t reg = (uint16_t)(raw >> 16 * (n - 1 - i));
        registers[format->order.swap_words ? n - 1 - i : i] =
            swapped(reg, format->order.swap_bytes);
    }
}

/* ---- Reading */

static int64_t sign_extended(uint64_t raw, uint32_t bits)
{
    uint64_t sign = UINT64_C(1) << (bits - 1);
    return (int64_t)((raw ^ sign) - sign);
}

static double f32_of(uint64_t raw)
{
    uint32_t bits = (uint32_t)raw;
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

static double bcd_of(uint64_t raw, uint32_t bits)
{
    double value = 0.0;
    for (uint32_t shift = bits; shift > 0; shift -= 4) {
        uint32_t digit = raw >> (shift - 4) & 0xF;
        if (digit > 9)
            return NAN;
        value = value * 10.0 + digit;
    }
    return value;
}

union telem_value mb_decode(const struct mb_format *format, const uint16_t *registers)
{
    uint64_t raw = mb_raw(format, registers);
    uint32_t bits = types[format->type].bits;
    union telem_value value = {0};
    switch (format->type) {
    case MB_F32: value.f64 = f32_of(raw); break;
    case MB_F64: memcpy(&value.f64, &raw, sizeof raw); break;
    case MB_BCD16:
    case MB_BCD32: value.f64 = bcd_of(raw, bits); break;
    case MB_I8:
    case MB_I16:
    case MB_I32:
    case MB_I64: value.i64 = sign_extended(raw, bits); break;
    case MB_STR:
    case MB_TYPE_COUNT: ARCD_ASSERT(false);
    default: value.u64 = raw; break;
    }
    return value;
}

/* ---- Writing */

static bool bcd_raw(double value, uint32_t bits, uint64_t *raw)
{
    double whole = nearbyint(value);
    if (!(whole >= 0.0 && whole < (bits == 16 ? 1e4 : 1e8)))
        return false;
    uint64_t rest = (uint64_t)whole;
    *raw = 0;
    for (uint32_t shift = 0; shift < bits; shift += 4, rest /= 10)
        *raw |= rest % 10 << shift;
    return true;
}

static bool f32_raw(double value, uint64_t *raw)
{
    float f = (float)value;
    if (isinf(f) && !isinf(value))
        return false;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    *raw = bits;
    return true;
}

static bool integer_raw(const struct mb_format *format, union telem_value value, uint64_t *raw)
{
    uint32_t bits = types[format->type].bits;
    *raw = value.u64;
    if (bits == 64)
        return true;
    if (types[format->type].value == HW_U64)
        return value.u64 >> bits == 0;
    int64_t end = INT64_C(1) << (bits - 1);
    *raw &= mb_raw_mask(format->type);
    return value.i64 >= -end && value.i64 < end;
}

bool mb_encode(const struct mb_format *format, union telem_value value, uint16_t *registers)
{
    uint64_t raw = 0;
    bool fits = true;
    switch (format->type) {
    case MB_BIT: raw = (uint64_t)(value.u64 != 0) << format->bit; break;
    case MB_F32: fits = f32_raw(value.f64, &raw); break;
    case MB_F64: memcpy(&raw, &value.f64, sizeof raw); break;
    case MB_BCD16:
    case MB_BCD32: fits = bcd_raw(value.f64, types[format->type].bits, &raw); break;
    case MB_STR:
    case MB_TYPE_COUNT: ARCD_ASSERT(false);
    default: fits = integer_raw(format, value, &raw); break;
    }
    if (fits)
        put_raw(format, raw, registers);
    return fits;
}

/* ---- Strings: two bytes a register, the first one high; word order plays no part */

/* Length of the UTF-8 sequence at `s`, 0 when it is none (RFC 3629). */
static uint32_t utf8_length(const unsigned char *s, uint32_t left)
{
    static const unsigned char second_min[] = {[0xE0 - 0xE0] = 0xA0, [0xF0 - 0xE0] = 0x90};
    unsigned char c = s[0];
    uint32_t n = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : 4;
    if ((c >= 0x80 && c < 0xC2) || c > 0xF4 || n > left)
        return 0;
    for (uint32_t i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    if ((c == 0xE0 || c == 0xF0) && s[1] < second_min[c - 0xE0])
        return 0; /* longer than need be */
    if ((c == 0xED && s[1] > 0x9F) || (c == 0xF4 && s[1] > 0x8F))
        return 0; /* a surrogate; beyond U+10FFFF */
    return n;
}

uint32_t mb_decode_str(const struct mb_format *format, const uint16_t *registers, char *text)
{
    unsigned char bytes[MB_STR_MAX + 1];
    uint32_t len = format->length;
    for (uint32_t i = 0; i < len; i++) {
        uint16_t reg = swapped(registers[i / 2], format->order.swap_bytes);
        bytes[i] = (unsigned char)(i % 2 == 0 ? reg >> 8 : reg & 0xFF);
    }
    while (len > 0 && (bytes[len - 1] == '\0' || bytes[len - 1] == ' '))
        len--;
    for (uint32_t i = 0; i < len;) {
        uint32_t n = utf8_length(&bytes[i], len - i);
        if (n == 0) {
            bytes[i] = '?';
            n = 1;
        }
        i += n;
    }
    memcpy(text, bytes, len);
    return len;
}

bool mb_encode_str(const struct mb_format *format, const char *text, uint32_t len,
                   uint16_t *registers)
{
    if (len > format->length)
        return false;
    memset(registers, 0, mb_format_registers(format) * sizeof *registers);
    for (uint32_t i = 0; i < len; i++)
        registers[i / 2] |= (uint16_t)((unsigned char)text[i] << (i % 2 == 0 ? 8 : 0));
    for (uint32_t i = 0; i < mb_format_registers(format); i++)
        registers[i] = swapped(registers[i], format->order.swap_bytes);
    return true;
}
