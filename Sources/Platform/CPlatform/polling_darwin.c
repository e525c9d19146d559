#ifndef __linux__
#include "CPlatform.h"
#include <errno.h>
#include <limits.h>

// This system lacks ppoll(2): round up, so that no wait ends before the deadline.
int cplatform_poll(struct pollfd *entries, nfds_t count, int64_t nanoseconds) {
    int64_t milliseconds = nanoseconds < 0 ? -1 : nanoseconds / 1000000 + (nanoseconds % 1000000 != 0);
    int ready = poll(entries, count, milliseconds > INT_MAX ? INT_MAX : (int)milliseconds);
    return ready < 0 ? -errno : ready;
}
#endif
