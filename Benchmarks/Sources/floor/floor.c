// The minimum that a server on one epoll loop can do: it does not parse, encode, check or keep anything.
//
//   floor --port N            answers whatever arrives with BENCH_BODY, as JSON over HTTP
//   floor --port N FILE       sends the first record of FILE for the first bytes of a connection, and the others after
//                             each of the next: when they are due, and those due in one turn in one send
//
// A record: nanoseconds after the question (8 bytes), a length (4 bytes), bytes for the wire. `stream-load` writes them.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { most_sockets = 1 << 16, most_records = 4096 };

static struct record { int64_t offset; const char *bytes; uint32_t count; } records[most_records];
static int record_count;
// By descriptor: the next record, and the time of the question.
static struct { int next; int64_t asked; } sockets[most_sockets];
// A heap: a socket has at most one entry. The entry of a closed socket finds no record.
static struct wait { int64_t due; int socket; } waits[most_sockets];
static int wait_count;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void push(struct wait wait) {
    int place = wait_count++;
    for (; place > 0 && waits[(place - 1) / 2].due > wait.due; place = (place - 1) / 2) waits[place] = waits[(place - 1) / 2];
    waits[place] = wait;
}

static int pop(void) {
    int socket = waits[0].socket, place = 0, child;
    struct wait last = waits[--wait_count];
    while ((child = 2 * place + 1) < wait_count) {
        if (child + 1 < wait_count && waits[child + 1].due < waits[child].due) child++;
        if (waits[child].due >= last.due) break;
        waits[place] = waits[child];
        place = child;
    }
    waits[place] = last;
    return socket;
}

// Records lie in the file one after another, so one send covers all that are due together.
static void send_due(int socket, int64_t time) {
    static char piece[1 << 16];
    size_t count = 0;
    int next = sockets[socket].next;
    for (; next > 0 && next < record_count && sockets[socket].asked + records[next].offset <= time; next++) {
        memcpy(piece + count, records[next].bytes, records[next].count);
        count += records[next].count;
    }
    if (count > 0) send(socket, piece, count, MSG_NOSIGNAL);
    sockets[socket].next = next;
    if (next > 0 && next < record_count) push((struct wait){sockets[socket].asked + records[next].offset, socket});
}

static void read_records(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) exit(2);
    struct record *record = records;
    while (record < records + most_records && fread(&record->offset, 8, 1, file) && fread(&record->count, 4, 1, file)) {
        char *bytes = malloc(record->count);
        if (fread(bytes, 1, record->count, file) != record->count) exit(2);
        record++->bytes = bytes;
    }
    record_count = record - records;
}

int main(int count, char **arguments) {
    if (count < 3) return 2;
    const char *body = getenv("BENCH_BODY");
    char *answer = NULL;
    int length = asprintf(&answer,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
        "Content-Length: %zu\r\n\r\n%s", strlen(body ? body : ""), body ? body : "");
    if (count > 3) read_records(arguments[3]);
    prctl(PR_SET_TIMERSLACK, 1UL);

    int on = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), queue = epoll_create1(0);
    struct sockaddr_in address = {AF_INET, htons(atoi(arguments[2])), {htonl(INADDR_LOOPBACK)}};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(listener, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) return 1;
    epoll_ctl(queue, EPOLL_CTL_ADD, listener, &(struct epoll_event){.events = EPOLLIN, .data.fd = listener});

    static struct epoll_event events[1024];
    static char buffer[1 << 14];
    while (1) {
        int64_t left = wait_count > 0 ? waits[0].due - now() : -1;
        struct timespec timeout = {left > 0 ? left / 1000000000 : 0, left > 0 ? left % 1000000000 : 0};
        int ready = epoll_pwait2(queue, events, 1024, wait_count > 0 ? &timeout : NULL, NULL);
        int64_t time = now();
        for (int place = 0; place < ready; place++) {
            int socket = events[place].data.fd;
            if (socket == listener) {
                while ((socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
                    if (socket >= most_sockets) return 1;
                    sockets[socket].next = -1;
                    epoll_ctl(queue, EPOLL_CTL_ADD, socket, &(struct epoll_event){.events = EPOLLIN, .data.fd = socket});
                }
            } else if (read(socket, buffer, sizeof buffer) <= 0) {
                sockets[socket].next = -1;
                close(socket);
            } else if (record_count == 0) {
                send(socket, answer, length, MSG_NOSIGNAL);
            } else if (sockets[socket].next < 0) {
                sockets[socket].next = 0;
                send(socket, records[0].bytes, records[0].count, MSG_NOSIGNAL);
            } else {
                sockets[socket].asked = time;
                sockets[socket].next = 1;
                send_due(socket, time);
            }
        }
        while (wait_count > 0 && waits[0].due <= time) send_due(pop(), time);
    }
}
