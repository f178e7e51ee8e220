/* arcd docs: the configuration reference, printed from the tables that read the configuration.
 * docs/configuration.md is this output; a test compares the two. */
#include "config/reference.h"
#include "driver/backends.h"
#include "driver/main/cli.h"

static void print_backend(const struct hw_driver *driver)
{
    printf("\n## Backend `%s`: %s\n\n", driver->name, driver->title);
    config_print_table(stdout, driver->device_table, 3);
    for (uint32_t i = 0; i < driver->n_task_types; i++) {
        const struct hw_task_type *type = &driver->task_types[i];
        printf("\n### Tasks of type `%s`\n\n", type->name);
        printf("%s. Timing: %s%s%s.\n\n", type->direction == HW_READ ? "Reads" : "Writes",
               type->has_hardware_timing ? "hardware" : "",
               type->has_hardware_timing && type->has_software_timing ? " or " : "",
               type->has_software_timing ? "software" : "");
        if (type->task_table != NULL && type->task_table->n > 0)
            config_print_table(stdout, type->task_table, 4);
        config_print_variants(stdout, type->channel_variants, 4);
    }
    printf("\n");
}

int cli_verb_docs(int argc, char **argv)
{
    const struct argp argp = {.doc = "Print the configuration reference in Markdown: every field "
                                     "of every file, with type, default, limits "
                                     "and meaning, from the tables by which this arcd reads them."};
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    printf("<!-- Made by `arcd docs`: change the tables in the code, not this page. -->\n");
    config_print_reference(stdout);
    for (size_t i = 0; driver_backends[i] != NULL; i++)
        print_backend(driver_backends[i]);
    return 0;
}
