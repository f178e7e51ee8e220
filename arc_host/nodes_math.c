/* math.avg, math.min, math.max, math.derivative, select. */
#include "arc_host/number.h"
#include "arc_host/program_priv.h"

/* F(NAME, C type, register member, cast from f64) for every number type. */
#define NUMBERS(F)                                                                                 \
    F(I8, int8_t, i64, arc_host_cast_f64_i8)                                                       \
    F(I16, int16_t, i64, arc_host_cast_f64_i16)                                                    \
    F(I32, int32_t, i64, arc_host_cast_f64_i32)                                                    \
    F(I64, int64_t, i64, arc_host_cast_f64_i64)                                                    \
    F(U8, uint8_t, u64, arc_host_cast_f64_u8)                                                      \
    F(U16, uint16_t, u64, arc_host_cast_f64_u16)                                                   \
    F(U32, uint32_t, u64, arc_host_cast_f64_u32)                                                   \
    F(U64, uint64_t, u64, arc_host_cast_f64_u64)                                                   \
    F(F32, float, f32, arc_host_cast_f64_f32)                                                      \
    F(F64, double, f64, arc_host_cast_f64_f64)

/* A window's value so far; seen == 0: none. The last output feeds back in its own type, so that an
 * average of integers is cut at each output. */
struct window {
    union arc_reg value;
    uint64_t seen;
};

#define WINDOW_OPS(NAME, C, member, cast)                                                          \
    static ARCD_RT void average_##NAME(struct window *w, struct arc_host_column_view view)         \
    {                                                                                              \
        const C *x = view.data;                                                                    \
        double sum = w->seen != 0 ? (double)w->value.member * (double)w->seen : 0;                 \
        double batch = 0;                                                                          \
        for (uint32_t i = 0; i < view.n; i++)                                                      \
            batch += (double)x[i];                                                                 \
        sum = w->seen != 0 ? sum + batch : batch;                                                  \
        w->seen += view.n;                                                                         \
        w->value.member = cast(sum / (double)w->seen);                                             \
    }                                                                                              \
    static ARCD_RT void smallest_##NAME(struct window *w, struct arc_host_column_view view)        \
    {                                                                                              \
        const C *x = view.data;                                                                    \
        C least = w->seen != 0 ? (C)w->value.member : x[0];                                        \
        for (uint32_t i = 0; i < view.n; i++)                                                      \
            least = x[i] < least ? x[i] : least;                                                   \
        w->seen += view.n;                                                                         \
        w->value.member = least;                                                                   \
    }                                                                                              \
    static ARCD_RT void largest_##NAME(struct window *w, struct arc_host_column_view view)         \
    {                                                                                              \
        const C *x = view.data;                                                                    \
        C most = w->seen != 0 ? (C)w->value.member : x[0];                                         \
        for (uint32_t i = 0; i < view.n; i++)                                                      \
            most = x[i] > most ? x[i] : most;                                                      \
        w->seen += view.n;                                                                         \
        w->value.member = most;                                                                    \
    }
NUMBERS(WINDOW_OPS)

typedef void (*window_fn)(struct window *w, struct arc_host_column_view view);

#define WINDOW_ROW(NAME, C, member, cast)                                                          \
    [TELEM_##NAME] = {average_##NAME, smallest_##NAME, largest_##NAME},
static const window_fn WINDOW[TELEM_STR][3] = {NUMBERS(WINDOW_ROW)};

/* t2 - t1 of two timestamps, whatever they are. */
static inline int64_t span_ns(int64_t t1, int64_t t2)
{
    int64_t span;
    if (__builtin_sub_overflow(t2, t1, &span))
        return t2 > t1 ? INT64_MAX : INT64_MIN;
    return span;
}

/* A sample equal to 1 at the reset input since the last batch, if that is wired. */
static ARCD_RT void look_at_reset(struct arc_host_program *p, const struct arc_image_node *n,
                                  struct arc_host_node *state)
{
    if (n->inputs.n < 2 || p->image->inputs[n->inputs.first + 1].source == ARC_NONE)
        return;
    struct arc_host_held *reset = &p->held[n->inputs.first + 1];
    const uint8_t *x = reset->view.data;
    for (uint32_t i = 0; reset->is_new && i < reset->view.n; i++)
        state->u.window.reset_wanted |= x[i] == 1;
    reset->is_new = false;
}

static ARCD_RT void start_over_if_due(const struct arc_host_program *p,
                                      const struct arc_image_node *n, struct arc_host_node *state,
                                      struct arc_host_column_view view)
{
    int64_t duration_ns = arc_host_config(p, n, 0).i64, count = arc_host_config(p, n, 1).i64;
    int64_t last_ns = view.times[view.n - 1];
    if (!state->u.window.has_started) {
        state->u.window.has_started = true;
        state->u.window.start_ns = view.times[0];
    }
    bool over = state->u.window.reset_wanted;
    if (duration_ns > 0 && span_ns(state->u.window.start_ns, last_ns) >= duration_ns) {
        over = true;
        state->u.window.start_ns = last_ns;
    }
    if (count > 0 && state->u.window.seen >= (uint64_t)count)
        over = true;
    state->u.window.reset_wanted = false;
    if (over)
        state->u.window.seen = 0;
}

ARCD_RT bool arc_host_run_window(struct arc_host_program *p, uint32_t node)
{
    const struct arc_image_node *n = &p->image->nodes[node];
    struct arc_host_node *state = &p->nodes[node];
    look_at_reset(p, n, state);
    struct arc_host_offer offer = arc_host_offer(p, n->inputs.first);
    if (!offer.is_new)
        return true;
    arc_host_consume(p, n);
    start_over_if_due(p, n, state, offer.view);
    struct window window = {.value = state->u.window.value, .seen = state->u.window.seen};
    uint8_t type = arc_host_type(p->image->inputs[n->inputs.first].type);
    WINDOW[type][n->kind - ARC_IMAGE_NODE_AVG](&window, offer.view);
    state->u.window.value = window.value;
    state->u.window.seen = window.seen;
    arc_host_fire_one(p, n->outputs.first, window.value, offer.view.times[offer.view.n - 1]);
    return true;
}

static ARCD_RT double as_f64(uint8_t type, const void *column, uint32_t i)
{
    switch (type) {
#define AS_F64(NAME, C, member, cast)                                                              \
    case TELEM_##NAME: return (double)((const C *)column)[i];
        NUMBERS(AS_F64)
#undef AS_F64
    default: return 0;
    }
}

ARCD_RT bool arc_host_run_derivative(struct arc_host_program *p, uint32_t node)
{
    const struct arc_image_node *n = &p->image->nodes[node];
    struct arc_host_node *state = &p->nodes[node];
    struct arc_host_column_view view = arc_host_offer(p, n->inputs.first).view;
    if (view.n == 0)
        return true;
    struct arc_host_slot *slot = &p->slots[n->outputs.first];
    double *rates = slot->data != NULL ? slot->data : (double *)&slot->one;
    uint8_t type = arc_host_type(p->image->inputs[n->inputs.first].type);
    for (uint32_t i = 0; i < view.n; i++) {
        double value = as_f64(type, view.data, i);
        int64_t span = span_ns(state->u.derivative.time_ns, view.times[i]);
        bool moved = state->u.derivative.has_value && span > 0;
        rates[i] = moved ? (value - state->u.derivative.value) / ((double)span / 1e9) : 0;
        state->u.derivative.value = value;
        state->u.derivative.time_ns = view.times[i];
        state->u.derivative.has_value = true;
    }
    arc_host_fire(p, n->outputs.first,
                  (struct arc_host_column_view){.data = rates, .times = view.times, .n = view.n});
    return true;
}

/* Output 0, `true`, gets a 1 for each sample that is exactly 1, output 1, `false`, for each other.
 */
ARCD_RT bool arc_host_run_select(struct arc_host_program *p, uint32_t node)
{
    const struct arc_image_node *n = &p->image->nodes[node];
    struct arc_host_column_view view = arc_host_offer(p, n->inputs.first).view;
    const uint8_t *x = view.data;
    uint8_t *values[2];
    int64_t *times[2];
    uint32_t count[2] = {0, 0};
    for (uint32_t k = 0; k < 2; k++) {
        struct arc_host_slot *slot = &p->slots[n->outputs.first + k];
        values[k] = slot->data != NULL ? slot->data : (uint8_t *)&slot->one;
        times[k] = slot->times != NULL ? slot->times : &slot->one_time;
    }
    for (uint32_t i = 0; i < view.n; i++) {
        uint32_t k = x[i] == 1 ? 0 : 1;
        values[k][count[k]] = 1;
        times[k][count[k]++] = view.times[i];
    }
    for (uint32_t k = 0; k < 2; k++)
        if (count[k] != 0)
            arc_host_fire(
                p, n->outputs.first + k,
                (struct arc_host_column_view){.data = values[k], .times = times[k], .n = count[k]});
    return true;
}
