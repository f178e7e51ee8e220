/* Reading goes by field: find the value (in the object, then in the defaults), read it as its kind
 * asks, else put the fallback. Tables are code, so a table that contradicts itself is an assertion;
 * a value that contradicts its table is an issue. */
#include "config/reader.h"

#include "config/doc_priv.h"
#include "config/reader_priv.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 1e9 s are 31 years: far beyond use, and far from overflow when added to a clock. */
#define DURATION_MAX_S 1e9

/* ---- Writing a member */

static void store_bool(const struct config_field *field, void *out, bool value)
{
    ARCD_ASSERT(field->size == sizeof(bool));
    memcpy(out, &value, sizeof(value));
}

/* Narrow members are written by their low bytes, signed or not: the limits keep the value in their
 * range. */
static void store_int(const struct config_field *field, void *out, int64_t value)
{
    const struct config_limits *l = &field->limits;
    double range = ldexp(1, (int)(8 * field->size));
    ARCD_ASSERT(field->size == 8 ||
                (l->has_min && l->has_max && l->min >= -range / 2 && l->max < range));
    switch (field->size) {
    case 1: memcpy(out, &(int8_t){(int8_t)value}, 1); break;
    case 2: memcpy(out, &(int16_t){(int16_t)value}, 2); break;
    case 4: memcpy(out, &(int32_t){(int32_t)value}, 4); break;
    default: memcpy(out, &value, 8); break;
    }
}

static void store_num(const struct config_field *field, void *out, double value)
{
    ARCD_ASSERT(field->size == sizeof(double));
    memcpy(out, &value, sizeof(value));
}

static void store_ns(const struct config_field *field, void *out, int64_t value_ns)
{
    ARCD_ASSERT(field->size == sizeof(int64_t));
    memcpy(out, &value_ns, sizeof(value_ns));
}

static void store_choice(const struct config_field *field, void *out, int value)
{
    ARCD_ASSERT(field->size == sizeof(int));
    memcpy(out, &value, sizeof(value));
}

static void store_text(const struct config_field *field, void *out, const char *text)
{
    ARCD_ASSERT(field->size == sizeof(const char *));
    memcpy(out, &text, sizeof(text));
}

/* ---- Limits */

static bool within(const struct config_field *field, double value)
{
    const struct config_limits *l = &field->limits;
    if (l->has_min && (l->min_open ? value <= l->min : value < l->min))
        return false;
    return !l->has_max || (l->max_open ? value < l->max : value <= l->max);
}

static bool check_limits(struct config_at at, const struct config_field *field, double value)
{
    if (within(field, value))
        return true;
    const struct config_limits *l = &field->limits;
    if (l->has_min && !l->has_max && !l->min_open && l->min == 0)
        return config_error(at, "must not be negative");
    char text[CONFIG_LIMITS_TEXT];
    return config_error(at, "must be %s", config_limits_text(field, text));
}

static bool check_length(struct config_at at, const struct config_field *field, size_t len,
                         const char *what)
{
    if (len == 0 && field->min_len > 0)
        return config_error(at, "must not be empty");
    if (field->min_len > 0 && field->min_len == field->max_len && len != field->min_len)
        return config_error(at, "must have %u %s", field->min_len, what);
    if (len < field->min_len || (field->max_len > 0 && len > field->max_len)) {
        if (field->max_len == 0)
            return config_error(at, "must have at least %u %s", field->min_len, what);
        if (field->min_len == 0)
            return config_error(at, "must have at most %u %s", field->max_len, what);
        return config_error(at, "must have %u to %u %s", field->min_len, field->max_len, what);
    }
    return true;
}

/* ---- Scalars */

static bool wrong_type(struct config_at at, const char *what)
{
    return config_error(at, "must be %s", what);
}

/* 5.0 and 5e0 are integers too. */
static bool take_int(struct config_at at, const struct config_field *field, int64_t *value)
{
    double real = json_is_real(at.json) ? json_real_value(at.json) : 0.5;
    if (json_is_integer(at.json)) {
        *value = json_integer_value(at.json);
    } else if (real == trunc(real) && fabs(real) <= 0x1p53) {
        *value = (int64_t)real;
    } else {
        char text[CONFIG_LIMITS_TEXT];
        const char *limits = config_limits_text(field, text);
        return config_error(at, "must be an integer%s%s", limits[0] != '\0' ? " " : "", limits);
    }
    return check_limits(at, field, (double)*value);
}

static bool take_num(struct config_at at, const struct config_field *field, double *value)
{
    if (!json_is_number(at.json))
        return wrong_type(at, "a number");
    *value = json_number_value(at.json);
    if (!isfinite(*value))
        return config_error(at, "must be finite");
    return check_limits(at, field, *value);
}

static bool take_text(struct config_at at, const struct config_field *field,
                      struct base_arena *arena, const char **value)
{
    if (!json_is_string(at.json))
        return wrong_type(at, "a string");
    if (!check_length(at, field, json_string_length(at.json), "bytes"))
        return false;
    *value = base_arena_strndup(arena, json_string_value(at.json), json_string_length(at.json));
    return true;
}

static bool read_bool(struct config_at at, const struct config_field *field, void *out)
{
    if (!json_is_boolean(at.json))
        return wrong_type(at, "a boolean");
    store_bool(field, out, json_is_true(at.json));
    return true;
}

static bool read_int(struct config_at at, const struct config_field *field, void *out)
{
    int64_t value = 0;
    if (!take_int(at, field, &value))
        return false;
    store_int(field, out, value);
    return true;
}

static bool read_num(struct config_at at, const struct config_field *field, void *out)
{
    double value = 0;
    if (!take_num(at, field, &value))
        return false;
    store_num(field, out, value);
    return true;
}

static bool read_duration(struct config_at at, const struct config_field *field, void *out)
{
    int64_t ns = 0;
    double seconds = 0;
    if (json_is_string(at.json)) {
        if (!config_duration_parse(json_string_value(at.json), &ns))
            return config_error(at, "must be seconds, or a number with a unit of ns us ms s min h, "
                                    "as \"250ms\"");
        seconds = (double)ns / 1e9;
    } else if (json_is_number(at.json)) {
        seconds = json_number_value(at.json);
        if (fabs(seconds) <= DURATION_MAX_S) {
            ns = llround(seconds * 1e9);
            seconds = (double)ns / 1e9; /* limits hold for what is stored: 1e-12 s is 0 */
        }
    } else {
        return wrong_type(at, "a number of seconds, or a string with a unit");
    }
    if (seconds < 0 && !field->limits.has_min)
        return config_error(at, "must not be negative");
    if (seconds > DURATION_MAX_S)
        return config_error(at, "must be at most 1000000000 s");
    if (!check_limits(at, field, seconds))
        return false;
    store_ns(field, out, ns);
    return true;
}

static bool read_text(struct config_at at, const struct config_field *field,
                      struct base_arena *arena, void *out)
{
    const char *text = NULL;
    if (!take_text(at, field, arena, &text))
        return false;
    store_text(field, out, text);
    return true;
}

static const struct config_choice *find_choice(const struct config_field *field, const char *name)
{
    for (const struct config_choice *choice = field->choices; choice->name != NULL; choice++)
        if (strcmp(choice->name, name) == 0)
            return choice;
    return NULL;
}

/* " (did you mean 'x'?)", or "". */
static const char *suggestion(struct base_arena *arena, const char *word,
                              const char *(*get)(const void *ctx, uint32_t i), const void *ctx,
                              uint32_t n)
{
    const char *nearest = config_nearest(word, get, ctx, n);
    return nearest == NULL ? "" : base_arena_printf(arena, " (did you mean '%s'?)", nearest);
}

static bool read_choice(struct config_at at, const struct config_field *field, void *out)
{
    struct base_arena *arena = &at.doc->arena;
    uint32_t n = config_choices_count(field->choices);
    const char *word = json_string_value(at.json);
    if (word == NULL)
        return config_error(at, "must be a string: one of %s",
                            config_names_text(arena, config_choice_name, field->choices, n));
    const struct config_choice *choice = find_choice(field, word);
    if (choice == NULL)
        return config_error(at, "must be one of %s%s",
                            config_names_text(arena, config_choice_name, field->choices, n),
                            suggestion(arena, word, config_choice_name, field->choices, n));
    store_choice(field, out, choice->value);
    return true;
}

/* ---- Arrays */

static bool check_array(struct config_at at, const struct config_field *field)
{
    if (!json_is_array(at.json))
        return wrong_type(at, "an array");
    return check_length(at, field, json_array_size(at.json), "elements");
}

static bool read_ints(struct config_at at, const struct config_field *field,
                      struct base_arena *arena, void *out)
{
    ARCD_ASSERT(field->size == sizeof(struct config_ints));
    bool ok = check_array(at, field);
    uint32_t n = ok ? config_count(at) : 0;
    int64_t *v = base_arena_array(arena, int64_t, n);
    for (uint32_t i = 0; i < n; i++)
        ok = take_int(config_element(at, i), field, &v[i]) && ok;
    if (ok)
        *(struct config_ints *)out = (struct config_ints){v, n};
    return ok;
}

static bool read_nums(struct config_at at, const struct config_field *field,
                      struct base_arena *arena, void *out)
{
    ARCD_ASSERT(field->size == sizeof(struct config_nums));
    bool ok = check_array(at, field);
    uint32_t n = ok ? config_count(at) : 0;
    double *v = base_arena_array(arena, double, n);
    for (uint32_t i = 0; i < n; i++)
        ok = take_num(config_element(at, i), field, &v[i]) && ok;
    if (ok)
        *(struct config_nums *)out = (struct config_nums){v, n};
    return ok;
}

static bool read_strs(struct config_at at, const struct config_field *field,
                      struct base_arena *arena, void *out)
{
    ARCD_ASSERT(field->size == sizeof(struct config_strs));
    bool ok = check_array(at, field);
    uint32_t n = ok ? config_count(at) : 0;
    const char **v = base_arena_array(arena, const char *, n);
    const struct config_field element = {.min_len = 1};
    for (uint32_t i = 0; i < n; i++)
        ok = take_text(config_element(at, i), &element, arena, &v[i]) && ok;
    if (ok)
        *(struct config_strs *)out = (struct config_strs){v, n};
    return ok;
}

static bool read_objects(struct config_at at, const struct config_field *field,
                         struct base_arena *arena, void *out)
{
    ARCD_ASSERT(field->size == sizeof(struct config_objects));
    bool ok = check_array(at, field);
    uint32_t n = ok ? config_count(at) : 0;
    size_t size = field->table->size;
    char *v = base_arena_alloc_array(arena, n, size, _Alignof(max_align_t));
    for (uint32_t i = 0; i < n; i++)
        ok = config_read(config_element(at, i), arena, field->table, v + i * size) && ok;
    if (ok)
        *(struct config_objects *)out = (struct config_objects){v, n};
    return ok;
}

/* ---- Fields */

static bool read_object(struct config_at at, struct base_arena *arena,
                        const struct config_part *parts, uint32_t n, bool refuse_unknown);

static bool read_value(struct config_at at, struct config_at defaults, struct base_arena *arena,
                       const struct config_field *field, void *out)
{
    switch (field->kind) {
    case CONFIG_BOOL: return read_bool(at, field, out);
    case CONFIG_INT: return read_int(at, field, out);
    case CONFIG_NUM: return read_num(at, field, out);
    case CONFIG_DURATION: return read_duration(at, field, out);
    case CONFIG_STR: return read_text(at, field, arena, out);
    case CONFIG_ENUM: return read_choice(at, field, out);
    case CONFIG_INTS: return read_ints(at, field, arena, out);
    case CONFIG_NUMS: return read_nums(at, field, arena, out);
    case CONFIG_STRS: return read_strs(at, field, arena, out);
    case CONFIG_OBJECTS: return read_objects(at, field, arena, out);
    case CONFIG_CUSTOM: return field->read(at, arena, field, out);
    case CONFIG_OBJECT: break;
    }
    ARCD_ASSERT(field->size == field->table->size);
    struct config_part part = {.table = field->table, .out = out, .defaults = defaults};
    return read_object(at, arena, &part, 1, true);
}

bool config_read_value(struct config_at at, struct base_arena *arena,
                       const struct config_field *field, void *out)
{
    return read_value(at, (struct config_at){0}, arena, field, out);
}

/* The default of the reference, as JSON: STR, ENUM and DURATION stand in the table without quotes.
 */
static json_t *fallback_json(const struct config_field *field)
{
    bool text =
        field->kind == CONFIG_STR || field->kind == CONFIG_ENUM || field->kind == CONFIG_DURATION;
    json_t *json =
        text ? json_string(field->fallback) : json_loads(field->fallback, JSON_DECODE_ANY, NULL);
    ARCD_ASSERT(json != NULL);
    return json;
}

/* A fallback that its own table refuses is a bug in the table. */
static void put_fallback(struct config_at at, struct base_arena *arena,
                         const struct config_field *field, void *out)
{
    memset(out, 0, field->size);
    if (field->kind == CONFIG_OBJECT) {
        struct config_part part = {.table = field->table, .out = out};
        struct config_at absent = {.doc = at.doc, .path = at.path};
        ARCD_ASSERT(read_object(absent, arena, &part, 1, true));
        return;
    }
    if (field->fallback == NULL || field->kind == CONFIG_CUSTOM)
        return;
    json_t *json = fallback_json(field);
    struct config_at value = {.doc = at.doc, .path = field->name, .json = json};
    ARCD_ASSERT(read_value(value, (struct config_at){0}, arena, field, out));
    json_decref(json);
}

/* The value of a field in the object, by its name or its alias; absent when neither is there. */
static struct config_at find_value(struct config_at at, const struct config_field *field, bool *ok)
{
    bool by_name = config_has(at, field->name);
    bool by_alias = field->alias != NULL && config_has(at, field->alias);
    if (by_name && by_alias)
        *ok = config_error(config_member(at, field->alias), "give %s or %s, not both", field->name,
                           field->alias);
    if (by_name || by_alias)
        return config_member(at, by_name ? field->name : field->alias);
    return (struct config_at){.doc = at.doc};
}

static bool read_field(struct config_at at, struct base_arena *arena,
                       const struct config_part *part, const struct config_field *field)
{
    char *out = (char *)part->out + field->offset;
    bool ok = true;
    struct config_at value = find_value(at, field, &ok);
    struct config_at inherited = {0};
    if (part->defaults.json != NULL && !field->own && config_has(part->defaults, field->name))
        inherited = config_member(part->defaults, field->name);
    if (value.json == NULL) {
        value = inherited;
        inherited = (struct config_at){0};
    }
    if (value.json == NULL) {
        put_fallback(at, arena, field, out);
        if (field->required && at.json != NULL)
            return config_error(config_member(at, field->name), "is required");
        return ok;
    }
    if (!read_value(value, inherited, arena, field, out)) {
        put_fallback(at, arena, field, out);
        return false;
    }
    if (field->given > 0)
        *(bool *)((char *)part->out + field->given - 1) = true;
    return ok;
}

/* ---- Names that no table knows */

static bool is_known(const struct config_part *parts, uint32_t n, const char *name)
{
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t f = 0; f < parts[p].table->n; f++) {
            const struct config_field *field = &parts[p].table->fields[f];
            if (strcmp(field->name, name) == 0 ||
                (field->alias != NULL && strcmp(field->alias, name) == 0))
                return true;
        }
    return false;
}

struct name_list {
    const char **v;
    uint32_t n;
};

static const char *listed_name(const void *list, uint32_t i)
{
    return ((const struct name_list *)list)->v[i];
}

static void add_name(struct name_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (strcmp(list->v[i], name) == 0)
            return;
    list->v[list->n++] = name;
}

/* Every name that the object may have, each once. */
static struct name_list known_names(struct base_arena *arena, const struct config_part *parts,
                                    uint32_t n)
{
    uint32_t room = 0;
    for (uint32_t p = 0; p < n; p++)
        room += 2 * parts[p].table->n;
    struct name_list list = {.v = base_arena_array(arena, const char *, room)};
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t f = 0; f < parts[p].table->n; f++) {
            add_name(&list, parts[p].table->fields[f].name);
            if (parts[p].table->fields[f].alias != NULL)
                add_name(&list, parts[p].table->fields[f].alias);
        }
    return list;
}

static bool check_unknown(struct config_at at, const struct config_part *parts, uint32_t n)
{
    struct base_arena *arena = &at.doc->arena;
    struct name_list known = {0};
    const char *name, *all = NULL;
    struct config_at member;
    bool ok = true;
    for (void *iter = NULL; config_next_member(at, &iter, &name, &member);) {
        if (is_known(parts, n, name))
            continue;
        if (all == NULL) {
            known = known_names(arena, parts, n);
            all = config_names_text(arena, listed_name, &known, known.n);
        }
        ok = config_error(member, "unknown field '%s'%s; known here: %s", name,
                          suggestion(arena, name, listed_name, &known, known.n), all);
    }
    return ok;
}

/* ---- Objects */

static bool read_part(struct config_at at, struct base_arena *arena, const struct config_part *part)
{
    const struct config_table *table = part->table;
    memset(part->out, 0, table->size);
    bool ok = true;
    for (uint32_t i = 0; i < table->n; i++)
        ok = read_field(at, arena, part, &table->fields[i]) && ok;
    bool has_values = at.json != NULL || part->defaults.json != NULL;
    if (ok && has_values && table->check != NULL)
        ok = table->check(at, part->out);
    return ok;
}

/* An absent object (a nested one that the user left out) takes every fallback, required or not. */
static bool read_object(struct config_at at, struct base_arena *arena,
                        const struct config_part *parts, uint32_t n, bool refuse_unknown)
{
    bool ok = true;
    if (at.json != NULL && !json_is_object(at.json)) {
        ok = wrong_type(at, "an object");
        at.json = NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        ok = read_part(at, arena, &parts[i]) && ok;
    if (refuse_unknown && at.json != NULL)
        ok = check_unknown(at, parts, n) && ok;
    return ok;
}

bool config_read(struct config_at at, struct base_arena *arena, const struct config_table *table,
                 void *out)
{
    struct config_part part = {.table = table, .out = out};
    return read_object(at, arena, &part, 1, true);
}

bool config_read_parts(struct config_at at, struct base_arena *arena,
                       const struct config_part *parts, uint32_t n)
{
    return read_object(at, arena, parts, n, true);
}

bool config_peek_parts(struct config_at at, struct base_arena *arena,
                       const struct config_part *parts, uint32_t n)
{
    return read_object(at, arena, parts, n, false);
}

/* ---- Defaults */

static const struct config_field *find_default(const struct config_table *const *tables, uint32_t n,
                                               const char *name, struct name_list *known)
{
    for (uint32_t t = 0; t < n; t++)
        for (uint32_t f = 0; f < tables[t]->n; f++) {
            const struct config_field *field = &tables[t]->fields[f];
            if (field->own)
                continue;
            if (strcmp(field->name, name) == 0)
                return field;
            add_name(known, field->name);
        }
    return NULL;
}

static bool check_default(struct config_at member, const char *name,
                          const struct config_table *const *tables, uint32_t n)
{
    struct base_arena *arena = &member.doc->arena;
    uint32_t room = 0;
    for (uint32_t t = 0; t < n; t++)
        room += tables[t]->n;
    struct name_list known = {.v = base_arena_array(arena, const char *, room)};
    const struct config_field *field = find_default(tables, n, name, &known);
    if (field != NULL)
        return config_read_value(member, arena, field,
                                 base_arena_alloc(arena, field->size, _Alignof(max_align_t)));
    return config_error(member, "unknown field '%s'%s; known here: %s", name,
                        suggestion(arena, name, listed_name, &known, known.n),
                        config_names_text(arena, listed_name, &known, known.n));
}

bool config_check_defaults(struct config_at at, const struct config_table *const *tables,
                           uint32_t n)
{
    if (at.json == NULL)
        return true;
    if (!json_is_object(at.json))
        return wrong_type(at, "an object");
    bool ok = true;
    const char *name;
    struct config_at member;
    for (void *iter = NULL; config_next_member(at, &iter, &name, &member);)
        ok = check_default(member, name, tables, n) && ok;
    return ok;
}

/* ---- Variants */

const char *config_variant_name(const void *variants, uint32_t i)
{
    return ((const struct config_variants *)variants)->variants[i].type;
}

const struct config_variant *config_variant_of(struct config_at at,
                                               const struct config_variants *variants)
{
    if (!json_is_object(at.json)) {
        wrong_type(at, "an object");
        return NULL;
    }
    struct config_at type = config_member(at, "type");
    if (type.json == NULL) {
        config_error(type, "is required");
        return NULL;
    }
    if (!json_is_string(type.json)) {
        wrong_type(type, "a string");
        return NULL;
    }
    const char *name = json_string_value(type.json);
    for (uint32_t i = 0; i < variants->n; i++)
        if (strcmp(variants->variants[i].type, name) == 0)
            return &variants->variants[i];
    struct base_arena *arena = &at.doc->arena;
    config_error(type, "unknown %s '%s'%s; known here: %s", variants->noun, name,
                 suggestion(arena, name, config_variant_name, variants, variants->n),
                 config_names_text(arena, config_variant_name, variants, variants->n));
    return NULL;
}
