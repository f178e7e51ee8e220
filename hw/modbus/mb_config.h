/* hw/modbus/mb_config.h - what a configuration may say about Modbus devices, tasks and channels:
 * the structs, the tables that fill them, and how addresses are written.
 */
#ifndef HW_MODBUS_MB_CONFIG_H
#define HW_MODBUS_MB_CONFIG_H

#include "hw/modbus/mb_codec.h"
#include "hw/modbus/mb_plan.h"

enum mb_transport { MB_TCP, MB_RTU };
enum mb_base { MB_BASE_0, MB_BASE_1, MB_BASE_MODICON };
enum mb_fc_choice { MB_FC_DEVICE, MB_FC_AUTO, MB_FC_SINGLE, MB_FC_MULTIPLE };
enum mb_on_bad_address { MB_BAD_STOP, MB_BAD_SKIP };
enum mb_probe { MB_PROBE_READ, MB_PROBE_ID };
enum mb_on_reconnect { MB_RECONNECT_KEEP, MB_RECONNECT_LAST };

/* Byte order as it may be given: by name, or by two switches. */
struct mb_order_config {
    bool has_name, has_swap_bytes, has_swap_words;
    int name; /* bit 0: swap words, bit 1: swap bytes */
    bool swap_bytes, swap_words;
};

struct mb_unit_config {
    const char *name;
    int64_t unit_id;
};

struct mb_rs485_config {
    int rts;
    int64_t delay_us;
};

struct mb_reconnect_config {
    int64_t base_ns, max_ns;
    double scale;
    int64_t max_retries;
};

struct mb_device_config {
    int transport;
    const char *location; /* host[:port] or serial port, where the fields below do not say it */
    const char *host;
    bool has_port;
    int64_t port;
    const char *serial_port;
    int baud;
    int parity;
    int64_t data_bits, stop_bits;
    bool has_stop_bits, has_rs485;
    struct mb_rs485_config rs485;
    bool has_unit_id;
    int64_t unit_id;
    int64_t response_timeout_ns, byte_timeout_ns, connect_timeout_ns;
    int64_t retries;
    bool retry_writes;
    struct mb_reconnect_config reconnect;
    bool has_turnaround;
    int64_t turnaround_ns, pause_after_connect_ns;
    bool close_after_poll;
    int address_base;
    struct mb_order_config order;
    int64_t max_read_registers, max_read_bits, max_write_registers, max_write_bits;
    int64_t gap_registers, gap_bits;
    int fc;
    int probe;
    struct config_objects units; /* of struct mb_unit_config */
};

struct mb_read_config {
    int on_bad_address;
};

struct mb_write_config {
    int on_reconnect;
};

/* As written: a number, or digits in a text. */
struct mb_address_config {
    bool is_given, is_text;
    int64_t number;
    const char *text;
};

/* Of a channel: the id of a unit, or the name of one of the device's `units`. */
struct mb_unit_choice {
    const char *name; /* NULL: by number */
    bool is_given;
    int64_t id;
};

struct mb_codes {
    const uint64_t *v;
    uint32_t n;
};

/* One channel of a read or write task; each variant's table fills its part. */
struct mb_channel_config {
    struct mb_address_config address;
    struct mb_unit_choice unit;
    int data_type;
    bool has_data_type, has_bit, has_length;
    int64_t bit, length;
    struct mb_order_config order;
    struct mb_codes no_value; /* read */
    int fc;                   /* write */
    bool verify;
    int64_t repeat_ns;
};

extern const struct config_table mb_device_table;
extern const struct config_table mb_read_table, mb_write_table;
extern const struct config_variants mb_read_variants, mb_write_variants; /* channels */

/* Which table a channel type reads or writes. */
enum mb_table mb_table_of_type(const char *type);

/* The protocol address, 0 to 65535. False after config_error() at `at`. */
bool mb_address_resolve(const struct mb_address_config *address, enum mb_base base,
                        enum mb_table table, struct config_at at, uint16_t *protocol);

bool mb_order_is_given(const struct mb_order_config *order);

/* The order of a channel: its own, else the device's. */
struct mb_order mb_order_resolve(const struct mb_order_config *channel,
                                 const struct mb_order_config *device);

/* ns of one character on a serial line; 0 for tcp. */
int64_t mb_char_ns(const struct mb_device_config *config);

/* Puts host and port, or the serial port, from `location` where they were not given. False: the
 * port in it is none. */
bool mb_device_locate(struct mb_device_config *config, struct base_arena *arena);

#endif
