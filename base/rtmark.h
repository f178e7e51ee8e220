/* base/rtmark.h - says at run time that this thread is in the part where ARCD_RT holds.
 *
 * base_rt_enter -> the loop ... -> base_rt_leave, in the thread itself. The pair nests; a task
 * thread puts base_rt_leave() and base_rt_enter() around its backend's one hardware call. Costs a
 * test of a constant pointer. In a program that carries the guard of tests/rtcheck, an allocation,
 * a lock or I/O between the two aborts with a backtrace; in every other program nothing happens.
 */
#ifndef BASE_RTMARK_H
#define BASE_RTMARK_H

#include "base/mark.h"

ARCD_RT void base_rt_enter(void);
ARCD_RT void base_rt_leave(void);

#endif
