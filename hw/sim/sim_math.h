/* hw/sim/sim_math.h - the few functions of the simulated device that must give the same bits on
 * every machine.
 *
 * The C library may round sin, log and exp differently from release to release and from CPU to
 * CPU. These use only + - * / and sqrt, which IEEE 754 fixes, and this folder is compiled without
 * contraction into fused multiply-add. Within 3 ulp of the true value in the ranges named. Pure,
 * any thread.
 */
#ifndef HW_SIM_SIM_MATH_H
#define HW_SIM_SIM_MATH_H

#include <stdint.h>

double sim_sin_turns(double turns); /* sin(2 pi turns) for 0 <= turns < 1; exact at the quarters */
double sim_cos_turns(double turns);
double sim_log(double x);  /* x > 0, normal */
double sim_exp(double x);  /* x <= 0; 0 below -708 */
double sim_frac(double x); /* x - floor(x), below 1 */

uint64_t sim_hash64(const char *text); /* FNV-1a */

/* Draw number `i` of the stream `z0`: uniform in [0, 1), 53 bits; any draw without the ones before.
 */
double sim_uniform(uint64_t z0, uint64_t i);

/* Normal with mean 0 and deviation 1, from the draws 2i and 2i + 1. */
double sim_gauss(uint64_t z0, uint64_t i);

#endif
