#ifdef __linux__
#define _GNU_SOURCE
#include "CPlatform.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

int cplatform_open_stream_socket(int family) {
    int descriptor = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return descriptor < 0 ? -errno : descriptor;
}

// Accepted sockets inherit TCP_NODELAY from their listener on Linux (tcp(7)), which saves a system call per connection.
int cplatform_accept(int listener) {
    int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    return descriptor < 0 ? -errno : descriptor;
}

// BBR, the default on some systems, paces each connection with a timer, which only costs time on loopback. Every kernel
// has Reno. Accepted sockets inherit it (tcp(7)); a system that refuses it keeps its default.
void cplatform_disable_pacing(int listener) {
    (void)setsockopt(listener, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
}

int cplatform_open_pipe(int ends[2]) {
    return pipe2(ends, O_NONBLOCK | O_CLOEXEC) < 0 ? -errno : 0;
}

ssize_t cplatform_send(int descriptor, const void *bytes, size_t count) {
    ssize_t sent;
    do {
        sent = send(descriptor, bytes, count, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : sent;
}
#endif
