/* tests/hw/peer.h - another program that a test talks to by lines: a server, a serial cable.
 *
 * Life cycle: peer_start -> peer_line | peer_ask ... -> peer_kill. Everything that waits gives up
 * after a minute and fails the test.
 */
#ifndef TESTS_HW_PEER_H
#define TESTS_HW_PEER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PEER_LINE = 4096 };

struct peer {
    pid_t pid; /* 0: not running */
    int to, from;
    size_t n_read;
    char buf[PEER_LINE];
    char line[PEER_LINE];
};

/* argv ends with NULL; argv[0] is the path. `from_stderr`: its lines come on standard error. */
void peer_start(struct peer *peer, const char *const *argv, int from_stderr);

/* The next line, without its newline. */
const char *peer_line(struct peer *peer);

/* Waits for a line that contains the text. */
const char *peer_wait_for(struct peer *peer, const char *text);

/* Sends a line, returns the answer. */
const char *peer_ask(struct peer *peer, const char *command);

/* At once, as a crash would; waits until it is gone. */
void peer_kill(struct peer *peer);

#endif
