// This package's files that are part of the binary: API descriptions, scenarios and data. Each is read only on request,
// without copying.
#pragma once

#include <stddef.h>

/// A package file as it was when the package was built.
struct EmbeddedText {
    /// The path from the root of the package; null if no such file is embedded.
    const char *path;
    const unsigned char *start;
    ptrdiff_t count;
};

/// The text of the file with this path.
struct EmbeddedText texts_at(const char *path)
    __attribute__((swift_name("EmbeddedText.init(path:)")));

/// The text at an index, in the order of texts.c; beyond the last, a text without a path.
struct EmbeddedText texts_at_index(ptrdiff_t index)
    __attribute__((swift_name("EmbeddedText.init(index:)")));
