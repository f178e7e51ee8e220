/* A program through its entry points: what the owner of a thread relies on. */
#include "arc_host/program.h"

#include "arc/compile.h"
#include "arc/image.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t MS = 1000000;

struct bench {
    struct base_arena arena;
    struct arc_image *image;
    struct arc_host_program *program;
    struct base_clock clock;
    int64_t utc_ns;
};

static const struct arc_chan_info CHANNELS[] = {
    {.name = "a", .type = TELEM_F64}, {.name = "b", .type = TELEM_F64},
    {.name = "n", .type = TELEM_I64}, {.name = "m", .type = TELEM_I64},
    {.name = "u", .type = TELEM_U8},  {.name = "s", .type = TELEM_STR},
    {.name = "t", .type = TELEM_STR}, {.name = "stamp", .type = TELEM_TIMESTAMP},
};

static int64_t bench_utc(void *ctx)
{
    return ((struct bench *)ctx)->utc_ns;
}

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    base_arena_init(&b->arena);
    b->clock = (struct base_clock){.mono_ns = bench_utc, .utc_ns = bench_utc, .ctx = b};
    *state = b;
    return 0;
}

static void unload(struct bench *b)
{
    arc_host_program_free(b->program);
    arc_image_free(b->image);
    b->program = NULL;
    b->image = NULL;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    unload(b);
    base_arena_fini(&b->arena);
    free(b);
    return 0;
}

static void load(struct bench *b, const char *text, struct arc_host_options options)
{
    struct arc_source source = {.file = "test", .text = text, .len = strlen(text)};
    struct arc_chan_table table = {.chans = CHANNELS, .n_chans = ARCD_COUNT_OF(CHANNELS)};
    struct arc_diags diags;
    arc_diags_init(&diags, &b->arena, &source);
    b->image = arc_compile(&source, &table, &diags);
    if (b->image == NULL)
        fail_msg("%s", arc_diags_render(&diags));
    struct arcd_errinfo why;
    options.clock = &b->clock;
    if (arc_host_program_new(b->image, &options, &b->program, &why) != ARCD_OK)
        fail_msg("%s", why.text);
}

static uint32_t channel(const struct bench *b, const char *name)
{
    for (uint32_t i = 0; i < b->image->n_channels; i++)
        if (strcmp(b->image->channels[i].name, name) == 0)
            return i;
    fail_msg("no channel %s", name);
    return 0;
}

static void start(struct bench *b)
{
    assert_int_equal(arc_host_program_start(b->program, b->utc_ns), ARCD_OK);
}

static enum arcd_err timer(struct bench *b, int64_t elapsed_ns)
{
    return arc_host_program_timer(b->program, elapsed_ns, b->utc_ns + elapsed_ns);
}

static enum arcd_err input_f64(struct bench *b, const char *name, uint32_t n, const double *values)
{
    struct arc_host_column column = {.channel = channel(b, name), .n = n, .data = values};
    struct arc_host_frame frame = {.columns = &column, .n_columns = 1};
    return arc_host_program_input(b->program, &frame, 1, b->utc_ns + 1);
}

static enum arcd_err input_str(struct bench *b, const char *name, const char *text)
{
    struct telem_str str = {.len = (uint32_t)strlen(text)};
    struct arc_host_column column = {
        .channel = channel(b, name), .n = 1, .data = &str, .text = text};
    struct arc_host_frame frame = {.columns = &column, .n_columns = 1};
    return arc_host_program_input(b->program, &frame, 1, b->utc_ns + 1);
}

static const struct arc_host_outputs *outputs(const struct bench *b)
{
    return arc_host_program_outputs(b->program);
}

/* ---- Timers */

static void the_deadline_is_the_earliest_of_active_timers(void **state)
{
    struct bench *b = *state;
    load(b,
         "import time\ntime.interval{10ms} -> u\ntime.wait{3ms} -> m8{}\nfunc m8(x u8) { m = 1 }",
         (struct arc_host_options){0});
    assert_true(arc_host_program_deadline(b->program) == BASE_NEVER);
    start(b);
    assert_int_equal(arc_host_program_deadline(b->program), 3 * MS);
    assert_int_equal(timer(b, 3 * MS), ARCD_OK);
    assert_int_equal(outputs(b)->n_writes, 1);
    assert_int_equal(arc_host_program_deadline(b->program), 10 * MS);
}

static void an_early_cycle_fires_no_timer(void **state)
{
    struct bench *b = *state;
    load(b, "import time\ntime.interval{10ms} -> u", (struct arc_host_options){0});
    start(b);
    assert_int_equal(outputs(b)->n_writes, 1);
    assert_int_equal(timer(b, 10 * MS - 1), ARCD_OK);
    assert_int_equal(outputs(b)->n_writes, 0);
    assert_int_equal(arc_host_program_deadline(b->program), 10 * MS);
}

static void a_late_fire_keeps_the_grid_and_counts_what_it_missed(void **state)
{
    struct bench *b = *state;
    load(b, "import time\ntime.interval{10ms} -> u", (struct arc_host_options){0});
    start(b);
    assert_int_equal(timer(b, 34 * MS), ARCD_OK);
    assert_int_equal(outputs(b)->n_writes, 1);
    assert_int_equal(arc_host_program_deadline(b->program), 40 * MS);
    assert_int_equal(arc_host_program_stats(b->program).missed_deadlines, 2);
}

static void deadlines_that_differ_have_cycles_of_their_own(void **state)
{
    struct bench *b = *state;
    load(b, "import time\ntime.wait{2ms} -> u\ntime.wait{1ms} -> f{}\nfunc f(x u8) { m = 1 }",
         (struct arc_host_options){0});
    start(b);
    assert_int_equal(timer(b, 50 * MS), ARCD_OK); /* late for both */
    assert_int_equal(outputs(b)->n_writes, 1);
    assert_int_equal(outputs(b)->writes[0].channel, channel(b, "m"));
    assert_int_equal(arc_host_program_deadline(b->program), 2 * MS);
    assert_int_equal(timer(b, 50 * MS), ARCD_OK);
    assert_int_equal(outputs(b)->writes[0].channel, channel(b, "u"));
    assert_true(arc_host_program_deadline(b->program) == BASE_NEVER);
}

static void an_input_cycle_fires_what_is_due(void **state)
{
    struct bench *b = *state;
    load(b, "import time\ntime.wait{1ns} -> u\na -> b", (struct arc_host_options){0});
    start(b);
    assert_int_equal(input_f64(b, "a", 1, (double[]){1}), ARCD_OK);
    assert_int_equal(outputs(b)->n_writes, 2);
}

static void a_period_of_zero_does_not_load(void **state)
{
    struct bench *b = *state;
    const char *text = "import time\nP i64 := 0\ntime.interval{P} -> u";
    struct arc_source source = {.file = "test", .text = text, .len = strlen(text)};
    struct arc_chan_table table = {.chans = CHANNELS, .n_chans = ARCD_COUNT_OF(CHANNELS)};
    struct arc_diags diags;
    arc_diags_init(&diags, &b->arena, &source);
    b->image = arc_compile(&source, &table, &diags);
    if (b->image == NULL)
        return; /* refused by the compiler, which is better still */
    struct arcd_errinfo why;
    assert_int_equal(arc_host_program_new(b->image, NULL, &b->program, &why), ARCD_ERR_PROGRAM);
    assert_non_null(strstr(why.text, "period"));
}

/* ---- Samples and their times */

static void samples_without_times_are_stamped_one_after_the_other(void **state)
{
    struct bench *b = *state;
    b->utc_ns = 1000;
    load(b, "a -> b", (struct arc_host_options){0});
    start(b);
    assert_int_equal(input_f64(b, "a", 3, (double[]){1, 2, 3}), ARCD_OK);
    assert_int_equal(outputs(b)->n_writes, 3);
    assert_int_equal(outputs(b)->writes[0].time_utc_ns, 1001);
    assert_int_equal(outputs(b)->writes[2].time_utc_ns, 1003);
    assert_true(outputs(b)->writes[2].number.f64 == 3);
}

static void written_times_grow_even_when_the_clock_steps_back(void **state)
{
    struct bench *b = *state;
    b->utc_ns = 1000000;
    load(b, "a -> b", (struct arc_host_options){0});
    start(b);
    assert_int_equal(input_f64(b, "a", 1, (double[]){1}), ARCD_OK);
    int64_t first = outputs(b)->writes[0].time_utc_ns;
    b->utc_ns = 5;
    assert_int_equal(input_f64(b, "a", 1, (double[]){2}), ARCD_OK);
    assert_true(outputs(b)->writes[0].time_utc_ns > first);
}

static void time_now_never_goes_back(void **state)
{
    struct bench *b = *state;
    b->utc_ns = 500;
    load(b, "import time\na -> time.now{} -> n", (struct arc_host_options){0});
    start(b);
    assert_int_equal(input_f64(b, "a", 1, (double[]){1}), ARCD_OK);
    assert_int_equal(outputs(b)->writes[0].number.i64, 500);
    b->utc_ns = 100;
    assert_int_equal(input_f64(b, "a", 1, (double[]){1}), ARCD_OK);
    assert_int_equal(outputs(b)->writes[0].number.i64, 500);
}

static void a_frame_that_is_too_long_is_refused_and_goes_in_pieces(void **state)
{
    struct bench *b = *state;
    load(b, "a -> b", (struct arc_host_options){.max_rows = 4});
    start(b);
    double values[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    assert_int_equal(input_f64(b, "a", 10, values), ARCD_ERR_INVALID);
    struct arc_host_column whole = {.channel = channel(b, "a"), .n = 10, .data = values}, piece;
    struct arc_host_frame frame = {.columns = &whole, .n_columns = 1};
    uint32_t n = 0;
    for (uint32_t first = 0; first < 10; first += 4) {
        struct arc_host_frame part = arc_host_frame_piece(&frame, b->program, first, 4, &piece);
        assert_int_equal(arc_host_program_input(b->program, &part, 1, 1), ARCD_OK);
        for (uint32_t i = 0; i < outputs(b)->n_writes; i++)
            assert_true(outputs(b)->writes[i].number.f64 == values[n++]);
    }
    assert_int_equal(n, 10);
}

static void a_column_that_the_program_does_not_read_is_refused(void **state)
{
    struct bench *b = *state;
    load(b, "a -> b", (struct arc_host_options){0});
    start(b);
    assert_int_equal(input_f64(b, "b", 1, (double[]){1}), ARCD_ERR_INVALID);
}

static void a_backlog_that_is_full_loses_the_oldest_and_counts_them(void **state)
{
    struct bench *b = *state;
    load(b, "u -> a -> b", (struct arc_host_options){.backlog_rows = 4});
    start(b);
    assert_int_equal(input_f64(b, "a", 6, (double[]){1, 2, 3, 4, 5, 6}), ARCD_OK);
    struct arc_host_column column = {.channel = channel(b, "u"), .n = 1, .data = (uint8_t[]){1}};
    struct arc_host_frame frame = {.columns = &column, .n_columns = 1};
    assert_int_equal(arc_host_program_input(b->program, &frame, 2, 2), ARCD_OK);
    assert_int_equal(outputs(b)->n_writes, 4);
    assert_true(outputs(b)->writes[0].number.f64 == 3);
    assert_int_equal(arc_host_program_stats(b->program).backlog_dropped, 2);
}

static void text_goes_in_and_out_by_address(void **state)
{
    struct bench *b = *state;
    load(b, "s -> t", (struct arc_host_options){0});
    start(b);
    assert_int_equal(input_str(b, "s", "valve open"), ARCD_OK);
    assert_int_equal(outputs(b)->writes[0].len, 10);
    assert_memory_equal(outputs(b)->writes[0].bytes, "valve open", 10);
    char *long_text = calloc(1, 100001);
    memset(long_text, 'x', 100000);
    assert_int_equal(input_str(b, "s", long_text), ARCD_ERR_INVALID); /* over max_text */
    free(long_text);
}

/* ---- Outputs */

static void more_writes_than_there_is_room_for_is_a_fault(void **state)
{
    struct bench *b = *state;
    load(b, "func f(x f64) { for i := range(100) { m = i } }\na -> f{}",
         (struct arc_host_options){.max_writes = 50});
    start(b);
    assert_int_equal(input_f64(b, "a", 1, (double[]){1}), ARCD_ERR_FAULT);
    assert_int_equal(outputs(b)->n_writes, 0);
    char text[200];
    arc_host_fault_text(b->image, arc_host_program_fault(b->program), text, sizeof text);
    assert_string_equal(text,
                        "function 'f', line 1: memory: more than 50 samples written in one cycle");
}

static void authority_changes_come_apart_and_the_last_one_counts(void **state)
{
    struct bench *b = *state;
    load(b,
         "import control\nsequence {\ncontrol.set_authority{value=10}\n1 -> m\n"
         "control.set_authority{value=20, channel=m}\n}\na -> b",
         (struct arc_host_options){0});
    start(b);
    const struct arc_host_outputs *o = outputs(b);
    assert_int_equal(o->n_authority, 2);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(o->authority[i].value,
                         o->authority[i].channel == channel(b, "m") ? 20 : 10);
    assert_int_equal(o->n_writes, 1);
}

static void a_status_request_goes_out_and_its_key_comes_back(void **state)
{
    struct bench *b = *state;
    load(b, "import status\na -> status.set{\"pump\", \"on\", \"info\"} -> t",
         (struct arc_host_options){0});
    start(b);
    assert_int_equal(input_f64(b, "a", 1, (double[]){1}), ARCD_OK);
    assert_int_equal(outputs(b)->n_statuses, 1);
    const struct arc_host_status *status = &outputs(b)->statuses[0];
    assert_memory_equal(status->key_or_name.bytes, "pump", 4);
    assert_memory_equal(status->message.bytes, "on", 2);
    assert_int_equal(outputs(b)->writes[0].len, 0); /* not known yet */
    uint64_t id = status->id;
    assert_false(arc_host_program_status_reply(b->program, id + 1, "other", 5));
    assert_true(arc_host_program_status_reply(b->program, id, "key-7", 5));
    assert_true(arc_host_program_wants_cycle(b->program));
    assert_int_equal(timer(b, 2), ARCD_OK);
    assert_int_equal(outputs(b)->n_writes, 1);
    assert_memory_equal(outputs(b)->writes[0].bytes, "key-7", 5);
    /* From now on the key is known at once. */
    assert_int_equal(input_f64(b, "a", 1, (double[]){1}), ARCD_OK);
    assert_memory_equal(outputs(b)->writes[0].bytes, "key-7", 5);
    assert_int_equal(outputs(b)->n_statuses, 1);
}

/* ---- Faults and restarts */

static void a_fault_stops_the_program_until_it_is_reset(void **state)
{
    struct bench *b = *state;
    load(b,
         "func f(x f64) i64 {\n    k $= 0\n    k += 1\n    return 10 / (k - 3)\n}\na -> f{} -> m",
         (struct arc_host_options){0});
    start(b);
    assert_int_equal(input_f64(b, "a", 2, (double[]){1, 1}), ARCD_OK);
    assert_int_equal(input_f64(b, "a", 1, (double[]){1}), ARCD_ERR_FAULT);
    assert_int_equal(arc_host_program_fault(b->program)->kind, ARC_HOST_FAULT_DIVISION);
    assert_int_equal(arc_host_program_fault(b->program)->line, 4);
    assert_int_equal(input_f64(b, "a", 1, (double[]){1}), ARCD_ERR_FAULT);
    assert_int_equal(timer(b, 5), ARCD_ERR_FAULT);
    assert_int_equal(arc_host_program_start(b->program, 0), ARCD_ERR_FAULT);
    arc_host_program_reset(b->program);
    start(b);
    assert_int_equal(input_f64(b, "a", 1, (double[]){1}), ARCD_OK);
    assert_int_equal(outputs(b)->writes[0].number.i64, -5); /* state begins anew */
}

static void a_restart_forgets_channels_timers_and_sequences(void **state)
{
    struct bench *b = *state;
    load(b,
         "import time\na > 5.0 => main\nsequence main {\n1 -> m\ntime.wait{5ms}\n2 -> m\n}\n"
         "time.interval{1ms} -> f{}\nfunc f(x u8) { b = a }",
         (struct arc_host_options){0});
    for (int round = 0; round < 2; round++) {
        start(b);
        assert_true(outputs(b)->writes[0].number.f64 == 0); /* an empty channel reads 0 */
        assert_int_equal(input_f64(b, "a", 1, (double[]){9}), ARCD_OK);
        assert_int_equal(outputs(b)->n_writes, 1);
        assert_int_equal(arc_host_program_deadline(b->program), MS);
        arc_host_program_reset(b->program);
        assert_true(arc_host_program_deadline(b->program) == BASE_NEVER);
        assert_int_equal(timer(b, 9 * MS), ARCD_ERR_STATE);
    }
}

static void the_budget_is_the_same_in_every_way_of_running(void **state)
{
    struct bench *b = *state;
    const char *text = "func f(x f64) f64 { return x * 2.0 + 1.0 }\na -> f{} -> b";
    static const double values[1000];
    uint64_t least[2] = {0, 0};
    for (int mode = 0; mode < 2; mode++) {
        for (uint64_t budget = 1000; least[mode] == 0; budget += 1000) {
            load(b, text,
                 (struct arc_host_options){.budget = budget,
                                           .mode = mode == 0 ? ARC_HOST_MODE_SAMPLE
                                                             : ARC_HOST_MODE_BATCH});
            start(b);
            if (input_f64(b, "a", 1000, values) == ARCD_OK)
                least[mode] = budget;
            else
                assert_int_equal(arc_host_program_fault(b->program)->kind, ARC_HOST_FAULT_BUDGET);
            unload(b);
        }
    }
    assert_true(least[0] > 1000);
    assert_int_equal(least[0], least[1]);
}

/* ---- Strings and series in little memory */

static void a_small_heap_is_collected_within_and_between_cycles(void **state)
{
    struct bench *b = *state;
    load(b,
         "func f(s str) str {\n    all $= \"\"\n    s2 $= [0, 0, 0]\n"
         "    for i := range(50) {\n        scratch := s + \"-\" + str(i)\n"
         "        s2 = s2 + 1\n        all = scratch[0:len(s)] + \"!\"\n    }\n"
         "    return all + str(s2[2])\n}\ns -> f{} -> t",
         (struct arc_host_options){.heap_bytes = 2048});
    start(b);
    for (int i = 1; i <= 200; i++) {
        char text[20], want[40];
        snprintf(text, sizeof text, "text %d", i);
        snprintf(want, sizeof want, "%s!%d", text, 50 * i);
        assert_int_equal(input_str(b, "s", text), ARCD_OK);
        assert_int_equal(outputs(b)->writes[0].len, strlen(want));
        assert_memory_equal(outputs(b)->writes[0].bytes, want, strlen(want));
        if (i % 3 == 0)
            arc_host_program_tidy(b->program);
    }
    struct arc_host_stats stats = arc_host_program_stats(b->program);
    assert_true(stats.collections > 200);
    assert_true(stats.heap_peak_bytes <= 2048);
}

static void held_text_and_backlogs_survive_collections(void **state)
{
    struct bench *b = *state;
    load(b,
         "func join(x str, y str) str { return x + y }\n{ s: x, t: y } -> join{} -> t2{}\n"
         "func t2(x str) {\n    last $= \"\"\n    last = x\n    n = len(last)\n}\n"
         "func churn(x f64) {\n    w := \"\"\n    for i := range(100) { w = w + \"0123456789\" "
         "}\n}\n"
         "a -> churn{}\nu -> s -> g{}\nfunc g(x str) { m = len(x) }",
         (struct arc_host_options){.heap_bytes = 8192, .backlog_rows = 16});
    start(b);
    assert_int_equal(input_str(b, "s", "long lasting"), ARCD_OK);
    for (int i = 0; i < 20; i++)
        assert_int_equal(input_f64(b, "a", 1, (double[]){1}), ARCD_OK);
    assert_int_equal(input_str(b, "t", "+"), ARCD_OK);
    assert_int_equal(outputs(b)->writes[0].number.i64, 13);
    struct arc_host_column column = {.channel = channel(b, "u"), .n = 1, .data = (uint8_t[]){1}};
    struct arc_host_frame frame = {.columns = &column, .n_columns = 1};
    assert_int_equal(arc_host_program_input(b->program, &frame, 2, 2), ARCD_OK);
    assert_int_equal(outputs(b)->writes[0].number.i64, 12);
    assert_true(arc_host_program_stats(b->program).collections > 10);
}

static void a_program_without_strings_has_no_heap(void **state)
{
    struct bench *b = *state;
    load(b, "func f(x f64) f64 { return x + 1.0 }\na -> f{} -> b\n\"on\" -> t",
         (struct arc_host_options){0});
    assert_int_equal(arc_host_program_options(b->program)->heap_bytes, 0);
    start(b);
    assert_int_equal(outputs(b)->n_writes, 1);
    assert_memory_equal(outputs(b)->writes[0].bytes, "on", 2);
}

static void options_over_their_limits_are_refused(void **state)
{
    struct bench *b = *state;
    load(b, "a -> b", (struct arc_host_options){0});
    struct arc_host_program *program;
    struct arcd_errinfo why;
    struct arc_host_options rows = {.max_rows = 2 << 20}, heap = {.heap_bytes = UINT32_MAX};
    assert_int_equal(arc_host_program_new(b->image, &rows, &program, &why), ARCD_ERR_INVALID);
    assert_int_equal(arc_host_program_new(b->image, &heap, &program, &why), ARCD_ERR_INVALID);
    assert_null(program);
    unload(b);
    static char text[40000]; /* a thousand functions, each with a column of a million */
    char *to = text;
    to += sprintf(to, "func f(x f64) f64 { return x }\na -> f{}");
    for (int i = 0; i < 1000; i++)
        to += sprintf(to, " -> f{}");
    sprintf(to, " -> b");
    load(b, text, (struct arc_host_options){0});
    struct arc_host_options columns = {.max_rows = 1 << 20};
    assert_int_equal(arc_host_program_new(b->image, &columns, &program, &why), ARCD_ERR_INVALID);
    assert_non_null(strstr(why.text, "MiB"));
}

static void two_programs_of_one_image_know_nothing_of_each_other(void **state)
{
    struct bench *b = *state;
    load(b, "func f(x f64) i64 {\n    k $= 0\n    k += 1\n    return k\n}\na -> f{} -> m",
         (struct arc_host_options){0});
    struct arc_host_program *first = b->program;
    struct arcd_errinfo why;
    struct arc_host_options options = {.clock = &b->clock};
    assert_int_equal(arc_host_program_new(b->image, &options, &b->program, &why), ARCD_OK);
    struct arc_host_program *second = b->program;
    start(b);
    assert_int_equal(input_f64(b, "a", 3, (double[]){0, 0, 0}), ARCD_OK);
    b->program = first;
    start(b);
    assert_int_equal(input_f64(b, "a", 1, (double[]){0}), ARCD_OK);
    assert_int_equal(outputs(b)->writes[0].number.i64, 1);
    arc_host_program_free(second);
}

#define PROGRAM_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROGRAM_TEST(the_deadline_is_the_earliest_of_active_timers),
        PROGRAM_TEST(an_early_cycle_fires_no_timer),
        PROGRAM_TEST(a_late_fire_keeps_the_grid_and_counts_what_it_missed),
        PROGRAM_TEST(deadlines_that_differ_have_cycles_of_their_own),
        PROGRAM_TEST(an_input_cycle_fires_what_is_due),
        PROGRAM_TEST(a_period_of_zero_does_not_load),
        PROGRAM_TEST(samples_without_times_are_stamped_one_after_the_other),
        PROGRAM_TEST(written_times_grow_even_when_the_clock_steps_back),
        PROGRAM_TEST(time_now_never_goes_back),
        PROGRAM_TEST(a_frame_that_is_too_long_is_refused_and_goes_in_pieces),
        PROGRAM_TEST(a_column_that_the_program_does_not_read_is_refused),
        PROGRAM_TEST(a_backlog_that_is_full_loses_the_oldest_and_counts_them),
        PROGRAM_TEST(text_goes_in_and_out_by_address),
        PROGRAM_TEST(more_writes_than_there_is_room_for_is_a_fault),
        PROGRAM_TEST(authority_changes_come_apart_and_the_last_one_counts),
        PROGRAM_TEST(a_status_request_goes_out_and_its_key_comes_back),
        PROGRAM_TEST(a_fault_stops_the_program_until_it_is_reset),
        PROGRAM_TEST(a_restart_forgets_channels_timers_and_sequences),
        PROGRAM_TEST(the_budget_is_the_same_in_every_way_of_running),
        PROGRAM_TEST(a_small_heap_is_collected_within_and_between_cycles),
        PROGRAM_TEST(held_text_and_backlogs_survive_collections),
        PROGRAM_TEST(a_program_without_strings_has_no_heap),
        PROGRAM_TEST(options_over_their_limits_are_refused),
        PROGRAM_TEST(two_programs_of_one_image_know_nothing_of_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
