/* driver/conform/run.h - runs one conformance case on a virtual clock, through the entry points
 * that a real-time thread uses.
 *
 * One call: conform_run_case(). Any thread; nothing is shared.
 */
#ifndef DRIVER_CONFORM_RUN_H
#define DRIVER_CONFORM_RUN_H

#include "arc_host/program.h"
#include "driver/conform/case.h"

#include <stdio.h>

struct conform_run_options {
    enum arc_host_mode mode;
    FILE *trace; /* every cycle is printed here; NULL: none */
};

/* True when the case holds. Else what is wrong, first thing first, in `wrong` ("step 3 (20ms):
 * valve_cmd: expected [1], got []"). */
bool conform_run_case(const struct conform_case *c, const struct conform_run_options *options,
                      char *wrong, size_t size);

#endif
