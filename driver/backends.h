/* driver/backends.h - the driver_backends that are built into this arcd: the one place that names
 * them. */
#ifndef DRIVER_BACKENDS_H
#define DRIVER_BACKENDS_H

#include "hw/hw.h"

/* Ends with NULL. */
extern const struct hw_driver *const driver_backends[];

/* NULL when there is no such backend, or it is not built in. */
const struct hw_driver *driver_backend_find(const char *name);

/* The backend's driver and the type's row for a task type like "modbus_read"; false when unknown.
 */
bool driver_backend_find_task_type(const char *type, const struct hw_driver **driver,
                                   const struct hw_task_type **row);

#endif
