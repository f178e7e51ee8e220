/* hw/modbus/modbus.h - Modbus TCP and RTU devices, by libmodbus.
 *
 * hw_modbus_driver is the backend for the Driver's table; hw/hw.h has its life cycle and threads.
 * Devices that name the same host and port, or the same serial port, share one link.
 */
#ifndef HW_MODBUS_MODBUS_H
#define HW_MODBUS_MODBUS_H

#include "hw/hw.h"

extern const struct hw_driver hw_modbus_driver;

#endif
