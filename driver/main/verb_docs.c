/* arcd docs: the configuration reference, printed from the tables that read the configuration.
 * docs/configuration.md is this output; a test compares the two. */
#include "config/automation.h"
#include "config/driver.h"
#include "driver/backends.h"
#include "driver/main/cli.h"

static void print_backend(const struct hw_driver *driver)
{
    printf("# Backend `%s`: %s\n\n", driver->name, driver->title);
    config_print_table(stdout, driver->device_table, 2);
    for (uint32_t i = 0; i < driver->n_task_types; i++) {
        const struct hw_task_type *type = &driver->task_types[i];
        printf("\n## Tasks of type `%s`\n\n", type->name);
        printf("%s. Timing: %s%s%s.\n\n", type->direction == HW_READ ? "Reads" : "Writes",
               type->has_hardware_timing ? "hardware" : "",
               type->has_hardware_timing && type->has_software_timing ? " or " : "",
               type->has_software_timing ? "software" : "");
        if (type->task_table != NULL && type->task_table->n > 0)
            config_print_table(stdout, type->task_table, 3);
        config_print_variants(stdout, type->channel_variants, 3);
    }
    printf("\n");
}

int cli_verb_docs(int argc, char **argv)
{
    const struct argp argp = {.doc = "Print the configuration reference in Markdown: every field "
                                     "of every file, with type, default, limits "
                                     "and meaning, from the tables by which this arcd reads them."};
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    printf("<!-- Made by `arcd docs`: change the tables in the code, not this page. -->\n"
           "# Configuration reference\n\n"
           "A configuration is a folder: `driver.json`, one file a task in `tasks/`, one file an "
           "automation in "
           "`automations/` with its `.arc` program beside it. JSON is strict; a byte order mark "
           "and CRLF are accepted. "
           "Unknown fields are errors, but for fields whose names start with `x_`: these are "
           "yours. `arcd check DIR` "
           "prints everything that is wrong at once.\n\n"
           "Durations are seconds, or a text with a unit: `\"250ms\"`, `\"2s\"`, `\"5min\"` (`ns "
           "us ms s min h`).\n\n");
    printf("# driver.json\n\n");
    config_print_table(stdout, &config_driver_table, 2);
    printf("\n");
    config_print_table(stdout, &config_channel_table, 2);
    printf("\n");
    config_print_table(stdout, &config_device_table, 2);
    printf("\n# Tasks\n\nThe fields of every task, of reads and of writes; a type's own fields are "
           "with its backend.\n\n");
    config_print_table(stdout, &config_task_table, 2);
    printf("\n");
    config_print_table(stdout, &config_rates_table, 2);
    printf("\n");
    config_print_table(stdout, &config_read_channel_table, 2);
    printf("\n");
    config_print_table(stdout, &config_write_table, 2);
    printf("\n");
    config_print_table(stdout, &config_write_channel_table, 2);
    printf("\n");
    config_print_variants(stdout, &config_scale_variants, 2);
    printf("\n# Automations\n\n");
    config_print_table(stdout, &config_automation_table, 2);
    printf("\n");
    for (size_t i = 0; driver_backends[i] != NULL; i++)
        print_backend(driver_backends[i]);
    return 0;
}
