#ifdef __linux__
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

// The archive of the C++ library that Debian has calls arc4random(3), which is in glibc since 2.36. The binary brings
// its own, and so runs where glibc is older.
__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
    uint32_t number;
    // This fails only before Linux 3.17, which has no such call.
    if (getentropy(&number, sizeof number) != 0) abort();
    return number;
}
#endif
