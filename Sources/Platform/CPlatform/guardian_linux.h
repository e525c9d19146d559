// Between the files of guarded commands; not for others.
#pragma once

#include <sys/types.h>

/// Executes the command in the calling process, which its guardian has made by
/// vfork(2); returns only an errno.
int cplatform_become_command(
    pid_t guardian, const char *path, char *const arguments[], char *const environment[], const int streams[3]);
