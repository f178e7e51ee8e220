/* arcd bench latency: how late a 20 kHz loop is under stress. */
#include "driver/bench/timers.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = state->input; return 0;
    case ARGP_KEY_ARG: argp_error(state, "no argument is expected: '%s'", arg); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int bench_question_latency(int argc, char **argv)
{
    static const struct argp_child children[] = {{&bench_timers_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        .parser = parse,
        .doc = "Measure how late the cycles of a 20 kHz loop begin, at level high, with every core "
               "under stress, for ten minutes.\vThe same as 'arcd bench timers --rate 20khz "
               "--level high --load loaded --duration 10min'; see there.",
        .children = children};
    struct bench_timers timers = {.rates_hz = {20000},
                                  .n_rates = 1,
                                  .levels = {ARC_HOST_LEVEL_HIGH},
                                  .n_levels = 1,
                                  .test = "latency",
                                  .duration_ns = 600 * BASE_NS_PER_S,
                                  .loaded = true,
                                  .realtime = true};
    argp_parse(&argp, argc, argv, 0, NULL, &timers);
    return bench_timers_run(&timers);
}
