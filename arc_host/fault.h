/* arc_host/fault.h - why a running Arc program was stopped.
 *
 * A fault is a fixed-size record that the real-time thread fills; arc_host_fault_text() makes the
 * sentence, on any other thread, with the words that the language promises. Plain values; no
 * ownership.
 */
#ifndef ARC_HOST_FAULT_H
#define ARC_HOST_FAULT_H

#include "base/mark.h"

#include <stddef.h>

struct arc_image;

/* X(NAME, sentence). The sentence may use the record's numbers: %1 is a, %2 b, %3 c. */
#define ARC_HOST_FAULTS(X)                                                                         \
    X(NONE, "no fault")                                                                            \
    X(DIVISION, "division by zero")                                                                \
    X(MODULO, "modulo by zero")                                                                    \
    X(POWER, "division by zero: 0 to the power %1")                                                \
    X(INDEX, "index %1 is out of bounds, the length is %2")                                        \
    X(SLICE, "slice [%1:%2] is out of bounds, the length is %3")                                   \
    X(LENGTH, "length mismatch: series of %1 and %2 elements in one operation")                    \
    X(RECURSION, "recursion: more than %1 nested calls")                                           \
    X(BUDGET, "budget: the cycle took more than %1 instructions; is there a loop without end?")    \
    X(MEMORY, "memory: strings and series need more than the %1 bytes that the program may use")   \
    X(WRITES, "memory: more than %1 samples written in one cycle")

enum arc_host_fault_kind {
#define ARC_HOST_FAULT_ENUM(name, text) ARC_HOST_FAULT_##name,
    ARC_HOST_FAULTS(ARC_HOST_FAULT_ENUM)
#undef ARC_HOST_FAULT_ENUM
        ARC_HOST_FAULT_COUNT
};

enum { ARC_HOST_FAULT_NOWHERE = UINT32_MAX };

struct arc_host_fault {
    enum arc_host_fault_kind kind;
    uint32_t function; /* index into the image's functions; ARC_HOST_FAULT_NOWHERE: in no body */
    uint32_t node;     /* that was running; ARC_HOST_FAULT_NOWHERE: none */
    uint32_t line;     /* from 1; 0 unknown */
    int64_t a, b, c;   /* the numbers of the sentence */
};

/* "function 'scale' line 12: division by zero". Cut to size; always NUL-terminated. */
void arc_host_fault_text(const struct arc_image *image, const struct arc_host_fault *fault,
                         char *text, size_t size);

#endif
