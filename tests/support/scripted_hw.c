#include "tests/support/scripted_hw.h"

#include "base/doorbell.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The backend's handles are the script itself. */
static struct scripted_hw *script_of(void *handle)
{
    return handle;
}

struct hw_device *scripted_device(struct scripted_hw *hw)
{
    return (struct hw_device *)(void *)hw;
}

static void say(struct scripted_hw *hw, const char *fmt, ...) ARCD_PRINTF(2, 3);

static void say(struct scripted_hw *hw, const char *fmt, ...)
{
    size_t len = strlen(hw->log);
    va_list args;
    va_start(args, fmt);
    vsnprintf(hw->log + len, sizeof hw->log - len, fmt, args);
    va_end(args);
}

static int64_t mono_of(const struct scripted_hw *hw)
{
    return hw->time != NULL ? hw->time->mono_ns : base_mono_ns();
}

static struct scripted_answer next_answer(struct scripted_hw *hw, enum scripted_call call)
{
    hw->n_calls[call]++;
    if (hw->next_answer[call] == hw->n_answers[call])
        return (struct scripted_answer){0};
    return hw->answers[call][hw->next_answer[call]++];
}

static void wait_until(struct scripted_hw *hw, int64_t deadline_mono_ns)
{
    for (;;) {
        uint32_t seen = base_doorbell_read(hw->bell);
        if (atomic_load(&hw->interrupted) || mono_of(hw) >= deadline_mono_ns)
            return;
        base_doorbell_wait(hw->bell, seen, deadline_mono_ns);
    }
}

/* Lets time pass, then reports the class of the answer. */
static enum hw_class take(struct scripted_hw *hw, const struct scripted_answer *answer,
                          int64_t takes_ns, int64_t deadline_mono_ns, struct hw_error *error)
{
    if (answer->blocks) {
        atomic_fetch_add(&hw->blocked, 1);
        wait_until(hw, deadline_mono_ns);
    } else if (hw->time == NULL && takes_ns > 0) {
        wait_until(hw, mono_of(hw) + takes_ns);
    }
    if (hw->time != NULL) {
        fake_clock_advance(hw->time, takes_ns + answer->takes_ns);
        hw->time->utc_ns += answer->wall_step;
    }
    if (answer->cls == HW_NOMINAL)
        return HW_NOMINAL;
    *error = (struct hw_error){.cls = answer->cls,
                               .code = answer->code,
                               .delay_ns = answer->delay_ns,
                               .channel = UINT32_MAX};
    snprintf(error->text, sizeof error->text, "%s", answer->text != NULL ? answer->text : "broken");
    return answer->cls;
}

static enum hw_class start(struct hw_task *task, int64_t deadline_mono_ns, struct hw_error *error)
{
    struct scripted_hw *hw = script_of(task);
    struct scripted_answer answer = next_answer(hw, SCRIPTED_START);
    say(hw, "start ");
    atomic_store(&hw->interrupted, false);
    return take(hw, &answer, 0, deadline_mono_ns, error);
}

static void stop(struct hw_task *task)
{
    struct scripted_hw *hw = script_of(task);
    hw->n_stops++;
    say(hw, "stop ");
}

static void interrupt(struct hw_task *task)
{
    struct scripted_hw *hw = script_of(task);
    atomic_store(&hw->interrupted, true);
    base_doorbell_ring(hw->bell);
}

static union telem_value counted(const struct scripted_hw *hw, uint32_t c, int64_t i)
{
    union telem_value value = {0};
    if (hw->channels[c].value == HW_F64)
        value.f64 = (double)(i + INT64_C(100) * c);
    else
        value.i64 = i + INT64_C(100) * c;
    return value;
}

static void fill(struct scripted_hw *hw, struct hw_read *read, uint32_t c)
{
    uint32_t own = hw->n_values[c] < read->n_got ? hw->n_values[c] : read->n_got;
    for (uint32_t i = 0; i < read->n_got; i++)
        read->values[c][i] = i < own ? hw->values[c][i] : counted(hw, c, hw->sample + i);
    hw->n_values[c] -= own;
    memmove(hw->values[c], hw->values[c] + own, hw->n_values[c] * sizeof hw->values[c][0]);
    if (hw->channels[c].value == HW_STR)
        read->strs[c] = hw->strs[c];
}

static enum hw_class read_samples(struct hw_task *task, struct hw_read *read,
                                  struct hw_error *error)
{
    struct scripted_hw *hw = script_of(task);
    struct scripted_answer answer = next_answer(hw, SCRIPTED_READ);
    say(hw, "read ");
    double length =
        hw->info.timing == HW_HARDWARE ? read->n_want * 1e9 / hw->info.actual_rate_hz : hw->pass_ns;
    bool works = answer.cls == HW_NOMINAL;
    enum hw_class cls =
        take(hw, &answer, works ? (int64_t)length : 0, read->deadline_mono_ns, error);
    if (atomic_load(&hw->interrupted))
        return HW_NOMINAL;
    read->n_got = answer.is_short ? answer.n_got : works ? read->n_want : 0;
    read->skew_samples = answer.skew;
    read->lost_samples = answer.lost;
    read->backlog_samples = answer.backlog;
    if (answer.warning != NULL)
        snprintf(read->warning, sizeof read->warning, "%s", answer.warning);
    for (uint32_t c = 0; c < hw->info.n_channels; c++) {
        fill(hw, read, c);
        read->valid[c] = (answer.invalid >> c & 1) == 0;
    }
    hw->sample += read->n_got;
    return cls;
}

static double shown(const struct scripted_hw *hw, uint32_t c, union telem_value value)
{
    return hw->channels[c].value == HW_F64   ? value.f64
           : hw->channels[c].value == HW_I64 ? (double)value.i64
                                             : (double)value.u64;
}

static enum hw_class write_values(struct hw_task *task, struct hw_write *write,
                                  struct hw_error *error)
{
    struct scripted_hw *hw = script_of(task);
    struct scripted_answer answer = next_answer(hw, SCRIPTED_WRITE);
    const char *separator = "";
    say(hw, "write(");
    for (uint32_t c = 0; c < hw->info.n_channels; c++) {
        if (write->changed[c] == 0)
            continue;
        if (hw->channels[c].value == HW_STR)
            say(hw, "%s%u=%.*s", separator, c, (int)write->strs[c].len, write->strs[c].bytes);
        else
            say(hw, "%s%u=%g", separator, c, shown(hw, c, write->values[c]));
        separator = ",";
    }
    say(hw, ") ");
    enum hw_class cls = take(hw, &answer, (int64_t)hw->pass_ns, write->deadline_mono_ns, error);
    if (answer.warning != NULL)
        snprintf(write->warning, sizeof write->warning, "%s", answer.warning);
    if (atomic_load(&hw->interrupted) || cls != HW_NOMINAL)
        return cls;
    for (uint32_t c = 0; c < hw->info.n_channels; c++) {
        if (write->changed[c] == 0 || (answer.invalid >> c & 1) != 0)
            continue;
        write->done[c] = 1;
        hw->outputs[c] = write->values[c];
        hw->has_output[c] = true;
        if (hw->channels[c].value == HW_STR)
            snprintf(hw->texts[c], sizeof hw->texts[c], "%.*s", (int)write->strs[c].len,
                     write->strs[c].bytes);
    }
    return cls;
}

static enum hw_class readback(struct hw_task *task, union telem_value *values, uint8_t *valid,
                              struct hw_error *error)
{
    struct scripted_hw *hw = script_of(task);
    struct scripted_answer answer = next_answer(hw, SCRIPTED_READBACK);
    say(hw, "readback ");
    for (uint32_t c = 0; c < hw->info.n_channels; c++) {
        valid[c] = hw->channels[c].has_readback && answer.cls == HW_NOMINAL;
        values[c] = hw->outputs[c];
    }
    return take(hw, &answer, 0, BASE_NEVER, error);
}

static enum arcd_err task_new(struct hw_device *device, const struct hw_task_config *config,
                              struct hw_task **task, const struct hw_task_info **info,
                              struct arcd_errinfo *why)
{
    (void)config;
    (void)why;
    struct scripted_hw *hw = script_of(device);
    *task = (struct hw_task *)(void *)hw;
    *info = &hw->info;
    return ARCD_OK;
}

static void task_free(struct hw_task *task)
{
    say(script_of(task), "free ");
}

static const struct hw_setup_ops setup_ops = {.task_new = task_new, .task_free = task_free};
static const struct hw_loop_ops loop_ops = {.start = start,
                                            .read = read_samples,
                                            .write = write_values,
                                            .readback = readback,
                                            .stop = stop,
                                            .interrupt = interrupt};
static const struct hw_task_type types[] = {
    {.name = "scripted_read",
     .direction = HW_READ,
     .default_timing = HW_SOFTWARE,
     .has_hardware_timing = true,
     .has_software_timing = true},
    {.name = "scripted_write", .direction = HW_WRITE},
    {.name = "scripted_slow", .direction = HW_READ, .has_software_timing = true},
};

void scripted_init(struct scripted_hw *hw, struct fake_clock *time, enum hw_timing timing,
                   double rate_hz)
{
    memset(hw, 0, sizeof *hw);
    hw->driver = (struct hw_driver){.name = "scripted",
                                    .title = "Scripted",
                                    .task_types = types,
                                    .n_task_types = ARCD_COUNT_OF(types),
                                    .setup = &setup_ops,
                                    .loop = &loop_ops};
    hw->time = time;
    hw->info.timing = timing;
    hw->info.actual_rate_hz = rate_hz;
    hw->info.channels = hw->channels;
    hw->bell = aligned_alloc(ARCD_CACHELINE, ARCD_CACHELINE);
    ARCD_ASSERT(hw->bell != NULL);
    base_doorbell_init(hw->bell);
}

void scripted_fini(struct scripted_hw *hw)
{
    free(hw->bell);
}

void scripted_channel(struct scripted_hw *hw, const char *name, enum hw_value value)
{
    ARCD_ASSERT(hw->info.n_channels < SCRIPTED_CHANNELS);
    hw->channels[hw->info.n_channels++] = (struct hw_channel){
        .name = name, .location = "place", .value = value, .str_bytes = value == HW_STR ? 16 : 0};
}

void scripted_answer(struct scripted_hw *hw, enum scripted_call call, struct scripted_answer answer)
{
    ARCD_ASSERT(hw->n_answers[call] < SCRIPTED_ANSWERS);
    hw->answers[call][hw->n_answers[call]++] = answer;
}

void scripted_answers(struct scripted_hw *hw, enum scripted_call call, uint32_t n,
                      struct scripted_answer answer)
{
    for (uint32_t i = 0; i < n; i++)
        scripted_answer(hw, call, answer);
}

void scripted_value(struct scripted_hw *hw, uint32_t channel, union telem_value value)
{
    ARCD_ASSERT(hw->n_values[channel] < ARCD_COUNT_OF(hw->values[0]));
    hw->values[channel][hw->n_values[channel]++] = value;
}
