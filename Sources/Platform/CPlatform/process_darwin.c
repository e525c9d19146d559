#ifdef __APPLE__
#include "CPlatform.h"
#include <crt_externs.h>
#include <errno.h>
#include <sys/sysctl.h>
#include <time.h>

// Libraries cannot name `environ` here.
char *const *cplatform_environment(void) {
    return *_NSGetEnviron();
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
