/* Texts of the error codes, and the one way to fill in an error. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *arcd_err_text(enum arcd_err code)
{
    static const char *const texts[] = {
#define ERR_TEXT(name, text) text,
        ARCD_ERRORS(ERR_TEXT)
#undef ERR_TEXT
    };
    return (unsigned)code < ARCD_ERR_COUNT ? texts[code] : "unknown error";
}

enum arcd_err arcd_fail(struct arcd_errinfo *why, enum arcd_err code, int64_t native,
                        const char *fmt, ...)
{
    if (why == NULL)
        return code;
    why->code = code;
    why->native = native;
    va_list args;
    va_start(args, fmt);
    vsnprintf(why->text, sizeof why->text, fmt, args);
    va_end(args);
    return code;
}

enum arcd_err arcd_fail_errno(struct arcd_errinfo *why, int errnum, const char *fmt, ...)
{
    bool denied = errnum == EPERM || errnum == EACCES;
    enum arcd_err code = denied ? ARCD_ERR_PERMISSION : ARCD_ERR_SYSTEM;
    if (why == NULL)
        return code;
    char head[384];
    va_list args;
    va_start(args, fmt);
    vsnprintf(head, sizeof head, fmt, args);
    va_end(args);
    char buf[128];
    return arcd_fail(why, code, errnum, "%s: %s", head, strerror_r(errnum, buf, sizeof buf));
}

_Noreturn void arcd_assert_failed(const char *expr, const char *file, int line)
{
    fprintf(stderr, "arcd: %s:%d: broken invariant: %s\n", file, line, expr);
    abort();
}
