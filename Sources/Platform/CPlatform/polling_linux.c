#ifdef __linux__
#define _GNU_SOURCE
#include "CPlatform.h"
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int cplatform_poll(struct pollfd *entries, nfds_t count, int64_t nanoseconds) {
    struct timespec timeout = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    int ready = ppoll(entries, count, nanoseconds < 0 ? NULL : &timeout, NULL);
    return ready < 0 ? -errno : ready;
}

int cplatform_epoll_wait(int epoll, struct epoll_event *events, int capacity, int milliseconds) {
    int ready = epoll_wait(epoll, events, capacity, milliseconds);
    return ready < 0 ? -errno : ready;
}

// Called by number: the C library has had a wrapper only since glibc 2.35.
int cplatform_epoll_pwait2(int epoll, struct epoll_event *events, int capacity, int64_t nanoseconds) {
#ifdef SYS_epoll_pwait2
    struct {
        int64_t seconds;
        int64_t nanoseconds;
    } timeout = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    long ready = syscall(SYS_epoll_pwait2, epoll, events, capacity, nanoseconds < 0 ? NULL : &timeout, NULL, 0);
    if (ready >= 0) {
        return (int)ready;
    }
    // Container sandboxes that do not know the call refuse it with EPERM.
    return errno == EPERM ? -ENOSYS : -errno;
#else
    (void)epoll, (void)events, (void)capacity, (void)nanoseconds;
    return -ENOSYS;
#endif
}
#endif
