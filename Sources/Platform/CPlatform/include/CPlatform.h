// What Swift cannot import from the C library: functions hidden behind
// _GNU_SOURCE, macros, built-ins of the compiler, unions with macro members, and
// code that must be async-signal-safe.
//
// A function that may fail returns a value of zero or more on success and a negated
// errno on failure, so that no caller has to read `errno` after other code has run.
// Differences between systems live in the files named for them (*_linux.c,
// *_darwin.c); each function is declared once, here.
#pragma once

#include <poll.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

// MARK: Descriptors (descriptors_linux.c, descriptors_darwin.c)

/// A non-blocking, close-on-exec TCP socket of the address family.
int cplatform_open_stream_socket(int family);

/// Accepts one connection: non-blocking, close-on-exec, TCP_NODELAY.
int cplatform_accept(int listener);

/// Has the connections of a listener send without pacing, where the system paces.
void cplatform_disable_pacing(int listener);

/// A pipe whose two ends are non-blocking and close-on-exec.
int cplatform_open_pipe(int ends[2]);

/// One send(2) that never raises SIGPIPE; EINTR is retried.
ssize_t cplatform_send(int descriptor, const void *bytes, size_t count);

// MARK: Memory

/// Has the processor fetch the memory at an address, which need not be valid, while
/// it goes on.
static inline void cplatform_prefetch(const void *address) { __builtin_prefetch(address); }

// MARK: Files (files_linux.c, files_darwin.c)

/// Has two files of one file system change places, at once. -EINVAL, -ENOSYS or
/// -ENOTSUP where the system or the file system cannot.
int cplatform_exchange_files(const char *first, const char *second);

// MARK: Waiting (polling_linux.c, polling_darwin.c)

/// poll(2) with a timeout in nanoseconds, negative to wait forever. Systems
/// without ppoll(2) round the timeout up to whole milliseconds.
int cplatform_poll(struct pollfd *entries, nfds_t count, int64_t nanoseconds);

#ifdef __linux__
#include <sys/epoll.h>

/// epoll_wait(2): a timeout in milliseconds, negative to wait forever.
int cplatform_epoll_wait(int epoll, struct epoll_event *events, int capacity, int milliseconds);

/// epoll_pwait2(2), Linux 5.11: a timeout in nanoseconds, negative to wait
/// forever. -ENOSYS where the kernel, its headers or a sandbox do not have it.
int cplatform_epoll_pwait2(int epoll, struct epoll_event *events, int capacity, int64_t nanoseconds);
#endif

// MARK: Signals (signals.c)

/// Has each arrival of the signal marked as pending and a byte written to the
/// descriptor, and lets it through to the calling thread where it was blocked.
/// A SIGHUP that the process ignores stays ignored. -EBUSY if the signal is already
/// watched, -EINVAL if it cannot be.
int cplatform_watch_signal(int number, int descriptor);

/// Restores the signal's former disposition. On return no handler is using the
/// descriptor any more, so that it can be closed.
void cplatform_unwatch_signal(int number);

/// Clears the signal's pending mark; 1 if it was set, otherwise 0.
int cplatform_take_signal(int number);

/// Ignores a signal, unless the process has installed a handler of its own.
void cplatform_ignore_signal(int number);

// MARK: Process (process.c)

/// The words of the command line as main receives them, the program's name first and a
/// null pointer at the end; null on a system that passes them to main alone.
char *const *cplatform_arguments(void);

/// Raises the soft limit of open files to `wanted`, as far as the hard limit
/// allows, and never lowers it. Returns the limit now in force.
int64_t cplatform_raise_descriptor_limit(int64_t wanted);

/// The environment of this process, `NAME=value` each, a null pointer at the end
/// (process_linux.c, process_darwin.c); valid until somebody changes it.
char *const *cplatform_environment(void);

/// The whole seconds since a process started (process_linux.c, process_darwin.c).
int64_t cplatform_process_age(pid_t process);

/// The width in characters of the terminal behind a descriptor; 0 if it is none, or
/// does not know (terminal.c).
int cplatform_terminal_columns(int descriptor);

/// Has posix_spawn(3) give a child no descriptors but 0, 1 and 2 as the actions make or leave them
/// (process_linux.c, process_darwin.c): on Darwin another thread may have made one that it
/// is yet to mark close-on-exec. Returns the attribute's flags to add; call it after the other actions.
short cplatform_spawn_with_streams_only(posix_spawn_file_actions_t *actions);

/// Waits until a child has ended, and leaves its number reserved: its exit
/// status from 0 to 255, or 256 plus the number of the signal that ended it.
int cplatform_await_child(pid_t child);

#ifdef __linux__
// MARK: Guarded commands (guardian_linux.c)

/// What a process and the guardian of its command tell each other, one packet each.
struct cplatform_guard_message {
    int32_t kind;
    int32_t value;
};

/// From the guardian, once and first: the command's process id, or a negated errno.
#define CPLATFORM_GUARD_STARTED 1
/// From the guardian, once: how the command ended, as `cplatform_await_child` has it.
#define CPLATFORM_GUARD_ENDED 2
/// From the guardian, last: 0 if nothing of the command is left, 1 if something could not be ended.
#define CPLATFORM_GUARD_FINISHED 3
/// To the guardian: end all that runs, by SIGTERM, and after so many milliseconds by SIGKILL.
#define CPLATFORM_GUARD_END 4

/// The stream of a command that is this process's own.
#define CPLATFORM_STREAM_INHERITED (-1)
/// The stream of a command that is empty, or leads nowhere.
#define CPLATFORM_STREAM_NULL (-2)

/// Starts a command, in a group of its own, under a guardian: a child process that
/// ends the command with all its descendants when it is told to, or when the other
/// end of `control` is closed, even by kill -9. Returns the guardian's process id.
pid_t cplatform_start_guarded(
    char *const arguments[], char *const environment[], const int streams[3], int *control);

/// Waits for a message; 0 where none comes any more.
int cplatform_receive_from_guardian(int control, struct cplatform_guard_message *message);
#endif
