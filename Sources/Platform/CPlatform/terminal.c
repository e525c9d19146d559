#include "CPlatform.h"
#include <sys/ioctl.h>

int cplatform_terminal_columns(int descriptor) {
    struct winsize size = {0};
    return ioctl(descriptor, TIOCGWINSZ, &size) < 0 ? 0 : size.ws_col;
}
