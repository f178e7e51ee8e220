/* tasks/event.h - everything a task can say about itself, in one list.
 *
 * A running task puts a fixed record in a ring; the words are made from these templates by whoever
 * reads it. In a template: {text} the device's sentence, {ch} the channel, {n} {m} whole numbers,
 * {a} {b} {c} numbers.
 *
 * X(NAME, VARIANT, LASTING, "message")
 * A LASTING warning holds until the task clears it; a ONCE warning is shown for a while. When none
 * is left, `Task running` follows.
 */
#ifndef TASKS_EVENT_H
#define TASKS_EVENT_H

#define TASKS_VARIANTS(X)                                                                          \
    X(SUCCESS, success)                                                                            \
    X(INFO, info)                                                                                  \
    X(WARNING, warning)                                                                            \
    X(ERROR, error)                                                                                \
    X(LOADING, loading)                                                                            \
    X(DISABLED, disabled)

#define TASKS_EVENTS(X)                                                                            \
    /* Life cycle */                                                                               \
    X(CONFIGURED, SUCCESS, ONCE, "Task configured")                                                \
    X(DISABLED, DISABLED, ONCE, "Task is disabled")                                                \
    X(STARTING, LOADING, ONCE, "Task starting")                                                    \
    X(STARTED, SUCCESS, ONCE, "Task started")                                                      \
    X(STOPPED, SUCCESS, ONCE, "Task stopped")                                                      \
    X(RUNNING, SUCCESS, ONCE, "Task running")                                                      \
    /* Errors of the device */                                                                     \
    X(RETRY, WARNING, LASTING, "{text}; retry {n}/{m} in {a} s")                                   \
    X(RETRY_FOREVER, WARNING, LASTING, "{text}; retry {n} in {a} s")                               \
    X(RESTARTED, WARNING, ONCE, "{text}; restarted")                                               \
    X(GAVE_UP, ERROR, ONCE, "{text}; gave up after {n} retries")                                   \
    X(CRITICAL, ERROR, ONCE, "{text}")                                                             \
    X(DEVICE_WARNING, WARNING, ONCE, "{text}")                                                     \
    X(NOT_GRANTED, WARNING, ONCE, "{text}")                                                        \
    X(RATE_COERCED, WARNING, ONCE, "rate coerced to {a} Hz")                                       \
    /* Reading */                                                                                  \
    X(LOST, WARNING, ONCE, "{n} samples per channel were lost; the index has a gap")               \
    X(LOST_UNKNOWN, WARNING, ONCE, "samples were lost, how many is unknown; index re-anchored")    \
    X(SKEW, WARNING, LASTING,                                                                      \
      "{n} samples behind the hardware; lower stream_rate or the channel count")                   \
    X(BACKLOG, WARNING, LASTING,                                                                   \
      "{n} samples wait in the device; lower sample_rate or the channel count")                    \
    X(MISSED_TICKS, WARNING, LASTING,                                                              \
      "cannot keep {a} Hz: a pass takes {b} ms; lower sample_rate")                                \
    X(CLOCK_FORWARD, WARNING, ONCE, "clock step of {a} s; index re-anchored")                      \
    X(CLOCK_BACKWARD, WARNING, LASTING,                                                            \
      "clock step of {a} s; the index is ahead and waits for the clock")                           \
    X(OUTSIDE, WARNING, LASTING, "{ch}: {a} is outside {b} to {c}")                                \
    X(NAN_AS_ZERO, WARNING, ONCE, "{ch}: not a number, published as 0 by its integer type")        \
    X(TARE_NO_VALUES, WARNING, ONCE, "{ch}: not tared, the batch has no finite value")             \
    X(TEXT_CUT, WARNING, ONCE, "{ch}: a text of {n} bytes does not fit; not published")            \
    X(NOT_PUBLISHED, WARNING, ONCE,                                                                \
      "{n} samples per channel not published: consumers hold every batch")                         \
    /* Writing */                                                                                  \
    X(CLAMPED, WARNING, LASTING, "{ch}: {a} clamped to {b}")                                       \
    X(NAN_IGNORED, WARNING, ONCE, "{ch}: a command that is not a number was ignored")              \
    X(COMMAND_TOO_LONG, WARNING, ONCE, "{ch}: a text of {n} bytes is too long, ignored")           \
    X(NO_COMMAND, WARNING, LASTING, "no command for {a} s; {ch} set safe")                         \
    X(NOT_TAKEN, WARNING, ONCE, "{ch}: the device did not take {a}")                               \
    X(NOT_TAKEN_WHY, WARNING, ONCE, "{text}")                                                      \
    X(HOLDER_FAILED, WARNING, ONCE, "the writer of {ch} failed; {ch} set to its fault value")      \
    X(NOT_SAFE, WARNING, ONCE, "{text}; outputs may not have their safe values")

enum tasks_variant {
#define TASKS_VARIANT_ENUM(NAME, name) TASKS_VARIANT_##NAME,
    TASKS_VARIANTS(TASKS_VARIANT_ENUM)
#undef TASKS_VARIANT_ENUM
};

enum tasks_event {
#define TASKS_EVENT_ENUM(NAME, variant, lasting, message) TASKS_EVENT_##NAME,
    TASKS_EVENTS(TASKS_EVENT_ENUM)
#undef TASKS_EVENT_ENUM
        TASKS_EVENT_COUNT /* at most 64: the lasting ones are bits of a word */
};

#endif
