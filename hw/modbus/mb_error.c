#include "hw/modbus/mb_error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int mb_error_of_exception(uint8_t exception)
{
    return exception <= 11 ? MB_E_BASE + exception : MB_E_BAD_EXCEPTION;
}

bool mb_error_is_exception(int code)
{
    return (code >= MB_E_ILLEGAL_FUNCTION && code <= MB_E_GATEWAY_TARGET) ||
           code == MB_E_BAD_EXCEPTION;
}

bool mb_error_is_damage(int code)
{
    return code == MB_E_BAD_CRC || code == MB_E_BAD_DATA || code == MB_E_UNKNOWN_EXCEPTION ||
           code == MB_E_BAD_UNIT;
}

bool mb_error_is_unit_gone(int code)
{
    return code == ETIMEDOUT || code == EHOSTDOWN || code == MB_E_GATEWAY_PATH ||
           code == MB_E_GATEWAY_TARGET;
}

bool mb_error_is_link(int code)
{
    return code != 0 && code != ECANCELED && code != EINPROGRESS && code < MB_E_BASE &&
           !mb_error_is_unit_gone(code);
}

/* Everything that is not the system's own. */
static const struct known {
    int code;
    enum hw_class cls;
    const char *text;
} known[] = {
    {MB_E_ILLEGAL_FUNCTION, HW_CRITICAL, "illegal function"},
    {MB_E_ILLEGAL_ADDRESS, HW_CRITICAL, "illegal data address"},
    {MB_E_ILLEGAL_VALUE, HW_CRITICAL, "illegal data value"},
    {MB_E_DEVICE_FAILURE, HW_TEMPORARY, "device failure"},
    {MB_E_ACKNOWLEDGE, HW_TEMPORARY, "acknowledged, takes long"},
    {MB_E_BUSY, HW_TEMPORARY, "device busy"},
    {MB_E_REFUSED, HW_CRITICAL, "negative acknowledge"},
    {MB_E_MEMORY_PARITY, HW_TEMPORARY, "memory parity error"},
    {MB_E_UNDEFINED, HW_CRITICAL, "undefined exception 9"},
    {MB_E_GATEWAY_PATH, HW_TEMPORARY, "gateway path unavailable, says the gateway"},
    {MB_E_GATEWAY_TARGET, HW_TEMPORARY, "no answer from the unit, says the gateway"},
    {MB_E_BAD_CRC, HW_TEMPORARY, "answer with a wrong checksum"},
    {MB_E_BAD_DATA, HW_TEMPORARY, "damaged answer"},
    {MB_E_BAD_EXCEPTION, HW_CRITICAL, "unknown exception"},
    {MB_E_UNKNOWN_EXCEPTION, HW_TEMPORARY, "unknown exception"},
    {MB_E_TOO_MUCH_DATA, HW_CRITICAL, "too much data for one request"},
    {MB_E_BAD_UNIT, HW_TEMPORARY, "answer from another unit"},
    {ETIMEDOUT, HW_TEMPORARY, "no answer"},
    {EHOSTDOWN, HW_TEMPORARY, "no answer lately, so it is asked less often"},
    {EINPROGRESS, HW_TEMPORARY, "the link was busy with other requests"},
    {ECANCELED, HW_NOMINAL, "interrupted"},
};

static const struct known *find(int code)
{
    for (size_t i = 0; i < ARCD_COUNT_OF(known); i++)
        if (known[i].code == code)
            return &known[i];
    return NULL;
}

enum hw_class mb_error_class(int code)
{
    const struct known *k = find(code);
    if (k != NULL)
        return k->cls;
    return code == 0 ? HW_NOMINAL : HW_TEMPORARY;
}

const char *mb_error_text(int code, char *buf, size_t size_bytes)
{
    const struct known *k = find(code);
    return k != NULL ? k->text : strerror_r(code, buf, size_bytes);
}

/* "reading 5 input registers from 100 on (FC 4)" */
static void describe_request(const struct mb_request *request, char *text, size_t size_bytes)
{
    static const char *const what[] = {
        [MB_FC_READ_COILS] = "coil",
        [MB_FC_READ_DISCRETE_INPUTS] = "discrete input",
        [MB_FC_READ_HOLDING] = "holding register",
        [MB_FC_READ_INPUT_REGISTERS] = "input register",
        [MB_FC_WRITE_COIL] = "coil",
        [MB_FC_WRITE_REGISTER] = "holding register",
        [MB_FC_WRITE_COILS] = "coil",
        [MB_FC_WRITE_REGISTERS] = "holding register",
        [MB_FC_MASK_WRITE] = "holding register bit",
    };
    const char *noun = request->fc < ARCD_COUNT_OF(what) ? what[request->fc] : NULL;
    const char *verb = mb_request_is_write(request) ? "writing" : "reading";
    if (noun == NULL)
        snprintf(text, size_bytes, "FC %d", request->fc);
    else if (request->count == 1)
        snprintf(text, size_bytes, "%s %s %d (FC %d)", verb, noun, request->address, request->fc);
    else
        snprintf(text, size_bytes, "%s %d %ss from %d on (FC %d)", verb, request->count, noun,
                 request->address, request->fc);
}

static const char *hint(int code, const struct mb_request *request)
{
    if (code == MB_E_ILLEGAL_ADDRESS)
        return "; addresses count from 0 on the wire, the manual may count from 1";
    if (code == MB_E_ILLEGAL_FUNCTION && mb_request_is_write(request))
        return "; `fc` chooses between single and multiple writes";
    if ((code == ETIMEDOUT || mb_error_is_damage(code)) && mb_request_is_write(request))
        return "; it is not known whether the device took it";
    return "";
}

static void describe_channel(const struct mb_place *place, char *text, size_t size_bytes)
{
    if (place->channel == NULL)
        snprintf(text, size_bytes, "%s", place->device);
    else if (place->n_more == 0)
        snprintf(text, size_bytes, "%s (%s)", place->channel, place->device);
    else
        snprintf(text, size_bytes, "%s and %u more (%s)", place->channel, place->n_more,
                 place->device);
}

void mb_error_describe(struct hw_error *error, int code, const struct mb_place *place,
                       const char *detail)
{
    char buf[96];
    char request[96];
    char channel[128];
    *error = (struct hw_error){
        .cls = mb_error_class(code), .code = code, .channel = place->channel_index};
    const char *text = mb_error_text(code, buf, sizeof buf);
    if (mb_error_is_link(code) || place->request == NULL) {
        snprintf(error->text, sizeof error->text, "Modbus link %s lost: %s [%d]", place->link,
                 detail[0] != '\0' ? detail : text, code);
        return;
    }
    describe_channel(place, channel, sizeof channel);
    describe_request(place->request, request, sizeof request);
    snprintf(error->text, sizeof error->text, "%s: %s from unit %d, %s%s [%d]", channel, text,
             place->request->unit, request, hint(code, place->request), code);
}
