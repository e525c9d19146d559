#ifdef __APPLE__
#include "CPlatform.h"
#include <crt_externs.h>
#include <errno.h>
#include <mach/mach.h>

int64_t cplatform_resident_memory(void) {
    struct mach_task_basic_info info;
    mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
    if (task_info(mach_task_self(), MACH_TASK_BASIC_INFO, (task_info_t)&info, &count) != KERN_SUCCESS) {
        return -EINVAL;
    }
    return (int64_t)info.resident_size;
}

// Libraries cannot name `environ` here.
char *const *cplatform_environment(void) {
    return *_NSGetEnviron();
}
#endif
