#include "driver/main/timing_table.h"

#include "driver/main/cli.h"

static void cell_us(struct cli_table *table, int column, const json_t *group, const char *key)
{
    char buf[24];
    const json_t *value = json_object_get(group, key);
    if (json_is_number(value))
        cli_table_cell(table, column, "%s", cli_duration(json_number_value(value), buf));
    else
        cli_table_cell(table, column, "-");
}

void timing_table_print(const json_t *automations, FILE *out)
{
    struct cli_table table;
    cli_table_init(
        &table,
        "automation|level|cycles>|overruns>|late p50>|p99>|p99.9>|worst>|cycle mean>|worst>|"
        "jitter>|cpu>");
    size_t i;
    json_t *a;
    json_array_foreach((json_t *)(uintptr_t)automations, i, a)
    {
        const json_t *late = json_object_get(a, "lateness_us");
        const json_t *comp = json_object_get(a, "comp_time_us");
        const char *name = json_string_value(json_object_get(a, "name"));
        const char *level = json_string_value(json_object_get(a, "level"));
        cli_table_row(&table);
        cli_table_cell(&table, 0, "%s", name != NULL ? name : "");
        cli_table_cell(&table, 1, "%s%s", level != NULL ? level : "",
                       json_is_true(json_object_get(a, "realtime")) ? "" : " (normal)");
        cli_table_cell(&table, 2, "%lld",
                       (long long)json_integer_value(json_object_get(a, "cycles")));
        cli_table_cell(&table, 3, "%lld",
                       (long long)json_integer_value(json_object_get(a, "overruns")));
        cell_us(&table, 4, late, "p50");
        cell_us(&table, 5, late, "p99");
        cell_us(&table, 6, late, "p999");
        cell_us(&table, 7, late, "max");
        cell_us(&table, 8, comp, "mean");
        cell_us(&table, 9, comp, "max");
        cell_us(&table, 10, a, "jitter_us");
        cli_table_cell(&table, 11, "%.1f %%",
                       100 * json_number_value(json_object_get(a, "cpu_share")));
    }
    if (table.n_rows == 1)
        fprintf(out, "no automations\n");
    else
        cli_table_print(&table, out);
    cli_table_free(&table);
}
