/* arc/verify.h - proof that a program image can be run without a check at run time.
 *
 * One call, before an image is accepted: arc_compile() makes it for what it has made, a host makes
 * it again for what it is given. Pure, any thread; allocates and frees scratch memory of its own.
 *
 * After ARCD_OK: every index in the image points at an object that exists and every list is sorted
 * and complete as arc/image.h says; every jump lands on an instruction of its own body, forward or
 * backward as its opcode says, and control cannot run off the end; every register exists, holds a
 * value of the operand's type on every way to its use, and arguments and constants are never
 * written; calls pass what the callee expects, and the stack and state bounds hold; batch bodies
 * are straight-line and cannot fault. What stays for the machine to check is what depends on
 * values: division by zero, indexes, lengths, memory, call depth and budget.
 */
#ifndef ARC_VERIFY_H
#define ARC_VERIFY_H

#include "arc/image.h"
#include "base/err.h"

/* ARCD_ERR_PROGRAM with the first thing that is wrong in `why`. */
ARCD_MUST_CHECK enum arcd_err arc_verify(const struct arc_image *image, struct arcd_errinfo *why);

#endif
