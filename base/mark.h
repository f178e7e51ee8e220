/* base/mark.h - the marks that say which room a function lives in, and the assertion that guards
 * invariants.
 *
 * ARCD_RT      runs on a real-time automation thread between start and stop: no allocation, no
 * lock, no file, socket or log call, no system call but the thread's own wait and a consumer's
 * wake. The mark puts the function in section .text.rt, where tools/check_rt.py reads what it
 * calls. ARCD_STEADY  the loop of a task thread: the same rules, but it may block in its backend's
 * one hardware call. ARCD_MUST_CHECK  the result says whether the call worked; ignoring it does not
 * compile.
 */
#ifndef BASE_MARK_H
#define BASE_MARK_H

#include <stdint.h>

#define ARCD_MUST_CHECK __attribute__((warn_unused_result))
#define ARCD_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define ARCD_RT __attribute__((section(".text.rt")))
#define ARCD_STEADY __attribute__((section(".text.steady")))
#define ARCD_CACHELINE 64
#define ARCD_ALIGNED_CACHE _Alignas(ARCD_CACHELINE)
#define ARCD_LIKELY(x) __builtin_expect(!!(x), 1)
#define ARCD_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define ARCD_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A broken invariant is a bug in arcd, never bad input: say where, and abort. On in every build. */
_Noreturn void arcd_assert_failed(const char *expr, const char *file, int line);

#define ARCD_ASSERT(cond)                                                                          \
    do {                                                                                           \
        if (ARCD_UNLIKELY(!(cond)))                                                                \
            arcd_assert_failed(#cond, __FILE__, __LINE__);                                         \
    } while (0)

#endif
