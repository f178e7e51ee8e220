#include "driver/conform/run.h"

#include "arc/compile.h"
#include "arc/image.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ECHOES = 100,     /* in a row: a feedback loop */
    MOST_FOLLOWUPS = 1000, /* cycles that the program asks for at once */
};

/* A sample that the program wrote. */
struct sample {
    uint32_t channel; /* of the case */
    struct conform_value value;
};

struct run {
    const struct conform_case *c;
    const struct conform_run_options *options;
    struct base_arena arena;
    struct arc_image *image;
    struct arc_host_program *program;
    struct base_clock clock;
    uint32_t *case_of;  /* image channel -> case channel */
    uint32_t *image_of; /* case channel -> image channel, or ARC_NONE */
    int64_t now_ns;
    struct sample *samples; /* of the current step */
    size_t n_samples, cap_samples;
    uint32_t step;
    bool faulted;
    bool failed;
    char *wrong;
    size_t size;
};

/* ---- Words */

static void say(struct run *r, const char *format, ...) ARCD_PRINTF(2, 3);

/* Only the first thing that is wrong is kept. */
static void say(struct run *r, const char *format, ...)
{
    if (r->failed)
        return;
    r->failed = true;
    size_t len = 0;
    if (r->program != NULL && r->step < r->c->n_steps)
        len = (size_t)snprintf(r->wrong, r->size, "step %u (%s): ", r->step,
                               r->c->steps[r->step].at_text);
    va_list args;
    va_start(args, format);
    if (len < r->size)
        vsnprintf(r->wrong + len, r->size - len, format, args);
    va_end(args);
}

static void print_float(FILE *out, double value, int digits)
{
    if (isnan(value))
        fputs("\"NaN\"", out);
    else if (isinf(value))
        fputs(value > 0 ? "\"+Inf\"" : "\"-Inf\"", out);
    else
        fprintf(out, "%.*g", digits, value);
}

static void print_text(FILE *out, const char *text, size_t len)
{
    putc('"', out);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c == '\n')
            fputs("\\n", out);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            putc(c, out);
    }
    putc('"', out);
}

static void print_value(FILE *out, enum telem_type type, const struct conform_value *value)
{
    if (type == TELEM_STR)
        print_text(out, value->text, value->len);
    else if (type == TELEM_F64)
        print_float(out, value->number.f64, 17);
    else if (type == TELEM_F32)
        print_float(out, (double)value->number.f32, 9);
    else if (telem_type_is_signed(type))
        fprintf(out, "%" PRId64, value->number.i64);
    else
        fprintf(out, "%" PRIu64, value->number.u64);
}

/* ---- Comparing */

static bool floats_agree(double got, double want, double tolerance)
{
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want);
    if (isinf(got) || isinf(want))
        return got == want;
    double scale = fmax(1, fabs(want));
    return fabs(got - want) <= tolerance * scale;
}

static bool values_agree(enum telem_type type, const struct conform_value *got,
                         const struct conform_value *want)
{
    if (type == TELEM_STR)
        return got->len == want->len && memcmp(got->text, want->text, got->len) == 0;
    if (type == TELEM_F64)
        return floats_agree(got->number.f64, want->number.f64, 1e-9);
    if (type == TELEM_F32)
        return floats_agree((double)got->number.f32, (double)want->number.f32, 1e-5);
    return got->number.u64 == want->number.u64;
}

static bool column_agrees(const struct run *r, const struct conform_column *expect)
{
    uint32_t n = 0;
    enum telem_type type = r->c->channels[expect->channel].type;
    for (size_t i = 0; i < r->n_samples; i++) {
        if (r->samples[i].channel != expect->channel)
            continue;
        if (n == expect->n || !values_agree(type, &r->samples[i].value, &expect->values[n]))
            return false;
        n++;
    }
    return n == expect->n;
}

static void say_column(struct run *r, const struct conform_column *expect)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    if (out == NULL)
        return;
    enum telem_type type = r->c->channels[expect->channel].type;
    fprintf(out, "%s: expected [", r->c->channels[expect->channel].name);
    for (uint32_t i = 0; i < expect->n; i++) {
        fputs(i > 0 ? ", " : "", out);
        print_value(out, type, &expect->values[i]);
    }
    fputs("], got [", out);
    const char *between = "";
    for (size_t i = 0; i < r->n_samples; i++) {
        if (r->samples[i].channel != expect->channel)
            continue;
        fputs(between, out);
        print_value(out, type, &r->samples[i].value);
        between = ", ";
    }
    fputs("]", out);
    fclose(out);
    say(r, "%s", text);
    free(text);
}

/* ---- Cycles */

static int64_t virtual_ns(void *ctx)
{
    return ((const struct run *)ctx)->now_ns;
}

static void trace_cycle(const struct run *r, const char *kind)
{
    FILE *out = r->options->trace;
    if (out == NULL)
        return;
    const struct arc_host_outputs *o = arc_host_program_outputs(r->program);
    fprintf(out, "    %12.6f ms %s:", (double)r->now_ns / 1e6, kind);
    for (uint32_t i = 0; i < o->n_authority; i++)
        fprintf(out, " %s authority %u", r->image->channels[o->authority[i].channel].name,
                o->authority[i].value);
    for (uint32_t i = 0; i < o->n_writes; i++) {
        const struct arc_host_write *w = &o->writes[i];
        enum telem_type type = r->c->channels[r->case_of[w->channel]].type;
        struct conform_value value = {.number = w->number};
        if (type == TELEM_STR)
            value = (struct conform_value){.text = w->bytes, .len = w->len};
        fprintf(out, " %s=", r->image->channels[w->channel].name);
        print_value(out, type, &value);
    }
    fprintf(out, "\n");
}

static void keep_sample(struct run *r, const struct arc_host_write *w)
{
    if (r->n_samples == r->cap_samples) {
        size_t cap = r->cap_samples ? 2 * r->cap_samples : 64;
        struct sample *more = realloc(r->samples, cap * sizeof *more);
        if (more == NULL)
            abort();
        r->samples = more;
        r->cap_samples = cap;
    }
    struct sample *s = &r->samples[r->n_samples++];
    s->channel = r->case_of[w->channel];
    s->value = (struct conform_value){.number = w->number};
    if (r->c->channels[s->channel].type == TELEM_STR) {
        s->value.len = w->len;
        s->value.text = base_arena_strndup(&r->arena, w->len ? w->bytes : "", w->len);
    }
}

static void note_cycle(struct run *r, enum arcd_err err, const char *kind)
{
    trace_cycle(r, kind);
    if (err == ARCD_ERR_FAULT) {
        r->faulted = true;
        char text[512];
        arc_host_fault_text(r->image, arc_host_program_fault(r->program), text, sizeof text);
        if (r->options->trace != NULL)
            fprintf(r->options->trace, "    stopped: %s\n", text);
        if (!r->c->wants_fault || r->c->fault_step != r->step)
            say(r, "the program stopped: %s", text);
        else if (r->c->fault_contains != NULL && strstr(text, r->c->fault_contains) == NULL)
            say(r, "expected an error with '%s', got: %s", r->c->fault_contains, text);
        return;
    }
    if (err != ARCD_OK) {
        r->faulted = true;
        say(r, "the cycle failed: %s", arcd_err_text(err));
        return;
    }
    const struct arc_host_outputs *o = arc_host_program_outputs(r->program);
    for (uint32_t i = 0; i < o->n_writes; i++)
        keep_sample(r, &o->writes[i]);
}

/* A frame under construction: columns with room for all samples of one batch. */
struct batch {
    struct arc_host_column *columns;
    uint32_t n_columns;
    char *text;
    uint32_t text_len;
};

static void put(struct run *r, struct batch *batch, uint32_t channel, uint32_t room,
                const struct conform_value *value, int64_t time_ns)
{
    enum telem_type type = r->image->channels[channel].type;
    uint32_t k = 0;
    while (k < batch->n_columns && batch->columns[k].channel != channel)
        k++;
    struct arc_host_column *column = &batch->columns[k];
    if (k == batch->n_columns) {
        batch->n_columns++;
        *column = (struct arc_host_column){
            .channel = channel,
            .data = base_arena_alloc(&r->arena, room * telem_type_size(type), 16),
            .times = base_arena_array(&r->arena, int64_t, room),
        };
    }
    ((int64_t *)(uintptr_t)column->times)[column->n] = time_ns;
    void *data = (void *)(uintptr_t)column->data;
    if (type == TELEM_STR) {
        ((struct telem_str *)data)[column->n] =
            (struct telem_str){.offset = batch->text_len, .len = (uint32_t)value->len};
        if (value->len != 0)
            memcpy(batch->text + batch->text_len, value->text, value->len);
        batch->text_len += (uint32_t)value->len;
    } else {
        telem_store(type, data, column->n, value->number);
    }
    column->n++;
}

static struct batch new_batch(struct run *r, size_t text_bytes)
{
    return (struct batch){
        .columns = base_arena_array(&r->arena, struct arc_host_column, r->image->n_channels),
        .text = base_arena_alloc(&r->arena, text_bytes, 1)};
}

static void input_cycle(struct run *r, struct batch *batch, const char *kind)
{
    for (uint32_t i = 0; i < batch->n_columns; i++)
        batch->columns[i].text = batch->text;
    struct arc_host_frame frame = {.columns = batch->columns, .n_columns = batch->n_columns};
    note_cycle(r, arc_host_program_input(r->program, &frame, r->now_ns, r->now_ns), kind);
}

static bool is_heard(const struct run *r, uint32_t channel)
{
    return r->image->channels[channel].reads || r->image->channels[channel].source;
}

/* What the last cycle wrote to channels that the program hears itself, as a cycle of its own. */
static bool echo_cycle(struct run *r)
{
    const struct arc_host_outputs *o = arc_host_program_outputs(r->program);
    size_t text_bytes = 0;
    for (uint32_t i = 0; i < o->n_writes; i++)
        text_bytes += o->writes[i].len;
    struct batch batch = new_batch(r, text_bytes);
    for (uint32_t i = 0; i < o->n_writes; i++) {
        const struct arc_host_write *w = &o->writes[i];
        if (!is_heard(r, w->channel))
            continue;
        struct conform_value value = {.number = w->number};
        if (r->image->channels[w->channel].type == TELEM_STR)
            value = (struct conform_value){.text = w->bytes, .len = w->len};
        put(r, &batch, w->channel, o->n_writes, &value, w->time_utc_ns);
    }
    if (batch.n_columns == 0)
        return false;
    input_cycle(r, &batch, "echo");
    return true;
}

/* The cycles that follow a cycle at once. */
static void settle(struct run *r)
{
    int echoes = 0, followups = 0;
    while (!r->faulted) {
        if (echo_cycle(r)) {
            if (++echoes > MOST_ECHOES) {
                r->faulted = true;
                say(r, "feedback loop: more than %d echo cycles in a row", MOST_ECHOES);
            }
            continue;
        }
        arc_host_program_tidy(r->program);
        if (!arc_host_program_wants_cycle(r->program))
            return;
        if (++followups > MOST_FOLLOWUPS) {
            r->faulted = true;
            say(r, "the program asks for ever more cycles at the same time");
            return;
        }
        note_cycle(r, arc_host_program_timer(r->program, r->now_ns, r->now_ns), "follow-up");
    }
}

static void run_timers_until(struct run *r, int64_t until_ns)
{
    while (!r->faulted && arc_host_program_deadline(r->program) <= until_ns) {
        r->now_ns = arc_host_program_deadline(r->program);
        note_cycle(r, arc_host_program_timer(r->program, r->now_ns, r->now_ns), "timer");
        settle(r);
    }
    r->now_ns = until_ns;
}

static void write_cycle(struct run *r, const struct conform_step *step)
{
    size_t text_bytes = 0;
    for (uint32_t i = 0; i < step->n_writes; i++)
        for (uint32_t k = 0; k < step->writes[i].n; k++)
            text_bytes += step->writes[i].values[k].len;
    struct batch batch = new_batch(r, text_bytes);
    for (uint32_t i = 0; i < step->n_writes; i++) {
        const struct conform_column *column = &step->writes[i];
        uint32_t channel = r->image_of[column->channel];
        if (channel == ARC_NONE || !is_heard(r, channel))
            continue;
        for (uint32_t k = 0; k < column->n; k++)
            put(r, &batch, channel, column->n, &column->values[k], column->times_ns[k]);
    }
    input_cycle(r, &batch, "input");
    settle(r);
}

static void run_steps(struct run *r)
{
    for (r->step = 0; r->step < r->c->n_steps && !r->failed; r->step++) {
        const struct conform_step *step = &r->c->steps[r->step];
        run_timers_until(r, step->at_ns);
        if (step->has_write && !r->faulted)
            write_cycle(r, step);
        for (uint32_t i = 0; i < step->n_expects && !r->failed; i++)
            if (!column_agrees(r, &step->expects[i]))
                say_column(r, &step->expects[i]);
        if (r->c->wants_fault && r->c->fault_step == r->step && !r->faulted)
            say(r, "expected the program to stop with '%s'",
                r->c->fault_contains ? r->c->fault_contains : "");
        r->n_samples = 0;
    }
}

/* ---- Setting up */

static uint32_t longest_column(const struct conform_case *c)
{
    uint32_t n = 1;
    for (uint32_t s = 0; s < c->n_steps; s++)
        for (uint32_t i = 0; i < c->steps[s].n_writes; i++)
            n = c->steps[s].writes[i].n > n ? c->steps[s].writes[i].n : n;
    return n;
}

static void match_channels(struct run *r)
{
    r->case_of = base_arena_array(&r->arena, uint32_t, r->image->n_channels);
    r->image_of = base_arena_array(&r->arena, uint32_t, r->c->n_channels);
    for (uint32_t i = 0; i < r->c->n_channels; i++)
        r->image_of[i] = ARC_NONE;
    for (uint32_t k = 0; k < r->image->n_channels; k++)
        for (uint32_t i = 0; i < r->c->n_channels; i++)
            if (strcmp(r->image->channels[k].name, r->c->channels[i].name) == 0) {
                r->case_of[k] = i;
                r->image_of[i] = k;
            }
}

static void run_program(struct run *r)
{
    r->clock = (struct base_clock){.mono_ns = virtual_ns, .utc_ns = virtual_ns, .ctx = r};
    /* A program may write to itself more than any step writes to it. */
    struct arc_host_options options = {.max_rows = longest_column(r->c) + 4096,
                                       .max_text = 4 << 20,
                                       .mode = r->options->mode,
                                       .clock = &r->clock};
    struct arcd_errinfo why;
    if (arc_host_program_new(r->image, &options, &r->program, &why) != ARCD_OK) {
        say(r, "does not load: %s", why.text);
        return;
    }
    match_channels(r);
    note_cycle(r, arc_host_program_start(r->program, 0), "start");
    settle(r);
    run_steps(r);
}

static void check_error(struct run *r, const struct arc_diag *diag)
{
    char code[16] = "";
    if (diag->code != ARC_CODE_NONE)
        snprintf(code, sizeof code, "ARC%d", (int)diag->code);
    if (r->c->error_code != NULL && strcmp(code, r->c->error_code) != 0)
        say(r, "expected error %s, got %s%sline %u: %s", r->c->error_code, code, *code ? " " : "",
            diag->start.line, diag->message);
    if (r->c->error_line != 0 && diag->start.line != r->c->error_line)
        say(r, "expected the error in line %u, got line %u: %s", r->c->error_line, diag->start.line,
            diag->message);
    if (r->c->error_contains != NULL && strcasestr(diag->message, r->c->error_contains) == NULL)
        say(r, "expected an error with '%s', got: %s", r->c->error_contains, diag->message);
}

static void compile(struct run *r)
{
    struct arc_source source = {.file = r->c->name, .text = r->c->source, .len = r->c->source_len};
    struct arc_chan_info *infos =
        base_arena_array(&r->arena, struct arc_chan_info, r->c->n_channels);
    for (uint32_t i = 0; i < r->c->n_channels; i++)
        infos[i] =
            (struct arc_chan_info){.name = r->c->channels[i].name, .type = r->c->channels[i].type};
    struct arc_chan_table table = {.chans = infos, .n_chans = r->c->n_channels};
    struct arc_diags diags;
    arc_diags_init(&diags, &r->arena, &source);
    r->image = arc_compile(&source, &table, &diags);
    const struct arc_diag *error = arc_diags_first_error(&diags);
    if (r->image == NULL && error == NULL)
        say(r, "does not compile and does not say why");
    else if (r->image == NULL && r->c->wants_error)
        check_error(r, error);
    else if (r->image == NULL)
        say(r, "does not compile: line %u: %s", error->start.line, error->message);
    else if (r->c->wants_error)
        say(r, "expected error %s, but it compiles", r->c->error_code ? r->c->error_code : "(any)");
}

bool conform_run_case(const struct conform_case *c, const struct conform_run_options *options,
                      char *wrong, size_t size)
{
    struct run r = {.c = c, .options = options, .wrong = wrong, .size = size};
    base_arena_init(&r.arena);
    compile(&r);
    if (r.image != NULL && !r.failed)
        run_program(&r);
    arc_host_program_free(r.program);
    arc_image_free(r.image);
    free(r.samples);
    base_arena_fini(&r.arena);
    return !r.failed;
}
