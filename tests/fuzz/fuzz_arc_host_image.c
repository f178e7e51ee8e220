/* Damaged images: what the verifier accepts, the machine and the scheduler must survive.
 *
 * The first byte chooses a program; every four bytes behind change one byte of its image: which
 * array, which record (16 bits), which byte of it is told by the first three, the fourth is the new
 * value. Run in both ways over a few cycles, with a small budget and heap. */
#include "arc/compile.h"
#include "arc/image.h"
#include "arc/verify.h"
#include "arc_host/program.h"

#include <stdlib.h>
#include <string.h>

static const char *const PROGRAMS[] = {
    /* numbers, state, branches, a helper, recursion, a batch body */
    "func fib(n i64) i64 { if n < 2 { return n } return fib(n - 1) + fib(n - 2) }\n"
    "func pid(x f64) f64 {\n acc $= 0.0\n last $= 0.0\n err := 50.0 - x\n"
    " if err > 10.0 { acc += err } else if err < 0.0 { acc -= last }\n last = err\n"
    " return acc * 2.0 + err }\n"
    "func clamp(x f64) f64 { if x > 10.0 { return 10.0 } return x * 2.0 - 1.0 }\n"
    "func loop(x f64) { s := 0\n for i := range(20) { s += i % 3 }\n n = s + fib(i64(x) % 8) }\n"
    "func two(x f64, y f64) (lo f64, hi f64) { if x < y { lo = x } else { hi = y } }\n"
    "a -> pid{} -> clamp{} -> b\na -> loop{}\n{ a: x, b: y } -> two{} \na * 2.0 -> out\n",
    /* strings and series */
    "func words(s str) str {\n all $= \"\"\n all = s + \"-\" + str(len(all))\n"
    " return f\"{all:8s}|{len(all):04d}|{1.5:.2f}\" + all[0:1] }\n"
    "func sums(x f64) f64 {\n buf $= [0.0, 0.0, 0.0]\n t := [1.0, 2.0, x] * 2.0 + buf\n"
    " buf[1] = x\n n2 := 0.0\n for v := t[1:] { n2 += v }\n u8s := not (t > x)\n"
    " return n2 + t[-1] + f64(u8s[0]) }\n"
    "s -> words{} -> t\na -> sums{} -> b\nu -> s -> t\n",
    /* sequences, stages, timers, library nodes */
    "import ( time\n math\n control\n stable )\n"
    "u => main\nsequence main {\n 1.0 -> out\n stage first {\n  a -> math.avg{count=3} -> b\n"
    "  a > 5.0 => next\n  a < 0.0 -> third\n  time.wait{3ns} => third\n }\n"
    " sequence { time.wait{1ns}\n a > 1.0 }\n"
    " stage third { u -> select{} -> { true: stage { 2.0 -> out }, false: b_of{} }\n"
    "  time.interval{2ns} -> a -> b\n  u => other }\n}\n"
    "func b_of(x u8) { b = f64(x) }\n"
    "sequence other { control.set_authority{value=9}\n 3.0 -> out\n stage { u => main } }\n"
    "u -> stable.for{1ns} -> u2{}\nfunc u2(x u8) { n = n + 1 }\n"
    "a -> math.derivative{} -> math.max{} -> out\n",
};

static const struct arc_chan_info CHANNELS[] = {
    {.name = "a", .type = TELEM_F64},   {.name = "b", .type = TELEM_F64},
    {.name = "out", .type = TELEM_F64}, {.name = "n", .type = TELEM_I64},
    {.name = "u", .type = TELEM_U8},    {.name = "s", .type = TELEM_STR},
    {.name = "t", .type = TELEM_STR},
};

static struct arc_image *compile(const char *text)
{
    struct base_arena arena;
    base_arena_init(&arena);
    struct arc_source source = {.file = "fuzz", .text = text, .len = strlen(text)};
    struct arc_chan_table table = {.chans = CHANNELS, .n_chans = ARCD_COUNT_OF(CHANNELS)};
    struct arc_diags diags;
    arc_diags_init(&diags, &arena, &source);
    struct arc_image *image = arc_compile(&source, &table, &diags);
    if (image == NULL)
        fprintf(stderr, "%s\n", arc_diags_render(&diags));
    ARCD_ASSERT(image != NULL);
    base_arena_fini(&arena);
    return image;
}

/* ---- Damage */

/* An array of records without pointers; names come first in those that have one, and stay. */
struct records {
    void *array;
    uint32_t n;
    uint32_t size_bytes, skip_bytes;
};

#define RECORDS(list, count)                                                                       \
    {                                                                                              \
        (list), (count), sizeof *(list), 0                                                         \
    }
#define NAMED(list, count)                                                                         \
    {                                                                                              \
        (list), (count), sizeof *(list), sizeof(char *)                                            \
    }

static void damage(struct arc_image *i, const uint8_t *change)
{
    const struct records all[] = {
        RECORDS(i->code, i->n_code),
        RECORDS(i->code, i->n_code), /* twice: the most rewarding */
        RECORDS(i->func_args, i->n_func_args),
        RECORDS(i->func_outputs, i->n_func_outputs),
        RECORDS(i->state_types, i->n_state_slots),
        RECORDS(i->state_init, i->n_state_slots),
        RECORDS(i->consts, i->n_consts),
        RECORDS(i->const_types, i->n_consts),
        RECORDS(i->nodes, i->n_nodes),
        RECORDS(i->inputs, i->n_inputs),
        RECORDS(i->config, i->n_config),
        RECORDS(i->members, i->n_members),
        RECORDS(i->lists, i->n_lists),
        RECORDS(i->edges, i->n_edges),
        RECORDS(i->activations, i->n_activations),
        RECORDS(i->transitions, i->n_transitions),
        NAMED(i->funcs, i->n_funcs),
        NAMED(i->channels, i->n_channels),
        NAMED(i->scopes, i->n_scopes),
    };
    const struct records *r = &all[change[0] % ARCD_COUNT_OF(all)];
    if (r->n == 0)
        return;
    uint32_t record = (uint32_t)(change[1] | (change[2] & 15) << 8) % r->n;
    uint32_t byte = r->skip_bytes +
                    (change[2] >> 4 | (change[0] & 0xc0u) >> 2) % (r->size_bytes - r->skip_bytes);
    ((uint8_t *)r->array)[record * r->size_bytes + byte] = change[3];
}

/* A bool that is neither 0 nor 1 is no value of C's: make it one, as a reader of files would. */
static void settle_bool(bool *flag)
{
    uint8_t byte;
    memcpy(&byte, flag, 1);
    byte &= 1;
    memcpy(flag, &byte, 1);
}

static void settle_bools(struct arc_image *i)
{
    for (uint32_t k = 0; k < i->n_edges; k++)
        settle_bool(&i->edges[k].conditional);
    for (uint32_t k = 0; k < i->n_activations; k++)
        settle_bool(&i->activations[k].conditional);
    for (uint32_t k = 0; k < i->n_transitions; k++) {
        settle_bool(&i->transitions[k].truthy);
        settle_bool(&i->transitions[k].completion);
    }
    for (uint32_t k = 0; k < i->n_funcs; k++) {
        settle_bool(&i->funcs[k].calls);
        settle_bool(&i->funcs[k].recursive);
        settle_bool(&i->funcs[k].writes);
        settle_bool(&i->funcs[k].is_expression);
    }
    for (uint32_t k = 0; k < i->n_channels; k++) {
        settle_bool(&i->channels[k].reads);
        settle_bool(&i->channels[k].writes);
        settle_bool(&i->channels[k].source);
    }
    for (uint32_t k = 0; k < i->n_scopes; k++) {
        settle_bool(&i->scopes[k].sequential);
        settle_bool(&i->scopes[k].auto_start);
        settle_bool(&i->scopes[k].inline_body);
        settle_bool(&i->scopes[k].wrapper);
    }
}

/* ---- Running */

static int64_t zero_ns(void *ctx)
{
    (void)ctx;
    return 0;
}

/* Samples for every channel that the program reads, of whatever type the image says now. */
static void feed(struct arc_host_program *program, uint64_t seed, int64_t now_ns)
{
    enum { ROWS = 40 };
    static const char TEXT[] = "some text for samples";
    static uint64_t cells[16][ROWS];
    const struct arc_image *image = arc_host_program_image(program);
    struct arc_host_column columns[16];
    struct arc_host_frame frame = {.columns = columns};
    for (uint32_t c = 0; c < image->n_channels && frame.n_columns < ARCD_COUNT_OF(columns); c++) {
        if (!image->channels[c].reads && !image->channels[c].source)
            continue;
        uint32_t n = 1 + (uint32_t)(seed >> c) % ROWS;
        for (uint32_t k = 0; k < ROWS; k++)
            cells[frame.n_columns][k] = seed * (k + 1) >> (k % 64);
        if (image->channels[c].type == TELEM_STR)
            for (uint32_t k = 0; k < ROWS; k++)
                ((struct telem_str *)(void *)cells[frame.n_columns])[k] =
                    (struct telem_str){.offset = k % 8, .len = k % 12};
        columns[frame.n_columns] = (struct arc_host_column){
            .channel = c, .n = n, .data = cells[frame.n_columns], .text = TEXT};
        frame.n_columns++;
    }
    (void)!arc_host_program_input(program, &frame, now_ns, now_ns);
}

static void run(const struct arc_image *image, enum arc_host_mode mode)
{
    const struct base_clock clock = {.mono_ns = zero_ns, .utc_ns = zero_ns};
    struct arc_host_options options = {.max_rows = 64,
                                       .max_writes = 2000,
                                       .backlog_rows = 16,
                                       .heap_bytes = 4096,
                                       .budget = 20000,
                                       .mode = mode,
                                       .clock = &clock};
    struct arc_host_program *program;
    struct arcd_errinfo why;
    if (arc_host_program_new(image, &options, &program, &why) != ARCD_OK)
        return;
    for (int round = 0; round < 2; round++) {
        (void)!arc_host_program_start(program, 0);
        for (int64_t now = 1; now <= 6; now++) {
            feed(program, 0x9e3779b97f4a7c15u * (uint64_t)now, now);
            if (now % 2 == 0)
                arc_host_program_tidy(program);
            (void)!arc_host_program_timer(program, now, now);
        }
        char text[256];
        arc_host_fault_text(image, arc_host_program_fault(program), text, sizeof text);
        arc_host_program_reset(program);
    }
    arc_host_program_free(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct arc_image *image = compile(PROGRAMS[data[0] % ARCD_COUNT_OF(PROGRAMS)]);
    for (size_t at = 1; at + 4 <= size; at += 4)
        damage(image, data + at);
    settle_bools(image);
    struct arcd_errinfo why;
    if (arc_verify(image, &why) == ARCD_OK) {
        run(image, ARC_HOST_MODE_SAMPLE);
        run(image, ARC_HOST_MODE_BATCH);
    }
    arc_image_free(image);
    return 0;
}
