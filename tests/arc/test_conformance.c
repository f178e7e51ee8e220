/* Every program of tests/conformance through the checker: what must not compile is refused for the
 * right reason at the right place, everything else compiles. */
#include "arc/compile.h"

#include "tests/support/test.h"

#include <jansson.h>

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char folder[] = "tests/conformance/";

/* One case, compiled. */
struct run {
    struct base_arena arena;
    struct arc_source source;
    struct arc_diags diags;
    struct arc_chan_table table;
    struct arc_program *program;
};

static const char *join_lines(struct base_arena *arena, const json_t *lines)
{
    size_t len = 0;
    size_t i;
    const json_t *line;
    json_array_foreach(lines, i, line) len += json_string_length(line) + 1;
    char *text = base_arena_alloc(arena, len + 1, 1);
    size_t at = 0;
    json_array_foreach(lines, i, line)
    {
        memcpy(text + at, json_string_value(line), json_string_length(line));
        at += json_string_length(line);
        text[at++] = '\n';
    }
    return text;
}

static struct arc_chan_table read_channels(struct base_arena *arena, json_t *object)
{
    struct arc_chan_info *chans =
        base_arena_array(arena, struct arc_chan_info, json_object_size(object));
    size_t n = 0;
    const char *name;
    json_t *type;
    json_object_foreach(object, name, type)
    {
        chans[n].name = name;
        chans[n].type = telem_type_from_name(json_string_value(type));
        assert_int_not_equal(chans[n].type, TELEM_TYPE_COUNT);
        n++;
    }
    return (struct arc_chan_table){chans, n};
}

static void compile_case(struct run *run, const json_t *object)
{
    *run = (struct run){0};
    base_arena_init(&run->arena);
    const char *text = join_lines(&run->arena, json_object_get(object, "source"));
    run->source = (struct arc_source){"case.arc", text, strlen(text)};
    run->table = read_channels(&run->arena, json_object_get(object, "channels"));
    arc_diags_init(&run->diags, &run->arena, &run->source);
    run->program = arc_check(&run->source, &run->table, &run->arena, &run->diags);
}

/* NULL, or what is wrong with the first error. */
static const char *compare_error(const struct arc_diag *found, const json_t *wanted)
{
    static char wrong[200];
    const char *code = json_string_value(json_object_get(wanted, "code"));
    const char *part = json_string_value(json_object_get(wanted, "contains"));
    const uint32_t line = (uint32_t)json_number_value(json_object_get(wanted, "line"));
    if (found == NULL)
        return "it compiles";
    if (code != NULL && strtol(code + 3, NULL, 10) != (long)found->code)
        snprintf(wrong, sizeof wrong, "wanted %s", code);
    else if (line != 0 && line != found->start.line)
        snprintf(wrong, sizeof wrong, "wanted line %u", line);
    else if (part != NULL && strcasestr(found->message, part) == NULL)
        snprintf(wrong, sizeof wrong, "wanted '%s' in it", part);
    else
        return NULL;
    return wrong;
}

static bool check_case(const char *file, const json_t *object)
{
    struct run run;
    compile_case(&run, object);
    const json_t *error = json_object_get(object, "error");
    const char *wrong = NULL;
    if (error != NULL)
        wrong = compare_error(arc_diags_first_error(&run.diags), error);
    else if (run.program == NULL)
        wrong = "it does not compile";
    if (wrong != NULL)
        print_error("%s: %s: %s\n%s", file, json_string_value(json_object_get(object, "name")),
                    wrong, arc_diags_render(&run.diags));
    base_arena_fini(&run.arena);
    return wrong == NULL;
}

static void check_file(const char *file, size_t at_least)
{
    char path[100];
    snprintf(path, sizeof path, "%s%s.json", folder, file);
    json_error_t why;
    json_t *root = json_load_file(path, JSON_DECODE_INT_AS_REAL, &why);
    if (root == NULL)
        fail_msg("%s:%d: %s", path, why.line, why.text);
    const json_t *cases = json_object_get(root, "cases");
    assert_true(json_array_size(cases) >= at_least);
    size_t n_wrong = 0;
    size_t i;
    const json_t *object;
    json_array_foreach(cases, i, object) n_wrong += !check_case(file, object);
    json_decref(root);
    assert_int_equal(n_wrong, 0);
}

static void diagnostics_come_with_the_right_code_and_line(void **state)
{
    (void)state;
    check_file("diagnostics", 165);
}

static void programs_that_run_compile(void **state)
{
    (void)state;
    static const char *const files[] = {
        "flows",  "functions",      "loops",  "programs", "routing", "stages",        "sequences",
        "stdlib", "series-strings", "timers", "units",    "values",  "runtime-errors"};
    for (size_t i = 0; i < ARCD_COUNT_OF(files); i++)
        check_file(files[i], 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diagnostics_come_with_the_right_code_and_line),
        cmocka_unit_test(programs_that_run_compile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
