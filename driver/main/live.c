#include "driver/main/live.h"

#include "driver/main/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COURSE = 40, MAX_CHANNELS = 64 };

struct course {
    double values[COURSE]; /* oldest first; NAN where there was no data */
};

struct cli_live {
    FILE *out;
    bool in_place;
    int lines; /* drawn last time */
    struct course courses[MAX_CHANNELS];
};

struct cli_live *cli_live_new(FILE *out)
{
    struct cli_live *live = calloc(1, sizeof *live);
    ARCD_ASSERT(live != NULL);
    live->out = out;
    live->in_place = isatty(fileno(out)) != 0;
    for (size_t c = 0; c < MAX_CHANNELS; c++)
        for (size_t i = 0; i < COURSE; i++)
            live->courses[c].values[i] = NAN;
    return live;
}

void cli_live_free(struct cli_live *live)
{
    free(live);
}

static void push(struct course *course, const json_t *value)
{
    memmove(course->values, course->values + 1, sizeof course->values - sizeof course->values[0]);
    course->values[COURSE - 1] = json_is_number(value) ? json_number_value(value) : NAN;
}

/* Eight heights of block characters, scaled to what has been seen. */
static void draw_course(const struct course *course, char *out)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < COURSE; i++) {
        low = fmin(low, course->values[i]);
        high = fmax(high, course->values[i]);
    }
    for (size_t i = 0; i < COURSE; i++) {
        double v = course->values[i];
        int height = isfinite(v) && high > low ? (int)((v - low) / (high - low) * 7.999) : 0;
        out = stpcpy(out, isfinite(v) ? blocks[height] : " ");
    }
}

static void format_value(const json_t *value, char *out, size_t size)
{
    if (json_is_real(value))
        snprintf(out, size, "%.3f", json_real_value(value));
    else if (json_is_integer(value))
        snprintf(out, size, "%lld", (long long)json_integer_value(value));
    else if (json_is_string(value))
        snprintf(out, size, "%s", json_string_value(value));
    else
        snprintf(out, size, "no data");
}

static void draw_channels(struct cli_live *live, const json_t *values)
{
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)(uintptr_t)values, i, item)
    {
        if (i == MAX_CHANNELS)
            break;
        char value[64], course[COURSE * 4 + 1];
        const json_t *json = json_object_get(item, "value");
        push(&live->courses[i], json);
        format_value(json, value, sizeof value);
        draw_course(&live->courses[i], course);
        const char *unit = json_string_value(json_object_get(item, "unit"));
        fprintf(live->out, "  %-18s %12s %-5s %s %8.0f/s\n",
                json_string_value(json_object_get(item, "name")), value, unit != NULL ? unit : "",
                course, json_number_value(json_object_get(item, "rate_hz")));
        live->lines++;
    }
}

static void draw_automations(struct cli_live *live, const json_t *automations)
{
    size_t i;
    json_t *a;
    json_array_foreach((json_t *)(uintptr_t)automations, i, a)
    {
        const json_t *late = json_object_get(a, "lateness_us");
        char p50[24], p99[24], worst[24];
        fprintf(live->out,
                "  %-18s %8lld cycles   late: p50 %s, p99 %s, worst %s   overruns %lld\n",
                json_string_value(json_object_get(a, "name")),
                (long long)json_integer_value(json_object_get(a, "cycles")),
                cli_duration(json_number_value(json_object_get(late, "p50")), p50),
                cli_duration(json_number_value(json_object_get(late, "p99")), p99),
                cli_duration(json_number_value(json_object_get(late, "max")), worst),
                (long long)json_integer_value(json_object_get(a, "overruns")));
        live->lines++;
    }
}

static void print_line(const struct cli_live *live, const char *head, const json_t *values)
{
    fprintf(live->out, "%s", head);
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)(uintptr_t)values, i, item)
    {
        char value[64];
        format_value(json_object_get(item, "value"), value, sizeof value);
        fprintf(live->out, "  %s=%s", json_string_value(json_object_get(item, "name")), value);
    }
    fprintf(live->out, "\n");
}

void cli_live_draw(struct cli_live *live, const char *head, const json_t *values,
                   const json_t *automations)
{
    if (!live->in_place) {
        print_line(live, head, values);
        fflush(live->out);
        return;
    }
    if (live->lines > 0)
        fprintf(live->out, "\033[%dA\033[J", live->lines);
    live->lines = 1;
    fprintf(live->out, "%s\n", head);
    draw_channels(live, values);
    draw_automations(live, automations);
    fflush(live->out);
}
