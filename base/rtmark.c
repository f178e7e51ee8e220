/* The guard is a library of its own (tests/rtcheck) that shipped programs do not link: the weak
 * references below are then NULL. */
#include "base/rtmark.h"

#include <stddef.h>

#define FROM_THE_GUARD __attribute__((weak, visibility("default")))

FROM_THE_GUARD void rtcheck_enter(void);
FROM_THE_GUARD void rtcheck_leave(void);

void base_rt_enter(void)
{
    if (rtcheck_enter != NULL)
        rtcheck_enter();
}

void base_rt_leave(void)
{
    if (rtcheck_leave != NULL)
        rtcheck_leave();
}
