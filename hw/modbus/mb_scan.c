/* Discovery, by request only: nothing here sweeps a network by itself. */
#include "hw/modbus/mb_backend.h"

#include <stdlib.h>
#include <string.h>

enum { SCAN_TIMEOUT_MS = 500 };

struct scan {
    struct hw_backend *backend;
    const struct hw_env *env;
    struct mb_link *link;
    struct mb_caller caller;
    struct mb_stats stats;
    void (*found)(void *ctx, const struct hw_found *device);
    void *ctx;
};

/* "1-20,30": one range of it; false when there is none. */
static bool next_range(const char **text, long *first, long *last)
{
    char *end = NULL;
    *first = strtol(*text, &end, 10);
    if (end == *text)
        return false;
    *last = *first;
    if (*end == '-') {
        const char *second = end + 1;
        *last = strtol(second, &end, 10);
        if (end == second)
            return false;
    }
    *text = *end == ',' ? end + 1 : end;
    return *first >= 0 && *last >= *first && *last < MB_UNITS && (**text != '\0' || *end == '\0');
}

static bool units_are_good(const char *text)
{
    long first = 0;
    long last = 0;
    do {
        if (!next_range(&text, &first, &last))
            return false;
    } while (*text != '\0');
    return true;
}

/* What the unit says it is: the printable part of the answer to FC 17. */
static void model_of(const struct mb_reply *reply, char *model, size_t size_bytes)
{
    size_t n = 0;
    for (uint16_t i = 2; i < reply->pdu_len && n + 1 < size_bytes; i++)
        if (reply->pdu[i] >= ' ' && reply->pdu[i] < 127)
            model[n++] = (char)reply->pdu[i];
    model[n] = '\0';
}

static int ask(struct scan *scan, const struct mb_request *request, struct mb_reply *reply)
{
    struct mb_outcome outcome;
    int64_t now_ns = base_clock_mono(scan->env->clock);
    const struct mb_ask one = {.caller = &scan->caller,
                               .request = request,
                               .deadline_ns = now_ns + 10 * BASE_NS_PER_S,
                               .response_timeout_ns = SCAN_TIMEOUT_MS * BASE_NS_PER_MS,
                               .stats = &scan->stats,
                               .outcome = &outcome};
    return mb_link_ask(scan->link, &one, reply);
}

/* A refusal is an answer: the unit is there. */
static int look_at(struct scan *scan, uint8_t unit)
{
    struct mb_request request = mb_request_report_id(unit);
    struct mb_reply reply = {0};
    char model[128] = "";
    int code = ask(scan, &request, &reply);
    if (code == 0)
        model_of(&reply, model, sizeof model);
    bool absent = code == MB_E_GATEWAY_PATH || code == MB_E_GATEWAY_TARGET;
    if (code != 0 && (absent || !mb_error_is_exception(code)))
        return code;
    char key[MB_LINK_NAME + 16];
    char properties[64];
    snprintf(key, sizeof key, "%s/%d", scan->link->name, unit);
    snprintf(properties, sizeof properties, "{\"unit_id\": %d}", unit);
    const struct hw_found found = {.key = key,
                                   .name = key,
                                   .make = "",
                                   .model = model,
                                   .serial = "",
                                   .location = scan->link->name,
                                   .parent = "",
                                   .properties_json = properties};
    scan->found(scan->ctx, &found);
    return 0;
}

static enum arcd_err look_at_all(struct scan *scan, const char *units, struct arcd_errinfo *why)
{
    long first = 0;
    long last = 0;
    while (*units != '\0' && next_range(&units, &first, &last)) {
        for (long unit = first; unit <= last; unit++) {
            int code = look_at(scan, (uint8_t)unit);
            if (mb_error_is_link(code))
                return arcd_fail(why, ARCD_ERR_LINK, code, "Modbus link %s lost: %s",
                                 scan->link->name, scan->link->last_text);
        }
    }
    return ARCD_OK;
}

static enum arcd_err open_scan(struct scan *scan, const char *place, struct arcd_errinfo *why)
{
    struct base_arena arena;
    base_arena_init(&arena);
    struct mb_device_config config = {.transport = place[0] == '/' ? MB_RTU : MB_TCP,
                                      .location = place,
                                      .port = 502,
                                      .baud = 19200,
                                      .parity = 'E',
                                      .data_bits = 8,
                                      .stop_bits = 1};
    enum arcd_err err = ARCD_ERR_INVALID;
    if (!mb_device_locate(&config, &arena)) {
        arcd_fail(why, err, 0, "'%s' is neither HOST[:PORT] nor a serial port", place);
    } else {
        const struct mb_link_config link = {
            .io = {.is_rtu = config.transport == MB_RTU,
                   .host = config.host,
                   .port = (uint16_t)config.port,
                   .serial_port = config.serial_port,
                   .baud = config.baud,
                   .parity = (char)config.parity,
                   .data_bits = 8,
                   .stop_bits = 1},
            .connect_timeout_ns = 3 * BASE_NS_PER_S,
            .byte_timeout_ns = SCAN_TIMEOUT_MS * BASE_NS_PER_MS,
            .turnaround_ns = mb_char_ns(&config) * 7 / 2,
            .char_ns = mb_char_ns(&config),
            .reconnect = {.base_ns = BASE_NS_PER_S, .max_ns = BASE_NS_PER_S, .scale = 1.0}};
        err = mb_link_new(&link, scan->backend->io, scan->env->clock, &scan->link, why);
    }
    base_arena_fini(&arena);
    return err;
}

enum arcd_err mb_scan(struct hw_backend *backend, const struct hw_env *env, const char *query,
                      void (*found)(void *ctx, const struct hw_found *device), void *ctx,
                      struct arcd_errinfo *why)
{
    if (query[0] == '\0')
        return ARCD_OK; /* nothing can be found without being told where */
    char place[MB_LINK_NAME];
    size_t len = strcspn(query, " ");
    const char *units = query + len + strspn(query + len, " ");
    if (len == 0 || len >= sizeof place || !units_are_good(units))
        return arcd_fail(why, ARCD_ERR_INVALID, 0,
                         "'%s' is not HOST[:PORT] UNITS, as in \"plc.local 1-20\"", query);
    memcpy(place, query, len);
    place[len] = '\0';
    struct scan *scan = aligned_alloc(_Alignof(struct scan), sizeof *scan);
    if (scan == NULL)
        return arcd_fail(why, ARCD_ERR_NOMEM, 0, "modbus: out of memory");
    memset(scan, 0, sizeof *scan);
    scan->backend = backend;
    scan->env = env;
    scan->found = found;
    scan->ctx = ctx;
    enum arcd_err err = mb_caller_init(&scan->caller, why);
    if (err == ARCD_OK)
        err = open_scan(scan, place, why);
    if (err == ARCD_OK) {
        err = look_at_all(scan, units, why);
        mb_link_free(scan->link);
    }
    mb_caller_fini(&scan->caller);
    free(scan);
    return err;
}
