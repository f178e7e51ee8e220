/* arcd_conform FILE... [--case NAME] [--verbose] [--mode sample|batch]
 *
 * Exit status: 0 when all cases hold, 1 when some do not, 2 for a file that cannot be used. */
#include "tests/conform/conform.h"

#include <string.h>

static int usage(void)
{
    fputs("usage: arcd_conform FILE... [--case NAME] [--verbose] [--mode sample|batch]\n", stderr);
    return 2;
}

int main(int argc, char **argv)
{
    struct conform_options options = {.out = stdout};
    int n_files = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--verbose") == 0)
            options.verbose = true;
        else if (strcmp(argv[i], "--case") == 0 && i + 1 < argc)
            options.only = argv[++i];
        else if (strcmp(argv[i], "--mode") == 0 && i + 1 < argc &&
                 strcmp(argv[i + 1], "sample") == 0)
            options.mode = ARC_HOST_MODE_SAMPLE, i++;
        else if (strcmp(argv[i], "--mode") == 0 && i + 1 < argc &&
                 strcmp(argv[i + 1], "batch") == 0)
            options.mode = ARC_HOST_MODE_BATCH, i++;
        else if (argv[i][0] == '-')
            return usage();
        else
            argv[++n_files] = argv[i]; /* never behind i */
    }
    if (n_files == 0)
        return usage();
    struct conform_tally tally = {0};
    bool unusable = false;
    for (int i = 1; i <= n_files; i++) {
        struct arcd_errinfo why;
        if (conform_file(argv[i], &options, &tally, &why) != ARCD_OK) {
            fprintf(stderr, "arcd_conform: %s\n", why.text);
            unusable = true;
        }
    }
    conform_summary(&options, &tally);
    return unusable ? 2 : tally.failed != 0;
}
