// Shared by the files about guarded commands; not for other code.
#pragma once

#include <sys/types.h>

/// Executes the command in the calling process, which its guardian created with vfork(2); returns only on failure, with
/// an errno.
int cplatform_become_command(
    pid_t guardian, const char *path, char *const arguments[], char *const environment[], const int streams[3]);
