#ifdef __linux__
#define _GNU_SOURCE
#include "CPlatform.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

// Called by number, because older C libraries have no renameat2(2).
int cplatform_exchange_files(const char *first, const char *second) {
    return syscall(SYS_renameat2, AT_FDCWD, first, AT_FDCWD, second, RENAME_EXCHANGE) < 0 ? -errno : 0;
}
#endif
