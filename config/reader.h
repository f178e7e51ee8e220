/* config/reader.h - JSON objects to checked C structs, by tables that are the documentation too.
 *
 * A table lists the fields of one object: name, kind, where it goes in the out struct, default,
 * limits, and one sentence for the reference. Life cycle, once per object:
 *     at = config_root(doc) -> [config_variant_of(at, ...)] -> config_read | config_read_parts
 * and config_print_table() prints the same table as Markdown.
 *
 *     struct plug { int64_t delay_ns; uint16_t port; const char *host; double gain; bool has_gain;
 * }; static const struct config_field plug_fields[] = {
 *         {"host", CONFIG_STR, CONFIG_IN(struct plug, host), .required = true, .min_len = 1,
 *          .doc = "Name or address of the device."},
 *         {"port", CONFIG_INT, CONFIG_IN(struct plug, port), .fallback = "502",
 *          .limits = CONFIG_FROM_TO(1, 65535), .doc = "TCP port."},
 *         {"delay", CONFIG_DURATION, CONFIG_IN(struct plug, delay_ns), .fallback = "250ms",
 *          .limits = CONFIG_FROM_TO(0, 60), .doc = "Pause before the first request."},
 *         {"gain", CONFIG_NUM, CONFIG_IN(struct plug, gain), .given = CONFIG_GIVEN(struct plug,
 * has_gain), .limits = CONFIG_ABOVE(0), .otherwise = "none", .doc = "..."},
 *     };
 *     const struct config_table plug_table = CONFIG_TABLE("Plug", struct plug, plug_fields);
 *
 * Every problem is reported through config_error() with its path; reading goes on, and the result
 * says whether this object was in order. A field in error holds its fallback, or zero without one.
 * Unknown fields are errors (with the nearest known name), but for names that start with x_.
 *
 * Ownership: the caller owns the out struct; strings and arrays in it live in the arena that the
 * caller gives. Nothing points into the document. Threads: those of the document.
 */
#ifndef CONFIG_READER_H
#define CONFIG_READER_H

#include "config/doc.h"

#include <stddef.h>

/* What a field is in JSON, and the C type that receives it. */
enum config_kind {
    CONFIG_BOOL,     /* bool */
    CONFIG_INT,      /* any integer type; narrower than 64 bits needs limits that fit it */
    CONFIG_NUM,      /* double; always finite */
    CONFIG_DURATION, /* int64_t ns; JSON: seconds, or a text like "250ms" (ns us ms s min h) */
    CONFIG_STR,      /* const char * */
    CONFIG_ENUM,     /* an enum or int, by `choices`; JSON: one of their names */
    CONFIG_INTS,     /* struct config_ints; limits hold for each element, min_len for the array */
    CONFIG_NUMS,     /* struct config_nums */
    CONFIG_STRS,     /* struct config_strs */
    CONFIG_OBJECT,   /* the struct that `table` describes, in place */
    CONFIG_OBJECTS,  /* struct config_objects: an array of objects by `table` */
    CONFIG_CUSTOM,   /* whatever `read` makes of it */
};

struct config_ints {
    const int64_t *v;
    uint32_t n;
};

struct config_nums {
    const double *v;
    uint32_t n;
};

struct config_strs {
    const char *const *v;
    uint32_t n;
};

struct config_objects {
    void *v; /* n structs, one after the other */
    uint32_t n;
};

struct config_choice {
    const char *name; /* NULL ends the list; two names may share a value */
    int value;
};

/* In the field's own unit; durations in seconds. */
struct config_limits {
    bool has_min, has_max;
    bool min_open, max_open; /* the limit itself is not allowed */
    double min, max;
};

#define CONFIG_FROM(a)                                                                             \
    {                                                                                              \
        .has_min = true, .min = (a)                                                                \
    }
#define CONFIG_FROM_TO(a, b)                                                                       \
    {                                                                                              \
        .has_min = true, .has_max = true, .min = (a), .max = (b)                                   \
    }
#define CONFIG_ABOVE(a)                                                                            \
    {                                                                                              \
        .has_min = true, .min_open = true, .min = (a)                                              \
    }
#define CONFIG_ABOVE_TO(a, b)                                                                      \
    {                                                                                              \
        .has_min = true, .min_open = true, .has_max = true, .min = (a), .max = (b)                 \
    }
#define CONFIG_BETWEEN(a, b)                                                                       \
    {                                                                                              \
        .has_min = true, .min_open = true, .has_max = true, .max_open = true, .min = (a),          \
        .max = (b)                                                                                 \
    }

struct config_field;
struct config_table;
struct config_variants;

/* Reads a CUSTOM field that is present into `out` (the member itself). False after config_error().
 * Absent fields do not call it: the member is zero then, and must mean the default. */
typedef bool config_read_fn(struct config_at at, struct base_arena *arena,
                            const struct config_field *field, void *out);

struct config_field {
    const char *name;
    enum config_kind kind;
    size_t offset, size; /* CONFIG_IN(struct s, member) */
    size_t given;        /* CONFIG_GIVEN(struct s, has_member): a bool, true when the user set it */
    bool required;
    bool own; /* makes no sense as a default for all tasks: refused in driver.json's `defaults` */

    /* The default. STR, ENUM and DURATION: the text without quotes; others: JSON. NULL: none, the
     * member stays zero, and `otherwise` says in the reference what happens then. CUSTOM: only
     * documentation. */
    const char *fallback;
    const char *otherwise;

    struct config_limits limits;
    uint32_t min_len, max_len; /* bytes of a STR, elements of an array; max_len 0: no limit */
    const struct config_choice *choices;
    const struct config_table *table;
    const struct config_variants *variants; /* only for the reference: CUSTOM that reads variants */
    config_read_fn *read;
    const char *shape; /* CUSTOM: what the reference calls its type, "int or str" */
    const char *alias; /* a second name */
    const char *unit;  /* "Hz"; not for durations */
    const char *doc;   /* whole sentences */
};

/* As designated initialisers: the member that receives the value ... */
#define CONFIG_IN(type, member)                                                                    \
    .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
/* ... and the bool that says that it was given. */
#define CONFIG_GIVEN(type, member) (offsetof(type, member) + 1)

struct config_table {
    const char *title; /* heading in the reference */
    size_t size;       /* of the out struct */
    const struct config_field *fields;
    uint32_t n;
    /* Rules between fields: called once all fields of the table were read without an error. False
     * after config_error(). May be NULL. */
    bool (*check)(struct config_at at, void *out);
};

#define CONFIG_TABLE(heading, type, array, ...)                                                    \
    {                                                                                              \
        .title = (heading), .size = sizeof(type), .fields = (array), .n = ARCD_COUNT_OF(array),    \
        __VA_ARGS__                                                                                \
    }

/* Reads the object at the cursor into `out`, which is zeroed first. True: no error. */
bool config_read(struct config_at at, struct base_arena *arena, const struct config_table *table,
                 void *out);

/* One object read by several tables, each filling its own struct: the common fields of a task and
 * those of its type. A name may stand in several tables; then each gets the value. Unknown is what
 * no table knows. */
struct config_part {
    const struct config_table *table;
    void *out;                 /* zeroed first */
    struct config_at defaults; /* fields absent from the object are looked up here, before their
                                  fallback; .json NULL: nowhere */
};

bool config_read_parts(struct config_at at, struct base_arena *arena,
                       const struct config_part *parts, uint32_t n);

/* As read_parts, but leaves fields that no part knows alone: for a first look at an object that
 * another layer reads completely later. */
bool config_peek_parts(struct config_at at, struct base_arena *arena,
                       const struct config_part *parts, uint32_t n);

/* Checks an object of defaults, as driver.json has them for all tasks: each member must be a field
 * of one of the tables, not `own`, and in order. */
bool config_check_defaults(struct config_at at, const struct config_table *const *tables,
                           uint32_t n);

/* One value as a field describes it, into `out` (the member itself), for CUSTOM readers. */
bool config_read_value(struct config_at at, struct base_arena *arena,
                       const struct config_field *field, void *out);

/* ---- Objects that come in kinds, told apart by their member `type` */

struct config_variant {
    const char *type;
    const struct config_table *table; /* its own fields; NULL: none */
    int tag;                          /* the user's own number for it */
};

struct config_variants {
    const char *title; /* heading in the reference */
    const char *noun;  /* "channel type": in "unknown channel type 'x'" */
    const struct config_variant *variants;
    uint32_t n;
};

/* NULL after an error at the member `type`. The tables that then read the object must have a field
 * `type` in one of them. */
const struct config_variant *config_variant_of(struct config_at at,
                                               const struct config_variants *variants);

/* ---- Words for messages */

/* The name within two typing mistakes of `word`, or NULL; get(ctx, i) gives the n known names. */
const char *config_nearest(const char *word, const char *(*get)(const void *ctx, uint32_t i),
                           const void *ctx, uint32_t n);

/* "250 ms", "60 s", "10 min": exact, in the unit that reads best. */
enum { CONFIG_NUMBER_TEXT = 40 };
const char *config_duration_text(int64_t duration_ns, char text[CONFIG_NUMBER_TEXT]);

/* The shortest text that reads back as the same double, with a point in every locale. */
const char *config_number_text(double number, char text[CONFIG_NUMBER_TEXT]);

/* "250ms", "1.5 h" to ns; false: not a duration, or beyond 1e9 s. */
bool config_duration_parse(const char *text, int64_t *duration_ns);

/* ---- The reference, in Markdown */

/* A heading of that level (0: none) and one row a field: name, type, default, limits, meaning.
 * Fields of nested tables follow theirs as `outer.inner`. */
void config_print_table(FILE *out, const struct config_table *table, int level);

/* A heading, then every variant with its table below it. */
void config_print_variants(FILE *out, const struct config_variants *variants, int level);

#endif
