#include "config/automation.h"
#include "config/driver.h"
#include "config/reference.h"
#include "tests/config/config_test.h"

static const char *reference(struct config_test *t)
{
    size_t size;
    free(t->issues);
    FILE *out = open_memstream(&t->issues, &size);
    config_print_reference(out);
    fclose(out);
    return t->issues;
}

/* Every field of every table has a row and a sentence. */
static void assert_documented(const char *text, const struct config_table *table)
{
    for (uint32_t i = 0; i < table->n; i++) {
        const struct config_field *field = &table->fields[i];
        char row[128];
        snprintf(row, sizeof(row), "%s`", field->name);
        if (strstr(text, row) == NULL)
            fail_msg("%s: %s has no row", table->title, field->name);
        if (field->doc == NULL || field->doc[strlen(field->doc) - 1] != '.')
            fail_msg("%s: %s has no sentence", table->title, field->name);
        if (field->kind == CONFIG_OBJECT || field->kind == CONFIG_OBJECTS)
            assert_documented(text, field->table);
    }
}

static void every_field_has_a_row_and_a_sentence(void **state)
{
    const char *text = reference(*state);
    static const struct config_table *const tables[] = {
        &config_driver_table, &config_channel_table,       &config_device_table,
        &config_task_table,   &config_rates_table,         &config_read_channel_table,
        &config_write_table,  &config_write_channel_table, &config_automation_table};
    for (size_t i = 0; i < ARCD_COUNT_OF(tables); i++)
        assert_documented(text, tables[i]);
    for (uint32_t i = 0; i < config_scale_variants.n; i++)
        assert_documented(text, config_scale_variants.variants[i].table);
}

/* A row that is wider or narrower than its table would show as text. */
static void every_row_has_five_cells(void **state)
{
    char *text = strdup(reference(*state)), *next = text;
    uint32_t n_rows = 0;
    while (next != NULL) {
        const char *line = strsep(&next, "\n");
        bool two_columns = strstr(line, "json`") != NULL || strcmp(line, "| --- | --- |") == 0 ||
                           strcmp(line, "| file | what it holds |") == 0;
        if (line[0] != '|' || two_columns)
            continue;
        uint32_t n_bars = 0;
        for (const char *c = line; *c != '\0'; c++)
            n_bars += *c == '|' && (c == line || c[-1] != '\\');
        if (n_bars != 6)
            fail_msg("%s", line);
        n_rows++;
    }
    assert_true(n_rows > 100);
    free(text);
}

static void sections_that_other_sections_name_exist(void **state)
{
    const char *text = reference(*state);
    assert_non_null(strstr(text, "\n## Channels\n"));
    assert_non_null(strstr(text, "\n## Devices\n"));
    assert_non_null(strstr(text, "\n## Scales\n"));
    assert_non_null(strstr(text, "| `timing.skew.kp` | number | `0.01` | at least 0 | "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONFIG_TEST(every_field_has_a_row_and_a_sentence),
        CONFIG_TEST(every_row_has_five_cells),
        CONFIG_TEST(sections_that_other_sections_name_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
