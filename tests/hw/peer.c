#include "tests/hw/peer.h"

#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000 };

static void run(const char *const *argv, const int to[2], const int from[2], int from_stderr)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that dies takes its peers along */
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], from_stderr ? STDERR_FILENO : STDOUT_FILENO);
    execv(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

void peer_start(struct peer *peer, const char *const *argv, int from_stderr)
{
    int to[2];
    int from[2];
    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    assert_int_equal(pipe2(from, O_CLOEXEC), 0);
    *peer = (struct peer){.to = to[1], .from = from[0]};
    peer->pid = fork();
    assert_true(peer->pid >= 0);
    if (peer->pid == 0)
        run(argv, to, from, from_stderr);
    close(to[0]);
    close(from[1]);
}

static void read_more(struct peer *peer)
{
    struct pollfd fd = {.fd = peer->from, .events = POLLIN};
    int n = poll(&fd, 1, PATIENCE_MS);
    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0)
        fail_msg("the peer says nothing");
    assert_true(peer->n_read < sizeof peer->buf);
    ssize_t got = read(peer->from, peer->buf + peer->n_read, sizeof peer->buf - peer->n_read);
    if (got <= 0)
        fail_msg("the peer has ended");
    peer->n_read += (size_t)got;
}

const char *peer_line(struct peer *peer)
{
    char *end = NULL;
    while ((end = memchr(peer->buf, '\n', peer->n_read)) == NULL)
        read_more(peer);
    size_t len = (size_t)(end - peer->buf);
    memcpy(peer->line, peer->buf, len);
    peer->line[len] = '\0';
    peer->n_read -= len + 1;
    memmove(peer->buf, end + 1, peer->n_read);
    return peer->line;
}

const char *peer_wait_for(struct peer *peer, const char *text)
{
    while (strstr(peer_line(peer), text) == NULL)
        ;
    return peer->line;
}

const char *peer_ask(struct peer *peer, const char *command)
{
    size_t len = strlen(command);
    assert_int_equal(write(peer->to, command, len), len);
    assert_int_equal(write(peer->to, "\n", 1), 1);
    return peer_line(peer);
}

void peer_kill(struct peer *peer)
{
    if (peer->pid == 0)
        return;
    kill(peer->pid, SIGKILL);
    waitpid(peer->pid, NULL, 0);
    close(peer->to);
    close(peer->from);
    peer->pid = 0;
}
