/* The bucket of a value is its leading 8 bits, shifted into place: shift * 128 + (value >> shift),
 * where the shift is what makes the second part 128..255 (and 0 for values that are smaller). So
 * the buckets of two neighbouring octaves join without a gap. */
#include "base/histo.h"

#include <sched.h>
#include <string.h>

enum { COPY_TRIES = 100 };

static const uint32_t sub_buckets = UINT32_C(1) << BASE_HISTO_SUB_BITS;

ARCD_RT static inline uint32_t bucket_of(uint64_t value)
{
    if (value < 2 * (uint64_t)sub_buckets)
        return (uint32_t)value;
    uint32_t shift = 63 - (uint32_t)__builtin_clzll(value) - BASE_HISTO_SUB_BITS;
    return (shift << BASE_HISTO_SUB_BITS) + (uint32_t)(value >> shift);
}

int64_t base_histo_bucket_from(uint32_t i)
{
    ARCD_ASSERT(i < BASE_HISTO_BUCKETS);
    if (i < 2 * sub_buckets)
        return i;
    uint32_t shift = (i >> BASE_HISTO_SUB_BITS) - 1;
    return (int64_t)(i - (shift << BASE_HISTO_SUB_BITS)) << shift;
}

int64_t base_histo_bucket_to(uint32_t i)
{
    if (i < 2 * sub_buckets)
        return base_histo_bucket_from(i);
    uint32_t shift = (i >> BASE_HISTO_SUB_BITS) - 1;
    return base_histo_bucket_from(i) + (INT64_C(1) << shift) - 1;
}

static void init_totals(struct base_histo *histo)
{
    atomic_init(&histo->first, BASE_HISTO_BUCKETS);
    atomic_init(&histo->last, 0);
    atomic_init(&histo->below, 0);
    atomic_init(&histo->above, 0);
    atomic_init(&histo->min, INT64_MAX);
    atomic_init(&histo->max, INT64_MIN);
    atomic_init(&histo->sum, 0.0);
}

void base_histo_init(struct base_histo *histo)
{
    atomic_init(&histo->epoch, 0);
    atomic_init(&histo->reset_asked, 0);
    init_totals(histo);
    for (uint32_t i = 0; i < BASE_HISTO_BUCKETS; i++)
        atomic_init(&histo->counts[i], 0);
}

/* One thread writes, so adding is a load and a store: no locked instruction is needed. */
#define LOAD(field) atomic_load_explicit(&(field), memory_order_relaxed)
#define STORE(field, value) atomic_store_explicit(&(field), (value), memory_order_relaxed)

/* Release: a reader that sees the count sees the min, max and sum that go with it, which it reads
 * afterwards. Pairs with copy_once(). */
#define COUNT(field) atomic_store_explicit(&(field), LOAD(field) + 1, memory_order_release)

ARCD_RT static inline void count_bucket(struct base_histo *histo, uint64_t value)
{
    uint32_t i = bucket_of(value);
    if (i < LOAD(histo->first))
        STORE(histo->first, i);
    if (i > LOAD(histo->last))
        STORE(histo->last, i);
    COUNT(histo->counts[i]);
}

ARCD_RT void base_histo_record(struct base_histo *histo, int64_t value_ns)
{
    if (ARCD_UNLIKELY(LOAD(histo->reset_asked) != 0))
        base_histo_reset(histo);
    if (value_ns < LOAD(histo->min))
        STORE(histo->min, value_ns);
    if (value_ns > LOAD(histo->max))
        STORE(histo->max, value_ns);
    STORE(histo->sum, LOAD(histo->sum) + (double)value_ns);
    if (value_ns < 0)
        COUNT(histo->below);
    else if (value_ns >> BASE_HISTO_TOP_BITS != 0)
        COUNT(histo->above);
    else
        count_bucket(histo, (uint64_t)value_ns);
}

/* Release on every store: a reader that sees a cleared value sees the odd epoch, or the one behind
 * it, when it looks again. Pairs with the acquire loads of copy_once(). */
#define CLEAR(field, value) atomic_store_explicit(&(field), (value), memory_order_release)

ARCD_RT void base_histo_reset(struct base_histo *histo)
{
    STORE(histo->reset_asked, 0);
    uint32_t epoch = LOAD(histo->epoch);
    STORE(histo->epoch, epoch + 1);
    uint32_t last = LOAD(histo->last);
    for (uint32_t i = LOAD(histo->first); i <= last; i++)
        CLEAR(histo->counts[i], 0);
    CLEAR(histo->first, BASE_HISTO_BUCKETS);
    CLEAR(histo->last, 0);
    CLEAR(histo->below, 0);
    CLEAR(histo->above, 0);
    CLEAR(histo->min, INT64_MAX);
    CLEAR(histo->max, INT64_MIN);
    CLEAR(histo->sum, 0.0);
    CLEAR(histo->epoch, epoch + 2);
}

void base_histo_ask_reset(struct base_histo *histo)
{
    STORE(histo->reset_asked, 1);
}

#define SEE(field) atomic_load_explicit(&(field), memory_order_acquire)

/* False when a reset came in between. */
static bool copy_once(const struct base_histo *histo, struct base_histo_copy *copy)
{
    uint32_t epoch = SEE(histo->epoch);
    if (epoch % 2 != 0)
        return false;
    base_histo_copy_init(copy);
    copy->below = SEE(histo->below);
    copy->above = SEE(histo->above);
    copy->count = copy->below + copy->above;
    uint32_t last = SEE(histo->last);
    for (uint32_t i = SEE(histo->first); i <= last; i++) {
        copy->counts[i] = SEE(histo->counts[i]);
        copy->count += copy->counts[i];
    }
    copy->min = SEE(histo->min);
    copy->max = SEE(histo->max);
    copy->sum = SEE(histo->sum);
    return LOAD(histo->epoch) == epoch;
}

void base_histo_copy(const struct base_histo *histo, struct base_histo_copy *copy)
{
    base_histo_copy_init(copy);
    for (int tries = 0; tries < COPY_TRIES && !copy_once(histo, copy); tries++)
        sched_yield(); /* the recorder may be a normal thread that was stopped half-way */
    if (copy->count == 0)
        base_histo_copy_init(copy);
}

void base_histo_copy_init(struct base_histo_copy *copy)
{
    memset(copy, 0, sizeof *copy);
}

void base_histo_copy_add(struct base_histo_copy *copy, int64_t value_ns, uint64_t n)
{
    if (n == 0)
        return;
    copy->min = copy->count == 0 || value_ns < copy->min ? value_ns : copy->min;
    copy->max = copy->count == 0 || value_ns > copy->max ? value_ns : copy->max;
    copy->count += n;
    copy->sum += (double)value_ns * (double)n;
    if (value_ns < 0)
        copy->below += n;
    else if (value_ns >> BASE_HISTO_TOP_BITS != 0)
        copy->above += n;
    else
        copy->counts[bucket_of((uint64_t)value_ns)] += n;
}

void base_histo_merge(struct base_histo_copy *into, const struct base_histo_copy *from)
{
    if (from->count == 0)
        return;
    into->min = into->count == 0 || from->min < into->min ? from->min : into->min;
    into->max = into->count == 0 || from->max > into->max ? from->max : into->max;
    into->count += from->count;
    into->below += from->below;
    into->above += from->above;
    into->sum += from->sum;
    for (uint32_t i = 0; i < BASE_HISTO_BUCKETS; i++)
        into->counts[i] += from->counts[i];
}

/* The end of the bucket that holds the value of that rank (from 1). */
static int64_t value_at(const struct base_histo_copy *copy, uint64_t rank)
{
    uint64_t seen = copy->below;
    if (rank <= seen)
        return copy->min;
    for (uint32_t i = 0; i < BASE_HISTO_BUCKETS; i++) {
        seen += copy->counts[i];
        if (rank <= seen)
            return base_histo_bucket_to(i);
    }
    return copy->max;
}

int64_t base_histo_quantile(const struct base_histo_copy *copy, double q)
{
    if (copy->count == 0)
        return 0;
    if (!(q > 0))
        return copy->min;
    /* Rounded up: a share of q, at least, must not exceed the value. The factor keeps 0.99 * 100
     * from being a little over 99. */
    double rank = q * (double)copy->count * (1 - 1e-12);
    uint64_t whole = (uint64_t)rank;
    whole += (double)whole < rank;
    if (whole >= copy->count)
        return copy->max;
    int64_t value = value_at(copy, whole > 0 ? whole : 1);
    return value > copy->max ? copy->max : value < copy->min ? copy->min : value;
}

double base_histo_mean(const struct base_histo_copy *copy)
{
    return copy->count == 0 ? 0.0 : copy->sum / (double)copy->count;
}
