#include "tasks/tare.h"

#include <math.h>
#include <string.h>

ARCD_STEADY static void set_value(struct tasks_tare *tare, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    tare->value = value;
    atomic_store_explicit(&tare->shown, bits, memory_order_relaxed);
}

void tasks_tare_init(struct tasks_tare *tare, double value)
{
    atomic_init(&tare->request, TASKS_TARE_NONE);
    atomic_init(&tare->shown, 0);
    set_value(tare, value);
}

void tasks_tare_ask(struct tasks_tare *tare, enum tasks_tare_request request)
{
    atomic_store_explicit(&tare->request, request, memory_order_relaxed);
}

bool tasks_tare_is_pending(const struct tasks_tare *tare)
{
    return atomic_load_explicit(&tare->request, memory_order_relaxed) != TASKS_TARE_NONE;
}

double tasks_tare_value(const struct tasks_tare *tare)
{
    uint64_t bits = atomic_load_explicit(&tare->shown, memory_order_relaxed);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* NaN when no value is finite. */
ARCD_STEADY static double finite_mean(const double *values, size_t n)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        bool finite = isfinite(values[i]);
        sum += finite ? values[i] : 0;
        count += finite;
    }
    return count == 0 ? NAN : sum / (double)count;
}

ARCD_STEADY static enum tasks_tare_result serve(struct tasks_tare *tare, const double *values,
                                                size_t n)
{
    uint32_t request =
        atomic_exchange_explicit(&tare->request, TASKS_TARE_NONE, memory_order_relaxed);
    if (request == TASKS_TARE_NONE)
        return TASKS_TARE_KEPT;
    double value = request == TASKS_TARE_SET ? finite_mean(values, n) : 0;
    if (isnan(value))
        return TASKS_TARE_NO_VALUES;
    set_value(tare, value);
    return TASKS_TARE_DONE;
}

ARCD_STEADY enum tasks_tare_result tasks_tare_apply(struct tasks_tare *tare, double *values,
                                                    size_t n)
{
    enum tasks_tare_result result = serve(tare, values, n);
    const double value = tare->value;
    if (value == 0)
        return result;
    for (size_t i = 0; i < n; i++)
        values[i] -= value;
    return result;
}
