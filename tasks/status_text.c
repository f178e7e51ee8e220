#include "tasks/status_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* Text that grows in a buffer of fixed size; `len` goes on counting when it is full. */
struct out {
    char *text;
    size_t size, len;
};

static void put(struct out *out, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++, out->len++)
        if (out->len + 1 < out->size)
            out->text[out->len] = bytes[i];
}

static void put_text(struct out *out, const char *text)
{
    put(out, text, strlen(text));
}

static void putf(struct out *out, const char *fmt, ...) ARCD_PRINTF(2, 3);

static void putf(struct out *out, const char *fmt, ...)
{
    char text[64];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (n > 0)
        put(out, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* Six digits are enough for a reader; a comma of the locale is a point here. */
static void put_number(struct out *out, double number)
{
    char text[40];
    snprintf(text, sizeof text, "%.6g", number);
    for (char *c = text; *c != '\0'; c++)
        if (*c == ',')
            *c = '.';
    put_text(out, text);
}

/* Where text of n bytes ends without half a UTF-8 character. */
static size_t whole_characters(const char *text, size_t n)
{
    size_t lead = n;
    while (lead > 0 && n - lead < 4 && ((unsigned char)text[lead - 1] & 0xC0) == 0x80)
        lead--;
    if (lead == 0)
        return n;
    unsigned char first = (unsigned char)text[lead - 1];
    size_t need = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
    return lead - 1 + need > n ? lead - 1 : n;
}

static size_t finish(struct out *out)
{
    if (out->size == 0)
        return out->len;
    bool fits = out->len < out->size;
    size_t end = fits ? out->len : whole_characters(out->text, out->size - 1);
    out->text[end] = '\0';
    return out->len;
}

const char *tasks_variant_name(enum tasks_variant variant)
{
    static const char *const names[] = {
#define NAME_OF(NAME, name) #name,
        TASKS_VARIANTS(NAME_OF)
#undef NAME_OF
    };
    return names[variant];
}

const char *tasks_state_name(enum tasks_state state)
{
    static const char *const names[] = {"configured", "starting", "running", "stopping", "faulted"};
    return names[state];
}

static const struct {
    enum tasks_variant variant;
    const char *message;
} events[] = {
#define EVENT_TEXT(NAME, VARIANT, lasting, message) {TASKS_VARIANT_##VARIANT, message},
    TASKS_EVENTS(EVENT_TEXT)
#undef EVENT_TEXT
};

enum tasks_variant tasks_event_variant(enum tasks_event event)
{
    return events[event].variant;
}

static const char *channel_name(const struct tasks_board *board, uint32_t channel)
{
    return channel < board->opts.n_channels ? board->opts.channels[channel] : "?";
}

static void put_argument(struct out *out, const struct tasks_board *board,
                         const struct tasks_status *status, const char *name, size_t n)
{
    if (n == 4)
        put_text(out, status->text);
    else if (n == 2)
        put_text(out, channel_name(board, status->channel));
    else if (*name == 'n' || *name == 'm')
        putf(out, "%" PRId64, *name == 'n' ? status->n : status->m);
    else
        put_number(out, *name == 'a' ? status->a : *name == 'b' ? status->b : status->c);
}

static void put_message(struct out *out, const struct tasks_board *board,
                        const struct tasks_status *status)
{
    const char *at = events[status->event].message;
    for (const char *open; (open = strchr(at, '{')) != NULL;) {
        const char *close = strchr(open, '}');
        put(out, at, (size_t)(open - at));
        put_argument(out, board, status, open + 1, (size_t)(close - open - 1));
        at = close + 1;
    }
    put_text(out, at);
}

size_t tasks_status_message(const struct tasks_board *board, const struct tasks_status *status,
                            char *text, size_t size_bytes)
{
    struct out out = {text, size_bytes, 0};
    put_message(&out, board, status);
    return finish(&out);
}

size_t tasks_status_description(const struct tasks_status *status, char *text, size_t size_bytes)
{
    struct out out = {text, size_bytes, 0};
    if (status->failures > 0) {
        putf(&out, "%" PRIu64 " failed %s in ", status->failures,
             status->failures == 1 ? "call" : "calls");
        put_number(&out, (double)status->failing_ns * 1e-9);
        put_text(&out, " s");
    }
    return finish(&out);
}

/* A JSON string with its quotes. */
static void put_json_string(struct out *out, const char *text)
{
    put_text(out, "\"");
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            putf(out, "\\%c", *c);
        else if (*c < 0x20 || *c == 0x7F)
            putf(out, "\\u%04x", *c);
        else
            put(out, (const char *)c, 1);
    }
    put_text(out, "\"");
}

static void put_member(struct out *out, const char *name, const char *text)
{
    putf(out, "\"%s\":", name);
    put_json_string(out, text);
    put_text(out, ",");
}

static void put_counters(struct out *out, const struct tasks_board *board)
{
    struct tasks_counters counters;
    tasks_board_counters(board, &counters);
    const char *comma = "";
#define PUT_COUNTER(name)                                                                          \
    putf(out, "%s\"" #name "\":%" PRId64, comma, counters.name);                                   \
    comma = ",";
    TASKS_COUNTERS(PUT_COUNTER)
#undef PUT_COUNTER
}

static void put_errors(struct out *out, const struct tasks_board *board)
{
    struct tasks_status error;
    char text[TASKS_STATUS_TEXT + 64];
    if (!tasks_board_last_error(board, &error))
        return;
    tasks_status_message(board, &error, text, sizeof text);
    put_json_string(out, text);
}

static void put_details(struct out *out, const struct tasks_board *board,
                        const struct tasks_status *status, const char *cmd)
{
    bool running = status->state == TASKS_RUNNING || status->state == TASKS_STARTING;
    put_text(out, "{");
    put_member(out, "task", board->opts.task);
    putf(out, "\"running\":%s,", running ? "true" : "false");
    put_member(out, "state", tasks_state_name(status->state));
    if (cmd != NULL)
        put_member(out, "cmd", cmd);
    putf(out, "\"code\":%" PRId64 ",\"errors\":[", status->code);
    put_errors(out, board);
    put_text(out, "],\"counters\":{");
    put_counters(out, board);
    put_text(out, "}}");
}

size_t tasks_status_json(const struct tasks_board *board, const struct tasks_status *status,
                         const struct tasks_status_extra *extra, char *json, size_t size_bytes)
{
    struct out out = {json, size_bytes, 0};
    char text[TASKS_STATUS_TEXT + 128];
    bool answers = extra != NULL && extra->message != NULL;
    put_text(&out, "{");
    put_member(&out, "key", board->opts.task);
    put_member(&out, "name", board->opts.task);
    put_member(&out, "variant",
               answers ? extra->variant : tasks_variant_name(tasks_event_variant(status->event)));
    tasks_status_message(board, status, text, sizeof text);
    put_member(&out, "message", answers ? extra->message : text);
    tasks_status_description(status, text, sizeof text);
    put_member(&out, "description", text);
    putf(&out, "\"time\":%" PRId64 ",\"details\":", status->utc_ns);
    put_details(&out, board, status, extra == NULL ? NULL : extra->cmd);
    put_text(&out, "}");
    return finish(&out);
}
