#include "arc_host/cores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char isolated_path[] = "/sys/devices/system/cpu/isolated";

/* A number that is a core, at *at; -1 when there is none. */
static int parse_number(const char **at)
{
    if (**at < '0' || **at > '9')
        return -1;
    char *end;
    unsigned long n = strtoul(*at, &end, 10);
    *at = end;
    return n < CPU_SETSIZE ? (int)n : -1;
}

/* One of "3", "3-5" and "0-15:2/4" (two of every group of four). */
static bool parse_range(const char **at, cpu_set_t *set)
{
    int first = parse_number(at), last = first, used = 1, group = 1;
    if (**at == '-') {
        (*at)++;
        last = parse_number(at);
    }
    if (**at == ':') {
        (*at)++;
        used = parse_number(at);
        if (**at != '/')
            return false;
        (*at)++;
        group = parse_number(at);
    }
    if (first < 0 || last < first || used < 1 || group < used)
        return false;
    for (int cpu = first; cpu <= last; cpu++)
        if ((cpu - first) % group < used)
            CPU_SET((size_t)cpu, set);
    return true;
}

bool arc_host_cores_parse(const char *list, cpu_set_t *set)
{
    CPU_ZERO(set);
    const char *at = list;
    while (*at != '\0' && *at != '\n') {
        if (!parse_range(&at, set) || (*at != ',' && *at != '\0' && *at != '\n')) {
            CPU_ZERO(set);
            return false;
        }
        if (*at == ',')
            at++;
    }
    return true;
}

static int how_many_of(int n_allowed)
{
    if (n_allowed <= 2)
        return n_allowed < 1 ? 0 : 1;
    return n_allowed <= 4 ? 2 : n_allowed <= 8 ? 3 : 4;
}

void arc_host_cores_choose(struct arc_host_cores *cores, const cpu_set_t *isolated,
                           const cpu_set_t *allowed)
{
    memset(cores, 0, sizeof *cores);
    cores->isolated = CPU_COUNT(isolated) > 0;
    const cpu_set_t *from = cores->isolated ? isolated : allowed;
    int skip = cores->isolated ? 0 : CPU_COUNT(allowed) - how_many_of(CPU_COUNT(allowed));
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, from) && skip-- <= 0)
            cores->cpus[cores->n_cpus++] = cpu;
}

void arc_host_cores_read(struct arc_host_cores *cores)
{
    char list[1024] = "";
    FILE *file = fopen(isolated_path, "re");
    if (file != NULL) {
        if (fgets(list, sizeof list, file) == NULL)
            list[0] = '\0';
        fclose(file);
    }
    cpu_set_t isolated, allowed;
    arc_host_cores_parse(list, &isolated); /* not understood: as if none was isolated */
    CPU_ZERO(&allowed);
    /* Of the main thread: a thread that was pinned must not narrow the choice. */
    if (sched_getaffinity(getpid(), sizeof allowed, &allowed) != 0)
        CPU_ZERO(&allowed);
    arc_host_cores_choose(cores, &isolated, &allowed);
}

int arc_host_cores_take(struct arc_host_cores *cores, int wanted)
{
    int cpu = wanted;
    if (wanted == ARC_HOST_CORE_ANY) {
        for (int i = 0; i < cores->n_cpus; i++)
            if (cpu == ARC_HOST_CORE_ANY || cores->load[cores->cpus[i]] <= cores->load[cpu])
                cpu = cores->cpus[i];
    }
    if (cpu >= 0 && cpu < CPU_SETSIZE)
        atomic_fetch_add(&cores->load[cpu], 1);
    return cpu;
}

void arc_host_cores_give(struct arc_host_cores *cores, int cpu)
{
    if (cpu < 0 || cpu >= CPU_SETSIZE)
        return;
    uint32_t before = atomic_fetch_sub(&cores->load[cpu], 1);
    ARCD_ASSERT(before > 0);
}
