#include "driver/backends.h"

#include "hw/sim/sim.h"
#ifdef ARCD_WITH_MODBUS
#include "hw/modbus/modbus.h"
#endif

#include <string.h>

const struct hw_driver *const driver_backends[] = {
    &hw_sim_driver,
#ifdef ARCD_WITH_MODBUS
    &hw_modbus_driver,
#endif
    NULL,
};

const struct hw_driver *driver_backend_find(const char *name)
{
    for (size_t i = 0; driver_backends[i] != NULL; i++)
        if (strcmp(driver_backends[i]->name, name) == 0)
            return driver_backends[i];
    return NULL;
}

bool driver_backend_find_task_type(const char *type, const struct hw_driver **driver,
                                   const struct hw_task_type **row)
{
    for (size_t i = 0; driver_backends[i] != NULL; i++) {
        for (uint32_t t = 0; t < driver_backends[i]->n_task_types; t++) {
            if (strcmp(driver_backends[i]->task_types[t].name, type) != 0)
                continue;
            *driver = driver_backends[i];
            *row = &driver_backends[i]->task_types[t];
            return true;
        }
    }
    return false;
}
