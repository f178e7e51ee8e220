/* arcd version: what this binary is, and the libraries that it found. */
#include "driver/backends.h"
#include "driver/main/cli.h"
#include "driver/version.h"

int cli_verb_version(int argc, char **argv)
{
    const struct argp argp = {
        .doc = "Print the version, the build and the driver_backends of this arcd."};
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    printf("arcd %s (%s)\n", ARCD_VERSION, ARCD_BUILD);
    printf("  jansson   %s\n", JANSSON_VERSION);
    for (uint32_t i = 0; driver_backends[i] != NULL; i++)
        printf("  %-9s %s\n", driver_backends[i]->name,
               driver_backends[i]->version != NULL ? driver_backends[i]->version() : "built in");
    return 0;
}
