#ifdef __linux__
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

// Debian's static C++ library calls arc4random(3), which glibc has had only since 2.36. The binary brings its own, so
// it runs with an older glibc.
__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
    uint32_t number;
    // This fails only on kernels before Linux 3.17, which lack the call.
    if (getentropy(&number, sizeof number) != 0) abort();
    return number;
}
#endif
