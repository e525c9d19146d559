#ifdef __APPLE__
#include "CPlatform.h"
#include <crt_externs.h>

// Libraries cannot name `environ` here.
char *const *cplatform_environment(void) {
    return *_NSGetEnviron();
}
#endif
