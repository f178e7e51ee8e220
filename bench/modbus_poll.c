/* Requests a second over Modbus TCP on loopback: a read task that polls as fast as it can, beside a
 * bare libmodbus loop that makes the same request (ten holding registers). The server is libmodbus
 * in a thread of its own, so that it is not what limits. Turn about in slices; a figure is the time
 * of one request, as the mean of its slice. */
#include "base/clock.h"
#include "base/rt.h"
#include "bench/report.h"
#include "driver/project.h"

#include <errno.h>
#include <modbus.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { REGISTERS = 10, SLICE_NS = 100000000, MAX_CLIENTS = 4 };

/* ---- The server --------------------------------------------------------------------------------
 */

struct server {
    modbus_t *ctx;
    modbus_mapping_t *mapping;
    int listen_fd;
    int port;
    pthread_t thread;
    _Atomic bool stop;
};

static void answer(struct server *server, struct pollfd *client)
{
    uint8_t query[MODBUS_TCP_MAX_ADU_LENGTH];
    modbus_set_socket(server->ctx, client->fd);
    int n = modbus_receive(server->ctx, query);
    if (n > 0) {
        modbus_reply(server->ctx, query, n, server->mapping);
    } else if (n < 0) {
        close(client->fd);
        client->fd = -1;
    }
}

static void *serve(void *arg)
{
    struct server *server = arg;
    struct pollfd fds[1 + MAX_CLIENTS] = {{server->listen_fd, POLLIN, 0}};
    for (int i = 1; i <= MAX_CLIENTS; i++)
        fds[i] = (struct pollfd){-1, POLLIN, 0};
    while (!atomic_load(&server->stop)) {
        if (poll(fds, 1 + MAX_CLIENTS, 100) <= 0)
            continue;
        for (int i = 1; i <= MAX_CLIENTS; i++)
            if (fds[i].fd >= 0 && fds[i].revents != 0)
                answer(server, &fds[i]);
        for (int i = 1; (fds[0].revents & POLLIN) != 0 && i <= MAX_CLIENTS; i++) {
            if (fds[i].fd >= 0)
                continue;
            fds[i].fd = accept(server->listen_fd, NULL, NULL);
            break;
        }
    }
    for (int i = 1; i <= MAX_CLIENTS; i++)
        if (fds[i].fd >= 0)
            close(fds[i].fd);
    return NULL;
}

/* modbus_tcp_listen() takes no port 0, so free ones are tried. */
static void start_server(struct server *server)
{
    for (server->port = 20502; server->port < 20602; server->port++) {
        server->ctx = modbus_new_tcp("127.0.0.1", server->port);
        server->listen_fd = modbus_tcp_listen(server->ctx, MAX_CLIENTS);
        if (server->listen_fd >= 0)
            break;
        modbus_free(server->ctx);
    }
    server->mapping = modbus_mapping_new(0, 0, REGISTERS, 0);
    if (server->listen_fd < 0 || server->mapping == NULL ||
        base_thread_start(&server->thread, serve, server, NULL) != ARCD_OK) {
        fprintf(stderr, "bench_modbus_poll: cannot start the server: %s\n", modbus_strerror(errno));
        exit(1);
    }
}

static void stop_server(struct server *server)
{
    atomic_store(&server->stop, true);
    base_thread_join(server->thread);
    close(server->listen_fd);
    modbus_mapping_free(server->mapping);
    modbus_free(server->ctx);
}

/* ---- The two sides -----------------------------------------------------------------------------
 */

static double bare_slice(modbus_t *ctx)
{
    uint16_t registers[REGISTERS];
    int64_t began = base_mono_ns(), now = began;
    int64_t n = 0;
    for (; now - began < SLICE_NS; now = base_mono_ns(), n++) {
        if (modbus_read_registers(ctx, 0, REGISTERS, registers) == REGISTERS)
            continue;
        fprintf(stderr, "bench_modbus_poll: %s\n", modbus_strerror(errno));
        exit(1);
    }
    return (double)(now - began) / (double)n;
}

static void put(const char *dir, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

/* A folder with one read task of one channel in the same ten registers, at a rate that nothing can
 * keep. */
static struct driver_project *load(const char *dir, int port)
{
    char text[1024];
    snprintf(text, sizeof text, "%s/tasks", dir);
    mkdir(text, 0700);
    snprintf(text, sizeof text,
             "{\"channels\": {\"t\": {\"type\": \"timestamp\"}, \"a\": {\"type\": \"u16\", "
             "\"index\": \"t\"},"
             " \"b\": {\"type\": \"u16\", \"index\": \"t\"}},"
             " \"devices\": {\"plc\": {\"backend\": \"modbus\", \"host\": \"127.0.0.1\", \"port\": "
             "%d}}}",
             port);
    put(dir, "driver.json", text);
    put(dir, "tasks/in.json",
        "{\"type\": \"modbus_read\", \"device\": \"plc\", \"sample_rate\": 1000000, "
        "\"stream_rate\": 1000000,"
        " \"channels\": [{\"type\": \"holding_register_input\", \"channel\": \"a\", \"address\": "
        "0},"
        "  {\"type\": \"holding_register_input\", \"channel\": \"b\", \"address\": 9}]}");
    struct driver_project_opts opts = {.dir = dir, .state_dir = "", .clock = base_clock_system()};
    struct driver_project *project = driver_project_load(&opts);
    driver_project_print_issues(project, stderr);
    if (!driver_project_is_good(project))
        exit(1);
    return project;
}

static void remove_folder(const char *dir)
{
    static const char *const parts[] = {"/tasks/in.json", "/tasks", "/driver.json", ""};
    for (size_t i = 0; i < ARCD_COUNT_OF(parts); i++) {
        char path[64];
        snprintf(path, sizeof path, "%s%s", dir, parts[i]);
        (void)remove(path);
    }
}

static int64_t samples(struct tasks_task *task)
{
    struct tasks_counters counters;
    tasks_board_counters(tasks_task_board(task), &counters);
    return counters.samples;
}

static double task_slice(struct tasks_task *task)
{
    struct arcd_errinfo why;
    if (tasks_task_start(task, &why) != ARCD_OK) {
        fprintf(stderr, "bench_modbus_poll: %s\n", why.text);
        exit(1);
    }
    /* The connection is made and the first answers are in before the slice begins. */
    for (int i = 0; i < 2000 && samples(task) < 10; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    int64_t n = samples(task), began = base_mono_ns();
    nanosleep(&(struct timespec){.tv_nsec = SLICE_NS}, NULL);
    n = samples(task) - n;
    int64_t took = base_mono_ns() - began;
    if (tasks_task_stop(task, &why) != ARCD_OK || n <= 0) {
        fprintf(stderr, "bench_modbus_poll: the task read nothing\n");
        exit(1);
    }
    return (double)took / (double)n;
}

int main(int argc, char **argv)
{
    struct bench_opts opts = bench_parse(
        argc, argv,
        "Time of one Modbus TCP request: a read task against a bare libmodbus loop, on loopback.");
    char dir[] = "/tmp/arcd-bench-XXXXXX";
    if (mkdtemp(dir) == NULL) {
        perror(dir);
        return 1;
    }
    struct server server = {0};
    start_server(&server);
    modbus_t *bare = modbus_new_tcp("127.0.0.1", server.port);
    if (modbus_connect(bare) != 0) {
        fprintf(stderr, "bench_modbus_poll: %s\n", modbus_strerror(errno));
        return 1;
    }
    struct driver_project *project = load(dir, server.port);
    struct bench_pair *pair = malloc(sizeof *pair);
    ARCD_ASSERT(pair != NULL);
    bench_pair_init(pair);
    int64_t end = base_mono_ns() + (int64_t)(opts.seconds * 1e9);
    do {
        base_histo_record(&pair->versus, (int64_t)bare_slice(bare));
        base_histo_record(&pair->ours, (int64_t)task_slice(project->tasks[0]->task));
    } while (base_mono_ns() < end);
    struct bench_report report;
    bench_begin(&report, &opts, "modbus_poll", "read task", "libmodbus");
    bench_row(&report, "10 registers, TCP loopback", pair, 1 / 0.9);
    int rc = bench_end(&report);
    free(pair);
    driver_project_free(project);
    modbus_close(bare);
    modbus_free(bare);
    stop_server(&server);
    remove_folder(dir);
    return rc;
}
