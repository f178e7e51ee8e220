/* Random programs: the first line of the input names channels ("level f64, valve u8"), the rest is
 * the text.
 *
 * Whatever the text is, the compiler ends with diagnostics or with an image that the verifier
 * accepts; and an accepted program does the same in both ways of running function bodies: sample by
 * sample, and by columns where there is a batch body. */
#include "arc/compile.h"
#include "arc/verify.h"
#include "arc_host/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_CHANNELS = 16, ROWS = 9, CYCLES = 5 };

static struct arc_chan_table parse_channels(struct base_arena *arena, const char *line, size_t len)
{
    struct arc_chan_info *chans = base_arena_array(arena, struct arc_chan_info, MAX_CHANNELS);
    size_t n = 0;
    char *text = base_arena_strndup(arena, line, len);
    for (char *save, *item = strtok_r(text, ",", &save); item != NULL && n < MAX_CHANNELS;
         item = strtok_r(NULL, ",", &save)) {
        char name[32], type_name[16];
        if (sscanf(item, " %31s %15s", name, type_name) != 2)
            continue;
        enum telem_type type = telem_type_from_name(type_name);
        bool is_known = type == TELEM_TYPE_COUNT;
        for (size_t i = 0; i < n; i++)
            is_known |= strcmp(chans[i].name, name) == 0;
        if (!is_known)
            chans[n++] =
                (struct arc_chan_info){.name = base_arena_strdup(arena, name), .type = type};
    }
    return (struct arc_chan_table){.chans = chans, .n_chans = n};
}

/* ---- Running ------------------------------------------------------------------------------ */

static union telem_value sample(enum telem_type type, uint32_t i)
{
    static const double values[] = {0, 1, 2.5, -3, 100, 7, 1e6, -0.5, 42, 255, 12.75};
    return telem_from_f64(type, values[i % ARCD_COUNT_OF(values)]);
}

static struct arc_host_program *start(const struct arc_image *image, enum arc_host_mode mode)
{
    struct arc_host_options options = {
        .heap_bytes = 1 << 18, .budget = 200000, .max_rows = 64, .max_text = 4096, .mode = mode};
    struct arc_host_program *p = NULL;
    struct arcd_errinfo why;
    if (arc_host_program_new(image, &options, &p, &why) != ARCD_OK)
        return NULL;
    return p;
}

/* Every channel that the program reads gets some samples in most cycles. */
static enum arcd_err feed(const struct arc_image *image, struct arc_host_program *p, uint32_t cycle)
{
    static const char text[] = "stop go 12";
    struct arc_host_column columns[MAX_CHANNELS];
    uint64_t data[MAX_CHANNELS][ROWS];
    uint32_t n = 0;
    for (uint32_t c = 0; c < image->n_channels; c++) {
        if (!image->channels[c].reads && !image->channels[c].source)
            continue;
        uint32_t rows = (cycle + c) % 4 == 3 ? 0 : 1 + (cycle * 5 + c) % ROWS;
        enum telem_type type = (enum telem_type)image->channels[c].type;
        for (uint32_t k = 0; k < rows; k++) {
            if (type == TELEM_STR) {
                struct telem_str str = {.offset = k % 5, .len = k % 4};
                memcpy(&data[c][k], &str, sizeof str);
            } else {
                telem_store(type, data[c], k, sample(type, cycle * 3 + c + k));
            }
        }
        columns[n] =
            (struct arc_host_column){.channel = c, .n = rows, .data = data[c], .text = text};
        n += rows > 0;
    }
    int64_t now = (int64_t)(cycle + 1) * 100000000;
    struct arc_host_frame frame = {.columns = columns, .n_columns = n};
    return arc_host_program_input(p, &frame, now, 1000000 + now);
}

static enum arcd_err step(const struct arc_image *image, struct arc_host_program *p, uint32_t cycle)
{
    if (cycle == 0)
        return arc_host_program_start(p, 1000000);
    if (cycle % 2 == 1)
        return feed(image, p, cycle);
    int64_t now = (int64_t)(cycle + 1) * 100000000;
    return arc_host_program_timer(p, now, 1000000 + now);
}

/* ---- Comparing ---------------------------------------------------------------------------- */

static bool same_number(enum telem_type type, union telem_value a, union telem_value b)
{
    if (type == TELEM_F64)
        return a.u64 == b.u64 || (a.f64 != a.f64 && b.f64 != b.f64);
    if (type == TELEM_F32)
        return (uint32_t)a.u64 == (uint32_t)b.u64 || (a.f32 != a.f32 && b.f32 != b.f32);
    return a.u64 == b.u64;
}

static bool same_write(const struct arc_image *image, const struct arc_host_write *x,
                       const struct arc_host_write *y)
{
    if (x->channel != y->channel || x->time_utc_ns != y->time_utc_ns)
        return false;
    enum telem_type type = (enum telem_type)image->channels[x->channel].type;
    if (type != TELEM_STR)
        return same_number(type, x->number, y->number);
    return x->len == y->len && (x->len == 0 || memcmp(x->bytes, y->bytes, x->len) == 0);
}

static void compare(const struct arc_image *image, struct arc_host_program *a,
                    struct arc_host_program *b)
{
    const struct arc_host_outputs *x = arc_host_program_outputs(a);
    const struct arc_host_outputs *y = arc_host_program_outputs(b);
    ARCD_ASSERT(x->n_writes == y->n_writes && x->n_authority == y->n_authority);
    for (uint32_t i = 0; i < x->n_writes; i++)
        ARCD_ASSERT(same_write(image, &x->writes[i], &y->writes[i]));
}

static bool reads_the_clock(const struct arc_image *image)
{
    for (uint32_t i = 0; i < image->n_code; i++)
        if (image->code[i].op == ARC_OP_NOW)
            return true;
    for (uint32_t i = 0; i < image->n_nodes; i++)
        if (image->nodes[i].kind == ARC_IMAGE_NODE_NOW ||
            image->nodes[i].kind == ARC_IMAGE_NODE_STABLE_FOR)
            return true;
    return false;
}

static void run(const struct arc_image *image)
{
    struct arc_host_program *a = start(image, ARC_HOST_MODE_SAMPLE);
    struct arc_host_program *b = start(image, ARC_HOST_MODE_BATCH);
    ARCD_ASSERT((a == NULL) == (b == NULL));
    bool is_comparable = !reads_the_clock(image);
    enum arcd_err err = a == NULL ? ARCD_ERR_INVALID : ARCD_OK;
    for (uint32_t cycle = 0; cycle < CYCLES && err == ARCD_OK; cycle++) {
        err = step(image, a, cycle);
        enum arcd_err other = step(image, b, cycle);
        if (!is_comparable)
            continue;
        ARCD_ASSERT(err == other);
        compare(image, a, b);
    }
    arc_host_program_free(a);
    arc_host_program_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *end = size > 0 ? memchr(text, '\n', size) : NULL;
    if (end == NULL)
        return 0;
    struct base_arena arena;
    base_arena_init(&arena);
    struct arc_chan_table table = parse_channels(&arena, text, (size_t)(end - text));
    struct arc_source source = {
        .file = "fuzz.arc", .text = end + 1, .len = size - (size_t)(end + 1 - text)};
    struct arc_diags diags;
    arc_diags_init(&diags, &arena, &source);
    const struct arc_program *program = arc_check(&source, &table, &arena, &diags);
    ARCD_ASSERT((program == NULL) == (diags.n_errors > 0));
    struct arc_image *image = program == NULL ? NULL : arc_generate(program, &table, &diags);
    ARCD_ASSERT(image != NULL || diags.n_errors > 0);
    struct arcd_errinfo why;
    if (image != NULL) {
        ARCD_ASSERT(arc_verify(image, &why) == ARCD_OK);
        run(image);
    }
    arc_image_free(image);
    base_arena_fini(&arena);
    return 0;
}
