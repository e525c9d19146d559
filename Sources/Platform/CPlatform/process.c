#define _GNU_SOURCE
#include "CPlatform.h"
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static char *const *arguments;

// glibc and dyld call constructors with the arguments of main; other C libraries (musl) pass nothing.
#if defined(__GLIBC__) || defined(__APPLE__)
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    (void)count;
    arguments = values;
}
#endif

char *const *cplatform_arguments(void) {
    return arguments;
}

static int64_t as_count(rlim_t limit) {
    return limit == RLIM_INFINITY || limit > INT64_MAX ? INT64_MAX : (int64_t)limit;
}

int64_t cplatform_raise_descriptor_limit(int64_t wanted) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) {
        return -errno;
    }
    int64_t soft = as_count(limit.rlim_cur);
    int64_t hard = as_count(limit.rlim_max);
    int64_t target = wanted < hard ? wanted : hard;
#ifdef OPEN_MAX
    // Darwin refuses a soft limit above OPEN_MAX even where the hard limit is infinite.
    if (target > OPEN_MAX) {
        target = OPEN_MAX;
    }
#endif
    if (target <= soft) {
        return soft;
    }
    limit.rlim_cur = (rlim_t)target;
    return setrlimit(RLIMIT_NOFILE, &limit) < 0 ? soft : target;
}

int cplatform_await_child(pid_t child) {
    siginfo_t information = {0};
    while (waitid(P_PID, (id_t)child, &information, WEXITED | WNOWAIT) < 0) {
        if (errno != EINTR) {
            return -errno;
        }
    }
    return information.si_code == CLD_EXITED ? information.si_status & 0xFF : 256 + information.si_status;
}
