#ifdef __APPLE__
#include "CPlatform.h"
#include <crt_externs.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/sysctl.h>
#include <time.h>

// Libraries cannot name `environ` on this system.
char *const *cplatform_environment(void) {
    return *_NSGetEnviron();
}

short cplatform_spawn_with_streams_only(posix_spawn_file_actions_t *actions) {
    for (int stream = 0; stream <= 2; stream++) {
        // The child inherits descriptors that an action opened; inheriting a closed stream would be an error.
        if (fcntl(stream, F_GETFD) >= 0) {
            (void)posix_spawn_file_actions_addinherit_np(actions, stream);
        }
    }
    return POSIX_SPAWN_CLOEXEC_DEFAULT;
}

int64_t cplatform_process_age(pid_t process) {
    int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, process};
    struct kinfo_proc info;
    size_t size = sizeof info;
    if (sysctl(name, 4, &info, &size, 0, 0)) return -errno;
    if (size < sizeof info) return -ESRCH;
    int64_t age = time(0) - info.kp_proc.p_starttime.tv_sec;
    return age > 0 ? age : 0;
}
#endif
