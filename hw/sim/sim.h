/* hw/sim/sim.h - a device without hardware: signals, a plant that can be controlled, and faults.
 *
 * hw_sim_driver is the backend for the Driver's table (see hw/hw.h for life cycle and threads).
 * Device time is seconds since device_open, by the clock of its hw_env; it runs on while tasks are
 * stopped. With `"clock": "virtual"` it stands still but for hw_sim_advance().
 * Same seed and same commands at the same times give the same samples, bit for bit, on every
 * machine.
 */
#ifndef HW_SIM_SIM_H
#define HW_SIM_SIM_H

#include "hw/hw.h"

extern const struct hw_driver hw_sim_driver;

/* Moves the time of a device whose clock is virtual, and wakes its reads. From any thread. */
void hw_sim_advance(struct hw_device *device, int64_t by_ns);

/* Device time now. From any thread. */
int64_t hw_sim_now_ns(const struct hw_device *device);

#endif
