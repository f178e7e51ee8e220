/* hw/modbus/mb_error.h - the results of Modbus calls: numbers, classes, sentences.
 *
 * A result is an int: 0, an errno of the system, or one of libmodbus's numbers, which are what
 * users find when they search. Four errnos have a meaning of their own here: ECANCELED    the
 * caller was interrupted ENOTCONN     the link is down and will be tried again later EHOSTDOWN the
 * unit did not answer lately and is asked less often EINPROGRESS  others had the link all the time
 */
#ifndef HW_MODBUS_MB_ERROR_H
#define HW_MODBUS_MB_ERROR_H

#include "hw/hw.h"
#include "hw/modbus/mb_frame.h"

enum {
    MB_E_BASE = 112345678,
    MB_E_ILLEGAL_FUNCTION = MB_E_BASE + 1, /* + n: exception n of the device */
    MB_E_ILLEGAL_ADDRESS,
    MB_E_ILLEGAL_VALUE,
    MB_E_DEVICE_FAILURE,
    MB_E_ACKNOWLEDGE,
    MB_E_BUSY,
    MB_E_REFUSED,
    MB_E_MEMORY_PARITY,
    MB_E_UNDEFINED,
    MB_E_GATEWAY_PATH,
    MB_E_GATEWAY_TARGET,
    MB_E_BAD_CRC,
    MB_E_BAD_DATA,
    MB_E_BAD_EXCEPTION,
    MB_E_UNKNOWN_EXCEPTION,
    MB_E_TOO_MUCH_DATA,
    MB_E_BAD_UNIT,
};

/* The result for an exception code from the wire, 1 to 255. */
int mb_error_of_exception(uint8_t exception);

bool mb_error_is_exception(int code); /* the device answered, with a refusal */
bool mb_error_is_damage(int code);    /* an answer came and made no sense */
bool mb_error_is_link(int code);      /* the connection is gone */
bool mb_error_is_unit_gone(int code); /* this unit alone does not answer */

enum hw_class mb_error_class(int code);

/* "illegal data address", "no answer", "Connection refused". */
const char *mb_error_text(int code, char *buf, size_t size_bytes);

/* Where it happened. */
struct mb_place {
    const char *device;
    const char *link;                 /* "plc.local:502" */
    const char *channel;              /* NULL: none in particular */
    uint32_t channel_index;           /* UINT32_MAX: none */
    uint32_t n_more;                  /* channels that are concerned besides */
    const struct mb_request *request; /* NULL: none was made */
};

/* Fills `error` with class, code and sentence. `detail`: for a link, why; may be "". */
void mb_error_describe(struct hw_error *error, int code, const struct mb_place *place,
                       const char *detail);

#endif
