#include "config/reader.h"

#include "config/reader_priv.h"

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The nearest name */

enum { NEAR_MAX = 2, WORD_MAX = 64 };

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;
    return least < c ? least : c;
}

/* Typing mistakes between two words: a letter wrong, missing, too many, or two letters swapped.
 * Letter case counts as no mistake. */
static unsigned mistakes(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    if (na > WORD_MAX || nb > WORD_MAX || na > nb + NEAR_MAX || nb > na + NEAR_MAX)
        return NEAR_MAX + 1;
    unsigned rows[3][WORD_MAX + 1]; /* the current row and the two before it, in turn */
    for (size_t j = 0; j <= nb; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + (ca != cb));
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                cb == tolower((unsigned char)a[i - 2]) && above2[j - 2] + 1 < row[j])
                row[j] = above2[j - 2] + 1;
        }
    }
    return rows[na % 3][nb];
}

const char *config_nearest(const char *word, const char *(*get)(const void *ctx, uint32_t i),
                           const void *ctx, uint32_t n)
{
    const char *best = NULL;
    unsigned best_mistakes = NEAR_MAX + 1;
    for (uint32_t i = 0; i < n; i++) {
        const char *name = get(ctx, i);
        unsigned found = mistakes(word, name);
        /* A word of two letters is two mistakes away from every other: no help. */
        if (found < best_mistakes && found < strlen(word)) {
            best = name;
            best_mistakes = found;
        }
    }
    return best;
}

/* ---- Durations */

struct duration_unit {
    const char *name;
    int64_t ns;
};

static const struct duration_unit units[] = {
    {"ns", 1},
    {"us", INT64_C(1000)},
    {"ms", INT64_C(1000000)},
    {"s", INT64_C(1000000000)},
    {"min", INT64_C(60000000000)},
    {"h", INT64_C(3600000000000)},
};

enum { UNIT_S = 3, UNIT_MIN = 4 };

static const struct duration_unit *find_unit(const char *name)
{
    for (size_t i = 0; i < ARCD_COUNT_OF(units); i++)
        if (strcmp(name, units[i].name) == 0)
            return &units[i];
    return NULL;
}

/* Decimal digits with at most one point: mantissa / 10^scale. False when there are more than 18
 * digits that matter, which is beyond any duration. */
static bool parse_decimal(const char **text, int64_t *mantissa, unsigned *scale)
{
    const char *c = *text;
    bool point = false;
    unsigned n_digits = 0;
    *mantissa = 0;
    *scale = 0;
    for (; isdigit((unsigned char)*c) || (*c == '.' && !point); c++) {
        if (*c == '.') {
            point = true;
            continue;
        }
        if (*mantissa > INT64_MAX / 100)
            return false;
        *mantissa = *mantissa * 10 + (*c - '0');
        *scale += point;
        n_digits++;
    }
    bool ends_with_digit = n_digits > 0 && c[-1] != '.';
    *text = c;
    return ends_with_digit;
}

bool config_duration_parse(const char *text, int64_t *duration_ns)
{
    bool negative = *text == '-';
    text += negative;
    int64_t mantissa;
    unsigned scale;
    if (!parse_decimal(&text, &mantissa, &scale))
        return false;
    while (*text == ' ')
        text++;
    const struct duration_unit *unit = find_unit(text);
    if (unit == NULL)
        return false;
    __extension__ typedef __int128 wide;
    wide ns = (wide)mantissa * unit->ns, divisor = 1;
    for (unsigned i = 0; i < scale; i++)
        divisor *= 10;
    ns = (ns + divisor / 2) / divisor;
    if (ns > (wide)1000000000 * 1000000000)
        return false;
    *duration_ns = negative ? -(int64_t)ns : (int64_t)ns;
    return true;
}

/* The largest unit that divides it, but seconds below two minutes: "60 s", "10 min", "1 h". */
static const struct duration_unit *readable_unit(int64_t duration_ns)
{
    for (size_t i = ARCD_COUNT_OF(units) - 1; i > 0; i--) {
        if (i == UNIT_MIN && llabs(duration_ns) < 2 * units[UNIT_MIN].ns)
            continue;
        if (duration_ns % units[i].ns == 0)
            return &units[i];
    }
    return &units[0];
}

const char *config_duration_text(int64_t duration_ns, char text[CONFIG_NUMBER_TEXT])
{
    const struct duration_unit *unit =
        duration_ns == 0 ? &units[UNIT_S] : readable_unit(duration_ns);
    snprintf(text, CONFIG_NUMBER_TEXT, "%" PRId64 " %s", duration_ns / unit->ns, unit->name);
    return text;
}

/* ---- Numbers */

/* jansson prints and reads numbers with a point whatever the locale is. */
static void print_real(double number, unsigned precision, char text[CONFIG_NUMBER_TEXT])
{
    json_t *json = json_real(number);
    size_t len = json == NULL ? 0
                              : json_dumpb(json, text, CONFIG_NUMBER_TEXT - 1,
                                           JSON_ENCODE_ANY | JSON_REAL_PRECISION(precision));
    json_decref(json);
    text[len < CONFIG_NUMBER_TEXT ? len : 0] = '\0';
}

static double read_back(const char *text)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    double number = json_number_value(json);
    json_decref(json);
    return number;
}

const char *config_number_text(double number, char text[CONFIG_NUMBER_TEXT])
{
    if (fabs(number) < 1e15 && number == trunc(number)) {
        snprintf(text, CONFIG_NUMBER_TEXT, "%.0f", number == 0 ? 0.0 : number);
        return text;
    }
    if (!isfinite(number)) {
        snprintf(text, CONFIG_NUMBER_TEXT, "%s",
                 isnan(number) ? "nan" : (number > 0 ? "inf" : "-inf"));
        return text;
    }
    for (unsigned precision = 15; precision <= 17; precision++) {
        print_real(number, precision, text);
        if (read_back(text) == number)
            break;
    }
    return text;
}

/* ---- Limits and lists */

static const char *limit_text(const struct config_field *field, double limit,
                              char text[CONFIG_NUMBER_TEXT])
{
    if (field->kind == CONFIG_DURATION)
        return config_duration_text(llround(limit * 1e9), text);
    return config_number_text(limit, text);
}

const char *config_limits_text(const struct config_field *field, char text[CONFIG_LIMITS_TEXT])
{
    const struct config_limits *l = &field->limits;
    char min[CONFIG_NUMBER_TEXT] = "", max[CONFIG_NUMBER_TEXT] = "";
    if (l->has_min)
        limit_text(field, l->min, min);
    if (l->has_max)
        limit_text(field, l->max, max);
    bool bare_zero = l->has_min && !l->has_max && l->min == 0;
    bool has_unit = field->unit != NULL && field->kind != CONFIG_DURATION && !bare_zero;
    const char *unit = has_unit ? field->unit : "", *space = has_unit ? " " : "";
    const char *above = l->min_open ? "greater than" : "at least";
    const char *below = l->max_open ? "less than" : "at most";
    text[0] = '\0';
    if (l->has_min && l->has_max && !l->min_open && !l->max_open)
        snprintf(text, CONFIG_LIMITS_TEXT, "from %s to %s%s%s", min, max, space, unit);
    else if (l->has_min && l->has_max)
        snprintf(text, CONFIG_LIMITS_TEXT, "%s %s and %s %s%s%s", above, min, below, max, space,
                 unit);
    else if (l->has_min)
        snprintf(text, CONFIG_LIMITS_TEXT, "%s %s%s%s", above, min, space, unit);
    else if (l->has_max)
        snprintf(text, CONFIG_LIMITS_TEXT, "%s %s%s%s", below, max, space, unit);
    return text;
}

const char *config_names_text(struct base_arena *arena,
                              const char *(*get)(const void *ctx, uint32_t i), const void *ctx,
                              uint32_t n)
{
    size_t size = 1;
    for (uint32_t i = 0; i < n; i++)
        size += strlen(get(ctx, i)) + strlen(", ");
    char *list = base_arena_alloc(arena, size, 1), *end = list;
    for (uint32_t i = 0; i < n; i++)
        end = stpcpy(stpcpy(end, i > 0 ? ", " : ""), get(ctx, i));
    return list;
}

uint32_t config_choices_count(const struct config_choice *choices)
{
    uint32_t n = 0;
    while (choices[n].name != NULL)
        n++;
    return n;
}

const char *config_choice_name(const void *choices, uint32_t i)
{
    return ((const struct config_choice *)choices)[i].name;
}
