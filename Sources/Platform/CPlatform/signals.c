#define _GNU_SOURCE
#include "CPlatform.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#ifndef NSIG
#define NSIG 65
#endif

// For each signal: the descriptor to wake plus one (zero: not watched), the pending mark, and the disposition to
// restore. Lock-free atomics are async-signal-safe (C17 7.14.1.1 paragraph 5).
static atomic_int watchers[NSIG];
static atomic_int pending[NSIG];
static struct sigaction former[NSIG];
static atomic_int handlers_running;

static void signal_arrived(int number) {
    int saved_errno = errno;
    atomic_fetch_add(&handlers_running, 1);
    int watcher = atomic_load(&watchers[number]);
    if (watcher > 0) {
        atomic_store(&pending[number], 1);
        // A full pipe loses nothing: its reader will wake anyway, and the mark is set.
        char wake = 0;
        ssize_t written = write(watcher - 1, &wake, 1);
        (void)written;
    }
    atomic_fetch_sub(&handlers_running, 1);
    errno = saved_errno;
}

int cplatform_watch_signal(int number, int descriptor) {
    if (number <= 0 || number >= NSIG) {
        return -EINVAL;
    }
    // nohup(1): the program outlives its terminal.
    struct sigaction inherited;
    if (number == SIGHUP && sigaction(number, NULL, &inherited) == 0 && inherited.sa_handler == SIG_IGN) {
        return 0;
    }
    int unwatched = 0;
    if (!atomic_compare_exchange_strong(&watchers[number], &unwatched, descriptor + 1)) {
        return -EBUSY;
    }
    atomic_store(&pending[number], 0);
    struct sigaction action = {0};
    action.sa_handler = signal_arrived;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, &action, &former[number]) < 0) {
        int code = errno;
        atomic_store(&watchers[number], 0);
        return -code;
    }
    // A program inherits the blocked signals of the thread that started it. Foundation's Process starts programs on
    // libdispatch threads, which block nearly all signals, so without this none would arrive.
    sigset_t watched;
    sigemptyset(&watched);
    sigaddset(&watched, number);
    pthread_sigmask(SIG_UNBLOCK, &watched, NULL);
    return 0;
}

void cplatform_unwatch_signal(int number) {
    if (number <= 0 || number >= NSIG || atomic_load(&watchers[number]) == 0) {
        return;
    }
    sigaction(number, &former[number], NULL);
    atomic_store(&watchers[number], 0);
    // A handler that has read the descriptor may still be about to write to it.
    while (atomic_load(&handlers_running) != 0) {
        sched_yield();
    }
}

int cplatform_take_signal(int number) {
    if (number <= 0 || number >= NSIG) {
        return 0;
    }
    return atomic_exchange(&pending[number], 0);
}

void cplatform_ignore_signal(int number) {
    struct sigaction current;
    if (sigaction(number, NULL, &current) == 0 && !(current.sa_flags & SA_SIGINFO)
        && current.sa_handler == SIG_DFL) {
        signal(number, SIG_IGN);
    }
}
