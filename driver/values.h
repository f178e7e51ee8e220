/* driver/values.h - the newest value of every channel, for people and programs that look now and
 * then.
 *
 * Life cycle: driver_values_new -> driver_values_read ... -> driver_values_free.
 * A normal thread subscribes to every channel and keeps the newest sample of each; looking never
 * touches a running path. It costs one look at a batch's last row, whatever the sample rate.
 * Threads: any normal thread reads; values are copied out under a lock of their own.
 */
#ifndef DRIVER_VALUES_H
#define DRIVER_VALUES_H

#include "telem/bus.h"

enum { DRIVER_VALUE_TEXT = 256 };

struct driver_value {
    bool has_value; /* false: never written since the Driver started */
    enum telem_type type;
    union telem_value number;
    char text[DRIVER_VALUE_TEXT]; /* of a str, cut, NUL-terminated */
    int64_t utc_ns;               /* the sample's own time */
    int64_t seen_mono_ns;         /* when it was seen here: its age is now - this */
    uint64_t samples;             /* seen so far */
    double rate_hz;               /* samples a second, over about the last second */
};

struct driver_values;

/* The channels of the bus at this moment; ones added later are seen after driver_values_refresh().
 */
ARCD_MUST_CHECK enum arcd_err
driver_values_new(struct telem_bus *bus, struct driver_values **values, struct arcd_errinfo *why);
ARCD_MUST_CHECK enum arcd_err driver_values_refresh(struct driver_values *values,
                                                    struct arcd_errinfo *why);
void driver_values_free(struct driver_values *values);

/* False when the channel is unknown here. */
bool driver_values_read(struct driver_values *values, struct telem_key key,
                        struct driver_value *value);

/* Samples that were not seen: this may be slow, the running paths are not. */
uint64_t driver_values_dropped(struct driver_values *values);

#endif
