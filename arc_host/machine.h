/* arc_host/machine.h - what the dispatch loop does outside of itself: strings and series.
 *
 * Every function takes the instruction and the registers of the frame, writes register a, and
 * returns false after a fault. Operands are read again after memory was taken: objects move. One
 * thread, real-time safe.
 */
#ifndef ARC_HOST_MACHINE_H
#define ARC_HOST_MACHINE_H

#include "arc_host/program_priv.h"

/* ---- text.c */

/* a = the n strings, one after the other. They may be a copy of the registers. */
ARCD_RT bool arc_host_text_join(struct arc_host_program *p, const struct arc_insn *i,
                                const union arc_reg *strings, uint32_t n, union arc_reg *r);

ARCD_RT bool arc_host_text_equal(const struct arc_host_heap *heap, union arc_reg a,
                                 union arc_reg b);

/* a = the value by a format; NULL: in the form of str(). */
ARCD_RT bool arc_host_text_of_i64(struct arc_host_program *p, const struct arc_insn *i,
                                  int64_t value, union arc_reg *r,
                                  const struct arc_image_format *format);
ARCD_RT bool arc_host_text_of_u64(struct arc_host_program *p, const struct arc_insn *i,
                                  uint64_t value, union arc_reg *r,
                                  const struct arc_image_format *format);
ARCD_RT bool arc_host_text_of_f32(struct arc_host_program *p, const struct arc_insn *i, float value,
                                  union arc_reg *r, const struct arc_image_format *format);
ARCD_RT bool arc_host_text_of_f64(struct arc_host_program *p, const struct arc_insn *i,
                                  double value, union arc_reg *r,
                                  const struct arc_image_format *format);
ARCD_RT bool arc_host_text_of_str(struct arc_host_program *p, const struct arc_insn *i,
                                  union arc_reg *r, const struct arc_image_format *format);

/* ---- series.c */

ARCD_RT bool arc_host_series_load(struct arc_host_program *p, const struct arc_insn *i,
                                  union arc_reg *r);
ARCD_RT bool arc_host_series_new(struct arc_host_program *p, const struct arc_insn *i,
                                 union arc_reg *r, uint8_t type);

/* a = elements c to c + 1 of b; also the bytes of a str. */
ARCD_RT bool arc_host_series_cut(struct arc_host_program *p, const struct arc_insn *i,
                                 union arc_reg *r, uint32_t elem_bytes);
ARCD_RT bool arc_host_series_unary(struct arc_host_program *p, const struct arc_insn *i,
                                   union arc_reg *r);
ARCD_RT bool arc_host_series_binary(struct arc_host_program *p, const struct arc_insn *i,
                                    union arc_reg *r);

#endif
