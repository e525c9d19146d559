#ifdef __linux__
#define _GNU_SOURCE
#include "CPlatform.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

char *const *cplatform_environment(void) {
    return environ;
}

// On this system all descriptors are close-on-exec from the start.
short cplatform_spawn_with_streams_only(posix_spawn_file_actions_t *actions) {
    (void)actions;
    return 0;
}

int64_t cplatform_process_age(pid_t process) {
    char path[32], text[4096];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE *file = fopen(path, "re");
    if (!file) return -errno;
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = 0;
    // The program's name is in brackets and may contain any bytes; the start time is the 20th field after it, in ticks
    // since boot (proc(5)).
    char *end = strrchr(text, ')');
    unsigned long long ticks;
    if (!end || sscanf(end + 1, " %*c%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s %llu", &ticks) != 1)
        return -EINVAL;
    struct timespec now;
    if (clock_gettime(CLOCK_BOOTTIME, &now)) return -errno;
    int64_t age = now.tv_sec - (int64_t)(ticks / (unsigned long long)sysconf(_SC_CLK_TCK));
    return age > 0 ? age : 0;
}
#endif
