#ifdef __APPLE__
#include "CPlatform.h"
#include <errno.h>
#include <stdio.h>

int cplatform_exchange_files(const char *first, const char *second) {
    return renamex_np(first, second, RENAME_SWAP) < 0 ? -errno : 0;
}
#endif
