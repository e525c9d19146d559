// What Swift's Glibc module leaves out: epoll, GNU's memmem, and prctl, which is variadic.
#ifndef CLINUX_H
#define CLINUX_H

#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

// Watches `descriptor` for `events`; `EPOLL_CTL_ADD` when it is new, `EPOLL_CTL_MOD` otherwise.
// Returns 0 or -1 with errno.
int bench_epoll_watch(int queue, int operation, int descriptor, uint32_t events, uint64_t tag);

// The members of one event: its struct is packed on x86-64.
uint64_t bench_epoll_tag(const struct epoll_event *event);
uint32_t bench_epoll_events(const struct epoll_event *event);

// Lets short sleeps end when they are due instead of up to 50 microseconds later.
void bench_precise_sleeps(void);

// Sets TCP_NODELAY on every listening socket of this process (accepted sockets inherit it on Linux).
// Returns how many there were.
int bench_no_delay_on_listeners(void);

// memmem: the first place of `pattern` in `bytes`, or NULL.
const void *bench_find(const void *bytes, size_t count, const void *pattern, size_t length);

#endif
