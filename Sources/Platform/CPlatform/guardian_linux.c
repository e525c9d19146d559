// A guardian is a process between this one and a command. Its only descendants are those of the command, and it
// survives a kill -9 of this process.
//
// It is a child subreaper (prctl(2)), so processes that the command leaves behind become its children, daemons
// included. It signals only its own children, because their ids stay valid until the guardian reaps them. A grandchild
// becomes a child when its parent ends, so without children there are no descendants.
//
// After fork(2) in a multithreaded process, only async-signal-safe calls are allowed.
#ifdef __linux__
#define _GNU_SOURCE
#include "CPlatform.h"
#include "guardian_linux.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct guardian {
    int control;
    // The leader of the command's group, and whether it was reaped: if so, another child may have its id.
    pid_t command;
    int has_ended;
    // Groups (negative) and processes that got SIGTERM: each gets it once.
    pid_t asked[256];
    int asked_count;
};

static int64_t now_in_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void tell(const struct guardian *self, int32_t kind, int32_t value) {
    struct cplatform_guard_message message = {kind, value};
    // A failure means that the other end is closed, which the next receive notices.
    (void)cplatform_send(self->control, &message, sizeof message);
}

// Whether a process or group is new here. If the table is full, it gets no SIGTERM, only SIGKILL.
static int note_asked(struct guardian *self, pid_t target) {
    for (int index = 0; index < self->asked_count; index++) {
        if (self->asked[index] == target) {
            return 0;
        }
    }
    if (self->asked_count == sizeof self->asked / sizeof *self->asked) {
        return 0;
    }
    self->asked[self->asked_count++] = target;
    return 1;
}

static void signal_target(struct guardian *self, pid_t target, int number) {
    if (number == SIGKILL || note_asked(self, target)) {
        kill(target, number);
    }
}

// Signals a whole group if a child leads it, or if it is the command's. That is atomic, so it also ends programs that
// start others faster than the guardian can list them.
static void signal_child(struct guardian *self, pid_t child, int number) {
    pid_t group = getpgid(child);
    signal_target(self, group == child || group == self->command ? -group : child, number);
}

// Signals every child, with its group. Without CONFIG_PROC_CHILDREN or /proc, only the command's group is known.
static void signal_children(struct guardian *self, int number) {
    int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (list < 0) {
        signal_target(self, -self->command, number);
        return;
    }
    char text[4096];
    ssize_t count;
    pid_t child = 0;
    while ((count = read(list, text, sizeof text)) > 0) {
        for (ssize_t index = 0; index < count; index++) {
            if (text[index] >= '0' && text[index] <= '9') {
                child = child * 10 + (text[index] - '0');
            } else if (child > 0) {
                signal_child(self, child, number);
                child = 0;
            }
        }
    }
    close(list);
}

// Reaps ended children; returns 0 once there are no children at all.
static int reap(struct guardian *self) {
    for (;;) {
        int status;
        pid_t child = waitpid(-1, &status, WNOHANG);
        if (child == self->command && !self->has_ended) {
            self->has_ended = 1;
            int outcome = WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
            tell(self, CPLATFORM_GUARD_ENDED, outcome);
        } else if (child == 0) {
            return 1;
        } else if (child < 0 && errno != EINTR) {
            return 0;
        }
    }
}

// How long and how often to repeat SIGKILL, in milliseconds.
static const int64_t kill_time = 5000;
static const int64_t kill_interval = 20;

static _Noreturn void guard(struct guardian *self) {
    sigset_t of_children;
    sigemptyset(&of_children);
    sigaddset(&of_children, SIGCHLD);
    int ends = signalfd(-1, &of_children, SFD_NONBLOCK | SFD_CLOEXEC);
    // When to kill, set once the process asks to end the command.
    int64_t deadline = INT64_MAX;
    for (;;) {
        int has_children = reap(self);
        int64_t now = now_in_milliseconds();
        int is_ending = deadline != INT64_MAX;
        if (is_ending && (!has_children || now - deadline > kill_time)) {
            tell(self, CPLATFORM_GUARD_FINISHED, has_children);
            _exit(0);
        }
        int timeout = -1;
        if (is_ending) {
            int is_time_up = now >= deadline;
            signal_children(self, is_time_up ? SIGKILL : SIGTERM);
            timeout = (int)(is_time_up ? kill_interval : deadline - now);
        }
        // Without a parent to listen to, wait only for the children.
        struct pollfd events[2] = {{ends, POLLIN, 0}, {self->control, POLLIN, 0}};
        if (poll(events, self->control < 0 ? 1 : 2, timeout) <= 0) {
            continue;
        }
        struct signalfd_siginfo ended;
        while (read(ends, &ended, sizeof ended) > 0) {
        }
        if (self->control < 0 || events[1].revents == 0) {
            continue;
        }
        struct cplatform_guard_message message;
        ssize_t count = recv(self->control, &message, sizeof message, MSG_DONTWAIT);
        if (count == sizeof message) {
            int64_t asked = now_in_milliseconds() + message.value;
            deadline = asked < deadline ? asked : deadline;
        } else if (count >= 0 || (errno != EAGAIN && errno != EINTR)) {
            // The process that started the command is gone, so end the command.
            close(self->control);
            self->control = -1;
            now = now_in_milliseconds();
            deadline = now < deadline ? now : deadline;
        }
    }
}

static void close_all_but(int descriptor) {
#ifdef SYS_close_range
    if ((descriptor == 0 || syscall(SYS_close_range, 0u, (unsigned)descriptor - 1, 0u) == 0)
        && syscall(SYS_close_range, (unsigned)descriptor + 1, ~0u, 0u) == 0) {
        return;
    }
#endif
    // Before Linux 5.9.
    for (long each = sysconf(_SC_OPEN_MAX) - 1; each >= 0; each--) {
        if (each != descriptor) {
            close((int)each);
        }
    }
}

static _Noreturn void become_guardian(
    int control, const char *path, char *const arguments[], char *const environment[], const int streams[3]
) {
    struct guardian self = {.control = control};
    // Leave the foreground group: the terminal's signals are for the parent process.
    setpgid(0, 0);
    prctl(PR_SET_NAME, "fitiq-guardian");
    // If SIGCHLD were ignored, the system would reap the children.
    signal(SIGCHLD, SIG_DFL);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0) {
        tell(&self, CPLATFORM_GUARD_STARTED, -errno);
        _exit(0);
    }
    pid_t guardian = getpid();
    volatile int failure = 0;
    self.command = vfork();
    if (self.command == 0) {
        failure = cplatform_become_command(guardian, path, arguments, environment, streams);
        _exit(127);
    }
    if (self.command < 0) {
        failure = errno;
    }
    // Close before answering: a stream ends only when everyone has closed it.
    close_all_but(control);
    tell(&self, CPLATFORM_GUARD_STARTED, failure != 0 ? -failure : self.command);
    if (failure != 0) {
        if (self.command > 0) {
            waitpid(self.command, NULL, 0);
        }
        _exit(0);
    }
    guard(&self);
}

pid_t cplatform_start_guarded(
    char *const arguments[], char *const environment[], const int streams[3], int *control
) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
        return -errno;
    }
    const char *path = getenv("PATH");
    if (path == NULL) {
        path = "/bin:/usr/bin";
    }
    sigset_t all;
    sigset_t former;
    sigfillset(&all);
    // The guardian blocks all signals except those about its children.
    pthread_sigmask(SIG_SETMASK, &all, &former);
    pid_t guardian = fork();
    int code = errno;
    if (guardian == 0) {
        become_guardian(ends[1], path, arguments, environment, streams);
    }
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    close(ends[1]);
    if (guardian < 0) {
        close(ends[0]);
        return -code;
    }
    *control = ends[0];
    return guardian;
}

int cplatform_receive_from_guardian(int control, struct cplatform_guard_message *message) {
    ssize_t count;
    do {
        count = recv(control, message, sizeof *message, 0);
    } while (count < 0 && errno == EINTR);
    return count == sizeof *message ? 1 : 0;
}
#endif
