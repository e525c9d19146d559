#ifdef __linux__
#define _GNU_SOURCE
#include "CPlatform.h"
#include <unistd.h>

char *const *cplatform_environment(void) {
    return environ;
}
#endif
