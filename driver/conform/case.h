/* driver/conform/case.h - one conformance case, read from JSON: a program, its channels, and what
 * it must do at which time (docs: tests/conformance/FORMAT.md).
 *
 * One call: conform_case_read(). Everything is the arena's. Any thread.
 */
#ifndef DRIVER_CONFORM_CASE_H
#define DRIVER_CONFORM_CASE_H

#include "driver/conform/json.h"
#include "telem/type.h"

#include <stdbool.h>

struct conform_value {
    union telem_value number; /* of the channel's type */
    const char *text;         /* str */
    size_t len;
};

/* The samples of one channel, written or expected. */
struct conform_column {
    uint32_t channel;
    uint32_t n;
    struct conform_value *values;
    int64_t *times_ns; /* written: n */
};

struct conform_step {
    const char *at_text; /* "20ms" */
    int64_t at_ns;
    bool has_write;
    struct conform_column *writes;
    uint32_t n_writes;
    struct conform_column *expects;
    uint32_t n_expects;
};

struct conform_channel {
    const char *name;
    enum telem_type type;
};

struct conform_case {
    const char *name;
    struct conform_channel *channels;
    uint32_t n_channels;
    const char *source; /* lines joined */
    size_t source_len;
    bool wants_error;       /* the program must not compile */
    const char *error_code; /* NULL: any */
    const char *error_contains;
    uint32_t error_line; /* 0: any */
    struct conform_step *steps;
    uint32_t n_steps;
    bool wants_fault;
    uint32_t fault_step;
    const char *fault_contains;
};

enum arcd_err conform_case_read(const struct conform_json *json, struct base_arena *arena,
                                struct conform_case *c, struct arcd_errinfo *why);

#endif
