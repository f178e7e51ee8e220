#include "hw/modbus/mb_config.h"

#include "hw/modbus/mb_io.h"

#include <stdlib.h>
#include <string.h>

/* ---- Addresses */

static bool read_address(struct config_at at, struct base_arena *arena,
                         const struct config_field *field, void *out)
{
    (void)field;
    struct mb_address_config *address = out;
    address->is_given = true;
    if (config_type(at) == CONFIG_JSON_INT) {
        address->number = config_int(at);
        return true;
    }
    if (config_type(at) != CONFIG_JSON_STR)
        return config_error(at, "must be an integer or a string of digits");
    address->is_text = true;
    address->text = base_arena_strdup(arena, config_text(at));
    size_t len = strlen(address->text);
    if (len == 0 || len > 9 || strspn(address->text, "0123456789") != len)
        return config_error(at, "must be an integer or a string of digits");
    address->number = strtoll(address->text, NULL, 10);
    return true;
}

/* "40001" or "400001": the first digit names the table, the rest counts from 1. Written as a
 * number, coils have lost their leading zero. */
static bool resolve_modicon(const struct mb_address_config *address, enum mb_table table,
                            struct config_at at, int64_t *protocol)
{
    static const char digits[] = {[MB_COILS] = '0',
                                  [MB_DISCRETE_INPUTS] = '1',
                                  [MB_INPUT_REGISTERS] = '3',
                                  [MB_HOLDING] = '4'};
    char text[24];
    if (address->is_text)
        snprintf(text, sizeof text, "%s", address->text);
    else
        snprintf(text, sizeof text, "%05lld", (long long)address->number);
    size_t len = strlen(text);
    int64_t unit = len == 5 ? 10000 : 100000;
    int64_t reference = address->number - (text[0] - '0') * unit;
    if ((len != 5 && len != 6) || text[0] != digits[table] || reference < 1 || reference > 65536)
        return config_error(at, "'%s' is not a %s reference", text, mb_table_name(table));
    *protocol = reference - 1;
    return true;
}

bool mb_address_resolve(const struct mb_address_config *address, enum mb_base base,
                        enum mb_table table, struct config_at at, uint16_t *protocol)
{
    int64_t number = address->number;
    if (base == MB_BASE_MODICON) {
        if (!resolve_modicon(address, table, at, &number))
            return false;
    } else if (base == MB_BASE_1) {
        if (number == 0)
            return config_error(at, "address 0 is not valid with address_base 1");
        if (number < 1 || number > 65536)
            return config_error(at, "must be from 1 to 65536");
        number--;
    } else if (number < 0 || number > 65535) {
        return config_error(at, "must be from 0 to 65535");
    }
    *protocol = (uint16_t)number;
    return true;
}

static bool read_base(struct config_at at, struct base_arena *arena,
                      const struct config_field *field, void *out)
{
    (void)arena;
    (void)field;
    enum config_json type = config_type(at);
    if (type == CONFIG_JSON_STR && strcmp(config_text(at), "modicon") == 0)
        *(int *)out = MB_BASE_MODICON;
    else if (type == CONFIG_JSON_INT && (config_int(at) == 0 || config_int(at) == 1))
        *(int *)out = config_int(at) == 0 ? MB_BASE_0 : MB_BASE_1;
    else
        return config_error(at, "must be one of 0, 1, \"modicon\"");
    return true;
}

/* ---- Other readers for what tables cannot say */

static bool read_unit(struct config_at at, struct base_arena *arena,
                      const struct config_field *field, void *out)
{
    (void)field;
    struct mb_unit_choice *unit = out;
    unit->is_given = true;
    if (config_type(at) == CONFIG_JSON_STR) {
        unit->name = base_arena_strdup(arena, config_text(at));
        return true;
    }
    if (config_type(at) != CONFIG_JSON_INT || config_int(at) < 0 || config_int(at) > 255)
        return config_error(at, "must be an integer from 0 to 255, or the name of a unit");
    unit->id = config_int(at);
    return true;
}

static bool read_code(struct config_at at, uint64_t *code)
{
    if (config_type(at) == CONFIG_JSON_INT) {
        *code = (uint64_t)config_int(at);
        return true;
    }
    if (config_type(at) == CONFIG_JSON_STR) {
        const char *text = config_text(at);
        char *end = NULL;
        *code = strtoull(text, &end, 0);
        if (text[0] != '\0' && text[0] != '-' && *end == '\0')
            return true;
    }
    return config_error(at, "must be an integer, or a string like \"0x8000\"");
}

static bool read_codes(struct config_at at, struct base_arena *arena,
                       const struct config_field *field, void *out)
{
    (void)field;
    if (config_type(at) != CONFIG_JSON_ARRAY)
        return config_error(at, "must be an array");
    uint32_t n = config_count(at);
    uint64_t *codes = base_arena_array(arena, uint64_t, n);
    bool ok = true;
    for (uint32_t i = 0; i < n; i++)
        ok &= read_code(config_element(at, i), &codes[i]);
    *(struct mb_codes *)out = (struct mb_codes){codes, n};
    return ok;
}

/* ---- Byte order */

static const struct config_choice order_choices[] = {
    {"ABCD", 0}, {"CDAB", 1}, {"BADC", 2}, {"DCBA", 3}, {0}};

/* clang-format off */
#define ORDER_FIELDS(type)                                                                         \
    {"byte_order", CONFIG_ENUM, CONFIG_IN(type, order.name), .choices = order_choices,             \
     .given = CONFIG_GIVEN(type, order.has_name), .otherwise = "see swap_bytes, swap_words",       \
     .doc = "Where the bytes of a value stand, A the most significant: ABCD nothing swapped, CDAB " \
            "words, BADC bytes, DCBA both. Eight-byte values alike."},                             \
    {"swap_bytes", CONFIG_BOOL, CONFIG_IN(type, order.swap_bytes),                                 \
     .given = CONFIG_GIVEN(type, order.has_swap_bytes), .otherwise = "false",                      \
     .doc = "The bytes of each register are swapped."},                                            \
    {"swap_words", CONFIG_BOOL, CONFIG_IN(type, order.swap_words),                                 \
     .given = CONFIG_GIVEN(type, order.has_swap_words), .otherwise = "false",                      \
     .doc = "The low word comes first."}
/* clang-format on */

static bool check_order(struct config_at at, const struct mb_order_config *order)
{
    if (order->has_name && (order->has_swap_bytes || order->has_swap_words))
        return config_error(at, "give byte_order or swap_bytes/swap_words, not both");
    return true;
}

bool mb_order_is_given(const struct mb_order_config *order)
{
    return order->has_name || order->has_swap_bytes || order->has_swap_words;
}

struct mb_order mb_order_resolve(const struct mb_order_config *channel,
                                 const struct mb_order_config *device)
{
    const struct mb_order_config *order = mb_order_is_given(channel) ? channel : device;
    if (order->has_name)
        return (struct mb_order){(order->name & 1) != 0, (order->name & 2) != 0};
    return (struct mb_order){order->swap_words, order->swap_bytes};
}

/* ---- Channels */

static const struct config_choice type_choices[] = {{"u8", MB_U8},       {"i8", MB_I8},
                                                    {"u16", MB_U16},     {"i16", MB_I16},
                                                    {"u32", MB_U32},     {"i32", MB_I32},
                                                    {"f32", MB_F32},     {"u64", MB_U64},
                                                    {"i64", MB_I64},     {"f64", MB_F64},
                                                    {"bcd16", MB_BCD16}, {"bcd32", MB_BCD32},
                                                    {"str", MB_STR},     {0}};

static const struct config_choice channel_fc_choices[] = {
    {"auto", MB_FC_AUTO}, {"single", MB_FC_SINGLE}, {"multiple", MB_FC_MULTIPLE}, {0}};

#define CHANNEL(member) CONFIG_IN(struct mb_channel_config, member)
#define CHANNEL_GIVEN(member) .given = CONFIG_GIVEN(struct mb_channel_config, member)

/* clang-format off */
#define PLACE_FIELDS                                                                               \
    {"address", CONFIG_CUSTOM, CHANNEL(address), .required = true, .read = read_address,           \
     .shape = "int or str", .doc = "As the device's `address_base` counts; 0 to 65535 on the wire."}, \
    {"unit", CONFIG_CUSTOM, CHANNEL(unit), .read = read_unit, .shape = "int or str",               \
     .otherwise = "the task's device", .doc = "Another unit on the same link: its id, or a name "  \
     "out of the device's `units`."}

#define BIT_FIELD(is_required)                                                                     \
    {"bit", CONFIG_INT, CHANNEL(bit), CHANNEL_GIVEN(has_bit), .required = (is_required),           \
     .otherwise = "the whole register", .limits = CONFIG_FROM_TO(0, 15),                           \
     .doc = "One bit of the register, 0 the lowest, after the byte order is applied."}

#define VALUE_FIELDS                                                                               \
    {"data_type", CONFIG_ENUM, CHANNEL(data_type), .fallback = "u16", .choices = type_choices,     \
     CHANNEL_GIVEN(has_data_type), .doc = "How the registers are read."},                          \
    {"length", CONFIG_INT, CHANNEL(length), CHANNEL_GIVEN(has_length), .otherwise = "none",        \
     .limits = CONFIG_FROM_TO(1, MB_STR_MAX), .doc = "str: bytes of the text."},                   \
    ORDER_FIELDS(struct mb_channel_config)

#define NO_VALUE_FIELD                                                                             \
    {"no_value", CONFIG_CUSTOM, CHANNEL(no_value), .read = read_codes, .shape = "arr of codes",    \
     .otherwise = "none", .doc = "Raw codes (numbers, or text like \"0x8000\") that mean that there " \
     "is no value: no sample is published for them. Compared before scaling."}

#define REPEAT_FIELDS                                                                              \
    {"verify", CONFIG_BOOL, CHANNEL(verify), .fallback = "false",                                  \
     .doc = "Reads back what was written and warns when it differs."},                             \
    {"repeat", CONFIG_DURATION, CHANNEL(repeat_ns), .otherwise = "never",                          \
     .limits = CONFIG_FROM_TO(0.01, 86400),                                                        \
     .doc = "Sends the last value again this often, for devices with a watchdog."}

#define FC_FIELD                                                                                   \
    {"fc", CONFIG_ENUM, CHANNEL(fc), .choices = channel_fc_choices, .otherwise = "the device's",   \
     .doc = "Function codes to write with: single (5, 6), multiple (15, 16), or by number."}
/* clang-format on */

static const struct config_field bit_input_fields[] = {PLACE_FIELDS, NO_VALUE_FIELD};
static const struct config_field register_input_fields[] = {PLACE_FIELDS, VALUE_FIELDS,
                                                            BIT_FIELD(false), NO_VALUE_FIELD};
static const struct config_field coil_output_fields[] = {PLACE_FIELDS, FC_FIELD, REPEAT_FIELDS};
static const struct config_field register_output_fields[] = {PLACE_FIELDS, VALUE_FIELDS, FC_FIELD,
                                                             REPEAT_FIELDS};
static const struct config_field register_bit_fields[] = {
    PLACE_FIELDS, BIT_FIELD(true), REPEAT_FIELDS, ORDER_FIELDS(struct mb_channel_config)};

static bool check_channel(struct config_at at, void *out)
{
    const struct mb_channel_config *channel = out;
    bool is_str = channel->data_type == MB_STR;
    bool is_word =
        !channel->has_data_type || channel->data_type == MB_U16 || channel->data_type == MB_I16;
    if (!check_order(at, &channel->order))
        return false;
    if (is_str && !channel->has_length)
        return config_error(config_member(at, "length"), "length is required for str");
    if (!is_str && channel->has_length)
        return config_error(config_member(at, "length"), "only a str has a length");
    if (channel->has_bit && !is_word)
        return config_error(config_member(at, "bit"), "needs data_type u16");
    if (channel->no_value.n > 0 && is_str)
        return config_error(config_member(at, "no_value"), "a str has no codes");
    return true;
}

#define CHANNEL_TABLE(name, array)                                                                 \
    {name,                                                                                         \
     &(const struct config_table)CONFIG_TABLE(name, struct mb_channel_config, array,               \
                                              .check = check_channel),                             \
     0},

static const struct config_variant read_channels[] = {
    CHANNEL_TABLE("coil_input", bit_input_fields) CHANNEL_TABLE("discrete_input", bit_input_fields)
        CHANNEL_TABLE("holding_register_input", register_input_fields)
            CHANNEL_TABLE("register_input", register_input_fields)};

static const struct config_variant write_channels[] = {
    CHANNEL_TABLE("coil_output", coil_output_fields)
        CHANNEL_TABLE("holding_register_output", register_output_fields)
            CHANNEL_TABLE("register_bit_output", register_bit_fields)};

const struct config_variants mb_read_variants = {.title = "Channels of modbus_read",
                                                 .noun = "channel type",
                                                 .variants = read_channels,
                                                 .n = ARCD_COUNT_OF(read_channels)};
const struct config_variants mb_write_variants = {.title = "Channels of modbus_write",
                                                  .noun = "channel type",
                                                  .variants = write_channels,
                                                  .n = ARCD_COUNT_OF(write_channels)};

enum mb_table mb_table_of_type(const char *type)
{
    if (strcmp(type, "coil_input") == 0 || strcmp(type, "coil_output") == 0)
        return MB_COILS;
    if (strcmp(type, "discrete_input") == 0)
        return MB_DISCRETE_INPUTS;
    return strcmp(type, "register_input") == 0 ? MB_INPUT_REGISTERS : MB_HOLDING;
}

/* ---- Tasks */

static const struct config_choice bad_choices[] = {
    {"stop", MB_BAD_STOP}, {"skip", MB_BAD_SKIP}, {0}};

static const struct config_field read_fields[] = {
    {"on_bad_address", CONFIG_ENUM, CONFIG_IN(struct mb_read_config, on_bad_address),
     .fallback = "stop", .choices = bad_choices,
     .doc = "A request that the device refuses for good (exceptions 1, 2, 3, 7) stops the task, or "
            "is left out: its channels then get no samples, with a warning, and the others go on."},
};
const struct config_table mb_read_table =
    CONFIG_TABLE("modbus_read", struct mb_read_config, read_fields);

static const struct config_choice reconnect_choices[] = {
    {"keep", MB_RECONNECT_KEEP}, {"last", MB_RECONNECT_LAST}, {0}};

static const struct config_field write_fields[] = {
    {"on_reconnect", CONFIG_ENUM, CONFIG_IN(struct mb_write_config, on_reconnect),
     .fallback = "keep", .choices = reconnect_choices,
     .doc = "last: the last values are sent again when the link is back."},
};
const struct config_table mb_write_table =
    CONFIG_TABLE("modbus_write", struct mb_write_config, write_fields);

/* ---- Devices */

static const struct config_choice transport_choices[] = {{"tcp", MB_TCP}, {"rtu", MB_RTU}, {0}};
static const struct config_choice parity_choices[] = {{"E", 'E'}, {"N", 'N'}, {"O", 'O'}, {0}};
static const struct config_choice rts_choices[] = {
    {"none", MB_RTS_NONE}, {"up", MB_RTS_UP}, {"down", MB_RTS_DOWN}, {0}};
static const struct config_choice fc_choices[] = {
    {"auto", MB_FC_AUTO}, {"single", MB_FC_SINGLE}, {"multiple", MB_FC_MULTIPLE}, {0}};
static const struct config_choice probe_choices[] = {
    {"read", MB_PROBE_READ}, {"id", MB_PROBE_ID}, {0}};

/* Those that the library knows; for others it would silently take 9600. */
static const int bauds[] = {110,     300,     600,     1200,    2400,    4800,    9600,   19200,
                            38400,   57600,   115200,  230400,  460800,  500000,  576000, 921600,
                            1000000, 1152000, 1500000, 2500000, 3000000, 3500000, 4000000};

static const struct config_field rs485_fields[] = {
    {"rts", CONFIG_ENUM, CONFIG_IN(struct mb_rs485_config, rts), .fallback = "none",
     .choices = rts_choices,
     .doc = "How the RTS line is while sending, where the port's driver "
            "does not switch the direction itself."},
    {"delay_us", CONFIG_INT, CONFIG_IN(struct mb_rs485_config, delay_us), .fallback = "0",
     .unit = "us", .limits = CONFIG_FROM_TO(0, 100000),
     .doc = "RTS is switched this long before and after sending."},
};
static const struct config_table rs485_table =
    CONFIG_TABLE("RS-485", struct mb_rs485_config, rs485_fields);

static const struct config_field reconnect_fields[] = {
    {"base", CONFIG_DURATION, CONFIG_IN(struct mb_reconnect_config, base_ns), .fallback = "1s",
     .limits = CONFIG_ABOVE(0), .doc = "Pause after the first failed attempt."},
    {"scale", CONFIG_NUM, CONFIG_IN(struct mb_reconnect_config, scale), .fallback = "1.1",
     .limits = CONFIG_FROM(1), .doc = "How much longer each further pause is."},
    {"max", CONFIG_DURATION, CONFIG_IN(struct mb_reconnect_config, max_ns), .fallback = "5s",
     .limits = CONFIG_ABOVE(0), .doc = "No pause is longer."},
    {"max_retries", CONFIG_INT, CONFIG_IN(struct mb_reconnect_config, max_retries),
     .fallback = "-1", .limits = CONFIG_FROM_TO(-1, 1e9),
     .doc = "Tasks on the device stop after so many; -1: never."},
};
static const struct config_table reconnect_table =
    CONFIG_TABLE("Reconnecting", struct mb_reconnect_config, reconnect_fields);

static const struct config_field unit_fields[] = {
    {"name", CONFIG_STR, CONFIG_IN(struct mb_unit_config, name), .required = true, .min_len = 1,
     .max_len = 64, .doc = "The unit is the device `<this device>/<name>`."},
    {"unit_id", CONFIG_INT, CONFIG_IN(struct mb_unit_config, unit_id), .required = true,
     .limits = CONFIG_FROM_TO(0, 255), .doc = "Its address on the wire."},
};
static const struct config_table unit_table =
    CONFIG_TABLE("Units", struct mb_unit_config, unit_fields);

#define DEVICE(member) CONFIG_IN(struct mb_device_config, member)
#define DEVICE_GIVEN(member) .given = CONFIG_GIVEN(struct mb_device_config, member)

static const struct config_field device_fields[] = {
    {"transport", CONFIG_ENUM, DEVICE(transport), .fallback = "tcp", .choices = transport_choices,
     .doc = "Modbus TCP, or RTU on a serial line."},
    {"location", CONFIG_STR, DEVICE(location), .otherwise = "none",
     .doc = "`host`, `host:port` or the serial port, instead of the fields for them."},
    {"host", CONFIG_STR, DEVICE(host), .otherwise = "required for tcp", .min_len = 1,
     .max_len = 255, .doc = "tcp: name, IPv4 or IPv6 address. Resolved at every connect."},
    {"port", CONFIG_INT, DEVICE(port), DEVICE_GIVEN(has_port), .fallback = "502",
     .limits = CONFIG_FROM_TO(1, 65535), .doc = "tcp: port."},
    {"serial_port", CONFIG_STR, DEVICE(serial_port), .otherwise = "required for rtu", .min_len = 1,
     .max_len = 255,
     .doc = "rtu: path; names below /dev/serial/by-id stay the same when an adapter is replugged."},
    {"baud", CONFIG_INT, DEVICE(baud), .fallback = "19200", .limits = CONFIG_FROM_TO(1, 4000000),
     .unit = "Bd", .doc = "rtu: speed."},
    {"parity", CONFIG_ENUM, DEVICE(parity), .fallback = "E", .choices = parity_choices,
     .doc = "rtu: even, none or odd."},
    {"data_bits", CONFIG_INT, DEVICE(data_bits), .fallback = "8", .limits = CONFIG_FROM_TO(5, 8),
     .doc = "rtu: bits of a character."},
    {"stop_bits", CONFIG_INT, DEVICE(stop_bits), DEVICE_GIVEN(has_stop_bits),
     .otherwise = "1; 2 with parity N", .limits = CONFIG_FROM_TO(1, 2), .doc = "rtu: stop bits."},
    {"rs485", CONFIG_OBJECT, DEVICE(rs485), DEVICE_GIVEN(has_rs485), .table = &rs485_table,
     .otherwise = "off", .doc = "rtu: half duplex, with a direction to switch."},
    {"unit_id", CONFIG_INT, DEVICE(unit_id), DEVICE_GIVEN(has_unit_id),
     .otherwise = "255 for tcp, 1 for rtu", .limits = CONFIG_FROM_TO(0, 255),
     .doc = "The unit that is asked; on a serial line 0 to 247, and 0 is a broadcast that can only "
            "be written."},
    {"response_timeout", CONFIG_DURATION, DEVICE(response_timeout_ns), .fallback = "500ms",
     .limits = CONFIG_FROM_TO(0.01, 60),
     .doc = "An answer must begin within this time; many devices need a second. The device's "
            "figures show the longest reply."},
    {"byte_timeout", CONFIG_DURATION, DEVICE(byte_timeout_ns), .fallback = "500ms",
     .limits = CONFIG_FROM_TO(0, 60),
     .doc = "Once begun, an answer must be complete within this time (and, on a serial line, that "
            "of its characters). 0: as `response_timeout`."},
    {"connect_timeout", CONFIG_DURATION, DEVICE(connect_timeout_ns), .fallback = "2s",
     .limits = CONFIG_FROM_TO(0.01, 60), .doc = "For looking up the name and connecting."},
    {"retries", CONFIG_INT, DEVICE(retries), .fallback = "2", .limits = CONFIG_FROM_TO(0, 10),
     .doc = "A request without an answer, or with a damaged one, is repeated at once so often."},
    {"retry_writes", CONFIG_BOOL, DEVICE(retry_writes), .fallback = "false",
     .doc = "Writes too: the device may then act on one twice."},
    {"reconnect", CONFIG_OBJECT, DEVICE(reconnect), .table = &reconnect_table,
     .otherwise = "as below", .doc = "A link that broke is tried again, with growing pauses."},
    {"turnaround", CONFIG_DURATION, DEVICE(turnaround_ns), DEVICE_GIVEN(has_turnaround),
     .otherwise = "rtu: 3.5 characters; tcp: none", .limits = CONFIG_FROM_TO(0, 60),
     .doc = "Pause between an answer and the next request."},
    {"pause_after_connect", CONFIG_DURATION, DEVICE(pause_after_connect_ns), .fallback = "0s",
     .limits = CONFIG_FROM_TO(0, 60), .doc = "Rest before the first request."},
    {"close_after_poll", CONFIG_BOOL, DEVICE(close_after_poll), .fallback = "false",
     .doc = "Closes the link after each pass, so that other tools can use it."},
    {"address_base", CONFIG_CUSTOM, DEVICE(address_base), .read = read_base, .shape = "int or str",
     .fallback = "0",
     .doc = "How addresses are written: 0 as on the wire, 1 from one, \"modicon\" as 40001."},
    ORDER_FIELDS(struct mb_device_config),
    {"max_read_registers", CONFIG_INT, DEVICE(max_read_registers), .fallback = "125",
     .limits = CONFIG_FROM_TO(1, 125), .doc = "Registers of one read."},
    {"max_read_bits", CONFIG_INT, DEVICE(max_read_bits), .fallback = "2000",
     .limits = CONFIG_FROM_TO(1, 2000), .doc = "Bits of one read."},
    {"max_write_registers", CONFIG_INT, DEVICE(max_write_registers), .fallback = "123",
     .limits = CONFIG_FROM_TO(1, 123), .doc = "Registers of one write."},
    {"max_write_bits", CONFIG_INT, DEVICE(max_write_bits), .fallback = "1968",
     .limits = CONFIG_FROM_TO(1, 1968), .doc = "Bits of one write."},
    {"gap_registers", CONFIG_INT, DEVICE(gap_registers), .fallback = "8",
     .limits = CONFIG_FROM_TO(0, 124),
     .doc = "Unused registers that may be read to join two requests."},
    {"gap_bits", CONFIG_INT, DEVICE(gap_bits), .fallback = "64", .limits = CONFIG_FROM_TO(0, 1999),
     .doc = "Unused bits that may be read to join two requests."},
    {"fc", CONFIG_ENUM, DEVICE(fc), .fallback = "auto", .choices = fc_choices,
     .doc = "Function codes to write with: single (5, 6), multiple (15, 16), or auto: single for "
            "one coil or register, multiple for more."},
    {"probe", CONFIG_ENUM, DEVICE(probe), .fallback = "read", .choices = probe_choices,
     .doc = "How the device's health is asked: by the first read of a task, or by its id (FC 17)."},
    {"units", CONFIG_OBJECTS, DEVICE(units), .table = &unit_table, .max_len = 256,
     .otherwise = "none", .doc = "Units behind a gateway or on the same line, by name."},
};

static bool check_units(struct config_at at, const struct mb_device_config *c)
{
    const struct mb_unit_config *units = c->units.v;
    for (uint32_t i = 0; i < c->units.n; i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(units[i].name, units[k].name) == 0)
                return config_error(config_element(config_member(at, "units"), i),
                                    "unit '%s' is there twice", units[i].name);
    return true;
}

static bool check_rtu(struct config_at at, struct mb_device_config *c)
{
    if (c->unit_id > 247)
        return config_error(config_member(at, "unit_id"), "must be from 0 to 247");
    for (size_t i = 0; i < ARCD_COUNT_OF(bauds); i++)
        if (bauds[i] == c->baud)
            return true;
    return config_error(config_member(at, "baud"), "%d is no usual speed", c->baud);
}

/* Fills in what depends on the transport. */
static bool check_device(struct config_at at, void *out)
{
    struct mb_device_config *c = out;
    bool is_rtu = c->transport == MB_RTU;
    if (!check_order(at, &c->order) || !check_units(at, c))
        return false;
    if (!c->has_unit_id)
        c->unit_id = is_rtu ? 1 : 255;
    if (!c->has_stop_bits)
        c->stop_bits = c->parity == 'N' ? 2 : 1;
    const char *place = is_rtu ? c->serial_port : c->host;
    if (place == NULL && c->location == NULL)
        return config_error(config_member(at, is_rtu ? "serial_port" : "host"), "is required");
    if (is_rtu && !check_rtu(at, c))
        return false;
    if (is_rtu && !c->has_turnaround)
        c->turnaround_ns = mb_char_ns(c) * 7 / 2;
    return true;
}

const struct config_table mb_device_table =
    CONFIG_TABLE("modbus", struct mb_device_config, device_fields, .check = check_device);

int64_t mb_char_ns(const struct mb_device_config *c)
{
    if (c->transport != MB_RTU)
        return 0;
    int64_t bits = 1 + c->data_bits + (c->parity != 'N') + c->stop_bits;
    return bits * INT64_C(1000000000) / c->baud;
}

/* "plc.local:502", "[::1]:502", "plc.local", "::1". */
static bool split_location(struct mb_device_config *c, struct base_arena *arena)
{
    const char *text = c->location;
    const char *colon = strrchr(text, ':');
    bool has_port = colon != NULL && (strchr(text, ':') == colon || colon[-1] == ']');
    size_t len = has_port ? (size_t)(colon - text) : strlen(text);
    if (has_port && !c->has_port)
        c->port = strtol(colon + 1, NULL, 10);
    if (len >= 2 && text[0] == '[' && text[len - 1] == ']') {
        text++;
        len -= 2;
    }
    c->host = base_arena_strndup(arena, text, len);
    return len > 0 && c->port >= 1 && c->port <= 65535;
}

bool mb_device_locate(struct mb_device_config *c, struct base_arena *arena)
{
    if (c->transport == MB_RTU && c->serial_port == NULL)
        c->serial_port = c->location;
    else if (c->transport == MB_TCP && c->host == NULL)
        return split_location(c, arena);
    return true;
}
