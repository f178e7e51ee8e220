#include "tests/config/config_test.h"

/* ---- A table with every kind of field */

enum parity { PARITY_NONE, PARITY_EVEN };

struct inner {
    double base;
    int64_t wait_ns;
};

struct outer {
    bool enabled;
    uint16_t port;
    int8_t offset;
    int64_t seed;
    double rate_hz, gain;
    bool has_gain;
    int64_t timeout_ns, pause_ns, settle_ns;
    const char *name, *host;
    enum parity parity;
    struct config_ints cpus;
    struct config_nums coeffs;
    struct config_strs list;
    struct inner retry;
    struct config_objects steps;
    int64_t custom;
};

static bool read_custom(struct config_at at, struct base_arena *arena,
                        const struct config_field *field, void *out)
{
    (void)arena;
    if (config_type(at) != CONFIG_JSON_STR)
        return config_error(at, "must be a reference, as \"40001\"");
    assert_int_equal(field->size, sizeof(int64_t));
    *(int64_t *)out = strtoll(config_text(at), NULL, 10);
    return true;
}

static bool check_inner(struct config_at at, void *out)
{
    const struct inner *inner = out;
    if (inner->base > 100)
        return config_error(config_member(at, "base"), "a base of more than 100 is not wise");
    return true;
}

static const struct config_field inner_fields[] = {
    {"base", CONFIG_NUM, CONFIG_IN(struct inner, base), .fallback = "1.1", .limits = CONFIG_FROM(1),
     .doc = "The base."},
    {"wait", CONFIG_DURATION, CONFIG_IN(struct inner, wait_ns), .fallback = "1s",
     .limits = CONFIG_FROM_TO(0.01, 60), .doc = "The wait."},
};

static const struct config_table inner_table =
    CONFIG_TABLE("Inner", struct inner, inner_fields, .check = check_inner);

static const struct config_choice parities[] = {{"none", PARITY_NONE}, {"even", PARITY_EVEN}, {0}};

static const struct config_field outer_fields[] = {
    {"enabled", CONFIG_BOOL, CONFIG_IN(struct outer, enabled), .fallback = "true", .doc = "On."},
    {"port", CONFIG_INT, CONFIG_IN(struct outer, port), .fallback = "502",
     .limits = CONFIG_FROM_TO(0, 1023), .doc = "The port."},
    {"offset", CONFIG_INT, CONFIG_IN(struct outer, offset), .limits = CONFIG_FROM_TO(-128, 127)},
    {"seed", CONFIG_INT, CONFIG_IN(struct outer, seed), .fallback = "1"},
    {"rate", CONFIG_NUM, CONFIG_IN(struct outer, rate_hz), .fallback = "0.5",
     .limits = CONFIG_ABOVE_TO(0, 2), .unit = "Hz", .doc = "The rate | pace."},
    {"gain", CONFIG_NUM, CONFIG_IN(struct outer, gain),
     .given = CONFIG_GIVEN(struct outer, has_gain), .limits = CONFIG_ABOVE(0), .alias = "slope",
     .otherwise = "the device's own"},
    {"timeout", CONFIG_DURATION, CONFIG_IN(struct outer, timeout_ns), .fallback = "250ms",
     .limits = CONFIG_FROM_TO(0.01, 60)},
    {"pause", CONFIG_DURATION, CONFIG_IN(struct outer, pause_ns)},
    {"settle", CONFIG_DURATION, CONFIG_IN(struct outer, settle_ns), .limits = CONFIG_ABOVE(0)},
    {"name", CONFIG_STR, CONFIG_IN(struct outer, name), .required = true, .min_len = 1,
     .max_len = 8},
    {"host", CONFIG_STR, CONFIG_IN(struct outer, host), .fallback = "localhost"},
    {"parity", CONFIG_ENUM, CONFIG_IN(struct outer, parity), .fallback = "even",
     .choices = parities},
    {"cpus", CONFIG_INTS, CONFIG_IN(struct outer, cpus), .limits = CONFIG_FROM_TO(0, 7)},
    {"coeffs", CONFIG_NUMS, CONFIG_IN(struct outer, coeffs), .fallback = "[0.5, 2]", .min_len = 2,
     .max_len = 4},
    {"list", CONFIG_STRS, CONFIG_IN(struct outer, list), .min_len = 1},
    {"retry", CONFIG_OBJECT, CONFIG_IN(struct outer, retry), .table = &inner_table},
    {"steps", CONFIG_OBJECTS, CONFIG_IN(struct outer, steps), .table = &inner_table},
    {"custom", CONFIG_CUSTOM, CONFIG_IN(struct outer, custom), .read = read_custom,
     .shape = "int or text"},
};

static const struct config_table outer_table = CONFIG_TABLE("Outer", struct outer, outer_fields);

static bool read_outer(struct config_test *t, const char *text, struct outer *out)
{
    return config_read(config_test_parse(t, text), &t->arena, &outer_table, out);
}

/* The object `text`, completed by a name, must give exactly this issue (without the file). */
static void assert_issue(void **state, const char *members, const char *issue)
{
    struct config_test *t = *state;
    config_errors_fini(&t->errors);
    config_errors_init(&t->errors);
    struct outer out;
    char *text = base_arena_printf(&t->arena, "{\"name\": \"n\", %s}", members);
    assert_false(read_outer(t, text, &out));
    assert_string_equal(config_test_issues(t), base_arena_printf(&t->arena, "a.json: %s\n", issue));
}

/* ---- Values */

static void absent_fields_have_their_documented_defaults(void **state)
{
    struct outer out;
    assert_true(read_outer(*state, "{\"name\": \"n\"}", &out));
    assert_true(out.enabled);
    assert_int_equal(out.port, 502);
    assert_int_equal(out.offset, 0);
    assert_int_equal(out.seed, 1);
    assert_true(out.rate_hz == 0.5);
    assert_true(out.gain == 0 && !out.has_gain);
    assert_int_equal(out.timeout_ns, 250000000);
    assert_int_equal(out.pause_ns, 0);
    assert_string_equal(out.host, "localhost");
    assert_int_equal(out.parity, PARITY_EVEN);
    assert_int_equal(out.cpus.n, 0);
    assert_int_equal(out.coeffs.n, 2);
    assert_true(out.coeffs.v[0] == 0.5 && out.coeffs.v[1] == 2);
    assert_true(out.retry.base == 1.1);
    assert_int_equal(out.retry.wait_ns, 1000000000);
    assert_int_equal(out.steps.n, 0);
    assert_int_equal(out.custom, 0);
}

static void given_fields_have_the_users_values_after_the_document_is_gone(void **state)
{
    struct config_test *t = *state;
    struct outer out;
    assert_true(read_outer(
        t,
        "{\"name\": \"n\", \"enabled\": false, \"port\": 0, \"offset\": -128, \"seed\": "
        "9223372036854775807, \"rate\": 2, \"slope\": 3, \"timeout\": \"60s\", \"pause\": 0.25,"
        "\"host\": \"h\", \"parity\": \"none\", \"cpus\": [1, 7.0], \"coeffs\": [1, 2, 3], "
        "\"list\": [\"a\", \"b\"], \"retry\": {\"base\": 2}, \"steps\": [{\"base\": 3}, "
        "{\"wait\": 2}], \"custom\": \"40001\", \"x_note\": [[1]]}",
        &out));
    config_doc_fini(&t->doc);
    assert_false(out.enabled);
    assert_int_equal(out.port, 0);
    assert_int_equal(out.offset, -128);
    assert_int_equal(out.seed, INT64_MAX);
    assert_true(out.rate_hz == 2);
    assert_true(out.gain == 3 && out.has_gain);
    assert_int_equal(out.timeout_ns, INT64_C(60000000000));
    assert_int_equal(out.pause_ns, 250000000);
    assert_string_equal(out.host, "h");
    assert_int_equal(out.parity, PARITY_NONE);
    assert_int_equal(out.cpus.v[0] * 10 + out.cpus.v[1], 17);
    assert_int_equal(out.coeffs.n, 3);
    assert_string_equal(out.list.v[1], "b");
    assert_true(out.retry.base == 2);
    assert_int_equal(out.retry.wait_ns, 1000000000);
    const struct inner *steps = out.steps.v;
    assert_int_equal(out.steps.n, 2);
    assert_true(steps[0].base == 3 && steps[1].base == 1.1);
    assert_int_equal(steps[1].wait_ns, 2000000000);
    assert_int_equal(out.custom, 40001);
}

/* ---- Texts */

static void a_wrong_type_says_what_the_field_must_be(void **state)
{
    assert_issue(state, "\"enabled\": 1", "enabled: must be a boolean");
    assert_issue(state, "\"seed\": \"1\"", "seed: must be an integer");
    assert_issue(state, "\"seed\": 1.5", "seed: must be an integer");
    assert_issue(state, "\"seed\": 1e300", "seed: must be an integer");
    assert_issue(state, "\"port\": \"x\"", "port: must be an integer from 0 to 1023");
    assert_issue(state, "\"rate\": \"1\"", "rate: must be a number");
    assert_issue(state, "\"rate\": null", "rate: must be a number");
    assert_issue(state, "\"host\": 1", "host: must be a string");
    assert_issue(state, "\"parity\": 0", "parity: must be a string: one of none, even");
    assert_issue(state, "\"cpus\": 1", "cpus: must be an array");
    assert_issue(state, "\"retry\": []", "retry: must be an object");
    assert_issue(state, "\"steps\": {}", "steps: must be an array");
    assert_issue(state, "\"steps\": [1]", "steps[0]: must be an object");
    assert_issue(state, "\"timeout\": true",
                 "timeout: must be a number of seconds, or a string with a unit");
    assert_issue(state, "\"timeout\": \"5 sec\"",
                 "timeout: must be seconds, or a number with a unit of ns us ms s min h, as "
                 "\"250ms\"");
    assert_issue(state, "\"custom\": 1", "custom: must be a reference, as \"40001\"");
}

static void a_value_out_of_its_limits_says_the_limits(void **state)
{
    assert_issue(state, "\"port\": 1024", "port: must be from 0 to 1023");
    assert_issue(state, "\"port\": -1", "port: must be from 0 to 1023");
    assert_issue(state, "\"rate\": 0", "rate: must be greater than 0 and at most 2 Hz");
    assert_issue(state, "\"gain\": 0", "gain: must be greater than 0");
    assert_issue(state, "\"retry\": {\"base\": 0.5}", "retry.base: must be at least 1");
    assert_issue(state, "\"timeout\": \"1us\"", "timeout: must be from 10 ms to 60 s");
    assert_issue(state, "\"timeout\": 1e300", "timeout: must be at most 1000000000 s");
    assert_issue(state, "\"settle\": 1e-300", "settle: must be greater than 0 s");
    assert_issue(state, "\"settle\": \"0.4ns\"", "settle: must be greater than 0 s");
    assert_issue(state, "\"pause\": -0.1", "pause: must not be negative");
    assert_issue(state, "\"pause\": \"-5s\"", "pause: must not be negative");
    assert_issue(state, "\"cpus\": [0, 9]", "cpus[1]: must be from 0 to 7");
    assert_issue(state, "\"coeffs\": [1, \"2\"]", "coeffs[1]: must be a number");
}

static void a_length_out_of_its_limits_says_the_limits(void **state)
{
    assert_issue(state, "\"list\": []", "list: must not be empty");
    assert_issue(state, "\"list\": [\"a\", \"\"]", "list[1]: must not be empty");
    assert_issue(state, "\"coeffs\": [1]", "coeffs: must have 2 to 4 elements");
    struct config_test *t = *state;
    struct outer out;
    config_errors_fini(&t->errors);
    config_errors_init(&t->errors);
    assert_false(read_outer(t, "{\"name\": \"\"}", &out));
    assert_false(read_outer(t, "{\"name\": \"too long a name\"}", &out));
    assert_string_equal(config_test_issues(t), "a.json: name: must not be empty\n"
                                               "a.json: name: must have 1 to 8 bytes\n");
}

static void a_required_field_that_is_missing_is_named(void **state)
{
    struct config_test *t = *state;
    struct outer out;
    assert_false(read_outer(t, "{}", &out));
    assert_string_equal(config_test_issues(t), "a.json: name: is required\n");
    assert_null(out.name);
    assert_int_equal(out.port, 502);
}

static void an_enum_suggests_the_nearest_choice(void **state)
{
    assert_issue(state, "\"parity\": \"evne\"",
                 "parity: must be one of none, even (did you mean 'even'?)");
    assert_issue(state, "\"parity\": \"whatever\"", "parity: must be one of none, even");
}

static void an_unknown_field_is_named_with_the_nearest_and_all_known(void **state)
{
    assert_issue(state, "\"retry\": {\"bsae\": 2}",
                 "retry.bsae: unknown field 'bsae' (did you mean 'base'?); known here: base, wait");
    assert_issue(state, "\"retry\": {\"entirely\": 2}",
                 "retry.entirely: unknown field 'entirely'; known here: base, wait");
    struct config_test *t = *state;
    struct outer out;
    assert_false(read_outer(t, "{\"name\": \"n\", \"slop\": 1}", &out));
    assert_non_null(strstr(config_test_issues(t), "(did you mean 'slope'?)"));
}

static void a_field_and_its_alias_together_are_refused(void **state)
{
    assert_issue(state, "\"gain\": 1, \"slope\": 2", "slope: give gain or slope, not both");
}

static void a_rule_between_fields_is_checked_when_the_fields_are_good(void **state)
{
    assert_issue(state, "\"retry\": {\"base\": 101}",
                 "retry.base: a base of more than 100 is not wise");
    assert_issue(state, "\"retry\": {\"base\": 101, \"wait\": 0}",
                 "retry.wait: must be from 10 ms to 60 s");
}

static void what_is_no_object_is_refused_and_all_defaults_stand(void **state)
{
    struct config_test *t = *state;
    struct outer out;
    assert_false(read_outer(t, "[1]", &out));
    assert_string_equal(config_test_issues(t), "a.json: must be an object\n");
    assert_int_equal(out.port, 502);
}

static void a_field_in_error_keeps_its_default(void **state)
{
    struct config_test *t = *state;
    struct outer out;
    assert_false(
        read_outer(t, "{\"name\": \"n\", \"port\": 5000, \"gain\": -1, \"coeffs\": [1]}", &out));
    assert_int_equal(out.port, 502);
    assert_false(out.has_gain);
    assert_int_equal(out.coeffs.n, 2);
}

static void all_errors_of_an_object_are_reported_in_one_go(void **state)
{
    struct config_test *t = *state;
    struct outer out;
    assert_false(read_outer(t,
                            "{\"port\": 5000, \"rate\": \"x\", \"retry\": {\"base\": 0, \"wait\": "
                            "0, \"y\": 1}, \"steps\": [{\"base\": 0}, {\"base\": 1}, 5]}",
                            &out));
    assert_string_equal(config_test_issues(t),
                        "a.json: port: must be from 0 to 1023\n"
                        "a.json: rate: must be a number\n"
                        "a.json: name: is required\n"
                        "a.json: retry.base: must be at least 1\n"
                        "a.json: retry.wait: must be from 10 ms to 60 s\n"
                        "a.json: retry.y: unknown field 'y'; known here: base, wait\n"
                        "a.json: steps[0].base: must be at least 1\n"
                        "a.json: steps[2]: must be an object\n");
}

/* ---- Several tables for one object */

struct type_only {
    const char *type, *name;
};

static const struct config_field type_fields[] = {
    {"type", CONFIG_STR, CONFIG_IN(struct type_only, type), .required = true, .own = true},
    {"name", CONFIG_STR, CONFIG_IN(struct type_only, name)},
};

static const struct config_table type_table = CONFIG_TABLE("Type", struct type_only, type_fields);

static void one_object_is_read_by_several_tables(void **state)
{
    struct config_test *t = *state;
    struct type_only type;
    struct inner inner;
    const struct config_part parts[] = {{.table = &type_table, .out = &type},
                                        {.table = &inner_table, .out = &inner}};
    struct config_at at = config_test_parse(t, "{\"type\": \"t\", \"base\": 5}");
    assert_true(config_read_parts(at, &t->arena, parts, 2));
    assert_string_equal(type.type, "t");
    assert_true(inner.base == 5);
    at = config_test_parse(t, "{\"type\": \"t\", \"bas\": 5}");
    assert_false(config_read_parts(at, &t->arena, parts, 2));
    assert_string_equal(config_test_issues(t),
                        "a.json: bas: unknown field 'bas' (did you mean 'base'?); known here: "
                        "type, name, base, wait\n");
    assert_true(config_peek_parts(at, &t->arena, parts, 2));
}

static void defaults_stand_between_the_object_and_the_fallback(void **state)
{
    struct config_test *t = *state;
    struct config_doc defaults;
    const char *text = "{\"port\": 77, \"gain\": 4, \"retry\": {\"base\": 7, \"wait\": 7}, "
                       "\"name\": \"d\"}";
    assert_int_equal(config_doc_parse(&defaults, &t->errors, "driver.json", text, strlen(text)),
                     ARCD_OK);
    struct outer out;
    struct config_part part = {
        .table = &outer_table, .out = &out, .defaults = config_root(&defaults)};
    struct config_at at =
        config_test_parse(t, "{\"gain\": 5, \"retry\": {\"base\": 2}, \"name\": \"n\"}");
    assert_true(config_read_parts(at, &t->arena, &part, 1));
    assert_int_equal(out.port, 77);
    assert_true(out.gain == 5);
    assert_true(out.retry.base == 2);
    assert_int_equal(out.retry.wait_ns, INT64_C(7000000000));
    assert_string_equal(out.name, "n");
    assert_int_equal(out.seed, 1);
    config_doc_fini(&defaults);
}

static void a_bad_default_is_reported_where_it_stands(void **state)
{
    struct config_test *t = *state;
    struct config_doc defaults;
    const char *text = "{\"port\": 5000, \"type\": \"not a default\"}";
    assert_int_equal(config_doc_parse(&defaults, &t->errors, "driver.json", text, strlen(text)),
                     ARCD_OK);
    struct outer out;
    struct type_only type;
    const struct config_part parts[] = {
        {.table = &outer_table, .out = &out, .defaults = config_root(&defaults)},
        {.table = &type_table, .out = &type, .defaults = config_root(&defaults)}};
    struct config_at at = config_test_parse(t, "{\"name\": \"n\"}");
    assert_false(config_read_parts(at, &t->arena, parts, 2));
    assert_string_equal(config_test_issues(t), "driver.json: port: must be from 0 to 1023\n"
                                               "a.json: type: is required\n");
    config_doc_fini(&defaults);
}

/* ---- Variants */

static const struct config_variant kinds[] = {
    {"first_order", &inner_table, 1},
    {"tank", NULL, 2},
};

static const struct config_variants plants = {
    .title = "Plants", .noun = "plant", .variants = kinds, .n = ARCD_COUNT_OF(kinds)};

static void the_member_type_selects_the_variant(void **state)
{
    struct config_test *t = *state;
    assert_int_equal(config_variant_of(config_test_parse(t, "{\"type\": \"tank\"}"), &plants)->tag,
                     2);
    assert_null(config_variant_of(config_test_parse(t, "{\"type\": \"tnak\"}"), &plants));
    assert_null(config_variant_of(config_test_parse(t, "{\"type\": 1}"), &plants));
    assert_null(config_variant_of(config_test_parse(t, "{}"), &plants));
    assert_null(config_variant_of(config_test_parse(t, "[]"), &plants));
    assert_string_equal(config_test_issues(t),
                        "a.json: type: unknown plant 'tnak' (did you mean 'tank'?); known here: "
                        "first_order, tank\n"
                        "a.json: type: must be a string\n"
                        "a.json: type: is required\n"
                        "a.json: must be an object\n");
}

/* ---- The reference */

static void the_reference_is_printed_from_the_tables(void **state)
{
    struct config_test *t = *state;
    size_t size;
    free(t->issues);
    FILE *out = open_memstream(&t->issues, &size);
    config_print_table(out, &outer_table, 2);
    fclose(out);
    static const char *const lines[] = {
        "## Outer\n\n| field | type | default | limits | meaning |\n",
        "| `enabled` | bool | `true` |  | On. |\n",
        "| `port` | int | `502` | from 0 to 1023 | The port. |\n",
        "| `rate` | number | `0.5` | greater than 0 and at most 2 Hz | The rate \\| pace. |\n",
        "| `gain`, `slope` | number | the device's own | greater than 0 |  |\n",
        "| `timeout` | duration | 250 ms | from 10 ms to 60 s |  |\n",
        "| `name` | text | required | 1 to 8 bytes |  |\n",
        "| `parity` | text | `\"even\"` | `none`, `even` |  |\n",
        "| `coeffs` | array of number | `[0.5, 2]` | 2 to 4 elements |  |\n",
        "| `retry.base` | number | `1.1` | at least 1 | The base. |\n",
        "| `steps[].wait` | duration | 1 s | from 10 ms to 60 s | The wait. |\n",
        "| `custom` | int or text | none |  |  |\n",
    };
    for (size_t i = 0; i < ARCD_COUNT_OF(lines); i++)
        if (strstr(t->issues, lines[i]) == NULL)
            fail_msg("not printed: %s\nin: %s", lines[i], t->issues);
}

static void the_reference_of_variants_names_each_type(void **state)
{
    struct config_test *t = *state;
    size_t size;
    free(t->issues);
    FILE *out = open_memstream(&t->issues, &size);
    config_print_variants(out, &plants, 3);
    fclose(out);
    assert_non_null(strstr(t->issues, "### Plants\n\n`\"type\": \"first_order\"`\n\n| field |"));
    assert_non_null(strstr(t->issues, "`\"type\": \"tank\"`: no fields of its own.\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONFIG_TEST(absent_fields_have_their_documented_defaults),
        CONFIG_TEST(given_fields_have_the_users_values_after_the_document_is_gone),
        CONFIG_TEST(a_wrong_type_says_what_the_field_must_be),
        CONFIG_TEST(a_value_out_of_its_limits_says_the_limits),
        CONFIG_TEST(a_length_out_of_its_limits_says_the_limits),
        CONFIG_TEST(a_required_field_that_is_missing_is_named),
        CONFIG_TEST(an_enum_suggests_the_nearest_choice),
        CONFIG_TEST(an_unknown_field_is_named_with_the_nearest_and_all_known),
        CONFIG_TEST(a_field_and_its_alias_together_are_refused),
        CONFIG_TEST(a_rule_between_fields_is_checked_when_the_fields_are_good),
        CONFIG_TEST(what_is_no_object_is_refused_and_all_defaults_stand),
        CONFIG_TEST(a_field_in_error_keeps_its_default),
        CONFIG_TEST(all_errors_of_an_object_are_reported_in_one_go),
        CONFIG_TEST(one_object_is_read_by_several_tables),
        CONFIG_TEST(defaults_stand_between_the_object_and_the_fallback),
        CONFIG_TEST(a_bad_default_is_reported_where_it_stands),
        CONFIG_TEST(the_member_type_selects_the_variant),
        CONFIG_TEST(the_reference_is_printed_from_the_tables),
        CONFIG_TEST(the_reference_of_variants_names_each_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
