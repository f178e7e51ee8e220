/* arc_host/kernels.h - one loop for each operation and number type, over columns of its elements.
 *
 * The machine's batch bodies and the operations on series use them; the arithmetic is that of
 * arc_host/number.h, so results are the same as one by one. d may be b or c itself, but not overlap
 * them otherwise. Pure, real-time safe; the compiler vectorises the loops.
 */
#ifndef ARC_HOST_KERNELS_H
#define ARC_HOST_KERNELS_H

#include "arc/op.h"
#include "base/mark.h"

#include <stdbool.h>

/* d[k] = b[k] op c[k] for k < n; c is not read by an operation with one operand. */
typedef void (*arc_host_kernel_fn)(void *d, const void *b, const void *c, uint32_t n);

/* True when some b[k] op c[k] is a fault. */
typedef bool (*arc_host_check_fn)(const void *b, const void *c, uint32_t n);

/* By opcode: NULL for what cannot stand in a batch body. DIV, MOD and POW of integers must not
 * fault. */
extern const arc_host_kernel_fn arc_host_kernels[ARC_OP_COUNT];

enum arc_host_series_form {
    ARC_HOST_SERIES_V, /* one operand */
    ARC_HOST_SERIES_VV,
    ARC_HOST_SERIES_VS, /* the right one is a number for all elements */
    ARC_HOST_SERIES_SV,
};

struct arc_host_series_op {
    arc_host_kernel_fn kernel; /* NULL: no operation on series */
    arc_host_check_fn check;   /* NULL: cannot fault */
    uint8_t form;
    uint8_t type;   /* enum telem_type of the operands */
    uint8_t result; /* of the result */
    uint8_t fault;  /* enum arc_host_fault_kind when check says so */
};

/* By opcode. */
extern const struct arc_host_series_op arc_host_series_ops[ARC_OP_COUNT];

#endif
