#include "bench/vm/native.h"

__attribute__((noinline)) double native_pid(struct native_pid *pid, double pv)
{
    double err = pid->setpoint - pv;
    pid->integral += err * pid->dt;
    if (pid->integral > pid->hi)
        pid->integral = pid->hi;
    if (pid->integral < pid->lo)
        pid->integral = pid->lo;
    double slope = (err - pid->last) / pid->dt;
    pid->last = err;
    double out = pid->kp * err + pid->ki * pid->integral + pid->kd * slope;
    if (out > pid->hi)
        return pid->hi;
    if (out < pid->lo)
        return pid->lo;
    return out;
}

void native_pid_samples(struct native_pid *pid, const double *in, double *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = native_pid(pid, in[i]);
}

void native_scale(const double *in, double *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double y = in[i] * 0.01 + 5.0;
        if (y > 100.0)
            y = 100.0;
        if (y < 0.0)
            y = 0.0;
        out[i] = y;
    }
}
