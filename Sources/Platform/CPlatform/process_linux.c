#ifdef __linux__
#define _GNU_SOURCE
#include "CPlatform.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

// proc(5): /proc/pid/statm counts in pages; its second field is the resident set.
int64_t cplatform_resident_memory(void) {
    int descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return -errno;
    }
    char text[128];
    ssize_t count = read(descriptor, text, sizeof text - 1);
    int code = errno;
    close(descriptor);
    if (count < 0) {
        return -code;
    }
    text[count] = 0;
    long total = 0;
    long resident = 0;
    if (sscanf(text, "%ld %ld", &total, &resident) != 2) {
        return -EINVAL;
    }
    return (int64_t)resident * sysconf(_SC_PAGESIZE);
}

char *const *cplatform_environment(void) {
    return environ;
}
#endif
