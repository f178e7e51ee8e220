/* base/err.h - the one error code of arcd, and the sentence that goes with it.
 *
 * Every call that can fail returns enum arcd_err: 0 is success, each code has one meaning and is
 * never reused. Set-up calls also take `struct arcd_errinfo *why` (NULL is allowed): there the
 * place that knows the cause writes the finished sentence, with the device and the channel in it.
 * Threads: an errinfo belongs to its caller; nothing is shared.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/mark.h"

/* X(name, text) - the text is what a user reads when no better sentence was written. */
#define ARCD_ERRORS(X)                                                                             \
    X(OK, "no error")                                                                              \
    X(NOMEM, "out of memory")                                                                      \
    X(INVALID, "invalid argument")                                                                 \
    X(CONFIG, "the configuration is wrong")                                                        \
    X(NOTFOUND, "not found")                                                                       \
    X(EXISTS, "already exists")                                                                    \
    X(BUSY, "in use by another")                                                                   \
    X(STATE, "not possible in this state")                                                         \
    X(TIMEOUT, "timed out")                                                                        \
    X(INTERRUPTED, "interrupted")                                                                  \
    X(PERMISSION, "permission denied")                                                             \
    X(SYSTEM, "the operating system refused")                                                      \
    X(DEVICE, "the device reported an error")                                                      \
    X(LINK, "the connection was lost")                                                             \
    X(PROTOCOL, "the answer makes no sense")                                                       \
    X(UNSUPPORTED, "not supported")                                                                \
    X(PROGRAM, "the Arc program is wrong")                                                         \
    X(FAULT, "the Arc program stopped with a fault")                                               \
    X(FULL, "no room left")                                                                        \
    X(EMPTY, "nothing there")

enum arcd_err {
#define ARCD_ERR_ENUM(name, text) ARCD_ERR_##name,
    ARCD_ERRORS(ARCD_ERR_ENUM)
#undef ARCD_ERR_ENUM
        ARCD_ERR_COUNT
};

#define ARCD_OK ARCD_ERR_OK

struct arcd_errinfo {
    enum arcd_err code;
    int64_t native; /* errno, or the backend library's own code; 0 when there is none */
    char text[512]; /* a finished sentence, NUL-terminated, cut when too long */
};

/* The text of a code, static. Never NULL. */
const char *arcd_err_text(enum arcd_err code);

/* Fills `why` when it is not NULL and returns `code`, so that a failing call is one line:
 *     return arcd_fail(why, ARCD_ERR_NOTFOUND, 0, "device '%s' is not declared", name);  */
enum arcd_err arcd_fail(struct arcd_errinfo *why, enum arcd_err code, int64_t native,
                        const char *fmt, ...) ARCD_PRINTF(4, 5);

/* As arcd_fail() with ARCD_ERR_SYSTEM (PERMISSION for EPERM and EACCES); appends ": " and
 * strerror(errnum). */
enum arcd_err arcd_fail_errno(struct arcd_errinfo *why, int errnum, const char *fmt, ...)
    ARCD_PRINTF(3, 4);

#endif
