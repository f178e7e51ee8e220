#include "driver/conform/case.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct base_arena *arena;
    struct conform_case *c;
    struct arcd_errinfo *why;
};

static enum arcd_err bad(struct reader *r, const struct conform_json *at, const char *what)
{
    return arcd_fail(r->why, ARCD_ERR_CONFIG, 0, "%s: line %u: %s",
                     r->c->name ? r->c->name : "case", at != NULL ? at->line : 0, what);
}

/* ---- Durations and values */

static enum arcd_err read_duration(struct reader *r, const struct conform_json *json, int64_t *ns)
{
    static const struct {
        const char *unit;
        int64_t ns;
    } UNITS[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"min", 60000000000}};
    if (json == NULL || json->kind != CONFORM_JSON_STRING)
        return bad(r, json, "a time is a string such as \"20ms\"");
    char *unit;
    errno = 0;
    int64_t number = strtoll(json->text, &unit, 10);
    for (size_t i = 0; i < ARCD_COUNT_OF(UNITS); i++)
        if (strcmp(unit, UNITS[i].unit) == 0 && unit != json->text && errno == 0 &&
            !__builtin_mul_overflow(number, UNITS[i].ns, ns))
            return ARCD_OK;
    return bad(r, json, "a time is a whole number and ns, us, ms, s or min");
}

static double float_of(const struct conform_json *json)
{
    if (strcmp(json->text, "NaN") == 0)
        return NAN;
    if (strcmp(json->text, "+Inf") == 0)
        return INFINITY;
    if (strcmp(json->text, "-Inf") == 0)
        return -INFINITY;
    return strtod(json->text, NULL);
}

static enum arcd_err read_value(struct reader *r, enum telem_type type,
                                const struct conform_json *json, struct conform_value *value)
{
    if (json->kind != CONFORM_JSON_NUMBER && json->kind != CONFORM_JSON_STRING)
        return bad(r, json, "a sample is a number or a string");
    value->text = json->text;
    value->len = json->len;
    if (type == TELEM_STR)
        return json->kind == CONFORM_JSON_STRING ? ARCD_OK : bad(r, json, "wanted a string");
    if (telem_type_is_float(type)) {
        double f64 = float_of(json);
        if (type == TELEM_F32)
            value->number.f32 = (float)f64;
        else
            value->number.f64 = f64;
        return ARCD_OK;
    }
    char *end;
    errno = 0;
    if (type == TELEM_U64)
        value->number.u64 = strtoull(json->text, &end, 10);
    else
        value->number.i64 = strtoll(json->text, &end, 10);
    if (json->kind != CONFORM_JSON_NUMBER || errno != 0)
        return bad(r, json, "wanted an integer of 64 bits");
    if (*end != '\0') { /* 1.0 and 1e3 are whole too */
        double f64 = strtod(json->text, NULL);
        if (f64 != floor(f64))
            return bad(r, json, "wanted a whole number");
        value->number = telem_from_f64(type, f64);
    }
    return ARCD_OK;
}

/* ---- Channels, source */

static enum arcd_err read_channels(struct reader *r, const struct conform_json *json)
{
    if (json == NULL || json->kind != CONFORM_JSON_OBJECT)
        return bad(r, json, "no \"channels\"");
    r->c->channels = base_arena_array(r->arena, struct conform_channel, json->n);
    for (const struct conform_json *v = json->first; v != NULL; v = v->next) {
        struct conform_channel *channel = &r->c->channels[r->c->n_channels++];
        channel->name = v->name;
        channel->type =
            v->kind == CONFORM_JSON_STRING ? telem_type_from_name(v->text) : TELEM_TYPE_COUNT;
        if (channel->type == TELEM_TYPE_COUNT)
            return bad(r, v, "unknown type of a channel");
    }
    return ARCD_OK;
}

static enum arcd_err read_source(struct reader *r, const struct conform_json *json)
{
    if (json == NULL || json->kind != CONFORM_JSON_ARRAY)
        return bad(r, json, "no \"source\"");
    size_t len = 0;
    for (const struct conform_json *line = json->first; line != NULL; line = line->next)
        len += line->len + 1;
    char *text = base_arena_alloc(r->arena, len + 1, 1), *to = text;
    for (const struct conform_json *line = json->first; line != NULL; line = line->next) {
        if (line->kind != CONFORM_JSON_STRING)
            return bad(r, line, "a line of the source is a string");
        memcpy(to, line->text, line->len);
        to += line->len;
        *to++ = '\n';
    }
    r->c->source = text;
    r->c->source_len = len;
    return ARCD_OK;
}

/* ---- Steps */

static enum arcd_err read_column(struct reader *r, const struct conform_json *json,
                                 struct conform_column *column)
{
    uint32_t c = 0;
    while (c < r->c->n_channels && strcmp(r->c->channels[c].name, json->name) != 0)
        c++;
    if (c == r->c->n_channels)
        return bad(r, json, "a channel that is not in \"channels\"");
    if (json->kind != CONFORM_JSON_ARRAY)
        return bad(r, json, "samples are a list");
    column->channel = c;
    column->values = base_arena_array(r->arena, struct conform_value, json->n);
    column->times_ns = base_arena_array(r->arena, int64_t, json->n);
    for (const struct conform_json *v = json->first; v != NULL; v = v->next) {
        enum arcd_err err = read_value(r, r->c->channels[c].type, v, &column->values[column->n++]);
        if (err != ARCD_OK)
            return err;
    }
    return ARCD_OK;
}

static enum arcd_err read_columns(struct reader *r, const struct conform_json *json,
                                  struct conform_column **columns, uint32_t *n)
{
    if (json == NULL)
        return ARCD_OK;
    if (json->kind != CONFORM_JSON_OBJECT)
        return bad(r, json, "samples are an object of channels");
    *columns = base_arena_array(r->arena, struct conform_column, json->n);
    for (const struct conform_json *v = json->first; v != NULL; v = v->next) {
        enum arcd_err err = read_column(r, v, &(*columns)[(*n)++]);
        if (err != ARCD_OK)
            return err;
    }
    return ARCD_OK;
}

static enum arcd_err read_times(struct reader *r, const struct conform_json *times,
                                const struct conform_step *step)
{
    for (uint32_t i = 0; i < step->n_writes; i++) {
        struct conform_column *column = &step->writes[i];
        const struct conform_json *list =
            conform_json_get(times, r->c->channels[column->channel].name);
        const struct conform_json *v = list != NULL ? list->first : NULL;
        if (list != NULL && list->n != column->n)
            return bad(r, list, "as many times as samples are wanted");
        for (uint32_t k = 0; k < column->n; k++, v = v != NULL ? v->next : NULL) {
            column->times_ns[k] = step->at_ns;
            if (v != NULL && read_duration(r, v, &column->times_ns[k]) != ARCD_OK)
                return ARCD_ERR_CONFIG;
        }
    }
    return ARCD_OK;
}

static enum arcd_err read_step(struct reader *r, const struct conform_json *json,
                               struct conform_step *step)
{
    enum arcd_err err = read_duration(r, conform_json_get(json, "at"), &step->at_ns);
    if (err != ARCD_OK)
        return err;
    step->at_text = conform_json_text(json, "at");
    const struct conform_json *write = conform_json_get(json, "write");
    step->has_write = write != NULL;
    err = read_columns(r, write, &step->writes, &step->n_writes);
    if (err == ARCD_OK)
        err = read_times(r, conform_json_get(json, "times"), step);
    if (err == ARCD_OK)
        err = read_columns(r, conform_json_get(json, "expect"), &step->expects, &step->n_expects);
    return err;
}

static enum arcd_err read_steps(struct reader *r, const struct conform_json *json)
{
    if (json->kind != CONFORM_JSON_ARRAY)
        return bad(r, json, "\"steps\" is a list");
    r->c->steps = base_arena_array(r->arena, struct conform_step, json->n);
    int64_t last_ns = 0;
    for (const struct conform_json *v = json->first; v != NULL; v = v->next) {
        struct conform_step *step = &r->c->steps[r->c->n_steps++];
        enum arcd_err err = read_step(r, v, step);
        if (err != ARCD_OK)
            return err;
        if (step->at_ns < last_ns)
            return bad(r, v, "time goes backwards");
        last_ns = step->at_ns;
    }
    return ARCD_OK;
}

static uint32_t number_or_zero(const struct conform_json *object, const char *name)
{
    const char *text = conform_json_text(object, name);
    return text != NULL ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

enum arcd_err conform_case_read(const struct conform_json *json, struct base_arena *arena,
                                struct conform_case *c, struct arcd_errinfo *why)
{
    struct reader r = {.arena = arena, .c = c, .why = why};
    *c = (struct conform_case){.name = conform_json_text(json, "name")};
    if (c->name == NULL)
        return bad(&r, json, "a case without a name");
    enum arcd_err err = read_channels(&r, conform_json_get(json, "channels"));
    if (err == ARCD_OK)
        err = read_source(&r, conform_json_get(json, "source"));
    if (err != ARCD_OK)
        return err;
    const struct conform_json *error = conform_json_get(json, "error");
    const struct conform_json *steps = conform_json_get(json, "steps");
    if ((error != NULL) == (steps != NULL))
        return bad(&r, json, "a case has either \"error\" or \"steps\"");
    c->wants_error = error != NULL;
    c->error_code = conform_json_text(error, "code");
    c->error_contains = conform_json_text(error, "contains");
    c->error_line = number_or_zero(error, "line");
    const struct conform_json *fault = conform_json_get(json, "runtime_error");
    c->wants_fault = fault != NULL;
    c->fault_step = number_or_zero(fault, "step");
    c->fault_contains = conform_json_text(fault, "contains");
    return steps != NULL ? read_steps(&r, steps) : ARCD_OK;
}
