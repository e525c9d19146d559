// The part of a guarded command between fork and exec; it shares its guardian's memory.
#ifdef __linux__
#define _GNU_SOURCE
#include "CPlatform.h"
#include "guardian_linux.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef NSIG
#define NSIG 65
#endif

// execve(2) with a name looked up along a list of folders; returns an errno.
static int execute(const char *path, char *const arguments[], char *const environment[]) {
    const char *name = arguments[0];
    if (strchr(name, '/') != NULL || *name == 0) {
        execve(name, arguments, environment);
        return errno;
    }
    size_t name_length = strlen(name);
    int failure = ENOENT;
    for (const char *folder = path;;) {
        size_t length = strcspn(folder, ":");
        char candidate[PATH_MAX];
        if (length + name_length + 2 <= sizeof candidate) {
            memcpy(candidate, folder, length);
            // An empty entry is the current folder.
            if (length > 0) {
                candidate[length++] = '/';
            }
            memcpy(candidate + length, name, name_length + 1);
            execve(candidate, arguments, environment);
            if (errno == EACCES) {
                failure = EACCES;
            } else if (errno != ENOENT && errno != ENOTDIR && errno != ESTALE && errno != ENODEV) {
                return errno;
            }
        }
        folder += strcspn(folder, ":");
        if (*folder == 0) {
            return failure;
        }
        folder += 1;
    }
}

static int redirect(int stream, int target) {
    if (stream == CPLATFORM_STREAM_INHERITED) {
        return 0;
    }
    int source = stream;
    if (stream == CPLATFORM_STREAM_NULL) {
        source = open("/dev/null", (target == STDIN_FILENO ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
    }
    if (source < 0) {
        return errno;
    }
    // dup2(2) of a descriptor to itself would leave it close-on-exec.
    int done = source == target ? fcntl(target, F_SETFD, 0) : dup2(source, target);
    return done < 0 ? errno : 0;
}

int cplatform_become_command(
    pid_t guardian, const char *path, char *const arguments[], char *const environment[], const int streams[3]
) {
    setpgid(0, 0);
    // In case the guardian is killed; it may already be dead.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != guardian) {
        _exit(127);
    }
    for (int target = 0; target < 3; target++) {
        int code = redirect(streams[target], target);
        if (code != 0) {
            return code;
        }
    }
    // No handler may run here, where memory is shared. Only this process ignores SIGPIPE and SIGXFSZ, not the command.
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        int is_ours = number == SIGPIPE || number == SIGXFSZ;
        if (sigaction(number, NULL, &action) == 0 && (is_ours || action.sa_handler != SIG_IGN)) {
            signal(number, SIG_DFL);
        }
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    return execute(path, arguments, environment);
}
#endif
