#include "config/csv.h"

#include "config/doc_priv.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct csv {
    struct config_at at;
    const char *file;
    locale_t c_locale; /* a point in numbers, whatever the program's locale is */
    double *x, *y;
    uint32_t n;
    int line;
};

static void report(struct csv *csv, int column, const char *fmt, ...) ARCD_PRINTF(3, 4);

static void report(struct csv *csv, int column, const char *fmt, ...)
{
    struct config_issue issue = {
        .file = csv->file, .path = "", .line = csv->line, .column = column};
    va_list args;
    va_start(args, fmt);
    config_errors_put_text(csv->at.doc->errors, &issue, fmt, args);
    va_end(args);
    csv->at.doc->n_errors++;
}

/* Moves *text behind a decimal number and the blanks around it. */
static bool take_number(const struct csv *csv, const char **text, double *number)
{
    const char *start = *text + strspn(*text, " ");
    size_t len = strspn(start, "0123456789+-.eE");
    char *end;
    *number = strtod_l(start, &end, csv->c_locale);
    if (len == 0 || end != start + len || !isfinite(*number))
        return false;
    *text = end + strspn(end, " ");
    return true;
}

static bool take_row(const struct csv *csv, const char *line, double *x, double *y)
{
    if (!take_number(csv, &line, x) || *line == '\0' || strchr(",;\t", *line) == NULL)
        return false;
    line++;
    return take_number(csv, &line, y) && *line == '\0';
}

static bool read_line(struct csv *csv, char *line)
{
    line[strcspn(line, "\r")] = '\0';
    if (line[strspn(line, " \t")] == '\0' || line[0] == '#')
        return true;
    double x, y;
    if (!take_row(csv, line, &x, &y)) {
        bool heading = csv->n == 0 && csv->line == 1;
        if (!heading)
            report(csv, 1, "must be two numbers, as 1.5,20");
        return heading;
    }
    if (csv->n == CONFIG_CSV_ROWS_MAX) {
        report(csv, 1, "must have at most %d rows", CONFIG_CSV_ROWS_MAX);
        return false;
    }
    csv->x[csv->n] = x;
    csv->y[csv->n] = y;
    csv->n++;
    return true;
}

static uint32_t count_lines(const char *text)
{
    uint32_t n = 1;
    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n < CONFIG_CSV_ROWS_MAX ? n : CONFIG_CSV_ROWS_MAX;
}

static bool read_lines(struct csv *csv, char *text)
{
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3;
    char *next = text;
    while (next != NULL) {
        char *line = strsep(&next, "\n");
        csv->line++;
        if (!read_line(csv, line))
            return false;
    }
    if (csv->n == 0)
        report(csv, 1, "must have at least one row of two numbers");
    return csv->n > 0;
}

bool config_csv_read(struct config_at at, struct base_arena *arena, const char *file,
                     struct config_nums *x, struct config_nums *y)
{
    size_t len;
    const char *why;
    char *text = config_file_read(at.doc->dir, file, &len, &why);
    if (text == NULL)
        return config_error(at, "'%s' cannot be read: %s", file, why);
    if (strlen(text) != len) {
        free(text);
        return config_error(at, "'%s' is not a text file", file);
    }
    struct csv csv = {.at = at, .file = file, .c_locale = newlocale(LC_ALL_MASK, "C", NULL)};
    ARCD_ASSERT(csv.c_locale != NULL);
    uint32_t room = count_lines(text);
    csv.x = base_arena_array(arena, double, room);
    csv.y = base_arena_array(arena, double, room);
    bool ok = read_lines(&csv, text);
    freelocale(csv.c_locale);
    free(text);
    *x = (struct config_nums){csv.x, ok ? csv.n : 0};
    *y = (struct config_nums){csv.y, ok ? csv.n : 0};
    return ok;
}
