import Testing

/// The mistakes in the guides' own snippets: each test shows the failure as a developer sees it, and then its fix.
///
/// `openapi/DEVIATIONS.md` explains the same to users. The tests run one at a time, because compilers use much memory.
@Suite("Errata of the guides", .serialized)
enum Errata {}
