#include "config/scale.h"
#include "tests/config/config_test.h"

#include <unistd.h>

struct holder {
    struct config_scales scale;
};

static const struct config_field read_fields[] = {
    {"scale", CONFIG_CUSTOM, CONFIG_IN(struct holder, scale), .read = config_read_scales}};
static const struct config_field write_fields[] = {
    {"scale", CONFIG_CUSTOM, CONFIG_IN(struct holder, scale), .read = config_read_inverse_scales}};
static const struct config_table read_table = CONFIG_TABLE("", struct holder, read_fields);
static const struct config_table write_table = CONFIG_TABLE("", struct holder, write_fields);

static bool read_scale(struct config_test *t, const struct config_table *table, const char *scale,
                       struct config_scales *scales)
{
    char *text = base_arena_printf(&t->arena, "{\"scale\": %s}", scale);
    struct holder holder;
    bool ok = config_read(config_test_parse(t, text), &t->arena, table, &holder);
    *scales = holder.scale;
    return ok;
}

static struct config_scale read_one(struct config_test *t, const char *scale)
{
    struct config_scales scales;
    assert_true(read_scale(t, &read_table, scale, &scales));
    assert_int_equal(scales.n, 1);
    return scales.v[0];
}

static void assert_issue(struct config_test *t, const struct config_table *table, const char *scale,
                         const char *issue)
{
    struct config_scales scales;
    assert_false(read_scale(t, table, scale, &scales));
    assert_int_equal(scales.n, 0);
    assert_string_equal(config_test_new_issues(t),
                        base_arena_printf(&t->arena, "a.json: %s\n", issue));
}

static void each_type_is_read_with_its_defaults(void **state)
{
    struct config_test *t = *state;
    assert_int_equal(read_one(t, "{\"type\": \"none\"}").kind, CONFIG_SCALE_NONE);
    struct config_scale s = read_one(t, "{\"type\": \"linear\", \"slope\": 2}");
    assert_true(s.kind == CONFIG_SCALE_LINEAR && s.slope == 2 && s.offset == 0);
    s = read_one(t, "{\"type\": \"linear\", \"slope\": 0, \"y_intercept\": 3}");
    assert_true(s.slope == 0 && s.offset == 3);
    s = read_one(t, "{\"type\": \"map\", \"pre_scaled_min\": 0.5, \"pre_scaled_max\": 4.5, "
                    "\"scaled_min\": 0, \"scaled_max\": 100}");
    assert_true(s.kind == CONFIG_SCALE_MAP && s.pre_min == 0.5 && s.pre_max == 4.5 &&
                s.scaled_min == 0 && s.scaled_max == 100);
    s = read_one(t, "{\"type\": \"polynomial\", \"forward_coeffs\": [1, 2, 3]}");
    assert_true(s.kind == CONFIG_SCALE_POLYNOMIAL && s.forward.n == 3 && s.forward.v[2] == 3);
    assert_true(s.reverse.n == 0 && !s.has_range && s.poly_order == -1 && s.n_points == 100);
    s = read_one(t, "{\"type\": \"table\", \"pre_scaled\": [0, 1], \"scaled\": [5, 7]}");
    assert_true(s.kind == CONFIG_SCALE_TABLE && s.pre_scaled.n == 2 && s.scaled.v[1] == 7 &&
                !s.extrapolate);
}

static void an_array_is_a_chain(void **state)
{
    struct config_test *t = *state;
    struct config_scales scales;
    assert_true(read_scale(
        t, &write_table, "[{\"type\": \"linear\", \"slope\": 2}, {\"type\": \"none\"}]", &scales));
    assert_int_equal(scales.n, 2);
    assert_int_equal(scales.v[1].kind, CONFIG_SCALE_NONE);
    assert_true(read_scale(t, &read_table, "[]", &scales));
    assert_int_equal(scales.n, 0);
}

static void a_wrong_scale_is_refused_with_its_reason(void **state)
{
    struct config_test *t = *state;
    const struct config_table *r = &read_table;
    assert_issue(t, r, "1", "scale: must be an object, or an array of objects");
    assert_issue(t, r, "{\"type\": \"lineal\", \"slope\": 1}",
                 "scale.type: unknown scale type 'lineal' (did you mean 'linear'?); known here: "
                 "none, linear, map, polynomial, table");
    assert_issue(t, r, "[{\"type\": \"none\"}, {\"type\": \"linear\"}]",
                 "scale[1].slope: is required");
    assert_issue(t, r, "{\"type\": \"linear\", \"slope\": 1, \"gain\": 2}",
                 "scale.gain: unknown field 'gain'; known here: type, slope, offset, y_intercept");
    assert_issue(t, r,
                 "{\"type\": \"map\", \"pre_scaled_min\": 1, \"pre_scaled_max\": 1, "
                 "\"scaled_min\": 0, \"scaled_max\": 1}",
                 "scale: pre_scaled_min and pre_scaled_max must differ");
    assert_issue(t, r, "{\"type\": \"polynomial\", \"forward_coeffs\": []}",
                 "scale.forward_coeffs: must have 1 to 32 coefficients");
    assert_issue(t, r,
                 "{\"type\": \"polynomial\", \"forward_coeffs\": [1], \"min_x\": 1, \"max_x\": 0}",
                 "scale: min_x must be less than max_x");
    assert_issue(t, r, "{\"type\": \"table\", \"pre_scaled\": [0, 1], \"scaled\": [1]}",
                 "scale: pre_scaled and scaled must have the same length");
    assert_issue(t, r, "{\"type\": \"table\", \"pre_scaled\": [0], \"scaled\": [1]}",
                 "scale: needs at least 2 points");
    assert_issue(t, r, "{\"type\": \"table\"}", "scale: needs at least 2 points");
    assert_issue(t, r, "{\"type\": \"table\", \"pre_scaled\": [0, 0], \"scaled\": [1, 2]}",
                 "scale: pre_scaled must be strictly increasing");
}

static void an_output_needs_a_scale_that_can_be_inverted(void **state)
{
    struct config_test *t = *state;
    const struct config_table *w = &write_table;
    assert_issue(t, w, "{\"type\": \"linear\", \"slope\": 0}", "scale.slope: slope must not be 0");
    assert_issue(t, w,
                 "{\"type\": \"map\", \"pre_scaled_min\": 0, \"pre_scaled_max\": 1, "
                 "\"scaled_min\": 1, \"scaled_max\": 1}",
                 "scale: scaled_min and scaled_max must differ");
    assert_issue(t, w, "{\"type\": \"table\", \"pre_scaled\": [0, 1, 2], \"scaled\": [1, 2, 2]}",
                 "scale: scaled must be strictly monotonic to be inverted");
    assert_issue(t, w, "{\"type\": \"polynomial\", \"forward_coeffs\": [1, 2]}",
                 "scale: needs reverse_coeffs, or min_x and max_x to compute them");
    struct config_scales scales;
    assert_true(read_scale(
        t, w, "{\"type\": \"table\", \"pre_scaled\": [0, 1, 2], \"scaled\": [3, 2, 1]}", &scales));
    assert_true(read_scale(t, w,
                           "{\"type\": \"polynomial\", \"forward_coeffs\": [1, 2], \"min_x\": 0, "
                           "\"max_x\": 1}",
                           &scales));
    assert_true(scales.v[0].has_range);
}

/* ---- Tables from a file */

static struct config_scales read_csv(struct config_test *t, const char *csv, bool *ok)
{
    char dir[] = "/tmp/arcd_test_XXXXXX";
    assert_non_null(mkdtemp(dir));
    char *path = base_arena_printf(&t->arena, "%s/t.csv", dir);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(csv, file);
    fclose(file);
    struct config_at at =
        config_test_parse(t, "{\"scale\": {\"type\": \"table\", \"file\": \"t.csv\"}}");
    t->doc.dir = dir;
    struct holder holder;
    *ok = config_read(at, &t->arena, &read_table, &holder);
    t->doc.dir = ".";
    unlink(path);
    rmdir(dir);
    return holder.scale;
}

static void a_table_comes_from_a_csv_file(void **state)
{
    struct config_test *t = *state;
    bool ok;
    struct config_scales scales = read_csv(
        t, "\xEF\xBB\xBFvolt,bar\r\n# calibrated\r\n0,1.5\r\n\r\n 1e0 ; -2\r\n2\t+.5", &ok);
    assert_true(ok);
    assert_int_equal(scales.v[0].pre_scaled.n, 3);
    assert_true(scales.v[0].pre_scaled.v[1] == 1 && scales.v[0].scaled.v[1] == -2);
    assert_true(scales.v[0].scaled.v[2] == 0.5);
}

static void a_bad_csv_file_is_named_with_its_line(void **state)
{
    struct config_test *t = *state;
    bool ok;
    static const struct {
        const char *csv, *issue;
    } bad[] = {
        {"a,b\nc,d\n", "t.csv:2:1: must be two numbers, as 1.5,20\n"},
        {"0,1\n1,2,3\n", "t.csv:2:1: must be two numbers, as 1.5,20\n"},
        {"0,1\n1\n", "t.csv:2:1: must be two numbers, as 1.5,20\n"},
        {"0,1\n1,inf\n", "t.csv:2:1: must be two numbers, as 1.5,20\n"},
        {"0,1\n1,1e999\n", "t.csv:2:1: must be two numbers, as 1.5,20\n"},
        {"", "t.csv:1:1: must have at least one row of two numbers\n"},
        {"0,1\n", "a.json: scale: needs at least 2 points\n"},
        {"1,1\n0,1\n", "a.json: scale: pre_scaled must be strictly increasing\n"},
    };
    for (size_t i = 0; i < ARCD_COUNT_OF(bad); i++) {
        read_csv(t, bad[i].csv, &ok);
        assert_false(ok);
        assert_string_equal(config_test_new_issues(t), bad[i].issue);
    }
    assert_issue(t, &read_table, "{\"type\": \"table\", \"file\": \"no/such.csv\"}",
                 "scale.file: 'no/such.csv' cannot be read: No such file or directory");
    assert_issue(t, &read_table, "{\"type\": \"table\", \"file\": \"a\", \"scaled\": [1]}",
                 "scale.file: give pre_scaled and scaled, or file, not both");
}

/* ---- A library that scales by itself */

struct library {
    const char *units;
};

static const struct config_field library_fields[] = {
    {"scaled_units", CONFIG_STR, CONFIG_IN(struct library, units), .fallback = "Volts"}};
static const struct config_table library_table = CONFIG_TABLE("", struct library, library_fields);

static void further_fields_may_stand_in_a_scale(void **state)
{
    struct config_test *t = *state;
    struct library library;
    struct config_scale scale;
    const struct config_part more = {.table = &library_table, .out = &library};
    struct config_at at =
        config_test_parse(t, "{\"type\": \"linear\", \"slope\": 2, \"scaled_units\": \"bar\"}");
    assert_true(config_scale_read(at, &t->arena, &scale, &more, 1));
    assert_string_equal(library.units, "bar");
    assert_true(scale.slope == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONFIG_TEST(each_type_is_read_with_its_defaults),
        CONFIG_TEST(an_array_is_a_chain),
        CONFIG_TEST(a_wrong_scale_is_refused_with_its_reason),
        CONFIG_TEST(an_output_needs_a_scale_that_can_be_inverted),
        CONFIG_TEST(a_table_comes_from_a_csv_file),
        CONFIG_TEST(a_bad_csv_file_is_named_with_its_line),
        CONFIG_TEST(further_fields_may_stand_in_a_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
