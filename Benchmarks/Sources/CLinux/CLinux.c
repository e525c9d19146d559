#define _GNU_SOURCE  // memmem
#include "CLinux.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/prctl.h>
#include <string.h>
#include <sys/socket.h>

int bench_epoll_watch(int queue, int operation, int descriptor, uint32_t events, uint64_t tag) {
    struct epoll_event event = {.events = events, .data = {.u64 = tag}};
    return epoll_ctl(queue, operation, descriptor, &event);
}

uint64_t bench_epoll_tag(const struct epoll_event *event) { return event->data.u64; }

uint32_t bench_epoll_events(const struct epoll_event *event) { return event->events; }

void bench_precise_sleeps(void) { prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

int bench_no_delay_on_listeners(void) {
    int found = 0;
    for (int descriptor = 3; descriptor < 256; descriptor++) {
        int listening = 0;
        socklen_t size = sizeof listening;
        if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 || !listening) continue;
        int on = 1;
        if (setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0) found++;
    }
    return found;
}

const void *bench_find(const void *bytes, size_t count, const void *pattern, size_t length) {
    return memmem(bytes, count, pattern, length);
}
