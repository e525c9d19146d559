#ifndef __linux__
#include "CPlatform.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

// This system lacks SOCK_NONBLOCK, SOCK_CLOEXEC, accept4 and pipe2: set the flags one by one.
static int set_flags(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0
        || fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0) {
        return -errno;
    }
    return 0;
}

// It lacks MSG_NOSIGNAL too: a socket option prevents SIGPIPE.
static int prepare_socket(int descriptor) {
    int on = 1;
    int result = set_flags(descriptor);
#ifdef SO_NOSIGPIPE
    if (result == 0 && setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on) < 0) {
        result = -errno;
    }
#endif
    if (result < 0) {
        close(descriptor);
        return result;
    }
    return descriptor;
}

int cplatform_open_stream_socket(int family) {
    int descriptor = socket(family, SOCK_STREAM, 0);
    return descriptor < 0 ? -errno : prepare_socket(descriptor);
}

int cplatform_accept(int listener) {
    int descriptor = accept(listener, NULL, NULL);
    if (descriptor < 0) {
        return -errno;
    }
    // If the peer is already gone, setsockopt fails with EINVAL: report it as a connection aborted before it was
    // accepted.
    int prepared = prepare_socket(descriptor);
    if (prepared < 0) {
        return prepared == -EINVAL ? -ECONNABORTED : prepared;
    }
    int on = 1;
    (void)setsockopt(prepared, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return prepared;
}

// Darwin has no congestion control with pacing.
void cplatform_disable_pacing(int listener) {
    (void)listener;
}

int cplatform_open_pipe(int ends[2]) {
    if (pipe(ends) < 0) {
        return -errno;
    }
    int result = set_flags(ends[0]);
    if (result == 0) {
        result = set_flags(ends[1]);
    }
    if (result < 0) {
        close(ends[0]);
        close(ends[1]);
    }
    return result;
}

ssize_t cplatform_send(int descriptor, const void *bytes, size_t count) {
    ssize_t sent;
    do {
        sent = send(descriptor, bytes, count, 0);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : sent;
}
#endif
