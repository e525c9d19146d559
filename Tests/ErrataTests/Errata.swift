import Testing

/// What is wrong in the guides' own snippets, each shown to fail as a developer sees it, and then its fix.
///
/// `openapi/DEVIATIONS.md` tells the same to users. One at a time, because compilers want memory.
@Suite("Errata of the guides", .serialized)
enum Errata {}
