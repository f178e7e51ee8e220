/* arc_host/format.h - values as text: the form of str(), and the placeholders of format strings.
 *
 * A text is a bounded piece of the caller's memory that grows at its end; what does not fit sets
 * `full` and is lost. Real-time safe: no allocation, no locale, no stdio. One thread per text.
 */
#ifndef ARC_HOST_FORMAT_H
#define ARC_HOST_FORMAT_H

#include "base/mark.h"

#include <stdbool.h>

struct arc_image_format;

struct arc_host_text {
    char *bytes; /* not NUL-terminated */
    uint32_t capacity;
    uint32_t len;
    bool full;
};

ARCD_RT void arc_host_text_append(struct arc_host_text *text, const char *bytes, uint32_t len);

/* A spec of NULL, or with verb 0, gives the form of str(). Otherwise the verb fits the type: the
 * compiler has checked it. */
ARCD_RT void arc_host_format_i64(struct arc_host_text *text, const struct arc_image_format *spec,
                                 int64_t value);
ARCD_RT void arc_host_format_u64(struct arc_host_text *text, const struct arc_image_format *spec,
                                 uint64_t value);
ARCD_RT void arc_host_format_f64(struct arc_host_text *text, const struct arc_image_format *spec,
                                 double value);
ARCD_RT void arc_host_format_f32(struct arc_host_text *text, const struct arc_image_format *spec,
                                 float value);
ARCD_RT void arc_host_format_str(struct arc_host_text *text, const struct arc_image_format *spec,
                                 const char *bytes, uint32_t len);

#endif
