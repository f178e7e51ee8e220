/* driver/conform/conform.h - runs files of conformance cases and reports on them.
 *
 * Life cycle: conform_file() for each file, then conform_summary(). Prints one line a failing case:
 *     FAIL file: name: step 3 (20ms): valve_cmd: expected [1], got []
 * and in the end `N passed, M failed`. One thread.
 */
#ifndef DRIVER_CONFORM_CONFORM_H
#define DRIVER_CONFORM_CONFORM_H

#include "arc_host/program.h"

#include <stdio.h>

struct conform_options {
    const char *only; /* name of the one case to run; NULL: all */
    bool verbose;     /* prints every case and every cycle */
    enum arc_host_mode mode;
    FILE *out;
};

struct conform_tally {
    unsigned passed;
    unsigned failed;
};

/* An error only when the file cannot be read or is no file of cases. */
ARCD_MUST_CHECK enum arcd_err conform_file(const char *path, const struct conform_options *options,
                                           struct conform_tally *tally, struct arcd_errinfo *why);

void conform_summary(const struct conform_options *options, const struct conform_tally *tally);

#endif
