/* tests/support/scripted_hw.h - a backend whose every call does what the test says.
 *
 * Life cycle: scripted_init -> scripted_channel ... -> scripted_answer ... -> give .driver to a
 * task
 * -> look at .log, .outputs -> scripted_fini.
 *
 * Each kind of call takes its answers from a queue of its own; an empty queue gives the default: a
 * call that works. Calls move the fake clock by what they take, or wait that long by the machine's
 * clock. With `blocks` a call waits until it is interrupted or its deadline. Threads: the task's
 * thread calls; the test reads the log after the task has stopped, or while it steps the task
 * itself.
 */
#ifndef TESTS_SUPPORT_SCRIPTED_HW_H
#define TESTS_SUPPORT_SCRIPTED_HW_H

#include "base/doorbell.h"
#include "hw/hw.h"
#include "tests/support/fake_clock.h"

enum scripted_call {
    SCRIPTED_START,
    SCRIPTED_READ,
    SCRIPTED_WRITE,
    SCRIPTED_READBACK,
    SCRIPTED_CALLS
};

enum { SCRIPTED_CHANNELS = 8, SCRIPTED_ANSWERS = 256, SCRIPTED_LOG = 8192 };

struct scripted_answer {
    enum hw_class cls;
    const char *text; /* of the error */
    int64_t code, delay_ns;
    bool is_short; /* n_got holds */
    uint32_t n_got;
    int64_t skew, lost, backlog;
    const char *warning;
    uint32_t invalid;  /* bits of channels without a value, or that the device does not take */
    int64_t takes_ns;  /* besides what the call takes anyway */
    int64_t wall_step; /* the wall clock jumps by this during the call */
    bool blocks;
};

struct scripted_hw {
    struct hw_driver driver;
    struct fake_clock *time; /* NULL: the machine's clock */
    struct hw_task_info info;
    struct hw_channel channels[SCRIPTED_CHANNELS];
    double pass_ns; /* a software read or a write takes this */
    int64_t sample; /* samples given out per channel: sample i of channel c is i + 100 * c */
    struct hw_str strs[SCRIPTED_CHANNELS];
    union telem_value values[SCRIPTED_CHANNELS][16]; /* instead of the counter: the next samples */
    uint32_t n_values[SCRIPTED_CHANNELS];
    union telem_value outputs[SCRIPTED_CHANNELS]; /* what was written last; what readback gives */
    bool has_output[SCRIPTED_CHANNELS];
    char texts[SCRIPTED_CHANNELS][32];
    struct scripted_answer answers[SCRIPTED_CALLS][SCRIPTED_ANSWERS];
    uint32_t n_answers[SCRIPTED_CALLS], next_answer[SCRIPTED_CALLS];
    uint32_t n_calls[SCRIPTED_CALLS], n_stops;
    char log[SCRIPTED_LOG]; /* "start read write(0=1) stop " */
    struct base_doorbell *bell;
    _Atomic bool interrupted;
    _Atomic uint32_t blocked; /* calls that have begun to wait */
};

void scripted_init(struct scripted_hw *hw, struct fake_clock *time, enum hw_timing timing,
                   double rate_hz);
void scripted_fini(struct scripted_hw *hw);
void scripted_channel(struct scripted_hw *hw, const char *name, enum hw_value value);
void scripted_answer(struct scripted_hw *hw, enum scripted_call call,
                     struct scripted_answer answer);
/* The same n times. */
void scripted_answers(struct scripted_hw *hw, enum scripted_call call, uint32_t n,
                      struct scripted_answer answer);
/* The next samples of a channel, before the counter goes on. */
void scripted_value(struct scripted_hw *hw, uint32_t channel, union telem_value value);

/* The device to hand to a task. */
struct hw_device *scripted_device(struct scripted_hw *hw);

#endif
