/* The doctor, shown machines that are not this one: small trees of /proc and /sys. */
#include "driver/doctor.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[] = "/tmp/arcd-doctor-XXXXXX";

/* Writes root/path, making its folders. */
static void put(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    fprintf(file, "%s\n", text);
    fclose(file);
}

static const struct driver_doctor_finding *find(const struct driver_doctor_finding *findings,
                                                size_t n, const char *topic)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(findings[i].topic, topic) == 0)
            return &findings[i];
    fail_msg("no finding about %s", topic);
    return findings;
}

static void a_good_controller_has_nothing_to_fix(void **state)
{
    (void)state;
    put("/sys/kernel/realtime", "1");
    put("/proc/version", "Linux version 6.1.0-18-rt-amd64 #1 SMP PREEMPT_RT");
    put("/proc/cmdline", "isolcpus=3");
    put("/proc/cpuinfo", "flags : fpu tsc");
    put("/sys/devices/system/cpu/isolated", "3");
    put("/sys/devices/system/cpu/online", "0-3");
    put("/proc/sys/kernel/sched_rt_runtime_us", "950000");
    put("/proc/sys/kernel/sched_rt_period_us", "1000000");
    put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc");
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance");
    put("/sys/devices/system/cpu/cpu0/cpuidle/state0/latency", "0");
    put("/sys/devices/system/cpu/cpu0/cpuidle/state0/name", "POLL");
    put("/sys/devices/system/cpu/smt/active", "0");
    put("/proc/irq/10/effective_affinity_list", "0");
    struct driver_doctor_process process = {true, true, true, 0, 0, 0};
    struct driver_doctor_finding findings[DRIVER_DOCTOR_MAX_FINDINGS];
    size_t n = driver_doctor_examine(root, &process, findings);
    assert_int_equal(n, 12);
    for (size_t i = 0; i < n; i++) {
        if (findings[i].grade != DRIVER_DOCTOR_GOOD)
            fail_msg("%s: %s", findings[i].topic, findings[i].found);
        assert_string_equal(findings[i].fix, "");
    }
    assert_string_equal(find(findings, n, "isolated cores")->found, "cores 3 are isolated");
}

static void each_weakness_is_found_and_has_a_fix(void **state)
{
    (void)state;
    put("/sys/kernel/realtime", "0");
    put("/proc/version", "Linux version 6.1.0 #1 SMP PREEMPT_DYNAMIC Debian");
    put("/proc/cmdline", "quiet");
    put("/proc/cpuinfo", "flags : fpu hypervisor lahf_lm");
    put("/sys/devices/system/cpu/isolated", "");
    put("/proc/sys/kernel/sched_rt_runtime_us", "100000");
    put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet");
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
    put("/sys/devices/system/cpu/cpu0/cpuidle/state1/latency", "133");
    put("/sys/devices/system/cpu/cpu0/cpuidle/state1/name", "C6");
    put("/sys/devices/system/cpu/smt/active", "1");
    put("/proc/irq/10/effective_affinity_list", "3");
    struct driver_doctor_process process = {false, false, false, 1, 12, 13};
    struct driver_doctor_finding findings[DRIVER_DOCTOR_MAX_FINDINGS];
    size_t n = driver_doctor_examine(root, &process, findings);
    for (size_t i = 0; i < n; i++) {
        assert_int_not_equal(findings[i].grade, DRIVER_DOCTOR_GOOD);
        assert_string_not_equal(findings[i].cost, "");
        assert_string_not_equal(findings[i].fix, "");
    }
    assert_non_null(
        strstr(find(findings, n, "real-time priority")->found, "Operation not permitted"));
    assert_string_equal(find(findings, n, "idle latency")->found, "deepest state C6: 133 us");
    assert_string_equal(find(findings, n, "interrupts")->found, "1 of 1 are served on core 3");
    assert_string_equal(find(findings, n, "clock source")->found, "hpet");
}

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) != NULL ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_controller_has_nothing_to_fix),
        cmocka_unit_test(each_weakness_is_found_and_has_a_fix),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
