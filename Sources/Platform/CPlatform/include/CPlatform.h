// Parts of the C library that Swift cannot import: functions hidden behind _GNU_SOURCE, macros, compiler built-ins,
// unions with macro members, and code that must be async-signal-safe.
//
// A function that may fail returns a value of zero or more on success and a negated errno on failure, so that callers
// never read `errno` after other code has run. Files named after a system contain its differences (*_linux.c,
// *_darwin.c); this header declares each function once.
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

/// Makes a listener's connections send without pacing.
void cplatform_disable_pacing(int listener);

/// A pipe whose two ends are non-blocking and close-on-exec.
int cplatform_open_pipe(int ends[2]);

/// One send(2) that never raises SIGPIPE; it retries on EINTR.
ssize_t cplatform_send(int descriptor, const void *bytes, size_t count);

// MARK: Memory

/// Makes the processor fetch the memory at an address, which need not be valid, without waiting for it.
static inline void cplatform_prefetch(const void *address) { __builtin_prefetch(address); }

// MARK: Files (files_linux.c, files_darwin.c)

/// Exchanges two files on one file system atomically. -EINVAL, -ENOSYS or -ENOTSUP if the system or the file system
/// does not support it.
int cplatform_exchange_files(const char *first, const char *second);

// MARK: Waiting (polling_linux.c, polling_darwin.c)

/// poll(2) with a timeout in nanoseconds, negative to wait forever. Systems
/// without ppoll(2) round the timeout up to whole milliseconds.
int cplatform_poll(struct pollfd *entries, nfds_t count, int64_t nanoseconds);

#ifdef __linux__
#include <sys/epoll.h>

/// epoll_wait(2): a timeout in milliseconds, negative to wait forever.
int cplatform_epoll_wait(int epoll, struct epoll_event *events, int capacity, int milliseconds);

/// epoll_pwait2(2), Linux 5.11: a timeout in nanoseconds, negative to wait forever. -ENOSYS if the kernel, its headers
/// or a sandbox lacks it.
int cplatform_epoll_pwait2(int epoll, struct epoll_event *events, int capacity, int64_t nanoseconds);
#endif

// MARK: Signals (signals.c)

/// Marks the signal as pending on each arrival and writes a byte to the descriptor; unblocks the signal in the calling
/// thread. A SIGHUP that the process ignores stays ignored. -EBUSY if the signal is already watched, -EINVAL if it
/// cannot be watched.
int cplatform_watch_signal(int number, int descriptor);

/// Restores the signal's former disposition. After it returns, no handler uses the descriptor, so the caller may close
/// it.
void cplatform_unwatch_signal(int number);

/// Clears the signal's pending mark; 1 if it was set, otherwise 0.
int cplatform_take_signal(int number);

/// Ignores a signal, unless the process has installed a handler of its own.
void cplatform_ignore_signal(int number);

// MARK: Process (process.c)

/// The words of the command line as main receives them: the program's name first, a null pointer at the end. Null on a
/// system that passes them only to main.
char *const *cplatform_arguments(void);

/// Raises the soft limit on open files to `wanted`, as far as the hard limit allows, and never lowers it. Returns the
/// limit now in force.
int64_t cplatform_raise_descriptor_limit(int64_t wanted);

/// The environment of this process: `NAME=value` entries, then a null pointer (process_linux.c, process_darwin.c).
/// Valid until it changes.
char *const *cplatform_environment(void);

/// The whole seconds since a process started (process_linux.c, process_darwin.c).
int64_t cplatform_process_age(pid_t process);

/// The width in characters of the terminal behind a descriptor (terminal.c); 0 if it is not a terminal, or does not
/// know its width.
int cplatform_terminal_columns(int descriptor);

/// Makes posix_spawn(3) give a child only descriptors 0, 1 and 2, as the actions set them (process_linux.c,
/// process_darwin.c). On Darwin another thread may not have marked a new descriptor close-on-exec yet. Returns the
/// attribute flags to add; call it after the other actions.
short cplatform_spawn_with_streams_only(posix_spawn_file_actions_t *actions);

/// Waits until a child has ended, without releasing its id. Returns its exit status from 0 to 255, or 256 plus the
/// number of the signal that ended it.
int cplatform_await_child(pid_t child);

#ifdef __linux__
// MARK: Guarded commands (guardian_linux.c)

/// The messages between a process and the guardian of its command, one packet each.
struct cplatform_guard_message {
    int32_t kind;
    int32_t value;
};

/// From the guardian, once and first: the command's process id, or a negated errno.
#define CPLATFORM_GUARD_STARTED 1
/// From the guardian, once: the result of the command, in the format of `cplatform_await_child`.
#define CPLATFORM_GUARD_ENDED 2
/// From the guardian, last: 0 if no process of the command is left, 1 if one could not be ended.
#define CPLATFORM_GUARD_FINISHED 3
/// To the guardian: end all processes, with SIGTERM, and with SIGKILL after this many milliseconds.
#define CPLATFORM_GUARD_END 4

/// Gives the command this process's stream.
#define CPLATFORM_STREAM_INHERITED (-1)
/// Gives the command the null device.
#define CPLATFORM_STREAM_NULL (-2)

/// Starts a command in its own group under a guardian. The guardian is a child process that ends the command with all
/// its descendants on request, or when the other end of `control` is closed, even by kill -9. Returns the guardian's
/// process id.
pid_t cplatform_start_guarded(
    char *const arguments[], char *const environment[], const int streams[3], int *control);

/// Waits for a message; returns 0 if no more will come.
int cplatform_receive_from_guardian(int control, struct cplatform_guard_message *message);
#endif
