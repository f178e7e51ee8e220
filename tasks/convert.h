/* tasks/convert.h - rows of samples from one representation to another.
 *
 * A device gives 8-byte values (hw_value); a channel has one of the twelve types; scaling happens
 * in f64. Integers that need no scaling never pass through a double, so that 64 bits stay exact.
 *
 *     device row --widen--> f64 row --scale, tare--> f64 row --narrow--> column
 *         \------------------------ copy -----------------------------/
 *
 * Pure, real-time safe. Strings are not numbers and do not come here.
 */
#ifndef TASKS_CONVERT_H
#define TASKS_CONVERT_H

#include "hw/hw.h"

/* Device values as f64. */
ARCD_STEADY void tasks_convert_widen(enum hw_value from, const union telem_value *row, size_t n,
                                     double *values);

/* The cast at the end of the chain: integers round half to even and saturate, NaN gives 0; f32 to
 * nearest, overflow gives infinity. Returns true when a NaN became a 0. */
ARCD_STEADY bool tasks_convert_narrow(const double *values, size_t n, enum telem_type to,
                                      void *column);

/* Device integers (HW_I64, HW_U64) straight into a column; what does not fit saturates. */
ARCD_STEADY void tasks_convert_copy(enum hw_value from, const union telem_value *row, size_t n,
                                    enum telem_type to, void *column);

/* One value between channel and device, exact where both are integers, saturating. */
ARCD_STEADY union telem_value tasks_convert_to_device(enum telem_type from, union telem_value value,
                                                      enum hw_value to);
ARCD_STEADY double tasks_convert_device_f64(enum hw_value from, union telem_value value);
ARCD_STEADY union telem_value tasks_convert_f64_device(double value, enum hw_value to);

#endif
