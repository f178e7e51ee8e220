/* Every value becomes a sign, a prefix, a body and zeros at known places first, so that the length
 * is known before anything is written: padding on the left then needs no second copy. */
#include "arc_host/format.h"

#include "arc/image.h"
#include "arc_host/digits.h"

#include <math.h>
#include <string.h>

enum { DEFAULT_PRECISION = 6 };

static const struct arc_image_format NO_SPEC = {.precision = -1};

/* ---- Text */

ARCD_RT void arc_host_text_append(struct arc_host_text *text, const char *bytes, uint32_t len)
{
    if (len > text->capacity - text->len) {
        text->full = true;
        return;
    }
    memcpy(text->bytes + text->len, bytes, len);
    text->len += len;
}

static ARCD_RT void append_char(struct arc_host_text *text, char c)
{
    arc_host_text_append(text, &c, 1);
}

static ARCD_RT void append_repeated(struct arc_host_text *text, char c, int n)
{
    if (n <= 0)
        return;
    if ((uint32_t)n > text->capacity - text->len) {
        text->full = true;
        return;
    }
    memset(text->bytes + text->len, c, (size_t)n);
    text->len += (uint32_t)n;
}

/* Blanks (or zeros) so that `width` is filled around a body of `len`; returns what is due behind.
 */
static ARCD_RT int pad_before(struct arc_host_text *text, const struct arc_image_format *spec,
                              int len, char pad)
{
    int n = spec->width - len;
    if (n <= 0)
        return 0;
    if (spec->minus)
        return n;
    append_repeated(text, pad, n);
    return 0;
}

static ARCD_RT void pad_after(struct arc_host_text *text, int n)
{
    append_repeated(text, ' ', n);
}

/* '\0': no sign is shown. */
static ARCD_RT char sign_of(const struct arc_image_format *spec, bool negative)
{
    if (negative)
        return '-';
    if (spec->plus)
        return '+';
    return spec->space ? ' ' : '\0';
}

/* ---- Text values */

/* Bytes of the character at `bytes`; a byte that is no UTF-8 counts as a character. */
static ARCD_RT uint32_t character_bytes(const char *bytes, uint32_t len)
{
    unsigned char lead = (unsigned char)bytes[0];
    uint32_t want = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 1;
    if (want > len)
        return 1;
    for (uint32_t i = 1; i < want; i++)
        if (((unsigned char)bytes[i] & 0xc0) != 0x80)
            return 1;
    return want;
}

static ARCD_RT int count_characters(const char *bytes, uint32_t len)
{
    int n = 0;
    for (uint32_t i = 0; i < len; i += character_bytes(bytes + i, len - i))
        n++;
    return n;
}

/* The bytes of the first `n` characters. */
static ARCD_RT uint32_t cut_characters(const char *bytes, uint32_t len, int n)
{
    uint32_t at = 0;
    while (n-- > 0 && at < len)
        at += character_bytes(bytes + at, len - at);
    return at;
}

/* The escape of a byte in quoted text, in `out`; its length, 0 for a byte that stands for itself.
 */
static ARCD_RT int escape_of(unsigned char c, char out[4])
{
    static const char NAMED[] = "\\\"\a\b\f\n\r\t\v";
    static const char LETTER[] = "\\\"abfnrtv";
    static const char HEX[] = "0123456789abcdef";
    out[0] = '\\';
    for (int i = 0; NAMED[i] != '\0'; i++) {
        if (c == (unsigned char)NAMED[i]) {
            out[1] = LETTER[i];
            return 2;
        }
    }
    if (c >= 0x20 && c != 0x7f)
        return 0;
    out[1] = 'x';
    out[2] = HEX[c >> 4];
    out[3] = HEX[c & 15];
    return 4;
}

static ARCD_RT int quoted_characters(const char *bytes, uint32_t len)
{
    char out[4];
    int n = 2 + count_characters(bytes, len);
    for (uint32_t i = 0; i < len; i++) {
        int escaped = escape_of((unsigned char)bytes[i], out);
        n += escaped > 0 ? escaped - 1 : 0;
    }
    return n;
}

static ARCD_RT void append_quoted(struct arc_host_text *text, const char *bytes, uint32_t len)
{
    append_char(text, '"');
    for (uint32_t i = 0; i < len; i++) {
        char out[4];
        int escaped = escape_of((unsigned char)bytes[i], out);
        if (escaped > 0)
            arc_host_text_append(text, out, (uint32_t)escaped);
        else
            append_char(text, bytes[i]);
    }
    append_char(text, '"');
}

ARCD_RT void arc_host_format_str(struct arc_host_text *text, const struct arc_image_format *spec,
                                 const char *bytes, uint32_t len)
{
    if (spec == NULL)
        spec = &NO_SPEC;
    if (spec->precision >= 0)
        len = cut_characters(bytes, len, spec->precision);
    bool quoted = spec->verb == 'q';
    int shown = quoted ? quoted_characters(bytes, len) : count_characters(bytes, len);
    int after = pad_before(text, spec, shown, spec->zero ? '0' : ' ');
    if (quoted)
        append_quoted(text, bytes, len);
    else
        arc_host_text_append(text, bytes, len);
    pad_after(text, after);
}

/* ---- Integers */

static ARCD_RT uint32_t encode_character(uint64_t code, char out[4])
{
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        code = 0xfffd;
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

static ARCD_RT void format_character(struct arc_host_text *text,
                                     const struct arc_image_format *spec, uint64_t code)
{
    char bytes[4];
    uint32_t len = encode_character(code, bytes);
    int after = pad_before(text, spec, 1, spec->zero ? '0' : ' ');
    arc_host_text_append(text, bytes, len);
    pad_after(text, after);
}

static ARCD_RT unsigned base_of(char verb)
{
    switch (verb) {
    case 'b': return 2;
    case 'o':
    case 'O': return 8;
    case 'x':
    case 'X': return 16;
    default: return 10;
    }
}

/* The digits at the end of out[64]; returns where they start. Zero has one digit. */
static ARCD_RT int integer_digits(uint64_t magnitude, char verb, char out[64])
{
    const char *digits = verb == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    unsigned base = base_of(verb);
    int at = 64;
    do {
        out[--at] = digits[magnitude % base];
        magnitude /= base;
    } while (magnitude != 0);
    return at;
}

/* What goes before the digits. An octal number that starts with a zero already shows its base. */
static ARCD_RT const char *prefix_of(const struct arc_image_format *spec, bool starts_with_zero)
{
    if (spec->verb == 'O')
        return "0o";
    if (!spec->sharp)
        return "";
    switch (spec->verb) {
    case 'b': return "0b";
    case 'o': return starts_with_zero ? "" : "0";
    case 'x': return "0x";
    case 'X': return "0X";
    default: return "";
    }
}

static ARCD_RT void format_integer(struct arc_host_text *text, const struct arc_image_format *spec,
                                   uint64_t magnitude, bool negative)
{
    if (spec->precision == 0 && magnitude == 0) {
        append_repeated(text, ' ', spec->width);
        return;
    }
    char digits[64];
    int first = integer_digits(magnitude, spec->verb, digits);
    int n = 64 - first;
    char sign = sign_of(spec, negative);
    int signs = sign != '\0';
    int least = spec->precision; /* digits; padding with zeros counts the sign, not the prefix */
    if (least < 0 && spec->zero && !spec->minus)
        least = spec->width - signs;
    int zeros = least > n ? least - n : 0;
    const char *prefix = prefix_of(spec, zeros > 0 || magnitude == 0);
    int prefixes = (int)strlen(prefix);
    int after = pad_before(text, spec, signs + prefixes + zeros + n, ' ');
    if (signs)
        append_char(text, sign);
    arc_host_text_append(text, prefix, (uint32_t)prefixes);
    append_repeated(text, '0', zeros);
    arc_host_text_append(text, digits + first, (uint32_t)n);
    pad_after(text, after);
}

ARCD_RT void arc_host_format_i64(struct arc_host_text *text, const struct arc_image_format *spec,
                                 int64_t value)
{
    if (spec == NULL)
        spec = &NO_SPEC;
    if (spec->verb == 'c')
        format_character(text, spec, value < 0 ? UINT64_MAX : (uint64_t)value);
    else
        format_integer(text, spec, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
}

ARCD_RT void arc_host_format_u64(struct arc_host_text *text, const struct arc_image_format *spec,
                                 uint64_t value)
{
    if (spec == NULL)
        spec = &NO_SPEC;
    if (spec->verb == 'c')
        format_character(text, spec, value);
    else
        format_integer(text, spec, value, false);
}

/* ---- Floats */

/* How a float is laid out: digits.n digits, the point behind the first `whole` places, `fraction`
 * places behind the point, and an exponent unless plain. Places beyond the digits are zeros. */
struct layout {
    int whole;    /* places before the point, at least 1 */
    int fraction; /* places behind it */
    int exponent; /* decimal exponent of the first digit */
    char e;       /* 'e', 'E', or '\0' for plain */
};

static ARCD_RT int exponent_bytes(const struct layout *layout)
{
    if (layout->e == '\0')
        return 0;
    return layout->exponent >= 100 || layout->exponent <= -100 ? 5 : 4;
}

static ARCD_RT void append_exponent(struct arc_host_text *text, const struct layout *layout)
{
    if (layout->e == '\0')
        return;
    int magnitude = layout->exponent < 0 ? -layout->exponent : layout->exponent;
    char out[5] = {layout->e, layout->exponent < 0 ? '-' : '+'};
    int n = 2;
    if (magnitude >= 100)
        out[n++] = (char)('0' + magnitude / 100);
    out[n++] = (char)('0' + magnitude / 10 % 10);
    out[n++] = (char)('0' + magnitude % 10);
    arc_host_text_append(text, out, (uint32_t)n);
}

/* Places from..to-1 of the number, place 0 being the first digit; zeros outside of the digits. */
static ARCD_RT void append_places(struct arc_host_text *text, const struct arc_host_digits *digits,
                                  int from, int to)
{
    int before = from < 0 ? (to < 0 ? to : 0) - from : 0;
    append_repeated(text, '0', before);
    from += before;
    int have = to < digits->n ? to : digits->n;
    if (from < have) {
        arc_host_text_append(text, digits->digit + from, (uint32_t)(have - from));
        from = have;
    }
    append_repeated(text, '0', to - from);
}

static ARCD_RT void append_float(struct arc_host_text *text, const struct arc_host_digits *digits,
                                 const struct layout *layout)
{
    int point = layout->e != '\0' ? 1 : digits->point;
    append_places(text, digits, point - layout->whole, point);
    if (layout->fraction > 0) {
        append_char(text, '.');
        append_places(text, digits, point, point + layout->fraction);
    }
    append_exponent(text, layout);
}

static ARCD_RT struct layout plain_layout(const struct arc_host_digits *digits, int fraction)
{
    return (struct layout){.whole = digits->point > 1 ? digits->point : 1, .fraction = fraction};
}

static ARCD_RT struct layout scientific_layout(const struct arc_host_digits *digits, int fraction,
                                               char e)
{
    return (struct layout){
        .whole = 1, .fraction = fraction, .exponent = digits->n ? digits->point - 1 : 0, .e = e};
}

/* Plain for exponents from -4 up to below `limit`, with no zeros at the end in either form. */
static ARCD_RT struct layout compact_layout(const struct arc_host_digits *digits, int limit, char e)
{
    int exponent = digits->n ? digits->point - 1 : 0;
    if (exponent < -4 || exponent >= limit)
        return scientific_layout(digits, digits->n - 1, e);
    int fraction = digits->n - digits->point;
    return plain_layout(digits, fraction > 0 && digits->n > 0 ? fraction : 0);
}

/* A float of either width. */
struct real {
    double value;
    bool is_f32;
};

static ARCD_RT void shortest(struct real real, struct arc_host_digits *digits)
{
    if (real.is_f32)
        arc_host_digits_shortest_f32((float)real.value, digits);
    else
        arc_host_digits_shortest_f64(real.value, digits);
}

static ARCD_RT struct layout lay_out(struct real real, const struct arc_image_format *spec,
                                     struct arc_host_digits *digits)
{
    int precision = spec->precision;
    char verb = spec->verb;
    bool compact = verb == 'g' || verb == 'G' || verb == '\0';
    if (compact && precision < 0) {
        shortest(real, digits);
        return compact_layout(digits, 6, verb == 'G' ? 'E' : 'e');
    }
    if (precision < 0)
        precision = DEFAULT_PRECISION;
    arc_host_digits_exact(real.value, digits);
    if (compact) {
        int keep = precision > 0 ? precision : 1;
        arc_host_digits_round(digits, keep);
        return compact_layout(digits, keep, verb == 'G' ? 'E' : 'e');
    }
    if (verb == 'f') {
        arc_host_digits_round(digits, digits->point + precision);
        return plain_layout(digits, precision);
    }
    arc_host_digits_round(digits, precision + 1);
    return scientific_layout(digits, precision, verb);
}

static ARCD_RT void format_special(struct arc_host_text *text, const struct arc_image_format *spec,
                                   double value)
{
    const char *name = isnan(value) ? "NaN" : value < 0 ? "-Inf" : "+Inf";
    int len = (int)strlen(name);
    int after = pad_before(text, spec, len, ' ');
    arc_host_text_append(text, name, (uint32_t)len);
    pad_after(text, after);
}

static ARCD_RT void format_real(struct arc_host_text *text, const struct arc_image_format *spec,
                                struct real real)
{
    if (spec == NULL)
        spec = &NO_SPEC;
    if (!isfinite(real.value)) {
        format_special(text, spec, real.value);
        return;
    }
    struct arc_host_digits digits;
    struct layout layout = lay_out(real, spec, &digits);
    char sign = sign_of(spec, signbit(real.value));
    int len = (sign != '\0') + layout.whole + (layout.fraction > 0 ? 1 + layout.fraction : 0) +
              exponent_bytes(&layout);
    bool zeros = spec->zero && !spec->minus;
    int after = zeros ? 0 : pad_before(text, spec, len, ' ');
    if (sign != '\0')
        append_char(text, sign);
    if (zeros)
        append_repeated(text, '0', spec->width - len);
    append_float(text, &digits, &layout);
    pad_after(text, after);
}

ARCD_RT void arc_host_format_f64(struct arc_host_text *text, const struct arc_image_format *spec,
                                 double value)
{
    format_real(text, spec, (struct real){.value = value});
}

ARCD_RT void arc_host_format_f32(struct arc_host_text *text, const struct arc_image_format *spec,
                                 float value)
{
    format_real(text, spec, (struct real){.value = (double)value, .is_f32 = true});
}
