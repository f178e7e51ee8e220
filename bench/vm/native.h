/* bench/vm/native.h - the same computations in C, compiled with -O2: what the machine is compared
 * with. */
#ifndef BENCH_VM_NATIVE_H
#define BENCH_VM_NATIVE_H

#include <stddef.h>

struct native_pid {
    double kp, ki, kd, dt, lo, hi, setpoint;
    double integral, last;
};

/* One call for each sample, not inlined: the caller does not know the controller. */
double native_pid(struct native_pid *pid, double pv);

void native_pid_samples(struct native_pid *pid, const double *in, double *out, size_t n);
void native_scale(const double *in, double *out, size_t n);

#endif
