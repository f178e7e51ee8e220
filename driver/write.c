/* Values from outside the loops: a request to write opens a gate to each channel, puts one sample
 * there, and closes the gate again, or keeps it as long as its session lasts. */
#include "driver/supervisor_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The gates that a session holds. */
struct driver_writer {
    struct telem_pub *pub;
    struct driver_writer *next;
};

/* ---- One value ---------------------------------------------------------------------------------
 */

/* Text to a value of the channel's type; every digit of 64-bit integers is kept. */
static bool parse_number(const char *text, enum telem_type type, union telem_value *value)
{
    char *end;
    errno = 0;
    if (telem_type_is_float(type)) {
        double number = strtod(text, &end);
        *value = telem_from_f64(type, number);
    } else if (telem_type_is_signed(type)) {
        value->i64 = strtoll(text, &end, 10);
    } else {
        if (strchr(text, '-') != NULL)
            return false;
        value->u64 = strtoull(text, &end, 10);
    }
    if (end == text || *end != '\0' || (errno != 0 && !telem_type_is_float(type)))
        return false;
    unsigned bits = (unsigned)telem_type_size(type) * 8;
    if (telem_type_is_float(type) || bits == 64)
        return true;
    if (!telem_type_is_signed(type))
        return value->u64 >> bits == 0;
    int64_t limit = INT64_C(1) << (bits - 1);
    return value->i64 >= -limit && value->i64 < limit;
}

static void to_text(const json_t *json, char *text, size_t size)
{
    if (json_is_integer(json))
        snprintf(text, size, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
    else if (json_is_real(json))
        snprintf(text, size, "%.17g", json_real_value(json));
    else if (json_is_boolean(json))
        snprintf(text, size, "%d", json_is_true(json));
    else
        snprintf(text, size, "%s", json_string_value(json) != NULL ? json_string_value(json) : "");
}

static enum arcd_err fill(struct telem_batch *batch, const struct telem_chan_decl *decl,
                          const json_t *json, struct arcd_errinfo *why)
{
    int64_t now = base_utc_ns();
    if (decl->type == TELEM_STR) {
        const char *text = json_string_value(json);
        size_t len = json_string_length(json);
        return text != NULL && telem_batch_append_str(batch, 0, text, (uint32_t)len, now)
                   ? ARCD_OK
                   : arcd_fail(why, ARCD_ERR_INVALID, 0, "channel '%s' needs a text", decl->name);
    }
    char text[64];
    union telem_value value = {0};
    to_text(json, text, sizeof text);
    if (!parse_number(text, decl->type, &value))
        return arcd_fail(why, ARCD_ERR_INVALID, 0,
                         "'%s' is not a value of channel '%s', which is %s", text, decl->name,
                         telem_type_name(decl->type));
    (void)telem_batch_append(batch, 0, value, now);
    return ARCD_OK;
}

static enum arcd_err open_gate(struct driver_supervisor *s, struct telem_key key, const char *name,
                               uint8_t authority, const json_t *json, struct telem_pub **pub,
                               struct arcd_errinfo *why)
{
    struct telem_pub_opts opts = {
        .name = name,
        .keys = &key,
        .n_keys = 1,
        .max_rows = 1,
        .text_bytes = (uint32_t)json_string_length(json),
        .gated = true,
        .authority = authority,
    };
    return telem_pub_open(s->project->bus, &opts, pub, why);
}

/* Puts the value on the channel. On success *pub is the open gate. */
static enum arcd_err put(struct driver_supervisor *s, struct telem_key key, const char *name,
                         uint8_t authority, const json_t *json, struct telem_pub **pub,
                         struct arcd_errinfo *why)
{
    const struct telem_chan_decl *decl = telem_chans_decl(s->project->chans, key);
    if (decl->is_index)
        return arcd_fail(why, ARCD_ERR_INVALID, 0, "channel '%s' is an index; it cannot be written",
                         decl->name);
    enum arcd_err err = open_gate(s, key, name, authority, json, pub, why);
    if (err != ARCD_OK)
        return err;
    struct telem_batch *batch = telem_pub_borrow(*pub);
    ARCD_ASSERT(batch != NULL); /* a new pool has free blocks */
    err = fill(batch, decl, json, why);
    if (err == ARCD_OK && !telem_pub_holds(*pub, 0)) {
        struct telem_holder holder;
        telem_bus_holder(s->project->bus, key, &holder);
        err = arcd_fail(why, ARCD_ERR_BUSY, 0, "channel '%s' is held by '%s' (authority %d)",
                        decl->name, holder.name, holder.authority);
    }
    if (err == ARCD_OK) {
        telem_pub_publish(*pub, batch);
        return ARCD_OK;
    }
    telem_batch_release(batch);
    telem_pub_close(*pub);
    return err;
}

/* ---- Requests ----------------------------------------------------------------------------------
 */

static void keep(struct driver_control_session *session, struct telem_pub *pub)
{
    struct driver_writer *writer = calloc(1, sizeof *writer);
    ARCD_ASSERT(writer != NULL);
    *writer = (struct driver_writer){pub, session->session};
    session->session = writer;
}

void driver_write_session_ended(struct driver_control_session *session)
{
    struct driver_writer *writer = session->session;
    while (writer != NULL) {
        struct driver_writer *next = writer->next;
        telem_pub_close(writer->pub);
        free(writer);
        writer = next;
    }
    session->session = NULL;
}

json_t *driver_write_request(struct driver_supervisor *s, struct driver_control_session *session,
                             const json_t *request)
{
    const json_t *values = json_object_get(request, "values");
    const json_t *authority = json_object_get(request, "authority");
    json_int_t level = authority != NULL ? json_integer_value(authority) : 128;
    if (!json_is_object(values) || json_object_size(values) == 0)
        return driver_control_error("write needs values: an object of channel and value");
    if (level < 0 || level > 255 || (authority != NULL && !json_is_integer(authority)))
        return driver_control_error("authority must be a whole number from 0 to 255");
    bool hold = json_is_true(json_object_get(request, "hold"));
    char name[64];
    snprintf(name, sizeof name, "client %" PRIu64, session->id);
    const char *channel;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)values, channel, value)
    {
        struct telem_key key = telem_chans_find(s->project->chans, channel);
        if (!telem_key_valid(key))
            return driver_control_error("channel '%s' is not declared", channel);
        struct telem_pub *pub = NULL;
        struct arcd_errinfo why;
        if (put(s, key, name, (uint8_t)level, value, &pub, &why) != ARCD_OK)
            return driver_control_error("%s", why.text);
        if (hold)
            keep(session, pub);
        else
            telem_pub_close(pub);
    }
    return driver_control_ok();
}

static json_t *initial_value(const struct telem_chan_decl *decl)
{
    if (decl->type == TELEM_STR)
        return json_string(decl->initial_str != NULL ? decl->initial_str : "");
    if (telem_type_is_float(decl->type))
        return json_real(telem_to_f64(decl->type, decl->initial));
    char text[32]; /* as text: a u64 may be beyond JSON's integers */
    if (telem_type_is_signed(decl->type))
        snprintf(text, sizeof text, "%" PRId64, decl->initial.i64);
    else
        snprintf(text, sizeof text, "%" PRIu64, decl->initial.u64);
    return json_string(text);
}

void driver_write_initial(struct driver_supervisor *s)
{
    for (uint32_t i = 0; i < telem_chans_count(s->project->chans); i++) {
        const struct telem_chan_decl *decl =
            telem_chans_decl(s->project->chans, (struct telem_key){i});
        if (!decl->is_virtual || !decl->has_initial)
            continue;
        json_t *value = initial_value(decl);
        struct telem_pub *pub = NULL;
        struct arcd_errinfo why;
        if (put(s, (struct telem_key){i}, "initial value", 0, value, &pub, &why) == ARCD_OK)
            telem_pub_close(pub);
        else
            base_log_write(s->log, BASE_LOG_INFO, "driver", NULL, "initial value of %s: %s",
                           decl->name, why.text);
        json_decref(value);
    }
}
