import Testing

/// The mistakes in the guides' own snippets; each test shows the failure that a developer sees, and then the fix.
///
/// `openapi/DEVIATIONS.md` explains them to users. The tests run one at a time, because compilers use a lot of memory.
@Suite("The guides' errata", .serialized)
enum Errata {}
