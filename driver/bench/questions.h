/* driver/bench/questions.h - the questions of `arcd bench`, one file each, and the options that
 * several of them have. As cli_verb::run; argv[0] is "arcd bench QUESTION". One thread.
 */
#ifndef DRIVER_BENCH_QUESTIONS_H
#define DRIVER_BENCH_QUESTIONS_H

#include "arc_host/wait.h"
#include "driver/bench/load.h"
#include "driver/bench/result.h"
#include "driver/bench/session.h"
#include "driver/main/cli.h"

int bench_question_fair(int argc, char **argv);
int bench_question_latency(int argc, char **argv);
int bench_question_reaction(int argc, char **argv);
int bench_question_sleep(int argc, char **argv);
int bench_question_timers(int argc, char **argv);
int bench_question_wait(int argc, char **argv);

/* ---- Options. All leave the process with a sentence when the text is wrong. */

enum { BENCH_LIST_MAX = 16 };

/* "60s", "10min"; a bare number is seconds. At most a day. */
int64_t bench_option_duration(struct argp_state *state, const char *text);

/* "1khz,100hz,20000": 0.1 Hz to 100 kHz. How many. */
uint32_t bench_option_rates(struct argp_state *state, const char *text,
                            double rates_hz[BENCH_LIST_MAX]);

/* "low,auto" */
uint32_t bench_option_levels(struct argp_state *state, const char *text,
                             enum arc_host_level levels[BENCH_LIST_MAX]);

/* True for "loaded", false for "idle". */
bool bench_option_loaded(struct argp_state *state, const char *text);

/* True for "cyclictest". */
bool bench_option_versus(struct argp_state *state, const char *text);

uint32_t bench_option_count(struct argp_state *state, const char *option, const char *text,
                            uint32_t most);

/* ---- Load */

/* What there is then: "loaded", or "idle" after saying why it could not be more. */
const char *bench_load_or_say(struct bench_load *load, bool wanted, struct bench_session *session);

/* ---- Output */

/* "rate|level|load|who|fires>|mean>|p50>|p99>|p99.9>|p99.99>|worst>|cpu>", a row a side and one for
 * the ratio. */
void bench_table_print(struct bench_result *const *results, uint32_t n);

#endif
